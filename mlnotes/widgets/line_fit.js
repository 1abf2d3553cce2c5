// A line through points by least squares, with its squares.

const STATE = ["x", "y", "point", "strength"];
const [WIDTH, HEIGHT] = [480, 480];
const SCALE = 20;

function render({ model, el }) {
  frame(model, el, "fit");
  const last = model.get("x").length - 1;
  const at = (x, y) => [WIDTH / 2 + SCALE * x, HEIGHT / 2 - SCALE * y];
  const move = (name) => (value) => write(model, { [name]: model.get(name).map((old, i) => (i === model.get("point") ? value : old)) });
  const text = (v) => plain(v);
  const point = slider("Point", { min: 0, max: last, step: 1, text: (k) => `${k + 1} of ${last + 1}`, oninput: (k) => write(model, { point: k }) });
  const across = slider("its x", { min: -10, max: 10, step: 0.5, text, oninput: move("x") });
  const up = slider("its y", { min: -10, max: 10, step: 0.5, text, oninput: move("y") });
  const strength = slider("Ridge", {
    min: -3, max: 3, step: 0.5, text: (s) => (s <= -3 ? "none" : plain(10 ** s, 3)), oninput: (s) => write(model, { strength: s }),
  });
  const drawn = svg("g");
  const drawing = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" }, axes(), drawn);
  const sums = h("ul", { class: "mw-sums" });
  const verdict = h("p", { class: "mw-verdict", role: "status" });

  function draw() {
    const [x, y, k, s] = STATE.map((name) => model.get(name));
    point.set(k);
    across.set(x[k]);
    up.set(y[k]);
    strength.set(s);
    const found = fit(x, y, s);
    drawn.replaceChildren(...picture(x, y, k, found, at));
    drawing.setAttribute("aria-label", `${x.length} points and the line y = ${plain(found.intercept)} ${found.slope < 0 ? "−" : "+"} ${plain(Math.abs(found.slope))} x`);
    sums.replaceChildren(
      measured("slope", "slope", found.slope), measured("intercept", "intercept", found.intercept),
      measured("squares", "sum of squares", found.squares),
      measured("ones", "residual · ones", found.withOnes), measured("places", "residual · x", found.withX));
    const said = tell(s, found);
    if (verdict.textContent !== said) verdict.textContent = said;
  }

  const key = h("p", { class: "mw-hint" }, "Each square stands on what a point is off, measured along y. The ringed point is the one that moves.");
  el.append(h("div", { class: "mw-controls" }, ...[point, across, up, strength].map((it) => it.element)), drawing, key, sums, verdict);
  draw();
  return listen(model, STATE, draw);
}

// What is computed

function fit(x, y, exponent) {
  const strength = exponent <= -3 ? 0 : 10 ** exponent;
  const mean = (v) => v.reduce((a, b) => a + b, 0) / v.length;
  const [mx, my] = [mean(x), mean(y)];
  let [xy, xx] = [0, strength];
  x.forEach((v, i) => { xy += (v - mx) * (y[i] - my); xx += (v - mx) ** 2; });
  const slope = xx === 0 ? 0 : xy / xx; // all points above one another: the shortest of many solutions
  const intercept = my - slope * mx;
  const residuals = x.map((v, i) => y[i] - intercept - slope * v);
  const sum = (f) => residuals.reduce((total, r, i) => total + f(r, i), 0);
  return { slope, intercept, residuals, squares: sum((r) => r * r), withOnes: sum((r) => r), withX: sum((r, i) => r * x[i]) };
}

function tell(exponent, { withX }) {
  if (exponent <= -3) return "The residual is at right angles to both columns, the ones and the x: no other line has smaller squares.";
  return `With ridge the residual leans on the column of x, by ${plain(withoutNoise(withX))}: that is what keeps the slope small.`;
}

// What is seen

function measured(name, what, value) {
  return fact(name, what, plain(withoutNoise(value)), value);
}

function axes() {
  return svg("g", { "aria-hidden": "true" }, svg("line", { x1: 0, y1: HEIGHT / 2, x2: WIDTH, y2: HEIGHT / 2, class: "mw-axis" }),
    svg("line", { x1: WIDTH / 2, y1: 0, x2: WIDTH / 2, y2: HEIGHT, class: "mw-axis" }));
}

function picture(x, y, chosen, { slope, intercept, residuals }, at) {
  const squares = x.map((v, i) => {
    const side = Math.abs(residuals[i]) * SCALE;
    const [px, py] = at(v, Math.max(y[i], y[i] - residuals[i]));
    return svg("rect", { x: residuals[i] * slope < 0 ? px : px - side, y: py, width: side, height: side, class: "mw-square" });
  });
  const [[x1, y1], [x2, y2]] = [-11.5, 11.5].map((v) => at(v, intercept + slope * v));
  const dots = x.map((v, i) => {
    const [cx, cy] = at(v, y[i]);
    return svg("circle", { cx, cy, r: i === chosen ? 7 : 4.5, class: i === chosen ? "mw-dot mw-on" : "mw-dot" });
  });
  return [...squares, svg("line", { x1, y1, x2, y2, class: "mw-line" }), ...dots];
}

export default { render };
