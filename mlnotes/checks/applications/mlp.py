"""What activations and multilayer perceptrons must satisfy, and how they are usually got wrong."""

import math

import numpy as np
import scipy.special

from mlnotes.applications.mlp import gelu, gelu_tanh, mlp, relu, silu
from mlnotes.checks.oldbank import Checks, Claim, Mistake, distance, frozen

_rng = np.random.default_rng(17)
_grid, _points, _x, _square, *_parameters = frozen(
    np.linspace(-8, 8, 65),
    _rng.normal(size=(3, 5)) * 2,
    _rng.normal(size=(11, 3)),
    _rng.normal(size=(2, 7, 3)),
    *(_rng.normal(size=shape) for shape in ((3, 7), (7, 5), (5, 2))),
    *(_rng.normal(size=shape) for shape in (7, 5, 2)),
    *(_rng.normal(size=(3, 3)) for _ in range(2)),
    *(_rng.normal(size=3) for _ in range(2)),
)
_weights, _biases, _square_weights, _square_biases = (
    _parameters[:3],
    _parameters[3:6],
    _parameters[6:8],
    _parameters[8:10],
)
_LAST_BITS = "a few roundings of numbers below 10 in float64"


def _torch(name, **kwargs):
    def oracle(x):
        import torch

        return getattr(torch.nn.functional, name)(torch.tensor(x), **kwargs).numpy()

    return oracle


def _sequence(x, weights, biases):
    import torch

    modules = []
    for w, b in zip(weights, biases, strict=True):
        linear = torch.nn.Linear(*w.shape, dtype=torch.float64)
        linear.weight, linear.bias = (torch.nn.Parameter(torch.tensor(p)) for p in (w.T, b))
        modules += [torch.nn.ReLU(), linear]
    with torch.no_grad():
        return torch.nn.Sequential(*modules[1:])(torch.tensor(x)).numpy()


def _in_float16(f):
    """Measure the error at ±10000 in half precision, where exp of either overflows."""
    x = np.array([1e4, -1e4, 0], np.float16)
    if f(x).dtype != x.dtype:
        raise AssertionError(f"its dtype is {f(x).dtype} where {x.dtype} is right")
    return distance(f(x), [1e4, 0, 0])


def _silent(f):
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        try:
            return distance(f(np.array([-1e4, -800.0, 800.0, 1e4])), [0, 0, 800, 1e4])
        except FloatingPointError as error:
            raise AssertionError(f"it overflows on the way: {error}") from error


def _leaves_input(f):
    x = _points.copy()
    f(x)
    return distance(x, _points)


def _shared(name, **kwargs):
    """List what holds for every gate: x Φ(x) and x σ(x) alike."""
    oracle = _torch(name, **kwargs)
    return (
        Claim(
            "f(x) − f(−x) is x, because the gates of x and −x add up to 1",
            lambda f: distance(f(_grid) - f(-_grid), _grid),
            1e-12,
            _LAST_BITS,
        ),
        Claim("±10000 give 10000 and 0 in float16", _in_float16, edge=True),
        Claim("±10000 cause no overflow on the way", _silent, edge=True),
        Claim(
            f"torch.nn.functional.{name}" + "".join(f", {k}={v}" for k, v in kwargs.items()),
            lambda f: max(distance(f(x), oracle(x)) for x in (_grid, _points)),
            1e-12,
            _LAST_BITS,
            "oracle",
        ),
    )


def absolute_value(x):
    """Fold the negative half up instead of cutting it off."""
    return np.abs(x)


def leaky(x):
    """Let a hundredth of the negative half through."""
    return np.where(x > 0, x, 0.01 * x)


def step(x):
    """Say whether the number is positive: the slope instead of the value."""
    return (x > 0).astype(x.dtype)


def nan_becomes_zero(x):
    """Ask whether the number is positive, which nan is not."""
    return np.where(x > 0, x, 0.0)


def input_overwritten(x):
    """Set the negative entries of the caller's array to zero."""
    x[x < 0] = 0
    return x


def probability_only(x):
    """Return the gate without what passes through it."""
    return scipy.special.ndtr(x)


def root_of_two_forgotten(x):
    """Take erf(x) for the normal distribution."""
    return x / 2 * (1 + scipy.special.erf(x))


