"""What the function modules have in common: input checks, scaling without rounding, and half precision."""

import functools
import inspect

import numpy as np
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


def require_matrix(**arrays):
    """Refuse what is not a matrix of finite real numbers with at least one row and one column.

    Parameters
    ----------
    **arrays : array
        The arrays to look at, each under the name that the message gives it. Integers are numbers too.

    Raises
    ------
    ValueError
        If an array has not two axes, is empty, or holds something else than finite real numbers.
    """
    for name, x in arrays.items():
        x = np.asarray(x)
        if x.ndim != 2 or 0 in x.shape:
            raise ValueError(f"{name} must be a matrix with at least one row and column, got shape {x.shape}")
        if x.dtype.kind not in "iuf":
            raise ValueError(f"{name} must hold real numbers, got dtype {x.dtype}")
        if not np.isfinite(x).all():
            raise ValueError(f"{name} must hold finite numbers, got {x[~np.isfinite(x)][0]}")


def require_square(**arrays):
    """Refuse what is not a square matrix of finite real numbers.

    Parameters
    ----------
    **arrays : array
        The arrays to look at, each under the name that the message gives it. Integers are numbers too.

    Raises
    ------
    ValueError
        If an array is no such matrix, or has not as many rows as columns.
    """
    require_matrix(**arrays)
    for name, x in arrays.items():
        if np.shape(x)[0] != np.shape(x)[1]:
            raise ValueError(f"{name} must have as many rows as columns, got shape {np.shape(x)}")


def require_symmetric(**arrays):
    """Refuse what is not a symmetric matrix of finite real numbers, up to rounding errors.

    Parameters
    ----------
    **arrays : array
        The arrays to look at, each under the name that the message gives it. Integers are numbers too.

    Raises
    ------
    ValueError
        If an array is no square matrix, or if an entry differs from its mirror image by more than 10 n rounding errors
        of the largest entry.
    """
    require_square(**arrays)
    for name, x in arrays.items():
        scaled, _ = by_power_of_two(working_copy(x))
        i, j = np.unravel_index(np.argmax(np.abs(scaled - scaled.T)), scaled.shape)
        if abs(scaled[i, j] - scaled[j, i]) > 10 * len(scaled) * np.finfo(scaled.dtype).eps:
            raise ValueError(f"{name} must be symmetric, got {x[i][j]} and {x[j][i]} at ({i}, {j}) and ({j}, {i})")


def require_positive(**counts):
    """Refuse counts that are not at least 1.

    Parameters
    ----------
    **counts : int
        The numbers to look at, each under the name that the message gives it.

    Raises
    ------
    ValueError
        If a number is below 1.
    """
    for name, count in counts.items():
        if count < 1:
            raise ValueError(f"{name} must be positive, got {count}")


def working_copy(a):
    """Copy a matrix for an algorithm that overwrites it.

    Parameters
    ----------
    a : array (m, n)
        The matrix, of any real numbers.

    Returns
    -------
    array (m, n)
        The same numbers: in float32 where they were float16, in float64 where they were integers.
    """
    return np.asanyarray(a).astype(np.result_type(np.asanyarray(a), np.float32), order="C")


def by_power_of_two(x, axis=None):
    """Divide by the power of two that brings the largest entry between 1/2 and 1, which rounds nothing.

    Squares of the quotients cannot overflow, and vanish only where they would not be noticed.

    Parameters
    ----------
    x : array
        Finite floating-point numbers.
    axis : int, optional
        The axis whose numbers share an exponent; by default all have the same.

    Returns
    -------
    array
        ``x`` divided by 2 to the power of the exponent; zeros stay zeros.
    integer array
        The exponent, or one for each place along the other axes.
    """
    exponent = np.frexp(np.abs(x).max(axis=axis, initial=0.0, keepdims=True))[1]
    return np.ldexp(x, -exponent), exponent.squeeze(axis)


def times_power_of_two(x, exponent, name):
    """Undo `by_power_of_two`, and refuse what no float can hold.

    Parameters
    ----------
    x : array
        What was computed from the quotients.
    exponent : int or integer array
        The power of two to multiply by.
    name : str
        What the message calls ``x``.

    Returns
    -------
    array
        The product.

    Raises
    ------
    ValueError
        If a product is beyond the largest float.
    """
    with np.errstate(over="ignore"):
        product = np.ldexp(x, exponent)
    if not np.isfinite(product).all():
        largest = np.finfo(product.dtype).max
        raise ValueError(f"{name} must not exceed the largest float, {largest:.2g}, got a factor of 2**{exponent}")
    return product


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
