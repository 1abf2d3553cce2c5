"""What a simulation of charged particles must satisfy, and how it is usually got wrong."""

import itertools
import math

import numpy as np

from mlnotes.blocks.equivariance import equivariance_error
from mlnotes.charges import coulomb_forces, simulate_charges, total_energy
from mlnotes.checks.bank import Checks, Claim, Mistake, call, distance, frozen, oracle
from mlnotes.diagnosis.trials import entries
from mlnotes.groups import matrix_actions, random_orthogonal

_rng = np.random.default_rng(31)
_x, _v, _charges, _systems, _rates, _signs = frozen(_rng.normal(size=(5, 3)), _rng.normal(size=(5, 3)) / 2,
    np.array([1.0, -1.0, 1.0, -1.0, -1.0]), _rng.normal(size=(2, 5, 3)), _rng.normal(size=(2, 5, 3)),
    np.array([[1.0, -1.0, 2.0, -1.0, -1.0], [3.0, 1.0, -1.0, 1.0, 0.5]]))
_x2, _v2, _charges2, _near, _opposite = frozen(np.array([[0.0, 0.0], [3.0, 4.0]]), np.array([[1.0, 0.0], [0.0, -2.0]]),
    np.array([2.0, 3.0]), np.array([[0.0, 0.0, 0.0], [0.2, 0.1, 0.0]]), np.array([1.0, -1.0]))
_turns = matrix_actions(random_orthogonal(5, 3, _rng))
_LAST_BITS = {"tolerance": 1e-12, "why": "at most 10 terms below 30 in float64: 10 · 300 · 1.1e-16 is 3e-13"}
_SOFTENING, _TIME = 0.5, 2.0


def _as_parts(f, *arguments, **named):
    """Let a version return times, positions, velocities and energies as it likes: in a tuple, or by name."""
    seen = f(*arguments, **named)
    return seen if entries(seen) is None else tuple(entries(seen).values())


def _circling(time):
    """Put two opposite charges on a circle of radius 1/2, at the time at which the motion has brought them there."""
    rate = (1 + _SOFTENING**2) ** -0.75 * 2**0.5
    place = 0.5 * np.array([math.cos(rate * time), math.sin(rate * time)])
    velocity = 0.5 * rate * np.array([-math.sin(rate * time), math.cos(rate * time)])
    return np.stack([place, -place]), np.stack([velocity, -velocity])


def _off_the_circle(f, n_steps):
    seen = f(*_circling(0.0), _opposite, _TIME / n_steps, n_steps, _SOFTENING)
    return float(np.max(np.abs(seen.x[-1] - _circling(_TIME)[0])))


def _drift(f):
    seen = f(_x, _v, _charges, _TIME / 200, 200, _SOFTENING)
    return float(np.max(np.abs(total_energy(seen.x, seen.v, _charges, _SOFTENING) - seen.energy[0])))


def _there_and_back(f):
    there = f(_x, _v, _charges, 0.02, 50, _SOFTENING)
    return distance(f(there.x[-1], -there.v[-1], _charges, 0.02, 50, _SOFTENING).x[-1], _x)


def _beginning(f):
    seen = f(_x, _v, _charges, 0.1, 3)
    return distance(seen.x[0], _x) + seen.times[0]


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


def _off_scipy(f):
    found = f(_x, _v, _charges, _TIME / 1000, 1000, _SOFTENING).x[-1]
    return distance(found, _scipy_motion(_x, _v, _charges, _SOFTENING))


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


_LENGTHS = "_softened(difference, softening)"
_SQUARES = (
    "np.sqrt(np.maximum(0, (x**2).sum(-1)[..., None] + (x**2).sum(-1)[..., None, :] - 2 * x @ np.swapaxes(x, -1, -2))"
    " + softening**2)")
_SUMMED = "(size[..., None] * (difference / distance[..., None])).sum(axis=-2)"
_PAIRS = "(charges[..., i] * charges[..., j] / distance).sum(axis=-1)"
_KICK = "v = v + step / 2 * force\n"
_FIRST, _RENEWED, _LAST = ("range(n_steps):\n        " + _KICK,
    "        force = coulomb_forces(x, charges, softening)\n        " + _KICK, _KICK + "        seen")

