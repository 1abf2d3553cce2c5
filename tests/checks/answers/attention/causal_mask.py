"""Masks and the softmax under them, as readers write them."""

import math

import numpy as np
import torch
from scipy.special import softmax as scipy_softmax

from mlnotes.attention.causal_mask import causal_mask
from mlnotes.blocks.softmax import softmax


def right_causal_mask__chapter(n_queries, n_keys, offset=0):
    return np.arange(n_keys) <= np.arange(n_queries)[:, None] + offset


def right_causal_mask__tri(n_queries, n_keys, offset=0):
    return np.tri(n_queries, n_keys, offset, dtype=bool)


def right_causal_mask__tril(n_queries, n_keys, offset=0):
    return np.tril(np.ones((n_queries, n_keys), bool), k=offset)


def right_causal_mask__loop(n_queries, n_keys, offset=0):
    return np.array([[j <= i + offset for j in range(n_keys)] for i in range(n_queries)])


def right_causal_mask__rows_of_a_square(n_queries, n_keys, offset=0):
    n = max(n_queries + offset, n_keys)
    return np.tri(n, dtype=bool)[offset : offset + n_queries, :n_keys]


def right_causal_mask__columns_in_front(n_queries, n_keys, offset=0):
    return np.hstack([np.ones((n_queries, offset), bool), np.tri(n_queries, n_keys, dtype=bool)])[:, :n_keys]


def wrong_causal_mask__numbers(n_queries, n_keys, offset=0):
    """The numbers are right, but their dtype is not"""
    return np.tri(n_queries, n_keys, offset)


def wrong_causal_mask__upper(n_queries, n_keys, offset=0):
    """Queries see themselves and what comes after them"""
    return np.triu(np.ones((n_queries, n_keys), bool), k=offset)


def wrong_causal_mask__hidden_for_seen(n_queries, n_keys, offset=0):
    """The result is True where it should be False, and the other way round"""
    return np.triu(np.ones((n_queries, n_keys), bool), k=offset + 1)


def wrong_causal_mask__axes_exchanged(n_queries, n_keys, offset=0):
    """`n_queries` and `n_keys` are taken for each other"""
    return np.arange(n_queries) <= np.arange(n_keys)[:, None] + offset


def wrong_causal_mask__square(n_queries, n_keys, offset=0):
    """`n_keys` stands where `n_queries` belongs"""
    return np.tril(np.ones((n_keys, n_keys), bool), k=offset)


def wrong_causal_mask__offset_of_keys(n_queries, n_keys, offset=0):
    """With a cache, queries see fewer keys than without"""
    return np.arange(n_keys) + offset <= np.arange(n_queries)[:, None]


def wrong_causal_mask__exactly_own(n_queries, n_keys, offset=0):
    return np.arange(n_keys) == np.arange(n_queries)[:, None] + offset


def wrong_causal_mask__first_rows_of_a_square(n_queries, n_keys, offset=0):
    """With a cache, new queries see only the oldest keys"""
    n = max(n_queries + offset, n_keys)
    return np.tri(n, dtype=bool)[:n_queries, :n_keys]


def wrong_causal_mask__rows_and_columns(n_queries, n_keys, offset=0):
    """Line 6"""
    mask = np.zeros((n_queries, n_keys), bool)
    for i in range(n_queries):
        for j in range(n_keys):
            mask[i, j] = i <= j + offset
    return mask


def wrong_causal_mask__no_column(n_queries, n_keys, offset=0):
    """Line 3"""
    return np.arange(n_keys) <= np.arange(n_queries) + offset


def wrong_causal_mask__additive(n_queries, n_keys, offset=0):
    """It holds what is added to scores"""
    seen = np.arange(n_keys) <= np.arange(n_queries)[:, None] + offset
    return np.where(seen, 0.0, -np.inf)


def wrong_causal_mask__triu(n_queries, n_keys, offset=0):
    """No query sees itself"""
    return ~np.triu(np.ones((n_queries, n_keys), bool), offset)


def wrong_causal_mask__negative_slice(n_queries, n_keys, offset=0):
    """Line 5"""
    m = np.ones((n_queries, n_keys), bool)
    for i in range(n_queries):
        m[i, i + offset :] = False
        m[i, min(i, n_keys - 1)] = True
    return m


def wrong_causal_mask__minus_inf_mask(n_queries, n_keys, offset=0):
    """It holds what is added to scores"""
    return np.where(np.tri(n_queries, n_keys, offset), 0.0, -np.inf)


