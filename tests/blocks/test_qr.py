"""QR decomposition in four ways, and what rounding does to each."""

import contextlib
import math

import mpmath
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

from mlnotes.blocks.qr import (
    blocked_qr,
    compact_wy,
    givens_qr,
    givens_rotation,
    gram_schmidt,
    householder_qr,
    householder_vector,
    modified_gram_schmidt,
    qr_multiply_adds,
)

# A rounding is 1.1e-16.
FEW = 1e-15  # at most 8 roundings of numbers up to 1
SEVERAL = 1e-14  # reflections of at most 17 coordinates, of length 1 or 2: 17 products and as many roundings
PRODUCTS = 1e-13  # products over at most 17 rows, up to 16: 17 * 16 * 1.1e-16 = 3e-14, and their factors
FLAT = 0.03  # ten standard deviations: one matrix gives 0 with 0.006, five of them with 0.003
NEXT_ORDER = 2e-3  # what is left out of 4/3 n³ is 1.9 over n, here 1,024
FACTORS = 1e-12  # the condition of the matrix, some tens, times 100 roundings of numbers up to 3; measured: 2.5e-14

unhurried = settings(deadline=None, max_examples=50)
ORTHOGONAL = {
    "householder_qr": householder_qr,
    "givens_qr": givens_qr,
    "blocked_qr": blocked_qr,
    "blocked_qr in blocks of 3": lambda a: blocked_qr(a, 3),
}
PROJECTING = {"gram_schmidt": gram_schmidt, "modified_gram_schmidt": modified_gram_schmidt}
ALL = ORTHOGONAL | PROJECTING
orthogonal = pytest.mark.parametrize("factorize", ORTHOGONAL.values(), ids=ORTHOGONAL)
projecting = pytest.mark.parametrize("factorize", PROJECTING.values(), ids=PROJECTING)
all_four = pytest.mark.parametrize("factorize", ALL.values(), ids=ALL)

# Wide, with first columns that span less than the others.
NOT_SPANNED = {"rank 3 of 5, wide"}


def orthogonality_loss(q):
    """Measure how far the columns are from orthonormal: the Frobenius norm of QᵀQ - I."""
    q = np.asarray(q, float)
    return np.linalg.norm(q.T @ q - np.eye(q.shape[1]))


def require_qr(a, q, r):
    m, n = a.shape
    assert q.shape == (m, min(m, n))
    assert r.shape == (min(m, n), n)
    assert np.array_equal(np.tril(r, -1), np.zeros_like(r))
    assert backward_error(a, q @ r) <= rounding(a)


@pytest.mark.parametrize("name", MATRICES)
@orthogonal
def test_product_and_orthogonality_are_within_rounding_on_every_difficult_matrix(factorize, name):
    a = MATRICES[name]
    q, r = factorize(a)
    require_qr(a, q, r)
    assert orthogonality_loss(q) <= rounding(a)


@pytest.mark.parametrize("name", sorted(MATRICES.keys() - NOT_SPANNED))
@projecting
def test_the_product_is_within_rounding_also_where_orthogonality_is_not(factorize, name):
    q, r = factorize(MATRICES[name])
    require_qr(MATRICES[name], q, r)
    assert (np.diag(r) >= 0).all()


@unhurried
@given(any_matrix, st.integers(1, 5))
def test_product_and_orthogonality_are_within_rounding_on_whatever_hypothesis_finds(a, block):
    for q, r in (householder_qr(a), givens_qr(a), blocked_qr(a, block)):
        require_qr(a, q, r)
        assert orthogonality_loss(q) <= rounding(a)


@unhurried
@given(any_matrix)
def test_gram_schmidt_gives_the_product_and_refuses_nothing_but_wide_matrices(a):
    for factorize in PROJECTING.values():
        with contextlib.suppress(ValueError) if a.shape[0] < a.shape[1] else contextlib.nullcontext():
            require_qr(a, *factorize(a))


@pytest.mark.parametrize("shape", [(7, 7), (11, 5), (5, 11), (3, 1)])
@all_four
def test_factors_are_those_of_lapack_but_for_signs(factorize, shape):
    a = random_matrix(*shape)
    for ours, theirs in zip(factorize(a), scipy.linalg.qr(a, mode="economic"), strict=True):
        np.testing.assert_allclose(np.abs(ours), np.abs(theirs), rtol=0, atol=FACTORS)


