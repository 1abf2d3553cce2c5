"""Eigenvalue solvers, as readers write them."""

import math

import numpy as np
import scipy.linalg

from mlnotes.blocks.eigen import Eigenpair

_EPS = np.finfo(float).eps


def right_power_iteration__loop(a, start=None, steps=1000, tolerance=None):
    tolerance = 10 * len(a) * _EPS if tolerance is None else tolerance
    v = np.random.default_rng(5).normal(size=len(a)) if start is None else start
    v = v / np.linalg.norm(v)
    estimates, residuals = [], []
    for k in range(steps + 1):
        w = a @ v
        estimates.append(v @ w)
        residuals.append(np.linalg.norm(w - estimates[-1] * v))
        converged = residuals[-1] <= tolerance * np.linalg.norm(a)
        if converged or k == steps:
            break
        v = w / np.linalg.norm(w)
    return Eigenpair(estimates[-1], v, np.array(estimates), np.array(residuals), converged)


def right_power_iteration__until(a, start=None, steps=1000, tolerance=None):
    goal = (10 * len(a) * _EPS if tolerance is None else tolerance) * np.sqrt((a * a).sum())
    v = np.random.default_rng(1).uniform(-1, 1, size=len(a)) if start is None else np.array(start)
    v /= np.sqrt(v @ v)
    values = [v @ a @ v]
    lengths = [np.linalg.norm(a @ v - values[0] * v)]
    while lengths[-1] > goal and len(values) <= steps:
        v = a @ v
        v /= np.sqrt(v @ v)
        values.append(v @ a @ v)
        lengths.append(np.linalg.norm(a @ v - values[-1] * v))
    return Eigenpair(float(values[-1]), v, np.array(values), np.array(lengths), bool(lengths[-1] <= goal))


def right_power_iteration__quotient(a, start=None, steps=1000, tolerance=None):
    tolerance = 10 * len(a) * _EPS if tolerance is None else tolerance
    v = np.random.default_rng(2).normal(size=len(a)) if start is None else start
    values, lengths = [], []
    while True:
        v = v / np.max(np.abs(v))
        w = a @ v
        values.append((v @ w) / (v @ v))
        lengths.append(np.linalg.norm(w - values[-1] * v) / np.linalg.norm(v))
        converged = lengths[-1] <= tolerance * np.linalg.norm(a)
        if converged or len(values) == steps + 1:
            unit = v / np.linalg.norm(v)
            return Eigenpair(values[-1], unit, np.array(values), np.array(lengths), converged)
        v = w


def wrong_power_iteration__one_step_too_many(a, start=None, steps=1000, tolerance=None):
    """Line 7"""
    tolerance = 10 * len(a) * _EPS if tolerance is None else tolerance
    v = np.random.default_rng(5).normal(size=len(a)) if start is None else start
    v = v / np.linalg.norm(v)
    estimates, residuals = [], []
    for k in range(steps + 2):
        w = a @ v
        estimates.append(v @ w)
        residuals.append(np.linalg.norm(w - estimates[-1] * v))
        converged = residuals[-1] <= tolerance * np.linalg.norm(a)
        if converged:
            break
        v = w / np.linalg.norm(w) if k < steps + 1 else v
    return Eigenpair(estimates[-1], v, np.array(estimates), np.array(residuals), converged)


def wrong_power_iteration__start_not_divided(a, start=None, steps=1000, tolerance=None):
    """The length of the start decides what is found"""
    tolerance = 10 * len(a) * _EPS if tolerance is None else tolerance
    v = np.random.default_rng(5).normal(size=len(a)) if start is None else start
    estimates, residuals = [], []
    for k in range(steps + 1):
        w = a @ v
        estimates.append(v @ w)
        residuals.append(np.linalg.norm(w - estimates[-1] * v))
        converged = residuals[-1] <= tolerance * np.linalg.norm(a)
        if converged or k == steps:
            break
        v = w / np.linalg.norm(w)
    return Eigenpair(estimates[-1], v, np.array(estimates), np.array(residuals), converged)


def wrong_power_iteration__largest_entry(a, start=None, steps=1000, tolerance=None):
    """The vector does not have length one"""
    tolerance = 10 * len(a) * _EPS if tolerance is None else tolerance
    v = np.random.default_rng(5).normal(size=len(a)) if start is None else start
    v = v / np.max(np.abs(v))
    estimates, residuals = [], []
    for k in range(steps + 1):
        w = a @ v
        estimates.append(v @ w)
        residuals.append(np.linalg.norm(w - estimates[-1] * v))
        converged = residuals[-1] <= tolerance * np.linalg.norm(a)
        if converged or k == steps:
            break
        v = w / np.max(np.abs(w))
    return Eigenpair(estimates[-1], v, np.array(estimates), np.array(residuals), converged)


