"""Eigenvalue solvers, as readers write them."""

import itertools
import math
from fractions import Fraction

import numpy as np
import scipy.linalg
import torch

from mlnotes.blocks.eigen import Eigenpair

_EPS = np.finfo(float).eps


def _symmetric(a):
    return np.abs(a - a.T).max() <= 1e-12 * np.abs(a).max()


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
    """The first estimate grows with the square of the start's length"""
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
    if not _symmetric(a):
        raise ValueError("not symmetric")
    return np.linalg.eigh(a)


def right_jacobi_eigh__scipy(a):
    if np.abs(a - a.T).max() > 1e-12 * np.abs(a).max():
        raise ValueError("not symmetric")
    return scipy.linalg.eigh(a, driver="ev")


def right_jacobi_eigh__rotations(a):
    if not _symmetric(a):
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
    if not _symmetric(a):
        raise ValueError("not symmetric")
    return tuple(np.linalg.eig(a))


def wrong_jacobi_eigh__squares(a):
    if not _symmetric(a):
        raise ValueError("not symmetric")
    w, v = np.linalg.eigh(a.T @ a)
    return np.sqrt(np.abs(w)), v


def wrong_jacobi_eigh__order_exchanged(a):
    """The parts are right, but in another order: they have changed places."""
    if not _symmetric(a):
        raise ValueError("not symmetric")
    w, v = np.linalg.eigh(a)
    return v, w


def wrong_jacobi_eigh__no_refusal_and_mean(a):
    """It accepts what must be refused"""
    return tuple(np.linalg.eigh((a + a.T) / 2))


def wrong_jacobi_eigh__scaled_by_the_largest_entry(a):
    """Line 6"""
    if not _symmetric(a):
        raise ValueError("not symmetric")
    w, v = np.linalg.eigh(a)
    return w, v / np.abs(v).max(axis=0)


def wrong_jacobi_eigh__wrong_angle(a):
    if not _symmetric(a):
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
    """The calls that fail come out right with the symmetric part of `a` in its place"""
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
    """the nearest multiple of v is asked for"""
    w = a @ v
    return w @ w / (v @ w)


def wrong_rayleigh_quotient__entrywise(a, v):
    """It averages the ratios of coordinates"""
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
    return int(np.ceil(-digits / (2 * np.log10(ratio))))


def wrong_power_steps__linear(ratio, digits):
    return int(np.ceil(digits / (1 - ratio)))


def wrong_power_steps__one_more(ratio, digits):
    """The result is too large by 1, every time"""
    return int(np.ceil(-digits / np.log10(ratio))) + 1


def wrong_power_steps__one_more_than_rounded_down(ratio, digits):
    """For no digit it takes a step, too"""
    return int(-digits / np.log10(ratio)) + 1


def wrong_power_steps__not_whole(ratio, digits):
    """It is no whole number of steps"""
    return -digits * np.log(10) / np.log(ratio)


def _iterated(a, step, start, steps, tolerance, estimate=lambda a, v: v @ a @ v):
    """Repeat a step until the residual is small, as the book's iterations do."""
    v = np.random.default_rng(5).normal(size=len(a)) if start is None else np.array(start, float)
    v = v / np.linalg.norm(v)
    goal = (10 * len(a) * _EPS if tolerance is None else tolerance) * np.linalg.norm(a)
    estimates, residuals = [], []
    while True:
        estimates.append(estimate(a, v))
        residuals.append(np.linalg.norm(a @ v - estimates[-1] * v))
        if residuals[-1] <= goal or len(estimates) > steps:
            return Eigenpair(estimates[-1], v, np.array(estimates), np.array(residuals), residuals[-1] <= goal)
        v = step(v, estimates[-1])
        v = v / np.linalg.norm(v)


def _solved(a, shift, v):
    """Solve with a nearly singular matrix by its singular values."""
    u, s, vt = np.linalg.svd(a - shift * np.eye(len(a)))
    return vt.T @ (u.T @ v / np.maximum(s, 1e-16 * np.linalg.norm(a)))


