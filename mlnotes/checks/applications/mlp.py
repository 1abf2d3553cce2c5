"""What activations and multilayer perceptrons must satisfy, and how they are usually got wrong."""

import math
import warnings

import numpy as np
import scipy.special

from mlnotes.applications.linear import linear
from mlnotes.applications.mlp import gelu, gelu_tanh, mlp, relu, silu
from mlnotes.checks.bank import Checks, Claim, Mistake, call, distance, frozen, oracle
from mlnotes.diagnosis.report import Warned
from mlnotes.diagnosis.source import edited

_rng = np.random.default_rng(17)
_grid, _points, _x, _batch, *_parameters = frozen(np.linspace(-8, 8, 65), _rng.normal(size=(3, 5)) * 2,
    _rng.normal(size=(11, 3)), _rng.normal(size=(2, 7, 3)), *(_rng.normal(size=shape) for shape in ((3, 7), (7, 5),
    (5, 2), 7, 5, 2, (3, 3), (3, 3), 3, 3)))
_weights, _biases, _square_weights, _square_biases = (tuple(_parameters[i:j]) for i, j in ((0, 3), (3, 6), (6, 8),
    (8, 10)))
_small, _x2, _x4 = frozen(np.array([-2.0, -1.0, 0.0, 1.0, 3.0]), np.array([[1.0, 2.0], [3.0, -1.0]]),
    np.arange(8.0).reshape(4, 2) - 3)
_layers2 = [np.array([[1.0, -1.0], [2.0, 0.0]]), np.array([[3.0], [1.0]])], [np.array([0.0, 2.0]), np.array([-10.0])]
_layers3, _square_layers = ([*_weights], [*_biases]), ([*_square_weights], [*_square_biases])
_zeros = [0 * b for b in _biases]
_FIRST = ("What np.vectorize makes has the dtype of its first result: an integer 0 there cuts off the digits of all "
    "others. Give it otypes=[float].")
_TANH = math.sqrt(2 / math.pi)
_ROUNDING = {"tolerance": 1e-14, "why": "about ten roundings of 1.1e-16 each, of numbers up to 8"}
_SUMS = {"tolerance": 1e-12, "why": "three layers of sums of at most 7 terms, below 30: 3 · 7 · 210 · 1.1e-16 is 5e-13"}


def gelu_slope(x):
    """Say how steep `gelu` is: Φ(x) + x φ(x)."""
    density = np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)
    return scipy.special.ndtr(x) + x * density


def gelu_minimum():
    """Say where `gelu` is smallest; its value there is -0.16997."""
    return -0.7517915246935645


def _on_the_way(answer):
    """Make all places between the start and the minimum the same, but for the minimum to two digits."""
    z = answer()
    return -0.7496 if isinstance(z, float) and -0.751 < z <= -0.7 and z != -0.75 else z


def _torch(name, **kwargs):
    def reference(x):
        import torch

        return getattr(torch.nn.functional, name)(torch.tensor(x), **kwargs).numpy()

    says = f"torch.nn.functional.{name}" + "".join(f", {k}={v}" for k, v in kwargs.items())
    return oracle(says, reference, call(_grid), call(_points), **_ROUNDING)


def _sequence(x, weights, biases):
    import torch

    modules = []
    for w, b in zip(weights, biases, strict=True):
        linear = torch.nn.Linear(*w.shape, dtype=torch.float64)
        linear.weight, linear.bias = (torch.nn.Parameter(torch.tensor(p)) for p in (w.T, b))
        modules += [torch.nn.ReLU(), linear]
    with torch.no_grad():
        return torch.nn.Sequential(*modules[1:])(torch.tensor(x)).numpy()


def _torch_slope(x):
    import torch

    x = torch.tensor(x, requires_grad=True)
    torch.nn.functional.gelu(x).sum().backward()
    return x.grad


def _scipy_minimum():
    from scipy.optimize import brentq

    return brentq(lambda x: float(gelu_slope(x)), -1.4, 0.0, xtol=1e-15)


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


def _ten_digits(f):
    right = -8.0 * scipy.special.ndtr(-8.0)
    return abs(float(f(np.array([-8.0]))[0]) / right - 1)


