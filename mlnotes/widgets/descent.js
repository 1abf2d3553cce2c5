// Descent in a valley: the path of a method, and how fast it arrives, measured and predicted.

const STATE = ["method", "rate", "beta", "condition", "start", "steps"];
const METHODS = ["gradient descent", "momentum", "Nesterov"];
const [REACH, MOST_RATE, MOST_FACTOR, SIZE] = [1.2, 4, 1.4, 420];

function render({ model, el }) {
  frame(model, el, "descent");
  const method = select("Method", METHODS, (i) => write(model, { method: METHODS[i] }));
  const setting = (label, name, min, max, step) => slider(label, {
    min, max, step, text: (x) => plain(x, 3), oninput: (x) => write(model, { [name]: x }),
  });
  const rate = setting("Step size", "rate", 0.01, MOST_RATE, 0.01);
  const beta = setting("Momentum β", "beta", 0, 0.99, 0.01);
  const condition = slider("Condition number κ", {
    min: 0, max: 2.3, step: 0.01, text: (position) => plain(conditionAt(position)),
    oninput: (position) => write(model, { condition: conditionAt(position) }),
  });
  const steps = setting("Steps", "steps", 2, 200, 1);
  const start = [0, 1].map((i) => slider(`Start, ${"xy"[i]}`, {
    min: -1, max: 1, step: 0.05, text: (x) => plain(x, 3),
    oninput: (x) => write(model, { start: model.get("start").map((old, k) => (k === i ? x : old)) }),
  }));
  const best = h("button", { type: "button", onclick: () => {
    const [rate, beta] = bestOf(current());
    write(model, model.get("method") === METHODS[0] ? { rate } : { rate, beta });
  } }, "Best settings");
  const current = () => Object.fromEntries(STATE.map((name) => [name, model.get(name)]));
  const at = ([x, y]) => [x, -y].map((v) => Math.min(Math.max((v / REACH + 1) * (SIZE / 2), -9999), 9999));
  const valley = svg("g");
  const drawing = svg("svg", { viewBox: `0 0 ${SIZE} ${SIZE}`, role: "img" }, valley);
  const follow = (event) => {
    event.preventDefault();
    const { x, y } = placeOf(event, drawing);
    const within = (v) => Math.round(Math.min(Math.max(v, -1), 1) * 20) / 20;
    write(model, { start: [within((2 * x / SIZE - 1) * REACH), within((1 - 2 * y / SIZE) * REACH)] });
  };
  unlessScrolled(drawing, () => model.get("start"), (before) => write(model, { start: before }));
  whileHeld(drawing, follow);
  const curve = svg("svg", { viewBox: "0 0 420 200", role: "img" });
  const sums = h("ul", { class: "mw-sums" });
  const verdict = h("p", { class: "mw-verdict", role: "status" });

  function draw() {
    const state = current();
    const path = walk(state);
    method.set(METHODS.indexOf(state.method));
    rate.set(state.rate);
    beta.set(state.beta);
    beta.input.disabled = state.method === METHODS[0];
    condition.set(Math.log10(state.condition));
    steps.set(state.steps);
    start.forEach((it, i) => it.set(state.start[i]));
    const [x, y] = path.at(-1);
    const [now, expected, edge] = [measured(path), predicted(state, state.rate), edgeOf(state)];
    valley.replaceChildren(...levels(state.condition), ...way(path.map(at)));
    drawing.setAttribute("aria-label", `The path of ${state.method} in a valley`);
    curve.replaceChildren(...factors(state, expected));
    curve.setAttribute("aria-label", `The factor that is predicted for each length of step; above 1 from ${plain(edge)} on`);
    sums.replaceChildren(
      fact("distance", "distance from the minimum", number(Math.hypot(x, y), 3), Math.hypot(x, y)),
      fact("measured", "a step multiplies it by", state.start.some(Boolean) ? factorText(now) : "none", now),
      fact("predicted", "predicted", factorText(expected), expected),
      fact("best", "the best settings give", predicted({ ...state, beta: bestOf(state)[1] }, bestOf(state)[0]).toFixed(3), bestOf(state)),
      fact("edge", "diverges from step size", plain(edge), edge));
    const said = tell(state, expected, edge);
    if (verdict.textContent !== said) verdict.textContent = said;
  }

  const key = h("p", { class: "mw-hint" }, "The path starts where you press, and level lines are √κ times as long as wide. "
    + "Below: the predicted factor for each step size from 0 to 4; above the line, 1, it diverges, and what is above 1.4 is drawn at the top.");
  const controls = h("div", { class: "mw-controls" }, ...[method, rate, beta, condition, steps, ...start].map((it) => it.element), best);
  el.append(h("div", { class: "mw-main" }, h("div", {}, drawing, key, curve), h("div", {}, controls, sums, verdict)));
  draw();
  return listen(model, STATE, draw);
}

// What is computed

function conditionAt(position) {
  return Math.min(Number((10 ** position).toPrecision(3)), 200);
}

function walk({ method, rate, beta, condition, start, steps }) {
  let [x, v] = [start, [0, 0]];
  const path = [x];
  for (let k = 0; k < steps; k++) {
    const g = [x[0] / condition, x[1]];
    v = v.map((old, i) => (method === METHODS[0] ? 0 : beta * old) + g[i]);
    const along = method === METHODS[2] ? g.map((slope, i) => slope + beta * v[i]) : v;
    x = x.map((old, i) => old - rate * along[i]);
    path.push(x);
  }
  return path;
}

