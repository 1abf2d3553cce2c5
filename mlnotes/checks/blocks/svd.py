"""What the singular value decomposition must satisfy, and how it is usually got wrong."""

import numpy as np

from mlnotes.blocks.svd import Subspaces, fundamental_subspaces, low_rank, pinv, rank, svd
from mlnotes.checks.oldbank import Checks, Claim, Mistake, distance, frozen

_rng = np.random.default_rng(13)
_square, _tall, _wide, _columns, _rows = frozen(
    _rng.normal(size=(5, 5)),
    _rng.normal(size=(7, 3)),
    _rng.normal(size=(3, 7)),
    _rng.normal(size=(7, 2)),
    _rng.normal(size=(2, 5)),
)
_flat, _dependent, _zero, _tiny, _hidden = frozen(
    np.array([[3.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 0.0]]),
    _columns @ _rows,
    np.zeros((3, 2)),
    _columns @ _rows * 2.0**-60,
    np.array([[1.0, 1.0], [1e-9, 0.0], [0.0, 1e-9]]),  # singular values root 2 and 1e-9
)
_ALL = (_square, _tall, _wide, _flat, _dependent, _zero)
_LAST_BITS = "a few dozen rotations in float64: a few units of 1e-16"


def _product(f):
    return max(distance(u * s @ vt, a) for a in _ALL for u, s, vt in [f(a)])


def _orthonormal(f):
    found = [q.T @ q for a in _ALL for u, _, vt in [f(a)] for q in (u, vt.T)]
    return max(distance(gram, np.eye(len(gram))) for gram in found)


def _orderly(f):
    values = [f(a)[1] for a in _ALL]
    return float(max(max(np.max(np.diff(s), initial=0.0), np.max(-s, initial=0.0)) for s in values))


def _reduced(f):
    shapes = [[x.shape for x in f(a)] for a in _ALL]
    expected = [[(m, min(m, n)), (min(m, n),), (min(m, n), n)] for m, n in (a.shape for a in _ALL)]
    return float(shapes != expected)


def _penrose(f):
    errors = []
    for a in (_square, _tall, _wide, _flat, _dependent):
        p = f(a)
        errors += [distance(a @ p @ a, a), distance(p @ a @ p, p)]
        errors += [distance((a @ p).T, a @ p), distance((p @ a).T, p @ a)]
    return max(errors)


def _projections(f, a):
    return [basis @ basis.T for basis in f(a)]


def _scipy_projections(a):
    import scipy.linalg

    found = (scipy.linalg.orth(a), scipy.linalg.null_space(a.T), scipy.linalg.orth(a.T), scipy.linalg.null_space(a))
    return [basis @ basis.T for basis in found]


def eigenvalues_of_the_gram_matrix(a):
    """Take roots of the eigenvalues of AᵀA, and divide by them."""
    w, v = np.linalg.eigh(a.T @ a)
    s, v = np.sqrt(np.abs(w[::-1])), v[:, ::-1]
    k = min(a.shape)
    return (a @ v / np.where(s == 0, 1, s))[:, :k], s[:k], v.T[:k]


def second_factor_not_transposed(a):
    """Return V where its transpose is expected."""
    u, s, vt = svd(a)
    return u, s, vt.T


def ascending(a):
    """Leave the smallest singular value first, as eigenvalue solvers do."""
    u, s, vt = svd(a)
    return u[:, ::-1], s[::-1], vt[::-1]


def zero_vectors(a):
    """Divide A v by singular values, where they are not zero."""
    u, s, vt = svd(a)
    return np.where(s > 1e-12, u, 0), s, vt


def all_of_u(a):
    """Complete both factors to square matrices."""
    return tuple(np.linalg.svd(a, full_matrices=True))


def signs_chosen_apart(a):
    """Find U and V as eigenvectors of AAᵀ and AᵀA, each with signs of its own."""
    u, s, vt = svd(a)
    return u * np.where(u[0] < 0, -1, 1), s, vt * np.where(vt[:, :1] < 0, -1, 1)


def squares(a):
    """Return eigenvalues of AᵀA for singular values of A."""
    u, s, vt = svd(a)
    return u, s**2, vt


def inverse_of_the_gram_matrix(a, tolerance=None):
    """Use the formula for independent columns."""
    return np.linalg.inv(a.T @ a) @ a.T


def rounding_errors_inverted(a, tolerance=None):
    """Divide by every singular value that is not exactly zero."""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    return (vt.T / np.where(s == 0, 1, s) * (s > 0)) @ u.T


def absolute_tolerance(a, tolerance=None):
    """Drop singular values below 1e-10, whatever the largest is."""
    u, s, vt = svd(a)
    kept = s > 1e-10
    return (vt[kept].T / s[kept]) @ u[:, kept].T


def not_transposed(a, tolerance=None):
    """Invert the singular values, and leave the order of the factors."""
    return pinv(a, tolerance).T


