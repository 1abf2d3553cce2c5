// A picture that is moved before a function, or whose result is moved after it: both ways, and their difference.

const STATE = ["pixels", "order", "action", "times", "function"];
const ACTIONS = ["shift right", "shift down", "quarter turn", "mirror", "pixels in another order"];
const FUNCTIONS = {
  "blur, wrapped around": { range: [0, 16], apply: (x) => blur(x, true) },
  "blur, zeros outside": { range: [0, 16], apply: (x) => blur(x, false) },
  "slope, wrapped around": { range: [-16, 16], apply: (x) => fromEach(x.length, (i, j) => at(x, i, j + 1) - at(x, i, j - 1)) },
  "square of each pixel": { range: [0, 256], apply: (x) => fromEach(x.length, (i, j) => x[i][j] ** 2) },
  "largest of each 2 × 2": { range: [0, 16], apply: (x) => fromEach(x.length / 2, (i, j) => Math.max(...[0, 1].flatMap((r) => x[2 * i + r].slice(2 * j, 2 * j + 2)))) },
  "position added": { range: [0, 32], apply: (x) => fromEach(x.length, (i, j) => x[i][j] + (16 * j) / x.length) },
  "mean of all pixels": { range: [0, 16], apply: (x) => [[x.flat().reduce((a, b) => a + b, 0) / x.length ** 2]] },
};
const [PANEL, STEP, TOP] = [130, 190, 26];
const SMALLEST = 1e-9; // difference that is not rounding

function render({ model, el }) {
  frame(model, el, "square");
  const names = Object.keys(FUNCTIONS);
  const action = select("g:", ACTIONS, (i) => write(model, { action: ACTIONS[i] }));
  const times = slider("how often", { min: 0, max: 8, step: 1, text: (k) => (k === 1 ? "once" : `${k} times`), oninput: (k) => write(model, { times: k }) });
  const chosen = select("f:", names, (i) => write(model, { function: names[i] }));
  const drawing = svg("svg", { viewBox: `0 0 ${2 * STEP + PANEL + 2} ${STEP + PANEL + TOP + 2}`, role: "img" });
  const sums = h("ul", { class: "mw-sums" });
  const verdict = h("p", { class: "mw-verdict", role: "status" });

  function draw() {
    const [pixels, order, act, k, name] = STATE.map((it) => model.get(it));
    action.set(ACTIONS.indexOf(act));
    times.set(k);
    chosen.set(names.indexOf(name));
    const { range, apply } = FUNCTIONS[name];
    const n = Math.sqrt(pixels.length);
    const x = fromEach(n, (i, j) => pixels[n * i + j]);
    const fx = apply(x);
    const gx = moved(x, act, k, order);
    const halves = fx.length < n;
    const gfx = halves && act === ACTIONS[4] ? fx : moved(fx, act, halves && act.startsWith("shift") ? Math.floor(k / 2) : k, order);
    const fgx = apply(gx);
    const difference = fromEach(fx.length, (i, j) => Math.abs(fgx[i][j] - gfx[i][j]));
    const largest = Math.max(1, ...fgx.flat().map(Math.abs), ...gfx.flat().map(Math.abs));
    const error = Math.max(...difference.flat()) / largest;
    const count = difference.flat().filter((d) => d > SMALLEST).length;
    drawing.replaceChildren(
      ...panel(0, 0, x, "x", [0, 16]), ...panel(1, 0, fx, "f(x)", range), ...panel(2, 0, gfx, "g f(x)", range),
      ...panel(0, 1, gx, "g x", [0, 16]), ...panel(1, 1, fgx, "f(g x)", range),
      ...panel(2, 1, difference, "difference", [0, range[1] - range[0]]), ...outlined(2, 1, difference),
      ...across(0, 0, "f"), ...across(1, 0, "g"), ...across(0, 1, "f"), ...down("g"));
    drawing.setAttribute("aria-label", `Above the picture x, f of x, and g of that; below g of x, f of that, and the difference of the two ways, ${count ? `not zero at ${count} of ${fx.length ** 2} places` : "zero everywhere"}`);
    sums.replaceChildren(
      measured("differing", `of ${fx.length ** 2} place${fx.length > 1 ? "s differ" : " differs"}`, count), measured("error", "equivariance error", error));
    const said = count ? "Not equivariant: the two ways differ." : "Both ways end at the same result, for this picture.";
    if (verdict.textContent !== said) verdict.textContent = said;
  }

  const hint = h("p", { class: "mw-hint" }, "Above: first f, then g. Below: first g, then f. Dark violet is the smallest value of a panel’s scale, which is fixed for each f; in the last panel it is 0, and what is not 0 has an outline. "
    + "A picture of half the size is shifted by half as much, rounded down, and not reordered.");
  el.append(h("div", { class: "mw-controls" }, action.element, times.element, chosen.element), drawing, hint, sums, verdict);
  draw();
  return listen(model, STATE, draw);
}