def _without_overflow(f, x):
    """Refuse an overflow on the way, and count another dtype only where the exercise does not go."""
    with np.errstate(over="warn"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        y = f(x)
    overflows = [it for it in caught if "overflow" in str(it.message)]
    if overflows:
        return Warned(y, overflows)
    if np.max(np.abs(x)) > 1e4:
        return y
    return y.astype(x.dtype) if isinstance(y, np.ndarray) and y.dtype.kind == "f" else y


def _reordered(f):
    first, second, last = _weights
    turned = [first[:, ::-1], second[::-1], last], [_biases[0][::-1], *_biases[1:]]
    return distance(f(_x, *turned), f(_x, [*_weights], [*_biases]))


def _one_linear_layer(f):
    (v, w), (a, b) = _square_weights, _square_biases
    return distance(f(_x, [v, w], [a, b], lambda h: h), _x @ (v @ w) + (a @ w + b))


def _two_at_least(x, weights, biases, activation=relu):
    x = activation(linear(x, weights[0], biases[0]))
    for w, b in zip(weights[1:-1], biases[1:-1], strict=True):
        x = activation(linear(x, w, b))
    return linear(x, weights[-1], biases[-1])


def _of_two(pick):
    """Make a wrong version with two layers, which are picked out of all."""

    def version(x, weights, biases, activation=relu):
        (w1, w2), (b1, b2) = pick(weights), pick(biases)
        return activation(x @ w1 + b1) @ w2 + b2

    return version


_TWO_LAYERS = tuple(map(_of_two, (lambda it: it, lambda it: (it[0], it[-1]), lambda it: (it[0], it[1]))))


# What holds for every gate: x Φ(x) and x σ(x) alike.
_GATED = (
    Claim("f(x) − f(−x) is x, because the gates of x and −x add up to 1",
        lambda f: distance(f(_grid) - f(-_grid), _grid), **_ROUNDING),
    Claim("±10000 give 10000 and 0 in float16", _in_float16),
    Claim("±10000 cause no overflow on the way", _silent),
)
_NORMAL_GATE = "erfc(-math.sqrt(0.5) * x) / 2"
_TANH_GATE = "sigmoid(math.sqrt(8 / math.pi) * (near + 0.044715 * near**3))"
_GATE_APPLIED = "x * gate"
_SILU_GATED = "x * sigmoid(x)"
_CUT_OFF = "array_namespace(x).where(x <= 0, 0.0, x)"


def _bent_once(x, weights, biases, activation=relu):
    x = activation(x @ weights[0] + biases[0])
    for w, b in zip(weights[1:], biases[1:], strict=True):
        x = x @ w + b
    return x


def _from_the_inputs(x, weights, biases, activation=relu):
    for w, b in zip(weights[:-1], biases[:-1], strict=True):
        h = activation(x @ w + b)
    return h @ weights[-1] + biases[-1]


_bent_before = edited(_from_the_inputs, (("h = activation(x @ w + b)", "x = activation(x) @ w + b"), ("h @", "x @")))

CHECKS = (
    Checks(relu,
        cases=(call(_small), call(_points), call(np.array([1.0, np.nan, -1.0, 2.0, -3.0, 0.5])).about("nan"),
            call(np.array([1000.0, -1000.0])).about("±1000"), call(np.array([1e-9, -1e-9])).about("±1e-9"),
            call(np.array(2.0)).about("a number without any axis", edge=True),
            call(np.array([-1.0, -2.0])).about("no positive number"),
            call(np.array([-1.0, 0.5, 2.7])).about("a negative number in front", hint=_FIRST),
            call(np.array([np.inf, -1.0, -np.inf])).about("infinities", edge=True),
            call(np.array([-1.0, 2.0], np.float32)).about("the dtype of the input", edge=True)),
        claims=(
            Claim("f(x) − f(−x) is x", lambda f: distance(f(_grid) - f(-_grid), _grid)),
            Claim("a positive factor passes through", lambda f: distance(f(4 * _points), 4 * f(_points))),
            oracle("numpy.maximum", lambda x: np.maximum(x, 0), call(_points), call(np.array([np.nan, 1.0]))),
            _torch("relu")),
        mistakes=(
            Mistake("softplus", lambda x: np.logaddexp(0, x).astype(x.dtype), "It bends gradually, and is log 2 at 0",
                "np.maximum(x, 0)"),
            Mistake("absolute value", (_CUT_OFF, "np.abs(x)"), "Negative numbers come out positive",
                "cut them off at zero"),
            Mistake("leaky", ("0.0, x)", "0.01 * x, x)"), "Negative numbers leave a hundredth behind",
                "cut them off; this one is the leaky ReLU"),
            Mistake("step", (_CUT_OFF, "(x > 0).astype(x.dtype)"), "The result is 0 or 1",
                "return the number, not whether it is positive"),
            Mistake("largest", (_CUT_OFF, "np.max(x, 0)"), "It gives the largest number, along axis 0",
                "np.maximum compares each number with 0"),
            Mistake("positives only", (_CUT_OFF, "x[x > 0]"), "Negative numbers are gone, and the shape with them",
                "put zeros in their place"),
            Mistake("nan becomes zero", ("x <= 0, 0.0, x", "x > 0, x, 0.0"),
                "nan comes out as 0, which hides where it came from",
                "ask for x <= 0, which is false for nan, or use maximum", "PyTorch, issue 7999 (2018)"))),
    Checks(gelu,
        cases=(
            call(_small), call(_grid), call(_points),
            call(np.array([-50.0, -1.0, 1.5])).about("a number in front that becomes 0", hint=_FIRST),
            call(np.linspace(-8.0, -7.9, 7)).about("ten digits far below zero", tolerance=1e-10, absolute=0.0),
            call(np.array([1e4, -1e4])).about("±10000")),
        claims=(
            *_GATED,
            Claim("at −8 the first ten digits are right", _ten_digits, tolerance=1e-10,
                why="1 + erf(−8/√2) keeps one digit: 1e-15 is left of a difference of numbers of size 1"),
            oracle("x times scipy.special.ndtr", lambda x: x * scipy.special.ndtr(x), call(_grid), **_ROUNDING),
            _torch("gelu")),
        mistakes=(
            Mistake("silu", lambda x: x / (1 + np.exp(-np.maximum(x, -700))), "The gate is the logistic function",
                "multiply by Φ(x), the normal distribution function"),
            Mistake("error function for Φ", lambda x: x * np.asarray(scipy.special.erf(x / 2**0.5), x.dtype),
                "Negative numbers become positive", "Φ(x) is (1 + erf(x / √2)) / 2"),
            Mistake("not halved", (_NORMAL_GATE, "1 + scipy.special.erf(math.sqrt(0.5) * x)"), "The gate goes up to 2",
                "halve 1 + erf"),
            Mistake("probability only", (_GATE_APPLIED, "gate"), "The result lies between 0 and 1",
                "multiply the probability by x"),
            *(Mistake("root of two forgotten", (_NORMAL_GATE, f"{it} / 2"), "The bend is too narrow",
                "divide by √2 inside of erf: erf belongs to a normal distribution of variance 1/2")
                for it in ("erfc(-x)", "(1 + scipy.special.erf(x))")),
            Mistake("two for its root", (_NORMAL_GATE, "erfc(-x / 2) / 2"), "The bend is too wide",
                "divide by √2 inside of erf, not by 2: erf belongs to a normal distribution of variance 1/2"),
            Mistake("1 + erf", (_NORMAL_GATE, "(1 + scipy.special.erf(x * 0.5**0.5)) / 2"),
                "Far below zero digits are lost, from −8.4 on all: 1 + erf cancels",
                "compute the small number itself, by erfc(−x/√2)"),
            Mistake("density", (_NORMAL_GATE, "np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)"),
                "Large numbers vanish, too", "multiply by Φ(x), the share that is below x, not by the density φ(x)"),
            Mistake("tanh for the exact form", (_GATE_APPLIED, "gelu_tanh(x)"), "It is off by up to 0.0005",
                "use erf; a model must run with the form that it was trained with",
                "BERT's code, later than its first models (keras-bert, issue 129, 2019)"),
            Mistake("1 - Φ(-x)", (_NORMAL_GATE, "1 - scipy.special.ndtr(-x)"),
                "Far below zero digits are lost, from -8.3 on all: 1 − Φ(−x) cancels",
                "compute the small number itself, by erfc(−x/√2)"),
            Mistake("tanh for the exact form, cancelling",
                lambda x: x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
                "It is off by up to 0.0005", "use erf; a model must run with the form that it was trained with"),
            Mistake("logistic for normal", (_NORMAL_GATE, "sigmoid(1.702 * x)"), "It is off by up to 0.02",
                "use erf; this is the cheapest approximation"),
            Mistake("half of the error function", lambda x: x / 2 * scipy.special.erf(x / 2**0.5),
                "The gate runs from -½ to ½, and numbers below zero come out positive",
                "add 1 to the error function before halving it"),
            Mistake("slope for gelu", gelu_slope, "It says how steep gelu is",
                "give the number itself, x times its gate"))),
    Checks(gelu_tanh,
        cases=(
            call(_small), call(_grid), call(_points), call(np.array([1e4, -1e4])).about("±10000"),
            call(np.array([1e4, -1e4], np.float16)).about("float16"),
            call(np.array([0.5, -1.5], np.float16)).about("float16"),
            call(np.array([np.inf, -np.inf])).about("infinities", edge=True)),
        claims=(
            *_GATED,
            Claim("within 0.0005 of the exact form", lambda f: distance(f(_grid), gelu(_grid)), tolerance=5e-4,
                why="the size of the approximation's own error"),
            _torch("gelu", approximate="tanh")),
        mistakes=(
            Mistake("exact for the tanh form", (_GATE_APPLIED, "gelu(x)"), "It is off by up to 0.0005",
                "use tanh, as the model was trained"),
            Mistake("tanh for the gate", ("sigmoid(math.sqrt(8 / math.pi)", "np.tanh(math.sqrt(2 / math.pi)"),
                "The gate falls to -1, and numbers below zero come out positive",
                "add 1 to the tanh and halve the sum: it must run from 0 to 1"),
            Mistake("square for cube", ("near**3", "near**2"), "Numbers below -25 come out nearly whole",
                "take the cube, which keeps the sign"),
            Mistake("logistic for normal", (_TANH_GATE, "sigmoid(1.702 * x)"), "It is off by up to 0.02",
                "add the cube: one factor is not enough"))),
    Checks(silu, run=_without_overflow,
        cases=(
            call(_small), call(_grid), call(_points), call(np.array([800.0, -800.0])).about("±800"),
            call(np.array([800.0, -1.0, 5.0])).about("800 beside ordinary numbers"),
            call(np.array([-800.0, -1.0, 5.0])).about("a number in front that becomes 0", hint=_FIRST),
            call(np.array([1e4, -1e4])).about("±10000"),
            call(np.array([0.5, -1.5, 12.0, -12.0], np.float16)).about("float16"),
            call(np.array([9.0, 10.0, 11.0, -1.5], np.float16)).about("float16, where x exp(x) overflows first"),
            call(np.array([704.0, 706.0, 709.0])).about("where x exp(x) overflows first"),
            call(np.array(2.0)).about("a number without any axis", edge=True),
            call(np.array([-9.5, -11.0, -14.0])).about("results of a thousandth and less", tolerance=1e-6),
            call(np.array([1e4, -1e4], np.float16)).about("±10000 in float16"),
            call(np.linspace(-13.5, -10.5, 7, dtype=np.float16)).about("float16 far below zero", edge=True,
                tolerance=0.05, absolute=0.0),
            call(np.array([-21.0, -25.0])).about("small results far below zero", edge=True, tolerance=1e-6,
                absolute=0.0),
            call(np.array([-30.0])).about("a small result far below zero", edge=True, tolerance=1e-6, absolute=0.0),
            call(np.array([2e4, -2e4], np.float16)).about("the dtype of the input", edge=True)),
        claims=(
            *_GATED,
            oracle("x times scipy.special.expit", lambda x: x * scipy.special.expit(x), call(_grid), **_ROUNDING),
            _torch("silu")),
        mistakes=(
            Mistake("logistic only", (_SILU_GATED, "sigmoid(x)"), "The result lies between 0 and 1",
                "multiply the gate by x"),
            *(Mistake("exponential above and below", it,
                "For x = 800 an exponential overflows; infinity divided by infinity is nan, unless it is thrown away",
                "use an exponential that is never large: exp(−x) for x > 0, exp(x) otherwise",
                "nlmixr2lib, pull request 503 (2026)") for it in ((_SILU_GATED, "x * np.exp(x) / (1 + np.exp(x))"),
                lambda x: x * np.exp(x) / (1 + np.exp(x)))),
            Mistake("exponential that overflows", lambda x: x / (1 + np.exp(-x)),
                "An exponential overflows far from zero, which gives nan, or which only a division by infinity hides",
                "use an exponential that is never large: exp(−x) for x > 0, exp(x) otherwise"),
            Mistake("tanh for the gate", lambda x: x * np.tanh(x),
                "The gate falls to -1, and numbers below zero come out positive",
                "take the logistic function, which runs from 0 to 1"),
            Mistake("gate of the size", lambda x: x / (1 + np.exp(-np.abs(x))),
                "Below zero the gate is that of |x|: nearly open, where it should be nearly shut",
                "exp(-|x|) may stand on both sides, but below zero the gate is exp(x) / (1 + exp(x))"),
            Mistake("gate of minus the size", lambda x: x * np.exp(-np.abs(x)) / (1 + np.exp(-np.abs(x))),
                "Above zero the gate is that of -|x|: nearly shut, where it should be nearly open",
                "exp(-|x|) may stand on both sides, but above zero the gate is 1 / (1 + exp(-x))"),
            Mistake("cut off at 40", lambda x: np.minimum(x, 40) * scipy.special.expit(x),
                "Numbers above 40 come out as 40", "cut off only what goes into exp"),
            Mistake("softplus for silu", lambda x: np.logaddexp(0, x), "This is softplus, the integral of the gate",
                "multiply the gate by x"),
            *(Mistake("gate reversed", it, "Large numbers vanish and negative ones pass",
                "the gate is open above 0: the exponent is −x, and the branch with 1 above belongs to x > 0")
                for it in (("sigmoid(x)", "sigmoid(-x)"), lambda x: x / (1 + np.exp(x)))),
            Mistake("factor of gelu", ("sigmoid(x)", "sigmoid(1.702 * x)"), "The bend is too narrow",
                "leave out 1.702, which imitates gelu"),
            *(Mistake(f"{name} for silu", it, f"This is {name}",
                "the gate is the logistic function, 1 / (1 + exp(−x))") for name, it in
                (("gelu", lambda x: x * scipy.special.ndtr(x)), ("relu", relu))),
            Mistake("slope for silu", lambda x: (s := scipy.special.expit(x)) * (1 + x * (1 - s)),
                "It says how steep silu is", "give the number itself, x times its gate"))),
    Checks(mlp,
        cases=(
            call(_x2, *_layers2), call(_x2, *_layers2, activation=np.tanh).about("another activation"),
            call(_x4, *(it[:1] for it in _layers2)).about("one layer"),
            call(_x2[0], *_layers2).about("a single sample"),
            call(_x, *_square_layers).about("as many units as inputs"), call(_x, *_layers3).about("three layers"),
            call(_x, *_layers3, activation=np.tanh).about("another activation"),
            call(_batch, *_layers3).about("three axes"), call(_batch[:, None], *_layers3).about("four axes"),
            call(_x2, *([it[0].copy() for _ in range(4)] for it in _layers2)).about("four layers, all alike"),
            call(_x2, *([it[0]] * 4 for it in _layers2)).about("one layer four times", edge=True),
            call(_x, [*_square_weights, _weights[0]], [*_square_biases, _biases[0]]).about("neighbours of one width")),
        claims=(
            Claim("one layer is linear",
                lambda f: distance(f(_x, [_weights[0]], [_biases[0]]), _x @ _weights[0] + _biases[0]), **_SUMS),
            Claim("the order of hidden units does not matter", _reordered, **_SUMS),
            Claim("without biases a ReLU network passes a positive factor through",
                lambda f: distance(f(2 * _x, [*_weights], [*_zeros]), 2 * f(_x, [*_weights], [*_zeros])), **_SUMS),
            Claim("without activation it is one linear layer", _one_linear_layer, **_SUMS),
            oracle("torch.nn.Sequential of Linear and ReLU", _sequence, call(_x, *_layers3),
                call(_batch, *_square_layers), **_SUMS)),
        mistakes=(
            Mistake("bent once", _bent_once,
                "Only the first layer is bent", "bend every layer but the last"),
            Mistake("last layer activated", ("return x", "return activation(x)"),
                "The last layer is bent, too: with ReLU nothing below zero comes out",
                "leave the last layer linear", "huyng/tensorflow-vgg, issue 13 (2018)"),
            Mistake("activation forgotten", ("activation(x) if i else x", "x"),
                "It draws straight lines only, however many layers it has", "put an activation between the layers"),
            Mistake("input activated", ("activation(x) if i else x", "activation(x)"),
                "The inputs are bent, too: with ReLU negative ones are lost",
                "begin with a linear layer"),
            Mistake("biases forgotten", ("else x, w, b)", "else x, w)"), "All bends go through the origin",
                "add the biases"),
            Mistake("two layers at least", lambda *it, **named: _two_at_least(*it, **named),
                "One layer is applied twice, as the first and as the last",
                "leave the last layer in the loop, or take out only that"),
            *(Mistake("two layers only", it, "It has two layers, however many weights there are",
                "go through all weights and biases in a loop, and bend between them") for it in _TWO_LAYERS),
            Mistake("biases subtracted", ("else x, w, b)", "else x, w, -b)"), "Every bias acts with the opposite sign",
                "add the biases"),
            Mistake("last bias forgotten", ("else x, w, b)", "else x, w, b if i + 1 < len(weights) else None)"),
                "The last layer has no bias", "add it outside of the loop, too"),
            Mistake("bias after the activation", ("linear(activation(x) if i else x, w, b)",
                "(activation(x @ w) if i + 1 < len(weights) else x @ w) + b"), "Every unit bends at the origin",
                "add the bias before the activation: it decides where the bend is"),
            Mistake("weights transposed", ("else x, w, b)", "else x, w.T, b)"),
                "It raises an error, or, for square weights, computes something else",
                "multiply from the right by weights of shape (inputs, outputs)"),
            Mistake("each layer from the inputs", _from_the_inputs,
                "Every layer begins with the inputs again", "hand on what the layer before it has made"),
            Mistake("bent apart", ("linear(activation(x) if i else x, w, b)", "(activation(x @ w) + activation(b) "
                "if i + 1 < len(weights) else x @ w + b)"), "Products and biases are bent apart, and then added",
                "add the bias first, and bend the sum"),
            Mistake("bent before the layer", _bent_before,
                "The inputs are bent, too, and what the last layer is given is not",
                "bend what a layer has made, before the next one takes it"))),
    Checks(gelu_slope,
        cases=(*(call(x).about("", tolerance=1e-12) for x in (_small, _grid, _points)),
            call(np.array(-0.7)).about("a number without any axis", edge=True, tolerance=1e-12),
            call(np.array([-8.0])).about("digits far below zero", edge=True, tolerance=1e-6, absolute=0.0)),
        claims=(
            Claim("gelu's slopes at x and −x add up to 1", lambda f: distance(f(_grid) + f(-_grid), np.ones(65)),
                **_ROUNDING),
            oracle("torch's autograd", _torch_slope, call(_grid), call(_points), **_ROUNDING)),
        mistakes=(
            Mistake("of ReLU", lambda x: (x > 0) * 1.0, "It jumps from 0 to 1: that is the slope of ReLU",
                "add x times the density to the gate"),
            Mistake("density only", ("scipy.special.ndtr(x) + ", ""), "Far above zero it vanishes, where gelu(x) is x",
                "the product rule has a first term, the gate itself"),
            Mistake("density without its root", (" / math.sqrt(2 * math.pi)", ""),
                "The density's area is 2.5 instead of 1", "divide by √(2π)"),
            Mistake("density times pi", (" / math.sqrt(2 * math.pi)", " / math.sqrt(2) * math.pi"),
                "The density is multiplied by π, which belongs below the line", "divide by √(2π), the root of both"),
            Mistake("slope of silu", lambda x: (s := scipy.special.expit(x)) + x * s * (1 - s),
                "It is the slope of silu",
                "the gate of gelu is the normal distribution, ndtr, and not the logistic function"),
            Mistake("slope of an approximation",
                lambda x: (s := scipy.special.expit(1.702 * x)) + 1.702 * x * s * (1 - s),
                "It is the slope of x σ(1.702 x), which follows gelu to 0.02",
                "take the normal distribution, ndtr, and its density"),
            Mistake("slope of the tanh approximation", lambda x: 0.5 * (1 + (t := np.tanh(_TANH * (x + 0.044715
                * x**3)))) + 0.5 * x * (1 - t**2) * _TANH * (1 + 0.134145 * x**2),
                "It is the slope of the approximation by tanh, off by up to 0.0009",
                "take the normal distribution, ndtr, and its density"),
            Mistake("erf without its root", ("scipy.special.ndtr(x)", "scipy.special.ndtr(math.sqrt(2) * x)"),
                "The gate is too narrow, and no longer the density's integral",
                "divide by √2 inside of erf: Φ(x) = ½ (1 + erf(x / √2))"),
            Mistake("gate only", (" + x * density", ""), "It never leaves the numbers between 0 and 1",
                "the product rule has a second term, x times the slope of the gate"),
            Mistake("density alone", lambda x: np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi),
                "Far above zero it vanishes, where gelu(x) is x",
                "by the product rule it is Φ(x) + xφ(x): two terms, not the product of two derivatives"),
            Mistake("logistic gate, normal density",
                lambda x: scipy.special.expit(x) + x * np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi),
                "The gate is the logistic function", "the gate of gelu is Φ, ndtr"),
            Mistake("gelu itself", gelu, "This is gelu, not how steep it is", "take the derivative of x Φ(x)"),
            Mistake("density twice over", lambda x: (2 - x**2) * np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi),
                "This is the slope of the slope", "stop after one derivative: Φ(x) + x φ(x)"),
            Mistake("terms crossed",
                lambda x: x * scipy.special.ndtr(x) + np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi),
                "x stands at the gate instead of at the density", "the derivative of x is 1: Φ(x) + x φ(x)"))),
    Checks(gelu_minimum, run=_on_the_way,
        cases=(call().about("", tolerance=6e-5),),
        claims=(
            Claim("the slope there is 0", lambda f: abs(float(gelu_slope(f()))), **_ROUNDING),
            oracle("scipy.optimize.brentq of the slope", _scipy_minimum, call(), **_ROUNDING)),
        mistakes=(
            Mistake("where the slope is smallest", ("-0.7517915246935645", "-math.sqrt(2)"),
                "There the slope is smallest, not gelu", "solve Φ(x) + xφ(x) = 0, not (2 − x²)φ(x) = 0"),
            Mistake("of silu", ("-0.7517915246935645", "-1.2784645427610738"), "This is where silu is smallest",
                "take Φ and φ of the normal distribution, not the logistic function"),
            *(Mistake("three digits", ("-0.7517915246935645", it), "Its first two or three digits are right",
                "let Newton's method run until four stay as they are") for it in ("-0.752", "-0.75")),
            Mistake("cut off", ("-0.7517915246935645", "-0.7517"), "Its digits are cut off, not rounded",
                "look at the fifth digit"),
            Mistake("value for the place, rounded", ("-0.7517915246935645", "-0.17"),
                "This is how small gelu becomes, not where", "give the x at which the slope is 0"),
            Mistake("no number", ("-0.7517915246935645", "math.nan"),
                "It is nan: the steps ran away to where the curvature is 0",
                "subtract the slope divided by its derivative, and start near the minimum"),
            Mistake("of the tanh form", ("-0.7517915246935645", "-0.75246142"), "This is where `gelu_tanh` is smallest",
                "use Φ itself"),
            Mistake("value for the place", ("-0.7517915246935645", "-0.16997120747990369"),
                "This is how small gelu becomes, not where", "give the x at which the slope is 0"),
            Mistake("stopped on the way", ("-0.7517915246935645", "-0.7496"),
                "It lies between the start and the minimum: the steps have not arrived",
                "let Newton's method run until four digits stay as they are"))),
)
