"""Charged particles: forces, energy, and a method that keeps it."""

import math

import numpy as np
import pytest
import scipy.integrate
import scipy.spatial.distance
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mlnotes.blocks.equivariance import is_equivariant
from mlnotes.charges import coulomb_forces, draw_charges, simulate_charges, total_energy
from mlnotes.groups import matrix_actions, random_orthogonal

# A rounding is 1.1e-16.
ROUNDED = 2e-15  # a distance, its cube and a quotient, up to 0.04, or a length: 12 roundings
FORCES = 5e-15  # four such forces up to 2.2, added up: 16 * 2.2 * 1.1e-16 = 4e-15
ENERGY = 1e-14  # ten pairs, of which a tenth is left: 10 * 10 * 1.1e-16
SLOPES = 5e-9  # energies of ten pairs, rounded by 5e-15, over a step of 1e-6
SOFT = 5e-13  # four forces up to 38.5 cancel: 20 roundings of at most 154 are 3.4e-13
TURNED = 1e-13  # turned by products of three, moved by 3, and so near that forces move ten times as far
EXACT = 1e-11  # asked of the integrator, whose errors must not be seen beside those of steps, 1e-6 at least
ORDER = 5e-4  # what is left out is as the square of the step, 0.02, to what is not
STEPS = 3e-5  # 1.1 of the squared length of a step, 0.005; rounding, 1e-13, has no part in it
MOMENTUM = 1e-13  # 300 steps of five speeds up to 0.5: 300 * 5 * 0.5 * 1.1e-16 = 8e-14
TURNING = 1e-12  # the same of products with places, up to 2.4, with 15 roundings: 1.2e-12; measured: 3e-15
REVERSED = 1e-12  # 200 steps of 4 roundings of numbers up to 2.4 are 2e-13, and grow on the way; measured: 9e-16
ALONE = 1e-14  # 20 steps of 4 roundings of numbers up to 1.4: 1.2e-14; measured: 0

X, V, CHARGES = (a[0] for a in draw_charges(np.random.default_rng(2), 1))
positions = arrays(np.float64, (5, 3), elements=st.floats(-100, 100))


def pairs(x, charges, softening):
    """Add forces and energies up pair by pair, as numbers."""
    forces, energy = np.zeros_like(x), 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            if i != j:
                distance = math.sqrt(math.dist(x[i], x[j]) ** 2 + softening**2)
                forces[i] += charges[i] * charges[j] * (x[i] - x[j]) / distance**3
                energy += charges[i] * charges[j] / distance / 2
    return forces, energy


def exact(x, v, charges, time, softening):
    """Let an integrator of order 8 find the motion."""
    start = np.concatenate([x, v], axis=None)

    def change(_, state):
        x, v = state.reshape(2, *X.shape)
        return np.concatenate([v, pairs(x, charges, softening)[0]], axis=None)

    solution = scipy.integrate.solve_ivp(change, (0, time), start, "DOP853", rtol=EXACT, atol=EXACT)
    return solution.y[:, -1].reshape(2, *X.shape)


