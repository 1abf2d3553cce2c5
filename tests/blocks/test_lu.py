"""LU decomposition, and what is solved and measured with it."""
# ruff: noqa: E741 (the lower triangular factor is called l, as in the formula)

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from linear_algebra import (
    MATRICES,
    any_matrix,
    backward_error,
    count_multiply_adds,
    random_matrix,
    rounding,
    with_condition,
)

from mlnotes.blocks.lu import (
    backward_substitution,
    blocked_lu,
    det,
    doolittle,
    forward_substitution,
    growth_by_step,
    growth_factor,
    inverse,
    largest_growth_matrix,
    lu,
    lu_multiply_adds,
    lu_solve,
    slogdet,
)
from mlnotes.blocks.qr import householder_qr

# A rounding is 1.1e-16.
SEVERAL = 1e-14  # at most 5 subtractions of numbers up to 22, or some 20 roundings of a result
ROUNDED = 2e-14  # 11 subtractions of products up to 5.3: 11 * 2 * 5.3 * 1.1e-16 = 1.3e-14
ORTHOGONAL = 1e-12  # the condition, 30, times 67 rows and numbers up to 2.4: 5e-13
SOLVED = 1e-12  # the condition, 159, times 53 rows: 9e-13; measured, for solutions up to 6: 3e-14
INVERSE = 1e-11  # the condition, 6,400, times 7 rows: 5e-12; measured: 3e-13
TRIANGLE = 1e-13  # seven rows, whose diagonal is large: some 20 roundings and their growth; measured: 2e-15
PIVOTS = 1e-12  # the condition, up to 197, times 31 rows: 7e-13; measured: 2e-14
WHOLE = 1e-8  # five rows of numbers up to 9: determinants up to 3.3e6, 25 roundings, are off by 9e-9 where they cancel
NEXT_ORDER = 2e-3  # what is left out of n³ / 3 is 1.5 over n, here 1,024

unhurried = settings(deadline=None, max_examples=50)
FACTORIZATIONS = {"lu": lu, "blocked_lu": blocked_lu, "blocked_lu in blocks of 3": lambda a: blocked_lu(a, 3)}
small_integers = arrays(np.int64, st.integers(1, 5).map(lambda n: (n, n)), elements=st.integers(-9, 9))


def exact_determinant(a):
    """Expand by minors in exact arithmetic."""
    if len(a) == 0:
        return Fraction(1)
    return sum(
        (-1) ** j * Fraction(a[0][j]) * exact_determinant([row[:j] + row[j + 1 :] for row in a[1:]])
        for j in range(len(a))
    )


def require_lu(a, p, l, u):
    assert backward_error(a, p @ l @ u) <= rounding(a)
    assert np.array_equal(p.sum(0), np.ones(len(a)))
    assert np.array_equal(p.sum(1), np.ones(len(a)))
    assert set(p.ravel()) <= {0.0, 1.0}
    assert np.array_equal(np.triu(l), np.eye(*l.shape))
    assert np.abs(l).max() <= 1
    assert np.array_equal(np.tril(u, -1), np.zeros_like(u))


@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize("factorize", FACTORIZATIONS.values(), ids=FACTORIZATIONS)
def test_backward_error_is_within_rounding_on_every_difficult_matrix(factorize, name):
    require_lu(MATRICES[name], *factorize(MATRICES[name]))


@unhurried
@given(any_matrix, st.integers(1, 5))
def test_backward_error_is_within_rounding_on_whatever_hypothesis_finds(a, block):
    require_lu(a, *lu(a))
    require_lu(a, *blocked_lu(a, block))


@pytest.mark.parametrize("shape", [(7, 7), (11, 5), (5, 11), (1, 3), (3, 1)])
@pytest.mark.parametrize("factorize", FACTORIZATIONS.values(), ids=FACTORIZATIONS)
def test_factors_are_those_of_lapack(factorize, shape):
    a = random_matrix(*shape)
    for ours, theirs in zip(factorize(a), scipy.linalg.lu(a), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=ROUNDED)


