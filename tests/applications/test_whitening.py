"""Standardizing and whitening, and the rotations between whitenings."""

import functools
import itertools
import math

import numpy as np
import pytest
import scipy.linalg
import scipy.stats
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from mlnotes.applications.whitening import KINDS, covariance, standardize, whiten, whitening_matrix, whitening_rotation

# A rounding is 1.1e-16 in double precision.
MOMENTS = 6e-14  # means, variances and products over at most 569 samples: 569 * 1.1e-16
LIBRARIES = 6e-13  # the same with means up to 9 deviations from zero, and rounded in another order
FEW = 1e-14  # at most 101 samples near their mean, or orthogonal factors of 5 features; measured: 1.3e-15
LAST = 1e-15  # at most 8 roundings
SINGLE = 1e-5  # 101 samples in single precision: 101 * 6e-8; a mean of 100 beside a deviation of 0.06 measures 5e-6
ILL = 5e-11  # the ratio of the largest deviation to the least, 3,000 for wine, times 30 roundings of numbers up to 5
ROOT = 2e-12  # the condition of the covariance, 177, times some 100 roundings
BACK = 1e-13  # the condition of a whitening of iris, 13, times 20 roundings of numbers up to 3
CANCELLED = 1e-12  # five products of up to 1,000 that cancel: 5 * 1,000 * 1.1e-16 = 6e-13
TURN = 6e-14  # what a rotation may be off by: 50 * 5 * 2.2e-16
TURNED = 3e-13  # the same times whitened numbers up to 4
NEW = 0.06  # two samples, each off by at most sqrt(2 / n) in an entry: 3 standard errors of 2 / sqrt(n)
OVER_EPS = 1e-9  # variances up to 5, rounded twice, over an eps of 1e-6

unhurried = settings(deadline=None, max_examples=50)
numbers = st.floats(-9, 9) | st.sampled_from([0.0, 1.0, -1.0])
every_kind = pytest.mark.parametrize("kind", KINDS)
every_pair = pytest.mark.parametrize(("kind", "other"), list(itertools.product(KINDS, KINDS)))


