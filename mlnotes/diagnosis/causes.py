"""Find out why an answer is wrong: the known mistake that behaves the same, or the one change that would mend it."""

import math
import os
import time

import numpy as np

from mlnotes.diagnosis.experiments import turning_point
from mlnotes.diagnosis.forms import form, missing_parts, parts_in_another_order, shuffled
from mlnotes.diagnosis.habits import (
    always_true,
    another_exception,
    another_name,
    difference_quotient,
    gives_something_else,
    lets_through,
    never_read,
    no_result,
    of_anyone,
    overwrites_mostly,
    place_for_value,
    remembers,
    writes_into_results,
)
from mlnotes.diagnosis.known import hint, known_in_part, known_mistake, known_mostly, told_by_the_bank, two_at_once
from mlnotes.diagnosis.lines import (
    asks_an_array,
    line_that_leaves,
    line_that_raised,
    line_that_warned,
    loop_without_end,
    missing_name,
)
from mlnotes.diagnosis.repairs import options_given, repair
from mlnotes.diagnosis.trials import entries, numbers, quiet

# After so many seconds of the processor a search is given up all the same: on a machine that is far slower.
SECONDS = float(os.environ.get("MLNOTES_CHECK_SECONDS", 3))


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
            missing_name(attempt)
            or always_true(attempt)
            or place_for_value(attempt)
            or another_name(attempt, checks)
            or no_result(attempt)
            or writes_into_results(attempt)
            or remembers(attempt)
            or gives_something_else(attempt)
            or known_mistake(attempt, checks, checks.mistakes)
            or parts_in_another_order(attempt)
            or of_anyone(attempt, checks)
            or known_mistake(attempt, checks, others)
            or told_by_the_bank(attempt)
            or asks_an_array(attempt)
            or difference_quotient(attempt)
            or _repair_or_two_at_once(attempt, checks, until)
            or known_in_part(attempt, checks)
            or known_mostly(attempt, checks)
            or form(attempt)
            or missing_parts(attempt)
            or shuffled(attempt)
        )
        return cause or " ".join(filter(None, (_trace(attempt, checks, until), hint(attempt, checks))))


def _trace(attempt, checks, until):
    """Say where it fails, or when, if nothing says why."""
    return (
        lets_through(attempt)
        or overwrites_mostly(attempt)
        or another_exception(attempt)
        or never_read(attempt, checks)
        or line_that_raised(attempt)
        or line_that_warned(attempt)
        or line_that_leaves(attempt, checks)
        or _one_number_throughout(attempt)
        or _what_fails(attempt, checks)
        or (turning_point(attempt, checks, until) if attempt.seconds <= SECONDS else "")
        or _right_to_some_digits(attempt)
        or _part_that_is_wrong(attempt)
    )


def _repair_or_two_at_once(attempt, checks, until):
    """Prefer one change to two mistakes, which are found sooner."""
    if attempt.seconds > SECONDS:  # each changed version would be called as often
        return ""
    two = two_at_once(attempt, checks, until)
    return repair(attempt, checks, until) or two


def _what_fails(attempt, checks):
    """Find an argument that all failing calls hand over, and no other call."""
    unlike = [bool(it) for *_, it in attempt.everyday]
    if all(unlike):
        return ""
    for name, given in options_given(attempt, checks).items():
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
