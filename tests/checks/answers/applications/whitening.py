"""Standardizing and whitening, as readers write them."""

import math
import statistics

import numpy as np
import scipy.linalg
from slips import slip

from mlnotes.applications.whitening import standardize, whiten


def right_standardize__numpy(x, eps=0.0, ddof=0):
    deviation = np.sqrt(x.var(axis=0, ddof=ddof) + eps)
    if (deviation == 0).any():
        raise ValueError("a feature is constant")
    return (x - x.mean(axis=0)) / deviation


def right_standardize__by_hand(x, eps=0.0, ddof=0):
    centered = x - np.sum(x, axis=0) / len(x)
    variance = np.einsum("nd,nd->d", centered, centered) / (len(x) - ddof)
    if not np.all(variance + eps > 0):
        raise ZeroDivisionError("a feature is constant")
    return centered * (variance + eps) ** -0.5


def right_standardize__columns(x, eps=0.0, ddof=0):
    out = []
    for column in x.T.tolist():
        mean = sum(column) / len(column)
        variance = sum((it - mean) ** 2 for it in column) / (len(column) - ddof)
        out.append([(it - mean) / (variance + eps) ** 0.5 for it in column])
    return np.array(out).T


def right_standardize__statistics(x, eps=0.0, ddof=0):
    out = np.empty(np.shape(x))
    for j, column in enumerate(np.asarray(x).T):
        values = [float(it) for it in column]
        mean = statistics.fmean(values)
        total = math.fsum((it - mean) ** 2 for it in values)
        out[:, j] = [(it - mean) / math.sqrt(total / (len(values) - ddof) + eps) for it in values]
    return out


def right_standardize__projection(x, eps=0.0, ddof=0):
    n = len(x)
    centered = (np.eye(n) - np.full((n, n), 1 / n)) @ x
    sigma = np.diag(centered.T @ centered) / (n - ddof) + eps
    if np.any(sigma <= 1e-30):
        raise ValueError
    return centered @ np.diag(1 / np.sqrt(sigma))


def right_standardize__map(x, eps=0.0, ddof=0):
    def one(column):
        c = column - column.mean()
        v = c @ c / (c.size - ddof) + eps
        if v == 0:
            raise ValueError("constant")
        return c / v**0.5

    return np.apply_along_axis(one, 0, x)


def wrong_standardize__precedence(x, eps=0.0, ddof=0):
    """Line 3"""
    return x - x.mean(axis=0) / np.sqrt(x.var(axis=0, ddof=ddof) + eps)


def wrong_standardize__range(x, eps=0.0, ddof=0):
    """The variance is not 1"""
    return (x - x.mean(axis=0)) / (x.max(axis=0) - x.min(axis=0) + eps)


def wrong_standardize__median(x, eps=0.0, ddof=0):
    """subtract the mean"""
    return (x - np.median(x, axis=0)) / np.sqrt(x.var(axis=0, ddof=ddof) + eps)


def wrong_standardize__length(x, eps=0.0, ddof=0):
    """The more samples, the smaller the result"""
    centered = x - x.mean(axis=0)
    return centered / np.sqrt((centered**2).sum(axis=0) + eps)


def wrong_standardize__one_deviation(x, eps=0.0, ddof=0):
    """Line 4"""
    centered = x - x.mean(axis=0)
    return centered / np.sqrt(x.var(ddof=ddof) + eps)


def wrong_standardize__eps_subtracted(x, eps=0.0, ddof=0):
    """Line 3"""
    deviation = np.sqrt(x.var(axis=0, ddof=ddof) - eps)
    return (x - x.mean(axis=0)) / deviation


def wrong_standardize__absolute_deviation(x, eps=0.0, ddof=0):
    centered = x - x.mean(axis=0)
    spread = np.abs(centered).sum(axis=0) / (len(x) - ddof)
    return centered / np.sqrt(spread**2 + eps)


def wrong_standardize__in_place(x, eps=0.0, ddof=0):
    """The result is right, but `x` has changed after the call"""
    x -= x.mean(axis=0)
    x /= np.sqrt(x.var(axis=0, ddof=ddof) + eps)
    return x


def wrong_standardize__ddof_added(x, eps=0.0, ddof=0):
    """Line 4"""
    centered = x - x.mean(axis=0)
    variance = (centered**2).sum(axis=0) / (len(x) + ddof)
    return centered / np.sqrt(variance + eps)


def wrong_standardize__width(x, eps=0.0, ddof=0):
    """Line 4"""
    centered = x - x.mean(axis=0)
    variance = (centered**2).sum(axis=0) / (x.shape[1] - ddof)
    return centered / np.sqrt(variance + eps)


def wrong_standardize__deviation_plus_root(x, eps=0.0, ddof=0):
    """take the root of the sum"""
    return (x - x.mean(axis=0)) / (x.std(axis=0, ddof=ddof) + np.sqrt(eps))


def wrong_standardize__std_of_rows(x, eps=0.0, ddof=0):
    """Line 3"""
    return (x - x.mean(axis=0)) / np.sqrt(x.var(axis=1, ddof=ddof, keepdims=True) + eps)


