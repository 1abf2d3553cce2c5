"""Norms of vectors and matrices."""

import math

import mpmath
import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from mlnotes.blocks.norm import KINDS, equivalence_constants, matrix_norm, nearest_to_zero, unit_circle, vector_norm
from mlnotes.blocks.svd import svd

# A rounding is 1.1e-16 in double precision, 6e-8 in single precision.
LAST = 4e-16  # the last digits: the result is rounded, and so was the exact one
FEW = 1e-15  # at most 8 roundings
SEVERAL = 1e-14  # powers, roots and sums of at most 11 numbers: 30 roundings, with the exponent's
SINGULAR = 1e-13  # the largest of at most 11 singular values, or sums of them: 50 * 11 * 1.1e-16
SUMS = 1e-13  # of the largest coordinate, for each coordinate: far more than its roundings, and no visible length
TINY = 1e-300  # numbers below it have fewer digits
SINGLE = 2e-6  # powers of single precision: 30 roundings of 6e-8
POLYGON = 1e-5  # the area between a curve and its polygon, measured: 1.5e-6 of it

unhurried = settings(deadline=None, max_examples=50)
inf = math.inf
POWERS = [1, 1.5, 2, 3, 10, inf]
OF_NUMPY = {"frobenius": "fro", "one": 1, "inf": inf, "spectral": 2, "nuclear": "nuc"}

powers = st.floats(1, 20) | st.just(inf)
pairs = arrays(np.float64, st.integers(1, 7).map(lambda n: (2, n)), elements=st.floats(-1e3, 1e3))
matrices = arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=5), elements=st.floats(-1e3, 1e3))


def draw(*shape):
    return np.random.default_rng(0).normal(size=shape)


def exact(x, p):
    """Compute a p-norm with 50 digits."""
    with mpmath.workdps(50):
        return mpmath.fsum(abs(mpmath.mpf(float(value))) ** p for value in x) ** (mpmath.mpf(1) / p)


