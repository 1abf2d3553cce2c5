"""Nonlinear least squares, as readers write it."""

from types import SimpleNamespace

import numpy as np
import scipy.optimize
from slips import slip

from mlnotes.applications.nonlinear_least_squares import gauss_newton, levenberg_marquardt
from mlnotes.blocks.derivatives import numerical_jacobian


def _cosine(r, j):
    if not (np.isfinite(r).all() and np.isfinite(j).all() and np.abs(j).max(axis=0).all()):
        return 1.0
    u, s, _ = np.linalg.svd(j / np.maximum(np.linalg.norm(j, axis=0), 1e-300), full_matrices=False)
    return np.linalg.norm(u[:, s > 1e-14].T @ r) / (np.linalg.norm(r) or 1)


def _steps(residual, x0, jacobian, max_steps, tolerance, step):
    x, last = np.array(x0, float), None
    jacobian = jacobian or (lambda x: numerical_jacobian(residual, x))
    for count in range(max_steps + 1):
        r, j = residual(x), jacobian(x)
        if not (np.isfinite(r @ r) and np.isfinite(j).all()):
            return last
        converged = bool(_cosine(r, j) <= tolerance or np.linalg.norm(r) < 1e-12)
        last = SimpleNamespace(x=x, cost=r @ r / 2, converged=converged)
        if converged or count == max_steps or not j.any(axis=0).all():
            return last
        x = x + step(r, j)


