"""Compare answers with the book's functions, say what is wrong with them, and show why the book's may be believed."""

import ast
import difflib
import functools
import importlib
import inspect
import itertools
import linecache
import math
import pkgutil
import sys
import textwrap
import warnings

import numpy as np

from mlnotes.diagnosis.attempt import Attempt
from mlnotes.diagnosis.brakes import TooLong
from mlnotes.diagnosis.causes import cause_of
from mlnotes.diagnosis.known import version_of
from mlnotes.diagnosis.lines import loop_without_end
from mlnotes.diagnosis.report import Counterexample, Evidence, Mistakes, Report, compared, written, written_call
from mlnotes.diagnosis.report import Table as Table  # for chapters
from mlnotes.diagnosis.source import definitions, edited_definitions, never_returns, parameters_of, source_of
from mlnotes.diagnosis.trials import in_order, numbers, said_of, trials
from mlnotes.diagnosis.variations import variations
from mlnotes.show import change


def check(answer, name=None):
    """Compare an answer with the book's, and say what is wrong with it.

    Parameters
    ----------
    answer : callable or number
        A version of one of the book's functions, which is given NumPy arrays; or the result of an exercise.
    name : str, optional
        What it stands for; by default the name that it is handed over by, or else the function's own, without ``my_``
        or ``naive_``.

    Returns
    -------
    Report
        The diagnosis, which a notebook displays: the smallest call that fails, what should have come and what came,
        and the cause, where one explains all failures.

    Raises
    ------
    ValueError
        If there are no checks of this name.
    """
    own, held_by = _name_of(answer), _first_argument(sys._getframe(1))
    name = name or _asked(held_by if _known(_asked(held_by)) else own)
    if not name or name == "<lambda>":
        rule = 'check must be given a function that has a name, or a name beside it, as in check(f, "dot")'
        raise ValueError(f"{rule}, got {written(answer)}")
    checks = _find(name)
    named = own not in ("", "<lambda>") and (_asked(own) == name or own == getattr(answer, "__name__", ""))
    title = held_by if _asked(held_by) == name else own if named else name
    if _is_empty(answer):
        return Report(title, "empty", _EMPTY if parameters_of(checks.function) else _NO_NUMBER)
    if not callable(answer):
        if parameters_of(checks.function):
            asked = "class" if isinstance(checks.function, type) else "function"
            return Report(title, "wrong", f"A {asked} is asked for, and this is of type {type(answer).__name__}.")
        if isinstance(answer, str | list | tuple):
            kind = "text: write the number without quotes" if isinstance(answer, str) else f"a {type(answer).__name__}"
            return Report(title, "wrong", f"One number is asked for, and this is {kind}.")
        give = itertools.repeat(_in_double(answer)).__next__  # has no source that a repair could be looked for in
        return _of_a_number(_judged(Attempt.of(give, _trials(checks.function.__name__)), checks, title))
    tried = [it for it in _trials(checks.function.__name__) if not it.case.edge or _takes(answer, it.case, checks)]
    return _judged(Attempt.of(answer, tried), checks, title)


def _name_of(answer):
    """Say what an answer is called: without a name of its own by the variable that holds it, or what it calls."""
    own = getattr(answer, "__name__", "")
    if own not in ("", "<lambda>"):
        return own
    places = getattr(answer, "__globals__", {}), vars(sys.modules["__main__"])
    held = [name for place in places for name, it in place.items() if it is answer and _known(_asked(name))]
    return held[0] if held else own or getattr(getattr(answer, "func", None), "__name__", "")


