"""What standardizing and whitening must satisfy, and how they are usually got wrong."""

from itertools import product

import numpy as np

from mlnotes.applications.whitening import covariance, standardize, whiten, whitening_matrix, whitening_rotation
from mlnotes.checks.bank import Checks, Claim, Mistake, call, distance, frozen, oracle
from mlnotes.diagnosis.trials import numbers

_rng = np.random.default_rng(37)
_by_hand, _x, _far, _huge, _constant, _twice, _few, _pairs = frozen(np.array([[1.0, 10.0], [3.0, 10.0], [5.0, 40.0]]),
    _rng.normal(size=(11, 3)) @ np.array([[3.0, 1.0, 0.0], [0.0, 1.0, 0.5], [0.0, 0.0, 0.4]]) + [1.0, -2.0, 3.0],
    np.array([[0.0, 1.0], [1.0, 3.0], [1.0, -1.0], [2.0, 4.0]]) + 2.0**30, np.array([[0.0, 1.0], [1.0, 3.0],
    [1.0, -1.0], [2.0, 4.0]]) * 1e200, np.array([[1.0, 0.1], [2.0, 0.1], [4.0, 0.1]]), np.array([[0.0, 1.0], [0.0, 1.0],
    [0.0, 1.0], [0.0, 1.0], [5.0, 11.0]]), np.array([[1.0, 2.0, 0.0], [3.0, -1.0, 1.0]]), _rng.normal(size=(5, 2))
    @ np.array([[2.0, 1.0], [0.0, 0.5]]) + [3.0, -1.0])
_summed = np.column_stack([_pairs, _pairs @ [0.3, 0.7]])  # its covariance has a determinant of 1e-17, not of 0
_five, _added, _alike = frozen(np.array([[1.0, 5.0], [2.0, 5.0], [4.0, 5.0]]), np.array([[6.0, 0.0, 6.0], [2.0, 4.0,
    6.0], [3.0, 2.0, 5.0], [0.0, 6.0, 6.0]]), np.array([[1.0, 1.0], [2.0, 2.01], [3.0, 2.99], [6.0, 6.0]]))
_nearly = _added + 1e-3 * np.outer([1, 0, 0, -1], [0, 0, 1])
_turned = _x[:, ::-1] * [-1, 1, 1]
_KINDS = ("pca", "zca", "cholesky")
_CANCELS = ("A mean of squares less the square of a mean has lost all its digits there: subtract the mean first, and "
    "square then.")
_LAST_BITS = {"tolerance": 1e-13, "why": "sums of at most 11 products in float64, and a condition number below 10"}
_ROTATED = {"tolerance": 1e-12, "why": "decompositions in float64, and a condition number of the data below 10"}


def zca_of_correlation(rho):
    """Give the ZCA whitening matrix of two features of variance 1 with a given correlation."""
    wide, narrow = (1 + rho) ** -0.5, (1 - rho) ** -0.5
    return np.array([[wide + narrow, wide - narrow], [wide - narrow, wide + narrow]]) / 2


class _Said(str):
    """What is said in place of a result, and shown without quotation marks."""

    __repr__ = str.__str__


def _pointing_up(z):
    """Turn columns round whose largest number is negative: a principal axis has two directions."""
    sizes = np.abs(z)
    largest = np.argmax(sizes >= (1 - 1e-9) * sizes.max(axis=0), axis=0)  # of two that are alike, the first
    return z * np.copysign(1.0, z[largest, np.arange(z.shape[1])])


def _whitened(f, x, *arguments, **named):
    """Compare principal components but for their signs, and say of singular data only whether they are accepted."""
    given = dict(zip(("kind", "eps", "ddof"), arguments, strict=False)) | named
    z = f(x, *arguments, **named)
    if numbers(z) is None or numbers(z).ndim != 2:
        return z
    if not given.get("eps") and np.linalg.matrix_rank(x - x.mean(axis=0)) < x.shape[1]:
        return _Said(f"an array of shape {np.shape(z)}")
    return _pointing_up(numbers(z)) if given.get("kind", "pca") == "pca" else z


def _rotated(f, x, kind, other="pca", *arguments, **named):
    turn = f(x, kind, other, *arguments, **named)
    if numbers(turn) is None or numbers(turn).ndim != 2:
        return turn
    turn = _pointing_up(numbers(turn)) if other == "pca" else turn
    return _pointing_up(numbers(turn).T).T if kind == "pca" else turn


