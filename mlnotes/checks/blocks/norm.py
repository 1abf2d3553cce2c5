"""What norms must satisfy, and how they are usually got wrong."""

import math

import numpy as np

from mlnotes.blocks.norm import equivalence_constants, matrix_norm, nearest_to_zero, unit_circle, vector_norm
from mlnotes.checks.bank import Checks, Claim, Mistake, call, distance, frozen, oracle

_rng = np.random.default_rng(19)
_x, _table, _huge, _tiny, _zeros, _a, _tall, _huge_a, _stack = frozen(np.array([3.0, -4.0]), _rng.normal(size=(5, 3)),
    np.array([3e200, -4e200]), np.array([3e-200, -4e-200]), np.zeros(3), np.array([[1.0, -2.0], [-4.0, 8.0]]),
    _rng.normal(size=(5, 3)), np.array([[1.0, -2e200], [-3e200, -4e200]]), _rng.normal(size=(2, 7, 3)))
_KINDS = ("frobenius", "one", "inf", "max", "spectral", "nuclear")
_POWERS = (1, 1.5, 2, 3, math.inf)
_bent = np.array([2.0, -3.0, 0.5, 1.0])
_ties = np.array([[3.0, -3.0, 1.0], [0.25, 0.625, -0.25], [-2.25, 1.0, 2.25]])
_LAST_BITS = {"tolerance": 1e-12, "why": "sums of at most 5 powers in float64: a few units of 1e-16"}
_SINGULAR = {"tolerance": 1e-12, "why": "singular values in float64: a few units of 1e-15"}
_SEARCHED = {"tolerance": 1e-6, "why": "the place of a least value is found to the root of its rounding error, 1e-8"}
_POLYGON = {"tolerance": 1e-3, "why": "a polygon of 4,000 sides in place of a curve"}


def soft_threshold(z, strength):
    """Find the w that makes (w − z)² / 2 + strength · |w| smallest, for each z."""
    return np.sign(z) * np.maximum(np.abs(z) - strength, 0)


def _torch_vectors(x, p):
    import torch

    return torch.linalg.vector_norm(torch.tensor(x), p, -1).numpy()


def _numpy_matrices(a, kind):
    return np.linalg.norm(a, {"frobenius": "fro", "one": 1, "inf": np.inf, "spectral": 2, "nuclear": "nuc"}[kind])


def _of_singular_values(a, kind):
    s = np.linalg.svd(a, compute_uv=False)
    return {"frobenius": np.sqrt(np.sum(s * s)), "spectral": s[0], "nuclear": s.sum()}[kind]


def _triangle(f):
    x, y = _table[:2]
    return max(0.0, *(float(f(x + y, p) - f(x, p) - f(y, p)) for p in _POWERS))


def _scaled(f):
    """Compare norms of vectors with huge and tiny entries with those of the same vector in another unit."""
    units = ((_huge, 1e200), (_tiny, 1e-200))
    return max(distance(f(x, p) / unit, f(_x, p)) for x, unit in units for p in _POWERS)


def _products(f):
    a, b = _a, _tall[:2, :2]
    return max(0.0, *(float(f(a @ b, kind) - f(a, kind) * f(b, kind)) for kind in _KINDS if kind != "max"))


def _bounds(f):
    worst = 0.0
    for p in _POWERS:
        for q in _POWERS:
            low, high = f(p, q, 3)
            ratio = vector_norm(_table, p) / vector_norm(_table, q)
            worst = max(worst, float(np.max(low - ratio)), float(np.max(ratio - high)))
    return worst


def _reached(p, q, n):
    ratios = [np.linalg.norm(x, p) / np.linalg.norm(x, q) for x in (np.eye(n)[0], np.ones(n))]
    return min(ratios), max(ratios)


def _area(version, p):
    x, y = np.asarray(version(p, 4001)).T
    return 0.5 * np.sum(x[:-1] * y[1:] - x[1:] * y[:-1])


