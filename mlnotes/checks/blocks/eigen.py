"""What eigenvalue solvers must satisfy, and how they are usually got wrong."""

import math

import numpy as np

from mlnotes.arrays import require_symmetric
from mlnotes.blocks.eigen import (
    Eigenpair,
    characteristic_polynomial,
    inverse_iteration,
    jacobi_eigh,
    power_iteration,
    qr_algorithm,
    rayleigh_iteration,
    rayleigh_quotient,
)
from mlnotes.checks.bank import Checks, Claim, Mistake, call, distance, frozen, oracle

_rng = np.random.default_rng(17)
_v = np.linalg.qr(_rng.normal(size=(5, 5)))[0]
_s = np.triu(_rng.normal(size=(5, 5)), 1) / 5 + np.eye(5)
_w = [4.0, 2.0, 1.0, 0.5, -1.5]
_general, _odd, _symmetric, _skewed, _start = frozen(_rng.normal(size=(6, 6)), _rng.normal(size=(5, 5)),
    (_v * _w @ _v.T + (_v * _w @ _v.T).T) / 2, _s * _w @ np.linalg.inv(_s), _v[:, 0] + 0.3 * _v[:, 1] - 0.3 * _v[:, 3])
_negative, _rotation, _tie, _ones_missed, _cycle, _close, _asymmetric, _graded, _two, _uneven, _rounded = frozen(
    -_skewed, np.array([[0.0, -1.0], [1.0, 0.0]]), np.diag([2.0, -2.0, 1.0]),
    np.array([[2.0, -1.0], [-1.0, 2.0]]),  # (1, 1) belongs to 1, (1, -1) to 3
    np.roll(np.eye(3), 1, axis=0), np.diag(np.arange(1.0, 16.0)) + np.diag(np.full(14, 1e-3), 1),
    np.array([[1.0, 2.0], [0.0, 1.0]]), np.array([[1.0, 1e-6, 0.0], [1e-6, 1e-6, 1e-12], [0.0, 1e-12, 1e-12]]),
    np.array([[3.0, 1.0], [4.0, 2.0]]), np.array([[1.0, 1e8, 0.0], [1e-8, 2.0, 1e-9], [1.0, 1e9, 3.0]]),
    np.array([[2.0, 0.1 + 0.2, 1e-17], [0.3, 1.0, 0.0], [0.0, 0.0, 3.0]]),
)
_large = frozen(np.array([[1e6, 1e6 * (0.1 + 0.2)], [3e5, -1e6]]))[0]
_LAST_BITS = {"tolerance": 1e-12, "why": "a few dozen rotations or reflections in float64: a few units of 1e-16"}
_STOPS = {"tolerance": 1e-12, "why": "the iteration stops at a residual of 10 n times 2e-16; matrices with skew axes "
    "enlarge it a little"}
_DIVIDED = {"tolerance": 1e-12, "why": "one division in float64"}
_CUBED = {"tolerance": 1e-14, "why": "rounding errors remain"}
_DETERMINANTS = {"tolerance": 1e-11, "why": "determinants around 100, where sums of products around 100 cancel"}
_SIMILAR = {"tolerance": 1e-11, "why": "the condition number of the similarity is about 3"}
_PAIRS = ((_symmetric, 3.3), (_skewed, 0.8), (_skewed, -1.0))


def power_steps(ratio, digits):
    """Count the steps of power iteration that gain some decimal digits."""
    return math.ceil(-digits / math.log10(ratio))


def _signed(v):
    """Let the largest entry of every vector, in a column, be positive: an eigenvector has no sign."""
    v = np.asarray(v)
    return v * np.sign(np.take_along_axis(v, np.argmax(np.round(np.abs(v), 6), axis=0, keepdims=True), axis=0))


def _seen(version, a, *shift, **options):
    """Take from an iteration what does not depend on the random start, unless it is given; nan for the rest."""
    found = version(a, *shift, **options)
    found = Eigenpair(*found) if isinstance(found, tuple) else found
    known = "start" in options or (found.converged and "tolerance" not in options)
    seen = {"converged": bool(found.converged), "eigenvalue": found.eigenvalue if known else np.nan,
            "vector": _signed(found.vector) * (1 if known else np.nan)}
    if "start" in options:
        seen |= {"estimates": np.asarray(found.estimates)[:3], "residuals": np.asarray(found.residuals)[:3]}
    counted = not found.converged or "tolerance" in options
    return seen | {"steps": len(found.residuals) - 1 if counted else np.nan}


