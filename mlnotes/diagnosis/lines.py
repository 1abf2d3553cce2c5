"""Explain an answer by the line that fails, warns, leaves the right track, or never ends."""

import ast
import builtins
import copy
import difflib
import inspect
import sys
import traceback
import warnings

import numpy as np

from mlnotes.diagnosis.report import Warned
from mlnotes.diagnosis.source import definitions, parameters_of, run_definition, source_of
from mlnotes.diagnosis.trials import close, entries, numbers, said


def missing_name(attempt):
    """Find that all that fails stops at one name that means nothing there."""
    source, errors = source_of(attempt.function), [found.error for _, found, unlike in attempt.everyday if unlike]
    names = {it.name if type(it) is NameError else None for it in errors}
    inside = lines_of(errors[0], source) if source and errors and names != {None} else []
    if len(names) != 1 or not inside:
        return ""
    [name], own = names, {it.id for it in ast.walk(source.tree) if isinstance(it, ast.Name) and it.id not in names}
    own |= {it.arg for it in ast.walk(source.tree) if isinstance(it, ast.arg)}
    alike = difflib.get_close_matches(name, own, 1, cutoff=0.7)
    alike = alike or difflib.get_close_matches(name, dir(builtins), 1, cutoff=0.8)
    owners = {it.value.id for it in ast.walk(source.tree) if isinstance(it, ast.Attribute) and hasattr(it.value, "id")}
    remedy = f"is `{alike[0]}` meant?" if alike else "import or define it first."
    if name == "np" or (name in owners and name in sys.stdlib_module_names):  # `token` alone is no module
        remedy = f"`import {'numpy as np' if name == 'np' else name}` first."
    return f"Line {inside[-1]}, `{source.lines[inside[-1] - 1].strip()}`: `{name}` is not known here: {remedy}"


def asks_an_array(attempt):
    """Find that all that fails stops at one condition that asks whether an array is true."""
    source, errors = source_of(attempt.function), [found.error for _, found, unlike in attempt.everyday if unlike]
    if source is None or not all(isinstance(it, ValueError) and "truth value of a" in said(str, it) for it in errors):
        return ""
    lines = {number for it in errors for number in lines_of(it, source)[-1:]}
    if len(lines) != 1:
        return ""
    [number] = lines
    here = [it for it in ast.walk(source.tree) if getattr(it, "lineno", None) == number]
    tests = [part for it in here if isinstance(it, ast.If | ast.IfExp | ast.BoolOp) for part in _asked_in(it)]
    optional = {name for name, it in parameters_of(attempt.function).items() if it.default is None}
    asked = [(name, rest) for name, rest in map(_compared_with_none, tests) if name in optional]
    compares = {it.func.id for it in here if isinstance(it, ast.Call) and isinstance(it.func, ast.Name)}
    compares &= {"max", "min", "sorted"}
    remedy = "ask for any() or all() of them, or do without the question"
    if asked:
        remedy = f"ask `{' '.join(asked[0])}`"
    elif compares:
        it = compares.pop()
        remedy = f"Python's `{it}` compares whole rows: take `np.{it.removesuffix('ed')}`, with an axis"
    return f"Line {number}, `{source.lines[number - 1].strip()}`: several numbers are neither true nor false: {remedy}."


def _asked_in(node):
    return node.values if isinstance(node, ast.BoolOp) else [node.test]


def _compared_with_none(test):
    """Say of which name ``b``, ``not b``, ``b == None`` and ``b != None`` ask whether it is None, or is not."""
    rest = "is not None"
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, rest = test.operand, "is None"
    elif isinstance(test, ast.Compare) and getattr(test.comparators[0], "value", ...) is None:
        test, rest = test.left, "is None" if isinstance(test.ops[0], ast.Eq) else rest
    return getattr(test, "id", ""), rest


def line_that_raised(attempt):
    """Point at the line of the answer in which the first failing call was stopped by an error."""
    source = source_of(attempt.function)
    failed = [found for _, found, unlike in attempt.everyday if unlike]
    stops = [lines_of(it.error, source)[-1:] if it.error and source else [] for it in failed]
    if not stops or not stops[0]:
        return ""
    [number] = stops[0]
    line = source.lines[number - 1].strip()
    does = "refuses what should be answered" if line.split()[0] == "raise" else "is where it fails"
    return f"Line {number}, `{line}`, {does}.{_so_many(stops.count([number]), len(failed))}"


def _so_many(count, total):
    """Say that what was found is not what makes every failing call fail."""
    return "" if count == total else f" That is so in {count} of the {total} calls that fail."


def loop_without_end(attempt):
    """Say in which loop a call was when it was stopped: of loops within loops the last ``while``.

    Parameters
    ----------
    attempt : Attempt
        An answer whose last call did not end.

    Returns
    -------
    str
        A sentence.
    """
    source, says = source_of(attempt.function), "It takes too long, if it ends at all"
    inside = lines_of(attempt.endless[1].error, source) if source else []
    loops = [it for it in ast.walk(source.tree) if isinstance(it, ast.For | ast.While)] if inside else []
    around = [it for it in loops if it.lineno <= inside[-1] <= it.end_lineno]
    if not around:
        return f"{says}."
    line = max(around, key=lambda it: (isinstance(it, ast.While), it.lineno)).lineno
    return f"{says}: stopped, it was in the loop of line {line}, `{source.lines[line - 1].strip()}`."


