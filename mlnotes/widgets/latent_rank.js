// How many numbers are kept of each token: the bytes of the cache, and the losses that were measured.

const STATE = ["rank", "tokens"];
const [WIDTH, HEIGHT, LEFT, TOP, FLOOR] = [400, 196, 34, 12, 148];

function render({ model, el }) {
  frame(model, el, "rank");
  const [ranks, ways, losses] = ["ranks", "ways", "losses"].map((name) => model.get(name));
  const full = ranks[ranks.length - 1];
  const rank = slider("Numbers kept of each token", {
    min: 0, max: ranks.length - 1, step: 1, text: (r) => `${r} of ${full}`,
    oninput: (position) => write(model, { rank: ranks[position] }),
  });
  // Powers of two, and as many as there are at first, for which losses may have been measured.
  const counts = [...new Set([...Array.from({ length: 18 }, (_, i) => 2 ** i), model.get("tokens")])].sort((a, b) => a - b);
  const tokens = slider("Tokens in the cache", {
    min: 0, max: counts.length - 1, step: 1, text: (s) => s.toLocaleString("en"),
    oninput: (position) => write(model, { tokens: counts[position] }),
  });
  const chart = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true" });
  const said = h("p", { class: "mw-said", role: "status" });
  const rows = ways.map((way, i) => {
    const shown = h("span", { class: "mw-number" });
    const key = svg("svg", { viewBox: "-7 -7 14 14", "aria-hidden": "true" }, mark(i, 0, 0));
    return { shown, element: h("li", { "data-name": way }, key, h("span", {}, way), shown) };
  });

  function draw() {
    const [r, s] = STATE.map((name) => model.get(name));
    const at = ranks.indexOf(r);
    rank.set(at, r);
    tokens.set(counts.findLastIndex((it) => it <= s), s);
    chart.replaceChildren(...drawing(model, r, s));
    const bytes = nbytes(model, r, s);
    said.textContent = `The cache takes ${bytes.toLocaleString("en")} bytes, ${Math.round((100 * r) / full)} % of all.`;
    said.dataset.value = String(bytes);
    rows.forEach(({ shown, element }, i) => {
      const difference = losses[i][at] - losses[i][ranks.length - 1];
      element.dataset.value = String(losses[i][at]);
      shown.textContent = `${losses[i][at].toFixed(2)} nats, `
        + `${difference < 0 ? "−" : "+"}${Math.abs(difference).toFixed(2)}`;
    });
  }

  el.append(h("div", { class: "mw-controls" }, rank.element, tokens.element), chart, said,
    h("ul", { class: "mw-ways" }, ...rows.map((row) => row.element)));
  draw();
  return listen(model, STATE, draw);
}

// What is computed

function nbytes(model, r, s) {
  return model.get("n_layers") * s * r * model.get("itemsize");
}

// What is seen

function drawing(model, r, s) {
  const [ranks, losses] = [model.get("ranks"), model.get("losses")];
  const low = Math.floor(Math.min(...losses.flat()));
  const high = Math.max(Math.ceil(Math.max(...losses.flat())), low + 1);
  const x = (rank) => LEFT + ((WIDTH - LEFT - 30) * rank) / ranks[ranks.length - 1];
  const y = (loss) => TOP + ((FLOOR - TOP) * (high - loss)) / (high - low);
  const shown = ranks.map((_, j) => j).slice(ranks.indexOf(r)); // what is below is not known before one goes there
  const levels = Array.from({ length: high - low + 1 }, (_, i) => low + i);
  const line = (x1, y1, x2, y2, name) => svg("line", { x1, y1, x2, y2, class: name });
  const label = (at, height, text, anchor) => svg("text", { x: at, y: height, "text-anchor": anchor }, text);
  return [
    ...levels.map((loss) => line(LEFT, y(loss), WIDTH, y(loss), "mw-level")),
    ...levels.map((loss) => label(LEFT - 8, y(loss) + 4, String(loss), "end")),
    line(x(r), TOP, x(r), FLOOR, "mw-here"),
    ...losses.map((row, i) => svg("polyline", {
      class: `mw-way-${i}`, points: shown.map((j) => `${x(ranks[j])},${y(row[j])}`).join(" "),
    })),
    ...losses.flatMap((row, i) => shown.map((j) => mark(i, x(ranks[j]), y(row[j])))),
    ...ranks.map((rank) => label(x(rank), FLOOR + 19, short(nbytes(model, rank, s)), "middle")),
    label(LEFT, HEIGHT - 6, "nats (up) against bytes of the cache (right)", "start"),
  ];
}

function mark(i, x, y) {
  const props = { class: `mw-mark mw-way-${i}` };
  if (i === 1) return svg("circle", { ...props, cx: x, cy: y, r: 4.5 });
  const turn = i === 2 ? `rotate(45 ${x} ${y})` : null;
  return svg("rect", { ...props, x: x - 4, y: y - 4, width: 8, height: 8, transform: turn });
}

function short(bytes) {
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), 3);
  const size = bytes / 1000 ** power;
  return `${size.toFixed(power && size < 10 ? 1 : 0)} ${["B", "kB", "MB", "GB"][power]}`;
}

export default { render };
