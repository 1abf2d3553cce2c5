// One matrix product, built up in each of its four readings.

const STATE = ["reading", "step"];
const READINGS = ["dot products", "columns", "rows", "outer products"];

function render({ model, el }) {
  frame(model, el, "product");
  const [a, b] = [model.get("a"), model.get("b")];
  const [m, k, n] = [a.length, b.length, b[0].length];
  const steps = { "dot products": m * n, columns: n, rows: m, "outer products": k };
  const go = (reading, step) => write(model, { reading, step });
  const reading = select("Read as", READINGS, (i) => go(READINGS[i], Math.min(model.get("step"), steps[READINGS[i]])));
  const step = slider("Step", {
    min: 0, max: m * n, step: 1, text: (s) => `${s} of ${steps[model.get("reading")]}`,
    oninput: (s) => write(model, { step: s }),
  });
  const tables = { A: table("A", a), B: table("B", b), C: table("C", a.map(() => b[0].map(() => 0))) };
  tables.C.cells.forEach((row, i) => row.forEach((cell, j) =>
    cell.addEventListener("click", () => go("dot products", i * n + j + 1))));
  const said = h("p", { class: "mw-verdict", role: "status" });

  function draw() {
    const state = { reading: model.get("reading"), step: model.get("step") };
    reading.set(READINGS.indexOf(state.reading));
    step.input.max = steps[state.reading];
    step.set(state.step);
    const on = part(state, m, k, n);
    const product = partial(a, b, state);
    mark(tables.A, (i, j) => on.a(i, j));
    mark(tables.B, (i, j) => on.b(i, j));
    mark(tables.C, (i, j) => on.c(i, j));
    product.forEach((row, i) => row.forEach((value, j) => {
      const cell = tables.C.cells[i][j];
      cell.textContent = Number.isNaN(value) ? "·" : plain(value);
      cell.dataset.value = value;
    }));
    const words = explain(a, b, state, product);
    if (said.textContent !== words) said.textContent = words;
  }

  el.append(
    h("div", { class: "mw-controls" }, reading.element, step.element),
    h("div", { class: "mw-matrices" }, tables.A.element, sign("×"), tables.B.element, sign("="), tables.C.element),
    said);
  draw();
  return listen(model, STATE, draw); // after both were set: a step may not exist in the other reading
}

// What is computed

function partial(a, b, { reading, step }) {
  const n = b[0].length;
  const terms = reading === "outer products" ? step : b.length;
  const done = {
    "dot products": (i, j) => i * n + j < step, columns: (i, j) => j < step, rows: (i) => i < step,
    "outer products": () => true,
  }[reading];
  return a.map((row, i) => b[0].map((_, j) => {
    if (!done(i, j)) return NaN;
    let sum = 0;
    for (let t = 0; t < terms; t++) sum += row[t] * b[t][j];
    return sum;
  }));
}

function part({ reading, step }, m, k, n) {
  // Which entries the last step used and made.
  const at = step - 1;
  const never = () => false;
  if (step === 0) return { a: never, b: never, c: never };
  const [i, j] = [Math.floor(at / n), at % n];
  return {
    "dot products": { a: (r) => r === i, b: (_, s) => s === j, c: (r, s) => r === i && s === j },
    columns: { a: () => true, b: (_, s) => s === at, c: (_, s) => s === at },
    rows: { a: (r) => r === at, b: () => true, c: (r) => r === at },
    "outer products": { a: (_, s) => s === at, b: (r) => r === at, c: () => true },
  }[reading];
}

function explain(a, b, { reading, step }, product) {
  const at = step - 1;
  const n = b[0].length;
  const times = (x, what) => `${bracketed(plain(x))} × ${what}`;
  if (step === 0) return "Nothing is computed yet. Move the slider, or choose an entry of C.";
  if (reading === "dot products") {
    const [i, j] = [Math.floor(at / n), at % n];
    const terms = b.map((row, t) => `${bracketed(plain(a[i][t]))} × ${bracketed(plain(row[j]))}`);
    return `Row ${i + 1} of A with column ${j + 1} of B: ${terms.join(" + ")} = ${plain(product[i][j])}`;
  }
  if (reading === "columns") {
    const terms = b.map((row, t) => times(row[at], `column ${t + 1} of A`));
    return `Column ${at + 1} of C: ${terms.join(" + ")}`;
  }
  if (reading === "rows") {
    const terms = a[at].map((x, t) => times(x, `row ${t + 1} of B`));
    return `Row ${at + 1} of C: ${terms.join(" + ")}`;
  }
  const so = step === b.length ? "C is complete" : `C so far is a sum of ${step}, of rank ${Math.min(step, a.length, n)} at most`;
  return `Column ${step} of A times row ${step} of B is added to every entry: ${so}.`;
}

// What is seen

function sign(character) {
  return h("span", { class: "mw-operator" }, character);
}

function table(name, rows) {
  const cells = rows.map((row) => row.map((x) => h("td", { class: "mw-number" }, plain(x))));
  const body = h("tbody", {}, ...cells.map((row) => h("tr", {}, ...row)));
  return { element: h("table", { class: "mw-matrix" }, h("caption", {}, name), body), cells };
}

function mark({ cells }, isOn) {
  cells.forEach((row, i) => row.forEach((cell, j) => cell.classList.toggle("mw-on", isOn(i, j))));
}

export default { render };