def _solution(version, a):
    """Take signs out of eigenvectors, and the vectors themselves where eigenvalues are equal."""
    w, v = map(np.asarray, version(a))
    if len(a) > 1 and np.diff(np.linalg.eigvalsh(a)).min() < 1e-6:
        return {"w": w, "v * w @ v.T": v * w @ v.T, "v.T @ v": np.round(v.T @ v, 14) + 0}  # no noise, no -0
    return {"w": w, "v": _signed(v)}


def _by_blocks(a, p, q):
    return np.linalg.eigh(a[np.ix_([p, q], [p, q])])[1]


def _by_angles(a, p, q):
    angle = np.arctan2(2 * a[p, q], a[q, q] - a[p, p]) / 2
    return np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])


def _one_sweep(a, turn, order):
    """Rotate each pair once, row by row or column by column."""
    require_symmetric(a=a)
    a, v = np.array(a, float), np.eye(len(a))
    pairs = [(p, q) for p in range(len(a)) for q in range(p + 1, len(a))]
    for p, q in sorted(pairs, key=lambda it: it[::order]):
        j = np.eye(len(a))
        j[np.ix_([p, q], [p, q])] = turn(a, p, q)
        a, v = j.T @ a @ j, v @ j
    order = np.argsort(np.diag(a))
    return np.diag(a)[order], v[:, order]


def _sorted_alone(a, order):
    """Rotate by small angles, row by row or column by column, and sort the eigenvalues without their vectors."""
    require_symmetric(a=a)
    a, v = np.array(a, float), np.eye(len(a))
    pairs = sorted(((p, q) for p in range(len(a)) for q in range(p + 1, len(a))), key=lambda it: it[::order])
    for p, q in 20 * pairs:
        if a[p, q] != 0:
            z = (a[q, q] - a[p, p]) / (2 * a[p, q])
            t = np.copysign(1, z) / (abs(z) + np.hypot(1, z))
            j = np.eye(len(a))
            j[np.ix_([p, q], [p, q])] = np.array([[1, t], [-t, 1]]) / np.hypot(1, t)
            a, v = j.T @ a @ j, v @ j
    return np.sort(np.diag(a)), v


def _off(f, a, *arguments):
    """Measure how far the result is from an eigenpair."""
    found = f(a, *arguments)
    return distance(a @ found.vector, found.eigenvalue * found.vector)


def _dominant(version, a):
    """Give the eigenvalue of largest modulus and its vector without signs."""
    if version is not np.linalg.eig:
        found = version(a)
        return np.append(found.eigenvalue, np.abs(found.vector))
    w, v = np.linalg.eig(a)
    i = np.argmax(np.abs(w))
    return np.append(w[i].real, np.abs(v[:, i].real))


def _nearest(a, shift):
    w = np.linalg.eigvals(a)
    return w[np.argmin(np.abs(w - shift))].real


def _cubed(f):
    """Measure by how much the residual after a step exceeds the cube of the one before."""
    residuals = np.asarray(f(_symmetric, _start).residuals)
    before = residuals[:-1]
    return float(np.max(residuals[1:] - np.maximum(before**3, 1e-14), initial=0.0) + (len(residuals) < 3))


def _refuses(f):
    try:
        f(_asymmetric)
    except ValueError:
        return 0.0
    raise AssertionError("it says nothing about entries that differ from their mirror images")


def _solved(f):
    pairs = [(*f(a), a) for a in (_symmetric, _tie, _cycle + _cycle.T)]
    return max(max(distance(v * w @ v.T, a), distance(v.T @ v, np.eye(len(a)))) for w, v, a in pairs)


def _leverrier(a, divided=True, added=np.eye):
    """Expand by Leverrier's recursion, with a slip."""
    m, p = np.eye(len(a)), [1.0]
    for k in range(1, len(a) + 1):
        p.append(-np.trace(a @ m) / (k if divided else 1))
        m = a @ m + p[-1] * added(len(a))
    return np.array(p)


