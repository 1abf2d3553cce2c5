"""Nonlinear least squares, as readers write it."""

from types import SimpleNamespace

import numpy as np
import scipy.optimize

from mlnotes.applications.nonlinear_least_squares import gauss_newton, levenberg_marquardt
from mlnotes.blocks.derivatives import numerical_jacobian


def _cosine(r, j):
    if not (np.isfinite(r).all() and np.isfinite(j).all() and np.abs(j).max(axis=0).all()):
        return 1.0
    u, s, _ = np.linalg.svd(j / np.maximum(np.linalg.norm(j, axis=0), 1e-300), full_matrices=False)
    return np.linalg.norm(u[:, s > 1e-14].T @ r) / (np.linalg.norm(r) or 1)


def _steps(residual, x0, jacobian, max_steps, tolerance, step):
    x = np.array(x0, float)
    jacobian = jacobian or (lambda x: numerical_jacobian(residual, x))
    for count in range(max_steps + 1):
        r, j = residual(x), jacobian(x)
        converged = bool(_cosine(r, j) <= tolerance or np.linalg.norm(r) < 1e-12)
        if converged or count == max_steps or not np.isfinite(j).all() or not j.any(axis=0).all():
            return SimpleNamespace(x=x, cost=r @ r / 2, converged=converged)
        x = x + step(r, j)


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
    found = gauss_newton(residual, x0, jacobian, max_steps, tolerance)
    return SimpleNamespace(x=found.x, cost=np.mean(residual(found.x) ** 2), converged=found.converged)


def wrong_gauss_newton__tolerance_ignored(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    """`tolerance` makes no difference"""
    return gauss_newton(residual, x0, jacobian, max_steps)


def wrong_gauss_newton__root_of_the_cost(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
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
    """twice the right one"""
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
    return np.linalg.lstsq(
        np.vstack([j / scales, damping**0.5 * np.eye(n)]), np.append(-r, np.zeros(n)), rcond=None
    )[0] / scales


def right_damped_step__qr(r, j, damping, scales):
    q, u = np.linalg.qr(np.concatenate([j, np.diag(np.sqrt(damping) * scales)]))
    return -np.linalg.solve(u, q[: len(r)].T @ r)


def right_damped_step__svd(r, j, damping, scales):
    u, s, vt = np.linalg.svd(j / scales, full_matrices=False)
    return -(vt.T @ (s / (s**2 + damping) * (u.T @ r))) / scales


def wrong_damped_step__rows_of_the_gradient(r, j, damping, scales):
    """Line 4"""
    rows = np.vstack([j, np.sqrt(damping) * np.diag(scales)])
    return -np.linalg.lstsq(rows, np.append(r, scales), rcond=None)[0]


def wrong_damped_step__divided_by_the_scales(r, j, damping, scales):
    rows = np.vstack([j, np.sqrt(damping) * np.diag(1 / scales)])
    return -np.linalg.lstsq(rows, np.append(r, 0 * scales), rcond=None)[0]


def wrong_damped_step__damping_squared(r, j, damping, scales):
    rows = np.vstack([j, damping * np.diag(scales)])
    return -np.linalg.lstsq(rows, np.append(r, 0 * scales), rcond=None)[0]


def wrong_damped_step__damping_halved(r, j, damping, scales):
    rows = np.vstack([j, 0.5 * np.sqrt(damping) * np.diag(scales)])
    return -np.linalg.lstsq(rows, np.append(r, 0 * scales), rcond=None)[0]


def wrong_damped_step__divided_by_one_plus(r, j, damping, scales):
    return -np.linalg.lstsq(j, r, rcond=None)[0] / (1 + damping)


def wrong_damped_step__along_the_gradient(r, j, damping, scales):
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
