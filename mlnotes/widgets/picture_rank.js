// A grey picture as a sum of columns times rows, up to a term that the reader chooses.

const STATE = ["pixels", "columns", "rank", "view"];
const VIEWS = ["the sum of the terms", "the last of them alone", "what is left of the picture"];
const FLOAT_BYTES = 4;

function render({ model, el }) {
  frame(model, el, "picture-rank");
  const view = select("Show", VIEWS, (i) => write(model, { view: VIEWS[i] }));
  const rank = slider("Rank", { min: 0, max: 1, step: 1, text: String, oninput: (k) => write(model, { rank: k }) });
  const canvas = h("canvas", { role: "img" });
  const sums = h("ul", { class: "mw-sums" });
  const hint = h("p", { class: "mw-hint" });
  let found = null; // the decomposition of the pixels below
  let of = null;

  function draw() {
    const [pixels, columns, k, shown] = STATE.map((name) => model.get(name));
    if (of !== pixels) [of, found] = [pixels, decompose(pixels, columns)];
    const rows = pixels.length / columns;
    rank.input.max = found.s.length;
    rank.set(k);
    view.set(VIEWS.indexOf(shown));
    canvas.width = columns;
    canvas.height = rows;
    const numbers = values(found, pixels, columns, k, shown);
    const contrast = shown === VIEWS[0] ? 1 : contrastOf(numbers);
    canvas.getContext("2d", { willReadFrequently: true }).putImageData(paintGrey(numbers, columns, shown === VIEWS[0] ? 0 : 128, contrast), 0, 0);
    const left = length(found.s.slice(k)) / (length(found.s) || 1);
    canvas.setAttribute("aria-label", `Picture: ${shown}, rank ${k}, error ${(100 * left).toFixed(1)} percent`);
    const bytes = FLOAT_BYTES * k * (rows + columns + 1);
    sums.replaceChildren(
      fact("error", "left of the picture, by Frobenius norm", `${(100 * left).toFixed(1)} %`, left),
      fact("bytes", `bytes for ${k} ${k === 1 ? "column, row and singular value" : "columns, rows and singular values"}`, bytes.toLocaleString("en"), bytes),
      fact("share", `of the ${(FLOAT_BYTES * pixels.length).toLocaleString("en")} bytes of all pixels`,
        `${((100 * bytes) / (FLOAT_BYTES * pixels.length)).toFixed(1)} %`, bytes / (FLOAT_BYTES * pixels.length)),
      fact("next", "next singular value", k < found.s.length ? found.s[k].toLocaleString("en", { maximumFractionDigits: 1 }) : "none", found.s[k] ?? 0));
    const scale = contrast === 2 ? "contrast is doubled" : `contrast is ${plain(contrast, 2)} times the picture’s`;
    hint.textContent = `Each number takes four bytes.${shown === VIEWS[0] ? "" : ` Middle grey is 0, ${scale}.`}`;
  }

  el.append(h("div", { class: "mw-controls" }, rank.element, view.element), canvas, hint, sums);
  draw();
  return listen(model, STATE, draw);
}

// What is computed

function values({ u, s, v }, pixels, columns, k, view) {
  const first = view === VIEWS[1] ? Math.max(k - 1, 0) : 0;
  const sum = new Float64Array(pixels.length);
  for (let i = first; i < k; i++) {
    for (let at = 0; at < sum.length; at++) sum[at] += s[i] * u[i][Math.floor(at / columns)] * v[i][at % columns];
  }
  return view === VIEWS[2] ? sum.map((x, at) => pixels[at] - x) : sum;
}

function decompose(pixels, columns) {
  // One-sided Jacobi on the shorter side: turn vectors, two by two, until all are at right angles.
  const rows = pixels.length / columns;
  const wide = columns > rows;
  const [count, size] = wide ? [rows, columns] : [columns, rows];
  const a = Array.from({ length: count }, (_, i) => Float64Array.from({ length: size }, (_, j) => pixels[wide ? i * columns + j : j * columns + i]));
  const turned = a.map((_, i) => Float64Array.from({ length: count }, (_, j) => Number(i === j)));
  for (let sweep = 0, askew = 1; askew > 1e-14 && sweep < 30; sweep++) {
    askew = 0;
    for (let p = 0; p < count; p++) for (let q = p + 1; q < count; q++) askew = Math.max(askew, turn(a, turned, p, q));
  }
  const order = a.map((_, i) => i).sort((i, j) => length(a[j]) - length(a[i]));
  const s = order.map((i) => length(a[i]));
  const directions = order.map((i, k) => a[i].map((x) => x / (s[k] || 1)));
  const mixed = order.map((i) => turned[i]);
  return wide ? { u: mixed, s, v: directions } : { u: directions, s, v: mixed };
}

function turn(a, turned, p, q) {
  const [alpha, beta, gamma] = [dot(a[p], a[p]), dot(a[q], a[q]), dot(a[p], a[q])];
  const size = Math.sqrt(alpha) * Math.sqrt(beta);
  if (size === 0 || Math.abs(gamma) <= 1e-15 * size) return 0;
  const zeta = (beta - alpha) / (2 * gamma);
  const t = (zeta < 0 ? -1 : 1) / (Math.abs(zeta) + Math.hypot(1, zeta));
  const c = 1 / Math.hypot(1, t);
  for (const vectors of [a, turned]) {
    const [x, y] = [vectors[p], vectors[q]];
    for (let i = 0; i < x.length; i++) [x[i], y[i]] = [c * (x[i] - t * y[i]), c * (y[i] + t * x[i])];
  }
  return Math.abs(gamma) / size;
}

function length(x) {
  return Math.sqrt(dot(x, x));
}

// What is seen

// Twice that of the picture, or less where numbers would not fit between black and white.
function contrastOf(numbers) {
  return Math.min(2, 127 / numbers.reduce((largest, x) => Math.max(largest, Math.abs(x)), 0));
}

function paintGrey(numbers, columns, middle, contrast) {
  const image = new ImageData(columns, numbers.length / columns);
  numbers.forEach((x, i) => {
    const grey = Math.min(Math.max(Math.round(middle + contrast * x), 0), 255);
    image.data.set([grey, grey, grey, 255], 4 * i);
  });
  return image;
}

export default { render };
