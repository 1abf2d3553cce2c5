"""Find out why an answer is wrong: the known mistake that behaves the same, or the one change that would mend it."""

import ast
import builtins
import copy
import difflib
import functools
import inspect
import itertools
import math
import os
import re
import sys
import time
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from mlnotes.diagnosis.brakes import (
    TooLong,
    alarm,
    braked,
    branches,
    holds_itself,
    limited_memory,
    limited_powers,
    parts_of,
    stoppable,
)
from mlnotes.diagnosis.experiments import turning_point
from mlnotes.diagnosis.rewrites import ADDITIONS, FORMS, HINTS, RULES, rewrites
from mlnotes.diagnosis.source import definitions, edited, parameters_of, run_definition, source_of, unguarded
from mlnotes.diagnosis.trials import Outcome, ReturnedError, close, complaint_of_bank, entries, numbers, quiet, said

# How much to try for a repair: units of about a microsecond on the machine where they were fitted to the time that 300
# searches took. They are counted and not timed, so that an answer gets the same report on every machine.
EFFORT = 400_000
_A_CHANGE, _ITS_NODES, _A_CALL, _ITS_TURNS = 13, 0.64, 120, 0.23
# After so many seconds of the processor a search is given up all the same: on a machine that is far slower.
SECONDS = float(os.environ.get("MLNOTES_CHECK_SECONDS", 3))
_WIDER = "Besides, the dtype of the result is wider than is asked for."
FURTHER = 400  # changes that are tried after one that mends all, for others like it


@dataclass(frozen=True)
class Attempt:
    """A reader's version and what it did in each trial.

    Parameters
    ----------
    function : callable
        The version.
    trials : tuple of Trial
        The calls that were made.
    found : tuple of Outcome
        What came of each.
    unlike : tuple of str
        How that differs from the right one, after all calls; "" where it does not.
    at_once : tuple of str
        How it differed before the next call.
    before : dict
        Names that calls may set, outside of the version or on it, with their values before the first call.
    """

    function: object
    trials: tuple
    found: tuple
    unlike: tuple
    at_once: tuple
    before: dict = field(default_factory=dict)

    @classmethod
    def of(cls, function, trials):
        """Try a version, up to the first call that does not end."""
        before = _state_of(function)
        found, at_once, (version, restart) = [], [], stoppable(function)
        with quiet():
            for trial in trials:
                restart()
                try:
                    with alarm():  # only here: changed versions have brakes, which are cheaper
                        outcome = trial.outcome(version)
                except TooLong as late:  # it rang between the end of the call and its own
                    outcome = Outcome(error=late)
                found.append(outcome)
                at_once.append(trial.unlike(outcome))
                if isinstance(found[-1].error, TooLong):
                    break
            made = tuple(trials[: len(found)])
            unlike = tuple(trial.unlike(it) for trial, it in zip(made, found, strict=True))
        return cls(function, made, tuple(found), unlike, tuple(at_once), before)

    @functools.cached_property
    def everyday(self):
        """The trials that decide, those that failed first: a wrong guess is refuted by the first call."""
        order = sorted(range(len(self.trials)), key=lambda i: not self.unlike[i])
        return [(self.trials[i], self.found[i], self.unlike[i]) for i in order if not self.trials[i].case.edge]

    @functools.cached_property
    def failing_arrays(self):
        """The trials that decide and fail, with both arrays; none at all where one is no array of the right shape."""
        failed = [(trial, found) for trial, found, unlike in self.everyday if unlike]
        arrays = [(trial, numbers(found.value), numbers(trial.right.value)) for trial, found in failed]
        if any(found.error for _, found in failed) or any(it is None for both in arrays for it in both):
            return []
        return arrays if all(mine.shape == right.shape for _, mine, right in arrays) else []

    @property
    def failed(self):
        """The trials that failed: the smallest call first, edges last."""
        return [(t, f, u) for t, f, u in zip(self.trials, self.found, self.unlike, strict=True) if u]

    @property
    def endless(self):
        """The trial that decides and did not end, or None."""
        return next((it for it in self.everyday if isinstance(it[1].error, TooLong)), None)

    def but_for_the_endless(self):
        """Leave out the call that did not end, if another one failed that an exercise asks for."""
        if not self.endless or not any(self.unlike[i] and not it.case.edge for i, it in enumerate(self.trials[:-1])):
            return self
        kept = {name: getattr(self, name)[:-1] for name in ("trials", "found", "unlike", "at_once")}
        return replace(self, **kept)

    def behaves_like(self, version, wider=False, kinds=False):
        """Tell whether another version does the same in all trials that decide, if `wider` but for wider dtypes.

        If `kinds`, accidents may differ in their words, unless it does nothing else.
        """
        kinds &= any(unlike and not found.error for _, found, unlike in self.everyday)
        return all(trial.same(found, trial.outcome(version), wider, kinds) for trial, found, _ in self.everyday)


def cause_of(attempt, checks, others=()):
    """Explain a wrong answer, as surely as it can be explained.

    Parameters
    ----------
    attempt : Attempt
        The answer, with at least one failure.
    checks : Checks
        What is known about the function.
    others : sequence of Mistake
        Mistakes of what it uses, as edits.

    Returns
    -------
    str
        A sentence, or "" where nothing explains all failures.
    """
    until = time.process_time() + SECONDS
    if attempt.endless:
        return loop_without_end(attempt)  # to call it again would take as long again
    with quiet():
        cause = (
            _missing_name(attempt)
            or _no_result(attempt)
            or _writes_into_results(attempt)
            or _remembers(attempt)
            or _gives_something_else(attempt)
            or _known(attempt, checks, checks.mistakes)
            or _parts_in_another_order(attempt)
            or _of_anyone(attempt, checks)
            or _known(attempt, checks, others)
            or _told_by_the_bank(attempt)
            or _difference_quotient(attempt)
            or _repair_or_two_at_once(attempt, checks, until)
            or _known_in_part(attempt, checks)
            or _known_mostly(attempt, checks)
            or _form(attempt)
            or _missing_parts(attempt)
            or _shuffled(attempt)
        )
        return cause or " ".join(filter(None, (_trace(attempt, checks, until), _hint(attempt, checks))))


