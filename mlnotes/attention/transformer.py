"""What a transformer has besides attention: norms, the two orders of Add & Norm, the feed-forward network."""

import math

import numpy as np
from array_api_compat import array_namespace

from mlnotes.applications.embedding import embedding
from mlnotes.applications.mlp import mlp, relu, silu
from mlnotes.arrays import (
    as_like,
    beside,
    exact_integers,
    require_boolean,
    require_entries,
    require_floats,
    require_integers,
    require_representable,
    require_same_library,
    widen_half,
)


@widen_half
def layer_norm(x, gain=None, beta=None, eps=1e-5):
    """Bring the coordinates of each row to mean 0 and variance 1, then stretch and move each as learned.

    Parameters
    ----------
    x : array (..., n)
        One token in each row.
    gain, beta : array (n,), optional
        What each coordinate is multiplied by, and what is then added; 1 and 0 unless given.
    eps : float
        Added to the variance, so that a row of equal numbers becomes zeros.

    Returns
    -------
    array (..., n)
        Rows of mean 0 and variance 1 before gain and beta, or less where it was not large beside ``eps``. Rows of width
        1 have nothing but a mean: zeros.

    Raises
    ------
    ValueError
        If ``x`` holds no floats or is empty along its last axis, ``gain`` or ``beta`` has not one entry for each
        coordinate, or ``eps`` is not positive, or zero or infinite in the dtype.

    Notes
    -----
    .. math:: \\mathbf y = \\boldsymbol\\gamma\\odot\\frac{\\mathbf x - \\mu}{\\sqrt{\\sigma^2 + \\varepsilon}}
              + \\boldsymbol\\beta, \\qquad \\mu = \\frac1n\\sum_i x_i, \\quad
              \\sigma^2 = \\frac1n\\sum_i (x_i - \\mu)^2

    The mean is subtracted twice. Rounded to single precision, the mean of numbers near 10,000 is off by about 0.001;
    what is left after the first subtraction is small, and so is the error of its mean. In float32 squares, or their
    sum, overflow where coordinates are some 1e19 apart: the row becomes zeros; nan where the sum of
    the coordinates themselves overflows.

    References
    ----------
    Ba, Kiros and Hinton, *Layer Normalization*, 2016.
    """
    _require_rows(x, eps, gain=gain, beta=beta)
    xp = array_namespace(x)
    centered = x - xp.mean(x, axis=-1, keepdims=True)
    centered = centered - xp.mean(centered, axis=-1, keepdims=True)
    variance = xp.mean(centered * centered, axis=-1, keepdims=True)
    out = centered / xp.sqrt(variance + as_like(eps, x))
    out = out if gain is None else out * as_like(gain, x)
    return out if beta is None else out + as_like(beta, x)


@widen_half
def rms_norm(x, gain=None, eps=1e-6):
    """Bring each row to a root mean square of 1, then stretch each coordinate as learned.

    Parameters
    ----------
    x : array (..., n)
        One token in each row.
    gain : array (n,), optional
        What each coordinate is multiplied by; 1 unless given.
    eps : float
        Added to the mean square, so that a row of zeros stays zeros.

    Returns
    -------
    array (..., n)
        Before the gain, rows that point where they pointed, as long as the root of n, or shorter where the mean square
        was not large beside ``eps``. In float32 rows with coordinates of some 1e19, whose squares overflow, become
        zeros.

    Raises
    ------
    ValueError
        If ``x`` holds no floats or is empty along its last axis, ``gain`` has not one entry for each coordinate, or
        ``eps`` is not positive, or zero or infinite in the dtype.

    Notes
    -----
    .. math:: \\mathbf y = \\boldsymbol\\gamma\\odot\\frac{\\mathbf x}{\\sqrt{\\frac1n\\sum_i x_i^2 + \\varepsilon}}

    References
    ----------
    Zhang and Sennrich, *Root Mean Square Layer Normalization*, 2019.
    """
    _require_rows(x, eps, gain=gain)
    xp = array_namespace(x)
    out = x / xp.sqrt(xp.mean(x * x, axis=-1, keepdims=True) + as_like(eps, x))
    return out if gain is None else out * as_like(gain, x)


def post_norm(x, sublayer, norm):
    """Add, then normalize: the order of the first transformer and of BERT.

    Parameters
    ----------
    x : array (..., l, n)
        One token in each row.
    sublayer : callable
        Attention or the feed-forward network: takes and returns an array of the shape of ``x``.
    norm : callable
        Layer norm or RMS norm, with its gain.

    Returns
    -------
    array (..., l, n)
        Normalized rows.

    Notes
    -----
    .. math:: \\mathrm{norm}(\\mathbf X + \\mathrm{sublayer}(\\mathbf X))

    References
    ----------
    Vaswani et al., *Attention Is All You Need*, 2017, section 3.1.
    """
    return norm(x + sublayer(x))


