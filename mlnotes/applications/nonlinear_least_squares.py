"""Nonlinear least squares: fitting a model by solving one linear least-squares problem after another."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mlnotes.blocks.derivatives import numerical_jacobian


@dataclass(frozen=True)
class Fit:
    """What `gauss_newton` or `levenberg_marquardt` found, and how it got there.

    Parameters
    ----------
    x : array (n,)
        The last point.
    cost : float
        Half the sum of squares there.
    steps : int
        How many steps were tried.
    converged : bool
        Whether the residual at ``x`` is zero, or perpendicular to all that a small change of each parameter does to it.
        That is so at a minimum, also a poor one, and nearly so where the model flattens out towards infinity.
    message : str
        Why it stopped.
    points : array (steps + 1, n)
        Every point, from the start to ``x``. A step that was not taken repeats the point before it.
    costs : array (steps + 1,)
        Half the sum of squares at each point.
    cosines : array (steps + 1,)
        The part of the residual that could still be fitted if the model were linear, from 0 to 1: the cosine of the
        angle between the residual and its tangent plane.
    dampings : array (steps,)
        The damping with which each step was computed.
    """

    x: np.ndarray
    cost: float
    steps: int
    converged: bool
    message: str
    points: np.ndarray
    costs: np.ndarray
    cosines: np.ndarray
    dampings: np.ndarray


def gauss_newton(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """Step to the point that would be best if the model were linear, again and again.

    Parameters
    ----------
    residual : callable
        Takes parameters (n,) and returns what the model misses the data by, (m,).
    x0 : array (n,)
        Where to start.
    jacobian : callable, optional
        Takes parameters and returns the derivatives of the residual, (m, n); by default they are measured by
        `mlnotes.blocks.derivatives.numerical_jacobian`.
    max_steps : int
        After how many steps to give up.
    tolerance : float
        The cosine below which the residual counts as perpendicular to its tangent plane.

    Returns
    -------
    Fit
        The last point, and how it was reached. Nothing holds a step back: from a poor start it may lead anywhere, and
        then ``converged`` is False.

    Raises
    ------
    ValueError
        If ``x0`` is no vector of finite numbers, the residual or its Jacobian is not finite there, a callable returns
        another shape than it should, ``tolerance`` is not positive, or ``max_steps`` is negative.

    Notes
    -----
    .. math:: \\min_{\\mathbf p}\\;\\lVert\\mathbf r(\\mathbf x) + \\mathbf{Jp}\\rVert^2, \\qquad
              \\mathbf x \\leftarrow \\mathbf x + \\mathbf p

    Where the minimum leaves no residual, the number of right digits doubles with each step. Otherwise the error shrinks
    by a constant factor, which grows with the residual and with the curvature of the model, and may exceed one.

    References
    ----------
    Nocedal and Wright, *Numerical Optimization*, 2nd edition, 2006, section 10.3.
    """
    problem, here = _start(residual, jacobian, x0, max_steps, tolerance)
    walk = [here]
    with np.errstate(all="ignore"):
        while not here.is_level(tolerance):
            if len(walk) > max_steps:
                return _fit(problem, walk, f"{max_steps} steps were not enough")
            if len(here.s) < here.x.size:
                return _fit(problem, walk, "columns of the Jacobian depend on each other: the step is not defined")
            before, here = here, problem.at(here.x + here.step(damping=0.0))
            if here is None:
                return _fit(problem, walk, "the residual or its Jacobian is no longer finite")
            walk.append(here)
            if before.is_lost_in_rounding() and not here.reach < before.reach:
                break
    return _level(problem, walk)


def levenberg_marquardt(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """Step as Gauss and Newton do, but never farther than the linear model has proved to hold.

    Parameters
    ----------
    residual : callable
        Takes parameters (n,) and returns what the model misses the data by, (m,). Where it is not finite, no step
        leads.
    x0 : array (n,)
        Where to start.
    jacobian : callable, optional
        Takes parameters and returns the derivatives of the residual, (m, n); by default they are measured by
        `mlnotes.blocks.derivatives.numerical_jacobian`.
    max_steps : int
        After how many steps to give up; those that are tried and not taken count.
    tolerance : float
        The cosine below which the residual counts as perpendicular to its tangent plane.

    Returns
    -------
    Fit
        The last point, and how it was reached. No step but the last ones, whose gain is lost in rounding, has raised
        the cost.

    Raises
    ------
    ValueError
        If ``x0`` is no vector of finite numbers, the residual or its Jacobian is not finite there, a callable returns
        another shape than it should, ``tolerance`` is not positive, or ``max_steps`` is negative.

    Notes
    -----
    .. math:: \\min_{\\mathbf p}\\;\\lVert\\mathbf r + \\mathbf{Jp}\\rVert^2 + \\lambda\\lVert\\mathbf{Dp}\\rVert^2
              = \\left\\lVert \\begin{bmatrix}\\mathbf r\\\\ \\mathbf 0\\end{bmatrix}
              + \\begin{bmatrix}\\mathbf J\\\\ \\sqrt\\lambda\\,\\mathbf D\\end{bmatrix}\\mathbf p\\right\\rVert^2

    The diagonal D holds the largest length that each column of J has had: so parameters may be measured in any units,
    and be 1e15 apart. With the singular value decomposition :math:`\\mathbf{JD}^{-1} =
    \\mathbf{USV}^{\\mathsf T}` the step for every damping is

    .. math:: \\mathbf{Dp} = -\\sum_i \\frac{s_i}{s_i^2+\\lambda}\\,(\\mathbf u_i\\cdot\\mathbf r)\\,\\mathbf v_i

    without the normal equations, which would square the condition number. The damping is the smallest with which the
    step is no longer than a radius. The radius doubles after a step that keeps three quarters of its promise and halves
    after one that does not keep a quarter.

    References
    ----------
    Moré, *The Levenberg–Marquardt algorithm: implementation and theory*, 1978.
    """
    problem, here = _start(residual, jacobian, x0, max_steps, tolerance)
    walk, dampings = [here], []
    radius = float(_length(here.scales * here.x)) or 1.0
    with np.errstate(all="ignore"):
        while not here.is_level(tolerance):
            if len(walk) > max_steps:
                return _fit(problem, walk, f"{max_steps} steps were not enough", dampings=dampings)
            lost = here.is_lost_in_rounding()
            damping = 0.0 if lost else here.damping_for(radius)
            ahead, share = _tried(problem, here, damping, lost)
            walk.append(ahead or here)
            dampings.append(damping)
            if not ahead and (lost or here.promise(damping) <= here.rounding):
                break
            if not lost:
                length = float(_length(here.scales * here.step(damping)))
                radius = min(radius, length) / 2 if share < 0.25 else max(radius, 2 * length * (share > 0.75))
            here = ahead or here
    if here.is_level(tolerance) or lost:
        return _level(problem, walk, dampings)
    return _fit(problem, walk, "no step, however short, lowers the cost: is the Jacobian right?", dampings=dampings)


def _tried(problem, here, damping, lost):
    """Return the point after a step if the step is worth it, and the share of its promise that was kept."""
    x = here.x + here.step(damping)
    r = problem.residual(x)
    # The difference of the costs from that of the residuals: subtracting squares would cancel half of the digits.
    share = float((here.r - r) @ (here.r + r) / 2 / here.promise(damping))
    if not (lost or share > 1e-4):
        return None, share if share == share else -math.inf
    ahead = problem.at(x, r, here.scales)
    if not ahead or (lost and not ahead.reach < here.reach):
        return None, -math.inf
    return ahead, share


@dataclass(frozen=True)
class _Point:
    """A point, and the linear model there: J = U S Vᵀ D, without singular values that are only rounding."""

    x: np.ndarray
    r: np.ndarray
    scales: np.ndarray  # the diagonal of D
    s: np.ndarray
    vt: np.ndarray
    along: np.ndarray  # Uᵀr, the residual's coordinates in its tangent plane
    rounding: float  # what rounding may change in the cost
    fuzz: float  # what rounding may change in the residual
    idle: np.ndarray  # the parameters that change nothing

    @property
    def reach(self):
        """How much of the residual's length the linear model can take away at most."""
        return float(_length(self.along))

    def is_level(self, tolerance):
        return self.reach <= max(tolerance * float(_length(self.r)), self.fuzz)

    def is_lost_in_rounding(self):
        """Whether nobody can tell by the cost if a step has kept its promise."""
        return self.promise(0.0) <= self.rounding

    def step(self, damping):
        return -self.vt.T @ (self.s * self.along / (self.s**2 + damping)) / self.scales

    def promise(self, damping):
        """By how much a step would lower the cost, if the model were linear."""
        left = self.along * (damping / (self.s**2 + damping))
        return float((self.along - left) @ (self.along + left)) / 2

    def damping_for(self, radius):
        """Find the damping that makes the step as long as the radius, within a tenth; 0 if it is no longer anyway.

        Newton's method for 1/length = 1/radius, which is almost linear in the damping: it never overshoots.
        """
        damping = 0.0
        for _ in range(100):
            step = self.s * self.along / (self.s**2 + damping)
            length = float(_length(step))
            if length <= 1.1 * radius:
                break
            damping += (length / radius - 1) * length**2 / float(step @ (step / (self.s**2 + damping)))
        return damping


