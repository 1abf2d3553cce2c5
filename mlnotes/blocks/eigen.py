"""Eigenvalues: the directions that a matrix only stretches, and by how much.

For NumPy arrays of any real numbers: float16 comes back in float32, integers in float64.
"""
# ruff: noqa: E741 (the lower triangular factor is called l, as in the formula)

import math
from dataclasses import dataclass

import numpy as np

from mlnotes.arrays import (
    by_power_of_two,
    require_integers,
    require_not_negative,
    require_square,
    require_symmetric,
    require_vector,
    times_power_of_two,
    working_copy,
)
from mlnotes.blocks.lu import forward_substitution, lu
from mlnotes.blocks.qr import householder_vector

# A tolerance times the norm may be beyond the largest float: every residual is below that, too.
_ignoring_overflow = np.errstate(over="ignore", invalid="ignore")


@dataclass(frozen=True)
class Eigenpair:
    """What an iteration for one eigenvalue found.

    Parameters
    ----------
    eigenvalue : float
        The last estimate.
    vector : array (n,)
        The last vector, of length one.
    estimates : array (steps + 1,)
        The estimate of the eigenvalue at the start and after each step.
    residuals : array (steps + 1,)
        The length of ``a @ vector - eigenvalue * vector`` at the start and after each step.
    converged : bool
        Whether the last residual is within the tolerance: then eigenvalue and vector are exact for a matrix that
        differs from ``a`` by no more than that.
    """

    eigenvalue: float
    vector: np.ndarray
    estimates: np.ndarray
    residuals: np.ndarray
    converged: bool


def power_iteration(a, start=None, steps=1000, tolerance=None):
    """Multiply a vector by a matrix again and again, until it turns no more.

    Parameters
    ----------
    a : array (n, n)
        Finite real numbers.
    start : array (n,), optional
        Where to start; by default a vector of normal random numbers, the same every time.
    steps : int
        The largest number of steps.
    tolerance : float, optional
        The residual to reach, relative to the Frobenius norm of ``a``; by default 10 n times the spacing of its floats
        at 1.

    Returns
    -------
    Eigenpair
        From almost every start, the eigenvalue of largest modulus. It does not converge where two different ones
        share that modulus, like 1 and -1 or a complex pair; and hardly where the largest is defective, with an error
        that only falls like 1 / steps.

    Raises
    ------
    ValueError
        If ``a`` is no square matrix of finite numbers, ``start`` is zero or no vector for it, ``steps`` is negative or
        no integer, or ``tolerance`` is negative or not finite.

    Notes
    -----
    .. math:: \\mathbf v_{k+1} = \\frac{\\mathbf A\\mathbf v_k}{\\lVert\\mathbf A\\mathbf v_k\\rVert}

    The error falls like :math:`|\\lambda_2/\\lambda_1|^k`, with eigenvalues numbered from the largest modulus down.

    References
    ----------
    Golub and Van Loan, *Matrix Computations*, 4th edition, section 7.3.1.
    """
    return _iterate(lambda a, v, estimate: a @ v, a, start, steps, tolerance)


