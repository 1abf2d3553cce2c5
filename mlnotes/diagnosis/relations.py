"""Explain an answer by how its numbers relate to the right ones: negated, a third of them, off by one, sorted."""

import math
import re

import numpy as np

from mlnotes.diagnosis.trials import close, entries, numbers


def relation(attempt):
    """Recognize a result that is made of the right one in every trial."""
    return relation_in([(trial, found) for trial, found, _ in attempt.everyday])


def relation_in(tried):
    """Recognize results that are made of the right ones, in the trials that are handed over."""
    decided = [(trial, found) for trial, found in tried if not trial.right.error]
    if not decided or any(found.error for _, found in decided):
        return ""
    parts = entries(decided[0][0].right.value)
    if parts is None:
        return _relation_of([(t, numbers(f.value), numbers(t.right.value)) for t, f in decided], "The result")
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
    columns = [(trial, numbers(mine[k]), numbers(right[k])) for trial, mine, right in rows]
    name = [*parts][k]
    return _relation_of(columns, f"Part {k + 1} of the result" if isinstance(name, int) else f"`{name}`")


def _relation_of(rows, subject):
    """Find what turns the right numbers into those that came: for every call the same."""
    if any(mine is None or right is None for _, mine, right in rows):
        return ""
    rows = [(t, mine, right.astype(float) if right.dtype.kind in "iu" else right) for t, mine, right in rows]
    truth = all(right.dtype.kind == "b" for _, _, right in rows)  # no logarithm, no root
    none_is_left = not any(np.any(mine > 0) for _, mine, _ in rows if mine.dtype.kind == "f")
    for says, relation in _RELATIONS.items():
        if none_is_left and says.endswith("cut off"):  # zeros have many causes
            continue
        if not (truth and says in _OF_NUMBERS) and _holds(rows, relation, not _COINCIDE.search(says)):
            return f"{subject} {says}."
    return _factor(rows, subject) or _offset(rows, subject)


def _holds(rows, relation, plainly):
    told_apart = False
    for trial, mine, right in rows:
        try:
            changed = np.asarray(relation(right))
        except Exception:  # a transpose of a number, an axis that is not there
            return False
        if changed.dtype.kind not in "biufc" or changed.shape != mine.shape or not close(mine, changed, trial):
            return False
        finite = np.isfinite(changed)  # not the root of a negative number
        telling = finite.any() if plainly else not np.isin(changed[finite], (0, 1)).all()
        told_apart |= telling and (right.shape != changed.shape or not close(changed, right, trial))
    return told_apart


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
# Relations that are the same for 0 and 1.
_COINCIDE = re.compile("inverse|square|without its sign|cut off|rounded")
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
    ratios = [_constant(mine, right, np.divide) for _, mine, right in rows]
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
    for name, axis in _sizes(rows[0][0].right.left):
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


def _sizes(left):
    for name, value in left.items():
        for axis in (None, *range(-np.ndim(value), 0)) if isinstance(value, np.ndarray) else ():
            yield name, axis


def _size_of(value, axis):
    if not isinstance(value, np.ndarray) or (axis is not None and value.ndim < -axis):
        return None
    return value.size if axis is None else value.shape[axis]


def _offset(rows, subject):
    differences = [_constant(mine, right, np.subtract) for _, mine, right in rows]
    known = {round(it, 9) for it in differences if it not in (None, "any")}
    if any(it is None for it in differences) or len(known) != 1 or "any" in differences or len(rows) < 2:
        return ""
    [value] = known
    if not math.isfinite(value):
        return ""
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
