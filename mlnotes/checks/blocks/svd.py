"""What the singular value decomposition must satisfy, and how it is usually got wrong."""

import numpy as np

from mlnotes.blocks.svd import Subspaces, fundamental_subspaces, low_rank, pinv, rank, svd
from mlnotes.checks.bank import Checks, Claim, Mistake, call, distance, frozen, oracle

_rng = np.random.default_rng(13)
_shapes = (5, 5), (7, 3), (3, 7), (7, 2), (2, 5)
_square, _tall, _wide, _columns, _rows = frozen(*(_rng.normal(size=it) for it in _shapes))
_flat, _dependent, _zero, _tiny, _hidden, _two, _axes, _noisy, _nine, _leaning = frozen(
    np.array([[3.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 0.0]]), _columns @ _rows, np.zeros((3, 2)),
    _columns @ _rows * 2.0**-60, np.array([[1.0, 1.0], [1e-9, 0.0], [0.0, 1e-9]]),  # singular values root 2 and 1e-9
    np.array([[3.0, 0.0], [4.0, 5.0]]), np.diag([4.0, 2.0, 1.0]), np.eye(7, 3) * [1, 2.0**-50, 0],
    np.eye(20, 2) * [1.0, 2e-15], np.array([[3.0, 3.0], [1.0, -1.0]]),  # singular values 3 root 2 and root 2
)
_growing = frozen(np.random.default_rng(0).normal(size=(6, 3)) * [1e-13, 1e-6, 1.0])[0]
_ALL = (_square, _tall, _wide, _flat, _dependent, _zero)
_LAST_BITS = {"tolerance": 1e-12, "why": "a few dozen rotations in float64: a few units of 1e-16"}
_CONDITION = {"tolerance": 1e-12, "why": "the largest condition number here is about 22"}
_ROUNDED = {"tolerance": 1e-6, "why": "relative: the entries are rounded to 1e-16, which is 1e-7 of 1e-9"}


def nearest_orthogonal(a):
    """Find the orthonormal columns that are nearest to those of a matrix."""
    u, _, vt = svd(a)
    return u @ vt


def _decomposition(version, a):
    """Take what every decomposition of a matrix must share: the vectors themselves have no sign."""
    u, s, vt = version(a)
    u, s, vt = map(np.asarray, (u, s, vt))
    unit = {"u.T @ u": np.round(u.T @ u, 14) + 0, "vt @ vt.T": np.round(vt @ vt.T, 14) + 0}  # no noise, no -0
    counted = s[s > 5e-14 * np.max(s, initial=0.0)]  # whose own digits count: the others may be rounding errors
    return {"s": s, "u * s @ vt": u * s @ vt} | unit | {"log10(s) where s > 5e-14 s[0]": np.log10(counted)}


def _nearest(version, a, k):
    """Ask only for rank and distance where singular values are equal: there are several nearest ones."""
    found, s = np.asarray(version(a, k)), np.linalg.svd(a, compute_uv=False)
    if not 0 < k < len(s) or s[k - 1] > (1 + 1e-9) * s[k] or s[k] == 0:
        return found
    return {"rank": int(np.linalg.matrix_rank(found)), "distance from the matrix": np.linalg.norm(a - found)}


def _projections(version, a, tolerance=None):
    """Project on each space: a basis is not unique, the projection is."""
    found = version(a) if tolerance is None else version(a, tolerance)
    seen = {name: basis @ basis.T for name, basis in zip(Subspaces._fields, found, strict=True)}
    return seen | {"dimensions": [basis.shape[1] for basis in found]}


def _orthonormal(f):
    grams = [q.T @ q for a in _ALL for u, _, vt in [f(a)] for q in (u, vt.T)]
    return max(distance(gram, np.eye(len(gram))) for gram in grams)


def _orderly(f):
    values = [f(a)[1] for a in _ALL]
    return float(max(max(np.max(np.diff(s), initial=0.0), np.max(-s, initial=0.0)) for s in values))


