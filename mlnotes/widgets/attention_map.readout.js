// What stands beside the map: a row or a column in digits and bars, and a second row beside the first.

const HOW = "Point at a cell or at a name, or use the arrow keys. Click or Enter locks it; a locked cell shows its arithmetic.";
const LOCKED = "Escape unlocks, too. H holds a row, M marks a token.";

function barList(names) {
  const parts = names.map((name) => {
    const bars = [h("i"), h("i", { class: "mw-second" })];
    const values = [h("span", { class: "mw-number" }), h("span", { class: "mw-number mw-second" })];
    const track = h("span", { class: "mw-track" }, ...bars);
    return { line: h("li", {}, h("span", {}, name), track, ...values), bars, values };
  });
  const element = h("ul", {}, ...parts.map(({ line }) => line));
  const draw = (series, allowed, isOn, isMarked) => {
    const [digits, masked] = series.length > 1 ? [3, "mask"] : [4, "masked"]; // two must find room where one stood
    element.classList.toggle("mw-two", series.length > 1);
    parts.forEach(({ line, bars, values }, at) => {
      const now = { "mw-on": isOn(at), "mw-masked": !allowed[0][at], "mw-marked": isMarked(at) };
      line.className = Object.keys(now).filter((name) => now[name]).join(" ");
      line.dataset.weight = series[0][at];
      if (series.length > 1) line.dataset.second = series[1][at];
      else delete line.dataset.second;
      series.forEach((weights, which) => {
        bars[which].style.transform = `scaleX(${weights[at]})`;
        values[which].textContent = allowed[which][at] ? weights[at].toFixed(digits) : masked;
      });
    });
  };
  return { element, draw };
}

function spreadOf(weights, allowed) {
  const n = allowed.filter(Boolean).length;
  if (n === 0) return "This query may look at nothing: all its weights are 0.";
  if (n === 1) return "There is one key to look at: it gets all the weight.";
  const nats = entropy(weights);
  const equal = `as of ${Math.exp(nats).toFixed(1)} equal weights; at most ln ${n} = ${Math.log(n).toFixed(3)}`;
  return `Entropy ${nats.toFixed(3)} nats, ${equal}.`;
}

function readout(map, { names, keyNames, unlock, hold }) {
  const title = h("p", { class: "mw-title" });
  const unlocking = h("button", { type: "button", onclick: unlock }, "Unlock");
  const holding = h("button", { type: "button", onclick: hold });
  const lists = { row: barList(keyNames), column: barList(names) };
  const place = h("div");
  const [spread, together, onMarked] = ["mw-spread", "mw-together", "mw-on-marked"].map((it) => h("p", { class: it }));
  const hint = h("p", { class: "mw-hint" });
  const head = h("div", { class: "mw-head" }, title, h("span", {}, holding, unlocking));
  const some = (paragraph, text) => { paragraph.textContent = text; paragraph.hidden = !text; };
  let shown;

  function draw([i, j], isLocked) {
    const axis = i < 0 ? "column" : "row";
    if (shown !== axis) place.replaceChildren(lists[axis].element);
    shown = axis;
    unlocking.hidden = !isLocked;
    hint.textContent = isLocked ? LOCKED : HOW;
    (axis === "row" ? drawRow : drawColumn)(i, j, isLocked ? "Locked: " : "");
  }

  function drawRow(i, j, locked) {
    const held = map.held();
    const two = held >= 0 && held !== i;
    const shown = two ? [i, held] : [i];
    const [first, second] = shown.map((row) => map.rows[row].weights);
    const allowed = shown.map((row) => keyNames.map((_, key) => map.mayLook(row, key)));
    lists.row.draw(shown.map((row) => map.rows[row].weights), allowed, (key) => key === j, map.isMarkedKey);
    title.replaceChildren(locked, h("b", {}, names[i]), " looks at",
      ...(two ? [h("span", { class: "mw-beside" }, "held beside: ", h("b", {}, names[held]))] : held === i ? " (held)" : []));
    holding.hidden = held < 0 && !locked;
    holding.textContent = held < 0 ? "Hold" : "Let go";
    spread.dataset.entropy = entropy(first);
    spread.textContent = spreadOf(first, allowed[0]);
    const common = two && first.reduce((sum, weight, key) => sum + Math.min(weight, second[key]), 0);
    together.dataset.common = common;
    some(together, two ? `The two rows have ${common.toFixed(3)} of their weight in common.` : "");
    some(onMarked, map.anyMarked() ? shown.map((row) => `${names[row]} gives the marked keys ${map.onMarked(row).toFixed(3)}.`).join(" ") : "");
  }

  function drawColumn(i, j, locked) {
    const weights = map.rows.map((row) => row.weights[j]);
    const allowed = names.map((_, query) => map.mayLook(query, j));
    lists.column.draw([weights], [allowed], () => false, map.isMarkedQuery);
    title.replaceChildren(locked, h("b", {}, keyNames[j]), " is looked at by");
    holding.hidden = true;
    const received = weights.reduce((a, b) => a + b, 0);
    spread.dataset.received = received;
    spread.textContent = `Receives ${received.toFixed(3)} in all; if all keys got the same, it would be ${(map.given() / keyNames.length).toFixed(3)}.`;
    some(together, "");
    some(onMarked, "");
  }

  return { element: h("div", { class: "mw-side" }, head, place, spread, together, onMarked, hint), draw };
}
