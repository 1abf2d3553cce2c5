"""What every reading of the matrix product must satisfy, and how it is usually got wrong."""

import numpy as np

from mlnotes.blocks.matmul import (
    matmul_block,
    matmul_columns,
    matmul_dot,
    matmul_outer,
    matmul_rows,
    outer,
    strassen,
)
from mlnotes.checks.oldbank import Checks, Claim, Mistake, distance, frozen

_rng = np.random.default_rng(41)
_a, _b, _c, _square, _other, _u, _v, _long, _wide = frozen(
    _rng.normal(size=(5, 7)),
    _rng.normal(size=(7, 3)),
    _rng.normal(size=(3, 2)),
    _rng.normal(size=(4, 4)),
    _rng.normal(size=(4, 4)),
    _rng.normal(size=5),
    _rng.normal(size=3),
    _rng.normal(size=(13, 11)),
    _rng.normal(size=(11, 17)),
)
_whole, _numbers = frozen(*(_rng.integers(-9, 10, size=shape).astype(float) for shape in ((5, 7), (7, 3))))
_LAST_BITS = "sums of at most 11 products in float64: a few units of 1e-16"


def _exact():
    """Multiply by Python's integers."""
    a, b = _whole.astype(int).tolist(), _numbers.astype(int).tolist()
    return [[sum(a[i][t] * b[t][j] for t in range(7)) for j in range(3)] for i in range(5)]


def _torch(a, b):
    import torch

    return (torch.tensor(a) @ torch.tensor(b)).numpy()


def _transposed(x):
    return np.ascontiguousarray(x.T)


def rows_with_rows(a, b):
    """Take the dot products of the rows of both."""
    return a @ b.T if a.shape[1] == b.shape[1] else a @ b.reshape(-1, a.shape[1]).T


def entries_with_entries(a, b):
    """Multiply entry by entry, as ``*`` does."""
    return a * b


def order_exchanged(a, b):
    """Multiply the other way round."""
    return b @ a


def result_transposed(a, b):
    """Fill columns as if they were rows."""
    return (a @ b).T


def last_product_forgotten(a, b):
    """Let the sum end one term early."""
    return a[:, :-1] @ b[:-1]


def overwritten(a, b):
    """Assign each outer product instead of adding it: the last one stays."""
    return np.outer(a[:, -1], b[-1])


def rows_with_columns_outer(a, b):
    """Take outer products of rows of the left with columns of the right."""
    return sum(np.outer(a[t], b[:, t]) for t in range(min(len(a), b.shape[1])))


def summed_too_far(a, b):
    """Return the dot product, a number."""
    return (a[:, None] * b).sum()


def columns_as_rows(a, b):
    """Let the first vector give the columns."""
    return b[:, None] * a


def edge_left_out(a, b, size=2):
    """Go through whole blocks only."""
    c = np.zeros((len(a), b.shape[1]))
    whole = [n - n % size for n in (len(a), a.shape[1], b.shape[1])]
    c[: whole[0], : whole[2]] = a[: whole[0], : whole[1]] @ b[: whole[1], : whole[2]]
    return c


def blocks_overwritten(a, b, size=2):
    """Assign the product of blocks instead of adding it up: the last one stays."""
    last = (a.shape[1] - 1) // size * size
    return a[:, last:] @ b[last:]


def blocks_entry_by_entry(a, b, size=2):
    """Sum the blocks along the diagonal only."""
    c = np.zeros((len(a), b.shape[1]))
    for i in range(0, min(len(a), b.shape[1]), size):
        rows, columns = slice(i, i + size), slice(i, i + size)
        c[rows, columns] = a[rows] @ b[:, columns]
    return c


def _with_quarters(a, b, combine):
    """Multiply by quarters after filling odd sides up with zeros."""
    m, n = len(a), b.shape[1]
    a = np.pad(a, [(0, s % 2) for s in a.shape])
    b = np.pad(b, [(0, s % 2) for s in b.shape])
    (a11, a12), (a21, a22) = (np.hsplit(half, 2) for half in np.vsplit(a, 2))
    (b11, b12), (b21, b22) = (np.hsplit(half, 2) for half in np.vsplit(b, 2))
    p = (
        (a11 + a22) @ (b11 + b22),
        (a21 + a22) @ b11,
        a11 @ (b12 - b22),
        a22 @ (b21 - b11),
        (a11 + a12) @ b22,
        (a21 - a11) @ (b11 + b12),
        (a12 - a22) @ (b21 + b22),
    )
    return np.block(combine(*p))[:m, :n]


def sign_of_the_fifth(a, b, cutoff=64):
    """Add the fifth product where it is to be subtracted."""
    return _with_quarters(
        a, b, lambda p1, p2, p3, p4, p5, p6, p7: [[p1 + p4 + p5 + p7, p3 + p5], [p2 + p4, p1 - p2 + p3 + p6]]
    )


def corners_exchanged(a, b, cutoff=64):
    """Exchange the upper right and the lower left quarter."""
    return _with_quarters(
        a, b, lambda p1, p2, p3, p4, p5, p6, p7: [[p1 + p4 - p5 + p7, p2 + p4], [p3 + p5, p1 - p2 + p3 + p6]]
    )


