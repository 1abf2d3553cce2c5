// A 2 by 2 matrix, a vector of the plane and its image, and power iteration step by step.

const STATE = ["entries", "angle", "step"];
const SIZE = 360;
const REACH = 3.6;
const PRESETS = {
  "two stretches": [2, 1, 1, 2], shear: [1, 1, 0, 1], "quarter turn": [0, -1, 1, 0], mirror: [1, 0, 0, -1], projection: [0.5, 0.5, 0.5, 0.5],
};

function render({ model, el }) {
  frame(model, el, "eigen");
  const names = [...Object.keys(PRESETS), "your own"];
  const preset = select("Matrix", names, (i) => { if (names[i] in PRESETS) write(model, { entries: [...PRESETS[names[i]]], step: 0 }); });
  const inputs = [0, 1, 2, 3].map((k) => numberInput(`row ${Math.floor(k / 2) + 1}, column ${(k % 2) + 1}`,
    { step: 0.5, min: -9, max: 9 },
    (x) => write(model, { entries: model.get("entries").map((old, i) => (i === k ? Math.min(Math.max(x, -9), 9) : old)) })));
  const angle = slider("Direction of the start", {
    min: -180, max: 180, step: 1, text: (x) => `${minus(String(x))}°`, oninput: (x) => write(model, { angle: x }),
  });
  const step = slider("Steps of power iteration", { min: 0, max: 20, step: 1, text: String, oninput: (k) => write(model, { step: k }) });
  const drawn = svg("g");
  const drawing = svg("svg", { viewBox: `0 0 ${SIZE} ${SIZE}`, role: "img" }, axes(), drawn);
  const sums = h("ul", { class: "mw-sums" });
  const verdict = h("p", { class: "mw-verdict", role: "status" });

  function draw() {
    const [entries, degrees, steps] = STATE.map((name) => model.get(name));
    const known = names.findIndex((name) => PRESETS[name]?.every((x, i) => x === entries[i]));
    preset.set(known < 0 ? names.length - 1 : known);
    inputs.forEach((input, i) => input.set(entries[i]));
    angle.set(degrees);
    step.set(steps);
    const found = iterate(entries, degrees, steps);
    drawn.replaceChildren(...picture(found));
    drawing.setAttribute("aria-label", `The vector v, blue, and its image A v, orange, ${found.turned.toFixed(1)} degrees apart`);
    sums.replaceChildren(
      fact("estimate", "estimate of the eigenvalue, v · Av", plain(withoutNoise(found.estimate)), found.estimate),
      fact("turned", "angle from v to Av", isZero(found.av) ? "none" : `${found.turned.toFixed(1)}°`, found.turned),
      fact("residual", "length of Av − (v · Av) v", plain(withoutNoise(found.residual)), found.residual));
    const said = tell(found);
    if (verdict.textContent !== said) verdict.textContent = said;
  }

  const rows = [0, 2].map((i) => h("tr", {}, ...[i, i + 1].map((k) => h("td", {}, inputs[k].element))));
  const table = h("table", { class: "mw-matrix" }, h("caption", {}, "A"), h("tbody", {}, ...rows));
  const controls = h("div", { class: "mw-controls" }, preset.element, table, angle.element, step.element);
  const key = h("p", { class: "mw-hint" }, "Blue with a dot: v. Orange with a square: Av. Pale: v in the steps before.");
  el.append(h("div", { class: "mw-main" }, h("div", {}, drawing, key), h("div", {}, controls, sums, verdict)));
  draw();
  return listen(model, STATE, draw);
}

// What is computed

function iterate([a, b, c, d], degrees, steps) {
  const image = ([x, y]) => [a * x + b * y, c * x + d * y];
  const radians = (degrees * Math.PI) / 180;
  const start = [Math.cos(radians), Math.sin(radians)].map((x) => Math.round(x * 1e12)); // at 45 degrees, both are alike
  let v = start.map((x) => x / Math.hypot(...start));
  const before = [];
  for (let k = 0; k < steps; k++) {
    const next = image(v);
    const length = Math.hypot(...next);
    if (length === 0) break; // what goes to zero has no direction
    before.push(v);
    v = next.map((x) => x / length);
  }
  const av = image(v);
  const estimate = v[0] * av[0] + v[1] * av[1];
  const residual = Math.hypot(av[0] - estimate * v[0], av[1] - estimate * v[1]);
  const turned = Math.abs((Math.atan2(v[0] * av[1] - v[1] * av[0], estimate) * 180) / Math.PI);
  return { v, av, before, estimate, residual, turned };
}

function isZero(image) {
  return Math.hypot(...image) < 1e-9;
}

function tell({ av, turned }) {
  if (isZero(av)) return "The image is zero: v is an eigenvector of the eigenvalue 0.";
  if (turned < 0.05) return "The image is parallel to v: an eigenvector.";
  if (turned > 179.95) return "The image is parallel to v and points the other way: an eigenvector of a negative eigenvalue.";
  return "The image points elsewhere: no eigenvector.";
}

// What is seen

function axes() {
  const half = SIZE / 2;
  return svg("g", { "aria-hidden": "true" }, svg("line", { x1: 0, y1: half, x2: SIZE, y2: half, class: "mw-axis" }),
    svg("line", { x1: half, y1: 0, x2: half, y2: SIZE, class: "mw-axis" }));
}

function picture({ v, av, before }) {
  const half = SIZE / 2;
  const scale = half / Math.max(REACH, 1.1 * Math.hypot(...av));
  const at = ([x, y]) => [half + scale * x, half - scale * y];
  const line = (to, kind) => {
    const [x2, y2] = at(to);
    return svg("line", { x1: half, y1: half, x2, y2, class: kind });
  };
  const [vx, vy] = at(v);
  const [ax, ay] = at(av);
  return [
    svg("circle", { cx: half, cy: half, r: scale, class: "mw-circle" }),
    ...before.map((each) => line(each, "mw-before")),
    line(av, "mw-image"), svg("rect", { x: ax - 5, y: ay - 5, width: 10, height: 10, class: "mw-image-tip" }),
    line(v, "mw-now"), svg("circle", { cx: vx, cy: vy, r: 5, class: "mw-now-tip" }),
  ];
}

export default { render };
