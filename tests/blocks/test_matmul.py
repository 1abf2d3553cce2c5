"""The matrix product, read in four ways, in blocks, and with seven products."""

from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from mlnotes.blocks.matmul import (
    linear_combination,
    matmul_block,
    matmul_columns,
    matmul_dot,
    matmul_outer,
    matmul_rows,
    outer,
    strassen,
)

# A rounding is 1.1e-16.
ROUNDED = 1e-14  # sums of at most 11 products, up to 7.3: 11 * 7.3 * 1.1e-16
STRASSEN = 1e-13  # products of sums, taken from each other again, up to 14: 60 roundings; measured: 3e-14


def draw(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def small_blocks(a, b):
    return matmul_block(a, b, size=3)


def seven_products(a, b):
    return strassen(a, b, cutoff=1)


WAYS = [matmul_dot, matmul_columns, matmul_rows, matmul_outer, small_blocks, seven_products]
A, B = draw(2, 5, 7), draw(2, 7, 3, seed=1)
sizes = st.integers(1, 9)


@pytest.mark.parametrize("multiply", WAYS)
def test_agrees_with_torch_in_every_precision_with_batches(backend, multiply):
    expected = torch.tensor(backend.like(A)) @ torch.tensor(backend.like(B))
    found = backend.read(multiply(backend.array(A), backend.array(B)))
    np.testing.assert_allclose(found, expected, rtol=0, atol=8 * backend.tolerance)


@pytest.mark.parametrize("multiply", WAYS)
@settings(deadline=None, max_examples=25)
@given(sizes, sizes, sizes, st.integers(0, 99))
def test_whole_numbers_are_multiplied_exactly_for_all_shapes(multiply, m, k, n, seed):
    rng = np.random.default_rng(seed)
    a, b = rng.integers(-99, 100, (m, k)), rng.integers(-99, 100, (k, n))
    np.testing.assert_array_equal(multiply(a.astype(float), b.astype(float)), a @ b)


@pytest.mark.parametrize("multiply", WAYS)
def test_one_matrix_serves_a_batch(multiply):
    np.testing.assert_allclose(multiply(A, B[0]), A @ B[0], rtol=0, atol=ROUNDED)


@pytest.mark.parametrize("multiply", WAYS)
def test_gradients_flow_to_both_matrices(multiply):
    assert torch.autograd.gradcheck(multiply, [torch.tensor(x[0], requires_grad=True) for x in (A, B)])


@pytest.mark.parametrize("size", [1, 2, 4, 7, 64])
def test_blocks_of_any_size_give_the_product(size):
    np.testing.assert_allclose(matmul_block(A, B, size), A @ B, rtol=0, atol=ROUNDED)


@pytest.mark.parametrize("cutoff", [1, 2, 3, 8])
@pytest.mark.parametrize("shape", [(16, 16, 16), (17, 31, 5), (1, 33, 40)])
def test_strassen_gives_the_product_for_any_cutoff(shape, cutoff):
    m, k, n = shape
    a, b = draw(m, k), draw(k, n, seed=1)
    np.testing.assert_allclose(strassen(a, b, cutoff), a @ b, rtol=0, atol=STRASSEN)


def test_strassen_keeps_its_bound_and_loses_small_entries():
    n, eps = 16, np.finfo(float).eps
    a, b = draw(n, n), draw(n, n, seed=1)
    a[0] *= 1e-12  # the first row of the result is tiny, beside entries of usual size
    exact = np.array(
        [
            [float(sum(Fraction(x) * Fraction(y) for x, y in zip(row, column, strict=True))) for column in b.T]
            for row in a[:2]
        ]
    )
    for multiply, loses in [(lambda a, b: strassen(a, b, 1), True), (np.matmul, False)]:
        errors = np.abs(multiply(a, b)[:2] - exact)
        # Higham, section 23.2.2: from n0 = 1 on, (n^log2(12) (n0² + 5 n0) - 5 n) u ‖A‖ ‖B‖ by largest entries
        assert errors.max() <= 6 * n ** np.log2(12) * eps / 2 * np.abs(a).max() * np.abs(b).max()
        assert (errors[0].max() / np.abs(exact[0]).max() > 1e-6) == loses


def test_the_outer_product_is_numpys_with_batches(backend):
    a, b = draw(2, 5), draw(2, 3, seed=1)
    found = backend.read(outer(backend.array(a), backend.array(b)))
    expected = np.stack([np.outer(*pair) for pair in zip(backend.like(a), backend.like(b), strict=True)])
    np.testing.assert_allclose(found, expected, rtol=0, atol=4 * backend.tolerance)


@pytest.mark.parametrize("multiply", WAYS)
@pytest.mark.parametrize(
    ("a", "b", "says"),
    [
        (A[0], A[0], r"as many columns as b has rows, got 7 and 5: shapes \(5, 7\) and \(5, 7\)"),
        (A[0, 0], B[0], r"a must be a matrix, got shape \(7,\)"),
        (A[0], B[0, :, 0], r"b must be a matrix, got shape \(7,\)"),
        (A[0, :, :0], B[0, :0], r"must not be empty, got shapes \(5, 0\) and \(0, 3\)"),
        (A[0], B[0, :, :0], r"must not be empty, got shapes \(5, 7\) and \(7, 0\)"),
        (A[0].astype(int), B[0], "a .*float"),
    ],
)
def test_bad_input_is_refused_with_the_rule_and_both_shapes(multiply, a, b, says):
    with pytest.raises(ValueError, match=says):
        multiply(a, b)


@pytest.mark.parametrize("dtypes", [("uint8", float), (float, "int64")])
def test_integers_are_not_added_up_because_small_ones_wrap_round(dtypes):
    with pytest.raises(ValueError, match=r"must hold floating-point numbers, got dtype u?int"):
        linear_combination(np.full((2, 2), 200, dtypes[0]), np.ones(2, dtypes[1]))


@pytest.mark.parametrize("call", [lambda: matmul_block(A, B, 0), lambda: strassen(A, B, 0)])
def test_sizes_of_blocks_must_be_positive(call):
    with pytest.raises(ValueError, match="must be positive, got 0"):
        call()


def test_an_outer_product_needs_vectors():
    with pytest.raises(ValueError, match=r"a and b must be vectors, got shapes \(3,\) and \(\)"):
        outer(np.ones(3), np.float64(2.0))


def test_a_long_combination_in_half_precision_is_rounded_once():
    vectors, amounts = np.ones((1, 4099), np.float16), np.ones(4099, np.float16)
    total = linear_combination(vectors, amounts)
    assert total.dtype == np.float16
    assert total.tolist() == [4100]  # the nearest there is; added up one by one it would stay at 2048
