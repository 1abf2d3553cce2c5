"""Least squares and ridge, as readers write them."""

import math

import numpy as np
import scipy.linalg
import torch
from slips import slip

from mlnotes.applications.least_squares import lstsq

_EPS = np.finfo(float).eps


def _is_symmetric(a):
    return np.abs(a - a.T).max() <= 1e-14 * np.abs(a).max()


def right_lstsq__numpy(a, b, method="qr", tolerance=None):
    if tolerance is None:
        tolerance = 3e-8 if method == "normal" else max(a.shape) * _EPS
    s = np.linalg.svd(a, compute_uv=False)
    if method != "svd" and (a.shape[0] < a.shape[1] or s[-1] <= tolerance * s[0]):
        raise ValueError("columns depend on each other")
    return np.linalg.lstsq(a, b, rcond=tolerance)[0]


def right_lstsq__three_ways(a, b, method="qr", tolerance=None):
    if tolerance is None:
        tolerance = 2 * _EPS**0.5 if method == "normal" else max(a.shape) * _EPS
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    kept = s > tolerance * s[0]
    if method == "svd":
        return vt[kept].T @ (np.diag(1 / s[kept]) @ (u[:, kept].T @ b))
    if kept.sum() < a.shape[1]:
        raise np.linalg.LinAlgError("columns depend on each other")
    if method == "normal":
        c = scipy.linalg.cho_factor(a.T @ a)
        return scipy.linalg.cho_solve(c, a.T @ b)
    q, r = np.linalg.qr(a)
    return scipy.linalg.solve_triangular(r, q.T @ b)


def right_lstsq__pinv(a, b, method="qr", tolerance=None):
    if tolerance is None:
        tolerance = 2 * _EPS**0.5 if method == "normal" else max(a.shape) * _EPS
    if method != "svd" and np.linalg.matrix_rank(a, rtol=tolerance) < a.shape[1]:
        raise ValueError("there are many solutions")
    return np.linalg.pinv(a, rcond=tolerance) @ b


def _dependent(a, tolerance, method):
    s = np.linalg.svd(a, compute_uv=False)
    if tolerance is None:
        tolerance = 2 * _EPS**0.5 if method == "normal" else max(a.shape) * _EPS
    return len(a) < a.shape[1] or s[-1] <= tolerance * s[0]


def wrong_lstsq__never_refuses(a, b, method="qr", tolerance=None):
    """With qr it answers where there are many solutions, and does not say so"""
    return np.linalg.lstsq(a, b, rcond=tolerance)[0]


