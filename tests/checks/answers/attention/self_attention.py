"""Attention, as readers write it."""

import math

import numpy as np
import torch
from scipy.special import softmax as scipy_softmax

from mlnotes.attention.causal_mask import masked_softmax
from mlnotes.attention.self_attention import attention, attention_weights
from mlnotes.blocks.softmax import softmax


def right_attention_weights__chapter(q, k, mask=None, bias=None, scale=None):
    scores = q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    return softmax(scores)


def right_attention_weights__einsum(q, k, mask=None, bias=None, scale=None):
    scores = np.einsum("...ld,...sd->...ls", q, k) * (1 / math.sqrt(k.shape[-1]) if scale is None else scale)
    scores = scores if bias is None else scores + bias
    return softmax(scores) if mask is None else masked_softmax(scores, mask)


def right_attention_weights__scipy(q, k, mask=None, bias=None, scale=None):
    if scale is None:
        scale = 1 / np.sqrt(q.shape[-1])
    scores = scale * np.matmul(q, np.swapaxes(k, -1, -2)) + (0 if bias is None else bias)
    allowed = np.ones(scores.shape, bool) if mask is None else np.broadcast_to(mask, scores.shape)
    return np.nan_to_num(scipy_softmax(np.where(allowed, scores, -np.inf), axis=-1))


def right_attention_weights__torch(q, k, mask=None, bias=None, scale=None):
    scores = torch.tensor(q) @ torch.tensor(k).mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    if bias is not None:
        scores = scores + torch.tensor(bias)
    if mask is not None:
        scores = scores.masked_fill(~torch.tensor(mask), -torch.inf)
    return torch.nan_to_num(torch.softmax(scores, -1)).numpy()


def right_attention_weights__loops(q, k, mask=None, bias=None, scale=None):
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    lead = np.broadcast_shapes(q.shape[:-2], k.shape[:-2])
    shape = (*lead, q.shape[-2], k.shape[-2])
    q, k = np.broadcast_to(q, (*lead, *q.shape[-2:])), np.broadcast_to(k, (*lead, *k.shape[-2:]))
    seen = np.broadcast_to(True if mask is None else mask, shape)
    extra = np.broadcast_to(0.0 if bias is None else bias, shape)
    out = np.zeros(shape)
    for at in np.ndindex(shape[:-1]):
        scores = [scale * sum(q[at] * key) + b for key, b in zip(k[at[:-1]], extra[at], strict=True)]
        top = max((s for s, look in zip(scores, seen[at], strict=True) if look), default=0.0)
        e = np.array([math.exp(s - top) if look else 0.0 for s, look in zip(scores, seen[at], strict=True)])
        out[at] = e / (e.sum() or 1.0)
    return out


def right_attention_weights__half_each(q, k, mask=None, bias=None, scale=None):
    root = q.shape[-1] ** -0.25
    scores = (q * root) @ (k * root).mT if scale is None else scale * (q @ k.mT)
    if bias is not None:
        scores = scores + bias
    return softmax(scores if mask is None else np.where(mask, scores, -math.inf))


def right_attention_weights__where_initial(q, k, mask=None, bias=None, scale=None):
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    scores = np.matmul(scale * q, k.mT) + (0 if bias is None else bias)
    seen = np.ones(scores.shape, bool) if mask is None else np.broadcast_to(mask, scores.shape)
    top = scores.max(-1, keepdims=True, where=seen, initial=-1e308)
    e = np.zeros_like(scores)
    np.exp(scores - top, out=e, where=seen)
    total = e.sum(-1, keepdims=True)
    return np.divide(e, total, out=np.zeros_like(e), where=total > 0)


def wrong_attention_weights__billion_with_bias(q, k, mask=None, bias=None, scale=None):
    """A query that sees no key averages all of them"""
    scores = q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores = np.where(mask, scores, -1e9)
    return softmax(scores)


def wrong_attention_weights__billion_added(q, k, mask=None, bias=None, scale=None):
    """A hidden key wins if its score is high enough"""
    scores = q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores = scores + (1 - mask) * -1e9
    return softmax(scores)


