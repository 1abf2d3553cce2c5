/* Boxes that scroll sideways can be reached by the keyboard, say what they are, and show that they go on; print shows what is folded. */
const NAMES = { "pre": "Code", ".math, mjx-container": "Formula", ".output": "Output", ".drawing": "Figure", ".pst-scrollable-table-container": "Table", ".mw-matrices": "Matrices" };

function nameScrollBoxes() {
  for (const [selector, name] of Object.entries(NAMES)) {
    for (const box of document.querySelectorAll(`main :is(${selector})`)) {
      if (box.scrollWidth > box.clientWidth) {
        Object.assign(box, { tabIndex: 0, role: "group", ariaLabel: `${name}, scrolls sideways` });
      } else if (box.ariaLabel?.endsWith("scrolls sideways")) {
        ["tabindex", "role", "aria-label"].forEach((it) => box.removeAttribute(it));
      }
      fadeWhereItGoesOn(box);
    }
  }
}

function fadeWhereItGoesOn(box) {
  box.classList.toggle("goes-on", box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
}

addEventListener("load", () => {
  nameScrollBoxes();
  globalThis.MathJax?.startup?.promise?.then(nameScrollBoxes);
});
addEventListener("resize", nameScrollBoxes);
addEventListener("toggle", nameScrollBoxes, true);
addEventListener("scroll", (event) => {
  if (event.target.ariaLabel?.endsWith("scrolls sideways")) fadeWhereItGoesOn(event.target);
}, { capture: true, passive: true });
addEventListener("beforeprint", () => document.querySelectorAll("main details").forEach((it) => (it.open = true)));
