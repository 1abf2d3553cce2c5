"""What eigenvalue solvers must satisfy, and how they are usually got wrong."""

import numpy as np

from mlnotes.blocks.eigen import (
    Eigenpair,
    characteristic_polynomial,
    inverse_iteration,
    jacobi_eigh,
    power_iteration,
    qr_algorithm,
    rayleigh_iteration,
)
from mlnotes.checks.oldbank import Checks, Claim, Mistake, distance, frozen

_rng = np.random.default_rng(17)
_v = np.linalg.qr(_rng.normal(size=(5, 5)))[0]
_s = np.triu(_rng.normal(size=(5, 5)), 1) / 5 + np.eye(5)
_general, _odd, _symmetric, _skewed, _negative, _start = frozen(
    _rng.normal(size=(6, 6)),
    _rng.normal(size=(5, 5)),
    (_v * [4.0, 2.0, 1.0, 0.5, -1.5] @ _v.T + (_v * [4.0, 2.0, 1.0, 0.5, -1.5] @ _v.T).T) / 2,
    _s * [4.0, 2.0, 1.0, 0.5, -1.5] @ np.linalg.inv(_s),
    -_s * [4.0, 2.0, 1.0, 0.5, -1.5] @ np.linalg.inv(_s),
    _v[:, 0] + 0.3 * _v[:, 1] - 0.3 * _v[:, 3],
)
_rotation, _tie, _ones_missed, _cycle, _close, _asymmetric, _graded = frozen(
    np.array([[0.0, -1.0], [1.0, 0.0]]),
    np.diag([2.0, -2.0, 1.0]),
    np.array([[2.0, -1.0], [-1.0, 2.0]]),  # (1, 1) belongs to 1, (1, -1) to 3
    np.roll(np.eye(3), 1, axis=0),
    np.diag(np.arange(1.0, 16.0)) + np.diag(np.full(14, 1e-3), 1),
    np.array([[1.0, 2.0], [0.0, 1.0]]),
    np.array([[1.0, 1e-6, 0.0], [1e-6, 1e-6, 1e-12], [0.0, 1e-12, 1e-12]]),
)
_LAST_BITS = "a few dozen rotations or reflections in float64: a few units of 1e-16"
_STOPS = "the iteration stops at a residual of 10 n times 1e-16; matrices with skew axes enlarge it a little"


def _off(f, a, *arguments):
    """Measure how far the result is from an eigenpair."""
    found = f(a, *arguments)
    return distance(a @ found.vector, found.eigenvalue * found.vector)


def _dominant(a):
    w, v = np.linalg.eig(a)
    i = np.argmax(np.abs(w))
    return w[i].real, np.abs(v[:, i].real)


def _nearest(a, shift):
    w = np.linalg.eigvals(a)
    return w[np.argmin(np.abs(w - shift))].real


def _cubed(f):
    """Measure by how much the residual after a step exceeds the cube of the one before."""
    residuals = np.asarray(f(_symmetric, _start).residuals)
    before = residuals[:-1]
    return float(np.max(residuals[1:] - np.maximum(before**3, 1e-14), initial=0.0) + (len(residuals) < 3))


def _refuses(f, a):
    try:
        f(a)
    except ValueError:
        return 0.0
    raise AssertionError("it says nothing about entries that differ from their mirror images")


def _sorted_by_numpy(a):
    return np.sort_complex(np.linalg.eigvals(a))


def _solved(f, a):
    w, v = f(a)
    return max(distance(v * w @ v.T, a), distance(v.T @ v, np.eye(len(a))))


def _iterated(a, step, steps=1000, estimate=None, stop=None, start=None):
    """Iterate as a reader would write it."""
    v = np.random.default_rng(0).normal(size=len(a)) if start is None else start
    v = v / np.linalg.norm(v)
    estimate = estimate or (lambda v: v @ a @ v)
    estimates, residuals, converged = [], [], False
    while not converged and len(residuals) <= steps:
        before, v = v, v if not residuals else step(v)
        estimates.append(estimate(v))
        residuals.append(np.linalg.norm(a @ v - estimates[-1] * v))
        converged = bool(stop(before, v, estimates, residuals) if stop else residuals[-1] <= 1e-14 * len(a))
    return Eigenpair(float(estimates[-1]), v, np.array(estimates), np.array(residuals), converged)


