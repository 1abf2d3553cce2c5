"""The built book, opened from its folder: complete, offline, readable by everyone."""

import functools
import itertools
import json
import pickle
import pkgutil
import posixpath
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlparse
from urllib.request import url2pathname

import nbformat
import pytest
import yaml
from sphinx.search.en import SearchEnglish

import mlnotes
from mlnotes.book.browser import accessibility_faults
from mlnotes.book.chapter_map import draw, read_map
from mlnotes.book.form import read
from mlnotes.book.sphinx_extension import _typeset
from mlnotes.book.svg import DARK, READABLE

pytestmark = pytest.mark.publishing

ROOT = Path(__file__).parents[2]
TOC = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
CHAPTERS = [it["file"] for part in TOC["parts"] if part["caption"] != "Reference" for it in part["chapters"]]
MAP = read_map(ROOT / "chapters/map.yml")

WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
COLOURS = ["color-contrast", "link-in-text-block"]
COLOUR_RULES = {"runOnly": {"type": "rule", "values": COLOURS}}
STRUCTURE = {"runOnly": WCAG, "rules": {rule: {"enabled": False} for rule in COLOURS}}
NARROWEST = 320  # as wide as a page of 1,280 px is to who sees it at four times its size: WCAG 1.4.10
WIDTHS = NARROW, WIDE = 400, 1283  # a window of 1,300 px, less the bar that scrolls it, which Chromium hides here

LOOK = r"""() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  const raw = [];
  while (walker.nextNode()) {
    const text = walker.currentNode;
    if (text.parentElement.closest("pre, code, script, style, mjx-container")) continue;
    if (/\$\$|\\[(\[]|\\begin\{/.test(text.data)) raw.push(text.data);
  }
  return {
    links: all("[href], [src]").map((it) => it.href || it.src).filter((it) => typeof it === "string"),
    code_links: all("main pre a").map((it) => it.href),
    anchors: all("[id]").map((it) => it.id),
    images: all("main img").map((it) => [it.src.slice(0, 200), it.complete && it.naturalWidth > 0, it.alt]),
    drawings: all("main .drawing > svg").map((it) => [it.ariaLabel, it.getBBox().width > 0, it.ariaLabel]),
    untypeset: all("main .math:not(:has(mjx-container)), main merror, main mtext[mathcolor=red]").map(
      (it) => it.outerHTML).concat(raw),
    captions: all("main p.caption").map((it) => it.id),
    tags: all("main mlabeledtr > mtd:first-child").map((it) => it.textContent),
    widgets: all("main .mlnotes-widget").length,
    unnamed: all(".copybtn:not([aria-label])").length,
  };
}"""

# Every box whose content is wider than itself, and all that sticks out of the column, with what is folded open. A box
# is in a cell, or holds a formula, or is known by its text; it scrolls by the keyboard too, or its content is cut off.
TOO_WIDE = """async () => {
  const cells = [...document.querySelectorAll("main div.cell")];
  const folded = [...document.querySelectorAll("main details:not([open])")];
  const opened = folded.map((it) => new Promise((resolve) => it.addEventListener("toggle", resolve, { once: true })));
  folded.forEach((it) => (it.open = true));
  await Promise.all(opened);
  dispatchEvent(new Event("resize"));  // which a busy browser tells the page later than its new width
  const typeset = [...(globalThis.MathJax?.startup?.document?.math ?? [])];
  const formulas = new Map(typeset.map((it) => [it.typesetRoot, it.math]));
  const found = [], within = new Set();
  const articles = [...document.querySelectorAll("main .bd-article")];
  for (const article of articles.length ? articles : [document.querySelector("main")]) {
    const edge = article.getBoundingClientRect().right + 1;
    for (const it of article.querySelectorAll(":scope *:not(svg *, mjx-container *, .mw-masked)")) {
      const style = getComputedStyle(it), scrolls = /auto|scroll/.test(style.overflowX);
      if (within.has(it.parentElement) || scrolls) within.add(it);
      const wider = it.clientWidth > 1 && it.scrollWidth > it.clientWidth && style.overflowX !== "visible";
      const sticksOut = !within.has(it) && it.getBoundingClientRect().right > edge;
      if (!wider && !sticksOut) continue;
      found.push({
        cell: cells.indexOf(it.closest("div.cell")),
        tex: formulas.get(it.closest("mjx-container") ?? it.querySelector(":scope > mjx-container")) ?? "",
        what: `${it.tagName}.${it.className}: ${it.textContent.trim().slice(0, 60)}`,
        pixels: [it.scrollWidth, it.clientWidth],
        hidden_before: -(it.scrollLeft = -it.scrollWidth, it.scrollLeft),
        cut: !(scrolls && it.tabIndex >= 0 && it.ariaLabel) && !it.matches("input[type=text]"),
      });
      it.scrollLeft = 0;
    }
  }
  folded.forEach((it) => (it.open = false));
  return found;
}"""

SMALLEST_TEXT = """() => Math.min(...[...document.querySelectorAll("main .drawing :is(text, tspan)")].map((it) => {
  const { a, b } = it.getScreenCTM();
  return Math.hypot(a, b) * parseFloat(getComputedStyle(it).fontSize);
}))"""

# axe takes its time for every element. Of the coloured words of code, three of each kind stay elements; of a formula,
# its box; of a drawing, its words; of a button's picture, its title. Colours are looked at on three elements of each
# kind that no page before had: what has the same names all the way up has the same colours, wherever it stands. Of
# those nothing else stays, and in the other width they are looked at where they are painted otherwise.
KIND = """
  const own = (it) => [it.style.color, it.style.background, it.getAttribute("fill")].filter(Boolean).join(" ");
  const once = (found, of) => (it) => found.get(it) ?? found.set(it, of(it)).get(it);
  const kind = once(new Map(), (it) => it.tagName === "MAIN" ? "" :
    `${kind(it.parentElement)}>${it.tagName}.${it.getAttribute("class") ?? ""} ${own(it)}`.trimEnd());
  const count = (it, seen) => seen[kind(it)] = (seen[kind(it)] ?? 0) + 1;
"""
# What stands in the article in both widths was looked at in the narrow one, where targets are closest and boxes scroll.
REMEMBER_SEEN = """() => {
  globalThis.inView = new Set([...document.querySelectorAll("main article *")].filter((it) => it.checkVisibility()));
}"""
APPEARED = """() => {
  const all = [...document.querySelectorAll("main article *")];
  globalThis.appeared = all.filter((it) => !inView.has(it) && it.checkVisibility());
  return appeared.length;
}"""
WITHOUT_TRANSITIONS = """() =>
  document.head.insertAdjacentHTML("beforeend", "<style>* { transition: none !important }</style>")"""
