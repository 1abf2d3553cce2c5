"""Answers to the exercises on online softmax and attention in blocks, as readers write them."""

import math

import numpy as np

from mlnotes.attention.causal_mask import causal_mask
from mlnotes.blocks.softmax import logsumexp, softmax


def right_online_softmax__running(x, axis=-1, block_size=128):
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


def right_online_softmax__log_sum_exps_of_blocks(x, axis=-1, block_size=128):
    ends = range(block_size, x.shape[axis], block_size)
    parts = np.split(np.minimum(x, np.finfo(x.dtype).max), ends, axis=axis)
    lse = logsumexp(np.stack([logsumexp(it, axis) for it in parts], -1))
    lse = np.expand_dims(np.where(lse == -np.inf, 0, lse), axis)
    weights = np.concatenate([np.exp(it - lse) for it in parts], axis)
    total = weights.sum(axis, keepdims=True)  # 2 where two scores of infinity share
    return (weights / np.where(total == 0, 1, total)).astype(x.dtype)


def right_online_softmax__one_by_one(x, axis=-1, block_size=128):
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


def wrong_online_softmax__factor_on_the_new_block(x, axis=-1, block_size=128):
    x = np.moveaxis(x, axis, -1)
    m, total = np.full_like(x[..., 0], -np.inf), 0.0
    for start in range(0, x.shape[-1], block_size):
        block = x[..., start : start + block_size]
        new = np.maximum(m, block.max(-1))
        safe = np.where(new == -np.inf, 0, new)
        total = total + np.exp(m - safe) * np.exp(block - safe[..., None]).sum(-1)
        m = new
    return np.moveaxis(np.exp(x - safe[..., None]) / np.where(total == 0, 1, total)[..., None], -1, axis)


def wrong_online_softmax__always_the_last_axis(x, axis=-1, block_size=128):
    """axis"""
    m, total = np.full_like(x[..., 0], -np.inf), 0.0
    for start in range(0, x.shape[-1], block_size):
        block = x[..., start : start + block_size]
        new = np.maximum(m, block.max(-1))
        safe = np.where(new == -np.inf, 0, new)
        total = np.exp(m - safe) * total + np.exp(block - safe[..., None]).sum(-1)
        m = new
    return np.exp(x - safe[..., None]) / np.where(total == 0, 1, total)[..., None]


def wrong_online_softmax__maximum_from_zero(x, axis=-1, block_size=128):
    x = np.moveaxis(x, axis, -1)
    m, total = np.zeros_like(x[..., 0]), 0.0
    for start in range(0, x.shape[-1], block_size):
        block = x[..., start : start + block_size]
        new = np.maximum(m, block.max(-1))
        total = np.exp(m - new) * total + np.exp(block - new[..., None]).sum(-1)
        m = new
    return np.moveaxis(np.exp(x - m[..., None]) / np.where(total == 0, 1, total)[..., None], -1, axis)


def wrong_online_softmax__last_block_sum_only(x, axis=-1, block_size=128):
    """Line 9"""
    x = np.moveaxis(x, axis, -1)
    m = np.full_like(x[..., 0], -np.inf)
    for start in range(0, x.shape[-1], block_size):
        block = x[..., start : start + block_size]
        m = np.maximum(m, block.max(-1))
        safe = np.where(m == -np.inf, 0, m)
        total = np.exp(block - safe[..., None]).sum(-1)
    return np.moveaxis(np.exp(x - safe[..., None]) / np.where(total == 0, 1, total)[..., None], -1, axis)


def wrong_online_softmax__minimum(x, axis=-1, block_size=128):
    """never positive"""
    x = np.moveaxis(x, axis, -1)
    m, total = np.full_like(x[..., 0], np.inf), 0.0
    for start in range(0, x.shape[-1], block_size):
        block = x[..., start : start + block_size]
        new = np.minimum(m, block.min(-1))
        total = np.exp(m - new) * total + np.exp(block - new[..., None]).sum(-1)
        m = new
    return np.moveaxis(np.exp(x - m[..., None]) / total[..., None], -1, axis)


def wrong_online_softmax__one_block_short(x, axis=-1, block_size=128):
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
    best = lses.argmax(0)
    return np.take_along_axis(outs, best[None, ..., None], 0)[0], logsumexp(lses, axis=0)