@all_four
def test_r_is_the_cholesky_factor_of_the_gram_matrix_and_has_its_determinant(factorize):
    a = random_matrix(11, 5)
    _, r = factorize(a)
    np.testing.assert_allclose(r.T @ r, a.T @ a, rtol=0, atol=PRODUCTS)
    np.testing.assert_allclose(np.abs(r), np.abs(scipy.linalg.cholesky(a.T @ a)), rtol=0, atol=PRODUCTS)
    assert np.prod(np.diag(r)) ** 2 == pytest.approx(np.linalg.det(a.T @ a), rel=FACTORS)


@all_four
def test_precision_is_kept_whole_numbers_become_float64_and_the_input_is_left_alone(factorize):
    single = random_matrix(7, 5).astype(np.float32)
    before = single.copy()
    q, r = factorize(single)
    assert q.dtype == r.dtype == np.float32
    require_qr(single, q, r)
    assert orthogonality_loss(q) <= 100 * rounding(single)
    np.testing.assert_array_equal(single, before)
    q, r = factorize(np.array([[3, 1], [4, 2]]))
    np.testing.assert_allclose(q @ r, [[3, 1], [4, 2]], rtol=0, atol=FEW)


class TestLossOfOrthogonality:
    # The loss is a power of the condition number times a factor that rounding scatters from matrix to matrix (by a
    # factor of 2.6 for Gram-Schmidt, 1.3 for the modified form, whatever the kernels). A slope fitted to 11 conditions
    # of one matrix then has a standard deviation of 0.12 at most; the mean of 20 has 0.03. Besides, the bound's power
    # is reached only nearly on these matrices: the mean over any seeds is 2.12, and 0.91. Hence 0.12 + 5 * 0.03 = 0.27.
    def slope(self, factorize, seeds):
        exponents = np.arange(2, 7.5, 0.5)
        qs = [[factorize(with_condition(29, 23, 10**c, seed))[0] for c in exponents] for seed in range(seeds)]
        losses = [[orthogonality_loss(q) for q in of_one] for of_one in qs]
        return np.polyfit(exponents, np.log10(losses).mean(0), 1)[0]

    def test_gram_schmidt_loses_it_with_the_square_of_the_condition_number(self):
        assert self.slope(gram_schmidt, seeds=20) == pytest.approx(2, abs=0.27)

    def test_modified_gram_schmidt_loses_it_with_the_condition_number(self):
        assert self.slope(modified_gram_schmidt, seeds=20) == pytest.approx(1, abs=0.27)

    @orthogonal
    def test_reflections_and_rotations_do_not_lose_it(self, factorize):
        assert self.slope(factorize, seeds=5) == pytest.approx(0, abs=FLAT)

    def test_nothing_is_left_of_it_where_the_columns_are_dependent_but_for_rounding(self):
        a = with_condition(29, 23, 1e14)
        assert orthogonality_loss(gram_schmidt(a)[0]) > 1
        assert orthogonality_loss(modified_gram_schmidt(a)[0]) > 1e-5
        assert orthogonality_loss(householder_qr(a)[0]) < SEVERAL

    def test_the_example_of_lauchli_shows_it_in_three_columns(self):
        a = np.vstack([np.ones(3), 1e-8 * np.eye(3)])
        assert orthogonality_loss(gram_schmidt(a)[0]) == pytest.approx(math.sqrt(0.5), rel=SEVERAL)
        assert 1e-9 < orthogonality_loss(modified_gram_schmidt(a)[0]) < 1e-7


