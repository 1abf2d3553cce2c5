"""QR decomposition, as readers write it."""

import math

import numpy as np
import scipy.linalg
from slips import slip


def _scaled(a):
    a = np.asarray(a, float)
    sizes = np.abs(a).max(axis=0)
    sizes[sizes == 0] = 1
    return a / sizes, sizes


def right_gram_schmidt__loops(a):
    a, sizes = _scaled(a)
    m, n = a.shape
    k = min(m, n)
    q, r = np.zeros((m, k)), np.zeros((k, n))
    for j in range(n):
        rest = a[:, j].copy()
        for i in range(min(j, k)):
            r[i, j] = sum(q[s, i] * a[s, j] for s in range(m))
            rest = rest - r[i, j] * q[:, i]
        if j < k:
            r[j, j] = math.hypot(*rest)
            if r[j, j] > 0:
                q[:, j] = rest / r[j, j]
    return q, r * sizes


def right_gram_schmidt__numpy_with_positive_diagonal(a):
    a, sizes = _scaled(a)
    empty = ~a.any(axis=0)
    q, r = np.linalg.qr(a[:, ~empty])
    signs = np.where(np.diag(r) < 0, -1, 1)
    q[:, np.abs(np.diag(r)) < 1e-14] = 0
    k = min(a.shape)
    full_q, full_r = np.zeros((len(a), k)), np.zeros((k, a.shape[1]))
    kept = np.flatnonzero(~empty)[:k]
    full_q[:, kept] = q * signs
    full_r[np.ix_(kept, ~empty)] = r * signs[:, None]
    return full_q, full_r * sizes


def right_gram_schmidt__lists(a):
    a, sizes = _scaled(a)
    basis, rows = [], []
    for column in a.T:
        if len(basis) == len(a):
            break
        v = column - sum((column @ e * e for e in basis), np.zeros(len(a)))
        length = np.linalg.norm(v)
        basis.append(v / length if length else v)
    rows = [[e @ column if i <= j else 0.0 for j, column in enumerate(a.T)] for i, e in enumerate(basis)]
    return np.stack(basis, 1), np.array(rows) * sizes


def _orthogonalized(a, project, divide=True):
    a, sizes = _scaled(a)
    k = min(a.shape)
    q, r = np.zeros((len(a), k)), np.zeros((k, a.shape[1]))
    for j in range(a.shape[1]):
        rest = a[:, j].copy()
        for i in range(min(j, k)):
            r[i, j] = project(q[:, i], a[:, j], rest)
            rest -= r[i, j] * q[:, i]
        if j < k:
            r[j, j] = np.linalg.norm(rest)
            q[:, j] = rest / (r[j, j] or 1) if divide else rest
    return q, r * sizes


def wrong_gram_schmidt__never_divided(a):
    """The columns of Q do not have length one"""
    return _orthogonalized(a, lambda q, column, rest: q @ column, divide=False)


def wrong_gram_schmidt__lower_triangle(a):
    """R is lower triangular"""
    q, r = right_gram_schmidt__loops(a)
    return q, r[:, : len(r)].T


def wrong_gram_schmidt__length_of_zero(a):
    """A column of zeros gives nan"""
    a, sizes = _scaled(a)
    k = min(a.shape)
    q, r = np.zeros((len(a), k)), np.zeros((k, a.shape[1]))
    for j in range(k):
        r[:j, j] = q[:, :j].T @ a[:, j]
        v = a[:, j] - q[:, :j] @ r[:j, j]
        r[j, j] = np.linalg.norm(v)
        q[:, j] = v / r[j, j]
    r[:, k:] = q.T @ a[:, k:]
    return q, r * sizes


def wrong_gram_schmidt__projection_halved(a):
    """Line 3"""
    return _orthogonalized(a, lambda q, column, rest: q @ column / 2)


