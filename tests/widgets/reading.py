"""What the tests of widgets read from a page: as it is now, or at several places at once."""

import json
import re

import numpy as np

# Sets sliders and lists by their labels, as a reader does, and lets what listens to them hear of it.
MOVE = """async (moves) => {
  for (const [label, to] of Object.entries(moves)) {
    const named = (it) => it.ariaLabel ?? [...it.labels].map((label) => label.textContent).join();
    const all = [...document.querySelectorAll(".mw :is(input[type=range], select)")];
    const input = all.find((it) => named(it).toLowerCase().includes(label.toLowerCase()));
    if (!input) throw new Error(`nothing can be moved that is labelled ${label}`);
    if (input.matches("select") && typeof to === "number") input.selectedIndex = to;
    else input.value = to;
    if (input.selectedIndex < 0) throw new Error(`${label} has no ${to}`);
    input.dispatchEvent(new Event("input"));
    if (input.matches("select")) input.dispatchEvent(new Event("change"));
    await null;  // until it was heard: it may change what can be moved next
  }
}"""

READ = """(selector) => [...document.querySelectorAll(selector)].map((it) => {
  const { width, height } = it.getBoundingClientRect();
  return {
    ...Object.fromEntries([...it.attributes].map(({ name, value }) => [name, value])),
    text: it.innerText ?? it.textContent,
    size: [width, height],
    visible: width > 0 && height > 0 && it.checkVisibility({ visibilityProperty: true }),
    pixels: it.getContext ? [...it.getContext("2d").getImageData(0, 0, it.width, it.height).data] : null,
  };
})"""

VISIT = f"""async ([places, selectors]) => {{
  const [move, read, found] = [{MOVE}, {READ}, []];
  for (const place of places) {{
    await move(place);
    found.push(Object.fromEntries(selectors.map((it) => [it, read(it)])));
  }}
  return JSON.stringify(found);
}}"""

NAMED = ".mw :is(.mw-sums, .mw-measures, .mw-ways) [data-name]"


def visit(page, places, *selectors):
    """Move through places, each written as positions by labels, and see at each of them what selectors find.

    All in one call: a call to the browser takes longer than what it asks for. Functions that read from a page read from
    each place as well.
    """
    return [Seen(it) for it in json.loads(page.evaluate(VISIT, [places, [NAMED, *selectors]]))]


class Seen(dict):
    """What `elements` lists, of each selector, at a place."""

    def text(self, selector):
        """Read the text of the only one."""
        [element] = self[selector]
        return element["text"]


def elements(page, selector):
    """List attributes, text, size, visibility and pixels of what a selector finds on a page or at a place."""
    return page[selector] if isinstance(page, Seen) else page.evaluate(READ, selector)


def shown(page, name):
    """Read a number, or what else a widget says beside its picture, in full precision."""
    [value] = [it["data-value"] for it in elements(page, NAMED) if it["data-name"] == name]
    return json.loads(value) if value else None


def drawn(page, selector, *names):
    """Read numbers that say where the elements of a drawing stand: one row for each element."""
    return np.array([[float(it[name]) for name in names] for it in elements(page, selector)])


def corners(page, selector):
    """Read the places that each path, polygon or polyline of a drawing leads through."""
    lines = [it["d"] if "d" in it else it["points"] for it in elements(page, selector)]
    places = [re.findall(r"-?[\d.]+(?:e-?\d+)?", line) for line in lines]
    return [np.reshape(it, (-1, 2)).astype(float) for it in places]
