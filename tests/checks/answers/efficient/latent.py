"""Multi-head latent attention, as readers write it."""
# ruff: noqa: E741 (lengths are called l, as in the formula)

import numpy as np
import torch

from mlnotes.attention.multi_head import split_heads
from mlnotes.attention.self_attention import attention
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
    """Line 8"""
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
    """Line 4"""
    y = w if x is None else x @ w
    v = np.linalg.eigh(y.T @ y)[1][:, :rank]
    return w @ v, v.T


def wrong_factorize__centered_inputs(w, rank, x=None):
    """Line 3"""
    y = w if x is None else (x - x.mean(axis=0)) @ w
    vt = np.linalg.svd(y)[2][:rank]
    return w @ vt.T, vt