def wrong_gram_schmidt__added(a):
    """Line 8"""
    a, sizes = _scaled(a)
    k = min(a.shape)
    q, r = np.zeros((len(a), k)), np.zeros((k, a.shape[1]))
    for j in range(k):
        r[:j, j] = q[:, :j].T @ a[:, j]
        v = a[:, j] + q[:, :j] @ r[:j, j]
        r[j, j] = np.linalg.norm(v)
        q[:, j] = v / (r[j, j] or 1)
    r[:, k:] = q.T @ a[:, k:]
    return q, r * sizes


def wrong_gram_schmidt__largest_entry_for_length(a):
    """Line 9"""
    a, sizes = _scaled(a)
    k = min(a.shape)
    q, r = np.zeros((len(a), k)), np.zeros((k, a.shape[1]))
    for j in range(k):
        r[:j, j] = q[:, :j].T @ a[:, j]
        v = a[:, j] - q[:, :j] @ r[:j, j]
        r[j, j] = np.linalg.norm(v, np.inf)
        q[:, j] = v / (r[j, j] or 1)
    r[:, k:] = q.T @ a[:, k:]
    return q, r * sizes


def wrong_gram_schmidt__rows(a):
    """Line 7"""
    a, sizes = _scaled(a)
    k = min(a.shape)
    q, r = np.zeros((len(a), k)), np.zeros((k, a.shape[1]))
    for j in range(k):
        r[:j, j] = q[:, :j].T @ a[j]
        v = a[:, j] - q[:, :j] @ r[:j, j]
        r[j, j] = np.linalg.norm(v)
        q[:, j] = v / (r[j, j] or 1)
    r[:, k:] = q.T @ a[:, k:]
    return q, r * sizes


def right_householder_qr__numpy(a):
    return np.linalg.qr(a)


def right_householder_qr__mirrors_as_matrices(a):
    r, sizes = _scaled(a)
    m, k = len(r), min(r.shape)
    q = np.eye(m)
    for j in range(k):
        v = r[j:, j].copy()
        v[0] += math.copysign(math.hypot(*v), v[0])
        mirror = np.eye(m)
        if v.any():
            mirror[j:, j:] -= 2 * np.outer(v, v) / (v @ v)
        q, r = q @ mirror, mirror @ r
    return q[:, :k], np.triu(r[:k] * sizes)


def right_householder_qr__scipy(a):
    a, sizes = _scaled(a)
    q, r = scipy.linalg.qr(a, mode="economic")
    return -q, -r * sizes


def wrong_householder_qr__full(a):
    """A tall matrix has a square Q"""
    q, r = scipy.linalg.qr(a, mode="full")
    return q, r


def wrong_householder_qr__q_transposed(a):
    """Line 4"""
    q, r = np.linalg.qr(a)
    return q.T, r


def wrong_householder_qr__outer_product_not_halved(a):
    """Vectors end on the mirror"""
    r, sizes = _scaled(a)
    m, k = len(r), min(r.shape)
    q = np.eye(m)
    for j in range(k):
        v = r[j:, j].copy()
        v[0] += math.copysign(math.hypot(*v), v[0])
        mirror = np.eye(m)
        mirror[j:, j:] -= np.outer(v, v) / (v @ v or 1)
        q, r = q @ mirror, mirror @ r
    return q[:, :k], np.triu(r[:k] * sizes)


def wrong_householder_qr__sign_function(a):
    """With a leading zero a column turns round"""
    r, sizes = _scaled(a)
    m, k = len(r), min(r.shape)
    q = np.eye(m)
    for j in range(k):
        v = r[j:, j].copy()
        v[0] += np.sign(v[0]) * math.hypot(*v)
        mirror = np.eye(m)
        mirror[j:, j:] -= 2 * np.outer(v, v) / (v @ v or 1)
        q, r = q @ mirror, mirror @ r
    return q[:, :k], r[:k] * sizes


