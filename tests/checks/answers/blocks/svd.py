"""The singular value decomposition and what is made of it, as readers write them."""

import math

import numpy as np
import scipy.linalg
import torch

from mlnotes.blocks.svd import svd as book_svd

_EPS = np.finfo(float).eps


def _completed(u, s):
    m, k = u.shape
    for j in range(k):
        if s[j] == 0:
            others = np.delete(u, range(j, k), axis=1)
            best = None
            for e in np.eye(m):
                w = e - others @ (others.T @ e)
                w = w - others @ (others.T @ w)
                if best is None or np.linalg.norm(w) > np.linalg.norm(best):
                    best = w
            u[:, j] = best / np.linalg.norm(best)
    return u


def right_svd__rotations(a):
    a = np.array(a, dtype=float)
    if a.shape[0] < a.shape[1]:
        u, s, vt = right_svd__rotations(a.T)
        return vt.T, s, u.T
    m, n = a.shape
    scale = np.abs(a).max(initial=0) or 1.0
    w, v = a / scale, np.eye(n)
    for _ in range(60):
        turned = False
        for i in range(n):
            for j in range(i + 1, n):
                x, y, z = w[:, i] @ w[:, i], w[:, j] @ w[:, j], w[:, i] @ w[:, j]
                if abs(z) <= 1e-15 * math.sqrt(x * y) or z == 0:
                    continue
                turned = True
                zeta = (y - x) / (2 * z)
                t = math.copysign(1, zeta) / (abs(zeta) + math.hypot(1, zeta))
                c = 1 / math.hypot(1, t)
                g = np.array([[c, c * t], [-c * t, c]])
                w[:, [i, j]] = w[:, [i, j]] @ g
                v[:, [i, j]] = v[:, [i, j]] @ g
        if not turned:
            break
    s = np.linalg.norm(w, axis=0)
    order = np.argsort(-s)
    s, w, v = s[order], w[:, order], v[:, order]
    s = np.where(s <= 1e-16 * s[0] * m, 0, s)
    u = np.divide(w, s, out=np.zeros_like(w), where=s > 0)
    return _completed(u, s), s * scale, v.T


def right_svd__after_qr(a):
    a = np.asarray(a, dtype=float)
    m, n = a.shape
    if n > m:
        u, s, vt = right_svd__after_qr(a.T)
        return vt.T, s, u.T
    q, r, perm = scipy.linalg.qr(a, mode="economic", pivoting=True)
    u, s, vt = right_svd__rotations(r.T)
    right = np.zeros((n, n))
    right[perm] = u
    return q @ vt.T, s, right.T


def right_svd__jacobi_of_lapack(a):
    a = np.asarray(a, float)
    if a.shape[0] < a.shape[1]:
        u, s, vt = right_svd__jacobi_of_lapack(a.T)
        return vt.T, s, u.T
    if not a.any():
        return np.eye(*a.shape), np.zeros(a.shape[1]), np.eye(a.shape[1])
    s, u, v, work, *_ = scipy.linalg.lapack.dgejsv(a, joba=0, jobu=0, jobv=0, jobr=0)
    return u, s * work[0] / work[1], v.T


def wrong_svd__two_diagonals(a):
    """small singular values lose digits"""
    return np.linalg.svd(a, full_matrices=False)


def wrong_svd__two_diagonals_of_torch(a):
    """small singular values lose digits"""
    return tuple(it.numpy() for it in torch.linalg.svd(torch.tensor(a, dtype=torch.float64), full_matrices=False))


def wrong_svd__v_with_its_columns(a):
    """Line 5"""
    u, s, vt = right_svd__rotations(a)
    v = vt.T
    return u, s, v


def wrong_svd__values_in_a_matrix(a):
    """The singular values stand on the diagonal of a matrix"""
    u, s, vt = right_svd__rotations(a)
    return u, np.diag(s), vt


def wrong_svd__one_sign_changed(a):
    """has the opposite sign"""
    u, s, vt = right_svd__rotations(a)
    return u, s, -vt


def wrong_svd__eigenvalues(a):
    """Line 5"""
    u, s, vt = right_svd__rotations(a)
    values = np.linalg.svd(a @ a.T)[1][: len(s)]
    return u, values, vt