def _by_samples(x, eps=0.0, ddof=0):
    return (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, ddof=ddof, keepdims=True) + eps)


def _centered(x):
    return x - x.mean(axis=0)


def _standardized_by_hand(f):
    right = np.sqrt(1.5) * np.array([[-1.0], [0.0], [1.0]]), np.array([[-1.0], [-1.0], [2.0]]) / np.sqrt(2)
    return distance(f(_by_hand), np.hstack(right))


def _mean_and_variance(f):
    z, sample = f(_x), f(_x, ddof=1)
    pairs = ((z.mean(axis=0), 0.0), (z.var(axis=0), 1.0), (sample.var(axis=0, ddof=1), 1.0))
    return max(distance(found, np.full(3, right)) for found, right in pairs)


def _far_from_zero(f):
    return distance(f(_far), f(_far - 2.0**30))


def _batch_norm(x, eps):
    import torch

    return torch.nn.functional.batch_norm(torch.tensor(x), None, None, None, None, True, 0, eps)


def _scaler(x):
    from sklearn.preprocessing import StandardScaler

    return StandardScaler().fit_transform(x)


def _identity(f):
    worst = 0.0
    for kind in _KINDS:
        for ddof in (0, 1):
            z = f(_x, kind, ddof=ddof)
            worst = max(worst, distance(z.mean(axis=0), np.zeros(3)), distance(z.T @ z / (11 - ddof), np.eye(3)))
    return worst


def _shrunk(f):
    variances = np.linalg.eigvalsh(np.cov(_x, rowvar=False, ddof=0))
    found = [np.linalg.eigvalsh(z.T @ z / len(z)) for z in (f(_x, kind, 0.3) for kind in _KINDS)]
    return max(distance(it, variances / (variances + 0.3)) for it in found)


def _along_the_axes(f):
    _, axes = np.linalg.eigh(np.cov(_x, rowvar=False, ddof=0))
    along = f(_x, "pca").T @ (_centered(_x) @ axes[:, ::-1])
    return distance(along, np.diag(np.diag(along)))


def _nearest(f):
    x, z = _centered(_x), f(_x, "zca")
    others = [z @ np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0] for seed in range(7)]
    return max(0.0, *(float(np.linalg.norm(z - x) - np.linalg.norm(other - x)) for other in others))


def _one_after_the_other(f):
    z = f(_x, "cholesky")
    return max(distance(f(_x[:, :k], "cholesky"), z[:, :k]) for k in (1, 2))


def _sklearn_pca(f):
    from sklearn.decomposition import PCA

    return distance(_pointing_up(f(_x, "pca", ddof=1)), _pointing_up(PCA(whiten=True).fit_transform(_x)))


def _root(x, kind):
    import scipy.linalg

    return np.linalg.inv(scipy.linalg.sqrtm(np.cov(x, rowvar=False, ddof=0)))


def _triangle(x, kind):
    import scipy.linalg

    factor = np.linalg.cholesky(np.cov(x, rowvar=False, ddof=0))
    return scipy.linalg.solve_triangular(factor, _centered(x).T, lower=True).T


def _whitens(f):
    sigma = np.cov(_x, rowvar=False, ddof=0)
    return max(distance(w.T @ sigma @ w, np.eye(3)) for w in (f(_x, kind) for kind in _KINDS))


def _shapes(f):
    triangle, square = f(_x, "cholesky"), f(_x, "zca")
    return max(distance(np.tril(triangle, -1), np.zeros((3, 3))), distance(square, square.T))


def _positive(f):
    orders = ([0, 1, 2], [1, 0, 2])
    return float(any(np.linalg.det(f(_x[:, order], kind)) <= 0 for kind in _KINDS for order in orders))


def _inverse_root(f):
    correlations = (np.array([[1.0, rho], [rho, 1.0]]) for rho in (-0.9, 0.0, 0.6))
    return max(distance(f(it[0, 1]) @ it @ f(it[0, 1]), np.eye(2)) for it in correlations)


def _of_samples(rho):
    """Whiten four samples that have this correlation."""
    x = np.sqrt(2) * np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    return whitening_matrix(x @ np.linalg.cholesky(np.array([[1.0, rho], [rho, 1.0]])).T, "zca")


def _is_rotation(f):
    turns = [f(_x, kind, other) for kind in _KINDS for other in _KINDS]
    return max(max(distance(turn.T @ turn, np.eye(3)), abs(np.linalg.det(turn) - 1)) for turn in turns)


