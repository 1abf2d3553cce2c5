"""What standardizing and whitening must satisfy, and how they are usually got wrong."""

import numpy as np

from mlnotes.applications.whitening import covariance, standardize, whiten, whitening_matrix, whitening_rotation
from mlnotes.checks.oldbank import Checks, Claim, Mistake, distance, frozen

_rng = np.random.default_rng(37)
_by_hand, _x, _far, _huge, _constant, _twice = frozen(
    np.array([[1.0, 10.0], [3.0, 10.0], [5.0, 40.0]]),
    _rng.normal(size=(11, 3)) @ np.array([[3.0, 1.0, 0.0], [0.0, 1.0, 0.5], [0.0, 0.0, 0.4]]) + [1.0, -2.0, 3.0],
    np.array([[0.0, 1.0], [1.0, 3.0], [1.0, -1.0], [2.0, 4.0]]) + 2.0**30,
    np.array([[0.0, 1.0], [1.0, 3.0], [1.0, -1.0], [2.0, 4.0]]) * 1e200,
    np.array([[1.0, 0.1], [2.0, 0.1], [4.0, 0.1]]),
    np.array([[1.0, 0.0, 1.0], [0.0, 2.0, 0.0], [-1.0, 1.0, -1.0], [0.0, -5.0, 0.0], [3.0, 1.0, 3.0]]),
)
_KINDS = ("pca", "zca", "cholesky")
_LAST_BITS = "sums of at most 11 products in float64, and a condition number below 10"
_ROTATED = "decompositions in float64, and a condition number of the data below 10"


def _centered(x):
    return x - x.mean(axis=0)


def _mean_and_variance(f):
    z = f(_x)
    return max(distance(z.mean(axis=0), np.zeros(3)), distance(z.var(axis=0), np.ones(3)))


def _standardized_by_hand(f):
    right = np.sqrt(1.5) * np.array([[-1.0], [0.0], [1.0]]), np.array([[-1.0], [-1.0], [2.0]]) / np.sqrt(2)
    return distance(f(_by_hand), np.hstack(right))


def _sample_standardized(f):
    return distance(f(_x, ddof=1).var(axis=0, ddof=1), np.ones(3))


def _far_from_zero(f):
    return distance(f(_far), f(_far - 2.0**30))


def _batch_norm(f):
    import torch

    return distance(f(_x, 0.3), torch.nn.functional.batch_norm(torch.tensor(_x), None, None, None, None, True, 0, 0.3))


def _scaler(f):
    from sklearn.preprocessing import StandardScaler

    return max(distance(f(x), StandardScaler().fit_transform(x)) for x in (_x, _by_hand))


def _numpy_cov(f):
    return max(distance(f(x, ddof), np.cov(x, rowvar=False, ddof=ddof)) for x in (_x, _by_hand) for ddof in (0, 1))


def _identity(f, x, kinds=_KINDS, **more):
    worst = 0.0
    for kind in kinds:
        z = f(x, kind, **more)
        worst = max(worst, distance(z.mean(axis=0), np.zeros(z.shape[1])))
        worst = max(worst, distance(z.T @ z / (len(x) - more.get("ddof", 0)), np.eye(z.shape[1])))
    return worst


def _shrunk(f):
    variances = np.linalg.eigvalsh(np.cov(_x, rowvar=False, ddof=0))
    found = [np.linalg.eigvalsh(z.T @ z / len(z)) for z in (f(_x, kind, 0.3) for kind in _KINDS)]
    return max(distance(found_here, variances / (variances + 0.3)) for found_here in found)


def _along_the_axes(f):
    _, axes = np.linalg.eigh(np.cov(_x, rowvar=False, ddof=0))
    z = f(_x, "pca")
    along = z.T @ (_centered(_x) @ axes[:, ::-1])
    return distance(along, np.diag(np.diag(along)))


def _nearest(f):
    x, z = _centered(_x), f(_x, "zca")
    others = [z @ np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0] for seed in range(7)]
    return max(0.0, *(float(np.linalg.norm(z - x) - np.linalg.norm(other - x)) for other in others))


def _one_after_the_other(f):
    z = f(_x, "cholesky")
    return max(distance(f(_x[:, :k], "cholesky"), z[:, :k]) for k in (1, 2))