def wrong_standardize__multiplied(x, eps=0.0, ddof=0):
    """Line 4"""
    centered = x - x.mean(axis=0)
    return centered * np.sqrt(centered.var(axis=0, ddof=ddof) + eps)


def wrong_standardize__first_sample(x, eps=0.0, ddof=0):
    return (x - x[0]) / np.sqrt(x.var(axis=0, ddof=ddof) + eps)


def wrong_standardize__shifted_after(x, eps=0.0, ddof=0):
    """Line 4"""
    deviation = np.sqrt(x.var(axis=0, ddof=ddof) + eps)
    return x / deviation - x.mean(axis=0)


def wrong_standardize__eps_per_sample(x, eps=0.0, ddof=0):
    """divide the squares first, then add eps"""
    centered = x - x.mean(axis=0)
    variance = ((centered**2).sum(axis=0) + eps) / (len(x) - ddof)
    return centered / np.sqrt(variance)


def wrong_standardize__eps_squared(x, eps=0.0, ddof=0):
    """Line 3"""
    return (x - x.mean(axis=0)) / np.sqrt(x.var(axis=0, ddof=ddof) + eps**2)


def wrong_standardize__largest_to_one(x, eps=0.0, ddof=0):
    centered = x - x.mean(axis=0)
    return centered / (np.abs(centered).max(axis=0) + eps)


def wrong_standardize__mean_square_not_centered(x, eps=0.0, ddof=0):
    square = (x**2).sum(axis=0) / (len(x) - ddof)
    return (x - x.mean(axis=0)) / np.sqrt(square + eps)


def wrong_standardize__ddof_on_the_mean(x, eps=0.0, ddof=0):
    """Line 3"""
    mean = x.sum(axis=0) / (len(x) - ddof)
    variance = ((x - mean) ** 2).sum(axis=0) / (len(x) - ddof)
    return (x - mean) / np.sqrt(variance + eps)


def wrong_standardize__eps_as_floor(x, eps=0.0, ddof=0):
    """Line 3"""
    return (x - x.mean(axis=0)) / np.sqrt(np.maximum(x.var(axis=0, ddof=ddof), eps))


def wrong_standardize__single(x, eps=0.0, ddof=0):
    """Line 3"""
    x = x.astype(np.float32)
    return (x - x.mean(axis=0)) / np.sqrt(x.var(axis=0, ddof=ddof) + eps)


def wrong_standardize__eps_only_if_constant(x, eps=0.0, ddof=0):
    """Line 3"""
    variance = x.var(axis=0, ddof=ddof)
    return (x - x.mean(axis=0)) / np.sqrt(np.where(variance == 0, eps, variance))


def right_whiten__eigh(x, kind="pca", eps=0.0, ddof=0):
    centered = x - x.mean(axis=0)
    sigma = centered.T @ centered / (len(x) - ddof)
    values, v = np.linalg.eigh(sigma)
    values, v = values[::-1] + eps, v[:, ::-1]
    if eps == 0 and np.linalg.eigvalsh(np.corrcoef(x.T))[0] < 1e-12:
        raise ValueError("the covariance is singular")
    if kind == "pca":
        return centered @ v / np.sqrt(values)
    if kind == "zca":
        return centered @ v @ np.diag(values**-0.5) @ v.T
    return np.linalg.solve(np.linalg.cholesky(sigma + eps * np.eye(len(sigma))), centered.T).T


def right_whiten__svd(x, kind="pca", eps=0.0, ddof=0):
    centered = x - x.mean(axis=0)
    u, s, vt = np.linalg.svd(centered, full_matrices=False)
    variances = s**2 / (len(x) - ddof)
    if eps == 0 and np.linalg.cond(centered / np.linalg.norm(centered, axis=0)) > 1e7:
        raise ValueError("the covariance is singular")
    z = u * s / np.sqrt(variances + eps)
    if kind == "zca":
        return z @ vt
    if kind == "cholesky":
        sigma = np.cov(x, rowvar=False, ddof=ddof) + eps * np.eye(x.shape[1])
        return scipy.linalg.solve_triangular(np.linalg.cholesky(sigma), centered.T, lower=True).T
    return z


def right_whiten__roots(x, kind="pca", eps=0.0, ddof=0):
    sigma = np.atleast_2d(np.cov(x.T, ddof=ddof)) + eps * np.eye(x.shape[1])
    if eps == 0 and np.linalg.cond(np.corrcoef(x.T)) > 1e13:
        raise np.linalg.LinAlgError("singular")
    if kind == "cholesky":
        w = np.linalg.inv(np.linalg.cholesky(sigma)).T
    elif kind == "zca":
        w = scipy.linalg.inv(scipy.linalg.sqrtm(sigma))
    else:
        values, v = scipy.linalg.eigh(sigma)
        order = np.argsort(-values)
        w = v[:, order] / np.sqrt(values[order])
    return (x - x.mean(0)) @ w


