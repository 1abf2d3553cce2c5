"""Nonlinear least squares: fitting a model by solving one linear least-squares problem after another.

Computed with NumPy arrays in float64; a residual in float32 counts as no more exact than that.
"""

import math
from dataclasses import dataclass

import numpy as np

from mlnotes.arrays import require_finite, require_integers, require_positive, require_vector
from mlnotes.blocks.derivatives import numerical_jacobian
from mlnotes.blocks.norm import vector_norm


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
        That is so at a minimum, also a poor one, and nearly so where the model flattens out towards infinity. A minimum
        at which a column of the Jacobian vanishes is excepted: it looks like a parameter that has lost its influence,
        and a walk towards it may stop short.
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
        The damping with which each step was computed; 0 for a step of Gauss and Newton.
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

    Where the minimum leaves no residual, and the columns of the Jacobian are independent there, the number of right
    digits doubles with each step. Otherwise the error shrinks by a constant factor, which grows with the residual and
    with the curvature of the model, and may exceed one.

    References
    ----------
    Nocedal and Wright, *Numerical Optimization*, 2nd edition, 2006, section 10.3.
    """
    _require_problem(x0, max_steps, tolerance)
    walk = Walk(residual, jacobian, x0)
    x = walk.start
    with np.errstate(all="ignore"):
        while True:
            r, j = walk.residual(x), walk.jacobian(x)
            if not np.isfinite(j).all():
                return walk.stopped(_NOT_FINITE)
            model = linearize(x, r, j)  # r + J p
            walk.models.append(model)
            if model.is_the_last(tolerance):
                break
            if walk.steps >= max_steps:
                return walk.stopped(f"{max_steps} steps were not enough")
            if model.rank < len(x):
                return walk.stopped(_NOT_DEFINED)
            p = model.step()  # to the least ‖r + J p‖
            x = x + p
        walk.polish(tolerance, max_steps)
    return walk.arrived()


def levenberg_marquardt(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """Step as Gauss and Newton do, but never farther than the linear model is trusted to hold.

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
    Every step minimizes the linear model, with a damping that keeps it within a trust region of radius Δ, or at most a
    tenth beyond it:

    .. math:: \\min_{\\mathbf p}
              \\bigl(\\lVert\\mathbf r + \\mathbf{Jp}\\rVert^2 + \\lambda\\lVert\\mathbf{Dp}\\rVert^2\\bigr),
              \\qquad \\lVert\\mathbf{Dp}\\rVert \\le 1.1\\,\\Delta

    Without damping it is Gauss and Newton's step. The gain ratio compares what a step has brought with what the linear
    model predicted,

    .. math:: \\varrho = \\frac{F(\\mathbf x) - F(\\mathbf x + \\mathbf p)}{L(\\mathbf 0) - L(\\mathbf p)}, \\qquad
              F = \\tfrac12\\lVert\\mathbf r\\rVert^2, \\quad L(\\mathbf p)
              = \\tfrac12\\lVert\\mathbf r + \\mathbf{Jp}\\rVert^2

    and decides: a step is taken if it brings a ten-thousandth of that at least; below a gain ratio of 1/4 the
    radius becomes half of itself or of the step's length, whichever is less; above 3/4 it becomes twice the step's
    length, if that is more. The first radius is the length of D x at the start; where steps of that length would drown
    in the rounding of the cost, it is about the length of the residual. The diagonal D holds the largest length that
    each column of J has had: so parameters may be measured in any units, and be 1e15 apart. Where a column has become
    so short beside that length that it is lost in rounding, D starts anew before the walk may end. Near the minimum of
    a cost that is not zero, reductions drown in the rounding of the cost; there the gradient decides, which does not.

    References
    ----------
    Moré, *The Levenberg–Marquardt algorithm: implementation and theory*, 1978. Madsen, Nielsen and Tingleff, *Methods
    for non-linear least squares problems*, 2nd edition, 2004, section 3.2.
    """
    _require_problem(x0, max_steps, tolerance)
    walk = Walk(residual, jacobian, x0)
    with np.errstate(all="ignore"):
        walk.models.append(walk.linearized(walk.start))
        radius = float(vector_norm(walk.models[0].scales * walk.start))
        radius = radius if radius >= math.sqrt(_EPS) else 1.0  # shorter steps drown in the residual, which is about 1
        while not walk.is_over(tolerance):
            model = walk.models[-1]
            if walk.steps >= max_steps:
                return walk.stopped(f"{max_steps} steps were not enough")
            damping = model.damping_within(radius)
            p, predicted = model.step(damping), model.predicted_reduction(damping)
            gain_ratio = walk.reduction(model, p) / predicted
            length = float(vector_norm(model.scales * p))
            ahead = None
            if gain_ratio > 1e-4:
                ahead = walk.linearized(model.x + p, model.scales)
            if ahead is None or gain_ratio < 0.25:
                radius = min(radius, length) / 2
            elif gain_ratio > 0.75:
                radius = max(radius, 2 * length)
            walk.models.append(ahead or model)
            walk.dampings.append(damping)
            if ahead is None and predicted <= model.cost_rounding:
                return walk.stopped(_NO_STEP)
        walk.polish(tolerance, max_steps)
    return walk.arrived()


@dataclass(frozen=True)
class LinearModel:
    """What a residual is near a point, r + J p, with J = U S Vᵀ D decomposed for steps of any damping.

    Parameters
    ----------
    x : array (n,)
        The point.
    r : array (m,)
        The residual there, which a `Walk` has divided by a power of two; so is what is made of it below.
    scales : array (n,)
        The diagonal of D: the units in which the length of a step is measured.
    s : array (k,)
        The singular values of J D⁻¹, without those that are only rounding.
    vt : array (k, n)
        Its right singular vectors.
    projected : array (k,)
        Uᵀ r: the coordinates of the residual in its tangent plane, where steps can reach it.
    cost_rounding, residual_rounding : float
        What rounding may change in half the sum of squares, and in the length of the residual.
    without_influence : integer array
        The parameters that change nothing.
    """

    x: np.ndarray
    r: np.ndarray
    scales: np.ndarray
    s: np.ndarray
    vt: np.ndarray
    projected: np.ndarray
    cost_rounding: float
    residual_rounding: float
    without_influence: np.ndarray

    @property
    def rank(self):
        """How many columns of J are independent."""
        return len(self.s)

    @property
    def reach(self):
        """How much of the residual's length the best step would take away, if the model held."""
        return float(np.linalg.norm(self.projected))

    def step(self, damping=0.0):
        """Minimize ‖r + J p‖² + damping ‖D p‖²: without damping, Gauss and Newton's step, the shortest if many do."""
        return -self.vt.T @ (self.s / (self.s**2 + damping) * self.projected) / self.scales

    def predicted_reduction(self, damping=0.0):
        """Say by how much the step lowers half the sum of squares, if the model holds."""
        left = damping / (self.s**2 + damping)  # of each coordinate of the residual
        return float(np.sum((1 - left) * (1 + left) * self.projected**2)) / 2

    def damping_within(self, radius):
        """Find the damping with which D p is as long as the radius, within a tenth; 0 where it is no longer anyway.

        Newton's method for 1/length = 1/radius, which is almost linear in the damping: it never overshoots.
        """
        damping = 0.0
        for _ in range(100):
            step = self.s / (self.s**2 + damping) * self.projected
            length = float(np.linalg.norm(step))
            if length <= 1.1 * radius:
                break
            slope = float(step @ (step / (self.s**2 + damping))) / length**2  # of log(length), negated
            damping += (length / radius - 1) / slope
        return damping

    def is_stationary(self, tolerance):
        """Tell whether the residual is perpendicular to its tangent plane: then the gradient of the cost vanishes."""
        return self.reach <= max(tolerance * float(vector_norm(self.r)), self.residual_rounding)

    def is_the_last(self, tolerance):
        """Tell whether it is stationary, or the cost cannot show any more if a step was a good one."""
        return self.is_stationary(tolerance) or self.predicted_reduction() <= self.cost_rounding


