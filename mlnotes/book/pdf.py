"""Print the built book into one PDF: ``python -m mlnotes.book.pdf [PAGES] [PDF]``.

Chromium prints each page by itself; here they are joined, numbered, and their links led to the places in the file.
"""

import asyncio
import html
import os
import re
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit
from urllib.request import url2pathname

import yaml
from playwright.async_api import async_playwright
from pypdf import PdfReader, PdfWriter
from pypdf.generic import (
    ArrayObject,
    DecodedStreamObject,
    DictionaryObject,
    Fit,
    FloatObject,
    NameObject,
    NullObject,
    TextStringObject,
)

from mlnotes.book.browser import ARGUMENTS, chromium
from mlnotes.book.directives import TOC

ROOT = Path(__file__).parents[2]
PAPER = {"format": "A4", "print_background": True, "prefer_css_page_size": True}
LINK = re.compile(r'href="([^"]*\.html)?#([^"]+)"')

# A page ready for paper: pictures in place of the widgets that would move, all that is folded open, a light ground;
# over each formula, which is drawn, its source as text that is not seen, but found and copied; and a link to each place
# that something in the book leads to, since Chromium writes down only the places of those.
PREPARE = """async (wanted) => {
  document.documentElement.dataset.theme = "light";
  document.querySelectorAll("details").forEach((it) => (it.open = true));
  await globalThis.MathJax?.startup?.promise;
  await document.fonts.ready;
  await Promise.all([...document.images].map((it) => it.decode().catch(() => 0)));
  const sources = [...(globalThis.MathJax?.startup?.document?.math ?? [])].map(({ math, display, typesetRoot }) => {
    const fence = display ? "$$" : "$", source = document.createElement("span");
    const part = typesetRoot.closest(".math").classList;  // of a formula that may go on in the next line
    const begins = part.contains("math-goes-on") ? "" : fence, ends = part.contains("math-begun") ? "" : fence;
    const said = begins ? math : math.replace(/^\\s*\\{\\}/, "");
    source.className = "print-tex";
    source.textContent = begins + said.trim().replace(/\\s+/g, " ") + ends;
    typesetRoot.prepend(source);
    return [source, typesetRoot.querySelector("svg")];
  });
  const sizes = sources.map(([source, drawn]) => drawn.getBoundingClientRect().width / source.scrollWidth);
  sources.forEach(([source], i) => (source.style.fontSize = `${Math.min(1, sizes[i])}em`));
  const main = document.querySelector("main"), places = document.createElement("div");
  const headings = [...main.querySelectorAll("section[id] > :is(h1, h2)")];
  for (const it of headings) {  // a section may begin at the foot of a sheet whose next one begins with its heading
    const { id } = it.parentElement;
    it.parentElement.removeAttribute("id");
    it.id = id;
  }
  const ids = new Set([...headings.map((it) => it.id), ...wanted]);
  places.className = "print-places";
  for (const id of [...ids].filter((it) => document.getElementById(it))) {
    places.append(Object.assign(document.createElement("a"), { href: `#${encodeURIComponent(id)}`, textContent: "." }));
  }
  main.querySelector("article").prepend(places);
  const text = (it) => [...it.childNodes].filter((node) => !node.classList?.contains("headerlink")).map(
    (node) => node.textContent).join("").trim();
  return headings.map((it) => [Number(it.tagName[1]), text(it), it.id]);
}"""


@dataclass
class Printed:
    """A page of the book on paper."""

    path: Path
    part: str
    pdf: Path
    headings: list
    first: int = 0
    count: int = 0
    places: dict | None = None

    @property
    def title(self):
        """What the page is called."""
        return next((text for level, text, _ in self.headings if level == 1), self.path.stem)


def pages(folder, toc=ROOT / TOC):
    """List the pages of the book.

    Parameters
    ----------
    folder : Path
        Where it was built.
    toc : Path
        Its table of contents.

    Returns
    -------
    list of (str, Path)
        The part and the file of each, in the order of the table of contents.
    """
    toc = yaml.safe_load(toc.read_text(encoding="utf-8"))
    listed = [("", folder / f"{toc['root']}.html")]
    for part in toc["parts"]:
        for chapter in part["chapters"]:
            listed.append((part["caption"], folder / f"{chapter['file']}.html"))
            for section in chapter.get("sections", ()):
                found = sorted(folder.glob(section["glob"].replace("**", "**/*.html")))
                listed += [(part["caption"], it) for it in found if it != listed[-1][1] and it.name != "index.html"]
    return listed


