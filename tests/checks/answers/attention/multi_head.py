"""Multi-head attention and its layouts, as readers write them."""

import math

import numpy as np
import torch
from einops import rearrange
from slips import slip

from mlnotes.attention.multi_head import merge_heads, split_heads
from mlnotes.attention.self_attention import attention, attention_weights
from mlnotes.blocks.softmax import softmax


def right_split_heads__chapter(x, n_heads):
    cut = x.reshape(*x.shape[:-1], n_heads, -1)
    return np.swapaxes(cut, -2, -3)


def right_split_heads__einops(x, n_heads):
    return rearrange(x, "... l (h d) -> ... h l d", h=n_heads)


def right_split_heads__slices(x, n_heads):
    return np.stack(np.split(x, n_heads, axis=-1), axis=-3)


def right_split_heads__torch(x, n_heads):
    return torch.stack(torch.tensor(x).chunk(n_heads, dim=-1), dim=-3).numpy()


def right_split_heads__transposed_twice(x, n_heads):
    t = x.mT
    return t.reshape(*t.shape[:-2], n_heads, -1, t.shape[-1]).mT


def wrong_split_heads__width_first(x, n_heads):
    """There are as many heads as each should be wide"""
    cut = x.reshape(*x.shape[:-1], -1, n_heads)
    return np.swapaxes(cut, -2, -3)


def wrong_split_heads__stacked_in_front(x, n_heads):
    """With several sequences the heads stand before these"""
    return np.stack(np.split(x, n_heads, axis=-1))


def wrong_split_heads__list(x, n_heads):
    """With several sequences the heads stand before these"""
    d = x.shape[-1] // n_heads
    return [x[..., i * d : i * d + d] for i in range(n_heads)]


def wrong_split_heads__overlapping(x, n_heads):
    """The calls that fail come out right with `n_heads` = 1"""
    d = x.shape[-1] // n_heads
    return np.stack([x[..., i : i + d] for i in range(n_heads)], axis=-3)


def wrong_split_heads__last_two_swapped(x, n_heads):
    """Line 4"""
    cut = x.reshape(*x.shape[:-1], n_heads, -1)
    return np.swapaxes(cut, -1, -3)


def wrong_split_heads__transposed_whole(x, n_heads):
    cut = x.reshape(*x.shape[:-1], n_heads, -1)
    return cut.T


def wrong_split_heads__two_axes_only(x, n_heads):
    cut = x.reshape(len(x), n_heads, -1)
    return np.swapaxes(cut, 0, 1)


def wrong_split_heads__rows_split(x, n_heads):
    """Line 3"""
    return np.stack(np.array_split(x, n_heads, axis=-2), axis=-3)


def wrong_split_heads__stacked_behind(x, n_heads):
    """Attention would compare the heads of one token with each other"""
    return np.stack(np.split(x, n_heads, axis=-1), axis=-2)


def wrong_split_heads__reversed(x, n_heads):
    """Line 3"""
    return np.stack(np.split(x, n_heads, axis=-1)[::-1], axis=-3)


def right_merge_heads__reshape(x):
    return np.swapaxes(x, -2, -3).reshape(*x.shape[:-3], x.shape[-2], -1)


def right_merge_heads__concatenate(x):
    return np.concatenate([x[..., i, :, :] for i in range(x.shape[-3])], axis=-1)


def right_merge_heads__einops(x):
    return rearrange(x, "... h l d -> ... l (h d)")


def wrong_merge_heads__mean(x):
    return x.mean(axis=-3)


def wrong_merge_heads__rows_below(x):
    """Line 3"""
    return np.concatenate([x[..., i, :, :] for i in range(x.shape[-3])], axis=-2)


def wrong_merge_heads__other_swap(x):
    """Line 3"""
    return np.swapaxes(x, -1, -3).reshape(*x.shape[:-3], x.shape[-2], -1)


def wrong_merge_heads__last_first(x):
    """Line 3"""
    return np.concatenate([x[..., i, :, :] for i in reversed(range(x.shape[-3]))], axis=-1)