def _reduced(f):
    shapes = [[x.shape for x in f(a)] for a in _ALL]
    return float(shapes != [[(m, min(m, n)), (min(m, n),), (min(m, n), n)] for m, n in (a.shape for a in _ALL)])


def _penrose(f):
    errors = []
    for a in (_square, _tall, _wide, _flat, _dependent):
        p = f(a)
        errors += [distance(a @ p @ a, a), distance(p @ a @ p, p)]
        errors += [distance((a @ p).T, a @ p), distance((p @ a).T, p @ a)]
    return max(errors)


def _filled(f):
    pairs = [(p[i], p[j]) for a in _ALL for p in [[b @ b.T for b in f(a)]] for i, j in ((0, 1), (2, 3))]
    return max(distance(p + q, np.eye(len(p))) for p, q in pairs)


def _of_scipy(a):
    import scipy.linalg as sl

    return Subspaces(sl.orth(a), sl.null_space(a.T), sl.orth(a.T), sl.null_space(a))


def _svd_of_torch(a):
    import torch

    return tuple(it.numpy() for it in torch.linalg.svd(torch.tensor(a, dtype=torch.float64), full_matrices=False))


def _polar_of_scipy(a):
    import scipy.linalg as sl

    return sl.polar(a)[0]


def _terms_of_numpy(a, k):
    u, s, vt = np.linalg.svd(a)
    return u[:, :k] * s[:k] @ vt[:k]


def _longest_columns(a, k):
    longest = np.argsort(-np.linalg.norm(a, axis=0))[:k]
    return np.where(np.isin(np.arange(a.shape[1]), longest), a, 0)


def _of_dependent():
    """Call with matrices of full and of smaller rank, with and without a tolerance."""
    return (call(_two), call(_axes, 0.25).about("a tolerance"), call(_axes, tolerance=0.5).about("a tolerance"),
        call(_axes, 0.45).about("a tolerance"), call(_leaning, 0.34).about("a tolerance above a third"),
        call(_leaning, 0.3).about("a tolerance below a third"), call(_square), call(_tall), call(_wide),
        call(_flat).about("rows and columns of zeros"), call(_dependent).about("columns that depend on each other"),
        call(_dependent.T).about("rows that depend on each other"), call(_zero).about("zeros"),
        call(_tiny).about("entries of 1e-18", absolute=0),
        call(np.array([[0.0, 3.0, -3.0, 0.0], 4 * [0.0], 4 * [0.0], [0.0, 0.0, 5.0, 0.0]])).about("eigenvalues of 0"),
        call(np.diag([1.0, 1e-12])).about("a small singular value that counts"),
        call(np.diag([1.0, 1e-20]), 0.0).about("a tolerance of 0"), call(1e12 * _axes, 0.3).about("large entries"),
        call(1e200 * _square).about("entries of 1e200", edge=True, absolute=0),
        call(np.array([[3, 0], [4, 5]])).about("integers", edge=True),
        *(call(a).about("1 and 4 rounding errors as singular values", edge=True) for a in (_noisy, _noisy.T)))


_RESULT, _DECOMPOSED = "return found.u, found.s, found.vt", "u, s, vt = svd(a)"
def _inverted(a, tolerance, inverse):
    """Put the singular values together again, each in another way."""
    u, s, vt = svd(a)
    least = s.max(initial=0.0) * (max(np.shape(a)) * 2.0**-52 if tolerance is None else tolerance)
    return (vt.T * inverse(s, least)) @ u.T


_COUNT, _CUT = "count_above(s, tolerance, np.shape(a))", "u[:, :k] * s[:k] @ vt[:k]"
_RANK = "count_above(svd(a)[1], tolerance, np.shape(a))"
_BASES = "Subspaces(u[:, :r], u[:, r:], v[:, :r], v[:, r:])"
_FIXED = "int(np.count_nonzero({} > (1e-14 if tolerance is None else tolerance)))"
_OF_NUMPY = "u, s, vt = np.linalg.svd(a, full_matrices=False)"
_OF_GRAM = """w, v = np.linalg.eigh(a.T @ a)
    s, v, k = np.sqrt(np.abs(w[::-1])), v[:, ::-1], min(a.shape)
    return (a @ v / np.where(s == 0, 1, s))[:, :k], s[:k], v.T[:k]"""