def right_power_iteration__as_a_tuple(a, start=None, steps=1000, tolerance=None):
    found = _iterated(a, lambda v, _: a @ v, start, steps, tolerance)
    return found.eigenvalue, found.vector, found.estimates, found.residuals, found.converged


def wrong_power_iteration__eigenvalue_and_vector_only(a, start=None, steps=1000, tolerance=None):
    found = _iterated(a, lambda v, _: a @ v, start, steps, tolerance)
    return found.eigenvalue, found.vector


def wrong_power_iteration__converged_if_steps_are_left(a, start=None, steps=1000, tolerance=None):
    found = _iterated(a, lambda v, _: a @ v, start, steps, tolerance)
    left = len(found.estimates) - 1 < steps
    return found.eigenvalue, found.vector, found.estimates, found.residuals, left


def right_inverse_iteration__singular_values(a, shift=0.0, start=None, steps=1000, tolerance=None):
    return _iterated(a, lambda v, _: _solved(a, shift, v), start, steps, tolerance)


def right_inverse_iteration__inverse_of_a_matrix_beside_it(a, shift=0.0, start=None, steps=1000, tolerance=None):
    inverse = np.linalg.inv(a - (shift + 1e-15 * (np.linalg.norm(a) or 1)) * np.eye(len(a)))
    return _iterated(a, lambda v, _: inverse @ v, start, steps, tolerance)


def right_inverse_iteration__solved_where_it_can_be(a, shift=0.0, start=None, steps=1000, tolerance=None):
    def step(v, _):
        try:
            return np.linalg.solve(a - shift * np.eye(len(a)), v)
        except np.linalg.LinAlgError:
            return _solved(a, shift, v)

    return _iterated(a, step, start, steps, tolerance)


def wrong_inverse_iteration__shift_may_be_no_eigenvalue(a, shift=0.0, start=None, steps=1000, tolerance=None):
    """Line 3"""
    return _iterated(a, lambda v, _: np.linalg.solve(a - shift * np.eye(len(a)), v), start, steps, tolerance)


def wrong_inverse_iteration__multiplied(a, shift=0.0, start=None, steps=1000, tolerance=None):
    """It finds the eigenvalue that is farthest from the shift"""
    return _iterated(a, lambda v, _: a @ v - shift * v, start, steps, tolerance)


def wrong_inverse_iteration__shift_forgotten(a, shift=0.0, start=None, steps=1000, tolerance=None):
    """Line 3"""
    return _iterated(a, lambda v, _: _solved(a, 0, v), start, steps, tolerance)


def wrong_inverse_iteration__distance_from_the_shift(a, shift=0.0, start=None, steps=1000, tolerance=None):
    """It gives the distance from the shift"""
    found = _iterated(a, lambda v, _: _solved(a, shift, v), start, steps, tolerance)
    return (found.eigenvalue - shift, found.vector, found.estimates - shift, found.residuals, found.converged)


def wrong_inverse_iteration__shift_renewed(a, shift=0.0, start=None, steps=1000, tolerance=None):
    """Line 3"""
    return _iterated(a, lambda v, estimate: _solved(a, estimate, v), start, steps, tolerance)


def wrong_inverse_iteration__plus(a, shift=0.0, start=None, steps=1000, tolerance=None):
    """It finds the eigenvalue nearest to minus the shift"""
    return _iterated(a, lambda v, _: _solved(a, -shift, v), start, steps, tolerance)


def right_rayleigh_iteration__singular_values(a, start=None, steps=100, tolerance=None):
    return _iterated(a, lambda v, estimate: _solved(a, estimate, v), start, steps, tolerance)


def right_rayleigh_iteration__a_shift_beside_it(a, start=None, steps=100, tolerance=None):
    near = 1e-15 * np.linalg.norm(a) * np.eye(len(a))
    return _iterated(a, lambda v, by: np.linalg.solve(a - by * np.eye(len(a)) - near, v), start, steps, tolerance)


