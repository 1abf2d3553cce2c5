"""Explain an answer by what anyone may forget, whatever the function.

Each function takes an `Attempt`, some what is known of the function, and gives a sentence, or "" where that is not it.
"""

import ast
import copy
import functools
import inspect
import itertools
from collections.abc import Iterator

import numpy as np

from mlnotes.diagnosis.relations import relation
from mlnotes.diagnosis.source import parameters_of, run_definition, source_of, unguarded
from mlnotes.diagnosis.trials import ReturnedError, close, complaint_of_bank, entries, numbers, said


def lets_through(attempt):
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


def always_true(attempt):
    """Find a condition that holds whatever is compared: ``kind == "spectral" or "nuclear"``."""
    source = source_of(attempt.function)
    for node in ast.walk(source.tree) if source else ():
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or) and isinstance(node.values[0], ast.Compare):
            if any(isinstance(it, ast.Constant) and it.value for it in node.values):
                what = ast.unparse(node.values[0].left)
                return f"`{ast.unparse(node)}` always holds: write what is compared each time, or `{what} in (…)`."
    return ""


def place_for_value(attempt):
    """Find a place that is used as the value that stands there: ``x - x.argmax(axis)``."""
    source = source_of(attempt.function)
    for node in ast.walk(source.tree) if source else ():
        place = node.right if isinstance(node, ast.BinOp) else None
        if isinstance(place, ast.Call) and (what := getattr(place.func, "attr", "")) in ("argmax", "argmin"):
            of = [ast.dump(it) for it in (place.func.value, *place.args[:1])]
            if ast.dump(node.left) in of:
                line, value = source.lines[node.lineno - 1].strip(), what.removeprefix("arg")
                return f"Line {node.lineno}, `{line}`: {what} gives the place, not the value there: take {value}."
    return ""


def overwrites_mostly(attempt):
    """Find an argument that is not what it was after most of the calls that fail, where the result is right."""
    failed = [trial.changed(found) if unlike.startswith("it changes") else "" for trial, found, unlike in
        attempt.everyday if unlike]
    name = max(set(failed), key=failed.count)
    if not name or 2 * failed.count(name) <= len(failed):
        return ""
    return f"`{name}` is overwritten in {failed.count(name)} of the {len(failed)} calls that fail: work in a copy."


def never_read(attempt, checks):
    """Find an argument that has to be handed over and that the source does not use, though it should."""
    source = source_of(attempt.function)
    node = source.tree.body[0] if source else None
    if not isinstance(node, ast.FunctionDef) or any(found.error for _, found, unlike in attempt.everyday if unlike):
        return ""
    required = [it.arg for it in node.args.args[: len(node.args.args) - len(node.args.defaults)]]
    read = {it.id for it in ast.walk(node) if isinstance(it, ast.Name) and isinstance(it.ctx, ast.Load)}
    unused = [it for it in required if it not in (*read, *checks.spare) and not it.startswith("_")]
    return f"`{unused[0]}` makes no difference: the right result depends on it." if len(unused) == 1 else ""


def another_name(attempt, checks):
    """Find a parameter that the exercise hands over by its name, and that the answer calls otherwise or lacks."""
    own, ours = list(parameters_of(attempt.function)), list(parameters_of(checks.function))
    refused = [it.error for _, it, _ in attempt.everyday if isinstance(it.error, TypeError)]
    for i, name in enumerate(ours):
        if name not in own and any(f"unexpected keyword argument '{name}'" in said(str, it) for it in refused):
            others = [it for it in own[i : i + 1] if it not in ours]
            if others:
                return f"The exercise calls this parameter `{name}`, not `{others[0]}`."
            return f"The exercise asks for a parameter `{name}`, and there is none."
    return ""


def another_exception(attempt):
    """Find that all that fails asserts what must be refused by an exception that a part of the result names."""
    asked = set()
    for trial, found, unlike in attempt.everyday:
        if not unlike:
            continue
        parts = (entries(trial.right.value) or {}).values()
        refusals = [it for it in parts if isinstance(it, str) and it.endswith("Error")]
        if not refusals or not isinstance(found.error, AssertionError) or complaint_of_bank(found.error):
            return ""
        asked |= {*refusals}
    return f"It raises AssertionError where {asked.pop()} is asked for: raise that." if len(asked) == 1 else ""


