/* Boxes that scroll sideways can be reached by the keyboard and say what they are; print shows what is folded. */
const NAMES = { "pre": "Code", ".math, mjx-container": "Formula", ".output": "Output", ".drawing": "Figure", ".pst-scrollable-table-container": "Table" };

const added = new WeakMap();   // to each box that scrolls, the attributes it did not have

function nameScrollBoxes() {
  for (const [selector, name] of Object.entries(NAMES)) {
    for (const box of document.querySelectorAll(`main :is(${selector})`)) {
      const scrolls = box.scrollWidth > box.clientWidth;
      if (scrolls === added.has(box)) continue;
      const wanted = { tabindex: 0, role: "group", "aria-label": `${name}, scrolls sideways` };
      const missing = added.get(box) ?? Object.keys(wanted).filter((it) => !box.hasAttribute(it));
      missing.forEach((it) => (scrolls ? box.setAttribute(it, wanted[it]) : box.removeAttribute(it)));
      scrolls ? added.set(box, missing) : added.delete(box);
    }
  }
}

addEventListener("load", () => {
  nameScrollBoxes();
  globalThis.MathJax?.startup?.promise?.then(nameScrollBoxes);
});
addEventListener("resize", nameScrollBoxes);
addEventListener("toggle", nameScrollBoxes, true);
addEventListener("beforeprint", () => document.querySelectorAll("main details").forEach((it) => (it.open = true)));
