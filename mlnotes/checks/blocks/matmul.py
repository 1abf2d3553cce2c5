"""What every reading of the matrix product must satisfy, and how it is usually got wrong."""

from dataclasses import replace

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
from mlnotes.checks.bank import Checks, Claim, Mistake, call, distance, frozen, oracle
from mlnotes.counting import count_operations

_rng = np.random.default_rng(41)
_a, _b, _c, _deep_a, _deep_b, _four, _other, _eight, _eighth, _u, _v, _long, _wide = frozen(_rng.normal(size=(5, 7)),
    _rng.normal(size=(7, 3)), _rng.normal(size=(3, 2)), _rng.normal(size=(2, 3, 5)), _rng.normal(size=(2, 5, 7)),
    _rng.normal(size=(4, 4)), _rng.normal(size=(4, 4)), _rng.normal(size=(8, 8)), _rng.normal(size=(8, 8)),
    _rng.normal(size=5), _rng.normal(size=3), _rng.normal(size=(13, 11)), _rng.normal(size=(11, 17)))
_two, _twice, _flat, _tall, _three, _whole, _numbers = frozen(np.array([[1.0, 2.0], [3.0, 4.0]]),
    np.array([[0.0, 1.0], [-1.0, 5.0]]), np.array([[1.0, 2.0, 0.0], [-1.0, 1.0, 3.0]]),
    np.array([[2.0, 1.0], [0.0, -1.0], [4.0, 5.0]]), np.array([[1.0, 2.0, 0.0], [-1.0, 1.0, 3.0], [2.0, 4.0, -2.0]]),
    *(_rng.integers(-9, 10, size=shape).astype(float) for shape in ((5, 7), (7, 3))))
_LAST_BITS = {"tolerance": 1e-12, "why": "sums of at most 11 products in float64: a few units of 1e-16"}
_LEVELS = {"tolerance": 1e-12, "why": "sums and differences of up to four levels: a few units of 1e-14"}


def bracket_costs(n, d):
    """Count the multiplications in (Q Kᵀ) V and in Q (Kᵀ V), for matrices of n rows and d columns."""
    return 2 * n * n * d, 2 * n * d * d


class _Watched(np.ndarray):
    """An array that notes which products are taken with it."""

    products = ()

    @classmethod
    def note(cls, operation, inputs):
        arrays = [it for it in inputs if isinstance(it, np.ndarray)]
        both = all(isinstance(it, _Watched) for it in arrays)
        if operation in (np.matmul, np.dot, np.einsum, np.inner, np.tensordot) or (operation is np.multiply and both):
            cls.products += ((operation, *(it.shape for it in arrays)),) * (len(arrays) == 2)

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **named):
        self.note(ufunc, inputs)
        given = {} if out is None else {"out": tuple(map(np.asarray, out))}
        # A Python number stays one: as an array it would make float32 float64.
        plain = (np.asarray(it) if isinstance(it, np.ndarray) else it for it in inputs)
        result = getattr(ufunc, method)(*plain, **given, **named)
        return out[0] if out else np.asarray(result).view(_Watched)

    def __array_function__(self, function, types, arguments, named):
        self.note(function, arguments)
        result = super().__array_function__(function, types, arguments, named)
        return result.view(_Watched) if isinstance(result, np.ndarray) else result

    def dot(self, other):
        return np.dot(self, other)


def _watched(version, a, b, *limit, **named):
    """Call a version, and list the shapes between which it takes products."""
    _Watched.products = ()
    result = version(a.view(_Watched), b.view(_Watched), *limit, **named)
    return np.asarray(result) if isinstance(result, _Watched) else result, _Watched.products


def _not_whole(version, a, b):
    """Refuse the product itself, unless it is that of a column and a row, or a sum that is written down."""
    result, products = _watched(version, a, b)
    if a.shape[-1] > 1 and any(it is not np.einsum and shapes == [a.shape, b.shape] for it, *shapes in products):
        raise AssertionError("it multiplies the matrices as they are")
    return result


