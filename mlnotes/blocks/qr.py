"""QR decomposition: an orthonormal basis of the columns, found in four ways that differ in what rounding does.

Matrices are NumPy arrays of any real numbers: of float16 the factors are float32, of integers float64.
"""

import math

import numpy as np

from mlnotes.arrays import (
    by_power_of_two,
    exact_integers,
    require_integers,
    require_matrix,
    require_same_library,
    require_vector,
    times_power_of_two,
    working_copy,
)
from mlnotes.blocks.norm import vector_norm


def gram_schmidt(a):
    """Take from each column its projections onto the directions before it, all at once.

    Parameters
    ----------
    a : array (m, n)
        A finite matrix; with k = min(m, n).

    Returns
    -------
    q : array (m, k)
        Orthonormal columns, but only if those of ``a`` are well separated: see Notes. A column of which nothing is
        left, like a column of zeros, has no direction: its column of ``q`` is zero.
    r : array (k, n)
        Upper triangular, no entry of its diagonal negative.

    Raises
    ------
    ValueError
        If ``a`` is no finite matrix, has a column longer than the largest float, or is wider than high and its first m
        columns do not span the others.

    Notes
    -----
    .. math:: \\mathbf v_j = \\mathbf a_j - \\sum_{i<j} \\mathbf q_i\\,(\\mathbf q_i\\cdot\\mathbf a_j), \\qquad
              \\mathbf q_j = \\frac{\\mathbf v_j}{\\lVert\\mathbf v_j\\rVert}

    The product ``q @ r`` is always near ``a``, but rounding takes the columns of ``q`` away from orthogonality: often
    in proportion to the square of the condition number, sometimes far more. Dependent columns leave only rounding
    errors, and these get normalized like anything else.

    References
    ----------
    Giraud, Langou, Rozložník and van den Eshof, *Rounding error analysis of the classical Gram–Schmidt
    orthogonalization process*, 2005. Smoktunowicz, Barlow and Langou, *A note on the error analysis of classical
    Gram–Schmidt*, 2006.
    """
    require_matrix(a=a)
    a, exponents = by_power_of_two(working_copy(a), axis=0)
    k = min(a.shape)
    q, r = np.zeros_like(a[:, :k]), np.zeros_like(a[:k])
    for j in range(k):
        r[:j, j] = q[:, :j].T @ a[:, j]
        v = a[:, j] - q[:, :j] @ r[:j, j]
        r[j, j] = vector_norm(v)
        q[:, j] = v / (r[j, j] or 1)
    r[:, k:] = _in_basis(q, a[:, k:])
    return q, times_power_of_two(r, exponents, "the length of a column of a")


def modified_gram_schmidt(a):
    """Take each direction, as soon as it is found, from all columns after it.

    Parameters
    ----------
    a : array (m, n)
        A finite matrix; with k = min(m, n).

    Returns
    -------
    q : array (m, k)
        Orthonormal columns, but only if those of ``a`` are well separated: see Notes. A column of which nothing is
        left, like a column of zeros, has no direction: its column of ``q`` is zero.
    r : array (k, n)
        Upper triangular, no entry of its diagonal negative.

    Raises
    ------
    ValueError
        If ``a`` is no finite matrix, has a column longer than the largest float, or is wider than high and its first m
        columns do not span the others.

    Notes
    -----
    .. math:: r_{ij} = \\mathbf q_i\\cdot\\Bigl(\\mathbf a_j - \\sum_{l<i} \\mathbf q_l\\,r_{lj}\\Bigr)

    Without rounding this is what `gram_schmidt` computes: what is taken away is orthogonal to the new direction. With
    rounding, orthogonality is lost in proportion to the condition number, not to its square: each projection also takes
    away what the ones before it left behind. Dependent columns leave only rounding errors here too.

    References
    ----------
    Björck, *Solving linear least squares problems by Gram–Schmidt orthogonalization*, 1967.
    """
    require_matrix(a=a)
    a, exponents = by_power_of_two(working_copy(a), axis=0)
    k = min(a.shape)
    q, r = np.zeros_like(a[:, :k]), np.zeros_like(a[:k])
    v = a.copy()
    for i in range(k):
        r[i, i] = vector_norm(v[:, i])
        q[:, i] = v[:, i] / (r[i, i] or 1)
        r[i, i + 1 :] = q[:, i] @ v[:, i + 1 :]
        v[:, i + 1 :] -= q[:, i, None] * r[i, i + 1 :]
    r[:, k:] = _in_basis(q, a[:, k:])
    return q, times_power_of_two(r, exponents, "the length of a column of a")


