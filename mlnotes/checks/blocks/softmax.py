"""What softmax and its relatives must satisfy, and how they are usually got wrong."""

import numpy as np

from mlnotes.blocks.softmax import cross_entropy, entropy, log_softmax, logsumexp, softmax
from mlnotes.checks import Checks, Claim, Mistake, distance, frozen

_rng = np.random.default_rng(7)
_square, _tall, _cube, _wide, _targets = frozen(
    _rng.normal(size=(5, 5)) * 3,
    _rng.normal(size=(7, 3)) * 3,
    _rng.normal(size=(2, 5, 3)) * 3,
    np.array([[1000.0, 998.0, 0.0], [-1000.0, -1001.0, -1002.0]]),
    np.array([2, 0, 1, 1, 0, 2, 2]),
)
_LAST_BITS = "sums of at most 7 numbers in float64: a few units of 1e-16"


def _against(oracle, *inputs):
    """Compare with someone else's implementation on the same arguments."""
    return lambda f: max(distance(f(*arguments), oracle(*arguments)) for arguments in inputs)


def _scipy(name):
    def oracle(x, axis=-1):
        import scipy.special

        return getattr(scipy.special, name)(x, axis=axis)

    return oracle


def _torch(name, **kwargs):
    def oracle(x, *args):
        import torch

        f = getattr(torch.nn.functional, name, None) or getattr(torch, name)
        return f(torch.tensor(x), *map(torch.tensor, args), **kwargs).numpy()

    return oracle


def _scipy_entropy(weights):
    import scipy.stats

    return scipy.stats.entropy(weights, axis=1)


def _half(f):
    x = np.array([1e4, -1e4, 1e4], np.float16)
    y = f(x)
    if y.dtype != x.dtype:
        raise AssertionError(f"its dtype is {y.dtype} where {x.dtype} is right")
    return y


def _leaves_input(f):
    x = _square.copy()
    f(x)
    return distance(x, _square)


def _infinities(f):
    inf = np.inf
    x = np.array([[inf, 0, inf], [-inf, 0, 0], [-inf, -inf, -inf]])
    return distance(f(x), [[0.5, 0, 0.5], [0, 0.5, 0.5], [0, 0, 0]])


def exponential_of_large_scores(x, axis=-1):
    """Exponentiate the scores as they are."""
    e = np.exp(x)
    return e / e.sum(axis=axis, keepdims=True)


def maximum_of_everything(x, axis=-1):
    """Subtract the largest score of the whole array from every row."""
    e = np.exp(x - x.max())
    return e / e.sum(axis=axis, keepdims=True)


def maximum_with_zero(x, axis=-1):
    """Subtract only positive maxima."""
    e = np.exp(x - np.maximum(0, x.max(axis=axis, keepdims=True)))
    return e / e.sum(axis=axis, keepdims=True)


def sum_of_everything(x, axis=-1):
    """Divide by the sum over the whole array."""
    e = np.exp(x - x.max())
    return e / e.sum()


def first_axis(x, axis=-1):
    """Normalise the columns."""
    return softmax(x, axis=0)


def axis_ignored(x, axis=-1):
    """Normalise the last axis whichever was asked for."""
    return softmax(x, axis=-1)


def sum_without_its_axis(x, axis=-1):
    """Lose the summed axis, and let broadcasting line the sums up with the columns."""
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis)


def no_exponential(x, axis=-1):
    """Divide the scores themselves by their sum."""
    return x / x.sum(axis=axis, keepdims=True)


def input_overwritten(x, axis=-1):
    """Subtract the maximum in place."""
    x -= x.max(axis=axis, keepdims=True)
    return np.exp(x) / np.exp(x).sum(axis=axis, keepdims=True)


def logarithm_of_softmax(x, axis=-1):
    """Compute softmax first, and its logarithm afterwards."""
    return np.log(softmax(x, axis))


def logarithm_of_the_sum(x, axis=-1):
    """Sum the exponentials as they are."""
    return np.log(np.exp(x).sum(axis=axis))


def maximum_not_added_back(x, axis=-1):
    """Forget the maximum after subtracting it."""
    return np.log(np.exp(x - x.max(axis=axis, keepdims=True)).sum(axis=axis))