def wrong_lstsq__tolerance_absolute(a, b, method="qr", tolerance=None):
    """What counts as zero depends on the units of A"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    if tolerance is None:
        tolerance = s[0] * (2 * _EPS**0.5 if method == "normal" else max(a.shape) * _EPS)
    kept = s > tolerance
    if method != "svd" and kept.sum() < a.shape[1]:
        raise ValueError("columns depend on each other")
    return vt[kept].T @ ((u[:, kept].T @ b).T / s[kept]).T


def wrong_lstsq__q_not_transposed(a, b, method="qr", tolerance=None):
    """Line 7"""
    if method != "svd" and _dependent(a, tolerance, method):
        raise ValueError("columns depend on each other")
    if method == "qr":
        q, r = np.linalg.qr(a)
        return np.linalg.solve(r, q @ b)
    return np.linalg.lstsq(a, b, rcond=tolerance)[0]


def wrong_lstsq__v_not_transposed(a, b, method="qr", tolerance=None):
    """Line 9"""
    if method != "svd" and _dependent(a, tolerance, method):
        raise ValueError("columns depend on each other")
    if method == "svd":
        u, s, vt = np.linalg.svd(a, full_matrices=False)
        tolerance = max(a.shape) * _EPS if tolerance is None else tolerance
        inverse = np.array([1 / it if it > tolerance * s[0] else 0 for it in s])
        return vt @ (np.diag(inverse) @ (u.T @ b))
    q, r = np.linalg.qr(a)
    return np.linalg.solve(r, q.T @ b)


def wrong_lstsq__one_right_hand_side(a, b, method="qr", tolerance=None):
    """Line 8"""
    if method != "svd" and _dependent(a, tolerance, method):
        raise ValueError("columns depend on each other")
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    tolerance = max(a.shape) * _EPS if tolerance is None else tolerance
    kept = s > tolerance * s[0]
    return vt[kept].T @ ((u[:, kept].T @ b) / s[kept])


def wrong_lstsq__divided_by_squares(a, b, method="qr", tolerance=None):
    """Line 8"""
    if method != "svd" and _dependent(a, tolerance, method):
        raise ValueError("columns depend on each other")
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    tolerance = max(a.shape) * _EPS if tolerance is None else tolerance
    kept = s > tolerance * s[0]
    return vt[kept].T @ np.diag(s[kept] ** -2) @ u[:, kept].T @ b


def wrong_lstsq__squares(a, b, method="qr", tolerance=None):
    """With qr, for a condition number of 1e6 five digits are left instead of ten"""
    if method != "svd" and _dependent(a, tolerance, method):
        raise ValueError("columns depend on each other")
    if method == "svd":
        return np.linalg.pinv(a, max(a.shape) * _EPS if tolerance is None else tolerance) @ b
    return np.linalg.inv(a.T @ a) @ (a.T @ b)


def wrong_lstsq__residual(a, b, method="qr", tolerance=None):
    """Line 6"""
    if method != "svd" and _dependent(a, tolerance, method):
        raise ValueError("columns depend on each other")
    x = np.linalg.lstsq(a, b, rcond=tolerance)[0]
    return b - a @ x


def wrong_lstsq__refuses_svd_too(a, b, method="qr", tolerance=None):
    """Line 4"""
    if _dependent(a, tolerance, method):
        raise ValueError("columns depend on each other")
    return np.linalg.lstsq(a, b, rcond=None)[0]


def wrong_lstsq__full_matrices(a, b, method="qr", tolerance=None):
    """Line 8"""
    tolerance = max(a.shape) * 2.3e-16 if tolerance is None else tolerance
    u, s, vt = np.linalg.svd(a)
    kept = s > tolerance * s[0]
    if method != "svd" and (len(s) < a.shape[1] or not kept.all()):
        raise ValueError("dependent")
    return vt[kept].T @ np.diag(1 / s[kept]) @ u[:, kept].T @ b


def wrong_lstsq__square_only(a, b, method="qr", tolerance=None):
    """Line 3"""
    return np.linalg.solve(a, b)


def right_ridge__longer(a, b, strength):
    n = a.shape[1]
    tall = np.vstack([a, np.sqrt(strength) * np.eye(n)])
    zeros = np.zeros((n, *b.shape[1:]))
    return np.linalg.lstsq(tall, np.concatenate([b, zeros]))[0]


def right_ridge__svd(a, b, strength):
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    u, s, vt = (it[..., s > 1e-14 * s[0]] if it is not vt else it[s > 1e-14 * s[0]] for it in (u, s, vt))
    shrunk = 1 / (s + strength / s)
    return (vt.T * shrunk) @ (u.T @ b)


def right_ridge__qr(a, b, strength):
    if strength == 0:
        return np.linalg.pinv(a, 1e-14) @ b
    m, n = a.shape
    q, r = np.linalg.qr(np.vstack([a, strength**0.5 * np.eye(n)]))
    return scipy.linalg.solve_triangular(r, q[:m].T @ b)


def wrong_ridge__added_everywhere(a, b, strength):
    """Products of different unknowns are punished, too"""
    return np.linalg.solve(a.T @ a + strength, a.T @ b)


def wrong_ridge__normal_equations(a, b, strength):
    """Half of the digits are lost in AᵀA"""
    return np.linalg.solve(a.T @ a + strength * np.eye(a.shape[1]), a.T @ b)


def wrong_ridge__not_squared(a, b, strength):
    """Each coefficient is divided by s + λ"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    kept = s > 1e-14 * s[0]
    factors = 1 / (s[kept] + strength)
    return (vt[kept].T * factors) @ (u[:, kept].T @ b)


