"""The singular value decomposition, and what is read off it."""

import functools
import math

import mpmath
import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st
from linear_algebra import MATRICES, any_matrix, backward_error, rounding, with_condition
from sklearn.datasets import load_digits

from mlnotes.blocks import svd as module
from mlnotes.blocks.svd import count_above, fundamental_subspaces, low_rank, one_sided_jacobi, pinv, rank, svd

# A rounding is 1.1e-16.
FEW = 1e-15  # two rows: at most 8 roundings
SEVERAL = 1e-14  # a product of at most 5 parts, up to 2.3, or one quotient
TURNS = 1e-13  # singular values and spaces of at most 17 rows: some 500 roundings of numbers around 1; measured: 2e-15
LARGE = 1e-12  # the same of sums up to 54, or of a pseudoinverse whose condition is ten; measured: 4e-14
LOST = 0.01  # not even two digits
CIRCLE = 1e-8  # points on a circle come as near as half of their distance, squared; measured: 3e-10

EPS = np.finfo(float).eps
unhurried = settings(deadline=None, max_examples=50)


def draw(m, n, seed=0):
    return np.random.default_rng(seed).normal(size=(m, n))


def off_orthonormal(q):
    return np.linalg.norm(q.T @ q - np.eye(q.shape[1]))


def assert_decomposes(a):
    u, s, vt = svd(a)
    k = min(a.shape)
    assert (u.shape, s.shape, vt.shape) == ((a.shape[0], k), (k,), (k, a.shape[1]))
    assert (s >= 0).all()
    assert (np.diff(s) <= 0).all()
    assert backward_error(a, u * s @ vt) <= rounding(a)
    assert off_orthonormal(u) <= rounding(a)
    assert off_orthonormal(vt.T) <= rounding(a)
    return s


@pytest.mark.parametrize("name", MATRICES)
def test_backward_error_and_orthogonality_stay_within_fifty_n_eps(name):
    assert_decomposes(MATRICES[name])


@unhurried
@given(any_matrix)
def test_so_they_do_for_any_matrix(a):
    assert_decomposes(a)


@pytest.mark.parametrize("name", MATRICES)
def test_singular_values_agree_with_lapack(name):
    a = MATRICES[name]
    expected = scipy.linalg.svd(a, compute_uv=False)
    np.testing.assert_allclose(svd(a)[1], expected, rtol=0, atol=rounding(a) * expected[0])


def test_single_precision_stays_single_and_integers_become_floats():
    a = draw(7, 5).astype(np.float32)
    u, s, vt = svd(a)
    assert {x.dtype for x in (u, s, vt, pinv(a), low_rank(a, 2))} == {np.dtype(np.float32)}
    assert backward_error(a, u * s @ vt) <= rounding(a)
    assert off_orthonormal(u) <= 2 * rounding(a)
    assert svd(np.array([[3, 0], [4, 5]]))[1] == pytest.approx([math.sqrt(45), math.sqrt(5)], rel=FEW)


def test_a_circle_becomes_an_ellipse_whose_axes_are_singular_vectors():
    a, angles = draw(2, 2), np.linspace(0, np.pi, 100_001)
    circle = np.stack([np.cos(angles), np.sin(angles)])
    lengths = np.linalg.norm(a @ circle, axis=0)
    u, s, vt = svd(a)
    assert [lengths.max(), lengths.min()] == pytest.approx(s, rel=CIRCLE)
    assert abs(vt[0] @ circle[:, lengths.argmax()]) == pytest.approx(1, abs=CIRCLE)
    np.testing.assert_allclose(a @ vt.T, u * s, rtol=0, atol=FEW)


def test_small_singular_values_of_graded_columns_keep_all_digits_where_lapack_loses_them():
    a = draw(5, 5) * 10.0 ** np.array([0, -20, -5, -40, -10])
    with mpmath.workdps(120):
        exact = [float(x) for x in mpmath.svd_r(mpmath.matrix(a.tolist()), compute_uv=False)]
    np.testing.assert_allclose(svd(a)[1], exact, rtol=TURNS)
    assert not np.allclose(scipy.linalg.svd(a, compute_uv=False), exact, rtol=LOST, atol=0)


def test_eigenvalues_of_the_gram_matrix_lose_half_the_digits_and_jacobi_does_not():
    a = with_condition(13, 7, 1e7)
    exact = np.logspace(0, -7, 7)
    squared = np.sqrt(np.linalg.eigvalsh(a.T @ a))[::-1]
    assert abs(squared[-1] / exact[-1] - 1) > 1e-5
    assert abs(svd(a)[1][-1] / exact[-1] - 1) < 1e-8


@pytest.mark.parametrize("exponent", [-300, -150, 150, 300])
def test_scaling_by_a_power_of_two_scales_the_singular_values_and_nothing_else(exponent):
    a = draw(7, 5)
    scaled = svd(np.ldexp(a, exponent))
    for found, expected in zip(scaled, svd(a), strict=True):
        np.testing.assert_array_equal(np.ldexp(found, -exponent) if found.ndim == 1 else found, expected)


