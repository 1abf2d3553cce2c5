"""What the checks say, as text and as HTML."""

import html
import inspect
import re
from collections.abc import Iterator
from dataclasses import InitVar, dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np

from mlnotes.diagnosis.trials import entries, numbers, said

SIGN = {"right": "✓", "edge": "≈", "wrong": "✗", "empty": "…"}
KIND = {"property": "", "oracle": "equal to "}
WIDTH = 84  # columns of a call, a value, a line
LINES = 8  # of what an answer prints
ENTRIES = 16  # numbers of an array that are shown
DIGITS = 5, 8, 12, 17  # of a number: the first of these that show a difference
_NUMBER = re.compile(r"[+−-]?[\d,]+(\.\d+)?%?( ± [\d,.]+)?")


@dataclass(frozen=True)
class Counterexample:
    """The smallest call that fails."""

    call: str
    expected: str
    found: str
    printed: str = ""

    def lines(self):
        """Show the call, and below it what should have come and what came, and what the answer printed then."""
        pad = "\n" + " " * 10
        expected, found, printed = (it.replace("\n", pad) for it in (self.expected, self.found, _begun(self.printed)))
        lines = [self.call, f"expected  {expected}", f"found     {found}"]
        return [*lines, f"printed   {printed}"] if printed else lines


def _begun(printed):
    """Keep the first lines of what was printed, and of each what fits."""
    lines = [f"{it[: WIDTH - 11]}…" if len(it) > WIDTH - 10 else it for it in printed.rstrip().splitlines()]
    return "\n".join(lines[:LINES] + ["…"] * (len(lines) > LINES))


@dataclass(frozen=True)
class Report:
    """What `check` found.

    Parameters
    ----------
    name : str
        The reader's function.
    verdict : {"right", "edge", "wrong", "empty"}
        Whether it agrees with the book's function on all calls, on all that the exercise asks for, or not.
    says : str
        The verdict in words, with the cause where one was found.
    counterexample : Counterexample, optional
        The smallest call that fails.
    fails : str
        Which other calls fail.
    """

    name: str
    verdict: str
    says: str
    counterexample: Counterexample | None = None
    fails: str = ""

    def __repr__(self):
        lines = [f"{SIGN[self.verdict]} {self.name}: {self.says}"]
        if self.counterexample:
            lines += ["    " + line for text in self.counterexample.lines() for line in text.split("\n")]
        return "\n".join(lines + [f"    {self.fails}"] * bool(self.fails))

    def _repr_html_(self):
        example = "\n".join(self.counterexample.lines()) if self.counterexample else ""
        return (
            f'<div class="mlnotes-check mlnotes-{self.verdict}"><p>{SIGN[self.verdict]} '
            f"<code>{html.escape(self.name)}</code>: {_with_code(self.says)}</p>"
            + (f"<pre>{html.escape(example)}</pre>" if example else "")
            + (f"<p>{_with_code(self.fails)}</p>" if self.fails else "")
            + "</div>"
        )


@dataclass(frozen=True)
class Table:
    """A table that a notebook displays, and that reads well as text.

    Parameters
    ----------
    head : tuple of str
        What stands above each column.
    rows : tuple of tuple of str
        The cells, numbers among them as they are to be read.
    """

    head: tuple
    rows: tuple

    def __repr__(self):
        table = [self.head, *self.rows]
        widths = [max(len(row[i]) for row in table) for i in range(len(self.head))]
        return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in table)

    def _repr_html_(self):
        marks = number_marks(self.head, self.rows)
        names = zip(self.head, marks, strict=True)
        head = "".join(f'<th scope="col"{mark}>{html.escape(it)}</th>' for it, mark in names)
        cells = ((f"<td{mark}>{_with_code(it)}</td>" for it, mark in zip(row, marks, strict=True)) for row in self.rows)
        body = "".join(f"<tr>{''.join(row)}</tr>" for row in cells)
        return f'<table class="mlnotes-table"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


