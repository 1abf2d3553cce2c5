"""What the letters of a formula stand for, and what it means that one side is so of another."""

import math
import operator
from collections import ChainMap
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np

from mlnotes.book.formulas.arrays import KNOWN, FormulaError, column, is_number
from mlnotes.book.formulas.latex import key

TOLERANCE = 1e-9  # in parts of the larger side; sums of a few float64 in another order differ by less
BOLD = (r"\mathbf", r"\boldsymbol")
DIFFERENTIAL = r"\mathrmd"

_ORDERED = {r"\le": operator.le, r"\ge": operator.ge, "<": operator.lt, ">": operator.gt}


@dataclass(frozen=True)
class From:
    """A value that others determine.

    Parameters
    ----------
    function : callable
        Takes the values by their names, and returns this one.
    """

    function: Callable


class RunningError(LookupError):
    """A letter that runs has no value yet."""


class Letters:
    """The values of one formula.

    Parameters
    ----------
    values : dict
        As `evaluate` takes them.
    """

    def __init__(self, values):
        self.values = KNOWN | {key(name): it if isinstance(it, From) else column(it) for name, it in values.items()}
        self.tolerance = self.values.get("tolerance", TOLERANCE)

    def scope(self):
        """Begin with the values as they are given; what runs gets its value in a child."""
        return ChainMap({}, self.values)

    def runs(self, name):
        """Tell whether a letter takes one value after the other."""
        return isinstance(self.values.get(name), range | list)

    def is_function(self, name):
        """Tell whether a name is called with what follows it."""
        return callable(self.values.get(self.known_as(name, 0)))

    def known_as(self, name, n_indices):
        r"""Find the key of a letter: an entry ``x_i`` is one of ``\mathbf x``, and ``\mathbf x_i`` a row of it."""
        rows = name[:-1] + name[-1].upper()
        if n_indices == 1 and name.startswith(BOLD) and rows in self.values and not callable(self.values.get(name)):
            return rows
        is_constant = isinstance(KNOWN.get(name), float) and self.values[name] is KNOWN[name]
        if name in self.values and not (n_indices and is_constant):  # an entry e_{ij} is one of E
            return name
        head = DIFFERENTIAL if name.startswith(DIFFERENTIAL) and name != DIFFERENTIAL else ""
        letter = name.removeprefix(head)
        bare = next((letter.removeprefix(it) for it in BOLD if letter.startswith(it)), letter)
        shapes = [bare.upper()] if bare != letter or n_indices == 2 else [bare, bare.upper()]
        keys = [head + bold + it for bold, it in product(BOLD, shapes)] if n_indices else []
        return next((it for it in keys if it in self.values), name)

    def value(self, name, indices, scope):
        """Give a letter's value, or the entry or row that its indices name."""
        known = self.known_as(name, len(indices))
        if known not in scope:
            raise FormulaError(f"nothing is given for {name}")
        value = scope[known]
        if isinstance(value, From):
            value = column(value.function(_ByName(self, scope)))
        if isinstance(value, range | list):
            raise RunningError(known)
        if not indices:
            return value
        if callable(value):
            return column(value(*map(counting, indices)))
        if is_number(value):
            raise FormulaError(f"a number has no entries, but {name} has an index")
        return self.entry(value, indices)

    def entry(self, value, indices):
        """Take an entry, or the row of a matrix as a column."""
        at = self._places(indices, value.shape)
        if len(at) == 1 and value.shape[1] > 1:
            return value[at[0]][:, None]
        return value[at[0], at[1] if len(at) > 1 else 0]

    def _places(self, indices, shape):
        at = [whole(it) - 1 for it in indices]
        if "wrap" in self.values:
            return [place % n for place, n in zip(at, shape, strict=False)]  # a column has one index
        if min(at) < 0:
            raise FormulaError(f"indices count from 1, got {[it + 1 for it in at]}")
        return at

    def holds(self, a, relation, b):
        """Tell whether one value is in a relation to another, up to rounding."""
        if relation == r"\ne":
            return bool(np.any(a != b))
        if relation in _ORDERED:
            reached = relation in (r"\le", r"\ge") and self.equal(a, b)
            return reached or bool(np.all(_ORDERED[relation](a, b)))
        return self.equal(a, b, self.values["≈"] if relation == r"\approx" else None)

    def equal(self, a, b, tolerance=None):
        """Tell whether two values of one shape differ by no more than a part of the larger one."""
        if not is_number(a) and not is_number(b) and a.shape != b.shape:
            raise FormulaError(f"both sides must have one shape, got {a.shape} and {b.shape}")
        scale = max(np.max(np.abs(a)), np.max(np.abs(b)))
        if not (np.any(a) and np.any(b)):
            scale = max(scale, self.values.get("scale", 0.0))
        tolerance = self.tolerance if tolerance is None else tolerance
        return bool(np.max(np.abs(a - b)) <= tolerance * scale < math.inf)


def whole(number):
    """Give a number that counts, which must be an integer: x_{n/2} has no place where n is odd."""
    if number != round(number):
        raise FormulaError(f"what counts must be an integer, got {number}")
    return int(number)


def counting(index):
    """Give an index as the integer that it is, so that a function may count with it."""
    return int(index) if isinstance(index, float) and index.is_integer() else index


@dataclass(frozen=True)
class _ByName:
    """The values by their names, for those that depend on them."""

    letters: Letters
    scope: ChainMap

    def __getitem__(self, name):
        return self.letters.value(key(name), (), self.scope)
