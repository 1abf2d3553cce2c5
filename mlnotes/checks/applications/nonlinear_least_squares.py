"""What nonlinear least squares must satisfy, and how it is usually got wrong."""

import functools
from dataclasses import replace
from types import SimpleNamespace

import numpy as np

from mlnotes.applications.least_squares import lstsq
from mlnotes.applications.nonlinear_least_squares import gauss_newton, levenberg_marquardt
from mlnotes.blocks.derivatives import numerical_jacobian
from mlnotes.checks.bank import Checks, Claim, Mistake, call, distance, frozen, oracle

_t, _data, _far, _wide, _matrix, _right, _near, _zeros, _valley = frozen(np.linspace(0.0, 2.0, 11), 3
    * np.exp(-2 * np.linspace(0.0, 2.0, 11)) + 0.1 * np.cos(7 * np.linspace(0.0, 2.0, 11)), np.array([1.5]),
    np.array([1.5e-9, 2.5e6]), np.vander(np.linspace(0, 1, 23), 9), np.vander(np.linspace(0, 1, 23), 9)
    @ np.arange(1.0, 10.0), np.array([1.5, 2.5]), np.zeros(9), np.array([-1.2, 1.0]))
_units = frozen(np.array([1e-9, 1e6]))[0]
_nearly_dependent = frozen(np.array([[1.0, 1.0], [1e-8, 0.0], [0.0, 1e-8]]))[0]  # whose JᵀJ is one of ones, rounded
_DECIDED = {"tolerance": 1e-8, "why": "where the residual is perpendicular to 1e-10, the parameters have 9 digits"}
_SMALL = {"tolerance": 1e-12, "why": "sums of a few numbers, and a condition number below 10"}
_SQUARED = {"tolerance": 1e-8, "why": "the condition number times 1e-16 is 1e-10, with room for rounding"}


def damped_step(r, j, damping, scales):
    """Minimize ‖r + J p‖² + damping ‖D p‖² by rows added to J, where D has the scales on its diagonal."""
    rows = np.vstack([j, np.sqrt(damping) * np.diag(scales)])
    return lstsq(rows, -np.append(r, np.zeros(len(scales))))


def predicted_reduction(p, g, damping, scales):
    """Say by how much a damped step lowers half the sum of squares of the linear model."""
    return float(damping * np.sum((scales * p) ** 2) - p @ g) / 2


def decay(x):
    """Fit an exponential decay to data that are not quite one."""
    return x[1] * np.exp(-x[0] * _t) - _data


def decay_jacobian(x):
    """Differentiate `decay`."""
    e = np.exp(-x[0] * _t)
    return np.stack([-x[1] * _t * e, e], 1)


def decay_in_other_units(x):
    """Measure the same parameters in units of 1e9 and 1e-6."""
    return decay(x / _units)


def polynomial(x):
    """Fit a polynomial: linear, with a condition number of 1e6."""
    return _matrix @ x - _right


def nearly_dependent(x):
    """Fit with two columns that differ by 1e-8, where many x fit nearly, and (1, 2) is not the shortest."""
    return _nearly_dependent @ x - _nearly_dependent @ [1.0, 2.0]


def angle(x):
    """Look for a slope."""
    return np.arctan(x) - 0.5


def pair(x):
    """Ask for two slopes at once, between which a residual is left."""
    return np.arctan([x[0], x[0]]) - [0.5, 0.9]


def pair_jacobian(x):
    """Differentiate `pair`."""
    return np.full((2, 1), 1 / (1 + x[0] ** 2))


def pair_in_a_small_unit(x):
    """Measure the parameter of `pair` in units of 1e-9."""
    return pair(1e-9 * x)


def pair_in_a_large_unit(x):
    """Measure the parameter of `pair` in units of 1e9."""
    return pair(1e9 * x)


def rosenbrock(x):
    """Follow a long curved valley."""
    return np.array([10 * (x[1] - x[0] ** 2), 1 - x[0]])


def rosenbrock_jacobian(x):
    """Differentiate `rosenbrock`."""
    return np.array([[-20 * x[0], 10.0], [-1.0, 0.0]])


def overwriting(x):
    """Look for a root at 1, and write into the argument."""
    return np.subtract(x, 1, out=x)


def bent(x):
    """Ask for two angles, of parameters in units of 1e9 and 1e-6."""
    return np.arctan(x / _units + np.array([0.0, x[0] / 1e-9])) - np.arctan([1.0, 3.0])


def bent_jacobian(x):
    """Differentiate `bent`."""
    slopes = 1 / (1 + (x / _units + np.array([0.0, x[0] / 1e-9])) ** 2)
    return slopes[:, None] * np.array([[1.0, 0.0], [1.0, 1.0]]) / _units