@dataclass(frozen=True)
class Mistakes:
    """How functions are usually got wrong, as a table in which the mistakes of each stand below its name.

    Parameters
    ----------
    rows : tuple of tuple of str
        The names of the functions that a mistake is made in, the mistake, its symptom, its remedy, and where it was
        seen, or an empty string.
    """

    rows: tuple
    head = "mistake", "what you see", "what to do instead"

    def groups(self):
        """Collect the rows of each function, and of functions that share mistakes; one group needs no name."""
        found = {}
        for names, *row in self.rows:
            found.setdefault(names, []).append(row)
        return found if len(found) > 1 else dict(zip([""], found.values(), strict=False))

    def __repr__(self):
        table = [self.head, *(row[1:4] for row in self.rows)]
        widths = [max(len(row[i]) for row in table) for i in range(len(self.head))]
        laid = ["  ".join(map(str.ljust, self.head, widths)).rstrip()]
        for names, rows in self.groups().items():
            laid += ["", f"{names}:"] if names else []
            for *row, seen in rows:
                laid += ["  ".join(map(str.ljust, row, widths)).rstrip(), *([f"    seen: {seen}"] if seen else [])]
        return "\n".join(laid)

    def _repr_html_(self):
        return _grouped(self.head, {names: [_cells(*row) for row in rows] for names, rows in self.groups().items()})


def _grouped(head, groups):
    """Write a table whose rows, of cells already written, stand below the name of their group."""
    names = "".join(f'<th scope="col">{it}</th>' for it in head)
    bodies = "".join(
        f"<tbody>{_group_name(name, len(head))}{''.join(f'<tr>{row}</tr>' for row in rows)}</tbody>"
        for name, rows in groups.items()
    )
    return f'<table class="mlnotes-table"><thead><tr>{names}</tr></thead>{bodies}</table>'


def _group_name(name, columns):
    return f'<tr><th scope="rowgroup" colspan="{columns}">{_with_code(name)}</th></tr>' if name else ""


def _cells(mistake, symptom, remedy, seen):
    source = f"<br><small>seen: {_with_code(seen)}</small>" if seen else ""
    return f"<td>{_with_code(mistake)}{source}</td><td>{_with_code(symptom)}</td><td>{_with_code(remedy)}</td>"


def number_marks(head, rows):
    """Mark the columns of numbers in a table where digits stand below each other only if they end at one line.

    Parameters
    ----------
    head : sequence of str
        The names of the columns.
    rows : sequence of sequence of str
        The cells.

    Returns
    -------
    list of str
        For each column the attribute of its cells: a class, or nothing.
    """
    columns = [[_NUMBER.fullmatch(row[i]) for row in rows] for i in range(len(head))]
    numbers = [all(column) and len({len(it[1] or "") for it in column if it[0] != "0"}) <= 1 for column in columns]
    ragged = [numbers[i] and len({len(it[0]) for it in column}) > 1 for i, column in enumerate(columns)]
    marked = [is_ragged or (any(ragged) and i > 0 and numbers[i]) for i, is_ragged in enumerate(ragged)]
    return [' class="number"' if it else "" for it in marked]


EVIDENCE = "application/vnd.mlnotes.evidence+json"