class TestVectorNorm:
    @pytest.mark.parametrize("p", POWERS)
    @pytest.mark.parametrize("axis", [0, 1, -1])
    def test_it_agrees_with_numpy_along_every_axis_and_in_every_precision(self, backend, axis, p):
        x = draw(2, 3, 5)
        expected = np.linalg.vector_norm(backend.like(x), ord=p, axis=axis)
        found = backend.read(vector_norm(backend.array(x), p, axis=axis))
        np.testing.assert_allclose(found, expected, rtol=backend.tolerance)

    @pytest.mark.parametrize("size", [1e-300, 1e-200, 1e-160, 1.0, 1e160, 1e200, 1e300, 1e307])
    @pytest.mark.parametrize("make", [np.array, torch.tensor])
    def test_digits_are_right_whatever_the_size_of_the_coordinates(self, make, size):
        x = np.array([0.3, -2.0, 1e-3, 0.0, 1.25]) * size
        for p in POWERS[:-1]:
            found = vector_norm(make(x), p)
            assert abs(float(found) / exact(x, p) - 1) < LAST
        assert vector_norm(make(x), inf) == 2 * size

    @pytest.mark.parametrize("make", [np.array, torch.tensor])
    def test_the_smallest_and_the_largest_floats_have_lengths_too(self, make):
        smallest, largest = 5e-324, np.finfo(float).max
        for p in (*POWERS, 1e6):
            assert vector_norm(make([0.0, -smallest]), p) == smallest
            assert vector_norm(make([-largest, 1.0]), p) == pytest.approx(largest, rel=FEW)
        assert vector_norm(make([3 * smallest, 4 * smallest]), 2) == 5 * smallest
        assert vector_norm(make([0.6 * largest, 0.8 * largest]), 2) == pytest.approx(largest, rel=FEW)

    @pytest.mark.parametrize("p", [1.0, 1.5, 2.0, 3.0, np.inf])
    def test_a_power_of_numpys_own_does_not_widen(self, p):
        x = draw(5, 7).astype(np.float32)
        found = vector_norm(x, np.float64(p))
        assert found.dtype == np.float32
        np.testing.assert_array_equal(found, vector_norm(x, p))

    @pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
    def test_half_precision_is_rounded_once(self, dtype):
        x = torch.tensor(draw(5, 301) * 100).to(dtype)
        for p in (1, 2, 3):
            right = torch.linalg.vector_norm(x.double(), p, -1)
            assert torch.equal(vector_norm(x, p), right.to(dtype))

    def test_whole_numbers_stay_exact(self):
        assert vector_norm(np.array([5.0, 12.0])) == 13
        assert vector_norm(np.array([1.0, -2.0, 7.0]), 1) == 10
        assert vector_norm(np.array([1.0, 4.0, 8.0])) == 9

    @unhurried
    @given(pairs, powers, st.floats(-1e3, 1e3))
    def test_it_is_a_norm(self, pair, p, factor):
        x, y = pair
        rounding = SUMS * (np.abs(pair).max() * pair.size + 1e-300)
        assert vector_norm(x + y, p) <= vector_norm(x, p) + vector_norm(y, p) + rounding
        assert vector_norm(factor * x, p) == pytest.approx(abs(factor) * vector_norm(x, p), rel=SEVERAL)
        assert (vector_norm(x, p) == 0) == (not x.any())

    @unhurried
    @given(pairs, st.floats(1, 20))
    def test_hoelders_inequality_holds_for_dual_exponents(self, pair, p):
        x, y = pair
        dual = p / (p - 1) if p > 1 else inf
        assert abs(x @ y) <= vector_norm(x, p) * vector_norm(y, dual) * (1 + SEVERAL) + 1e-300

    def test_it_falls_with_p_down_to_the_maximum(self):
        x = draw(7)
        lengths = [vector_norm(x, p) for p in (1, 1.01, 2, 5, 100, 1e4, 1e10, 1e300, inf)]
        assert lengths == sorted(lengths, reverse=True)
        assert lengths[-2] == lengths[-1] == np.abs(x).max()

    def test_infinite_and_missing_coordinates_stay_visible(self):
        x = np.array([[inf, -inf, 1.0], [np.nan, 1.0, inf], [0.0, 0.0, -0.0]])
        for p in POWERS:
            for lengths in (vector_norm(x, p), vector_norm(torch.tensor(x), p).numpy()):
                np.testing.assert_array_equal(lengths, [inf, np.nan, 0])


class TestGradient:
    @pytest.mark.parametrize("p", POWERS)
    def test_it_is_right(self, p):
        x = torch.tensor(draw(2, 3, 5), requires_grad=True)
        assert torch.autograd.gradcheck(lambda x: vector_norm(x, p, axis=1), x)

    def test_second_derivatives_of_the_length_project_onto_what_is_orthogonal(self):
        x = torch.tensor(draw(5), requires_grad=True)
        (gradient,) = torch.autograd.grad(vector_norm(x), x, create_graph=True)
        hessian = [torch.autograd.grad(slope, x, retain_graph=True)[0].numpy() for slope in gradient]
        expected = (np.eye(5) - np.outer(draw(5), draw(5)) / (draw(5) @ draw(5))) / np.linalg.norm(draw(5))
        np.testing.assert_allclose(hessian, expected, rtol=0, atol=FEW)

    @pytest.mark.parametrize("size", [1e-300, 1e-200, 1e200, 1e300])
    @pytest.mark.parametrize("p", POWERS)
    def test_it_does_not_depend_on_the_size_of_the_coordinates(self, p, size):
        def gradient(x):
            x = torch.tensor(x, requires_grad=True)
            vector_norm(x, p).backward()
            return x.grad

        torch.testing.assert_close(gradient(draw(7) * size), gradient(draw(7)), rtol=SINGULAR, atol=0)

    def test_the_one_of_a_long_vector_keeps_its_digits_in_single_precision(self):
        x = torch.full((100_003,), 0.1, requires_grad=True)
        for p in (2, 3):
            (gradient,) = torch.autograd.grad(vector_norm(x, p), x)
            torch.testing.assert_close(gradient, torch.full_like(x, len(x) ** (1 / p - 1)), rtol=SINGLE, atol=0)

    @pytest.mark.parametrize("x", [[0.0, 0.0, 0.0], [1.0, 0.0, -2.0], [2.0, -2.0, 1.0]])
    @pytest.mark.parametrize("p", POWERS)
    def test_at_a_kink_it_is_a_subgradient(self, p, x):
        x = torch.tensor(x, dtype=torch.float64, requires_grad=True)
        length = vector_norm(x, p)
        length.backward()
        others = torch.tensor(draw(101, 3))
        assert (vector_norm(others, p) >= length + (others - x) @ x.grad - SEVERAL).all()

    @pytest.mark.parametrize("p", POWERS)
    def test_it_is_zero_at_a_zero_vector_and_shared_equally_between_ties_for_the_maximum(self, p):
        x = torch.zeros(2, 3, requires_grad=True)
        vector_norm(x, p).sum().backward()
        assert x.grad.tolist() == [[0, 0, 0], [0, 0, 0]]
        x = torch.tensor([2.0, -2.0, 1.0], requires_grad=True)
        vector_norm(x, inf).backward()
        assert x.grad.tolist() == [0.5, -0.5, 0]