def wrong_power_iteration__start_ignored(a, start=None, steps=1000, tolerance=None):
    """`start` makes no difference"""
    tolerance = 10 * len(a) * _EPS if tolerance is None else tolerance
    v = np.random.default_rng(0).normal(size=len(a))
    v = v / np.linalg.norm(v)
    estimates, residuals = [], []
    for k in range(steps + 1):
        w = a @ v
        estimates.append(v @ w)
        residuals.append(np.linalg.norm(w - estimates[-1] * v))
        converged = residuals[-1] <= tolerance * np.linalg.norm(a)
        if converged or k == steps:
            break
        v = w / np.linalg.norm(w)
    return Eigenpair(estimates[-1], v, np.array(estimates), np.array(residuals), converged)


def wrong_power_iteration__transposed(a, start=None, steps=1000, tolerance=None):
    """Line 8"""
    tolerance = 10 * len(a) * _EPS if tolerance is None else tolerance
    v = np.random.default_rng(5).normal(size=len(a)) if start is None else start
    v = v / np.linalg.norm(v)
    estimates, residuals = [], []
    for k in range(steps + 1):
        w = a.T @ v
        estimates.append(v @ w)
        residuals.append(np.linalg.norm(w - estimates[-1] * v))
        converged = residuals[-1] <= tolerance * np.linalg.norm(a)
        if converged or k == steps:
            break
        v = w / np.linalg.norm(w)
    return Eigenpair(estimates[-1], v, np.array(estimates), np.array(residuals), converged)


def wrong_power_iteration__last_length(a, start=None, steps=1000, tolerance=None):
    """A negative eigenvalue comes out positive"""
    tolerance = 10 * len(a) * _EPS if tolerance is None else tolerance
    v = np.random.default_rng(5).normal(size=len(a)) if start is None else start
    v = v / np.linalg.norm(v)
    estimates, residuals = [], []
    for k in range(steps + 1):
        w = a @ v
        estimates.append(np.sqrt(w @ w))
        residuals.append(np.linalg.norm(w - estimates[-1] * v))
        converged = residuals[-1] <= tolerance * np.linalg.norm(a)
        if converged or k == steps:
            break
        v = w / estimates[-1]
    return Eigenpair(estimates[-1], v, np.array(estimates), np.array(residuals), converged)


def right_jacobi_eigh__numpy(a):
    if not np.allclose(a, a.T):
        raise ValueError("not symmetric")
    return np.linalg.eigh(a)


def right_jacobi_eigh__scipy(a):
    if np.abs(a - a.T).max() > 1e-10 * np.abs(a).max():
        raise ValueError("not symmetric")
    return scipy.linalg.eigh(a, driver="ev")


def right_jacobi_eigh__rotations(a):
    if not np.allclose(a, a.T):
        raise ValueError("not symmetric")
    a, v = np.array(a, float), np.eye(len(a))
    for _ in range(30):
        for p in range(len(a)):
            for q in range(p + 1, len(a)):
                if a[p, q] == 0:
                    continue
                angle = 0.5 * np.arctan2(2 * a[p, q], a[q, q] - a[p, p])
                j = np.eye(len(a))
                j[p, p] = j[q, q] = np.cos(angle)
                j[p, q], j[q, p] = np.sin(angle), -np.sin(angle)
                a, v = j.T @ a @ j, v @ j
                a[p, q] = a[q, p] = 0
    order = np.argsort(np.diag(a))
    return np.diag(a)[order], v[:, order]


def wrong_jacobi_eigh__general_solver(a):
    """Line 5"""
    if not np.allclose(a, a.T):
        raise ValueError("not symmetric")
    return tuple(np.linalg.eig(a))


def wrong_jacobi_eigh__squares(a):
    if not np.allclose(a, a.T):
        raise ValueError("not symmetric")
    w, v = np.linalg.eigh(a.T @ a)
    return np.sqrt(np.abs(w)), v


def wrong_jacobi_eigh__order_exchanged(a):
    """Line 6"""
    if not np.allclose(a, a.T):
        raise ValueError("not symmetric")
    w, v = np.linalg.eigh(a)
    return v, w


def wrong_jacobi_eigh__no_refusal_and_mean(a):
    """It accepts what must be refused"""
    return tuple(np.linalg.eigh((a + a.T) / 2))


def wrong_jacobi_eigh__scaled_by_the_largest_entry(a):
    """Line 6"""
    if not np.allclose(a, a.T):
        raise ValueError("not symmetric")
    w, v = np.linalg.eigh(a)
    return w, v / np.abs(v).max(axis=0)


def wrong_jacobi_eigh__wrong_angle(a):
    if not np.allclose(a, a.T):
        raise ValueError("not symmetric")
    a, v = np.array(a, float), np.eye(len(a))
    for _ in range(5):
        for p in range(len(a)):
            for q in range(p + 1, len(a)):
                angle = 0.5 * np.arctan2(a[p, q], a[q, q] - a[p, p])
                j = np.eye(len(a))
                j[p, p] = j[q, q] = np.cos(angle)
                j[p, q], j[q, p] = np.sin(angle), -np.sin(angle)
                a, v = j.T @ a @ j, v @ j
    order = np.argsort(np.diag(a))
    return np.diag(a)[order], v[:, order]


def right_characteristic_polynomial__numpy(a):
    return np.poly(a)


