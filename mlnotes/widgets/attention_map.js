// Queries are rows, keys are columns. Dot products are computed once for each head, all else at every move.

const DATA = ["tokens", "key_tokens", "q", "k", "mask", "scale", "heads"];
const VIEW = ["temperature", "causal", "layer", "head"];
const TERMS = 4; // how many products of a dot product are written out
const NEEDS_KERNEL = "To type another sentence, run this chapter in JupyterLab: the vectors come from Python.";
const HOW = "Point at a cell or use the arrow keys. Click or Enter locks it and shows its arithmetic.";

function render({ model, el, hasKernel = true }) {
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
  const isCurrent = () => built === model.get("tokens");
  const sentence = sentenceForm(model, hasKernel);
  build();
  el.append(...sentence.elements, place);
  const resized = new ResizeObserver(() => map.fit());
  resized.observe(place);
  const stop = [
    listen(model, DATA, build),
    listenNow(model, VIEW, () => { if (isCurrent()) map.draw(); }),
    listenNow(model, ["row", "column"], () => { if (isCurrent()) map.point(); }),
    listen(model, ["error", "sentence", ...DATA], sentence.say),
  ];
  return () => { stop.forEach((off) => off()); resized.disconnect(); };
}

// What is computed

function dot(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

function computation(model) {
  const [n, m] = [model.get("tokens").length, model.get("key_tokens").length];
  const q = () => model.get("q")[model.get("layer")][model.get("head")];
  const k = () => (model.get("k") ?? model.get("q"))[model.get("layer")][model.get("head")];
  if (q().length !== n || k().length !== m) throw new Error(`${n} × ${m} tokens, ${q().length} × ${k().length} vectors`);
  const mayLook = (i, j) => (!model.get("causal") || j <= i) && (model.get("mask")?.[i][j] ?? true);
  let head, dots;
  const run = () => {
    if (head !== q()) dots = q().map((query) => k().map((key) => dot(query, key)));
    head = q();
    const factor = model.get("scale") / model.get("temperature");
    return dots.map((row, i) => softmaxSteps(row.map((value, j) => (mayLook(i, j) ? value * factor : -Infinity))));
  };
  return { run, mayLook, vectors: (i, j) => [q()[i], k()[j]] };
}

// What is moved

function controls(model) {
  const layers = model.get("q").map((_, i) => String(i + 1));
  const layer = select("Layer", layers, (i) => write(model, { layer: i }));
  const head = select("Head", model.get("heads"), (i) => write(model, { head: i }));
  const causal = checkbox("Causal: no query looks at a later key", (on) => write(model, { causal: on }));
  const temperature = slider("Temperature", {
    min: -2, max: 2, step: 0.02,
    text: (t) => `T = ${number(t, 3)}`,
    oninput: (position) => write(model, { temperature: 10 ** position }),
  });
  const factor = h("span", { class: "mw-hint" });
  const parts = [temperature.element];
  if (model.get("heads").length > 1) parts.unshift(head.element);
  if (layers.length > 1) parts.unshift(layer.element);
  if (model.get("tokens").length === model.get("key_tokens").length) parts.push(causal.element);
  const set = () => {
    const t = model.get("temperature");
    temperature.set(Math.log10(t), t);
    factor.textContent = `score = q·k × ${plain(model.get("scale"))} / T = q·k × ${plain(model.get("scale") / t)}`;
    layer.set(model.get("layer"));
    head.set(model.get("head"));
    causal.set(model.get("causal"));
  };
  return { element: h("div", { class: "mw-controls" }, ...parts, factor), set };
}

function sentenceForm(model, hasKernel) {
  const note = h("span", { id: `mw-${++ids}`, class: "mw-hint", role: "status" });
  // JupyterLab lets no Enter through to the form.
  const press = (event) => { if (event.key === "Enter") submit(event); };
  const input = h("input", { type: "text", disabled: !hasKernel, "aria-describedby": note.id, onkeydown: press });
  const submit = (event) => {
    event.preventDefault();
    if (input.value === model.get("sentence")) return;
    note.textContent = "Python is computing the vectors …";
    write(model, { sentence: input.value });
  };
  const say = () => {
    const error = model.get("error");
    note.textContent = hasKernel ? error : NEEDS_KERNEL;
    note.classList.toggle("mw-error", error !== "");
    input.setAttribute("aria-invalid", error !== "");
    if (error === "") input.value = model.get("sentence");
  };
  say();
  const form = h("form", { class: "mw-sentence", onsubmit: submit },
    h("label", {}, h("span", {}, "Sentence"), input), h("button", { disabled: !hasKernel }, "Show"), note);
  return { elements: model.get("editable") ? [form] : [], say };
}

// What is seen

function attentionMap(model) {
  const [names, keyNames] = [distinct(model.get("tokens")), distinct(model.get("key_tokens"))];
  const { run, mayLook, vectors } = computation(model);
  const moved = controls(model);
  const bar = colourBar();
  const said = h("p", { class: "mw-sr", role: "status" });
  const steps = h("div");
  const readout = rowReadout(keyNames, () => lock(-1, -1));
  const locked = () => [model.get("row"), model.get("column")];
  let pointed = locked().map((index) => Math.max(index, 0)); // by pointer or focus
  let rows, late;

  const cell = (i, j) => h("div", { role: "gridcell", tabindex: -1, "data-i": i, "data-j": j });
  const cells = names.map((_, i) => keyNames.map((_, j) => cell(i, j)));
  const head = (role) => (name) => h("div", { role, title: name }, h("span", {}, name));
  const [columnHeads, rowHeads] = [keyNames.map(head("columnheader")), names.map(head("rowheader"))];
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
    rows = run();
    image.data.set(rows.flatMap(({ weights }) => weights.flatMap((weight) => [...paint(weight).channels, 255])));
    context.putImageData(image, 0, 0);
    cells.forEach((row, i) => row.forEach((cell, j) => cell.classList.toggle("mw-masked", !mayLook(i, j))));
    point();
    clearTimeout(late);
    // Where there is no room for digits only listeners need them: once the slider rests.
    if (grid.classList.contains("mw-roomy")) writeDigits();
    else late = setTimeout(writeDigits, 150);
  }

  function writeDigits() {
    cells.forEach((row, i) => row.forEach((cell, j) => {
      const weight = rows[i].weights[j];
      cell.textContent = mayLook(i, j) ? weight.toFixed(2).replace(/^0/, "") : "masked";
      cell.style.color = mayLook(i, j) ? paint(weight).ink : "transparent";
    }));
  }

  function point() {
    for (const element of grid.querySelectorAll(".mw-on, .mw-locked")) {
      element.classList.remove("mw-on", "mw-locked");
      if (element.role === "gridcell") { element.tabIndex = -1; element.removeAttribute("aria-label"); }
    }
    const [row, column] = locked();
    const [i, j] = row >= 0 ? [row, column] : pointed;
    const cell = cells[pointed[0]][pointed[1]];
    cell.tabIndex = 0;
    cell.classList.add("mw-on");
    cell.setAttribute("aria-label", spoken(...pointed));
    rowHeads[i].classList.add("mw-on");
    columnHeads[j]?.classList.add("mw-on");
    if (row >= 0) cells[i][j]?.classList.add("mw-locked");
    readout.draw(names[i], rows[i], keyNames.map((_, key) => mayLook(i, key)), j, row >= 0);
    bar.set(rows[i].weights[j] ?? 0);
    steps.replaceChildren(...(row >= 0 && column >= 0 ? [explain(i, j)] : []));
  }

  function spoken(i, j) {
    const weight = mayLook(i, j) ? `weight ${rows[i].weights[j].toFixed(3)}` : "masked, weight 0";
    return `${names[i]} looks at ${keyNames[j]}: ${weight}`;
  }

  function explain(i, j) {
    const lines = arithmetic(...vectors(i, j), rows[i], j, keyNames, model.get("scale"), model.get("temperature"));
    return h("section", { class: "mw-steps", "aria-label": "Arithmetic of the locked cell" },
      h("p", { class: "mw-title" }, "How much ", h("b", {}, names[i]), " looks at ", h("b", {}, keyNames[j]), ", in digits"),
      h("ol", {}, ...lines));
  }

  function lock(row, column) {
    write(model, { row, column });
    said.textContent = row < 0 ? "Unlocked."
      : `Locked ${names[row]} and ${keyNames[column]}: the arithmetic stands below the map.`;
    cells[pointed[0]][pointed[1]].focus();
  }

  function toggle() {
    const again = pointed.every((index, axis) => index === locked()[axis]);
    lock(...(again ? [-1, -1] : pointed));
  }

  function at(event) {
    const cell = event.target.closest("[role=gridcell]");
    if (!cell) return false;
    pointed = [Number(cell.dataset.i), Number(cell.dataset.j)];
    point();
    return true;
  }

  function press(event) {
    const [i, j] = pointed;
    const [down, right] = [names.length - 1, keyNames.length - 1];
    const all = event.ctrlKey || event.metaKey;
    const to = {
      ArrowUp: [Math.max(i - 1, 0), j], ArrowDown: [Math.min(i + 1, down), j],
      ArrowLeft: [i, Math.max(j - 1, 0)], ArrowRight: [i, Math.min(j + 1, right)],
      Home: [all ? 0 : i, 0], End: [all ? down : i, right],
    }[event.key];
    if (to) cells[to[0]][to[1]].focus();
    else if (event.key === "Enter" || event.key === " ") toggle();
    else if (event.key === "Escape") lock(-1, -1);
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
    const size = Math.min(Math.max(Math.floor((width - corner.offsetWidth) / keyNames.length), 8), 42);
    grid.style.setProperty("--cell", `${size}px`);
    if (grid.classList.toggle("mw-roomy", size >= 24)) writeDigits();
  };
  const left = h("div", {}, h("div", { class: "mw-map" }, grid, bar.element));
  const main = h("div", { class: `mw-main${keyNames.length > 20 ? " mw-many" : ""}` }, left, readout.element);
  return { element: h("div", {}, moved.element, main, steps, said), draw, point, fit };
}