WITHOUT_ARTICLE = "document.querySelectorAll('main article section > * ~ *').forEach(it => it.remove())"
THIN_OUT = f"""() => {{ {KIND}
  const seen = {{}}, spare = [...document.querySelectorAll("main pre span")].filter((it) => count(it, seen) > 3);
  spare.forEach((it) => it.replaceWith(...it.childNodes));
  const pictures = "mjx-container > svg, mjx-assistive-mml, .copybtn svg > :not(title)";
  document.querySelectorAll(pictures).forEach((it) => it.replaceChildren());
  document.querySelectorAll("main .drawing > svg :not(text, text *, :has(text))").forEach((it) => it.remove());
  Object.assign(globalThis, {{ chosen: [], painted: {{}} }});
}}"""
CHOOSE = f"""([seen, width]) => {{ {KIND}
  const says = (it) => [...it.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
  const texts = [...document.querySelectorAll("main *:not(mjx-container *)")].filter(
    (it) => says(it) && it.checkVisibility());
  const here = {{}}, before = new Set(seen);
  chosen.push(...texts.filter((it) => !before.has(kind(it)) && count(it, here) <= 3));
  const paints = chosen.filter((it) => it.checkVisibility()).map((it) => [it, []]);
  for (const theme of ["light", "dark"]) {{
    document.documentElement.dataset.theme = theme;
    const paint = once(new Map(), (it) => {{
      const {{ backgroundColor, backgroundImage, opacity }} = getComputedStyle(it);
      return [backgroundColor, backgroundImage, opacity, it.parentElement ? paint(it.parentElement) : ""].join();
    }});
    for (const [it, found] of paints) found.push(getComputedStyle(it).color, getComputedStyle(it).fill, paint(it));
  }}
  painted[width] = new Map(paints.map(([it, found]) => [it, String(found)]));
  return Object.keys(here);
}}"""
# Lines of code are folded now: axe says nothing of words that a reader would have to scroll to.
LEAVE_CHOSEN = """([first, last]) => {
  document.head.insertAdjacentHTML("beforeend", "<style>main pre { white-space: pre-wrap !important }</style>");
  const others = [...painted[first].keys()].filter((it) => painted[first].get(it) !== painted[last].get(it));
  globalThis.chosen = { [first]: others, [last]: [...painted[last].keys()] };
  const kept = new Set();
  for (let it of Object.values(chosen).flat()) for (; it && !kept.has(it); it = it.parentElement) kept.add(it);
  for (const it of document.querySelectorAll("main *")) {
    if (!kept.has(it) && !kept.has(it.closest(".mlnotes-widget"))) it.remove();  // in a widget, things lie on others
  }
  return { [first]: others.length, [last]: painted[last].size };
}"""

# Pages that one template makes from docstrings and from source: those that load the same files are looked at as one.
TEMPLATES = ("_modules/", "chapters/api/")
ARTICLE = re.compile(r'<article class="bd-article">.*?</article>\s*<footer.*?</footer>', re.DOTALL)


@dataclass
class Page:
    """What the file of a page says, before a script has run."""

    path: Path
    text: str
    links: list
    anchors: set
    files: tuple


@dataclass
class Visit:
    """What a page was seen to be and to do."""

    requests: set = field(default_factory=set)
    complaints: list = field(default_factory=list)
    faults: set = field(default_factory=set)
    overflow: dict = field(default_factory=dict)
    too_wide: dict = field(default_factory=dict)
    smallest_text: dict = field(default_factory=dict)
    found: dict = field(default_factory=dict)


@pytest.fixture(scope="module")
def pages(built):
    """Read every page."""
    paths = {path.relative_to(built).with_suffix("").as_posix(): path for path in sorted(built.rglob("*.html"))}
    return {name: _read(path) for name, path in paths.items() if not re.match("index$|_static/", name)}


def _read(path):
    text = path.read_text(encoding="utf-8")
    tags = [(tag, dict(re.findall(r'\s(href|src|id)="([^"]*)"', tag))) for tag in re.findall(r"<\w[^<>]*>", text)]
    links = [(tag, unescape(it.get("href") or it["src"])) for tag, it in tags if it.get("href") or it.get("src")]
    links = [(tag, urljoin(path.as_uri(), url)) for tag, url in links]
    files = tuple(url for tag, url in links if re.match("<script|<link.* rel=.stylesheet", tag))
    anchors = {unescape(it["id"]) for _, it in tags if "id" in it}
    return Page(path, text, [url for _, url in links], anchors, files)


@pytest.fixture(scope="module")
def visits(pages, browser, about):
    """Open all pages, or those of the one chapter, and look in both widths and both themes."""
    groups = {}
    for name, page in ((it, pages[it]) for it in (about.pages if about else pages)):
        template = next((it for it in TEMPLATES if name.startswith(it)), None)
        groups.setdefault((template, page.files) if template else name, []).append(name)
    context = browser.new_context(viewport={"width": NARROW, "height": 900})
    page, seen = context.new_page(), []  # one page for all: a new one is a new process
    page.set_default_timeout(180_000)  # a busy machine is no failure
    visits = {names[0]: _visit_together(page, [pages[it] for it in names], seen) for names in groups.values()}
    context.close()
    return visits


def _visit_together(page, written, seen):
    """Visit a page below whose article stand those of the others."""
    first, *others = written
    if not others:
        return _visit(page, first.path, seen)
    end, words = ARTICLE.search(first.text).end(), Counter()
    articles = [_with_few_words(ARTICLE.search(it.text)[0], words) for it in others]
    together = first.path.with_name("together.html")
    together.write_text("".join([first.text[:end], *articles, first.text[end:]]), encoding="utf-8")
    visit = _visit(page, together, seen)
    together.unlink()
    return visit


def _with_few_words(html, words):
    """Leave three coloured words of code of each kind, as `THIN_OUT` does, before the browser has to read them all."""

    def thinned(word):
        words[word[1]] += 1
        return word[0] if words[word[1]] <= 3 else word[2]

    return re.sub('<span class="([a-z][a-z0-9]?)">([^<>]*)</span>', thinned, html)


