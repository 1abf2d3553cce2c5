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


def wrong_gauss_newton__transposed_jacobian(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    return _steps(residual, x0, jacobian, max_steps, tolerance, lambda r, j: -j.T @ r)


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


def wrong_gauss_newton__half_steps(residual, x0, jacobian=None, max_steps=1000, tolerance=1e-10):
    return _steps(residual, x0, jacobian, max_steps, tolerance, lambda r, j: -np.linalg.lstsq(j, r)[0] / 2)


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