def inverse_iteration(a, shift=0.0, start=None, steps=1000, tolerance=None):
    """Find the eigenvalue nearest to a number, by power iteration with an inverse.

    Parameters
    ----------
    a : array (n, n)
        Finite real numbers.
    shift : float
        The number. It may be an eigenvalue: then one step is nearly always enough.
    start : array (n,), optional
        Where to start; by default a vector of normal random numbers, the same every time.
    steps : int
        The largest number of systems to solve; all share one LU decomposition.
    tolerance : float, optional
        The residual to reach, relative to the Frobenius norm of ``a``; by default 10 n times the spacing of its floats
        at 1.

    Returns
    -------
    Eigenpair
        From almost every start, the eigenvalue nearest to ``shift``. It does not converge where two different ones
        are equally near.

    Raises
    ------
    ValueError
        If ``a`` is no square matrix of finite numbers, ``start`` is zero or no vector for it, ``shift`` is not finite,
        ``steps`` is no integer or negative, or ``tolerance`` is negative or not finite.

    Notes
    -----
    .. math:: (\\mathbf A - \\sigma\\mathbf I)\\,\\mathbf w = \\mathbf v_k, \\qquad
              \\mathbf v_{k+1} = \\frac{\\mathbf w}{\\lVert\\mathbf w\\rVert}

    The error falls like :math:`|(\\lambda_1 - \\sigma)/(\\lambda_2 - \\sigma)|^k`, with eigenvalues numbered from the
    nearest to the shift on.

    The nearer the shift, the worse the condition of the system, and that does no harm: the error of the solution is
    large, but it lies in the direction that is looked for.

    References
    ----------
    Ipsen, *Computing an eigenvector with inverse iteration*, 1997.
    """
    if not math.isfinite(shift):
        raise ValueError(f"shift must be finite, got {shift}")
    require_square(a=a)
    factors = _shifted_lu(working_copy(a), shift)

    def step(a, v, estimate):
        return _solve_for_direction(factors, v)

    return _iterate(step, a, start, steps, tolerance)


def rayleigh_iteration(a, start=None, steps=100, tolerance=None):
    """Let every step of inverse iteration use the estimate of the one before as its shift.

    Parameters
    ----------
    a : array (n, n)
        Finite real numbers.
    start : array (n,), optional
        Where to start; by default a vector of normal random numbers, the same every time. It decides which eigenvalue
        is found, and not always the nearest.
    steps : int
        The largest number of systems to solve; each has its own LU decomposition.
    tolerance : float, optional
        The residual to reach, relative to the Frobenius norm of ``a``; by default 10 n times the spacing of its floats
        at 1.

    Returns
    -------
    Eigenpair
        Some eigenvalue. Near it the residual is cubed by each step where ``a`` is symmetric, squared where all that is
        known is a basis of eigenvectors, and divided by four at a defective eigenvalue of multiplicity two. A complex
        pair is never found, because all numbers stay real.

    Raises
    ------
    ValueError
        If ``a`` is no square matrix of finite numbers, ``start`` is zero or no vector for it, ``steps`` is negative or
        no integer, or ``tolerance`` is negative or not finite.

    Notes
    -----
    .. math:: \\rho_k = \\mathbf v_k^{\\mathsf T}\\mathbf A\\mathbf v_k, \\qquad
              (\\mathbf A - \\rho_k\\mathbf I)\\,\\mathbf w = \\mathbf v_k, \\qquad
              \\mathbf v_{k+1} = \\frac{\\mathbf w}{\\lVert\\mathbf w\\rVert}

    References
    ----------
    Parlett, *The Rayleigh quotient iteration and some generalizations for nonnormal matrices*, 1974.
    """

    def step(a, v, estimate):
        return _solve_for_direction(_shifted_lu(a, estimate), v)

    return _iterate(step, a, start, steps, tolerance)


def rayleigh_quotient(a, v):
    """Estimate the eigenvalue that belongs to an approximate eigenvector.

    Parameters
    ----------
    a : array (n, n)
        Finite real numbers.
    v : array (n,)
        The vector, of any length but zero.

    Returns
    -------
    float
        The number that makes ``a @ v - number * v`` shortest.

    Raises
    ------
    ValueError
        If ``a`` is no square matrix of finite numbers, or ``v`` is zero or no vector for it.

    Notes
    -----
    .. math:: \\rho(\\mathbf v) = \\frac{\\mathbf v^{\\mathsf T}\\mathbf A\\mathbf v}{\\mathbf v^{\\mathsf T}\\mathbf v}
    """
    require_square(a=a)
    require_vector(v=v)
    scaled, exponent = by_power_of_two(working_copy(a))
    v = _unit_start(v, scaled)
    return float(times_power_of_two(v @ scaled @ v, exponent, "the Rayleigh quotient"))