def _visit(page, path, seen):
    visit = Visit()
    listeners = {
        "request": lambda it: visit.requests.add(it.url),
        "requestfailed": lambda it: visit.complaints.append(f"not loaded: {it.url}"),
        "console": lambda it: visit.complaints.append(it.text) if it.type in ("error", "warning") else None,
        "pageerror": lambda it: visit.complaints.append(str(it)),
    }
    for event, listener in listeners.items():
        page.on(event, listener)
    page.set_viewport_size({"width": NARROW, "height": 900})
    page.goto(path.as_uri())
    page.evaluate("() => globalThis.MathJax?.startup?.promise.then(() => 0)")
    page.evaluate("() => document.querySelectorAll('main details.answer').forEach((it) => (it.open = true))")
    visit.found = page.evaluate(LOOK)
    page.evaluate(WITHOUT_TRANSITIONS)
    page.evaluate(THIN_OUT)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(50)
        visit.overflow[width] = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        visit.too_wide[width] = page.evaluate(TOO_WIDE)
        visit.smallest_text[width] = page.evaluate(SMALLEST_TEXT)
        if width == NARROW:
            visit.faults |= _faults(page, "'main'", STRUCTURE, f"{width} px")
            page.evaluate(REMEMBER_SEEN)
        elif page.evaluate(APPEARED):
            visit.faults |= _faults(page, "appeared", STRUCTURE, f"{width} px")
        seen += page.evaluate(CHOOSE, [seen, width])
    page.set_viewport_size({"width": NARROWEST, "height": 900})
    page.wait_for_timeout(50)
    visit.overflow[NARROWEST] = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    chosen = page.evaluate(LEAVE_CHOSEN, WIDTHS)
    for width in (it for it in WIDTHS if chosen.get(str(it))):
        page.set_viewport_size({"width": width, "height": 900})
        for theme in ("light", "dark"):
            page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
            visit.faults |= _faults(page, f"chosen[{width}]", COLOUR_RULES, f"{theme}, {width} px")
    for event, listener in listeners.items():
        page.remove_listener(event, listener)
    return visit


def _faults(page, where, options, when):
    return {(rule, when, element) for rule, element in accessibility_faults(page, where, options)}


def local(url):
    """Return the path of a page or file, and the place on it that is meant."""
    url, place = urldefrag(url)
    return Path(url2pathname(urlparse(url).path)), unquote(place)


def test_no_page_asks_for_anything_from_outside(pages, visits):
    requests = {(name, url) for name, visit in visits.items() for url in visit.requests}
    requests |= {(name, url) for name, page in pages.items() for url in page.files}
    assert not {(name, url) for name, url in requests if not url.startswith(("file:", "data:"))}


def test_the_folder_opens_at_the_start_page(built):
    assert 'content="0; url=chapters/index.html"' in (built / "index.html").read_text(encoding="utf-8")


def test_a_page_of_the_reference_is_stored_without_those_that_were_read_before(built):
    document = pickle.loads((built.parent / ".doctrees/chapters/api/blocks/eigen.doctree").read_bytes())
    assert {id(node.document) for node in document.findall()} == {id(document)}


def test_punctuation_after_a_formula_stands_there_once(pages):
    twice = re.compile(r"([.,;:!?])</span>\1")
    assert not {name: twice.findall(page.text) for name, page in pages.items() if twice.search(page.text)}


def test_no_page_reports_an_error(visits):
    assert not {name: visit.complaints for name, visit in visits.items() if visit.complaints}


def test_no_page_has_an_accessibility_fault_in_either_theme_and_width(visits):
    assert not {name: visit.faults for name, visit in visits.items() if visit.faults}


def test_buttons_that_copy_have_a_name_where_the_title_of_a_picture_is_none(visits):  # as in WebKit
    assert not {name: visit.found["unnamed"] for name, visit in visits.items() if visit.found["unnamed"]}


@pytest.mark.parametrize("name", ["chapters/index", CHAPTERS[0], "chapters/api/index", "search"])
def test_what_stands_around_a_page_has_no_accessibility_fault(name, built, browser):
    page = browser.new_page()
    page.goto((built / f"{name}.html").as_uri())
    page.wait_for_timeout(300)  # until the theme has put its icons in place
    page.evaluate(WITHOUT_TRANSITIONS)
    page.evaluate(WITHOUT_ARTICLE)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        for theme in ("light", "dark"):
            page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
            assert accessibility_faults(page, "{exclude: ['main article']}", {"runOnly": WCAG}) == []
    page.close()


def test_no_page_is_wider_than_the_window(visits):
    assert not {name: visit.overflow for name, visit in visits.items() if max(visit.overflow.values()) > 0}


@pytest.mark.parametrize("width", WIDTHS)
def test_no_content_is_cut_off(width, visits):
    cut = {name: [it for it in visit.too_wide[width] if it["cut"]] for name, visit in visits.items()}
    assert not {name: blocks for name, blocks in cut.items() if blocks}
    assert any(visit.too_wide[NARROW] for visit in visits.values())  # on a wide page, nothing has to scroll


def test_no_formula_in_a_sentence_is_too_wide_for_a_narrow_page(visits):
    formulas = {
        name: [it for it in visit.too_wide[NARROW] if "SPAN.math" in it["what"]] for name, visit in visits.items()
    }
    assert not {name: [it["tex"] for it in found] for name, found in formulas.items() if found}


def test_the_link_from_source_to_its_page_stands_where_no_line_fades(built, browser):
    page = browser.new_page(viewport={"width": NARROW, "height": 900})
    page.goto((built / "_modules/mlnotes/blocks/softmax.html").as_uri())
    boxes = page.locator("a.viewcode-back").evaluate_all("all => all.map((it) => it.getBoundingClientRect().right)")
    assert 0 < max(boxes) < NARROW / 2
    page.close()


def test_what_is_too_wide_for_a_narrow_page_is_seen_from_its_beginning(visits):
    found = {name: [it for it in visit.too_wide[NARROW] if it["hidden_before"]] for name, visit in visits.items()}
    assert not {name: blocks for name, blocks in found.items() if blocks}


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_on_a_wide_page_nothing_in_a_chapter_needs_to_scroll(chapter, visits):
    blocks = visits[chapter].too_wide[WIDE]
    found = {cell_with(chapter, it): (it["what"], it["pixels"]) for it in blocks}
    assert not found


