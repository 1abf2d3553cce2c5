"""Masks with sinks, softmax with a null, and a ring, as readers write them."""

import math

import numpy as np
import scipy.special
import torch
from scipy.special import expit, logsumexp

from mlnotes.attention.causal_mask import causal_mask
from mlnotes.blocks.softmax import softmax


def right_sink_mask__comparisons(n_queries, n_keys, window, n_sinks, offset=0):
    i, j = np.arange(n_queries)[:, None] + offset, np.arange(n_keys)
    return (j <= i) & ((j > i - window) | (j < n_sinks))


def right_sink_mask__triangles(n_queries, n_keys, window, n_sinks, offset=0):
    mask = np.tri(n_queries, n_keys, offset, dtype=bool)
    old = np.tri(n_queries, n_keys, offset - window, dtype=bool)
    old[:, :n_sinks] = False
    return mask & ~old


def right_sink_mask__loops(n_queries, n_keys, window, n_sinks, offset=0):
    mask = np.zeros((n_queries, n_keys), dtype=bool)
    for i in range(n_queries):
        at = i + offset
        for j in [*range(min(n_sinks, at + 1)), *range(max(0, at - window + 1), at + 1)]:
            if j < n_keys:
                mask[i, j] = True
    return mask


def wrong_sink_mask__window_without_itself(n_queries, n_keys, window, n_sinks, offset=0):
    """Line 4"""
    i, j = np.arange(n_queries)[:, None] + offset, np.arange(n_keys)
    return (j <= i) & ((j >= i - window) | (j < n_sinks))


def wrong_sink_mask__itself_hidden(n_queries, n_keys, window, n_sinks, offset=0):
    """Line 4"""
    i, j = np.arange(n_queries)[:, None] + offset, np.arange(n_keys)
    return (j < i) & ((j > i - window) | (j < n_sinks))


def wrong_sink_mask__offset_ignored(n_queries, n_keys, window, n_sinks, offset=0):
    """`offset` makes no difference"""
    i, j = np.arange(n_queries)[:, None], np.arange(n_keys)
    return (j <= i) & ((j > i - window) | (j < n_sinks))


def wrong_sink_mask__brackets(n_queries, n_keys, window, n_sinks, offset=0):
    """The first queries see sinks that come after them"""
    i, j = np.arange(n_queries)[:, None] + offset, np.arange(n_keys)
    return (j <= i) & (j > i - window) | (j < n_sinks)


def wrong_sink_mask__numbers(n_queries, n_keys, window, n_sinks, offset=0):
    """float64 where bool is right"""
    i, j = np.arange(n_queries)[:, None] + offset, np.arange(n_keys)
    return ((j <= i) & ((j > i - window) | (j < n_sinks))).astype(float)


def wrong_sink_mask__hidden_true(n_queries, n_keys, window, n_sinks, offset=0):
    """the other way round"""
    i, j = np.arange(n_queries)[:, None] + offset, np.arange(n_keys)
    return (j > i) | ((j <= i - window) & (j >= n_sinks))


def wrong_sink_mask__sinks_of_the_window(n_queries, n_keys, window, n_sinks, offset=0):
    """Line 4"""
    i, j = np.arange(n_queries)[:, None] + offset, np.arange(n_keys)
    return (j <= i) & ((j > i - window) | (j < offset + n_sinks))


def right_null_softmax__shifted(x, null=0.0, axis=-1):
    top = np.maximum(x.max(axis=axis, keepdims=True), null)
    e = np.exp(x - top)
    return e / (np.exp(null - top) + e.sum(axis=axis, keepdims=True))


def right_null_softmax__one_more(x, null=0.0, axis=-1):
    null = np.broadcast_to(null, x.max(axis=axis, keepdims=True).shape)
    return np.delete(softmax(np.concatenate([null, x], axis), axis), 0, axis)