def tanh_for_the_exact_form(x):
    """Compute the approximation with tanh."""
    return gelu_tanh(x)


def exact_for_the_tanh_form(x):
    """Compute the exact form with erf."""
    return gelu(x)


def logistic_for_normal(x):
    """Compute the approximation x σ(1.702 x)."""
    return x / (1 + np.exp(-1.702 * x))


def half_forgotten(x):
    """Multiply by 1 + erf instead of by half of it."""
    return 2 * gelu(x)


def square_for_cube(x):
    """Square x where the cube belongs."""
    return x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**2)))


def logistic_only(x):
    """Return the gate without what passes through it."""
    return 1 / (1 + np.exp(-x))


def exponential_above_and_below(x):
    """Divide two exponentials, which both overflow."""
    return x * np.exp(x) / (1 + np.exp(x))


def gate_reversed(x):
    """Open the gate where it should close."""
    return x / (1 + np.exp(x))


def last_layer_activated(x, weights, biases, activation=relu):
    """Apply the activation after every layer."""
    return activation(mlp(x, weights, biases, activation))


def activation_forgotten(x, weights, biases, activation=relu):
    """Stack linear layers."""
    return mlp(x, weights, biases, lambda h: h)


def input_activated(x, weights, biases, activation=relu):
    """Apply the activation before every layer, also the first."""
    return mlp(activation(x), weights, biases, activation)


def biases_forgotten(x, weights, biases, activation=relu):
    """Multiply by the weights only."""
    return mlp(x, weights, [0 * b for b in biases], activation)


def bias_after_the_activation(x, weights, biases, activation=relu):
    """Add the bias to what the activation has bent."""
    for w, b in zip(weights[:-1], biases[:-1], strict=True):
        x = activation(x @ w) + b
    return x @ weights[-1] + biases[-1]


def weights_transposed(x, weights, biases, activation=relu):
    """Take the weights for those of torch.nn.Linear."""
    return mlp(x, [w.T for w in weights], biases, activation)


