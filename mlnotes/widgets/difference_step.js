// Three ways to measure a slope by a step, and what the length of the step does to their errors.

const STATE = ["function", "position"];
const X = 1.3;
const METHODS = ["forward", "central", "complex"];
const STEPS = Array.from({ length: 49 }, (_, i) => Number(`${[1, 5, 2][i % 3]}e-${Math.floor((i + 2) / 3)}`));
const [WIDTH, HEIGHT, LEFT, LOW, HIGH] = [520, 300, 46, -17, 1];

function render({ model, el }) {
  frame(model, el, "difference");
  const choice = select("Function", NAMES, (i) => write(model, { function: NAMES[i] }));
  // To the left the step becomes shorter, as in the picture.
  const step = slider("Step", {
    min: 0, max: 48, step: 1, text: (i) => `h = ${plain(STEPS[48 - i])}`, oninput: (i) => write(model, { position: 48 - i }),
  });
  const marks = svg("g");
  const drawing = svg("svg", { viewBox: `-6 0 ${WIDTH + 6} ${HEIGHT + 6}`, role: "img" }, axes(), marks);
  const sums = h("ul", { class: "mw-sums" });
  const verdict = h("p", { class: "mw-verdict", role: "status" });

  function draw() {
    const [name, position] = STATE.map((it) => model.get(it));
    choice.set(NAMES.indexOf(name));
    step.set(48 - position);
    const now = STEPS[position];
    marks.replaceChildren(...picture(FUNCTIONS[name], now));
    drawing.setAttribute("aria-label", `Relative errors of the slope of ${name} at ${X} against h, both logarithmic`);
    sums.replaceChildren(...METHODS.map((method, kind) => {
      const error = relativeError(FUNCTIONS[name], method, now);
      return h("li", { "data-name": method, "data-value": String(error), "data-slope": String(slope(FUNCTIONS[name], method, now)) },
        h("span", { class: "mw-what" }, h("span", { class: `mw-key${kind}` }, "□●▲"[kind]), ` ${method}, error`), h("b", {}, number(error, 2)));
    }));
    const said = tell(FUNCTIONS[name], now);
    if (verdict.textContent !== said) verdict.textContent = said;
  }

  const key = h("p", { class: "mw-hint" }, "Relative error of the slope, from the longest step at the right to the shortest at the left; what is below 10⁻¹⁷ stands at the bottom. Lines: what Taylor’s series leaves out.");
  el.append(h("div", { class: "mw-controls" }, choice.element, step.element), drawing, key, sums, verdict);
  draw();
  return listen(model, STATE, draw);
}

// What is computed, operation by operation as on the Python side

const cube = (x) => x * x * x;
const bell = (x) => 1 / (1 + x * x);
const CUBE = { imaginary: (a, b) => (a * a - b * b) * b + 2 * a * b * a, first: (x) => 3 * x * x, second: (x) => 6 * x, third: () => 6 };
const FUNCTIONS = {
  "x³": { value: cube, ...CUBE },
  "x³ + 1000": { value: (x) => x * x * x + 1000, ...CUBE },
  "1 / (1 + x²)": {
    value: bell,
    imaginary: (a, b) => {
      const [re, im] = [1 + (a * a - b * b), 2 * a * b];
      return -im / (re * re + im * im);
    },
    first: (x) => -2 * x * bell(x) * bell(x),
    second: (x) => (6 * x * x - 2) * cube(bell(x)),
    third: (x) => 24 * x * (1 - x * x) * bell(x) * cube(bell(x)),
  },
  "√x": {
    value: Math.sqrt,
    imaginary: (a, b) => b / (2 * Math.sqrt((Math.sqrt(a * a + b * b) + a) / 2)),
    first: (x) => 1 / (2 * Math.sqrt(x)),
    second: (x) => -1 / (4 * x * Math.sqrt(x)),
    third: (x) => 3 / (8 * x * x * Math.sqrt(x)),
  },
};
const NAMES = Object.keys(FUNCTIONS);

