// The ball of a p-norm, the norms of a vector, and the point of a line nearest to zero.

const STATE = ["inverse", "vector", "line"];
const LENGTHS = { one: 1, two: 0.5, max: 0 }; // 1/p of those that are always shown
const [REACH, LEAST, MOST, SIZE, STEPS] = [3.5, 0.5, 3, 420, 240];

function render({ model, el }) {
  frame(model, el, "ball");
  const at = ([x, y]) => [(x / REACH + 1) * (SIZE / 2), (1 - y / REACH) * (SIZE / 2)];
  const tenths = (x) => Math.round(Math.min(Math.max(x, -MOST), MOST) * 10) / 10;
  const part = (name, i, label, min) => slider(label, {
    min, max: MOST, step: 0.1, text: (x) => plain(x),
    oninput: (x) => write(model, { [name]: model.get(name).map((old, k) => (k === i ? x : old)) }),
  });
  const power = slider("Power", {
    min: 0, max: 2, step: 0.01, text: (position) => `p = ${written(inverseAt(position))}`,
    oninput: (position) => write(model, { inverse: inverseAt(position) }),
  });
  const line = [part("line", 0, "The line crosses the x₁ axis at", LEAST), part("line", 1, "The line crosses the x₂ axis at", LEAST)];
  const vector = [part("vector", 0, "Vector, x₁", -MOST), part("vector", 1, "Vector, x₂", -MOST)];
  const shapes = svg("g");
  const drawing = svg("svg", { viewBox: `0 0 ${SIZE} ${SIZE}`, role: "img" }, axes(at), shapes, ticks(at));
  const follow = (event) => {
    event.preventDefault();
    const { x, y } = placeOf(event, drawing);
    const unit = (2 * REACH) / SIZE;
    write(model, { vector: [tenths((x - SIZE / 2) * unit), tenths((SIZE / 2 - y) * unit)] });
  };
  unlessScrolled(drawing, () => model.get("vector"), (before) => write(model, { vector: before }));
  whileHeld(drawing, follow);
  const sums = h("ul", { class: "mw-sums" });
  const verdict = h("p", { class: "mw-verdict", role: "status" });

  function draw() {
    const state = Object.fromEntries(STATE.map((name) => [name, model.get(name)]));
    const near = nearest(state);
    power.set(2 - state.inverse);
    line.forEach((it, i) => it.set(state.line[i]));
    vector.forEach((it, i) => it.set(state.vector[i]));
    shapes.replaceChildren(...picture(state, near, at));
    drawing.setAttribute("aria-label", `Unit ball for p = ${written(state.inverse)}, a vector, a line, and the ball that touches it`);
    const own = Object.values(LENGTHS).includes(state.inverse) ? {} : { p: state.inverse };
    sums.replaceChildren(
      ...Object.entries({ ...LENGTHS, ...own }).map(([name, inverse]) => {
        const size = length(state.vector, inverse);
        return fact(name, `length for p = ${written(inverse)}`, plain(size), size);
      }),
      fact("nearest", several(state) ? "a nearest point" : "nearest point", `(${near.map((x) => plain(x)).join(", ")})`, near),
      fact("radius", "its distance from 0", plain(length(near, state.inverse)), length(near, state.inverse)));
    const said = tell(state, near);
    if (verdict.textContent !== said) verdict.textContent = said;
  }

  const key = h("p", { class: "mw-hint" }, "Filled: length at most 1. Outlined: grown until it touches the line, at the square. "
    + "Dashed: as long as the vector, which follows the pointer.");
  const controls = h("div", { class: "mw-controls" }, ...[power, ...line, ...vector].map((it) => it.element));
  el.append(h("div", { class: "mw-main" }, h("div", {}, drawing, key), h("div", {}, controls, sums, verdict)));
  draw();
  return listenNow(model, STATE, draw);
}

// What is computed

function inverseAt(position) {
  return Math.round((2 - position) * 100) / 100;
}

function written(inverse) {
  return inverse === 0 ? "∞" : plain(1 / inverse, 3);
}

function length(x, inverse) {
  const sizes = x.map(Math.abs);
  const largest = Math.max(...sizes);
  if (inverse === 0 || largest === 0) return largest;
  return largest * sizes.reduce((sum, size) => sum + (size / largest) ** (1 / inverse), 0) ** inverse;
}

