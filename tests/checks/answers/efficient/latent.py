"""Multi-head latent attention, as readers write it."""
# ruff: noqa: E741 (lengths are called l, as in the formula)

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import scipy.linalg
import scipy.sparse.linalg
import torch

from mlnotes.attention.multi_head import merge_heads, split_heads
from mlnotes.attention.self_attention import attention
from mlnotes.blocks.softmax import softmax
from mlnotes.blocks.svd import svd
from mlnotes.efficient.grouped_query import multi_query_attention
from mlnotes.efficient.latent import latent_attention


def right_absorb__solution(w, w_up, n_heads):
    blocks = zip(np.split(w, n_heads, axis=-1), np.split(w_up, n_heads, axis=-1), strict=True)
    return np.concatenate([a @ b.T for a, b in blocks], axis=-1)


def right_absorb__einsum(w, w_up, n_heads):
    a, b = (x.reshape(*x.shape[:-1], n_heads, -1) for x in (w, w_up))
    out = np.einsum("...nhd,rhd->...nhr", a, b)
    return out.reshape(*w.shape[:-1], -1)


def right_absorb__block_diagonal(w, w_up, n_heads):
    d, r = w.shape[-1] // n_heads, w_up.shape[0]
    blocks = np.zeros((w.shape[-1], n_heads * r))
    for i in range(n_heads):
        blocks[i * d : (i + 1) * d, i * r : (i + 1) * r] = w_up[:, i * d : (i + 1) * d].T
    return w @ blocks


def right_absorb__torch(w, w_up, n_heads):
    a, b = torch.tensor(w).chunk(n_heads, -1), torch.tensor(w_up).chunk(n_heads, -1)
    return torch.cat([x @ y.T for x, y in zip(a, b, strict=True)], -1).numpy()


def wrong_absorb__whole_product(w, w_up, n_heads):
    """There is one block, the sum of all heads"""
    return w @ w_up.T


def wrong_absorb__tiled_sum(w, w_up, n_heads):
    return np.concatenate([w @ w_up.T] * n_heads, axis=-1)


def wrong_absorb__not_joined(w, w_up, n_heads):
    """The heads keep an axis of their own"""
    return split_heads(w, n_heads) @ split_heads(w_up, n_heads).mT


def wrong_absorb__neighbouring_columns(w, w_up, n_heads):
    """Each head takes every h-th column"""
    a, b = (x.reshape(*x.shape[:-1], -1, n_heads) for x in (w, w_up))
    return np.einsum("...ndh,rdh->...nhr", a, b).reshape(*w.shape[:-1], -1)


def wrong_absorb__latents_first(w, w_up, n_heads):
    """Line 4"""
    a, b = (x.reshape(*x.shape[:-1], n_heads, -1) for x in (w, w_up))
    return np.einsum("...nhd,rhd->...nrh", a, b).reshape(*w.shape[:-1], -1)


def wrong_absorb__scaled(w, w_up, n_heads):
    """Line 5"""
    d = w.shape[-1] // n_heads
    blocks = zip(np.split(w, n_heads, axis=-1), np.split(w_up, n_heads, axis=-1), strict=True)
    return np.concatenate([a @ b.T / np.sqrt(d) for a, b in blocks], axis=-1)


def wrong_absorb__first_head_up(w, w_up, n_heads):
    """Every head gets the first head's up-projection"""
    d = w.shape[-1] // n_heads
    return np.concatenate([a @ w_up[:, :d].T for a in np.split(w, n_heads, axis=-1)], axis=-1)


def right_absorbed_latent_attention__solution(q, c, w_uk, w_uv, mask=None, bias=None, scale=None):
    h, r = q.shape[-3], w_uk.shape[0]
    d = w_uk.shape[-1] // h
    asking = np.concatenate([q[..., :d] @ split_heads(w_uk, h).mT, q[..., d:]], axis=-1)
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    return multi_query_attention(asking, c, c[..., :r], mask, bias, scale) @ split_heads(w_uv, h)


def right_absorbed_latent_attention__two_scores(q, c, w_uk, w_uv, mask=None, bias=None, scale=None):
    h, r = q.shape[-3], len(w_uk)
    up = w_uk.reshape(r, h, -1)
    d = up.shape[-1]
    scores = np.einsum("...hld,rhd,...sr->...hls", q[..., :d], up, c[..., :r])
    scores = scores + np.einsum("...hlp,...sp->...hls", q[..., d:], c[..., r:])
    scores = scores * (q.shape[-1] ** -0.5 if scale is None else scale)
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    top = scores.max(-1, keepdims=True)
    e = np.exp(scores - np.where(np.isfinite(top), top, 0))
    total = e.sum(-1, keepdims=True)
    weights = e / np.where(total == 0, 1, total)
    return np.einsum("...hls,...sr,rhe->...hle", weights, c[..., :r], w_uv.reshape(r, h, -1))


def right_absorbed_latent_attention__head_by_head(q, c, w_uk, w_uv, mask=None, bias=None, scale=None):
    h, r = q.shape[-3], w_uk.shape[0]
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    out = []
    for i, (up, v_up) in enumerate(zip(np.split(w_uk, h, 1), np.split(w_uv, h, 1), strict=True)):
        one = q[..., i, :, :]
        asking = np.concatenate([one[..., : up.shape[1]] @ up.T, one[..., up.shape[1] :]], -1)
        own = [x if x is None or x.ndim == 2 else x[..., i, :, :] for x in (mask, bias)]
        out.append(attention(asking, c, c[..., :r], *own, scale) @ v_up)
    return np.stack(out, axis=-3)


def right_absorbed_latent_attention__plain(q, c, w_uk, w_uv, mask=None, bias=None, scale=None):
    return latent_attention(q, c, w_uk, w_uv, mask, bias, scale)


