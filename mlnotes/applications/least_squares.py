"""Least squares: solving equations that have no solution, as well as they can be.

For NumPy arrays of any real numbers: float16 comes back in float32, integers in float64.
"""
# ruff: noqa: E741 (the lower triangular factor is called l, as in the formula)

import math

import numpy as np

from mlnotes.arrays import (
    by_power_of_two,
    require_matrix,
    require_not_negative,
    require_symmetric,
    times_power_of_two,
    working_copy,
)
from mlnotes.blocks.lu import backward_substitution, forward_substitution
from mlnotes.blocks.norm import matrix_norm
from mlnotes.blocks.qr import householder_qr
from mlnotes.blocks.svd import count_above, svd


def lstsq(a, b, method="qr", tolerance=None):
    """Find the x for which A x is nearest to b.

    Parameters
    ----------
    a : array (m, n)
        Finite real numbers: m equations for n unknowns.
    b : array (m,) or (m, k)
        One right-hand side, or one in each column.
    method : {"normal", "qr", "svd"}
        By what: the normal equations, Householder's QR decomposition, or the singular value decomposition.
    tolerance : float, optional
        Singular values up to ``tolerance`` times the largest count as zero; by default max(m, n) times the spacing of
        floats at 1, for "normal" twice the root of that spacing. Except for "svd", those of ``a`` with its columns
        brought to one size by powers of two.

    Returns
    -------
    array (n,) or (n, k)
        The solution. Where there are many, because columns of ``a`` depend on each other, "svd" returns the shortest,
        and the others refuse to choose.

    Raises
    ------
    ValueError
        If the shapes do not match, an array is empty, a number is not finite, there is no such method, ``tolerance`` is
        negative, the solution is beyond the largest float, or columns depend on each other and the method is not "svd".

    Notes
    -----
    What is left is orthogonal to every column, so Ax is the projection of b onto the space of the columns:

    .. math:: \\mathbf A^{\\mathsf T}(\\mathbf b - \\mathbf{Ax}) = \\mathbf 0

    These are the normal equations. Their matrix has the square of the condition number: the error grows with it, half
    of the digits are lost where the others lose a quarter, and from about 3e7 on, in double precision, there are
    none left, so "normal" refuses. The two other methods do not form the matrix:

    .. math:: \\mathbf{Rx} = \\mathbf Q^{\\mathsf T}\\mathbf b, \\qquad
              \\mathbf x = \\sum_{s_i > 0} \\frac{\\mathbf u_i\\cdot\\mathbf b}{s_i}\\,\\mathbf v_i

    References
    ----------
    Björck, *Numerical Methods for Least Squares Problems*, 1996, chapters 1 and 2.
    """
    if method not in _METHODS:
        raise ValueError(f"method must be one of {', '.join(_METHODS)}, got {method!r}")
    require_not_negative(tolerance=0.0 if tolerance is None else tolerance)
    _require_system(a, b)
    a, columns = working_copy(a), working_copy(np.reshape(b, (len(b), -1)))
    tolerance = _default_tolerance(a, method) if tolerance is None else tolerance
    # Only the shortest of many solutions depends on the units of the unknowns.
    a, a_exponent = by_power_of_two(a, axis=None if method == "svd" else 0)
    columns, b_exponent = by_power_of_two(columns, axis=0)
    x = _METHODS[method](a, columns, tolerance)
    x = times_power_of_two(x, b_exponent - a_exponent[..., None], "the solution")
    return x.reshape(len(x), *np.shape(b)[1:])


def _by_normal_equations(a, b, tolerance):
    _require_rows(a)
    try:
        l = cholesky(a.T @ a)
    except ValueError as not_definite:
        raise _dependent(0.0, tolerance) from not_definite
    _require_independent(l.T, tolerance)
    return backward_substitution(l.T, forward_substitution(l, a.T @ b))


def _by_qr(a, b, tolerance):
    _require_rows(a)
    q, r = householder_qr(a)
    _require_independent(r, tolerance)
    return backward_substitution(r, q.T @ b)


def _by_svd(a, b, tolerance):
    u, s, vt = svd(a)
    r = count_above(s, tolerance, a.shape)
    return vt[:r].T @ ((u[:, :r].T @ b) / s[:r, None])


_METHODS = {"normal": _by_normal_equations, "qr": _by_qr, "svd": _by_svd}