def _trace(attempt, checks, until):
    """Say where it fails, or when, if nothing says why."""
    return (
        _lets_through(attempt)
        or _never_read(attempt, checks)
        or _line_that_raised(attempt)
        or _line_that_warned(attempt)
        or _line_that_leaves(attempt, checks)
        or _one_number_throughout(attempt)
        or _what_fails(attempt, checks)
        or turning_point(attempt, checks, until)
        or _right_to_some_digits(attempt)
        or _part_that_is_wrong(attempt)
    )


def _lets_through(attempt):
    """Find that only refusals are missing, of a class, where a part of the result says whether there was one."""
    says = []
    for trial, found, unlike in attempt.everyday:
        if not unlike:
            continue
        mine, right = entries(found.value) or {}, entries(trial.right.value) or {}
        refusals = {name: it for name, it in right.items() if isinstance(it, str) and it.endswith("Error")}
        if not refusals or any(mine.get(name, it) == it for name, it in refusals.items()):
            return ""
        says.append(trial.case.says)
    return f"It accepts what must be refused: {', and '.join(says)}." if 1 <= len(says) <= 3 else ""


def _never_read(attempt, checks):
    """Find an argument that has to be handed over and that the source does not use, though it should."""
    source = source_of(attempt.function)
    node = source.tree.body[0] if source else None
    if not isinstance(node, ast.FunctionDef) or any(found.error for _, found, unlike in attempt.everyday if unlike):
        return ""
    required = [it.arg for it in node.args.args[: len(node.args.args) - len(node.args.defaults)]]
    read = {it.id for it in ast.walk(node) if isinstance(it, ast.Name) and isinstance(it.ctx, ast.Load)}
    unused = [it for it in required if it not in (*read, *checks.spare) and not it.startswith("_")]
    return f"`{unused[0]}` makes no difference: the right result depends on it." if len(unused) == 1 else ""


def _hint(attempt, checks):
    """Take what the bank says of all calls that fail, or of a part of the result that is wrong alike in all."""
    failed = [(trial, found) for trial, found, unlike in attempt.everyday if unlike]
    hints = {trial.case.hint for trial, _ in failed}
    if len(hints) == 1 and hints != {""}:
        return hints.pop()
    given = [it for it in failed if not it[1].error]
    parts = [(entries(found.value) or {}, entries(trial.right.value) or {}) for trial, found in given]
    for (name, value), says in checks.signs.items() if not failed[0][1].error else ():
        if all(mine.get(name) is value is not right.get(name) for mine, right in parts):
            return says
    return ""


def _missing_name(attempt):
    """Find that all that fails stops at one name that means nothing there."""
    source, errors = source_of(attempt.function), [found.error for _, found, unlike in attempt.everyday if unlike]
    names = {it.name if type(it) is NameError else None for it in errors}
    inside = _lines_of(errors[0], source) if source and errors and names != {None} else []
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


def _no_result(attempt):
    """Find that all that fails gives what no result is made of: nothing, or something that would have to be run."""
    failed = [(trial.right, found) for trial, found, unlike in attempt.everyday if unlike]
    if all(isinstance(found.error, ReturnedError) for _, found in failed):
        return "It returns an error where it should raise one: `raise` in place of `return`."
    if all(isinstance(found.error, SystemExit) for _, found in failed):
        remedy = "return the result" if any(right.error is None for right, _ in failed) else "raise an error"
        return f"It ends the whole program, as sys.exit() does: {remedy} instead."
    if any(right.error or found.error for right, found in failed):
        return ""
    values = [found.value for _, found in failed]
    collected = [list(it.values()) if isinstance(it, dict) else [it] for it in values]  # by `run`, say
    if all(it is None for it in values):
        return "The calls that fail return nothing: let every way through it end with `return` and the result."
    if all(any(isinstance(it, Iterator) for it in parts) for parts in collected):
        return "It returns what has computed nothing yet: make a list or an array of it first."
    if all(map(inspect.isroutine, values)):
        return "It returns a function and not what the function gives: call it, with parentheses."
    methods = {name for it in values for name, part in (entries(it) or {}).items() if inspect.ismethod(part)}
    if all(any(inspect.ismethod(part) for part in parts) for parts in collected):
        which = " and ".join(f"`{it}`" for it in sorted(map(str, methods)))
        return f"{which} should be read without parentheses: write @property above the method."
    return ""


def _told_by_the_bank(attempt):
    """Take the words in which a bank complains of all results that fail."""
    says = [complaint_of_bank(found.error) for _, found, unlike in attempt.failed]
    text = says[0] if all(says) else ""
    return f"{text[0].upper()}{text[1:]}." if text else ""


def _writes_into_results(attempt):
    """Find that all that fails was right when it came: later calls write into the same array."""
    calls = zip(attempt.trials, attempt.at_once, attempt.unlike, strict=True)
    if any(before for trial, before, after in calls if after and not trial.case.edge):
        return ""
    return "A result changes with later calls: make a new array in each call, and return that."


def _gives_something_else(attempt):
    """Find an answer that gives other numbers when the call that is shown is made once more."""
    shown, found, _ = attempt.failed[0]
    once = copy.deepcopy(numbers(found.value))  # it may be what the next call writes into
    again = numbers(shown.outcome(attempt.function).value)
    if once is None or again is None or np.array_equal(once, again, equal_nan=once.dtype.kind in "fc"):
        return ""
    return "Called again with the same, it gives something else: it remembers earlier calls, or draws at random."


_KEEPING = (dict, list, set)  # what is empty at first, and then filled by calls


def _state_of(function):
    """Copy what calls of a function may set: names that it declares to be of elsewhere, and attributes of its own."""
    source = source_of(function)
    if source is None:
        return {}
    declared = {name for it in ast.walk(source.tree) if isinstance(it, ast.Global) for name in it.names}
    state = {it: source.namespace[it] for it in declared if it in source.namespace}
    own = vars(function) if inspect.isfunction(function) else {}
    try:
        return copy.deepcopy({"names": state, "own": {} if "__wrapped__" in own else own})
    except Exception:  # a module, or whatever else refuses
        return {}


