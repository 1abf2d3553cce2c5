"""Softmax and its relatives, as readers write them."""

import math

import numpy as np
import torch

from mlnotes.blocks.softmax import log_softmax, logsumexp, softmax


def right_softmax__two_lines(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def right_softmax__loops(x, axis=-1):
    moved = np.moveaxis(x, axis, -1)
    out = np.empty_like(moved)
    for i in np.ndindex(moved.shape[:-1]):
        top = max(moved[i])
        e = [math.exp(it - top) for it in moved[i]]
        out[i] = [it / sum(e) for it in e]
    return np.moveaxis(out, -1, axis)


def right_softmax__torch(x, axis=-1):
    return torch.softmax(torch.tensor(x), dim=axis).numpy()


def right_softmax__from_log_sum_exp(x, axis=-1):
    return np.exp(x - np.logaddexp.reduce(x, axis=axis, keepdims=True))


def wrong_softmax__as_it_is_written(x, axis=-1):
    """It gives nan for a score of 1000, because exp overflows"""
    e = np.exp(x)
    return e / e.sum(axis=axis, keepdims=True)


def wrong_softmax__maximum_of_everything(x, axis=-1):
    """Rows far below the largest score turn into nan"""
    e = np.exp(x - np.max(x))
    return e / np.sum(e, axis=axis, keepdims=True)


def wrong_softmax__maximum_of_everything_guarded(x, axis=-1):
    """turn into nan, or into zeros where the sum is guarded"""
    e = np.exp(x - np.max(x))
    return e / np.maximum(np.sum(e, axis=axis, keepdims=True), 1e-300)


def wrong_softmax__maximum_with_zero(x, axis=-1):
    """Rows of very negative scores turn into nan"""
    e = np.exp(x - np.maximum(0, x.max(axis=axis, keepdims=True)))
    return e / e.sum(axis=axis, keepdims=True)


def wrong_softmax__sum_of_all(x, axis=-1):
    """All weights together sum to one"""
    z = x - np.max(x)
    return np.exp(z) / np.sum(np.exp(z))


def wrong_softmax__mean(x, axis=-1):
    """Scores far above the row's mean still overflow"""
    e = np.exp(x - x.mean(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def wrong_softmax__added_maximum(x, axis=-1):
    """Line 3"""
    e = np.exp(x + x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def wrong_softmax__fixed_axis(x, axis=-1):
    """look at the axis"""
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def wrong_softmax__last_axis(x, axis=-1):
    """`axis` makes no difference"""
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def wrong_softmax__one_more(x, axis=-1):
    """Line 4"""
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / (1 + e.sum(axis=axis, keepdims=True))


def wrong_softmax__length(x, axis=-1):
    """Line 4"""
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / np.linalg.norm(e, axis=axis, keepdims=True)


def wrong_softmax__base_two(x, axis=-1):
    """weights are powers of 2"""
    e = 2 ** (x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def right_log_softmax__two_lines(x, axis=-1):
    below = x - x.max(axis=axis, keepdims=True)
    return below - np.log(np.exp(below).sum(axis=axis, keepdims=True))


def right_log_softmax__from_logsumexp(x, axis=-1):
    return x - np.expand_dims(logsumexp(x, axis), axis)


def right_log_softmax__torch(x, axis=-1):
    return torch.log_softmax(torch.tensor(x), axis)


def wrong_log_softmax__logarithm(x, axis=-1):
    """subtract log-sum-exp"""
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return np.log(e / e.sum(axis=axis, keepdims=True))


def wrong_log_softmax__maximum_lost(x, axis=-1):
    """Line 4"""
    top = x.max(axis=axis, keepdims=True)
    return x - np.log(np.exp(x - top).sum(axis=axis, keepdims=True))


def wrong_log_softmax__added(x, axis=-1):
    """Line 4"""
    below = x - x.max(axis=axis, keepdims=True)
    return below + np.log(np.exp(below).sum(axis=axis, keepdims=True))


def wrong_log_softmax__no_keepdims(x, axis=-1):
    """Line 4"""
    below = x - x.max(axis=axis, keepdims=True)
    return below - np.log(np.exp(below).sum(axis=axis))


def wrong_log_softmax__mean(x, axis=-1):
    """Line 4"""
    below = x - x.mean(axis=axis, keepdims=True)
    return below - np.log(np.exp(below).sum(axis=axis, keepdims=True))


def wrong_log_softmax__overflow(x, axis=-1):
    """subtract the row's maximum before exp"""
    return x - np.log(np.exp(x).sum(axis=axis, keepdims=True))


def wrong_log_softmax__plain_weights(x, axis=-1):
    """It gives nan for a score of 1000, because exp overflows"""
    e = np.exp(x)
    return np.log(e / e.sum(axis=axis, keepdims=True))


def right_cross_entropy__gather(logits, targets):
    right = np.take_along_axis(logits, targets[..., None], axis=-1)[..., 0]
    return np.mean(logsumexp(logits) - right)


def right_cross_entropy__one_hot(logits, targets):
    hot = np.eye(logits.shape[-1])[targets]
    return -np.sum(hot * log_softmax(logits)) / targets.size


def right_cross_entropy__loop(logits, targets):
    total = 0.0
    for i in np.ndindex(targets.shape):
        row = [float(it) for it in logits[i]]
        top = max(row)
        total += top + math.log(sum(math.exp(it - top) for it in row)) - row[targets[i]]
    return total / targets.size


def wrong_cross_entropy__divided_by_all(logits, targets):
    """divided by `logits`.shape[-1] once too often"""
    hot = np.eye(logits.shape[-1])[targets]
    return -np.mean(hot * log_softmax(logits))


def wrong_cross_entropy__plain_weights(logits, targets):
    """It gives nan for an answer with a score of 1000, because exp overflows"""
    e = np.exp(logits)
    weights = np.take_along_axis(e, targets[..., None], -1)[..., 0] / e.sum(axis=-1)
    return -np.log(weights).mean()


def wrong_cross_entropy__plain_sum(logits, targets):
    """subtract the row's maximum before exp"""
    own = np.take_along_axis(logits, targets[..., None], -1)[..., 0]
    return np.mean(np.log(np.exp(logits).sum(axis=-1)) - own)


def wrong_cross_entropy__columns(logits, targets):
    """Line 3"""
    logarithms = log_softmax(logits, axis=0)
    return -np.mean(np.take_along_axis(logarithms, targets[..., None], -1))


def wrong_cross_entropy__sign(logits, targets):
    """The loss is negative"""
    return np.mean(np.take_along_axis(log_softmax(logits), targets[..., None], -1))


def wrong_cross_entropy__rows(logits, targets):
    return -np.mean(log_softmax(logits)[targets])


def wrong_cross_entropy__guarded_logarithm(logits, targets):
    """A sure and wrong answer costs no more than -log of the number added to the weights"""
    weights = softmax(logits)
    return -np.mean(np.log(np.take_along_axis(weights, targets[..., None], -1) + 1e-9))


def wrong_cross_entropy__guarded_by_less(logits, targets):
    """A sure and wrong answer costs no more than -log of the number added to the weights"""
    p = softmax(logits)
    return -np.log(np.take_along_axis(p, targets[..., None], axis=-1) + 1e-12).mean()


def wrong_cross_entropy__summed(logits, targets):
    """The loss grows with the number of targets"""
    right = np.take_along_axis(logits, targets[..., None], axis=-1)[..., 0]
    return np.sum(logsumexp(logits) - right)


def right_entropy__where(weights, axis=-1):
    logarithms = np.log(np.where(weights > 0, weights, 1))
    return -(weights * logarithms).sum(axis=axis)


def right_entropy__xlogy(weights, axis=-1):
    from scipy.special import entr

    return entr(weights).sum(axis=axis)


def right_entropy__loop(weights, axis=-1):
    moved = np.moveaxis(weights, axis, -1)
    rows = [-math.fsum(p * math.log(p) for p in row if p > 0) for row in moved.reshape(-1, moved.shape[-1])]
    return np.reshape(rows, moved.shape[:-1])


def wrong_entropy__small_number(weights, axis=-1):
    """What is added inside of the logarithm outweighs small weights"""
    return -(weights * np.log(weights + 1e-8)).sum(axis=axis)


def wrong_entropy__last_axis(weights, axis=-1):
    """`axis` makes no difference"""
    w = np.where(weights > 0, weights, 1)
    return (-w * np.log(w)).sum(-1)


def wrong_entropy__sign(weights, axis=-1):
    """opposite sign"""
    return (weights * np.log(np.where(weights > 0, weights, 1))).sum(axis=axis)


def wrong_entropy__mean(weights, axis=-1):
    """Line 3"""
    return -(weights * np.log(np.where(weights > 0, weights, 1))).mean(axis=axis)


def wrong_entropy__unweighted(weights, axis=-1):
    """Line 3"""
    return -np.log(np.where(weights > 0, weights, 1)).sum(axis=axis)


def wrong_entropy__everything(weights, axis=-1):
    """Line 3"""
    return -(weights * np.log(np.where(weights > 0, weights, 1))).sum()


def wrong_entropy__bits(weights, axis=-1):
    """1.44 times too large"""
    return -(weights * np.log2(np.where(weights > 0, weights, 1))).sum(axis=axis)


def right_entropy_slope__moments(x, beta):
    x = x - x.max(axis=-1, keepdims=True)
    p = softmax(beta * x)
    return beta * ((p * x).sum(axis=-1) ** 2 - (p * x * x).sum(axis=-1))


def right_entropy_slope__loop(x, beta):
    slopes = []
    for row in x.reshape(-1, x.shape[-1]):
        p = softmax(beta * row)
        slopes.append(-beta * sum(p * (row - p @ row) * (row - p @ row)))
    return np.reshape(slopes, x.shape[:-1])


def right_entropy_slope__all_pairs(x, beta):
    p = softmax(beta * x)
    gaps = x[..., :, None] - x[..., None, :]
    return -beta / 2 * (p[..., :, None] * p[..., None, :] * gaps * gaps).sum(axis=(-1, -2))


def wrong_entropy_slope__variance(x, beta):
    """It is right for β = 1 only"""
    p = softmax(beta * x)
    mean = (p * x).sum(axis=-1, keepdims=True)
    return -((p * (x - mean) * (x - mean)).sum(axis=-1))


def wrong_entropy_slope__sign(x, beta):
    """opposite sign"""
    p = softmax(beta * x)
    mean = (p * x).sum(axis=-1, keepdims=True)
    return beta * (p * (x - mean) * (x - mean)).sum(axis=-1)


def wrong_entropy_slope__one_row(x, beta):
    """Line 5"""
    p = softmax(beta * x)
    mean = (p * x).sum(axis=-1, keepdims=True)
    return -beta * (p * (x - mean) * (x - mean)).sum()


def wrong_entropy_slope__not_scaled(x, beta):
    """It is right for β = 1 only"""
    p = softmax(x)
    mean = (p * x).sum(axis=-1, keepdims=True)
    return -beta * (p * (x - mean) * (x - mean)).sum(axis=-1)


def wrong_entropy_slope__plain_mean(x, beta):
    """weigh the mean with p"""
    p = softmax(beta * x)
    return -beta * (p * (x - x.mean(axis=-1, keepdims=True)) ** 2).sum(axis=-1)


def wrong_entropy_slope__deviation(x, beta):
    """Line 5"""
    p = softmax(beta * x)
    mean = (p * x).sum(axis=-1, keepdims=True)
    return -beta * (p * (x - mean) * (x - mean)).sum(axis=-1) ** 0.5


def right_softmax__pairs_of_differences(x, axis=-1):
    x = np.moveaxis(x, axis, -1)
    with np.errstate(over="ignore"):
        weights = 1 / np.exp(x[..., None, :] - x[..., :, None]).sum(axis=-1)
    return np.moveaxis(weights, -1, axis)


def wrong_softmax__minimum(x, axis=-1):
    """Line 3"""
    e = np.exp(x - x.min(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def wrong_log_softmax__base_two(x, axis=-1):
    """Line 4"""
    below = x - x.max(axis=axis, keepdims=True)
    return below - np.log2(np.exp(below).sum(axis=axis, keepdims=True))


def wrong_cross_entropy__each_row(logits, targets):
    """Every row has a loss of its own: take the mean of all"""
    right = np.take_along_axis(logits, targets[..., None], axis=-1)[..., 0]
    return logsumexp(logits) - right


def wrong_entropy__perplexity(weights, axis=-1):
    """The result is the exponential of the right one"""
    return np.exp(-(weights * np.log(np.where(weights > 0, weights, 1))).sum(axis=axis))


def wrong_entropy_slope__jacobian(x, beta):
    p = softmax(beta * x)
    jacobian = p[..., :, None] * (np.eye(x.shape[-1]) - p[..., None, :])
    return -beta * np.einsum("...i,...ij,...j->...", x, jacobian, x)


def wrong_entropy_slope__divided(x, beta):
    """Line 5"""
    p = softmax(beta * x)
    mean = (p * x).sum(axis=-1, keepdims=True)
    return -(p * (x - mean) * (x - mean)).sum(axis=-1) / beta


def wrong_entropy_slope__squares_that_cancel(x, beta):
    """Products with scores of 1e8 cancel, and with them all digits of their differences"""
    p = softmax(beta * x)
    return -beta * ((p * x**2).sum(axis=-1) - (p * x).sum(axis=-1) ** 2)


def wrong_entropy_slope__gaps(x, beta):
    """square each distance from the mean"""
    p = softmax(beta * x)
    mean = (p * x).sum(axis=-1, keepdims=True)
    gaps = x - mean
    return -beta * (p * gaps).sum(axis=-1)


def wrong_softmax__clipped(x, axis=-1):
    """Scores beyond the bound are all alike"""
    e = np.exp(np.clip(x, -700, 700))
    return e / e.sum(axis=axis, keepdims=True)


def wrong_softmax__differences_clipped(x, axis=-1):
    """Scores far below the largest are all alike"""
    e = np.exp(np.clip(x - x.max(axis=axis, keepdims=True), -25, 0))
    return e / e.sum(axis=axis, keepdims=True)


def wrong_cross_entropy__clipped(logits, targets):
    """-log of the smallest weight allowed"""
    e = np.exp(logits - logits.max(axis=-1, keepdims=True))
    p = np.clip(e / e.sum(axis=-1, keepdims=True), 1e-15, 1)
    return -np.log(np.take_along_axis(p, np.expand_dims(targets, -1), axis=-1)).mean()


def wrong_softmax__divided_by_the_largest(x, axis=-1):
    """do not divide by it"""
    x = x / np.max(x, axis=axis, keepdims=True)
    e = np.exp(x)
    return e / np.sum(e, axis=axis, keepdims=True)


def wrong_entropy__small_weights_left_out(weights, axis=-1):
    """leave out only what is exactly 0"""
    positive = weights > 1e-5
    logs = np.log(np.where(positive, weights, 1.0))
    return -(weights * logs).sum(axis=axis)


def right_entropy_slope__squares_beyond_floats(x, beta):
    p = softmax(beta * x)
    mean = (p * x).sum(axis=-1, keepdims=True)
    return -beta * (p * (x - mean) ** 2).sum(axis=-1)


def wrong_entropy_slope__weights_held_constant(x, beta):
    """It is 0 for all scores"""
    p = softmax(beta * x)
    return (p * x).sum(axis=-1) - (p * x).sum(axis=-1)


def wrong_entropy_slope__one_maximum(x, beta):
    """look at the axis"""
    x = x - x.max()
    p = softmax(beta * x)
    return beta * ((p * x).sum(axis=-1) ** 2 - (p * x * x).sum(axis=-1))


def wrong_log_softmax__small_number_added(x, axis=-1):
    """subtract log-sum-exp, and add nothing"""
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return np.log(e / e.sum(axis=axis, keepdims=True) + 1e-12)


def wrong_softmax__keeps_the_axis_only_if_it_must(x, axis=-1):
    """Line 5"""
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    try:
        return e / e.sum(axis=axis)
    except ValueError:
        return e / e.sum(axis=axis, keepdims=True)


def wrong_entropy__small_number_added(weights, axis=-1):
    """What is added inside of the logarithm outweighs small weights"""
    return -(weights * np.log(weights + 1e-12)).sum(axis)


def wrong_cross_entropy__chance_of_an_error(logits, targets):
    """No answer costs more than 1"""
    return np.mean(1 - np.take_along_axis(softmax(logits), targets[..., None], axis=-1))


def wrong_softmax__loop_over_the_first_axis(x, axis=-1):
    """the numbers of a vector are each taken for a row"""
    x = np.moveaxis(x, axis, -1)
    out = np.empty_like(x)
    for i, row in enumerate(x):
        e = np.exp(row - row.max())
        out[i] = e / e.sum()
    return np.moveaxis(out, -1, axis)




def wrong_entropy_slope__squared_after_the_sum(x, beta):
    """square each distance from the mean before weighing it"""
    p = softmax(beta * x)
    above = x - (p * x).sum(-1, keepdims=True)
    return -beta * (p * above).sum(-1) ** 2


def wrong_softmax__place_for_maximum(x, axis=-1):
    """argmax gives the place, not the value there: take max"""
    e = np.exp(x - x.argmax(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def wrong_softmax__maximum_of_python(x, axis=-1):
    """Python's `max` compares whole rows: take `np.max`, with an axis"""
    e = np.exp(x - max(x))
    return e / sum(e)


def wrong_log_softmax__maximum_only(x, axis=-1):
    """The largest score of each row becomes 0"""
    return x - x.max(axis=axis, keepdims=True)


def wrong_log_softmax__sum_without_its_axis(x, axis=-1):
    """has lost the axis that it was summed over"""
    return x - logsumexp(x, axis=axis)


def wrong_entropy__eps_added(weights, axis=-1):
    """What is added inside of the logarithm outweighs small weights"""
    return -(weights * np.log(weights + np.finfo(float).eps)).sum(axis)


def wrong_entropy__clipped(weights, axis=-1):
    """Weights of 0 count as the smallest that is let through"""
    p = np.clip(weights, np.finfo(float).eps, 1)
    return -(p * np.log(p)).sum(axis)


def wrong_entropy__from_a_least_weight(weights, axis=-1):
    """Weights that are small, but not 0, count as nothing"""
    return -(weights * np.log(np.where(weights > np.finfo(float).eps, weights, 1))).sum(axis)


def wrong_entropy_slope__mean_twice(x, beta):
    """leave out the mean: the chain rule gives it twice"""
    p = softmax(beta * x)
    above = x - (p * x).sum(axis=-1, keepdims=True)
    return -(p * x).sum(axis=-1) - beta * (p * above * above).sum(axis=-1)


def wrong_entropy_slope__of_scaled_scores(x, beta):
    """one β less"""
    p, y = softmax(beta * x), beta * x
    above = y - (p * y).sum(axis=-1, keepdims=True)
    return -(p * above * above).sum(axis=-1)