def right_padding_mask__chapter(lengths, n_keys):
    return np.arange(n_keys) < np.array(lengths)[:, None, None]


def right_padding_mask__loop(lengths, n_keys):
    mask = np.zeros((len(lengths), 1, n_keys), bool)
    for i, length in enumerate(lengths):
        mask[i, 0, :length] = True
    return mask


def right_padding_mask__lists(lengths, n_keys):
    return np.array([[[True] * length + [False] * (n_keys - length)] for length in lengths])


def right_padding_mask__greater(lengths, n_keys):
    return np.reshape(lengths, (-1, 1, 1)) > np.arange(n_keys)[None, None]


def wrong_padding_mask__counted_from_one(lengths, n_keys):
    """The last key of each sequence is hidden"""
    return np.arange(1, n_keys + 1) < np.array(lengths)[:, None, None]


def wrong_padding_mask__numbers(lengths, n_keys):
    """The numbers are right, but their dtype is not"""
    mask = np.zeros((len(lengths), 1, n_keys))
    for i, length in enumerate(lengths):
        mask[i, 0, :length] = 1
    return mask


def wrong_padding_mask__axis_in_front(lengths, n_keys):
    """Line 3"""
    return (np.arange(n_keys) < np.array(lengths)[:, None])[None]


def wrong_padding_mask__one_length_for_all(lengths, n_keys):
    mask = np.zeros((len(lengths), 1, n_keys), bool)
    for length in lengths:
        mask[:, 0, :length] = True
    return mask


def wrong_padding_mask__longest(lengths, n_keys):
    """`n_keys` makes no difference"""
    return np.arange(max(lengths)) < np.array(lengths)[:, None, None]


def wrong_padding_mask__true_hides(lengths, n_keys):
    """Only the filling is looked at"""
    mask = np.ones((len(lengths), 1, n_keys), bool)
    for i, length in enumerate(lengths):
        mask[i, 0, :length] = False
    return mask


def wrong_padding_mask__slice_to_the_end(lengths, n_keys):
    """Only the filling is looked at"""
    mask = np.zeros((len(lengths), 1, n_keys), bool)
    for i, length in enumerate(lengths):
        mask[i, 0, length:] = True
    return mask


def wrong_padding_mask__one_more(lengths, n_keys):
    """One key of the filling is looked at"""
    mask = np.zeros((len(lengths), 1, n_keys), bool)
    for i, length in enumerate(lengths):
        mask[i, 0, : length + 1] = True
    return mask


def wrong_padding_mask__full_table(lengths, n_keys):
    """Line 4"""
    mask = np.arange(n_keys) < np.array(lengths)[:, None, None]
    return np.repeat(mask, n_keys, axis=1)


def wrong_padding_mask__counted_backwards(lengths, n_keys):
    """The first keys of short sequences are hidden"""
    return np.arange(n_keys)[::-1] < np.array(lengths)[:, None, None]


def wrong_padding_mask__sorted(lengths, n_keys):
    """It is True as often as is right, but elsewhere"""
    return np.arange(n_keys) < np.sort(lengths)[:, None, None]


def wrong_padding_mask__strip(lengths, n_keys):
    """A sequence without filling is hidden, since a slice from -0 on is the whole row"""
    m = np.ones((len(lengths), 1, n_keys), bool)
    for row, n in zip(m, lengths, strict=True):
        row[:, -(n_keys - n) :] = False
    return m


def right_masked_softmax__chapter(x, mask, axis=-1):
    hidden = np.where(mask, x, -np.inf)
    top = hidden.max(axis=axis, keepdims=True)
    e = np.exp(hidden - np.where(np.isinf(top), 0.0, top))
    total = e.sum(axis=axis, keepdims=True)
    return e / np.where(total == 0, 1.0, total)


def right_masked_softmax__books_softmax(x, mask, axis=-1):
    return softmax(np.where(mask, x, -np.inf), axis=axis)


def right_masked_softmax__nan_to_zero(x, mask, axis=-1):
    weights = scipy_softmax(np.where(mask, x, -np.inf), axis=axis)
    return np.nan_to_num(weights)


def right_masked_softmax__torch(x, mask, axis=-1):
    scores = torch.tensor(x).masked_fill(~torch.tensor(np.broadcast_to(mask, x.shape)), -torch.inf)
    return torch.nan_to_num(torch.softmax(scores, axis)).numpy()


