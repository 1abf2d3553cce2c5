"""Standardizing and whitening: data in which no feature is larger than another, or repeats it.

For NumPy arrays of any real numbers: float16 comes back in float32, integers in float64.
"""

import math

import numpy as np

from mlnotes.arrays import (
    by_power_of_two,
    require_integers,
    require_matrix,
    require_not_negative,
    require_representable,
    times_power_of_two,
    working_copy,
)
from mlnotes.blocks.lu import det
from mlnotes.blocks.qr import householder_qr
from mlnotes.blocks.svd import svd

KINDS = ("pca", "zca", "cholesky")


def standardize(x, eps=0.0, ddof=0):
    """Give every feature the mean 0 and the variance 1.

    Parameters
    ----------
    x : array (n, d)
        Finite real numbers: a sample in each row, a feature in each column.
    eps : float
        Added to each variance, in squared units of ``x``. With 0, every feature must vary.
    ddof : int
        What is taken from n when dividing a sum of squares: 0 for the variance of these samples, as in a batch norm;
        1 for an unbiased estimate of the variance where they come from.

    Returns
    -------
    array (n, d)
        The standardized samples, without unit.

    Raises
    ------
    ValueError
        If ``x`` is no matrix of finite numbers, ``eps`` is negative or has a root that the dtype cannot hold, ``ddof``
        is not from 0 to n - 1, or a feature is constant and ``eps`` is 0 or vanishes beside it.

    Notes
    -----
    .. math:: z_{ij} = \\frac{x_{ij} - \\hat\\mu_j}{\\sqrt{\\hat\\sigma_j^2 + \\varepsilon}}

    References
    ----------
    Ioffe and Szegedy, *Batch normalization*, 2015, algorithm 1.
    """
    _require_samples(x, eps, ddof)
    scaled, exponent = by_power_of_two(working_copy(x), axis=0)
    centered = _centered(scaled)
    length = np.sqrt((centered**2).sum(axis=0))
    std = _std(length, exponent, eps, len(centered) - ddof)
    if not std.all():
        i = np.argmin(std)
        raise ValueError(f"with eps = 0 no feature may be constant, got {x[0][i]} in every sample of feature {i}")
    return centered / std


def covariance(x, ddof=0):
    """Measure how much every two features vary together.

    Parameters
    ----------
    x : array (n, d)
        Finite real numbers: a sample in each row, a feature in each column.
    ddof : int
        What is taken from n when dividing: 0 for the covariance of these samples, 1 for an unbiased estimate of the
        covariance where they come from.

    Returns
    -------
    array (d, d)
        Covariances, in products of the features' units. Symmetric; variances on the diagonal.

    Raises
    ------
    ValueError
        If ``x`` is no matrix of finite numbers, ``ddof`` is not from 0 to n - 1, or a covariance is beyond the largest
        float.

    Notes
    -----
    .. math:: \\mathbf\\Sigma = \\frac{1}{n-\\delta}\\,
              (\\mathbf X - \\mathbf 1\\hat{\\boldsymbol\\mu}^{\\mathsf T})^{\\mathsf T}
              (\\mathbf X - \\mathbf 1\\hat{\\boldsymbol\\mu}^{\\mathsf T})

    with δ for ``ddof``.
    """
    _require_samples(x, 0.0, ddof)
    scaled, exponent = by_power_of_two(working_copy(x), axis=0)
    centered = _centered(scaled)
    sigma = centered.T @ centered / (len(centered) - ddof)
    return times_power_of_two((sigma + sigma.T) / 2, exponent[:, None] + exponent, "the covariance")


