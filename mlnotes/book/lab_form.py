"""How a chapter reads in JupyterLab: citations as text, solutions folded; and the way back to what is committed.

JupyterLab knows neither ``{cite:p}`` nor ``{solution-start}``. What it is given says the same in plain Markdown, of
such a form that the words which are committed can be told from it.
"""

import contextlib
import copy
import functools
import json
import os
import re
from itertools import groupby
from pathlib import Path

import yaml
from pybtex.database import parse_file
from pybtex.exceptions import PybtexError
from pybtex.plugin import find_plugin

from mlnotes.book.chapter_map import read_map
from mlnotes.book.directives import TOC, source, summary
from mlnotes.book.form import solution_gates

ROOT = Path(__file__).parents[2]
CHAPTERS = ROOT / "chapters"
WORKS = "bibliography.md"
AS_PAGES = "\n: You are looking at them. They need no network: copy the folder, unplug the cable, open `index.html`."
FENCE = "::::::"
TARGET = rf"\((?:\.\./)*{re.escape(WORKS)}#[\w:-]+\)"
IN_BRACKETS, IN_TEXT = rf"\[[^\]]+, [^\]()]+\]{TARGET}", rf"\[[^\]]+ \([^\]()]+\)\]{TARGET}"
TOGETHER = ",\u00a0"  # between the works of one citation: an ordinary blank stands between two
CITATION = re.compile(r"\{cite:([pt])\}`([^`]+)`")
CITED = re.compile(rf"\((?P<p>{IN_BRACKETS}(?:; {IN_BRACKETS})*)\)|(?P<t>{IN_TEXT}(?:{TOGETHER}{IN_TEXT})*)")
KEY = re.compile(r"#([\w:-]+)\)")
START = re.compile(
    r"^```\{solution-start\} ([\w-]+)\n:class: dropdown\n```(?:\n+((?:(?!^```\{solution-end\}).)*\S)(?=\n|\Z))?",
    re.MULTILINE | re.DOTALL,
)
STARTED = re.compile(
    rf"^% solution-start ([\w-]+)\n"
    rf"(?:\*\*Solution\*\* [^\n]*|{FENCE}\{{admonition\}} [^\n]*\n[^\n]*\n\n(.*?)\n{FENCE}$)",
    re.MULTILINE | re.DOTALL,
)
END, ENDED = "```{solution-end}\n```", "% solution-end"
FOLDED = f"{FENCE}{{admonition}} Solution\n:class: dropdown\n\n%s\n{FENCE}"
MAP = re.compile(r"(^## .*)(^## [^\n]*\n)(?:(?!^## ).)*^```\{chapter-map\}\n```", re.MULTILINE | re.DOTALL)
BELOW = "**Solution** in the folded cells:"
CONTINUED = "% solution-continued\n"


def notebooks_of_the_book():
    """List the notebooks that the table of contents names.

    Returns
    -------
    list of str
        Their places below ``chapters/``, in the order of the book.
    """
    toc = yaml.safe_load((ROOT / TOC).read_text(encoding="utf-8"))
    names = [it["file"].removeprefix("chapters/") for part in toc["parts"] for it in part["chapters"]]
    return [f"{it}.ipynb" for it in names if (CHAPTERS / f"{it}.ipynb").exists()]


def shown(nb, depth):
    """Make a notebook readable in JupyterLab.

    Parameters
    ----------
    nb : nbformat.NotebookNode
        A notebook as it is committed, which is left as it is.
    depth : int
        How many folders it lies below the bibliography.

    Returns
    -------
    nbformat.NotebookNode
        The same with citations as text, and with solutions, sources and results, folded.
    """
    nb = copy.deepcopy(nb)
    solution = False
    for cell in nb.cells:
        if cell.cell_type == "code" and solution:
            cell.metadata.setdefault("jupyter", {}).update(source_hidden=True, outputs_hidden=True)
        if cell.cell_type == "markdown":
            gates = solution_gates(cell.source)
            text = _readable(cell.source, depth)
            text = CONTINUED + FOLDED % text if solution and not gates else text
            if as_committed(text) == cell.source:  # or the reader's next save would change it
                cell.source = text
            solution = gates[-1] == "start" if gates else solution
    return nb


def unshown(nb):
    """Turn what `shown` made back into what is committed, around all that was changed between.

    Parameters
    ----------
    nb : nbformat.NotebookNode
        A notebook from JupyterLab, which is left as it is.

    Returns
    -------
    nbformat.NotebookNode
        The same with roles and directives in place of what stood for them, and no results hidden.
    """
    nb = copy.deepcopy(nb)
    for cell in nb.cells:
        if cell.cell_type == "markdown":
            cell.source = as_committed(cell.source)
        hidden = cell.metadata.get("jupyter", {})
        hidden.pop("outputs_hidden", None)
        if not hidden:
            cell.metadata.pop("jupyter", None)
    return nb


