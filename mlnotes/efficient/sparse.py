"""Attention to some of the keys: a window before each query, or blocks that a layout names."""

import math

import numpy as np
from array_api_compat import array_namespace

from mlnotes.arrays import (
    as_like,
    beside,
    exact_integers,
    require_boolean,
    require_entries,
    require_floats,
    require_integers,
    require_same_size,
    widen_half,
)

_QUERIES = 64  # in one block of a band: enough to keep products busy, few enough to keep the band narrow


def sliding_window_mask(n_queries, n_keys, window, offset=0):
    """Let every query look at its own position and at the ``window - 1`` before it.

    Parameters
    ----------
    n_queries, n_keys : int
        How many there are of each.
    window : int
        How many keys a query may look at, its own position counted.
    offset : int
        The position of query 0 among the keys: query i may look at keys i + ``offset`` - ``window`` + 1 to
        i + ``offset``, as far as they exist.

    Returns
    -------
    boolean array (n_queries, n_keys)
        True where the query may look.

    Raises
    ------
    ValueError
        If a number is no integer, or negative, or the window is 0.

    Notes
    -----
    .. math:: m_{ij} = [\\,0 \\le i + \\mathrm{offset} - j < \\mathrm{window}\\,]
    """
    require_integers(0, n_queries=n_queries, n_keys=n_keys, offset=offset)
    require_integers(1, window=window)
    distance = np.arange(n_queries)[:, None] + offset - np.arange(n_keys)
    return (distance >= 0) & (distance < window)


@exact_integers
def sliding_window_attention(q, k, v, window, scale=None, offset=None):
    """Let every query look at its own position and the ``window - 1`` before it, without a table of all pairs.

    Parameters
    ----------
    q : array (..., l, d)
        Queries.
    k : array (..., s, d)
        Keys.
    v : array (..., s, e)
        Values, one for each key.
    window : int
        How many keys a query may look at, its own position counted.
    scale : float, optional
        What the dot products are multiplied by; 1/sqrt(d) unless given.
    offset : int, optional
        The position of query 0 among the keys; s - l unless given: the queries are the last of the keys.

    Returns
    -------
    array (..., l, e)
        What `attention` gives under ``sliding_window_mask(l, s, window, offset)``: zeros for a query in whose window
        there is no key.

    Raises
    ------
    ValueError
        If ``window`` is no positive integer, ``offset`` is no integer or negative, there are more queries than keys and
        no offset is given, keys and values differ in number, queries and keys in width, or it is 0, an array holds no
        floats, or there is no query or no key.

    Notes
    -----
    Neighbouring queries have nearly the same window, so 64 of them at a time meet the 63 + ``window`` keys that one
    of them may look at: time is proportional to l (window + 63), and the largest table has 64 (window + 63) scores
    for each head. Keys and values are not copied; half precision is widened piece by piece.

    References
    ----------
    Beltagy et al., *Longformer: The Long-Document Transformer*, 2020.
    """
    _require_sequences(q, k, v)
    require_integers(1, window=window)
    n_queries, n_keys = q.shape[-2], k.shape[-2]
    if n_queries > n_keys and offset is None:
        raise ValueError(f"queries must not outnumber keys unless an offset is given, got {n_queries} and {n_keys}")
    offset = n_keys - n_queries if offset is None else offset
    require_integers(0, offset=offset)
    results = []
    for i in range(0, n_queries, _QUERIES):
        rows = q[..., i : i + _QUERIES, :]
        first = max(0, i + offset - window + 1)
        keys = slice(first, i + offset + rows.shape[-2])
        band, values = k[..., keys, :], v[..., keys, :]
        mask = sliding_window_mask(rows.shape[-2], band.shape[-2], window, i + offset - first)
        results.append(_attention_to_some(rows, band, values, mask, scale))
    return array_namespace(q).concat(results, axis=-2)


