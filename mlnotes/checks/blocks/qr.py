"""What QR decomposition must satisfy, and how it is usually got wrong."""

import math

import numpy as np

from mlnotes.blocks.qr import (
    blocked_qr,
    compact_wy,
    givens_qr,
    givens_rotation,
    gram_schmidt,
    householder_qr,
    householder_vector,
    modified_gram_schmidt,
)
from mlnotes.checks.bank import Checks, Claim, Mistake, call, distance, frozen, oracle
from mlnotes.diagnosis.report import written_call

_rng = np.random.default_rng(29)
_square, _tall, _wide, _zero_column, _leading_zero, _huge, _tiny, _exact, _almost_done, _small, _normals = frozen(
    _rng.normal(size=(5, 5)), _rng.normal(size=(7, 3)), _rng.normal(size=(3, 5)) + 3 * np.eye(3, 5),
    np.array([[0.0, 1.0], [0.0, 2.0], [0.0, 2.0]]), np.array([[0.0, 1.0], [3.0, 2.0], [4.0, 5.0]]), 1e200
    * _rng.normal(size=(5, 3)), 1e-200 * _rng.normal(size=(5, 3)), np.array([[3.0, 1.0], [4.0, 2.0]]),
    np.array([[1.0, 2.0], [1e-9, 1.0], [0.0, 1.0]]), np.array([1.0, 1e-5, 2e-5]), np.array([[1.0, 0.0, 0.0],
    [0.5, 1.0, 0.0], [2.0, -1.0, 1.0], [1.0, 3.0, 0.5], [-1.0, 1.0, 2.0]]))
_MATRICES = (_square, _tall, _exact, _leading_zero)
_tau = frozen(2 / np.sum(_normals * _normals, axis=0))[0]
_u, _v = (np.linalg.qr(_rng.normal(size=(size, 7)))[0] for size in (11, 7))
_ill, _very_ill = frozen(_u * np.logspace(0, -6, 7) @ _v.T, _u * np.logspace(0, -14, 7) @ _v.T)
_HARD = (*_MATRICES, _almost_done, _ill, _very_ill)
_ROUNDING = {"tolerance": 50 * 11 * np.finfo(float).eps, "why": "50 n eps for n up to 11"}
_SMALL_ROUNDING = {"tolerance": 1e-14, "why": "50 eps"}
_CONDITION = {"tolerance": 1e-12, "why": "rounding errors times a condition number below 100"}


def column_volume(a):
    """Measure the parallelepiped that the columns of a matrix span."""
    return float(abs(np.diag(householder_qr(a)[1]).prod()))


def _properties(f, *arguments, **named):
    """Ask for what does not depend on the signs of directions, or on which are chosen where columns are dependent."""
    q, r = f(*arguments, **named)
    q, r = np.asarray(q), np.asarray(r)
    product, sizes = q @ r, np.abs(arguments[0]).max(axis=0)
    if sizes.max() > 1e3 * sizes.min() > 0 and product.shape == np.shape(arguments[0]):
        product = product / sizes  # no column may hide behind a longer one; the call says so
    triangular = bool((np.abs(np.tril(r, -1)) <= 1e-10 * np.abs(r).max()).all())
    return {"q @ r": product, "q.T @ q": np.round(q.T @ q, 14) + 0, "is_triangular(r)": triangular}  # no noise, no -0


def _with_lengths(f, *arguments, **named):
    """Ask for the diagonal of R as well, which Gram and Schmidt's lengths are."""
    q, r = f(*arguments, **named)
    return _properties(lambda *_: (q, r), *arguments) | {"np.diag(r)": np.diag(r)}


def _written(lengths):
    def write(name, case):
        return f"q, r = {written_call(name, case)}\nq @ r, q.T @ q, is_triangular(r){', np.diag(r)' if lengths else ''}"

    return write


def _product(f, matrices):
    return max(distance(np.matmul(*f(a)), a) for a in matrices)


def _orthonormal(f, matrices):
    return max(distance(q.T @ q, np.eye(q.shape[1])) for a in matrices for q in [f(a)[0]])


def _triangular(f):
    return max(distance(np.tril(r, -1), np.zeros((min(a.shape), a.shape[1]))) for a in _MATRICES for r in [f(a)[1]])


def _wide_and_zero(f):
    q, r = f(_wide)
    shapes = distance((*np.shape(q), *np.shape(r)), (3, 3, 3, 5))
    return max(shapes, _product(f, (_wide, _zero_column)), _orthonormal(f, (_wide,)), distance(np.tril(r, -1), 0 * r))


def _any_size(f):
    found = [(a / size, q, r / size) for a, size in ((_huge, 1e200), (_tiny, 1e-200)) for q, r in [f(a)]]
    return max(max(distance(q @ r, a), distance(q.T @ q, np.eye(3))) for a, q, r in found)


