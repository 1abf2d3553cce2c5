"""What the linear layer and its gradients must satisfy, and how they are usually got wrong."""

import numpy as np

from mlnotes.applications.linear import linear, linear_gradients
from mlnotes.blocks.softmax import softmax
from mlnotes.checks.bank import Checks, Claim, Mistake, call, distance, frozen, oracle

_rng = np.random.default_rng(53)
_x, _w, _b, _g, _batch, _batch_g, _square, _square_b, _square_g, _scores, _four, _four_g = frozen(*(
    _rng.normal(size=shape) for shape in ((5, 3), (3, 7), 7, (5, 7), (2, 5, 3), (2, 5, 7), (3, 3), 3, (5, 3), (5, 3),
    (2, 3, 2, 3), (2, 3, 2, 7))))
_x2, _w2, _b2, _g2, _scores2 = frozen(np.array([[1.0, 2.0], [0.0, -3.0]]), np.array([[1.0, 0.0, 2.0],
    [3.0, -1.0, 1.0]]), np.array([10.0, 20.0, 30.0]), np.array([[1.0, -1.0, 0.0], [2.0, 0.0, 5.0]]),
    np.array([[2.0, 0.0, 1.0], [0.0, 3.0, -1.0]]))
_targets = np.array([2, 0, 1, 1, 0])
_LAST_BITS = {"tolerance": 2e-13, "why": "at most 11 terms below 10 in float64: 11 · 110 · 1.1e-16 is 1.3e-13"}


def bias_gradient(scores, targets):
    """Give the gradient of the mean cross-entropy by the biases: what softmax exceeds the truth by, averaged.

    From scores (n, k) and targets (n,), from 0, it makes (k,), which adds up to zero: the same number on all biases
    changes no softmax.
    """
    truth = targets[:, None] == np.arange(scores.shape[1])
    return np.mean(softmax(scores) - truth, axis=0)


def output_mean_square(x, deviation):
    """Expect the mean square of a layer's outputs: d Var(w) E[x²], whatever the mean of the samples (n, d).

    The weights are drawn with mean 0 and this standard deviation; E[x²] is the mean over all entries.
    """
    return x.shape[1] * deviation**2 * np.mean(x**2)


def _apart(found, expected):
    return max(distance(one, other) for one, other in zip(found, expected, strict=True))


def _torch_linear(x, w, b=None):
    import torch

    return torch.nn.functional.linear(*map(torch.tensor, (x, w.T.copy(), np.zeros(w.shape[1]) if b is None else b)))


def _autograd(x, w, g):
    import torch

    x, w, b = (torch.tensor(a, requires_grad=True) for a in (x, w, np.zeros(w.shape[1])))
    torch.nn.functional.linear(x, w.T, b).backward(torch.tensor(g))
    return [part.grad for part in (x, w, b)]


def _in_a_row(f, *arguments):
    return np.concatenate([np.ravel(part) for part in f(*arguments)])


def _autograd_by_bias(scores, targets):
    import torch

    b = torch.zeros(scores.shape[1], dtype=torch.float64, requires_grad=True)
    torch.nn.functional.cross_entropy(torch.tensor(scores) + b, torch.tensor(targets)).backward()
    return b.grad


def _central_difference(f):
    """Move one weight to both sides and look how far the sum of the weighted outputs goes."""
    step = np.zeros_like(_w)
    step[1, 4] = 1e-3
    moved = ((_x @ (_w + step) - _x @ (_w - step)) * _g).sum() / 2e-3
    return abs(float(f(_x, _w, _g)[1][1, 4]) - moved)


def _halves(f):
    parts = zip(f(_x[:2], _w, _g[:2])[1:], f(_x[2:], _w, _g[2:])[1:], strict=True)
    return _apart(f(_x, _w, _g)[1:], [one + other for one, other in parts])