def wrong_ridge__shrinks_too_much(a, b, strength):
    """Line 5"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    kept = s > 1e-14 * s[0]
    factors = s[kept] ** 2 / (s[kept] ** 2 + strength)
    return (vt[kept].T * factors) @ (u[:, kept].T @ b)


def wrong_ridge__first_unknown_free(a, b, strength):
    """Line 5"""
    n = a.shape[1]
    penalty = np.sqrt(strength) * np.eye(n)
    penalty[0, 0] = 0
    tall = np.vstack([a, penalty])
    return np.linalg.lstsq(tall, np.concatenate([b, np.zeros((n, *b.shape[1:]))]))[0]


def wrong_ridge__ones_below(a, b, strength):
    """put the root of the strength on the diagonal"""
    n = a.shape[1]
    tall = np.vstack([a, np.sqrt(strength) * np.ones((n, n))])
    return np.linalg.lstsq(tall, np.concatenate([b, np.zeros((n, *b.shape[1:]))]))[0]


def wrong_ridge__zeros_of_one_column(a, b, strength):
    """Line 5"""
    n = a.shape[1]
    tall = np.vstack([a, np.sqrt(strength) * np.eye(n)])
    return np.linalg.lstsq(tall, np.concatenate([b, np.zeros(n)]))[0]


def wrong_ridge__root_at_the_diagonal(a, b, strength):
    """Line 4"""
    n = a.shape[1]
    tall = np.vstack([a, np.sqrt(np.sqrt(strength)) * np.eye(n)])
    return np.linalg.lstsq(tall, np.concatenate([b, np.zeros((n, *b.shape[1:]))]))[0]


def wrong_ridge__ones_on_the_right(a, b, strength):
    """Line 5"""
    n = a.shape[1]
    tall = np.vstack([a, np.sqrt(strength) * np.eye(n)])
    return np.linalg.lstsq(tall, np.concatenate([b, np.ones((n, *b.shape[1:]))]))[0]


def wrong_ridge__subtracted_strength(a, b, strength):
    """Line 5"""
    n = a.shape[1]
    tall = np.vstack([a, np.sqrt(strength) * np.eye(n)])
    return np.linalg.lstsq(tall, np.concatenate([b, np.zeros((n, *b.shape[1:]))]))[0] / (1 + strength)


def wrong_ridge__identity_of_rows(a, b, strength):
    """The solution is blown up by a strength near an eigenvalue of AᵀA"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    kept = s > 1e-14 * s[0]
    factors = s[kept] / (s[kept] ** 2 - strength)
    return (vt[kept].T * factors) @ (u[:, kept].T @ b)


def wrong_ridge__last_row(a, b, strength):
    """Line 4"""
    n = a.shape[1]
    tall = np.vstack([a, np.sqrt(strength) * np.eye(n)])
    return np.linalg.lstsq(tall, np.concatenate([np.zeros((n, *b.shape[1:])), b]))[0]


def right_cholesky__numpy(a):
    a = np.asarray(a, float)
    if not _is_symmetric(a):
        raise ValueError("not symmetric")
    return np.linalg.cholesky(a)


def right_cholesky__entries(a):
    n = len(a)
    low = np.zeros((n, n))
    if np.abs(np.asarray(a) - np.transpose(a)).max() > 1e-12 * np.abs(a).max():
        raise ValueError("not symmetric")
    for i in range(n):
        for j in range(i + 1):
            rest = a[i][j] - sum(low[i, k] * low[j, k] for k in range(j))
            if i == j:
                if not rest > 0:
                    raise ArithmeticError("not positive definite")
                low[i, i] = math.sqrt(rest)
            else:
                low[i, j] = rest / low[j, j]
    return low


def right_cholesky__outer_products(a):
    a = np.array(a, float)
    if np.linalg.norm(a - a.T) > 1e-12 * np.linalg.norm(a):
        raise ValueError("not symmetric")
    low = np.zeros(a.shape)
    for k in range(len(a)):
        if a[k, k] <= 0:
            raise ValueError("not positive definite")
        low[k:, k] = a[k:, k] / math.sqrt(a[k, k])
        a[k:, k:] = a[k:, k:] - np.outer(low[k:, k], low[k:, k])
    return low


def wrong_cholesky__upper(a):
    """It is upper triangular"""
    if not _is_symmetric(a):
        raise ValueError
    return scipy.linalg.cholesky(a)


def wrong_cholesky__square_root_of_the_matrix(a):
    """It is symmetric: another root of the matrix"""
    if not _is_symmetric(a):
        raise ValueError
    w, v = np.linalg.eigh(a)
    if w.min() <= 0:
        raise ValueError
    return (v * np.sqrt(w)) @ v.T


def wrong_cholesky__unit_diagonal(a):
    """Its diagonal is ones"""
    if not _is_symmetric(a):
        raise ValueError
    low = np.linalg.cholesky(a)
    return low / np.diag(low)


def wrong_cholesky__roots_not_taken(a):
    """Line 6"""
    if not _is_symmetric(a):
        raise ValueError
    low = np.linalg.cholesky(a)
    return low * np.diag(low)


def wrong_cholesky__asymmetry_ignored(a):
    """It answers for a matrix that is not symmetric, as if it were"""
    return np.linalg.cholesky(a)


def wrong_cholesky__columns_before_forgotten(a):
    a, low = np.array(a, float), np.zeros(np.shape(a))
    if not _is_symmetric(a) or np.linalg.eigvalsh(a).min() <= 0:
        raise ValueError
    for j in range(len(a)):
        rest = a[j:, j]
        low[j:, j] = rest / math.sqrt(rest[0])
    return low


