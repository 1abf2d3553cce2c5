"""LU decomposition: elimination kept as two triangular matrices, so that it is done once.

For NumPy arrays of any real numbers: float16 comes back in float32, integers in float64.
"""
# ruff: noqa: E741 (the lower triangular factor is called l, as in the formula)

import math

import numpy as np

from mlnotes.arrays import (
    exact_integers,
    require_finite,
    require_integers,
    require_matrix,
    require_square,
    working_copy,
)

# Overflow is looked for once, in the result, and refused there.
_ignoring_overflow = np.errstate(over="ignore", invalid="ignore")


@_ignoring_overflow
def lu(a):
    """Eliminate column by column, each time with the largest entry that is left in the column as pivot.

    Parameters
    ----------
    a : array (m, n)
        Any finite matrix; with k = min(m, n).

    Returns
    -------
    p : array (m, m)
        A permutation matrix: ``p.T @ a`` has the rows in the order in which they became pivots.
    l : array (m, k)
        Lower triangular with ones on the diagonal; no entry is larger than 1 in size.
    u : array (k, n)
        Upper triangular. The first zero on its diagonal says that this column depends on those before it: nothing was
        left to eliminate.

    Raises
    ------
    ValueError
        If ``a`` is no finite matrix, or if its entries grow beyond the largest float on the way.

    Notes
    -----
    .. math:: \\mathbf A = \\mathbf{PLU}

    References
    ----------
    Golub and Van Loan, *Matrix Computations*, 4th edition, section 3.4.
    """
    require_matrix(a=a)
    a, rows = working_copy(a), np.arange(len(a))
    eliminate(a, rows, range(min(a.shape)), a.shape[1])
    return _unpack(a, rows)


def eliminate(a, rows, columns, stop):
    """Eliminate some columns in place, and leave the multipliers where the zeros would be.

    Parameters
    ----------
    a : array (m, n)
        What earlier steps left of the matrix; it is overwritten.
    rows : integer array (m,)
        Which row of the matrix stands where, from 0; it is overwritten.
    columns : iterable of int
        Which columns to eliminate, from 0, in order.
    stop : int
        Columns from here on only have their rows exchanged: for them the elimination is still to be done.
    """
    for k in columns:
        pivot = k + np.argmax(np.abs(a[k:, k]))
        for x in (a, rows):
            x[[k, pivot]] = x[[pivot, k]]
        if a[k, k] != 0:
            a[k + 1 :, k] /= a[k, k]
            a[k + 1 :, k + 1 : stop] -= a[k + 1 :, k, None] * a[k, k + 1 : stop]


def _unpack(a, rows):
    _require_room(a)
    k = min(a.shape)
    p = np.eye(len(a), dtype=a.dtype)[:, rows]
    return p, _unit_lower(a[:, :k]), np.triu(a[:k])


def _unit_lower(a):
    return np.tril(a, -1) + np.eye(*a.shape, dtype=a.dtype)


@exact_integers
@_ignoring_overflow
def blocked_lu(a, block=64):
    """Do what `lu` does, but most of it in products of matrices, which hardware does fastest.

    Parameters
    ----------
    a : array (m, n)
        Any finite matrix; with k = min(m, n).
    block : int
        How many columns are eliminated before the rest of the matrix is touched, in one product.

    Returns
    -------
    p : array (m, m)
        A permutation matrix.
    l : array (m, k)
        Lower triangular with ones on the diagonal; no entry is larger than 1 in size.
    u : array (k, n)
        Upper triangular.

    Raises
    ------
    ValueError
        If ``a`` is no finite matrix, its entries grow beyond the largest float, or ``block`` is not positive.

    Notes
    -----
    With the rows in the order of PA, and the first block of columns eliminated, the blocks of PA are

    .. math:: \\begin{pmatrix}\\mathbf A_{11} & \\mathbf A_{12}\\\\ \\mathbf A_{21} & \\mathbf A_{22}\\end{pmatrix}
              = \\begin{pmatrix}\\mathbf L_{11} & \\\\ \\mathbf L_{21} & \\mathbf I\\end{pmatrix}
              \\begin{pmatrix}\\mathbf U_{11} & \\mathbf U_{12}\\\\
              & \\mathbf A_{22} - \\mathbf L_{21}\\mathbf U_{12}\\end{pmatrix},
              \\qquad \\mathbf L_{11}\\mathbf U_{12} = \\mathbf A_{12}

    References
    ----------
    Golub and Van Loan, *Matrix Computations*, 4th edition, section 3.2.11.
    """
    require_matrix(a=a)
    require_integers(1, block=block)
    a, rows = working_copy(a), np.arange(len(a))
    for start in range(0, min(a.shape), block):
        end = min(start + block, *a.shape)
        eliminate(a, rows, range(start, end), end)
        l = _unit_lower(a[start:end, start:end])
        a[start:end, end:] = _forward(l, a[start:end, end:])
        a[end:, end:] -= a[end:, start:end] @ a[start:end, end:]
    return _unpack(a, rows)


