"""Multi-head attention: several attentions side by side, each in a projection of its own."""

import numpy as np
from array_api_compat import array_namespace
from einops import rearrange

from mlnotes.applications.linear import linear
from mlnotes.arrays import (
    beside,
    exact_integers,
    require_floats,
    require_integers,
    require_mask,
    require_same_library,
    widen_half,
)
from mlnotes.attention.self_attention import attention


@widen_half
def multi_head_attention(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None, b_q=None, b_k=None, b_v=None, b_o=None):
    """Let several heads attend, each in its own share of the projections, and mix what they bring back.

    Parameters
    ----------
    q : array (..., l, n)
        The tokens that ask, before projection.
    k, v : array (..., s, n') and (..., s, n'')
        The tokens that are asked, before projection: the same as ``q`` in self-attention, others in cross-attention.
        Their widths may differ from each other and from that of ``q``.
    w_q, w_k : array (n, h * d) and (n', h * d)
        Projections to queries and keys; head i, counted from 0, owns columns i * d to (i + 1) * d - 1.
    w_v : array (n'', h * e)
        Projection to values, divided among the heads in the same way.
    w_o : array (h * e, m)
        What mixes the heads' results.
    n_heads : int
        The number h of heads.
    mask : boolean array (l, s), (..., l, s) or (..., h, l, s), optional
        True where a query may look. With as many axes as the tokens it holds for all heads, with one more for each
        head by itself. Axes of size 1 broadcast.
    b_q, b_k, b_v, b_o : array, optional
        What is added after each projection, one number for each of its columns.

    Returns
    -------
    array (..., l, m)
        One new vector for each token of ``q``; ``b_o``, or zeros, for one that may look at nothing.

    Raises
    ------
    ValueError
        If a projection does not fit what it projects, its columns do not divide by the heads, a bias does not fit its
        projection, or for what `attention` refuses.

    Notes
    -----
    With the tokens of ``q``, ``k`` and ``v`` in :math:`\\mathbf X_q`, :math:`\\mathbf X_k` and :math:`\\mathbf X_v`:

    .. math:: \\mathrm{MultiHead}(\\mathbf X_q, \\mathbf X_k, \\mathbf X_v)
              = [\\mathbf H_1 \\cdots \\mathbf H_h]\\,\\mathbf W_O,

              \\mathbf H_i = \\mathrm{Attention}(\\mathbf X_q\\mathbf W_Q^{(i)}, \\mathbf X_k\\mathbf W_K^{(i)},
              \\mathbf X_v\\mathbf W_V^{(i)})

    References
    ----------
    Vaswani et al., *Attention Is All You Need*, 2017, section 3.2.2.
    """
    _require_projections(q, k, v, (w_q, w_k, w_v, w_o), (b_q, b_k, b_v, b_o))
    if np.ndim(mask) == max(q.ndim, k.ndim) > 2:
        require_mask((*np.broadcast_shapes(q.shape[:-2], k.shape[:-2]), q.shape[-2], k.shape[-2]), mask)
        mask = beside(mask, q)[..., None, :, :]  # the same for all heads
    heads = attention(
        split_heads(linear(q, w_q, b_q), n_heads),
        split_heads(linear(k, w_k, b_k), n_heads),
        split_heads(linear(v, w_v, b_v), n_heads),
        mask,
    )
    return linear(merge_heads(heads), w_o, b_o)


@exact_integers
def split_heads(x, n_heads):
    """Cut each token into equal parts, one for each head.

    Parameters
    ----------
    x : array (..., l, h * d)
        One token in each row.
    n_heads : int
        The number h of heads.

    Returns
    -------
    array (..., h, l, d)
        Head i holds columns i * d to (i + 1) * d - 1 of every token.

    Raises
    ------
    ValueError
        If ``x`` is no array, has fewer than two axes, or its width does not divide by the number of heads.
    """
    require_same_library(x=x)
    require_integers(1, n_heads=n_heads)
    if x.ndim < 2 or x.shape[-1] % n_heads:
        raise ValueError(f"x must hold rows whose width divides by {n_heads} heads, got shape {tuple(x.shape)}")
    return rearrange(x, "... l (h d) -> ... h l d", h=n_heads)


