"""What optimizers must satisfy, and how they are usually got wrong."""

import math
from dataclasses import replace

import numpy as np

from mlnotes.blocks.optimization import (
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
from mlnotes.checks.oldbank import Checks, Claim, Mistake, distance, frozen

_rng = np.random.default_rng(19)
_bowl, _start, _slope, _steps = frozen(
    np.array([[3.0, 1.0, 0.0], [1.0, 2.0, 0.5], [0.0, 0.5, 0.4]]),
    np.array([1.0, -2.0, 3.0]),
    _rng.normal(size=3),
    _rng.normal(size=(2, 3)),
)
_pairs = tuple((s, _bowl @ s) for s in _steps)
_LAST_BITS = "a few dozen sums in float64: a few units of 1e-16"


def _height(x):
    """A bowl that is no parabola, with its minimum 0 at 0."""
    return float(x @ _bowl @ x / 2 + np.sum(x**4) / 4)


def _gradient(x):
    return _bowl @ x + x**3


def _hessian(x):
    return _bowl + np.diag(3 * x**2)


def _parabola(x):
    return float(x @ _bowl @ x / 2)


def _saddle(x):
    return float(x[0] ** 2 - x[1] ** 2)


def _saddle_gradient(x):
    return np.array([2 * x[0], -2 * x[1]])


def _saddle_hessian(x):
    return np.diag([2.0, -2.0])


def _path(function, *settings):
    """Walk eight steps with a version of a stepper."""
    return minimize(_height, _gradient, _start, function(*settings), _hessian, max_steps=8).points


def _two_paths(function, *settings):
    """Walk with a version of a stepper from a slope, and away from a saddle."""
    away = minimize(_saddle, _saddle_gradient, [1.0, 1e-3], function(*settings), _saddle_hessian, max_steps=8)
    return _path(function, *settings), away.points


def _verdict(function, *arguments):
    found = function(*arguments)
    return found.x, found.converged, len(found.values)


def _torch(name, **settings):
    """Walk the same eight steps with torch."""
    import torch

    x = torch.tensor(_start, requires_grad=True)
    optimizer = getattr(torch.optim, name)([x], **settings)
    points = [_start]
    for _ in range(8):
        x.grad = torch.tensor(_gradient(x.detach().numpy()))
        optimizer.step()
        points.append(x.detach().numpy().copy())
    return np.array(points)


def _as_torch(name, settings, torchs):
    return Claim(
        f"torch.optim.{name}",
        lambda f: distance(_path(f, *settings), _torch(name, **torchs)),
        1e-10,
        "eight steps in float64: rounding grows with the length of the walk",
        "oracle",
    )


def _first_step(*settings):
    """Return what the first step changes."""
    return lambda f: _path(f, *settings)[1] - _start


def _stepper(update, **state):
    """Make a stepper of a function (x, g, t, state) that returns the next point."""

    def steps(problem, x):
        own = {name: np.zeros_like(x) for name in state}
        for t in range(1, 100_000):
            x = update(x, problem.gradient(x), t, own)
            yield x

    return steps


def stops_when_steps_are_short(function, gradient, x0, stepper, hessian=None, max_steps=1000, tolerance=1e-8):
    """Take a short step for a sign of arrival."""
    found = minimize(function, gradient, x0, stepper, hessian, max_steps, tolerance)
    moved = np.linalg.norm(np.diff(found.points, axis=0), axis=1) < 1e-3
    last = int(np.argmax(moved)) + 1 if moved.any() else found.steps
    return replace(found, x=found.points[last], values=found.values[: last + 1], converged=bool(moved.any()))


def always_content(function, gradient, x0, stepper, hessian=None, max_steps=1000, tolerance=1e-8):
    """Say that it has converged, whatever happened."""
    return replace(minimize(function, gradient, x0, stepper, hessian, max_steps, tolerance), converged=True)


def saddles_welcome(function, gradient, x0, stepper, hessian=None, max_steps=1000, tolerance=1e-8):
    """Take a gradient of zero for a minimum."""
    found = minimize(function, gradient, x0, stepper, hessian, max_steps, tolerance)
    return replace(found, converged=bool(found.gradient_norms[-1] <= tolerance))


def one_step_more(function, gradient, x0, stepper, hessian=None, max_steps=1000, tolerance=1e-8):
    """Count points where steps are counted."""
    return minimize(function, gradient, x0, stepper, hessian, max_steps + 1, tolerance)


def uphill(rate):
    """Add the gradient."""
    return _stepper(lambda x, g, t, own: x + rate * g)


def normalized_gradient(rate):
    """Step by the rate itself, in the direction of the gradient."""
    return _stepper(lambda x, g, t, own: x - rate * g / np.linalg.norm(g))


def input_overwritten(rate):
    """Step in place: all points are one and the same array."""

    def steps(problem, x):
        x = x.copy()
        while True:
            x -= rate * problem.gradient(x)
            yield x

    return steps


def velocity_forgotten(rate, beta=0.9):
    """Let no part of the velocity survive."""
    return gradient_descent(rate)


def running_mean(rate, beta=0.9):
    """Weight the gradient by 1 - beta, as Adam does."""

    def update(x, g, t, own):
        own["v"] = beta * own["v"] + (1 - beta) * g
        return x - rate * own["v"]

    return _stepper(update, v=0)


def velocity_before_the_gradient(rate, beta=0.9):
    """Move with the old velocity, and update it afterwards."""

    def update(x, g, t, own):
        x = x - rate * own["v"]
        own["v"] = beta * own["v"] + g
        return x

    return _stepper(update, v=0)


def plain_momentum(rate, beta=0.9):
    """Leave the look ahead out."""
    return momentum(rate, beta)


def looks_ahead_twice(rate, beta=0.9):
    """Add the velocity of two more steps."""

    def update(x, g, t, own):
        own["v"] = beta * own["v"] + g
        return x - rate * (g + beta * own["v"] + beta**2 * own["v"])

    return _stepper(update, v=0)


def gradient_left_out(rate, beta=0.9):
    """Step along the velocity's part only."""

    def update(x, g, t, own):
        own["v"] = beta * own["v"] + g
        return x - rate * beta * own["v"]

    return _stepper(update, v=0)


def _rms(root, unbiased=False):
    def version(rate=0.01, beta=0.99, eps=1e-8):
        def update(x, g, t, own):
            own["s"] = beta * own["s"] + (1 - beta) * g**2
            return x - rate * root(g, own["s"] / (1 - beta**t) if unbiased else own["s"], eps)

        return _stepper(update, s=0)

    return version


def eps_under_the_root(rate=0.01, beta=0.99, eps=1e-8):
    """Add eps before the root is taken."""
    return _rms(lambda g, s, eps: g / np.sqrt(s + eps))(rate, beta, eps)


def root_forgotten(rate=0.01, beta=0.99, eps=1e-8):
    """Divide by the mean square."""
    return _rms(lambda g, s, eps: g / (s + eps))(rate, beta, eps)


def start_at_zero_corrected(rate=0.01, beta=0.99, eps=1e-8):
    """Correct the mean as Adam does."""
    return _rms(lambda g, s, eps: g / (np.sqrt(s) + eps), unbiased=True)(rate, beta, eps)


def squares_added_up(rate=0.01, beta=0.99, eps=1e-8):
    """Add all squares, and forget none: AdaGrad."""

    def update(x, g, t, own):
        own["s"] = own["s"] + g**2
        return x - rate * g / (np.sqrt(own["s"]) + eps)

    return _stepper(update, s=0)


def _adam(count=lambda t: t, corrected=(True, True), inside=False, exchanged=False):
    def version(rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, decay=0.0, coupled=0.0):
        b1, b2 = (beta2, beta1) if exchanged else (beta1, beta2)

        def update(x, g, t, own):
            g = g + coupled * x
            own["m"] = b1 * own["m"] + (1 - b1) * g
            own["s"] = b2 * own["s"] + (1 - b2) * g**2
            m = own["m"] / (1 - b1 ** count(t)) if corrected[0] else own["m"]
            s = own["s"] / (1 - b2 ** count(t)) if corrected[1] else own["s"]
            return (1 - decay) * x - rate * m / (np.sqrt(s + eps) if inside else np.sqrt(s) + eps)

        return _stepper(update, m=0, s=0)

    return version


def means_not_corrected(rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8):
    """Use the means as they are, near zero for the first steps."""
    return _adam(corrected=(False, False))(rate, beta1, beta2, eps)


def only_the_square_corrected(rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8):
    """Correct the second mean and not the first."""
    return _adam(corrected=(False, True))(rate, beta1, beta2, eps)


def steps_counted_from_two(rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8):
    """Raise the counter once too often before the first correction."""
    return _adam(count=lambda t: t + 1)(rate, beta1, beta2, eps)


def eps_inside_the_root(rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8):
    """Add eps before the root is taken."""
    return _adam(inside=True)(rate, beta1, beta2, eps)


def betas_exchanged(rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8):
    """Let the mean forget slowly and the square quickly."""
    return _adam(exchanged=True)(rate, beta1, beta2, eps)


def decay_through_the_gradient(rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.01):
    """Add the decay to the gradient: Adam with L2 regularization."""
    return _adam()(rate, beta1, beta2, eps, coupled=weight_decay)


def decay_without_the_rate(rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.01):
    """Shrink by the decay itself in each step."""
    return _adam()(rate, beta1, beta2, eps, decay=weight_decay)


def decay_forgotten(rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.01):
    """Leave the decay out."""
    return adam(rate, beta1, beta2, eps)


def decay_of_the_new_point(rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.01):
    """Shrink after the step instead of before."""

    def steps(problem, x):
        own = [np.zeros_like(x), np.zeros_like(x)]
        for t in range(1, 100_000):
            g = problem.gradient(x)
            own[0] = beta1 * own[0] + (1 - beta1) * g
            own[1] = beta2 * own[1] + (1 - beta2) * g**2
            step = own[0] / (1 - beta1**t) / (np.sqrt(own[1] / (1 - beta2**t)) + eps)
            x = (1 - rate * weight_decay) * (x - rate * step)
            yield x

    return steps


def _newton(direction):
    def steps(problem, x):
        while True:
            x = x + direction(problem.hessian(x), problem.gradient(x))
            yield x

    return steps


def towards_the_maximum():
    """Add Newton's step where it is subtracted."""
    return _newton(lambda h, g: np.linalg.solve(h, g))


def only_the_diagonal():
    """Divide each slope by its own curvature."""
    return _newton(lambda h, g: -g / np.diag(h))


def multiplied_by_the_hessian():
    """Multiply where a system is to be solved."""
    return _newton(lambda h, g: -h @ g / np.linalg.norm(h) ** 2)


def curvature_of_the_start():
    """Compute the Hessian once."""

    def steps(problem, x):
        h = problem.hessian(x)
        while True:
            x = x - np.linalg.solve(h, problem.gradient(x))
            yield x

    return steps


def oldest_pair_first(gradient, pairs):
    """Begin the first loop with the oldest pair."""
    return lbfgs_direction(gradient, tuple(reversed(pairs)))


def identity_unscaled(gradient, pairs):
    """Start from the identity, whatever the curvature is."""
    q, alphas = gradient, []
    for s, y in reversed(pairs):
        alphas.append(s @ q / (s @ y))
        q = q - alphas[-1] * y
    for s, y in pairs:
        q = q + (alphas.pop() - y @ q / (s @ y)) * s
    return -q


def one_loop_only(gradient, pairs):
    """Stop after the first loop."""
    q = gradient
    for s, y in reversed(pairs):
        q = q - s @ q / (s @ y) * y
    return -q


def steps_and_changes_exchanged(gradient, pairs):
    """Take s for y: this approximates the Hessian, not its inverse."""
    return lbfgs_direction(gradient, tuple((y, s) for s, y in pairs))


def direction_uphill(gradient, pairs):
    """Forget the sign."""
    return -lbfgs_direction(gradient, pairs)


def any_decrease(function, x, direction, slope, step=1.0):
    """Accept what is lower by however little."""
    for _ in range(100):
        if function(x + step * direction) < function(x):
            return step
        step /= 2
    return step


def first_trial(function, x, direction, slope, step=1.0):
    """Accept the first length."""
    return step


def promise_with_the_wrong_sign(function, x, direction, slope, step=1.0):
    """Allow the function to rise by what its slope promises."""
    for _ in range(100):
        if function(x + step * direction) <= function(x) - 1e-4 * step * slope:
            break
        step /= 2
    return step


def length_of_the_last_failure(function, x, direction, slope, step=1.0):
    """Return the length before the last halving."""
    return 2 * backtracking(function, x, direction, slope, step)


def armijo_alone(function, gradient, x, direction, step=1.0):
    """Forget the second condition, which forbids steps that are too short."""
    return backtracking(function, x, direction, gradient(x) @ direction, step)


def any_slope_that_is_flat(function, gradient, x, direction, step=1.0):
    """Look for a point without slope, and never at its height."""
    for _ in range(100):
        if abs(gradient(x + step * direction) @ direction) <= 0.9 * abs(gradient(x) @ direction):
            break
        step *= 2
    return step


def start_included(errors):
    """Measure from the first error on, where the slow part has not begun."""
    return float((errors[-1] / errors[0]) ** (1 / (len(errors) - 1)))


def differences_for_factors(errors):
    """Return by how much the error falls."""
    return float(1 - measured_rate(errors))


def _wolfe_miss(f):
    """Return by how much the strong Wolfe conditions are missed, on steps that are too short and too long."""
    worst = 0.0
    for first in (1e-6, 1e-2, 1.0, 50.0):
        p = -_gradient(_start)
        slope = _gradient(_start) @ p
        t = f(_height, _gradient, _start, p, first)
        worst = max(worst, _height(_start + t * p) - _height(_start) - 1e-4 * t * slope)
        worst = max(worst, abs(_gradient(_start + t * p) @ p) - 0.9 * abs(slope))
    return float(worst)


def _armijo_miss(f):
    p = -_gradient(_start)
    slope = _gradient(_start) @ p
    return float(
        max(
            _height(_start + t * p) - _height(_start) - 1e-4 * t * slope
            for t in (f(_height, _start, p, slope, first) for first in (1e-6, 1.0, 50.0))
        )
    )


def _ripple(x):
    """Falls at once by 0.3, and is hardly lower than the start beyond."""
    return float(-x[0] if x[0] < 0.3 else -1e-6)


def _ledge(x):
    """Falls at once by 0.3, and is a little higher than the start beyond."""
    return float(-x[0] if x[0] < 0.3 else 1e-5)


def _wave(x):
    return float(-np.sin(x[0]))


def _wave_gradient(x):
    return -np.cos(x)


def _scipy_accepts(f):
    """Ask SciPy's search for a length that satisfies the same conditions; both must lower the function alike."""
    import scipy.optimize

    p = -_gradient(_start)
    theirs = scipy.optimize.line_search(_height, _gradient, _start, p, c1=1e-4, c2=0.9)[0]
    mine = f(_height, _gradient, _start, p, 1.0)
    fall = [_height(_start) - _height(_start + t * p) for t in (mine, theirs)]
    return max(0.0, 0.1 - min(fall) / max(fall))


def _scipy_armijo(f):
    return _scipy_accepts(lambda height, gradient, x, p, step: f(height, x, p, gradient(x) @ p, step))


def _scipy_minimum(f):
    return distance(f(*_WALK, lbfgs()).x, _scipy_bfgs())


def _scipy_bfgs():
    import scipy.optimize

    return scipy.optimize.minimize(_height, _start, jac=_gradient, method="BFGS", options={"gtol": 1e-9}).x


def _scipy_root():
    import scipy.optimize

    return scipy.optimize.root(lambda x: _gradient(x) - 1, _start, jac=_hessian, tol=1e-12).x


def _scipy_lbfgs(gradient, pairs):
    from scipy.optimize import LbfgsInvHessProduct

    s, y = (np.array(column) for column in zip(*pairs, strict=True))
    # SciPy starts from the identity; scaling the pairs by the root of s·y / y·y makes that the scaled one.
    scale = math.sqrt(s[-1] @ y[-1] / (y[-1] @ y[-1]))
    return -(LbfgsInvHessProduct(s / scale, y * scale) @ (gradient * scale)) * scale


def _scipy_rate(errors):
    import scipy.stats

    return float(np.exp(scipy.stats.linregress(np.arange(len(errors)), np.log(errors)).slope))


_geometric, _settling = frozen(
    5 * 0.7 ** np.arange(12), np.concatenate([0.1 ** np.arange(4), 1e-3 * 0.9 ** np.arange(1, 9)])
)
_WALK = (_height, _gradient, _start)

OLD = (
    Checks(
        minimize,
        probes=(
            (*_WALK, lbfgs()),
            (*_WALK, gradient_descent(1e-5), None, 50),
            (_saddle, _saddle_gradient, np.array([1.0, 1.0]), newton(), _saddle_hessian),
        ),
        claims=(
            Claim(
                "the gradient at what it calls converged is below the tolerance",
                lambda f: max(
                    float(found.converged) * np.linalg.norm(_gradient(found.x))
                    for found in (f(*_WALK, stepper, None, 50) for stepper in (lbfgs(), gradient_descent(1e-5)))
                ),
                1e-8,
                "the tolerance asked for",
            ),
            Claim(
                "it makes as many steps as allowed, not more",
                lambda f: float(abs(len(f(*_WALK, gradient_descent(1e-5), None, 50).values) - 51)),
            ),
            Claim(
                "a saddle is not a minimum, where the Hessian is known",
                lambda f: float(
                    f(_saddle, _saddle_gradient, np.array([1.0, 1.0]), newton(), _saddle_hessian).converged
                ),
            ),
            Claim(
                "scipy.optimize.minimize",
                _scipy_minimum,
                1e-7,
                "the tolerance of 1e-8, over a curvature of 0.2",
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                stops_when_steps_are_short,
                "With a small rate it says at once that it has arrived",
                "look at the gradient: the length of a step is the rate's doing",
            ),
            Mistake(
                saddles_welcome,
                "A saddle counts as a minimum",
                "look at the eigenvalues of the Hessian where it is known",
            ),
            Mistake(always_content, "It never says that it failed", "say so when the last step has been made"),
            Mistake(one_step_more, "It makes one step too many", "there is one point more than there are steps"),
        ),
        call=_verdict,
    ),
    Checks(
        gradient_descent,
        probes=((0.05,), (0.01,)),
        claims=(
            Claim(
                "the first step is minus the rate times the gradient",
                lambda f: distance(_first_step(0.05)(f), -0.05 * _gradient(_start)),
                1e-14,
                _LAST_BITS,
            ),
            Claim(
                "every step goes downhill", lambda f: float(max(0, np.max(np.diff([*map(_height, _path(f, 0.05))]))))
            ),
            _as_torch("SGD", (0.05,), {"lr": 0.05}),
        ),
        mistakes=(
            Mistake(uphill, "The function rises", "subtract the gradient"),
            Mistake(
                normalized_gradient,
                "All steps have the same length, and it never comes to rest",
                "multiply the gradient itself by the rate",
            ),
            Mistake(
                input_overwritten,
                "All points that were kept are the last one",
                "make a new array: x = x - …, not x -= …",
            ),
        ),
        call=_path,
    ),
    Checks(
        momentum,
        probes=((0.02, 0.8), (0.02,)),
        claims=(
            Claim(
                "the first step is that of gradient descent",
                lambda f: distance(_first_step(0.02, 0.8)(f), -0.02 * _gradient(_start)),
                1e-14,
                _LAST_BITS,
            ),
            Claim(
                "with beta = 0 it is gradient descent",
                lambda f: distance(_path(f, 0.02, 0.0), _path(gradient_descent, 0.02)),
                1e-14,
                _LAST_BITS,
            ),
            _as_torch("SGD", (0.02, 0.8), {"lr": 0.02, "momentum": 0.8}),
        ),
        mistakes=(
            Mistake(velocity_forgotten, "It is gradient descent", "let beta times the velocity survive"),
            Mistake(
                running_mean,
                "It is slower by 1 - beta, as if the rate were a tenth",
                "add the whole gradient to the velocity, or divide the rate by 1 - beta",
                "both forms are in use: a rate tuned for one is wrong for the other",
            ),
            Mistake(
                velocity_before_the_gradient, "The first step stands still", "update the velocity first, then the point"
            ),
        ),
        call=_path,
    ),
    Checks(
        nesterov,
        probes=((0.02, 0.8), (0.02,)),
        claims=(
            Claim(
                "the first step is 1 + beta times that of gradient descent",
                lambda f: distance(_first_step(0.02, 0.8)(f), -0.02 * 1.8 * _gradient(_start)),
                1e-14,
                _LAST_BITS,
            ),
            _as_torch("SGD", (0.02, 0.8), {"lr": 0.02, "momentum": 0.8, "nesterov": True}),
        ),
        mistakes=(
            Mistake(plain_momentum, "It is plain momentum", "step along g + beta v, which looks one step ahead"),
            Mistake(looks_ahead_twice, "It looks too far ahead, and overshoots", "add beta v once"),
            Mistake(gradient_left_out, "Its first step is too short", "step along g + beta v"),
        ),
        call=_path,
    ),
    Checks(
        rmsprop,
        probes=((0.02, 0.9, 1e-4), ()),
        claims=(
            Claim(
                "a gradient a thousand times as large changes nothing",
                lambda f: distance(
                    minimize(lambda x: 0.0, lambda x: 1e3 * _slope, _start, f(0.02, 0.9, 1e-12), max_steps=5).x,
                    minimize(lambda x: 0.0, lambda x: _slope, _start, f(0.02, 0.9, 1e-12), max_steps=5).x,
                ),
                1e-9,
                "eps = 1e-12 beside gradients of about 1",
            ),
            _as_torch("RMSprop", (0.02, 0.9, 1e-4), {"lr": 0.02, "alpha": 0.9, "eps": 1e-4}),
        ),
        mistakes=(
            Mistake(
                eps_under_the_root,
                "It agrees with torch only where gradients are large",
                "add eps after the root",
                "TensorFlow's RMSProp adds it under the root: rates do not carry over",
            ),
            Mistake(root_forgotten, "Small gradients make the longest steps", "divide by the root of the mean square"),
            Mistake(start_at_zero_corrected, "The first steps are too short", "correct the start only in Adam"),
            Mistake(squares_added_up, "It becomes slower and slower", "let a part of the old mean be forgotten"),
        ),
        call=_path,
    ),
    Checks(
        adam,
        probes=((0.1, 0.8, 0.95, 1e-4), (0.1,)),
        claims=(
            Claim(
                "the first step moves every coordinate by the rate",
                lambda f: distance(np.abs(_first_step(0.1, 0.8, 0.95, 1e-12)(f)), np.full(3, 0.1)),
                1e-10,
                "eps = 1e-12 beside gradients of about 1",
            ),
            _as_torch("Adam", (0.1, 0.8, 0.95, 1e-4), {"lr": 0.1, "betas": (0.8, 0.95), "eps": 1e-4}),
        ),
        mistakes=(
            Mistake(
                means_not_corrected,
                "The first steps are too long: 1 - beta1 over the root of 1 - beta2 times the rate",
                "divide the means by 1 - beta to the power of t",
            ),
            Mistake(
                only_the_square_corrected,
                "The first steps are too short",
                "divide both means by 1 - beta to the power of t",
            ),
            Mistake(steps_counted_from_two, "The first step is too short", "count the steps from 1"),
            Mistake(
                eps_inside_the_root, "It agrees with torch only where gradients are large", "add eps after the root"
            ),
            Mistake(betas_exchanged, "It swings widely", "beta1 belongs to the mean, beta2 to the mean square"),
        ),
        call=_path,
    ),
    Checks(
        adamw,
        probes=((0.1, 0.8, 0.95, 1e-4, 0.3), (0.1,)),
        claims=(
            Claim(
                "without decay it is Adam",
                lambda f: distance(_path(f, 0.1, 0.8, 0.95, 1e-4, 0.0), _path(adam, 0.1, 0.8, 0.95, 1e-4)),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "without slope it shrinks by rate times decay",
                lambda f: distance(
                    minimize(
                        lambda x: 0.0, lambda x: np.full(3, 1e-7), _start, f(0.1, 0.9, 0.999, 1.0, 0.5), max_steps=1
                    ).x,
                    0.95 * _start,
                ),
                1e-7,
                "a slope of 1e-7, over eps = 1",
            ),
            _as_torch(
                "AdamW",
                (0.1, 0.8, 0.95, 1e-4, 0.3),
                {"lr": 0.1, "betas": (0.8, 0.95), "eps": 1e-4, "weight_decay": 0.3},
            ),
        ),
        mistakes=(
            Mistake(
                decay_through_the_gradient,
                "Weights with large gradients hardly decay: it is Adam with L2 regularization",
                "shrink the point beside the step, not through the gradient",
                "Adam's weight_decay in many libraries before 2019",
            ),
            Mistake(
                decay_without_the_rate, "It decays the more, the smaller the rate", "multiply the decay by the rate"
            ),
            Mistake(decay_forgotten, "It is Adam", "shrink the point by rate times decay in each step"),
            Mistake(
                decay_of_the_new_point, "It differs from torch in the third digit", "shrink the point before the step"
            ),
        ),
        call=_path,
    ),
    Checks(
        newton,
        probes=((),),
        claims=(
            Claim(
                "the minimum of a parabola is one step away",
                lambda f: distance(
                    minimize(_parabola, lambda x: _bowl @ x, _start, f(), lambda x: _bowl, 1).x, np.zeros(3)
                ),
                1e-14,
                _LAST_BITS,
            ),
            Claim(
                "ten steps reach all digits",
                lambda f: float(np.linalg.norm(minimize(*_WALK, f(), _hessian, 10).x)),
                1e-8,
                "the tolerance of minimize",
            ),
            Claim(
                "the root that scipy.optimize.root finds of the gradient",
                lambda f: distance(
                    minimize(lambda x: 0.0, lambda x: _gradient(x) - 1, _start, f(), _hessian).x, _scipy_root()
                ),
                1e-8,
                "SciPy's tolerance",
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(towards_the_maximum, "It runs away", "subtract the step"),
            Mistake(only_the_diagonal, "A parabola takes many steps", "solve a system with the whole Hessian"),
            Mistake(multiplied_by_the_hessian, "It hardly moves where it is flat", "solve H p = g, do not multiply"),
            Mistake(curvature_of_the_start, "It is slow near the minimum", "compute the Hessian at every point"),
        ),
        call=_path,
    ),
    Checks(
        damped_newton,
        probes=((),),
        claims=(
            Claim("every step goes downhill", lambda f: float(max(0, np.max(np.diff([*map(_height, _path(f))]))))),
            Claim(
                "it walks away from a saddle",
                lambda f: float(
                    _saddle(minimize(_saddle, _saddle_gradient, [1.0, 1e-3], f(), _saddle_hessian, 20).x) > -1
                ),
            ),
            Claim(
                "the minimum that scipy.optimize.minimize finds",
                lambda f: distance(minimize(*_WALK, f(), _hessian).x, _scipy_bfgs()),
                1e-7,
                "SciPy's tolerance",
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(newton, "It stays at a saddle", "make the curvatures positive: take their absolute values"),
            Mistake(towards_the_maximum, "It runs away", "subtract the step"),
        ),
        call=_two_paths,
    ),
    Checks(
        lbfgs_direction,
        probes=((_slope, _pairs), (_start, _pairs)),
        claims=(
            Claim(
                "the last change of the gradient is taken to the last step",
                lambda f: distance(f(_pairs[-1][1], _pairs), -_pairs[-1][0]),
                1e-12,
                _LAST_BITS,
            ),
            Claim("without memory it is minus the gradient", lambda f: distance(f(_slope, ()), -_slope)),
            Claim("it leads downhill", lambda f: float(f(_slope, _pairs) @ _slope >= 0)),
            Claim(
                "scipy.optimize.LbfgsInvHessProduct",
                lambda f: distance(f(_slope, _pairs), _scipy_lbfgs(_slope, _pairs)),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                oldest_pair_first, "The last pair is not reproduced", "go through the pairs from the newest backwards"
            ),
            Mistake(
                identity_unscaled, "Directions have the wrong length until the memory is full", "scale by s·y / y·y"
            ),
            Mistake(one_loop_only, "It forgets what the steps were", "add them back in a second loop, oldest first"),
            Mistake(
                steps_and_changes_exchanged, "It multiplies by the Hessian", "s is the step, y the gradient's change"
            ),
            Mistake(direction_uphill, "It leads uphill", "negate the product"),
        ),
    ),
    Checks(
        backtracking,
        probes=(
            (_height, _start, -_gradient(_start), -_gradient(_start) @ _gradient(_start), 1.0),
            (_height, _start, -_gradient(_start), -_gradient(_start) @ _gradient(_start), 1e-3),
            (_ripple, np.zeros(1), np.ones(1), -1.0),
            (_ledge, np.zeros(1), np.ones(1), -1.0),
        ),
        claims=(
            Claim("Armijo's condition holds", lambda f: max(0.0, _armijo_miss(f))),
            Claim(
                "a point that is hardly lower than the start, or a little higher, is not enough",
                lambda f: float(
                    max(h(np.ones(1) * f(h, np.zeros(1), np.ones(1), -1.0)) for h in (_ripple, _ledge)) > -0.1
                ),
            ),
            Claim(
                "scipy.optimize.line_search, which asks for more: both fall alike",
                _scipy_armijo,
                kind="oracle",
            ),
        ),
        mistakes=(
            Mistake(
                any_decrease,
                "It accepts a step that gains next to nothing",
                "ask for a part of what the slope promises",
            ),
            Mistake(first_trial, "The function may rise", "halve the step until the condition holds"),
            Mistake(promise_with_the_wrong_sign, "It accepts points that are higher", "the slope is negative: add it"),
            Mistake(length_of_the_last_failure, "The length is the last that failed", "return before halving again"),
        ),
    ),
    Checks(
        wolfe,
        probes=(
            *((_height, _gradient, _start, -_gradient(_start), first) for first in (1.0, 1e-6, 50.0)),
            (_wave, _wave_gradient, np.zeros(1), np.ones(1), 4.5),
        ),
        claims=(
            Claim("both conditions hold, from first trials of 1e-6 to 50", lambda f: max(0.0, _wolfe_miss(f))),
            Claim(
                "a flat place higher than the start is not enough",
                lambda f: float(_wave(np.ones(1) * f(_wave, _wave_gradient, np.zeros(1), np.ones(1), 4.5)) > 0),
            ),
            Claim("scipy.optimize.line_search: both fall alike", _scipy_accepts, kind="oracle"),
        ),
        mistakes=(
            Mistake(
                armijo_alone,
                "A first trial that is too short is accepted",
                "lengthen the step while most of the slope is left",
            ),
            Mistake(
                any_slope_that_is_flat,
                "It accepts points that are higher",
                "test the height first, and the slope only where it is low enough",
            ),
        ),
    ),
    Checks(
        measured_rate,
        probes=((_geometric,), (_settling,)),
        claims=(
            Claim("0.7 for powers of 0.7", lambda f: abs(f(_geometric) - 0.7), 1e-12, _LAST_BITS),
            Claim("the end counts, not the start", lambda f: abs(f(_settling) - 0.9), 1e-12, _LAST_BITS),
            Claim(
                "scipy.stats.linregress on logarithms",
                lambda f: abs(f(_geometric) - _scipy_rate(_geometric)),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(start_included, "The start counts as much as the end", "leave the first half of the steps out"),
            Mistake(differences_for_factors, "It is small where convergence is slow", "return the factor itself"),
        ),
    ),
)
