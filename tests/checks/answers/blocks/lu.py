"""LU decomposition, as readers write it."""
# ruff: noqa: E741 (the lower triangular factor is called l, as in the formula)

import math

import numpy as np
import scipy.linalg
from slips import slip

from mlnotes.blocks.lu import largest_growth_matrix, lu


def right_lu__scipy(a):
    return scipy.linalg.lu(a)


def right_lu__loops(a):
    kind = np.result_type(a, np.float32)
    u = [[float(x) for x in row] for row in a]
    m, n = len(u), len(u[0])
    p, l = np.eye(m, dtype=kind), np.eye(m, dtype=kind)
    for k in range(min(m, n)):
        best = max(range(k, m), key=lambda i: abs(u[i][k]))
        u[k], u[best] = u[best], u[k]
        p[:, [k, best]] = p[:, [best, k]]
        l[[k, best], :k] = l[[best, k], :k]
        for i in range(k + 1, m):
            if u[k][k] == 0:
                continue
            l[i, k] = u[i][k] / u[k][k]
            u[i] = [x - l[i, k] * y for x, y in zip(u[i], u[k], strict=True)]
            u[i][k] = 0.0
    return p, l[:, : min(m, n)], np.array(u, kind)[: min(m, n)]


def right_lu__outer_products(a):
    rest = np.array(a, dtype=np.result_type(a, np.float32))
    m, k = len(rest), min(rest.shape)
    order = list(range(m))
    for j in range(k):
        best = j + int(np.abs(rest[j:, j]).argmax())
        rest[[j, best]] = rest[[best, j]]
        order[j], order[best] = order[best], order[j]
        if rest[j, j]:
            rest[j + 1 :, j] /= rest[j, j]
            rest[j + 1 :, j + 1 :] -= np.outer(rest[j + 1 :, j], rest[j, j + 1 :])
    l = np.tril(rest, -1)[:, :k]
    np.fill_diagonal(l, 1)
    p = np.zeros((m, m), rest.dtype)
    p[order, range(m)] = 1
    return p, l, np.triu(rest)[:k]


def _ones(a, k):
    return np.eye(len(a), k, dtype=a.dtype)


def _eliminated(a):
    a = np.array(a, np.result_type(a, np.float32))
    order = np.arange(len(a))
    for k in range(min(a.shape)):
        best = k + np.argmax(np.abs(a[k:, k]))
        a[[k, best]], order[[k, best]] = a[[best, k]], order[[best, k]]
        if a[k, k] != 0:
            a[k + 1 :, k] /= a[k, k]
            a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return a, order


def wrong_lu__rows_for_a_matrix(a):
    """Parts 2 and 3 are right in every call, part 1 is not."""
    a, order = _eliminated(a)
    k = min(a.shape)
    return order, np.tril(a[:, :k], -1) + _ones(a, k), np.triu(a[:k])


def wrong_lu__permutation_transposed(a):
    """PLU is another matrix where rows change places in a cycle of three or more"""
    a, order = _eliminated(a)
    k = min(a.shape)
    return _ones(a, len(a))[order], np.tril(a[:, :k], -1) + _ones(a, k), np.triu(a[:k])


def wrong_lu__full_factors(a):
    """The calls that fail come out right with no more rows of `a` than columns"""
    a, order = _eliminated(a)
    k = min(a.shape)
    return _ones(a, len(a))[:, order], np.tril(a, -1)[:, :k] + _ones(a, k), np.triu(a)


def wrong_lu__multipliers_stay(a):
    """PLU is another matrix as soon as rows are exchanged after the first step"""
    u = np.array(a, np.result_type(a, np.float32))
    m, n = u.shape
    p, l = np.eye(m, dtype=u.dtype), np.eye(m, dtype=u.dtype)
    for k in range(min(m, n)):
        best = k + np.argmax(np.abs(u[k:, k]))
        u[[k, best]] = u[[best, k]]
        p[:, [k, best]] = p[:, [best, k]]
        for i in range(k + 1, m):
            if u[k, k] != 0:
                l[i, k] = u[i, k] / u[k, k]
                u[i, k:] = u[i, k:] - l[i, k] * u[k, k:]
    return p, l[:, : min(m, n)], np.triu(u[: min(m, n)])


def wrong_lu__pivot_row_divided(a):
    """L does not have ones on its diagonal: leave the pivots in U"""
    a = np.array(a, np.result_type(a, np.float32))
    k, order = min(a.shape), np.arange(len(a))
    for j in range(k):
        best = j + np.argmax(np.abs(a[j:, j]))
        a[[j, best]], order[[j, best]] = a[[best, j]], order[[best, j]]
        if a[j, j] != 0:
            a[j, j + 1 :] /= a[j, j]
            a[j + 1 :, j + 1 :] -= np.outer(a[j + 1 :, j], a[j, j + 1 :])
    return _ones(a, len(a))[:, order], np.tril(a[:, :k]), np.triu(a[:k], 1) + np.eye(k, a.shape[1], dtype=a.dtype)