class TestForces:
    @pytest.mark.parametrize("softening", [0.0, 0.1, 3.0])
    def test_forces_and_energy_are_sums_over_pairs(self, softening):
        forces, energy = pairs(X, CHARGES, softening)
        np.testing.assert_allclose(coulomb_forces(X, CHARGES, softening), forces, rtol=0, atol=FORCES)
        assert total_energy(X, 0 * V, CHARGES, softening) == pytest.approx(energy, rel=ENERGY)
        assert total_energy(X, V, CHARGES, softening) == pytest.approx(energy + (V**2).sum() / 2, rel=ENERGY)

    def test_forces_are_minus_the_gradient_of_the_energy(self):
        step = 1e-6
        moved = X + step * np.eye(15).reshape(15, 5, 3) * np.array([[[[1.0]]], [[[-1.0]]]])
        plus, minus = total_energy(moved, 0 * moved, CHARGES)
        np.testing.assert_allclose(coulomb_forces(X, CHARGES).ravel(), (minus - plus) / (2 * step), rtol=0, atol=SLOPES)

    def test_a_softened_force_is_largest_at_the_softening_over_root_two(self):
        at = np.array([0.9, 1.0, 1.1]) / np.sqrt(2)
        sizes = [coulomb_forces(np.array([[0.0], [it]]), np.ones(2), 1.0)[1, 0] for it in at]
        assert sizes[1] == max(sizes) == pytest.approx(2 / 27**0.5, rel=ROUNDED)

    @settings(max_examples=50, deadline=None)
    @given(positions)
    def test_all_forces_together_are_zero_and_no_force_passes_what_softening_allows(self, x):
        forces = coulomb_forces(x, CHARGES, 0.1)
        np.testing.assert_allclose(forces.sum(0), 0, rtol=0, atol=SOFT)
        assert np.abs(forces).max() <= 4 * 2 / (3 * 3**0.5) / 0.1**2 * (1 + ENERGY)  # each at distance s/√2

    def test_forces_follow_rotations_reflections_and_translations(self):
        turns = matrix_actions(random_orthogonal(20, 3, np.random.default_rng(0)))
        moves = [lambda x, turn=turn: turn(x) + np.array([3.0, -1.0, 2.0]) for turn in turns]
        assert is_equivariant(lambda x: coulomb_forces(x, CHARGES), moves, turns, X, TURNED)

    @pytest.mark.parametrize("size", [1e-100, 1e-20, 1e100, 1e200])
    def test_digits_are_right_however_large_or_small_the_distances_are(self, size):
        forces = coulomb_forces(np.array([[0.0, 0.0], [3.0, 4.0]]) * size, np.ones(2), 0.0)
        np.testing.assert_allclose(forces, np.array([[-0.6, -0.8], [0.6, 0.8]]) / 25 / size / size, rtol=ROUNDED)
        energy = total_energy(np.array([[0.0, 0.0], [3.0, 4.0]]) * size, np.zeros((2, 2)), np.ones(2), 0.0)
        assert energy == pytest.approx(0.2 / size, rel=ROUNDED)

    def test_particles_farther_apart_than_floats_reach_feel_nothing_of_each_other(self):
        far = np.array([[-1.7e308, 0.0], [1.7e308, 1e300], [1.7e308, 1e300]])
        assert not coulomb_forces(far, np.ones(3), 0.1).any()

    def test_particles_that_coincide_do_not_push_each_other_if_they_are_soft(self):
        assert not coulomb_forces(np.ones((2, 3)), np.ones(2), 0.1).any()
        assert total_energy(np.ones((2, 3)), np.zeros((2, 3)), np.ones(2), 0.1) == pytest.approx(10, rel=ROUNDED)

    def test_a_single_particle_feels_nothing(self):
        seen = simulate_charges(np.ones((1, 3)), np.ones((1, 3)), np.ones(1), 0.5, 4)
        np.testing.assert_array_equal(seen.x[:, 0, 0], [1, 1.5, 2, 2.5, 3])
        np.testing.assert_array_equal(seen.energy, 1.5)