def right_standard_errors__r(a, b):
    q, r = np.linalg.qr(a)
    m, n = np.shape(a)
    residual = b - q @ (q.T @ b)
    inverse = scipy.linalg.solve_triangular(r, np.eye(n))
    return np.sqrt(residual @ residual / (m - n)) * np.sqrt((inverse**2).sum(axis=1))


def right_standard_errors__pinv(a, b):
    p = np.linalg.pinv(a)
    m, n = np.shape(a)
    sigma = np.linalg.norm(b - a @ (p @ b)) / (m - n) ** 0.5
    return sigma * np.linalg.norm(p, axis=1)


def right_standard_errors__svd(a, b):
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    residual = b - u @ (u.T @ b)
    return [
        math.sqrt(residual @ residual / (len(b) - len(s)) * sum((vt[k, j] / s[k]) ** 2 for k in range(len(s))))
        for j in range(len(s))
    ]


def wrong_standard_errors__divided_by_m(a, b):
    """They are too small, the more so the fewer rows there are"""
    x = np.linalg.lstsq(a, b)[0]
    return np.sqrt(((b - a @ x) ** 2).mean() * (np.linalg.pinv(a) ** 2).sum(axis=1))


def wrong_standard_errors__m_minus_one(a, b):
    """They are right for a single column only"""
    x = np.linalg.lstsq(a, b)[0]
    return np.sqrt(((b - a @ x) ** 2).sum() / (len(b) - 1) * (np.linalg.pinv(a) ** 2).sum(axis=1))


def wrong_standard_errors__variances(a, b):
    """They are squares"""
    x = np.linalg.lstsq(a, b)[0]
    return ((b - a @ x) ** 2).sum() / (len(b) - a.shape[1]) * (np.linalg.pinv(a) ** 2).sum(axis=1)


def wrong_standard_errors__inverse_of_the_diagonal(a, b):
    """Columns that lean on each other do not raise each other's errors"""
    x = np.linalg.lstsq(a, b)[0]
    return np.sqrt(((b - a @ x) ** 2).sum() / (len(b) - a.shape[1]) / np.diag(a.T @ a))


def wrong_standard_errors__spread_of_b(a, b):
    """They do not become smaller where the fit is good"""
    return np.sqrt(b.var(ddof=a.shape[1]) * (np.linalg.pinv(a) ** 2).sum(axis=1))


def wrong_standard_errors__whole_covariance(a, b):
    x = np.linalg.lstsq(a, b)[0]
    return ((b - a @ x) ** 2).sum() / (len(b) - a.shape[1]) * np.linalg.inv(a.T @ a)


def wrong_standard_errors__sigma_forgotten(a, b):
    """They do not depend on b"""
    return np.sqrt((np.linalg.pinv(a) ** 2).sum(axis=1))


def _up_to(a, method, tolerance):
    if tolerance is None and method == "normal":
        return 2 * np.finfo(float).eps ** 0.5
    return max(np.shape(a)) * np.finfo(float).eps if tolerance is None else tolerance


def right_lstsq__torch(a, b, method="qr", tolerance=None):
    a, b = (torch.tensor(np.array(x, float)) for x in (a, b))
    p = torch.linalg.pinv(a, rtol=_up_to(a, method, tolerance), atol=0.0)
    if method != "svd" and torch.linalg.matrix_rank(a, rtol=_up_to(a, method, tolerance), atol=0.0) < a.shape[1]:
        raise RuntimeError("rank")
    return (p @ b).numpy()


def wrong_lstsq__rows_for_columns(a, b, method="qr", tolerance=None):
    """It accepts what must be refused"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    eps = np.finfo(float).eps
    if tolerance is None:
        tolerance = 2 * eps**0.5 if method == "normal" else max(np.shape(a)) * eps
    kept = s > tolerance * s[0]
    if method != "svd" and kept.sum() < len(s):
        raise ValueError("columns depend on each other")
    return vt[kept].T @ ((u[:, kept].T @ b).T / s[kept]).T


def wrong_lstsq__root_for_all(a, b, method="qr", tolerance=None):
    """refuses what should be answered"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    if tolerance is None:
        tolerance = 2 * np.finfo(float).eps ** 0.5
    kept = s > tolerance * s[0]
    if method != "svd" and kept.sum() < np.shape(a)[1]:
        raise ValueError("columns depend on each other")
    return vt[kept].T @ ((u[:, kept].T @ b).T / s[kept]).T


def wrong_lstsq__returns_all(a, b, method="qr", tolerance=None):
    """It returns four things"""
    return np.linalg.lstsq(a, b, rcond=None)