def wrong_lu__smallest_pivot(a):
    """Line 6"""
    a = np.array(a, np.result_type(a, np.float32))
    k, order = min(a.shape), np.arange(len(a))
    for j in range(k):
        best = j + np.argmin(np.abs(a[j:, j]))
        a[[j, best]], order[[j, best]] = a[[best, j]], order[[best, j]]
        if a[j, j] != 0:
            a[j + 1 :, j] /= a[j, j]
            a[j + 1 :, j + 1 :] -= np.outer(a[j + 1 :, j], a[j, j + 1 :])
    return _ones(a, len(a))[:, order], np.tril(a[:, :k], -1) + _ones(a, k), np.triu(a[:k])


def wrong_lu__always_in_float64(a):
    """The numbers are right, but their dtype is not: float64 where float32 is right"""
    return scipy.linalg.lu(np.asarray(a, float))


def _lu_by_rows(a):
    u = np.array(a, np.result_type(a, np.float32))
    m, n = u.shape
    k, order = min(m, n), np.arange(m)
    l = np.eye(m, k, dtype=u.dtype)
    for j in range(k):
        i = j + np.argmax(np.abs(u[j:, j]))
        u[[i, j]], order[[i, j]] = u[[j, i]], order[[j, i]]
        l[[i, j], :j] = l[[j, i], :j]
        if u[j, j] == 0:
            continue
        for r in range(j + 1, m):
            l[r, j] = u[r, j] / u[j, j]
            u[r] = u[r] - l[r, j] * u[j]
    return np.eye(m, dtype=u.dtype)[:, order], l, u[:k]


wrong_lu__stops_at_zeros_by_rows = slip(
    _lu_by_rows, "continue", "break", "What comes after a column without a pivot is not eliminated"
)
wrong_lu__counted_from_the_top_by_rows = slip(_lu_by_rows, "j + np.argmax", "np.argmax")


def right_doolittle__loops(a):
    m, n = np.shape(a)
    k = min(m, n)
    l, u = np.eye(m, k), np.zeros((k, n))
    for i in range(k):
        for j in range(i, n):
            u[i, j] = a[i][j] - sum(l[i, s] * u[s, j] for s in range(i))
        for j in range(i + 1, m):
            rest = a[j][i] - sum(l[j, s] * u[s, i] for s in range(i))
            if rest != 0:
                if u[i, i] == 0:
                    raise ValueError("a zero pivot")
                l[j, i] = rest / u[i, i]
    return l, u


def right_doolittle__elimination(a):
    u = np.array(a, float)
    m, n = u.shape
    l = np.eye(m)
    for j in range(min(m, n)):
        if u[j, j] == 0 and u[j + 1 :, j].any():
            raise ZeroDivisionError("a zero pivot")
        if u[j, j] != 0:
            l[j + 1 :, j] = u[j + 1 :, j] / u[j, j]
            u[j + 1 :] -= l[j + 1 :, j : j + 1] * u[j]
    return l[:, : min(m, n)], np.triu(u[: min(m, n)])


def right_doolittle__recursive(a):
    a = np.asarray(a, float)
    if a[0, 0] == 0 and a[1:, 0].any():
        raise ValueError("a zero pivot")
    first = a[1:, :1] / (a[0, 0] or 1)
    k = min(a.shape)
    l, u = np.eye(len(a), k), np.zeros((k, a.shape[1]))
    u[0], l[1:, :1] = a[0], first
    if k > 1:
        l[1:, 1:], u[1:, 1:] = right_doolittle__recursive(a[1:, 1:] - first * a[:1, 1:])
    return l, u


def wrong_doolittle__first_sum_only(a):
    """The columns of L are those of A, divided"""
    a = np.asarray(a, float)
    k = min(a.shape)
    l, u = np.eye(len(a), k), np.zeros((k, a.shape[1]))
    for i in range(k):
        u[i, i:] = a[i, i:] - l[i, :i] @ u[:i, i:]
        if u[i, i] == 0 and a[i + 1 :, i].any():
            raise ValueError("a zero pivot")
        l[i + 1 :, i] = a[i + 1 :, i] / (u[i, i] or 1)
    return l, u


def wrong_doolittle__sum_added(a):
    """Line 7"""
    a = np.asarray(a, float)
    k = min(a.shape)
    l, u = np.eye(len(a), k), np.zeros((k, a.shape[1]))
    for i in range(k):
        u[i, i:] = a[i, i:] + l[i, :i] @ u[:i, i:]
        below = a[i + 1 :, i] - l[i + 1 :, :i] @ u[:i, i]
        if u[i, i] == 0 and below.any():
            raise ValueError("a zero pivot")
        l[i + 1 :, i] = below / (u[i, i] or 1)
    return l, u


def wrong_doolittle__square_only(a):
    """Line 7"""
    a = np.asarray(a, float)
    l, u = np.eye(len(a)), np.zeros_like(a)
    for i in range(len(a)):
        u[i, i:] = a[i, i:] - l[i, :i] @ u[:i, i:]
        below = a[i + 1 :, i] - l[i + 1 :, :i] @ u[:i, i]
        if u[i, i] == 0 and below.any():
            raise ValueError("a zero pivot")
        l[i + 1 :, i] = below / (u[i, i] or 1)
    return l, u