def right_whiten__matrix_power(x, kind="pca", eps=0.0, ddof=0):
    centered = x - x.mean(axis=0)
    sigma = centered.T @ centered / (len(x) - ddof) + eps * np.eye(x.shape[1])
    if np.linalg.matrix_rank(sigma) < len(sigma):
        raise ValueError("singular")
    if kind == "zca":
        return centered @ scipy.linalg.fractional_matrix_power(sigma, -0.5)
    if kind == "cholesky":
        return scipy.linalg.solve_triangular(scipy.linalg.cholesky(sigma), centered.T, trans="T").T
    values, v = np.linalg.eig(sigma)
    order = np.argsort(values)[::-1]
    return (centered @ v[:, order]) / np.sqrt(values[order])


def right_whiten__regression(x, kind="pca", eps=0.0, ddof=0):
    n, d = x.shape
    centered = x - x.mean(axis=0)
    sigma = centered.T @ centered / (n - ddof) + eps * np.eye(d)
    values, v = np.linalg.eigh(sigma)
    if eps == 0 and np.linalg.eigvalsh(np.corrcoef(x.T))[0] < 1e-13:
        raise ValueError("singular")
    if kind == "cholesky":
        columns = []
        for j in range(d):
            b = np.linalg.solve(sigma[:j, :j], sigma[:j, j])
            rest = sigma[j, j] - sigma[:j, j] @ b
            columns.append((centered[:, j] - centered[:, :j] @ b) / np.sqrt(rest))
        return np.stack(columns, axis=1)
    z = centered @ np.fliplr(v) / np.sqrt(values[::-1])
    return z if kind == "pca" else z @ np.fliplr(v).T


def right_whiten__added_rows(x, kind="pca", eps=0.0, ddof=0):
    n, d = x.shape
    centered = x - x.mean(axis=0)
    tall = np.vstack([centered / np.sqrt(n - ddof), np.sqrt(eps) * np.eye(d)])
    _u, s, vt = np.linalg.svd(tall, full_matrices=False)
    if s[-1] < 1e-10 * s[0]:
        raise np.linalg.LinAlgError("singular covariance")
    if kind == "cholesky":
        r = np.linalg.qr(tall)[1]
        r = r * np.sign(np.diag(r))[:, None]
        return np.linalg.solve(r.T, centered.T).T
    w = vt.T / s
    return centered @ (w if kind == "pca" else w @ vt)


def _parts(x, eps, ddof):
    centered = x - x.mean(axis=0)
    sigma = centered.T @ centered / (len(x) - ddof)
    values, v = np.linalg.eigh(sigma)
    if eps == 0 and np.linalg.eigvalsh(np.corrcoef(x.T))[0] < 1e-12:
        raise ValueError("the covariance is singular")
    return centered, sigma + eps * np.eye(len(sigma)), values[::-1] + eps, v[:, ::-1]


def wrong_whiten__smallest_first(x, kind="pca", eps=0.0, ddof=0):
    """PCA begins with the axis along which the data vary least"""
    centered, sigma, values, v = _parts(x, eps, ddof)
    if kind == "pca":
        values, v = np.linalg.eigh(sigma)
        return centered @ v / np.sqrt(values)
    if kind == "zca":
        return centered @ (v / np.sqrt(values)) @ v.T
    return np.linalg.solve(np.linalg.cholesky(sigma), centered.T).T


def wrong_whiten__rows_of_v(x, kind="pca", eps=0.0, ddof=0):
    """PCA leaves a covariance that is not the identity"""
    centered, sigma, values, v = _parts(x, eps, ddof)
    if kind == "pca":
        return centered @ v.T / np.sqrt(values)
    if kind == "zca":
        return centered @ (v / np.sqrt(values)) @ v.T
    return np.linalg.solve(np.linalg.cholesky(sigma), centered.T).T


def wrong_whiten__inverse_factored(x, kind="pca", eps=0.0, ddof=0):
    """Cholesky whitening begins with the last feature, not with the first"""
    centered, sigma, values, v = _parts(x, eps, ddof)
    if kind == "pca":
        return centered @ v / np.sqrt(values)
    if kind == "zca":
        return centered @ (v / np.sqrt(values)) @ v.T
    return centered @ np.linalg.cholesky(np.linalg.inv(sigma))


def wrong_whiten__turned_twice(x, kind="pca", eps=0.0, ddof=0):
    """ZCA turns twice in the same direction"""
    centered, sigma, values, v = _parts(x, eps, ddof)
    if kind == "pca":
        return centered @ v / np.sqrt(values)
    if kind == "zca":
        return centered @ (v / np.sqrt(values)) @ v
    return np.linalg.solve(np.linalg.cholesky(sigma), centered.T).T


def wrong_whiten__not_divided(x, kind="pca", eps=0.0, ddof=0):
    """PCA turns the data and leaves their variances"""
    centered, sigma, values, v = _parts(x, eps, ddof)
    if kind == "pca":
        return centered @ v
    if kind == "zca":
        return centered @ (v / np.sqrt(values)) @ v.T
    return np.linalg.solve(np.linalg.cholesky(sigma), centered.T).T


