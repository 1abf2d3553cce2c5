"""Optimization: walking downhill. One stepper for each method, and one `minimize` that walks with any of them.

A stepper such as ``adam(rate=0.1)`` is made once with its settings. Called with a `Problem` and a starting point, it
yields one point after another, for ever; `minimize` decides when to stop. It computes with NumPy arrays in float64.
"""

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mlnotes.arrays import (
    power_of_two,
    require_integers,
    require_not_negative,
    require_positive,
    require_same_library,
    require_vector,
)
from mlnotes.blocks.norm import vector_norm

# A walk that leaves the finite numbers ends with a message that says so.
_ignoring_overflow = np.errstate(all="ignore")


@dataclass(frozen=True)
class Problem:
    """What a stepper may ask about: the height, its slope, and its curvature.

    Parameters
    ----------
    function : callable
        Takes a point (n,) and returns a number.
    gradient : callable
        Takes a point and returns the gradient (n,).
    hessian : callable, optional
        Takes a point and returns the second derivatives (n, n).
    """

    function: Callable
    gradient: Callable
    hessian: Callable | None = None


@dataclass(frozen=True)
class Minimization:
    """What `minimize` found, and how it got there.

    Parameters
    ----------
    x : array (n,)
        The last point.
    points : array (steps + 1, n)
        Every point, from the start to ``x``.
    values : array (steps + 1,)
        The function at each point.
    gradient_norms : array (steps + 1,)
        The length of the gradient at each point.
    converged : bool
        Whether the gradient at ``x`` is shorter than the tolerance, and no known curvature speaks against a minimum.
    message : str
        Why it stopped.
    """

    x: np.ndarray
    points: np.ndarray
    values: np.ndarray
    gradient_norms: np.ndarray
    converged: bool
    message: str

    @property
    def steps(self):
        """How many steps were made."""
        return len(self.values) - 1


class Stuck(ArithmeticError):
    """Raised by a stepper or a line search that cannot go on; `minimize` reports it in its message."""


@_ignoring_overflow
def minimize(function, gradient, x0, stepper, hessian=None, max_steps=1000, tolerance=1e-8):
    """Walk downhill until the gradient vanishes.

    Parameters
    ----------
    function : callable
        What to minimize; takes a point (n,) and returns a number.
    gradient : callable
        Its gradient; takes a point and returns an array (n,).
    x0 : array (n,)
        Where to start.
    stepper : callable
        A method of this module with its settings, such as ``gradient_descent(rate=0.1)``.
    hessian : callable, optional
        The second derivatives; takes a point and returns an array (n, n). Newton's methods need it, and with it a
        saddle or a maximum is told from a minimum.
    max_steps : int
        After how many steps to give up.
    tolerance : float
        The length below which a gradient counts as zero.

    Returns
    -------
    Minimization
        The last point and, for each step, the point, its value and the length of its gradient. It says
        whether it ``converged``, and why it stopped: a walk that leaves the finite numbers ends there.

    Raises
    ------
    ValueError
        If ``x0`` is no vector of finite numbers, the function or its gradient is not finite there, a callable returns
        another shape than it should, the Hessian is not symmetric, the stepper needs one that is not given,
        ``max_steps`` is negative or no integer, or ``tolerance`` is not positive and finite.

    References
    ----------
    Nocedal and Wright, *Numerical Optimization*, 2nd edition, 2006.
    """
    require_vector(x0=x0)
    require_positive(tolerance=tolerance)
    require_integers(0, max_steps=max_steps)
    x = np.array(x0, dtype=float)
    function = _remembering_last(function, "function")
    gradient = _remembering_last(gradient, "gradient")
    problem = Problem(function, gradient, hessian)
    steps = stepper(problem, x)
    points, values, norms = [], [], []
    while True:
        points.append(x.copy())
        values.append(float(function(x)))
        norms.append(float(vector_norm(gradient(x))))
        try:
            converged, message = _verdict(problem, x, values[-1], norms[-1], tolerance)
            if not message and len(points) > max_steps:
                message = f"{max_steps} steps were not enough"
            if message:
                break
            x = next(steps)
        except Stuck as why:
            converged, message = False, str(why)
            break
    if not math.isfinite(values[0]) or not math.isfinite(norms[0]):
        raise ValueError(f"x0 must have a finite value and gradient, got {values[0]} and a gradient of norm {norms[0]}")
    arrays = map(np.array, (points, values, norms))
    return Minimization(points[-1], *arrays, converged, message)


