"""What the function modules have in common: input checks, scaling without rounding, and half precision."""

import functools
import inspect
import math
import operator
from numbers import Real

import numpy as np
from array_api_compat import array_namespace, device, is_array_api_obj, to_device


def require_floats(**arrays):
    """Refuse integers and booleans, whose fractions would be lost, and arrays of two libraries, which cannot meet.

    Parameters
    ----------
    **arrays : array
        The arrays to look at, each under the name that the message gives it.

    Raises
    ------
    ValueError
        If something is no array, such as a list; if an array is not one of floating-point numbers, or NumPy's in
        another machine's order of bytes, which not all of NumPy computes with; if one array is NumPy's and another
        PyTorch's.
    """
    for name, x in arrays.items():
        if not _is_float(getattr(x, "dtype", None)):
            _require_array(name, x)
            here = "" if getattr(x.dtype, "isnative", True) else " in this machine's order of bytes"
            raise ValueError(f"{name} must hold floating-point numbers{here}, got dtype {x.dtype}")
    require_same_library(**arrays)


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
        If something is no array, if an array has fewer than ``-axis`` axes, or if two sizes differ.
    """
    for name, x in arrays.items():
        if not hasattr(x, "ndim"):  # the quick question: every token that is written asks it many times
            _require_array(name, x)
        if x.ndim < -axis:
            raise ValueError(f"{name} must have at least {-axis} axes, got shape {tuple(x.shape)}")
    if len({x.shape[axis] for x in arrays.values()}) > 1:
        names = " and ".join(arrays)
        shapes = " and ".join(str(tuple(x.shape)) for x in arrays.values())
        raise ValueError(f"{names} must have the same size along axis {axis}, got shapes {shapes}")


def require_same_library(**arrays):
    """Refuse arrays of different libraries, and what is no array.

    Parameters
    ----------
    **arrays : array
        The arrays to compare, each under the name that the message gives it.

    Raises
    ------
    ValueError
        If something is no array, or the libraries of two arrays differ.
    """
    for name, x in arrays.items():
        _require_array(name, x)
    (name, first), *others = arrays.items()
    for other, x in others:
        if type(x) is not type(first) and array_namespace(x) is not array_namespace(first):
            raise ValueError(f"{name} and {other} must come from the same library, got {type(first)} and {type(x)}")


def require_same_kind(**arrays):
    """Refuse arrays of several libraries, precisions or devices, where a product of them would fail or be converted.

    Parameters
    ----------
    **arrays : array
        The arrays to compare, each under the name that the message gives it.

    Raises
    ------
    ValueError
        If library, dtype or device of two arrays differ.
    """
    require_same_library(**arrays)
    (name, first), *others = arrays.items()
    for other, x in others:
        both = f"{name} and {other} must"
        if x.dtype != first.dtype:
            raise ValueError(f"{both} have the same dtype, got {first.dtype} and {x.dtype}")
        if x.device != first.device:
            raise ValueError(f"{both} be on the same device, got {first.device} and {x.device}")


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
        If ``axis`` is no integer, if an array has no such axis, or if that axis is empty.
    """
    require_integers(-math.inf, axis=axis)
    for name, x in arrays.items():
        if not -x.ndim <= axis < x.ndim:
            raise ValueError(f"axis must be one of {name}'s {x.ndim} axes, got axis {axis}")
        if x.shape[axis] == 0:
            raise ValueError(f"{name} must not be empty along axis {axis}, got shape {tuple(x.shape)}")


def require_broadcasts_to(shape, **arrays):
    """Refuse arrays that would enlarge a table of scores, or line up with the wrong one of its axes.

    Parameters
    ----------
    shape : tuple of int
        The shape of the scores, (..., l, s).
    **arrays : array or None
        The arrays to look at, each under the name that the message gives it; None is passed over.

    Raises
    ------
    ValueError
        If an array has neither two axes nor as many as ``shape``, or if one of its sizes is neither 1 nor that of
        ``shape``.
    """
    theirs = tuple(shape)
    for name, x in arrays.items():
        if x is None:
            continue
        mine = tuple(np.shape(x))
        fits = len(mine) in (min(2, len(theirs)), len(theirs)) and all(
            n in (1, m) for n, m in zip(mine, theirs[-len(mine) :], strict=True)
        )
        if not fits:
            either = " or ".join(map(str, dict.fromkeys((theirs[-2:], theirs))))
            raise ValueError(f"{name} must have shape {either}, up to sizes 1, got {mine}")