def wrong_doolittle__divided_by_the_diagonal_of_a(a):
    """Line 11"""
    a = np.asarray(a, float)
    k = min(a.shape)
    l, u = np.eye(len(a), k), np.zeros((k, a.shape[1]))
    for i in range(k):
        u[i, i:] = a[i, i:] - l[i, :i] @ u[:i, i:]
        below = a[i + 1 :, i] - l[i + 1 :, :i] @ u[:i, i]
        if u[i, i] == 0 and below.any():
            raise ValueError("a zero pivot")
        l[i + 1 :, i] = below / (a[i, i] or 1)
    return l, u


def wrong_doolittle__diagonal_of_l_left_out(a):
    """Line 4"""
    l, u = right_doolittle__elimination(a)
    return l - np.eye(*l.shape), u


def wrong_doolittle__parts_exchanged(a):
    """The parts are right, but in another order"""
    l, u = right_doolittle__loops(a)
    return u, l


def wrong_doolittle__rows_exchanged(a):
    """L @ U has the rows of the matrix in another order"""
    u, r = np.array(a, dtype=float), min(np.shape(a))
    l = np.zeros((len(u), r))
    for k in range(r):
        p = k + np.argmax(np.abs(u[k:, k]))
        u[[k, p]], l[[k, p]] = u[[p, k]], l[[p, k]]
        if u[k, k] != 0:
            l[k + 1 :, k] = u[k + 1 :, k] / u[k, k]
            u[k + 1 :] -= np.outer(l[k + 1 :, k], u[k])
    return l + np.eye(*l.shape), np.triu(u[:r])


def wrong_doolittle__multipliers_negated(a):
    """its multipliers have no minus"""
    u, r = np.array(a, dtype=float), min(np.shape(a))
    l = np.eye(len(u), r)
    for k in range(r):
        if u[k, k] == 0 and u[k + 1 :, k].any():
            raise ValueError("a pivot is 0")
        if u[k, k] != 0:
            l[k + 1 :, k] = -u[k + 1 :, k] / u[k, k]
            u[k + 1 :] += np.outer(l[k + 1 :, k], u[k])
    return l, np.triu(u[:r])


def right_lu_solve__numpy(a, b):
    return np.linalg.solve(a, b)


def right_lu_solve__inverse_of_factors(a, b):
    p, l, u = scipy.linalg.lu(a)
    if not np.diag(u).all():
        raise np.linalg.LinAlgError("singular")
    return scipy.linalg.solve_triangular(u, scipy.linalg.solve_triangular(l, p.T @ b, lower=True))


def right_lu_solve__gauss_jordan(a, b):
    n = len(a)
    table = np.hstack([np.asarray(a, float), np.reshape(b, (n, -1))])
    for k in range(n):
        best = k + np.argmax(np.abs(table[k:, k]))
        if table[best, k] == 0:
            raise ValueError("a is singular")
        table[[k, best]] = table[[best, k]]
        table[k] = table[k] / table[k, k]
        for i in range(n):
            if i != k:
                table[i] = table[i] - table[i, k] * table[k]
    return table[:, n:].reshape(np.shape(b))


def _regular(a):
    p, l, u = scipy.linalg.lu(a)
    if not np.diag(u).all():
        raise ValueError("a is singular")
    return p, l, u


def wrong_lu_solve__p_for_its_transpose(a, b):
    """The residual is large where rows change places in a cycle of three or more"""
    p, l, u = _regular(a)
    return np.linalg.solve(u, np.linalg.solve(l, p @ b))


def wrong_lu_solve__p_forgotten(a, b):
    """The residual is large wherever rows were exchanged"""
    _, l, u = _regular(a)
    return np.linalg.solve(u, np.linalg.solve(l, b))


def wrong_lu_solve__product_of_factors(a, b):
    """solve with L first, then with U"""
    p, l, u = _regular(a)
    return np.linalg.solve(u @ l, p.T @ b)


def wrong_lu_solve__multiplied(a, b):
    """Line 4"""
    p, l, u = _regular(a)
    return np.linalg.solve(u, l @ (p.T @ b))


def wrong_lu_solve__pseudoinverse(a, b):
    """It accepts what must be refused"""
    return np.linalg.pinv(a) @ b


def wrong_lu_solve__u_transposed(a, b):
    """Line 5"""
    p, l, u = _regular(a)
    y = scipy.linalg.solve_triangular(l, p.T @ b, lower=True)
    return scipy.linalg.solve_triangular(u, y, trans="T")


def right_det__numpy(a):
    return np.linalg.det(a)


def right_det__logarithms(a):
    sign, logarithm = np.linalg.slogdet(a)
    return sign * np.exp(logarithm)


def right_det__signs_and_exponents(a):
    p, _, u = scipy.linalg.lu(a)
    fractions, powers = np.frexp(np.diag(u))
    return np.ldexp(np.linalg.det(p) * np.prod(fractions), np.sum(powers))