class TestMatrixNorm:
    @pytest.mark.parametrize("kind", OF_NUMPY)
    @pytest.mark.parametrize("shape", [(3, 5), (5, 3), (1, 7), (7, 1), (1, 1), (5, 5)])
    def test_it_agrees_with_numpy(self, kind, shape):
        a = draw(*shape)
        assert matrix_norm(a, kind) == pytest.approx(np.linalg.norm(a, OF_NUMPY[kind]), rel=SINGULAR)

    @pytest.mark.parametrize("kind", ["spectral", "nuclear"])
    @pytest.mark.parametrize("shape", [(3, 5), (5, 3), (1, 7), (7, 1), (1, 1), (5, 5)])
    def test_it_agrees_with_the_singular_values_of_this_book(self, kind, shape):
        a = draw(*shape)
        expected = {"spectral": svd(a)[1].max(), "nuclear": svd(a)[1].sum()}[kind]
        assert matrix_norm(a, kind) == pytest.approx(expected, rel=SINGULAR)

    @pytest.mark.parametrize("kind", KINDS)
    def test_stacks_of_matrices_are_measured_in_every_precision(self, backend, kind):
        a = draw(2, 3, 5)
        x = np.abs(backend.like(a))
        expected = {
            "frobenius": (x**2).sum((1, 2)) ** 0.5,
            "one": x.sum(1).max(1),
            "inf": x.sum(2).max(1),
            "max": x.max((1, 2)),
            "spectral": [svd(it)[1].max() for it in backend.like(a)],
            "nuclear": [svd(it)[1].sum() for it in backend.like(a)],
        }[kind]
        found = backend.read(matrix_norm(backend.array(a), kind))
        np.testing.assert_allclose(found, expected, rtol=backend.tolerance)

    @pytest.mark.parametrize("size", [1e-300, 1e-200, 1e-150, 1e150, 1e200, 1e300])
    @pytest.mark.parametrize("kind", KINDS)
    def test_digits_are_right_whatever_the_size_of_the_entries(self, kind, size):
        a = draw(5, 3)
        assert matrix_norm(a * size, kind) / size == pytest.approx(matrix_norm(a, kind), rel=SEVERAL)

    @unhurried
    @given(matrices, st.sampled_from(KINDS))
    def test_transposing_exchanges_one_and_inf_and_leaves_the_others(self, a, kind):
        other = {"one": "inf", "inf": "one"}.get(kind, kind)
        assert matrix_norm(a.T, other) == pytest.approx(matrix_norm(a, kind), rel=SINGULAR)

    @pytest.mark.parametrize(("kind", "p"), [("one", 1), ("spectral", 2), ("inf", inf)])
    def test_it_is_the_most_that_the_matrix_lengthens_a_vector_and_some_vector_shows_it(self, kind, p):
        a = draw(5, 3)
        x = np.random.default_rng(1).normal(size=(1009, 3))
        assert (vector_norm(x @ a.T, p) <= matrix_norm(a, kind) * vector_norm(x, p) * (1 + SEVERAL)).all()
        longest = {
            "one": np.eye(3)[np.abs(a).sum(0).argmax()],
            "inf": np.sign(a[np.abs(a).sum(1).argmax()]),
            "spectral": np.linalg.svd(a)[2][0],
        }[kind]
        assert vector_norm(a @ longest, p) == pytest.approx(matrix_norm(a, kind) * vector_norm(longest, p), rel=SEVERAL)

    @pytest.mark.parametrize("kind", KINDS)
    def test_the_norm_of_a_product_is_at_most_the_product_of_norms_except_for_the_largest_entry(self, kind):
        for seed in range(7):
            a, b = np.random.default_rng(seed).normal(size=(2, 5, 5))
            if kind != "max":
                assert matrix_norm(a @ b, kind) <= matrix_norm(a, kind) * matrix_norm(b, kind)
        ones = np.ones((2, 2))
        assert matrix_norm(ones @ ones, "max") == 2 * matrix_norm(ones, "max") ** 2

    @unhurried
    @given(matrices)
    def test_they_bound_one_another(self, a):
        rank, (m, n), slack = min(a.shape), a.shape, 1 + SINGULAR
        frobenius, one, row, largest, spectral, nuclear = (matrix_norm(a, kind) for kind in KINDS)
        assert spectral <= frobenius * slack
        assert frobenius <= nuclear * slack
        assert nuclear <= math.sqrt(rank) * frobenius * slack
        assert frobenius <= math.sqrt(rank) * spectral * slack
        assert spectral <= math.sqrt(one) * math.sqrt(row) * slack
        assert largest <= spectral * slack
        assert spectral <= math.sqrt(m * n) * largest * slack

    def test_orthogonal_matrices_and_permutations_have_known_norms(self):
        turn = np.array([[0.6, -0.8], [0.8, 0.6]])
        expected = [math.sqrt(2), 1.4, 1.4, 0.8, 1, 2]
        assert [matrix_norm(turn, kind) for kind in KINDS] == pytest.approx(expected, rel=FEW)

    @pytest.mark.parametrize("kind", KINDS)
    def test_zeros_have_norm_zero_and_precision_is_kept(self, kind):
        assert matrix_norm(np.zeros((2, 3)), kind) == 0
        for dtype in (np.float16, np.float32):
            assert matrix_norm(draw(2, 3).astype(dtype), kind).dtype == dtype

    @pytest.mark.parametrize("kind", KINDS)
    def test_gradients_are_right(self, kind):
        a = torch.tensor(draw(2, 3, 5), requires_grad=True)
        assert torch.autograd.gradcheck(lambda a: matrix_norm(a, kind), a)