def draw(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def correlated(n, d, condition=10.0):
    """Draw samples whose covariance has this condition number, around a mean that is not zero."""
    turn, other = (np.linalg.qr(draw(d, d, seed=seed))[0] for seed in (1, 2))
    return draw(n, d) @ (turn * np.logspace(0, -math.log10(condition) / 2, d) @ other) + np.arange(d) - 1.5


DATA = {
    "correlated": correlated(101, 5),
    "condition 1e6": correlated(101, 5, 1e6),
    "condition 1e20": correlated(101, 5, 1e20),
    "one feature": correlated(13, 1),
    "as few samples as can be": correlated(6, 5),
    "units from 1e-9 to 1e6": correlated(101, 5) * 10.0 ** np.array([-9, 6, 0, 3, -4]),
    "units from 1e-150 to 1e150": correlated(101, 5) * 10.0 ** np.array([-150, 150, 0, 30, -70]),
    "mean 1e8 times the deviation": correlated(101, 5) + 1e8,
    "1e150": 1e150 * correlated(101, 5),
    "1e-150": 1e-150 * correlated(101, 5),
    "1e307": 1e307 * correlated(101, 5),
    "1e-300": 1e-300 * correlated(101, 5),
    "iris": load_iris().data,
    "wine": load_wine().data,
    "breast cancer": load_breast_cancer().data,
}


@functools.cache
def white(name, kind, eps=0.0):
    """Whiten data once for all pairs of kinds."""
    return whiten(DATA[name], kind, eps)


class TestStandardize:
    @pytest.mark.parametrize("name", DATA)
    @pytest.mark.parametrize("ddof", [0, 1])
    def test_every_feature_has_mean_zero_and_variance_one(self, name, ddof):
        z = standardize(DATA[name], ddof=ddof)
        np.testing.assert_allclose(z.mean(axis=0), 0, rtol=0, atol=MOMENTS)
        np.testing.assert_allclose(z.var(axis=0, ddof=ddof), 1, rtol=0, atol=MOMENTS)

    @pytest.mark.parametrize("name", ["correlated", "iris", "wine", "breast cancer"])
    def test_it_agrees_with_scikit_learn_and_scipy(self, name):
        x = DATA[name]
        np.testing.assert_allclose(standardize(x), StandardScaler().fit_transform(x), rtol=0, atol=LIBRARIES)
        np.testing.assert_allclose(standardize(x, ddof=1), scipy.stats.zscore(x, ddof=1), rtol=0, atol=LIBRARIES)

    @pytest.mark.parametrize("eps", [1e-5, 0.3, 100.0])
    def test_with_eps_it_is_the_batch_norm_of_torch(self, eps):
        x = correlated(13, 5)
        expected = torch.nn.functional.batch_norm(torch.tensor(x), None, None, training=True, eps=eps)
        np.testing.assert_allclose(standardize(x, eps), expected.numpy(), rtol=0, atol=FEW)

    def test_units_and_origin_of_the_features_do_not_matter(self):
        x = correlated(13, 3)
        changed = x * [1e-200, 1e9, 1e200] + [1e-200, -3e9, 5e200]
        np.testing.assert_allclose(standardize(changed), standardize(x), rtol=0, atol=FEW)

    def test_a_mean_far_from_zero_costs_no_more_digits_than_the_data_lost_themselves(self):
        x = np.round(draw(101, 3) * 2**20) / 2**20  # exact also after the shift
        np.testing.assert_allclose(standardize(x + 2.0**30), standardize(x), rtol=0, atol=FEW)
        single = (100 + np.round(draw(1009, 2) * 2**6) / 2**10).astype(np.float32)
        assert standardize(single).dtype == np.float32
        np.testing.assert_allclose(standardize(single), standardize(single.astype(float)), rtol=0, atol=SINGLE)

    def test_a_constant_feature_is_refused_or_with_eps_becomes_zero(self):
        x = correlated(7, 3)
        x[:, 1] = 0.1
        with pytest.raises(ValueError, match=r"no feature may be constant, got 0\.1 in every sample of feature 1"):
            standardize(x)
        assert standardize(x, 1e-5)[:, 1].tolist() == [0] * 7
        assert standardize(np.array([[3.0, 5.0]]), 1e-5).tolist() == [[0, 0]]

    @pytest.mark.parametrize("eps", [5e-324, 1e-300, 1e300, 1.7e308])
    def test_extreme_eps_meets_extreme_data_without_a_warning(self, eps):
        for size in (1e-300, 1.0, 1e300):
            assert np.abs(standardize(size * correlated(7, 3), eps)).max() < 7


class TestCovariance:
    @pytest.mark.parametrize("name", ["correlated", "iris", "wine", "breast cancer", "units from 1e-9 to 1e6"])
    @pytest.mark.parametrize("ddof", [0, 1])
    def test_it_agrees_with_numpy_for_a_population_and_for_a_sample(self, name, ddof):
        x = DATA[name]
        found, sizes = covariance(x, ddof), x.std(axis=0)
        expected = np.atleast_2d(np.cov(x, rowvar=False, ddof=ddof))
        np.testing.assert_allclose(
            found / sizes / sizes[:, None], expected / sizes / sizes[:, None], rtol=0, atol=LIBRARIES
        )
        assert np.array_equal(found, found.T)

    def test_that_of_a_population_is_smaller_by_n_minus_1_over_n(self):
        x = correlated(7, 3)
        np.testing.assert_allclose(covariance(x), covariance(x, ddof=1) * 6 / 7, rtol=LAST)

    def test_averaged_over_all_samples_only_that_with_n_minus_1_is_the_one_of_the_population(self):
        population = np.array([[0.0, 1.0], [2.0, 1.0], [4.0, 7.0]])
        samples = [population[[i, j]] for i, j in itertools.product(range(3), repeat=2)]
        unbiased = np.mean([covariance(x, ddof=1) for x in samples], axis=0)
        np.testing.assert_allclose(unbiased, covariance(population), rtol=LAST)
        biased = np.mean([covariance(x) for x in samples], axis=0)
        np.testing.assert_allclose(biased, covariance(population) / 2, rtol=LAST)

    def test_sizes_are_squared_and_refused_where_that_is_no_float(self):
        x = correlated(7, 3)
        np.testing.assert_allclose(covariance(x * 1e150) / 1e300, covariance(x), rtol=FEW)
        np.testing.assert_allclose(covariance(x * 1e-150) * 1e300, covariance(x), rtol=FEW)
        with pytest.raises(ValueError, match="the covariance must not exceed the largest float"):
            covariance(x * 1e200)


class TestWhiten:
    @pytest.mark.parametrize("name", DATA)
    @every_kind
    def test_the_covariance_becomes_the_identity_however_ill_conditioned_it_was(self, kind, name):
        z = whiten(DATA[name], kind)
        assert z.shape == DATA[name].shape
        np.testing.assert_allclose(z.mean(axis=0), 0, rtol=0, atol=FEW)
        np.testing.assert_allclose(z.T @ z / len(z), np.eye(z.shape[1]), rtol=0, atol=MOMENTS)

    @unhurried
    @given(arrays(float, st.tuples(st.integers(1, 11), st.integers(1, 4)), elements=numbers), st.sampled_from(KINDS))
    def test_so_it_does_for_whatever_hypothesis_finds_unless_it_is_singular(self, x, kind):
        centered = (x - x[0]) - (x - x[0]).mean(axis=0)
        singular_values = scipy.linalg.svdvals(centered / np.maximum(np.abs(centered).max(axis=0), 1e-300))
        if len(x) <= x.shape[1] or singular_values[-1] < 1e-12:
            return
        z = whiten(x, kind)
        np.testing.assert_allclose(z.T @ z / len(z), np.eye(x.shape[1]), rtol=0, atol=MOMENTS)

    def test_by_the_eigenvectors_of_the_covariance_the_identity_is_lost_where_svd_keeps_it(self):
        x = DATA["condition 1e20"] - DATA["condition 1e20"].mean(axis=0)
        w, v = np.linalg.eigh(x.T @ x / len(x))
        naive = x @ v / np.sqrt(np.abs(w))
        assert np.abs(naive.T @ naive / len(x) - np.eye(5)).max() > 1e-3

    def test_pca_whitening_is_that_of_scikit_learn_but_for_signs(self):
        for name in ("iris", "wine"):
            theirs = PCA(whiten=True, svd_solver="full").fit_transform(DATA[name])
            ours = whiten(DATA[name], "pca", ddof=1)
            np.testing.assert_allclose(np.abs(ours), np.abs(theirs), rtol=0, atol=ILL)

    def test_zca_whitening_is_the_inverse_root_of_the_covariance(self):
        x = DATA["iris"]
        w = whitening_matrix(x, "zca")
        np.testing.assert_allclose(w, np.linalg.inv(scipy.linalg.sqrtm(np.cov(x, rowvar=False, ddof=0))), rtol=ROOT)
        np.testing.assert_allclose(w, w.T, rtol=0, atol=FEW)

    def test_no_whitening_leaves_the_data_as_near_to_what_they_were_as_zca(self):
        x = correlated(101, 5) - correlated(101, 5).mean(axis=0)
        z = whiten(x, "zca")
        nearest = np.linalg.norm(z - x)
        for seed in range(31):
            turn = np.linalg.qr(draw(5, 5, seed=seed))[0]
            assert np.linalg.norm(z @ turn - x) > nearest
        for kind in ("pca", "cholesky"):
            assert np.linalg.norm(whiten(x, kind) - x) > nearest

    def test_cholesky_whitening_takes_one_feature_after_the_other(self):
        x = DATA["wine"] - DATA["wine"].mean(axis=0)
        z = whiten(x, "cholesky")
        factor = scipy.linalg.cholesky(np.cov(x, rowvar=False, ddof=0), lower=True)
        np.testing.assert_allclose(z, scipy.linalg.solve_triangular(factor, x.T, lower=True).T, rtol=0, atol=ILL)
        np.testing.assert_allclose(z[:, 0], standardize(x)[:, 0], rtol=0, atol=MOMENTS)
        np.testing.assert_allclose(whiten(x[:, :4], "cholesky"), z[:, :4], rtol=0, atol=ILL)

    def test_standardizing_leaves_what_features_have_in_common(self):
        z = standardize(DATA["iris"])
        assert np.abs(z.T @ z / len(z) - np.eye(4)).max() > 0.9

    @every_kind
    def test_directions_of_largest_variance_come_first_only_for_pca(self, kind):
        x = correlated(101, 3) @ np.diag([1.0, 5.0, 25.0])
        variances = np.diag(np.linalg.pinv(whitening_matrix(x, kind)) @ np.linalg.pinv(whitening_matrix(x, kind)).T)
        assert (list(variances) == sorted(variances, reverse=True)) == (kind == "pca")

    @every_kind
    def test_single_precision_stays_single_and_the_input_is_left_alone(self, kind):
        x = correlated(101, 3).astype(np.float32)
        before = x.copy()
        z = whiten(x, kind)
        assert z.dtype == whitening_matrix(x, kind).dtype == np.float32
        np.testing.assert_allclose(z.T @ z / 101, np.eye(3), rtol=0, atol=SINGLE)
        assert np.array_equal(x, before)
        assert whiten(np.array([[0, 1], [2, 0], [5, 5]]), kind).dtype == float


class TestMatrix:
    @pytest.mark.parametrize("name", ["correlated", "iris", "1e150", "1e-150", "units from 1e-9 to 1e6"])
    @pytest.mark.parametrize(("eps", "ddof"), [(0.0, 0), (0.3, 1)])
    @every_kind
    def test_centered_samples_times_the_matrix_are_the_whitened_ones(self, kind, eps, ddof, name):
        x = DATA[name]
        w = whitening_matrix(x, kind, eps, ddof)
        np.testing.assert_allclose((x - x.mean(axis=0)) @ w, whiten(x, kind, eps, ddof), rtol=0, atol=CANCELLED)

    @pytest.mark.parametrize("name", ["correlated", "iris", "one feature", "units from 1e-9 to 1e6"])
    @every_kind
    def test_its_determinant_is_positive(self, kind, name):
        for columns in itertools.permutations(range(min(3, DATA[name].shape[1]))):
            assert np.linalg.det(whitening_matrix(DATA[name][:, columns], kind)) > 0

    @every_kind
    def test_its_inverse_gives_the_covariance_back(self, kind):
        x = DATA["iris"]
        colouring = np.linalg.inv(whitening_matrix(x, kind))
        np.testing.assert_allclose(colouring.T @ colouring, covariance(x), rtol=0, atol=BACK)

    def test_it_is_symmetric_for_zca_and_upper_triangular_for_cholesky(self):
        x = DATA["iris"]
        np.testing.assert_allclose(whitening_matrix(x, "zca"), whitening_matrix(x, "zca").T, rtol=0, atol=FEW)
        np.testing.assert_allclose(np.tril(whitening_matrix(x, "cholesky"), -1), 0, rtol=0, atol=FEW)
        assert (np.diag(whitening_matrix(x, "cholesky")) > 0).all()

    @every_kind
    def test_new_samples_of_the_same_kind_become_nearly_white(self, kind):
        mixing = draw(3, 3, seed=3)
        seen, new = draw(10_007, 3, seed=4) @ mixing, draw(10_007, 3, seed=5) @ mixing
        z = (new - seen.mean(axis=0)) @ whitening_matrix(seen, kind)

        np.testing.assert_allclose(z.T @ z / len(z), np.eye(3), rtol=0, atol=NEW)

    def test_entries_beyond_the_largest_float_are_refused(self):
        with pytest.raises(ValueError, match="the whitening matrix must not exceed the largest float"):
            whitening_matrix(1e-310 * np.array([[1.0], [2.0], [5.0]]))


class TestRotation:
    @pytest.mark.parametrize("name", ["correlated", "condition 1e6", "one feature", "iris", "1e150"])
    @pytest.mark.parametrize("eps", [0.0, 0.3])
    @every_pair
    def test_two_whitenings_differ_by_a_rotation_and_by_nothing_else(self, kind, other, eps, name):
        x = DATA[name]
        turn = whitening_rotation(x, kind, other, eps)
        d = x.shape[1]
        assert np.linalg.norm(turn.T @ turn - np.eye(d)) <= 50 * d * np.finfo(float).eps
        assert np.linalg.det(turn) == pytest.approx(1, abs=TURN)
        np.testing.assert_allclose(white(name, kind, eps) @ turn, white(name, other, eps), rtol=0, atol=TURNED)

    @every_pair
    def test_it_is_the_one_that_the_two_matrices_have_between_them(self, kind, other):
        x = DATA["iris"]
        expected = np.linalg.solve(whitening_matrix(x, kind), whitening_matrix(x, other))
        np.testing.assert_allclose(whitening_rotation(x, kind, other), expected, rtol=0, atol=BACK)
        procrustes, _ = scipy.linalg.orthogonal_procrustes(white("iris", kind), white("iris", other))
        np.testing.assert_allclose(whitening_rotation(x, kind, other), procrustes, rtol=0, atol=BACK)

    @every_pair
    def test_there_and_back_is_no_rotation(self, kind, other):
        x = DATA["iris"]
        there, back = whitening_rotation(x, kind, other), whitening_rotation(x, other, kind)
        np.testing.assert_allclose(there @ back, np.eye(4), rtol=0, atol=TURN)

    def test_any_other_rotation_whitens_as_well(self):
        turn = np.linalg.qr(draw(4, 4))[0]
        z = whiten(DATA["iris"], "zca") @ turn
        np.testing.assert_allclose(z.T @ z / len(z), np.eye(4), rtol=0, atol=MOMENTS)


class TestSingular:
    CASES = (
        ("a constant feature", correlated(11, 3) * [1.0, 0.0, 1.0], 2),
        ("a feature twice", correlated(11, 2)[:, [0, 1, 0]], 2),
        ("the sum of two", correlated(11, 2) @ np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]), 2),
        ("as many samples as features", correlated(3, 3), 2),
        ("fewer samples than features", correlated(3, 5), 2),
        ("one sample", correlated(1, 3), 0),
        ("equal samples", np.repeat(correlated(1, 3), 7, axis=0), 0),
    )
    singular = pytest.mark.parametrize(("x", "rank"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])

    @singular
    @pytest.mark.parametrize("size", [1e-150, 1.0, 1e150])
    @every_kind
    def test_without_eps_it_is_refused_with_its_rank(self, kind, size, x, rank):
        for f in (whiten, whitening_matrix, whitening_rotation):
            with pytest.raises(ValueError, match=f"must be regular, got rank {rank} for {x.shape[1]} features"):
                f(x * size, kind)

    @singular
    @every_kind
    def test_with_eps_directions_without_variance_stay_at_zero(self, kind, x, rank):
        z = whiten(x, kind, eps=1e-6)
        assert z.shape == x.shape
        variances = np.linalg.eigvalsh(z.T @ z / len(z))
        expected = np.linalg.eigvalsh(np.cov(x, rowvar=False, ddof=0)) if len(x) > 1 else np.zeros(3)
        np.testing.assert_allclose(variances, expected / (expected + 1e-6), rtol=0, atol=OVER_EPS)
        assert np.count_nonzero(variances > 0.5) == rank

    def test_pixels_that_are_always_black_need_eps(self):
        x = load_digits().data[:, :40]
        with pytest.raises(ValueError, match="must be regular, got rank 37 for 40 features"):
            whiten(x, "zca")
        z = whiten(x, "zca", eps=1e-3)
        np.testing.assert_allclose(z[:, [0, 32, 39]], 0, rtol=0, atol=LAST)
        np.testing.assert_allclose(np.linalg.eigvalsh(z.T @ z / len(z))[:3], 0, rtol=0, atol=LAST)

    @pytest.mark.parametrize("eps", [1e-6, 0.3, 1e3])
    @every_kind
    def test_eps_leaves_of_each_variance_what_it_is_beside_variance_plus_eps(self, kind, eps):
        x = DATA["iris"]
        z = whiten(x, kind, eps)
        variances = np.linalg.eigvalsh(np.cov(x, rowvar=False, ddof=0))
        np.testing.assert_allclose(
            np.linalg.eigvalsh(z.T @ z / len(z)), variances / (variances + eps), rtol=0, atol=MOMENTS
        )