def givens_qr(a):
    """Turn one entry below the diagonal into zero at a time, each by a rotation of two rows.

    Parameters
    ----------
    a : array (m, n)
        A finite matrix; with k = min(m, n).

    Returns
    -------
    q : array (m, k)
        Orthonormal columns, whatever the columns of ``a`` are: also where they are zero or dependent.
    r : array (k, n)
        Upper triangular; the first zero, or rounding error, on its diagonal shows a column that depends on those before
        it.

    Raises
    ------
    ValueError
        If ``a`` is no finite matrix, or has a column longer than the largest float.

    Notes
    -----
    .. math:: \\begin{pmatrix}c & s\\\\ -s & c\\end{pmatrix}\\begin{pmatrix}x\\\\ y\\end{pmatrix}
              = \\begin{pmatrix}\\sqrt{x^2 + y^2}\\\\ 0\\end{pmatrix}

    References
    ----------
    Golub and Van Loan, *Matrix Computations*, 4th edition, sections 5.1.8 and 5.2.5.
    """
    require_matrix(a=a)
    r, exponents = by_power_of_two(working_copy(a), axis=0)
    k = min(r.shape)
    turns = []
    for j in range(k):
        for i in j + 1 + np.flatnonzero(r[j + 1 :, j]):
            turn = givens_rotation(r[j, j], r[i, j])
            r[[j, i], j:] = turn @ r[[j, i], j:]
            r[i, j] = 0
            turns.append((i, j, turn))
    q = np.eye(len(r), k, dtype=r.dtype)
    for i, j, turn in reversed(turns):
        q[[j, i], j:] = turn.T @ q[[j, i], j:]
    return q, times_power_of_two(r[:k], exponents, "the length of a column of a")


def givens_rotation(x, y):
    """Find the rotation that turns a vector of the plane onto the first axis.

    Parameters
    ----------
    x, y : float
        The vector, finite.

    Returns
    -------
    array (2, 2)
        The rotation [[c, s], [-s, c]]; its product with (x, y) is (length, 0). The identity where both are zero.

    Raises
    ------
    ValueError
        If a coordinate is not finite.

    Notes
    -----
    .. math:: c = \\frac{x}{\\sqrt{x^2 + y^2}}, \\qquad s = \\frac{y}{\\sqrt{x^2 + y^2}}

    Both are computed from the smaller coordinate divided by the larger, which does not overflow.
    """
    if not (math.isfinite(x) and math.isfinite(y)):
        raise ValueError(f"x and y must be finite, got {x} and {y}")
    larger = max(abs(x), abs(y))
    if larger == 0:
        return np.eye(2)
    x, y = x / larger, y / larger
    return np.array([[x, y], [-y, x]]) / math.sqrt(x * x + y * y)


def householder_qr(a):
    """Turn everything below the diagonal of a column into zeros by one reflection.

    Parameters
    ----------
    a : array (m, n)
        A finite matrix; with k = min(m, n).

    Returns
    -------
    q : array (m, k)
        Orthonormal columns, whatever the columns of ``a`` are: also where they are zero or dependent.
    r : array (k, n)
        Upper triangular; the first zero, or rounding error, on its diagonal shows a column that depends on those before
        it.

    Raises
    ------
    ValueError
        If ``a`` is no finite matrix, or has a column longer than the largest float.

    Notes
    -----
    .. math:: \\mathbf H_k \\cdots \\mathbf H_2 \\mathbf H_1 \\mathbf A
              = \\begin{pmatrix}\\mathbf R\\\\ \\mathbf 0\\end{pmatrix}, \\qquad
              \\mathbf q_j = \\mathbf H_1 \\mathbf H_2 \\cdots \\mathbf H_k\\,\\mathbf e_j, \\qquad
              \\mathbf H_j = \\mathbf I - \\tau_j \\mathbf v_j\\mathbf v_j^{\\mathsf T}

    There are rows of zeros only where ``a`` has more rows than columns.

    References
    ----------
    Golub and Van Loan, *Matrix Computations*, 4th edition, sections 5.1 and 5.2.
    """
    require_matrix(a=a)
    r, exponents = by_power_of_two(working_copy(a), axis=0)
    k = min(r.shape)
    v, tau = _reflect(r, k)
    q = np.eye(len(r), k, dtype=r.dtype)
    for j in reversed(range(k)):
        q[j:, j:] -= tau[j] * v[j:, j, None] * (v[j:, j] @ q[j:, j:])
    return q, times_power_of_two(r[:k], exponents, "the length of a column of a")