def _iterations():
    """Call an iteration with each option alone, and with all."""
    return (
        call(_symmetric, start=_start), call(_skewed, start=5 * _start).about("a longer start"),
        call(_symmetric, steps=0).about("no step"), call(_skewed, steps=1, start=_start),
        call(_symmetric, tolerance=10.0).about("a large tolerance"),
        call(100 * _symmetric, start=_start, steps=7, tolerance=0.02).about("a tolerance"),
        *(call(_skewed, start=_start, tolerance=it).about("a tolerance") for it in (0.1, 0.01, 0.003)),
        call(np.zeros((2, 2)), start=np.array([3.0, 4.0])).about("zeros"),
        call(np.diag([1.0, 3.0]), start=np.array([0.0, 2.0]), steps=0).about("an eigenvector as start, and no step"))


_VALUE, _STOP, _STEP = "v @ image", "converged = residuals[-1] <= goal", "v = _unit(step(a, v, estimates[-1]))"
_ITERATED = "_iterate(step, a, start, steps, tolerance)"
_FOUND, _COEFFICIENTS = "found = qr_iteration(a)", "return times_power_of_two(p[-1]"
_SHIFTED = "- scaled[-1] * np.eye(len(a))"
_TRUSTED = Mistake("always converged", ("bool(converged))", "True)"), "It never says that it did not converge",
    "compare the residual with a tolerance")
_LONG = Mistake("quotient not divided",
    ("_unit(by_power_of_two(working_copy(start))[0]).astype(a.dtype)", "start.astype(a.dtype)"),
    "The first estimate grows with the square of the start's length", "divide the start by its length")
_OTHER_LENGTHS = tuple(Mistake("another length", (("return x / np.linalg.norm(x)", f"return x / {length}"),
    ("estimates.append(v @ image)", "estimates.append(v @ image / (v @ v))")),
    "The vector does not have length one", "divide by the length, the root of the sum of squares")
    for length in ("np.abs(x).max()", "np.abs(x).sum()"))


def _value_of(text):
    """Return another eigenvalue for what an inverse iteration has found."""
    return (f"return {_ITERATED}", f"found = {_ITERATED}\n    values = {text}\n    "
            "return Eigenpair(float(values[-1]), found.vector, values, found.residuals, found.converged)")


def _unshifted(product, result="a"):
    """Iterate as the first chapter on the subject does."""
    return (_FOUND, f"for _ in range(100):\n        q, r = np.linalg.qr(a)\n        a = {product}\n"
                    f"    return np.sort(np.diag({result}))\n    {_FOUND}")