def _area_by_gamma(p, n_points):
    """Give a triangle with the area that the gamma function says, as a walk."""
    area = 4 * math.gamma(1 + 1 / p) ** 2 / math.gamma(1 + 2 / p)
    return [[0, 0], [2 * area, 0], [0, 1], [0, 0]]


def _by_solver(a, b, p):
    """Let a general method find the shortest point of a line in the plane, from its foot along it."""
    from scipy.optimize import minimize_scalar

    a, across = np.asarray(a), np.array([-a[1], a[0]])
    foot = b * a / (a @ a)
    step = minimize_scalar(lambda t: np.linalg.norm(foot + t * across, p), (-1.0, 1.0), tol=1e-12).x
    return foot + step * across


def _above_the_least(version):
    z, w = np.linspace(-3, 3, 13)[:, None], np.linspace(-4, 4, 8001)
    found = np.asarray(version(z, 1.25))
    return max(0.0, float(np.max(_penalized(found, z) - _penalized(w, z).min(-1, keepdims=True))))


def _softshrink(z, strength):
    import torch

    return torch.nn.functional.softshrink(torch.tensor(z), strength).numpy()


def _penalized(w, z):
    return (w - z) ** 2 / 2 + 1.25 * np.abs(w)


_RESULT = "return xp.squeeze(scale, axis=axis) * or_one(total) ** (1 / p)"
_LARGEST = ("return largest if p > 2 else power_of_two(largest)", "return largest")
_VALUES = "return vector_norm(xp.linalg.svdvals(a), math.inf"
_ENTRIES = 'return vector_norm(entries, 2 if kind == "frobenius" else math.inf)'
_AXES = '-2 if kind == "one" else -1'
_BOTH = "min(1.0, of_ones), max(1.0, of_ones)"
_SHRUNK = "np.sign(z) * np.maximum(np.abs(z) - strength, 0)"
_POINTS = "return directions / largest * total ** (-1 / p)"