def make(listed, target, work):
    """Print pages and join them.

    Parameters
    ----------
    listed : list of (str, Path)
        The part and the file of each.
    target : Path
        The PDF to write.
    work : Path
        An empty folder.

    Returns
    -------
    list of Printed
        Where each page is.
    """
    return asyncio.run(_make(listed, target, work))


async def _make(listed, target, work):
    wanted = _places(listed)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        tabs = asyncio.Queue()
        for _ in range(os.cpu_count()):
            tab = await browser.new_page(viewport={"width": 1000, "height": 1400})
            tabs.put_nowait(tab)

        async def printed(i, part, path):
            tab = await tabs.get()
            await tab.goto(path.as_uri())
            headings = await tab.evaluate(PREPARE, sorted(wanted.get(path, ())))
            await tab.pdf(path=work / f"{i}.pdf", **PAPER)
            tabs.put_nowait(tab)
            return Printed(path, part, work / f"{i}.pdf", headings)

        book = await asyncio.gather(*(printed(i, *it) for i, it in enumerate(listed)))
        readers = [PdfReader(it.pdf) for it in book]
        tab = await tabs.get()
        before = 0
        for _ in range(2):  # the table of contents moves what it lists, once its own length is known
            at = before
            for it, reader in zip(book, readers, strict=True):
                it.first, it.count = at, len(reader.pages)
                at += it.count
            contents = work / "contents.html"
            contents.write_text(_contents(book), encoding="utf-8")
            await tab.goto(contents.as_uri())
            await tab.pdf(path=work / "contents.pdf", **PAPER)
            before = len(PdfReader(work / "contents.pdf").pages)
        await browser.close()
    _join(book, readers, PdfReader(work / "contents.pdf"), target)
    return book


def _places(listed):
    """Find all places that links of these pages lead to."""
    paths = {path for _, path in listed}
    wanted = {}
    for path in paths:
        for page, place in LINK.findall(path.read_text(encoding="utf-8")):
            target = Path(os.path.normpath(path.parent / html.unescape(page))) if page else path
            if target in paths:
                wanted.setdefault(target, set()).add(unquote(html.unescape(place)))
    return wanted


def _contents(book):
    """Write the title and the table of contents as a page."""
    rows, part = [], ""
    for it in book:
        if it.part != part:
            part = it.part
            rows.append(f"<h2>{html.escape(part)}</h2>")
        rows.append(
            f'<p><a href="{it.path.as_uri()}">{html.escape(it.title)}</a><i></i><span>{it.first + 1}</span></p>'
            if "/api/" not in it.path.as_posix() or it.path.stem == "index"
            else ""
        )
    return f"""<!doctype html><html lang="en"><meta charset="utf-8"><title>Contents</title><style>
      @page {{ size: A4; margin: 25mm 25mm 22mm }}
      body {{ font: 11pt/1.3 sans-serif; margin: 0; color: #1d222b }}
      h1 {{ font-size: 30pt; margin: 0 0 8mm }} h2 {{ font-size: 12pt; margin: 3.5mm 0 1mm; break-after: avoid }}
      p {{ display: flex; margin: 0; gap: 2mm }} a {{ color: inherit; text-decoration: none }}
      i {{ flex: 1; border-bottom: 1px dotted #999; margin-bottom: 1.5mm }}
    </style><h1>{html.escape(book[0].title)}</h1>{"".join(rows)}</html>"""


def _join(book, readers, contents, target):
    writer = PdfWriter()
    for reader in (contents, *readers):
        for page in reader.pages:
            writer.add_page(page)
    known = {}
    for it, reader in zip(book, readers, strict=True):
        own = {page.indirect_reference.idnum: i for i, page in enumerate(reader.pages)}
        it.places = {
            unquote(name.removeprefix("/")): (it.first + own[place.raw_get("/Page").idnum], float(place["/Top"]))
            for name, place in reader.named_destinations.items()
        }
        known[it.path] = it
    owners = [None] * len(contents.pages) + [it for it in book for _ in range(it.count)]
    for number, (page, owner) in enumerate(zip(writer.pages, owners, strict=True)):
        _lead_links(writer, page, owner, known)
        _number(writer, page, f"{owner.title} · {number + 1}" if owner else str(number + 1))
    _bookmark(writer, book)
    writer.add_metadata({"/Title": book[0].title})
    writer.root_object[NameObject("/Lang")] = TextStringObject("en")
    writer.page_mode = "/UseOutlines"
    writer.compress_identical_objects()
    writer.write(target)