def wrong_householder_qr__one_step_less(a):
    """QR is another matrix where there are more rows than columns"""
    r, sizes = _scaled(a)
    m, k = len(r), min(r.shape)
    q = np.eye(m)
    for j in range(k - 1):
        v = r[j:, j].copy()
        v[0] += math.copysign(math.hypot(*v), v[0])
        mirror = np.eye(m)
        mirror[j:, j:] -= 2 * np.outer(v, v) / (v @ v or 1)
        q, r = q @ mirror, mirror @ r
    return q[:, :k], np.triu(r[:k] * sizes)


def wrong_householder_qr__mirrors_multiplied_backwards(a):
    """Line 11"""
    r, sizes = _scaled(a)
    m, k = len(r), min(r.shape)
    q = np.eye(m)
    for j in range(k):
        v = r[j:, j].copy()
        v[0] += math.copysign(math.hypot(*v), v[0])
        mirror = np.eye(m)
        mirror[j:, j:] -= 2 * np.outer(v, v) / (v @ v or 1)
        q, r = mirror @ q, mirror @ r
    return q[:, :k], np.triu(r[:k] * sizes)


def wrong_householder_qr__absolute_value(a):
    """`q.T @ q` and `is_triangular(r)` are right in every call"""
    r, sizes = _scaled(a)
    m, k = len(r), min(r.shape)
    q = np.eye(m)
    for j in range(k):
        v = r[j:, j].copy()
        v[0] += np.abs(v).sum()
        mirror = np.eye(m)
        mirror[j:, j:] -= 2 * np.outer(v, v) / (v @ v or 1)
        q, r = q @ mirror, mirror @ r
    return q[:, :k], np.triu(r[:k] * sizes)


def right_givens_rotation__hypot(x, y):
    if x == y == 0:
        return np.eye(2)
    length = math.hypot(x, y)
    return np.array([[x / length, y / length], [-y / length, x / length]])


def right_givens_rotation__angle(x, y):
    angle = math.atan2(y, x)
    return np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])


def right_givens_rotation__complex(x, y):
    turn = complex(x, -y) / abs(complex(x, y)) if x or y else 1
    return np.array([[turn.real, -turn.imag], [turn.imag, turn.real]])


def wrong_givens_rotation__transposed(x, y):
    """The result is transposed"""
    if x == y == 0:
        return np.eye(2)
    c, s = x / math.hypot(x, y), y / math.hypot(x, y)
    return np.array([[c, -s], [s, c]])


def wrong_givens_rotation__arctan(x, y):
    """or use atan2"""
    angle = np.arctan(y / x)
    return np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])


def wrong_givens_rotation__arguments_of_atan2(x, y):
    """It turns by 90° less the angle"""
    angle = math.atan2(x, y)
    return np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])


def wrong_givens_rotation__root_of_squares(x, y):
    """Coordinates of 1e200 give zeros"""
    if x == y == 0:
        return np.eye(2)
    length = np.sqrt(np.square(x) + np.square(y))
    return np.array([[x, y], [-y, x]]) / length


def wrong_givens_rotation__length_squared(x, y):
    """Line 5"""
    if x == y == 0:
        return np.eye(2)
    length = math.hypot(x, y) ** 2
    return np.array([[x, y], [-y, x]]) / length


def wrong_givens_rotation__both_minus(x, y):
    """Line 6"""
    if x == y == 0:
        return np.eye(2)
    c, s = x / math.hypot(x, y), y / math.hypot(x, y)
    return np.array([[c, -s], [-s, c]])


def wrong_givens_rotation__no_identity(x, y):
    """no turn is needed"""
    r = math.hypot(x, y)
    return np.array([[x, y], [-y, x]]) / (r or 1)


def right_column_volume__singular_values(a):
    return float(np.prod(np.linalg.svdvals(a)))


def right_column_volume__heights(a):
    volume, directions = 1.0, []
    for column in np.array(a, float).T:
        for _ in range(2):
            for d in directions:
                column = column - (d @ column) * d
        height = np.linalg.norm(column)
        if height == 0:
            return 0.0
        volume *= height
        directions.append(column / height)
    return volume