def merge_heads(x):
    """Put the parts of each token side by side again.

    Parameters
    ----------
    x : array (..., h, l, d)
        What each head has for each token.

    Returns
    -------
    array (..., l, h * d)
        One token in each row; the inverse of `split_heads`.

    Raises
    ------
    ValueError
        If ``x`` is no array, or has fewer than three axes.
    """
    require_same_library(x=x)
    if x.ndim < 3:
        raise ValueError(f"x must have axes for heads, tokens and widths, got shape {tuple(x.shape)}")
    return rearrange(x, "... h l d -> ... l (h d)")


def fuse_projections(w_q, w_k, w_v, n_heads):
    """Put three projections into one matrix that holds query, key and value of one head after those of another.

    Parameters
    ----------
    w_q, w_k, w_v : array (..., n, h * d)
        Projections, each divided among the heads in blocks of columns.
    n_heads : int
        The number h of heads.

    Returns
    -------
    array (..., n, h * 3 * d)
        Columns in the order query, key, value of head 1, then of head 2, and so on.

    Raises
    ------
    ValueError
        If something is no array, libraries or shapes differ, or the columns do not divide by the number of heads.
    """
    require_same_library(w_q=w_q, w_k=w_k, w_v=w_v)
    if not w_q.shape == w_k.shape == w_v.shape:
        raise ValueError(
            "w_q, w_k and w_v must have the same shape, "
            f"got {tuple(w_q.shape)}, {tuple(w_k.shape)} and {tuple(w_v.shape)}"
        )
    parts = array_namespace(w_q, w_k, w_v).stack(
        [split_heads(w, n_heads) for w in (w_q, w_k, w_v)]
    )  # (3, ..., h, n, d)
    return rearrange(parts, "r ... h n d -> ... n (h r d)")


@exact_integers
def separate_projections(w_qkv, n_heads):
    """Take a fused projection apart; the inverse of `fuse_projections`.

    Parameters
    ----------
    w_qkv : array (..., n, h * 3 * d)
        Columns in the order query, key, value of head 1, then of head 2, and so on.
    n_heads : int
        The number h of heads.

    Returns
    -------
    w_q, w_k, w_v : array (..., n, h * d)
        The three projections.

    Raises
    ------
    ValueError
        If ``w_qkv`` is no array, or its columns do not divide by three times the number of heads.
    """
    require_same_library(w_qkv=w_qkv)
    require_integers(1, n_heads=n_heads)
    if w_qkv.ndim < 2 or w_qkv.shape[-1] % (3 * n_heads):
        raise ValueError(
            f"w_qkv must hold rows whose width divides by 3 × {n_heads} heads, got shape {tuple(w_qkv.shape)}"
        )
    return tuple(rearrange(w_qkv, "... n (h r d) -> r ... n (h d)", h=n_heads, r=3))


def _require_projections(q, k, v, weights, biases):
    require_floats(q=q, k=k, v=v, **{f"w_{role}": w for role, w in zip("qkvo", weights, strict=True)})
    w_v = weights[2]
    inputs = {"q": tuple(q.shape), "k": tuple(k.shape), "v": tuple(v.shape), "o": (*q.shape[:-1], *w_v.shape[-1:])}
    for (role, rows), w, b in zip(inputs.items(), weights, biases, strict=True):
        if w.ndim != 2 or len(rows) < 2 or w.shape[0] != rows[-1]:
            shapes = f"w_{role} {tuple(w.shape)} for rows {rows}"
            raise ValueError(f"w_{role} must be a matrix with as many rows as its input has columns, got {shapes}")
        if b is not None and b.shape != w.shape[1:]:
            shapes = f"{tuple(b.shape)} for w_{role} {tuple(w.shape)}"
            raise ValueError(f"b_{role} must have one entry for each column of its projection, got {shapes}")
