"""What norms must satisfy, and how they are usually got wrong."""

import math

import numpy as np

from mlnotes.blocks.norm import equivalence_constants, matrix_norm, unit_circle, vector_norm
from mlnotes.checks.oldbank import Checks, Claim, Mistake, distance, frozen

_rng = np.random.default_rng(19)
_x, _table, _huge, _tiny, _zeros, _a, _tall, _huge_a = frozen(
    np.array([3.0, -4.0]),
    _rng.normal(size=(5, 3)),
    np.array([3e200, -4e200]),
    np.array([3e-200, -4e-200]),
    np.zeros(3),
    np.array([[1.0, -2.0], [-4.0, 8.0]]),
    _rng.normal(size=(5, 3)),
    np.array([[1e200, -2e200], [3e200, 4e200]]),
)
_KINDS = ("frobenius", "one", "inf", "max", "spectral", "nuclear")
_POWERS = (1, 1.5, 2, 3, math.inf)
_LAST_BITS = "sums of at most 5 powers in float64: a few units of 1e-16"
_SINGULAR = "singular values in float64: a few units of 1e-15"


def _numpy_vectors(f):
    return max(distance(f(_table, p), np.linalg.vector_norm(_table, ord=p, axis=-1)) for p in _POWERS)


def _torch_vectors(f):
    import torch

    return max(distance(f(_table, p), torch.linalg.vector_norm(torch.tensor(_table), p, -1).numpy()) for p in _POWERS)


def _triangle(f):
    x, y = _table[:2]
    return max(0.0, *(float(f(x + y, p) - f(x, p) - f(y, p)) for p in _POWERS))


def _numpy_matrices(f):
    orders = {"frobenius": "fro", "one": 1, "inf": np.inf, "spectral": 2, "nuclear": "nuc"}
    return max(distance(f(a, kind), np.linalg.norm(a, ord)) for a in (_a, _tall) for kind, ord in orders.items())


def _singular_values(f):
    s = np.linalg.svd(_tall, compute_uv=False)
    expected = {"frobenius": np.sqrt(np.sum(s * s)), "spectral": s[0], "nuclear": s.sum()}
    return max(distance(f(_tall, kind), value) for kind, value in expected.items())


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


def _reached(f):
    worst = 0.0
    for p in _POWERS:
        for q in _POWERS:
            ratios = [np.linalg.norm(x, p) / np.linalg.norm(x, q) for x in (np.eye(5)[0], np.ones(5))]
            worst = max(worst, distance(f(p, q, 5), (min(ratios), max(ratios))))
    return worst


def _gamma_area(f):
    worst = 0.0
    for p in (0.5, 1, 2, 4):
        x, y = np.asarray(f(p, 4001)).T
        area = 0.5 * np.sum(x[:-1] * y[1:] - x[1:] * y[:-1])
        worst = max(worst, distance(area, 4 * math.gamma(1 + 1 / p) ** 2 / math.gamma(1 + 2 / p)))
    return worst


def powers_as_they_are(x, p=2, axis=-1):
    """Raise the coordinates to the power p without scaling them."""
    if p == math.inf:
        return np.max(np.abs(x), axis=axis)
    return np.sum(np.abs(x) ** p, axis=axis) ** (1 / p)


def root_forgotten(x, p=2, axis=-1):
    """Return the sum of powers."""
    return vector_norm(x, p, axis) if p == math.inf else vector_norm(x, p, axis) ** p


def signs_kept(x, p=2, axis=-1):
    """Leave out the absolute value, as one may for the Euclidean length."""
    if p == math.inf:
        return np.max(x, axis=axis)
    return np.sum(x**p, axis=axis) ** (1 / p)


def always_euclidean(x, p=2, axis=-1):
    """Ignore p."""
    return vector_norm(x, 2, axis)


def mean_of_powers(x, p=2, axis=-1):
    """Average the powers instead of adding them."""
    return vector_norm(x, p, axis) / (1 if p == math.inf else np.shape(x)[axis] ** (1 / p))


def rows_joined(x, p=2, axis=-1):
    """Measure the whole array as one vector."""
    return vector_norm(np.reshape(x, -1), p)


def zero_divided_by_itself(x, p=2, axis=-1):
    """Divide by the largest coordinate also where it is zero."""
    largest = np.max(np.abs(x), axis=axis, keepdims=True)
    return np.squeeze(largest, axis) * vector_norm(x / largest, p, axis)


def rows_and_columns_exchanged(a, kind="frobenius"):
    """Take the largest row sum for the 1-norm, and the largest column sum for the other."""
    return matrix_norm(np.swapaxes(a, -1, -2), kind)


def largest_eigenvalue(a, kind="frobenius"):
    """Take the largest absolute eigenvalue for the spectral norm."""
    if kind == "spectral":
        return np.max(np.abs(np.linalg.eigvals(a)))
    return matrix_norm(a, kind)