CHECKS = (
    Checks(svd, run=_decomposition,
        cases=(
            call(_two), call(np.array([[0.0, 2.0], [-1.0, 0.0]])), call(np.array([[-7.0]])).about("one entry"),
            call(_square), call(_tall), call(_wide).about("more columns than rows"), call(_axes[::-1]),
            call(_flat).about("rows and columns of zeros"), call(_zero).about("zeros"),
            call(np.pad(_tall[:, :2], ((0, 0), (1, 2)))).about("columns of zeros"), call(np.ones((3, 2))),
            call(_dependent).about("columns that depend on each other"), call(np.eye(3)).about("equal singular values"),
            call(_hidden).about("singular values of 1.4 and 1e-9", tolerance=1e-7),
            *(call(a).about(f"{side} that grow", tolerance=1e-13, absolute=0) for a,
                side in ((_growing, "columns"), (_growing.T, "rows"))),
            call(np.diag([1.0, 1e-13])).about("singular values of 1 and 1e-13", tolerance=1e-14, absolute=0),
            call(np.array([[3, 0], [4, 5]])).about("integers"), call(_dependent.T), call(_rng.normal(size=(11, 7))),
            *(call(unit * _tall).about(f"entries of {unit}", edge=True, absolute=1e-10) for unit in (1e200, 1e-200)),
            call(_tall * np.array([1.0, 1e-150, 1e150])).about("columns of unlike lengths", edge=True, absolute=1e-10)),
        claims=(
            Claim("u * s @ vt is the matrix",
                lambda f: max(distance(u * s @ vt, a) for a in _ALL for u, s, vt in [f(a)]), **_LAST_BITS),
            Claim("columns of u and rows of vt are orthonormal, also for singular values of 0", _orthonormal,
                **_LAST_BITS),
            Claim("singular values are descending and never negative", _orderly),
            Claim("the shapes are (m, k), (k,) and (k, n) with k = min(m, n)", _reduced),
            Claim("a singular value of 1e-9 beside one of 1.4 keeps its digits",
                lambda f: abs(f(_hidden)[1][1] / 1e-9 - 1), **_ROUNDED),
            Claim("entries around 1e200 and 1e-200 are no different",
                lambda f: distance([f(_tall * size)[1] / size for size in (1e200, 1e-200)], [f(_tall)[1]] * 2),
                **_LAST_BITS),
            oracle("numpy.linalg.svd (singular values)", np.linalg.svd, *map(call, _ALL), run=lambda f, a: f(a)[1],
                **_LAST_BITS)),
        mistakes=(
            Mistake("eigenvalues of the gram matrix", ("found = one_sided_jacobi(a)", _OF_GRAM),
                "Singular values below 1e-8 of the largest are wrong, and their vectors not orthonormal",
                "work on A itself: AᵀA has the square of its condition number"),
            *(Mistake("reduced to two diagonals", it,
                "Where rows or columns are of very different lengths, small singular values lose digits",
                "rotate the columns themselves: NumPy, SciPy and, on the CPU, PyTorch reduce to two diagonals first")
                for it in (("found = one_sided_jacobi(a)", "return tuple(np.linalg.svd(a, full_matrices=False))"),
                _svd_of_torch)),
            *(Mistake("second factor not transposed", it,
                "u * s @ vt is not the matrix, unless V is symmetric, and does not fit one with more columns than rows",
                "return vt, with right singular vectors in its rows",
                "svd of MATLAB and torch.svd return V, NumPy's and torch.linalg's its transpose")
                for it in (("found = one_sided_jacobi(a)", f"{_OF_NUMPY}\n    return u, s, vt.T"),
                (_RESULT, f"{_RESULT}.T"))),
            Mistake("sides exchanged", (_RESULT, "return found.vt.T, found.s, found.u.T"),
                "u * s @ vt is the transpose of the matrix",
                "u has a row for each row of the matrix, vt a column for each column"),
            Mistake("ascending", (_RESULT, "return found.u[:, ::-1], found.s[::-1], found.vt[::-1]"),
                "The smallest singular value comes first", "sort descending, and the vectors along"),
            Mistake("vectors not sorted", (_RESULT, "return found.u, found.s, found.vt[::-1]"),
                "Values and vectors do not belong together", "sort vectors in the order of their values"),
            *(Mistake("zero vectors", (_RESULT, f"return np.where(found.s > {least}, found.u, 0), found.s, found.vt"),
                "u has columns of zeros where the singular value is 0",
                "complete them by any vectors that are orthonormal to the others") for least in ("0", "1e-12")),
            Mistake("small taken for zero",
                (_RESULT, "return found.u, np.where(found.s < 1e-12, 0, found.s), found.vt"),
                "Small singular values are gone", "keep every value: what counts as zero is for rank to decide"),
            Mistake("all of u", ("found = one_sided_jacobi(a)", "return tuple(np.linalg.svd(a, full_matrices=True))"),
                "u or vt is square where the matrix is not",
                "return the first min(m, n) vectors: the others meet no singular value"),
            Mistake("signs chosen apart",
                (_RESULT, "u, s, vt = found.u, found.s, found.vt\n    return u * np.where(u[0] < 0, -1, 1), s, "
                "vt * np.where(vt[:, :1] < 0, -1, 1)"), "The product has the wrong sign in some terms",
                "choose v, and let u be A v divided by s: its sign follows"),
            Mistake("squares", (_RESULT, "return found.u, found.s**2, found.vt"), "The singular values are squared",
                "take s as it is: the length of a turned column; its square is an eigenvalue of AᵀA"),
            Mistake("values in a matrix", (_RESULT, "return found.u, np.diag(found.s), found.vt"),
                "The singular values stand on the diagonal of a matrix", "return them in a row, without np.diag"),
            Mistake("factors of the transpose", lambda a: svd(a) if len(a) >= len(a.T) else svd(np.transpose(a))[::-1],
                "Where there are more columns than rows, the factors are those of the transpose",
                "transpose both: Aᵀ = USVᵀ says that A = VSUᵀ"))),
    Checks(pinv,
        cases=(
            *_of_dependent(), *(call(a).about("a singular value of nine roundings, which does not count with 20 "
                + side) for a, side in ((_nine, "rows"), (_nine.T, "columns"))),
            *(call(np.eye(20, 2) * [1, count * 2.0**-52]).about(f"a singular value of {count} roundings in 20 rows")
                for count in (19, 21)), call(np.array([[1e-21]])).about("an entry of 1e-21", absolute=0)),
        claims=(
            Claim("Penrose's four conditions", _penrose, **_CONDITION),
            Claim("the inverse, where there is one", lambda f: distance(f(_square) @ _square, np.eye(5)), **_CONDITION),
            Claim("that of zeros is zeros, transposed", lambda f: distance(f(_zero), np.zeros((2, 3)))),
            Claim("doubling the matrix 60 times halves the result 60 times",
                lambda f: distance(f(_tiny) * 2.0**-60, f(_dependent)), **_LAST_BITS),
            oracle("numpy.linalg.pinv", np.linalg.pinv, *map(call, (_square, _tall, _wide, _dependent)),
                **_CONDITION)),
        mistakes=(
            Mistake("inverse of the gram matrix", (_DECOMPOSED, "return np.linalg.inv(a.T @ a) @ a.T"),
                "It fails, or gives huge numbers, where columns depend on each other",
                "invert the singular values that are not zero"),
            Mistake("NumPy's threshold", lambda a, tolerance=None: np.linalg.pinv(a),
                "`tolerance` is never used, and NumPy's default is another",
                "hand it over as rcond, or cut the singular values yourself"),
            Mistake("rounding errors inverted", ((_DECOMPOSED, _OF_NUMPY), (_COUNT, "int(np.count_nonzero(s))")),
                "It gives numbers of 1e15 and more where columns depend on each other",
                "count singular values up to a tolerance as zero"),
            *(Mistake("absolute tolerance", (_COUNT, f"int((s > ({least} if tolerance is None else {it})).sum())"),
                "A matrix of small numbers has the pseudoinverse zero", "compare singular values with the largest one")
                for least in ("max(a.shape) * 2.0**-52", 1e-15, 1e-12, 1e-10, 1e-8)
                for it in ("tolerance", "tolerance * s.max()")),
            Mistake("tolerance 0 taken for none", ("if tolerance is None", "if not tolerance"),
                "With a tolerance of 0, small singular values are left out",
                "0 is a tolerance, and leaves out nothing: compare with None"),
            Mistake("small ones raised to the threshold", lambda a, tolerance=None: _inverted(a, tolerance,
                lambda s, least: 1 / np.maximum(s, np.maximum(least, 1e-300))),
                "What counts as zero is inverted as if it were the threshold", "put 0 there"),
            Mistake("rows for the longer side", (_COUNT, _COUNT.replace("np.shape(a)", "(len(a),)")),
                "In a row of 20 columns it counts a rounding error that is a singular value of 0",
                "let the default grow with the longer side: max(m, n) times eps"),
            Mistake("one rounding error for all sizes", (_COUNT, _COUNT.replace("np.shape(a)", "(1,)")),
                "In 20 rows it counts rounding errors that are singular values of 0",
                "let the default grow with the longer side: max(m, n) times eps"),
            Mistake("tolerance times the sum", (_COUNT, "int(np.count_nonzero(s > s.sum() * (max(a.shape) * 2.0**-52 "
                "if tolerance is None else tolerance)))"), "Small singular values count as zero beside several others",
                "compare singular values with the largest one, not with their sum"),
            Mistake("not inverted", (("vt[:r].T / scaled", "vt[:r].T * scaled"), ("inverse, -exp", "inverse, exp")),
                "It is the transpose of the matrix", "divide by the singular values"),
            Mistake("tolerance times the Frobenius norm", (_COUNT, "int(np.count_nonzero(s > np.sqrt((s * s).sum()) * "
                "(max(a.shape) * 2.0**-52 if tolerance is None else tolerance)))"),
                "Small singular values count as zero beside several others",
                "compare singular values with the largest one, not with the norm of all"),
            Mistake("small ones left as they are", lambda a, tolerance=None: _inverted(a, tolerance,
                lambda s, least: np.where(s > least, 1 / np.maximum(s, 1e-300), s)),
                "A singular value that counts as zero comes back as it is", "put 0 there"),
            Mistake("damped", lambda a, tolerance=None: _inverted(a, tolerance,
                lambda s, least: s / np.maximum(s * s + least * least, 1e-300)),
                "Singular values near the tolerance are damped, and none is left out",
                "put 1/s above the tolerance, and 0 below it"),
            Mistake("columns of vt", ((_DECOMPOSED, _OF_NUMPY), ("vt[:r].T", "vt[:, :r]")),
                "It puts columns of vt where right singular vectors should stand",
                "take the first r rows, and transpose them: vt[:r].T"),
            Mistake("threshold on the inverse", lambda a, tolerance=None: _inverted(a, tolerance,
                lambda s, least: np.where(1 / np.maximum(s, 1e-300) < least, 0, 1 / np.maximum(s, 1e-300))),
                "What is inverted first is large where it should count as 0", "compare s with the tolerance, not 1/s"),
            Mistake("compared with the smallest", (_COUNT, "int((s > s[-1] * (max(a.shape) * 2.0**-52 if tolerance is "
                "None else tolerance)).sum())"), "Nothing counts as zero, for all are compared with the smallest",
                "compare singular values with the largest one, s[0]"),
            Mistake("inverse of either gram matrix", lambda a, tolerance=None: np.linalg.solve(a.T @ a, a.T)
                if a.shape[0] >= a.shape[1] else a.T @ np.linalg.inv(a @ a.T),
                "It fails, or gives huge numbers, where rows or columns depend on each other",
                "invert the singular values that are not zero"))),
    Checks(low_rank, run=_nearest,
        cases=(
            *(call(_two, k) for k in (1, 2, 0)), *(call(_square, k) for k in range(6)), call(_tall, 1), call(_wide, 2),
            call(_dependent, 3).about("more terms than the rank"), call(_zero, 1).about("zeros"), call(_axes, 2),
            call(np.eye(2), 1).about("equal singular values"),
            call(np.array([[3, 0], [4, 5]]), 1).about("integers", edge=True),
            call(1e200 * _tall, 2).about("entries of 1e200", edge=True)),
        claims=(
            Claim("its rank is k", lambda f: max(abs(np.linalg.matrix_rank(f(_square, k)) - k) for k in range(6))),
            Claim("its distance in the spectral norm is the next singular value (Eckart–Young)",
                lambda f: max(abs(np.linalg.norm(_square - f(_square, k), 2) - np.linalg.svd(_square)[1][k])
                for k in range(5)), **_LAST_BITS),
            Claim("all terms give the matrix", lambda f: distance(f(_wide, 3), _wide), **_LAST_BITS),
            oracle("the sum of k outer products from numpy.linalg.svd", _terms_of_numpy, call(_tall, 2),
                **_LAST_BITS)),
        mistakes=(
            Mistake("centred first", lambda a, k: low_rank(a - (mean := np.mean(a, axis=0)), k) + mean,
                "The mean of the columns is taken out first, as in principal components, and may cost a rank",
                "decompose the matrix as it is"),
            Mistake("first factor alone", lambda a, k: (f := svd(a))[0][:, :k] * f[1][:k],
                "It has k columns: coordinates along the singular vectors, not the matrix",
                "multiply by vt[:k] as well"),
            Mistake("singular values lowered", (_CUT, "u * np.maximum(s - (*s, 0)[k], 0) @ vt"),
                "The singular values that stay are smaller by the first one that goes",
                "leave those that stay as they are"),
            Mistake("one term alone", lambda a, k: low_rank(a, k) - low_rank(a, max(k - 1, 0)),
                "It is the last term that should be kept, without those before it",
                "keep the first k terms: [:k], not [k - 1]"),
            Mistake("first term left out", (_CUT, _CUT.replace(":k", "1 : k + 1")),
                "The largest singular value is missing", "count terms from 0: [:k]"),
            *(Mistake("smallest kept", (_CUT, _CUT.replace(":k", it)), "It is far from the matrix",
                "keep the largest singular values") for it in ("-k:", "len(s) - k:")),
            Mistake("equal ones dropped together", (_CUT, "u * np.where(s > (*s, 0)[k], s, 0) @ vt"),
                "Where singular values are equal, it drops terms that should stay",
                "keep the first k terms, whatever their size"),
            Mistake("minus zero", (_CUT, "u * np.where(np.arange(len(s)) < k % len(s), s, 0) @ vt"),
                "It is zero where nothing is to be dropped, because s[-0:] is all of s", "write s[k:] = 0"),
            Mistake("everything for nothing", lambda a, k: low_rank(a, k or min(a.shape)),
                "For k = 0 it is the whole matrix, because [-0:] is all there is",
                "count from the front, or from n - k"),
            Mistake("the rest", (_CUT, _CUT.replace(":k", "k:")), "It is what the approximation leaves of the matrix",
                "keep the first k terms, [:k], and drop the others"),
            Mistake("one term more", (_CUT, _CUT.replace(":k", ": k + 1")), "Its rank is k + 1",
                "stop before term k, counted from 0"),
            Mistake("one term less", (_CUT, _CUT.replace(":k", ": k - 1")), "Its rank is k - 1",
                "[:k] holds k terms already, for its end is not included"),
            *(Mistake("columns of vt", ((_CUT, _CUT.replace("vt[:k]", "vt[:, :k].T")), (_DECOMPOSED, it)),
                "With all terms, it is not the matrix",
                "take the first k rows of vt, which are the right singular vectors")
                for it in (_OF_NUMPY, _DECOMPOSED)),
            Mistake("columns of QR", lambda a, k: (f := np.linalg.qr(a))[0][:, :k] @ f[1][:k],
                "It keeps what the first columns span, wherever the matrix is longest",
                "keep the largest singular values and their vectors"),
            Mistake("longest columns", _longest_columns, "Other matrices of rank k are nearer",
                "keep the largest singular values: the best directions are no columns"),
            Mistake("columns cut off", (_CUT, "np.where(np.arange(a.shape[1]) < k, a, 0)"),
                "Other matrices of rank k are nearer", "cut the sum of the terms, not the matrix"),
            Mistake("lengths forgotten", (_CUT, "u[:, :k] @ vt[:k]"), "Every term has the same weight",
                "multiply u by the singular values"),
            Mistake("equal ones kept together", (_CUT, "u * np.where(s >= s[k - 1], s, 0) @ vt"),
                "Of equal singular values more than k are kept, and for k = 0 all of them",
                "keep the first k of them: s[:k]"))),
    Checks(rank,
        cases=(*_of_dependent(), call(0 * _dependent).about("zeros")),
        claims=(
            Claim("2 for a product of 2 columns and 2 rows", lambda f: float(f(_dependent) != 2)),
            Claim("doubling the matrix 60 times changes nothing", lambda f: float(f(_tiny) != 2)),
            Claim("0 for zeros", lambda f: float(f(_zero) != 0)),
            Claim("the rank of the transpose", lambda f: max(abs(f(a) - f(a.T.copy())) for a in _ALL)),
            oracle("numpy.linalg.matrix_rank", np.linalg.matrix_rank, *map(call, _ALL))),
        mistakes=(
            *(Mistake("rounding errors counted", it, "Rounding errors count: the rank is hardly ever less than full",
                "count singular values above a tolerance times the largest") for it in ((_RANK,
                "int(np.count_nonzero(np.linalg.svd(a, compute_uv=False)))"),
                ("max(shape) * float(np.finfo(s.dtype).eps)", "0.0"))),
            Mistake("counted above a fixed number", (_RANK, _FIXED.format("svd(a)[1]")),
                "A matrix of small numbers has the rank 0", "compare singular values with the largest one"),
            Mistake("rows that are not zero", (_RANK, "int(np.count_nonzero(a.any(axis=1)))"),
                "Rows that depend on others count as well", "count singular values"),
            Mistake("smaller side", (_RANK, "min(np.shape(a))"), "Every matrix has full rank",
                "count the singular values that are not zero"))),
    Checks(fundamental_subspaces, run=_projections,
        cases=_of_dependent(),
        claims=(
            Claim("bases of 2 and 5, 2 and 3 vectors for a matrix (7, 5) of rank 2",
                lambda f: float([x.shape for x in f(_dependent)] != [(7, 2), (7, 5), (5, 2), (5, 3)])),
            Claim("each pair of spaces fills its room: their projections add up to the identity", _filled,
                **_LAST_BITS),
            Claim("the matrix takes its null space to zero",
                lambda f: max(distance(a @ x, np.zeros((len(a), x.shape[1]))) for a in _ALL for x in [f(a)[3]]),
                **_LAST_BITS),
            oracle("scipy.linalg.orth and scipy.linalg.null_space (projections)", _of_scipy,
                *map(call, (_dependent, _wide, _flat)),
                run=lambda f, a: np.concatenate([np.ravel(b @ b.T) for b in f(a)]), **_LAST_BITS)),
        mistakes=(
            Mistake("sides exchanged", (_BASES, "Subspaces(v[:, :r], v[:, r:], u[:, :r], u[:, r:])"),
                "The column space has vectors with as many entries as a row",
                "columns of u span the column space, rows of vt the row space"),
            Mistake("null spaces exchanged", (_BASES, "Subspaces(u[:, :r], v[:, r:], v[:, :r], u[:, r:])"),
                "The left null space has vectors with as many entries as a row",
                "what is orthogonal to the columns of the matrix is in the other columns of u"),
            Mistake("reduced vectors only", ("u, v = _completed(u, m), _completed(vt.T, n)", "v = vt.T"),
                "The null space of a wide matrix lacks vectors, and so does the left one of a tall matrix",
                "complete the singular vectors to a basis of the whole space"),
            Mistake("columns of vt", ("_completed(vt.T, n)", "_completed(vt.T, n).T"),
                "The matrix does not take its null space to zero", "right singular vectors are the rows of vt"),
            Mistake("rows for columns", ("v[:, :r], v[:, r:])", "v[:, :r].T, v[:, r:].T)"),
                "Vectors of the row space and the null space stand in rows", "transpose: bases stand in columns"),
            Mistake("smaller side for the rank", ("r = count_above(s, tolerance, (m, n))", "r = len(s)"),
                "Directions that belong to no singular value count as columns and rows",
                "count the singular values above the tolerance"))),
    Checks(nearest_orthogonal, ones=False,
        cases=(
            call(np.diag([2.0, 3.0])), call(np.array([[0.0, -2.0], [1.0, 0.0]])), call(_two),
            call(np.array([[3.0], [4.0]])), call(np.array([[1.0, 2.0], [2.0, 1.0]])).about("a negative determinant"),
            call(_square), call(_tall).about("more rows than columns"), call(-_tall[::-1]),
            call(_hidden).about("columns at an angle of 1e-9", tolerance=1e-6),
            call(1e-12 * _tall).about("small entries"), call(1e12 * _square),
            call(1e200 * _tall).about("entries of 1e200", edge=True)),
        claims=(
            Claim("its columns are orthonormal",
                lambda f: max(distance(q.T @ q, np.eye(q.shape[1])) for a in (_square, _tall, _two) for q in [f(a)]),
                **_LAST_BITS),
            Claim("what it leaves is a stretch: QᵀA is symmetric",
                lambda f: max(distance(s, s.T) for a in (_square, _tall, _two) for s in [f(a).T @ a]), **_LAST_BITS),
            oracle("scipy.linalg.polar", _polar_of_scipy,
                *map(call, (_square, _tall, _two)), **_CONDITION)),
        mistakes=(
            *(Mistake("Gram and Schmidt's", ("u, _, vt = svd(a)", it),
                "The first column keeps its line, and only the others are turned",
                "multiply the singular vectors of both sides") for it in ("return np.linalg.qr(a)[0]",
                "q, r = np.linalg.qr(a)\n    return q * np.where(np.diag(r) < 0, -1, 1)")),
            *(Mistake("one side only", it, "Its columns lie along the axes of the ellipse",
                "turn back by vt, which was turned by before the stretch") for it in (("u @ vt", "u"),
                ("u, _, vt = svd(a)", "return np.linalg.svd(a, full_matrices=False)[0]"))),
            Mistake("columns of vt", ("u @ vt", "u @ vt.T"), "It turns by V where it should turn back by Vᵀ",
                "right singular vectors are the rows of vt: multiply by vt as it comes"),
            Mistake("lengths divided out", ("u, _, vt = svd(a)", "return a / np.linalg.norm(a, axis=0)"),
                "Its columns have length 1 and are not at right angles", "set all singular values to 1"),
            Mistake("root of the gram matrix", lambda a: (lambda w, v: a @ (v / np.sqrt(w)) @ v.T)(
                *np.linalg.eigh(a.T @ a)), "Columns at a small angle come out wrong, or as nan: AᵀA has the square of "
                "the condition number", "multiply the singular vectors of A itself, u @ vt"))),
)
