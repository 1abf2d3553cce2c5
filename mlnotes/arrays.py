"""What the functions that run on NumPy and PyTorch alike have in common: input checks and half precision."""

import functools
import inspect

from array_api_compat import array_namespace, is_array_api_obj


def require_floats(**arrays):
    """Refuse arrays of integers or booleans, whose fractions would be lost or refused later without a reason.

    Parameters
    ----------
    **arrays : array
        The arrays to look at, each under the name that the message gives it.

    Raises
    ------
    ValueError
        If an array is not one of floating-point numbers.
    """
    for name, x in arrays.items():
        if not array_namespace(x).isdtype(x.dtype, "real floating"):
            raise ValueError(f"{name} must hold floating-point numbers, got dtype {x.dtype}")


def require_same_size(axis, **arrays):
    """Refuse arrays whose sizes along one axis differ, or that lack that axis.

    Parameters
    ----------
    axis : int
        The axis to compare, counted from the end: -1 is the last.
    **arrays : array
        The arrays to compare, each under the name that the message gives it.

    Raises
    ------
    ValueError
        If an array has fewer than ``-axis`` axes, or if two sizes differ.
    """
    for name, x in arrays.items():
        if x.ndim < -axis:
            raise ValueError(f"{name} must have at least {-axis} axes, got shape {tuple(x.shape)}")
    if len({x.shape[axis] for x in arrays.values()}) > 1:
        names = " and ".join(arrays)
        shapes = " and ".join(str(tuple(x.shape)) for x in arrays.values())
        raise ValueError(f"{names} must have the same size along axis {axis}, got shapes {shapes}")


def require_entries(axis, **arrays):
    """Refuse arrays without the given axis, or with no entry along it.

    Parameters
    ----------
    axis : int
        The axis that must exist and hold at least one entry.
    **arrays : array
        The arrays to look at, each under the name that the message gives it.

    Raises
    ------
    ValueError
        If an array has no such axis, or if that axis is empty.
    """
    for name, x in arrays.items():
        if not -x.ndim <= axis < x.ndim:
            raise ValueError(f"axis must be one of {name}'s {x.ndim} axes, got axis {axis}")
        if x.shape[axis] == 0:
            raise ValueError(f"{name} must not be empty along axis {axis}, got shape {tuple(x.shape)}")


def widen_half(function):
    """Let a function compute in float32 where it is given float16 or bfloat16, and round its result once.

    Frameworks do the same: sums of half-precision numbers are accumulated in single precision.

    Parameters
    ----------
    function : callable
        A function of arrays that returns one array.

    Returns
    -------
    callable
        The function; a floating-point result has the dtype of its first argument.
    """

    first = next(iter(inspect.signature(function).parameters))

    @functools.wraps(function)
    def widened(*args, **kwargs):
        x = args[0] if args else kwargs.get(first)
        if not _is_half(x):
            return function(*args, **kwargs)
        result = function(*map(_single, args), **{name: _single(value) for name, value in kwargs.items()})
        xp = array_namespace(result)
        return xp.astype(result, x.dtype) if xp.isdtype(result.dtype, "real floating") else result

    return widened


def _is_half(x):
    if not is_array_api_obj(x):
        return False
    xp = array_namespace(x)
    return xp.isdtype(x.dtype, "real floating") and xp.finfo(x.dtype).bits == 16


def _single(x):
    return array_namespace(x).astype(x, array_namespace(x).float32) if _is_half(x) else x