def wrong_lstsq__basic_solution(a, b, method="qr", tolerance=None):
    q, r, p = scipy.linalg.qr(a, mode="economic", pivoting=True)
    t = _up_to(a, method, tolerance)
    k = int((np.abs(np.diag(r)) > t * np.abs(r[0, 0])).sum())
    if method != "svd" and k < a.shape[1]:
        raise ValueError("dependent")
    x = np.zeros((a.shape[1], *b.shape[1:]))
    x[p[:k]] = scipy.linalg.solve_triangular(r[:k, :k], q[:, :k].T @ b)
    return x


def wrong_ridge__half(a, b, strength):
    """halve both squares, or none"""
    n = np.shape(a)[1]
    rows = np.vstack([a, math.sqrt(strength / 2) * np.eye(n)])
    zeros = np.zeros((n, *np.shape(b)[1:]))
    return np.linalg.lstsq(rows, np.concatenate([b, zeros]))[0]


def wrong_ridge__centred(a, b, strength):
    """subtract no means"""
    a, b = a - a.mean(axis=0), b - b.mean(axis=0)
    n = np.shape(a)[1]
    rows = np.vstack([a, math.sqrt(strength) * np.eye(n)])
    zeros = np.zeros((n, *np.shape(b)[1:]))
    return np.linalg.lstsq(rows, np.concatenate([b, zeros]))[0]


def wrong_ridge__rows_on_top_only_of_a(a, b, strength):
    """Line 6"""
    n = np.shape(a)[1]
    rows = np.vstack([math.sqrt(strength) * np.eye(n), a])
    zeros = np.zeros((n, *np.shape(b)[1:]))
    return np.linalg.lstsq(rows, np.concatenate([b, zeros]))[0]


def right_cholesky__recursive(a):
    a = np.array(a, float)
    if not _is_symmetric(a):
        raise ValueError

    def go(a):
        if len(a) == 0:
            return a
        if not a[0, 0] > 0:
            raise ValueError
        d = a[0, 0] ** 0.5
        column = a[1:, 0] / d
        out = np.zeros_like(a)
        out[0, 0], out[1:, 0] = d, column
        out[1:, 1:] = go(a[1:, 1:] - np.outer(column, column))
        return out

    return go(a)


def right_cholesky__by_elimination(a):
    a = np.array(a, float)
    if not _is_symmetric(a):
        raise ValueError("s")
    n, low = len(a), np.eye(len(a))
    d = np.zeros(n)
    for j in range(n):
        d[j] = a[j, j]
        if d[j] <= 0:
            raise ValueError("p")
        low[j + 1 :, j] = a[j + 1 :, j] / d[j]
        a[j + 1 :] -= np.outer(low[j + 1 :, j], a[j])
    return low * np.sqrt(d)


def wrong_cholesky__allows_zero(a):
    """Line 8"""
    a, low = np.array(a, float), np.zeros(np.shape(a))
    if not _is_symmetric(a):
        raise ValueError("a must be symmetric")
    for j in range(len(a)):
        rest = a[j:, j] - low[j:, :j] @ low[j, :j]
        if rest[0] < 0:
            raise ValueError("a must be positive definite")
        low[j:, j] = rest / math.sqrt(rest[0]) if rest[0] else 0
    return low


def wrong_cholesky__adds(a):
    """Line 7"""
    a, low = np.array(a, float), np.zeros(np.shape(a))
    if not _is_symmetric(a):
        raise ValueError("a must be symmetric")
    for j in range(len(a)):
        rest = a[j:, j] + low[j:, :j] @ low[j, :j]
        if rest[0] <= 0:
            raise ValueError("a must be positive definite")
        low[j:, j] = rest / math.sqrt(rest[0])
    return low


def wrong_cholesky__divided_by_square(a):
    """divide the column by the root of the pivot"""
    a, low = np.array(a, float), np.zeros(np.shape(a))
    if not _is_symmetric(a):
        raise ValueError("a must be symmetric")
    for j in range(len(a)):
        rest = a[j:, j] - low[j:, :j] @ low[j, :j]
        if rest[0] <= 0:
            raise ValueError("a must be positive definite")
        low[j:, j] = rest / rest[0]
    return low


def wrong_cholesky__positive_entries(a):
    """It accepts what must be refused"""
    if not _is_symmetric(a):
        raise ValueError("a must be symmetric")
    if (np.diag(a) <= 0).any():
        raise ValueError("a must be positive definite")
    low = np.zeros(a.shape)
    for j in range(len(a)):
        rest = a[j:, j] - low[j:, :j] @ low[j, :j]
        low[j:, j] = rest / np.sqrt(rest[0])
    return low


