"""Explain an answer by the one change of its own source that mends all calls: look for it, and point at its line."""

import ast
import copy
import re
import sys
import time
import traceback

import numpy as np

from mlnotes.diagnosis.brakes import braked, branches, holds_itself, limited_memory, limited_powers, parts_of
from mlnotes.diagnosis.habits import lets_through
from mlnotes.diagnosis.lines import lines_of
from mlnotes.diagnosis.rewrites import ADDITIONS, FORMS, HINTS, RULES, first_write, rewrites
from mlnotes.diagnosis.source import parameters_of, source_of
from mlnotes.diagnosis.trials import Outcome

# How much to try for a repair: units of about a microsecond on the machine where they were fitted to the time that 300
# searches took. They are counted and not timed, so that an answer gets the same report on every machine.
EFFORT = 420_000
_A_CHANGE, _ITS_NODES, _A_CALL, _ITS_TURNS = 13, 0.64, 120, 0.23
FURTHER = 400  # changes that are tried after one that mends all, for others like it

# What reads or writes memory as numbers say: with others, it may end the reader's kernel.
_UNSAFE = re.compile(r"\b(as_strided|ctypes|from_address|sparse_\w+_tensor|empty_strided)\b")

# Kinds of changes that may well let a line raise.
_DECISIONS = ("caught", "comparison", "condition", "exception", "extra", "missing", "opposite", "statement")


def repair(attempt, checks, until):
    """Change one place of the answer after another, until all calls come out right."""
    answer, *helpers = parts_of(attempt.function).values() or [source_of(attempt.function)]
    if answer is None or any(_UNSAFE.search("\n".join(it.lines)) for it in (answer, *helpers)):
        return ""
    never_given = _never_given(attempt, checks)
    for source in (answer, *helpers):
        caller, refusing = None if source is answer else answer, _refusing_lines(attempt, source)
        for only in [refusing, ()] if refusing else [()]:
            if time.process_time() > until:
                return ""
            with limited_memory():
                kind, lines = _places(attempt, source, until, never_given, caller, only)
            if lines:
                return _pointed_at(source, kind, lines, "" if source is answer else f" of `{source.name}`")
    return ""


def _refusing_lines(attempt, source):
    """List the lines where all that fails is refused, where it should be answered, with those of the conditions."""
    lines = set()
    for trial, found, unlike in attempt.everyday:
        if not unlike:
            continue
        *_, at = [0, *(lines_of(found.error, source) if found.error and not trial.right.error else ())]
        deciding = [it.test for it in ast.walk(source.tree) if isinstance(it, ast.If) and _raises_at(it, at)]
        if not deciding:
            return set()
        lines |= {at, *(line for it in deciding for line in range(it.lineno, it.end_lineno + 1))}
    return lines


def _raises_at(condition, line):
    return any(isinstance(it, ast.Raise) and it.lineno <= line <= it.end_lineno for it in condition.body)


def _places(attempt, source, until, never_given=(), caller=None, only=()):
    """Find the line where one change mends all, and others where one of the same kind does: each may be the slip."""
    held, first, lines = braked(source, [trial for trial, _, _ in attempt.everyday], caller), "", []
    if held is None:
        return first, lines
    tree, tick = held.tree, held.brake
    own = _uses(tree, never_given)
    # What is missing where nothing but a refusal is missing is no factor and no sign: those would break it by chance.
    only_refusals = all(trial.right.error for trial, _, unlike in attempt.everyday if unlike)
    decisions_alone = bool(lets_through(attempt))  # of a class, where nothing tells an error made from one raised
    rules = RULES if only_refusals else (*FORMS, *RULES, *ADDITIONS)
    effort, more, original = EFFORT, FURTHER, copy.deepcopy(tree)
    a_change = _A_CHANGE + _ITS_NODES * sum(1 for _ in ast.walk(source.tree))
    costs = [_A_CALL + _ITS_TURNS * it for it in held.turns]

    def wanted(node):
        return not hasattr(node, "brake") and (not only or node.lineno in only)

    for kind, line in rewrites(tree, rules, wanted):
        effort -= a_change
        more -= bool(lines)
        if effort < 0 or time.process_time() > until or not more:
            break
        nodes = branches(tree)
        if decisions_alone and kind not in _DECISIONS:
            continue
        if holds_itself(nodes) or _uses(tree, never_given) > own or (lines and (kind != first or line in lines)):
            continue
        try:
            with limited_powers(nodes):
                version = held.make(compile(tree, "<changed>", "exec"))
        except Exception:  # not every change is a program
            continue
        calls = _calls_to_the_first_that_fails(attempt, version, tick)
        effort -= sum(costs[:calls])
        if calls <= len(costs) or _idle_lines(attempt, source, version, held, line):
            continue
        before, after = (_outcomes(attempt, held, it, line) for it in (original, tree))
        if len(before) == len(after) and any(True in b - a for a, b in zip(after, before, strict=True)):
            continue
        if not _breaks(attempt, source, version, tick, kind, line):
            first = kind
            lines.append(line)
    return first, lines


def _uses(tree, names):
    return sum(isinstance(it, ast.Name) and it.id in names for it in ast.walk(tree)) if names else 0