def test_columns_become_orthogonal_at_least_quadratically_in_the_end():
    cosines = one_sided_jacobi(draw(17, 11)).cosines
    late = cosines[(cosines < 1e-2) & (cosines > 1e-15)]
    assert len(late) >= 2
    assert (late[1:] <= late[:-1] ** 2 * 10 + 1e-15).all()


def test_stopped_early_the_product_is_right_and_the_result_says_that_it_did_not_converge():
    a = draw(11, 7)
    found = one_sided_jacobi(a, sweeps=2)
    assert not found.converged
    assert len(found.cosines) == 2
    assert backward_error(a, found.u * found.s @ found.vt) <= rounding(a)
    assert off_orthonormal(found.u) > 1e-6


def test_svd_raises_rather_than_return_what_has_not_converged(monkeypatch):
    monkeypatch.setattr(module, "one_sided_jacobi", functools.partial(one_sided_jacobi, sweeps=2))
    with pytest.raises(np.linalg.LinAlgError, match="two columns still have the cosine"):
        svd(draw(11, 7))


PENROSE = {
    "A P A = A": lambda a, p: (a @ p @ a, a),
    "P A P = P": lambda a, p: (p @ a @ p, p),
    "A P is symmetric": lambda a, p: (a @ p, (a @ p).T),
    "P A is symmetric": lambda a, p: (p @ a, (p @ a).T),
}


@pytest.mark.parametrize("condition", PENROSE)
@pytest.mark.parametrize(
    "name",
    ["square", "tall", "wide", "rank 3 of 11", "rank 3 of 5, wide", "zeros", "zero column first", "equal columns"],
)
def test_pseudoinverse_satisfies_the_four_conditions_of_penrose(name, condition):
    a = MATRICES[name]
    p = pinv(a)
    found, expected = PENROSE[condition](a, p)
    size = np.linalg.norm(a, 2) * np.linalg.norm(p, 2)  # the condition number: rounding errors grow by that much
    np.testing.assert_allclose(
        found, expected, rtol=0, atol=rounding(a) * max(size, 1) * max(1, np.abs(expected).max())
    )


@unhurried
@given(st.integers(1, 7), st.integers(1, 7), st.integers(0, 7), st.integers(0, 99))
def test_pseudoinverse_and_rank_agree_with_numpy_for_every_shape_and_rank(m, n, r, seed):
    rng = np.random.default_rng(seed)
    r = min(m, n, r)
    left, right = (np.linalg.qr(rng.normal(size=(size, r)))[0] for size in (m, n))
    a = left * rng.uniform(1, 10, r) @ right.T
    assert rank(a) == r == np.linalg.matrix_rank(a)
    np.testing.assert_allclose(pinv(a), np.linalg.pinv(a), rtol=0, atol=TURNS)


@pytest.mark.parametrize("size", [1e-150, 1e150])
def test_pseudoinverse_and_rank_do_not_depend_on_the_size_of_the_entries(size):
    a = draw(7, 2) @ draw(2, 5, 1)
    assert rank(a * size) == 2
    np.testing.assert_allclose(pinv(a * size) * size, pinv(a), rtol=0, atol=LARGE)


def test_tolerance_decides_what_counts_as_zero_relative_to_the_largest_singular_value():
    a = 1000 * np.diag([1.0, 1e-3, 1e-6])
    assert [rank(a, t) for t in (0, 1e-7, 1e-5, 1e-2, 1)] == [3, 3, 2, 1, 0]
    np.testing.assert_allclose(pinv(a, 1e-5), np.diag([1e-3, 1.0, 0.0]), rtol=SEVERAL)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("tolerance", [1e39, 1e308, np.float32(3e38), np.float64(1e308)])
def test_however_large_a_tolerance_is_nothing_counts_beyond_it(recwarn, dtype, tolerance):
    a = 1000 * np.diag([1.0, 1e-3, 1e-6]).astype(dtype)
    for matrix in (a, 0 * a):
        assert rank(matrix, tolerance) == 0
        assert not pinv(matrix, tolerance).any()
        assert fundamental_subspaces(matrix, tolerance).column_space.shape == (3, 0)
    assert not recwarn


def test_an_inverse_that_is_no_float_is_refused():
    with pytest.raises(ValueError, match="the inverse must not exceed the largest float"):
        pinv(np.full((1, 1), 1e-310))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_without_a_tolerance_what_rounding_can_do_to_the_largest_counts_as_zero(dtype):
    least = 7 * float(np.finfo(dtype).eps)
    for scale in (2.0**-90, 1.0, 2.0**90):
        s = np.array([1.0, 2 * least, least, 0.0], dtype) * dtype(scale)
        assert [count_above(s, it, (7, 4)) for it in (None, 0.0, least / 2, 2 * least, 1.0)] == [2, 3, 3, 1, 0]
    assert count_above(np.zeros(3, dtype), None, (7, 3)) == 0