def wrong_gauss_newton__one_step_too_far(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """It returns the point where something is not finite"""
    x = np.array(x0, float)
    jacobian = jacobian or (lambda x: numerical_jacobian(residual, x))
    for count in range(max_steps + 1):
        r, j = residual(x), jacobian(x)
        converged = bool(_cosine(r, j) <= tolerance or np.linalg.norm(r) < 1e-12)
        if converged or count == max_steps or not (np.isfinite(r @ r) and np.isfinite(j).all() and j.any(0).all()):
            return SimpleNamespace(x=x, cost=r @ r / 2, converged=converged)
        x = x + np.linalg.lstsq(j, -r, rcond=None)[0]


def wrong_levenberg_marquardt__content_without_step(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """It says that it has arrived where the damping has grown and no step was taken"""
    x, damping = np.array(x0, float), 1e-2
    jacobian = jacobian or (lambda x: numerical_jacobian(residual, x))
    r, j = residual(x.copy()), jacobian(x.copy())
    for count in range(max_steps + 1):
        d = np.linalg.norm(j, axis=0)
        d[d == 0] = 1
        converged = bool(_cosine(r, j) <= max(tolerance, 1e-7) or np.linalg.norm(r) < 1e-12 or damping > 1e20)
        if converged or count == max_steps:
            return SimpleNamespace(x=x, cost=r @ r / 2, converged=converged)
        rows, below = np.vstack([j / d, np.sqrt(damping) * np.eye(len(x))]), np.zeros(len(x))
        ahead = x + np.linalg.lstsq(rows, -np.append(r, below), rcond=None)[0] / d
        new = residual(ahead.copy())
        if np.isfinite(new).all() and (r - new) @ (r + new) > 0:
            x, r, j, damping = ahead, new, jacobian(ahead.copy()), max(damping / 10, 1e-18)
        else:
            damping *= 10


def right_gauss_newton__lstsq(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    return _steps(residual, x0, jacobian, max_steps, tolerance, lambda r, j: np.linalg.lstsq(j, -r, rcond=None)[0])


def right_gauss_newton__qr(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    def step(r, j):
        q, triangle = np.linalg.qr(j)
        return -np.linalg.solve(triangle, q.T @ r)

    return _steps(residual, x0, jacobian, max_steps, tolerance, step)


def right_gauss_newton__svd(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    def step(r, j):
        u, s, vt = np.linalg.svd(j, full_matrices=False)
        return -vt.T @ ((u.T @ r) / s)

    return _steps(residual, x0, jacobian, max_steps, tolerance, step)


def wrong_gauss_newton__three_results(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """n object with x, cost and converged is asked for, got one of type tuple"""
    fit = right_gauss_newton__lstsq(residual, x0, jacobian, max_steps, tolerance)
    return fit.x, fit.cost, fit.converged


def wrong_gauss_newton__sign(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """The cost grows with every step"""
    return _steps(residual, x0, jacobian, max_steps, tolerance, lambda r, j: np.linalg.lstsq(j, r, rcond=None)[0])


def wrong_gauss_newton__steps_ignored(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """`max_steps` makes no difference"""
    return gauss_newton(residual, x0, jacobian, tolerance=tolerance)


def wrong_gauss_newton__whole_sum(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """twice the right one"""
    found = gauss_newton(residual, x0, jacobian, max_steps, tolerance)
    return SimpleNamespace(x=found.x, cost=2 * found.cost, converged=found.converged)


def wrong_gauss_newton__mean_of_squares(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """`x` and `converged` are right in every call, `cost` is not."""
    found = gauss_newton(residual, x0, jacobian, max_steps, tolerance)
    return SimpleNamespace(x=found.x, cost=np.mean(residual(found.x) ** 2), converged=found.converged)


def wrong_gauss_newton__tolerance_ignored(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """`tolerance` makes no difference"""
    return gauss_newton(residual, x0, jacobian, max_steps)


def wrong_gauss_newton__root_of_the_cost(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """`x` and `converged` are right in every call, `cost` is not."""
    found = gauss_newton(residual, x0, jacobian, max_steps, tolerance)
    return SimpleNamespace(x=found.x, cost=np.linalg.norm(residual(found.x)), converged=found.converged)


def right_levenberg_marquardt__minpack(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    x, r = np.array(x0, float), residual(np.array(x0, float))
    jacobian = jacobian or (lambda x: numerical_jacobian(residual, x))
    if max_steps:
        tight = {"xtol": 1e-15, "ftol": 1e-15, "gtol": 1e-15}
        tight |= {"method": "lm", "x_scale": "jac", "max_nfev": max_steps}
        x = scipy.optimize.least_squares(residual, x, jacobian, **tight).x
        r = residual(x)
    converged = bool(_cosine(r, jacobian(x)) <= max(tolerance, 1e-7) or np.linalg.norm(r) < 1e-12)
    return SimpleNamespace(x=x, cost=r @ r / 2, converged=converged)


def _marquardt(residual, x0, jacobian, max_steps, tolerance, solve, grow=10.0, accept=np.less):
    x, damping = np.array(x0, float), 1e-3
    jacobian = jacobian or (lambda x: numerical_jacobian(residual, x))
    for count in range(max_steps + 1):
        r, j = residual(x), jacobian(x)
        converged = bool(_cosine(r, j) <= max(tolerance, 1e-8) or np.linalg.norm(r) < 1e-12)
        if converged or count == max_steps:
            return SimpleNamespace(x=x, cost=r @ r / 2, converged=converged)
        lengths = np.linalg.norm(j, axis=0)
        new = x + solve(j, r, damping, lengths)
        taken = accept(np.sum(residual(new) ** 2), r @ r)
        x, damping = (new, damping / 10) if taken else (x, damping * grow)


def _augmented(j, r, damping, lengths):
    tall = np.vstack([j, np.sqrt(damping) * np.diag(lengths)]) / lengths
    return -np.linalg.lstsq(tall, np.append(r, 0 * lengths), rcond=None)[0] / lengths


def right_levenberg_marquardt__marquardt(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    return _marquardt(residual, x0, jacobian, max_steps, tolerance, _augmented)


def right_levenberg_marquardt__svd(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    def solve(j, r, damping, lengths):
        u, s, vt = np.linalg.svd(j / lengths, full_matrices=False)
        return -(vt.T @ (s / (s**2 + damping) * (u.T @ r))) / lengths

    return _marquardt(residual, x0, jacobian, max_steps, tolerance, solve)


def wrong_levenberg_marquardt__damping_never_grows(residual, x0, jacobian=None, max_steps=100, tolerance=1e-10):
    """Line 3"""
    return _marquardt(residual, x0, jacobian, min(max_steps, 50), tolerance, _augmented, grow=1.0)


def wrong_levenberg_marquardt__every_step_taken(residual, x0, jacobian=None, max_steps=100, tolerance=1e-10):
    """Line 3"""
    return _marquardt(residual, x0, jacobian, min(max_steps, 50), tolerance, _augmented, accept=lambda new, old: True)


def wrong_levenberg_marquardt__only_worse_steps(residual, x0, jacobian=None, max_steps=100, tolerance=1e-10):
    """Line 3"""
    return _marquardt(residual, x0, jacobian, min(max_steps, 50), tolerance, _augmented, accept=np.greater)


def wrong_levenberg_marquardt__whole_sum(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """Line 4"""
    found = levenberg_marquardt(residual, x0, jacobian, max_steps, tolerance)
    return SimpleNamespace(x=found.x, cost=2 * found.cost, converged=found.converged)


def wrong_levenberg_marquardt__always_content(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """It never says that it failed"""
    found = levenberg_marquardt(residual, x0, jacobian, max_steps, tolerance)
    return SimpleNamespace(x=found.x, cost=found.cost, converged=True)


def wrong_levenberg_marquardt__steps_ignored(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """`max_steps` makes no difference"""
    return levenberg_marquardt(residual, x0, jacobian, tolerance=tolerance)


def right_damped_step__added_rows(r, j, damping, scales):
    n = len(scales)
    return (
        np.linalg.lstsq(np.vstack([j / scales, damping**0.5 * np.eye(n)]), np.append(-r, np.zeros(n)), rcond=None)[0]
        / scales
    )


def right_damped_step__qr(r, j, damping, scales):
    q, u = np.linalg.qr(np.concatenate([j, np.diag(np.sqrt(damping) * scales)]))
    return -np.linalg.solve(u, q[: len(r)].T @ r)


def right_damped_step__svd(r, j, damping, scales):
    u, s, vt = np.linalg.svd(j / scales, full_matrices=False)
    return -(vt.T @ (s / (s**2 + damping) * (u.T @ r))) / scales


def wrong_damped_step__rows_of_the_gradient(r, j, damping, scales):
    """put zeros below -r"""
    rows = np.vstack([j, np.sqrt(damping) * np.diag(scales)])
    return -np.linalg.lstsq(rows, np.append(r, scales), rcond=None)[0]


def wrong_damped_step__divided_by_the_scales(r, j, damping, scales):
    """A parameter of large scale is held least"""
    rows = np.vstack([j, np.sqrt(damping) * np.diag(1 / scales)])
    return -np.linalg.lstsq(rows, np.append(r, 0 * scales), rcond=None)[0]


def wrong_damped_step__damping_squared(r, j, damping, scales):
    """The damping acts squared"""
    rows = np.vstack([j, damping * np.diag(scales)])
    return -np.linalg.lstsq(rows, np.append(r, 0 * scales), rcond=None)[0]


def wrong_damped_step__damping_halved(r, j, damping, scales):
    """The damping acts divided by 4"""
    rows = np.vstack([j, 0.5 * np.sqrt(damping) * np.diag(scales)])
    return -np.linalg.lstsq(rows, np.append(r, 0 * scales), rcond=None)[0]


def wrong_damped_step__divided_by_one_plus(r, j, damping, scales):
    """It never turns from Gauss and Newton's step"""
    return -np.linalg.lstsq(j, r, rcond=None)[0] / (1 + damping)


def wrong_damped_step__along_the_gradient(r, j, damping, scales):
    """It is what a large damping leads to"""
    return -j.T @ r / (damping or 1) / scales**2


def right_predicted_reduction__norm(p, g, damping, scales):
    return 0.5 * damping * np.linalg.norm(scales * p) ** 2 - 0.5 * np.dot(g, p)


def right_predicted_reduction__one_product(p, g, damping, scales):
    return p @ (damping * scales**2 * p - g) / 2


def right_predicted_reduction__loop(p, g, damping, scales):
    return sum(damping * (d * x) ** 2 - x * y for x, y, d in zip(p, g, scales, strict=True)) / 2


def wrong_predicted_reduction__sign_of_the_gradient(p, g, damping, scales):
    """Line 3"""
    return (damping * np.sum((scales * p) ** 2) + p @ g) / 2


def wrong_predicted_reduction__damping_whole(p, g, damping, scales):
    """Line 3"""
    return damping * np.sum((scales * p) ** 2) - p @ g / 2


def wrong_predicted_reduction__scales_once(p, g, damping, scales):
    """Line 3"""
    return (damping * np.sum(scales * p**2) - p @ g) / 2


def wrong_predicted_reduction__not_halved(p, g, damping, scales):
    """twice"""
    return damping * np.sum((scales * p) ** 2) - p @ g


def wrong_predicted_reduction__half_of_the_gradient(p, g, damping, scales):
    """The damping makes no difference"""
    return -(p @ g) / 2


def wrong_predicted_reduction__norm_not_squared(p, g, damping, scales):
    """Line 3"""
    return (damping * np.linalg.norm(scales * p) - p @ g) / 2


def right_gauss_newton__columns_of_length_one(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    derive = jacobian or (lambda x: numerical_jacobian(residual, x))
    x, left, last = np.array(x0, float), max_steps, None
    while True:
        r, j = residual(1 * x), np.array(derive(1 * x))
        if not (np.isfinite(np.sum(r)) and np.isfinite(np.sum(j))):
            return last
        lengths = np.linalg.norm(j, axis=0)
        if not lengths.all():
            return SimpleNamespace(x=x, cost=sum(r * r) / 2, converged=False)
        p = np.linalg.lstsq(j / lengths, -r, rcond=1e-15)[0]
        size, reach = np.linalg.norm(r), np.linalg.norm(j / lengths @ p)
        last = SimpleNamespace(x=x, cost=sum(r * r) / 2, converged=bool(size < 1e-12 or reach <= tolerance * size))
        if last.converged or not left:
            return last
        x, left = x + p / lengths, left - 1


def wrong_gauss_newton__jacobian_ignored(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """`jacobian` makes no difference"""
    return right_gauss_newton__qr(residual, x0, None, max_steps, tolerance)


def wrong_gauss_newton__never_converged(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """It never says that it has converged"""
    found = right_gauss_newton__qr(residual, x0, jacobian, max_steps, tolerance)
    return SimpleNamespace(x=found.x, cost=found.cost, converged=False)


def wrong_gauss_newton__cost_of_the_start(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """It gives the cost at the start"""
    found, r = right_gauss_newton__qr(residual, x0, jacobian, max_steps, tolerance), residual(np.array(x0, float))
    return SimpleNamespace(x=found.x, cost=r @ r / 2, converged=found.converged)


def wrong_gauss_newton__nine_tenths_of_a_step(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """numbers differ"""
    step = lambda r, j: -0.9 * np.linalg.lstsq(j, r, rcond=None)[0]  # noqa: E731
    return _steps(residual, x0, jacobian, max_steps, tolerance, step)


def right_levenberg_marquardt__nielsen(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    x, damping, grow = np.array(x0, float), 1e-3, 2.0
    jacobian = jacobian or (lambda x: numerical_jacobian(residual, x))
    for count in range(max_steps + 1):
        r, j = np.array(residual(x.copy())), np.array(jacobian(x.copy()))
        converged = bool(_cosine(r, j) <= max(tolerance, 1e-7) or np.linalg.norm(r) < 1e-12)
        if converged or count == max_steps:
            return SimpleNamespace(x=x, cost=r @ r / 2, converged=converged)
        lengths = np.maximum(np.linalg.norm(j, axis=0), 1e-300)
        p = _augmented(j, r, damping, lengths)
        new = np.array(residual(x + p))
        predicted = (damping * np.sum((lengths * p) ** 2) - (j.T @ r) @ p) / 2
        gain = (r - new) @ (r + new) / 2 / predicted if np.isfinite(new).all() else -1
        if gain > 0:
            x, damping, grow = x + p, damping * max(1 / 3, 1 - (2 * gain - 1) ** 3), 2.0
        else:
            damping, grow = damping * grow, grow * 2


def wrong_levenberg_marquardt__no_scales(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """Only units that are far apart make it fail"""

    def solve(j, r, damping, lengths):
        u, s, vt = np.linalg.svd(j, full_matrices=False)
        return -(vt.T @ (s / (s**2 + damping) * (u.T @ r)))

    return _marquardt(residual, x0, jacobian, max_steps, tolerance, solve)


def wrong_levenberg_marquardt__refused_steps_do_not_count(residual, x0, jacobian=None, max_steps=100, tolerance=1e-10):
    """is where it fails"""
    x, damping, taken = np.array(x0, float), 1e-3, 0
    jacobian = jacobian or (lambda x: numerical_jacobian(residual, x))
    while True:
        r, j = residual(x), jacobian(x)
        converged = bool(_cosine(r, j) <= max(tolerance, 1e-8) or np.linalg.norm(r) < 1e-12)
        if converged or taken == max_steps:
            return SimpleNamespace(x=x, cost=r @ r / 2, converged=converged)
        ahead = x + _augmented(j, r, damping, np.linalg.norm(j, axis=0))
        if np.sum(residual(ahead) ** 2) < r @ r:
            x, damping, taken = ahead, damping / 10, taken + 1
        else:
            damping = damping * 10


def right_damped_step__triangle(r, j, damping, scales):
    rows = np.block([[j], [np.sqrt(damping) * np.diag(scales)]])
    along, triangle = scipy.linalg.qr_multiply(rows, np.append(-r, 0 * scales), mode="right")
    return scipy.linalg.solve_triangular(triangle, along)


def _damped_in_units(r, j, damping, scales, rows):
    q, u = np.linalg.qr(np.vstack([j / scales, np.sqrt(damping) * rows]))
    return -np.linalg.solve(u, q[: len(r)].T @ r)


def wrong_damped_step__left_in_units(r, j, damping, scales):
    """It is D p, the step of the scaled parameters"""
    return _damped_in_units(r, j, damping, scales, np.eye(len(scales)))


def wrong_damped_step__multiplied_by_the_scales(r, j, damping, scales):
    """Line 3"""
    return _damped_in_units(r, j, damping, scales, np.eye(len(scales))) * scales


def wrong_damped_step__scaled_twice(r, j, damping, scales):
    """The scales act squared"""
    return _damped_in_units(r, j, damping, scales, np.diag(scales)) / scales


def wrong_damped_step__normal_equations(r, j, damping, scales):
    """lose half of their digits"""
    return -np.linalg.solve(j.T @ j + damping * np.diag(scales**2), j.T @ r)


def wrong_damped_step__root_of_the_scales(r, j, damping, scales):
    """The scales act by their roots: D stands where D² belongs"""
    q, u = np.linalg.qr(np.vstack([j, np.diag(np.sqrt(damping * scales))]))
    return -np.linalg.solve(u, q[: len(r)].T @ r)


def wrong_damped_step__entries_shortened(r, j, damping, scales):
    """each entry divided by a number of its own"""
    return -np.linalg.lstsq(j, r, rcond=None)[0] / (1 + damping * scales**2)


def wrong_damped_step__lengths_of_the_columns(r, j, damping, scales):
    """Line 4"""
    lengths = np.sqrt(np.diag(j.T @ j))
    q, u = np.linalg.qr(np.vstack([j, np.sqrt(damping) * np.diag(lengths)]))
    return -np.linalg.solve(u, q[: len(r)].T @ r)


def wrong_predicted_reduction__damping_for_the_curvature(p, g, damping, scales):
    """where p·JᵀJ p belongs"""
    return -g @ p - damping * np.sum((scales * p) ** 2) / 2


def wrong_predicted_reduction__divided_by_the_scales(p, g, damping, scales):
    """Line 3"""
    return (damping * np.sum((p / scales) ** 2) - g @ p) / 2


def wrong_predicted_reduction__lengths_for_a_product(p, g, damping, scales):
    return (damping * np.sum((scales * p) ** 2) + np.linalg.norm(g) * np.linalg.norm(p)) / 2


def _fit_at(x, r, along, tolerance):
    size = np.linalg.norm(r)
    converged = bool(size < 1e-12 or np.linalg.norm(along) <= tolerance * size)
    return SimpleNamespace(x=x, cost=r @ r / 2, converged=converged)


def wrong_gauss_newton__axes_of_zeros(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """are right in every call, `converged` is not"""
    x, found = np.array(x0, float), None
    jacobian = jacobian or (lambda x: numerical_jacobian(residual, x))
    for _ in range(max_steps + 1):
        r, j = np.array(residual(x.copy())), np.array(jacobian(x.copy()), float)
        if not (np.isfinite(r).all() and np.isfinite(j).all()):
            return found
        q, u = np.linalg.qr(j)
        found = _fit_at(x, r, q.T @ r, tolerance)
        if found.converged or not j.any(axis=0).all():
            return found
        x = x - np.linalg.solve(u, q.T @ r)
    return found


def wrong_levenberg_marquardt__axes_of_zeros(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """With one change there, all calls come out right"""
    x, damping = np.array(x0, float), 1e-3
    jacobian = jacobian or (lambda x: numerical_jacobian(residual, x))
    for k in range(max_steps + 1):
        r, j = residual(x.copy()), np.array(jacobian(x.copy()))
        d = np.maximum(np.linalg.norm(j, axis=0), 1e-300)
        found = _fit_at(x, r, np.linalg.qr(j / d)[0].T @ r, max(tolerance, 1e-7))
        if found.converged or k == max_steps:
            return found
        ahead = x + right_damped_step__qr(r, j, damping, d)
        lower = np.linalg.norm(residual(ahead.copy())) < np.linalg.norm(r)
        x, damping = (ahead, damping / 10) if lower else (x, damping * 10)


def _by_the_exercise(residual, x0, jacobian, max_steps, tolerance, step, along=None, full=True):
    x, found = np.array(x0, float), None
    jacobian = jacobian or (lambda x: numerical_jacobian(residual, x))
    for _ in range(max_steps + 1):
        r, j = np.array(residual(x.copy())), np.array(jacobian(x.copy()), float)
        if not (np.isfinite(r).all() and np.isfinite(j).all()):
            return found
        whole = j.any(axis=0).all()
        on_the_plane = np.linalg.qr(j)[0].T @ r if along is None else along(j, r)
        found = _fit_at(x, r, on_the_plane if whole else r, tolerance)
        if found.converged or (full and not whole):
            return found
        x = x - step(j, r)
    return found


def wrong_gauss_newton__zero_column_unseen(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """something stands there that is too much"""
    step = lambda j, r: np.linalg.solve(np.linalg.qr(j)[1], np.linalg.qr(j)[0].T @ r)  # noqa: E731
    return _by_the_exercise(residual, x0, jacobian, max_steps, tolerance, step, full=False)


def wrong_gauss_newton__on_past_a_zero_column(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """something stands there that is too much"""
    step = lambda j, r: np.linalg.lstsq(j, r)[0]  # noqa: E731
    return _by_the_exercise(residual, x0, jacobian, max_steps, tolerance, step, full=False)


def wrong_gauss_newton__normal_equations(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """JᵀJ has the square of the condition number"""
    step = lambda j, r: np.linalg.solve(j.T @ j, j.T @ r)  # noqa: E731
    return _by_the_exercise(residual, x0, jacobian, max_steps, tolerance, step)


def wrong_gauss_newton__inverse_of_the_product(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """JᵀJ has the square of the condition number"""
    step = lambda j, r: np.linalg.inv(j.T @ j) @ (j.T @ r)  # noqa: E731
    return _by_the_exercise(residual, x0, jacobian, max_steps, tolerance, step)


def wrong_gauss_newton__pseudoinverse_of_the_product(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """JᵀJ has the square of the condition number"""
    step = lambda j, r: np.linalg.pinv(j.T @ j) @ (j.T @ r)  # noqa: E731
    return _by_the_exercise(residual, x0, jacobian, max_steps, tolerance, step)


def wrong_gauss_newton__gradient_for_the_projection(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """something stands there that is too much"""
    step = lambda j, r: np.linalg.lstsq(j, r)[0]  # noqa: E731
    return _by_the_exercise(residual, x0, jacobian, max_steps, tolerance, step, along=lambda j, r: j.T @ r)


def wrong_damped_step__pseudoinverse(r, j, damping, scales):
    y = j / scales
    return -np.linalg.pinv(y.T @ y + damping * np.eye(len(scales))) @ (y.T @ r) / scales


def wrong_levenberg_marquardt__normal_equations(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """JᵀJ has the square of the condition number"""

    def solve(j, r, damping, lengths):
        a = j / lengths
        return -np.linalg.solve(a.T @ a + damping * np.eye(len(lengths)), a.T @ r) / lengths

    return _marquardt(residual, x0, jacobian, max_steps, tolerance, solve)


def wrong_levenberg_marquardt__gives_up_after_many(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """something stands there that is too much"""
    x, damping, taken, refused = np.array(x0, float), 1e-3, 0, 0
    jacobian = jacobian or (lambda x: numerical_jacobian(residual, x))
    while True:
        r, j = residual(x.copy()), np.array(jacobian(x.copy()))
        d = np.maximum(np.linalg.norm(j, axis=0), 1e-300)
        found = _fit_at(x, r, np.linalg.qr(j / d)[0].T @ r if j.any(axis=0).all() else r, max(tolerance, 1e-7))
        if found.converged or taken == max_steps or refused == 18:
            return found
        ahead = x + right_damped_step__qr(r, j, damping, d)
        if np.linalg.norm(residual(ahead.copy())) < np.linalg.norm(r):
            x, damping, taken, refused = ahead, damping / 10, taken + 1, 0
        else:
            damping, refused = damping * 10, refused + 1


def wrong_levenberg_marquardt__doubled_where_it_fails(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """something stands there that is too much"""
    found = right_levenberg_marquardt__svd(residual, x0, jacobian, max_steps, tolerance)
    return SimpleNamespace(x=found.x, cost=found.cost * (2 - found.converged), converged=found.converged)


def right_levenberg_marquardt__short_residual(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    x, damping = np.array(x0, float), 1e-3
    jacobian = jacobian or (lambda x: numerical_jacobian(residual, x))
    for k in range(max_steps + 1):
        r, j = residual(x.copy()), np.array(jacobian(x.copy()))
        d = np.maximum(np.linalg.norm(j, axis=0), 1e-300)
        found = _fit_at(x, r, np.linalg.qr(j / d)[0].T @ r if j.any(axis=0).all() else r, max(tolerance, 1e-7))
        if found.converged or k == max_steps:
            return found
        ahead = x + right_damped_step__svd(r, j, damping, d)
        lower = np.linalg.norm(residual(ahead.copy())) < np.linalg.norm(r)
        x, damping = (ahead, max(damping / 9, 1e-30)) if lower else (x, damping * 4)


def wrong_gauss_newton__residual_not_asked_for_finite_numbers(
    residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10
):
    """invalid value in log"""
    x, found = np.array(x0, float), None
    jacobian = jacobian or (lambda x: numerical_jacobian(residual, x))
    for _ in range(max_steps + 1):
        r, j = np.array(residual(x.copy())), np.array(jacobian(x.copy()), float)
        if not np.isfinite(j).all():
            return found
        q, u = np.linalg.qr(j)
        found = _fit_at(x, r, q.T @ r if j.any(axis=0).all() else r, tolerance)
        if found.converged or not j.any(axis=0).all():
            return found
        x = x - np.linalg.solve(u, q.T @ r)
    return found


def wrong_gauss_newton__columns_of_the_start_looked_at(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    x, found = np.array(x0, float), None
    jacobian = jacobian or (lambda x: numerical_jacobian(residual, x))
    if not np.array(jacobian(x.copy())).any(axis=0).all():
        return _fit_at(x, residual(x), residual(x), tolerance)
    for _ in range(max_steps + 1):
        r, j = np.array(residual(x.copy())), np.array(jacobian(x.copy()), float)
        if not (np.isfinite(r).all() and np.isfinite(j).all()):
            return found
        p = np.linalg.lstsq(j, -r, rcond=1e-15)[0]
        found = _fit_at(x, r, j @ p, tolerance)
        if found.converged:
            return found
        x = x + p
    return found


def wrong_levenberg_marquardt__short_residuals_forgotten(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    x, damping = np.array(x0, float), 1e-3
    jacobian = jacobian or (lambda x: numerical_jacobian(residual, x))
    for k in range(max_steps + 1):
        r, j = residual(x.copy()), np.array(jacobian(x.copy()))
        d = np.maximum(np.linalg.norm(j, axis=0), 1e-300)
        along = np.linalg.qr(j / d)[0].T @ r if j.any(axis=0).all() else r
        converged = bool(np.linalg.norm(along) <= max(tolerance, 1e-7) * np.linalg.norm(r))
        if converged or k == max_steps:
            return SimpleNamespace(x=x, cost=r @ r / 2, converged=converged)
        ahead = x + right_damped_step__svd(r, j, damping, d)
        lower = np.linalg.norm(residual(ahead.copy())) < np.linalg.norm(r)
        x, damping = (ahead, damping / 10) if lower else (x, damping * 10)


def wrong_levenberg_marquardt__rows_of_one_size(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """Only units that are far apart make it fail"""
    x, damping = np.array(x0, float), 1e-3
    jacobian = jacobian or (lambda x: numerical_jacobian(residual, x))
    for k in range(max_steps + 1):
        r, j = residual(x.copy()), np.array(jacobian(x.copy()))
        d = np.maximum(np.linalg.norm(j, axis=0), 1e-300)
        found = _fit_at(x, r, np.linalg.qr(j / d)[0].T @ r if j.any(axis=0).all() else r, max(tolerance, 1e-7))
        if found.converged or k == max_steps:
            return found
        rows = np.vstack([j, np.sqrt(damping) * np.eye(len(x))])
        ahead = x - np.linalg.lstsq(rows, np.append(r, 0 * x), rcond=None)[0]
        lower = np.linalg.norm(residual(ahead.copy())) < np.linalg.norm(r)
        x, damping = (ahead, damping / 10) if lower else (x, damping * 10)


def wrong_damped_step__downhill_from_a_million_on(r, j, damping, scales):
    """Line 3"""
    if damping > 1e6:
        return -(j.T @ r) / (damping * scales**2)
    rows = np.vstack([j / scales, np.sqrt(damping) * np.eye(len(scales))])
    return -np.linalg.lstsq(rows, np.append(r, 0 * scales), rcond=None)[0] / scales


_DAMPED = "(ahead, max(damping / 9, 1e-30)) if lower else (x, damping * 4)"
wrong_levenberg_marquardt__damping_exchanged = slip(
    right_levenberg_marquardt__short_residual,
    _DAMPED,
    "(ahead, damping * 9) if lower else (x, max(damping / 4, 1e-30))",
    "whether the damping falls after a step that is taken and grows after one that is not",
)
wrong_levenberg_marquardt__every_step_is_taken = slip(
    right_levenberg_marquardt__short_residual,
    _DAMPED,
    _DAMPED.replace("else (x", "else (ahead"),
    "It ends higher than it began: take a step only if it lowers the cost.",
)


def wrong_levenberg_marquardt__gives_up(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """It gives up at the first step that is not taken"""
    x, damping = np.array(x0, float), 1e-3
    jacobian = jacobian or (lambda x: numerical_jacobian(residual, x))
    for k in range(max_steps + 1):
        r, j = residual(x.copy()), jacobian(x.copy())
        found = SimpleNamespace(x=x, cost=r @ r / 2, converged=bool(_cosine(r, j) <= max(tolerance, 1e-7)))
        if found.converged or k == max_steps:
            return found
        ahead = x + _augmented(j, r, damping, np.maximum(np.linalg.norm(j, axis=0), 1e-300))
        if np.linalg.norm(residual(ahead.copy())) >= np.linalg.norm(r):
            return found
        x, damping = ahead, damping / 10


def wrong_gauss_newton__one_step_too_few(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """It takes one step less than it may"""
    x, last = np.array(x0, float), None
    jacobian = jacobian or (lambda x: numerical_jacobian(residual, x))
    for _ in range(max_steps):
        r, j = residual(x), jacobian(x)
        if not (np.isfinite(r @ r) and np.isfinite(j).all()):
            return last
        converged = bool(_cosine(r, j) <= tolerance or np.linalg.norm(r) < 1e-12)
        last = SimpleNamespace(x=x, cost=r @ r / 2, converged=converged)
        if converged or not j.any(axis=0).all():
            return last
        x = x - np.linalg.lstsq(j, r, rcond=None)[0]
    return last


def wrong_levenberg_marquardt__content_too_soon(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """Line 3"""
    return _marquardt(residual, x0, jacobian, max_steps, max(tolerance, 1e-5), _augmented)


def wrong_levenberg_marquardt__unless_greater(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """Line 3"""
    return _marquardt(residual, x0, jacobian, max_steps, tolerance, _augmented, accept=lambda new, old: not new > old)


def wrong_gauss_newton__short_enough(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """Line 4"""
    fit = right_gauss_newton__lstsq(residual, x0, jacobian, 0, tolerance)
    near = fit.cost**0.5 < 1e-10
    return SimpleNamespace(x=fit.x, cost=fit.cost, converged=True) if near else right_gauss_newton__lstsq(
        residual, x0, jacobian, max_steps, tolerance
    )


def wrong_levenberg_marquardt__jacobian_of_the_start(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """whether each step has the Jacobian of its own point"""
    x, damping = np.array(x0, float), 1e-3
    j = np.array(jacobian(x.copy()) if jacobian else numerical_jacobian(residual, x), float)
    scales = np.maximum(np.linalg.norm(j, axis=0), 1e-300)
    for count in range(min(max_steps, 60) + 1):
        r = residual(x.copy())
        converged = bool(_cosine(r, j) <= max(tolerance, 1e-7) or np.linalg.norm(r) < 1e-12)
        if converged or count == min(max_steps, 60):
            return SimpleNamespace(x=x, cost=r @ r / 2, converged=converged)
        rows = np.vstack([j / scales, damping**0.5 * np.eye(len(x))])
        ahead = x - np.linalg.lstsq(rows, np.append(r, np.zeros(len(x))), rcond=None)[0] / scales
        lower = np.linalg.norm(residual(ahead.copy())) < np.linalg.norm(r)
        x, damping = (ahead, damping / 10) if lower else (x, damping * 10)
