"""Run versions of a function on the calls of its bank, and compare what comes with what should come."""

import contextlib
import copy
import dis
import functools
import inspect
import io
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from decimal import Decimal
from fractions import Fraction
from unittest import mock

import numpy as np

from mlnotes.diagnosis.brakes import TooLong

# What rounding may explain of a number, relative to the largest number expected. A right formula may add in another
# order, or divide where ours multiplies: over a few dozen operations that moves the last digits of sixteen, seven or
# three. No mistake is that small unless it is about rounding, and then its case says how large an error is too large.
RELATIVE = {"float64": 1e-10, "complex128": 1e-10, "float32": 1e-4, "complex64": 1e-4, "float16": 4e-3}
ABSOLUTE = 1e-12  # where zero is expected, of the size of the arguments
ON_PAPER = 16  # numbers of a call that a reader follows by hand
PRINTED = 2000  # characters that are kept of what a call prints
_OF_LAPACK = ("cond", "lstsq", "matrix_rank", "pinv", "svd", "svdvals")


@dataclass(frozen=True)
class Outcome:
    """What came of a call: a value or an error, what it left of its arguments, by name, and what it printed.

    Where a bank makes a value of what the function returned, `unfit` says that it could not, and `returned` is that.
    """

    value: object = None
    error: BaseException | None = None
    left: dict | None = None
    printed: str = ""
    returned: object = None
    unfit: bool = False


@dataclass(frozen=True)
class Trial:
    """One call of the bank with what the book's version makes of it."""

    checks: object
    case: object
    right: Outcome
    absolute: float
    exact_dtype: bool

    def outcome(self, function):
        """Call a version with a copy of the arguments; `quiet` keeps its warnings off the page, and this its prints."""
        return _outcome(self.checks, self.case, function)

    def unlike(self, found):
        """Say in words how an outcome differs from the right one; "" where it does not."""
        if self.right.error is not None or found.error is not None:
            return self._unlike_error(found)
        difference = self.unlike_value(found.value, self.right.value)
        changed = "" if difference else self.changed(found)
        return f"it changes `{changed}`" if changed else difference

    def same(self, one, other, wider=False, kinds=False):
        """Tell whether two versions did the same: the same values up to rounding, or the same complaint.

        If `kinds`, an accident is as good as another of its kind: shapes that do not fit, say, in any words.

        One refusal is as good as another, be it due or not: who raises an error of another kind says it in other words.
        If `wider`, the first may have floats of a wider dtype.
        """
        if wider:
            return replace(self, exact_dtype=False).same(one, other, kinds=kinds)
        if self.right.error is not None and not self.unlike(one):
            return not self.unlike(other)
        if _refuses(one.error) and _refuses(other.error) and type(one.error).__name__ != type(other.error).__name__:
            return True
        if one.error is not None or other.error is not None:
            alike = kinds or said(str, one.error) == said(str, other.error)
            return type(one.error) is type(other.error) and alike
        return not self.unlike_value(one.value, other.value) and not self.changed(one, other)

    def unlike_value(self, found, right):
        """Say in words how a value differs from the right one; "" where it does not."""
        return _unlike(found, right, self)

    def changed(self, found, right=None):
        """Name the first argument that a version leaves otherwise than it should, or than another version does."""
        left = (right or self.right).left
        given = {} if right else self._given
        return next((it for it, value in left.items() if self._unlike_left(found.left[it], value, given.get(it))), "")

    @property
    def right_changes(self):
        """Whether the book's version itself changes an argument, such as a cache."""
        return bool(self.changed(Outcome(left=self._given)))

    @property
    def _given(self):
        return _by_name(self.checks, self.case.arguments, self.case.named)

    def _unlike_left(self, found, right, given):
        """Compare what was left of an argument: to the last bit where ours only reads it, else up to rounding."""
        if all(isinstance(it, np.ndarray) and it.dtype.kind in "fc" for it in (found, right, given)):
            if np.array_equal(right, given, equal_nan=True):
                return not np.array_equal(found, given, equal_nan=True)
        return _unlike(found, right, self)

    def _unlike_error(self, found):
        if isinstance(found.error, TooLong):
            return "it takes too long"
        if isinstance(found.error, ReturnedError):
            return "it returns an error in place of raising it"
        if self.right.error is None:
            unfit = found.unfit and self.unlike_value(found.returned, self.right.returned)
            return unfit or complaint_of_bank(found.error) or f"it raises {_error(found.error)}"
        if found.error is None or found.unfit:
            return f"it accepts what must be refused: {self.right.error}"
        if isinstance(found.error, NameError):  # no one means to raise that
            return f"it raises {_error(found.error)}, where it should refuse"
        if isinstance(found.error, self.checks.refusal):
            return ""
        return f"it raises {_error(found.error)}, where a {self.checks.refusal.__name__} is asked for"


