"""A maintainer runs the tests of one chapter, and no test of another."""

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from mlnotes.book.one_chapter import ROOT, About
from mlnotes.checks import all_checks


def item(path, case=None, fixtures=()):
    """Make what pytest collects of a test."""
    more = {} if case is None else {"callspec": SimpleNamespace(id=case)}
    return SimpleNamespace(path=ROOT / "tests" / path, fixturenames=[*fixtures], **more)


@pytest.fixture(scope="module")
def softmax():
    return About("blocks/softmax")


@pytest.mark.parametrize(
    "test",
    [
        item("blocks/test_softmax.py"),
        item("blocks/test_softmax.py", "numpy float64"),
        item("widgets/test_distribution.py"),
        item("book/test_prose.py", "softmax"),
        item("book/test_lab.py", "blocks/softmax.ipynb"),
        item("book/test_built_book.py", "chapters/blocks/softmax", ["visits", "chapter"]),
        item("book/test_built_book.py", "400", ["visits", "width"]),
        item("book/test_built_book.py", fixtures=["visits"]),
        item("checks/test_banks.py", "log_softmax-first_axis"),
        item("checks/test_answers.py", "wrong_cross_entropy__no_logarithm"),
    ],
    ids=lambda it: f"{it.path.name} {getattr(getattr(it, 'callspec', ''), 'id', '')}",
)
def test_what_is_about_the_chapter_is_run(test, softmax):
    assert softmax(test)


@pytest.mark.parametrize(
    "test",
    [
        item("blocks/test_lu.py"),
        item("attention/test_softmax.py"),
        item("widgets/test_line_fit.py"),
        item("book/test_prose.py"),
        item("book/test_prose.py", "lu"),
        item("book/test_built_book.py", "chapters/blocks/lu", ["visits", "chapter"]),
        item("book/test_built_book.py", fixtures=["built"]),
        item("checks/test_banks.py", "null_softmax-no_null"),
        item("checks/test_answers.py", "wrong_masked_softmax__mean"),
        item("checks/test_answers.py", "wrong_lu__softmax"),
    ],
    ids=lambda it: f"{it.path.name} {getattr(getattr(it, 'callspec', ''), 'id', '')}",
)
def test_what_is_about_another_or_all_is_left_out(test, softmax):
    assert not softmax(test)


def test_a_function_that_is_called_as_a_part_does_not_choose_its_other_chapters():
    about = About("attention/self_attention")
    assert about(item("checks/test_banks.py", "attention-no_scale"))
    assert about(item("book/test_lab.py", "attention/self_attention.ipynb"))
    assert not about(item("book/test_built_book.py", "chapters/attention/positions", ["visits", "chapter"]))
    assert not about(item("book/test_lab.py", "attention/positions.ipynb"))


def test_the_pages_of_a_chapter_are_those_that_are_visited(softmax):
    folders = ["chapters", "chapters/api", "_modules/mlnotes"]
    assert softmax.pages == [f"{folder}/blocks/softmax" for folder in folders]


@pytest.mark.parametrize("chapter", ["softmax", "blocks/softmin", "verification", "book/plugin"])
def test_what_is_no_chapter_is_refused(chapter):
    with pytest.raises(ValueError, match=f"such as blocks/softmax, got {chapter}"):
        About(chapter)


def test_make_hands_the_chapter_on():
    told = subprocess.run(
        ["make", "--dry-run", "test", "CHAPTER=blocks/lu"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "pytest tests --chapter blocks/lu -n 2" in told.stdout
    assert "pytest --nbval chapters/blocks/lu.ipynb;" in told.stdout


@pytest.mark.publishing
def test_pytest_runs_the_tests_of_the_chapter_alone_and_says_what_it_left_out():
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    files = ["tests/blocks/test_lu.py", "tests/blocks/test_qr.py", "tests/checks/test_banks.py"]
    variables = {name: value for name, value in os.environ.items() if name != "MLNOTES_EVERY"}
    told = subprocess.run(
        [*command, "--chapter", "blocks/lu", *files], cwd=ROOT, env=variables, capture_output=True, text=True
    )
    assert "test_lu.py::" in told.stdout
    assert "test_qr.py::" not in told.stdout
    assert "deselected" in told.stdout
    assert told.stdout.count("is_wrong_and_named[lu-") == len(all_checks()["lu"].mistakes)  # all, and not some
    unknown = subprocess.run([*command, "--chapter", "lu", *files], cwd=ROOT, capture_output=True, text=True)
    assert unknown.returncode == 4
    assert "got lu" in unknown.stderr


@pytest.mark.publishing
@pytest.mark.parametrize(("every", "says"), [("64", "no tests collected"), ("4", "tests collected in")])
def test_what_publishing_needs_is_left_out_at_a_desk_and_not_by_ci(every, says):
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    variables = os.environ | {"MLNOTES_EVERY": every}
    files = ["tests/book/test_built_book.py", "tests/book/test_pdf.py", "tests/widgets/test_jupyterlab.py"]
    told = subprocess.run([*command, *files], cwd=ROOT, env=variables, capture_output=True, text=True)
    assert says in told.stdout