def wrong_merge_attentions__sum_of_parts(outs, lses):
    return outs.sum(0), logsumexp(lses, axis=0)


def wrong_merge_attentions__exponentials_not_normalised(outs, lses):
    top = lses.max(0)
    weights = np.exp(lses - np.where(top == -np.inf, 0, top))
    return (weights[..., None] * outs).sum(0), logsumexp(lses, axis=0)


def wrong_merge_attentions__mean_of_lses(outs, lses):
    return (softmax(lses, axis=0)[..., None] * outs).sum(0), lses.mean(0)


def wrong_merge_attentions__plain_exponentials(outs, lses):
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
    grad, out, lse, q, k, v, mask=None, bias=None, scale=None, block_size=128, offset=None
):
    def of_scores(weights, by_weights):
        return weights * (by_weights - (grad * out).sum(-1, keepdims=True))

    return _gradients(grad, out, lse, q, k, v, mask, bias, scale, offset, of_scores)


def right_flash_attention_gradients__delta_from_the_weights(
    grad, out, lse, q, k, v, mask=None, bias=None, scale=None, block_size=128, offset=None
):
    def of_scores(weights, by_weights):
        return weights * by_weights - weights * (weights * by_weights).sum(-1, keepdims=True)

    return _gradients(grad, out, lse, q, k, v, mask, bias, scale, offset, of_scores)


def right_flash_attention_gradients__jacobian(
    grad, out, lse, q, k, v, mask=None, bias=None, scale=None, block_size=128, offset=None
):
    def of_scores(weights, by_weights):
        jacobian = weights[..., :, None] * (np.eye(weights.shape[-1]) - weights[..., None, :])
        return (by_weights[..., None, :] @ jacobian)[..., 0, :]

    return _gradients(grad, out, lse, q, k, v, mask, bias, scale, offset, of_scores)


def wrong_flash_attention_gradients__delta_added(
    grad, out, lse, q, k, v, mask=None, bias=None, scale=None, block_size=128, offset=None
):
    """look at the operators"""

    def of_scores(weights, by_weights):
        return weights * (by_weights + (grad * out).sum(-1, keepdims=True))

    return _gradients(grad, out, lse, q, k, v, mask, bias, scale, offset, of_scores)


def wrong_flash_attention_gradients__delta_over_queries(
    grad, out, lse, q, k, v, mask=None, bias=None, scale=None, block_size=128, offset=None
):
    """look at the numbers that stand there"""

    def of_scores(weights, by_weights):
        return weights * (by_weights - (weights * by_weights).sum(-2, keepdims=True))

    return _gradients(grad, out, lse, q, k, v, mask, bias, scale, offset, of_scores)


def wrong_flash_attention_gradients__sigmoid(
    grad, out, lse, q, k, v, mask=None, bias=None, scale=None, block_size=128, offset=None
):
    def of_scores(weights, by_weights):
        return weights * (1 - weights) * by_weights

    return _gradients(grad, out, lse, q, k, v, mask, bias, scale, offset, of_scores)


def wrong_flash_attention_gradients__delta_of_the_results(
    grad, out, lse, q, k, v, mask=None, bias=None, scale=None, block_size=128, offset=None
):
    """look at which variable stands where"""

    def of_scores(weights, by_weights):
        return weights * (by_weights - (out * out).sum(-1, keepdims=True))

    return _gradients(grad, out, lse, q, k, v, mask, bias, scale, offset, of_scores)


def wrong_flash_attention_gradients__delta_outside(
    grad, out, lse, q, k, v, mask=None, bias=None, scale=None, block_size=128, offset=None
):
    """look at the parentheses"""

    def of_scores(weights, by_weights):
        return weights * by_weights - (grad * out).sum(-1, keepdims=True)

    return _gradients(grad, out, lse, q, k, v, mask, bias, scale, offset, of_scores)


def wrong_flash_attention_gradients__scaled_twice(
    grad, out, lse, q, k, v, mask=None, bias=None, scale=None, block_size=128, offset=None
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
    return math.isqrt(fast_memory)


def wrong_largest_block_size__three_blocks(fast_memory, d_head, d_value=None):
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
