"""What a correct version of each function must satisfy, and what is said of the wrong ones that are known."""

import copy
import html
import importlib
import math
import pkgutil
import warnings
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass

import numpy as np


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


def check(function, name=None):
    """Test a reader's own version of a function of this book, and say what is wrong with it.

    Parameters
    ----------
    function : callable
        The version to test; it is given NumPy arrays.
    name : str, optional
        The function it stands for; by default the function's own name without ``my_`` or ``naive_``.

    Returns
    -------
    Report
        The diagnosis, which a notebook displays.

    Raises
    ------
    ValueError
        If no function of this name has checks.
    """
    checks = _find(name or function.__name__.removeprefix("my_").removeprefix("naive_"))
    returned = _outcome(function, checks.probes[0])[0]
    if returned is None or returned is Ellipsis:
        return Report(function.__name__, "empty", "It returns nothing yet: write its body and run this cell again.")
    measured = [(claim, *_measure(claim, function)) for claim in checks.claims]
    failed = [(claim, found) for claim, error, found in measured if not error <= claim.tolerance]
    listed = tuple((claim.says, found) for claim, found in failed)
    known = [
        mistake
        for mistake in checks.mistakes
        if _behaves_like(mistake.function, function, checks)
        or [claim.says for claim, _ in failed] == [mistake.shown_by]
    ]
    if known:
        return Report(function.__name__, "wrong", f"{known[0].symptom}: {known[0].remedy}.", listed)
    if not all(claim.edge for claim, _ in failed):
        return Report(function.__name__, "wrong", "This mistake is not among the known ones. What fails:", listed)
    if failed:
        held = len(measured) - len(failed)
        return Report(function.__name__, "right", f"All {held} everyday checks hold. At the edge, not yet:", listed)
    return Report(function.__name__, "right", f"All {len(measured)} checks hold.")


def evidence(function):
    """Measure how far one of the book's functions is from everything that it must agree with.

    Parameters
    ----------
    function : callable
        A function of the package that has checks.

    Returns
    -------
    Evidence
        A table with the largest error found for each claim, rounded up to a power of ten.

    Raises
    ------
    ValueError
        If no function of this name has checks.
    AssertionError
        If an error is larger than its tolerance.
    """
    rows = []
    for claim in _find(function.__name__).claims:
        error, found = _measure(claim, function)
        if not error <= claim.tolerance:
            raise AssertionError(f"{function.__name__}: {claim.says}: {found}, allowed is {claim.tolerance:g}")
        rows.append((claim, _power_of_ten(error) if claim.tolerance else 0.0))
    return Evidence(function.__name__, tuple(rows))


def mistakes(function):
    """List the known wrong versions of one of the book's functions.

    Parameters
    ----------
    function : callable
        A function of the package that has checks.

    Returns
    -------
    Table
        For each wrong version its name, symptom, remedy, and where it was seen.

    Raises
    ------
    ValueError
        If no function of this name has checks.
    """
    rows = [
        (it.function.__name__.replace("_", " "), it.symptom, it.remedy, it.seen or "—")
        for it in _find(function.__name__).mistakes
    ]
    return Table(("mistake", "what you see", "what to do instead", "seen in"), tuple(rows))


@dataclass(frozen=True)
class Report:
    """What `check` found: ``verdict`` is "right", "wrong" or "empty"."""

    name: str
    verdict: str
    says: str
    failed: tuple = ()

    def __repr__(self):
        lines = [f"{_SIGN[self.verdict]} {self.name}: {self.says}"]
        return "\n".join(lines + [f"    {claim}: {found}" for claim, found in self.failed])

    def _repr_html_(self):
        items = "".join(f"<li>{html.escape(claim)}: {html.escape(found)}</li>" for claim, found in self.failed)
        return (
            f'<div class="mlnotes-check mlnotes-{self.verdict}"><p>{_SIGN[self.verdict]} '
            f"<code>{html.escape(self.name)}</code>: {html.escape(self.says)}</p>"
            + (f"<ul>{items}</ul>" if items else "")
            + "</div>"
        )


@dataclass(frozen=True)
class Table:
    """A table that a notebook displays, and that reads well as text."""

    head: tuple
    rows: tuple

    def __repr__(self):
        table = [self.head, *self.rows]
        widths = [max(len(row[i]) for row in table) for i in range(len(self.head))]
        return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in table)

    def _repr_html_(self):
        head = "".join(f'<th scope="col">{html.escape(cell)}</th>' for cell in self.head)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in self.rows)
        return f'<table class="mlnotes-table"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


