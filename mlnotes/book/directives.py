"""Directives of the book: the documentation of a module, the list of all modules, and the map of the chapters."""

import ast
import importlib.util
import re
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from mlnotes.book.chapter_map import draw, read_map

API, TOC, MAP = "chapters/api/", "_toc.yml", "chapters/map.yml"


class Api(SphinxDirective):
    """Document a module, and link to the chapters that use it."""

    required_arguments = 1

    def run(self):
        module = self.arguments[0]
        chapters = [f"{{doc}}`/{name}`" for name in _chapters_using(module, self.env)]
        used = f"Used in {', '.join(chapters)}." if chapters else ""
        return _parse(self, f"{used}\n\n```{{eval-rst}}\n.. automodule:: {module}\n   :members:\n```")


class ApiList(SphinxDirective):
    """List every documented module with the first sentence of its docstring."""

    def run(self):
        lines = []
        for name, module in documented(self.env.found_docs).items():
            self.env.note_dependency(importlib.util.find_spec(module).origin)
            lines.append(f"{{doc}}`{module.removeprefix('mlnotes.')} </{name}>`\n: {summary(module)}\n")
        return _parse(self, "\n".join(lines))


class ChapterMap(SphinxDirective):
    """Draw the chapters and what each of them needs."""

    def run(self):
        self.env.note_dependency(MAP)
        return [nodes.raw("", draw(read_map(Path(self.env.srcdir, MAP))), format="html")]


def _parse(directive, markdown):
    parent = nodes.container()
    directive.state.nested_parse(StringList(markdown.splitlines(), source="generated"), 0, parent)
    return parent.children


def documented(pages):
    """Return the modules that some of the pages document, by the names of these pages."""
    names = sorted(name for name in pages if name.startswith(API) and not name.endswith("/index"))
    return {name: "mlnotes." + name.removeprefix(API).replace("/", ".") for name in names}


def summary(module):
    """Return the first sentence of a module's docstring."""
    return (ast.get_docstring(ast.parse(source(module))) or "").split("\n\n")[0].replace("\n", " ")


def source(module):
    """Return the source of a module, or nothing where there is no such module."""
    try:
        found = importlib.util.find_spec(module)
    except ModuleNotFoundError:  # nor the package that it would be in
        found = None
    return (found and found.loader.get_source(module)) or ""


def _chapters_using(module, env):
    """Find the chapter of the same name first, then the others that import the module."""
    package, _, name = module.rpartition(".")
    imported = re.compile(rf"from {module} import|from {package} import [\w, ]*\b{name}\b")
    found = []
    for doc in sorted(env.found_docs):
        path = Path(env.doc2path(doc))
        if path.suffix == ".ipynb" and (doc.endswith(f"/{name}") or imported.search(path.read_text(encoding="utf-8"))):
            env.note_dependency(str(path))
            found.append(doc)
    return sorted(found, key=lambda doc: not doc.endswith(f"/{name}"))