CHECKS = (
    Checks(coulomb_forces,
        cases=(
            call(_x2, _charges2, softening=0.0).about("no softening"), call(_x2, _charges2),
            call(_near, _opposite).about("particles that are near"), call(_x, _charges),
            call(_x, _charges, softening=0.4).about("a softening"),
            call(_x + 1e6, _charges, softening=0.0).about("a million units away"),
            call(_systems, _signs, 0.3).about("two systems"),
            call(_x2 * [[1.0], [3e307]], _charges2).about("particles 1e308 apart", edge=True),
            call(1.5e308 * np.array([[1.0, 0.0], [-1.0, 0.0]]),
                _charges2).about("particles farther apart than the largest number", edge=True)),
        claims=(
            Claim("all forces together are zero", lambda f: distance(f(_x, _charges).sum(0), np.zeros(3)),
                **_LAST_BITS),
            Claim("forces turn with the particles",
                lambda f: equivariance_error(lambda x: f(x, _opposite), _turns, _turns, _near), **_LAST_BITS),
            Claim("equal charges at distance 2 part with force 1/4",
                lambda f: distance(f(np.array([[1.0], [-1.0]]), np.ones(2), 0.0), [[0.25], [-0.25]]), **_LAST_BITS),
            Claim("a million units away nothing changes but rounding",
                lambda f: distance(f(_x + 1e6, _charges), coulomb_forces(_x, _charges)), tolerance=1e-8,
                why="positions around 1e6 are rounded to 1e-10, and forces change by up to 40 times as much"),
            oracle("torch's gradient of the energy", _minus_torch_gradient, call(_x, _charges, 0.4), **_LAST_BITS)),
        mistakes=(
            Mistake("force of one over distance", ("/ distance / distance", "/ distance"), "The force falls off as 1/r",
                "divide by the cube of the distance: one power is for the direction"),
            Mistake("force of one over the cube",
                ("(difference / distance[..., None])", "(difference / distance[..., None] ** 2)"),
                "The force falls off as 1/r³",
                "divide by the cube of the distance: the difference is as long as the distance once"),
            Mistake("force clipped", (_SUMMED, f"np.clip({_SUMMED}, -0.5, 0.5)"),
                "Near particles are pushed towards diagonals, and energy is not conserved",
                "soften the law instead of clipping coordinates of the force", "egnn, synthetic_sim.py (2021)"),
            Mistake("squares multiplied out", (_LENGTHS, _SQUARES), "Far from the origin forces lose their digits",
                "subtract positions first, and square the differences", "egnn, synthetic_sim.py (2021)"),
            Mistake("softening not squared", (_LENGTHS, "_softened(difference, softening**0.5)"),
                "Forces are softer than the energy says, for a softening below 1", "add the softening squared"),
            Mistake("direction not softened", ("(difference / distance[..., None])",
                "(difference / np.maximum(_softened(difference, 0.0), 1e-300)[..., None])"),
                "Forces are larger than the energy says", "divide the difference by the softened distance, too"))),
    Checks(total_energy,
        cases=(
            call(_x2, 0 * _v2, _charges2, softening=0.0).about("particles at rest, no softening"),
            call(_x2, _v2, _charges2), call(_x, _v, _charges),
            call(_x, _v, _charges, softening=0.4).about("a softening"),
            call(_systems, _rates, _signs, 0.3).about("two systems")),
        claims=(
            Claim("opposite charges at rest at distance 2 have -1/2",
                lambda f: distance(f(np.array([[1.0], [-1.0]]), np.zeros((2, 1)), _opposite, 0.0), -0.5), **_LAST_BITS),
            oracle("scipy's pdist, pair by pair", _scipy_energy, call(_x, _v, _charges, 0.4), **_LAST_BITS)),
        mistakes=(
            Mistake("pairs counted twice", (_PAIRS, f"2 * {_PAIRS}"), "Pairs count twice",
                "add over i < j, or halve the sum over all"),
            Mistake("energy not softened", ("x[..., j, :], softening)", "x[..., j, :], 0.0)"),
                "Energy seems to change in every encounter", "soften energy and force alike"),
            Mistake("half forgotten", ("sum(axis=(-1, -2)) / 2", "sum(axis=(-1, -2))"), "Motion counts twice",
                "halve the squares of the velocities"),
            Mistake("potential of the force",
                (_PAIRS, "(charges[..., i] * charges[..., j] / distance**2).sum(axis=-1)"),
                "The energy of position falls off as 1/r²",
                "divide by the distance once: the force is its derivative"))),
    Checks(simulate_charges, run=_as_parts,
        cases=(
            call(_x2, _v2, _charges2, 0.5, 2), call(_x2, _v2, _charges2, 0.5, 0).about("no step"),
            call(_x, _v, _charges, 0.1, 3), call(_x, _v, _charges, 0.1, 3, _SOFTENING).about("a softening"),
            call(_systems, _rates, _signs, 0.05, 7, 0.3).about("two systems")),
        claims=(
            Claim("entry 0 is the start", _beginning),
            Claim("energy drifts by less than a thousandth", _drift, tolerance=1e-3,
                why="its error is of the order of the step squared, 1e-4"),
            Claim("half the step makes a quarter of the error",
                lambda f: abs(_off_the_circle(f, 50) / _off_the_circle(f, 100) - 4), tolerance=0.1,
                why="the next term is smaller by the step squared again"),
            Claim("with velocities reversed it runs back to the start", _there_and_back, tolerance=1e-9,
                why="rounding, which encounters enlarge"),
            Claim("the circle of two opposite charges, worked out by hand", lambda f: _off_the_circle(f, 1000),
                tolerance=1e-5, why="the step squared is 4e-6", kind="oracle"),
            Claim("scipy's integrator of order 8", _off_scipy, tolerance=1e-4, why="the step squared is 4e-6",
                kind="oracle")),
        mistakes=(
            Mistake("Euler",
                ((_FIRST, "range(n_steps):\n        before = force\n"), (_LAST, "v = v + step * before\n        seen")),
                "In the end energy has grown, however small the step", "kick by half, drift, and kick by half again"),
            Mistake("first kick whole", ((_FIRST, "range(n_steps):\n        v = v + step * force\n"), (_LAST, "seen")),
                "Half the step makes half the error, not a quarter: velocities are half a step ahead",
                "begin and end every step with half a kick", "egnn, synthetic_sim.py (2021)"),
            Mistake("drift before the kick",
                ((_FIRST, "range(n_steps):\n"), (_LAST, "v = v + step * force\n        seen")),
                "Half the step makes half the error, not a quarter: positions are moved by velocities of before",
                "kick by half before the drift, and by half after it"),
            Mistake("force not renewed",
                (_RENEWED, "        " + _KICK + "        force = coulomb_forces(x, charges, softening)\n"),
                "Half the step makes half the error, not a quarter, and energy drifts",
                "kick the second half with the force at the new positions"),
            Mistake("start not listed",
                (("seen = [(x, v)]", "seen = []"), ("np.arange(len(x))", "np.arange(1, n_steps + 1)")),
                "Entry 0 is the state after one step", "list the start as well"))),
)