def right_masked_softmax__loops(x, mask, axis=-1):
    x, mask = np.moveaxis(x, axis, -1), np.moveaxis(np.broadcast_to(mask, x.shape), axis, -1)
    out = np.zeros_like(x)
    for i in np.ndindex(x.shape[:-1]):
        seen = np.flatnonzero(mask[i])
        top = max((x[i][j] for j in seen), default=0.0)
        total = sum(math.exp(x[i][j] - top) for j in seen)
        for j in seen:
            out[i][j] = math.exp(x[i][j] - top) / total
    return np.moveaxis(out, -1, axis)


def right_masked_softmax__maximum_where(x, mask, axis=-1):
    top = np.max(x, axis=axis, keepdims=True, where=mask, initial=-1e300)
    e = np.where(mask, np.exp(np.where(mask, x - top, 0.0)), 0.0)
    return e / np.maximum(e.sum(axis=axis, keepdims=True), 1e-300)


def right_masked_softmax__logsumexp(x, mask, axis=-1):
    z = np.where(mask, x, -np.inf)
    lse = np.logaddexp.reduce(z, axis=axis, keepdims=True)
    return np.exp(z - np.where(np.isinf(lse), 0, lse))


def right_masked_softmax__masked_array(x, mask, axis=-1):
    z = np.ma.masked_array(x, ~np.broadcast_to(mask, x.shape))
    e = np.ma.exp(z - z.max(axis=axis, keepdims=True))
    return (e / e.sum(axis=axis, keepdims=True)).filled(0.0)


def right_masked_softmax__any_over_last(x, mask, axis=-1):
    z = np.where(mask, x, -np.inf)
    some = mask.any(-1, keepdims=True)
    return np.where(some, softmax(z, axis=axis), 0)


def wrong_masked_softmax__nan_left(x, mask, axis=-1):
    """A row that sees nothing is nan"""
    hidden = np.where(mask, x, -np.inf)
    e = np.exp(hidden - hidden.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def wrong_masked_softmax__zeros_times(x, mask, axis=-1):
    """Hidden keys get weight as if they scored 0"""
    return softmax(x * mask, axis=axis)


def wrong_masked_softmax__last_axis(x, mask, axis=-1):
    """`axis` makes no difference"""
    hidden = np.where(mask, x, -np.inf)
    top = hidden.max(axis=-1, keepdims=True)
    e = np.exp(hidden - np.where(np.isinf(top), 0.0, top))
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1.0, total)


def wrong_masked_softmax__renormalised_after(x, mask, axis=-1):
    """A row that sees nothing is nan, as is one whose hidden scores are far above the others and leave no weight"""
    weights = softmax(x, axis=axis) * mask
    return weights / weights.sum(axis=axis, keepdims=True)


def wrong_masked_softmax__infinity(x, mask, axis=-1):
    """Line 3"""
    return softmax(np.where(mask, x, np.inf), axis=axis)


def wrong_masked_softmax__written_into(x, mask, axis=-1):
    """The result is right, but `x` has changed after the call"""
    x[~np.broadcast_to(mask, x.shape)] = -np.inf
    return softmax(x, axis=axis)


def wrong_masked_softmax__thousand(x, mask, axis=-1):
    """A row that sees nothing averages everything"""
    return softmax(np.where(mask, x, -1000.0), axis=axis)


def wrong_masked_softmax__inverted_fill(x, mask, axis=-1):
    """Only hidden keys are looked at"""
    hidden = np.where(~mask, x, -np.inf)
    return softmax(hidden, axis=axis)


def wrong_masked_softmax__zero_times_infinity(x, mask, axis=-1):
    """Line 3"""
    return softmax(x + (1 - mask) * -np.inf, axis=axis)


def wrong_masked_softmax__uniform_when_blind(x, mask, axis=-1):
    """A row that sees nothing averages everything"""
    hidden = np.where(mask, x, -np.inf)
    blind = ~mask.any(axis=axis, keepdims=True)
    return softmax(np.where(blind, 0.0, hidden), axis=axis)


def wrong_masked_softmax__sum_without_axis(x, mask, axis=-1):
    hidden = np.where(mask, x, -np.inf)
    top = hidden.max(axis=axis, keepdims=True)
    e = np.exp(hidden - np.where(np.isinf(top), 0.0, top))
    return e / e.sum()


def wrong_masked_softmax__top_of_all(x, mask, axis=-1):
    """A row far below the largest score loses its weights"""
    hidden = np.where(mask, x, -np.inf)
    e = np.exp(hidden - hidden.max())
    total = e.sum(axis=axis, keepdims=True)
    return e / np.where(total == 0, 1.0, total)


