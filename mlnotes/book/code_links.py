"""Links from code to the reference: what sphinx-codeautolink finds, put into pages as they are written.

By itself it reads all earlier cells again for every cell, and when all is written parses every page, which together was
half of the time of a build; and it forgets the code of every page that is not an .rst file.
"""

import ast
import re
from html import unescape

from docutils import nodes
from sphinx.util import logging
from sphinx_codeautolink import SphinxCodeAutoLink
from sphinx_codeautolink.extension import block
from sphinx_codeautolink.extension.directive import SkipMarker
from sphinx_codeautolink.parse import ImportTrackerVisitor

BLOCK = re.compile(r"(?<=<pre>).*?(?=</pre>)", re.DOTALL)
TAG = re.compile(r"<[^>]*>")

logger = logging.getLogger(__name__)


def connect(app):
    """Take the linker's place where it is slow, and keep its memory."""
    [linker] = {
        it.handler.__self__
        for it in app.events.listeners["build-finished"]
        if isinstance(getattr(it.handler, "__self__", None), SphinxCodeAutoLink)
    }
    reader = Reader()
    code = {}

    def remember(app):
        code.update(getattr(app.env, "sphinx_codeautolink_transforms", {}))

    def recall(app):
        if linker.cache is not None:
            linker.cache.transforms.update(code)
            linker.outdated_docs.clear()  # Nothing is left to do in what is written.

    def leave_out(app, env):
        """Leave out names of packages without reference: to look for them, the linker would load them all."""
        documented = {name.partition(".")[0] for name in linker.make_inventory(app)}
        for programs in linker.cache.transforms.values() if linker.cache is not None else ():
            for program in programs:
                program.names = [it for it in program.names if it.import_components[0] in documented]

    def link(app, pagename, templatename, context, doctree):
        programs = linker.cache.transforms.get(pagename) if linker.cache is not None else None
        if doctree and programs:
            context["body"] = linked(context["body"], programs, linker.inventory, pagename)

    block.parse_names = reader.names
    app.connect("builder-inited", remember, priority=400)
    app.connect("builder-inited", recall, priority=900)
    app.connect("doctree-read", lambda app, doctree: reader.open(), priority=400)
    app.connect("doctree-read", _keep_output_out_of_program, priority=401)
    app.connect("env-updated", leave_out, priority=400)
    app.connect("html-page-context", link)


class Reader:
    """Finds the imported names in a program that grows cell by cell, and reads every cell once."""

    def open(self):
        """Begin with another page."""
        self.visitor, self.read = None, ""

    def names(self, source, node):
        """Return the names in the lines that are new: the linker throws away the others."""
        if self.visitor is None or not source.startswith(self.read + "\n"):
            self.visitor, self.read = ImportTrackerVisitor(node), ""
        new = ast.parse("\n" * self.read.count("\n") + source[len(self.read) :])
        self.visitor.accessed = []
        self.visitor.visit(new)
        self.read = source
        return self.visitor.accessed


def linked(body, programs, inventory, page):
    """Return the body of a page with a link on every name in its code that the reference explains."""
    waiting = [it for it in programs if it.names]

    def link(match):
        text = _text(match[0]).rstrip()
        program = next((it for it in waiting if it.source.rstrip() == text), None)
        if program is None:
            return match[0]
        waiting.remove(program)
        lines = match[0].split("\n")
        for name in program.names:
            address = "../" * page.count("/") + inventory[name.resolved_location]
            _link_name(lines, name, address, page)
        return "\n".join(lines)

    body = BLOCK.sub(link, body)
    for program in waiting:
        logger.warning("no block of the page shows this code:\n%s", program.source, location=page)
    return body


def _link_name(lines, name, address, page):
    """Put the link into the lines of a highlighted block: on the last place that fits, as `a.b = a.b` wants it."""
    rows = slice(name.lineno - 1, name.end_lineno)
    code = "\n".join(lines[rows])
    *_, place = [None, *re.finditer(block.construct_name_pattern(name), code)]
    if place is None:
        logger.warning("%s is not found in: %s", name.code_str, _text(code), location=page)
        return
    start, end = place.start() + len(place[1]), place.end()
    shown = re.sub(r"\s", "", _text(code[start:end]))
    title = "" if shown == name.resolved_location else f' title="{name.resolved_location}"'
    link = f'<a class="sphinx-codeautolink-a" href="{address}"{title}>{code[start:end]}</a>'
    lines[rows] = (code[:start] + link + code[end:]).split("\n")


def _text(html):
    return unescape(TAG.sub("", html))


def _keep_output_out_of_program(app, doctree):
    """Hide printed source from the linker, which would take the function for one defined in the chapter."""
    for output in doctree.findall(nodes.container):
        for code in [*output.findall(nodes.literal_block)] if output.get("nb_element") == "cell_code_output" else ():
            code.parent.insert(code.parent.index(code), SkipMarker("next"))