class TestEdges:
    @projecting
    def test_a_column_of_which_nothing_is_left_has_the_direction_zero(self, factorize):
        q, r = factorize(np.array([[0.0, 3.0, 6.0], [0.0, 4.0, 8.0], [0.0, 0.0, 0.0]]))
        assert q.T.tolist() == [[0, 0, 0], [0.6, 0.8, 0], [0, 0, 0]]
        assert r.tolist() == [[0, 0, 0], [0, 5, 10], [0, 0, 0]]

    @orthogonal
    def test_a_zero_column_has_a_zero_in_r_and_a_direction_like_any_other(self, factorize):
        q, r = factorize(np.array([[0.0, 3.0], [0.0, 4.0], [0.0, 0.0]]))
        assert r[:, 0].tolist() == [0, 0]
        assert np.linalg.norm(q, axis=0) == pytest.approx([1, 1], abs=FEW)

    @pytest.mark.parametrize("a", [[[0.0, 5.0]], [[1.0, 1.0, 0.0], [1.0, 1.0, 1.0]]])
    @projecting
    def test_wide_matrices_are_refused_where_the_first_columns_do_not_span_the_others(self, factorize, a):
        with pytest.raises(ValueError, match=f"first {len(a)} columns of a wide matrix must span the others"):
            factorize(np.array(a))
        almost = np.array([[1.0, 1.0, 0.0], [1.0, 1.0001, 1.0]])
        require_qr(almost, *factorize(almost))

    @all_four
    def test_a_leading_zero_is_no_reason_to_leave_a_column_as_it_is(self, factorize):
        a = np.array([[0.0, 1.0], [3.0, 2.0], [4.0, 5.0]])
        q, r = factorize(a)
        require_qr(a, q, r)
        assert abs(r[0, 0]) == 5

    @pytest.mark.parametrize("size", [1e-320, 1e-300, 1e-150, 1e150, 1e300, 1e307])
    @all_four
    def test_directions_do_not_depend_on_the_size_of_the_columns(self, factorize, size):
        a = np.array([[1.0, 7.0], [2.0, 0.0], [2.0, 5.0]])
        tolerance = 1e-3 if size == 1e-320 else 1e-14  # 1e-320 itself has 11 bits
        for sizes in (np.array([size, 1.0]), np.array([1.0, size]), np.array([size, size])):
            np.testing.assert_allclose(factorize(a * sizes)[0], factorize(a)[0], rtol=0, atol=tolerance)

    @all_four
    def test_columns_longer_than_the_largest_float_are_refused(self, factorize):
        with pytest.raises(ValueError, match=r"a must not exceed the largest float, 1\.8e\+308, got .* 2\*\*\d+$"):
            factorize(np.full((5, 2), 1.7e308))

    @orthogonal
    def test_columns_almost_that_long_are_not(self, factorize):
        q, r = factorize(np.full((3, 3), 1e308))
        assert orthogonality_loss(q) < SEVERAL
        assert abs(r[0, 0]) == pytest.approx(math.sqrt(3) * 1e308, rel=FEW)

    def test_rows_that_are_zero_already_are_not_rotated(self):
        a = np.triu(random_matrix(5, 5))
        q, r = givens_qr(a)
        assert np.array_equal(q, np.eye(5))
        assert np.array_equal(r, a)


class TestReflection:
    @unhurried
    @given(arrays(np.float64, st.integers(1, 7), elements=st.floats(allow_nan=False, allow_infinity=False)))
    def test_the_mirror_is_orthogonal_and_turns_the_vector_onto_the_first_axis(self, x):
        v, tau = householder_vector(x)
        assert v[0] == 1
        assert tau == 0 or 1 <= tau <= 2 + 1e-15
        np.testing.assert_allclose(tau * (v @ v), 2 if x.any() else 0, rtol=SEVERAL)
        x = x / (np.abs(x).max() or 1)
        reflected = x - tau * v * (v @ x)
        np.testing.assert_allclose(reflected[1:], 0, rtol=0, atol=SEVERAL)
        assert abs(reflected[0]) == pytest.approx(np.linalg.norm(x), rel=SEVERAL)
        assert reflected[0] * x[0] <= 0

    @unhurried
    @given(*[st.floats(allow_nan=False, allow_infinity=False)] * 2)
    def test_the_rotation_is_orthogonal_and_turns_the_vector_onto_the_first_axis(self, x, y):
        turn = givens_rotation(x, y)
        np.testing.assert_allclose(turn @ turn.T, np.eye(2), rtol=0, atol=FEW)
        assert np.linalg.det(turn) == pytest.approx(1, rel=FEW)
        size = max(abs(x), abs(y)) or 1
        along, across = turn @ [x / size, y / size]
        assert along == pytest.approx(math.hypot(x / size, y / size), rel=FEW)
        assert across == pytest.approx(0, abs=FEW)

    def test_small_vectors_give_the_digits_that_exact_arithmetic_gives(self):
        mpmath.mp.dps = 50
        x = np.array([1e-9, 3e-200, 2.0])
        length = mpmath.sqrt(mpmath.fsum(mpmath.mpf(float(value)) ** 2 for value in x))
        v, tau = householder_vector(x)
        first = mpmath.mpf(1e-9) + length
        np.testing.assert_allclose(v, [1, float(3e-200 / first), float(2 / first)], rtol=FEW)
        assert tau == pytest.approx(float(first / length), rel=FEW)

    def test_reflections_joined_in_one_product_are_the_reflections_one_by_one(self):
        v = np.tril(random_matrix(11, 3))
        v[range(3), range(3)] = 1
        tau = 2 / (v * v).sum(0)
        tau[1] = 0
        expected = np.eye(11)
        for j in range(3):
            expected = expected @ (np.eye(11) - tau[j] * np.outer(v[:, j], v[:, j]))
        t = compact_wy(v, tau)
        assert np.array_equal(np.tril(t, -1), np.zeros((3, 3)))
        np.testing.assert_allclose(np.eye(11) - v @ t @ v.T, expected, rtol=0, atol=SEVERAL)


