"""What Jupyter Book's pages need beyond Jupyter Book: no network, no script that fails, and our own directives."""

import functools
import gc
import hashlib
import importlib
import os
import re
import sys
from collections import Counter
from pathlib import Path

from docutils import nodes
from pybtex import plugin
from sphinx.search.en import SearchEnglish
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.fileutil import copy_asset
from sphinx.util.nodes import make_refnode
from sphinx_design.dropdown import dropdown_main, dropdown_title

from mlnotes import widgets
from mlnotes.book import code_links, published, search_text, svg
from mlnotes.book.directives import API, TOC, Api, ApiList, ChapterMap, documented
from mlnotes.book.plain_formulas import plain_formula

STATIC = Path(__file__).parent / "static"
TEMPLATES = Path(__file__).parent / "templates"
ANSWER = "What comes out"
SCROLLS = "pst-scrollable-table-container"  # the theme's class of what a wide table scrolls in
SENTENCE = 20  # characters: a cell with as many is read, not glanced at
LONG = 20  # characters: a shorter formula fits a line of a narrow page, and of a box on it
RELATIONS = {"=", "<", ">", r"\le", r"\ge", r"\ll", r"\gg", r"\ne", r"\approx", r"\to", r"\mapsto"}
OPENING, CLOSING = {"{", "(", "[", r"\{", r"\left"}, {"}", ")", "]", r"\}", r"\right"}
TYPOGRAPHY = [
    (r"(?<=[^\W\d])&#x27;(?=[^\W\d])|(?<=s)&#x27;(?= )", "’"),
    (r"(?<=\S) - (?=\S)", "\u00a0−\u00a0"),
    (r"(?<=\d) of (?=\d)", "\u00a0of\u00a0"),
    (r"(?<![\w=)-])(?<!\w\[)-(?=[\w|√∞(])", "−"),  # of a number or a name, but not in axis=-1 and x[-1], which are code
    (r"\d[\d.]*e-\d+", r'<span class="glued">\g<0></span>'),  # browsers may break after the sign
]
# What the reader's system prefers, before anything is painted, unless the reader has chosen.
THEME = """(it => {
  it.mode ||= "auto";
  it.theme ||= matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
})(document.documentElement.dataset)"""


def setup(app):
    """Connect everything; Sphinx calls this."""
    SearchEnglish.stem = functools.cache(SearchEnglish.stem)  # Pages share most of their words.
    gc.set_threshold(200_000)  # A build keeps nearly all that it makes: looking for garbage took a seventh of its time.
    plugin._load_entry_point = functools.cache(plugin._load_entry_point)  # It reads every package's for every citation.
    if sys.platform == "linux":  # where a process can be forked safely; Jupyter Book has no option for it
        app.parallel = os.cpu_count() + 2  # Pages differ in size: with two more no core waits for the last.
        app.connect("env-before-read-docs", _import_documented)
    app.extensions["sphinx_multitoc_numbering"].parallel_read_safe = True  # which does nothing here, and does not say
    _drop(app, "sphinx_thebe", "sphinx_togglebutton")
    if importlib.util.find_spec("torch") is None:
        app.config.autodoc_mock_imports = ["torch"]
    app.config.mathjax_path = "mathjax/tex-svg-full.js"
    app.add_config_value("mlnotes_digest", "", "html")
    app.add_css_file("book.css", priority=900)
    app.add_css_file("figures.css")
    app.add_js_file(None, body=THEME, priority=0)
    app.add_js_file("book.js", loading_method="defer")
    app.add_directive("api", Api)
    app.add_directive("api-list", ApiList)
    app.add_directive("chapter-map", ChapterMap)
    app.add_post_transform(FoldDropdowns)
    app.add_post_transform(PlainBibliography)
    app.add_post_transform(BreakFormulas)
    app.add_post_transform(GlueToMath)
    app.add_post_transform(InlineFigures)
    app.add_post_transform(MarkCaptions)
    app.add_post_transform(AnchorFigures)
    app.add_post_transform(FoldAnswers)
    app.add_post_transform(TagFormulas)
    app.add_post_transform(FrameTables)
    app.connect("config-inited", _add_own_files)
    app.connect("builder-inited", _write_generated)
    app.connect("env-get-outdated", _pages_that_list_others)
    app.connect("doctree-read", _make_one_document)
    app.connect("doctree-read", _unwrap_untitled_sections, priority=400)
    app.connect("missing-reference", _resolve_bare_name)
    app.connect("env-get-updated", _restore_numbers, priority=400)
    app.connect("env-get-updated", _number_by_page, priority=600)
    app.connect("html-page-context", _load_widgets)
    app.connect("html-page-context", _flatten_list_of_modules)
    app.connect("html-page-context", _list_pages)
    app.connect("html-page-context", _break_names)
    app.connect("build-finished", _copy_mathjax)
    code_links.connect(app)
    search_text.connect(app)
    published.connect(app)
    return {"version": "1", "env_version": 4, "parallel_read_safe": True, "parallel_write_safe": True}


