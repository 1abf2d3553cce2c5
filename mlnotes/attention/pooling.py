"""Attention pooling: an average of values, each weighted by how well its key answers a query."""

from array_api_compat import array_namespace

from mlnotes.arrays import (
    as_like,
    require_entries,
    require_floats,
    require_positive,
    require_representable,
    require_same_size,
    widen_half,
)
from mlnotes.blocks.softmax import softmax


@widen_half
def attention_pool(q, k, v, score):
    """Give every query its own average of the values.

    Parameters
    ----------
    q : array (..., l, d)
        Queries.
    k : array (..., s, d')
        Keys. Their width may differ from that of the queries if ``score`` can compare them.
    v : array (..., s, e)
        Values, one for each key.
    score : callable
        Takes queries and keys and gives scores (..., l, s) in nats: `gaussian_score`, or another of this module with
        its parameters filled in.

    Returns
    -------
    array (..., l, e)
        One average for each query. It lies between the smallest and the largest value, coordinate by coordinate; zeros
        where every score is ``-inf``.

    Raises
    ------
    ValueError
        If there are not as many values as keys, or for what `pooling_weights` refuses.

    Notes
    -----
    .. math:: \\mathbf y_i = \\sum_{j=1}^{s} a_{ij}\\,\\mathbf v_j, \\qquad
              a_{ij} = \\frac{\\exp s(\\mathbf q_i,\\mathbf k_j)}{\\sum_{t=1}^{s}\\exp s(\\mathbf q_i,\\mathbf k_t)}

    With `gaussian_score` this is the Nadaraya–Watson estimator.

    References
    ----------
    Nadaraya, *On Estimating Regression*, 1964. Watson, *Smooth Regression Analysis*, 1964.
    """
    require_floats(v=v)
    require_same_size(-2, k=k, v=v)
    return pooling_weights(q, k, score) @ v


@widen_half
def pooling_weights(q, k, score):
    """Turn the scores of each query into weights.

    Parameters
    ----------
    q, k, score
        As in `attention_pool`.

    Returns
    -------
    array (..., l, s)
        Weights from 0 to 1. Each row sums to one, or is all zeros where every score is ``-inf``.

    Raises
    ------
    ValueError
        If there is no query or no key, an array holds no floats, or ``score`` gives another shape than (..., l, s).

    Notes
    -----
    .. math:: \\mathbf A = \\mathrm{softmax}(\\mathbf S), \\qquad s_{ij} = s(\\mathbf q_i, \\mathbf k_j)
    """
    require_floats(q=q, k=k)
    require_entries(-2, q=q, k=k)
    scores = score(q, k)
    _require_pairs(q, k, scores)
    return softmax(scores)


@widen_half
def gaussian_score(q, k, bandwidth=1.0):
    """Score keys by how near they lie to a query.

    Parameters
    ----------
    q : array (..., l, d)
        Queries.
    k : array (..., s, d)
        Keys.
    bandwidth : float
        The distance, in the units of ``q`` and ``k``, at which a key has lost half a nat against one at distance 0.

    Returns
    -------
    array (..., l, s)
        Scores in nats, never positive; 0 where a key is where the query is.

    Raises
    ------
    ValueError
        If queries and keys differ in width, an array holds no floats, has no rows or has width 0, or the bandwidth is
        not positive and finite, also in the dtype.

    Notes
    -----
    .. math:: s(\\mathbf q,\\mathbf k) = -\\frac{\\lVert\\mathbf q-\\mathbf k\\rVert_2^2}{2h^2}

    Differences are squared, not products subtracted: near keys far from the origin keep their distance.
    """
    require_floats(q=q, k=k)
    _require_rows(q, k)
    require_same_size(-1, q=q, k=k)
    require_entries(-1, q=q)
    require_positive(bandwidth=bandwidth)
    require_representable(q.dtype, bandwidth=bandwidth)
    away = (q[..., :, None, :] - k[..., None, :, :]) / as_like(bandwidth, q)
    return -array_namespace(away).sum(away**2, axis=-1) / 2