def _overflowing(x):
    """Look for the root of exp(x) - 1."""
    return np.exp(x) - 1


def _uphill(x):
    """Ask for two values at once."""
    return np.array([x[0] - 1, 2 * x[0] + 1])


def level(x):
    """Ask for what no parameter changes."""
    return np.array([0.0, 5.0])


def idle(x):
    """Ask for two values at once, and for nothing of the second parameter."""
    return np.array([x[0] - 9, x[0] - 7])


def idle_jacobian(x):
    """Differentiate `idle`."""
    return np.array([[1.0, 0.0], [1.0, 0.0]])


def _record(found, residual, x0, jacobian=None, *_, **__):
    """Ask whether what is told of the way fits together, of versions that tell it as `Fit` does."""
    if not hasattr(found, "points"):
        return True
    points, costs, dampings, steps = found.points, found.costs, found.dampings, found.steps
    with np.errstate(all="ignore"):
        rs = [residual(x.copy()) for x in points]
        fits = [len(points) == len(costs) == len(found.cosines) == steps + 1 == len(dampings) + 1,
            type(found.message) is str, np.array_equal(points[0], x0), np.array_equal(points[-1], found.x),
            costs[-1] == found.cost, np.allclose(costs, [r @ r / 2 for r in rs], 1e-9, 1e-25, equal_nan=True)]
    if jacobian is not None and len(dampings) == steps:
        scales, js = 0.0, [np.asarray(jacobian(x.copy())) for x in points[:6]]
        for j, r, x, ahead, cosine, damping in zip(js, rs, points, points[1:], found.cosines, dampings, strict=False):
            scales = np.maximum(scales, np.linalg.norm(j, axis=0))
            unit = j / np.where(scales > 0, scales, 1)
            fitted = unit @ np.linalg.lstsq(unit, r, rcond=None)[0]
            fits.append(abs(cosine - np.linalg.norm(fitted) / (np.linalg.norm(r) or 1)) < 1e-7)
            slope = j.T @ (r + j @ (ahead - x)) + damping * scales**2 * (ahead - x)
            fits.append(np.array_equal(ahead, x) or np.all(np.abs(slope) <= 1e-7 * (1e-9 + scales * np.linalg.norm(r))))
    return bool(np.all(fits))


def _fit_of(f, *arguments, **named):
    found = f(*arguments, **named)
    if "points" in getattr(type(found), "__dataclass_fields__", ()):  # it tells the way as well
        return found
    try:
        x, cost, converged = np.array(found.x), np.asarray(found.cost)[()], found.converged
    except (AttributeError, KeyError):
        kind = type(found).__name__
        raise TypeError(f"an object with x, cost and converged is asked for, got one of type {kind}") from None
    return SimpleNamespace(x=x, cost=cost, converged=bool(converged) if converged in (0, 1) else converged)


def _followed(f, residual, x0, *arguments, **named):
    """Ask where the steps lead, as long as they lead anywhere: they are the same for all who take them."""
    found = _fit_of(f, residual, x0, *arguments, **named)
    here = np.abs(found.x).max() < 1e6 * (1 + np.abs(x0).max())
    x, cost = (found.x, found.cost) if here else ("far away", "whatever it is there")
    told = {} if _record(found, residual, x0) else {"points, costs and dampings agree": False}
    return {"x": x, "cost": cost, "converged": found.converged} | told


def _limited(residual, jacobian=None, max_steps=1000, *_, **__):
    """Refuse more residuals, and at more points, than steps need, where a Jacobian is given: so whoever does not count
    them stops."""
    left, points = iter(range(4 * max_steps + 20 if jacobian else 10**9)), set()

    def limited(x):
        points.add(np.array(x, float).tobytes())
        if next(left, None) is None or (jacobian and len(points) > max_steps + 3):
            raise RuntimeError(f"no more steps were allowed than {max_steps}")
        return residual(x)

    return limited


def _is_minimal(residual, x):
    """Tell whether the residual is perpendicular to its derivatives."""
    r = residual(np.array(x))
    if not np.isfinite(r @ r):
        return False
    j = numerical_jacobian(residual, x)
    return bool(np.all(np.abs(j.T @ r) <= np.linalg.norm(j, axis=0) * (1e-6 * np.linalg.norm(r) + 1e-12)))


@functools.cache
def _book_fit(residual, start, arguments, named):
    """Fit as the book does, once for all versions, and tell whether that ends at a minimum or where it began."""
    book = levenberg_marquardt(residual, np.array(start), *arguments, **dict(named))
    with np.errstate(all="ignore"):
        return book, _is_minimal(residual, book.x) or np.array_equal(book.x, start)