def softmax_applied_twice(logits, targets):
    """Hand probabilities to a loss that applies softmax itself."""
    return cross_entropy(softmax(logits), targets)


def losses_added(logits, targets):
    """Add the losses instead of averaging them."""
    return cross_entropy(logits, targets) * targets.size


def bits(logits, targets):
    """Measure with logarithms to base two."""
    return cross_entropy(logits, targets) / np.log(2)


def logarithm_of_zero(logits, targets):
    """Take the logarithm of weights that have underflowed to zero."""
    weights = softmax(logits)
    return -np.mean(np.log(np.take_along_axis(weights, targets[..., None], axis=-1)))


def sign_forgotten(logits, targets):
    """Return the mean log-likelihood, which grows as the model improves."""
    return -cross_entropy(logits, targets)


def zero_times_infinity(weights, axis=-1):
    """Multiply a weight of zero by its logarithm."""
    return -np.sum(weights * np.log(weights), axis=axis)


def entropy_in_bits(weights, axis=-1):
    """Measure with logarithms to base two."""
    return entropy(weights, axis) / np.log(2)


_NORMALISED_OVERFLOW = "It gives nan for a score of 1000, because exp overflows"

CHECKS = (
    Checks(
        softmax,
        probes=((_square,), (_tall,), (_square, 0), (_wide,), (_wide[1:],), (_cube, 1)),
        claims=(
            Claim(
                "weights sum to one along the axis asked for",
                lambda f: max(
                    distance(f(_cube, axis).sum(axis), np.ones(f(_cube, axis).sum(axis).shape)) for axis in (0, 1, -1)
                ),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "adding a constant to all scores changes nothing",
                lambda f: distance(f(_square + 64), f(_square)),
                1e-12,
                "x + 64 is rounded to 1e-14, and the weights with it",
            ),
            Claim(
                "permuting the scores permutes the weights",
                lambda f: distance(f(_square[:, ::-1]), f(_square)[:, ::-1]),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "two scores give the logistic function of their difference",
                lambda f: distance(f(np.array([3.0, 1.0]))[0], 1 / (1 + np.exp(-2.0))),
                1e-12,
                _LAST_BITS,
            ),
            Claim("infinite scores share what there is; a row of -inf gives zeros", _infinities, edge=True),
            Claim("float16 scores of ±10000 are exact", lambda f: distance(_half(f), [0.5, 0.0, 0.5]), edge=True),
            Claim("the input is left as it was", _leaves_input),
            Claim(
                "scipy.special.softmax",
                _against(_scipy("softmax"), (_square,), (_tall,), (_cube, 1), (_wide,)),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
            Claim(
                "torch.nn.functional.softmax",
                _against(_torch("softmax", dim=-1), (_square,), (_tall,), (_wide,)),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                exponential_of_large_scores,
                _NORMALISED_OVERFLOW,
                "subtract the row's maximum first",
                "nupic, pull request 3818 (2018)",
            ),
            Mistake(
                maximum_of_everything,
                "Rows far below the largest score turn into nan",
                "subtract each row's own maximum: max(axis=axis, keepdims=True)",
            ),
            Mistake(
                maximum_with_zero,
                "Rows of very negative scores turn into nan",
                "subtract the maximum also where it is negative",
                "NNlib.jl, pull request 43 (2018)",
            ),
            Mistake(
                sum_of_everything,
                "All weights together sum to one, instead of each row",
                "sum along the axis asked for, with keepdims=True",
                "nntrainer, pull request 430 (2020)",
            ),
            Mistake(
                first_axis,
                "Columns sum to one, instead of rows: it is normalised over axis 0, expected the last",
                "use the axis that was asked for, by default -1",
                "PyTorch-NLP, issue 2 (2018)",
            ),
            Mistake(
                axis_ignored, "The last axis is normalised whichever axis is asked for", "hand axis on to max and sum"
            ),
            Mistake(
                sum_without_its_axis,
                "Rows do not sum to one, and other shapes raise an error",
                "sum with keepdims=True, or the sums line up with the columns",
            ),
            Mistake(no_exponential, "Negative scores give negative weights", "exponentiate before dividing"),
            Mistake(
                input_overwritten,
                "The caller's scores have changed after the call",
                "subtract into a new array: x = x - …, not x -= …",
            ),
        ),
    ),
    Checks(
        log_softmax,
        probes=((_square,), (_tall,), (_wide,), (_cube, 1)),
        claims=(
            Claim(
                "its exponentials are softmax",
                lambda f: distance(np.exp(f(_cube, 1)), softmax(_cube, 1)),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "finite for scores 1000 apart",
                lambda f: distance(f(np.array([0.0, -1000.0])), [0.0, -1000.0]),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "scipy.special.log_softmax",
                _against(_scipy("log_softmax"), (_square,), (_cube, 1), (_wide,)),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
            Claim(
                "torch.nn.functional.log_softmax",
                _against(_torch("log_softmax", dim=-1), (_square,), (_wide,)),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                logarithm_of_softmax,
                "It gives -inf for a score 1000 below the maximum, because the weight is 0",
                "subtract log-sum-exp instead of taking a logarithm of weights",
            ),
        ),
    ),
    Checks(
        logsumexp,
        probes=((_square,), (_tall,), (_wide,), (_cube, 1)),
        claims=(
            Claim(
                "between the maximum and log n above it",
                lambda f: float(max(0, np.max(_tall.max(-1) - f(_tall)), np.max(f(_tall) - _tall.max(-1) - np.log(3)))),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "adding a constant to all scores adds it to the result",
                lambda f: distance(f(_square + 64), f(_square) + 64),
                1e-12,
                "x + 64 is rounded to 1e-14",
            ),
            Claim(
                "scipy.special.logsumexp",
                _against(_scipy("logsumexp"), (_square,), (_cube, 1), (_wide,)),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
            Claim(
                "torch.logsumexp",
                _against(_torch("logsumexp", dim=-1), (_square,), (_wide,)),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                logarithm_of_the_sum,
                "It gives inf for a score of 1000, because exp overflows",
                "take the maximum out of the sum and add it back after the logarithm",
            ),
            Mistake(
                maximum_not_added_back,
                "It stays below log n whatever the scores are",
                "add the maximum back after the logarithm",
            ),
        ),
    ),
    Checks(
        cross_entropy,
        probes=((_tall, _targets), (_wide, np.array([2, 2]))),
        claims=(
            Claim(
                "equal scores cost log n",
                lambda f: distance(f(np.zeros((2, 5)), np.array([0, 3])), np.log(5)),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "a sure and right answer costs nothing",
                lambda f: distance(f(np.array([[1000.0, 0.0]]), np.array([0])), 0.0),
            ),
            Claim(
                "a sure and wrong answer costs the difference of the scores",
                lambda f: distance(f(np.array([[1000.0, 0.0]]), np.array([1])), 1000.0),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "torch.nn.functional.cross_entropy",
                _against(_torch("cross_entropy"), (_tall, _targets), (_wide, np.array([2, 2]))),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                softmax_applied_twice,
                "The loss of a sure and right answer does not reach zero",
                "hand over the scores, not their softmax",
                "lightning-bolts, issue 654 (2021)",
            ),
            Mistake(losses_added, "The loss grows with the number of targets", "take the mean"),
            Mistake(bits, "The loss is 1/log 2 = 1.44 times too large", "use the natural logarithm"),
            Mistake(
                logarithm_of_zero,
                "It gives inf where the right answer's weight underflows to 0",
                "use log_softmax, not log of softmax",
            ),
            Mistake(sign_forgotten, "The loss is negative and falls as the model gets worse", "negate the mean"),
        ),
    ),
    Checks(
        entropy,
        probes=((softmax(_square),), (np.eye(3),), (softmax(_cube, 1), 1)),
        claims=(
            Claim("n equal weights have log n", lambda f: distance(f(np.full(5, 0.2)), np.log(5)), 1e-12, _LAST_BITS),
            Claim("one weight of one has 0", lambda f: distance(f(np.eye(3)), np.zeros(3))),
            Claim(
                "scipy.stats.entropy",
                lambda f: distance(f(softmax(_cube, 1), 1), _scipy_entropy(softmax(_cube, 1))),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(zero_times_infinity, "It gives nan as soon as one weight is 0", "count 0 · log 0 as 0"),
            Mistake(entropy_in_bits, "It is 1/log 2 = 1.44 times too large", "use the natural logarithm"),
        ),
    ),
)
