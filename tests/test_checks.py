"""The checks that readers run: right versions pass, and every known wrong one is named."""

import numpy as np
import pytest

from mlnotes.blocks.softmax import softmax
from mlnotes.checks import Checks, Table, _behaves_like, all_checks, check, distance, evidence, mistakes

BANK = [(name, mistake) for name, checks in all_checks().items() for mistake in checks.mistakes]


@pytest.mark.parametrize("name", all_checks())
def test_the_books_own_version_satisfies_every_claim(name):
    function = all_checks()[name].function
    assert check(function).verdict == "right"
    assert check(function).failed == ()
    assert {claim.kind for claim, _ in evidence(function).rows} == {"oracle", "property"}


@pytest.mark.parametrize(("name", "mistake"), BANK, ids=[f"{name}-{m.function.__name__}" for name, m in BANK])
def test_every_known_wrong_version_fails_a_claim_and_is_named(name, mistake):
    report = check(mistake.function, name)
    assert report.verdict == "wrong"
    assert report.failed
    assert report.says == f"{mistake.symptom}: {mistake.remedy}."


def test_a_stub_is_told_that_it_is_empty():
    def my_softmax(x, axis=-1): ...

    assert check(my_softmax).verdict == "empty"
    assert repr(check(my_softmax)) == "… my_softmax: It returns nothing yet: write its body and run this cell again."


def test_an_unknown_mistake_is_reported_by_the_claims_that_fail():
    def my_softmax(x, axis=-1):
        return softmax(x, axis) + 1e-6

    report = check(my_softmax)
    assert report.says.startswith("This mistake is not among the known ones")
    assert ("scipy.special.softmax", "off by 1e-06") in report.failed


def test_a_version_that_raises_is_told_what_it_raised():
    def my_dot(a, b):
        return a.nothing

    assert "AttributeError" in check(my_dot).failed[0][1]


def test_a_version_right_but_for_the_edge_is_right_and_told_so():
    def my_softmax(x, axis=-1):
        e = np.exp(x - x.max(axis=axis, keepdims=True))
        return e / e.sum(axis=axis, keepdims=True)

    report = check(my_softmax)
    assert report.verdict == "right"
    assert [claim for claim, _ in report.failed] == ["infinite scores share what there is; a row of -inf gives zeros"]


def test_evidence_fails_when_a_claim_does(monkeypatch):
    checks = all_checks()["softmax"]
    monkeypatch.setattr("mlnotes.checks._find", lambda name: checks)
    with pytest.raises(AssertionError, match="first_axis: weights sum to one"):
        evidence(checks.mistakes[4].function)


def test_evidence_carries_text_table_and_data():
    bundle = evidence(softmax)._repr_mimebundle_()
    data = bundle["application/vnd.mlnotes.evidence+json"]
    assert data["function"] == "softmax"
    assert all(0 <= row["error"] <= row["tolerance"] or row["tolerance"] == 0 == row["error"] for row in data["rows"])
    assert bundle["text/html"].count("<tr>") == 1 + len(data["rows"])


def test_mistakes_are_listed_with_symptom_and_remedy():
    table = mistakes(softmax)
    assert len(table.rows) == len(all_checks()["softmax"].mistakes)
    assert all(all(row) for row in table.rows)


def test_a_function_without_checks_is_refused_by_name():
    with pytest.raises(ValueError, match="but not for frobnicate"):
        check(lambda x: x, "frobnicate")


@pytest.mark.parametrize(
    ("found", "expected", "error"),
    [([1.0, np.inf], [1.0, np.inf], 0.0), ([np.nan], [np.nan], 0.0), ([1.5], [1.0], 0.5), ([150.0], [100.0], 0.5)],
)
def test_distance_is_relative_above_one_and_zero_for_equal_infinities(found, expected, error):
    assert distance(found, expected) == error


@pytest.mark.parametrize(("found", "expected"), [([1.0], [np.nan]), ([np.inf], [1.0]), ([1.0, 2.0], [1.0])])
def test_distance_refuses_other_shapes_and_unexpected_infinities(found, expected):
    with pytest.raises(AssertionError):
        distance(found, expected)


@pytest.mark.parametrize(
    ("wrong", "function"),
    [
        (lambda a: (a, 2 * a[1:]), lambda a: (a, 3 * a[1:])),
        (lambda a: {"sum": a.sum()}, lambda a: {"total": a.sum()}),
        (lambda a: Table(("a",), (a,)), lambda a: Table(("a",), (a + 1,))),
        (lambda a: np.cos, lambda a: np.sin),
        (lambda a: None, lambda a: ()),
    ],
)
def test_tuples_dictionaries_results_and_functions_are_told_apart_entry_by_entry(wrong, function):
    checks = Checks(function, probes=((np.arange(3.0),),), claims=())
    assert _behaves_like(wrong, wrong, checks)
    assert not _behaves_like(wrong, function, checks)


def test_a_function_that_is_returned_is_compared_by_its_values():
    def call(function, a, x):
        return function(a)(x)

    checks = Checks(lambda a: lambda x: a * x, probes=((2.0, 3.0),), claims=(), call=call)
    assert _behaves_like(lambda a: lambda x: a + x, lambda a: lambda x: x + a, checks)
    assert not _behaves_like(lambda a: lambda x: a + x, lambda a: lambda x: x - a, checks)
