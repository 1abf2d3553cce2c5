"""What a reader is told: right answers pass, wrong ones come with a call that shows it and, if possible, the cause."""

import ast
import contextlib
import dataclasses
import functools
import gc
import inspect
import itertools
import linecache
import math
import re
import signal
import subprocess
import sys
import textwrap
import time
import types
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import scipy.special
import torch

from mlnotes.applications.least_squares import lstsq
from mlnotes.applications.linear import linear
from mlnotes.applications.mlp import gelu, silu
from mlnotes.applications.nonlinear_least_squares import gauss_newton, levenberg_marquardt
from mlnotes.attention.multi_head import merge_heads, split_heads
from mlnotes.attention.self_attention import attention, attention_weights
from mlnotes.attention.transformer import layer_norm
from mlnotes.blocks.derivatives import numerical_jacobian
from mlnotes.blocks.dot_product import cosine_similarity, project
from mlnotes.blocks.eigen import jacobi_eigh
from mlnotes.blocks.lu import lu
from mlnotes.blocks.matmul import matmul_block, matmul_dot
from mlnotes.blocks.norm import matrix_norm, vector_norm
from mlnotes.blocks.qr import givens_rotation
from mlnotes.blocks.softmax import log_softmax, softmax
from mlnotes.blocks.svd import low_rank, svd
from mlnotes.checks import (
    _others,
    _raised,
    _with_comment,
    all_checks,
    check,
    evidence,
    mistakes,
    wrong_lines,
    wrong_version,
)
from mlnotes.checks.applications.linear import bias_gradient
from mlnotes.checks.bank import Checks, Claim, Mistake, call, distance, frozen, oracle
from mlnotes.checks.efficient.sinks import ring
from mlnotes.diagnosis import brakes, causes, forms, habits, known, lines, relations, repairs
from mlnotes.diagnosis.attempt import Attempt
from mlnotes.diagnosis.experiments import turning_point
from mlnotes.diagnosis.known import told, version_of
from mlnotes.diagnosis.report import Evidence, Table, compared, written, written_call
from mlnotes.diagnosis.rewrites import ADDITIONS, RULES, across, axes, copies, in_place, parentheses, rewrites
from mlnotes.diagnosis.source import edited, run_definition, source_of, unguarded
from mlnotes.diagnosis.trials import Outcome, names_of, quiet, trials
from mlnotes.efficient.flash import merge_attentions
from mlnotes.efficient.kv_cache import KVCache, decoding_multiply_adds
from mlnotes.efficient.language_model import generate, next_token_probabilities
from mlnotes.efficient.latent import latent_cache_nbytes
from mlnotes.efficient.quantization import quantize
from mlnotes.efficient.sparse import sliding_window_attention
from mlnotes.groups import broken_axioms, identity

KEEPS_ALL = """
import signal
from mlnotes.checks import check
from mlnotes.diagnosis import brakes

def once(x, axis=-1):
    while True:
        try:
            x = abs(x)
        except:
            pass

def twice(x, axis=-1):
    while True:
        try:
            try:
                x = abs(x)
            except BaseException:
                pass
        except:
            pass

def calls_another(x, axis=-1):
    while True:
        try:
            once(x)
        except:
            pass

class MyKVCache:
    def __init__(self, capacity, n_heads, d_head, d_value=None, leading=(), like=None):
        while True:
            try:
                once(capacity)
            except:
                pass

brakes.ENDLESS = 0.2
for answer in (once, twice, calls_another, MyKVCache):
    report = check(answer) if answer is MyKVCache else check(answer, "softmax")
    assert report.counterexample.found == "no end after 0.2 seconds"
    assert f"stopped, it was in the loop of line {2 + (answer is MyKVCache)}, `while True:`" in report.says, report.says
"""


def line(it):
    """Say which line a report points at."""
    return it.says.split(",")[0] if it.says.startswith("Line ") else ""


def failing(method, error, base=object):
    """Make an object one of whose methods raises."""

    def fail(*arguments, **named):
        raise error

    return type("Failing", (base,), {method: fail, "__hash__": base.__hash__})()


def raising(error):
    raise error


def holds_itself(text):
    return brakes.holds_itself(brakes.branches(ast.parse(text)))