def _no_direction(f):
    q, r = f(_zero_column)
    return max(distance(q, [[0, 1 / 3], [0, 2 / 3], [0, 2 / 3]]), distance(r, [[0, 0], [0, 3]]))


def _unsigned(f, *arguments):
    return np.concatenate([np.abs(it).ravel() for it in f(*arguments)])


def _cholesky(f):
    return distance(np.abs(f(_tall)[1]), np.abs(np.linalg.cholesky(_tall.T @ _tall).T))


def _factors(*block):
    """Claim of a decomposition, in blocks or not, what makes it one."""
    given = lambda f: lambda a: f(a, *block)  # noqa: E731
    return (Claim("QR is the matrix", lambda f: _product(given(f), _HARD), **_ROUNDING),
        Claim("R is upper triangular, with as many rows as Q has columns", lambda f: _triangular(given(f))),
        Claim("a wide matrix has a square Q, and a column of zeros does no harm", lambda f: _wide_and_zero(given(f)),
        **_ROUNDING), Claim("entries of 1e200 and of 1e-200 are treated like any other", lambda f: _any_size(given(f)),
        **_ROUNDING), oracle("numpy.linalg.qr, but for signs", lambda a, *_: np.linalg.qr(a), call(_square, *block),
        call(_tall, *block), run=_unsigned, **_CONDITION), Claim("the Cholesky factor of AᵀA, but for signs",
        lambda f: _cholesky(given(f)), **_CONDITION, kind="oracle"))


def _always_orthogonal(*block):
    return (Claim("Q has orthonormal columns, however near to dependent those of A are",
        lambda f: _orthonormal(lambda a: f(a, *block), (*_HARD, _zero_column)), **_ROUNDING), *_factors(*block))


_ORTHOGONAL_IF_WELL_SEPARATED = (
    Claim("Q has orthonormal columns where the condition number is small",
        lambda f: _orthonormal(f, (_square, _tall, _exact)), 1e-11,
        "rounding errors times the square of a condition number below 100"),
    *_factors(),
    Claim("no entry on the diagonal of R is negative",
        lambda f: max(max(0.0, -float(np.diag(f(a)[1]).min())) for a in _MATRICES)),
    Claim("a column of zeros has the direction zero", _no_direction, 1e-15, "one division"),
)


def _reflects(f):
    found = [(x, x - tau * v * (v @ x)) for x in (_small, _leading_zero[:, 0], _square[0], -_square[0])
        for v, tau in [f(x)]]
    return max(max(distance(y, np.eye(len(x))[0] * y[0]), distance(abs(y[0]), np.linalg.norm(x))) for x, y in found)


def _is_mirror(f):
    vectors = (_small, _square[0], _huge[:, 0], _tiny[:, 0], _leading_zero[:, 0])
    return max(distance(tau * (v @ v), 2.0) for v, tau in map(f, vectors))


def _dlarfg(x):
    from scipy.linalg.lapack import dlarfg

    _, rest, tau = dlarfg(len(x), x[0], x[1:])
    return np.array([1.0, *rest]), tau


def _complex_rotation(x, y):
    turn = complex(x, -y) / abs(complex(x, y))
    return [[turn.real, -turn.imag], [turn.imag, turn.real]]


def _turns(f):
    plane = ((3.0, 4.0, 1), (-1.0, 2.0, 1), (3e200, -4e200, 1e200), (3e-200, 4e-200, 1e-200))
    return max(distance(f(x, y) @ [x / s, y / s], [math.hypot(x / s, y / s), 0.0]) for x, y, s in plane)


def _one_by_one(f):
    right = np.eye(5)
    for v, tau in zip(_normals.T, _tau, strict=True):
        right = right @ (np.eye(5) - tau * np.outer(v, v))
    return distance(np.eye(5) - _normals @ f(_normals, _tau) @ _normals.T, right)


_DIVIDED = "which q @ r shows divided by their largest entries"


def _calls(*block, edges=()):
    matrices = ((np.array([[-2.0]]), ""), (_exact, ""), (np.array([[3, 1], [4, 2]]), "integers"),
        (_leading_zero, "a leading zero"), (_zero_column, "a column of zeros"), (_square, ""),
        (_almost_done, "a column that is almost done"), (-_almost_done, "a negative column that is almost done"),
        (_tall * [1e200, 1.0, 1e-200], f"columns of 1e200, 1 and 1e-200, {_DIVIDED}"),
        (_tall * [1.0, 1e-5, 1e-13], f"columns of 1, 1e-5 and 1e-13, {_DIVIDED}"), (_tall, "more rows than columns"),
        (_wide, "more columns than rows"), (np.vstack([-abs(_huge), np.zeros(3)]), "numbers of -1e200"),
        (_tiny, "numbers of 1e-200"))
    return (*(call(a, *block).about(says, edge=says in edges) for a, says in matrices),
        call(_square.astype(np.float32), *block).about("float32", edge=True),
        call(np.full((3, 1), 1.5e308), *block).about("a length beyond the largest float", edge=True))