def right_rayleigh_iteration__basis_of_eigenvectors(a, start=None, steps=100, tolerance=None):
    w, basis = np.linalg.eig(a)

    def step(v, estimate):
        distance = w - estimate
        distance = np.where(np.abs(distance) < 1e-16 * np.linalg.norm(a), 1e-16 * np.linalg.norm(a), distance)
        return (basis @ (np.linalg.solve(basis, v) / distance)).real

    return _iterated(a, step, start, steps, tolerance)


def wrong_rayleigh_iteration__estimate_may_be_no_eigenvalue(a, start=None, steps=100, tolerance=None):
    """Line 3"""
    return _iterated(a, lambda v, by: np.linalg.solve(a - by * np.eye(len(a)), v), start, steps, tolerance)


def wrong_rayleigh_iteration__length_as_estimate(a, start=None, steps=100, tolerance=None):
    return _iterated(a, lambda v, by: _solved(a, by, v), start, steps, tolerance, lambda a, v: np.linalg.norm(a @ v))


def wrong_rayleigh_iteration__multiplied(a, start=None, steps=100, tolerance=None):
    """solve (A - estimate I) w = v. That explains"""
    return _iterated(a, lambda v, by: a @ v - by * v, start, steps, tolerance)


def wrong_rayleigh_iteration__first_estimate_kept(a, start=None, steps=100, tolerance=None):
    """The residual is never cubed: in the long run it falls by a factor"""
    estimates = []

    def step(v, estimate):
        estimates.append(estimate)
        return _solved(a, estimates[0], v)

    return _iterated(a, step, start, steps, tolerance)


def wrong_rayleigh_iteration__plus(a, start=None, steps=100, tolerance=None):
    """Line 3"""
    return _iterated(a, lambda v, estimate: _solved(a, -estimate, v), start, steps, tolerance)


def wrong_rayleigh_iteration__left_vectors(a, start=None, steps=100, tolerance=None):
    """Line 3"""
    return _iterated(a, lambda v, estimate: _solved(a.T, estimate, v), start, steps, tolerance)


def wrong_rayleigh_quotient__in_place(a, v):
    """`v` has changed after the call"""
    v /= np.abs(v).max()
    return v @ a @ v / (v @ v)


def wrong_rayleigh_quotient__largest_entry(a, v):
    """to which all coordinates add"""
    i = np.abs(v).argmax()
    return (a @ v)[i] / v[i]


def wrong_rayleigh_quotient__mean_ratio(a, v):
    """It averages the ratios of coordinates"""
    return np.mean((a @ v) / v)


def right_characteristic_polynomial__minors(a):
    n = len(a)
    c = [1.0]
    for k in range(1, n + 1):
        total = 0.0
        for rows in itertools.combinations(range(n), k):
            total += np.linalg.det(np.array(a, float)[np.ix_(rows, rows)])
        c.append((-1) ** k * total)
    return np.array(c)


def wrong_characteristic_polynomial__no_k(a):
    """divide the k-th trace by k"""
    m, c = np.eye(len(a)), [1.0]
    for _ in range(len(a)):
        c.append(-np.trace(a @ m))
        m = a @ m + c[-1] * np.eye(len(a))
    return np.array(c)


def wrong_characteristic_polynomial__m_without_coefficient(a):
    """Its coefficients are -tr(Aᵏ)/k"""
    m, c = np.eye(len(a)), [1.0]
    for k in range(1, len(a) + 1):
        m = a @ m
        c.append(-np.trace(m) / k)
    return np.array(c)


def wrong_characteristic_polynomial__adds_scalar(a):
    """Every entry of the matrix of the recursion gets the coefficient"""
    m, c = np.eye(len(a)), [1.0]
    for k in range(1, len(a) + 1):
        c.append(-np.trace(a @ m) / k)
        m = a @ m + c[-1]
    return np.array(c)


