// A 2 by 2 matrix, two unit vectors at right angles, and where the matrix sends them and their circle.

const STATE = ["entries", "angle"];
const SIZE = 320;
const PRESETS = {
  "two columns": [2, 1, 0, 1.5], shear: [1, 1, 0, 1], "quarter turn": [0, -1, 1, 0], symmetric: [2, 1, 1, 2], dependent: [1, 2, 0.5, 1],
};

function render({ model, el }) {
  frame(model, el, "ellipse");
  const names = [...Object.keys(PRESETS), "your own"];
  const preset = select("Matrix", names, (i) => { if (names[i] in PRESETS) write(model, { entries: [...PRESETS[names[i]]] }); });
  const inputs = [0, 1, 2, 3].map((k) => numberInput(`column ${(k % 2) + 1}, entry ${Math.floor(k / 2) + 1}`,
    { step: 0.5, min: -9, max: 9 },
    (x) => write(model, { entries: model.get("entries").map((old, i) => (i === k ? Math.min(Math.max(x, -9), 9) : old)) })));
  const angle = slider("Direction of v", {
    min: -90, max: 90, step: 0.5, text: (x) => `${minus(String(Math.round(10 * x) / 10))}°`, oninput: (x) => write(model, { angle: x }),
  });
  angle.input.step = "any"; // the button finds directions between two steps
  angle.input.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 0.5, ArrowUp: 0.5, ArrowLeft: -0.5, ArrowDown: -0.5 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    write(model, { angle: Math.min(Math.max(model.get("angle") + by, -90), 90) });
  });
  const button = h("button", { type: "button", onclick: () => write(model, { angle: rightAngle(model.get("entries"), model.get("angle")) }) },
    "Turn to right angles");
  const drawn = svg("g");
  const drawing = svg("svg", { viewBox: `0 0 ${2 * SIZE} ${SIZE}`, role: "img" }, drawn);
  const sums = h("ul", { class: "mw-sums" });
  const verdict = h("p", { class: "mw-verdict", role: "status" });

  function draw() {
    const [entries, degrees] = STATE.map((name) => model.get(name));
    const known = names.findIndex((name) => PRESETS[name]?.every((x, i) => x === entries[i]));
    preset.set(known < 0 ? names.length - 1 : known);
    inputs.forEach((input, i) => input.set(entries[i]));
    angle.set(degrees);
    const found = compute(entries, degrees);
    const gone = found.s[0] === 0;
    drawn.replaceChildren(...picture(entries, found));
    drawing.setAttribute("aria-label", `Left the unit circle with v and w, right the ellipse with their images, ${found.between.toFixed(1)} degrees apart`);
    sums.replaceChildren(
      measured("first", "length of Av", found.lengths[0]), measured("second", "length of Aw", found.lengths[1]),
      fact("between", "degrees between them", gone ? "none" : plain(withoutNoise(found.between)), found.between),
      measured("longer", "longer half axis", found.s[0]), measured("shorter", "shorter half axis", found.s[1]));
    const said = gone ? "Both images are zero, and so are the singular values."
      : Math.abs(found.between - 90) < 0.05 ? "The images are at right angles: their lengths are the singular values."
        : "The images are not at right angles.";
    if (verdict.textContent !== said) verdict.textContent = said;
  }

  const rows = [0, 2].map((i) => h("tr", {}, ...[i, i + 1].map((k) => h("td", {}, inputs[k].element))));
  const table = h("table", { class: "mw-matrix" }, h("caption", {}, "A"), h("tbody", {}, ...rows));
  const key = h("p", { class: "mw-hint" }, "Blue with a dot: v and Av. Orange with a square: w and Aw.");
  el.append(h("div", { class: "mw-controls" }, preset.element, table, angle.element, button), drawing, key, sums, verdict);
  draw();
  return listen(model, STATE, draw);
}

// What is computed

function compute([a, b, c, d], degrees) {
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  const pair = [[cos, sin], [-sin, cos]];
  const images = pair.map(([x, y]) => [a * x + b * y, c * x + d * y]);
  const lengths = images.map((it) => Math.hypot(...it));
  const [[x, y], [p, q]] = images;
  const between = Math.min(...lengths) < 1e-12 ? 90 : Math.abs((Math.atan2(x * q - y * p, x * p + y * q) * 180) / Math.PI);
  // A rotation with a stretch, plus a reflection with a stretch: where they agree is the long axis.
  const [turned, mirrored] = [Math.hypot(a + d, c - b) / 2, Math.hypot(a - d, b + c) / 2];
  return { pair, images, lengths, between, s: [turned + mirrored, Math.abs(turned - mirrored)] };
}

function rightAngle(entries, degrees) {
  // One rotation of Jacobi, by the smaller of the two angles.
  const { images, lengths } = compute(entries, degrees);
  const gamma = images[0][0] * images[1][0] + images[0][1] * images[1][1];
  if (gamma === 0) return degrees;
  const zeta = (lengths[1] ** 2 - lengths[0] ** 2) / (2 * gamma);
  const t = (zeta < 0 ? -1 : 1) / (Math.abs(zeta) + Math.hypot(1, zeta));
  const found = degrees - (Math.atan(t) * 180) / Math.PI;
  return found > 90 ? found - 180 : found < -90 ? found + 180 : found;
}

// What is seen

function measured(name, what, value) {
  return fact(name, what, plain(withoutNoise(value)), value);
}

function picture([a, b, c, d], { pair, images, s }) {
  const scale = SIZE / 2 / Math.max(1.3, 1.15 * s[0]);
  const circle = Array.from({ length: 73 }, (_, i) => [Math.cos((i * Math.PI) / 36), Math.sin((i * Math.PI) / 36)]);
  const ellipse = circle.map(([x, y]) => [a * x + b * y, c * x + d * y]);
  return [[0, circle, pair], [SIZE, ellipse, images]].flatMap(([left, outline, tips]) => {
    const [x0, y0] = [left + SIZE / 2, SIZE / 2];
    const at = ([x, y]) => [x0 + scale * x, y0 - scale * y];
    return [
      svg("path", { class: "mw-axis", d: `M${left + 8} ${y0}H${left + SIZE - 8}M${x0} 8V${SIZE - 8}` }),
      svg("polygon", { class: "mw-outline", points: outline.map((it) => at(it).join()).join(" ") }),
      ...tips.flatMap((tip, i) => {
        const [x, y] = at(tip);
        const kind = ["mw-v", "mw-w"][i];
        return [svg("path", { class: kind, d: `M${x0} ${y0}L${x} ${y}` }),
          i ? svg("rect", { class: `${kind}-tip`, x: x - 5, y: y - 5, width: 10, height: 10 }) : svg("circle", { class: `${kind}-tip`, cx: x, cy: y, r: 5 })];
      }),
    ];
  });
}

export default { render };
