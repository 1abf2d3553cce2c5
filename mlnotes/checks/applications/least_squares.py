"""What least squares must satisfy, and how it is usually got wrong."""
# ruff: noqa: E741 (the lower triangular factor is called l, as in the formula)

import numpy as np

from mlnotes.applications.least_squares import cholesky, lstsq, ridge
from mlnotes.checks.oldbank import Checks, Claim, Mistake, distance, frozen

_rng = np.random.default_rng(31)
_u, _v = (np.linalg.qr(_rng.normal(size=(size, 5)))[0] for size in (11, 5))
_line, _on_paper, _tall, _b, _many, _x, _ill, _dependent, _wide, _lauchli, _equal, _small = frozen(
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
    np.array([[1.0, 1.0], [2.0, 2.0], [2.0, 2.0]]),
    np.array([[1.0, 2.0], [3.0, -1.0], [0.5, 1.0]]),
)
_definite, _indefinite, _asymmetric, _whole = frozen(
    _tall.T @ _tall,
    np.array([[1.0, 2.0], [2.0, 1.0]]),
    np.array([[2.0, 1.0], [1.5, 2.0]]),
    np.array([[4.0, 2.0, 6.0], [2.0, 10.0, 9.0], [6.0, 9.0, 17.0]]),
)
_METHODS = ("normal", "qr", "svd")
_CONDITION = "rounding errors times the square of a condition number below 10"
_TRUNCATED = "the singular values that are not zero are within a factor of 10"


def _six_decimals(f, *arguments):
    """Compare what is certain also for a condition number of 1e9."""
    x = f(*arguments)
    return np.round(x, 6) if isinstance(x, np.ndarray) else x


def _solutions(f, a, b):
    return [f(a, b, method) for method in _METHODS]


def _by_hand(f):
    return max(distance(x, [5.0, -3.0]) for x in _solutions(f, _line, _on_paper))


def _orthogonal(f):
    return max(distance(_tall.T @ (_tall @ x - b), 0 * x) for b in (_b, _many) for x in _solutions(f, _tall, b))


def _numpy_lstsq(f):
    return max(
        distance(x, np.linalg.lstsq(_tall, b)[0]) for b in (_b, _many) for x in (*_solutions(f, _tall, b), f(_tall, b))
    )


def _torch_lstsq(f):
    import torch

    expected = torch.linalg.lstsq(torch.tensor(_tall), torch.tensor(_many)).solution.numpy()
    return max(distance(x, expected) for x in _solutions(f, _tall, _many))


def _keeps_digits(f):
    return max(distance(f(_ill, _ill @ _x, method), _x) for method in ("qr", "svd"))


def _shortest(f):
    pairs = ((_dependent, _b), (_wide, _b[:3]))
    return max(distance(f(a, b, "svd"), np.linalg.pinv(a) @ b) for a, b in pairs)


def _refuses_to_choose(f):
    for method in ("normal", "qr"):
        try:
            f(_dependent, _b, method)
        except (ValueError, np.linalg.LinAlgError):
            continue
        raise AssertionError(f"{method} gives one of many solutions, and does not say so")
    return 0.0


def _any_size(f):
    right = np.linalg.lstsq(_tall, _b)[0]
    return max(distance(f(_tall * size, _b, "qr") * size, right) for size in (1e-150, 1e150))


def _slope(f):
    return max(
        distance(_tall.T @ (_tall @ x - b) + strength * x, 0 * x)
        for b in (_b, _many)
        for strength in (0.3, 2.0)
        for x in [f(_tall, b, strength)]
    )


def _longer(f):
    worst = 0.0
    for a, b in ((_tall, _b), (_dependent, _b), (_wide, _b[:3])):
        n = a.shape[1]
        expected = np.linalg.lstsq(np.vstack([a, np.sqrt(0.3) * np.eye(n)]), np.append(b, np.zeros(n)))[0]
        worst = max(worst, distance(f(a, b, 0.3), expected))
    return worst


def _sklearn_ridge(f):
    from sklearn.linear_model import Ridge

    return distance(f(_tall, _b, 0.3), Ridge(alpha=0.3, fit_intercept=False).fit(_tall, _b).coef_)


def _ridge_of_any_size(f):
    right = np.linalg.lstsq(_tall, _b)[0]
    return max(
        distance(f(_tall * size, _b, strength) * size, right) for size, strength in ((1e200, 0.3), (1e-200, 0.0))
    )


def _squares_back(f):
    return max(distance(l @ l.T, a) for a in (_definite, _whole) for l in [f(a)])


def _lower(f):
    found = [f(a) for a in (_definite, _whole)]
    return max(max(distance(np.triu(l, 1), 0 * l), float(np.any(np.diag(l) <= 0))) for l in found)


def _refuses(a):
    def error(f):
        try:
            found = f(a)
        except (ValueError, np.linalg.LinAlgError):
            return 0.0
        raise AssertionError(f"it gives {np.asarray(found).tolist()} where there is no answer")

    return error