def wrong_characteristic_polynomial__too_short(a):
    """Line 4"""
    m, c = np.eye(len(a)), [1.0]
    for k in range(1, len(a)):
        c.append(-np.trace(a @ m) / k)
        m = a @ m + c[-1] * np.eye(len(a))
    return np.array(c)


def wrong_characteristic_polynomial__diagonal(a):
    """Line 3"""
    return np.poly(np.diag(a))


def wrong_characteristic_polynomial__two_by_two(a):
    n = len(a)
    c = np.zeros(n + 1)
    c[0], c[1], c[-1] = 1, -np.trace(a), np.linalg.det(a) * (-1) ** n
    return c


def right_jacobi_eigh__largest_pivot(a):
    a = np.array(a, float)
    assert np.allclose(a, a.T, rtol=1e-12, atol=1e-13 * np.linalg.norm(a))
    n, v = len(a), np.eye(len(a))
    for _ in range(40 * n * n):
        rest = np.abs(np.triu(a, 1))
        if n < 2 or rest.max() == 0:
            break
        p, q = np.unravel_index(rest.argmax(), rest.shape)
        z = (a[q, q] - a[p, p]) / (2 * a[p, q])
        t = math.copysign(1, z) / (abs(z) + math.hypot(1, z))
        c = 1 / math.hypot(1, t)
        s = t * c
        for m in (a, v):
            m[:, [p, q]] = m[:, [p, q]] @ np.array([[c, s], [-s, c]])
        a[[p, q]] = np.array([[c, -s], [s, c]]) @ a[[p, q]]
        a[p, q] = a[q, p] = 0.0
    order = np.diag(a).argsort()
    return np.diag(a)[order], v[:, order]


def wrong_jacobi_eigh__one_sweep(a):
    """go on until nothing is left"""
    a, v = np.array(a, float), np.eye(len(a))
    if not _symmetric(a):
        raise ValueError("a must be symmetric")
    for p, q in [(i, j) for j in range(len(a)) for i in range(j)]:
        pair, turn = np.ix_([p, q], [p, q]), np.eye(len(a))
        turn[pair] = np.linalg.eigh(a[pair])[1]
        a, v = turn.T @ a @ turn, v @ turn
    order = np.diag(a).argsort()
    return np.diag(a)[order], v[:, order]


def wrong_jacobi_eigh__arctan(a):
    a, v = np.array(a, float), np.eye(len(a))
    if not _symmetric(a):
        raise ValueError("a must be symmetric")
    for p, q in 12 * [(i, j) for j in range(len(a)) for i in range(j)]:
        if a[q, q] == a[p, p]:
            continue
        theta = 0.5 * np.arctan(2 * a[p, q] / (a[q, q] - a[p, p]))
        turn = np.eye(len(a))
        turn[p, p] = turn[q, q] = np.cos(theta)
        turn[p, q], turn[q, p] = np.sin(theta), -np.sin(theta)
        a, v = turn.T @ a @ turn, v @ turn
    order = np.diag(a).argsort()
    return np.diag(a)[order], v[:, order]


def wrong_jacobi_eigh__vectors_left_product(a):
    """Line 9"""
    a, v = np.array(a, float), np.eye(len(a))
    if not _symmetric(a):
        raise ValueError("a must be symmetric")
    for p, q in 12 * [(i, j) for j in range(len(a)) for i in range(j)]:
        pair, turn = np.ix_([p, q], [p, q]), np.eye(len(a))
        turn[pair] = np.linalg.eigh(a[pair])[1]
        a, v = turn.T @ a @ turn, turn @ v
    order = np.diag(a).argsort()
    return np.diag(a)[order], v[:, order]


def wrong_power_steps__negative(ratio, digits):
    """Line 3"""
    return int(np.ceil(digits * np.log(10) / np.log(ratio)))


def right_qr_algorithm__eigvals(a):
    w = np.sort_complex(np.linalg.eigvals(a))
    return w if np.iscomplex(w).any() else w.real