class TestEquivalence:
    @unhurried
    @given(pairs, powers, powers)
    def test_each_norm_lies_between_multiples_of_the_other(self, pair, p, q):
        low, high = equivalence_constants(p, q, pair.shape[1])
        for x in pair:
            assert low * vector_norm(x, q) <= vector_norm(x, p) * (1 + SEVERAL)
            assert vector_norm(x, p) <= high * vector_norm(x, q) * (1 + SEVERAL)

    @pytest.mark.parametrize("p", POWERS)
    @pytest.mark.parametrize("q", POWERS)
    def test_both_bounds_are_reached(self, p, q):
        ratios = [vector_norm(x, p) / vector_norm(x, q) for x in (np.eye(7)[2], np.ones(7))]
        assert equivalence_constants(p, q, 7) == pytest.approx((min(ratios), max(ratios)), rel=SEVERAL)

    def test_for_one_and_two_they_are_one_and_the_square_root_of_n(self):
        assert equivalence_constants(1, 2, 9) == (1, 3)
        assert equivalence_constants(inf, 1, 4) == (0.25, 1)


class TestUnitCircle:
    @pytest.mark.parametrize("p", [1, 1.5, 2, 7, 1e3, inf])
    def test_all_its_points_have_length_one(self, p):
        np.testing.assert_allclose(vector_norm(unit_circle(p), p), 1, rtol=SEVERAL)

    @pytest.mark.parametrize("p", [0.5, 1, 1.5, 2, 4, inf])
    def test_it_encloses_the_area_that_the_gamma_function_gives(self, p):
        x, y = unit_circle(p, 40_001).T
        area = 0.5 * np.sum(x[:-1] * y[1:] - x[1:] * y[:-1])
        assert area == pytest.approx(4 * math.gamma(1 + 1 / p) ** 2 / math.gamma(1 + 2 / p), rel=POLYGON)

    def test_it_starts_and_ends_on_the_first_axis_and_meets_both(self):
        points = unit_circle(0.01, 5)
        assert points.tolist() == [[1, 0], [0, 1], [-1, 0], [0, -1], [1, 0]]

    def test_below_one_it_bends_inwards(self):
        halfway = unit_circle(0.5, 9)[1]
        assert halfway == pytest.approx([0.25, 0.25], rel=FEW)
        assert (unit_circle(1e-3)[:, 0] < 2).all()


