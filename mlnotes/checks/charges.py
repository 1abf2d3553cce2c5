"""What a simulation of charged particles must satisfy, and how it is usually got wrong."""

import itertools
import math

import numpy as np

from mlnotes.blocks.equivariance import equivariance_error
from mlnotes.charges import Trajectory, coulomb_forces, simulate_charges, total_energy
from mlnotes.checks.oldbank import Checks, Claim, Mistake, distance, frozen
from mlnotes.groups import matrix_actions, random_orthogonal

_rng = np.random.default_rng(31)
_x, _v, _charges = frozen(
    _rng.normal(size=(5, 3)), _rng.normal(size=(5, 3)) / 2, np.array([1.0, -1.0, 1.0, -1.0, -1.0])
)
_near = (np.array([[0.0, 0.0, 0.0], [0.2, 0.1, 0.0]]), np.array([1.0, -1.0]))
_turns = matrix_actions(random_orthogonal(5, 3, _rng))
_LAST_BITS = "sums of at most 5 numbers in float64: a few units of 1e-16"
_SOFTENING, _TIME = 0.5, 2.0


def _circling(time):
    """Put two opposite charges on a circle of radius 1/2, at the time at which the motion has brought them there."""
    rate = (1 + _SOFTENING**2) ** -0.75 * 2**0.5
    place = 0.5 * np.array([math.cos(rate * time), math.sin(rate * time)])
    velocity = 0.5 * rate * np.array([-math.sin(rate * time), math.cos(rate * time)])
    return np.stack([place, -place]), np.stack([velocity, -velocity])


def _off_the_circle(f, n_steps):
    seen = f(*_circling(0.0), np.array([1.0, -1.0]), _TIME / n_steps, n_steps, _SOFTENING)
    return float(np.max(np.abs(seen.x[-1] - _circling(_TIME)[0])))


def _drift(f, n_steps):
    seen = f(_x, _v, _charges, _TIME / n_steps, n_steps, _SOFTENING)
    return float(np.max(np.abs(total_energy(seen.x, seen.v, _charges, _SOFTENING) - seen.energy[0])))


def _there_and_back(f):
    there = f(_x, _v, _charges, 0.02, 50, _SOFTENING)
    back = f(there.x[-1], -there.v[-1], _charges, 0.02, 50, _SOFTENING)
    return distance(back.x[-1], _x)


def _scipy_motion(x, v, charges, softening):
    """Let an integrator of order 8 follow forces that are added up pair by pair."""
    from scipy.integrate import solve_ivp

    def change(_, state):
        x, v = state.reshape(2, *_x.shape)
        force = np.zeros_like(x)
        for i, j in itertools.permutations(range(len(x)), 2):
            force[i] += charges[i] * charges[j] * (x[i] - x[j]) / (math.dist(x[i], x[j]) ** 2 + softening**2) ** 1.5
        return np.concatenate([v, force], axis=None)

    start = np.concatenate([x, v], axis=None)
    return solve_ivp(change, (0, _TIME), start, "DOP853", rtol=1e-11, atol=1e-11).y[:, -1].reshape(2, *x.shape)[0]


def _minus_torch_gradient(x, charges, softening):
    import torch

    x, charges = torch.tensor(x, requires_grad=True), torch.tensor(charges)
    i, j = np.triu_indices(len(x), 1)
    distances = ((x[i] - x[j]).square().sum(-1) + softening**2).sqrt()
    return -torch.autograd.grad((charges[i] * charges[j] / distances).sum(), x)[0].numpy()


def _scipy_energy(x, v, charges, softening):
    from scipy.spatial.distance import pdist

    products = [q * p for q, p in itertools.combinations(charges, 2)]
    return 0.5 * np.linalg.norm(v) ** 2 + np.sum(products / np.hypot(pdist(x), softening))


def like_charges_attract(x, charges, softening=0.1):
    """Subtract x_i from x_j."""
    return -coulomb_forces(x, charges, softening)


def force_of_one_over_distance(x, charges, softening=0.1):
    """Divide the difference by the square of its length only."""
    difference = x[:, None] - x
    squared = (difference**2).sum(-1, keepdims=True) + softening**2
    return (charges[:, None, None] * charges[None, :, None] * difference / squared).sum(1)


def force_clipped(x, charges, softening=0.1):
    """Limit each coordinate of the force."""
    return np.clip(coulomb_forces(x, charges, softening), -0.5, 0.5)


def squares_multiplied_out_in_forces(x, charges, softening=0.1):
    """Compute squared distances from products of positions."""
    squares = (x**2).sum(-1)
    squared = np.maximum(0, squares[:, None] + squares - 2 * x @ x.T) + softening**2
    size = charges[:, None] * charges / squared**1.5
    return (size[..., None] * (x[:, None] - x)).sum(1)


def softening_not_squared(x, charges, softening=0.1):
    """Add the softening itself to the squared distance."""
    return coulomb_forces(x, charges, softening**0.5)


def pairs_counted_twice(x, v, charges, softening=0.1):
    """Add the energy of position over i and j in both orders."""
    return 2 * total_energy(x, v, charges, softening) - total_energy(x, v, 0 * charges, softening)


def energy_not_softened(x, v, charges, softening=0.1):
    """Soften the force, but not the energy that belongs to it."""
    return total_energy(x, v, charges, 0.0)


def half_forgotten(x, v, charges, softening=0.1):
    """Add the squares of velocities themselves."""
    return total_energy(x, 2**0.5 * v, charges, softening)


def _simulation(advance):
    """Make a simulation of a rule for one step."""

    def simulate(x, v, charges, step, n_steps, softening=0.1):
        seen = [(x, v)]
        for _ in range(n_steps):
            x, v = advance(x, v, lambda x: coulomb_forces(x, charges, softening), step)
            seen.append((x, v))
        x, v = map(np.stack, zip(*seen, strict=True))
        return Trajectory(step * np.arange(n_steps + 1), x, v, total_energy(x, v, charges, softening))

    return simulate