@widen_half
def bilinear_score(q, k, m):
    """Score keys, which may be of another width than the queries, by a product with a matrix in between.

    Parameters
    ----------
    q : array (..., l, d)
        Queries.
    k : array (..., s, f)
        Keys.
    m : array (d, f)
        How much each coordinate of a query makes of each coordinate of a key.

    Returns
    -------
    array (..., l, s)
        Scores in nats.

    Raises
    ------
    ValueError
        If an array holds no floats, queries or keys are no rows, or ``m`` does not fit the widths.

    Notes
    -----
    .. math:: s(\\mathbf q,\\mathbf k) = \\mathbf q^{\\mathsf T}\\mathbf M\\,\\mathbf k

    References
    ----------
    Luong, Pham and Manning, *Effective Approaches to Attention-based Neural Machine Translation*, 2015, section 3.1.
    """
    require_floats(q=q, k=k, m=m)
    _require_rows(q, k)
    if tuple(m.shape) != (q.shape[-1], k.shape[-1]):
        raise ValueError(
            f"m must have shape {(q.shape[-1], k.shape[-1])}, the widths of queries and keys, got {tuple(m.shape)}"
        )
    return q @ m @ k.mT


@widen_half
def additive_score(q, k, w_q, w_k, w):
    """Score keys by a network with one hidden layer that sees a query and a key.

    Parameters
    ----------
    q : array (..., l, d)
        Queries.
    k : array (..., s, f)
        Keys, of any width.
    w_q : array (d, c)
        Projection of the queries to c hidden units.
    w_k : array (f, c)
        Projection of the keys to the same units.
    w : array (c,)
        What each unit adds to the score.

    Returns
    -------
    array (..., l, s)
        Scores in nats, of size at most the sum of the sizes of ``w``.

    Raises
    ------
    ValueError
        If an array holds no floats, queries or keys are no rows, or a weight does not fit the widths.

    Notes
    -----
    .. math:: s(\\mathbf q,\\mathbf k) = \\mathbf w^{\\mathsf T}
              \\tanh\\!\\left(\\mathbf W_Q^{\\mathsf T}\\mathbf q + \\mathbf W_K^{\\mathsf T}\\mathbf k\\right)

    References
    ----------
    Bahdanau, Cho and Bengio, *Neural Machine Translation by Jointly Learning to Align and Translate*, 2015, A.1.2.
    """
    _require_hidden_units(q, k, w_q, w_k, w)
    asked, found = q @ w_q, k @ w_k
    return array_namespace(asked).tanh(asked[..., :, None, :] + found[..., None, :, :]) @ w


def _require_rows(q, k):
    for name, x in {"q": q, "k": k}.items():
        if x.ndim < 2:
            raise ValueError(f"{name} must hold rows (..., l, d), got shape {tuple(x.shape)}")


def _require_pairs(q, k, scores):
    expected = (q.shape[-2], k.shape[-2])
    if tuple(scores.shape[-2:]) != expected:
        raise ValueError(
            f"score must give one number for each query and key, (..., {expected[0]}, {expected[1]}), "
            f"got shape {tuple(scores.shape)}"
        )


def _require_hidden_units(q, k, w_q, w_k, w):
    require_floats(q=q, k=k, w_q=w_q, w_k=w_k, w=w)
    _require_rows(q, k)
    if w.ndim != 1:
        raise ValueError(f"w must have an entry for each hidden unit, got shape {tuple(w.shape)}")
    expected = (q.shape[-1], w.shape[-1]), (k.shape[-1], w.shape[-1]), (w.shape[-1],)
    got = tuple(w_q.shape), tuple(w_k.shape), tuple(w.shape)
    if got != expected:
        raise ValueError(f"w_q, w_k and w must have shapes {', '.join(map(str, expected))}, got {got}")
