"""Scaled dot-product attention, and the attention of a sequence to itself."""

import numpy as np

from mlnotes.arrays import (
    as_like,
    require_bias,
    require_entries,
    require_floats,
    require_mask,
    require_same_size,
    widen_half,
)
from mlnotes.attention.causal_mask import masked_softmax
from mlnotes.blocks.softmax import softmax


@widen_half
def attention(q, k, v, mask=None, bias=None, scale=None):
    """Average the values with weights from how well each query matches each key.

    Parameters
    ----------
    q : array (..., l, d)
        Queries.
    k : array (..., s, d)
        Keys.
    v : array (..., s, e)
        Values, one for each key. Finite, also where a mask hides them: 0 times infinity is nan.
    mask, bias, scale
        As in `attention_weights`.

    Returns
    -------
    array (..., l, e)
        One average of the values for each query; zeros for a query that may look at no key. Leading axes broadcast.

    Raises
    ------
    ValueError
        If there are not as many values as keys, or for what `attention_weights` refuses.

    Notes
    -----
    .. math:: \\mathrm{Attention}(\\mathbf Q, \\mathbf K, \\mathbf V)
              = \\mathrm{softmax}\\!\\left(\\frac{\\mathbf Q\\mathbf K^{\\mathsf T}}{\\sqrt{d}}\\right)\\mathbf V

    References
    ----------
    Vaswani et al., *Attention Is All You Need*, 2017, equation 1.
    """
    require_floats(q=q, k=k, v=v)
    require_same_size(-2, k=k, v=v)
    return attention_weights(q, k, mask, bias, scale) @ v


@widen_half
def attention_weights(q, k, mask=None, bias=None, scale=None):
    """Compare each query with each key, and share one unit of attention among the keys.

    Parameters
    ----------
    q : array (..., l, d)
        Queries.
    k : array (..., s, d)
        Keys.
    mask : boolean array (l, s) or (..., l, s), optional
        True where a query may look at a key. Two axes, or as many as the scores have; those of size 1 broadcast. NumPy
        or the library of ``q``.
    bias : array (l, s) or (..., l, s), optional
        Floating-point numbers, in nats, added to the scaled scores. Axes and library as for ``mask``; any precision.
    scale : float, optional
        What the dot products are multiplied by; 1/sqrt(d) unless given.

    Returns
    -------
    array (..., l, s)
        Weights from 0 to 1, in the precision of ``q`` and ``k``. Each row sums to one, or is all zeros where a query
        may look at no key. Leading axes broadcast.

    Raises
    ------
    ValueError
        If queries and keys differ in width, or it is 0, an array holds no floats, there is no query or no key, the mask
        is not boolean, or ``mask`` or ``bias`` does not fit the (..., l, s) scores.

    Notes
    -----
    .. math:: \\mathbf A = \\mathrm{softmax}\\!\\left(\\mathrm{scale}\\cdot\\mathbf Q\\mathbf K^{\\mathsf T}
              + \\mathbf B\\right), \\qquad \\text{row by row}

    References
    ----------
    Vaswani et al., *Attention Is All You Need*, 2017, section 3.2.1.
    """
    require_scores(q, k, mask, bias)
    scale = q.shape[-1] ** -0.5 if scale is None else as_like(scale, q)
    scores = (scale * q) @ k.mT  # cheaper to scale than scores, if there are more keys than d
    if bias is not None:
        scores = scores + as_like(bias, q)
    return softmax(scores) if mask is None else masked_softmax(scores, mask)


@widen_half
def self_attention(x, w_q, w_k, w_v, mask=None):
    """Let every token of a sequence ask all of them, each in the three roles of query, key and value.

    Parameters
    ----------
    x : array (..., l, n)
        One token in each row.
    w_q, w_k : array (n, d)
        Projections to queries and keys.
    w_v : array (n, e)
        Projection to values.
    mask : boolean array (l, l) or (..., l, l), optional
        True where a token may look; as in `attention_weights`.

    Returns
    -------
    array (..., l, e)
        One new vector for each token.

    Raises
    ------
    ValueError
        If a projection does not fit the width of the tokens, or for what `attention` refuses.

    Notes
    -----
    .. math:: \\mathrm{Attention}(\\mathbf X\\mathbf W_Q, \\mathbf X\\mathbf W_K, \\mathbf X\\mathbf W_V)

    References
    ----------
    Vaswani et al., *Attention Is All You Need*, 2017, section 3.2.
    """
    _require_projections(x, w_q=w_q, w_k=w_k, w_v=w_v)
    return attention(x @ w_q, x @ w_k, x @ w_v, mask)


def require_scores(q, k, mask=None, bias=None):
    """Refuse queries and keys that cannot be compared, and a mask or a bias that does not fit their scores.

    Parameters
    ----------
    q, k : array (..., l, d) and (..., s, d)
        Queries and keys.
    mask, bias
        As in `attention_weights`.

    Raises
    ------
    ValueError
        For what `attention_weights` refuses.
    """
    require_floats(q=q, k=k)
    require_same_size(-1, q=q, k=k)
    require_entries(-1, q=q)
    require_entries(-2, q=q, k=k)
    shape = (*np.broadcast_shapes(q.shape[:-2], k.shape[:-2]), q.shape[-2], k.shape[-2])
    require_mask(shape, mask)
    require_bias(shape, bias)


def _require_projections(x, **projections):
    require_floats(x=x, **projections)
    for name, w in projections.items():
        if w.ndim != 2 or tuple(w.shape[:1]) != tuple(x.shape[-1:]):
            shapes = f"{tuple(w.shape)} for tokens {tuple(x.shape)}"
            raise ValueError(f"{name} must be a matrix with as many rows as tokens have coordinates, got {shapes}")
