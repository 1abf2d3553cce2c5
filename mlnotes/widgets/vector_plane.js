// Two or three vectors that start at the origin. All numbers follow from their coordinates.

const SIZE = 440; // of the drawing, in its own units
const [SNAP, STEP] = [0.5, 0.1];
const TRAITS = ["a", "b", "c"];

function render({ model, el }) {
  frame(model, el, "plane");
  const names = model.get("names");
  const limit = model.get("limit");
  const free = names.map((name) => !model.get("fixed").includes(name));
  const at = (x, y) => [SIZE / 2 + (x / limit) * (SIZE / 2 - 16), SIZE / 2 - (y / limit) * (SIZE / 2 - 16)];
  const vector = (i) => model.get(TRAITS[i]);

  function move(i, x, y) {
    const step = model.get("snap") ? SNAP : 0.01;
    // Multiples of a step, divided back, so that 0.1 + 0.2 is shown and stored as 0.3.
    const tidy = (value) => Math.round(Math.round(Math.min(Math.max(value, -limit), limit) / step) * step * 100) / 100 + 0;
    write(model, { [TRAITS[i]]: [tidy(x), tidy(y)] });
  }

  const back = svg("g");
  const handles = names.map((name, i) => handle(name, i, free[i], { move, vector, limit, model }));
  const plane = { viewBox: `0 0 ${SIZE} ${SIZE}`, role: "group", "aria-label": `Plane with the vectors ${names.join(", ")}` };
  const drawing = svg("svg", plane, grid(limit, at), back, ...handles.map((each) => each.element));
  const inputs = names.map((name, i) => coordinates(name, i, free[i], { move, vector, limit }));
  const snapNow = (on) => {
    write(model, { snap: on });
    free.forEach((isFree, i) => { if (on && isFree) move(i, ...vector(i)); });
  };
  const toggles = [
    [checkbox(`Projection onto ${names[0]}`, (on) => write(model, { show_projection: on })), "show_projection"],
    [checkbox(`Where ${names[0]}·v > 0`, (on) => write(model, { show_half_plane: on })), "show_half_plane"],
    [checkbox(`Snap to steps of ${SNAP}`, snapNow), "snap"],
  ];
  const readout = h("div", { class: "mw-pairs" });

  function draw() {
    const vectors = names.map((_, i) => vector(i));
    toggles.forEach(([toggle, trait]) => toggle.set(model.get(trait)));
    inputs.forEach((input) => input.set());
    handles.forEach((each, i) => each.set(at(...vectors[i])));
    const step = model.get("snap") ? SNAP : STEP;
    hint.textContent = `Drag a tip, or focus it and use the arrow keys: ${step} a step, 1 with Shift.`;
    back.replaceChildren(...picture(names, vectors, at, limit, model));
    readout.replaceChildren(...vectors.slice(1).map((v, i) => pair(names[0], vectors[0], names[i + 1], v, model.get("show_projection"))));
  }

  const hint = h("p", { class: "mw-hint" });
  const controls = h("div", { class: "mw-controls" }, ...[...inputs, ...toggles.map(([toggle]) => toggle)].map((it) => it.element));
  el.append(h("div", { class: "mw-main" }, h("div", {}, drawing, hint), h("div", { class: "mw-side" }, controls, readout)));
  draw();
  return listenNow(model, [...TRAITS, ...toggles.map(([, trait]) => trait)], draw);
}

// What is moved

function handle(name, i, isFree, { move, vector, limit, model }) {
  // A shape for each vector, so that colour is not needed to tell them apart.
  const square = { x: -6.5, y: -6.5, width: 13, height: 13 };
  const shape = [svg("circle", { r: 7 }), svg("rect", square), svg("path", { d: "M0 -9L9 0L0 9L-9 0Z" })][i];
  const element = svg("g", { class: `mw-handle mw-v${i}` }, svg("circle", { r: 16, class: "mw-hit" }), shape);
  if (!isFree) return { element, set: ([x, y]) => element.setAttribute("transform", `translate(${x} ${y})`) };
  fill(element, { tabindex: 0, role: "slider", "aria-label": `Tip of ${name}`, "aria-valuemin": -limit, "aria-valuemax": limit }, []);
  const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
  element.addEventListener("keydown", (event) => {
    const way = arrows[event.key];
    if (!way) return;
    event.preventDefault();
    const step = event.shiftKey ? 1 : model.get("snap") ? SNAP : STEP;
    move(i, vector(i)[0] + step * way[0], vector(i)[1] + step * way[1]);
  });
  element.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false }); // a <g> has no touch-action
  element.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    element.focus();
    element.setPointerCapture(event.pointerId);
  });
  element.addEventListener("pointermove", (event) => {
    if (!element.hasPointerCapture(event.pointerId)) return;
    const { x, y } = placeOf(event, element.ownerSVGElement);
    const unit = limit / (SIZE / 2 - 16);
    // Tenths, as with the keyboard: every digit on screen is exact.
    move(i, Math.round((x - SIZE / 2) * unit * 10) / 10, Math.round((SIZE / 2 - y) * unit * 10) / 10);
  });
  const set = ([x, y]) => {
    const [vx, vy] = vector(i);
    element.setAttribute("transform", `translate(${x} ${y})`);
    element.setAttribute("aria-valuenow", vx);
    element.setAttribute("aria-valuetext", `x ${vx}, y ${vy}`);
  };
  return { element, set };
}

