"""What QR decomposition must satisfy, and how it is usually got wrong."""

import math
from dataclasses import replace

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
from mlnotes.checks.oldbank import Checks, Claim, Mistake, distance, frozen

_rng = np.random.default_rng(29)
_square, _tall, _wide, _zero_column, _leading_zero, _huge, _tiny, _exact, _almost_done, _small, _normals = frozen(
    _rng.normal(size=(5, 5)),
    _rng.normal(size=(7, 3)),
    _rng.normal(size=(3, 5)) + 3 * np.eye(3, 5),
    np.array([[0.0, 1.0], [0.0, 2.0], [0.0, 2.0]]),
    np.array([[0.0, 1.0], [3.0, 2.0], [4.0, 5.0]]),
    1e200 * _rng.normal(size=(5, 3)),
    1e-200 * _rng.normal(size=(5, 3)),
    np.array([[3.0, 1.0], [4.0, 2.0]]),
    np.array([[1.0, 2.0], [1e-9, 1.0], [0.0, 1.0]]),
    np.array([1.0, 1e-5, 2e-5]),
    np.array([[1.0, 0.0, 0.0], [0.5, 1.0, 0.0], [2.0, -1.0, 1.0], [1.0, 3.0, 0.5], [-1.0, 1.0, 2.0]]),
)
_MATRICES = (_square, _tall, _exact, _leading_zero)
_tau = frozen(2 / np.sum(_normals * _normals, axis=0))[0]
_u, _v = (np.linalg.qr(_rng.normal(size=(size, 7)))[0] for size in (11, 7))
_ill, _very_ill = frozen(_u * np.logspace(0, -6, 7) @ _v.T, _u * np.logspace(0, -14, 7) @ _v.T)
_HARD = (*_MATRICES, _almost_done, _ill, _very_ill)
_ROUNDING = "50 n eps for n up to 11"
_BOUND = 50 * 11 * np.finfo(float).eps
_CONDITION = "rounding errors times a condition number below 100"


def _product(matrices):
    return lambda f: max(distance(np.matmul(*f(a)), a) for a in matrices)


def _orthonormal(matrices):
    return lambda f: max(distance(q.T @ q, np.eye(q.shape[1])) for a in matrices for q in [f(a)[0]])


def _triangular(f):
    return max(distance(np.tril(r, -1), np.zeros((min(a.shape), a.shape[1]))) for a in _MATRICES for r in [f(a)[1]])


def _wide_and_zero(f):
    q, r = f(_wide)
    shapes = distance((*np.shape(q), *np.shape(r)), (3, 3, 3, 5))
    return max(shapes, _product((_wide, _zero_column))(f), _orthonormal((_wide,))(f), distance(np.tril(r, -1), 0 * r))


def _positive(f):
    return max(max(0.0, -float(np.diag(f(a)[1]).min())) for a in _MATRICES)


def _any_size(f):
    return max(
        max(distance(np.matmul(q, r / size), a / size), distance(q.T @ q, np.eye(3)))
        for a, size in ((_huge, 1e200), (_tiny, 1e-200))
        for q, r in [f(a)]
    )


def _no_direction(f):
    q, r = f(_zero_column)
    return max(distance(q, [[0, 1 / 3], [0, 2 / 3], [0, 2 / 3]]), distance(r, [[0, 0], [0, 3]]))


def _lapack(f):
    return max(
        distance(np.abs(ours), np.abs(theirs))
        for a in (_square, _tall)
        for ours, theirs in zip(f(a), np.linalg.qr(a), strict=True)
    )


def _cholesky(f):
    return distance(np.abs(f(_tall)[1]), np.abs(np.linalg.cholesky(_tall.T @ _tall).T))


def _leaves_input(f):
    a = np.array(_tall)
    f(a)
    return distance(a, _tall)


def _in_blocks_of_two(error):
    return lambda f: error(lambda a: f(a, 2))


def _same_for_every_block(f):
    right = f(_square)
    return max(max(map(distance, f(_square, block), right)) for block in (1, 2, 3, 5, 64))


