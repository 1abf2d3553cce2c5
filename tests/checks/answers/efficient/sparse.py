"""Attention to some keys, as readers write it."""
# ruff: noqa: E741 (lengths are called l, as in the formula)

import math

import numpy as np
import torch

from mlnotes.attention.causal_mask import causal_mask, masked_softmax
from mlnotes.attention.self_attention import attention
from mlnotes.blocks.softmax import softmax


def right_sliding_window_mask__two_masks(n_queries, n_keys, window, offset=0):
    late = causal_mask(n_queries, n_keys, offset)
    rows = np.arange(n_queries)[:, None]
    return late & (np.arange(n_keys)[None] > rows + offset - window)


def right_sliding_window_mask__loop(n_queries, n_keys, window, offset=0):
    mask = np.zeros((n_queries, n_keys), dtype=bool)
    for i in range(n_queries):
        end = i + offset + 1
        mask[i, max(0, end - window) : end] = True
    return mask


def right_sliding_window_mask__triangles(n_queries, n_keys, window, offset=0):
    return np.tri(n_queries, n_keys, offset, dtype=bool) ^ np.tri(n_queries, n_keys, offset - window, dtype=bool)


def wrong_sliding_window_mask__both_sides(n_queries, n_keys, window, offset=0):
    """The window reaches to both sides"""
    i, j = np.ogrid[:n_queries, :n_keys]
    return np.abs(i + offset - j) < window


def wrong_sliding_window_mask__key_before_the_window(n_queries, n_keys, window, offset=0):
    """Each query sees window + 1 keys"""
    i, j = np.ogrid[:n_queries, :n_keys]
    return (j <= i + offset) & (j >= i + offset - window)


def wrong_sliding_window_mask__offset_for_one_end(n_queries, n_keys, window, offset=0):
    """Line 4"""
    i, j = np.ogrid[:n_queries, :n_keys]
    return (j <= i + offset) & (j > i - window)


def wrong_sliding_window_mask__wrapped(n_queries, n_keys, window, offset=0):
    """Line 4"""
    i, j = np.ogrid[:n_queries, :n_keys]
    return (i + offset - j) % n_keys < window


