"""Explain an answer by the mistakes that the bank lists.

Each function takes an `Attempt` and what is known of the function, and gives a sentence, or "" where that is not it.
"""

import itertools
import time

from mlnotes.diagnosis.lines import is_lost
from mlnotes.diagnosis.relations import relation_in
from mlnotes.diagnosis.source import edited
from mlnotes.diagnosis.trials import complaint_of_bank, entries, numbers

_WIDER = "Besides, the dtype of the result is wider than is asked for."


def hint(attempt, checks):
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


def told_by_the_bank(attempt):
    """Take the words in which a bank complains of all results that fail."""
    says = [complaint_of_bank(found.error) for _, found, unlike in attempt.failed]
    text = says[0] if all(says) else ""
    return f"{text[0].upper()}{text[1:]}." if text else ""


def known_mistake(attempt, checks, mistakes):
    """Find the mistake of the bank with which the book's function does the same as the answer in every trial."""
    for mistake in mistakes:
        if attempt.behaves_like(version := version_of(checks, mistake), wider=True, kinds=True):
            return told(mistake) + ("" if attempt.behaves_like(version, kinds=True) else f" {_WIDER}")
    return ""


def known_in_part(attempt, checks):
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
    says = says or set(filter(None, [relation_in(decided)]))
    if len(says) != 1:  # a wrong name is worse than none
        return ""
    return f"{says.pop()} That explains the wrong numbers; calls that {' or '.join(others)} may have another cause."


def known_mostly(attempt, checks):
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
    return "give nan or infinity" if is_lost(found.value, trial.right.value) else ""


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


def two_at_once(attempt, checks, until):
    """Find two mistakes of the bank that, made together, do the same as the answer, unless it takes too long."""
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