def gradient_descent(rate):
    """Step against the gradient.

    Parameters
    ----------
    rate : float
        The step is this times the gradient.

    Returns
    -------
    callable
        The stepper, for `minimize`.

    Raises
    ------
    ValueError
        If ``rate`` is not positive.

    Notes
    -----
    .. math:: \\mathbf x \\leftarrow \\mathbf x - \\eta\\,\\mathbf g

    On a quadratic with curvatures from :math:`\\mu` to L it converges for :math:`\\eta < 2/L`, and fastest for
    :math:`\\eta = 2/(L+\\mu)`: each step then multiplies the error by :math:`(\\kappa-1)/(\\kappa+1)`
    or less, :math:`\\kappa = L/\\mu`.
    """
    require_positive(rate=rate)

    def steps(problem, x):
        while True:
            x = x - rate * problem.gradient(x)
            yield x

    return steps


def momentum(rate, beta=0.9):
    """Step along a velocity that the gradient accelerates and friction slows down.

    Parameters
    ----------
    rate : float
        The step is this times the velocity.
    beta : float
        Which part of the velocity survives a step; 0 is `gradient_descent`.

    Returns
    -------
    callable
        The stepper, for `minimize`. It overshoots the minimum as a ball rolls past the bottom of a valley.

    Raises
    ------
    ValueError
        If ``rate`` is not positive or ``beta`` not from 0 to below 1.

    Notes
    -----
    .. math:: \\mathbf v \\leftarrow \\beta\\mathbf v + \\mathbf g, \\qquad
              \\mathbf x \\leftarrow \\mathbf x - \\eta\\,\\mathbf v

    On a quadratic with curvatures from :math:`\\mu` to L, :math:`\\eta = 4/(\\sqrt L + \\sqrt\\mu)^2` and
    :math:`\\sqrt\\beta = (\\sqrt\\kappa-1)/(\\sqrt\\kappa+1)` are best, and :math:`\\sqrt\\beta` is the factor by which
    the error finally shrinks in each step.

    References
    ----------
    Polyak, *Some methods of speeding up the convergence of iteration methods*, 1964.
    """
    require_positive(rate=rate)
    _require_fraction(beta=beta)

    def steps(problem, x):
        velocity = np.zeros_like(x)
        while True:
            velocity = beta * velocity + problem.gradient(x)
            x = x - rate * velocity
            yield x

    return steps


def nesterov(rate, beta=0.9):
    """Step along the velocity as it will be after one more step: momentum that looks ahead.

    Parameters
    ----------
    rate : float
        The step is this times the velocity.
    beta : float
        Which part of the velocity survives a step; 0 is `gradient_descent`.

    Returns
    -------
    callable
        The stepper, for `minimize`.

    Raises
    ------
    ValueError
        If ``rate`` is not positive or ``beta`` not from 0 to below 1.

    Notes
    -----
    .. math:: \\mathbf v \\leftarrow \\beta\\mathbf v + \\mathbf g, \\qquad
              \\mathbf x \\leftarrow \\mathbf x - \\eta\\,(\\mathbf g + \\beta\\mathbf v)

    Here :math:`\\mathbf x` is the point ahead at which the gradient is taken, as in ``torch.optim.SGD``. With
    :math:`\\eta = 1/L` and :math:`\\beta = (\\sqrt\\kappa-1)/(\\sqrt\\kappa+1)` the error on a quadratic is
    finally multiplied by :math:`1 - 1/\\sqrt\\kappa` in each step.

    References
    ----------
    Nesterov, *A method for solving the convex programming problem with convergence rate O(1/k²)*, 1983.
    Sutskever et al., *On the importance of initialization and momentum in deep learning*, 2013.
    """
    require_positive(rate=rate)
    _require_fraction(beta=beta)

    def steps(problem, x):
        velocity = np.zeros_like(x)
        while True:
            g = problem.gradient(x)
            velocity = beta * velocity + g
            x = x - rate * (g + beta * velocity)
            yield x

    return steps