CHECKS = (
    Checks(power_iteration, run=_seen,
        cases=(
            call(_ones_missed), call(_two), call(_skewed), call(np.array([[-7.0]])).about("one row"),
            call(1e9 * _negative).about("a large negative eigenvalue"), *_iterations(),
            call(_tie, steps=40).about("eigenvalues 2 and -2"), call(_rotation, steps=40).about("a rotation"),
            call(1e200 * _skewed).about("entries of 1e200", edge=True),
            call(1e-200 * _skewed).about("entries of 1e-200", edge=True, absolute=0)),
        claims=(
            Claim("eigenvalue and vector belong together",
                lambda f: max(_off(f, a) for a in (_symmetric, _skewed, _negative)), **_STOPS),
            Claim("the vector has length one", lambda f: abs(np.linalg.norm(f(_skewed).vector) - 1), **_DIVIDED),
            Claim("it says that it converged, also where the largest eigenvalue is negative",
                lambda f: float(not all(f(a).converged for a in (_skewed, _negative)))),
            Claim("it says that it did not converge for eigenvalues 2 and -2, and for a rotation",
                lambda f: float(any(f(a, None, 120).converged for a in (_tie, _rotation)))),
            Claim("the largest eigenvalue of ((2, -1), (-1, 2)) is 3",
                lambda f: distance(f(_ones_missed).eigenvalue, 3.0), **_STOPS),
            oracle("numpy.linalg.eig (largest modulus)", np.linalg.eig, call(_symmetric), call(_skewed),
                call(_negative), run=_dominant, **_STOPS)),
        mistakes=(
            Mistake("length as eigenvalue", (_VALUE, "np.linalg.norm(image)"),
                "A negative eigenvalue comes out positive", "use the Rayleigh quotient v·Av / v·v, which has a sign"),
            Mistake("never normalized", ((f"{_STEP}.astype(a.dtype)", "v = step(a, v, estimates[-1])"),
                (_VALUE, f"{_VALUE} / (v @ v)"), ("by_power_of_two(working_copy(a))", "working_copy(a), 0")),
                "The vector grows or shrinks in every step, and in the end overflows or vanishes",
                "divide by its length after every step"),
            Mistake("standing estimate",
                (_STOP, "converged = len(estimates) > 1 and abs(estimates[-1] - estimates[-2]) <= goal"),
                "It calls the estimate of a rotation converged, which has no real eigenvalue",
                "stop by the residual: an estimate that stands still proves nothing"),
            Mistake("standing vector", ((_STOP, "converged = np.linalg.norm(v - before) <= tolerance"),
                (_STEP, f"before, {_STEP}".replace("= _unit", "= v, _unit")), ("v = _unit_start(start, a)",
                "before, v = math.inf, _unit_start(start, a)")),
                "It does not stop where the largest eigenvalue is negative: the vector changes its sign every time",
                "stop by the residual"),
            _TRUSTED,
            Mistake("start of ones", ("np.random.default_rng(0).normal(size=len(a))", "np.ones(len(a))"),
                "It finds 1 instead of 3 for ((2, -1), (-1, 2)): the ones have no share of that eigenvector",
                "start from random numbers"),
            *_OTHER_LENGTHS,
            Mistake("divided by the largest entry", ("return x / np.linalg.norm(x)", "return x / np.abs(x).max()"),
                "The vector does not have length one, and v·Av is no Rayleigh quotient",
                "divide by the length"),
            _LONG,
            Mistake("absolute tolerance", ("tolerance * float(np.linalg.norm(a))", "tolerance * 2.0**-exponent"),
                "A matrix of large numbers needs more steps than one of small ones",
                "compare the residual with the tolerance times the norm of the matrix"))),
    Checks(inverse_iteration, run=_seen,
        cases=(
            call(_two, 1.0), call(_ones_missed, 2.5), call(_symmetric, 3.3), *_iterations(),
            call(_skewed, -1.4).about("a negative shift"),
            call(_cycle, 0.5, start=np.array([3.0, 1.0, 0.0]), steps=2).about("rows exchanged in a cycle"),
            call(np.diag([1.0, 2.0, 4.0]), 2.0).about("an eigenvalue as shift"),
            call(_skewed, -1.0, start=_start, steps=3, tolerance=1e-3).about("all options"),
            call(np.diag([1.0, 3.0]), 2.0, steps=30).about("two eigenvalues equally near"),
            call(1e200 * _skewed, 9.9e199).about("entries of 1e200", edge=True)),
        claims=(
            Claim("eigenvalue and vector belong together", lambda f: max(_off(f, *pair) for pair in _PAIRS), **_STOPS),
            Claim("an eigenvalue may be the shift",
                lambda f: distance(f(np.diag([1.0, 2.0, 4.0]), 2.0).eigenvalue, 2.0), **_STOPS),
            Claim("it says that it did not converge where two eigenvalues are equally near",
                lambda f: float(f(np.diag([1.0, 3.0]), 2.0, None, 120).converged)),
            oracle("numpy.linalg.eigvals (nearest to the shift)", _nearest, *(call(*pair) for pair in _PAIRS),
                run=lambda f, *pair: f(*pair) if f is _nearest else f(*pair).eigenvalue, **_STOPS)),
        mistakes=(
            Mistake("eigenvalue of the inverse", _value_of("1 / (found.estimates - shift)"),
                "It gives 1 / (eigenvalue - shift)", "use the Rayleigh quotient of A itself"),
            Mistake("shift not added back", _value_of("found.estimates - shift"),
                "It gives the distance from the shift", "add the shift, or ask A itself"),
            Mistake("multiplied instead of solved", (("step(a, v, estimate)", "step(_, v, estimate)"),
                ("_solve_for_direction(factors, v)", "a @ v - shift * v")),
                "It finds the eigenvalue that is farthest from the shift", "solve (A - shift I) w = v"),
            Mistake("inverse of a singular matrix", (("_shifted_lu(working_copy(a), shift)",
                "np.linalg.inv(a - shift * np.eye(len(a)))"), ("_solve_for_direction(factors, v)", "factors @ v")),
                "It can fail where the shift is an eigenvalue",
                "replace a pivot of 0 by a rounding error: the solution points the right way"),
            *_OTHER_LENGTHS,
            Mistake("shift added", (_SHIFTED, _SHIFTED.replace("-", "+", 1)),
                "It finds the eigenvalue nearest to minus the shift", "solve (A - shift I) w = v"),
            Mistake("shift taken from every entry", (_SHIFTED, "- scaled[-1]"), "What is solved is not A - shift I",
                "subtract shift * np.eye(n), not the number"),
            _TRUSTED)),
    Checks(rayleigh_iteration, run=_seen,
        cases=(
            *_iterations(), call(np.array([[-7.0]])).about("one row"),
            call(_skewed, start=np.array([1.0, 2.0, 0.0, -1.0, 0.0]), steps=2),
            call(_rotation, steps=10).about("a rotation"),
            call(_cycle, start=np.array([3.0, 1.0, 0.0]), steps=2).about("rows exchanged in a cycle"),
            call(np.diag([2.0, 0.0, 1.0, 1.0]), start=np.ones(4)).about("an eigenvalue as estimate")),
        claims=(
            Claim("eigenvalue and vector belong together",
                lambda f: max(_off(f, _symmetric, _start), _off(f, _symmetric), _off(f, _skewed)), **_STOPS),
            Claim("each step cubes the residual of a symmetric matrix", _cubed, **_CUBED),
            Claim("the length of the start does not matter",
                lambda f: distance(*(f(_symmetric, by * _start).residuals for by in (3, 1))), **_STOPS),
            Claim("it says that it did not converge for a rotation", lambda f: float(f(_rotation).converged)),
            Claim("numpy.linalg.eigvalsh (one of the eigenvalues)",
                lambda f: np.abs(np.linalg.eigvalsh(_symmetric) - f(_symmetric, _start).eigenvalue).min(),
                kind="oracle", **_STOPS)),
        mistakes=(
            Mistake("shift never renewed", (("def step(a, v, estimate):",
                "first = []\n    def step(a, v, estimate):\n        " "first.append(estimate)"),
                ("_shifted_lu(a, estimate)", "_shifted_lu(a, first[0])")),
                "The residual is never cubed: in the long run it falls by a factor",
                "use the newest Rayleigh quotient as shift"),
            _LONG,
            Mistake("multiplied instead of solved",
                ("_solve_for_direction(_shifted_lu(a, estimate), v)", "a @ v - estimate * v"),
                "It moves away from the eigenvector that is near", "solve (A - estimate I) w = v"),
            _TRUSTED)),
    Checks(qr_algorithm,
        cases=(
            call(_two), call(_ones_missed), call(np.array([[-7.0]])).about("one row"), call(_general), call(_odd),
            call(_symmetric).about("a symmetric matrix"), call(_skewed), call(_rotation).about("a rotation"),
            call(_cycle).about("the cube roots of 1"), call(_close).about("eigenvalues from 1 to 15"),
            call(np.diag([1.0, 0.0, 2.0])).about("a diagonal matrix"), call(np.zeros((4, 4))).about("zeros"),
            call(np.roll(np.eye(4), 1, axis=0) + 2 * np.roll(np.eye(4), 2, axis=1)).about("a cycle of four"),
            call(np.triu(_general) + np.diag([0.1, 0, 2, 0, 0], -1)).about("blocks on the diagonal"),
            call(_uneven).about("rows and columns of unlike size"), call(_rng.normal(size=(13, 13))),
            *(call(unit * a).about(f"entries of {unit}", edge=True, absolute=0) for unit in (1e200, 1e-200)
                for a in (_general, _odd, _symmetric))),
        claims=(
            Claim("a rotation by 90° has i and -i", lambda f: distance(f(_rotation), [-1j, 1j]), **_LAST_BITS),
            Claim("their sum is the trace",
                lambda f: max(distance(np.sum(f(a)), np.trace(a)) for a in (_general, _odd, _symmetric)), **_LAST_BITS),
            Claim("the cube roots of 1 for a cycle of three", lambda f: distance(f(_cycle) ** 3, np.ones(3)),
                **_LAST_BITS),
            Claim("eigenvalues from 1 to 15 keep their digits", lambda f: distance(f(_close), np.arange(1.0, 16.0)),
                **_LAST_BITS),
            oracle("numpy.linalg.eigvals", np.linalg.eigvals, call(_general), call(_odd), call(_skewed),
                run=lambda f, a: np.sort_complex(f(a)), **_LAST_BITS)),
        mistakes=(
            Mistake("diagonal after unshifted steps", _unshifted("r @ q"),
                "Complex pairs come out as real numbers that are no eigenvalues",
                "solve for the eigenvalues of the blocks of two rows that remain, and use shifts"),
            Mistake("factors not exchanged", _unshifted("q @ r"), "The diagonal of the matrix comes out",
                "multiply R by Q, not Q by R"),
            Mistake("diagonal of r", _unshifted("r @ q", "r"), "Signs are wrong, and complex pairs are missing",
                "the diagonal of R Q converges to eigenvalues, that of R only up to their signs"),
            Mistake("real parts", ("return found.eigenvalues", "return found.eigenvalues.real"),
                "A rotation by 90° gets the eigenvalue 0 twice", "return complex numbers where there are any"),
            Mistake("eigenvalues of the lower triangle", (_FOUND, "return np.linalg.eigvalsh(a)"),
                "They are right for symmetric matrices, and real for all", "use the matrix as it is"),
            Mistake("roots of the characteristic polynomial", (_FOUND, "return np.sort(np.roots(np.poly(a)))"),
                "Half of the digits are wrong for the eigenvalues 1 to 15",
                "never compute coefficients: rounding one of them moves the roots"))),
    Checks(jacobi_eigh, run=_solution,
        cases=(
            call(_ones_missed), call(np.diag([3.0, -1.0, 2.0])).about("a diagonal matrix"), call(_symmetric),
            call(np.array([[-7.0]])).about("one row"), call(_odd + _odd.T), call(_graded).about("a graded matrix"),
            call(np.ones((4, 4)) + np.eye(4)).about("equal eigenvalues"), call(_tie), call(_cycle + _cycle.T),
            call(_asymmetric).about("a matrix that is not symmetric"),
            call(_rounded).about("a matrix that is symmetric up to rounding errors"),
            call(np.array([[2.0, 1.0 + 1e-6], [1.0, 2.0]])).about("an asymmetry of a millionth"),
            call(np.array([[2.0, 1.0 + 1e-8], [1.0, 2.0]])).about("an asymmetry of 1e-8"),
            call(np.array([[2.0, 1.0 + 1e-11], [1.0, 2.0]])).about("an asymmetry of 1e-11"),
            call(np.array([[4, 1], [1, 2]])).about("integers"),
            call(_large).about("large numbers that are symmetric up to rounding errors"),
            call(1e-100 * _asymmetric).about("small numbers that are not symmetric"),
            call(1e-12 * _rounded).about("entries of 1e-12"),
            call(2.0**-50 * _ones_missed).about("entries of 1e-15"), call(np.eye(2)).about("the identity"),
            call(np.array([[2.0, 0.0, 0.0], [0.0, 2.0, 1.0], [0.0, 1.0, 2.0]])).about(
                "a zero between equal entries of the diagonal"),
            *(call(unit * (_odd + _odd.T)).about(f"entries of {unit}", edge=True, absolute=1e-10)
                for unit in (1e200, 1e-200))),
        claims=(
            Claim("v diag(w) vᵀ is the matrix, and vᵀ v the identity", _solved, **_LAST_BITS),
            Claim("ascending",
                lambda f: max(0.0, *(float(np.max(-np.diff(f(a)[0]))) for a in (_symmetric, _tie, _graded)))),
            Claim("a matrix that is not symmetric is refused", _refuses),
            oracle("numpy.linalg.eigh (eigenvalues)", np.linalg.eigh, call(_symmetric), call(_tie),
                call(_cycle + _cycle.T), run=lambda f, a: f(a)[0], **_LAST_BITS)),
        mistakes=(
            Mistake("largest first", ("return found.w, found.v", "return found.w[::-1], found.v[:, ::-1]"),
                "The largest eigenvalue comes first", "sort ascending, and the vectors along"),
            Mistake("sorted by size", ("np.argsort(np.diag(a)", "np.argsort(np.abs(np.diag(a))"),
                "Negative eigenvalues come after all that are nearer to 0", "sort by value, not by absolute value"),
            Mistake("vectors in rows", ("return found.w, found.v", "return found.w, found.v.T"),
                "v diag(w) vᵀ is another matrix", "eigenvectors are the columns of v"),
            Mistake("vectors left behind", ("v[order].T", "v.T"), "A v[:, i] is not w[i] v[:, i]",
                "sort the columns of v with the eigenvalues"),
            Mistake("one triangle read", ("require_symmetric(a=a)", "a = np.tril(a) + np.tril(a, -1).T"),
                "It answers for a matrix that is not symmetric, as if it were",
                "compare the matrix with its transpose first", "numpy.linalg.eigh, by design"),
            Mistake("stopped at a fixed number", ("found = jacobi_iteration(a)", "found = jacobi_iteration(a, sweeps="
                "100 * int(np.abs(a - np.diag(np.diag(a))).max() > 1e-10))\n    return found.w, found.v"),
                "Matrices of small numbers are left as they are",
                "compare what is off the diagonal with the largest entry"),
            *(Mistake("one sweep", lambda a, by=by, order=order: _one_sweep(a, by, order),
                "After one sweep there is something left off the diagonal",
                "go on until nothing is left, for later rotations fill the zeros of earlier ones again")
                for by in (_by_blocks, _by_angles) for order in (1, -1)),
            Mistake("off-diagonal ignored", ("found = jacobi_iteration(a)", "order = np.argsort(np.diag(a))\n"
                "    return np.diag(a)[order], np.eye(len(a))[:, order]"),
                "The diagonal comes out, with the axes as vectors",
                "rotate until nothing is left off the diagonal"),
            *(Mistake("vectors left behind", lambda a, order=order: _sorted_alone(a, order),
                "A v[:, i] is not w[i] v[:, i]", "sort the columns of v with the eigenvalues") for order in (1, -1)))),
    Checks(characteristic_polynomial,
        cases=(
            call(_two), call(np.array([[-7.0]])).about("one row"), call(np.diag([1.0, 2.0, 4.0])),
            *map(call, (_odd, _general, _symmetric, _cycle)), call(np.zeros((3, 3))).about("zeros"),
            call(100 * _odd).about("entries of 100"), call(1e-100 * _two).about("entries of 1e-100", edge=True)),
        claims=(
            Claim("x² - 5 x + 2 for ((3, 1), (4, 2))", lambda f: distance(f(_two), [1.0, -5.0, 2.0]), **_LAST_BITS),
            Claim("its values are determinants of x I - A", lambda f: max(distance(np.polyval(f(a), x),
                np.linalg.det(x * np.eye(len(a)) - a)) for a in (_odd, _general) for x in (-1.0, 0.0, 2.0)),
                **_DETERMINANTS),
            Claim("similar matrices share it", lambda f: distance(f(_s @ _odd @ np.linalg.inv(_s)), f(_odd)),
                **_SIMILAR),
            oracle("numpy.poly", np.poly, call(_odd), call(_general), call(_symmetric), **_LAST_BITS)),
        mistakes=(
            Mistake("sign of an odd size", (_COEFFICIENTS, _COEFFICIENTS.replace(" ", " (-1) ** len(a) * ")),
                "It begins with -1 for a matrix of odd size", "expand det(x I - A), which always begins with 1"),
            Mistake("signs alternate", (_COEFFICIENTS, _COEFFICIENTS.replace(" ", " (-1) ** np.arange(len(a) + 1) * ")),
                "Its roots are the eigenvalues with the opposite sign", "expand det(x I - A), not det(x I + A)"),
            Mistake("determinant last", (_COEFFICIENTS, f"p[-1][-1] *= (-1) ** len(a)\n    {_COEFFICIENTS}"),
                "The last coefficient has the wrong sign for a matrix of odd size", "it is (-1)^n det(A)"),
            Mistake("trace not negated", (_COEFFICIENTS, f"p[-1][1] *= -1\n    {_COEFFICIENTS}"),
                "The sum of the roots is minus the trace", "the second coefficient is -tr(A)"),
            Mistake("first coefficient left out", (f"{_COEFFICIENTS}, exponent * np.arange(len(h) + 1)",
                f"{_COEFFICIENTS}[1:], exponent * np.arange(1, len(h) + 1)"), "There are as many coefficients as rows",
                "begin with the 1 of the highest power"),
            Mistake("signs of the coefficients", (_COEFFICIENTS, f"p[-1][1:] *= -1\n    {_COEFFICIENTS}"),
                "All coefficients after the 1 have the wrong sign",
                "a coefficient is minus the trace divided by k, and added to the matrix"),
            Mistake("trace not divided", lambda a: _leverrier(a, divided=False),
                "From the third coefficient on it is not that of det(x I - A)", "divide the k-th trace by k"),
            Mistake("coefficient added everywhere", lambda a: _leverrier(a, added=lambda n: 1.0),
                "Every entry of the matrix of the recursion gets the coefficient", "add it times np.eye(n)"),
            Mistake("coefficient not added", lambda a: _leverrier(a, added=lambda n: 0.0),
                "Its coefficients are -tr(Aᵏ)/k", "add the coefficient times np.eye(n) to A M"),
            Mistake("a point too few", lambda a: np.polyfit(x := np.arange(len(a)),
                [np.linalg.det(t * np.eye(len(a)) - a) for t in x], len(a) - 1),
                "It has the degree n - 1, through n points", "take n + 1 points, and the degree n"))),
    Checks(rayleigh_quotient,
        cases=(
            call(_two, np.array([1.0, 0.0])), call(_two, np.array([3.0, 1.0])).about("a length of more than 1"),
            call(_two, np.array([0.0, 1.0])), call(_ones_missed, np.array([1.0, -1.0])).about("entries whose sum is 0"),
            call(_odd, _start), call(-_odd, 2 * _start),
            call(_two, np.array([-1.0, 0.0])).about("a vector without a positive entry"),
            call(_two, np.array([1e200, 2e200])).about("a vector of 1e200", edge=True),
            call(1e200 * _two, np.array([1.0, 2.0])).about("entries of 1e200", edge=True)),
        claims=(
            Claim("no other number makes Av - number v shorter", lambda f: max(0.0, *(float(np.linalg.norm(_odd
                @ _start - f(_odd, _start) * _start) - np.linalg.norm(_odd @ _start - (f(_odd, _start) + d)
                * _start)) for d in (-1e-3, 1e-3)))),
            oracle("least squares by numpy.linalg.lstsq", lambda a, v: np.linalg.lstsq(v[:, None], a @ v)[0][0],
                call(_odd, _start), call(_two, np.array([3.0, 1.0])), **_LAST_BITS)),
        mistakes=(
            Mistake("length left in", ("v = _unit_start(v, scaled)", "v = np.asarray(v, float)"),
                "A vector twice as long has an estimate four times as large", "divide by the squared length"),
            *(Mistake("ratios averaged", it, "It averages the ratios of coordinates, which are alike for eigenvectors "
                "only", "divide vᵀAv by vᵀv: then large coordinates count more") for it in (
                lambda a, v: np.mean((a @ v)[v != 0] / v[v != 0]), lambda a, v: np.mean((a @ v) / v))),
            Mistake("length instead of projection", ("v @ scaled @ v", "np.linalg.norm(scaled @ v)"),
                "The sign is lost, and it is right for eigenvectors only", "multiply the image by the vector"),
            Mistake("projected on the image", ("v @ scaled @ v", "(scaled @ v) @ (scaled @ v) / (v @ scaled @ v)"),
                "It is right for eigenvectors only", "divide vᵀAv by vᵀv: the nearest multiple of v is asked for"),
            Mistake("ratio of the largest coordinate",
                lambda a, v: (a @ v)[np.argmax(np.abs(v))] / v[np.argmax(np.abs(v))],
                "It is right for eigenvectors only", "divide vᵀAv by vᵀv, to which all coordinates add"))),
    Checks(power_steps,
        cases=(
            call(0.5, 3), call(0.9, 12), call(0.99, 12), call(0.421, 1), call(0.5, 0).about("no digit"),
            *(call(0.1, it).about("a ratio of a tenth, whose power is a limit itself", edge=True) for it in (3, 5, 7))),
        claims=(
            Claim("they are enough, and one less is not", lambda f: float(not all(r ** f(r, d) <= 10.0**-d
                < r ** (f(r, d) - 1) for r, d in ((0.5, 3), (0.9, 12), (0.99, 7), (0.3, 2))))),
            oracle("counting", lambda r, d: next(k for k in range(9999) if r**k <= 10.0**-d), call(0.5, 3),
                call(0.9, 12))),
        mistakes=(
            Mistake("natural digits", ("log10", "log"), "It counts factors of e",
                "a digit is a factor of 10: multiply by log 10"),
            Mistake("rounded down", ("math.ceil", "math.floor"), "The last step is missing", "round up"),
            Mistake("one more in any case",
                ("math.ceil(-digits / math.log10(ratio))", "math.floor(-digits / math.log10(ratio)) + 1"),
                "For no digit it takes a step, too", "round up, which leaves a whole number as it is"),
            Mistake("not rounded", ("math.ceil", ""), "It is no whole number of steps", "round up"))),
)
