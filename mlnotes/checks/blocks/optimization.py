"""What optimizers must satisfy, and how they are usually got wrong."""

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from mlnotes.blocks.optimization import (
    Problem,
    adam,
    adamw,
    backtracking,
    damped_newton,
    gradient_descent,
    lbfgs,
    lbfgs_direction,
    measured_rate,
    minimize,
    momentum,
    nesterov,
    newton,
    rmsprop,
    wolfe,
)
from mlnotes.checks.bank import Checks, Claim, Mistake, call, distance, frozen, oracle

_rng = np.random.default_rng(19)
_matrix, _saddle, _start, _slope, _steps, _small = frozen(np.array([[3.0, 1.0, 0.0], [1.0, 2.0, 0.5], [0.0, 0.5, 0.4]]),
    np.array([[1.0, 2.0, 0.0], [2.0, -1.0, 0.5], [0.0, 0.5, 0.4]]), np.array([1.0, -2.0, 3.0]), _rng.normal(size=3),
    _rng.normal(size=(3, 3)), np.array([1.0, -2.0]))
_pairs = tuple((s, _matrix @ s) for s in _steps)
_pair = (np.array([1.0, 0.0]), np.array([2.0, 1.0]))
_two_pairs = ((np.array([0.0, 1.0]), np.array([1.0, 3.0])), _pair)
_LAST_BITS = {"tolerance": 1e-12, "why": "a few dozen sums in float64: a few units of 1e-16"}
_WALKED = {"tolerance": 1e-10, "why": "eight steps in float64: rounding grows with the length of the walk"}


def largest_rate(beta, curvature):
    """Tell up to which rate momentum converges along a direction of the given curvature."""
    return 2 * (1 + beta) / curvature


def bowl(x):
    """Give 3x²/2 + xy + y² + y⁴/4, which other coordinates do not change."""
    return float(1.5 * x[0] ** 2 + x[0] * x[1] + x[1] ** 2 + x[1] ** 4 / 4)


def bowl_gradient(x):
    """Differentiate the bowl."""
    return np.array([3 * x[0] + x[1], x[0] + 2 * x[1] + x[1] ** 3, *(0 * x[2:])])


def bowl_hessian(x):
    """Differentiate the bowl twice."""
    return np.array([[3.0, 1.0], [1.0, 2 + 3 * x[1] ** 2]])


def height(x):
    """Give a bowl of three coordinates that is no parabola, with its minimum 0 at 0."""
    return float(x @ _matrix @ x / 2 + np.sum(x**4) / 4)


def slopes(x):
    """Differentiate the height."""
    return _matrix @ x + x**3


def curvatures(x):
    """Differentiate the height twice."""
    return _matrix + np.diag(3 * x**2)


def hills(x):
    """Give a landscape with a saddle at 0."""
    return float(x @ _saddle @ x / 2 + np.sum(x**4) / 4)


def hills_gradient(x):
    """Differentiate the hills."""
    return _saddle @ x + x**3


def hills_hessian(x):
    """Differentiate the hills twice."""
    return _saddle + np.diag(3 * x**2)


def ripple(x):
    """Fall at once by 0.3, and be hardly lower than at the start beyond."""
    return float(-x[0] if x[0] < 0.3 else -1e-6)


def ledge(x):
    """Fall at once by 0.3, and be a little higher than at the start beyond."""
    return float(-x[0] if x[0] < 0.3 else 1e-5)


def fenced(x):
    """Fall at once by 0.3, and have no value beyond."""
    return float(-x[0] if x[0] < 0.3 else np.nan)


def plain(x):
    """Be the same everywhere."""
    return 1.0


def deep(x):
    """Be the same everywhere, below zero."""
    return -3.0


def doubtful(x):
    """Fall at once by 0.3, and be higher than at the start by one rounding error beyond."""
    return float(3 - x[0] if x[0] < 0.3 else np.nextafter(3, 4))


def shallow(x):
    """Rise and fall by no more than a few dozen rounding errors."""
    return float(3 - 1e-14 * np.sin(x[0]))


def _named(f, name):
    f.__name__ = name
    return f


def _falls_flat(fall):
    """Make a function that falls at once by 0.3, and is lower than at the start by so much beyond, and flat there."""
    return (_named(lambda x: float(-x[0] if x[0] < 0.3 else -fall), f"falls_by({fall})"),
        lambda x: np.where(x < 0.3, -1.0, 0.0))


def _falls_up_to(place):
    """Make a function that falls to a place, and is higher than at the start beyond."""
    return _named(lambda x: float(-x[0] if x[0] < place else 1.0), f"falls_up_to({place:.3g})")


def _gully(height, width):
    """Make a function that falls straight to a narrow bottom, and rises straight from there."""
    return (lambda x: float(height * np.hypot(x[0] / width - 37.3, 1e-2)),
        lambda x: height / width * (x / width - 37.3) / np.hypot(x / width - 37.3, 1e-2))


def wave(x):
    """Rise and fall."""
    return float(-np.sin(x[0]))


def wave_gradient(x):
    """Differentiate the wave."""
    return -np.cos(x)


def wave_hessian(x):
    """Differentiate the wave twice."""
    return np.sin(x)[None]


# Functions with slopes and first lengths that promise less, or hardly more, than rounding may hide.
_HIDDEN = ((deep, -1e-14, 1.0), (deep, -1.0, 1e-14), (deep, -2e-13, 1.0), (deep, -2e-12, 1.0), (doubtful, -1.0, 1.0),
    (shallow, -1e-14, 4.5), (_named(lambda x: 1e-30 * plain(x), "low_plain"), -1e-44, 1.0),
    (_named(lambda x: 1e6 * plain(x), "high_plain"), -1e-7, 1e-3))


def _rises(units, value=1.0):
    """Make a function that is higher by so many rounding errors beyond 0.4 than at 0, and lower between."""
    rise = units * 2.0**-52 * value
    return _named(lambda x: value + (rise if x[0] > 0.4 else -1.0 if x[0] else 0.0), f"rises_by_{units:g}_units")


# Rises, values and promises in units of 2**-52 of the value, on both sides of what is allowed.
_AT_ROUNDING = ((3, 1.0, 100), (4, 1.0, 100), (5, 1.0, 100), (3, 1.0, 499), (3, 1.0, 500), (3, 1.0, 501),
    (6 / 1.9, 1.9, 100))

_slow, _fast, _newton, _lbfgs = (_named(gradient_descent(0.01), "gradient_descent(0.01)"),
    _named(gradient_descent(0.2), "gradient_descent(0.2)"), _named(newton(), "newton()"), _named(lbfgs(), "lbfgs()"))
_WALK = (height, slopes, _start)


class _Rate(float):
    """A rate, and the walk that is asked for with it: in a report the call stands as a reader would write it."""

    walk = ""


def _rate(value, walk):
    rate = _Rate(value)
    rate.walk = walk
    return rate


def _hinge_gradient(x):
    """Differentiate the bowl, and let the slope along the second coordinate end at -1.85."""
    return np.array([3 * x[0] + x[1], -1.0 if x[1] < -1.85 else 0.0, 0.0])