def rmsprop(rate=0.01, beta=0.99, eps=1e-8):
    """Divide each coordinate's gradient by its recent size.

    Parameters
    ----------
    rate : float
        About how far each coordinate moves in a step, once the mean square has forgotten its start at zero; the first
        step is 1 / sqrt(1 - beta) times as long.
    beta : float
        Which part of the mean square survives a step.
    eps : float
        What is added to the root mean square, so that a gradient of zero divides by something.

    Returns
    -------
    callable
        The stepper, for `minimize`. With a constant rate it ends up circling the minimum.

    Raises
    ------
    ValueError
        If ``rate`` or ``eps`` is not positive, or ``beta`` not from 0 to below 1.

    Notes
    -----
    .. math:: \\mathbf s \\leftarrow \\beta\\mathbf s + (1-\\beta)\\,\\mathbf g^2, \\qquad
              \\mathbf x \\leftarrow \\mathbf x - \\eta\\,\\frac{\\mathbf g}{\\sqrt{\\mathbf s} + \\varepsilon}

    References
    ----------
    Tieleman and Hinton, *Lecture 6.5: rmsprop*, 2012.
    """
    require_positive(rate=rate, eps=eps)
    _require_fraction(beta=beta)

    def steps(problem, x):
        square = np.zeros_like(x)
        while True:
            g = problem.gradient(x)
            square = beta * square + (1 - beta) * g**2
            x = x - rate * g / (np.sqrt(square) + eps)
            yield x

    return steps


def adam(rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8):
    """Combine a running mean of the gradient with a running mean of its square, both freed of their start at zero.

    Parameters
    ----------
    rate : float
        About how far each coordinate moves in a step.
    beta1, beta2 : float
        Which part of the mean gradient, and of its mean square, survives a step.
    eps : float
        What is added to the root mean square.

    Returns
    -------
    callable
        The stepper, for `minimize`.

    Raises
    ------
    ValueError
        If ``rate`` or ``eps`` is not positive, or a ``beta`` not from 0 to below 1.

    Notes
    -----
    .. math:: \\mathbf m \\leftarrow \\beta_1\\mathbf m + (1-\\beta_1)\\,\\mathbf g, \\qquad
              \\mathbf s \\leftarrow \\beta_2\\mathbf s + (1-\\beta_2)\\,\\mathbf g^2,

              \\mathbf x \\leftarrow \\mathbf x
              - \\eta\\,\\frac{\\mathbf m/(1-\\beta_1^t)}{\\sqrt{\\mathbf s/(1-\\beta_2^t)} + \\varepsilon}

    where t counts the steps from 1.

    References
    ----------
    Kingma and Ba, *Adam: A Method for Stochastic Optimization*, 2015.
    """
    return adamw(rate, beta1, beta2, eps, weight_decay=0.0)


def adamw(rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.01):
    """Let Adam step, and shrink the weights beside it instead of through the gradient.

    Parameters
    ----------
    rate : float
        About how far each coordinate moves in a step.
    beta1, beta2 : float
        Which part of the mean gradient, and of its mean square, survives a step.
    eps : float
        What is added to the root mean square.
    weight_decay : float
        Each step first shrinks the point by ``rate`` times this. As a term of the gradient it would be divided by the
        root mean square, and so decay least where gradients are large.

    Returns
    -------
    callable
        The stepper, for `minimize`.

    Raises
    ------
    ValueError
        If ``rate`` or ``eps`` is not positive, ``weight_decay`` negative, or a ``beta`` not from 0 to below 1.

    Notes
    -----
    .. math:: \\mathbf x \\leftarrow (1 - \\eta\\lambda)\\,\\mathbf x
              - \\eta\\,\\frac{\\mathbf m/(1-\\beta_1^t)}{\\sqrt{\\mathbf s/(1-\\beta_2^t)} + \\varepsilon}

    with the means of `adam`.

    References
    ----------
    Loshchilov and Hutter, *Decoupled Weight Decay Regularization*, 2019.
    """
    require_positive(rate=rate, eps=eps)
    _require_fraction(beta1=beta1, beta2=beta2)
    require_not_negative(weight_decay=weight_decay)

    def steps(problem, x):
        mean, square, t = np.zeros_like(x), np.zeros_like(x), 0
        while True:
            g, t = problem.gradient(x), t + 1
            mean = beta1 * mean + (1 - beta1) * g
            square = beta2 * square + (1 - beta2) * g**2
            unbiased_mean = mean / (1 - beta1**t)
            unbiased_square = square / (1 - beta2**t)
            step = rate * unbiased_mean / (np.sqrt(unbiased_square) + eps)
            x = (1 - rate * weight_decay) * x - step
            yield x

    return steps