def pre_norm(x, sublayer, norm):
    """Normalize what goes into the sublayer only, and add its result to the tokens as they came.

    Parameters
    ----------
    x, sublayer, norm
        As in `post_norm`.

    Returns
    -------
    array (..., l, n)
        The tokens plus something: from the first layer to the last a path of additions remains.

    Notes
    -----
    .. math:: \\mathbf X + \\mathrm{sublayer}(\\mathrm{norm}(\\mathbf X))

    References
    ----------
    Xiong et al., *On Layer Normalization in the Transformer Architecture*, 2020.
    """
    return x + sublayer(norm(x))


def feed_forward(x, w_1, b_1, w_2, b_2, activation=relu):
    """Let each token, by itself, pass through a hidden layer and back to its width.

    Parameters
    ----------
    x : array (..., n)
        One token in each row.
    w_1 : array (n, m)
        To the hidden layer, usually m = 4 n.
    b_1 : array (m,)
        Added there.
    w_2 : array (m, n)
        Back.
    b_2 : array (n,)
        Added there.
    activation : callable
        Applied to the hidden layer; `mlnotes.applications.mlp.gelu` in BERT.

    Returns
    -------
    array (..., n)
        One new vector for each token, which depends on no other token.

    Raises
    ------
    ValueError
        If a matrix or a bias does not fit.

    Notes
    -----
    .. math:: \\mathbf Y = \\mathrm{relu}(\\mathbf X\\mathbf W_1 + \\mathbf 1\\mathbf b_1^{\\mathsf T})\\,\\mathbf W_2
              + \\mathbf 1\\mathbf b_2^{\\mathsf T}

    References
    ----------
    Vaswani et al., *Attention Is All You Need*, 2017, equation 2.
    """
    return mlp(x, (w_1, w_2), (b_1, b_2), activation)


@widen_half
def swiglu(x, w_gate, w_up, w_down):
    """Let each token, by itself, pass through a hidden layer in which one half opens and closes the other.

    Parameters
    ----------
    x : array (..., n)
        One token in each row.
    w_gate, w_up : array (n, m)
        To the hidden layer: to what opens, and to what is let through.
    w_down : array (m, n)
        Back.

    Returns
    -------
    array (..., n)
        One new vector for each token, which depends on no other token.

    Raises
    ------
    ValueError
        If an array holds no floats, or a matrix does not fit.

    Notes
    -----
    .. math:: \\mathbf Y = \\bigl(\\mathrm{silu}(\\mathbf X\\mathbf W_{\\mathrm{gate}})\\odot
              \\mathbf X\\mathbf W_{\\mathrm{up}}\\bigr)\\,\\mathbf W_{\\mathrm{down}}

    There are no biases, and three matrices where `feed_forward` has two: m is often 8/3 n, for as many numbers
    as its two matrices hold with m = 4 n.

    References
    ----------
    Shazeer, *GLU Variants Improve Transformer*, 2020.
    """
    require_floats(x=x, w_gate=w_gate, w_up=w_up, w_down=w_down)
    n, m = x.shape[-1:], tuple(w_gate.shape[-1:])
    for name, w, shape in ("w_gate", w_gate, (*n, *m)), ("w_up", w_up, (*n, *m)), ("w_down", w_down, (*m, *n)):
        if tuple(w.shape) != shape or len(shape) != 2:
            raise ValueError(f"{name} must have shape {shape} for x of shape {tuple(x.shape)}, got {tuple(w.shape)}")
    return (silu(x @ w_gate) * (x @ w_up)) @ w_down


@exact_integers
def block_parameters(d_model, d_hidden=None):
    """Count the numbers that a block learns: attention, feed-forward network, two layer norms, all with biases.

    Parameters
    ----------
    d_model : int
        Width of a token, n.
    d_hidden : int, optional
        Width of the hidden layer, m; ``4 * d_model`` unless given.

    Returns
    -------
    int
        Parameters, however many heads there are: together they are as wide as a token.

    Raises
    ------
    ValueError
        If a width is no positive integer.

    Notes
    -----
    .. math:: 4(n^2 + n) + (2nm + m + n) + 2\\cdot 2n, \\qquad\\text{which is } 12n^2 + 13n \\text{ for } m = 4n
    """
    d_hidden = 4 * d_model if d_hidden is None else d_hidden
    require_integers(1, d_model=d_model, d_hidden=d_hidden)
    attention = 4 * (d_model * d_model + d_model)  # for queries, keys and values, and for what heads give together
    network = (d_model * d_hidden + d_hidden) + (d_hidden * d_model + d_model)
    norms = 2 * (d_model + d_model)  # gain and beta
    return attention + network + norms


