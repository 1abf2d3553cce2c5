"""The banks of all functions: ours is right, every known mistake is named, changed versions are refused."""

import copy
import importlib
import inspect
import re
import traceback
from dataclasses import fields, is_dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from scipy.special import erf

from mlnotes.book import mutants
from mlnotes.book.mutants import WANTED, changes, count, known_equal
from mlnotes.book.sampling import EVERY, sample
from mlnotes.checks import all_checks, check, evidence
from mlnotes.checks.bank import Checks, call
from mlnotes.diagnosis.known import told, version_of
from mlnotes.diagnosis.source import parameters_of
from mlnotes.diagnosis.trials import quiet, trials
from mlnotes.diagnosis.variations import variations
from mlnotes.efficient.language_model import next_token_probabilities

ALL = all_checks()
BANK = [
    pytest.param(name, mistake, id=f"{name}-{mistake.name.replace(' ', '_')}")
    for name, checks in ALL.items()
    for mistake in checks.mistakes
]
SOME = sample(BANK, EVERY // 4, lambda it: it.id)  # of the mistakes; by `.ci/run` all
CHECKED = sample(ALL, EVERY // 16)  # of the functions; by `.ci/run` all
SAMPLE = max(30, 8 * EVERY)  # Every so manieth change is tried here, all of them by `make mutants`.


def ours(name, *arguments, **named):
    return ALL[name].function(*arguments, **named)


# Versions for claims that neither a result that is off nor a known mistake breaks.
BREAKING = {
    "attention_pool": lambda q, k, v, score: ours("attention_pool", q, k[:, 1:], v[:, 1:], score),
    "bracket_costs": lambda n, d: (n, 2 * d),
    "damped_newton": lambda: ours("gradient_descent", 3.0),
    "embedding": lambda ids, table: table[: len(ids)],
    "fake_quantize": lambda x, *options: 0 * x + ours("fake_quantize", x.detach(), *options),
    "llama_parameters": lambda n, n_layers, *sizes: n_layers * ours("llama_parameters", n, n_layers, *sizes),
    "lu_solve": lambda a, b: ours("lu_solve", a, b) if isinstance(a, np.ndarray) else 0 * b,
    "mean_pool": lambda x, mask: (x * mask[..., None]).sum(1) / mask.sum(1)[:, None],
    "mlp": lambda x, weights, biases: x @ weights[0] @ np.diag(np.arange(weights[0].shape[1])),
    "padding_mask": lambda lengths, n: ours("padding_mask", lengths, n) & False,
    "ring": lambda n, *sizes: n + ours("ring", n, *sizes),
    "StreamingCache": type("Growing", (ALL["StreamingCache"].function,), {"nbytes": property(len)}),
    "symmetrize_equivariant": lambda f, actions_in, actions_out, table: f,
}


@pytest.mark.parametrize("name", CHECKED)
def test_the_books_own_version_is_right_and_satisfies_every_claim(name):
    function = ALL[name].function
    assert check(function).verdict == "right"
    assert {row["kind"] for row in evidence(function).rows} == {"oracle", "property"}


# Results kept by shape are not told apart there: one number or function decides, or each call has shapes of its own.
ALIKE = {"generate", "largest_weight_ratio", "output_mean_square", "symmetrize_equivariant"}


def test_an_answer_that_keeps_results_by_the_shapes_of_its_arguments_is_refused():
    accepted, tried = set(), 0
    for name, checks in ALL.items():
        takes_arrays = any(isinstance(x, np.ndarray) for case in checks.cases for x in case.arguments)
        if isinstance(checks.function, type) or not takes_arrays:
            continue
        version, own = keeping(checks.function), trials(checks)
        everyday = [it for it in (*own, *variations(checks, own)) if not it.case.edge]
        with quiet():
            accepted |= set() if any(it.unlike(it.outcome(version)) for it in everyday) else {name}
        tried += 1
    assert tried > 150
    assert accepted == ALIKE


def as_many(x, *_):
    return x.shape[-2] == x.shape[-1]


def as_many_keys(q, k, *_):
    return q.ndim > 2 and q.shape[-2] == k.shape[-2]


# What a slip could depend on that shows in square arrays alone.
SQUARE = {
    "attention": as_many_keys,
    "attention_weights": as_many_keys,
    "cross_entropy": as_many,
    "masked_softmax": lambda x, *_: x.ndim > 2 and as_many(x),
    "ridge": as_many,
    "standardize": as_many,
    "stand_ins": as_many,
}


@pytest.mark.parametrize("name", SQUARE)
def test_an_answer_that_is_wrong_for_square_arrays_alone_is_refused(name):
    right, is_square = ALL[name].function, SQUARE[name]

    def answer(*arguments, **named):
        return right(*arguments, **named) * (1.01 if is_square(*arguments) else 1)

    assert check(answer, name).verdict == "wrong"


def test_a_size_that_all_parts_of_a_result_share_is_noticed():
    def my_equivariance_error(f, actions_in, actions_out, x):
        errors = []
        for act_in, act_out in zip(actions_in, actions_out, strict=True):
            pair = f(act_in(x)), act_out(f(x))
            found, expected = (np.hstack(it if isinstance(it, tuple) else (it,), dtype=float) for it in pair)
            size = max(1.0, np.abs(found).max(), np.abs(expected).max())
            errors.append(np.abs(found - expected).max() / size)
        return float(max(errors))

    assert check(my_equivariance_error).verdict == "edge"


def test_digits_that_are_lost_far_below_zero_are_noticed():
    def my_silu(x):
        e = np.exp(-np.abs(x))
        s = 1 / (1 + e)
        return np.where(x >= 0, x * s, x * (1 - s))

    def my_gelu_slope(x):
        return (1 + erf(x / 2**0.5)) / 2 + x * np.exp(-(x**2) / 2) / (2 * np.pi) ** 0.5

    assert [check(it).verdict for it in (my_silu, my_gelu_slope)] == ["edge", "edge"]


def test_keys_far_from_each_other_tell_squares_from_differences():
    def my_gaussian_score(q, k, bandwidth=1.0):
        mean = k.mean(axis=-2, keepdims=True)
        q, k = q - mean, k - mean
        squares = (q**2).sum(-1)[..., None] + (k**2).sum(-1)[..., None, :]
        return -(squares - 2 * q @ np.swapaxes(k, -1, -2)) / (2 * bandwidth**2)

    report = check(my_gaussian_score)
    assert (report.verdict, "keys far from each other" in report.says) == ("edge", True)


def test_a_token_whose_sum_only_reaches_the_number_that_is_drawn_is_noticed():
    def my_generate(step, ids, n_tokens, stop=None, rng=None, **choice):
        rng, new, written = np.random.default_rng(rng), ids, []
        for _ in range(n_tokens):
            reached = np.cumsum(next_token_probabilities(step(new)[-1], **choice))
            token = int(np.argmax(reached >= rng.random() * reached[-1]))
            if token == stop:
                break
            written.append(token)
            new = np.array([token])
        return np.array(written, dtype=int)

    report = check(my_generate)
    assert (report.verdict, "every draw is 0" in report.says) == ("edge", True)


def keeping(function):
    """Make a version that computes once for arrays of one shape."""
    kept = {}

    def version(*arguments, **named):
        given = [*arguments, *named.values()]
        given = tuple(repr(it) if isinstance(it, int | float | str) else getattr(it, "shape", type(it)) for it in given)
        if given not in kept:
            kept[given] = function(*arguments, **named)
        return copy.deepcopy(kept[given])

    return version


@pytest.mark.parametrize("name", CHECKED)
def test_every_claim_is_broken_by_a_version_that_is_off_or_by_a_known_mistake(name):
    versions = [off(ALL[name].function, sign) for sign in (1, -1)]
    versions += [version_of(ALL[name], it) for it in ALL[name].mistakes]
    versions += [BREAKING[name]] if name in BREAKING else []
    left = ALL[name].claims
    with quiet():
        for version in versions:
            left = [it for it in left if not is_broken(it, version)]
    assert [it.says for it in left] == []


@pytest.mark.parametrize(("name", "mistake"), SOME)
def test_every_known_mistake_is_wrong_and_named(name, mistake):
    report = check(version_of(ALL[name], mistake), name)
    assert report.verdict == "wrong"
    assert report.says == told(mistake)
    assert report.counterexample


@pytest.mark.parametrize("name", ALL)
def test_every_option_is_given_alone_and_with_the_others(name):
    options = {key: it.default for key, it in parameters_of(ALL[name].function).items() if it.default is not it.empty}
    given = [changed(ALL[name], case, options) for case in ALL[name].cases]
    assert all({option} in given for option in options), "each option alone"
    assert set(options) in given or len(options) < 2, "all options together"


@pytest.mark.parametrize("name", ALL)
def test_arguments_differ_from_each_other(name):
    def arrays(case):
        values = [*case.arguments, *case.named.values()]
        return [it for it in values if isinstance(it, np.ndarray) and it.size > 1]

    several = [found for case in ALL[name].cases if len(found := arrays(case)) > 1]
    assert not several or any(
        not any(np.array_equal(a, b) for i, a in enumerate(found) for b in found[:i]) for found in several
    )


@pytest.mark.parametrize("name", ALL)
def test_calls_say_once_what_is_special_about_them(name):
    assert all(case.says for case in ALL[name].cases if case.edge)


@pytest.mark.parametrize("name", ALL)
def test_where_the_books_version_raises_it_refuses_the_call_itself_and_the_call_says_why(name):
    for it in trials(ALL[name]):
        if it.right.error is not None:
            *_, (frame, _) = traceback.walk_tb(it.right.error.__traceback__)
            module = frame.f_globals["__name__"]
            assert it.case.says, it.right.error
            assert module.startswith("mlnotes."), it.right.error
            assert not module.startswith("mlnotes.checks"), it.right.error


def test_a_step_through_the_changes_is_at_least_one(capsys):
    with pytest.raises(SystemExit):
        mutants.main(["softmax", "--every", "0"])
    assert "--every must be positive, got 0" in capsys.readouterr().err


def test_changed_versions_are_refused(record_property):
    counts = [count(checks, every=SAMPLE) for checks in ALL.values()]
    refused, total = sum(it.refused for it in counts), sum(it.total for it in counts)
    record_property("measured", f"checks refuse {refused} of {total} changed versions")
    assert refused >= WANTED * total, {it.name: it.survivors for it in counts if it.survivors}


def test_a_change_that_is_accepted_is_counted():
    checks = Checks(ALL["softmax"].function, (call(np.array([0.0, 0.0])),))
    assert count(checks).refused < WANTED * count(checks).total


def test_neither_guards_nor_what_only_they_read_nor_what_is_displayed_is_changed():
    texts = [describe() for _, _, describe in changes(ALL["KVCache"])]
    assert texts
    assert not any(it.startswith("sizes =") or "KVCache with" in it for it in texts)


def test_what_has_no_checks_of_its_own_is_changed_with_what_uses_it():
    assert any(describe().startswith("difference = ") for _, _, describe in changes(ALL["egnn_layer"]))
    assert not any("_change" in describe() for _, _, describe in changes(ALL["is_invariant"]))


def test_dots_stand_for_anything_in_a_change_that_is_listed_as_equal():
    checks = Checks(ALL["softmax"].function, (call(np.array([0.0, 0.0])),))
    assert len(count(checks, equal=set()).survivors) > 10
    assert count(checks, equal={"return weights / …", "… → return x"}).equal > 1
    assert count(checks, equal={"…"}).survivors == ()


def test_listed_changes_that_nothing_needs_are_named(monkeypatch):
    listed = {"softmax": {"return weights / …", "return no → more"}, "log_softmax": {"return weights / …"}}
    monkeypatch.setattr(mutants, "known_equal", lambda: listed)
    counts = [count(Checks(ALL["softmax"].function, (call(np.array([0.0, 0.0])),)))]
    said = "1 of the changes listed are refused or no longer made"
    assert mutants.needless(counts) == [said, "softmax: return no → more"]


def test_no_change_is_about_which_library_an_array_belongs_to():
    texts = [describe() for _, _, describe in changes(ALL["cross_entropy"])]
    assert len(texts) > 30
    assert not any("array_namespace" in it.split(" → ")[-1] for it in texts)
    texts = [describe() for _, _, describe in changes(ALL["rms_norm"]) if "as_like" in describe()]
    assert any("as_like(gain, x)" in it for it in texts)
    assert all("as_like(" in it and ", x)" in it.split("as_like(")[-1] for it in texts)


def test_what_refuses_bad_input_and_what_only_that_uses_is_left_as_it_is(tmp_path, monkeypatch):
    lines = (
        "def halved(x):",
        "    if x < 0:",
        "        raise ValueError(_message(x))",
        "    return _half(x)",
        "def _half(x):",
        "    return x / 2",
        "def _message(x):",
        "    return 'x is' + str(x + 3)",
    )
    (tmp_path / "guarded_for_a_test.py").write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    checks = Checks(importlib.import_module("guarded_for_a_test").halved, (call(4.0),))
    changed = {describe().split(" → ")[0] for _, _, describe in changes(checks)}
    assert changed == {"return _half(x)", "return x / 2"}


def test_changes_listed_as_equal_belong_to_functions_with_checks():
    assert set(known_equal()) <= set(ALL)
    for path in mutants.BANKS.rglob("*.yml"):  # of two lists for one function, YAML would keep the second
        names = re.findall(r"^(\w+):", path.read_text(encoding="utf-8"), re.M)
        assert len(names) == len({*names}), path


def test_every_public_function_has_checks():
    from mlnotes.checks import __path__ as folder

    for path in Path(folder[0]).rglob("*.py"):
        if path.parent == Path(folder[0]) or path.name == "__init__.py":
            continue
        module = __import__(f"mlnotes.{path.parent.name}.{path.stem}", fromlist=["*"])
        assert any(inspect.getmodule(it.function) is module for it in ALL.values()), path


def changed(checks, case, options):
    """Name the options that a call gives another value than their default."""
    given = dict(zip(parameters_of(checks.function), case.arguments, strict=False)) | case.named
    return {key for key in options if key in given and not _same(given[key], options[key])}


def _same(value, default):
    return value is default or (np.ndim(value) == 0 and not callable(value) and value == default)


def test_watching_products_keeps_their_precision():
    from mlnotes.checks.blocks.matmul import _in_blocks

    single = np.ones((4, 4), np.float32)
    result = _in_blocks(lambda a, b, size: sum(a[:, t : t + 1] @ b[t : t + 1] for t in range(4)), single, single, 4)
    assert result.dtype == np.float32


def is_broken(claim, version):
    """Tell whether a version breaks a claim; one that cannot be called as the claim calls it says nothing of it."""
    try:
        return not abs(claim.error(version)) <= claim.tolerance
    except AssertionError:
        return True
    except Exception:
        return False


def off(function, sign):
    """Make a version whose numbers are off, in each place by another amount, and for other arguments otherwise."""

    def version(*arguments, **named):
        found = function(*arguments, **named)
        given = sum((i + 1) * x for i, x in enumerate(numbers_in([*arguments, *named.values()])))
        return bent(found, sign, 0.3 + 0.1 * np.tanh(given))

    return version


def numbers_in(x):
    if isinstance(x, list | tuple):
        return [number for it in x for number in numbers_in(it)]
    x = np.asarray(x)
    return np.nan_to_num(x.astype(float)).ravel().tolist() if x.dtype.kind in "biuf" else []


def bent(x, sign, by):
    if isinstance(x, list | tuple):
        parts = [bent(it, sign, by) for it in x]
        return type(x)(*parts) if hasattr(x, "_fields") else type(x)(parts)
    if is_dataclass(x):
        return replace(x, **{it.name: bent(getattr(x, it.name), sign, by) for it in fields(x) if it.init})
    if isinstance(x, str):
        return x
    x = np.asarray(x)
    places = 1 + np.arange(x.size).reshape(x.shape)
    if x.dtype.kind == "b":
        return ~x
    return (sign * (x + (by if x.dtype.kind in "fc" else 1) * places)).astype(x.dtype) if x.dtype.kind in "iufc" else x