class TestNearestToZero:
    @unhurried
    @given(arrays(np.float64, st.integers(1, 7), elements=st.floats(-1e3, 1e3)), st.floats(-1e3, 1e3), powers)
    def test_its_length_is_what_hoelders_inequality_allows_and_no_point_is_shorter(self, a, b, p):
        assume(np.abs(a).max() > 1e-3)
        x, q = nearest_to_zero(a, b, p), inf if p == 1 else 1 / (1 - 1 / p)
        assert a @ x == pytest.approx(b, rel=SEVERAL, abs=TINY)
        assert vector_norm(x, p) == pytest.approx(abs(b) / vector_norm(a, q), rel=SEVERAL, abs=TINY)

    def test_for_two_it_is_the_projection_of_zero(self):
        a = draw(7)
        np.testing.assert_allclose(nearest_to_zero(a, -3.0), -3 * a / (a @ a), rtol=SEVERAL)
        np.testing.assert_allclose(nearest_to_zero(a, 2.0), np.linalg.lstsq(a[None], [2.0])[0], rtol=SEVERAL)

    @pytest.mark.parametrize("p", [0.5, 0.9, 1])
    def test_up_to_one_all_coordinates_but_one_are_zero(self, p):
        assert nearest_to_zero([1.0, -4.0, 2.0], 3.0, p).tolist() == [0, -0.75, 0]
        assert nearest_to_zero([2, -2], 1, p).tolist() == [0.5, 0]

    @pytest.mark.parametrize("p", [0.5, 0.9, 1, 1.2, 3, inf])
    def test_no_point_of_the_line_has_a_smaller_sum_of_powers(self, p):
        a, along = np.array([0.5, -0.8]), np.linspace(-20, 20, 80_001)
        others = np.stack([along, (1 - 0.5 * along) / -0.8])
        x = nearest_to_zero(a, 1.0, p)
        assert np.linalg.norm(x, p) <= np.linalg.norm(others, p, axis=0).min() * (1 + SEVERAL)

    def test_for_infinity_all_that_count_are_equally_large(self):
        assert nearest_to_zero([1.0, -3.0, 0.0], 2.0, inf).tolist() == [0.5, -0.5, 0]
        assert nearest_to_zero([1.0, -3.0], 0.0, inf).tolist() == [0, 0]

    def test_powers_near_one_and_coefficients_of_any_size_do_no_harm(self):
        assert nearest_to_zero([1.0, 0.5], 1.0, 1 + 1e-12).tolist() == [1, 0]
        for size in (1e-200, 1e200):
            np.testing.assert_allclose(nearest_to_zero([3 * size, 4 * size], size), [3 / 25, 4 / 25], rtol=SEVERAL)

    def test_coefficients_beside_the_largest_float_do_no_harm(self):
        for size in (1e308, 5e-324):
            assert nearest_to_zero([size, -size], size).tolist() == [0.5, -0.5]

    @pytest.mark.parametrize("dtype", [np.int8, np.float16, np.float32, np.float64])
    def test_whatever_the_coefficients_are_kept_in_the_point_is_double(self, dtype):
        x = nearest_to_zero(np.array([-128, 1], dtype), 3.0)
        assert x.dtype == np.float64
        np.testing.assert_allclose(x, np.array([-384, 3]) / 16385, rtol=SEVERAL)


