// Softmax of a few logits, in the chosen precision, with or without the maximum subtracted.

const STATE = ["logits", "temperature", "shift", "naive", "precision"];
const PRECISIONS = ["float64", "float32", "float16"];
const ROUND = { float64: (x) => x, float32: Math.fround, float16: toHalf };
const NORMAL = { float64: 2 ** -1022, float32: 2 ** -126, float16: 2 ** -14 }; // below it, numbers have fewer digits
const LARGEST = { float64: Number.MAX_VALUE, float32: (2 - 2 ** -23) * 2 ** 127, float16: 65504 };

function render({ model, el }) {
  frame(model, el, "distribution");
  const labels = model.get("labels");
  const logits = model.get("logits");
  const range = [Math.min(-5, ...logits.map(Math.floor)), Math.max(5, ...logits.map(Math.ceil))];
  const temperature = slider("Temperature", {
    min: -1.3, max: 1.3, step: 0.02, text: (t) => `T = ${plain(t, 3)}`,
    oninput: (position) => write(model, { temperature: 10 ** position }),
  });
  const shift = slider("Added to all logits", {
    min: -120, max: 120, step: 1, text: (c) => `c = ${minus(String(c))}`,
    oninput: (c) => write(model, { shift: c }),
  });
  const precision = select("Computed in", PRECISIONS, (i) => write(model, { precision: PRECISIONS[i] }));
  const naive = checkbox("Naive: do not subtract the maximum", (on) => write(model, { naive: on }));
  const setLogit = (i, value) => write(model, { logits: model.get("logits").map((old, at) => (at === i ? value : old)) });
  const rows = labels.map((label, i) => row(label, range, (value) => setLogit(i, value)));
  const power = h("span");
  const where = h("span", { class: "mw-hint" });
  const header = h("li", { class: "mw-header", "aria-hidden": "true" },
    ...["", "logit x", "", "softmax", "", power, "T → 0", "T → ∞"].map((name) => (name.append ? name : h("span", {}, name))));
  const verdict = h("p", { class: "mw-verdict", role: "status" });
  const sums = h("ul", { class: "mw-sums" });

  function draw() {
    const state = Object.fromEntries(STATE.map((name) => [name, model.get(name)]));
    temperature.set(Math.log10(state.temperature), state.temperature);
    shift.set(state.shift);
    precision.set(PRECISIONS.indexOf(state.precision));
    naive.set(state.naive);
    const result = evaluate(state);
    power.textContent = state.naive ? "exp z" : "exp(z − max)";
    const best = Math.max(...state.logits);
    const ties = state.logits.filter((x) => x === best).length;
    rows.forEach((each, i) => {
      const isBest = state.logits[i] === best;
      each.set(state.logits[i], power.textContent, result.powers[i], result.weights[i], isBest);
      each.setLimits(isBest ? 1 / ties : 0, 1 / labels.length);
    });
    const max = state.naive ? "" : `, with max = ${plain(result.largest, 5)}`;
    where.textContent = `z = (x + c) / T, and softmax = ${power.textContent} / sum${max}`;
    const most = `at most ln ${labels.length} = ${Math.log(labels.length).toFixed(3)}`;
    sums.replaceChildren(
      figure("sum", `sum of ${power.textContent}`, plain(result.sum, 5), result.sum),
      figure("logsumexp", "log-sum-exp of z", `${plain(result.logsumexp, 5)} nats`, result.logsumexp),
      figure("entropy", "entropy", `${Number.isNaN(result.entropy) ? "nan" : result.entropy.toFixed(3)} nats, ${most}`, result.entropy));
    const said = judge(state, result);
    // A listener need not hear the same sentence at every step of a slider.
    if (verdict.textContent !== said) verdict.textContent = said;
    verdict.classList.toggle("mw-error", result.weights.some(Number.isNaN));
  }

  el.append(
    h("div", { class: "mw-controls" }, temperature.element, shift.element, precision.element, naive.element, where),
    h("ul", { class: "mw-rows" }, header, ...rows.map((each) => each.element)), sums, verdict);
  draw();
  return listenNow(model, STATE, draw);
}

// What is computed

