"""Masks: which keys a query may look at, and the softmax that respects it."""

import math

import numpy as np
from array_api_compat import array_namespace

from mlnotes.arrays import beside, require_floats, require_integers, require_mask
from mlnotes.blocks.softmax import softmax


def causal_mask(n_queries, n_keys, offset=0):
    """Let every query look at the keys up to its own position.

    Parameters
    ----------
    n_queries, n_keys : int
        How many there are of each.
    offset : int
        The position of query 0 among the keys: query i may look at keys 0 to i + ``offset``.

    Returns
    -------
    boolean array (n_queries, n_keys)
        True where the query may look.

    Raises
    ------
    ValueError
        If a number is no integer, or negative.

    Notes
    -----
    .. math:: m_{ij} = [\\,j \\le i + \\mathrm{offset}\\,]
    """
    require_integers(0, n_queries=n_queries, n_keys=n_keys, offset=offset)
    return np.arange(n_keys) <= np.arange(n_queries)[:, None] + offset


def padding_mask(lengths, n_keys):
    """Let every query look at the keys that belong to its sequence, and not at what fills up the batch behind them.

    Parameters
    ----------
    lengths : int or sequence of b ints
        How many keys each sequence has.
    n_keys : int
        How many keys there are with the filling.

    Returns
    -------
    boolean array (b, 1, n_keys)
        True for the first keys of each sequence; the same for all its queries. (1, n_keys) for a single length.

    Raises
    ------
    ValueError
        If a length is no integer, is negative, or exceeds ``n_keys``.

    Notes
    -----
    .. math:: m_{bij} = [\\,j < \\mathrm{length}_b\\,]
    """
    _require_lengths(lengths, n_keys)
    return np.arange(n_keys) < np.asarray(lengths)[..., None, None]


def masked_softmax(x, mask, axis=-1):
    """Spread the weights over the allowed scores only.

    Parameters
    ----------
    x : array (..., l, s)
        Floating-point scores in nats.
    mask : boolean array (l, s) or (..., l, s)
        True where a weight may be. NumPy or the library of ``x``; axes of size 1 broadcast.
    axis : int
        The axis along which the weights sum to one.

    Returns
    -------
    array (..., l, s)
        Weights; exactly 0 where the mask is False. A row without any True is all zeros.

    Raises
    ------
    ValueError
        If ``mask`` is not boolean, or has neither the last two axes of ``x`` nor all of them, up to sizes 1, or ``x``
        is no input for `softmax`.

    Notes
    -----
    .. math:: a_{ij} = \\frac{m_{ij}\\,e^{x_{ij}}}{\\sum_t m_{it}\\,e^{x_{it}}}

    Here m is 1 where the mask is True, and 0 elsewhere: the softmax of scores that are ``-inf`` where it is False.
    """
    require_floats(x=x)
    if mask is None:  # which other functions take for a mask that hides nothing
        raise ValueError("mask must be boolean, True for what counts, got None")
    require_mask(x.shape, mask)
    xp = array_namespace(x)
    mask = beside(mask, x)
    return softmax(xp.where(mask, x, -math.inf), axis=axis)


def _require_lengths(lengths, n_keys):
    require_integers(0, n_keys=n_keys)
    lengths = np.asarray(lengths)
    if lengths.dtype.kind not in "iu" and lengths.size:
        raise ValueError(f"lengths must be integers, got dtype {lengths.dtype}")
    for length in lengths.ravel():
        if not 0 <= length <= n_keys:
            raise ValueError(f"lengths must lie between 0 and n_keys={n_keys}, got {length}")
