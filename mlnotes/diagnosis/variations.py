"""Calls that every bank gets besides its own: the sizes of one of its calls with other numbers, and sizes of 1."""

import itertools
from dataclasses import replace

import numpy as np

from mlnotes.diagnosis.trials import entries, numbers, quiet, trial_of

FEW = 6  # calls of a bank that are varied, and calls with a size of 1


def variations(checks, trials):
    """Vary calls of a bank as no bank needs to write down, and let the book's version say what is right.

    An answer that keeps results by the shapes of their arguments, or in one array, gives itself away where two calls
    have the same shapes; one that drops axes of size 1, where there is one.

    Parameters
    ----------
    checks : Checks
        The function's.
    trials : sequence of Trial
        The bank's own calls, in their order.

    Returns
    -------
    list of Trial
        At most one that an answer is asked for, and then edges: those that the book's version has a finite result for.
    """
    everyday = [it for it in trials if not it.case.edge and not it.right.error][:FEW]
    with quiet():
        return [*itertools.islice(_reversed(checks, everyday), 1), *itertools.islice(_with_ones(checks, everyday), FEW)]


def _reversed(checks, everyday):
    """Reverse the order of the floats in all arrays of a call, or the first array, where that makes another result."""

    def turned(x, kinds="f"):
        return np.flip(x).copy() if isinstance(x, np.ndarray) and x.dtype.kind in kinds else x

    for trial in everyday:
        first, others = trial.case.arguments[:1], trial.case.arguments[1:]
        arguments = (*(turned(it, "fiu") for it in first), *others)
        alone = replace(trial.case, arguments=arguments, says="the first numbers in reverse order")
        for case in _changed(trial.case, turned, "the numbers in reverse order"), alone:
            new = _tried(checks, case)
            if new and new.unlike_value(trial.right.value, new.right.value):
                yield new


def _with_ones(checks, everyday):
    """Leave a single entry along all axes of one size."""
    if not checks.ones:
        return
    seen = {_shapes(trial.case) for trial in everyday}
    for trial in everyday:
        for size in sorted({n for shape in _shapes(trial.case) for n in shape if n > 1}):

            def cut(x, size=size):
                return x[tuple(slice(1 if n == size else n) for n in x.shape)] if isinstance(x, np.ndarray) else x

            case = replace(_changed(trial.case, cut, "an axis of size 1"), edge=True)
            new = None if _shapes(case) in seen else _tried(checks, case)
            seen.add(_shapes(case))
            if new:
                yield new


def _changed(case, change, says):
    named = {name: change(it) for name, it in case.named.items()}
    return replace(case, arguments=tuple(map(change, case.arguments)), named=named, says=says)


def _tried(checks, case):
    try:
        trial = trial_of(checks, case)
    except Exception:  # whatever the bank's own code makes of arguments that it was not written for
        return None
    return None if trial.right.error or not _is_finite(trial.right.value) else trial


def _is_finite(value):
    parts, array = entries(value), numbers(value)
    if parts is not None:
        return all(map(_is_finite, parts.values()))
    return array is None or bool(np.isfinite(array).all())


def _shapes(case):
    return tuple(it.shape for it in (*case.arguments, *case.named.values()) if isinstance(it, np.ndarray))