def _reflect(r, k):
    """Make k columns of r triangular in place; what is reflected there goes for the columns after them as well."""
    v, tau = np.zeros_like(r[:, :k]), np.zeros_like(r[0, :k])
    for j in range(k):
        v[j:, j], tau[j] = householder_vector(r[j:, j])
        r[j:, j:] -= tau[j] * v[j:, j, None] * (v[j:, j] @ r[j:, j:])
        r[j + 1 :, j] = 0
    return v, tau


def householder_vector(x):
    """Find the mirror in which a vector falls onto the first axis.

    Parameters
    ----------
    x : array (m,)
        Finite real coordinates.

    Returns
    -------
    v : array (m,)
        A normal of the mirror, of first coordinate 1.
    tau : float
        2 divided by the squared length of ``v``: from 1 to 2; or 0 where x is zero, and needs no mirror.

    Raises
    ------
    ValueError
        If ``x`` is empty, or holds something else than finite real numbers.

    Notes
    -----
    .. math:: (\\mathbf I - \\tau\\mathbf v\\mathbf v^{\\mathsf T})\\,\\mathbf x = \\beta\\,\\mathbf e_1,

              \\beta = -\\mathrm{copysign}(\\lVert\\mathbf x\\rVert, x_1), \\qquad
              \\mathbf v = \\frac{\\mathbf x - \\beta\\,\\mathbf e_1}{x_1 - \\beta}, \\qquad
              \\tau = \\frac{\\beta - x_1}{\\beta}

    Of the two mirrors this is the one whose difference :math:`x_1 - \\beta` is a sum, without cancellation. A sign
    function in the place of copysign would leave the vector unreflected where :math:`x_1 = 0`.

    References
    ----------
    Golub and Van Loan, *Matrix Computations*, 4th edition, section 5.1.3.
    """
    require_vector(x=x)
    x = x / (np.abs(x).max() or 1)  # so that squares are in range
    beta = -math.copysign(math.sqrt(x @ x), x[0])
    if beta == 0:
        return np.eye(len(x), 1, dtype=x.dtype)[:, 0], 0.0
    v = x / (x[0] - beta)
    v[0] = 1
    return v, (beta - x[0]) / beta


def _require_reflections(v, tau):
    require_same_library(v=v, tau=tau)
    if v.ndim != 2 or tau.shape != v.shape[1:]:
        rule = "v must hold one normal in each column, and tau one entry for each of them"
        raise ValueError(f"{rule}, got shapes {tuple(v.shape)} and {tuple(tau.shape)}")


@exact_integers
def blocked_qr(a, block=32):
    """Do what `householder_qr` does, but most of it in products of matrices, which hardware does fastest.

    Parameters
    ----------
    a : array (m, n)
        A finite matrix; with k = min(m, n).
    block : int
        How many reflections are collected before the rest of the matrix is touched, in three products.

    Returns
    -------
    q : array (m, k)
        Orthonormal columns, whatever the columns of ``a`` are.
    r : array (k, n)
        Upper triangular.

    Raises
    ------
    ValueError
        If ``a`` is no finite matrix, has a column longer than the largest float, or ``block`` is not positive.

    Notes
    -----
    The reflections of a block, multiplied out, are the identity minus a thin product (the compact WY form):

    .. math:: \\mathbf H_1 \\mathbf H_2 \\cdots \\mathbf H_b = \\mathbf I - \\mathbf{VTV}^{\\mathsf T}, \\qquad
              \\mathbf V = [\\mathbf v_1 \\cdots \\mathbf v_b]

    with an upper triangular T, see `compact_wy`.

    References
    ----------
    Schreiber and Van Loan, *A storage-efficient WY representation for products of Householder transformations*, 1989.
    """
    require_integers(1, block=block)
    require_matrix(a=a)
    r, exponents = by_power_of_two(working_copy(a), axis=0)
    k = min(r.shape)
    blocks = []
    for start in range(0, k, block):
        end = min(start + block, k)
        v, tau = _reflect(r[start:, start:end], end - start)
        t = compact_wy(v, tau)
        r[start:, end:] -= v @ (t.T @ (v.T @ r[start:, end:]))
        blocks.append((start, v, t))
    q = np.eye(len(r), k, dtype=r.dtype)
    for start, v, t in reversed(blocks):
        q[start:, start:] -= v @ (t @ (v.T @ q[start:, start:]))
    return q, times_power_of_two(r[:k], exponents, "the length of a column of a")