def steepest_descent():
    """Step against the gradient, as far as `backtracking` finds worthwhile.

    Returns
    -------
    callable
        The stepper, for `minimize`. It needs no rate. In a valley it takes about as many steps as `gradient_descent`
        with the best one, or down to half as many.
    """

    def steps(problem, x):
        step = 1.0
        while True:
            g = problem.gradient(x)
            step = backtracking(problem.function, x, -g, -g @ g, 2 * step)
            x = x - step * g
            yield x

    return steps


def newton():
    """Jump to where the gradient's linear approximation vanishes.

    Returns
    -------
    callable
        The stepper, for `minimize`, which must be given the ``hessian``. Near a minimum the number of right digits
        doubles with each step. It seeks any point without slope, also a saddle or a maximum: `minimize` then says so.

    Notes
    -----
    .. math:: \\mathbf x \\leftarrow \\mathbf x - \\mathbf H^{-1}\\mathbf g
    """

    def steps(problem, x):
        while True:
            h = _hessian_at(problem, x)
            try:
                x = x - np.linalg.solve(h, problem.gradient(x))
            except np.linalg.LinAlgError:
                raise Stuck("the Hessian is singular: Newton's step is not defined") from None
            yield x

    return steps


def damped_newton():
    """Follow Newton's step with all curvatures made positive, as far as `backtracking` finds worthwhile.

    Returns
    -------
    callable
        The stepper, for `minimize`, which must be given the ``hessian``. It leaves a saddle, unless the gradient
        on the way is shorter than the tolerance of `minimize`, as on the line that leads into it.

    Notes
    -----
    .. math:: \\mathbf x \\leftarrow
              \\mathbf x - t\\,\\mathbf V\\,|\\mathbf\\Lambda|^{-1}\\,\\mathbf V^{\\mathsf T}\\mathbf g,
              \\qquad \\mathbf H = \\mathbf V\\mathbf\\Lambda\\mathbf V^{\\mathsf T}

    References
    ----------
    Nocedal and Wright, *Numerical Optimization*, 2nd edition, 2006, section 3.4.
    """

    def steps(problem, x):
        while True:
            g = problem.gradient(x)
            curvatures, v = np.linalg.eigh(_hessian_at(problem, x))
            sizes = np.abs(curvatures)
            # Along a flat direction make a long step, not an endless one.
            sizes = np.maximum(sizes, 1e-10 * sizes.max() or 1.0)
            direction = -v @ (v.T @ g / sizes)
            step = backtracking(problem.function, x, direction, direction @ g)
            x = x + step * direction
            yield x

    return steps


def lbfgs(memory=10):
    """Let the last few steps stand in for the Hessian.

    Parameters
    ----------
    memory : int
        How many steps are remembered.

    Returns
    -------
    callable
        The stepper, for `minimize`. Each step satisfies the conditions of `wolfe`.

    Raises
    ------
    ValueError
        If ``memory`` is not positive.

    References
    ----------
    Liu and Nocedal, *On the limited memory BFGS method for large scale optimization*, 1989.
    """
    require_integers(1, memory=memory)

    def steps(problem, x):
        pairs = deque(maxlen=memory)
        g = problem.gradient(x)
        while True:
            unit = power_of_two(vector_norm(g))  # divided by it, gradients of any size have squares that are floats
            direction = lbfgs_direction(g / unit, [(s, y / unit) for s, y in pairs])
            # Without a memory nothing is known about lengths: begin with a step of one.
            step = 1.0 if pairs else 1 / vector_norm(direction)
            step = wolfe(problem.function, problem.gradient, x, direction, step)
            old_x, old_g = x, g
            x = x + step * direction
            g = problem.gradient(x)
            if (x - old_x) @ ((g - old_g) / unit) > 0:  # rounding can spoil what the search ensures
                pairs.append((x - old_x, g - old_g))
            yield x

    return steps


