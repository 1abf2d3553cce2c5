"""The dot product: lengths, angles and projections from sums of products."""

import math

from array_api_compat import array_namespace

from mlnotes.arrays import power_of_two, require_entries, require_floats, require_same_size, widen_half
from mlnotes.blocks.norm import vector_norm


@widen_half
def dot(a, b):
    """Sum the products of matching coordinates.

    Parameters
    ----------
    a, b : array (..., d)
        Floating-point coordinates in an orthonormal basis. Leading axes broadcast.

    Returns
    -------
    array (...)
        One number for each pair of vectors; 0 where d = 0.

    Raises
    ------
    ValueError
        If the widths differ or an array holds no floats: sums of small integers would wrap round.

    Notes
    -----
    .. math:: \\mathbf a\\cdot\\mathbf b = \\sum_i a_i b_i = \\mathbf a^{\\mathsf T}\\mathbf b

    References
    ----------
    Strang, *Introduction to Linear Algebra*, 5th edition, section 1.2.
    """
    require_floats(a=a, b=b)
    require_same_size(-1, a=a, b=b)
    return (a[..., None, :] @ b[..., :, None])[..., 0, 0]


@widen_half
def cosine_similarity(a, b):
    """Compare the directions of two vectors, whatever their lengths.

    Parameters
    ----------
    a, b : array (..., d)
        Floating-point coordinates in an orthonormal basis. Leading axes broadcast.

    Returns
    -------
    array (...)
        Cosines of the angles between the vectors, from -1 to 1.

    Raises
    ------
    ValueError
        If the widths differ, an array holds no floats, or a vector is empty, zero or not finite: it has no direction.

    Notes
    -----
    .. math:: \\cos\\theta = \\frac{\\mathbf a\\cdot\\mathbf b}{\\lVert\\mathbf a\\rVert_2\\,\\lVert\\mathbf b\\rVert_2}
    """
    require_same_size(-1, a=a, b=b)
    cosine = dot(unit(a), unit(b))
    # Rounding can carry the cosine of parallel vectors past 1, and arccos would answer nan.
    return array_namespace(cosine).clip(cosine, -1.0, 1.0)


@widen_half
def angle(a, b):
    """Measure the angle between two vectors to a few rounding errors of 1, also where they are almost parallel.

    Parameters
    ----------
    a, b : array (..., d)
        Floating-point coordinates in an orthonormal basis. Leading axes broadcast.

    Returns
    -------
    array (...)
        Angles in radians, from 0 to pi.

    Raises
    ------
    ValueError
        If the widths differ, an array holds no floats, or a vector is empty, zero or not finite: it has no direction.

    Notes
    -----
    With unit vectors u and v,

    .. math:: \\theta = 2\\arctan\\frac{\\lVert\\mathbf u-\\mathbf v\\rVert_2}{\\lVert\\mathbf u+\\mathbf v\\rVert_2}

    where the arc cosine of the similarity would be off by the root of a rounding error of 1 near 0 and pi.

    References
    ----------
    Kahan, *How futile are mindless assessments of roundoff in floating-point computation?*, 2006, section 12.
    """
    require_same_size(-1, a=a, b=b)
    u, v = unit(a), unit(b)
    return 2 * array_namespace(u, v).atan2(vector_norm(u - v), vector_norm(u + v))


@widen_half
def project(b, onto):
    """Find the multiple of one vector that lies nearest to another.

    Parameters
    ----------
    b : array (..., d)
        Floating-point coordinates of what is projected, below the largest float divided by 2d: they are not scaled.
    onto : array (..., d)
        The vector whose line receives the projection. Leading axes broadcast.

    Returns
    -------
    array (..., d)
        A multiple of ``onto``; what is left, ``b`` minus this, is orthogonal to ``onto``.

    Raises
    ------
    ValueError
        If the widths differ, an array holds no floats, or ``onto`` is empty, zero or not finite: it spans no line.

    Notes
    -----
    .. math:: \\mathrm{proj}_{\\mathbf a}\\mathbf b
              = \\frac{\\mathbf a^{\\mathsf T}\\mathbf b}{\\mathbf a^{\\mathsf T}\\mathbf a}\\,\\mathbf a
    """
    require_floats(b=b, onto=onto)
    _require_direction(onto=onto)
    require_same_size(-1, b=b, onto=onto)
    a = _near_one(onto)
    return (dot(a, b) / dot(a, a))[..., None] * a