def wrong_det__diagonal_of_u(a):
    """The sign is wrong after an odd number of exchanges"""
    u = scipy.linalg.lu(a)[2]
    return np.exp(np.log(np.abs(np.diag(u))).sum()) * np.prod(np.sign(np.diag(u)))


def wrong_det__without_sign(a):
    """The result is the right one without its sign"""
    return np.exp(np.linalg.slogdet(a)[1])


def wrong_det__logarithm(a):
    return np.linalg.slogdet(a)[1]


def wrong_det__signs_of_minors_forgotten(a):
    """All products are added"""
    a = np.asarray(a, float)
    if len(a) == 1:
        return a[0, 0]
    minors = [np.delete(a[1:], j, 1) for j in range(len(a))]
    return sum(x * wrong_det__signs_of_minors_forgotten(it) for x, it in zip(a[0], minors, strict=True))


def wrong_det__product_of_pivots(a):
    """It gives inf or 0 where pivots of 1e200 and 1e-200 balance"""
    p, _, u = scipy.linalg.lu(a)
    return np.linalg.det(p) * np.diag(u).prod()


def wrong_det__opposite_sign(a):
    """The result has the opposite sign"""
    p, l, u = scipy.linalg.lu(a)
    return -np.linalg.det(l) * np.exp(np.linalg.slogdet(u)[1]) * np.linalg.slogdet(p)[0] * np.linalg.slogdet(u)[0]


def wrong_det__integers_cut_off(a):
    """compute in floats"""
    u = a.copy()
    sign, logs = 1.0, 0.0
    for j in range(len(u)):
        i = j + np.abs(u[j:, j]).argmax()
        if u[i, j] == 0:
            return 0.0
        if i != j:
            u[[i, j]] = u[[j, i]]
            sign = -sign
        sign *= np.sign(u[j, j])
        logs += np.log(abs(u[j, j]))
        for r in range(j + 1, len(u)):
            u[r] = u[r] - u[r, j] / u[j, j] * u[j]
    return sign * np.exp(logs)


def right_forward_substitution__loops(l, b):
    l, x = np.asarray(l, float), np.array(b, float)
    for i in range(len(x)):
        for j in range(i):
            x[i] = x[i] - l[i, j] * x[j]
        x[i] = x[i] / l[i, i]
    return x


def right_forward_substitution__columns(l, b):
    x = np.array(b, float)
    for j in range(len(l)):
        x[j] /= l[j, j]
        x[j + 1 :] -= np.multiply.outer(l[j + 1 :, j], x[j])
    return x


def right_forward_substitution__scipy(l, b):
    return scipy.linalg.solve_triangular(l, b, lower=True)


def wrong_forward_substitution__unit_diagonal(l, b):
    """It is right only for ones on the diagonal"""
    x = np.zeros(np.shape(b))
    for i in range(len(b)):
        x[i] = b[i] - l[i, :i] @ x[:i]
    return x


def wrong_forward_substitution__whole_row(l, b):
    """What is above the diagonal changes the solution"""
    return np.linalg.solve(l, b)


def wrong_forward_substitution__divided_first(l, b):
    """Only the right-hand side is divided"""
    x = np.zeros(np.shape(b))
    for i in range(len(b)):
        x[i] = b[i] / l[i, i] - l[i, :i] @ x[:i]
    return x


def wrong_forward_substitution__from_the_last(l, b):
    """It solves for the triangle above the diagonal"""
    x = np.zeros(np.shape(b))
    for i in reversed(range(len(b))):
        x[i] = (b[i] - l[i, i + 1 :] @ x[i + 1 :]) / l[i, i]
    return x


def wrong_forward_substitution__known_numbers_of_b(l, b):
    """Line 5"""
    x = np.zeros(np.shape(b))
    for i in range(len(b)):
        x[i] = (b[i] - l[i, :i] @ b[:i]) / l[i, i]
    return x


def wrong_forward_substitution__added(l, b):
    """Line 5"""
    x = np.zeros(np.shape(b))
    for i in range(len(b)):
        x[i] = (b[i] + l[i, :i] @ x[:i]) / l[i, i]
    return x


def wrong_forward_substitution__one_right_hand_side(l, b):
    """Line 5"""
    x = np.zeros(len(b))
    for i in range(len(b)):
        x[i] = (b[i] - l[i, :i] @ x[:i]) / l[i, i]
    return x


def wrong_forward_substitution__one_term_short(l, b):
    """Line 5"""
    x = np.zeros(np.shape(b))
    for i in range(len(b)):
        x[i] = (b[i] - l[i, : max(i - 1, 0)] @ x[: max(i - 1, 0)]) / l[i, i]
    return x


def wrong_det__small_is_zero(a):
    """Small determinants become 0"""
    value = np.linalg.det(a)
    return 0.0 if abs(value) < 1e-10 else value