def wrong_whiten__samples_standardized(x, kind="pca", eps=0.0, ddof=0):
    """The axes are those of the correlation, not of the covariance"""
    x = x / x.std(axis=0)
    centered, sigma, values, v = _parts(x, eps, ddof)
    if kind == "pca":
        return centered @ v / np.sqrt(values)
    if kind == "zca":
        return centered @ (v / np.sqrt(values)) @ v.T
    return np.linalg.solve(np.linalg.cholesky(sigma), centered.T).T


def wrong_whiten__never_refuses(x, kind="pca", eps=0.0, ddof=0):
    """A feature that repeats another becomes noise"""
    centered = x - x.mean(axis=0)
    sigma = centered.T @ centered / (len(x) - ddof) + eps * np.eye(x.shape[1])
    values, v = np.linalg.eigh(sigma)
    values, v = np.abs(values[::-1]), v[:, ::-1]
    if kind == "cholesky":
        return np.linalg.solve(np.linalg.cholesky(sigma), centered.T).T
    z = centered @ v / np.sqrt(values)
    return z @ v.T if kind == "zca" else z


def wrong_whiten__one_mean(x, kind="pca", eps=0.0, ddof=0):
    """The mean is not 0, unless all features have the same"""
    _, sigma, values, v = _parts(x, eps, ddof)
    centered = x - x.mean()
    if kind == "pca":
        return centered @ v / np.sqrt(values)
    if kind == "zca":
        return centered @ (v / np.sqrt(values)) @ v.T
    return np.linalg.solve(np.linalg.cholesky(sigma), centered.T).T


def wrong_whiten__eps_for_zca_only(x, kind="pca", eps=0.0, ddof=0):
    """Line 5"""
    centered, sigma, values, v = _parts(x, eps, ddof)
    if kind == "pca":
        return centered @ v / np.sqrt(values - eps)
    if kind == "zca":
        return centered @ (v / np.sqrt(values)) @ v.T
    return np.linalg.solve(np.linalg.cholesky(sigma), centered.T).T


def wrong_whiten__values_not_reversed(x, kind="pca", eps=0.0, ddof=0):
    """Axes are divided by each other's deviations"""
    centered = x - x.mean(axis=0)
    sigma = centered.T @ centered / (len(x) - ddof)
    values, v = np.linalg.eigh(sigma)
    if eps == 0 and np.linalg.eigvalsh(np.corrcoef(x.T))[0] < 1e-12:
        raise ValueError("the covariance is singular")
    v = v[:, ::-1]
    if kind == "cholesky":
        return np.linalg.solve(np.linalg.cholesky(sigma + eps * np.eye(len(sigma))), centered.T).T
    z = centered @ v / np.sqrt(values + eps)
    return z @ v.T if kind == "zca" else z


def wrong_whiten__rows_reversed(x, kind="pca", eps=0.0, ddof=0):
    """Line 8"""
    centered = x - x.mean(axis=0)
    sigma = centered.T @ centered / (len(x) - ddof)
    values, v = np.linalg.eigh(sigma)
    if eps == 0 and np.linalg.eigvalsh(np.corrcoef(x.T))[0] < 1e-12:
        raise ValueError("the covariance is singular")
    values, v = values[::-1], v[::-1]
    if kind == "cholesky":
        return np.linalg.solve(np.linalg.cholesky(sigma + eps * np.eye(len(sigma))), centered.T).T
    z = centered @ v / np.sqrt(values + eps)
    return z @ v.T if kind == "zca" else z


def wrong_whiten__upper_factor(x, kind="pca", eps=0.0, ddof=0):
    """Cholesky whitening leaves a covariance that is not the identity"""
    centered, sigma, values, v = _parts(x, eps, ddof)
    if kind == "pca":
        return centered @ v / np.sqrt(values)
    if kind == "zca":
        return centered @ (v / np.sqrt(values)) @ v.T
    return np.linalg.solve(np.linalg.cholesky(sigma).T, centered.T).T


def wrong_whiten__zca_of_values(x, kind="pca", eps=0.0, ddof=0):
    """The calls that fail come out right with `kind='zca'` left out"""
    centered, sigma, values, v = _parts(x, eps, ddof)
    if kind == "pca":
        return centered @ v / np.sqrt(values)
    if kind == "zca":
        return centered @ np.linalg.inv(sigma)
    return np.linalg.solve(np.linalg.cholesky(sigma), centered.T).T


def wrong_whiten__covariance_of_samples(x, kind="pca", eps=0.0, ddof=0):
    """Line 5"""
    sigma = np.cov(x, ddof=ddof)
    values, v = np.linalg.eigh(sigma)
    return (x - x.mean(axis=0)) @ v / np.sqrt(values + eps)


def wrong_whiten__eps_twice(x, kind="pca", eps=0.0, ddof=0):
    """Line 5"""
    centered, sigma, values, v = _parts(x, eps, ddof)
    if kind == "pca":
        return centered @ v / np.sqrt(values + eps)
    if kind == "zca":
        return centered @ (v / np.sqrt(values)) @ v.T
    return np.linalg.solve(np.linalg.cholesky(sigma), centered.T).T