def test_a_column_that_depends_on_those_before_it_leaves_a_zero_pivot_and_is_passed_over():
    a = np.array([[2.0, 4.0, 1.0], [1.0, 2.0, 3.0], [4.0, 8.0, 5.0]])
    p, l, u = lu(a)
    assert u[1, 1] == 0
    np.testing.assert_array_equal(p @ l @ u, a)
    np.testing.assert_array_equal(lu(np.array([[0.0, 5.0]]))[2], [[0.0, 5.0]])


def test_precision_is_kept_whole_numbers_become_float64_and_the_input_is_left_alone():
    single = random_matrix(7, 5).astype(np.float32)
    before = single.copy()
    for factorize in FACTORIZATIONS.values():
        factors = factorize(single)
        assert {x.dtype for x in factors} == {np.dtype(np.float32)}
        assert backward_error(single, np.linalg.multi_dot(factors)) <= rounding(single)
    np.testing.assert_array_equal(single, before)
    assert lu(np.array([[2, 1], [1, 3]]))[2].tolist() == [[2.0, 1.0], [0.0, 2.5]]
    assert lu(np.asfortranarray(before))[1].tolist() == lu(before)[1].tolist()


class TestGrowth:
    @pytest.mark.parametrize("n", [2, 3, 11, 53])
    def test_the_worst_matrix_for_partial_pivoting_doubles_in_every_step(self, n):
        assert (
            growth_by_step(largest_growth_matrix(n)).tolist() == [2.0**k for k in range(n - 1)] + [2.0 ** (n - 1)] * 2
        )
        assert growth_factor(largest_growth_matrix(n)) == 2.0 ** (n - 1)

    @unhurried
    @given(arrays(np.float64, (5, 5), elements=st.floats(-1, 1)))
    def test_no_matrix_grows_more_than_that(self, a):
        assert 1 <= growth_factor(a) <= 2**4 * (1 + SEVERAL)

    def test_the_worst_matrix_costs_all_digits_although_it_is_well_conditioned_and_qr_loses_none(self):
        a = largest_growth_matrix(67)
        x = np.random.default_rng(2).normal(size=67)
        b = a @ x
        assert np.linalg.cond(a) < 100
        assert np.abs(lu_solve(a, b) - x).max() > 0.1
        q, r = householder_qr(a)
        np.testing.assert_allclose(backward_substitution(r, q.T @ b), x, rtol=0, atol=ORTHOGONAL)

    def test_random_matrices_grow_little(self):
        assert max(growth_factor(random_matrix(31, 31, seed)) for seed in range(31)) < 31

    def test_growth_is_that_of_the_intermediate_matrices_whichever_factors_are_given(self):
        a = np.array([[1e-4, 1.0], [1.0, 1.0]])
        assert growth_factor(a) == 1
        assert growth_factor(a, (np.eye(2), *doolittle(a))) == pytest.approx(9999, rel=SEVERAL)
        assert growth_factor(np.zeros((2, 3))) == 1
        assert growth_factor(largest_growth_matrix(5) * 1e300) == 16
        assert growth_factor([[1, 0, 1], [-1, 1, 1], [-1, -1, 1]]) == 4

    def test_entries_that_grow_beyond_the_largest_float_are_refused(self):
        for factorize in FACTORIZATIONS.values():
            with pytest.raises(ValueError, match=r"room for its entries to grow, got growth beyond 1\.8e\+308"):
                factorize(largest_growth_matrix(5) * 1.5e308)