def _calls_to_the_first_that_fails(attempt, version, tick):
    """Count the calls that are needed to refute a changed version: one more than there are where none fails."""
    for i, (trial, _, _) in enumerate(attempt.everyday):
        tick.reset()
        if trial.unlike(trial.outcome(version)):
            return i + 1
    return len(attempt.everyday) + 1


def _breaks(attempt, source, version, tick, kind, line):
    """Tell whether a change makes its own line fail by chance where a refusal was missing: that mends nothing."""
    if any(isinstance(it, ast.Raise | ast.Assert) and it.lineno == line for it in ast.walk(source.tree)):
        return False
    for trial, found, _ in attempt.everyday:
        if trial.right.error is None or found.error is not None:
            continue
        tick.reset()
        error = trial.outcome(version).error
        frames = traceback.extract_tb(error.__traceback__)
        own = [it for it in frames if it.filename == "<changed>"]
        misused = isinstance(error, AttributeError | NameError | TypeError)
        if own and own[-1].lineno == line and (misused or (kind not in _DECISIONS and own[-1] is frames[-1])):
            return True
    return False


def _idle_lines(attempt, source, version, held, changed):
    """Find lines that the answer runs and its changed version never: the change went round the slip and mended nothing.

    Only the changed line, and lines that raise, may be too many.
    """
    simple = [node for node in ast.walk(source.tree) if isinstance(node, ast.stmt) and not hasattr(node, "body")]
    begins = {line: node.lineno for node in simple for line in range(node.lineno, node.end_lineno + 1)}
    raising = {node.lineno for node in simple if isinstance(node, ast.Raise | ast.Assert)}
    run = [{begins.get(it, it) for it in _lines_run(attempt, it, held.brake)} for it in (held.version, version)]
    return run[0] - run[1] - raising - {begins.get(changed, changed)}


def _outcomes(attempt, held, tree, line):
    """Collect the outcomes of each condition on a line: one that is never met any more was switched off, not mended."""
    noting = copy.deepcopy(tree)
    deciding = [it for it in ast.walk(noting) if isinstance(it, ast.If | ast.IfExp) and it.lineno == line]
    seen = [set() for _ in deciding]

    def note(place, value):
        seen[place].add(bool(value))
        return value

    for i, it in enumerate(deciding):
        it.test = ast.Call(ast.Name("_mlnotes_note", ast.Load()), [ast.Constant(i), it.test], [])
    if deciding:
        program = compile(ast.fix_missing_locations(noting), "<noting>", "exec")
        version = held.make(program, _mlnotes_note=note)
        for trial, _, _ in attempt.everyday:
            held.brake.reset()
            trial.outcome(version)
    return seen


def _lines_run(attempt, version, tick):
    """Collect the lines of a changed program that run in any of the trials."""
    seen, before = set(), sys.gettrace()

    def trace(frame, event, _):
        if frame.f_code.co_filename != "<changed>":
            return None
        if event == "line":
            seen.add(frame.f_lineno)
        return trace

    sys.settrace(trace)
    try:
        for trial, _, _ in attempt.everyday:
            tick.reset()
            trial.outcome(version)
    finally:
        sys.settrace(before)
    return seen


def _pointed_at(source, kind, found, of=""):
    line, *others = found
    helper = kind == "in place" and isinstance(line, int) and re.match(r"\s*def (\w+)", source.lines[line - 1])
    if helper and not _writes(source, line):
        return f"What `{helper[1]}` keeps or hands out is changed later: let it copy, or make a new array there."
    if helper:
        return f"`{helper[1]}` writes into an argument that is still needed as it was: write into a copy."
    several = isinstance(line, tuple)
    here = dict.fromkeys(line) if several else [line]
    change = f"the same change in {len(line)} places" if several else "one change there"
    others = [it for it in others if isinstance(it, int) and it not in here and not _begins(source, it)]
    elsewhere = [f" or in {_quoted(source, it, of)}," for it in others]
    lines = ", and ".join(_quoted(source, it, of) for it in here)
    return f"L{lines[1:]}: {HINTS[kind]}. With {change},{''.join(elsewhere)} all calls come out right."


def _writes(source, line):
    """Tell whether a function that begins in a line writes into one of its arguments."""
    [it] = (it for it in ast.walk(source.tree) if isinstance(it, ast.FunctionDef) and it.lineno == line)
    if any(isinstance(node, ast.keyword) and node.arg == "out" for node in ast.walk(it)):
        return True
    return any(first_write(it, argument.arg) != line for argument in it.args.args)


def _begins(source, line):
    return re.match(r"\s*def ", source.lines[line - 1]) is not None


def _quoted(source, line, of=""):
    return f"line {line}{of}, `{source.lines[line - 1].strip()}`"


def _never_given(attempt, checks):
    """List the options that no call hands over: None in their place would do for anything."""
    return {name for name, given in options_given(attempt, checks).items() if not any(given)}


def options_given(attempt, checks):
    """Tell for each option of the function in which trials that decide it takes a value of its own."""
    options = {name: it.default for name, it in parameters_of(checks.function).items() if it.default is not it.empty}
    return {
        name: [_is_given(trial.right, name, default) for trial, *_ in attempt.everyday]
        for name, default in options.items()
    }


def _is_given(outcome: Outcome, name, default):
    value = outcome.left.get(name, default)
    return isinstance(value, np.ndarray) or (value is not default and value != default)
