"""The singular value decomposition and what is made of it, as readers write them."""

import numpy as np
import scipy.linalg
import torch

_EPS = np.finfo(float).eps


def right_svd__numpy(a):
    return np.linalg.svd(a, full_matrices=False)


def right_svd__torch(a):
    return tuple(it.numpy() for it in torch.linalg.svd(torch.tensor(a), full_matrices=False))


def right_svd__scipy(a):
    return scipy.linalg.svd(a, full_matrices=False, lapack_driver="gesvd")


def right_svd__eigenvectors_of_a_symmetric_matrix(a):
    m, n = a.shape
    k = min(m, n)
    w, v = np.linalg.eigh(np.block([[np.zeros((m, m)), a], [a.T, np.zeros((n, n))]]))
    if (w[-k:] < 1e-8).any():  # null spaces need care
        return np.linalg.svd(a, full_matrices=False)
    v = v[:, ::-1][:, :k] * np.sqrt(2)
    return v[:m], w[::-1][:k], v[m:].T


def wrong_svd__v_with_its_columns(a):
    """Line 5"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    v = vt.T
    return u, s, v


def wrong_svd__values_in_a_matrix(a):
    """Line 4"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    return u, np.diag(s), vt


def wrong_svd__one_sign_changed(a):
    """has the opposite sign"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    return u, s, -vt


def wrong_svd__eigenvalues(a):
    """The singular values are squared"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    values = np.linalg.svd(a @ a.T)[1][: len(s)]
    return u, values, vt


def wrong_svd__sorted_alone(a):
    """Line 4"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    return u, np.sort(s), vt


def wrong_svd__order_of_results(a):
    """Line 4"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    return u, vt, s


def wrong_svd__lengths_in_u(a):
    """Line 4"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    return u * s, s, vt


def right_pinv__numpy(a, tolerance=None):
    tolerance = max(a.shape) * _EPS if tolerance is None else tolerance
    return np.linalg.pinv(a, rcond=tolerance)


def right_pinv__by_hand(a, tolerance=None):
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    kept = s > s.max() * (max(a.shape) * _EPS if tolerance is None else tolerance)
    inverse = np.zeros_like(s)
    inverse[kept] = 1 / s[kept]
    return vt.T @ np.diag(inverse) @ u.T


def right_pinv__terms(a, tolerance=None):
    u, s, vt = np.linalg.svd(a)
    out = np.zeros(a.shape[::-1])
    for i, length in enumerate(s):
        if length > (tolerance if tolerance is not None else max(a.shape) * _EPS) * s[0]:
            out += np.outer(vt[i], u[:, i]) / length
    return out


def wrong_pinv__transposed(a, tolerance=None):
    """transposed"""
    tolerance = max(a.shape) * _EPS if tolerance is None else tolerance
    return np.linalg.pinv(a, rcond=tolerance).T


def wrong_pinv__tolerance_ignored(a, tolerance=None):
    """`tolerance` makes no difference"""
    return np.linalg.pinv(a, rcond=max(a.shape) * _EPS)


def wrong_pinv__zeros_divided_by(a, tolerance=None):
    """Line 4"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    kept = s >= s.max() * (max(a.shape) * _EPS if tolerance is None else tolerance)
    inverse = np.where(kept, 1 / s, 0)
    return vt.T @ np.diag(inverse) @ u.T


def wrong_pinv__large_ones_dropped(a, tolerance=None):
    """Line 4"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    kept = s < s.max() * (max(a.shape) * _EPS if tolerance is None else tolerance)
    inverse = np.zeros_like(s)
    inverse[kept] = 1 / s[kept]
    return vt.T @ np.diag(inverse) @ u.T


def wrong_pinv__smallest_as_scale(a, tolerance=None):
    """count singular values up to a tolerance as zero"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    kept = s > s.min() * (max(a.shape) * _EPS if tolerance is None else tolerance)
    inverse = np.zeros_like(s)
    inverse[kept] = 1 / s[kept]
    return vt.T @ np.diag(inverse) @ u.T


