"""Online softmax, and attention that is computed block by block, without the table of weights."""

import math

import numpy as np
from array_api_compat import array_namespace, device

from mlnotes.arrays import (
    as_like,
    beside,
    exact_integers,
    or_one,
    require_entries,
    require_floats,
    require_integers,
    require_same_size,
    widen_half,
)
from mlnotes.attention.self_attention import require_scores
from mlnotes.blocks.softmax import logsumexp, softmax


@exact_integers
@widen_half
def online_softmax(x, axis=-1, block_size=256):
    """Turn scores into weights, with their maximum and their sum from one pass over blocks.

    Parameters
    ----------
    x : array (..., n)
        Floating-point scores in nats.
    axis : int
        The axis along which the weights sum to one.
    block_size : int
        How many scores are taken up at a time; it changes the result by rounding only.

    Returns
    -------
    array (..., n)
        Weights from 0 to 1. A row of nothing but ``-inf`` has nothing to choose from: its weights are zeros.

    Raises
    ------
    ValueError
        If ``x`` holds no floats, has no such axis, or is empty along it, or the block size is no positive integer.

    Notes
    -----
    .. math:: m' = \\max(m, \\max_j x_j), \\qquad
              \\ell' = e^{m - m'}\\,\\ell + \\sum_j e^{x_j - m'}, \\qquad j \\text{ in the next block}

    References
    ----------
    Milakov and Gimelshein, *Online normalizer calculation for softmax*, 2018, algorithm 3.
    """
    require_floats(x=x)
    require_entries(axis, x=x)
    require_integers(1, block_size=block_size)
    xp = array_namespace(x)
    x = xp.clip(xp.moveaxis(x, axis, -1), max=xp.finfo(x.dtype).max)  # infinity less itself is nan
    top, total = xp.full_like(x[..., :1], -math.inf), 0.0
    for block in _blocks(x.shape[-1], block_size):
        top, factor, exponentials = _rescale(top, x[..., block])
        total = factor * total + xp.sum(exponentials, axis=-1, keepdims=True)
    return xp.moveaxis(xp.exp(x - _finite(top)) / or_one(total), -1, axis)


@widen_half
def flash_attention(q, k, v, mask=None, bias=None, scale=None, block_size=512):
    """Average the values as `attention` does, block by block: no table of weights is ever held.

    Parameters
    ----------
    q : array (..., l, d)
        Queries.
    k : array (..., s, d)
        Keys.
    v : array (..., s, e)
        Values, one for each key. Finite, also where a mask hides them.
    mask, bias, scale
        As in `mlnotes.attention.self_attention.attention_weights`. A block in which no query may look is not computed.
    block_size : int
        How many queries of a head meet how many keys at a time; it changes the result by rounding only.

    Returns
    -------
    array (..., l, e)
        One average of the values for each query; zeros for a query that may look at no key.

    Raises
    ------
    ValueError
        If the block size is no positive integer, or for what `mlnotes.attention.self_attention.attention` refuses.

    Notes
    -----
    .. math:: m' = \\max(m, \\max_j x_j), \\qquad
              \\ell' = e^{m - m'}\\,\\ell + \\sum_j e^{x_j - m'},

              \\mathbf z' = e^{m - m'}\\,\\mathbf z + \\sum_j e^{x_j - m'}\\,\\mathbf v_j, \\qquad
              \\mathbf y = \\mathbf z / \\ell

    Queries and keys are multiplied as they are: where a product overflows, the result may be nan.

    References
    ----------
    Rabe and Staats, *Self-attention Does Not Need O(n²) Memory*, 2021. Dao et al., *FlashAttention: Fast and
    Memory-Efficient Exact Attention with IO-Awareness*, 2022.
    """
    return attention_and_lse(q, k, v, mask, bias, scale, block_size)[0]


@widen_half
def causal_flash_attention(q, k, v, offset=0, scale=None, block_size=512):
    """Let every query look at the keys up to its own position, without a mask; blocks beyond are not computed.

    Parameters
    ----------
    q : array (..., l, d)
        Queries.
    k : array (..., s, d)
        Keys.
    v : array (..., s, e)
        Values, one for each key.
    offset : int
        The position of query 0 among the keys: query i may look at keys 0 to i + ``offset``.
    scale, block_size
        As in `flash_attention`.

    Returns
    -------
    array (..., l, e)
        One average of the values for each query.

    Raises
    ------
    ValueError
        If the offset is negative or no integer, or for what `flash_attention` refuses.

    References
    ----------
    Dao, *FlashAttention-2: Faster Attention with Better Parallelism and Work Partitioning*, 2024, section 3.1.
    """
    return attention_and_lse(q, k, v, None, None, scale, block_size, offset)[0]


