"""Counting operations by doing them."""

import numpy as np
import pytest

from mlnotes.counting import count_loads, count_operations


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
    count_operations(lambda x: results.append([float(v) for v in np.sqrt(2 - x / 4) * 3]), np.array([4.0, 8.0]))
    assert results[0] == [3.0, 0.0]


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