def normal_equations_always(a, b, method="qr", tolerance=None):
    """Multiply by the transpose, whichever method is asked for."""
    return np.linalg.solve(a.T @ a, a.T @ b)


def first_equations_only(a, b, method="qr", tolerance=None):
    """Solve as many equations as there are unknowns, and drop the others."""
    n = a.shape[1]
    return np.linalg.solve(a[:n], b[:n])


def constant_term_added(a, b, method="qr", tolerance=None):
    """Subtract the means first, as if there were a column of ones."""
    return np.linalg.lstsq(a - a.mean(axis=0), b - b.mean(axis=0))[0]


def everything_returned(a, b, method="qr", tolerance=None):
    """Return what numpy.linalg.lstsq returns: solution, residuals, rank and singular values."""
    return tuple(np.linalg.lstsq(a, b))


def rounding_errors_inverted(a, b, method="qr", tolerance=None):
    """Divide by every singular value, also by those that are rounding errors."""
    if method != "svd":
        return lstsq(a, b, method)
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    return (vt.T / s) @ (u.T @ b)


def solution_chosen_silently(a, b, method="qr", tolerance=None):
    """Answer with the shortest of many solutions, whichever method is asked for."""
    return lstsq(a, b, "svd")


def inverse_of_the_product(a, b, method="qr", tolerance=None):
    """Forget the transpose on the right-hand side."""
    return np.linalg.inv(a.T @ a) @ b[: a.shape[1]]


def strength_not_rooted(a, b, strength):
    """Put the strength itself below the columns, where its root belongs."""
    return ridge(a, b, strength**2)


def strength_for_each_sample(a, b, strength):
    """Multiply the strength by the number of equations, as for a mean of squares."""
    return ridge(a, b, strength * len(a))


def strength_halved(a, b, strength):
    """Take half the square of x, but the whole square of the residual."""
    return ridge(a, b, strength / 2)


def means_subtracted(a, b, strength):
    """Leave a constant term out of the penalty that the equations do not have."""
    return ridge(a - a.mean(axis=0), b - b.mean(axis=0), strength)


def squares_as_they_are(a, b, strength):
    """Form the normal equations, whose squares overflow and vanish."""
    return np.linalg.solve(a.T @ a + strength * np.eye(a.shape[1]), a.T @ b)


def strength_subtracted(a, b, strength):
    """Get the sign wrong, and lengthen the solution."""
    return np.linalg.solve(a.T @ a - strength * np.eye(a.shape[1]), a.T @ b)


def upper_factor(a):
    """Return the transpose."""
    return cholesky(a).T


def pivots_not_rooted(a):
    """Return the factor with ones on its diagonal."""
    l = cholesky(a)
    return l / np.diag(l)


def one_triangle_read(a):
    """Read the lower triangle, and trust that the upper one is its mirror image."""
    return np.linalg.cholesky(a)


def absolute_pivots(a):
    """Take the root of the absolute value where a pivot is negative."""
    a = np.array(a, float)
    l = np.zeros_like(a)
    for j in range(len(a)):
        pivot = a[j, j] - l[j, :j] @ l[j, :j]
        l[j:, j] = (a[j:, j] - l[j:, :j] @ l[j, :j]) / np.sqrt(abs(pivot))
    return l if np.array_equal(a, a.T) else cholesky(a)


def rows_before_forgotten(a):
    """Take the root of the diagonal entry itself."""
    a = np.array(a, float)
    return np.tril(a / np.sqrt(np.diag(a)))