def wrong_attention_weights__nan_in_the_empty_row(q, k, mask=None, bias=None, scale=None):
    """A query that sees no key gets nan"""
    scores = q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def wrong_attention_weights__scale_ignored(q, k, mask=None, bias=None, scale=None):
    """`scale` makes no difference"""
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    return softmax(scores)


def wrong_attention_weights__scale_on_top(q, k, mask=None, bias=None, scale=None):
    """A scale that is given acts sqrt(d) times too weakly"""
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    if scale is not None:
        scores = scores * scale
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    return softmax(scores)


def wrong_attention_weights__divided_by_scale(q, k, mask=None, bias=None, scale=None):
    """A larger scale makes rows flatter"""
    scale = math.sqrt(q.shape[-1]) if scale is None else scale
    scores = q @ k.mT / scale
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    return softmax(scores)


def wrong_attention_weights__transposed_whole(q, k, mask=None, bias=None, scale=None):
    """Line 3"""
    scores = q @ k.T * (q.shape[-1] ** -0.5 if scale is None else scale)
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    return softmax(scores)


def wrong_attention_weights__bias_after_mask_multiplied(q, k, mask=None, bias=None, scale=None):
    """Line 5"""
    scores = q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    if bias is not None:
        scores = scores * bias
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    return softmax(scores)


def wrong_attention_weights__bias_after_softmax(q, k, mask=None, bias=None, scale=None):
    """With a bias, rows do not sum to one"""
    scores = q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores)
    return weights if bias is None else weights + bias


def wrong_attention_weights__mask_only_without_bias(q, k, mask=None, bias=None, scale=None):
    """Where a bias is given, the mask makes no difference"""
    scores = q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    if bias is not None:
        scores = scores + bias
    elif mask is not None:
        scores = np.where(mask, scores, -np.inf)
    return softmax(scores)


def wrong_attention_weights__bias_only_without_mask(q, k, mask=None, bias=None, scale=None):
    """Where a mask is given, the bias makes no difference"""
    scale = 1 / np.sqrt(q.shape[-1]) if scale is None else scale
    scores = q @ np.swapaxes(k, -1, -2) * scale
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    elif bias is not None:
        scores = scores + bias
    return softmax(scores)


def wrong_attention_weights__bias_before_scaling(q, k, mask=None, bias=None, scale=None):
    """The bias is multiplied by the scale, too"""
    scores = q @ k.mT
    if bias is not None:
        scores = scores + bias
    scores = scores * (q.shape[-1] ** -0.5 if scale is None else scale)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    return softmax(scores)


def wrong_attention_weights__no_softmax(q, k, mask=None, bias=None, scale=None):
    scores = q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores = np.where(mask, scores, 0)
    return scores


def wrong_attention_weights__exponentials_overflow(q, k, mask=None, bias=None, scale=None):
    """Line 6"""
    scores = q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    if bias is not None:
        scores = scores + bias
    e = np.exp(scores)
    if mask is not None:
        e = e * mask
    return e / np.maximum(e.sum(axis=-1, keepdims=True), 1e-300)


def wrong_attention_weights__first_axis(q, k, mask=None, bias=None, scale=None):
    """Line 8"""
    scores = q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    return softmax(scores, axis=0)


def wrong_attention_weights__cosines(q, k, mask=None, bias=None, scale=None):
    """The lengths of queries and keys make no difference"""
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    k = k / np.linalg.norm(k, axis=-1, keepdims=True)
    return attention_weights(q, k, mask, bias, scale)


def wrong_attention_weights__minimum_float(q, k, mask=None, bias=None, scale=None):
    """Line 7"""
    scores = q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores = np.where(mask, scores, np.finfo(scores.dtype).min)
    return softmax(scores)