def _in_blocks(version, a, b, size=None):
    """Refuse blocks that are larger than they should be."""
    result, products = _watched(version, a, b, *[] if size is None else [size])
    # Where blocks are stacked, their sides may be any two axes of the stack.
    sides = [sorted(it)[:2] if len(it) > a.ndim else it[-2:] for _, *shapes in products for it in shapes]
    largest = max(map(max, filter(None, sides)), default=0)
    if size is not None and largest > size:
        raise AssertionError(f"it multiplies blocks with {largest} rows or columns, where `size` is {size}")
    return result


def _with_seven(version, a, b, cutoff=None):
    """Refuse eight products of quarters, where seven do, and whole matrices; odd sides are not counted."""
    result, products = _watched(version, a, b, *[] if cutoff is None else [cutoff])
    m, k, n = a.shape[-2], a.shape[-1], b.shape[-1]
    halved = cutoff is not None and min(m, k, n) > cutoff
    if halved and any(shapes == [a.shape, b.shape] for _, *shapes in products):
        raise AssertionError("it multiplies the matrices as they are")
    taken = sum(np.broadcast(np.empty(one), np.empty(other)).size if operation is np.multiply else np.prod(one)
        * other[-1] for operation, one, other in products)
    if halved and not (m % 2 or k % 2 or n % 2) and taken > 7 / 8 * m * k * n:
        raise AssertionError("it takes as many multiplications as three loops do")
    return result


def _exact(a, b):
    """Multiply by Python's integers."""
    return [[sum(int(x) * int(y) for x, y in zip(row, column, strict=True)) for column in b.T] for row in a]


def _torch(a, b):
    import torch

    return (torch.tensor(a) @ torch.tensor(b)).numpy()


def _transposed(x):
    return np.ascontiguousarray(x.T)


def _counted(n, d):
    q, k, v = np.ones((3, n, d))
    both = (lambda q, k, v: q @ k.T @ v, lambda q, k, v: q @ (k.T @ v))
    return tuple(count_operations(product, q, k, v)["multiply"] for product in both)


def _whole_blocks(a, b, size=64):
    c = np.zeros((len(a), b.shape[1]))
    m, k, n = (side - side % size for side in (*a.shape, b.shape[1]))
    c[:m, :n] = matmul_block(a[:m, :k], b[:k, :n], size) if m * k * n else 0
    return c