CHECKS = (
    Checks(
        vector_norm,
        cases=(
            call(_x), call(_x, 1), call(_x, p=3), call(_x, math.inf), call(np.array([2.0, -1.0, -2.0]), math.inf),
            call(_table).about("a vector in each row"), call(_table, axis=0).about("a vector in each column"),
            *(call(_table, p) for p in _POWERS), call(_stack, 1.5, axis=1).about("vectors along the middle axis"),
            call(_stack, 3, axis=0).about("vectors along the first of three axes"),
            call(_table, math.inf, axis=0), call(_table[:, None]).about("rows one by one"),
            call(_ties, 2000).about("p = 2000"), call(_huge, 2000).about("p = 2000, entries of 1e200"),
            call(np.array([-7.0]), 3).about("one coordinate"),
            *(call(x, p).about(says, absolute=0) for p in (2, 3) for x, says in (
                (_huge, "entries of 1e200"), (_tiny, "entries of 1e-200"), (_zeros, "zeros"))),
            call(_zeros, math.inf).about("zeros", absolute=0),
            call(np.array([[3.0, -4.0], [0.0, 0.0]]), 3).about("a row of zeros below another"),
        ),
        claims=(
            Claim("(3, -4) has the lengths 7, 5 and 4",
                  lambda f: distance([f(_x, p) for p in (1, 2, math.inf)], [7, 5, 4]), **_LAST_BITS),
            Claim("scaling a vector by -2 doubles its length",
                  lambda f: max(distance(f(-2 * _table, p), 2 * np.asarray(f(_table, p))) for p in _POWERS),
                  **_LAST_BITS),
            Claim("a sum is no longer than its parts together", _triangle, **_LAST_BITS),
            Claim("entries of 1e200 and of 1e-200 are measured like any other", _scaled, **_LAST_BITS),
            Claim("a vector of zeros has length 0",
                  lambda f: distance([f(_zeros, p) for p in _POWERS], np.zeros(5))),
            oracle("numpy.linalg.vector_norm", lambda x, p: np.linalg.vector_norm(x, ord=p, axis=-1),
                   *(call(_table, p) for p in _POWERS), **_LAST_BITS),
            oracle("torch.linalg.vector_norm", _torch_vectors, *(call(_table, p) for p in _POWERS), **_LAST_BITS),
        ),
        mistakes=(
            Mistake("powers as they are",
                    (("_scale(sizes, p, axis)", "xp.ones_like(xp.sum(sizes, axis=axis, keepdims=True))"),
                     ("or_one(total)", "total")),
                    "It gives inf for entries of 1e200, and 0 for entries of 1e-200",
                    "divide by the largest absolute value first, and multiply the result by it",
                    "BLIS, issue 332 (2019); StaticArrays.jl, pull request 975 (2021)"),
            Mistake("one scale for all", (("_scale(sizes, p, axis)", "0 * xp.max(sizes, axis=axis, keepdims=True) "
                                           "+ xp.max(sizes)"), ("or_one(total)", "total")),
                    "For large p, vectors much shorter than another of the table have length 0",
                    "divide each vector by its own largest absolute value"),
            Mistake("scale not given back", (_RESULT, "return or_one(total) ** (1 / p)"),
                    "Doubling a vector changes nothing", "multiply the result by what the vector was divided by"),
            Mistake("root forgotten", (_RESULT, "return xp.squeeze(scale, axis=axis) ** p * total"),
                    "Doubling a vector makes it 2ᵖ times as long", "take the p-th root of the sum"),
            Mistake("square root for every p", ((_RESULT, "return xp.sqrt(xp.squeeze(scale, axis=axis) ** p * total)")),
                    "Doubling a vector doubles its length for p = 2 only", "take the p-th root of the sum"),
            Mistake("power without parentheses", (_LARGEST, ("** (1 / p)", "** 1 / p")),
                    "The sum of powers is divided by p", "** binds before /: write (1 / p) in parentheses"),
            Mistake("not multiplied back", (_LARGEST, (_RESULT, "return total ** (1 / p)")),
                    "Multiples of a vector all have the same length", "multiply by what the entries were divided by"),
            Mistake("axis kept", (("return xp.max(sizes, axis=axis)", "return xp.max(sizes, axis=axis, keepdims=True)"),
                                  ("** p, axis=axis)", "** p, axis=axis, keepdims=True)"),
                                  ("xp.squeeze(scale, axis=axis)", "scale")),
                    "The axis of the coordinates stays, with size 1", "take it away in the end"),
            Mistake("signs kept", (("sizes = xp.abs(x)", "sizes, of = x, xp.abs(x)"), ("_scale(sizes", "_scale(of")),
                    "Negative coordinates are subtracted for odd p, down to nan, and give nan for fractional p",
                    "take absolute values before raising to the power p"),
            Mistake("largest with its sign", ("return xp.max(sizes", "return xp.max(x"),
                    "For p = ∞, a large negative coordinate does not count", "take absolute values first"),
            Mistake("smallest for infinity", ("return xp.max(sizes", "return xp.min(sizes"),
                    "For p = ∞ it gives the smallest absolute value", "the largest counts, as for any large p"),
            Mistake("Euclidean for every p",
                    lambda x, p=2, axis=-1: vector_norm(x, p if p == np.inf else 2, axis),
                    "Every finite p gives the length for p = 2", "put p into the power and into the root"),
            Mistake("scaled by the sum", lambda x, p=2, axis=-1: vector_norm(x, 1 if p == np.inf else p, axis),
                    "For p = ∞ it gives the sum of absolute values",
                    "take the largest one, there and as the scale"),
            Mistake("infinity as a power", ("return xp.max(sizes, axis=axis)", "return xp.sum(sizes, axis=axis) ** 0"),
                    "For p = ∞ every vector has the length 1, for x ** 0 is 1", "take the largest absolute value"),
            Mistake("mean of powers", ("xp.sum((sizes", "xp.mean((sizes"),
                    "Vectors of ones have length 1 in every dimension", "add the powers, do not average"),
            Mistake("rows joined", ("sizes = xp.abs(x)", "sizes, axis = xp.abs(x).reshape(-1), -1"),
                    "A table has one length, instead of one for each row", "sum along the axis asked for"),
            Mistake("zero divided by itself", ("or_one(scale)", "scale"), "A vector of zeros has the length nan",
                    "divide by 1 where the largest absolute value is 0"),
            Mistake("small number on the scale", (("_scale(sizes, p, axis)",
                    "xp.max(sizes, axis=axis, keepdims=True) + 1e-12"), ("or_one(total)", "total")),
                    "Vectors of 1e-200 have length 0: their scale is taken for 0, or what was added to it outweighs it",
                    "divide by the largest absolute value as it is, and by 1 only where it is 0"),
        ),
    ),
    Checks(
        matrix_norm,
        cases=(
            *(call(_a, kind) for kind in _KINDS), call(_tall),
            *(call(_tall, kind).about("more rows than columns") for kind in _KINDS),
            *(call(_stack, kind).about("two matrices") for kind in _KINDS),
            *(call(_huge_a, kind).about("entries of 1e200") for kind in _KINDS),
            call(_huge_a / 1e200 * 1e-200, "frobenius").about("entries of 1e-200", absolute=0),
            *(call(_stack[:, None], kind).about("four axes") for kind in _KINDS),
            *(call(np.zeros((3, 2)), kind).about("zeros") for kind in _KINDS),
        ),
        claims=(
            Claim("(1 -2; -4 8), of rank one, has the norms √85, 10, 12, 8, √85 and √85",
                  lambda f: distance([f(_a, kind) for kind in _KINDS], [85**0.5, 10, 12, 8, 85**0.5, 85**0.5]),
                  **_SINGULAR),
            Claim("it is Frobenius's where no other is asked for", lambda f: distance(f(np.diag([3.0, 4.0])), 5.0),
                  **_LAST_BITS),
            Claim("a product has at most the product of the norms, except for max", _products, **_SINGULAR),
            Claim("transposing exchanges one and inf",
                  lambda f: max(distance(f(_tall.T, "one"), f(_tall, "inf")),
                                distance(f(_tall.T, "max"), f(_tall, "max"))), **_LAST_BITS),
            Claim("entries of 1e200 are measured like any other",
                  lambda f: max(distance(f(_huge_a, it) / 1e200, f(_huge_a / 1e200, it)) for it in _KINDS),
                  **_SINGULAR),
            oracle("numpy.linalg.norm", _numpy_matrices,
                   *(call(a, kind) for a in (_a, _tall) for kind in _KINDS if kind != "max"), **_SINGULAR),
            oracle("the singular values of numpy.linalg.svd", _of_singular_values,
                   *(call(_tall, kind) for kind in ("frobenius", "spectral", "nuclear")), **_SINGULAR),
        ),
        mistakes=(
            Mistake("maximum of all matrices", ("return vector_norm(entries, 2 if kind == \"frobenius\" else math.inf)",
                "return vector_norm(entries, 2) if kind == \"frobenius\" else xp.max(xp.abs(a))"),
                "Of several matrices it gives the largest entry of all", "take it over the last two axes only"),
            Mistake("rows and columns exchanged", (_AXES, '-1 if kind == "one" else -2'),
                    "one gives the largest row sum, and inf the largest column sum",
                    "for one, sum over the rows (axis -2), then take the largest"),
            Mistake("largest entry for inf", ('kind in ("one", "inf")', 'kind == "one"'),
                    "inf gives the largest entry", "take the largest row sum, for the largest entry is max"),
            Mistake("all entries added", ("xp.max(vector_norm(a, 1", "xp.sum(vector_norm(a, 1"),
                    "The sums of columns or rows are added, to the sum of all absolute entries",
                    "take the largest of the sums"),
            Mistake("one number for all matrices", (f"{_AXES}), axis=-1)", f"{_AXES}))"),
                    "Several matrices have one norm together", "take the largest along the last axis: max(axis=-1)"),
            Mistake("largest eigenvalue", (_VALUES, 'if kind == "spectral":\n            return np.max(np.abs('
                                                    f"np.linalg.eigvals(a)), axis=-1)\n        {_VALUES}"),
                    "A matrix lengthens some vectors by more than its spectral norm",
                    "take the largest singular value: eigenvalues tell it for symmetric matrices, not in general"),
            Mistake("eigenvalues added", (_VALUES, 'if kind == "nuclear":\n            return np.sum(np.abs('
                                                   f"np.linalg.eigvals(a)), axis=-1)\n        {_VALUES}"),
                    "The nuclear norm is too small, and missing where rows and columns are not equally many",
                    "add singular values: eigenvalues tell them for symmetric matrices, not in general"),
            Mistake("root of singular value forgotten",
                (_VALUES, _VALUES.replace("svdvals(a)", "svdvals(a) ** (2 if " 'kind == "spectral" else 1)')),
                "Doubling a matrix makes its spectral norm four times as large",
                "take the root of the largest eigenvalue of AᵀA"),
            Mistake("roots of singular values forgotten", ("svdvals(a)", "svdvals(a) ** 2"),
                    "Doubling a matrix makes its spectral and its nuclear norm four times as large",
                    "take the roots of the eigenvalues of AᵀA"),
            Mistake("trace", (_VALUES, 'if kind == "nuclear":\n            return np.trace(a, axis1=-2, axis2=-1)\n'
                                       f"        {_VALUES}"),
                    "Matrices with a negative diagonal have negative norms", "add singular values"),
            *(Mistake("signs of entries kept", (f"vector_norm(a, 1, axis={_AXES})", f"{wrong}(a, axis={_AXES}))"),
                      "Entries of opposite signs cancel in the sums of rows and columns",
                      "take absolute values before adding") for wrong in ("abs(xp.sum", "(xp.sum")),
            Mistake("lengths of rows and columns",
                    (f"vector_norm(a, 1, axis={_AXES})", f"vector_norm(a, axis={_AXES})"),
                    "one and inf give the largest Euclidean length of a column or row",
                    "add absolute values: p = 1"),
            Mistake("axes from the front", (_AXES, '0 if kind == "one" else 1'),
                    "For several matrices, one and inf add along other axes than those of the matrix",
                    "count its axes from the end: -2 and -1"),
            Mistake("all matrices in one vector", ("(*a.shape[:-2], a.shape[-2] * a.shape[-1])", "(-1,)"),
                    "Several matrices have one frobenius norm and one largest entry, together",
                    "keep the leading axes, join the last two"),
            Mistake("largest entry with its sign",
                (_ENTRIES, f'{_ENTRIES} if kind == "frobenius" else ' "xp.max(entries, axis=-1)"),
                "A large negative entry does not count for max", "take absolute values first"),
            Mistake("squares of entries as they are",
                    (_ENTRIES, f'{_ENTRIES} if kind == "max" else xp.sqrt(xp.sum(entries**2, axis=-1))'),
                    "It gives inf for entries of 1e200", "scale by the largest absolute entry before squaring"),
            Mistake("root of the sum forgotten", (_ENTRIES, f'{_ENTRIES} ** (2 if kind == "frobenius" else 1)'),
                    "Doubling a matrix makes its Frobenius norm four times as large", "take the root of the sum"),
            Mistake("frobenius for spectral", (('if kind in ("spectral", "nuclear")', 'if kind == "nuclear"'),
                                               ('2 if kind == "frobenius"', '2 if kind != "max"')),
                    "The identity of size n has the spectral norm √n, although it lengthens nothing",
                    "the 2-norm of a matrix is its largest singular value, not the length of its entries"),
        ),
    ),
    Checks(
        equivalence_constants,
        cases=(call(1, 2, 9), call(2, 1, 3), call(math.inf, 1, 5), call(3, 3, 2), call(2, math.inf, 4),
               call(2, 3, 5), call(math.inf, 2, 9), call(1, math.inf, 4), call(3, math.inf, 8),
               call(1, 4, 1).about("one coordinate")),
        claims=(
            Claim("of the norms 1 and 2 in nine dimensions they are 1 and 3",
                  lambda f: distance(f(1, 2, 9), (1, 3)), **_LAST_BITS),
            Claim("the norms of random vectors lie between the bounds", _bounds, **_LAST_BITS),
            Claim("exchanging the norms inverts the bounds",
                  lambda f: distance(f(1.5, 3, 5), [1 / bound for bound in f(3, 1.5, 5)[::-1]]), **_LAST_BITS),
            oracle("the ratios of a basis vector and of the vector of ones, by numpy.linalg.norm", _reached,
                   *(call(p, q, 5) for p in _POWERS for q in _POWERS), **_LAST_BITS),
        ),
        mistakes=(
            Mistake("dimension itself", (_BOTH, "1 / n, float(n)"), "The bounds hold, but are too wide",
                    "raise n to the power 1/p - 1/q"),
            Mistake("root of n", ("(1 / p - 1 / q)", "(0.5 * ((p < q) - (p > q)))"),
                    "The factor is √n for every pair of norms", "raise n to the power 1/p - 1/q"),
            Mistake("always below", ("(1 / p - 1 / q)", "abs(1 / p - 1 / q)"),
                    "For p > q, vectors lie below the lower bound",
                    "for p > q the upper bound is 1 and the lower one is n to the power 1/p - 1/q"),
            Mistake("wide both ways", (_BOTH, "min(of_ones, 1 / of_ones), max(of_ones, 1 / of_ones)"),
                    "The bounds hold, but vectors reach only one of them", "one of the two bounds is always 1"),
            Mistake("not in order", (_BOTH, "1.0, of_ones"), "For p > q the lower bound is above the upper one",
                    "for p > q, 1 is the upper bound"),
            Mistake("exponent times q", ("(1 / p - 1 / q)", "(q / p - 1)"), "The exponent is q times what it should be",
                    "the vector of ones has the lengths n to the power 1/p and n to the power 1/q: divide them"),
            Mistake("difference below the fraction", ("(1 / p - 1 / q)", "(1 / (p - q) if p != q else 0.0)"),
                    "The exponent is 1/(p - q)", "it is a difference of fractions, 1/p - 1/q"),
        ),
    ),
    Checks(
        unit_circle,
        cases=(*(call(p, 9) for p in (1, 3, 2, 1.5, math.inf)), call(1, 5), call(3, n_points=8), call(2),
               call(50, 41).about("p = 50"), call(0.5, 9).about("p = 0.5", tolerance=1e-7),  # sin π is 1e-16, not 0
               call(0.05, 11).about("p = 0.05", edge=True)),
        claims=(
            Claim("every point has length one",
                  lambda f: max(distance(vector_norm(np.asarray(f(p)), p), np.ones(401))
                                for p in (1, 1.5, 2, 7, math.inf)), **_LAST_BITS),
            Claim("it goes round once, from (1, 0) to (1, 0)",
                  lambda f: distance(f(3, 5), [[1, 0], [0, 1], [-1, 0], [0, -1], [1, 0]]), **_LAST_BITS),
            oracle("the area that the gamma function gives", _area_by_gamma,
                   *(call(p) for p in (0.5, 1, 2, 4)), run=_area, **_POLYGON),
        ),
        mistakes=(
            Mistake("euclidean directions", (_POINTS, "return directions"),
                    "It is the Euclidean circle for every p", "divide each point by its p-norm"),
            Mistake("powers of sine and cosine", (_POINTS, "return np.abs(directions) ** (2 / p)"),
                    "It stays in the first quadrant",
                    "divide each direction by its p-norm, which keeps signs and angles"),
            Mistake("angles bent", (_POINTS, "return np.sign(directions) * np.abs(directions) ** (2 / p)"),
                    "Points have length one, but do not stand at equal angles",
                    "divide each direction by its p-norm, which keeps the angle"),
            Mistake("divided by the power",
                    (_POINTS, "return directions / largest if p == math.inf else directions / (largest**p * total)"),
                    "Points between the axes have length one for p = 1, 2 and ∞ only",
                    "divide by the p-th root of the sum"),
        ),
    ),
    Checks(
        nearest_to_zero,
        cases=(*(call(np.array([2.0, 1.0]), 6.0, *p) for p in ((), (1,), (math.inf,))),
               call(np.array([4.0, 1.0]), 4.0, p=3), call(1e5 * _bent, 3.0, 1.01).about("p = 1.01, large coefficients"),
               call(np.array([1.0, -3.0]), 3.0, 1), call(_bent, 3.0, 2),
               *(call(_bent, -2.0, p) for p in _POWERS), call(np.array([-2.0]), 3.0, 3).about("one coordinate"),
               call(np.array([1.0, 0.0, -2.0]), 3.0, 1.5).about("a coefficient of 0"),
               call(np.array([0.0, -2.0]), 3.0, 1.5).about("no coefficient above 0"),
               call(_bent, 1.0, 1.01).about("p = 1.01"), call(_bent, 1.0, 200.0).about("p = 200"),
               call(np.array([1.0, 0.99]), 1.0, 1.01).about("p = 1.01, coefficients nearly equal"),
               call(np.array([2.0, -3.0]), 4.0, 0.5).about("p = 0.5", edge=True),
               call(np.array([2, 1]), 3.0, 1).about("integers", edge=True)),
        claims=(
            Claim("it lies on the line", lambda f: max(distance(_bent @ f(_bent, 3.0, p), 3.0) for p in _POWERS),
                  **_LAST_BITS),
            Claim("its length is |b| by the dual norm of a, which Hölder's inequality says is the least",
                  lambda f: max(distance(vector_norm(f(_bent, 3.0, p), p), 3 / vector_norm(_bent, q))
                                for p, q in ((1, math.inf), (1.5, 3), (2, 2), (3, 1.5), (math.inf, 1))), **_LAST_BITS),
            oracle("scipy.optimize.minimize_scalar along the line", _by_solver,
                   *(call(np.array([2.0, -1.0]), 4.0, p) for p in (1.5, 2, 3)), **_SEARCHED),
        ),
        mistakes=(
            Mistake("power of the other norm", ("1 / (p - 1)", "(p - 1)"),
                    "Above p = 1 it is right for p = 2 only, and for p near 1 no coordinate is near 0",
                    "the coordinates go as |aᵢ| to the power q - 1 = 1/(p - 1)"),
            Mistake("power q", ("1 / (p - 1)", "1 + 1 / (p - 1)"), "For p = ∞ the coordinates are not equally large",
                    "the power is q - 1, one less than q"),
            *(Mistake("signs forgotten", it, "Where coefficients differ in sign, the point is not the nearest, or none "
                      "of the line", "give each xᵢ the sign of aᵢ")
              for it in (("np.sign(a) * parts", "1.0 * parts"), ("np.dot(a, x) * x", "np.dot(a, x) * parts"))),
            Mistake("divided by the dual norm",
                ("np.dot(a, x) * x", "vector_norm(a, np.inf if p <= 1 else 1 / (1 - 1 / p)) * x"),
                "Between p = 1 and p = ∞ the point is not on the line",
                "divide by a · direction, the q-th power of that norm"),
            *(Mistake("not on the line", ("return b / largest / np.dot(a, x) * x", f"return {it}"), "a · x is not b",
                      "multiply the direction by b / (a · direction)")
              for it in ("b * x", "b / largest / np.dot(a, x) * x if p <= 1 else b * x")),
            Mistake("perpendicular for every p", ("1 / (p - 1)", "1"),
                    "It is the foot of the perpendicular for every p above 1",
                    "only the Euclidean distance is measured at a right angle"),
            Mistake("axis of the smallest coefficient", ("np.argmax(sizes)", "np.argmin(sizes)"),
                    "For p = 1 the point lies on the axis that the line crosses last",
                    "the largest |aᵢ| buys most: the line crosses that axis first"),
        ),
    ),
    Checks(
        soft_threshold,
        cases=(call(np.array([3.0, -2.0, 0.5]), 1.0), call(np.array([3.0, 1.0]), 2.0), call(_table, 0.7),
               call(np.array([1.0, -1.0]), 1.0).about("pulls as strong as the penalty"), call(_table, 0.0),
               call(np.array([0.0, 5.0]), 3.0).about("a pull of 0"),
               call(np.array([3.0, 0.0]), 0.0).about("a pull of 0, and no penalty"),
               call(_stack, 1.3).about("three axes"),
               call(np.array([3, -2, 1]), 1.5).about("whole numbers", edge=True)),
        claims=(
            Claim("3, -2 and ½ become 2, -1 and 0", lambda f: distance(f(np.array([3.0, -2.0, 0.5]), 1.0), [2, -1, 0])),
            Claim("no w on a fine grid has a smaller sum of square and penalty", _above_the_least, **_LAST_BITS),
            oracle("torch.nn.functional.softshrink", _softshrink, call(_table, 0.7), call(_table, 0.0), **_LAST_BITS),
            Claim("what it takes away is what clipping leaves",
                  lambda f: distance(_table - f(_table, 0.7), np.clip(_table, -0.7, 0.7)), **_LAST_BITS),
        ),
        mistakes=(
            Mistake("only cut off", (_SHRUNK, "np.where(np.abs(z) > strength, z, 0)"),
                    "What is not zero is as large as without the penalty",
                    "where w is not 0, the slope w - z ± strength must vanish: w is nearer to 0 by strength"),
            Mistake("middle left", (_SHRUNK, "np.where(np.abs(z) > strength, np.sign(z) * (np.abs(z) - strength), z)"),
                    "Pulls smaller than the strength stay as they are", "between -strength and strength w is 0"),
            Mistake("below zero", ("np.maximum(np.abs(z) - strength, 0)", "(np.abs(z) - strength)"),
                    "Small pulls give w of the opposite sign", "stop at 0"),
            Mistake("no stop between", (_SHRUNK, "np.where(z > 0, z - strength, z + strength)"),
                    "Pulls smaller than the strength give w of the opposite sign",
                    "there are three cases: between -strength and strength w is 0"),
            Mistake("square penalty", (_SHRUNK, "z / (1 + strength)"),
                    "Only a pull of 0 gives 0", "that is the least with strength · w² / 2: here the penalty is |w|"),
            *(Mistake("subtracted from negative pulls, too", (_SHRUNK, f"np.where({kept}, z - strength, 0)"),
                      "Negative pulls move away from 0", "add the strength where z is negative")
              for kept in ("np.abs(z) > strength", "np.abs(z) >= strength")),
            Mistake("half of the strength", ("np.abs(z) - strength", "np.abs(z) - strength / 2"),
                    "It shrinks half as much as it should", "the square has the factor ½, and so the slope w - z"),
            Mistake("hard threshold", lambda z, strength: np.where(np.square(z) / 2 > strength * np.abs(z), z, 0.0),
                "It compares the cost at z with the cost at 0, and beyond the strength the minimum lies at neither",
                "subtract the strength there"),
            Mistake("the whole vector shortened",
                lambda z, strength: z * max(1 - strength / (np.linalg.norm(z) or 1), 0),
                "The numbers are shortened together, or vanish together", "treat each number by itself"),
        ),
    ),
)