@dataclass(frozen=True)
class Evidence:
    """What `evidence` measured, as a table for the reader and as data for the verification page.

    Parameters
    ----------
    rows : tuple of dict
        For each claim the function that it is about, the claim, its kind, the largest error, the tolerance, and why.
    """

    rows: tuple
    head = "claim", "largest error", "tolerance"

    def groups(self):
        """Collect what the table says of each function, its properties before its oracles."""
        found = {}
        for row in sorted(self.rows, key=lambda row: row["kind"] == "oracle"):
            cells = (KIND[row["kind"]] + row["claim"], scientific(row["error"]), f"{row['tolerance']:.2g}")
            found.setdefault(row["function"], []).append(cells)
        return {name: found[name] for name in dict.fromkeys(row["function"] for row in self.rows)}

    def notes(self):
        """Say where each tolerance comes from, and of which functions and claims where that is several places."""
        tolerances = {}
        for row in self.rows:
            reasons = tolerances.setdefault(f"{row['tolerance']:.2g}", {})
            reasons.setdefault(row["why"], {}).setdefault(row["function"], []).append(KIND[row["kind"]] + row["claim"])
        return tuple(note for tolerance, reasons in tolerances.items() for note in _notes(tolerance, reasons))

    def __repr__(self):
        cells = ((f"`{name}`" * (i == 0), *row) for name, rows in self.groups().items() for i, row in enumerate(rows))
        return "\n".join([repr(Table(("function", *self.head), tuple(cells))), *self.notes()])

    def _repr_html_(self):
        groups = {
            f"`{name}`": ["".join(f"<td>{_with_code(it)}</td>" for it in row) for row in rows]
            for name, rows in self.groups().items()
        }
        notes = html.escape("; ".join(self.notes()))
        return f'{_grouped(self.head, groups)}<p class="mlnotes-notes">Tolerance {notes}.</p>'

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/plain": repr(self), "text/html": self._repr_html_(), EVIDENCE: {"rows": list(self.rows)}}


def _notes(tolerance, reasons):
    """Give the reasons of one tolerance: where a function has several, with the claims of all but the commonest."""
    commonest = {}
    for why, claims in reasons.items():
        for name, of in claims.items():
            if name not in commonest or len(of) > len(reasons[commonest[name]][name]):
                commonest[name] = why
    several = {name for name in commonest if sum(name in claims for claims in reasons.values()) > 1}
    notes, others = [], []
    for why, claims in reasons.items():
        plain = [name for name in claims if commonest[name] == why]
        named = {}
        for name, of in claims.items():
            if name not in plain:
                named.setdefault(", ".join(f"“{it}”" for it in of), []).append(name)
        quoted = [f"{', '.join(names)} ({of})" for of, names in named.items()]
        otherwise = " otherwise" * any(name in several for name in plain)
        whose = f" for {', '.join(quoted + plain)}{otherwise}" * (len(reasons) > 1)
        (others if otherwise else notes).append(f"{tolerance}{whose}: {why}")
    return [*notes, *others]


def scientific(error):
    """Write an error with the one digit that says how large it is.

    Parameters
    ----------
    error : float
        At least 0.

    Returns
    -------
    str
        "3e-16", or "0" where there is none.
    """
    return f"{error:.0e}" if error else "0"


def written_call(name, case):
    """Write a call as it stands in a program.

    Parameters
    ----------
    name : str
        The function's name.
    case : Case
        Its arguments.

    Returns
    -------
    str
        One line, or several for matrices.
    """
    arguments = [written(it) for it in case.arguments] + [f"{key}={written(it)}" for key, it in case.named.items()]
    line = f"{name}({', '.join(arguments)})"
    if "\n" not in line and len(line) <= WIDTH:
        return line
    parts = [it.replace("\n", "\n" + " " * 4) for it in arguments]
    return f"{name}(\n    " + ",\n    ".join(parts) + ",\n)"


def written(value, digits=None):
    """Write a value down, arrays as lists of numbers as long as they are small.

    Parameters
    ----------
    value : object
        An argument or a result.
    digits : int, optional
        How many to write of each number; unless given, enough to tell those of an array apart, and all of a number
        that stands alone.

    Returns
    -------
    str
        For a reader.
    """
    if isinstance(value, np.ndarray | np.generic):
        return _written_array(np.asarray(value), digits)
    if _holds_itself(value):
        return f"a {type(value).__name__} that holds itself"
    if isinstance(value, tuple | list):
        text = ", ".join(written(it, digits) for it in value)
        return f"({text}{',' * (len(value) == 1)})" if isinstance(value, tuple) else f"[{text}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{said(repr, key)}: {written(it, digits)}" for key, it in value.items()) + "}"
    if inspect.ismethod(value):
        return f"the method {value.__name__}"
    if callable(value):
        return getattr(value, "__name__", type(value).__name__)
    if isinstance(value, Iterator):  # whose own words are an address
        return f"a {type(value).__name__}"
    text = _number(value, digits) if digits and isinstance(value, float | complex) else said(repr, value)
    return text if len(text) <= WIDTH else f"a {type(value).__name__}"


