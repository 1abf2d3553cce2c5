"""The matrix product: four readings of it, in blocks, and with fewer multiplications."""

from array_api_compat import array_namespace, device

from mlnotes.arrays import (
    exact_integers,
    require_entries,
    require_floats,
    require_integers,
    require_same_size,
    widen_half,
)
from mlnotes.blocks.dot_product import dot


@widen_half
def matmul_dot(a, b):
    """Multiply matrices by taking the dot product of every row with every column.

    Parameters
    ----------
    a : array (..., m, k)
        The left matrix.
    b : array (..., k, n)
        The right matrix.

    Returns
    -------
    array (..., m, n)
        The product. NumPy holds nothing beside it; PyTorch copies both operands, each to m · k · n numbers.

    Raises
    ------
    ValueError
        If an array holds no floats, has fewer than two axes or is empty, or if ``a`` has not as many columns as ``b``
        has rows.

    Notes
    -----
    .. math:: c_{ij} = \\sum_{t=1}^{k} a_{it}\\,b_{tj}
    """
    _require_fit(a, b)
    return dot(a[..., :, None, :], b.mT[..., None, :, :])


@widen_half
def matmul_columns(a, b):
    """Multiply matrices column by column: each is a combination of the columns of the left matrix.

    Parameters
    ----------
    a, b
        As in `matmul_dot`.

    Returns
    -------
    array (..., m, n)
        The product.

    Raises
    ------
    ValueError
        As in `matmul_dot`.

    Notes
    -----
    .. math:: \\mathbf c_j = \\sum_{t=1}^{k} b_{tj}\\,\\mathbf a_t
    """
    _require_fit(a, b)
    columns = [linear_combination(a, b[..., j]) for j in range(b.shape[-1])]
    return array_namespace(a, b).stack(columns, axis=-1)


@widen_half
def linear_combination(vectors, amounts):
    """Add up vectors, each times a number.

    Parameters
    ----------
    vectors : array (..., m, k)
        k vectors of floating-point numbers, in columns.
    amounts : array (..., k)
        How much of each.

    Returns
    -------
    array (..., m)
        The sum.

    Raises
    ------
    ValueError
        If there is no vector, not one amount for each, or an array holds no floats.

    Notes
    -----
    .. math:: \\sum_{t=1}^{k} b_t\\,\\mathbf a_t
    """
    require_floats(vectors=vectors, amounts=amounts)
    require_entries(-1, vectors=vectors)
    require_same_size(-1, vectors=vectors, amounts=amounts)
    return sum(vectors[..., t] * amounts[..., t, None] for t in range(vectors.shape[-1]))


@widen_half
def matmul_rows(a, b):
    """Multiply matrices row by row: each is a combination of the rows of the right matrix.

    Parameters
    ----------
    a, b
        As in `matmul_dot`.

    Returns
    -------
    array (..., m, n)
        The product.

    Raises
    ------
    ValueError
        As in `matmul_dot`.

    Notes
    -----
    .. math:: \\mathbf c_i^{\\mathsf T} = \\sum_{t=1}^{k} a_{it}\\,\\mathbf b_t^{\\mathsf T}
    """
    _require_fit(a, b)
    rows = [linear_combination(b.mT, a[..., i, :]) for i in range(a.shape[-2])]
    return array_namespace(a, b).stack(rows, axis=-2)


@widen_half
def matmul_outer(a, b):
    """Multiply matrices by adding up the outer products of columns of the left with rows of the right.

    Parameters
    ----------
    a, b
        As in `matmul_dot`.

    Returns
    -------
    array (..., m, n)
        The product.

    Raises
    ------
    ValueError
        As in `matmul_dot`.

    Notes
    -----
    .. math:: \\mathbf C = \\sum_{t=1}^{k} \\mathbf a_t\\,\\mathbf b_t^{\\mathsf T}

    with the columns of A and the rows of B.
    """
    _require_fit(a, b)
    return sum(outer(a[..., t], b[..., t, :]) for t in range(a.shape[-1]))


@widen_half
def outer(a, b):
    """Multiply every number of one vector by every number of another.

    Parameters
    ----------
    a : array (..., m)
        Gives the rows.
    b : array (..., n)
        Gives the columns.

    Returns
    -------
    array (..., m, n)
        A matrix of rank one, or zeros.

    Raises
    ------
    ValueError
        If an array holds no floats or has no axis.

    Notes
    -----
    .. math:: \\mathbf C = \\mathbf a\\,\\mathbf b^{\\mathsf T}, \\qquad c_{ij} = a_i\\,b_j
    """
    require_floats(a=a, b=b)
    if a.ndim < 1 or b.ndim < 1:
        raise ValueError(f"a and b must be vectors, got shapes {tuple(a.shape)} and {tuple(b.shape)}")
    return a[..., :, None] * b[..., None, :]


