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
from mlnotes.checks.oldbank import Checks, Claim, Mistake, distance, frozen

_rng = np.random.default_rng(17)
_vector, _other, _matrix, _x, _w, _upstream, _a, _b, _square, _gain, _rows, _rows_upstream, _tilted = frozen(
    _rng.normal(size=5),
    _rng.normal(size=5),
    _rng.normal(size=(3, 5)),
    _rng.normal(size=(3, 7)),
    _rng.normal(size=(7, 2)),
    _rng.normal(size=(3, 2)),
    _rng.normal(size=(5, 3)),
    _rng.normal(size=(2, 5)),
    _rng.normal(size=(5, 5)) + 3 * np.eye(5),
    _rng.normal(size=5) + 2,
    _rng.normal(size=(3, 5)),
    _rng.normal(size=(3, 5)),
    np.array([[0.0, 2.0], [3.0, 1.0]]),  # of negative determinant
)
_LAST_BITS = "sums of at most 7 numbers in float64: a few units of 1e-16"
_DIFFERENCES = "central differences have about 12 digits"


def _linear(x):
    return _matrix @ x


def _cubes(x):
    return x**3 / 3


def _decay(x):
    return np.exp(-x)


def _pair(x):
    return np.array([[x[0] * x[1], x[0]], [np.sin(x[1]), 1.0 * x[1]], [x[0] ** 2, 0.0 * x[0]]])


def _autograd(f, *arguments):
    """Differentiate a torch function by its first argument."""
    import torch

    x, *others = map(torch.tensor, arguments)
    return torch.autograd.functional.jacobian(lambda x: f(torch, x, *others), x).numpy()


def _by_autograd(f, *places):
    return lambda mine: max(distance(mine(*place), _autograd(f, *place)) for place in places)


def _back(f):
    """Carry a gradient back by torch: f(torch, x, *others) is contracted with the upstream gradient."""

    def carried(x, upstream, *others):
        return _autograd(lambda torch, x, g, *rest: (f(torch, x, *rest) * g).sum(), x, upstream, *others)

    return carried


def _layer_norm(torch, x, gain=None):
    return torch.nn.functional.layer_norm(x, x.shape[-1:], gain)


_layer_norm_back = _back(_layer_norm)


def forward_differences(f, x):
    """Step in one direction only."""
    h = 1e-8 * np.maximum(np.abs(x), 1)
    columns = [(np.asarray(f(x + h * e)) - f(x)) / h[j] for j, e in enumerate(np.eye(x.size))]
    return np.stack(columns, axis=-1)


def one_step_for_all_scales(f, x):
    """Take central differences with a step that does not know how large x is."""
    h = 1e-5
    columns = [(np.asarray(f(x + h * e)) - f(x - h * e)) / (2 * h) for e in np.eye(x.size)]
    return np.stack(columns, axis=-1)


def half_of_it(f, x):
    """Divide the difference of two steps by 2 twice."""
    return numerical_jacobian(f, x) / 2


def inputs_first(f, x):
    """Put the axes of the input first."""
    jacobian = numerical_jacobian(f, x)
    return np.moveaxis(jacobian, -1, 0)


def all_inputs_moved_at_once(f, x):
    """Add the step to every coordinate: the sum of the columns."""
    h = 1e-5 * np.maximum(np.abs(x), 1)
    slope = (np.asarray(f(x + h)) - f(x - h)) / (2 * h.mean())
    return np.repeat(slope[..., None], x.size, axis=-1)


def real_part(f, x):
    """Divide the real part of the change by h."""
    h = 1e-20
    columns = [np.real(f(x + 1j * h * e) - np.asarray(f(x + 0j))) / h for e in np.eye(x.size)]
    return np.stack(columns, axis=-1)


def step_that_is_too_long(f, x):
    """Step as far as for central differences, where the square of the step still shows."""
    h = 1e-3
    return np.stack([np.imag(f(x + 1j * h * e)) / h for e in np.eye(x.size)], axis=-1)


def not_divided_by_the_step(f, x):
    """Return the imaginary part itself."""
    return np.stack([np.imag(f(x + 1e-3j * e)) for e in np.eye(x.size)], axis=-1)


def factor_two_forgotten(a, b):
    """Differentiate half the squared distance."""
    return a - b


def sign_of_the_other_point(a, b):
    """Return the gradient by b."""
    return 2 * (b - a)