def wrong_whiten__other_kinds_as_zca(x, kind="pca", eps=0.0, ddof=0):
    """The calls that fail come out right with `kind='cholesky'` left out"""
    centered, _, values, v = _parts(x, eps, ddof)
    z = centered @ v / np.sqrt(values)
    return z if kind == "pca" else z @ v.T


def wrong_whiten__cholesky_lower(x, kind="pca", eps=0.0, ddof=0):
    """Cholesky whitening leaves a covariance that is not the identity"""
    c = x - x.mean(axis=0)
    s = c.T @ c / (len(x) - ddof) + eps * np.eye(x.shape[1])
    values, v = np.linalg.eigh(s)
    if eps == 0 and np.linalg.eigvalsh(np.corrcoef(x.T))[0] < 1e-12:
        raise ValueError("singular")
    values, v = values[::-1], v[:, ::-1]
    w = {"pca": v / np.sqrt(values), "zca": v / np.sqrt(values) @ v.T, "cholesky": np.linalg.inv(np.linalg.cholesky(s))}
    return c @ w[kind]


def wrong_whiten__eps_not_in_cholesky(x, kind="pca", eps=0.0, ddof=0):
    """The calls that fail come out right with `eps=0.3` left out, and also with `kind='cholesky'` left out"""
    c = x - x.mean(axis=0)
    s = c.T @ c / (len(x) - ddof)
    values, v = np.linalg.eigh(s)
    if eps == 0 and np.linalg.eigvalsh(np.corrcoef(x.T))[0] < 1e-12:
        raise ValueError("singular")
    values, v = values[::-1] + eps, v[:, ::-1]
    if kind == "cholesky":
        return np.linalg.solve(np.linalg.cholesky(s), c.T).T
    z = c @ v / np.sqrt(values)
    return z @ v.T if kind == "zca" else z


def wrong_whiten__ddof_twice(x, kind="pca", eps=0.0, ddof=0):
    """Line 4"""
    c = x - x.mean(axis=0)
    s = np.cov(c.T, ddof=ddof) * (len(x) - 1) / (len(x) - ddof) + eps * np.eye(x.shape[1])
    values, v = np.linalg.eigh(s)
    if eps == 0 and np.linalg.eigvalsh(np.corrcoef(x.T))[0] < 1e-12:
        raise ValueError("singular")
    if kind == "cholesky":
        return np.linalg.solve(np.linalg.cholesky(s), c.T).T
    z = (c @ v / np.sqrt(values))[:, ::-1]
    return z @ v[:, ::-1].T if kind == "zca" else z


def wrong_whiten__eps_beside_root(x, kind="pca", eps=0.0, ddof=0):
    """A variance v does not become v / (v + eps)"""
    c = x - x.mean(axis=0)
    u, s, vt = np.linalg.svd(c, full_matrices=False)
    std = s / np.sqrt(len(x) - ddof)
    if eps == 0 and np.linalg.eigvalsh(np.corrcoef(x.T))[0] < 1e-12:
        raise ValueError("singular")
    if kind == "cholesky":
        sigma = c.T @ c / (len(x) - ddof) + eps * np.eye(x.shape[1])
        return np.linalg.solve(np.linalg.cholesky(sigma), c.T).T
    z = u * (s / (std + eps))
    return z @ vt if kind == "zca" else z


def wrong_whiten__without_the_count(x, kind="pca", eps=0.0, ddof=0):
    """The more samples, the smaller the result"""
    c = x - x.mean(axis=0)
    s = c.T @ c + eps * np.eye(x.shape[1])
    values, v = np.linalg.eigh(s)
    if eps == 0 and np.linalg.eigvalsh(np.corrcoef(x.T))[0] < 1e-12:
        raise ValueError("singular")
    if kind == "cholesky":
        return np.linalg.solve(np.linalg.cholesky(s), c.T).T
    z = (c @ v / np.sqrt(values))[:, ::-1]
    return z @ v[:, ::-1].T if kind == "zca" else z


def wrong_whiten__unit_columns(x, kind="pca", eps=0.0, ddof=0):
    c = x - x.mean(axis=0)
    u, _s, vt = np.linalg.svd(c, full_matrices=False)
    if eps == 0 and np.linalg.eigvalsh(np.corrcoef(x.T))[0] < 1e-12:
        raise ValueError("singular")
    if kind == "cholesky":
        return np.linalg.qr(c)[0]
    return u if kind == "pca" else u @ vt


def wrong_whiten__qr_signs(x, kind="pca", eps=0.0, ddof=0):
    """Cholesky whitening mirrors some features"""
    n, d = x.shape
    c = x - x.mean(axis=0)
    tall = np.vstack([c, np.sqrt(eps * (n - ddof)) * np.eye(d)])
    u, _s, vt = np.linalg.svd(tall, full_matrices=False)
    if eps == 0 and np.linalg.eigvalsh(np.corrcoef(x.T))[0] < 1e-12:
        raise ValueError("singular")
    if kind == "cholesky":
        return np.linalg.qr(tall)[0][:n] * np.sqrt(n - ddof)
    z = u[:n] * np.sqrt(n - ddof)
    return z if kind == "pca" else z @ vt