def test_on_a_wide_page_nothing_outside_of_the_chapters_needs_to_scroll_but_source_files(visits):
    others = {name: visit for name, visit in visits.items() if name not in CHAPTERS}
    pages = {name: visit.too_wide[WIDE] for name, visit in others.items() if not name.startswith("_modules/")}
    assert not {name: blocks for name, blocks in pages.items() if blocks}


def test_what_goes_on_beyond_its_frame_fades_out_there_until_it_is_scrolled_to_its_end(built, browser):
    page = browser.new_page(viewport={"width": 400, "height": 900})
    page.goto((built / "chapters/blocks/svd.html").as_uri())
    page.evaluate("() => MathJax.startup.promise.then(() => 0)")
    boxes = page.locator("main [aria-label$='scrolls sideways']")
    fading = """all => all.map((it) => getComputedStyle(it).maskImage !== 'none'
        || getComputedStyle(it, '::after').content.startsWith('"›"'))"""
    kinds = boxes.evaluate_all("all => all.map((it) => it.ariaLabel.split(',')[0])")
    assert {"Code", "Formula", "Table", "Figure"} <= {*kinds}
    assert all(boxes.evaluate_all(fading))
    boxes.evaluate_all("all => all.forEach((it) => it.scrollTo(it.scrollWidth, 0))")
    page.wait_for_timeout(100)
    assert not any(boxes.evaluate_all(fading))
    boxes.first.evaluate("it => it.scrollTo(0, 0)")
    page.wait_for_timeout(100)
    assert boxes.evaluate_all(fading)[0]
    boxes.first.focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    assert not boxes.evaluate_all(fading)[0]  # its outline would fade as well
    page.set_viewport_size({"width": WIDE, "height": 900})
    page.wait_for_function("!document.querySelector('main .goes-on')")
    page.close()


def test_the_number_of_a_formula_stays_in_sight_on_screens_where_the_formula_scrolls(built, browser):
    page = browser.new_page(viewport={"width": NARROW, "height": 900})
    page.goto((built / "chapters/blocks/lu.html").as_uri())
    page.evaluate("() => MathJax.startup.promise.then(() => 0)")
    page.evaluate("() => dispatchEvent(new Event('resize'))")
    frame = page.locator("main div.math:has([data-labels])").first
    box = frame.locator("mjx-container")
    number = """it => [getComputedStyle(it, '::after').content,
        getComputedStyle(it.querySelector('g[data-labels]')).visibility]"""
    ends = """it => ['left', 'right'].map((end) => Math.round(it.getBoundingClientRect()[end]
        - it.querySelector('[data-table] [data-mml-node=mlabeledtr]').getBoundingClientRect()[end]))"""
    beside, drawn = ['"(1)" / ""', "hidden"], ["none", "visible"]
    assert frame.evaluate(number) == beside
    assert frame.evaluate("it => it.scrollWidth <= it.clientWidth")
    assert box.evaluate("it => it.classList.contains('goes-on')")
    left, _ = box.evaluate(ends)
    assert -5 <= left <= 0
    box.evaluate("it => it.scrollTo(it.scrollWidth, 0)")
    _, right = box.evaluate(ends)
    assert 0 <= right <= 5
    page.emulate_media(media="print")
    assert frame.evaluate(number) == drawn
    page.emulate_media(media="screen")
    page.set_viewport_size({"width": WIDE, "height": 900})
    page.wait_for_function("!document.querySelector('main .number-beside')")
    assert frame.evaluate(number) == drawn
    page.close()


def test_the_lines_of_a_mistake_are_whole_in_a_narrow_window_and_told_apart(part, browser):
    page = browser.new_page(viewport={"width": NARROW, "height": 900})
    page.goto((part / "chapters/attention/self_attention.html").as_uri())
    hidden = page.locator("main .highlight-diff pre").evaluate_all(
        "all => all.map((it) => it.scrollWidth - it.clientWidth)"
    )
    assert hidden
    assert not any(hidden)  # what differs is often the end of a line
    ours, wrong = (page.locator(f"main .{kind}").first for kind in ("gd", "gi"))
    assert ours.evaluate("it => getComputedStyle(it).color") != wrong.evaluate("it => getComputedStyle(it).color")
    page.close()


def test_a_table_that_a_reader_makes_wider_shows_that_it_goes_on_and_a_narrower_one_does_not(built, browser):
    page = browser.new_page(viewport={"width": NARROW, "height": 900})
    page.goto((built / "chapters/blocks/lu.html").as_uri())
    page.get_by_label("System").select_option("doubling column")
    page.get_by_role("slider", name="Step").fill("4")
    page.wait_for_selector("main .mw-matrices.goes-on[aria-label='Matrices, scrolls sideways'][tabindex='0']")
    page.get_by_label("System").select_option("small pivot")
    page.wait_for_selector("main .mw-matrices:not(.goes-on, [aria-label], [tabindex])")
    page.close()


@pytest.mark.parametrize("name", ["notation", "blocks/softmax"])
def test_sentences_in_a_table_are_not_squeezed_to_words_in_a_narrow_window(name, part, browser):
    page = browser.new_page(viewport={"width": NARROW, "height": 900})
    page.goto((part / f"chapters/{name}.html").as_uri())
    widths = page.locator("main td.sentence").evaluate_all("all => all.map((it) => it.offsetWidth)")
    assert len(widths) > 10
    assert min(widths) >= 160
    page.close()


def test_the_note_below_a_table_stands_outside_its_frame_and_breaks_no_number(part, browser):
    page = browser.new_page(viewport={"width": NARROW, "height": 900})
    page.goto((part / "chapters/blocks/softmax.html").as_uri())
    note = page.locator("main .mlnotes-notes").first
    assert page.locator("main .goes-on table.mlnotes-table").count() > 0
    assert page.locator("main .goes-on .mlnotes-notes").count() == 0
    numbers = note.locator(".glued")
    assert "1e-1" in numbers.first.inner_text()
    numbers = page.locator("main .mlnotes-table td .glued, main .mlnotes-notes .glued")
    for width in range(320, 440, 10):
        page.set_viewport_size({"width": width, "height": 900})
        assert {*numbers.evaluate_all("all => all.map((it) => it.getClientRects().length)")} == {1}
    page.close()


