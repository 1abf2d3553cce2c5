"""Grouped-query attention: several query heads share one key/value head, which is not copied for each of them."""

import numpy as np
from array_api_compat import array_namespace, device, is_array_api_obj
from einops import rearrange, reduce

from mlnotes.arrays import (
    as_like,
    require_bias,
    require_entries,
    require_floats,
    require_integers,
    require_mask,
    require_same_kind,
    require_same_library,
    require_same_size,
    widen_half,
)
from mlnotes.attention.causal_mask import masked_softmax
from mlnotes.attention.multi_head import merge_heads, split_heads
from mlnotes.blocks.softmax import softmax

ROWS = 64  # queries that are taken together where a mask hides keys from all of them


@widen_half
def grouped_query_attention(q, k, v, mask=None, bias=None, scale=None):
    """Let each group of query heads share one key/value head, without a copy for each query head.

    Parameters
    ----------
    q : array (..., h, l, d)
        Queries of h heads.
    k : array (..., g, s, d)
        Keys of g heads, where g divides h: query heads 0 to h/g - 1 share key/value head 0, and so on.
    v : array (..., g, s, e)
        Values, one for each key.
    mask : boolean array (l, s) or (..., h, l, s), optional
        True where a query may look at a key; axes of size 1 broadcast.
    bias : array (l, s) or (..., h, l, s), optional
        Floating-point numbers, in nats, added to the scaled scores. NumPy or the library of ``q``, of any precision.
    scale : float, optional
        What the dot products are multiplied by; 1/sqrt(d) unless given.

    Returns
    -------
    array (..., h, l, e)
        One average of the values for each query of each head; zeros for a query that may look at no key.

    Raises
    ------
    ValueError
        If g does not divide h, keys and values differ in number or heads, queries and keys in width, or it is 0, an
        array holds no floats, there is no query or no key, the mask is not boolean, or ``mask`` or ``bias`` does not
        fit the (..., h, l, s) scores.

    Notes
    -----
    .. math:: \\mathbf Y_i = \\mathrm{softmax}\\!\\left(\\mathrm{scale}\\cdot\\mathbf Q_i\\mathbf K_j^{\\mathsf T}
              + \\mathbf B_i\\right)\\mathbf V_j, \\qquad j = \\lfloor i\\,g/h \\rfloor

    The queries of a group are stacked into one matrix of (h/g)·l rows, which meets its keys in one product. Half
    precision is computed in float32, for which keys and values are converted once: g heads, not h. PyTorch copies these
    g heads also where several sequences come from `split_heads`, whose axes cannot be viewed as one; those of a cache
    can. Leading axes broadcast; where those of queries and keys differ, PyTorch copies keys to make them alike.

    References
    ----------
    Ainslie et al., *GQA: Training Generalized Multi-Query Transformer Models from Multi-Head Checkpoints*, 2023.
    """
    _require_groups(q, k, v, mask, bias)
    scale = q.shape[-1] ** -0.5 if scale is None else as_like(scale, q)
    stacked = rearrange(scale * q, "... (g r) l d -> ... g (r l) d", g=k.shape[-3])
    scores = rearrange(stacked @ k.mT, "... g (r l) s -> ... (g r) l s", l=q.shape[-2])
    if bias is not None:
        scores = scores + as_like(bias, q)
    weights = softmax(scores) if mask is None else masked_softmax(scores, mask)
    stacked = rearrange(weights, "... (g r) l s -> ... g (r l) s", g=k.shape[-3])
    return rearrange(stacked @ v, "... g (r l) e -> ... (g r) l e", l=q.shape[-2])


@widen_half
def multi_query_attention(q, k, v, mask=None, bias=None, scale=None):
    """Let all query heads share one key/value head.

    Parameters
    ----------
    q : array (..., h, l, d)
        Queries of h heads.
    k : array (..., s, d)
        Keys, of the only head.
    v : array (..., s, e)
        Values, one for each key.
    mask, bias, scale
        As in `grouped_query_attention`.

    Returns
    -------
    array (..., h, l, e)
        One average of the values for each query of each head.

    Raises
    ------
    ValueError
        For what `grouped_query_attention` refuses.

    References
    ----------
    Shazeer, *Fast Transformer Decoding: One Write-Head is All You Need*, 2019.
    """
    require_same_size(-2, k=k, v=v)
    return grouped_query_attention(q, k[..., None, :, :], v[..., None, :, :], mask, bias, scale)


