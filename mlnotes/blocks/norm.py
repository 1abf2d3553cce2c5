"""Norms: how large a vector or a matrix is."""

import math

import numpy as np
from array_api_compat import array_namespace

from mlnotes.arrays import (
    or_one,
    power_of_two,
    require_entries,
    require_finite,
    require_floats,
    require_integers,
    require_number,
    require_vector,
    widen_half,
)

KINDS = ("frobenius", "one", "inf", "max", "spectral", "nuclear")


@widen_half
def vector_norm(x, p=2, axis=-1):
    """Measure how long a vector is.

    Parameters
    ----------
    x : array (..., n)
        Floating-point coordinates.
    p : float
        At least 1: 1 adds the absolute values, 2 is the Euclidean length, ``inf`` takes the largest absolute value.
    axis : int
        The axis of the coordinates.

    Returns
    -------
    array (...)
        Lengths; 0 for a vector of zeros only. They are right wherever they are floating-point numbers themselves: no
        power of a coordinate overflows on the way, and what vanishes is nothing beside the largest.

    Raises
    ------
    ValueError
        If p is below 1, where a sum could be longer than its parts together, or if ``x`` holds no floats, has no such
        axis, or is empty along it.

    Notes
    -----
    .. math:: \\lVert\\mathbf x\\rVert_p = \\Bigl(\\sum_i |x_i|^p\\Bigr)^{1/p}
              = s\\,\\Bigl(\\sum_i \\Bigl|\\frac{x_i}{s}\\Bigr|^p\\Bigr)^{1/p},
              \\qquad \\lVert\\mathbf x\\rVert_\\infty = \\max_i |x_i|

    The right-hand form is the one computed, with a scale s near the largest absolute value.

    Where the norm has a kink, its gradient here is one of its subgradients: at a zero vector, and for p = 1 along a
    coordinate that is zero, it is 0; for p = inf, coordinates that tie for the largest share it equally.

    References
    ----------
    Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd edition, sections 6.1 and 27.8.
    """
    _require_norm(p)
    require_floats(x=x)
    require_entries(axis, x=x)
    xp, p = array_namespace(x), float(p)  # a float64 of NumPy's would widen float32
    sizes = xp.abs(x)
    if p == math.inf:
        return xp.max(sizes, axis=axis)
    scale = _scale(sizes, p, axis)
    total = xp.sum((sizes / or_one(scale)) ** p, axis=axis)
    return xp.squeeze(scale, axis=axis) * or_one(total) ** (1 / p)


@widen_half
def matrix_norm(a, kind="frobenius"):
    """Measure how large a matrix is.

    Parameters
    ----------
    a : array (..., m, n)
        Floating-point entries; finite ones for "spectral" and "nuclear".
    kind : {"frobenius", "one", "inf", "max", "spectral", "nuclear"}
        "frobenius" is the length of all entries in one vector, "max" the largest absolute entry. The most by which the
        matrix can lengthen a vector is "one" in the 1-norm, the largest column sum of absolute entries; "inf" in the
        maximum norm, the largest row sum; "spectral" in the Euclidean norm, the largest singular value. "nuclear" adds
        the singular values.

    Returns
    -------
    array (...)
        The norms; 0 for a matrix of zeros only.

    Raises
    ------
    ValueError
        If ``kind`` is none of these, or if ``a`` holds no floats, has fewer than two axes, is empty, or is not finite
        where singular values are needed.

    Notes
    -----
    .. math:: \\lVert\\mathbf A\\rVert_F = \\sqrt{\\textstyle\\sum_{ij} a_{ij}^2}
              = \\sqrt{\\textstyle\\sum_k s_k^2},

              \\lVert\\mathbf A\\rVert_1 = \\max_j \\sum_i |a_{ij}|, \\qquad
              \\lVert\\mathbf A\\rVert_\\infty = \\max_i \\sum_j |a_{ij}|

    .. math:: \\lVert\\mathbf A\\rVert_{\\max} = \\max_{ij} |a_{ij}|, \\qquad
              \\lVert\\mathbf A\\rVert_2 = \\max_{\\mathbf x\\ne\\mathbf 0}
              \\frac{\\lVert\\mathbf{Ax}\\rVert_2}{\\lVert\\mathbf x\\rVert_2} = s_1, \\qquad
              \\lVert\\mathbf A\\rVert_* = \\sum_k s_k

    All but "max" satisfy ‖AB‖ ≤ ‖A‖ ‖B‖.

    References
    ----------
    Golub and Van Loan, *Matrix Computations*, 4th edition, section 2.3.
    """
    require_floats(a=a)
    require_entries(-1, a=a)
    require_entries(-2, a=a)
    _require_kind(kind, a)
    xp = array_namespace(a)
    if kind in ("one", "inf"):
        return xp.max(vector_norm(a, 1, axis=-2 if kind == "one" else -1), axis=-1)
    if kind in ("spectral", "nuclear"):
        return vector_norm(xp.linalg.svdvals(a), math.inf if kind == "spectral" else 1)
    entries = xp.reshape(a, (*a.shape[:-2], a.shape[-2] * a.shape[-1]))
    return vector_norm(entries, 2 if kind == "frobenius" else math.inf)


