// Gaussian elimination, one step at a time, with and without exchanging rows.

const STATE = ["matrix", "exponent", "exchange", "step"];
const MATRICES = ["small pivot", "doubling column"];

function render({ model, el }) {
  frame(model, el, "elimination");
  const last = () => system(read()).a.length - 1;
  const read = () => Object.fromEntries(STATE.map((name) => [name, model.get(name)]));
  const matrix = select("System", MATRICES, (i) => {
    const size = system({ matrix: MATRICES[i], exponent: 0 }).a.length;
    write(model, { matrix: MATRICES[i], step: Math.min(model.get("step"), size - 1) });
  });
  const exponent = slider("First pivot", {
    min: 0, max: 20, step: 1, text: (k) => (k ? `10${raised(-k)}` : "1"), oninput: (k) => write(model, { exponent: k }),
  });
  const exchange = checkbox("Exchange rows", (on) => write(model, { exchange: on }));
  const step = slider("Step", {
    min: 0, max: 4, step: 1, text: (k) => `${k} of ${last()}`, oninput: (k) => write(model, { step: k }),
  });
  const body = h("tbody");
  const table = h("table", { class: "mw-matrix" }, h("caption", {}, "What has become of the matrix"), body);
  const sums = h("ul", { class: "mw-sums" });
  const verdict = h("p", { class: "mw-verdict", role: "status" });

  function draw() {
    const state = read();
    matrix.set(MATRICES.indexOf(state.matrix));
    exponent.set(state.exponent);
    exponent.input.disabled = state.matrix !== MATRICES[0];
    exchange.set(state.exchange);
    step.input.max = last();
    step.set(state.step);
    const { rows, a, growth } = eliminate(state, state.step);
    body.replaceChildren(...a.map((row, i) => h("tr", {}, h("th", { scope: "row" }, `equation ${rows[i] + 1}`),
      ...row.map((x, j) => h("td", { class: `mw-number ${kind(i, j, state.step)}`, "data-value": String(x) }, brief(x))))));
    const multipliers = a.flatMap((row, i) => row.slice(0, Math.min(i, state.step)).map(Math.abs));
    const found = solution(state);
    const facts = [
      fact("multiplier", "largest multiplier", multipliers.length ? brief(Math.max(...multipliers)) : "none yet", Math.max(0, ...multipliers)),
      fact("growth", "growth of entries", brief(growth), growth)];
    if (state.step === last()) {
      const error = found.reduce((most, x) => Math.max(most, Number.isNaN(x) ? Infinity : Math.abs(x - 1)), 0);
      facts.push(fact("digits", "right digits of the solution", String(digits(error)), digits(error)));
    }
    sums.replaceChildren(...facts);
    const said = tell(state, last(), found);
    if (verdict.textContent !== said) verdict.textContent = said;
  }

  const key = h("p", { class: "mw-hint" }, "Framed: pivots. In italics, below the pivots: multipliers, in the places of the zeros that they made.");
  el.append(h("div", { class: "mw-controls" }, ...[matrix, exponent, exchange, step].map((it) => it.element)),
    h("div", { class: "mw-matrices" }, table), key, sums, verdict);
  draw();
  return listen(model, STATE, draw); // after both were set: a step may not exist in the other system
}

// What is computed, in the order of the Python side

function system({ matrix, exponent }) {
  const a = matrix === MATRICES[0]
    ? [[Number(`1e-${exponent}`), 1, 0], [2, 1, 1], [4, 1, 1]]
    : [0, 1, 2, 3, 4].map((i) => [0, 1, 2, 3, 4].map((j) => (i === j || j === 4 ? 1 : j < i ? -1 : 0)));
  return { a, b: a.map((row) => row.reduce((sum, x) => sum + x, 0)) };
}

function eliminate(state, steps) {
  const { a } = system(state);
  const rows = a.map((_, i) => i);
  const largest = Math.max(...a.flat().map(Math.abs));
  let growth = 1;
  for (let k = 0; k < steps; k++) {
    if (state.exchange) {
      let pivot = k;
      for (let i = k + 1; i < a.length; i++) if (Math.abs(a[i][k]) > Math.abs(a[pivot][k])) pivot = i;
      [a[k], a[pivot]] = [a[pivot], a[k]];
      [rows[k], rows[pivot]] = [rows[pivot], rows[k]];
    }
    for (let i = k + 1; i < a.length; i++) {
      a[i][k] /= a[k][k];
      for (let j = k + 1; j < a.length; j++) a[i][j] -= a[i][k] * a[k][j];
    }
    a.forEach((row, i) => row.forEach((x, j) => { if (j >= Math.min(i, k + 1)) growth = Math.max(growth, Math.abs(x) / largest); }));
  }
  return { rows, a, growth };
}

function solution(state) {
  const { a: { length: n }, b } = system(state);
  const { rows, a } = eliminate(state, n - 1);
  const x = rows.map((row) => b[row]);
  for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) x[i] -= a[i][j] * x[j];
  for (let i = n - 1; i >= 0; i--) {
    for (let j = i + 1; j < n; j++) x[i] -= a[i][j] * x[j];
    x[i] /= a[i][i];
  }
  return x;
}

function digits(error) {
  return error === 0 ? 15 : Math.min(15, Math.max(0, Math.floor(-Math.log10(error))));
}

// Of a number with many digits, a few and its power of ten: 2e20.
function brief(x) {
  const long = Math.abs(x) >= 1e7 && Number.isFinite(x);
  return long ? minus(Number(x.toPrecision(4)).toExponential().replace("+", "")) : plain(x);
}

function tell(state, last, found) {
  if (state.step === 0) return "Nothing is eliminated yet. Move the slider Step.";
  if (state.step < last) return `${state.step} of ${last} columns ${state.step === 1 ? "is" : "are"} eliminated.`;
  return `Substituting gives x = (${found.map((x) => plain(x, 9)).join(", ")}); right would be all ones.`;
}

// What is seen

function kind(i, j, step) {
  if (j < Math.min(i, step)) return "mw-multiplier";
  return i === j && j < step ? "mw-on" : "";
}

export default { render };