def root_of_singular_value_forgotten(a, kind="frobenius"):
    """Take the largest eigenvalue of AᵀA for the spectral norm."""
    return matrix_norm(a, kind) ** 2 if kind == "spectral" else matrix_norm(a, kind)


def trace(a, kind="frobenius"):
    """Add the diagonal entries for the nuclear norm."""
    return np.trace(a) if kind == "nuclear" else matrix_norm(a, kind)


def signs_of_entries_kept(a, kind="frobenius"):
    """Leave out the absolute values in sums of rows and columns."""
    if kind == "one":
        return np.max(np.sum(a, axis=-2), axis=-1)
    return np.max(np.sum(a, axis=-1), axis=-1) if kind == "inf" else matrix_norm(a, kind)


def squares_of_entries_as_they_are(a, kind="frobenius"):
    """Square the entries without scaling them."""
    return np.sqrt(np.sum(a * a, axis=(-2, -1))) if kind == "frobenius" else matrix_norm(a, kind)


def spectral_for_frobenius(a, kind="frobenius"):
    """Call the spectral norm of a matrix its 2-norm, and mean the length of its entries."""
    return matrix_norm(a, "frobenius" if kind == "spectral" else kind)


def exponents_exchanged(p, q, n):
    """Swap the two norms."""
    return equivalence_constants(q, p, n)


def dimension_itself(p, q, n):
    """Forget the exponent: n bounds everything, but nothing reaches it."""
    return 1 / n, float(n)


def always_below(p, q, n):
    """Believe that 1 is always the lower bound."""
    return 1.0, float(n) ** abs(1 / p - 1 / q)


def euclidean_directions(p, n_points=401):
    """Leave the points on the Euclidean circle."""
    return unit_circle(2, n_points)


def powers_of_sine_and_cosine(p, n_points=401):
    """Raise sine and cosine to the power 2/p without their signs."""
    return np.abs(unit_circle(p, n_points))


def divided_by_the_power(p, n_points=401):
    """Divide directions by the sum of powers, without its root."""
    directions = unit_circle(2, n_points)
    if p == math.inf:
        return directions / np.max(np.abs(directions), axis=-1, keepdims=True)
    return directions / np.sum(np.abs(directions) ** p, axis=-1, keepdims=True)