def right_null_softmax__how_much_and_how(x, null=0.0, axis=-1):
    return expit(logsumexp(x, axis=axis, keepdims=True) - null) * softmax(x, axis)


def wrong_null_softmax__one(x, null=0.0, axis=-1):
    """Scores of any size leave the same weight to the null"""
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / (np.exp(null) + e.sum(axis=axis, keepdims=True))


def wrong_null_softmax__as_printed(x, null=0.0, axis=-1):
    """exp overflows"""
    e = np.exp(x)
    return e / (np.exp(null) + e.sum(axis=axis, keepdims=True))


def wrong_null_softmax__always_zero(x, null=0.0, axis=-1):
    """`null` makes no difference"""
    top = np.maximum(x.max(axis=axis, keepdims=True), 0)
    e = np.exp(x - top)
    return e / (np.exp(-top) + e.sum(axis=axis, keepdims=True))


def wrong_null_softmax__last_axis(x, null=0.0, axis=-1):
    """`axis` makes no difference"""
    top = np.maximum(x.max(axis=-1, keepdims=True), null)
    e = np.exp(x - top)
    return e / (np.exp(null - top) + e.sum(axis=-1, keepdims=True))


def wrong_null_softmax__maximum_of_scores(x, null=0.0, axis=-1):
    """where all scores are far below the null"""
    top = x.max(axis=axis, keepdims=True)
    e = np.exp(x - top)
    return e / (np.exp(null - top) + e.sum(axis=axis, keepdims=True))


def wrong_null_softmax__renormalized(x, null=0.0, axis=-1):
    """Weights sum to one"""
    top = np.maximum(x.max(axis=axis, keepdims=True), null)
    e = np.exp(x - top)
    w = e / (np.exp(null - top) + e.sum(axis=axis, keepdims=True))
    return w / w.sum(axis=axis, keepdims=True)


def wrong_null_softmax__sign_of_null(x, null=0.0, axis=-1):
    top = np.maximum(x.max(axis=axis, keepdims=True), -null)
    e = np.exp(x - top)
    return e / (np.exp(-null - top) + e.sum(axis=axis, keepdims=True))


def right_sink_score__formula(share, n_keys):
    return np.log(share * (n_keys - 1) / (1 - share))


def right_sink_score__two_logarithms(share, n_keys):
    return math.log(share) - math.log1p(-share) + math.log(n_keys - 1)


def right_sink_score__searched(share, n_keys):
    low, high = -50.0, 50.0
    while high - low > 1e-13:
        middle = (low + high) / 2
        got = torch.softmax(torch.tensor([middle, *[0.0] * (n_keys - 1)], dtype=torch.float64), 0)[0]
        low, high = (middle, high) if got < share else (low, middle)
        if middle in (low, high) and (low + high) / 2 in (low, high):
            break
    return low


def wrong_sink_score__all_keys(share, n_keys):
    """One key too many"""
    return math.log(share / (1 - share) * n_keys)


def wrong_sink_score__share_alone(share, n_keys):
    """the others keep more"""
    return math.log(share * (n_keys - 1))


def wrong_sink_score__odds_turned(share, n_keys):
    """Line 3"""
    return math.log((1 - share) / share * (n_keys - 1))


def wrong_sink_score__without_others(share, n_keys):
    """It does not grow with the number of keys"""
    return math.log(share / (1 - share))


def wrong_sink_score__base_two(share, n_keys):
    """base 2 in place of e"""
    return math.log2(share / (1 - share) * (n_keys - 1))


def wrong_sink_score__divided(share, n_keys):
    """Line 3"""
    return math.log(share / (1 - share) / (n_keys - 1))


