"""Where a token stands: added to it as waves, turned into it, or taken off its scores."""

import functools
import math

import numpy as np
from array_api_compat import array_namespace, device, is_array_api_obj

from mlnotes.arrays import beside, require_floats, require_integers, require_positive, widen_half


def sinusoidal_positions(n, d):
    """Give each position a row of sines and cosines, from fast waves to slow ones.

    Parameters
    ----------
    n : int
        How many positions, counted from 0.
    d : int
        Width of a row, even.

    Returns
    -------
    float64 array (n, d)
        Row i is added to token i. Columns 2r and 2r + 1 are the sine and the cosine of one angle.

    Raises
    ------
    ValueError
        If ``n`` is negative, ``d`` is not even and positive, or one is no integer.

    Notes
    -----
    .. math:: p_{i,2r} = \\sin(i\\,\\omega_r), \\quad p_{i,2r+1} = \\cos(i\\,\\omega_r),

              \\omega_r = 10000^{-2r/d}, \\quad r = 0, \\ldots, d/2 - 1

    References
    ----------
    Vaswani et al., *Attention Is All You Need*, 2017, section 3.5.
    """
    require_integers(0, n=n)
    angles = np.arange(n)[:, None] * frequencies(d)  # (n, d/2)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n, d)


def frequencies(d, base=10000.0):
    """Spread angular frequencies from 1 down to almost 1/base, each the same factor below the one before.

    Parameters
    ----------
    d : int
        Width, even: two coordinates for each frequency.
    base : float
        How much slower than the first wave a wave after the last would be.

    Returns
    -------
    float64 array (d / 2,)
        Radians per position.

    Raises
    ------
    ValueError
        If ``d`` is not even and positive, or ``base`` is not positive and finite.

    Notes
    -----
    .. math:: \\omega_r = \\mathrm{base}^{-2r/d}, \\qquad r = 0, \\ldots, d/2 - 1
    """
    require_integers(1, d=d)
    if d % 2:
        raise ValueError(f"d must be even, for pairs of coordinates, got {d}")
    require_positive(base=base)
    return float(base) ** (-np.arange(0, d, 2) / d)


def shift_matrix(k, d):
    """Build the rotation that moves every sinusoidal position on by k.

    Parameters
    ----------
    k : int
        By how many positions; negative for back.
    d : int
        Width of a row, even.

    Returns
    -------
    float64 array (d, d)
        Orthogonal, with 2 × 2 rotations on its diagonal: row i of `sinusoidal_positions` times this is row i + k,
        whatever i.

    Raises
    ------
    ValueError
        If ``d`` is not even and positive, or a number is no integer.

    Notes
    -----
    .. math:: \\mathbf p_{i+k}^{\\mathsf T} = \\mathbf p_i^{\\mathsf T}\\mathbf R_k, \\qquad
              \\begin{pmatrix}\\cos k\\omega_r & -\\sin k\\omega_r\\\\ \\sin k\\omega_r & \\cos k\\omega_r\\end{pmatrix}
              \\text{ on the diagonal}
    """
    require_integers(-math.inf, k=k)
    angles = k * frequencies(d)
    even, odd = np.arange(0, d, 2), np.arange(1, d, 2)
    rotation = np.zeros((d, d))
    rotation[even, even] = rotation[odd, odd] = np.cos(angles)
    rotation[even, odd] = -np.sin(angles)
    rotation[odd, even] = np.sin(angles)
    return rotation


@widen_half
def rotary(x, positions, base=10000.0):
    """Turn each pair of neighbouring coordinates by an angle that grows with the position.

    Parameters
    ----------
    x : array (..., l, d)
        Queries or keys, of even width. Pairs are coordinates 0 and 1, 2 and 3, and so on.
    positions : integer array (l,) or (..., l)
        Where each row stands, from 0. NumPy or the library of ``x``; axes of size 1 before the last broadcast.
    base : float
        As in `frequencies`.

    Returns
    -------
    array (..., l, d)
        Rows as long as before. The dot product of a turned query and a turned key depends only on the query's
        position less the key's.

    Raises
    ------
    ValueError
        If the width is odd, ``x`` holds no floats, ``positions`` are not integers, are negative, or do not fit, or
        ``base`` is not positive and finite.

    Notes
    -----
    .. math:: \\begin{pmatrix}x'_{i,2r}\\\\ x'_{i,2r+1}\\end{pmatrix} =
              \\begin{pmatrix}\\cos p_i\\omega_r & -\\sin p_i\\omega_r\\\\
              \\sin p_i\\omega_r & \\cos p_i\\omega_r\\end{pmatrix}
              \\begin{pmatrix}x_{i,2r}\\\\ x_{i,2r+1}\\end{pmatrix}

    Row i stands at position :math:`p_i`, and :math:`\\omega_r` are the `frequencies`. Angles are computed in
    double precision: in single precision, at position 100,000, they would be off by up to 0.007 radians.

    References
    ----------
    Su et al., *RoFormer: Enhanced Transformer with Rotary Position Embedding*, 2024, equation 34.
    """
    _require_positions(positions, x)
    xp = array_namespace(x)
    cos, sin = _turns(x, positions, base)
    a, b = x[..., 0::2], x[..., 1::2]
    pairs = xp.stack([a * cos - b * sin, a * sin + b * cos], axis=-1)  # (..., l, d/2, 2)
    return xp.reshape(pairs, x.shape)