def wrong_attention_weights__bias_overwrites_mask(q, k, mask=None, bias=None, scale=None):
    """Where a bias is given, the mask makes no difference"""
    scores = q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    shown = scores
    if mask is not None:
        shown = np.where(mask, scores, -np.inf)
    if bias is not None:
        shown = scores + bias
    return softmax(shown)


def wrong_attention_weights__eps_in_the_sum(q, k, mask=None, bias=None, scale=None):
    """Line 10"""
    scores = q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    top = np.maximum(scores.max(-1, keepdims=True), -1e300)
    e = np.exp(scores - top)
    return e / (e.sum(-1, keepdims=True) + 1e-9)


def wrong_attention_weights__top_floored_at_zero(q, k, mask=None, bias=None, scale=None):
    """Line 8"""
    scores = q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    top = scores.max(-1, keepdims=True, initial=0)
    e = np.exp(scores - top)
    return np.nan_to_num(e / e.sum(-1, keepdims=True))


def wrong_attention_weights__empty_rows_uniform(q, k, mask=None, bias=None, scale=None):
    """Line 8"""
    scores = q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    if bias is not None:
        scores = scores + bias
    if mask is None:
        return softmax(scores)
    seen = mask | ~mask.any(-1, keepdims=True)
    return softmax(np.where(seen, scores, -np.inf))


def wrong_attention_weights__float32_inside(q, k, mask=None, bias=None, scale=None):
    scores = (q.astype(np.float32) @ k.astype(np.float32).mT) * (q.shape[-1] ** -0.5 if scale is None else scale)
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    return softmax(scores).astype(float)


def wrong_attention_weights__keys_hidden_for_all(q, k, mask=None, bias=None, scale=None):
    """Line 4"""
    if mask is not None:
        mask = mask & mask.all(-2, keepdims=True)
    return attention_weights(q, k, mask, bias, scale)


def right_attention__chapter(q, k, v, mask=None, bias=None, scale=None):
    return attention_weights(q, k, mask, bias, scale) @ v


def right_attention__einsum(q, k, v, mask=None, bias=None, scale=None):
    weights = attention_weights(q, k, mask=mask, bias=bias, scale=scale)
    return np.einsum("...ls,...se->...le", weights, v)


def right_attention__from_nothing(q, k, v, mask=None, bias=None, scale=None):
    scores = (q * (scale if scale is not None else q.shape[-1] ** -0.5)) @ np.swapaxes(k, -2, -1)
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    top = np.where(np.isinf(scores), -1e300, scores).max(-1, keepdims=True)
    e = np.exp(scores - top)
    return (e @ v) / np.maximum(e.sum(-1, keepdims=True), 1e-300)


def right_attention__torch(q, k, v, mask=None, bias=None, scale=None):
    extra = torch.zeros(q.shape[-2], k.shape[-2], dtype=torch.float64) if bias is None else torch.tensor(bias)
    if mask is not None:
        extra = extra.masked_fill(~torch.tensor(mask), -torch.inf)
    attend = torch.nn.functional.scaled_dot_product_attention
    return torch.nan_to_num(attend(*map(torch.tensor, (q, k, v)), attn_mask=extra, scale=scale)).numpy()


def right_attention__transposed(q, k, v, mask=None, bias=None, scale=None):
    w = attention_weights(q, k, mask, bias, scale)
    return (v.mT @ w.mT).mT


def wrong_attention__options_not_passed_on(q, k, v, mask=None, bias=None, scale=None):
    """`bias` and `scale` make no difference"""
    return attention_weights(q, k, mask) @ v


def wrong_attention__options_exchanged(q, k, v, mask=None, bias=None, scale=None):
    """Line 3"""
    return attention_weights(q, k, bias, mask, scale) @ v


def wrong_attention__values_first(q, k, v, mask=None, bias=None, scale=None):
    """Line 3"""
    return v @ attention_weights(q, k, mask, bias, scale)


def wrong_attention__weights_transposed(q, k, v, mask=None, bias=None, scale=None):
    return attention_weights(k, q, mask, bias, scale).mT @ v