def wrong_masked_softmax__nan_by_last(x, mask, axis=-1):
    """Line 5"""
    z = np.where(mask, x, -np.inf)
    e = np.exp(z - z.max(axis=axis, keepdims=True))
    return np.where(mask.any(-1, keepdims=True), e / e.sum(axis=axis, keepdims=True), 0)


def wrong_masked_softmax__hidden_minus_top(x, mask, axis=-1):
    """Line 3"""
    z = np.where(mask, x, x.min(axis=axis, keepdims=True) - 20)
    return softmax(z, axis=axis) * mask


def wrong_masked_softmax__bias_log(x, mask, axis=-1):
    """Line 4"""
    with np.errstate(divide="ignore"):
        return softmax(x + np.log(mask + 1e-9), axis=axis)


def right_window_mask__chapter(n, width):
    too_far = np.roll(causal_mask(n, n), width, axis=0)
    too_far[:width] = False
    return causal_mask(n, n) & ~too_far


def right_window_mask__differences(n, width):
    behind = np.arange(n)[:, None] - np.arange(n)
    return (behind >= 0) & (behind < width)


def right_window_mask__triangles(n, width):
    return np.tril(np.triu(np.ones((n, n), bool), 1 - width))


def right_window_mask__loop(n, width):
    mask = np.zeros((n, n), bool)
    for i in range(n):
        mask[i, max(0, i - width + 1) : i + 1] = True
    return mask


def wrong_window_mask__wrapped_round(n, width):
    """The first tokens see too little"""
    too_far = np.roll(causal_mask(n, n), width, axis=0)
    return causal_mask(n, n) & ~too_far


def wrong_window_mask__negative_slice(n, width):
    """Line 5"""
    mask = np.zeros((n, n), bool)
    for i in range(n):
        mask[i, i - width + 1 : i + 1] = True
    return mask


def wrong_window_mask__own_left_out(n, width):
    """A token does not see itself"""
    mask = np.zeros((n, n), bool)
    for i in range(n):
        mask[i, max(0, i - width + 1) : i] = True
    return mask


def wrong_window_mask__or(n, width):
    """Line 4"""
    behind = np.arange(n)[:, None] - np.arange(n)
    return (behind >= 0) | (behind < width)


def wrong_window_mask__signless(n, width):
    """Tokens see what comes after them"""
    behind = abs(np.arange(n)[:, None] - np.arange(n))
    return behind < width


def wrong_window_mask__rolled_columns(n, width):
    """Line 3"""
    too_far = np.roll(causal_mask(n, n), width, axis=1)
    too_far[:width] = False
    return causal_mask(n, n) & ~too_far


def wrong_window_mask__at_most_width(n, width):
    """A token sees one before its window"""
    behind = np.arange(n)[:, None] - np.arange(n)
    return (behind >= 0) & (behind <= width)


def wrong_window_mask__first_columns(n, width):
    """It is True as often as is right, but elsewhere"""
    m = causal_mask(n, n)
    m[:, width:] = False
    return m


def wrong_window_mask__difference_of_bools(n, width):
    return causal_mask(n, n) & ~causal_mask(n, n, width)


def right_layers_to_the_first__ceil(n, width):
    return math.ceil((n - 1) / (width - 1))