def wrong_absorbed_latent_attention__default_scale(q, c, w_uk, w_uv, mask=None, bias=None, scale=None):
    """keep 1/sqrt(d + p), whatever the width of the latents"""
    h, r = q.shape[-3], w_uk.shape[0]
    d = w_uk.shape[-1] // h
    asking = np.concatenate([q[..., :d] @ split_heads(w_uk, h).mT, q[..., d:]], axis=-1)
    return multi_query_attention(asking, c, c[..., :r], mask, bias, scale) @ split_heads(w_uv, h)


def wrong_absorbed_latent_attention__rotary_part_in_the_values(q, c, w_uk, w_uv, mask=None, bias=None, scale=None):
    """Line 7"""
    h = q.shape[-3]
    d = w_uk.shape[-1] // h
    asking = np.concatenate([q[..., :d] @ split_heads(w_uk, h).mT, q[..., d:]], axis=-1)
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    return multi_query_attention(asking, c, c, mask, bias, scale) @ split_heads(w_uv, h)


def wrong_absorbed_latent_attention__options_forgotten(q, c, w_uk, w_uv, mask=None, bias=None, scale=None):
    """`mask` and `bias` and `scale` make no difference"""
    h, r = q.shape[-3], w_uk.shape[0]
    d = w_uk.shape[-1] // h
    asking = np.concatenate([q[..., :d] @ split_heads(w_uk, h).mT, q[..., d:]], axis=-1)
    return multi_query_attention(asking, c, c[..., :r], scale=q.shape[-1] ** -0.5) @ split_heads(w_uv, h)


def wrong_absorbed_latent_attention__left_down(q, c, w_uk, w_uv, mask=None, bias=None, scale=None):
    """The result is as wide as a latent"""
    h, r = q.shape[-3], w_uk.shape[0]
    d = w_uk.shape[-1] // h
    asking = np.concatenate([q[..., :d] @ split_heads(w_uk, h).mT, q[..., d:]], axis=-1)
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    return multi_query_attention(asking, c, c[..., :r], mask, bias, scale)


def wrong_absorbed_latent_attention__no_positions(q, c, w_uk, w_uv, mask=None, bias=None, scale=None):
    """Positions make no difference"""
    h, r = q.shape[-3], w_uk.shape[0]
    d = w_uk.shape[-1] // h
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    latents = c[..., :r]
    asking = q[..., :d] @ split_heads(w_uk, h).mT
    return multi_query_attention(asking, latents, latents, mask, bias, scale) @ split_heads(w_uv, h)


def wrong_absorbed_latent_attention__positions_scaled_apart(q, c, w_uk, w_uv, mask=None, bias=None, scale=None):
    """Line 5"""
    h, r = q.shape[-3], w_uk.shape[0]
    d = w_uk.shape[-1] // h
    asking = np.concatenate([q[..., :d] @ split_heads(w_uk, h).mT, q[..., d:] / 2], axis=-1)
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    return multi_query_attention(asking, c, c[..., :r], mask, bias, scale) @ split_heads(w_uv, h)


def right_latent_multiply_adds__terms(
    n_queries, n_keys, n_heads, d_head, d_latent, d_rotary=0, d_value=None, absorbed=False
):
    e = d_head if d_value is None else d_value
    moved = n_queries if absorbed else n_keys
    projections = moved * d_latent * d_head + moved * d_latent * e
    scores = n_queries * n_keys * ((d_latent if absorbed else d_head) + d_rotary)
    averages = n_queries * n_keys * (d_latent if absorbed else e)
    return n_heads * (projections + scores + averages)


def right_latent_multiply_adds__two_formulas(
    n_queries, n_keys, n_heads, d_head, d_latent, d_rotary=0, d_value=None, absorbed=False
):
    l, s, h, d, r, p = n_queries, n_keys, n_heads, d_head, d_latent, d_rotary
    e = d if d_value is None else d_value
    if absorbed:
        return h * (l * r * (d + e) + l * s * (2 * r + p))
    return h * (s * r * (d + e) + l * s * (d + p + e))


def right_latent_multiply_adds__heads_summed(
    n_queries, n_keys, n_heads, d_head, d_latent, d_rotary=0, d_value=None, absorbed=False
):
    total, e = 0, d_value if d_value is not None else d_head
    for _ in range(n_heads):
        for width in (d_head, e):
            total += (n_queries if absorbed else n_keys) * d_latent * width
            total += n_queries * n_keys * (d_latent if absorbed else width)
        total += n_queries * n_keys * d_rotary
    return total


def wrong_latent_multiply_adds__forms_exchanged(
    n_queries, n_keys, n_heads, d_head, d_latent, d_rotary=0, d_value=None, absorbed=False
):
    """Absorbing seems to cost what it saves"""
    l, s, h, d, r, p = n_queries, n_keys, n_heads, d_head, d_latent, d_rotary
    e = d if d_value is None else d_value
    if not absorbed:
        return h * (l * r * (d + e) + l * s * (2 * r + p))
    return h * (s * r * (d + e) + l * s * (d + p + e))


def wrong_latent_multiply_adds__no_projections(
    n_queries, n_keys, n_heads, d_head, d_latent, d_rotary=0, d_value=None, absorbed=False
):
    """Absorbing never pays"""
    e = d_head if d_value is None else d_value
    return n_heads * n_queries * n_keys * ((2 * d_latent if absorbed else d_head + e) + d_rotary)


def wrong_latent_multiply_adds__rotary_twice(
    n_queries, n_keys, n_heads, d_head, d_latent, d_rotary=0, d_value=None, absorbed=False
):
    """The rotary part is counted twice"""
    l, s, h, d, r, p = n_queries, n_keys, n_heads, d_head, d_latent, d_rotary
    e = d if d_value is None else d_value
    if absorbed:
        return h * (l * r * (d + e) + l * s * (2 * r + 2 * p))
    return h * (s * r * (d + e) + l * s * (d + 2 * p + e))