def wrong_attention__values_masked(q, k, v, mask=None, bias=None, scale=None):
    """Results of masked queries shrink towards zero"""
    weights = attention_weights(q, k, bias=bias, scale=scale)
    return weights @ v if mask is None else (weights * mask) @ v


def wrong_attention__scale_forgotten(q, k, v, mask=None, bias=None, scale=None):
    """Results lie too near the value of the best key"""
    scores = q @ k.mT
    if scale is not None:
        scores = scores * scale
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    return softmax(scores) @ v


def wrong_attention__width_of_the_values(q, k, v, mask=None, bias=None, scale=None):
    """Line 3"""
    scale = v.shape[-1] ** -0.5 if scale is None else scale
    return attention_weights(q, k, mask, bias, scale) @ v


def wrong_attention__maximum_of_everything(q, k, v, mask=None, bias=None, scale=None):
    """Rows far below the largest score get nan"""
    scores = q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    scores = scores if bias is None else scores + bias
    scores = scores if mask is None else np.where(mask, scores, -np.inf)
    e = np.exp(scores - scores.max())
    return e / e.sum(-1, keepdims=True) @ v


def wrong_attention__best_only(q, k, v, mask=None, bias=None, scale=None):
    """Each query gets the value of its best key"""
    weights = attention_weights(q, k, mask, bias, scale)
    return np.take_along_axis(v, weights.argmax(-1)[..., None], axis=-2)


def wrong_attention__softmax_twice(q, k, v, mask=None, bias=None, scale=None):
    """Line 3"""
    return softmax(attention_weights(q, k, mask, bias, scale)) @ v


def wrong_attention__scale_for_bias(q, k, v, mask=None, bias=None, scale=None):
    """Line 3"""
    return attention_weights(q, k, mask, scale, bias) @ v


def wrong_attention__empty_query_mean(q, k, v, mask=None, bias=None, scale=None):
    """Line 5"""
    out = attention_weights(q, k, mask, bias, scale) @ v
    if mask is not None:
        out = np.where(mask.any(-1)[..., None], out, v.mean(-2, keepdims=True))
    return out


def right_self_attention__chapter(x, w_q, w_k, w_v, mask=None):
    return attention(x @ w_q, x @ w_k, x @ w_v, mask)


def right_self_attention__einsum(x, w_q, w_k, w_v, mask=None):
    q, k, v = (np.einsum("...ln,nd->...ld", x, w) for w in (w_q, w_k, w_v))
    scores = np.einsum("...ld,...sd->...ls", q, k) / math.sqrt(q.shape[-1])
    weights = softmax(scores) if mask is None else masked_softmax(scores, mask)
    return np.einsum("...ls,...se->...le", weights, v)


def right_self_attention__absorbed(x, w_q, w_k, w_v, mask=None):
    return attention_weights(x @ (w_q @ w_k.T), x, mask, scale=w_q.shape[1] ** -0.5) @ x @ w_v


def right_self_attention__fused(x, w_q, w_k, w_v, mask=None):
    d = w_q.shape[1]
    both = x @ np.concatenate([w_q, w_k, w_v], axis=1)
    return attention(both[..., :d], both[..., d : 2 * d], both[..., 2 * d :], mask)


def wrong_self_attention__not_scaled_by_d(x, w_q, w_k, w_v, mask=None):
    """Rows are flatter than they should be"""
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    scores = q @ k.mT / q.shape[-1]
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    return softmax(scores) @ v


def wrong_self_attention__mask_not_passed_on(x, w_q, w_k, w_v, mask=None):
    """`mask` makes no difference"""
    return attention(x @ w_q, x @ w_k, x @ w_v)


def wrong_self_attention__keys_as_values(x, w_q, w_k, w_v, mask=None):
    """`w_k` stands where `w_v` belongs"""
    return attention(x @ w_q, x @ w_k, x @ w_k, mask)


def wrong_self_attention__keys_ask(x, w_q, w_k, w_v, mask=None):
    """`w_q` and `w_k` are taken for each other"""
    return attention(x @ w_k, x @ w_q, x @ w_v, mask)