def linearize(x, r, j, scales=0.0):
    """Make the linear model r + J p of a residual near a point, with J decomposed for steps of any damping.

    Parameters
    ----------
    x : array (n,)
        The point.
    r : array (m,)
        The residual there. Its dtype tells by how much it is rounded.
    j : array (m, n)
        Its Jacobian there, of finite numbers.
    scales : array (n,), optional
        What the units of a step's length are at least. They are the lengths of the columns of J where those are larger,
        and 1 where all are zero.

    Returns
    -------
    LinearModel
        The model, in float64.
    """
    eps = float(np.finfo(r.dtype).eps)
    r, lengths = r.astype(float), vector_norm(j, axis=0)
    scales = np.maximum(scales, lengths)
    scales = np.where(scales > 0, scales, 1.0)  # a parameter without influence
    u, s, vt = np.linalg.svd(j / scales, full_matrices=False)
    kept = s > max(j.shape) * _EPS * s[0]
    # Rounding inside the residual does about as much as rounding of the parameters.
    moved, length = float(lengths @ np.abs(x)), float(vector_norm(r))
    rounding = 4 * eps * (moved + length) * length, 16 * eps * moved
    s, vt, projected, idle = s[kept], vt[kept], u[:, kept].T @ r, np.flatnonzero(lengths == 0)
    return LinearModel(x, r, scales, s, vt, projected, *rounding, idle)


