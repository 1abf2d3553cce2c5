// A cloud of points in the plane on its way to white, and the rotation that parts one whitening from another.

const STATE = ["kind", "eps", "way", "turn"];
const SIZE = 420;
const KINDS = { pca: "PCA", zca: "ZCA", cholesky: "Cholesky" };

function render({ model, el }) {
  frame(model, el, "cloud");
  const cloud = prepare(model.get("x"), model.get("axis"));
  const kinds = Object.keys(KINDS);
  const kind = select("Whitening", Object.values(KINDS), (i) => write(model, { kind: kinds[i] }));
  const way = slider("From raw to white", {
    min: 0, max: 1, step: 0.01, text: (x) => `${Math.round(100 * x)} %`, oninput: (x) => write(model, { way: x }),
  });
  const turn = slider("Turned further", {
    min: -180, max: 180, step: 1, text: (x) => `${minus(String(Math.round(10 * x) / 10))}°`, oninput: (x) => write(model, { turn: x }),
  });
  const eps = slider("ε", { min: 0, max: 24, step: 1, text: (x) => plain(x, 3), oninput: (k) => write(model, { eps: added(k) }) });
  const drawn = svg("g");
  const drawing = svg("svg", { viewBox: `0 0 ${SIZE} ${SIZE}`, role: "img" }, drawn);
  const sums = h("ul", { class: "mw-sums" });
  const verdict = h("p", { class: "mw-verdict", role: "status" });
  const marks = model.get("group_names").map((name, i) => h("li", {}, svg("svg", { viewBox: "-6 -6 12 12", "aria-hidden": "true" }, mark(0, 0, i)), name));
  const key = h("p", { class: "mw-hint" },
    "Ellipse: one standard deviation in every direction. Dashed: the unit circle. Rays: where the features point.");

  function draw() {
    const [name, smoothing, part, degrees] = STATE.map((it) => model.get(it));
    kind.set(kinds.indexOf(name));
    way.set(part);
    turn.set(degrees);
    eps.set(smoothing > 0 ? Math.min(Math.max(Math.round(4 * Math.log10(smoothing) + 17), 1), 24) : 0, smoothing);
    const found = compute(cloud, name, smoothing, part, degrees);
    drawn.replaceChildren(...picture(cloud, found, model.get("groups"), model.get("features")));
    const [[a, b], [, d]] = found.covariance;
    const [across, both, upwards] = [a, b, d].map((it) => plain(withoutNoise(it), 3));
    drawing.setAttribute("aria-label", `The cloud, with variances ${across} and ${upwards} and covariance ${both}`);
    sums.replaceChildren(
      measured("first", "variance across", a), measured("both", "covariance", b), measured("second", "variance upwards", d),
      measured("distance", "distance from the raw points", found.distance, 6),  // flat around its least
      ...kinds.map((it) => measured(it, `degrees from ${KINDS[it]}`, found.parted[it])));
    const said = verdictOn(found);
    if (verdict.textContent !== said) verdict.textContent = said;
  }

  el.append(
    h("div", { class: "mw-controls" }, kind.element, way.element, turn.element, eps.element),
    h("div", { class: "mw-main" }, h("div", {}, drawing, h("ul", { class: "mw-marks" }, ...marks)), h("div", {}, verdict, sums, key)));
  draw();
  return listen(model, STATE, draw);
}

// What is computed

function added(position) {
  return position === 0 ? 0 : 10 ** ((position - 17) / 4);
}

function prepare(x, axis) {
  const mean = [0, 1].map((j) => x.reduce((sum, it) => sum + it[j], 0) / x.length);
  const centered = x.map((it) => it.map((value, j) => value - mean[j]));
  const sigma = [0, 1].map((i) => [0, 1].map((j) => centered.reduce((sum, it) => sum + it[i] * it[j], 0) / x.length));
  const [half, middle] = [Math.hypot((sigma[0][0] - sigma[1][1]) / 2, sigma[0][1]), (sigma[0][0] + sigma[1][1]) / 2];
  // The determinant divided by the larger one: their difference would cancel.
  const variances = [middle + half, (sigma[0][0] * sigma[1][1] - sigma[0][1] ** 2) / (middle + half)];
  const radians = Math.atan2(2 * sigma[0][1], sigma[0][0] - sigma[1][1]) / 2;
  const [c, s] = [Math.cos(radians), Math.sin(radians)];
  const reach = Math.max(...centered.flatMap(([p, q]) => [Math.hypot(p, q),
    Math.hypot((c * p + s * q) / Math.sqrt(variances[0]), (c * q - s * p) / Math.sqrt(variances[1]))]));
  return { centered, sigma, variances, c, s, axis, reach: 1.08 * reach };
}

function power({ variances, c, s }, eps, exponent) {
  // A power of the covariance with eps on its diagonal, by its eigenvectors (c, s) and (-s, c).
  const [p, q] = variances.map((it) => (it + eps) ** exponent);
  return [[c * c * p + s * s * q, c * s * (p - q)], [c * s * (p - q), s * s * p + c * c * q]];
}