class TestDoolittle:
    def test_factors_are_unique_and_the_same_as_with_exchanges_that_are_not_needed(self):
        a = random_matrix(7, 5)
        a[range(5), range(5)] += 20
        p, l, u = lu(a)
        assert np.array_equal(p, np.eye(7))
        for ours, theirs in zip(doolittle(a), (l, u), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=SEVERAL)

    def test_a_textbook_example_has_whole_numbers(self):
        l, u = doolittle(np.array([[2, 4, -2], [4, 9, -3], [-2, -3, 7]]))
        assert l.tolist() == [[1, 0, 0], [2, 1, 0], [-1, 1, 1]]
        assert u.tolist() == [[2, 4, -2], [0, 1, 1], [0, 0, 4]]

    @pytest.mark.parametrize("shape", [(11, 5), (5, 11), (1, 1)])
    def test_wide_and_tall_matrices_have_factors_too(self, shape):
        a = random_matrix(*shape) + 9 * np.eye(*shape)
        l, u = doolittle(a)
        assert backward_error(a, l @ u) <= rounding(a)

    @pytest.mark.parametrize("pivot", [0.0, 1e-310])
    def test_a_pivot_of_zero_is_refused_where_something_is_to_be_eliminated(self, pivot):
        with pytest.raises(ValueError, match=f"no pivot may be 0 or close to it, got {pivot} in row 0"):
            doolittle(np.array([[pivot, 1.0], [1.0, 1.0]]))
        l, u = doolittle(np.array([[0.0, 1.0], [0.0, 1.0]]))
        assert (l.tolist(), u.tolist()) == ([[1, 0], [0, 1]], [[0, 1], [0, 1]])

    @pytest.mark.parametrize("entries", [[[1, 1.5e308], [-1, 1.5e308]], [[1, 1], [1, 2], [1.5e308, -1.5e308]]])
    def test_entries_that_outgrow_floats_are_no_fault_of_a_pivot(self, entries):
        with pytest.raises(ValueError, match=r"room for its entries to grow, got growth beyond 1\.8e\+308"):
            doolittle(np.array(entries))

    def test_a_small_pivot_costs_all_digits_that_an_exchange_of_rows_keeps(self):
        a, b = np.array([[1e-20, 1.0], [1.0, 1.0]]), np.array([1.0, 2.0])
        assert np.linalg.cond(a) < 3
        assert lu_solve((np.eye(2), *doolittle(a)), b).tolist() == [0.0, 1.0]
        assert lu_solve(a, b).tolist() == [1.0, 1.0]


class TestSolving:
    @pytest.mark.parametrize("n", [1, 2, 13, 53])
    def test_solutions_are_those_of_numpy_for_one_and_for_many_right_hand_sides(self, n):
        a, b = random_matrix(n, n) + 3 * np.eye(n), random_matrix(n, 3)
        expected = np.linalg.solve(a, b)
        np.testing.assert_allclose(lu_solve(a, b), expected, rtol=0, atol=SOLVED)
        np.testing.assert_allclose(lu_solve(a, b[:, 0]), expected[:, 0], rtol=0, atol=SOLVED)
        np.testing.assert_array_equal(lu_solve(lu(a), b), lu_solve(a, b))

    @pytest.mark.parametrize("name", ["square", "condition 1e14", "Hilbert", "graded both ways", "1e300", "1e-300"])
    def test_the_residual_is_within_rounding_even_where_the_solution_is_not(self, name):
        a = np.ldexp(MATRICES[name], -np.frexp(np.abs(MATRICES[name]).max())[1])
        size = MATRICES[name].flat[0] / a.flat[0]
        b = random_matrix(len(a), 1)[:, 0]
        x = lu_solve(MATRICES[name], b * size)
        assert np.linalg.norm(b - a @ x) <= rounding(a) * np.linalg.norm(a) * np.linalg.norm(x)

    def test_the_error_grows_with_the_condition_number(self):
        for condition in (1e2, 1e6, 1e10):
            a, x = with_condition(23, 23, condition), random_matrix(23, 1)
            error = np.linalg.norm(lu_solve(a, a @ x) - x) / np.linalg.norm(x)
            assert 1e-19 * condition < error < 1e-14 * condition

    def test_the_inverse_leaves_a_residual_that_lu_solve_does_not(self):
        a, b = with_condition(23, 23, 1e10), random_matrix(23, 1)

        def relative_residual(x):
            return np.linalg.norm(b - a @ x) / (np.linalg.norm(a) * np.linalg.norm(x))

        # A right-hand side with a small solution, which is where the inverse is worst.
        b = a @ b
        assert relative_residual(lu_solve(a, b)) < 1e-15
        assert relative_residual(inverse(a) @ b) > 1e-10

    def test_the_inverse_is_that_of_numpy(self):
        a = random_matrix(7, 7) + 3 * np.eye(7)
        np.testing.assert_allclose(inverse(a), np.linalg.inv(a), rtol=INVERSE)
        assert inverse(np.array([[2, 0], [0, 4]])).tolist() == [[0.5, 0], [0, 0.25]]

    @pytest.mark.parametrize("lower", [True, False])
    def test_substitution_solves_triangular_systems_and_does_not_look_at_the_other_triangle(self, lower):
        a, b = random_matrix(7, 7) + 5 * np.eye(7), random_matrix(7, 2)
        solve = forward_substitution if lower else backward_substitution
        expected = scipy.linalg.solve_triangular(a, b, lower=lower)
        np.testing.assert_allclose(solve(a, b), expected, rtol=TRIANGLE)
        np.testing.assert_allclose(solve(a, b[:, 1]), expected[:, 1], rtol=TRIANGLE)
        np.testing.assert_allclose(solve(a.tolist(), b.tolist()), expected, rtol=TRIANGLE)

    def test_singular_matrices_are_refused_with_the_row(self):
        for a in (np.array([[1.0, 2.0], [2.0, 4.0]]), lu(np.array([[1.0, 2.0], [2.0, 4.0]]))):
            with pytest.raises(ValueError, match="a must not be singular, got pivot 0 in row 1"):
                lu_solve(a, np.ones(2))
        with pytest.raises(ValueError, match="l must not be singular, got pivot 0 in row 0"):
            forward_substitution(np.array([[0.0, 1.0], [1.0, 1.0]]), np.ones(2))
        with pytest.raises(ValueError, match="u must not be singular, got pivot 0 in row 0"):
            backward_substitution(np.array([[0.0, 1.0], [1.0, 1.0]]), np.ones(2))
        with pytest.raises(ValueError, match="a must not be singular"):
            inverse(np.zeros((3, 3)))

    def test_solutions_beyond_the_largest_float_are_refused(self):
        with pytest.raises(ValueError, match=r"must not be beyond the largest float, 1\.8e\+308"):
            lu_solve(np.array([[1e-200]]), np.array([1e200]))


