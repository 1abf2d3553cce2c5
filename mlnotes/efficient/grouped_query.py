"""Grouped-query attention: several query heads share one key/value head, which is never copied."""

from einops import rearrange, reduce

from mlnotes.arrays import require_entries, require_floats, require_same_size, widen_half
from mlnotes.attention.causal_mask import masked_softmax, require_broadcasts_to
from mlnotes.blocks.softmax import softmax


@widen_half
def grouped_query_attention(q, k, v, mask=None, bias=None, scale=None):
    """Let each group of query heads share one key/value head, without copying it.

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
        Floating-point numbers, in nats, added to the scaled scores.
    scale : float, optional
        What the dot products are multiplied by; 1/sqrt(d) unless given.

    Returns
    -------
    array (..., h, l, e)
        One average of the values for each query of each head; zeros for a query that may look at no key.

    Raises
    ------
    ValueError
        If g does not divide h, keys and values differ in number or heads, queries and keys in width, an array holds no
        floats, there is no query or no key, the mask is not boolean, or ``mask`` or ``bias`` does not fit the
        (..., h, l, s) scores.

    Notes
    -----
    .. math:: \\mathbf Y_i = \\mathrm{softmax}\\!\\left(\\mathrm{scale}\\cdot\\mathbf Q_i\\mathbf K_j^{\\mathsf T}
              + \\mathbf B_i\\right)\\mathbf V_j, \\qquad j = \\lfloor i\\,g/h \\rfloor

    The queries of a group are stacked into one matrix of (h/g)·l rows, which meets its keys in one product. Half
    precision is computed in float32, for which keys and values are converted once: g heads, not h. Leading axes
    broadcast; where those of queries and keys differ, PyTorch copies keys to make them alike.

    References
    ----------
    Ainslie et al., *GQA: Training Generalized Multi-Query Transformer Models from Multi-Head Checkpoints*, 2023.
    """
    _require_groups(q, k, v)
    scaled = q * (q.shape[-1] ** -0.5 if scale is None else scale)
    scores = _heads(_matched(_stacked(scaled, k), k), q)
    if bias is not None:
        require_floats(bias=bias)
        require_broadcasts_to(scores.shape, bias=bias)
        scores = scores + bias
    weights = softmax(scores) if mask is None else masked_softmax(scores, mask)
    return _heads(_stacked(weights, v) @ v, q)


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
    for name, x in {"k": k, "v": v}.items():
        if x.ndim < 2:
            raise ValueError(f"{name} must have at least 2 axes, got shape {tuple(x.shape)}")
    return grouped_query_attention(q, k[..., None, :, :], v[..., None, :, :], mask, bias, scale)


@widen_half
def pool_heads(w, n_heads, n_groups):
    """Average the key or value projections of the heads that are to share one.

    Parameters
    ----------
    w : array (..., h d)
        A projection (n, h·d), or its bias (h·d,): head i in columns i·d to (i + 1)·d - 1.
    n_heads : int
        Heads of the projection, h.
    n_groups : int
        Heads that it is to have, g.

    Returns
    -------
    array (..., g d)
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
    require_groups(n_heads, n_groups)
    if w.shape[-1] % n_heads:
        raise ValueError(f"n_heads must divide the columns of w, got {n_heads} heads for {w.shape[-1]} columns")
    return reduce(w, "... (g r d) -> ... (g d)", "mean", g=n_groups, r=n_heads // n_groups)


def require_groups(n_heads, n_groups):
    """Refuse numbers of heads that cannot be shared out.

    Parameters
    ----------
    n_heads, n_groups : int
        Query heads, and key/value heads.

    Raises
    ------
    ValueError
        If one is not positive, or the groups do not divide the heads.
    """
    if n_heads < 1 or n_groups < 1 or n_heads % n_groups:
        raise ValueError(
            f"key/value heads must divide query heads, got {n_heads} query heads and {n_groups} key/value heads"
        )


def _stacked(x, shared):
    """Stack what belongs to the query heads of a group: (..., h, l, n) becomes (..., g, h/g·l, n)."""
    return rearrange(x, "... (g r) l n -> ... g (r l) n", g=shared.shape[-3])


def _matched(q, k):
    """Multiply queries (..., m, d) by keys (..., s, d)."""
    if 1 < q.shape[-2] <= 16:  # beside long keys, OpenBLAS takes a few columns faster than a few rows
        return (k @ q.mT).mT
    return q @ k.mT


def _heads(x, q):
    """Take the stacks apart again: (..., g, h/g·l, n) becomes (..., h, l, n)."""
    return rearrange(x, "... g (r l) n -> ... (g r) l n", l=q.shape[-2])


def _require_groups(q, k, v):
    require_floats(q=q, k=k, v=v)
    require_same_size(-3, k=k, v=v)
    require_same_size(-2, k=k, v=v)
    require_same_size(-1, q=q, k=k)
    require_entries(-1, q=q)
    require_entries(-2, q=q, k=k)
    require_entries(-3, q=q, k=k)
    require_groups(q.shape[-3], k.shape[-3])
