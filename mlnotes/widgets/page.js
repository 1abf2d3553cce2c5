// Brings the widgets of a page without a kernel to life: each gets a model that holds its state and nothing else.

function pageModel(state, fail) {
  const listeners = {};
  const guarded = (run) => { try { run(); } catch (error) { fail(error); } };
  return {
    guarded, // also for what is done a moment later
    get: (name) => state[name],
    set(name, value) {
      if (state[name] === value) return;
      state[name] = value;
      guarded(() => { for (const callback of [...(listeners[`change:${name}`] ?? [])]) callback(); });
    },
    on(event, callback) { (listeners[event] ??= new Set()).add(callback); },
    off(event, callback) { listeners[event]?.delete(callback); },
    save_changes() {},
  };
}

function mount(host) {
  const figure = host.querySelector("figure");
  const live = document.createElement("div");
  const fail = (error) => {
    console.error(error);
    live.remove();
    figure.hidden = false;
    if (host.querySelector(".mw-note")) return;
    host.append(h("p", { class: "mw-note" }, `The live version failed (${error.message}). This is its picture.`));
  };
  try {
    const state = JSON.parse(host.querySelector("script").textContent);
    host.append(live);
    MODULES[host.dataset.widget].render({ model: pageModel(state, fail), el: live, hasKernel: false });
    figure.hidden = true; // last, so that the picture stays if anything above throws
  } catch (error) {
    fail(error);
  }
}

function mountAll() {
  document.querySelectorAll(".mlnotes-widget").forEach(mount);
}

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", mountAll);
else mountAll();