def qr_algorithm(a):
    """Find all eigenvalues of a matrix.

    Parameters
    ----------
    a : array (n, n)
        Finite real numbers.

    Returns
    -------
    array (n,)
        Real numbers if all eigenvalues are real, and complex numbers otherwise; sorted by real and then by imaginary
        part. Complex ones come in exactly conjugate pairs.

    Raises
    ------
    ValueError
        If ``a`` is no square matrix of finite numbers, or an eigenvalue is beyond the largest float.
    numpy.linalg.LinAlgError
        If 30 n steps are not enough.

    Notes
    -----
    The result is exact for a matrix that differs from ``a`` by a few rounding errors (once the axes have been stretched
    so that rows are as large as columns). Where an eigenvalue is defective, with a Jordan block of size k, even that
    moves it by about the k-th root of the rounding error.

    References
    ----------
    Golub and Van Loan, *Matrix Computations*, 4th edition, section 7.5.
    """
    found = qr_iteration(a)
    if not found.converged:
        left = np.isnan(found.eigenvalues).sum()
        raise np.linalg.LinAlgError(f"{left} of {len(a)} eigenvalues not found in {len(found.subdiagonals) - 1} steps")
    return found.eigenvalues


@dataclass(frozen=True)
class QRIteration:
    """What `qr_iteration` found.

    Parameters
    ----------
    eigenvalues : array (n,)
        Real or complex, sorted; nan in the place of those that were not found.
    subdiagonals : array (steps + 1, n - 1)
        The entries below the diagonal of a Hessenberg form of ``a`` (its axes stretched first, as `qr_algorithm` says),
        without sign, at the start and after each step. Where one has become negligible the matrix falls apart; a part
        of one or two rows gives its eigenvalues.
    converged : bool
        Whether all eigenvalues were found.
    """

    eigenvalues: np.ndarray
    subdiagonals: np.ndarray
    converged: bool


def qr_iteration(a, steps=None):
    """Bring a matrix to triangular form by the shifted QR algorithm, step by step.

    Parameters
    ----------
    a : array (n, n)
        Finite real numbers.
    steps : int, optional
        The largest number of steps; by default 30 n.

    Returns
    -------
    QRIteration
        The eigenvalues, and the entries below the diagonal as they vanish.

    Raises
    ------
    ValueError
        If ``a`` is no square matrix of finite numbers, an eigenvalue is beyond the largest float, or ``steps`` is no
        integer or negative.

    Notes
    -----
    A step is a similarity, which keeps the eigenvalues. Its two shifts are the eigenvalues of the last two rows and
    columns; together they are real even where they are a complex pair.

    .. math:: (\\mathbf H - \\sigma_1\\mathbf I)(\\mathbf H - \\sigma_2\\mathbf I) = \\mathbf{QR}, \\qquad
              \\mathbf H \\leftarrow \\mathbf Q^{\\mathsf T}\\mathbf H\\mathbf Q

    References
    ----------
    Francis, *The QR transformation, part 2*, 1962.
    """
    require_square(a=a)
    require_integers(0, steps=0 if steps is None else steps)
    balanced, exponent = by_power_of_two(_balanced(working_copy(a)))
    h = hessenberg(balanced)[0]
    steps = 30 * len(h) if steps is None else steps
    found, end, fruitless = [], len(h), 0
    subdiagonals = [np.abs(np.diag(h, -1))]
    while end > 0:
        start = _last_block(h, end)
        if end - start <= 2:
            found.extend(_eigenvalues_of_block(h[start:end, start:end]))
            end, fruitless = start, 0
        elif len(subdiagonals) <= steps:
            fruitless += 1
            _francis_step(h[start:end, start:end], exceptional=fruitless % 10 == 0)
            subdiagonals.append(np.abs(np.diag(h, -1)))
        else:
            break
    found = np.array(found, h.dtype).reshape(-1, 2)
    real, imaginary = times_power_of_two(found.T, exponent, "the eigenvalues of a")
    if np.array_equal(balanced, balanced.T) or not imaginary.any():
        found = np.sort(real)
    else:
        found = np.sort(real + 1j * imaginary)
    found = np.append(found, np.full(end, np.nan, found.dtype))
    subdiagonals = times_power_of_two(np.array(subdiagonals), exponent, "the entries of h")
    return QRIteration(found, subdiagonals, end == 0)