@exact_integers
def lu_multiply_adds(m, n, block=64):
    """Count the multiply-adds of `blocked_lu`, and how many of them are in products of matrices.

    Parameters
    ----------
    m, n : int
        The numbers of rows and columns.
    block : int
        The block size. With 1, the products are those of a column and a row in `lu`, which gain nothing.

    Returns
    -------
    in_products, elsewhere : int
        Multiply-adds in products of matrices, and all others. Their sum is the same for every block size.

    Raises
    ------
    ValueError
        If a number is not positive.

    Notes
    -----
    .. math:: \\text{in products} + \\text{elsewhere} = \\sum_{k=1}^{\\min(m,n)} (m-k)(n-k)
              \\approx \\frac{n^3}{3} \\quad\\text{for } m = n
    """
    require_integers(1, m=m, n=n, block=block)
    starts = range(0, min(m, n), block)
    ends = [min(start + block, m, n) for start in starts]
    in_products = sum((m - end) * (end - start) * (n - end) for start, end in zip(starts, ends, strict=True))
    return in_products, sum((m - k) * (n - k) for k in range(1, min(m, n) + 1)) - in_products


@_ignoring_overflow
def doolittle(a):
    """Compute both factors row by column from their product, without exchanging rows.

    Many textbooks stop here. It fails where a pivot is zero, and loses digits where one is small: use `lu`.

    Parameters
    ----------
    a : array (m, n)
        A finite matrix; with k = min(m, n).

    Returns
    -------
    l : array (m, k)
        Lower triangular with ones on the diagonal.
    u : array (k, n)
        Upper triangular.

    Raises
    ------
    ValueError
        If ``a`` is no finite matrix, if a pivot is zero, or so small that a quotient overflows, with anything but
        zeros below it, or if entries grow beyond the largest float.

    Notes
    -----
    .. math:: u_{kj} = a_{kj} - \\sum_{i<k} l_{ki} u_{ij} \\quad (j \\ge k), \\qquad
              l_{jk} = \\frac{1}{u_{kk}}\\Bigl(a_{jk} - \\sum_{i<k} l_{ji} u_{ik}\\Bigr) \\quad (j > k)

    References
    ----------
    Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd edition, section 9.2.
    """
    require_matrix(a=a)
    a = working_copy(a)
    l = np.eye(len(a), min(a.shape), dtype=a.dtype)
    u = np.zeros((min(a.shape), a.shape[1]), a.dtype)
    for k in range(min(a.shape)):
        u[k, k:] = a[k, k:] - l[k, :k] @ u[:k, k:]
        below = a[k + 1 :, k] - l[k + 1 :, :k] @ u[:k, k]
        if below.any():
            l[k + 1 :, k] = below / u[k, k] if u[k, k] != 0 else math.inf
        _require_room(u[k], below)
        if not np.isfinite(l[:, k]).all():
            rule = "without exchanging rows no pivot may be 0 or close to it"
            raise ValueError(f"{rule}, got {u[k, k]} in row {k}")
    return l, u


def lu_solve(a, b):
    """Solve a system of linear equations by two triangular ones.

    Parameters
    ----------
    a : array (n, n), or tuple of array
        The matrix, or what `lu` returned for it: then one elimination serves many right-hand sides.
    b : array (n,) or (n, k)
        One right-hand side, or one in each column.

    Returns
    -------
    array (n,) or (n, k)
        The solution x: but for rounding errors it solves the system exactly that has rounding errors in ``a``. How far
        that is from the solution of the given one depends on the condition number.

    Raises
    ------
    ValueError
        If ``a`` is not square, or singular (a pivot is exactly 0), if ``b`` has another number of rows, no column or
        more than two axes, if anything is not finite, or if the solution, or a sum on the way to it, is beyond the
        largest float.

    Notes
    -----
    .. math:: \\mathbf{Ax} = \\mathbf b \\iff
              \\mathbf{Ly} = \\mathbf P^{\\mathsf T}\\mathbf b, \\quad \\mathbf{Ux} = \\mathbf y

    References
    ----------
    Golub and Van Loan, *Matrix Computations*, 4th edition, section 3.4.
    """
    if not isinstance(a, tuple):
        require_square(a=a)
        a = lu(a)
    p, l, u = a
    _require_regular("a", u)
    y = forward_substitution(l, _right_hand_side(b, p)[p.argmax(axis=0)])
    return backward_substitution(u, y)