def wrong_svd__sorted_alone(a):
    """Line 4"""
    u, s, vt = right_svd__rotations(a)
    return u, np.sort(s), vt


def wrong_svd__order_of_results(a):
    """return your parts 1, 3 and 2, in this order."""
    u, s, vt = right_svd__rotations(a)
    return u, vt, s


def wrong_svd__lengths_in_u(a):
    """Line 4"""
    u, s, vt = right_svd__rotations(a)
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
    """take the first k rows of vt"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    return u[:, :k] * s[:k] @ vt[:, :k].T


def wrong_low_rank__rows_of_u(a, k):
    """Line 4"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    return u[:k].T * s[:k] @ vt[:k]


def wrong_low_rank__term_k(a, k):
    """It is the last term that should be kept, without those before it"""
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
    """let the default grow with the longer side"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    tolerance = 1e-15 if tolerance is None else tolerance
    kept = s > tolerance * s[0]
    return (vt[kept].T / s[kept]) @ u[:, kept].T


def wrong_pinv__coarse_default(a, tolerance=None):
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    kept = s > (1e-10 if tolerance is None else tolerance) * s[0]
    return (vt[kept].T / s[kept]) @ u[:, kept].T


def _up_to(a, tolerance):
    return max(np.shape(a)) * np.finfo(float).eps if tolerance is None else tolerance


def wrong_svd__zero_columns(a):
    """Line 4"""
    u, s, vt = right_svd__rotations(a)
    keep = s > 1e-12 * s[0]
    return u * keep, s * keep, vt


def wrong_svd__two_eigh(a):
    """`u.T @ u` and `vt @ vt.T` are right in every call"""
    m, n = a.shape
    k = min(m, n)
    w, u = np.linalg.eigh(a @ a.T)
    _, v = np.linalg.eigh(a.T @ a)
    return u[:, ::-1][:, :k], np.sqrt(np.maximum(w[::-1][:k], 0)), v[:, ::-1][:, :k].T


def wrong_svd__tall_only(a):
    """The calls that fail come out right with no more columns of `a` than rows"""
    size = np.abs(a).max() or 1.0
    b, v = a.T / size, np.eye(len(a.T))
    for p, q in 15 * [(i, j) for j in range(len(b)) for i in range(j)]:
        x, y, z = b[p] @ b[p], b[q] @ b[q], b[p] @ b[q]
        angle = math.atan2(2 * z, x - y) / 2 if z * z > 1e-32 * x * y else 0.0
        c, t = math.cos(angle), math.sin(angle)
        for rows in (b, v):
            rows[[p, q]] = np.array([[c, t], [-t, c]]) @ rows[[p, q]]
    return _sorted_svd(b, v, size)


def _sorted_svd(b, v, size):
    s = np.linalg.norm(b, axis=1)
    order = np.argsort(-s)
    b, s, v = b[order], s[order], v[order]
    s[s < 1e-14 * s[0]] = 0
    r = np.count_nonzero(s)
    u = (b[:r] / s[:r, None]).T
    filled = np.linalg.qr(np.column_stack([u, np.eye(len(u))]))[0]
    return np.column_stack([u, filled[:, r : len(s)]]), s * size, v


def wrong_svd__naive_zero_division(a):
    """Line 14"""
    b, v = a.T.astype(float).copy(), np.eye(a.shape[1])
    for p, q in 12 * [(i, j) for j in range(len(b)) for i in range(j)]:
        overlap = b[p] @ b[q]
        if overlap != 0:
            zeta = (b[q] @ b[q] - b[p] @ b[p]) / (2 * overlap)
            t = math.copysign(1, zeta) / (abs(zeta) + math.hypot(1, zeta))
            c = 1 / math.hypot(1, t)
            for rows in (b, v):
                rows[p], rows[q] = c * (rows[p] - t * rows[q]), c * (rows[q] + t * rows[p])
    s = np.array([math.sqrt(x @ x) for x in b])
    order = np.argsort(-s)
    return (b[order] / s[order, None]).T, s[order], v[order]


def wrong_pinv__tolerance_or(a, tolerance=None):
    """With a tolerance of 0, small singular values are left out"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    tolerance = tolerance or max(a.shape) * np.finfo(float).eps
    kept = s > tolerance * s[0]
    return (vt[kept].T / s[kept]) @ u[:, kept].T


