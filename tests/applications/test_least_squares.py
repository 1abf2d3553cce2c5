"""Least squares by three methods, and what rounding does to each."""

# ruff: noqa: E741 (the lower triangular factor is called l, as in the formula)
import functools
import math

import mpmath
import numpy as np
import pytest
import scipy.linalg
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression, Ridge

from mlnotes.applications.least_squares import cholesky, lstsq, ridge
from mlnotes.blocks.dot_product import project
from mlnotes.blocks.svd import fundamental_subspaces, pinv

# A rounding is 1.1e-16 in double precision.
LAST = 1e-15  # one column: at most 8 roundings of numbers below 1
SEVERAL = 1e-14  # a few equations by hand, or a triangle of 13 rows up to 3.8: 13 * 2 * 3.8 * 1.1e-16
PROJECTED = 1e-13  # projections onto at most 5 columns of length 4, some 100 roundings; measured: 4e-15
RELATIVE = 1e-12  # the condition, some tens, squared by the normal equations, and 11 rows; measured: 1e-13 at most
RIDGE = 1e-10  # the condition with a strength of 1e-6, some 5,000, and 16 rows: 9e-12 of the largest; measured: 1e-11
REAL = 1e-11  # the condition of 442 patients, 22, squared, and 21 roundings, the root of 442: 1e-12; measured: 1e-13
UNSCALED = 1e-9  # the same with ones beside them and columns made equally long: 200, squared; measured: 2e-11
LAUCHLI = 1e-6  # the condition, 1e9, times some nine roundings
SINGLE = 1e-5  # some hundred roundings of 6e-8; measured: 4e-7

EPS = np.finfo(float).eps
METHODS = ["normal", "qr", "svd"]
CHOOSY = ["normal", "qr"]
unhurried = settings(deadline=None, max_examples=50)
numbers = st.floats(-9, 9) | st.sampled_from([0.0, 1.0, -1.0])