def lines_of(error, source):
    """List the lines of a source in which an error was on its way, counted from the first one, 1."""
    frames = [it for it in traceback.extract_tb(error.__traceback__) if it.filename == source.file]
    lines = [it.lineno - source.first + 1 for it in frames]
    return [line for line in lines if 0 < line <= len(source.lines)]


def line_that_warned(attempt):
    """Run the failing calls again, and listen to NumPy's warnings, if a bank has not kept them."""
    source = source_of(attempt.function)
    if source is None:
        return ""
    failed = [(trial, found) for trial, found, unlike in attempt.everyday if unlike]
    lost = [it for it in failed if _kept(it[1]) or is_lost(it[1].value, it[0].right.value)]
    if not lost or lost[0] is not failed[0]:  # the call that is shown fails for another reason
        return ""
    heard = []
    for trial, found in lost:
        with warnings.catch_warnings(record=True) as caught, np.errstate(all="warn"):
            warnings.simplefilter("always")
            _ = _kept(found) or trial.outcome(attempt.function)
        for it in sorted(_kept(found) or caught, key=lambda it: (it.filename, it.lineno)):
            line = it.lineno - source.first
            if it.filename == source.file and 0 <= line < len(source.lines):
                heard.append((said(str, it.message).replace(" encountered", "").replace(" scalar", ""), line))
    if not heard:
        return ""
    # An underflow is next to nothing beside an overflow.
    what, line = min(heard, key=lambda it: "underflow" in it[0])
    says = f"{_IN_OUR_WORDS[what]} (NumPy: {what})" if what in _IN_OUR_WORDS else what
    return f"Line {line + 1}, `{source.lines[line].strip()}`: {says}.{_so_many(len(lost), len(failed))}"


def _kept(found):
    return found.value.warnings if isinstance(found.value, Warned) else []


_IN_OUR_WORDS = {
    "divide by zero in log": "the logarithm of 0 is minus infinity",
    "divide by zero in divide": "a number is divided by 0",
    "divide by zero in power": "0 is raised to a negative power",
    "invalid value in divide": "0 is divided by 0, or infinity by infinity, which is no number",
    "invalid value in subtract": "infinity less infinity is no number",
    "invalid value in multiply": "0 times infinity is no number",
    "invalid value in log": "a negative number has no logarithm",
    "invalid value in sqrt": "a negative number has no root",
    "overflow in exp": "exp of a large number is infinite in floats",
}


def is_lost(mine, right):
    """Tell whether nan or infinity stands where the right result, or a part of it, has none, or the reverse."""
    parts, theirs = entries(right), entries(mine)
    if parts and theirs and len(parts) == len(theirs):
        return any(map(is_lost, theirs.values(), parts.values()))
    mine, right = numbers(mine), numbers(right)
    if mine is None or right is None or mine.shape != right.shape or mine.dtype.kind not in "fc":
        return False
    return not np.array_equal(np.isfinite(mine), np.isfinite(right))


def line_that_leaves(attempt, checks):
    """Find that all lines but the last compute what the book's version computes on its way, too."""
    source = source_of(attempt.function)
    if source is None or any(map(_hides_numbers, ast.walk(source.tree))):
        return ""
    ours = ast.parse("\n\n".join(definitions(checks.function).values()))
    version, known = _watched(ours, checks.function.__name__, vars(inspect.getmodule(checks.function)))
    answer, own = _watched(source.tree, source.name, source.namespace)
    ends, told_apart = set(), False
    for trial, found, unlike in attempt.everyday:
        if unlike and not found.error:
            if trial.changed(found):  # what a line does to an argument is no number that it computes
                return ""
            known.clear(), own.clear()
            trial.outcome(version), trial.outcome(answer)
            *before, (last, _) = own or [(0, None)]
            if not before or not all(any(_alike(value, it, trial) for _, it in known) for _, value in before):
                return ""
            ends.add(last)
            told_apart |= not all(_is_anything(value) for _, value in before)
    if not 1 <= len(ends) <= 2 or not told_apart:
        return ""
    lines = [f"line {it}, `{source.lines[it - 1].strip()}`" for it in sorted(ends)]
    before = "this line" if len(lines) == 1 else "these lines"
    return f"L{', and '.join(lines)[1:]}: before {before}, its numbers are also the book's."


def _hides_numbers(node):
    """Recognize what computes otherwise than by giving names to values: a loop, a write into an array or an object."""
    writes = isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store)
    return writes or isinstance(node, ast.For | ast.While | ast.comprehension | ast.ClassDef)


def _watched(tree, name, namespace):
    """Make a version that notes what each of its lines computes."""
    tree, seen = copy.deepcopy(tree), []
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AugAssign | ast.Return) and node.value is not None:
            note = ast.Call(ast.Name("_mlnotes_note", ast.Load()), [ast.Constant(node.lineno), node.value], [])
            node.value = ast.fix_missing_locations(ast.copy_location(note, node.value))

    def note(line, value):
        seen.append((line, value))
        return value

    return run_definition(tree, name, namespace | {"_mlnotes_note": note}), seen


def _alike(value, other, trial):
    """Compare two values on the way, whatever their shapes."""
    value, other = numbers(value), numbers(other)
    if value is None or other is None or value.size != other.size:
        return False
    return value.dtype.kind != "b" and other.dtype.kind != "b" and close(value.ravel(), other.ravel(), trial)


def _is_anything(value):
    """Recognize values that agree by chance: no numbers, or only 0, 1 and -1."""
    array = numbers(value)
    return array is None or bool(np.isin(array, (-1, 0, 1)).all())