class TestDeterminant:
    @unhurried
    @given(small_integers)
    def test_it_is_the_exact_one_of_whole_numbers_but_for_rounding(self, a):
        assert det(a) == pytest.approx(float(exact_determinant(a.tolist())), rel=PIVOTS, abs=WHOLE)

    def test_it_agrees_with_numpy_with_its_sign(self):
        for n in (1, 2, 3, 7, 31):
            a = random_matrix(n, n)
            assert det(a) == pytest.approx(np.linalg.det(a), rel=PIVOTS)
            assert slogdet(a) == pytest.approx(tuple(np.linalg.slogdet(a)), rel=PIVOTS)

    def test_exchanging_two_rows_turns_its_sign(self):
        for order in ([1, 0, 2], [0, 2, 1], [1, 2, 0], [2, 1, 0]):
            assert det(np.eye(3)[order]) == round(np.linalg.det(np.eye(3)[order]))

    def test_products_on_the_way_may_be_beyond_every_float(self):
        assert det(np.diag([1e200, 1e200, 1e-200, 1e-200])) == pytest.approx(1, rel=SEVERAL)
        assert det(np.diag([1e-200, 1e-200, -1e200, 1e200])) == pytest.approx(-1, rel=SEVERAL)
        assert det(np.diag([5e-324, 2.0**1000, 2.0**74])) == 1
        assert det(2.0**17 * np.eye(60)) == 2.0**1020

    def test_where_it_is_itself_beyond_every_float_its_logarithm_is_not(self):
        assert det(np.diag([-1e200, 1e200])) == -math.inf
        assert det(np.diag([1e-200, 1e-200])) == 0
        assert slogdet(np.diag([-1e200, 1e200])) == pytest.approx((-1, 400 * math.log(10)), rel=SEVERAL)
        assert slogdet(np.diag([1e-200, 1e-200])) == pytest.approx((1, -400 * math.log(10)), rel=SEVERAL)

    def test_singular_matrices_have_none_however_large_they_are(self):
        for size in (1.0, 1e200):
            a = size * np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 1.0], [0.0, 0.0, 5.0]])
            assert math.copysign(1, det(a)) == 1
            assert det(a) == 0
            assert slogdet(a) == (0, -math.inf)

    @pytest.mark.parametrize("n", [2, 5, 11])
    def test_the_determinant_of_a_product_is_the_product_of_determinants(self, n):
        a, b = random_matrix(n, n, 1), random_matrix(n, n, 2)
        assert det(a @ b) == pytest.approx(det(a) * det(b), rel=PIVOTS)