def odd_sides_cut(a, b, cutoff=64):
    """Leave out the last row and column of odd sides."""
    c = np.zeros((len(a), b.shape[1]))
    m, k, n = (s - s % 2 for s in (*a.shape, b.shape[1]))
    c[:m, :n] = a[:m, :k] @ b[:k, :n]
    return c


def _claims():
    """List what holds for each way to multiply matrices."""
    return (
        Claim(
            "the transposed product is the product of the transposed, in the other order",
            lambda f: distance(f(_transposed(_b), _transposed(_a)), f(_a, _b).T),
            1e-12,
            _LAST_BITS,
        ),
        Claim(
            "three matrices may be bracketed either way",
            lambda f: distance(f(f(_a, _b), _c), f(_a, f(_b, _c))),
            1e-12,
            _LAST_BITS,
        ),
        Claim("the identity changes nothing", lambda f: distance(f(_a, np.eye(7)), _a), 1e-12, _LAST_BITS),
        Claim("Python's integers", lambda f: distance(f(_whole, _numbers), _exact()), 0.0, "exact", "oracle"),
        Claim("torch.matmul", lambda f: distance(f(_a, _b), _torch(_a, _b)), 1e-12, _LAST_BITS, "oracle"),
    )


_PROBES = ((_square, _other), (_a, _b))
_EVERYWHERE = (
    Mistake(
        entries_with_entries,
        "Only equal shapes fit, or shapes that broadcast, and entry i, j depends on two numbers",
        "a @ b sums along a row and a column; a * b does not",
    ),
    Mistake(rows_with_rows, "Entry i, j uses row j of b", "use the columns of b"),
    Mistake(order_exchanged, "The shapes must fit the other way round", "keep the order: AB is not BA"),
    Mistake(
        result_transposed, "Rows and columns of the result are exchanged", "row i of the result comes from row i of a"
    ),
)

OLD = (
    Checks(
        outer,
        probes=((_u, _v), (_u, _u[::-1].copy())),
        claims=(
            Claim(
                "all rows are multiples of the second vector",
                lambda f: distance(f(_u, _v) / _u[:, None], np.tile(_v, (5, 1))),
                1e-12,
                _LAST_BITS,
            ),
            Claim("exchanging the vectors transposes it", lambda f: distance(f(_v, _u), f(_u, _v).T)),
            Claim("numpy.outer", lambda f: distance(f(_u, _v), np.outer(_u, _v)), 0.0, "exact", "oracle"),
            Claim(
                "torch.outer",
                lambda f: distance(f(_u, _v), _torch(_u[:, None], _v[None])),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                columns_as_rows, "Rows and columns are exchanged", "a[:, None] * b: the first vector gives the rows"
            ),
            Mistake(summed_too_far, "The result is a number", "multiply, and do not sum"),
        ),
    ),
    Checks(
        matmul_dot,
        _PROBES,
        _claims(),
        (*_EVERYWHERE, Mistake(last_product_forgotten, "Every entry lacks one product", "sum over all columns of a")),
    ),
    Checks(matmul_columns, _PROBES, _claims(), _EVERYWHERE),
    Checks(matmul_rows, _PROBES, _claims(), _EVERYWHERE),
    Checks(
        matmul_outer,
        _PROBES,
        _claims(),
        (
            *_EVERYWHERE,
            Mistake(overwritten, "The result has rank one", "add each outer product to the ones before"),
            Mistake(
                rows_with_columns_outer,
                "The inner sizes must be the outer ones",
                "take columns of a with rows of b",
            ),
        ),
    ),
    Checks(
        matmul_block,
        probes=((_square, _other, 2), (_a, _b, 2), (_a, _b, 3)),
        claims=(
            *_claims(),
            Claim(
                "every size of block gives the same",
                lambda f: max(distance(f(_long, _wide, size), _long @ _wide) for size in (1, 2, 3, 5, 11, 100)),
                1e-12,
                _LAST_BITS,
            ),
        ),
        mistakes=(
            Mistake(edge_left_out, "The last rows and columns are zero", "let the last block be smaller"),
            Mistake(blocks_overwritten, "Only the last block column of a counts", "add up the products of blocks"),
            Mistake(
                blocks_entry_by_entry,
                "Blocks off the diagonal are zero",
                "go through all pairs of block row and column",
            ),
        ),
    ),
    Checks(
        strassen,
        probes=((_square, _other, 1), (_a, _b, 1)),
        claims=(
            *_claims(),
            Claim(
                "down to single numbers, for odd sides too",
                lambda f: distance(f(_long, _wide, 1), _long @ _wide),
                1e-12,
                "sums and differences of up to four levels: a few units of 1e-15",
            ),
        ),
        mistakes=(
            Mistake(sign_of_the_fifth, "The upper left quarter is wrong", "p1 + p4 - p5 + p7"),
            Mistake(corners_exchanged, "Two quarters are exchanged", "upper right p3 + p5, lower left p2 + p4"),
            Mistake(odd_sides_cut, "The last row and column are zero", "fill odd sides up with zeros"),
        ),
    ),
)
