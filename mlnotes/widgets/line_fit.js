// A line through points by least squares, with its squares, and the same with one direction for each column.

const STATE = ["x", "y", "point", "strength"];
const [WIDTH, HEIGHT] = [480, 480];
const SCALE = 20;
const GRASP = 16; // how near to a point it is taken hold of
const NO_RESIDUAL = "The line goes through all points: there is no residual.";
const [TALL, GROUND, REACH] = [250, 225, 205]; // the second picture: its height, its column of x, the length of y

function render({ model, el }) {
  frame(model, el, "fit");
  const last = model.get("x").length - 1;
  const at = (x, y) => [WIDTH / 2 + SCALE * x, HEIGHT / 2 - SCALE * y];
  const move = (name) => (value) => {
    const moved = model.get(name).map((old, i) => (i === model.get("point") ? value : old));
    if (name === "x" && moved.every((it) => it === moved[0])) return draw(); // no line: the point stays where it was
    return write(model, { [name]: moved });
  };
  const text = (v) => plain(v);
  const point = slider("Point", { min: 0, max: last, step: 1, text: (k) => `${k + 1} of ${last + 1}`, oninput: (k) => write(model, { point: k }) });
  const across = slider("its x", { min: -10, max: 10, step: 0.5, text, oninput: move("x") });
  const up = slider("its y", { min: -10, max: 10, step: 0.5, text, oninput: move("y") });
  const strength = slider("Ridge", {
    min: -3, max: 3, step: 0.5, text: (s) => (s <= -3 ? "none" : plain(10 ** s, 3)), oninput: (s) => write(model, { strength: s }),
  });
  const drawn = svg("g");
  const drawing = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" }, axes(), drawn);
  const places = () => ({ x: model.get("x"), y: model.get("y") });
  let dragged = -1;
  unlessScrolled(drawing, places, (before) => write(model, before));
  for (const way of ["pointerup", "pointerleave"]) drawing.addEventListener(way, () => { dragged = -1; });
  drawing.addEventListener("pointerdown", (event) => {
    const [{ x: left, y: below }, { x, y }] = [placeOf(event, drawing), places()];
    dragged = x.findIndex((v, i) => Math.hypot(at(v, y[i])[0] - left, at(v, y[i])[1] - below) < GRASP);
    if (dragged >= 0) write(model, { point: dragged });
  });
  drawing.addEventListener("pointermove", (event) => {
    if (!event.buttons || dragged < 0) return;
    event.preventDefault();
    const [{ x: left, y: below }, { x, y }] = [placeOf(event, drawing), places()];
    const half = (v) => Math.round(2 * Math.min(Math.max(v, -10), 10)) / 2;
    const put = (old, value) => old.map((it, i) => (i === dragged ? half(value / SCALE) : it));
    const moved = { x: put(x, left - WIDTH / 2), y: put(y, HEIGHT / 2 - below) };
    if (moved.x.some((it) => it !== moved.x[0])) write(model, moved);
  });
  const standing = svg("svg", { viewBox: `0 0 ${WIDTH} ${TALL}`, role: "img" });
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
    drawing.setAttribute("aria-label", `${x.length} points and the line y = ${plain(withoutNoise(found.intercept))} ${found.slope < 0 ? "−" : "+"} ${plain(withoutNoise(Math.abs(found.slope)))} x`);
    standing.replaceChildren(...triangle(found));
    standing.setAttribute("aria-label", leaning(found));
    sums.replaceChildren(
      measured("slope", "slope", found.slope), measured("intercept", "intercept", found.intercept),
      measured("squares", "sum of squares", found.squares),
      measured("ones", "residual · ones", found.withOnes), measured("places", "residual · x", found.withX),
      fact("angle", "from residual to x", found.straight ? "no residual" : degrees(found.angle), found.angle));
    const said = tell(s, found);
    if (verdict.textContent !== said) verdict.textContent = said;
  }

  const hint = (said) => h("p", { class: "mw-hint" }, said);
  const first = h("div", {}, drawing, hint("Each square stands on what a point is off, measured along y. The ringed point is the one that moves: drag it or another, or use the sliders."));
  const second = h("div", {}, standing,
    hint("The same with a dimension for each point: y, less its mean, is one vector, always drawn equally long. The level line is the column of x, less its mean; on it lies the fit. The residual leads from the fit to the tip of y; drag a point far off, and it grows."),
    sums);
  el.append(h("div", { class: "mw-controls" }, ...[point, across, up, strength].map((it) => it.element)),
    h("div", { class: "mw-main" }, first, second), verdict);
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
  const slope = xy / xx;
  const intercept = my - slope * mx;
  const residuals = x.map((v, i) => y[i] - intercept - slope * v);
  const sum = (f) => residuals.reduce((total, r, i) => total + f(r, i), 0);
  const squares = sum((r) => r * r);
  // In the plane of x and y, both less their means: what y, fit and residual have along x, and what is beyond it.
  const long = Math.hypot(...x.map((v) => v - mx));
  const [along, fitted, length] = [xy / long, slope * long, Math.hypot(...y.map((v) => v - my))];
  const beyond = Math.hypot(...y.map((v, i) => v - my - (along / long) * (x[i] - mx)));
  const straight = squares < 1e-9;
  const angle = straight ? NaN : (Math.atan2(beyond, along - fitted) * 180) / Math.PI;
  return {
    slope, intercept, residuals, squares, withOnes: sum((r) => r), withX: sum((r, i) => r * x[i]),
    length, along, fitted, beyond, straight, angle,
  };
}

