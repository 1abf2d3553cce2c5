"""What derivatives must satisfy, and how they are usually got wrong."""

import numpy as np

from mlnotes.blocks.derivatives import (
    complex_step_jacobian,
    distance_gradient,
    layer_norm_jacobian,
    layer_norm_vjp,
    logdet_gradient,
    logsumexp_gradient,
    numerical_jacobian,
    squared_distance_gradient,
    trace_axb_gradient,
    xw_gradient_w,
    xw_gradient_x,
)
from mlnotes.blocks.norm import vector_norm
from mlnotes.checks.bank import Checks, Claim, Mistake, call, distance, frozen, oracle

_rng = np.random.default_rng(17)
_vector, _other, _matrix, _x, _w, _upstream, _a, _b, _square, _gain, _rows, _rows_upstream, _deep, _deeper = frozen(
    _rng.normal(size=5), _rng.normal(size=5), _rng.normal(size=(3, 5)), _rng.normal(size=(3, 7)),
    _rng.normal(size=(7, 2)), _rng.normal(size=(3, 2)), _rng.normal(size=(5, 3)), _rng.normal(size=(2, 5)),
    _rng.normal(size=(5, 5)) + 3 * np.eye(5), _rng.normal(size=5) + 2, _rng.normal(size=(3, 5)),
    _rng.normal(size=(3, 5)), _rng.normal(size=(2, 3, 5)), _rng.normal(size=(2, 3, 5)))
# Small enough to be read in a report.
_p, _q, _p22, _q22, _x32, _w23, _g33, _g2, _tilted, _unit = frozen(
    np.array([3.0, 5.0]),
    np.array([0.0, 1.0]),
    np.array([[3.0, 5.0], [1.0, -1.0]]),
    np.array([[0.0, 1.0], [1.0, 1.0]]),
    np.array([[1.0, 2.0], [0.0, -1.0], [3.0, 1.0]]),
    np.array([[2.0, 0.0, 1.0], [-1.0, 3.0, 1.0]]),
    np.array([[1.0, 0.0, 2.0], [0.0, -1.0, 1.0], [4.0, 1.0, 0.0]]),
    np.array([2.0, -1.0]),
    np.array([[0.0, 2.0], [3.0, 1.0]]),  # of negative determinant
    np.array([[1.0, 2.0, 6.0]]),
)
_extreme = np.array([[-1e200, 3e200, 5e200, -6e200, 1e200], [1e-200, -4e-200, 2e-200, 0.0, -3e-200]])
# Differences whose length overflows, with no coordinate above 0 but a small one, or is a few times the smallest float.
_FAR = frozen(np.array([[-1.6e308, -1.6e308, 1.0], [1e308, 0.0, 2e-322], [0.0, 4e-322, 0.0]]),
    np.array([[1.6e308, 1.6e308, 0.0], [1e308, 0.0, 0.0], [0.0, 0.0, -1e-322]]))
_SIZES = ((np.array([-1e200, 0.0, 1e200]), 1e-5, "features of 1e200, and one in the middle"),
    (np.full(3, 1e200), 1e-5, "features of 1e200 that are all equal"), (np.array([-1e-161, 0.0, 3e-161]), 1e-320,
    "an eps of 1e-320"), (_unit[0], 1e300, "an eps of 1e300"))
_LAST_BITS = {"tolerance": 1e-14, "why": "sums of at most 7 numbers in float64: a few units of 1e-16"}
_SHORT = {"tolerance": 1e-12, "why": "a few dozen operations in float64, divided by a standard deviation near 1"}
_DIFFERENCES = {"tolerance": 1e-10, "why": "central differences have about 12 digits"}
_CONDITIONED = {"tolerance": 1e-13, "why": "the condition number is below 10"}


def squares(x):
    """Square every number."""
    return x**2


def length_squared(x):
    """Add up the squares."""
    return np.sum(x**2)


def backwards(x):
    """Reverse the order."""
    return x[::-1]


def linear_map(x):
    """Multiply a matrix (3, 5) by x."""
    return _matrix @ x


def decay(x):
    """Take exponentials that fall."""
    return np.exp(-x)


def thirds_of_cubes(x):
    """Cube every number, and divide by 3."""
    return x**3 / 3


def table(x):
    """Make a table (3, 2) of two numbers."""
    return np.array([[x[0] * x[1], x[0]], [np.sin(x[1]), 1.0 * x[1]], [x[0] ** 2, 0.0 * x[0]]])


def rounded_corner(x):
    """Follow |x|, but for a bend at 0 that is narrower than any step."""
    return np.hypot(x, 1e-15)


def scaled_roots(x):
    """Take roots of numbers around 1e-7 and around 1e13, with slopes around 1."""
    return np.sqrt(x * np.array([1e-7, 1e13]))


def row_sums(x):
    """Add up every row of a table."""
    return x.sum(axis=-1)


# Functions of one number that are hard to differentiate by steps: where, and the derivative, nan where there is none.
_HARD = {"tanh(1e-100 x)": (lambda x: np.tanh(1e-100 * x), 0.0, 1e-100), "tanh(1e4 x)": (lambda x: np.tanh(1e4 * x),
    0.0, 1e4), "tanh(1e100 x)": (lambda x: np.tanh(1e100 * x), 0.0, 1e100), "1 + tanh(1e12 x)": (lambda x: 1
    + np.tanh(1e12 * x), 0.0, 1e12), "tanh(1e8 (x - 1))": (lambda x: np.tanh(1e8 * (x - 1)), 1.0, 1e8),
    "sin(1e9 (x - 1))": (lambda x: np.sin(1e9 * (x - 1)), 1.0, 1e9), "1e6 x + tanh(1e4 x)": (lambda x: 1e6 * x
    + np.tanh(1e4 * x), 0.0, 1.01e6), "exp(-1e6 x)": (lambda x: np.exp(-1e6 * x), 1e-9, -1e6 * np.exp(-1e-3)),
    "exp(1e-20 x)": (lambda x: np.exp(1e-20 * x), 0.0, 1e-20), "|x - 1e-12|": (lambda x: np.abs(x - 1e-12), 0.0, -1.0),
    "1e9 - (1e9 - x)": (lambda x: 1e9 - (1e9 - x), 1.0, 1.0), "x |x|": (lambda x: x * np.abs(x), 0.0, 0.0),
    "max(x, 0)²": (lambda x: np.maximum(x, 0) ** 2, 0.0, 0.0), "cos": (np.cos, 0.0, 0.0), "floor": (np.floor, 0.5, 0.0),
    "sign": (np.sign, 0.0, np.nan), "cbrt": (np.cbrt, 0.0, np.nan), "|x|": (np.abs, 0.0, np.nan),
    "√x": (np.sqrt, 0.0, np.nan), "1/x": (lambda x: 1 / x, 0.0, np.nan), "|x| + 1e6 x³": (lambda x: np.abs(x) + 1e6
    * x**3, 0.0, np.nan), "sign(x) |x|^0.9": (lambda x: np.sign(x) * np.abs(x) ** 0.9, 0.0, np.nan)}