def _remembers(attempt):
    """Find an answer that keeps something from call to call: the call that is shown comes out right as the first."""
    source, (shown, *_) = source_of(attempt.function), attempt.failed[0]
    if source is None:
        return ""
    named = {it.id for it in ast.walk(source.tree) if isinstance(it, ast.Name)}
    kept = {it: type(value)() for it, value in source.namespace.items() if it in named and type(value) in _KEEPING}
    declared, own = (attempt.before.get(it, {}) for it in ("names", "own"))
    if not kept and not declared and not own and not any(map(_may_remember, ast.walk(source.tree))):
        return ""
    try:
        names = source.namespace | kept | copy.deepcopy(declared)
        version = run_definition(compile(source.tree, "<anew>", "exec"), source.name, names)
        if own:
            vars(version).update(copy.deepcopy(own))
    except Exception:  # it needs names that were known only where it was defined
        return ""
    if shown.unlike(shown.outcome(version)):
        return ""
    names = [*kept, *declared, *(f"{source.name}.{it}" for it in own)]
    place = " or ".join(f"`{it}`" for it in names) or "a default or in a class"
    return f"It remembers earlier calls, in {place}: as the first call, the one shown comes out right."


def _may_remember(node):
    """Tell what is made once, with the definition, and may be changed by calls."""
    made = (*node.args.defaults, *node.args.kw_defaults) if isinstance(node, ast.FunctionDef) else ()
    if isinstance(node, ast.ClassDef):
        made = [it.value for it in node.body if isinstance(it, ast.Assign)]
    return any(isinstance(it, ast.List | ast.Dict | ast.Set | ast.Call) for it in made)


# Known mistakes: edits of the right source.


def _known(attempt, checks, mistakes):
    for mistake in mistakes:
        if attempt.behaves_like(version := version_of(checks, mistake), wider=True, kinds=True):
            return told(mistake) + ("" if attempt.behaves_like(version, kinds=True) else f" {_WIDER}")
    return ""


def _known_in_part(attempt, checks):
    """Find the one mistake that makes all numbers wrong, where some calls fail without giving any."""
    failed = [(trial, found, _without_numbers(trial, found)) for trial, found, unlike in attempt.everyday if unlike]
    others = dict.fromkeys(kind for *_, kind in failed if kind)
    if failed[0][2] or not others or len(failed) - sum(bool(kind) for *_, kind in failed) < 2:
        return ""
    decided = [(trial, found) for trial, found, _ in attempt.everyday if not _without_numbers(trial, found)]
    says = set()
    for mistake in checks.mistakes:
        version = version_of(checks, mistake)
        if all(trial.same(found, trial.outcome(version), wider=True) for trial, found in decided):
            says.add(told(mistake))
    says = says or set(filter(None, [_relation_in(decided)]))
    if len(says) != 1:  # a wrong name is worse than none
        return ""
    return f"{says.pop()} That explains the wrong numbers; calls that {' or '.join(others)} may have another cause."


def _known_mostly(attempt, checks):
    """Find the one known mistake that explains most of what fails, and does the same wherever the answer is right."""
    everyday = [(trial, found, bool(unlike)) for trial, found, unlike in attempt.everyday]
    right = [(trial, found) for trial, found, fails in everyday if not fails]
    failed = [(trial, found) for trial, found, fails in everyday if fails]
    says = {}
    for mistake in checks.mistakes if len(failed) > 3 else ():
        version = version_of(checks, mistake)

        def alike(trial, found, version=version):
            return trial.same(found, trial.outcome(version), wider=True)

        # The first call that fails is the one that is shown.
        if alike(*failed[0]) and all(alike(*it) for it in right):
            explained = sum(alike(*it) for it in failed)
            if 3 * explained >= 2 * len(failed):
                says[told(mistake)] = max(explained, says.get(told(mistake), 0))
    if len(says) != 1:  # a wrong name is worse than none
        return ""
    [(cause, explained)] = says.items()
    return f"{cause} That explains {explained} of the {len(failed)} calls that fail."


def _without_numbers(trial, found):
    """Say what keeps a failing call from being compared number by number, or ""."""
    if found.error:
        return "" if not trial.unlike(found) else f"raise {type(found.error).__name__}"
    if trial.right.error:
        return "should raise an error"
    mine, right = entries(found.value), entries(trial.right.value)
    pairs = [(found.value, trial.right.value)]
    if right is not None:
        pairs = [((mine or {}).get(name), it) for name, it in right.items()]
    pairs = [(numbers(one), numbers(other)) for one, other in pairs]
    if any((one is None) != (other is None) or (one is not None and one.shape != other.shape) for one, other in pairs):
        return "give another shape"
    return "give nan or infinity" if _is_lost(found.value, trial.right.value) else ""


def told(mistake):
    """Put a mistake into words.

    Parameters
    ----------
    mistake : Mistake
        A known mistake.

    Returns
    -------
    str
        A sentence: what can be seen, and what to do instead.
    """
    return f"{mistake.symptom}: {mistake.remedy}."


def version_of(checks, *mistakes):
    """Make the wrong version that a mistake, or several at once, give.

    Parameters
    ----------
    checks : Checks
        The function's.
    *mistakes : Mistake
        Known mistakes.

    Returns
    -------
    callable
        The wrong version.

    Raises
    ------
    ValueError
        If the edits do not fit the source, or each other.
    """
    if callable(mistakes[0].edit):
        if len(mistakes) > 1:
            raise ValueError("a whole wrong version goes with no other")
        return mistakes[0].edit
    if any(callable(it.edit) for it in mistakes):
        raise ValueError("a whole wrong version goes with no other")
    return edited(checks.function, tuple(edit for it in mistakes for edit in it.edits()))


# Mistakes that everyone makes, with any function.


def _of_anyone(attempt, checks):
    # Versions that only raise are alike too easily, and so are those that give one number throughout.
    gives_values = any(unlike and not found.error for _, found, unlike in attempt.everyday)
    arrays = [x for _, found, _ in attempt.everyday if (x := numbers(found.value)) is not None]
    one_number = bool(arrays) and len(np.unique(np.concatenate([x.ravel() for x in arrays]))) == 1
    for says, version in changed_calls(checks) if gives_values and not one_number else ():
        if attempt.behaves_like(version):
            return says
    return (
        _default(attempt, checks)
        or _overwritten(attempt)
        or _left_by_a_refusal(attempt)
        or _dtype(attempt)
        or _in_fewer_bits(attempt)
        or _relation(attempt)
    )