function coordinates(name, i, isFree, { move, vector, limit }) {
  const options = { min: -limit, max: limit, step: 0.1, disabled: !isFree };
  const x = numberInput(`${name}, x`, options, (value) => move(i, value, vector(i)[1]));
  const y = numberInput(`${name}, y`, options, (value) => move(i, vector(i)[0], value));
  const set = () => { x.set(vector(i)[0]); y.set(vector(i)[1]); };
  return { element: h("span", { class: `mw-vector mw-v${i}` }, h("b", {}, name), " = (", x.element, ", ", y.element, ")"), set };
}

// What is computed

function relation(a, b) {
  const [lengthA, lengthB] = [Math.hypot(...a), Math.hypot(...b)];
  // 3 × (−0.1) + 0.3 is −5.6e−17 for a computer, and a right angle for a reader.
  const dot = withoutNoise(a[0] * b[0] + a[1] * b[1]);
  const across = withoutNoise(a[0] * b[1] - a[1] * b[0]); // zero where both lie along one line
  const share = dot / (a[0] * a[0] + a[1] * a[1]); // nan where a is zero
  const projection = a.map((x) => withoutNoise(share * x));
  return {
    dot, across, lengthA, lengthB, share, projection,
    cosine: Math.min(Math.max(dot / lengthA / lengthB, -1), 1),
    // The arc tangent keeps its digits near 0° and 180°, where the arc cosine loses them.
    degrees: lengthA && lengthB ? (Math.atan2(Math.abs(across), dot) * 180) / Math.PI : NaN,
    residual: b.map((x, axis) => withoutNoise(x - projection[axis])),
  };
}

function pair(nameA, a, nameB, b, projected) {
  const r = relation(a, b);
  const [one, point] = [(x) => bracketed(plain(x)), (v) => `(${plain(v[0])}, ${plain(v[1])})`];
  const squares = (v) => `√(${one(v[0])}² + ${one(v[1])}²)`;
  const [sign, words] = r.dot > 0 ? ["+", r.across ? "positive: the angle is acute" : "positive: both point the same way"]
    : r.dot < 0 ? ["−", r.across ? "negative: the angle is obtuse" : "negative: they point opposite ways"]
    : ["0", r.lengthA && r.lengthB ? "zero: a right angle" : "zero: one of them is the zero vector"];
  const directed = r.lengthA && r.lengthB;
  const lines = [
    ["dot", `${nameA}·${nameB}`, `${one(a[0])} × ${one(b[0])} + ${one(a[1])} × ${one(b[1])}`, r.dot, plain(r.dot)],
    ["length-a", `‖${nameA}‖`, squares(a), r.lengthA, plain(r.lengthA)],
    ["length-b", `‖${nameB}‖`, squares(b), r.lengthB, plain(r.lengthB)],
    directed && ["cosine", "cos θ", `${one(r.dot)} / (${plain(r.lengthA)} × ${plain(r.lengthB)})`, r.cosine, plain(r.cosine)],
    directed && ["degrees", "angle θ", "", r.degrees, `${r.degrees.toFixed(2)}°`],
    projected && r.lengthA && ["projection", `${nameB} onto ${nameA}`, `${one(r.dot)} / ${plain(r.lengthA ** 2)} × ${nameA} = ${plain(r.share)} ${nameA}`,
      r.projection, point(r.projection)],
    projected && r.lengthA && ["residual", "what is left", `${nameB} − projection`, r.residual, point(r.residual)],
    !directed && ["none", "angle θ", "", null, "none, the zero vector has no direction"],
  ].filter(Boolean);
  return h("section", { "aria-label": `${nameA} and ${nameB}` },
    h("p", { class: "mw-sign" }, h("span", { class: "mw-badge", "aria-hidden": "true" }, sign), ` ${nameA}·${nameB} is ${words}`),
    h("ul", {}, ...lines.map(([name, what, formula, value, shown]) => h("li", { "data-name": name, "data-value": JSON.stringify(value) },
      h("span", { class: "mw-what" }, what),
      h("span", {}, h("span", { class: "mw-formula" }, formula && `= ${formula} `), h("b", {}, value === null ? shown : `= ${shown}`))))));
}

// What is drawn