def wrong_whiten__kind_ignored(x, kind="pca", eps=0.0, ddof=0):
    """The calls that fail come out right with `kind` left out"""
    c = x - x.mean(axis=0)
    values, v = np.linalg.eigh(c.T @ c / (len(x) - ddof))
    if eps == 0 and np.linalg.eigvalsh(np.corrcoef(x.T))[0] < 1e-12:
        raise ValueError("singular")
    return (c @ v / np.sqrt(values + eps))[:, ::-1]


def wrong_whiten__not_centered_covariance(x, kind="pca", eps=0.0, ddof=0):
    s = x.T @ x / (len(x) - ddof) + eps * np.eye(x.shape[1])
    c = x - x.mean(axis=0)
    values, v = np.linalg.eigh(s)
    if np.linalg.matrix_rank(c) < x.shape[1] and eps == 0:
        raise ValueError("singular")
    if kind == "cholesky":
        return np.linalg.solve(np.linalg.cholesky(s), c.T).T
    z = (c @ v / np.sqrt(values))[:, ::-1]
    return z @ v[:, ::-1].T if kind == "zca" else z


def wrong_whiten__mean_kept(x, kind="pca", eps=0.0, ddof=0):
    """The mean is not 0"""
    c = x - x.mean(axis=0)
    s = c.T @ c / (len(x) - ddof) + eps * np.eye(x.shape[1])
    values, v = np.linalg.eigh(s)
    if eps == 0 and np.linalg.eigvalsh(np.corrcoef(x.T))[0] < 1e-12:
        raise ValueError("singular")
    if kind == "cholesky":
        return np.linalg.solve(np.linalg.cholesky(s), x.T).T
    z = (x @ v / np.sqrt(values))[:, ::-1]
    return z @ v[:, ::-1].T if kind == "zca" else z


def wrong_whiten__pca_and_zca_exchanged(x, kind="pca", eps=0.0, ddof=0):
    """Line 11"""
    c = x - x.mean(axis=0)
    s = c.T @ c / (len(x) - ddof) + eps * np.eye(x.shape[1])
    values, v = np.linalg.eigh(s)
    if eps == 0 and np.linalg.eigvalsh(np.corrcoef(x.T))[0] < 1e-12:
        raise ValueError("singular")
    if kind == "cholesky":
        return np.linalg.solve(np.linalg.cholesky(s), c.T).T
    z = (c @ v / np.sqrt(values))[:, ::-1]
    return z @ v[:, ::-1].T if kind == "pca" else z


def wrong_whiten__small_axes_dropped(x, kind="pca", eps=0.0, ddof=0):
    """A feature that repeats another becomes noise"""
    c = x - x.mean(axis=0)
    s = c.T @ c / (len(x) - ddof) + eps * np.eye(x.shape[1])
    values, v = np.linalg.eigh(s)
    values, v = values[::-1], v[:, ::-1]
    inverse = np.where(values > 1e-14 * values[0], 1 / np.sqrt(np.abs(values)), 0)
    if kind == "cholesky":
        return np.linalg.solve(np.linalg.cholesky(s), c.T).T
    z = c @ v * inverse
    return z @ v.T if kind == "zca" else z


def right_zca_of_correlation__eigenvectors(rho):
    values, v = np.linalg.eigh(np.array([[1.0, rho], [rho, 1.0]]))
    return v @ np.diag(values**-0.5) @ v.T


def right_zca_of_correlation__root(rho):
    return np.linalg.inv(scipy.linalg.sqrtm(np.array([[1.0, rho], [rho, 1.0]])))


def right_zca_of_correlation__closed(rho):
    a, b = 1 / np.sqrt(1 + rho), 1 / np.sqrt(1 - rho)
    return a / 2 * np.ones((2, 2)) + b / 2 * np.array([[1, -1], [-1, 1]])


def right_zca_of_correlation__hyperbolic(rho):
    half = math.atanh(rho) / 2
    scale = (1 - rho * rho) ** -0.25
    return scale * np.array([[math.cosh(half), -math.sinh(half)], [-math.sinh(half), math.cosh(half)]])


def right_zca_of_correlation__square_root_formula(rho):
    s = math.sqrt(1 - rho**2)
    t = math.sqrt(2 + 2 * s)
    root = np.array([[1 + s, rho], [rho, 1 + s]]) / t
    return np.linalg.inv(root)


def right_zca_of_correlation__rotation(rho):
    c = math.sqrt(0.5)
    r = np.array([[c, -c], [c, c]])
    return r @ np.diag([1 / math.sqrt(1 + rho), 1 / math.sqrt(1 - rho)]) @ r.T


def wrong_zca_of_correlation__cholesky(rho):
    """It is Cholesky's matrix: the first feature stays as it is"""
    return np.linalg.inv(np.linalg.cholesky(np.array([[1.0, rho], [rho, 1.0]]))).T


def wrong_zca_of_correlation__inverse(rho):
    """It is the inverse of the covariance"""
    return np.linalg.inv(np.array([[1.0, rho], [rho, 1.0]]))