def trials(checks):
    """Call the book's version on every case of its bank.

    Parameters
    ----------
    checks : Checks
        The bank's entry.

    Returns
    -------
    list of Trial
        One for each case, small calls of plain numbers first, then by size, then what must be refused, and the edges
        last.
    """
    with quiet():
        return in_order(trial_of(checks, case) for case in checks.cases)


def in_order(made):
    """Sort trials as a reader should meet them.

    Parameters
    ----------
    made : iterable of Trial
        In any order.

    Returns
    -------
    list of Trial
        As `trials` has them.
    """
    return sorted(made, key=_order)


def trial_of(checks, case):
    """Call the book's version once.

    Parameters
    ----------
    checks : Checks
        The bank's entry.
    case : Case
        The call.

    Returns
    -------
    Trial
        The call with what came of it.
    """
    sizes = [np.max(np.abs(x[np.isfinite(x)]), initial=0.0) for x in _floats(case)]
    absolute = ABSOLUTE * min([1.0, *sizes]) if case.absolute is None else case.absolute
    right = _outcome(checks, case, checks.function)
    single = isinstance(right.value, np.ndarray) and right.value.dtype in (np.float16, np.float32)  # of bytes, say
    exact_dtype = single or any(x.dtype != np.float64 for x in _floats(case))
    return Trial(checks, case, right, absolute, exact_dtype)


@contextlib.contextmanager
def quiet():
    """Keep warnings of versions that are tried out off the page, and stop what would not end."""
    with (
        warnings.catch_warnings(),
        np.errstate(all="ignore"),
        mock.patch.multiple(np.linalg, **{it: _of_finite(getattr(np.linalg, it)) for it in _OF_LAPACK}),
    ):
        warnings.simplefilter("ignore")
        yield


def _of_finite(routine):
    """Refuse what LAPACK, which no brake can stop, may not come back from."""

    @functools.wraps(routine)
    def of_finite(*arguments, **named):
        if not all(np.isfinite(it).all() for it in arguments if np.ndim(it)):
            raise np.linalg.LinAlgError(f"{routine.__name__} got numbers that are not finite")
        return routine(*arguments, **named)

    return of_finite


def entries(value):
    """Take a result apart that has parts: a tuple, a list, a dictionary, an object with fields; otherwise None.

    Parameters
    ----------
    value : object
        What a function returned.

    Returns
    -------
    dict or None
        The parts by their names.
    """
    if isinstance(value, dict):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return {it.name: getattr(value, it.name, None) for it in fields(value)}
    if isinstance(value, list | tuple) and not (value and all(np.isscalar(it) for it in value)):
        return dict(enumerate(value))
    return None


def numbers(value):
    """Read a value as an array of numbers; None where it is none.

    Parameters
    ----------
    value : object
        A number, an array of NumPy or PyTorch, or lists of numbers.

    Returns
    -------
    array or None
        The numbers.
    """
    try:
        array = np.asarray(value.detach() if hasattr(value, "detach") else value)
        if array.dtype == object and any(isinstance(it, Fraction | Decimal) for it in array.flat):
            array = array.astype(float)
    except KeyboardInterrupt:
        raise
    except BaseException:  # whatever a reader's object does here, it is no array of numbers
        return None
    return array if array.dtype.kind in "biufc" else None