function grid(limit, at) {
  const lines = [];
  for (let i = -Math.floor(limit); i <= limit; i++) {
    const [[x0, y0], [x1, y1]] = [at(-limit, i), at(limit, i)];
    const kind = i === 0 ? "mw-axis" : "mw-gridline";
    lines.push(
      svg("line", { x1: x0, y1: y0, x2: x1, y2: y1, class: kind }),
      svg("line", { x1: y0, y1: x0, x2: y1, y2: x1, class: kind }));
    if (i === 0 || (limit > 8 && i % 5)) continue;
    const tick = (x, y, anchor) => svg("text", { x, y, class: "mw-tick", "text-anchor": anchor }, minus(String(i)));
    lines.push(tick(at(i, 0)[0], at(0, 0)[1] + 13, "middle"), tick(at(0, 0)[0] - 5, at(0, i)[1] + 4, "end"));
  }
  return svg("g", { "aria-hidden": "true" }, ...lines);
}

function picture(names, vectors, at, limit, model) {
  const [a, ...others] = vectors;
  const long = Math.hypot(...a);
  const parts = [];
  const line = (from, to, kind) => {
    const [[x1, y1], [x2, y2]] = [at(...from), at(...to)];
    parts.push(svg("line", { x1, y1, x2, y2, class: kind }));
  };
  const unit = a.map((x) => x / long);
  const across = [-unit[1], unit[0]];
  if (long && model.get("show_half_plane")) parts.push(...halfPlane(unit, across, at, limit, names[0]));
  if (long && model.get("show_projection")) {
    line(unit.map((x) => -2 * limit * x), unit.map((x) => 2 * limit * x), "mw-span");
    others.forEach((b, i) => {
      const { projection, share, residual } = relation(a, b);
      line([0, 0], projection, `mw-projection mw-v${i + 1} ${share < 0 ? "mw-against" : ""}`);
      line(projection, b, `mw-residual mw-v${i + 1}`);
      const rest = Math.hypot(...residual);
      if (rest < 0.3 || Math.abs(share) * long < 0.3) return; // no room for the mark of a right angle
      parts.push(corner(projection, unit.map((x) => -Math.sign(share) * x), residual.map((x) => x / rest), at));
    });
  }
  others.forEach((b, i) => parts.push(...angle(a, b, at, 0.55 + 0.3 * i, i + 1)));
  vectors.forEach((v, i) => {
    line([0, 0], v, `mw-arrow mw-v${i}`);
    // The name stands a little beyond the tip, or short of it where that is outside.
    const little = (0.1 * limit) / (Math.hypot(...v) || 1);
    const isInside = v.every((x) => Math.abs(x) * (1 + little) <= limit);
    const [x, y] = at(...v.map((x) => x * (isInside ? 1 + little : 1 - little)));
    parts.push(svg("text", { x, y: y + 5, class: `mw-name mw-v${i}`, "text-anchor": "middle" }, names[i]));
  });
  return parts;
}

function corner(foot, along, up, at, size = 0.22) {
  const to = (s, t) => at(foot[0] + size * (s * along[0] + t * up[0]), foot[1] + size * (s * along[1] + t * up[1])).join(" ");
  return svg("path", { d: `M${to(1, 0)} L${to(1, 1)} L${to(0, 1)}`, class: "mw-mark" });
}

function angle(a, b, at, radius, i) {
  const { dot, across, degrees, lengthA, lengthB } = relation(a, b);
  if (Number.isNaN(degrees) || degrees === 0) return [];
  if (dot === 0) return [corner([0, 0], a.map((x) => x / lengthA), b.map((x) => x / lengthB), at, 0.35)];
  const start = Math.atan2(a[1], a[0]);
  const turn = ((degrees * Math.PI) / 180) * (Math.sign(across) || 1);
  const points = Array.from({ length: 25 }, (_, s) => start + (turn * s) / 24)
    .map((angle) => at(radius * Math.cos(angle), radius * Math.sin(angle)).join(" "));
  return [svg("path", { d: `M${points.join(" L")}`, class: `mw-angle mw-v${i} ${dot < 0 ? "mw-against" : ""}` })];
}

function halfPlane(unit, across, at, limit, name) {
  const far = (s, t) => [0, 1].map((axis) => 3 * limit * (s * across[axis] + t * unit[axis]));
  const corners = [far(-1, 0), far(1, 0), far(1, 1), far(-1, 1)].map((p) => at(...p).join(","));
  const id = `mw-${++ids}`;
  const [[x1, y1], [x2, y2]] = [at(...far(-1, 0)), at(...far(1, 0))];
  const [tx, ty] = at(...unit.map((x, axis) => limit * (0.3 * x + 0.65 * across[axis])));
  const tile = { id, width: 9, height: 9, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" };
  return [
    svg("pattern", tile, svg("line", { x1: 0, y1: 0, x2: 0, y2: 9, class: "mw-hatch" })),
    svg("polygon", { points: corners.join(" "), fill: `url(#${id})` }),
    svg("line", { x1, y1, x2, y2, class: "mw-border" }),
    svg("text", { x: tx, y: ty, class: "mw-side-name", "text-anchor": "middle" }, `${name}·v > 0`),
  ];
}

export default { render };