def no_result(attempt):
    """Find that all that fails gives what no result is made of: nothing, or something that would have to be run."""
    failed = [(trial.right, found) for trial, found, unlike in attempt.everyday if unlike]
    if all(isinstance(found.error, ReturnedError) for _, found in failed):
        return "It returns an error where it should raise one: `raise` in place of `return`."
    if all(isinstance(found.error, SystemExit) for _, found in failed):
        remedy = "return the result" if any(right.error is None for right, _ in failed) else "raise an error"
        return f"It ends the whole program, as sys.exit() does: {remedy} instead."
    silent = all(right.error and found.returned is None and (found.unfit or not found.error) for right, found in failed)
    if silent and not inspect.isclass(attempt.function):
        does = "prints a message" if all(found.printed for _, found in failed) else "returns nothing"
        return f"It {does} where it should raise an error: whoever called it goes on as if all were well."
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


def writes_into_results(attempt):
    """Find that all that fails was right when it came: later calls write into the same array."""
    calls = zip(attempt.trials, attempt.at_once, attempt.unlike, strict=True)
    if any(before for trial, before, after in calls if after and not trial.case.edge):
        return ""
    return "A result changes with later calls: make a new array in each call, and return that."


def gives_something_else(attempt):
    """Find an answer that gives other numbers when the call that is shown is made once more."""
    shown, found, _ = attempt.failed[0]
    once = copy.deepcopy(numbers(found.value))  # it may be what the next call writes into
    again = numbers(shown.outcome(attempt.function).value)
    if once is None or again is None or np.array_equal(once, again, equal_nan=once.dtype.kind in "fc"):
        return ""
    return (
        "Called again with the same, it gives something else: it remembers earlier calls, draws at random, or takes "
        "np.empty for zeros."
    )


_KEEPING = (dict, list, set)  # what is empty at first, and then filled by calls


def remembers(attempt):
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
        values = [it.value for it in node.body if isinstance(it, ast.Assign)]
        made = [part for it in values for part in (it.elts if isinstance(it, ast.Tuple) else [it])]
    return any(isinstance(it, ast.List | ast.Dict | ast.Set | ast.Call) for it in made)


def of_anyone(attempt, checks):
    """Find the mistake that anyone may make, with any function: an option ignored, an argument overwritten."""
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
        or relation(attempt)
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
        if found.error or trial.right.error:
            return ""
        if trial.unlike_value(found.value, trial.right.value) and not (trial.changed(found) and _is_shared(trial.case)):
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


def _is_shared(case):
    """Tell whether one array is two arguments, so that who writes into one writes into both."""
    arrays = [it for it in (*case.arguments, *case.named.values()) if isinstance(it, np.ndarray)]
    return len({*map(id, arrays)}) < len(arrays)


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


def difference_quotient(attempt):
    """Recognize a slope that is right to some digits, because it is a difference divided by a small step."""
    source = source_of(attempt.function)
    if source is None or not any(map(_is_difference_quotient, ast.walk(source.tree))):
        return ""
    if "differences" in (attempt.trials[0].checks.function.__doc__ or ""):  # which are what is asked for
        return ""
    near, off = [], False
    for trial, found, unlike in attempt.everyday:
        right, mine = numbers(trial.right.value), numbers(found.value)
        if found.error or right is None or mine is None or right.shape != mine.shape:
            return ""
        near.append(np.allclose(mine, right, rtol=1e-4, atol=1e-4 * np.max(np.abs(right), initial=1e-4)))
        off |= bool(unlike) and near[-1]
    if not off or 3 * sum(near) < 2 * len(near):
        return ""
    where = "It" if all(near) else "Wherever the step fits, it"
    return f"{where} is right to some digits, not to all; differences lose digits: derive."


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