OLD = (
    Checks(
        relu,
        probes=((_grid,), (_points,), (np.array([1.0, np.nan, -1.0]),)),
        claims=(
            Claim("f(x) − f(−x) is x", lambda f: distance(f(_grid.copy()) - f(-_grid), _grid)),
            Claim(
                "a positive factor passes through",
                lambda f: distance(f(4 * _points), 4 * f(_points.copy())),
            ),
            Claim("nan stays nan", lambda f: distance(f(np.array([np.nan, 1.0])), [np.nan, 1.0]), edge=True),
            Claim("the input is left as it was", _leaves_input),
            Claim("numpy.maximum", lambda f: distance(f(_points.copy()), np.maximum(_points, 0)), kind="oracle"),
            Claim(
                "torch.nn.functional.relu",
                lambda f: max(distance(f(x.copy()), _torch("relu")(x)) for x in (_grid, _points)),
                kind="oracle",
            ),
        ),
        mistakes=(
            Mistake(absolute_value, "Negative numbers come out positive", "cut them off at zero"),
            Mistake(leaky, "Negative numbers leave a hundredth behind", "cut them off; this one is the leaky ReLU"),
            Mistake(step, "The result is 0 or 1", "return the number, not whether it is positive"),
            Mistake(
                nan_becomes_zero,
                "nan comes out as 0, which hides where it came from",
                "ask for x <= 0, which is false for nan, or use maximum",
                "PyTorch, issue 7999 (2018)",
            ),
            Mistake(
                input_overwritten,
                "The caller's array has changed after the call",
                "make a new array",
            ),
        ),
    ),
    Checks(
        gelu,
        probes=((_grid,), (_points,)),
        claims=(
            *_shared("gelu"),
            Claim(
                "at −8 the first ten digits are right",
                lambda f: distance(f(np.array([-8.0])) * 1e15, [-8.0 * scipy.special.ndtr(-8.0) * 1e15]),
                1e-9,
                "1 + erf(−8/√2) keeps one digit: 1e-15 is left of a difference of numbers of size 1",
                edge=True,
            ),
            Claim(
                "x times scipy.special.ndtr",
                lambda f: distance(f(_grid), _grid * scipy.special.ndtr(_grid)),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(probability_only, "The result lies between 0 and 1", "multiply the probability by x"),
            Mistake(
                root_of_two_forgotten,
                "The bend is too narrow",
                "divide by √2 inside of erf: erf belongs to a normal distribution of variance 1/2",
            ),
            Mistake(
                tanh_for_the_exact_form,
                "It is off by up to 0.0005",
                "use erf; a model must run with the form that it was trained with",
                "keras-bert, issue 129 (2019)",
            ),
            Mistake(logistic_for_normal, "It is off by up to 0.02", "use erf; this is the cheapest approximation"),
            Mistake(half_forgotten, "Large numbers come out doubled", "halve 1 + erf"),
        ),
    ),
    Checks(
        gelu_tanh,
        probes=((_grid,), (_points,)),
        claims=(
            *_shared("gelu", approximate="tanh"),
            Claim(
                "within 0.0005 of the exact form",
                lambda f: distance(f(_grid), gelu(_grid)),
                5e-4,
                "the size of the approximation's own error",
            ),
        ),
        mistakes=(
            Mistake(exact_for_the_tanh_form, "It is off by up to 0.0005", "use tanh, as the model was trained"),
            Mistake(square_for_cube, "Numbers below −22 come out whole", "take the cube, which keeps the sign"),
            Mistake(logistic_for_normal, "It is off by up to 0.02", "add the cube: one factor is not enough"),
        ),
    ),
    Checks(
        silu,
        probes=((_grid,), (_points,), (np.array([800.0, -800.0]),)),
        claims=(
            *_shared("silu"),
            Claim(
                "x times scipy.special.expit",
                lambda f: distance(f(_grid), _grid * scipy.special.expit(_grid)),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(logistic_only, "The result lies between 0 and 1", "multiply the gate by x"),
            Mistake(
                exponential_above_and_below,
                "It gives nan for x = 800, because infinity is divided by infinity",
                "use an exponential that is never large: exp(−x) for x > 0, exp(x) otherwise",
                "nlmixr2lib, pull request 503 (2026)",
            ),
            Mistake(gate_reversed, "Large numbers vanish and negative ones pass", "the exponent is −x"),
            Mistake(logistic_for_normal, "The bend is too narrow", "leave out 1.702, which imitates gelu"),
        ),
    ),
    Checks(
        mlp,
        probes=((_x, _weights, _biases), (_square, _square_weights, _square_biases), (_x, _weights[:1], _biases[:1])),
        claims=(
            Claim(
                "one layer is linear",
                lambda f: distance(f(_x, _weights[:1], _biases[:1]), _x @ _weights[0] + _biases[0]),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "the order of hidden units does not matter",
                lambda f: distance(
                    f(_x, [_weights[0][:, ::-1], _weights[1][::-1], _weights[2]], [_biases[0][::-1], *_biases[1:]]),
                    f(_x, _weights, _biases),
                ),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "without biases a ReLU network passes a positive factor through",
                lambda f: distance(
                    f(2 * _x, _weights, [0 * b for b in _biases]), 2 * f(_x, _weights, [0 * b for b in _biases])
                ),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "without activation it is one linear layer",
                lambda f: distance(
                    f(_x, _square_weights, _square_biases, lambda h: h),
                    _x @ (_square_weights[0] @ _square_weights[1])
                    + (_square_biases[0] @ _square_weights[1] + _square_biases[1]),
                ),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "torch.nn.Sequential of Linear and ReLU",
                lambda f: max(
                    distance(f(*arguments), _sequence(*arguments))
                    for arguments in ((_x, _weights, _biases), (_square, _square_weights, _square_biases))
                ),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                last_layer_activated,
                "It cannot say anything below zero",
                "leave the last layer linear",
                "tensorflow-vgg, issue 13 (2018)",
            ),
            Mistake(
                activation_forgotten,
                "It draws straight lines only, however many layers it has",
                "put an activation between the layers",
            ),
            Mistake(input_activated, "Negative inputs are lost", "begin with a linear layer"),
            Mistake(biases_forgotten, "All bends go through the origin", "add the biases"),
            Mistake(
                bias_after_the_activation,
                "Every unit bends at the origin",
                "add the bias before the activation: it decides where the bend is",
            ),
            Mistake(
                weights_transposed,
                "It raises an error, or, for square weights, computes something else",
                "multiply from the right by weights of shape (inputs, outputs)",
            ),
        ),
    ),
)