def right_column_volume__square_determinant(a):
    r = scipy.linalg.qr(a, mode="economic")[1]
    return abs(np.linalg.det(r))


def wrong_column_volume__gram(a):
    """At an angle of 1e-9 nothing is left"""
    return math.sqrt(max(np.linalg.det(np.transpose(a) @ a), 0))


def wrong_column_volume__signed(a):
    """Line 3"""
    return np.diag(np.linalg.qr(a)[1]).prod()


def wrong_column_volume__squared(a):
    """The result is the square of the right one"""
    return np.diag(np.linalg.qr(a)[1]).prod() ** 2


def wrong_column_volume__lengths(a):
    """It is right for right angles only"""
    return np.linalg.norm(a, axis=0).prod()


def wrong_column_volume__sum(a):
    """Line 3"""
    return abs(np.diag(np.linalg.qr(a)[1])).sum()


def wrong_column_volume__square_only(a):
    """The calls that fail come out right with no more rows of `a` than columns"""
    return abs(np.linalg.det(np.asarray(a)[: np.shape(a)[1]]))


def wrong_column_volume__simplex(a):
    """the columns span a box"""
    return abs(np.diag(np.linalg.qr(a)[1])).prod() / math.factorial(np.shape(a)[1])


def wrong_gram_schmidt__squares(a):
    """Entries of 1e200 have an infinite length"""
    a = np.asarray(a, float)
    m, n = a.shape
    q, r = np.zeros((m, n)), np.zeros((n, n))
    for j in range(n):
        v = a[:, j].copy()
        for i in range(j):
            r[i, j] = q[:, i] @ a[:, j]
            v -= r[i, j] * q[:, i]
        r[j, j] = np.linalg.norm(v)
        if r[j, j] > 0:
            q[:, j] = v / r[j, j]
    return q, r


def right_gram_schmidt__hypot(a):
    a = np.array(a, dtype=float)
    qs = []
    r = np.zeros((a.shape[1], a.shape[1]))
    for j, v in enumerate(a.T):
        w = v.copy()
        for i, u in enumerate(qs):
            r[i, j] = sum(x * y for x, y in zip(u, v, strict=True))
            w = w - r[i, j] * u
        r[j, j] = math.hypot(*w)
        qs.append(w / r[j, j] if r[j, j] else np.zeros_like(w))
    return np.stack(qs, axis=1), r


def right_householder_qr__recursive(a):
    a = np.array(a, float)
    m, n = a.shape
    k = min(m, n)
    if k == 0:
        return np.zeros((m, 0)), np.zeros((0, n))
    x = a[:, 0] / (np.abs(a[:, 0]).max() or 1)
    v = x.copy()
    v[0] += np.copysign(np.linalg.norm(x), x[0])
    h = np.eye(m) - (2 * np.outer(v, v) / (v @ v) if v.any() else 0)
    b = h @ a
    q1, r1 = right_householder_qr__recursive(b[1:, 1:])
    q = np.zeros((m, k))
    q[0, 0] = 1
    q[1:, 1:] = q1
    r = np.zeros((k, n))
    r[0] = b[0]
    r[1:, 1:] = r1
    return h @ q, r


def right_givens_rotation__ratios(x, y):
    if y == 0:
        return np.eye(2) * (1 if x >= 0 else -1)
    if abs(x) >= abs(y):
        t = y / x
        c = math.copysign(1 / math.sqrt(1 + t * t), x)
        s = c * t
    else:
        t = x / y
        s = math.copysign(1 / math.sqrt(1 + t * t), y)
        c = s * t
    return np.array([[c, s], [-s, c]])


def wrong_givens_rotation__identity_for_small(x, y):
    """Coordinates of 1e200 give zeros"""
    length = math.sqrt(x * x + y * y)
    if length == 0:
        return np.eye(2)
    c, s = x / length, y / length
    return np.array([[c, s], [-s, c]])