class FoldDropdowns(SphinxPostTransform):
    """Make every admonition of class ``dropdown`` a native ``<details>``, which needs no script."""

    default_priority = 900
    formats = ("html",)

    def run(self, **kwargs):
        for node in [*self.document.findall(lambda it: "dropdown" in _classes(it) and _has_title(it))]:
            title, *content = node.children
            for link in [*title.findall(nodes.reference)]:
                link.replace_self(link.children)  # A link cannot live in what is itself a button.
            summary = dropdown_title("", "", *title.children)
            kind = [it for it in node["classes"] if it != "dropdown"]
            node.replace_self(dropdown_main("", summary, *content, ids=node["ids"], classes=["folded", *kind]))


class PlainBibliography(SphinxPostTransform):
    """Make each work a paragraph: author and year name it, and docutils would give it a role that ARIA dropped."""

    default_priority = 900
    formats = ("html",)

    def run(self, **kwargs):
        for work in [*self.document.findall(nodes.citation)]:
            _label, text = work.children
            work.replace_self(nodes.paragraph("", "", *text.children, ids=work["ids"], classes=["citation"]))


class BreakFormulas(SphinxPostTransform):
    """Let a long formula in a sentence go on in the next line, before a sign that stands in no bracket."""

    default_priority = 890  # before what follows a formula is glued to its last part
    formats = ("html",)

    def run(self, **kwargs):
        for math in [*self.document.findall(nodes.math)]:
            parts = [it for part in _cut(math.astext(), RELATIONS) for it in _cut(part, {"+", "-"})]
            if len(parts) > 1:
                begun, goes_on = ["math-begun"], ["math-goes-on"]  # by which a printed page finds the whole formula
                classes = [begun, *[begun + goes_on] * (len(parts) - 2), goes_on]
                math.replace_self([nodes.math(it, it, classes=of) for it, of in zip(parts, classes, strict=True)])


def _cut(latex, signs):
    """Cut a formula, if it is long, before each of the signs that stands in no bracket, and behind no relation."""
    parts, depth, before = [""], 0, ""
    if len(plain_formula(latex)) <= LONG or r"\begin" in latex:
        return [latex]
    for token in re.findall(r"\\[A-Za-z]+\s*|\\.|.", latex, re.DOTALL):
        sign = token.strip()
        depth += (sign in OPENING) - (sign in CLOSING)
        if depth == 0 and sign in signs and parts[-1] not in ("", "{}") and before not in RELATIONS:
            parts.append("{}")  # without a left side the sign would lose its room
        parts[-1] += token
        before = sign or before
    return parts


class GlueToMath(SphinxPostTransform):
    """Keep a formula and the punctuation that touches it in one line: browsers may break there."""

    default_priority = 900
    formats = ("html",)

    def run(self, **kwargs):
        for math in [*self.document.findall(nodes.math)]:
            following = math.next_node(descend=False, siblings=True)
            touching = re.match(r"\S+", following) if isinstance(following, nodes.Text) else None
            if touching:
                glued = nodes.inline(classes=["glued"])
                math.replace_self(glued)
                glued += [math, nodes.Text(touching[0])]
                # Not by `replace`, which takes the first text that is equal: another comma.
                place = next(i for i, it in enumerate(following.parent) if it is following)
                following.parent[place] = nodes.Text(following[touching.end() :])


