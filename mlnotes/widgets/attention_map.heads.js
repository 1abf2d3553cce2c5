function nameOfLayer(model, layer) {
  return model.get("layers")?.[layer] ?? String(layer + 1);
}

function nameOfHead(model, layer, head) {
  const name = model.get("heads")[head];
  return model.get("q").length > 1 ? `Layer ${nameOfLayer(model, layer)}, head ${name}` : `Head ${name}`;
}

// All heads of all layers at once, folded until somebody asks for them.

function allHeads(map, model, choose) {
  const [layers, heads] = [model.get("q").length, model.get("heads")];
  const [height, width] = [model.get("tokens").length, model.get("key_tokens").length];
  if (layers * heads.length === 1) return { elements: [], draw() {} };
  const places = Array.from({ length: layers }, (_, layer) => heads.map((_, head) => [layer, head]));
  const head = (...text) => h("span", { class: "mw-name-of-head", "aria-hidden": "true" }, ...text); // a radio says both
  const thumbnail = ([layer, at]) => {
    const canvas = h("canvas", { width, height });
    const share = h("span", { class: "mw-share", "aria-hidden": "true" });
    const element = h("div", { role: "radio", tabindex: -1, title: nameOfHead(model, layer, at) }, canvas, share);
    if (layers === 1) element.prepend(head(heads[at]));
    return { element, share, context: canvas.getContext("2d") };
  };
  const thumbnails = places.map((row) => row.map(thumbnail));
  const rows = places.map((row, layer) => [
    ...(layers > 1 ? [head(h("span", {}, "layer "), nameOfLayer(model, layer))] : []),
    ...row.map((_, at) => thumbnails[layer][at].element),
  ]);
  const headings = layers > 1 ? [head(), ...heads.map((it) => head(it))] : [];
  const least = Math.min(Math.max(2.6, 0.42 * Math.max(...heads.map((it) => it.length))), 6); // rem: a long name takes two lines
  const style = `--heads: ${heads.length}; --shape: ${width} / ${height}; --least: ${least}rem`;
  const group = h("div", {
    role: "radiogroup", class: `mw-thumbnails${layers > 1 ? " mw-layers" : ""}`, style, onkeydown: press, onclick: click, onscroll: fade,
    "aria-label": "All heads",
  }, ...headings, ...rows.flat());
  const legend = h("p", { class: "mw-hint" });
  const count = layers * heads.length;
  const element = h("details", { class: "mw-heads", ontoggle: () => { draw(); bringIntoSight(inSight); fade(); } },
    h("summary", {}, `${count === 2 ? "Both" : `All ${count}`} heads at once`), group, legend);
  element.open = model.get("overview");
  const image = new ImageData(width, height);
  const shows = () => JSON.stringify(["temperature", "causal", "marked"].map((it) => model.get(it)));
  let waiting, shown, inSight;

  function paintOne({ element, share, context }, layer, head) {
    const rows = map.weightsOf(layer, head);
    paintWeights(image, rows);
    context.putImageData(image, 0, 0);
    const equal = rows.reduce((sum, { weights }) => sum + Math.exp(entropy(weights)), 0) / rows.length;
    const marked = map.anyMarked() ? map.meanOnMarked(rows).toFixed(2).replace(/^0/, "") : "";
    share.textContent = marked;
    element.setAttribute("aria-label", `${nameOfHead(model, layer, head)}: a row is spread as over ${equal.toFixed(1)} keys`
      + (marked && `; ${map.amongMarked() ? "a marked token gives the others" : "marked keys get"} ${marked}`));
    element.dataset.equal = equal;
  }

  function drawNow() {
    waiting = undefined;
    shown = shows();
    places.flat().forEach(([layer, head]) => paintOne(thumbnails[layer][head], layer, head));
    legend.textContent = !map.anyMarked() ? "Mark tokens below the map: each head then says what weight it gives them."
      : map.amongMarked()
      ? "Below each head: the weight that a marked token gives to the other marked ones, on average."
      : "Below each head: the weight that marked keys get, averaged over the queries.";
  }

  // The map first: what is moved must follow the hand, its small pictures may come a frame later.
  function draw() {
    check();
    if (element.open && shown !== shows()) waiting ??= setTimeout(drawNow);
  }

  function check() {
    places.flat().forEach(([layer, head]) => {
      const isChosen = layer === model.get("layer") && head === model.get("head");
      const { element } = thumbnails[layer][head];
      element.setAttribute("aria-checked", isChosen);
      element.tabIndex = isChosen ? 0 : -1;
      if (isChosen && element !== inSight) bringIntoSight(inSight = element);
    });
  }

  // Of many heads, the chosen one may stand below the edge. The page itself stays where it is.
  function bringIntoSight(chosen) {
    const [box, head] = [group.getBoundingClientRect(), chosen.getBoundingClientRect()];
    if (head.top < box.top || head.bottom > box.bottom) group.scrollTop += head.top - box.top - (box.height - head.height) / 2;
  }

  // Heads below the edge are told by their fading: the last row in sight may end just there.
  function fade() {
    group.classList.toggle("mw-more", group.scrollTop + group.clientHeight < group.scrollHeight - 4);
  }

  function take(layer, head) {
    choose(layer, head);
    thumbnails[layer][head].element.focus();
  }

  function click(event) {
    const at = thumbnails.flat().findIndex((it) => it.element.contains(event.target));
    if (at >= 0) take(...places.flat()[at]);
  }

  function press(event) {
    const [layer, head] = [model.get("layer"), model.get("head")];
    const [down, right] = [layers - 1, heads.length - 1];
    const to = {
      ArrowUp: [Math.max(layer - 1, 0), head], ArrowDown: [Math.min(layer + 1, down), head],
      ArrowLeft: [layer, Math.max(head - 1, 0)], ArrowRight: [layer, Math.min(head + 1, right)],
      Home: [layer, 0], End: [layer, right],
    }[event.key];
    if (!to) return;
    take(...to);
    event.preventDefault();
  }

  return { elements: [element], draw };
}
