"""Eigenvalues by iteration, and what each method does where it cannot succeed."""

import functools
import math

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from linear_algebra import MATRICES, backward_error, rounding

from mlnotes.blocks import eigen as module
from mlnotes.blocks.eigen import (
    characteristic_polynomial,
    hessenberg,
    inverse_iteration,
    jacobi_eigh,
    jacobi_iteration,
    power_iteration,
    qr_algorithm,
    qr_iteration,
    rayleigh_iteration,
    rayleigh_quotient,
    tournament,
)

# A rounding is 1.1e-16 in double precision, 6e-8 in single precision.
LENGTH = 1e-15  # a length of a vector of length one, or two rows: 8 roundings
ROUNDED = 2e-15  # a length, a quotient, a power of two: at most 16 roundings
SEVERAL = 1e-14  # eigenvalues of 2 to 5 rows, up to 5: some 20 roundings of numbers up to 5
RESIDUAL = 1e-13  # a residual that the iteration stops at, 5e-14 of the matrix, and its own rounding
FIVE = 3e-13  # 50 * 5 rows * 2.2e-16 times eigenvalues up to 5: what the functions' own tests allow
REFLECTED = 5e-14  # some 100 roundings of numbers up to 4, in reflections or turns one after the other
RELATIVE = 1e-12  # the condition of the problem, some tens to hundreds; measured: 5e-14
FAR = 1e-12  # a matrix of norm 100: 6 rows * 100 * 1.1e-16, with a factor of 15 for eigenvectors at no right angles
RATE = 1e-5  # after 30 steps, the rate itself is off by 0.8 ** 60 = 1.5e-6
NEAR_THE_END = 0.02  # of the last residuals rounding is a tenth at most, and the tenth root of 1.1 is 1.01
NEXT_TERM = 0.02  # of the expansion, 2 over 100 steps; rounding has no part in it
LINEAR = 0.01  # of the expansion, as 0.5 over 200 steps, with room for four; measured: 1e-3
AVERAGE = 0.1  # a rate over few steps, of which the first still has other shares; measured: 2e-2
QUARTER = 1e-3  # a rate over nine steps, the same; measured: 1e-4
SINGLE = 5e-7  # 8 roundings of single precision
MANY_SINGLE = 1e-5  # 50 roundings and more of numbers up to 2.5 in single precision; measured: 6e-7

EPS = np.finfo(float).eps
unhurried = settings(deadline=None, max_examples=40)

DEFECTIVE = np.array([[1.0, 1.0], [0.0, 1.0]])
ROTATION = np.array([[0.0, -1.0], [1.0, 0.0]])
TIE = np.diag([2.0, -2.0, 1.0])
SYMMETRIC = {
    **{name: a + a.T for name, a in MATRICES.items() if a.shape[0] == a.shape[1]},
    **{f"gram of {name}": a.T @ a for name, a in MATRICES.items() if np.abs(a).max() < 1e150},
    "all equal": np.ones((7, 7)),
    "bipartite": np.kron(np.array([[0.0, 1.0], [1.0, 0.0]]), np.ones((3, 3))),
    "zero diagonal": np.eye(7, k=1) + np.eye(7, k=-1),
}