def _drawn(x, deviation):
    """Draw 400,000 weights for each width."""
    w = np.random.default_rng(3).normal(0, deviation, (x.shape[1], 400_000))
    return np.mean((x @ w) ** 2)


_GRADIENTS = "grad @ w.T, samples.T @ gradients, xp.sum(gradients, axis=0)"

CHECKS = (
    Checks(linear,
        cases=(
            call(_x2, _w2), call(_x2, _w2, _b2), call(_x2, _w2, -_b2),
            call(_x2, _w2, np.array([0.0, 3.0, -3.0])).about("a bias of 0 among others"),
            call(0 * _x2, _w2, _b2).about("samples of zeros"), call(_x2[0], _w2, _b2).about("a single sample"),
            call(_x2, _x2 + 4, _b2[:2]).about("as many outputs as inputs"), call(_x, _w, _b),
            call(_x, _square, _square_b).about("as many outputs as inputs"), call(_batch, _w).about("three axes"),
            call(_batch, _w, _b).about("three axes"), call(_four, _w, _b).about("four axes")),
        claims=(
            Claim("zeros give the bias", lambda f: distance(f(0 * _x, _w, _b), np.tile(_b, (5, 1)))),
            Claim("a sample's outputs do not depend on the others",
                lambda f: distance(f(_x, _w, _b)[2:3], f(_x[2:3], _w, _b)), **_LAST_BITS),
            Claim("without bias, a sum of samples gives the sum of outputs",
                lambda f: distance(f(_x[:1] + 2 * _x[1:2], _w), f(_x[:1], _w) + 2 * f(_x[1:2], _w)), **_LAST_BITS),
            oracle("torch.nn.functional.linear, with the transpose of w", _torch_linear, call(_x, _w, _b),
                call(_batch, _w), **_LAST_BITS),
            oracle("the column form W.T @ x + b for every sample",
                lambda x, w, b: np.stack([w.T @ row + b for row in x]), call(_x, _w, _b), **_LAST_BITS)),
        mistakes=(
            Mistake("weights transposed", (("x @ w if", "x @ w.T if"), ("x @ w + b", "x @ w.T + b")),
                "Only square weights fit, and outputs are those of the transpose",
                "x @ w, for w has one column for each output; torch.nn.Linear keeps rows",
                "TVM, pull request 8622 (2021), where the transpose was missing"),
            Mistake("column form for rows", (("x @ w if", "w.T @ x if"), ("x @ w + b", "w.T @ x + b")),
                "It is right for a single sample; of several nothing fits, or each output has a row",
                "x @ w: Wᵀx is for one sample, written as a column"),
            Mistake("bias for each sample", ("x @ w + b", "x @ w + b[: x.shape[-2], None]"),
                "The bias follows the rows", "add b as it is: it broadcasts along rows"),
            Mistake("bias in the sum", ("x @ w + b", "x @ w + x.shape[-1] * b"),
                "The bias counts once for each input", "add b once, after the sum over inputs"),
            Mistake("bias multiplied", ("x @ w + b", "x @ w * b"), "Zeros give zeros, and outputs are scaled",
                "add b"))),
    Checks(linear_gradients,
        cases=(
            call(_x2, _w2, _g2), call(_x2, _x2 + 4, _g2[:, :2]).about("as many outputs as inputs"), call(_x, _w, _g),
            call(_x, _square, _square_g).about("as many outputs as inputs"),
            call(_batch, _w, _batch_g).about("three axes"), call(_four, _w, _four_g).about("four axes"),
            call(_x2[0], _x2 + 4, _g2[0, :2]).about("a single sample")),
        claims=(
            Claim("moving a weight changes the number as its gradient says", _central_difference, tolerance=1e-9,
                why="a difference of sums of 35 terms below 11, rounded to 35 · 385 · 1.1e-16, divided by 2e-3"),
            Claim("two halves of a batch give gradients by w and b that add up", _halves, **_LAST_BITS),
            oracle("torch's autograd, also for a batch of batches", _autograd, call(_x, _w, _g),
                call(_batch, _w, _batch_g), **_LAST_BITS, run=_in_a_row)),
        mistakes=(
            Mistake("weights not transposed", ("grad @ w.T", "grad @ w"),
                "Only square weights fit, and the gradient by x is that of the transpose", "grad @ w.T"),
            Mistake("averaged over samples",
                (_GRADIENTS, "grad @ w.T, samples.T @ gradients / len(samples), xp.mean(gradients, axis=0)"),
                "Gradients by w and b are too small by the factor n, the number of samples",
                "sum over samples; if the loss is a mean, grad already holds the 1/n",
                "deeplearning4j, pull request 366 (2015), for the biases"),
            Mistake("all with the opposite sign", (_GRADIENTS, f"tuple(-it for it in ({_GRADIENTS}))"),
                "All three have the opposite sign", "return gradients: the step subtracts them, not you"),
            Mistake("gradient of w transposed", ("samples.T @ gradients", "gradients.T @ samples"),
                "The gradient by w is transposed: it has a row for each output, as torch keeps it",
                "x.T @ grad, with a row for each input, as w has"),
            Mistake("samples cut anew", ("samples.T", "xp.reshape(samples, samples.T.shape)"),
                "Numbers of different samples and inputs stand in one row", "take the transpose, x.T, not a reshape"),
            *(Mistake("bias not summed", ("xp.sum(gradients, axis=0)", it),
                "The gradient by b has a row for each sample", "one bias serves all samples: sum over them")
                for it in ("grad", "gradients")),
            Mistake("bias summed over outputs", ("xp.sum(gradients, axis=0)", "xp.sum(grad, axis=-1)"),
                "The gradient by b has one number for each sample", "sum over samples, axis 0"),
            *(Mistake("two axes only", it, "It is right for samples with two axes, but not with one or with more",
                "merge all leading axes into one") for it in (
                ("samples.T @ gradients, xp.sum(gradients, axis=0)", "x.T @ grad, xp.sum(grad, axis=0)"),
                ("xp.sum(gradients, axis=0)", "xp.sum(grad, axis=0)"))),
            *(Mistake("batches apart", it, "Each batch has gradients by w and b of its own",
                "merge all leading axes, then sum over samples") for it in (
                ("samples.T @ gradients, xp.sum(gradients, axis=0)", "x.mT @ grad, xp.sum(grad, axis=-2)"),
                lambda x, w, grad: (grad @ w.T, np.swapaxes(x, -1, -2) @ grad, grad.sum(axis=-2)))),
            Mistake("sums multiplied", ("samples.T @ gradients",
                "xp.sum(samples, axis=0)[:, None] * xp.sum(gradients, axis=0)"),
                "The gradient of w is right for one sample only",
                "multiply sample by sample, then add: xᵀ grad"))),
    Checks(bias_gradient, ones=False,
        cases=(
            call(_scores2, np.array([0, 2])), call(_scores2[:1], np.array([1])).about("one sample"),
            call(_scores, _targets), call(_scores[:, :2], _targets % 2).about("two classes"),
            call(np.array([[1.0, 1.0, 0.0]]), np.array([0])).about("equal scores"),
            call(1000 * _scores2, np.array([0, 2])).about("scores of up to 3000"),
            call(np.array([[-2000.0, -3000.0, -2500.0]]), np.array([1])).about("scores of -2000 and less"),
            call(np.array([[1000.0, 999.0, 998.0], [12000.0, 0.0, 11999.0]]), np.array([0, 2])).about(
                "large scores close together")),
        claims=(
            Claim("its entries add up to zero", lambda f: abs(float(np.sum(f(_scores, _targets)))), **_LAST_BITS),
            oracle("torch's autograd", _autograd_by_bias, call(_scores, _targets), **_LAST_BITS)),
        mistakes=(
            Mistake("repeated targets once", lambda scores, targets: (softmax(scores).sum(0) - np.isin(np.arange(
                scores.shape[1]), targets)) / len(scores), "A class that is right for several samples counts once",
                "subtract before adding up, or count with np.bincount"),
            *(Mistake("no mean over samples", ("np.mean(softmax(scores) - truth, axis=0)", it),
                "It has a row for each sample", "one bias serves all samples: take the mean over them")
                for it in ("(softmax(scores) - truth)", "(softmax(scores) - truth) / len(scores)")),
            Mistake("losses added",
                ("np.mean(softmax(scores) - truth, axis=0)", "np.sum(softmax(scores) - truth, axis=0)"),
                "It grows with the number of samples", "the loss is a mean over samples, so divide by their number"),
            Mistake("maximum not subtracted",
                ("softmax(scores)", "(e := np.exp(scores)) / e.sum(axis=1, keepdims=True)"),
                "Scores of 1000 overflow, and rows of -1000 are 0 divided by 0",
                "subtract each row's maximum before exp, as softmax does"),
            Mistake("softmax of the mean", lambda scores, targets: softmax(scores.mean(axis=0)) - np.bincount(targets,
                minlength=scores.shape[1]) / len(scores), "Samples are averaged before they are compared",
                "take each sample's softmax first, then the mean"),
            Mistake("softmax over the samples", ("softmax(scores) - truth", "softmax(scores, axis=0) - truth"),
                "Samples share a weight for each class, where classes should share one for each sample",
                "take the softmax along the last axis, and the mean over samples afterwards"),
            Mistake("truth forgotten", ("softmax(scores) - truth", "softmax(scores)"),
                "Nothing in it is negative, and it adds up to 1", "subtract 1 at the right class"),
            Mistake("all targets in every row",
                ("targets[:, None] == np.arange(scores.shape[1])", "np.isin(np.arange(scores.shape[1]), targets)"),
                "Each sample pays for the targets of all: p[:, targets] has all rows",
                "subtract 1 at p[np.arange(n), targets], one place in each row"),
            Mistake("mean over everything", ("truth, axis=0)", "truth)"),
                "It is a single number, which is 0 for all scores",
                "take the mean over samples only, axis 0: each class has a bias"),
            Mistake("softmax forgotten", ("softmax(scores) - truth", "scores - truth"),
                "The scores stand where probabilities should", "turn them into probabilities by softmax first"))),
    Checks(output_mean_square,
        cases=(call(_x2, 0.5), call(_x2 + 3, 0.1), call(_x, 2.0)),
        claims=(
            Claim("inputs of one number c give d Var(w) c²",
                lambda f: distance(f(np.full((5, 3), 2.0), 0.5), 3 * 0.25 * 4), **_LAST_BITS),
            oracle("the mean over 400,000 drawn outputs for each sample", _drawn, call(_x2 + 3, 0.5), tolerance=0.02,
                why="y² has the deviation √2 E[y²], and 5 √2 / √400,000 is 1.1 % of it")),
        mistakes=(
            Mistake("a number for each sample",
                ("x.shape[1] * deviation**2 * np.mean(x**2)", "deviation**2 * np.sum(x**2, axis=1)"),
                "It has a number for each sample", "take the mean over samples"),
            Mistake("square of the mean", ("np.mean(x**2)", "np.mean(x) ** 2"),
                "Inputs of mean 0 seem to bring nothing", "square first, then take the mean"),
            Mistake("variance of the inputs", ("np.mean(x**2)", "np.var(x)"),
                "It is too small where inputs have another mean than 0",
                "take the mean of squares, which is the variance plus the square of the mean"),
            Mistake("products of different inputs",
                ("x.shape[1] * deviation**2 * np.mean(x**2)", "deviation**2 * np.mean(np.sum(x, axis=1) ** 2)"),
                "Products of different inputs count, too",
                "their weights are independent, so that only squares remain"))),
)