def hessenberg(a):
    """Make everything below the first subdiagonal zero by reflections from both sides.

    Parameters
    ----------
    a : array (n, n)
        Finite real numbers.

    Returns
    -------
    h : array (n, n)
        Zero below the first subdiagonal; tridiagonal but for rounding errors where ``a`` is symmetric.
    q : array (n, n)
        The orthogonal matrix for which ``q @ h @ q.T`` is ``a``.

    Raises
    ------
    ValueError
        If ``a`` is no square matrix of finite numbers, or an entry of ``h`` is beyond the largest float.

    Notes
    -----
    .. math:: \\mathbf H = \\mathbf Q^{\\mathsf T}\\mathbf{AQ}

    It has the eigenvalues of A. The next step of the elimination, on the subdiagonal itself, would be undone by the
    product from the right: this is as near to triangular as a matrix gets without iteration.

    References
    ----------
    Golub and Van Loan, *Matrix Computations*, 4th edition, section 7.4.3.
    """
    require_square(a=a)
    h, exponent = by_power_of_two(working_copy(a))
    q = np.eye(len(h), dtype=h.dtype)
    for k in range(len(h) - 2):
        v, tau = householder_vector(h[k + 1 :, k])
        h[k + 1 :, k:] -= tau * v[:, None] * (v @ h[k + 1 :, k:])
        h[:, k + 1 :] -= tau * (h[:, k + 1 :] @ v)[:, None] * v
        q[:, k + 1 :] -= tau * (q[:, k + 1 :] @ v)[:, None] * v
        h[k + 2 :, k] = 0
    return times_power_of_two(h, exponent, "the entries of h"), q


def characteristic_polynomial(a):
    """Expand det(x I - A) in powers of x.

    Parameters
    ----------
    a : array (n, n)
        Finite real numbers.

    Returns
    -------
    array (n + 1,)
        The coefficients, from that of the highest power, which is 1, to the last, which is (-1)^n det(a). One that is
        smaller than floats can hold beside the power of the largest entry, for each coefficient that of its own degree,
        vanishes.

    Raises
    ------
    ValueError
        If ``a`` is no square matrix of finite numbers, or a coefficient is beyond the largest float.

    Notes
    -----
    .. math:: \\det(x\\mathbf I - \\mathbf A) = (-1)^n \\det(\\mathbf A - x\\mathbf I) = \\prod_i (x - \\lambda_i)

    Similar matrices share it, so it is computed from the Hessenberg form, one row and column more at a time:

    .. math:: p_i(x) = (x - h_{ii})\\,p_{i-1}(x)
              - \\sum_{j<i} h_{ji}\\,p_{j-1}(x) \\prod_{k=j}^{i-1} h_{k+1,k}

    The way back, from coefficients to eigenvalues, is no way to compute them: rounding the coefficients can move the
    roots far.

    References
    ----------
    Rehman and Ipsen, *La Budde's method for computing characteristic polynomials*, 2011.
    """
    require_square(a=a)
    scaled, exponent = by_power_of_two(working_copy(a))
    h = hessenberg(scaled)[0]
    p = [np.ones(1, dtype=h.dtype)]
    for i in range(len(h)):
        new = np.append(p[i], 0) - h[i, i] * np.append(0, p[i])
        for j in range(i):
            new[-j - 1 :] -= h[j, i] * np.prod(np.diag(h, -1)[j:i]) * p[j]
        p.append(new.astype(h.dtype))
    return times_power_of_two(p[-1], exponent * np.arange(len(h) + 1), "the coefficients")