def right_lu__left_looking(a):
    # left-looking: each column is finished by the ones before it
    a = np.array(a, np.result_type(a, np.float32))
    m, n = a.shape
    k = min(m, n)
    order = list(range(m))
    l, u = np.eye(m, k, dtype=a.dtype), np.zeros((k, n), a.dtype)
    for j in range(n):
        column = a[order, j]
        for i in range(min(j, k)):
            u[i, j] = column[i]
            column[i + 1 :] -= l[i + 1 :, i] * column[i]
        if j < k:
            best = j + int(np.argmax(np.abs(column[j:])))
            order[j], order[best] = order[best], order[j]
            column[[j, best]] = column[[best, j]]
            l[[j, best], :j] = l[[best, j], :j]
            u[j, j] = column[j]
            if column[j] != 0:
                l[j + 1 :, j] = column[j + 1 :] / column[j]
    p = np.zeros((m, m), a.dtype)
    p[order, range(m)] = 1
    return p, l, u


def wrong_lu__no_exchange(a):
    """exchange rows so that the largest entry"""
    u = np.array(a, float)
    m, n = u.shape
    k = min(m, n)
    l = np.eye(m, k)
    for j in range(k):
        if u[j, j] != 0:
            l[j + 1 :, j] = u[j + 1 :, j] / u[j, j]
            u[j + 1 :] -= np.outer(l[j + 1 :, j], u[j])
    return np.eye(m), l, np.triu(u[:k])


def wrong_lu__counted_from_the_top(a):
    """Rows that are done with are exchanged again"""
    m, k = len(a), min(np.shape(a))
    u, l, order = np.array(a, float), np.zeros((m, k)), np.arange(m)
    for j in range(k):
        best = abs(u[j:, j]).argmax()
        for array in (u, l, order):
            array[[j, best]] = array[[best, j]]
        if u[j, j] != 0:
            l[j + 1 :, j] = u[j + 1 :, j] / u[j, j]
            u[j + 1 :] -= np.outer(l[j + 1 :, j], u[j])
    return np.eye(m)[:, order], l + np.eye(m, k), np.triu(u[:k])


def wrong_lu__rows_swapped_like_numbers(a):
    """One of the rows to be exchanged is lost"""
    m, k = len(a), min(np.shape(a))
    u, l, order = np.array(a, float), np.zeros((m, k)), np.arange(m)
    for j in range(k):
        best = j + abs(u[j:, j]).argmax()
        u[j], u[best] = u[best], u[j]
        l[j], l[best] = l[best], l[j]
        order[j], order[best] = order[best], order[j]
        if u[j, j] != 0:
            l[j + 1 :, j] = u[j + 1 :, j] / u[j, j]
            u[j + 1 :] -= np.outer(l[j + 1 :, j], u[j])
    return np.eye(m)[:, order], l + np.eye(m, k), np.triu(u[:k])


def wrong_lu__square_l(a):
    """A tall matrix has a square L"""
    m, n = np.shape(a)
    u, l, p = np.array(a, float), np.zeros((m, m)), np.eye(m)
    for j in range(min(m, n)):
        best = j + abs(u[j:, j]).argmax()
        u[[j, best]] = u[[best, j]]
        l[[j, best]] = l[[best, j]]
        p[:, [j, best]] = p[:, [best, j]]
        if u[j, j] != 0:
            l[j + 1 :, j] = u[j + 1 :, j] / u[j, j]
            u[j + 1 :] -= np.outer(l[j + 1 :, j], u[j])
    return p, l + np.eye(m), np.triu(u)


def wrong_lu__integers_kept(a):
    """The call that fails comes out right with `a` as floats"""
    m, k = len(a), min(np.shape(a))
    u, l, order = np.array(a), np.zeros((m, k), np.result_type(a, np.float32)), np.arange(m)
    for j in range(k):
        best = j + abs(u[j:, j]).argmax()
        for array in (u, l, order):
            array[[j, best]] = array[[best, j]]
        if u[j, j] != 0:
            l[j + 1 :, j] = u[j + 1 :, j] / u[j, j]
            u[j + 1 :] = u[j + 1 :] - np.outer(l[j + 1 :, j], u[j])
    return np.eye(m, dtype=l.dtype)[:, order], l + np.eye(m, k, dtype=l.dtype), np.triu(u[:k])


def wrong_lu__stops_at_a_zero_column(a):
    """go on one row and one column further. Besides, the dtype of the result is wider than is asked for."""
    m, k = len(a), min(np.shape(a))
    u, l, order = np.array(a, float), np.zeros((m, k)), np.arange(m)
    for j in range(k):
        best = j + abs(u[j:, j]).argmax()
        if u[best, j] == 0:
            break
        for array in (u, l, order):
            array[[j, best]] = array[[best, j]]
        l[j + 1 :, j] = u[j + 1 :, j] / u[j, j]
        u[j + 1 :] -= np.outer(l[j + 1 :, j], u[j])
    return np.eye(m)[:, order], l + np.eye(m, k), np.triu(u[:k])


def wrong_lu__small_columns_skipped(a):
    """Line 8"""
    m, k = len(a), min(np.shape(a))
    u = np.array(a, np.result_type(a, np.float32))
    l, order = np.zeros((m, k), u.dtype), np.arange(m)
    for j in range(k):
        best = j + abs(u[j:, j]).argmax()
        if abs(u[best, j]) < 1e-10:
            continue
        for array in (u, l, order):
            array[[j, best]] = array[[best, j]]
        l[j + 1 :, j] = u[j + 1 :, j] / u[j, j]
        u[j + 1 :] -= np.outer(l[j + 1 :, j], u[j])
    return np.eye(m, dtype=u.dtype)[:, order], l + np.eye(m, k, dtype=u.dtype), np.triu(u[:k])