function measured(path) {
  const sizes = path.slice(1).map((point, k) => Math.hypot(...path[k], ...point));
  if (!sizes.at(-1)) return 0;
  const late = sizes.slice(Math.floor((sizes.length - 1) / 2));
  return Math.exp((Math.log(late.at(-1)) - Math.log(late[0])) / (late.length - 1 || 1));
}

function predicted({ method, beta, condition }, rate) {
  return Math.max(...[1 - rate / condition, 1 - rate].map((left) => {
    if (method === METHODS[0]) return Math.abs(left);
    const [total, product] = method === METHODS[1] ? [left + beta, beta] : [(1 + beta) * left, beta * left];
    const inside = total ** 2 - 4 * product;
    return inside < 0 ? Math.sqrt(product) : (Math.abs(total) + Math.sqrt(inside)) / 2;
  }));
}

function edgeOf({ method, beta }) {
  return [2, 2 * (1 + beta), (2 * (1 + beta)) / (1 + 2 * beta)][METHODS.indexOf(method)];
}

function bestOf({ method, condition }) {
  const [root, wide] = [Math.sqrt(condition), Math.sqrt(3 * condition + 1)];
  return [
    [2 / (1 + 1 / condition), 0],
    [4 / (1 + 1 / root) ** 2, ((root - 1) / (root + 1)) ** 2],
    [4 / (3 + 1 / condition), (wide - 2) / (wide + 2)],
  ][METHODS.indexOf(method)];
}

// A factor near 1 is told from 1: what it takes away in a step decides how many steps a digit costs.
function factorText(factor) {
  return factor.toFixed(Math.abs(1 - factor) < 0.005 ? 5 : 3);
}

// What a digit costs where each step multiplies the distance by a factor.
function digit(factor) {
  const steps = Math.log(10) / -Math.log(factor);
  const shown = plain(steps, 2);
  return Number.isFinite(steps) && steps > 1 ? `a digit costs ${shown} step${shown === "1" ? "" : "s"}` : "one step gives a digit or more";
}

function tell(state, expected, edge) {
  const [along, across] = state.start;
  const slow = predicted({ ...state, condition: 1 }, state.rate / state.condition);
  const steep = predicted({ ...state, condition: 1 }, state.rate);
  if (!along && !across) return "The walk begins at the minimum, and stays there.";
  if (!across && slow < 1) {
    const beside = state.rate > edge - 1e-9 ? "; from anywhere beside it, steps as long as these would not arrive" : "";
    return `On the floor of the valley nothing swings: ${digit(slow)}${beside}.`;
  }
  if (Math.abs(state.rate - edge) < 1e-9) return "At the edge: across the valley the walk neither arrives nor diverges.";
  if (state.rate > edge) return "Too long: each step overshoots across the valley by more than it came from, and the walk diverges.";
  if (!along) return `The walk goes straight across the valley: ${digit(steep)}.`;
  const each = digit(expected);
  if (slow > steep + 1e-9) return `The way along the valley is the slow part; ${each}.`;
  if (steep > slow + 1e-9) return `The swinging across the valley is the slow part; ${each}.`;
  return `Along and across the valley it is equally fast; ${each}.`;
}

// What is drawn

function levels(condition) {
  const [middle, unit] = [SIZE / 2, SIZE / 2 / REACH];
  return [0.15, 0.3, 0.45, 0.6, 0.75, 0.9, 1.05].map((level) => svg("ellipse", {
    cx: middle, cy: middle, rx: level * unit * Math.sqrt(condition), ry: level * unit, class: "mw-level",
  }));
}

function way(places) {
  const d = `M${places.map((place) => place.map((v) => v.toFixed(1)).join(" ")).join(" L")}`;
  const dots = places.filter(([x, y]) => Math.max(Math.abs(x), Math.abs(y)) < 2 * SIZE)
    .map(([cx, cy], i) => svg("circle", { cx, cy, r: i ? 3 : 6, class: i ? "mw-stop" : "mw-begin" }));
  return [svg("path", { d, class: "mw-way" }), ...dots];
}

function factors(state, expected) {
  const at = (rate, factor) => [24 + (rate / MOST_RATE) * 388, 180 - (Math.min(factor, MOST_FACTOR) / MOST_FACTOR) * 172];
  const places = Array.from({ length: 401 }, (_, i) => at(i / 100, predicted(state, i / 100)));
  const [[cx, cy], [left, one], [right]] = [at(state.rate, expected), at(0, 1), at(MOST_RATE, 1)];
  const label = (x, y, words, anchor) => svg("text", { x, y, "text-anchor": anchor, class: "mw-tick" }, words);
  return [
    svg("line", { x1: left, x2: right, y1: one, y2: one, class: "mw-limit" }),
    svg("path", { d: `M${places.map((place) => place.map((v) => v.toFixed(1)).join(" ")).join(" L")}`, class: "mw-way" }),
    svg("circle", { cx, cy, r: 6, class: "mw-begin" }),
    label(left - 6, one + 4, "1", "end"), label(left - 6, 184, "0", "end"), label(right, 196, "step size 4", "end"), label(left, 196, "0", "start"),
  ];
}

export default { render };