def _refuses(f):
    try:
        f(_twice, "zca")
    except (ValueError, np.linalg.LinAlgError):
        return 0.0
    raise AssertionError("it whitens data in which one feature repeats another")


def _sklearn_pca(f):
    from sklearn.decomposition import PCA

    return distance(np.abs(f(_x, "pca", ddof=1)), np.abs(PCA(whiten=True).fit_transform(_x)))


def _scipy_root(f, of_data):
    import scipy.linalg

    inverse = np.linalg.inv(scipy.linalg.sqrtm(np.cov(_x, rowvar=False, ddof=0)))
    return distance(f(_x, "zca"), _centered(_x) @ inverse if of_data else inverse)


def _scipy_triangle(f):
    import scipy.linalg

    factor = np.linalg.cholesky(np.cov(_x, rowvar=False, ddof=0))
    return distance(f(_x, "cholesky"), scipy.linalg.solve_triangular(factor, _centered(_x).T, lower=True).T)


def _whitens(f):
    sigma = np.cov(_x, rowvar=False, ddof=0)
    return max(distance(w.T @ sigma @ w, np.eye(3)) for w in (f(_x, kind) for kind in _KINDS))


def _shapes(f):
    triangle, square = f(_x, "cholesky"), f(_x, "zca")
    return max(distance(np.tril(triangle, -1), np.zeros((3, 3))), distance(square, square.T))


def _positive(f):
    return float(any(np.linalg.det(f(_x[:, order], kind)) <= 0 for kind in _KINDS for order in ([0, 1, 2], [1, 0, 2])))


def _is_rotation(f):
    turns = [f(_x, kind, other) for kind in _KINDS for other in _KINDS]
    return max(max(distance(turn.T @ turn, np.eye(3)), abs(np.linalg.det(turn) - 1)) for turn in turns)


def _turns(f):
    return max(
        distance(whiten(_x, kind) @ f(_x, kind, other), whiten(_x, other)) for kind in _KINDS for other in _KINDS
    )


def _procrustes(f):
    import scipy.linalg

    return max(
        distance(f(_x, kind, other), scipy.linalg.orthogonal_procrustes(whiten(_x, kind), whiten(_x, other))[0])
        for kind in _KINDS
        for other in _KINDS
    )


def variance_not_rooted(x, eps=0.0, ddof=0):
    """Divide by the variance."""
    return (x - x.mean(axis=0)) / (x.var(axis=0, ddof=ddof) + eps)


def samples_in_place_of_features(x, eps=0.0, ddof=0):
    """Take mean and variance of each row."""
    return standardize(x.T, eps, ddof).T


def one_mean_for_all(x, eps=0.0, ddof=0):
    """Take mean and variance of all numbers together."""
    return (x - x.mean()) / np.sqrt(x.var(ddof=ddof) + eps)


def not_shifted(x, eps=0.0, ddof=0):
    """Divide, and leave the mean where it is."""
    return x / np.sqrt(x.var(axis=0, ddof=ddof) + eps)


def unbiased_by_default(x, eps=0.0, ddof=1):
    """Divide by n - 1 where n is asked for."""
    return standardize(x, eps, ddof)


def eps_beside_the_root(x, eps=0.0, ddof=0):
    """Add eps to the deviation, not to the variance."""
    deviation = x.std(axis=0, ddof=ddof) + eps
    if not deviation.all():
        raise ValueError("no feature may be constant")
    return (x - x.mean(axis=0)) / deviation


def mean_square_minus_squared_mean(x, eps=0.0, ddof=0):
    """Compute the variance as a difference of large numbers."""
    n, mean = len(x), x.mean(axis=0)
    return (x - mean) / np.sqrt(((x * x).mean(axis=0) - mean * mean) * n / (n - ddof) + eps)


def product_not_centered(x, ddof=0):
    """Multiply the data as they are."""
    return x.T @ x / (len(x) - ddof)


def samples_taken_for_features(x, ddof=0):
    """Compare every two rows."""
    return np.cov(x, ddof=ddof)


def always_unbiased(x, ddof=0):
    """Divide by n - 1, whatever is asked for."""
    return np.cov(x, rowvar=False)


def correlation(x, ddof=0):
    """Divide by the deviations."""
    return np.corrcoef(x, rowvar=False)