def changed_calls(checks):
    """Call the right function in the wrong way: an argument ignored, one in place of another, two exchanged.

    Parameters
    ----------
    checks : Checks
        The function's.

    Yields
    ------
    says : str
        What is wrong.
    version : callable
        The right function, called so.
    """
    signature = parameters_of(checks.function)
    names = [name for name, it in signature.items() if it.kind in (it.POSITIONAL_ONLY, it.POSITIONAL_OR_KEYWORD)]
    for name, it in signature.items():
        if it.default is not it.empty:
            says = f"`{name}` makes no difference: use it where it is given."
            for function in dict.fromkeys((checks.function, unguarded(checks.function))):
                yield says, _calling(function, names, {name: None})
        if isinstance(it.default, bool):
            yield says, _calling(functools.partial(checks.function, **{name: not it.default}), names, {name: None})
    for name, other in itertools.combinations(names, 2):
        both = {name: other, other: name}
        yield f"`{name}` and `{other}` are taken for each other.", _calling(checks.function, names, both)
    for name, other in itertools.permutations(names, 2):
        says = f"`{other}` stands where `{name}` belongs: `{name}` itself is never used."
        yield says, _calling(checks.function, names, {name: other})
    options = [name for name, it in signature.items() if it.default is not it.empty]
    pairs = list(itertools.combinations(options, 2))
    for several in [*pairs, tuple(options)] if len(options) > 2 else pairs:
        says = f"{' and '.join(f'`{name}`' for name in several)} make no difference: use them where they are given."
        yield says, _calling(checks.function, names, dict.fromkeys(several))


def _calling(function, names, exchange):
    """Call a function with some arguments replaced by others, or left out."""

    def version(*arguments, **named):
        given = dict(zip(names, arguments, strict=False)) | named
        changed = {name: given[other] if other else None for name, other in exchange.items() if other in (*given, None)}
        left_out = {name for name, value in exchange.items() if value is None}
        if len(changed) < len(exchange) or len(arguments) > len(names):
            raise TypeError("these arguments cannot be exchanged")
        return function(**{name: value for name, value in (given | changed).items() if name not in left_out})

    return version


def _default(attempt, checks):
    """Find a default that is another than the one asked for, and nothing else wrong."""
    own, ours = parameters_of(attempt.function), parameters_of(checks.function)
    for name in (it for it in ours if it in own):
        its, asked = own[name].default, ours[name].default
        if inspect.Parameter.empty in (its, asked) or said(repr, its) == repr(asked):
            continue
        if attempt.behaves_like(_with_default(checks.function, name, its)):
            its, asked = (getattr(it, "__name__", said(repr, it)) for it in (its, asked))
            return f"Where `{name}` is not given, it is {its}, and should be {asked}."
    return ""


def _with_default(function, name, value):
    signature = inspect.signature(function)

    def version(*arguments, **named):
        return function(**({name: value} | signature.bind(*arguments, **named).arguments))

    return version


def _overwritten(attempt):
    """Find an argument that is left as it should not be, by an answer that is otherwise right."""
    changed, asked = set(), False
    for trial, found, unlike in attempt.everyday:
        if not unlike:
            continue
        if found.error or trial.right.error or trial.unlike_value(found.value, trial.right.value):
            return ""
        changed.add(trial.changed(found))
        asked |= trial.right_changes
    names = " and ".join(f"`{name}`" for name in sorted(changed))
    if asked:
        remedy = "are not left as they should be" if len(changed) > 1 else "is not left as it should be"
    else:
        has, copy = ("have", "copies") if len(changed) > 1 else ("has", "a copy")
        remedy = f"{has} changed after the call: write into {copy}"
    return f"The result is right, but {names} {remedy}." if changed else ""


def _left_by_a_refusal(attempt):
    """Find that only what a refusal leaves behind is wrong: some of what was refused was taken up before."""
    changed = {}
    for trial, found, unlike in attempt.everyday:
        if not unlike:
            continue
        mine, right = entries(found.value), entries(trial.right.value)
        refusals = [name for name, it in (right or {}).items() if isinstance(it, str) and it.endswith("Error")]
        if not refusals or mine is None or [*mine] != [*right] or any(mine[it] != right[it] for it in refusals):
            return ""
        changed |= {name: None for name in right if trial.unlike_value(mine[name], right[name])}
    names = " and ".join(f"`{name}`" for name in changed if name != "len" or len(changed) == 1)
    return f"What is refused changes {names} all the same: check all of it before anything is changed." if names else ""


def _dtype(attempt):
    """Recognize numbers that are right but for their dtype."""
    pairs = set()
    for trial, mine, right in attempt.failing_arrays:
        if right.dtype == mine.dtype:
            return ""
        with np.errstate(all="ignore"):
            rounded = mine.astype(right.dtype) if right.dtype.kind == "b" else mine.astype(np.result_type(mine, right))
        limit = max(np.finfo(it.dtype).eps if it.dtype.kind in "fc" else 0.0 for it in (right, mine))
        # A case with an error of its own is about digits that fewer bits do not have.
        about_digits = trial.case.tolerance is not None or trial.case.absolute is not None
        as_right = np.allclose(rounded, right, rtol=8 * limit, atol=8 * limit, equal_nan=True) and not about_digits
        if not as_right and not close(mine, right, trial):
            return ""
        pairs.add((str(mine.dtype), str(right.dtype)))
    says = "; ".join(f"{mine} where {right} is right" for mine, right in sorted(pairs))
    return f"The numbers are right, but their dtype is not: {says}." if pairs else ""


# A few roundings on the way may grow, as in the sine of an angle of some thousands.
_DIGITS_OF = {"float32": ("seven", 1e-3), "float16": ("three", 1e-2)}


def _in_fewer_bits(attempt):
    """Recognize numbers that are right to the digits of the narrower dtype that they come in."""
    dtypes = {str(mine.dtype) if right.dtype == np.float64 else "" for _, mine, right in attempt.failing_arrays}
    dtype = dtypes.pop() if len(dtypes) == 1 else ""
    digits, error = _DIGITS_OF.get(dtype, ("", 0.0))
    for _, mine, right in attempt.failing_arrays:
        if not np.allclose(mine, right, rtol=error, atol=error * np.max(np.abs(right), initial=0.0), equal_nan=True):
            return ""
    return f"It computes in {dtype}, which has {digits} digits, where float64 is asked for." if digits else ""