# Functions whose entries change on very different scales, and where: a search for one that suits them all.
_MIXED = ((lambda x: [1e-6 * (x - 1.000001e-3) * abs(x - 1.000001e-3) - 1e6, 0 * x, 1e42 * (x - 1.000001e-3) ** 3 + 1e6
    * x], 1e-3), (lambda x: [3 + 0 * x, 1e19 * x**3 + x, 1e6 * x + 1e6], 0.0), (lambda x: 1e100
    * np.hypot(100 * (x + 9.9e-8), 1), -1e-7), (lambda x: [np.log(100 * x) - 1, 1e-6 * np.exp(1e6 * (x - 1)) + 1e-6 * x
    - 1, 1e13 * np.exp(1e6 * (x - 1))], 1.0), (lambda x: 1e-100 * (1e100 * x) ** 3, 0.0),
    (lambda x: [-abs(1e-30 * (x - 1e-3)) + 1e-30 * x, 1e-3 * x + 3], 1e-3), (lambda x: [1e6 + x, -1e6 + 1e-6 / x],
    -3.0), (lambda x: [1e18 * x**3, 1e6 * np.cbrt(x - 1e12)], 1e12), (lambda x: [1e-6 * np.cbrt(1e-100 * x), 1 + 1e6
    * np.log(1e-100 * x), 1e-92 * abs(x)], 0.0), (lambda x: [4 + 0 * x, 1e-54 * x * abs(x) + x - 1e6, 1e-100
    * np.sin(1e100 * x)], 0.0), (lambda x: 1 - np.cos(1e6 * (x - 1000001)), 1e6), (lambda x: [np.maximum(3 * (x - 1e-3),
    0) + 3 * x - 1, 1 + np.exp(100 * x), 1e6 + 1e-100 * np.log(1e-3 - x)], 1e-3), (lambda x: [1e6 + 1e6
    * np.log(1e-3 * (x + 1)), 1e6 + 1e-76 * (x + 1) ** 3], -1.0), (lambda x: [1e-20 * x * abs(x) - 1, 1e300 * x * abs(x)
    - 1], -1.0), (lambda x: 1e6 + 1e-6 * np.exp(-((1e12 * (x - 1e-9)) ** 2)), 1e-9), (lambda x: [1 + 2 * x, 1e6 + 1e13
    * (1e6 - x) * abs(1e6 - x)], 1e6), (lambda x: [1 + 1e-6 / (1 + 1e-60 * x**2), 1e-6 * np.tanh(1e4 * (x + 1)), 1e-100
    * np.cos(x + 1) - 1], -1.0), (lambda x: np.floor(x + 3) + 1e6 * x, -3.0))


def cosine_gradient(a, b):
    """Tell how the cosine of the angle between two vectors changes with the first of them."""
    length = vector_norm(a)
    a, b = a / length, b / vector_norm(b)
    return (b - a @ b * a) / length


def _named(name, f):
    def function(x):
        return f(x)

    function.__name__ = name
    return function


def _autograd(f, *arguments):
    """Differentiate a torch function by its first argument."""
    import torch

    x, *others = map(torch.tensor, arguments)
    return torch.autograd.functional.jacobian(lambda x: f(torch, x, *others), x).numpy()


def _torchs(f, *calls, says="torch.autograd", **tolerance):
    """Claim that a formula is what torch gets by differentiating f(torch, *arguments)."""
    return oracle(says, lambda *arguments: _autograd(f, *arguments), *calls, **tolerance)


def _back(f):
    """Carry a gradient back by torch: f(torch, x, *others) is contracted with the upstream gradient."""

    def carried(x, upstream, *others):
        return _autograd(lambda torch, x, g, *rest: (f(torch, x, *rest) * g).sum(), x, upstream, *others)

    return carried


def _layer_norm(torch, x, gain=None):
    return torch.nn.functional.layer_norm(x, x.shape[-1:], gain)


def _measured(says, f, x, *arguments):
    """Claim that a formula is what central differences measure of f at x."""
    return Claim(says, lambda mine: distance(mine(*arguments), numerical_jacobian(f, x)), **_DIFFERENCES)


def _stepping(step, quotient):
    """Differentiate by stepping along each coordinate in turn."""

    def version(f, x):
        x = np.asarray(x, float)
        columns = [quotient(f, x, h, h * e.reshape(x.shape)) for h, e in zip(step(x), np.eye(x.size), strict=True)]
        return np.stack(columns, axis=-1).reshape(*np.shape(columns[0]), *x.shape)

    return version


def _left_behind(f, x):
    """Step along each coordinate in turn, and stay at the last step."""
    x, columns = np.array(x, float), []
    for j in np.ndindex(x.shape):
        h = 6e-6 * (abs(x[j]) or 1)
        x[j] += h
        ahead = np.array(f(x.copy()))
        x[j] -= 2 * h
        columns.append((ahead - f(x.copy())) / (2 * h))
    return np.stack(columns, axis=-1).reshape(*np.shape(columns[0]), *x.shape)