def jacobi_eigh(a):
    """Find all eigenvalues and eigenvectors of a symmetric matrix.

    Parameters
    ----------
    a : array (n, n)
        Finite real numbers, symmetric up to rounding errors.

    Returns
    -------
    w : array (n,)
        Eigenvalues, ascending.
    v : array (n, n)
        Eigenvectors in its columns, orthonormal also where eigenvalues are equal.

    Raises
    ------
    ValueError
        If ``a`` is no square matrix of finite numbers, not symmetric, or has an eigenvalue beyond the largest float.
    numpy.linalg.LinAlgError
        If the iteration has not converged after 100 sweeps.

    Notes
    -----
    .. math:: \\mathbf A = \\mathbf V\\,\\mathrm{diag}(\\mathbf w)\\,\\mathbf V^{\\mathsf T}, \\qquad
              \\mathbf V^{\\mathsf T}\\mathbf V = \\mathbf I

    References
    ----------
    Jacobi, *Über ein leichtes Verfahren, die in der Theorie der Säcularstörungen vorkommenden Gleichungen numerisch
    aufzulösen*, 1846.
    """
    found = jacobi_iteration(a)
    if not found.converged:
        raise np.linalg.LinAlgError(f"entries off the diagonal are still {found.off_diagonal[-1]:.1e} after 100 sweeps")
    return found.w, found.v


@dataclass(frozen=True)
class JacobiEigh:
    """What `jacobi_iteration` found.

    Parameters
    ----------
    w : array (n,)
        The diagonal entries, ascending.
    v : array (n, n)
        The rotations multiplied together, with columns in the order of ``w``.
    off_diagonal : array (sweeps + 1,)
        The root of the sum of squares off the diagonal, at the start and after each sweep.
    converged : bool
        Whether the last sweep found nothing to rotate, up to rounding.
    """

    w: np.ndarray
    v: np.ndarray
    off_diagonal: np.ndarray
    converged: bool


def jacobi_iteration(a, sweeps=100):
    """Make a symmetric matrix diagonal by rotations, each of which makes two entries zero.

    Parameters
    ----------
    a : array (n, n)
        Finite real numbers, symmetric up to rounding errors.
    sweeps : int
        How often every pair of rows may be rotated.

    Returns
    -------
    JacobiEigh
        Eigenvalues and eigenvectors, and the progress of the iteration.

    Raises
    ------
    ValueError
        If ``a`` is no square matrix of finite numbers, not symmetric, or has an eigenvalue beyond the largest float, or
        if ``sweeps`` is no integer or negative.

    Notes
    -----
    A rotation of rows and columns p and q turns A into B, and moves what it makes zero onto the diagonal. Later ones
    fill the zeros again, but with less:

    .. math:: \\mathbf B = \\mathbf J^{\\mathsf T}\\mathbf{AJ}, \\qquad
              \\sum_{i\\ne j} b_{ij}^2 = \\sum_{i\\ne j} a_{ij}^2 - 2a_{pq}^2

    References
    ----------
    Golub and Van Loan, *Matrix Computations*, 4th edition, section 8.5.
    """
    require_symmetric(a=a)
    require_integers(0, sweeps=sweeps)
    a, exponent = by_power_of_two(working_copy(a))
    a = (a + a.T) / 2
    v = np.eye(len(a), dtype=a.dtype)
    sizes, rotated = [_off_diagonal(a)], len(a) > 1
    while rotated and len(sizes) <= sweeps:
        rotated = sum(_rotate(a, v, *pairs) for pairs in tournament(len(a)))
        sizes.append(_off_diagonal(a))
    order = np.argsort(np.diag(a), kind="stable")
    w = times_power_of_two(np.diag(a)[order], exponent, "the eigenvalues of a")
    sizes = times_power_of_two(np.array(sizes), exponent, "the entries of a")
    return JacobiEigh(w, v[order].T, sizes, not rotated)