@widen_half
def pool_heads(w, n_heads, n_groups):
    """Average the key or value projections of the heads that are to share one.

    Parameters
    ----------
    w : array (..., h * d)
        A projection (n, h·d), or its bias (h·d,): head i in columns i·d to (i + 1)·d - 1.
    n_heads : int
        Heads of the projection, h.
    n_groups : int
        Heads that it is to have, g.

    Returns
    -------
    array (..., g * d)
        The mean over each group of h/g neighbouring heads.

    Raises
    ------
    ValueError
        If ``w`` holds no floats, ``n_heads`` does not divide its columns, or ``n_groups`` does not divide ``n_heads``.

    Notes
    -----
    Since projection is linear, the pooled head's keys are the means of the keys:
    :math:`\\mathbf X\\,\\frac1r\\sum_i\\mathbf W_i = \\frac1r\\sum_i\\mathbf X\\mathbf W_i`.

    References
    ----------
    Ainslie et al., *GQA: Training Generalized Multi-Query Transformer Models from Multi-Head Checkpoints*, 2023,
    section 2.1.
    """
    require_floats(w=w)
    require_entries(-1, w=w)
    require_integers(1, n_heads=n_heads, n_groups=n_groups)
    if n_heads % n_groups:
        raise ValueError(f"n_groups must divide the heads that are pooled, got {n_groups} groups for {n_heads} heads")
    if w.shape[-1] % n_heads:
        raise ValueError(f"n_heads must divide the columns of w, got {n_heads} heads for {w.shape[-1]} columns")
    return reduce(w, "... (g r d) -> ... (g d)", "mean", g=n_groups, r=n_heads // n_groups)


def grouped_query_self_attention(x, w_q, w_k, w_v, w_o, n_heads, n_groups, mask=None, cache=None, rotate=None):
    """Let the tokens of a sequence look at each other, and at those in a cache, through shared key/value heads.

    Parameters
    ----------
    x : array (..., l, n)
        Tokens; the next ones, if there is a cache.
    w_q : array (n, h * d)
        Projection to queries; head i owns columns i * d to (i + 1) * d - 1.
    w_k, w_v : array (n, g * d) and (n, g * e)
        Projections to keys and values, divided among the key/value heads in the same way.
    w_o : array (h * e, m)
        What mixes the heads' results.
    n_heads, n_groups : int
        Query heads h, and key/value heads g, which divide them.
    mask : boolean array (l, s) or (..., h, l, s), optional
        True where a query may look. With a cache, unless given: at what the cache says. Columns are the tokens in the
        cache, in the order of its memory, then those of ``x``; a single one that evicts another has that one's column.
    cache : KVCache or StreamingCache, optional
        The tokens before these, of g heads; it takes up the keys and values of these, which must record no gradients.
        Queries, keys, values and ``w_o`` are of its library, precision and device.
    rotate : callable, optional
        What queries and keys go through before they meet, such as a rotary embedding: takes them, (..., l, d), and
        their positions, integers (l,). With a cache, the cache says when, and at which positions.

    Returns
    -------
    array (..., l, m)
        One new vector for each token.

    Raises
    ------
    ValueError
        If the groups do not divide the heads, a projection does not divide among them or fit the tokens, ``w_o`` does
        not fit, or for what `grouped_query_attention` and the cache refuse. The cache is then unchanged.

    References
    ----------
    Ainslie et al., *GQA: Training Generalized Multi-Query Transformer Models from Multi-Head Checkpoints*, 2023.
    """
    require_groups(n_heads, n_groups)
    require_rows(x, w_q=w_q, w_k=w_k, w_v=w_v)
    q, k, v = split_heads(x @ w_q, n_heads), split_heads(x @ w_k, n_groups), split_heads(x @ w_v, n_groups)
    require_output(n_heads * v.shape[-1], w_o)
    if cache is not None:
        _require_attendable(q, k, w_o, mask, cache)
        q, k, v, seen = cache.meet(q, k, v, rotate)
        mask = seen if mask is None else mask
    elif rotate is not None:
        positions = np.arange(x.shape[-2])
        q, k = rotate(q, positions), rotate(k, positions)
    return merge_heads(_attend(q, k, v, mask)) @ w_o


def _attend(q, k, v, mask):
    """Take the queries in blocks, each with the keys between the first and the last that one of them may see."""
    n_queries, n_keys = q.shape[-2], k.shape[-2]
    if not is_array_api_obj(mask) or str(device(mask)) != "cpu":  # to look there, it would have to be copied first
        return grouped_query_attention(q, k, v, mask)
    mask = np.asarray(mask)
    fits = mask.shape == (n_queries, n_keys)
    if n_queries == 1 and fits and mask.dtype == bool and mask.all():
        return grouped_query_attention(q, k, v)
    if n_queries <= ROWS or str(device(q)) != "cpu" or not fits:
        return grouped_query_attention(q, k, v, mask)
    results = []
    for i in range(0, n_queries, ROWS):
        rows = mask[i : i + ROWS]
        seen = np.flatnonzero(rows.any(0))
        keys = slice(seen[0], seen[-1] + 1) if len(seen) else slice(0, 1)
        block = q[..., i : i + ROWS, :], k[..., keys, :], v[..., keys, :]
        results.append(grouped_query_attention(*block, rows[:, keys]))
    return array_namespace(q).concat(results, axis=-2)


def require_rows(x, **projections):
    """Refuse tokens and projections that cannot be multiplied.

    Parameters
    ----------
    x : array (..., l, n)
        Tokens.
    **projections : array (..., n, m)
        What they are multiplied by, each under the name that the message gives it.

    Raises
    ------
    ValueError
        If something is no array of the same library, tokens have not two axes, or a projection has not a row for each
        of their coordinates.
    """
    require_same_size(-2, x=x)
    require_same_library(x=x, **projections)
    for name, w in projections.items():
        if tuple(w.shape[-2:-1]) != tuple(x.shape[-1:]):
            shapes = f"{tuple(w.shape)} for tokens {tuple(x.shape)}"
            raise ValueError(f"{name} must have a row for each coordinate of a token, got {shapes}")


def require_output(width, w_o):
    """Refuse an output projection that does not take the heads' results.

    Parameters
    ----------
    width : int
        Columns of all heads' results side by side, h·e.
    w_o : array (h * e, m)
        What mixes them.

    Raises
    ------
    ValueError
        If it is no array, or no matrix with as many rows.
    """
    require_same_library(w_o=w_o)
    if w_o.ndim != 2 or w_o.shape[0] != width:
        raise ValueError(f"w_o must have a row for each of the heads' {width} columns, got shape {tuple(w_o.shape)}")


def require_groups(n_heads, n_groups):
    """Refuse numbers of heads that cannot be shared out.

    Parameters
    ----------
    n_heads, n_groups : int
        Query heads, and key/value heads.

    Raises
    ------
    ValueError
        If one is no positive integer, or the groups do not divide the heads.
    """
    require_integers(1, n_heads=n_heads, n_groups=n_groups)
    if n_heads % n_groups:
        raise ValueError(
            f"key/value heads must divide query heads, got {n_heads} query heads and {n_groups} key/value heads"
        )


def _require_groups(q, k, v, mask, bias):
    require_floats(q=q, k=k, v=v)
    require_same_size(-3, k=k, v=v)
    require_same_size(-2, k=k, v=v)
    require_same_size(-1, q=q, k=k)
    require_entries(-1, q=q)
    require_entries(-2, q=q, k=k)
    require_entries(-3, q=q, k=k)
    require_groups(q.shape[-3], k.shape[-3])
    shape = (*np.broadcast_shapes(q.shape[:-3], k.shape[:-3]), *q.shape[-3:-1], k.shape[-2])
    require_mask(shape, mask)
    require_bias(shape, bias)


def _require_attendable(q, k, w_o, mask, cache):
    """Refuse what comes after the cache has taken up the tokens: `meet` compares queries and keys before that."""
    require_same_kind(k=k, w_o=w_o)
    if mask is not None:
        n_keys = len(cache) + k.shape[-2]
        if k.shape[-2] == 1:
            n_keys = min(n_keys, cache.capacity)  # where a window is full, one token comes and one goes
        leading = np.broadcast_shapes(q.shape[:-3], k.shape[:-3])
        require_mask((*leading, *q.shape[-3:-1], n_keys), mask)