def draw(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def with_condition(m, n, condition, seed=0):
    """Build a matrix with singular values from 1 down to 1/condition, evenly spaced on a logarithmic scale."""
    u, v = (np.linalg.qr(draw(size, n, seed=2 * seed + i))[0] for i, size in enumerate((m, n)))
    return u * np.logspace(0, -math.log10(condition), n) @ v.T


def exact(a, b):
    """Solve the normal equations with 60 digits."""
    with mpmath.workdps(60):
        a, b = mpmath.matrix(a.tolist()), mpmath.matrix(b.tolist())
        return np.array([float(x) for x in mpmath.lu_solve(a.T * a, a.T * b)])


@functools.cache
def solved(condition, residual, seed):
    """Make a problem with b at this distance from the space of the columns, and solve it with 60 digits."""
    a, x = with_condition(13, 5, condition, seed), np.array([1.0, -2.0, 3.0, -1.0, 2.0])
    b = a @ x + residual * np.linalg.qr(a, "complete")[0][:, 5]
    return a, b, exact(a, b)


def error_by_condition(method, residual, conditions, seed=0):
    """Measure the relative error of solutions."""
    errors = []
    for condition in conditions:
        a, b, right = solved(condition, residual, seed)
        errors.append(np.linalg.norm(lstsq(a, b, method) - right) / np.linalg.norm(right))
    return np.array(errors)


@pytest.mark.parametrize("shape", [(7, 3), (11, 5), (5, 5), (7, 1), (1, 1)])
@pytest.mark.parametrize("method", METHODS)
class TestAgreement:
    def test_with_numpy_scipy_and_torch_for_one_right_hand_side_and_for_many(self, method, shape):
        a, b = draw(*shape), draw(shape[0], 2, seed=1)
        found = lstsq(a, b, method)
        assert found.shape == (shape[1], 2)
        expected = torch.linalg.lstsq(torch.tensor(a), torch.tensor(b)).solution.numpy()
        for other in (expected, np.linalg.lstsq(a, b)[0], scipy.linalg.lstsq(a, b)[0]):
            np.testing.assert_allclose(found, other, rtol=RELATIVE, atol=PROJECTED)
        np.testing.assert_allclose(lstsq(a, b[:, 1], method), found[:, 1], rtol=RELATIVE)

    def test_what_is_left_is_orthogonal_to_every_column_and_the_rest_is_the_projection(self, method, shape):
        a, b = draw(*shape), draw(shape[0], seed=1)
        nearest = a @ lstsq(a, b, method)
        np.testing.assert_allclose(a.T @ (b - nearest), 0, rtol=0, atol=PROJECTED)
        np.testing.assert_allclose(nearest, a @ pinv(a) @ b, rtol=0, atol=PROJECTED)
        np.testing.assert_allclose(a @ lstsq(a, nearest, method), nearest, rtol=0, atol=PROJECTED)
        if shape[1] == 1:
            np.testing.assert_allclose(nearest, project(b, onto=a[:, 0]), rtol=0, atol=LAST)

    def test_no_other_x_is_nearer(self, method, shape):
        a, b = draw(*shape), draw(shape[0], seed=1)
        x = lstsq(a, b, method)
        others = x + 1e-3 * draw(101, shape[1], seed=2)
        assert (np.linalg.norm(a @ others.T - b[:, None], axis=0) > np.linalg.norm(a @ x - b)).all()


@pytest.mark.parametrize("method", METHODS)
def test_a_line_through_three_points_is_the_one_found_on_paper(method):
    a, b = np.array([[1, 0], [1, 1], [1, 2]]), np.array([6, 0, 0])
    np.testing.assert_allclose(lstsq(a, b, method), [5, -3], rtol=SEVERAL)


@pytest.mark.parametrize("method", METHODS)
def test_real_data_has_the_coefficients_that_scikit_learn_finds(method):
    x, y = load_diabetes(return_X_y=True, scaled=False)
    theirs = LinearRegression().fit(x, y)
    ours = lstsq(np.column_stack([np.ones(len(x)), x]), y, method)
    np.testing.assert_allclose(ours, [theirs.intercept_, *theirs.coef_], rtol=UNSCALED)


class TestCondition:
    # The error is a power of the condition number times a factor that rounding scatters from matrix to matrix. A slope
    # fitted to 11 conditions of one matrix has a standard deviation of 0.13 at most, whatever the kernels; the mean of
    # ten has 0.04. The bound's power is reached only nearly: the means over any seeds lie between 1.83 and 1.97, and
    # between 0.90 and 0.92. Hence the band: 0.17 + 5 * 0.04 = 0.37, less than half of the way to the next power.
    CONDITIONS, SEEDS, BAND = 10.0 ** np.arange(1, 6.5, 0.5), 10, 0.37

    def errors(self, method, residual):
        return np.array([error_by_condition(method, residual, self.CONDITIONS, seed) for seed in range(self.SEEDS)])

    def slope(self, errors):
        return np.polyfit(np.log10(self.CONDITIONS), np.log10(errors).mean(0), 1)[0]

    @pytest.mark.parametrize(("method", "power"), [("normal", 2), ("qr", 1), ("svd", 1)])
    def test_the_error_grows_with_the_condition_number_and_with_its_square_for_the_normal_equations(
        self, method, power
    ):
        errors = self.errors(method, 0)
        assert self.slope(errors) == pytest.approx(power, abs=self.BAND)
        assert (errors < 10 * EPS * self.CONDITIONS**power).all()  # 2.4 at most, over 20 seeds and 3 sets of kernels

    def test_at_a_million_the_normal_equations_have_lost_twice_as_many_digits(self):
        digits = {method: -np.log10(error_by_condition(method, 0, [1e6])[0]) for method in METHODS}
        assert digits["normal"] < 6
        assert digits["qr"] > 9
        assert digits["svd"] > 9

    @pytest.mark.parametrize("method", ["qr", "svd"])
    def test_far_from_the_space_of_the_columns_no_method_escapes_the_square(self, method):
        assert self.slope(self.errors(method, 1)) == pytest.approx(2, abs=self.BAND)

    @pytest.mark.parametrize("condition", [1e8, 1e10, 1e12])
    def test_where_no_digit_is_left_the_normal_equations_are_refused_and_the_others_go_on(self, condition):
        a, x = with_condition(13, 5, condition), np.array([1.0, -2.0, 3.0, -1.0, 2.0])
        with pytest.raises(ValueError, match="columns of a must be independent, except for the method svd, got"):
            lstsq(a, a @ x, "normal")
        for method in ("qr", "svd"):
            np.testing.assert_allclose(lstsq(a, a @ x, method), x, rtol=0, atol=100 * EPS * condition)

    def test_the_example_of_lauchli_has_a_singular_gram_matrix(self):
        a = np.vstack([np.ones(3), 1e-9 * np.eye(3)])
        assert np.linalg.matrix_rank(a.T @ a) == 1
        b = a @ np.array([1.0, 2.0, 3.0])
        for method in ("qr", "svd"):
            np.testing.assert_allclose(lstsq(a, b, method), [1, 2, 3], rtol=LAUCHLI)
        with pytest.raises(ValueError, match=r"a smallest singular value of 0\.0e"):
            lstsq(a, b, "normal")

    @pytest.mark.parametrize("method", CHOOSY)
    def test_units_of_the_unknowns_do_not_count(self, method):
        a, b, units = draw(11, 5), draw(11, seed=1), 10.0 ** np.array([0, 150, -150, 9, -30])
        np.testing.assert_allclose(lstsq(a * units, b, method) * units, lstsq(a, b, method), rtol=RELATIVE)


@pytest.mark.parametrize("size", [1e-300, 1e-150, 1e150, 1e300])
@pytest.mark.parametrize("method", METHODS)
def test_neither_the_size_of_the_matrix_nor_that_of_b_costs_a_digit(method, size):
    a, b = draw(11, 5), draw(11, seed=1)
    x = lstsq(a, b, method)
    for of_a, of_b in ((size, size), (size, 1.0), (1.0, size)):
        np.testing.assert_allclose(lstsq(a * of_a, b * of_b, method), x * (of_b / of_a), rtol=RELATIVE)
    many = lstsq(a, np.column_stack([b, b * size, 0 * b]), method)
    np.testing.assert_allclose(many, np.column_stack([x, x * size, 0 * x]), rtol=RELATIVE)


@unhurried
@given(arrays(float, (7, 5), elements=numbers), arrays(float, 7, elements=numbers), st.sampled_from(METHODS))
def test_whatever_hypothesis_finds_is_solved_unless_its_columns_are_dependent(a, b, method):
    a = a / np.maximum(np.abs(a).max(axis=0), 1e-300)  # so that the squares below are in range
    if method != "svd" and np.linalg.cond(a) > (1e13 if method == "qr" else 1e6):
        return  # see TestCondition and TestManySolutions
    x = lstsq(a, b, method)
    slope, size = a.T @ (a @ x - b), np.linalg.norm(a)
    assert np.linalg.norm(slope) <= 350 * EPS * size * (np.linalg.norm(b) + size * np.linalg.norm(x))


class TestManySolutions:
    CASES = (
        ("two of five columns are enough", draw(7, 2) @ draw(2, 5, seed=1)),
        ("wide", draw(3, 7)),
        ("wide and of rank 2", draw(3, 2) @ draw(2, 7, seed=1)),
        ("a column of zeros", draw(7, 3) * [1.0, 0.0, 1.0]),
        ("equal columns", np.repeat(draw(5, 1), 3, axis=1)),
        ("zeros", np.zeros((5, 3))),
    )
    dependent = pytest.mark.parametrize("a", [a for _, a in CASES], ids=[name for name, _ in CASES])

    @dependent
    def test_the_one_by_svd_is_the_shortest(self, a):
        b = draw(len(a), seed=2)
        x = lstsq(a, b, "svd")
        np.testing.assert_allclose(x, np.linalg.lstsq(a, b)[0], rtol=0, atol=PROJECTED)
        np.testing.assert_allclose(x, pinv(a) @ b, rtol=0, atol=PROJECTED)
        null_space = fundamental_subspaces(a).null_space
        np.testing.assert_allclose(null_space.T @ x, 0, rtol=0, atol=PROJECTED)
        other = x + null_space @ np.ones(null_space.shape[1])
        assert np.linalg.norm(a @ other - b) == pytest.approx(np.linalg.norm(a @ x - b), rel=RELATIVE, abs=SEVERAL)
        assert np.linalg.norm(other) > np.linalg.norm(x)

    @dependent
    @pytest.mark.parametrize("method", CHOOSY)
    @pytest.mark.parametrize("size", [1e-150, 1.0, 1e150])
    def test_the_other_methods_refuse_to_choose(self, a, method, size):
        with pytest.raises(ValueError, match=r"except for the method svd, got (shape \(3, 7\)|a smallest singular)"):
            lstsq(a * size, draw(len(a)), method)

    @pytest.mark.parametrize("method", CHOOSY)
    def test_so_they_do_where_rounding_hides_that_columns_are_dependent(self, method):
        for seed in range(31):
            a = draw(101, 3, seed=seed) @ draw(3, 4, seed=seed + 100)
            with pytest.raises(ValueError, match="columns of a must be independent"):
                lstsq(a, draw(101), method)

    def test_columns_almost_of_the_smallest_float_apart_are_refused_and_not_divided_by(self):
        with pytest.raises(ValueError, match=r"a smallest singular value of 1\.0e-310 times the largest"):
            lstsq(np.array([[1.0, 1.0], [0.0, 1e-310]]), np.ones(2))

    @pytest.mark.parametrize("method", ["normal", "qr", "svd"])
    def test_columns_at_right_angles_are_independent_up_to_any_tolerance_below_one(self, method):
        assert lstsq(np.eye(3), [1.0, 2.0, 3.0], method, tolerance=0.9) == pytest.approx([1, 2, 3], rel=SEVERAL)

    @pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
    @pytest.mark.parametrize("tolerance", [1e39, 1.7e308, np.float32(3e38)])
    def test_however_large_a_tolerance_is_it_is_compared_without_a_warning(self, recwarn, dtype, tolerance):
        a, b = np.diag([1000, 1, 2]).astype(dtype), np.ones(3)
        assert lstsq(a, b, "svd", tolerance=tolerance).tolist() == [0, 0, 0]
        for method in CHOOSY:
            with pytest.raises(ValueError, match="columns of a must be independent"):
                lstsq(a, b, method, tolerance=tolerance)
        assert not recwarn

    def test_tolerance_decides_what_is_left_out_and_what_is_refused(self):
        a, b = np.diag([1000.0, 1.0, 1e-3]), np.array([1000.0, 1.0, 1e-3])
        assert lstsq(a, b, "svd").tolist() == [1, 1, 1]
        assert lstsq(a, b, "svd", tolerance=1e-5).tolist() == [1, 1, 0]
        assert lstsq(a, b, "svd", tolerance=1e-2).tolist() == [1, 0, 0]
        a = with_condition(7, 3, 1e4)
        for method in CHOOSY:
            lstsq(a, np.ones(7), method, tolerance=1e-5)
            with pytest.raises(ValueError, match=r"not above 1\.0e-03"):
                lstsq(a, np.ones(7), method, tolerance=1e-3)


@pytest.mark.parametrize("strength", [0.0, 1e-6, 0.3, 10.0, 1e4])
class TestRidge:
    @pytest.mark.parametrize("shape", [(11, 5), (5, 5), (5, 11), (7, 1), (1, 1)])
    def test_it_is_least_squares_with_a_root_of_the_strength_below_each_column(self, shape, strength):
        a, b = draw(*shape), draw(shape[0], 2, seed=1)
        longer = np.vstack([a, math.sqrt(strength) * np.eye(shape[1])])
        expected = np.linalg.lstsq(longer, np.vstack([b, np.zeros((shape[1], 2))]))[0]
        np.testing.assert_allclose(ridge(a, b, strength), expected, rtol=RIDGE, atol=RELATIVE)
        np.testing.assert_allclose(ridge(a, b[:, 0], strength), expected[:, 0], rtol=RIDGE, atol=RELATIVE)

    def test_the_slope_of_the_sum_is_zero(self, strength):
        a, b = draw(11, 5), draw(11, seed=1)
        x = ridge(a, b, strength)
        np.testing.assert_allclose(a.T @ (a @ x - b) + strength * x, 0, rtol=0, atol=RELATIVE)

    def test_scikit_learn_agrees_on_real_data(self, strength):
        x, y = load_diabetes(return_X_y=True)
        theirs = Ridge(alpha=strength, fit_intercept=False, solver="cholesky").fit(x, y).coef_
        np.testing.assert_allclose(ridge(x, y, strength), theirs, rtol=REAL)

    @pytest.mark.parametrize("size", [1e-150, 1e150])
    def test_with_the_units_of_the_matrix_squared_its_size_does_not_count(self, strength, size):
        a, b = draw(11, 5), draw(11, seed=1)
        found = ridge(a * size, b, strength * size**2)
        np.testing.assert_allclose(found * size, ridge(a, b, strength), rtol=RELATIVE)


class TestStrength:
    def test_it_shortens_the_solution_from_that_of_least_squares_to_nothing(self):
        a, b = draw(7, 3), draw(7, seed=1)
        lengths = [np.linalg.norm(ridge(a, b, s)) for s in (0.0, 1e-3, 0.1, 1.0, 10.0, 1e3, 1e9, 1e300)]
        assert lengths == sorted(lengths, reverse=True)
        assert lengths[0] == pytest.approx(np.linalg.norm(lstsq(a, b)), rel=PROJECTED)
        assert lengths[-1] < 1e-298

    def test_dependent_columns_share_what_one_of_them_would_have(self):
        a, b = draw(7, 1), draw(7, seed=1)
        one = ridge(a, b, 0.5)
        both = ridge(np.repeat(a, 2, axis=1) / math.sqrt(2), b, 0.5) * math.sqrt(2)
        np.testing.assert_allclose(both, [*one, *one], rtol=SEVERAL)
        np.testing.assert_array_equal(ridge(np.zeros((3, 2)), np.ones(3), 0.0), [0, 0])
        np.testing.assert_array_equal(ridge(np.zeros((3, 2)), np.ones(3), 1.0), [0, 0])

    @pytest.mark.parametrize("strength", [5e-324, 1e-300, 1e300, 1.7e308])
    def test_extreme_strengths_meet_extreme_matrices_without_a_warning(self, strength):
        for size in (1e-300, 1.0, 1e300):
            assert np.isfinite(ridge(size * draw(5, 3), 1e-9 * size * draw(5, seed=1), strength)).all()

    def test_it_tames_an_ill_conditioned_problem(self):
        a, x = with_condition(23, 7, 1e12), np.ones(7)
        b = a @ x + 1e-6 * draw(23)
        assert np.linalg.norm(lstsq(a, b, "svd") - x) > 1e3
        assert np.linalg.norm(ridge(a, b, 1e-9) - x) < 3

    @pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf])
    def test_negative_and_infinite_ones_are_refused(self, bad):
        with pytest.raises(ValueError, match=f"strength must be finite and not negative, got {bad}"):
            ridge(np.eye(3), np.ones(3), bad)