def wrong_cholesky__in_place(a):
    """`a` has changed after the call"""
    if not _is_symmetric(a):
        raise ValueError("a must be symmetric")
    for j in range(len(a)):
        a[j:, j] -= a[j:, :j] @ a[j, :j]
        if a[j, j] <= 0:
            raise ValueError("a must be positive definite")
        a[j:, j] /= math.sqrt(a[j, j])
        a[j, j + 1 :] = 0
    return a


def wrong_standard_errors__std_of_residual(a, b):
    """They are too small where no column is constant"""
    x = np.linalg.lstsq(a, b)[0]
    return (b - a @ x).std(ddof=a.shape[1]) * np.sqrt((np.linalg.pinv(a) ** 2).sum(axis=1))


def wrong_standard_errors__singular_lengths(a, b):
    """Line 6"""
    m, n = a.shape
    q, r = np.linalg.qr(a)
    rest = b - q @ (q.T @ b)
    return np.linalg.norm(rest) / math.sqrt(m - n) * np.linalg.norm(np.linalg.inv(r), axis=0)


def wrong_standard_errors__root_of_sigma_missing(a, b):
    """Line 4"""
    x, (m, n) = np.linalg.lstsq(a, b)[0], np.shape(a)
    variance = ((b - a @ x) ** 2).sum() / (m - n)
    return variance * np.sqrt((np.linalg.pinv(a) ** 2).sum(axis=1))


def wrong_standard_errors__rows_of_the_inverse(a, b):
    """Line 5"""
    x, (m, n) = np.linalg.lstsq(a, b)[0], np.shape(a)
    variance = ((b - a @ x) ** 2).sum() / (m - n)
    return np.sqrt(variance) * np.linalg.norm(np.linalg.pinv(a), axis=0)


def wrong_lstsq__at_least(a, b, method="qr", tolerance=None):
    """Line 4"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    kept = s >= _up_to(a, method, tolerance) * s[0]
    if method != "svd" and kept.sum() < a.shape[1]:
        raise ValueError("columns depend on each other")
    return vt[kept].T @ ((u[:, kept].T @ b).T / s[kept]).T


def wrong_lstsq__relative_to_the_sum(a, b, method="qr", tolerance=None):
    """refuses what should be answered"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    kept = s > _up_to(a, method, tolerance) * s.sum()
    if method != "svd" and kept.sum() < a.shape[1]:
        raise ValueError("columns depend on each other")
    return vt[kept].T @ ((u[:, kept].T @ b).T / s[kept]).T