def right_characteristic_polynomial__leverrier(a):
    n = len(a)
    coefficients, m = [1.0], np.zeros_like(a)
    for k in range(1, n + 1):
        m = a @ m + coefficients[-1] * np.eye(n)
        coefficients.append(-np.trace(a @ m) / k)
    return np.array(coefficients)


def right_characteristic_polynomial__from_roots(a):
    p = np.ones(1)
    for root in np.linalg.eigvals(a):
        p = np.append(p, 0) - root * np.append(0, p)
    return p.real


def wrong_characteristic_polynomial__one_root_left_out(a):
    """Line 4"""
    p = np.ones(1)
    for root in np.linalg.eigvals(a)[1:]:
        p = np.append(p, 0) - root * np.append(0, p)
    return p.real


def wrong_characteristic_polynomial__plus(a):
    """with the opposite sign"""
    p = np.ones(1)
    for root in np.linalg.eigvals(a):
        p = np.append(p, 0) + root * np.append(0, p)
    return p.real


def wrong_characteristic_polynomial__powers_exchanged(a):
    """Line 5"""
    p = np.ones(1)
    for root in np.linalg.eigvals(a):
        p = np.append(0, p) - root * np.append(0, p)
    return p.real


def wrong_characteristic_polynomial__sign_of_the_trace(a):
    """look at the operators"""
    n = len(a)
    coefficients, m = [1.0], np.zeros_like(a)
    for k in range(1, n + 1):
        m = a @ m + coefficients[-1] * np.eye(n)
        coefficients.append(np.trace(a @ m) / k)
    return np.array(coefficients)


def wrong_characteristic_polynomial__constant_first(a):
    """from back to front"""
    return np.poly(a)[::-1]


def wrong_characteristic_polynomial__symmetric_solver(a):
    """With the symmetric part of `a` in its place, every call that fails comes out right."""
    p = np.ones(1)
    for root in np.linalg.eigvalsh(a):
        p = np.append(p, 0) - root * np.append(0, p)
    return p.real


def right_rayleigh_quotient__quotient(a, v):
    return np.dot(v, np.dot(a, v)) / np.dot(v, v)


def right_rayleigh_quotient__unit_vector(a, v):
    unit = np.asarray(v) / np.linalg.norm(v)
    return unit @ np.asarray(a) @ unit


def right_rayleigh_quotient__least_squares(a, v):
    v = np.asarray(v, float)[:, None]
    return np.linalg.lstsq(v, a @ v)[0][0, 0]


def right_rayleigh_quotient__sums(a, v):
    n = len(v)
    return sum(v[i] * a[i][j] * v[j] for i in range(n) for j in range(n)) / sum(it * it for it in v)


def wrong_rayleigh_quotient__not_divided(a, v):
    """A vector twice as long has an estimate four times as large"""
    return v @ a @ v


def wrong_rayleigh_quotient__length(a, v):
    """Line 3"""
    return v @ a @ v / np.linalg.norm(v)


def wrong_rayleigh_quotient__lengths(a, v):
    """The sign is lost, and it is right for eigenvectors only"""
    return np.linalg.norm(a @ v) / np.linalg.norm(v)


def wrong_rayleigh_quotient__image_below(a, v):
    w = a @ v
    return w @ w / (v @ w)


def wrong_rayleigh_quotient__entrywise(a, v):
    """Line 3"""
    return np.mean((a @ v) / v)


def wrong_rayleigh_quotient__projected_the_other_way(a, v):
    """Line 4"""
    w = a @ v
    return (v @ w) / (w @ w)


def wrong_rayleigh_quotient__symmetric_part_doubled(a, v):
    """The result is twice the right one"""
    return v @ (a + a.T) @ v / (v @ v)


def right_power_steps__while(ratio, digits):
    steps, left = 0, 1.0
    while left > 10.0**-digits * (1 + 1e-12):
        left *= ratio
        steps += 1
    return steps


def right_power_steps__logarithms(ratio, digits):
    return math.ceil(digits / -math.log10(ratio))


def right_power_steps__counted(ratio, digits):
    return next(k for k in range(10**6) if ratio**k <= (1 + 1e-12) / 10**digits)


def wrong_power_steps__rounded_down(ratio, digits):
    """The last step is missing"""
    return int(-digits * np.log(10) / np.log(ratio))


def wrong_power_steps__rounded(ratio, digits):
    """Line 3"""
    return round(-digits * np.log(10) / np.log(ratio))


def wrong_power_steps__binary(ratio, digits):
    return int(np.ceil(-digits * np.log(2) / np.log(ratio)))


def wrong_power_steps__natural(ratio, digits):
    """It counts factors of e"""
    return int(np.ceil(-digits / np.log(ratio)))


def wrong_power_steps__squared_rate(ratio, digits):
    """Line 3"""
    return int(np.ceil(-digits * np.log(10) / (2 * np.log(ratio))))


def wrong_power_steps__linear(ratio, digits):
    return int(np.ceil(digits / (1 - ratio)))


def wrong_power_steps__one_more(ratio, digits):
    """The result is too large by 1, every time"""
    return int(-digits * np.log(10) / np.log(ratio)) + 2


def wrong_power_steps__not_whole(ratio, digits):
    return -digits * np.log(10) / np.log(ratio)