def tournament(n):
    """Pair up n players so that everyone meets everyone once, in as few rounds as can be.

    The pairs of one round have no player in common, so rotations of these pairs of rows can be done all at once.

    Parameters
    ----------
    n : int
        The number of players, counted from 0.

    Yields
    ------
    left, right : integer array
        The players of one round, ``left[i]`` against ``right[i]``. With an odd number of players one sits out.

    Raises
    ------
    ValueError
        When the first round is asked for, if ``n`` is no integer or negative.
    """
    require_integers(0, n=n)
    players = np.arange(n + n % 2)
    half = len(players) // 2
    for _ in range(len(players) - 1):
        left, right = players[:half].copy(), players[half:][::-1].copy()
        meet = np.maximum(left, right) < n
        yield left[meet], right[meet]
        players[1:] = np.roll(players[1:], 1)


@_ignoring_overflow
def _iterate(step, a, start, steps, tolerance):
    """Repeat a step, with the matrix divided by a power of two so that nothing overflows."""
    require_square(a=a)
    a, exponent = by_power_of_two(working_copy(a))
    if tolerance is None:
        tolerance = 10 * len(a) * float(np.finfo(a.dtype).eps)
    require_integers(0, steps=steps)
    require_not_negative(tolerance=tolerance)
    goal = tolerance * float(np.linalg.norm(a))
    v = _unit_start(start, a)
    estimates, residuals = [], []
    while True:
        image = a @ v
        estimates.append(v @ image)
        residuals.append(np.linalg.norm(image - estimates[-1] * v))
        converged = residuals[-1] <= goal
        if converged or len(residuals) > steps:
            break
        v = _unit(step(a, v, estimates[-1])).astype(a.dtype)
    estimates = times_power_of_two(np.array(estimates), exponent, "the estimates of the eigenvalue")
    residuals = times_power_of_two(np.array(residuals), exponent, "the residuals")
    return Eigenpair(float(estimates[-1]), v, estimates, residuals, bool(converged))


def _shifted_lu(a, shift):
    """Decompose A - shift I; a pivot that is almost 0 becomes a rounding error, so that it can be divided by."""
    scaled, _ = by_power_of_two(np.append(a, shift))
    p, l, u = lu(scaled[:-1].reshape(a.shape) - scaled[-1] * np.eye(len(a)))
    diagonal = np.diagonal(u)
    smallest = float(np.finfo(a.dtype).eps) * (np.abs(u).max() or 1)
    pivots = np.where(np.abs(diagonal) < smallest, smallest, diagonal)
    return p, l, u + np.diag(pivots - diagonal)


def _solve_for_direction(factors, v):
    """Solve a system whose solution may be too long for floats: only its direction is wanted."""
    p, l, u = factors
    x = forward_substitution(l, p.T @ v)
    for i in reversed(range(len(x))):
        x[i] = (x[i] - u[i, i + 1 :] @ x[i + 1 :]) / u[i, i]
        x, _ = by_power_of_two(x)  # the unknowns found, and the right-hand sides of those to come
    return x


def _balanced(a):
    """Stretch the axes by powers of two until rows and columns are of one size; the eigenvalues stay."""
    a = a.copy()
    for _ in range(100):
        before = a.copy()
        for i in range(len(a)):
            row, column = (np.abs(np.delete(it, i)).max(initial=0.0) for it in (a[i], a[:, i]))
            if row > 0 and column > 0:
                exponent = round((math.log2(row) - math.log2(column)) / 2)
                a[i] = np.ldexp(a[i], -exponent)
                a[:, i] = np.ldexp(a[:, i], exponent)
        if np.array_equal(a, before):
            break
    return a


def _last_block(h, end):
    """Clear what is negligible below the diagonal, and return where the last block before ``end`` starts."""
    eps = float(np.finfo(h.dtype).eps)
    for i in reversed(range(1, end)):
        neighbours = abs(h[i, i]) + abs(h[i - 1, i - 1])
        if abs(h[i, i - 1]) <= eps * (neighbours or np.abs(h).max()):
            h[i, i - 1] = 0
            return i
    return 0