@pytest.mark.parametrize(
    ("printed", "typeset"),
    [
        ("1 / (1 + exp(-x)), as torch&#x27;s", "1 / (1 + exp(−x)), as torch’s"),
        ("the heads&#x27; keys lie in [-1, 1]", "the heads’ keys lie in [−1, 1]"),
        ("(3, -4), -√2, -|x| and -inf", "(3, −4), −√2, −|x| and −inf"),
        ("j &lt;= i + offset - j", "j &lt;= i + offset\u00a0−\u00a0j"),
        ("1e-200", '<span class="glued">1e-200</span>'),
        ("0 of 12", "0\u00a0of\u00a012"),
        ("one-hot, E(n)-equivariant, the 2-norm", "one-hot, E(n)-equivariant, the 2-norm"),
        ("axis=-1, x[-1], g l -&gt; l", "axis=-1, x[-1], g l -&gt; l"),
        ("<code>a - b&#x27;s</code>", '<code class="glued">a - b&#x27;s</code>'),
        ("<code>a - b, which is too long to stand in one line</code>",) * 2,
        ('<td class="a-1">-1</td>', '<td class="a-1">−1</td>'),
    ],
)
def test_what_a_table_says_is_typeset_but_code_stays(printed, typeset):
    assert _typeset(printed) == typeset


@pytest.mark.parametrize("width", [320, 340, 375, 400, 429, 430, 600])
def test_the_rows_of_the_map_do_not_run_into_each_other(width, part, browser):
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.goto((part / "chapters/index.html").as_uri())
    rows = page.locator(".chapter-map li").evaluate_all("""all => all.map((it) => {
      const boxes = [...it.children].map((child) => child.getBoundingClientRect());
      return [Math.min(...boxes.map((box) => box.top)), Math.max(...boxes.map((box) => box.bottom))];
    })""")
    assert len(rows) == len(MAP)
    assert min(below[0] - above[1] for above, below in itertools.pairwise(rows)) > 8
    page.close()


def test_the_text_of_figures_is_large_enough_in_both_widths(visits):
    sizes = {(name, width): size for name, visit in visits.items() for width, size in visit.smallest_text.items()}
    assert {where: size for where, size in sizes.items() if size < READABLE - 0.1} == {}
    assert min(sizes.values()) < 20


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_figures_stand_on_the_ground_of_the_page_and_have_the_colours_of_its_theme(theme, built, browser):
    page = browser.new_page(color_scheme=theme)
    page.goto((built / "chapters/blocks/matmul.html").as_uri())
    ground, drawn = page.evaluate("""() => [
      getComputedStyle(document.body).backgroundColor,
      [...document.querySelectorAll(".drawing :is(path, text):not(defs *)")].map((it) => getComputedStyle(it).fill)]""")
    assert drawn[0] == ground
    colours = DARK if theme == "light" else DARK.values()
    assert {*drawn} <= {"none", *("rgb({}, {}, {})".format(*bytes.fromhex(it[1:])) for it in colours)}
    page.close()


def test_paper_is_light_whatever_the_screen_is(built, browser):
    page = browser.new_page(color_scheme="dark")
    page.goto((built / "chapters/blocks/matmul.html").as_uri())
    ground = "() => getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(ground)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert page.evaluate(ground) == "rgb(255, 255, 255)" != dark
    assert max(page.locator("h2").first.evaluate("(it) => getComputedStyle(it).color.match(/\\d+/g).map(Number)")) < 100
    page.emulate_media(media="screen")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate(ground) == dark
    page.close()


def test_on_paper_long_source_and_tables_break_where_no_line_stands_alone(built, browser):
    page = browser.new_page()
    page.emulate_media(media="print")
    page.goto((built / "chapters/blocks/matmul.html").as_uri())
    style = "(all, name) => [...new Set(all.map((it) => getComputedStyle(it)[name]))]"
    source = page.locator('div.cell_output div[class*="highlight-"]')
    assert source.evaluate_all(style, "breakInside") == ["auto"]
    heads = page.locator('.bd-article :is(table.mlnotes-table thead, tr:has(> th[scope="rowgroup"]))')
    assert heads.evaluate_all(style, "breakAfter") == ["avoid"]
    page.close()


def cell_with(chapter, block):
    """Return the id of the cell that a block of a page comes from."""
    cells = json.loads((ROOT / f"{chapter}.ipynb").read_text(encoding="utf-8"))["cells"]
    if block["cell"] >= 0:
        return [it for it in cells if it["cell_type"] == "code"][block["cell"]]["id"]
    tex = "".join(block["tex"].split())
    return next((it["id"] for it in cells if tex and tex in "".join("".join(it["source"]).split())), block["what"])


def test_all_images_load_and_are_described(visits):
    images = [(name, *image) for name, visit in visits.items() for image in visit.found["images"]]
    images += [(name, *image) for name, visit in visits.items() for image in visit.found["drawings"]]
    assert len(images) > len(visits.keys() & {*CHAPTERS})
    assert not [it for it in images if not it[2] or not it[3] or re.search(r"\.(png|svg)$|^_images", it[3])]


def test_all_math_is_typeset(visits):
    assert not {name: visit.found["untypeset"] for name, visit in visits.items() if visit.found["untypeset"]}
    assert all("mathjax" in " ".join(visits[name].requests) for name in visits.keys() & {*CHAPTERS})


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_figures_and_formulas_have_the_numbers_on_the_page_that_they_have_in_the_notebook(chapter, visits):
    cells = json.loads((ROOT / f"{chapter}.ipynb").read_text(encoding="utf-8"))["cells"]
    source = "\n".join("".join(it["source"]) for it in cells if it["cell_type"] == "markdown")
    found = visits[chapter].found
    assert found["captions"] == [f"figure-{it}" for it in re.findall(r"^\*\*Figure (\d+)\.\*\*", source, re.M)]
    assert found["tags"] == [f"({it})" for it in re.findall(r"\\tag\{(\d+)\}", source)]