def wrong_latent_multiply_adds__values_as_wide_as_keys(
    n_queries, n_keys, n_heads, d_head, d_latent, d_rotary=0, d_value=None, absorbed=False
):
    """`d_value` makes no difference"""
    l, s, h, d, r, p = n_queries, n_keys, n_heads, d_head, d_latent, d_rotary
    if absorbed:
        return h * (2 * l * r * d + l * s * (2 * r + p))
    return h * (2 * s * r * d + l * s * (2 * d + p))


def wrong_latent_multiply_adds__shared_projection(
    n_queries, n_keys, n_heads, d_head, d_latent, d_rotary=0, d_value=None, absorbed=False
):
    l, s, h, d, r, p = n_queries, n_keys, n_heads, d_head, d_latent, d_rotary
    e = d if d_value is None else d_value
    if absorbed:
        return l * r * (d + e) + h * l * s * (2 * r + p)
    return s * r * (d + e) + h * l * s * (d + p + e)


def wrong_latent_multiply_adds__latent_read_once(
    n_queries, n_keys, n_heads, d_head, d_latent, d_rotary=0, d_value=None, absorbed=False
):
    l, s, h, d, r, p = n_queries, n_keys, n_heads, d_head, d_latent, d_rotary
    e = d if d_value is None else d_value
    if absorbed:
        return h * (l * r * (d + e) + l * s * (r + p))
    return h * (s * r * (d + e) + l * s * (d + p + e))


def right_queries_at_par__solution(d_head, d_latent, d_value):
    return d_latent * (d_head + d_value) / (2 * d_latent - d_head - d_value)


def right_queries_at_par__per_key(d_head, d_latent, d_value):
    projecting, pair = d_latent * (d_head + d_value), 2 * d_latent - (d_head + d_value)
    return projecting / pair


def right_queries_at_par__reciprocals(d_head, d_latent, d_value):
    return 1 / (2 / (d_head + d_value) - 1 / d_latent)


def wrong_queries_at_par__one_width(d_head, d_latent, d_value):
    """`d_head` stands where `d_value` belongs"""
    return d_latent * d_head / (d_latent - d_head)


def wrong_queries_at_par__scores_only(d_head, d_latent, d_value):
    """Averages are not counted"""
    return d_latent * (d_head + d_value) / (d_latent - d_head)


def wrong_queries_at_par__sum(d_head, d_latent, d_value):
    """What keys and values of a head cost is added, not saved"""
    return d_latent * (d_head + d_value) / (2 * d_latent + d_head + d_value)


def wrong_queries_at_par__ratio(d_head, d_latent, d_value):
    return 2 * d_latent / (d_head + d_value)


def wrong_queries_at_par__upside_down(d_head, d_latent, d_value):
    """solve for the queries"""
    return (2 * d_latent - d_head - d_value) / (d_latent * (d_head + d_value))


def wrong_queries_at_par__projection_of_keys(d_head, d_latent, d_value):
    """Line 3"""
    return d_latent * d_head / (2 * d_latent - d_head - d_value)


def right_factorize__solution(w, rank, x=None):
    _, _, vt = np.linalg.svd(w if x is None else x @ w)
    return w @ vt[:rank].T, vt[:rank]


def right_factorize__eigenvectors(w, rank, x=None):
    y = w if x is None else x @ w
    v = np.linalg.eigh(y.T @ y)[1][:, ::-1][:, :rank]
    return w @ v, v.T


def right_factorize__whitening(w, rank, x=None):
    x = np.eye(len(w)) if x is None else x
    factor = np.linalg.cholesky(x.T @ x)
    u, s, vt = np.linalg.svd(factor.T @ w, full_matrices=False)
    return np.linalg.solve(factor.T, u[:, :rank] * s[:rank]), vt[:rank]


def right_factorize__own_svd(w, rank, x=None):
    if x is None:
        u, s, vt = svd(w)
        return u[:, :rank] * s[:rank], vt[:rank]
    vt = svd(x @ w)[2][:rank]
    return w @ vt.T, vt


def wrong_factorize__inputs_ignored(w, rank, x=None):
    """`x` makes no difference"""
    u, s, vt = np.linalg.svd(w, full_matrices=False)
    return u[:, :rank] * s[:rank], vt[:rank]


def wrong_factorize__whitening_not_undone(w, rank, x=None):
    """right wherever `x` is left out"""
    if x is None:
        x = np.eye(len(w))
    factor = np.linalg.cholesky(x.T @ x)
    u, s, vt = np.linalg.svd(factor.T @ w, full_matrices=False)
    return u[:, :rank] * s[:rank], vt[:rank]


def wrong_factorize__covariance(w, rank, x=None):
    """Inputs count by their squares"""
    target = w if x is None else (x.T @ x) @ w
    vt = np.linalg.svd(target)[2][:rank]
    return w @ vt.T, vt


def wrong_factorize__singular_values_twice(w, rank, x=None):
    """Line 4"""
    _, s, vt = np.linalg.svd(w if x is None else x @ w, full_matrices=False)
    return w @ vt[:rank].T * s[:rank], vt[:rank]


def wrong_factorize__one_too_few(w, rank, x=None):
    _, _, vt = np.linalg.svd(w if x is None else x @ w)
    return w @ vt[: rank - 1].T, vt[: rank - 1]


def wrong_factorize__smallest(w, rank, x=None):
    """What matters most is lost"""
    y = w if x is None else x @ w
    v = np.linalg.eigh(y.T @ y)[1][:, :rank]
    return w @ v, v.T