def wrong_merge_heads__not_joined(x):
    """The heads keep an axis of their own"""
    return np.swapaxes(x, -2, -3)


def wrong_merge_heads__first_axis(x):
    return np.concatenate(list(x), axis=-1)


def right_multi_head_attention__chapter(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None):
    pairs = (q, w_q), (k, w_k), (v, w_v)
    heads = [split_heads(x @ w, n_heads) for x, w in pairs]
    if mask is not None and mask.ndim == q.ndim > 2:
        mask = mask[..., None, :, :]
    return merge_heads(attention(*heads, mask)) @ w_o


def right_multi_head_attention__absorbed(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None):
    d, out = w_q.shape[1] // n_heads, 0
    for i in range(n_heads):
        mine = slice(i * d, (i + 1) * d)
        queries = q @ (w_q[:, mine] @ w_k[:, mine].T)
        weights = attention_weights(queries, k, mask, scale=d**-0.5)
        out = out + weights @ v @ (w_v[:, mine] @ w_o[mine])
    return out


def right_multi_head_attention__loop(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None):
    heads = zip(*(np.split(x @ w, n_heads, axis=-1) for x, w in ((q, w_q), (k, w_k), (v, w_v))), strict=True)
    return np.concatenate([attention(*head, mask) for head in heads], axis=-1) @ w_o


def right_multi_head_attention__einsum(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None):
    a, b, c = (rearrange(x @ w, "... l (h d) -> ... h l d", h=n_heads) for x, w in ((q, w_q), (k, w_k), (v, w_v)))
    scores = np.einsum("...hld,...hsd->...hls", a, b) / math.sqrt(a.shape[-1])
    if mask is not None:
        scores = np.where(mask[..., None, :, :], scores, -np.inf)
    out = np.einsum("...hls,...hse->...lhe", softmax(scores), c)
    return out.reshape(*out.shape[:-2], -1) @ w_o


def right_multi_head_attention__stacked(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None):
    w_q, w_k, w_v = (np.stack(np.split(w, n_heads, axis=1)) for w in (w_q, w_k, w_v))
    q, k, v = (x[..., None, :, :] for x in (q, k, v))
    if mask is not None and mask.ndim > 2:
        mask = mask[..., None, :, :]
    heads = attention(q @ w_q, k @ w_k, v @ w_v, mask)
    return (heads @ np.stack(np.split(w_o, n_heads))).sum(-3)