class TestBadInput:
    @pytest.mark.parametrize("p", [0.5, 0, -inf, -1, np.nan])
    def test_powers_below_one_are_no_norms(self, p):
        for f in (
            lambda: vector_norm(np.ones(2), p),
            lambda: equivalence_constants(p, 2, 3),
            lambda: equivalence_constants(1, p, 3),
        ):
            with pytest.raises(ValueError, match=f"p must be at least 1.* got {p}"):
                f()

    def test_below_one_the_triangle_inequality_indeed_fails(self):
        x, y = np.eye(2)
        assert np.linalg.norm(x + y, 0.5) > np.linalg.norm(x, 0.5) + np.linalg.norm(y, 0.5)

    @pytest.mark.parametrize("f", [vector_norm, matrix_norm])
    def test_whole_numbers_are_refused(self, f):
        with pytest.raises(ValueError, match="must hold floating-point numbers, got dtype int64"):
            f(np.ones((2, 3), int))

    def test_empty_and_missing_axes_are_refused(self):
        with pytest.raises(ValueError, match=r"x must not be empty along axis -1, got shape \(2, 0\)"):
            vector_norm(np.ones((2, 0)))
        with pytest.raises(ValueError, match="one of x's 1 axes, got axis 1"):
            vector_norm(torch.ones(3), axis=1)
        for kind in KINDS:
            with pytest.raises(ValueError, match=r"a must not be empty along axis -2, got shape \(0, 3\)"):
                matrix_norm(np.ones((0, 3)), kind)
            with pytest.raises(ValueError, match="one of a's 1 axes, got axis -2"):
                matrix_norm(np.ones(3), kind)

    def test_unknown_kinds_are_refused_with_the_known_ones(self):
        with pytest.raises(ValueError, match="one of frobenius, one, inf, max, spectral, nuclear, got 'fro'"):
            matrix_norm(np.eye(2), "fro")

    @pytest.mark.parametrize("kind", ["spectral", "nuclear"])
    def test_singular_values_are_taken_of_finite_matrices_only(self, kind):
        for bad, array in ((np.nan, np.array), (inf, torch.tensor)):
            with pytest.raises(ValueError, match=f"finite numbers, got {bad}"):
                matrix_norm(array([[1.0, bad]]), kind)

    def test_bad_sizes_are_refused(self):
        with pytest.raises(ValueError, match="n must be positive, got 0"):
            equivalence_constants(1, 2, 0)
        for f in (lambda: unit_circle(0), lambda: nearest_to_zero([1.0], 1.0, 0)):
            with pytest.raises(ValueError, match="p must be positive, got 0"):
                f()
        with pytest.raises(ValueError, match="a must hold floating-point numbers, got dtype int64"):
            matrix_norm(np.ones((2, 2), int))
        with pytest.raises(ValueError, match="n_points must be at least 2, got 1"):
            unit_circle(2, 1)

    def test_a_line_must_be_one(self):
        with pytest.raises(ValueError, match="a must not hold only zeros"):
            nearest_to_zero(np.zeros(2), 1.0)
        for p in (0.5, 1, 2, inf):
            with pytest.raises(ValueError, match=r"must not exceed the largest float, 1\.8e\+308, got 1\.0 / 1e-310"):
                nearest_to_zero([1e-310, 0.0], 1.0, p)
        with pytest.raises(ValueError, match=r"a must be a vector with at least one entry, got shape \(1, 2\)"):
            nearest_to_zero(np.ones((1, 2)), 1.0)
        with pytest.raises(ValueError, match="b must hold finite numbers, got inf"):
            nearest_to_zero(np.ones(2), inf)
        with pytest.raises(ValueError, match=r"b must be a real number, got array\(\[1., 1.\]\)"):
            nearest_to_zero(np.ones(2), np.ones(2))

    @pytest.mark.parametrize("p", [None, [2], "2"])
    def test_a_power_must_be_a_number(self, p):
        for f in (
            lambda: vector_norm(np.ones(2), p),
            lambda: equivalence_constants(p, 2, 3),
            lambda: unit_circle(p),
            lambda: nearest_to_zero(np.ones(2), 1.0, p),
        ):
            with pytest.raises(ValueError, match="p must be a real number, got "):
                f()
