"""What LU decomposition and what is solved with it must satisfy, and how they are usually got wrong."""
# ruff: noqa: E741 (the lower triangular factor is called l, as in the formula)

import math

import numpy as np

from mlnotes.blocks.lu import (
    backward_substitution,
    blocked_lu,
    det,
    doolittle,
    forward_substitution,
    growth_factor,
    inverse,
    largest_growth_matrix,
    lu,
    lu_solve,
    slogdet,
)
from mlnotes.checks.bank import Checks, Claim, Mistake, call, distance, frozen, oracle
from mlnotes.diagnosis.source import edited

_rng = np.random.default_rng(23)
_square, _tall, _wide, _singular, _leading, _cycle, _sizes, _many, _graded, _skew, _whole, _two, _negative = frozen(
    _rng.normal(size=(5, 5)), _rng.normal(size=(7, 3)), _rng.normal(size=(3, 7)), np.array([[2.0, 4.0, 1.0],
    [1.0, 2.0, 3.0], [4.0, 8.0, 5.0]]), np.array([[0.0, 1.0], [2.0, 3.0]]), np.array([[0.0, 5.0, 1.0], [2.0, 1.0, 6.0],
    [7.0, 2.0, 3.0]]), np.diag([1e200, 1e200, -1e-200, 1e-200]), _rng.normal(size=(5, 3)),
    np.array([[1e-20, 1.0], [1.0, 1.0]]), np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 10.0]]),
    np.array([[2.0, 4.0, -2.0], [4.0, 9.0, -3.0], [-2.0, -3.0, 7.0]]), np.array([[2.0, 1.0], [4.0, 5.0]]),
    np.array([[1.0, 2.0], [-4.0, 3.0]]))
_triangle, _rhs = frozen(np.tril(_rng.normal(size=(5, 5))) + 3 * np.eye(5), _rng.normal(size=5))
# In its last step an entry shrinks again: U does not show how far it had grown.
_shrinking = frozen(np.array([[2.0, -3.0, 3.0], [-3.0, 2.0, -3.0], [-1.0, -1.0, 3.0]]))[0]
_zeros = np.array([[2.0, 1.0, 1.0], [4.0, 0.0, 3.0], [0.0, 5.0, 1.0]])
_dominant, _huge, _swapped = frozen(_square + 7 * np.eye(5), np.diag([1e300, 1e300]), np.eye(5)[[1, 0, 4, 2, 3]])
_worst = frozen(largest_growth_matrix(5))[0]
_MATRICES = (_square, _tall, _wide, _singular, _leading, _cycle, _graded)
_ROUNDING = {"tolerance": 50 * 7 * np.finfo(float).eps, "why": "50 n eps for n up to 7"}
_CONDITION = {"tolerance": 1e-12, "why": "rounding errors times a condition number below 3,000"}


def rows_without_digits():
    """Count the rows from which on a 1 is lost beside the last entry of the matrix of largest growth."""
    return 54


def _backward(f):
    return max(distance(p @ l @ u / np.abs(a).max(), a / np.abs(a).max()) for a in _MATRICES for p, l, u in [f(a)])


def _triangular(f):
    found = [(l, u) for _, l, u in map(f, _MATRICES)]
    return max(max(distance(np.triu(l), np.eye(*l.shape)), distance(np.tril(u, -1), 0 * u)) for l, u in found)


def _permutes(f):
    found = [f(a)[0] for a in _MATRICES]
    return max(max(distance(p @ p.T, np.eye(len(p))), distance(np.sort(p, axis=0)[-1], np.ones(len(p)))) for p in found)


def _scipy(a, block=None):
    import scipy.linalg

    return scipy.linalg.lu(a)


def _torch(a, block=None):
    import torch

    return [it.numpy() for it in torch.linalg.lu(torch.tensor(a))]


def _parts(f, *arguments, **named):
    """Put factors into one array, as oracles are compared."""
    return np.concatenate([np.ravel(it) for it in f(*arguments, **named)])


def _factors(*block):
    """Claim of a decomposition, in blocks or not, what makes it one."""
    give = lambda f: lambda a: f(a, *block)  # noqa: E731
    return (Claim("PLU is the matrix", lambda f: _backward(give(f)), **_ROUNDING),
        Claim("L is lower triangular with ones on its diagonal, and U is upper triangular",
        lambda f: _triangular(give(f))), Claim("P permutes", lambda f: _permutes(give(f))),
        Claim("no multiplier is larger than 1", lambda f: max(max(0.0, float(np.abs(f(a, *block)[1]).max() - 1))
        for a in _MATRICES)), oracle("scipy.linalg.lu", _scipy, *(call(a, *block) for a in (_square, _tall, _wide,
        _cycle)), run=_parts, **_CONDITION), oracle("torch.linalg.lu", _torch, call(_tall, *block), run=_parts,
        **_CONDITION))


def _calls(*block):
    matrices = ((call(_two, *block), ""), (call(_negative, *block), "a negative pivot"),
        (call(_leading, *block), "a leading zero"), (call(_graded, *block), "a small pivot"),
        (call(_cycle, *block), "three rows that change places"), (call(np.array([[0, 2, 1], [0, 3, 5], [0, 6, 1]]),
        *block), "integers, the first column of zeros"),
        (call(_singular, *block), "columns that depend on each other"), (call(_square, *block), ""),
        (call(_tall, *block), "more rows than columns"),
        (call(1e-20 * _wide, *block), "more columns than rows, numbers of 1e-20"),
        (call(np.zeros((3, 2)), *block), "a matrix of zeros"))
    return *(it.about(says) for it, says in matrices), call(_square.astype(np.float32), *block).about("float32")