def lbfgs_direction(gradient, pairs):
    """Multiply the gradient by the inverse Hessian that L-BFGS remembers, which is never built.

    Parameters
    ----------
    gradient : array (n,)
        The gradient at the current point.
    pairs : sequence of (array (n,), array (n,))
        The last steps s and what they changed in the gradient, y, oldest first, with positive s·y.

    Returns
    -------
    array (n,)
        A direction that leads downhill; without pairs the negative gradient.

    Raises
    ------
    ValueError
        If the gradient is no array.

    Notes
    -----
    Each pair turns an inverse Hessian :math:`\\mathbf B` into one with :math:`\\mathbf B\\mathbf y = \\mathbf s`,

    .. math:: \\mathbf B \\leftarrow
              (\\mathbf I - \\rho\\,\\mathbf s\\mathbf y^{\\mathsf T})\\,\\mathbf B\\,
              (\\mathbf I - \\rho\\,\\mathbf y\\mathbf s^{\\mathsf T}) + \\rho\\,\\mathbf s\\mathbf s^{\\mathsf T},
              \\qquad \\rho = \\frac{1}{\\mathbf s\\cdot\\mathbf y}

    starting from the identity times :math:`\\mathbf s\\cdot\\mathbf y / \\mathbf y\\cdot\\mathbf y` of the last pair.

    References
    ----------
    Nocedal and Wright, *Numerical Optimization*, 2nd edition, 2006, algorithm 7.4.
    """
    require_same_library(gradient=gradient)
    remembered = [(s, y, s @ y) for s, y in pairs]
    q, alphas = gradient, []
    for s, y, sy in reversed(remembered):
        alphas.append(s @ q / sy)
        q = q - alphas[-1] * y
    if remembered:
        _, y, sy = remembered[-1]
        q = q * sy / (y @ y)
    for s, y, sy in remembered:
        q = q + (alphas.pop() - y @ q / sy) * s
    return -q


def backtracking(function, x, direction, slope, step=1.0):
    """Halve a step until it lowers the function by a set part of what its slope promises.

    Parameters
    ----------
    function : callable
        Takes a point (n,) and returns a number.
    x : array (n,)
        Where to start.
    direction : array (n,)
        Where to go.
    slope : float
        The gradient at ``x`` times the direction; negative.
    step : float
        The first length to try, as a multiple of the direction.

    Returns
    -------
    float
        The length, as a multiple of the direction.

    Raises
    ------
    ValueError
        If the direction is no array, ``slope`` is not negative or ``step`` not positive.
    Stuck
        If ``slope`` is not a number, or 100 halvings find no such point: the slope is wrong, or x is a minimum up to
        rounding.

    Notes
    -----
    Armijo's condition, here with a tenth of a thousandth of the promise:

    .. math:: f(\\mathbf x + t\\,\\mathbf p) < f(\\mathbf x) + 10^{-4}\\,t\\;\\mathbf g\\cdot\\mathbf p

    Where even the first step promises less than 500 rounding errors of f, the right-hand side is 4 of them larger: the
    function cannot show more.

    References
    ----------
    Armijo, *Minimization of functions having Lipschitz continuous first partial derivatives*, 1966.
    """
    require_same_library(direction=direction)
    _require_downhill(slope, step)
    value = function(x)
    slack = _slack(value, step, slope)
    for _ in range(100):
        if function(x + step * direction) < value + 1e-4 * step * slope + slack:
            return step
        step /= 2
    raise Stuck("no step along the direction, however short, lowers the function")


def wolfe(function, gradient, x, direction, step=1.0):
    """Find a step that lowers the function and leaves at most nine tenths of the slope.

    Parameters
    ----------
    function, gradient : callable
        Take a point (n,) and return a number, and an array (n,).
    x : array (n,)
        Where to start.
    direction : array (n,)
        Where to go; downhill.
    step : float
        The first length to try, as a multiple of the direction.

    Returns
    -------
    float
        The length, as a multiple of the direction.

    Raises
    ------
    ValueError
        If the direction is no array or does not lead downhill, or ``step`` is not positive.
    Stuck
        If the slope is not a number, or 100 trials find no such point: the gradient is wrong, the function has no lower
        bound along the direction, or x is a minimum up to rounding.

    Notes
    -----
    The strong Wolfe conditions: `backtracking`'s, which forbids steps that are too long, and

    .. math:: |\\mathbf g(\\mathbf x + t\\,\\mathbf p)\\cdot\\mathbf p|
              \\le 0.9\\,|\\mathbf g(\\mathbf x)\\cdot\\mathbf p|

    which forbids those that are too short. A length of the second kind becomes the lower end of an interval, one that
    is too long or where the function rises its upper end; the next trial is twice the lower end, or halfway.

    References
    ----------
    Nocedal and Wright, *Numerical Optimization*, 2nd edition, 2006, section 3.1.
    """
    require_same_library(direction=direction)
    value, slope = function(x), gradient(x) @ direction
    _require_downhill(slope, step)
    slack = _slack(value, step, slope)
    shortest, longest = 0.0, math.inf
    for _ in range(100):
        ahead = x + step * direction
        too_long = not function(ahead) < value + 1e-4 * step * slope + slack  # also where it is nan
        slope_ahead = -math.inf if too_long else gradient(ahead) @ direction
        if not too_long and abs(slope_ahead) <= 0.9 * abs(slope):
            return step
        if too_long or slope_ahead > 0:
            longest = step
        else:
            shortest = step
        step = 2 * step if longest == math.inf else (shortest + longest) / 2
    raise Stuck("no step along the direction meets the Wolfe conditions")