def right_multi_head_attention__block_diagonal(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None):
    d, out = w_q.shape[1] // n_heads, 0
    for i in range(n_heads):
        keep = (np.arange(w_q.shape[1]) // d == i).astype(float)
        a = attention_weights(q @ (w_q * keep), k @ w_k, mask, scale=1 / math.sqrt(d))
        out = out + a @ (v @ (w_v * keep))
    return out @ w_o


def right_multi_head_attention__absorbed_all_at_once(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None):
    d = w_q.shape[1] // n_heads
    m = np.einsum("nhd,mhd->hnm", w_q.reshape(len(w_q), n_heads, d), w_k.reshape(len(w_k), n_heads, d))
    o = np.einsum("nhd,hdm->hnm", w_v.reshape(len(w_v), n_heads, -1), w_o.reshape(n_heads, -1, w_o.shape[1]))
    asked = q[..., None, :, :] @ m
    if mask is not None and mask.ndim == q.ndim > 2:
        mask = mask[..., None, :, :]
    a = attention_weights(asked, k[..., None, :, :], mask, scale=d**-0.5)
    return (a @ v[..., None, :, :] @ o).sum(axis=-3)


def wrong_multi_head_attention__width_of_tokens(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None):
    """Rows are flatter than they should be, the more so the more heads"""
    a, b, c = (rearrange(x @ w, "... l (h d) -> ... h l d", h=n_heads) for x, w in ((q, w_q), (k, w_k), (v, w_v)))
    scores = a @ b.mT / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = np.where(mask[..., None, :, :], scores, -np.inf)
    return merge_heads(softmax(scores) @ c) @ w_o


def wrong_multi_head_attention__values_from_keys(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None):
    """`k` stands where `v` belongs"""
    heads = [split_heads(x @ w, n_heads) for x, w in ((q, w_q), (k, w_k), (k, w_v))]
    if mask is not None and mask.ndim == q.ndim > 2:
        mask = mask[..., None, :, :]
    return merge_heads(attention(*heads, mask)) @ w_o


def wrong_multi_head_attention__values_by_w_k(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None):
    """`w_k` stands where `w_v` belongs"""
    heads = [split_heads(x @ w, n_heads) for x, w in ((q, w_q), (k, w_k), (v, w_k))]
    if mask is not None and mask.ndim == q.ndim > 2:
        mask = mask[..., None, :, :]
    return merge_heads(attention(*heads, mask)) @ w_o


def wrong_multi_head_attention__mask_forgotten(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None):
    """`mask` makes no difference"""
    heads = [split_heads(x @ w, n_heads) for x, w in ((q, w_q), (k, w_k), (v, w_v))]
    return merge_heads(attention(*heads)) @ w_o


def wrong_multi_head_attention__mask_as_bias(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None):
    """Line 4"""
    heads = [split_heads(x @ w, n_heads) for x, w in ((q, w_q), (k, w_k), (v, w_v))]
    bias = None if mask is None else mask.astype(float)
    if bias is not None and bias.ndim > 2:
        bias = bias[..., None, :, :]
    return merge_heads(attention(*heads, bias=bias)) @ w_o


def wrong_multi_head_attention__mixed_before_joining(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None):
    """Line 6"""
    heads = [split_heads(x @ w, n_heads) for x, w in ((q, w_q), (k, w_k), (v, w_v))]
    if mask is not None and mask.ndim == q.ndim > 2:
        mask = mask[..., None, :, :]
    return merge_heads(attention(*heads, mask)) @ w_o.T


def wrong_multi_head_attention__heads_in_front(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None):
    """What one head found stays in its own columns"""
    heads = [np.stack(np.split(x @ w, n_heads, axis=-1)) for x, w in ((q, w_q), (k, w_k), (v, w_v))]
    mask = None if mask is None else np.broadcast_to(mask, (*heads[0].shape[:-1], k.shape[-2]))
    out = attention(*heads, mask)
    return np.concatenate(list(out), axis=-1)


def wrong_multi_head_attention__first_rows_of_w_o(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None):
    """All heads go through the first rows of w_o"""
    d, out = w_q.shape[1] // n_heads, 0
    for i in range(n_heads):
        mine = slice(i * d, (i + 1) * d)
        out = out + attention(q @ w_q[:, mine], k @ w_k[:, mine], v @ w_v[:, mine], mask) @ w_o[:d]
    return out


def wrong_multi_head_attention__only_the_last_head(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None):
    """Only what the last head found is left"""
    d = w_q.shape[1] // n_heads
    for i in range(n_heads):
        mine = slice(i * d, (i + 1) * d)
        out = attention(q @ w_q[:, mine], k @ w_k[:, mine], v @ w_v[:, mine], mask) @ w_o[mine]
    return out


def wrong_multi_head_attention__rows_of_the_projections(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None):
    d, out = w_q.shape[1] // n_heads, 0
    for i in range(n_heads):
        mine = slice(i * d, (i + 1) * d)
        out = out + attention(q @ w_q[mine].T, k @ w_k[mine].T, v @ w_v[mine].T, mask) @ w_o[mine]
    return out


def wrong_multi_head_attention__softmax_over_heads(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None):
    """Line 7"""
    a, b, c = (split_heads(x @ w, n_heads) for x, w in ((q, w_q), (k, w_k), (v, w_v)))
    scores = a @ b.mT / math.sqrt(a.shape[-1])
    if mask is not None:
        scores = np.where(mask[..., None, :, :], scores, -np.inf)
    return merge_heads(softmax(scores, axis=-3) @ c) @ w_o


def wrong_multi_head_attention__scaled_twice(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None):
    """divide the scores by the root of a head's width, not by the width"""
    a, b, c = (split_heads(x @ w, n_heads) for x, w in ((q, w_q), (k, w_k), (v, w_v)))
    if mask is not None and mask.ndim == q.ndim > 2:
        mask = mask[..., None, :, :]
    return merge_heads(attention(a / math.sqrt(a.shape[-1]), b, c, mask)) @ w_o


def wrong_multi_head_attention__averaged_weights(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None):
    """with `n_heads` = 1"""
    h = [split_heads(x @ w, n_heads) for x, w in ((q, w_q), (k, w_k))]
    if mask is not None and mask.ndim == q.ndim > 2:
        mask = mask[..., None, :, :]
    a = attention_weights(*h, mask).mean(axis=-3)
    return a @ (v @ w_v) @ w_o


def wrong_multi_head_attention__torch_layout(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None):
    """Line 3"""
    heads = [split_heads(x @ w.T, n_heads) for x, w in ((q, w_q), (k, w_k), (v, w_v))]
    if mask is not None and mask.ndim == q.ndim > 2:
        mask = mask[..., None, :, :]
    return merge_heads(attention(*heads, mask)) @ w_o


def wrong_multi_head_attention__divided_by_heads(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None):
    """Line 6"""
    heads = [split_heads(x @ w, n_heads) for x, w in ((q, w_q), (k, w_k), (v, w_v))]
    if mask is not None and mask.ndim == q.ndim > 2:
        mask = mask[..., None, :, :]
    return merge_heads(attention(*heads, mask, scale=n_heads**-0.5)) @ w_o


def wrong_multi_head_attention__always_causal(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None):
    """Line 4"""
    heads = [split_heads(x @ w, n_heads) for x, w in ((q, w_q), (k, w_k), (v, w_v))]
    causal = np.tri(q.shape[-2], k.shape[-2], dtype=bool)
    mask = causal if mask is None else mask & causal
    if mask.ndim == q.ndim > 2:
        mask = mask[..., None, :, :]
    return merge_heads(attention(*heads, mask)) @ w_o


def wrong_multi_head_attention__mask_of_the_first_sequence(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None):
    heads = [split_heads(x @ w, n_heads) for x, w in ((q, w_q), (k, w_k), (v, w_v))]
    if mask is not None and mask.ndim > 2:
        mask = mask[0]
    return merge_heads(attention(*heads, mask)) @ w_o


def wrong_multi_head_attention__absorbed_width_of_tokens(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None):
    """Rows are flatter than they should be"""
    d, out = w_q.shape[1] // n_heads, 0
    for i in range(n_heads):
        mine = slice(i * d, (i + 1) * d)
        a = attention_weights(q @ w_q[:, mine] @ w_k[:, mine].T, k, mask)
        out = out + a @ v @ w_v[:, mine] @ w_o[mine]
    return out


def wrong_multi_head_attention__absorbed_transposed(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None):
    """`w_q` and `w_k` are taken for each other"""
    d, out = w_q.shape[1] // n_heads, 0
    for i in range(n_heads):
        mine = slice(i * d, (i + 1) * d)
        a = attention_weights(q @ (w_k[:, mine] @ w_q[:, mine].T), k, mask, scale=d**-0.5)
        out = out + a @ v @ (w_v[:, mine] @ w_o[mine])
    return out


def wrong_multi_head_attention__absorbed_last_head(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None):
    """Only what the last head found is left"""
    d, out = w_q.shape[1] // n_heads, 0
    for i in range(n_heads):
        mine = slice(i * d, (i + 1) * d)
        a = attention_weights(q @ (w_q[:, mine] @ w_k[:, mine].T), k, mask, scale=d**-0.5)
        out = a @ v @ (w_v[:, mine] @ w_o[mine])
    return out


def right_fuse_projections__chapter(w_q, w_k, w_v, n_heads):
    n, width = w_q.shape
    parts = [w.reshape(n, n_heads, width // n_heads) for w in (w_q, w_k, w_v)]
    return np.concatenate(parts, axis=-1).reshape(n, 3 * width)


def right_fuse_projections__loop(w_q, w_k, w_v, n_heads):
    d = w_q.shape[1] // n_heads
    return np.hstack([w[:, i * d : (i + 1) * d] for i in range(n_heads) for w in (w_q, w_k, w_v)])


def right_fuse_projections__columns(w_q, w_k, w_v, n_heads):
    d, out = w_q.shape[1] // n_heads, np.empty((len(w_q), 3 * w_q.shape[1]))
    for c in range(w_q.shape[1]):
        i, j = divmod(c, d)
        for r, w in enumerate((w_q, w_k, w_v)):
            out[:, 3 * i * d + r * d + j] = w[:, c]
    return out


def right_fuse_projections__einops(w_q, w_k, w_v, n_heads):
    return rearrange(np.stack([w_q, w_k, w_v]), "r n (h d) -> n (h r d)", h=n_heads)


def right_fuse_projections__pieces_in_a_row(w_q, w_k, w_v, n_heads):
    n, width = w_q.shape
    parts = [w.reshape(n_heads, n, width // n_heads) for w in (w_q, w_k, w_v)]
    return np.concatenate(parts, axis=-1).reshape(n, 3 * width)


def right_fuse_projections__argsort(w_q, w_k, w_v, n_heads):
    c = np.arange(w_q.shape[1])
    d = len(c) // n_heads
    at = np.concatenate([c // d * 3 * d + r * d + c % d for r in range(3)])
    return np.hstack([w_q, w_k, w_v])[:, np.argsort(at)]


def wrong_fuse_projections__below_each_other(w_q, w_k, w_v, n_heads):
    """`n_heads` makes no difference"""
    return np.concatenate([w_q, w_k, w_v], axis=0)


def wrong_fuse_projections__torch_with_heads(w_q, w_k, w_v, n_heads):
    """The first third holds queries of all heads"""
    d = w_q.shape[1] // n_heads
    return np.hstack([w[:, i * d : (i + 1) * d] for w in (w_q, w_k, w_v) for i in range(n_heads)])


def wrong_fuse_projections__stacked(w_q, w_k, w_v, n_heads):
    """The first third holds queries of all heads"""
    n, width = w_q.shape
    parts = [w.reshape(n, n_heads, width // n_heads) for w in (w_q, w_k, w_v)]
    return np.stack(parts, axis=1).reshape(n, 3 * width)


def wrong_fuse_projections__keys_first(w_q, w_k, w_v, n_heads):
    """`w_q` and `w_k` are taken for each other"""
    d = w_q.shape[1] // n_heads
    return np.hstack([w[:, i * d : (i + 1) * d] for i in range(n_heads) for w in (w_k, w_q, w_v)])


def wrong_fuse_projections__width_for_heads(w_q, w_k, w_v, n_heads):
    """There are as many heads as each should be wide"""
    n, width = w_q.shape
    parts = [w.reshape(n, width // n_heads, n_heads) for w in (w_q, w_k, w_v)]
    return np.concatenate(parts, axis=-1).reshape(n, 3 * width)


def wrong_fuse_projections__short_slice(w_q, w_k, w_v, n_heads):
    """The calls that fail come out right with `n_heads` = 1"""
    d = w_q.shape[1] // n_heads
    return np.hstack([w[:, i : i + d] for i in range(n_heads) for w in (w_q, w_k, w_v)])


def wrong_fuse_projections__value_before_key(w_q, w_k, w_v, n_heads):
    """`w_k` and `w_v` are taken for each other"""
    blocks = zip(*(np.hsplit(w, n_heads) for w in (w_q, w_v, w_k)), strict=True)
    return np.hstack([b for three in blocks for b in three])


def right_column_of_key__divmod(c, d):
    i, j = divmod(c, d)
    return 3 * i * d + d + j


def right_column_of_key__shorter(c, d):
    return c + 2 * (c // d) * d + d


def right_column_of_key__loop(c, d):
    columns = [(i, r, j) for i in range(c // d + 1) for r in "qkv" for j in range(d)]
    return columns.index((c // d, "k", c % d))


def right_column_of_key__fused(c, d):
    i = c // d + 1
    return [(h, r, j) for h in range(i) for r in "qkv" for j in range(d)].index((i - 1, "k", c % d))


def wrong_column_of_key__head_forgotten(c, d):
    """Earlier heads are counted with one projection instead of three"""
    return d + c


def wrong_column_of_key__three_columns(c, d):
    """Queries, keys and values alternate column by column"""
    return 3 * c + 1


def wrong_column_of_key__two_per_head(c, d):
    """Line 4"""
    i, j = divmod(c, d)
    return 2 * i * d + d + j


def wrong_column_of_key__width_forgotten(c, d):
    """Line 4"""
    i, j = divmod(c, d)
    return 3 * i + d + j


def wrong_column_of_key__exchanged(c, d):
    """Line 4"""
    j, i = divmod(c, d)
    return 3 * i * d + d + j


def wrong_column_of_key__true_division(c, d):
    """Line 3"""
    return 3 * (c / d) * d + d + c % d


def wrong_column_of_key__counted_from_one(c, d):
    """too large by 1"""
    return c // d * 3 * d + d + c % d + 1


def right_absorbed_multiply_adds__terms(n, m, n_heads):
    return n_heads * (n * m * m + n * n * m + n * n * m + n * m * m)


def right_absorbed_multiply_adds__chapter(n, m, n_heads):
    return 2 * n_heads * n * m**2 + 2 * n_heads * n**2 * m


def right_absorbed_multiply_adds__loop(n, m, n_heads):
    shapes = [((n, m), (m, m)), ((n, m), (m, n)), ((n, n), (n, m)), ((n, m), (m, m))]
    return n_heads * sum(a * b * c for (a, b), (_, c) in shapes)


def wrong_absorbed_multiply_adds__products_too(n, m, n_heads):
    """Line 3"""
    return 2 * n_heads * n * m**2 + 2 * n_heads * n**2 * m + 2 * m**3


def wrong_absorbed_multiply_adds__one_projection(n, m, n_heads):
    """Line 3"""
    return n_heads * (n * m**2 + 2 * n**2 * m)


def wrong_absorbed_multiply_adds__operations(n, m, n_heads):
    """The result is twice the right one"""
    return 4 * n_heads * n * m**2 + 4 * n_heads * n**2 * m


def wrong_absorbed_multiply_adds__narrow_heads(n, m, n_heads):
    """The products with matrices are counted for one head"""
    return 2 * n_heads * n * m * (m // n_heads) + 2 * n_heads * n**2 * m


def wrong_absorbed_multiply_adds__squares_exchanged(n, m, n_heads):
    """Line 3"""
    return 2 * n_heads * n * m**2 + 2 * n_heads * n**2


def wrong_absorbed_multiply_adds__values_projected(n, m, n_heads):
    """Line 3"""
    return n_heads * (n * m**2 + 2 * n**2 * m) + 2 * n * m**2


def wrong_absorbed_multiply_adds__result_once(n, m, n_heads):
    """Line 3"""
    return n_heads * (n * m * m + 2 * n * n * m) + n * m * m


def wrong_absorbed_multiply_adds__scores_only(n, m, n_heads):
    """half of the right one"""
    return n_heads * (n * m * m + n * n * m)


def wrong_multi_head_attention__sequences_taken_for_heads(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None):
    """Where there are as many sequences as heads, a mask for each sequence is taken for one for each head"""
    if mask is not None and mask.ndim == 3 and mask.shape[0] != n_heads:
        mask = mask[:, None]
    heads = attention(split_heads(q @ w_q, n_heads), split_heads(k @ w_k, n_heads), split_heads(v @ w_v, n_heads), mask)
    return merge_heads(heads) @ w_o


def wrong_multi_head_attention__nothing_projected(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None):
    """w_q, w_k and w_v make no difference: the tokens themselves are cut"""
    if mask is not None and mask.ndim > 2:
        mask = mask[:, None]
    heads = attention(split_heads(q, n_heads), split_heads(k, n_heads), split_heads(v, n_heads), mask)
    return merge_heads(heads) @ w_o


def wrong_column_of_key__first_of_the_head(c, d):
    """All columns of a head go to the same place"""
    return 3 * d * (c // d) + d


def wrong_multi_head_attention__decoder(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None):
    """Line 3, `if mask is None and"""
    if mask is None and q.shape[-2] == k.shape[-2]:
        mask = np.tri(q.shape[-2], dtype=bool)
    if mask is not None and mask.ndim > 2:
        mask = mask[..., None, :, :]
    q, k, v = (split_heads(x @ w, n_heads) for x, w in ((q, w_q), (k, w_k), (v, w_v)))
    return merge_heads(attention(q, k, v, mask)) @ w_o


def wrong_multi_head_attention__width_of_the_second_axis(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None):
    """Line 3"""
    d, out = k.shape[1] // n_heads, 0
    for i in range(n_heads):
        mine = slice(i * d, (i + 1) * d)
        weights = attention_weights(q @ w_q[:, mine] @ w_k[:, mine].T, k, mask, scale=d**-0.5)
        out = out + weights @ v @ (w_v[:, mine] @ w_o[mine])
    return out


def wrong_split_heads__stacked_along_axis_1(x, n_heads):
    """Axes are counted from the front, which is right for one number of axes only"""
    return np.stack(np.split(x, n_heads, axis=-1), axis=1)


def wrong_split_heads__axes_1_and_2(x, n_heads):
    """Axes are counted from the front, which is right for one number of axes only"""
    return x.reshape(*x.shape[:-1], n_heads, -1).swapaxes(1, 2)


def wrong_split_heads__axes_0_and_1(x, n_heads):
    """Axes are counted from the front, which is right for one number of axes only"""
    *lead, length, width = x.shape
    return x.reshape(*lead, length, n_heads, width // n_heads).swapaxes(0, 1)


def wrong_split_heads__three_axes(x, n_heads):
    """Axes are counted from the front, which is right for one number of axes only"""
    batch, length, width = x.shape
    return x.reshape(batch, length, n_heads, width // n_heads).transpose(0, 2, 1, 3)


def wrong_split_heads__heads_and_columns_exchanged(x, n_heads):
    """The wrong two axes are exchanged, those of heads and columns"""
    return x.reshape(*x.shape[:-1], n_heads, -1).swapaxes(-1, -2)


def wrong_column_of_key__float(c, d):
    """their dtype is not: float64 where int64 is right"""
    return np.floor(c / d) * 3 * d + d + c % d


def _by_heads(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None):
    d = w_q.shape[1] // n_heads
    result = 0
    for h in range(n_heads):
        mine = slice(h * d, (h + 1) * d)
        together = w_q[:, mine] @ w_k[:, mine].T
        scores = q @ together @ np.swapaxes(k, -1, -2) / np.sqrt(d)
        if mask is not None:
            scores = np.where(mask, scores, -np.inf)
        result = result + softmax(scores) @ v @ (w_v[:, mine] @ w_o[mine])
    return result


right_multi_head_attention__products_of_matrices = _by_heads
wrong_multi_head_attention__products_divided_by_the_width = slip(
    _by_heads, "np.sqrt(d)", "d", "divide the scores by the root of a head's width, not by the width")
wrong_multi_head_attention__products_with_one_block_of_rows = slip(
    _by_heads, "w_o[mine]", "w_o[:d]", "All heads go through the first rows of w_o")


def wrong_multi_head_attention__values_one_column_on(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None):
    """head h has the columns from h * d to (h + 1) * d"""
    d = w_q.shape[1] // n_heads
    heads = []
    for h in range(n_heads):
        cols = slice(h * d, (h + 1) * d)
        heads.append(attention(q @ w_q[:, cols], k @ w_k[:, cols], v @ w_v[:, h : h + d], mask))
    return np.concatenate(heads, axis=-1) @ w_o


def wrong_multi_head_attention__side_by_side(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None):
    """add what the heads bring: each through its own rows of w_o"""
    parts = []
    for a, b, c, o in zip(*(np.hsplit(it, n_heads) for it in (w_q, w_k, w_v)), np.vsplit(w_o, n_heads), strict=True):
        parts.append(attention(q @ a, k @ b, v @ c, mask) @ o)
    return np.concatenate(parts, axis=-1)