def said(convert, it):
    """Let an object of a reader's say what it is, or else how it fails to.

    Parameters
    ----------
    convert : {repr, str}
        How it is asked.
    it : object
        A result, an error, or a part of one.

    Returns
    -------
    str
        Its words, or ours.
    """
    try:
        return convert(it)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return f"<{type(it).__name__} whose __{convert.__name__}__ raises {type(error).__name__}>"


def complaint_of_bank(error):
    """Take the words in which a bank complains of a result.

    Parameters
    ----------
    error : BaseException or None
        What was raised.

    Returns
    -------
    str
        A sentence without its full stop, or "" where not a bank raised it.
    """
    by_a_bank = isinstance(error, AssertionError | TypeError) and _raised_in_a_bank(error)
    return said(str, error) if by_a_bank and error.args else ""


def said_of(error):
    """Write an error down as Python does.

    Parameters
    ----------
    error : BaseException
        What was raised.

    Returns
    -------
    str
        Its kind, and its message if it has one.
    """
    text = said(str, error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _outcome(checks, case, function):
    arguments, named = copy.deepcopy((case.arguments, case.named))
    value, error, run, returned, version = None, None, checks.run, [None], function
    function = _giving_plain(version, returned)
    with contextlib.redirect_stdout(Beginning()) as printed:
        try:
            value = run(function, *arguments, **named) if run else function(*arguments, **named)
        except KeyboardInterrupt:
            raise
        except BaseException as it:  # SystemExit, too, is something to report
            error = it
    unfit = isinstance(error, Exception) and function is not version and not _passed(error, function.__code__)
    unfit = unfit and not complaint_of_bank(error)
    return Outcome(value, error, _by_name(checks, arguments, named), printed.getvalue(), returned[-1], unfit)


def _passed(error, code):
    """Tell whether an error came through a function."""
    frames = (frame.f_code for frame, _ in traceback.walk_tb(error.__traceback__))
    return any(it is code for it in frames)


class ReturnedError(Exception):
    """Raised for an answer that returns an error in place of raising it."""


def _giving_plain(function, returned):
    """Take masked arrays and matrices for the numbers that they hold, and an error that is returned for none."""
    if isinstance(function, type):
        return function

    @functools.wraps(function)
    def plain(*arguments, **named):
        value = function(*arguments, **named)
        if isinstance(value, BaseException) or (isinstance(value, type) and issubclass(value, BaseException)):
            raise ReturnedError(said(repr, value))
        returned[-1] = np.asarray(value) if isinstance(value, np.ndarray) else value
        return returned[-1]

    return plain


class Beginning(io.StringIO):
    """What is printed, up to `PRINTED` characters: an answer is called hundreds of times, and may never end."""

    def write(self, text):
        """Keep as much as there is room for."""
        super().write(text[: max(PRINTED - self.tell(), 0)])
        return len(text)


def _by_name(checks, arguments, named):
    names = names_of(checks.function, len(arguments), checks.run)
    return dict(zip(names, arguments, strict=True)) | named


@functools.cache
def names_of(function, count, run=None):
    """Name the arguments that are handed over by place: to the function, or to what hands over some more."""
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        names = []
    by_place = inspect.Parameter.POSITIONAL_OR_KEYWORD
    handed = [it.name for it in inspect.signature(run).parameters.values() if it.kind is by_place][1:] if run else []
    names = (handed if len(handed) >= count and set(handed[:count]) <= set(names) else names)[:count]
    return names + [f"argument {i + 1}" for i in range(len(names), count)]


def _floats(case):
    values = [*case.arguments, *case.named.values()]
    return [x for x in values if isinstance(x, np.ndarray) and x.dtype.kind in "fc"]


def _refuses(error):
    """Tell what a version raises on purpose, by raise or assert, from accidents, and from what the checks raise."""
    return isinstance(error, Exception) and _is_raised(error) and not _raised_in_a_bank(error)


def _raised_in_a_bank(error):
    return _is_raised(error) and _last_of(error).tb_frame.f_globals.get("__name__", "").startswith("mlnotes.checks")


def _is_raised(error):
    trace = _last_of(error)
    return trace is not None and trace.tb_frame.f_code.co_code[trace.tb_lasti] == dis.opmap["RAISE_VARARGS"]


def _last_of(error):
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace


def _order(trial):
    """Put what can be followed on paper first: it shows most mistakes, and extremes only some."""
    case, size = trial.case, _size(trial.case)
    return case.edge, bool(trial.right.error), size > ON_PAPER or not _is_plain(case), size


def _is_plain(case):
    values = [x for x in (*case.arguments, *case.named.values()) if isinstance(x, np.ndarray | float)]
    with np.errstate(all="ignore"):
        sizes = [np.abs(x[x != 0]) for x in map(np.asarray, values) if x.dtype.kind in "fc"]
    return all(np.all((x >= 1e-3) & (x <= 1000)) for x in sizes) and all(x.dtype in (float, complex) for x in sizes)


def _size(case):
    def size(value):
        if isinstance(value, list | tuple):
            return sum(map(size, value))
        return np.size(value) if isinstance(value, np.ndarray) else 1

    return sum(map(size, [*case.arguments, *case.named.values()]))


def _unlike(found, right, trial, where=""):
    parts = entries(right)
    if parts is not None:
        if isinstance(found, dict) and isinstance(right, list | tuple):
            return f"{_named(where)} gives a dictionary where {len(parts)} parts in their order are right"
        return _unlike_parts(found, parts, trial, where)
    expected = numbers(right)
    if expected is None:
        return _unlike_object(found, right, trial, where)
    theirs, found = found, numbers(found)
    if found is None:
        return f"{_named(where)} gives {_no_numbers(theirs)}"
    if found.shape != expected.shape:
        return f"{_whose(where)} shape is {found.shape} where {expected.shape} is right"
    if _is_narrow(found, expected, trial):
        return ""
    if _wrong_dtype(found.dtype, expected.dtype, trial) or (trial.checks.integers and _holds_floats(found)):
        return f"{_whose(where)} dtype is {found.dtype} where {expected.dtype} is right"
    return "" if close(found, expected, trial) else f"{_whose(where)} numbers differ"


def close(found, right, trial):
    """Compare two arrays of one shape up to rounding.

    Parameters
    ----------
    found, right : array
        What came, and what should have come.
    trial : Trial
        Knows how much rounding may explain.

    Returns
    -------
    bool
        Whether all numbers agree; nan agrees with nan, and each infinity with itself.
    """
    finite = np.isfinite(right)
    if not np.array_equal(found[~finite], right[~finite], equal_nan=True):
        return False
    if right.dtype.kind in "biu" and found.dtype.kind in "biu":
        return np.array_equal(found, right)
    wide = np.result_type(found, right, np.float64)
    found, right = found[finite].astype(wide), right[finite].astype(wide)
    relative = trial.case.tolerance
    if relative is None:
        relative = RELATIVE.get(str(trial_dtype(trial, right)), 1e-10)
    bound = relative * np.max(np.abs(right), initial=0.0) + trial.absolute
    return bool(np.all(np.abs(found - right) <= bound))


def trial_dtype(trial, right):
    """Say in which precision a trial's result was computed: the least of its arguments'."""
    return min((x.dtype for x in _floats(trial.case)), key=lambda it: it.itemsize, default=right.dtype)


def _wrong_dtype(found, right, trial):
    if right.kind == "b" or found.kind == "b" or (found.kind == "c" and right.kind != "c"):
        return found.kind != right.kind
    if trial.exact_dtype and right.kind in "fc":
        return found != right
    return found.kind == right.kind == "f" and found.itemsize < right.itemsize


def _is_narrow(found, right, trial):
    """Tell whether fewer bits lost nothing: of numbers like 0 and 1, or of one number, computed from no floats."""
    if trial.exact_dtype or not found.dtype.kind == right.dtype.kind == "f" or found.itemsize >= right.itemsize:
        return False
    one = not right.shape and not _floats(trial.case) and found.dtype == np.float32
    return bool(np.array_equal(found, right) or (one and np.isclose(found, right, 1e-6, 0)))


def _holds_floats(found):
    return found.size > 0 and found.dtype.kind == "f"  # an empty list becomes an array of floats


def _unlike_parts(found, parts, trial, where):
    theirs = entries(found)
    if theirs is None and isinstance(found, np.ndarray) and found.ndim:
        if any(isinstance(key, str) for key in parts):
            return f"{_named(where)} gives one array where {len(parts)} parts are right"
        theirs = dict(enumerate(found))
    if theirs is None or len(theirs) != len(parts):
        if not parts:
            return f"{_named(where)} gives {_brief(found)} where an empty collection is right"
        count = "no collection" if theirs is None else f"{len(theirs)} part{'s' * (len(theirs) != 1)}"
        count = "one array" if isinstance(found, np.ndarray) else count
        return f"{_named(where)} gives {count} where {len(parts)} parts are right"
    if all(isinstance(key, str) for key in parts) and theirs.keys() != parts.keys():
        names = ", ".join(said(str, it) for it in theirs)
        return f"{_named(where)} gives {names} where {', '.join(parts)} are right"
    differences = {}
    for (key, right), it in zip(parts.items(), theirs.values(), strict=True):
        name = f"{where}.{key}" if isinstance(key, str) and where else f"{where}[{key}]" if where else _ordinal(key)
        differences[_named(name)] = _unlike(theirs.get(key, it), right, trial, name)
    first, *others = [name for name, it in differences.items() if it] or [""]
    if not others or where:
        return differences.get(first, "")
    *front, last = others
    rest = f"{', '.join(front)} and {last} are" if front else f"{last} is"
    return f"{differences[first]}; {rest} not right either"


def _whose(where):
    return f"{_named(where)}'s" if where else "its"


def _named(where):
    return f"`{where}`" if where and not where.startswith("part ") else where or "it"


def _ordinal(key):
    return f"part {key + 1}" if isinstance(key, int) else str(key)


def _unlike_object(found, right, trial, where):
    if found is right or (type(found) is type(right) and _equal(found, right, trial)):
        return ""
    kinds = f"{_named(where)} gives {_brief(found)} where {_brief(right)} is right"
    return kinds


def _equal(found, right, trial):
    if isinstance(right, str | bytes) or not hasattr(right, "__dict__"):
        try:
            return bool(found == right)
        except KeyboardInterrupt:
            raise
        except BaseException:  # arrays in a list have no single truth, and a reader's object may do anything
            return False
    if callable(right):
        return True  # what a returned function does, `run` must ask
    return not _unlike(vars(found), vars(right), trial)


def _no_numbers(value):
    if isinstance(value, tuple) and len(value) > 1 and all(numbers(it) is not None for it in value):
        return f"{len(value)} parts where one array is right"
    if isinstance(value, list | tuple | np.ndarray):
        return "no numbers"
    kinds = {str: "text", dict: "a dictionary", type(None): "nothing"}
    return f"{kinds.get(type(value)) or _brief(value)} where numbers are right"


def _brief(value):
    text = f"a {type(value).__name__}" if isinstance(value, Iterator) else said(repr, value)
    return text if len(text) <= 60 else f"a {type(value).__name__}"


def _error(error):
    text = said_of(error)
    return text if len(text) <= 200 else text[:200] + "…"