def embed(ids, table, positions):
    """Give each token of a sequence its vector, and add where it stands.

    Parameters
    ----------
    ids : integer array (..., l)
        Rows of the table, from 0.
    table : array (m, n)
        One vector for each of m tokens, about 1 long.
    positions : array (s, n)
        One row for each position, from 0. NumPy or the library of ``table``.

    Returns
    -------
    array (..., l, n)
        Vectors whose coordinates are about as large as those of ``positions``.

    Raises
    ------
    ValueError
        If an id is no row of the table, the sequence is longer than there are positions, or these are not as wide as
        the table.

    Notes
    -----
    .. math:: \\mathbf x_i = \\sqrt n\\,\\mathbf e_{\\mathrm{ids}_i} + \\mathbf p_i

    References
    ----------
    Vaswani et al., *Attention Is All You Need*, 2017, section 3.4.
    """
    _require_places(ids, table, positions)
    x = embedding(ids, table) * math.sqrt(table.shape[-1])
    return x + as_like(positions[: x.shape[-2]], table)


def embed_as_learned(ids, table, positions, kind):
    """Give each token of a sequence its vector, and add where it stands and what kind of text it is part of.

    Parameters
    ----------
    ids : integer array (..., l)
        Rows of the table, from 0.
    table : array (m, n)
        One vector for each of m tokens.
    positions : array (s, n)
        One row for each position, from 0, learned like the table and of its library.
    kind : array (n,)
        What is added to all tokens alike; BERT has one for the first and one for the second of two texts.

    Returns
    -------
    array (..., l, n)
        The sums, before any norm.

    Raises
    ------
    ValueError
        If an id is no row of the table, the sequence is longer than there are positions, or these or ``kind`` are not
        as wide as the table.

    Notes
    -----
    .. math:: \\mathbf x_i = \\mathbf e_{\\mathrm{ids}_i} + \\mathbf p_i + \\mathbf s

    References
    ----------
    Devlin et al., *BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding*, 2019, section 3.
    """
    _require_places(ids, table, positions)
    _require_kind(table, kind)
    x = embedding(ids, table)
    return x + positions[: x.shape[-2]] + kind


@widen_half
def mean_pool(x, mask=None):
    """Average the tokens of each sequence: one vector for a sentence.

    Parameters
    ----------
    x : array (..., l, n)
        One token in each row.
    mask : boolean array (..., l), optional
        True where a token counts; False for padding.

    Returns
    -------
    array (..., n)
        Means over the tokens that count; zeros where none does.

    Raises
    ------
    ValueError
        If ``x`` holds no floats or no token, or the mask is not boolean, or has not one entry for each token.

    References
    ----------
    Reimers and Gurevych, *Sentence-BERT*, 2019, section 3.
    """
    require_floats(x=x)
    require_entries(-2, x=x)
    _require_tokens(x, mask)
    xp = array_namespace(x)
    if mask is None:
        return xp.mean(x, axis=-2)
    counted = beside(mask, x)[..., None]  # (..., l, 1)
    n_counted = xp.sum(xp.astype(counted, x.dtype), axis=-2)
    return xp.sum(xp.where(counted, x, 0.0), axis=-2) / xp.clip(n_counted, min=1.0)


def _require_rows(x, eps, **parameters):
    require_floats(x=x)
    require_entries(-1, x=x)
    if not eps > 0:
        raise ValueError(f"eps must be positive, or equal numbers would be divided by zero, got {eps}")
    require_representable(x.dtype, eps=eps)
    for name, parameter in parameters.items():
        if parameter is not None and np.shape(parameter) != (x.shape[-1],):
            shapes = f"({x.shape[-1]},), got {tuple(np.shape(parameter))}"
            raise ValueError(f"{name} must have one entry for each coordinate of x: shape {shapes}")


def _require_places(ids, table, positions):
    for name, rows in {"table": table, "positions": positions}.items():
        require_same_library(**{name: rows})  # one by one, because positions may be NumPy's
    shape = tuple(np.shape(ids))
    if not shape:
        raise ValueError("ids must be a sequence, got shape ()")
    if positions.ndim != 2 or tuple(positions.shape[1:]) != tuple(table.shape[-1:]):
        shapes = f"{tuple(positions.shape)} and {tuple(table.shape)}"
        raise ValueError(f"positions must be rows as wide as the table's, got shapes {shapes}")
    if shape[-1] > positions.shape[0]:
        got = f"one for each position, got {shape[-1]}"
        raise ValueError(f"a sequence may have at most {positions.shape[0]} tokens, {got}")


def _require_kind(table, kind):
    require_same_library(table=table, kind=kind)
    if tuple(kind.shape) != tuple(table.shape[-1:]):
        shapes = f"{tuple(kind.shape)} and {tuple(table.shape)}"
        raise ValueError(f"kind must be as wide as the table, got shapes {shapes}")


def _require_tokens(x, mask):
    require_boolean(mask=mask)
    if mask is not None and tuple(np.shape(mask)) != tuple(x.shape[:-1]):
        raise ValueError(f"mask must have shape {tuple(x.shape[:-1])}, one entry a token, got {tuple(np.shape(mask))}")