def wrong_pinv__relative_to_sum(a, tolerance=None):
    """not with the norm of all"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    tolerance = max(a.shape) * np.finfo(float).eps if tolerance is None else tolerance
    kept = s > tolerance * np.linalg.norm(a)
    return (vt[kept].T / s[kept]) @ u[:, kept].T


def wrong_pinv__at_least(a, tolerance=None):
    """Line 5"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    tolerance = max(a.shape) * np.finfo(float).eps if tolerance is None else tolerance
    kept = s >= tolerance * s[0]
    return (vt[kept].T / s[kept]) @ u[:, kept].T


def wrong_low_rank__last_terms(a, k):
    """keep the largest singular values"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    return u[:, -k:] * s[-k:] @ vt[-k:]


def wrong_low_rank__zero_is_all(a, k):
    """s[-0:] is all of s"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    s[-(len(s) - k) :] = 0
    return u * s @ vt


def right_rank__numpy(a, tolerance=None):
    return np.linalg.matrix_rank(a) if tolerance is None else np.linalg.matrix_rank(a, rtol=tolerance)


def right_rank__loop(a, tolerance=None):
    s = np.linalg.svd(a, compute_uv=False)
    count = 0
    for x in s:
        if x > _up_to(a, tolerance) * s[0]:
            count += 1
    return count


def right_rank__torch(a, tolerance=None):
    return int(torch.linalg.matrix_rank(torch.tensor(np.array(a, float)), atol=0.0, rtol=_up_to(a, tolerance)))


def wrong_rank__at_least(a, tolerance=None):
    """Line 5"""
    s = np.linalg.svd(a)[1]
    tolerance = max(a.shape) * np.finfo(float).eps if tolerance is None else tolerance
    return int((s >= tolerance * s[0]).sum())


def wrong_rank__counts_zeros(a, tolerance=None):
    """Line 5"""
    s = np.linalg.svd(a)[1]
    tolerance = max(a.shape) * np.finfo(float).eps if tolerance is None else tolerance
    return int((s <= tolerance * s[0]).sum())


def wrong_rank__qr_diagonal(a, tolerance=None):
    d = np.abs(np.diag(np.linalg.qr(a)[1]))
    tolerance = max(a.shape) * np.finfo(float).eps if tolerance is None else tolerance
    return int((d > tolerance * d.max()).sum())


def wrong_rank__rows(a, tolerance=None):
    """Rows that depend on others count as well"""
    return int((np.abs(a).max(axis=1) > 0).sum())


def wrong_rank__gram(a, tolerance=None):
    s = np.sqrt(np.abs(np.linalg.eigvalsh(a.T @ a)))[::-1]
    tolerance = max(a.shape) * np.finfo(float).eps if tolerance is None else tolerance
    return int((s > tolerance * s[0]).sum())


def wrong_rank__coarse(a, tolerance=None):
    s = np.linalg.svd(a)[1]
    return int((s > (1e-10 if tolerance is None else tolerance) * s[0]).sum())


def wrong_rank__or_default(a, tolerance=None):
    s = np.linalg.svd(a)[1]
    return int((s > (tolerance or max(a.shape) * np.finfo(float).eps) * s[0]).sum())


def wrong_rank__not_zero(a, tolerance=None):
    """count singular values above a tolerance"""
    return np.count_nonzero(np.linalg.svd(a)[1])


def wrong_rank__absolute(a, tolerance=None):
    """compare singular values with the largest one"""
    tolerance = max(a.shape) * np.finfo(float).eps if tolerance is None else tolerance
    return int((np.linalg.svd(a)[1] > tolerance).sum())


def right_fundamental_subspaces__full_svd(a, tolerance=None):
    u, s, vt = np.linalg.svd(a)
    r = int((s > _up_to(a, tolerance) * s[0]).sum())
    return u[:, :r], u[:, r:], vt[:r].T, vt[r:].T


def right_fundamental_subspaces__projections(a, tolerance=None):
    m, n = np.shape(a)
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    r = int((s > _up_to(a, tolerance) * s[0]).sum())

    def complement(q, size):
        w, v = np.linalg.eigh(np.eye(size) - q @ q.T)
        return v[:, w > 0.5]

    return u[:, :r], complement(u[:, :r], m), vt[:r].T, complement(vt[:r].T, n)


