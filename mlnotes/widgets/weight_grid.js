// Weights of a row beside the points of a grid that they are rounded to, and what rounding cost the model.

const STATE = ["bits", "scale", "scheme"];
const BITS = [2, 3, 4, 8];
const SCALES = ["matrix", "row", "block"];
const SCHEMES = ["absmax", "minimum and maximum"];
const [WIDTH, HEIGHT, LEFT] = [520, 250, 50];
const MOST_LINES = 40;

function render({ model, el }) {
  frame(model, el, "weights");
  const [weights, size] = [model.get("weights"), model.get("block_size")];
  const bits = slider("Bits", {
    min: 0, max: 3, step: 1, text: (b) => `${b} bits`, oninput: (i) => write(model, { bits: BITS[i] }),
  });
  const scale = select("One grid for each", ["matrix", "row", `block of ${size}`],
    (i) => write(model, { scale: SCALES[i] }));
  const scheme = select("Grid set by", SCHEMES, (i) => write(model, { scheme: SCHEMES[i] }));
  const drawn = svg("g");
  const drawing = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" }, drawn);
  const sums = h("ul", { class: "mw-sums" });
  const key = h("p", { class: "mw-hint" });
  const verdict = h("p", { class: "mw-verdict", role: "status" });

  function draw() {
    const state = Object.fromEntries(STATE.map((name) => [name, model.get(name)]));
    bits.set(BITS.indexOf(state.bits), state.bits);
    scale.set(SCALES.indexOf(state.scale));
    scheme.set(SCHEMES.indexOf(state.scheme));
    const blocks = rounded(model, state);
    const out = blocks.flatMap((block) => block.points);
    const error = Math.sqrt(sum(out.map((y, i) => (y - weights[i]) ** 2)) / sum(weights.map((x) => x * x)));
    const step = Math.max(...blocks.map((block) => block.step));
    const values = new Set(out).size;
    const top = 1.1 * Math.max(...weights.concat(out).map(Math.abs));
    const at = (i, y) => [LEFT + ((WIDTH - LEFT - 8) * (i + 0.5)) / weights.length, HEIGHT / 2 - (y / top) * (HEIGHT / 2 - 8)];
    const nats = model.get("nats")[`${state.bits}, ${state.scale}, ${state.scheme}`];
    drawn.replaceChildren(...picture(weights, blocks, at, top));
    const lines = drawn.querySelector(".mw-gridline") ? "Lines: points of the grid" : "The points of this grid are too dense to draw";
    key.textContent = `Rings: weights. Dots: what they are rounded to. ${lines}.`;
    drawing.setAttribute("aria-label", `${weights.length} weights, rings, and what they are rounded to, dots`);
    sums.replaceChildren(
      fact("step", "largest step", number(step, 3), step),
      fact("error", "error, of the weights", `${plain(100 * error, 2)} %`, error),
      fact("points", "different values", String(values), values),
      fact("nats", "nats of the model", nats === undefined ? "not measured" : nats.toFixed(2), nats === undefined ? "" : nats));
    const full = model.get("full");
    const said = nats === undefined ? "This grid was not measured on the model."
      : `All matrices rounded so: ${nats.toFixed(2)} nats; the model as it is has ${full.toFixed(2)}.`;
    if (verdict.textContent !== said) verdict.textContent = said;
  }

  el.append(h("div", { class: "mw-controls" }, ...[bits, scale, scheme].map((it) => it.element)), drawing, key, sums, verdict);
  draw();
  return listenNow(model, STATE, draw);
}

// What is computed

function rounded(model, { bits, scale, scheme }) {
  const [weights, size] = [model.get("weights"), model.get("block_size")];
  const symmetric = scheme === "absmax";
  const most = symmetric ? 2 ** (bits - 1) - 1 : 2 ** bits - 1;
  const blocks = scale !== "block" ? [weights]
    : Array.from({ length: weights.length / size }, (_, i) => weights.slice(i * size, (i + 1) * size));
  return blocks.map((block) => {
    const [low, top] = scale === "block" ? [Math.min(...block), Math.max(...block)] : model.get("ranges")[scale];
    const step = symmetric ? Math.max(top, -low) / most : (top - low) / most;
    const minimum = symmetric ? 0 : low;
    const codes = block.map((x) => Math.min(Math.max(even((x - minimum) / (step || 1)), symmetric ? -most : 0), most));
    return { step, minimum, codes, points: codes.map((c) => step * c + minimum), least: symmetric ? -most : 0, most };
  });
}

function even(x) {
  // To the nearest integer; halves to the even one, as NumPy does.
  const below = Math.floor(x);
  if (x - below !== 0.5) return Math.round(x);
  return below % 2 === 0 ? below : below + 1;
}

function sum(numbers) {
  return numbers.reduce((a, b) => a + b, 0);
}

// What is drawn

function picture(weights, blocks, at, top) {
  const parts = [];
  const width = (WIDTH - LEFT - 8) / weights.length;
  let first = 0;
  for (const { step, minimum, codes, points, least, most } of blocks) {
    const [x1, x2] = [at(first, 0)[0] - width / 2, at(first + codes.length - 1, 0)[0] + width / 2];
    const seen = [];
    for (let c = least; c <= most; c++) if (Math.abs(step * c + minimum) <= top) seen.push(step * c + minimum);
    // A grid too fine to be seen is not drawn.
    for (const y of seen.length <= MOST_LINES ? seen : []) {
      parts.push(svg("line", { class: "mw-gridline", x1: x1 + 1, x2: x2 - 1, y1: at(0, y)[1], y2: at(0, y)[1] }));
    }
    points.forEach((y, i) => {
      const [[x, from], [, to]] = [at(first + i, weights[first + i]), at(first + i, y)];
      parts.push(svg("line", { class: "mw-moved", x1: x, x2: x, y1: from, y2: to }));
      parts.push(svg("circle", { class: "mw-weight", cx: x, cy: from, r: 3 }));
      parts.push(svg("circle", { class: "mw-point", cx: x, cy: to, r: 2 }));
    });
    first += codes.length;
  }
  for (const y of [-1, 0, 1]) {
    const value = y * Number((top / 1.3).toPrecision(1));
    parts.push(svg("text", { x: LEFT - 6, y: at(0, value)[1] + 4, class: "mw-tick", "text-anchor": "end" }, plain(value, 2)));
  }
  return parts;
}

export default { render };