def right_ring__rounds(n, capacity, n_sinks):
    i, window = np.arange(min(n, capacity)), capacity - n_sinks
    return np.where(i < n_sinks, i, i + (n - 1 - i) // window * window)


def right_ring__written(n, capacity, n_sinks):
    held = [None] * capacity
    for token in range(n):
        place = token if token < n_sinks else n_sinks + (token - n_sinks) % (capacity - n_sinks)
        held[place] = token
    return np.array([it for it in held if it is not None], dtype=int)


def right_ring__pointer(n, capacity, n_sinks):
    held, oldest = list(range(min(n, capacity))), n_sinks
    for token in range(capacity, n):
        held[oldest] = token
        oldest = oldest + 1 if oldest + 1 < capacity else n_sinks
    return np.array(held, dtype=int)


def wrong_ring__in_order_of_the_text(n, capacity, n_sinks):
    """The numbers are right, but in another order."""
    if n <= capacity:
        return np.arange(n)
    return np.array([*range(n_sinks), *range(n - capacity + n_sinks, n)])


def wrong_ring__no_sinks(n, capacity, n_sinks):
    """The first tokens are overwritten"""
    held = np.arange(min(n, capacity))
    for token in range(capacity, n):
        held[token % capacity] = token
    return held


def wrong_ring__starts_late(n, capacity, n_sinks):
    """Line 6"""
    held, oldest = list(range(min(n, capacity))), n_sinks
    for token in range(capacity, n):
        held[oldest] = token
        oldest = oldest + 1 if oldest < capacity - 1 else 0
    return np.array(held, dtype=int)


def wrong_ring__one_token_short(n, capacity, n_sinks):
    """Line 4"""
    held = np.arange(min(n, capacity))
    for token in range(capacity, n - 1):
        held[n_sinks + (token - n_sinks) % (capacity - n_sinks)] = token
    return held


def wrong_ring__last_place(n, capacity, n_sinks):
    """`n_sinks` makes no difference"""
    held = np.arange(min(n, capacity))
    if n > capacity:
        held[-1] = n - 1
    return held


def wrong_ring__shifted(n, capacity, n_sinks):
    """Line 4"""
    i, window = np.arange(min(n, capacity)), capacity - n_sinks
    return np.where(i < n_sinks, i, i + (n - i) // window * window)


def wrong_ring__sinks_not_taken_off(n, capacity, n_sinks):
    """it begins at a wrong place"""
    held = np.arange(min(n, capacity))
    for token in range(capacity, n):
        held[n_sinks + token % (capacity - n_sinks)] = token
    return held


def wrong_sink_mask__causal_alone(n_queries, n_keys, window, n_sinks, offset=0):
    """It is the causal mask"""
    return causal_mask(n_queries, n_keys, offset)


def right_sink_mask__sets(n_queries, n_keys, window, n_sinks, offset=0):
    out = np.zeros((n_queries, n_keys), dtype=bool)
    for i in range(n_queries):
        at = i + offset
        for j in set(range(n_sinks)) | set(range(at - window + 1, at + 1)):
            if 0 <= j <= at and j < n_keys:
                out[i, j] = True
    return out


def right_sink_mask__torch(n_queries, n_keys, window, n_sinks, offset=0):
    i, j = torch.arange(n_queries)[:, None] + offset, torch.arange(n_keys)[None]
    return ((i >= j) & ((i - j < window) | (j < n_sinks))).numpy()


def wrong_sink_mask__both_at_once(n_queries, n_keys, window, n_sinks, offset=0):
    """Only sinks within the window are seen"""
    i, j = np.arange(n_queries)[:, None] + offset, np.arange(n_keys)
    return (j <= i) & (j > i - window) & (j < n_sinks)


def wrong_sink_mask__one_sink_more(n_queries, n_keys, window, n_sinks, offset=0):
    """One token more is kept"""
    i, j = np.arange(n_queries)[:, None] + offset, np.arange(n_keys)
    return (j <= i) & ((j > i - window) | (j <= n_sinks))


def wrong_sink_mask__window_one_longer(n_queries, n_keys, window, n_sinks, offset=0):
    """Line 4"""
    i, j = np.arange(n_queries)[:, None] + offset, np.arange(n_keys)
    return (j <= i) & ((j >= i - window) | (j < n_sinks))


def wrong_sink_mask__offset_subtracted(n_queries, n_keys, window, n_sinks, offset=0):
    """Line 3"""
    i, j = np.arange(n_queries)[:, None] - offset, np.arange(n_keys)
    return (j <= i) & ((j > i - window) | (j < n_sinks))


def wrong_sink_mask__sinks_ahead(n_queries, n_keys, window, n_sinks, offset=0):
    """The first queries see sinks that come after them"""
    i, j = np.arange(n_queries)[:, None] + offset, np.arange(n_keys)
    return ((j <= i) & (j > i - window)) | (j < n_sinks)


def right_null_softmax__extra_column(x, null=0.0, axis=-1):
    y = np.moveaxis(np.asarray(x, float), axis, -1)
    extra = np.broadcast_to(np.asarray(null, float), np.sum(x, axis=axis, keepdims=True).shape)
    joined = np.concatenate([y, np.moveaxis(extra, axis, -1)], axis=-1)
    return np.moveaxis(scipy.special.softmax(joined, axis=-1)[..., :-1], -1, axis)


def right_null_softmax__logaddexp(x, null=0.0, axis=-1):
    total = np.logaddexp(np.logaddexp.reduce(x, axis=axis, keepdims=True), null)
    return np.exp(x - total)


def right_null_softmax__torch(x, null=0.0, axis=-1):
    t = torch.tensor(np.array(x))
    lse = torch.logsumexp(t, dim=axis, keepdim=True)
    return torch.exp(t - torch.logaddexp(lse, torch.as_tensor(null, dtype=t.dtype))).numpy()


def wrong_null_softmax__no_null(x, null=0.0, axis=-1):
    """The weights sum to one"""
    return softmax(x, axis)


def wrong_null_softmax__null_without_exp(x, null=0.0, axis=-1):
    """A null of 0 leaves nothing out"""
    top = np.maximum(x.max(axis=axis, keepdims=True), null)
    e = np.exp(x - top)
    return e / (null + e.sum(axis=axis, keepdims=True))


def wrong_null_softmax__null_not_shifted(x, null=0.0, axis=-1):
    """Scores of any size leave the same weight to the null"""
    top = np.maximum(x.max(axis=axis, keepdims=True), null)
    e = np.exp(x - top)
    return e / (np.exp(null) + e.sum(axis=axis, keepdims=True))


def wrong_null_softmax__overflows(x, null=0.0, axis=-1):
    """It gives nan for a score of 800, because exp overflows"""
    e = np.exp(x)
    return e / (np.exp(null) + e.sum(axis=axis, keepdims=True))


def wrong_null_softmax__keepdims(x, null=0.0, axis=-1):
    """Line 5"""
    top = np.maximum(x.max(axis=axis, keepdims=True), null)
    e = np.exp(x - top)
    return e / (np.exp(null - top) + e.sum(axis=axis))


def wrong_null_softmax__null_returned(x, null=0.0, axis=-1):
    """There is one weight more than there are scores"""
    null = np.broadcast_to(np.asarray(null, float), np.sum(x, axis=axis, keepdims=True).shape)
    return softmax(np.concatenate([x, null], axis=axis), axis)


def right_sink_score__logit(share, n_keys):
    return scipy.special.logit(share) + math.log(n_keys - 1)


def right_sink_score__difference(share, n_keys):
    return np.log(share) - np.log1p(-share) + np.log(n_keys - 1)


def right_sink_score__root(share, n_keys):
    from scipy.optimize import brentq

    return brentq(lambda x: math.exp(x) / (math.exp(x) + n_keys - 1) - share, -40, 60, xtol=1e-14)


def wrong_sink_score__no_logarithm(share, n_keys):
    """It is the ratio of exponentials"""
    return share / (1 - share) * (n_keys - 1)


def wrong_sink_score__bracket(share, n_keys):
    """Line 3"""
    return np.log(share / 1 - share * (n_keys - 1))


def wrong_sink_score__log10(share, n_keys):
    """The result is 0.4343 times the right one"""
    return np.log10(share / (1 - share) * (n_keys - 1))


def wrong_sink_score__one_for_the_share(share, n_keys):
    """Line 3"""
    return np.log(1 / (1 - share) * (n_keys - 1))


def right_ring__simulated(n, capacity, n_sinks):
    held = []
    for token in range(n):
        if len(held) < capacity:
            held.append(token)
        else:
            held[held.index(min(held[n_sinks:]))] = token
    return np.array(held, dtype=int)


def right_ring__deque_places(n, capacity, n_sinks):
    memory, place = np.full(capacity, -1), 0
    for token in range(n):
        memory[place] = token
        place = place + 1 if place + 1 < capacity else n_sinks
    return memory[memory >= 0]


def wrong_ring__sinks_overwritten(n, capacity, n_sinks):
    """The first tokens are overwritten"""
    memory = list(range(min(n, capacity)))
    for token in range(capacity, n):
        memory[token % capacity] = token
    return np.array(memory)


def wrong_ring__remainder_of_the_token(n, capacity, n_sinks):
    """Where the sinks do not fill whole rounds, it begins at a wrong place"""
    memory = list(range(min(n, capacity)))
    for token in range(capacity, n):
        memory[n_sinks + token % (capacity - n_sinks)] = token
    return np.array(memory)


def wrong_ring__empty_places(n, capacity, n_sinks):
    memory = np.full(capacity, -1)
    for token in range(n):
        memory[token if token < capacity else n_sinks + (token - n_sinks) % (capacity - n_sinks)] = token
    return memory


def wrong_ring__floats(n, capacity, n_sinks):
    """The numbers are right, but their dtype is not"""
    i, window = np.arange(min(n, capacity)), capacity - n_sinks
    return np.where(i < n_sinks, i, i + np.floor((n - 1 - i) / window) * window)


def wrong_ring__one_round_early(n, capacity, n_sinks):
    """Line 4"""
    i, window = np.arange(min(n, capacity)), capacity - n_sinks
    return np.where(i < n_sinks, i, i + (n - i) // window * window)


def wrong_sink_mask__xor(n_queries, n_keys, window, n_sinks, offset=0):
    """Sinks within the window are hidden"""
    i, j = np.ogrid[:n_queries, :n_keys]
    p = i + offset
    return (j <= p) & ((j > p - window) ^ (j < n_sinks))


def wrong_sink_mask__no_future_check(n_queries, n_keys, window, n_sinks, offset=0):
    """Each query sees all that comes after it"""
    i, j = np.ogrid[:n_queries, :n_keys]
    return (j > i + offset - window) | (j < n_sinks)


def wrong_null_softmax__sigmoid(x, null=0.0, axis=-1):
    """Each score competes with the null alone"""
    return 1 / (1 + np.exp(null - x))


def wrong_null_softmax__added_after_the_shift(x, null=0.0, axis=-1):
    """Scores of any size leave the same weight to the null, which is not shifted"""
    top = x.max(axis=axis, keepdims=True)
    e = np.exp(x - np.where(np.isneginf(top), 0.0, top))
    return e / (np.exp(null) + e.sum(axis=axis, keepdims=True))


def wrong_null_softmax__off_by_one(x, null=0.0, axis=-1):
    """The null gets as much as the largest score"""
    top = np.maximum(x.max(axis=axis, keepdims=True), null)
    e = np.exp(x - top)
    return e / (1 + e.sum(axis=axis, keepdims=True))


def wrong_ring__counted_from_one(n, capacity, n_sinks):
    """Every number is too large by one"""
    memory = []
    for token in range(1, n + 1):
        if token <= capacity:
            memory.append(token)
        else:
            memory[n_sinks + (token - 1 - n_sinks) % (capacity - n_sinks)] = token
    return np.array(memory, dtype=int)


def wrong_sink_mask__sinks_that_there_are_not(n_queries, n_keys, window, n_sinks, offset=0):
    """Line 8"""
    mask = np.zeros((n_queries, n_keys), bool)
    for i in range(n_queries):
        at = i + offset
        for j in range(max(0, at - window + 1), min(n_keys, at + 1)):
            mask[i, j] = True
        for j in range(min(n_sinks, at + 1)):
            mask[i, j] = True
    return mask


def wrong_sink_score__whole_odds(share, n_keys):
    """Line 3"""
    return math.log(round(share / (1 - share) * (n_keys - 1)))


def wrong_null_softmax__mean_taken_off(x, null=0.0, axis=-1):
    """overflow in exp"""
    hidden = np.isneginf(x)
    null = null + 0 * np.where(hidden, 0, x).sum(axis=axis, keepdims=True)
    count = (~hidden).sum(axis=axis, keepdims=True) + 1
    mean = (np.where(hidden, 0, x).sum(axis=axis, keepdims=True) + null) / count
    e = np.exp(x - mean)
    return e / (e.sum(axis=axis, keepdims=True) + np.exp(null - mean))


def wrong_null_softmax__null_left_out_of_the_maximum(x, null=0.0, axis=-1):
    """Line 4"""
    top = x.max(axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0)
    e = np.exp(x - top)
    return e / (np.exp(null - top) + e.sum(axis, keepdims=True))


def wrong_null_softmax__one_after_the_maximum(x, null=0.0, axis=-1):
    """The null gets as much as the largest score"""
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / (1 + e.sum(axis=axis, keepdims=True))


def wrong_ring__capacity_besides_the_sinks(n, capacity, n_sinks):
    """more tokens than its capacity"""
    memory = {}
    for token in range(n):
        if token < n_sinks:
            memory[token] = token
        else:
            memory[n_sinks + (token - n_sinks) % capacity] = token
    return np.array([memory[place] for place in sorted(memory)], dtype=int)


def wrong_null_softmax__one_maximum(x, null=0.0, axis=-1):
    """take the maximum of each row"""
    biggest = max(x.max(), np.max(null))
    powers = np.exp(x - biggest)
    return powers / (powers.sum(axis=axis, keepdims=True) + np.exp(null - biggest))


def wrong_null_softmax__null_not_cut_off(x, null=0.0, axis=-1):
    """There is one weight more than there are scores"""
    shape = list(x.shape)
    shape[axis] = 1
    return softmax(np.concatenate([x, np.broadcast_to(null, shape)], axis=axis), axis=axis)


def wrong_ring__as_if_full(n, capacity, n_sinks):
    """It names places where no token is yet"""
    i, w = np.arange(capacity), capacity - n_sinks
    return np.where(i < n_sinks, i, i + (n - 1 - i) // w * w)


def wrong_ring__all_places_from_the_start(n, capacity, n_sinks):
    """It names places where no token is yet"""
    held = list(range(capacity))
    for i in range(capacity, n):
        held[n_sinks + (i - n_sinks) % (capacity - n_sinks)] = i
    return np.array(held)


def wrong_null_softmax__axis_moved_for_scores_alone(x, null=0.0, axis=-1):
    """Line 5"""
    x = np.moveaxis(x, axis, -1)
    top = np.maximum(x.max(-1, keepdims=True), null)
    e = np.exp(x - top)
    return np.moveaxis(e / (np.exp(null - top) + e.sum(-1, keepdims=True)), -1, axis)


def wrong_null_softmax__asked_whether_there_is_one(x, null=0.0, axis=-1):
    """several numbers are neither true nor false"""
    top = np.maximum(x.max(axis=axis, keepdims=True), null)
    e = np.exp(x - top)
    if null:
        return e / (np.exp(null - top) + e.sum(axis=axis, keepdims=True))
    return e / (np.exp(-top) + e.sum(axis=axis, keepdims=True))