def right_fundamental_subspaces__scipy_torch(a, tolerance=None):
    t = _up_to(a, tolerance)
    u, s, vt = torch.linalg.svd(torch.tensor(np.array(a, float)))
    r = int((s > t * s[0]).sum())
    q = np.linalg.qr(u[:, :r].numpy())[0]
    return [q, u[:, r:].numpy(), -vt[:r].numpy().T, vt[r:].numpy().T]


def wrong_fundamental_subspaces__thin(a, tolerance=None):
    """Line 3"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    r = int((s > _up_to(a, tolerance) * s[0]).sum())
    return u[:, :r], u[:, r:], vt[:r].T, vt[r:].T


def wrong_fundamental_subspaces__scaled(a, tolerance=None):
    """Line 5"""
    u, s, vt = np.linalg.svd(a)
    r = int((s > _up_to(a, tolerance) * s[0]).sum())
    return u[:, :r] * s[:r], u[:, r:], vt[:r].T, vt[r:].T


def wrong_fundamental_subspaces__off_by_one(a, tolerance=None):
    """Line 5"""
    u, s, vt = np.linalg.svd(a)
    r = int((s > _up_to(a, tolerance) * s[0]).sum())
    return u[:, :r], u[:, r:], vt[:r].T, vt[r + 1 :].T


def wrong_fundamental_subspaces__rows(a, tolerance=None):
    """Vectors of the row space and the null space stand in rows"""
    u, s, vt = np.linalg.svd(a)
    r = int((s > _up_to(a, tolerance) * s[0]).sum())
    return u[:, :r], u[:, r:], vt[:r], vt[r:]


def wrong_fundamental_subspaces__row_column_swapped(a, tolerance=None):
    """columns of u span the column space"""
    u, s, vt = np.linalg.svd(a)
    r = int((s > _up_to(a, tolerance) * s[0]).sum())
    return vt[:r].T, vt[r:].T, u[:, :r], u[:, r:]


def wrong_fundamental_subspaces__nulls_swapped(a, tolerance=None):
    """The left null space has vectors with as many entries as a row"""
    u, s, vt = np.linalg.svd(a)
    r = int((s > _up_to(a, tolerance) * s[0]).sum())
    return u[:, :r], vt[r:].T, vt[:r].T, u[:, r:]


def wrong_fundamental_subspaces__exact_zero(a, tolerance=None):
    u, s, vt = np.linalg.svd(a)
    r = int((s > (0 if tolerance is None else tolerance * s[0])).sum())
    return u[:, :r], u[:, r:], vt[:r].T, vt[r:].T


def right_nearest_orthogonal__newton(a):
    q, r = np.linalg.qr(np.array(a, float))
    r = r / np.linalg.norm(r)
    for _ in range(100):
        inverse = np.linalg.inv(r)
        g = math.sqrt(np.linalg.norm(inverse) / np.linalg.norm(r))
        r = (g * r + inverse.T / g) / 2
    return q @ r


def wrong_nearest_orthogonal__rotation_only(a):
    """Line 5"""
    u, _, vt = np.linalg.svd(a, full_matrices=False)
    if a.shape[0] == a.shape[1] and np.linalg.det(u @ vt) < 0:
        u[:, -1] = -u[:, -1]
    return u @ vt


def wrong_nearest_orthogonal__qr_signs(a):
    """only the others are turned"""
    q, r = np.linalg.qr(a)
    return q * np.sign(np.diag(r))


def wrong_nearest_orthogonal__unit_columns(a):
    """set all singular values to 1"""
    return a / np.linalg.norm(a, axis=0)


def wrong_nearest_orthogonal__newton_few(a):
    q, r = np.linalg.qr(a)
    for _ in range(8):
        r = (r + np.linalg.inv(r).T) / 2
    return q @ r


def wrong_pinv__default_of_the_rows(a, tolerance=None):
    """let the default grow with the longer side"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    tolerance = len(a) * np.finfo(float).eps if tolerance is None else tolerance
    kept = s > tolerance * s[0]
    return (vt[kept].T / s[kept]) @ u[:, kept].T