// What is computed

function fromEach(n, value) {
  return Array.from({ length: n }, (_, i) => Array.from({ length: n }, (__, j) => value(i, j)));
}

function at(x, i, j) {
  const n = x.length;
  return x[(i + n) % n][(j + n) % n];
}

function blur(x, wrap) {
  const n = x.length;
  const pixel = (i, j) => (wrap || (i >= 0 && j >= 0 && i < n && j < n) ? at(x, i, j) : 0);
  const weights = [1, 2, 1];
  return fromEach(n, (i, j) => weights.reduce((sum, a, r) => sum + weights.reduce((row, b, c) => row + a * b * pixel(i + r - 1, j + c - 1), 0), 0) / 16);
}

function moved(x, action, times, order) {
  const n = x.length;
  if (action === "shift right") return fromEach(n, (i, j) => x[i][(((j - times) % n) + n) % n]);
  if (action === "shift down") return fromEach(n, (i, j) => x[(((i - times) % n) + n) % n][j]);
  const once = action === "quarter turn" ? (y) => fromEach(n, (i, j) => y[j][n - 1 - i])
    : action === "mirror" ? (y) => y.map((row) => [...row].reverse()) : (y) => reordered(y, order);
  return Array.from({ length: times }).reduce(once, x);
}

function reordered(x, order) {
  const flat = x.flat();
  if (flat.length !== order.length) return x;
  const placed = new Array(flat.length);
  order.forEach((place, i) => { placed[place] = flat[i]; });
  return fromEach(x.length, (i, j) => placed[x.length * i + j]);
}

// What is seen

function measured(name, what, value) {
  return fact(name, what, plain(value, 3), value);
}

function panel(column, row, values, name, [low, high]) {
  const side = PANEL / values.length;
  const [left, top] = [STEP * column, TOP + STEP * row];
  return [svg("text", { x: left, y: top - 7 }, name), ...values.flatMap((line, i) => line.map((value, j) => svg("rect", {
    x: left + side * j, y: top + side * i, width: side + 0.3, height: side + 0.3,
    fill: `rgb(${paint((value - low) / (high - low)).channels.join()})`,
  }))), svg("rect", { class: "mw-outline", x: left, y: top, width: PANEL, height: PANEL })];
}

function outlined(column, row, values) {
  // A small difference has the colour of none.
  const side = PANEL / values.length;
  const places = values.flatMap((line, i) => line.map((value, j) => [value, i, j])).filter(([value]) => value > SMALLEST);
  return places.map(([, i, j]) => svg("rect", {
    class: "mw-differs", x: STEP * column + side * j + 1, y: TOP + STEP * row + side * i + 1, width: side - 2, height: side - 2,
  }));
}

function across(column, row, name) {
  const [x, y] = [STEP * column + PANEL + 6, TOP + STEP * row + PANEL / 2];
  return [svg("path", { class: "mw-arrow", d: `M${x} ${y}h48m-7 -5l7 5l-7 5` }), svg("text", { class: "mw-map", x: x + 22, y: y - 10 }, name)];
}

function down(name) {
  const [x, y] = [PANEL / 2, TOP + PANEL + 4];
  return [svg("path", { class: "mw-arrow", d: `M${x} ${y}v34m-5 -7l5 7l5 -7` }), svg("text", { class: "mw-map", x: x + 16, y: y + 22 }, name)];
}

export default { render };
