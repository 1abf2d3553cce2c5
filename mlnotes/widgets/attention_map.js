// Queries are rows, keys are columns. Dot products are computed once for each head, all else at every move.

const DATA = ["tokens", "key_tokens", "q", "k", "v", "mask", "scale", "heads"];
const VIEW = ["temperature", "causal", "layer", "head"];
const POINTERS = ["row", "column", "held", "marked"];
const UNSET = { v: null, held: -1, marked: [], overview: false }; // a page does not hold what nobody has set

function render({ model, el, hasKernel = true }) {
  for (const [name, value] of Object.entries(UNSET)) if (model.get(name) === undefined) model.set(name, value);
  frame(model, el, "attention");
  const place = h("div");
  let map, built;
  const build = () => {
    map = attentionMap(model);
    built = model.get("tokens");
    place.replaceChildren(map.element);
    map.draw();
  };
  // A kernel sets everything at once: until they are built the old map cannot show the weights of other tokens.
  const ifCurrent = (react) => () => { if (built === model.get("tokens")) react(); };
  const sentence = sentenceForm(model, hasKernel);
  build();
  el.append(...sentence.elements, place);
  const resized = new ResizeObserver(() => map.fit());
  resized.observe(place);
  const stop = [
    listen(model, DATA, build),
    listenNow(model, VIEW, ifCurrent(() => map.draw())),
    listenNow(model, POINTERS, ifCurrent(() => map.point())),
    listenNow(model, ["marked"], ifCurrent(() => map.mark())),
    listen(model, ["error", "sentence", ...DATA], sentence.say),
  ];
  return () => { stop.forEach((off) => off()); resized.disconnect(); };
}

// What is computed

function computation(model) {
  const [names, keyNames] = [model.get("tokens"), model.get("key_tokens")];
  const of = (name, layer, head) => model.get(name)[layer][head];
  const q = (layer, head) => of("q", layer, head);
  const k = (layer, head) => of(model.get("k") ? "k" : "q", layer, head);
  const v = (layer, head) => model.get("v") && (model.get("v").length ? of("v", layer, head) : k(layer, head));
  const now = () => [model.get("layer"), model.get("head")];
  const [n, m] = [q(...now()).length, k(...now()).length];
  if (names.length !== n || keyNames.length !== m) {
    throw new Error(`${names.length} × ${keyNames.length} tokens, ${n} × ${m} vectors`);
  }
  const mayLook = (i, j) => (!model.get("causal") || j <= i) && (model.get("mask")?.[i][j] ?? true);
  const known = new Map(); // the dot products of each head that was looked at
  const weightsOf = (layer, head) => {
    const queries = q(layer, head);
    if (!known.has(queries)) known.set(queries, queries.map((query) => k(layer, head).map((key) => dot(query, key))));
    const factor = model.get("scale") / model.get("temperature");
    return known.get(queries).map((row, i) =>
      softmaxSteps(row.map((value, j) => (mayLook(i, j) ? value * factor : -Infinity))));
  };

  // Where queries and keys are the same tokens, a mark is on both.
  const same = names.length === keyNames.length && names.every((name, i) => name === keyNames[i]);
  const marked = () => model.get("marked");
  const shareOfMarked = ({ weights }) => marked().reduce((sum, key) => sum + weights[key], 0);
  const map = {
    rows: [],
    run: () => { map.rows = weightsOf(...now()); },
    weightsOf,
    mayLook,
    vectors: (i, j) => [q(...now())[i], k(...now())[j]],
    values: () => v(...now()),
    given: () => map.rows.filter(({ sum }) => sum > 0).length,
    held: () => model.get("held"),
    anyMarked: () => marked().length > 0,
    isMarkedKey: (j) => marked().includes(j),
    isMarkedQuery: (i) => same && marked().includes(i),
    onMarked: (i) => shareOfMarked(map.rows[i]),
    amongMarked: () => same && marked().length > 1,
    meanOnMarked: (rows) => {
      if (!map.amongMarked()) return rows.reduce((sum, row) => sum + shareOfMarked(row), 0) / rows.length;
      const toOthers = (i) => shareOfMarked(rows[i]) - rows[i].weights[i];
      return marked().reduce((sum, i) => sum + toOthers(i), 0) / marked().length;
    },
  };
  return map;
}

function paintWeights(image, rows) {
  // What is masked stays clear: it must not look like a weight of zero.
  let at = 0;
  for (const { weights, scores } of rows) {
    weights.forEach((weight, j) => {
      image.data.set(paint(weight).channels, at);
      image.data[at + 3] = scores[j] === -Infinity ? 0 : 255;
      at += 4;
    });
  }
}

// What is seen

// Queries that are the last of the keys, as behind a cache, are called as they are.
function namesOfQueries(tokens, keyTokens) {
  const first = keyTokens.length - tokens.length;
  return first >= 0 && tokens.every((token, i) => token === keyTokens[first + i]) ? distinct(keyTokens).slice(first) : distinct(tokens);
}

