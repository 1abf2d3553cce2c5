/* The search: chapters come before the reference, and those that speak of a thing most come first. Each hit shows its
   line, from a script beside the index: a page opened from a folder may not read the other pages. */
const bookQuery = (new URLSearchParams(location.search).get("q") ?? "").toLowerCase();
const bookWords = () => splitQuery(bookQuery).filter((it) => !stopwords.includes(it));
const bookFind = (word) => new RegExp(`(?<![\\p{L}\\p{N}])${_escapeRegExp(word)}`, "giu");

Scorer.score = ([docname, title, anchor, descr, score]) => {
  const { rank, text } = bookTexts[docname] ?? { rank: 0, text: "" };
  const said = bookWords().map((it) => [...text.matchAll(bookFind(it))].length);
  return 1000 * rank + 10 * score + Math.min(...said, 500);
};

/* The passage in which most of the words stand close together. Sphinx would ask for the page, and look through that. */
function bookPassage(docname) {
  const { text, code } = bookTexts[docname] ?? { text: "", code: "" };
  for (const it of [text, code]) {
    const places = bookWords().flatMap((word) => [...it.matchAll(bookFind(word))].map((hit) => [hit.index, word]));
    const line = (at) => it.slice(it.lastIndexOf("\n", at) + 1, (it.indexOf("\n", at) + 1 || it.length + 1) - 1);
    const near = ([at]) => (line(at).length > 60)  // rather a sentence than a heading
      + 2 * new Set(places.filter(([other]) => other >= at && other < at + 160).map(([, word]) => word)).size;
    const best = places.reduce((a, b) => (a && near(a) >= near(b) ? a : b), undefined);
    if (best) {
      const said = line(best[0]), at = best[0] - it.lastIndexOf("\n", best[0]) - 1;
      const from = at < 100 ? 0 : said.indexOf(" ", at - 100) + 1;
      const to = said.length - from < 260 ? said.length : said.lastIndexOf(" ", from + 240);
      return (from ? "… " : "") + said.slice(from, to) + (to < said.length ? " …" : "");
    }
  }
  return text.slice(0, 200);
}

globalThis.fetch = async (url) => {
  const path = new URL(url, location).pathname, docname = Object.keys(bookTexts).find((it) => path.endsWith(`/${it}.html`));
  return { text: async () => bookPassage(docname) };
};
Search.makeSearchSummary = (passage) => {
  return Object.assign(document.createElement("p"), { className: "context", textContent: passage });
};