def _dependent_calls(*block):
    return (
        *_calls(*block), call(np.array([[1.0, 1.0], [2.0, 2.0], [2.0, 2.0]]), *block).about("equal columns"),
        call(_ill, *block).about("a condition number of 1e6"),
        call(_very_ill, *block).about("a condition number of 1e14"))


_twice = frozen(np.outer([3.0, 1, 1, 1, 1, 1, 1, 1], [1.0, 2.0]))[0]  # of length 4, so that nothing is rounded here
_SPANNING_NOTHING = call(_wide * [1, 0, 0, 1, 1]).about("first columns that do not span the others", edge=True)
_RETURNED = 'return q, times_power_of_two(r, exponents, "the length of a column of a")'
_CUT = 'times_power_of_two(r[:k], exponents, "the length of a column of a")'
_UNREFUSED = (_RETURNED, "return q, np.ldexp(r, exponents)")
_AS_IT_IS = ("by_power_of_two(working_copy(a), axis=0)", "(working_copy(a), 0)")


_FULL = Mistake("full factors", lambda a, *block: np.linalg.qr(a, mode="complete"),
    "A tall matrix has a square Q, and rows of zeros in R",
    "cut both to k = min(m, n): the columns of Q that are too many meet zeros only")


def _with_signs(sign):
    """Turn the factors of mirrors round, so that no entry on the diagonal of R is negative."""

    def version(a):
        q, r = np.linalg.qr(np.asarray(a, float))
        signs = sign(np.diag(r))
        return q * signs, (r.T * signs).T

    return version


_BY_MIRRORS = (
    Mistake("factors of mirrors", lambda a: tuple(np.linalg.qr(a)),
        "The diagonal of R is negative in places, and columns of which nothing is left get a direction all the same",
        "take the projections off each column, and divide by its length; np.linalg.qr reflects, as Householder does"),
    *(Mistake("factors of mirrors, turned round", _with_signs(it),
        "Columns of which nothing is left get a direction all the same",
        "take the projections off each column, and leave zeros where nothing is left; np.linalg.qr reflects, as "
        "Householder does") for it in (lambda d: np.where(d < 0, -1.0, 1.0), np.sign)),
)


def _undivided(a, sizes):
    """Leave their lengths to the columns of Q, after all have been divided by their sizes."""
    a = np.asarray(a, float)
    q, r, sizes = np.zeros(a.shape), np.zeros((a.shape[1],) * 2), sizes(a)
    for j, column in enumerate((a / np.where(sizes, sizes, 1)).T):
        r[:, j] = q.T @ column
        v = column - q @ r[:, j]
        if (length := np.linalg.norm(v)) > 1e-14:
            q[:, j], r[j, j] = v, length
    return q, r * sizes


def _along_columns(a):
    """Project onto the columns as they are, and let R be QᵀA."""
    a = np.asarray(a, float)
    sizes = np.where(a.any(axis=0), np.abs(a).max(axis=0), 1)
    a, q = a / sizes, np.zeros(a.shape)
    for j in range(a.shape[1]):
        v = a[:, j].copy()
        for column in a[:, :j].T:
            v -= (column @ v) / (column @ column or 1) * column
        q[:, j] = v / (np.linalg.norm(v) or 1)
    return q, np.triu(q.T @ a) * sizes


def _directions(i, left, column):
    """List what goes wrong with any of the two ways to orthogonalize; `left` is what is left of column i."""
    divided = f"{left} / (r[{i}, {i}] or 1)"
    return (Mistake("squares as they are",
        (_AS_IT_IS, (_RETURNED, "return q, r"), (f"vector_norm({left})", f"math.sqrt({left} @ {left})")),
        "Entries of 1e200 have an infinite length, and those of 1e-200 none", "divide by the largest entry first"),
        Mistake("lengths left in", (_RETURNED, "r = np.ldexp(r, exponents); d = np.diag(r); "
        "return q * d, r / np.where(d == 0, 1, d)[:, None]"), "The columns of Q are orthogonal but not of length one",
        "divide by the length"), Mistake("never normalized", (_AS_IT_IS, (divided, left)),
        "The columns of Q are not of length one, and from the second on not orthogonal",
        "divide by the length before anything is projected"), *(Mistake("scale left out of r", (_RETURNED, it),
        "QR is the matrix with each column divided by its scale", "multiply the columns of R by their scales again")
        for it in ("return q, r", "return q, r / np.where(np.any(a, axis=0), np.abs(a).max(axis=0), 1)")),
        Mistake("zero length divided by", ((divided, f"{left} / r[{i}, {i}]"), _UNREFUSED),
        "A column of zeros gives nan, and so does one of which exactly nothing is left",
        "divide by 1 where the length is 0"), Mistake("lengths of the start",
        (divided, f"{left} / (vector_norm({column}) or 1)"), "From the second on, the columns of "
            "Q are shorter than one",
        "divide by the length of what is left of the column"), Mistake("coefficients not kept",
        (_RETURNED, _RETURNED.replace("times", "np.eye(*r.shape) * times")), "QR is another matrix",
        "keep the projections above the diagonal of R"), Mistake("r transposed", (_RETURNED, f"{_RETURNED}[:, :k].T"),
        "R is lower triangular", "the projection of column j onto direction i is r[i, j]"))


