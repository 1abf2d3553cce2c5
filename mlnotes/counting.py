"""Count the operations of an algorithm by running it on numbers that keep a tally."""

import operator
from collections import Counter, OrderedDict

import numpy as np
from array_api_compat import is_array_api_obj

from mlnotes.arrays import require_integers


def count_operations(function, *arguments):
    """Run a function on numbers that count what is done to them.

    Parameters
    ----------
    function : callable
        An algorithm written with ``+ - * /``, comparisons, ``np.exp``, ``np.sqrt`` and array operations made of them.
    *arguments : array or other
        Its arguments. NumPy arrays of floats, also in lists and tuples, are replaced by arrays of counting numbers;
        others are passed on.

    Returns
    -------
    dict of str to int
        How often each operation was done, under the names "multiply", "add" (also for subtractions), "divide",
        "exp", "sqrt" and "compare" (also for ``==``, and for what is asked whether it is zero). A change of sign counts
        as none of them. Exact, and the same on every machine.

    Raises
    ------
    ValueError
        If no argument is an array of floats, so that there is nothing to count with, or one is an array of complex
        numbers or of another library, whose operations would go unnoticed.
    TypeError
        If the function does anything else with the numbers: takes a power, an absolute value or a cosine of one, or
        turns one into an ordinary float, of which nothing more would be counted.
    """
    tally = Counter()
    counting = _counting(arguments, tally)
    if not any(isinstance(x, np.ndarray) and x.dtype == object for x in _leaves(counting)):
        raise ValueError(f"an argument must be an array of floats, got {[type(x).__name__ for x in arguments]}")
    function(*counting)
    return dict(tally)


def count_loads(places, capacity):
    """Count how often a small fast memory has to fetch a number from a large slow one.

    Parameters
    ----------
    places : iterable of hashable
        Where the numbers lie that an algorithm uses, in the order of use.
    capacity : int
        How many numbers the fast memory holds. When it is full it forgets the one that was used longest ago.

    Returns
    -------
    int
        How many of the uses found their number missing.

    Raises
    ------
    ValueError
        If the capacity is not positive.
    """
    require_integers(1, capacity=capacity)
    held, loads = OrderedDict(), 0
    for place in places:
        if place in held:
            held.move_to_end(place)
            continue
        loads += 1
        held[place] = True
        if len(held) > capacity:
            held.popitem(last=False)
    return loads


class Counted:
    """A number that keeps a tally of what is done to it.

    Parameters
    ----------
    value : float
        The number.
    tally : dict of str to int
        Where the operations are counted, by name.
    """

    __hash__ = None

    def __init__(self, value, tally):
        self.value, self.tally = np.float64(value), tally  # divided by 0 it is what it is in an array

    def exp(self):
        """Count an exponential; ``np.exp`` calls this."""
        return self._did("exp", lambda a, _: np.exp(a), 0)

    def sqrt(self):
        """Count a square root; ``np.sqrt`` calls this."""
        return self._did("sqrt", lambda a, _: np.sqrt(a), 0)

    def __float__(self):
        raise TypeError("a number that is counted must stay one: as a float, what is done with it would not be counted")

    def __bool__(self):
        return self != 0

    def __deepcopy__(self, memo):
        return Counted(self.value, self.tally)  # the tally stays the one that is read

    def __neg__(self):
        return Counted(-self.value, self.tally)

    def __add__(self, other):
        return self._did("add", operator.add, other)

    def __sub__(self, other):
        return self._did("add", operator.sub, other)

    def __rsub__(self, other):
        return self._did("add", lambda a, b: b - a, other)

    def __mul__(self, other):
        return self._did("multiply", operator.mul, other)

    def __truediv__(self, other):
        return self._did("divide", operator.truediv, other)

    def __rtruediv__(self, other):
        return self._did("divide", lambda a, b: b / a, other)

    def __eq__(self, other):
        return self._compared(operator.eq, other)

    def __ne__(self, other):
        return self._compared(operator.ne, other)

    def __lt__(self, other):
        return self._compared(operator.lt, other)

    def __le__(self, other):
        return self._compared(operator.le, other)

    def __gt__(self, other):
        return self._compared(operator.gt, other)

    def __ge__(self, other):
        return self._compared(operator.ge, other)

    __radd__ = __add__
    __rmul__ = __mul__

    def _did(self, name, operation, other):
        if isinstance(other, np.ndarray):
            return NotImplemented  # NumPy then goes through the array itself
        self.tally[name] += 1
        return Counted(operation(self.value, _value(other)), self.tally)

    def _compared(self, operation, other):
        if isinstance(other, np.ndarray):
            return NotImplemented
        self.tally["compare"] += 1
        return bool(operation(self.value, _value(other)))


def _value(x):
    return x.value if isinstance(x, Counted) else float(x)


def _counting(x, tally):
    """Replace arrays of floats, however deep in lists and tuples, by arrays of counting numbers."""
    if isinstance(x, list | tuple):
        make = getattr(x, "_make", type(x))  # a named tuple takes its parts one by one
        return make(_counting(item, tally) for item in x)
    if not is_array_api_obj(x) or isinstance(x, np.generic):
        return x
    if not isinstance(x, np.ndarray) or x.dtype.kind == "c":
        raise ValueError(f"arrays must be NumPy's, of real numbers, got {type(x).__name__} of dtype {x.dtype}")
    if x.dtype.kind != "f":
        return x
    counted = np.empty(x.shape, object)
    for i in np.ndindex(x.shape):
        counted[i] = Counted(x[i], tally)
    return counted


def _leaves(x):
    return [leaf for item in x for leaf in _leaves(item)] if isinstance(x, list | tuple) else [x]