def ridge(a, b, strength):
    """Trade some nearness to b for a shorter x.

    Parameters
    ----------
    a : array (m, n)
        Finite real numbers: m equations for n unknowns.
    b : array (m,) or (m, k)
        One right-hand side, or one in each column.
    strength : float
        What a unit of squared length of x costs, at least 0, in squared units of ``a``. At 0 this is `lstsq` by "svd".

    Returns
    -------
    array (n,) or (n, k)
        The x at which the sum is smallest: the only one if the strength is positive, at 0 the shortest of them.

    Raises
    ------
    ValueError
        If the shapes do not match, an array is empty, a number is not finite, ``strength`` is negative, or the solution
        is beyond the largest float.

    Notes
    -----
    .. math:: \\min_{\\mathbf x}
              \\bigl(\\lVert\\mathbf{Ax} - \\mathbf b\\rVert^2 + \\lambda\\lVert\\mathbf x\\rVert^2\\bigr),
              \\qquad \\mathbf x = \\sum_i \\frac{s_i}{s_i^2 + \\lambda}\\,(\\mathbf u_i\\cdot\\mathbf b)\\,\\mathbf v_i

    Directions with singular values far above the root of the strength stay as they are, those far below it vanish.
    Singular values that are nothing but rounding errors count as zero.

    References
    ----------
    Hoerl and Kennard, *Ridge regression: biased estimation for nonorthogonal problems*, 1970.
    """
    require_not_negative(strength=strength)
    _require_system(a, b)
    a, a_exponent = by_power_of_two(working_copy(a))
    columns = working_copy(np.reshape(b, (len(b), -1)))
    columns, b_exponent = by_power_of_two(columns, axis=0)
    u, s, vt = svd(a)
    r = count_above(s, None, a.shape)
    # The strength may overflow, for coefficients that are almost 0.
    with np.errstate(over="ignore"):
        root = np.ldexp(math.sqrt(strength), -a_exponent).astype(s.dtype)
        length = np.hypot(s[:r], root)[:, None]
    x = vt[:r].T @ ((s[:r, None] / length) * (u[:, :r].T @ columns) / length)
    x = times_power_of_two(x, b_exponent - a_exponent, "the solution")
    return x.reshape(len(x), *np.shape(b)[1:])


def cholesky(a):
    """Take the square root of a positive definite matrix, in triangular form.

    Parameters
    ----------
    a : array (n, n)
        Finite real numbers, symmetric up to rounding errors; what is above the diagonal is not looked at otherwise.

    Returns
    -------
    array (n, n)
        The lower triangular matrix with a positive diagonal for which ``l @ l.T`` is ``a``.

    Raises
    ------
    ValueError
        If ``a`` is no symmetric matrix of finite numbers, or not positive definite.

    Notes
    -----
    .. math:: \\mathbf A = \\mathbf{LL}^{\\mathsf T}, \\qquad
              l_{jj} = \\sqrt{a_{jj} - \\sum_{k<j} l_{jk}^2}, \\qquad
              l_{ij} = \\frac{1}{l_{jj}}\\Bigl(a_{ij} - \\sum_{k<j} l_{ik} l_{jk}\\Bigr)
              \\quad (i > j)

    No pivots are exchanged, and none need be: no entry of L is larger than the root of the largest of A.

    References
    ----------
    Golub and Van Loan, *Matrix Computations*, 4th edition, section 4.2.
    """
    require_symmetric(a=a)
    a = working_copy(a)
    l = np.zeros_like(a)
    for j in range(len(a)):
        pivot = a[j, j] - l[j, :j] @ l[j, :j]
        if not pivot > 0:
            got = f"the pivot {pivot:.3g} in row {j} of {len(a)}"
            raise ValueError(f"a must be positive definite, got {got}")
        l[j:, j] = (a[j:, j] - l[j:, :j] @ l[j, :j]) / math.sqrt(pivot)
    return l


def _require_system(a, b):
    require_matrix(a=a)
    if np.ndim(b) not in (1, 2) or len(b) != len(a):
        raise ValueError(f"b must have the {len(a)} rows of a, and one or two axes, got shape {np.shape(b)}")
    require_matrix(b=np.reshape(b, (len(b), -1)) if np.size(b) else b)


def _default_tolerance(a, method):
    """Tell what rounding can do to a singular value, relative to the largest: its square, in the normal equations."""
    eps = float(np.finfo(a.dtype).eps)
    return 2 * math.sqrt(eps) if method == "normal" else max(a.shape) * eps


def _require_rows(a):
    if a.shape[0] < a.shape[1]:
        raise ValueError(
            f"a must have at least as many rows as columns, except for the method svd, got shape {a.shape}"
        )


def _require_independent(r, tolerance):
    """Refuse columns that depend on each other but for rounding errors, by the singular values of their factor."""
    pivots = np.abs(np.diag(r))
    nearness = float(pivots.min() / (pivots.max() or 1))  # that of the singular values is not larger
    if nearness > tolerance:
        inverse = backward_substitution(r, np.eye(len(r), dtype=r.dtype))
        nearness = float(1 / (matrix_norm(r) * matrix_norm(inverse)))  # and not smaller than this
        if nearness <= tolerance:
            s = svd(r)[1]
            nearness = float(s[-1] / s[0])
    if nearness <= tolerance:
        raise _dependent(nearness, tolerance)


def _dependent(nearness, tolerance):
    return ValueError(
        "columns of a must be independent, except for the method svd, got a smallest singular value of "
        f"{nearness:.1e} times the largest, not above {tolerance:.1e}"
    )