def _reflects(f):
    worst = 0.0
    for x in (_small, _leading_zero[:, 0], _square[0], -_square[0]):
        v, tau = f(x)
        reflected = x - tau * v * (v @ x)
        worst = max(worst, distance(reflected, np.eye(len(x))[0] * reflected[0]))
        worst = max(worst, distance(abs(reflected[0]), np.linalg.norm(x)))
    return worst


def _is_mirror(f):
    return max(
        distance(tau * (v @ v), 2.0)
        for x in (_small, _square[0], _huge[:, 0], _tiny[:, 0], _leading_zero[:, 0])
        for v, tau in [f(x)]
    )


def _dlarfg(f):
    from scipy.linalg.lapack import dlarfg

    worst = 0.0
    for x in (_small, _square[0], _leading_zero[:, 0]):
        v, tau = f(x)
        _, rest, right = dlarfg(len(x), x[0], x[1:])
        worst = max(worst, distance(v[1:], rest), distance(tau, right))
    return worst


def _complex_rotation(f):
    worst = 0.0
    for x, y in ((3.0, 4.0), (-1.0, 2.0), (0.0, -5.0), (-2.0, 0.0)):
        turn = complex(x, -y) / abs(complex(x, y))
        worst = max(worst, distance(f(x, y), [[turn.real, -turn.imag], [turn.imag, turn.real]]))
    return worst


def _turns(f):
    return max(
        distance(f(x, y) @ [x / size, y / size], [math.hypot(x / size, y / size), 0.0])
        for x, y, size in ((3.0, 4.0, 1), (-1.0, 2.0, 1), (3e200, -4e200, 1e200), (3e-200, 4e-200, 1e-200))
    )


def _one_by_one(f):
    right = np.eye(5)
    for v, tau in zip(_normals.T, _tau, strict=True):
        right = right @ (np.eye(5) - tau * np.outer(v, v))
    return distance(np.eye(5) - _normals @ f(_normals, _tau) @ _normals.T, right)


def _inverse_of_a_triangle(f):
    return distance(f(_normals, _tau), np.linalg.inv(np.triu(_normals.T @ _normals, 1) + np.diag(1 / _tau)))


def lengths_left_in(a):
    """Subtract the projections, and forget to divide by the length."""
    q, r = gram_schmidt(a)
    lengths = np.diag(r)
    return q * lengths, r / np.where(lengths == 0, 1, lengths)[:, None]


def columns_in_place_of_directions(a):
    """Project onto the columns of the matrix, not onto the directions found."""
    a = np.array(a, float)
    q, r = np.zeros_like(a[:, : min(a.shape)]), np.zeros_like(a[: min(a.shape)])
    for j in range(min(a.shape)):
        r[:j, j] = a[:, :j].T @ a[:, j] / np.sum(a[:, :j] ** 2, axis=0)
        v = a[:, j] - a[:, :j] @ r[:j, j]
        r[j, j] = np.linalg.norm(v)
        q[:, j] = v / (r[j, j] or 1)
    return q, r


def zero_length_divided_by(a):
    """Divide by the length also where nothing is left of a column."""
    q, r = gram_schmidt(a)
    lengths = np.diag(r)[: q.shape[1]]
    return q * lengths / lengths, r


def coefficients_not_kept(a):
    """Return lengths only, without the projections."""
    q, r = gram_schmidt(a)
    return q, np.eye(*r.shape) * r


def r_transposed(a):
    """Store the projections below the diagonal."""
    q, r = gram_schmidt(a)
    return q, r[:, : len(r)].T


def classical_after_all(a):
    """Take the projections of the column as it was at the start, not of what is left of it."""
    return gram_schmidt(a)


def columns_before_only(a):
    """Take from each column the direction just before it, and no other."""
    a = np.array(a, float)
    k = min(a.shape)
    q, r = np.zeros_like(a[:, :k]), np.zeros_like(a[:k])
    for j in range(k):
        v = a[:, j].copy()
        if j:
            r[j - 1, j] = q[:, j - 1] @ v
            v -= q[:, j - 1] * r[j - 1, j]
        r[j, j] = np.linalg.norm(v)
        q[:, j] = v / (r[j, j] or 1)
    r[:, k:] = q.T @ a[:, k:]
    return q, r