class TestCholesky:
    @pytest.mark.parametrize("n", [1, 2, 5, 13])
    def test_it_agrees_with_numpy(self, n):
        a = draw(n + 2, n).T @ draw(n + 2, n)
        np.testing.assert_allclose(cholesky(a), np.linalg.cholesky(a), rtol=0, atol=SEVERAL)

    @pytest.mark.parametrize("condition", [1e2, 1e4, 1e7])
    @pytest.mark.parametrize("size", [1e-300, 1e-150, 1.0, 1e150, 1e300])
    def test_backward_error_is_within_rounding(self, condition, size):
        half = with_condition(13, 11, condition)
        a = (half.T @ half + half.T @ half) / 2 * size
        l = cholesky(a)
        assert np.array_equal(np.triu(l, 1), np.zeros((11, 11)))
        assert (np.diag(l) > 0).all()
        root = math.sqrt(size)
        assert np.linalg.norm((l / root) @ (l / root).T - a / size) <= 50 * 11 * EPS * np.linalg.norm(a / size)

    def test_an_example_of_whole_numbers_is_exact(self):
        assert cholesky(np.array([[4, 2, 6], [2, 10, 9], [6, 9, 17]])).tolist() == [[2, 0, 0], [1, 3, 0], [3, 2, 2]]

    @pytest.mark.parametrize(
        ("a", "message"),
        [
            ([[1.0, 2.0], [2.0, 1.0]], "positive definite, got the pivot -3 in row 1 of 2"),
            ([[1.0, 1.0], [1.0, 1.0]], "positive definite, got the pivot 0 in row 1 of 2"),
            ([[-1.0]], "positive definite, got the pivot -1 in row 0 of 1"),
            ([[2.0, 1.0], [1.5, 2.0]], r"symmetric, got 1\.0 and 1\.5 at \(0, 1\) and \(1, 0\)"),
            ([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], r"as many rows as columns, got shape \(2, 3\)"),
            ([[1.0, np.nan], [np.nan, 1.0]], "finite numbers, got nan"),
        ],
    )
    def test_what_has_no_such_root_is_refused(self, a, message):
        with pytest.raises(ValueError, match=message):
            cholesky(np.array(a))