def require_boolean(**masks):
    """Refuse masks of numbers, of which nobody knows whether 0 hides or shows.

    Parameters
    ----------
    **masks : array or None
        The masks to look at, each under the name that the message gives it; None is passed over.

    Raises
    ------
    ValueError
        If a mask is not boolean.
    """
    for name, mask in masks.items():
        if mask is None:
            continue
        dtype = mask.dtype if is_array_api_obj(mask) else np.asarray(mask).dtype
        if str(dtype).removeprefix("torch.") != "bool":
            raise ValueError(f"{name} must be boolean, True for what counts, got dtype {dtype}")


def require_mask(shape, mask):
    """Refuse a mask that is not boolean, or does not fit the scores.

    Parameters
    ----------
    shape : tuple of int
        The shape of the scores, (..., l, s).
    mask : array or None
        The mask to look at; None is passed over.

    Raises
    ------
    ValueError
        For what `require_boolean` and `require_broadcasts_to` refuse.
    """
    require_boolean(mask=mask)
    require_broadcasts_to(shape, mask=mask)


def require_bias(shape, bias):
    """Refuse a bias that holds no floats, or does not fit the scores.

    Parameters
    ----------
    shape : tuple of int
        The shape of the scores, (..., l, s).
    bias : array or None
        The bias to look at; None is passed over.

    Raises
    ------
    ValueError
        For what `require_floats` and `require_broadcasts_to` refuse.
    """
    if bias is not None:
        require_floats(bias=bias)
    require_broadcasts_to(shape, bias=bias)


def require_finite(**arrays):
    """Refuse what is not an array of finite real numbers.

    Parameters
    ----------
    **arrays : array
        The arrays to look at, each under the name that the message gives it. Integers are numbers too.

    Raises
    ------
    ValueError
        If an array holds something else than finite real numbers.
    """
    for name, x in arrays.items():
        x = np.asarray(x)
        if x.dtype.kind not in "iuf":
            raise ValueError(f"{name} must hold real numbers, got dtype {x.dtype}")
        if not np.isfinite(x).all():
            raise ValueError(f"{name} must hold finite numbers, got {x[~np.isfinite(x)][0]}")


def require_vector(**arrays):
    """Refuse what is not a vector of finite real numbers with at least one entry.

    Parameters
    ----------
    **arrays : array
        The arrays to look at, each under the name that the message gives it. Integers are numbers too.

    Raises
    ------
    ValueError
        If an array has not one axis, is empty, or holds something else than finite real numbers.
    """
    for name, x in arrays.items():
        if np.ndim(x) != 1 or np.size(x) == 0:
            raise ValueError(f"{name} must be a vector with at least one entry, got shape {np.shape(x)}")
    require_finite(**arrays)


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
        if np.ndim(x) != 2 or 0 in np.shape(x):
            raise ValueError(f"{name} must be a matrix with at least one row and column, got shape {np.shape(x)}")
    require_finite(**arrays)


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


def require_integers(least, **numbers):
    """Refuse numbers that are no integers, or too small.

    Parameters
    ----------
    least : int
        The smallest integer allowed; ``-math.inf`` for any.
    **numbers : int
        The numbers to look at, each under the name that the message gives it.

    Raises
    ------
    ValueError
        If a number is no integer (True and 2.0 are none), or below ``least``.
    """
    for name, number in numbers.items():
        try:
            if isinstance(number, bool):
                raise TypeError
            operator.index(number)
        except TypeError:
            raise ValueError(f"{name} must be an integer, got {number!r}") from None
        if number < least:
            rule = {0: "not be negative", 1: "be positive"}.get(least, f"be at least {least}")
            raise ValueError(f"{name} must {rule}, got {number}")