def test_every_link_inside_the_book_leads_somewhere(pages, visits, built):
    broken = []
    for name, page in pages.items():
        made = visits[name].found["links"] if name in visits and not name.startswith(TEMPLATES) else []
        for url in {url for url in [*page.links, *made] if url.startswith("file:")}:
            path, place = local(url)
            target = pages.get(path.relative_to(built).with_suffix("").as_posix()) if path.suffix == ".html" else None
            if not path.exists() or (target and place and place not in target.anchors):
                broken.append((name, url))
    assert not broken


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_widget_and_figure_of_a_chapter_can_be_linked(chapter, pages):
    html = pages[chapter].text.split("<article")[1]
    anchored = re.findall(r'<div class="anchored" id="([\w-]+)"><a class="headerlink" href="#([\w-]+)"', html)
    captions = re.findall(r'<p class="caption" id="(figure-\d+)">.*?<a class="headerlink[^"]*" href="#([\w-]+)"', html)
    places = [place for place, _ in anchored + captions]
    assert places == [link for _, link in anchored + captions]
    assert len(places) == len({*places})
    assert len(captions) == html.count('<p class="caption"')
    widgets = html.count('class="mlnotes-widget"')
    assert sum(place.startswith("widget-") for place in places) == widgets
    # A drawing has a place of its own unless a caption, which has one, follows its cell.
    drawings = re.findall(r'(<div class="anchored" id="drawing[\w-]*">.{0,200})?<div class="drawing">', html)
    assert len(drawings) - sum(map(bool, drawings)) <= len(captions)
    assert widgets + len(drawings) > 0


BEYOND_SIDEBAR = """() => [...document.querySelectorAll("[class*=bd-sidebar-] a")].filter(it => {
  const range = document.createRange();
  range.selectNodeContents(it);
  return range.getBoundingClientRect().right > it.closest("[class*=bd-sidebar-]").getBoundingClientRect().right;
}).map(it => it.textContent.trim())"""


def test_no_name_in_a_sidebar_of_the_reference_is_cut_off(pages, browser):
    reference = [it for it in pages if it.startswith("chapters/api/")]
    names = {it: re.findall(r"(\w+)\(\)</span>", pages[it].text.replace("<wbr>", "")) for it in reference}
    longest = {it: max(map(len, found), default=0) for it, found in names.items()}
    page = browser.new_page(viewport={"width": WIDE, "height": 900}, java_script_enabled=False)
    for name in sorted(reference, key=longest.get)[-8:]:
        page.goto(pages[name].path.as_uri())
        assert not page.evaluate(BEYOND_SIDEBAR), name
    page.close()


def test_the_link_to_a_figure_is_seen_under_the_pointer_and_from_the_keyboard(built, browser):
    page = browser.new_page(viewport={"width": WIDE, "height": 900})
    page.goto((built / "chapters/attention/self_attention.html").as_uri())
    for place in ("h2", ".anchored", "p.caption"):
        here = page.locator(f".bd-article {place}:has(> a.headerlink)").first
        link = here.locator("> a.headerlink")
        page.mouse.move(0, 0)
        assert link.evaluate("it => getComputedStyle(it).opacity") == "0"
        here.hover(position={"x": 5, "y": 5})
        assert link.evaluate("it => getComputedStyle(it).opacity") == "1"
        page.mouse.move(0, 0)
        link.focus()
        page.keyboard.press("Shift+Tab")
        page.keyboard.press("Tab")  # as a keyboard would reach it
        assert link.evaluate("it => getComputedStyle(it).opacity") == "1"
        page.keyboard.press("Enter")
        assert page.evaluate("location.hash").removeprefix("#") in here.evaluate(
            "it => [it.id, it.closest('section')?.id]"
        )
    page.close()


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_code_in_a_chapter_links_to_its_documentation_and_back(chapter, pages, visits, built):
    documentation = chapter.replace("chapters", "chapters/api", 1)
    functions = documentation.replace("chapters/api", "mlnotes", 1).replace("/", ".") + "."
    linked = {local(url) for url in visits[chapter].found["code_links"]}
    assert any(path == built / f"{documentation}.html" and place.startswith(functions) for path, place in linked)
    assert (built / f"{chapter}.html") in {local(url)[0] for url in pages[documentation].links}


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_weighs_less_than_a_megabyte_and_a_half_beside_mathjax_and_the_theme(chapter, visits, built):
    shared = [built / "_static" / name for name in ("mathjax", "scripts", "styles", "vendor")]
    paths = {local(url)[0] for url in visits[chapter].requests if url.startswith("file:")}
    own = {path: path.stat().st_size for path in paths if not any(path.is_relative_to(it) for it in shared)}
    print(f"{chapter}: {sum(own.values()) / 1e6:.2f} MB;", {it.name: size for it, size in own.items() if size > 2e4})
    assert sum(own.values()) < 1.5e6


def test_only_pages_that_hold_a_widget_load_the_widgets(pages, visits):
    for name, page in pages.items():
        held = re.search(r'<\w[^<>]* class="mlnotes-widget"', page.text)
        assert any("_static/widgets.js" in it for it in page.files) == (held is not None), name
    for name, visit in visits.items():
        assert any("_static/widgets.js" in it for it in visit.requests) == (visit.found["widgets"] > 0), name


def test_only_the_search_page_loads_the_index(visits):
    found = {name for name, visit in visits.items() if any("searchindex" in it for it in visit.requests)}
    assert found == visits.keys() & {"search"}


def test_the_search_finds_a_chapter_without_a_server(built, browser):
    page = browser.new_page()
    complaints = []
    page.on("console", lambda it: complaints.append(it.text) if it.type == "error" else None)
    page.on("pageerror", lambda it: complaints.append(str(it)))
    page.goto((built / f"{CHAPTERS[0]}.html").as_uri())
    page.keyboard.press("Control+k")
    page.keyboard.type("softmax")
    page.keyboard.press("Enter")
    page.wait_for_selector("#search-results a[href*='chapters/blocks/softmax.html']")
    assert not complaints
    page.close()


def test_the_index_knows_the_words_at_the_ends_of_a_table_s_cells(built):
    text = (built / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))
    stem = SearchEnglish({}).stem
    for name in CHAPTERS:
        page = (built / f"{name}.html").read_text(encoding="utf-8")
        tables = re.findall(r'<table class="mlnotes-table">.*?</table>', page, re.DOTALL)
        cells = [re.sub("<[^>]+>", "", it).lower() for it in re.findall(r"<td.*?</td>", "".join(tables), re.DOTALL)]
        ends = {it for cell in cells for it in re.findall(r"^[a-z]{4,}\b(?!['’])|(?<![\w'’])[a-z]{4,}$", cell)}
        assert len(ends) > 5
        known = index["terms"].keys() | index["titleterms"].keys() | SearchEnglish.stopwords
        assert {it for it in ends if not known & {it, stem(it).lower()}} == set(), name


