"""What the linear layer and its gradients must satisfy, and how they are usually got wrong."""

import numpy as np

from mlnotes.applications.linear import linear, linear_gradients
from mlnotes.checks.oldbank import Checks, Claim, Mistake, distance, frozen

_rng = np.random.default_rng(53)
_x, _w, _b, _g, _batch, _batch_g, _square, _wide_b = frozen(
    _rng.normal(size=(5, 3)),
    _rng.normal(size=(3, 7)),
    _rng.normal(size=7),
    _rng.normal(size=(5, 7)),
    _rng.normal(size=(2, 5, 3)),
    _rng.normal(size=(2, 5, 7)),
    _rng.normal(size=(3, 3)),
    _rng.normal(size=3),
)
_square_g = _rng.normal(size=(5, 3))
_square_g.flags.writeable = False
_LAST_BITS = "sums of at most 11 products in float64: a few units of 1e-16"


def _torch_linear(x, w, b):
    import torch

    return torch.nn.functional.linear(torch.tensor(x), torch.tensor(w.T.copy()), torch.tensor(b)).numpy()


def _autograd(x, w, g):
    import torch

    x, w, b = (torch.tensor(a, requires_grad=True) for a in (x, w, np.zeros(w.shape[1])))
    torch.nn.functional.linear(x, w.T, b).backward(torch.tensor(g))
    return x.grad.numpy(), w.grad.numpy(), b.grad.numpy()


def _apart(found, expected):
    return max(distance(one, other) for one, other in zip(found, expected, strict=True))


def _central_difference(f):
    """Move one weight to both sides and look how far the sum of the weighted outputs goes."""
    step = np.zeros_like(_w)
    step[1, 4] = 1e-3
    moved = ((_x @ (_w + step) - _x @ (_w - step)) * _g).sum() / 2e-3
    return abs(float(f(_x, _w, _g)[1][1, 4]) - moved)


def weights_transposed(x, w, b=None):
    """Take the weights for torch's."""
    y = x @ w.T
    return y if b is None else y + b


def bias_forgotten(x, w, b=None):
    """Leave the bias out."""
    return x @ w


def bias_for_each_sample(x, w, b=None):
    """Add one bias to each sample instead of each output."""
    return x @ w if b is None else x @ w + b[: x.shape[-2], None]


def bias_multiplied(x, w, b=None):
    """Multiply by the bias."""
    return x @ w if b is None else x @ w * b


def weights_not_transposed(x, w, grad):
    """Carry gradients back through w instead of its transpose."""
    return (grad @ w, *linear_gradients(x, w, grad)[1:])


def averaged_over_samples(x, w, grad):
    """Take means over samples for sums."""
    by_x, by_w, by_b = linear_gradients(x, w, grad)
    n = x[..., 0].size
    return by_x, by_w / n, by_b / n


def gradient_of_w_transposed(x, w, grad):
    """Give the gradient by w as k rows."""
    by_x, by_w, by_b = linear_gradients(x, w, grad)
    return by_x, by_w.T, by_b


def bias_summed_over_outputs(x, w, grad):
    """Sum over outputs instead of samples."""
    by_x, by_w, _ = linear_gradients(x, w, grad)
    return by_x, by_w, grad.sum(axis=-1)


OLD = (
    Checks(
        linear,
        probes=((_x, _square, _wide_b), (_x, _w, _b), (_x, _square), (_batch, _w, _b)),
        claims=(
            Claim("zeros give the bias", lambda f: distance(f(0 * _x, _w, _b), np.tile(_b, (5, 1)))),
            Claim(
                "a sample's outputs do not depend on the others",
                lambda f: distance(f(_x, _w, _b)[2:3], f(_x[2:3], _w, _b)),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "without bias, a sum of samples gives the sum of outputs",
                lambda f: distance(f(_x[:1] + 2 * _x[1:2], _w), f(_x[:1], _w) + 2 * f(_x[1:2], _w)),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "torch.nn.functional.linear, with the transpose of w",
                lambda f: distance(f(_x, _w, _b), _torch_linear(_x, _w, _b)),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
            Claim(
                "the column form W.T @ x + b for every sample",
                lambda f: distance(f(_x, _w, _b), np.stack([_w.T @ x + _b for x in _x])),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                weights_transposed,
                "Only square weights fit, and outputs are those of the transpose",
                "x @ w, for w has one column for each output; torch.nn.Linear keeps rows",
            ),
            Mistake(bias_forgotten, "Zeros give zeros", "add b"),
            Mistake(bias_for_each_sample, "The bias follows the rows", "add b as it is: it broadcasts along rows"),
            Mistake(bias_multiplied, "Zeros give zeros, and outputs are scaled", "add b"),
        ),
    ),
    Checks(
        linear_gradients,
        probes=((_x, _square, _square_g), (_x, _w, _g)),
        claims=(
            Claim(
                "moving a weight changes the number as its gradient says",
                _central_difference,
                1e-9,
                "a difference of sums of 35 terms, divided by 2e-3",
            ),
            Claim(
                "two halves of a batch give gradients by w and b that add up",
                lambda f: _apart(
                    f(_x, _w, _g)[1:],
                    [a + b for a, b in zip(f(_x[:2], _w, _g[:2])[1:], f(_x[2:], _w, _g[2:])[1:], strict=True)],
                ),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "torch's autograd",
                lambda f: _apart(f(_x, _w, _g), _autograd(_x, _w, _g)),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
            Claim(
                "torch's autograd, for a batch of batches",
                lambda f: _apart(f(_batch, _w, _batch_g), _autograd(_batch, _w, _batch_g)),
                1e-12,
                _LAST_BITS,
                "oracle",
                edge=True,
            ),
        ),
        mistakes=(
            Mistake(
                weights_not_transposed,
                "Only square weights fit, and the gradient by x is that of the transpose",
                "grad @ w.T",
            ),
            Mistake(
                averaged_over_samples,
                "Gradients by w and b are smaller by the number of samples",
                "sum over samples; if the loss is a mean, grad already holds the 1/n",
            ),
            Mistake(gradient_of_w_transposed, "It does not have the shape of w", "x.T @ grad"),
            Mistake(bias_summed_over_outputs, "It has one number for each sample", "sum over samples, axis 0"),
        ),
        call=lambda f, *arguments: np.concatenate([np.asarray(part).ravel() for part in f(*arguments)]),
    ),
)