def wrong_det__small_pivots_are_zero(a):
    """only a pivot that is 0 makes it 0"""
    p, _, u = lu(a)
    d = np.diag(u)
    if np.abs(d).min() < 1e-10:
        return 0.0
    return np.linalg.det(p) * np.prod(np.sign(d)) * np.exp(np.log(np.abs(d)).sum())


def right_forward_substitution__halves(l, b):
    b = np.asarray(b, float)
    if len(l) == 1:
        return b / l[0, 0]
    h = len(l) // 2
    top = right_forward_substitution__halves(l[:h, :h], b[:h])
    bottom = right_forward_substitution__halves(l[h:, h:], b[h:] - l[h:, :h] @ top)
    return np.concatenate([top, bottom])


def wrong_lu__exchanged_for_a_zero_only(a):
    """exchange rows always, for the largest pivot"""
    u = np.array(a, float)
    m, k = len(u), min(u.shape)
    p, l = np.eye(m), np.zeros((m, k))
    for j in range(k):
        if u[j, j] == 0:
            best = j + abs(u[j:, j]).argmax()
            for x in (u, l):
                x[[j, best]] = x[[best, j]]
            p[:, [j, best]] = p[:, [best, j]]
        if u[j, j] != 0:
            l[j + 1 :, j] = u[j + 1 :, j] / u[j, j]
            u[j + 1 :] -= np.outer(l[j + 1 :, j], u[j])
    return p, l + np.eye(m, k), np.triu(u[:k])


def wrong_lu__multipliers_of_the_steps(a):
    """keep them with plus signs"""
    u = np.array(a, float)
    m, k = len(u), min(u.shape)
    p, l = np.eye(m), np.zeros((m, k))
    for j in range(k):
        best = j + abs(u[j:, j]).argmax()
        for x in (u, l):
            x[[j, best]] = x[[best, j]]
        p[:, [j, best]] = p[:, [best, j]]
        if u[j, j] != 0:
            l[j + 1 :, j] = -u[j + 1 :, j] / u[j, j]
            u[j + 1 :] += np.outer(l[j + 1 :, j], u[j])
    return p, l + np.eye(m, k), np.triu(u[:k])


def wrong_lu__ones_from_the_start(a):
    """The ones of L change places with their rows"""
    u = np.array(a, float)
    m, k = len(u), min(u.shape)
    p, l = np.eye(m), np.eye(m, k)
    for j in range(k):
        best = j + abs(u[j:, j]).argmax()
        for x in (u, l):
            x[[j, best]] = x[[best, j]]
        p[:, [j, best]] = p[:, [best, j]]
        if u[j, j] != 0:
            l[j + 1 :, j] = u[j + 1 :, j] / u[j, j]
            u[j + 1 :] -= np.outer(l[j + 1 :, j], u[j])
    return p, l, np.triu(u[:k])


def wrong_det__sign_turned_in_every_step(a):
    """The sign is turned by steps that exchange nothing"""
    u, sign, log = np.array(a, float), 1, 0.0
    n = len(u)
    for k in range(n):
        best = k + np.abs(u[k:, k]).argmax()
        if u[best, k] == 0:
            return 0.0
        u[[k, best]] = u[[best, k]]
        sign = -sign
        sign *= np.sign(u[k, k])
        log += np.log(abs(u[k, k]))
        u[k + 1 :] -= np.outer(u[k + 1 :, k] / u[k, k], u[k])
    return sign * np.exp(log)


def wrong_det__signs_of_pivots_forgotten(a):
    """multiply by the signs of the pivots"""
    p, _, u = lu(np.asarray(a, float))
    d = np.diag(u)
    return np.linalg.det(p) * np.exp(np.log(np.abs(d)).sum())


def wrong_forward_substitution__divided_at_the_end(l, b):
    """divide each unknown before it is used"""
    x = np.array(b, float)
    for j in range(len(l)):
        for i in range(j + 1, len(l)):
            x[i] = x[i] - l[i, j] * x[j]
    return (x.T / np.diag(l)).T


def wrong_forward_substitution__diagonal_in_the_sum(l, b):
    """The diagonal entry is multiplied by an unknown that is not known yet"""
    x = np.array(b, float)
    for i in range(len(b)):
        x[i] = (b[i] - l[i, : i + 1] @ x[: i + 1]) / l[i, i]
    return x


def wrong_lu__no_exchange_and_nothing_tidied(a):
    """exchange rows so that the largest entry left"""
    u = np.array(a, dtype=float)
    m, n = u.shape
    k = min(m, n)
    l = np.eye(m, k)
    for j in range(k):
        if u[j, j] == 0:
            continue
        for i in range(j + 1, m):
            l[i, j] = u[i, j] / u[j, j]
            u[i] -= l[i, j] * u[j]
    return np.eye(m), l, u[:k]