def compact_wy(v, tau):
    """Find the small triangular matrix that joins reflections in one product.

    Parameters
    ----------
    v : array (m, b)
        The normals of b mirrors, in its columns.
    tau : array (b,)
        For each, 2 divided by its squared length, or 0 for no reflection.

    Returns
    -------
    array (b, b)
        The upper triangular T for which I - V T Vᵀ is the product of the reflections, the first one on the left.

    Raises
    ------
    ValueError
        If something is no array, ``v`` no matrix, or ``tau`` has not one entry for each of its columns.

    Notes
    -----
    Every further reflection adds a row and a column to T:

    .. math:: (\\mathbf I - \\mathbf{VTV}^{\\mathsf T})(\\mathbf I - \\tau\\mathbf v\\mathbf v^{\\mathsf T})
              = \\mathbf I - \\begin{pmatrix}\\mathbf V & \\mathbf v\\end{pmatrix} \\mathbf T'
              \\begin{pmatrix}\\mathbf V & \\mathbf v\\end{pmatrix}^{\\mathsf T},

              \\mathbf T' = \\begin{pmatrix}\\mathbf T & -\\tau\\,\\mathbf{TV}^{\\mathsf T}\\mathbf v\\\\
              & \\tau\\end{pmatrix}

    References
    ----------
    Schreiber and Van Loan, *A storage-efficient WY representation for products of Householder transformations*, 1989.
    """
    _require_reflections(v, tau)
    products = v.T @ v
    t = np.zeros_like(products)
    for j in range(len(t)):
        t[j, j] = tau[j]
        t[:j, j] = -tau[j] * (t[:j, :j] @ products[:j, j])
    return t


@exact_integers
def qr_multiply_adds(m, n, block=None):
    """Count the multiply-adds of `blocked_qr`, and how many of them are in products of matrices.

    Parameters
    ----------
    m, n : int
        The numbers of rows and columns.
    block : int, optional
        The block size; by default those of `householder_qr` are counted, which multiplies no matrices.

    Returns
    -------
    in_products, elsewhere : int
        Multiply-adds in products of matrices, and all others. Collecting reflections costs work: the sum grows with the
        block size.

    Raises
    ------
    ValueError
        If a number is not positive.

    Notes
    -----
    Without blocks and but for lower powers, 4n³/3 for m = n: half for R, half for Q.
    """
    require_integers(1, m=m, n=n, block=1 if block is None else block)
    k = min(m, n)
    if block is None:
        return 0, sum((m - j) * (1 + 2 * (n - j) + 2 * (k - j)) for j in range(k))
    in_products = elsewhere = 0
    for start in range(0, k, block):
        b, height = min(block, k - start), m - start
        elsewhere += sum((height - j) * (1 + 2 * (b - j)) + j * j for j in range(b))
        in_products += height * b * b
        for width in (n - start - b, k - start):  # of the rest of r, and of q
            in_products += (2 * height + b) * b * width
    return in_products, elsewhere


def _in_basis(q, a):
    """Write columns in a basis. What rounding leaves of them is projected again; then nothing may be left."""
    r, rest = np.zeros_like(q.T @ a), a
    for _ in range(2):
        more = q.T @ rest
        r, rest = r + more, rest - q @ more
    allowed = 50 * sum(q.shape) * np.finfo(q.dtype).eps
    if (vector_norm(rest, axis=0) > allowed * vector_norm(a, axis=0)).any():
        raise ValueError(
            f"the first {len(q)} columns of a wide matrix must span the others, got columns too near to dependent: "
            "householder_qr and givens_qr take any"
        )
    return r
