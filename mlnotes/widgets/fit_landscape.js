// A saturating curve fitted to data: the way on the cost's landscape, and the damping of each step.

const STATE = ["method", "start", "step"];
const METHODS = ["Gauss–Newton", "Levenberg–Marquardt"];
const [MOST_STEPS, TOLERANCE, LOST] = [40, 1e-6, 1e3];
const [WIDTH, HEIGHT, LOW, FLAT] = [420, 350, 150, 220];
const [LEFT, ABOVE, RIGHT, BELOW] = [50, 10, 22, 24];   // around a panel, for its numbers

function render({ model, el }) {
  frame(model, el, "fit-landscape");
  const [t, y, reach, levels] = ["t", "y", "reach", "levels"].map((name) => model.get(name));
  const fine = reach.map((most) => most / 60);
  const rounded = (v, i) => Number((Math.min(Math.max(Math.round(v / fine[i]), 1), 60) * fine[i]).toPrecision(6));
  const method = select("Method", METHODS, (i) => write(model, { method: METHODS[i] }));
  const start = [0, 1].map((i) => slider(`Start, ${["x₁", "x₂"][i]}`, {
    min: fine[i], max: reach[i], step: fine[i], text: (x) => plain(x, 3),
    oninput: (x) => write(model, { start: model.get("start").map((old, k) => (k === i ? rounded(x, i) : old)) }),
  }));
  const step = slider("Step shown", { min: 0, max: MOST_STEPS, step: 1, text: String, oninput: (k) => write(model, { step: k }) });
  const at = ([x1, x2]) => [(x1 / reach[0]) * WIDTH, (1 - x2 / reach[1]) * HEIGHT].map((v) => Math.min(Math.max(v, -9999), 9999));
  const land = svg("g", {}, ...levels.map((level) => svg("path", { d: `${path(levelLine(t, y, reach, level).map(at))} Z`, class: "mw-level" })));
  const way = svg("g");
  const drawing = panel(HEIGHT, ["x₁", reach[0]], ["x₂", reach[1]], land, way);
  const follow = (event) => {
    event.preventDefault();
    const { x, y: below } = placeOf(event, drawing);
    write(model, { start: [rounded((x / WIDTH) * reach[0], 0), rounded((1 - below / HEIGHT) * reach[1], 1)] });
  };
  unlessScrolled(drawing, () => model.get("start"), (before) => write(model, { start: before }));
  whileHeld(drawing, follow);
  const dampings = svg("svg", { viewBox: `${-LEFT} 0 ${LEFT + WIDTH + RIGHT} ${LOW + 8}`, role: "img" });
  const data = svg("g");
  const curve = panel(FLAT, ["t", 1.05 * Math.max(...t)], ["y", 1.2 * Math.max(...y)], data);
  const sums = h("ul", { class: "mw-sums" });
  const verdict = h("p", { class: "mw-verdict", role: "status" });

  function draw() {
    const [how, from] = [model.get("method"), model.get("start")];
    const walked = walk(t, y, how, from);
    const shown = Math.min(model.get("step"), walked.trials.length);
    const x = walked.points[shown];
    method.set(METHODS.indexOf(how));
    start.forEach((it, i) => it.set(from[i]));
    step.input.max = Math.max(walked.trials.length, 1);
    step.input.disabled = !walked.trials.length;
    step.set(shown);
    way.replaceChildren(...stations(walked.points.map(at), shown));
    drawing.setAttribute("aria-label", `Level lines of the cost, and the path of ${how}`);
    dampings.replaceChildren(...bars(walked.trials, shown, how));
    dampings.setAttribute("aria-label", `The damping of ${steps(walked.trials.length)}, on a logarithmic scale`);
    data.replaceChildren(...drawnCurve(t, y, x));
    curve.setAttribute("aria-label", `The data, and the curve after ${steps(shown)}`);
    const [damping, predicted, gain] = shown ? walked.trials[shown - 1] : [NaN, NaN, NaN];
    sums.replaceChildren(
      fact("x1", "x₁", number(x[0]), x[0]), fact("x2", "x₂", number(x[1]), x[1]),
      fact("cost", "cost", number(walked.costs[shown]), walked.costs[shown]),
      fact("damping", "damping λ", shown ? number(damping, 3) : "none", shown ? damping : null),
      fact("predicted", "predicted reduction", shown ? number(predicted, 3) : "none", shown ? predicted : null),
      fact("gain", "gain ratio ϱ", shown ? number(gain, 3) : "none", shown ? gain : null));
    const said = tell(walked, shown, how);
    if (verdict.textContent !== said) verdict.textContent = said;
  }

  const key = h("p", { class: "mw-hint" }, "The walk starts where you press. Each level line is twice as high as the one inside of it. "
    + "Below: the damping λ by step, on a logarithmic scale; a step without damping stands on the line, and a hollow mark was refused. The other picture: "
    + "the data, and the curve at the ringed point. What leaves a picture is not drawn.");
  const controls = h("div", { class: "mw-controls" }, ...[method, ...start, step].map((it) => it.element));
  el.append(h("div", { class: "mw-main" }, h("div", {}, drawing, key, dampings), h("div", {}, controls, curve, sums, verdict)));
  draw();
  return listen(model, STATE, draw);
}