def _unit(v):
    return v / np.linalg.norm(v)


def length_as_eigenvalue(a, start=None, steps=1000, tolerance=None):
    """Take the length of A v for the eigenvalue."""
    return _iterated(a, lambda v: _unit(a @ v), steps, lambda v: np.linalg.norm(a @ v), start=start)


def never_normalized(a, start=None, steps=1000, tolerance=None):
    """Multiply on and on."""
    return _iterated(a, lambda v: a @ v, steps, lambda v: v @ a @ v / (v @ v), start=start)


def standing_estimate(a, start=None, steps=1000, tolerance=None):
    """Stop when the estimate of the eigenvalue changes no more."""
    stop = lambda before, v, estimates, residuals: len(estimates) > 1 and abs(estimates[-1] - estimates[-2]) < 1e-12  # noqa: E731
    return _iterated(a, lambda v: _unit(a @ v), steps, stop=stop, start=start)


def standing_vector(a, start=None, steps=1000, tolerance=None):
    """Stop when the vector changes no more."""
    stop = lambda before, v, estimates, residuals: len(estimates) > 1 and np.linalg.norm(v - before) < 1e-12  # noqa: E731
    return _iterated(a, lambda v: _unit(a @ v), steps, stop=stop, start=start)


def always_converged(a, start=None, steps=1000, tolerance=None):
    """Make a hundred steps, and trust in them."""
    stop = lambda before, v, estimates, residuals: len(estimates) > 100  # noqa: E731
    return _iterated(a, lambda v: _unit(a @ v), steps, stop=stop, start=start)


def start_of_ones(a, start=None, steps=1000, tolerance=None):
    """Start from a vector of ones, whatever the matrix is."""
    return power_iteration(a, np.ones(len(a)), steps, tolerance)


def eigenvalue_of_the_inverse(a, shift=0.0, start=None, steps=1000, tolerance=None):
    """Return the eigenvalue of what was iterated with."""
    found = inverse_iteration(a, shift, start, steps, tolerance)
    values = 1 / (found.estimates - shift)
    return Eigenpair(float(values[-1]), found.vector, values, found.residuals, found.converged)


def shift_not_added_back(a, shift=0.0, start=None, steps=1000, tolerance=None):
    """Return the eigenvalue of the shifted matrix."""
    found = inverse_iteration(a, shift, start, steps, tolerance)
    values = found.estimates - shift
    return Eigenpair(float(values[-1]), found.vector, values, found.residuals, found.converged)


def multiplied_instead_of_solved(a, shift=0.0, start=None, steps=1000, tolerance=None):
    """Iterate with the shifted matrix instead of its inverse."""
    return _iterated(a, lambda v: _unit(a @ v - shift * v), steps, start=start)


def inverse_of_a_singular_matrix(a, shift=0.0, start=None, steps=1000, tolerance=None):
    """Invert the shifted matrix, also where the shift is an eigenvalue."""
    inverse = np.linalg.inv(a - shift * np.eye(len(a)))
    return _iterated(a, lambda v: _unit(inverse @ v), steps, start=start)


def shift_never_renewed(a, start=None, steps=100, tolerance=None):
    """Use the first estimate in all steps."""
    v = np.random.default_rng(0).normal(size=len(a)) if start is None else start
    return inverse_iteration(a, v @ a @ v / (v @ v), start, steps, tolerance)


def quotient_not_divided(a, start=None, steps=100, tolerance=None):
    """Leave the first vector as long as it is."""
    v = np.random.default_rng(0).normal(size=len(a)) if start is None else start
    return _iterated(
        a,
        lambda v: _unit(np.linalg.solve(a - v @ a @ v * np.eye(len(a)), v)),
        steps,
        start=_unit(np.linalg.solve(a - v @ a @ v * np.eye(len(a)), v)),
    )


