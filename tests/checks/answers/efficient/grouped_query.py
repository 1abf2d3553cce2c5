"""Grouped-query attention, as readers write it."""
# ruff: noqa: E741 (lengths are called l, as in the formula)

import math

import numpy as np
import torch
from einops import einsum, rearrange

from mlnotes.attention.causal_mask import masked_softmax
from mlnotes.attention.self_attention import attention
from mlnotes.blocks.softmax import softmax


def right_multi_query_attention__own_axis(q, k, v, mask=None, bias=None, scale=None):
    return attention(q, k[..., None, :, :], v[..., None, :, :], mask, bias, scale)


def right_multi_query_attention__repeated(q, k, v, mask=None, bias=None, scale=None):
    h = q.shape[-3]
    k = np.stack([k] * h, axis=-3)
    v = np.stack([v] * h, axis=-3)
    return attention(q, k, v, mask=mask, bias=bias, scale=scale)


def right_multi_query_attention__one_head_at_a_time(q, k, v, mask=None, bias=None, scale=None):
    def head(x, i):
        return x[..., i, :, :] if x is not None and x.ndim > 2 else x

    h = q.shape[-3]
    return np.stack([attention(head(q, i), k, v, head(mask, i), head(bias, i), scale) for i in range(h)], axis=-3)


def right_multi_query_attention__torch(q, k, v, mask=None, bias=None, scale=None):
    scores = torch.einsum("...hld,...sd->...hls", torch.tensor(q), torch.tensor(k))
    scores = scores / math.sqrt(q.shape[-1]) if scale is None else scores * scale
    if bias is not None:
        scores = scores + torch.tensor(bias)
    if mask is not None:
        scores = scores.masked_fill(~torch.tensor(mask), -math.inf)
    return torch.einsum("...hls,...se->...hle", torch.softmax(scores, -1), torch.tensor(v)).numpy()


def wrong_multi_query_attention__axis_in_front(q, k, v, mask=None, bias=None, scale=None):
    """give keys and values an axis for their one head"""
    return attention(q, k[None], v[None], mask, bias, scale)


def wrong_multi_query_attention__axis_behind_the_tokens(q, k, v, mask=None, bias=None, scale=None):
    """Line 3"""
    return attention(q, k[..., :, None, :], v[..., :, None, :], mask, bias, scale)


def wrong_multi_query_attention__options_forgotten(q, k, v, mask=None, bias=None, scale=None):
    """`mask` and `bias` and `scale` make no difference"""
    return attention(q, k[..., None, :, :], v[..., None, :, :])


def wrong_multi_query_attention__scale_forgotten(q, k, v, mask=None, bias=None, scale=None):
    """`scale` makes no difference"""
    return attention(q, k[..., None, :, :], v[..., None, :, :], mask=mask, bias=bias)


def wrong_multi_query_attention__values_are_keys(q, k, v, mask=None, bias=None, scale=None):
    """`k` stands where `v` belongs"""
    return attention(q, k[..., None, :, :], k[..., None, :, :], mask, bias, scale)


def wrong_multi_query_attention__first_head_only(q, k, v, mask=None, bias=None, scale=None):
    """Line 3"""
    return attention(q[..., :1, :, :], k[..., None, :, :], v[..., None, :, :], mask, bias, scale)


def wrong_multi_query_attention__mask_and_bias_exchanged(q, k, v, mask=None, bias=None, scale=None):
    """Line 3"""
    return attention(q, k[..., None, :, :], v[..., None, :, :], bias, mask, scale)


def wrong_multi_query_attention__heads_as_queries(q, k, v, mask=None, bias=None, scale=None):
    """stack the mask as the queries are stacked"""
    h, l, d = q.shape[-3:]
    stack = q.reshape(*q.shape[:-3], h * l, d)
    if mask is not None:
        mask = np.repeat(mask, h, axis=-2)
    return attention(stack, k, v, mask, bias, scale).reshape(*q.shape[:-1], v.shape[-1])


