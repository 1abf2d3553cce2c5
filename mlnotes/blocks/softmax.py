"""Softmax: scores become weights, and everything that is computed from the same exponentials."""

import math

import numpy as np
from array_api_compat import array_namespace, device

from mlnotes.arrays import or_one, require_entries, require_floats, require_same_library, widen_half

# A score that lies further below another than the largest float has the weight 0, as it should.
_ignoring_overflow = np.errstate(over="ignore")


@widen_half
@_ignoring_overflow
def softmax(x, axis=-1):
    """Turn scores into weights that are never negative and sum to one.

    Parameters
    ----------
    x : array (..., n)
        Floating-point scores in nats. ``-inf`` is a score that nothing can lose to, ``inf`` one that only another
        ``inf`` can share with.
    axis : int
        The axis along which the weights sum to one.

    Returns
    -------
    array (..., n)
        Weights from 0 to 1. A row of nothing but ``-inf`` has nothing to choose from: its weights are zeros.

    Raises
    ------
    ValueError
        If ``x`` holds no floats, has no such axis, or is empty along it.

    Notes
    -----
    .. math:: \\mathrm{softmax}(\\mathbf x)_i = \\frac{\\exp x_i}{\\sum_j \\exp x_j}
              = \\frac{\\exp(x_i - \\max\\mathbf x)}{\\sum_j \\exp(x_j - \\max\\mathbf x)}

    The right-hand form is the one computed: no exponent is positive, so no exponential overflows.

    References
    ----------
    Blanchard, Higham and Higham, *Accurately computing the log-sum-exp and softmax functions*, 2021.
    """
    require_floats(x=x)
    require_entries(axis, x=x)
    xp = array_namespace(x)
    # Infinity less itself is nan, the largest float less itself is 0.
    x = xp.clip(x, max=xp.finfo(x.dtype).max)
    top = xp.max(x, axis=axis, keepdims=True)
    weights = xp.exp(x - xp.where(top == -math.inf, 0.0, top))
    total = xp.sum(weights, axis=axis, keepdims=True)
    return weights / xp.where(total == 0, 1.0, total)  # 0 in a row of -inf only


@widen_half
def log_softmax(x, axis=-1):
    """Take the logarithm of softmax without computing softmax.

    Parameters
    ----------
    x : array (..., n)
        Floating-point scores in nats; infinite ones as in `softmax`.
    axis : int
        The axis along which the weights sum to one.

    Returns
    -------
    array (..., n)
        Logarithms of the weights, at most 0, in nats: finite where ``x`` is, unless beside an ``inf``, or so far below
        the maximum that floats do not reach; then ``-inf``, as for scores of ``-inf``.

    Raises
    ------
    ValueError
        If ``x`` holds no floats, has no such axis, or is empty along it.

    Notes
    -----
    .. math:: \\log\\mathrm{softmax}(\\mathbf x)_i = x_i - \\log\\sum_j \\exp x_j

    References
    ----------
    Blanchard, Higham and Higham, *Accurately computing the log-sum-exp and softmax functions*, 2021.
    """
    require_floats(x=x)
    require_entries(axis, x=x)
    xp = array_namespace(x)
    below = _below_maximum(x, axis)
    logarithms = below - xp.log(or_one(xp.sum(xp.exp(below), axis=axis, keepdims=True)))
    beside_infinity = (x < math.inf) & (xp.max(x, axis=axis, keepdims=True) == math.inf)
    return xp.where(beside_infinity, -math.inf, logarithms)


