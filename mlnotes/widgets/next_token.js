// The next token of a language model: its distribution, and what temperature, top k and top p leave of it.

const STATE = ["text", "texts", "temperature", "top_k", "top_p"];
const TOP_K = [0, 1, 2, 3, 5, 10, 20, 50, 100, 1000];
const ENDS = { "-1.3": 0.05, 0.7: 5 }; // of the temperature's slider, in round numbers
const STEP = 0.05; // nats, in which tokens that are not listed are counted

function render({ model, el, hasKernel }) {
  frame(model, el, "next");
  const texts = h("div");
  const own = h("input", {
    type: "text", "aria-label": "A text of your own",
    onchange: () => { if (own.value) write(model, { text: own.value }); },
  });
  const typed = h("label", { class: "mw-own" }, h("span", {}, "A text of your own, then Enter"), own);
  const temperature = slider("Temperature", {
    min: -1.3, max: 0.7, step: 0.02, text: (t) => `T = ${plain(t, 3)}`,
    oninput: (position) => write(model, { temperature: ENDS[position] ?? 10 ** position }),
  });
  const topK = select("Top k", TOP_K.map((k) => (k ? String(k) : "all")), (i) => write(model, { top_k: TOP_K[i] }));
  const topP = slider("Top p", {
    min: 0, max: 1, step: 0.01, text: (p) => p.toFixed(2), oninput: (p) => write(model, { top_p: p }),
  });
  const rows = h("ul", { class: "mw-measures" });
  const said = h("p", { class: "mw-said", role: "status" });

  function draw() {
    const state = Object.fromEntries(STATE.map((name) => [name, model.get(name)]));
    const chosen = select("Text", state.texts.map((text) => text.replaceAll("\n", " ⏎ ")),
      (i) => write(model, { text: state.texts[i] }));
    const at = state.texts.indexOf(state.text);
    // The list is rebuilt only where a text has come in, so that it keeps the focus.
    if (texts.childElementCount === 0 || Number(texts.dataset.n) !== state.texts.length) {
      texts.replaceChildren(chosen.element);
      texts.dataset.n = String(state.texts.length);
    }
    texts.querySelector("select").selectedIndex = at;
    temperature.set(Math.log10(state.temperature), state.temperature);
    topK.set(TOP_K.indexOf(state.top_k));
    topP.set(state.top_p);
    const pieces = model.get("pieces")[at];
    const result = evaluate(model.get("logits")[at], model.get("tails")[at], state);
    const listed = result.p.slice(0, pieces.length);
    const rest = Math.max(0, 1 - listed.reduce((sum, p) => sum + p, 0));
    const many = `${result.others.toLocaleString("en")} token${result.others === 1 ? "" : "s"}`;
    rows.replaceChildren(
      ...listed.map((p, i) => bar(seen(pieces[i]), p, p > 0, p.toFixed(4))),
      bar("all others", result.others ? rest : 0, result.others > 0, `${rest.toFixed(4)}, ${many}`));
    const text = `${result.kept.toLocaleString("en")} of ${result.n.toLocaleString("en")} tokens may be drawn; `
      + `entropy ${result.entropy.toFixed(3)} nats.`;
    if (said.textContent !== text) said.textContent = text;
    Object.assign(said.dataset, { kept: result.kept, entropy: result.entropy });
  }

  el.append(h("div", { class: "mw-controls" }, texts, ...(hasKernel === false ? [] : [typed]),
    temperature.element, topK.element, topP.element), rows, said);
  draw();
  return listenNow(model, STATE, draw);
}

// What is computed

function evaluate(logits, tail, { temperature, top_k, top_p }) {
  const scores = everyScore(logits, tail);
  const [top, n] = [scores[0], scores.length];
  const least = top_k ? scores[Math.min(top_k, n) - 1] : -Infinity;
  const shared = (weights) => {
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    return weights.map((weight) => weight / total);
  };
  let p = shared(scores.map((x) => (x >= least ? Math.exp((x - top) / temperature) : 0)));
  // From below: what together is no more than 1 − p is left out; tokens of the same score stay or go together.
  let last = n - 1;
  for (let below = p[last]; below <= 1 - top_p && last > 0; below += p[last]) last -= 1;
  const smallest = p[last];
  p = shared(p.map((x) => (x >= smallest ? x : 0)));
  const drawn = (from) => p.slice(from).filter((x) => x > 0).length;
  return {
    p, n, kept: drawn(0), others: drawn(logits.length),
    entropy: p.reduce((sum, x) => (x > 0 ? sum - x * Math.log(x) : sum), 0),
  };
}

// From the largest down: those of a step are taken to be evenly spread over it.
function everyScore(logits, tail) {
  const scores = [...logits];
  const most = logits.at(-1) - 1e-6; // below those that are listed, so that none of them counts as equal
  for (const [middle, many] of tail) {
    for (let k = 0; k < many; k++) scores.push(Math.min(middle + STEP * (0.5 - (k + 0.5) / many), most));
  }
  return scores;
}

// What is seen

function seen(piece) {
  return piece.replaceAll(" ", "␣").replaceAll("\n", "⏎") || "∅";
}

// What may be drawn may have a share that rounds to 0.
function bar(label, p, mayBeDrawn, shown) {
  const fill = h("i");
  fill.style.transform = `scaleX(${p})`;
  return h("li", { "data-name": label, "data-value": String(p), class: mayBeDrawn ? "" : "mw-masked" },
    h("b", { class: "mw-label" }, label), h("span", { class: "mw-track" }, fill),
    h("span", { class: "mw-number" }, mayBeDrawn ? shown : "not drawn"));
}

export default { render };