OLD = (
    Checks(
        lstsq,
        probes=(
            (_line, _on_paper),
            (_tall, _b),
            (_tall, _many),
            (_lauchli, _lauchli @ np.array([1.0, 2.0, 3.0]), "qr"),
            (_equal, _on_paper, "svd"),
            (_equal, _on_paper, "qr"),
        ),
        claims=(
            Claim("(6, 0, 0) at 0, 1, 2 has the line 5 - 3t", _by_hand, 1e-12, _CONDITION),
            Claim("what is left is orthogonal to every column", _orthogonal, 1e-12, _CONDITION),
            Claim(
                "for a condition number of 1e6, qr and svd keep nine digits",
                _keeps_digits,
                1e-9,
                "the condition number times 1e-15",
            ),
            Claim("svd gives the shortest of many solutions: numpy.linalg.pinv", _shortest, 1e-12, _TRUNCATED),
            Claim("normal and qr refuse columns that depend on each other", _refuses_to_choose, edge=True),
            Claim("a matrix of 1e150 or 1e-150 loses no digits", _any_size, 1e-12, _CONDITION, edge=True),
            Claim("numpy.linalg.lstsq", _numpy_lstsq, 1e-12, _CONDITION, "oracle"),
            Claim("torch.linalg.lstsq", _torch_lstsq, 1e-12, _CONDITION, "oracle"),
        ),
        mistakes=(
            Mistake(
                normal_equations_always,
                "Half of the digits are lost for a condition number of 1e6",
                "decompose A itself: AᵀA has the square of its condition number",
                "textbooks that write x = (AᵀA)⁻¹Aᵀb and stop there",
            ),
            Mistake(
                first_equations_only,
                "The other equations do not count",
                "ask for the smallest sum over all equations",
            ),
            Mistake(
                constant_term_added,
                "The solution is that of other equations, with a constant term",
                "subtract no means: a constant term is a column of ones",
                "scikit-learn's LinearRegression, by default and by design",
            ),
            Mistake(
                everything_returned,
                "It returns four things",
                "return the solution, the first of them",
                "numpy.linalg.lstsq, by design",
            ),
            Mistake(
                rounding_errors_inverted,
                "The solution has numbers around 1e15 where columns depend on each other",
                "count singular values up to a tolerance as zero",
            ),
            Mistake(
                solution_chosen_silently,
                "With qr it answers where there are many solutions, and does not say so",
                "refuse columns that depend on each other, or be asked for svd",
            ),
            Mistake(
                inverse_of_the_product,
                "What is left is not orthogonal to the columns",
                "multiply b by the transpose of A too",
            ),
        ),
        call=_six_decimals,
    ),
    Checks(
        ridge,
        probes=((_tall, _b, 0.3), (_tall, _many, 2.0), (_small * 1e200, _b[:3], 0.3), (_dependent, _b, 0.3)),
        claims=(
            Claim("the slope of the sum is zero", _slope, 1e-12, _CONDITION),
            Claim(
                "a strength of 0 gives the least squares",
                lambda f: distance(f(_tall, _b, 0.0), np.linalg.lstsq(_tall, _b)[0]),
                1e-12,
                _CONDITION,
            ),
            Claim(
                "(1) x = (2) has the solution 1 for a strength of 1",
                lambda f: distance(f(np.ones((1, 1)), np.full(1, 2.0), 1.0), [1.0]),
                1e-12,
                _CONDITION,
            ),
            Claim("a matrix of 1e200 or 1e-200 loses no digits", _ridge_of_any_size, 1e-12, _CONDITION, edge=True),
            Claim(
                "numpy.linalg.lstsq, with a root of the strength below each column",
                _longer,
                1e-12,
                _CONDITION,
                "oracle",
            ),
            Claim("sklearn.linear_model.Ridge without a constant term", _sklearn_ridge, 1e-12, _CONDITION, "oracle"),
        ),
        mistakes=(
            Mistake(
                strength_not_rooted,
                "A strength of 0.3 works like one of 0.09",
                "put the root of the strength below each column: it gets squared",
            ),
            Mistake(
                strength_for_each_sample,
                "The strength grows with the number of equations",
                "add it to a sum of squares, not to a mean",
                "glmnet, by design",
            ),
            Mistake(strength_halved, "A strength of 0.3 works like one of 0.15", "halve both squares, or none"),
            Mistake(
                means_subtracted,
                "The solution is that of other equations, with a constant term",
                "subtract no means: a constant term is a column of ones, if one is wanted",
                "scikit-learn's Ridge, by default and by design",
            ),
            Mistake(
                squares_as_they_are,
                "Entries of 1e200 give nan or zeros",
                "decompose A itself: its squares overflow and vanish",
            ),
            Mistake(
                strength_subtracted,
                "The solution gets longer as the strength grows",
                "add the strength to the diagonal of AᵀA",
            ),
        ),
    ),
    Checks(
        cholesky,
        probes=((_definite,), (_whole,), (_indefinite,), (_asymmetric,)),
        claims=(
            Claim(
                "(4 2 6; 2 10 9; 6 9 17) has (2 0 0; 1 3 0; 3 2 2)",
                lambda f: distance(f(_whole), [[2, 0, 0], [1, 3, 0], [3, 2, 2]]),
            ),
            Claim("LLᵀ is the matrix", _squares_back, 1e-14, "50 n eps for n = 3"),
            Claim("L is lower triangular, with a positive diagonal", _lower),
            Claim("a matrix that is not positive definite is refused", _refuses(_indefinite)),
            Claim("a matrix that is not symmetric is refused", _refuses(_asymmetric), edge=True),
            Claim(
                "numpy.linalg.cholesky",
                lambda f: distance(f(_definite), np.linalg.cholesky(_definite)),
                1e-12,
                _CONDITION,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                upper_factor,
                "It is upper triangular",
                "return the transpose",
                "scipy.linalg.cholesky, by default",
            ),
            Mistake(
                pivots_not_rooted,
                "Its diagonal is ones",
                "multiply column j by the root of pivot j: with ones it is the factor L of LDLᵀ",
            ),
            Mistake(
                one_triangle_read,
                "It answers for a matrix that is not symmetric, as if it were",
                "compare the matrix with its transpose first",
                "numpy.linalg.cholesky, by design",
            ),
            Mistake(
                absolute_pivots,
                "It answers for a matrix that is not positive definite, and LLᵀ is another one",
                "refuse a pivot that is not positive",
            ),
            Mistake(
                rows_before_forgotten,
                "LLᵀ is another matrix from the second row on",
                "subtract what the columns before contribute to the product",
            ),
        ),
    ),
)
