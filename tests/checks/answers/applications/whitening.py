"""Standardizing and whitening, as readers write them."""

import numpy as np
import scipy.linalg


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


def wrong_standardize__precedence(x, eps=0.0, ddof=0):
    """Line 3"""
    return x - x.mean(axis=0) / np.sqrt(x.var(axis=0, ddof=ddof) + eps)


def wrong_standardize__range(x, eps=0.0, ddof=0):
    """The variance is not 1"""
    return (x - x.mean(axis=0)) / (x.max(axis=0) - x.min(axis=0) + eps)


def wrong_standardize__median(x, eps=0.0, ddof=0):
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


def right_whiten__eigh(x, kind="pca", eps=0.0, ddof=0):
    centered = x - x.mean(axis=0)
    sigma = centered.T @ centered / (len(x) - ddof)
    values, v = np.linalg.eigh(sigma)
    values, v = values[::-1] + eps, v[:, ::-1]
    if values.min() < 1e-12 * values.max():
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
    if eps == 0 and variances[-1] <= 1e-13 * variances[0]:
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
    if np.linalg.cond(sigma) > 1e13:
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


def _parts(x, eps, ddof):
    centered = x - x.mean(axis=0)
    sigma = centered.T @ centered / (len(x) - ddof)
    values, v = np.linalg.eigh(sigma)
    if eps == 0 and values[0] < 1e-12 * values[-1]:
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
    """Each axis is divided by another's deviation"""
    centered = x - x.mean(axis=0)
    sigma = centered.T @ centered / (len(x) - ddof)
    values, v = np.linalg.eigh(sigma)
    if eps == 0 and values[0] < 1e-12 * values[-1]:
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
    if eps == 0 and values[0] < 1e-12 * values[-1]:
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
    centered, _, values, v = _parts(x, eps, ddof)
    z = centered @ v / np.sqrt(values)
    return z if kind == "pca" else z @ v.T


def right_zca_of_correlation__eigenvectors(rho):
    values, v = np.linalg.eigh(np.array([[1.0, rho], [rho, 1.0]]))
    return v @ np.diag(values**-0.5) @ v.T


def right_zca_of_correlation__root(rho):
    return np.linalg.inv(scipy.linalg.sqrtm(np.array([[1.0, rho], [rho, 1.0]])))


def right_zca_of_correlation__closed(rho):
    a, b = 1 / np.sqrt(1 + rho), 1 / np.sqrt(1 - rho)
    return a / 2 * np.ones((2, 2)) + b / 2 * np.array([[1, -1], [-1, 1]])


def wrong_zca_of_correlation__cholesky(rho):
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
    """It makes the features more alike"""
    return scipy.linalg.sqrtm(np.array([[1.0, rho], [rho, 1.0]]))


def wrong_zca_of_correlation__pca(rho):
    """It is PCA's matrix"""
    return np.array([[1, 1], [1, -1]]) / np.sqrt(2) / np.sqrt([1 + rho, 1 - rho])