class Walk:
    """The linear models at the points of a walk, of a residual that is divided by a power of two.

    Near the start the largest residual becomes about one, so that squares neither overflow nor vanish.

    Parameters
    ----------
    residual, jacobian, x0
        As in `gauss_newton`.

    Raises
    ------
    ValueError
        If the residual at ``x0`` is no vector of finite numbers.
    """

    def __init__(self, residual, jacobian, x0):
        self.start, self.models, self.dampings = np.array(x0, dtype=float), [], []
        self._residual, self._jacobian = residual, jacobian
        with np.errstate(all="ignore"):
            r = np.asarray(residual(self.start.copy()))
        if r.ndim != 1 or r.size == 0 or r.dtype.kind not in "iuf":
            raise ValueError(f"residual must return a vector of real numbers, got shape {r.shape} of dtype {r.dtype}")
        require_finite(**{"the residual at x0": r})
        self._shape, self._exponent = r.shape, int(np.frexp(np.abs(r).max())[1].clip(-1000, 1000))
        self._last = self.start.copy(), self._scaled(r)

    @property
    def steps(self):
        """How many steps were tried."""
        return len(self.models) - 1

    def residual(self, x):
        """Compute the residual, unless it was the last one asked for: a step is tried before it is taken."""
        if not np.array_equal(x, self._last[0]):
            self._last = x.copy(), self._scaled(self._residual(x.copy()))
        return self._last[1]

    def jacobian(self, x):
        """Compute the Jacobian, or have its differences measured; nan where it or the residual is not finite."""
        nowhere = np.full(self._shape + x.shape, math.nan)
        if not (np.isfinite(x).all() and math.isfinite(_squared(self.residual(x)))):
            return nowhere
        if self._jacobian is None:
            j = numerical_jacobian(self.residual, x)
        else:
            unit = np.float64(2.0**self._exponent)  # which divides in float64, unlike Python's
            j = _of_shape(self._shape + x.shape, "jacobian", self._jacobian(x.copy())) / unit
        lengths = vector_norm(j, axis=0)
        if not self.models and not np.isfinite(lengths).all():
            raise ValueError(f"the Jacobian at x0 must be finite, got a column of length {lengths.max()}")
        return j if np.isfinite(lengths).all() else nowhere

    def linearized(self, x, scales=0.0):
        """Linearize at a point; None where that is not possible."""
        r, j = self.residual(x), self.jacobian(x)
        return linearize(x, r, j, scales) if np.isfinite(j).all() else None

    def reduction(self, model, step):
        """Measure by how much a step lowers half the sum of squares."""
        r = self.residual(model.x + step)
        # A difference of squares as a product: subtracting squares would cancel half of the digits.
        return (model.r - r) @ (model.r + r) / 2

    def is_over(self, tolerance):
        """Tell whether to stop at the last model; if a column is lost beside its longest, make it anew first."""
        last = self.models[-1]
        if last.rank < len(last.x) and last.is_the_last(tolerance):
            self.models[-1] = last = self.linearized(last.x)
        return last.is_the_last(tolerance)

    def polish(self, tolerance, max_steps):
        """Go on as Gauss and Newton do where the cost cannot judge a step any more, as long as the gradient shrinks."""
        while not (model := self.models[-1]).is_stationary(tolerance) and self.steps < max_steps:
            ahead = self.linearized(model.x + model.step(), model.scales)
            if ahead is None or not ahead.reach < model.reach:
                break
            self.models.append(ahead)

    def arrived(self):
        """Tell a minimum from a plateau, where nothing is left to fit because a parameter has lost its influence."""
        last = self.models[-1]
        if last.without_influence.size and vector_norm(last.r) > last.residual_rounding:
            return self.stopped(f"the residual does not change with x[{last.without_influence[0]}] any more")
        return self.stopped("the residual is perpendicular to its tangent plane", True)

    def stopped(self, message, converged=False):
        """Tell the way, in the residual's own units."""
        unit, steps = 2.0**self._exponent, self.steps
        with np.errstate(over="ignore"):
            costs = np.array([model.r @ model.r / 2 for model in self.models]) * unit * unit
        cosines = np.array([model.reach / (float(vector_norm(model.r)) or 1.0) for model in self.models])
        points = np.array([model.x for model in self.models])
        # Steps of Gauss and Newton have no damping.
        dampings = np.array([*self.dampings, *[0.0] * (steps - len(self.dampings))])
        return Fit(points[-1], float(costs[-1]), steps, converged, message, points, costs, cosines, dampings)

    def _scaled(self, r):
        # Keep the dtype: it tells by how much the residual is rounded, and so how far apart to measure slopes.
        return np.ldexp(_of_shape(self._shape, "residual", r), -self._exponent)


_EPS = np.finfo(float).eps
_NOT_DEFINED = "columns of the Jacobian depend on each other: the step is not defined"
_NOT_FINITE = "the residual or its Jacobian is no longer finite"
_NO_STEP = "no step, however short, lowers the cost: is the Jacobian wrong, or does it vanish here?"


def _require_problem(x0, max_steps, tolerance):
    require_vector(x0=x0)
    require_positive(tolerance=tolerance)
    require_integers(0, max_steps=max_steps)


def _squared(r):
    r = r.astype(float)
    return r @ r


def _of_shape(shape, name, values):
    values = np.asarray(values)
    if values.shape != shape:
        raise ValueError(f"{name} must return shape {shape}, got {values.shape}")
    return values if values.dtype.kind == "f" else values.astype(float)