class TestCount:
    @pytest.mark.parametrize(("m", "n"), [(13, 13), (17, 5), (5, 17)])
    @pytest.mark.parametrize("block", [1, 3, 5, 64])
    def test_multiply_adds_are_those_that_are_done(self, m, n, block):
        assert lu_multiply_adds(m, n, block) == count_multiply_adds(blocked_lu, random_matrix(m, n), block)
        assert count_multiply_adds(lu, random_matrix(m, n)) == (0, sum(lu_multiply_adds(m, n, block)))

    def test_almost_all_of_a_large_matrix_is_done_in_products(self):
        in_products, elsewhere = lu_multiply_adds(1024, 1024, 64)
        assert in_products / (in_products + elsewhere) > 0.9
        assert in_products + elsewhere == pytest.approx(1024**3 / 3, rel=NEXT_ORDER)


@pytest.mark.parametrize("f", [lu, blocked_lu, doolittle, growth_factor, growth_by_step])
class TestBadMatrix:
    @pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
    def test_numbers_that_are_not_finite_are_refused(self, f, bad):
        with pytest.raises(ValueError, match=f"finite numbers, got {bad}"):
            f(np.array([[1.0, 2.0], [bad, 3.0]]))

    @pytest.mark.parametrize("shape", [(0, 3), (3, 0), (3,), (2, 3, 5)])
    def test_what_is_no_matrix_is_refused(self, f, shape):
        with pytest.raises(ValueError, match=f"got shape {shape}".replace("(", r"\(").replace(")", r"\)")):
            f(np.ones(shape))

    def test_complex_numbers_are_refused(self, f):
        with pytest.raises(ValueError, match="real numbers, got dtype complex128"):
            f(np.ones((2, 2), complex))


@pytest.mark.parametrize("f", [det, slogdet, inverse, lambda a: lu_solve(a, np.ones(len(a)))])
def test_matrices_that_are_not_square_are_refused(f):
    for shape in ((2, 3), (3, 2)):
        with pytest.raises(
            ValueError, match=rf"a must have as many rows as columns, got shape \({shape[0]}, {shape[1]}\)"
        ):
            f(np.ones(shape))


@pytest.mark.parametrize(
    ("b", "message"),
    [
        (np.ones(3), r"b must have 2 rows.* got shape \(3,\)"),
        (np.ones((2, 3, 5)), r"in one or two axes, got shape \(2, 3, 5\)"),
        (np.ones((2, 0)), r"got shape \(2, 0\)"),
        (np.array([1.0, np.nan]), "finite numbers, got nan"),
        (np.array([1j, 1]), "real numbers, got dtype complex128"),
    ],
)
@pytest.mark.parametrize("f", [lu_solve, forward_substitution, backward_substitution])
def test_right_hand_sides_that_do_not_fit_are_refused(f, b, message):
    with pytest.raises(ValueError, match=message):
        f(np.eye(2), b)


def test_sizes_that_are_not_positive_are_refused():
    with pytest.raises(ValueError, match="block must be positive, got 0"):
        blocked_lu(np.eye(2), 0)
    with pytest.raises(ValueError, match="m must be positive, got 0"):
        lu_multiply_adds(0, 3)
    with pytest.raises(ValueError, match="block must be positive, got -1"):
        lu_multiply_adds(2, 3, -1)
    with pytest.raises(ValueError, match="n must be positive, got 0"):
        largest_growth_matrix(0)