def draw(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def orthogonal(n, seed=0):
    return np.linalg.qr(draw(n, n, seed=seed))[0]


def with_eigenvalues(*values, symmetric=True):
    """Build a matrix with these eigenvalues and no zeros."""
    n = len(values)
    v = orthogonal(n) if symmetric else orthogonal(n) * np.linspace(1, 2, n) @ orthogonal(n, seed=1)
    return v * np.array(values) @ np.linalg.inv(v)


def off_orthonormal(q):
    return np.linalg.norm(q.T @ q - np.eye(q.shape[1]))


def how_far_from_eigenvalues(a, values):
    """Return the relative size of the smallest change of the matrix that makes each number an eigenvalue."""
    a, values = a / (np.abs(a).max() or 1), values / (np.abs(a).max() or 1)
    return max(scipy.linalg.svdvals(a - x * np.eye(len(a)))[-1] for x in values) / (np.linalg.norm(a) or 1)


class TestPowerIteration:
    @pytest.mark.parametrize("ratio", [0.5, 0.9, 0.99])
    def test_error_falls_by_the_ratio_of_the_two_largest_moduli(self, ratio):
        a = with_eigenvalues(3, -3 * ratio, 1, 0.5, -0.2, symmetric=False)
        found = power_iteration(a, steps=5000)
        assert found.converged
        assert found.eigenvalue == pytest.approx(3, rel=SEVERAL)
        early, late = found.residuals[-100 if ratio > 0.5 else -20 :][[0, 10]]
        assert (late / early) ** 0.1 == pytest.approx(ratio, rel=NEAR_THE_END)

    def test_eigenvalues_of_symmetric_matrices_converge_twice_as_fast(self):
        found = power_iteration(with_eigenvalues(2, 1.6, 0.3, -0.4, 0.1))
        errors = np.abs(found.estimates - 2)
        assert (errors[40] / errors[30]) ** 0.1 == pytest.approx(0.8**2, rel=RATE)
        assert (found.residuals[40] / found.residuals[30]) ** 0.1 == pytest.approx(0.8, rel=RATE)

    def test_result_is_an_eigenpair_and_its_history_ends_with_it(self):
        a = with_eigenvalues(-5, 2, 1)
        found = power_iteration(a)
        np.testing.assert_allclose(a @ found.vector, -5 * found.vector, rtol=0, atol=RESIDUAL)
        assert np.linalg.norm(found.vector) == pytest.approx(1, abs=LENGTH)
        assert found.estimates[-1] == found.eigenvalue
        assert found.residuals[-1] <= 30 * EPS * np.linalg.norm(a) < found.residuals[-2]

    @pytest.mark.parametrize("a", [TIE, ROTATION, np.kron(np.eye(2), 3 * ROTATION)])
    def test_ties_in_modulus_do_not_converge_and_the_result_says_so(self, a):
        found = power_iteration(a)
        assert not found.converged
        assert len(found.residuals) == 1001
        assert found.residuals[-1] > 0.1

    def test_a_tie_of_equal_eigenvalues_does_converge(self):
        assert power_iteration(np.diag([2.0, 2.0, 1.0])).eigenvalue == pytest.approx(2, abs=SEVERAL)

    def test_at_a_defective_eigenvalue_the_error_only_falls_like_one_over_the_number_of_steps(self):
        found = power_iteration(DEFECTIVE)
        assert not found.converged
        steps = np.array([100, 200, 400, 800])
        np.testing.assert_allclose(steps * (found.estimates[steps] - 1), 1, rtol=0, atol=NEXT_TERM)
        np.testing.assert_allclose(steps**2 * found.residuals[steps], 1, rtol=0, atol=NEXT_TERM)

    def test_the_start_decides_only_where_it_has_no_share_of_the_largest(self):
        a = np.diag([3.0, 2.0])
        assert power_iteration(a, np.array([0.0, 1.0])).eigenvalue == 2
        assert power_iteration(a, np.array([1e-12, 1.0])).eigenvalue == pytest.approx(3, rel=SEVERAL)

    def test_matrices_that_take_the_vector_to_zero_have_the_eigenvalue_zero(self):
        for a in (np.zeros((3, 3)), np.eye(3, k=1)):
            found = power_iteration(a)
            assert (found.eigenvalue, found.converged) == (0, True)
            np.testing.assert_array_equal(a @ found.vector, np.zeros(3))

    @pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
    @pytest.mark.parametrize("iteration", [power_iteration, inverse_iteration, rayleigh_iteration])
    def test_however_large_a_tolerance_is_the_first_estimate_meets_it(self, recwarn, iteration, dtype):
        for a in (np.zeros((3, 3), dtype), np.diag([3, 2, 1]).astype(dtype), np.ones((3, 3), dtype)):
            for tolerance in (2.0, 1e39, 1.7e308, np.float32(3e38)):
                found = iteration(a, tolerance=tolerance)
                assert found.converged
                assert len(found.residuals) == 1
        assert not recwarn


class TestInverseIteration:
    @pytest.mark.parametrize("shift", [-2.1, 0.0, 0.9, 2.6, 100.0])
    def test_finds_the_eigenvalue_nearest_to_the_shift_at_the_rate_of_the_distances(self, shift):
        values = np.array([3.0, -2.0, 1.0, 0.25])
        found = inverse_iteration(with_eigenvalues(*values, symmetric=False), shift, steps=5000)
        distances = np.sort(np.abs(values - shift))
        assert found.converged
        assert abs(found.eigenvalue - shift) == pytest.approx(distances[0], abs=FAR)
        falling = found.residuals[(found.residuals < 1e-6) & (found.residuals > 1e-12)]
        assert (falling[-1] / falling[0]) ** (1 / (len(falling) - 1)) == pytest.approx(
            distances[0] / distances[1], rel=AVERAGE
        )

    def test_an_eigenvalue_as_shift_needs_one_step(self):
        found = inverse_iteration(with_eigenvalues(3, -2, 1, 0.25), 1.0)
        assert found.converged
        assert len(found.residuals) <= 3
        vector = inverse_iteration(np.diag([1.0, 2.0, 3.0]), 2.0).vector
        np.testing.assert_allclose(np.abs(vector), [0, 1, 0], rtol=0, atol=SEVERAL)

    def test_eigenvalues_equally_near_do_not_converge_and_the_result_says_so(self):
        for a, shift in ((np.diag([1.0, 3.0]), 2.0), (ROTATION, 0.0), (ROTATION, 5.0)):
            assert not inverse_iteration(a, shift, steps=200).converged

    @pytest.mark.parametrize("n", [2, 20, 60])
    def test_a_defective_eigenvalue_as_shift_gives_its_vector_though_the_solution_is_too_long_for_floats(self, n):
        found = inverse_iteration(2 * np.eye(n) + np.eye(n, k=1), 2.0)
        assert found.converged
        assert abs(found.vector[0]) == pytest.approx(1, abs=SEVERAL)
        assert found.eigenvalue == pytest.approx(2, abs=SEVERAL)

    def test_near_a_defective_eigenvalue_it_is_as_slow_as_power_iteration(self):
        found = inverse_iteration(DEFECTIVE, 0.5, steps=200)
        assert not found.converged
        assert 200 * abs(found.estimates[200] - 1) == pytest.approx(0.5, abs=LINEAR)

    @pytest.mark.parametrize("shift", [-1e300, 1e-300, 1e300])
    def test_shifts_of_any_size_are_no_error(self, shift):
        assert inverse_iteration(np.diag([1e-150, 2e-150]), shift, steps=10).eigenvalue <= 2e-150


class TestRayleighIteration:
    def test_residual_is_cubed_by_each_step_for_a_symmetric_matrix(self):
        a = with_eigenvalues(3, -2, 1, 0.25)
        start = np.linalg.eigh(a)[1] @ np.array([0.1, 0.1, 0.1, 1.0])
        residuals = rayleigh_iteration(a, start).residuals
        assert len(residuals) == 4
        assert residuals[2] < residuals[1] ** 3
        assert residuals[3] < 1e-14

    def test_residual_is_squared_by_each_step_for_any_other(self):
        a = with_eigenvalues(3, -2, 1, 0.25, symmetric=False)
        residuals = rayleigh_iteration(a, np.linalg.eig(a)[1][:, 0] + 0.05).residuals
        assert 1e-13 < residuals[3] < 1e-8
        ratios = residuals[1:4] / residuals[:3] ** 2
        assert ratios.max() < 2 * ratios.min()

    def test_residual_is_divided_by_four_at_a_defective_eigenvalue_and_half_of_the_digits_are_right(self):
        found = rayleigh_iteration(DEFECTIVE)
        assert found.converged
        np.testing.assert_allclose(found.residuals[6:15] / found.residuals[5:14], 0.25, rtol=QUARTER)
        assert 1e-9 < abs(found.eigenvalue - 1) < 1e-7

    def test_a_complex_pair_is_never_found_and_the_result_says_so(self):
        found = rayleigh_iteration(ROTATION)
        assert not found.converged
        np.testing.assert_allclose(found.residuals, 1, rtol=ROUNDED)

    def test_a_start_between_two_eigenvectors_goes_back_and_forth_for_ever(self):
        found = rayleigh_iteration(np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([1.0, 0.0]))
        assert not found.converged
        assert len(found.residuals) == 101

    def test_every_symmetric_matrix_gives_one_of_its_eigenvalues(self):
        for seed in range(10):
            a = draw(7, 7, seed=seed) + draw(7, 7, seed=seed).T
            found = rayleigh_iteration(a, seed + np.arange(7.0))
            assert found.converged
            assert np.abs(np.linalg.eigvalsh(a) - found.eigenvalue).min() < SEVERAL * np.linalg.norm(a)


def test_rayleigh_quotient_leaves_the_shortest_residual_and_ignores_the_length_of_the_vector():
    a, v = draw(5, 5), draw(5, seed=1)
    best = rayleigh_quotient(a, v)
    assert best == pytest.approx(np.linalg.lstsq(v[:, None], a @ v)[0][0], rel=SEVERAL)
    assert rayleigh_quotient(a * 1e150, v * 1e200) == pytest.approx(best * 1e150, rel=SEVERAL)


@pytest.mark.parametrize("size", [1e-300, 1e-150, 1e150, 1e300])
@pytest.mark.parametrize("method", [power_iteration, inverse_iteration, rayleigh_iteration])
def test_iterations_do_not_depend_on_the_size_of_the_entries(method, size):
    a = with_eigenvalues(3, -2, 1, 0.25)
    found, expected = method(a * size), method(a)
    assert found.converged
    assert found.eigenvalue / size == pytest.approx(expected.eigenvalue, rel=SEVERAL)
    np.testing.assert_allclose(np.abs(found.vector), np.abs(expected.vector), rtol=0, atol=SEVERAL)


@pytest.mark.parametrize("method", [power_iteration, inverse_iteration, rayleigh_iteration])
def test_iterations_stay_in_single_precision_and_stop_after_the_given_number_of_steps(method):
    a = with_eigenvalues(3, -2, 1, 0.25).astype(np.float32)
    assert method(a).converged
    assert method(a).vector.dtype == np.float32
    early = method(a, steps=1)
    assert len(early.residuals) == len(early.estimates) == 2
    assert not early.converged
    assert method(a, steps=0).vector == pytest.approx(draw(4) / np.linalg.norm(draw(4)), rel=SINGLE)


class TestQRAlgorithm:
    @pytest.mark.parametrize("n", [1, 2, 3, 5, 13, 29])
    def test_agrees_with_lapack(self, n):
        a = draw(n, n)
        found, expected = qr_algorithm(a), np.sort_complex(np.linalg.eigvals(a))
        np.testing.assert_allclose(found, expected, rtol=0, atol=FIVE)

    @pytest.mark.parametrize("name", [name for name, a in MATRICES.items() if a.shape[0] == a.shape[1]])
    def test_eigenvalues_are_exact_for_a_matrix_within_fifty_n_eps(self, name):
        a = MATRICES[name]
        assert how_far_from_eigenvalues(a, qr_algorithm(a)) <= rounding(a)

    @unhurried
    @given(
        st.integers(1, 7).flatmap(
            lambda n: arrays(float, (n, n), elements=st.floats(-9, 9) | st.sampled_from([0.0, 1.0, -1.0]))
        ),
        st.sampled_from([1e-150, 1.0, 1e150]),
    )
    def test_so_they_are_whatever_hypothesis_finds(self, a, size):
        # The error is small beside the matrix with stretched axes, and not always beside this one.
        assert how_far_from_eigenvalues(module._balanced(a * size), qr_algorithm(a * size)) <= rounding(a)

    def test_complex_eigenvalues_come_in_exact_pairs_and_real_ones_as_real_numbers(self):
        found = qr_algorithm(draw(13, 13))
        assert found.dtype == complex
        assert set(found) == set(found.conj())
        for a in (with_eigenvalues(1, 2, 3), np.triu(draw(5, 5)), np.ones((5, 5))):
            assert qr_algorithm(a).dtype == float
        assert qr_algorithm(ROTATION).tolist() == [-1j, 1j]

    @pytest.mark.parametrize("name", SYMMETRIC)
    def test_symmetric_matrices_have_real_eigenvalues_ascending(self, name):
        a = SYMMETRIC[name]
        w = qr_algorithm((a + a.T) / 2)
        assert w.dtype == float
        assert (np.diff(w) >= 0).all()

    @pytest.mark.parametrize("n", [3, 5, 7])
    def test_a_cycle_that_the_usual_shifts_never_leave_is_broken(self, n):
        cycle = np.roll(np.eye(n), 1, axis=0)
        found = qr_algorithm(cycle)
        np.testing.assert_allclose(found**n, 1, rtol=0, atol=RESIDUAL)
        assert len(set(np.round(found, 6))) == n
        assert not qr_iteration(cycle, steps=9).converged

    @pytest.mark.parametrize("k", [2, 3, 5])
    def test_a_defective_eigenvalue_is_found_to_a_kth_of_the_digits(self, k):
        jordan = 3 * np.eye(k) + np.eye(k, k=1)
        v = orthogonal(k)
        error = np.abs(qr_algorithm(v @ jordan @ v.T) - 3).max()
        assert (EPS / 100) ** (1 / k) < error < (1000 * EPS) ** (1 / k)
        np.testing.assert_array_equal(qr_algorithm(jordan), np.full(k, 3.0))

    def test_ties_in_modulus_are_no_obstacle(self):
        np.testing.assert_allclose(qr_algorithm(with_eigenvalues(2, -2, 1, -1)), [-2, -1, 1, 2], rtol=REFLECTED)

    def test_badly_scaled_axes_do_not_hide_small_eigenvalues(self):
        a, d = draw(7, 7), 10.0 ** np.array([0, 90, -90, 40, 5, -60, 1])
        np.testing.assert_allclose(qr_algorithm(d[:, None] * a / d), qr_algorithm(a), rtol=0, atol=FIVE)

    def test_roots_of_a_polynomial_are_the_eigenvalues_of_its_companion_matrix(self):
        roots = np.array([1.0, -2.0, 0.5, 3.0])
        np.testing.assert_allclose(qr_algorithm(scipy.linalg.companion(np.poly(roots))), np.sort(roots), rtol=REFLECTED)

    def test_entries_below_the_diagonal_vanish_step_by_step_quadratically_in_the_end(self):
        found = qr_iteration(with_eigenvalues(5, 3, 2, 1, -1, -4, symmetric=False))
        assert found.converged
        assert found.subdiagonals.shape[1] == 5
        smallest = found.subdiagonals[:, -2:].min(axis=1)
        first = np.argmax(smallest < 1e-14)
        assert smallest[first] < smallest[first - 1] ** 1.5 < 1e-3
        assert len(found.subdiagonals) < 5 * 6

    def test_single_precision_stays_single(self):
        a = draw(5, 5).astype(np.float32)
        assert (qr_algorithm(a).dtype, qr_algorithm(a + a.T).dtype) == (np.complex64, np.float32)
        np.testing.assert_allclose(qr_algorithm(a), qr_algorithm(a.astype(float)), rtol=0, atol=MANY_SINGLE)

    def test_stopped_early_the_eigenvalues_not_found_are_nan(self):
        found = qr_iteration(draw(7, 7), steps=3)
        assert not found.converged
        assert np.isnan(found.eigenvalues).any()
        assert len(found.subdiagonals) == 4

    def test_the_algorithm_raises_rather_than_return_what_has_not_converged(self, monkeypatch):
        monkeypatch.setattr(module, "qr_iteration", functools.partial(qr_iteration, steps=2))
        with pytest.raises(np.linalg.LinAlgError, match="7 of 7 eigenvalues not found in 2 steps"):
            qr_algorithm(draw(7, 7))


@pytest.mark.parametrize("name", [name for name, a in MATRICES.items() if a.shape[0] == a.shape[1]])
def test_hessenberg_form_is_similar_to_the_matrix(name):
    a = MATRICES[name]
    h, q = hessenberg(a)
    assert not np.tril(h, -2).any()
    assert off_orthonormal(q) <= rounding(a)
    assert backward_error(a, q @ h @ q.T) <= rounding(a)


def test_hessenberg_form_is_that_of_lapack_but_for_signs():
    a = draw(7, 7)
    np.testing.assert_allclose(np.abs(hessenberg(a)[0]), np.abs(scipy.linalg.hessenberg(a)), rtol=0, atol=REFLECTED)
    np.testing.assert_allclose(
        hessenberg(a + a.T)[0], np.tril(np.triu(hessenberg(a + a.T)[0], -1), 1), rtol=0, atol=REFLECTED
    )


class TestJacobi:
    @pytest.mark.parametrize("name", SYMMETRIC)
    def test_backward_error_and_orthogonality_stay_within_fifty_n_eps(self, name):
        a = SYMMETRIC[name]
        w, v = jacobi_eigh(a)
        assert (np.diff(w) >= 0).all()
        assert backward_error(a, v * w @ v.T) <= rounding(a)
        assert off_orthonormal(v) <= rounding(a)
        expected = np.linalg.eigvalsh(a)
        np.testing.assert_allclose(w, expected, rtol=0, atol=rounding(a) * np.abs(expected).max())

    @unhurried
    @given(
        st.integers(1, 7).flatmap(
            lambda n: arrays(
                float,
                (n, n),
                elements=st.floats(-9, 9)
                | st.sampled_from([0.0, 1.0, -1.0])
                | st.floats(-9, 9).map(lambda x: x * 1e150)
                | st.floats(-9, 9).map(lambda x: x * 1e-150),
            )
        )
    )
    def test_so_they_do_whatever_hypothesis_finds(self, a):
        a = np.tril(a) + np.tril(a, -1).T
        w, v = jacobi_eigh(a)
        assert backward_error(a, v * w @ v.T) <= rounding(a)
        assert off_orthonormal(v) <= rounding(a)

    def test_entries_off_the_diagonal_vanish_quadratically_in_the_end(self):
        a = draw(13, 13) + draw(13, 13).T
        found = jacobi_iteration(a)
        sizes = found.off_diagonal / np.linalg.norm(a)
        assert sizes[0] == pytest.approx(np.linalg.norm(a - np.diag(np.diag(a))) / np.linalg.norm(a), rel=SEVERAL)
        assert (np.diff(sizes) <= 0).all()
        late = sizes[(sizes < 1e-2) & (sizes > 1e-15)]
        assert len(late) >= 2
        assert (late[1:] < late[:-1] ** 1.8).all()

    def test_stopped_early_it_is_a_similar_matrix_and_says_that_it_did_not_converge(self):
        a = draw(7, 7) + draw(7, 7).T
        found = jacobi_iteration(a, sweeps=1)
        assert not found.converged
        assert len(found.off_diagonal) == 2
        assert off_orthonormal(found.v) <= rounding(a)
        left = found.v.T @ a @ found.v
        np.testing.assert_allclose(np.diag(left), found.w, rtol=0, atol=REFLECTED)
        assert np.linalg.norm(left - np.diag(np.diag(left))) == pytest.approx(found.off_diagonal[-1], rel=RELATIVE)

    def test_jacobi_raises_rather_than_return_what_has_not_converged(self, monkeypatch):
        monkeypatch.setattr(module, "jacobi_iteration", functools.partial(jacobi_iteration, sweeps=1))
        with pytest.raises(np.linalg.LinAlgError, match="entries off the diagonal are still"):
            jacobi_eigh(draw(7, 7) + draw(7, 7).T)

    def test_equal_eigenvalues_have_orthonormal_vectors(self):
        a = with_eigenvalues(2, 2, 2, 5, 5)
        w, v = jacobi_eigh((a + a.T) / 2)
        np.testing.assert_allclose(w, [2, 2, 2, 5, 5], rtol=SEVERAL)
        assert off_orthonormal(v) <= rounding(a)

    def test_single_precision_stays_single_and_whole_numbers_become_floats(self):
        a = (draw(5, 5) + draw(5, 5).T).astype(np.float32)
        w, v = jacobi_eigh(a)
        assert w.dtype == v.dtype == np.float32
        assert backward_error(a, v * w @ v.T) <= rounding(a)
        assert jacobi_eigh(np.array([[2, 1], [1, 2]]))[0] == pytest.approx([1, 3], rel=LENGTH)

    def test_what_is_symmetric_but_for_rounding_is_taken_and_what_is_not_is_refused_with_both_values(self):
        a = with_eigenvalues(3, 2, 1)
        assert (a != a.T).any()
        np.testing.assert_allclose(jacobi_eigh(a)[0], [1, 2, 3], rtol=SEVERAL)
        with pytest.raises(ValueError, match=r"a must be symmetric, got 2\.0 and 2\.5 at \(0, 1\) and \(1, 0\)"):
            jacobi_eigh(np.array([[1.0, 2.0], [2.5, 1.0]]))
        with pytest.raises(ValueError, match="a must be symmetric"):
            jacobi_eigh(np.array([[1e150, 1e137], [0.0, 1e150]]))


class TestCharacteristicPolynomial:
    @pytest.mark.parametrize("n", [1, 2, 3, 7, 11])
    def test_agrees_with_numpy_and_with_the_determinant(self, n):
        a = draw(n, n)
        p = characteristic_polynomial(a)
        np.testing.assert_allclose(p, np.poly(a), rtol=0, atol=RESIDUAL * np.abs(p).max())
        for x in (-1.5, 0.0, 0.7):
            assert np.polyval(p, x) == pytest.approx(np.linalg.det(x * np.eye(n) - a), rel=RELATIVE)
            assert (-1) ** n * np.polyval(p, x) == pytest.approx(np.linalg.det(a - x * np.eye(n)), rel=RELATIVE)

    def test_of_a_matrix_of_two_rows_it_has_trace_and_determinant(self):
        assert characteristic_polynomial(np.array([[3, 1], [4, 2]])) == pytest.approx([1, -5, 2], abs=SEVERAL)

    def test_similar_matrices_share_it(self):
        a, s = draw(5, 5), draw(5, 5, seed=1)
        np.testing.assert_allclose(
            characteristic_polynomial(s @ a @ np.linalg.inv(s)), characteristic_polynomial(a), rtol=0, atol=RELATIVE
        )

    def test_every_matrix_is_a_root_of_its_own(self):
        a = draw(5, 5)
        power, total = np.eye(5), np.zeros((5, 5))
        for coefficient in characteristic_polynomial(a)[::-1]:
            total, power = total + coefficient * power, power @ a
        np.testing.assert_allclose(total, 0, rtol=0, atol=RELATIVE)

    def test_its_roots_lose_the_digits_that_the_qr_algorithm_keeps(self):
        values = np.arange(1.0, 21.0)  # Wilkinson's
        a = with_eigenvalues(*values)
        by_roots = np.sort_complex(np.roots(characteristic_polynomial(a)))
        assert np.abs(by_roots - values).max() > 1e-3
        np.testing.assert_allclose(qr_algorithm(a), values, rtol=0, atol=RELATIVE)

    def test_coefficients_that_are_no_floats_are_refused(self):
        np.testing.assert_allclose(characteristic_polynomial(np.eye(2) * 1e150), [1, -2e150, 1e300], rtol=SEVERAL)
        with pytest.raises(ValueError, match="the coefficients must not exceed the largest float"):
            characteristic_polynomial(np.eye(3) * 1e150)


@pytest.mark.parametrize("n", [1, 2, 5, 8, 13])
def test_in_a_tournament_everyone_meets_everyone_once_and_nobody_twice_in_a_round(n):
    rounds = [list(zip(*pairs, strict=True)) for pairs in tournament(n)]
    assert sorted(tuple(sorted(pair)) for pairs in rounds for pair in pairs) == [
        (i, j) for i in range(n) for j in range(i + 1, n)
    ]
    for pairs in rounds:
        assert len(np.unique(pairs)) == 2 * len(pairs)
    assert len(rounds) == n - 1 + n % 2


METHODS = [
    power_iteration,
    inverse_iteration,
    rayleigh_iteration,
    qr_algorithm,
    hessenberg,
    jacobi_eigh,
    characteristic_polynomial,
    lambda a: rayleigh_quotient(a, np.ones(2)),
]


@pytest.mark.parametrize("f", METHODS)
class TestBadInput:
    def test_what_is_not_square_is_refused_with_its_shape(self, f):
        with pytest.raises(ValueError, match=r"as many rows as columns, got shape \(2, 3\)"):
            f(np.ones((2, 3)))

    def test_what_is_empty_is_refused_with_its_shape(self, f):
        with pytest.raises(ValueError, match=r"at least one row and column, got shape \(0, 0\)"):
            f(np.ones((0, 0)))

    @pytest.mark.parametrize("bad", [np.nan, np.inf])
    def test_what_is_not_finite_is_refused_with_its_value(self, f, bad):
        with pytest.raises(ValueError, match=f"a must hold finite numbers, got {bad}"):
            f(np.array([[1.0, bad], [bad, 1.0]]))

    def test_complex_numbers_are_refused(self, f):
        with pytest.raises(ValueError, match="must hold real numbers, got dtype complex128"):
            f(np.eye(2) * 1j)


@pytest.mark.parametrize("method", [power_iteration, inverse_iteration, rayleigh_iteration])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"start": np.ones(2)}, r"must have shape \(3,\) for a matrix \(3, 3\), got \(2,\)"),
        ({"start": np.zeros(3)}, r"must not be zero, got \[0\. 0\. 0\.\]"),
        ({"start": np.array([1.0, np.nan, 0])}, "must hold finite numbers, got nan"),
        ({"start": np.array([1.0, 1j, 0])}, "must hold real numbers, got dtype complex128"),
        ({"steps": -1}, "must not be negative, got -1"),
        ({"steps": 2.5}, "steps must be an integer, got 2.5"),
        ({"tolerance": -1.0}, "tolerance must be finite and not negative, got -1.0"),
    ],
)
def test_starts_steps_and_tolerances_that_are_none_are_refused(method, arguments, message):
    with pytest.raises(ValueError, match=message):
        method(np.eye(3), **arguments)