def _plateau_gradient(x):
    """Fall along all coordinates, down to a plateau that begins where the first is 0.85."""
    return np.full(3, float(x[0] > 0.85))


def _points(walk, start, count):
    if not isinstance(walk, Iterator):
        raise TypeError("it returns a result once, and should yield one point after another")
    points = [start, *itertools.islice(walk, count)]
    if any(isinstance(it, tuple | list) and np.size(it[0]) == np.size(start) > 1 for it in points):
        raise TypeError("it yields several things at each step, and should yield the point alone")
    points = [np.array(it) if isinstance(it, tuple | list) else it for it in points]
    return np.array(points) if all(type(it) is np.ndarray for it in points) else points


def _steps_of(version, problem, start, count, *settings, **named):
    """Take the first steps, and keep the points as they are handed over."""
    start = np.array(start)
    return _points(version(*settings, **named)(problem, start), start, count)


def _first_steps(version, *settings, **named):
    """Take four steps; some rates ask for another walk, as `_ANEW` says."""
    stepper, walk = version(*settings, **named), getattr(settings[0], "walk", "") if settings else ""
    gradients = {"hinge": _hinge_gradient, "itself": lambda x: x, "plateau": _plateau_gradient}
    problem = Problem(bowl, gradients.get(walk, bowl_gradient))
    if walk == "second":
        _points(stepper(problem, np.array([2.0, 1.0, 0.0])), 0 * _start, 2)
    start = np.array([1.0, -2.0, 3.0])
    count = {"long": 1001, "far": 100}.get(walk, 4)
    points = _points(stepper(problem, start), start, count)
    if len(points) <= count:
        raise AssertionError(f"it ends after {len(points) - 1} steps: go on for ever, `while True`; whoever asks for "
            "the steps decides when there are enough")
    return count if walk == "long" else points[-1] if walk == "far" else points


def _walks(version):
    """Walk down a bowl, away from a saddle, and down a wave, where whole steps are too long."""
    problems = ((Problem(height, slopes, curvatures), _start), (Problem(hills, hills_gradient, hills_hessian),
        [0.2, 0.5, -0.1]), (Problem(wave, wave_gradient, wave_hessian), [0.3]))
    return [_steps_of(version, problem, start, 2) for problem, start in problems]


def _walks_also_where_it_is_flat(version, which=""):
    if which == "linear":
        step = np.diff(_steps_of(version, Problem(np.sum, np.ones_like, lambda x: np.zeros((3, 3))), _start, 1), axis=0)
        return step / np.linalg.norm(step)
    if which == "tiny":
        ridge = Problem(lambda x: 1e-12 * float(np.cos(x[0])), lambda x: np.array([-1e-12 * np.sin(x[0]), 0.0]),
            lambda x: [[-1e-12 * np.cos(x[0]), 0.0], [0.0, 0.0]])
        return [_steps_of(version, ridge, [0.3, 1.0], 2), _steps_of(version, Problem(lambda x: 1e-12 * bowl(x),
            lambda x: 1e-12 * bowl_gradient(x), lambda x: 1e-12 * bowl_hessian(x)), _small, 2)]
    flat = Problem(bowl, bowl_gradient, lambda x: np.pad(bowl_hessian(x), [(0, 1), (0, 1)]))
    return [*_walks(version), _steps_of(version, flat, _start, 2)]


def _found(version, *arguments, **named):
    found = version(*arguments, **named)
    return {name: getattr(found, name) for name in ("x", "points", "values", "gradient_norms", "converged")}


def _conditions(version, function, gradient, x, direction, step=None):
    """Ask whether the strong Wolfe conditions hold, and whether the first length is taken where they hold for it."""
    value, slope = function(x), gradient(x) @ direction
    rounding = 4e-16 * abs(value) if -(step or 1.0) * slope < 1e-13 * abs(value) else 0.0

    def hold(t):
        ahead = x + t * direction
        low = function(ahead) <= value + 1e-4 * t * slope + 2 * rounding
        return low, abs(gradient(ahead) @ direction) <= 0.9 * abs(slope)

    t = version(function, gradient, x, direction, *[] if step is None else [step])
    if t is None:
        return None
    low, flat = hold(t)
    taken = t == (step or 1.0) or not all(hold(step or 1.0))
    return {"it is low enough": low, "it is flat enough": flat, "it is the first trial if that will do": taken}


def _walk(*settings, **named):
    return call(*settings, **named).about("the first four steps from (1, -2, 3)")


_ANEW = (call(_rate(0.1, "second")).about("a second walk with the same stepper"),
    call(_rate(0.02, "long")).about("1001 steps"),
    call(_rate(0.01, "far")).about("where it is after 100 steps"),
    call(_rate(0.1, "itself")).about("with x itself as gradient of |x|²/2"))


def _path(version, *settings):
    """Walk eight steps."""
    return minimize(*_WALK, version(*settings), curvatures, max_steps=8).points


def _first_step(*settings):
    return lambda f: _path(f, *settings)[1] - _start


def _torch(name, settings, torchs):
    """Claim that a version walks the same eight steps as torch."""

    def reference():
        import torch

        x = torch.tensor(_start, requires_grad=True)
        optimizer = getattr(torch.optim, name)([x], **torchs)
        points = [_start]
        for _ in range(8):
            x.grad = torch.tensor(slopes(x.detach().numpy()))
            optimizer.step()
            points.append(x.detach().numpy().copy())
        return np.array(points)

    return Claim(f"torch.optim.{name}", lambda f: distance(_path(f, *settings), reference()), kind="oracle", **_WALKED)


def _miss(find, kinds):
    """Return by how much conditions are missed, from first trials that are too short and too long."""
    p, slope, worst = -slopes(_start), -slopes(_start) @ slopes(_start), 0.0
    for first in (1e-6, 1e-2, 1.0, 50.0):
        t = find(p, slope, first)
        worst = max(worst, height(_start + t * p) - height(_start) - 1e-4 * t * slope)
        worst = max(worst, abs(slopes(_start + t * p) @ p) - 0.9 * abs(slope)) if kinds > 1 else worst
    return float(worst)


def _scipy_accepts(find):
    """Ask SciPy's search for a length that satisfies the same conditions; both must lower the function alike."""
    import scipy.optimize

    p = -slopes(_start)
    theirs = scipy.optimize.line_search(height, slopes, _start, p, c1=1e-4, c2=0.9)[0]
    fall = [height(_start) - height(_start + t * p) for t in (find(p, -p @ p, 1.0), theirs)]
    return max(0.0, 0.1 - min(fall) / max(fall))


def _scipy_bfgs():
    import scipy.optimize

    return scipy.optimize.minimize(height, _start, jac=slopes, method="BFGS", options={"gtol": 1e-9}).x


def _scipy_root():
    import scipy.optimize

    return scipy.optimize.root(lambda x: slopes(x) - 1, _start, jac=curvatures, tol=1e-12).x