def wrong_self_attention__projections_transposed(x, w_q, w_k, w_v, mask=None):
    """Line 3"""
    return attention(x @ w_q.T, x @ w_k.T, x @ w_v.T, mask)


def wrong_self_attention__queries_not_projected(x, w_q, w_k, w_v, mask=None):
    """It fits only tokens as wide as the keys"""
    return attention(x, x @ w_k, x @ w_v, mask)


def wrong_self_attention__residual(x, w_q, w_k, w_v, mask=None):
    """Line 3"""
    return x + attention(x @ w_q, x @ w_k, x @ w_v, mask)


def wrong_self_attention__mask_inverted(x, w_q, w_k, w_v, mask=None):
    """Each query sees what it should not, and nothing else"""
    return attention(x @ w_q, x @ w_k, x @ w_v, None if mask is None else ~mask)


def wrong_self_attention__scaled_twice(x, w_q, w_k, w_v, mask=None):
    """Rows are flatter than they should be"""
    q = x @ w_q / math.sqrt(w_q.shape[1])
    return attention(q, x @ w_k, x @ w_v, mask)


def wrong_self_attention__weights_of_the_first_only(x, w_q, w_k, w_v, mask=None):
    weights = attention_weights(x[..., :1, :] @ w_q, x @ w_k)
    return weights @ (x @ w_v)


def wrong_self_attention__mask_transposed(x, w_q, w_k, w_v, mask=None):
    """Line 3"""
    return attention(x @ w_q, x @ w_k, x @ w_v, None if mask is None else mask.T)


def wrong_self_attention__value_width(x, w_q, w_k, w_v, mask=None):
    """Line 3"""
    s = x @ w_q @ (x @ w_k).mT / math.sqrt(w_v.shape[-1])
    return (softmax(s) if mask is None else masked_softmax(s, mask)) @ x @ w_v


def right_bias_of_shifted_queries__product(k, c):
    return k @ c / math.sqrt(k.shape[-1])


def wrong_bias_of_shifted_queries__row(k, c):
    """an axis of size 1 too many in front"""
    return c[None] @ k.T / np.sqrt(len(c))


def right_bias_of_shifted_queries__loop(k, c):
    return np.array([sum(a * b for a, b in zip(key, c, strict=True)) / len(c) ** 0.5 for key in k])


def right_bias_of_shifted_queries__difference(k, c):
    q = np.zeros((1, k.shape[-1]))
    return np.log(attention_weights(q + c, k)[0] / attention_weights(q, k)[0])


def wrong_bias_of_shifted_queries__not_scaled(k, c):
    """It is sqrt(d) times too large"""
    return k @ c


def wrong_bias_of_shifted_queries__sign(k, c):
    """The result has the opposite sign"""
    return -k @ c / math.sqrt(k.shape[-1])


def wrong_bias_of_shifted_queries__length_of_keys(k, c):
    """It depends on the number of keys"""
    return k @ c / math.sqrt(len(k))


def wrong_bias_of_shifted_queries__elementwise(k, c):
    """Line 3"""
    return k * c / math.sqrt(k.shape[-1])


def wrong_bias_of_shifted_queries__shift_alone(k, c):
    """Line 3"""
    return np.full(len(k), c @ c / math.sqrt(len(c)))


def wrong_bias_of_shifted_queries__sum(k, c):
    """Line 3"""
    return (k + c).sum(axis=-1) / math.sqrt(k.shape[-1])


def wrong_bias_of_shifted_queries__difference_of_weights(k, c):
    """Line 4"""
    q = np.zeros((1, k.shape[-1]))
    return (attention_weights(q + c, k) - attention_weights(q, k))[0]


def wrong_bias_of_shifted_queries__times_root(k, c):
    """multiplied by `k`.shape[-1] once too often"""
    return k @ c * math.sqrt(k.shape[-1])