@pytest.mark.parametrize(("number", "rule"), [(-1, "not be negative, got -1"), (2.5, "be an integer, got 2.5")])
def test_numbers_of_steps_and_sweeps_that_are_none_are_refused(number, rule):
    with pytest.raises(ValueError, match=f"steps must {rule}"):
        qr_iteration(np.eye(3), steps=number)
    with pytest.raises(ValueError, match=f"sweeps must {rule}"):
        jacobi_iteration(np.eye(3), sweeps=number)


def test_without_a_step_nothing_but_small_blocks_is_found():
    found = qr_iteration(np.diag([1.0, 2.0, 3.0]) + np.tri(3, k=-1) + np.tri(3, k=-1).T, steps=0)
    assert np.isnan(found.eigenvalues).all()
    assert not found.converged
    assert len(found.subdiagonals) == 1


def test_a_shift_that_is_no_number_is_refused():
    with pytest.raises(ValueError, match="shift must be finite, got inf"):
        inverse_iteration(np.eye(3), math.inf)


@pytest.mark.parametrize("f", [qr_algorithm, jacobi_eigh, power_iteration])
def test_eigenvalues_that_are_no_floats_are_refused(f):
    with pytest.raises(ValueError, match="must not exceed the largest float"):
        f(np.full((3, 3), 1.7e308))