def nothing_over_nothing(a, b):
    """Divide by the distance, also where it is zero."""
    return (a - b) / np.linalg.norm(a - b, axis=-1, keepdims=True)


def divided_by_the_square(a, b):
    """Divide by the squared distance."""
    return (a - b) / np.sum((a - b) ** 2, axis=-1, keepdims=True)


def small_number_added(a, b):
    """Add 1e-8 to the distance so that nothing is divided by zero."""
    return (a - b) / (np.linalg.norm(a - b, axis=-1, keepdims=True) + 1e-8)


def towards_b(a, b):
    """Point from a to b."""
    return -distance_gradient(a, b)


def one_over_the_whole(a, b):
    """Take one length for all rows together."""
    return (a - b) / (np.linalg.norm(a - b) or 1)


def exponentials_overflow(x):
    """Exponentiate the scores as they are."""
    return np.exp(x) / np.exp(x).sum(axis=-1, keepdims=True)


def jacobian_of_softmax(x):
    """Differentiate once too often."""
    p = logsumexp_gradient(x)
    return p[..., :, None] * (np.eye(x.shape[-1]) - p[..., None, :])


def logarithms(x):
    """Return logarithms of the weights."""
    return np.log(logsumexp_gradient(x))


def _normalised(x, eps):
    centered = x - x.mean(-1, keepdims=True)
    sigma = np.sqrt((centered**2).mean(-1, keepdims=True) + eps)
    return centered / sigma, sigma


def statistics_held_constant(x, gain=None, eps=1e-5):
    """Forget that mean and variance move with the input."""
    _, sigma = _normalised(x, eps)
    return np.eye(x.shape[-1]) * (1 if gain is None else gain[:, None]) / sigma[..., None]


def variance_held_constant(x, gain=None, eps=1e-5):
    """Forget that the variance moves with the input."""
    n = x.shape[-1]
    _, sigma = _normalised(x, eps)
    return (np.eye(n) - 1 / n) * (1 if gain is None else gain[:, None]) / sigma[..., None]


def gain_on_columns(x, gain=None, eps=1e-5):
    """Multiply the inputs' axis by the gain, not the outputs'."""
    return layer_norm_jacobian(x, None, eps) * (1 if gain is None else gain)


def sample_variance(x, gain=None, eps=1e-5):
    """Divide the squares by n - 1."""
    n = x.shape[-1]
    centered = x - x.mean(-1, keepdims=True)
    sigma = np.sqrt((centered**2).sum(-1, keepdims=True) / (n - 1) + eps)
    y = centered / sigma
    jacobian = (np.eye(n) - 1 / n - y[..., :, None] * y[..., None, :] / n) / sigma[..., None]
    return jacobian if gain is None else gain[:, None] * jacobian


def back_through_constant_statistics(x, upstream, gain=None, eps=1e-5):
    """Divide by sigma, and forget what mean and variance do."""
    _, sigma = _normalised(x, eps)
    return upstream * (1 if gain is None else gain) / sigma


def gain_applied_last(x, upstream, gain=None, eps=1e-5):
    """Multiply by the gain after the averages are taken away."""
    return layer_norm_vjp(x, upstream, None, eps) * (1 if gain is None else gain)


def averages_over_samples(x, upstream, gain=None, eps=1e-5):
    """Average the upstream gradient over the samples instead of the features."""
    y, sigma = _normalised(x, eps)
    u = upstream if gain is None else upstream * gain
    return (u - u.mean(0) - y * (y * u).mean(0)) / sigma


def weights_not_transposed(w, upstream):
    """Multiply by W as it is, as far as the shapes let it."""
    return upstream @ w.reshape(w.shape[::-1])


def weights_from_the_left(w, upstream):
    """Put W first."""
    return w @ upstream.mT


def factors_exchanged(x, upstream):
    """Return the gradient's transpose."""
    return upstream.mT @ x


def averaged_over_samples(x, upstream):
    """Take the mean over the samples where the loss has its own."""
    return x.mT @ upstream / x.shape[-2]


def rows_not_transposed(x, upstream):
    """Reshape X where it should be transposed."""
    return x.reshape(x.shape[::-1]) @ upstream


def transposed(a, b):
    """Return BA, which is the gradient's transpose."""
    return b @ a


