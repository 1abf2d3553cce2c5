"""Answers to the exercises on online softmax and attention in blocks, as readers write them."""

import bisect
import math

import numpy as np
import torch

from mlnotes.attention.causal_mask import causal_mask
from mlnotes.attention.self_attention import attention
from mlnotes.blocks.softmax import logsumexp, softmax
from mlnotes.efficient.flash import attention_and_lse, merge_attentions


def right_online_softmax__running(x, axis=-1, block_size=256):
    x = np.minimum(np.moveaxis(x, axis, -1), np.finfo(x.dtype).max)
    m, total = np.full_like(x[..., 0], -np.inf), 0.0
    for start in range(0, x.shape[-1], block_size):
        block = x[..., start : start + block_size]
        new = np.maximum(m, block.max(-1))
        safe = np.where(new == -np.inf, 0, new)
        total = np.exp(m - safe) * total + np.exp(block - safe[..., None]).sum(-1)
        m = new
    weights = np.exp(x - safe[..., None]) / np.where(total == 0, 1, total)[..., None]
    return np.moveaxis(weights, -1, axis)


def right_online_softmax__log_sum_exps_of_blocks(x, axis=-1, block_size=256):
    ends = range(block_size, x.shape[axis], block_size)
    parts = np.split(np.minimum(x, np.finfo(x.dtype).max), ends, axis=axis)
    lse = logsumexp(np.stack([logsumexp(it, axis) for it in parts], -1))
    lse = np.expand_dims(np.where(lse == -np.inf, 0, lse), axis)
    weights = np.concatenate([np.exp(it - lse) for it in parts], axis)
    total = weights.sum(axis, keepdims=True)  # 2 where two scores of infinity share
    return (weights / np.where(total == 0, 1, total)).astype(x.dtype)


def right_online_softmax__one_by_one(x, axis=-1, block_size=256):
    def of_row(row):
        m, total = -math.inf, 0.0
        for score in np.minimum(row, np.finfo(row.dtype).max):
            if score > m:
                m, total = score, total * math.exp(m - score)
            if score > -math.inf:
                total += math.exp(score - m)
        if total == 0:
            return np.zeros_like(row)
        return (np.exp(np.minimum(row, np.finfo(row.dtype).max) - m) / total).astype(row.dtype)

    return np.apply_along_axis(of_row, axis, x)


def wrong_online_softmax__factor_on_the_new_block(x, axis=-1, block_size=256):
    x = np.moveaxis(x, axis, -1)
    m, total = np.full_like(x[..., 0], -np.inf), 0.0
    for start in range(0, x.shape[-1], block_size):
        block = x[..., start : start + block_size]
        new = np.maximum(m, block.max(-1))
        safe = np.where(new == -np.inf, 0, new)
        total = total + np.exp(m - safe) * np.exp(block - safe[..., None]).sum(-1)
        m = new
    return np.moveaxis(np.exp(x - safe[..., None]) / np.where(total == 0, 1, total)[..., None], -1, axis)


def wrong_online_softmax__always_the_last_axis(x, axis=-1, block_size=256):
    """axis"""
    m, total = np.full_like(x[..., 0], -np.inf), 0.0
    for start in range(0, x.shape[-1], block_size):
        block = x[..., start : start + block_size]
        new = np.maximum(m, block.max(-1))
        safe = np.where(new == -np.inf, 0, new)
        total = np.exp(m - safe) * total + np.exp(block - safe[..., None]).sum(-1)
        m = new
    return np.exp(x - safe[..., None]) / np.where(total == 0, 1, total)[..., None]


def wrong_online_softmax__maximum_from_zero(x, axis=-1, block_size=256):
    """Scores far below 0 all get the weight 0"""
    x = np.moveaxis(x, axis, -1)
    m, total = np.zeros_like(x[..., 0]), 0.0
    for start in range(0, x.shape[-1], block_size):
        block = x[..., start : start + block_size]
        new = np.maximum(m, block.max(-1))
        total = np.exp(m - new) * total + np.exp(block - new[..., None]).sum(-1)
        m = new
    return np.moveaxis(np.exp(x - m[..., None]) / np.where(total == 0, 1, total)[..., None], -1, axis)


def wrong_online_softmax__last_block_sum_only(x, axis=-1, block_size=256):
    """Line 9"""
    x = np.moveaxis(x, axis, -1)
    m = np.full_like(x[..., 0], -np.inf)
    for start in range(0, x.shape[-1], block_size):
        block = x[..., start : start + block_size]
        m = np.maximum(m, block.max(-1))
        safe = np.where(m == -np.inf, 0, m)
        total = np.exp(block - safe[..., None]).sum(-1)
    return np.moveaxis(np.exp(x - safe[..., None]) / np.where(total == 0, 1, total)[..., None], -1, axis)


def wrong_online_softmax__minimum(x, axis=-1, block_size=256):
    """never positive"""
    x = np.moveaxis(x, axis, -1)
    m, total = np.full_like(x[..., 0], np.inf), 0.0
    for start in range(0, x.shape[-1], block_size):
        block = x[..., start : start + block_size]
        new = np.minimum(m, block.min(-1))
        total = np.exp(m - new) * total + np.exp(block - new[..., None]).sum(-1)
        m = new
    return np.moveaxis(np.exp(x - m[..., None]) / total[..., None], -1, axis)