def whiten(x, kind="pca", eps=0.0, ddof=0):
    """Turn and stretch data until no feature varies more than another or together with it.

    Parameters
    ----------
    x : array (n, d)
        Finite real numbers: a sample in each row, a feature in each column.
    kind : {"pca", "zca", "cholesky"}
        Which of all whitenings: along the principal axes, largest variance first; as near to the data as can be;
        or one feature after the other, where each keeps what those before it do not tell.
    eps : float
        Added to the variance along each principal axis, in squared units of ``x``. With 0, the covariance must be
        regular. Above 0, directions without variance stay at 0, and the covariance is the identity only nearly.
    ddof : int
        What is taken from n when dividing: 0 for the covariance of these samples, 1 for an unbiased estimate.

    Returns
    -------
    array (n, d)
        The whitened samples, without unit, of mean 0: the centered data times `whitening_matrix`.

    Raises
    ------
    ValueError
        If ``x`` is no matrix of finite numbers, there is no such kind, ``eps`` is negative or has a root that the dtype
        cannot hold, ``ddof`` is not from 0 to n - 1, or the covariance is singular and ``eps`` is 0 or vanishes beside
        the numbers.

    Notes
    -----
    With centered X, ε = 0 for ``eps`` and δ for ``ddof``,

    .. math:: \\mathbf Z = \\mathbf{XW}, \\qquad
              \\tfrac{1}{n-\\delta} \\mathbf Z^{\\mathsf T}\\mathbf Z
              = \\mathbf W^{\\mathsf T}\\mathbf\\Sigma\\mathbf W = \\mathbf I

    With the singular value decomposition of X, the product needs no small number to be divided by, and the covariance
    of the result is the identity to the last digits however ill-conditioned that of ``x`` is:

    .. math:: \\mathbf X = \\mathbf{USV}^{\\mathsf T} \\quad\\Rightarrow\\quad
              \\mathbf Z = \\sqrt{n-\\delta}\\,\\mathbf{UR}^{\\mathsf T}

    References
    ----------
    Kessy, Lewin and Strimmer, *Optimal whitening and decorrelation*, 2018.
    """
    u, s, vt, std, _ = _principal_axes(x, kind, eps, ddof)
    return u * (s / std) @ _turn(kind, vt, std).T


def whitening_matrix(x, kind="pca", eps=0.0, ddof=0):
    """Find the matrix that whitens these samples, and any others that vary like them.

    Parameters
    ----------
    x : array (n, d)
        Finite real numbers: a sample in each row, a feature in each column.
    kind : {"pca", "zca", "cholesky"}
        Which of all whitenings, as in `whiten`.
    eps : float
        Added to the variance along each principal axis, in squared units of ``x``.
    ddof : int
        What is taken from n when dividing: 0 for the covariance of these samples, 1 for an unbiased estimate.

    Returns
    -------
    array (d, d)
        What centered samples are multiplied by from the right, in units of 1 / ``x``. Its determinant is positive.
        Symmetric for "zca", upper triangular (but for rounding errors) for "cholesky".

    Raises
    ------
    ValueError
        If `whiten` would raise it, or an entry is beyond the largest float.

    Notes
    -----
    With the eigenvectors V and eigenvalues Λ of the covariance, every whitening has an orthogonal R of its own:

    .. math:: \\mathbf W = \\mathbf V\\,(\\mathbf\\Lambda + \\varepsilon\\mathbf I)^{-1/2}\\,\\mathbf R^{\\mathsf T},

              \\text{PCA: } \\mathbf R = \\mathbf I, \\quad \\text{ZCA: } \\mathbf R = \\mathbf V, \\quad
              \\text{Cholesky: } \\mathbf R
              = \\mathbf L^{-1}\\mathbf V(\\mathbf\\Lambda + \\varepsilon\\mathbf I)^{1/2}

    where L is the Cholesky factor of the covariance plus ε times the identity.

    References
    ----------
    Kessy, Lewin and Strimmer, *Optimal whitening and decorrelation*, 2018.
    """
    _, _, vt, std, exponent = _principal_axes(x, kind, eps, ddof)
    with np.errstate(over="ignore"):
        w = (vt.T / std) @ _turn(kind, vt, std).T
    return times_power_of_two(w, -exponent, "the whitening matrix")


