"""Explain an answer by its form: parts that are missing, or stand in another order, numbers of another shape.

Each function takes an `Attempt`, and gives a sentence, or "" where that is not it.
"""

import itertools

import numpy as np

from mlnotes.diagnosis.trials import close, entries, numbers


def form(attempt):
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


def missing_parts(attempt):
    """Recognize a result that is right as far as it goes, and lacks parts."""
    missing = {}
    for trial, found, unlike in attempt.everyday:
        mine, right = entries(found.value), entries(trial.right.value)
        if not unlike:
            continue
        if mine is None and right and numbers(found.value) is not None:
            mine = {next(iter(right)): found.value}  # the first part alone
        if not mine or not right or len(mine) >= len(right) or not right.keys() >= mine.keys():
            return ""
        if any(trial.unlike_value(it, right[name]) for name, it in mine.items()):
            return ""
        names = (it for it in right if it not in mine)
        missing |= dict.fromkeys(f"part {it + 1}" if isinstance(it, int) else f"`{it}`" for it in names)
    return f"The result is right as far as it goes, and lacks {' and '.join(missing)}." if missing else ""


def parts_in_another_order(attempt):
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


def shuffled(attempt):
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