def wrong_svd__integers_in_place(a):
    b = a.copy()
    if b.shape[0] < b.shape[1]:
        u, s, vt = wrong_svd__integers_in_place(b.T)
        return vt.T, s, u.T
    n = b.shape[1]
    v = np.eye(n)
    for _ in range(30):
        for p in range(n):
            for q in range(p + 1, n):
                g = b[:, p] @ b[:, q]
                if abs(g) < 1e-15:
                    continue
                z = (b[:, q] @ b[:, q] - b[:, p] @ b[:, p]) / (2 * g)
                t = math.copysign(1, z) / (abs(z) + math.hypot(1, z))
                c = 1 / math.hypot(1, t)
                for w in (b, v):
                    w[:, p], w[:, q] = c * w[:, p] - c * t * w[:, q], c * t * w[:, p] + c * w[:, q]
    s = np.linalg.norm(b, axis=0)
    order = np.argsort(-s)
    b, v, s = b[:, order], v[:, order], s[order]
    u = b / np.where(s > 0, s, 1)
    if (s <= 1e-14 * s[0]).any():
        r = int((s > 1e-14 * s[0]).sum())
        full = np.linalg.qr(np.column_stack([u[:, :r], np.eye(len(u))]))[0]
        u = np.column_stack([u[:, :r], full[:, r:n]])
    return u, s, v.T


def wrong_svd__small_values_dropped(a):
    """Small singular values are gone"""
    u, s, vt = right_svd__rotations(a)
    return u, np.where(s < 1e-12, 0, s), vt


def wrong_svd__zeros_in_u(a):
    """u has columns of zeros where the singular value is 0"""
    a = np.array(a, dtype=float)
    if a.shape[0] < a.shape[1]:
        u, s, vt = wrong_svd__zeros_in_u(a.T)
        return vt.T, s, u.T
    b, v = a.copy(), np.eye(a.shape[1])
    n = b.shape[1]
    for _ in range(30):
        for p in range(n):
            for q in range(p + 1, n):
                g = b[:, p] @ b[:, q]
                if g == 0:
                    continue
                z = (b[:, q] @ b[:, q] - b[:, p] @ b[:, p]) / (2 * g)
                t = math.copysign(1, z) / (abs(z) + math.hypot(1, z))
                c = 1 / math.hypot(1, t)
                for w in (b, v):
                    w[:, p], w[:, q] = c * w[:, p] - c * t * w[:, q], c * t * w[:, p] + c * w[:, q]
    s = np.linalg.norm(b, axis=0)
    order = np.argsort(-s)
    b, v, s = b[:, order], v[:, order], s[order]
    u = np.divide(b, s, out=np.zeros_like(b), where=s > 0)
    return u, s, v.T


def wrong_low_rank__ties(a, k):
    """keep the first k terms"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    return (u * np.where(s > s[k], s, 0)) @ vt if k < len(s) else a


def wrong_low_rank__last_k_terms(a, k):
    """keep the largest singular values"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    j = len(s) - k
    return (u[:, j:] * s[j:]) @ vt[j:]


def right_low_rank__another_of_equal_ones(a, k):
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    kept = np.lexsort((-np.arange(len(s)), -s))[:k]
    return (u[:, kept] * s[kept]) @ vt[kept]


def wrong_pinv__relative_to_the_largest_entry(a, tolerance=None):
    """Line 4"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    kept = s > _up_to(a, tolerance) * np.abs(a).max()
    return (vt[kept].T / s[kept]) @ u[:, kept].T


def wrong_pinv__relative_to_the_largest_column(a, tolerance=None):
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    kept = s > _up_to(a, tolerance) * np.abs(a).sum(axis=0).max()
    return (vt[kept].T / s[kept]) @ u[:, kept].T


def wrong_pinv__relative_to_the_largest_row(a, tolerance=None):
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    kept = s > _up_to(a, tolerance) * np.abs(a).sum(axis=1).max()
    return (vt[kept].T / s[kept]) @ u[:, kept].T


def wrong_pinv__numpys_threshold(a, tolerance=None):
    """`tolerance` is never used"""
    return np.linalg.pinv(a)


def wrong_pinv__rows_and_columns_added(a, tolerance=None):
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    kept = s > (sum(a.shape) * np.finfo(float).eps if tolerance is None else tolerance) * s[0]
    return (vt[kept].T / s[kept]) @ u[:, kept].T


def wrong_pinv__half_an_eps(a, tolerance=None):
    """look at the numbers that stand there"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    kept = s > (max(a.shape) * 2.0**-53 if tolerance is None else tolerance) * s[0]
    return (vt[kept].T / s[kept]) @ u[:, kept].T