@dataclass(frozen=True)
class Evidence:
    """What `evidence` measured, as a table for the reader and as data for the verification page."""

    name: str
    rows: tuple

    def table(self):
        """Lay the rows out, properties first."""
        rows = sorted(self.rows, key=lambda row: row[0].kind == "oracle")
        cells = ((_KIND[c.kind] + c.says, f"{e:g}", f"{c.tolerance:g}") for c, e in rows)
        return Table(("claim", "largest error", "tolerance"), tuple(cells))

    def notes(self):
        """Say where each tolerance comes from."""
        return tuple(dict.fromkeys(f"{c.tolerance:g}: {c.why}" for c, _ in self.rows))

    def __repr__(self):
        return "\n".join([repr(self.table()), *self.notes()])

    def _repr_mimebundle_(self, include=None, exclude=None):
        data = [
            {"claim": c.says, "kind": c.kind, "error": e, "tolerance": c.tolerance, "why": c.why} for c, e in self.rows
        ]
        notes = html.escape("; ".join(self.notes()))
        return {
            "text/plain": repr(self),
            "text/html": f'{self.table()._repr_html_()}<p class="mlnotes-notes">Tolerance {notes}.</p>',
            "application/vnd.mlnotes.evidence+json": {"function": self.name, "rows": data},
        }


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
    found, expected = found[~same].astype(float), expected[~same].astype(float)
    if not np.isfinite(found).all() or not np.isfinite(expected).all():
        raise AssertionError("it gives nan or infinity where that is wrong, or none where it is right")
    return float(np.max(np.abs(found - expected) / np.maximum(1, np.abs(expected)), initial=0.0))


def frozen(*arrays):
    """Protect the inputs of checks from versions that write into them.

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


def all_checks():
    """Collect the checks of every function of the book.

    Returns
    -------
    dict of str to Checks
        By the function's name.
    """
    found = {}
    for module in pkgutil.walk_packages(__path__, __name__ + "."):
        for checks in getattr(importlib.import_module(module.name), "CHECKS", ()):
            found[checks.function.__name__] = checks
    return found


_KIND = {"property": "", "oracle": "equal to "}
_SIGN = {"right": "✓", "wrong": "✗", "empty": "…"}


def _find(name):
    known = all_checks()
    if name not in known:
        raise ValueError(f"there are checks for {', '.join(sorted(known))}, but not for {name}")
    return known[name]


def _measure(claim, function):
    """Return the error as a number, and as words for a reader."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            error = claim.error(function)
        except AssertionError as wrong:
            return math.inf, str(wrong)
        except Exception as wrong:
            return math.inf, f"{type(wrong).__name__}: {wrong}"
    return error, f"off by {error:.2g}"


def _outcome(function, arguments, call=None):
    """Return what a call gives and what it leaves of its arguments, or the kind of its error."""
    arguments = copy.deepcopy(arguments)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return [call(function, *arguments) if call else function(*arguments), *arguments]
        except Exception as wrong:
            return [type(wrong).__name__]


def _behaves_like(wrong, function, checks):
    versions = wrong, function, checks.function
    outcomes = [[_outcome(version, probe, checks.call) for probe in checks.probes] for version in versions]
    return all(map(_same, outcomes[0], outcomes[1])) and not all(map(_same, outcomes[1], outcomes[2]))


def _same(mine, theirs):
    """Compare what two calls gave: numbers up to rounding, collections entry by entry, anything else as it is."""
    mine, theirs = _entries(mine), _entries(theirs)
    if isinstance(mine, list) or isinstance(theirs, list):
        sized = all(isinstance(value, list) or getattr(value, "ndim", 0) > 0 for value in (mine, theirs))
        return sized and len(mine) == len(theirs) and all(map(_same, mine, theirs))
    if _is_numeric(mine) and _is_numeric(theirs):
        return np.shape(mine) == np.shape(theirs) and np.allclose(mine, theirs, rtol=1e-9, atol=1e-12, equal_nan=True)
    return mine is theirs or (type(mine) is type(theirs) and not _is_numeric(mine) and mine == theirs)


def _entries(value):
    """List the entries of a tuple, a dictionary or a result with fields; leave anything else alone."""
    if isinstance(value, dict):
        return [entry for pair in value.items() for entry in pair]
    if is_dataclass(value) and not isinstance(value, type):
        return [getattr(value, field.name) for field in fields(value)]
    return list(value) if isinstance(value, tuple | list) else value


def _is_numeric(value):
    return np.asarray(value).dtype.kind in "biufc"


def _power_of_ten(error):
    """Round up, and to no less than 1e-14, so that processors that differ in the last bits agree."""
    return 1e-14 if error < 1e-14 else 10.0 ** math.ceil(math.log10(error))