def by_mean_products(x, ddof=0):
    """Subtract the products of means at the end, where both are large."""
    n, mean = len(x), x.mean(axis=0)
    return (x.T @ x / n - np.outer(mean, mean)) * n / (n - ddof)


def _along_axes(x, kind, eps, ddof, power):
    """Multiply the data along their principal axes by a power of the variance, as a reader would write it."""
    w, v = np.linalg.eigh(np.cov(x, rowvar=False, ddof=ddof))
    z = _centered(x) @ v[:, ::-1] * (w[::-1] + eps) ** power
    return z @ v[:, ::-1].T if kind == "zca" else z


def data_not_centered(x, kind="pca", eps=0.0, ddof=0):
    """Multiply the data as they are."""
    return x @ whitening_matrix(x, kind, eps, ddof)


def multiplied_by_the_deviations(x, kind="pca", eps=0.0, ddof=0):
    """Stretch what should be shrunk."""
    return whiten(x, kind, eps, ddof) if kind == "cholesky" else _along_axes(x, kind, eps, ddof, 0.5)


def divided_by_the_variances(x, kind="pca", eps=0.0, ddof=0):
    """Forget the root."""
    return whiten(x, kind, eps, ddof) if kind == "cholesky" else _along_axes(x, kind, eps, ddof, -1)


def only_standardized(x, kind="pca", eps=0.0, ddof=0):
    """Divide each feature by its deviation, and leave what they have in common."""
    return standardize(x, eps, ddof)


def not_turned_back(x, kind="pca", eps=0.0, ddof=0):
    """Leave the data along their principal axes also for ZCA."""
    return whiten(x, "pca" if kind == "zca" else kind, eps, ddof)


def triangle_not_transposed(x, kind="pca", eps=0.0, ddof=0):
    """Multiply rows by the factor for columns."""
    if kind != "cholesky":
        return whiten(x, kind, eps, ddof)
    return _centered(x) @ whitening_matrix(x, kind, eps, ddof).T


def eps_added_to_deviations(x, kind="pca", eps=0.0, ddof=0):
    """Add eps to the deviations, not to the variances."""
    w, v = np.linalg.eigh(np.cov(x, rowvar=False, ddof=ddof))
    if eps == 0 or kind == "cholesky":
        return whiten(x, kind, eps, ddof)
    z = _centered(x) @ v[:, ::-1] / (np.sqrt(w[::-1]) + eps)
    return z @ v[:, ::-1].T if kind == "zca" else z


def rounding_errors_whitened(x, kind="pca", eps=0.0, ddof=0):
    """Divide by the roots of all eigenvalues, also of those that are rounding errors."""
    return whiten(x, kind, eps, ddof) if kind == "cholesky" else _along_axes(x, kind, eps, ddof, -0.5)


def sample_covariance_always(x, kind="pca", eps=0.0, ddof=0):
    """Divide by n - 1, whatever is asked for."""
    return whiten(x, kind, eps, 1)


def colouring_matrix(x, kind="pca", eps=0.0, ddof=0):
    """Return the inverse, which brings white data to this covariance."""
    return np.linalg.inv(whitening_matrix(x, kind, eps, ddof))


def for_columns(x, kind="pca", eps=0.0, ddof=0):
    """Return the matrix that samples in columns are multiplied by, from the left."""
    return whitening_matrix(x, kind, eps, ddof).T


def inverse_covariance(x, kind="pca", eps=0.0, ddof=0):
    """Forget the root."""
    w = whitening_matrix(x, kind, eps, ddof)
    return w @ w.T


def the_other_way(x, kind, other="pca", eps=0.0, ddof=0):
    """Turn the second whitening into the first."""
    return whitening_rotation(x, other, kind, eps, ddof)


def matrices_multiplied(x, kind, other="pca", eps=0.0, ddof=0):
    """Multiply the transpose of one matrix by the other, as if both were orthogonal."""
    return whitening_matrix(x, kind, eps, ddof).T @ whitening_matrix(x, other, eps, ddof)


def _but_for_signs(f, *arguments):
    """Compare absolute values: a principal axis has two directions."""
    return np.abs(f(*arguments))


_REFUSES = "data in which one feature repeats another are refused"

