"""The matrix product in several ways, as readers write it."""

from itertools import product

import numpy as np
import torch
from slips import slip


def right_matmul_outer__of_the_chapter(a, b):
    c = np.zeros((len(a), b.shape[1]))
    for t in range(len(b)):
        c += a[:, t, None] * b[t]
    return c


def right_matmul_outer__numpy_outer(a, b):
    return sum(np.outer(column, row) for column, row in zip(a.T, b, strict=True))


def right_matmul_outer__einsum(a, b):
    return np.einsum("it,tj->ij", a, b)


def right_matmul_outer__slices(a, b):
    c = a[:, :1] @ b[:1]
    for t in range(1, a.shape[1]):
        c = c + a[:, t : t + 1] @ b[t : t + 1]
    return c


def wrong_matmul_outer__rows_of_both(a, b):
    """look at the indices"""
    c = np.zeros((len(a), b.shape[1]))
    for t in range(len(b)):
        c += a[t, :, None] * b[t]
    return c


def wrong_matmul_outer__assigned(a, b):
    """add each outer product to the ones before"""
    c = np.zeros((len(a), b.shape[1]))
    for t in range(len(b)):
        c = a[:, t, None] * b[t]
    return c


def wrong_matmul_outer__columns_of_both(a, b):
    """look at the indices"""
    c = np.zeros((len(a), b.shape[1]))
    for t in range(len(b)):
        c += np.outer(a[:, t], b[:, t])
    return c


def wrong_matmul_outer__too_short(a, b):
    """Line 4"""
    c = np.zeros((len(a), b.shape[1]))
    for t in range(len(b) - 1):
        c += np.outer(a[:, t], b[t])
    return c


def wrong_matmul_outer__number_of_rows(a, b):
    """loop over the columns of a"""
    c = np.zeros((len(a), b.shape[1]))
    for t in range(len(a)):
        c += np.outer(a[:, t], b[t])
    return c


def wrong_matmul_outer__return_in_the_loop(a, b):
    """look at how far it is indented"""
    c = np.zeros((len(a), b.shape[1]))
    for t in range(len(b)):
        c += np.outer(a[:, t], b[t])
        return c


def wrong_matmul_outer__turned(a, b):
    """is transposed"""
    c = np.zeros((b.shape[1], len(a)))
    for t in range(len(b)):
        c += np.outer(b[t], a[:, t])
    return c


def wrong_matmul_outer__subtracted(a, b):
    """opposite sign"""
    c = np.zeros((len(a), b.shape[1]))
    for t in range(len(b)):
        c -= np.outer(a[:, t], b[t])
    return c


def wrong_matmul_outer__dot_product(a, b):
    """Line 5"""
    c = np.zeros((len(a), b.shape[1]))
    for t in range(len(b)):
        c += a[:, t] * b[t]
    return c


def wrong_matmul_outer__averaged(a, b):
    """divided by `a`.shape[-1] once too often"""
    c = np.zeros((len(a), b.shape[1]))
    for t in range(len(b)):
        c += np.outer(a[:, t], b[t])
    return c / len(b)


def wrong_matmul_outer__listed(a, b):
    """add them up"""
    return [np.outer(a[:, t], b[t]) for t in range(a.shape[1])]


def right_matmul_block__of_the_chapter(a, b, size=2):
    (m, k), n = a.shape, b.shape[1]
    c = np.zeros((m, n))
    for i, j, t in product(range(0, m, size), range(0, n, size), range(0, k, size)):
        rows, columns, inner = (slice(at, at + size) for at in (i, j, t))
        c[rows, columns] += a[rows, inner] @ b[inner, columns]
    return c


def right_matmul_block__loops_inside(a, b, size=2):
    (m, k), n = a.shape, b.shape[1]
    c = [[0.0] * n for _ in range(m)]
    for i0, j0, t0 in product(range(0, m, size), range(0, n, size), range(0, k, size)):
        for i in range(i0, min(i0 + size, m)):
            for j in range(j0, min(j0 + size, n)):
                for t in range(t0, min(t0 + size, k)):
                    c[i][j] += a[i, t] * b[t, j]
    return np.array(c)