class InlineFigures(SphinxPostTransform):
    """Make the figures of a chapter parts of its page, where its style sheets reach them."""

    default_priority = 900
    formats = ("html",)

    def run(self, **kwargs):
        for i, image in enumerate([*self.document.findall(nodes.image)], start=1):
            if image["uri"].endswith(".svg") and image.parent.get("nb_element") == "cell_code_output":
                drawing = Path(self.app.srcdir, image["uri"]).read_text(encoding="utf-8")
                html = svg.inlined(drawing, f"drawing-{i}", image.get("alt", ""))
                image.replace_self(nodes.raw("", html, format="html"))


class MarkCaptions(SphinxPostTransform):
    """Let the style sheet and links find the paragraphs that begin with "**Figure 1.**"."""

    default_priority = 900
    formats = ("html",)

    def run(self, **kwargs):
        for paragraph in self.document.findall(nodes.paragraph):
            first = next((it for it in paragraph if it.astext()), None)
            number = re.fullmatch(r"Figure (\d+)\.", first.astext()) if isinstance(first, nodes.strong) else None
            if number:
                place = f"figure-{number[1]}"
                paragraph["classes"].append("caption")
                paragraph["ids"].append(place)
                link = {"refuri": f"#{place}", "reftitle": "Link to this figure", "classes": ["headerlink"]}
                paragraph += nodes.reference("", "#", internal=True, **link)


class AnchorFigures(SphinxPostTransform):
    """Give every widget, and every drawing that has no caption, a place that can be linked, and the link to it."""

    default_priority = MarkCaptions.default_priority + 10
    formats = ("html",)

    def run(self, **kwargs):
        places = Counter()
        for node in [*self.document.findall(nodes.raw)]:
            text = node.astext()
            widget = re.match(r'<div class="mlnotes-widget" data-widget="(\w+)"', text)
            if widget:
                kind = f"widget-{widget[1].replace('_', '-')}"
            elif text.startswith('<div class="drawing">') and not _has_caption(node):
                kind = "drawing"
            else:
                continue
            places[kind] += 1
            place = kind if places[kind] == 1 else f"{kind}-{places[kind]}"
            link = f'<a class="headerlink" href="#{place}" title="Link to this {kind.split("-")[0]}">#</a>'
            node.replace_self(nodes.raw("", f'<div class="anchored" id="{place}">{link}{text}</div>', format="html"))


class FoldAnswers(SphinxPostTransform):
    """Fold what comes out of the first cell below a question, and what is said of it: readers answer it first.

    A widget is what they try their answer with: what comes after it is folded.
    """

    default_priority = AnchorFigures.default_priority + 10  # which look for captions beside cells
    formats = ("html",)

    def run(self, **kwargs):
        for question in [*self.document.findall(lambda it: "predict" in _classes(it))]:
            cell = question.next_node(_shows_something, descend=False, siblings=True)
            page, output = cell.parent, cell.children[-1]
            shown = [] if any("mlnotes-widget" in it.astext() for it in output.findall(nodes.raw)) else [output]
            after = page.index(cell) + 1
            while not shown and after < len(page) and "caption" in _classes(page[after]):
                after += 1
            told = _told_of(page[after:])
            if shown or told:
                cell.children = [it for it in cell if it not in shown]
                summary = dropdown_title("", "", nodes.Text(ANSWER))
                folded = dropdown_main("", summary, *shown, *told, classes=["folded", "answer"])
                page[after : after + len(told)] = [folded]


def _shows_something(node):
    return "cell" in _classes(node) and "cell_output" in _classes(node.children[-1])