def lengths_of_the_start(a):
    """Divide by the length that the column had before anything was taken from it."""
    q, r = modified_gram_schmidt(a)
    lengths = np.linalg.norm(np.asarray(a)[:, : q.shape[1]], axis=0)
    scale = np.where(lengths == 0, 1, np.diag(r) / np.where(lengths == 0, 1, lengths))
    return q * scale, r


def rotation_transposed(a):
    """Rotate by the opposite angle."""
    return _rotated(a, lambda x, y: givens_rotation(x, y).T)


def tangent(a):
    """Compute the rotation from y/x, whatever x is."""

    def rotation(x, y):
        t = y / x
        c = 1 / np.sqrt(1 + t * t)
        return np.array([[c, c * t], [-c * t, c]])

    return _rotated(a, rotation)


def length_from_squares(a):
    """Square both entries as they are."""
    return _rotated(a, lambda x, y: np.array([[x, y], [-y, x]]) / np.sqrt(x * x + y * y))


def one_below_the_diagonal(a):
    """Turn only the entries just below the diagonal into zeros."""
    return _rotated(a, givens_rotation, only_next=True)


def _rotated(a, rotation, only_next=False):
    """Rotate like the right version, but for what is to be got wrong."""
    r = np.array(a, float)
    q, k = np.eye(len(r)), min(r.shape)
    for j in range(k):
        for i in range(j + 1, min(j + 2, len(r)) if only_next else len(r)):
            if r[i, j]:
                turn = rotation(r[j, j], r[i, j])
                r[[j, i]] = turn @ r[[j, i]]
                q[:, [j, i]] = q[:, [j, i]] @ turn.T
    return q[:, :k], r[:k] if only_next else np.triu(r[:k])


def sign_of_zero(a):
    """Choose the mirror by a sign function, which is 0 for a leading zero."""

    def mirror(x):
        v = x + np.sign(x[0]) * np.linalg.norm(x) * np.eye(len(x))[0]
        return v, 2 / (v @ v or 1)

    return _reflected(a, mirror)


def nearer_mirror(a):
    """Choose the mirror whose normal is a difference of almost equal numbers."""

    def mirror(x):
        v = x - math.copysign(np.linalg.norm(x), x[0]) * np.eye(len(x))[0]
        return v, 2 / (v @ v or 1)

    return _reflected(a, mirror)


def normals_of_any_length(a):
    """Reflect with 2vvᵀ, although v does not have length one."""
    return _reflected(a, lambda x: (householder_vector(x)[0], 2.0 if x.any() else 0.0))


def squares_as_they_are(a):
    """Square the entries without scaling them."""

    def mirror(x):
        v = x + math.copysign(np.sqrt(np.sum(x * x)), x[0]) * np.eye(len(x))[0]
        return v, 2 / (v @ v or 1)

    return _reflected(a, mirror)


def mirrors_in_the_wrong_order(a):
    """Multiply the mirrors from the last to the first."""
    return _reflected(a, householder_vector, backwards=True)


def _reflected(a, mirror, backwards=False):
    """Reflect like the right version, but for what is to be got wrong."""
    r = np.array(a, float)
    q, k = np.eye(len(r)), min(r.shape)
    for j in range(k):
        v, tau = mirror(r[j:, j])
        r[j:] -= tau * np.outer(v, v @ r[j:])
        if backwards:
            q[j:] -= tau * np.outer(v, v @ q[j:])
        else:
            q[:, j:] -= tau * np.outer(q[:, j:] @ v, v)
    return q[:, :k], np.triu(r[:k])


def reflections_taken_for_independent(a, block=32):
    """Put the numbers tau on the diagonal of T, and zeros beside them."""
    return _blocked(a, block, lambda v, tau: (np.diag(tau), np.diag(tau)))


def t_not_transposed(a, block=32):
    """Use T for R as for Q, although R needs the reflections in the other order."""

    def both(v, tau):
        t = compact_wy(v, tau)
        return t, t.T

    return _blocked(a, block, both)


