"""The words in which the checks of a function are written: calls, claims and mistakes."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np


@dataclass(frozen=True)
class Case:
    """A call on which a reader's version must agree with the book's; `call` makes one.

    Parameters
    ----------
    arguments, named : tuple and dict
        What is handed over, by place and by name. Every version gets a copy of its own.
    says : str
        What is special about this call, as a reader sees it: "scores of 1000".
    edge : bool
        Whether it is more than the exercise asks for.
    tolerance : float, optional
        The largest difference, relative to the largest number expected, that rounding can explain; by default
        `RELATIVE` of the least precise floats among the arguments: 1e-10 in float64, 1e-4 in float32, 4e-3 in float16.
    absolute : float, optional
        The same where zero is expected; by default it is of the size of the arguments. Set it to 0 where every digit of
        a result counts that is much smaller than they are.
    hint : str
        What to say where only calls with this hint fail, and nothing else explains it: what they have in common, and
        what to do about it, as a sentence.
    """

    arguments: tuple
    named: dict = field(default_factory=dict)
    says: str = ""
    edge: bool = False
    tolerance: float | None = None
    absolute: float | None = None
    hint: str = ""

    def about(self, says, edge=False, tolerance=None, absolute=None, hint=""):
        """Say what is special about this call."""
        return replace(self, says=says, edge=edge, tolerance=tolerance, absolute=absolute, hint=hint)


def call(*arguments, **named):
    """Write a call down as it will be made: ``call(x, axis=0)``."""
    return Case(arguments, named)


@dataclass(frozen=True)
class Claim:
    """Something that the book's version satisfies, and the proof of it.

    Parameters
    ----------
    says : str
        The claim, as a reader sees it.
    error : callable
        Takes a version and returns the largest error it makes, of either sign; raises what the version raises.
    tolerance : float
        The largest error allowed.
    why : str
        Where the tolerance comes from.
    kind : {"property", "oracle"}
        Whether the function is compared with itself or with someone else's implementation.
    """

    says: str
    error: Callable
    tolerance: float = 0.0
    why: str = "exact"
    kind: str = "property"


def oracle(says, reference, *calls, tolerance=0.0, why="exact", run=None):
    """Claim that a function gives what someone else's implementation gives.

    Parameters
    ----------
    says : str
        Whose implementation it is.
    reference : callable
        That implementation, made to take the same arguments.
    *calls : Case
        On what they are compared, from `call`.
    tolerance, why
        As for `Claim`.
    run : callable, optional
        As for `Checks`.

    Returns
    -------
    Claim
        Of the kind "oracle".
    """

    def error(function):
        give = run or (lambda version, *arguments, **named: version(*arguments, **named))
        return max(
            distance(give(function, *it.arguments, **it.named), give(reference, *it.arguments, **it.named))
            for it in calls
        )

    return Claim(says, error, tolerance, why, "oracle")


@dataclass(frozen=True)
class Mistake:
    """A way in which people get a function wrong.

    Parameters
    ----------
    name : str
        What is done.
    edit : (str, str), sequence of those, or callable
        What stands in the right source and what stands in the wrong one. The text must occur once in the function or,
        if not there, once in what it calls of its own module. A callable is a whole wrong version.
    symptom : str
        What can be seen of it.
    remedy : str
        What to write instead.
    seen : str
        Where it happened, or an empty string.
    """

    name: str
    edit: tuple | Callable
    symptom: str
    remedy: str
    seen: str = ""

    def edits(self):
        """List the places that are changed, each by what stands there and what comes in its place."""
        return (self.edit,) if isinstance(self.edit[0], str) else tuple(map(tuple, self.edit))


@dataclass(frozen=True)
class Checks:
    """All that is known about one function.

    Parameters
    ----------
    function : callable
        The book's own version.
    cases : tuple of Case
        Calls on which every right version agrees with it: a reader's answer is right if it does.
    claims : tuple of Claim
        Why the book's version may be believed.
    mistakes : tuple of Mistake
        How it is usually got wrong.
    run : callable, optional
        Takes a version and a case's arguments and gives what is compared, where that is not simply what the version
        returns: the values of a function that it returns, a path's first steps, a matrix without its arbitrary sign.
    refusal : type or tuple of types
        What a version must raise where the book's raises: any exception, unless the exercise names one.
    written : callable, optional
        Takes the name of a version and a case and writes down, for a reader, the lines that `run` stands for.
    integers : bool
        Whether the exercise asks for integers, so that 3.0 is not 3.
    signs : dict
        What to say where a part of the result wrongly is True, or False, in all calls that fail and give anything, and
        nothing else explains them: a sentence, by the part's name and that value.
    spare : tuple of str
        Arguments that follow from the others, so that a right answer need not read them.
    ones : bool
        Whether an argument that is cut to a single row, or a single column, is still what the function is for.
    """

    function: Callable
    cases: tuple
    claims: tuple = ()
    mistakes: tuple = ()
    run: Callable | None = None
    refusal: type = Exception
    written: Callable | None = None
    integers: bool = False
    signs: dict = field(default_factory=dict)
    spare: tuple = ()
    ones: bool = True


def in_parts(*names):
    """Name the parts of a result, as a `run` of `Checks`; what comes in another form is compared as it is.

    Parameters
    ----------
    *names : str
        A name for each part that there may be.

    Returns
    -------
    callable
        Takes a version and a case's arguments.
    """

    def run(version, *arguments, **named):
        found = version(*arguments, **named)
        several = isinstance(found, tuple | list) and len(found) <= len(names)
        return dict(zip(names, found, strict=False)) if several else found

    return run


def distance(found, expected):
    """Measure how far an array is from the expected one, relative where that is larger than one.

    Parameters
    ----------
    found, expected : array
        What a function gave, and what it should have given.

    Returns
    -------
    float
        The largest difference; 0 where both are the same infinity or both nan.

    Raises
    ------
    AssertionError
        If the shapes differ, or one holds nan or infinity where the other does not.
    """
    found, expected = np.asarray(found), np.asarray(expected)
    if found.shape != expected.shape:
        raise AssertionError(f"its shape is {found.shape} where {expected.shape} is right")
    same = (found == expected) | (np.isnan(found) & np.isnan(expected))
    wide = np.result_type(found, expected, float)  # complex where one of them is
    found, expected = found[~same].astype(wide), expected[~same].astype(wide)
    if not np.isfinite(found).all() or not np.isfinite(expected).all():
        raise AssertionError("it gives nan or infinity where that is wrong, or none where it is right")
    return float(np.max(np.abs(found - expected) / np.maximum(1, np.abs(expected)), initial=0.0))


def frozen(*arrays):
    """Protect the inputs of claims from versions that write into them.

    Parameters
    ----------
    *arrays : array
        NumPy arrays, which become read-only.

    Returns
    -------
    tuple of array
        The same arrays.
    """
    for x in arrays:
        x.flags.writeable = False
    return arrays
