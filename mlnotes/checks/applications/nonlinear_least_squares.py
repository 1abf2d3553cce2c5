"""What nonlinear least squares must satisfy, and how it is usually got wrong."""

from dataclasses import replace

import numpy as np

from mlnotes.applications.nonlinear_least_squares import Fit, gauss_newton, levenberg_marquardt
from mlnotes.blocks.derivatives import numerical_jacobian
from mlnotes.checks.oldbank import Checks, Claim, Mistake, distance, frozen

_t, _data, _far, _wide, _matrix, _right = frozen(
    np.linspace(0.0, 2.0, 11),
    3 * np.exp(-2 * np.linspace(0.0, 2.0, 11)) + 0.1 * np.cos(7 * np.linspace(0.0, 2.0, 11)),
    np.array([1.5]),
    np.array([1.5e-9, 2.5e6]),
    np.vander(np.linspace(0, 1, 23), 9),
    np.vander(np.linspace(0, 1, 23), 9) @ np.arange(1.0, 10.0),
)
_near = (1.5, 2.5)
_DECIDED = "where the residual is perpendicular to 1e-10, the parameters have 9 digits"


def _decay(x):
    """Fit an exponential decay to data that are not quite one."""
    return x[1] * np.exp(-x[0] * _t) - _data


def _decay_in_other_units(x):
    """Measure the same parameters in units of 1e-9 and 1e6."""
    return _decay(x / np.array([1e-9, 1e6]))


def _ill_conditioned(x):
    """Fit a polynomial: linear, with a condition number of 1e6."""
    return _matrix @ x - _right


def _ill_conditioned_jacobian(x):
    return _matrix


def _rosenbrock(x):
    return np.array([10 * (x[1] - x[0] ** 2), 1 - x[0]])


def _found(function, *arguments):
    found = function(*arguments)
    return found.x, found.cost, found.converged


def _scipy(residual, x0):
    import scipy.optimize

    tight = {"xtol": 1e-15, "ftol": 1e-15, "gtol": 1e-15}
    return scipy.optimize.least_squares(residual, x0, method="lm", jac="3-point", x_scale="jac", **tight)


def _against_scipy(residual, x0):
    def error(f):
        mine, theirs = f(residual, x0), _scipy(residual, x0)
        return max(distance(mine.x, theirs.x), distance(mine.cost, theirs.cost))

    return error


def _stationary(f):
    found = f(_decay, _near)
    return float(np.max(np.abs(numerical_jacobian(_decay, found.x).T @ _decay(found.x)))) + float(not found.converged)


def _is_half_the_sum_of_squares(f):
    found = f(_decay, _near)
    return distance(found.cost, np.sum(_decay(found.x) ** 2) / 2)


def _ill_conditioned_error(f):
    return distance(f(_ill_conditioned, np.zeros(9), _ill_conditioned_jacobian).x, np.arange(1.0, 10.0))


def _walk(residual, x0, jacobian, step, steps=20, tolerance=1e-9):
    """Repeat x ← x + step(J, r, t), the skeleton that all wrong versions share."""
    x = np.array(x0, dtype=float)
    jacobian = jacobian or (lambda x: numerical_jacobian(residual, x))
    points, converged = [x], False
    for t in range(steps):
        r, j = residual(x), jacobian(x)
        if not np.abs(j).max() < 1e100:
            break
        converged = bool(np.max(np.abs(j.T @ r)) <= tolerance * (1 + np.linalg.norm(r)))
        if converged:
            break
        x = x + step(j, r, t)
        points.append(x)
    cost = float(residual(x) @ residual(x) / 2)
    nothing = np.zeros(len(points) - 1)
    return Fit(x, cost, len(points) - 1, converged, "", np.array(points), nothing, nothing, nothing)


def _solved(a, b):
    return np.linalg.lstsq(a, b, rcond=None)[0]