def _eight_products(a, b, cutoff=64):
    if min(a.shape[-2], a.shape[-1], b.shape[-1]) <= cutoff:
        return a @ b
    return matmul_block(a, b, max(-(-side // 2) for side in (*a.shape[-2:], b.shape[-1])))


def _odd_sides_cut(a, b, cutoff=64):
    c = np.zeros((len(a), b.shape[1]))
    m, k, n = (side - side % 2 for side in (*a.shape, b.shape[1]))
    c[:m, :n] = strassen(a[:m, :k], b[:k, :n], cutoff) if m * k * n else 0
    return c


def _rows_with_columns(a, b):
    c = np.zeros((a.shape[0], b.shape[1]))
    for t in range(a.shape[1]):
        c += np.outer(a[t], b[:, t])
    return c


def _filled(a, b, cutoff=64):
    return np.pad(strassen(a, b, cutoff), [(0, side % 2) for side in (len(a), b.shape[1])])


def _corners_exchanged_once(a, b, cutoff=64):
    c = _filled(a, b, cutoff)
    upper, lower = (np.split(half, 2, axis=1) for half in np.split(c, 2))
    return np.block([[upper[0], lower[0]], [upper[1], lower[1]]])[: len(a), : b.shape[1]]


_CLAIMS = (
    Claim("the transposed product is the product of the transposed, in the other order",
        lambda f: distance(f(_transposed(_b), _transposed(_a)), f(_a, _b).T), **_LAST_BITS),
    Claim("three matrices may be bracketed either way", lambda f: distance(f(f(_a, _b), _c), f(_a, f(_b, _c))),
        **_LAST_BITS),
    Claim("the identity changes nothing", lambda f: distance(f(_a, np.eye(7)), _a), **_LAST_BITS),
    oracle("Python's integers", _exact, call(_whole, _numbers)),
    oracle("torch.matmul", _torch, call(_a, _b), call(_deep_a, _deep_b), **_LAST_BITS),
)
_EVERYWHERE = (
    Mistake("entries with entries", lambda a, b, *_: a * b,
        "Only equal shapes fit, or shapes that broadcast, and entry i, j depends on two numbers",
        "a @ b sums along a row and a column; a * b does not",
        "a textbook's code, databook_python, pull request 2 (2020)"),
    Mistake("rows with rows", lambda a, b, *_: a @ b.mT, "Entry i, j uses row j of b", "use the columns of b"),
)


def _cases(*limits):
    """Multiply all sorts of shapes, each with the next of the limits, if there are any."""
    pairs = (
        call(_two, _twice), call(_flat, _tall), call(_tall, _flat),
        call(_tall[:, :1], _flat[:1, :2]).about("a column times a row"),
        call(_flat[:1], _tall[:, :1]).about("a row times a column"), call(_a, _b),
        call(_flat.astype(np.float32), _tall.astype(np.float32)).about("float32", edge=True),
        call(_deep_a, _deep_b).about("stacks of matrices", edge=True))
    if not limits:
        return pairs
    given = [call(*it.arguments, n).about(it.says, it.edge) for it, n in zip(pairs, 9 * limits, strict=False)]
    return (*given, call(_whole, _numbers).about("matrices alone", edge=True))


_ODD = ("Only matrices with an odd side make it fail: fill odd sides up with zeros, below and on the right, and cut "
    "these off in the end.")


def _with_hint(case):
    is_odd = any(side % 2 for x in case.arguments[:2] for side in x.shape)
    return replace(case, hint=_ODD * is_odd)


CHECKS = (
    Checks(outer,
        cases=(
            call(np.array([1.0, 2.0]), np.array([3.0, 5.0, -1.0])), call(np.array([1.0, 2.0]), np.array([3.0, 0.0])),
            call(_u, _v), call(_a, _b[:5]).about("two tables of vectors", edge=True)),
        claims=(
            Claim("all rows are multiples of the second vector",
                lambda f: distance(f(_u, _v) / _u[:, None], np.tile(_v, (5, 1))), **_LAST_BITS),
            Claim("exchanging the vectors transposes it", lambda f: distance(f(_v, _u), f(_u, _v).T)),
            oracle("numpy.outer", np.outer, call(_u, _v)),
            oracle("torch.matmul of a column and a row", lambda a, b: _torch(a[:, None], b[None]), call(_u, _v))),
        mistakes=(
            Mistake("summed too far", lambda a, b: (a[:, None] * b).sum(), "The result is a number",
                "multiply, and do not sum"),
            Mistake("entries with entries", lambda a, b: a * b, "Only vectors of one length fit",
                "take every number with every: a[:, None] * b"))),
    Checks(matmul_dot,
        cases=_cases(),
        claims=_CLAIMS,
        mistakes=(
            *_EVERYWHERE,
            Mistake("last product forgotten", lambda a, b: a[..., :-1] @ b[..., :-1, :],
                "Every entry lacks one product", "sum over all columns of a"))),
    Checks(matmul_columns, _cases(), _CLAIMS, _EVERYWHERE),
    Checks(matmul_rows, _cases(), _CLAIMS, _EVERYWHERE),
    Checks(matmul_outer, run=_not_whole,
        cases=_cases(),
        claims=_CLAIMS,
        mistakes=(
            *_EVERYWHERE,
            Mistake("overwritten", lambda a, b: outer(a[..., -1], b[..., -1, :]), "The result has rank one",
                "add each outer product to the ones before"),
            Mistake("not added", lambda a, b: np.stack([outer(a[..., t], b[..., t, :]) for t in range(a.shape[-1])]),
                "There is a matrix for each column of a", "add them up: sum(axis=0)"),
            *(Mistake("rows with columns", it, "For square matrices it gives (BA)ᵀ, and most others do not fit",
                "take columns of a with rows of b") for it in (("a[..., t], b[..., t, :]", "a[..., t, :], b[..., t]"),
                _rows_with_columns)),
            Mistake("smaller side as inner", ("range(a.shape[-1])", "range(min(a.shape[-2:]))"),
                "Wide matrices lose products", "loop over the columns of a, however few rows there are"),
            Mistake("outer size as inner", ("range(a.shape[-1])", "range(a.shape[-2])"),
                "Wide matrices lose products, tall ones raise an error", "loop over the columns of a"))),
    Checks(matmul_block, run=_in_blocks,
        cases=(
            *_cases(1, 2), call(_four, _other, 2), call(_a, _b, 3).about("a size that divides one side of three"),
            call(_long, _wide, 5).about("a size that divides no side"),
            call(_flat, _tall, 100).about("one block is larger than all"),
            call(_four, _other).about("no size: the default", edge=True)),
        claims=(
            *_CLAIMS,
            Claim("every size of block gives the same",
                lambda f: max(distance(f(_long, _wide, size), _long @ _wide) for size in (1, 2, 3, 5, 11, 100)),
                **_LAST_BITS)),
        mistakes=(
            *_EVERYWHERE,
            Mistake("edge left out", _whole_blocks,
                "What `size` leaves over of a side is lost: rows and columns of zeros, or products",
                "let the last block be smaller", "TileLang, issue 2537 (2026)"),
            Mistake("blocks overwritten", (("return sum(", "return [*("), ("for t in inner)", "for t in inner)][-1]")),
                "Only the last block column of a counts", "add up the products of blocks"),
            Mistake("diagonal blocks only", ("for t in inner)", "for t in inner) * (i == j)"),
                "Blocks off the diagonal are zero", "go through all pairs of block row and column"),
            Mistake("inner side whole", (("range(0, k, size)", "[0]"), ("size, t : t + size]", "size, :]"),
                ("[..., t : t + size, j", "[..., :, j")), "Blocks are as long as the inner side",
                "cut the inner side into blocks, too"),
            Mistake("outer sides whole", (("range(0, n, size)", "[0]"), ("range(0, m, size)", "[0]"),
                ("i : i + size, t : t + size]", "t : t + size]"), ("t : t + size, j : j + size]", "t : t + size, :]")),
                "Blocks have all rows of a and all columns of b", "cut the rows and the columns, too"),
            Mistake("blocks of two", ("m, k, n = a.shape[-2], a.shape[-1], b.shape[-1]",
                "m, k, n, size = a.shape[-2], a.shape[-1], b.shape[-1], 2"),
                "Blocks have two rows and columns whatever `size` is", "use `size` in the ranges and slices"),
            Mistake("nothing is cut", lambda a, b, size=64: a @ b, "Whole matrices are multiplied, whatever `size` is",
                "cut rows, columns and the inner side into pieces of at most `size`"),
            Mistake("inner side as long as the outer one", ("range(0, k, size)", "range(0, n, size)"),
                "It is right where b has as many rows as columns",
                "the inner loop goes over the columns of a, which meet the rows of b"),
            Mistake("columns whole", (("range(0, n, size)", "[0]"), ("t : t + size, j : j + size]",
                "t : t + size, :]")), "Blocks have all columns of b", "cut the columns of b, too"))),
    Checks(strassen, run=_with_seven,
        cases=tuple(map(_with_hint, (
            *_cases(1, 2), call(_four, _other, 1),
            call(_long[:4, :6].copy(), _wide[:6, :2].copy(), 1).about("even sides of three lengths"),
            call(_long[:4, :2].copy(), _wide[:2, :6].copy(), 1).about("more columns than rows"),
            call(_three, _three[::-1].copy(), 1).about("odd sides"), call(_eight, _eighth, 3)))),
        claims=(
            *_CLAIMS,
            oracle("numpy.matmul, down to single numbers", lambda a, b, cutoff: a @ b, call(_long, _wide, 1),
                call(_a, _b, 1), **_LEVELS)),
        mistakes=(
            Mistake("eight products", _eight_products, "It takes as many multiplications as eight products of quarters",
                "combine them to seven"),
            Mistake("nothing is halved", ("if min(m, a.shape[-1], n) <= cutoff:", "if True:"),
                "Whole matrices are multiplied, whatever `cutoff` is", "cut them into quarters"),
            Mistake("odd sides not halved", ("if min(m, a.shape[-1], n) <= cutoff:",
                "if min(m, a.shape[-1], n) <= cutoff or m % 2 or a.shape[-1] % 2 or n % 2:"),
                "Matrices with an odd side are multiplied whole", "fill odd sides up with zeros"),
            *(Mistake("sign of the fifth", ("p1 + p4 - p5 + p7", it), "The upper left quarter is wrong",
                "p1 + p4 - p5 + p7") for it in ("p1 + p4 + p5 + p7", "p1 + p4 + p7")),
            Mistake("columns of a", lambda a, b, cutoff=64: _filled(a, b, cutoff)[: len(a), : a.shape[1]],
                "The result has as many columns as a, or fewer", "cut the filling off at the columns of b"),
            Mistake("corners exchanged", ("p3 + p5], [p2 + p4,", "p2 + p4], [p3 + p5,"), "Two quarters are exchanged",
                "upper right p3 + p5, lower left p2 + p4", "ml-matrix, pull request 217 (2026)"),
            Mistake("odd sides cut", _odd_sides_cut,
                "An odd side loses its last row or column, an odd inner side a product of each entry",
                "fill odd sides up with zeros"),
            Mistake("filling left on", _filled, "Odd sides come back with a row or column of zeros",
                "cut it off in the end", "ml-matrix, issue 114 (2020)"),
            *(Mistake("corners exchanged", it, "Two quarters are exchanged",
                "upper right p3 + p5, lower left p2 + p4", "ml-matrix, pull request 217 (2026)") for it in (
                _corners_exchanged_once, lambda a, b, cutoff=64: (strassen if min(*a.shape, b.shape[1]) <= cutoff
                else _corners_exchanged_once)(a, b, cutoff))))),
    Checks(bracket_costs,
        cases=(call(3, 2), call(2, 3), call(16, 4), call(5, 5), call(1000, 64)),
        claims=(
            Claim("both cost the same where n = d", lambda f: float(f(7, 7)[0] - f(7, 7)[1])),
            Claim("the second is cheaper as soon as n > d", lambda f: float(f(8, 7)[1] >= f(8, 7)[0])),
            oracle("multiplications counted by doing them", _counted, call(5, 3), call(2, 7))),
        mistakes=(
            Mistake("one product", ("2 * n * n * d, 2 * n * d * d", "n * n * d, n * d * d"),
                "Both are half of what they should be", "there are two products in each"),
            Mistake("additions, too", ("2 * n * n * d, 2 * n * d * d", "4 * n * n * d, 4 * n * d * d"),
                "Both are twice what they should be", "count multiplications only"),
            Mistake("costs exchanged", ("2 * n * n * d, 2 * n * d * d", "2 * n * d * d, 2 * n * n * d"),
                "The two costs have changed places, or `n` and `d` have",
                "QKᵀ is n × n, and each of its entries takes d multiplications"),
            *(Mistake("entries of KᵀV miscounted", ("2 * n * d * d", it),
                "The second counts the wrong number of entries, or of multiplications for one",
                "KᵀV is d × d with n multiplications for each entry, and Q(KᵀV) is n × d with d for each") for it in (
                "2 * d**3", "n * d * d + d**3", "n * n * d + n * d * d")),
            *(Mistake("entries of QKᵀ miscounted", ("2 * n * n * d,", it),
                "The first counts the wrong number of entries, or of multiplications for one",
                "QKᵀ is n × n with d multiplications for each entry, and (QKᵀ)V is n × d with n for each") for it in (
                "2 * n**3,", "n**3 + n * n * d,", "n * n * d + n * d * d,")),
            Mistake("same for both", ("2 * n * d * d", "2 * n * n * d"), "Both cost the same",
                "Kᵀ V has d rows and d columns: no n × n matrix comes up"),
            Mistake("additions counted one by one", ("2 * n * n * d, 2 * n * d * d",
                "n * n * (2 * d - 1) + n * d * (2 * n - 1), d * d * (2 * n - 1) + n * d * (2 * d - 1)"),
                "Additions are counted, too", "count multiplications only"),
            Mistake("second product too cheap",
                ("2 * n * n * d, 2 * n * d * d", "n * n * d + n * d, n * d * d + d * d"),
                "The second product of each is counted with too few multiplications",
                "both give n × d numbers: (QKᵀ)V takes n multiplications for each, Q(KᵀV) takes d"))),
)
