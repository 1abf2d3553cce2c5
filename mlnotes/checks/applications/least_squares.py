"""What least squares must satisfy, and how it is usually got wrong."""
# ruff: noqa: E741 (the lower triangular factor is called l, as in the formula)

import numpy as np

from mlnotes.applications.least_squares import cholesky, lstsq, ridge
from mlnotes.checks.bank import Checks, Claim, Mistake, call, distance, frozen, oracle

_rng = np.random.default_rng(31)
_u, _v = (np.linalg.qr(_rng.normal(size=(size, 5)))[0] for size in (11, 5))
(_line, _on_paper, _tall, _b, _many, _x, _ill, _dependent, _wide, _lauchli, _c, _equal, _near, _close, _tiny, _flat,
    _graded) = frozen(
    np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]),
    np.array([6.0, 0.0, 0.0]),
    _rng.normal(size=(7, 3)),
    _rng.normal(size=7),
    _rng.normal(size=(7, 2)),
    np.array([1.0, -2.0, 3.0, -1.0, 2.0]),
    _u * np.logspace(0, -6, 5) @ _v.T,
    _rng.normal(size=(7, 2)) @ _rng.normal(size=(2, 5)),
    _rng.normal(size=(3, 5)),
    np.vstack([np.ones(3), 1e-9 * np.eye(3)]),  # in float64, its Gram matrix is one of ones
    np.array([6.0, 1e-9, 2e-9, 3e-9]),
    np.array([[1.0, 1.0], [2.0, 2.0], [2.0, 2.0]]),
    np.array([[100.0, 100.0], [100.0, 101.0], [100.0, 99.0]]),
    np.array([[1.0, 1.0], [1.0, 1.0 + 5.5e-8], [1.0, 1.0 - 5.5e-8]]),
    np.array([[1.0, 0.0], [0.0, 1e-20], [0.0, 0.0]]),
    np.array([[2.0, 0.0], [0.0, 0.0], [0.0, 0.0]]),
    np.array([[1.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 2.0]]),
)
_three = frozen(np.array([[6.0, 1.0, 0.0], [0.0, 0.0, 3.0], [0.0, 2.0, 1.0]]))[0]
_definite, _indefinite, _asymmetric, _whole, _large, _even = frozen(_tall.T @ _tall, np.array([[4.0, 6.0], [6.0, 8.0]]),
    np.array([[2.0, 1.0], [1.5, 2.0]]), np.array([[4.0, 2.0, 6.0], [2.0, 10.0, 9.0], [6.0, 9.0, 17.0]]), _ill[:7].T
    @ _ill[:7] + np.diag([3.0, 1.0, 4.0, 2.0, 5.0]), np.array([[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, -1.0]]))
_METHODS = ("normal", "qr", "svd")
_CONDITION = {"tolerance": 1e-12, "why": "rounding errors times the square of a condition number below 10"}
_TRUNCATED = {"tolerance": 1e-12, "why": "the singular values that are not zero are within a factor of 10"}
_FACTORED = {"tolerance": 1e-14, "why": "15 n eps for n = 3"}


_LINE = np.vander(np.linspace(-1.0, 2.0, 11), 3, increasing=True)
_FEW_ROUNDINGS = {"tolerance": 1e-11, "why": "a few dozen roundings times a condition number below 100"}


def standard_errors(a, b):
    """Say how far coefficients may be off, if the errors of b are independent and of one variance."""
    s, vt = np.linalg.svd(a, full_matrices=False)[1:]
    residual = b - a @ lstsq(a, b)
    variance = residual @ residual / (len(a) - a.shape[1])
    return np.sqrt(variance * ((vt / s[:, None]) ** 2).sum(axis=0))


def _long(apart):
    """Put a column of ones beside one that is away from it by so much."""
    return np.stack([np.ones(100), 1 + apart * (-1.0) ** np.arange(100)], 1)