function slope({ value, imaginary }, method, h) {
  if (method === "complex") return imaginary(X, h) / h;
  return method === "forward" ? (value(X + h) - value(X)) / h : (value(X + h) - value(X - h)) / (2 * h);
}

function relativeError(f, method, h) {
  return Math.abs(slope(f, method, h) - f.first(X)) / Math.abs(f.first(X));
}

function truncation({ first, second, third }, method, h) {
  return Math.abs(method === "forward" ? second(X) * h / 2 : third(X) * h * h / 6) / Math.abs(first(X));
}

function rounding({ value, first }, method, h) {
  const noise = 2 ** -53 * (Math.abs(value(X)) + Math.abs(X * first(X)));
  return noise / h * (method === "forward" ? 2 : 1) / Math.abs(first(X));
}

function tell(f, h) {
  const of = (method) => {
    const [cut, rounded] = [truncation(f, method, h), rounding(f, method, h)].map((part) => number(part, 2));
    return `truncation of about ${cut} and rounding of up to ${rounded}`;
  };
  return `In the forward difference, ${of("forward")} are expected; in the central one, ${of("central")}. The complex step subtracts nothing.`;
}

// What is drawn

function at(h, error) {
  const y = error > 0 ? Math.min(HIGH, Math.max(LOW, Math.log10(error))) : LOW;
  return [LEFT + ((Math.log10(h) + 16) / 16) * (WIDTH - LEFT - 12), 10 + ((HIGH - y) / (HIGH - LOW)) * (HEIGHT - 46)];
}

function power(k) {
  return k ? `10${String(k).replace("-", "⁻").replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit])}` : "1";
}

function axes() {
  const parts = [];
  for (const k of [-16, -12, -8, -4, 0]) {
    const [x, y] = at(10 ** k, 10 ** k);
    parts.push(svg("line", { x1: LEFT, y1: y, x2: WIDTH - 12, y2: y, class: "mw-gridline" }));
    parts.push(svg("text", { x: LEFT - 6, y: y + 4, class: "mw-tick", "text-anchor": "end" }, power(k)));
    parts.push(svg("text", { x, y: HEIGHT - 18, class: "mw-tick", "text-anchor": "middle" }, power(k)));
  }
  parts.push(svg("text", { x: (LEFT + WIDTH) / 2, y: HEIGHT + 1, class: "mw-tick", "text-anchor": "middle" }, "step h"));
  return svg("g", { "aria-hidden": "true" }, ...parts);
}

function picture(f, now) {
  const [x] = at(now, 1);
  const parts = [svg("line", { x1: x, y1: 10, x2: x, y2: HEIGHT - 36, class: "mw-now" })];
  for (const [kind, method] of METHODS.slice(0, 2).entries()) {
    const line = STEPS.map((h) => [h, truncation(f, method, h)]).filter(([, cut]) => cut > 10 ** LOW && cut < 10 ** HIGH);
    const [[x1, y1], [x2, y2]] = [at(...line[0]), at(...line[line.length - 1])];
    parts.push(svg("line", { x1, y1, x2, y2, class: `mw-cut mw-kind${kind}` }));
  }
  METHODS.forEach((method, kind) => STEPS.forEach((h) => {
    const [cx, cy] = at(h, relativeError(f, method, h));
    parts.push(marker(kind, cx, cy, h === now ? 6 : 3));
  }));
  return parts;
}

function marker(kind, x, y, r) {
  const props = { class: `mw-kind${kind}` };
  // Hollow, and large enough for a circle within it to be seen.
  if (kind === 0) return svg("rect", { x: x - r - 1, y: y - r - 1, width: 2 * r + 2, height: 2 * r + 2, ...props });
  if (kind === 1) return svg("circle", { cx: x, cy: y, r, ...props });
  return svg("polygon", { points: `${x},${y - r} ${x + r},${y + r} ${x - r},${y + r}`, ...props });
}

export default { render };