@exact_integers
def attention_and_lse(q, k, v, mask=None, bias=None, scale=None, block_size=512, offset=None):
    """Compute attention block by block, and what it takes to merge it or to recompute its weights.

    Parameters
    ----------
    q, k, v, mask, bias, scale, block_size
        As in `flash_attention`.
    offset : int, optional
        Where it is given, query i may look at keys 0 to i + ``offset`` only, as the mask allows.

    Returns
    -------
    out : array (..., l, e)
        One average of the values for each query; zeros for a query that may look at no key.
    lse : array (..., l)
        The log-sum-exp of each query's scores, in nats; ``-inf`` for a query that may look at no key. In single
        precision where ``q`` has half.

    Raises
    ------
    ValueError
        For what `flash_attention` and `causal_flash_attention` refuse.
    """
    _require_attention(q, k, v, mask, bias, block_size, offset)
    xp = array_namespace(q)
    dtype = xp.result_type(q, k, v)
    mask = None if mask is None else beside(mask, q)
    q, k, v = map(_at_least_single, (q, k, v))
    leading, outs, lses = np.broadcast_shapes(q.shape[:-2], k.shape[:-2]), [], []
    if leading and leading[-1] > 1 and q.shape[-2] * k.shape[-2] > block_size**2:
        # One head at a time, so that blocks of scores are held of one, not of all.
        for i in range(leading[-1]):
            head = [_head(x, i) for x in (q, k, v, mask, bias)]
            out, lse = attention_and_lse(*head, scale, block_size, offset)
            outs.append(out)
            lses.append(lse)
        out = xp.astype(xp.stack(outs, axis=-3), dtype, copy=False)
        return out, xp.stack(lses, axis=-2)
    queries = q * (q.shape[-1] ** -0.5 if scale is None else as_like(scale, q))
    for rows in _blocks(q.shape[-2], block_size):
        shape = *leading, rows.stop - rows.start, 1
        total = xp.zeros(shape, dtype=q.dtype, device=device(q))
        top = total - math.inf
        out = queries[..., rows, :] @ k[..., :0, :].mT @ v[..., :0, :]  # of no key yet: zeros
        for keys, seen in _visible(rows, k, mask, block_size, offset):
            top, factor, exponentials = _rescale(top, _scores(queries, k, bias, seen, rows, keys))
            total = factor * total + xp.sum(exponentials, axis=-1, keepdims=True)
            out = factor * out + exponentials @ v[..., keys, :]
            del exponentials  # their place in the fast memory goes to the scores of the next block
        outs.append(out / or_one(total))
        lses.append((top + xp.log(or_one(total)))[..., 0])
    out = xp.astype(xp.concat(outs, axis=-2), dtype, copy=False)
    return out, xp.concat(lses, axis=-1)


def merge_attentions(outs, lses):
    """Merge attention to several sets of keys into attention to all of them.

    Parameters
    ----------
    outs : array (p, ..., l, e)
        What `attention_and_lse` gave for each of p sets of keys, in any order.
    lses : array (p, ..., l)
        The log-sum-exps that it gave, in nats.

    Returns
    -------
    out : array (..., l, e)
        One average of all values for each query; zeros where every lse is ``-inf``.
    lse : array (..., l)
        The log-sum-exp of all scores, in nats, to be merged again.

    Raises
    ------
    ValueError
        If an array holds no floats, there is nothing to merge, or there is not one lse for each row of ``outs``.

    Notes
    -----
    With the log-sum-exps of one query in :math:`\\mathbf x`, and results :math:`\\mathbf y_1, \\mathbf y_2, \\dots`:

    .. math:: \\mathbf y = \\sum_i \\mathrm{softmax}(\\mathbf x)_i\\,\\mathbf y_i, \\qquad \\mathrm{lse}(\\mathbf x)

    References
    ----------
    Milakov and Gimelshein, *Online normalizer calculation for softmax*, 2018, section 3.1.
    """
    require_floats(outs=outs, lses=lses)
    require_entries(0, lses=lses)
    if tuple(outs.shape[:-1]) != tuple(lses.shape):
        raise ValueError(f"there must be one lse for each row of outs, got {tuple(lses.shape)} for {tuple(outs.shape)}")
    xp = array_namespace(outs)
    weights = softmax(_at_least_single(lses), axis=0)
    out = xp.sum(weights[..., None] * outs, axis=0)
    return xp.astype(out, outs.dtype, copy=False), logsumexp(lses, axis=0)