def smallest_kept(a, k):
    """Keep the last terms instead of the first."""
    u, s, vt = svd(a)
    return u[:, len(s) - k :] * s[len(s) - k :] @ vt[len(s) - k :]


def one_term_more(a, k):
    """Count the terms from 0."""
    u, s, vt = svd(a)
    return u[:, : k + 1] * s[: k + 1] @ vt[: k + 1]


def columns_cut_off(a, k):
    """Keep the first k columns, and set the others to zero."""
    return np.where(np.arange(a.shape[1]) < k, a, 0)


def lengths_forgotten(a, k):
    """Multiply the vectors without the singular values."""
    u, _, vt = svd(a)
    return u[:, :k] @ vt[:k]


def rounding_errors_counted(a, tolerance=None):
    """Count every singular value that is not exactly zero."""
    return int(np.count_nonzero(np.linalg.svd(a, compute_uv=False)))


def counted_above_a_fixed_number(a, tolerance=None):
    """Count singular values above 1e-10, whatever the largest is."""
    return int(np.count_nonzero(svd(a)[1] > 1e-10))


def rows_that_are_not_zero(a, tolerance=None):
    """Count rows, as after an elimination that has not been done."""
    return int(np.count_nonzero(a.any(axis=1)))


def sides_exchanged(a, tolerance=None):
    """Take the columns of V for the column space."""
    found = fundamental_subspaces(a, tolerance)
    return Subspaces(*found[2:], *found[:2])


def reduced_vectors_only(a, tolerance=None):
    """Look for null spaces among the first min(m, n) singular vectors."""
    u, _, vt = svd(a)
    r = rank(a, tolerance)
    return Subspaces(u[:, :r], u[:, r:], vt[:r].T, vt[r:].T)