@pytest.mark.parametrize("eps", [5e-324, 1e-300, 1e300, 1.7e308])
@pytest.mark.parametrize("size", [1e-300, 1.0, 1e300])
@every_kind
def test_extreme_eps_meets_extreme_data_without_a_warning(kind, size, eps):
    x = size * correlated(11, 3)
    assert np.abs(whiten(x, kind, eps)).max() < 7
    assert np.isfinite(whitening_matrix(x, kind, eps)).all()
    turn = whitening_rotation(x, kind, "zca", eps)
    np.testing.assert_allclose(turn.T @ turn, np.eye(3), rtol=0, atol=FEW)


@every_kind
def test_whitening_for_a_population_and_for_a_sample_differ_by_a_factor(kind):
    x = correlated(7, 3)
    np.testing.assert_allclose(whiten(x, kind, ddof=1), whiten(x, kind) * math.sqrt(6 / 7), rtol=FEW)
    np.testing.assert_allclose(covariance(whiten(x, kind), ddof=1), np.eye(3) * 7 / 6, rtol=0, atol=FEW)


FUNCTIONS = [standardize, covariance, whiten, whitening_matrix, lambda x, **more: whitening_rotation(x, "zca", **more)]


@pytest.mark.parametrize("f", FUNCTIONS)
class TestBadInput:
    def test_what_is_no_matrix_is_refused_with_its_shape(self, f):
        for shape in ((3,), (2, 3, 5), (0, 3), (3, 0)):
            with pytest.raises(ValueError, match=rf"matrix with at least one row and column, got shape \({shape[0]},"):
                f(np.ones(shape))

    @pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
    def test_what_is_not_finite_is_refused_with_its_value(self, f, bad):
        with pytest.raises(ValueError, match=f"x must hold finite numbers, got {bad}"):
            f(np.array([[1.0, 2.0], [3.0, bad]]))

    @pytest.mark.parametrize("bad", [-1, 3, 5])
    def test_ddof_leaves_something_to_divide_by(self, f, bad):
        with pytest.raises(ValueError, match=f"ddof must be from 0 to 2 for 3 samples, got {bad}"):
            f(correlated(3, 2), ddof=bad)

    @pytest.mark.parametrize("bad", [-1e-9, np.nan, np.inf])
    def test_eps_is_finite_and_not_negative(self, f, bad):
        if f is not covariance:
            with pytest.raises(ValueError, match=f"eps must be finite and not negative, got {bad}"):
                f(correlated(7, 2), eps=bad)

    @pytest.mark.parametrize("bad", [1e-100, 1e100])
    def test_eps_has_a_root_that_the_dtype_can_hold(self, f, bad):
        if f is not covariance:
            with pytest.raises(ValueError, match=r"the root of eps must lie .* to be a number of float32, got 1e"):
                f(np.ones((3, 1), np.float32), eps=bad)


def test_an_eps_that_vanishes_beside_samples_that_do_not_vary_is_refused():
    x = np.full((3, 1), 2.0**122, np.float32)
    for f in (standardize, whiten, whitening_matrix):
        with pytest.raises(ValueError, match=r"eps must not vanish in float32 .*, got 1e-60 and .* about 2\*\*123"):
            f(x, eps=1e-60)
    np.testing.assert_array_equal(standardize(x, eps=1e-6), 0)


def test_kinds_that_do_not_exist_are_refused_with_those_that_do():
    for f in (whiten, whitening_matrix, whitening_rotation, lambda x, kind: whitening_rotation(x, "pca", kind)):
        with pytest.raises(ValueError, match="kind must be one of pca, zca, cholesky, got 'zac'"):
            f(correlated(7, 2), "zac")
