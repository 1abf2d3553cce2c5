"""The linear layer: a matrix and a bias for every sample, its gradients, and how large to make it at first."""

import math
from functools import partial

from array_api_compat import array_namespace

from mlnotes.arrays import exact_integers, require_floats, require_integers, require_same_size, widen_half

# Each gradient has the precision of what it is a gradient by; that by the biases, of the outputs.
_widen_half = partial(widen_half, results=("x", "w", "grad"))


@widen_half
def linear(x, w, b=None):
    """Map every sample by the same matrix, and add the same bias.

    Parameters
    ----------
    x : array (..., d)
        Samples, one in each row.
    w : array (d, k)
        Weights: one column for each output.
    b : array (k,), optional
        Biases, one for each output; none unless given.

    Returns
    -------
    array (..., k)
        One row of outputs for each sample.

    Raises
    ------
    ValueError
        If an array holds no floats, ``w`` is no matrix, the width of ``x`` is not the number of rows of ``w``, or ``b``
        has another shape than (k,).

    Notes
    -----
    .. math:: \\mathbf Y = \\mathbf X\\mathbf W + \\mathbf 1\\,\\mathbf b^{\\mathsf T}, \\qquad
              \\mathbf y_i = \\mathbf W^{\\mathsf T}\\mathbf x_i + \\mathbf b

    ``torch.nn.Linear`` keeps the transpose of our w.
    """
    _require_fit(x, w, b)
    return x @ w if b is None else x @ w + b


@_widen_half
def linear_gradients(x, w, grad):
    """Carry a gradient by the outputs of `linear` back to its inputs, weights and biases.

    Parameters
    ----------
    x : array (..., d)
        The samples.
    w : array (d, k)
        The weights.
    grad : array (..., k)
        The gradient of some number by each output.

    Returns
    -------
    array (..., d)
        Its gradient by the samples.
    array (d, k)
        Its gradient by the weights.
    array (k,)
        Its gradient by the biases.

    Raises
    ------
    ValueError
        If an array holds no floats, or shapes do not fit.

    Notes
    -----
    .. math:: \\frac{\\partial L}{\\partial\\mathbf X} = \\mathbf G\\mathbf W^{\\mathsf T}, \\qquad
              \\frac{\\partial L}{\\partial\\mathbf W} = \\mathbf X^{\\mathsf T}\\mathbf G
              = \\sum_i \\mathbf x_i\\,\\mathbf g_i^{\\mathsf T}, \\qquad
              \\frac{\\partial L}{\\partial\\mathbf b} = \\mathbf G^{\\mathsf T}\\mathbf 1
    """
    _require_fit(x, w)
    _require_outputs(x, w, grad)
    xp = array_namespace(x, w, grad)
    n = math.prod(x.shape[:-1])
    samples, gradients = xp.reshape(x, (n, x.shape[-1])), xp.reshape(grad, (n, grad.shape[-1]))
    return grad @ w.T, samples.T @ gradients, xp.sum(gradients, axis=0)


@exact_integers
def glorot_std(d_in, d_out):
    """Say how large weights should be so that neither outputs nor gradients grow or shrink much.

    Parameters
    ----------
    d_in, d_out : int
        Widths of the inputs and outputs.

    Returns
    -------
    float
        A standard deviation.

    Raises
    ------
    ValueError
        If a width is no positive integer.

    Notes
    -----
    .. math:: \\sigma = \\sqrt{\\frac{2}{d_{\\text{in}} + d_{\\text{out}}}}

    References
    ----------
    Glorot and Bengio, *Understanding the difficulty of training deep feedforward neural networks*, 2010, equation 12.
    """
    require_integers(1, d_in=d_in, d_out=d_out)
    return (2 / (d_in + d_out)) ** 0.5


@exact_integers
def he_std(d_in):
    """Say how large weights should be after a layer that sets negative numbers to zero.

    Parameters
    ----------
    d_in : int
        Width of the inputs.

    Returns
    -------
    float
        A standard deviation.

    Raises
    ------
    ValueError
        If the width is no positive integer.

    Notes
    -----
    .. math:: \\sigma = \\sqrt{\\frac{2}{d_{\\text{in}}}}

    References
    ----------
    He, Zhang, Ren and Sun, *Delving Deep into Rectifiers*, 2015, equation 10.
    """
    require_integers(1, d_in=d_in)
    return (2 / d_in) ** 0.5


def _require_fit(x, w, b=None):
    require_floats(x=x, w=w)
    if w.ndim != 2:
        raise ValueError(f"w must be a matrix, got shape {tuple(w.shape)}")
    require_same_size(-1, x=x, w=w.T)
    if b is not None:
        require_floats(b=b)
        if tuple(b.shape) != (w.shape[1],):
            raise ValueError(f"b must have shape ({w.shape[1]},), one for each column of w, got {tuple(b.shape)}")


def _require_outputs(x, w, grad):
    require_floats(grad=grad)
    expected = (*x.shape[:-1], w.shape[1])
    if tuple(grad.shape) != tuple(expected):
        raise ValueError(f"grad must have the shape of the outputs, {tuple(expected)}, got {tuple(grad.shape)}")