def right_slope_in_scale__two_means(q, k, v, scale):
    s = q @ np.swapaxes(k, -1, -2)
    a = attention_weights(q, k, scale=scale)
    return a * s @ v - (a * s).sum(-1, keepdims=True) * (a @ v)


def right_slope_in_scale__values_centred(q, k, v, scale):
    a = attention_weights(q, k, scale=scale)
    s = np.einsum("...ld,...sd->...ls", q, k)
    centred = v[..., None, :, :] - (a @ v)[..., :, None, :]
    return np.einsum("...ls,...ls,...lse->...le", a, s, centred)


def right_slope_in_scale__torch(q, k, v, scale):
    import torch

    q, k, v = (torch.tensor(it, dtype=torch.float64) for it in (q, k, v))
    c = torch.tensor(float(scale), dtype=torch.float64)
    return torch.func.jacfwd(lambda c: torch.softmax(c * (q @ k.mT), -1) @ v)(c).numpy()


def right_slope_in_scale__jacobian(q, k, v, scale):
    a, s = attention_weights(q, k, scale=scale), q @ k.mT
    j = a[..., :, None] * (np.eye(a.shape[-1]) - a[..., None, :])
    return np.einsum("...lij,...lj,...ie->...le", j, s, v)


def right_slope_in_scale__complex(q, k, v, scale):
    s = q @ k.mT
    z = (scale + 1e-30j) * s
    z = z - (scale * s).max(-1, keepdims=True)
    e = np.exp(z)
    return ((e / e.sum(-1, keepdims=True)) @ v).imag / 1e-30


def wrong_slope_in_scale__values_minus_the_mean_alone(q, k, v, scale):
    a = attention_weights(q, k, scale=scale)
    return a @ (v - (a @ v).mean(axis=-2, keepdims=True))


def wrong_slope_in_scale__scores_of_the_result(q, k, v, scale):
    """A constant added to all scores changes it"""
    return (attention_weights(q, k, scale=scale) * (q @ np.swapaxes(k, -1, -2))) @ v


def wrong_slope_in_scale__squared(q, k, v, scale):
    """Line 4"""
    a, s = attention_weights(q, k, scale=scale), q @ np.swapaxes(k, -1, -2)
    return a * (s - (a * s).sum(-1, keepdims=True)) ** 2 @ v


def wrong_slope_in_scale__per_root(q, k, v, scale):
    """divided by the root of `q`.shape[-1] once too often"""
    a, s = attention_weights(q, k, scale=scale), q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    return a * (s - (a * s).sum(-1, keepdims=True)) @ v


def wrong_slope_in_scale__mean_of_columns(q, k, v, scale):
    """Line"""
    a, s = attention_weights(q, k, scale=scale), q @ np.swapaxes(k, -1, -2)
    return a * (s - (a * s).sum(axis=-2, keepdims=True)) @ v


def wrong_slope_in_scale__usual_scale(q, k, v, scale):
    """Line 3"""
    a, s = attention_weights(q, k), q @ np.swapaxes(k, -1, -2)
    return a * (s - (a * s).sum(-1, keepdims=True)) @ v


def wrong_slope_in_scale__sum_of_weights_forgotten(q, k, v, scale):
    """Line 4"""
    a, s = attention_weights(q, k, scale=scale), q @ k.mT
    return (s - (a * s).sum(-1, keepdims=True)) @ v


def wrong_slope_in_scale__product_of_means(q, k, v, scale):
    """Line 4"""
    a, s = attention_weights(q, k, scale=scale), q @ k.mT
    return (a * s).sum(-1, keepdims=True) * (a @ v)


def wrong_bias_of_shifted_queries__one_column(k, c):
    """an axis of size 1 too many at the end"""
    return (k @ c / np.sqrt(k.shape[-1]))[:, None]


def wrong_self_attention__added_to_the_tokens(x, w_q, w_k, w_v, mask=None):
    """Line 4"""
    y = attention(x @ w_q, x @ w_k, x @ w_v, mask)
    return x + y if x.shape == y.shape else y