def right_qr_algorithm__torch(a):
    w = torch.linalg.eigvals(torch.tensor(np.array(a, float))).numpy()
    w = w[np.lexsort([w.imag, w.real])]
    return w if np.iscomplex(w).any() else w.real


def right_qr_algorithm__complex_shifts(a):
    a = scipy.linalg.hessenberg(scipy.linalg.matrix_balance(a)[0]).astype(complex)
    w = []
    while len(a) > 1:
        n = len(a)
        for step in range(500):
            if abs(a[-1, -2]) <= 1e-16 * (abs(a[-1, -1]) + abs(a[-2, -2])):
                break
            half, diff = (a[-1, -1] + a[-2, -2]) / 2, (a[-1, -1] - a[-2, -2]) / 2
            root = np.sqrt(diff**2 + a[-1, -2] * a[-2, -1])
            s = min(half + root, half - root, key=lambda z: abs(z - a[-1, -1]))
            if step % 11 == 10:
                s = s + abs(a[-1, -2])
            q, r = np.linalg.qr(a - s * np.eye(n))
            a = r @ q + s * np.eye(n)
        w.append(a[-1, -1])
        a = a[:-1, :-1]
    w = np.array(w + list(np.diag(a)))
    size = np.abs(w).max(initial=0)
    pairs = [z for z in w if z.imag > 1e-10 * size]
    reals = [z.real for z in w if abs(z.imag) <= 1e-10 * size]
    if not pairs:
        return np.sort(np.array(reals))
    return np.sort_complex(np.array(reals + pairs + [z.conjugate() for z in pairs]))


def wrong_qr_algorithm__q_times_r(a):
    """The diagonal of the matrix comes out"""
    for _ in range(50):
        q, r = np.linalg.qr(a)
        a = q @ r
    return np.sort(np.diag(a))


def wrong_qr_algorithm__unsorted(a):
    w = np.linalg.eigvals(a)
    return w.real if np.all(np.imag(w) == 0) else w


def wrong_qr_algorithm__descending(a):
    """The result is the right one from back to front"""
    w = np.sort_complex(np.linalg.eigvals(a))[::-1]
    return w.real if np.all(np.imag(w) == 0) else w


def wrong_qr_algorithm__by_modulus(a):
    """Line 4"""
    w = np.linalg.eigvals(a)
    return w[np.argsort(np.abs(w))]


def wrong_qr_algorithm__real_part(a):
    """A rotation by 90° gets the eigenvalue 0 twice"""
    return np.sort(np.linalg.eigvals(a).real)


def wrong_qr_algorithm__symmetric(a):
    """They are right for symmetric matrices, and real for all"""
    return np.linalg.eigvalsh(a)


def wrong_qr_algorithm__roots(a):
    """Half of the digits are wrong for the eigenvalues 1 to 15"""
    w = np.sort_complex(np.roots(np.poly(a)).astype(complex))
    return w.real if np.all(np.abs(w.imag) < 1e-12) else w


def wrong_qr_algorithm__only_upper_of_pair(a):
    w = np.linalg.eigvals(a)
    w = w[w.imag >= 0]
    return np.sort_complex(w)


def wrong_qr_algorithm__unique(a):
    return np.unique(np.linalg.eigvals(a))


def wrong_jacobi_eigh__not_sorted(a):
    """`w`'s and `v`'s numbers are right, but in another order."""
    if not _symmetric(a):
        raise ValueError("a must be symmetric")
    n, a, v = len(a), np.array(a, float), np.eye(len(a))
    for p, q in 20 * [(i, j) for i in range(n) for j in range(i + 1, n)]:
        if a[p, q] == 0:
            continue
        z = (a[q, q] - a[p, p]) / (2 * a[p, q])
        t = math.copysign(1, z) / (abs(z) + math.hypot(1, z))
        c = 1 / math.hypot(1, t)
        turn = np.eye(n)
        turn[p, p] = turn[q, q] = c
        turn[p, q], turn[q, p] = t * c, -t * c
        a, v = turn.T @ a @ turn, v @ turn
        a[p, q] = a[q, p] = 0
    return np.diag(a), v