def diagonal_after_unshifted_steps(a):
    """Multiply R by Q a hundred times, and read off the diagonal."""
    for _ in range(100):
        q, r = np.linalg.qr(a)
        a = r @ q
    return np.sort(np.diag(a))


def factors_not_exchanged(a):
    """Multiply Q by R, which gives the matrix back."""
    for _ in range(100):
        q, r = np.linalg.qr(a)
        a = q @ r
    return np.sort(np.diag(a))


def real_parts(a):
    """Leave out the imaginary parts of complex pairs."""
    return qr_algorithm(a).real


def roots_of_the_characteristic_polynomial(a):
    """Compute coefficients first, and their roots afterwards."""
    roots = np.sort_complex(np.roots(np.poly(a)))
    return roots if roots.imag.any() else roots.real


def largest_first(a):
    """Return the eigenvalues in descending order."""
    w, v = jacobi_eigh(a)
    return w[::-1], v[:, ::-1]


def vectors_in_rows(a):
    """Return the transpose of V."""
    w, v = jacobi_eigh(a)
    return w, v.T


def vectors_left_behind(a):
    """Sort the eigenvalues without their vectors."""
    w, v = jacobi_eigh(a)
    order = np.argsort(np.abs(v[0]))
    return w, v[:, order]


def one_triangle_read(a):
    """Read the lower triangle, and trust that the upper one is its mirror image."""
    return tuple(np.linalg.eigh(a))


def off_diagonal_ignored(a):
    """Take the diagonal for the eigenvalues."""
    order = np.argsort(np.diag(a))
    return np.diag(a)[order], np.eye(len(a))[:, order]


def sign_of_an_odd_size(a):
    """Expand det(A - x I), whose first coefficient is -1 for an odd size."""
    return characteristic_polynomial(a) * (-1) ** len(a)


def lowest_power_first(a):
    """Return the coefficients from the constant upwards."""
    return characteristic_polynomial(a)[::-1]


def determinant_last(a):
    """End with det(A) for every size."""
    p = characteristic_polynomial(a)
    p[-1] = np.linalg.det(a)
    return p


def trace_not_negated(a):
    """Begin with 1 and the trace."""
    p = characteristic_polynomial(a)
    p[1] = np.trace(a)
    return p


_PAIRS = ((_symmetric, 3.3), (_skewed, 0.8), (_skewed, -1.0))