class TestCount:
    @pytest.mark.parametrize(("m", "n"), [(13, 13), (17, 5), (5, 17)])
    @pytest.mark.parametrize("block", [1, 3, 5, 64])
    def test_multiply_adds_are_those_that_are_done(self, m, n, block):
        assert qr_multiply_adds(m, n, block) == count_multiply_adds(blocked_qr, random_matrix(m, n), block)
        assert qr_multiply_adds(m, n) == count_multiply_adds(householder_qr, random_matrix(m, n))

    def test_almost_all_of_a_large_matrix_is_done_in_products_for_little_more_work(self):
        in_products, elsewhere = qr_multiply_adds(1024, 1024, 32)
        assert in_products / (in_products + elsewhere) > 0.95
        assert sum(qr_multiply_adds(1024, 1024)) == pytest.approx(4 / 3 * 1024**3, rel=NEXT_ORDER)
        assert in_products + elsewhere < 1.1 * sum(qr_multiply_adds(1024, 1024))


@pytest.mark.parametrize("f", ALL.values(), ids=ALL)
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


@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan])
def test_a_vector_that_is_not_finite_is_not_turned(bad):
    for vector in ((bad, 1.0), (1.0, bad), (bad, bad)):
        with pytest.raises(ValueError, match=f"x and y must be finite, got {vector[0]} and {vector[1]}"):
            givens_rotation(*vector)


def test_a_vector_without_coordinates_has_no_mirror():
    with pytest.raises(ValueError, match=r"x must be a vector with at least one entry, got shape \(0,\)"):
        householder_vector(np.zeros(0))


def test_imaginary_parts_and_numbers_that_are_not_finite_have_no_mirror():
    with pytest.raises(ValueError, match="x must hold real numbers, got dtype complex128"):
        householder_vector(np.array([3.0 + 1j, 4.0]))
    with pytest.raises(ValueError, match="x must hold finite numbers, got nan"):
        householder_vector(np.array([3.0, np.nan]))


def test_sizes_that_are_not_positive_are_refused():
    with pytest.raises(ValueError, match="block must be positive, got 0"):
        blocked_qr(np.eye(2), 0)
    with pytest.raises(ValueError, match="m must be positive, got 0"):
        qr_multiply_adds(0, 3)
    with pytest.raises(ValueError, match="block must be positive, got -1"):
        qr_multiply_adds(2, 3, -1)


@pytest.mark.parametrize(
    ("v", "tau", "message"),
    [
        (np.ones(3), np.ones(1), r"v must hold one normal in each column, and tau .* got shapes \(3,\) and \(1,\)"),
        (np.ones((3, 2)), np.ones(1), r"v must hold one normal .* got shapes \(3, 2\) and \(1,\)"),
        (np.ones((3, 2)).tolist(), np.ones(2), "v must be an array of NumPy or PyTorch, got list"),
    ],
)
def test_reflections_without_a_factor_for_each_normal_are_refused(v, tau, message):
    with pytest.raises(ValueError, match=message):
        compact_wy(v, tau)