@widen_half
def logsumexp(x, axis=-1):
    """Add numbers that are known by their logarithms: a smooth maximum.

    Parameters
    ----------
    x : array (..., n)
        Floating-point logarithms in nats.
    axis : int
        The axis that is summed over.

    Returns
    -------
    array (...)
        Logarithms of the sums, in nats: at least the maximum of ``x`` and at most log n above it.

    Raises
    ------
    ValueError
        If ``x`` holds no floats, has no such axis, or is empty along it.

    Notes
    -----
    .. math:: \\mathrm{lse}(\\mathbf x) = \\log\\sum_j \\exp x_j = m + \\log\\sum_j \\exp(x_j - m),
              \\qquad m = \\max\\mathbf x

    References
    ----------
    Blanchard, Higham and Higham, *Accurately computing the log-sum-exp and softmax functions*, 2021.
    """
    require_floats(x=x)
    require_entries(axis, x=x)
    xp = array_namespace(x)
    total = xp.sum(xp.exp(_below_maximum(x, axis)), axis=axis)
    return xp.max(x, axis=axis) + xp.log(or_one(total))


@widen_half
def cross_entropy(logits, targets):
    """Measure how surprised softmax is by the right answers, on average.

    Parameters
    ----------
    logits : array (..., n)
        Floating-point scores of n classes, in nats, before any softmax.
    targets : integer array (...)
        The right class of each row, from 0 to n - 1; of the library of ``logits``.

    Returns
    -------
    array ()
        The mean of -log softmax at the targets, in nats; at least 0.

    Raises
    ------
    ValueError
        If ``logits`` holds no floats or ``targets`` no integers, the leading axes of the one are not the shape of the
        other, there is no target, or a target is not one of the n classes.

    Notes
    -----
    .. math:: -\\frac1N \\sum_{i=1}^{N} \\log\\mathrm{softmax}(\\mathbf x_i)_{t_i}
              = \\frac1N \\sum_{i=1}^{N} \\bigl(\\mathrm{lse}(\\mathbf x_i) - x_{i t_i}\\bigr)
    """
    _require_classes(logits, targets)
    xp = array_namespace(logits, targets)
    at = xp.astype(targets, xp.int64)[..., None]  # all that PyTorch takes
    # 0 - x, because -x would turn a surprise of 0 into -0.
    surprises = 0 - xp.take_along_axis(log_softmax(logits), at, axis=-1)
    return xp.mean(surprises)


@widen_half
def entropy(weights, axis=-1):
    """Measure how spread out weights are.

    Parameters
    ----------
    weights : array (..., n)
        Floating-point weights that sum to one along ``axis``, up to the rounding of half precision; or zeros, of a
        query that may look at nothing.
    axis : int
        The axis along which they do.

    Returns
    -------
    array (...)
        Entropies in nats: 0 where one weight is everything, or all are nothing; log n where all are equal.

    Raises
    ------
    ValueError
        If ``weights`` holds no floats, has no such axis or is empty along it, or if a weight is negative or a sum is
        neither one nor zero.

    Notes
    -----
    .. math:: H(\\mathbf p) = -\\sum_i p_i \\log p_i, \\qquad 0\\log 0 = 0

    References
    ----------
    Shannon, *A Mathematical Theory of Communication*, 1948.
    """
    _require_weights(axis, weights)
    xp = array_namespace(weights)
    return 0 - xp.sum(weights * xp.log(or_one(weights)), axis=axis)  # -x would turn 0 into -0


@widen_half
def softmax_jacobian(x):
    """Tell how each weight moves with each score.

    Parameters
    ----------
    x : array (..., n)
        Floating-point scores in nats.

    Returns
    -------
    array (..., n, n)
        Row i, column j: the derivative of weight i by score j. Symmetric; every row sums to zero.

    Raises
    ------
    ValueError
        If ``x`` holds no floats or is empty along its last axis.

    Notes
    -----
    .. math:: \\frac{\\partial p_i}{\\partial x_j} = p_i\\,(\\delta_{ij} - p_j),
              \\qquad \\mathbf J = \\mathrm{diag}(\\mathbf p) - \\mathbf p\\mathbf p^{\\mathsf T}
    """
    p = softmax(x)
    xp = array_namespace(p)
    identity = xp.eye(p.shape[-1], dtype=p.dtype, device=device(p))
    return p[..., :, None] * (identity - p[..., None, :])