def _told_of(following):
    """Take what is told of a cell: up to a heading, a box, or the next cell that no text leads to by a colon."""
    told, complete = [], False
    for node in following:
        is_cell = "cell" in _classes(node)
        if isinstance(node, nodes.section | nodes.Admonition) or (is_cell and complete):
            break
        told.append(node)
        complete = not is_cell and "caption" not in _classes(node) and not node.astext().rstrip().endswith(":")
    return told


class TagFormulas(SphinxPostTransform):
    r"""Keep formulas with a ``\tag`` as they are: Sphinx would put those with a ``\\`` where no tag may stand."""

    default_priority = 900
    formats = ("html",)

    def run(self, **kwargs):
        for formula in self.document.findall(lambda it: isinstance(it, nodes.math_block) and r"\tag{" in it.astext()):
            formula["nowrap"] = True
            formula.children = [nodes.Text(rf"\[{formula.astext()}\]")]


class FrameTables(SphinxPostTransform):
    """Typeset each table of an output, give it a frame, and mark the cells of all tables that hold a sentence."""

    default_priority = 900
    formats = ("html",)

    def run(self, **kwargs):
        for cell in self.document.findall(nodes.entry):
            words = [it for it in cell.findall(nodes.Text) if not isinstance(it.parent, nodes.math)]
            if len("".join(words)) >= SENTENCE:
                cell["classes"].append("sentence")
        for node in [*self.document.findall(nodes.raw)]:
            text = node.astext()
            if '<table class="mlnotes-table">' in text:
                text = re.sub(rf"<td>(?=[^<]{{{SENTENCE}}})", '<td class="sentence">', text)
                text = _typeset(text)
                text = re.sub(r"(?<=>)(?=<t[dhr]\b)", "\n", text)  # The search would read two cells as one word.
                # The note below a table is read as it stands, whichever way the table was scrolled.
                text = re.sub("<table.*?</table>", rf'<div class="{SCROLLS}">\g<0></div>', text, flags=re.DOTALL)
                node.replace_self(nodes.raw("", text, format="html"))


def _typeset(table):
    """Typeset what an output has in plain characters, but not code, and keep in one line what is read as one."""
    parts = re.split(r"(<code>.*?</code>|<[^>]+>)", table)
    parts[::2] = (functools.reduce(lambda text, rule: re.sub(*rule, text), TYPOGRAPHY, it) for it in parts[::2])
    parts[1::2] = (re.sub(rf"<code>(?=.{{,{LONG}}}</code>)", '<code class="glued">', it) for it in parts[1::2])
    return "".join(parts)


def _has_caption(node):
    """Tell whether the paragraph after a cell is the caption of what it shows."""
    while node is not None and "cell" not in _classes(node):
        node = node.parent
    following = node.next_node(descend=False, siblings=True) if node is not None else None
    return "caption" in _classes(following)


def _classes(node):
    return node.get("classes", ()) if isinstance(node, nodes.Element) else ()


def _has_title(node):
    return bool(node.children) and isinstance(node.children[0], nodes.title)


def _drop(app, *modules):
    """Undo what other extensions, which Jupyter Book always loads, would add to every page."""
    for listeners in app.events.listeners.values():
        listeners[:] = [it for it in listeners if it.handler.__module__ not in modules]
    dropped = {"sphinx-thebe.css", "togglebutton.css"}
    app.registry.css_files[:] = [it for it in app.registry.css_files if it[0] not in dropped]


def _add_own_files(app, config):
    """Put our files and templates into the book, and have every page rebuilt when what they share has changed."""
    config.html_static_path.append(str(STATIC))
    config.templates_path.insert(0, str(TEMPLATES))  # before the theme's: two of ours take the places of its own
    files = [*sorted(STATIC.iterdir()), *sorted(TEMPLATES.iterdir()), Path(app.srcdir, TOC)]
    shared = [*files, Path(__file__), *(Path(it.__file__) for it in (code_links, search_text, svg))]
    generated = (widgets.bundle(), widgets.stylesheet(), svg.stylesheet())
    texts = [path.read_bytes() for path in shared] + [text.encode() for text in generated]
    config.mlnotes_digest = hashlib.sha256(b"".join(texts)).hexdigest()