def _scipy_lbfgs(gradient, pairs):
    from scipy.optimize import LbfgsInvHessProduct

    s, y = (np.array(column) for column in zip(*pairs, strict=True))
    # SciPy starts from the identity; scaling the pairs by the root of s·y / y·y makes that the scaled one.
    scale = math.sqrt(s[-1] @ y[-1] / (y[-1] @ y[-1]))
    return -(LbfgsInvHessProduct(s / scale, y * scale) @ (gradient * scale)) * scale


def _edge_by_eigenvalues(beta, curvature):
    import scipy.optimize

    def excess(rate):
        step = [[beta, curvature], [-rate * beta, 1 - rate * curvature]]  # of velocity and point
        return np.abs(np.linalg.eigvals(step)).max() - 1

    return scipy.optimize.brentq(excess, 1 / curvature, 5 / curvature, xtol=1e-14, rtol=1e-14)


def _scipy_rate(errors):
    import scipy.stats

    return float(np.exp(scipy.stats.linregress(np.arange(len(errors)), np.log(errors)).slope))


def _saddles_welcome(function, gradient, x0, stepper, hessian=None, max_steps=1000, tolerance=1e-8):
    found = minimize(function, gradient, x0, stepper, hessian, max_steps, tolerance)
    return replace(found, converged=bool(found.gradient_norms[-1] <= tolerance))


_geometric, _settling = frozen(5 * 0.7 ** np.arange(12), np.concatenate([0.1 ** np.arange(4), 1e-3
    * 0.9 ** np.arange(1, 8)]))
_MEAN, _SQUARE = "mean / (1 - beta1**t)", "square / (1 - beta2**t)"
_DIVIDED = "(np.sqrt(unbiased_square) + eps)"
_AS_IT_WAS = ("The first point is the start once more", "take the step, and then yield the point")
_ADAM = (
    Mistake("means not corrected", ((_MEAN, "mean"), (_SQUARE, "square")),
        "With the usual betas the first steps are too long, the very first 1 - beta1 over the root of "
        "1 - beta2 times the rate",
        "divide the means by 1 - beta to the power of t"),
    Mistake("corrected by the power alone", ((_MEAN, "mean / beta1**t"), (_SQUARE, "square / beta2**t")),
        "With the usual betas the steps grow without end", "divide by 1 - beta to the power of t, not by the power"),
    Mistake("only the square corrected", (_MEAN, "mean"), "The first steps are too short",
        "divide both means by 1 - beta to the power of t"),
    Mistake("only the mean corrected", (_SQUARE, "square"),
        "The first steps are too long: the root of 1 - beta2 divides the very first",
        "divide both means by 1 - beta to the power of t"),
    *(Mistake("one correction for both", (f"1 - {it}**t", f"1 - {other}**t"),
        f"Both means are corrected with {other}: the first step is too long",
        f"{mean} needs 1 - {it} to the power of t")
        for it, other, mean in (("beta2", "beta1", "the mean square"), ("beta1", "beta2", "the mean"))),
    Mistake("weights exchanged", (("beta1 * mean + (1 - beta1) * g", "(1 - beta1) * mean + beta1 * g"),
        ("beta2 * square + (1 - beta2) * g**2", "(1 - beta2) * square + beta2 * g**2")),
        "It forgets almost everything in each step", "beta is the part that survives"),
    Mistake("sums for means", (("+ (1 - beta1) * g", "+ g"), ("+ (1 - beta2) * g**2", "+ g**2")),
        "All steps are off by the same factor", "add 1 - beta times the gradient, and times its square"),
    Mistake("steps counted from two",
        ("np.zeros_like(x), np.zeros_like(x), 0", "np.zeros_like(x), np.zeros_like(x), 1"),
        "The first step is too short", "count the steps from 1"),
    Mistake("uphill", ("* x - step", "* x + step"), "The function rises", "subtract the step"),
    Mistake("point before the step", ("x = (1 - rate * weight_decay) * x - step\n            yield x",
        "yield x\n            x = (1 - rate * weight_decay) * x - step"), *_AS_IT_WAS),
    Mistake("one size for all coordinates", ("g**2", "np.mean(g**2)"), "Steep coordinates hold flat ones back",
        "each coordinate has a mean square of its own"),
    Mistake("corrected means kept", (("unbiased_mean = mean", "mean = unbiased_mean = mean"),
        ("unbiased_square = square", "square = unbiased_square = square")),
        "Every step corrects what was corrected before", "keep the means as they are, and correct copies"),
    Mistake("eps before the correction", (_DIVIDED, "(np.sqrt(unbiased_square) + eps / (1 - beta2**t) ** 0.5)"),
        "It agrees with torch only where gradients are large", "correct the square, take the root, then add eps"),
    Mistake("gradient for its mean", ("rate * unbiased_mean", "rate * g"), "It swings where gradients do",
        "step along the mean gradient"),
    Mistake("one beta for both", (("beta2 * square + (1 - beta2) * g**2", "beta1 * square + (1 - beta1) * g**2"),
        (_SQUARE, "square / (1 - beta1**t)")), "`beta2` is never used", "the square has its own"),
    Mistake("steps not counted", ((_MEAN, "mean / (1 - beta1)"), (_SQUARE, "square / (1 - beta2)")),
        "With the usual betas steps after the first are too long, and after about a hundred too short",
        "take the power of t in the corrections"),
    Mistake("eps inside the root", (_DIVIDED, "np.sqrt(unbiased_square + eps)"),
        "It agrees with torch only where gradients are large", "add eps after the root"),
    Mistake("eps forgotten", (_DIVIDED, "np.sqrt(unbiased_square)"), "A coordinate without slope is nan",
        "add eps to what is divided by"),
    Mistake("zero replaced in place of eps", (_DIVIDED, "np.sqrt(np.where(unbiased_square == 0, 1, unbiased_square))"),
        "`eps` is never used", "add eps to the root of every coordinate"),
    Mistake("root forgotten", (_DIVIDED, "(unbiased_square + eps)"), "Small gradients make the longest steps",
        "divide by the root of the mean square"),
    Mistake("betas exchanged", (("beta1 * mean + (1 - beta1) * g", "beta2 * mean + (1 - beta2) * g"),
        ("beta2 * square + (1 - beta2) * g**2", "beta1 * square + (1 - beta1) * g**2"),
        (_MEAN, "mean / (1 - beta2**t)"), (_SQUARE, "square / (1 - beta1**t)")), "It swings widely",
        "beta1 belongs to the mean, beta2 to the mean square"),
    Mistake("eps as the smallest root", (_DIVIDED, "np.maximum(np.sqrt(unbiased_square), eps)"),
        "`eps` counts only where the root is smaller", "add eps to the root of every coordinate"),
    Mistake("power of the difference", ((_MEAN, "mean / (1 - beta1)**t"), (_SQUARE, "square / (1 - beta2)**t")),
        "The first step is right, and later ones are not", "take the power of beta alone: 1 - beta**t"),
    Mistake("sizes for squares", ("g**2", "np.abs(g)"), "The mean of the sizes stands for that of the squares",
        "square the gradient: the root comes after the mean"),
    Mistake("parentheses forgotten", (("beta1 * mean + (1 - beta1) * g", "beta1 * mean + 1 - beta1 * g"),
        ("beta2 * square + (1 - beta2) * g**2", "beta2 * square + 1 - beta2 * g**2")),
        "The mean square becomes negative, and has no root", "put 1 - beta into parentheses, and multiply by that"),
)