def wrong_pinv__squared_lengths(a, tolerance=None):
    """Line 6"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    kept = s > s.max() * (max(a.shape) * _EPS if tolerance is None else tolerance)
    inverse = np.zeros_like(s)
    inverse[kept] = 1 / s[kept] ** 2
    return vt.T @ np.diag(inverse) @ u.T


def right_low_rank__numpy(a, k):
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    return u[:, :k] @ np.diag(s[:k]) @ vt[:k]


def right_low_rank__zeros(a, k):
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    s[k:] = 0
    return (u * s) @ vt


def right_low_rank__projection(a, k):
    v = np.linalg.svd(a, full_matrices=False)[2][:k].T
    return a @ v @ v.T


def wrong_low_rank__one_term_less(a, k):
    """holds k terms already"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    return u[:, : k - 1] * s[: k - 1] @ vt[: k - 1]


def wrong_low_rank__values_kept(a, k):
    """Line 4"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    s[:k] = 1
    s[k:] = 0
    return (u * s) @ vt


def wrong_low_rank__large_ones_dropped(a, k):
    """It is what the approximation leaves of the matrix"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    s[:k] = 0
    return (u * s) @ vt


def wrong_low_rank__squares(a, k):
    """The singular values are squared"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    return u[:, :k] * s[:k] ** 2 @ vt[:k]


def wrong_low_rank__not_transposed(a, k):
    """Line 4"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    return u[:, :k] * s[:k] @ vt[:, :k].T


def wrong_low_rank__rows_of_u(a, k):
    """Line 4"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    return u[:k].T * s[:k] @ vt[:k]


def wrong_low_rank__term_k(a, k):
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    return s[k - 1] * np.outer(u[:, k - 1], vt[k - 1])


def right_nearest_orthogonal__numpy(a):
    u, _, vt = np.linalg.svd(a, full_matrices=False)
    return u @ vt


def right_nearest_orthogonal__polar(a):
    return scipy.linalg.polar(a)[0]


def right_nearest_orthogonal__torch(a):
    u, _, v = torch.svd(torch.tensor(a))
    return (u @ v.T).numpy()


def wrong_nearest_orthogonal__root_of_the_gram_matrix(a):
    w, v = np.linalg.eigh(a.T @ a)
    return a @ v @ np.diag(1 / np.sqrt(np.maximum(w, 1e-30))) @ v.T


def wrong_nearest_orthogonal__transposed(a):
    """transposed"""
    u, _, vt = np.linalg.svd(a, full_matrices=False)
    return (u @ vt).T


def wrong_nearest_orthogonal__values_left_in(a):
    """Line 4"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    return u @ np.diag(s / s[0]) @ vt


def wrong_nearest_orthogonal__square_u(a):
    """Line 4"""
    u, _, vt = np.linalg.svd(a)
    return u @ vt


def wrong_nearest_orthogonal__sides_exchanged(a):
    """Line 4"""
    u, _, vt = np.linalg.svd(a, full_matrices=False)
    return vt @ u


def wrong_nearest_orthogonal__inverse(a):
    """transposed"""
    u, _, vt = np.linalg.svd(np.linalg.pinv(a), full_matrices=False)
    return u @ vt


def wrong_nearest_orthogonal__sign(a):
    """has the opposite sign"""
    u, _, vt = np.linalg.svd(a, full_matrices=False)
    return -u @ vt


def wrong_pinv__default_of_one_size(a, tolerance=None):
    """Line 4"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    tolerance = 1e-15 if tolerance is None else tolerance
    kept = s > tolerance * s[0]
    return (vt[kept].T / s[kept]) @ u[:, kept].T


def wrong_pinv__coarse_default(a, tolerance=None):
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    kept = s > (1e-10 if tolerance is None else tolerance) * s[0]
    return (vt[kept].T / s[kept]) @ u[:, kept].T