function rowReadout(names, unlock) {
  const title = h("p", { class: "mw-title" });
  const button = h("button", { type: "button", onclick: unlock }, "Unlock");
  const bars = names.map(() => h("i"));
  const values = names.map(() => h("span", { class: "mw-number" }));
  const lines = names.map((name, j) => h("li", {}, h("span", {}, name), h("span", { class: "mw-track" }, bars[j]), values[j]));
  const spread = h("p", { class: "mw-spread" });
  const hint = h("p", { class: "mw-hint" });
  const draw = (name, { weights }, allowed, column, isLocked) => {
    title.replaceChildren(isLocked ? "Locked: " : "", h("b", {}, name), " looks at");
    button.hidden = !isLocked;
    weights.forEach((weight, j) => {
      lines[j].dataset.weight = weight;
      lines[j].className = `${j === column ? "mw-on" : ""} ${allowed[j] ? "" : "mw-masked"}`;
      bars[j].style.transform = `scaleX(${weight})`;
      values[j].textContent = allowed[j] ? weight.toFixed(4) : "masked";
    });
    const [nats, n] = [entropy(weights), allowed.filter(Boolean).length];
    const equal = `as of ${Math.exp(nats).toFixed(1)} equal weights; at most ln ${n} = ${Math.log(n).toFixed(3)}`;
    spread.dataset.entropy = nats;
    spread.textContent = n === 0 ? "This query may look at nothing: all its weights are 0."
      : `Entropy ${nats.toFixed(3)} nats, ${equal}.`;
    hint.textContent = isLocked ? "Escape unlocks, too." : HOW;
  };
  const head = h("div", { class: "mw-head" }, title, button);
  return { element: h("div", { class: "mw-side" }, head, h("ul", {}, ...lines), spread, hint), draw };
}

