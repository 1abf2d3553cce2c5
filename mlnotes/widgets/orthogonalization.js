// Three columns at a small angle, made orthonormal step by step.

const STATE = ["exponent", "method", "step"];
const METHODS = ["classical Gram–Schmidt", "modified Gram–Schmidt", "rotations", "mirrors"];
const TRIANGLE = ["rotations", "mirrors"]; // these make R, the others Q

function render({ model, el }) {
  frame(model, el, "orthogonalization");
  const method = select("Method", METHODS, (i) => write(model, { method: METHODS[i] }));
  const exponent = slider("ε", {
    min: 0, max: 8, step: 1, text: (k) => (k ? `10${raised(-k)}` : "1"), oninput: (k) => write(model, { exponent: k }),
  });
  const step = slider("Columns done", { min: 0, max: 3, step: 1, text: (k) => `${k} of 3`, oninput: (k) => write(model, { step: k }) });
  const body = h("tbody");
  const caption = h("caption");
  const table = h("table", { class: "mw-matrix" }, caption, body);
  const sums = h("ul", { class: "mw-sums" });
  const verdict = h("p", { class: "mw-verdict", role: "status" });

  function draw() {
    const [k, name, done] = STATE.map((it) => model.get(it));
    method.set(METHODS.indexOf(name));
    exponent.set(k);
    step.set(done);
    const columns = STEPS[name](start(k), done).shown;
    caption.textContent = TRIANGLE.includes(name) ? "What becomes R" : "What becomes Q";
    body.replaceChildren(...[0, 1, 2, 3].map((i) => h("tr", {}, ...columns.map((column, j) =>
      h("td", { class: `mw-number ${j < done ? "mw-on" : ""}`, "data-value": String(column[i]) }, plain(column[i]))))));
    sums.replaceChildren(...METHODS.map((it) => {
      const right = digits(loss(STEPS[it](start(k), 3).basis));
      return h("li", { "data-name": it, "data-value": String(right) },
        h("span", { class: "mw-what" }, it), h("b", {}, `${right} digit${right === 1 ? "" : "s"}`));
    }));
    const said = tell(name, done, columns);
    if (verdict.textContent !== said) verdict.textContent = said;
  }

  const key = h("p", { class: "mw-hint" }, "Framed: columns that are done. Below: to how many digits the columns of Q are orthonormal in the end.");
  el.append(h("div", { class: "mw-controls" }, ...[method, exponent, step].map((it) => it.element)),
    h("div", { class: "mw-matrices" }, table), key, sums, verdict);
  draw();
  return listen(model, STATE, draw);
}

// What is computed, in the order of the Python side; matrices are lists of columns

function start(exponent) {
  const small = Number(`1e-${exponent}`);
  return [0, 1, 2].map((j) => [1, ...[0, 1, 2].map((i) => (i === j ? small : 0))]);
}

const without = (x, y, factor) => x.map((value, i) => value - y[i] * factor);
const divided = (x, length) => x.map((value) => value / length);

function classical(a, steps) {
  for (let j = 0; j < steps; j++) {
    const overlaps = a.slice(0, j).map((q) => dot(q, a[j]));
    overlaps.forEach((overlap, i) => { a[j] = without(a[j], a[i], overlap); });
    a[j] = divided(a[j], Math.sqrt(dot(a[j], a[j])));
  }
  return { shown: a, basis: a };
}

function modified(a, steps) {
  for (let i = 0; i < steps; i++) {
    a[i] = divided(a[i], Math.sqrt(dot(a[i], a[i])));
    for (let j = i + 1; j < 3; j++) a[j] = without(a[j], a[i], dot(a[i], a[j]));
  }
  return { shown: a, basis: a };
}

function rotations(a, steps) {
  const product = [0, 1, 2, 3].map((j) => [0, 1, 2, 3].map((i) => (i === j ? 1 : 0))); // of all rotations, as columns
  for (let j = 0; j < steps; j++) {
    for (let i = j + 1; i < 4; i++) {
      const [x, y] = [a[j][j], a[j][i]];
      const length = Math.sqrt(x * x + y * y);
      const [c, s] = [x / length, y / length];
      for (const column of [...a, ...product]) {
        [column[j], column[i]] = [column[j] * c + column[i] * s, column[i] * c - column[j] * s];
      }
      a[j][i] = 0;
    }
  }
  return { shown: a, basis: [0, 1, 2].map((i) => product.map((column) => column[i])) };
}

function mirrors(a, steps) {
  const done = [];
  const reflect = (column, { j, v, factor }) => {
    const rest = column.slice(j);
    return [...column.slice(0, j), ...without(rest, v, factor * dot(v, rest))];
  };
  for (let j = 0; j < steps; j++) {
    const v = a[j].slice(j);
    const length = Math.sqrt(dot(v, v));
    const negative = v[0] < 0 || Object.is(v[0], -0);
    v[0] -= negative ? length : -length;
    const mirror = { j, v, factor: 2 / dot(v, v) };
    for (let k = j; k < 3; k++) a[k] = reflect(a[k], mirror);
    a[j] = a[j].map((x, i) => (i > j ? 0 : x));
    done.push(mirror);
  }
  const basis = [0, 1, 2].map((j) => [0, 1, 2, 3].map((i) => (i === j ? 1 : 0)));
  for (const mirror of done.reverse()) basis.forEach((column, j) => { basis[j] = reflect(column, mirror); });
  return { shown: a, basis };
}

const STEPS = Object.fromEntries(METHODS.map((name, i) => [name, [classical, modified, rotations, mirrors][i]]));

function loss(q) {
  return Math.max(...q.flatMap((x, i) => q.map((y, j) => Math.abs(dot(x, y) - (i === j ? 1 : 0)))));
}

function digits(error) {
  return error === 0 ? 15 : Math.min(15, Math.max(0, Math.floor(-Math.log10(error))));
}

function tell(name, done, columns) {
  if (done < 3) return done ? `${done} of 3 columns ${done === 1 ? "is" : "are"} done.` : "Nothing is done yet. Move the slider Columns done.";
  if (name === "rotations") return "Rotations have left a triangle. Q is the first three columns of the product that turns back, and a product of rotations keeps angles.";
  if (name === "mirrors") return "Three mirrors have left a triangle. Q is the first three columns of their product, and a product of mirrors keeps angles.";
  const pairs = [[0, 1], [0, 2], [1, 2]].map(([i, j]) => ({ i, j, product: dot(columns[i], columns[j]) }));
  const { i, j, product } = pairs.reduce((most, it) => (Math.abs(it.product) > Math.abs(most.product) ? it : most));
  return `Largest dot product, of columns ${i + 1} and ${j + 1}: ${plain(product)}; right would be 0.`;
}

export default { render };
