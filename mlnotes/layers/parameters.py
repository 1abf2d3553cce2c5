"""What layers begin with: parameters drawn from NumPy's generator, the same on every machine.

Layers take the generator, or the seed of one, as ``rng``. Unless it is given, their weights are new ones each time,
whatever ``torch.manual_seed`` says.
"""

import torch

from mlnotes.arrays import require_integers


def normal(rng, std, *shape):
    """Draw a parameter whose entries are independent and normal, with mean 0.

    Parameters
    ----------
    rng : numpy.random.Generator
        Where they come from: the same seed, the same numbers.
    std : float
        Their standard deviation.
    *shape : int
        The sizes of the parameter.

    Returns
    -------
    torch.nn.Parameter
        In PyTorch's default precision. On the device "meta", which holds shapes only, nothing is drawn.
    """
    if torch.get_default_device().type == "meta":
        return torch.nn.Parameter(torch.empty(shape))
    return torch.nn.Parameter(torch.tensor(rng.normal(0, std, shape), dtype=torch.get_default_dtype()))


def require_float_dtype(dtype):
    """Refuse what is none of PyTorch's floating-point types.

    Parameters
    ----------
    dtype : torch.dtype
        What to look at.

    Raises
    ------
    ValueError
        If it is something else, such as an integer type, or a name.
    """
    if not isinstance(dtype, torch.dtype) or not dtype.is_floating_point:
        raise ValueError(f"dtype must be a floating-point type of PyTorch, got {dtype}")


def head_width(d_model, n_heads, d_head=None):
    """Give the width of a head: the heads share that of the tokens, unless another is asked for.

    Parameters
    ----------
    d_model, n_heads : int
        The width of the tokens, and the number of heads.
    d_head : int, optional
        The width that is asked for.

    Returns
    -------
    int
        The width of each head.

    Raises
    ------
    ValueError
        If a size is no positive integer, or heads that share do not divide the width.
    """
    require_integers(1, d_model=d_model, n_heads=n_heads, d_head=1 if d_head is None else d_head)
    if d_head is None and d_model % n_heads:
        raise ValueError(f"n_heads must divide d_model, got {n_heads} heads for a width of {d_model}")
    return d_model // n_heads if d_head is None else d_head


def zeros(*shape):
    """Make a parameter of zeros.

    Parameters
    ----------
    *shape : int
        The sizes of the parameter.

    Returns
    -------
    torch.nn.Parameter
        In PyTorch's default precision.
    """
    return torch.nn.Parameter(torch.zeros(shape))