def whitening_rotation(x, kind, other="pca", eps=0.0, ddof=0):
    """Find the rotation by which two whitenings of the same data differ.

    Parameters
    ----------
    x : array (n, d)
        Finite real numbers: a sample in each row, a feature in each column.
    kind, other : {"pca", "zca", "cholesky"}
        The two whitenings.
    eps : float
        Added to the variance along each principal axis, in squared units of ``x``.
    ddof : int
        What is taken from n when dividing: 0 for the covariance of these samples, 1 for an unbiased estimate.

    Returns
    -------
    array (d, d)
        An orthogonal matrix with determinant 1. ``whiten(x, kind)`` times this is ``whiten(x, other)``.

    Raises
    ------
    ValueError
        If `whiten` would raise it.

    Notes
    -----
    With the matrices W and R of the two, as in `whitening_matrix`,

    .. math:: \\mathbf Q = \\mathbf R_1\\mathbf R_2^{\\mathsf T}, \\qquad \\mathbf W_1\\mathbf Q = \\mathbf W_2
    """
    _require_kind(other)
    _, _, vt, std, _ = _principal_axes(x, kind, eps, ddof)
    return _turn(kind, vt, std) @ _turn(other, vt, std).T


def _principal_axes(x, kind, eps, ddof):
    """Decompose the centered data, divided by a power of two, and give its standard deviation along each axis."""
    _require_kind(kind)
    _require_samples(x, eps, ddof)
    scaled, exponent = by_power_of_two(working_copy(x))
    n, d = scaled.shape
    # Beside a column of ones, the others get the mean 0 to the last digit.
    q, r = householder_qr(np.hstack([np.ones((n, 1), scaled.dtype), _centered(scaled)]))
    missing = max(0, d + 1 - n)  # zeros, where there are too few samples
    q = np.pad(q[:, 1:], [(0, 0), (0, missing)])
    r = np.pad(r[1:, 1:], [(0, missing), (0, 0)])
    varying = np.linalg.matrix_rank(by_power_of_two(r, axis=0)[0])  # whatever the units
    if eps == 0 and varying < d:
        raise ValueError(f"with eps = 0 the covariance must be regular, got rank {varying} for {d} features")
    u, s, vt = svd(r)
    u = q @ u
    # If vt is a mirror, one axis is turned round: all kinds of whitening are rotations of each other.
    if det(vt) < 0:
        u[:, -1], vt[-1] = -u[:, -1], -vt[-1]
    return u, s, vt, _std(s, exponent, eps, n - ddof), exponent


def _turn(kind, vt, std):
    """Find R, which tells this kind of whitening from the one along the principal axes."""
    if kind == "pca":
        return np.eye(len(vt), dtype=vt.dtype)
    if kind == "zca":
        return vt.T
    # rᵀ r is the covariance (up to a power of two), so rᵀ is its Cholesky factor.
    q, r = householder_qr(by_power_of_two(std)[0][:, None] * vt)
    return (q * np.copysign(1, np.diag(r))).T


def _std(length, exponent, eps, count):
    """Return the root of variance plus eps, where both were divided by a power of two."""
    with np.errstate(over="ignore"):
        smoothing = np.ldexp(np.full_like(length, math.sqrt(eps)), -exponent)
    std = np.hypot(length / math.sqrt(count), np.minimum(smoothing, np.finfo(length.dtype).max))
    if eps > 0 and not std.all():
        size = f"numbers of about 2**{np.max(exponent)}"
        raise ValueError(f"eps must not vanish in {std.dtype} beside samples that do not vary, got {eps} and {size}")
    return std


def _centered(x):
    """Subtract the means. Taking the first sample away first leaves exact zeros of a constant feature."""
    x = x - x[0]
    return x - x.mean(axis=0)


def _require_kind(kind):
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}")


def _require_samples(x, eps, ddof):
    require_matrix(x=x)
    require_not_negative(eps=eps)
    require_representable(working_copy(x).dtype, **{"the root of eps": math.sqrt(eps)})
    require_integers(-math.inf, ddof=ddof)
    if not 0 <= ddof < len(x):
        raise ValueError(f"ddof must be from 0 to {len(x) - 1} for {len(x)} samples, got {ddof}")