def wrong_inverse_iteration__transposed(a, shift=0.0, start=None, steps=1000, tolerance=None):
    """right with the symmetric part of `a` in its place"""
    return _iterated(a, lambda v, _: _solved(a.T, shift, v), start, steps, tolerance)


def wrong_jacobi_eigh__integers_in_place(a):
    if not _symmetric(a):
        raise ValueError("not symmetric")
    a = a.copy()
    n, v = len(a), np.eye(len(a))
    for _ in range(30):
        for p in range(n):
            for q in range(p + 1, n):
                r = np.linalg.eigh(a[np.ix_([p, q], [p, q])])[1]
                a[:, [p, q]] = a[:, [p, q]] @ r
                a[[p, q]] = r.T @ a[[p, q]]
                v[:, [p, q]] = v[:, [p, q]] @ r
    order = np.argsort(np.diag(a))
    return np.diag(a)[order], v[:, order]


def wrong_jacobi_eigh__angle_not_halved(a):
    a = np.array(a, dtype=float)
    if not _symmetric(a):
        raise ValueError("not symmetric")
    n, v = len(a), np.eye(len(a))
    for _ in range(30):
        for p in range(n):
            for q in range(p + 1, n):
                t = np.arctan2(2 * a[p, q], a[q, q] - a[p, p])
                j = np.eye(n)
                j[p, p] = j[q, q] = np.cos(t)
                j[p, q], j[q, p] = np.sin(t), -np.sin(t)
                a, v = j.T @ a @ j, v @ j
    order = np.argsort(np.diag(a))
    return np.diag(a)[order], v[:, order]


def wrong_characteristic_polynomial__both_signs(a):
    """All coefficients after the 1 have the wrong sign"""
    n = len(a)
    m, c = np.eye(n), [1.0]
    for k in range(1, n + 1):
        am = a @ m
        c.append(np.trace(am) / k)
        m = am - c[-1] * np.eye(n)
    return np.array(c)


def wrong_jacobi_eigh__one_sweep_row_by_row(a):
    """go on until nothing is left"""
    a = np.array(a, dtype=float)
    if not _symmetric(a):
        raise ValueError("not symmetric")
    n, v = len(a), np.eye(len(a))
    for p in range(n):
        for q in range(p + 1, n):
            j = np.eye(n)
            j[np.ix_([p, q], [p, q])] = np.linalg.eigh(a[np.ix_([p, q], [p, q])])[1]
            a, v = j.T @ a @ j, v @ j
    order = np.argsort(np.diag(a))
    return np.diag(a)[order], v[:, order]


def wrong_jacobi_eigh__symmetric_entry_by_entry(a):
    """Line 5"""
    a, v = np.array(a, float), np.eye(len(a))
    if not np.allclose(a, a.T, rtol=1e-9, atol=0):
        raise ValueError("a must be symmetric")
    pairs = [(p, q) for q in range(len(a)) for p in range(q)]
    for p, q in 12 * pairs:
        pair, turn = np.ix_([p, q], [p, q]), np.eye(len(a))
        turn[pair] = np.linalg.eigh(a[pair])[1]
        a, v = turn.T @ a @ turn, v @ turn
    order = np.diag(a).argsort()
    return np.diag(a)[order], v[:, order]


def right_power_steps__natural_logarithms(ratio, digits):
    return int(np.ceil(-digits * np.log(10) / np.log(ratio)))


def right_power_steps__loop_without_room(ratio, digits):
    error, k = 1.0, 0
    while error > 10.0**-digits:
        error *= ratio
        k += 1
    return k


def right_power_steps__fractions(ratio, digits):
    error, k = Fraction(1), 0
    while error > Fraction(1, 10**digits):
        error *= Fraction(ratio)
        k += 1
    return k