def _write_generated(app):
    """Put the colours of the figures beside our own files, and the widgets, which only the pages that hold one load."""
    folder = Path(app.outdir, "_static")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "figures.css").write_text(svg.stylesheet(), encoding="utf-8")
    (folder / "widgets.js").write_text(widgets.bundle(), encoding="utf-8")
    (folder / "widgets.css").write_text(widgets.stylesheet(), encoding="utf-8")


def _import_documented(app, env, pages):
    """Import the modules that these pages document: once, not in every process that reads some of them."""
    for module in () if app.config.autodoc_mock_imports else documented(pages).values():
        importlib.import_module(module)


def _make_one_document(app, document):
    """Say of every node in which document it is.

    What ``eval-rst`` makes says that it is in another, which is stored with it, and with that all pages read before.
    """
    for node in document.findall():
        node.document = document


def _load_widgets(app, pagename, templatename, context, doctree):
    if doctree and any("mlnotes-widget" in it.astext() for it in doctree.findall(nodes.raw)):
        app.add_css_file("widgets.css")
        app.add_js_file("widgets.js", loading_method="defer")


def _flatten_list_of_modules(app, pagename, templatename, context, doctree):
    """Repair the overview of sources, whose lists stand directly in lists."""
    if pagename == "_modules/index":
        heading, _, entries = context["body"].partition("<ul>")
        context["body"] = f"{heading}<ul>{entries.replace('<ul>', '').replace('</ul>', '')}</ul>"


def _list_pages(app, pagename, templatename, context, doctree):
    """Give the sidebar what it lists."""
    env = app.env
    context["parts"] = env.external_site_map.root.subtrees
    context["page_title"] = lambda name: env.titles[name].astext()
    context["pages_below"] = lambda name: env.toctree_includes.get(name, ())


def _break_names(app, pagename, templatename, context, doctree):
    """Let the names of functions in the list beside a page break behind an underscore."""
    names = re.compile(r'(?<=<span class="pre">)[^<]+')
    context["toc"] = names.sub(lambda it: it[0].replace("_", "_<wbr>"), context.get("toc", ""))


def _copy_mathjax(app, error):
    """Copy the one file that typesets everything; the package holds 24 MB more."""
    if not error:
        package = Path(importlib.util.find_spec("sphinx-mathjax-offline").origin).parent
        source = package / "static" / app.config.mathjax_path
        copy_asset(str(source), str(Path(app.outdir, "_static", "mathjax")))


def _pages_that_list_others(app, env, added, changed, removed):
    return {"chapters/index", API + "index"} & env.found_docs if added or removed else ()


def _unwrap_untitled_sections(app, doctree):
    """Take the contents of exercises out of sections that have no heading, and all the same id."""
    for section in [it for it in doctree.findall(nodes.section) if not _has_title(it)]:
        section.replace_self(section.children)


def _resolve_bare_name(app, env, node, contnode):
    """Let a docstring say `softmax` wherever only one function or class has that name."""
    if node.get("refdomain") != "py":
        return None
    found = [
        (name, it)
        for name, it in env.domains["py"].objects.items()
        if name.endswith("." + node["reftarget"]) and it.objtype != "module" and not it.aliased
    ]
    if len(found) != 1:
        return None
    [(name, it)] = found
    return make_refnode(app.builder, node["refdoc"], it.docname, it.node_id, contnode, name)


def _restore_numbers(app, env):
    """Give Sphinx its own numbers back, so that it sees what changed since the last build."""
    env.toc_fignumbers = getattr(env, "mlnotes_fignumbers", env.toc_fignumbers)
    return ()


def _number_by_page(app, env):
    """Number exercises and equations from 1 on every page, not through the book."""
    env.mlnotes_fignumbers = env.toc_fignumbers
    env.toc_fignumbers = {
        doc: {kind: {label: (i,) for i, label in enumerate(numbers, start=1)} for kind, numbers in by_kind.items()}
        for doc, by_kind in env.toc_fignumbers.items()
    }
    return ()