def wrong_givens_rotation__second_axis(x, y):
    """The vector falls onto the second axis"""
    length = math.hypot(x, y)
    if length == 0:
        return np.eye(2)
    c, s = y / length, x / length
    return np.array([[c, -s], [s, c]])


def wrong_givens_rotation__no_turn_for_y_zero(x, y):
    """only a vector of zeros needs no turn"""
    if y == 0:
        return np.eye(2)
    length = math.hypot(x, y)
    c, s = x / length, y / length
    return np.array([[c, s], [-s, c]])


def wrong_column_volume__classical_heights(a):
    """or project every column twice"""
    a = np.asarray(a, float)
    volume, qs = 1.0, []
    for column in a.T:
        v = column - sum(((q @ column) * q for q in qs), np.zeros(len(a)))
        height = np.linalg.norm(v)
        volume *= height
        if height:
            qs.append(v / height)
    return volume


def wrong_column_volume__small_heights_are_zero(a):
    """Line 4"""
    d = np.abs(np.diag(np.linalg.qr(a, mode="r")))
    return 0.0 if d.min() < 1e-8 else d.prod()


def wrong_column_volume__signed_where_square(a):
    """something is missing there"""
    if a.shape[0] == a.shape[1]:
        return np.linalg.det(a)
    return np.abs(np.prod(np.diag(np.linalg.qr(a)[1])))


def wrong_column_volume__largest_singular_value(a):
    """It is how far one direction is stretched"""
    return float(np.linalg.svd(a, compute_uv=False)[0])


def wrong_gram_schmidt__a_small_rest_is_nothing(a):
    """look at the numbers that stand there"""
    a = np.array(a, dtype=float)
    n = a.shape[1]
    q, r = np.zeros(a.shape), np.zeros((n, n))
    for j in range(n):
        s = np.abs(a[:, j]).max() or 1.0
        v = a[:, j] / s
        for i in range(j):
            c = q[:, i] @ v
            r[i, j] = c * s
            v = v - c * q[:, i]
        length = np.linalg.norm(v)
        if length > 1e-8:
            r[j, j] = length * s
            q[:, j] = v / length
    return q, r


def wrong_householder_qr__one_scale(a):
    a = np.asarray(a, dtype=float)
    top = np.abs(a).max() or 1.0
    r = a / top
    m, n = r.shape
    k = min(m, n)
    q = np.eye(m)
    for j in range(k):
        v = r[j:, j].copy()
        if (v @ v) == 0:
            continue
        v[0] += np.copysign(np.sqrt(v @ v), v[0])
        v /= np.sqrt(v @ v)
        r[j:] -= 2 * np.outer(v, v @ r[j:])
        q[:, j:] -= 2 * np.outer(q[:, j:] @ v, v)
    return q[:, :k], np.triu(r[:k]) * top


def wrong_householder_qr__small_columns_done(a):
    r = np.array(a, dtype=float)
    m, n = r.shape
    k = min(m, n)
    q = np.eye(m)
    for j in range(k):
        v = r[j:, j].copy()
        s = np.abs(v).max()
        if s < 1e-12 * np.abs(a).max():
            continue
        v /= s
        v[0] += np.copysign(np.linalg.norm(v), v[0])
        v /= np.linalg.norm(v)
        r[j:] -= 2 * np.outer(v, v @ r[j:])
        q[:, j:] -= 2 * np.outer(q[:, j:] @ v, v)
    return q[:, :k], np.triu(r[:k])


def wrong_givens_rotation__arctan_of_a_quotient(x, y):
    """A negative first coordinate stays negative"""
    if x == 0 and y == 0:
        return np.eye(2)
    t = np.arctan(y / x) if x != 0 else np.sign(y) * np.pi / 2
    return np.array([[np.cos(t), np.sin(t)], [-np.sin(t), np.cos(t)]])


