"""Links in the code of pages: what sphinx-codeautolink itself finds and writes, in a fraction of its time."""

import re
from pathlib import Path

import nbformat
import pytest
from bs4 import BeautifulSoup
from sphinx.highlighting import PygmentsBridge
from sphinx_codeautolink.extension.block import CodeExample, SourceTransform, link_html
from sphinx_codeautolink.parse import parse_names

from mlnotes.book.code_links import Reader, linked

CELLS = [
    "import numpy as np\nfrom mlnotes.blocks.softmax import (\n    logsumexp,\n    softmax,\n)",
    "def twice(softmax):\n    return softmax(2 * np.exp(softmax))\n\nscores = [softmax(it) for it in np.eye(3)]",
    "np.e = np.e\nsoftmax(\n    np.array([1.0]),\n).sum().max()\nprint('softmax < np.exp')",
    "logsumexp = np\nlogsumexp.exp(1)\ndel logsumexp",
]
INVENTORY = {
    name: f"code/{name}.html#{name}"
    for name in ["numpy", "numpy.e", "numpy.array", "numpy.exp", "mlnotes.blocks.softmax.softmax"]
}
BODY = '<div class="highlight-python notranslate">{}</div>\n<pre>no program</pre>\n'


def code_of(chapter):
    notebook = nbformat.read(f"chapters/{chapter}.ipynb", as_version=4)
    return [cell.source for cell in notebook.cells if cell.cell_type == "code"]


def new_names(cells, read):
    """Return the names that reading all cells up to each one gives for this one."""
    found = []
    for i in range(len(cells)):
        lines_before = sum(it.count("\n") + 1 for it in cells[:i])
        names = read("\n".join(cells[: i + 1]), None)
        found.append([it for it in names if it.lineno > lines_before])
        for name in found[-1]:
            name.lineno -= lines_before
            name.end_lineno -= lines_before
    return found


@pytest.mark.parametrize("cells", [CELLS, code_of("blocks/qr"), code_of("attention/pooling")], ids=len)
def test_a_cell_is_read_once_and_its_names_are_the_same(cells):
    reader = Reader()
    reader.open()
    assert new_names(cells, reader.names) == new_names(cells, parse_names)


def test_another_page_begins_anew():
    reader = Reader()
    reader.open()
    reader.names(CELLS[0], None)
    reader.open()
    longer = CELLS[0] + "\nnp.exp(1)"
    assert reader.names(longer, None) == parse_names(longer, None)


def programs():
    found = []
    for cell, names in zip(CELLS, new_names(CELLS, parse_names), strict=True):
        for name in names:
            name.resolved_location = ".".join(name.import_components)
        known = [it for it in names if it.resolved_location in INVENTORY]
        found.append(SourceTransform(cell, known, CodeExample("chapters/page", None, []), 1))
    return found


def test_links_are_those_that_the_library_writes(tmp_path):
    body = "".join(BODY.format(PygmentsBridge("html").highlight_block(cell, "python")) for cell in CELLS)
    page = Path(tmp_path, "chapters/page.html")
    page.parent.mkdir()
    page.write_text(body, encoding="utf-8")
    link_html("chapters/page", str(tmp_path), programs(), INVENTORY, {}, [], disable_link_titles=False)
    ours = linked(body, programs(), INVENTORY, "chapters/page")
    assert str(BeautifulSoup(ours, "html.parser")) == page.read_text(encoding="utf-8")
    links = re.findall(r'<a class="sphinx-codeautolink-a" href="([^"]*)"', ours)
    assert len(links) == sum(len(it.names) for it in programs()) > 8
    assert set(links) == {f"../{it}" for it in INVENTORY.values()}


def test_code_that_the_page_does_not_show_is_warned_of(caplog):
    linked("<pre>something else</pre>", programs(), INVENTORY, "chapters/page")
    [*warnings] = [it.message for it in caplog.records]
    assert len(warnings) == len([it for it in programs() if it.names])
    assert "no block of the page shows this code" in warnings[0]