@exact_integers
@widen_half
def flash_attention_gradients(
    grad, out, lse, q, k, v, mask=None, bias=None, scale=None, block_size=256, offset=None
):
    """Take the gradient of a loss back through attention, with weights that are recomputed block by block.

    Parameters
    ----------
    grad : array (..., l, e)
        Gradient of the loss by the result of attention.
    out, lse : array (..., l, e) and (..., l)
        What `attention_and_lse` gave for the arguments that follow.
    q, k, v, mask, bias, scale, block_size, offset
        As in `attention_and_lse`.

    Returns
    -------
    grad_q, grad_k, grad_v : array
        Gradients of the loss, each of the shape of its array.
    grad_bias : array
        The same for the bias; left out where there is none.

    Raises
    ------
    ValueError
        If ``grad``, ``out`` and ``lse`` have other shapes than `attention_and_lse` gives, or for what it refuses.

    Notes
    -----
    With the rows :math:`\\mathbf g_i` of ``grad`` and :math:`\\mathbf y_i` of ``out``, and c for ``scale``:

    .. math::

        a_{ij} &= \\exp(x_{ij} - \\mathrm{lse}_i), \\qquad
        \\delta_i = \\mathbf g_i\\cdot\\mathbf y_i, \\qquad
        \\partial L/\\partial x_{ij} = a_{ij}\\,(\\mathbf g_i\\cdot\\mathbf v_j - \\delta_i) \\\\
        \\partial L/\\partial\\mathbf v_j &= \\textstyle\\sum_i a_{ij}\\,\\mathbf g_i, \\qquad
        \\partial L/\\partial\\mathbf q_i = c\\sum_j \\frac{\\partial L}{\\partial x_{ij}}\\mathbf k_j, \\qquad
        \\partial L/\\partial\\mathbf k_j = c\\sum_i \\frac{\\partial L}{\\partial x_{ij}}\\mathbf q_i

    Weights from the log-sum-exp carry its rounding error: about 1e-7 of the largest score in single precision. Scores
    above the largest float, which `attention_and_lse` takes for that, cannot be found again from it: their gradients
    are nan.

    References
    ----------
    Dao et al., *FlashAttention*, 2022, appendix B.4.
    """
    _require_attention(q, k, v, mask, bias, block_size, offset)
    _require_results(grad, out, lse, q, k, v)
    xp = array_namespace(q)
    mask = None if mask is None else beside(mask, q)
    scale = q.shape[-1] ** -0.5 if scale is None else as_like(scale, q)
    queries, lse, delta = scale * q, _finite(lse), xp.sum(grad * out, axis=-1, keepdims=True)
    bias = None if bias is None else as_like(bias, q)
    grads = [xp.zeros_like(x) for x in (q, k, v, bias) if x is not None]  # no gradient goes through them
    for rows in _blocks(q.shape[-2], block_size):
        for keys, seen in _visible(rows, k, mask, block_size, offset):
            scores = _scores(queries, k, bias, seen, rows, keys)
            weights = xp.exp(scores - lse[..., rows, None])
            grad_scores = weights * (grad[..., rows, :] @ v[..., keys, :].mT - delta[..., rows, :])
            _add(grads[0], (..., rows, slice(None)), scale * (grad_scores @ k[..., keys, :]))
            _add(grads[1], (..., keys, slice(None)), grad_scores.mT @ queries[..., rows, :])
            _add(grads[2], (..., keys, slice(None)), weights.mT @ grad[..., rows, :])
            if bias is not None:
                _add(grads[3], _at(bias, rows, keys), grad_scores)
    return tuple(grads)


@exact_integers
def attention_traffic(n_queries, n_keys, d_head, d_value=None, block_size=None):
    """Count the numbers that attention moves between a large slow memory and a small fast one, for one head.

    Parameters
    ----------
    n_queries, n_keys : int
        How many there are, l and s.
    d_head : int
        Width of queries and keys, d.
    d_value : int, optional
        Width of values, e; ``d_head`` unless given.
    block_size : int, optional
        Queries and keys that meet at a time, B. Without it the tables of scores and weights go through the slow memory.

    Returns
    -------
    int
        Numbers read and written.

    Raises
    ------
    ValueError
        If a number is no positive integer.

    Notes
    -----
    .. math:: l(d+e) + s(d+e) + 4ls \\quad\\text{with tables,}

              l(d+e) + \\lceil l/B\\rceil\\,s(d+e) \\quad\\text{in blocks}

    With tables, each product reads what it needs only once.

    References
    ----------
    Dao et al., *FlashAttention*, 2022, section 3.2.
    """
    e = d_head if d_value is None else d_value
    require_integers(1, n_queries=n_queries, n_keys=n_keys, d_head=d_head, d_value=e)
    if block_size is None:
        return (n_queries + n_keys) * (d_head + e) + 4 * n_queries * n_keys
    require_integers(1, block_size=block_size)
    return (n_queries + math.ceil(n_queries / block_size) * n_keys) * (d_head + e)