@pytest.mark.parametrize("solve", [*METHODS, "ridge"])
class TestInput:
    @staticmethod
    def run(solve, a, b):
        return ridge(a, b, 0.5) if solve == "ridge" else lstsq(a, b, solve)

    def test_single_precision_stays_single_whole_numbers_become_floats_and_nothing_is_overwritten(self, solve):
        a, b = draw(7, 3).astype(np.float32), draw(7, seed=1).astype(np.float32)
        before = a.copy(), b.copy()
        x = self.run(solve, a, b)
        assert x.dtype == np.float32
        np.testing.assert_allclose(x, self.run(solve, a.astype(float), b.astype(float)), rtol=0, atol=SINGLE)
        assert np.array_equal(a, before[0])
        assert np.array_equal(b, before[1])
        assert self.run(solve, [[2, 0], [0, 2], [1, 1]], [2, 2, 2]).dtype == float

    @pytest.mark.parametrize(
        ("a", "b", "message"),
        [
            (np.ones((3, 2)), np.ones(2), r"b must have the 3 rows of a, and one or two axes, got shape \(2,\)"),
            (np.ones((3, 2)), np.ones((3, 2, 5)), r"one or two axes, got shape \(3, 2, 5\)"),
            (np.ones((3, 2)), np.ones(()), r"one or two axes, got shape \(\)"),
            (
                np.ones((3, 2)),
                np.ones((3, 0)),
                r"b must be a matrix with at least one row and column, got shape \(3, 0",
            ),
            (np.ones((3, 2)), np.array([1.0, np.nan, 1.0]), "b must hold finite numbers, got nan"),
            (np.ones((3, 2)), np.ones(3) * 1j, "b must hold real numbers, got dtype complex128"),
            (np.ones(3), np.ones(3), r"a must be a matrix with at least one row and column, got shape \(3,\)"),
            (np.ones((0, 3)), np.ones(0), r"a must be a matrix with at least one row and column, got shape \(0, 3\)"),
            (np.array([[1.0], [np.inf]]), np.ones(2), "a must hold finite numbers, got inf"),
        ],
    )
    def test_what_does_not_fit_is_refused(self, solve, a, b, message):
        with pytest.raises(ValueError, match=message):
            self.run(solve, a, b)

    def test_solutions_beyond_the_largest_float_are_refused(self, solve):
        a = np.array([[1e-200], [0.0]])
        with pytest.raises(ValueError, match=r"the solution must not exceed the largest float, 1\.8e\+308"):
            ridge(a, 1e200 * np.ones(2), 0.0) if solve == "ridge" else lstsq(a, 1e200 * np.ones(2), solve)


def test_methods_that_do_not_exist_are_refused_with_those_that_do():
    with pytest.raises(ValueError, match="method must be one of normal, qr, svd, got 'lu'"):
        lstsq(np.eye(2), np.ones(2), "lu")


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf])
@pytest.mark.parametrize("method", ["normal", "qr", "svd"])
def test_a_tolerance_that_is_none_is_refused(bad, method):
    with pytest.raises(ValueError, match=f"tolerance must be finite and not negative, got {bad}"):
        lstsq(np.eye(3), np.ones(3), method, bad)