def require_number(**numbers):
    """Refuse what is no single real number, such as text or an array with axes.

    Parameters
    ----------
    **numbers : float
        The numbers to look at, each under the name that the message gives it. Arrays without an axis are numbers, too.

    Raises
    ------
    ValueError
        If something is no real number.
    """
    for name, number in numbers.items():
        if not isinstance(number, Real) and not (is_array_api_obj(number) and number.ndim == 0 and _is_real(number)):
            raise ValueError(f"{name} must be a real number, got {number!r}")


def _is_real(x):
    return array_namespace(x).isdtype(x.dtype, ("bool", "integral", "real floating"))


def require_positive(**numbers):
    """Refuse what is not a positive finite number.

    Parameters
    ----------
    **numbers : float
        The numbers to look at, each under the name that the message gives it.

    Raises
    ------
    ValueError
        If a number is 0, negative, infinite or nan, or no number.
    """
    require_number(**numbers)
    for name, number in numbers.items():
        if not 0 < number < math.inf:
            raise ValueError(f"{name} must be positive and finite, got {number}")


def require_not_negative(**numbers):
    """Refuse what is neither zero nor a positive finite number.

    Parameters
    ----------
    **numbers : float
        The numbers to look at, each under the name that the message gives it.

    Raises
    ------
    ValueError
        If a number is negative, infinite or nan, or no number.
    """
    require_number(**numbers)
    for name, number in numbers.items():
        if not 0 <= number < math.inf:
            raise ValueError(f"{name} must be finite and not negative, got {number}")


def require_representable(dtype, **numbers):
    """Refuse positive numbers that a dtype rounds to zero or to infinity.

    Parameters
    ----------
    dtype : NumPy or PyTorch dtype
        One of floating-point numbers.
    **numbers : float
        The numbers to look at, each under the name that the message gives it. Zero and negative ones are passed over:
        see `require_positive`.

    Raises
    ------
    ValueError
        If a number is positive, and zero or infinite in the dtype.
    """
    smallest, largest, too_large = _range(dtype)
    for name, number in numbers.items():
        if 0 < number <= smallest / 2 or number >= too_large:
            limits = f"{smallest:.2g} and {largest:.2g}"
            raise ValueError(f"{name} must lie between {limits} to be a number of {_name(dtype)}, got {number}")


def as_like(x, other):
    """Bring numbers to the library, the precision and the device of an array, so that a result of both has its dtype.

    Parameters
    ----------
    x : array or float
        The numbers: NumPy, or the library of ``other``.
    other : array
        An array of floating-point numbers.

    Returns
    -------
    array or float
        The same numbers, rounded once. Gradients flow through.

    Raises
    ------
    ValueError
        If they are complex, and those of ``other`` are not.
    """
    if type(x) in (int, float):  # which has no precision of its own, unlike NumPy's
        return x
    xp = array_namespace(other)
    if not is_array_api_obj(x) or array_namespace(x) is not xp:
        x = beside(x, other)
    if "complex" in str(x.dtype) and "complex" not in str(other.dtype):
        raise ValueError(f"what meets numbers of {other.dtype} must be real, got {x.dtype}")
    return xp.astype(to_device(x, device(other)), other.dtype, copy=False)


def beside(x, other):
    """Bring an array, such as a mask, to the library and the device of another one.

    Parameters
    ----------
    x : array or sequence
        The array: NumPy, or the library of ``other``.
    other : array
        Any array.

    Returns
    -------
    array
        The same entries. PyTorch takes NumPy's arrays neither backwards nor read-only: of such it gets a copy.
    """
    xp = array_namespace(other)
    if isinstance(x, np.ndarray) and not isinstance(other, np.ndarray):
        x = np.require(x, requirements=("C", "W"))
    return xp.asarray(x, device=device(other))


def or_one(x):
    """Replace zeros and infinities by ones, so that what is divided by them stays zero or infinite.

    Parameters
    ----------
    x : array
        Floating-point numbers that are not negative.

    Returns
    -------
    array
        A copy, positive and finite but for nan.
    """
    return array_namespace(x).where((x == 0) | (x == math.inf), 1.0, x)


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
    a = np.asanyarray(a)
    return a.astype(float if a.dtype.kind in "iub" else np.result_type(a, np.float32), order="C")