def _lead_links(writer, page, owner, known):
    """Lead links between pages of the book to places of the file, and drop those that have none."""
    kept = ArrayObject()
    for reference in page.get("/Annots", ()):
        link = reference.get_object()
        uri, name = str(link.get("/A", {}).get("/URI", "")), link.get("/Dest", link.get("/A", {}).get("/D"))
        left, low, right, high = map(float, link["/Rect"])
        if max(right - left, high - low) < 3:
            continue  # one of ours, which only had to be there
        place = None
        if uri.startswith("file:"):
            url, fragment = urldefrag(uri)
            target = known.get(Path(url2pathname(urlsplit(url).path)))
            place = target and target.places.get(unquote(fragment), (target.first, None))
        elif name is not None and owner:
            place = owner.places.get(unquote(str(name).removeprefix("/")))
        if place:
            for key in ("/A", "/Dest"):
                link.pop(key, None)
            link[NameObject("/Dest")] = _destination(writer, *place)
        if place or re.match("https?:|mailto:", uri):
            kept.append(reference)
    page[NameObject("/Annots")] = kept


def _destination(writer, number, top):
    page = writer.pages[number].indirect_reference
    height = NullObject() if top is None else FloatObject(top)
    return ArrayObject([page, NameObject("/XYZ"), NullObject(), height, NullObject()])


def _number(writer, page, words):
    """Write the chapter and the number below the page, in a font that every reader has."""
    font = DictionaryObject({NameObject("/Type"): NameObject("/Font"), NameObject("/Subtype"): NameObject("/Type1")})
    font[NameObject("/BaseFont")] = NameObject("/Helvetica")
    font[NameObject("/Encoding")] = NameObject("/WinAnsiEncoding")
    resources = page["/Resources"].get_object()
    fonts = resources.setdefault(NameObject("/Font"), DictionaryObject()).get_object()
    fonts[NameObject("/PageNumber")] = font
    left = float(page.mediabox.width) / 2 - 2.25 * len(words)  # a letter is half as wide as high, about
    line = f"\nQ q BT /PageNumber 9 Tf 0.35 g {left:.1f} 28 Td <{words.encode('cp1252', 'replace').hex()}> Tj ET Q"
    own = page["/Contents"]
    own = own if isinstance(own, ArrayObject) else ArrayObject([page.raw_get("/Contents")])
    page[NameObject("/Contents")] = ArrayObject([_stream(writer, "q\n"), *own, _stream(writer, line)])


def _stream(writer, text):
    stream = DecodedStreamObject()
    stream.set_data(text.encode())
    return writer._add_object(stream)


def _bookmark(writer, book):
    parts = {}
    for it in book:
        if it.part and it.part not in parts:
            parts[it.part] = writer.add_outline_item(title=it.part, page_number=it.first, is_open=False)
        chapter = None
        for level, text, place in it.headings:
            number, top = it.places.get(place, (it.first, None))
            fit = {} if top is None else {"fit": Fit.xyz(top=top)}
            above = parts.get(it.part) if level == 1 else chapter
            item = writer.add_outline_item(title=text, page_number=number, parent=above, is_open=False, **fit)
            chapter = item if level == 1 else chapter


def main(arguments):
    """Run the command line; return the exit status."""
    folder = Path(arguments[0] if arguments else ROOT / "_build" / "html").resolve()
    target = Path(arguments[1] if len(arguments) > 1 else folder / "mlnotes.pdf")
    if chromium() is None:
        print("make pdf needs Chromium or Chrome, and none was found", file=sys.stderr)
        return 1
    if not (folder / "index.html").exists():
        print(f"the book must be built first, by make book: there is no {folder / 'index.html'}", file=sys.stderr)
        return 1
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as work:
        book = make(pages(folder), target, Path(work))
    size, seconds = target.stat().st_size / 1e6, time.perf_counter() - start
    print(f"{target}: {book[-1].first + book[-1].count} pages, {size:.1f} MB, in {seconds:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
