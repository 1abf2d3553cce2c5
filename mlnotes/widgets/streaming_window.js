// A window that moves over a text: what it evicts, where the weight goes, and the losses that were measured.

const STATE = ["window", "sinks", "token"];
const LARGEST = 0.6; // weight of a bar that reaches the top

function render({ model, el }) {
  frame(model, el, "stream");
  const [n, windows, kept] = ["n_tokens", "windows", "kept"].map((name) => model.get(name));
  const [losses, weights, full] = ["losses", "weights", "full"].map((name) => model.get(name));
  const choice = (label, choices, name, text) => slider(label, {
    min: 0, max: choices.length - 1, step: 1, text, oninput: (at) => write(model, { [name]: choices[at] }),
  });
  const window = choice("Window", windows, "window", (w) => `${w} token${w === 1 ? "" : "s"}`);
  const sinks = choice("First tokens kept", kept, "sinks", (s) => String(s));
  const token = slider("Token that looks", {
    min: 0, max: n - 1, step: 1, text: (t) => `number ${t}`, oninput: (t) => write(model, { token: t }),
  });
  const diagram = svg("svg", { viewBox: "-34 -28 554 146", "aria-hidden": "true" });
  const said = h("p", { class: "mw-said", role: "status" });
  const loss = losses.flat().concat(full);
  const rows = {};
  for (const [name, kind] of [["kept tokens", "mw-bytes"], ["window", ""], ["itself", ""]]) {
    rows[name] = measure(`weight: ${name}`, `weight: ${name}`, kind);
  }
  for (const name of ["all tokens", "this cache"]) rows[name] = measure(`loss: ${name}`, `loss: ${name}`, "mw-loss");

  function draw() {
    const [w, s, t] = STATE.map((name) => model.get(name));
    const [i, j] = [windows.indexOf(w), kept.indexOf(s)];
    window.set(i, w);
    sinks.set(j, s);
    token.set(t);
    const places = seen(t, w, s);
    const evicted = t + 1 - places.length;
    const held = `${places.length} token${places.length === 1 ? "" : "s"} in the cache`;
    diagram.replaceChildren(...drawing(n, t, w, s, places, evicted ? weights[i][j] : []));
    said.textContent = evicted
      ? `${held}, ${evicted} evicted: ${gone(t, w, s)}.`
      : `${held}, none evicted yet.`;
    said.dataset.value = JSON.stringify(places);
    const row = weights[i][j];
    const sum = (from, to) => row.slice(from, to).reduce((a, b) => a + b, 0);
    const shares = { "kept tokens": sum(0, s), window: sum(s, w + s - 1), itself: row[w + s - 1] };
    const printed = hundredths(Object.values(shares));
    Object.entries(shares).forEach(([name, share], at) => {
      // What was measured is an average over queries that tokens were evicted from.
      if (evicted) rows[name].set(share, printed[at], share);
      else rows[name].set(null, "none", 0);
    });
    const largest = Math.max(...loss);
    rows["all tokens"].set(full, `${full.toFixed(2)} nats`, full / largest);
    const above = losses[i][j] - full;
    const sign = above < 0 ? "−" : "+";
    rows["this cache"].set(losses[i][j], `${losses[i][j].toFixed(2)} nats, ${sign}${Math.abs(above).toFixed(2)}`,
      losses[i][j] / largest);
  }

  const hint = h("p", { class: "mw-hint" }, "Bars over the cells, and the weights below: an average query once tokens "
    + "are evicted. Losses: of the whole text. Striped: evicted.");
  el.append(h("div", { class: "mw-controls" }, window.element, sinks.element, token.element), diagram, said,
    h("ul", { class: "mw-measures" }, ...Object.values(rows).map((row) => row.element)), hint);
  draw();
  return listen(model, STATE, draw);
}

// What is computed

function seen(t, w, s) {
  return Array.from({ length: t + 1 }, (_, j) => j).filter((j) => j < s || j > t - w);
}

function gone(t, w, s) {
  const [first, last] = [s, t - w];
  return first === last ? `number ${first}` : `numbers ${first} to ${last}`;
}

// Two decimals that add up to 1.00: the shares that lose most by rounding down are rounded up.
function hundredths(shares) {
  const whole = shares.map((share) => Math.floor(100 * share));
  const lost = (i) => 100 * shares[i] - whole[i];
  const left = 100 - whole.reduce((a, b) => a + b, 0);
  shares.map((_, i) => i).sort((i, j) => lost(j) - lost(i)).slice(0, left).forEach((i) => { whole[i] += 1; });
  return whole.map((n) => (n / 100).toFixed(2));
}

// What is seen

function drawing(n, t, w, s, places, row) {
  const step = 512 / n;
  const cells = Array.from({ length: t + 1 }, (_, j) => {
    const kind = j < s ? "mw-kept" : j > t - w ? "mw-inside" : "mw-evicted";
    return svg("rect", { class: kind, x: 4 + step * j, y: 98, width: step - 1.5, height: 16, rx: 2 });
  });
  const bars = row.map((weight, at) => {
    const height = 90 * Math.min(weight / LARGEST, 1);
    return svg("rect", { class: "mw-weight", x: 4 + step * places[at], y: 94 - height, width: step - 1.5, height });
  });
  const stripes = cells.filter((it) => it.getAttribute("class") === "mw-evicted").map((it) => {
    const [x, y] = [Number(it.getAttribute("x")), 98];
    return svg("line", { x1: x, y1: y + 16, x2: x + step - 1.5, y2: y });
  });
  return [...scale(), ...cells, ...stripes, ...bars];
}

function scale() {
  const y = (weight) => 94 - (90 * weight) / LARGEST;
  return [
    svg("text", { x: -32, y: -11, "text-anchor": "start" }, "weight"),
    ...[0, 0.2, 0.4, 0.6].flatMap((it) => [
      svg("line", { class: "mw-level", x1: 4, x2: 516, y1: y(it), y2: y(it) }),
      svg("text", { x: -3, y: y(it) + 5, "text-anchor": "end" }, String(it)),
    ]),
  ];
}

export default { render };