def _brings_together(f):
    pairs = [(kind, other) for kind in _KINDS for other in _KINDS]
    return max(distance(whiten(_x, kind) @ f(_x, kind, other), whiten(_x, other)) for kind, other in pairs)


def _procrustes(x, kind, other):
    import scipy.linalg

    return scipy.linalg.orthogonal_procrustes(whiten(x, kind), whiten(x, other))[0]


def _by_mean_products(x, ddof=0):
    mean = x.mean(axis=0)
    return (x.T @ x / len(x) - np.outer(mean, mean)) * len(x) / (len(x) - ddof)


def _matrices_multiplied(x, kind, other="pca", eps=0.0, ddof=0):
    return whitening_matrix(x, kind, eps, ddof).T @ whitening_matrix(x, other, eps, ddof)


# Wrong versions whose signs are those of numpy.linalg.eigh, as in most answers.


def _eigenvectors(x, eps, ddof):
    values, v = np.linalg.eigh(np.cov(x, rowvar=False, ddof=ddof))
    return _centered(x), values[::-1] + eps, v[:, ::-1]


def _not_turned_back(x, kind="pca", eps=0.0, ddof=0):
    z = whiten(x, kind, eps, ddof)
    centered, variances, v = _eigenvectors(x, eps, ddof)
    return centered @ v / np.sqrt(variances) if kind == "zca" else z


def _not_transposed_back(x, kind="pca", eps=0.0, ddof=0):
    z = whiten(x, kind, eps, ddof)
    centered, variances, v = _eigenvectors(x, eps, ddof)
    return centered @ v / np.sqrt(variances) @ v if kind == "zca" else z


def _values_in_another_order(x, kind="pca", eps=0.0, ddof=0):
    z = whiten(x, kind, eps, ddof)
    centered, variances, v = _eigenvectors(x, eps, ddof)
    other = centered @ v / np.sqrt(variances[::-1])
    return {"pca": other, "zca": other @ v.T, "cholesky": z}[kind]


def _rows_for_axes(x, kind="pca", eps=0.0, ddof=0):
    z = whiten(x, kind, eps, ddof)
    centered, variances, v = _eigenvectors(x, eps, ddof)
    return centered @ v.T / np.sqrt(variances) if kind == "pca" else z


def _factor_not_transposed(x, kind="pca", eps=0.0, ddof=0):
    w = whitening_matrix(x, kind, eps, ddof)
    return _centered(x) @ (w.T if kind == "cholesky" else w)


def _factor_of_the_inverse(x, kind="pca", eps=0.0, ddof=0):
    z = whiten(x, kind, eps, ddof)
    sigma = np.cov(x, rowvar=False, ddof=ddof) + eps * np.eye(x.shape[1])
    return _centered(x) @ np.linalg.cholesky(np.linalg.inv(sigma)) if kind == "cholesky" else z


def _about_zero(x, kind="pca", eps=0.0, ddof=0):
    """Take the samples and their mirror images, whose mean is 0."""
    return whiten(np.vstack([x, -x]), kind, eps, 2 * ddof)[: len(x)]


def _signs_of_the_triangle(x, kind="pca", eps=0.0, ddof=0):
    z = whiten(x, kind, eps, ddof)
    count, (n, d) = len(x) - ddof, x.shape
    q = np.linalg.qr(np.vstack([_centered(x), np.sqrt(eps * count) * np.eye(d)]))[0]
    return np.sqrt(count) * q[:n] if kind == "cholesky" else z


def _by_svd(a):
    u, s, _ = np.linalg.svd(a)
    return s, u


def _pca(decomposed, in_rows):
    """Make a wrong version that turns to the axes and not back."""

    def version(rho):
        values, vectors = decomposed([[1.0, rho], [rho, 1.0]])
        return (vectors / np.sqrt(values)).T if in_rows else vectors / np.sqrt(values)

    return version


def _whitenings(*more):
    """Call with each option alone, with some, and with all, for each kind."""
    return (
        call(_by_hand), call(_by_hand, "zca").about("zca"), call(_by_hand, "cholesky").about("cholesky"),
        call(_pairs, eps=0.3).about("an eps"), call(_pairs, ddof=1).about("an unbiased estimate"),
        *(call(_pairs, kind, 0.3).about("an eps") for kind in ("zca", "cholesky")),
        *(call(_pairs, kind, ddof=1).about("an unbiased estimate") for kind in ("zca", "cholesky")),
        *(call(_pairs, kind, 0.3, 1).about("an eps, and an unbiased estimate") for kind in _KINDS),
        *(call(_x, kind) for kind in _KINDS), call(_turned, "cholesky").about("features in another order"), *more,
        *(call(_twice, kind).about("a feature that repeats another") for kind in _KINDS),
        call(_few, "zca", 0.3).about("fewer samples than features, and an eps", edge=True))