def wrong_zca_of_correlation__sign(rho):
    """The entry beside the diagonal has the sign of ρ"""
    a, b = 1 / np.sqrt(1 + rho), 1 / np.sqrt(1 - rho)
    return np.array([[a + b, b - a], [b - a, a + b]]) / 2


def wrong_zca_of_correlation__not_halved(rho):
    """twice the right one"""
    a, b = 1 / np.sqrt(1 + rho), 1 / np.sqrt(1 - rho)
    return np.array([[a + b, a - b], [a - b, a + b]])


def wrong_zca_of_correlation__root(rho):
    """It makes the correlation stronger"""
    return scipy.linalg.sqrtm(np.array([[1.0, rho], [rho, 1.0]]))


def wrong_zca_of_correlation__pca(rho):
    """It is PCA's matrix"""
    return np.array([[1, 1], [1, -1]]) / np.sqrt(2) / np.sqrt([1 + rho, 1 - rho])


def wrong_zca_of_correlation__one_root(rho):
    """It is the inverse of the covariance but for a factor"""
    return np.array([[1, -rho], [-rho, 1]]) / math.sqrt(1 - rho**2)


def wrong_zca_of_correlation__first_order(rho):
    return np.array([[1, -rho / 2], [-rho / 2, 1]])


def wrong_zca_of_correlation__root_of_entries(rho):
    return np.sqrt(np.abs(np.linalg.inv(np.array([[1.0, rho], [rho, 1.0]]))))


def wrong_zca_of_correlation__not_turned(rho):
    return np.diag([1 / math.sqrt(1 + rho), 1 / math.sqrt(1 - rho)])


def wrong_zca_of_correlation__covariance(rho):
    return np.array([[1.0, rho], [rho, 1.0]])


def wrong_zca_of_correlation__rho_squared(rho):
    a, b = 1 / math.sqrt(1 + rho**2), 1 / math.sqrt(1 - rho**2)
    return np.array([[a + b, a - b], [a - b, a + b]]) / 2


def wrong_zca_of_correlation__absolute(rho):
    a, b = 1 / math.sqrt(1 + abs(rho)), 1 / math.sqrt(1 - abs(rho))
    return np.array([[a + b, a - b], [a - b, a + b]]) / 2


def wrong_zca_of_correlation__floor(rho):
    """Line 3"""
    a, b = 1 / math.sqrt(1 + rho), 1 / math.sqrt(max(1 - rho, 1e-3))
    return np.array([[a + b, a - b], [a - b, a + b]]) / 2


def _whitened_by_eigenvectors(x, kind, eps, ddof, singular):
    c = x - x.mean(axis=0)
    sigma = c.T @ c / (len(x) - ddof) + eps * np.eye(x.shape[1])
    if singular(sigma, eps):
        raise ValueError("singular")
    if kind == "cholesky":
        return c @ np.linalg.inv(np.linalg.cholesky(sigma)).T
    values, v = np.linalg.eigh(sigma)
    w = (v / np.sqrt(values))[:, ::-1]
    return c @ (w if kind == "pca" else w @ v[:, ::-1].T)


def wrong_whiten__determinant_exactly_zero(x, kind="pca", eps=0.0, ddof=0):
    """It accepts what must be refused"""
    return _whitened_by_eigenvectors(x, kind, eps, ddof, lambda sigma, eps: np.linalg.det(sigma) == 0)


def wrong_whiten__determinant_below_a_number(x, kind="pca", eps=0.0, ddof=0):
    """is where it fails"""
    return _whitened_by_eigenvectors(x, kind, eps, ddof, lambda sigma, eps: eps == 0 and np.linalg.det(sigma) < 1e-9)


def wrong_whiten__variances_compared_across_units(x, kind="pca", eps=0.0, ddof=0):
    """is where it fails"""
    return _whitened_by_eigenvectors(x, kind, eps, ddof, lambda sigma, eps: np.linalg.cond(sigma) >= 1e12)


def wrong_whiten__another_error(x, kind="pca", eps=0.0, ddof=0):
    """another exception is asked for"""
    try:
        return whiten(x, kind, eps, ddof)
    except ValueError as error:
        raise RuntimeError("singular") from error


def wrong_standardize__constants_always_refused(x, eps=0.0, ddof=0):
    """Line 4"""
    variance = x.var(axis=0, ddof=ddof)
    if (variance == 0).any():
        raise ValueError("a feature is constant")
    return (x - x.mean(axis=0)) / np.sqrt(variance + eps)


def wrong_standardize__small_features_refused(x, eps=0.0, ddof=0):
    """Line 4"""
    variance = x.var(axis=0, ddof=ddof)
    if eps == 0 and (variance < 1e-12).any():
        raise ValueError("a feature is constant")
    return (x - x.mean(axis=0)) / np.sqrt(variance + eps)


