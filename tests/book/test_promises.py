"""What the README and the start page say of every chapter is so."""

import ast
import re

import pytest
import yaml

from mlnotes.book.canonical import ROOT, notebooks
from mlnotes.book.chapter_map import read_map
from mlnotes.book.form import read

CHAPTERS = [path for path in notebooks(ROOT / "chapters") if path.parent.name != "chapters"]


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_says_what_it_needs_goes_wrong_and_costs_and_ends_with_exercises_that_are_checked(path):
    cells = read(path).cells
    prose = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    headings = re.findall("^## (.*)", prose, re.MULTILINE)
    assert {"Why believe it", "Where it goes wrong", "What it costs"} <= set(headings)
    assert headings[-2:] == ["Exercises", "Summary"]
    assert "**You need**" in cells[0].source
    assert ":class: predict" in prose
    assert prose.count("{exercise}") == prose.count("{solution-start}") >= 3
    assert any(re.search(r"\bcheck\(", cell.source) for cell in cells if cell.cell_type == "code")


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_what_a_cell_calls_to_be_seen_is_its_last_expression_or_it_would_not_be(path):
    for cell in (it for it in read(path).cells if it.cell_type == "code"):
        *before, last = ast.parse(cell.source).body
        lost = [it for part in (*before, last) for it in ast.walk(part) if isinstance(it, ast.Expr) and it is not last]
        called = {it.value.func.id for it in lost if isinstance(it.value, ast.Call) and hasattr(it.value.func, "id")}
        assert not called & {"check", "evidence", "show"}, cell.id


def test_the_readme_counts_the_chapters_and_names_the_parts():
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    parts = list(dict.fromkeys(it.part.lower() for it in read_map(ROOT / "chapters/map.yml")))
    assert len(parts) == 4
    assert f"{len(CHAPTERS)} chapters in four parts, {', '.join(parts[:-1])} and {parts[-1]}," in readme


def test_the_pages_show_the_committed_outputs_for_building_runs_nothing():
    assert yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["execute"] == {"execute_notebooks": "off"}


def test_the_bibliography_lists_what_is_cited_and_nothing_else():
    works = re.findall(r"^@\w+\{([^,]+),", (ROOT / "chapters/references.bib").read_text(encoding="utf-8"), re.MULTILINE)
    pages = [*notebooks(ROOT / "chapters"), *(ROOT / "chapters").rglob("*.md")]
    roles = re.findall(r"\{cite:?\w*\}`([^`]*)`", "\n".join(it.read_text(encoding="utf-8") for it in pages))
    assert len(works) == len(set(works))
    assert {key.strip() for role in roles for key in role.split(",")} == set(works)