@_ignoring_overflow
def forward_substitution(l, b):
    """Solve a lower triangular system, from the first unknown to the last.

    Parameters
    ----------
    l : array (n, n)
        Lower triangular; what is above its diagonal must be finite, and changes nothing.
    b : array (n,) or (n, k)
        One right-hand side, or one in each column.

    Returns
    -------
    array (n,) or (n, k)
        The solution.

    Raises
    ------
    ValueError
        If ``l`` is not square, not finite or has a zero on its diagonal, or for a ``b`` or solution that `lu_solve`
        refuses.

    Notes
    -----
    .. math:: x_i = \\frac{1}{l_{ii}}\\Bigl(b_i - \\sum_{j<i} l_{ij} x_j\\Bigr)
    """
    _require_regular("l", l)
    return _require_finite_solution(_forward(np.asarray(l), _right_hand_side(b, l)))


@_ignoring_overflow
def backward_substitution(u, b):
    """Solve an upper triangular system, from the last unknown to the first.

    Parameters
    ----------
    u : array (n, n)
        Upper triangular; what is below its diagonal must be finite, and changes nothing.
    b : array (n,) or (n, k)
        One right-hand side, or one in each column.

    Returns
    -------
    array (n,) or (n, k)
        The solution.

    Raises
    ------
    ValueError
        If ``u`` is not square, not finite or has a zero on its diagonal, or for a ``b`` or solution that `lu_solve`
        refuses.

    Notes
    -----
    .. math:: x_i = \\frac{1}{u_{ii}}\\Bigl(b_i - \\sum_{j>i} u_{ij} x_j\\Bigr)
    """
    _require_regular("u", u)
    # Read from the last row and column to the first, it is a lower triangular system.
    x = _forward(np.asarray(u)[::-1, ::-1], _right_hand_side(b, u)[::-1])
    return _require_finite_solution(x[::-1])


def det(a):
    """Measure by what factor a matrix scales volumes, with the sign of a mirror.

    Parameters
    ----------
    a : array (n, n)
        A finite matrix.

    Returns
    -------
    float
        The determinant; 0 or infinite only where no float is nearer, also if products on the way are.

    Raises
    ------
    ValueError
        If ``a`` is not square and finite, or if its entries grow beyond the largest float in `lu`.

    Notes
    -----
    .. math:: \\det\\mathbf A = \\det\\mathbf P \\prod_i u_{ii}

    A product of small pivots is no sign of a nearly singular matrix: the determinant of I/10 is 10⁻ⁿ.

    References
    ----------
    Golub and Van Loan, *Matrix Computations*, 4th edition, section 3.2.
    """
    require_square(a=a)
    p, _, u = lu(a)
    mantissa, exponent = _permutation_sign(p), 0
    for pivot in np.diag(u):
        # The powers of two are added apart, so that no product on the way overflows or vanishes.
        fraction, power = math.frexp(pivot)
        mantissa, carry = math.frexp(mantissa * fraction)
        exponent += power + carry
    try:
        return math.ldexp(mantissa, exponent) + 0.0  # never -0
    except OverflowError:
        return math.copysign(math.inf, mantissa)


def slogdet(a):
    """Take the logarithm of a determinant that may itself be beyond every float.

    Parameters
    ----------
    a : array (n, n)
        A finite matrix.

    Returns
    -------
    sign : float
        1, -1, or 0 for a singular matrix.
    logarithm : float
        The natural logarithm of the absolute value of the determinant; ``-inf`` for a singular matrix.

    Raises
    ------
    ValueError
        If ``a`` is not square and finite, or if its entries grow beyond the largest float in `lu`.

    Notes
    -----
    .. math:: \\log|\\det\\mathbf A| = \\sum_i \\log|u_{ii}|
    """
    require_square(a=a)
    p, _, u = lu(a)
    pivots = np.diag(u).tolist()
    if 0 in pivots:
        return 0.0, -math.inf
    sign = _permutation_sign(p) * math.prod(math.copysign(1, pivot) for pivot in pivots)
    return sign, math.fsum(math.log(abs(pivot)) for pivot in pivots)


def inverse(a):
    """Solve for every column of the identity. To solve a system, do not: use `lu_solve`.

    An inverse takes four times the work of `lu` (three, if products with the zeros of the identity were left out), and
    the residual of its product with a right-hand side grows with the condition number, where that of `lu_solve` does
    not.

    Parameters
    ----------
    a : array (n, n)
        A finite regular matrix.

    Returns
    -------
    array (n, n)
        The matrix whose product with ``a``, on either side, is the identity.

    Raises
    ------
    ValueError
        If ``a`` is not square and finite, is singular (a pivot is exactly 0), or if its inverse is beyond the largest
        float.

    References
    ----------
    Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd edition, section 14.1.
    """
    require_square(a=a)
    return lu_solve(a, np.eye(len(a), dtype=working_copy(a).dtype))


