"""What is measured beside the pages is held to be what the pages say it is."""

import ast
import importlib.util
import re
from pathlib import Path

import pytest

from mlnotes.book.canonical import ROOT, notebooks
from mlnotes.book.form import read

FOLDER = ROOT / "tests" / "book" / "beside"
_spec = importlib.util.spec_from_file_location("cells", FOLDER / "cells.py")
cells = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(cells)

GIVEN = {
    f"{path.stem}-{cell.id}-{text}": source
    for path in notebooks(ROOT / "chapters")
    for cell in read(path).cells
    for text, source in cell.metadata.get("mlnotes", {}).get("given", {}).items()
    if FOLDER.relative_to(ROOT).as_posix() in source
}


def reported(program):
    """List the names under which a program reports, as patterns: anything may stand for what is filled in."""
    calls = (it for it in ast.walk(ast.parse(program.read_text(encoding="utf-8"))) if isinstance(it, ast.Call))
    return [_pattern(it.args[0]) for it in calls if ast.unparse(it.func) == "page.report"]


def _pattern(name):
    parts = name.values if isinstance(name, ast.JoinedStr) else [name]
    return "".join(re.escape(it.value) if isinstance(it, ast.Constant) else ".+" for it in parts)


@pytest.mark.parametrize("source", GIVEN.values(), ids=GIVEN)
def test_a_number_is_called_what_its_program_reports(source):
    program, _, names = source.partition(": ")
    patterns = reported(ROOT / program)
    for name in names.split("; "):
        for summary in cells.SUMMARIES:
            name = name.removeprefix(summary)
        assert any(re.fullmatch(pattern, name) for pattern in patterns), f"{program} reports nothing called {name!r}"


@pytest.mark.parametrize(
    ("text", "name", "holds"),
    [
        ("0.13", "loss", True),
        ("13%", "loss", True),
        ("0.02", "loss", True),
        ("0.14", "loss", False),
        ("0.02", "least of loss", True),
        ("0.13", "least of loss", False),
        ("0.13", "most of loss", True),
        ("0.05", "most of loss", False),
        ("0.05", "median of loss", True),
        ("0.13", "error", False),
        ("4.6 times", "most of error", True),
        ("0.13", "never reported", False),
        ("0.13", "most of nothing", False),
        ("1%", "error", False),
    ],
)
def test_a_number_must_be_what_was_measured_under_its_name(text, name, holds):
    measured = {"loss": [0.131, 0.0511, 0.0249], "error": [4.61, 1.2], "nothing": []}
    assert cells.is_measured(text, name, measured) is holds


def test_of_a_source_only_the_names_after_the_program_count():
    assert cells.names_of("tests/a.py", "tests/a.py: loss; least of error") == ["loss", "least of error"]
    assert cells.names_of("tests/a.py", "tests/b.py: loss") == []


def test_names_are_compared_with_what_a_program_reports(tmp_path):
    program = Path(tmp_path / "program.py")
    program.write_text('page.report(f"loss (of {k})", 1)\nprint(page.report("clouds", 3))\n', encoding="utf-8")
    patterns = "|".join(reported(program))
    assert re.fullmatch(patterns, "loss (of 2)")
    assert re.fullmatch(patterns, "clouds")
    assert not re.fullmatch(patterns, "losses")