// What is computed

function residual(t, y, [x1, x2]) {
  return t.map((ti, i) => x1 * (1 - Math.exp(-x2 * ti)) - y[i]);
}

const length = (a) => Math.sqrt(dot(a, a));

// r + J p with J = Q R D: `top` is R, `along` is Qᵀr.
function linearized(t, y, x, before) {
  const r = residual(t, y, x);
  const columns = [t.map((ti) => 1 - Math.exp(-x[1] * ti)), t.map((ti) => x[0] * ti * Math.exp(-x[1] * ti))];
  const lengths = columns.map(length);
  if (![dot(r, r), ...lengths].every(Number.isFinite)) return null;
  const scales = lengths.map((it, i) => Math.max(it, before[i]) || 1);
  const [a, b] = columns.map((column, i) => column.map((v) => v / scales[i]));
  const r11 = length(a);
  const q1 = a.map((v) => v / (r11 || 1));
  const r12 = dot(q1, b);
  let v = b.map((it, i) => it - r12 * q1[i]);
  const again = dot(q1, v);
  v = v.map((it, i) => it - again * q1[i]);
  const r22 = length(v);
  const full = r11 > 1e-15 && r22 > 1e-15;
  const along = [dot(q1, r), full ? dot(v, r) / r22 : 0];
  return { x, r, scales, top: [r11, r12 + again, r22], along, full, reach: Math.hypot(...along) };
}

// (RᵀR + λ) z = right
function solved({ top: [r11, r12, r22] }, damping, right) {
  const [a, b, c] = [r11 * r11 + damping, r11 * r12, r12 * r12 + r22 * r22 + damping];
  const det = r11 * r11 * r22 * r22 + damping * (r11 * r11 + r12 * r12 + r22 * r22) + damping * damping;
  return [(c * right[0] - b * right[1]) / det, (a * right[1] - b * right[0]) / det];
}

// Minimize |R z + Qᵀr|² + λ|z|².
function damped(model, damping) {
  const { top: [r11, r12, r22], along: [c1, c2] } = model;
  const last = model.full ? c2 / r22 : 0;
  if (!damping) return [(r12 * last - c1) / r11, -last];
  return solved(model, damping, [-r11 * c1, -r12 * c1 - r22 * c2]);
}

function predictedReduction({ top: [r11, r12, r22], along: [c1, c2] }, damping, z) {
  return (damping * dot(z, z) - z[0] * r11 * c1 - z[1] * (r12 * c1 + r22 * c2)) / 2;
}

function dampingWithin(model, radius) {
  let damping = 0;
  for (let k = 0; k < 100; k++) {
    const z = damped(model, damping);
    const size = length(z);
    if (size <= 1.1 * radius) break;
    damping += ((size / radius - 1) * size * size) / dot(z, solved(model, damping, z));
  }
  return damping;
}

