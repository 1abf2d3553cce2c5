"""Masks: which keys a query may look at, and the softmax that respects it."""

import math

import numpy as np
from array_api_compat import array_namespace, device

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
        If a number is negative.

    Notes
    -----
    .. math:: m_{ij} = [\\,j \\le i + \\mathrm{offset}\\,]
    """
    for name, value in {"n_queries": n_queries, "n_keys": n_keys, "offset": offset}.items():
        if value < 0:
            raise ValueError(f"{name} must not be negative, got {value}")
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
    lengths = np.asarray(lengths)
    if lengths.dtype.kind not in "iu":
        raise ValueError(f"lengths must be integers, got dtype {lengths.dtype}")
    for length in lengths.ravel():
        if not 0 <= length <= n_keys:
            raise ValueError(f"lengths must lie between 0 and n_keys={n_keys}, got {length}")
    return np.arange(n_keys) < lengths[..., None, None]


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
        If ``mask`` is not boolean, or does not broadcast to the shape of ``x``, or ``x`` is no input for `softmax`.

    Notes
    -----
    .. math:: \\mathrm{softmax}(\\mathbf x')_i \\quad\\text{with}\\quad x'_i = x_i \\text{ if allowed, else } -\\infty
    """
    xp = array_namespace(x)
    mask = _mask_like(mask, x)
    return softmax(xp.where(mask, x, xp.full_like(x, -math.inf)), axis=axis)


def require_broadcasts_to(shape, **arrays):
    """Refuse arrays that would enlarge a table of scores, or line up with the wrong one of its axes.

    Parameters
    ----------
    shape : tuple of int
        The shape of the scores, (..., l, s).
    **arrays : array
        The arrays to look at, each under the name that the message gives it.

    Raises
    ------
    ValueError
        If an array has neither two axes nor as many as ``shape``, or if one of its sizes is neither 1 nor that of
        ``shape``.
    """
    for name, x in arrays.items():
        fits = x.ndim in (2, len(shape)) and all(
            mine in (1, theirs) for mine, theirs in zip(x.shape, shape[-x.ndim :], strict=True)
        )
        if not fits:
            raise ValueError(
                f"{name} must have shape {tuple(shape[-2:])} or {tuple(shape)}, up to sizes 1, got {tuple(x.shape)}"
            )


def _mask_like(mask, x):
    xp = array_namespace(x)
    mask = xp.asarray(mask, device=device(x))
    if not xp.isdtype(mask.dtype, "bool"):
        raise ValueError(f"mask must be boolean, True where a query may look, got dtype {mask.dtype}")
    require_broadcasts_to(x.shape, mask=mask)
    return mask