def _certain(f, *arguments, **named):
    """Say inf of numbers beyond a million: how far beyond is up to rounding errors that were divided by."""
    x = f(*arguments, **named)
    return np.where(np.abs(x) >= 1e6, np.inf, x) if isinstance(x, np.ndarray) else x


def _solutions(f, a, b):
    return [f(a, b, method) for method in _METHODS]


def _orthogonal(f):
    return max(distance(_tall.T @ (_tall @ x - b), 0 * x) for b in (_b, _many) for x in _solutions(f, _tall, b))


def _any_size(f):
    right = np.linalg.lstsq(_tall, _b)[0]
    return max(distance(f(_tall * size, _b, "qr") * size, right) for size in (1e-150, 1e150))


def _ridge_of_any_size(f):
    right = np.linalg.lstsq(_tall, _b)[0]
    sizes = ((1e200, 0.3), (1e-200, 0.0))
    return max(distance(f(_tall * size, _b, strength) * size, right) for size, strength in sizes)


def _slope(f):
    found = [(b, strength, f(_tall, b, strength)) for b in (_b, _many) for strength in (0.3, 2.0)]
    return max(distance(_tall.T @ (_tall @ x - b) + strength * x, 0 * x) for b, strength, x in found)


def _lower(f):
    return max(distance(np.tril(l), l) + np.any(np.diag(l) <= 0) for l in map(f, (_definite, _whole)))


def _numpy(a, b, method="qr"):
    return np.linalg.lstsq(a, b)[0]


def _torch(a, b, method):
    import torch

    return torch.linalg.lstsq(torch.tensor(a), torch.tensor(b)).solution.numpy()


def _longer(a, b, strength):
    n = a.shape[1]
    return np.linalg.lstsq(np.vstack([a, np.sqrt(strength) * np.eye(n)]), np.append(b, np.zeros(n)))[0]


def _sklearn_ridge(a, b, strength):
    from sklearn.linear_model import Ridge

    return Ridge(alpha=strength, fit_intercept=False).fit(a, b).coef_


def _symmetric(a):
    return np.abs(a - a.T).max() <= 1e-14 * np.abs(a).max()


def _by_determinant(a):
    """Refuse by the sign of the determinant; NaN stands where a root of a negative pivot is taken."""
    if np.linalg.det(a) <= 1e-12 or not _symmetric(a):
        raise ValueError("a must be positive definite")
    with np.errstate(all="ignore"):
        l = np.zeros(a.shape)
        for j in range(len(a)):
            rest = a[j:, j] - l[j:, :j] @ l[j, :j]
            l[j:, j] = rest / np.sqrt(rest[0])
    return l


def _by_the_pivot(a):
    if not _symmetric(a):
        raise ValueError("a must be symmetric")
    l = np.zeros(a.shape)
    for j in range(len(a)):
        rest = a[j:, j] - l[j:, :j] @ l[j, :j]
        if rest[0] <= 0:
            raise ValueError("a must be positive definite")
        l[j:, j] = rest / rest[0]
        l[j, j] = rest[0] ** 0.5
    return l


def _nearly_symmetric(a):
    if not np.allclose(a, a.T):
        raise ValueError("a must be symmetric")
    return a


def _symmetric_root(a):
    values, v = np.linalg.eigh(a)
    cholesky(a)  # which refuses what must be refused
    return v * values**0.5 @ v.T


_CUT = "singular values of 245 and 1, of which 1 counts as zero"
_EASY = [call(_tall, b, method) for b in (_b, _many) for method in _METHODS]
_SOLVED = "_METHODS[method](a, columns, tolerance)"

