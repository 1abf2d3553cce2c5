"""The words of the pages, from which the search takes how much each says of a thing, and the line that it shows."""

import json
import re
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.util import docname_join

from mlnotes.book.chapter_map import read_map
from mlnotes.book.lab_form import named
from mlnotes.book.plain_formulas import plain_formula

SCORER = Path(__file__).with_name("search.js")
SPEECH = (nodes.title, nodes.paragraph, nodes.term)
PAGE_TITLE = re.compile(r"\ue000(.*?)\ue001")  # stands for the title of a page that may not have been read yet
CHAPTER, PAGE, REFERENCE = 2, 1, 0


def connect(app):
    """Gather the words when pages are read, and write them beside the search's index; the extension calls this."""
    app.config.html_search_scorer = str(SCORER)
    app.connect("doctree-read", _remember)
    app.connect("env-purge-doc", lambda app, env, docname: _texts(env).pop(docname, None))
    app.connect("env-merge-info", _merge)
    app.connect("build-finished", _write)


def rank(docname):
    """Tell chapters from other pages, and those from the reference.

    Parameters
    ----------
    docname : str
        A page, as Sphinx names it.

    Returns
    -------
    int
        The larger, the earlier the page is found.
    """
    folders = docname.split("/")[1:-1]
    return PAGE if not folders else REFERENCE if folders[0] == "api" else CHAPTER


def _texts(env):
    if not hasattr(env, "mlnotes_texts"):
        env.mlnotes_texts = {}
    return env.mlnotes_texts


def _remember(app, doctree):
    blocks = [it for it in doctree.findall(lambda it: isinstance(it, SPEECH)) if not isinstance(it.parent, SPEECH)]
    code = [it for it in doctree.findall(nodes.literal_block) if it.parent.get("nb_element") != "cell_code_output"]
    _texts(app.env)[app.env.docname] = {"sections": _sections(blocks), "text": _lines(blocks), "code": _lines(code)}


def _sections(blocks):
    """Tell in which lines of the text each section stands, from its title on, by the places that links name."""
    sections = {}
    for line, block in enumerate(blocks):
        while block := block.parent:
            if block.get("ids") and isinstance(block[0], nodes.title):
                for place in block["ids"]:
                    sections.setdefault(place, [line, line])[1] = line + 1
    return sections


def _lines(blocks):
    return "\n".join(" ".join(_said(it).split()) for it in blocks)


def _said(node):
    """Write down what is read on the page: words, formulas as far as a line of text holds them, names of works."""
    if isinstance(node, nodes.math):
        return plain_formula(node.astext())
    if isinstance(node, addnodes.pending_xref) and node["refdomain"] == "cite":
        return "; ".join(_work(key.strip()) for key in node["reftarget"].split(","))
    if isinstance(node, addnodes.pending_xref) and node["reftype"] == "doc" and not node["refexplicit"]:
        return f"\ue000{docname_join(node['refdoc'], node['reftarget']).lstrip('/')}\ue001"
    return "".join(map(_said, node.children)) if node.children else node.astext()


def _work(key):
    try:
        return ", ".join(named(key))
    except KeyError:  # of a work that is missing, the extension for citations warns
        return key


def _merge(app, env, docnames, other):
    _texts(env).update({name: text for name, text in _texts(other).items() if name in docnames})


def _write(app, error):
    if not error:
        names = {f"chapters/{it.name}": it.names for it in read_map(Path(app.srcdir, "chapters/map.yml"))}
        texts = {
            name: {"rank": rank(name), "names": names.get(name, ()), **text}
            for name, text in sorted(_texts(app.env).items())
        }
        titles = {name: json.dumps(title.astext(), ensure_ascii=False)[1:-1] for name, title in app.env.titles.items()}
        script = f"const bookTexts = {json.dumps(texts, ensure_ascii=False)};\n"
        script = PAGE_TITLE.sub(lambda it: titles.get(it[1], ""), script)  # of a page that is missing, Sphinx warns
        Path(app.outdir, "searchtext.js").write_text(script, encoding="utf-8")
