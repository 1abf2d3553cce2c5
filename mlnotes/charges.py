"""Charged particles: how they move, by a method that keeps their energy, and where they start."""

from dataclasses import dataclass

import numpy as np

from mlnotes.arrays import require_finite, require_integers, require_not_negative, require_positive


@dataclass(frozen=True)
class Trajectory:
    """What `simulate_charges` saw: ``times`` (t,), ``x`` and ``v`` (t, ..., n, d), ``energy`` (t, ...)."""

    times: np.ndarray
    x: np.ndarray
    v: np.ndarray
    energy: np.ndarray


def simulate_charges(x, v, charges, step, n_steps, softening=0.1):
    """Let charged particles attract and repel each other, by velocity Verlet.

    Parameters
    ----------
    x, v : array (..., n, d)
        Positions and velocities at time 0.
    charges : array (..., n)
        Charges, of both signs. Every mass is 1.
    step : float
        Length of a step in time, positive.
    n_steps : int
        How many steps.
    softening : float
        What keeps the force between particles that meet finite, a length.

    Returns
    -------
    Trajectory
        Everything at the times 0, step, …, n_steps · step. The energy does not change but for the error of the method,
        which shrinks as the square of the step: look at it to judge whether the step was small enough.

    Raises
    ------
    ValueError
        If shapes do not fit, a number is not finite, the step is not positive or so long that positions overflow,
        ``n_steps`` or ``softening`` is negative, or particles come so near that the force overflows.

    Notes
    -----
    .. math::

        \\mathbf v_{t+\\frac12} &= \\mathbf v_t + \\tfrac{\\Delta t}2\\,\\mathbf F(\\mathbf x_t) \\\\
        \\mathbf x_{t+1} &= \\mathbf x_t + \\Delta t\\,\\mathbf v_{t+\\frac12} \\\\
        \\mathbf v_{t+1} &= \\mathbf v_{t+\\frac12} + \\tfrac{\\Delta t}2\\,\\mathbf F(\\mathbf x_{t+1})

    Units: with lengths in any L, charges in any q and masses in any m, time is in :math:`\\sqrt{mL^3/(kq^2)}` and
    energy in :math:`kq^2/L`, where k is Coulomb's constant.

    References
    ----------
    Hairer, Lubich and Wanner, *Geometric numerical integration illustrated by the Störmer–Verlet method*, 2003.
    """
    require_positive(step=step)
    require_integers(0, n_steps=n_steps)
    _require_particles(x, v, charges, softening)
    x, v, charges = (np.asarray(a, dtype=np.float64) for a in (x, v, charges))
    seen = [(x, v)]
    force = coulomb_forces(x, charges, softening)
    for _ in range(n_steps):
        v = v + step / 2 * force
        with np.errstate(over="ignore", invalid="ignore"):
            x = x + step * v
        _require_finite_positions(x, step)
        force = coulomb_forces(x, charges, softening)
        v = v + step / 2 * force
        seen.append((x, v))
    x, v = map(np.stack, zip(*seen, strict=True))
    return Trajectory(step * np.arange(len(x)), x, v, total_energy(x, v, charges, softening))


def coulomb_forces(x, charges, softening=0.1):
    """Add up the forces on each particle.

    Parameters
    ----------
    x : array (..., n, d)
        Positions.
    charges : array (..., n)
        Charges.
    softening : float
        A length s. The force between two particles is largest at the distance s/√2, and falls to 0 where they meet.

    Returns
    -------
    array (..., n, d)
        Forces; those on all particles together are zero.

    Raises
    ------
    ValueError
        If shapes do not fit, a number is not finite, ``softening`` is negative, or two particles are so near, or have
        such charges, that the force overflows.

    Notes
    -----
    .. math:: \\mathbf F_i = \\sum_{j\\ne i} q_i q_j\\,
              \\frac{\\mathbf x_i-\\mathbf x_j}{(\\lVert\\mathbf x_i-\\mathbf x_j\\rVert^2+s^2)^{3/2}}

    Clipping large forces instead, coordinate by coordinate, would make them depend on the axes, and the energy drift.
    """
    _require_particles(x, x, charges, softening)
    x, charges = (np.asarray(a, dtype=np.float64) for a in (x, charges))
    with np.errstate(all="ignore"):  # what overflows is refused below
        difference = x[..., :, None, :] - x[..., None, :, :]
        distance = _softened(difference, softening) + np.diag(np.full(x.shape[-2], np.inf))
        difference = np.where(np.isinf(difference), 0.0, difference)  # so far away that nothing is felt
        size = charges[..., :, None] * charges[..., None, :] / distance / distance
        forces = (size[..., None] * (difference / distance[..., None])).sum(axis=-2)
    if not np.isfinite(forces).all():
        apart = "particles must keep apart or be softened, and products of charges be finite"
        largest = np.abs(charges).max()
        raise ValueError(f"{apart}, got a distance of {distance.min()} and a charge of {largest}")
    return forces