def wrong_gram_schmidt__scale_forgotten(a):
    """multiply the columns of R by their scales again"""
    a = np.array(a, dtype=float)
    n = a.shape[1]
    top = np.abs(a).max(axis=0)
    top[top == 0] = 1
    b = a / top
    q, r = np.zeros(a.shape), np.zeros((n, n))
    for j in range(n):
        v = b[:, j].copy()
        for _ in range(2):
            for i in range(j):
                c = q[:, i] @ v
                r[i, j] += c
                v -= c * q[:, i]
        length = np.linalg.norm(v)
        if length > 1e-14:
            r[j, j] = length
            q[:, j] = v / length
    return q, r


def wrong_householder_qr__minus_the_norm(a):
    """A column close to the first axis loses digits"""
    r = np.array(a, dtype=float)
    m, n = r.shape
    k = min(m, n)
    q = np.eye(m)
    for j in range(k):
        v = r[j:, j].copy()
        s = np.abs(v).max()
        if s == 0:
            continue
        v /= s
        v[0] -= np.linalg.norm(v)
        length = np.linalg.norm(v)
        if length == 0:
            continue
        v /= length
        r[j:] -= 2 * np.outer(v, v @ r[j:])
        q[:, j:] -= 2 * np.outer(q[:, j:] @ v, v)
    return q[:, :k], np.triu(r[:k])


def wrong_householder_qr__mirrors_from_the_left(a):
    """multiply Q by each mirror from the right"""
    r = np.array(a, dtype=float)
    m, n = r.shape
    k = min(m, n)
    q = np.eye(m)
    for j in range(k):
        v = r[j:, j].copy()
        s = np.abs(v).max()
        if s == 0:
            continue
        v /= s
        v[0] += np.copysign(np.linalg.norm(v), v[0])
        v /= np.linalg.norm(v)
        r[j:] -= 2 * np.outer(v, v @ r[j:])
        q[j:] -= 2 * np.outer(v, v @ q[j:])
    return q[:, :k], np.triu(r[:k])


def wrong_gram_schmidt__divided_by_what_is_left(a):
    """look at what happens to zeros"""
    a, sizes = _scaled(a)
    n = a.shape[1]
    q, r = np.zeros(a.shape), np.zeros((n, n))
    for j in range(n):
        if not a[:, j].any():
            continue
        r[:, j] = q.T @ a[:, j]
        v = a[:, j] - q @ r[:, j]
        r[j, j] = np.linalg.norm(v)
        q[:, j] = v / r[j, j]
    return q, r * sizes


def wrong_householder_qr__scaled_by_the_largest_value(a):
    """Line 10"""
    r = np.array(a, float)
    (m, n), q = r.shape, np.eye(len(r))
    for j in range(min(m, n)):
        v = r[j:, j] / (r[j:, j].max() or 1)
        v[0] += math.copysign(np.linalg.norm(v), v[0])
        if v.any():
            mirror = np.eye(m)
            mirror[j:, j:] -= 2 * np.outer(v, v) / (v @ v)
            r, q = mirror @ r, q @ mirror
    return q[:, : min(m, n)], np.triu(r[: min(m, n)])


wrong_givens_rotation__sign_of_the_quotient = slip(
    right_givens_rotation__ratios, "t * t), y)", "t * t), t)", "look at which variable stands where"
)


def wrong_householder_qr__mirror_on_the_near_side(a):
    """A column close to the first axis loses digits"""
    r = np.array(a, dtype=float)
    m, n = r.shape
    k = min(m, n)
    q = np.eye(m)
    for j in range(k):
        v = r[j:, j].copy()
        s = np.abs(v).max()
        if s == 0:
            continue
        v /= s
        v[0] -= math.copysign(np.linalg.norm(v), v[0])
        length = np.linalg.norm(v)
        if length == 0:
            continue
        v /= length
        r[j:] -= 2 * np.outer(v, v @ r[j:])
        q[:, j:] -= 2 * np.outer(q[:, j:] @ v, v)
    return q[:, :k], np.triu(r[:k])


