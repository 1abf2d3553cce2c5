// Where the weight of a locked cell comes from, and what it brings.

const TERMS = 4; // how many products, or keys, are written out
const COORDINATES = 3; // of the values; a narrow page has no room for more

function largestFirst(values, count, size = Math.abs) {
  return values.map((_, i) => i).sort((a, b) => size(values[b]) - size(values[a])).slice(0, count);
}

function arithmetic(q, k, { scores, largest, powers, sum, weights }, j, keyNames, scale, temperature) {
  const lines = [];
  const line = (name, what, formula, value, note = "") => lines.push(
    h("li", { "data-step": name, "data-value": value },
      h("span", { class: "mw-what" }, what),
      h("span", { class: "mw-formula" }, formula, " ", h("small", {}, note)),
      h("span", { class: "mw-number" }, `=\u00a0${number(value, 5)}`)));
  const digits = (x, n) => bracketed(number(x, n));
  const given = (x) => bracketed(plain(x, 5)); // no zeros that nobody has stored

  const products = q.map((value, c) => value * k[c]);
  const written = largestFirst(products, TERMS);
  written.forEach((c, at) =>
    line(`term-${c}`, at ? "" : "q · k", `${at ? "+ " : ""}${given(q[c])} × ${given(k[c])}`, products[c], `coordinate\u00a0${c}`));
  const left = q.length - written.length;
  const total = dot(q, k);
  if (left) line("rest", "", `+ ${left} more term${left === 1 ? "" : "s"}`,
    products.reduce((rest, product, c) => (written.includes(c) ? rest : rest + product), 0));
  line("dot", "", "all terms", total);

  const below = scores[j] - largest;
  if (scores[j] === -Infinity) {
    line("score", "mask", "the mask takes this key out", -Infinity);
    line("power", "exp", "exp(−∞)", 0);
  } else {
    line("score", "× scale / T", `${digits(total, 5)} × ${plain(scale)} / ${plain(temperature, 3)}`, scores[j], "the score, in nats");
    const top = keyNames[scores.indexOf(largest)];
    line("below", "− row’s largest", `${number(scores[j], 5)} − ${digits(largest, 5)}`, below, `which is that of ${top}`);
    line("power", "exp", `exp(${number(below, 5)})`, powers[j]);
  }
  if (sum > 0) {
    const addends = powers.filter((power) => power > 0).sort((a, b) => b - a);
    const more = addends.length > TERMS ? ` + ${addends.length - TERMS} more` : "";
    const shown = addends.slice(0, TERMS).map((power) => number(power)).join(" + ") + more;
    const seen = scores.filter((score) => score > -Infinity).length;
    line("sum", "row’s sum", shown, sum, seen === 1 ? "there is no other key" : `the same for all ${seen} keys, largest first`);
    line("weight", "weight", `${number(powers[j], 5)} / ${number(sum, 5)}`, weights[j]);
  } else {
    line("weight", "weight", "this query may look at nothing", 0);
  }
  return lines;
}

function average(weights, values) {
  return values[0].map((_, c) => weights.reduce((sum, weight, key) => sum + weight * values[key][c], 0));
}

function weightedValues(name, weights, values, j, keyNames) {
  // The keys that bring most, and the locked one; the coordinates in which the result is largest.
  const result = average(weights, values);
  const coordinates = largestFirst(result, COORDINATES).sort((a, b) => a - b);
  const length = (vector) => Math.hypot(...vector);
  const brought = weights.map((weight, key) => weight * length(values[key]));
  const first = largestFirst(brought, TERMS);
  const keys = first.includes(j) ? first : [...first.slice(0, -1), j];
  const rest = weights.map((weight, key) => (keys.includes(key) ? 0 : weight));
  const others = weights.length - keys.length;

  const cell = (value, of = "") => h("td", { "data-value": value }, number(value, 3), of && h("small", {}, of));
  const row = (name, head, weight, size, cells, props = {}) => h("tr", { "data-values": name, ...props },
    h("th", { scope: "row" }, head), cell(weight), cell(size), ...cells);
  const ofKey = (key) => row(`key-${key}`, keyNames[key], weights[key], brought[key],
    coordinates.map((c) => cell(weights[key] * values[key][c], `${number(weights[key], 3)} × ${bracketed(number(values[key][c], 3))}`)),
    { class: key === j && "mw-on" });
  const ofSum = (name, head, parts) => {
    const vector = average(parts, values);
    return row(name, head, parts.reduce((a, b) => a + b, 0), length(vector), coordinates.map((c) => cell(vector[c])));
  };
  const heads = ["key", "weight", "length", ...coordinates.map((c) => `coord. ${c}`)];
  return h("table", {},
    h("caption", { class: "mw-title" }, "What ", h("b", {}, name), " gets: each key’s value times its weight, added up"),
    h("thead", {}, h("tr", {}, ...heads.map((head) => h("th", { scope: "col" }, head)))),
    h("tbody", {}, ...keys.map(ofKey), ...(others ? [ofSum("rest", `${others} more`, rest)] : [])),
    h("tfoot", {}, ofSum("sum", "result", weights)));
}