def wrong_factorize__centered_inputs(w, rank, x=None):
    """Line 3"""
    y = w if x is None else (x - x.mean(axis=0)) @ w
    vt = np.linalg.svd(y)[2][:rank]
    return w @ vt.T, vt


def right_absorb__slices(w, w_up, n_heads):
    d, r = w.shape[-1] // n_heads, w_up.shape[0]
    out = np.zeros((*w.shape[:-1], n_heads * r), dtype=w.dtype)
    for i in range(n_heads):
        mine = slice(i * d, (i + 1) * d)
        out[..., i * r : (i + 1) * r] = w[..., mine] @ w_up[:, mine].T
    return out


def right_absorb__reshaped_einsum(w, w_up, n_heads):
    a = w.reshape(*w.shape[:-1], n_heads, -1)
    b = w_up.reshape(w_up.shape[0], n_heads, -1)
    return np.einsum("...nhd,rhd->...nhr", a, b).reshape(*w.shape[:-1], -1)


def right_absorb__numbers(w, w_up, n_heads):
    d, r = w.shape[-1] // n_heads, len(w_up)
    out = np.empty((*w.shape[:-1], n_heads * r))
    for at in np.ndindex(*w.shape[:-1]):
        for i in range(n_heads):
            for k in range(r):
                out[at][i * r + k] = sum(w[at][i * d + c] * w_up[k, i * d + c] for c in range(d))
    return out


def wrong_absorb__columns_interleaved(w, w_up, n_heads):
    """Each head takes every h-th column"""
    a = w.reshape(*w.shape[:-1], -1, n_heads)
    b = w_up.reshape(w_up.shape[0], -1, n_heads)
    return np.einsum("...ndh,rdh->...nhr", a, b).reshape(*w.shape[:-1], -1)


def wrong_absorb__result_interleaved(w, w_up, n_heads):
    """Line 5"""
    a = w.reshape(*w.shape[:-1], n_heads, -1)
    b = w_up.reshape(w_up.shape[0], n_heads, -1)
    return np.einsum("...nhd,rhd->...nrh", a, b).reshape(*w.shape[:-1], -1)


def wrong_absorb__heads_for_width(w, w_up, n_heads):
    """Line 3"""
    n = w.shape[-1] // n_heads
    blocks = zip(np.split(w, n, axis=-1), np.split(w_up, n, axis=-1), strict=False)
    return np.concatenate([a @ b.T for a, b in blocks], axis=-1)


def wrong_absorb__pseudo_inverse(w, w_up, n_heads):
    blocks = zip(np.split(w, n_heads, axis=-1), np.split(w_up, n_heads, axis=-1), strict=False)
    return np.concatenate([a @ np.linalg.pinv(b) for a, b in blocks], axis=-1)


