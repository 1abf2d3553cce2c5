"""Least squares and ridge, as readers write them."""

import math

import numpy as np
import scipy.linalg

_EPS = np.finfo(float).eps


def right_lstsq__numpy(a, b, method="qr", tolerance=None):
    if tolerance is None:
        tolerance = 3e-8 if method == "normal" else max(a.shape) * _EPS
    s = np.linalg.svd(a, compute_uv=False)
    if method != "svd" and (a.shape[0] < a.shape[1] or s[-1] <= tolerance * s[0]):
        raise ValueError("columns depend on each other")
    return np.linalg.lstsq(a, b, rcond=tolerance)[0]


def right_lstsq__three_ways(a, b, method="qr", tolerance=None):
    tolerance = max(a.shape) * _EPS if tolerance is None else tolerance
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
    tolerance = max(a.shape) * _EPS if tolerance is None else tolerance
    if method != "svd" and np.linalg.matrix_rank(a, rtol=tolerance) < a.shape[1]:
        raise ValueError("there are many solutions")
    return np.linalg.pinv(a, rcond=tolerance) @ b


def _dependent(a, tolerance):
    s = np.linalg.svd(a, compute_uv=False)
    tolerance = max(a.shape) * _EPS if tolerance is None else tolerance
    return len(a) < a.shape[1] or s[-1] <= tolerance * s[0]


def wrong_lstsq__never_refuses(a, b, method="qr", tolerance=None):
    """With qr it answers where there are many solutions, and does not say so"""
    return np.linalg.lstsq(a, b, rcond=tolerance)[0]


def wrong_lstsq__tolerance_absolute(a, b, method="qr", tolerance=None):
    """What counts as zero depends on the units of A"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    tolerance = max(a.shape) * _EPS * s[0] if tolerance is None else tolerance
    kept = s > tolerance
    if method != "svd" and kept.sum() < a.shape[1]:
        raise ValueError("columns depend on each other")
    return vt[kept].T @ ((u[:, kept].T @ b).T / s[kept]).T


def wrong_lstsq__q_not_transposed(a, b, method="qr", tolerance=None):
    """Line 7"""
    if method != "svd" and _dependent(a, tolerance):
        raise ValueError("columns depend on each other")
    if method == "qr":
        q, r = np.linalg.qr(a)
        return np.linalg.solve(r, q @ b)
    return np.linalg.lstsq(a, b, rcond=tolerance)[0]


def wrong_lstsq__v_not_transposed(a, b, method="qr", tolerance=None):
    """Line 9"""
    if method != "svd" and _dependent(a, tolerance):
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
    if method != "svd" and _dependent(a, tolerance):
        raise ValueError("columns depend on each other")
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    tolerance = max(a.shape) * _EPS if tolerance is None else tolerance
    kept = s > tolerance * s[0]
    return vt[kept].T @ ((u[:, kept].T @ b) / s[kept])


def wrong_lstsq__divided_by_squares(a, b, method="qr", tolerance=None):
    """Line 8"""
    if method != "svd" and _dependent(a, tolerance):
        raise ValueError("columns depend on each other")
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    tolerance = max(a.shape) * _EPS if tolerance is None else tolerance
    kept = s > tolerance * s[0]
    return vt[kept].T @ np.diag(s[kept] ** -2) @ u[:, kept].T @ b


def wrong_lstsq__squares(a, b, method="qr", tolerance=None):
    """With qr half of the digits are lost for a condition number of 1e6, and for 1e9 there is no answer"""
    if method != "svd" and _dependent(a, tolerance):
        raise ValueError("columns depend on each other")
    if method == "svd":
        return np.linalg.pinv(a, 1e-15 if tolerance is None else tolerance) @ b
    return np.linalg.inv(a.T @ a) @ (a.T @ b)


def wrong_lstsq__residual(a, b, method="qr", tolerance=None):
    """Line 6"""
    if method != "svd" and _dependent(a, tolerance):
        raise ValueError("columns depend on each other")
    x = np.linalg.lstsq(a, b, rcond=tolerance)[0]
    return b - a @ x


def wrong_lstsq__refuses_svd_too(a, b, method="qr", tolerance=None):
    """Line 4"""
    if _dependent(a, tolerance):
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
    """The solution gets longer as the strength grows"""
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
    if not np.allclose(a, a.T):
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
    if not np.allclose(a, a.T, rtol=1e-10, atol=0):
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
    if not np.allclose(a, a.T):
        raise ValueError
    return scipy.linalg.cholesky(a)


def wrong_cholesky__square_root_of_the_matrix(a):
    if not np.allclose(a, a.T):
        raise ValueError
    w, v = np.linalg.eigh(a)
    if w.min() <= 0:
        raise ValueError
    return (v * np.sqrt(w)) @ v.T


def wrong_cholesky__unit_diagonal(a):
    """Its diagonal is ones"""
    if not np.allclose(a, a.T):
        raise ValueError
    low = np.linalg.cholesky(a)
    return low / np.diag(low)


def wrong_cholesky__roots_not_taken(a):
    """Line 6"""
    if not np.allclose(a, a.T):
        raise ValueError
    low = np.linalg.cholesky(a)
    return low * np.diag(low)


def wrong_cholesky__asymmetry_ignored(a):
    """It answers for a matrix that is not symmetric, as if it were"""
    return np.linalg.cholesky(a)


def wrong_cholesky__columns_before_forgotten(a):
    a, low = np.array(a, float), np.zeros(np.shape(a))
    if not np.allclose(a, a.T) or np.linalg.eigvalsh(a).min() <= 0:
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
    return [math.sqrt(residual @ residual / (len(b) - len(s)) * sum((vt[k, j] / s[k]) ** 2 for k in range(len(s))))
            for j in range(len(s))]


def wrong_standard_errors__divided_by_m(a, b):
    """They are too small, the more so the fewer rows there are"""
    x = np.linalg.lstsq(a, b)[0]
    return np.sqrt(((b - a @ x) ** 2).mean() * np.diag(np.linalg.inv(a.T @ a)))


def wrong_standard_errors__m_minus_one(a, b):
    """They are right for a single column only"""
    x = np.linalg.lstsq(a, b)[0]
    return np.sqrt(((b - a @ x) ** 2).sum() / (len(b) - 1) * np.diag(np.linalg.inv(a.T @ a)))


def wrong_standard_errors__variances(a, b):
    """They are squares"""
    x = np.linalg.lstsq(a, b)[0]
    return ((b - a @ x) ** 2).sum() / (len(b) - a.shape[1]) * np.diag(np.linalg.inv(a.T @ a))


def wrong_standard_errors__inverse_of_the_diagonal(a, b):
    """Columns that lean on each other do not raise each other's errors"""
    x = np.linalg.lstsq(a, b)[0]
    return np.sqrt(((b - a @ x) ** 2).sum() / (len(b) - a.shape[1]) / np.diag(a.T @ a))


def wrong_standard_errors__spread_of_b(a, b):
    """They do not become smaller where the fit is good"""
    return np.sqrt(b.var(ddof=a.shape[1]) * np.diag(np.linalg.inv(a.T @ a)))


def wrong_standard_errors__whole_covariance(a, b):
    x = np.linalg.lstsq(a, b)[0]
    return ((b - a @ x) ** 2).sum() / (len(b) - a.shape[1]) * np.linalg.inv(a.T @ a)


def wrong_standard_errors__sigma_forgotten(a, b):
    """They do not depend on b"""
    return np.sqrt(np.diag(np.linalg.inv(a.T @ a)))