def _difference_quotient(attempt):
    """Recognize a slope that is right to some digits, because it is a difference divided by a small step."""
    source = source_of(attempt.function)
    if source is None or not any(map(_is_difference_quotient, ast.walk(source.tree))):
        return ""
    if "differences" in (attempt.trials[0].checks.function.__doc__ or ""):  # which are what is asked for
        return ""
    for trial, found, _ in attempt.everyday:
        right, mine = numbers(trial.right.value), numbers(found.value)
        if found.error or right is None or mine is None or right.shape != mine.shape:
            return ""
        if not np.allclose(mine, right, rtol=1e-4, atol=1e-4 * np.max(np.abs(right), initial=0.0)):
            return ""
    return "It is right to some digits, not to all; differences lose digits: derive."


def _is_difference_quotient(node):
    """Tell (f(x + h) - f(x - h)) / (2 * h), whatever it is a difference of: both sides are alike but for the step."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Div):
        return False
    above, below = node.left, node.right
    if not isinstance(above, ast.BinOp) or not isinstance(above.op, ast.Sub):
        return False
    names = {it.id for it in ast.walk(below) if isinstance(it, ast.Name)}
    with_step = {it.id for it in ast.walk(above.left) if isinstance(it, ast.Name)}
    called, other = (
        {ast.dump(it.func) for it in ast.walk(side) if isinstance(it, ast.Call)} for side in (above.left, above.right)
    )
    return bool(called and called == other and names & with_step)


def _relation(attempt):
    """Recognize a result that is made of the right one in every trial."""
    return _relation_in([(trial, found) for trial, found, _ in attempt.everyday])


def _relation_in(tried):
    """Recognize results that are made of the right ones, in the trials that are handed over."""
    decided = [(trial, found) for trial, found in tried if not trial.right.error]
    if not decided or any(found.error for _, found in decided):
        return ""
    parts = entries(decided[0][0].right.value)
    if parts is None:
        return _relation_of([(t, numbers(f.value), numbers(t.right.value), t.case) for t, f in decided], "The result")
    return _relation_of_parts(decided, parts)


def _relation_of_parts(decided, parts):
    rows = []
    for trial, found in decided:
        mine, right = entries(found.value), entries(trial.right.value)
        if mine is None or right is None or len(mine) != len(right) or len(right) != len(parts):
            return ""
        rows.append((trial, list(mine.values()), list(right.values())))
    wrong = {k for trial, mine, right in rows for k in range(len(parts)) if trial.unlike_value(mine[k], right[k])}
    if len(wrong) != 1:
        return ""
    [k] = wrong
    columns = [(trial, numbers(mine[k]), numbers(right[k]), trial.case) for trial, mine, right in rows]
    name = [*parts][k]
    return _relation_of(columns, f"Part {k + 1} of the result" if isinstance(name, int) else f"`{name}`")


def _relation_of(rows, subject):
    """Find what turns the right numbers into those that came: for every call the same."""
    if any(mine is None or right is None for _, mine, right, _ in rows):
        return ""
    rows = [(t, mine, right.astype(float) if right.dtype.kind in "iu" else right, it) for t, mine, right, it in rows]
    truth = all(right.dtype.kind == "b" for _, _, right, _ in rows)  # no logarithm, no root
    none_is_left = not any(np.any(mine > 0) for _, mine, _, _ in rows if mine.dtype.kind == "f")
    for says, relation in _RELATIONS.items():
        if none_is_left and says.endswith("cut off"):  # zeros have many causes
            continue
        if not (truth and says in _OF_NUMBERS) and _holds(rows, relation):
            return f"{subject} {says}."
    return _factor(rows, subject) or _offset(rows, subject)


def _holds(rows, relation):
    told_apart = False
    for trial, mine, right, _ in rows:
        try:
            changed = np.asarray(relation(right))
        except Exception:  # a transpose of a number, an axis that is not there
            return False
        if changed.dtype.kind not in "biufc" or changed.shape != mine.shape or not close(mine, changed, trial):
            return False
        finite = np.isfinite(changed).any()  # not the root of a negative number
        told_apart |= finite and (right.shape != changed.shape or not close(changed, right, trial))
    return told_apart


def _form(attempt):
    """Recognize numbers that are right but for their shape, or for what is returned besides."""
    rows = [(it, found) for it, found, unlike in attempt.everyday if unlike or not it.right.error]  # but due refusals
    if any(found.error or trial.right.error for trial, found in rows):
        return ""
    decided = [(trial, found.value, trial.right.value) for trial, found in rows]
    parts = [(trial, entries(mine), entries(right)) for trial, mine, right in decided]
    if all(mine is not None for _, mine, _ in parts) and _begins_right(decided, parts):
        return "It returns more than is asked for: what comes first is right."
    if any((mine is None) != (right is None) or len(mine or ()) != len(right or ()) for _, mine, right in parts):
        return ""
    pairs = [(it, mine, right) for (it, *_), (_, mine, right) in zip(decided, parts, strict=True) if right is not None]
    decided = [it for it, (*_, right) in zip(decided, parts, strict=True) if right is None]
    decided += [(it, x, y) for it, mine, right in pairs for x, y in zip(mine.values(), right.values(), strict=True)]
    shapes = [_other_shape(*it) for it in decided]
    if None in shapes:
        return ""
    if not any(shapes):
        in_dictionary = any(isinstance(found.value, dict) for _, found, _ in attempt.everyday)
        return "The parts are right, but in a dictionary: return them in their order." if in_dictionary else ""
    return f"The numbers are right, but their shape is not: {next(filter(None, shapes))}."


def _missing_parts(attempt):
    """Recognize a result that is right as far as it goes, and lacks parts."""
    missing = {}
    for trial, found, unlike in attempt.everyday:
        mine, right = entries(found.value), entries(trial.right.value)
        if not unlike:
            continue
        if not mine or not right or len(mine) >= len(right) or not right.keys() >= mine.keys():
            return ""
        if any(trial.unlike_value(it, right[name]) for name, it in mine.items()):
            return ""
        names = (it for it in right if it not in mine)
        missing |= dict.fromkeys(f"part {it + 1}" if isinstance(it, int) else f"`{it}`" for it in names)
    return f"The result is right as far as it goes, and lacks {' and '.join(missing)}." if missing else ""


def _parts_in_another_order(attempt):
    """Find that the parts of a result are right, and come in another order."""
    mine = [it.returned for _, it, unlike in attempt.everyday if unlike]
    right = [it.right.returned for it, *_ in attempt.everyday if isinstance(it.right.returned, tuple)]
    counts = {len(it) if isinstance(it, tuple | list) else 0 for it in mine}
    if len(counts) != 1 or counts - {2, 3, 4} or not counts <= set(map(len, right)):
        return ""
    for order in itertools.islice(itertools.permutations(range(*counts)), 1, None):

        def ordered(*arguments, order=order, **named):
            parts = attempt.function(*arguments, **named)
            fit = isinstance(parts, tuple | list) and len(parts) == len(order)
            return tuple(parts[i] for i in order) if fit else parts

        if not any(trial.unlike(trial.outcome(ordered)) for trial, *_ in attempt.everyday):
            *front, last = (str(i + 1) for i in order)
            remedy = f"return your parts {', '.join(front)} and {last}, in this order"
            return f"The parts are right, but in another order: {remedy if front[1:] else 'they have changed places'}."
    return ""


def _shuffled(attempt):
    """Recognize numbers that are right, each at another place."""
    named = _unlike_parts(attempt)
    if not named:
        return ""
    pairs = [(trial, numbers(mine), numbers(right)) for rows in named.values() for trial, mine, right in rows]
    for trial, mine, right in pairs:
        if mine is None or right is None or mine.shape != right.shape or "c" in (mine.dtype.kind, right.dtype.kind):
            return ""
        if not close(np.sort(mine, axis=None), np.sort(right, axis=None), trial):
            return ""
    if all(right.dtype == bool for _, _, right in pairs):
        return "It is True as often as is right, but elsewhere."
    if all(np.isin(right, (0, 1)).all() for _, _, right in pairs):  # are in another order by chance
        return ""
    whose = "The" if None in named else " and ".join(f"`{it}`'s" for it in named)
    if None in named and all(_is_turned(*it) for it in pairs):
        return "Wherever it fails, the result is transposed."
    return f"{whose} numbers are right, but in another order."


def _is_turned(trial, mine, right):
    return mine.ndim > 1 and mine.mT.shape == right.shape and close(mine.mT, right, trial)


def _unlike_parts(attempt):
    """Collect what is not right, in the calls that fail: by the name of the part, None for a result without parts.

    Nothing comes back where parts have no names, or other names than the right ones.
    """
    named = {}
    for trial, found, unlike in attempt.everyday:
        mine, right = entries(found.value), entries(trial.right.value)
        if not unlike:
            continue
        if mine is None and right is None:
            mine, right = {None: found.value}, {None: trial.right.value}
        elif not right or mine is None or [*mine] != [*right] or not all(isinstance(it, str) for it in right):
            return {}
        for name in right:
            if trial.unlike_value(mine[name], right[name]):
                named.setdefault(name, []).append((trial, mine[name], right[name]))
    return named


def _begins_right(decided, parts):
    """Tell whether the first part is right where no parts are asked for, and else the first of several."""
    firsts = []
    for (trial, _, value), (_, mine, right) in zip(decided, parts, strict=True):
        asked = [value] if right is None else [*right.values()]
        firsts.append((len(asked), len(mine), trial, zip(mine.values(), asked, strict=False)))
    return any(n < m for n, m, *_ in firsts) and all(
        n <= m and not any(trial.unlike_value(*it) for it in pairs) for n, m, trial, pairs in firsts
    )


def _other_shape(trial, mine, right):
    """Say which shape numbers have, and which is right; "" where nothing is wrong, None where the numbers differ."""
    if not trial.unlike_value(mine, right):
        return ""
    mine, right = numbers(mine), numbers(right)
    if mine is None or right is None or mine.size != right.size or mine.shape == right.shape:
        return None
    same = close(mine.reshape(right.shape), right, trial)
    return f"{mine.shape} where {right.shape} is right" if same else None


_RELATIONS = {
    "has the opposite sign": lambda right: -right,
    "is True where it should be False, and the other way round": np.invert,
    "is transposed": lambda right: np.swapaxes(right, -1, -2),
    "is the right one from back to front": lambda right: right[..., ::-1],
    "is the right one from last to first, along the first axis": lambda right: right[::-1],
    "is the inverse, 1/x, of the right one": lambda right: 1 / right,
    "is the square root of the right one": lambda right: np.sqrt(right),
    "is the square of the right one": lambda right: right**2,
    "is the logarithm of the right one": lambda right: np.log(right),
    "is the exponential of the right one": lambda right: np.exp(right),
    "is what the right one leaves of 1": lambda right: 1 - right,
    "is the right one without its sign": lambda right: np.abs(right),
    "is the right one with negative numbers cut off": lambda right: np.maximum(right, 0),
    "is rounded to whole numbers": lambda right: np.round(right),
    "has its last axis in front": lambda right: np.moveaxis(right, -1, 0),
    "has its first axis at the end": lambda right: np.moveaxis(right, 0, -1),
    "has the right numbers, with an axis of size 1 too many at the end": lambda right: right[..., None],
    "has the right numbers, with an axis of size 1 too many in front": lambda right: right[None],
    "has the right numbers, without the axis of size 1 that belongs there": np.squeeze,
    "has the right numbers, but all in one row": np.ravel,
    "is summed over its last axis, which should stay": lambda right: right.sum(-1),
    "is averaged over its last axis, which should stay": lambda right: right.mean(-1),
    "is summed over its first axis, which should stay": lambda right: right.sum(0),
}

# Relations that mean nothing where the right result is true or false.
_ARITHMETIC = re.compile("sign|of the right one$|leaves of 1|cut off|rounded|summed|averaged")
_OF_NUMBERS = [it for it in _RELATIONS if _ARITHMETIC.search(it)]

_FACTORS = {
    2: "twice the right one",
    0.5: "half of the right one",
    3: "three times the right one",
    1 / 3: "a third of the right one",
    4: "four times the right one",
    0.25: "a quarter of the right one",
    math.log2(math.e): "1.4427 = 1/log 2 times the right one: the logarithm has base 2 in place of e",
    math.log(2): "log 2 = 0.6931 times the right one: the logarithm has base e in place of 2",
    math.log10(math.e): "0.4343 times the right one: the logarithm has base 10 in place of e",
    180 / math.pi: "57.30 = 180/π times the right one: degrees in place of radians",
    math.pi / 180: "π/180 times the right one: radians in place of degrees",
    math.sqrt(2): "√2 times the right one",
    math.sqrt(0.5): "1/√2 times the right one",
    math.pi: "π times the right one",
    2 * math.pi: "2π times the right one",
    1000: "1000 times the right one",
    1024: "1024 times the right one",
    0.001: "a thousandth of the right one",
    8: "8 times the right one",
    0.125: "an eighth of the right one",
}


def _factor(rows, subject):
    ratios = [_constant(mine, right, np.divide) for _, mine, right, _ in rows]
    if any(it is None for it in ratios) or all(it in (1.0, "any") for it in ratios):
        return ""
    known = [it for it in ratios if it != "any"]
    for value, says in _FACTORS.items():
        if np.allclose(known, value, rtol=1e-6):
            return f"{subject} is {says}."
    return _factor_by_size(rows, ratios, subject)


def _factor_by_size(rows, ratios, subject):
    """Find a size of the arguments that the result is multiplied or divided by."""
    known = [it for it in ratios if it != "any"]
    if np.allclose(known, known[0], rtol=1e-6):  # of a size that never changes, nothing could be told
        return ""
    for name, axis in _sizes(rows[0][3], rows[0][0].right.left):
        sizes = [_size_of(trial.right.left.get(name), axis) for trial, *_ in rows]
        if any(size is None for size in sizes):
            continue
        label = f"the number of entries of `{name}`" if axis is None else f"`{name}`.shape[{axis}]"
        for power, word in ((1, ""), (0.5, "the root of ")):
            for sign, verb in ((1, "multiplied"), (-1, "divided")):
                expected = [size ** (power * sign) for size in sizes]
                if all(it == "any" or np.isclose(it, e, rtol=1e-6) for it, e in zip(ratios, expected, strict=True)):
                    return f"{subject} is {verb} by {word}{label} once too often."
    return ""


def _sizes(case, left):
    for name, value in left.items():
        for axis in (None, *range(-np.ndim(value), 0)) if isinstance(value, np.ndarray) else ():
            yield name, axis


def _size_of(value, axis):
    if not isinstance(value, np.ndarray) or (axis is not None and value.ndim < -axis):
        return None
    return value.size if axis is None else value.shape[axis]


def _offset(rows, subject):
    differences = [_constant(mine, right, np.subtract) for _, mine, right, _ in rows]
    known = {round(it, 9) for it in differences if it not in (None, "any")}
    if any(it is None for it in differences) or len(known) != 1 or "any" in differences or len(rows) < 2:
        return ""
    [value] = known
    return f"{subject} is too {'large' if value > 0 else 'small'} by {abs(value):.6g}, every time." if value else ""


def _constant(mine, right, operation):
    """Return the one number by which two arrays differ; "any" where they cannot tell, None where there is none."""
    if mine.shape != right.shape or mine.dtype.kind == "b" or right.dtype.kind == "b" or mine.dtype.kind == "c":
        return None
    finite = np.isfinite(right)
    if not np.array_equal(mine[~finite], right[~finite], equal_nan=True):
        return None
    mine, right = mine[finite].astype(float), right[finite].astype(float)
    if operation is np.divide:
        largest = np.max(np.abs(right), initial=0.0)
        if np.any(np.abs(mine[np.abs(right) <= 1e-12 * largest]) > 1e-9 * max(largest, 1e-300)):
            return None
        kept = np.abs(right) > 1e-12 * largest
        mine, right = mine[kept], right[kept]
    if right.size == 0:
        return "any"
    values = operation(mine, right)
    return float(values.flat[0]) if np.allclose(values, values.flat[0], rtol=1e-7, atol=1e-12) else None


# One change of the reader's own source.

# Kinds of changes that may well let a line raise.
_DECISIONS = ("caught", "comparison", "condition", "exception", "extra", "missing", "opposite", "statement")


def _repair(attempt, checks, until):
    """Change one place of the answer after another, until all calls come out right."""
    answer, *helpers = parts_of(attempt.function).values() or [source_of(attempt.function)]
    if answer is None:
        return ""
    never_given = _never_given(attempt, checks)
    for source in (answer, *helpers):
        caller, refusing = None if source is answer else answer, _refusing_lines(attempt, source)
        for only in [refusing, ()] if refusing else [()]:
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
        *_, at = [0, *(_lines_of(found.error, source) if found.error and not trial.right.error else ())]
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
    if helper:
        return f"`{helper[1]}` writes into an argument that is still needed as it was: write into a copy."
    several = isinstance(line, tuple)
    here = dict.fromkeys(line) if several else [line]
    change = f"the same change in {len(line)} places" if several else "one change there"
    elsewhere = [f" or in {_quoted(source, it, of)}," for it in others if isinstance(it, int) and it not in here]
    lines = ", and ".join(_quoted(source, it, of) for it in here)
    return f"L{lines[1:]}: {HINTS[kind]}. With {change},{''.join(elsewhere)} all calls come out right."


def _quoted(source, line, of=""):
    return f"line {line}{of}, `{source.lines[line - 1].strip()}`"


# Two mistakes at once.


def _repair_or_two_at_once(attempt, checks, until):
    """Prefer one change to two mistakes, which are found sooner."""
    two = _two_at_once(attempt, checks, until)
    return _repair(attempt, checks, until) or two


def _two_at_once(attempt, checks, until):
    simple = [mistake for mistake in checks.mistakes if not callable(mistake.edit)]
    for pair in itertools.combinations(simple, 2):
        if time.process_time() > until:
            return ""
        try:
            version = version_of(checks, *pair)
        except (ValueError, SyntaxError):
            continue
        if attempt.behaves_like(version):
            return f"Two things at once. {told(pair[0])} And: {told(pair[1])}"
    return ""


# Where nothing explains all failures: the line that raised or overflowed, or what the failures have in common.


def _line_that_raised(attempt):
    source = source_of(attempt.function)
    for _, found, _ in attempt.failed[:1]:
        if not found.error or source is None:
            return ""
        inside = _lines_of(found.error, source)
        if inside:
            line = source.lines[inside[-1] - 1].strip()
            does = "refuses what should be answered" if line.split()[0] == "raise" else "is where it fails"
            return f"Line {inside[-1]}, `{line}`, {does}."
    return ""


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
    inside = _lines_of(attempt.endless[1].error, source) if source else []
    loops = [it for it in ast.walk(source.tree) if isinstance(it, ast.For | ast.While)] if inside else []
    around = [it for it in loops if it.lineno <= inside[-1] <= it.end_lineno]
    if not around:
        return f"{says}."
    line = max(around, key=lambda it: (isinstance(it, ast.While), it.lineno)).lineno
    return f"{says}: stopped, it was in the loop of line {line}, `{source.lines[line - 1].strip()}`."


def _lines_of(error, source):
    """List the lines of a source in which an error was on its way, counted from the first one, 1."""
    frames = [it for it in traceback.extract_tb(error.__traceback__) if it.filename == source.file]
    lines = [it.lineno - source.first + 1 for it in frames]
    return [line for line in lines if 0 < line <= len(source.lines)]


def _line_that_warned(attempt):
    """Run the failing calls again, and listen to NumPy's warnings."""
    source = source_of(attempt.function)
    if source is None:
        return ""
    failed = [(trial, found) for trial, found, unlike in attempt.everyday if unlike]
    lost = [trial for trial, found in failed if _is_lost(found.value, trial.right.value)]
    if not lost or lost[0] is not failed[0][0]:  # the call that is shown fails for another reason
        return ""
    heard = []
    for trial in lost:
        with warnings.catch_warnings(record=True) as caught, np.errstate(all="warn"):
            warnings.simplefilter("always")
            trial.outcome(attempt.function)
        for it in sorted(caught, key=lambda it: (it.filename, it.lineno)):
            line = it.lineno - source.first
            if it.filename == source.file and 0 <= line < len(source.lines):
                heard.append((said(str, it.message).replace(" encountered", "").replace(" scalar", ""), line))
    if not heard:
        return ""
    # An underflow is next to nothing beside an overflow.
    what, line = min(heard, key=lambda it: "underflow" in it[0])
    says = f"{_IN_OUR_WORDS[what]} (NumPy: {what})" if what in _IN_OUR_WORDS else what
    return f"Line {line + 1}, `{source.lines[line].strip()}`: {says}."


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