function walk(t, y, method, start) {
  const costOf = (model) => dot(model.r, model.r) / 2;
  let model = linearized(t, y, start, [0, 0]);
  const [points, costs, trials] = [[start], [costOf(model)], []];
  let radius = Math.hypot(...start.map((v, i) => v * model.scales[i])) || 1;
  const free = method === METHODS[0];
  const ended = (outcome) => ({ points, costs, trials, outcome });
  while (!(model.reach <= TOLERANCE * length(model.r))) {
    if (trials.length === MOST_STEPS) return ended("on the way");
    if (free && !model.full) return ended("not finite");
    const damping = free ? 0 : dampingWithin(model, radius);
    const z = damped(model, damping);
    const tried = model.x.map((v, i) => v + z[i] / model.scales[i]);
    const r = residual(t, y, tried);
    const predicted = predictedReduction(model, damping, z);
    const gain = dot(model.r.map((v, i) => v - r[i]), model.r.map((v, i) => v + r[i])) / 2 / predicted;
    const ahead = free || gain > 1e-4 ? linearized(t, y, tried, model.scales) : null;
    if (free && !ahead) return ended("not finite");
    if (!ahead || gain < 0.25) radius = Math.min(radius, length(z)) / 2;
    else if (gain > 0.75) radius = Math.max(radius, 2 * length(z));
    model = ahead || model;
    points.push(model.x);
    costs.push(costOf(model));
    trials.push([damping, predicted, gain]);
    if (!(costs.at(-1) <= LOST * costs[0])) return ended("lost");
  }
  return ended("arrived");
}

function levelLine(t, y, reach, level) {
  const [lower, upper] = [[], []];
  for (let k = 1; k <= 200; k++) {
    const x2 = (reach[1] * k) / 200;
    const rise = t.map((ti) => 1 - Math.exp(-x2 * ti));
    const [a, b, c] = [dot(rise, rise), dot(rise, y), dot(y, y) - 2 * level];
    const inside = b * b - a * c;
    if (inside < 0) continue;
    lower.push([(b - Math.sqrt(inside)) / a, x2]);
    upper.unshift([(b + Math.sqrt(inside)) / a, x2]);
  }
  return [...lower, ...upper];
}

const HALVED = "the radius becomes half of itself, or of the step where that is shorter";

function tell({ points, costs, trials, outcome }, shown, method) {
  const place = (x) => `(${plain(x[0], 4)}, ${plain(x[1], 4)})`;
  const end = {
    arrived: () => `${method} arrives at ${place(points.at(-1))} after ${steps(trials.length)}.`,
    lost: () => `${method} is lost: step ${trials.length} leads to ${place(points.at(-1))}, where the cost is ${number(costs.at(-1) / costs[0], 2)} times that of the start.`,
    "not finite": () => `${method} ends after ${steps(trials.length)}: the next is not defined, or leads where nothing is finite.`,
    "on the way": () => `${method} is still on its way after ${steps(trials.length)}.`,
  }[outcome]();
  if (!shown || method === METHODS[0]) return end;
  const gain = trials[shown - 1][2];
  const judged = gain <= 1e-4 ? `was refused: ${HALVED}`
    : gain < 0.25 ? `brought less than a quarter of what was predicted: taken, and ${HALVED}`
    : gain > 0.75 ? "brought more than three quarters of what was predicted: the radius may grow to twice the step"
    : "was taken, and the radius stays";
  return `${end} Step ${shown} ${judged}.`;
}

const steps = (count) => `${count} step${count === 1 ? "" : "s"}`;

// What is drawn

function label(x, y, words, anchor) {
  return svg("text", { x, y, "text-anchor": anchor, class: "mw-tick" }, words);
}

function roundStep(most) {
  const power = 10 ** Math.floor(Math.log10(most / 5));
  return [1, 2, 5, 10].map((it) => it * power).find((it) => it >= (most / 5) * 0.999);
}