_SMOOTHED = [call(_twice, kind, 0.3).about("a feature that repeats another, and an eps") for kind in ("pca", "zca")]
_SIZES = [call(2.0**-20 * _pairs, kind).about("features of a millionth") for kind in ("pca", "zca")]
# Whoever forms the covariance has lost some of the small feature's digits, and of the small eps.
_UNLIKE = [call(_centered(_pairs) * [1, 2.0**-20]).about("a small feature beside another", tolerance=1e-3),
    call(128 * _centered(_twice), eps=1e-7).about("a feature that repeats another, and a small eps", tolerance=1e-6)]
_SCALED = "return centered / std"
_TURNED = "u * (s / std) @ _turn(kind, vt, std).T"
_STRETCHED = "(s / std if kind == 'cholesky' else {})"
_ALONG = "_std(s, exponent, eps, n - ddof)"
_BESIDE = "_std(s, exponent, eps if {0} else 0.0, n - ddof) + (0 if {0} else np.ldexp(eps, -exponent))"


def _deviation(x, eps, ddof):
    return np.sqrt(x.var(axis=0, ddof=ddof) + eps)


CHECKS = (
    Checks(standardize,
        cases=(
            call(_by_hand), call(_by_hand, 2.0).about("an eps"), call(_by_hand, ddof=1).about("an unbiased estimate"),
            call(_x), call(_x[:_x.shape[1]]).about("as many rows as features"), call(_x, 0.3).about("an eps"),
            call(_x, 0.3, 1).about("an eps, and an unbiased estimate"),
            call(_far).about("features around a billion", tolerance=1e-6, hint=_CANCELS),
            call(_constant, 1e-5).about("a constant feature, and an eps"),
            call(_five, 1.0).about("a constant feature of 5, and an eps"),
            call(1e-7 * _by_hand).about("features of a ten-millionth"),
            call(1e-12 * _by_hand).about("features of 1e-12"),
            call(np.array([[1.0], [2.0], [1.0]])).about("a feature that ends as it began"),
            call(_constant).about("a constant feature", edge=True)),
        claims=(
            Claim("every feature has mean 0 and variance 1", _mean_and_variance, **_LAST_BITS),
            Claim("1, 3, 5 become -√1.5, 0, √1.5", _standardized_by_hand, **_LAST_BITS),
            Claim("a mean of 2³⁰ costs no digits", _far_from_zero, **_LAST_BITS),
            Claim("a constant feature becomes 0 where eps is above 0",
                lambda f: distance(f(_constant, 1e-5)[:, 1], np.zeros(3))),
            Claim("features around 1e200 are no different", lambda f: distance(f(_huge), f(_huge / 1e200)),
                **_LAST_BITS),
            oracle("torch.nn.functional.batch_norm with eps = 0.3", _batch_norm, call(_x, 0.3), **_LAST_BITS),
            oracle("sklearn.preprocessing.StandardScaler", _scaler, call(_x), call(_by_hand), **_LAST_BITS)),
        mistakes=(
            Mistake("variance not rooted", (_SCALED, "return np.ldexp(centered / std**2, -exponent)"),
                "The variances are the reciprocals of what they were", "divide by the root"),
            *(Mistake("samples in place of features", it, "Rows have mean 0, columns have not",
                "average over axis 0: a feature is a column") for it in (_by_samples,
                lambda x, eps=0.0, ddof=0: standardize(x.T, eps, ddof).T)),
            Mistake("one mean for all", lambda x, eps=0.0, ddof=0: (x - x.mean()) / np.sqrt(x.var(ddof=ddof) + eps),
                "Features keep different means and sizes", "average over axis 0 only"),
            Mistake("not shifted", (_SCALED, "return scaled / std"), "The mean is not 0",
                "subtract the mean of each feature first"),
            Mistake("sum of squares", ("eps, len(centered) - ddof)", "eps, 1)"),
                "The more samples, the smaller the result", "divide the sum of squares by the number of samples"),
            Mistake("divided by the range",
                (_SCALED, "return centered / (np.ptp(scaled, axis=0) + np.ldexp(eps, -exponent))"),
                "The variance is not 1", "divide by the root of the variance, not by maximum less minimum"),
            Mistake("unbiased by default", ("ddof=0)", "ddof=1)"), "The variances are (n - 1)/n",
                "divide by n unless ddof says otherwise", "std of torch tensors and of pandas, by default"),
            Mistake("eps beside the root",
                ("eps, len(centered) - ddof)", "0.0, len(centered) - ddof) + np.ldexp(eps, -exponent)"),
                "The result differs from a batch norm's where eps counts",
                "add eps to the variance, then take the root"),
            Mistake("mean square minus squared mean",
                ("(centered**2).sum(axis=0)", "(scaled**2).sum(axis=0) - len(scaled) * scaled.mean(axis=0) ** 2"),
                "A mean of 2³⁰ gives nan or a wrong deviation", "subtract the mean first, square afterwards",
                "ONNX Runtime's LayerNormalization, issue 28463 (2026)"),
            Mistake("median for the mean", lambda x, eps=0.0, ddof=0: (x - np.median(x, axis=0))
                / _deviation(x, eps, ddof), "The result does not sum to 0", "subtract the mean"),
            Mistake("from 0 to 1", lambda x, eps=0.0, ddof=0: (x - x.min(0)) / (np.ptp(x, axis=0) + eps),
                "The smallest number becomes 0 and the largest 1",
                "subtract the mean, divide by the standard deviation"),
            Mistake("root of eps beside the root", lambda x, eps=0.0, ddof=0: (x - x.mean(0))
                / (x.std(0, ddof=ddof) + eps**0.5), "It divides by more than the root of variance and eps",
                "add eps to the variance, and take the root of the sum"),
            Mistake("eps divided by the samples, too", lambda x, eps=0.0, ddof=0: (x - x.mean(0)) / np.sqrt(
                (((x - x.mean(0)) ** 2).sum(0) + eps) / (len(x) - ddof)), "eps counts less the more samples there are",
                "divide the squares first, then add eps"),
            *(Mistake("constant by two samples", lambda x, eps=0.0, ddof=0, other=other: standardize(np.where(
                x[0] == x[other], 0.0, x), eps, ddof), "A feature counts as constant where two of its samples agree",
                "compare all samples with the first") for other in (-1, 1)),
            Mistake("one deviation for all", lambda x, eps=0.0, ddof=0: (x - x.mean(0)) / np.sqrt(
                ((x - x.mean(0)) ** 2).sum() / (x.size - ddof) + eps), "Features keep different sizes",
                "sum the squares over axis 0 only"))),
    Checks(covariance,
        cases=(
            call(_by_hand), call(_by_hand, 1).about("an unbiased estimate"), call(_x),
            call(_x, ddof=1).about("an unbiased estimate"),
            call(_far).about("features around a billion", tolerance=1e-6),
            call(_by_hand[:, :1]).about("a single feature", edge=True)),
        claims=(
            Claim("(8/3, 20; 20, 200) for (1, 3, 5) and (10, 10, 40)",
                lambda f: distance(f(_by_hand), [[8 / 3, 20.0], [20.0, 200.0]]), **_LAST_BITS),
            Claim("it is symmetric", lambda f: distance(f(_x), f(_x).T)),
            Claim("a mean of 2³⁰ costs no digits", _far_from_zero, **_LAST_BITS),
            oracle("numpy.cov for a population and for a sample", lambda x, ddof: np.cov(x, rowvar=False, ddof=ddof),
                *(call(x, ddof) for x in (_x, _by_hand) for ddof in (0, 1)), **_LAST_BITS)),
        mistakes=(
            Mistake("product not centered", ("centered.T @ centered", "scaled.T @ scaled"),
                "The means count as variance", "subtract the mean of each feature first"),
            Mistake("samples taken for features", lambda x, ddof=0: np.cov(x, ddof=ddof),
                "It has a row for every sample", "multiply the transpose by the data: features are columns",
                "numpy.cov, by default"),
            Mistake("always unbiased", ("(len(centered) - ddof)", "(len(centered) - 1)"),
                "It is n/(n - 1) times too large", "divide by n unless ddof says otherwise",
                "numpy.cov and torch.cov, by default"),
            Mistake("correlation", lambda x, ddof=0: np.corrcoef(x, rowvar=False), "Its diagonal is ones",
                "do not divide by the deviations"),
            Mistake("by mean products", _by_mean_products, "A mean of 2³⁰ costs all digits",
                "subtract the means first, multiply afterwards"))),
    Checks(whiten, ones=False, run=_whitened, refusal=ValueError,
        cases=_whitenings(*_SMOOTHED, *_SIZES, *_UNLIKE, call(2.0**30 * _summed,
            "zca").about("large features, one a sum of others"), call(_added).about(
            "a feature that is a sum of others"), call(_nearly,
            "cholesky").about("a feature that is nearly a sum of others", tolerance=1e-5), call(_alike, "zca").about(
            "features with a correlation of 0.99999", tolerance=1e-8), call(np.array([[1.0], [3.0], [8.0]]),
            "zca").about("one feature", edge=True), call(_pairs * [1, 1e-9], "cholesky").about(
            "a feature of 1e-9 beside another", edge=True), call(_few, "pca", 0.3).about(
            "fewer samples than features, and an eps", edge=True)),
        claims=(
            Claim("the covariance becomes the identity, and the mean 0, also with ddof = 1", _identity, **_ROTATED),
            Claim("pca: along the eigenvectors of the covariance", _along_the_axes, **_ROTATED),
            Claim("zca: no rotation brings the result nearer to the data", _nearest),
            Claim("cholesky: a feature does not change what comes before it", _one_after_the_other, **_ROTATED),
            Claim("with eps a variance v becomes v / (v + eps)", _shrunk, **_ROTATED),
            Claim("sklearn.decomposition.PCA(whiten=True), but for signs", _sklearn_pca, **_ROTATED, kind="oracle"),
            oracle("scipy.linalg.sqrtm (zca)", lambda x, kind: _centered(x) @ _root(x, kind), call(_x, "zca"),
                **_ROTATED),
            oracle("scipy.linalg.solve_triangular (cholesky)", _triangle, call(_x, "cholesky"), **_ROTATED)),
        mistakes=(
            Mistake("data not centered",
                lambda x, kind="pca", eps=0.0, ddof=0: x @ whitening_matrix(x, kind, eps, ddof), "The mean is not 0",
                "subtract the mean of each feature first"),
            Mistake("multiplied by the deviations", ("(s / std)", _STRETCHED.format("np.ldexp(s * std, 2 * _)")),
                "Variances along the principal axes become their squares, not 1",
                "divide by the roots of the eigenvalues"),
            Mistake("divided by the variances", ("(s / std)", _STRETCHED.format("np.ldexp(s / std**2, -_)")),
                "Variances along the principal axes become their reciprocals, not 1", "divide by the roots, Λ^(-1/2)"),
            Mistake("not divided", ("(s / std)", "(np.ldexp(s, _) if kind == 'pca' else s / std)"),
                "PCA turns the data and leaves their variances", "divide by the roots of the eigenvalues, too"),
            Mistake("standardized first",
                lambda x, kind="pca", eps=0.0, ddof=0: whiten(x / x.std(axis=0), kind, eps, ddof),
                "The axes are those of the correlation, not of the covariance", "whiten the data as they are"),
            Mistake("one mean for all",
                lambda x, kind="pca", eps=0.0, ddof=0: (x - x.mean()) @ whitening_matrix(x, kind, eps, ddof),
                "The mean is not 0, unless all features have the same", "subtract the mean of each feature"),
            Mistake("only standardized", lambda x, kind="pca", eps=0.0, ddof=0: standardize(x, eps, ddof),
                "The diagonal of the covariance is ones, what is beside it is not zero",
                "turn the data to their principal axes before they are stretched"),
            Mistake("not turned back", _not_turned_back, "ZCA gives what PCA gives", "multiply by Vᵀ at the end"),
            Mistake("not transposed back", _not_transposed_back, "ZCA turns twice in the same direction",
                "multiply by Vᵀ at the end, not by V"),
            Mistake("values in another order", _values_in_another_order, "Axes are divided by each other's deviations",
                "turn the order round of both, the eigenvalues and the columns of V"),
            Mistake("rows for axes", _rows_for_axes, "PCA leaves a covariance that is not the identity",
                "multiply by V, whose columns are the axes: not by Vᵀ"),
            Mistake("smallest variance first", (_TURNED, f'({_TURNED})[:, :: -1 if kind == "pca" else 1]'),
                "PCA begins with the axis along which the data vary least",
                "turn the order of numpy.linalg.eigh round"),
            Mistake("factor not transposed", _factor_not_transposed,
                "Cholesky whitening leaves a covariance that is not the identity",
                "with samples in rows, multiply by the transpose of L⁻¹"),
            Mistake("factor of the inverse", _factor_of_the_inverse,
                "Cholesky whitening begins with the last feature, not with the first",
                "factor Σ = LLᵀ and divide by L: a factor of Σ⁻¹ whitens, too, in the other order"),
            Mistake("eps added to deviations", (_ALONG, _BESIDE.format("kind == 'cholesky'")),
                "A variance v does not become v / (v + eps)", "add eps to the eigenvalues, then take the root"),
            Mistake("rounding errors whitened",
                ("eps == 0 and varying < d", "eps == 0 and varying < d and kind == 'cholesky'"),
                "A feature that repeats another becomes noise", "refuse a singular covariance, or be asked for eps"),
            Mistake("products not divided", (_ALONG, "_std(s, exponent, eps, 1)"),
                "The more samples, the smaller the result", "divide the products by the number of samples, less ddof"),
            Mistake("triangle of any signs", _signs_of_the_triangle, "Cholesky whitening mirrors some features",
                "make the diagonal of the triangle positive"),
            Mistake("sample covariance always", (_ALONG, "_std(s, exponent, eps, n - 1)"),
                "The variances are (n - 1)/n, not 1", "divide by n unless ddof says otherwise",
                "scikit-learn's PCA(whiten=True), by design"),
            *(Mistake("nothing centered", it, "The means count as variance, and the result has another mean than 0",
                "subtract the mean of each feature before anything else") for it in (_about_zero,
                lambda x, kind="pca", eps=0.0, ddof=0: 0 * whiten(x, kind, eps, ddof)
                + _about_zero(x, kind, eps, ddof))),
            Mistake("pca and zca exchanged", lambda x, kind="pca", eps=0.0, ddof=0: whiten(x, {"pca": "zca",
                "zca": "pca"}.get(kind, kind), eps, ddof), "zca gives principal components, and pca turns back",
                "it is ZCA that turns back, by Vᵀ"),
            Mistake("matrix returned", lambda x, kind="pca", eps=0.0, ddof=0: whitening_matrix(x, kind, eps, ddof),
                "It gives the matrix", "multiply the centered data by it"))),
    Checks(whitening_matrix, run=_whitened,
        cases=_whitenings(),
        claims=(
            Claim("WᵀΣW is the identity", _whitens, **_ROTATED),
            Claim("it is symmetric for zca, and upper triangular for cholesky", _shapes, **_LAST_BITS),
            Claim("its determinant is positive", _positive),
            oracle("scipy.linalg.sqrtm of the covariance, inverted (zca)", _root, call(_x, "zca"), **_ROTATED)),
        mistakes=(
            Mistake("colouring matrix",
                lambda *arguments, **named: np.linalg.inv(whitening_matrix(*arguments, **named)),
                "WᵀΣW is Σ squared for zca", "invert the roots of the eigenvalues"),
            Mistake("for columns", ("times_power_of_two(w,", "times_power_of_two(w.T,"),
                "WᵀΣW is not the identity, except for zca",
                "samples are rows, and are multiplied from the right: V Λ^(-1/2), not Λ^(-1/2) Vᵀ"),
            Mistake("inverse covariance",
                ("times_power_of_two(w, -exponent", "times_power_of_two(w @ w.T, -2 * exponent"),
                "It is the inverse covariance, for every kind", "take the root"))),
    Checks(whitening_rotation, run=_rotated,
        cases=(
            call(_by_hand, "zca"), call(_by_hand, "zca", "cholesky").about("from zca to cholesky"),
            *(call(_pairs, kind) for kind in _KINDS), call(_pairs, "pca", "zca").about("from pca to zca"),
            call(_pairs, "pca", "cholesky").about("from pca to cholesky"),
            call(_pairs, "cholesky", "zca").about("from cholesky to zca"), call(_pairs, "zca", eps=0.3).about("an eps"),
            call(_pairs, "cholesky", eps=0.3).about("an eps"),
            call(_pairs, "cholesky", ddof=1).about("an unbiased estimate"),
            call(10 * _x, "zca", "cholesky", 3.0, 1).about("an eps, and an unbiased estimate"), call(_x, "zca"),
            call(_turned, "zca", "cholesky").about("features in another order"),
            call(_twice, "zca", "cholesky").about("a feature that repeats another"),
            call(_few, "zca", "cholesky", 0.3).about("fewer samples than features, and an eps", edge=True)),
        claims=(
            Claim("it is a rotation", _is_rotation, **_LAST_BITS),
            Claim("it turns one whitening into the other", _brings_together, **_ROTATED),
            oracle("scipy.linalg.orthogonal_procrustes", _procrustes,
                *(call(_x, kind, other) for kind in _KINDS for other in _KINDS), **_ROTATED)),
        mistakes=(
            Mistake("the other way",
                ("_turn(kind, vt, std) @ _turn(other, vt, std).T", "_turn(other, vt, std) @ _turn(kind, vt, std).T"),
                "It turns the second whitening into the first", "return R₁R₂ᵀ, not its transpose"),
            Mistake("matrices multiplied", _matrices_multiplied, "It is no rotation",
                "multiply by the inverse of the first matrix: it is not orthogonal"))),
    Checks(zca_of_correlation,
        cases=(
            call(0.0), call(0.6), call(-0.6).about("a negative correlation"),
            call(0.9999).about("nearly the same feature", tolerance=1e-10),
            call(1 - 1e-8).about("a correlation of 0.99999999", tolerance=1e-6),
            call(1 - 2.0**-40).about("a correlation of 1 - 1e-12", tolerance=1e-3, edge=True)),
        claims=(
            Claim("on both sides of the covariance it leaves the identity", _inverse_root, **_LAST_BITS),
            oracle("whitening_matrix of samples with this correlation", _of_samples, call(0.6), call(-0.6),
                **_ROTATED)),
        mistakes=(
            Mistake("inverse covariance", ("** -0.5, (1 - rho) ** -0.5", "** -1.0, (1 - rho) ** -1.0"),
                "It is the inverse of the covariance", "take the root: divide by √λ, not by λ"),
            Mistake("root of the covariance", ("** -0.5, (1 - rho) ** -0.5", "** 0.5, (1 - rho) ** 0.5"),
                "It makes the correlation stronger", "divide by the roots of the eigenvalues"),
            *(Mistake("Cholesky's matrix", it, "It is Cholesky's matrix: the first feature stays as it is",
                "the matrix of ZCA is symmetric: V Λ^(-1/2) Vᵀ") for it in (
                lambda rho: np.array([[1.0, -rho / (1 - rho**2) ** 0.5], [0.0, (1 - rho**2) ** -0.5]]),
                lambda rho: np.linalg.inv(np.linalg.cholesky([[1.0, rho], [rho, 1.0]])))),
            *(Mistake("root of each entry", it, "Each entry has its own root, and a negative ρ gives nan",
                "the root of a matrix is another matrix, whose square it is: take roots of the eigenvalues") for it in (
                lambda rho: np.linalg.inv(np.sqrt(np.array([[1.0, rho], [rho, 1.0]]))),
                lambda rho: np.array([[1.0, rho], [rho, 1.0]]) ** -0.5)),
            Mistake("axes exchanged", ("(1 + rho) ** -0.5, (1 - rho) ** -0.5", "(1 - rho) ** -0.5, (1 + rho) ** -0.5"),
                "The entry beside the diagonal has the sign of ρ", "λ = 1 + ρ belongs to (1, 1)"),
            Mistake("not turned back", ("[[wide + narrow, wide - narrow], [wide - narrow, wide + narrow]]) / 2",
                "[[wide, narrow], [wide, -narrow]]) / 2 ** 0.5"), "It is PCA's matrix", "multiply by Vᵀ at the end"),
            Mistake("axes turned alone", ("[[wide + narrow, wide - narrow], [wide - narrow, wide + narrow]]) / 2",
                "[[wide, wide], [narrow, -narrow]]) / 2 ** 0.5"), "It is PCA's matrix", "turn back: V Λ^(-1/2) Vᵀ"),
            *(Mistake("not turned back", _pca(*it), "It is PCA's matrix", "turn back: V Λ^(-1/2) Vᵀ")
                for it in product((np.linalg.eigh, _by_svd), (True, False))),
            Mistake("inverse covariance times a root", lambda rho: np.array([[1.0, -rho], [-rho, 1.0]])
                / (1 - rho**2) ** 0.5, "It is the inverse of the covariance but for a factor",
                "take the root of the matrix: each eigenvalue has its own")))
)
