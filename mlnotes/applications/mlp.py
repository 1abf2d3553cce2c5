"""The multilayer perceptron: linear layers, and the bends between them that keep them from collapsing into one."""

import math

import numpy as np
import scipy.special
from array_api_compat import array_namespace

from mlnotes.applications.linear import linear
from mlnotes.arrays import require_floats, widen_half


def relu(x):
    """Keep what is positive.

    Parameters
    ----------
    x : array (...)
        Floating-point numbers.

    Returns
    -------
    array (...)
        ``x`` where it is positive, otherwise 0; nan stays nan. The slope at 0 counts as 0.

    Raises
    ------
    ValueError
        If ``x`` holds no floats.

    Notes
    -----
    .. math:: \\mathrm{relu}(x) = \\max(x, 0)
    """
    require_floats(x=x)
    return array_namespace(x).where(x <= 0, 0.0, x)


@widen_half
def gelu(x):
    """Let each number through with the probability that a standard normal one is below it.

    Parameters
    ----------
    x : array (...)
        Floating-point numbers.

    Returns
    -------
    array (...)
        ``x`` times that probability: about 0 far below zero, about ``x`` far above, lowest (-0.17) at -0.75.

    Raises
    ------
    ValueError
        If ``x`` holds no floats.

    Notes
    -----
    .. math:: \\mathrm{gelu}(x) = x\\,\\Phi(x) = \\frac x2\\Bigl(1 + \\mathrm{erf}\\frac{x}{\\sqrt2}\\Bigr)
              = \\frac x2\\,\\mathrm{erfc}\\Bigl(-\\frac{x}{\\sqrt2}\\Bigr)

    The last form is the one computed: far below zero, 1 + erf would cancel.

    References
    ----------
    Hendrycks and Gimpel, *Gaussian Error Linear Units*, 2016.
    """
    require_floats(x=x)
    xp = array_namespace(x)
    x = xp.clip(x, min=xp.finfo(x.dtype).min)  # a closed gate shuts out even -infinity
    erfc = getattr(xp, "erfc", scipy.special.erfc)
    gate = erfc(-math.sqrt(0.5) * x) / 2
    return x * gate


@widen_half
def gelu_tanh(x):
    """Approximate `gelu` with a hyperbolic tangent.

    Parameters
    ----------
    x : array (...)
        Floating-point numbers.

    Returns
    -------
    array (...)
        `gelu` to within 0.0005.

    Raises
    ------
    ValueError
        If ``x`` holds no floats.

    Notes
    -----
    .. math:: y = \\frac x2\\Bigl(1 + \\tanh u\\Bigr) = x\\,\\sigma(2u) \\approx \\mathrm{gelu}(x), \\qquad
              u = \\sqrt{\\tfrac2\\pi}\\,\\bigl(x + 0.044715\\,x^3\\bigr)

    References
    ----------
    Hendrycks and Gimpel, *Gaussian Error Linear Units*, 2016, section 2.
    """
    require_floats(x=x)
    xp = array_namespace(x)
    x = xp.clip(x, min=xp.finfo(x.dtype).min)
    near = xp.clip(x, -50.0, 50.0)  # beyond, the gate is 0 or 1, and the cube might overflow
    gate = sigmoid(math.sqrt(8 / math.pi) * (near + 0.044715 * near**3))
    return x * gate


@widen_half
def silu(x):
    """Let each number through with its own logistic probability.

    Parameters
    ----------
    x : array (...)
        Floating-point numbers.

    Returns
    -------
    array (...)
        ``x`` times the logistic function of ``x``: about 0 far below zero, about ``x`` far above, lowest (-0.28) at
        -1.28.

    Raises
    ------
    ValueError
        If ``x`` holds no floats.

    Notes
    -----
    .. math:: \\mathrm{silu}(x) = x\\,\\sigma(x) = \\frac{x}{1 + e^{-x}}

    References
    ----------
    Elfwing, Uchibe and Doya, *Sigmoid-weighted linear units*, 2018.
    """
    require_floats(x=x)
    xp = array_namespace(x)
    x = xp.clip(x, min=xp.finfo(x.dtype).min)  # a closed gate shuts out even -infinity
    return x * sigmoid(x)