def last_reflections_dropped(a, block=32):
    """Stop after the last full block."""

    def both(v, tau):
        t = compact_wy(v, tau)
        return t, t

    k = min(np.shape(a))
    return _blocked(a, block, both, k if block > k else k // block * block)


def _blocked(a, block, triangles, steps=None):
    """Reflect in blocks like the right version, but for what is to be got wrong."""
    r = np.array(a, float)
    m, k = len(r), min(r.shape)
    q = np.eye(m)
    for start in range(0, k if steps is None else steps, block):
        end = min(start + block, k)
        v, tau = np.zeros((m - start, end - start)), np.zeros(end - start)
        for j in range(start, end):
            v[j - start :, j - start], tau[j - start] = householder_vector(r[j:, j])
            normal = v[j - start :, j - start]
            r[j:, j:end] -= tau[j - start] * np.outer(normal, normal @ r[j:, j:end])
        for_q, for_r = triangles(v, tau)
        r[start:, end:] -= v @ (for_r.T @ (v.T @ r[start:, end:]))
        q[:, start:] -= q[:, start:] @ v @ for_q @ v.T
    return q[:, :k], np.triu(r[:k])


def sign_function(x):
    """Use a sign function, which is 0 for a leading zero."""
    beta = -np.sign(x[0]) * np.linalg.norm(x)
    return x / (x[0] - beta), (beta - x[0]) / beta


def difference_that_cancels(x):
    """Keep the sign of the first coordinate, so that it is subtracted from almost itself."""
    beta = math.copysign(np.linalg.norm(x), x[0])
    return np.array([1.0, *(x[1:] / (x[0] - beta))]), (beta - x[0]) / beta


def two_for_tau(x):
    """Return 2, as if the normal had length one."""
    return householder_vector(x)[0], 2.0


def rotation_the_other_way(x, y):
    """Put the minus sign into the first row."""
    return givens_rotation(x, y).T


def rotation_by_squares(x, y):
    """Square both coordinates as they are."""
    return np.array([[x, y], [-y, x]]) / np.sqrt(x * x + y * y)


def rotation_by_tangent(x, y):
    """Divide by the first coordinate, whatever it is."""
    t = np.float64(y) / np.float64(x)
    return np.array([[1, t], [-t, 1]]) / np.sqrt(1 + t * t)


def interactions_left_out(v, tau):
    """Put the numbers tau on the diagonal, and zeros beside them."""
    return np.diag(tau)


def minus_sign_lost(v, tau):
    """Add where the product of mirrors subtracts."""
    t = compact_wy(v, tau)
    return 2 * np.diag(np.diag(t)) - t


def order_turned_round(v, tau):
    """Return the transpose, which is the product in the other order."""
    return compact_wy(v, tau).T


_FACTORS = (
    Claim("QR is the matrix", _product(_HARD), _BOUND, _ROUNDING),
    Claim("R is upper triangular, with as many rows as Q has columns", _triangular),
    Claim("the input is left as it was", _leaves_input),
    Claim(
        "a wide matrix has a square Q, and a column of zeros does no harm", _wide_and_zero, _BOUND, _ROUNDING, edge=True
    ),
    Claim("entries of 1e200 and of 1e-200 are treated like any other", _any_size, _BOUND, _ROUNDING, edge=True),
    Claim("numpy.linalg.qr, but for signs", _lapack, 1e-12, _CONDITION, "oracle"),
    Claim("the Cholesky factor of AᵀA, but for signs", _cholesky, 1e-12, _CONDITION, "oracle"),
)
_ALWAYS_ORTHOGONAL = (
    Claim(
        "Q has orthonormal columns, however near to dependent those of A are",
        _orthonormal(_HARD),
        _BOUND,
        _ROUNDING,
    ),
    Claim("so it has for a column of zeros", _orthonormal((_zero_column,)), _BOUND, _ROUNDING, edge=True),
    *_FACTORS,
)
_ORTHOGONAL_IF_WELL_SEPARATED = (
    Claim(
        "Q has orthonormal columns where the condition number is small",
        _orthonormal((_square, _tall, _exact)),
        1e-11,
        "rounding errors times the square of a condition number below 100",
    ),
    *_FACTORS,
    Claim("no entry on the diagonal of R is negative", _positive),
    Claim("a column of zeros has the direction zero", _no_direction, 1e-15, "one division", edge=True),
)

OLD = (
    Checks(
        gram_schmidt,
        probes=((_exact,), (_square,), (_tall,), (_wide,), (_zero_column,)),
        claims=_ORTHOGONAL_IF_WELL_SEPARATED,
        mistakes=(
            Mistake(lengths_left_in, "The columns of Q are orthogonal but not of length one", "divide by the length"),
            Mistake(
                columns_in_place_of_directions,
                "The columns of Q are not orthogonal from the third on",
                "project onto the directions q found so far: the columns of A are not orthogonal",
            ),
            Mistake(
                zero_length_divided_by,
                "A column of zeros, or one that depends on others, gives nan",
                "divide by 1 where the length is 0",
            ),
            Mistake(coefficients_not_kept, "QR is another matrix", "keep the projections above the diagonal of R"),
            Mistake(r_transposed, "R is lower triangular", "the projection of column j onto direction i is r[i, j]"),
        ),
    ),
    Checks(
        modified_gram_schmidt,
        probes=((_exact,), (_square,), (_tall,), (_zero_column,), (_ill,)),
        claims=(
            Claim(
                "for a condition number of 1e6, orthogonality is lost by 1e-9 at most",
                _orthonormal((_ill,)),
                1e-9,
                "the condition number times 1e-15; gram_schmidt loses its square",
            ),
            *_ORTHOGONAL_IF_WELL_SEPARATED,
        ),
        mistakes=(
            Mistake(
                classical_after_all,
                "Orthogonality is lost with the square of the condition number",
                "project what is left of a column, not the column of the start",
            ),
            Mistake(
                columns_before_only,
                "Neighbouring columns of Q are orthogonal, others are not",
                "take a new direction from all columns after it",
            ),
            Mistake(
                lengths_of_the_start,
                "The columns of Q are shorter than one",
                "divide by the length of what is left of the column",
            ),
        ),
    ),
    Checks(
        givens_qr,
        probes=((_exact,), (_square,), (_tall,), (_leading_zero,), (_huge / 1e40,)),
        claims=_ALWAYS_ORTHOGONAL,
        mistakes=(
            Mistake(
                rotation_transposed,
                "Entries below the diagonal do not become zero",
                "the minus sign belongs into the second row: [[c, s], [-s, c]]",
            ),
            Mistake(tangent, "A zero on the diagonal gives nan", "divide by the larger of the two entries"),
            Mistake(
                length_from_squares,
                "Entries of 1e200 give 0, and entries of 1e-200 give nan",
                "divide both entries by the larger one first, or use hypot",
            ),
            Mistake(
                one_below_the_diagonal,
                "Only one entry below the diagonal is zero in each column",
                "rotate every entry below the diagonal to zero",
            ),
        ),
    ),
    Checks(
        householder_qr,
        probes=((_exact,), (_square,), (_tall,), (_leading_zero,), (_almost_done,), (_huge,)),
        claims=_ALWAYS_ORTHOGONAL,
        mistakes=(
            Mistake(
                sign_of_zero,
                "A column with a leading zero is left as it is, and QR is another matrix",
                "use copysign, which is never 0",
            ),
            Mistake(
                nearer_mirror,
                "Columns that are almost done lose all digits",
                "choose the sign for which the first entry of v is a sum, not a difference",
            ),
            Mistake(
                normals_of_any_length,
                "Q is not orthogonal",
                "divide by the squared length of v: I - 2vvᵀ/vᵀv",
            ),
            Mistake(
                squares_as_they_are,
                "Entries of 1e200 give nan, and entries of 1e-200 are taken for zeros",
                "divide the column by its largest entry first",
            ),
            Mistake(
                mirrors_in_the_wrong_order,
                "QR is another matrix, although Q is orthogonal and R is right",
                "multiply H₁H₂…Hₖ with the first mirror on the left",
            ),
        ),
    ),
    Checks(
        blocked_qr,
        probes=((_square, 2), (_tall, 2), (_wide, 2), (_square, 1), (_square,)),
        claims=(
            *(replace(claim, error=_in_blocks_of_two(claim.error)) for claim in _ALWAYS_ORTHOGONAL),
            Claim("every block size gives the same factors", _same_for_every_block, 1e-12, _CONDITION),
        ),
        mistakes=(
            Mistake(
                reflections_taken_for_independent,
                "Q is not orthogonal for blocks of two columns and more",
                "fill T above its diagonal: mirrors that are not perpendicular act on one another",
            ),
            Mistake(
                t_not_transposed,
                "QR is another matrix for blocks of two columns and more",
                "R is multiplied by the transpose of Q, which has the transpose of T",
            ),
            Mistake(
                last_reflections_dropped,
                "The last columns are not triangular where the block size does not divide",
                "end the last block at min(start + block, k)",
            ),
        ),
    ),
    Checks(
        householder_vector,
        probes=((_small,), (_leading_zero[:, 0],), (_square[0],)),
        claims=(
            Claim("the vector falls onto the first axis and keeps its length", _reflects, 1e-14, _ROUNDING),
            Claim("tau is 2 divided by the squared length of v", _is_mirror, 1e-14, _ROUNDING),
            Claim("a vector of zeros needs no mirror", lambda f: distance(f(np.zeros(3))[1], 0.0), edge=True),
            Claim("LAPACK's dlarfg", _dlarfg, 1e-14, _ROUNDING, "oracle"),
        ),
        mistakes=(
            Mistake(sign_function, "A leading zero gives nan", "use copysign, which is never 0"),
            Mistake(
                difference_that_cancels,
                "A vector close to the first axis loses digits, all of them in the end",
                "choose the sign of beta opposite to that of the first coordinate",
            ),
            Mistake(
                two_for_tau, "The vector does not fall onto the axis", "tau is 2 divided by the squared length of v"
            ),
        ),
    ),
    Checks(
        givens_rotation,
        probes=((3.0, 4.0), (0.0, -5.0), (3e200, -4e200)),
        claims=(
            Claim("(x, y) becomes (length, 0)", _turns, 1e-14, _ROUNDING),
            Claim("nothing to turn: the identity", lambda f: distance(f(0.0, 0.0), np.eye(2)), edge=True),
            Claim("division of complex numbers", _complex_rotation, 1e-14, _ROUNDING, "oracle"),
        ),
        mistakes=(
            Mistake(
                rotation_the_other_way, "The vector turns away from the axis", "put the minus sign into the second row"
            ),
            Mistake(
                rotation_by_squares,
                "Coordinates of 1e200 give 0, and those of 1e-200 give nan",
                "divide by the larger coordinate first, or use hypot",
            ),
            Mistake(rotation_by_tangent, "A first coordinate of 0 gives nan", "divide by the larger coordinate"),
        ),
    ),
    Checks(
        compact_wy,
        probes=((_normals, _tau),),
        claims=(
            Claim("I - VTVᵀ is the product of the mirrors, one by one", _one_by_one, 1e-14, _ROUNDING),
            Claim("T is upper triangular", lambda f: distance(np.tril(f(_normals, _tau), -1), np.zeros((3, 3)))),
            Claim(
                "the inverse of a triangle of VᵀV, by numpy.linalg.inv",
                _inverse_of_a_triangle,
                1e-13,
                _CONDITION,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                interactions_left_out,
                "The product is not orthogonal",
                "fill in -tau T Vᵀv above the diagonal: mirrors that are not perpendicular act on one another",
            ),
            Mistake(
                minus_sign_lost, "The product is not orthogonal", "the column above the diagonal is minus tau T Vᵀv"
            ),
            Mistake(
                order_turned_round, "It is the product in the other order", "T is upper triangular for H₁ on the left"
            ),
        ),
    ),
)
