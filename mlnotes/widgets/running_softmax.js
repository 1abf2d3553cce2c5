// One row of attention, block by block: running maximum, running sums, and the numbers that are held.

const STATE = ["block_size", "step", "backwards"];
const [WIDTH, HEIGHT, TOP] = [520, 190, 16];

function render({ model, el }) {
  frame(model, el, "running");
  const [scores, values] = [model.get("scores"), model.get("values")];
  const n = scores.length;
  const size = slider("Keys in a block", {
    min: 1, max: n, step: 1, text: (b) => `${b} of ${n}`,
    oninput: (b) => write(model, { block_size: b, step: Math.min(model.get("step"), Math.ceil(n / b)) }),
  });
  const step = slider("Blocks taken up", {
    min: 0, max: n, step: 1, text: (t) => `${t} of ${Math.ceil(n / model.get("block_size"))}`,
    oninput: (t) => write(model, { step: t }),
  });
  const backwards = checkbox("The last block first", (on) => write(model, { backwards: on }));
  const drawing = svg("svg", { viewBox: `-8 0 ${WIDTH + 8} ${HEIGHT}`, role: "img" });
  const sums = h("ul", { class: "mw-sums" });
  const verdict = h("p", { class: "mw-verdict", role: "status" });

  function draw() {
    const b = model.get("block_size");
    const blocks = blocksOf(n, b, model.get("backwards"));
    const t = Math.min(model.get("step"), blocks.length);
    const now = run(scores, values, blocks.slice(0, t));
    size.set(b);
    step.input.max = blocks.length;
    step.set(t);
    backwards.set(model.get("backwards"));
    drawing.setAttribute("aria-label", `${n} scores; ${blocks.slice(0, t).flat().length} of them taken up`);
    drawing.replaceChildren(...picture(scores, blocks, t, now));
    const held = Math.min(b, n) + 3;
    sums.replaceChildren(
      fact("maximum", "maximum m", t ? number(now.maximum) : "none", now.maximum),
      fact("factor", "older sums times", t > 1 ? number(now.factor) : "none yet", now.factor),
      fact("sum", "sum of exponentials ℓ", number(now.sum), now.sum),
      fact("weighted", "weighted values z", number(now.weighted), now.weighted),
      fact("result", "average so far z / ℓ", t ? number(now.result) : "none", now.result),
      fact("held", "numbers held", held < n ? `${held}, not ${n}` : String(held), held));
    const said = tell(blocks, t, now);
    if (verdict.textContent !== said) verdict.textContent = said;
  }

  const key = h("p", { class: "mw-hint" },
    "Bars: scores. Outlined: still to come. Filled: taken up, the last block strongest. Dashed line: running maximum.");
  el.append(h("div", { class: "mw-controls" }, size.element, step.element, backwards.element), drawing, key, sums, verdict);
  draw();
  return listen(model, STATE, draw);
}

// What is computed

function blocksOf(n, size, backwards) {
  const blocks = [];
  for (let start = 0; start < n; start += size) {
    blocks.push(Array.from({ length: Math.min(size, n - start) }, (_, i) => start + i));
  }
  return backwards ? blocks.reverse() : blocks;
}

function run(scores, values, blocks) {
  let [maximum, factor, sum, weighted, before] = [-Infinity, 1, 0, 0, -Infinity];
  for (const block of blocks) {
    before = maximum;
    maximum = Math.max(maximum, ...block.map((j) => scores[j]));
    factor = Math.exp(before - maximum);
    [sum, weighted] = [sum * factor, weighted * factor];
    for (const j of block) {
      sum += Math.exp(scores[j] - maximum);
      weighted += Math.exp(scores[j] - maximum) * values[j];
    }
  }
  return { maximum, factor, sum, weighted, before, result: sum ? weighted / sum : 0 };
}

function tell(blocks, t, { maximum, factor, before, result }) {
  if (t === 0) return "Nothing is taken up yet: no maximum, and sums of zero.";
  const [first, last] = [blocks[t - 1][0] + 1, blocks[t - 1].at(-1) + 1];
  const keys = first === last ? `key ${first}` : `keys ${first} to ${last}`;
  const what = t === 1
    ? `the maximum is ${number(maximum)}`
    : factor === 1
      ? `no larger score: older sums stay as they are, times 1`
      : `the maximum rises by ${number(maximum - before)}: older sums times ${number(factor)}`;
  const end = t === blocks.length ? ` All keys are in: the result is ${number(result)}.` : "";
  return `Block ${t}, ${keys}: ${what}.${end}`;
}

// What is drawn

function picture(scores, blocks, t, { maximum }) {
  const [low, high] = [Math.min(...scores), Math.max(...scores)];
  const y = (score) => HEIGHT - 14 - ((score - low) / Math.max(high - low, 1e-9)) * (HEIGHT - TOP - 24);
  const wide = (WIDTH - 40) / scores.length;
  const parts = blocks.flatMap((block, i) => block.map((j) => svg("rect", {
    x: 34 + wide * j + 0.1 * wide, y: y(scores[j]), width: 0.8 * wide, height: HEIGHT - 4 - y(scores[j]),
    class: i >= t ? "mw-waiting" : i === t - 1 ? "mw-now" : "mw-taken",
  })));
  for (const score of [low, high]) {
    parts.push(svg("text", { x: 28, y: y(score) + 4, "text-anchor": "end" }, plain(score, 2)));
  }
  if (t) parts.push(svg("line", { x1: 34, x2: WIDTH - 6, y1: y(maximum), y2: y(maximum) }));
  return parts;
}

export default { render };