def right_layers_to_the_first__integers(n, width):
    return -(-(n - 1) // (width - 1))


def right_layers_to_the_first__chapter(n, width):
    window = np.tri(n, dtype=bool) & ~np.tri(n, k=-width, dtype=bool)
    reached, layers = window[-1], 1
    while not reached[0]:
        reached, layers = (reached[:, None] & window).any(axis=0), layers + 1
    return layers


def wrong_layers_to_the_first__not_rounded(n, width):
    """It is no whole number of layers"""
    return (n - 1) / (width - 1)


def wrong_layers_to_the_first__rounded(n, width):
    """It is one too few where less than half a step is left"""
    return round((n - 1) / (width - 1))


def wrong_layers_to_the_first__blocks(n, width):
    """It cuts the tokens into blocks, but neighbouring windows share a token"""
    return math.ceil(n / width)


def wrong_layers_to_the_first__one_more(n, width):
    """It is one too many where a layer arrives exactly at the first token"""
    return (n - 1) // (width - 1) + 1


def wrong_layers_to_the_first__steps(n, width):
    return n - width


def wrong_layers_to_the_first__first_layer_not_counted(n, width):
    """The result is too small by 1, every time"""
    place, layers = n - 1, 0
    while place - (width - 1) > 0:
        place, layers = place - (width - 1), layers + 1
    return layers


def wrong_layers_to_the_first__plus_floor(n, width):
    """It is one too many where a layer arrives exactly"""
    return (n - 1) // (width - 1) + 1


def wrong_layers_to_the_first__half(n, width):
    """The result is too small by 1"""
    return -(-(n - width) // (width - 1))


def wrong_masked_softmax__very_large_number_added(x, mask, axis=-1):
    """A row whose hidden scores exceed the others by more than the number that hides them gets zeros"""
    with np.errstate(all="ignore"):
        return softmax(x + ~mask * -1e30, axis=axis) * mask


def wrong_masked_softmax__scores_times_mask(x, mask, axis=-1):
    """Hidden keys count as if they scored 0: rows sum to less than one"""
    return softmax(x * mask, axis=axis) * mask


def wrong_masked_softmax__small_number_below(x, mask, axis=-1):
    """All weights are too small: something was added to their sum"""
    hidden = np.where(mask, x, -np.inf)
    largest = hidden.max(axis=axis, keepdims=True)
    e = np.exp(hidden - np.where(np.isfinite(largest), largest, 0))
    return e / (e.sum(axis=axis, keepdims=True) + 1e-9)


def wrong_window_mask__before_the_token(n, width):
    """The window ends before the token, which does not see itself"""
    i, j = np.ogrid[:n, :n]
    return (j < i) & (i - j <= width)


def wrong_window_mask__own_place_hidden(n, width):
    """A token does not see itself"""
    i, j = np.ogrid[:n, :n]
    return (j < i) & (i - j < width)


def wrong_layers_to_the_first__multiplied(n, width):
    """What is heard grows by a factor in each layer"""
    return math.ceil(math.log(n) / math.log(width))


def wrong_masked_softmax__below_the_smallest(x, mask, axis=-1):
    """look at the numbers that stand there"""
    return softmax(np.where(mask, x, x.min() - 1000), axis=axis) * mask


def wrong_layers_to_the_first__at_least_one(n, width):
    return max(1, round((n - 1) / (width - 1)))


def wrong_layers_to_the_first__inside_the_window(n, width):
    """Line 3"""
    return 0 if width > n else math.ceil((n - 1) / (width - 1))


def wrong_masked_softmax__without_the_maximum(x, mask, axis=-1):
    """subtract each row's maximum before exp"""
    e = np.exp(np.where(mask, x, -np.inf))
    total = e.sum(axis=axis, keepdims=True)
    return e / np.where(total == 0, 1, total)


def wrong_window_mask__blocks(n, width):
    """let the window slide"""
    i = np.arange(n)
    return (i[:, None] // width == i // width) & (i[:, None] >= i)


def wrong_padding_mask__last_tokens(lengths, n_keys):
    """its own keys are the first"""
    out = np.zeros((len(lengths), 1, n_keys), dtype=bool)
    for i, length in enumerate(lengths):
        out[i, 0, -length:] = True
    return out


def wrong_padding_mask__slice_of_the_queries(lengths, n_keys):
    """row[:, :n] = True"""
    mask = np.zeros((len(lengths), 1, n_keys), bool)
    for row, n in zip(mask, lengths, strict=True):
        row[:n] = True
    return mask


def wrong_causal_mask__another_name(n_queries, n_keys, o=0):
    """The exercise calls this parameter `offset`, not `o`"""
    return np.tri(n_queries, n_keys, o, dtype=bool)


def wrong_causal_mask__no_offset(n_queries, n_keys):
    """The exercise asks for a parameter `offset`"""
    return np.tri(n_queries, n_keys, dtype=bool)


def wrong_masked_softmax__scores_of_zero_hidden(x, mask, axis=-1):
    """a visible score may be 0: ask the mask, not the score"""
    s = x * mask
    return softmax(np.where(s == 0, -np.inf, s), axis=axis)


def wrong_masked_softmax__largest_number_added(x, mask, axis=-1):
    """put -inf in the place of hidden scores; do not add to them"""
    s = x + np.where(mask, 0, -1e300)
    e = np.exp(s - s.max(axis=axis, keepdims=True)) * mask
    z = e.sum(axis=axis, keepdims=True)
    return e / np.where(z == 0, 1, z)


def wrong_window_mask__future_seen(n, width):
    """Tokens see what comes after them: keep the causal mask"""
    m = np.zeros((n, n), dtype=bool)
    for i in range(n):
        for j in range(n):
            if i - j < width:
                m[i, j] = True
    return m
