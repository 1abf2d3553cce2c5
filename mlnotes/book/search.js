/* The search: what has the name that was typed comes first, then chapters before the reference, and those that speak of
   a thing most. Each hit shows its line, from a script beside the index: a page opened from a folder may not read others. */
const bookPlain = (name) => name.toLowerCase().replace(/[\s_–-]+/g, " ").trim();
const bookQuery = (new URLSearchParams(location.search).get("q") ?? "").toLowerCase();
const bookIsNamed = (name) => bookPlain(name) === bookPlain(bookQuery);
const bookWords = () => splitQuery(bookQuery).filter((it) => !stopwords.includes(it));
const bookFind = (word) => new RegExp(`(?<![\\p{L}\\p{N}])${_escapeRegExp(word)}`, "giu");
const bookPage = (docname) => bookTexts[docname] ?? { rank: 0, names: [], sections: {}, text: "", code: "" };

Scorer.score = ([docname, title, anchor, descr, score]) => {
  const { rank, names, text } = bookPage(docname);
  const said = bookWords().map((it) => [...text.matchAll(bookFind(it))].length);
  const parts = title.split(".");  // a function, or what a class has, stands deeper than a module
  let order = rank;
  if (!anchor && names.some(bookIsNamed)) order = 8;
  else if (bookIsNamed(title) || bookIsNamed(parts.at(-1))) order = 3 + Math.min(parts.length, 4);
  return 1000 * order + 10 * Math.min(score, 40) + Math.min(...said, 500);
};

/* Sphinx finds a chapter by its other names where they are entries of an index. */
const { setIndex } = Search;
Search.setIndex = (index) => {
  index.docnames.forEach((docname, file) => {
    for (const it of bookPage(docname).names) (index.indexentries[it.toLowerCase()] ??= []).push([file, "", true]);
  });
  setIndex(index);
};

Documentation.TRANSLATIONS["Your search did not match any documents. Please make sure that all words are spelled correctly and that you've selected enough categories."]
  = "No page holds all of these words. Try fewer of them, or another spelling.";

/* The passage, of a page or a section, in which most of the words stand close together. Sphinx would ask for the page,
   and look through that. */
function bookPassage(docname, anchor) {
  const { sections, text, code } = bookPage(docname), section = sections[anchor?.slice(1)], [from, to] = section ?? [0];
  const read = text.split("\n").slice(from + 1, to).join("\n");  // behind the title, which the hit shows
  const searched = section ? [read] : [read, code];
  for (const it of searched) {
    const places = bookWords().flatMap((word) => [...it.matchAll(bookFind(word))].map((hit) => [hit.index, word]));
    const line = (at) => it.slice(it.lastIndexOf("\n", at) + 1, (it.indexOf("\n", at) + 1 || it.length + 1) - 1);
    const near = ([at]) => (line(at).length > 60)  // rather a sentence than a heading
      + 2 * new Set(places.filter(([other]) => other >= at && other < at + 160).map(([, word]) => word)).size;
    const best = places.reduce((a, b) => (a && near(a) >= near(b) ? a : b), undefined);
    if (best) {
      const said = line(best[0]), at = best[0] - it.lastIndexOf("\n", best[0]) - 1;
      const start = at < 100 ? 0 : said.indexOf(" ", at - 100) + 1;
      return (start ? "… " : "") + bookBeginning(said.slice(start));
    }
  }
  return bookBeginning(read);
}

function bookBeginning(text) {
  return text.length < 260 ? text : `${text.slice(0, text.lastIndexOf(" ", 240))} …`;
}

globalThis.fetch = async (url) => {
  const path = new URL(url, location).pathname;
  return { text: async () => Object.keys(bookTexts).find((it) => path.endsWith(`/${it}.html`)) };
};
Search.makeSearchSummary = (docname, words, anchor) => {
  return Object.assign(document.createElement("p"), { className: "context", textContent: bookPassage(docname, anchor) });
};
