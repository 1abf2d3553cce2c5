// A sum of ReLU units beside the function that it meets at evenly spaced points.

const TARGETS = {
  "sine": (x) => Math.sin(2 * Math.PI * x),
  "square root": Math.sqrt,
  "step": (x) => (x >= 0.5 ? 1 : 0),
};
const NAMES = Object.keys(TARGETS);
const STATE = ["target", "pieces", "unit", "change", "show_units"];
const GRID = 4001;
const [WIDTH, HEIGHT, LOW, HIGH] = [520, 280, -1.4, 1.4];

function render({ model, el }) {
  frame(model, el, "relu");
  const at = (x, y) => [40 + x * (WIDTH - 52), 10 + ((HIGH - y) / (HIGH - LOW)) * (HEIGHT - 36)];
  const target = select("Function", NAMES, (i) => write(model, { target: NAMES[i] }));
  const pieces = slider("Pieces, and units", {
    min: 1, max: 64, step: 1, text: (m) => `m = ${m}`,
    oninput: (m) => write(model, { pieces: m, unit: Math.min(model.get("unit"), m - 1) }),
  });
  const unit = slider("One of them", {
    min: 0, max: 3, step: 1, text: (k) => `unit ${k}`, oninput: (k) => write(model, { unit: k }),
  });
  const change = slider("Added to its weight", {
    min: -8, max: 8, step: 0.5, text: (c) => (c > 0 ? `+${c}` : minus(String(c))), oninput: (c) => write(model, { change: c }),
  });
  const units = checkbox("Show the units", (on) => write(model, { show_units: on }));
  const curves = svg("g");
  const label = { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" };
  const drawing = svg("svg", label, axes(at), curves);
  const sums = h("ul", { class: "mw-sums" });
  const verdict = h("p", { class: "mw-verdict", role: "status" });

  function draw() {
    const state = Object.fromEntries(STATE.map((name) => [name, model.get(name)]));
    target.set(NAMES.indexOf(state.target));
    pieces.set(state.pieces);
    unit.input.max = state.pieces - 1;
    unit.set(state.unit);
    change.set(state.change);
    units.set(state.show_units);
    const network = build(state);
    const error = largestError(state, network);
    curves.replaceChildren(...picture(state, network, at));
    drawing.setAttribute("aria-label", `The ${state.target}, dashed, and a sum of ${state.pieces} ReLU unit${state.pieces === 1 ? "" : "s"}, solid`);
    sums.replaceChildren(
      fact("error", "largest error", number(error), error),
      fact("scaled", "error × m²", plain(error * state.pieces ** 2), error * state.pieces ** 2),
      fact("weight", `weight of unit ${state.unit}`, plain(withoutNoise(network.bends[state.unit])), network.bends[state.unit]));
    const said = tell(state, network);
    if (verdict.textContent !== said) verdict.textContent = said;
  }

  const key = h("p", { class: "mw-hint" }, "Dashed: the function. Solid: the network; each dot is a bend. Thin: single units, if shown.");
  el.append(h("div", { class: "mw-controls" }, ...[target, pieces, unit, change, units].map((it) => it.element)), drawing, key, sums, verdict);
  draw();
  return listenNow(model, STATE, draw);
}

// What is computed

function build({ target, pieces, unit, change }) {
  const f = TARGETS[target];
  const knots = Array.from({ length: pieces }, (_, k) => k / pieces);
  const slopes = knots.map((t, k) => (f((k + 1) / pieces) - f(t)) / ((k + 1) / pieces - t));
  const bends = slopes.map((slope, k) => slope - (k ? slopes[k - 1] : 0) + (k === unit ? change : 0));
  const start = f(0);
  const evaluate = (x) => knots.reduce((y, t, k) => (x > t ? y + bends[k] * (x - t) : y), start);
  return { knots, bends, start, evaluate };
}

function largestError({ target }, { evaluate }) {
  let largest = 0;
  for (let i = 0; i < GRID; i++) {
    const x = i / (GRID - 1);
    largest = Math.max(largest, Math.abs(evaluate(x) - TARGETS[target](x)));
  }
  return largest;
}

function tell({ unit, change, pieces }, { knots, bends }) {
  const where = `Unit ${unit} is zero up to x = ${plain(knots[unit], 3)} and adds ${plain(withoutNoise(bends[unit]))} to the slope from there on`;
  if (!change) return `${where}.`;
  const moved = unit === pieces - 1 ? "the last piece tilts" : "every piece to its right tilts";
  return `${where}: ${moved} by ${plain(change)}, and nothing to its left moves.`;
}

// What is drawn

function axes(at) {
  const parts = [];
  for (const y of [-1, 0, 1]) {
    const [[x1, y1], [x2]] = [at(0, y), at(1, y)];
    parts.push(svg("line", { x1, y1, x2, y2: y1, class: y ? "mw-gridline" : "mw-axis" }));
    // Far enough to the left for the ring around the first bend.
    parts.push(svg("text", { x: x1 - 14, y: y1 + 4, class: "mw-tick", "text-anchor": "end" }, minus(String(y))));
  }
  for (const x of [0, 0.25, 0.5, 0.75, 1]) {
    const [px, py] = at(x, LOW);
    parts.push(svg("text", { x: px, y: py + 14, class: "mw-tick", "text-anchor": "middle" }, String(x)));
  }
  return svg("g", { "aria-hidden": "true" }, ...parts);
}

function picture({ target, unit, show_units }, { knots, bends, start, evaluate }, at) {
  const path = (f, kind) => {
    const places = Array.from({ length: 401 }, (_, i) => at(i / 400, f(i / 400)).map((v) => v.toFixed(1)).join(" "));
    return svg("path", { d: `M${places.join(" L")}`, class: kind });
  };
  const parts = show_units
    ? knots.map((t, k) => path((x) => start + bends[k] * Math.max(x - t, 0), `mw-unit ${k === unit ? "mw-on" : ""}`))
    : [];
  parts.push(path(TARGETS[target], "mw-function"), path(evaluate, "mw-network"));
  knots.forEach((t, k) => {
    const [cx, cy] = at(t, evaluate(t));
    parts.push(svg("circle", { cx, cy, r: k === unit ? 6 : 3, class: `mw-bend ${k === unit ? "mw-on" : ""}` }));
  });
  return parts;
}

export default { render };