def wrong_lu__counted_from_the_top_ones_on_the_way(a):
    """Rows that are done with are exchanged again, and PLU is another matrix"""
    u = np.array(a, dtype=float)
    m, n = u.shape
    k = min(m, n)
    l, p = np.zeros((m, k)), np.eye(m)
    for j in range(k):
        r = np.argmax(np.abs(u[j:, j]))
        for it in (u, l):
            it[[j, r]] = it[[r, j]]
        p[:, [j, r]] = p[:, [r, j]]
        l[j, j] = 1
        if u[j, j] == 0:
            continue
        for i in range(j + 1, m):
            l[i, j] = u[i, j] / u[j, j]
            u[i] -= l[i, j] * u[j]
    return p, l, np.triu(u[:k])


def wrong_det__never_exchanged(a):
    """A leading zero makes it 0"""
    u = np.array(a, dtype=float)
    n = len(u)
    d = 1.0
    for j in range(n):
        if u[j, j] == 0:
            return 0.0
        d *= u[j, j]
        u[j + 1:] -= np.outer(u[j + 1:, j] / u[j, j], u[j])
    return d


def wrong_det__turned_in_every_step(a):
    """turn the sign where two different rows change places"""
    u = np.array(a, dtype=float)
    d = 1.0
    for j in range(len(u)):
        r = j + np.argmax(np.abs(u[j:, j]))
        if u[r, j] == 0:
            return 0.0
        u[[j, r]] = u[[r, j]]
        d *= -u[j, j]
        u[j + 1:] -= np.outer(u[j + 1:, j] / u[j, j], u[j])
    return d


def wrong_det__minors_that_overflow(a):
    """It gives 0 or nan where entries of 1e200 and 1e-200 balance"""
    a = np.asarray(a, dtype=float)
    if len(a) == 1:
        return float(a[0, 0])
    return sum(
        (-1) ** j * a[0, j] * wrong_det__minors_that_overflow(np.delete(a[1:], j, axis=1)) for j in range(len(a))
    )


def wrong_det__largest_value_for_pivot(a):
    """take the argmax of absolute values"""
    u, sign, logarithm = np.array(a, float), 1.0, 0.0
    for j in range(len(u)):
        best = j + u[j:, j].argmax()
        if u[best, j] == 0:
            return 0.0
        if best != j:
            u[[j, best]], sign = u[[best, j]], -sign
        sign, logarithm = sign * np.sign(u[j, j]), logarithm + np.log(abs(u[j, j]))
        u[j + 1 :] -= np.outer(u[j + 1 :, j] / u[j, j], u[j])
    return sign * np.exp(logarithm)


def wrong_lu__integers_stay_integers(a):
    m, k = len(a), min(a.shape)
    u, l, p = a.copy(), np.eye(m, k), np.eye(m)
    for j in range(k):
        best = j + np.abs(u[j:, j]).argmax()
        u[[j, best]], p[[j, best]] = u[[best, j]], p[[best, j]]
        l[[j, best], :j] = l[[best, j], :j]
        if u[j, j] != 0:
            l[j + 1 :, j] = u[j + 1 :, j] / u[j, j]
            u[j + 1 :] = u[j + 1 :] - np.outer(l[j + 1 :, j], u[j])
            u[j + 1 :, j] = 0
    return p.T, l, u[:k]


def wrong_forward_substitution__integers_stay_integers(l, b):
    x = b.copy()
    for i in range(len(x)):
        x[i] = (x[i] - l[i, :i] @ x[:i]) / l[i, i]
    return x


wrong_lu_solve__largest_value_for_pivot = slip(
    right_lu_solve__gauss_jordan, "np.abs(table[k:, k])", "table[k:, k]", "take the argmax of absolute values"
)


wrong_lu_solve__pivot_looked_up_in_a = slip(
    right_lu_solve__gauss_jordan, "np.abs(table[k:, k])", "np.abs(a[k:, k])", "look at which variable stands where"
)


wrong_lu__rows_added = slip(
    right_lu__outer_products, "1 :] -= np", "1 :] += np", "j + 1 :])`: look at the operators. With one change there"
)


def wrong_forward_substitution__square_right_hand_sides_turned(l, b):
    """Line 4"""
    if b.ndim == 2 and b.shape[0] == b.shape[1]:
        b = b.T
    x = np.zeros(b.shape)
    for i in range(len(b)):
        x[i] = (b[i] - l[i, :i] @ x[:i]) / l[i, i]
    return x


def right_rows_without_digits__searched():
    n = 1
    while 2.0 ** (n - 1) + 1 != 2.0 ** (n - 1):
        n += 1
    return n


def right_rows_without_digits__from_the_precision():
    return 2 - math.log2(np.finfo(float).eps)


def right_rows_without_digits__eliminated():
    last = {n: lu(largest_growth_matrix(n))[2][-1, -1] for n in range(2, 60)}
    return min(n for n in last if last[n] + 1 == last[n])


def wrong_rows_without_digits__stored_digits():
    """A float has 53 binary digits: the first is not stored"""
    return np.finfo(float).nmant


