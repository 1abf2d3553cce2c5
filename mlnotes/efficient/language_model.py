"""From scores to text: which token may come next, with what probability, and one after another."""

import math

import numpy as np
from array_api_compat import array_namespace, is_array_api_obj, to_device

from mlnotes.arrays import (
    as_like,
    require_entries,
    require_floats,
    require_integers,
    require_not_negative,
    require_number,
    widen_half,
)
from mlnotes.blocks.softmax import softmax


@widen_half
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    """Turn scores into the probabilities with which the next token is drawn.

    Parameters
    ----------
    logits : array (..., n)
        One score in nats for each token; -inf for one that may not come, inf for one that must.
    temperature : float
        What scores are divided by. Below 1 probable tokens become more so; at 0 only the most probable is left.
    top_k : int, optional
        How many of the most probable tokens may be drawn; more than there are changes nothing.
    top_p : float, optional
        How much of the probability, after temperature and ``top_k``, those that may be drawn must have together: the
        smallest number of most probable tokens that reaches it, up to rounding, from 1 token at 0 to all at 1.

    Returns
    -------
    array (..., n)
        Probabilities: 0 for what may not be drawn. Tokens that are as probable as the last that is kept are kept too.
        Zeros where every score is -inf.

    Raises
    ------
    ValueError
        If ``logits`` holds no floats, nan or no token, the temperature is no number, negative or not finite, ``top_k``
        is no positive integer, or ``top_p`` is no number between 0 and 1.

    Notes
    -----
    .. math:: \\mathbf p = \\mathrm{softmax}(\\mathbf x / T), \\qquad
              p'_i = \\frac{p_i\\,[\\,p_i \\ge t\\,]}{\\sum_j p_j\\,[\\,p_j \\ge t\\,]}

    with the k-th largest probability for t, and with the smallest one of those that reach ``top_p``.

    References
    ----------
    Fan, Lewis and Dauphin, *Hierarchical Neural Story Generation*, 2018 (top k). Holtzman et al., *The Curious Case of
    Neural Text Degeneration*, 2020 (top p).
    """
    _require_choice(logits, temperature, top_k, top_p)
    xp, temperature = array_namespace(logits), float(temperature)  # in NumPy's float16, 10,000 times it would overflow
    # Infinity less itself would be nan. By log_softmax the largest would be below 0, and left out at temperature 0.
    logits = xp.clip(logits, max=xp.finfo(logits.dtype).max)
    top = xp.max(logits, axis=-1, keepdims=True)
    scores = logits - xp.where(top == -math.inf, 0.0, top)
    # So far below the top the probability is 0 in every precision, and the quotient might overflow.
    scores = xp.where(scores < -10_000 * temperature, -math.inf, scores)
    scores = scores / as_like(temperature, scores) if temperature >= xp.finfo(scores.dtype).smallest_normal else scores
    if top_k is not None:
        ranked = xp.sort(scores, axis=-1)
        scores = xp.where(scores >= ranked[..., -min(top_k, logits.shape[-1]), None], scores, -math.inf)
    if top_p is not None:
        p = softmax(scores)
        ranked = xp.sort(p, axis=-1)
        rare = xp.cumulative_sum(ranked, axis=-1) <= 1 - top_p  # from below, where sums are small and exact
        last = xp.min(xp.where(rare, ranked[..., -1:], ranked), axis=-1, keepdims=True)
        scores = xp.where(p >= last, scores, -math.inf)
    return softmax(scores)


def generate(step, ids, n_tokens, stop=None, rng=None, **choice):
    """Continue a text: score the next token, draw it, read it, and so on.

    Parameters
    ----------
    step : callable
        Takes the next tokens, an integer array (l,), and gives scores (l, n) of what may follow each. It remembers what
        it was given: ``partial(model, caches=model.caches(capacity))``.
    ids : integer array (l,)
        The text so far, of at least one token.
    n_tokens : int
        How many tokens to write at most.
    stop : int, optional
        The token that ends the text, and is not part of it.
    rng : numpy.random.Generator or int, optional
        What draws: one number for each token.
    **choice
        ``temperature``, ``top_k`` and ``top_p``, as in `next_token_probabilities`. Temperature 0 draws the most
        probable token every time.

    Returns
    -------
    integer array (n,)
        What was written, n at most ``n_tokens``.

    Raises
    ------
    ValueError
        If ``ids`` is no vector of integers or empty, ``n_tokens`` or ``stop`` no integer or negative, ``rng`` neither a
        generator nor a seed, ``step`` gives no scores (l, n), no token may follow because every score is -inf, or for
        what `next_token_probabilities` refuses.

    Notes
    -----
    The token is the first whose probability, added to those of all tokens before it in the table, exceeds a number that
    is drawn evenly from 0 to 1.
    """
    _require_text(step, ids, n_tokens, stop, rng, choice)
    rng, new, written = np.random.default_rng(rng), np.asarray(ids), []
    for _ in range(n_tokens):
        scores = step(new)
        _require_rows(scores)
        p = _as_doubles(next_token_probabilities(scores[-1], **choice))
        reached = np.cumsum(p)
        _require_possible(reached[-1])
        token = int(np.searchsorted(reached, rng.random() * reached[-1], side="right"))
        if token == stop:
            break
        written.append(token)
        new = np.array([token])
    return np.array(written, dtype=np.int64)


def _as_doubles(p):
    """Bring numbers of any library, precision and device to NumPy's float64."""
    p = to_device(p.detach() if hasattr(p, "detach") else p, "cpu")
    return np.asarray(array_namespace(p).astype(p, array_namespace(p).float64))


def _require_rows(scores):
    if not is_array_api_obj(scores) or scores.ndim != 2 or 0 in scores.shape:
        got = f"shape {tuple(scores.shape)}" if is_array_api_obj(scores) else type(scores).__name__
        raise ValueError(f"step must give an array of scores (l, n), one row for each token it is given, got {got}")


def _require_text(step, ids, n_tokens, stop, rng, choice):
    if not callable(step):
        raise ValueError(f"step must be callable, got {type(step).__name__}")
    ids = np.asarray(ids)
    if ids.ndim == 1:
        require_entries(-1, ids=ids)
    if ids.ndim != 1 or ids.dtype.kind not in "iu":
        raise ValueError(f"ids must be a vector of integers, got shape {ids.shape} and dtype {ids.dtype}")
    require_integers(0, n_tokens=n_tokens)
    if stop is not None:
        require_integers(0, stop=stop)
    try:
        np.random.default_rng(rng)
    except TypeError:
        raise ValueError(f"rng must be a numpy.random.Generator or an integer, got {rng!r}") from None
    next_token_probabilities(np.zeros(1), **choice)  # which it refuses, before a step has filled caches


def _require_possible(total):
    if not total > 0:
        raise ValueError(f"at least one token must be possible, got probabilities that sum to {total}")


def _require_choice(logits, temperature, top_k, top_p):
    require_floats(logits=logits)
    require_entries(-1, logits=logits)
    xp = array_namespace(logits)
    if xp.any(xp.isnan(logits)):
        raise ValueError(f"logits must be numbers or infinite, got nan in shape {tuple(logits.shape)}")
    require_not_negative(temperature=temperature)
    most = float(xp.finfo(logits.dtype).max)
    if float(temperature) > most:
        raise ValueError(f"temperature must be at most {most:.2g} in the dtype of logits, got {temperature}")
    if top_k is not None:
        require_integers(1, top_k=top_k)
    if top_p is not None:
        require_number(top_p=top_p)
        if not 0 <= top_p <= 1:
            raise ValueError(f"top_p must lie between 0 and 1, got {top_p}")