function evaluate({ logits, temperature, shift, naive, precision }) {
  const round = ROUND[precision];
  const z = logits.map((x) => round(round(round(x) + round(shift)) / round(temperature)));
  const largest = Math.max(...z);
  const powers = z.map((value) => round(Math.exp(naive ? value : round(value - largest))));
  const sum = powers.reduce((total, power) => round(total + power), 0);
  const weights = powers.map((power) => round(power / sum));
  const logsumexp = naive ? round(Math.log(sum)) : round(largest + round(Math.log(sum)));
  return { z, largest, powers, sum, weights, logsumexp, entropy: weights.some(Number.isNaN) ? NaN : entropy(weights) };
}

function toHalf(x) {
  // The nearest of float16's numbers, the even one of two that are equally near.
  const size = Math.abs(x);
  if (!(size < 65520)) return Number.isNaN(x) ? NaN : Math.sign(x) * Infinity;
  const step = 2 ** Math.max(Math.floor(Math.log2(size)) - 10, -24);
  const [low, rest] = [Math.floor(size / step), (size / step) % 1];
  return Math.sign(x) * step * (rest > 0.5 || (rest === 0.5 && low % 2) ? low + 1 : low);
}

function judge({ naive, precision, shift }, { z, powers, sum, weights }) {
  const over = powers.indexOf(Infinity);
  const largest = `beyond the largest ${precision}, ${number(LARGEST[precision], 3)}`;
  if (over >= 0) return `exp(${plain(z[over])}) is ${largest}: it becomes ∞, and ∞/∞ is nan.`;
  if (sum === Infinity) return `The sum is ${largest}: every weight is something / ∞ = 0.`;
  if (sum === 0) return `All exponentials are too small for ${precision} and become 0: 0/0 is nan.`;
  if (naive && powers.some((power) => power < NORMAL[precision])) {
    return `Nothing overflows here, but exponentials below ${number(NORMAL[precision], 3)} have lost digits in ${precision}, or become 0.`;
  }
  if (naive) return `Nothing overflows here. Add a larger constant${Math.max(...z) > 0 ? ", or lower the temperature" : ""}.`;
  if (weights.some(Number.isNaN)) return "A logit is beyond the largest number.";
  if (shift === 0) return "The largest exponential is exp 0 = 1: nothing can overflow.";
  const exact = precision === "float64" ? "." : ", up to rounding.";
  return `The constant ${minus(String(shift))} is gone once the maximum is subtracted: only log-sum-exp has moved${exact}`;
}

// What is seen

function figure(name, what, shown, value) {
  const attributes = { "data-name": name, "data-value": String(value) };
  return h("li", attributes, h("span", { class: "mw-what" }, what), h("b", {}, shown));
}

function row(label, [min, max], onchange) {
  const input = rangeInput({ min, max, step: 0.1, "aria-label": `Logit of ${label}` }, onchange);
  const digits = numberInput(`Logit of ${label}, as a number`, { step: 0.1 }, onchange);
  const bar = h("i");
  const mark = h("b", { class: "mw-mark" });
  const [power, powerName, weight, cold, hot] = Array.from({ length: 5 }, () => h("span"));
  // A value's name, which stands above the column where there is room for columns.
  const key = (name) => h("small", { class: "mw-key" }, name, " ");
  const element = h("li", {},
    h("b", { class: "mw-label", title: label }, label), input, digits.element,
    h("span", { class: "mw-track" }, bar, mark),
    h("span", { class: "mw-number mw-weight" }, key("softmax"), weight),
    h("span", { class: "mw-more mw-number" },
      h("span", {}, key(powerName), power), " ", h("span", {}, key("T → 0:"), cold), " ", h("span", {}, key("T → ∞:"), hot)));

  function set(logit, name, e, p, isBest) {
    input.value = logit;
    input.setAttribute("aria-valuetext", plain(logit)); // which may lie beyond the slider, or between its places
    digits.set(logit);
    powerName.textContent = name;
    power.textContent = number(e);
    power.classList.toggle("mw-error", !Number.isFinite(e));
    weight.textContent = Number.isNaN(p) ? "nan" : p.toFixed(4);
    weight.classList.toggle("mw-error", Number.isNaN(p));
    bar.style.transform = `scaleX(${p || 0})`;
    bar.parentElement.classList.toggle("mw-masked", Number.isNaN(p));
    mark.textContent = isBest ? "arg max" : "";
    mark.classList.toggle("mw-left", p > 0.5); // so as not to cover the end of the bar
    Object.assign(element.dataset, { weight: p, power: e });
  }

  function setLimits(toZero, toInfinity) {
    cold.textContent = plain(toZero, 3);
    hot.textContent = plain(toInfinity, 3);
  }
  return { element, set, setLimits };
}

export default { render };
