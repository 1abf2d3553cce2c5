"""Unconverted banks."""

from collections.abc import Callable
from dataclasses import dataclass

from mlnotes.checks.bank import distance, frozen  # noqa: F401


@dataclass(frozen=True)
class Claim:
    """Something that every correct version of a function satisfies.

    Parameters
    ----------
    says : str
        The claim, as a reader sees it.
    error : callable
        Takes the function and returns the largest error it makes; raises what the function raises.
    tolerance : float
        The largest error allowed.
    why : str
        Where the tolerance comes from.
    kind : {"property", "oracle"}
        Whether the function is compared with itself or with someone else's implementation.
    edge : bool
        Whether it is about an input that a reader's first version may well get wrong.
    """

    says: str
    error: Callable
    tolerance: float = 0.0
    why: str = "exact"
    kind: str = "property"
    edge: bool = False


@dataclass(frozen=True)
class Mistake:
    """A wrong version that people write.

    Parameters
    ----------
    function : callable
        The wrong version; its name says what is wrong.
    symptom : str
        What can be seen of it.
    remedy : str
        What to write instead.
    seen : str
        Where it happened, or an empty string.
    shown_by : str
        For a mistake in the last bit, which no probe shows: the claim that it breaks, and no other.
    """

    function: Callable
    symptom: str
    remedy: str
    seen: str = ""
    shown_by: str = ""


@dataclass(frozen=True)
class Checks:
    """All that is known about one function.

    Parameters
    ----------
    function : callable
        The package's own version.
    probes : tuple of tuples
        Arguments on which the wrong versions differ from the right one and from each other.
    claims : tuple of Claim
        What a correct version satisfies.
    mistakes : tuple of Mistake
        The known wrong versions.
    call : callable, optional
        Takes a version and a probe's arguments and gives what is compared, where that is not simply what the version
        returns: the values of a function that it returns, for example.
    """

    function: Callable
    probes: tuple
    claims: tuple
    mistakes: tuple = ()
    call: Callable | None = None