def measured_rate(errors):
    """Measure by which factor an error shrinks in each step, at the end of a walk.

    Parameters
    ----------
    errors : array (steps + 1,)
        Positive errors, one for each point.

    Returns
    -------
    float
        The geometric mean of the factors in the second half of the steps: below 1 for what converges.

    Raises
    ------
    ValueError
        If there are fewer than two errors, or one is not positive and finite.
    """
    _require_errors(errors)
    errors = np.asarray(errors, dtype=float)
    late = np.log(errors[(errors.size - 1) // 2 :])
    return math.exp((late[-1] - late[0]) / (late.size - 1))


def _slack(value, step, slope):
    """Allow the function to rise by its rounding, but only where even the first step promises hardly more."""
    eps = np.finfo(float).eps
    return 4 * eps * abs(value) if -step * slope < 500 * eps * abs(value) else 0.0


def _verdict(problem, x, value, norm, tolerance):
    """Return whether a minimum is reached, and why to stop; an empty reason means: go on."""
    if not math.isfinite(value) or not math.isfinite(norm):
        return False, "the function or its gradient is no longer finite"
    if norm > tolerance:
        return False, ""
    curvatures = [0.0] if problem.hessian is None else np.linalg.eigvalsh(_hessian_at(problem, x))
    if curvatures[0] >= -1e-10 * np.max(np.abs(curvatures)):
        return True, "the gradient vanishes"
    kind = "maximum" if curvatures[-1] < 0 else "saddle"
    return False, f"the gradient vanishes at a {kind}: the Hessian has the eigenvalue {curvatures[0]:.3g}"


def _remembering_last(f, name):
    """Compute once what the stepper and `minimize` ask for at the same point, and check its shape."""
    last = [None, None]

    def remembered(x):
        if last[0] is None or not np.array_equal(last[0], x):
            shape = x.shape if name == "gradient" else ()
            y = np.array(f(x.copy()), dtype=float)  # whatever it does to its argument
            if y.shape != shape:
                raise ValueError(f"{name} must return shape {shape} for x of shape {x.shape}, got {y.shape}")
            last[:] = x.copy(), y
        return last[1]

    return remembered


def _hessian_at(problem, x):
    if problem.hessian is None:
        raise ValueError("Newton's method needs the hessian, got None")
    h = np.asarray(problem.hessian(x.copy()), dtype=float)
    if h.shape != 2 * x.shape:
        raise ValueError(f"hessian must return shape {2 * x.shape} for x of shape {x.shape}, got {h.shape}")
    if not np.isfinite(h).all():
        raise Stuck("the Hessian is not finite")
    i, j = np.unravel_index(np.argmax(np.abs(h - h.T)), h.shape)
    if abs(h[i, j] - h[j, i]) > 1e-6 * np.abs(h).max():  # one that was measured is symmetric up to its error
        raise ValueError(f"hessian must be symmetric, got {h[i, j]} and {h[j, i]} at ({i}, {j}) and ({j}, {i})")
    return h


def _require_fraction(**settings):
    for name, value in settings.items():
        if not 0 <= value < 1:
            raise ValueError(f"{name} must be from 0 to below 1, got {value}")


def _require_errors(errors):
    if np.ndim(errors) != 1 or np.size(errors) < 2:
        raise ValueError(f"errors must be a vector of at least two, got shape {np.shape(errors)}")
    for error in errors:
        require_positive(errors=error)


def _require_downhill(slope, step):
    if math.isnan(slope):
        raise Stuck("the slope along the direction is not a number")
    if not slope < 0:
        raise ValueError(f"the direction must lead downhill, got a slope of {slope}")
    require_positive(step=step)