@dataclass(frozen=True)
class _Problem:
    """The residual and its Jacobian, both divided by a power of two so that squares neither overflow nor vanish."""

    residual: Callable
    jacobian: Callable
    unit: float

    def at(self, x, r=None, scales=0.0):
        """Linearize at a point; None where that is not possible."""
        r = self.residual(x) if r is None else r
        if not math.isfinite(r @ r):
            return None
        j = self.jacobian(x)
        lengths = _length(j)
        if not np.isfinite(lengths).all():
            return None
        scales = np.maximum(scales, lengths)
        scales = np.where(scales > 0, scales, 1.0)  # a parameter without influence
        u, s, vt = np.linalg.svd(j / scales, full_matrices=False)
        kept = s > max(j.shape) * _EPS * s[0]
        size, length = float(lengths @ np.abs(x)), float(_length(r))
        rounding = 4 * _EPS * (size + length) * length
        idle = np.flatnonzero(lengths == 0)
        return _Point(x, r, scales, s[kept], vt[kept], u[:, kept].T @ r, rounding, 16 * _EPS * size, idle)


_EPS = np.finfo(float).eps


def _start(residual, jacobian, x0, max_steps, tolerance):
    x = np.array(x0)
    if x.ndim != 1 or x.size == 0 or x.dtype.kind not in "iuf":
        raise ValueError(f"x0 must be a vector of real numbers, got shape {x.shape} of dtype {x.dtype}")
    if not np.isfinite(x).all():
        raise ValueError(f"x0 must be finite, got {x[~np.isfinite(x)][0]}")
    if not 0 < tolerance < math.inf:
        raise ValueError(f"tolerance must be positive and finite, got {tolerance}")
    if max_steps < 0:
        raise ValueError(f"max_steps must not be negative, got {max_steps}")
    x = x.astype(float)
    with np.errstate(all="ignore"):
        r = np.array(residual(x.copy()))
        if r.ndim != 1 or r.size == 0 or r.dtype.kind not in "iuf":
            raise ValueError(f"residual must return a vector of real numbers, got shape {r.shape} of dtype {r.dtype}")
        if not np.isfinite(r).all():
            raise ValueError(f"the residual at x0 must be finite, got {r[~np.isfinite(r)][0]}")
        problem = _scaled(residual, jacobian, r)
        here = problem.at(x)
        if here is None:
            j = problem.jacobian(x)
            raise ValueError(f"the Jacobian at x0 must be finite, got a column of length {_length(j).max()}")
    return problem, here