@exact_integers
def block_sparse_attention(q, k, v, layout, block_size, scale=None):
    """Let blocks of queries look at the blocks of keys that a layout names, and touch no others.

    Parameters
    ----------
    q : array (..., l, d)
        Queries.
    k : array (..., s, d)
        Keys.
    v : array (..., s, e)
        Values, one for each key.
    layout : boolean NumPy array (⌈l / block_size⌉, ⌈s / block_size⌉)
        True where a block of queries looks at a block of keys, the same for all heads.
    block_size : int
        Queries, and keys, in one block. Where it divides l or s with a remainder, one more block, the last, is smaller.
        Blocks of queries are counted from the first that is handed over: with a cache, hand over whole blocks, or at
        most what is left of one, with its row.
    scale : float, optional
        What the dot products are multiplied by; 1/sqrt(d) unless given.

    Returns
    -------
    array (..., l, e)
        What `attention` gives under a mask that repeats each entry of the layout ``block_size`` times along both axes:
        zeros for queries whose row of the layout is empty.

    Raises
    ------
    ValueError
        If ``block_size`` is no positive integer, ``layout`` is not boolean or has not one row for each block of queries
        and one column for each block of keys, or for what `sliding_window_attention` refuses in the other arrays.

    Notes
    -----
    A block of queries meets the keys of its row, gathered into one matrix: (d + e) multiply-adds for each query and key
    of each block that the layout names, and none for the others.

    References
    ----------
    Child et al., *Generating Long Sequences with Sparse Transformers*, 2019. Zaheer et al., *Big Bird: Transformers for
    Longer Sequences*, 2020.
    """
    _require_sequences(q, k, v)
    require_integers(1, block_size=block_size)
    layout = np.asarray(layout)
    _require_layout(layout, q.shape[-2], k.shape[-2], block_size)
    xp = array_namespace(q)
    results = []
    for i, blocks in enumerate(layout):
        rows = q[..., i * block_size : (i + 1) * block_size, :]
        named = np.flatnonzero(np.repeat(blocks, block_size)[: k.shape[-2]])
        named = beside(named, k)
        keys, values = (xp.take(x, named, axis=-2) for x in (k, v))
        results.append(_attention_to_some(rows, keys, values, None, scale))
    return xp.concat(results, axis=-2)


@widen_half
def _attention_to_some(q, k, v, mask, scale):
    """Compute `attention`, with the sums of weights divided out of the averages, not out of the weights.

    So the arithmetic of `softmax` stands here again: with the function, which divides every weight, a window of 128 or
    256 took between an eighth and a quarter longer, and was rounded as much.
    """
    if k.shape[-2] == 0:  # sums of no values: zeros
        return q @ k.mT @ v
    xp = array_namespace(q)
    scores = ((q.shape[-1] ** -0.5 if scale is None else as_like(scale, q)) * q) @ k.mT
    if mask is not None:
        scores = xp.where(beside(mask, q), scores, -math.inf)
    scores = xp.clip(scores, max=xp.finfo(scores.dtype).max)
    top = xp.max(scores, axis=-1, keepdims=True)
    weights = xp.exp(scores - xp.where(top == -math.inf, 0.0, top))
    total = xp.sum(weights, axis=-1, keepdims=True)
    # 0 where a query sees nothing
    return weights @ v / xp.where(total == 0, 1.0, total)


def _require_sequences(q, k, v):
    require_floats(q=q, k=k, v=v)
    require_same_size(-1, q=q, k=k)
    require_same_size(-2, k=k, v=v)
    require_entries(-1, q=q)
    require_entries(-2, q=q, k=k)


def _require_layout(layout, n_queries, n_keys, block_size):
    require_boolean(layout=layout)
    blocks = -(-n_queries // block_size), -(-n_keys // block_size)
    if layout.shape != blocks:
        sizes = f"{n_queries} queries and {n_keys} keys in blocks of {block_size}"
        raise ValueError(f"layout must have shape {blocks} for {sizes}, got {layout.shape}")