def right_matmul_block__split(a, b, size=2):
    def cut(x, axis):
        return np.split(x, range(size, x.shape[axis], size), axis=axis)

    rows = []
    for upper in cut(a, 0):
        pieces = cut(upper, 1)
        columns = (cut(it, 0) for it in cut(b, 1))
        rows.append([sum(x.dot(y) for x, y in zip(pieces, column, strict=True)) for column in columns])
    return np.block(rows)


def right_matmul_block__torch(a, b, size=2):
    a, b = torch.tensor(np.asarray(a)), torch.tensor(np.asarray(b))
    c = torch.zeros(a.shape[0], b.shape[1], dtype=a.dtype)
    for i in range(0, a.shape[0], size):
        for j in range(0, b.shape[1], size):
            for t in range(0, a.shape[1], size):
                c[i : i + size, j : j + size] += a[i : i + size, t : t + size] @ b[t : t + size, j : j + size]
    return c.numpy()


def wrong_matmul_block__not_in_blocks(a, b, size=2):
    """Whole matrices are multiplied, whatever `size` is"""
    return a @ b


def wrong_matmul_block__row_blocks_only(a, b, size=2):
    """cut the inner side into blocks, too. That explains"""
    c = np.zeros((a.shape[0], b.shape[1]))
    for i in range(0, a.shape[0], size):
        c[i : i + size] = a[i : i + size] @ b
    return c