@exact_integers
def largest_block_size(fast_memory, d_head, d_value=None):
    """Find how many queries and keys may meet at a time so that all that is at work fits into the fast memory.

    Parameters
    ----------
    fast_memory : int
        How many numbers it holds, M.
    d_head : int
        Width of queries and keys, d.
    d_value : int, optional
        Width of values, e; ``d_head`` unless given.

    Returns
    -------
    int
        The largest block size, B; 0 where not even one query and one key fit.

    Raises
    ------
    ValueError
        If a number is no positive integer.

    Notes
    -----
    At work are B queries, keys, values and results, B maxima and sums, and B² scores:

    .. math:: 2B(d+e) + 2B + B^2 \\le M \\quad\\Longleftrightarrow\\quad B \\le \\sqrt{(d+e+1)^2+M} - (d+e+1)
    """
    e = d_head if d_value is None else d_value
    require_integers(1, fast_memory=fast_memory, d_head=d_head, d_value=e)
    half = d_head + e + 1
    return math.isqrt(half**2 + fast_memory) - half


def _head(x, i):
    """Take one head of an array, or what all heads share."""
    return x if x is None or x.ndim < 3 else x[..., i if x.shape[-3] > 1 else 0, :, :]


def _visible(rows, k, mask, block_size, offset):
    """Yield the blocks of keys of which some of these queries may see some, with a mask where they do not see all."""
    xp = array_namespace(k)
    for keys in _blocks(k.shape[-2], block_size):
        if offset is not None and keys.start >= rows.stop + offset:
            return
        seen = None if mask is None else mask[_at(mask, rows, keys)]
        if seen is not None and not xp.any(seen):
            continue
        if offset is not None and keys.stop > rows.start + offset + 1:
            own = xp.arange(rows.start, rows.stop, device=device(k))[:, None] + offset
            causal = xp.arange(keys.start, keys.stop, device=device(k)) <= own
            seen = causal if seen is None else seen & causal
        yield keys, seen


def _scores(queries, k, bias, seen, rows, keys):
    """Compute the scores of one block; -inf for keys that are not seen."""
    xp = array_namespace(k)
    scores = queries[..., rows, :] @ k[..., keys, :].mT
    if bias is not None:
        scores = scores + as_like(bias[_at(bias, rows, keys)], k)
    return scores if seen is None else xp.where(seen, scores, -math.inf)


def _rescale(top, scores):
    """Raise the maximum to that of more scores; say by what older sums shrink, and take the exponentials of these."""
    xp = array_namespace(scores)
    new = xp.maximum(top, xp.max(scores, axis=-1, keepdims=True))
    if xp.any(new == math.inf):  # which less itself is nan
        return _rescale(top, xp.clip(scores, max=xp.finfo(scores.dtype).max))
    shift = _finite(new)
    scores = scores - shift  # which lets go of the scores before their exponentials need room
    return new, xp.exp(top - shift), xp.exp(scores)


def _finite(top):
    """Replace the maximum of nothing, ``-inf``, which less itself is nan."""
    xp = array_namespace(top)
    return xp.clip(top, min=xp.finfo(top.dtype).min)


def _blocks(n, size):
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


def _at(x, rows, keys):
    """Say where a block lies in a mask or a bias, whose axes of size 1 stand for all rows or all keys."""
    return ..., rows if x.shape[-2] > 1 else slice(None), keys if x.shape[-1] > 1 else slice(None)


def _add(total, at, x):
    """Add in place, over the axes that broadcast."""
    shape = total[at].shape
    lead = tuple(range(x.ndim - len(shape)))
    x = array_namespace(x).sum(x, axis=lead) if lead else x
    same = tuple(i for i, n in enumerate(shape) if n < x.shape[i])
    total[at] += array_namespace(x).sum(x, axis=same, keepdims=True) if same else x


def _at_least_single(x):
    xp = array_namespace(x)
    return xp.astype(x, xp.result_type(x.dtype, xp.float32), copy=False)


def _require_attention(q, k, v, mask, bias, block_size, offset):
    require_scores(q, k, mask, bias)
    require_floats(v=v)
    require_same_size(-2, k=k, v=v)
    require_integers(1, block_size=block_size)
    if offset is not None:
        require_integers(0, offset=offset)


def _require_results(grad, out, lse, q, k, v):
    require_floats(grad=grad, out=out, lse=lse)
    scored = np.broadcast_shapes(q.shape[:-2], k.shape[:-2])
    averaged = np.broadcast_shapes(scored, v.shape[:-2])  # which may have axes that the scores have not
    for name, x, shape in ("out", out, (*averaged, q.shape[-2], v.shape[-1])), ("lse", lse, (*scored, q.shape[-2])):
        if tuple(x.shape) != shape:
            raise ValueError(f"{name} must have shape {shape}, got {tuple(x.shape)}")
    if grad.shape != out.shape:
        raise ValueError(f"grad must have the shape of out, {tuple(out.shape)}, got {tuple(grad.shape)}")