@widen_half
def sigmoid(x):
    """Squeeze each number between 0 and 1: the logistic function.

    Parameters
    ----------
    x : array (...)
        Floating-point numbers; a log-odds in nats, if the result is a probability.

    Returns
    -------
    array (...)
        From 0 far below zero to 1 far above; 1/2 at 0.

    Raises
    ------
    ValueError
        If ``x`` holds no floats.

    Notes
    -----
    .. math:: \\sigma(x) = \\frac{1}{1 + e^{-x}} = \\frac{e^x}{1 + e^x}

    The right form is computed, with 40 for every larger number: there :math:`1 + e^x` is rounded to :math:`e^x` in
    every precision, and nothing overflows.
    """
    require_floats(x=x)
    xp = array_namespace(x)
    e = xp.exp(xp.clip(x, max=40.0))  # from there on, 1 + e is e
    return e / (1 + e)


def mlp(x, weights, biases, activation=relu):
    """Pass rows through linear layers with an activation between each two.

    Parameters
    ----------
    x : array (..., n)
        One sample in each row.
    weights : sequence of k arrays (n, n'), (n', n''), ...
        One matrix for each layer.
    biases : sequence of k arrays (n',), (n'',), ...
        One row for each layer.
    activation : callable
        Applied after every layer but the last; it takes and returns an array.

    Returns
    -------
    array (..., n_out)
        What the last layer gives.

    Raises
    ------
    ValueError
        If an array holds no floats, there is no layer, weights and biases differ in number, or a layer does not fit the
        one before it.

    Notes
    -----
    .. math:: \\mathbf H_1 = f(\\mathbf X\\mathbf W_1 + \\mathbf 1\\mathbf b_1^{\\mathsf T}),
              \\quad \\dots, \\quad
              \\mathbf Y = \\mathbf H_{k-1}\\mathbf W_k + \\mathbf 1\\mathbf b_k^{\\mathsf T}
    """
    _require_layers(x, weights, biases)
    for i, (w, b) in enumerate(zip(weights, biases, strict=True)):
        x = linear(activation(x) if i else x, w, b)
    return x


def interpolation_weights(knots, values):
    """Build a network by hand that draws straight lines from point to point.

    Parameters
    ----------
    knots : NumPy array (n + 1,)
        Where the points lie, from left to right.
    values : NumPy array (n + 1,)
        How high they lie.

    Returns
    -------
    weights : tuple of arrays (1, n) and (n, 1)
        For `mlp` with `relu`: one hidden unit for each of the n pieces, with its bend at the piece's left end.
    biases : tuple of arrays (n,) and (1,)
        Left of the first point the network is constant, right of the last it goes on as before.

    Raises
    ------
    ValueError
        If an array holds no floats, there are fewer than two points or not as many values as knots, or the knots do not
        grow.

    Notes
    -----
    .. math:: y(x) = v_0 + s_0\\,\\mathrm{relu}(x - t_0) + \\sum_{k=1}^{n-1} (s_k - s_{k-1})\\,\\mathrm{relu}(x - t_k),

              s_k = \\frac{v_{k+1} - v_k}{t_{k+1} - t_k}
    """
    require_floats(knots=knots, values=values)
    if knots.ndim != 1 or len(knots) < 2 or knots.shape != values.shape:
        raise ValueError(f"there must be a value for each of at least 2 knots, got {knots.shape} and {values.shape}")
    if not (np.diff(knots) > 0).all():
        raise ValueError(f"knots must grow, got a smallest step of {np.diff(knots).min()}")
    slopes = np.diff(values) / np.diff(knots)
    bends = np.diff(slopes, prepend=0.0)
    return (np.ones((1, len(bends))), bends[:, None]), (-knots[:-1], values[:1].copy())


def _require_layers(x, weights, biases):
    if len(weights) == 0 or len(weights) != len(biases):
        raise ValueError(f"there must be a layer, with one bias each, got {len(weights)} weights, {len(biases)} biases")
    require_floats(x=x)
    shape = tuple(x.shape)
    for i, (w, b) in enumerate(zip(weights, biases, strict=True)):
        require_floats(w=w, b=b)
        if w.ndim != 2 or not shape or w.shape[0] != shape[-1]:
            shapes = f"{tuple(w.shape)} for an input of shape {shape}"
            raise ValueError(f"weights[{i}] must be a matrix with as many rows as its input has columns, got {shapes}")
        if tuple(b.shape) != (w.shape[1],):
            shapes = f"({w.shape[1]},) for weights[{i}] of shape {tuple(w.shape)}, got {tuple(b.shape)}"
            raise ValueError(f"biases[{i}] must have shape {shapes}")
        shape = (*shape[:-1], w.shape[1])