def wrong_lstsq__nan_where_there_are_many(a, b, method="qr", tolerance=None):
    """It accepts what must be refused"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    kept = s > _up_to(a, method, tolerance) * s[0]
    if method != "svd" and kept.sum() < a.shape[1]:
        return np.full(a.shape[1], np.nan)
    return vt[kept].T @ ((u[:, kept].T @ b).T / s[kept]).T


def wrong_cholesky__root_of_the_entry(a):
    """divide by the root of what is left of the diagonal entry"""
    a, low = np.array(a, float), np.zeros(np.shape(a))
    if not _is_symmetric(a):
        raise ValueError("a must be symmetric")
    for j in range(len(a)):
        rest = a[j:, j] - low[j:, :j] @ low[j, :j]
        if rest[0] <= 0:
            raise ValueError("a must be positive definite")
        low[j:, j] = rest / math.sqrt(a[j, j])
    return low


def wrong_cholesky__squares_of_rows(a):
    """subtract the product of row i with row j"""
    a, low = np.array(a, float), np.zeros(np.shape(a))
    if not _is_symmetric(a):
        raise ValueError("a must be symmetric")
    for j in range(len(a)):
        rest = a[j:, j] - (low[j:, :j] ** 2).sum(axis=1)
        if rest[0] <= 0:
            raise ValueError("a must be positive definite")
        low[j:, j] = rest / math.sqrt(rest[0])
    return low


def wrong_standard_errors__variance_by_default(a, b):
    """They are too small: a mean is subtracted, and one column counted"""
    x = np.linalg.lstsq(a, b)[0]
    return np.sqrt(np.var(b - a @ x, ddof=1) * (np.linalg.pinv(a) ** 2).sum(axis=1))


def wrong_cholesky__positive_determinant(a):
    """The determinant is taken for the pivots: it is positive with two negative eigenvalues as well"""
    if not _is_symmetric(a) or np.linalg.det(a) <= 1e-12:
        raise ValueError("not positive definite")
    n = len(a)
    lower = np.zeros((n, n))
    with np.errstate(all="ignore"):
        for j in range(n):
            lower[j, j] = np.sqrt(a[j, j] - lower[j, :j] @ lower[j, :j])
            for i in range(j + 1, n):
                lower[i, j] = (a[i, j] - lower[i, :j] @ lower[j, :j]) / lower[j, j]
    return lower


def wrong_lstsq__one_tolerance_for_all_methods(a, b, method="qr", tolerance=None):
    """With normal it answers where the squares AᵀA cannot tell the columns apart"""
    if tolerance is None:
        tolerance = max(a.shape) * np.finfo(float).eps
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    r = (s > tolerance * s[0]).sum()
    if method != "svd" and r < a.shape[1]:
        raise ValueError("dependent columns")
    return vt[:r].T @ ((u[:, :r].T @ b).T / s[:r]).T


def wrong_ridge__one_row_of_ones(a, b, strength):
    """Only the sum of the coefficients is held back"""
    rows = np.vstack([a, math.sqrt(strength) * np.ones((1, a.shape[1]))])
    return np.linalg.lstsq(rows, np.concatenate([b, np.zeros((1, *b.shape[1:]))]), rcond=None)[0]


def wrong_cholesky__divided_by_the_pivot(a):
    """The diagonal has roots of the pivots, but what is below it was divided by the pivots themselves"""
    if not _is_symmetric(a):
        raise ValueError("not symmetric")
    n = len(a)
    lower = np.zeros((n, n))
    for j in range(n):
        pivot = a[j, j] - lower[j, :j] @ lower[j, :j]
        if pivot <= 0:
            raise ValueError("not positive definite")
        lower[j, j] = np.sqrt(pivot)
        for i in range(j + 1, n):
            lower[i, j] = (a[i, j] - lower[i, :j] @ lower[j, :j]) / pivot
    return lower


def wrong_standard_errors__gram_inverted(a, b):
    """AᵀA has the square of the condition number"""
    x, (m, n) = np.linalg.lstsq(a, b)[0], np.shape(a)
    variance = ((b - a @ x) ** 2).sum() / (m - n)
    return np.sqrt(variance * np.diag(np.linalg.inv(a.T @ a)))


def wrong_cholesky__symmetric_entry_by_entry(a):
    """something stands there that is too much"""
    a, low = np.array(a, float), np.zeros(np.shape(a))
    if not np.allclose(a, a.T, rtol=1e-13, atol=0):
        raise ValueError("a must be symmetric")
    for j in range(len(a)):
        rest = a[j:, j] - low[j:, :j] @ low[j, :j]
        if rest[0] <= 0:
            raise ValueError("a must be positive definite")
        low[j:, j] = rest / math.sqrt(rest[0])
    return low


def _lstsq_with(a, b, method, default):
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    kept = s > default * s[0]
    if method != "svd" and kept.sum() < a.shape[1]:
        raise ValueError("columns depend on each other")
    return vt[kept].T @ ((u[:, kept].T @ b).T / s[kept]).T


def wrong_lstsq__root_of_the_spacing(a, b, method="qr", tolerance=None):
    """count singular values up to twice the root of the spacing as zero"""
    eps = np.finfo(float).eps
    default = eps**0.5 if method == "normal" else max(a.shape) * eps
    return _lstsq_with(a, b, method, default if tolerance is None else tolerance)


def wrong_lstsq__smaller_side(a, b, method="qr", tolerance=None):
    """look at which function is called"""
    eps = np.finfo(float).eps
    default = 2 * eps**0.5 if method == "normal" else min(a.shape) * eps
    return _lstsq_with(a, b, method, default if tolerance is None else tolerance)


def wrong_lstsq__size_for_normal_too(a, b, method="qr", tolerance=None):
    """something stands there that is too much"""
    eps = np.finfo(float).eps
    default = max(a.shape) * (2 * eps**0.5 if method == "normal" else eps)
    return _lstsq_with(a, b, method, default if tolerance is None else tolerance)


def wrong_lstsq__number_of_equations_for_the_larger(a, b, method="qr", tolerance=None):
    if tolerance is None:
        tolerance = 2 * _EPS**0.5 if method == "normal" else len(a) * _EPS
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    kept = s > tolerance * s[0]
    if method != "svd" and kept.sum() < a.shape[1]:
        raise ValueError("columns depend on each other")
    return vt[kept].T @ (np.diag(1 / s[kept]) @ (u[:, kept].T @ b))


wrong_cholesky__asymmetry_whatever_the_size = slip(
    right_cholesky__entries, "1e-12 * np.abs(a).max()", "1e-12", "Line 5"
)


def wrong_lstsq__zero_taken_for_none(a, b, method="qr", tolerance=None):
    """0 is a tolerance: compare with None"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    tolerance = tolerance or (2 * _EPS**0.5 if method == "normal" else max(a.shape) * _EPS)
    kept = s > tolerance * s[0]
    if method != "svd" and kept.sum() < a.shape[1]:
        raise ValueError("dependent")
    x = np.zeros((a.shape[1], *b.shape[1:]))
    for i in np.flatnonzero(kept):
        x = x + np.multiply.outer(vt[i], u[:, i] @ b) / s[i]
    return x