def _arrived(f, residual, x0, *arguments, **named):
    """Ask for the minimum, or for the start where no step leads away, and not for the way there."""
    start = np.array(x0, float)
    book, at = _book_fit(residual, tuple(start), arguments, tuple(named.items()))
    found = _fit_of(f, _limited(residual, *arguments, **named), x0, *arguments, **named)
    with np.errstate(all="ignore"):
        r, first = residual(np.array(found.x)), residual(start.copy())
        grown, minimal = not r @ r <= (1 + 1e-9) * (first @ first), _is_minimal(residual, found.x)
    x, cost = (found.x, found.cost) if at else ("not compared", "not compared")
    alike = _told_alike(found, book, residual, start, *arguments, **named)
    told = {} if alike else {"points, costs and dampings agree": False}
    own = not np.isfinite(r @ r) or bool(np.isclose(found.cost, r @ r / 2, 1e-9, 1e-25))
    states = {"the minimum is reached": minimal, "converged": found.converged, "cost has grown": grown,
        "the cost is that of x": own}
    return {"x": x, "cost": cost} | states | told


def _told_alike(found, book, *it, **named):
    """Ask whoever tells of the way as `Fit` does for the rules of the docstring; nobody else need follow them."""
    if not hasattr(found, "points"):
        return True
    alike = [(found.dampings, book.dampings), (found.costs, book.costs)]
    return _record(found, *it, **named) and all(
        len(one) == len(other) and np.allclose(one[:12], other[:12], 1e-6, 1e-7 * np.max(other[:12], initial=0))
        for one, other in alike)


def _scipy(residual, x0):
    import scipy.optimize

    tight = {"xtol": 1e-15, "ftol": 1e-15, "gtol": 1e-15}
    return scipy.optimize.least_squares(residual, x0, method="lm", jac="3-point", x_scale="jac", **tight)


def _stationary(f):
    found = f(decay, _near)
    return float(np.max(np.abs(numerical_jacobian(decay, found.x).T @ decay(found.x)))) + float(not found.converged)


_EDGES = (call(np.log, np.array([10.0]), lambda x: np.diag(1 / x), 20).about("a step out of the domain", edge=True),
    call(overwriting, [3, 2], lambda x: np.diag(x.__imul__(0) + 1), 20).about("callables that overwrite x", edge=True))

_CLAIMS = (
    Claim("the residual is perpendicular to the Jacobian's columns", _stationary, **_DECIDED),
    Claim("the cost is half the sum of squares",
        lambda f: distance((found := f(decay, _near)).cost, np.sum(decay(found.x) ** 2) / 2), 1e-12,
        "a sum of 11 numbers"),
    Claim("a linear problem of condition 1e6 keeps its digits",
        lambda f: distance(f(polynomial, _zeros, lambda x: _matrix).x, np.arange(1.0, 10.0)), **_SQUARED),
    oracle("scipy.optimize.least_squares", _scipy, call(decay, _near), tolerance=1e-8,
        why="the digits of SciPy's differences", run=lambda f, *it: np.append((found := f(*it)).x, found.cost)),
)