def total_energy(x, v, charges, softening=0.1):
    """Add the energy of motion and the energy of position.

    Parameters
    ----------
    x, v : array (..., n, d)
        Positions and velocities.
    charges : array (..., n)
        Charges. Every mass is 1.
    softening : float
        As in `coulomb_forces`.

    Returns
    -------
    array (...)
        Energies, which the motion conserves.

    Raises
    ------
    ValueError
        As in `coulomb_forces`.

    Notes
    -----
    .. math:: E = \\frac12\\sum_i\\lVert\\mathbf v_i\\rVert^2
              + \\sum_{i<j}\\frac{q_i q_j}{\\sqrt{\\lVert\\mathbf x_i-\\mathbf x_j\\rVert^2+s^2}}
    """
    _require_particles(x, v, charges, softening)
    x, v, charges = (np.asarray(a, dtype=np.float64) for a in (x, v, charges))
    i, j = np.triu_indices(x.shape[-2], 1)
    with np.errstate(all="ignore"):
        distance = _softened(x[..., i, :] - x[..., j, :], softening)
        energy = (v**2).sum(axis=(-1, -2)) / 2 + (charges[..., i] * charges[..., j] / distance).sum(axis=-1)
    if not np.isfinite(energy).all():
        raise ValueError(f"particles must keep apart, or be softened, and not be too fast, got an energy of {energy}")
    return energy


def draw_charges(rng, n_systems, n=5, d=3):
    """Draw particles to simulate.

    Parameters
    ----------
    rng : numpy.random.Generator
        Where they come from: the same seed, the same particles.
    n_systems, n, d : int
        How many systems, of how many particles each, in how many dimensions.

    Returns
    -------
    x : array (n_systems, n, d)
        Positions, normal with variance 1 in each coordinate.
    v : array (n_systems, n, d)
        Velocities of length 1/2 in all directions.
    charges : array (n_systems, n)
        Charges, 1 or -1 with equal probability.

    Raises
    ------
    ValueError
        If a number is not positive.
    """
    require_integers(1, n_systems=n_systems, n=n, d=d)
    x, directions = rng.normal(size=(2, n_systems, n, d))
    v = directions / np.linalg.norm(directions, axis=-1, keepdims=True) / 2
    return x, v, rng.choice([-1.0, 1.0], size=(n_systems, n))


def _require_particles(x, v, charges, softening):
    require_finite(x=x, v=v, charges=charges)
    x, v, charges = map(np.asarray, (x, v, charges))
    fits = x.ndim >= 2 and 0 not in x.shape and x.shape == v.shape and charges.shape[-1:] == x.shape[-2:-1]
    sizes = zip(charges.shape[::-1], x.shape[-2::-1], strict=False)  # the same charges may serve several systems
    if not fits or charges.ndim >= x.ndim or any(mine not in (1, theirs) for mine, theirs in sizes):
        shapes = f"{x.shape}, {v.shape} and {charges.shape}"
        raise ValueError(f"x, v and charges must have shapes (..., n, d), (..., n, d) and (..., n), got {shapes}")
    require_not_negative(softening=softening)


def _require_finite_positions(x, step):
    if not np.isfinite(x).all():
        raise ValueError(f"step must be short enough for positions to stay finite, got step={step}")


def _softened(difference, softening):
    """Take lengths without overflow or underflow of squares."""
    return np.hypot.reduce(difference, axis=-1, initial=softening)