def wrong_whiten__refused_by_cholesky_only(x, kind="pca", eps=0.0, ddof=0):
    """It accepts what must be refused"""
    centered = x - x.mean(axis=0)
    sigma = centered.T @ centered / (len(x) - ddof) + eps * np.eye(x.shape[1])
    try:
        factor = np.linalg.cholesky(sigma)
    except np.linalg.LinAlgError as error:
        raise ValueError("singular") from error
    if kind == "cholesky":
        return np.linalg.solve(factor, centered.T).T
    values, v = np.linalg.eigh(sigma)
    z = (centered @ v / np.sqrt(np.abs(values)))[:, ::-1]
    return z if kind == "pca" else z @ v[:, ::-1].T


def wrong_whiten__features_that_are_alike_refused(x, kind="pca", eps=0.0, ddof=0):
    """Line 3"""
    if eps == 0 and np.linalg.eigvalsh(np.corrcoef(x.T))[0] < 1e-4:
        raise ValueError("singular")
    return whiten(x, kind, eps, ddof)


def right_whiten__stacked(x, kind="pca", eps=0.0, ddof=0):
    centered = np.where((x == x[0]).all(axis=0), 0.0, x - x.mean(axis=0))
    length = np.sqrt((centered**2).sum(axis=0))
    if eps == 0 and (not length.all() or np.linalg.matrix_rank(centered / length) < len(length)):
        raise ValueError("singular")
    count = len(x) - ddof
    u, _, vt = np.linalg.svd(np.vstack([centered, np.sqrt(count * eps) * np.eye(len(length))]), full_matrices=False)
    z = np.sqrt(count) * u[: len(x)]
    if kind == "cholesky":
        sigma = centered.T @ centered / count + eps * np.eye(len(length))
        return scipy.linalg.solve_triangular(np.linalg.cholesky(sigma), centered.T, lower=True).T
    return z if kind == "pca" else z @ vt


wrong_whiten__small_whatever_the_size = slip(
    right_whiten__added_rows, "1e-10 * s[0]", "1e-10", "It accepts what must be refused"
)


def wrong_standardize__first_like_last(x, eps=0.0, ddof=0):
    """Line 3"""
    if eps == 0 and (x[0] == x[-1]).any():
        raise ValueError("a constant feature")
    return standardize(x, eps, ddof)


def wrong_standardize__small_taken_for_constant(x, eps=0.0, ddof=0):
    """Line 3"""
    if eps == 0 and (x.std(axis=0) < 1e-8).any():
        raise ValueError("a constant feature")
    return standardize(x, eps, ddof)


def wrong_whiten__nearly_dependent_features_refused(x, kind="pca", eps=0.0, ddof=0):
    """Line 5"""
    c = np.where(np.ptp(x, axis=0) == 0, 0, x - x.mean(axis=0))
    lengths = np.linalg.norm(c, axis=0)
    if eps == 0 and np.linalg.matrix_rank(c / np.where(lengths, lengths, 1), rtol=1e-3) < x.shape[1]:
        raise ValueError
    return whiten(x, kind, eps, ddof)


def wrong_zca_of_correlation__rows_of_eigh(rho):
    """turn back"""
    values, vectors = np.linalg.eigh(np.array([[1, rho], [rho, 1.0]]))
    return np.diag(values**-0.5) @ vectors.T


def wrong_zca_of_correlation__of_the_svd(rho):
    """turn back"""
    u, s, _ = np.linalg.svd(np.array([[1, rho], [rho, 1.0]]))
    return u @ np.diag(1 / np.sqrt(s))


def wrong_zca_of_correlation__axes_by_hand(rho):
    """turn back"""
    v = np.array([[1, 1], [1, -1]]) / np.sqrt(2)
    return np.diag([1 / np.sqrt(1 + rho), 1 / np.sqrt(1 - rho)]) @ v.T


def wrong_whiten__nothing_centered(x, kind="pca", eps=0.0, ddof=0):
    """The means count as variance"""
    sigma = x.T @ x / (len(x) - ddof) + eps * np.eye(x.shape[1])
    values, v = np.linalg.eigh(sigma)
    values, v = values[::-1], v[:, ::-1]
    if values[-1] < 1e-13 * values[0]:
        raise ValueError("singular")
    if kind == "cholesky":
        return x @ np.linalg.inv(np.linalg.cholesky(sigma)).T
    z = x @ v / np.sqrt(values)
    return z if kind == "pca" else z @ v.T


def wrong_whiten__centered_for_the_rank_only(x, kind="pca", eps=0.0, ddof=0):
    """The means count as variance"""
    length = np.linalg.norm(x, axis=0)
    if eps == 0 and np.linalg.matrix_rank((x - x.mean(0)) / np.where(length, length, 1)) < x.shape[1]:
        raise ValueError("singular")
    sigma = x.T @ x / (len(x) - ddof) + eps * np.eye(x.shape[1])
    if kind == "cholesky":
        return x @ np.linalg.inv(np.linalg.cholesky(sigma)).T
    values, v = np.linalg.eigh(sigma)
    z = x @ v[:, ::-1] / np.sqrt(values[::-1])
    return z if kind == "pca" else z @ v[:, ::-1].T


def wrong_zca_of_correlation__root_of_the_determinant(rho):
    """It is the inverse of the covariance but for a factor"""
    return np.array([[1, -rho], [-rho, 1]]) / math.sqrt(1 - rho**2)