CHECKS = (
    Checks(minimize, run=_found,
        cases=(
            call(bowl, bowl_gradient, _small, _lbfgs),
            call(bowl, bowl_gradient, _small, _slow, max_steps=5).about("five steps allowed"),
            call(bowl, bowl_gradient, _small, _slow, max_steps=0).about("no step allowed"),
            call(bowl, bowl_gradient, _small, _fast, tolerance=0.3).about("a tolerance of 0.3"),
            call(bowl, bowl_gradient, np.zeros(2), _fast).about("a start at the minimum"),
            call(bowl, bowl_gradient, _small, _newton, bowl_hessian),
            call(bowl, bowl_gradient, _small, _newton, bowl_hessian, 3, 1e-3).about("all options"),
            call(hills, hills_gradient, np.array([0.2, 0.1, 0.0]), _newton, hills_hessian).about("a saddle"),
            call(wave, wave_gradient, np.array([-1.5]), _newton, wave_hessian).about("a maximum"),
            call(wave, wave_gradient, np.array([-1.0]), _fast, wave_hessian).about("a start near a maximum"),
            call(lambda x: 0.0, bowl_gradient, np.array([1e-4, 0.0]), _slow, tolerance=1.0,
                max_steps=3).about("a gradient that is small from the start"),
            call(*_WALK, _lbfgs),
            call(bowl, bowl_gradient, _small, gradient_descent(2.0)).about("a walk that leaves the numbers", edge=True),
            call(bowl, bowl_gradient, [1, -2], _fast).about("a start of whole numbers", edge=True),
            call(plain, bowl_gradient, _small, _lbfgs).about("a search that fails", edge=True)),
        claims=(
            Claim("the gradient at what it calls converged is below the tolerance", lambda f: max(float(found.converged)
                * np.linalg.norm(slopes(found.x)) for found in (f(*_WALK, stepper, None, 50)
                for stepper in (lbfgs(), gradient_descent(1e-5)))), 1e-8, "the tolerance asked for"),
            Claim("it makes as many steps as allowed, not more",
                lambda f: float(abs(len(f(*_WALK, gradient_descent(1e-5), None, 50).values) - 51))),
            Claim("a saddle is not a minimum, where the Hessian is known",
                lambda f: float(f(hills, hills_gradient, [0.2, 0.1, 0.0], newton(), hills_hessian).converged)),
            Claim("scipy.optimize.minimize", lambda f: distance(f(*_WALK, lbfgs()).x, _scipy_bfgs()), 1e-7,
                "the tolerance of 1e-8, over a curvature of 0.2", "oracle")),
        mistakes=(
            Mistake("stops when steps are short",
                ("norms[-1], tolerance)", "np.linalg.norm(x - points[-2]) if len(points) > 1 else 1e300, tolerance)"),
                "With a small rate it says at once that it has arrived",
                "look at the gradient: the length of a step is the rate's doing"),
            Mistake("stops when the height hardly changes",
                ("norms[-1], tolerance)", "abs(values[-1] - values[-2]) if len(values) > 1 else 1e300, tolerance)"),
                "It stops half of the digits too early: near a minimum the height is flat",
                "look at the length of the gradient"),
            Mistake("looks at the height", ("norms[-1], tolerance)", "abs(values[-1]), tolerance)"),
                "It goes on unless the minimum happens to be 0", "look at the length of the gradient"),
            Mistake("square of the length", ("norms[-1], tolerance)", "norms[-1] ** 2, tolerance)"),
                "It stops too early: the square of 1e-4 is 1e-8", "compare the length itself"),
            Mistake("saddles welcome", _saddles_welcome, "A saddle or a maximum counts as a minimum",
                "look at the eigenvalues of the Hessian where it is known"),
            Mistake("always content", ("*arrays, converged, message)", "*arrays, True, message)"),
                "It never says that it failed",
                "say that it has converged only where the gradient is short, and no known curvature is negative"),
            Mistake("one step more", ("len(points) > max_steps", "len(points) > max_steps + 1"),
                "It makes one step too many", "there is one point more than there are steps"))),
    Checks(gradient_descent, run=_first_steps,
        cases=(_walk(0.1), _walk(0.03)),
        claims=(
            Claim("the first step is minus the rate times the gradient",
                lambda f: distance(_first_step(0.05)(f), -0.05 * slopes(_start)), **_LAST_BITS),
            Claim("every step goes downhill", lambda f: float(max(0, np.max(np.diff([*map(height, _path(f, 0.05))]))))),
            _torch("SGD", (0.05,), {"lr": 0.05})),
        mistakes=(
            Mistake("uphill", ("x - rate", "x + rate"), "The function rises", "subtract the step"),
            Mistake("normalized gradient",
                ("rate * problem.gradient(x)", "rate * (g := problem.gradient(x)) / np.linalg.norm(g)"),
                "All steps have the same length, and it never comes to rest",
                "multiply the gradient itself by the rate"),
            Mistake("start overwritten", ("x = x - rate", "x -= rate"), "All points that were kept are the last one",
                "make a new array: x = x - …, not x -= …"),
            Mistake("gradient of the start", (("while True:", "g = problem.gradient(x)\n        while True:"),
                ("problem.gradient(x)\n            y", "g\n            y")), "All steps are the same",
                "ask for the gradient at every point"),
            Mistake("point before the step", ("x = x - rate * problem.gradient(x)\n            yield x",
                "yield x\n            x = x - rate * problem.gradient(x)"), *_AS_IT_WAS),
            Mistake("one step", ("while True:", "for _ in range(1):"), "It ends after the first step",
                "go on for ever: minimize decides when to stop"))),
    Checks(momentum, run=_first_steps,
        cases=(_walk(0.1), _walk(0.1, beta=0.5), _walk(0.03, 0.8), _walk(0.1, 0.0), *_ANEW,
            call(_rate(0.1, "plateau")).about("a slope that ends in a plateau")),
        claims=(
            Claim("the first step is that of gradient descent",
                lambda f: distance(_first_step(0.02, 0.8)(f), -0.02 * slopes(_start)), **_LAST_BITS),
            Claim("with beta = 0 it is gradient descent",
                lambda f: distance(_path(f, 0.02, 0.0), _path(gradient_descent, 0.02)), **_LAST_BITS),
            _torch("SGD", (0.02, 0.8), {"lr": 0.02, "momentum": 0.8})),
        mistakes=(
            Mistake("velocity of two walks", ("def steps(problem, x):\n        velocity = np.zeros_like(x)",
                "velocity = 0.0\n\n    def steps(problem, x):\n        nonlocal velocity"),
                "A second walk goes on with the velocity of the first",
                "make it within the function that is returned: every walk begins at rest"),
            Mistake("velocity forgotten", ("beta * velocity + ", ""), "It is gradient descent",
                "let beta times the velocity survive each step"),
            Mistake("running mean", ("+ problem.gradient(x)", "+ (1 - beta) * problem.gradient(x)"),
                "It walks as if the rate were 1 - beta times as large, a tenth of it for beta = 0.9",
                "add the whole gradient to the velocity, or divide the rate by 1 - beta",
                "both forms are in use: a rate tuned for one is wrong for the other"),
            Mistake("velocity before the gradient",
                ("velocity = beta * velocity + problem.gradient(x)\n            x = x - rate * velocity",
                "g = problem.gradient(x)\n            x = x - rate * velocity\n            "
                "velocity = beta * velocity + g"), "The first step stands still",
                "update the velocity first, then the point"),
            Mistake("friction on the gradient, too",
                ("beta * velocity + problem.gradient(x)", "beta * (velocity + problem.gradient(x))"),
                "Its first step is too short", "only the old velocity is multiplied by beta"),
            Mistake("friction on the gradient only",
                ("beta * velocity + problem.gradient(x)", "velocity + beta * problem.gradient(x)"),
                "Its first step is too short, and it never comes to rest",
                "multiply the old velocity by beta, and add the whole gradient"),
            Mistake("uphill", ("x - rate", "x + rate"), "The function rises", "subtract the step"),
            Mistake("point before the step",
                (("x = x - rate * velocity\n            yield x", "yield x\n            x = x - rate * velocity"),),
                *_AS_IT_WAS),
            Mistake("gradient of the start",
                (("while True:", "g = problem.gradient(x)\n        while True:"), ("+ problem.gradient(x)", "+ g")),
                "It adds up the same gradient again and again", "ask for the gradient at every point"),
            Mistake("last gradient for the velocity", ("velocity = beta * velocity + problem.gradient(x)\n"
                "            x = x - rate * velocity", "g = problem.gradient(x)\n            "
                "x = x - rate * (g + beta * velocity)\n            velocity = g"), "It remembers one gradient only",
                "keep the velocity, in which all gradients live on"),
            Mistake("no friction", ("beta * velocity", "velocity"), "It never comes to rest",
                "let only beta times the velocity survive"),
            Mistake("Nesterov's step",
                ("x = x - rate * velocity", "x = x - rate * (problem.gradient(x) + beta * velocity)"),
                "Its first step is too long: it is Nesterov's", "let the velocity alone move the point"))),
    Checks(nesterov, run=_first_steps,
        cases=(_walk(0.1), _walk(0.1, beta=0.5), _walk(0.03, 0.8), _walk(0.1, 0.0)),
        claims=(
            Claim("the first step is 1 + beta times that of gradient descent",
                lambda f: distance(_first_step(0.02, 0.8)(f), -0.02 * 1.8 * slopes(_start)), **_LAST_BITS),
            _torch("SGD", (0.02, 0.8), {"lr": 0.02, "momentum": 0.8, "nesterov": True})),
        mistakes=(
            Mistake("plain momentum", ("(g + beta * velocity)", "velocity"), "It is plain momentum",
                "step along g + beta v, which looks one step ahead"),
            Mistake("looks ahead twice", ("(g + beta * velocity)", "(g + beta * velocity + beta**2 * velocity)"),
                "It looks too far ahead, and overshoots", "add beta v once"),
            Mistake("looks back", ("(g + beta * velocity)", "(g - beta * velocity)"), "Its first step is too short",
                "step along g + beta v"),
            Mistake("whole velocity", ("(g + beta * velocity)", "(g + velocity)"),
                "Its first step is twice that of gradient descent", "step along g + beta v"),
            Mistake("points behind", ("yield x", "yield x + rate * beta * velocity"),
                "Its first step is that of gradient descent", "yield the points ahead, at which gradients are taken"),
            Mistake("gradient left out", ("(g + beta * velocity)", "(beta * velocity)"), "Its first step is too short",
                "step along g + beta v"),
            Mistake("point before the step", ("x = x - rate * (g + beta * velocity)\n            yield x",
                "yield x\n            x = x - rate * (g + beta * velocity)"), *_AS_IT_WAS))),
    Checks(rmsprop, run=_first_steps,
        cases=(_walk(), _walk(0.1), _walk(beta=0.5), _walk(eps=0.5), _walk(0.1, 0.75, 0.01)),
        claims=(
            Claim("a gradient a thousand times as large changes nothing", lambda f: distance(*(minimize(plain, lambda x,
                k=k: k * _slope, _start, f(0.02, 0.9, 1e-12), max_steps=5).x for k in (1e3, 1))), 1e-9,
                "eps = 1e-12 beside gradients of about 1"),
            _torch("RMSprop", (0.02, 0.9, 1e-4), {"lr": 0.02, "alpha": 0.9, "eps": 1e-4})),
        mistakes=(
            Mistake("eps under the root", ("(np.sqrt(square) + eps)", "np.sqrt(square + eps)"),
                "It agrees with torch only where gradients are large", "add eps after the root",
                "TensorFlow's tf.train.RMSPropOptimizer adds it under the root: rates do not carry over"),
            Mistake("root forgotten", ("np.sqrt(square) + eps", "square + eps"),
                "Small gradients make the longest steps", "divide by the root of the mean square"),
            Mistake("eps forgotten", ("np.sqrt(square) + eps", "np.sqrt(square)"), "A coordinate without slope is nan",
                "add eps to what is divided by"),
            Mistake("start at zero corrected", (("square = np.zeros_like(x)", "square, t = np.zeros_like(x), 0"),
                ("g = problem.gradient(x)", "g, t = problem.gradient(x), t + 1"),
                ("np.sqrt(square)", "np.sqrt(square / (1 - beta**t))")), "The first steps are too short",
                "correct the start only in Adam"),
            Mistake("squares added up", ("beta * square + (1 - beta) * g**2", "square + g**2"),
                "It becomes slower and slower", "let a part of the old mean be forgotten"),
            Mistake("weights exchanged", ("beta * square + (1 - beta) * g**2", "(1 - beta) * square + beta * g**2"),
                "It forgets almost everything in each step", "beta is the part that survives"),
            Mistake("point before the step", ("x = x - rate * g / (np.sqrt(square) + eps)\n            yield x",
                "yield x\n            x = x - rate * g / (np.sqrt(square) + eps)"), *_AS_IT_WAS),
            Mistake("one size for all coordinates", ("g**2", "np.mean(g**2)"),
                "Steep coordinates hold flat ones back", "each coordinate has a mean square of its own"),
            Mistake("no mean", ("+ (1 - beta) * g**2", "+ g**2"), "Steps are too short by the root of 1 - beta",
                "add 1 - beta times the square"))),
    Checks(adam, run=_first_steps,
        cases=(_walk(), _walk(0.1), _walk(beta1=0.5), _walk(beta2=0.5), _walk(eps=0.5), _walk(0.1, 0.5, 0.75, 0.01),
            _walk(0.1, beta1=0.0), _walk(0.1, beta2=0.0), _walk(0.1, eps=8.0), *_ANEW,
            call(_rate(0.1, "hinge")).about("a slope that ends"),
            call(_rate(0.1, "plateau")).about("a slope that ends in a plateau")),
        claims=(
            Claim("the first step moves every coordinate by the rate",
                lambda f: distance(np.abs(_first_step(0.1, 0.8, 0.95, 1e-12)(f)), np.full(3, 0.1)), 1e-10,
                "eps = 1e-12 beside gradients of about 1"),
            _torch("Adam", (0.1, 0.8, 0.95, 1e-4), {"lr": 0.1, "betas": (0.8, 0.95), "eps": 1e-4})),
        mistakes=(
            *_ADAM,
            Mistake("means of two walks", ("def steps(problem, x):\n        mean, square, t = np.zeros_like(x), "
                "np.zeros_like(x), 0", "mean, square, t = 0.0, 0.0, 0\n\n    def steps(problem, x):\n        "
                "nonlocal mean, square, t"), "A second walk goes on with the means of the first",
                "make them within the function that is returned: every walk begins anew"),
            Mistake("steps of two walks", ("def steps(problem, x):\n        mean, square, t = np.zeros_like(x), "
                "np.zeros_like(x), 0", "t = 0\n\n    def steps(problem, x):\n        nonlocal t\n        "
                "mean, square = np.zeros_like(x), np.zeros_like(x)"), "A second walk goes on counting the steps of the "
                "first", "count them within the function that is returned: every walk begins anew"))),
    Checks(adamw, run=_first_steps,
        cases=(
            _walk(), _walk(0.1), _walk(beta1=0.5), _walk(beta2=0.5), _walk(eps=0.5), _walk(weight_decay=0.5),
            _walk(0.1, weight_decay=0.0), _walk(0.1, 0.5, 0.75, 0.01, 0.25), _walk(0.1, eps=8.0)),
        claims=(
            Claim("without decay it is Adam",
                lambda f: distance(_path(f, 0.1, 0.8, 0.95, 1e-4, 0.0), _path(adam, 0.1, 0.8, 0.95, 1e-4)),
                **_LAST_BITS),
            Claim("without slope it shrinks by rate times decay", lambda f: distance(minimize(plain,
                lambda x: np.full(3, 1e-7), _start, f(0.1, 0.9, 0.999, 1.0, 0.5), max_steps=1).x, 0.95 * _start), 1e-7,
                "a slope of 1e-7, over eps = 1"),
            _torch("AdamW", (0.1, 0.8, 0.95, 1e-4, 0.3), {"lr": 0.1, "betas": (0.8, 0.95), "eps": 1e-4,
                "weight_decay": 0.3})),
        mistakes=(
            Mistake("decay through the gradient", (("problem.gradient(x), t + 1",
                "problem.gradient(x) + weight_decay * x, t + 1"), ("(1 - rate * weight_decay) * x", "x")),
                "Weights with large gradients hardly decay: it is Adam with L2 regularization",
                "shrink the point beside the step, not through the gradient",
                "torch.optim.Adam's weight_decay, by design"),
            Mistake("decay without the rate", ("1 - rate * weight_decay", "1 - weight_decay"),
                "It decays as much at a small rate as at a large one", "multiply the decay by the rate"),
            Mistake("decay forgotten", ("(1 - rate * weight_decay) * x", "x"), "It is Adam",
                "shrink the point by rate times decay in each step"),
            Mistake("decay of the new point",
                ("(1 - rate * weight_decay) * x - step", "(1 - rate * weight_decay) * (x - step)"),
                "Each step differs from torch's, by about rate² times decay", "shrink the point before the step"),
            *_ADAM)),
    Checks(newton, run=_walks,
        cases=(call().about("two steps from (1, -2, 3) on a bowl, (0.2, 0.5, -0.1) on a saddle, 0.3 on a wave"),),
        claims=(
            Claim("the minimum of a parabola is one step away", lambda f: distance(minimize(plain, lambda x: _matrix
                @ x, _start, f(), lambda x: _matrix, 1).x, 0 * _start), **_LAST_BITS),
            Claim("ten steps reach all digits",
                lambda f: float(np.linalg.norm(minimize(*_WALK, f(), curvatures, 10).x)), 1e-15,
                "3e-7 after eight steps, and the ninth cubes it"),
            Claim("the root that scipy.optimize.root finds of the gradient",
                lambda f: distance(minimize(plain, lambda x: slopes(x) - 1, _start, f(), curvatures).x, _scipy_root()),
                1e-8, "the tolerance of 1e-8, over a curvature of 1.3", "oracle")),
        mistakes=(
            Mistake("step added", ("x - np.linalg", "x + np.linalg"), "It runs away", "subtract the step"),
            Mistake("only the diagonal",
                ("np.linalg.solve(h, problem.gradient(x))", "problem.gradient(x) / np.diag(h)"),
                "In a bowl that lies askew it takes many steps, or runs away", "solve a system with the whole Hessian"),
            Mistake("multiplied by the Hessian", ("np.linalg.solve(h, problem.gradient(x))", "h @ problem.gradient(x)"),
                "It hardly moves where it is flat", "solve H p = -g for the step p, do not multiply"),
            Mistake("curvature of the start", ("while True:\n            h = _hessian_at(problem, x)",
                "h = _hessian_at(problem, x)\n        while True:"), "It is slow near the minimum",
                "compute the Hessian at every point"))),
    Checks(damped_newton, run=_walks_also_where_it_is_flat,
        cases=(
            call().about("on a bowl, near a saddle, on a wave, and where one direction is flat"),
            call("tiny").about("where all is flat within 1e-12, and a direction altogether", edge=True, absolute=0.0),
            call("linear").about("on a slope without any curvature", edge=True)),
        claims=(
            Claim("every step goes downhill", lambda f: float(max(0, np.max(np.diff([*map(height, _path(f))]))))),
            Claim("it walks away from a saddle",
                lambda f: float(hills(minimize(hills, hills_gradient, [1e-3] * 3, f(), hills_hessian, 20).x) > -0.1)),
            Claim("the minimum that scipy.optimize.minimize finds",
                lambda f: distance(minimize(*_WALK, f(), curvatures).x, _scipy_bfgs()), 1e-7,
                "the tolerance of 1e-8, over a curvature of 0.2", "oracle")),
        mistakes=(
            Mistake("Newton's own step", newton, "It walks to saddles and maxima",
                "make the curvatures positive: take their absolute values"),
            Mistake("not damped", ("step * direction", "direction"), "The function may rise",
                "halve the step until it falls"),
            Mistake("only the diagonal", ("-v @ (v.T @ g / sizes)", "-g / np.abs(np.diag(_hessian_at(problem, x)))"),
                "A bowl that lies askew takes many steps", "solve a system with the whole Hessian"))),
    Checks(lbfgs_direction,
        cases=(
            call(np.array([3.0, 1.0]), ()).about("no memory"), call(np.array([3.0, 1.0]), (_pair,)),
            call(np.array([3.0, 1.0]), _two_pairs), call(_slope, _pairs), call(_start, _pairs[:2]),
            call(_slope, [*_pairs]).about("a list of pairs")),
        claims=(
            Claim("the last change of the gradient is taken to the last step",
                lambda f: distance(f(_pairs[-1][1], _pairs), -_pairs[-1][0]), **_LAST_BITS),
            Claim("without memory it is minus the gradient", lambda f: distance(f(_slope, ()), -_slope)),
            Claim("it leads downhill", lambda f: float(f(_slope, _pairs) @ _slope >= 0)),
            oracle("scipy.optimize.LbfgsInvHessProduct", _scipy_lbfgs, call(_slope, _pairs), **_LAST_BITS)),
        mistakes=(
            Mistake("oldest pair first", (("in reversed(remembered):", "in remembered:"),
                ("in remembered:\n        q = q +", "in reversed(remembered):\n        q = q +")),
                "The last pair is not reproduced", "go from the newest pair back in the first loop, and from the "
                    "oldest on in the second"),
            Mistake("identity unscaled", ("q = q * sy / (y @ y)", "pass"),
                "Where the pairs say nothing, the direction is that for a curvature of 1", "scale by s·y / y·y"),
            Mistake("scaled by the oldest pair", ("remembered[-1]", "remembered[0]"),
                "Where the pairs say nothing, directions get the length that an old pair suggests",
                "scale by the newest pair"),
            Mistake("scale upside down", ("q * sy / (y @ y)", "q * (y @ y) / sy"),
                "Where the curvature is large the step is long", "scale by s·y / y·y"),
            Mistake("the other scale",
                (("_, y, sy = remembered", "s, y, sy = remembered"), ("q * sy / (y @ y)", "q * (s @ s) / sy")),
                "Where the pairs say nothing, directions are longer than the book's", "scale by s·y / y·y"),
            Mistake("one loop only", ("q = q + (alphas.pop() - y @ q / sy) * s", "pass"),
                "It forgets what the steps were", "add (alpha - y·q / s·y) s in a second loop, oldest first"),
            Mistake("alphas in the wrong order", ("alphas.pop()", "alphas.pop(0)"), "It is right for one pair only",
                "the second loop takes the last alpha first"),
            Mistake("steps and changes exchanged",
                lambda gradient, pairs: lbfgs_direction(gradient, [(y, s) for s, y in pairs]),
                "It multiplies by the Hessian", "s is the step, y the gradient's change"))),
    Checks(backtracking,
        cases=(
            call(bowl, np.array([1.0, 0.0]), np.array([-1.0, 0.0]), -3.0).about("the first length will do"),
            call(bowl, np.array([1.0, 0.0]), np.array([-0.5, 0.0]), -1.5).about("twice the first length would do, too"),
            call(bowl, np.array([1.0, 0.0]), np.array([-3.0, -1.0]), -10.0), call(bowl, np.array([1.0, 0.0]),
            np.array([-3.0, -1.0]), -10.0, 50.0).about("a long first trial"), call(bowl, np.array([1.0, 0.0]),
            np.array([-3.0, -1.0]), -10.0, step=0.001).about("a short first trial"), call(height, _start,
            -slopes(_start), -slopes(_start) @ slopes(_start)), call(ripple, np.zeros(1), np.ones(1),
            -1.0).about("a fall that is hardly worth it"), call(ledge, np.zeros(1), np.ones(1),
            -1.0).about("a ledge a little higher than the start"), call(wave, np.zeros(1), np.ones(1), -1.0,
            400.0).about("hills and valleys"), call(plain, np.zeros(1), np.ones(1),
            -1.0).about("no length lowers the function"),
            call(bowl, np.array([0.0, 0.0]), np.array([0.0, 1e-9]), -1e-30).about(
                "a start at the minimum, where nothing falls", edge=True),
            call(lambda x: 1 + float(x @ x), np.array([1e-9]), np.array([-1.0]), -2e-9).about("rounding", edge=True),
            *(call(_falls_flat(fall)[0], np.zeros(1), np.ones(1), -1.0).about(f"a fall of {fall}")
                for fall in (7e-5, 1.5e-4)),
            *(call(f, np.zeros(1), np.ones(1), slope, step).about("a promise, or a "
                "rise, near what rounding hides") for f, slope,
                step in _HIDDEN),
            *(call(_rises(units, value), np.zeros(1), np.ones(1), -promise * 2.0**-52
                * value).about(f"a rise of {units:.3g} units where {promise} are promised")
                for units, value, promise in _AT_ROUNDING),
            call(fenced, np.zeros(1), np.ones(1), -1.0).about("no value beyond"),
            call(_falls_flat(3e-4)[0], np.zeros(1), np.array([2.0]), -2.0).about("a direction of length 2"),
            call(bowl, np.array([1.0, 0.0]), np.array([-3.0, -1.0]), -10.0, 2.0**90).about("some ninety halvings"),
            call(_falls_up_to(1.5 * 2.0**-99), np.zeros(1), np.ones(1),
                -1.0).about("the hundredth trial is the first that will do"),
            call(_falls_up_to(0.75 * 2.0**-99), np.zeros(1), np.ones(1), -1.0).about(
                "only a trial after the hundredth would do")),
        claims=(
            Claim("Armijo's condition holds",
                lambda f: _miss(lambda p, slope, first: f(height, _start, p, slope, first), 1)),
            Claim("a point that is hardly lower than the start, or a little higher, is not enough",
                lambda f: float(max(h(np.ones(1) * f(h, np.zeros(1), np.ones(1), -1.0))
                for h in (ripple, ledge)) > -0.1)),
            Claim("scipy.optimize.line_search, which asks for more: neither falls ten times as far",
                lambda f: _scipy_accepts(lambda p, slope, first: f(height, _start, p, slope, first)), kind="oracle")),
        mistakes=(
            Mistake("any decrease", ("value + 1e-4 * step * slope", "value"),
                "It accepts a step that gains next to nothing", "ask for a part of what the slope promises"),
            Mistake("first trial",
                ("if function(x + step * direction) < value + 1e-4 * step * slope + slack:", "if True:"),
                "The function may rise", "halve the step until the condition holds"),
            Mistake("point returned", ("return step", "return x + step * direction"), "It gives a point",
                "return the length, as a multiple of the direction"),
            Mistake("promise with the wrong sign", ("value + 1e-4", "value - 1e-4"),
                "It accepts points that are higher", "the slope is negative: add it"),
            Mistake("rounding not allowed", (" + slack", ""), "It gives up where rounding hides what a step would gain",
                "allow a rise of 4 units where the first step promises less than 500"),
            Mistake("rounding always allowed", (" if -step * slope < 500 * eps * abs(value) else 0.0", ""),
                "It accepts a rise where a fall can be seen",
                "allow it only where the first step promises less than 500 units"),
            Mistake("promise of a shorter step", ("step * slope + slack", "step * slope + _slack(value, step, slope)"),
                "Every step promises little once it is short, and then a rise is allowed",
                "ask once what the first step promises"),
            Mistake("half of the promise", ("1e-4", "0.5"), "It asks for half of what the slope promises",
                "ask for a ten-thousandth of it"),
            Mistake("all of the promise", ("1e-4", "1.0"), "It asks for all that the slope promises",
                "ask for a ten-thousandth of it"),
            Mistake("promise of a whole step", ("1e-4 * step * slope", "1e-4 * slope"),
                "It asks a short step for as much as a long one", "the promise is proportional to the step"),
            Mistake("tenths", ("step /= 2", "step *= 0.1"), "It passes by the first length that would do",
                "halve the step"),
            Mistake("promise of the whole direction", ("1e-4 * step * slope", "slope"),
                "However short the step, it asks for all that the slope promises for a whole direction",
                "ask for a ten-thousandth of the slope times the step"),
            Mistake("nan taken", ("if function(x + step * direction) < value + 1e-4 * step * slope + slack:",
                "if not function(x + step * direction) >= value + 1e-4 * step * slope + slack:"),
                "It takes a point where the function has no value", "go on until the value is lower: nan is neither "
                "lower nor higher than a number"))),
    Checks(wolfe, run=_conditions,
        cases=(
            call(bowl, bowl_gradient, np.array([1.0, 0.0]), np.array([-0.5, 0.0])).about("the first length will do"),
            call(bowl, bowl_gradient, np.array([1.0, 0.0]), np.array([-3.0, -1.0])),
            call(bowl, bowl_gradient, np.array([1.0, 0.0]), np.array([-3.0, -1.0]),
                step=1e-6).about("a short first trial"),
            call(bowl, bowl_gradient, np.array([1.0, 0.0]), np.array([-3.0, -1.0]),
                step=50.0).about("a long first trial"),
            *(call(height, slopes, _start, -slopes(_start), first) for first in (1.0, 1e-6, 50.0)),
            call(wave, wave_gradient, np.zeros(1), np.ones(1), 4.5).about("a flat place that is higher"),
            call(wave, wave_gradient, np.zeros(1), np.ones(1), 0.3).about("a slope that is still steep"),
            call(wave, wave_gradient, np.zeros(1), np.ones(1), 3.0).about("a slope that rises too steeply"),
            *(call(*_gully(height, width), np.zeros(1), np.ones(1), step).about("a narrow bottom", edge=True)
                for height, width, step in ((1.0, 1.0, 1.0), (1e-6, 1e3, 0.3), (1e6, 1e-3, 1e3), (1.0, 1.0, 37.3))),
            *(call(*_falls_flat(fall), np.zeros(1), np.ones(1)).about(f"a fall of {fall}", edge=True)
                for fall in (7e-5, 1.5e-4)),
            *(call(f, lambda x, slope=slope: np.where(x == 0, slope, 0.0), np.zeros(1), np.ones(1),
                step).about("a promise, or a rise, near what rounding hides", edge=True) for f, slope, step in _HIDDEN),
            call(lambda x: -float(x[0]), lambda x: -np.ones(1), np.zeros(1), np.ones(1)).about("no bottom",
                edge=True)),
        claims=(
            Claim("both conditions hold, from first trials of 1e-6 to 50",
                lambda f: _miss(lambda p, slope, first: f(height, slopes, _start, p, first), 2)),
            Claim("a flat place higher than the start is not enough",
                lambda f: float(wave(np.ones(1) * f(wave, wave_gradient, np.zeros(1), np.ones(1), 4.5)) > 0)),
            Claim("scipy.optimize.line_search: neither falls ten times as far",
                lambda f: _scipy_accepts(lambda p, slope, first: f(height, slopes, _start, p, first)), kind="oracle")),
        mistakes=(
            Mistake("Armijo alone", ("if not too_long and abs(slope_ahead) <= 0.9 * abs(slope):", "if not too_long:"),
                "A first trial that is too short is accepted", "lengthen the step while most of the slope is left"),
            Mistake("any flat place",
                ("too_long = not function(ahead) < value + 1e-4 * step * slope + slack", "too_long = False"),
                "It accepts points that are higher",
                "test the height first, and the slope only where it is low enough"),
            Mistake("slope with its sign", ("abs(slope_ahead) <= 0.9 * abs(slope)", "slope_ahead >= 0.9 * slope"),
                "A slope that rises steeply is accepted", "compare absolute values: the strong condition"))),
    Checks(measured_rate,
        cases=(
            call(np.array([8.0, 4.0, 2.0, 1.0, 0.5])),
            call(np.array([9.0, 3.0, 1.0, 0.5, 0.1])).about("a start that is slower"),
            call(_settling).about("a start that is faster"), call(_geometric),
            call(np.array([3.0, 1.0])).about("one step"),
            call(np.array([8.0, 4.0, 1.0, 0.5])).about("three steps, of which the half is one or two", edge=True)),
        claims=(
            Claim("0.7 for powers of 0.7", lambda f: abs(f(_geometric) - 0.7), **_LAST_BITS),
            Claim("the end counts, not the start", lambda f: abs(f(_settling) - 0.9), **_LAST_BITS),
            oracle("scipy.stats.linregress on logarithms", _scipy_rate, call(_geometric), **_LAST_BITS)),
        mistakes=(
            Mistake("start included", ("errors[(errors.size - 1) // 2 :]", "errors"),
                "The start counts as much as the end", "leave the first half of the steps out"),
            Mistake("points for steps", ("late.size - 1", "late.size"), "It is too near to 1",
                "there is one step less than there are points"),
            Mistake("last step only", ("errors[(errors.size - 1) // 2 :]", "errors[-2:]"), "One step decides",
                "take the geometric mean over the second half"))),
    Checks(largest_rate,
        cases=(call(0.5, 4.0), call(0.0, 1.0).about("gradient descent"), call(0.9, 1.0), call(0.99, 250.0),
            call(0.3, 1e-3).about("a flat valley")),
        claims=(
            Claim("without momentum it is 2 over the curvature", lambda f: abs(f(0.0, 8.0) - 0.25), **_LAST_BITS),
            oracle("the eigenvalues of a step, by numpy.linalg.eigvals", _edge_by_eigenvalues, call(0.5, 4.0),
                tolerance=1e-9, why="a root that brentq finds to 1e-14, with room")),
        mistakes=(
            Mistake("edge of gradient descent", ("2 * (1 + beta)", "2"), "It does not depend on beta",
                "put z = -1 into the equation with beta in it"),
            Mistake("end of the complex roots", ("2 * (1 + beta)", "(1 + beta**0.5) ** 2"),
                "At this rate it still converges", "real roots may lie inside of the circle, too"),
            Mistake("momentum as a brake", ("2 * (1 + beta)", "2 * (1 - beta)"),
                "The more momentum, the sooner it diverges", "put z = -1 into the equation, and 1 + beta comes out"),
            Mistake("rate of the whole push", ("2 * (1 + beta)", "2 / (1 - beta)"),
                "It is right without momentum only", "put z = -1 into the equation, and 1 + beta comes out"),
            Mistake("curvature multiplied", ("/ curvature", "* curvature"), "Steep valleys would allow long steps",
                "only the product of rate and curvature appears in the equation"))),
)