@widen_half
def rotary_halves(x, positions, base=10000.0):
    """Turn as `rotary` does, but pair each coordinate of the first half with its like in the second half.

    Parameters
    ----------
    x : array (..., l, d)
        Queries or keys, of even width. Pairs are coordinates r and r + d/2: the layout of Llama and of transformers.
    positions, base
        As in `rotary`.

    Returns
    -------
    array (..., l, d)
        ``rotary_halves(x[..., order], ...)`` is ``rotary(x, ...)[..., order]`` with ``order = halves_order(d)``.

    Raises
    ------
    ValueError
        For what `rotary` refuses.
    """
    _require_positions(positions, x)
    xp = array_namespace(x)
    cos, sin = _turns(x, positions, base)
    a, b = x[..., : x.shape[-1] // 2], x[..., x.shape[-1] // 2 :]
    return xp.concat([a * cos - b * sin, a * sin + b * cos], axis=-1)


def halves_order(d):
    """List the coordinates so that neighbours, which `rotary` pairs, come to stand half a width apart.

    Parameters
    ----------
    d : int
        Width, even.

    Returns
    -------
    integer array (d,)
        0, 2, 4, …, then 1, 3, 5, …

    Raises
    ------
    ValueError
        If ``d`` is not even and positive.
    """
    frequencies(d)  # refuses odd widths
    return np.concatenate([np.arange(0, d, 2), np.arange(1, d, 2)])


def alibi_bias(n_heads, n_queries, n_keys, offset=0):
    """Take from each score in proportion to how far away the key is, more in some heads than in others.

    Parameters
    ----------
    n_heads, n_queries, n_keys : int
        How many there are of each.
    offset : int
        The position of query 0 among the keys, as in `mlnotes.attention.causal_mask.causal_mask`.

    Returns
    -------
    float64 array (n_heads, n_queries, n_keys)
        At most 0, in nats, to be added to scaled scores; symmetric, for where keys after the query are not hidden.

    Raises
    ------
    ValueError
        If there is no head, another number is negative, or one is no integer.

    Notes
    -----
    .. math:: b_{hij} = -m_h\\,\\lvert i + \\mathrm{offset} - j\\rvert

    References
    ----------
    Press, Smith and Lewis, *Train Short, Test Long*, 2022, section 3.
    """
    require_integers(0, n_queries=n_queries, n_keys=n_keys, offset=offset)
    distance = np.abs(np.arange(n_queries)[:, None] + offset - np.arange(n_keys))
    return -alibi_slopes(n_heads)[:, None, None] * distance


def alibi_slopes(n_heads):
    """Choose how steeply each head's scores fall with distance.

    Parameters
    ----------
    n_heads : int
        The number of heads.

    Returns
    -------
    float64 array (n_heads,)
        Nats per position. For a power of two they fall from 2**(-8/h) to 2**-8 by equal factors; otherwise they are
        those of the power of two below, then every other one of those of the power above.

    Raises
    ------
    ValueError
        If ``n_heads`` is no positive integer.

    Notes
    -----
    .. math:: m_i = 2^{-8i/h}, \\qquad i = 1, \\ldots, h, \\quad\\text{if } h \\text{ is a power of two}

    References
    ----------
    Press, Smith and Lewis, *Train Short, Test Long*, 2022, section 3 and the authors' code.
    """
    require_integers(1, n_heads=n_heads)
    below = 2 ** (int(n_heads).bit_length() - 1)
    powers = 2.0 ** (-8 / below * np.arange(1, below + 1))
    between = 2.0 ** (-4 / below * np.arange(1, 2 * below, 2))
    return np.concatenate([powers, between])[:n_heads]


def _remembered(turns):
    """Compute once what all layers of a model turn their queries and keys by."""
    known = {}

    @functools.wraps(turns)
    def look_up(x, positions, base):
        require_positive(base=base)
        if not isinstance(positions, np.ndarray):
            return turns(x, positions, base)
        key = (positions.tobytes(), positions.dtype, positions.shape, float(base))
        key += (x.shape[-1], type(x), x.dtype, device(x))
        # What PyTorch makes in this mode may not be used with gradients.
        key += (getattr(array_namespace(x), "is_inference_mode_enabled", bool)(),)
        if key not in known:
            if len(known) == 8:
                known.clear()
            known[key] = turns(x, positions, base)
        return known[key]

    return look_up


@_remembered
def _turns(x, positions, base):
    """Return the cosines and sines by which the pairs of x turn, in the precision of x, (..., l, d/2)."""
    _require_places(positions)
    xp = array_namespace(x)
    omega = xp.asarray(frequencies(x.shape[-1], base), device=device(x))
    angles = xp.astype(beside(positions, x), xp.float64)[..., None] * omega
    return xp.astype(xp.cos(angles), x.dtype), xp.astype(xp.sin(angles), x.dtype)


def _require_positions(positions, x):
    require_floats(x=x)
    if x.ndim < 2:
        raise ValueError(f"x must hold rows (..., l, d), got shape {tuple(x.shape)}")
    rows, shape = tuple(x.shape[:-1]), tuple(np.shape(positions))
    fits = len(shape) in (1, len(rows)) and shape[-1] == rows[-1]
    if not fits or any(mine not in (1, theirs) for mine, theirs in zip(shape, rows[-len(shape) :], strict=True)):
        either = f"{rows[-1:]} or {rows}, up to sizes 1 before the last" if rows[1:] else rows
        raise ValueError(f"positions must have shape {either}, got {shape}")


def _require_places(positions):
    positions = positions if is_array_api_obj(positions) else np.asarray(positions)
    if not array_namespace(positions).isdtype(positions.dtype, "integral"):
        raise ValueError(f"positions must be integers, got dtype {positions.dtype}")
    if (positions < 0).any():
        raise ValueError(f"positions must be counted from 0, got {int(positions.min())}")