@dataclass(repr=False)
class Warned:
    """What came with warnings, where a bank takes none: right results are no such thing, and two of them are alike.

    Parameters
    ----------
    came : object
        What was returned.
    caught : list of warnings.WarningMessage
        The warnings.
    kind : str
        What it is called where an answer's own word for its result is asked.
    """

    came: InitVar[object]
    caught: InitVar[list]
    kind: str = "with a warning"

    def __post_init__(self, came, caught):
        self.warnings, self.says = caught, f"{written(_unsigned_zeros(came))}, and a warning: {caught[0].message}"

    def __repr__(self):
        return self.says


def _holds_itself(value, above=()):
    if any(value is it for it in above):
        return True
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, tuple | list) else ()
    return any(_holds_itself(it, (*above, value)) for it in parts)


def compared(found, right, unlike=None):
    """Write down what came beside what should have come: of several parts those that differ, of a large array an entry.

    Parameters
    ----------
    found, right : object
        Two results.
    unlike : callable, optional
        Takes a part of both and says in words how they differ, if they do: what is rounding alone is not shown.

    Returns
    -------
    (str, str)
        What should have come, and what came.
    """
    if numbers(found) is not None and (hasattr(found, "detach") or isinstance(found, Fraction | Decimal)):
        found = numbers(found)
    parts, theirs = entries(right), entries(found)
    if theirs:
        theirs = {key: numbers(it) if hasattr(it, "detach") else it for key, it in theirs.items()}
        found = theirs if parts and parts.keys() == theirs.keys() else found
    if unlike and parts and theirs and parts.keys() == theirs.keys():
        differ = {key: it for key, it in parts.items() if unlike(theirs[key], it)}
        if differ:
            found, right = ({key: it[key] for key in differ} for it in (theirs, parts))
    for digits in DIGITS[:1] if _differ_in_precision(found, right) else DIGITS:
        expected, came = _compared(found, right, digits)
        if "\n".join(it.partition("   at ")[0] for it in expected.splitlines()) != came:
            break
    return expected, came


def _differ_in_precision(found, right):
    """Tell whether a dtype differs: then the last digits do, too, and say nothing."""
    parts, theirs = entries(right), entries(found)
    if parts and theirs and parts.keys() == theirs.keys():
        return any(_differ_in_precision(theirs[key], parts[key]) for key in parts)
    both = isinstance(found, np.ndarray | np.generic) and isinstance(right, np.ndarray | np.generic)
    return both and found.dtype != right.dtype


def _compared(found, right, digits):
    parts, theirs = entries(right), entries(found)
    if parts and theirs and parts.keys() == theirs.keys():
        return _differing_parts(theirs, parts, digits)
    if isinstance(found, np.ndarray) and isinstance(right, np.ndarray) and found.shape == right.shape:
        if right.size > ENTRIES and found.dtype.kind in "biufc":
            return _first_difference(found, right, digits)
        if digits == DIGITS[0] and "f" == found.dtype.kind == right.dtype.kind:
            found, right = _without_noise(found, right)
    return _whole(right, digits, found), _whole(found, digits, right)


def _whole(value, digits, other):
    """Write a whole result: its parts by their names, and a dtype that the other one has not."""
    if isinstance(value, dict) and value and all(isinstance(it, str) for it in value):
        return "\n".join(_named(f"{name}: ", written(_unsigned_zeros(it), digits)) for name, it in value.items())
    text = written(_unsigned_zeros(value), digits)
    unlike = _differ_in_precision(value, other) and value.dtype.kind == other.dtype.kind
    return f"{text} ({value.dtype})" if unlike and not text.endswith((f"({value.dtype})", ">")) else text


