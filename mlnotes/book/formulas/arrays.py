"""The arithmetic of formulas: numbers, and arrays of two axes, a column being one of width 1."""

import math
import operator

import numpy as np


class FormulaError(ValueError):
    """A formula that is not true of its values, or that cannot be read."""


def column(value):
    """Turn a value into a number or an array of two axes; a function, a set or what runs stays as it is."""
    if isinstance(value, range | list | tuple) or callable(value):
        return value
    value = np.asarray(value)
    value = value[:, None] if value.ndim == 1 else value
    return value.item() if value.size == 1 else value


def is_number(value):
    """Tell a number from an array."""
    return np.ndim(value) == 0


def times(a, b):
    """Multiply what stands side by side."""
    if is_number(a) or is_number(b):
        return a * b
    if a.shape[1] != b.shape[0]:
        raise FormulaError(f"arrays side by side must fit, got shapes {a.shape} and {b.shape}")
    return column(a @ b)


def dot(a, b):
    r"""Multiply what stands around ``\cdot``: numbers, or two columns."""
    if is_number(a) or is_number(b):
        return a * b
    if a.shape != b.shape or a.shape[1] != 1:
        raise FormulaError(f"a dot product wants two columns of one length, got shapes {a.shape} and {b.shape}")
    return (a * b).sum()


def plus(a, b):
    """Add terms; a number is added to each entry."""
    if not is_number(a) and not is_number(b) and a.shape != b.shape:
        raise FormulaError(f"terms of a sum must have one shape, got {a.shape} and {b.shape}")
    return a + b


def power(base, exponent):
    """Raise a number, each entry of a column, or a square matrix: one that is symmetric, if to a fraction."""
    if is_number(base) or base.shape[0] != base.shape[1]:
        return base**exponent
    if exponent == int(exponent.real):
        return np.linalg.matrix_power(base, int(exponent))
    values, vectors = np.linalg.eigh(base)
    return (vectors * values**exponent) @ vectors.T


def norm(x, order):
    """Measure a column, or a matrix."""
    return np.linalg.norm(x if is_number(x) or x.shape[1] > 1 else x[:, 0], order)


def size(x):
    """Give what bars mean: the absolute value, of a set how many it holds."""
    return len(x) if isinstance(x, tuple) else abs(x)


def blocks(rows):
    """Put blocks together; an empty place is zero, as large as its neighbours."""
    heights = [next(np.atleast_2d(it).shape[0] for it in row if it is not None) for row in rows]
    widths = [next(np.atleast_2d(it).shape[1] for it in part if it is not None) for part in zip(*rows, strict=True)]
    filled = [
        [np.zeros((height, width)) if it is None else it for it, width in zip(row, widths, strict=True)]
        for row, height in zip(rows, heights, strict=True)
    ]
    return np.block(filled)


BETWEEN = {r"\cdot": dot, r"\odot": operator.mul, r"\times": operator.mul, "/": operator.truediv}
ORDERS = {"": None, "2": 2, "1": 1, "F": None, r"\infty": np.inf}  # of norms

_FUNCTIONS = {
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "tanh": np.tanh,
    "arctan": np.arctan,
    "det": np.linalg.det,
    "tr": np.trace,
    "diag": lambda x: np.diag(x[:, 0]),
    "round": np.round,
    "Im": np.imag,
    "max": lambda *x: np.max(x),
    "min": lambda *x: np.min(x),
}
FUNCTIONS = {rf"\{name}" for name in _FUNCTIONS if name != "sqrt"}
KNOWN = {
    "e": math.e,
    r"\pi": math.pi,
    r"\infty": math.inf,
    r"\dots": 0.0,
    r"\mathrmi": 1j,
    r"\mathbf0": 0.0,
    r"\delta": lambda i, j: float(i == j),
    **{font + name: it for name, it in _FUNCTIONS.items() for font in ("\\", r"\mathrm", r"\operatorname")},
}