@pytest.fixture
def search(built, browser):
    """Give what types a query on the search page, and reads the places that are found and their lines."""
    page = browser.new_page()
    complaints = []
    page.on("console", lambda it: complaints.append(it.text) if it.type in ("error", "warning") else None)
    page.on("pageerror", lambda it: complaints.append(str(it)))

    def search(query):
        page.goto(f"{(built / 'search.html').as_uri()}?q={query}")
        page.wait_for_function("document.querySelector('.search-summary')?.textContent")
        hits = page.locator("#search-results li").evaluate_all("""all => all.map((it) => {
          const link = it.querySelector("a");
          return [link.getAttribute("href"), it.textContent.replace(link.textContent, "")];
        })""")
        return [(href.removeprefix("chapters/").replace(".html", ""), line) for href, line in hits]

    search.page, search.built = page, built
    yield search
    assert not complaints
    page.close()


@pytest.mark.parametrize(("query", "first"), [("temperature", "blocks/softmax")])
def test_the_search_puts_chapters_before_the_reference_and_shows_a_line_of_each(query, first, search):
    hits = search(query)
    assert hits[0][0] == first
    of_reference = [place.startswith("api/") for place, _ in hits]
    assert of_reference == sorted(of_reference)
    assert query in hits[0][1].lower()
    assert all(line.strip() for _, line in hits), hits


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("check", ["api/checks#mlnotes.checks.check"]),
        ("Rotary", ["api/attention/positions#mlnotes.attention.positions.rotary"]),
        ("mlnotes.efficient.flash", ["api/efficient/flash#module-mlnotes.efficient.flash"]),
        ("softmax", ["blocks/softmax", "api/blocks/softmax#mlnotes.blocks.softmax.softmax"]),
        (
            "attention",
            ["attention/self_attention", "api/attention/self_attention#mlnotes.attention.self_attention.attention"],
        ),
        ("rank", ["blocks/svd", "api/blocks/svd#mlnotes.blocks.svd.rank"]),
        ("KV cache", ["efficient/kv_cache"]),
        ("flash attention", ["efficient/flash"]),
        ("backpropagation", ["blocks/derivatives"]),
    ],
)
def test_the_search_finds_first_what_has_the_name_that_is_typed(query, first, search):
    assert [place for place, _ in search(query)][: len(first)] == first


def test_a_line_of_the_search_is_of_the_section_that_is_found(search):
    lines = dict(search("temperature"))
    places = ["blocks/softmax", "blocks/softmax#temperature", "blocks/softmax#choosing-a-temperature"]
    assert len({lines[it] for it in places}) == len(places)
    words = re.findall(r"\w{4,}", lines["blocks/softmax#choosing-a-temperature"])[:5]
    search.page.goto((search.built / "chapters/blocks/softmax.html").as_uri())
    section = search.page.locator("section#choosing-a-temperature").inner_text()
    assert all(it in section for it in words)


def test_a_line_of_the_search_ends_behind_a_word(search):
    texts = json.loads(re.search(r"= (.*);", (search.built / "searchtext.js").read_text(encoding="utf-8"))[1])
    long = [
        (line.removesuffix(" …"), texts[f"chapters/{place}"]["text"])
        for place, line in search("computation")
        if line.endswith(" …")
    ]
    assert all(re.search(rf"{re.escape(line.removeprefix('… '))}(?=\s)", text) for line, text in long)
    assert len(long) > 10


def test_a_search_without_a_hit_speaks_of_nothing_that_the_book_lacks(search):
    assert search("xyzzy") == []
    said = search.page.locator(".search-summary").inner_text()
    assert said.startswith("No page holds all of these words.")


def test_lines_of_the_search_hold_neither_latex_nor_the_paths_of_pages(built):
    texts = json.loads(re.search(r"= (.*);", (built / "searchtext.js").read_text(encoding="utf-8"))[1])
    found = {it for page in texts.values() for it in re.findall(r"\\[a-zA-Z]+|/?chapters/[\w/]+", page["text"])}
    assert not found
    assert "QᵀQ=I" in texts["chapters/blocks/qr"]["text"]
    assert "Used in QR decomposition, " in texts["chapters/api/blocks/qr"]["text"]


@pytest.mark.parametrize("width", [NARROW, 1280])
def test_without_a_script_no_button_is_seen_and_the_chapters_are_one_link_away(width, part, browser):
    context = browser.new_context(java_script_enabled=False, viewport={"width": width, "height": 900})
    page = context.new_page()
    for name in ("search", "chapters/blocks/softmax", "chapters/index"):
        page.goto((part / f"{name}.html").as_uri())
        dead = page.locator("button, form").filter(visible=True)
        assert dead.count() == 0, dead.first.inner_html()
    page.goto((part / "chapters/blocks/softmax.html").as_uri())
    page.get_by_role("link", name=re.compile("^mlnotes(: all chapters)?$")).filter(visible=True).click()
    assert page.url.endswith("chapters/index.html")
    context.close()


@pytest.mark.parametrize("width", [NARROW, 1280])
def test_without_a_script_headings_have_the_same_sizes(width, part, browser):
    sizes = []
    for scripts in (False, True):
        context = browser.new_context(java_script_enabled=scripts, viewport={"width": width, "height": 900})
        page = context.new_page()
        page.goto((part / "chapters/blocks/softmax.html").as_uri())
        headings = page.locator(".bd-article :is(h1, h2, h3)")
        sizes.append(headings.evaluate_all("all => all.map((it) => getComputedStyle(it).fontSize)"))
        context.close()
    assert len(sizes[0]) > 10
    assert sizes[0] == sizes[1]


def test_a_folded_solution_opens_without_a_script(built, browser):
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto((built / f"{CHAPTERS[0]}.html").as_uri())
    solution = page.locator("details.solution").first
    assert not solution.locator("div.cell, p").first.is_visible()
    solution.locator("summary").press("Enter")
    assert solution.locator("div.cell, p").first.is_visible()
    page.context.close()


def answers(nb):
    """List what answers the questions: the first output below one, or what stands below it if that is a widget's."""
    asked, cells = False, iter(nb.cells)
    for cell in cells:
        if cell.cell_type == "markdown":
            for mark in re.findall(r"^(?:#+ |:class: predict$)", cell.source, re.MULTILINE):
                asked = mark.startswith(":")
        elif asked and cell.outputs:
            if any("mlnotes-widget" in it.get("data", {}).get("text/html", "") for it in cell.outputs):
                cell = next(cells)
            asked = False
            if not re.match(r"#|```\{|:::", cell.source):
                yield cell


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_what_answers_a_question_is_folded_with_what_is_said_of_it(chapter, pages):
    folded = re.findall(r'<details class="[^"]*\banswer\b.*?</details>', pages[chapter].text, re.DOTALL)
    for html, cell in zip(folded, answers(read(ROOT / f"{chapter}.ipynb")), strict=True):
        lines = [line.strip() for it in cell.get("outputs", ()) for line in it.get("text", "").split("\n")]
        assert [*filter(None, lines), ""][0] in unescape(re.sub("<[^>]+>", "", html)), cell.id