def power_of_two(x):
    """Round down to powers of two: numbers to divide by without rounding.

    Parameters
    ----------
    x : array
        Floating-point numbers that are not negative, NumPy or PyTorch.

    Returns
    -------
    array
        Powers of two; zeros and infinities stay as they are. To autograd they are constants.
    """
    x = x.detach() if hasattr(x, "detach") else x
    mantissa, _ = array_namespace(x).frexp(or_one(x))  # from 1/2 to 1
    return x / (2 * mantissa)


def by_power_of_two(x, axis=None):
    """Divide by the power of two that brings the largest entry between 1/2 and 1.

    That rounds nothing but what is so much smaller than the largest, in float64 2**1021 times, that a float cannot hold
    all digits of the quotient. Squares of quotients cannot overflow, and vanish only where they would not be noticed.

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
        largest, power = np.finfo(product.dtype).max, np.max(exponent)
        raise ValueError(f"{name} must not exceed the largest float, {largest:.2g}, got a factor of 2**{power}")
    return product


def widen_half(function, results=()):
    """Let a function compute in float32 where it is given float16 or bfloat16, and round its results once.

    Frameworks do the same: sums of half-precision numbers are accumulated in single precision.

    Parameters
    ----------
    function : callable
        A function of arrays that returns one array, or several.
    results : sequence of str
        For each of several results, the name of the argument whose dtype it has; the first argument unless given.

    Returns
    -------
    callable
        The function; floating-point results have the dtype of an argument.
    """

    signature = inspect.signature(function)
    first = next(iter(signature.parameters))

    @functools.wraps(function)
    def widened(*args, **kwargs):
        if not any(map(_is_half, (*args, *kwargs.values()))):
            return function(*args, **kwargs)
        result = function(*map(_single, args), **{name: _single(value) for name, value in kwargs.items()})
        given = signature.bind(*args, **kwargs).arguments
        if not isinstance(result, tuple):
            return _rounded(result, given[first])
        names = results[: len(result)] or [first] * len(result)
        return tuple(_rounded(y, given[name]) for y, name in zip(result, names, strict=True))

    return widened


def exact_integers(function):
    """Let a function compute with Python's integers where it is given NumPy's, which wrap round at their largest.

    Parameters
    ----------
    function : callable
        A function of numbers, such as one that counts.

    Returns
    -------
    callable
        The function.
    """

    @functools.wraps(function)
    def exact(*args, **kwargs):
        return function(*map(_python, args), **{name: _python(value) for name, value in kwargs.items()})

    return exact


def _require_array(name, x):
    if not is_array_api_obj(x):
        raise ValueError(f"{name} must be an array of NumPy or PyTorch, got {type(x).__name__}")


def _python(x):
    return int(x) if isinstance(x, np.integer) else x


def _rounded(y, x):
    xp = array_namespace(y)
    return xp.astype(y, x.dtype) if _is_half(x) and xp.isdtype(y.dtype, "real floating") else y


def _is_half(x):
    dtype = getattr(x, "dtype", None)
    return _is_float(dtype) and dtype.itemsize == 2


@functools.cache  # A model asks this a thousand times for each token.
def _is_float(dtype):
    return "float" in str(dtype)  # NumPy's float64 and PyTorch's torch.bfloat16 alike


@functools.cache
def _range(dtype):
    """Return the smallest positive float, the largest, and the least number that is rounded to infinity."""
    if _name(dtype) == "bfloat16":  # which NumPy does not know
        eps, tiny, largest = 2.0**-7, 2.0**-126, (2 - 2.0**-7) * 2.0**127
    else:
        info = np.finfo(_name(dtype))
        eps, tiny, largest = float(info.eps), float(info.tiny), float(info.max)
    return eps * tiny, largest, largest / (2 - eps) * (2 - eps / 2)


def _name(dtype):
    return str(dtype).removeprefix("torch.")


def _single(x):
    return array_namespace(x).astype(x, array_namespace(x).float32) if _is_half(x) else x