@widen_half
def projection_matrix(a):
    """Build the matrix that projects every vector onto the line through one.

    Parameters
    ----------
    a : array (..., d)
        Floating-point coordinates of a vector on the line.

    Returns
    -------
    array (..., d, d)
        Symmetric, idempotent, of rank 1.

    Raises
    ------
    ValueError
        If ``a`` holds no floats, or is empty, zero or not finite: it spans no line.

    Notes
    -----
    .. math:: \\mathbf P = \\frac{\\mathbf a\\mathbf a^{\\mathsf T}}{\\mathbf a^{\\mathsf T}\\mathbf a}
    """
    _require_direction(a=a)
    a = _near_one(a)
    return a[..., :, None] * a[..., None, :] / dot(a, a)[..., None, None]


def gram_matrix(basis):
    """Collect the dot products of all pairs of basis vectors.

    Parameters
    ----------
    basis : array (..., d, n)
        One basis vector in each column, in floating-point coordinates.

    Returns
    -------
    array (..., n, n)
        Symmetric; the identity exactly when the basis is orthonormal.

    Raises
    ------
    ValueError
        If ``basis`` has fewer than two axes or holds no floats.

    Notes
    -----
    .. math:: \\mathbf G = \\mathbf B^{\\mathsf T}\\mathbf B
    """
    require_floats(basis=basis)
    require_same_size(-2, basis=basis)
    return basis.mT @ basis


@widen_half
def dot_in_basis(a, b, gram):
    """Take the dot product of two vectors given by their coordinates in any basis.

    Parameters
    ----------
    a, b : array (..., n)
        Floating-point coordinates in the basis.
    gram : array (n, n)
        The basis's Gram matrix, from `gram_matrix`.

    Returns
    -------
    array (...)
        What `dot` gives for the same two vectors in an orthonormal basis.

    Raises
    ------
    ValueError
        If the widths of ``a`` and ``b`` differ, ``gram`` has another shape, or an array holds no floats.

    Notes
    -----
    .. math:: (\\mathbf B\\mathbf a)\\cdot(\\mathbf B\\mathbf b) = \\mathbf a^{\\mathsf T}\\mathbf G\\,\\mathbf b
    """
    require_floats(a=a, b=b, gram=gram)
    require_same_size(-1, a=a, b=b)
    if tuple(gram.shape) != 2 * (a.shape[-1],):
        raise ValueError(f"gram must have shape {2 * (a.shape[-1],)}, got {tuple(gram.shape)}")
    return dot(a @ gram, b)


def dot_error_bound(a, b):
    """Bound the rounding error of a dot product, in whatever order its terms are added.

    Parameters
    ----------
    a, b : array (..., d)
        Floating-point coordinates, of one precision. Leading axes broadcast.

    Returns
    -------
    array (...)
        At least the distance between the computed dot product and the exact one, unless a product or a sum leaves the
        range of floats: what is lost where one vanishes is not counted.

    Raises
    ------
    ValueError
        If the widths differ, an array holds no floats, or du is not below 1: then rounding may be everything.

    Notes
    -----
    With the computed sum :math:`\\hat s` and the unit roundoff u, half the distance from 1 to the next larger float,

    .. math:: |\\hat s - \\mathbf a\\cdot\\mathbf b|
              \\le \\frac{d\\,u}{1 - d\\,u}\\;|\\mathbf a|\\cdot|\\mathbf b|

    References
    ----------
    Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd edition, section 3.1.
    """
    require_floats(a=a, b=b)
    require_same_size(-1, a=a, b=b)
    xp = array_namespace(a, b)
    growth = a.shape[-1] * float(xp.finfo(a.dtype).eps) / 2
    _require_bound(growth, a.shape[-1])
    return growth / (1 - growth) * dot(xp.abs(a), xp.abs(b))


@widen_half
def unit(a):
    """Scale a vector to length one.

    Parameters
    ----------
    a : array (..., d)
        Floating-point coordinates in an orthonormal basis.

    Returns
    -------
    array (..., d)
        The vector of length one that points the same way.

    Raises
    ------
    ValueError
        If ``a`` holds no floats, or a vector is empty, zero or not finite: it has no direction.
    """
    _require_direction(a=a)
    a = _near_one(a)
    return a / vector_norm(a)[..., None]


def _near_one(a):
    """Divide a vector by a power of two, which is exact, so that its squares neither overflow nor vanish."""
    xp = array_namespace(a)
    return a / power_of_two(xp.max(xp.abs(a), axis=-1, keepdims=True))


def _require_bound(growth, d):
    if not growth < 1:
        most = round(d / growth)
        raise ValueError(f"a and b must have fewer than {most} coordinates in this precision, got {d}")


def _require_direction(**vectors):
    require_floats(**vectors)
    require_entries(-1, **vectors)
    for name, a in vectors.items():
        largest = array_namespace(a).max(abs(a), axis=-1)
        wrong = ~((largest > 0) & (largest < math.inf))
        if wrong.any():
            got = f"a vector with largest coordinate {largest[wrong][0].item()}"
            raise ValueError(f"{name} must be finite and not zero to have a direction, got {got}")