def _francis_step(h, exceptional):
    """Do one QR step with two shifts in place; only the first column of Q decides what it does."""
    (p, b), (c, q) = h[-2:, -2:]  # has the shifts as eigenvalues
    if exceptional:  # other shifts break a cycle
        size = abs(c) + abs(h[-2, -3])
        (p, b), (c, q) = (q + 0.75 * size, -0.4375 * size), (size, q + 0.75 * size)
    # The first column of (H - σ₁ I) (H - σ₂ I), divided by a size. Differences are taken first: products would cancel.
    p, q = p - h[0, 0], q - h[0, 0]
    size = max(map(abs, (p, b, c, q, h[1, 0])))
    below = h[1, 0] / size
    x = np.array([p / size * q - b / size * c + below * h[0, 1], below * (h[1, 1] - h[0, 0] - p - q), below * h[2, 1]])
    for k in range(len(h) - 1):
        v, tau = householder_vector(x)
        rows, left = slice(k, k + len(v)), max(k - 1, 0)
        h[rows, left:] -= tau * v[:, None] * (v @ h[rows, left:])
        h[: k + 4, rows] -= tau * (h[: k + 4, rows] @ v)[:, None] * v
        if k > 0:
            h[k + 1 : k + 3, k - 1] = 0
        x = h[k + 1 : k + 4, k].copy()  # what sticks out below the subdiagonal is chased down, and out


def _eigenvalues_of_block(h):
    """Return the real and imaginary parts of the eigenvalues of one or two rows and columns."""
    if len(h) == 1:
        return [(h[0, 0], 0.0)]
    (a, b), (c, d) = h
    half = (a - d) / 2
    square = half * half + b * c
    if square < 0:
        return [(d + half, sign * math.sqrt(-square)) for sign in (-1, 1)]
    far = half + math.copysign(math.sqrt(square), half)  # a sum without cancellation; the other root by the product
    return [(d + far, 0.0), (d - b * c / far if far else d, 0.0)]


def _rotate(a, v, p, q):
    """Rotate pairs of rows and columns in place, and return how many needed it."""
    kind = np.finfo(a.dtype)
    # A floor relative to the largest entry would cost the digits of small eigenvalues.
    negligible = np.maximum(kind.eps * np.sqrt(np.abs(a[p, p])) * np.sqrt(np.abs(a[q, q])), kind.tiny)
    askew = np.abs(a[p, q]) > negligible
    p, q = p[askew], q[askew]
    # The angle's tangent is the smaller root of t² + t (a_qq - a_pp) / a_pq - 1 = 0.
    gap, twice = a[q, q] - a[p, p], 2 * a[p, q]
    t = twice / (gap + np.copysign(np.hypot(gap, twice), gap))
    diagonal = a[p, p] - t * a[p, q], a[q, q] + t * a[p, q]
    c = (1 / np.hypot(1, t))[:, None]
    s = c * t[:, None]
    for rows in (a, a.T, v):
        rows[p], rows[q] = c * rows[p] - s * rows[q], s * rows[p] + c * rows[q]
    a[p, q] = a[q, p] = 0
    a[p, p], a[q, q] = diagonal
    return len(p)


def _off_diagonal(a):
    return np.linalg.norm(a - np.diag(np.diag(a)))


def _unit_start(start, a):
    start = np.random.default_rng(0).normal(size=len(a)) if start is None else np.asarray(start)
    if start.shape != (len(a),):
        raise ValueError(f"the vector must have shape ({len(a)},) for a matrix {a.shape}, got {start.shape}")
    require_vector(**{"the vector": start})
    if not start.any():
        raise ValueError(f"the vector must not be zero, got {start}")
    return _unit(by_power_of_two(working_copy(start))[0]).astype(a.dtype)


def _unit(x):
    return x / np.linalg.norm(x)
