// What all widgets share. It stands before each ES module, and once in the script of the built pages.

const SVG = "http://www.w3.org/2000/svg";
let ids = 0;

function h(tag, props = {}, ...children) {
  return fill(document.createElement(tag), props, children);
}

function svg(tag, props = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

function fill(element, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  // JupyterLab would take arrow keys and Enter for its own.
  if (element.matches("input, select, button, [tabindex]")) element.setAttribute("data-lm-suppress-shortcuts", "true");
  element.append(...children); // strings become text, never markup
  return element;
}

// A touch that becomes scrolling is taken over by the browser: what it has changed until then goes back.
function unlessScrolled(element, read, write) {
  let before;
  element.addEventListener("pointerdown", () => { before = read(); });
  element.addEventListener("pointercancel", () => write(before));
}

// Follow a pointer from where it was pressed on: not one that was pressed elsewhere, nor another button.
function whileHeld(drawing, follow) {
  let held = false;
  const end = () => { held = false; };
  drawing.addEventListener("pointerdown", (event) => { held = event.button === 0; });
  for (const way of ["pointerup", "pointerleave"]) drawing.addEventListener(way, end);
  for (const way of ["pointerdown", "pointermove"]) drawing.addEventListener(way, (event) => { if (held) follow(event); });
}

// Where in a drawing's own units a pointer is.
function placeOf(event, drawing) {
  return new DOMPoint(event.clientX, event.clientY).matrixTransform(drawing.getScreenCTM().inverse());
}

// Controls: native inputs with a <label>. Each has an `element` and a `set` that moves it without an event.

function rangeInput(options, oninput) {
  const input = h("input", { type: "range", ...options, oninput: () => oninput(input.valueAsNumber) });
  unlessScrolled(input, () => input.valueAsNumber, (before) => {
    if (input.valueAsNumber === before) return;
    input.value = before;
    oninput(before);
  });
  return input;
}

function slider(label, { min, max, step, text, oninput }) {
  const shown = h("span", { class: "mw-value", "aria-hidden": "true" }); // listeners get it as the slider's value
  const input = rangeInput({ min, max, step }, oninput);
  const set = (position, value = position) => {
    input.value = position;
    shown.textContent = text(value);
    input.setAttribute("aria-valuetext", text(value)); // the position of a logarithmic slider means nothing to a listener
  };
  return { element: h("label", { class: "mw-slider" }, h("span", {}, label, " ", shown), input), input, set };
}

function checkbox(label, onchange) {
  const input = h("input", { type: "checkbox", onchange: () => onchange(input.checked) });
  const set = (checked) => { input.checked = checked; };
  return { element: h("label", { class: "mw-check" }, input, h("span", {}, label)), input, set };
}

function select(label, names, onchange) {
  const input = h("select", { onchange: () => onchange(input.selectedIndex) });
  input.append(...names.map((name) => h("option", {}, name)));
  const set = (index) => { input.selectedIndex = index; };
  return { element: h("label", { class: "mw-select" }, h("span", {}, label), input), input, set };
}

function numberInput(label, { step, min, max, disabled }, onchange) {
  const input = h("input", {
    type: "number", step, min, max, disabled, "aria-label": label,
    oninput: () => { if (Number.isFinite(input.valueAsNumber)) onchange(input.valueAsNumber); },
  });
  // Whoever is typing "-0." must not find it replaced by "0".
  let last;
  const set = (value) => {
    last = value;
    if (input.valueAsNumber !== value) input.value = value;
  };
  input.addEventListener("blur", () => set(last)); // a field left empty shows again what holds
  return { element: input, input, set };
}

// Text

function number(x, digits = 4) {
  if (Number.isNaN(x)) return "nan";
  if (!Number.isFinite(x)) return x < 0 ? "−∞" : "∞";
  const size = Math.abs(x);
  if (size !== 0 && (size < 1e-4 || size >= 1e6)) return minus(x.toExponential(digits - 1));
  return minus(size === 0 ? "0" : x.toPrecision(digits).includes("e") ? inFull(x) : x.toPrecision(digits));
}

function plain(x, digits = 4) {
  // Without trailing zeros: 3 rather than 3.000.
  if (!Number.isFinite(x) || Math.abs(x) >= 1e15) return number(x, digits);
  const isLong = Math.abs(x) >= 10 ** digits; // 32,768 would become 32,770
  return minus(isLong ? inFull(x) : String(Number(x.toPrecision(digits))));
}

function inFull(x) {
  return Math.round(x).toLocaleString("en-US", { useGrouping: Math.abs(x) >= 10_000 });
}

function withoutNoise(x) {
  // What should be zero is shown as zero.
  return Math.round(x * 1e9) / 1e9 + 0;
}

function minus(text) {
  return text.replaceAll("-", "−");
}

function bracketed(text) {
  return text.startsWith("−") ? `(${text})` : text;
}

function distinct(tokens) {
  // Equal tokens are told apart by their position.
  const subscript = (i) => String(i).replace(/\d/g, (digit) => "₀₁₂₃₄₅₆₇₈₉"[digit]);
  return tokens.map((token, i) => (tokens.indexOf(token) === tokens.lastIndexOf(token) ? token : token + subscript(i)));
}

// Colour

function shade(weight) {
  const position = Math.min(Math.max(weight, 0), 1) * (VIRIDIS.length - 1);
  const low = Math.min(Math.floor(position), VIRIDIS.length - 2);
  const channels = [1, 3, 5].map((at) => {
    const [from, to] = [VIRIDIS[low], VIRIDIS[low + 1]].map((hex) => parseInt(hex.slice(at, at + 2), 16));
    return Math.round(from + (to - from) * (position - low));
  });
  const [r, g, b] = channels.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  const luminance = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  const hex = `#${channels.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
  return { channels, hex, ink: (luminance + 0.05) ** 2 > 0.05 * 1.05 ? "#000000" : "#ffffff" };
}

const PALETTE = Array.from({ length: 256 }, (_, i) => shade(i / 255)); // computed once: a map is painted often

function paint(weight) {
  return PALETTE[Math.round(Math.min(Math.max(weight, 0), 1) * 255)];
}

// Models: one way to write, many names to listen to.

function write(model, changes) {
  for (const [name, value] of Object.entries(changes)) model.set(name, value);
  model.save_changes();
}

function listen(model, names, callback) {
  // Setting five names at once is one change to react to.
  let waiting = false;
  const soon = () => {
    if (!waiting) queueMicrotask(() => {
      waiting = false;
      (model.guarded ?? ((run) => run()))(callback);
    });
    waiting = true;
  };
  return listenNow(model, names, soon);
}

function listenNow(model, names, callback) {
  const missing = names.find((name) => model.get(name) === undefined);
  if (missing) throw new Error(`its state has no ${missing}`);
  for (const name of names) model.on(`change:${name}`, callback);
  return () => { for (const name of names) model.off(`change:${name}`, callback); };
}

// Results

// A number below a picture: as the reader sees it, and whole.
function fact(name, what, shown, value) {
  const whole = Array.isArray(value) ? JSON.stringify(value) : String(value);
  return h("li", { "data-name": name, "data-value": whole }, h("span", { class: "mw-what" }, what), h("b", {}, shown));
}

// The same with a bar of it, that can be set again.
function measure(label, name, kind) {
  const fill = h("i");
  const shown = h("span", { class: "mw-number" });
  const element = h("li", { class: kind, "data-name": name },
    h("span", {}, label), h("span", { class: "mw-track" }, fill), shown);
  const set = (value, text, share) => {
    element.dataset.value = String(value);
    shown.textContent = text;
    fill.style.transform = `scaleX(${Math.min(share, 1)})`;
  };
  return { element, set };
}

function raised(k) {
  return String(k).replace("-", "⁻").replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]);
}

// One product after the other, as Python's loops add them.
function dot(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

// Softmax, in double precision

function softmaxSteps(scores) {
  const largest = Math.max(...scores);
  const powers = scores.map((score) => (score === -Infinity ? 0 : Math.exp(score - largest)));
  const sum = powers.reduce((a, b) => a + b, 0);
  // Who may look at nothing gets zeros.
  return { scores, largest, powers, sum, weights: powers.map((power) => (sum > 0 ? power / sum : 0)) };
}

function entropy(weights) {
  return weights.reduce((sum, p) => (p > 0 ? sum - p * Math.log(p) : sum), 0);
}

// Parts

function frame(model, el, name) {
  el.classList.add("mw", `mw-${name}`);
  if (model.get("caption")) el.append(h("p", { class: "mw-caption" }, model.get("caption")));
}

function colourBar() {
  const marker = h("span", { class: "mw-marker" });
  const ramp = `linear-gradient(to right, ${VIRIDIS.join(", ")})`;
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((tick) => h("span", { style: `left: ${100 * tick}%` }, String(tick)));
  const element = h("div", { class: "mw-bar", "aria-hidden": "true" },
    h("span", { class: "mw-bar-name" }, "weight"),
    h("span", { class: "mw-ramp", style: `background: ${ramp}` }, marker, ...ticks));
  return { element, set: (weight) => { marker.style.left = `${100 * weight}%`; } };
}
