// What is moved, typed and marked.

const NEEDS_KERNEL = "To type another sentence, run this chapter in JupyterLab: the vectors come from Python.";

function controls(model) {
  const layers = model.get("q").map((_, i) => nameOfLayer(model, i));
  const layer = select("Layer", layers, (i) => write(model, { layer: i }));
  const head = select("Head", model.get("heads"), (i) => write(model, { head: i }));
  const causal = checkbox("Causal: no query looks at a later key", (on) => write(model, { causal: on }));
  const temperature = slider("Temperature", {
    min: -2, max: 2, step: 0.02,
    text: (t) => `T = ${plain(t, 3)}`,
    oninput: (position) => write(model, { temperature: 10 ** position }),
  });
  const factor = h("span", { class: "mw-hint" });
  const parts = [temperature.element];
  if (model.get("heads").length > 1) parts.unshift(head.element);
  if (layers.length > 1) parts.unshift(layer.element);
  if (model.get("tokens").length === model.get("key_tokens").length) parts.push(causal.element);
  const set = () => {
    const t = model.get("temperature");
    temperature.set(Math.log10(t), t);
    factor.textContent = `score = q·k × ${plain(model.get("scale"))} / T = q·k × ${plain(model.get("scale") / t)}`;
    layer.set(model.get("layer"));
    head.set(model.get("head"));
    causal.set(model.get("causal"));
  };
  return { element: h("div", { class: "mw-controls" }, ...parts, factor), set };
}

function sentenceForm(model, hasKernel) {
  const note = h("span", { id: `mw-${++ids}`, class: "mw-hint", role: "status" });
  // JupyterLab lets no Enter through to the form.
  const press = (event) => { if (event.key === "Enter") submit(event); };
  const input = h("input", { type: "text", disabled: !hasKernel, "aria-describedby": note.id, onkeydown: press });
  const submit = (event) => {
    event.preventDefault();
    if (input.value === model.get("sentence")) return;
    note.textContent = "Python is computing the vectors …";
    write(model, { sentence: input.value });
  };
  const say = () => {
    const error = model.get("error");
    note.textContent = hasKernel ? error : NEEDS_KERNEL;
    note.classList.toggle("mw-error", error !== "");
    input.setAttribute("aria-invalid", error !== "");
    if (error === "") input.value = model.get("sentence");
  };
  say();
  const form = h("form", { class: "mw-sentence", onsubmit: submit },
    h("label", {}, h("span", {}, "Sentence"), input), h("button", { disabled: !hasKernel }, "Show"), note);
  return { elements: model.get("editable") ? [form] : [], say };
}

function markForm(model, keyNames) {
  const marked = () => model.get("marked");
  const toggle = (j) => write(model, {
    marked: marked().includes(j) ? marked().filter((it) => it !== j) : [...marked(), j].sort((a, b) => a - b),
  });
  const boxes = keyNames.map((name, j) => checkbox(name, () => toggle(j)));
  const group = h("div", { class: "mw-controls", role: "group", "aria-label": "Marked tokens" }, ...boxes.map(({ element }) => element));
  const summary = h("summary");
  const set = () => {
    boxes.forEach((box, j) => box.set(marked().includes(j)));
    summary.textContent = marked().length ? `Marked: ${marked().map((j) => keyNames[j]).join(", ")}` : "Mark tokens";
  };
  return { element: h("details", {}, summary, group), set, toggle };
}