class TestVerdicts:
    def test_a_right_answer_is_right(self):
        report = check(lambda x, axis=-1: softmax(x, axis), "softmax")
        assert report.verdict == "right"
        assert repr(report).startswith("✓ softmax: It agrees with the book's softmax on all ")

    def test_what_has_no_name_of_its_own_is_asked_for_by_the_variable_that_holds_it(self, monkeypatch):
        class Columns:
            def __call__(self, c, d):
                return c + d * (1 + 2 * (c // d))

        main = sys.modules["__main__"]
        for name, answer in {
            "column_of_key": lambda c, d: c + d * (1 + 2 * (c // d)),
            "my_column_of_key": Columns(),
            "my_silu": functools.partial(silu),
        }.items():
            with monkeypatch.context() as patch:
                patch.setattr(main, name, answer, raising=False)
                assert repr(check(answer)).startswith(f"✓ {name}: It agrees with the book's")

    def test_the_name_that_an_answer_is_handed_over_by_counts_before_its_own(self):
        def additive_score(x, axis=-1):
            return softmax(x, axis)

        def logged(function):
            def linear(*arguments, **named):
                return function(*arguments, **named)

            return linear

        my_softmax, naive_silu, my_relu = additive_score, logged(silu), functools.partial(np.maximum, 0)
        my_column_of_key = np.vectorize(lambda c, d: c + d * (1 + 2 * (c // d)))
        reports = [check(my_softmax), check(my_column_of_key), check(naive_silu), check(my_relu), check(
            my_relu, name="relu")]  # fmt: skip
        assert [it.name for it in reports] == ["my_softmax", "my_column_of_key", "naive_silu", "my_relu", "my_relu"]
        assert all(it.verdict in ("right", "edge") for it in reports)
        assert check(silu).name == "silu"
        assert check(logged(silu), "silu").name == "linear"

    def test_an_answer_right_but_for_what_was_not_asked_gets_no_tick(self):
        def my_softmax(x, axis=-1):
            e = np.exp(x - x.max(axis=axis, keepdims=True))
            return e / e.sum(axis=axis, keepdims=True)

        report = check(my_softmax)
        assert report.verdict == "edge"
        assert repr(report).startswith("≈ my_softmax: It is right on all ")
        assert "nothing but -inf" in report.says

    def test_an_edge_that_an_answer_has_no_parameter_for_is_not_asked_of_it(self, monkeypatch):
        def right(x, order=0, base=math.e):
            return np.flip(x) if order else x**2

        checks = Checks(right, (call(np.arange(3.0)), call(np.arange(3.0), order=1).about("an order", edge=True)))
        monkeypatch.setattr("mlnotes.checks._find", lambda name: checks)
        monkeypatch.setattr("mlnotes.checks._trials", lambda name: tuple(trials(checks)))
        assert check(lambda x, base=math.e: x * x, "right").verdict == "right"
        assert check(lambda x, order=0: x * x, "right").verdict == "edge"
        assert check(lambda *x, **options: x[0] ** 2, "right").verdict == "edge"

    def test_a_mask_for_each_head_is_told_from_one_for_each_sequence_by_axes_alone(self):
        def my_multi_head_attention(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None):
            if mask is not None and mask.ndim > 2 and mask.shape[0] == q.shape[0]:
                mask = mask[..., None, :, :]
            heads = (split_heads(x @ w, n_heads) for x, w in ((q, w_q), (k, w_k), (v, w_v)))
            return merge_heads(attention(*heads, mask)) @ w_o

        report = check(my_multi_head_attention)
        assert report.verdict == "edge"
        assert "as many tokens as heads, a mask for each head" in report.says

    def test_an_array_in_a_list_of_words_is_refused_and_stops_nothing(self):
        assert check(lambda table: [np.arange(2), np.arange(2)], "broken_axioms").verdict == "wrong"
        trial = trials(Checks(sorted, (call("ba"),)))[0]
        assert trial.unlike_value([np.arange(2), "b"], ["a", "b"])

    @pytest.mark.parametrize("name", ["softmax", "lu"])
    @pytest.mark.parametrize(
        ("answer", "says"),
        [
            (lambda *_: failing("__repr__", ValueError), "<Failing whose __repr__ raises ValueError>"),
            (lambda *_: failing("__repr__", SystemExit), "<Failing whose __repr__ raises SystemExit>"),
            (lambda *_: [failing("__repr__", SystemExit)] * 3, "<Failing whose __repr__ raises SystemExit>"),
            (lambda *_: {failing("__repr__", SystemExit): 1.0}, "<Failing whose __"),
            (lambda *_: np.array([failing("__repr__", SystemExit)] * 2), "<Failing whose __str__ raises SystemExit>"),
            (lambda *_: failing("__array__", SystemExit), "<test_check.Failing object at"),
            (lambda *_: failing("__getattr__", KeyError), "<test_check.Failing object at"),
            (lambda *_: failing("__eq__", SystemExit), "<test_check.Failing object at"),
            (lambda *_: raising(failing("__str__", ZeroDivisionError, Exception)), "<Failing whose __str__ raises"),
        ],
    )
    def test_what_a_result_or_an_error_raises_when_it_is_looked_at_is_reported(self, answer, says, name):
        report = check(answer, name)
        assert report.verdict == "wrong"
        assert says in report.counterexample.found

    def test_a_result_that_cannot_be_shown_stands_beside_words(self):
        trial = trials(Checks(sorted, (call("ba"),)))[0]
        says = "it gives <Failing whose __repr__ raises SystemExit> where ['a', 'b'] is right"
        assert trial.unlike_value(failing("__repr__", SystemExit), ["a", "b"]) == says
        assert "where ['a', 'b'] is right" in trial.unlike_value([failing("__eq__", SystemExit)], ["a", "b"])

    def test_a_reader_who_interrupts_a_check_ends_it(self):
        for method in ("__repr__", "__array__"):
            with pytest.raises(KeyboardInterrupt):
                check(lambda x, axis=-1, method=method: failing(method, KeyboardInterrupt), "softmax")

    def test_a_number_is_judged_without_showing_the_right_one(self, monkeypatch):
        def forty_two():
            return 6 * 7

        checks = Checks(forty_two, (call(),), mistakes=(Mistake("a", lambda: 13, "It is a sum", "multiply"),))
        monkeypatch.setattr("mlnotes.checks._find", lambda name: checks)
        monkeypatch.setattr("mlnotes.checks._trials", lambda name: tuple(trials(checks)))
        assert repr(check(42.0, "forty_two")) == "✓ forty_two: That is right."
        assert repr(check(13, "forty_two")) == "✗ forty_two: It is a sum: multiply."
        assert repr(check(84, "forty_two")) == "✗ forty_two: The result is twice the right one."
        assert repr(check(43, "forty_two")) == "✗ forty_two: That is not it, and no mistake that is known explains it."
        assert check(..., "forty_two").verdict == "empty"

    def test_a_number_is_right_to_the_digits_asked_for(self):
        assert check(-0.7518, "gelu_minimum").says == "That is right."
        assert check(np.float64(-0.7518), "gelu_minimum").verdict == "right"
        assert check(-0.752, "gelu_minimum").verdict == "wrong"
        assert check(-0.16997, "gelu_minimum").says.startswith("This is how small gelu becomes, not where")

    def test_a_number_may_have_been_computed_in_any_precision(self):
        import torch

        assert check(np.float32(-0.7518), "gelu_minimum").verdict == "right"
        assert check(torch.tensor(-0.7518), "gelu_minimum").verdict == "right"
        assert check(np.float32(-0.75), "gelu_minimum").verdict == "wrong"

    def test_a_number_is_not_asked_to_have_a_body_and_no_number_is_a_function(self):
        assert check(..., "gelu_minimum").says == "There is no number yet: write one there and run this cell again."
        assert check(np.eye(2), "linear").says == "A function is asked for, and this is of type ndarray."
        assert check(KVCache(4, 1, 2), "StreamingCache").says == "A class is asked for, and this is of type KVCache."

    def test_what_holds_no_numbers_is_shown_and_stops_nothing(self):
        class Cache(KVCache):
            def keys(self):
                return self._keys[..., : len(self), :]

        def no_minimum(x, bits, block_size=None, symmetric=True):
            codes, scale, minimum = quantize(x, bits, block_size, symmetric)
            return codes, scale, None if symmetric else minimum

        assert check(Cache, "KVCache").verdict == "wrong"
        assert "minimum: None" in check(no_minimum, "quantize").counterexample.found

    def test_a_function_without_return_is_told_so_also_where_its_result_is_taken_apart(self):
        def my_quantize(x, bits, block_size=None, symmetric=True):
            parts = quantize(x, bits, block_size, symmetric)
            (lambda: parts)()

        assert check(my_quantize).says.startswith("It returns nothing")

    def test_arguments_are_named_as_they_are_handed_over(self):
        assert names_of(generate, 2, lambda version, ids, n_tokens: None) == ["ids", "n_tokens"]
        assert names_of(generate, 2, lambda version, *arguments: None) == ["step", "ids"]
        assert names_of(generate, 2) == ["step", "ids"]

    def test_a_wrong_answer_comes_with_its_smallest_failing_call(self):
        def my_softmax(x, axis=-1):
            e = np.exp(x - x.max(axis=axis, keepdims=True))
            return 3 * e / e.sum(axis=axis, keepdims=True)

        assert repr(check(my_softmax)).splitlines()[1:4] == [
            "    my_softmax([1, 2, 4])",
            "    expected  [0.04201, 0.1142, 0.84379]",
            "    found     [0.12603, 0.34259, 2.5314]",
        ]

    def test_each_failure_is_told_once(self):
        report = check(lambda q, k, mask=None, bias=None, scale=None: q @ k.T, "attention_weights")
        assert report.fails.count("a query that sees no key") == 1
        assert repr(report).count("a query that sees no key") == 1

    def test_of_many_failures_a_few_are_named(self):
        report = check(lambda capacity, n_heads, d_head: None, "KVCache")
        words = r"(\d+) of the \1 calls that the exercise asks for fail: also ([^;]+; ){6}and \d+ others\."
        assert re.fullmatch(words, report.fails)
        failed = [(types.SimpleNamespace(case=call().about(str(i))), None, "") for i in range(8)]
        assert _others(types.SimpleNamespace(failed=failed, everyday=failed)).endswith("; and 1 other.")

    @pytest.mark.parametrize("body", ["...", "pass", '"""Later."""', "return None", "raise NotImplementedError"])
    def test_a_stub_is_told_that_it_is_empty(self, body):
        assert check(written_down(f"def my_softmax(x, axis=-1):\n    {body}")).verdict == "empty"

    def test_a_body_without_return_is_told_what_is_missing(self):
        report = check(written_down("def my_softmax(x, axis=-1):\n    weights = np.exp(x)\n    print(weights)"))
        assert report.verdict == "empty"
        assert "`return`" in report.says

    def test_of_what_an_answer_prints_the_call_that_is_shown_says_its_own(self, capsys):
        answer = written_down(
            "def my_softmax(x, axis=-1):\n"
            "    print('given', x.tolist())\n"
            "    e = np.exp(x)\n"
            "    return e / e.sum()"
        )
        report = check(answer)
        assert capsys.readouterr().out == ""
        shown = str(report)
        assert shown.count("given") == report._repr_html_().count("given") == 1
        assert re.search(r"found  .*\n +printed   given \[", shown, re.DOTALL)
        right = written_down("def my_dot(a, b):\n    print(a)\n    return np.einsum('...i,...i->...', a, b)", "my_dot")
        assert check(right).verdict == "right"
        assert capsys.readouterr().out == ""

    def test_an_answer_that_prints_for_ever_fills_neither_the_page_nor_the_memory(self, capsys):
        body = "for i in range(9999):\n        print('x' * 500)\n    return x"
        answer = written_down(f"def my_softmax(x, axis=-1):\n    {body}")
        report = check(answer)
        assert len(str(report)) < 2000
        assert str(report).count("…") >= 2
        assert capsys.readouterr().out == ""

    def test_a_class_that_was_not_begun_is_empty(self):
        class MyKVCache:
            def __init__(self, capacity, n_heads, d_head): ...

            def append(self, k, v): ...

        assert check(MyKVCache, "KVCache").verdict == "empty"

    def test_a_lambda_is_called_as_the_variable_that_holds_it(self):
        answer = written_down("my_softmax = _ = lambda x, axis=-1: x", "my_softmax")
        assert repr(check(answer)).startswith("✗ my_softmax: ")

    def test_a_function_without_checks_is_refused_by_name(self):
        with pytest.raises(ValueError, match=r"of which softmax, .* are nearest, but not for softmx"):
            check(lambda x: x, "softmx")

    @pytest.mark.parametrize("table", [evidence, mistakes])
    def test_a_name_in_place_of_a_function_is_refused(self, table):
        with pytest.raises(ValueError, match="a function of the book must be given, got 'softmax'"):
            table("softmax")
        with pytest.raises(ValueError, match="the name of an exercise must be a string, got 3"):
            check(softmax, 3)

    @pytest.mark.parametrize("answer", [np.ones(2), lambda x: x])
    def test_what_has_no_name_is_refused(self, answer):
        with pytest.raises(ValueError, match=r"a function that has a name, or a name beside it, as in .*, got"):
            check(answer)

    def test_a_loop_without_end_is_not_told_to_return(self, monkeypatch):
        monkeypatch.setattr("mlnotes.diagnosis.brakes.ENDLESS", 0.2)

        def my_softmax(x, axis=-1):
            while True:
                pass

        report = check(my_softmax)
        assert "return" not in report.says
        assert "no end after 0.2 seconds" in str(report)

    def test_an_error_without_words_is_named(self):
        def my_softmax(x, axis=-1):
            if x.ndim == 1:
                raise KeyError
            return softmax(x, axis)

        assert re.search(r"found +KeyError$", str(check(my_softmax)), re.MULTILINE)

    def test_the_numbers_of_a_tensor_are_shown(self):
        def my_softmax(x, axis=-1):
            return torch.softmax(2 * torch.tensor(x), dim=axis)

        assert re.search(r"found +\[[\d., ]+\]", str(check(my_softmax)))

    @pytest.mark.parametrize("error", [SystemExit(1), ZeroDivisionError("no"), MemoryError()])
    def test_whatever_an_answer_raises_is_part_of_the_report(self, error):
        def my_softmax(x, axis=-1):
            raise error

        report = check(my_softmax)
        assert report.verdict == "wrong"
        assert report.counterexample.found == f"{type(error).__name__}: {error}".strip(": ")

    @pytest.mark.parametrize("end", ["sys.exit()", "sys.exit(1)", "raise SystemExit"])
    def test_an_answer_that_ends_the_program_is_told_so(self, end):
        body = f"import sys\n    if x.size:\n        print(np.exp(x))\n        {end}"
        report = check(written_down(f"def my_softmax(x, axis=-1):\n    {body}"))
        assert report.says == "It ends the whole program, as sys.exit() does: return the result instead."
        assert report.counterexample.found.startswith("SystemExit")

    def test_ending_the_program_is_no_refusal(self):
        def my_lstsq(a, b, method="qr", tolerance=None):
            try:
                return lstsq(a, b, method, tolerance)
            except ValueError as error:
                sys.exit(str(error))

        assert check(my_lstsq).says == "It ends the whole program, as sys.exit() does: raise an error instead."

    def test_any_callable_is_accepted(self):
        class Softmax:
            def __call__(self, x, axis=-1):
                return softmax(x, axis)

        assert check(functools.partial(softmax), "softmax").verdict == "right"
        assert check(functools.partial(softmax)).verdict == "right"
        assert check(Softmax(), "softmax").verdict == "right"
        assert check(np.vectorize(float), "softmax").verdict == "wrong"

    def test_answers_may_be_lists_or_tensors(self):
        import torch

        assert check(lambda x, axis=-1: softmax(x, axis).tolist(), "log_softmax").verdict == "wrong"
        assert check(lambda x, axis=-1: log_softmax(x, axis).tolist(), "log_softmax").verdict in ("right", "edge")
        assert check(lambda x, axis=-1: torch.log_softmax(torch.tensor(x), axis), "log_softmax").verdict == "edge"

    def test_a_check_leaves_what_the_reader_counts_in_alone(self):
        answer = written_down("calls = [0]\ndef my_softmax(x, axis=-1):\n    calls[0] += 1\n    return np.exp(x)")
        assert check(answer).verdict == "wrong"
        assert isinstance(answer.__globals__["calls"][0], int)

    def test_what_holds_itself_is_told_so(self):
        def my_softmax(x, axis=-1):
            rows = [1.0]
            rows.append(rows)
            return rows

        assert "found     a list that holds itself" in str(check(my_softmax))

    def test_an_answer_that_waits_is_stopped(self, monkeypatch):
        monkeypatch.setattr("mlnotes.diagnosis.brakes.WAITING", 0.3)

        def my_softmax(x, axis=-1):
            while True:
                time.sleep(0.01)

        assert "no end" in str(check(my_softmax))

    def test_a_check_leaves_the_arguments_of_the_bank_alone(self):
        def my_softmax(x, axis=-1):
            x[...] = 0.0
            return x

        assert check(my_softmax).verdict == "wrong"
        assert check(softmax).verdict == "right"


class TestCauses:
    def test_an_answer_that_remembers_earlier_calls_is_told_so(self):
        def my_rotary(x, positions, base=10000.0, known={}):  # noqa: B006
            if not known:
                known["w"] = base ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])
            angles = np.asarray(positions)[..., None] * known["w"]
            a, b, cos, sin = x[..., ::2], x[..., 1::2], np.cos(angles), np.sin(angles)
            return np.stack([a * cos - b * sin, a * sin + b * cos], axis=-1).reshape(x.shape)

        assert check(my_rotary).says.startswith("It remembers earlier calls, in a default or in a class")

    def test_a_line_of_a_function_that_the_answer_calls_is_found_too(self):
        text = """
            def exponentials(x, axis):
                return np.exp(x + x.max(axis=axis, keepdims=True))

            def my_softmax(x, axis=-1):
                weights = exponentials(x, axis)
                return weights / weights.sum(axis=axis, keepdims=True)"""
        says = check(written_down(textwrap.dedent(text).strip(), "my_softmax")).says
        assert says.startswith("Line 2 of `exponentials`, `return np.exp(x + x.max(axis=axis, keepdims=True))`: ")

    def test_parts_that_are_missing_are_named(self):
        def my_merge_attentions(outs, lses):
            out, _ = merge_attentions(outs, lses)
            return (out,)

        def my_lu(a):
            p, lower, _ = lu(a)
            return p, lower

        lacks = "The result is right as far as it goes, and lacks"
        assert check(my_merge_attentions).says == f"{lacks} `lse`."
        assert check(my_lu).says == f"{lacks} part 3."

    def test_an_accident_is_as_good_as_another_of_its_kind(self):
        def my_bilinear_score(q, k, m):
            return np.einsum("...id,...jd->...ij", q, k)  # refuses other widths in words of its own

        assert check(my_bilinear_score).says.startswith("m makes no difference")

    def test_a_branch_that_is_switched_off_in_one_line_is_not_mended(self):
        def my_forward_substitution(lower, b):
            x = np.zeros(b.shape)
            for i in range(len(lower)):
                dot = (lower[i, :i, None] * x[:i]).sum() if b.ndim > 1 else lower[i, :i] @ x[:i]
                x[i] = (b[i] - dot) / lower[i, i]
            return x

        assert "comparison" not in check(my_forward_substitution).says

    @pytest.fixture(autouse=True)
    def patience(self, monkeypatch):
        """Let a slow or busy machine find what a quick one finds."""
        monkeypatch.setattr(causes, "SECONDS", 5.0)

    def test_a_known_mistake_is_named_whatever_it_is_written_with(self):
        def my_attention_weights(q, k, mask=None, bias=None, scale=None):
            scores = np.einsum("...ld,...sd->...ls", q, k) * (q.shape[-1] ** 0.5 if scale is None else scale)
            scores = scores if bias is None else scores + bias
            return softmax(scores if mask is None else np.where(mask, scores, -np.inf))

        assert check(my_attention_weights).says == "Rows are sharper than without any scale: divide by sqrt(d)."

    def test_a_known_mistake_of_a_part_is_named_in_an_answer_that_does_the_work_of_that_part(self):
        def my_attention(q, k, v, mask=None, bias=None, scale=None):
            scores = q @ k.mT * (q.shape[-1] ** -1.0 if scale is None else scale)
            scores = scores if bias is None else scores + bias
            return softmax(scores if mask is None else np.where(mask, scores, -np.inf)) @ v

        assert check(my_attention).says == "Rows are flatter than they should be: divide by sqrt(d), not by d."

    def test_several_options_that_are_ignored_are_named_together(self):
        from mlnotes.attention.self_attention import attention

        answer = hidden(lambda q, k, v, mask=None, bias=None, scale=None: attention(q, k, v, mask))
        assert check(answer, "attention").says.startswith("`bias` and `scale` make no difference")

    def test_two_known_mistakes_at_once_are_both_named(self):
        def my_attention_weights(q, k, mask=None, bias=None, scale=None):
            scores = np.einsum("...ld,...sd->...ls", q, k) * (q.shape[-1] ** -1.0 if scale is None else scale)
            scores = scores if bias is None else scores + bias
            return softmax(scores if mask is None else np.where(mask, scores, -1e9))

        report = check(my_attention_weights)
        assert report.says.startswith("Two things at once. Rows are flatter")
        assert "averages all of them" in report.says

    @pytest.mark.parametrize(
        ("answer", "says"),
        [
            (lambda x, axis=-1: log_softmax(x), "`axis` makes no difference"),
            (lambda x, axis=-1: -log_softmax(x, axis), "has the opposite sign"),
            (lambda x, axis=-1: log_softmax(x, axis) / np.log(2), "1/log 2"),
            (lambda x, axis=-1: log_softmax(x, axis) + 3, "too large by 3"),
            (lambda x, axis=-1: log_softmax(x, axis)[..., ::-1], "from back to front"),
            (lambda x, axis=-1: log_softmax(x, axis) * x.shape[-1], "multiplied by `x`.shape[-1] once too often"),
        ],
    )
    def test_mistakes_that_everyone_makes_need_no_bank(self, answer, says):
        assert says in check(hidden(answer), "log_softmax").says

    def test_what_is_not_a_number_is_not_explained_by_the_root_of_a_negative_one(self):
        checks = Checks(lambda x: -x, (call(2.0), call(3.0)))
        with quiet():
            assert relations.relation(Attempt.of(lambda x: np.nan, trials(checks))) == ""

    def test_an_argument_that_is_written_to_is_named(self):
        def my_log_softmax(x, axis=-1):
            x -= x.max(axis=axis, keepdims=True)
            return hidden(log_softmax)(x, axis)

        assert "`x` has changed after the call: write into a copy." in check(my_log_softmax).says

    def test_an_argument_that_is_moved_and_moved_back_up_to_rounding_is_named(self):
        def my_numerical_jacobian(f, x):
            jacobian = hidden(numerical_jacobian)(f, x)
            if isinstance(x, np.ndarray) and x.dtype == float:
                x[...] = np.nextafter(x, np.inf)
            return jacobian

        report = check(my_numerical_jacobian)
        assert (report.verdict, "`x` has changed after the call" in report.says) == ("wrong", True)

    def test_two_arguments_that_are_written_to_are_spoken_of_as_two(self):
        def my_dot(x, y):
            result = float(np.sum(x * y))
            if len(x) == 2:
                x[...] = 0
            else:
                y[...] = 0
            return result

        checks = Checks(lambda x, y: float(np.sum(x * y)), (call(np.ones(2), np.ones(2)), call(np.ones(3), np.ones(3))))
        with quiet():
            says = habits._overwritten(Attempt.of(my_dot, trials(checks)))
        assert says == "The result is right, but `x` and `y` have changed after the call: write into copies."

    def test_a_factor_is_no_size_where_that_size_is_the_same_in_all_calls(self):
        checks = Checks(lambda x: float(x.prod()), (call(np.array([1.0, 2.0, 3.3])), call(np.array([0.7, 5.0, 3.1]))))
        with quiet():
            says = relations.relation(Attempt.of(lambda x: 3 * float(x.prod()), trials(checks)))
        assert says == "The result is three times the right one."

    def test_zeros_alone_are_not_taken_for_numbers_that_were_cut_off(self):
        checks = Checks(lambda x: x - 3, (call(np.array([1.0, 2.0])), call(np.array([0.5]))))
        with quiet():
            attempt = Attempt.of(lambda x: 0 * x, trials(checks))
            assert "cut off" not in relations.relation(attempt)
            farther = dataclasses.replace(checks, cases=(call(np.array([1.0, 5.0])), call(np.array([0.5, 6.0]))))
            attempt = Attempt.of(lambda x: np.maximum(x - 3, 0), trials(farther))
            assert "cut off" in relations.relation(attempt)

    def test_an_argument_that_follows_from_the_others_need_not_be_read(self):
        def my_share(x, total):
            return x / x.sum() ** 2

        checks = Checks(lambda x, total: x / total, (call(np.array([1.0, 3.0]), 4.0), call(np.array([2.0, 4.0]), 6.0)))
        with quiet():
            attempt = Attempt.of(my_share, trials(checks))
        assert habits.never_read(attempt, checks) == "`total` makes no difference: the right result depends on it."
        assert habits.never_read(attempt, dataclasses.replace(checks, spare=("total",))) == ""

    def test_an_argument_that_is_to_be_changed_is_not_asked_to_be_copied(self):
        checks = Checks(_kept_once, tuple(call(np.arange(n), []) for n in (2.0, 5.0)))
        attempt = Attempt.of(_kept_twice, trials(checks))
        assert habits._overwritten(attempt) == "The result is right, but `held` is not left as it should be."
        assert lines.line_that_leaves(attempt, checks) == ""

    @pytest.mark.parametrize(
        ("source", "where"),
        [
            ("e = np.exp(x - x.max(axis=axis, keepdims=True))\n    return e / e.sum(axis=axis) ** 2", "Line 3"),
            ("e = np.exp(x + x.max(axis=axis, keepdims=True))\n    return e / e.sum(axis, keepdims=True)", "Line 2"),
            ("e = np.exp(x - x.max(axis=axis, keepdims=True))\n    return e - e.sum(axis, keepdims=True)", "Line 3"),
            ("e = np.exp(x) - x.max(axis=axis, keepdims=True)\n    return e / e.sum(axis, keepdims=True)", "Line 2"),
        ],
    )
    def test_one_slip_is_pointed_at(self, source, where):
        assert line(check(written_down(f"def my_softmax(x, axis=-1):\n    {source}"))) == where

    def test_where_a_function_begins_is_no_other_place_of_a_slip(self):
        def answer(x):
            x *= 2
            return x

        says = repairs._pointed_at(source_of(answer), "in place", [2, 1, 3])
        assert says.endswith("With one change there, or in line 3, `return x`, all calls come out right.")

    def test_letters_of_an_einsum_that_are_exchanged_are_pointed_at(self):
        body = "e = score(q, k)\n    e = np.exp(e - e.max(-1, keepdims=True))\n    e = e / e.sum(-1, keepdims=True)"
        product = "\n    return np.einsum('...ls,...le->...se', e, v)"
        report = check(written_down(f"def my_softmax(q, k, v, score):\n    {body}{product}"), "attention_pool")
        assert line(report) == "Line 5"

    def test_two_names_that_are_exchanged_are_pointed_at(self):
        body = "out = np.zeros((n_queries, n_keys), bool)\n    for i, j in np.ndindex(out.shape):"
        loop = "\n        out[i, j] = i <= j + offset\n    return out"
        answer = written_down(f"def my_softmax(n_queries, n_keys, offset=0):\n    {body}{loop}")
        assert line(check(answer, "causal_mask")) == "Line 4"

    def test_one_change_is_preferred_to_two_known_mistakes(self):
        body = "cut = x.reshape(*x.shape[:-1], n_heads, -1)\n    return np.moveaxis(cut, -1, -3)"
        answer = written_down(f"def my_softmax(x, n_heads):\n    {body}")
        assert line(check(answer, "split_heads")) == "Line 3"

    def test_an_entry_that_should_grow_is_pointed_at(self):
        body = """
            def my_softmax(x, axis=-1):
                out = np.moveaxis(np.exp(x - x.max(axis=axis, keepdims=True)), axis, -1).copy()
                for row in np.ndindex(out.shape[:-1]):
                    total = [0.0]
                    for e in out[row]:
                        total[0] = e
                    out[row] = out[row] / total[0]
                return np.moveaxis(out, -1, axis)
        """
        assert line(check(written_down(textwrap.dedent(body).strip()))) == "Line 6"

    def test_a_number_in_place_of_a_running_index_is_no_argument_that_got_lost(self):
        body = "x = 0.0 * np.array(b)\n    for i in range(len(b)):\n        x[i] = (b[i] - l[i, :i] @ x[:i]) / l[i, 0]"
        report = check(written_down(f"def my_softmax(l, b):\n    {body}\n    return x"), "forward_substitution")
        assert line(report) == "Line 4"
        assert "look at the numbers that stand there" in report.says

    def test_a_view_that_is_written_into_is_no_matter_of_signs(self):
        body = """
            def my_softmax(a):
                sizes = np.where(np.any(a, axis=0), np.abs(a).max(axis=0), 1)
                r, q, k = a / sizes, np.eye(len(a)), min(a.shape)
                for j in range(k):
                    v = r[j:, j]
                    v[0] += np.copysign(np.linalg.norm(v), v[0])
                    h = np.eye(len(a))
                    h[j:, j:] -= 2 * np.outer(v, v) / (v @ v or 1)
                    q, r = q @ h, h @ r
                return q[:, :k], np.triu(r[:k] * sizes)
        """
        report = check(written_down(textwrap.dedent(body).strip()), "householder_qr")
        assert line(report) == "Line 5"
        assert "a part of an array" in report.says

    def test_numbers_on_the_way_that_are_not_the_books_end_what_is_common(self):
        def my_decoding_multiply_adds(n_tokens, n_heads, d_head, d_value=None, cached=True):
            e = d_head if d_value is None else d_value
            pairs = n_tokens * (n_tokens + 1) // 2 if cached else n_tokens**3 // 3
            return n_heads * (d_head + e) * pairs

        assert "before this line" not in check(my_decoding_multiply_adds).says

    def test_what_is_written_into_an_array_is_not_taken_for_what_the_book_computes(self):
        class MyKVCache(KVCache):
            def append(self, k, v):
                length = len(self)
                super().append(k, v)
                self.values[..., length - 1 :, :] = v[..., :1, :]

        assert "before this line" not in check(MyKVCache, "KVCache").says

    def test_a_switch_that_is_ignored_is_named_whichever_way_it_stands(self):
        for stuck in (True, False):

            def answer(n, h, d, d_value=None, cached=True, stuck=stuck):
                return decoding_multiply_adds(n, h, d, d_value, stuck)

            report = check(hidden(answer), "decoding_multiply_adds")
            assert report.says == "`cached` makes no difference: use it where it is given."

    @pytest.mark.parametrize("refusal", ['raise IndexError("full")', "assert len(self) < 0", "raise TypeError"])
    def test_another_exception_than_the_one_asked_for_is_pointed_at(self, refusal):
        body = f"""
            class my_softmax(KVCache):
                def append(self, k, v):
                    if len(self) + k.shape[-2] > self.capacity:
                        {refusal}
                    super(my_softmax, self).append(k, v)
        """
        report = check(written_down(textwrap.dedent(body).strip()), "KVCache")
        assert report.says.startswith("Line 4")
        assert "another exception is asked for" in report.says

    @pytest.mark.parametrize("handler", ["except ValueError: return", "except ValueError as e:\n            print(e)"])
    def test_an_exception_that_is_caught_and_should_come_through_is_pointed_at(self, handler):
        body = "class my_softmax(KVCache):\n    def append(self, k, v):\n        try:\n"
        body += f"            KVCache.append(self, k, v)\n        {handler}"
        report = check(written_down(body), "KVCache")
        assert report.says.startswith("Line ")
        assert "an exception is caught that should come through" in report.says

    def test_a_range_that_begins_and_ends_one_place_too_late_is_pointed_at(self):
        body = "y = np.moveaxis(x, axis, 0)\n    e = [np.exp(y[i] - y.max(0)) for i in range(1, len(y) + 1)]"
        body += "\n    return np.moveaxis(e / sum(e), 0, axis)"
        report = check(written_down(f"def my_softmax(x, axis=-1):\n    {body}"))
        assert line(report) == "Line 3"
        assert "where the range begins and ends" in report.says

    def test_parentheses_that_are_missing_are_pointed_at(self):
        body = "deviation = np.sqrt(x.var(0, ddof=ddof) + eps)\n    return x - x.mean(0) / deviation"
        answer = written_down(f"def my_softmax(x, eps=0.0, ddof=0):\n    {body}")
        assert "Line 3" in check(answer, "standardize").says
        assert "look at the parentheses" in check(answer, "standardize").says

    @pytest.mark.parametrize(
        ("expression", "others"),
        [
            ("a - b / c", ["(a - b) / c"]),
            ("(a - b) / c", ["a - b / c"]),
            ("a / b * c", ["a / (b * c)"]),
            ("-a ** 2", ["(-a) ** 2"]),
            ("a + b * c", ["(a + b) * c"]),
            ("a * b * c", []),
            ("f(a) ** 2", ["f(a ** 2)"]),
            ("f(a - 1)", ["f(a) - 1"]),
        ],
    )
    def test_parentheses_stand_wherever_they_change_something(self, expression, others):
        tree = ast.parse(f"def f(a, b, c): return {expression}")
        found = [ast.unparse(tree).split("return ")[1] for _ in rewrites(tree, [parentheses])]
        assert found == others

    @pytest.mark.parametrize(("rows", "columns"), [("x[::-1]", "x[:, ::-1]"), ("x[0]", "x[:, 0]")])
    def test_rows_and_columns_are_taken_for_each_other(self, rows, columns):
        for this, other in ((rows, columns), (columns, rows)):
            tree = ast.parse(f"def f(x): return {this}")
            assert [ast.unparse(tree).split("return ")[1] for _ in rewrites(tree, [across])] == [other]

    def test_parts_that_come_in_a_dictionary_where_a_tuple_is_asked_for_are_refused(self):
        body = """
            def my_softmax(x, w, grad):
                rows, g = x.reshape(-1, x.shape[-1]), grad.reshape(-1, grad.shape[-1])
                return {"x": grad @ w.T, "w": rows.T @ g, "b": g.sum(axis=0)}
        """
        report = check(written_down(textwrap.dedent(body).strip()), "linear_gradients")
        assert report.says == "The parts are right, but in a dictionary: return them in their order."

    def test_changes_of_several_places_stay_within_the_lines_asked_for(self):
        tree = ast.parse("def f(x):\n    y = x.max(axis=-1)\n    return x.sum(axis=-1) + y.sum(axis=-1)")
        assert [kind for kind, _ in rewrites(tree, [axes, copies], lambda node: False)] == []
        lines = {line for kind, line in rewrites(tree, [axes], lambda node: node.lineno == 3)}
        assert lines == {(3, 3)}

    def test_rows_that_change_places_as_views_are_copied_first(self):
        tree = ast.parse("def f(x):\n    x[0], x[1] = x[1], x[0]\n    return x")
        found = [ast.unparse(tree) for kind, _ in rewrites(tree, [in_place]) if kind == "view"]
        x, exchanged, names = np.eye(2), np.eye(2)[::-1], {}
        assert len(found) == 1
        exec(found[0], names)
        np.testing.assert_array_equal(names["f"](x), exchanged)

    def test_what_numpy_makes_by_indexing_is_never_left_without_an_index(self):
        tree = ast.parse("def f(x): return np.flatnonzero(np.r_[True, x[1:] != x[:-1]])")
        found = [ast.unparse(tree) for _ in rewrites(tree, [*RULES, *ADDITIONS])]
        assert len(found) > 20
        assert all(it.count("np.r_") == it.count("np.r_[") for it in found)

    def test_which_exceptions_an_answer_catches_is_never_rewritten(self):
        tree = ast.parse("def f(x):\n    try:\n        return x[0]\n    except ValueError:\n        return x")
        found = [ast.unparse(tree) for _ in rewrites(tree, [*RULES, *ADDITIONS])]
        assert len(found) > 20
        assert all("except ValueError:" in it or "except" not in it for it in found)

    @pytest.mark.parametrize(("gives", "does"), [("None", "returns nothing"), ("print(n)", "prints a message")])
    def test_what_is_printed_and_what_is_none_is_no_refusal(self, gives, does):
        decides = f"    if (ids < 0).any() or (ids >= n).any():\n        return {gives}"
        program = f"def my_one_hot(ids, n):\n{decides}\n    return np.eye(n)[ids]"
        assert check(written_down(program, "my_one_hot")).says.startswith(f"It {does} where it should raise an error")

    def test_a_change_that_makes_its_own_line_fail_is_no_missing_refusal(self):
        program = """
            def my_one_hot(ids, n):
                if (ids < 0).any() or (ids >= n).any():
                    return np.full(ids.shape[0], np.nan)
                return np.eye(n)[ids]"""
        answer = written_down(textwrap.dedent(program).strip(), "my_one_hot")
        assert check(answer).says.startswith("It accepts what must be refused")

    def test_where_a_refusal_is_all_that_is_missing_nothing_else_is_looked_for(self):
        says = "It accepts what must be refused: a must not be singular, got pivot 0 in row 1."
        assert check(hidden(np.linalg.pinv), "inverse").says == says

    def test_an_answer_is_not_blamed_for_work_that_it_leaves_to_the_book(self):
        def my_low_rank(a, k):
            u, s, vt = svd(a)
            return u[:, :k] * s[:k] ** 2 @ vt[:k]

        known = [told(it) for it in all_checks()["svd"].mistakes]
        assert check(my_low_rank).says not in known
        own = types.FunctionType(my_low_rank.__code__, my_low_rank.__globals__ | {"svd": hidden(svd)}, "my_low_rank")
        assert check(own).says in known

    def test_a_change_that_only_goes_round_the_slip_is_not_pointed_at(self):
        right = "e = np.exp(x - x.max(axis=axis, keepdims=True))\n    return e / e.sum(axis=axis, keepdims=True)"
        wrong = right.replace("e / e", "e - e").replace("\n", "\n    ")
        report = check(written_down(f"def my_softmax(x, axis=-1):\n    if axis == -1:\n        {wrong}\n    {right}"))
        assert line(report) == "Line 4"

    def test_lines_are_moved_before_anything_that_could_be_missing_is_tried(self):
        tree = ast.parse("def total(x):\n    s = 0\n    for it in x:\n        s += it\n        s = 2 * s\n    return s")
        kinds = [kind for kind, _ in rewrites(tree, (*RULES, *ADDITIONS))]
        assert kinds.index("indentation") < kinds.index("missing")
        assert kinds.count("missing") > 10 * kinds.count("indentation")

    def test_the_same_slip_in_two_lines_is_pointed_at_in_both(self):
        body = "below = x - x.max(axis=axis, keepdims=True)\n    up = np.expm1(below)\n    down = np.expm1(below)"
        end = "return up / down.sum(axis=axis, keepdims=True)"
        assert check(written_down(f"def my_softmax(x, axis=-1):\n    {body}\n    {end}")).says == (
            "Line 3, `up = np.expm1(below)`, and line 4, `down = np.expm1(below)`: look at which function is called. "
            "With the same change in 2 places, all calls come out right."
        )

    def test_two_variables_in_each_others_place_are_pointed_at(self):
        def my_matmul_rows(a, b):
            large = np.zeros((99, 99))
            large[: len(a), : b.shape[1]] = a @ b
            return large[: len(b), : a.shape[1]]

        assert line(check(my_matmul_rows)) == "Line 4"

    def test_a_call_that_was_shown_is_not_told_again(self):
        def my_entropy(weights, axis=-1):
            return -(weights * np.log(weights)).sum(axis=axis)

        assert check(my_entropy).counterexample.call.endswith("# weights of 0")
        assert check(my_entropy).fails == ""

    def test_an_error_is_pointed_at(self):
        report = check(written_down("def my_softmax(x, axis=-1):\n    y = x\n    return y.nothing"))
        assert line(report) == "Line 3"
        assert "AttributeError" in report.counterexample.found

    def test_an_overflow_is_pointed_at(self):
        shifted = "e = np.exp(x - x.min(axis=axis, keepdims=True))"  # by the wrong end
        body = f"{shifted}\n    return np.log(e / e.sum(axis=axis, keepdims=True))"
        report = check(written_down(f"def my_log_softmax(x, axis=-1):\n    {body}", "my_log_softmax"))
        assert line(report) == "Line 2"
        assert "overflow" in report.says

    def test_an_overflow_is_told_before_an_underflow(self):
        lines = ["tiny = np.exp(np.full(1, -800.0))", "e = np.exp(x - x.min(axis=axis, keepdims=True)) + tiny"]
        body = "\n    ".join([*lines, "return np.log(e / e.sum(axis=axis, keepdims=True))"])
        report = check(written_down(f"def my_log_softmax(x, axis=-1):\n    {body}", "my_log_softmax"))
        assert line(report) == "Line 3"
        assert "overflow" in report.says

    def test_a_known_mistake_is_named_where_other_calls_give_no_numbers(self):
        def my_projection_matrix(a):
            return np.outer(a, a) / math.hypot(*a)

        says = "It grows with the length of a, and P² differs from P: divide by a·a, not by its root. "
        says += "That explains the wrong numbers; calls that raise TypeError may have another cause."
        assert check(my_projection_matrix).says == says

    def test_a_relation_is_named_where_other_calls_give_no_numbers(self):
        def my_coulomb_forces(x, charges, softening=0.1):
            between = x[..., None, :] - x[..., None, :, :]
            cubes = (np.sum(between**2, axis=-1) + softening**2) ** 1.5  # 0 beside oneself, where nothing is softened
            products = charges[..., None] * charges[..., None, :]
            return -np.sum((products / cubes)[..., None] * between, axis=-2)

        says = "The result has the opposite sign. That explains the wrong numbers; "
        assert check(my_coulomb_forces).says == f"{says}calls that give nan or infinity may have another cause."

    def test_what_keeps_a_call_from_being_compared_is_told(self):
        checks = Checks(lambda x: x, (call(np.array([1.0, 2.0])),))
        [trial] = trials(checks)
        for value, kind in ((np.ones(3), "give another shape"), ("1", "give another shape"), (np.ones(2), "")):
            assert known._without_numbers(trial, Outcome(value)) == kind
        assert known._without_numbers(trial, Outcome(np.array([1.0, np.nan]))) == "give nan or infinity"
        assert known._without_numbers(trial, Outcome(error=KeyError())) == "raise KeyError"

    def test_two_known_mistakes_that_explain_the_wrong_numbers_alike_are_not_named(self):
        def answer(x):
            if x.ndim > 1:
                raise IndexError
            return x + 1

        cases = call(np.array([1.0, 2.0])), call(np.array([3.0, 5.0])), call(np.ones((2, 2)))
        both = [Mistake(name, lambda x: x + 1, f"{name} is seen", "do it") for name in ("This", "That")]
        for listed, says in ((both[:1], "This is seen: do it. That explains"), (both, "")):
            checks = Checks(lambda x: x, cases, mistakes=tuple(listed))
            attempt = Attempt.of(hidden(answer), trials(checks))
            assert known.known_in_part(attempt, checks).startswith(says)
            assert bool(known.known_in_part(attempt, checks)) == bool(says)

    def test_calls_that_should_raise_an_error_are_shown_after_those_with_numbers(self):
        report = check(hidden(lambda ids, table: table[np.asarray(ids) - 1]), "embedding")
        assert "Error" not in report.counterexample.expected

    def test_no_way_round_a_missing_name_is_offered(self):
        lines = ["top = fm.max(x) if x.ndim < 2 else x.max(axis, keepdims=True)", "e = np.exp(x - top)"]
        body = "\n    ".join([*lines, "return e / e.sum(axis, keepdims=True)"])
        report = check(written_down(f"def my_softmax(x, axis=-1):\n    {body}"))
        assert report.says.endswith(": `fm` is not known here: import or define it first.")
        assert line(report) == "Line 2"
        assert report.counterexample.found.startswith("NameError")

    @pytest.mark.parametrize(
        ("source", "says"),
        [
            ("def my_power_steps(ratio, digits):\n    return -digits / math.log10(ratio)", "`import math` first."),
            ("def my_dot(x, y):\n    return (x * why).sum(-1)", "import or define it first."),
            ("def my_dot(x, y):\n    return (x * token).sum(-1)", "define it first."),  # and not the module
            ("def my_softmax(x, axis=-1):\n    e = np.exp(x)\n    return e / e.sum(axs)", "is `axis` meant?"),
            (
                "def my_embedding(ids, table):\n    if ids.min() < 0:\n        raise VauleError\n    return table[ids]",
                "Line 3, `raise VauleError`: `VauleError` is not known here: is `ValueError` meant?",
            ),
        ],
    )
    def test_a_name_that_means_nothing_is_told_before_any_change_is_tried(self, source, says):
        report = check(written_down(source, re.match(r"def (\w+)", source)[1]))
        assert report.says.endswith(says)
        assert "is not known here" in report.says

    @pytest.mark.parametrize(
        ("body", "says", "found"),
        [
            ("s = (x * y).sum(-1)\n    if s.ndim:\n        return s", "every way through it end with `return`", "None"),
            ("yield (x * y).sum(-1)", "make a list or an array of it first", "a generator"),
            ("return map(np.dot, x, y)", "make a list or an array of it first", "a map"),
            ("return (x * y).sum", "call it, with parentheses", "sum"),
            ("return {'dot': (x * y).sum(-1)}", "It gives a dictionary where numbers are right", "dot: 5"),
        ],
    )
    def test_what_is_no_result_is_told(self, body, says, found):
        report = check(written_down(f"def my_dot(x, y):\n    {body}", "my_dot"))
        assert says in report.says
        assert report.counterexample.found == found

    @pytest.mark.parametrize(
        ("body", "says"),
        [
            ("return x", "It returns a result once, and should yield one point after another."),
            ("return [x] * 2000", "It returns a result once, and should yield one point after another."),
            ("while True: yield x, 0 * x", "It yields several things at each step, and should yield the point alone."),
        ],
    )
    def test_what_a_bank_complains_of_is_the_cause(self, body, says):
        source = f"def my_momentum(rate, beta=0.9):\n    def steps(problem, x):\n        {body}\n    return steps"
        assert check(written_down(source, "my_momentum")).says.startswith(says)

    def test_an_answer_that_keeps_results_by_shape_is_found_out(self):
        kept = {}

        def my_gelu(x):
            if x.shape not in kept:
                kept[x.shape] = gelu(x)
            return kept[x.shape]

        report = check(my_gelu)
        assert report.says.startswith("It remembers earlier calls, in `kept`: ")
        assert "# the numbers in reverse order" in report.counterexample.call

    def test_an_answer_that_writes_into_earlier_results_is_found_out(self):
        room = {}

        def my_gelu(x):
            result = room.setdefault(x.shape, np.empty_like(x))
            result[...] = gelu(x)
            return result

        for answer in (my_gelu, lambda x: np.squeeze(my_gelu(x))):  # the second has an edge that fails at once
            assert check(answer, "gelu").says.startswith("A result changes with later calls: make a new array")

    def test_an_answer_that_drops_axes_of_size_1_gets_no_tick(self):
        def my_linear(x, w, b=None):
            y = np.squeeze(x @ w)
            return y if b is None else y + b

        report = check(my_linear)
        assert report.verdict == "edge"
        assert report.says.endswith("At the edge it is not: an axis of size 1.")
        # One class is no case of a cross-entropy, and its bank says so.
        assert check(lambda *x: np.squeeze(bias_gradient(*x)), "bias_gradient").verdict == "right"

    def test_an_error_that_is_returned_is_no_refusal(self):
        def my_embedding(ids, table):
            ids = np.asarray(ids)
            return ValueError("ids") if (ids < 0).any() or (ids >= len(table)).any() else table[ids]

        def my_jacobi_eigh(a):
            return np.linalg.eigh(a) if np.abs(a - a.T).max() < 1e-12 * np.abs(a).max() else ValueError

        for answer in (my_embedding, my_jacobi_eigh):
            report = check(answer, answer.__name__.removeprefix("my_"))
            assert report.says == "It returns an error where it should raise one: `raise` in place of `return`."
            assert report.counterexample.found.startswith("ReturnedError: ")

    def test_fewer_bits_are_enough_for_numbers_that_they_hold(self):
        def my_one_hot(ids, n):
            marks = torch.as_tensor(ids)[..., None] == torch.arange(n)
            if (~marks.any(-1)).any():
                raise ValueError("ids")
            return marks.float()

        def my_length_of_mean(r):
            return torch.tensor(float(r)).rsqrt()

        assert check(my_one_hot).verdict in ("right", "edge")
        assert check(my_length_of_mean).verdict == "right"
        assert check(lambda x, w, b=None: np.float32(linear(x, w, b)), "linear").verdict == "wrong"

    def test_a_result_may_come_in_lists_or_an_object_of_the_readers_own(self):
        class Found(dict):
            __getattr__ = dict.__getitem__

        def my_gauss_newton(*arguments, **named):
            fit = gauss_newton(*arguments, **named)
            return Found(x=fit.x.tolist(), cost=fit.cost, converged=int(fit.converged))

        def my_jacobi_eigh(a):
            w, v = jacobi_eigh(a)
            return w.tolist(), v.tolist()

        def my_low_rank(a, k):
            return torch.as_tensor(low_rank(a, k))

        reports = [check(my_gauss_newton), check(my_jacobi_eigh), check(my_low_rank)]
        assert all(it.verdict in ("right", "edge") for it in reports), reports

    @pytest.mark.parametrize("solve", [gauss_newton, levenberg_marquardt])
    def test_what_a_fit_tells_of_its_way_must_be_true(self, solve):
        def answer(*arguments, **named):
            fit = solve(*arguments, **named)
            return dataclasses.replace(fit, costs=2 * fit.costs)

        assert check(answer, solve.__name__).verdict == "wrong"

    def test_masked_arrays_and_matrices_are_taken_for_their_numbers(self):
        def my_softmax(x, axis=-1):
            e = np.ma.exp(np.ma.masked_less(x - x.max(axis=axis, keepdims=True), -700))
            return e / e.sum(axis=axis, keepdims=True)

        report = check(my_softmax)
        assert report.verdict == "wrong"
        assert "masked" not in report.counterexample.found
        assert check(lambda a, b: np.matrix(a) @ np.matrix(b), "matmul_outer").verdict != "wrong"

    def test_what_yields_its_parts_is_told_too(self):
        def my_generate(step, ids, n_tokens, stop=None, rng=None, **choice):
            yield from generate(step, ids, n_tokens, stop, rng, **choice)

        assert check(my_generate).says.startswith("It returns what has computed nothing yet")

    @pytest.mark.parametrize("instead", ["None", "'not symmetric'", "print('not symmetric')"])
    def test_whatever_is_returned_in_place_of_an_error_is_no_refusal(self, instead):
        program = f"""
            def my_jacobi_eigh(a):
                if abs(a - a.T).max() > 1e-12 * abs(a).max():
                    return {instead}
                return tuple(np.linalg.eigh(a))"""
        report = check(written_down(textwrap.dedent(program), "my_jacobi_eigh"))
        assert report.verdict == "wrong"
        assert report.counterexample.expected.startswith("ValueError")
        assert report.counterexample.found == {"'not symmetric'": "'not symmetric'"}.get(instead, "None")

    def test_a_result_that_cannot_be_compared_is_told_by_what_it_is_and_not_by_an_error_of_ours(self):
        def my_gram_schmidt(a):
            return np.linalg.qr(a)[0]

        report = check(my_gram_schmidt)
        assert report.says.startswith("It gives one array where 2 parts are right")
        assert (report.counterexample.expected, report.counterexample.found) == ("([[-1]], [[2]])", "[[1]]")

    def test_parts_that_have_changed_places_are_told_so_also_where_the_bank_compares_something_else(self):
        def my_jacobi_eigh(a):
            return jacobi_eigh(a)[::-1]

        def my_lu(a):
            permutation, lower, upper = lu(a)
            return [lower, upper, permutation]

        says = "The parts are right, but in another order:"
        assert check(my_jacobi_eigh).says == f"{says} they have changed places."
        assert check(my_lu).says == f"{says} return your parts 3, 1 and 2, in this order."

    @pytest.mark.parametrize(
        ("program", "place"),
        [
            (
                """
                seen = 0
                def my_ring(n, capacity, n_sinks):
                    global seen
                    seen += 1
                    return ring(n + seen - 1, capacity, n_sinks)""",
                "`seen`",
            ),
            (
                """
                def make():
                    seen = 0
                    def my_ring(n, capacity, n_sinks):
                        nonlocal seen
                        seen += 1
                        return ring(n + seen - 1, capacity, n_sinks)
                    return my_ring
                my_ring = make()""",
                "`seen`",
            ),
            (
                """
                def my_ring(n, capacity, n_sinks):
                    my_ring.seen += 1
                    return ring(n + my_ring.seen - 1, capacity, n_sinks)
                my_ring.seen = 0""",
                "`my_ring.seen`",
            ),
        ],
    )
    def test_a_number_that_is_kept_from_call_to_call_is_found(self, program, place):
        report = check(written_down(textwrap.dedent(program), "my_ring"))
        assert report.says.startswith(f"It remembers earlier calls, in {place}: as the first call, ")

    def test_a_name_of_a_function_around_the_answer_may_be_set(self):
        program = """
            def make():
                y = None
                def my_linear(x, w, b=None):
                    nonlocal y
                    y = x @ w
                    if b is not None:
                        y = y - b
                    return y
                return my_linear
            my_linear = make()"""
        report = check(written_down(textwrap.dedent(program), "my_linear"))
        assert report.says.startswith("Line 5, `y = y - b`: look at the operators.")

    def test_an_argument_that_is_never_read_is_named(self):
        program = "def my_sink_score(share, n_keys):\n    return np.log(9 * (n_keys - 1))"
        report = check(written_down(program, "my_sink_score"))
        assert report.says == "`share` makes no difference: the right result depends on it."

    def test_a_method_where_an_attribute_is_asked_for_is_named(self):
        class MyKVCache(KVCache):
            nbytes = lambda self: 8  # noqa: E731

        assert check(MyKVCache).says == "`nbytes` should be read without parentheses: write @property above the method."

    def test_lists_in_place_of_arrays_are_right_and_said_to_be_lists(self):
        def my_ring(n, capacity, n_sinks):
            return ring(n, capacity, n_sinks).tolist()

        assert check(my_ring).says.endswith(" It gives a list where that gives an array: np.array makes one of it.")
        assert "list" not in check(ring).says

    def test_differences_are_not_blamed_where_they_are_asked_for(self):
        def my_numerical_jacobian(f, x):
            columns = []
            for i in np.ndindex(x.shape):
                up, down = x.copy(), x.copy()
                up[i] += 6e-6 * x[i] + 1e-12
                down[i] -= 6e-6 * x[i] + 1e-12
                columns.append((np.asarray(f(up)) - np.asarray(f(down))) / (up[i] - down[i]))
            return np.stack(columns, axis=-1).reshape(columns[0].shape + x.shape)

        report = check(my_numerical_jacobian)
        assert report.verdict == "wrong"
        assert "derive" not in report.says

    def test_a_matrix_is_looked_at_by_its_symmetric_part_only_where_every_call_has_a_square_one(self):
        def answer(x):
            return (x + x.T) / 2

        square, vector = call(np.array([[1.0, 2.0], [3.0, 4.0]])), call(np.array([1.0, 2.0]))
        right = "The call that fails comes out right with the symmetric part"
        for cases, says in (((square,), right), ((square, vector), "")):
            checks = Checks(lambda x: x, cases)
            attempt = Attempt.of(answer, trials(checks))
            assert turning_point(attempt, checks, time.process_time() + 3).startswith(says)
            assert bool(turning_point(attempt, checks, time.process_time() + 3)) == bool(says)

    def test_no_call_is_changed_when_the_time_is_over(self, monkeypatch):
        calls = []
        checks = Checks(lambda x: x, (call(np.array([[1.0, 2.0], [3.0, 4.0]])),))
        attempt = Attempt.of(written_down("def my_softmax(x): return (x + x.T) / 2"), trials(checks))
        monkeypatch.setattr("mlnotes.diagnosis.experiments.braked", lambda *_: calls.append(1))
        assert turning_point(attempt, checks, -math.inf) == ""
        assert calls == []

    @pytest.mark.parametrize(
        ("name", "answer", "says"),
        [
            ("bias_at_the_end", lambda h: 0.798 * h, "Wherever it fails, its first 3 digits are right, and later"),
            ("dot", lambda a, b: 0.0 * (a * b).sum(-1), "The result is 0 throughout."),
            ("causal_mask", lambda n, m, offset=0: np.zeros((n, m), bool), "The result is False throughout."),
            ("is_invariant", lambda f, actions, x, tolerance=1e-9: True, "The result is True throughout."),
            ("rank", lambda a, tolerance=None: 2, "The result is 2 throughout."),
            ("dot", lambda a, b: 0 * (a * b).sum(-1) + 1 / 3, "The result is 0.33333 throughout."),
        ],
    )
    def test_what_can_be_said_of_a_result_alone(self, name, answer, says):
        assert check(hidden(answer), name).says.startswith(says)

    def test_what_is_transposed_in_some_calls_is_not_said_to_be_in_another_order(self):
        def answer(x, y):
            return givens_rotation(x, y).T if y < 0 else givens_rotation(x, y)

        report = check(hidden(answer), "givens_rotation")
        assert report.says == "Wherever it fails, the result is transposed."

    def test_an_answer_that_gives_something_else_the_second_time_is_told_so(self):
        count = itertools.count(1)
        report = check(hidden(lambda a, b: (a * b).sum(-1) + next(count)), "dot")
        assert report.says.startswith("Called again with the same, it gives something else")

    def test_a_result_of_truth_values_has_no_logarithm(self):
        [trial] = trials(Checks(lambda x: x > 0, (call(np.array([1.0, -1.0])),)))
        row = trial, np.array([0.0, -np.inf]), trial.right.value
        assert relations._relation_of([row], "The result") == ""

    def test_a_changed_answer_knows_no_module_that_the_answer_lacks(self):
        answer = written_down("def my_answer(x):\n    return math.exp(x)", "my_answer")
        assert "math" not in source_of(answer).namespace
        assert source_of(written_down("def my_answer(x):\n    return x", "my_answer")).namespace["math"] is math

    def test_what_should_have_come_keeps_its_digits_beside_what_is_far_larger(self):
        expected, _ = compared(np.array([0.0, -7.2e16]), np.array([0.0, -0.0039]))
        assert expected == "[0, -0.0039]"

    def test_a_helper_that_writes_into_what_is_still_needed_is_named(self):
        def my_log_softmax(x, axis=-1):
            def powers(y):
                np.exp(y, out=y)
                return y

            y = x - x.max(axis=axis, keepdims=True)
            return y - np.log(powers(y).sum(axis=axis, keepdims=True))

        says = "`powers` writes into an argument that is still needed as it was: write into a copy."
        assert check(my_log_softmax).says == says

    def test_a_helper_that_keeps_what_is_changed_later_is_named(self):
        def my_gauss_newton(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
            x, jacobian = np.array(x0, float), jacobian or (lambda x: numerical_jacobian(residual, x))
            for _ in range(max_steps + 1):
                r, j = residual(x.copy()), np.array(jacobian(x.copy()))
                if not (np.isfinite(r).all() and np.isfinite(j).all()):
                    break
                q, triangle = np.linalg.qr(j)
                found = _fit_at(x, r, q.T @ r if j.any(axis=0).all() else r, tolerance)
                if found.converged or not j.any(axis=0).all():
                    break
                x -= np.linalg.solve(triangle, q.T @ r)
            return found

        says = "What `_fit_at` keeps or hands out is changed later: let it copy, or make a new array there."
        assert check(my_gauss_newton).says == says

    def test_a_number_whose_square_overflows_stops_no_search(self):
        report = check(written_down("def my_softmax(x, axis=-1):\n    y = np.exp(x) - 1e300\n    return abs(y)"))
        assert report.verdict == "wrong"

    def test_a_warning_that_not_all_failing_calls_give_is_not_the_cause(self):
        def my_matrix_norm(a, kind="frobenius"):
            if kind == "spectral":
                squares = np.linalg.eigvalsh(a.swapaxes(-1, -2) @ a)
                return squares[..., -1]
            return matrix_norm(a, kind)

        assert "overflow" not in check(my_matrix_norm).says

    def test_numbers_that_agree_by_chance_do_not_make_a_line_right(self):
        program = "def my_softmax(a):\n    b = np.ones(3)\n    c = b - 1\n    return np.cos(a)"
        checks = Checks(_of_zeros_and_ones, (call(np.array([2.0, 3.0, 5.0])), call(np.array([4.0, 3.0, 0.5]))))
        attempt = Attempt.of(written_down(program), trials(checks))
        assert lines.line_that_leaves(attempt, checks) == ""

    def test_right_numbers_in_another_order_are_named(self):
        checks = Checks(lambda x: x, (call(np.array([1.0, 0.0])), call(np.array([[0.0, 1.0]]))))
        assert forms.shuffled(Attempt.of(lambda x: x[..., ::-1], trials(checks))) == ""
        answer = hidden(lambda x, axis=-1: np.roll(softmax(x, axis), 1, axis))
        assert check(answer, "softmax").says == "The numbers are right, but in another order."

    def test_truth_values_have_places_and_no_order(self):
        answer = hidden(lambda n, width: np.tri(n, dtype=bool) & (np.arange(n) < width))
        assert check(answer, "window_mask").says == "It is True as often as is right, but elsewhere."

    def test_right_parts_in_another_order_are_named(self):
        checks = Checks(_ends_and_squares, (call(np.array([2.0, 5.0, 3.0])), call(np.array([4.0, 1.0, 2.0, 7.0]))))
        for answer, says in (
            (lambda x: {"ends": (4.0, 9.0), "squares": np.roll(x**2, 1)}, ""),
            (lambda x: {"ends": np.array([x[0], x[-1]]), "squares": np.roll(x**2, 1)}, "`squares`'s numbers are right"),
        ):
            attempt = Attempt.of(hidden(answer), trials(checks))
            assert forms.shuffled(attempt).startswith(says)
            assert bool(forms.shuffled(attempt)) == bool(says)

    def test_complex_numbers_where_real_ones_are_right_are_refused(self):
        report = check(hidden(lambda a: np.poly(a).astype(complex)), "characteristic_polynomial")
        assert report.says == "The numbers are right, but their dtype is not: complex128 where float64 is right."

    def test_least_squares_and_singular_values_of_infinities_come_back(self):
        """LAPACK's routines do not, for these."""
        tall = [[np.inf] * 3, [-1.84, -1.88, -1.15], [-0.17, -0.98, 0.65], [-8.8e4, 1.9e4, 7.3e4], [-3, -6.7, -3.7]]
        tall.append([-4.9e37, -3.8e37, 8e36])
        with quiet():
            with pytest.raises(np.linalg.LinAlgError):
                np.linalg.lstsq([[1 / 6, 1, 0], [np.inf, 1, 1], [np.inf, 1, 2]], [6, 0, 0])
            for routine in (np.linalg.svd, np.linalg.pinv):
                with pytest.raises(np.linalg.LinAlgError):
                    routine(np.array(tall))
            assert np.allclose(np.linalg.svd([[3, 0], [0, -4]], compute_uv=False), [4, 3])

    def test_a_number_in_a_condition_is_not_taken_for_a_variable(self):
        def my_slogdet(a):
            p, _, u = lu(a)
            pivots = np.diag(u)
            sign, logarithm = np.linalg.det(p) * np.prod(np.sign(pivots)), np.log(np.abs(pivots)).sum()
            if sign == 0:
                raise ValueError("singular")
            return sign, logarithm

        assert check(my_slogdet).says.startswith("Line 5, `if sign == 0:`: it should not be there.")

    def test_factors_in_the_wrong_order_are_named_so(self):
        checks = Checks(lambda a: a.T @ a, (call(np.arange(6.0).reshape(3, 2)), call(np.ones((2, 4)))))
        answer = written_down("def my_softmax(a):\n    return a @ a.T")
        says = repairs.repair(Attempt.of(answer, trials(checks)), checks, time.process_time() + 5)
        assert says.startswith("Line 2, `return a @ a.T`: look at the order.")

    def test_nan_in_one_of_several_parts_is_pointed_at(self):
        body = "top = lses.max(axis=0)\n    e = np.exp(lses - top)\n    s = e.sum(axis=0)"
        given = "\n    return (e[..., None] * outs).sum(0) / s[..., None], np.logaddexp.reduce(lses)"
        report = check(written_down(f"def my_softmax(outs, lses):\n    {body}{given}"), "merge_attentions")
        says = "infinity less infinity is no number (NumPy: invalid value in subtract)"
        assert report.says == f"Line 3, `e = np.exp(lses - top)`: {says}."

    @pytest.mark.parametrize(
        ("answer", "says"),
        [
            (lambda x: {"x": 2 * x, "grown": True}, "Go down."),
            (lambda x: {"x": 2 * x if x > 0 else _failing_to_converge(), "grown": True}, "Go down."),
            (lambda x: {"x": 2 * x, "grown": x > 1}, ""),
            (lambda x: {"x": 2 * x, "grown": False}, ""),
            (lambda x: _failing_to_converge(), ""),
        ],
    )
    def test_a_part_that_is_wrong_alike_in_all_calls_is_what_the_bank_says_of_it(self, answer, says):
        signs = {("grown", True): "Go down."}
        checks = Checks(lambda x: {"x": x, "grown": False}, tuple(map(call, (1.0, 2.0, -3.0))), signs=signs)
        with quiet():
            assert known.hint(Attempt.of(answer, trials(checks)), checks) == says

    def test_a_size_that_is_asked_of_a_transpose_is_no_transpose(self):
        def my_output_mean_square(x, deviation):
            return len(x) * (x**2).mean() * deviation**2

        report = check(my_output_mean_square)
        assert "look at which axis's size is asked for. With one change there" in report.says

    @pytest.mark.parametrize(
        ("line", "says"),
        [
            ("np.log(x)", "the logarithm of 0 is minus infinity (NumPy: divide by zero in log)"),
            ("np.exp(800 + x)", "exp of a large number is infinite in floats (NumPy: overflow in exp)"),
            ("1 / x[0]", "a number is divided by 0 (NumPy: divide by zero in divide)"),
            ("np.inf * (1 + x) - np.inf", "infinity less infinity is no number (NumPy: invalid value in subtract)"),
            ("x * 1e300 * 1e300", "overflow in multiply"),
        ],
    )
    def test_what_numpy_warns_of_is_said_in_plain_words(self, line, says):
        checks = Checks(lambda x: x, (call(np.array([0.0, 1.0])),))
        answer = written_down(f"def my_softmax(x):\n    y = {line}\n    return 0 * x + y")
        with quiet():
            attempt = Attempt.of(answer, trials(checks))
            *_, heard = lines.line_that_warned(attempt).split("`: ")
        assert heard == f"{says}."

    @pytest.mark.parametrize(
        ("name", "answer"),
        [
            ("softmax", lambda x, axis=-1: (softmax(x, axis), x.max(axis))),
            ("merge_attentions", lambda outs, lses: (*merge_attentions(outs, lses), lses.max(0))),
        ],
    )
    def test_what_is_returned_besides_is_too_much(self, name, answer):
        assert check(hidden(answer), name).says == "It returns more than is asked for: what comes first is right."

    def test_a_first_part_that_is_wrong_is_not_all_that_is_wrong(self):
        report = check(hidden(lambda x, axis=-1: (softmax(2 * x, axis), x.max(axis))), "softmax")
        assert "no mistake that is known" in report.says

    @pytest.mark.parametrize(
        ("name", "answer", "says"),
        [
            ("split_heads", lambda x, n: split_heads(x, n)[..., None, :, :], "(2, 1, 2, 2) where (2, 2, 2) is right"),
            ("merge_attentions", lambda *given: _in_a_row(merge_attentions(*given)), "(2,) where (1, 2) is right"),
        ],
    )
    def test_right_numbers_in_another_shape_are_named(self, name, answer, says):
        assert check(hidden(answer), name).says == f"The numbers are right, but their shape is not: {says}."

    def test_what_no_call_hands_over_is_no_repair(self):
        """None in its place would do for anything: ``slice(first, end)`` begins at 0."""
        body = """
            def my_softmax(x, size=2, first=None):
                for i in range(0, len(x), size):
                    at = slice(i, i + size)
                    total = np.exp(x[at]) @ np.ones(len(x[at]))
                return total
        """
        answer = written_down(textwrap.dedent(body).strip())
        checks = Checks(lambda x, size=2, first=None: np.exp(x).sum(), tuple(call(np.ones(n), 3) for n in (2, 5, 11)))
        says = repairs.repair(Attempt.of(answer, trials(checks)), checks, time.process_time() + 5)
        assert "which variable stands where" not in says

    def test_an_argument_that_all_failing_calls_share_is_named(self):
        def my_attention_weights(q, k, mask=None, bias=None, scale=None):
            from mlnotes.attention.self_attention import attention_weights

            weights = [attention_weights, lambda *_: np.cos(q @ k.mT)][bias is not None]
            return weights(q, k, mask, bias, scale)

        report = check(hidden(my_attention_weights), "attention_weights")
        assert report.says == "It is right wherever `bias` is left out, and wrong wherever it is given."

    def test_a_result_that_is_one_number_throughout_names_no_argument(self):
        def my_cosine_similarity(a, b):
            return np.maximum(np.minimum(cosine_similarity(a, b), -1), 1)

        assert "never used" not in check(my_cosine_similarity).says

    def test_a_default_that_is_not_the_one_asked_for_is_named(self):
        def my_vector_norm(x, p=1, axis=-1):
            return vector_norm(x, p, axis)

        assert check(my_vector_norm).says == "Where `p` is not given, it is 1, and should be 2."

    @pytest.fixture
    def unexplained(self, monkeypatch):
        """Find no line that could be mended: what is left is to ask when it happens."""
        monkeypatch.setattr(causes, "_repair_or_two_at_once", lambda *_: "")
        monkeypatch.setattr(causes, "_what_fails", lambda *_: "")

    def test_what_makes_all_failing_calls_come_out_right_is_named(self, unexplained):
        def my_split_heads(x, n_heads):
            for _ in range(300):  # more turns than all calls together would be allowed
                pass
            return np.stack([x] * n_heads, -3)

        def my_log_softmax(x, axis=-1):
            return log_softmax(x.clip(-600, 600), axis)

        def my_characteristic_polynomial(a):
            return np.poly(np.linalg.eigvalsh(a))

        def my_matrix_norm(a, kind="frobenius"):
            return matrix_norm(a, kind.replace("max", "one"))

        def my_next_token_probabilities(z, temperature=1.0, top_k=None, top_p=None):
            return next_token_probabilities(z, temperature, top_k and min(top_k, 2), top_p)

        begin, end = "The calls that fail come out right with", "look for the cause there."
        assert check(my_split_heads).says == f"{begin} `n_heads` = 1: {end}"
        assert check(my_log_softmax).says == f"{begin} `x` brought to an ordinary size: {end}"
        assert check(my_characteristic_polynomial).says == f"{begin} the symmetric part of `a` in its place: {end}"
        given = "look at what is done where it is given."
        assert check(my_matrix_norm).says == f"{begin} `kind='max'` left out: {given}"
        # With top_k = 1 the most probable token is all there is, and most wrong answers are right.
        assert check(my_next_token_probabilities).says == f"{begin} `top_k` left out: {given}"

    def test_a_call_whose_result_no_longer_depends_on_an_argument_says_nothing(self, unexplained):
        def my_sliding_window_attention(q, k, v, window, scale=None, offset=None):
            return sliding_window_attention(q, 0.3 * np.sin(k), v, window, scale, offset)

        assert "`window` = 1" not in check(my_sliding_window_attention).says

    def test_all_lines_that_one_change_of_a_kind_mends_are_named(self):
        def my_cosine_gradient(a, b):
            length_a, length_b = np.linalg.norm(a), np.linalg.norm(b)
            u = a / length_a
            v = b / length_b
            rest = v - (u * v).sum() * u
            return rest / length_b

        says = check(my_cosine_gradient).says
        assert says.startswith("Line 4, `v = b / length_b`: look at which variable stands where.")
        assert says.endswith("there, or in line 6, `return rest / length_b`, all calls come out right.")

    def test_where_an_option_is_left_out_the_answers_own_default_stands(self, unexplained):
        def my_matmul_block(a, b, size=2):
            return a[..., :size] @ b[..., :size, :]

        assert "left out" not in check(my_matmul_block).says

    def test_an_answer_that_remembers_earlier_calls_is_not_tried_with_others(self, unexplained):
        calls = []

        def my_split_heads(x, n_heads):
            calls.append(n_heads)
            return split_heads(x, n_heads if len(calls) > 6 else 1)

        assert "comes out right" not in check(my_split_heads).says

    def test_a_call_whose_result_is_one_number_throughout_proves_nothing(self, unexplained):

        def my_equivalence_constants(p, q, n):
            return min(1, n ** (q - p)), max(1, n ** (q - p))

        def my_decoding_multiply_adds(n_tokens, n_heads, d_head, d_value=None, cached=True):
            return decoding_multiply_adds(n_tokens, n_heads**2, d_head, d_value, cached)

        assert "`n` = 1" not in check(my_equivalence_constants).says
        assert "`n_heads` = 1" not in check(my_decoding_multiply_adds).says

    def test_an_answer_that_does_not_end_on_a_changed_call_is_stopped(self, unexplained):

        def my_split_heads(x, n_heads):
            while n_heads == 1 and x.shape == (6, 6):  # no call of the bank
                pass
            return x

        assert "no mistake that is known" in check(my_split_heads).says

    def test_an_answer_that_does_not_end_is_stopped_once_and_its_loop_is_named(self, monkeypatch):
        monkeypatch.setattr(brakes, "ENDLESS", 0.2)
        body = """
            def my_softmax(x, axis=-1):
                tried.append(x)
                total, e = 0.0, np.exp(x - x.max(axis=axis, keepdims=True))
                while x.ndim == 2 or total != 1:
                    for _ in range(3):
                        e = e / e.sum(axis=axis, keepdims=True)
                        total = e.sum() if x.ndim == 2 else 1
                return e"""
        answer, tried = written_down(textwrap.dedent(body).strip(), "my_softmax"), []
        answer.__globals__["tried"] = tried
        report = check(answer)
        assert report.says == (
            "It takes too long, if it ends at all: stopped, it was in the loop of line 4, "
            "`while x.ndim == 2 or total != 1:`."
        )
        assert report.counterexample.found == "no end after 0.2 seconds"
        assert [x.ndim for x in tried] == [*[1] * (len(tried) - 1), 2]

        doubled = textwrap.dedent(body).strip().replace("return e", "return 2 * e").replace("tried.append(x)", "pass")
        report = check(written_down(doubled, "my_softmax"))
        assert report.says == "The result is twice the right one."
        assert repr(report).endswith("stopped, it was in the loop of line 4, `while x.ndim == 2 or total != 1:`.")
        assert len(tried) > 1

    def test_an_answer_that_does_not_end_at_the_edge_alone_is_right_but_for_the_edge(self, monkeypatch):
        monkeypatch.setattr(brakes, "ENDLESS", 0.2)

        def my_softmax(x, axis=-1):
            while not np.isfinite(x).all():
                pass
            return softmax(x, axis)

        report = check(my_softmax)
        assert report.verdict == "edge"
        assert report.counterexample.found == "no end after 0.2 seconds"
        report = check(lambda x, axis=-1: 2 * my_softmax(x, axis), "softmax")
        assert report.verdict == "wrong"
        assert "takes too long" not in report.says
        assert "no end" not in report.counterexample.found

    def test_the_alarm_leaves_the_clock_as_it_was(self, monkeypatch):
        monkeypatch.setattr(brakes, "ENDLESS", 0.1)
        before = signal.signal(signal.SIGPROF, signal.SIG_IGN)
        with pytest.raises(brakes.TooLong):
            with_alarm(busy, 1.0)
        assert signal.getsignal(signal.SIGPROF) == signal.SIG_IGN
        assert with_alarm(busy, 0.0) == "done"
        assert signal.getitimer(signal.ITIMER_PROF) == (0, 0)
        signal.signal(signal.SIGPROF, before or signal.SIG_DFL)

    def test_the_alarm_rings_outside_of_the_main_thread_and_without_a_clock_that_sends_signals(self, monkeypatch):
        monkeypatch.setattr(brakes, "ENDLESS", 0.1)
        with ThreadPoolExecutor(1) as thread:
            with pytest.raises(brakes.TooLong, match=r"no end after 0\.1 seconds"):
                thread.submit(with_alarm, busy, 1.0).result()
            assert thread.submit(with_alarm, busy, 0.0).result() == "done"
        monkeypatch.delattr(signal, "setitimer")
        report = check(lambda x, axis=-1: [0 for _ in itertools.count()], "softmax")
        assert report.counterexample.found == "no end after 0.1 seconds"
        assert with_alarm(busy, 0.0) == "done"
        busy(0.3)  # nothing rings later

    def test_an_alarm_that_rings_when_the_call_has_ended_is_part_of_the_report(self, monkeypatch):
        @contextlib.contextmanager
        def late():
            yield
            raise brakes.TooLong

        monkeypatch.setattr("mlnotes.diagnosis.attempt.alarm", late)
        assert "no end after" in check(softmax).counterexample.found

    @pytest.mark.parametrize("before", ["", "del signal.setitimer"], ids=["signals", "no signals"])
    def test_loops_that_keep_every_error_are_stopped(self, before, tmp_path):
        program = KEEPS_ALL.replace("brakes.ENDLESS", f"{before}\nbrakes.ENDLESS", 1)
        (tmp_path / "loop.py").write_text(program, encoding="utf-8")
        subprocess.run([sys.executable, tmp_path / "loop.py"], timeout=100, check=True)  # which might never end

    def test_an_answer_is_not_taken_for_what_it_calls_and_what_keeps_every_error(self):
        body = """
            def guarded(x):
                try:
                    return np.exp(x)
                except:
                    return x

            shifted = lambda x, axis: guarded(x - x.max(axis=axis, keepdims=True))

            my_softmax = lambda x, axis=-1: shifted(x, axis) / shifted(x, axis).sum(axis=axis, keepdims=True)"""
        assert check(written_down(textwrap.dedent(body).strip()), "softmax").verdict == "edge"  # of infinities

    def test_what_keeps_every_error_and_ends_is_judged_like_any_other(self):
        def my_softmax(x, axis=-1):
            try:
                return softmax(x, axis=axis) + unknown  # noqa: F821
            except:  # noqa: E722
                e = np.exp(x - x.max(axis=axis, keepdims=True))
            return e / e.sum(axis=-1, keepdims=True)

        report = check(my_softmax)
        assert report.verdict == "wrong"
        assert "axis" in report.says

    def test_parts_that_are_right_are_told_from_those_that_are_not(self):
        def my_merge_attentions(outs, lses):
            out, lse = merge_attentions(outs, lses)
            return np.cos(out), lse

        report = check(hidden(my_merge_attentions), "merge_attentions")
        assert report.says == "`lse` is right in every call, `out` is not."
        assert causes._these([0, 2, 3]) == ("parts 1, 3 and 4", "are")

    def test_results_that_have_parts_in_some_calls_only_are_compared(self):
        checks = Checks(lambda n: {"a": np.zeros(n)} if n > 1 else np.zeros(2), (call(1), call(2)))
        answer = hidden(lambda n: {"a": np.zeros((n, 1))} if n > 1 else np.zeros((2, 1)))
        says = forms.form(Attempt.of(answer, trials(checks)))
        assert says == "The numbers are right, but their shape is not: (2, 1) where (2,) is right."

    def test_a_cause_that_is_not_found_is_not_made_up(self):
        report = check(hidden(lambda x, axis=-1: np.cos(x)), "softmax")
        assert report.says == "Its numbers differ, and no mistake that is known explains all of it."

    def test_two_errors_alike_in_kind_are_not_taken_for_each_other(self):
        report = check(lambda x, w_q, w_k, w_v, mask=None: w_q @ x @ w_k, "self_attention")
        assert "taken for each other" not in report.says

    def test_all_nodes_that_hold_others_are_looked_at(self):
        tree = ast.parse(Path(repairs.__file__).read_text(encoding="utf-8"))
        nodes = {id(it) for it in ast.walk(tree) if type(it) not in brakes._LEAVES}
        assert {id(it) for it in brakes.branches(tree)} == nodes

    def test_a_list_is_not_put_into_itself_by_a_repair(self):
        assert holds_itself("for it in x: rows.append(rows)")
        assert holds_itself("for it in x: rows.append([it, rows])")
        assert holds_itself("for i in x: rows[i] = rows")
        assert holds_itself("rows[i], rows[j] = rows[j], rows")
        assert not holds_itself("rows[i], rows[j] = rows[j], rows[i]")
        assert not holds_itself("for it in x: rows.append(rows[-1] + it)")
        assert not holds_itself("for i in x: rows[i] = rows[i - 1]")

    @pytest.mark.parametrize(
        "text",
        [
            "for it in x: rows.append(rows if b is None else it + b)",
            "for it in x: rows.append(b is None and rows or it)",
            "for it in x: rows.extend([rows])",
            "for it in x: rows += [rows]",
            "for it in x: rows = rows + [rows]",
            "for it in x: rows = rows + ([it] if b else [it, rows])",
        ],
    )
    def test_nor_in_a_branch_nor_by_another_way_of_making_it_longer(self, text):
        assert holds_itself(text)
        for held in ("[rows]", "(rows if", "and rows", "it, rows"):
            text = text.replace(held, held.replace("rows", "it"))
        assert not holds_itself(text)

    def test_a_list_that_grows_by_its_own_entries_holds_none_of_itself(self):
        for it in ("rows.extend(rows)", "rows += rows", "rows = rows + rows", "rows += [rows[-1]]", "rows = rows, it"):
            assert not holds_itself(f"for it in x: {it}"), it

    def test_nor_is_a_list_put_into_its_rows_which_may_be_one_and_the_same(self):
        for it in ("rows[i][j] = rows", "rows[i][j] = rows[j]", "row = rows[i]; row[j] = rows", "rows[i].append(rows)"):
            assert holds_itself(it), it
        assert holds_itself("for row in rows: row[0] = rows")
        for it in ("rows[i][j] = rows[j][i]", "row = rows[i]; row[j] = row[0]", "rows[i][j] = other[i]"):
            assert not holds_itself(it), it

    @pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there may be no such limit")
    def test_what_is_tried_gets_no_more_than_so_much_memory(self):
        with brakes.limited_memory(1 << 20), pytest.raises(MemoryError):
            np.zeros(1 << 26)
        assert np.zeros(1 << 26).size == 1 << 26

    @pytest.mark.parametrize(
        ("name", "body", "says"),
        [
            (
                "my_causal_mask(n, m, offset=0)",
                "mask = [[False] * m] * n\n    for i in range(n):\n        for j in range(m):\n"
                "            if j <= i + offset:\n                mask[i][j] = True\n    return np.array(mask)",
                "all its rows are one list, and what is written into one stands in all",
            ),
            (
                "my_givens_rotation(x, y)",
                "g, r = np.array([[1, 0], [0, 1]]), np.hypot(x, y)\n    if r:\n"
                "        g[0], g[1] = (x / r, y / r), (-y / r, x / r)\n    return g",
                "whole numbers cut off fractions",
            ),
        ],
    )
    def test_what_an_answer_makes_to_be_filled_in_is_looked_at_first(self, name, body, says):
        report = check(written_down(f"def {name}:\n    {body}", name.split("(")[0]))
        assert line(report) == "Line 2"
        assert says in report.says

    def test_what_is_tried_for_a_repair_is_counted_and_not_timed(self, monkeypatch):
        def changes_tried(effort, seconds_per_look):
            clock, tried = itertools.count(), []
            monkeypatch.setattr(repairs, "EFFORT", effort)
            monkeypatch.setattr(brakes, "run_definition", lambda *it: tried.append(it) or run_definition(*it))
            monkeypatch.setattr(repairs.time, "process_time", lambda: seconds_per_look * next(clock))
            check(lambda x, axis=-1: np.exp(x - x.max(axis=axis, keepdims=True)) / np.cos(x).sum(), "softmax")
            return len(tried)

        few = changes_tried(40_000, 0.0)
        assert few > 50
        assert changes_tried(40_000, 1e-3) == few
        assert changes_tried(80_000, 0.0) > 1.5 * few
        assert changes_tried(40_000, 0.1) < few  # a machine that is slower by far gives up

    def test_what_python_calls_when_it_tidies_up_is_not_counted(self):
        def turns():
            brake = brakes.Brake()
            return brake.allow(lambda x: [[] for _ in range(1000)], trials(Checks(lambda x: x, (call(1.0),))))

        calm, before = turns(), gc.get_threshold()
        gc.callbacks.append(lambda *_: None)
        gc.set_threshold(10, 10, 10)
        try:
            assert turns() == calm
        finally:
            gc.set_threshold(*before)
            gc.callbacks.pop()
        assert gc.isenabled()

    def test_a_brake_counts_turns_and_not_what_else_the_machine_does(self, monkeypatch):
        brake = brakes.Brake()
        brake.allow(lambda x: [brake() for _ in range(5)], trials(Checks(lambda x: x, (call(1.0), call(2.0)))))
        brake.reset()
        now, still = time.process_time(), brakes.time.monotonic()
        monkeypatch.setattr(brakes.time, "process_time", lambda: now + 0.3)  # memory was tidied up
        monkeypatch.setattr(brakes.time, "monotonic", lambda: still + 60)  # and the machine was busy
        for _ in range(4 * 5 + 100):
            brake()
        with pytest.raises(brakes.TooLong):
            brake()
        brake.reset()
        monkeypatch.setattr(brakes.time, "process_time", lambda: now + 3)  # every turn doubles an array
        monkeypatch.setattr(brakes.time, "monotonic", lambda: still + 63)
        with pytest.raises(brakes.TooLong):
            brake()

    @pytest.mark.parametrize(
        "body",
        ["for _ in range(n): pass", "while n: n = n - 1", "return f(n - 1) if n else 0"],
        ids=["for", "while", "a call of itself"],
    )
    def test_turns_of_loops_and_calls_of_a_function_count(self, body):
        tree, brake = brakes.with_brakes(ast.parse(f"def f(n):\n    {body}")), brakes.Brake()
        namespace = {"_mlnotes_tick": brake}
        exec(compile(tree, "", "exec"), namespace)
        brake.turns = 50
        namespace["f"](40)
        brake.reset()
        with pytest.raises(brakes.TooLong):
            namespace["f"](60)

    def test_a_loop_that_a_repair_makes_endless_is_stopped(self):
        body = """
            def my_softmax(x, axis=-1):
                n, out = 0, np.exp(x - x.max(axis=axis, keepdims=True))
                while n < 3:
                    n = n + 1
                return out / out.sum(axis=axis, keepdims=True) ** 2
        """
        start = time.process_time()
        assert line(check(written_down(textwrap.dedent(body).strip()))) == "Line 5"
        assert time.process_time() - start < 5

    @pytest.mark.parametrize(("seconds", "searched"), [(60.0, True), (0.02, False)])
    def test_an_answer_whose_calls_took_all_the_time_is_not_called_again_for_every_change(
        self, monkeypatch, seconds, searched
    ):
        tried = []
        monkeypatch.setattr(causes, "SECONDS", seconds)
        monkeypatch.setattr(causes, "repair", lambda *_: tried.append(True) or "")
        monkeypatch.setattr(causes, "turning_point", lambda *_: tried.append(True) or "")

        def my_softmax(x, axis=-1):
            sum(range(300_000))
            out = np.exp(x - x.max(axis=axis, keepdims=True))
            return out / out.sum(axis=axis, keepdims=True) ** 2

        check(my_softmax)
        assert bool(tried) is searched

    def test_a_function_that_a_repair_makes_call_itself_without_end_is_stopped(self, monkeypatch):
        monkeypatch.setattr(causes, "SECONDS", 0.7)
        body = """
            def my_backtracking(function, x, direction, slope, step=1.0, tries=9, allowed=None):
                value = function(x)
                unit = 2.0**-52 * abs(value)
                if allowed is None:
                    allowed = 4 * unit if -step * slope < 500 * unit else 0
                if function(x + step * direction) < value + 1e-4 * step * slope + allowed:
                    return step
                if tries == 0:
                    raise ArithmeticError
                return my_backtracking(function, x, direction, slope, step / 2, tries - 1, allowed)
        """
        start = time.process_time()
        report = check(written_down(textwrap.dedent(body).strip(), "my_backtracking"))
        assert time.process_time() - start < 5
        assert line(report) == "Line 9"


class TestReports:
    def test_the_call_that_is_shown_can_be_followed_on_paper_where_one_fails(self):
        def my_layer_norm(x, gain=None, shift=None, eps=1e-5):
            return layer_norm(x.mT, eps=eps).mT if x.ndim > 1 else layer_norm(x, eps=eps)

        assert "1000" not in check(my_layer_norm).counterexample.call

    def test_a_short_function_of_the_bank_is_shown_with_the_call_that_hands_it_over(self):
        def my_numerical_jacobian(f, x):
            return 2 * numerical_jacobian(f, x)

        *definition, call_of_it = check(my_numerical_jacobian).counterexample.call.splitlines()
        assert definition == ["def length_squared(x):", "    return np.sum(x ** 2)"]
        assert call_of_it.startswith("my_numerical_jacobian(length_squared, [3, -1])")

    def test_a_lambda_of_the_bank_is_shown_under_its_name_also_from_a_list(self):
        def my_is_equivariant(f, actions_in, actions_out, x, tolerance=1e-9):
            return True

        *definition, _, call_of_it = check(my_is_equivariant).counterexample.call.splitlines()
        assert definition == ["def hair(y):", "    return y + 1.5e-09"]
        assert call_of_it == "my_is_equivariant(copy, [copy], [hair], [1])"

    def test_two_lambdas_on_one_line_are_told_apart(self):
        program = "double, halve = (lambda x: 2 * x), (lambda x: x / 2)"
        twice, half = written_down(program, "double"), written_down(program, "halve")
        assert [ast.unparse(source_of(it).tree.body[0].value.body) for it in (twice, half)] == ["2 * x", "x / 2"]

    def test_both_dtypes_are_shown_where_they_differ_and_zero_has_no_sign(self):
        def my_silu(x):
            return x * scipy.special.expit(x.astype(float))

        example = check(my_silu).counterexample
        assert (example.expected, example.found) == ("[20000, 0] (float16)", "[20000, 0] (float64)")

    def test_what_came_is_shown_beside_the_warning_that_makes_it_wrong(self):
        example = check(lambda x: x / (1 + np.exp(-x)), "silu").counterexample
        assert example.found == "[800, 0], and a warning: overflow encountered in exp"

    def test_parts_are_shown_by_their_names_also_beside_an_error(self):
        def my_gram_schmidt(a):
            raise NotFound("nothing")

        class NotFound(Exception):
            pass

        lines = check(my_gram_schmidt).counterexample.expected.splitlines()
        assert [it.partition(":")[0] for it in lines] == ["q @ r", "q.T @ q", "is_triangular(r)", "np.diag(r)"]

    def test_a_report_shows_values_and_code_in_html(self):
        report = check(lambda x, axis=-1: x < 1, "softmax")
        html = report._repr_html_()
        assert html.startswith('<div class="mlnotes-check mlnotes-wrong"><p>✗ <code>softmax</code>: ')
        assert "<pre>softmax([1, 2, 4])\nexpected  [0.04201" in html

    @pytest.mark.parametrize(
        ("value", "text"),
        [
            (np.array([1.0, 0.5]), "[1, 0.5]"),
            (np.float32(0.1), "0.1 (float32)"),
            (np.array([True, False]), "[True, False]"),
            (np.zeros((5, 7)), "<array (5, 7)>"),
            ((1, 2.5, "a"), "(1, 2.5, 'a')"),
            (None, "None"),
            (np.sin, "sin"),
            ({"axis": 0}, "{'axis': 0}"),
        ],
    )
    def test_values_are_written_as_a_reader_would(self, value, text):
        assert written(value) == text

    def test_of_large_arrays_the_first_entry_that_differs_is_shown(self):
        right = np.arange(35.0).reshape(5, 7)
        found = right.copy()
        found[3, 2] = -1.0
        assert compared(found, right) == ("23   at [3, 2] of an array (5, 7)", "-1")

    def test_of_several_parts_those_are_shown_that_differ(self):
        right = {"n": 2, "x": np.eye(2), "far": np.zeros((5, 7))}
        assert compared(right | {"x": 1 + np.eye(2)}, right) == ("x: [[1, 0],\n    [0, 1]]", "x: [[2, 1],\n    [1, 2]]")
        assert compared((np.zeros(2), 1 + right["far"]), (np.zeros(2), right["far"])) == (
            "part 2: 0   at [0, 0] of an array (5, 7)",
            "part 2: 1",
        )

    def test_as_many_digits_are_shown_as_tell_numbers_apart(self):
        near = ("part 1: [1, 1]", "part 1: [1.00000001, 1.00000001]")
        assert compared((np.ones(2) + 1e-8, 1), (np.ones(2), 1)) == near
        assert compared(4.4, 4.3999999999999995) == ("4.3999999999999995", "4.4000000000000004")
        assert compared(np.array([1.5, 2.0]), np.array([1 / 3, 2.0])) == ("[0.33333, 2]", "[1.5, 2]")
        assert written(2.0**30 + np.arange(2)) == "[1073741824, 1073741825]"
        assert written(np.array([[1, 1], [1, 1 + 1e-8]])) == "[[1, 1],\n [1, 1.00000001]]"
        assert written(1 / 3) == "0.3333333333333333"

    def test_rounding_beside_large_numbers_is_not_shown_unless_it_is_the_difference(self):
        assert compared(np.array([2.0, 4e-17]), np.array([1.0, -4e-17])) == ("[1, 0]", "[2, 0]")
        assert compared(np.array([1.0, 4e-17]), np.array([1.0, 0.0])) == ("[1, 0]", "[1, 4e-17]")
        assert compared(np.array([4e-17]), np.array([3e-17])) == ("[3e-17]", "[4e-17]")
        assert compared(np.array([3e-200, -0.0]), np.array([1.0, 0.0])) == ("[1, 0]", "[3e-200, 0]")

    def test_where_the_same_numbers_are_shown_twice_the_difference_is_said(self):
        report = check(lambda a: lu(a.astype(float)), "lu")
        assert report.says.endswith("float32 is right.")
        assert all(line.endswith(" (float64)") for line in report.counterexample.found.splitlines())
        assert report.counterexample.expected.count("(float32)   at ") == 3

    def test_an_entry_that_differs_by_rounding_is_not_shown_where_another_differs_by_more(self):
        right, error = np.zeros(20), np.full(20, 1e-17)
        right[3], right[7], error[7] = 2.0, 1.0, 1e-8
        assert compared(right + error, right) == ("1   at [7] of an array (20,)", "1.00000001")

    def test_what_came_is_shown_where_an_empty_collection_is_right(self):
        report = check(hidden(own_inverses), "broken_axioms")
        assert "gives ['inverses'] where an empty collection is right" in report.says

    def test_a_call_is_written_as_it_was_made(self):
        assert written_call("f", call(np.array([1.0, 2.0]), None, axis=0)) == "f([1, 2], None, axis=0)"
        assert written_call("f", call(np.eye(2), 3)) == "f(\n    [[1, 0],\n     [0, 1]],\n    3,\n)"

    def test_where_a_case_is_several_lines_they_are_written_down(self, monkeypatch):
        checks = Checks(
            np.power,
            (call(2.0, 3.0),),
            run=lambda power, a, b: power(b, a),
            written=lambda name, case: f"a, b = {case.arguments}\n{name}(b, a)",
        )
        monkeypatch.setattr("mlnotes.checks._find", lambda name: checks)
        monkeypatch.setattr("mlnotes.checks._trials", lambda name: tuple(trials(checks)))
        assert check(np.multiply).counterexample.call == "a, b = (2.0, 3.0)\nmultiply(b, a)"

    def test_mistakes_are_listed_with_symptom_and_remedy(self):
        table = mistakes(softmax)
        assert table.head == ("mistake", "what you see", "what to do instead")
        assert all(all(row[:-1]) for row in table.rows)
        assert len(mistakes(softmax, log_softmax).rows) == len(table.rows) + len(mistakes(log_softmax).rows)

    def test_a_table_is_text_and_html(self):
        assert repr(Table(("a", "b"), (("1", "`x`"),))) == "a  b\n1  `x`"
        assert "<td><code>x</code></td>" in Table(("a",), (("`x`",),))._repr_html_()

    def test_digits_of_numbers_of_one_kind_stand_below_each_other(self):
        rows = ("one", "1,024", "0.5", "1e-12", "7"), ("two", "64", "0.25", "0", "8")
        shown = Table(("name", "count", "share", "tolerance", "digit"), rows)._repr_html_()
        assert '<th scope="col" class="number">count</th>' in shown
        assert '<td class="number">1,024</td>' in shown
        assert '<td class="number">7</td>' in shown  # as in the other columns of numbers
        assert shown.count("number") == 6  # other decimals and powers stay as they are
        assert "number" not in Table(("name", "digit"), (("one", "7"), ("two", "8")))._repr_html_()
        measured = ("9.69", "+9.69 ± 0.96"), ("0.38", "+11.38 ± 0.14"), ("0", "0")
        assert Table(("nats", "more"), measured)._repr_html_().count("number") == 8

    def test_a_tolerance_is_written_with_two_digits(self):
        row = {"function": "f", "claim": "c", "kind": "property", "error": 0.0, "tolerance": 350 * 2.0**-52, "why": "w"}
        assert repr(Evidence((row,))).split()[-3:] == ["7.8e-14", "7.8e-14:", "w"]


    def test_a_note_says_whose_tolerance_it_is_where_one_has_several_reasons(self):
        rows = noted(("f", "c", 1e-12, "a"), ("g", "c", 1e-12, "b"), ("h", "c", 1e-12, "b"), ("f", "d", 0.0, "exact"))
        assert Evidence(rows).notes() == ("1e-12 for f: a", "1e-12 for g, h: b", "0: exact")

    def test_a_note_names_the_claims_where_one_function_has_several_reasons(self):
        rows = noted(
            *(("f", claim, 1e-12, "sums") for claim in "cde"),
            *(("f", claim, 1e-12, "one division") for claim in "mn"),
            ("g", "c", 1e-12, "sums"),
            ("g", "x", 1e-12, "roots"),
            ("h", "x", 1e-12, "roots"),
            ("h", "c", 1e-12, "sums"),
            ("h", "d", 1e-12, "sums"),
        )
        assert Evidence(rows).notes() == (
            "1e-12 for f (“m”, “n”): one division",
            "1e-12 for g, h (“x”): roots",
            "1e-12 for f, g, h otherwise: sums",
        )


class TestEvidence:
    def test_evidence_shows_errors_as_they_were_measured(self):
        [*rows] = evidence(softmax, log_softmax).rows
        assert {row["function"] for row in rows} == {"softmax", "log_softmax"}
        assert any(0 < row["error"] < 1e-14 for row in rows)
        assert "e-16" in repr(evidence(softmax))

    def test_evidence_fails_when_a_claim_does(self, monkeypatch):
        checks = Checks(softmax, (), (Claim("it is zero", lambda f: f(np.zeros(2))[0], 1e-9),))
        monkeypatch.setattr("mlnotes.checks._find", lambda name: checks)
        with pytest.raises(AssertionError, match=r"softmax: it is zero: off by 0\.5, allowed is 1e-09"):
            evidence(softmax)

    def test_evidence_carries_text_table_and_data(self):
        bundle = evidence(softmax)._repr_mimebundle_()
        rows = bundle["application/vnd.mlnotes.evidence+json"]["rows"]
        assert all(0 <= row["error"] <= row["tolerance"] for row in rows)
        assert bundle["text/html"].count("<tr><td>") == len(rows)

    def test_a_function_has_a_row_of_its_own_above_its_claims(self):
        shown = evidence(softmax, log_softmax)._repr_html_()
        names = re.findall('<th scope="rowgroup" colspan="3"><code>(.*?)</code></th>', shown)
        assert names == ["softmax", "log_softmax"]
        assert "<td></td>" not in shown

    def test_an_oracle_is_compared_on_each_call(self):
        claim = oracle("numpy", np.exp, call(np.array([0.0])), call(np.array([1.0])))
        assert claim.error(np.exp) == 0
        assert claim.error(lambda x: x + 1) == pytest.approx((np.e - 2) / np.e)


class TestComparison:
    @pytest.mark.parametrize(
        ("right", "other"),
        [
            (lambda a: (a, 2 * a[1:]), lambda a: (a, 3 * a[1:])),
            (lambda a: {"sum": a.sum()}, lambda a: {"total": a.sum()}),
            (lambda a: Table(("a",), (a,)), lambda a: Table(("a",), (a + 1,))),
            (lambda a: None, lambda a: ()),
            (lambda a: a > 1, lambda a: (a > 1).astype(int)),
            (lambda a: a, lambda a: a.astype(np.float32)),
            (lambda a: a, lambda a: a[None]),
            (lambda a: a, lambda a: a * (1 + 1e-8)),
            (lambda a: a / 0, lambda a: -a / 0),
            (lambda a: a.sum(), lambda a: "6"),
        ],
    )
    def test_results_that_differ_are_told_apart(self, right, other):
        [trial] = trials(Checks(right, (call(np.arange(1.0, 4.0) / 3),)))
        with quiet():
            assert not trial.unlike(trial.outcome(right))
            assert trial.unlike(trial.outcome(other))

    @pytest.mark.parametrize(
        ("right", "other"),
        [
            (lambda a: (a, 2 * a[1:]), lambda a: [a, 2 * a[1:]]),
            (lambda a: a, lambda a: a.tolist()),
            (lambda a: a.sum(), lambda a: float(a.sum())),
            (lambda a: a, lambda a: a * (1 + 1e-13)),
            (lambda a: 0 * a, lambda a: 0 * a + 1e-17),
            (lambda a: (a, a), lambda a: np.array([a, a])),
            (lambda a: len(a), lambda a: float(len(a))),
        ],
    )
    def test_results_that_are_the_same_to_a_reader_are_the_same(self, right, other):
        [trial] = trials(Checks(right, (call(np.arange(1.0, 4.0) / 3),)))
        assert not trial.unlike(trial.outcome(other))

    def test_digits_of_a_tiny_result_count_where_a_call_is_about_them(self):
        tiny = call(np.array([40.0]))
        for case, same in ((tiny, True), (tiny.about("every digit", absolute=0.0), False)):
            [trial] = trials(Checks(lambda x: np.exp(-x), (case,)))
            assert (not trial.unlike(trial.outcome(lambda x: 2 * np.exp(-x)))) == same

    def test_calls_are_ordered_by_size_also_where_lists_hold_arrays_of_several_sizes(self):
        cases = [call([np.zeros((2, n)), np.zeros(n)]) for n in (5, 3)]
        assert [it.case for it in trials(Checks(len, tuple(cases)))] == cases[::-1]

    def test_the_dtype_counts_where_a_call_is_about_one(self):
        [trial] = trials(Checks(np.exp, (call(np.ones(3, np.float32)),)))
        assert trial.unlike(trial.outcome(lambda x: np.exp(x.astype(float)))) == (
            "its dtype is float64 where float32 is right"
        )

    def test_a_float_is_no_integer_where_the_exercise_asks_for_one(self):
        for integers, same in ((False, True), (True, False)):
            [trial] = trials(Checks(len, (call([5, 7]),), integers=integers))
            assert (not trial.unlike(trial.outcome(lambda x: float(len(x))))) == same
            assert not trial.unlike(trial.outcome(lambda x: np.uint8(len(x))))

    def test_any_refusal_will_do_unless_the_exercise_names_one(self):
        def right(x):
            raise ValueError("x must be positive")

        def other(x):
            raise IndexError("out of range")

        for refusal, same in ((Exception, True), (ValueError, False)):
            [trial] = trials(Checks(right, (call(-1.0),), refusal=refusal))
            assert (not trial.unlike(trial.outcome(other))) == same
            assert "must be refused" in trial.unlike(trial.outcome(abs))

    def test_a_mistake_is_recognised_whatever_words_an_answer_refuses_with(self):
        def my_embedding(ids, table):
            if (ids < 0).any() or (ids >= len(table)).any():
                raise IndexError("no such row")
            return table[:, ids].T if ids.ndim == 1 else np.moveaxis(table[:, ids], 0, -1)

        assert check(my_embedding).says.startswith("The vectors are columns of the table")

    @pytest.mark.parametrize(
        ("found", "expected", "error"),
        [
            ([1.0, np.inf], [1.0, np.inf], 0.0),
            ([np.nan], [np.nan], 0.0),
            ([1.5], [1.0], 0.5),
            ([150.0], [100.0], 0.5),
            ([1j], [4j], 0.75),
        ],
    )
    def test_distance_is_relative_above_one_and_zero_for_equal_infinities(self, found, expected, error):
        assert distance(found, expected) == error

    @pytest.mark.parametrize(("found", "expected"), [([1.0], [np.nan]), ([np.inf], [1.0]), ([1.0, 2.0], [1.0])])
    def test_distance_refuses_other_shapes_and_unexpected_infinities(self, found, expected):
        with pytest.raises(AssertionError):
            distance(found, expected)

    def test_a_tolerance_of_zero_allows_nothing(self):
        [trial] = trials(Checks(lambda x: 3.0, (call(1.0).about("to the last digit", tolerance=0.0, absolute=0.0),)))
        assert trial.unlike_value(3.0 + 1e-10, 3.0)
        assert not trial.unlike_value(3.0, 3.0)

    def test_a_version_without_checks_has_none_that_takes_several_lines_either(self):
        before, after = (inspect.unwrap(it).__code__ for it in (latent_cache_nbytes, unguarded(latent_cache_nbytes)))
        assert "require_" in str(before.co_names)
        assert "require_" not in str(after.co_names)

    def test_the_first_check_of_a_session_loads_the_bank_of_its_chapter_alone(self):
        program = (
            "import sys; from mlnotes.blocks.softmax import softmax; from mlnotes.checks import check, evidence\n"
            "evidence(softmax); check(softmax, 'softmax')\n"
            "print(*(name for name, it in sys.modules.items() if 'mlnotes.checks.' in name and hasattr(it, 'CHECKS')))"
        )
        printed = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
        assert printed.split() == ["mlnotes.checks.blocks.softmax"]

    def test_frozen_inputs_cannot_be_written_to(self):
        [x] = frozen(np.zeros(3))
        with pytest.raises(ValueError, match="read-only"):
            x[0] = 1


class TestSources:
    def test_an_edit_runs_in_a_copy_of_the_module(self):
        wrong = edited(softmax, (("x - xp.where(top == -math.inf, 0.0, top)", "x"),))
        with np.errstate(over="ignore", invalid="ignore"):
            assert not np.isfinite(wrong(np.array([1000.0]))).all()
        assert softmax(np.array([1000.0])) == 1

    @pytest.mark.parametrize("text", ["x", "no such text"])
    def test_an_edit_that_does_not_match_once_is_refused(self, text):
        with pytest.raises(ValueError, match="an edit must match once in log_softmax"):
            edited(log_softmax, ((text, "y"),))

    def test_an_edit_reaches_functions_that_stand_in_a_table(self):
        wrong = edited(lstsq, (("(u[:, :r].T @ b) / s[:r, None]", "u[:, :r].T @ b * 0"),))
        a, b = np.diag([2.0, 4.0]), np.array([2.0, 4.0])
        assert wrong(a, b, "svd").tolist() == [0, 0]
        assert wrong(a, b, "qr").tolist() == lstsq(a, b, "svd").tolist() == [1, 1]

    def test_whole_wrong_versions_go_with_no_other(self):
        whole = Mistake("a", np.cos, "b", "c")
        assert version_of(Checks(np.sin, ()), whole) is np.cos
        with pytest.raises(ValueError, match="goes with no other"):
            version_of(Checks(np.sin, ()), whole, whole)

    def test_lambdas_methods_and_closures_have_a_source(self):
        scale = 3

        def tripled(x):
            return scale * x

        assert source_of(tripled).namespace["scale"] == 3
        assert source_of(lambda x: x + 1).name == "_answer"
        assert source_of(np.sin) is None
        assert source_of(Table).name == "Table"


def own_inverses(table):
    """Take a table for a group's only if every element undoes itself."""
    fine = broken_axioms(table)
    return fine or ([] if (np.diag(table) == identity(table)).all() else ["inverses"])


def hidden(function):
    """Keep the source of a function from the check."""
    return functools.partial(_Hidden(function))


def _kept_once(x, held):
    y = 3 * x + 1
    held.append(y)
    return y


def _kept_twice(x, held):
    y = 3 * x + 1
    held.append(y)
    held.append(y)
    return y


def noted(*rows):
    """Make rows of evidence, each of a function, a claim, a tolerance and the reason of that."""
    names = "function", "claim", "tolerance", "why"
    return tuple(dict(zip(names, row, strict=True), kind="property", error=0.0) for row in rows)


def _of_zeros_and_ones(a):
    b = np.zeros(3)
    c = b + 1
    return np.sin(a) * c


def _ends_and_squares(x):
    return {"ends": np.array([x[0], x[-1]]), "squares": x**2}


def _in_a_row(parts):
    return [it.ravel() for it in parts]


class _Hidden:
    def __init__(self, function):
        self.function = function

    def __call__(self, *arguments, **named):
        return self.function(*arguments, **named)


def _fit_at(x, r, along, tolerance):
    size = np.linalg.norm(r)
    converged = bool(size < 1e-12 or np.linalg.norm(along) <= tolerance * size)
    return types.SimpleNamespace(x=x, cost=r @ r / 2, converged=converged)


def written_down(source, name="my_softmax"):
    """Define a function as a notebook does: its source can be read, and stands in no file."""
    file = f"<answer {hash(source)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    namespace = {"np": np, "KVCache": KVCache, "ring": ring}
    exec(compile(source, file, "exec"), namespace)
    return namespace[name]


def _failing_to_converge():
    raise np.linalg.LinAlgError("no convergence")


class TestLines:
    def test_what_is_special_stands_behind_a_call_that_is_short_and_above_one_that_is_long(self):
        assert _with_comment("f(1)", "a tie") == "f(1)   # a tie"
        assert _with_comment("f(1)", "") == "f(1)"
        lines = _with_comment("f(" + "1, " * 20 + ")", "rows of nothing but infinities").splitlines()
        assert lines[0] == "# rows of nothing but infinities"

    def test_a_long_exception_is_broken_into_lines(self):
        assert max(map(len, _raised(ValueError("word " * 40)).splitlines())) <= 62


class TestTables:
    def test_a_mistake_of_several_functions_is_listed_once(self):
        rows = mistakes(matmul_dot, matmul_block).rows
        assert [row[0] for row in rows if row[1] == "entries with entries"] == ["`matmul_dot`, `matmul_block`"]

    def test_mistakes_of_several_functions_stand_below_their_names(self):
        table = mistakes(cosine_similarity, project)
        shown = re.findall('<th scope="rowgroup" colspan="3"><code>(.*?)</code>', table._repr_html_())
        assert shown == [it.strip("`:") for it in repr(table).splitlines() if it.startswith("`")]
        assert shown == ["cosine_similarity", "project"]
        assert "rowgroup" not in mistakes(project)._repr_html_()
        assert "`project`" not in repr(mistakes(project))

    def test_where_a_mistake_was_seen_stands_with_it_and_nothing_where_it_was_not(self):
        table = mistakes(cosine_similarity)
        assert '<td>past one<br><small>seen: facenet, issue 692' in table._repr_html_()
        assert "\n    seen: facenet, issue 692" in repr(table)
        count = sum(bool(row[-1]) for row in table.rows)
        assert 0 < count == repr(table).count("seen: ") == table._repr_html_().count("seen: ") < len(table.rows)


class TestWrongVersions:
    def test_a_usual_mistake_can_be_made(self):
        twice = wrong_version(attention_weights, "mask after softmax")
        q, mask = np.eye(2), np.array([[True, False], [True, True]])
        assert twice(q, q, mask=mask).sum(-1)[0] < 0.9
        assert twice.__name__ == "mask_after_softmax"

    def test_its_lines_are_shown_beside_those_of_the_book(self):
        assert repr(wrong_lines(attention_weights, "mask after softmax")).splitlines() == [
            "- return softmax(scores) if mask is None else masked_softmax(scores, mask)",
            "+ return softmax(scores) if mask is None else np.where(mask, softmax(scores), 0)",
        ]

    def test_a_whole_wrong_version_has_no_lines_in_place_of_others(self):
        checks, whole = next((it, m) for it in all_checks().values() for m in it.mistakes if callable(m.edit))
        with pytest.raises(ValueError, match=r"must be a change of lines, got .*, a whole wrong version"):
            wrong_lines(checks.function, whole.name)

    def test_a_mistake_that_is_not_known_is_refused_with_those_that_are(self):
        with pytest.raises(ValueError, match=r"softmax has the mistakes .*sum of everything.*, got too late"):
            wrong_version(softmax, "too late")


def busy(seconds):
    """Keep the processor busy."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
    return "done"


def with_alarm(function, *arguments):
    with brakes.alarm():
        return function(*arguments)
