"""The singular value decomposition: every matrix turns, stretches along axes, and turns again.

For NumPy arrays of any real numbers: float16 comes back in float32, integers in float64.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlnotes.arrays import (
    by_power_of_two,
    or_one,
    require_integers,
    require_matrix,
    require_not_negative,
    times_power_of_two,
    working_copy,
)
from mlnotes.blocks.eigen import tournament

# A tolerance times the largest singular value may be beyond the largest float: nothing is above that, either.
_ignoring_overflow = np.errstate(over="ignore", invalid="ignore")


def svd(a):
    """Write a matrix as orthonormal columns times lengths times orthonormal rows.

    Parameters
    ----------
    a : array (m, n)
        Finite real numbers.

    Returns
    -------
    u : array (m, k)
        Left singular vectors in its columns, orthonormal, with k = min(m, n).
    s : array (k,)
        Singular values, descending and never negative.
    vt : array (k, n)
        Right singular vectors in its rows, orthonormal. A singular value of 0 has singular vectors like any other.

    Raises
    ------
    ValueError
        If ``a`` is not a matrix of finite real numbers, or its singular values are beyond the largest float.
    numpy.linalg.LinAlgError
        If the iteration has not converged after 100 sweeps.

    Notes
    -----
    .. math:: \\mathbf A = \\mathbf U\\,\\mathrm{diag}(\\mathbf s)\\,\\mathbf V^{\\mathsf T},
              \\qquad \\mathbf U^{\\mathsf T}\\mathbf U = \\mathbf V^{\\mathsf T}\\mathbf V = \\mathbf I

    References
    ----------
    Demmel and Veselić, *Jacobi's method is more accurate than QR*, 1992.
    """
    found = one_sided_jacobi(a)
    if not found.converged:
        raise np.linalg.LinAlgError(f"two columns still have the cosine {found.cosines[-1]:.1e} after 100 sweeps")
    return found.u, found.s, found.vt


@dataclass(frozen=True)
class JacobiSVD:
    """What `one_sided_jacobi` found.

    Parameters
    ----------
    u : array (m, k)
        Left singular vectors in its columns.
    s : array (k,)
        Singular values, descending.
    vt : array (k, n)
        Right singular vectors in its rows.
    cosines : array (sweeps,)
        The largest cosine between two columns (of a wide matrix, two rows) that was met in each sweep.
    converged : bool
        Whether the last sweep found them orthogonal, up to rounding. If not, ``u`` (of a wide matrix, ``vt``) is not
        orthonormal yet; the product of the three is ``a`` all the same.
    """

    u: np.ndarray
    s: np.ndarray
    vt: np.ndarray
    cosines: np.ndarray
    converged: bool


def one_sided_jacobi(a, sweeps=100):
    """Turn the columns of a matrix, two by two, until all of them are orthogonal.

    Parameters
    ----------
    a : array (m, n)
        Finite real numbers. A wide matrix is transposed first.
    sweeps : int
        How often every column may meet every other one.

    Returns
    -------
    JacobiSVD
        The decomposition, and the progress of the iteration.

    Raises
    ------
    ValueError
        If ``a`` is not a matrix of finite real numbers, its singular values are beyond the largest float, or ``sweeps``
        is no integer or negative.

    Notes
    -----
    Every rotation multiplies from the right, so what they have done together is a matrix with orthonormal columns:

    .. math:: \\mathbf A\\,\\mathbf V = \\mathbf U\\,\\mathrm{diag}(\\mathbf s)

    The columns are kept as directions ``u`` and lengths ``s``. Nothing is squared but directions, so columns of any
    length can meet, and small singular values of a matrix with well-conditioned directions keep all their digits,
    unless entries are, in float64, 2**1021 times smaller than the largest.

    References
    ----------
    Hestenes, *Inversion of matrices by biorthogonalization and related results*, 1958.
    """
    require_matrix(a=a)
    require_integers(0, sweeps=sweeps)
    a, exponent = by_power_of_two(working_copy(a))
    if a.shape[0] < a.shape[1]:
        vt, s, u, cosines, converged = _orthogonalize(a.T, sweeps)
        u, vt = u.T, vt.T
    else:
        u, s, vt, cosines, converged = _orthogonalize(a, sweeps)
    return JacobiSVD(u, times_power_of_two(s, exponent, "the singular values of a"), vt, cosines, converged)


def pinv(a, tolerance=None):
    """Undo a matrix as far as it can be undone.

    Parameters
    ----------
    a : array (m, n)
        Finite real numbers.
    tolerance : float, optional
        Singular values up to ``tolerance`` times the largest count as zero; by default max(m, n) times the spacing of
        floats at 1.

    Returns
    -------
    array (n, m)
        The Moore–Penrose inverse: of all x that bring ``a @ x`` nearest to b, the shortest is ``pinv(a) @ b``.

    Raises
    ------
    ValueError
        If ``tolerance`` is negative or not finite, the inverse is beyond the largest float, or for what `svd` refuses.

    Notes
    -----
    .. math:: \\mathbf A^+ = \\sum_{s_i > 0} \\frac{1}{s_i}\\,\\mathbf v_i\\mathbf u_i^{\\mathsf T}

    It is the only matrix that satisfies Penrose's four conditions:

    .. math:: \\mathbf A\\mathbf A^+\\mathbf A = \\mathbf A, \\quad \\mathbf A^+\\mathbf A\\mathbf A^+ = \\mathbf A^+,
              \\quad (\\mathbf A\\mathbf A^+)^{\\mathsf T} = \\mathbf A\\mathbf A^+,
              \\quad (\\mathbf A^+\\mathbf A)^{\\mathsf T} = \\mathbf A^+\\mathbf A

    References
    ----------
    Penrose, *A generalized inverse for matrices*, 1955.
    """
    u, s, vt = svd(a)
    r = count_above(s, tolerance, np.shape(a))
    scaled, exponent = by_power_of_two(s[:r])
    with np.errstate(over="ignore", invalid="ignore"):
        inverse = (vt[:r].T / scaled) @ u[:, :r].T
    return times_power_of_two(inverse, -exponent, "the inverse")


def low_rank(a, k):
    """Find the nearest matrix of rank k or less.

    Parameters
    ----------
    a : array (m, n)
        Finite real numbers.
    k : int
        The largest rank allowed, from 0 to min(m, n).

    Returns
    -------
    array (m, n)
        The sum of the first k terms. None of rank k or less is nearer, neither in the spectral norm nor in Frobenius's.

    Raises
    ------
    ValueError
        If ``k`` is not from 0 to min(m, n), or for what `svd` refuses.

    Notes
    -----
    .. math:: \\mathbf A_k = \\sum_{i=1}^{k} s_i\\,\\mathbf u_i\\mathbf v_i^{\\mathsf T}, \\qquad
              \\lVert\\mathbf A - \\mathbf A_k\\rVert_2 = s_{k+1}, \\qquad
              \\lVert\\mathbf A - \\mathbf A_k\\rVert_F^2 = \\sum_{i>k} s_i^2

    References
    ----------
    Eckart and Young, *The approximation of one matrix by another of lower rank*, 1936.
    """
    require_matrix(a=a)
    require_integers(-math.inf, k=k)
    if not 0 <= k <= min(np.shape(a)):
        raise ValueError(f"k must lie between 0 and {min(np.shape(a))} for a matrix of shape {np.shape(a)}, got {k}")
    u, s, vt = svd(a)
    return u[:, :k] * s[:k] @ vt[:k]


def rank(a, tolerance=None):
    """Count the singular values that are not zero.

    Parameters
    ----------
    a : array (m, n)
        Finite real numbers.
    tolerance : float, optional
        Singular values up to ``tolerance`` times the largest count as zero; by default max(m, n) times the spacing of
        floats at 1, which is about what rounding the entries of ``a`` can do to them.

    Returns
    -------
    int
        From 0 to min(m, n).

    Raises
    ------
    ValueError
        If ``tolerance`` is negative or not finite, or for what `svd` refuses.
    """
    return count_above(svd(a)[1], tolerance, np.shape(a))


@_ignoring_overflow
def count_above(s, tolerance, shape):
    """Count the singular values that are more than rounding errors of the largest.

    Parameters
    ----------
    s : array (k,)
        Singular values, descending.
    tolerance : float or None
        Those up to ``tolerance`` times the largest do not count; where it is None, up to max(m, n) times the spacing of
        floats at 1.
    shape : (int, int)
        That of the matrix (m, n) they belong to.

    Returns
    -------
    int
        From 0 to k.

    Raises
    ------
    ValueError
        If ``tolerance`` is negative or not finite.
    """
    tolerance = max(shape) * float(np.finfo(s.dtype).eps) if tolerance is None else tolerance
    require_not_negative(tolerance=tolerance)
    return int(np.count_nonzero(s > tolerance * s[0]))


class Subspaces(NamedTuple):
    """Orthonormal bases, in columns, of the four subspaces that a matrix (m, n) of rank r comes with.

    Parameters
    ----------
    column_space : array (m, r)
        All that ``a @ x`` can be.
    left_null_space : array (m, m - r)
        What is orthogonal to all of that: ``y @ a`` is 0.
    row_space : array (n, r)
        All that ``y @ a`` can be.
    null_space : array (n, n - r)
        What is orthogonal to all of that: ``a @ x`` is 0.
    """

    column_space: np.ndarray
    left_null_space: np.ndarray
    row_space: np.ndarray
    null_space: np.ndarray


def fundamental_subspaces(a, tolerance=None):
    """Read the four fundamental subspaces of a matrix off its singular vectors.

    Parameters
    ----------
    a : array (m, n)
        Finite real numbers.
    tolerance : float, optional
        Singular values up to ``tolerance`` times the largest count as zero; by default max(m, n) times the spacing of
        floats at 1.

    Returns
    -------
    Subspaces
        Orthonormal bases of the column space, the left null space, the row space and the null space.

    Raises
    ------
    ValueError
        If ``tolerance`` is negative or not finite, or for what `svd` refuses.

    References
    ----------
    Strang, *The fundamental theorem of linear algebra*, 1993.
    """
    u, s, vt = svd(a)
    m, n = np.shape(a)
    r = count_above(s, tolerance, (m, n))
    u, v = _completed(u, m), _completed(vt.T, n)
    return Subspaces(u[:, :r], u[:, r:], v[:, :r], v[:, r:])


def _orthogonalize(a, sweeps):
    u, s = _directions(a)
    v = np.eye(len(s), dtype=a.dtype)
    eps = float(np.finfo(a.dtype).eps)
    noise = s * eps**2
    tolerance = math.sqrt(len(a)) * eps  # rounding, in a cosine
    rounds, cosines = list(tournament(len(s))), [math.inf]
    while cosines[-1] > tolerance and len(cosines) <= sweeps:
        met = [_turn(u, s, v, noise, tolerance, *pairs) for pairs in rounds]
        cosines.append(max(met, default=0.0))
    order = np.argsort(-s, kind="stable")
    u = _completed(u[order[: np.count_nonzero(s)]].T, len(s))
    return u, s[order], v[order], np.array(cosines[1:]), cosines[-1] <= tolerance


def _turn(u, s, v, noise, tolerance, i, j):
    """Make columns i orthogonal to columns j, in place, and return the largest cosine there was."""
    cosine = np.einsum("ij,ij->i", u[i], u[j])
    largest = np.abs(cosine).max(initial=0.0)
    askew = np.abs(cosine) > tolerance
    if not askew.any():
        return largest
    i, j, cosine = i[askew], j[askew], cosine[askew]
    i, j = np.where(s[i] >= s[j], (i, j), (j, i))  # i is the longer one
    ratio = s[j] / s[i]
    # The tangent of the angle is the smaller root of
    # t² + t (1 - ratio²) / (cosine ratio) - 1 = 0,
    # written without a difference that cancels and without a quotient that overflows.
    gap = (1 - ratio) * (1 + ratio)
    slope = 2 * cosine / (gap + np.hypot(gap, 2 * cosine * ratio))
    t = slope * ratio
    # Where the ratio is almost 0, the shorter one takes a step of Gram and Schmidt.
    longer = u[i] + (t * ratio)[:, None] * u[j]
    shorter = u[j] - slope[:, None] * u[i]
    c = 1 / np.hypot(1, t)
    for k, column in ((i, longer), (j, shorter)):
        length = np.linalg.norm(column, axis=1)
        s[k] *= c * length
        u[k] = column / or_one(length)[:, None]
    vi, vj = v[i], v[j]
    v[i] = c[:, None] * (vi + t[:, None] * vj)
    v[j] = c[:, None] * (vj - t[:, None] * vi)
    # A column that has sunk this low depends on others: what is left of it need never become orthogonal to them.
    lost = j[s[j] <= noise[j]]
    u[lost], s[lost] = 0, 0
    return largest


def _directions(a):
    """Split columns into directions, which come out in rows that lie together in memory, and lengths."""
    scaled, exponents = by_power_of_two(a, axis=0)
    lengths = np.linalg.norm(scaled, axis=0)
    return (scaled / or_one(lengths)).T.copy(), np.ldexp(lengths, exponents)


def _completed(q, n):
    """Extend orthonormal columns to n of them."""
    while q.shape[1] < n:
        # Of the axis that is farthest from the columns there are, at least 1 / sqrt(m) is orthogonal to them.
        new = np.eye(1, len(q), np.argmin(np.linalg.norm(q, axis=1)), dtype=q.dtype)[0]
        new -= q @ (q.T @ new)
        q = np.column_stack([q, new / np.linalg.norm(new)])
    return q