def _by_schur_complements(a):
    a = np.transpose(_scipy(a)[0]) @ a
    largest = [np.abs(a).max()]
    for k in range(1, min(a.shape)):
        rest = a[k:, k:] - a[k:, :k] @ np.linalg.solve(a[:k, :k], a[:k, k:])
        largest.append(np.abs(rest).max(initial=0.0))
    return max(largest) / largest[0]


def _by_minors(a, sign=-1.0):
    if len(a) == 1:
        return a[0, 0]
    return sum(sign**j * x * _by_minors(np.delete(a[1:], j, 1), sign) for j, x in enumerate(a[0]))


def _without_exchanges(a):
    """Multiply the pivots as they come, up to the first zero."""
    u, product = np.array(a, float), 1.0
    for j in range(len(u)):
        if u[j, j] == 0:
            return 0.0
        product *= u[j, j]
        u[j + 1 :] -= np.outer(u[j + 1 :, j] / u[j, j], u[j])
    return float(product)


def _echelon(a):
    """Go on to the next column with the same row where a column has no pivot left."""
    u, row, k = a / 1, 0, min(a.shape)
    p, l = np.eye(len(a), dtype=u.dtype), np.eye(len(a), dtype=u.dtype)
    for column in range(u.shape[1]):
        best = row + np.argmax(np.abs(u[row:, column])) if row < len(u) else None
        if best is None or u[best, column] == 0:
            continue
        for x in (u, l[:, :row], p.T):
            x[[row, best]] = x[[best, row]]
        l[row + 1 :, row] = u[row + 1 :, column] / u[row, column]
        u[row + 1 :] -= np.outer(l[row + 1 :, row], u[row])
        u[row + 1 :, column] = 0
        row += 1
    return p, l[:, :k], u[:k]


def _truncated(a):
    """Eliminate in an array of the dtype of a, in which integers lose their fractions."""
    u, signs = np.array(a), 1.0
    for j in range(len(u)):
        best = j + np.abs(u[j:, j]).argmax()
        u[[j, best]], signs = u[[best, j]], -signs if best != j else signs
        for i in range(j + 1, len(u) if u[j, j] else 0):
            u[i] = u[i] - u[i, j] / u[j, j] * u[j]
    sign, logarithm = np.linalg.slogdet(np.diag(np.diag(u)))
    return float(signs * sign * np.exp(logarithm))


def _scipy_triangular(lower):
    def solve(t, b):
        import scipy.linalg

        return scipy.linalg.solve_triangular(t, b, lower=lower)

    return solve


def _in_two_arrays(a):
    """Eliminate with multipliers in an array of their own, as most readers do."""
    m, k = len(a), min(np.shape(a))
    u = np.array(a, np.result_type(a, np.float32))
    l, order = np.zeros((m, k), u.dtype), np.arange(m)
    for j in range(k):
        best = j + abs(u[j:, j]).argmax()
        for array in (u, l, order):
            array[[j, best]] = array[[best, j]]
        if u[j, j] != 0:
            l[j + 1 :, j] = u[j + 1 :, j] / u[j, j]
            u[j + 1 :] -= np.outer(l[j + 1 :, j], u[j])
    return np.eye(m, dtype=u.dtype)[:, order], l + np.eye(m, k, dtype=u.dtype), np.triu(u[:k])


_ONES = "l + np.eye(m, k, dtype=u.dtype)"
_with_ones_from_the_start = edited(_in_two_arrays, (("np.zeros((m, k), u.dtype)", "np.eye(m, k, dtype=u.dtype)"),
    (_ONES, "l")))


_SIZES = "\n    sizes = abs(u).max(1) + np.finfo(u.dtype).tiny"
_by_relative_size = edited(_in_two_arrays, (("np.arange(m)", f"np.arange(m){_SIZES}"), ("abs(u[j:, j]).argmax()",
    "(abs(u[j:, j]) / sizes[j:]).argmax()"), ("(u, l, order)", "(u, l, order, sizes)")))


# Ones are set step by step, and what is below the diagonal of U is left there.
_ONES_ON_THE_WAY = (("        if u[j, j] != 0:", "        l[j, j] = 1\n        if u[j, j] != 0:"),
    (_ONES, "l"))
_NOT_CUT = "np.triu(u[:k])", "u[:k]"
_BELOW_LEFT = edited(_in_two_arrays, (("j + abs(u[j:, j]).argmax()", "j"), _NOT_CUT))


def _both(name, edit, in_two_arrays, *told):
    """List a mistake in one array and in two, which go on differently."""
    eliminated = edited(_in_two_arrays, (in_two_arrays,))
    ones = edited(_in_two_arrays, (in_two_arrays, *_ONES_ON_THE_WAY))
    below = edited(_in_two_arrays, (in_two_arrays, _NOT_CUT))
    return (Mistake(name, edit, *told), *(Mistake(name, lambda a, *block, version=version: version(a), *told)
        for version in (eliminated, ones, below)))