CHECKS = (
    Checks(lstsq, run=_certain,
        cases=(
            call(_line, _on_paper), call(_line, _on_paper, "normal").about("normal equations"),
            call(_line, _on_paper, "svd").about("singular values"), *(call(_line, _three,
            method).about("three right-hand sides") for method in _METHODS), *(call(_tall, _many,
            method).about("two right-hand sides") for method in _METHODS), call(_tall, _b),
            call(_lauchli, _c, "qr").about("columns that nearly depend on each other", tolerance=1e-5),
            call(_lauchli, _c, "svd").about("columns that nearly depend on each other", tolerance=1e-5),
            call(_equal, _on_paper, "svd").about("columns that depend on each other"),
            call(0 * _line, _on_paper, "svd").about("a matrix of zeros"), call(_line,
            0 * _on_paper).about("heights of 0"), call(_line[:, 1:], _on_paper).about("one unknown"),
            call(_line, _on_paper[:, None]).about("one right-hand side, as a column", edge=True),
            call(_equal, _on_paper, "qr").about("columns that depend on each other"),
            call(_equal, _on_paper, "normal").about("columns that depend on each other"),
            call(_tiny, np.array([1.0, 1e-20, 1.0]), "svd").about("a singular value of 1e-20"),
            call(_tiny, np.array([1.0, 1e-20, 1.0]), "svd", 0.0).about(
                "a tolerance of 0", edge=True), call(np.array([[1.0, 0.0], [0.0, 4e-16], [0.0, 0.0]]),
                np.array([1.0, 4e-16, 1.0]), "svd", 0.0).about("a singular value of 4e-16 and a tolerance of 0"),
            call(np.diag([1.0, 0.1, 0.01]), np.ones(3), "svd", 0.05).about("singular values of 1, 0.1 and 0.01"),
            *(call(np.array([[1.0, 0.0], [0.0, 1e-14], [0.0, 0.0]]), np.array([1.0, 1e-14, 1.0]),
                method).about("a singular value of 1e-14") for method in ("qr", "svd")),
            call(_flat, _on_paper, "svd", 0.0).about("a singular value of 0 and a tolerance of 0"), call(_graded,
            _on_paper, "svd", tolerance=0.3).about("singular values of 3, 2 and 1, of which none counts as zero"),
            call(np.eye(3), _on_paper, tolerance=0.5).about("singular values of 1, of which none counts as zero"),
            call(_dependent, _b, "svd").about("columns that depend on each other"), call(_wide, _many[:3],
            "svd").about("more unknowns than equations"), call(_wide, _b[:3],
            "qr").about("more unknowns than equations"), call(_near, _on_paper,
            "svd").about("singular values of 245 and 1"), call(_near, _on_paper, tolerance=0.006).about(_CUT),
            call(_near, _on_paper, "svd", tolerance=0.006).about(_CUT), call(_near / 1000, _on_paper, "svd",
            tolerance=0.002).about("singular values of 0.245 and 0.001"),
            call(_close, _on_paper, "normal").about("columns too near each other for the normal equations"),
            call(_long(5e-6), _long(5e-6) @ [1.0, 2.0], "normal").about("a hundred equations, and columns not too near "
                "each other for the normal "
                "equations", tolerance=1e-3), call(_long(1e-14), _long(1e-14) @ [1.0, 2.0]).about(
                "a hundred equations, and columns that differ by rounding errors"), call(_long(1e-14).T, _b[:2],
                "svd").about("a hundred unknowns, and rows that differ by rounding errors"),
            call(_tall * 1e150, _b * 1e150).about("numbers of 1e150", edge=True),
            call(_tall * 1e-150, _b * 1e-150).about("numbers of 1e-150", edge=True)),
        claims=(
            Claim("(6, 0, 0) at 0, 1, 2 has the line 5 - 3t",
                lambda f: max(distance(x, [5.0, -3.0]) for x in _solutions(f, _line, _on_paper)), **_CONDITION),
            Claim("what is left is orthogonal to every column", _orthogonal, **_CONDITION),
            Claim("for a condition number of 1e6, qr and svd keep nine digits",
                lambda f: max(distance(f(_ill, _ill @ _x, method), _x) for method in ("qr", "svd")), tolerance=1e-9,
                why="the condition number times 1e-15"),
            Claim("a matrix of 1e150 or 1e-150 loses no digits", _any_size, **_CONDITION),
            oracle("numpy.linalg.pinv, for the shortest of many solutions", lambda a, b, method: np.linalg.pinv(a) @ b,
                call(_dependent, _b, "svd"), call(_wide, _b[:3], "svd"), **_TRUNCATED),
            oracle("numpy.linalg.lstsq", _numpy, *_EASY, **_CONDITION),
            oracle("torch.linalg.lstsq", _torch, *_EASY[3:], **_CONDITION)),
        mistakes=(
            Mistake("normal equations always", (_SOLVED, "np.linalg.solve(a.T @ a, a.T @ columns)"),
                "For a condition number of 1e6 five digits are left instead of ten, and for 1e9 none",
                "decompose A itself: AᵀA has the square of its condition number"),
            Mistake("normal equations for qr",
                ("backward_substitution(r, q.T @ b)", "np.linalg.solve(a.T @ a, a.T @ b)"),
                "With qr, for a condition number of 1e6 five digits are left instead of ten, and for 1e9 none",
                "solve Rx = Qᵀb: AᵀA has the square of the condition number"),
            Mistake("first equations only", (_SOLVED, "np.linalg.solve(a[: a.shape[1]], columns[: a.shape[1]])"),
                "The other equations do not count", "ask for the smallest sum over all equations"),
            Mistake("constant term added",
                lambda a, b, method="qr", tolerance=None: _numpy(a - a.mean(axis=0), b - b.mean(axis=0)),
                "The solution is that of other equations, with a constant term",
                "subtract no means: a constant term is a column of ones",
                "scikit-learn's LinearRegression, by default and by design"),
            Mistake("everything returned", lambda a, b, method="qr", tolerance=None: np.linalg.lstsq(a, b),
                "It returns four things", "return the solution, the first of them", "numpy.linalg.lstsq, by design"),
            Mistake("rounding errors inverted", ("count_above(s, tolerance, a.shape)", "len(s)"),
                "The solution has numbers of 1e15 and more where columns depend on each other",
                "count singular values up to a tolerance as zero"),
            Mistake("tolerance not relative",
                ("method) if tolerance is None else", "method) if tolerance is None else 1 / np.linalg.norm(a, 2) *"),
                "What counts as zero depends on the units of A",
                "compare singular values with the tolerance times the largest"),
            Mistake("one tolerance for all methods", lambda a, b, method="qr", tolerance=None:
                np.linalg.pinv(a) @ b if method == "normal" and tolerance is None and np.linalg.matrix_rank(a)
                == a.shape[1] else lstsq(a, b, method, tolerance),
                "With normal it answers where the squares AᵀA cannot tell the columns apart",
                "by default, count singular values up to twice the root of the spacing as zero there"),
            Mistake("tolerance for the squares",
                ("_METHODS[method](a, columns, tolerance)", "_METHODS[method](a, columns, np.sqrt(tolerance))"),
                "Too much counts as zero, since the tolerance is compared with squares of singular values",
                "compare the singular values themselves, or square the tolerance, too"),
            Mistake("0 taken for nothing given", ("method) if tolerance is None else", "method) if not tolerance else"),
                "With a tolerance of 0, small singular values are left out", "0 is a tolerance: compare with None"),
            Mistake("solution chosen silently",
                lambda a, b, method="qr", tolerance=None: np.linalg.lstsq(a, b, rcond=tolerance)[0],
                "With qr it answers where there are many solutions, and does not say so",
                "refuse columns that depend on each other, or be asked for svd"),
            Mistake("inverse of the product",
                lambda a, b, method="qr", tolerance=None: np.linalg.inv(a.T @ a) @ b[: a.shape[1]],
                "What is left is not orthogonal to the columns", "multiply b by the transpose of A too"))),
    Checks(ridge, run=_certain,
        cases=(
            call(_line, _on_paper, 2.0), call(_line, _on_paper, 0.0).about("no strength"),
            call(_equal, _on_paper, 0.0).about("no strength, and columns that depend on each other"),
            call(_equal, _on_paper, 4.0).about("columns that depend on each other"), call(_tall, _b, 0.3),
            call(_tall, _many, 2.0).about("two right-hand sides"),
            call(_tall[:_tall.shape[1]], _b[:_tall.shape[1]], 0.3).about("as many equations as unknowns"),
            call(_line, _on_paper[:, None], 2.0).about("one right-hand side, as a column", edge=True),
            call(_dependent, _b, 0.3).about("columns that depend on each other"),
            call(_wide, _b[:3], 0.3).about("more unknowns than equations"),
            call(_lauchli, _c, 1e-20).about("columns that nearly depend on each other", tolerance=1e-5),
            call(_dependent, _b, 0.0).about("no strength, and columns that depend on each other", edge=True),
            call(_tall * 1e200, _b * 1e200, 0.3).about("numbers of 1e200", edge=True),
            call(_tall * 1e-200, _b * 1e-200, 0.0).about("numbers of 1e-200", edge=True)),
        claims=(
            Claim("the slope of the sum is zero", _slope, **_CONDITION),
            Claim("a strength of 0 gives the least squares", lambda f: distance(f(_tall, _b, 0.0), _numpy(_tall, _b)),
                **_CONDITION),
            Claim("(1) x = (2) has the solution 1 for a strength of 1",
                lambda f: distance(f(np.ones((1, 1)), np.full(1, 2.0), 1.0), [1.0]), **_CONDITION),
            Claim("a matrix of 1e200 or 1e-200 loses no digits", _ridge_of_any_size, **_CONDITION),
            oracle("numpy.linalg.lstsq, with a root of the strength below each column", _longer, call(_tall, _b, 0.3),
                call(_dependent, _b, 0.3), call(_wide, _b[:3], 0.3), **_CONDITION),
            oracle("sklearn.linear_model.Ridge without a constant term", _sklearn_ridge, call(_tall, _b, 0.3),
                **_CONDITION)),
        mistakes=(
            Mistake("strength not rooted", ("math.sqrt(strength)", "strength"),
                "A strength of 0.3 works like one of 0.09",
                "put the root of the strength below each column: it gets squared"),
            *(Mistake("strength for each sample", it, "The strength grows with the number of equations",
                "add it to a sum of squares, not to a mean", "glmnet, by design") for it in (
                ("math.sqrt(strength)", "math.sqrt(strength * len(a))"),
                lambda a, b, strength: np.linalg.pinv(a.T @ a + len(a) * strength * np.eye(a.shape[1])) @ (a.T @ b))),
            Mistake("shortened", lambda a, b, strength: lstsq(a, b, "svd") / (1 + strength),
                "All coefficients shrink alike",
                "that is so for orthonormal columns only: add the strength within the system"),
            Mistake("strength halved", ("math.sqrt(strength)", "math.sqrt(strength / 2)"),
                "A strength of 0.3 works like one of 0.15", "halve both squares, or none"),
            Mistake("means subtracted",
                (("svd(a)", "svd(a - a.mean(axis=0))"), (".T @ columns", ".T @ (columns - columns.mean(axis=0))")),
                "The solution is that of other equations, with a constant term",
                "subtract no means: a constant term is a column of ones, if one is wanted",
                "scikit-learn's Ridge, by default and by design"),
            Mistake("squares as they are",
                lambda a, b, strength: np.linalg.solve(a.T @ a + strength * np.eye(a.shape[1]), a.T @ b),
                "Half of the digits are lost in AᵀA: nearly dependent columns get a wrong answer or none",
                "decompose A itself: its squares lose digits, overflow and vanish"),
            Mistake("strength added everywhere", lambda a, b, strength: np.linalg.solve(a.T @ a + strength, a.T @ b),
                "Products of different unknowns are punished, too",
                "add the strength to the diagonal only: times the identity"),
            Mistake("root of the strength everywhere", lambda a, b, strength: np.linalg.lstsq(np.vstack([a,
                np.full((a.shape[1], a.shape[1]), strength**0.5)]), np.concatenate([b, np.zeros((a.shape[1],
                *b.shape[1:]))]))[0], "Only the sum of the coefficients is held back",
                "put the root of the strength on the diagonal of the added rows"),
            Mistake("one row for all", lambda a, b, strength: np.linalg.lstsq(np.vstack([a, np.full((1, a.shape[1]),
                strength**0.5)]), np.concatenate([b, np.zeros((1, *b.shape[1:]))]))[0],
                "Only the sum of the coefficients is held back",
                "add a row for each unknown: the root of the strength times the identity"),
            Mistake("strength beside the singular value", ("(s[:r, None] / length) * (u[:, :r].T @ columns) / length",
                "u[:, :r].T @ columns / (s[:r, None] + np.ldexp(strength, -a_exponent))"),
                "Each coefficient is divided by s + λ", "multiply it by s / (s² + λ)"),
            Mistake("strength subtracted", ("(s[:r, None] / length) * (u[:, :r].T @ columns) / length",
                "s[:r, None] * (u[:, :r].T @ columns) / (2 * s[:r, None] ** 2 - length**2)"),
                "The solution is blown up by a strength near an eigenvalue of AᵀA",
                "add the strength to the diagonal of AᵀA"),
            Mistake("strength squared", ("math.sqrt(strength)", "strength**2"),
                "A strength of 0.3 works like one of 0.0081",
                "put the root of the strength below each column: it gets squared"))),
    Checks(cholesky,
        cases=(
            call(np.array([[4.0]])), call(np.array([[4.0, 2.0], [2.0, 10.0]])), call(_whole), call(_definite),
            call(_large), call(_indefinite).about("a matrix that is not positive definite"),
            call(np.array([[4.0, 6.0], [6.0, 9.0]])).about("a pivot of 0"),
            call(1e-12 * np.array([[4.0, 2.0], [2.0, 10.0]])).about("a matrix of 1e-12"),
            call(np.diag([1.0, 1e-11])).about("a small pivot"),
            call(np.array([[4.0, 1, 1], [1, 4, 1], [1, 2, 4]])).about("symmetric but for its last two rows"),
            call(np.array([[4.0, 1, 2], [2, 4, 1], [1, 2, 4]])).about("rows and columns with the same sums"),
            call(5 * np.eye(4) + np.eye(4)[:, [0, 2, 1, 3]] * [0, 1, 2, 0]).about("symmetric but in the middle"),
            call(_asymmetric).about("a matrix that is not symmetric"),
            call(np.diag([-1.0, -4.0]) + 0.0).about("a negative definite matrix, whose determinant is positive"),
            call(_even).about("a positive determinant and two negative eigenvalues"),
            call(np.array([[4, 1], [1, 2]])).about("integers", edge=True), call(2.0**24 * np.array([[2.0, 0.1 + 0.2,
            1e-17], [0.3, 1.0, 0.0], [0.0, 0.0, 3.0]])).about("a large matrix that is symmetric up to rounding errors"),
            call(np.array([[2.0, 1.0 + 1e-6], [1.0, 2.0]])).about("an asymmetry of a millionth"),
            call(_asymmetric * 2.0**-30).about("a matrix of 1e-9 that is not symmetric", edge=True)),
        claims=(
            Claim("(4 2 6; 2 10 9; 6 9 17) has (2 0 0; 1 3 0; 3 2 2)",
                lambda f: distance(f(_whole), [[2, 0, 0], [1, 3, 0], [3, 2, 2]])),
            Claim("LLᵀ is the matrix", lambda f: max(distance(l @ l.T, a) for a in (_definite, _whole) for l in [f(a)]),
                **_FACTORED),
            Claim("L is lower triangular, with a positive diagonal", _lower),
            oracle("numpy.linalg.cholesky", np.linalg.cholesky, call(_definite), call(_large), **_CONDITION)),
        mistakes=(
            Mistake("upper triangle left", lambda a: cholesky(a) + np.triu(a, 1),
                "Above the diagonal stands what a holds", "begin with zeros, or end with np.tril"),
            Mistake("upper factor", ("return l", "return l.T"), "It is upper triangular", "return the transpose",
                "scipy.linalg.cholesky, by default"),
            Mistake("pivots not rooted", ("return l", "return l / np.diag(l)"), "Its diagonal is ones",
                "multiply column j by the root of pivot j: with ones it is the factor L of LDLᵀ"),
            Mistake("divided by the pivots", ("math.sqrt(pivot)", "pivot"),
                "Its diagonal is ones, and LLᵀ is another matrix", "divide the column by the root of the pivot"),
            Mistake("one triangle read", lambda a: np.linalg.cholesky(a),
                "It answers for a matrix that is not symmetric, as if it were",
                "compare the matrix with its transpose first", "numpy.linalg.cholesky, by design"),
            Mistake("nearly symmetric", lambda a: np.linalg.cholesky(_nearly_symmetric(a)),
                "It answers for a matrix whose two triangles differ by more than rounding",
                "measure asymmetry by rounding errors of the largest entry: np.allclose allows 1e-5"),
            Mistake("determinant for pivots", lambda a: _by_determinant(a),
                "The determinant is taken for the pivots: it is positive with two negative eigenvalues as well",
                "refuse as soon as one pivot is not positive"),
            Mistake("absolute pivots", (("not pivot > 0", "False"), ("math.sqrt(pivot)", "math.sqrt(abs(pivot))")),
                "It answers for a matrix that is not positive definite, and LLᵀ is another one",
                "refuse a pivot that is not positive"),
            Mistake("rows before forgotten",
                (("a[j, j] - l[j, :j] @ l[j, :j]", "a[j, j]"), ("(a[j:, j] - l[j:, :j] @ l[j, :j])", "a[j:, j]")),
                "LLᵀ is another matrix from the second row on",
                "subtract what the columns before contribute to the product"),
            Mistake("column divided by the pivot", lambda a: _by_the_pivot(a),
                "The diagonal has roots of the pivots, but what is below it was divided by the pivots themselves",
                "divide the whole column by the root of the pivot"),
            Mistake("symmetric root", lambda a: _symmetric_root(a),
                "It is symmetric: another root of the matrix, with numbers above the diagonal",
                "take one column after the other, from the diagonal down"),
            Mistake("divided by the root of the entry", ("math.sqrt(pivot)", "math.sqrt(a[j, j])"),
                "From the second column on it is not the root of the pivot that divides",
                "divide by the root of what is left of the diagonal entry"),
            Mistake("squares of each row", ("l[j:, :j] @ l[j, :j])", "(l[j:, :j] ** 2).sum(axis=1))"),
                "Below the diagonal each row's own squares are subtracted",
                "subtract the product of row i with row j"),
            Mistake("column not divided",
                ("/ math.sqrt(pivot)", "/ math.sqrt(pivot)\n        l[j + 1 :, j] *= l[j, j]"),
                "Below the diagonal its columns are too large by the root of the pivot",
                "divide the whole column by it"))),
    Checks(standard_errors,
        cases=(
            call(np.ones((4, 1)), np.array([1.0, 2.0, 3.0, 6.0])).about("a column of ones"),
            call(np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 2.0]]), np.array([1.0, 1.0, 4.0])),
            call(np.array([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]]), np.array([3.0, 4.0, 0.0])).about("an exact fit",
                absolute=1e-12), *(call(a, b) for a, b in (
            (_LINE, np.cos(np.arange(11.0))), (_LINE[:, ::-1] * [1.0, 10.0, 0.1], np.sin(np.arange(11.0))))),
            call(_LINE[:, :2] @ np.array([[1.0, 1.0], [0.0, 1e-7]]), np.cos(np.arange(11.0))).about(
                "columns that nearly depend on each other", tolerance=1e-6)),
        claims=(
            Claim("for a column of ones it is the standard error of a mean", lambda f: distance(f(np.ones((4, 1)),
                np.array([1.0, 2.0, 3.0, 6.0])), [np.std([1, 2, 3, 6], ddof=1) / 2]), **_FEW_ROUNDINGS),
            oracle("the covariance of numpy.polyfit",
                lambda a, b: np.sqrt(np.diag(np.polyfit(a[:, 1], b, 2, cov=True)[1]))[::-1],
                call(_LINE, np.cos(np.arange(11.0))), **_FEW_ROUNDINGS)),
        mistakes=(
            Mistake("nothing subtracted", ("residual = b - a @ lstsq(a, b)", "residual = b"),
                "They count all of b as error", "take the squares of the residual, b less what is fitted"),
            Mistake("divided by the number of rows", ("len(a) - a.shape[1]", "len(a)"),
                "They are too small, the more so the fewer rows there are",
                "divide by rows minus columns: the residual has no part along the columns"),
            Mistake("divided as for a mean", ("len(a) - a.shape[1]", "len(a) - 1"),
                "They are right for a single column only", "divide by rows minus columns, whatever the columns are"),
            Mistake("mean of the residual subtracted", ("residual @ residual", "np.var(residual) * len(a)"),
                "They are too small where no column is constant: the residual has a mean then",
                "sum the squares of the residual as it is"),
            Mistake("variance of the residual",
                ("residual @ residual / (len(a) - a.shape[1])", "np.var(residual, ddof=1)"),
                "They are too small: a mean is subtracted, and one column counted",
                "divide the sum of the squares of the residual by rows minus columns"),
            Mistake("absolute values for squares",
                ("variance * ", "(abs(residual).sum() / (len(a) - a.shape[1])) ** 2 * "),
                "Few large errors hardly count more than many small ones",
                "sum the squares of the residual, divide, and take the root"),
            Mistake("errors of size one", ("np.sqrt(variance * ", "np.sqrt("),
                "They do not depend on b", "multiply by the variance that the residual shows"),
            Mistake("variances", ("np.sqrt(variance", "(variance"), "They are squares",
                "take the root"),
            Mistake("singular values not squared", ("((vt / s[:, None]) ** 2)", "(vt**2 / s[:, None])"),
                "They do not become smaller as fast as the columns become longer",
                "divide by the square of each singular value: the inverse of AᵀA has 1/s²"),
            Mistake("small singular values left out",
                ("((vt / s[:, None]) ** 2)", "((vt[s > 1e-6 * s[0]] / s[s > 1e-6 * s[0], None]) ** 2)"),
                "Where columns nearly depend on each other, errors are far too small",
                "divide by every singular value: the smallest ones make the largest errors"),
            Mistake("spread of b", ("b - a @ lstsq(a, b)", "b - b.mean()"),
                "They do not become smaller where the fit is good", "take the variance of the residual"),
            Mistake("diagonal taken before the inverse",
                ("((vt / s[:, None]) ** 2).sum(axis=0)", "1 / (a * a).sum(axis=0)"),
                "Columns that lean on each other do not raise each other's errors",
                "the diagonal is that of the inverse of the whole AᵀA: sums of squares of entries of V over s"),
            *(Mistake("AᵀA inverted", it, "Columns that nearly depend on each other leave it no digits",
                "take the singular values of A: AᵀA has the square of the condition number") for it in (
                ("((vt / s[:, None]) ** 2).sum(axis=0)", "np.diag(np.linalg.inv(a.T @ a))"),
                (("((vt / s[:, None]) ** 2).sum(axis=0)", "np.diag(np.linalg.inv(a.T @ a))"),
                ("lstsq(a, b)", "(np.linalg.inv(a.T @ a) @ (a.T @ b))")))))),
)
