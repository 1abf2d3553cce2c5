"""Notebooks are committed in one form, and running them again changes only what really changed."""

import base64
import io
import json
import os
import re

import nbformat
import pytest
from matplotlib.figure import Figure
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from PIL import Image

from mlnotes.book import canonical as command
from mlnotes.book.canonical import ROOT, notebooks
from mlnotes.book.compare import WIDGET_VIEW
from mlnotes.book.form import LONGEST, canonical, problems, read, written

BOOK = notebooks(ROOT / "chapters")


@pytest.mark.parametrize("path", BOOK, ids=lambda path: path.stem)
def test_committed_notebooks_are_canonical_with_short_cells_and_described_figures(path):
    assert command.main(["--check", str(path)]) == 0, "what is wrong is printed below"


def figure():
    file = io.BytesIO()
    Figure(figsize=(1, 1)).savefig(file, metadata={"Comment": "made by hand"})
    return base64.b64encode(file.getvalue()).decode()


def messy():
    """Make a notebook as JupyterLab saves it after an afternoon of work."""
    outputs = [
        new_output("stream", name="stdout", text="one "),
        new_output("stream", name="stderr", text="aside"),
        new_output("stream", name="stdout", text="line\n"),
        new_output("display_data", {"image/png": figure(), "text/plain": "<Figure>"}),
        new_output("display_data", {"image/svg+xml": "<svg>\n <metadata>\n  2020\n </metadata>\n</svg>"}),
        new_output("execute_result", {"text/plain": "W()", WIDGET_VIEW: {"model_id": "4f0c"}}, execution_count=4711),
        new_output("error", ename="E", evalue="why", traceback=["/home/me/x.py", "E: why"]),
    ]
    timing = {"execution": {"iopub.status.busy": "2020-01-01"}, "tags": [], "scrolled": True}
    cells = [
        new_markdown_cell("# Title"),
        new_code_cell("print(1)", execution_count=4711, metadata=timing, outputs=outputs),
        new_code_cell("  \n"),
        new_markdown_cell("```{solution-start} label\n```"),
        new_code_cell("answer()", metadata={"tags": ["raises-exception"]}),
        new_markdown_cell("```{solution-end}\n```\n\nNow the next.\n\n```{solution-start} other\n```"),
        new_code_cell("answer()"),
        new_markdown_cell(
            "```{solution-end}\n```\n\n```{solution-start} third\n```\nBecause.\n\n```{solution-end}\n```"
        ),
        new_code_cell("question()"),
    ]
    versions = {"language_info": {"name": "python", "version": "3.11.7"}, "widgets": {"state": {}}, "signature": "x"}
    nb = new_notebook(cells=cells, metadata=versions)
    names = ("same", "same", "blank", "not valid!", "valid-1", "x" * 65, "", "b", "c")
    for cell, name in zip(cells, names, strict=True):
        cell.id = name
    return nb


def test_the_canonical_form_holds_nothing_that_changes_from_run_to_run():
    nb = canonical(messy())
    text = written(nb)
    for word in ("2020", "3.11.7", "widget-view", "4f0c", "/home/me", "signature", "scrolled", "4711"):
        assert word not in text
    assert nb.metadata.language_info.name == "python"
    assert [cell.execution_count for cell in nb.cells if cell.cell_type == "code"] == [1, 2, 3, 4]
    assert nb.cells[1].outputs[-2].execution_count == 1
    assert [(it.name, it.text) for it in nb.cells[1].outputs[:2]] == [("stderr", "aside"), ("stdout", "one line\n")]
    assert nb.cells[1].metadata == {}
    assert nb.cells[3].metadata.tags == ["raises-exception"]
    assert text.startswith('{\n "cells": [\n')
    assert text.endswith("\n}\n")


def test_cell_ids_are_kept_where_they_are_valid_and_unique_and_derived_where_not():
    ids = [cell.id for cell in canonical(messy()).cells]
    assert ids[0] == "same"
    assert ids[3] == "valid-1"
    assert ids[6:] == ["b", "c"]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) for name in ids)
    assert ids == [cell.id for cell in canonical(messy()).cells]


def test_a_file_without_cell_ids_is_given_the_same_ones_each_time(tmp_path):
    nb = messy()
    for cell in nb.cells:
        del cell["id"]
    (tmp_path / "old.ipynb").write_text(json.dumps(nb), encoding="utf-8")
    first, second = (written(canonical(read(tmp_path / "old.ipynb"))) for _ in range(2))
    assert first == second


def test_sources_of_solutions_are_folded_and_no_others():
    folded = {cell.source: cell.metadata.get("jupyter", {}) for cell in canonical(messy()).cells}
    assert [cell.metadata.get("jupyter") for cell in canonical(messy()).cells if cell.source == "answer()"] == [
        {"source_hidden": True}
    ] * 2
    assert folded["print(1)"] == folded["question()"] == {}


def test_a_sentence_that_speaks_of_solutions_folds_nothing():
    nb = nbformat.v4.new_notebook(cells=[
        nbformat.v4.new_markdown_cell("A solution begins with `{solution-start}`."),
        nbformat.v4.new_code_cell("shown()"),
    ])  # fmt: skip
    assert "jupyter" not in canonical(nb).cells[1].metadata