// Names and ends of both axes; what leaves the panel is cut off. The name stands between the last two numbers.
function panel(height, [across, right], [up, top], ...drawn) {
  const ticks = (most) => Array.from({ length: Math.floor((most / roundStep(most)) * 1.001) + 1 }, (_, k) => k * roundStep(most));
  const [x, y] = [(v) => (v / right) * WIDTH, (v) => height * (1 - v / top)];
  const between = (most) => ticks(most).at(-1) - roundStep(most) / 2;
  return svg("svg", { viewBox: `${-LEFT} ${-ABOVE} ${LEFT + WIDTH + RIGHT} ${ABOVE + height + BELOW}`, role: "img" },
    svg("svg", { width: WIDTH, height }, ...drawn),
    svg("rect", { width: WIDTH, height, class: "mw-edge" }),
    ...ticks(right).map((v) => label(x(v), height + 18, plain(v), "middle")), label(x(between(right)), height + 18, across, "middle"),
    ...ticks(top).map((v) => label(-7, y(v) + 5, plain(v), "end")), label(-7, y(between(top)) + 5, up, "end"));
}

function path(places) {
  return places.length ? `M${places.map((place) => place.map((v) => v.toFixed(1)).join(" ")).join(" L")}` : "";
}

function stations(places, shown) {
  const dots = places.map(([cx, cy], i) => svg("circle", { cx, cy, r: i ? 3 : 5, class: "mw-stop" }));
  const [cx, cy] = places[shown];
  return [svg("path", { d: path(places), class: "mw-way" }), ...dots, svg("circle", { cx, cy, r: 7, class: "mw-begin" })];
}

function bars(trials, shown, method) {
  const [low, high, slots] = [-6, 4, Math.max(trials.length, 10)];
  const across = (k) => ((k + 0.5) / slots) * WIDTH;
  const up = (power) => LOW - 30 - ((power - low) / (high - low)) * (LOW - 50);
  const height = (damping) => (damping > 0 ? up(Math.min(Math.max(Math.log10(damping), low + 0.3), high)) : LOW - 22);
  const marks = trials.map(([damping, , gain], k) => svg("circle", {
    cx: across(k), cy: height(damping), r: k === shown - 1 ? 7 : 4.5,
    class: `${gain > 1e-4 || method === METHODS[0] ? "mw-taken" : "mw-refused"}${k === shown - 1 ? " mw-now" : ""}`,
  }));
  const every = roundStep(slots);
  const numbers = Array.from({ length: Math.floor(slots / every) }, (_, k) => (k + 1) * every);
  return [
    svg("line", { x1: 0, x2: WIDTH, y1: LOW - 22, y2: LOW - 22, class: "mw-limit" }), label(-7, LOW - 17, "0", "end"),
    ...[-4, 0, 4].map((power) => label(-7, up(power) + 5, power ? `10${power < 0 ? "⁻" : ""}⁴` : "1", "end")),
    label(-7, up(2) + 5, "λ", "end"), ...marks,
    ...numbers.map((k) => label(across(k - 1), LOW + 1, String(k), "middle")), label(-7, LOW + 1, "step", "end"),
  ];
}

function drawnCurve(t, y, [x1, x2]) {
  const [across, high] = [1.05 * Math.max(...t), 1.2 * Math.max(...y)];
  const at = (ti, yi) => [(ti / across) * WIDTH, FLAT * (1 - Math.min(Math.max(yi / high, -9), 9))];
  const places = Array.from({ length: 101 }, (_, k) => at((k / 100) * across, x1 * (1 - Math.exp((-x2 * k * across) / 100))));
  const points = t.map((ti, i) => { const [cx, cy] = at(ti, y[i]); return svg("circle", { cx, cy, r: 4.5, class: "mw-stop" }); });
  return [svg("path", { d: path(places), class: "mw-fitted" }), ...points];
}

export default { render };