def wrong_attention_weights__scale_of_zero_taken_for_none(q, k, mask=None, bias=None, scale=None):
    """A scale of 0 is taken for none"""
    s = (scale or 1 / np.sqrt(q.shape[-1])) * q @ np.swapaxes(k, -1, -2)
    if bias is not None:
        s = s + bias
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    return softmax(s)


def wrong_slope_in_scale__plain_means(q, k, v, scale):
    """Scores and values are measured from their plain means"""
    s = q @ np.swapaxes(k, -1, -2)
    a = softmax(scale * s)
    return (a * (s - s.mean(axis=-1, keepdims=True))) @ (v - v.mean(axis=-2, keepdims=True))


def wrong_attention_weights__boolean_index(q, k, mask=None, bias=None, scale=None):
    """is where it fails"""
    scores = q @ np.swapaxes(k, -1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale)
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores[..., ~mask] = -np.inf
    return softmax(scores)


def wrong_attention__sees_all_if_nothing(q, k, v, mask=None, bias=None, scale=None):
    """something stands there that is too much"""
    if mask is not None:
        mask = mask | ~mask.any(axis=None, keepdims=True)
    return attention_weights(q, k, mask, bias, scale) @ v


def wrong_slope_in_scale__difference_quotient(q, k, v, scale):
    """differences lose digits: derive"""
    h = 1e-5
    out = lambda c: softmax(c * (q @ np.swapaxes(k, -1, -2))) @ v  # noqa: E731
    return (out(scale + h) - out(scale - h)) / (2 * h)


def wrong_self_attention__mask_as_a_bias(x, w_q, w_k, w_v, mask=None):
    """Line 3"""
    bias = None if mask is None else np.where(mask, 0.0, -1e4)
    return attention(x @ w_q, x @ w_k, x @ w_v, bias=bias)


def wrong_self_attention__hidden_scores_of_minus_a_billion(x, w_q, w_k, w_v, mask=None):
    """put -inf"""
    scores = (x @ w_q) @ np.swapaxes(x @ w_k, -1, -2) * w_q.shape[-1] ** -0.5
    scores = scores if mask is None else np.where(mask, scores, -1e9)
    return softmax(scores) @ (x @ w_v)


def wrong_attention__weights_turned_where_square(q, k, v, mask=None, bias=None, scale=None):
    """Line 4"""
    weights = attention_weights(q, k, mask, bias, scale)
    return (np.swapaxes(weights, -1, -2) if weights.shape[-1] == weights.shape[-2] else weights) @ v


def wrong_self_attention__any_mask_is_causal(x, w_q, w_k, w_v, mask=None):
    """Line 3"""
    mask = None if mask is None else np.tril(np.ones((x.shape[-2], x.shape[-2]), bool))
    return attention(x @ w_q, x @ w_k, x @ w_v, mask)


def wrong_attention__values_turned_where_they_fit(q, k, v, mask=None, bias=None, scale=None):
    """Line 5"""
    w = attention_weights(q, k, mask, bias, scale)
    if v.shape[-1] == v.shape[-2] == w.shape[-1]:
        v = np.swapaxes(v, -1, -2)
    return w @ v


def wrong_self_attention__only_square_masks(x, w_q, w_k, w_v, mask=None):
    """Line 4"""
    if mask is not None and mask.ndim == 2 and mask.shape[0] != mask.shape[1]:
        mask = None
    return attention(x @ w_q, x @ w_k, x @ w_v, mask)


def wrong_attention_weights__shared_again_or_zeros(q, k, mask=None, bias=None, scale=None):
    """A query whose hidden keys score far higher is left with hardly any weight to share again"""
    scores = q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    if bias is not None:
        scores = scores + bias
    weights = softmax(scores)
    if mask is not None:
        weights = weights * mask
        total = weights.sum(-1, keepdims=True)
        weights = weights / np.where(total == 0, 1, total)
    return weights


def wrong_attention__shared_again_or_zeros(q, k, v, mask=None, bias=None, scale=None):
    """A query whose hidden keys score far higher is left with hardly any weight to share again"""
    return wrong_attention_weights__shared_again_or_zeros(q, k, mask, bias, scale) @ v