def test_what_answers_a_question_opens_without_a_script_and_ends_before_the_next_cell(built, browser):
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto((built / "chapters/blocks/lu.html").as_uri())
    output, following = page.locator("details.answer > div.cell_output"), page.locator("details.answer + div.cell")
    assert not output.first.is_visible()
    assert following.first.is_visible()
    page.locator("details.answer > summary").first.press("Enter")
    assert output.first.is_visible()
    page.context.close()


def test_exercises_are_numbered_from_one_on_every_page(built):
    for chapter in CHAPTERS:
        html = (built / f"{chapter}.html").read_text(encoding="utf-8")
        numbers = [int(it) for it in re.findall(r'<span class="caption-number">Exercise (\d+)', html)]
        assert numbers == list(range(1, len(numbers) + 1)), chapter
        assert numbers, chapter


def test_the_start_page_links_the_chapters_in_the_order_of_the_book(built):
    html = (built / "chapters/index.html").read_text(encoding="utf-8")
    rows = re.findall(r'<li data-chapter="([\w-]+)"><span class="title"><a href="([\w/]+).html">', html)
    assert [f"chapters/{name}" for _, name in rows] == CHAPTERS
    assert [key for key, _ in rows] == [name.split("/")[-1].replace("_", "-") for _, name in rows]


def test_the_map_has_the_chapters_and_parts_of_the_book():
    assert [f"chapters/{chapter.name}" for chapter in MAP] == CHAPTERS
    assert [it["caption"] for it in TOC["parts"]][:-1] == list(dict.fromkeys(chapter.part for chapter in MAP))


@pytest.mark.parametrize("chapter", MAP, ids=lambda it: it.name)
def test_the_map_calls_a_chapter_as_its_page_does(chapter):
    opening = nbformat.read(ROOT / f"chapters/{chapter.name}.ipynb", 4).cells[0].source
    assert opening.startswith(f"# {chapter.title}\n")


def test_an_arc_stands_for_a_chapter_that_is_needed_and_that_no_other_one_needed_leads_to():
    before = {}
    for chapter in MAP:
        opening = nbformat.read(ROOT / f"chapters/{chapter.name}.ipynb", 4).cells[0].source
        [needs] = re.findall(r"^\*\*You need\*\* (.*)$", opening, re.MULTILINE)
        paths = [posixpath.join(posixpath.dirname(chapter.name), it) for it in re.findall(r"\]\(([^)]+)\.ipynb", needs)]
        named = {posixpath.normpath(it) for it in paths}
        assert set(chapter.needs) == named - set().union(*(before[it] for it in named)), chapter.name
        before[chapter.name] = named.union(*(before[it] for it in named))


def test_the_map_refuses_a_chapter_that_needs_a_later_one(tmp_path):
    (tmp_path / "map.yml").write_text("Part:\n  a/x: {title: X, needs: [a/y]}\n  a/y: {title: Y}\n", encoding="utf-8")
    with pytest.raises(ValueError, match="a/x needs a/y, which must stand before it"):
        read_map(tmp_path / "map.yml")


def test_the_map_draws_one_arc_for_each_thing_needed():
    arcs = Counter(re.findall(r'<path class="of-([\w-]+) of-([\w-]+)"', draw(MAP)))
    key = functools.partial(re.sub, r"^.*/|(_)", lambda it: "-" if it[1] else "")
    assert arcs == Counter((key(need), key(chapter.name)) for chapter in MAP for need in chapter.needs)


def test_a_default_stands_in_the_reference_as_it_is_written(pages):
    reference = {name: page.text for name, page in pages.items() if name.startswith("chapters/api/")}
    shown = {name: re.sub("<[^<>]*>", "", text) for name, text in reference.items()}
    assert "activation=relu, norm_first=False, norm=LayerNorm)" in shown["chapters/api/layers/transformer"]
    assert not {name for name, text in shown.items() if re.search(r"=&lt;(function|class)\b", text)}


def test_every_public_module_is_documented():
    found = {it.name: it.ispkg for it in pkgutil.walk_packages(mlnotes.__path__, "mlnotes.")}
    tools = re.compile(r"mlnotes\.(book|checks\.|diagnosis)")
    public = {name for name, is_package in found.items() if not tools.match(name) and not is_package}
    pages = {path for path in (ROOT / "chapters/api").rglob("*.md") if path.name != "index.md"}
    documented = {"mlnotes." + ".".join(it.relative_to(ROOT / "chapters/api").with_suffix("").parts) for it in pages}
    assert documented == public | {"mlnotes.checks", "mlnotes.widgets"}
    for page in pages:
        assert re.fullmatch(r"# ([\w.]+)\n\n```{api} mlnotes\.\1\n```\n", page.read_text(encoding="utf-8")), page


def test_the_notation_and_the_package_give_the_same_letters_to_the_same_sizes():
    legend = re.findall(r"^``(\w)``(?: and ``(\w)``)?  (.*)$", mlnotes.__doc__, re.M)
    table = (ROOT / "chapters/notation.md").read_text(encoding="utf-8").split("## Letters for sizes")[1].split("## ")[0]
    for first, second, meaning in legend:
        [row] = re.findall(rf"^\| \${first}{', ' + second if second else ''}\$ \| (.*) \|$", table, re.M)
        assert set(re.findall(r"\w+", meaning)) & set(re.findall(r"\w+", row)), (first, meaning, row)


def test_the_extension_needs_no_torch():
    program = "import sys; sys.modules['torch'] = None; import mlnotes.book.sphinx_extension"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_a_page_that_is_written_again_keeps_its_links_to_the_code(built, build):
    page = built / f"{CHAPTERS[0]}.html"
    links = re.compile('<a class="sphinx-codeautolink-a" href="([^"]+)"')
    before = links.findall(page.read_text(encoding="utf-8"))
    page.unlink()
    build(built.parents[1])
    assert links.findall(page.read_text(encoding="utf-8")) == before
    assert len(before) > 10