_BETA, _NORMAL = "-math.copysign(math.sqrt(x @ x), x[0])", "return v, (beta - x[0]) / beta"
_UNSCALED = ("x = x / (np.abs(x).max() or 1)", "x = x * 1.0")
_SIGN_OF_ZERO = ((_BETA, "-np.sign(x[0]) * math.sqrt(x @ x)"), ("return np.eye(len(x), 1, dtype=x.dtype)[:, 0], 0.0",
    "return x, 2 / (x @ x or 1)"))


def _plain_householder(a, nearer="", turned=False, last=0):
    """Reflect column after column, as most readers do; `last` is 1 where the last row is left alone.

    The mirror may turn onto the axis, or onto the side of x, where it is nearer.
    """
    r = np.array(a, dtype=float)
    m, n = r.shape
    q, k = np.eye(m), min(m, n)
    for j in range(min(m - last, n)):
        v = r[j:, j].copy()
        scale = np.abs(v).max()
        if scale == 0:
            continue
        v /= scale
        away = np.copysign(np.linalg.norm(v), v[0])
        v[0] += {"": away, "axis": -abs(away), "x": -away}[nearer]
        length = np.linalg.norm(v)
        if length == 0:
            continue
        v /= length
        r[j:] -= 2 * np.outer(v, v @ r[j:])
        if turned:
            q[j:] -= 2 * np.outer(v, v @ q[j:])
        else:
            q[:, j:] -= 2 * np.outer(q[:, j:] @ v, v)
    return q[:, :k], np.triu(r[:k])


def _mirrors(sign_of_zero):
    return (Mistake("sign of zero", sign_of_zero, "With a leading zero a column turns round, and not onto the axis",
        "use copysign, which is never 0", "mpmath, pull request 1083 (2026); tfjs-core, pull request 1473 (2019)"),
        Mistake("nearer mirror", (_BETA, _BETA[1:]),
        "A column close to the first axis loses digits, all of them in the end",
        "choose the sign of beta opposite to that of the first coordinate: then their difference is a sum"),
        Mistake("normals of any length", (_NORMAL, "return v, 2.0"), "It is no reflection: lengths change",
        "tau is 2 divided by the squared length of v: I - 2vvᵀ/vᵀv"), Mistake("projected", (_NORMAL, f"{_NORMAL} / 2"),
        "Vectors end on the mirror, half of the way", "subtract the projection onto the normal twice"))


def _whole_columns(cut, scaled):
    """Make a wrong version that reflects each column as a whole, down from its first row."""

    def version(a, *block):
        r = np.array(a, dtype=float)
        q, k = np.eye(len(r)), min(r.shape)
        for j in range(k):
            v = r[:, j] / ((np.abs(r[:, j]).max() or 1) if scaled else 1)
            v[j] += np.copysign(np.linalg.norm(v), v[j])
            if v.any():
                v /= np.linalg.norm(v)
                r, q = r - 2 * np.outer(v, v @ r), q - 2 * np.outer(q @ v, v)
        return q[:, :k], cut(r[:k])

    return version


_REFLECTIONS = (
    _FULL,
    *_mirrors((*_SIGN_OF_ZERO, ("r[j + 1 :, j] = 0", "pass"),
        ("r[j:, j:] -= tau[j] * v[j:, j, None] * (v[j:, j] @ r[j:, j:])",
        "r[j:] -= tau[j] * v[j:, j, None] * (v[j:, j] @ r[j:])"))),
    *(Mistake("nearer mirror", lambda a, *block, nearer=nearer, last=last: _plain_householder(a,
        nearer=nearer, last=last), "A column close to the first axis loses digits, all of them in the end",
        "choose the sign of beta opposite to that of the first coordinate: then their difference is a sum")
        for nearer in ("axis", "x") for last in (0, 1)),
    *(Mistake("q transposed", lambda a, *block, last=last: _plain_householder(a, turned=True, last=last),
        "QR is another matrix, although Q is orthogonal and R is right",
        "multiply Q by each mirror from the right, or transpose it in the end") for last in (0, 1)),
    *(Mistake("whole columns reflected", _whole_columns(cut, scaled),
        "From the second column on, a mirror moves the rows above the diagonal as well, and zeros are lost again",
        "take the mirror from r[j:, j], and leave the rows above it alone")
        for cut in (np.triu, np.asarray) for scaled in (True, False)),
    Mistake("zeros written below", _SIGN_OF_ZERO, "With a leading zero QR is another matrix",
        "use copysign, which is never 0: what is not reflected must not be taken for zero"),
    Mistake("squares as they are", (_AS_IT_IS, _UNSCALED, (_CUT, "r[:k]")),
        "Entries of 1e200 give nan, and entries of 1e-200 are taken for zeros", "divide by the largest entry first"),
)