@widen_half
def gumbel_max(x, uniform, axis=-1):
    """Draw a class with softmax's probabilities by taking a maximum.

    Parameters
    ----------
    x : array (..., n)
        Floating-point scores in nats. A class with ``-inf`` is never drawn beside a finite score; of several with
        ``inf``, or of nothing but ``-inf``, always the first is.
    uniform : array (..., n)
        Independent random numbers, uniform between 0 and 1, both excluded; one for each score. It may have more rows
        than ``x``, which broadcasts.
    axis : int
        The axis of the classes in ``x``.

    Returns
    -------
    integer array (...)
        The drawn classes, from 0 to n - 1.

    Raises
    ------
    ValueError
        If an array holds no floats, ``x`` is empty along ``axis``, or ``uniform`` has not one number for each score, or
        one that is not between 0 and 1.

    Notes
    -----
    For the class c that is drawn,

    .. math:: x_c + g_c = \\max_i\\,(x_i + g_i), \\qquad g_i = -\\log(-\\log u_i), \\qquad
              P(c) = \\mathrm{softmax}(\\mathbf x)_c

    References
    ----------
    Maddison, Tarlow and Minka, *A\\* Sampling*, 2014, section 2.
    """
    require_floats(x=x, uniform=uniform)
    require_entries(axis, x=x)
    if not ((uniform > 0) & (uniform < 1)).all():
        raise ValueError(f"uniform must lie between 0 and 1, got {float(uniform.min())} to {float(uniform.max())}")
    axis = axis - x.ndim if axis >= 0 else axis  # from the end, where the shapes of both meet
    _require_numbers_for(axis, x, uniform)
    xp = array_namespace(x, uniform)
    return xp.argmax(x - xp.log(-xp.log(uniform)), axis=axis)


@_ignoring_overflow
def _below_maximum(x, axis):
    """Subtract the maximum as softmax does, which says why."""
    xp = array_namespace(x)
    x = xp.clip(x, max=xp.finfo(x.dtype).max)
    top = xp.max(x, axis=axis, keepdims=True)
    return x - xp.where(top == -math.inf, 0.0, top)


def _require_numbers_for(axis, x, uniform):
    """Refuse to use one random number for several scores."""
    mine, theirs = tuple(x.shape), tuple(uniform.shape)
    fits = len(mine) <= len(theirs) and mine[axis] == theirs[axis]
    if not fits or any(n not in (1, m) for n, m in zip(mine, theirs[-len(mine) :], strict=True)):
        raise ValueError(f"each score needs a random number of its own, got shapes {mine} and {theirs}")


def _require_weights(axis, weights):
    require_floats(weights=weights)
    require_entries(axis, weights=weights)
    xp = array_namespace(weights)
    if xp.any(weights < 0):
        raise ValueError(f"weights must not be negative, got {float(xp.min(weights))}")
    total = xp.sum(weights, axis=axis)
    wrong = (total != 0) & ~(xp.abs(total - 1) < 0.01)  # what was rounded to bfloat16 sums to one within 2**-8
    if xp.any(wrong):
        raise ValueError(f"weights must sum to one or be all zeros, got a sum of {float(total[wrong][0])}")


def _require_classes(logits, targets):
    require_floats(logits=logits)
    require_same_library(logits=logits, targets=targets)
    xp = array_namespace(logits)
    require_entries(-1, logits=logits)
    if tuple(logits.shape[:-1]) != tuple(targets.shape):
        raise ValueError(
            f"targets must have the shape of logits without its last axis, got {tuple(targets.shape)} "
            f"for logits {tuple(logits.shape)}"
        )
    if not xp.isdtype(targets.dtype, "integral"):
        raise ValueError(f"targets must hold integers, got dtype {targets.dtype}")
    if 0 in targets.shape:
        raise ValueError(f"there must be at least one target, got shape {tuple(targets.shape)}")
    targets, n = xp.astype(targets, xp.int64, copy=False), logits.shape[-1]
    lowest, highest = int(xp.min(targets)), int(xp.max(targets))
    if lowest < 0 or highest >= n:
        raise ValueError(f"targets must lie between 0 and {n - 1} for {n} classes, got {lowest} to {highest}")