def wrong_jacobi_eigh__allclose(a):
    """It accepts what must be refused"""
    if not np.allclose(a, a.T):
        raise ValueError("not symmetric")
    return np.linalg.eigh(a)


def wrong_jacobi_eigh__absolute_tolerance(a):
    """Line 3"""
    if np.abs(a - a.T).max() > 1e-12:
        raise ArithmeticError("not symmetric")
    return np.linalg.eigh(a)


def wrong_jacobi_eigh__two_small_tolerances(a):
    """It accepts what must be refused"""
    if not np.allclose(a, a.T, rtol=1e-12, atol=1e-12):
        raise ValueError("not symmetric")
    return np.linalg.eigh(a)


def wrong_jacobi_eigh__rounded_to_decimals(a):
    """Line 4"""
    if (a.round(12) != a.T.round(12)).any():
        raise ValueError("not symmetric")
    return np.linalg.eigh(a)


def wrong_jacobi_eigh__eigenvalues_sorted_alone(a):
    """A v[:, i] is not w[i] v[:, i]"""
    if not _symmetric(a):
        raise ValueError("not symmetric")
    a, v = np.array(a, float), np.eye(len(a))
    for _ in range(15):
        for q in range(len(a)):
            for p in range(q):
                if a[p, q] == 0:
                    continue
                z = (a[q, q] - a[p, p]) / (2 * a[p, q])
                t = math.copysign(1, z) / (abs(z) + math.hypot(1, z))
                g = np.eye(len(a))
                g[p, p] = g[q, q] = 1 / math.hypot(1, t)
                g[p, q], g[q, p] = t * g[p, p], -t * g[p, p]
                a, v = g.T @ a @ g, v @ g
    return np.sort(np.diag(a)), v


def wrong_rayleigh_quotient__divided_by_the_sum(a, v):
    """Line 3"""
    v = v / v.sum()
    return v @ a @ v / (v @ v)


def wrong_rayleigh_quotient__divided_by_the_first_entry(a, v):
    """Line 3"""
    v = v / v[0]
    return v @ a @ v / (v @ v)


def wrong_jacobi_eigh__absolute_stop(a):
    """Matrices of small numbers are left as they are"""
    a = np.array(a, dtype=float)
    if np.abs(a - a.T).max() > 1e-13 * np.abs(a).max():
        raise ValueError("not symmetric")
    n = len(a)
    v = np.eye(n)
    while np.abs(a - np.diag(np.diag(a))).max() > 1e-10:
        for p in range(n):
            for q in range(p + 1, n):
                if a[p, q] == 0:
                    continue
                tau = (a[q, q] - a[p, p]) / (2 * a[p, q])
                t = math.copysign(1, tau) / (abs(tau) + math.hypot(1, tau))
                c = 1 / math.hypot(1, t)
                g = np.eye(n)
                g[p, p] = g[q, q] = c
                g[p, q], g[q, p] = c * t, -c * t
                a = g.T @ a @ g
                v = v @ g
    order = np.argsort(np.diag(a))
    return np.diag(a)[order], v[:, order]


def wrong_jacobi_eigh__loose_tolerance(a):
    """It accepts what must be refused"""
    if np.abs(a - a.T).max() > 1e-10 * np.abs(a).max():
        raise ValueError("not symmetric")
    return np.linalg.eigh(a)


def wrong_characteristic_polynomial__a_point_too_few(a):
    """It has the degree n - 1, through n points"""
    n = len(a)
    x = np.arange(n)
    return np.polyfit(x, [np.linalg.det(t * np.eye(n) - a) for t in x], n - 1)


def wrong_jacobi_eigh__prints_a_complaint(a):
    """It prints a message where it should raise an error"""
    if np.abs(a - a.T).max() > 1e-12 * np.abs(a).max():
        print("not symmetric")
        return None
    return np.linalg.eigh(np.array(a, float))