def euler(*arguments):
    """Go on with the velocity and the force of before."""
    return _simulation(lambda x, v, force, step: (x + step * v, v + step * force(x)))(*arguments)


def first_kick_whole(*arguments):
    """Begin a leapfrog with a whole step of the velocity instead of half of one."""
    return _simulation(lambda x, v, force, step: (x + step * (v + step * force(x)), v + step * force(x)))(*arguments)


def force_not_renewed(*arguments):
    """Use the force of before for both halves of the kick."""
    return _simulation(
        lambda x, v, force, step: (x + step * v + step**2 / 2 * force(x), v + step * force(x)),
    )(*arguments)


def start_not_listed(*arguments):
    """Record only what comes after a step."""
    seen = simulate_charges(*arguments)
    return Trajectory(seen.times[1:], seen.x[1:], seen.v[1:], seen.energy[1:])


OLD = (
    Checks(
        coulomb_forces,
        probes=((_x, _charges), _near, (_x + 1e6, _charges, 0.0), (_x, _charges, 0.4)),
        claims=(
            Claim(
                "all forces together are zero",
                lambda f: distance(f(_x, _charges).sum(0), np.zeros(3)),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "forces turn with the particles",
                lambda f: equivariance_error(lambda x: f(x, _near[1]), _turns, _turns, _near[0]),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "equal charges at distance 2 part with force 1/4",
                lambda f: distance(f(np.array([[1.0], [-1.0]]), np.ones(2), 0.0), [[0.25], [-0.25]]),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "a million units away nothing changes but rounding",
                lambda f: distance(f(_x + 1e6, _charges), coulomb_forces(_x, _charges)),
                1e-6,
                "positions around 1e6 are rounded to 1e-10",
                edge=True,
            ),
            Claim(
                "torch's gradient of the energy",
                lambda f: distance(f(_x, _charges, 0.4), _minus_torch_gradient(_x, _charges, 0.4)),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(like_charges_attract, "Equal charges fly towards each other", "multiply x_i - x_j, not x_j - x_i"),
            Mistake(
                force_of_one_over_distance,
                "The force falls off as 1/r",
                "divide by the cube of the distance: one power is for the direction",
            ),
            Mistake(
                force_clipped,
                "Near particles are pushed along the axes, and energy is made from nothing",
                "soften the law instead of clipping coordinates of the force",
                "egnn, synthetic_sim.py (2021)",
            ),
            Mistake(
                squares_multiplied_out_in_forces,
                "Far from the origin forces have no digits left",
                "subtract positions first, and square the differences",
                "egnn, synthetic_sim.py (2021)",
            ),
            Mistake(softening_not_squared, "Forces are softer than the energy says", "add the softening squared"),
        ),
    ),
    Checks(
        total_energy,
        probes=((_x, _v, _charges), (_x, _v, _charges, 0.4)),
        claims=(
            Claim(
                "opposite charges at rest at distance 2 have -1/2",
                lambda f: distance(f(np.array([[1.0], [-1.0]]), np.zeros((2, 1)), np.array([1.0, -1.0]), 0.0), -0.5),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "scipy's pdist, pair by pair",
                lambda f: distance(f(_x, _v, _charges, 0.4), _scipy_energy(_x, _v, _charges, 0.4)),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(pairs_counted_twice, "Pairs count twice", "add over i < j, or halve the sum over all"),
            Mistake(energy_not_softened, "Energy seems to change in every encounter", "soften energy and force alike"),
            Mistake(half_forgotten, "Motion counts twice", "halve the squares of the velocities"),
        ),
    ),
    Checks(
        simulate_charges,
        probes=((_x, _v, _charges, 0.1, 3, _SOFTENING),),
        claims=(
            Claim(
                "entry 0 is the start",
                lambda f: distance(f(_x, _v, _charges, 0.1, 3).x[0], _x) + f(_x, _v, _charges, 0.1, 3).times[0],
            ),
            Claim(
                "energy drifts by less than a thousandth",
                lambda f: _drift(f, 200),
                1e-3,
                "its error is of the order of the step squared, 1e-4",
            ),
            Claim(
                "half the step makes a quarter of the error",
                lambda f: abs(_off_the_circle(f, 50) / _off_the_circle(f, 100) - 4),
                0.1,
                "the next term is smaller by the step squared again",
            ),
            Claim(
                "with velocities reversed it runs back to the start",
                _there_and_back,
                1e-9,
                "rounding, which encounters enlarge",
            ),
            Claim(
                "the circle of two opposite charges, worked out by hand",
                lambda f: _off_the_circle(f, 1000),
                1e-5,
                "the step squared is 4e-6",
                "oracle",
            ),
            Claim(
                "scipy's integrator of order 8",
                lambda f: distance(
                    f(_x, _v, _charges, _TIME / 1000, 1000, _SOFTENING).x[-1],
                    _scipy_motion(_x, _v, _charges, _SOFTENING),
                ),
                1e-4,
                "the step squared is 4e-6",
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                euler, "Energy grows steadily, however small the step", "kick by half, drift, and kick by half again"
            ),
            Mistake(
                first_kick_whole,
                "Half the step makes half the error, not a quarter: velocities are half a step ahead",
                "begin and end every step with half a kick",
                "egnn, synthetic_sim.py (2021)",
            ),
            Mistake(
                force_not_renewed,
                "Positions are good, velocities are not, and energy drifts",
                "kick the second half with the force at the new positions",
            ),
            Mistake(start_not_listed, "Entry 0 is the state after one step", "list the start as well"),
        ),
    ),
)
