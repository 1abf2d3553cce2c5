/* Boxes that scroll sideways can be reached by the keyboard, say what they are, and show that they go on; print shows what is folded. */
const NAMES = { "pre": "Code", ".math, div.math mjx-container": "Formula", ".output": "Output", ".drawing": "Figure", ".pst-scrollable-table-container": "Table", ".mw-matrices": "Matrices" };

// All boxes are measured before one is changed: after a change, a browser lays out the page again to measure the next.
function nameScrollBoxes(within = document) {
  placeNumbers(within);
  const boxes = Object.entries(NAMES).flatMap(([selector, name]) =>
    [...within.querySelectorAll(`main :is(${selector})`)].map((box) => {
      const scrolls = box.scrollWidth > box.clientWidth;
      return { box, name, scrolls, further: scrolls && goesOn(box) };
    }));
  for (const { box, name, scrolls, further } of boxes) {
    if (scrolls) {
      Object.assign(box, { tabIndex: 0, role: "group", ariaLabel: `${name}, scrolls sideways` });
    } else if (box.ariaLabel?.endsWith("scrolls sideways")) {
      ["tabindex", "role", "aria-label"].forEach((it) => box.removeAttribute(it));
    }
    box.classList.toggle("goes-on", further);
  }
}

// A number that would scroll away with its formula stands beside the box in which the formula scrolls.
function placeNumbers(within) {
  const boxes = [...within.querySelectorAll("main div.math svg[data-labels]")].map((it) => it.closest("div.math"));
  boxes.forEach((it) => it.classList.remove("number-beside"));
  const tooWide = boxes.map((it) => it.scrollWidth > it.clientWidth);
  boxes.forEach((it, i) => {
    const drawn = it.querySelector("mjx-container > svg"), { x, height } = drawn.querySelector("svg[data-table]").viewBox.baseVal;
    drawn.style.setProperty("--formula", `${(2 * x + 1) / height * parseFloat(drawn.getAttribute("height"))}ex`);
    it.dataset.number = it.querySelector("mlabeledtr > mtd").textContent;
    it.classList.toggle("number-beside", tooWide[i]);
  });
}

function goesOn(box) {
  return box.scrollLeft + box.clientWidth < box.scrollWidth - 1;
}

addEventListener("load", () => {
  document.querySelectorAll(".copybtn").forEach((it) => (it.ariaLabel = "Copy"));  // not every browser takes a picture's title for a name
  nameScrollBoxes();
  globalThis.MathJax?.startup?.promise?.then(() => nameScrollBoxes());
});
addEventListener("resize", () => nameScrollBoxes());
// A widget's table grows and shrinks with what the reader chooses.
const grown = new ResizeObserver((tables) => tables.forEach((it) => nameScrollBoxes(it.target.closest(".mw-matrices").parentElement)));
addEventListener("load", () => document.querySelectorAll("main .mw-matrices table").forEach((it) => grown.observe(it)));
addEventListener("toggle", (event) => nameScrollBoxes(event.target), true);
addEventListener("scroll", (event) => {
  const box = event.target;
  if (!box.ariaLabel?.endsWith("scrolls sideways")) return;
  box.style.setProperty("--scrolled", `${box.scrollLeft}px`);
  box.classList.toggle("goes-on", goesOn(box));
}, { capture: true, passive: true });
addEventListener("beforeprint", () => document.querySelectorAll("main details").forEach((it) => (it.open = true)));
// Paper is light, whatever the screen is.
addEventListener("beforeprint", () => {
  const { dataset } = document.documentElement;
  const { theme } = dataset;
  dataset.theme = "light";
  addEventListener("afterprint", () => (dataset.theme = theme), { once: true });
});