class TestMotion:
    def test_energy_stays_within_the_square_of_the_step(self):
        for step in (0.02, 0.01, 0.005):
            seen = simulate_charges(X, V, CHARGES, step, round(2 / step), 0.5)
            assert np.abs(seen.energy - seen.energy[0]).max() < 2 * step**2  # measured: 0.97

    def test_energy_is_as_good_after_twenty_five_circuits_as_after_six(self):
        x, v = np.array([[0.6, 0.0], [-0.6, 0.0]]), np.array([[0.0, 0.3], [0.0, -0.3]])
        seen = simulate_charges(x, v, np.array([1.0, -1.0]), 0.02, 4000, 0.2)
        errors = np.abs(seen.energy[1:] - seen.energy[0]).reshape(4, 1000).max(axis=1)
        assert ((seen.x[1:, 0, 1] > 0) & (seen.x[:-1, 0, 1] <= 0)).sum() == 25
        assert errors.max() < 0.011  # measured: 0.0106
        assert errors[3] < 1.01 * errors[0]  # measured: 1.00

    def test_the_error_falls_as_the_square_of_the_step(self):
        expected, errors = exact(X, V, CHARGES, 2.0, 0.5)[0], []
        for n_steps in (100, 200, 400):
            errors.append(np.abs(simulate_charges(X, V, CHARGES, 2 / n_steps, n_steps, 0.5).x[-1] - expected).max())
        order = np.log2(np.array(errors[:-1]) / errors[1:])
        np.testing.assert_allclose(order, 2, rtol=0, atol=ORDER)

    def test_two_opposite_charges_circle_as_worked_out_by_hand(self):
        # At radius 1/2, softened by s, the force is 1 / (1 + s²)^(3/2), and the square of the rate is force / radius.
        rate, time = math.sqrt(2 / (1 + 0.5**2) ** 1.5), 10.0
        x = np.array([[0.5, 0.0], [-0.5, 0.0]])
        v = np.array([[0.0, 0.5], [0.0, -0.5]]) * rate
        seen = simulate_charges(x, v, np.array([1.0, -1.0]), time / 2000, 2000, 0.5)
        angle = rate * seen.times
        np.testing.assert_allclose(seen.x[:, 0], 0.5 * np.stack([np.cos(angle), np.sin(angle)], -1), rtol=0, atol=STEPS)

    def test_momentum_and_angular_momentum_stay_to_the_last_digits(self):
        seen = simulate_charges(X, V, CHARGES, 0.01, 300)
        np.testing.assert_allclose(seen.v.sum(1), np.broadcast_to(V.sum(0), (301, 3)), rtol=0, atol=MOMENTUM)
        turning = np.cross(seen.x, seen.v).sum(1)
        np.testing.assert_allclose(turning, np.broadcast_to(turning[0], (301, 3)), rtol=0, atol=TURNING)

    def test_it_runs_backwards_to_where_it_came_from(self):
        there = simulate_charges(X, V, CHARGES, 0.02, 100, 0.5)
        back = simulate_charges(there.x[-1], -there.v[-1], CHARGES, 0.02, 100, 0.5)
        np.testing.assert_allclose(back.x[::-1], there.x, rtol=0, atol=REVERSED)
        np.testing.assert_allclose(back.v[::-1], -there.v, rtol=0, atol=REVERSED)

    def test_many_systems_at_once_move_as_each_alone(self):
        x, v, charges = draw_charges(np.random.default_rng(0), 3, n=7, d=2)
        seen = simulate_charges(x, v, charges, 0.01, 20)
        assert seen.times.shape == (21,)
        assert seen.x.shape == seen.v.shape == (21, 3, 7, 2)
        alone = simulate_charges(x[1], v[1], charges[1], 0.01, 20)
        np.testing.assert_allclose(seen.x[:, 1], alone.x, rtol=0, atol=ALONE)
        np.testing.assert_allclose(seen.energy[:, 1], alone.energy, rtol=0, atol=10 * ALONE)
        np.testing.assert_array_equal(seen.x[0], x)

    def test_the_same_charges_serve_several_systems(self):
        x, v, _ = draw_charges(np.random.default_rng(0), 3, n=5, d=2)
        one, three = (simulate_charges(x, v, it, 0.01, 4) for it in (CHARGES, np.stack([CHARGES] * 3)))
        np.testing.assert_array_equal(one.x, three.x)
        np.testing.assert_array_equal(one.energy, three.energy)

    def test_as_many_steps_as_a_byte_counts_have_all_their_times(self):
        seen = simulate_charges(np.ones((1, 3)), np.ones((1, 3)), np.ones(1), 0.5, np.uint8(255))
        np.testing.assert_array_equal(seen.times, 0.5 * np.arange(256))

    def test_no_step_leaves_the_start(self):
        seen = simulate_charges(X, V, CHARGES, 0.1, 0)
        np.testing.assert_array_equal(seen.x, X[None])
        assert seen.energy.shape == (1,)

    def test_too_long_a_step_shows_in_the_energy(self):
        seen = simulate_charges(X, V, CHARGES, 0.5, 20)
        assert np.abs(seen.energy - seen.energy[0]).max() > 1


