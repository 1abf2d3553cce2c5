// Which pairs a window, a dilation and blocks leave to attention, and what a token can have heard of through layers.

const STATE = ["window", "dilation", "block", "layers", "token"];
const LAYERS = 10;

function render({ model, el }) {
  frame(model, el, "pattern");
  const n = model.get("n_tokens");
  const control = (label, name, min, max, text) => slider(label, {
    min, max, step: 1, text, oninput: (value) => write(model, { [name]: value }),
  });
  const tokens = (count) => `${count} token${count === 1 ? "" : "s"}`;
  const controls = {
    window: control("Window", "window", 1, n, tokens),
    dilation: control("Dilation", "dilation", 1, 8, (r) => (r === 1 ? "every token" : `every ${r} tokens`)),
    block: control("Block", "block", 1, 16, tokens),
    layers: control("Layers", "layers", 1, LAYERS, String),
    token: control("Token", "token", 0, n - 1, (i) => `number ${i}`),
  };
  const side = 320 / n;
  const top = 16;
  const below = top + 320 + 14;
  const row = 12;
  const drawing = svg("svg", {
    viewBox: `0 0 390 ${below + row * LAYERS}`, "aria-hidden": "true", onclick: (event) => {
      const box = drawing.getBoundingClientRect();
      const i = Math.floor(((event.clientY - box.top) / box.height * (below + row * LAYERS) - top) / side);
      if (i >= 0 && i < n) write(model, { token: i });
    },
  });
  const said = h("p", { class: "mw-said", role: "status" });
  const measures = {
    seen: measure("seen", "pairs that are seen"),
    computed: measure("computed", "pairs that are computed"),
    heard: measure("heard of", "tokens heard of"),
  };

  function draw() {
    for (const name of STATE) controls[name].set(model.get(name));
    const [w, r, b, layers, token] = STATE.map((name) => model.get(name));
    const seen = (i, j) => i >= j && i - j <= (w - 1) * r && (i - j) % r === 0;
    const computed = inBlocks(n, b, seen);
    const heard = news(n, seen, token, layers);
    const parts = [svg("text", { x: 62, y: 11 }, "keys"), svg("text", {
      x: 56, y: top + side * (token + 0.5) + 4, "text-anchor": "end",
    }, `token ${token}`)];
    const square = (name, x, y, share, height = side) => svg("rect", {
      class: name, x: 62 + side * x + (side * (1 - share)) / 2, y: y + (height * (1 - share)) / 2,
      width: side * share, height: height * share,
    });
    for (let i = 0; i < n; i += 1) {
      for (let j = 0; j < n; j += 1) {
        if (seen(i, j)) parts.push(square("mw-seen", j, top + side * i, 0.9));
        else if (computed[i][j]) parts.push(square("mw-spent", j, top + side * i, 0.3));
      }
    }
    parts.push(svg("rect", { class: "mw-chosen", x: 62, y: top + side * token, width: 320, height: side }));
    heard.forEach((reached, layer) => {
      const y = below + row * layer;
      parts.push(svg("text", { x: 56, y: y + 9, "text-anchor": "end" }, layer ? String(layer + 1) : "layer 1"));
      reached.forEach((yes, j) => { if (yes) parts.push(square("mw-heard", j, y, 0.86, row)); });
    });
    drawing.replaceChildren(...parts);
    const last = heard[layers - 1];
    const count = last.filter(Boolean).length;
    const first = last.indexOf(true);
    said.textContent = `After ${layers} layer${layers === 1 ? "" : "s"}, token ${token} can have heard of `
      + (count === 1 ? "itself alone." : `${tokens(count)}, the farthest of them ${token - first} before it.`);
    said.dataset.value = String(token - first);
    const total = (table) => table.reduce((sum, line) => sum + line.filter(Boolean).length, 0);
    const pairs = Array.from({ length: n }, (_, i) => Array.from({ length: n }, (__, j) => seen(i, j)));
    const share = (part) => `${part.toLocaleString("en")} pairs, ${(100 * part / (n * n)).toFixed(1)} %`;
    measures.seen.set(total(pairs), share(total(pairs)), total(pairs) / (n * n));
    measures.computed.set(total(computed), share(total(computed)), total(computed) / (n * n));
    measures.heard.set(count, tokens(count), count / n);
  }

  const hint = h("p", { class: "mw-hint" }, `Squares: pairs that are seen. Dots: pairs that are computed with them, `
    + `since they share a block, and hidden. Bars: of all ${(n * n).toLocaleString("en")} pairs, and of ${n} tokens.`);
  el.append(h("div", { class: "mw-controls" }, ...STATE.map((name) => controls[name].element)), drawing, said,
    h("ul", { class: "mw-measures" }, ...Object.values(measures).map((it) => it.element)), hint);
  draw();
  return listen(model, STATE, draw);
}

// What is computed

function inBlocks(n, b, seen) {
  const key = (i, j) => Math.floor(i / b) * n + Math.floor(j / b);
  const named = new Set();
  for (let i = 0; i < n; i += 1) for (let j = 0; j < n; j += 1) if (seen(i, j)) named.add(key(i, j));
  return Array.from({ length: n }, (_, i) => Array.from({ length: n }, (__, j) => named.has(key(i, j))));
}

function news(n, seen, token, layers) {
  const rows = [];
  let heard = Array.from({ length: n }, (_, i) => i === token);
  for (let layer = 0; layer < layers; layer += 1) {
    const before = heard;
    heard = before.map((_, j) => before.some((yes, i) => yes && seen(i, j)));
    rows.push(heard);
  }
  return rows;
}

// What is seen

export default { render };