def _is_lost(mine, right):
    """Tell whether nan or infinity stands where the right result, or a part of it, has none, or the reverse."""
    parts, theirs = entries(right), entries(mine)
    if parts and theirs and len(parts) == len(theirs):
        return any(map(_is_lost, theirs.values(), parts.values()))
    mine, right = numbers(mine), numbers(right)
    if mine is None or right is None or mine.shape != right.shape or mine.dtype.kind not in "fc":
        return False
    return not np.array_equal(np.isfinite(mine), np.isfinite(right))


def _line_that_leaves(attempt, checks):
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


def _what_fails(attempt, checks):
    """Find an argument that all failing calls hand over, and no other call."""
    unlike = [bool(it) for *_, it in attempt.everyday]
    if all(unlike):
        return ""
    for name, given in _options_given(attempt, checks).items():
        if given == unlike:
            return f"It is right wherever `{name}` is left out, and wrong wherever it is given."
    return ""


def _one_number_throughout(attempt):
    """Tell that several calls give the same number, and no other, where different ones are right."""
    found = [numbers(it.value) for _, it, _ in attempt.everyday]
    if len(found) < 2 or any(it is None or it.dtype.kind not in "biuf" for it in found):
        return ""
    given = {it.item() for x in found for it in np.unique(x)}
    right = [numbers(trial.right.value) for trial, *_ in attempt.everyday]
    if len(given) != 1 or all(x is not None and (x == it).all() for it in given for x in right):
        return ""
    [value] = given
    return f"The result is {f'{value + 0.0:.5g}' if isinstance(value, float) else value} throughout."