OLD = (
    Checks(
        svd,
        probes=((_square,), (_tall,), (_wide,), (_flat,), (_hidden,)),
        claims=(
            Claim("u * s @ vt is the matrix", _product, 1e-12, _LAST_BITS),
            Claim(
                "columns of u and rows of vt are orthonormal, also for singular values of 0",
                _orthonormal,
                1e-12,
                _LAST_BITS,
            ),
            Claim("singular values are descending and never negative", _orderly),
            Claim("the shapes are (m, k), (k,) and (k, n) with k = min(m, n)", _reduced),
            Claim(
                "a singular value of 1e-9 beside one of 1.4 keeps its digits",
                lambda f: abs(f(_hidden)[1][1] / 1e-9 - 1),
                1e-6,
                "relative: the entries are rounded to 1e-16, which is 1e-7 of 1e-9",
            ),
            Claim(
                "entries around 1e200 and 1e-200 are no different",
                lambda f: distance([f(_tall * size)[1] / size for size in (1e200, 1e-200)], [f(_tall)[1]] * 2),
                1e-12,
                _LAST_BITS,
                edge=True,
            ),
            Claim(
                "numpy.linalg.svd (singular values)",
                lambda f: max(distance(f(a)[1], np.linalg.svd(a, compute_uv=False)) for a in _ALL),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                eigenvalues_of_the_gram_matrix,
                "Singular values below 1e-8 of the largest are wrong, and their vectors not orthonormal",
                "work on A itself: AᵀA has the square of its condition number",
            ),
            Mistake(
                second_factor_not_transposed,
                "u * s @ vt is not the matrix, and does not even fit one that is not square",
                "return vt, with right singular vectors in its rows",
                "svd of MATLAB and torch.svd return V, NumPy's and torch.linalg's its transpose",
            ),
            Mistake(ascending, "The smallest singular value comes first", "sort descending, and the vectors along"),
            Mistake(
                zero_vectors,
                "u has columns of zeros where the singular value is 0",
                "complete them by any vectors that are orthonormal to the others",
            ),
            Mistake(
                all_of_u,
                "u or vt is square where the matrix is not",
                "return the first min(m, n) vectors: the others meet no singular value",
            ),
            Mistake(
                signs_chosen_apart,
                "The product has the wrong sign in some terms",
                "choose v, and let u be A v divided by s: its sign follows",
            ),
            Mistake(squares, "The singular values are squared", "take the root of the eigenvalues of AᵀA"),
        ),
    ),
    Checks(
        pinv,
        probes=((_square,), (_tall,), (_dependent,), (_tiny,)),
        claims=(
            Claim("Penrose's four conditions", _penrose, 1e-12, "the largest condition number here is about 40"),
            Claim(
                "the inverse, where there is one",
                lambda f: distance(f(_square) @ _square, np.eye(5)),
                1e-12,
                "the largest condition number here is about 40",
            ),
            Claim("that of zeros is zeros, transposed", lambda f: distance(f(_zero), np.zeros((2, 3)))),
            Claim(
                "doubling the matrix 60 times halves the result 60 times",
                lambda f: distance(f(_tiny) * 2.0**-60, f(_dependent)),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "numpy.linalg.pinv",
                lambda f: max(distance(f(a), np.linalg.pinv(a)) for a in (_square, _tall, _wide, _dependent)),
                1e-12,
                "the largest condition number here is about 40",
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                inverse_of_the_gram_matrix,
                "It fails, or gives huge numbers, where columns depend on each other",
                "invert the singular values that are not zero",
            ),
            Mistake(
                rounding_errors_inverted,
                "It gives numbers around 1e15 where columns depend on each other",
                "count singular values up to a tolerance as zero",
            ),
            Mistake(
                absolute_tolerance,
                "A matrix of small numbers has the pseudoinverse zero",
                "compare singular values with the largest one",
            ),
            Mistake(not_transposed, "Its shape is that of the matrix", "V comes first: V diag(1/s) Uᵀ"),
        ),
    ),
    Checks(
        low_rank,
        probes=((_square, 2), (_tall, 1), (_wide, 2)),
        claims=(
            Claim(
                "its rank is k",
                lambda f: max(abs(np.linalg.matrix_rank(f(_square, k)) - k) for k in range(6)),
            ),
            Claim(
                "its distance in the spectral norm is the next singular value (Eckart–Young)",
                lambda f: max(
                    abs(np.linalg.norm(_square - f(_square, k), 2) - np.linalg.svd(_square)[1][k]) for k in range(5)
                ),
                1e-12,
                _LAST_BITS,
            ),
            Claim("all terms give the matrix", lambda f: distance(f(_wide, 3), _wide), 1e-12, _LAST_BITS),
            Claim(
                "the sum of k outer products from numpy.linalg.svd",
                lambda f: distance(f(_tall, 2), (lambda u, s, vt: u[:, :2] * s[:2] @ vt[:2])(*np.linalg.svd(_tall))),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(smallest_kept, "It is far from the matrix", "keep the largest singular values"),
            Mistake(one_term_more, "Its rank is k + 1", "stop before term k, counted from 0"),
            Mistake(columns_cut_off, "Other matrices of rank k are nearer", "cut the sum of the terms, not the matrix"),
            Mistake(lengths_forgotten, "Every term has the same weight", "multiply u by the singular values"),
        ),
    ),
    Checks(
        rank,
        probes=((_dependent,), (_tiny,), (_flat,), (_square,)),
        claims=(
            Claim("2 for a product of 2 columns and 2 rows", lambda f: float(f(_dependent) != 2)),
            Claim("doubling the matrix 60 times changes nothing", lambda f: float(f(_tiny) != 2)),
            Claim("0 for zeros", lambda f: float(f(_zero) != 0)),
            Claim("the rank of the transpose", lambda f: max(abs(f(a) - f(a.T.copy())) for a in _ALL)),
            Claim(
                "numpy.linalg.matrix_rank",
                lambda f: max(abs(f(a) - np.linalg.matrix_rank(a)) for a in _ALL),
                kind="oracle",
            ),
        ),
        mistakes=(
            Mistake(
                rounding_errors_counted,
                "Rounding errors count: the rank is hardly ever less than full",
                "count singular values above a tolerance",
            ),
            Mistake(
                counted_above_a_fixed_number,
                "A matrix of small numbers has the rank 0",
                "compare singular values with the largest one",
            ),
            Mistake(rows_that_are_not_zero, "Rows that depend on each other count twice", "count singular values"),
        ),
    ),
    Checks(
        fundamental_subspaces,
        probes=((_dependent,), (_wide,), (_flat,)),
        claims=(
            Claim(
                "bases of 2 and 5, 2 and 3 vectors for a matrix (7, 5) of rank 2",
                lambda f: float([x.shape for x in f(_dependent)] != [(7, 2), (7, 5), (5, 2), (5, 3)]),
            ),
            Claim(
                "each pair of spaces fills its room: their projections add up to the identity",
                lambda f: max(
                    distance(p[i] + p[i + 1], np.eye(len(p[i])))
                    for a in _ALL
                    for p in [_projections(f, a)]
                    for i in (0, 2)
                ),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "the matrix takes its null space to zero",
                lambda f: max(distance(a @ x, np.zeros((len(a), x.shape[1]))) for a in _ALL for x in [f(a)[3]]),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "scipy.linalg.orth and scipy.linalg.null_space (projections)",
                lambda f: max(
                    distance(mine, theirs)
                    for a in (_dependent, _wide, _flat)
                    for mine, theirs in zip(_projections(f, a), _scipy_projections(a), strict=True)
                ),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                sides_exchanged,
                "The column space has vectors with as many entries as a row",
                "columns of u span the column space, rows of vt the row space",
            ),
            Mistake(
                reduced_vectors_only,
                "The null space of a wide matrix comes out empty",
                "complete the singular vectors to a basis of the whole space",
            ),
        ),
    ),
)