function tell(exponent, { straight, withX, slope }) {
  if (straight) return NO_RESIDUAL;
  if (exponent <= -3) return "The residual is at right angles to both columns, the ones and the x: no other line has smaller squares.";
  if (Math.abs(withX) < 1e-9) return "The slope is 0: ridge has nothing to shrink, and the right angle stays.";
  const [product, part] = [withX, slope].map((it) => bracketed(plain(withoutNoise(it))));
  return `Ridge has given up the right angle with x: residual · x is ${product}, ${plain(10 ** exponent, 3)} times the slope ${part}.`;
}

// What is seen

function measured(name, what, value) {
  return fact(name, what, plain(withoutNoise(value)), value);
}

function axes() {
  return svg("g", { "aria-hidden": "true" }, svg("line", { x1: 0, y1: HEIGHT / 2, x2: WIDTH, y2: HEIGHT / 2, class: "mw-axis" }),
    svg("line", { x1: WIDTH / 2, y1: 0, x2: WIDTH / 2, y2: HEIGHT, class: "mw-axis" }));
}

function leaning({ straight, angle }) {
  return straight ? NO_RESIDUAL : `The residual meets the column of x, less its mean, at ${degrees(angle)}.`;
}

function degrees(angle) {
  return `${plain(withoutNoise(angle))}°`;
}

function triangle({ length, along, fitted, beyond, straight, angle }) {
  const scale = length === 0 ? 0 : REACH / length;
  const at = (a, b) => ({ x: WIDTH / 2 + scale * a, y: GROUND - scale * b });
  const line = (from, to, kind) => svg("line", { x1: from.x, y1: from.y, x2: to.x, y2: to.y, class: kind });
  const [origin, tip, foot] = [at(0, 0), at(along, beyond), at(fitted, 0)];
  const side = Math.sign(fitted) * Math.min(12, 0.4 * scale * Math.min(beyond, Math.abs(fitted)));
  const corner = `M ${foot.x - side} ${foot.y} v ${-Math.abs(side)} h ${side}`;
  const right = !straight && Math.abs(angle - 90) < 1e-6;
  return [
    line({ x: 0, y: GROUND }, { x: WIDTH, y: GROUND }, "mw-axis"),
    ...(right ? [svg("path", { d: corner, class: "mw-right" })] : []),
    line(origin, tip, "mw-y"), line(origin, foot, "mw-fitted"), line(foot, tip, "mw-residual"),
    svg("text", { x: WIDTH - 8, y: GROUND + 18, "text-anchor": "end" }, "x"),
    ...(length === 0 ? [] : [svg("text", { x: tip.x + (along < 0 ? -8 : 8), y: tip.y - 6, "text-anchor": along < 0 ? "end" : "start" }, "y")]),
  ];
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
