"""Make the calls that fail again with one thing changed: if all come out right, the mistake has to do with it."""

import inspect
import time
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from mlnotes.diagnosis.brakes import braked
from mlnotes.diagnosis.source import parameters_of, source_of
from mlnotes.diagnosis.trials import entries, names_of, numbers, trial_of

_LEFT_OUT = object()


@dataclass(frozen=True)
class Change:
    """What can be changed of a call.

    Parameters
    ----------
    says : str
        The change, in words that fit every call.
    here : str
        The same in words for this one.
    case : Case
        The call that it leaves.
    ordinary : bool
        Whether most calls could be changed so.
    of : str
        The argument that it changes.
    """

    says: str
    here: str
    case: object
    ordinary: bool = False
    of: str = ""


def turning_point(attempt, checks, until):
    """Find what the calls that fail have in common and those that come out right have not, by changing it.

    Parameters
    ----------
    attempt : Attempt
        The answer, with at least one failure.
    checks : Checks
        What is known about the function.
    until : float
        When to stop looking, in seconds of the processor's time.

    Returns
    -------
    str
        A sentence, or "" where no change, or more than two, let all calls come out right.
    """
    failed = [it for it, _, unlike in attempt.everyday if unlike]
    passed = [it for it, _, unlike in attempt.everyday if not unlike]
    if time.process_time() > until:
        return ""
    held = braked(source_of(attempt.function), [it for it, *_ in attempt.everyday])
    if held is None or any(it.right.error for it in failed):
        return ""
    comes_out_right = _judge(held, checks, until)
    if any(comes_out_right(it, it.case) for it in failed):  # an answer that remembers earlier calls
        return ""
    # Most arrays hold negative numbers, or zeros: they are the reason only if no right call has them. One failing call
    # has so much to itself that this is asked of any change.
    elsewhere = {it.says for call in passed for it in _changes(call, checks) if it.ordinary or len(failed) == 1}
    # Only what is a square matrix in every call is looked at as one.
    others = {it for call in failed + passed for it, x in _given(call, checks).items() if not _is_square(x)}
    changes = [{it.says: it for it in _changes(call, checks)} for call in failed]
    symmetric = [it for each in changes for it in each.values() if it.says.startswith(_SYMMETRIC)]
    elsewhere |= {it.says for it in symmetric if it.of in others}
    found = []
    for says in sorted(set.intersection(*map(set, changes)) - elsewhere):
        made = [it[says] for it in changes]
        right = all(map(comes_out_right, failed, (it.case for it in made)))
        if time.process_time() > until:
            return ""
        if right and not any(_depends_on_less(checks, *it) for it in zip(failed, made, strict=True)):
            words = {it.here for it in made}
            found.append(words.pop() if len(words) == 1 else says)
    if not 1 <= len(found) <= min(2, len(failed)):
        return ""
    calls = "The calls that fail come out" if len(failed) > 1 else "The call that fails comes out"
    given = all(it.endswith("left out") for it in found)
    look = "look at what is done where it is given" if given else "look for the cause there"
    return f"{calls} right with {', and also with '.join(found)}: {look}."


def _judge(held, checks, until):
    def comes_out_right(before, case):
        if time.process_time() > until:
            return False
        after = trial_of(checks, case)
        held.brake.reset()
        says_less = _variety(after.right.value) < min(2, _variety(before.right.value))
        says_less |= _is_zero(after.right.value) and not _is_zero(before.right.value)
        says_less |= _is_identity(after.right.value) and not _is_identity(before.right.value)
        return not after.right.error and not says_less and not after.unlike(after.outcome(held.version))

    return comes_out_right


def _depends_on_less(checks, before, change):
    """Tell whether a change lets an array no longer count: with a single key, any weights are right."""
    after = trial_of(checks, change.case)
    for name, x in _given(before, checks).items():
        if name == change.of or not isinstance(x, np.ndarray) or x.dtype.kind != "f":
            continue
        by = np.cos(np.arange(x.size, dtype=x.dtype)).reshape(x.shape)  # no shift and no factor that might not count
        moved = [(it, trial_of(checks, _put(it, checks, name, (1.5 + by) * x + by)).right) for it in (before, after)]
        counts, still = (bool(it.error or trial.unlike_value(it.value, trial.right.value)) for trial, it in moved)
        if counts and not still:
            return True
    return False


def _variety(value):
    """Count the different numbers of a result: where all are alike, many a wrong answer is right."""
    parts = entries(value)
    if parts is not None:
        return sum(map(_variety, parts.values()))
    array = numbers(value)
    return 0 if array is None else len(np.unique(array))


def _is_zero(value):
    parts = entries(value)
    if parts is not None:
        return all(map(_is_zero, parts.values()))
    array = numbers(value)
    return array is not None and not array.any()


def _is_identity(value):
    array = numbers(value)
    return array is not None and array.ndim == 2 and np.array_equal(array, np.eye(*array.shape))


def _given(trial, checks):
    """List what a call hands over, by name."""
    names = names_of(checks.function, len(trial.case.arguments), checks.run)
    return dict(zip(names, trial.case.arguments, strict=True)) | trial.case.named