def _unsigned_zeros(x):
    """Write 0 for -0, which no comparison tells from it."""
    return x + np.zeros((), x.dtype) if isinstance(x, np.ndarray | np.generic) and x.dtype.kind in "fc" else x


def _without_noise(*arrays):
    """Round to zero what is only rounding beside the largest number; what is far smaller has been computed."""
    largest = [np.max(np.abs(x), initial=0.0, where=np.isfinite(x)) for x in arrays]
    largest[0] = max(largest)  # what came is noise beside what should have come, but not the reverse
    sizes = [np.abs(x) / (size or 1) for x, size in zip(arrays, largest, strict=True)]
    is_noise = [(size == 0) | ((1e-20 < size) & (size <= 1e-14)) for size in sizes]
    return (np.where(noise, 0, x).astype(x.dtype) for x, noise in zip(arrays, is_noise, strict=True))


def _differing_parts(found, right, digits):
    names = {key: f"part {key + 1}: " if isinstance(key, int) else f"{key}: " for key in right}
    pairs = {names[key]: _compared(found[key], right[key], digits) for key in right}
    shown = {name: pair for name, pair in pairs.items() if pair[0].partition("   at ")[0] != pair[1]} or pairs
    return tuple("\n".join(_named(name, pair[i]) for name, pair in shown.items()) for i in (0, 1))


def _named(name, text):
    """Set a text beside its name, all its lines below each other."""
    return name + text.replace("\n", "\n" + " " * len(name))


def _first_difference(found, right, digits):
    largest = np.max(np.abs(right), initial=0.0, where=np.isfinite(right))
    alike = found.dtype == right.dtype
    for small in (1e-6, 1e-9) if alike else (1e-6,):
        differs = ~np.isclose(found, right, rtol=small, atol=(1e-12 if alike else 1e-6) * largest, equal_nan=True)
        if differs.any():
            break
    else:  # one place is as good as another, but where rounding differs depends on the processor
        differs = np.abs(right) == largest
    place = tuple(int(i) for i in np.argwhere(differs)[0]) if differs.any() else (0,) * right.ndim
    where = f"   at {list(place)} of an array {right.shape}"
    mine, theirs = ("", "") if alike else (f" ({found.dtype})", f" ({right.dtype})")
    return f"{_number(right[place], digits)}{theirs}{where}", f"{_number(found[place], digits)}{mine}"


def _written_array(x, digits):
    if x.size > ENTRIES or (x.size == 0 and x.ndim > 1):
        return f"<array {x.shape}{'' if x.dtype in (np.float64, np.int64) else f', {x.dtype}'}>"
    digits = digits or _telling_apart(x)
    text = np.array2string(x, separator=", ", max_line_width=WIDTH, formatter={"all": lambda it: _number(it, digits)})
    dtype = "" if x.dtype.kind in "biO" or x.dtype in (np.float64, np.complex128) else f" ({x.dtype})"
    return text + dtype if x.ndim else _number(x[()], digits) + dtype


def _telling_apart(x):
    """Count the digits with which different numbers look different."""
    different = np.unique(x) if x.dtype.kind in "fc" else ()
    return next(it for it in DIGITS if it == DIGITS[-1] or len({_number(n, it) for n in different}) == len(different))


def _number(x, digits):
    if isinstance(x, bool | np.bool_ | int | np.integer):
        return str(x)
    if isinstance(x, complex | np.complexfloating):
        return f"{x:.{digits}g}"
    try:
        return f"{float(x):.{digits}g}"
    except KeyboardInterrupt:
        raise
    except BaseException:  # whatever else a reader's array holds
        return said(str, x)


def _with_code(text):
    """Turn `backticks` into code."""
    parts = html.escape(text).split("`")
    if len(parts) % 2 == 0:
        return html.escape(text)
    return "".join(f"<code>{it}</code>" if i % 2 else it for i, it in enumerate(parts))