def growth_by_step(a, factors=None):
    """Follow the largest entry of a matrix through its elimination.

    Parameters
    ----------
    a : array (m, n)
        A finite matrix; with k = min(m, n).
    factors : tuple of array, optional
        Its p, l and u; by default those of `lu`.

    Returns
    -------
    array (k + 1,)
        The largest absolute value met in the first 0, 1, … k steps, divided by that in ``a``. Rounding errors grow as
        much. Ones for a matrix of zeros.

    Raises
    ------
    ValueError
        If ``a`` is no finite matrix, or if its entries grow beyond the largest float.
    """
    require_matrix(a=a)
    a = working_copy(a)
    p, l, u = lu(a) if factors is None else factors
    size = np.abs(a).max() or 1.0
    rest, u = p.T @ (a / size), u / size
    largest = [1.0]
    for k in range(len(u)):
        rest = rest[1:, 1:] - l[k + 1 :, k, None] * u[k, k + 1 :]
        largest.append(max(largest[-1], np.abs(rest).max(initial=0.0)))
    return np.array(largest)


def growth_factor(a, factors=None):
    """Compare the largest entry met during elimination with the largest of the matrix.

    Parameters
    ----------
    a : array (m, n)
        A finite matrix.
    factors : tuple of array, optional
        Its p, l and u; by default those of `lu`.

    Returns
    -------
    float
        At least 1; with partial pivoting of a square matrix at most 2ⁿ⁻¹, which `largest_growth_matrix` reaches.

    Raises
    ------
    ValueError
        If ``a`` is no finite matrix, or if its entries grow beyond the largest float.

    Notes
    -----
    With :math:`a_{ij}^{(k)}` for what is left of the matrix after k steps:

    .. math:: \\frac{\\max_{ijk} |a_{ij}^{(k)}|}{\\max_{ij} |a_{ij}|}

    References
    ----------
    Wilkinson, *Error analysis of direct methods of matrix inversion*, 1961.
    """
    return float(growth_by_step(a, factors)[-1])


def largest_growth_matrix(n):
    """Build the matrix on which partial pivoting does worst: its last column doubles in every step.

    Parameters
    ----------
    n : int
        The number of rows and columns.

    Returns
    -------
    array (n, n)
        Ones on the diagonal and in the last column, -1 below the diagonal, zeros elsewhere.

    Raises
    ------
    ValueError
        If n is not positive.

    References
    ----------
    Wilkinson, *Error analysis of direct methods of matrix inversion*, 1961.
    """
    require_integers(1, n=n)
    a = np.eye(n) - np.tril(np.ones((n, n)), -1)
    a[:, -1] = 1
    return a


def _forward(l, b):
    x = np.zeros_like(b)
    for i in range(len(b)):
        x[i] = (b[i] - l[i, :i] @ x[:i]) / l[i, i]
    return x


def _permutation_sign(p):
    """Exchange columns until the permutation is the identity; every exchange turns the sign."""
    order, sign = p.argmax(axis=0), 1.0
    for i in range(len(order)):
        while order[i] != i:
            target = order[i]
            order[[i, target]] = order[[target, i]]
            sign = -sign
    return sign


def _right_hand_side(b, a):
    """Return b as floats of the precision that it has together with the matrix."""
    b = np.asarray(b)
    if b.ndim not in (1, 2) or len(b) != len(a) or 0 in b.shape:
        raise ValueError(f"b must have {len(a)} rows, as many as the matrix, in one or two axes, got shape {b.shape}")
    require_finite(b=b)
    return b.astype(np.result_type(working_copy(a[:1]), working_copy(b[:1])))


def _require_regular(name, triangular):
    require_square(**{name: triangular})
    zeros = np.flatnonzero(np.diag(triangular) == 0)
    if zeros.size:
        raise ValueError(f"{name} must not be singular, got pivot 0 in row {zeros[0]}")


def _require_room(*entries):
    for x in entries:
        if not np.isfinite(x).all():
            largest = np.finfo(x.dtype).max
            raise ValueError(f"a must leave room for its entries to grow, got growth beyond {largest:.2g}")


def _require_finite_solution(x):
    if not np.isfinite(x).all():
        raise ValueError(f"the solution must not be beyond the largest float, {np.finfo(x.dtype).max:.2g}")
    return x