def _stopped(*told):
    """List elimination that ends with the first column of zeros: in one array it leaves what it met in L as well."""
    name, stop = "stopped at a column of zeros", "== 0:\n            break\n        if True:\n"
    found = "if u[j, j] != 0:\n", f"if u[j, j] {stop}"
    versions = edited(_in_two_arrays, (found,)), edited(_in_two_arrays, (found, _NOT_CUT))
    return (Mistake(name, ("if a[k, k] != 0:\n", f"if a[k, k] {stop}"), *told), *(Mistake(name,
        lambda a, *block, version=version: version(a), *told) for version in versions))


_PIVOT, _RETURNED = "np.argmax(np.abs(a[k:, k]))", "return p, _unit_lower(a[:, :k]), np.triu(a[:k])"
_EXCHANGED, _UNGUARDED = "x[[k, pivot]] = x[[pivot, k]]", ("_require_room(a)", "pass")
_ELIMINATION = (
    *_both("no exchange of rows", ((f"k + {_PIVOT}", "k"), _UNGUARDED), ("j + abs(u[j:, j]).argmax()", "j"),
        "A leading zero cannot be eliminated with, and a small pivot loses all digits",
        "exchange rows so that the largest entry left in the column becomes the pivot"),
    Mistake("no exchange of rows", lambda a, *block: _BELOW_LEFT(a),
        "A leading zero cannot be eliminated with, and a small pivot loses all digits",
        "exchange rows so that the largest entry left in the column becomes the pivot"),
    *_stopped(
        "What comes after a column without a pivot is not eliminated",
        "leave the column alone, and go on one row and one column further"),
    Mistake("largest value for pivot", (_PIVOT, "np.argmax(a[k:, k])"),
        "Large negative entries are passed over, so that multipliers exceed 1 in size or a 0 becomes the pivot",
        "take the argmax of absolute values"),
    Mistake("first that is not zero", (_PIVOT, "np.argmax(a[k:, k] != 0)"),
        "A small pivot loses all digits, because it is not zero", "exchange rows always, for the largest pivot"),
    *_both("rows counted from the top", ((f"k + {_PIVOT}", _PIVOT), _UNGUARDED), ("j + abs", "abs"),
        "Rows that are done with are exchanged again, and PLU is another matrix",
        "argmax of a[j:, j] counts from row j: add j"),
    *_both("whole column searched", ((f"k + {_PIVOT}", "np.argmax(np.abs(a[:, k]))"), _UNGUARDED),
        ("j + abs(u[j:, j])", "abs(u[:, j])"),
        "Rows that are done with are exchanged again, and PLU is another matrix",
        "look for the pivot from the diagonal down, in a[j:, j]"),
    *_both("one row copied over another", ((_EXCHANGED, "x[k], x[pivot] = x[pivot], x[k]"), _UNGUARDED),
        ("array[[j, best]] = array[[best, j]]", "array[j], array[best] = array[best], array[j]"),
        "One of the rows to be exchanged is lost, and the other stands twice",
        "x[j], x[i] = x[i], x[j] exchanges numbers, but no rows, which are views: write x[[j, i]] = x[[i, j]]"),
    Mistake("multipliers left behind", (_EXCHANGED, "y = x if x is rows else x[:, k:]; y[[k, pivot]] = y[[pivot, k]]"),
        "PLU is another matrix as soon as rows are exchanged after the first step",
        "exchange whole rows, with the multipliers found so far"),
    Mistake("permutation transposed", ("[:, rows]", "[rows]"),
        "PLU is another matrix where rows change places in a cycle of three or more",
        "return the transpose: A = PLU says that PᵀA = LU",
        "Nemo.jl, pull request 309 (2017), where PA = LU was promised"),
    Mistake("zero pivot divided by", (("if a[k, k] != 0:", "if True:"), _UNGUARDED),
        "Where the pivot is 0, 0 / 0 makes the rows below it nan",
        "leave a column alone where nothing is left to eliminate"),
    *_both("rows exchanged for zeros only", (f"k + {_PIVOT}", f"k + (a[k, k] == 0) * {_PIVOT}"),
        ("j + abs(u[j:, j]).argmax()", "j + (u[j, j] == 0) * abs(u[j:, j]).argmax()"),
        "A small pivot loses all digits, because it is not zero", "exchange rows always, for the largest pivot"),
    Mistake("rows scaled", lambda a, *block: _by_relative_size(a),
        "The pivot is the entry that is largest relative to its row, and multipliers exceed 1 in size",
        "the pivot is the largest entry itself, not relative to its row"),
    Mistake("multipliers with minus signs",
        ("_unit_lower(a[:, :k])", "2 * np.eye(len(a), k, dtype=a.dtype) - _unit_lower(a[:, :k])"),
        "L has the multipliers with the signs of the steps",
        "a step subtracts, and L undoes it: keep them with plus signs"),
    Mistake("ones exchanged", lambda a, *block: _with_ones_from_the_start(a),
        "The ones of L change places with their rows",
        "exchange the multipliers found so far, l[:, :j], or add the ones at the end"),
    Mistake("diagonal in l",
        (_RETURNED, "d = np.diag(a); return p, _unit_lower(a[:, :k]) * d, np.triu(a[:k]) / d[:, None]"),
        "L does not have ones on its diagonal", "leave the pivots in U"),
    Mistake("permuted factor",
        (_RETURNED, "return np.eye(len(a), dtype=a.dtype), p @ _unit_lower(a[:, :k]), np.triu(a[:k])"),
        "L is not lower triangular where rows have changed places", "return P by itself: A = PLU with L as it is"),
    Mistake("pivots in both", ("_unit_lower(a[:, :k])", "np.tril(a[:, :k])"),
        "L and U both have the pivots on their diagonals", "the diagonal of L is ones"),
    Mistake("full factors",
        (_RETURNED, "l = np.eye(len(a), dtype=a.dtype); l[:, :k] = _unit_lower(a[:, :k]); return p, l, np.triu(a)"),
        "A tall matrix has a square L, and rows of zeros in U",
        "cut both to k = min(m, n): the columns of L that are too many meet zeros only"),
    Mistake("multipliers in u", ("np.triu(a[:k])", "a[:k]"), "U still holds the multipliers below its diagonal",
        "cut them off: in U they are zeros"),
)