function choleskyAngle(cloud, eps) {
  // The root of Σ + ε, turned until its inverse is upper triangular.
  const [[, b], [, d]] = power(cloud, eps, -0.5);
  return (Math.atan2(b, d) * 180) / Math.PI;
}

function compute(cloud, kind, eps, way, turn) {
  const angles = { pca: -cloud.axis, zca: 0, cholesky: choleskyAngle(cloud, eps) };
  const degrees = way * angles[kind] + turn;
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  const matrix = times(power(cloud, eps, -way / 2), [[cos, sin], [-sin, cos]]);
  const transposed = [[matrix[0][0], matrix[1][0]], [matrix[0][1], matrix[1][1]]];
  const points = cloud.centered.map((it) => times([it], matrix)[0]);
  const squares = points.reduce((sum, [p, q], i) => sum + (p - cloud.centered[i][0]) ** 2 + (q - cloud.centered[i][1]) ** 2, 0);
  return {
    matrix, points, covariance: times(transposed, times(cloud.sigma, matrix)), distance: Math.sqrt(squares / points.length),
    parted: Object.fromEntries(Object.entries(angles).map(([name, it]) => [name, folded(degrees - it, name === "pca" ? 180 : 360)])),
  };
}

function folded(degrees, period) {
  return degrees - period * Math.ceil(Math.round((degrees / period - 0.5) * 1e12) / 1e12);
}

function times(a, b) {
  return a.map((row) => b[0].map((_, j) => row.reduce((sum, value, k) => sum + value * b[k][j], 0)));
}

// What is seen

function verdictOn({ covariance: [[a, b], [, d]], parted }) {
  if (Math.max(Math.abs(a - 1), Math.abs(b), Math.abs(d - 1)) > 0.005) return "Not white: the ellipse is not the unit circle.";
  const near = Object.keys(KINDS).filter((name) => Math.abs(parted[name]) <= 0.5).map((name) => KINDS[name]);
  // The slider turns by whole degrees: half of one is as near as it comes.
  return near.length ? `White, and the ${near.join(" and the ")} whitening, to half a degree.` : "White, but none of the three: another rotation.";
}

function measured(name, what, value, digits = 4) {
  return fact(name, what, plain(withoutNoise(value), digits), value);
}

function mark(x, y, group) {
  const looks = { class: `mw-group${group}` };
  if (group === 0) return svg("circle", { ...looks, cx: x, cy: y, r: 3.4 });
  if (group === 1) return svg("path", { ...looks, d: `M${x - 3.8} ${y + 3.2}h7.6l-3.8 -7z` });
  return svg("rect", { ...looks, x: x - 3, y: y - 3, width: 6, height: 6 });
}

// Which way a name goes from the end of its ray: so that it hides as few points as can be, and towards the middle at best.
function free(left, below, name, places) {
  const width = 8.5 * name.length;
  const hidden = (from) => places.filter(([x, y]) => x > from - 4 && x < from + width + 4 && y > below - 16 && y < below + 4).length;
  const starts = { start: left, middle: left - width / 2, end: left - width };
  const best = left > 1.5 * (SIZE / 2) ? "end" : left < 0.5 * (SIZE / 2) ? "start" : "middle";
  return [best, "middle", "start", "end"].filter((it) => starts[it] >= 0 && starts[it] + width <= SIZE)
    .reduce((a, b) => (hidden(starts[b]) < hidden(starts[a]) ? b : a), best);
}

function picture({ reach, variances, c, s }, { matrix, points }, groups, features) {
  const half = SIZE / 2;
  const scale = half / reach;
  const at = ([x, y]) => [half + scale * x, half - scale * y];
  const circle = Array.from({ length: 73 }, (_, i) => [Math.cos((i * Math.PI) / 36), Math.sin((i * Math.PI) / 36)]);
  const [long, short] = variances.map(Math.sqrt);
  const ellipse = times(circle.map(([p, q]) => [c * long * p - s * short * q, s * long * p + c * short * q]), matrix);
  const line = (points) => points.map((it) => at(it).join()).join(" ");
  return [
    svg("path", { class: "mw-axis", d: `M0 ${half}H${SIZE}M${half} 0V${SIZE}` }),
    ...points.map((it, i) => mark(...at(it), groups[i])),
    svg("polygon", { class: "mw-unit", points: line(circle) }),
    svg("polygon", { class: "mw-spread", points: line(ellipse) }),
    ...matrix.flatMap(([x, y], i) => {
      const length = Math.hypot(x, y);
      const [p, q] = [(0.72 * half * x) / length, (0.72 * half * y) / length];
      const [left, below] = [half + p, half - q + (q < 0 ? 18 : -7)];
      return [svg("path", { class: "mw-ray", d: `M${half} ${half}l${p} ${-q}` }),
        svg("text", { x: left, y: below, "text-anchor": free(left, below, features[i], points.map(at)) }, features[i])];
    }),
  ];
}

export default { render };