OLD = (
    Checks(
        vector_norm,
        probes=((_x,), (_x, 1), (_x, 3), (_x, math.inf), (-_x, math.inf), (_table,), (_huge,), (_tiny, 3), (_zeros,)),
        claims=(
            Claim(
                "(3, -4) has the lengths 7, 5 and 4",
                lambda f: distance([f(_x, p) for p in (1, 2, math.inf)], [7, 5, 4]),
            ),
            Claim("one length for each row", lambda f: distance(np.shape(f(_table)), (5,))),
            Claim(
                "scaling a vector by -2 doubles its length",
                lambda f: max(distance(f(-2 * _table, p), 2 * np.asarray(f(_table, p))) for p in _POWERS),
                1e-12,
                _LAST_BITS,
            ),
            Claim("a sum is no longer than its parts together", _triangle, 1e-12, _LAST_BITS),
            Claim(
                "entries of 1e200 and of 1e-200 are measured like any other",
                lambda f: max(
                    distance(f(x, p) / size, f(_x, p)) for x, size in ((_huge, 1e200), (_tiny, 1e-200)) for p in _POWERS
                ),
                1e-12,
                _LAST_BITS,
            ),
            Claim("a vector of zeros has length 0", lambda f: distance([f(_zeros, p) for p in _POWERS], np.zeros(5))),
            Claim("numpy.linalg.vector_norm", _numpy_vectors, 1e-12, _LAST_BITS, "oracle"),
            Claim("torch.linalg.vector_norm", _torch_vectors, 1e-12, _LAST_BITS, "oracle"),
        ),
        mistakes=(
            Mistake(
                powers_as_they_are,
                "It gives inf for entries of 1e200, and 0 for entries of 1e-200",
                "divide by the largest absolute value first, and multiply the result by it",
            ),
            Mistake(root_forgotten, "Doubling a vector makes it four times as long", "take the p-th root of the sum"),
            Mistake(
                signs_kept,
                "Negative coordinates shorten a vector for odd p, and give nan for fractional p",
                "take absolute values before raising to the power p",
            ),
            Mistake(always_euclidean, "All norms are the Euclidean one", "use p in the exponents"),
            Mistake(
                mean_of_powers, "Vectors of ones have length 1 in every dimension", "add the powers, do not average"
            ),
            Mistake(rows_joined, "A table has one length, instead of one for each row", "sum along the axis asked for"),
            Mistake(
                zero_divided_by_itself,
                "A vector of zeros has the length nan",
                "divide by 1 where the largest absolute value is 0",
            ),
        ),
    ),
    Checks(
        matrix_norm,
        probes=(*((_a, kind) for kind in _KINDS), *((_tall[:3], kind) for kind in _KINDS), (_huge_a,), (_tall,)),
        claims=(
            Claim(
                "(1 -2; -4 8), of rank one, has the norms √85, 10, 12, 8, √85 and √85",
                lambda f: distance([f(_a, kind) for kind in _KINDS], [85**0.5, 10, 12, 8, 85**0.5, 85**0.5]),
                1e-12,
                _SINGULAR,
            ),
            Claim(
                "it is Frobenius's where no other is asked for",
                lambda f: distance(f(np.ones((2, 2))), 2.0),
                1e-12,
                _LAST_BITS,
            ),
            Claim("a product has at most the product of the norms, except for max", _products, 1e-12, _SINGULAR),
            Claim(
                "transposing exchanges one and inf",
                lambda f: max(
                    distance(f(_tall.T, "one"), f(_tall, "inf")), distance(f(_tall.T, "max"), f(_tall, "max"))
                ),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "entries of 1e200 are measured like any other",
                lambda f: max(distance(f(_huge_a, kind) / 1e200, f(_huge_a / 1e200, kind)) for kind in _KINDS),
                1e-12,
                _SINGULAR,
            ),
            Claim("numpy.linalg.norm", _numpy_matrices, 1e-12, _SINGULAR, "oracle"),
            Claim("the singular values of numpy.linalg.svd", _singular_values, 1e-12, _SINGULAR, "oracle"),
        ),
        mistakes=(
            Mistake(
                rows_and_columns_exchanged,
                "one gives the largest row sum, and inf the largest column sum",
                "for one, sum over the rows (axis -2), then take the largest",
            ),
            Mistake(
                largest_eigenvalue,
                "A matrix lengthens some vectors by more than its spectral norm",
                "take the largest singular value: eigenvalues tell it for symmetric matrices only",
            ),
            Mistake(
                root_of_singular_value_forgotten,
                "Doubling a matrix makes its spectral norm four times as large",
                "take the root of the largest eigenvalue of AᵀA",
            ),
            Mistake(trace, "Matrices with a negative diagonal have negative norms", "add singular values"),
            Mistake(
                signs_of_entries_kept,
                "Entries of opposite signs cancel in the sums of rows and columns",
                "take absolute values before adding",
            ),
            Mistake(
                squares_of_entries_as_they_are,
                "It gives inf for entries of 1e200",
                "scale by the largest absolute entry before squaring",
            ),
            Mistake(
                spectral_for_frobenius,
                "The identity of size n has the spectral norm √n, although it lengthens nothing",
                "the 2-norm of a matrix is its largest singular value, not the length of its entries",
            ),
        ),
    ),
    Checks(
        equivalence_constants,
        probes=((1, 2, 3), (2, 1, 3), (math.inf, 1, 5), (3, 3, 2)),
        claims=(
            Claim("for 1 and 2 in nine dimensions, 1 and 3", lambda f: distance(f(1, 2, 9), (1, 3)), 1e-12, _LAST_BITS),
            Claim("the norms of random vectors lie between the bounds", _bounds, 1e-12, _LAST_BITS),
            Claim(
                "exchanging the norms inverts the bounds",
                lambda f: distance(f(1.5, 3, 5), [1 / bound for bound in f(3, 1.5, 5)[::-1]]),
                1e-12,
                _LAST_BITS,
            ),
            Claim("a basis vector and the vector of ones, by numpy.linalg.norm", _reached, 1e-12, _LAST_BITS, "oracle"),
        ),
        mistakes=(
            Mistake(
                exponents_exchanged,
                "The bounds are those of the other norm",
                "the exponent is 1/p - 1/q, not 1/q - 1/p",
            ),
            Mistake(dimension_itself, "No vector reaches the bounds", "raise n to the power 1/p - 1/q"),
            Mistake(
                always_below,
                "For p > q, vectors lie below the lower bound",
                "for p > q the upper bound is 1 and the lower is below",
            ),
        ),
    ),
    Checks(
        unit_circle,
        probes=((1, 9), (3, 9), (math.inf, 9), (0.5, 9)),
        claims=(
            Claim(
                "every point has length one",
                lambda f: max(
                    distance(vector_norm(np.asarray(f(p)), p), np.ones(401)) for p in (1, 1.5, 2, 7, math.inf)
                ),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "it goes round once, from (1, 0) to (1, 0)",
                lambda f: distance(f(3, 5), [[1, 0], [0, 1], [-1, 0], [0, -1], [1, 0]]),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "the area that the gamma function gives",
                _gamma_area,
                1e-3,
                "a polygon of 4,000 sides in place of a curve",
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(euclidean_directions, "It is the Euclidean circle for every p", "divide each point by its p-norm"),
            Mistake(powers_of_sine_and_cosine, "It stays in the first quadrant", "put the signs back"),
            Mistake(
                divided_by_the_power,
                "Points between the axes do not have length one",
                "divide by the p-th root of the sum",
            ),
        ),
    ),
)