OLD = (
    Checks(
        power_iteration,
        probes=((_skewed,), (_negative,), (_tie, None, 120), (_rotation, None, 120), (_ones_missed,)),
        claims=(
            Claim(
                "eigenvalue and vector belong together",
                lambda f: max(_off(f, a) for a in (_symmetric, _skewed, _negative)),
                1e-12,
                _STOPS,
            ),
            Claim(
                "the vector has length one",
                lambda f: abs(np.linalg.norm(f(_skewed).vector) - 1),
                1e-12,
                "one division in float64",
            ),
            Claim(
                "it says that it converged, also where the largest eigenvalue is negative",
                lambda f: float(not all(f(a).converged for a in (_skewed, _negative))),
            ),
            Claim(
                "it says that it did not converge for eigenvalues 2 and -2, and for a rotation",
                lambda f: float(any(f(a, None, 120).converged for a in (_tie, _rotation))),
            ),
            Claim(
                "the largest eigenvalue of ((2, -1), (-1, 2)) is 3",
                lambda f: distance(f(_ones_missed).eigenvalue, 3.0),
                1e-12,
                _STOPS,
            ),
            Claim(
                "numpy.linalg.eig (largest modulus)",
                lambda f: max(
                    distance(mine, theirs)
                    for a in (_symmetric, _skewed, _negative)
                    for found in [f(a)]
                    for mine, theirs in zip((found.eigenvalue, np.abs(found.vector)), _dominant(a), strict=True)
                ),
                1e-12,
                _STOPS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                length_as_eigenvalue,
                "A negative eigenvalue comes out positive",
                "use the Rayleigh quotient v·Av / v·v, which has a sign",
            ),
            Mistake(never_normalized, "The vector overflows or vanishes", "divide by its length after every step"),
            Mistake(
                standing_estimate,
                "It calls the estimate of a rotation converged, which has no real eigenvalue",
                "stop by the residual: an estimate that stands still proves nothing",
            ),
            Mistake(
                standing_vector,
                "It does not stop where the largest eigenvalue is negative: the vector changes its sign every time",
                "stop by the residual",
            ),
            Mistake(
                always_converged, "It never says that it did not converge", "compare the residual with a tolerance"
            ),
            Mistake(
                start_of_ones,
                "It finds 1 instead of 3 for ((2, -1), (-1, 2)): the ones have no share of that eigenvector",
                "start from random numbers",
            ),
        ),
    ),
    Checks(
        inverse_iteration,
        probes=((_symmetric, 3.3), (_skewed, 0.8), (np.diag([1.0, 2.0, 4.0]), 2.0)),
        claims=(
            Claim(
                "eigenvalue and vector belong together",
                lambda f: max(_off(f, *pair) for pair in _PAIRS),
                1e-12,
                _STOPS,
            ),
            Claim(
                "an eigenvalue may be the shift",
                lambda f: distance(f(np.diag([1.0, 2.0, 4.0]), 2.0).eigenvalue, 2.0),
                1e-12,
                _STOPS,
            ),
            Claim(
                "it says that it did not converge where two eigenvalues are equally near",
                lambda f: float(f(np.diag([1.0, 3.0]), 2.0, None, 120).converged),
            ),
            Claim(
                "numpy.linalg.eigvals (nearest to the shift)",
                lambda f: max(distance(f(*pair).eigenvalue, _nearest(*pair)) for pair in _PAIRS),
                1e-12,
                _STOPS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                eigenvalue_of_the_inverse,
                "It gives 1 / (eigenvalue - shift)",
                "use the Rayleigh quotient of A itself",
            ),
            Mistake(shift_not_added_back, "It gives the distance from the shift", "add the shift, or ask A itself"),
            Mistake(
                multiplied_instead_of_solved,
                "It finds the eigenvalue that is farthest from the shift",
                "solve (A - shift I) w = v",
            ),
            Mistake(
                inverse_of_a_singular_matrix,
                "It fails where the shift is an eigenvalue",
                "replace a pivot of 0 by a rounding error: the solution points the right way",
            ),
        ),
    ),
    Checks(
        rayleigh_iteration,
        probes=((_symmetric, _start), (_symmetric, 3 * _start), (_skewed,)),
        claims=(
            Claim(
                "eigenvalue and vector belong together",
                lambda f: max(_off(f, _symmetric, _start), _off(f, _symmetric), _off(f, _skewed)),
                1e-12,
                _STOPS,
            ),
            Claim("each step cubes the residual of a symmetric matrix", _cubed, 1e-14, "rounding errors remain"),
            Claim(
                "the length of the start does not matter",
                lambda f: distance(f(_symmetric, 3 * _start).residuals, f(_symmetric, _start).residuals),
                1e-12,
                _STOPS,
            ),
            Claim("it says that it did not converge for a rotation", lambda f: float(f(_rotation).converged)),
            Claim(
                "numpy.linalg.eigvalsh (one of the eigenvalues)",
                lambda f: np.abs(np.linalg.eigvalsh(_symmetric) - f(_symmetric, _start).eigenvalue).min(),
                1e-12,
                _STOPS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                shift_never_renewed,
                "The residual falls by the same factor in each step",
                "use the newest Rayleigh quotient as shift",
            ),
            Mistake(
                quotient_not_divided,
                "The length of the start decides what is found",
                "divide by v·v, or start from a unit vector",
            ),
        ),
    ),
    Checks(
        qr_algorithm,
        probes=((_general,), (_symmetric,), (_cycle,), (_close,)),
        claims=(
            Claim("a rotation by 90° has i and -i", lambda f: distance(f(_rotation), [-1j, 1j]), 1e-12, _LAST_BITS),
            Claim(
                "their sum is the trace",
                lambda f: max(distance(np.sum(f(a)), np.trace(a)) for a in (_general, _odd, _symmetric)),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "the cube roots of 1 for a cycle of three",
                lambda f: distance(f(_cycle) ** 3, np.ones(3)),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "eigenvalues from 1 to 15 keep their digits",
                lambda f: distance(f(_close), np.arange(1.0, 16.0)),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "numpy.linalg.eigvals",
                lambda f: max(distance(np.sort_complex(f(a)), _sorted_by_numpy(a)) for a in (_general, _odd, _skewed)),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                diagonal_after_unshifted_steps,
                "Complex pairs come out as real numbers that are no eigenvalues",
                "solve for the eigenvalues of the blocks of two rows that remain, and use shifts",
            ),
            Mistake(factors_not_exchanged, "The diagonal of the matrix comes out", "multiply R by Q, not Q by R"),
            Mistake(real_parts, "A rotation gets the eigenvalue 0 twice", "return complex numbers where there are any"),
            Mistake(
                roots_of_the_characteristic_polynomial,
                "Half of the digits are wrong for the eigenvalues 1 to 15",
                "never compute coefficients: rounding one of them moves the roots",
            ),
        ),
    ),
    Checks(
        jacobi_eigh,
        probes=((_symmetric,), (_asymmetric,)),
        claims=(
            Claim(
                "v diag(w) vᵀ is the matrix, and vᵀ v the identity",
                lambda f: max(_solved(f, a) for a in (_symmetric, _tie, _cycle + _cycle.T)),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "ascending",
                lambda f: max(0.0, *(float(np.max(-np.diff(f(a)[0]))) for a in (_symmetric, _tie, _graded))),
            ),
            Claim("a matrix that is not symmetric is refused", lambda f: _refuses(f, _asymmetric), edge=True),
            Claim(
                "numpy.linalg.eigh (eigenvalues)",
                lambda f: max(distance(f(a)[0], np.linalg.eigh(a)[0]) for a in (_symmetric, _tie, _cycle + _cycle.T)),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(largest_first, "The largest eigenvalue comes first", "sort ascending, and the vectors along"),
            Mistake(vectors_in_rows, "v diag(w) vᵀ is another matrix", "eigenvectors are the columns of v"),
            Mistake(vectors_left_behind, "A v[:, i] is not w[i] v[:, i]", "sort the columns of v with the eigenvalues"),
            Mistake(
                one_triangle_read,
                "It answers for a matrix that is not symmetric, as if it were",
                "compare the matrix with its transpose first",
                "numpy.linalg.eigh, by design",
            ),
            Mistake(off_diagonal_ignored, "v is the identity", "rotate until nothing is left off the diagonal"),
        ),
    ),
    Checks(
        characteristic_polynomial,
        probes=((_odd,), (_general,)),
        claims=(
            Claim(
                "x² - 5 x + 2 for ((3, 1), (4, 2))",
                lambda f: distance(f(np.array([[3.0, 1.0], [4.0, 2.0]])), [1.0, -5.0, 2.0]),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "its values are determinants of x I - A",
                lambda f: max(
                    distance(np.polyval(f(a), x), np.linalg.det(x * np.eye(len(a)) - a))
                    for a in (_odd, _general)
                    for x in (-1.0, 0.0, 2.0)
                ),
                1e-11,
                "determinants around 100, where sums of products around 100 cancel",
            ),
            Claim(
                "similar matrices share it",
                lambda f: distance(f(_s @ _odd @ np.linalg.inv(_s)), f(_odd)),
                1e-11,
                "the condition number of the similarity is about 3",
            ),
            Claim(
                "numpy.poly",
                lambda f: max(distance(f(a), np.poly(a)) for a in (_odd, _general, _symmetric)),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                sign_of_an_odd_size,
                "It begins with -1 for a matrix of odd size",
                "expand det(x I - A), which always begins with 1",
            ),
            Mistake(lowest_power_first, "The coefficient 1 comes last", "begin with the highest power"),
            Mistake(
                determinant_last,
                "The last coefficient has the wrong sign for a matrix of odd size",
                "it is (-1)^n det(A)",
            ),
            Mistake(trace_not_negated, "The sum of the roots is minus the trace", "the second coefficient is -tr(A)"),
        ),
    ),
)