@pytest.mark.parametrize("size", [1e300, 1e-300])
def test_a_start_that_single_precision_cannot_hold_is_only_a_direction(size):
    a, start = np.diag(np.array([2, 1], np.float32)), np.array([3.0, 4.0])
    assert rayleigh_quotient(a, size * start) == rayleigh_quotient(a, start) == pytest.approx(34 / 25, rel=SINGLE)
    found = power_iteration(a, size * start, steps=3)
    np.testing.assert_array_equal(found.estimates, power_iteration(a, start, steps=3).estimates)
    assert found.vector.dtype == np.float32


@pytest.mark.parametrize("scales", [(1, 1e-12, 1e-24), (1e-24, 1e-12, 1), (1, 1e-60, 1e-120)])
def test_jacobi_keeps_the_digits_of_tiny_eigenvalues_of_a_matrix_whose_rows_and_columns_are_scaled(scales):
    d, whole = np.array(scales), np.array([[3, 1, 2], [1, 4, 1], [2, 1, 5]])
    order = np.argsort(-d)
    minors = [1, *(np.linalg.det(whole[np.ix_(order[:k], order[:k])]) for k in (1, 2, 3))]
    expected = np.divide(minors[1:], minors[:-1]) * d[order] ** 2  # up to the square of a ratio of scales
    np.testing.assert_allclose(jacobi_eigh(d[:, None] * whole * d)[0], expected[::-1], rtol=1e-14)  # tens of u


def test_no_vector_has_no_rayleigh_quotient():
    with pytest.raises(ValueError, match=r"v must be a vector with at least one entry, got shape \(\)"):
        rayleigh_quotient(np.eye(2), None)