def wrong_absorb__leading_axes_flattened(w, w_up, n_heads):
    """The numbers are right, but their shape is not"""
    a = w.reshape(-1, n_heads, w.shape[-1] // n_heads)
    b = w_up.reshape(w_up.shape[0], n_heads, -1)
    return np.einsum("nhd,rhd->nhr", a, b).reshape(len(a), -1)


def wrong_absorb__not_transposed(w, w_up, n_heads):
    """Line 3"""
    blocks = zip(np.split(w, n_heads, axis=-1), np.split(w_up, n_heads, axis=-1), strict=False)
    return np.concatenate([a @ b for a, b in blocks], axis=-1)


def wrong_absorb__same_head_of_w(w, w_up, n_heads):
    d = w.shape[-1] // n_heads
    return np.concatenate([w[..., :d] @ b.T for b in np.split(w_up, n_heads, axis=-1)], axis=-1)


def wrong_absorb__rows_of_up(w, w_up, n_heads):
    """Line 4"""
    d, r = w.shape[-1] // n_heads, w_up.shape[0]
    up = w_up.reshape(n_heads, d, r)
    return merge_heads(split_heads(w, n_heads) @ up)


def wrong_absorb__stacked_along_rows(w, w_up, n_heads):
    """Line 4"""
    blocks = zip(np.split(w, n_heads, axis=-1), np.split(w_up, n_heads, axis=-1), strict=False)
    return np.concatenate([a @ b.T for a, b in blocks], axis=-2)


def right_absorbed_latent_attention__einsum(q, c, w_uk, w_uv, mask=None, bias=None, scale=None):
    h, r = q.shape[-3], w_uk.shape[0]
    uk, uv = w_uk.reshape(r, h, -1), w_uv.reshape(r, h, -1)
    d = uk.shape[-1]
    c_kv, c_rot = c[..., :r], c[..., r:]
    down = np.einsum("...hld,rhd->...hlr", q[..., :d], uk)
    s = np.einsum("...hlr,...sr->...hls", down, c_kv) + np.einsum("...hlp,...sp->...hls", q[..., d:], c_rot)
    s = s * (1 / math.sqrt(q.shape[-1]) if scale is None else scale)
    if bias is not None:
        s = s + bias
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    return np.einsum("...hls,...sr,rhe->...hle", softmax(s), c_kv, uv)


def right_absorbed_latent_attention__heads_in_a_list(q, c, w_uk, w_uv, mask=None, bias=None, scale=None):
    h, r = q.shape[-3], len(w_uk)
    d, e = w_uk.shape[1] // h, w_uv.shape[1] // h
    if scale is None:
        scale = (d + c.shape[-1] - r) ** -0.5
    out = []
    for i in range(h):
        asking = np.concatenate([q[..., i, :, :d] @ w_uk[:, i * d : (i + 1) * d].T, q[..., i, :, d:]], -1)
        m = mask[..., i, :, :] if mask is not None and mask.ndim > 2 else mask
        b = bias[..., i, :, :] if bias is not None and bias.ndim > 2 else bias
        out.append(attention(asking, c, c[..., :r], m, b, scale) @ w_uv[:, i * e : (i + 1) * e])
    return np.stack(out, axis=-3)


def right_absorbed_latent_attention__torch(q, c, w_uk, w_uv, mask=None, bias=None, scale=None):
    q, c, w_uk, w_uv = (torch.tensor(np.array(it)) for it in (q, c, w_uk, w_uv))
    h, r = q.shape[-3], w_uk.shape[0]
    uk, uv = (w.unflatten(1, (h, -1)).movedim(1, 0) for w in (w_uk, w_uv))
    d = uk.shape[-1]
    asking = torch.cat([q[..., :d] @ uk.mT, q[..., d:]], dim=-1)
    scores = asking @ c.unsqueeze(-3).mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    if bias is not None:
        scores = scores + torch.tensor(np.array(bias))
    if mask is not None:
        scores = scores.masked_fill(~torch.tensor(np.array(mask)), -math.inf)
    weights = torch.nan_to_num(torch.softmax(scores, -1))
    return (weights @ c.unsqueeze(-3)[..., :r] @ uv).numpy()


def _asking(q, w_uk):
    h = q.shape[-3]
    d = w_uk.shape[-1] // h
    return np.concatenate([q[..., :d] @ split_heads(w_uk, h).mT, q[..., d:]], axis=-1)


def wrong_absorbed_latent_attention__rotary_first(q, c, w_uk, w_uv, mask=None, bias=None, scale=None):
    """Rotary parts of queries meet latents"""
    h, r = q.shape[-3], w_uk.shape[0]
    d = w_uk.shape[-1] // h
    asking = np.concatenate([q[..., d:], q[..., :d] @ split_heads(w_uk, h).mT], axis=-1)
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    latent = multi_query_attention(asking, c, c[..., :r], mask, bias, scale)
    return latent @ split_heads(w_uv, h)


def wrong_absorbed_latent_attention__mask_inverted(q, c, w_uk, w_uv, mask=None, bias=None, scale=None):
    """Line 7"""
    h, r = q.shape[-3], w_uk.shape[0]
    d = w_uk.shape[-1] // h
    asking = np.concatenate([q[..., :d] @ split_heads(w_uk, h).mT, q[..., d:]], axis=-1)
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    mask = None if mask is None else ~mask
    latent = multi_query_attention(asking, c, c[..., :r], mask, bias, scale)
    return latent @ split_heads(w_uv, h)


def wrong_absorbed_latent_attention__heads_merged(q, c, w_uk, w_uv, mask=None, bias=None, scale=None):
    """Line 8"""
    h, r = q.shape[-3], w_uk.shape[0]
    d = w_uk.shape[-1] // h
    asking = np.concatenate([q[..., :d] @ split_heads(w_uk, h).mT, q[..., d:]], axis=-1)
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    latent = multi_query_attention(asking, c, c[..., :r], mask, bias, scale)
    return merge_heads(latent @ split_heads(w_uv, h))


def wrong_absorbed_latent_attention__scale_without_rotary(q, c, w_uk, w_uv, mask=None, bias=None, scale=None):
    """Rows are sharper than they should be"""
    h, r = q.shape[-3], w_uk.shape[0]
    d = w_uk.shape[-1] // h
    asking = np.concatenate([q[..., :d] @ split_heads(w_uk, h).mT, q[..., d:]], axis=-1)
    scale = d**-0.5 if scale is None else scale
    latent = multi_query_attention(asking, c, c[..., :r], mask, bias, scale)
    return latent @ split_heads(w_uv, h)


def wrong_absorbed_latent_attention__scale_ignored(q, c, w_uk, w_uv, mask=None, bias=None, scale=None):
    """`scale` makes no difference"""
    h, r = q.shape[-3], w_uk.shape[0]
    d = w_uk.shape[-1] // h
    asking = np.concatenate([q[..., :d] @ split_heads(w_uk, h).mT, q[..., d:]], axis=-1)
    latent = multi_query_attention(asking, c, c[..., :r], mask, bias, q.shape[-1] ** -0.5)
    return latent @ split_heads(w_uv, h)


def wrong_absorbed_latent_attention__softmax_over_queries(q, c, w_uk, w_uv, mask=None, bias=None, scale=None):
    """Line 7"""
    h, r = q.shape[-3], w_uk.shape[0]
    s = _asking(q, w_uk) @ c[..., None, :, :].mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    s = s + (0 if bias is None else bias)
    s = s if mask is None else np.where(mask, s, -np.inf)
    return softmax(s, axis=-2) @ c[..., None, :, :r] @ split_heads(w_uv, h)


def wrong_absorbed_latent_attention__bias_scaled(q, c, w_uk, w_uv, mask=None, bias=None, scale=None):
    """Line 6"""
    h, r = q.shape[-3], w_uk.shape[0]
    s = _asking(q, w_uk) @ c[..., None, :, :].mT
    s = s + (0 if bias is None else bias)
    s = s * (q.shape[-1] ** -0.5 if scale is None else scale)
    s = s if mask is None else np.where(mask, s, -np.inf)
    return softmax(s) @ c[..., None, :, :r] @ split_heads(w_uv, h)


def wrong_absorbed_latent_attention__naive_softmax(q, c, w_uk, w_uv, mask=None, bias=None, scale=None):
    """Line 6"""
    h, r = q.shape[-3], w_uk.shape[0]
    s = _asking(q, w_uk) @ c[..., None, :, :].mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    s = s + (0 if bias is None else bias)
    e = np.exp(s) if mask is None else np.where(mask, np.exp(s), 0)
    total = e.sum(-1, keepdims=True)
    weights = e / np.where(total == 0, 1, total)
    return weights @ c[..., None, :, :r] @ split_heads(w_uv, h)


def wrong_absorbed_latent_attention__not_projected_up(q, c, w_uk, w_uv, mask=None, bias=None, scale=None):
    """The result is as wide as a latent"""
    h, r = q.shape[-3], w_uk.shape[0]
    d = w_uk.shape[-1] // h
    asking = np.concatenate([q[..., :d] @ split_heads(w_uk, h).mT, q[..., d:]], axis=-1)
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    return multi_query_attention(asking, c, c[..., :r], mask, bias, scale)


def wrong_absorbed_latent_attention__keys_up_for_values(q, c, w_uk, w_uv, mask=None, bias=None, scale=None):
    h, r = q.shape[-3], w_uk.shape[0]
    d = w_uk.shape[-1] // h
    asking = np.concatenate([q[..., :d] @ split_heads(w_uv, h).mT, q[..., d:]], axis=-1)
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    latent = multi_query_attention(asking, c, c[..., :r], mask, bias, scale)
    return latent @ split_heads(w_uk, h)


def right_latent_multiply_adds__list_of_products(
    n_queries, n_keys, n_heads, d_head, d_latent, d_rotary=0, d_value=None, absorbed=False
):
    l, s, d, r, p = n_queries, n_keys, d_head, d_latent, d_rotary
    e = d if d_value is None else d_value
    if absorbed:
        products = [(l, d, r), (l, r + p, s), (l, s, r), (l, r, e)]
    else:
        products = [(s, r, d), (s, r, e), (l, d + p, s), (l, s, e)]
    return n_heads * sum(math.prod(it) for it in products)


def right_latent_multiply_adds__loop_over_heads(
    n_queries, n_keys, n_heads, d_head, d_latent, d_rotary=0, d_value=None, absorbed=False
):
    e, total = d_head if d_value is None else d_value, 0
    for _ in range(n_heads):
        if absorbed:
            total += n_queries * d_head * d_latent + n_queries * d_latent * e
            total += n_queries * n_keys * (d_latent + d_rotary) + n_queries * n_keys * d_latent
        else:
            total += n_keys * d_latent * d_head + n_keys * d_latent * e
            total += n_queries * n_keys * (d_head + d_rotary) + n_queries * n_keys * e
    return total


def right_latent_multiply_adds__floats(
    n_queries, n_keys, n_heads, d_head, d_latent, d_rotary=0, d_value=None, absorbed=False
):
    e = d_head if d_value is None else d_value
    l, s, h, d, r, p = map(float, (n_queries, n_keys, n_heads, d_head, d_latent, d_rotary))
    return h * (l * r * (d + e) + l * s * (2 * r + p)) if absorbed else h * (s * r * (d + e) + l * s * (d + p + e))


def wrong_latent_multiply_adds__latent_once(
    n_queries, n_keys, n_heads, d_head, d_latent, d_rotary=0, d_value=None, absorbed=False
):
    """Line 7"""
    e = d_head if d_value is None else d_value
    if absorbed:
        return n_heads * (n_queries * d_latent * (d_head + e) + n_queries * n_keys * (d_latent + d_rotary))
    return n_heads * (n_keys * d_latent * (d_head + e) + n_queries * n_keys * (d_head + d_rotary + e))


def wrong_latent_multiply_adds__operations(
    n_queries, n_keys, n_heads, d_head, d_latent, d_rotary=0, d_value=None, absorbed=False
):
    """The result is twice the right one"""
    e = d_head if d_value is None else d_value
    if absorbed:
        return 2 * n_heads * (n_queries * d_latent * (d_head + e) + n_queries * n_keys * (2 * d_latent + d_rotary))
    return 2 * n_heads * (n_keys * d_latent * (d_head + e) + n_queries * n_keys * (d_head + d_rotary + e))


def wrong_latent_multiply_adds__no_rotary_if_absorbed(
    n_queries, n_keys, n_heads, d_head, d_latent, d_rotary=0, d_value=None, absorbed=False
):
    """Line 7"""
    e = d_head if d_value is None else d_value
    if absorbed:
        return n_heads * (n_queries * d_latent * (d_head + e) + n_queries * n_keys * 2 * d_latent)
    return n_heads * (n_keys * d_latent * (d_head + e) + n_queries * n_keys * (d_head + d_rotary + e))


def wrong_latent_multiply_adds__values_not_projected(
    n_queries, n_keys, n_heads, d_head, d_latent, d_rotary=0, d_value=None, absorbed=False
):
    """Line 7"""
    e = d_head if d_value is None else d_value
    if absorbed:
        return n_heads * (n_queries * d_latent * d_head + n_queries * n_keys * (2 * d_latent + d_rotary))
    return n_heads * (n_keys * d_latent * (d_head + e) + n_queries * n_keys * (d_head + d_rotary + e))


def wrong_latent_multiply_adds__keys_projected_always(
    n_queries, n_keys, n_heads, d_head, d_latent, d_rotary=0, d_value=None, absorbed=False
):
    e = d_head if d_value is None else d_value
    pair = 2 * d_latent if absorbed else d_head + e
    return n_heads * (n_keys * d_latent * (d_head + e) + n_queries * n_keys * (pair + d_rotary))


def wrong_latent_multiply_adds__bracket(
    n_queries, n_keys, n_heads, d_head, d_latent, d_rotary=0, d_value=None, absorbed=False
):
    """Line 7"""
    e = d_head if d_value is None else d_value
    if absorbed:
        return n_heads * n_queries * d_latent * (d_head + e) + n_queries * n_keys * (2 * d_latent + d_rotary)
    return n_heads * n_keys * d_latent * (d_head + e) + n_queries * n_keys * (d_head + d_rotary + e)


def wrong_latent_multiply_adds__causal_half(
    n_queries, n_keys, n_heads, d_head, d_latent, d_rotary=0, d_value=None, absorbed=False
):
    """Line 7"""
    e = d_head if d_value is None else d_value
    projected, pair = (n_queries, 2 * d_latent) if absorbed else (n_keys, d_head + e)
    return n_heads * (projected * d_latent * (d_head + e) + n_queries * n_keys * (pair + d_rotary) // 2)


def wrong_latent_multiply_adds__rotary_projected(
    n_queries, n_keys, n_heads, d_head, d_latent, d_rotary=0, d_value=None, absorbed=False
):
    """Line 7"""
    e = d_head if d_value is None else d_value
    projected, pair = (n_queries, 2 * d_latent) if absorbed else (n_keys, d_head + e)
    each = projected * d_latent * (d_head + d_rotary + e) + n_queries * n_keys * (pair + d_rotary)
    return n_heads * each


def right_queries_at_par__numbers(d_head, d_latent, d_value):
    s = 1e15
    width = d_head + d_value

    def gains(n):
        return n * d_latent * width + n * s * 2 * d_latent < s * d_latent * width + n * s * width

    low, high = 0.0, 1e9
    for _ in range(200):
        mid = (low + high) / 2
        low, high = (mid, high) if gains(mid) else (low, mid)
    return low


def right_queries_at_par__fraction(d_head, d_latent, d_value):
    width = d_head + d_value
    return float(Fraction(d_latent * width, 2 * d_latent - width))


def right_queries_at_par__solve(d_head, d_latent, d_value):
    per_query = np.array([[2 * d_latent - (d_head + d_value)]], float)
    return np.linalg.solve(per_query, [d_latent * (d_head + d_value)])[0]


def wrong_queries_at_par__latent_once(d_head, d_latent, d_value):
    """Line 3"""
    return d_latent * (d_head + d_value) / (d_latent - d_head - d_value)


def wrong_queries_at_par__sign_of_the_value(d_head, d_latent, d_value):
    """Line 3"""
    return d_latent * (d_head + d_value) / (2 * d_latent - d_head + d_value)


def wrong_queries_at_par__whole(d_head, d_latent, d_value):
    """Line 3"""
    return d_latent * (d_head + d_value) // (2 * d_latent - d_head - d_value)


def wrong_queries_at_par__all_added(d_head, d_latent, d_value):
    """What keys and values of a head cost is added, not saved"""
    return d_latent * (d_head + d_value) / (2 * d_latent + d_head + d_value)


def wrong_queries_at_par__keys_only(d_head, d_latent, d_value):
    """Line 3"""
    return d_latent * d_head / (2 * d_latent - d_head - d_value)


def wrong_queries_at_par__negative(d_head, d_latent, d_value):
    """The result has the opposite sign"""
    return d_latent * (d_head + d_value) / (d_head + d_value - 2 * d_latent)


def wrong_queries_at_par__no_latent_above(d_head, d_latent, d_value):
    """Line 3"""
    return (d_head + d_value) / (2 * d_latent - d_head - d_value)


def wrong_queries_at_par__twice(d_head, d_latent, d_value):
    """The result is twice the right one"""
    return 2 * d_latent * (d_head + d_value) / (2 * d_latent - d_head - d_value)


def right_factorize__roots_on_both_sides(w, rank, x=None):
    if x is None:
        u, s, vt = np.linalg.svd(w, full_matrices=False)
        return u[:, :rank] * np.sqrt(s[:rank]), np.sqrt(s[:rank])[:, None] * vt[:rank]
    u, s, vt = np.linalg.svd(x @ w, full_matrices=False)
    return w @ vt[:rank].T, vt[:rank]


def right_factorize__least_squares(w, rank, x=None):
    y = w if x is None else x @ w
    u, s, vt = np.linalg.svd(y, full_matrices=False)
    down = u[:, :rank] * s[:rank]
    if x is not None:
        down = np.linalg.lstsq(x, down, rcond=None)[0]
    return down, vt[:rank]


def right_factorize__torch(w, rank, x=None):
    t = torch.tensor(np.array(w))
    y = t if x is None else torch.tensor(np.array(x)) @ t
    v = torch.linalg.svd(y, full_matrices=False).Vh[:rank].mT
    return (t @ v).numpy(), v.mT.numpy()


def right_factorize__gram(w, rank, x=None):
    y = w if x is None else x @ w
    _values, vectors = scipy.linalg.eigh(y.T @ y)
    top = vectors[:, ::-1][:, :rank]
    return w @ top, top.T


def wrong_factorize__up_first(w, rank, x=None):
    """The parts are right, but in another order: they have changed places."""
    vt = np.linalg.svd(w if x is None else x @ w, full_matrices=False)[2][:rank]
    return vt, w @ vt.T


def wrong_factorize__last_vectors(w, rank, x=None):
    """What matters most is lost"""
    y = w if x is None else x @ w
    vectors = np.linalg.eigh(y.T @ y)[1][:, :rank]
    return w @ vectors, vectors.T


def wrong_factorize__no_singular_values(w, rank, x=None):
    """Without inputs, all that is kept has length 1"""
    u, _s, vt = np.linalg.svd(w if x is None else x @ w, full_matrices=False)
    if x is not None:
        return w @ vt[:rank].T, vt[:rank]
    return u[:, :rank], vt[:rank]


def wrong_factorize__svd_of_the_inputs(w, rank, x=None):
    """The calls that fail come out right with `x` left out"""
    if x is None:
        vt = np.linalg.svd(w, full_matrices=False)[2][:rank]
        return w @ vt.T, vt
    vt = np.linalg.svd(x, full_matrices=False)[2][:rank]
    return vt.T, vt @ w


def wrong_factorize__product(w, rank, x=None):
    """The result is right as far as it goes, and lacks"""
    vt = np.linalg.svd(w if x is None else x @ w, full_matrices=False)[2][:rank]
    return w @ vt.T @ vt


def wrong_factorize__factors_of_the_outputs(w, rank, x=None):
    """With inputs, the product is x @ w, not w"""
    u, s, vt = np.linalg.svd(w if x is None else x @ w, full_matrices=False)
    return u[:, :rank] * s[:rank], vt[:rank]


def wrong_factorize__root_on_one_side(w, rank, x=None):
    """Line 7"""
    if x is not None:
        vt = np.linalg.svd(x @ w, full_matrices=False)[2][:rank]
        return w @ vt.T, vt
    u, s, vt = np.linalg.svd(w, full_matrices=False)
    return u[:, :rank] * np.sqrt(s[:rank]), vt[:rank]


def wrong_factorize__first_columns(w, rank, x=None):
    """`columns of w_down` is right in every call, `w_down @ w_up` is not."""
    y = w if x is None else x @ w
    basis = w[:, :rank]
    return basis, np.linalg.lstsq(y[:, :rank], y, rcond=None)[0]


def wrong_factorize__columns_of_vt(w, rank, x=None):
    """Line 3"""
    vt = np.linalg.svd(w if x is None else x @ w)[2]
    return w @ vt[:, :rank], vt[:, :rank].T


def wrong_factorize__inputs_by_their_lengths(w, rank, x=None):
    """Inputs count by their sizes"""
    if x is None:
        vt = np.linalg.svd(w, full_matrices=False)[2][:rank]
        return w @ vt.T, vt
    lengths = np.linalg.norm(x, axis=0)
    vt = np.linalg.svd(lengths[:, None] * w, full_matrices=False)[2][:rank]
    return w @ vt.T, vt


def wrong_absorb__rows_divided(w, w_up, n_heads):
    """each gets other rows of the up-projection"""
    heads = w.reshape(*w.shape[:-1], n_heads, -1)
    return np.einsum("...nhd,hrd->...nhr", heads, w_up.reshape(n_heads, len(w_up), -1)).reshape(*w.shape[:-1], -1)


def wrong_absorbed_latent_attention__rows_divided(q, c, w_uk, w_uv, mask=None, bias=None, scale=None):
    """each gets other rows of the up-projections"""
    h, r = q.shape[-3], w_uk.shape[0]
    up_k, up_v = w_uk.reshape(h, r, -1), w_uv.reshape(h, r, -1)
    d = up_k.shape[-1]
    asking = np.concatenate([q[..., :d] @ up_k.mT, q[..., d:]], axis=-1)
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    return multi_query_attention(asking, c, c[..., :r], mask, bias, scale) @ up_v


def wrong_absorbed_latent_attention__heads_of_four_axes(q, c, w_uk, w_uv, mask=None, bias=None, scale=None):
    """is where it fails"""
    h, r = q.shape[-3], len(w_uk)
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    out = []
    for i, (up, v_up) in enumerate(zip(np.split(w_uk, h, 1), np.split(w_uv, h, 1), strict=True)):
        one = q[..., i, :, :]
        asking = np.concatenate([one[..., : up.shape[1]] @ up.T, one[..., up.shape[1] :]], -1)
        own = [x[:, i] if x is not None and x.ndim > 3 else x for x in (mask, bias)]
        out.append(attention(asking, c, c[..., :r], *own, scale) @ v_up)
    return np.stack(out, axis=-3)


def wrong_absorbed_latent_attention__values_by_rows(q, c, w_uk, w_uv, mask=None, bias=None, scale=None):
    """right with no more columns of `w_uv` than rows"""
    h, r = q.shape[-3], len(w_uk)
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    d, e = w_uk.shape[1] // h, len(w_uv) // h
    up = w_uk.reshape(r, h, d).swapaxes(0, 1)
    asking = np.concatenate([q[..., :d] @ up.mT, q[..., d:]], -1)
    mean = multi_query_attention(asking, c, c[..., :r], mask, bias, scale)
    return mean @ np.stack([w_uv[:, i * e : (i + 1) * e] for i in range(h)])


def wrong_absorb__transposed_where_it_must_be(w, w_up, n_heads):
    """Line 5"""
    joined = []
    for a, b in zip(np.split(w, n_heads, -1), np.split(w_up, n_heads, -1), strict=True):
        joined.append(a @ b if a.shape[-1] == b.shape[0] else a @ b.T)
    return np.concatenate(joined, -1)


def right_queries_at_par__exact_fraction(d_head, d_latent, d_value):
    return Fraction(d_latent * (d_head + d_value), 2 * d_latent - d_head - d_value)


def right_queries_at_par__decimal(d_head, d_latent, d_value):
    return Decimal(d_latent * (d_head + d_value)) / Decimal(2 * d_latent - d_head - d_value)


def wrong_factorize__smallest_of_all(w, rank, x=None):
    """What matters most is lost"""
    seen = w if x is None else x @ w
    _, v = np.linalg.eigh(seen.T @ seen)
    v = v[:, :rank]
    return w @ v, v.T


def wrong_factorize__lengths_forgotten_without_inputs(w, rank, x=None):
    """Without inputs, all that is kept has length 1"""
    u, _s, vt = np.linalg.svd(w if x is None else x @ w, full_matrices=False)
    if x is None:
        return u[:, :rank], vt[:rank]
    return w @ vt[:rank].T, vt[:rank]


def wrong_absorb__heads_below_each_other(w, w_up, n_heads):
    """The heads stand below each other"""
    pairs = zip(np.split(w, n_heads, axis=-1), np.split(w_up, n_heads, axis=-1), strict=True)
    return np.concatenate([a @ b.T for a, b in pairs])


def wrong_queries_at_par__no_parentheses(d_head, d_latent, d_value):
    """Only the 2 divides"""
    return d_latent * (d_head + d_value) / 2 * d_latent - d_head - d_value