def _divided_at_the_end(t, b, zeros):
    beside = np.tril(t, -1) if zeros == "above" else np.triu(t, 1)
    return np.transpose(np.transpose(np.linalg.solve(beside + np.eye(len(t)), b)) / np.diag(t))


def _substitution(end, side, unknowns, solve, other):
    return (Mistake("other triangle alone", other, f"It solves for the triangle {side} the diagonal",
        f"multiply {unknowns} only"),
        Mistake("diagonal taken for ones", (" / l[i, i]", ""), "It is right only for ones on the diagonal",
        "divide by the diagonal entry"), Mistake("one diagonal entry for all", ("/ l[i, i]", "/ l[0, 0]"),
        f"Every unknown is divided by the diagonal entry of the {end} row", "divide by that of its own row"),
        Mistake("started at the other end",
        ("in range(len(b))", "in reversed(range(len(b)))"), "Unknowns are used before they are known",
        f"start with the {end} unknown"), Mistake("other triangle used", solve,
        f"What is {side} the diagonal changes the solution", f"multiply {unknowns} only"),
        Mistake("sum divided alone",
        ("(b[i] - l[i, :i] @ x[:i]) / l", "b[i] - l[i, :i] @ x[:i] / l"), "Only the sum is divided by the diagonal",
        "divide the whole difference: set parentheses"), Mistake("diagonal in the sum", (("x = np.zeros_like(b)",
        "x = b.copy()"), ("l[i, :i] @ x[:i]", "l[i, : i + 1] @ x[: i + 1]")),
        "The diagonal entry is multiplied by an unknown that is not known yet", f"multiply {unknowns} only"),
        Mistake("divided at the end", lambda t, b: _divided_at_the_end(t, b, side),
        "Unknowns are used before they are divided by the diagonal", "divide each unknown before it is used"),
        Mistake("right-hand side divided alone",
        ("(b[i] - l[i, :i] @ x[:i]) / l[i, i]", "b[i] / l[i, i] - l[i, :i] @ x[:i]"),
        "Only the right-hand side is divided by the diagonal", "divide the whole difference: set parentheses"))


def _single(a):
    low, b = a.astype(np.float32), _rhs.astype(np.float32)
    return [call(*it).about("float32", edge=True) for it in ((low, b), (low, _rhs), (a, b))]


def _triangular_calls(t, small):
    return (
        call(np.array([[4.0]]), np.array([2.0])), call(small, np.array([2.0, 3.0])),
        call(_square, _rhs).about("both triangles filled"), call(t, _rhs),
        call(t, _many).about("three right-hand sides"),
        call(small, np.array([[2.0, 3.0], [-1.0, 0.5]])).about("as many right-hand sides as unknowns"),
        call(t, _many[:, :1]).about("a right-hand side of one column"),
        call(np.array([[2, 0], [0, 3]]), np.array([1, 2])).about("integers"),
        call(np.array([[2.0, 0.0], [0.0, 3.0]]), np.array([1, 2])).about("integers on the right-hand side only"),
        call(t - np.diag([0, 0, t[2, 2], 0, 0]), _rhs).about("a zero on the diagonal", edge=True),
        call(np.array([[1e-200]]), np.array([1e200])).about("a solution beyond the largest float", edge=True),
        call(small, [2.0, 3.0]).about("a list", edge=True), *_single(t))


_EVERY_BLOCK = [call(_square, block) for block in (1, 2, 3, 5, 64)]
_SIGN = "_permutation_sign(p), 0"
_PERMUTED = "[p.argmax(axis=0)]"

def _with_equal_rows(a):
    a, sign = np.array(a, dtype=float), 1.0
    for j in range(len(a)):
        p = j + np.argmax(np.abs(a[j:, j]))
        if a[p, j] == 0:
            return 0.0
        if p != j:
            a[p], a[j] = a[j], a[p]
            sign = -sign
        a[j + 1 :] -= np.outer(a[j + 1 :, j] / a[j, j], a[j])
    return sign * np.diag(a).prod()


_without_j = edited(_with_equal_rows, (("j + np.argmax", "np.argmax"),
    ("a[p], a[j] = a[j], a[p]", "a[[p, j]] = a[[j, p]]")))