def wrong_online_softmax__one_block_short(x, axis=-1, block_size=256):
    """let the last block be shorter"""
    x = np.moveaxis(x, axis, -1)
    m, total = np.full_like(x[..., 0], -np.inf), 0.0
    for i in range(max(1, x.shape[-1] // block_size)):
        block = x[..., i * block_size : (i + 1) * block_size]
        new = np.maximum(m, block.max(-1))
        safe = np.where(new == -np.inf, 0, new)
        total = np.exp(m - safe) * total + np.exp(block - safe[..., None]).sum(-1)
        m = new
    return np.moveaxis(np.exp(x - safe[..., None]) / np.where(total == 0, 1, total)[..., None], -1, axis)


def right_merge_attentions__softmax(outs, lses):
    return (softmax(lses, axis=0)[..., None] * outs).sum(0).astype(outs.dtype), logsumexp(lses, axis=0)


def right_merge_attentions__two_by_two(outs, lses):
    out, lse = outs[0], lses[0]
    for other, its in zip(outs[1:], lses[1:], strict=True):
        both = np.logaddexp(lse, its)
        safe = np.where(both == -np.inf, 0, both)
        out = np.exp(lse - safe)[..., None] * out + np.exp(its - safe)[..., None] * other
        lse = both
    return out.astype(outs.dtype), lse


def right_merge_attentions__einsum(outs, lses):
    return np.einsum("p...,p...e->...e", softmax(lses, 0), outs).astype(outs.dtype), logsumexp(lses, 0)


def wrong_merge_attentions__largest_part(outs, lses):
    """`lse` is right in every call, `out` is not."""
    best = lses.argmax(0)
    return np.take_along_axis(outs, best[None, ..., None], 0)[0], logsumexp(lses, axis=0)


def wrong_merge_attentions__sum_of_parts(outs, lses):
    """`lse` is right in every call, `out` is not."""
    return outs.sum(0), logsumexp(lses, axis=0)


def wrong_merge_attentions__exponentials_not_normalised(outs, lses):
    """Results of two sets are nearly added"""
    top = lses.max(0)
    weights = np.exp(lses - np.where(top == -np.inf, 0, top))
    return (weights[..., None] * outs).sum(0), logsumexp(lses, axis=0)


def wrong_merge_attentions__mean_of_lses(outs, lses):
    """`out` is right in every call, `lse` is not."""
    return (softmax(lses, axis=0)[..., None] * outs).sum(0), lses.mean(0)


def wrong_merge_attentions__plain_exponentials(outs, lses):
    """Exponentials of large log-sum-exps overflow"""
    sums = np.exp(lses)
    total = sums.sum(0)
    return (sums[..., None] * outs).sum(0) / np.where(total == 0, 1, total)[..., None], np.log(total)


def wrong_merge_attentions__first_two(outs, lses):
    return (softmax(lses[:2], axis=0)[..., None] * outs[:2]).sum(0), logsumexp(lses[:2], axis=0)


def _summed_to(x, shape):
    x = x.sum(tuple(range(x.ndim - len(shape))))
    return x.sum(tuple(i for i, n in enumerate(shape) if n < x.shape[i]), keepdims=True)


def _gradients(grad, out, lse, q, k, v, mask, bias, scale, offset, of_scores):
    c = q.shape[-1] ** -0.5 if scale is None else scale
    scores = c * q @ k.mT + (0 if bias is None else bias)
    seen = True if mask is None else mask
    if offset is not None:
        seen = seen & causal_mask(*scores.shape[-2:], offset)
    weights = np.exp(np.where(seen, scores - np.where(lse == -np.inf, 0, lse)[..., None], -np.inf))
    grad_scores = of_scores(weights, grad @ v.mT)
    grads = c * grad_scores @ k, c * grad_scores.mT @ q, weights.mT @ grad, grad_scores
    return tuple(
        _summed_to(g, x.shape).astype(x.dtype) for g, x in zip(grads, (q, k, v, bias), strict=True) if x is not None
    )


def right_flash_attention_gradients__at_once(
    grad, out, lse, q, k, v, mask=None, bias=None, scale=None, block_size=256, offset=None
):
    def of_scores(weights, by_weights):
        return weights * (by_weights - (grad * out).sum(-1, keepdims=True))

    return _gradients(grad, out, lse, q, k, v, mask, bias, scale, offset, of_scores)


def right_flash_attention_gradients__delta_from_the_weights(
    grad, out, lse, q, k, v, mask=None, bias=None, scale=None, block_size=256, offset=None
):
    def of_scores(weights, by_weights):
        return weights * by_weights - weights * (weights * by_weights).sum(-1, keepdims=True)

    return _gradients(grad, out, lse, q, k, v, mask, bias, scale, offset, of_scores)


def right_flash_attention_gradients__jacobian(
    grad, out, lse, q, k, v, mask=None, bias=None, scale=None, block_size=256, offset=None
):
    def of_scores(weights, by_weights):
        jacobian = weights[..., :, None] * (np.eye(weights.shape[-1]) - weights[..., None, :])
        return (by_weights[..., None, :] @ jacobian)[..., 0, :]

    return _gradients(grad, out, lse, q, k, v, mask, bias, scale, offset, of_scores)


def wrong_flash_attention_gradients__delta_added(
    grad, out, lse, q, k, v, mask=None, bias=None, scale=None, block_size=256, offset=None
):
    """look at the operators"""

    def of_scores(weights, by_weights):
        return weights * (by_weights + (grad * out).sum(-1, keepdims=True))

    return _gradients(grad, out, lse, q, k, v, mask, bias, scale, offset, of_scores)


def wrong_flash_attention_gradients__delta_over_queries(
    grad, out, lse, q, k, v, mask=None, bias=None, scale=None, block_size=256, offset=None
):
    """look at the numbers that stand there"""

    def of_scores(weights, by_weights):
        return weights * (by_weights - (weights * by_weights).sum(-2, keepdims=True))

    return _gradients(grad, out, lse, q, k, v, mask, bias, scale, offset, of_scores)


def wrong_flash_attention_gradients__sigmoid(
    grad, out, lse, q, k, v, mask=None, bias=None, scale=None, block_size=256, offset=None
):
    def of_scores(weights, by_weights):
        return weights * (1 - weights) * by_weights

    return _gradients(grad, out, lse, q, k, v, mask, bias, scale, offset, of_scores)


def wrong_flash_attention_gradients__delta_of_the_results(
    grad, out, lse, q, k, v, mask=None, bias=None, scale=None, block_size=256, offset=None
):
    """look at which variable stands where"""

    def of_scores(weights, by_weights):
        return weights * (by_weights - (out * out).sum(-1, keepdims=True))

    return _gradients(grad, out, lse, q, k, v, mask, bias, scale, offset, of_scores)


def wrong_flash_attention_gradients__delta_outside(
    grad, out, lse, q, k, v, mask=None, bias=None, scale=None, block_size=256, offset=None
):
    """delta is taken off before the weights are multiplied"""

    def of_scores(weights, by_weights):
        return weights * by_weights - (grad * out).sum(-1, keepdims=True)

    return _gradients(grad, out, lse, q, k, v, mask, bias, scale, offset, of_scores)


def wrong_flash_attention_gradients__scaled_twice(
    grad, out, lse, q, k, v, mask=None, bias=None, scale=None, block_size=256, offset=None
):
    """something stands there that is too much"""
    c = q.shape[-1] ** -0.5 if scale is None else scale

    def of_scores(weights, by_weights):
        return c * weights * (by_weights - (grad * out).sum(-1, keepdims=True))

    return _gradients(grad, out, lse, q, k, v, mask, bias, scale, offset, of_scores)


def right_largest_block_size__formula(fast_memory, d_head, d_value=None):
    h = d_head + (d_head if d_value is None else d_value) + 1
    return math.isqrt(fast_memory + h * h) - h


def right_largest_block_size__loop(fast_memory, d_head, d_value=None):
    e, size = d_head if d_value is None else d_value, 0
    while (size + 1) ** 2 + 2 * (size + 1) * (d_head + e + 1) <= fast_memory:
        size += 1
    return size


def right_largest_block_size__floor_of_a_root(fast_memory, d_head, d_value=None):
    h = d_head + (d_head if d_value is None else d_value) + 1
    return int(np.floor(np.sqrt(h**2 + fast_memory) - h))


def wrong_largest_block_size__sum_of_the_root(fast_memory, d_head, d_value=None):
    """look at the operators"""
    h = d_head + (d_head if d_value is None else d_value) + 1
    return math.isqrt(fast_memory + h * h) + h


def wrong_largest_block_size__root_of_the_memory(fast_memory, d_head, d_value=None):
    """Only the scores have room"""
    return math.isqrt(fast_memory)


def wrong_largest_block_size__three_blocks(fast_memory, d_head, d_value=None):
    """`d_head` makes no difference"""
    return math.isqrt(fast_memory // 3)


def wrong_largest_block_size__results_forgotten(fast_memory, d_head, d_value=None):
    """something stands there that is too much"""
    e = d_head if d_value is None else d_value
    h = d_head + e / 2 + 1
    return int(math.sqrt(h * h + fast_memory) - h)


def wrong_largest_block_size__quadratic_halved(fast_memory, d_head, d_value=None):
    """something stands there that is too much"""
    h = d_head + (d_head if d_value is None else d_value) + 1
    return (math.isqrt(fast_memory + h * h) - h) // 2


def wrong_largest_block_size__rounded_up(fast_memory, d_head, d_value=None):
    """look at which function is called"""
    h = d_head + (d_head if d_value is None else d_value) + 1
    return math.ceil(math.sqrt(fast_memory + h * h)) - h


def right_attention_traffic__formula(n_queries, n_keys, d_head, d_value=None, block_size=None):
    width = d_head + (d_head if d_value is None else d_value)
    if block_size is None:
        return (n_queries + n_keys) * width + 4 * n_queries * n_keys
    return (n_queries + math.ceil(n_queries / block_size) * n_keys) * width


def right_attention_traffic__loop(n_queries, n_keys, d_head, d_value=None, block_size=None):
    e = d_head if d_value is None else d_value
    if block_size is None:
        scores = n_queries * d_head + n_keys * d_head + n_queries * n_keys
        weights = 2 * n_queries * n_keys
        return scores + weights + n_queries * n_keys + n_keys * e + n_queries * e
    moved = 0
    for start in range(0, n_queries, block_size):
        moved += (min(block_size, n_queries - start) + n_keys) * (d_head + e)
    return moved


def right_attention_traffic__negative_division(n_queries, n_keys, d_head, d_value=None, block_size=None):
    width = d_head + (d_value or d_head)
    inputs = n_queries * width
    if not block_size:
        return inputs + n_keys * width + 4 * n_queries * n_keys
    return inputs - (-n_queries // block_size) * n_keys * width


def wrong_attention_traffic__values_as_wide_as_keys(n_queries, n_keys, d_head, d_value=None, block_size=None):
    """d_value"""
    width = 2 * d_head
    if block_size is None:
        return (n_queries + n_keys) * width + 4 * n_queries * n_keys
    return (n_queries + math.ceil(n_queries / block_size) * n_keys) * width


def wrong_attention_traffic__one_table(n_queries, n_keys, d_head, d_value=None, block_size=None):
    width = d_head + (d_head if d_value is None else d_value)
    if block_size is None:
        return (n_queries + n_keys) * width + n_queries * n_keys
    return (n_queries + math.ceil(n_queries / block_size) * n_keys) * width


def wrong_attention_traffic__fractions(n_queries, n_keys, d_head, d_value=None, block_size=None):
    """A last, shorter block of queries reads a part of the keys"""
    width = d_head + (d_head if d_value is None else d_value)
    if block_size is None:
        return (n_queries + n_keys) * width + 4 * n_queries * n_keys
    return (n_queries + n_queries / block_size * n_keys) * width


def wrong_attention_traffic__tables_in_blocks_too(n_queries, n_keys, d_head, d_value=None, block_size=None):
    """something stands there that is too much"""
    width = d_head + (d_head if d_value is None else d_value)
    if block_size is None:
        return (n_queries + n_keys) * width + 4 * n_queries * n_keys
    return (n_queries + math.ceil(n_queries / block_size) * n_keys) * width + n_queries * n_keys


def wrong_attention_traffic__queries_fetched_again(n_queries, n_keys, d_head, d_value=None, block_size=None):
    """`n_queries` and `n_keys` are taken for each other"""
    width = d_head + (d_head if d_value is None else d_value)
    if block_size is None:
        return (n_queries + n_keys) * width + 4 * n_queries * n_keys
    return (n_keys + math.ceil(n_keys / block_size) * n_queries) * width


def wrong_attention_traffic__bytes(n_queries, n_keys, d_head, d_value=None, block_size=None):
    """The result is four times the right one"""
    width = d_head + (d_head if d_value is None else d_value)
    if block_size is None:
        return 4 * ((n_queries + n_keys) * width + 4 * n_queries * n_keys)
    return 4 * (n_queries + math.ceil(n_queries / block_size) * n_keys) * width


def right_online_softmax__torch_at_once(x, axis=-1, block_size=256):
    p = torch.softmax(torch.tensor(np.clip(x, None, np.finfo(x.dtype).max)), dim=axis)
    return torch.nan_to_num(p).numpy()


def right_online_softmax__rows_in_python(x, axis=-1, block_size=256):
    def one(row):
        m, s = -math.inf, 0.0
        for start in range(0, len(row), block_size):
            part = row[start : start + block_size]
            top = max(m, max(part))
            if top == -math.inf:
                continue
            s = s * math.exp(m - top) + sum(math.exp(it - top) for it in part)
            m = top
        if m == -math.inf:
            return np.zeros(len(row))
        return np.array([math.exp(it - m) / s for it in row])

    return np.apply_along_axis(one, axis, x)


def right_online_softmax__taken_with_a_list(x, axis=-1, block_size=256):
    pieces = np.array_split(x, range(block_size, x.shape[axis], block_size), axis=axis)
    m = np.full_like(pieces[0].max(axis=axis, keepdims=True), -np.inf)
    total = np.zeros_like(m)
    for piece in pieces:
        new_m = np.maximum(m, piece.max(axis=axis, keepdims=True))
        shift = np.nan_to_num(new_m, neginf=0.0)
        total = total * np.exp(m - shift) + np.exp(piece - shift).sum(axis=axis, keepdims=True)
        m = new_m
    out = np.exp(x - np.nan_to_num(m, neginf=0.0))
    return np.divide(out, total, out=np.zeros_like(out), where=total > 0)


def wrong_online_softmax__factor_upside_down(x, axis=-1, block_size=256):
    """Line 9"""
    x = np.moveaxis(x, axis, -1)
    m, total = np.full(x.shape[:-1], -np.inf), np.zeros(x.shape[:-1])
    for start in range(0, x.shape[-1], block_size):
        block = x[..., start : start + block_size]
        new = np.maximum(m, block.max(-1))
        safe = np.where(np.isinf(new), 0, new)
        total = total * np.where(np.isinf(m), 0, np.exp(safe - m)) + np.exp(block - safe[..., None]).sum(-1)
        m = new
    weights = np.exp(x - safe[..., None]) / np.where(total == 0, 1, total)[..., None]
    return np.moveaxis(weights, -1, axis)


def wrong_online_softmax__maximum_updated_first(x, axis=-1, block_size=256):
    """Right in one block; else rows sum to less than one wherever a larger score comes later"""
    x = np.moveaxis(x, axis, -1)
    m, total = np.full(x.shape[:-1], -np.inf), np.zeros(x.shape[:-1])
    for start in range(0, x.shape[-1], block_size):
        block = x[..., start : start + block_size]
        m = np.maximum(m, block.max(-1))
        safe = np.where(m == -np.inf, 0, m)
        total = total * np.exp(safe - safe) + np.exp(block - safe[..., None]).sum(-1)
    weights = np.exp(x - safe[..., None]) / np.where(total == 0, 1, total)[..., None]
    return np.moveaxis(weights, -1, axis)


def wrong_online_softmax__nan_in_hidden_rows(x, axis=-1, block_size=256):
    """A row of −inf, or one whose first block is nothing but −inf, gives nan"""
    x = np.moveaxis(x, axis, -1)
    m, total = np.full(x.shape[:-1], -np.inf), np.zeros(x.shape[:-1])
    for start in range(0, x.shape[-1], block_size):
        block = x[..., start : start + block_size]
        new = np.maximum(m, block.max(-1))
        total = total * np.exp(m - new) + np.exp(block - new[..., None]).sum(-1)
        m = new
    return np.moveaxis(np.exp(x - m[..., None]) / total[..., None], -1, axis)


def wrong_online_softmax__axis_stays_last(x, axis=-1, block_size=256):
    """The axes of the result stand in another order"""
    x = np.moveaxis(x, axis, -1)
    m, total = np.full(x.shape[:-1], -np.inf), np.zeros(x.shape[:-1])
    for start in range(0, x.shape[-1], block_size):
        block = x[..., start : start + block_size]
        new = np.maximum(m, block.max(-1))
        safe = np.where(new == -np.inf, 0, new)
        total = total * np.exp(m - safe) + np.exp(block - safe[..., None]).sum(-1)
        m = new
    return np.exp(x - safe[..., None]) / np.where(total == 0, 1, total)[..., None]


def wrong_online_softmax__epsilon(x, axis=-1, block_size=256):
    """Line 11"""
    x = np.moveaxis(x, axis, -1)
    m, total = np.full(x.shape[:-1], -np.inf), np.zeros(x.shape[:-1])
    for start in range(0, x.shape[-1], block_size):
        block = x[..., start : start + block_size]
        new = np.maximum(m, block.max(-1))
        safe = np.where(new == -np.inf, 0, new)
        total = total * np.exp(m - safe) + np.exp(block - safe[..., None]).sum(-1)
        m = new
    weights = np.exp(x - safe[..., None]) / (total[..., None] + 1e-6)
    return np.moveaxis(weights, -1, axis)


def wrong_online_softmax__one_maximum_for_all_rows(x, axis=-1, block_size=256):
    """Rows that lie far below the largest of all scores vanish"""
    x = np.moveaxis(x, axis, -1)
    m, total = -np.inf, np.zeros(x.shape[:-1])
    for start in range(0, x.shape[-1], block_size):
        block = x[..., start : start + block_size]
        new = max(m, block.max())
        safe = 0 if new == -np.inf else new
        total = total * np.exp(m - safe) + np.exp(block - safe).sum(-1)
        m = new
    weights = np.exp(x - safe) / np.where(total == 0, 1, total)[..., None]
    return np.moveaxis(weights, -1, axis)


def wrong_online_softmax__old_exponentials_kept(x, axis=-1, block_size=256):
    """Weights of the first blocks are too large"""
    x = np.moveaxis(x, axis, -1)
    m, total, parts = np.full(x.shape[:-1], -np.inf), np.zeros(x.shape[:-1]), []
    for start in range(0, x.shape[-1], block_size):
        block = x[..., start : start + block_size]
        new = np.maximum(m, block.max(-1))
        safe = np.where(new == -np.inf, 0, new)
        e = np.exp(block - safe[..., None])
        total = total * np.exp(m - safe) + e.sum(-1)
        parts.append(e)
        m = new
    weights = np.concatenate(parts, axis=-1) / np.where(total == 0, 1, total)[..., None]
    return np.moveaxis(weights, -1, axis)


def wrong_online_softmax__in_place(x, axis=-1, block_size=256):
    """The result is right, but `x` has changed after the call"""
    y = np.moveaxis(x, axis, -1)
    m, total = np.full(y.shape[:-1], -np.inf), np.zeros(y.shape[:-1])
    for start in range(0, y.shape[-1], block_size):
        block = y[..., start : start + block_size]
        new = np.maximum(m, block.max(-1))
        safe = np.where(new == -np.inf, 0, new)
        total = total * np.exp(m - safe) + np.exp(block - safe[..., None]).sum(-1)
        m = new
    y -= safe[..., None]
    return np.moveaxis(np.exp(y) / np.where(total == 0, 1, total)[..., None], -1, axis)


def wrong_online_softmax__returns_three(x, axis=-1, block_size=256):
    """It returns more than is asked for"""
    x = np.moveaxis(x, axis, -1)
    m, total = np.full(x.shape[:-1], -np.inf), np.zeros(x.shape[:-1])
    for start in range(0, x.shape[-1], block_size):
        block = x[..., start : start + block_size]
        new = np.maximum(m, block.max(-1))
        safe = np.where(new == -np.inf, 0, new)
        total = total * np.exp(m - safe) + np.exp(block - safe[..., None]).sum(-1)
        m = new
    weights = np.exp(x - safe[..., None]) / np.where(total == 0, 1, total)[..., None]
    return np.moveaxis(weights, -1, axis), m, total


def right_merge_attentions__logaddexp(outs, lses):
    lse = np.logaddexp.reduce(lses, axis=0)
    shift = np.where(np.isneginf(lse), 0, lse)
    return np.einsum("p...l,p...le->...le", np.exp(lses - shift), outs), lse


def right_merge_attentions__row_by_row(outs, lses):
    out, lse = np.zeros(outs.shape[1:]), np.full(lses.shape[1:], -np.inf)
    for at in np.ndindex(*lse.shape):
        some = lses[(slice(None), *at)]
        top = some.max()
        if top == -np.inf:
            continue
        w = np.exp(some - top)
        out[at] = w @ outs[(slice(None), *at)] / w.sum()
        lse[at] = top + math.log(w.sum())
    return out, lse


def right_merge_attentions__torch(outs, lses):
    o, x = torch.tensor(outs), torch.tensor(lses)
    w = torch.nan_to_num(torch.softmax(x, dim=0))
    return (w.unsqueeze(-1) * o).sum(0).numpy(), torch.logsumexp(x, 0).numpy()


def right_merge_attentions__list_of_two(outs, lses):
    top = np.max(lses, axis=0)
    top = np.where(top == -np.inf, 0, top)
    e = np.exp(lses - top)
    s = np.sum(e, axis=0)
    out = np.sum(e[..., None] * outs, axis=0) / np.where(s > 0, s, 1)[..., None]
    with np.errstate(divide="ignore"):
        return [out, np.log(s) + top]


def wrong_merge_attentions__softmax_over_queries(outs, lses):
    """The weights of the parts do not sum to one"""
    w = softmax(lses, axis=-1)
    return (w[..., None] * outs).sum(0), logsumexp(lses, axis=0)


def wrong_merge_attentions__largest_lse(outs, lses):
    """The log-sum-exp is that of the largest part"""
    w = softmax(lses, axis=0)
    return (w[..., None] * outs).sum(0), lses.max(axis=0)


def wrong_merge_attentions__nan_where_nothing_is_seen(outs, lses):
    """A query that sees nothing of any part gives nan"""
    top = lses.max(axis=0)
    e = np.exp(lses - top)
    s = e.sum(0)
    return (e[..., None] * outs).sum(0) / s[..., None], top + np.log(s)


def wrong_merge_attentions__only_the_result(outs, lses):
    """lacks `lse`"""
    return (softmax(lses, axis=0)[..., None] * outs).sum(0)


def wrong_merge_attentions__swapped(outs, lses):
    """The parts are right, but in another order"""
    w = softmax(lses, axis=0)
    return logsumexp(lses, axis=0), (w[..., None] * outs).sum(0)


def wrong_merge_attentions__lse_of_weights(outs, lses):
    """Line 4"""
    w = softmax(lses, axis=0)
    return (w[..., None] * outs).sum(0), np.log(np.exp(w).sum(0))


def wrong_merge_attentions__axis_kept(outs, lses):
    """Line 4"""
    w = softmax(lses, axis=0)
    return (w[..., None] * outs).sum(0), logsumexp(lses, axis=0, keepdims=True)


def wrong_merge_attentions__zero_for_minus_infinity(outs, lses):
    """Line 3"""
    lses = np.where(np.isinf(lses), 0, lses)
    w = softmax(lses, axis=0)
    return (w[..., None] * outs).sum(0), logsumexp(lses, axis=0)


def wrong_merge_attentions__running_lse_not_updated(outs, lses):
    """`lse` is right in every call, `out` is not."""
    out, lse = outs[0], lses[0]
    for o, x in zip(outs[1:], lses[1:], strict=True):
        w = softmax(np.stack([lse, x]), axis=0)[..., None]
        out = w[0] * out + w[1] * o
    return out, logsumexp(lses, axis=0)


def wrong_merge_attentions__weights_without_exp(outs, lses):
    """Parts are weighed with logarithms"""
    w = lses / lses.sum(axis=0)
    return (w[..., None] * outs).sum(0), logsumexp(lses, axis=0)


def wrong_merge_attentions__axis_of_width_forgotten(outs, lses):
    """Line 3"""
    w = softmax(lses, axis=0)
    return (w * outs).sum(0), logsumexp(lses, axis=0)


def right_flash_attention_gradients__autograd(
    grad, out, lse, q, k, v, mask=None, bias=None, scale=None, block_size=256, offset=None
):
    given = [None if it is None else torch.tensor(np.array(it), requires_grad=True) for it in (q, k, v, bias)]
    tq, tk, tv, tb = given
    c = q.shape[-1] ** -0.5 if scale is None else scale
    x = c * tq @ tk.mT
    if tb is not None:
        x = x + tb
    if mask is not None:
        x = torch.where(torch.tensor(mask), x, -math.inf)
    safe = torch.tensor(np.where(np.isinf(lse), 0, lse))[..., None]
    w = torch.exp(x - safe)
    w = w / (w.sum(-1, keepdim=True) + (w.sum(-1, keepdim=True) == 0))
    grads = torch.autograd.grad(w @ tv, [it for it in given if it is not None], torch.tensor(np.array(grad)))
    return [it.numpy() for it in grads]


def right_flash_attention_gradients__einsum(
    grad, out, lse, q, k, v, mask=None, bias=None, scale=None, block_size=256, offset=None
):
    c = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    s = c * np.einsum("...id,...jd->...ij", q, k)
    if bias is not None:
        s = s + bias
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    a = np.exp(s - np.nan_to_num(lse, neginf=0.0)[..., None])
    dv = np.einsum("...ij,...ie->...je", a, grad)
    da = np.einsum("...ie,...je->...ij", grad, v)
    ds = a * (da - np.einsum("...ie,...ie->...i", grad, out)[..., None])
    dq, dk = c * np.einsum("...ij,...jd->...id", ds, k), c * np.einsum("...ij,...id->...jd", ds, q)
    if bias is None:
        return dq, dk, dv
    return dq, dk, dv, ds.sum(axis=tuple(range(ds.ndim - bias.ndim)))


def _like(bias, g):
    """Sum the gradient of scores over the axes that a bias has not."""
    return g.sum(tuple(range(g.ndim - bias.ndim)))


def right_flash_attention_gradients__hardly_broadcasting(
    grad, out, lse, q, k, v, mask=None, bias=None, scale=None, block_size=256, offset=None
):
    c = q.shape[-1] ** -0.5 if scale is None else scale
    x = c * (q @ k.swapaxes(-1, -2))
    if bias is not None:
        x = x + bias
    a = np.exp(x - np.where(lse == -np.inf, 0, lse)[..., None])
    if mask is not None:
        a = np.where(mask, a, 0)
    d = (grad * out).sum(-1)
    g = a * (grad @ v.swapaxes(-1, -2) - d[..., None])
    grads = [c * g @ k, c * g.swapaxes(-1, -2) @ q, a.swapaxes(-1, -2) @ grad]
    return grads if bias is None else [*grads, _like(bias, g)]


def wrong_flash_attention_gradients__mask_ignored(
    grad, out, lse, q, k, v, mask=None, bias=None, scale=None, block_size=256, offset=None
):
    """Hidden keys get weight again"""
    c = q.shape[-1] ** -0.5 if scale is None else scale
    x = c * q @ k.mT + (0 if bias is None else bias)
    a = np.exp(x - np.where(lse == -np.inf, 0, lse)[..., None])
    g = a * (grad @ v.mT - (grad * out).sum(-1, keepdims=True))
    grads = c * g @ k, c * g.mT @ q, a.mT @ grad
    return grads if bias is None else (*grads, _like(bias, g))


def wrong_flash_attention_gradients__keys_unscaled(
    grad, out, lse, q, k, v, mask=None, bias=None, scale=None, block_size=256, offset=None
):
    """The gradient of the keys is too large by 1/scale, by sqrt(d) unless one is given"""
    c = q.shape[-1] ** -0.5 if scale is None else scale
    x = c * q @ k.mT + (0 if bias is None else bias)
    x = x if mask is None else np.where(mask, x, -np.inf)
    a = np.exp(x - np.where(lse == -np.inf, 0, lse)[..., None])
    g = a * (grad @ v.mT - (grad * out).sum(-1, keepdims=True))
    grads = c * g @ k, g.mT @ q, a.mT @ grad
    return grads if bias is None else (*grads, _like(bias, g))


def wrong_flash_attention_gradients__values_from_out(
    grad, out, lse, q, k, v, mask=None, bias=None, scale=None, block_size=256, offset=None
):
    """Line 10"""
    c = q.shape[-1] ** -0.5 if scale is None else scale
    x = c * q @ k.mT + (0 if bias is None else bias)
    x = x if mask is None else np.where(mask, x, -np.inf)
    a = np.exp(x - np.where(lse == -np.inf, 0, lse)[..., None])
    g = a * (grad @ v.mT - (grad * out).sum(-1, keepdims=True))
    grads = c * g @ k, c * g.mT @ q, a.mT @ out
    return grads if bias is None else (*grads, _like(bias, g))


def wrong_flash_attention_gradients__bias_scaled(
    grad, out, lse, q, k, v, mask=None, bias=None, scale=None, block_size=256, offset=None
):
    """The gradient of the bias is multiplied by the scale"""
    c = q.shape[-1] ** -0.5 if scale is None else scale
    x = c * q @ k.mT + (0 if bias is None else bias)
    x = x if mask is None else np.where(mask, x, -np.inf)
    a = np.exp(x - np.where(lse == -np.inf, 0, lse)[..., None])
    g = c * a * (grad @ v.mT - (grad * out).sum(-1, keepdims=True))
    grads = g @ k, g.mT @ q, a.mT @ grad
    return grads if bias is None else (*grads, _like(bias, g))


def wrong_flash_attention_gradients__nan_where_nothing_is_seen(
    grad, out, lse, q, k, v, mask=None, bias=None, scale=None, block_size=256, offset=None
):
    """A query that sees nothing makes nan of the gradients"""
    c = q.shape[-1] ** -0.5 if scale is None else scale
    x = c * q @ k.mT + (0 if bias is None else bias)
    x = x if mask is None else np.where(mask, x, -np.inf)
    a = np.exp(x - lse[..., None])
    g = a * (grad @ v.mT - (grad * out).sum(-1, keepdims=True))
    grads = c * g @ k, c * g.mT @ q, a.mT @ grad
    return grads if bias is None else (*grads, _like(bias, g))


def wrong_flash_attention_gradients__bias_not_recomputed(
    grad, out, lse, q, k, v, mask=None, bias=None, scale=None, block_size=256, offset=None
):
    """With a bias, recomputed weights are not those of the way there"""
    c = q.shape[-1] ** -0.5 if scale is None else scale
    x = c * q @ k.mT
    x = x if mask is None else np.where(mask, x, -np.inf)
    a = np.exp(x - np.where(lse == -np.inf, 0, lse)[..., None])
    g = a * (grad @ v.mT - (grad * out).sum(-1, keepdims=True))
    grads = c * g @ k, c * g.mT @ q, a.mT @ grad
    return grads if bias is None else (*grads, _like(bias, g))


def wrong_flash_attention_gradients__always_four(
    grad, out, lse, q, k, v, mask=None, bias=None, scale=None, block_size=256, offset=None
):
    """It returns more than is asked for"""
    c = q.shape[-1] ** -0.5 if scale is None else scale
    x = c * q @ k.mT + (0 if bias is None else bias)
    x = x if mask is None else np.where(mask, x, -np.inf)
    a = np.exp(x - np.where(lse == -np.inf, 0, lse)[..., None])
    g = a * (grad @ v.mT - (grad * out).sum(-1, keepdims=True))
    return c * g @ k, c * g.mT @ q, a.mT @ grad, g if bias is None else _like(bias, g)


def wrong_flash_attention_gradients__no_delta(
    grad, out, lse, q, k, v, mask=None, bias=None, scale=None, block_size=256, offset=None
):
    """The gradients of queries and keys are wrong, that of the values right"""
    c = q.shape[-1] ** -0.5 if scale is None else scale
    x = c * q @ k.mT + (0 if bias is None else bias)
    x = x if mask is None else np.where(mask, x, -np.inf)
    a = np.exp(x - np.where(lse == -np.inf, 0, lse)[..., None])
    g = a * (grad @ v.mT)
    grads = c * g @ k, c * g.mT @ q, a.mT @ grad
    return grads if bias is None else (*grads, _like(bias, g))


def wrong_flash_attention_gradients__divided_by_lse(
    grad, out, lse, q, k, v, mask=None, bias=None, scale=None, block_size=256, offset=None
):
    c = q.shape[-1] ** -0.5 if scale is None else scale
    x = c * q @ k.mT + (0 if bias is None else bias)
    x = x if mask is None else np.where(mask, x, -np.inf)
    a = np.exp(x) / np.where(lse == -np.inf, 1, lse)[..., None]
    g = a * (grad @ v.mT - (grad * out).sum(-1, keepdims=True))
    grads = c * g @ k, c * g.mT @ q, a.mT @ grad
    return grads if bias is None else (*grads, _like(bias, g))


def wrong_flash_attention_gradients__whole_blocks_only(
    grad, out, lse, q, k, v, mask=None, bias=None, scale=None, block_size=256, offset=None
):
    """Line 13"""
    c = q.shape[-1] ** -0.5 if scale is None else scale
    x = c * q @ k.mT + (0 if bias is None else bias)
    x = x if mask is None else np.where(mask, x, -np.inf)
    lse = np.where(lse == -np.inf, 0, lse)
    delta = (grad * out).sum(-1, keepdims=True)
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    db = np.zeros_like(x)
    size = min(block_size, k.shape[-2])
    for j in range(0, k.shape[-2] - size + 1, size):
        at = slice(j, j + size)
        a = np.exp(x[..., at] - lse[..., None])
        g = a * (grad @ v[..., at, :].mT - delta)
        dq += c * g @ k[..., at, :]
        dk[..., at, :] = c * g.mT @ q
        dv[..., at, :] = a.mT @ grad
        db[..., at] = g
    return (dq, dk, dv) if bias is None else (dq, dk, dv, _like(bias, db))


def wrong_flash_attention_gradients__queries_overwritten(
    grad, out, lse, q, k, v, mask=None, bias=None, scale=None, block_size=256, offset=None
):
    """Queries get the gradient of the last block of keys only"""
    c = q.shape[-1] ** -0.5 if scale is None else scale
    x = c * q @ k.mT + (0 if bias is None else bias)
    x = x if mask is None else np.where(mask, x, -np.inf)
    lse = np.where(lse == -np.inf, 0, lse)
    delta = (grad * out).sum(-1, keepdims=True)
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    db = np.zeros_like(x)
    for j in range(0, k.shape[-2], block_size):
        at = slice(j, j + block_size)
        a = np.exp(x[..., at] - lse[..., None])
        g = a * (grad @ v[..., at, :].mT - delta)
        dq = c * g @ k[..., at, :]
        dk[..., at, :] = c * g.mT @ q
        dv[..., at, :] = a.mT @ grad
        db[..., at] = g
    return (dq, dk, dv) if bias is None else (dq, dk, dv, _like(bias, db))


def right_largest_block_size__counted(fast_memory, d_head, d_value=None):
    e = d_head if d_value is None else d_value
    size = 0
    while (size + 1) ** 2 + 2 * (size + 1) * (d_head + e + 1) <= fast_memory:
        size += 1
    return size


def right_largest_block_size__bisected(fast_memory, d_head, d_value=None):
    if d_value is None:
        d_value = d_head

    def need(b):
        return b * b + 2 * b * (d_head + d_value + 1)

    return bisect.bisect_right(range(fast_memory + 1), fast_memory, key=need) - 1


def right_largest_block_size__roots(fast_memory, d_head, d_value=None):
    e = d_head if d_value is None else d_value
    size = int(max(np.roots([1, 2 * (d_head + e + 1), -fast_memory]).real) + 1e-9)
    return size


def wrong_largest_block_size__h_added(fast_memory, d_head, d_value=None):
    """Line 4"""
    h = d_head + (d_head if d_value is None else d_value) + 1
    return math.isqrt(fast_memory + h * h) + h


def wrong_largest_block_size__statistics_forgotten(fast_memory, d_head, d_value=None):
    """Blocks are a little too large"""
    h = d_head + (d_head if d_value is None else d_value)
    return math.isqrt(fast_memory + h * h) - h


def wrong_largest_block_size__not_whole(fast_memory, d_head, d_value=None):
    """Line 4"""
    h = d_head + (d_head if d_value is None else d_value) + 1
    return math.sqrt(fast_memory + h * h) - h


def wrong_largest_block_size__scores_forgotten(fast_memory, d_head, d_value=None):
    """The block of scores does not fit"""
    e = d_head if d_value is None else d_value
    return fast_memory // (2 * (d_head + e + 1))


def wrong_largest_block_size__no_value_is_zero(fast_memory, d_head, d_value=None):
    """Line 3"""
    h = d_head + (0 if d_value is None else d_value) + 1
    return math.isqrt(fast_memory + h * h) - h


def wrong_largest_block_size__half_the_linear_term(fast_memory, d_head, d_value=None):
    """Line 3"""
    b = d_head + (d_head if d_value is None else d_value) + 1
    return int((math.sqrt(b * b + 4 * fast_memory) - b) / 2)


def wrong_largest_block_size__rounded(fast_memory, d_head, d_value=None):
    """Sometimes the block is one too large"""
    h = d_head + (d_head if d_value is None else d_value) + 1
    return round(math.sqrt(fast_memory + h * h) - h)


def wrong_largest_block_size__strictly_less(fast_memory, d_head, d_value=None):
    """Line 5"""
    e = d_head if d_value is None else d_value
    size = 0
    while (size + 1) ** 2 + 2 * (size + 1) * (d_head + e + 1) < fast_memory:
        size += 1
    return size


def wrong_largest_block_size__one_width(fast_memory, d_head, d_value=None):
    """`d_value` makes no difference"""
    h = 2 * d_head + 1
    return math.isqrt(fast_memory + h * h) - h


def wrong_largest_block_size__not_squared(fast_memory, d_head, d_value=None):
    """Line 4"""
    h = d_head + (d_head if d_value is None else d_value) + 1
    return math.isqrt(fast_memory + h) - h


def right_attention_traffic__simulated(n_queries, n_keys, d_head, d_value=None, block_size=None):
    e = d_head if d_value is None else d_value
    moved = n_queries * d_head + n_queries * e
    if block_size is None:
        moved += n_keys * d_head + n_keys * e
        for _ in ("scores written", "scores read", "weights written", "weights read"):
            moved += n_queries * n_keys
        return moved
    for _ in range(0, n_queries, block_size):
        for j in range(0, n_keys, block_size):
            moved += (min(j + block_size, n_keys) - j) * (d_head + e)
    return moved


def right_attention_traffic__numpy(n_queries, n_keys, d_head, d_value=None, block_size=None):
    d_value = d_value or d_head
    visits = 1 if block_size is None else np.ceil(n_queries / block_size)
    tables = 4 * n_queries * n_keys if block_size is None else 0
    return (n_queries + visits * n_keys) * (d_head + d_value) + tables


def right_attention_traffic__steps(n_queries, n_keys, d_head, d_value=None, block_size=None):
    e = d_value if d_value is not None else d_head
    if not block_size:
        write_scores = n_queries * d_head + n_keys * d_head + n_queries * n_keys
        weigh = 2 * n_queries * n_keys
        average = n_queries * n_keys + n_keys * e + n_queries * e
        return write_scores + weigh + average
    blocks = (n_queries + block_size - 1) // block_size
    return n_queries * d_head + blocks * n_keys * d_head + blocks * n_keys * e + n_queries * e


def wrong_attention_traffic__whole_blocks(n_queries, n_keys, d_head, d_value=None, block_size=None):
    """A last, shorter block is forgotten"""
    width = d_head + (d_head if d_value is None else d_value)
    if block_size is None:
        return (n_queries + n_keys) * width + 4 * n_queries * n_keys
    return (n_queries + n_queries // block_size * n_keys) * width


def wrong_attention_traffic__blocks_of_keys(n_queries, n_keys, d_head, d_value=None, block_size=None):
    """Keys are read once for each block of keys"""
    width = d_head + (d_head if d_value is None else d_value)
    if block_size is None:
        return (n_queries + n_keys) * width + 4 * n_queries * n_keys
    return (n_queries + math.ceil(n_keys / block_size) * n_keys) * width


def wrong_attention_traffic__results_forgotten(n_queries, n_keys, d_head, d_value=None, block_size=None):
    """Line 5"""
    e = d_head if d_value is None else d_value
    if block_size is None:
        return n_queries * d_head + n_keys * (d_head + e) + 4 * n_queries * n_keys
    return n_queries * d_head + math.ceil(n_queries / block_size) * n_keys * (d_head + e)


def wrong_attention_traffic__tables_only_written(n_queries, n_keys, d_head, d_value=None, block_size=None):
    """Scores and weights are written and never read"""
    width = d_head + (d_head if d_value is None else d_value)
    if block_size is None:
        return (n_queries + n_keys) * width + 2 * n_queries * n_keys
    return (n_queries + -(-n_queries // block_size) * n_keys) * width


def wrong_attention_traffic__queries_padded(n_queries, n_keys, d_head, d_value=None, block_size=None):
    """The calls that fail come out right with `block_size` left out"""
    width = d_head + (d_head if d_value is None else d_value)
    if block_size is None:
        return (n_queries + n_keys) * width + 4 * n_queries * n_keys
    blocks = math.ceil(n_queries / block_size)
    return (blocks * block_size + blocks * n_keys) * width


def wrong_attention_traffic__always_tables(n_queries, n_keys, d_head, d_value=None, block_size=None):
    """`block_size` makes no difference"""
    width = d_head + (d_head if d_value is None else d_value)
    return (n_queries + n_keys) * width + 4 * n_queries * n_keys


def wrong_attention_traffic__keys_once(n_queries, n_keys, d_head, d_value=None, block_size=None):
    """The size of the blocks changes nothing"""
    width = d_head + (d_head if d_value is None else d_value)
    total = (n_queries + n_keys) * width
    if block_size is None:
        total += 4 * n_queries * n_keys
    return total


def wrong_attention_traffic__tables_times_width(n_queries, n_keys, d_head, d_value=None, block_size=None):
    width = d_head + (d_head if d_value is None else d_value)
    if block_size is None:
        return (n_queries + n_keys) * width + n_queries * n_keys * width
    return (n_queries + math.ceil(n_queries / block_size) * n_keys) * width


def wrong_attention_traffic__bracket(n_queries, n_keys, d_head, d_value=None, block_size=None):
    """Line 6"""
    width = d_head + (d_head if d_value is None else d_value)
    if block_size is None:
        return (n_queries + n_keys) * width + 4 * n_queries * n_keys
    return n_queries + math.ceil(n_queries / block_size) * n_keys * width


def wrong_online_softmax__block_with_its_own_maximum(x, axis=-1, block_size=256):
    """a block below the maximum counts too much"""
    x = np.moveaxis(x, axis, -1)
    m, total = np.full_like(x[..., :1], -np.inf), 0.0
    for i in range(0, x.shape[-1], block_size):
        block = x[..., i : i + block_size]
        own = np.maximum(block.max(-1, keepdims=True), -1e300)
        new = np.maximum(m, own)
        total = total * np.exp(m - new) + np.exp(block - own).sum(-1, keepdims=True)
        m = new
    return np.moveaxis(np.exp(x - m) / np.where(total == 0, 1, total), -1, axis)


def wrong_merge_attentions__weighted_lse(outs, lses):
    """The log-sum-exp is averaged as the results are"""
    w = softmax(lses, axis=0)
    return (w[..., None] * outs).sum(0).astype(outs.dtype), (w * np.where(np.isneginf(lses), 0, lses)).sum(0)


def _recomputed(lse, q, k, mask, bias, scale):
    """The weights from the log-sum-exps, for the gradients below."""
    x = (q.shape[-1] ** -0.5 if scale is None else scale) * q @ k.mT
    x = x if bias is None else x + bias
    x = x if mask is None else np.where(mask, x, -np.inf)
    return np.exp(x - np.where(np.isinf(lse), 0.0, lse)[..., None])


def wrong_flash_attention_gradients__bias_of_each_sequence(
    grad, out, lse, q, k, v, mask=None, bias=None, scale=None, block_size=256, offset=None
):
    """A bias that all sequences share gets a gradient for each of them"""
    c = q.shape[-1] ** -0.5 if scale is None else scale
    a = _recomputed(lse, q, k, mask, bias, scale)
    dx = a * (grad @ v.mT - (grad * out).sum(-1, keepdims=True))
    grads = c * dx @ k, c * dx.mT @ q, a.mT @ grad
    return grads if bias is None else (*grads, dx)


def wrong_flash_attention_gradients__empty_rows(
    grad, out, lse, q, k, v, mask=None, bias=None, scale=None, block_size=256, offset=None
):
    """A query that sees nothing makes nan of the gradients"""
    c = q.shape[-1] ** -0.5 if scale is None else scale
    x = c * q @ k.mT
    x = x if bias is None else x + bias
    x = x if mask is None else np.where(mask, x, -np.inf)
    a = np.exp(x - lse[..., None])
    dx = a * (grad @ v.mT - (grad * out).sum(-1, keepdims=True))
    grads = c * dx @ k, c * dx.mT @ q, a.mT @ grad
    return grads if bias is None else (*grads, dx.sum(tuple(range(dx.ndim - bias.ndim))))


def wrong_merge_attentions__no_maximum(outs, lses):
    """Exponentials of large log-sum-exps overflow"""
    e = np.exp(lses)
    total = e.sum(axis=0)
    out = (e[..., None] * outs).sum(axis=0) / np.where(total == 0, 1, total)[..., None]
    return out, np.log(total)


def wrong_merge_attentions__nothing_seen(outs, lses):
    """A query that sees nothing of any part gives nan"""
    top = lses.max(axis=0)
    e = np.exp(lses - top)
    total = e.sum(axis=0)
    return (e[..., None] * outs).sum(axis=0) / total[..., None], top + np.log(total)


def wrong_online_softmax__from_infinity(x, axis=-1, block_size=256):
    """Every weight is nan: begin with the maximum −∞"""
    x = np.moveaxis(x, axis, -1)
    m, total = np.full((*x.shape[:-1], 1), np.inf), 0.0
    for i in range(0, x.shape[-1], block_size):
        block = x[..., i : i + block_size]
        new = np.maximum(m, block.max(-1, keepdims=True))
        total = np.exp(m - new) * total + np.exp(block - new).sum(-1, keepdims=True)
        m = new
    return np.moveaxis(np.exp(x - m) / total, -1, axis)


def wrong_online_softmax__new_sum_rescaled(x, axis=-1, block_size=256):
    """Exponentials of the new block shrink, too"""
    x = np.moveaxis(x, axis, -1)
    m, total = np.full((*x.shape[:-1], 1), -np.inf), 0.0
    for i in range(0, x.shape[-1], block_size):
        block = x[..., i : i + block_size]
        new = np.maximum(m, block.max(-1, keepdims=True))
        safe = np.where(np.isneginf(new), 0.0, new)
        factor = np.exp(m - safe) if i else 1.0
        total = factor * (total + np.exp(block - safe).sum(-1, keepdims=True))
        m = new
    safe = np.where(np.isneginf(m), 0.0, m)
    return np.moveaxis(np.exp(x - safe) / np.where(total == 0, 1.0, total), -1, axis)


def _in_blocks(q, k, v, mask, bias, scale, size, hidden=-np.inf, divide_late=True):
    """Attend to the keys in blocks, for the answers below: to results and log-sum-exps, as readers write them."""
    m, total = np.full((*q.shape[:-1], 1), -np.inf), np.zeros((*q.shape[:-1], 1))
    out = np.zeros((*q.shape[:-1], v.shape[-1]))
    x = q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale) + (0 if bias is None else bias)
    x = x if mask is None else np.where(mask, x, hidden)
    for i in range(0, k.shape[-2], size):
        block = x[..., i : i + size]
        new = np.maximum(m, block.max(-1, keepdims=True))
        safe = np.where(np.isneginf(new), 0.0, new)
        factor, e = np.exp(m - safe), np.exp(block - safe)
        total = factor * total + e.sum(-1, keepdims=True)
        out, m = factor * out + e @ v[..., i : i + size, :], new
        out = out if divide_late else out / np.where(total == 0, 1, total)
    out = out / np.where(total == 0, 1, total) if divide_late else out
    return out, (m + np.log(np.where(total == 0, 1, total)))[..., 0]


def right_flash_attention__in_one(q, k, v, mask=None, bias=None, scale=None, block_size=256):
    return attention(q, k, v, mask, bias, scale)


def right_flash_attention__running(q, k, v, mask=None, bias=None, scale=None, block_size=256):
    wide = [it.astype(np.float64) for it in (q, k, v)]
    return _in_blocks(*wide, mask, bias, scale, block_size)[0].astype(q.dtype)


def right_flash_attention__merged(q, k, v, mask=None, bias=None, scale=None, block_size=256):
    table = (q.shape[-2], k.shape[-2])
    mask, bias = (None if it is None else it + np.zeros(table, it.dtype) for it in (mask, bias))
    parts = []
    for i in range(0, k.shape[-2], block_size):
        at = slice(i, i + block_size)
        cut = (None if it is None else it[..., at] for it in (mask, bias))
        parts.append(attention_and_lse(q, k[..., at, :], v[..., at, :], *cut, scale))
    return merge_attentions(*(np.stack(it) for it in zip(*parts, strict=True)))[0]


def wrong_flash_attention__scale_forgotten(q, k, v, mask=None, bias=None, scale=None, block_size=256):
    """Rows are sharper than they should be"""
    return attention(q, k, v, mask, bias, 1.0 if scale is None else scale)


def wrong_flash_attention__bias_forgotten(q, k, v, mask=None, bias=None, scale=None, block_size=256):
    """`bias` makes no difference"""
    return attention(q, k, v, mask, None, scale)


def wrong_flash_attention__scale_on_top(q, k, v, mask=None, bias=None, scale=None, block_size=256):
    """A scale that is given acts sqrt(d) times too weakly"""
    return attention(q, k, v, mask, bias, (1.0 if scale is None else scale) / math.sqrt(q.shape[-1]))


def wrong_flash_attention__divided_in_every_block(q, k, v, mask=None, bias=None, scale=None, block_size=256):
    """Right in one block; else the first blocks are divided again and again"""
    return _in_blocks(q, k, v, mask, bias, scale, block_size, divide_late=False)[0].astype(q.dtype)


def wrong_flash_attention__mask_inverted(q, k, v, mask=None, bias=None, scale=None, block_size=256):
    """Each query sees what it should not, and nothing else"""
    return _in_blocks(q, k, v, None if mask is None else ~mask, bias, scale, block_size)[0].astype(q.dtype)


def wrong_flash_attention__hidden_scores_of_0(q, k, v, mask=None, bias=None, scale=None, block_size=256):
    """Keys that are hidden get weight, as if their score were 0"""
    return _in_blocks(q, k, v, mask, bias, scale, block_size, hidden=0.0)[0].astype(q.dtype)


def _causal(q, k, offset):
    return causal_mask(q.shape[-2], k.shape[-2], offset)


def right_causal_flash_attention__in_one(q, k, v, offset=0, scale=None, block_size=256):
    return attention(q, k, v, _causal(q, k, offset), scale=scale)


def right_causal_flash_attention__running(q, k, v, offset=0, scale=None, block_size=256):
    return _in_blocks(q, k, v, _causal(q, k, offset), None, scale, block_size)[0]


def right_causal_flash_attention__query_by_query(q, k, v, offset=0, scale=None, block_size=256):
    ends = (i + offset + 1 for i in range(q.shape[-2]))
    rows = (attention(q[..., i : i + 1, :], k[..., :n, :], v[..., :n, :], scale=scale) for i, n in enumerate(ends))
    return np.concatenate(list(rows), -2)


def wrong_causal_flash_attention__offset_forgotten(q, k, v, offset=0, scale=None, block_size=256):
    """With an offset, queries do not see the last keys that they may"""
    return attention(q, k, v, _causal(q, k, 0), scale=scale)


def wrong_causal_flash_attention__not_causal(q, k, v, offset=0, scale=None, block_size=256):
    return attention(q, k, v, scale=scale)


def wrong_causal_flash_attention__scale_forgotten(q, k, v, offset=0, scale=None, block_size=256):
    """Rows are sharper than they should be"""
    return attention(q, k, v, _causal(q, k, offset), scale=1.0 if scale is None else scale)


def wrong_causal_flash_attention__whole_blocks(q, k, v, offset=0, scale=None, block_size=256):
    """Keys of the same block are seen before their time"""
    i, j = np.ogrid[: q.shape[-2], : k.shape[-2]]
    last = np.minimum(i - i % block_size + block_size, q.shape[-2]) - 1 + offset
    return attention(q, k, v, j - j % block_size <= last, scale=scale)


def wrong_causal_flash_attention__itself_hidden(q, k, v, offset=0, scale=None, block_size=256):
    """No query sees its own key"""
    mask = np.tri(q.shape[-2], k.shape[-2], offset - 1, bool)
    return _in_blocks(q, k, v, mask, None, scale, block_size)[0]


def wrong_causal_flash_attention__triangle_in_every_block(q, k, v, offset=0, scale=None, block_size=256):
    """Right in one block; else blocks below the diagonal are cut, too"""
    mask = np.zeros((q.shape[-2], k.shape[-2]), bool)
    for i in range(0, len(mask), block_size):
        for j in range(0, min(len(mask[0]), i + block_size + offset), block_size):
            block = mask[i : i + block_size, j : j + block_size]
            block[:] = np.tri(*block.shape, offset, bool)
    return _in_blocks(q, k, v, mask, None, scale, block_size)[0]


def wrong_online_softmax__nothing_is_0_from_then_on(x, axis=-1, block_size=256):
    """look at which variable stands where"""
    x = np.moveaxis(x, axis, -1)
    m, total = np.full_like(x[..., 0], -np.inf), 0.0
    for start in range(0, x.shape[-1], block_size):
        block = x[..., start : start + block_size]
        new = np.maximum(m, block.max(-1))
        new = np.where(new == -np.inf, 0, new)
        total = np.exp(m - new) * total + np.exp(block - new[..., None]).sum(-1)
        m = new
    return np.moveaxis(np.exp(x - m[..., None]) / np.where(total == 0, 1, total)[..., None], -1, axis)


def wrong_merge_attentions__nothing_in_the_first_part(outs, lses):
    """Line 6"""
    out, lse = outs[0], lses[0]
    for other, its in zip(outs[1:], lses[1:], strict=True):
        both = np.logaddexp(lse, its)
        safe = np.where(lse == -np.inf, 0, both)
        out = np.exp(lse - safe)[..., None] * out + np.exp(its - safe)[..., None] * other
        lse = both
    return out, lse


def wrong_online_softmax__maximum_from_minus_ten_thousand(x, axis=-1, block_size=256):
    y = np.moveaxis(x, axis, -1)
    m, total = np.full((*y.shape[:-1], 1), -1e4), 0.0
    for start in range(0, y.shape[-1], block_size):
        block = y[..., start : start + block_size]
        new = np.maximum(m, block.max(-1, keepdims=True))
        total = total * np.exp(m - new) + np.exp(block - new).sum(-1, keepdims=True)
        m = new
    return np.moveaxis(np.exp(y - m) / np.where(total == 0, 1, total), -1, axis)


def wrong_merge_attentions__minus_infinity_as_a_number(outs, lses):
    """Line 3"""
    weights = softmax(np.nan_to_num(lses, neginf=-1000.0), axis=0)
    whole = np.logaddexp.reduce(lses, axis=0)
    out = (weights[..., None] * outs).sum(0)
    return np.where(np.isneginf(whole)[..., None], 0, out), whole


def wrong_flash_attention_gradients__keys_count_alike(
    grad, out, lse, q, k, v, mask=None, bias=None, scale=None, block_size=256, offset=None
):
    """counts all keys alike"""
    c = q.shape[-1] ** -0.5 if scale is None else scale
    x = c * q @ k.mT + (0 if bias is None else bias)
    seen = np.ones(x.shape[-2:], bool) if mask is None else mask
    if offset is not None:
        seen = seen & (np.arange(k.shape[-2]) <= np.arange(q.shape[-2])[:, None] + offset)
    a = np.where(seen, np.exp(x - np.where(np.isinf(lse), 0, lse)[..., None]), 0)
    da = grad @ v.mT
    ds = a * (da - da.sum(-1, keepdims=True))
    grads = c * ds @ k, c * ds.mT @ q, a.mT @ grad, ds
    return tuple(_summed_to(g, x.shape) for g, x in zip(grads, (q, k, v, bias), strict=True) if x is not None)


def wrong_merge_attentions__maximum_lost(outs, lses):
    """lacks the maximum"""
    top = lses.max(axis=0)
    safe = np.where(np.isneginf(top), 0, top)
    e = np.exp(lses - safe)
    total = e.sum(axis=0)
    out = (e[..., None] * outs).sum(axis=0) / np.where(total == 0, 1, total)[..., None]
    return out, np.log(total)


def wrong_merge_attentions__weights_not_divided(outs, lses):
    """Results of two sets are nearly added"""
    m = lses.max(axis=0)
    m = np.where(np.isfinite(m), m, 0)
    w = np.exp(lses - m)
    with np.errstate(divide="ignore"):
        return (w[..., None] * outs).sum(0), m + np.log(w.sum(axis=0))


def wrong_merge_attentions__maximum_carried_along(outs, lses):
    """From the third on, parts are weighed against the largest before them alone"""
    out, lse = outs[0], lses[0]
    for o, other in zip(outs[1:], lses[1:], strict=True):
        w = softmax(np.stack([lse, other]), axis=0)
        out = w[0][..., None] * out + w[1][..., None] * o
        lse = np.maximum(lse, other)
    return out, logsumexp(lses, axis=0)