def wrong_sliding_window_mask__blocks(n_queries, n_keys, window, offset=0):
    i, j = np.ogrid[:n_queries, :n_keys]
    return (j <= i + offset) & (j // window == (i + offset) // window)


def wrong_sliding_window_mask__numbers(n_queries, n_keys, window, offset=0):
    """Line 4"""
    i, j = np.ogrid[:n_queries, :n_keys]
    return np.where((j <= i + offset) & (j > i + offset - window), 0.0, -np.inf)


def right_sliding_window_attention__query_by_query(q, k, v, window, scale=None, offset=None):
    l, s = q.shape[-2], k.shape[-2]
    offset = s - l if offset is None else offset
    out = np.zeros((*q.shape[:-1], v.shape[-1]))
    for i in range(l):
        stop = min(s, i + offset + 1)
        start = max(0, i + offset + 1 - window)
        if start < stop:
            keys = slice(start, stop)
            out[..., i, :] = attention(q[..., i : i + 1, :], k[..., keys, :], v[..., keys, :], scale=scale)[..., 0, :]
    return out


def right_sliding_window_attention__masked(q, k, v, window, scale=None, offset=None):
    l, s = q.shape[-2], k.shape[-2]
    ahead = np.arange(l)[:, None] + (s - l if offset is None else offset) - np.arange(s)
    return attention(q, k, v, (ahead >= 0) & (ahead < window), scale=scale)


def right_sliding_window_attention__diagonals(q, k, v, window, scale=None, offset=None):
    l, s = q.shape[-2], k.shape[-2]
    at = np.arange(l)[:, None] + (s - l if offset is None else offset) - np.arange(window)
    real = (at >= 0) & (at < s)
    keys, values = k[..., at.clip(0, s - 1), :], v[..., at.clip(0, s - 1), :]
    scores = (q[..., None, :] * keys).sum(-1) * (q.shape[-1] ** -0.5 if scale is None else scale)
    return (masked_softmax(scores, real)[..., None] * values).sum(-2)


def right_sliding_window_attention__blocks(q, k, v, window, scale=None, offset=None):
    l, s = q.shape[-2], k.shape[-2]
    offset = s - l if offset is None else offset
    parts = []
    for i in range(0, l, window):
        piece = q[..., i : i + window, :]
        start = min(max(0, i + offset - window + 1), s - 1)
        stop = max(start + 1, min(s, i + offset + window))
        gap = (np.arange(i, i + piece.shape[-2])[:, None] + offset) - np.arange(start, stop)
        seen = (0 <= gap) & (gap < window)
        parts.append(attention(piece, k[..., start:stop, :], v[..., start:stop, :], seen, scale=scale))
    return np.concatenate(parts, axis=-2)


def wrong_sliding_window_attention__chunks(q, k, v, window, scale=None, offset=None):
    """the window moves along with the query"""
    l, s = q.shape[-2], k.shape[-2]
    i, j = np.arange(l)[:, None] + (s - l if offset is None else offset), np.arange(s)
    return attention(q, k, v, (j <= i) & (j // window == i // window), scale=scale)


def wrong_sliding_window_attention__one_key_more(q, k, v, window, scale=None, offset=None):
    """Each query sees window + 1 keys"""
    l, s = q.shape[-2], k.shape[-2]
    gap = np.arange(l)[:, None] + (s - l if offset is None else offset) - np.arange(s)
    return attention(q, k, v, (gap >= 0) & (gap <= window), scale=scale)


def wrong_sliding_window_attention__before_itself(q, k, v, window, scale=None, offset=None):
    """The window ends one place too early"""
    l, s = q.shape[-2], k.shape[-2]
    gap = np.arange(l)[:, None] + (s - l if offset is None else offset) - np.arange(s)
    return attention(q, k, v, (gap > 0) & (gap <= window), scale=scale)


def wrong_sliding_window_attention__no_offset(q, k, v, window, scale=None, offset=None):
    """count a query's position from the offset"""
    gap = np.arange(q.shape[-2])[:, None] - np.arange(k.shape[-2])
    return attention(q, k, v, (gap >= 0) & (gap < window), scale=scale)


def wrong_sliding_window_attention__scale_forgotten(q, k, v, window, scale=None, offset=None):
    """`scale` makes no difference"""
    l, s = q.shape[-2], k.shape[-2]
    gap = np.arange(l)[:, None] + (s - l if offset is None else offset) - np.arange(s)
    return attention(q, k, v, (gap >= 0) & (gap < window))


def wrong_sliding_window_attention__zeros_for_hidden_scores(q, k, v, window, scale=None, offset=None):
    """Line 6"""
    l, s = q.shape[-2], k.shape[-2]
    gap = np.arange(l)[:, None] + (s - l if offset is None else offset) - np.arange(s)
    scores = q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    return softmax(np.where((gap >= 0) & (gap < window), scores, 0)) @ v


def wrong_sliding_window_attention__mask_after_softmax(q, k, v, window, scale=None, offset=None):
    """Keys outside of the window keep their share of the weight, and the others get too little"""
    l, s = q.shape[-2], k.shape[-2]
    gap = np.arange(l)[:, None] + (s - l if offset is None else offset) - np.arange(s)
    scores = q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    return np.where((gap >= 0) & (gap < window), softmax(scores), 0) @ v


def wrong_sliding_window_attention__first_window_wraps(q, k, v, window, scale=None, offset=None):
    l, s = q.shape[-2], k.shape[-2]
    at = np.arange(l)[:, None] + (s - l if offset is None else offset) - np.arange(window)
    keys, values = k[..., at % s, :], v[..., at % s, :]
    scores = (q[..., None, :] * keys).sum(-1) * (q.shape[-1] ** -0.5 if scale is None else scale)
    return (softmax(scores)[..., None] * values).sum(-2)


def right_block_sparse_attention__concatenated(q, k, v, layout, block_size, scale=None):
    out = []
    for i in range(layout.shape[0]):
        rows = q[..., i * block_size : (i + 1) * block_size, :]
        here = [slice(j * block_size, (j + 1) * block_size) for j in range(layout.shape[1]) if layout[i, j]]
        if not here:
            out.append(np.zeros((*rows.shape[:-1], v.shape[-1])))
            continue
        keys = np.concatenate([k[..., it, :] for it in here], axis=-2)
        values = np.concatenate([v[..., it, :] for it in here], axis=-2)
        out.append(attention(rows, keys, values, scale=scale))
    return np.concatenate(out, axis=-2)


def right_block_sparse_attention__masked(q, k, v, layout, block_size, scale=None):
    mask = layout.repeat(block_size, axis=0).repeat(block_size, axis=1)
    return attention(q, k, v, mask[: q.shape[-2], : k.shape[-2]], scale=scale)


def right_block_sparse_attention__running_maximum(q, k, v, layout, block_size, scale=None):
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    out = np.zeros((*q.shape[:-1], v.shape[-1]))
    for i, blocks in enumerate(layout):
        rows = slice(i * block_size, (i + 1) * block_size)
        asked = q[..., rows, :]
        top = np.full((*asked.shape[:-1], 1), -1e300)
        total, mean = np.zeros_like(top), np.zeros((*asked.shape[:-1], v.shape[-1]))
        for j in np.flatnonzero(blocks):
            keys = slice(j * block_size, (j + 1) * block_size)
            scores = scale * asked @ k[..., keys, :].mT
            higher = np.maximum(top, scores.max(-1, keepdims=True))
            e, old = np.exp(scores - higher), np.exp(top - higher)
            total, mean, top = total * old + e.sum(-1, keepdims=True), mean * old + e @ v[..., keys, :], higher
        if blocks.any():
            out[..., rows, :] = mean / total
    return out


def right_block_sparse_attention__torch(q, k, v, layout, block_size, scale=None):
    mask = torch.kron(torch.tensor(layout), torch.ones(block_size, block_size, dtype=torch.bool))
    mask = mask[: q.shape[-2], : k.shape[-2]]
    attend = torch.nn.functional.scaled_dot_product_attention
    return attend(*map(torch.tensor, (q, k, v)), attn_mask=mask, scale=scale).numpy()


def wrong_block_sparse_attention__columns(q, k, v, layout, block_size, scale=None):
    """The layout is repeated as a whole"""
    mask = np.tile(layout, (block_size, block_size))
    return attention(q, k, v, mask[: q.shape[-2], : k.shape[-2]], scale=scale)


def wrong_block_sparse_attention__equal_pieces(q, k, v, layout, block_size, scale=None):
    """Blocks are made equally long, whatever block_size is"""
    rows = np.array_split(np.arange(q.shape[-2]), layout.shape[0])
    columns = np.array_split(np.arange(k.shape[-2]), layout.shape[1])
    out = np.zeros((*q.shape[:-1], v.shape[-1]))
    for i, row in enumerate(rows):
        keys = [j for block in np.flatnonzero(layout[i]) for j in columns[block]]
        if keys:
            out[..., row, :] = attention(q[..., row, :], k[..., keys, :], v[..., keys, :], scale=scale)
    return out


def wrong_block_sparse_attention__size_from_the_layout(q, k, v, layout, block_size, scale=None):
    """Blocks are made equally long, whatever block_size is"""
    bq, bk = -(-q.shape[-2] // layout.shape[0]), -(-k.shape[-2] // layout.shape[1])
    mask = np.array([[layout[i // bq, j // bk] for j in range(k.shape[-2])] for i in range(q.shape[-2])])
    return attention(q, k, v, mask, scale=scale)


def wrong_block_sparse_attention__transposed(q, k, v, layout, block_size, scale=None):
    """Line 3"""
    mask = np.kron(layout.T, np.ones((block_size, block_size), bool))
    return attention(q, k, v, mask[: q.shape[-2], : k.shape[-2]], scale=scale)


def wrong_block_sparse_attention__softmax_in_each_block(q, k, v, layout, block_size, scale=None):
    """Each block of keys gets a whole unit"""
    out = np.zeros((*q.shape[:-1], v.shape[-1]))
    for i, j in np.argwhere(layout):
        rows, keys = (slice(n * block_size, (n + 1) * block_size) for n in (i, j))
        out[..., rows, :] += attention(q[..., rows, :], k[..., keys, :], v[..., keys, :], scale=scale)
    return out


def wrong_block_sparse_attention__mean_of_blocks(q, k, v, layout, block_size, scale=None):
    """Each block has a softmax of its own"""
    out = np.zeros((*q.shape[:-1], v.shape[-1]))
    for i, j in np.argwhere(layout):
        rows, keys = (slice(n * block_size, (n + 1) * block_size) for n in (i, j))
        part = attention(q[..., rows, :], k[..., keys, :], v[..., keys, :], scale=scale)
        out[..., rows, :] += part / layout[i].sum()
    return out


def wrong_block_sparse_attention__scale_forgotten(q, k, v, layout, block_size, scale=None):
    """`scale` makes no difference"""
    mask = np.kron(layout, np.ones((block_size, block_size), bool))
    return attention(q, k, v, mask[: q.shape[-2], : k.shape[-2]])


def wrong_block_sparse_attention__causal_too(q, k, v, layout, block_size, scale=None):
    """Line 4"""
    mask = np.kron(layout, np.ones((block_size, block_size), bool))[: q.shape[-2], : k.shape[-2]]
    return attention(q, k, v, mask & causal_mask(*mask.shape, mask.shape[1] - mask.shape[0]), scale=scale)


def wrong_block_sparse_attention__values_not_gathered(q, k, v, layout, block_size, scale=None):
    """Values do not belong to the keys"""
    out = []
    for i, blocks in enumerate(layout):
        rows = q[..., i * block_size : (i + 1) * block_size, :]
        at = np.flatnonzero(blocks.repeat(block_size)[: k.shape[-2]])
        out.append(attention(rows, k[..., at, :], v[..., : len(at), :], scale=scale) if len(at)
                   else np.zeros((*rows.shape[:-1], v.shape[-1])))  # fmt: skip
    return np.concatenate(out, axis=-2)


def right_dilated_window_mask__loop(n, window, dilation):
    mask = np.zeros((n, n), bool)
    for i in range(n):
        for step in range(window):
            if i - step * dilation >= 0:
                mask[i, i - step * dilation] = True
    return mask


def right_dilated_window_mask__sum_of_diagonals(n, window, dilation):
    return sum(np.eye(n, k=-step * dilation, dtype=int) for step in range(window)) > 0


def right_dilated_window_mask__is_in(n, window, dilation):
    gap = np.subtract.outer(np.arange(n), np.arange(n))
    return np.isin(gap, np.arange(window) * dilation)


def wrong_dilated_window_mask__window_in_tokens(n, window, dilation):
    """As many tokens are spanned as should be seen"""
    gap = np.subtract.outer(np.arange(n), np.arange(n))
    return (gap >= 0) & (gap < window) & (gap % dilation == 0)


def wrong_dilated_window_mask__every_key_in_the_span(n, window, dilation):
    """The tokens in between are seen, too"""
    gap = np.subtract.outer(np.arange(n), np.arange(n))
    return (gap >= 0) & (gap < window * dilation)


def wrong_dilated_window_mask__one_more(n, window, dilation):
    """window + 1 tokens are seen"""
    gap = np.subtract.outer(np.arange(n), np.arange(n))
    return np.isin(gap, np.arange(window + 1) * dilation)


def wrong_dilated_window_mask__both_sides(n, window, dilation):
    """The window reaches to both sides"""
    gap = np.subtract.outer(np.arange(n), np.arange(n))
    return np.isin(abs(gap), np.arange(window) * dilation)


def wrong_dilated_window_mask__from_the_key(n, window, dilation):
    """Which keys are seen depends on the key"""
    i, j = np.ogrid[:n, :n]
    return (j <= i) & (i - j < window * dilation) & (j % dilation == 0)


def wrong_dilated_window_mask__gaps_of_dilation(n, window, dilation):
    """Line 4"""
    gap = np.subtract.outer(np.arange(n), np.arange(n))
    return (gap >= 0) & (gap < window * (dilation + 1)) & (gap % (dilation + 1) == 0)


def right_reach__dot(windows, dilations):
    return int(np.dot(np.asarray(windows, int) - 1, np.asarray(dilations, int)))


def right_reach__loop(windows, dilations):
    back = 0
    for layer in range(len(windows)):
        back += dilations[layer] * (windows[layer] - 1)
    return back


def right_reach__differences(windows, dilations):
    return sum(w * r for w, r in zip(windows, dilations)) - sum(dilations)  # noqa: B905


def wrong_reach__last_layer(windows, dilations):
    """Only one layer counts"""
    return (windows[-1] - 1) * dilations[-1]


def wrong_reach__product(windows, dilations):
    """Layers multiply what they should add"""
    return math.prod((w - 1) * r for w, r in zip(windows, dilations, strict=True))


def wrong_reach__windows_in_full(windows, dilations):
    """the window counts the token itself"""
    return sum(w * r for w, r in zip(windows, dilations, strict=True))


def wrong_reach__tokens(windows, dilations):
    """count steps back, not tokens"""
    return 1 + sum((w - 1) * r for w, r in zip(windows, dilations, strict=True))


def wrong_reach__no_dilation(windows, dilations):
    """Only windows count"""
    return sum(w - 1 for w in windows)


def wrong_reach__first_window_for_all(windows, dilations):
    return (windows[0] - 1) * sum(dilations) if windows else 0


def right_pairs_in_window__sum(n, window):
    return sum(min(i + 1, window) for i in range(n))


def right_pairs_in_window__triangle_and_rest(n, window):
    return window * (window + 1) // 2 + (n - window) * window


def right_pairs_in_window__two_triangles(n, window):
    rest = n - window
    return (n * (n + 1) - rest * (rest + 1)) // 2


def wrong_pairs_in_window__full(n, window):
    """the first queries have fewer keys"""
    return n * window


def wrong_pairs_in_window__causal(n, window):
    """The pairs of causal attention"""
    return n * (n + 1) // 2


def wrong_pairs_in_window__triangle_too_large(n, window):
    """Too few by one window"""
    return n * window - window * (window + 1) // 2


def wrong_pairs_in_window__half_window(n, window):
    """Line 3"""
    return n * window - window**2 // 2


def wrong_pairs_in_window__both_ends(n, window):
    """Only full windows are counted: a rectangle is taken off, not a triangle"""
    return n * window - window * (window - 1)


def wrong_pairs_in_window__band_of_a_matrix(n, window):
    """The window reaches to both sides"""
    return n * (2 * window - 1) - window * (window - 1)


def right_dilated_window_mask__remainders(n, window, dilation):
    back = np.subtract.outer(np.arange(n), np.arange(n))
    return (back >= 0) & (back % dilation == 0) & (back // dilation < window)


def right_dilated_window_mask__written(n, window, dilation):
    out = np.zeros((n, n), bool)
    for i in range(n):
        for step in range(window):
            if i - step * dilation >= 0:
                out[i, i - step * dilation] = True
    return out


def right_dilated_window_mask__sliced(n, window, dilation):
    out = torch.zeros(n, n, dtype=torch.bool)
    for i in range(n):
        out[i, [j for j in range(i, -1, -dilation)][:window]] = True
    return out.numpy()


def wrong_dilated_window_mask__wraps(n, window, dilation):
    """The first tokens see the last"""
    out = np.zeros((n, n), bool)
    for i in range(n):
        out[i, (i - dilation * np.arange(window)) % n] = True
    return out


def wrong_dilated_window_mask__transposed(n, window, dilation):
    """The result is transposed"""
    d = np.arange(n) - np.arange(n)[:, None]
    return np.isin(d, dilation * np.arange(window))


def wrong_dilated_window_mask__floats(n, window, dilation):
    """The numbers are right, but their dtype is not"""
    d = np.arange(n)[:, None] - np.arange(n)
    return np.isin(d, dilation * np.arange(window)).astype(float)


def wrong_dilated_window_mask__without_itself(n, window, dilation):
    """Line 4"""
    d = np.arange(n)[:, None] - np.arange(n)
    return np.isin(d, dilation * np.arange(1, window + 1))


def wrong_dilated_window_mask__causal_forgotten(n, window, dilation):
    """Line 4"""
    d = np.arange(n)[:, None] - np.arange(n)
    return (d % dilation == 0) & (d < window * dilation)


def right_reach__numpy(windows, dilations):
    return int(np.sum((np.asarray(windows) - 1) * np.asarray(dilations)))


def right_reach__farthest(windows, dilations):
    at = 0
    for i in range(len(windows)):
        at -= max(k * dilations[i] for k in range(windows[i]))
    return -at


def right_reach__products(windows, dilations):
    return math.fsum(w * r for w, r in zip(windows, dilations, strict=False)) - sum(dilations)


def wrong_reach__farthest_layer(windows, dilations):
    """Only one layer counts"""
    return max((w - 1) * r for w, r in zip(windows, dilations, strict=False))


def wrong_reach__both_less_one(windows, dilations):
    """Line 3"""
    return sum((w - 1) * (r - 1) for w, r in zip(windows, dilations, strict=False))


def wrong_reach__bracket(windows, dilations):
    """Steps beyond the farthest key are counted"""
    return sum(w * r - 1 for w, r in zip(windows, dilations, strict=False))


def wrong_reach__sums_multiplied(windows, dilations):
    """multiply layer by layer"""
    return (sum(windows) - len(windows)) * sum(dilations)


def wrong_reach__returns_too_early(windows, dilations):
    """Line 6"""
    total = 0
    for w, r in zip(windows, dilations, strict=False):
        total += (w - 1) * r
        return total


def right_pairs_in_window__complement(n, window):
    return n * (n + 1) // 2 - (n - window) * (n - window + 1) // 2


def right_pairs_in_window__minimum(n, window):
    return sum(min(i + 1, window) for i in range(n))


def right_pairs_in_window__band(n, window):
    d = np.arange(n)[:, None] - np.arange(n)
    return ((d >= 0) & (d < window)).sum()


def wrong_pairs_in_window__float(n, window):
    """The numbers are right, but their dtype is not"""
    return n * window - window * (window - 1) / 2


def wrong_pairs_in_window__added(n, window):
    """Line 3"""
    return n * window + window * (window - 1) // 2


def wrong_pairs_in_window__not_halved(n, window):
    """Only full windows are counted: a rectangle is taken off, not a triangle"""
    return n * window - window * (window - 1)


def wrong_pairs_in_window__itself_not_counted(n, window):
    """Too few by one window"""
    return sum(min(i, window) for i in range(n))


def wrong_pairs_in_window__one_window_more(n, window):
    """Line 3"""
    return window * (window + 1) // 2 + (n - window + 1) * window


def wrong_pairs_in_window__precedence(n, window):
    """Line 3"""
    return (n * window - window * (window - 1)) // 2


def _masked(q, k, v, seen, scale):
    c = q.shape[-1] ** -0.5 if scale is None else scale
    s = np.where(seen, c * q @ k.mT, -np.inf)
    top = s.max(-1, keepdims=True)
    e = np.exp(s - np.where(np.isinf(top), 0, top))
    total = e.sum(-1, keepdims=True)
    return e @ v / np.where(total == 0, 1, total)


def right_sliding_window_attention__own_mask(q, k, v, window, scale=None, offset=None):
    l, s = q.shape[-2], k.shape[-2]
    at = np.arange(l)[:, None] + (s - l if offset is None else offset)
    return attention(q, k, v, (np.arange(s) <= at) & (np.arange(s) > at - window), scale=scale)


def right_sliding_window_attention__torch(q, k, v, window, scale=None, offset=None):
    q, k, v = (torch.tensor(np.array(it)) for it in (q, k, v))
    l, s = q.shape[-2], k.shape[-2]
    back = torch.arange(l)[:, None] + (s - l if offset is None else offset) - torch.arange(s)
    scores = q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    scores = scores.masked_fill((back < 0) | (back >= window), -math.inf)
    return (torch.nan_to_num(torch.softmax(scores, -1)) @ v).numpy()


def wrong_sliding_window_attention__last_window_only(q, k, v, window, scale=None, offset=None):
    return attention(q, k[..., -window:, :], v[..., -window:, :], scale=scale)


def wrong_sliding_window_attention__looks_ahead(q, k, v, window, scale=None, offset=None):
    """The window reaches to both sides"""
    l, s = q.shape[-2], k.shape[-2]
    at = np.arange(l)[:, None] + (s - l if offset is None else offset)
    return attention(q, k, v, abs(np.arange(s) - at) < window, scale=scale)


def wrong_sliding_window_attention__first_of_the_keys(q, k, v, window, scale=None, offset=None):
    """With a cache, new queries see only the oldest keys"""
    l, s = q.shape[-2], k.shape[-2]
    at = np.arange(l)[:, None] + (0 if offset is None else offset)
    return attention(q, k, v, (np.arange(s) <= at) & (np.arange(s) > at - window), scale=scale)


def wrong_sliding_window_attention__offset_ignored(q, k, v, window, scale=None, offset=None):
    """`offset` makes no difference"""
    l, s = q.shape[-2], k.shape[-2]
    at = np.arange(l)[:, None] + s - l
    return attention(q, k, v, (np.arange(s) <= at) & (np.arange(s) > at - window), scale=scale)


def wrong_sliding_window_attention__window_forgotten(q, k, v, window, scale=None, offset=None):
    """Each query sees all keys up to its own"""
    l, s = q.shape[-2], k.shape[-2]
    at = np.arange(l)[:, None] + (s - l if offset is None else offset)
    return attention(q, k, v, np.arange(s) <= at, scale=scale)


def right_block_sparse_attention__whole_mask(q, k, v, layout, block_size, scale=None):
    seen = np.kron(layout, np.ones((block_size, block_size))) > 0
    return attention(q, k, v, seen[: q.shape[-2], : k.shape[-2]], scale=scale)


def right_block_sparse_attention__indices(q, k, v, layout, block_size, scale=None):
    i, j = np.arange(q.shape[-2]) // block_size, np.arange(k.shape[-2]) // block_size
    return _masked(q, k, v, np.asarray(layout)[np.ix_(i, j)], scale)


def wrong_block_sparse_attention__nan_in_empty_rows(q, k, v, layout, block_size, scale=None):
    """Line 6"""
    seen = np.kron(layout, np.ones((block_size, block_size))) > 0
    x = q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    x = np.where(seen[: q.shape[-2], : k.shape[-2]], x, -np.inf)
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ v


def wrong_block_sparse_attention__tiled(q, k, v, layout, block_size, scale=None):
    """The layout is repeated as a whole"""
    seen = np.tile(layout, (block_size, block_size))
    return attention(q, k, v, seen[: q.shape[-2], : k.shape[-2]], scale=scale)


def wrong_block_sparse_attention__inverted(q, k, v, layout, block_size, scale=None):
    """Only the blocks left out are seen"""
    seen = np.kron(~layout, np.ones((block_size, block_size))) > 0
    return attention(q, k, v, seen[: q.shape[-2], : k.shape[-2]], scale=scale)


def wrong_block_sparse_attention__average_in_empty_rows(q, k, v, layout, block_size, scale=None):
    """Line 5"""
    seen = np.kron(layout, np.ones((block_size, block_size))) > 0
    x = q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    return softmax(np.where(seen[: q.shape[-2], : k.shape[-2]], x, -1e30)) @ v


def wrong_sliding_window_attention__offset_zero_false(q, k, v, window, scale=None, offset=None):
    """0 counts as false"""
    l, s = q.shape[-2], k.shape[-2]
    offset = offset or s - l
    g = np.arange(l)[:, None] + offset - np.arange(s)
    return attention(q, k, v, (g >= 0) & (g < window), scale=scale)


def wrong_block_sparse_attention__range_of_blocks(q, k, v, layout, block_size, scale=None):
    """Blocks between those that are named are seen"""
    out = np.zeros((*q.shape[:-1], v.shape[-1]))
    for i, row in enumerate(layout):
        js = np.flatnonzero(row)
        if len(js):
            ks = slice(js[0] * block_size, (js[-1] + 1) * block_size)
            rows = slice(i * block_size, (i + 1) * block_size)
            out[..., rows, :] = attention(q[..., rows, :], k[..., ks, :], v[..., ks, :], scale=scale)
    return out


def wrong_block_sparse_attention__zero_scores(q, k, v, layout, block_size, scale=None):
    """a score of 0 is a score"""
    m = np.kron(layout, np.ones((block_size, block_size), bool))[: q.shape[-2], : k.shape[-2]]
    x = q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale) * m
    return softmax(x) @ v


def wrong_block_sparse_attention__overwritten(q, k, v, layout, block_size, scale=None):
    """Each block of keys overwrites"""
    out = np.zeros((*q.shape[:-1], v.shape[-1]))
    for i, j in np.argwhere(layout):
        rows, keys = slice(i * block_size, (i + 1) * block_size), slice(j * block_size, (j + 1) * block_size)
        out[..., rows, :] = attention(q[..., rows, :], k[..., keys, :], v[..., keys, :], scale=scale)
    return out


def wrong_sliding_window_attention__window_and_one(q, k, v, window, scale=None, offset=None):
    """Each query sees window + 1 keys"""
    l, s = q.shape[-2], k.shape[-2]
    offset = s - l if offset is None else offset
    out = np.zeros((*q.shape[:-1], v.shape[-1]))
    for i in range(l):
        at = slice(max(0, i + offset - window), i + offset + 1)
        if at.start < s:
            out[..., i : i + 1, :] = attention(q[..., i : i + 1, :], k[..., at, :], v[..., at, :], scale=scale)
    return out


def wrong_sliding_window_attention__negative_start(q, k, v, window, scale=None, offset=None):
    """a negative start of a slice counts from the end"""
    l, s = q.shape[-2], k.shape[-2]
    offset = s - l if offset is None else offset
    out = np.zeros((*q.shape[:-1], v.shape[-1]))
    for i in range(l):
        keys, values = (x[..., i + offset - window + 1 : i + offset + 1, :] for x in (k, v))
        if keys.shape[-2]:
            out[..., i : i + 1, :] = attention(q[..., i : i + 1, :], keys, values, scale=scale)
    return out


def wrong_sliding_window_attention__no_key_in_sight(q, k, v, window, scale=None, offset=None):
    """is where it fails"""
    l, s = q.shape[-2], k.shape[-2]
    offset = s - l if offset is None else offset
    rows = []
    for i in range(l):
        at = slice(max(0, i + offset - window + 1), i + offset + 1)
        rows.append(attention(q[..., i : i + 1, :], k[..., at, :], v[..., at, :], scale=scale))
    return np.concatenate(rows, axis=-2)


def wrong_reach__tokens_heard_of(windows, dilations):
    """ask how far back the farthest one is"""
    heard = {0}
    for w, r in zip(windows, dilations, strict=True):
        heard = {h + t * r for h in heard for t in range(w)}
    return len(heard) - 1


def wrong_pairs_in_window__a_full_row_less(n, window):
    """Too few by one window"""
    return window * (window + 1) // 2 + (n - window - 1) * window


def wrong_block_sparse_attention__masked_after_softmax(q, k, v, layout, block_size, scale=None):
    """leave keys out before the softmax"""
    seen = np.kron(layout, np.ones((block_size, block_size)))[: q.shape[-2], : k.shape[-2]] > 0
    scores = (q.shape[-1] ** -0.5 if scale is None else scale) * q @ k.mT
    return softmax(scores) * seen @ v


def wrong_block_sparse_attention__hidden_scores_of_0(q, k, v, layout, block_size, scale=None):
    """since a score of 0 is a score"""
    seen = np.kron(layout, np.ones((block_size, block_size)))[: q.shape[-2], : k.shape[-2]] > 0
    scores = (q.shape[-1] ** -0.5 if scale is None else scale) * q @ k.mT
    return softmax(np.where(seen, scores, 0.0)) @ v


def wrong_block_sparse_attention__last_block_must_be_whole(q, k, v, layout, block_size, scale=None):
    """is where it fails"""
    seen = np.kron(layout, np.ones((block_size, block_size))) > 0
    return _masked(q, k, v, seen, scale)


def wrong_pairs_in_window__full_windows(n, window):
    """Only full windows are counted"""
    return (n - window + 1) * window


def wrong_pairs_in_window__after_the_first(n, window):
    """The first window queries are left out"""
    return (n - window) * window


def wrong_dilated_window_mask__without_window(n, window, dilation):
    """Each token sees more than `window` tokens"""
    i, j = np.ogrid[:n, :n]
    return (i - j) % dilation == 0


def wrong_dilated_window_mask__slice_cut_off(n, window, dilation):
    """Near the start, tokens are seen that lie between the steps"""
    mask = np.zeros((n, n), bool)
    for i in range(n):
        mask[i, max(0, i - (window - 1) * dilation) : i + 1 : dilation] = True
    return mask


def wrong_dilated_window_mask__negative_slice(n, window, dilation):
    """a negative start of a slice counts from the end"""
    mask = np.zeros((n, n), bool)
    for i in range(n):
        mask[i, i - (window - 1) * dilation : i + 1 : dilation] = True
    return mask


def wrong_dilated_window_mask__negative_places(n, window, dilation):
    """The first tokens see the last"""
    mask = np.zeros((n, n), bool)
    for i in range(n):
        for step in range(window):
            mask[i, i - step * dilation] = True
    return mask


def wrong_sliding_window_attention__hidden_scores_of_minus_ten_thousand(q, k, v, window, scale=None, offset=None):
    """Line 8"""
    l, s = q.shape[-2], k.shape[-2]
    offset = s - l if offset is None else offset
    places = np.arange(l)[:, None] + offset - np.arange(window)
    seen, places = (places >= 0) & (places < s), np.clip(places, 0, s - 1)
    scores = np.einsum("...ld,...lwd->...lw", q, k[..., places, :]) * (q.shape[-1] ** -0.5 if scale is None else scale)
    e = np.where(seen, scores, -1e4)
    e = np.exp(e - e.max(-1, keepdims=True))
    out = np.einsum("...lw,...lwe->...le", e / e.sum(-1, keepdims=True), v[..., places, :])
    return np.where(seen.any(-1)[:, None], out, 0)


def wrong_sliding_window_attention__shared_again(q, k, v, window, scale=None, offset=None):
    """Where keys outside of the window score far higher, nothing is left to be shared again"""
    l, s = q.shape[-2], k.shape[-2]
    first = s - l if offset is None else offset
    i, j = np.ogrid[first : first + l, :s]
    scores = q @ np.swapaxes(k, -1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale)
    weights = softmax(scores) * ((j <= i) & (i - j < window))
    total = weights.sum(-1, keepdims=True)
    return weights / np.where(total > 0, total, 1) @ v


def wrong_block_sparse_attention__last_rows_left_out(q, k, v, layout, block_size, scale=None):
    """Where the last block is smaller than the others, it is left out: count -(-n // block_size) blocks"""
    out = np.zeros((*q.shape[:-1], v.shape[-1]))
    for a in range(q.shape[-2] // block_size):
        rows = slice(a * block_size, (a + 1) * block_size)
        seen = [j for j in range(k.shape[-2]) if layout[a, j // block_size]]
        if seen:
            out[..., rows, :] = attention(q[..., rows, :], k[..., seen, :], v[..., seen, :], scale=scale)
    return out


def wrong_block_sparse_attention__last_keys_left_out(q, k, v, layout, block_size, scale=None):
    """Where the last block is smaller than the others, it is left out: count -(-n // block_size) blocks"""
    out = np.zeros((*q.shape[:-1], v.shape[-1]))
    for a in range(q.shape[-2] // block_size):
        rows = slice(a * block_size, (a + 1) * block_size)
        blocks = [b for b in range(k.shape[-2] // block_size) if layout[a, b]]
        seen = [b * block_size + i for b in blocks for i in range(block_size)]
        if seen:
            out[..., rows, :] = attention(q[..., rows, :], k[..., seen, :], v[..., seen, :], scale=scale)
    return out


def wrong_reach__one_token_taken_off(windows, dilations):
    """Only one layer leaves the token itself out"""
    return sum(w * r for w, r in zip(windows, dilations, strict=True)) - 1


def wrong_reach__one_step_less(windows, dilations):
    """The result is too small by 1, every time."""
    return sum((w - 1) * r for w, r in zip(windows, dilations, strict=True)) - 1


def wrong_sliding_window_attention__places_clipped(q, k, v, window, scale=None, offset=None):
    """read as the first or the last key"""
    l, d = q.shape[-2:]
    s = k.shape[-2]
    scale = 1 / np.sqrt(d) if scale is None else scale
    offset = s - l if offset is None else offset
    places = np.arange(l)[:, None] + offset - np.arange(window)
    places = np.clip(places, 0, s - 1)
    scores = np.einsum("...ld,...lwd->...lw", q, k[..., places, :]) * scale
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return np.einsum("...lw,...lwe->...le", weights, v[..., places, :])


def wrong_sliding_window_attention__divided_by_the_width(q, k, v, window, scale=None, offset=None):
    """divided by d, not by its root"""
    l, d = q.shape[-2:]
    s = k.shape[-2]
    scale = 1 / d if scale is None else scale
    offset = s - l if offset is None else offset
    out = np.zeros(q.shape[:-1] + v.shape[-1:], dtype=v.dtype)
    for i in range(l):
        part = slice(max(i + offset - window + 1, 0), max(i + offset + 1, 0))
        if k[..., part, :].shape[-2] > 0:
            w = softmax(scale * q[..., i : i + 1, :] @ np.swapaxes(k[..., part, :], -1, -2), axis=-1)
            out[..., i : i + 1, :] = w @ v[..., part, :]
    return out


def wrong_block_sparse_attention__divided_by_the_width(q, k, v, layout, block_size, scale=None):
    """divided by d, not by its root"""
    l, d = q.shape[-2:]
    s = k.shape[-2]
    scale = 1 / d if scale is None else scale
    mask = np.kron(layout, np.ones((block_size, block_size))).astype(bool)[:l, :s]
    t = np.where(mask, scale * q @ np.swapaxes(k, -1, -2), -np.inf)
    top = t.max(-1, keepdims=True)
    e = np.exp(t - np.where(np.isinf(top), 0, top))
    total = e.sum(-1, keepdims=True)
    return e / np.where(total == 0, 1, total) @ v


def wrong_block_sparse_attention__not_divided(q, k, v, layout, block_size, scale=None):
    """Weights do not sum to one"""
    l, d = q.shape[-2:]
    s = k.shape[-2]
    scale = 1 / np.sqrt(d) if scale is None else scale
    mask = np.kron(layout, np.ones((block_size, block_size))).astype(bool)[:l, :s]
    t = np.where(mask, scale * q @ np.swapaxes(k, -1, -2), -np.inf)
    top = t.max(-1, keepdims=True)
    return np.exp(t - np.where(np.isinf(top), 0, top)) @ v


def wrong_reach__first_layer_for_all(windows, dilations):
    """All layers are taken for the first one"""
    return len(windows) * (windows[0] - 1) * dilations[0]


def wrong_reach__spans_multiplied(windows, dilations):
    """Layers multiply"""
    return math.prod((w - 1) * r + 1 for w, r in zip(windows, dilations, strict=True)) - 1


def wrong_pairs_in_window__halved_too_early(n, window):
    """An odd window is halved and rounded down before it is multiplied"""
    return n * window - window // 2 * (window - 1)


def wrong_dilated_window_mask__distance_up_to_the_window(n, window, dilation):
    """As many tokens before it are looked at as should be seen"""
    m = np.zeros((n, n), dtype=bool)
    for i in range(n):
        for j in range(i + 1):
            if (i - j) % dilation == 0 and i - j <= window:
                m[i, j] = True
    return m


def wrong_block_sparse_attention__minus_a_billion(q, k, v, layout, block_size, scale=None):
    """A row of the layout without a block averages all values"""
    length, s = q.shape[-2], k.shape[-2]
    mask = np.repeat(np.repeat(np.asarray(layout, bool), block_size, 0), block_size, 1)[:length, :s]
    x = q @ np.swapaxes(k, -1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale)
    x = np.where(mask, x, -1e9)
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ v