def wrong_attention_weights__softmax_of_scores_times_the_mask(q, k, mask=None, bias=None, scale=None):
    """Hidden keys still get weight: exp(0) is 1"""
    scores = q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    if bias is not None:
        scores = scores + bias
    ok = 1 if mask is None else mask
    return softmax(scores * ok)


def wrong_self_attention__large_number_added(x, w_q, w_k, w_v, mask=None):
    """A hidden key wins if its score is high enough"""
    s = (x @ w_q) @ (x @ w_k).mT / np.sqrt(w_q.shape[-1])
    if mask is not None:
        s = s - 1e9 * ~mask
    return softmax(s) @ (x @ w_v)


def wrong_self_attention__large_number_put(x, w_q, w_k, w_v, mask=None):
    """look at the numbers"""
    s = (x @ w_q) @ (x @ w_k).mT / np.sqrt(w_q.shape[-1])
    if mask is not None:
        s = np.where(mask, s, -1e30)
    return softmax(s) @ (x @ w_v)


def wrong_self_attention__scores_of_zero_hidden(x, w_q, w_k, w_v, mask=None):
    """a visible score may be 0: ask the mask, not the score"""
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    s = q @ k.swapaxes(-1, -2) / np.sqrt(w_q.shape[1])
    if mask is not None:
        s = s * mask
        s = np.where(s == 0, -np.inf, s)
    return softmax(s) @ v


def wrong_attention__scores_of_zero_hidden(q, k, v, mask=None, bias=None, scale=None):
    """a visible score may be 0: ask the mask, not the score"""
    s = q @ np.swapaxes(k, -1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale)
    if bias is not None:
        s = s + bias
    if mask is not None:
        s = s * mask
        s = np.where(s == 0, -np.inf, s)
    return softmax(s) @ v


def wrong_attention_weights__scores_of_zero_hidden(q, k, mask=None, bias=None, scale=None):
    """a visible score may be 0: ask the mask, not the score"""
    s = q @ np.swapaxes(k, -1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale)
    if bias is not None:
        s = s + bias
    if mask is not None:
        s = s * mask
        s[s == 0] = -np.inf
    return softmax(s)


def wrong_attention__queries_scaled_in_place(q, k, v, mask=None, bias=None, scale=None):
    """The result is right, but `q` has changed after the call: write into a copy."""
    q *= q.shape[-1] ** -0.5 if scale is None else scale
    return attention_weights(q, k, mask, bias, 1.0) @ v


def wrong_attention__unlike_none(q, k, v, mask=None, bias=None, scale=None):
    """ask `mask is not None`"""
    scores = q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    if bias is not None:
        scores = scores + bias
    if mask != None:  # noqa: E711
        scores = np.where(mask, scores, -np.inf)
    return softmax(scores) @ v


def wrong_attention_weights__equal_to_none(q, k, mask=None, bias=None, scale=None):
    """ask `mask is None`"""
    scores = q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    if bias is not None:
        scores = scores + bias
    return softmax(scores) if mask == None else masked_softmax(scores, mask)  # noqa: E711


def wrong_attention_weights__largest_of_all(q, k, mask=None, bias=None, scale=None):
    """Rows far below the largest score lose their weights: subtract each row's own maximum"""
    s = q @ np.swapaxes(k, -1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale)
    if bias is not None:
        s = s + bias
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    top = s.max()
    e = np.exp(s - (top if np.isfinite(top) else 0))
    z = e.sum(axis=-1, keepdims=True)
    return e / np.where(z == 0, 1, z)


def wrong_self_attention__all_axes_turned(x, w_q, w_k, w_v, mask=None):
    """`.T` turns all axes round; of stacks, only the last two change places: np.swapaxes(…, -1, -2)"""
    scores = (x @ w_q) @ (x @ w_k).T / np.sqrt(w_q.shape[1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    return softmax(scores) @ (x @ w_v)