class TestDraws:
    def test_the_same_seed_draws_the_same_and_another_other_ones(self):
        one, same, other = (draw_charges(np.random.default_rng(seed), 2) for seed in (0, 0, 1))
        for a, b, c in zip(one, same, other, strict=True):
            np.testing.assert_array_equal(a, b)
            assert not np.array_equal(a, c)

    def test_are_what_they_say(self):
        x, v, charges = draw_charges(np.random.default_rng(0), 500, n=7, d=3)
        assert x.shape == v.shape == (500, 7, 3)
        assert scipy.stats.kstest(x.ravel(), "norm").pvalue > 0.01
        np.testing.assert_allclose(np.linalg.norm(v, axis=-1), 0.5, rtol=ROUNDED)
        assert scipy.stats.kstest(v[..., 0].ravel(), "uniform", (-0.5, 1)).pvalue > 0.01
        assert set(charges.ravel()) == {-1, 1}
        assert scipy.stats.binomtest(int((charges > 0).sum()), 3500).pvalue > 0.01


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"v": V[:3]}, r"\(..., n, d\), \(..., n, d\) and \(..., n\), got \(5, 3\), \(3, 3\) and \(5,\)"),
        ({"charges": CHARGES[:3]}, r"got \(5, 3\), \(5, 3\) and \(3,\)"),
        ({"charges": np.float64(1)}, r"got \(5, 3\), \(5, 3\) and \(\)"),
        ({"charges": CHARGES[None]}, r"got \(5, 3\), \(5, 3\) and \(1, 5\)"),
        (
            {"x": np.stack([X] * 4), "v": np.stack([V] * 4), "charges": np.stack([CHARGES] * 3)},
            r"got \(4, 5, 3\), \(4, 5, 3\) and \(3, 5\)",
        ),
        ({"x": X[0], "v": V[0]}, r"got \(3,\), \(3,\) and \(5,\)"),
        ({"x": X[:0], "v": V[:0], "charges": CHARGES[:0]}, r"got \(0, 3\), \(0, 3\) and \(0,\)"),
        ({"x": X * np.nan}, "x must hold finite numbers, got nan"),
        ({"x": X + 1j}, "x must hold real numbers, got dtype complex128"),
        ({"charges": CHARGES * 1j}, "charges must hold real numbers, got dtype complex128"),
        ({"v": V * np.inf}, "v must hold finite numbers, got"),
        ({"step": 0.0}, r"step must be positive and finite, got 0\.0"),
        ({"step": np.nan}, "step must be positive and finite, got nan"),
        ({"step": np.inf}, "step must be positive and finite, got inf"),
        ({"n_steps": -1}, "n_steps must not be negative, got -1"),
        ({"n_steps": 2.5}, r"n_steps must be an integer, got 2\.5"),
        ({"softening": -0.1}, r"softening must be finite and not negative, got -0\.1"),
        ({"softening": np.nan}, "softening must be finite and not negative, got nan"),
        ({"x": 0 * X, "softening": 0.0}, r"must keep apart or be softened, .* got a distance of 0\.0"),
        ({"x": X * 1e-200, "softening": 0.0}, "must keep apart or be softened, .* got a distance of .*e-2"),
        ({"charges": 1e200 * CHARGES}, "products of charges be finite, got a distance of .* and a charge of .*e"),
        ({"step": 1e308}, r"step must be short enough for positions to stay finite, got step=1e\+308"),
    ],
)
def test_bad_input_is_refused_with_the_rule_and_both_values(changed, message):
    arguments = {"x": X, "v": V, "charges": CHARGES, "step": 0.1, "n_steps": 3, "softening": 0.1}
    with pytest.raises(ValueError, match=message):
        simulate_charges(**{**arguments, **changed})


@pytest.mark.parametrize("numbers", [(0, 5, 3), (1, 0, 3), (1, 5, 0)])
def test_draws_of_nothing_are_refused(numbers):
    with pytest.raises(ValueError, match="must be positive, got 0"):
        draw_charges(np.random.default_rng(0), *numbers)
