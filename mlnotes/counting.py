"""Count the operations of an algorithm by running it on numbers that keep a tally."""

from collections import Counter, OrderedDict

import numpy as np

from mlnotes.arrays import require_integers


def count_operations(function, *arguments):
    """Run a function on numbers that count what is done to them.

    Parameters
    ----------
    function : callable
        An algorithm written with ``+ - * /``, comparisons, ``np.exp``, ``np.sqrt`` and array operations made of them.
    *arguments : array or other
        Its arguments; float arrays are replaced by arrays of counting numbers, others are passed on.

    Returns
    -------
    dict of str to int
        How often each operation was done, under the names "multiply", "add" (also for subtractions), "divide",
        "exp", "sqrt" and "compare". Exact, and the same on every machine.

    Raises
    ------
    ValueError
        If no argument is an array of floats, so that there is nothing to count with.
    """
    tally = Counter()
    floats = [isinstance(x, np.ndarray) and np.issubdtype(x.dtype, np.floating) for x in arguments]
    if not any(floats):
        raise ValueError(f"an argument must be an array of floats, got {[type(x).__name__ for x in arguments]}")
    function(*(_counting(x, tally) if is_float else x for x, is_float in zip(arguments, floats, strict=True)))
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
    """A number that keeps a tally of what is done to it."""

    def __init__(self, value, tally):
        self.value, self.tally = float(value), tally

    def exp(self):
        """Count an exponential; ``np.exp`` calls this."""
        return self._did("exp", lambda a, _: np.exp(a), 0)

    def sqrt(self):
        """Count a square root; ``np.sqrt`` calls this."""
        return self._did("sqrt", lambda a, _: np.sqrt(a), 0)

    def __float__(self):
        return self.value

    def __neg__(self):
        return Counted(-self.value, self.tally)

    def __add__(self, other):
        return self._did("add", lambda a, b: a + b, other)

    def __sub__(self, other):
        return self._did("add", lambda a, b: a - b, other)

    def __rsub__(self, other):
        return self._did("add", lambda a, b: b - a, other)

    def __mul__(self, other):
        return self._did("multiply", lambda a, b: a * b, other)

    def __truediv__(self, other):
        return self._did("divide", lambda a, b: a / b, other)

    def __rtruediv__(self, other):
        return self._did("divide", lambda a, b: b / a, other)

    def __lt__(self, other):
        self.tally["compare"] += 1
        return self.value < float(other)

    def __gt__(self, other):
        self.tally["compare"] += 1
        return self.value > float(other)

    __radd__ = __add__
    __rmul__ = __mul__

    def _did(self, name, operation, other):
        if isinstance(other, np.ndarray):
            return NotImplemented  # NumPy then goes through the array itself
        self.tally[name] += 1
        return Counted(operation(self.value, float(other)), self.tally)


def _counting(x, tally):
    counted = np.empty(x.shape, object)
    for i in np.ndindex(x.shape):
        counted[i] = Counted(x[i], tally)
    return counted