def as_committed(text):
    """Turn the readable form of a cell's Markdown back into what is committed.

    Parameters
    ----------
    text : str
        What stands in the cell in JupyterLab.

    Returns
    -------
    str
        What stands in the file.
    """
    text = re.sub(rf"\A{re.escape(CONTINUED)}{FENCE}[^\n]*\n[^\n]*\n\n(.*)\n{FENCE}\Z", r"\1", text, flags=re.DOTALL)
    text = STARTED.sub(lambda it: _start(it[1]) + (f"\n{it[2]}" if it[2] else ""), text)
    text = text.replace(ENDED, END)
    return CITED.sub(lambda it: f"{{cite:{it.lastgroup}}}`{','.join(KEY.findall(it[0]))}`", text)


def page(path, text):
    """Make a page of Markdown readable in JupyterLab.

    Parameters
    ----------
    path : str
        Its place below ``chapters/``.
    text : str
        What stands in the file.

    Returns
    -------
    str
        The same with a list of the chapters in place of their map, and before all that is said of them; with the works,
        the modules and the source of a module in place of directives; and with citations and links to pages as such.
        What names a work, a page or a module that is unknown stays as it is.
    """
    depth = path.count("/")
    text = text.replace(AS_PAGES, "\n: `make book` builds them.")
    text = MAP.sub(lambda it: f"{it[2]}\n{_contents()}\n\n{it[1]}", text)
    text = re.sub(r"```\{bibliography\}\n```", lambda it: _bibliography() or it[0], text)
    text = re.sub(r"```\{api-list\}\n```", lambda it: _modules(), text)
    text = re.sub(r"```\{api\} ([\w.]+)\n```", lambda it: _source(it[1]) or it[0], text)
    text = re.sub(r"\{doc\}`([\w/]+)`", lambda it: _link(Path(path).parent / it[1], Path(path).parent) or it[0], text)
    return _readable(text, depth)


def _readable(text, depth):
    text = START.sub(lambda it: f"% solution-start {it[1]}\n" + (FOLDED % it[2] if it[2] else BELOW), text)
    text = text.replace(END, ENDED)
    return CITATION.sub(lambda it: _cited(it[1], re.split(r"\s*,\s*", it[2].strip()), depth) or it[0], text)


def _start(label):
    return f"```{{solution-start}} {label}\n:class: dropdown\n```"


def _cited(kind, keys, depth):
    try:
        names = [named(key) for key in keys]
    except (KeyError, PybtexError):
        return None
    texts = [f"{who}, {year}" if kind == "p" else f"{who} ({year})" for who, year in names]
    links = [f"[{text}]({'../' * depth}{WORKS}#{key})" for text, key in zip(texts, keys, strict=True)]
    return f"({'; '.join(links)})" if kind == "p" else TOGETHER.join(links)


def _works():
    file = CHAPTERS / "references.bib"
    return _parsed(file, file.stat().st_mtime_ns)


@functools.lru_cache(maxsize=1)
def _parsed(file, changed):  # read again when it has changed
    return parse_file(str(file))


def named(key):
    """Name a work of the bibliography.

    Parameters
    ----------
    key : str
        Its key in ``references.bib``.

    Returns
    -------
    str, str
        Its authors, by their last names, and its year.

    Raises
    ------
    KeyError
        If there is no such work, or it has no author or no year.
    """
    work = _works().entries[key]
    people = [" ".join(map(str, it.rich_prelast_names + it.rich_last_names)) for it in work.persons["author"]]
    who = f"{people[0]} et al." if len(people) > 2 or people[-1] == "others" else " and ".join(people)
    return who, work.fields["year"]


def _bibliography():
    style = find_plugin("pybtex.style.formatting", "plain")(name_style="lastfirst")
    markdown = find_plugin("pybtex.backends", "markdown")()
    try:
        works = sorted(style.format_bibliography(_works()), key=lambda it: it.key)
    except PybtexError:
        return None
    return "\n\n".join(f"({it.key})=\n{' '.join(it.text.render(markdown).split())}" for it in works)


def _contents():
    """List the chapters, in the order of the book."""
    parts = groupby(read_map(CHAPTERS / "map.yml"), lambda it: it.part)
    return "\n\n".join(
        f"### {part}\n\n" + "\n".join(f"* [{it.title}]({it.name}.ipynb)" for it in members) for part, members in parts
    )


def _modules():
    pages = sorted(path.relative_to(CHAPTERS / "api").with_suffix("") for path in (CHAPTERS / "api").rglob("*.md"))
    names = {it.as_posix(): "mlnotes." + ".".join(it.parts) for it in pages if it.name != "index"}
    return "\n".join(f"* [{it.replace('/', '.')}]({it}.md): {summary(module)}" for it, module in names.items())


def _source(module):
    text = source(module)
    return text and f"~~~~python\n{text}~~~~"


def _link(path, folder):
    """Link a page of the book by its title, or by its name where no title can be read."""
    file = next((it for it in (CHAPTERS / f"{path}.md", CHAPTERS / f"{path}.ipynb") if it.exists()), None)
    if file is None:
        return None
    text = file.read_text(encoding="utf-8", errors="replace")
    with contextlib.suppress(ValueError, LookupError):  # a notebook that is none, or an empty one
        text = "".join(json.loads(text)["cells"][0]["source"]) if file.suffix == ".ipynb" else text
    title = re.search("^# (.*)", text, re.MULTILINE)
    return f"[{title[1] if title else path.name}]({os.path.relpath(path, folder).replace(os.sep, '/')}{file.suffix})"