def _put(trial, checks, name, value):
    """Hand over something else for one argument, or nothing."""
    case, new = trial.case, _given(trial, checks) | {name: value}
    names = names_of(checks.function, len(case.arguments), checks.run)
    arguments = tuple(new[it] for it in names if new[it] is not _LEFT_OUT)
    return replace(case, arguments=arguments, named={it: new[it] for it in case.named if new[it] is not _LEFT_OUT})


def _changes(trial, checks):
    """List what can be changed of a call."""
    case, signature, given = trial.case, parameters_of(checks.function), _given(trial, checks)
    names, put = names_of(checks.function, len(case.arguments), checks.run), partial(_put, trial, checks)

    for name in (it for it in given if it in signature):
        value, default = given[name], signature[name].default
        if isinstance(value, np.ndarray):
            for text, change in _OF_ARRAYS.items():
                new = change(value)
                if new is not None:
                    says = text.format(f"`{name}`")
                    yield Change(says, says, put(name, new), text in _ORDINARY, name)
        if type(value) is int and value > 1 and _variety(trial.right.value) > 1:
            yield Change(f"`{name}` = 1", f"`{name}` = 1", put(name, 1))
        if default is not inspect.Parameter.empty and (isinstance(value, np.ndarray) or value != default):
            here = f"`{name}={value!r}`" if isinstance(value, bool | int | float | str) else f"`{name}`"
            # What is followed by others keeps its place.
            left = put(name, _LEFT_OUT if name in (*case.named, *names[-1:]) else default)
            yield Change(f"`{name}` left out", f"{here} left out", left, of=name)


def _where(condition, change, kinds="f"):
    """Change those numbers of an array that meet a condition; None where none does."""

    def changed(x):
        met = condition(x) if x.dtype.kind in kinds else np.False_
        return np.where(met, change(x), x).astype(x.dtype) if met.any() else None

    return changed


def _if(condition, change):
    """Change an array that meets a condition; None if it does not."""

    def changed(x):
        with np.errstate(all="ignore"):
            return change(x) if x.size and condition(x) else None

    return changed


def _largest(x):
    return np.max(np.abs(x), initial=0.0, where=np.isfinite(x)) if x.dtype.kind in "fc" else 0.0


def _spread(x):
    """Make all numbers different: those of an array of places stay within its range."""
    if x.dtype.kind in "iu":
        return x.min() + np.arange(x.size, dtype=x.dtype).reshape(x.shape)
    return (x + np.linspace(0, 1, x.size).reshape(x.shape) * (_largest(x) or 1)).astype(x.dtype)


def _repeats(x):
    fits = x.dtype.kind in "iu" and x.size <= int(x.max()) - int(x.min()) + 1
    return (fits or (x.dtype.kind == "f" and np.isfinite(x).all())) and len(np.unique(x)) < x.size


def _is_square(x):
    return isinstance(x, np.ndarray) and x.ndim > 1 and x.shape[-1] == x.shape[-2] and x.dtype.kind in "fc"


_SYMMETRIC = "the symmetric part"
_ORDINARY = (
    "the negative numbers of {} made positive",
    "1 for the zeros of {}",
    "the numbers of {} in order",
    "numbers of {} that are all different",
)
_OF_ARRAYS = {
    "the negative numbers of {} made positive": _where(lambda x: np.isfinite(x) & (x < 0), np.abs, "fi"),
    "0 for the infinities of {}": _where(np.isinf, np.zeros_like),
    "0 for every nan of {}": _where(np.isnan, np.zeros_like),
    "1 for the zeros of {}": _where(lambda x: x == 0, np.ones_like),
    "numbers of {} that are all different": _if(_repeats, _spread),
    "the numbers of {} in order": _if(
        lambda x: x.ndim == 1 and x.dtype.kind in "fi" and (np.diff(x) < 0).any(), np.sort
    ),
    "{} brought to an ordinary size": _if(lambda x: not 0.01 < (_largest(x) or 1) < 100, lambda x: x / _largest(x)),
    "{} as floats": _if(lambda x: x.dtype.kind in "iu", lambda x: x.astype(float)),
    "{} in float64": _if(lambda x: x.dtype.kind == "f" and x.dtype != float, lambda x: x.astype(float)),
    "the real part of {} alone": _if(lambda x: x.dtype.kind == "c", lambda x: x.real.copy()),
    f"{_SYMMETRIC} of {{}} in its place": _if(
        lambda x: _is_square(x) and (x != x.mT).any(), lambda x: (x + x.mT) / 2
    ),
    "no more rows of {} than columns": _if(
        lambda x: x.ndim > 1 and x.shape[-2] > x.shape[-1], lambda x: x[..., : x.shape[-1], :]
    ),
    "no more columns of {} than rows": _if(
        lambda x: x.ndim > 1 and x.shape[-1] > x.shape[-2], lambda x: x[..., : x.shape[-2]]
    ),
    "no row of {} that is False throughout": _if(
        lambda x: x.dtype.kind == "b" and x.ndim and not x.any(-1).all(), lambda x: x | ~x.any(-1, keepdims=True)
    ),
}
