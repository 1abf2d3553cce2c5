// Query heads that share key/value heads, the bytes of their cache, and the losses that were measured.

const STATE = ["groups", "tokens"];

function render({ model, el }) {
  frame(model, el, "sharing");
  const [h0, choices] = [model.get("n_heads"), model.get("choices")];
  const [models, losses] = [model.get("models"), model.get("losses")];
  const groups = slider("Key/value heads", {
    min: 0, max: choices.length - 1, step: 1, text: (g) => `${g} of ${h0}`,
    oninput: (position) => write(model, { groups: choices[position] }),
  });
  const tokens = slider("Tokens in the cache", {
    min: 0, max: 17, step: 1, text: (s) => s.toLocaleString("en"),
    oninput: (position) => write(model, { tokens: 2 ** position }),
  });
  const diagram = svg("svg", { viewBox: "-16 0 416 118", "aria-hidden": "true" });
  const said = h("p", { class: "mw-said", role: "status" });
  const cache = measure("cache", "cache", "mw-bytes");
  const rows = models.map((name) => measure(name, `loss of ${name}`, "mw-loss"));
  const most = Math.max(...losses.flatMap((row) => row.map((loss) => loss - row[0])), 1e-9);

  function draw() {
    const [g, s] = STATE.map((name) => model.get(name));
    const at = choices.indexOf(g);
    groups.set(at, g);
    tokens.set(Math.round(Math.log2(s)), s);
    diagram.replaceChildren(...drawing(h0, g));
    const r = h0 / g;
    said.textContent = `Each key/value head serves ${r === 1 ? "one query head" : `${r} query heads`}: `
      + `${r} multiply-add${r === 1 ? "" : "s"} for each number read from the cache.`;
    said.dataset.value = String(r);
    const bytes = nbytes(model, g, s);
    cache.set(bytes, `${bytes.toLocaleString("en")} bytes`, g / h0);
    rows.forEach((row, i) => {
      const difference = losses[i][at] - losses[i][0];
      const sign = difference < 0 ? "−" : "+";
      row.set(losses[i][at], `${losses[i][at].toFixed(3)} nats, ${sign}${Math.abs(difference).toFixed(3)}`,
        Math.max(0, difference) / most);
    });
  }

  const names = h("p", { class: "mw-hint" },
    `Bars: the cache beside that of ${h0} key/value heads; the loss above that of the same model with ${h0}.`);
  el.append(h("div", { class: "mw-controls" }, groups.element, tokens.element), diagram, said,
    h("ul", { class: "mw-measures" }, cache.element, ...rows.map((row) => row.element)), names);
  draw();
  return listen(model, STATE, draw);
}

// What is computed

function nbytes(model, g, s) {
  return 2 * model.get("n_layers") * g * s * model.get("d_head") * model.get("itemsize");
}

// What is seen

function drawing(heads, g) {
  const [left, r] = [86, heads / g];
  const step = (400 - left) / heads;
  const side = Math.min(26, 0.75 * step);
  const square = (x, y, name) => svg("rect", {
    class: name, x: x - side / 2, y: y - side / 2, width: side, height: side, rx: 4,
  });
  const at = (i) => left + step * (i + 0.5);
  const shared = (j) => at(r * j + (r - 1) / 2);
  const each = Array.from({ length: heads }, (_, i) => i);
  const label = (y, text) => svg("text", { x: left - 10, y: y + 4, "text-anchor": "end" }, text);
  return [
    label(22, "queries"), label(94, "keys, values"),
    ...each.map((i) => svg("line", { x1: at(i), y1: 22, x2: shared(Math.floor(i / r)), y2: 94 })),
    ...each.map((i) => square(at(i), 22, "mw-query")),
    ...each.slice(0, g).map((j) => square(shared(j), 94, "mw-shared")),
  ];
}

export default { render };