def _angle_of_a_quotient(x, y):
    if x == 0 and y == 0:
        return np.eye(2)
    t = np.arctan(y / x) if x != 0 else np.sign(y) * np.pi / 2
    return np.array([[np.cos(t), np.sin(t)], [-np.sin(t), np.cos(t)]])


_LARGER = "larger = max(abs(x), abs(y))"
_TANGENT = (_LARGER, "t = y / x; return np.array([[1, t], [-t, 1]]) / np.sqrt(1 + t * t)\n    larger = 1")
_SQUARES = ("x, y = x / larger, y / larger", "pass")
_TURN = "[[x, y], [-y, x]]"

CHECKS = (
    Checks(gram_schmidt, ones=False, run=_with_lengths, written=_written(True),
        cases=(
            *_calls(edges=("more columns than rows",)), _SPANNING_NOTHING,
            call(np.array([[1.0, 1.0], [0.0, 1e-9], [0.0, 0.0]])).about("a column of which 1e-9 is left", absolute=0),
            call(np.array([[3.0, 3.0], [4.0, 4.0]])).about("equal columns"),
            call(_twice).about("a column of which only rounding errors are left", edge=True)),
        claims=_ORTHOGONAL_IF_WELL_SEPARATED,
        mistakes=(
            Mistake("columns in place of directions", (_AS_IT_IS, ("q[:, :j].T @ a[:, j]",
                "a[:, :j].T @ a[:, j] / np.sum(a[:, :j] ** 2, axis=0)"), ("q[:, :j] @ r[:j, j]",
                "a[:, :j] @ r[:j, j]")),
                "QR is another matrix, and from the third on the columns of Q are not orthogonal",
                "project onto the directions q found so far: the columns of A are not orthogonal"),
            Mistake("length of the column", ("q[:, j] = v / (r[j, j] or 1)",
                "q[:, j] = v / (r[j, j] or 1); r[j, j] = vector_norm(a[:, j])"),
                "The diagonal of R holds the lengths of the columns, and QR is another matrix",
                "R's diagonal is the length of what is left of the column"),
            Mistake("columns before only",
                ("r[:j, j] = q[:, :j].T @ a[:, j]", "r[j - 1 : j, j] = q[:, j - 1 : j].T @ a[:, j]"),
                "Neighbouring columns of Q are orthogonal, others are not",
                "subtract the projections onto all directions"),
            *_BY_MIRRORS,
            *_directions("j", "v", "a[:, j]"),
            *(Mistake("not divided by the length", lambda a, sizes=it: _undivided(a, sizes),
                "The columns of Q do not have length one", "divide what is left of a column by its length")
                for it in (lambda a: np.ones(len(a.T)), lambda a: np.abs(a).max(axis=0))),
            Mistake("diagonal left out", ("q[:, j] = v / (r[j, j] or 1)",
                "q[:, j] = v / (r[j, j] or 1)\n        r[j, j] = 0"),
                "The diagonal of R is zeros", "set r[j, j] to the length of what is left of the column"),
            Mistake("original columns", _along_columns, "From the third on the columns of Q are not orthogonal",
                "project onto the directions q found so far: the columns of A are not orthogonal"),
            Mistake("direction for nothing", ("q[:, j] = v / (r[j, j] or 1)",
                "q[:, j] = v / r[j, j] if r[j, j] else np.eye(len(a))[:, j]"),
                "A column of which nothing is left gets a direction", "leave zeros in Q"),
            Mistake("length by absolute values", ("r[j, j] = vector_norm(v)", "r[j, j] = np.abs(v).sum()"),
                "The columns of Q do not have length one", "the length is the root of the sum of squares"))),
    Checks(modified_gram_schmidt, run=_with_lengths, written=_written(True),
        cases=(*_calls(), _SPANNING_NOTHING, call(_ill).about("a condition number of 1e6", tolerance=1e-8)),
        claims=(
            Claim("for a condition number of 1e6, orthogonality is lost by 1e-9 at most",
                lambda f: _orthonormal(f, (_ill,)), 1e-9,
                "the condition number times 1e-15; gram_schmidt loses its square"),
            *_ORTHOGONAL_IF_WELL_SEPARATED),
        mistakes=(
            Mistake("classical after all", ("q[:, i] @ v[:, i + 1 :]", "q[:, i] @ a[:, i + 1 :]"),
                "Orthogonality is lost with the square of the condition number",
                "project what is left of a column, not the column of the start"),
            Mistake("columns before only", (("r[i, i + 1 :] = q[:, i] @ v[:, i + 1 :]",
                "r[i, i + 1 : i + 2] = q[:, i] @ v[:, i + 1 : i + 2]"),
                ("v[:, i + 1 :] -= q[:, i, None] * r[i, i + 1 :]",
                "v[:, i + 1 : i + 2] -= q[:, i, None] * r[i, i + 1 : i + 2]")),
                "Neighbouring columns of Q are orthogonal, others are not",
                "take a new direction from all columns after it"),
            *_directions("i", "v[:, i]", "a[:, i]"))),
    Checks(givens_qr, run=_properties, written=_written(False),
        cases=_dependent_calls(),
        claims=_always_orthogonal(),
        mistakes=(
            _FULL,
            Mistake("rotation transposed", ((_TURN, "[[x, -y], [y, x]]"), ("r[i, j] = 0", "pass")),
                "Entries below the diagonal do not become zero",
                "the minus sign belongs into the second row: [[c, s], [-s, c]]"),
            Mistake("tangent", (_TANGENT, (_CUT, "np.ldexp(r[:k], exponents)")),
                "A zero on the diagonal cannot be divided by",
                "divide by the larger of the two entries"),
            Mistake("length from squares", (_AS_IT_IS, _SQUARES, (_CUT, "r[:k]")),
                "Entries of 1e200 give 0, and those of 1e-200 are divided by 0",
                "divide both entries by the larger one first, or use hypot"),
            Mistake("one below the diagonal",
                ("in j + 1 + np.flatnonzero(r[j + 1 :, j])", "in range(j + 1, min(j + 2, len(r)))"),
                "Only one entry below the diagonal is zero in each column",
                "rotate every entry below the diagonal to zero"),
            Mistake("rotations in the wrong order", (("in reversed(turns)", "in turns"),
                ("q[[j, i], j:] = turn.T @ q[[j, i], j:]", "q[[j, i]] = turn @ q[[j, i]]")),
                "QR is another matrix, although Q is orthogonal and R is right",
                "multiply the transposed rotations, the first one on the left"))),
    Checks(householder_qr, run=_properties, written=_written(False),
        cases=_dependent_calls(),
        claims=_always_orthogonal(),
        mistakes=(
            *_REFLECTIONS,
            Mistake("mirrors in the wrong order", (("in reversed(range(k))", "in range(k)"),
                ("q[j:, j:] -= tau[j] * v[j:, j, None] * (v[j:, j] @ q[j:, j:])",
                "q[j:] -= tau[j] * v[j:, j, None] * (v[j:, j] @ q[j:])")),
                "QR is another matrix, although Q is orthogonal and R is right",
                "multiply H₁H₂…Hₖ with the first mirror on the left"),
            Mistake("last column not reflected",
                (("_reflect(r, k)", "_reflect(r, k - 1)"), ("reversed(range(k))", "reversed(range(k - 1))")),
                "QR is another matrix where there are more rows than columns",
                "take min(m, n) steps: only the last row has nothing below it"))),
    Checks(blocked_qr, run=_properties, written=_written(False),
        cases=(
            *_dependent_calls(2), call(_square, 1).about("blocks of 1"), call(_square, 3).about("blocks of 3"),
            call(_square).about("the block size left to the function")),
        claims=(
            *_always_orthogonal(2),
            Claim("every block size gives the same factors", lambda f: max(distance(_unsigned(f, _square, block),
                _unsigned(f, _square)) for block in (1, 2, 3, 5, 64)), **_CONDITION)),
        mistakes=(
            *_REFLECTIONS,
            Mistake("reflections taken for independent", ("t = compact_wy(v, tau)", "t = np.diag(tau)"),
                "Q is not orthogonal for blocks of two columns and more",
                "fill T above its diagonal: mirrors that are not perpendicular act on one another"),
            Mistake("t not transposed", ("v @ (t.T @", "v @ (t @"),
                "QR is another matrix for blocks of two columns and more, if columns stand to the right of one",
                "R is multiplied by the transpose of Q, which has the transpose of T"),
            Mistake("t transposed for q", ("v @ (t @ (v.T @ q", "v @ (t.T @ (v.T @ q"),
                "QR is another matrix for blocks of two columns and more, although R is right",
                "Q has T itself, R its transpose"),
            Mistake("last reflections dropped", ("range(0, k, block)", "range(0, max(1, k - block + 1), block)"),
                "The columns that whole blocks leave over are not reflected",
                "let start run through range(0, k, block): the last block is smaller"),
            Mistake("blocks in the wrong order", (("in reversed(blocks)", "in blocks"),
                ("q[start:, start:] -= v @ (t @ (v.T @ q[start:, start:]))",
                "q[start:] -= v @ (t @ (v.T @ q[start:]))")),
                "QR is another matrix if there is more than one block, although R is right",
                "apply the last block to the identity first"))),
    Checks(householder_vector,
        cases=(
            call(np.array([3.0, 4.0])), call(np.array([0.0, 3.0, 4.0])).about("a leading zero"),
            call(np.array([-3.0, 4.0])).about("a negative first coordinate"), call(_square[0]), call(-_square[1]),
            call(_small).about("close to the first axis"), call(np.array([2.0, 0.0])).about("on the first axis"),
            call(_huge[:, 0]).about("numbers of 1e200"), call(_tiny[:, 0]).about("numbers of 1e-200"),
            call(np.array([-3e200, -4e200, 1.0])).about("numbers of 1e200 and 1"),
            call(np.array([-2.0])).about("a single number"), call(np.zeros(3)).about("zeros"),
            call(_square[0].astype(np.float32)).about("float32", edge=True),
            call(np.zeros(2, np.float32)).about("float32 zeros", edge=True)),
        claims=(
            Claim("the vector falls onto the first axis and keeps its length", _reflects, **_SMALL_ROUNDING),
            Claim("tau is 2 divided by the squared length of v", _is_mirror, **_SMALL_ROUNDING),
            Claim("a vector of zeros needs no mirror", lambda f: distance(f(np.zeros(3))[1], 0.0)),
            oracle("LAPACK's dlarfg", _dlarfg, *map(call, (_small, _square[0], _leading_zero[:, 0])),
                run=lambda f, x: np.hstack(f(x)), **_SMALL_ROUNDING)),
        mistakes=(
            *_mirrors(_SIGN_OF_ZERO),
            Mistake("squares as they are", _UNSCALED, "Coordinates of 1e200 give nan, and 1e-200 is taken for zero",
                "divide by the largest coordinate first"),
            *(Mistake("normal of length one", (_NORMAL, f"return {sign}v / np.linalg.norm(v), 2.0"),
                "It is the right mirror, but the first coordinate of v is not 1",
                "divide v by its first coordinate, and let tau be 2 / v·v")
                for sign in ("", "np.copysign(1, x[0]) * ")),
            Mistake("normal not divided", (_UNSCALED, ("v = x / (x[0] - beta)", "v = x * 1.0"),
                ("v[0] = 1", "v[0] = x[0] - beta"), (_NORMAL, "return v, 2 / (v @ v)")),
                "In ordinary sizes it is the right mirror, but the first coordinate of v is not 1",
                "divide x by its largest coordinate first, and v by its first"))),
    Checks(givens_rotation,
        cases=(
            call(3.0, 4.0), call(3.0, -3.0), call(-2.0, -2.0), call(-12.0, 5.0),
            call(0.0, -5.0).about("a first coordinate of 0"),
            call(-2.0, 0.0).about("a second coordinate of 0"), call(3e200, -4e200).about("numbers of 1e200"),
            call(-3e-200, 4e-200).about("numbers of 1e-200"), call(0.0, 0.0).about("nothing to turn")),
        claims=(
            Claim("(x, y) becomes (length, 0)", _turns, **_SMALL_ROUNDING),
            Claim("nothing to turn: the identity", lambda f: distance(f(0.0, 0.0), np.eye(2))),
            oracle("division of complex numbers", _complex_rotation, call(3.0, 4.0), call(-1.0, 2.0), call(0.0, -5.0),
                call(-2.0, 0.0), **_SMALL_ROUNDING)),
        mistakes=(
            *(Mistake("rotation by squares", it,
                "Coordinates of 1e200 give zeros, and those of 1e-200 infinities or no turn",
                "divide by the larger coordinate first, or use hypot") for it in (_SQUARES, (_SQUARES, (_LARGER,
                "larger = x * x + y * y")))),
            Mistake("angle of a quotient", _angle_of_a_quotient, "A negative first coordinate stays negative",
                "use atan2(y, x), which knows the quadrant, or divide both by the length"),
            Mistake("rotation by tangent", _TANGENT,
                "A first coordinate of 0 cannot be divided by, and a negative one stays negative",
                "divide both by the length, or use atan2(y, x), which knows the quadrant"),
            Mistake("onto the second axis", (_TURN, "[[y, -x], [x, y]]"), "The vector falls onto the second axis",
                "its product with (x, y) is (length, 0)"),
            Mistake("zeros for zeros", ("return np.eye(2)", "return np.zeros((2, 2))"),
                "For (0, 0) it is a matrix of zeros", "no turn is needed: return the identity"),
            Mistake("no turn where y is 0", ("if larger == 0:", "if y == 0:"),
                "A negative first coordinate stays negative where the second is 0",
                "only a vector of zeros needs no turn"),
            Mistake("sine and cosine exchanged", (_TURN, "[[y, x], [-x, y]]"),
                "It turns by 90° less the angle: onto the positive axis only where x = y",
                "the cosine is x divided by the length"),
            Mistake("reflection", (_TURN, "[[x, y], [y, -x]]"), "It is a mirror: its determinant is -1",
                "a rotation has the cosine twice, and the sine with both signs"),
            Mistake("not divided", (_SQUARES, (" / math.sqrt(x * x + y * y)", "")), "Lengths change",
                "divide by the length of the vector"),
            Mistake("length by absolute values", ("math.sqrt(x * x + y * y)", "(abs(x) + abs(y))"), "Lengths change",
                "the length of the vector is the root of the sum of squares"))),
    Checks(compact_wy,
        cases=(
            call(np.array([[1.0], [1.0]]), np.array([1.0])),
            call(np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([1.0, 2.0])), call(_normals, _tau),
            call(_normals, _tau * [1, 0, 1]).about("no reflection in the middle"),
            call(_normals[:, [2, 0, 1, 2]], np.array([0.5, 0.25, 2.0, 1.0]))),
        claims=(
            Claim("I - VTVᵀ is the product of the mirrors, one by one", _one_by_one, **_SMALL_ROUNDING),
            Claim("T is upper triangular", lambda f: distance(np.tril(f(_normals, _tau), -1), np.zeros((3, 3)))),
            oracle("the inverse of a triangle of VᵀV, by numpy.linalg.inv",
                lambda v, tau: np.linalg.inv(np.triu(v.T @ v, 1) + np.diag(1 / tau)), call(_normals, _tau),
                **_CONDITION)),
        mistakes=(
            Mistake("interactions left out", ("t[:j, j] = -tau[j] * (t[:j, :j] @ products[:j, j])", "pass"),
                "The product is not orthogonal",
                "fill in -tau T Vᵀv above the diagonal: mirrors that are not perpendicular act on one another"),
            Mistake("t so far left out", ("t[:j, :j] @ products[:j, j]", "products[:j, j]"),
                "Above the diagonal the taus of the mirrors before are missing, and how these act on one another",
                "multiply Vᵀv by the T found so far"),
            Mistake("tau left out", ("-tau[j] *", "-"), "Above the diagonal the last mirror's tau is missing",
                "multiply by tau of the mirror that is added"))),
    Checks(column_volume, ones=False,
        cases=(
            call(np.array([[3.0], [4.0]])), call(np.array([[3.0, 1.0], [4.0, 7.0]])), call(np.array([[1.0, 2.0, 0.0],
            [2.0, 4.0, 0.0], [2.0, 4.0, 3.0]])).about("columns that depend on each other", tolerance=1e-12),
            call(_tall).about("more rows than columns"), call(np.diag([1.0, 1e-12])).about("a long column and a short "
            "one", absolute=0), call(np.array([[1.0, 3.0], [2.0, 1.0]])).about("a negative determinant"),
            call(-1e-9 * _tall[:, ::-1]).about("numbers of 1e-9", absolute=0),
            call(np.array([[1.0, 1.0], [0.0, 1e-9], [0.0, 0.0]])).about("columns at an angle of 1e-9", tolerance=1e-15),
            call(np.vstack([np.ones(3), 1e-9 * np.eye(3)])).about(  # the classical Gram-Schmidt fails
                "three columns at angles of 1e-9", tolerance=1e-5, absolute=1e-20)),
        claims=(
            Claim("exchanging two columns changes nothing", lambda f: distance(f(_tall[:, [1, 0, 2]]), f(_tall)),
                **_CONDITION),
            oracle("the root of the Gram determinant, by numpy", lambda a: np.sqrt(np.linalg.det(a.T @ a)),
                call(_tall), **_CONDITION)),
        mistakes=(
            Mistake("sign of a mirror left in", ("abs(", "("), "It is negative for some columns",
                "a volume is not negative: take the absolute value"),
            Mistake("root of the Gram determinant", lambda a: math.sqrt(max(np.linalg.det(np.transpose(a) @ a), 0.0)),
                "At an angle of 1e-9 nothing is left", "take the heights from R: AᵀA squares what they are made of"),
            Mistake("heights of classical Gram–Schmidt", lambda a: float(np.diag(gram_schmidt(a)[1]).prod()),
                "Of three columns at angles of 1e-9 the last gets a wrong height",
                "take R from mirrors or rotations, or project every column twice"),
            Mistake("largest singular value", lambda a: float(np.linalg.norm(a, 2)),
                "It is how far one direction is stretched", "multiply all singular values, or all heights"),
            Mistake("lengths", lambda a: float(np.linalg.norm(a, axis=0).prod()), "It is right for right angles only",
                "multiply what is new in each column"),
            *(Mistake("volume of a simplex", it, "It is right for a single column only",
                "divide by nothing, for the columns span a box") for it in (
                lambda a: column_volume(a) / math.factorial(np.shape(a)[1]),
                lambda a: math.sqrt(max(np.linalg.det(np.transpose(a) @ a), 0.0)) / math.factorial(np.shape(a)[1]))))),
)