def equivalence_constants(p, q, n):
    """Bound one norm by another: what is small in one is small in all.

    Parameters
    ----------
    p, q : float
        At least 1, up to ``inf``.
    n : int
        How many coordinates the vectors have.

    Returns
    -------
    low, high : float
        The largest and the smallest number for which the inequality below holds for all vectors. Both are reached:
        one by a basis vector, the other by the vector of ones.

    Raises
    ------
    ValueError
        If p or q is below 1, or n is not positive.

    Notes
    -----
    .. math:: \\mathrm{low}\\,\\lVert\\mathbf x\\rVert_q \\le \\lVert\\mathbf x\\rVert_p
              \\le \\mathrm{high}\\,\\lVert\\mathbf x\\rVert_q,

              \\mathrm{low} = \\min(1, n^{1/p - 1/q}), \\quad \\mathrm{high} = \\max(1, n^{1/p - 1/q})

    References
    ----------
    Golub and Van Loan, *Matrix Computations*, 4th edition, section 2.2.
    """
    _require_norm(p)
    _require_norm(q)
    require_integers(1, n=n)
    of_ones = float(n) ** (1 / p - 1 / q)
    return min(1.0, of_ones), max(1.0, of_ones)


def unit_circle(p, n_points=401):
    """Walk once around the vectors of length one in the plane.

    Parameters
    ----------
    p : float
        Positive, up to ``inf``. Below 1 the ball inside is not convex, and so p gives no norm.
    n_points : int
        How many points to return, at equal angles; the first and the last are (1, 0).

    Returns
    -------
    array (n_points, 2)
        Points whose absolute coordinates, raised to the power p, sum to one; where p is infinite, the largest is one.

    Raises
    ------
    ValueError
        If p is not positive, or there are fewer than two points.
    """
    _require_positive_power(p)
    require_integers(2, n_points=n_points)
    theta = np.linspace(0, 2 * math.pi, n_points)
    directions = np.stack([np.cos(theta), np.sin(theta)], axis=-1)
    # Sine and cosine of multiples of pi/2 are rounded to 1e-16, which a small power would turn into 1.
    directions[np.abs(directions) < 1e-15] = 0
    largest = np.max(np.abs(directions), axis=-1, keepdims=True)
    total = np.sum((np.abs(directions) / largest) ** p, axis=-1, keepdims=True)
    return directions / largest * total ** (-1 / p)


def nearest_to_zero(a, b, p=2):
    """Find the point nearest to zero on a line, or on a plane, a · x = b.

    Parameters
    ----------
    a : array (n,)
        Finite coefficients, not all zero. In the plane, a · x = b is a line.
    b : float
        A finite number.
    p : float
        Positive, up to ``inf``: which norm measures the distance. Below 1, where it is no norm, the sum of powers does.

    Returns
    -------
    float64 array (n,)
        The point. Where several are equally near: for p up to 1, the one on the first of their axes; for p = ``inf``,
        coordinates that ``a`` does not contain are zero.

    Raises
    ------
    ValueError
        If ``a`` is no vector of finite numbers or holds only zeros, ``b`` is not finite or, divided by the
        largest of ``a``, beyond the largest float, or p is not positive.

    Notes
    -----
    For p > 1, by Hölder's inequality,

    .. math:: \\lVert\\mathbf x\\rVert_p \\ge \\frac{|b|}{\\lVert\\mathbf a\\rVert_q}, \\qquad
              \\frac1p + \\frac1q = 1, \\qquad
              \\text{with equality for } x_i = c\\,\\mathrm{sign}(a_i)\\,|a_i|^{q - 1}

    and the c for which a · x = b.

    For p ≤ 1 nothing is shorter than the point on the axis where :math:`|a_i|` is largest.

    References
    ----------
    Boyd and Vandenberghe, *Convex Optimization*, section A.1.6.
    """
    require_vector(a=a)
    require_number(b=b)
    require_finite(b=b)
    _require_positive_power(p)
    if not np.any(a):
        raise ValueError("a must not hold only zeros, because 0 · x = b has every point or none")
    a = np.asarray(a, dtype=float)
    largest = np.max(np.abs(a))
    _require_quotient(b, largest)
    a = a / largest
    sizes = np.abs(a)
    if p <= 1:
        parts = np.arange(len(sizes)) == np.argmax(sizes)
    else:
        parts = sizes ** (1 / (p - 1))  # q - 1, which is 0 for p = inf
    x = np.sign(a) * parts
    return b / largest / np.dot(a, x) * x


def _scale(sizes, p, axis):
    """Choose what to divide by: near the largest size, and to autograd a constant."""
    largest = array_namespace(sizes).max(sizes, axis=axis, keepdims=True)
    largest = largest.detach() if hasattr(largest, "detach") else largest
    # A power of two divides without rounding; by the largest itself, no power exceeds 1, however large p is.
    return largest if p > 2 else power_of_two(largest)


def _require_norm(p):
    require_number(p=p)
    if not p >= 1:
        raise ValueError(f"p must be at least 1, because below the triangle inequality fails, got {p}")


def _require_quotient(b, largest):
    limit = np.finfo(float).max
    if abs(b) > limit * min(largest, 1.0):
        raise ValueError(f"b over the largest of a must not exceed the largest float, {limit:.2g}, got {b} / {largest}")


def _require_positive_power(p):
    require_number(p=p)
    if not p > 0:
        raise ValueError(f"p must be positive, got {p}")


def _require_kind(kind, a):
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}")
    finite = array_namespace(a).isfinite(a)
    if kind in ("spectral", "nuclear") and not finite.all():
        raise ValueError(f"singular values need finite numbers, got {float(a[~finite][0])}")