def wrong_cholesky__nearly_symmetric(a):
    """measure asymmetry by rounding errors of the largest entry"""
    if not np.allclose(a, a.T):
        raise ValueError("a must be symmetric")
    return np.linalg.cholesky(a)


def wrong_standard_errors__inverse_of_the_product(a, b):
    """AᵀA has the square of the condition number"""
    m, n = a.shape
    c = np.linalg.inv(a.T @ a)
    r = b - a @ (c @ (a.T @ b))
    return np.sqrt(r @ r / (m - n) * np.diag(c))


def wrong_standard_errors__values_not_squared(a, b):
    """divide by the square of each singular value"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    rest = b - u @ (u.T @ b)
    return np.sqrt(rest @ rest / (len(a) - len(s)) * (vt.T**2 / s).sum(axis=1))


def wrong_standard_errors__nothing_fitted(a, b):
    """They count all of b as error"""
    _, s, vt = np.linalg.svd(a, full_matrices=False)
    return np.sqrt(b @ b / (len(a) - a.shape[1]) * ((vt / s[:, None]) ** 2).sum(axis=0))


def wrong_standard_errors__absolute_values(a, b):
    """Few large errors hardly count more than many small ones"""
    residual = b - a @ np.linalg.lstsq(a, b, rcond=None)[0]
    s = np.abs(residual).sum() / (len(a) - a.shape[1])
    return s * np.sqrt(np.diag(np.linalg.inv(a.T @ a)))


def wrong_cholesky__sum_forgotten_below_the_diagonal(a):
    """refuses what should be answered"""
    if np.abs(a - a.T).max() > 1e-10 * np.abs(a).max():
        raise ValueError("not symmetric")
    factor = np.zeros((len(a), len(a)))
    for j in range(len(a)):
        square = a[j, j] - np.sum(factor[j, :j] ** 2)
        if square <= 0:
            raise ValueError("not positive definite")
        factor[j, j] = np.sqrt(square)
        factor[j + 1 :, j] = a[j + 1 :, j] / factor[j, j]
    return factor


def wrong_cholesky__bound_without_a_scale(a):
    """Line 6"""
    a = np.asarray(a, float)
    if not _is_symmetric(a):
        raise ValueError("not symmetric")
    if np.linalg.eigvalsh(a).min() < 1e-10:
        raise ValueError("not positive definite")
    return np.linalg.cholesky(a)


def wrong_cholesky__first_row_and_column_compared(a):
    """accepts what must be refused"""
    if not np.allclose(a[0], a[:, 0], rtol=1e-12, atol=1e-12 * abs(a).max()):
        raise ValueError("not symmetric")
    return np.linalg.cholesky(a)


def wrong_lstsq__beside_the_one_before(a, b, method="qr", tolerance=None):
    """Line 7"""
    if method != "svd" or tolerance is None:
        return lstsq(a, b, method, tolerance)
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    rank = 1
    while rank < len(s) and s[rank] > tolerance * s[rank - 1]:
        rank += 1
    return vt[:rank].T @ ((u[:, :rank].T @ b).T / s[:rank]).T


def wrong_lstsq__tolerance_for_squares(a, b, method="qr", tolerance=None):
    """Too much counts as zero, since the tolerance is compared with squares of singular values"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    eps = np.finfo(float).eps
    if tolerance is None:
        tolerance = 2 * np.sqrt(eps) if method == "normal" else max(a.shape) * eps
    keep = s**2 > tolerance * s[0] ** 2
    if method != "svd" and not keep.all():
        raise ValueError("columns depend on each other")
    return vt[keep].T @ ((u.T @ b)[keep].T / s[keep]).T


def wrong_lstsq__tolerance_for_eigenvalues(a, b, method="qr", tolerance=None):
    """Too much counts as zero, since the tolerance is compared with squares of singular values"""
    eps = np.finfo(float).eps
    if tolerance is None:
        tolerance = 2 * eps**0.5 if method == "normal" else max(a.shape) * eps
    w, v = np.linalg.eigh(a.T @ a)
    keep = w > tolerance * w[-1]
    if method != "svd" and not keep.all():
        raise ValueError("columns depend on each other")
    v, w = v[:, keep], w[keep]
    return (v / w) @ (v.T @ (a.T @ b))