def wrong_pinv__nothing_below_a_floor(a, tolerance=None):
    """something stands there that is too much"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    kept = s > max((max(a.shape) * np.finfo(float).eps if tolerance is None else tolerance) * s[0], 5e-21)
    return (vt[kept].T / s[kept]) @ u[:, kept].T


def wrong_pinv__one_rounding_error(a, tolerance=None):
    """let the default grow with the longer side"""
    if tolerance is None:
        tolerance = np.finfo(float).eps
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    inverse = np.array([1 / t if t > tolerance * s[0] else 0.0 for t in s])
    return vt.T @ np.diag(inverse) @ u.T


def wrong_pinv__times_the_sum(a, tolerance=None):
    """compare singular values with the largest one, not with their sum"""
    t = max(a.shape) * np.finfo(float).eps if tolerance is None else tolerance
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    inverse = np.array([1 / x if x > t * s.sum() else 0.0 for x in s])
    return (vt.T * inverse) @ u.T


def wrong_pinv__tolerance_as_it_is(a, tolerance=None):
    """compare singular values with the largest one"""
    if tolerance is None:
        tolerance = max(a.shape) * np.finfo(float).eps
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    keep = s > tolerance
    return (vt[keep].T / s[keep]) @ u[:, keep].T


def wrong_pinv__default_that_knows_no_size(a, tolerance=None):
    """A matrix of small numbers has the pseudoinverse zero"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    keep = s > (1e-15 if tolerance is None else tolerance * s[0])
    return vt[keep].T @ (u[:, keep] / s[keep]).T


def wrong_pinv__tolerance_that_knows_no_size(a, tolerance=1e-12):
    """A matrix of small numbers has the pseudoinverse zero"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    inverse = np.array([1 / it if it > (tolerance or 1e-12) else 0 for it in s])
    return vt.T @ np.diag(inverse) @ u.T


def wrong_low_rank__as_large_as_the_last(a, k):
    """keep the first k of them"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    keep = s >= s[k - 1]  # which is the smallest one for k = 0
    return (u[:, keep] * s[keep]) @ vt[keep]


def wrong_low_rank__by_qr(a, k):
    """It keeps what the first columns span"""
    q, r = np.linalg.qr(a)
    return q[:, :k] @ r[:k]


def wrong_nearest_orthogonal__triangular(a):
    """only the others are turned"""
    q, r = np.linalg.qr(a)
    for j in range(len(r)):
        if r[j, j] < 0:
            q[:, j] = -q[:, j]
    return q


def wrong_nearest_orthogonal__left_side_of_numpy(a):
    """along the axes of the ellipse"""
    return np.linalg.svd(a, full_matrices=False)[0]


def wrong_low_rank__longest_columns(a, k):
    """the best directions are no columns"""
    result = np.zeros(a.shape)
    longest = np.argsort(-np.linalg.norm(a, axis=0))[:k]
    result[:, longest] = a[:, longest]
    return result


def wrong_pinv__damped(a, tolerance=None):
    """and none is left out"""
    if tolerance is None:
        tolerance = max(a.shape) * np.finfo(float).eps
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    cut = tolerance * s[0]
    damped = s / (s ** 2 + cut ** 2)
    return (vt.T * damped) @ u.T


def wrong_svd__factors_of_the_transpose(a):
    """Where there are more columns than rows, the factors are those of the transpose"""
    a = np.array(a, float)
    if a.shape[0] < a.shape[1]:
        u, s, vt = scipy.linalg.svd(a.T, full_matrices=False, lapack_driver="gesvd")
        return vt, s, u
    return book_svd(a)


def wrong_low_rank__three_factors(a, k):
    """It gives 3 parts where one array is right"""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    return u[:, :k], s[:k], vt[:k]


def wrong_low_rank__principal_components(a, k):
    """The mean of the columns is taken out first"""
    mean = a.mean(axis=0)
    u, s, vt = np.linalg.svd(a - mean, full_matrices=False)
    return u[:, :k] * s[:k] @ vt[:k] + mean