def _right_to_some_digits(attempt):
    """Tell that what fails differs in later digits alone: a small number too many, a long step, a lower precision."""
    if any(unlike and trial.changed(found) for trial, found, unlike in attempt.everyday):
        return ""
    worst = 0.0
    for _, mine, right in attempt.failing_arrays:
        if mine.dtype.kind not in "fc":
            return ""
        largest = np.max(np.abs(right), initial=0.0)
        if not 0 < largest < np.inf or not np.isfinite(mine).all():
            return ""
        worst = max(worst, np.max(np.abs(mine - right)) / largest)
    digits = math.floor(-math.log10(worst)) if worst else 0
    return f"Wherever it fails, its first {digits} digits are right, and later ones are not." if digits >= 3 else ""


def _part_that_is_wrong(attempt):
    """Tell the parts of the result that are right in every call from those that are not."""
    decided = [(trial, entries(found.value), entries(trial.right.value)) for trial, found, _ in attempt.everyday]
    keys = list(decided[0][2] or ())
    if any(mine is None or right is None or not keys == [*mine] == [*right] for _, mine, right in decided):
        return ""
    wrong = {key for key in keys for trial, mine, right in decided if trial.unlike_value(mine[key], right[key])}
    right = [key for key in keys if key not in wrong]
    if not right:
        return ""
    subject, verb = _these(right)
    others, negative = _these([key for key in keys if key in wrong])
    return f"{subject[0].upper()}{subject[1:]} {verb} right in every call, {others} {negative} not."


def _these(keys):
    *names, last = [f"`{it}`" if isinstance(it, str) else str(it + 1) for it in keys]
    several = f"{', '.join(names)} and {last}" if names else last
    kind = "" if isinstance(keys[0], str) else "parts " if names else "part "
    return f"{kind}{several}", "are" if names else "is"


def _never_given(attempt, checks):
    """List the options that no call hands over: None in their place would do for anything."""
    return {name for name, given in _options_given(attempt, checks).items() if not any(given)}


def _options_given(attempt, checks):
    options = {name: it.default for name, it in parameters_of(checks.function).items() if it.default is not it.empty}
    return {
        name: [_is_given(trial.right, name, default) for trial, *_ in attempt.everyday]
        for name, default in options.items()
    }


def _is_given(outcome: Outcome, name, default):
    value = outcome.left.get(name, default)
    return isinstance(value, np.ndarray) or (value is not default and value != default)