CHECKS = (
    Checks(lu,
        cases=_calls(),
        claims=_factors(),
        mistakes=(
            *_ELIMINATION,
            Mistake("echelon form", _echelon,
                "Where a column has no pivot, the next one is eliminated with the same row",
                "go on to the next row as well as to the next column"),
            Mistake("last column not eliminated",
                ("range(min(a.shape)), a.shape[1]", "range(min(a.shape) - 1), a.shape[1]"),
                "A tall matrix keeps numbers below the diagonal of its last column, as multipliers",
                "take min(m, n) steps: only the last row has nothing below it"),
            Mistake("ones left out", ("_unit_lower(a[:, :k])", "np.tril(a[:, :k], -1)"),
                "L has zeros on its diagonal", "put ones there: each row begins as itself"))),
    Checks(blocked_lu,
        cases=(
            *_calls(2), *(call(_square, block).about(f"blocks of {block}") for block in (1, 3, 5)),
            call(_square).about("the block size left to the function"), call(_tall, 2), call(_wide, 1)),
        claims=(
            *_factors(2),
            Claim("every block size gives the same factors", lambda f: max(distance(x, y) for it in _EVERY_BLOCK for x,
                y in zip(f(*it.arguments), f(_square), strict=True)), **_CONDITION)),
        mistakes=(
            *_ELIMINATION,
            Mistake("triangular solve left out", ("_forward(l, a[start:end, end:])", "a[start:end, end:]"),
                "PLU is another matrix for blocks of two columns and more, if columns stand to the right of one",
                "solve L₁₁U₁₂ = A₁₂ before the product is subtracted"),
            Mistake("last block dropped",
                ("range(0, min(a.shape), block)", "range(0, max(1, min(a.shape) - block + 1), block)"),
                "The columns that whole blocks leave over are not eliminated",
                "let start run through range(0, min(m, n), block): the last block is smaller"),
            Mistake("rest left as it was", ("a[end:, start:end] @ a[start:end, end:]", "0"),
                "PLU is another matrix if there is more than one block",
                "subtract L₂₁U₁₂ from the rest after each block"),
            Mistake("rows exchanged in the block only",
                (_EXCHANGED, "y = x if x is rows else x[:, columns.start:stop]; y[[k, pivot]] = y[[pivot, k]]"),
                "PLU is another matrix wherever rows are exchanged in a block that has columns beside it",
                "exchange whole rows: left of the block there are multipliers, and right of it what is left"))),
    Checks(doolittle,
        cases=(
            call(_two), call(_whole), call(np.array([[2, 1], [3, 4]])).about("integers"),
            call(np.array([[4.0, 2.0], [2.0, 1.0]])).about("columns that depend on each other"),
            call(_leading).about("a leading zero"), call(_dominant), call(_zeros).about("a zero in the middle"),
            call(_tall).about("more rows than columns"), call(_wide).about("more columns than rows"),
            call(np.array([[0.0, 1.0], [0.0, 2.0]])).about("a column of zeros", edge=True),
            call(np.array([[1e-300, 1.0], [1e10, 1.0]])).about("a quotient beyond the largest float", edge=True),
            call(_dominant.astype(np.float32)).about("float32", edge=True)),
        claims=(
            Claim("(2 4 -2; 4 9 -3; -2 -3 7) has the factors (1 0 0; 2 1 0; -1 1 1) and (2 4 -2; 0 1 1; 0 0 4)",
                lambda f: max(map(distance, f(_whole), ([[1, 0, 0], [2, 1, 0], [-1, 1, 1]],
                [[2, 4, -2], [0, 1, 1], [0, 0, 4]]))), **_CONDITION),
            Claim("LU is the matrix", lambda f: distance(np.matmul(*f(_dominant)), _dominant), **_ROUNDING),
            oracle("scipy.linalg.lu where no rows are exchanged", lambda a: _scipy(a)[1:], call(_dominant), run=_parts,
                **_CONDITION)),
        mistakes=(
            Mistake("ones on the other diagonal", ("return l, u", "d = np.diag(u); return l * d, u / d[:, None]"),
                "U has ones on its diagonal instead of L",
                "divide the columns of L by the pivots: with the ones in U it is Crout's variant"),
            Mistake("sums left out", (("a[k, k:] - l[k, :k] @ u[:k, k:]", "a[k, k:]"),
                ("a[k + 1 :, k] - l[k + 1 :, :k] @ u[:k, k]", "a[k + 1 :, k]")),
                "LU is another matrix from the second step on",
                "subtract what the steps before contribute to the product"),
            Mistake("sum left out of u", ("a[k, k:] - l[k, :k] @ u[:k, k:]", "a[k, k:]"),
                "The rows of U are those of A, from the diagonal on",
                "subtract what the steps before contribute to a row of U, too"),
            Mistake("sum left out of l", ("a[k + 1 :, k] - l[k + 1 :, :k] @ u[:k, k]", "a[k + 1 :, k]"),
                "The columns of L are those of A, divided",
                "subtract what the steps before contribute to a column of L, too"),
            Mistake("rows exchanged", lambda a: lu(a)[1:], "L @ U has the rows of the matrix in another order",
                "exchange no rows: where a pivot is 0 there is no answer"),
            Mistake("multipliers with minus signs",
                lambda a: (2 * np.eye(*(factors := doolittle(a))[0].shape) - factors[0], factors[1]),
                "L @ U is another matrix", "L adds back what was taken away: its multipliers have no minus"),
            Mistake("columns of l not divided", ("below / u[k, k] if", "below if"),
                "LU is another matrix where a pivot with numbers below it is not 1",
                "divide a column of L by the pivot"))),
    Checks(lu_solve,
        cases=(
            call(_two, np.array([3.0, 9.0])), call(_leading, np.array([1.0, 2.0])).about("a leading zero"),
            call(_graded * [[1.0], [-1.0]], np.array([1.0, 2.0])).about("a small pivot above a negative one"),
            call(_square, _rhs), call(_cycle, _rhs[:3]).about("three rows that change places"),
            call(np.array([[2.0, 1.0, 1.0], [4.0, 2.0, 3.0], [0.0, 1.0, 1.0]]), _rhs[:3]).about(
            "a pivot of which nothing is left"), call(_square, _many).about("three right-hand sides"),
            call(np.array([[0, 2], [3, 4]]), np.array([1, 2])).about("integers"),
            call(_singular, _rhs[:3]).about("a singular matrix"),
            call(lu(_square), _many).about("factors in place of the matrix", edge=True),
            call(_two.tolist(), [3, 9]).about("lists", edge=True), *_single(_square)),
        claims=(
            Claim("Ax is b", lambda f: max(distance(_square @ f(_square, b), b) for b in (_rhs, _many)), **_CONDITION),
            Claim("the factors may be given in place of the matrix",
                lambda f: distance(f(lu(_square), _many), f(_square, _many)), **_CONDITION),
            Claim("a small pivot loses no digits", lambda f: distance(f(_graded, np.array([1.0, 2.0])), [1.0, 1.0]),
                **_CONDITION),
            oracle("numpy.linalg.solve", np.linalg.solve, call(_square, _many), call(_cycle, _rhs[:3]), **_CONDITION)),
        mistakes=(
            Mistake("right-hand side not permuted", (_PERMUTED, ""),
                "The residual is large wherever rows were exchanged", "multiply b by the transpose of P first"),
            Mistake("right-hand side permuted back", (_PERMUTED, "[p.argmax(axis=1)]"),
                "The residual is large where rows change places in a cycle of three or more",
                "multiply b by the transpose of P, not by P", "math.js, issue 437 (2015)"),
            Mistake("solution permuted", ((_PERMUTED, ""), ("(u, y)", "(u, y)[p.argmax(axis=0)]")),
                "The unknowns are put into the order of the equations",
                "permute the right-hand side: exchanging rows leaves the unknowns in place"),
            Mistake("order of factors exchanged", (("forward_substitution(l,", "backward_substitution(u,"),
                ("return backward_substitution(u, y)", "return forward_substitution(l, y)")), "The residual is large",
                "solve with L first, then with U"),
            Mistake("one factor only", ("return backward_substitution(u, y)", "return y"),
                "It is the solution of Ly = Pᵀb", "solve Ux = y as well"),
            Mistake("small pivots trusted", ("a = lu(a)", "a = (np.eye(len(a)), *doolittle(a))"),
                "A small pivot loses all digits, a zero is refused", "exchange rows: use lu"))),
    Checks(forward_substitution,
        cases=_triangular_calls(_triangle, _two),
        claims=(
            Claim("Lx is b", lambda f: distance(_triangle @ f(_triangle, _many), _many), **_CONDITION),
            Claim("what is above the diagonal changes nothing",
                lambda f: distance(f(_triangle + np.triu(np.ones((5, 5)), 1), _rhs), f(_triangle, _rhs))),
            oracle("scipy.linalg.solve_triangular", _scipy_triangular(True), call(_triangle, _rhs),
                call(_triangle, _many), **_CONDITION)),
        mistakes=_substitution("first", "above", "l[i, :i] by the unknowns before i", lambda l,
            b: np.linalg.solve(l, b), lambda l, b: backward_substitution(l, b))),
    Checks(backward_substitution,
        cases=_triangular_calls(_triangle.T, _two.T),
        claims=(
            Claim("Ux is b", lambda f: distance(_triangle.T @ f(_triangle.T, _many), _many), **_CONDITION),
            Claim("what is below the diagonal changes nothing",
                lambda f: distance(f(_triangle.T + np.tril(np.ones((5, 5)), -1), _rhs), f(_triangle.T, _rhs))),
            oracle("scipy.linalg.solve_triangular", _scipy_triangular(False), call(_triangle.T, _rhs),
                call(_triangle.T, _many), **_CONDITION)),
        mistakes=_substitution("last", "below", "u[i, i + 1:] by the unknowns after i", lambda u,
            b: np.linalg.solve(u, b), lambda u, b: forward_substitution(u, b))),
    Checks(det,
        cases=(
            call(np.array([[-3.0]])), call(_two), call(_leading).about("a leading zero"),
            call(_singular).about("a singular matrix"), call(_cycle).about("three rows that change places"),
            call(_swapped).about("a permutation"), call(_square), call(-_square), call(_whole),
            call(np.array([[0, 2], [3, 4]])).about("integers"),
            call(np.array([[2, 1], [3, 5]])).about("integers with a fraction for a multiplier"),
            call(_sizes).about("pivots of 1e200 and 1e-200"),
            call(_sizes[::-1, ::-1]).about("pivots of 1e-200 and 1e200"),
            call(np.array([[-2.0, 1.0], [0.0, 3.0]])).about("a negative pivot above a zero"),
            call(np.diag([1e-4, 2e-5, -3e-6])).about("a small determinant of a regular matrix"),
            call(-_huge).about("a determinant beyond the largest float", edge=True),
            call(np.diag([-1e300, 1e300])).about("a negative determinant beyond the largest float", edge=True),
            call(np.diag([1e-200, 1e-200])).about("a determinant below the smallest float", edge=True)),
        claims=(
            Claim("(0 1; 2 3) has -2", lambda f: distance(f(_leading), -2.0), **_CONDITION),
            Claim("a product has the product of the determinants",
                lambda f: distance(f(_skew @ _whole), f(_skew) * f(_whole)), **_CONDITION),
            Claim("a singular matrix has 0", lambda f: distance(f(_singular), 0.0), 1e-12, "a few rounding errors"),
            Claim("products of pivots beyond every float do no harm", lambda f: distance(f(_sizes), -1.0),
                1e-12, "a few rounding errors"),
            oracle("numpy.linalg.det", np.linalg.det, call(_square), call(_cycle), call(_whole), **_CONDITION),
            oracle("expansion by minors", _by_minors, call(_square), **_CONDITION)),
        mistakes=(
            Mistake("sign of the exchanges forgotten", (_SIGN, "1.0, 0"),
                "The sign is wrong after an odd number of exchanges", "turn the sign with each exchange of rows",
                "Macaulay2, issue 253 (2015); Calcpad, issue 392 (2024)"),
            Mistake("rows out of place counted", (_SIGN, "(-1.0) ** np.sum(np.diag(p) == 0), 0"),
                "The sign is wrong after one exchange of two rows, and after a cycle of three",
                "count exchanges: a cycle of k rows takes k - 1",
                "a draft for Julia, pull request 40716 (2021)"),
            *(Mistake("every step turns the sign", it, "The sign is turned by steps that exchange nothing",
                "turn the sign where two different rows change places") for it in ((_SIGN, "(-1.0) ** len(p), 0"),
                lambda a: float(np.prod(-np.diag(lu(a)[2]))))),
            Mistake("no exchange of rows", _without_exchanges,
                "A leading zero makes it 0, and a small pivot loses digits",
                "exchange rows, so that the largest entry left in the column becomes the pivot"),
            Mistake("minors that overflow", lambda a: float(_by_minors(np.asarray(a, float))),
                "It gives 0 or nan where entries of 1e200 and 1e-200 balance",
                "eliminate, and multiply pivots with their powers of two apart"),
            Mistake("signs of pivots forgotten", ("math.frexp(pivot)", "math.frexp(abs(pivot))"),
                "The sign is that of the exchanges only", "multiply by the signs of the pivots"),
            Mistake("products that overflow", lambda a: float(np.linalg.det(lu(a)[0]) * np.prod(np.diag(lu(a)[2]))),
                "It gives inf or 0 where pivots of 1e200 and 1e-200 balance",
                "add exponents apart from mantissas, or logarithms"),
            Mistake("small pivots taken for zero", ("np.diag(u):", "np.diag(u) * (abs(np.diag(u)) > 1e-12):"),
                "It gives 0 where pivots of 1e200 and 1e-200 balance",
                "only a pivot that is 0 makes it 0, not a small one, nor a product of small ones on the way"),
            Mistake("small taken for zero", lambda a: round(float(np.linalg.det(a)), 9), "Small determinants become 0",
                "only a pivot that is 0 makes it 0: small entries are enough for a small determinant"),
            Mistake("integers cut off", lambda a: _truncated(a),
                "Integers stay integers, and what is left after a fraction of a row is cut off", "compute in floats"),
            Mistake("product of the diagonal", lambda a: float(np.prod(np.diag(a))),
                "It is right for triangular matrices, not in general",
                "multiply the pivots, which is the diagonal of U"),
            Mistake("signs of minors forgotten", lambda a: _by_minors(a, 1.0), "All products are added",
                "let the sign alternate along a row: without that it is the permanent"),
            Mistake("pivots added", lambda a: float(np.trace(lu(a)[2])), "It is the sum of the pivots",
                "multiply them"),
            Mistake("one row copied twice", _with_equal_rows,
                "A row of an array is a view, so that `a[i], a[j] = a[j], a[i]` leaves two equal rows",
                "write a[[i, j]] = a[[j, i]]"),
            Mistake("pivot counted from the top", lambda a: _without_j(a),
                "Rows that are done with are exchanged again", "argmax of a[j:, j] counts from row j: add j"),
            Mistake("sign and logarithm", lambda a: slogdet(a), "It gives the sign and a logarithm",
                "multiply the sign by the exponential of the logarithm"),
            Mistake("one sign for all exchanges", (_SIGN, "-1.0 if np.diag(p).min() == 0 else 1.0, 0"),
                "Any exchange turns the sign once, however many there are", "turn the sign with each exchange"))),
    Checks(slogdet,
        cases=(
            call(np.array([[-3.0]])), call(_two), call(_leading).about("a leading zero"),
            call(_singular).about("a singular matrix"), call(_cycle).about("three rows that change places"),
            call(-_cycle), call(_swapped).about("a permutation"), call(_square),
            call(np.array([[0, 2], [3, 4]])).about("integers"), call(_huge).about("a determinant of 1e600"),
            call(np.diag([1e-300, -1e-300])).about("a determinant of -1e-600")),
        claims=(
            Claim("(0 1; 2 3) has -1 and log 2", lambda f: distance(f(_leading), (-1, math.log(2))), **_CONDITION),
            Claim("a singular matrix has 0 and -inf", lambda f: distance(f(_singular), (0.0, -math.inf))),
            Claim("a determinant of 1e600 has a logarithm", lambda f: distance(f(_huge), (1, 600 * math.log(10))),
                **_CONDITION),
            oracle("numpy.linalg.slogdet", np.linalg.slogdet, call(_square), call(_cycle), call(-_cycle), call(_whole),
                **_CONDITION)),
        mistakes=(
            Mistake("logarithm of the determinant", lambda a: (float(np.sign(d := np.linalg.det(a))), np.log(abs(d))),
                "It gives inf for determinants beyond the largest float", "add the logarithms of the pivots"),
            Mistake("signs of pivots forgotten", (" * math.prod(math.copysign(1, pivot) for pivot in pivots)", ""),
                "The sign is that of the exchanges only", "multiply by the signs of the pivots"),
            Mistake("exchanges forgotten", ("_permutation_sign(p) * math", "math"),
                "The sign is that of the pivots only", "turn the sign with each exchange of rows"),
            Mistake("base ten", ("math.fsum(math.log(abs(pivot))", "math.fsum(math.log10(abs(pivot))"),
                "The logarithm is log 10 = 2.30 times too small", "take the natural logarithm"))),
    Checks(inverse,
        cases=(
            call(np.array([[4.0]])), call(_two), call(_leading).about("a leading zero"),
            call(_cycle).about("three rows that change places"), call(_square), call(_whole),
            call(_graded).about("a small pivot"), call(np.array([[0, 2], [3, 4]])).about("integers"),
            call(_singular).about("a singular matrix"), call(_square.astype(np.float32)).about("float32", edge=True),
            call(_two.tolist()).about("lists", edge=True)),
        claims=(
            Claim("its product with the matrix is the identity, on both sides",
                lambda f: max(distance(f(_square) @ _square, np.eye(5)), distance(_square @ f(_square), np.eye(5))),
                **_CONDITION),
            oracle("numpy.linalg.inv", np.linalg.inv, call(_square), call(_cycle), call(_whole), **_CONDITION)),
        mistakes=(
            Mistake("entrywise reciprocal", lambda a: 1 / np.asarray(a),
                "The product with the matrix is not the identity", "solve for the columns of I"),
            Mistake("cleared below the pivots only", lambda a: np.linalg.solve(np.multiply(*np.broadcast_arrays(
                (factors := lu(a))[1], np.diag(factors[2]))), factors[0].T),
                "The matrix has become a triangle, not the identity", "clear the entries above each pivot, too"))),
    Checks(growth_factor,
        cases=(
            call(_two), call(_shrinking).about("an entry that grows and shrinks again"), call(-_shrinking),
            call(_worst).about("the largest growth"), call(-3 * _worst), call(_square), call(_tall), call(_wide),
            call(np.zeros((2, 3))).about("a matrix of zeros"),
            call(_graded, (np.eye(2), *doolittle(_graded))).about("factors without exchange of rows"),
            call(_two, factors=(np.eye(2), *doolittle(_two))).about("factors without exchange of rows"),
            call(_square * 1e300).about("entries of 1e300", edge=True), call(_two.tolist()).about("lists", edge=True)),
        claims=(
            Claim("the worst matrix of size n has 2ⁿ⁻¹",
                lambda f: max(distance(f(largest_growth_matrix(n)), 2.0 ** (n - 1)) for n in (2, 3, 7, 31))),
            Claim("the size and the sign of the matrix do not matter",
                lambda f: max(distance(f(factor * _square), f(_square)) for factor in (-1.0, 3.0)), **_CONDITION),
            oracle("the Schur complements of all leading blocks, by numpy.linalg.solve", _by_schur_complements,
                *map(call, (_square, _shrinking, _tall)), **_CONDITION)),
        mistakes=(
            Mistake("final entries only", ("return np.array(largest)", "return np.array([np.abs(u).max()])"),
                "Entries that grow on the way and shrink again are not seen",
                "look at what is left of the matrix in every step"),
            Mistake("signed entries", (("np.abs(a).max() or 1.0", "a.max() or 1.0"), ("np.abs(rest).max(initial=0.0)",
                "rest.max(initial=0.0)")), "A matrix and its negative grow differently", "take absolute values"),
            Mistake("not divided", ("return np.array(largest)", "return np.array(largest) * size"),
                "Doubling a matrix doubles its growth", "divide by the largest entry of the matrix"),
            Mistake("multipliers looked at", ("np.abs(rest).max(initial=0.0)", "np.abs(l).max()"),
                "It is 1 with partial pivoting, whatever the matrix",
                "look at what is left of the matrix, not at the multipliers"))),
    Checks(rows_without_digits,
        cases=(call(),),
        claims=(
            Claim("one is lost beside the last entry of U, and is not with one row less", lambda f: float(not all(
                (lu(largest_growth_matrix(n))[2][-1, -1] + 1 == 2.0 ** (n - 1)) == (n >= f()) for n in range(50, 60)))),
            oracle("the precision of a float", lambda: np.finfo(float).nmant + 2, call())),
        mistakes=(
            Mistake("stored digits", lambda: 52, "A float has 53 binary digits: the first is not stored",
                "with n - 1 = 53, the power is the first at which adding 1 changes nothing"),
            Mistake("decimal digits", lambda: 16, "A float has 16 decimal digits, and the entry is a power of two",
                "count binary digits: 53"),
            Mistake("overflow", lambda: 1025, "Here the power leaves the floats; its last digit is lost long before",
                "ask when a 1 beside the power is rounded away"),
            Mistake("digits for rows", lambda: 53, "The entry is 2 to the power of 52, where floats are 1 apart",
                "the last entry of n rows is 2 to the power of n - 1"),
            Mistake("half a spacing kept", lambda: 55, "One row less loses the 1 already: it is half of the spacing",
                "a sum between two floats goes to the even one, and that is the power of two"),
            Mistake("entry for rows", lambda: 2**53, "It is the last entry, and the number of rows is asked for",
                "the last entry of n rows is 2 to the power of n - 1"))),
)
