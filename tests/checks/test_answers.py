"""Answers as readers write them: whatever is right is accepted, whatever is wrong is refused, most with its cause.

They stand in ``answers/<part>/<name>.py``. ``right_<function>__<style>`` must be accepted. ``wrong_<function>__<slip>``
must be refused; where it has a docstring, the report must say that, and where it has none, the report must not guess.
A wrong answer that is a right one with a slip is made of it by `slips.slip`.
All take minutes: about an eighth of the right ones is tried, a sixteenth of the refusals, and a sixty-fourth of the
causes; by ``.ci/run`` all that are right or refused, and a fourth of the causes.
"""

import ast
import importlib.util
import time
from pathlib import Path

import pytest

from mlnotes import checks
from mlnotes.book.canonical import ROOT, notebooks
from mlnotes.book.form import read
from mlnotes.book.sampling import EVERY, sample
from mlnotes.checks import all_checks, check
from mlnotes.diagnosis import brakes, causes

FOLDER = Path(__file__).parent / "answers"
NAMED = 0.65  # of the wrong ones, by their cause or by their line
PATIENT = 10.0  # seconds to look for a cause: the machine may be slow
FACTS = (
    "no mistake that is known explains",
    "It is right wherever",
    "look for the cause there.",
    "where it is given.",
    "right in every call",
    "make it fail",
    " throughout.",
    "later ones are not.",
)


def answers():
    """Collect (function, kind, answer) from all files."""
    found = []
    for path in sorted(FOLDER.rglob("*.py")):
        spec = importlib.util.spec_from_file_location(f"answers_{path.parent.name}_{path.stem}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for name, it in vars(module).items():
            kind, _, rest = name.partition("_")
            if kind in ("right", "wrong") and "__" in rest:
                found.append(pytest.param(rest.split("__")[0], it, id=name))
    return found


def asked():
    """Collect the names of what the chapters ask for: of ``check(my_x)``, of ``check(y, "x")``."""
    cells = (cell for path in notebooks(ROOT / "chapters") for cell in read(path).cells if cell.cell_type == "code")
    nodes = (node for cell in cells for node in ast.walk(ast.parse(cell.source)) if isinstance(node, ast.Call))
    calls = (node.args for node in nodes if isinstance(node.func, ast.Name) and node.func.id == "check")
    return {it[1].value if len(it) > 1 else it[0].id.removeprefix("my_") for it in calls}


ALL = answers()
RIGHT = [it for it in ALL if it.id.startswith("right")]
WRONG = [it for it in ALL if it.id.startswith("wrong")]


def some(answers, every):
    return sample(answers, every, lambda it: it.id)


def seconds_of(name, answer):
    start = time.process_time()  # whatever else the machine is busy with
    check(answer, name)
    return time.process_time() - start


@pytest.mark.parametrize(("name", "answer"), some(RIGHT, EVERY // 8))
def test_a_right_answer_is_accepted(name, answer):
    report = check(answer, name)
    assert report.verdict in ("right", "edge"), report


@pytest.mark.parametrize(("name", "answer"), some(WRONG, EVERY // 4))
def test_a_wrong_answer_is_refused_with_a_call_that_shows_it(name, answer, monkeypatch):
    monkeypatch.setattr(checks, "cause_of", lambda *_: "")
    monkeypatch.setattr(brakes, "ENDLESS", 3.0)  # some do not end
    report = check(answer, name)
    assert report.verdict == "wrong", report
    assert report.counterexample


@pytest.mark.parametrize(("name", "answer"), some([it for it in WRONG if it.values[1].__doc__], EVERY))
def test_the_report_on_a_wrong_answer_says_the_cause(name, answer, monkeypatch):
    monkeypatch.setattr(causes, "SECONDS", PATIENT)
    report = check(answer, name)
    assert " ".join(answer.__doc__.split()) in report.says, report


@pytest.mark.parametrize(("name", "answer"), some([it for it in WRONG if not it.values[1].__doc__], EVERY))
def test_the_report_on_a_wrong_answer_does_not_guess(name, answer):
    assert any(it in check(answer, name).says for it in FACTS)


def test_the_sample_stays_when_an_answer_is_added():
    chosen = some(WRONG, 8)
    assert len(WRONG) / 11 < len(chosen) < len(WRONG) / 6
    assert some(WRONG[:100] + WRONG[101:], 8) == [it for it in chosen if it is not WRONG[100]]
    assert some(WRONG, 1) == some(WRONG, 0) == WRONG


def test_a_check_takes_about_a_second_at_most():
    # Of the processor's, of 19 answers in 20: some do not end, and are stopped after seconds. A second is asked for on
    # the machine where `repairs.EFFORT` was fitted; another may be half as fast, and as much is tried there. Beside
    # another process on the same core, all takes up to half as long again.
    seconds = sorted(seconds_of(*it.values) for it in some(WRONG, 80))
    assert seconds[len(seconds) // 2] < 0.5, seconds
    assert seconds[int(0.95 * len(seconds))] < 3, seconds


def test_most_wrong_answers_are_named():
    named = [it for it in WRONG if it.values[1].__doc__]
    assert len(named) >= NAMED * len(WRONG)


def test_answers_are_for_functions_that_have_checks():
    assert {it.values[0] for it in ALL} | asked() <= set(all_checks())


@pytest.mark.parametrize("name", sorted({it.values[0] for it in ALL} | asked()))
def test_every_function_has_three_right_answers_and_six_wrong_ones(name):
    assert sum(it.values[0] == name for it in RIGHT) >= 3
    assert sum(it.values[0] == name for it in WRONG) >= 6