def step_with_the_wrong_sign(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """Solve for r where -r belongs."""
    return _walk(residual, x0, jacobian, lambda j, r, t: _solved(j, r))


def along_the_gradient(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """Step along -Jᵀr, which solves nothing."""
    return _walk(residual, x0, jacobian, lambda j, r, t: -0.01 * j.T @ r)


def jacobian_of_the_start(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """Compute the Jacobian once."""
    start = (jacobian or (lambda x: numerical_jacobian(residual, x)))(np.array(x0, dtype=float))
    return _walk(residual, x0, lambda x: start, lambda j, r, t: -_solved(j, r))


def normal_equations(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """Solve JᵀJ p = -Jᵀr, with the square of the condition number."""
    return _walk(residual, x0, jacobian, lambda j, r, t: -np.linalg.solve(j.T @ j, j.T @ r))


def sum_of_squares(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """Return the whole sum of squares."""
    found = gauss_newton(residual, x0, jacobian, max_steps, tolerance)
    return replace(found, cost=2 * found.cost)


def always_content(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """Say that it has converged, whatever happened."""
    return replace(gauss_newton(residual, x0, jacobian, max_steps, tolerance), converged=True)


def one_step(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """Solve the linear problem at the start, and stop."""
    return _walk(residual, x0, jacobian, lambda j, r, t: -_solved(j, r), steps=1)


def undamped(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """Step as Gauss and Newton do."""
    return gauss_newton(residual, x0, jacobian, max_steps, tolerance)


def the_same_damping_for_all(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """Add the damping to the diagonal whatever the units, and never change it."""

    def step(j, r, t):
        n = j.shape[1]
        return -_solved(np.vstack([j, 0.1 * np.eye(n)]), np.concatenate([r, np.zeros(n)]))

    return _walk(residual, x0, jacobian, step)


def damped_normal_equations(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """Solve (JᵀJ + λ D²) p = -Jᵀr, with a damping that falls in every step."""

    def step(j, r, t):
        a = j.T @ j
        return -np.linalg.solve(a + 10.0**-t * np.diag(np.diag(a)), j.T @ r)

    return _walk(residual, x0, jacobian, step)


def whole_sum_of_squares(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """Return the sum of squares, not half of it."""
    found = levenberg_marquardt(residual, x0, jacobian, max_steps, tolerance)
    return replace(found, cost=2 * found.cost)


def content_with_short_steps(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """Take a step that the damping has made short for arrival."""

    def step(j, r, t):
        d = 1e6 * np.linalg.norm(j, axis=0)
        return -_solved(np.vstack([j, np.diag(d)]), np.concatenate([r, np.zeros(d.size)]))

    return replace(_walk(residual, x0, jacobian, step, steps=1), converged=True)


def says_yes_to_the_end(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """Say that it has converged when the steps are used up."""
    return replace(levenberg_marquardt(residual, x0, jacobian, max_steps, tolerance), converged=True)


_SIGN = Mistake(step_with_the_wrong_sign, "The cost grows with every step", "solve J p = -r")
_GRADIENT = Mistake(
    along_the_gradient, "It creeps, or runs away", "solve the linear least-squares problem: the gradient knows no scale"
)

OLD = (
    Checks(
        gauss_newton,
        probes=(
            (_decay, _near),
            (_ill_conditioned, np.zeros(9), _ill_conditioned_jacobian),
            (np.arctan, _far),
        ),
        claims=(
            Claim("the residual is perpendicular to the Jacobian's columns", _stationary, 1e-8, _DECIDED),
            Claim("the cost is half the sum of squares", _is_half_the_sum_of_squares, 1e-12, "a sum of 11 numbers"),
            Claim(
                "a linear problem of condition 1e6 keeps its digits",
                _ill_conditioned_error,
                1e-8,
                "the condition number times 1e-16, where its square would leave 4 digits",
            ),
            Claim(
                "from 1.5 it does not find the root of arctan, and says so",
                lambda f: float(f(np.arctan, _far).converged),
            ),
            Claim(
                "scipy.optimize.least_squares",
                _against_scipy(_decay, _near),
                1e-8,
                "the digits of SciPy's differences",
                "oracle",
            ),
        ),
        mistakes=(
            _SIGN,
            _GRADIENT,
            Mistake(
                jacobian_of_the_start, "It does not reach a stationary point", "compute the Jacobian at every point"
            ),
            Mistake(
                normal_equations,
                "Ill-conditioned problems lose half of their digits",
                "solve J p = -r by QR or SVD: JᵀJ has the square of the condition number",
            ),
            Mistake(sum_of_squares, "The cost is twice as large", "return half the sum of squares"),
            Mistake(always_content, "It never says that it failed", "look whether the residual is perpendicular"),
            Mistake(one_step, "It stops after the first step", "linearize again at the new point"),
        ),
        call=_found,
    ),
    Checks(
        levenberg_marquardt,
        probes=(
            (_decay, _near),
            (_decay_in_other_units, _wide),
            (_ill_conditioned, np.zeros(9), _ill_conditioned_jacobian),
            (np.arctan, _far),
            (_rosenbrock, (-1.2, 1.0), None, 3),
        ),
        claims=(
            Claim("the residual is perpendicular to the Jacobian's columns", _stationary, 1e-8, _DECIDED),
            Claim("the cost is half the sum of squares", _is_half_the_sum_of_squares, 1e-12, "a sum of 11 numbers"),
            Claim(
                "from 1.5, where Gauss and Newton diverge, it finds the root of arctan",
                lambda f: float(abs(f(np.arctan, _far).x[0])),
                1e-8,
                _DECIDED,
            ),
            Claim(
                "parameters in units of 1e-9 and 1e6 are found as well",
                lambda f: distance(
                    f(_decay_in_other_units, _wide).x / [1e-9, 1e6], levenberg_marquardt(_decay, _near).x
                ),
                1e-8,
                _DECIDED,
            ),
            Claim(
                "a linear problem of condition 1e6 keeps its digits",
                _ill_conditioned_error,
                1e-8,
                "the condition number times 1e-16, where its square would leave 4 digits",
            ),
            Claim(
                "three steps into a long valley it has not converged",
                lambda f: float(f(_rosenbrock, (-1.2, 1.0), None, 3).converged),
            ),
            Claim(
                "scipy.optimize.least_squares",
                _against_scipy(_decay, _near),
                1e-8,
                "the digits of SciPy's differences",
                "oracle",
            ),
        ),
        mistakes=(
            _SIGN,
            _GRADIENT,
            Mistake(
                undamped, "It diverges from poor starts", "damp a step that does not keep its promise, and try again"
            ),
            Mistake(
                the_same_damping_for_all,
                "Parameters in small units never move",
                "multiply the damping by the lengths of the Jacobian's columns",
            ),
            Mistake(
                damped_normal_equations,
                "Ill-conditioned problems lose half of their digits",
                "solve the augmented system, or use the SVD: JᵀJ has the square of the condition number",
            ),
            Mistake(whole_sum_of_squares, "The cost is twice as large", "return half the sum of squares"),
            Mistake(
                content_with_short_steps,
                "It says that it has arrived where the damping is large",
                "look at the angle between residual and Jacobian: the length of a step is the damping's doing",
            ),
            Mistake(says_yes_to_the_end, "It never says that it failed", "say so when the steps are used up"),
        ),
        call=_found,
    ),
)