function nearest({ inverse, line }) {
  // The line is a·x = 1 with a = (1/u, 1/v).
  const a = line.map((crossing) => 1 / crossing);
  const first = a[0] >= a[1] ? [1, 0] : [0, 1];
  const power = inverse === 0 ? 0 : 1 / (1 / inverse - 1);
  const x = inverse >= 1 ? first : a.map((each) => (each / Math.max(...a)) ** power);
  const product = a[0] * x[0] + a[1] * x[1];
  return x.map((each) => each / product);
}

// Whether more than one point of the line is nearest.
function several({ inverse, line }) {
  return inverse >= 1 && line[0] === line[1];
}

function tell({ inverse, line }, near) {
  const tie = several({ inverse, line });
  if (inverse > 1 && tie) return "Both axes are equally near: the ball meets the line at two of its spikes at once.";
  if (tie) return "The ball meets the line along a whole side: every point between the axes is equally near.";
  if (inverse >= 1) {
    return `x${near[0] ? "₂" : "₁"} is exactly 0: the ball meets the line at a ${inverse > 1 ? "spike" : "corner"}, which lies on an axis.`;
  }
  if (inverse === 0) return "Neither coordinate is 0: the corner of the square, where both are equal, meets the line.";
  return "Neither coordinate is exactly 0: where the ball meets the line, it is round.";
}

// What is drawn

function axes(at) {
  const parts = [];
  for (let i = -3; i <= 3; i++) {
    for (const turn of [(v) => v, ([x, y]) => [y, x]]) {
      const [[x1, y1], [x2, y2]] = [at(turn([-REACH, i])), at(turn([REACH, i]))];
      parts.push(svg("line", { x1, y1, x2, y2, class: i ? "mw-gridline" : "mw-axis" }));
    }
  }
  return svg("g", { "aria-hidden": "true" }, ...parts);
}

function ticks(at) {
  const parts = [];
  for (const i of [-3, -2, -1, 1, 2, 3]) {
    const [[x, below], [left, y]] = [at([i, 0]), at([0, i])];
    parts.push(svg("text", { x, y: below + 14, class: "mw-tick", "text-anchor": "middle" }, minus(String(i))));
    parts.push(svg("text", { x: left - 5, y: y + 4, class: "mw-tick", "text-anchor": "end" }, minus(String(i))));
  }
  return svg("g", { "aria-hidden": "true" }, ...parts);
}

function circle(inverse) {
  return Array.from({ length: STEPS + 1 }, (_, i) => {
    // A quarter turn has a sine of exactly 1 here, and a cosine of exactly 0: a small power would make 1e-17 large.
    const [quarter, angle] = [Math.floor((4 * i) / STEPS), ((i % (STEPS / 4)) * 2 * Math.PI) / STEPS];
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    const direction = [[c, s], [-s, c], [-c, -s], [s, -c]][quarter % 4];
    const size = length(direction, inverse);
    return direction.map((x) => x / size);
  });
}

function picture({ inverse, vector, line }, near, at) {
  const path = (points, kind) => svg("path", { d: `M${points.map((v) => at(v).map((x) => x.toFixed(1)).join(" ")).join(" L")}`, class: kind });
  const unit = circle(inverse);
  const grown = (v) => unit.map((point) => point.map((x) => x * length(v, inverse)));
  const [[u, v], [x, y], [cx, cy]] = [line, at(near), at(vector)];
  const ends = [-REACH, REACH].map((x1) => [x1, v * (1 - x1 / u)]);
  const side = inverse === 1 && u === v ? [path([[u, 0], [0, v]], "mw-side-met")] : [];
  const other = inverse > 1 && u === v ? [square(...at([0, v]))] : [];
  return [
    path(unit, "mw-unit-ball"), path(grown(near), "mw-grown"), path(grown(vector), "mw-as-long"), path(ends, "mw-the-line"), ...side,
    path([[0, 0], vector], "mw-the-vector"), svg("circle", { cx, cy, r: 6, class: "mw-tip" }), square(x, y), ...other,
  ];
}

function square(x, y) {
  return svg("rect", { x: x - 6, y: y - 6, width: 12, height: 12, class: "mw-nearest" });
}

export default { render };