def _central(f, x, h, e):
    return (np.asarray(f(x + e)) - f(x - e)) / (2 * h)


def _forward(f, x, h, e):
    return (np.asarray(f(x + e)) - f(x)) / h




def _misses_hard(jacobian):
    return max(distance(jacobian(f, np.array([x])) / (abs(d) if abs(d) > 0 else 1), [[np.sign(d)]])
               for f, x, d in _HARD.values())


_CENTRAL = "what central differences measure"
_EPS_LEFT_OUT = Mistake("eps left out", ("xp = array_namespace(y)",
    "xp = array_namespace(y)\n    y, sigma = y * sigma," " x.std(-1, keepdims=True)\n    y = y / sigma"),
    "Features that are all equal give nan", "add eps to the variance")
_NAMESPACE = "xp = array_namespace(y)"
_GAINED = (_rows, _rows_upstream, _gain)
_JACOBIAN = "identity - 1 / n - products / n"
_VJP = "u - xp.mean(u, axis=-1, keepdims=True) - y * xp.mean(y * u, axis=-1, keepdims=True)"
_OF_ALL = (_NAMESPACE, _NAMESPACE + "\n    sigma = (x.var() + eps) ** 0.5\n    y = (x - x.mean()) / sigma")

CHECKS = (
    Checks(numerical_jacobian,
        cases=(
            call(length_squared, np.array([3.0, -1.0])).about("a function with one value", tolerance=1e-6),
            call(squares, np.array([3.0, -1.0, 2.0])).about("", tolerance=1e-6), call(backwards,
            np.array([3.0, -1.0])).about("a function that hands its argument back, in reverse order",
            tolerance=1e-6), call(rounded_corner,
            np.array([0.0, 1.0])).about("a sharp bend at 0, and even", tolerance=1e-6), call(decay,
            np.array([0.0, 2.0])).about("a coordinate of 0", tolerance=1e-6), call(linear_map,
            _vector).about("three outputs, five inputs", tolerance=1e-6), call(table, np.array([1.0, 2.0])).about(
            "outputs in a table (3, 2)", tolerance=1e-6), call(row_sums, _x32).about("inputs in a table (3, 2)",
            tolerance=1e-6), call(decay, _vector).about("exponentials", tolerance=1e-6),
            call(np.sqrt, np.array([1e-7, 4e-7])).about("x around 1e-7, where a long step leaves the domain",
                tolerance=1e-6),
            call(squares, np.array([2e13, -3e13])).about("x around 1e13, where a short step is rounded away",
                tolerance=1e-6),
            call(scaled_roots, np.array([1e-7, 4e13])).about("1e-7 beside 1e13", tolerance=1e-6),
            call(squares, np.array(3.0)).about("a number, which has no axes", edge=True, tolerance=1e-6),
            call(squares, np.array([3, 1])).about("whole numbers", edge=True, tolerance=1e-6),
            *(call(_named(name, f), np.array([x])).about("kinks, and functions on other scales than x", edge=True,
                tolerance=1e-7) for name, (f, x, _) in _HARD.items()),
            call(lambda x: np.array([1e13 * x[0], np.tanh(1e4 * x[0]), np.sign(x[0]), 3.0]),
                np.zeros(1)).about("a steep entry beside others", edge=True, tolerance=1e-13),
            *(call(lambda x, f=f: np.ravel(f(x)), np.array([x])).about("entries on very different scales", edge=True,
                tolerance=1e-7, absolute=0.0) for f, x in _MIXED),
            call(lambda x: [x[0] * x[1], 3], [3, 1]).about("lists", edge=True, tolerance=1e-7),
            call(squares, 3.0).about("a number", edge=True, tolerance=1e-7),
            call(lambda x: np.where(x > 0, np.inf, x), np.array([0.0, 2.0])).about("no value on one side", edge=True),
            call(lambda x: x.__imul__(3), np.array([2.0])).about("a function that overwrites its argument", edge=True,
                tolerance=1e-7)),
        claims=(
            Claim("the Jacobian of x → Ax is A: one row for each output",
                lambda f: distance(f(linear_map, _vector), _matrix), **_DIFFERENCES),
            Claim("output axes come first: a function with values (3, 2) of two numbers has a Jacobian (3, 2, 2)",
                lambda f: distance(f(table, np.array([1.0, 2.0])), complex_step_jacobian(table, np.array([1.0, 2.0]))),
                **_DIFFERENCES),
            Claim("digits are kept for x around 1e-7",
                lambda f: distance(np.diag(f(thirds_of_cubes, _vector * 1e-7)) * 1e14, _vector**2), 1e-9,
                "central differences have about 12 digits, and a few entries are a tenth of the others"),
            Claim("right on every scale, and nan where there is no derivative", _misses_hard, 1e-7,
                "1e9 - (1e9 - x) is rounded to 1e-7"),
            oracle("torch.autograd", lambda f, x: _autograd(lambda torch, x: torch.exp(-x), x), call(decay, _vector),
                **_DIFFERENCES)),
        mistakes=(
            Mistake("forward differences", _stepping(lambda x: 1e-8 * np.where(x == 0, 1, np.abs(x)).ravel(), _forward),
                "Only half of the digits are right, and a bend tilts the slope",
                "step to both sides: the error then falls with the square of the step"),
            Mistake("forward differences with one step", _stepping(lambda x: np.full(x.size, 1e-8), _forward),
                "A bend tilts the slope, and one step for all is nothing for x around 1e13",
                "step to both sides, and choose the step by the size of x"),
            Mistake("one step for all scales", _stepping(lambda x: np.full(x.size, 1e-5), _central),
                "One step for all is a leap for x around 1e-7, and nothing for x around 1e13",
                "choose the step by the size of x"),
            Mistake("no step below that for 1", _stepping(lambda x: 1e-5 * np.maximum(1, np.abs(x)).ravel(), _central),
                "The step for 1 is a leap for x around 1e-7",
                "choose the step by the size of x, and a fixed one only at 0"),
            Mistake("step by the length of x",
                _stepping(lambda x: np.full(x.size, 1e-5 * (np.linalg.norm(x) or 1)), _central),
                "The step for the largest coordinate is a leap for the others",
                "choose one for each coordinate, by its own size"),
            Mistake("step of nothing", _stepping(lambda x: 1e-5 * np.abs(x).ravel(), _central),
                "It is nan where a coordinate is 0: the step is 0, too", "take a fixed step there"),
            Mistake("inputs first",
                lambda f, x: np.moveaxis(numerical_jacobian(f, x), range(-x.ndim, 0), range(x.ndim)),
                "The axes are transposed", "stack the derivatives by each input along a new last axis"),
            Mistake("inputs first, then reshaped", lambda f, x: np.moveaxis(j := numerical_jacobian(f, x),
                range(-x.ndim, 0), range(x.ndim)).reshape(j.shape), "The shape is right, and the numbers are elsewhere",
                "stack the derivatives by each input along a new last axis"),
            Mistake("all inputs moved at once", _stepping(lambda x: np.full(x.size, 1e-5), lambda f, x, h,
                e: (np.asarray(f(x + h)) - f(x - h)) / (2 * h)), "All columns are the same",
                "move one coordinate at a time, and move it back"),
            Mistake("no loop over the inputs", lambda f, x: (np.asarray(f(x + 1e-5)) - f(x - 1e-5)) / 2e-5,
                "It has the shape of the outputs", "move one coordinate at a time: one column for each"),
            Mistake("moved, and not moved back", _left_behind, "All columns but the first are taken beside x",
                "move each coordinate back before the next one"),
            Mistake("axes of the inputs backwards", ("(*columns[0].shape, *x.shape)",
                "(*columns[0].shape, *x.shape[::-1])"), "The axes of x come in reverse order",
                "after the axes of the outputs come those of x, as they are"))),
    Checks(complex_step_jacobian,
        cases=(
            call(length_squared, np.array([3.0, -1.0])).about("a function with one value"),
            call(squares, np.array([3.0, 0.0, 2.0])), call(thirds_of_cubes, np.array([3.0, -1.0])),
            call(linear_map, _vector).about("three outputs, five inputs"),
            call(table, np.array([1.0, 2.0])).about("outputs in a table (3, 2)"),
            call(row_sums, _x32).about("inputs in a table (3, 2)"), call(decay, _vector).about("exponentials"),
            call(thirds_of_cubes, np.array([1e-7, 3e-7])).about("x around 1e-7"),
            call(squares, np.array([3, 1])).about("whole numbers", edge=True),
            call(decay, np.array([0.0])).about("0", edge=True),
            call(lambda x: np.exp(1e30 * x), np.array([0.0, -1e-30])).about("a function that changes fast", edge=True),
            call(lambda x: 3 * x, np.array([-1e-300, 2e300])).about("numbers of any size", edge=True),
            call(lambda x: 1e-20 * x, np.array([0.0, -3.0])).about("a function that changes slowly", edge=True,
                absolute=0.0),
            call(np.log, np.array([1e-200, 5e-308])).about("a function that bends close to x", edge=True),
            call(lambda x: [x[0] * x[1], 3 * x[0]], [3, 1]).about("lists", edge=True)),
        claims=(
            Claim("the Jacobian of x → Ax is A", lambda f: distance(f(linear_map, _vector), _matrix), **_LAST_BITS),
            Claim("the derivative of a third of x³ is x²",
                lambda f: distance(f(thirds_of_cubes, _vector), np.diag(_vector**2)), **_LAST_BITS),
            oracle("torch.autograd", lambda f, x: _autograd(lambda torch, x: torch.exp(-x), x), call(decay, _vector),
                **_LAST_BITS)),
        mistakes=(
            Mistake("real part, or not divided",
                _stepping(lambda x: np.full(x.size, 1e-20), lambda f, x, h, e: np.imag(f(x + 1j * e))),
                "It is nothing or next to nothing",
                "step in the imaginary direction, take the imaginary part, and divide it by the step"),
            Mistake("step that is too long",
                _stepping(lambda x: np.full(x.size, 1e-3), lambda f, x, h, e: np.imag(f(x + 1j * e)) / h),
                "Six digits are right, and no more", "nothing is subtracted, so the step may be 1e-100"),
            Mistake("forward differences", _stepping(lambda x: np.full(x.size, 1e-8), _forward),
                "Only half of the digits are right", "step in the imaginary direction"),
            Mistake("inputs first",
                lambda f, x: np.moveaxis(complex_step_jacobian(f, x), range(-x.ndim, 0), range(x.ndim)),
                "The axes are transposed", "stack the derivatives by each input along a new last axis"))),
    Checks(squared_distance_gradient,
        cases=(
            call(_p, _q), call(_p22, _q22).about("two pairs of vectors"),
            call(_p, _p.copy()).about("two equal vectors"), call(_rows, _rows_upstream).about("three pairs of vectors"),
            call(_deep, _deeper).about("three axes"), call(_rows, _vector).about("three vectors and one", edge=True)),
        claims=(
            Claim("zero where a = b", lambda f: distance(f(_vector, _vector), np.zeros(5))),
            _measured(_CENTRAL, lambda a: np.sum((a - _other) ** 2), _vector, _vector, _other),
            _torchs(lambda torch, a, b: ((a - b) ** 2).sum(), call(_vector, _other), call(_rows, _rows_upstream),
                **_LAST_BITS)),
        mistakes=(
            Mistake("the squared distance itself",
                lambda a, b: ((a - b) ** 2).sum(-1), "It is the squared distance, a number",
                "differentiate it: one number for each coordinate"),
            Mistake("not differentiated", lambda a, b: (a - b) ** 2, "It is never negative",
                "the derivative of (a − b)² is 2(a − b)"),
            Mistake("gradient of the distance", lambda a, b: 2 * distance_gradient(a, b),
                "Its length does not grow with the distance", "there is no root: divide by nothing"),
            Mistake("second vector left out", lambda a, b: 2 * a + 0 * b, "It does not depend on b",
                "2(a − b): the square holds −2ab, too"))),
    Checks(distance_gradient,
        cases=(
            call(_p, np.array([0.0, 1.0])), call(_p, _p.copy()).about("two equal vectors"),
            call(_p22, _q22).about("two pairs of vectors"),
            call(_p22, np.array([[3.0, 5.0], [0.0, 0.0]])).about("one pair of equal vectors"),
            call(_rows, _rows_upstream).about("three pairs of vectors"), call(_deep, _deeper).about("three axes"),
            call(1e-9 * _vector, 1e-9 * _other).about("vectors 1e-9 apart"),
            call(np.array([1.0, 2.0]),
                np.array([1 + 3 * 2.0**-30, 2 - 2.0**-28])).about("far from 0, and b - a is (2.8e-9, -3.7e-9)",
                hint="Near points lose their distance: |a|² − 2a·b + |b|² cancels. Subtract first, then square."),
            call(_rows, _vector).about("three vectors and one", edge=True),
            call(np.array([[-3e200, 0.0], [1e308, 1.0], [3e-200, 0.0]]),
                np.array([[0.0, 4e200], [-1e308, 1.0], [0.0, 4e-200]])).about("coordinates of any size", edge=True),
            call(*_FAR).about("coordinates near the largest and the smallest floats", edge=True)),
        claims=(
            Claim("its length is one",
                lambda f: distance(np.linalg.norm(f(_rows, _rows_upstream), axis=-1), np.ones(3)), **_LAST_BITS),
            _measured(_CENTRAL, lambda a: np.sqrt(np.sum((a - _other) ** 2)), _vector, _vector, _other),
            Claim("scaling both points changes nothing",
                lambda f: distance(f(_vector * 1e-9, _other * 1e-9), f(_vector, _other)), **_LAST_BITS),
            Claim("zeros, the shortest subgradient, where a = b", lambda f: distance(f(_vector, _vector), np.zeros(5))),
            _torchs(lambda torch, a, b: torch.linalg.vector_norm(a - b, dim=-1).sum(), call(_vector, _other),
                **_LAST_BITS)),
        mistakes=(
            Mistake("nothing over nothing", lambda a, b: (a - b) / np.linalg.norm(a - b, axis=-1, keepdims=True),
                "It is nan where the points coincide, and one such pair spoils a whole sum of gradients",
                "return zeros there", "PyTorch, issue 2421 (2017)"),
            Mistake("all for one", lambda a, b: distance_gradient(a, b) * np.any(a != b, axis=-1).all(),
                "One pair of equal points gives zeros to all pairs", "decide for each pair by itself, with np.where"),
            Mistake("near taken for equal",
                lambda a, b: distance_gradient(a, b) * (np.linalg.norm(a - b, axis=-1, keepdims=True) >= 1e-8),
                "It gives zeros for points that are 1e-9 apart",
                "only equal points have no direction: compare the distance with 0"),
            Mistake("divided by the square",
                lambda a, b: (a - b) / np.maximum(np.sum((a - b) ** 2, -1, keepdims=True), 1e-300),
                "It is longer than 1 for near points", "divide by the distance, not its square"),
            Mistake("small number added", lambda a, b: (a - b) / (np.linalg.norm(a - b, axis=-1, keepdims=True) + 1e-8),
                "It is too short for points that are 1e-8 apart",
                "replace a distance of zero, and leave the others as they are"),
            Mistake("one over the whole", lambda a, b: (a - b) / (np.linalg.norm(a - b) or 1),
                "Rows have lengths below 1", "take the length of each row: axis=-1"),
            Mistake("not divided", lambda a, b: a - b, "Its length is the distance",
                "divide by the distance: the chain rule's 1/2√ does it"),
            Mistake("gradient of the square", lambda a, b: 2 * (a - b), "Its length is twice the distance",
                "that is the gradient of the squared distance: the chain rule's 1/2√ is missing"),
            Mistake("small number under the root",
                lambda a, b: (a - b) / np.sqrt(np.sum((a - b) ** 2, -1, keepdims=True) + 1e-12),
                "It is too short for points that are 1e-9 apart",
                "replace a distance of zero, and leave the others as they are"),
            Mistake("sum of absolute values",
                lambda a, b: (a - b) / np.maximum(np.abs(a - b).sum(-1, keepdims=True), 1e-300),
                "Its absolute values add up to 1", "divide by the root of the sum of squares"),
            Mistake("signs", lambda a, b: np.sign(a - b), "Every coordinate is 1 or -1",
                "divide a − b by its length: signs are the gradient of the sum of |aᵢ − bᵢ|"))),
    Checks(logsumexp_gradient,
        cases=(
            call(np.array([1.0, 2.0, 4.0])), call(_x32), call(_rows).about("three rows"),
            call(_deep).about("three axes"),
            call(np.array([[1000.0, 999.0], [-1000.0, -999.0]])).about("scores of 1000 and of -1000"),
            call(np.array([[0.0, 800.0], [-900.0, -800.0]])).about("rows far below the largest score")),
        claims=(
            Claim("it sums to one", lambda f: distance(f(_rows).sum(-1), np.ones(3)), **_LAST_BITS),
            Claim("scores of 1000 do not overflow", lambda f: distance(f(np.array([1000.0, 0.0])), [1.0, 0.0])),
            _torchs(lambda torch, x: torch.logsumexp(x, -1).sum(), call(_vector), call(_rows), **_LAST_BITS)),
        mistakes=(
            Mistake("exponentials overflow", lambda x: np.exp(x) / np.exp(x).sum(axis=-1, keepdims=True),
                "It is nan for a score of 1000", "subtract the maximum first: call softmax"),
            Mistake("jacobian of softmax",
                lambda x: (p := logsumexp_gradient(x))[..., :, None] * (np.eye(x.shape[-1]) - p[..., None, :]),
                "It is a matrix", "that is the second derivative: the first is softmax"),
            Mistake("softmax of everything", lambda x: np.exp(x - x.max()) / np.exp(x - x.max()).sum(),
                "All rows together sum to one", "take each row by itself: axis=-1, keepdims=True"),
            Mistake("derivative of the logarithm", lambda x: 1 / np.exp(x - x.max(-1, keepdims=True)).sum(-1),
                "It is one number for each row", "the chain rule brings the inner derivative, exp xᵢ"))),
    Checks(layer_norm_jacobian,
        cases=(
            call(_unit[0]), call(_unit[0], gain=np.array([1.0, 2.0, -1.0])).about("a gain"),
            call(_unit[0], eps=0.5).about("an eps of 0.5"), call(_unit[0], eps=0.0).about("an eps of 0"),
            call(np.array([2.0, 2.0, 2.0]), eps=0.25).about("features that are all equal"),
            call(_rows).about("three rows"), call(_rows, _gain, 0.1).about("gain and eps"),
            call(_deep, gain=_gain).about("three axes, and a gain"),
            call(_extreme, eps=0.0).about("features of 1e200 and of 1e-200", edge=True),
            call(_extreme[:1], eps=0.0).about("features of 1e200", edge=True),
            call(1e-3 * _rows).about("features whose variance is less than eps", edge=True),
            call(_unit.astype(np.float32)).about("float32", edge=True),
            *(call(x, eps=eps).about(says, edge=True, absolute=0.0) for x, eps, says in _SIZES)),
        claims=(
            Claim("every row sums to zero: a constant added to all features changes nothing",
                lambda f: distance(f(_rows, _gain).sum(-1), np.zeros((3, 5))), **_SHORT),
            Claim("features twice as large move the result half as much",
                lambda f: distance(2 * f(2 * _rows, None, 0.0), f(_rows, None, 0.0)), **_SHORT),
            _torchs(_layer_norm, call(_vector), call(_vector, _gain),
                says="torch.autograd through torch.nn.functional.layer_norm", **_SHORT)),
        mistakes=(
            Mistake("statistics held constant", (_JACOBIAN, "identity + 0 * y[..., None]"), "It is diagonal",
                "every feature moves the mean and the variance, and so every output"),
            Mistake("variance held constant", (_JACOBIAN, "identity - 1 / n + 0 * y[..., None]"),
                "Features scaled by a factor would still change the result", "add the term -y yᵀ/n of the variance"),
            Mistake("mean held constant", (_JACOBIAN, _JACOBIAN.replace("- 1 / n ", "")), "Its rows do not sum to zero",
                "add the term -1/n of the mean"),
            Mistake("n forgotten", (_JACOBIAN, _JACOBIAN.replace("products / n", "products")),
                "What goes through the variance is n times too large", "the term is -y yᵀ/n"),
            Mistake("not centred", ("n = y.shape[-1]", "n, y = y.shape[-1], x / sigma"),
                "Adding a constant to all features changes it", "y are the features less their mean, over sigma"),
            Mistake("eps outside the root", ("n = y.shape[-1]",
                "n, y = y.shape[-1], y * sigma\n    sigma = x.var(-1)[..., None] ** 0.5 + eps\n    y = y / sigma"),
                "Features that are all equal are divided by eps, not by its root",
                "add eps to the variance, before the root is taken"),
            Mistake("sigma forgotten", (") / sigma[..., None]", ")"),
                "Features twice as large move the result as much as before", "divide by sigma"),
            _EPS_LEFT_OUT,
            Mistake("gain on columns", ("as_like(gain, x)[:, None] *", "as_like(gain, x) *"),
                "Its columns are scaled by the gain", "the gain belongs to the outputs: to rows"),
            Mistake("sample variance", ("n = y.shape[-1]",
                "n = y.shape[-1]\n    wide = ((sigma**2 - eps) * n / (n - 1)"
                " + eps) ** 0.5\n    y, sigma = y * sigma / wide, wide"), "Sigma is √(n/(n - 1)) times too large",
                "divide the squares by n, as layer norm does"))),
    Checks(layer_norm_vjp,
        cases=(
            call(_unit[0], np.array([1.0, 0.0, 0.0])),
            call(_unit[0], np.array([1.0, 3.0, -1.0]), gain=np.array([1.0, 2.0, -1.0])).about("a gain"),
            call(_unit[0], np.array([1.0, 3.0, -1.0]), gain=np.array([2.0, 0.0, 1.0])).about("a gain with a 0"),
            call(_unit[0], np.array([1.0, 3.0, -1.0]), gain=np.zeros(3)).about("a gain of zeros"),
            call(_unit[0], np.array([1.0, 3.0, -1.0]), eps=0.5).about("an eps of 0.5"),
            call(np.array([2.0, 2.0, 2.0]), np.array([1.0, 3.0, -1.0]), eps=0.25).about("features that are all equal"),
            call(_rows, _rows_upstream).about("three rows"),
            call(_g33, _g33[::-1], _x32[:, 0]).about("as many rows as features, and a gain"),
            call(_rows, _rows_upstream, _gain, 0.1).about("gain and eps"),
            call(_deep, _deeper, gain=_gain).about("three axes, and a gain"),
            call(_extreme, _rows_upstream[:2], eps=0.0).about("features of 1e200 and of 1e-200", edge=True),
            call(_extreme[:1], _rows_upstream[:1], eps=0.0).about("features of 1e200", edge=True),
            call(1e-3 * _rows, _rows_upstream).about("features whose variance is less than eps", edge=True),
            call(_unit[0] + 2.0**20, np.array([1.0, 3.0, -1.0])).about("features far from 0", edge=True,
                tolerance=1e-8),
            call(_unit.astype(np.float32), np.array([[1.0, 3.0, -1.0]], np.float32)).about("float32", edge=True),
            *(call(x, np.array([1.0, 3.0, -1.0]), eps=eps).about(says, edge=True, absolute=0.0) for x, eps,
                says in _SIZES)),
        claims=(
            Claim("its rows sum to zero", lambda f: distance(f(*_GAINED).sum(-1), np.zeros(3)), **_SHORT),
            Claim("the Jacobian, transposed, times the upstream gradient", lambda f: distance(f(*_GAINED),
                np.einsum("bij,bi->bj", layer_norm_jacobian(_rows, _gain), _rows_upstream)), **_SHORT),
            oracle("torch.autograd through torch.nn.functional.layer_norm", _back(_layer_norm), call(*_GAINED),
                **_SHORT)),
        mistakes=(
            Mistake("statistics held constant", (_VJP, "u"), "Its rows do not sum to zero",
                "take away what goes through the mean and the variance"),
            Mistake("variance held constant", (_VJP, "u - xp.mean(u, axis=-1, keepdims=True)"),
                "Its rows sum to zero, and still the features' scale gets a gradient",
                "take away y times the mean of y·u, too"),
            _EPS_LEFT_OUT,
            Mistake("gain applied last", (("upstream if gain is None else upstream * as_like(gain, x)", "upstream"),
                (") / sigma", ") / sigma * (1 if gain is None else gain)")),
                "It is right only where all gains are equal", "multiply the upstream gradient first"),
            Mistake("mean held constant", (_VJP, "u - y * xp.mean(y * u, axis=-1, keepdims=True)"),
                "A constant added to all features gets a gradient", "take away the mean of u, too"),
            Mistake("sigma forgotten", (") / sigma", ")"),
                "Features twice as large get as large a gradient as before", "divide by sigma"),
            Mistake("eps outside the root", (_NAMESPACE, _NAMESPACE
                + "\n    y = y * sigma\n    sigma = x.std(-1, keepdims=True) + eps\n    y = y / sigma"),
                "Features that are all equal are divided by eps, not by its root",
                "add eps to the variance, before the root is taken"),
            Mistake("centred features for y", (_NAMESPACE, _NAMESPACE + "\n    y = y * sigma"),
                "What goes through the variance grows with the features", "divide the centred features by sigma"),
            Mistake("not centred", (_NAMESPACE, _NAMESPACE + "\n    y = x / sigma"),
                "Adding a constant to all features changes it", "y are the features less their mean, over sigma"),
            Mistake("normalized over samples", lambda x, upstream, gain=None, eps=1e-5: np.moveaxis(layer_norm_vjp(
                np.moveaxis(x, 0, -1), np.moveaxis(upstream * (1 if gain is None else gain), 0, -1), None, eps), -1, 0),
                "Samples are normalized together", "average over the features: axis=-1, keepdims=True"),
            *(Mistake("statistics of all samples", edit, "Samples are normalized together",
                "average over the features: axis=-1, keepdims=True") for edit in (_OF_ALL, (_OF_ALL, (_VJP,
                _VJP.replace(", axis=-1, keepdims=True", ""))))),
            Mistake("averages over samples", (_VJP, _VJP.replace("axis=-1", "axis=0")), "Samples influence each other",
                "average over the features: axis=-1, keepdims=True"),
            Mistake("y forgotten", (_VJP, _VJP.replace("- y *", "-")),
                "Every feature gets the same share of what goes through the variance", "multiply it by y"),
            Mistake("sums for means", (_VJP, _VJP.replace("xp.mean", "xp.sum")),
                "What is taken away is n times too large", "take the mean over the features"),
            *(Mistake("sum for one mean", (_VJP, _VJP.replace(mean, mean.replace("mean", "sum"))),
                f"What goes through the {which} is n times too large", "take the mean over the features, not the sum")
                for mean, which in (("xp.mean(u", "mean"), ("xp.mean(y * u", "variance"))))),
    Checks(xw_gradient_x,
        cases=(
            call(_w23, _g33), call(_tilted, np.array([[1.0, 2.0]])), call(_w, _upstream),
            call(_w, np.stack([_upstream, -_upstream[::-1]])).about("two tables of gradients", edge=True)),
        claims=(
            _measured(_CENTRAL, lambda x: np.sum(x @ _w * _upstream), _x, _w, _upstream),
            oracle("torch.autograd", lambda w, g: _back(lambda torch, x, w: x @ w)(_x, g, w), call(_w, _upstream),
                **_LAST_BITS)),
        mistakes=(
            Mistake("weights not transposed", lambda w, upstream: upstream @ w,
                "Shapes fit only where W is square, and then the numbers are not right", "transpose W: G @ W.mT"),
            Mistake("weights reshaped", lambda w, upstream: upstream @ w.reshape(w.shape[::-1]),
                "The shape is right and the numbers are not", "transpose W: G @ W.mT"))),
    Checks(xw_gradient_w,
        cases=(
            call(_x32, _g33), call(np.array([[1.0, 2.0]]), np.array([[3.0, -1.0]])).about("one sample"),
            call(_x, _upstream), call(_deep, _deeper[..., :2]).about("two tables of samples", edge=True)),
        claims=(
            _measured(_CENTRAL, lambda w: np.sum(_x @ w * _upstream), _w, _x, _upstream),
            oracle("torch.autograd", lambda x, g: _back(lambda torch, w, x: x @ w)(_w, g, x), call(_x, _upstream),
                **_LAST_BITS)),
        mistakes=(
            Mistake("averaged over samples", lambda x, upstream: x.mT @ upstream / x.shape[-2],
                "It is too small by the factor m, the number of samples",
                "the gradient is a sum over samples; a mean belongs to the loss, and comes with G"),
            Mistake("last sample only", lambda x, upstream: x[..., -1, :, None] * upstream[..., -1, None, :],
                "All samples but the last count for nothing", "add up what the samples give: +="),
            Mistake("rows reshaped", lambda x, upstream: x.reshape(x.shape[::-1]) @ upstream,
                "The shape is right and the numbers are not", "transpose X: X.mT @ G"))),
    Checks(trace_axb_gradient,
        cases=(
            call(_x32, _w23), call(_tilted, np.array([[1.0, 2.0], [0.0, -1.0]])), call(_a, _b),
            call(_deep, _deeper.mT.copy()).about("two pairs of matrices", edge=True)),
        claims=(
            _measured(_CENTRAL, lambda x: np.trace(_a @ x @ _b), np.ones((3, 2)), _a, _b),
            oracle("torch.autograd",
                lambda a, b: _autograd(lambda torch, x, a, b: torch.trace(a @ x @ b), np.ones((3, 2)), a, b),
                call(_a, _b), **_LAST_BITS)),
        mistakes=(
            Mistake("order of the formula", lambda a, b: (a @ b).mT, "It is right only where A and B commute",
                "(BA)ᵀ is AᵀBᵀ: the order is turned round once"),
            Mistake("transposes left out", lambda a, b: a @ b, "It is right for symmetric A and B, not in general",
                "AᵀBᵀ"))),
    Checks(logdet_gradient,
        cases=(
            call(np.array([[4.0]])).about("one number"), call(np.array([[2.0, 1.0], [0.0, 3.0]])),
            call(_tilted).about("a negative determinant"), call(np.array([[2.0, 0.001], [-8.0, 0.5]])).about(
            "a large column and a small one"), call(_square), call(np.stack([_square, _square.T
            + np.eye(5)])[None]).about("four axes", edge=True),
            call(np.array([[[-2e200, 1e-100], [0.0, 3e-300]], [[1.0, 2.0], [3.0, 5.0]]])).about(
                "rows and columns of very different size", edge=True),
            call(np.array([[-2e200, 1e-100], [0.0, 3e-300]])).about("rows of very different size", edge=True),
            call(np.array([[-2e300, 1e-100], [0.0, 3e-300]])).about("a row without a large number above 0", edge=True),
            call(np.array([[1.0, 2.0], [2.0, 4.0]])).about("a matrix without an inverse", edge=True)),
        claims=(
            Claim("XᵀG is the identity", lambda f: distance(_square.T @ f(_square), np.eye(5)), **_CONDITIONED),
            _measured(_CENTRAL, lambda x: np.log(abs(np.linalg.det(x))), _tilted, _tilted),
            Claim("also where the determinant is negative", lambda f: distance(f(_tilted), np.linalg.inv(_tilted).T),
                **_LAST_BITS),
            _torchs(lambda torch, x: torch.linalg.slogdet(x).logabsdet, call(_square), call(_tilted),
                says="torch.autograd through torch.linalg.slogdet", **_CONDITIONED)),
        mistakes=(
            Mistake("times the determinant", lambda x: np.linalg.det(x)[..., None, None] * np.linalg.inv(x).mT,
                "It is det X times too large", "leave the determinant out"),
            Mistake("over the determinant", lambda x: np.linalg.inv(x).mT / np.linalg.det(x)[..., None, None],
                "It is det X times too small", "the inverse contains 1/det already"),
            Mistake("nan where the determinant is negative",
                lambda x: np.where(np.linalg.det(x)[..., None, None] > 0, np.linalg.inv(x).mT, np.nan),
                "It is nan where the determinant is negative", "take the logarithm of its absolute value"),
            Mistake("transposed, not inverted", lambda x: x.mT, "It grows with X",
                "a logarithm's derivative falls: invert"))),
    Checks(cosine_gradient,
        cases=(
            call(np.array([3.0, 4.0]), np.array([1.0, 0.0])), call(np.array([2.0, 0.0]), np.array([3.0, 4.0])),
            call(_vector, _other), call(_p, -3 * _p).about("opposite directions", absolute=1e-12),
            call(np.array([1.0, 0.0]), np.array([1.0, 1e-4])).about("directions that are nearly the same"),
            call(np.array([1e-9, 2e-9, 2e-9]), np.array([0.0, 3e9, 4e9])).about("a short vector and a long one")),
        claims=(
            Claim("it is perpendicular to a", lambda f: abs(f(_vector, _other) @ _vector), **_LAST_BITS),
            Claim("a longer b changes nothing", lambda f: distance(f(_vector, 7 * _other), f(_vector, _other)),
                **_LAST_BITS),
            _torchs(lambda torch, a, b: torch.nn.functional.cosine_similarity(a, b, dim=0), call(_vector, _other),
                **_LAST_BITS)),
        mistakes=(
            Mistake("length of a held constant", (" - a @ b * a", ""), "It is not perpendicular to a",
                "the length of a changes, too: subtract the part along a"),
            Mistake("part along a not divided", ("(b - a @ b * a) / length", "b / length - a @ b * a"),
                "It is right for vectors a of length one only: of the part along a, a is divided by its length once",
                "divide it twice, once for its direction and once for the slope"),
            *(Mistake("directions not of length one", it, "It is right for vectors of length one only",
                "put a / |a| for a and b / |b| for b, and divide the whole by |a|") for it in (
                lambda a, b: (b - a @ b * a / np.sqrt(a @ a * (b @ b))) / np.sqrt(a @ a),
                lambda a, b: b / np.sqrt(a @ a * (b @ b)) - a @ b * a / np.sqrt(a @ a * (b @ b)),
                lambda a, b: (b - a @ b * a) / np.sqrt(a @ a * (b @ b)))),
            Mistake("not divided by the length of a", (") / length", ")"), "Short vectors turn as slowly as long ones",
                "divide by the length of a as it was given"),
            Mistake("b not of length one", ("a / length, b / vector_norm(b)", "a / length, b"),
                "It grows with the length of b", "divide b by its length"),
            Mistake("gradient of the angle",
                ("return (b - a @ b * a) / length", "return (a @ b * a - b) / length / (1 - (a @ b) ** 2) ** 0.5"),
                "It is the gradient of the angle", "leave the arccosine away"),
            Mistake("part along b", ("(b - a @ b * a) / length", "(a - a @ b * b) / length"),
                "It is perpendicular to b, not to a", "subtract the part of b that lies along a"),
            Mistake("length of b lost on the way", lambda a, b: b / np.sqrt(a @ a * (b @ b))
                - a @ b * a / np.sqrt(a @ a) / (a @ a * (b @ b)), "It is right for b of length one only",
                "the slope of |a||b| by a is |b| a/|a|"))),
)