function attentionMap(model) {
  const keyNames = distinct(model.get("key_tokens"));
  const names = namesOfQueries(model.get("tokens"), model.get("key_tokens"));
  const map = computation(model);
  const moved = controls(model);
  const marks = markForm(model, keyNames);
  const heads = allHeads(map, model, (layer, head) => write(model, { layer, head }));
  const bar = colourBar();
  const said = h("p", { class: "mw-sr", role: "status" });
  const steps = h("div");
  const beside = readout(map, { names, keyNames, unlock: () => lock([-1, -1]), hold: () => hold() });
  const locked = () => [model.get("row"), model.get("column")];
  const isLocked = () => locked().some((index) => index >= 0);
  // By pointer or focus; -1 is the edge where the names stand. At first, the last query is read out where the first
  // one may look at one key only: of its weight of 1 there is nothing to say.
  const seen = (i) => [...keyNames.keys()].filter((j) => map.mayLook(i, j));
  const last = names.length - 1;
  const first = seen(0).length === 1 && seen(last).length > 1 ? [last, seen(last).at(-1)] : [0, 0];
  let pointed = isLocked() ? locked() : first;
  let touched = [], late;

  // A place is a cell of the grid: a weight, the name of a row or that of a column.
  const place = (role, i, j, ...content) => h("div", { role, tabindex: -1, "data-i": i, "data-j": j }, ...content);
  const named = (element, name) => { element.title = name; element.append(h("span", {}, name)); return element; };
  const cells = names.map((_, i) => keyNames.map((_, j) => place("gridcell", i, j)));
  const columnHeads = keyNames.map((name, j) => named(place("columnheader", -1, j), name));
  const rowHeads = names.map((name, i) => named(place("rowheader", i, -1), name));
  const element = ([i, j]) => (i < 0 ? columnHeads[j] : j < 0 ? rowHeads[i] : cells[i][j]);
  // One pixel for each weight, stretched behind the cells: painting 1024 of them one by one takes longer than a frame.
  const canvas = h("canvas", { width: keyNames.length, height: names.length, "aria-hidden": "true" });
  const context = canvas.getContext("2d");
  const image = context.createImageData(keyNames.length, names.length);
  const corner = h("div", { role: "columnheader", class: "mw-corner" }, h("span", {}, "keys →"), h("span", {}, "queries ↓"));
  const size = `--columns: ${keyNames.length}; --rows: ${names.length}`;
  const grid = h("div", { role: "grid", class: "mw-grid", style: size, "aria-label": "Attention weights, queries by keys" },
    canvas, h("div", { role: "row" }, corner, ...columnHeads),
    ...cells.map((row, i) => h("div", { role: "row" }, rowHeads[i], ...row)));

  function draw() {
    moved.set();
    map.run();
    paintWeights(image, map.rows);
    context.putImageData(image, 0, 0);
    cells.forEach((row, i) => row.forEach((cell, j) => cell.classList.toggle("mw-masked", !map.mayLook(i, j))));
    mark();
    point();
    clearTimeout(late);
    // Where there is no room for digits only listeners need them: once the slider rests.
    if (grid.classList.contains("mw-roomy")) writeDigits();
    else late = setTimeout(writeDigits, 150);
  }

  function digits(i, j) {
    return map.mayLook(i, j) ? map.rows[i].weights[j].toFixed(2).replace(/^0/, "") : "masked";
  }

  function writeDigits() {
    cells.forEach((row, i) => row.forEach((cell, j) => {
      cell.textContent = digits(i, j);
      cell.style.color = map.mayLook(i, j) ? paint(map.rows[i].weights[j]).ink : "transparent";
    }));
  }

  function mark() {
    marks.set();
    columnHeads.forEach((head, j) => head.classList.toggle("mw-marked", map.isMarkedKey(j)));
    rowHeads.forEach((head, i) => head.classList.toggle("mw-marked", map.isMarkedQuery(i)));
    heads.draw();
  }

  function point() {
    for (const it of touched) {
      it.classList.remove("mw-on", "mw-locked", "mw-held");
      it.tabIndex = -1;
      it.removeAttribute("aria-label");
    }
    const [i, j] = isLocked() ? locked() : pointed;
    const here = element(pointed);
    const on = [here, rowHeads[i], columnHeads[j]].filter(Boolean);
    touched = [...on, element([i, j]), rowHeads[map.held()]].filter(Boolean);
    on.forEach((it) => it.classList.add("mw-on"));
    here.tabIndex = 0;
    if (here.role === "gridcell") here.setAttribute("aria-label", spoken(...pointed));
    if (isLocked()) element([i, j]).classList.add("mw-locked");
    rowHeads[map.held()]?.classList.add("mw-held");
    beside.draw([i, j], isLocked());
    bar.set(map.rows[i]?.weights[j] ?? 0);
    steps.replaceChildren(...(isLocked() && i >= 0 && j >= 0 ? [explain(i, j)] : []));
  }

  function spoken(i, j) {
    // With the digits that are seen, so that what is heard can be found on the page.
    return `${names[i]} looks at ${keyNames[j]}: ${map.mayLook(i, j) ? `weight ${digits(i, j)}` : "masked, weight 0"}`;
  }

  function explain(i, j) {
    const lines = arithmetic(...map.vectors(i, j), map.rows[i], j, keyNames, model.get("scale"), model.get("temperature"));
    const values = map.values();
    return h("section", { class: "mw-steps", "aria-label": "Arithmetic of the locked cell" },
      h("p", { class: "mw-title" }, "How much ", h("b", {}, names[i]), " looks at ", h("b", {}, keyNames[j]), ", in digits"),
      h("ol", {}, ...lines),
      ...(values ? [weightedValues(names[i], map.rows[i].weights, values, j, keyNames)] : []));
  }

  function lock([row, column]) {
    write(model, { row, column });
    said.textContent = !isLocked() ? "Unlocked."
      : row < 0 ? `Locked ${keyNames[column]}: which queries look at it stands beside the map.`
      : column < 0 ? `Locked ${names[row]}: what it looks at stands beside the map.`
      : `Locked ${names[row]} and ${keyNames[column]}: the arithmetic stands below the map.`;
    element(pointed).focus();
  }

  function toggle() {
    const again = pointed.every((index, axis) => index === locked()[axis]);
    lock(again ? [-1, -1] : pointed);
  }

  function hold() {
    // What is held is let go of; else the row that is read out stays, and another can be read beside it.
    const row = model.get("row") >= 0 ? model.get("row") : pointed[0];
    const held = map.held() >= 0 ? -1 : row;
    write(model, { held, row: -1, column: -1 });
    said.textContent = held < 0 ? "No row is held." : `Held ${names[held]}: the next row is read out beside it.`;
    element(pointed).focus();
  }

  function at(event) {
    const found = event.target.closest("[data-i]");
    if (!found) return false;
    pointed = [Number(found.dataset.i), Number(found.dataset.j)];
    point();
    return true;
  }

  function press(event) {
    const [i, j] = pointed;
    const [down, right] = [names.length - 1, keyNames.length - 1];
    const all = event.ctrlKey || event.metaKey;
    // The names are one step beyond the first row and the first column; the corner has nothing to say.
    const to = {
      ArrowUp: [Math.max(i - 1, j < 0 ? 0 : -1), j], ArrowDown: [Math.min(i + 1, down), j],
      ArrowLeft: [i, Math.max(j - 1, i < 0 ? 0 : -1)], ArrowRight: [i, Math.min(j + 1, right)],
      Home: [all ? 0 : i, 0], End: [all ? down : i, right],
    }[event.key];
    if (to) element(to).focus();
    else if (event.key === "Enter" || event.key === " ") toggle();
    else if (event.key === "Escape") lock([-1, -1]);
    else if (all || event.altKey) return;
    else if (event.key === "h" && (i >= 0 || map.held() >= 0)) hold();
    else if (event.key === "m" && j >= 0) marks.toggle(j);
    else return;
    event.preventDefault();
  }

  grid.addEventListener("pointerover", at);
  grid.addEventListener("focusin", at);
  grid.addEventListener("click", (event) => { if (at(event)) toggle(); });
  grid.addEventListener("keydown", press);
  // Whole pixels, so that cells lie on the pixels behind them.
  let width;
  const fit = () => {
    if (width === left.clientWidth) return; // only the text below has become longer or shorter
    width = left.clientWidth;
    grid.style.removeProperty("--cell"); // or the labels would be measured in what the old cells have left of the width
    const room = Math.floor((width - corner.offsetWidth) / keyNames.length);
    const size = Math.min(Math.max(room, 8), 42);
    scroller.classList.toggle("mw-wide", room < size); // a long text scrolls in its place
    grid.style.setProperty("--cell", `${size}px`);
    if (grid.classList.toggle("mw-roomy", size >= 24)) writeDigits();
  };
  const scroller = h("div", { class: "mw-map" }, grid, bar.element);
  const left = h("div", {}, scroller);
  const main = h("div", { class: `mw-main${keyNames.length > 20 ? " mw-many" : ""}` }, left, beside.element);
  const onlyHead = model.get("q").length * model.get("heads").length === 1;
  const shown = () => (onlyHead ? "" : nameOfHead(model, model.get("layer"), model.get("head")));
  const tools = h("div", { class: "mw-tools" }, marks.element, saving(model, () => pictureOf(map, { names, keyNames, shown: shown() })));
  return { element: h("div", {}, moved.element, ...heads.elements, main, steps, tools, said), draw, point, mark, fit };
}

export default { render };