def _first_argument(caller):
    """Read the name of the first argument off the call that the caller is in: what a decorator made has another."""
    first, last, begin, end = next(itertools.islice(caller.f_code.co_positions(), caller.f_lasti // 2, None))
    lines = [it.encode() for it in linecache.getlines(caller.f_code.co_filename, caller.f_globals)]
    if None in (first, last, begin, end) or len(lines) < last:
        return ""
    lines = lines[first - 1 : last]
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][begin:]
    try:
        call = ast.parse(b"".join(lines), mode="eval").body
    except SyntaxError:
        return ""
    return getattr(call.args[0], "id", "") if isinstance(call, ast.Call) and call.args else ""


def _asked(name):
    return name.removeprefix("my_").removeprefix("naive_").removeprefix("My")


def evidence(*functions):
    """Measure how far the book's functions are from everything that they must agree with.

    Parameters
    ----------
    *functions : callable
        Functions of the package that have checks.

    Returns
    -------
    Evidence
        A table with the largest error found for each claim.

    Raises
    ------
    ValueError
        If a function has no checks.
    AssertionError
        If an error is larger than its tolerance.
    """
    rows = []
    for function in functions:
        for claim in _find(_own_name(function)).claims:
            error, found = measured(claim, function)
            if not error <= claim.tolerance:
                raise AssertionError(f"{function.__name__}: {claim.says}: {found}, allowed is {claim.tolerance:g}")
            row = {"claim": claim.says, "kind": claim.kind, "error": error, "tolerance": claim.tolerance}
            rows.append({"function": function.__name__, **row, "why": claim.why})
    return Evidence(tuple(rows))


def mistakes(*functions):
    """List how the book's functions are usually got wrong.

    Parameters
    ----------
    *functions : callable
        Functions of the package that have checks.

    Returns
    -------
    Mistakes
        A table: for each mistake its name, symptom and remedy, and where it was seen if it was.

    Raises
    ------
    ValueError
        If a function has no checks.
    """
    made_in = {}
    for function in functions:
        for it in _find(_own_name(function)).mistakes:
            made_in.setdefault((it.name, it.symptom, it.remedy, it.seen), {})[f"`{function.__name__}`"] = None
    return Mistakes(tuple((", ".join(names), *row) for row, names in made_in.items()))


def wrong_version(function, name):
    """Make one of the usual mistakes, to see what comes of it.

    Parameters
    ----------
    function : callable
        A function of the package that has checks.
    name : str
        The mistake, as `mistakes` lists it.

    Returns
    -------
    callable
        The function with this mistake; its name is the mistake's.

    Raises
    ------
    ValueError
        If the function has no checks, or none of its mistakes has this name.
    """
    version = version_of(*_checks_and_mistake(function, name))

    @functools.wraps(version)
    def wrong(*arguments, **named):
        return version(*arguments, **named)

    wrong.__name__ = wrong.__qualname__ = name.replace(" ", "_").replace(",", "")
    return wrong


def wrong_lines(function, name):
    """Show the lines that one of the usual mistakes changes.

    Parameters
    ----------
    function : callable
        A function of the package that has checks.
    name : str
        The mistake, as `mistakes` lists it.

    Returns
    -------
    Change
        The book's lines, marked -, and what stands there in `wrong_version`, marked +.

    Raises
    ------
    ValueError
        If the function has no checks, or none of its mistakes has this name, or this one is a whole version.
    """
    checks, mistake = _checks_and_mistake(function, name)
    if callable(mistake.edit):
        raise ValueError(f"the mistake must be a change of lines, got {name}, a whole wrong version")
    before, after = definitions(checks.function), edited_definitions(checks.function, mistake.edits())
    return change("\n".join(before.values()), "\n".join(after.values()))


def _checks_and_mistake(function, name):
    checks = _find(_own_name(function))
    known = {it.name: it for it in checks.mistakes}
    if name not in known:
        raise ValueError(f"{function.__name__} has the mistakes {', '.join(known)}, got {name}")
    return checks, known[name]


def measured(claim, function):
    """Measure the error that a version makes against a claim.

    Parameters
    ----------
    claim : Claim
        What is claimed.
    function : callable
        A version.

    Returns
    -------
    error : float
        The largest error, infinite where the version raises or gives another shape.
    found : str
        The same in words.
    """
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            error = abs(float(claim.error(function)))
        except AssertionError as wrong:
            return math.inf, str(wrong)
        except Exception as wrong:
            return math.inf, f"{type(wrong).__name__}: {wrong}"
    return error, f"off by {error:.2g}"


@functools.cache
def all_checks():
    """Collect the checks of every function of the book.

    Returns
    -------
    dict of str to Checks
        By the function's name.
    """
    return {name: it for module in _modules() for name, it in _checks_in(module).items()}


def _modules():
    """Name the modules of checks, first those of chapters that are being read: to load all takes half a second."""
    names = [it.name for it in pkgutil.walk_packages(__path__, __name__ + ".")]
    return sorted(names, key=lambda name: name.replace(__name__, "mlnotes") not in sys.modules)


@functools.cache
def _checks_in(module):
    checks = getattr(importlib.import_module(module), "CHECKS", ())
    return {it.function.__name__: it for it in checks}


@functools.cache
def _beside(name):
    """Collect the checks of the module that has some of this name; none where no module has."""
    return next((_checks_in(it) for it in _modules() if name in _checks_in(it)), {})


def _known(name):
    return _beside(name).get(name) if name else None


@functools.cache
def _trials(name):
    own = trials(_find(name))
    return tuple(in_order([*own, *variations(_find(name), own)]))


_EMPTY = "It returns nothing yet: write its body and run this cell again."
_NO_NUMBER = "There is no number yet: write one there and run this cell again."
_WITHOUT_RETURN = "It returns nothing: let it end with `return` and the result."
_NAMED = 6  # calls that are named besides the first
_SHORT = 3  # statements of a function that is shown with a call
_WIDTH = 72  # of a line in a report, which stands within a solution
_UNEXPLAINED = "and no mistake that is known explains all of it"


def _own_name(function):
    if not hasattr(function, "__name__"):
        raise ValueError(f"a function of the book must be given, got {written(function)}")
    return function.__name__


def _find(name):
    if not isinstance(name, str):
        raise ValueError(f"the name of an exercise must be a string, got {written(name)}")
    checks = _known(name)
    if not checks:
        known = all_checks()
        near = ", ".join(difflib.get_close_matches(name, sorted(known), cutoff=0))
        rule = f"there are checks for {len(known)} names, of which {near} are nearest, but not for {name}"
        raise ValueError(f'{rule}: the name of the exercise can stand beside the answer, as in check(f, "dot")')
    return checks


def _judged(attempt, checks, title):
    whole, attempt = attempt, attempt.but_for_the_endless()  # which comes last
    count = len(attempt.trials)
    nothing = all(it.value is None and it.error is None for it in attempt.found) or never_returns(attempt.function)
    ended = any(isinstance(it.error, SystemExit) for it in attempt.found)  # which needs no `return`
    if nothing and attempt.failed and not attempt.endless and not ended:
        return Report(title, "empty", _WITHOUT_RETURN)
    if not attempt.failed:
        calls = f" on all {count} calls" if count > 1 else ""
        says = f"It agrees with the book's {checks.function.__name__}{calls}."
        return Report(title, "right", says + _of_a_list(attempt))
    trial, found, unlike = attempt.endless or attempt.failed[0]
    example = _counterexample(title, trial, found, unlike)
    others = _others(attempt)
    if whole is not attempt:
        late = loop_without_end(whole).removeprefix("It ")
        others = f"{others} A larger call {late}".strip()
    everyday = [it for it in attempt.everyday if it[2]]
    if not everyday:
        asked = len(attempt.everyday)
        says = f"It is right on all {asked} calls that the exercise asks for. At the edge it is not: {trial.case.says}."
        return Report(title, "edge", says, example, others)
    cause = cause_of(attempt, checks, _mistakes_of_parts(attempt.function, checks.function.__name__))
    accepts = all(it.right.error and not found.error for it, found, _ in everyday)
    unexplained = f"{unlike[0].upper()}{unlike[1:]}{'' if accepts else f', {_UNEXPLAINED}'}."
    return Report(title, "wrong", cause or unexplained, example, others)


def _of_a_list(attempt):
    """Say of a right answer that it gives lists where the book's version gives arrays."""
    pairs = [(it.returned, trial.right.returned) for trial, it, _ in attempt.everyday if not trial.right.error]
    listed = all(isinstance(mine, list) and isinstance(right, np.ndarray) for mine, right in pairs)
    return " It gives a list where that gives an array: np.array makes one of it." if pairs and listed else ""


def _mistakes_of_parts(answer, name):
    """List the mistakes of functions that the book's uses, unless an answer calls these and is spared their work."""
    known = getattr(answer, "__globals__", {})
    called = [known.get(it) for it in getattr(getattr(answer, "__code__", None), "co_names", ())]
    return tuple(it for part, it in _parts(name) if not any(part is other for other in called))


@functools.cache
def _parts(name):
    """List the mistakes of functions of the same module that a function uses, each with the function."""
    checks, known = _find(name), _beside(name)
    parts = [known[it] for it in definitions(checks.function) if it in known and it != name]
    found = [(part.function, it) for part in parts for it in part.mistakes]
    return [(part, it) for part, it in found if part.__module__ == checks.function.__module__ and _fits(checks, it)]


def _fits(checks, mistake):
    try:
        return not callable(mistake.edit) and bool(version_of(checks, mistake))
    except ValueError:
        return False


def _in_double(answer):
    """Take a number of any precision: it was computed somewhere, and only its digits are asked for."""
    array = numbers(answer)
    return answer if array is None or array.dtype.kind != "f" else array.astype(float)[()]


def _of_a_number(report):
    """Judge a number without showing the right one, which would be the end of the exercise."""
    if report.verdict == "right":
        return Report(report.name, "right", "That is right.")
    says = "That is not it, and no mistake that is known explains it." if _UNEXPLAINED in report.says else report.says
    return Report(report.name, "wrong", says)


def _counterexample(title, trial, found, unlike):
    write = trial.checks.written or written_call
    call = "\n".join([*_handed_over(trial.case), _with_comment(write(title, trial.case), trial.case.says)])
    if trial.right.error or found.error or trial.unlike_value(found.value, trial.right.value):
        expected, came = compared(found.value, trial.right.value, trial.unlike_value)
        expected = _raised(trial.right.error) if trial.right.error else expected
        came = _raised(found.error) if found.error else came
        if found.unfit and not trial.right.error:
            expected, came = compared(found.returned, trial.right.returned, trial.unlike_value)
        elif found.unfit:
            came = written(found.returned)
        same = "\n".join(it.partition("   at ")[0] for it in expected.splitlines()) == came
        said = f"\n({unlike})" if "\n" in came else f"   ({unlike})"
        return Counterexample(call, expected, f"{came}{said}" if same else came, found.printed)
    name = trial.changed(found)
    expected, came = compared(found.left[name], trial.right.left[name])
    return Counterexample(call, f"{name} = {expected} after the call", f"{name} = {came}", found.printed)


def _handed_over(case):
    """Write the short functions of a bank down that a call hands over: a reader finds them nowhere else."""
    given = (*case.arguments, *case.named.values())
    given = (it for value in given for it in (value if isinstance(value, list | tuple) else [value]))
    for it in dict.fromkeys(filter(inspect.isfunction, given)):
        source = source_of(it) if it.__module__.startswith(f"{__name__}.") and it.__name__.isidentifier() else None
        if source is None or it.__code__.co_freevars or "<lambda>" != it.__code__.co_name != it.__name__:
            continue
        [node] = source.tree.body
        if isinstance(node, ast.Assign):  # a lambda, which the bank gave a name
            node = ast.FunctionDef(it.__name__, node.value.args, [ast.Return(node.value.body)], [], lineno=1)
        body = node.body[ast.get_docstring(node) is not None :]
        names = {part.id for statement in body for part in ast.walk(statement) if isinstance(part, ast.Name)}
        if len(body) <= _SHORT and not any(name.startswith("_") for name in names):  # these stand in the bank
            yield ast.unparse(ast.FunctionDef(it.__name__, node.args, body, [], lineno=1))


def _raised(error):
    if isinstance(error, TooLong):
        return str(error)
    return "\n".join(textwrap.wrap(said_of(error), _WIDTH - len("expected  ")))


def _with_comment(call, says):
    """Say behind a call what is special about it, or above it where the line would get too long."""
    *_, last = call.splitlines()
    if len(last) + len(says) <= _WIDTH:
        return f"{call}   # {says}" if says else call
    return "\n".join([*textwrap.wrap(says, _WIDTH, initial_indent="# ", subsequent_indent="# "), call])


def _others(attempt):
    """Say which calls fail besides the first."""
    first, *failed = (trial.case for trial, _, _ in attempt.failed)
    failed = [case for case in failed if not case.edge]
    special = list(dict.fromkeys(case.says for case in failed if case.says not in ("", first.says)))
    count = f"{len(failed) + 1} of the {len(attempt.everyday)} calls that the exercise asks for fail"
    if len(special) > _NAMED:
        more = len(special) - _NAMED
        special[_NAMED:] = [f"and {more} other{'s' * (more > 1)}"]
    return f"{count}: also {'; '.join(special)}." if special else f"{count}." if failed else ""


def _takes(answer, case, checks):
    """Tell whether an answer has the options that a case hands over: an exercise may ask for fewer than ours has."""
    own, ours = parameters_of(answer), parameters_of(checks.function)
    takes_any = not own or any(it.kind is it.VAR_KEYWORD for it in own.values())
    return takes_any or own.keys() >= case.named.keys() & ours.keys()


def _is_empty(answer):
    """Tell whether an exercise has not been begun: every body of it is `...`, or raises NotImplementedError."""
    if answer is None or answer is ...:
        return True
    source = source_of(answer) if callable(answer) else None
    if source is None:
        return False
    bodies = [node.body for node in ast.walk(source.tree) if isinstance(node, ast.FunctionDef)]
    return bool(bodies) and all(_says_nothing(it) for body in bodies for it in body)


def _says_nothing(statement):
    is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    is_open = isinstance(statement, ast.Raise) and "NotImplementedError" in ast.unparse(statement)
    return is_text or is_open or isinstance(statement, ast.Pass)