def wrong_rows_without_digits__exponent():
    """the last entry of n rows is 2 to the power of n - 1"""
    n = 0
    while 2.0**n + 1 != 2.0**n:
        n += 1
    return n


def wrong_rows_without_digits__decimal_digits():
    """count binary digits: 53"""
    return round(math.log10(2.0**53))


def wrong_rows_without_digits__overflow():
    """ask when a 1 beside the power is rounded away"""
    return next(n for n in range(1, 2000) if n - 1 >= np.finfo(float).maxexp)


def wrong_rows_without_digits__less_than_half_a_spacing():
    """One row less loses the 1 already: it is half of the spacing"""
    return next(n for n in range(1, 99) if math.ulp(2.0 ** (n - 1)) > 2)


def wrong_rows_without_digits__single_precision():
    return next(n for n in range(1, 99) if np.float32(2.0 ** (n - 1)) + np.float32(1) == 2.0 ** (n - 1))


def wrong_rows_without_digits__entry():
    """It is the last entry, and the number of rows is asked for"""
    return 2**53


def wrong_lu__echelon_form(a):
    """the next one is eliminated with the same row"""
    u = np.array(a)
    if not np.issubdtype(u.dtype, np.floating):
        u = u.astype(float)
    m, n = u.shape
    k = min(m, n)
    p = np.eye(m, dtype=u.dtype)
    l = np.eye(m, dtype=u.dtype)
    row = 0
    for col in range(n):
        if row == m:
            break
        best = row + np.argmax(np.abs(u[row:, col]))
        if u[best, col] == 0:
            continue
        u[[row, best]] = u[[best, row]]
        l[[row, best], :row] = l[[best, row], :row]
        p[:, [row, best]] = p[:, [best, row]]
        for i in range(row + 1, m):
            l[i, row] = u[i, col] / u[row, col]
            u[i] -= l[i, row] * u[row]
            u[i, col] = 0
        row += 1
    return p, l[:, :k], u[:k]


def wrong_det__rows_exchanged_as_views(a):
    """write a[[i, j]] = a[[j, i]]"""
    a = a.astype(float)
    n, d = len(a), 1.0
    for j in range(n):
        p = j + np.argmax(np.abs(a[j:, j]))
        if a[p, j] == 0:
            return 0.0
        if p != j:
            a[p], a[j] = a[j], a[p]
            d = -d
        d *= a[j, j]
        for i in range(j + 1, n):
            a[i] -= a[i, j] / a[j, j] * a[j]
    return d


def wrong_lu__ones_left_out(a):
    """L has zeros on its diagonal"""
    m, k = len(a), min(np.shape(a))
    u, order = np.array(a) * 1.0, np.arange(m)
    l = np.zeros_like(u[:, :k])
    for j in range(k):
        best = j + abs(u[j:, j]).argmax()
        for x in (u, l, order):
            x[[j, best]] = x[[best, j]]
        if u[j, j] != 0:
            l[j + 1 :, j] = u[j + 1 :, j] / u[j, j]
            u[j + 1 :] -= np.outer(l[j + 1 :, j], u[j])
    return np.eye(m)[:, order], l, np.triu(u[:k])


def wrong_lu__in_place(a):
    """`a` is overwritten in 11 of the 12 calls that fail"""
    m, k = len(a), min(np.shape(a))
    order, l, one = np.arange(m), np.zeros_like(a[:, :k]), np.eye(m, dtype=a.dtype)
    for j in range(k):
        best = j + abs(a[j:, j]).argmax()
        for array in (a, l, order):
            array[[j, best]] = array[[best, j]]
        if a[j, j] != 0:
            l[j + 1 :, j] = a[j + 1 :, j] / a[j, j]
            a[j + 1 :] -= np.outer(l[j + 1 :, j], a[j])
    return one[:, order], l + one[:, :k], np.triu(a[:k])


def wrong_forward_substitution__dtype_of_the_right_hand_side(l, b):
    """look at its dtype"""
    both = np.asarray(b).dtype.kind == "i" and np.asarray(l).dtype.kind == "i"
    x = np.array(b, dtype=float) if both else np.array(b)
    for i in range(len(x)):
        x[i] = (x[i] - l[i, :i] @ x[:i]) / l[i, i]
    return x


def wrong_lu__scaled_pivots(a):
    """the pivot is the largest entry itself, not relative to its row"""
    u = np.array(a, dtype=np.result_type(a, np.float32))
    m, k = len(u), min(u.shape)
    order = np.arange(m)
    row_max = np.array([max(np.abs(row)) or 1.0 for row in u])
    l = np.eye(m, k, dtype=u.dtype)
    for j in range(k):
        i = j + np.argmax(np.abs(u[j:, j]) / row_max[j:])
        for rows in (u, order, row_max):
            rows[[j, i]] = rows[[i, j]]
        l[[j, i], :j] = l[[i, j], :j]
        if u[j, j] == 0:
            continue
        for i in range(j + 1, m):
            l[i, j] = u[i, j] / u[j, j]
            u[i, j:] -= l[i, j] * u[j, j:]
            u[i, j] = 0
    return np.eye(m, dtype=u.dtype)[:, order], l, u[:k]