@exact_integers
@widen_half
def matmul_block(a, b, size=64):
    """Multiply matrices as if their entries were blocks.

    Parameters
    ----------
    a, b
        As in `matmul_dot`.
    size : int
        Rows and columns of a block; those at the lower and right edge may be smaller.

    Returns
    -------
    array (..., m, n)
        The product.

    Raises
    ------
    ValueError
        If ``size`` is not positive, or as in `matmul_dot`.

    Notes
    -----
    .. math:: \\mathbf C_{IJ} = \\sum_{T} \\mathbf A_{IT}\\,\\mathbf B_{TJ}

    The same products of numbers as without blocks, in another order: three blocks at a time are all that is touched.
    """
    _require_fit(a, b)
    require_integers(1, size=size)
    m, k, n = a.shape[-2], a.shape[-1], b.shape[-1]

    def block(i, j):
        inner = range(0, k, size)
        return sum(a[..., i : i + size, t : t + size] @ b[..., t : t + size, j : j + size] for t in inner)

    return _assemble([[block(i, j) for j in range(0, n, size)] for i in range(0, m, size)])


@widen_half
def strassen(a, b, cutoff=64):
    """Multiply matrices with seven products of quarters instead of eight.

    Parameters
    ----------
    a, b
        As in `matmul_dot`.
    cutoff : int
        Matrices with a side of at most this are multiplied as usual.

    Returns
    -------
    array (..., m, n)
        The product. Its error is small beside the largest entries of ``a`` and ``b``, not beside each entry: what is
        small because it comes from small numbers may be lost.

    Raises
    ------
    ValueError
        If ``cutoff`` is not positive, or as in `matmul_dot`.

    Notes
    -----
    With a ``cutoff`` of 1, and n rows and columns where n is a power of two, :math:`7^{\\log_2 n} \\approx n^{2.807}`
    multiplications. Odd sides are filled up with zeros.

    References
    ----------
    Strassen, *Gaussian Elimination is not Optimal*, 1969. Higham, *Accuracy and Stability of Numerical Algorithms*,
    2nd edition, 2002, section 23.2.2, on its errors.
    """
    _require_fit(a, b)
    require_integers(1, cutoff=cutoff)
    m, n = a.shape[-2], b.shape[-1]
    if min(m, a.shape[-1], n) <= cutoff:
        return a @ b
    a11, a12, a21, a22 = _quarters(a)
    b11, b12, b21, b22 = _quarters(b)
    p1 = strassen(a11 + a22, b11 + b22, cutoff)
    p2 = strassen(a21 + a22, b11, cutoff)
    p3 = strassen(a11, b12 - b22, cutoff)
    p4 = strassen(a22, b21 - b11, cutoff)
    p5 = strassen(a11 + a12, b22, cutoff)
    p6 = strassen(a21 - a11, b11 + b12, cutoff)
    p7 = strassen(a12 - a22, b21 + b22, cutoff)
    c = _assemble([[p1 + p4 - p5 + p7, p3 + p5], [p2 + p4, p1 - p2 + p3 + p6]])
    return c[..., :m, :n]


def _assemble(blocks):
    """Put blocks side by side, and rows of them below each other."""
    xp = array_namespace(blocks[0][0])
    return xp.concat([xp.concat(row, axis=-1) for row in blocks], axis=-2)


def _quarters(x):
    """Cut a matrix in the middle; odd sides are first filled up with zeros."""
    xp = array_namespace(x)
    for axis in (-2, -1):
        if x.shape[axis] % 2:
            shape = list(x.shape)
            shape[axis] = 1
            x = xp.concat([x, xp.zeros(tuple(shape), dtype=x.dtype, device=device(x))], axis=axis)
    m, n = x.shape[-2] // 2, x.shape[-1] // 2
    return x[..., :m, :n], x[..., :m, n:], x[..., m:, :n], x[..., m:, n:]


def _require_fit(a, b):
    require_floats(a=a, b=b)
    for name, x in {"a": a, "b": b}.items():
        if x.ndim < 2:
            raise ValueError(f"{name} must be a matrix, got shape {tuple(x.shape)}")
    if a.shape[-1] != b.shape[-2]:
        raise ValueError(
            f"a must have as many columns as b has rows, got {a.shape[-1]} and {b.shape[-2]}: "
            f"shapes {tuple(a.shape)} and {tuple(b.shape)}"
        )
    if 0 in (*a.shape[-2:], b.shape[-1]):
        raise ValueError(f"a and b must not be empty, got shapes {tuple(a.shape)} and {tuple(b.shape)}")
