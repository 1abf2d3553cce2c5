"""The page *Verification* counts what there is."""

import re
import xml.etree.ElementTree as ET

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from mlnotes.book import formula_values
from mlnotes.book.compare import WIDGET_VIEW
from mlnotes.book.verification import ROOT, closest, formulas, oracles, read_chapters, summary
from mlnotes.diagnosis.report import EVIDENCE


def claim(kind, error, tolerance):
    claim = {"function": "f", "claim": f"a < {kind}", "kind": kind}
    return claim | {"error": error, "tolerance": tolerance, "why": "because"}


@pytest.fixture
def book(tmp_path):
    """Two chapters with outputs of every kind; the second one comes first in the table of contents."""
    toc = "chapters:\n  - file: chapters/b/late\n  - file: chapters/a/early\n"
    (tmp_path / "_toc.yml").write_text(toc, encoding="utf-8")
    rows = [claim("oracle", 1e-14, 1e-12), claim("oracle", 1e-9, 1e-8), claim("property", 0.0, 0.0)]
    widget = {"text/html": '<div class="mlnotes-widget"></div>', "text/plain": "W"}
    late = [
        new_markdown_cell("# Late & last\n\n# Not this"),
        new_code_cell("1", outputs=[new_output("stream", text="5"), new_output("display_data", {"image/png": "x"})]),
        new_code_cell("2", outputs=[new_output("display_data", {WIDGET_VIEW: {}})]),
        new_code_cell("3"),
        new_code_cell("4", outputs=[new_output("display_data", it) for it in (widget, {"image/svg+xml": ""})]),
        new_code_cell("5", outputs=[new_output("display_data", {EVIDENCE: {"rows": rows}})]),
    ]
    for name, cells in (("b/late", late), ("a/early", [new_code_cell("1")]), ("verification", [new_code_cell("1")])):
        path = tmp_path / "chapters" / f"{name}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(new_notebook(cells=cells), path)
    return tmp_path


def cells(tables):
    """Read the tables' cells back from their HTML."""
    rows = ET.fromstring(f"<div>{tables._repr_html_()}</div>").iter("tr")
    return [[cell.text for cell in row] for row in rows]


def test_the_summary_counts_every_kind_of_output_in_the_order_of_the_contents(book):
    assert cells(summary(book))[1:] == [
        ["Late & last", "5", "6", "5", "2", "1", "2", "1"],
        ["early", "1", "0", "0", "0", "0", "0", "0"],
        ["all chapters", "6", "6", "5", "2", "1", "2", "1"],
    ]


def test_checkpoints_are_no_chapters_and_what_the_contents_leave_out_comes_last(book):
    for name in ("chapters/.ipynb_checkpoints/verification-checkpoint", "chapters/a/another"):
        (book / name).parent.mkdir(exist_ok=True)
        nbformat.write(new_notebook(cells=[new_code_cell("1")]), book / f"{name}.ipynb")
    assert [row[0] for row in cells(summary(book))[1:-1]] == ["Late & last", "early", "another"]


def test_the_closest_error_is_the_largest_one_relative_to_its_tolerance(book):
    assert cells(closest(book))[1:] == [["Late & last", "1e-09 of 1e-08"], ["early", "none measured"]]


def test_oracles_are_listed_by_chapter(book):
    assert cells(oracles(book))[1:4] == [
        ["f", "a < oracle", "oracle", "1e-14", "1e-12"],
        ["f", "a < oracle", "oracle", "1e-09", "1e-08"],
        ["f", "a < property", "property", "0", "0"],
    ]
    assert "f         a < oracle    oracle    1e-09          1e-08\n" in repr(oracles(book))


def test_formulas_are_counted_by_chapter():
    *chapters, together = cells(formulas())[1:]
    assert len(chapters) == len(read_chapters())
    counts = [[int(it) for it in row[1:]] for row in chapters]
    assert [int(it) for it in together[1:]] == [sum(column) for column in zip(*counts, strict=True)]
    assert all(evaluated <= sum(others) for *others, evaluated in counts)
    found = formula_values.formulas("blocks/softmax")
    kinds = [sum(it.kind == kind for it in found) for kind in ("displayed", "in a sentence", "in a docstring")]
    row = next(it for it in chapters if it[0] == "Softmax")
    assert row[1:] == [str(it) for it in (*kinds, sum(isinstance(it.values, dict) for it in found))]


def test_tables_name_their_rows_and_columns_for_those_who_cannot_see_them(book):
    for tables in (summary(book), closest(book), oracles(book)):
        for table in ET.fromstring(f"<div>{tables._repr_html_()}</div>").iter("table"):
            assert table.find("caption").text
            assert {th.get("scope") for th in table.find("thead").iter("th")} == {"col"}
            assert all([cell.get("scope") for cell in row][:1] == ["row"] for row in table.find("tbody"))


def test_a_chapter_that_the_contents_leave_out_is_counted_too(book):
    (book / "_toc.yml").write_text("chapters:\n  - file: chapters/b/late\n", encoding="utf-8")
    assert [chapter.name for chapter in read_chapters(book)] == ["b/late", "a/early"]


def test_a_chapter_that_changes_is_read_again(book):
    assert [it.code_cells for it in read_chapters(book)] == [5, 1]
    nbformat.write(new_notebook(cells=[new_code_cell("1"), new_code_cell("2")]), book / "chapters/a/early.ipynb")
    assert [it.code_cells for it in read_chapters(book)] == [5, 2]


def test_every_output_of_the_book_is_compared_and_every_chapter_has_two_oracles():
    table = cells(summary())
    assert all(row[2] == row[3] for row in table[1:])
    assert all(chapter.of_kind("oracle") >= 2 for chapter in read_chapters())


PAGE = nbformat.read(ROOT / "chapters" / "verification.ipynb", as_version=4)


@pytest.mark.parametrize(("name", "now"), [("summary", summary), ("closest", closest), ("oracles", oracles)])
def test_the_page_shows_the_chapters_as_they_are_committed(name, now):
    shown, tables = next(cell for cell in PAGE.cells if cell.id == name).outputs[0].data, now()
    assert shown["text/plain"] == repr(tables), "a chapter changed: run `make notebooks`"
    assert shown["text/html"] == tables._repr_html_()


def test_no_number_on_the_page_is_typed():
    prose = "".join(re.sub(r"```(.|\n)*?```", "", cell.source) for cell in PAGE.cells if cell.cell_type == "markdown")
    assert re.findall(r"\d+", prose) == []