def test_no_matrix_of_the_same_rank_is_nearer():
    a, k = draw(7, 5), 2
    s = np.linalg.svd(a, compute_uv=False)
    left = a - low_rank(a, k)
    assert np.linalg.norm(left, 2) == pytest.approx(s[k], rel=TURNS)
    assert np.linalg.norm(left) == pytest.approx(np.linalg.norm(s[k:]), rel=TURNS)
    assert np.linalg.matrix_rank(low_rank(a, k)) == k
    u, v = np.linalg.qr(draw(7, k, 1))[0], np.linalg.qr(draw(5, k, 2))[0]
    for other in (u @ u.T @ a, a @ v @ v.T, low_rank(a + 1e-3 * draw(7, 5, 3), k)):
        assert np.linalg.norm(a - other, 2) >= s[k] * (1 - 1e-13)
        assert np.linalg.norm(a - other) > np.linalg.norm(s[k:])


def test_low_rank_goes_from_nothing_to_everything():
    a = draw(5, 7)
    np.testing.assert_array_equal(low_rank(a, 0), np.zeros((5, 7)))
    np.testing.assert_allclose(low_rank(a, 5), a, rtol=0, atol=SEVERAL)
    for k in (-1, 6):
        with pytest.raises(ValueError, match=rf"between 0 and 5 for a matrix of shape \(5, 7\), got {k}"):
            low_rank(a, k)


def test_half_of_the_rank_of_a_real_image_is_most_of_the_image():
    image = load_digits().images[3]
    s = np.linalg.svd(image, compute_uv=False)
    errors = [np.linalg.norm(image - low_rank(image, k)) for k in range(9)]
    np.testing.assert_allclose(errors, [np.linalg.norm(s[k:]) for k in range(9)], rtol=0, atol=LARGE)
    assert errors[4] < errors[0] / 8


@pytest.mark.parametrize("name", ["square", "tall", "wide", "rank 3 of 11", "rank 3 of 5, wide", "zeros", "1e150"])
def test_four_subspaces_are_what_they_are_called(name):
    a = MATRICES[name]
    m, n = a.shape
    spaces, r = fundamental_subspaces(a), np.linalg.matrix_rank(a)
    assert [x.shape for x in spaces] == [(m, r), (m, m - r), (n, r), (n, n - r)]
    assert off_orthonormal(np.hstack(spaces[:2])) <= rounding(a)
    assert off_orthonormal(np.hstack(spaces[2:])) <= rounding(a)
    scaled = a / (np.abs(a).max() or 1)
    np.testing.assert_allclose(scaled @ spaces.null_space, 0, rtol=0, atol=TURNS)
    np.testing.assert_allclose(scaled.T @ spaces.left_null_space, 0, rtol=0, atol=TURNS)
    np.testing.assert_allclose(spaces.column_space @ (spaces.column_space.T @ scaled), scaled, rtol=0, atol=TURNS)
    np.testing.assert_allclose(scaled @ spaces.row_space @ spaces.row_space.T, scaled, rtol=0, atol=TURNS)
    for ours, theirs in ((spaces.null_space, scipy.linalg.null_space(a)), (spaces.column_space, scipy.linalg.orth(a))):
        np.testing.assert_allclose(ours @ ours.T, theirs @ theirs.T, rtol=0, atol=LARGE)


@pytest.mark.parametrize("f", [svd, pinv, rank, one_sided_jacobi, fundamental_subspaces, lambda a: low_rank(a, 1)])
class TestBadInput:
    def test_what_is_no_matrix_is_refused_with_its_shape(self, f):
        for shape in ((3,), (2, 3, 5), (0, 3), (3, 0)):
            with pytest.raises(ValueError, match=rf"matrix with at least one row and column, got shape \({shape[0]},"):
                f(np.ones(shape))

    @pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
    def test_what_is_not_finite_is_refused_with_its_value(self, f, bad):
        with pytest.raises(ValueError, match=f"a must hold finite numbers, got {bad}"):
            f(np.array([[1.0, 2.0], [3.0, bad]]))

    def test_complex_numbers_are_refused(self, f):
        with pytest.raises(ValueError, match="must hold real numbers, got dtype complex128"):
            f(np.eye(3) * 1j)

    def test_singular_values_that_are_no_floats_are_refused(self, f):
        with pytest.raises(ValueError, match="the singular values of a must not exceed the largest float"):
            f(np.full((3, 3), 1.7e308))


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf])
@pytest.mark.parametrize("f", [pinv, rank, fundamental_subspaces])
def test_a_tolerance_that_is_none_is_refused(f, bad):
    with pytest.raises(ValueError, match=f"tolerance must be finite and not negative, got {bad}"):
        f(np.eye(3), bad)


@pytest.mark.parametrize(("number", "rule"), [(-1, "not be negative, got -1"), (2.5, "be an integer, got 2.5")])
def test_a_number_of_sweeps_that_is_none_is_refused(number, rule):
    with pytest.raises(ValueError, match=f"sweeps must {rule}"):
        one_sided_jacobi(np.eye(3), sweeps=number)


def test_a_rank_between_two_integers_is_refused():
    with pytest.raises(ValueError, match=r"k must be an integer, got 2\.5"):
        low_rank(np.eye(3), 2.5)