def _scaled(residual, jacobian, r):
    """Divide by the power of two next to the largest residual at the start, and check shapes at every call."""
    unit = 2.0 ** np.frexp(np.abs(r).max())[1].clip(-1000, 1000)

    def scaled_residual(x):
        return _of_shape(r.shape, "residual", residual(x.copy())) / unit

    def scaled_jacobian(x):
        if jacobian is None:
            return numerical_jacobian(scaled_residual, x)
        return _of_shape(r.shape + x.shape, "jacobian", jacobian(x.copy())) / unit

    return _Problem(scaled_residual, scaled_jacobian, float(unit))


def _of_shape(shape, name, values):
    values = np.array(values, dtype=float)
    if values.shape != shape:
        raise ValueError(f"{name} must return shape {shape}, got {values.shape}")
    return values


def _length(columns):
    """Measure a vector, or each column, without squares that overflow or vanish."""
    largest = np.abs(columns).max(axis=0, initial=0.0)
    return largest * np.linalg.norm(columns / np.where(largest > 0, largest, 1.0), axis=0)


def _level(problem, walk, dampings=()):
    """Tell a minimum from a plateau, where nothing is left to fit because a parameter has lost its influence."""
    last = walk[-1]
    if last.idle.size and _length(last.r) > last.fuzz:
        return _fit(problem, walk, f"the residual does not change with x[{last.idle[0]}] any more", dampings=dampings)
    return _fit(problem, walk, "the residual is perpendicular to its tangent plane", True, dampings)


def _fit(problem, walk, message, converged=False, dampings=()):
    with np.errstate(over="ignore"):
        costs = np.array([point.r @ point.r / 2 for point in walk]) * problem.unit * problem.unit
    cosines = np.array([point.reach / (float(_length(point.r)) or 1.0) for point in walk])
    points = np.array([point.x for point in walk])
    dampings = np.array(dampings or np.zeros(len(walk) - 1))
    return Fit(points[-1], float(costs[-1]), len(walk) - 1, converged, message, points, costs, cosines, dampings)