function arithmetic(q, k, { scores, largest, powers, sum, weights }, j, keyNames, scale, temperature) {
  const lines = [];
  const line = (name, what, formula, value, note = "") => lines.push(
    h("li", { "data-step": name, "data-value": value },
      h("span", { class: "mw-what" }, what),
      h("span", { class: "mw-formula" }, formula, " ", h("small", {}, note)),
      h("span", { class: "mw-number" }, `= ${number(value, 5)}`)));
  const digits = (x, n) => bracketed(number(x, n));

  const products = q.map((value, c) => [value * k[c], c]);
  const written = [...products].sort(([a], [b]) => Math.abs(b) - Math.abs(a)).slice(0, TERMS);
  written.forEach(([product, c], at) =>
    line(`term-${c}`, at ? "" : "q · k", `${at ? "+ " : ""}${digits(q[c])} × ${digits(k[c])}`, product, `coordinate ${c}`));
  const left = q.length - written.length;
  const total = dot(q, k);
  if (left) line("rest", "", `+ ${left} more terms`, written.reduce((rest, [product]) => rest - product, total));
  line("dot", "", "all terms", total);

  const below = scores[j] - largest;
  if (scores[j] === -Infinity) {
    line("score", "mask", "the mask takes this key out", -Infinity);
    line("power", "exp", "exp(−∞)", 0);
  } else {
    line("score", "× scale / T", `${digits(total, 5)} × ${number(scale)} / ${number(temperature, 3)}`, scores[j], "the score, in nats");
    const top = keyNames[scores.indexOf(largest)];
    line("below", "− row's largest", `${number(scores[j], 5)} − ${digits(largest, 5)}`, below, `which is that of ${top}`);
    line("power", "exp", `exp(${number(below, 5)})`, powers[j]);
  }
  if (sum > 0) {
    const addends = powers.filter((power) => power > 0).sort((a, b) => b - a);
    const more = addends.length > TERMS ? ` + ${addends.length - TERMS} more` : "";
    const shown = addends.slice(0, TERMS).map((power) => number(power)).join(" + ") + more;
    line("sum", "row's sum", shown, sum, `the same for all ${addends.length} keys, largest first`);
    line("weight", "weight", `${number(powers[j], 5)} / ${number(sum, 5)}`, weights[j]);
  } else {
    line("weight", "weight", "this query may look at nothing", 0);
  }
  return lines;
}

export default { render };