OLD = (
    Checks(
        standardize,
        probes=((_by_hand,), (_x,), (_x, 0.3), (_far,)),
        claims=(
            Claim("every feature has mean 0 and variance 1", _mean_and_variance, 1e-13, _LAST_BITS),
            Claim("1, 3, 5 become -√1.5, 0, √1.5", _standardized_by_hand, 1e-14, _LAST_BITS),
            Claim("with ddof = 1 the unbiased variance is 1", _sample_standardized, 1e-13, _LAST_BITS),
            Claim("a mean of 2³⁰ costs no digits", _far_from_zero, 1e-13, _LAST_BITS),
            Claim(
                "a constant feature becomes 0 where eps is above 0",
                lambda f: distance(f(_constant, 1e-5)[:, 1], np.zeros(3)),
                edge=True,
            ),
            Claim(
                "features around 1e200 are no different",
                lambda f: distance(f(_huge), f(_huge / 1e200)),
                1e-13,
                _LAST_BITS,
                edge=True,
            ),
            Claim("torch.nn.functional.batch_norm with eps = 0.3", _batch_norm, 1e-13, _LAST_BITS, "oracle"),
            Claim("sklearn.preprocessing.StandardScaler", _scaler, 1e-13, _LAST_BITS, "oracle"),
        ),
        mistakes=(
            Mistake(variance_not_rooted, "The variances are the reciprocals of what they were", "divide by the root"),
            Mistake(
                samples_in_place_of_features,
                "Rows have mean 0, columns have not",
                "average over axis 0: a feature is a column",
            ),
            Mistake(one_mean_for_all, "Features keep different means and sizes", "average over axis 0 only"),
            Mistake(not_shifted, "The mean is not 0", "subtract the mean of each feature first"),
            Mistake(
                unbiased_by_default,
                "The variances are (n - 1)/n",
                "divide by n unless ddof says otherwise",
                "std of torch tensors and of pandas, by default",
            ),
            Mistake(
                eps_beside_the_root,
                "The result differs from a batch norm's where eps counts",
                "add eps to the variance, then take the root",
            ),
            Mistake(
                mean_square_minus_squared_mean,
                "A mean of 2³⁰ gives nan or a wrong deviation",
                "subtract the mean first, square afterwards",
                "layer norms that compute E[x²] - E[x]² in float32",
            ),
        ),
    ),
    Checks(
        covariance,
        probes=((_by_hand,), (_x,), (_x, 1), (_far,)),
        claims=(
            Claim(
                "(8/3, 20; 20, 200) for (1, 3, 5) and (10, 10, 40)",
                lambda f: distance(f(_by_hand), [[8 / 3, 20.0], [20.0, 200.0]]),
                1e-14,
                _LAST_BITS,
            ),
            Claim("it is symmetric", lambda f: distance(f(_x), f(_x).T)),
            Claim("a mean of 2³⁰ costs no digits", _far_from_zero, 1e-13, _LAST_BITS),
            Claim("numpy.cov for a population and for a sample", _numpy_cov, 1e-13, _LAST_BITS, "oracle"),
        ),
        mistakes=(
            Mistake(product_not_centered, "The means count as variance", "subtract the mean of each feature first"),
            Mistake(
                samples_taken_for_features,
                "It has a row for every sample",
                "multiply the transpose by the data: features are columns",
                "numpy.cov, by default",
            ),
            Mistake(
                always_unbiased,
                "It is n/(n - 1) times too large",
                "divide by n unless ddof says otherwise",
                "numpy.cov and torch.cov, by default",
            ),
            Mistake(correlation, "Its diagonal is ones", "do not divide by the deviations"),
            Mistake(
                by_mean_products,
                "A mean of 2³⁰ costs all digits",
                "subtract the means first, multiply afterwards",
            ),
        ),
    ),
    Checks(
        whiten,
        probes=((_x, "pca"), (_x, "cholesky"), (_x, "zca", 0.3), (_x, "zca", 0.0, 1)),
        claims=(
            Claim("the covariance becomes the identity, and the mean 0", lambda f: _identity(f, _x), 1e-10, _ROTATED),
            Claim(
                "so does the unbiased one with ddof = 1", lambda f: _identity(f, _x, ddof=1), 1e-10, _ROTATED, edge=True
            ),
            Claim("pca: along the eigenvectors of the covariance", _along_the_axes, 1e-12, _ROTATED),
            Claim("zca: no rotation brings the result nearer to the data", _nearest),
            Claim("cholesky: a feature does not change what comes before it", _one_after_the_other, 1e-12, _ROTATED),
            Claim("with eps a variance v becomes v / (v + eps)", _shrunk, 1e-12, _ROTATED),
            Claim(_REFUSES, _refuses),
            Claim("sklearn.decomposition.PCA(whiten=True), but for signs", _sklearn_pca, 1e-12, _ROTATED, "oracle"),
            Claim("scipy.linalg.sqrtm (zca)", lambda f: _scipy_root(f, True), 1e-12, _ROTATED, "oracle"),
            Claim("scipy.linalg.solve_triangular (cholesky)", _scipy_triangle, 1e-12, _ROTATED, "oracle"),
        ),
        mistakes=(
            Mistake(data_not_centered, "The mean is not 0", "subtract the mean of each feature first"),
            Mistake(
                multiplied_by_the_deviations,
                "Variances become their squares, not 1",
                "divide by the roots of the eigenvalues",
            ),
            Mistake(
                divided_by_the_variances, "Variances become their reciprocals, not 1", "divide by the roots, Λ^(-1/2)"
            ),
            Mistake(
                only_standardized,
                "The diagonal of the covariance is ones, what is beside it is not zero",
                "turn the data to their principal axes before they are stretched",
            ),
            Mistake(not_turned_back, "ZCA gives what PCA gives", "multiply by Vᵀ at the end"),
            Mistake(
                triangle_not_transposed,
                "Cholesky whitening leaves a covariance that is not the identity",
                "with samples in rows, multiply by the transpose of L⁻¹",
            ),
            Mistake(
                eps_added_to_deviations,
                "A variance v does not become v / (v + eps)",
                "add eps to the eigenvalues, then take the root",
            ),
            Mistake(
                rounding_errors_whitened,
                "A feature that repeats another becomes noise",
                "refuse a singular covariance, or be asked for eps",
                shown_by=_REFUSES,
            ),
            Mistake(
                sample_covariance_always,
                "The variances are (n - 1)/n, not 1",
                "divide by n unless ddof says otherwise",
                "scikit-learn's PCA(whiten=True), by design",
            ),
        ),
        call=_but_for_signs,
    ),
    Checks(
        whitening_matrix,
        probes=((_x, "pca"), (_x, "zca"), (_x, "cholesky")),
        claims=(
            Claim("WᵀΣW is the identity", _whitens, 1e-12, _ROTATED),
            Claim("it is symmetric for zca, and upper triangular for cholesky", _shapes, 1e-13, _ROTATED),
            Claim("its determinant is positive", _positive, edge=True),
            Claim(
                "scipy.linalg.sqrtm of the covariance, inverted (zca)",
                lambda f: _scipy_root(f, False),
                1e-12,
                _ROTATED,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(colouring_matrix, "WᵀΣW is Σ squared for zca", "invert the roots of the eigenvalues"),
            Mistake(
                for_columns,
                "WᵀΣW is not the identity, except for zca",
                "samples are rows, and are multiplied from the right: V Λ^(-1/2), not Λ^(-1/2) Vᵀ",
            ),
            Mistake(inverse_covariance, "It is the inverse covariance, for every kind", "take the root"),
        ),
        call=_but_for_signs,
    ),
    Checks(
        whitening_rotation,
        probes=((_x, "zca"), (_x, "cholesky"), (_x, "zca", "cholesky")),
        claims=(
            Claim("it is a rotation", _is_rotation, 1e-13, _ROTATED),
            Claim("it turns one whitening into the other", _turns, 1e-12, _ROTATED),
            Claim("scipy.linalg.orthogonal_procrustes", _procrustes, 1e-12, _ROTATED, "oracle"),
        ),
        mistakes=(
            Mistake(the_other_way, "It turns the second whitening into the first", "return R₁R₂ᵀ, not its transpose"),
            Mistake(
                matrices_multiplied,
                "It is no rotation",
                "multiply by the inverse of the first matrix: it is not orthogonal",
            ),
        ),
    ),
)