def factors_in_the_order_of_the_formula(a, b):
    """Return the transpose of AB, where that exists."""
    return (a @ b).mT


def not_transposed(x):
    """Return the inverse itself."""
    return np.linalg.inv(x)


def times_the_determinant(x):
    """Differentiate the determinant instead of its logarithm."""
    return np.linalg.det(x) * np.linalg.inv(x).mT


def over_the_determinant(x):
    """Divide by the determinant once more."""
    return np.linalg.inv(x).mT / np.linalg.det(x)


_GAINED = (_rows, _rows_upstream, _gain)

OLD = (
    Checks(
        numerical_jacobian,
        probes=((_linear, _vector), (_cubes, _vector), (_decay, _vector), (_cubes, _vector * 1e-7)),
        claims=(
            Claim(
                "the Jacobian of x → Ax is A: one row for each output",
                lambda f: distance(f(_linear, _vector), _matrix),
                1e-10,
                _DIFFERENCES,
            ),
            Claim(
                "output axes come first: a function with values (3, 2) of two numbers has a Jacobian (3, 2, 2)",
                lambda f: distance(f(_pair, np.array([1.0, 2.0])), complex_step_jacobian(_pair, np.array([1.0, 2.0]))),
                1e-10,
                _DIFFERENCES,
            ),
            Claim(
                "digits are kept for x around 1e-7",
                lambda f: distance(np.diag(f(_cubes, _vector * 1e-7)) * 1e14, _vector**2),
                1e-9,
                _DIFFERENCES,
            ),
            Claim(
                "torch.autograd",
                lambda f: distance(f(_decay, _vector), _autograd(lambda torch, x: torch.exp(-x), _vector)),
                1e-10,
                _DIFFERENCES,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                forward_differences,
                "Only half of the digits are right",
                "step to both sides: the error then falls with the square of the step",
            ),
            Mistake(
                one_step_for_all_scales,
                "It is wrong for x around 1e-7, where a step of 1e-5 is a leap",
                "choose the step by the size of x",
            ),
            Mistake(
                half_of_it, "Everything is half as large as it should be", "divide by the distance of the two points"
            ),
            Mistake(
                inputs_first,
                "The axes are transposed",
                "stack the derivatives by each input along a new last axis",
            ),
            Mistake(
                all_inputs_moved_at_once, "All columns are the same", "move one coordinate at a time, and move it back"
            ),
        ),
    ),
    Checks(
        complex_step_jacobian,
        probes=((_linear, _vector), (_cubes, _vector), (_decay, _vector)),
        claims=(
            Claim(
                "the Jacobian of x → Ax is A",
                lambda f: distance(f(_linear, _vector), _matrix),
                1e-14,
                _LAST_BITS,
            ),
            Claim(
                "the derivative of a third of x³ is x²",
                lambda f: distance(f(_cubes, _vector), np.diag(_vector**2)),
                1e-14,
                _LAST_BITS,
            ),
            Claim(
                "torch.autograd",
                lambda f: distance(f(_decay, _vector), _autograd(lambda torch, x: torch.exp(-x), _vector)),
                1e-14,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(real_part, "It is zero or noise", "the derivative is in the imaginary part"),
            Mistake(
                step_that_is_too_long,
                "Six digits are right, and no more",
                "nothing is subtracted, so the step may be 1e-100",
            ),
            Mistake(not_divided_by_the_step, "It is a thousand times too small", "divide by the step"),
            Mistake(forward_differences, "Only half of the digits are right", "step in the imaginary direction"),
        ),
    ),
    Checks(
        squared_distance_gradient,
        probes=((_vector, _other), (_rows, _rows_upstream)),
        claims=(
            Claim("zero where a = b", lambda f: distance(f(_vector, _vector), np.zeros(5))),
            Claim(
                "what central differences measure",
                lambda f: distance(
                    f(_vector, _other), numerical_jacobian(lambda a: np.sum((a - _other) ** 2), _vector)
                ),
                1e-10,
                _DIFFERENCES,
            ),
            Claim(
                "torch.autograd",
                _by_autograd(lambda torch, a, b: ((a - b) ** 2).sum(), (_vector, _other), (_rows, _rows_upstream)),
                1e-14,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(factor_two_forgotten, "It is half as long as it should be", "the square brings down a factor of 2"),
            Mistake(sign_of_the_other_point, "It points downhill", "this is the gradient by b: negate it"),
        ),
    ),
    Checks(
        distance_gradient,
        probes=((_vector, _other), (_vector, _vector), (_rows, _rows_upstream), (_vector * 1e-9, _other * 1e-9)),
        claims=(
            Claim(
                "its length is one",
                lambda f: distance(np.linalg.norm(f(_rows, _rows_upstream), axis=-1), np.ones(3)),
                1e-14,
                _LAST_BITS,
            ),
            Claim(
                "what central differences measure",
                lambda f: distance(
                    f(_vector, _other), numerical_jacobian(lambda a: np.sqrt(np.sum((a - _other) ** 2)), _vector)
                ),
                1e-10,
                _DIFFERENCES,
            ),
            Claim(
                "scaling both points changes nothing",
                lambda f: distance(f(_vector * 1e-9, _other * 1e-9), f(_vector, _other)),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "zeros, the shortest subgradient, where a = b",
                lambda f: distance(f(_vector, _vector), np.zeros(5)),
                edge=True,
            ),
            Claim(
                "torch.autograd",
                _by_autograd(lambda torch, a, b: torch.linalg.vector_norm(a - b, dim=-1).sum(), (_vector, _other)),
                1e-14,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                nothing_over_nothing,
                "It is nan where the points coincide, and one such pair spoils a whole sum of gradients",
                "return zeros there",
            ),
            Mistake(
                divided_by_the_square, "It is longer than 1 for near points", "divide by the distance, not its square"
            ),
            Mistake(
                small_number_added,
                "It is too short for points that are 1e-8 apart",
                "replace a distance of zero, and leave the others as they are",
            ),
            Mistake(towards_b, "It points downhill", "the distance grows from b towards a"),
            Mistake(one_over_the_whole, "Rows have lengths below 1", "take the length of each row: axis=-1"),
        ),
    ),
    Checks(
        logsumexp_gradient,
        probes=((_vector,), (_rows,), (np.array([1000.0, 999.0]),)),
        claims=(
            Claim("it sums to one", lambda f: distance(f(_rows).sum(-1), np.ones(3)), 1e-14, _LAST_BITS),
            Claim(
                "scores of 1000 do not overflow",
                lambda f: distance(f(np.array([1000.0, 0.0])), [1.0, 0.0]),
                edge=True,
            ),
            Claim(
                "torch.autograd",
                _by_autograd(lambda torch, x: torch.logsumexp(x, -1).sum(), (_vector,), (_rows,)),
                1e-14,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(exponentials_overflow, "It is nan for a score of 1000", "subtract the maximum first: call softmax"),
            Mistake(jacobian_of_softmax, "It is a matrix", "that is the second derivative: the first is softmax"),
            Mistake(logarithms, "It is negative", "the gradient is softmax itself, not its logarithm"),
        ),
    ),
    Checks(
        layer_norm_jacobian,
        probes=((_vector,), (_vector, _gain), (_rows, _gain)),
        claims=(
            Claim(
                "every row sums to zero: a constant added to all features changes nothing",
                lambda f: distance(f(_rows, _gain).sum(-1), np.zeros((3, 5))),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "features twice as large move the result half as much",
                lambda f: distance(2 * f(2 * _rows, None, 0.0), f(_rows, None, 0.0)),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "torch.autograd through torch.nn.functional.layer_norm",
                _by_autograd(_layer_norm, (_vector,), (_vector, _gain)),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                statistics_held_constant,
                "It is diagonal",
                "every feature moves the mean and the variance, and so every output",
            ),
            Mistake(
                variance_held_constant,
                "Features scaled by a factor would still change the result",
                "add the term -y yᵀ/n of the variance",
            ),
            Mistake(gain_on_columns, "Its columns are scaled by the gain", "the gain belongs to the outputs: to rows"),
            Mistake(sample_variance, "It is too small by about 1/2n", "divide the squares by n, as layer norm does"),
        ),
    ),
    Checks(
        layer_norm_vjp,
        probes=(_GAINED, (_rows, _rows_upstream), (_vector, _other)),
        claims=(
            Claim(
                "its rows sum to zero",
                lambda f: distance(f(*_GAINED).sum(-1), np.zeros(3)),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "the Jacobian, transposed, times the upstream gradient",
                lambda f: distance(
                    f(*_GAINED), np.einsum("bij,bi->bj", layer_norm_jacobian(_rows, _gain), _rows_upstream)
                ),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "torch.autograd through torch.nn.functional.layer_norm",
                lambda f: distance(f(*_GAINED), _layer_norm_back(*_GAINED)),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                back_through_constant_statistics,
                "Its rows do not sum to zero",
                "take away what goes through the mean and the variance",
            ),
            Mistake(
                gain_applied_last, "It is right only where all gains are equal", "multiply the upstream gradient first"
            ),
            Mistake(
                averages_over_samples,
                "Samples influence each other",
                "average over the features: axis=-1, keepdims=True",
            ),
        ),
    ),
    Checks(
        xw_gradient_x,
        probes=((_w, _upstream), (_square, _matrix)),
        claims=(
            Claim(
                "what central differences measure",
                lambda f: distance(f(_w, _upstream), numerical_jacobian(lambda x: np.sum(x @ _w * _upstream), _x)),
                1e-10,
                _DIFFERENCES,
            ),
            Claim(
                "torch.autograd",
                lambda f: distance(f(_w, _upstream), _back(lambda torch, x, w: x @ w)(_x, _upstream, _w)),
                1e-14,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(weights_not_transposed, "The shape is right and the numbers are not", "transpose W: G @ W.mT"),
            Mistake(weights_from_the_left, "It is transposed", "the gradient has X's shape: G @ W.mT"),
        ),
    ),
    Checks(
        xw_gradient_w,
        probes=((_x, _upstream), (_square, _square.T)),
        claims=(
            Claim(
                "what central differences measure",
                lambda f: distance(f(_x, _upstream), numerical_jacobian(lambda w: np.sum(_x @ w * _upstream), _w)),
                1e-10,
                _DIFFERENCES,
            ),
            Claim(
                "torch.autograd",
                lambda f: distance(f(_x, _upstream), _back(lambda torch, w, x: x @ w)(_w, _upstream, _x)),
                1e-14,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(factors_exchanged, "It is transposed", "the gradient has W's shape: X.mT @ G"),
            Mistake(
                averaged_over_samples,
                "It is smaller by the number of samples",
                "the gradient is a sum over samples; a mean belongs to the loss, and comes with G",
            ),
            Mistake(rows_not_transposed, "The shape is right and the numbers are not", "transpose X: X.mT @ G"),
        ),
    ),
    Checks(
        trace_axb_gradient,
        probes=((_a, _b), (_square, _square.T)),
        claims=(
            Claim(
                "what central differences measure",
                lambda f: distance(f(_a, _b), numerical_jacobian(lambda x: np.trace(_a @ x @ _b), np.ones((3, 2)))),
                1e-10,
                _DIFFERENCES,
            ),
            Claim(
                "torch.autograd",
                lambda f: distance(
                    f(_a, _b),
                    _autograd(lambda torch, x, a, b: torch.trace(a @ x @ b), np.ones((3, 2)), _a, _b),
                ),
                1e-14,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(transposed, "It is transposed: its shape is that of Xᵀ", "the gradient has X's shape: A.mT @ B.mT"),
            Mistake(
                factors_in_the_order_of_the_formula,
                "It is right only where A and B commute",
                "(BA)ᵀ is AᵀBᵀ: the order is turned round once",
            ),
        ),
    ),
    Checks(
        logdet_gradient,
        probes=((_square,), (_tilted,)),
        claims=(
            Claim(
                "XᵀG is the identity",
                lambda f: distance(_square.T @ f(_square), np.eye(5)),
                1e-13,
                "the condition number is below 10",
            ),
            Claim(
                "also where the determinant is negative",
                lambda f: distance(f(_tilted), np.linalg.inv(_tilted).T),
                1e-14,
                _LAST_BITS,
            ),
            Claim(
                "torch.autograd through torch.linalg.slogdet",
                _by_autograd(lambda torch, x: torch.linalg.slogdet(x).logabsdet, (_square,), (_tilted,)),
                1e-13,
                "the condition number is below 10",
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(not_transposed, "It is right only where X is symmetric", "transpose the inverse"),
            Mistake(times_the_determinant, "It is det X times too large", "leave the determinant out"),
            Mistake(over_the_determinant, "It is det X times too small", "the inverse contains 1/det already"),
        ),
    ),
)