def right_pool_heads__reshape(w, n_heads, n_groups):
    blocks = w.reshape(*w.shape[:-1], n_groups, n_heads // n_groups, -1)
    return blocks.mean(axis=-2).reshape(*w.shape[:-1], -1)


def right_pool_heads__slices(w, n_heads, n_groups):
    d, r = w.shape[-1] // n_heads, n_heads // n_groups
    heads = [w[..., i * d : (i + 1) * d] for i in range(n_heads)]
    return np.concatenate([sum(heads[j * r : (j + 1) * r]) / r for j in range(n_groups)], axis=-1)


def right_pool_heads__matrix(w, n_heads, n_groups):
    d, r = w.shape[-1] // n_heads, n_heads // n_groups
    return w @ np.kron(np.eye(n_groups), np.kron(np.ones((r, 1)) / r, np.eye(d)))


def right_pool_heads__split(w, n_heads, n_groups):
    groups = [np.split(part, n_heads // n_groups, axis=-1) for part in np.split(w, n_groups, axis=-1)]
    return np.concatenate([np.mean(it, axis=0) for it in groups], axis=-1)


def wrong_pool_heads__last_head_of_each_group(w, n_heads, n_groups):
    """All heads but the last of each group are lost"""
    blocks = w.reshape(*w.shape[:-1], n_groups, n_heads // n_groups, -1)
    return blocks[..., -1, :].reshape(*w.shape[:-1], -1)


def wrong_pool_heads__median(w, n_heads, n_groups):
    """With more than two heads in a group it is their median"""
    blocks = w.reshape(*w.shape[:-1], n_groups, n_heads // n_groups, -1)
    return np.median(blocks, axis=-2).reshape(*w.shape[:-1], -1)


def wrong_pool_heads__over_groups(w, n_heads, n_groups):
    """Line 4"""
    blocks = w.reshape(*w.shape[:-1], n_groups, n_heads // n_groups, -1)
    return blocks.mean(axis=-3).reshape(*w.shape[:-1], -1)


def wrong_pool_heads__not_joined(w, n_heads, n_groups):
    """The heads keep an axis of their own"""
    blocks = w.reshape(*w.shape[:-1], n_groups, n_heads // n_groups, -1)
    return blocks.mean(axis=-2)


def wrong_pool_heads__length_kept(w, n_heads, n_groups):
    """Line 5"""
    r = n_heads // n_groups
    blocks = w.reshape(*w.shape[:-1], n_groups, r, -1)
    return (blocks.sum(axis=-2) / np.sqrt(r)).reshape(*w.shape[:-1], -1)


def wrong_pool_heads__divided_by_groups(w, n_heads, n_groups):
    """divide by the heads of one group"""
    blocks = w.reshape(*w.shape[:-1], n_groups, n_heads // n_groups, -1)
    return (blocks.sum(axis=-2) / n_groups).reshape(*w.shape[:-1], -1)


def wrong_pool_heads__wide_slices(w, n_heads, n_groups):
    """As many heads are left as should share one"""
    d = w.shape[-1] // n_heads
    r = n_groups
    heads = [w[..., i * d : (i + 1) * d] for i in range(n_heads)]
    return np.concatenate([sum(heads[j : j + r]) / r for j in range(0, n_heads, r)], axis=-1)


def right_grouped_query_attention__stacked(q, k, v, mask=None, bias=None, scale=None):
    *lead, h, l, d = q.shape
    stack = (*lead, k.shape[-3], h // k.shape[-3] * l)
    scores = q.reshape(*stack, d) @ k.mT * (d**-0.5 if scale is None else scale)
    scores = scores.reshape(*lead, h, l, -1) + (0 if bias is None else bias)
    mask = np.ones((l, k.shape[-2]), bool) if mask is None else mask
    weights = masked_softmax(scores, mask)
    return (weights.reshape(*stack, -1) @ v).reshape(*lead, h, l, -1)


def right_grouped_query_attention__einsum(q, k, v, mask=None, bias=None, scale=None):
    q = rearrange(q, "... (g r) l d -> ... g r l d", g=k.shape[-3])
    scores = einsum(q, k, "... g r l d, ... g s d -> ... g r l s")
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    scores = scale * rearrange(scores, "... g r l s -> ... (g r) l s")
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = rearrange(softmax(scores), "... (g r) l s -> ... g r l s", g=k.shape[-3])
    return rearrange(einsum(weights, v, "... g r l s, ... g s e -> ... g r l e"), "... g r l e -> ... (g r) l e")


def right_grouped_query_attention__group_by_group(q, k, v, mask=None, bias=None, scale=None):
    h, g = q.shape[-3], k.shape[-3]
    out = []
    for i in range(h):
        j = i * g // h
        own = [x if x is None or x.ndim == 2 else x[..., i, :, :] for x in (mask, bias)]
        out.append(attention(q[..., i, :, :], k[..., j, :, :], v[..., j, :, :], *own, scale))
    return np.stack(out, axis=-3)


def right_grouped_query_attention__extra_axis(q, k, v, mask=None, bias=None, scale=None):
    *lead, h, l, d = q.shape
    g = k.shape[-3]
    split = [None if x is None else np.broadcast_to(x, (*lead, h, l, k.shape[-2])) for x in (mask, bias)]
    split = [None if x is None else x.reshape(*lead, g, h // g, l, -1) for x in split]
    q = q.reshape(*lead, g, h // g, l, d)
    return attention(q, k[..., None, :, :], v[..., None, :, :], *split, scale).reshape(*lead, h, l, -1)


def wrong_grouped_query_attention__stack_by_queries(q, k, v, mask=None, bias=None, scale=None):
    """The scores of one head are spread"""
    *lead, h, l, d = q.shape
    stacked = rearrange(q, "... (g r) l d -> ... g (l r) d", g=k.shape[-3])
    scores = stacked @ k.mT * (d**-0.5 if scale is None else scale)
    scores = scores.reshape(*lead, h, l, -1) + (0 if bias is None else bias)
    weights = softmax(scores) if mask is None else masked_softmax(scores, mask)
    return (weights.reshape(*lead, k.shape[-3], -1, k.shape[-2]) @ v).reshape(*lead, h, l, -1)


def wrong_grouped_query_attention__bias_before_scale(q, k, v, mask=None, bias=None, scale=None):
    """add the bias after scaling"""
    *lead, h, l, d = q.shape
    stack = (*lead, k.shape[-3], h // k.shape[-3] * l)
    scores = (q.reshape(*stack, d) @ k.mT).reshape(*lead, h, l, -1)
    scores = (scores + (0 if bias is None else bias)) * (d**-0.5 if scale is None else scale)
    weights = softmax(scores) if mask is None else masked_softmax(scores, mask)
    return (weights.reshape(*stack, -1) @ v).reshape(*lead, h, l, -1)


def wrong_grouped_query_attention__divided_by_the_scale(q, k, v, mask=None, bias=None, scale=None):
    """A larger scale makes rows flatter"""
    *lead, h, l, d = q.shape
    stack = (*lead, k.shape[-3], h // k.shape[-3] * l)
    scores = (q.reshape(*stack, d) @ k.mT).reshape(*lead, h, l, -1)
    scores = scores / (d**0.5 if scale is None else scale) + (0 if bias is None else bias)
    weights = softmax(scores) if mask is None else masked_softmax(scores, mask)
    return (weights.reshape(*stack, -1) @ v).reshape(*lead, h, l, -1)


def wrong_grouped_query_attention__width_of_the_values(q, k, v, mask=None, bias=None, scale=None):
    """Line 4"""
    h, g = q.shape[-3], k.shape[-3]
    scale = v.shape[-1] ** -0.5 if scale is None else scale
    k, v = np.repeat(k, h // g, axis=-3), np.repeat(v, h // g, axis=-3)
    return attention(q, k, v, mask, bias, scale)


def wrong_grouped_query_attention__tiled_keys_only(q, k, v, mask=None, bias=None, scale=None):
    """the keys of group i mod g"""
    r = q.shape[-3] // k.shape[-3]
    k = np.concatenate([k] * r, axis=-3)
    v = np.repeat(v, r, axis=-3)
    return attention(q, k, v, mask, bias, scale)


def wrong_grouped_query_attention__repeated_tokens(q, k, v, mask=None, bias=None, scale=None):
    """Line 4"""
    r = q.shape[-3] // k.shape[-3]
    k, v = np.repeat(k, r, axis=-3), np.repeat(v, r, axis=-2)
    return attention(q, k, v, mask, bias, scale)


def wrong_grouped_query_attention__zeros_for_hidden_scores(q, k, v, mask=None, bias=None, scale=None):
    """Line 9"""
    *lead, h, l, d = q.shape
    stack = (*lead, k.shape[-3], h // k.shape[-3] * l)
    scores = (q.reshape(*stack, d) @ k.mT * (d**-0.5 if scale is None else scale)).reshape(*lead, h, l, -1)
    if bias is not None:
        scores += bias
    if mask is not None:
        scores = np.where(mask, scores, 0)
    return (softmax(scores).reshape(*stack, -1) @ v).reshape(*lead, h, l, -1)


def wrong_grouped_query_attention__no_maximum(q, k, v, mask=None, bias=None, scale=None):
    """`e = np.exp(scores)`: exp of a large number is infinite in floats (NumPy: overflow in exp)"""
    *lead, h, l, d = q.shape
    stack = (*lead, k.shape[-3], h // k.shape[-3] * l)
    scores = (q.reshape(*stack, d) @ k.mT * (d**-0.5 if scale is None else scale)).reshape(*lead, h, l, -1)
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    e = np.exp(scores)
    return ((e / e.sum(axis=-1, keepdims=True)).reshape(*stack, -1) @ v).reshape(*lead, h, l, -1)


def wrong_grouped_query_attention__softmax_over_the_stack(q, k, v, mask=None, bias=None, scale=None):
    *lead, h, l, d = q.shape
    stack = (*lead, k.shape[-3], h // k.shape[-3] * l)
    scores = (q.reshape(*stack, d) @ k.mT * (d**-0.5 if scale is None else scale)).reshape(*lead, h, l, -1)
    scores = scores + (0 if bias is None else bias)
    scores = scores if mask is None else np.where(mask, scores, -1e9)
    weights = softmax(scores, axis=-2)
    return (weights.reshape(*stack, -1) @ v).reshape(*lead, h, l, -1)


def right_length_of_mean__root_of_a_sum(r):
    return np.sqrt(sum(1 / r**2 for _ in range(r)))


def right_length_of_mean__power(r):
    return r**-0.5


def right_length_of_mean__axes(r):
    return np.sqrt(np.sum((np.ones(r) / r) ** 2))


def wrong_length_of_mean__nothing_is_lost(r):
    """`r` makes no difference"""
    return 1.0


def wrong_length_of_mean__square_root_of_two(r):
    """Line 3"""
    return 1 / 2**0.5


def wrong_length_of_mean__square(r):
    """take the root"""
    return 1 / r


def wrong_length_of_mean__sum(r):
    """divide the sum by r"""
    return r**0.5


def wrong_length_of_mean__one_more(r):
    """Line 3"""
    return 1 / np.sqrt(r + 1)


def wrong_length_of_mean__logarithm(r):
    return 1 / (1 + np.log(r))


def right_heads_to_share__ceiling(adds_per_read, n_queries=1):
    return math.ceil(adds_per_read / n_queries)


def right_heads_to_share__floor_of_the_negative(adds_per_read, n_queries=1):
    return -(-adds_per_read // n_queries)


def right_heads_to_share__counted_up(adds_per_read, n_queries=1):
    r = 1
    while r * n_queries < adds_per_read:
        r += 1
    return r


def right_heads_to_share__numpy(adds_per_read, n_queries=1):
    return int(np.ceil(np.divide(adds_per_read, n_queries)))


def right_heads_to_share__remainder(adds_per_read, n_queries=1):
    whole, rest = divmod(adds_per_read, n_queries)
    return whole + (rest > 0)


def wrong_heads_to_share__queries_forgotten(adds_per_read, n_queries=1):
    """a number that is read serves all queries"""
    return adds_per_read


def wrong_heads_to_share__times_queries(adds_per_read, n_queries=1):
    """each query gives more to do: divide by them"""
    return adds_per_read * n_queries


def wrong_heads_to_share__whole_division(adds_per_read, n_queries=1):
    """heads are whole: round up"""
    return adds_per_read // n_queries


def wrong_heads_to_share__fraction(adds_per_read, n_queries=1):
    """heads are whole: round up"""
    return adds_per_read / n_queries


def wrong_heads_to_share__at_least_one(adds_per_read, n_queries=1):
    """it may still wait: round up"""
    return max(1, adds_per_read // n_queries)


def wrong_heads_to_share__nearest(adds_per_read, n_queries=1):
    """it may still wait: round up"""
    return max(1, round(adds_per_read / n_queries))


def wrong_heads_to_share__more_than_enough(adds_per_read, n_queries=1):
    """it stops waiting when computing takes as long as reading"""
    return adds_per_read // n_queries + 1


def wrong_heads_to_share__keys_and_values(adds_per_read, n_queries=1):
    """a key's number serves the score, a value's the average: one each"""
    return math.ceil(adds_per_read / (2 * n_queries))


def wrong_heads_to_share__of_two_numbers(adds_per_read, n_queries=1):
    """keys and values are read once each, and used alike"""
    return math.ceil(2 * adds_per_read / n_queries)


def wrong_heads_to_share__upside_down(adds_per_read, n_queries=1):
    """Line 3"""
    return math.ceil(n_queries / adds_per_read)


def right_pool_heads__column_by_column(w, n_heads, n_groups):
    d, r = w.shape[-1] // n_heads, n_heads // n_groups
    out = np.zeros((*w.shape[:-1], n_groups * d))
    for column in range(w.shape[-1]):
        head, j = divmod(column, d)
        out[..., head // r * d + j] += w[..., column] / r
    return out


def wrong_pool_heads__divided_by_all_heads(w, n_heads, n_groups):
    """Keys are too small where there is more than one group"""
    blocks = w.reshape(*w.shape[:-1], n_groups, n_heads // n_groups, -1)
    return (blocks.sum(axis=-2) / n_heads).reshape(*w.shape[:-1], -1)


def wrong_pool_heads__mean_repeated(w, n_heads, n_groups):
    blocks = w.reshape(*w.shape[:-1], n_groups, n_heads // n_groups, -1)
    return np.broadcast_to(blocks.mean(axis=-2, keepdims=True), blocks.shape).reshape(w.shape)


def right_grouped_query_attention__indexed(q, k, v, mask=None, bias=None, scale=None):
    which = np.arange(q.shape[-3]) * k.shape[-3] // q.shape[-3]
    return attention(q, np.take(k, which, axis=-3), v[..., which, :, :], mask, bias, scale)


def wrong_grouped_query_attention__scale_of_the_group(q, k, v, mask=None, bias=None, scale=None):
    """Line 4"""
    r = q.shape[-3] // k.shape[-3]
    scale = (r * q.shape[-1]) ** -0.5 if scale is None else scale
    return attention(q, np.repeat(k, r, axis=-3), np.repeat(v, r, axis=-3), mask, bias, scale)


def wrong_grouped_query_attention__averaged_over_groups(q, k, v, mask=None, bias=None, scale=None):
    k, v = (np.repeat(x.mean(axis=-3, keepdims=True), q.shape[-3], axis=-3) for x in (k, v))
    return attention(q, k, v, mask, bias, scale)


def right_multi_query_attention__queries_stacked(q, k, v, mask=None, bias=None, scale=None):
    *lead, h, l, d = q.shape
    stack = *lead, h * l, -1
    options = (x if x is None else np.broadcast_to(x, (*lead, h, l, k.shape[-2])).reshape(stack) for x in (mask, bias))
    return attention(q.reshape(*lead, h * l, d), k, v, *options, scale).reshape(*lead, h, l, -1)


def wrong_multi_query_attention__scale_by_heads(q, k, v, mask=None, bias=None, scale=None):
    """Line 3"""
    scale = q.shape[-3] ** -0.5 if scale is None else scale
    return attention(q, k[..., None, :, :], v[..., None, :, :], mask, bias, scale)


def wrong_grouped_query_attention__rows_repeated(q, k, v, mask=None, bias=None, scale=None):
    """stack them as the queries are stacked, head by head"""
    *lead, h, l, d = q.shape
    g, s = k.shape[-3:-1]
    r = h // g

    def stack(x):
        if x.ndim == 2:
            return np.repeat(x, r, axis=0)
        return np.broadcast_to(x, (*x.shape[:-3], h, l, s)).reshape(*x.shape[:-3], g, r * l, s)

    scores = (d**-0.5 if scale is None else scale) * q.reshape(*lead, g, r * l, d) @ k.mT
    scores = scores if bias is None else scores + stack(bias)
    scores = scores if mask is None else np.where(stack(mask), scores, -np.inf)
    top = scores.max(-1, keepdims=True)
    weights = np.exp(scores - np.where(np.isneginf(top), 0.0, top))
    total = weights.sum(-1, keepdims=True)
    return (weights / np.where(total == 0, 1.0, total) @ v).reshape(*lead, h, l, -1)


def wrong_grouped_query_attention__exponentials_overflow(q, k, v, mask=None, bias=None, scale=None):
    """Exponentials of scores of 1000 overflow"""
    r = q.shape[-3] // k.shape[-3]
    k, v = np.repeat(k, r, axis=-3), np.repeat(v, r, axis=-3)
    scores = (q.shape[-1] ** -0.5 if scale is None else scale) * q @ k.mT
    scores = scores if bias is None else scores + bias
    weights = np.exp(scores if mask is None else np.where(mask, scores, -np.inf))
    total = weights.sum(-1, keepdims=True)
    return weights / np.where(total == 0, 1.0, total) @ v


def wrong_grouped_query_attention__width(q, k, v, mask=None, bias=None, scale=None):
    """divide the scores by the root of a head's width, not by the width"""
    r = q.shape[-3] // k.shape[-3]
    k, v = np.repeat(k, r, axis=-3), np.repeat(v, r, axis=-3)
    return attention(q, k, v, mask, bias, 1 / q.shape[-1] if scale is None else scale)


def wrong_grouped_query_attention__decoder(q, k, v, mask=None, bias=None, scale=None):
    """`mask = np.tri(q.shape[-2], dtype=bool)`: it should not be there"""
    if mask is None and q.shape[-2] == k.shape[-2]:
        mask = np.tri(q.shape[-2], dtype=bool)
    r = q.shape[-3] // k.shape[-3]
    return attention(q, np.repeat(k, r, axis=-3), np.repeat(v, r, axis=-3), mask, bias, scale)


def wrong_grouped_query_attention__hidden_by_a_number(q, k, v, mask=None, bias=None, scale=None):
    """look at the numbers that stand there"""
    r = q.shape[-3] // k.shape[-3]
    scores = q @ np.repeat(k, r, axis=-3).mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    scores = scores if bias is None else scores + bias
    if mask is not None:
        scores = np.where(mask, scores, -1e3)
    return softmax(scores) @ np.repeat(v, r, axis=-3)


def wrong_multi_query_attention__decoder(q, k, v, mask=None, bias=None, scale=None):
    """`mask = np.tri(q.shape[-2], dtype=bool)`: it should not be there"""
    if mask is None and q.shape[-2] == k.shape[-2]:
        mask = np.tri(q.shape[-2], dtype=bool)
    return attention(q, k[..., None, :, :], v[..., None, :, :], mask, bias, scale)


def wrong_grouped_query_attention__always_several_sequences(q, k, v, mask=None, bias=None, scale=None):
    """is where it fails"""
    h, g = q.shape[-3], k.shape[-3]
    out = []
    for i in range(h):
        j = i * g // h
        own = [x if x is None or x.ndim == 2 else x[:, i] for x in (mask, bias)]
        out.append(attention(q[..., i, :, :], k[..., j, :, :], v[..., j, :, :], *own, scale))
    return np.stack(out, axis=-3)


def wrong_multi_query_attention__always_several_sequences(q, k, v, mask=None, bias=None, scale=None):
    """is where it fails"""
    out = []
    for i in range(q.shape[-3]):
        own = [x[:, i] if x is not None and x.ndim > 3 else x for x in (mask, bias)]
        out.append(attention(q[..., i, :, :], k, v, *own, scale))
    return np.stack(out, axis=-3)


def wrong_grouped_query_attention__rounded_to_the_nearest(q, k, v, mask=None, bias=None, scale=None):
    pick = np.linspace(0, k.shape[-3] - 1, q.shape[-3]).round().astype(int)  # right for three heads in each group
    return attention(q, k[..., pick, :, :], v[..., pick, :, :], mask, bias, scale)


def wrong_grouped_query_attention__divided_by_the_groups(q, k, v, mask=None, bias=None, scale=None):
    """h / g neighbouring heads share one: i // (h // g)"""
    h, g = q.shape[-3], k.shape[-3]
    out = []
    for i in range(h):
        j = i // g
        m = mask[..., i, :, :] if mask is not None and mask.ndim > 2 else mask
        b = bias[..., i, :, :] if bias is not None and bias.ndim > 2 else bias
        out.append(attention(q[..., i, :, :], k[..., j, :, :], v[..., j, :, :], m, b, scale))
    return np.stack(out, axis=-3)
