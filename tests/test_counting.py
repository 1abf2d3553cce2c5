"""Counting operations by doing them."""

import copy
import math

import numpy as np
import pytest
import torch

from mlnotes.counting import count_loads, count_operations
from mlnotes.efficient.quantization import dequantize, quantize


def test_a_matrix_product_takes_m_n_p_multiplications_and_one_addition_less_per_entry():
    counted = count_operations(np.matmul, np.ones((2, 3)), np.ones((3, 5)))
    assert counted == {"multiply": 2 * 3 * 5, "add": 2 * 2 * 5}


def test_exponentials_divisions_and_comparisons_are_counted_by_name():
    def naive_softmax(x):
        e = np.exp(x - max(x))
        return e / sum(e)

    assert count_operations(naive_softmax, np.ones(7)) == {"compare": 6, "add": 7 + 7, "exp": 7, "divide": 7}


def test_results_are_the_ordinary_ones():
    results = []
    count_operations(lambda x: results.append([v.value for v in np.sqrt(2 - x / 4) * 3]), np.array([4.0, 8.0]))
    assert results[0] == [3.0, 0.0]


@pytest.mark.parametrize(
    ("function", "count"),
    [
        (lambda x: x[0] == x[1], 1),
        (lambda x: x == x, 3),
        (lambda x: x != 0, 3),
        (lambda x: (x <= 2) & (x >= 1), 6),
        (lambda x: np.array_equal(x, x), 3),
        (lambda x: [v for v in x if v], 3),
        (lambda x: np.count_nonzero(x), 3),
        (lambda x: sorted(x[:2]), 1),
        (lambda x: np.maximum(x, 0), 3),
    ],
)
def test_every_comparison_is_counted(function, count):
    assert count_operations(function, np.array([1.0, 2.0, 3.0])) == {"compare": count}


def test_comparisons_tell_the_truth():
    results = []
    count_operations(
        lambda x: results.append([x[0] == 1, x[0] == x[1], bool(x[2]), x[0] != 2]), np.array([1.0, 2.0, 0.0])
    )
    assert results == [[True, False, False, True]]


@pytest.mark.parametrize(
    "function",
    [
        lambda x: math.sqrt(x[0]),
        lambda x: float(x[0]) * 2,
        lambda x: x.astype(float) * 2,
        lambda x: np.zeros(3).__setitem__(slice(None), x),
        lambda x: x**2,
        lambda x: abs(x[0]),
        lambda x: np.cos(x),
        lambda x: np.isfinite(x),
        lambda x: round(x[0]),
        lambda x: x[0] // 2,
        lambda x: {x[0]},
        lambda x: int(x[0]),
    ],
)
def test_what_is_not_counted_is_refused(function):
    with pytest.raises((TypeError, AttributeError)):
        count_operations(function, np.ones(3))


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, np.copy, lambda x: x.copy()])
def test_what_is_done_with_a_copy_is_counted(copied):
    assert count_operations(lambda a: copied(a) * 2, np.ones(3)) == {"multiply": 3}


def test_what_is_divided_by_zero_is_what_it_is_in_an_array():
    with np.errstate(divide="ignore", invalid="ignore"):
        assert count_operations(lambda a: a / (a - a), np.ones(2)) == {"add": 2, "divide": 2}
        assert count_operations(lambda a: 1.0 / (a - a), np.zeros(3)) == {"add": 3, "divide": 3}


def test_arrays_in_a_tuple_with_names_are_counted_and_keep_their_names():
    stored = quantize(np.array([1.0, 2.0, 4.0, 7.0]), 3, 2, symmetric=False)
    assert count_operations(dequantize, stored) == {"multiply": 4, "add": 4}
    assert count_operations(lambda it: it.scale + it.minimum, stored) == {"add": 2}


def test_arrays_in_lists_and_tuples_are_counted_too():
    counted = count_operations(lambda pair, scale: pair[0] @ pair[1][0] * scale, (np.ones(3), [np.ones(3)]), 2.0)
    assert counted == {"multiply": 3 + 1, "add": 2}


@pytest.mark.parametrize("other", [torch.ones(3), np.ones(3, complex)])
def test_arrays_whose_operations_would_go_unnoticed_are_refused(other):
    with pytest.raises(ValueError, match="arrays must be NumPy's, of real numbers, got"):
        count_operations(lambda x, y: x, np.ones(3), other)


def test_nothing_to_count_with_is_refused():
    with pytest.raises(ValueError, match="must be an array of floats, got"):
        count_operations(sum, [1, 2])


def test_what_was_used_longest_ago_is_forgotten_first():
    assert count_loads("abcab", 3) == 3
    assert count_loads("abcab", 2) == 5
    assert count_loads("abacab", 2) == 4  # c pushes b out, a stays


def test_a_memory_that_holds_nothing_is_refused():
    with pytest.raises(ValueError, match="capacity must be positive, got 0"):
        count_loads("ab", 0)