def test_figures_lose_their_comments_and_keep_their_pixels():
    before, after = (
        Image.open(io.BytesIO(base64.b64decode(it)))
        for it in (figure(), canonical(messy()).cells[1].outputs[2].data["image/png"])
    )
    assert before.info["Software"].startswith("Matplotlib")
    assert before.info["Comment"] == "made by hand"
    assert set(after.info) == {"dpi"}
    assert before.tobytes() == after.tobytes()


def test_the_canonical_form_of_the_canonical_form_is_itself_and_the_input_is_left_alone():
    nb = messy()
    once = canonical(nb)
    assert nb == messy()
    assert written(canonical(once)) == written(once)
    assert written(canonical(nbformat.v4.reads(written(once)))) == written(once)


def test_problems_name_the_cell():
    described = {"mystnb": {"image": {"alt": "a line"}}}
    picture = new_output("display_data", {"image/png": figure()})
    drawing = new_output("display_data", {"image/svg+xml": '<svg><text style="font-size: 5px">small</text></svg>'})
    images = ("<img src='x'>", '<img src="x" alt="">', '<img alt="a line">')
    html = [new_output("display_data", {"text/html": image, "image/png": ""}) for image in images]
    path = new_output("stream", text=f"File {ROOT}/mlnotes/show.py")
    cells = {
        "long": new_code_cell("1\n" * (LONGEST + 1), execution_count=1),
        "unrun": new_code_cell("1"),
        "figure": new_code_cell("1", execution_count=1, outputs=[picture]),
        "drawing": new_code_cell("1", execution_count=1, outputs=[drawing], metadata=described),
        "html": new_code_cell("1", execution_count=1, outputs=html),
        "path": new_code_cell("1", execution_count=1, outputs=[path]),
        "warning": new_code_cell("1", execution_count=1, outputs=[new_output("stream", text="/tmp/ipykernel_12/3.py")]),
        "right": new_code_cell("1\n" * LONGEST, execution_count=1, outputs=[picture], metadata=described),
    }
    for name, cell in cells.items():
        cell.id = name
    found = "\n".join(problems(new_notebook(cells=list(cells.values()))))
    assert re.findall(r"^cell (\w+):", found, re.MULTILINE) == [
        "long",
        "unrun",
        "figure",
        "drawing",
        "html",
        "html",
        "path",
        "warning",
    ]


@pytest.fixture
def book(tmp_path, monkeypatch):
    """A book of two chapters, of which one fails, and a page that reads them."""
    noise = new_output("stream", text="0.3 1 0 kept\n")
    changed = new_output("stream", text="wrong\n")
    source = "import os; print(0.1 + 0.2, os.environ['OMP_NUM_THREADS'], os.environ['PYTHONHASHSEED'], 'kept')"
    right = [
        new_code_cell(source, outputs=[noise], id="noise"),
        new_code_cell("print('right')", outputs=[changed], id="changed"),
    ]
    wrong = [new_code_cell("1", id="fine"), new_code_cell("1 / 0", id="the-bad-one"), new_code_cell("2", id="never")]
    page = [new_code_cell("import pathlib; print('right\\\\n' in pathlib.Path('part/right.ipynb').read_text())")]
    (tmp_path / "chapters" / "part").mkdir(parents=True)
    for name, cells in (("part/right", right), ("part/wrong", wrong), ("verification", page)):
        nbformat.write(new_notebook(cells=cells), tmp_path / "chapters" / f"{name}.ipynb")
    monkeypatch.setattr(command, "ROOT", tmp_path)
    return tmp_path / "chapters"


def test_running_writes_what_changed_keeps_noise_and_leaves_a_notebook_that_fails(book, capsys):
    before = (book / "part" / "wrong.ipynb").read_bytes()
    assert command.main([]) == 1
    right = read(book / "part" / "right.ipynb")
    assert [cell.outputs[0].text for cell in right.cells] == ["0.3 1 0 kept\n", "right\n"]
    assert (book / "part" / "right.ipynb").read_text(encoding="utf-8") == written(canonical(right))
    assert (book / "part" / "wrong.ipynb").read_bytes() == before
    printed = capsys.readouterr().err
    assert "wrong.ipynb: left as it was, cell the-bad-one failed" in printed
    assert "ZeroDivisionError" in printed
    page = read(book / "verification.ipynb")
    assert page.cells[0].outputs[0].text == "True\n", "the page that reads the others is run after them"


def test_the_page_that_reads_the_others_is_run_also_when_one_chapter_is_named(book, monkeypatch):
    ran = []

    async def execute(path):
        ran.append(path.name)
        return canonical(read(path))

    monkeypatch.setattr(command, "execute", execute)
    assert command.main([os.path.relpath(book / "part" / "right.ipynb")]) == 0
    assert ran == ["right.ipynb", "verification.ipynb"]


def test_checking_runs_and_writes_nothing(book, capsys):
    files = {path: path.read_bytes() for path in notebooks(book)}
    assert command.main(["--check"]) == 1
    assert capsys.readouterr().err.count("not in canonical form") == 3
    assert files == {path: path.read_bytes() for path in notebooks(book)}
    for path in files:
        path.write_text(written(canonical(read(path))), encoding="utf-8")
    assert command.main(["--check"]) == 0