def wrong_matmul_block__whole_blocks(a, b, size=2):
    """let the last block be smaller"""
    (m, k), n = a.shape, b.shape[1]
    c = np.zeros((m, n))
    for i, j, t in product(range(m // size), range(n // size), range(k // size)):
        rows, columns, inner = (slice(at * size, at * size + size) for at in (i, j, t))
        c[rows, columns] += a[rows, inner] @ b[inner, columns]
    return c


def wrong_matmul_block__assigned(a, b, size=2):
    """add up the products of blocks"""
    (m, k), n = a.shape, b.shape[1]
    c = np.zeros((m, n))
    for i, j, t in product(range(0, m, size), range(0, n, size), range(0, k, size)):
        rows, columns, inner = (slice(at, at + size) for at in (i, j, t))
        c[rows, columns] = a[rows, inner] @ b[inner, columns]
    return c


def wrong_matmul_block__fixed_size(a, b, size=2):
    """two rows and columns whatever `size` is"""
    (m, k), n = a.shape, b.shape[1]
    c = np.zeros((m, n))
    for i, j, t in product(range(0, m, 2), range(0, n, 2), range(0, k, 2)):
        rows, columns, inner = (slice(at, at + 2) for at in (i, j, t))
        c[rows, columns] += a[rows, inner] @ b[inner, columns]
    return c


def wrong_matmul_block__step_of_one(a, b, size=2):
    """Line 5"""
    (m, k), n = a.shape, b.shape[1]
    c = np.zeros((m, n))
    for i, j, t in product(range(0, m, size), range(0, n, size), range(k)):
        rows, columns, inner = (slice(at, at + size) for at in (i, j, t))
        c[rows, columns] += a[rows, inner] @ b[inner, columns]
    return c


def wrong_matmul_block__block_too_short(a, b, size=2):
    """Line 6"""
    (m, k), n = a.shape, b.shape[1]
    c = np.zeros((m, n))
    for i, j, t in product(range(0, m, size), range(0, n, size), range(0, k, size)):
        rows, columns, inner = (slice(at, at + size - 1) for at in (i, j, t))
        c[rows, columns] += a[rows, inner] @ b[inner, columns]
    return c


def wrong_matmul_block__block_too_long(a, b, size=2):
    """Line 6"""
    (m, k), n = a.shape, b.shape[1]
    c = np.zeros((m, n))
    for i, j, t in product(range(0, m, size), range(0, n, size), range(0, k, size)):
        rows, columns, inner = (slice(at, at + size + 1) for at in (i, j, t))
        c[rows, columns] += a[rows, inner] @ b[inner, columns]
    return c


def wrong_matmul_block__entries(a, b, size=2):
    """Line 7"""
    (m, k), n = a.shape, b.shape[1]
    c = np.zeros((m, n))
    for i, j, t in product(range(0, m, size), range(0, n, size), range(0, k, size)):
        rows, columns, inner = (slice(at, at + size) for at in (i, j, t))
        c[rows, columns] += a[rows, inner] * b[inner, columns]
    return c


def wrong_matmul_block__ranges_exchanged(a, b, size=2):
    """Line 5"""
    (m, k), n = a.shape, b.shape[1]
    c = np.zeros((m, n))
    for i, j, t in product(range(0, n, size), range(0, m, size), range(0, k, size)):
        rows, columns, inner = (slice(at, at + size) for at in (i, j, t))
        c[rows, columns] += a[rows, inner] @ b[inner, columns]
    return c


def wrong_matmul_block__inner_side_left_out(a, b, size=2):
    """cut the inner side into blocks, too"""
    c = np.zeros((a.shape[0], b.shape[1]))
    for i in range(0, a.shape[0], size):
        for j in range(0, b.shape[1], size):
            c[i : i + size, j : j + size] = a[i : i + size] @ b[:, j : j + size]
    return c


def wrong_matmul_block__slices_end_at_size(a, b, size=2):
    (m, k), n = a.shape, b.shape[1]
    c = np.zeros((m, n))
    for i, j, t in product(range(0, m, size), range(0, n, size), range(0, k, size)):
        c[i:size, j:size] += a[i:size, t:size] @ b[t:size, j:size]
    return c


def right_strassen__of_the_chapter(a, b, cutoff=1):
    even_a, even_b = (np.pad(x, [(0, s % 2) for s in x.shape]) for x in (a, b))
    (a11, a12), (a21, a22) = (np.hsplit(x, 2) for x in np.vsplit(even_a, 2))
    (b11, b12), (b21, b22) = (np.hsplit(x, 2) for x in np.vsplit(even_b, 2))
    p1, p2 = (a11 + a22) @ (b11 + b22), (a21 + a22) @ b11
    p3, p4 = a11 @ (b12 - b22), a22 @ (b21 - b11)
    p5, p6 = (a11 + a12) @ b22, (a21 - a11) @ (b11 + b12)
    p7 = (a12 - a22) @ (b21 + b22)
    c = np.block([[p1 + p4 - p5 + p7, p3 + p5], [p2 + p4, p1 - p2 + p3 + p6]])
    return c[: len(a), : b.shape[1]]


def right_strassen__all_levels(a, b, cutoff=1):
    m, n = len(a), b.shape[1]
    if min(a.shape + b.shape) <= cutoff:
        return a @ b
    sides = [s + s % 2 for s in (*a.shape, b.shape[1])]
    big_a, big_b = np.zeros(sides[:2]), np.zeros(sides[1:])
    big_a[:m, : a.shape[1]], big_b[: len(b), :n] = a, b
    i, k, j = (s // 2 for s in sides)
    a11, a12, a21, a22 = big_a[:i, :k], big_a[:i, k:], big_a[i:, :k], big_a[i:, k:]
    b11, b12, b21, b22 = big_b[:k, :j], big_b[:k, j:], big_b[k:, :j], big_b[k:, j:]
    p1 = right_strassen__all_levels(a11 + a22, b11 + b22, cutoff)
    p2 = right_strassen__all_levels(a21 + a22, b11, cutoff)
    p3 = right_strassen__all_levels(a11, b12 - b22, cutoff)
    p4 = right_strassen__all_levels(a22, b21 - b11, cutoff)
    p5 = right_strassen__all_levels(a11 + a12, b22, cutoff)
    p6 = right_strassen__all_levels(a21 - a11, b11 + b12, cutoff)
    p7 = right_strassen__all_levels(a12 - a22, b21 + b22, cutoff)
    upper = np.concatenate([p1 + p4 - p5 + p7, p3 + p5], axis=1)
    lower = np.concatenate([p2 + p4, p1 - p2 + p3 + p6], axis=1)
    return np.concatenate([upper, lower])[:m, :n]


def right_strassen__winograd(a, b, cutoff=1):
    pad_a, pad_b = (np.pad(x, [(0, s % 2) for s in x.shape]) for x in (a, b))
    a11, a12, a21, a22 = (half for rows in np.split(pad_a, 2) for half in np.split(rows, 2, axis=1))
    b11, b12, b21, b22 = (half for rows in np.split(pad_b, 2) for half in np.split(rows, 2, axis=1))
    s1 = a21 + a22
    s2 = s1 - a11
    t1 = b12 - b11
    t2 = b22 - t1
    p1, p2 = a11.dot(b11), a12.dot(b21)
    p5 = s1.dot(t1)
    u1 = s2.dot(t2) + p1
    u2 = u1 + (a11 - a21).dot(b22 - b12)
    c = np.block([[p1 + p2, u1 + p5 + (a12 - s2).dot(b22)], [u2 - a22.dot(t2 - b21), u2 + p5]])
    return c[: len(a), : b.shape[1]]


def _quarters(a, b):
    a, b = (np.pad(x, [(0, s % 2) for s in x.shape]) for x in (a, b))
    (a11, a12), (a21, a22) = (np.hsplit(x, 2) for x in np.vsplit(a, 2))
    (b11, b12), (b21, b22) = (np.hsplit(x, 2) for x in np.vsplit(b, 2))
    return a11, a12, a21, a22, b11, b12, b21, b22


def wrong_strassen__eight_products(a, b, cutoff=1):
    """as many multiplications as eight products"""
    a11, a12, a21, a22, b11, b12, b21, b22 = _quarters(a, b)
    upper = [a11 @ b11 + a12 @ b21, a11 @ b12 + a12 @ b22]
    lower = [a21 @ b11 + a22 @ b21, a21 @ b12 + a22 @ b22]
    return np.block([upper, lower])[: len(a), : b.shape[1]]


def wrong_strassen__plain(a, b, cutoff=1):
    """cut them into quarters"""
    return a @ b


def wrong_strassen__sign_in_p7(a, b, cutoff=1):
    """Line 7"""
    a11, a12, a21, a22, b11, b12, b21, b22 = _quarters(a, b)
    p1, p2 = (a11 + a22) @ (b11 + b22), (a21 + a22) @ b11
    p3, p4 = a11 @ (b12 - b22), a22 @ (b21 - b11)
    p5, p6 = (a11 + a12) @ b22, (a21 - a11) @ (b11 + b12)
    p7 = (a12 + a22) @ (b21 + b22)
    c = np.block([[p1 + p4 - p5 + p7, p3 + p5], [p2 + p4, p1 - p2 + p3 + p6]])
    return c[: len(a), : b.shape[1]]


def wrong_strassen__p6_turned(a, b, cutoff=1):
    """Line 6"""
    a11, a12, a21, a22, b11, b12, b21, b22 = _quarters(a, b)
    p1, p2 = (a11 + a22) @ (b11 + b22), (a21 + a22) @ b11
    p3, p4 = a11 @ (b12 - b22), a22 @ (b21 - b11)
    p5, p6 = (a11 + a12) @ b22, (a11 - a21) @ (b11 + b12)
    p7 = (a12 - a22) @ (b21 + b22)
    c = np.block([[p1 + p4 - p5 + p7, p3 + p5], [p2 + p4, p1 - p2 + p3 + p6]])
    return c[: len(a), : b.shape[1]]


def wrong_strassen__sign_of_the_second(a, b, cutoff=1):
    """Line 8"""
    a11, a12, a21, a22, b11, b12, b21, b22 = _quarters(a, b)
    p1, p2 = (a11 + a22) @ (b11 + b22), (a21 + a22) @ b11
    p3, p4 = a11 @ (b12 - b22), a22 @ (b21 - b11)
    p5, p6 = (a11 + a12) @ b22, (a21 - a11) @ (b11 + b12)
    p7 = (a12 - a22) @ (b21 + b22)
    c = np.block([[p1 + p4 - p5 + p7, p3 + p5], [p2 + p4, p1 + p2 + p3 + p6]])
    return c[: len(a), : b.shape[1]]


def wrong_strassen__quarter_in_p5(a, b, cutoff=1):
    """Line 6"""
    a11, a12, a21, a22, b11, b12, b21, b22 = _quarters(a, b)
    p1, p2 = (a11 + a22) @ (b11 + b22), (a21 + a22) @ b11
    p3, p4 = a11 @ (b12 - b22), a22 @ (b21 - b11)
    p5, p6 = (a11 + a12) @ b21, (a21 - a11) @ (b11 + b12)
    p7 = (a12 - a22) @ (b21 + b22)
    c = np.block([[p1 + p4 - p5 + p7, p3 + p5], [p2 + p4, p1 - p2 + p3 + p6]])
    return c[: len(a), : b.shape[1]]


def wrong_strassen__factors_turned_in_p3(a, b, cutoff=1):
    """Line 5"""
    a11, a12, a21, a22, b11, b12, b21, b22 = _quarters(a, b)
    p1, p2 = (a11 + a22) @ (b11 + b22), (a21 + a22) @ b11
    p3, p4 = (b12 - b22) @ a11, a22 @ (b21 - b11)
    p5, p6 = (a11 + a12) @ b22, (a21 - a11) @ (b11 + b12)
    p7 = (a12 - a22) @ (b21 + b22)
    c = np.block([[p1 + p4 - p5 + p7, p3 + p5], [p2 + p4, p1 - p2 + p3 + p6]])
    return c[: len(a), : b.shape[1]]


def wrong_strassen__even_sides_only(a, b, cutoff=1):
    """Line 3"""
    (a11, a12), (a21, a22) = (np.hsplit(x, 2) for x in np.vsplit(a, 2))
    (b11, b12), (b21, b22) = (np.hsplit(x, 2) for x in np.vsplit(b, 2))
    p1, p2 = (a11 + a22) @ (b11 + b22), (a21 + a22) @ b11
    p3, p4 = a11 @ (b12 - b22), a22 @ (b21 - b11)
    p5, p6 = (a11 + a12) @ b22, (a21 - a11) @ (b11 + b12)
    p7 = (a12 - a22) @ (b21 + b22)
    return np.block([[p1 + p4 - p5 + p7, p3 + p5], [p2 + p4, p1 - p2 + p3 + p6]])


def wrong_strassen__odd_sides_as_usual(a, b, cutoff=1):
    """fill odd sides up with zeros"""
    if any(side % 2 for side in a.shape + b.shape):
        return a @ b
    a11, a12, a21, a22, b11, b12, b21, b22 = _quarters(a, b)
    p1, p2 = (a11 + a22) @ (b11 + b22), (a21 + a22) @ b11
    p3, p4 = a11 @ (b12 - b22), a22 @ (b21 - b11)
    p5, p6 = (a11 + a12) @ b22, (a21 - a11) @ (b11 + b12)
    p7 = (a12 - a22) @ (b21 + b22)
    return np.block([[p1 + p4 - p5 + p7, p3 + p5], [p2 + p4, p1 - p2 + p3 + p6]])


def wrong_strassen__not_cut(a, b, cutoff=1):
    """cut it off in the end"""
    a11, a12, a21, a22, b11, b12, b21, b22 = _quarters(a, b)
    p1, p2 = (a11 + a22) @ (b11 + b22), (a21 + a22) @ b11
    p3, p4 = a11 @ (b12 - b22), a22 @ (b21 - b11)
    p5, p6 = (a11 + a12) @ b22, (a21 - a11) @ (b11 + b12)
    p7 = (a12 - a22) @ (b21 + b22)
    return np.block([[p1 + p4 - p5 + p7, p3 + p5], [p2 + p4, p1 - p2 + p3 + p6]])


wrong_strassen__cut_to_the_wrong_matrix = slip(
    right_strassen__of_the_chapter, "c[: len(a), : b.shape[1]]", "c[: len(b), : a.shape[1]]")


def right_bracket_costs__formula(n, d):
    return 2 * n**2 * d, 2 * n * d**2


def right_bracket_costs__by_product(n, d):
    scores, out = n * d * n, n * n * d
    inner, outer = d * n * d, n * d * d
    return [scores + out, inner + outer]


def right_bracket_costs__counted(n, d):
    def cost(x, y):
        return x[0] * x[1] * y[1], (x[0], y[1])

    first, scores = cost((n, d), (d, n))
    second, _ = cost(scores, (n, d))
    third, inner = cost((d, n), (n, d))
    fourth, _ = cost((n, d), inner)
    return np.array([first + second, third + fourth])


def wrong_bracket_costs__one_product(n, d):
    """two products in each"""
    return n * n * d, n * d * d


def wrong_bracket_costs__order(n, d):
    """The two costs have changed places, or `n` and `d` have"""
    return 2 * n * d * d, 2 * n * n * d


def wrong_bracket_costs__entries_of_the_results(n, d):
    return n * n + n * d, d * d + n * d


def wrong_bracket_costs__weights_square(n, d):
    """QKᵀ is n × n"""
    return n * d * n + n * n * n, d * n * d + n * d * d


def wrong_bracket_costs__inner_as_outer(n, d):
    """KᵀV is d × d"""
    return n * d * n + n * n * d, n * d * n + n * d * d


def wrong_bracket_costs__only_the_first(n, d):
    return 2 * n * n * d


def wrong_bracket_costs__ratio(n, d):
    return 2 * n * n * d, 2 * n * n * d / d


def wrong_bracket_costs__with_additions(n, d):
    """count multiplications only"""
    return 4 * n * n * d, 4 * n * d * d


def wrong_matmul_outer__rows_of_a_columns_of_b(a, b):
    """take columns of a with rows of b"""
    c = np.zeros((a.shape[0], b.shape[1]))
    for k in range(a.shape[1]):
        c += np.outer(a[k], b[:, k])
    return c


def wrong_matmul_outer__smaller_side(a, b):
    """loop over the columns of a"""
    c = np.zeros((a.shape[0], b.shape[1]))
    for t in range(min(a.shape)):
        c = c + np.outer(a[:, t], b[t])
    return c


def wrong_strassen__halves_of_unlike_size(a, b, cutoff=1):
    """Only matrices with an odd side make it fail"""
    m, k, n = len(a) // 2, len(b) // 2, b.shape[1] // 2
    a11, a12, a21, a22 = a[:m, :k], a[:m, k:], a[m:, :k], a[m:, k:]
    b11, b12, b21, b22 = b[:k, :n], b[:k, n:], b[k:, :n], b[k:, n:]
    p1, p2 = (a11 + a22) @ (b11 + b22), (a21 + a22) @ b11
    p3, p4 = a11 @ (b12 - b22), a22 @ (b21 - b11)
    p5, p6 = (a11 + a12) @ b22, (a21 - a11) @ (b11 + b12)
    p7 = (a12 - a22) @ (b21 + b22)
    return np.block([[p1 + p4 - p5 + p7, p3 + p5], [p2 + p4, p1 - p2 + p3 + p6]])


def wrong_matmul_block__taken_away(a, b, size=2):
    """Line 10, `c[i : i + size, j : j + size] -= first @ second`: look at the operators"""
    (m, k), n = a.shape, b.shape[1]
    c = np.zeros((m, n), a.dtype)
    for i in range(0, m, size):
        for j in range(0, n, size):
            c[i : i + size, j : j + size] = a[i : i + size, :size] @ b[:size, j : j + size]
            for t in range(size, k, size):
                first, second = a[i : i + size, t : t + size], b[t : t + size, j : j + size]
                c[i : i + size, j : j + size] -= first @ second
    return c


def wrong_matmul_block__inner_loop_over_columns_of_b(a, b, size=2):
    """which meet the rows of b"""
    m, n = a.shape[0], b.shape[1]
    c = np.zeros((m, n))
    for i in range(0, m, size):
        for j in range(0, n, size):
            for k in range(0, n, size):
                c[i:i+size, j:j+size] += a[i:i+size, k:k+size] @ b[k:k+size, j:j+size]
    return c


def right_matmul_block__padded(a, b, size=2):
    m, k = a.shape
    n = b.shape[1]
    A = np.pad(a, ((0, -m % size), (0, -k % size)))
    B = np.pad(b, ((0, -k % size), (0, -n % size)))
    A = A.reshape(len(A) // size, size, -1, size)
    B = B.reshape(len(B) // size, size, -1, size)
    C = np.einsum("IiKk,KkJj->IiJj", A, B)
    return C.reshape(C.shape[0] * size, -1)[:m, :n]


def wrong_matmul_outer__by_the_operator(a, b):
    """It multiplies the matrices as they are"""
    return a @ b


wrong_strassen__corners_exchanged = slip(right_strassen__of_the_chapter, "p3 + p5], [p2 + p4", "p2 + p4], [p3 + p5",
    "upper right p3 + p5, lower left p2 + p4")


def wrong_bracket_costs__additions_counted(n, d):
    """Additions are counted, too"""
    return n * n * (2 * d - 1) + n * d * (2 * n - 1), d * d * (2 * n - 1) + n * d * (2 * d - 1)


def wrong_bracket_costs__second_product_of_a_vector(n, d):
    """The second product of each is counted with too few multiplications"""
    return n**2 * d + n * d, n * d**2 + d**2


def wrong_matmul_block__columns_whole(a, b, size=2):
    """cut the columns of b, too"""
    c = np.zeros((len(a), b.shape[1]))
    for i, t in product(range(0, len(a), size), range(0, len(b), size)):
        c[i : i + size] += a[i : i + size, t : t + size] @ b[t : t + size]
    return c