def wrong_givens_rotation__quotient_but_for_zero(x, y):
    """knows the quadrant, or divide both by the length. That explains 4 of the 5 calls that fail."""
    if x == 0 and y == 0:
        return np.eye(2)
    if x == 0:
        return np.array([[0.0, 1.0], [-1.0, 0.0]])
    angle = math.atan(y / x)
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, s], [-s, c]])


def wrong_gram_schmidt__by_numpy(a):
    """The diagonal of R is negative in places, and columns of which nothing is left get a direction all the same"""
    return tuple(np.linalg.qr(a))


def wrong_gram_schmidt__by_numpy_with_positive_diagonal(a):
    """: take the projections off each column, and leave zeros where nothing is left"""
    q, r = np.linalg.qr(a)
    signs = np.where(np.diag(r) < 0, -1.0, 1.0)
    return q * signs, r * signs[:, None]


def wrong_gram_schmidt__by_numpy_with_numpys_sign(a):
    """: take the projections off each column, and leave zeros where nothing is left"""
    q, r = np.linalg.qr(a)
    signs = np.sign(np.diag(r))
    return q * signs, signs[:, None] * r


def wrong_householder_qr__whole_columns_as_matrices(a):
    """From the second column on, a mirror moves the rows above the diagonal as well"""
    r = np.array(a, float)
    m, n = r.shape
    q = np.eye(m)
    for j in range(min(m, n)):
        v = r[:, j].copy()
        v[j] += np.copysign(np.linalg.norm(v), v[j])
        if v.any():
            h = np.eye(m) - 2 * np.outer(v, v) / (v @ v)
            r, q = h @ r, q @ h
    return q[:, : min(m, n)], np.triu(r[: min(m, n)])


def wrong_householder_qr__whole_columns_scaled(a):
    """From the second column on, a mirror moves the rows above the diagonal as well"""
    r = np.array(a, float)
    m, n = r.shape
    q = np.eye(m)
    for j in range(min(m, n)):
        v = r[:, j] / (np.abs(r[:, j]).max() or 1)
        v[j] += np.copysign(np.linalg.norm(v), v[j])
        v /= np.linalg.norm(v) or 1
        r -= 2 * np.outer(v, v @ r)
        q -= 2 * np.outer(q @ v, v)
    return q[:, : min(m, n)], r[: min(m, n)]


def wrong_gram_schmidt__length_of_the_column(a):
    """the lengths of the columns"""
    a = np.array(a, dtype=float)
    m, n = a.shape
    scale = np.where(np.any(a != 0, axis=0), np.max(np.abs(a), axis=0), 1.0)
    a /= scale
    q, r = np.zeros((m, n)), np.zeros((n, n))
    for j in range(n):
        coefficients = q.T @ a[:, j]
        v = a[:, j] - q @ coefficients
        r[:, j] = coefficients
        r[j, j] = np.linalg.norm(a[:, j])
        if np.any(v != 0):
            q[:, j] = v / np.linalg.norm(v)
    return q, r * scale

wrong_gram_schmidt__not_divided_by_the_length = slip(
    right_gram_schmidt__loops, "rest / r[j, j]", "rest", "The columns of Q do not have length one"
)
wrong_gram_schmidt__diagonal_left_out = slip(
    right_gram_schmidt__loops,
    "rest / r[j, j]",
    "rest / r[j, j]\n                r[j, j] = 0",
    "The diagonal of R is zeros",
)


def wrong_gram_schmidt__original_columns(a):
    """From the third on the columns of Q are not orthogonal"""
    a = np.array(a, float)
    sizes = np.where(a.any(axis=0), np.abs(a).max(axis=0), 1)
    a, q = a / sizes, np.zeros(a.shape)
    for j in range(a.shape[1]):
        v = a[:, j].copy()
        for i in range(j):
            if a[:, i].any():
                v -= (a[:, i] @ v) / (a[:, i] @ a[:, i]) * a[:, i]
        length = np.linalg.norm(v)
        if length > 0:
            q[:, j] = v / length
    return q, np.triu(q.T @ a) * sizes