def _walk(step, always=False, steps=40, content=None):
    """Make a wrong version: `step` takes J, r and how many steps there have been, `content` J, r and x, too."""

    def version(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
        x, found = np.array(x0, float), None
        jacobian = jacobian or (lambda x: numerical_jacobian(residual, x))
        for t in range(min(steps, max_steps) + 1):
            r = residual(x)
            if not np.isfinite(r @ r) or not np.abs(j := np.array(jacobian(x), float)).max() < 1e100:
                break
            size, full = np.linalg.norm(r), j.any(axis=0).all()
            along = np.linalg.qr(j / np.linalg.norm(j, axis=0))[0].T @ r if full else r
            off = np.linalg.norm(along) / size if content is None else content(j, r, x)
            converged = bool(size < 1e-12 or off <= tolerance)
            found = SimpleNamespace(x=x, cost=float(r @ r / 2), converged=converged or always)
            if converged or not full:
                break
            x = x + step(j, r, t)
        return found

    return version


def _with_twice_the_cost(*arguments, **named):
    found = gauss_newton(*arguments, **named)
    return SimpleNamespace(x=found.x, cost=2 * found.cost, converged=found.converged)


def _with_the_cost_of_the_start(residual, x0, *arguments, **named):
    found, r = gauss_newton(residual, x0, *arguments, **named), residual(np.array(x0, float))
    with np.errstate(over="ignore"):
        return SimpleNamespace(x=found.x, cost=r @ r / 2, converged=found.converged)


def _with_the_point_that_is_not_finite(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    found = gauss_newton(residual, x0, jacobian, max_steps, tolerance)
    if "finite" not in found.message:
        return found
    measured = jacobian or (lambda x: numerical_jacobian(residual, x))
    ahead = found.x - np.linalg.lstsq(measured(found.x.copy()), residual(found.x.copy()))[0]
    with np.errstate(all="ignore"):
        r = residual(ahead.copy())
        return SimpleNamespace(x=ahead, cost=r @ r / 2, converged=False)


def _damped(j, r, d):
    n = j.shape[1]
    return -np.linalg.lstsq(np.vstack([j, d * np.eye(n)]), np.append(r, np.zeros(n)), rcond=None)[0]


def _refused_by_the_product(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """Find the minimum unless JᵀJ is singular, to which next to no damping is added in the end."""
    found = levenberg_marquardt(residual, x0, jacobian, max_steps, tolerance)
    if jacobian and found.steps:
        np.linalg.inv((j := jacobian(found.x)).T @ j)
    return found


def _given_up(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """Return where the first step is not taken, with a damping that falls from 0.001 by tens."""
    x, damping = np.array(x0, float), 1e-3
    jacobian = jacobian or (lambda x: numerical_jacobian(residual, x))
    for k in range(max_steps + 1):
        r, j = np.array(residual(x.copy())), np.array(jacobian(x.copy()), float)
        d = np.maximum(np.linalg.norm(j, axis=0), 1e-300)
        along = np.linalg.qr(j / d)[0].T @ r if j.any(axis=0).all() else r
        converged = bool(np.linalg.norm(along) <= max(tolerance, 1e-7) * np.linalg.norm(r))
        ahead = x if converged or k == max_steps else x + damped_step(r, j, damping, d)
        if not np.linalg.norm(residual(ahead.copy())) < np.linalg.norm(r):
            return SimpleNamespace(x=x, cost=r @ r / 2, converged=converged)
        x, damping = ahead, damping / 10


def _normal(j, r, t):
    a = j.T @ j
    return -np.linalg.lstsq(a + 10.0 ** (-t - 1) * np.diag(np.diag(a)), j.T @ r, rcond=None)[0]


_r, _j, _scales = frozen(np.array([3.0, -1.0, 2.0, 0.5]), np.array([[1.0, 2.0], [0.0, 1.0], [3.0, 1.0], [1.0, 1.0]]),
    np.array([2.0, 3.0]))
_p, _g = frozen(np.array([-0.5, 0.25]), np.array([4.0, -3.0]))
_tiny = frozen(damped_step(_r, _j, 1e18, _scales))[0]


_SIGNS = {
    ("cost has grown", True): "It ends higher than it began: take a step only if it lowers the cost.",
    ("the minimum is reached", False): "It stops before it is there: look at which cosine counts as converged, whether "
    "it goes on after a step that is not taken, whether the damping falls after a step that is taken and grows after "
    "one that is not, and whether each step has the Jacobian of its own point.",
}
_STEP = "self.vt.T @ (self.s / (self.s**2 + damping) * self.projected) / self.scales"


def _content_in_the_end(residual, x0, *arguments, **named):
    found = levenberg_marquardt(residual, x0, *arguments, **named)
    return replace(found, converged=found.converged or (found.steps > 20 and np.array_equal(found.x, x0)))


_CONTENT = Mistake("always content", ("steps, converged, message", "steps, True, message"),
    "It never says that it failed", "look whether the residual is perpendicular")
_SIGN = "The cost grows with every step", "solve J p = -r"
_GRADIENT = "It creeps, or runs away", "solve the linear least-squares problem: the gradient knows no scale"
_UNITS = ("Only units that are far apart make it fail: divide the columns of J by their lengths before you damp, and "
    "the step afterwards.")
_WRONG_STEPS = "Where columns nearly depend on each other, steps are wrong or not defined"
_DIGITS = "Ill-conditioned problems lose half of their digits, or are never solved"

CHECKS = (
    Checks(gauss_newton, run=_followed,
        cases=(
            call(rosenbrock, _valley, max_steps=0).about("no step allowed"), call(decay, _near,
            max_steps=1).about("one step allowed", tolerance=1e-7), call(decay, _near, decay_jacobian,
            2).about("two steps allowed"), call(decay, _near, decay_jacobian, 3, 0.5).about("a tolerance of 0.5"),
            call(pair, np.array([0.8]), tolerance=0.1).about("a tolerance of 0.1", tolerance=1e-7),
            call(angle, np.array([0.8]), lambda x: np.diag(1 / (1 + x**2))).about("derivatives given", tolerance=1e-7),
            call(decay, _near, max_steps=40).about("derivatives measured", tolerance=1e-7),
            call(rosenbrock, _valley, max_steps=40).about("no residual left", tolerance=1e-7),
            call(lambda x: 1e-11 * (x - 5), np.zeros(1), lambda x: np.array([[1e-11]]), 20).about(
                "a residual of 5e-11 at the start", absolute=1e-30),
            call(nearly_dependent, np.zeros(2), lambda x: _nearly_dependent, 1,
                1e-6).about("columns that nearly depend on each other", tolerance=1e-5, absolute=1e-12),
            call(pair_in_a_small_unit, np.array([0.8e9]), lambda x: 1e-9 * pair_jacobian(1e-9 * x), 100, 1e-6).about(
                "a parameter in units of 1e-9", tolerance=1e-5), call(pair_in_a_large_unit, np.array([0.8e-9]),
                lambda x: 1e9 * pair_jacobian(1e9 * x), 100, 1e-6).about("a parameter in units of 1e9", tolerance=1e-5),
            call(np.arctan, _far, max_steps=5).about("a start from which it diverges", tolerance=1e-5),
            call(angle, np.array([0.8]), lambda x: np.array([[0.7]]), 3).about("another matrix for a Jacobian"),
            call(_overflowing, np.array([-10.0]), lambda x: np.exp(x)[None], 5).about(
                "a step to where the residual is not finite"),
            call(level, np.array([1.0]), lambda x: np.zeros((2, 1)), 3).about("a Jacobian of zeros"),
            call(idle, np.array([3.0, 2.0]), idle_jacobian, 20).about("a parameter without influence"),
            call(idle, np.array([8.0, 2.0]), idle_jacobian, 20).about(
                "a parameter without influence, and a cosine of 0"),
            call(lambda x: x + 1, np.array([1.0]), lambda x: np.where(x < 0, np.inf, 0.5)[None], 20).about(
                "a step to where the Jacobian is not finite"),
            replace(_EDGES[0], edge=False), call(lambda x: np.maximum(x, 0) + 5, np.array([1.0]),
                lambda x: np.diag(1.0 * (x > 0)), 20).about("a step to where a column of the Jacobian is zero"),
            call(np.arctan, _far, max_steps=40).about("a walk to where nothing changes", edge=True),
            call(bent, np.array([3e-9, -5e6]), bent_jacobian, 40).about("a walk to infinity", edge=True),
            call(decay, [2, 3], decay_jacobian, 40).about("a list of integers", edge=True, tolerance=1e-7),
            *_EDGES[1:]),
        claims=(
            *_CLAIMS,
            Claim("from 1.5 it does not find the root of arctan, and says so",
                lambda f: float(f(np.arctan, _far).converged))),
        mistakes=(
            Mistake("step with the wrong sign", (f"return -{_STEP}", f"return {_STEP}"), *_SIGN),
            Mistake("along the gradient", _walk(lambda j, r, t: -0.01 * j.T @ r), *_GRADIENT),
            Mistake("jacobian of the start", (("self._jacobian(x.copy())",
                "self._jacobian(self.start.copy())"), ("numerical_jacobian(self.residual, x)",
                "numerical_jacobian(self.residual, self.start)")),
                "From the second step on it uses slopes of the start", "compute the Jacobian at every point"),
            *(Mistake("normal equations", _walk(step), _WRONG_STEPS,
                "solve J p = -r by QR or SVD: JᵀJ has the square of the condition number") for step in (
                lambda j, r, t: -np.linalg.solve(j.T @ j, j.T @ r),
                lambda j, r, t: -np.linalg.lstsq(j.T @ j, j.T @ r)[0])),
            _CONTENT,
            *(Mistake("content with a small gradient", _walk(lambda j, r, t: -lstsq(j, r), content=it),
                "Another unit of a parameter lets it stop at another point",
                "divide the length of the projection of r onto the columns, Qᵀr, by that of r: "
                "a cosine has no unit") for it in (
                lambda j, r, x: np.linalg.norm(j.T @ r), lambda j, r, x: np.abs(j.T @ r).max(),
                lambda j, r, x: np.linalg.norm(np.linalg.qr(j)[0].T @ r),
                lambda j, r, x: np.linalg.norm(j.T @ r) / np.linalg.norm(r))),
            *(Mistake("content with short steps", _walk(lambda j, r, t: -lstsq(j, r), content=it),
                "It stops where steps are short, not where the residual is perpendicular",
                "look at the angle between residual and tangent plane") for it in (
                lambda j, r, x: np.linalg.norm(lstsq(j, r)),
                lambda j, r, x: np.linalg.norm(lstsq(j, r)) / (np.linalg.norm(x) or 1))),
            Mistake("never content", ("the residual is perpendicular to its tangent plane\", True",
                "the residual is perpendicular to its tangent plane\", False"),
                "It never says that it has converged", "look whether the residual is perpendicular"),
            Mistake("cost not halved", _with_twice_the_cost,
                "The cost is twice the right one", "take half of the sum of squares"),
            Mistake("cost of the start", _with_the_cost_of_the_start,
                "It gives the cost at the start, not at x", "compute the cost from the last residual"),
            Mistake("one step", ("if walk.steps >= max_steps:", "if walk.steps >= min(1, max_steps):"),
                "It stops after the first step", "linearize again at the new point"),
            Mistake("point that is not finite", _with_the_point_that_is_not_finite,
                "It returns the point where something is not finite", "keep the point before, with its cost"),
            Mistake("half of each step", (f"return -{_STEP}", f"return -{_STEP} / 2"),
                "It goes half of the way that the linear model says", "add the whole step: nothing holds it back"),
            Mistake("one step too few", lambda residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10:
                gauss_newton(residual, x0, jacobian, max_steps - 1, tolerance) if max_steps else None,
                "It takes one step less than it may",
                "look at max_steps + 1 points: the start, and one after each step"))),
    Checks(levenberg_marquardt, run=_arrived, signs=_SIGNS,
        cases=(
            call(np.arctan, _far).about("a start from which Gauss and Newton diverge"),
            call(decay, _near, tolerance=1e-9).about("derivatives measured", tolerance=1e-7),
            call(decay, _near, max_steps=0).about("no step allowed"), call(decay, _near, jacobian=decay_jacobian).about(
            "derivatives given", tolerance=1e-7), call(decay, _near, decay_jacobian, 200, 1e-9).about("all options",
            tolerance=1e-7), call(rosenbrock, _valley, max_steps=3).about("three steps into a long valley"),
            call(rosenbrock, _valley, rosenbrock_jacobian).about("a long valley", tolerance=1e-7),
            call(nearly_dependent, np.zeros(2), lambda x: _nearly_dependent).about(  # 1e-12 / 1e-8 is near enough
                "columns that nearly depend on each other", tolerance=1e-3, absolute=1e-12),
            call(decay_in_other_units, _wide, lambda x: decay_jacobian(x / _units)
                / _units).about("units of 1e9 and 1e-6", tolerance=1e-7, absolute=1e-18, hint=_UNITS),
            call(bent, np.array([4e-9, 3e6]), bent_jacobian).about("units of 1e9 and 1e-6, far from the minimum",
                tolerance=1e-7, absolute=1e-18, hint=_UNITS),
            call(angle, np.array([0.8]), lambda x: np.array([[-0.7]]), 5).about("steps that all lead uphill"),
            call(_uphill, np.array([3.0]), lambda x: np.array([[-1.0], [-2.0]]), 25).about(
                "steps that all lead uphill, however short"),
            call(level, np.array([1.0]), lambda x: np.zeros((2, 1)), 0).about("a Jacobian of zeros"),
            call(lambda x: np.array([x[0], x[0] ** 2 + 0.4, 0.1 * x[0] - 3]), np.ones(1),
                lambda x: np.array([[1.0], [2 * x[0]], [0.1]]), tolerance=1e-6).about("a long residual",
                    tolerance=4e-5),
            call(lambda x: np.array([np.log(x[0]) + 1, 0.1]), np.array([5.0]), lambda x: np.array([[1 / x[0]],
                [0.0]])).about("a step to where the residual is no number", tolerance=1e-7),
            call(lambda x: np.exp(x) - 3, np.array([8.0]), lambda x: np.diag(np.exp(x))).about(
                "a residual that rounding keeps from 0"),
            call(rosenbrock, np.array([-5.0, 30.0]), rosenbrock_jacobian).about("steps that are too long at first",
                edge=True, tolerance=1e-7),
            call(np.arctan, np.array([30.0]), lambda x: np.diag(1 / (1 + x**2))).about("a start on a plateau",
                edge=True, tolerance=1e-7),
            call(decay, [2, 3], decay_jacobian).about("a list of integers", edge=True, tolerance=1e-7),
            call(lambda x: x + 1, np.array([1.0]), lambda x: np.where(x < 0, np.inf, 1.0)[None], 60).about(
                "a step to where the Jacobian is not finite", edge=True),
            call(idle, np.array([3.0, 2.0]), idle_jacobian, 20).about("a parameter without influence", edge=True),
            call(decay, _near, decay_jacobian, tolerance=1.0).about("a tolerance that the start meets", edge=True),
            *_EDGES),
        claims=(
            *_CLAIMS,
            Claim("from 1.5, where Gauss and Newton diverge, it finds the root of arctan",
                lambda f: float(abs(f(np.arctan, _far).x[0])), **_DECIDED),
            Claim("parameters in units of 1e9 and 1e-6 are found as well",
                lambda f: distance(f(decay_in_other_units, _wide).x / [1e-9, 1e6], levenberg_marquardt(decay, _near).x),
                **_DECIDED),
            Claim("three steps into a long valley it has not converged",
                lambda f: float(f(rosenbrock, _valley, None, 3).converged))),
        mistakes=(
            Mistake("step with the wrong sign", _walk(lambda j, r, t: -_damped(j, r, 0.1)), *_SIGN),
            Mistake("along the gradient", _walk(lambda j, r, t: -0.01 * j.T @ r), *_GRADIENT),
            Mistake("undamped", lambda *it, **named: gauss_newton(*it, **named), "It diverges from poor starts",
                "damp a step that does not keep its promise, and try again"),
            Mistake("the same damping for all", _walk(lambda j, r, t: _damped(j, r, 0.1), steps=200),
                "Parameters in small units never move",
                "put the lengths of the Jacobian's columns into D: λD² in place of λI",
                "Accord.NET, pull request 987 (2017), for costs far below one"),
            *(Mistake("damped normal equations", it, _WRONG_STEPS,
                "solve the augmented system, or use the SVD: JᵀJ has the square of the condition number") for it in (
                _walk(_normal), _refused_by_the_product)),
            Mistake("content with short steps",
                _walk(lambda j, r, t: _damped(j / (d := np.linalg.norm(j, axis=0)), r, 1e6) / d, True, 1),
                "It says that it has arrived where the damping is large",
                "look at the angle between residual and Jacobian: the length of a step is the damping's doing"),
            Mistake("content where no step helps", _content_in_the_end,
                "It says that it has arrived where the damping has grown and no step was taken",
                "look at the angle between residual and Jacobian: that no step helps, however short, is no minimum"),
            _CONTENT,
            Mistake("given up", _given_up, "It gives up at the first step that is not taken",
                "let the damping grow and try again from the same point"),
            Mistake("jacobian of the start", (("self._jacobian(x.copy())", "self._jacobian(self.start.copy())"),
                ("numerical_jacobian(self.residual, x)", "numerical_jacobian(self.residual, self.start)")),
                "From the second step on it uses slopes of the start", "compute the Jacobian at every point"))),
    Checks(damped_step,
        cases=(
            call(np.array([2.0]), np.array([[1.0]]), 1.0, np.array([1.0])),
            call(_r, _j, 0.5, np.ones(2)).about("all scales 1"), call(_r, _j, 0.5, _scales),
            call(-2 * _r, _j[:, ::-1], 7.0, _scales), call(_r, _j, 0, _scales).about("no damping"),
            call(0 * _r, _j, 0.5, _scales).about("a residual of 0"),
            call(_r[:1], _j[:1], 0.5, _scales).about("more unknowns than equations", edge=True),
            *(call(_r, _j, it, _scales).about(f"a damping of {it:.0e}", absolute=0.0) for it in (1e7, 1e12)),
            call(_r, _j * [1e-9, 1e6], 0.5, _scales * [1e-9, 1e6]).about("units of 1e-9 and 1e6"),
            call(-_nearly_dependent @ [1.0, 2.0], _nearly_dependent, 1e-30,
                np.ones(2)).about("columns that nearly depend on each other", tolerance=1e-5)),
        claims=(
            Claim("a large damping leads along the gradient",
                lambda f: distance(1e9 * f(_r, _j, 1e9, np.ones(2)), -_j.T @ _r), 1e-7,
                "the next term is smaller by the damping"),
            oracle("numpy.linalg.solve, of the normal equations",
                lambda r, j, damping, scales: np.linalg.solve(j.T @ j + damping * np.diag(scales**2), -j.T @ r),
                call(_r, _j, 0.5, _scales), **_SMALL)),
        mistakes=(
            Mistake("the damping itself", ("np.sqrt(damping) *", "damping *"), "The damping acts squared",
                "the rows are squared: put the root of the damping into them"),
            Mistake("every entry of the added rows", ("np.diag(scales)", "np.outer(np.ones(len(scales)), scales)"),
                "The added rows hold back one combination of the parameters, and that more than once",
                "put the scales on a diagonal, one in each row"),
            Mistake("damping of singular values", lambda r, j, damping, scales: -((f := np.linalg.svd(j / scales,
                full_matrices=False))[2].T @ ((f[0].T @ r) / (f[1] + damping))) / scales,
                "The damping is added to singular values", "divide by s² + λ, and multiply by s"),
            Mistake("all scales the same", ("np.diag(scales)", "np.eye(len(scales))"),
                "Another unit of a parameter gives another step", "multiply the added rows by the scales"),
            Mistake("squares of the scales", ("np.diag(scales)", "np.diag(scales**2)"), "The scales act squared",
                "divide the columns of J by the scales, or put √λ times the scales below it, not both"),
            Mistake("step with the wrong sign", ("-np.append", "np.append"), "It leads uphill",
                "let -r stand on the right-hand side, above the zeros"),
            Mistake("columns not divided", lambda r, j, damping, scales: np.linalg.lstsq(np.vstack([j,
                np.sqrt(damping) * np.diag(scales)]), -np.append(r, np.zeros(len(scales))), rcond=None)[0],
                "Columns that are short beside others count as zero", "divide the columns by the scales first"),
            Mistake("roots of the scales", ("np.diag(scales)", "np.diag(np.sqrt(scales))"),
                "The scales act by their roots: D stands where D² belongs",
                "the rows are squared: put the scales themselves into them"),
            Mistake("not divided at the end", lambda r, j, damping, scales: scales * damped_step(r, j, damping, scales),
                "It is D p, the step of the scaled parameters", "divide it by the scales again"),
            Mistake("root of the damping halved", ("np.sqrt(damping) *", "np.sqrt(damping) / 2 *"),
                "The damping acts divided by 4", "put the root of the damping into the rows, no other factor"),
            Mistake("divided by the scales", ("np.diag(scales)", "np.diag(1 / scales)"),
                "A parameter of large scale is held least, where it should be held most",
                "multiply the added rows by the scales; or divide the columns of J by them, and the solution again"),
            Mistake("one row for all", (("np.diag(scales)", "scales[None]"), ("np.zeros(len(scales))", "[0.0]")),
                "Only one combination of the parameters is held back", "add a row for each parameter"),
            Mistake("only shortened", lambda r, j, damping, scales: -lstsq(j, r) / (1 + damping),
                "It never turns from Gauss and Newton's step downhill", "damp inside of the linear problem"),
            Mistake("each entry shortened", lambda r, j, damping, scales: -lstsq(j, r) / (1 + damping * scales**2),
                "It is Gauss and Newton's step with each entry divided by a number of its own",
                "damp inside of the linear problem"),
            Mistake("downhill", lambda r, j, damping, scales: -j.T @ r / (damping or 1) / scales**2,
                "It is what a large damping leads to, and only that", "solve the whole of (4)"),
            Mistake("normal equations",
                lambda r, j, damping, scales: -np.linalg.solve(j.T @ j + damping * np.diag(scales**2), j.T @ r),
                _DIGITS, "add rows to J: JᵀJ has the square of the condition number"),
            Mistake("scales for zeros", ("np.zeros(len(scales))", "scales"),
                "Without a residual it still takes a step", "put zeros below -r, for the added rows ask for no step"))),
    Checks(predicted_reduction,
        cases=(
            call(np.array([-1.0]), np.array([2.0]), 1.0, np.array([1.0])),
            call(_p, _g, 0.5, np.ones(2)).about("all scales 1"), call(_p, _g, 0.5, _scales),
            call(_p, _g, 0, _scales).about("no damping"),
            call(damped_step(_r, _j, 3.0, _scales), _j.T @ _r, 3.0, _scales),
            call(_tiny, _j.T @ _r, 1e18, _scales).about("a step of 1e-18", absolute=1e-30)),
        claims=(
            Claim("without damping it is half of what the slope promises",
                lambda f: distance(f(_p, _g, 0, _scales), -_p @ _g / 2), **_SMALL),
            oracle("numpy.linalg.norm, of the linear model with and without the step",
                lambda p, *_: (np.linalg.norm(_r) ** 2 - np.linalg.norm(_r + _j @ p) ** 2) / 2,
                call(damped_step(_r, _j, 3.0, _scales), _j.T @ _r, 3.0, _scales), **_SMALL)),
        mistakes=(
            Mistake("gradient only", ("damping * np.sum((scales * p) ** 2) - p @ g", "-p @ g"),
                "The damping makes no difference", "by (4) JᵀJ p is -g - λD²p: put that in"),
            Mistake("not halved", (") / 2", ")"), "It is twice the reduction of half the sum of squares",
                "the cost is half the sum of squares"),
            Mistake("damping for the curvature", ("damping * np.sum((scales * p) ** 2) - p @ g) / 2",
                "-damping * np.sum((scales * p) ** 2) - 2 * p @ g) / 2"),
                "λ‖D p‖² stands where p·JᵀJ p belongs", "p·JᵀJ p is -g·p - λ‖D p‖²: multiply (4) by p"),
            Mistake("slope along the step", ("damping * np.sum((scales * p) ** 2) - p @ g", "-2 * p @ g"),
                "It forgets what the step costs in second order", "subtract half of p·JᵀJ p"),
            Mistake("damping with the wrong sign", ("damping * np.sum", "-damping * np.sum"),
                "A damped step seems to bring less than it does", "by (4) JᵀJ p is -g - λD²p: put that in"),
            Mistake("scales left out", ("(scales * p) ** 2", "p**2"),
                "Another unit of a parameter gives another reduction", "the damping multiplies the length of D p"))),
)
