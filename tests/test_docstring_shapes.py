"""The shapes and types in docstrings are those of every call in the banks."""

import copy
import inspect
import itertools
import re

import numpy as np
import pytest
from test_docstrings import entries

from mlnotes.checks import all_checks
from mlnotes.checks.bank import call
from mlnotes.efficient.kv_cache import KVCache

FUNCTIONS = {name: it for name, it in all_checks().items() if not isinstance(it.function, type)}
TYPES = {
    "int": lambda x: isinstance(x, int | np.integer) and not isinstance(x, bool),
    "float": lambda x: isinstance(x, float | np.floating),
    "bool": lambda x: isinstance(x, bool | np.bool_),
}
SHAPE = re.compile(r"\(((?:[^()]|\([^()]*\))*)\)")
LETTER = re.compile(r"[a-z]\w*'*")
STANDS_FOR = {"n_heads": "h", "n_groups": "g"}
BROADCAST = {"mask", "bias"}
# Calls of functions whose cases name a cache or a model that only the bank's own way to run them makes.
CALLS = {
    "cached_attention": [(*np.ones((2, 3, 2, 5, 4)), np.ones((3, 2, 5, 6)), KVCache(9, 2, 4, 6, leading=(3,)))],
    "generate": [(lambda ids: np.zeros((len(ids), 7)), np.array([1, 3]), 4)],
}
GIVE_FUNCTIONS = {"symmetrize", "symmetrize_equivariant"}  # which have no shape
KINDS = {"integer": "iu", "boolean": "b"}  # any other word before "array" is the name of a dtype


def shapes_of(said):
    """Read "array (n, k) or (n,)": the word before "array", and the axes of each shape; None if there is none."""
    if "shape of" in said:  # any number of axes, those of other arrays
        return None
    found = re.match(r"(?:(?!NumPy)(\w+) )?(?:NumPy )?array(?:(?:,| or)? \((?:[^()]|\([^()]*\))*\))+", said)
    return found and (found[1], [[axis for axis in re.split(", *", it) if axis] for it in SHAPE.findall(found[0])])


def described(function, section):
    """List what a docstring says of each parameter or result: its name, and its type."""
    found = []
    for line in entries(inspect.getdoc(function) or "", section) or []:
        names, _, said = line.partition(" : ") if " : " in line else ("", "", line)
        names, parts = names.split(", "), said.split(" and ")
        kind = parts[0].partition(" (")[0]
        each = [parts[0], *(f"{kind} {it}" for it in parts[1:])] if len(parts) == len(names) else [said] * len(names)
        found += zip(names, each, strict=True)
    return found


def fits(axes, shape, known, broadcasts=False):
    """Give the letters with the sizes that a shape says they have; None if it contradicts those that are known."""
    if "..." in axes:
        first, more = axes.index("..."), len(shape) - len(axes) + 1
        if more < 0:
            return None
        axes, shape = axes[:first] + axes[first + 1 :], shape[:first] + shape[first + more :]
    if len(axes) != len(shape):
        return None
    for axis, size in sorted(zip(axes, shape, strict=True), key=lambda it: LETTER.fullmatch(it[0]) is None):
        unknown = set(LETTER.findall(axis)) - known.keys()
        tried = ({letter: k} for letter in unknown for k in range(size + 1)) if unknown else ({},)
        if axis != "?" and len(unknown) <= 1 and not (broadcasts and size == 1):  # of h * d, one has to be known
            known = next((known | it for it in tried if computed(axis, known | it) == size), None)
            if known is None:
                return None
    return known


def computed(axis, known):
    """Compute a size such as "32 n", "n + 1" or "⌈l / block_size⌉"."""
    axis = re.sub(r"⌈(.*?)⌉", r"-int(-(\1) // 1)", re.sub(r"(\d) ([a-z])", r"\1 * \2", axis.replace("^", "**")))
    return eval(LETTER.sub(lambda it: str(known.get(it[0], it[0])), axis))


def narrowed(name, said, x, states):
    """Keep what the letters may be, given one more array; complain if they can be nothing any more."""
    kind, shapes = shapes_of(said)
    x = x if hasattr(x, "shape") else np.asarray(x)
    assert kind is None or x.dtype.kind in KINDS.get(kind, "") or x.dtype.name == kind, f"{name}: {said}, got {x.dtype}"
    found = (fits(axes, tuple(x.shape), known, name in BROADCAST) for known in states for axes in shapes)
    left = [it for it in found if it is not None]
    assert left, f"{name}: {said}, got {tuple(x.shape)}, with {states}"
    return left


@pytest.mark.parametrize("name", FUNCTIONS)
def test_shapes_and_types_in_a_docstring_are_those_of_every_call(name):
    function, calls = FUNCTIONS[name].function, []
    for case in [*FUNCTIONS[name].cases, *(call(*it) for it in CALLS.get(name, ()))]:
        here = copy.deepcopy(case)
        try:
            given = inspect.signature(function).bind(*case.arguments, **case.named)
            result = function(*here.arguments, **here.named)
        except Exception:  # which the book's version is to raise, or what is handed over is for `run`
            continue
        given.apply_defaults()
        given = given.arguments
        sizes = {it: int(x) for it, x in given.items() if TYPES["int"](x)}
        states = [sizes | {letter: sizes[it] for it, letter in STANDS_FOR.items() if it in sizes}]
        for what, said in described(function, "Parameters"):
            if shapes_of(said) and hasattr(given.get(what), "shape"):
                states = narrowed(what, said, given[what], states)
        parts = described(function, "Returns")
        results = ([result] if len(parts) == 1 else result) if parts else ()
        assert len(results) <= len(parts)  # the last may be left out
        for (what, said), x in zip(parts, results, strict=False):
            if shapes_of(said):
                states = narrowed(what or "the result", said, x, states)
            assert TYPES.get(said, lambda x: True)(x), f"{what or 'the result'}: {said}, got {type(x)}"
        calls.append(states)
    for one, other in itertools.combinations(letters(function, "Parameters") | letters(function, "Returns"), 2):
        differ = [it.get(one) != it.get(other) for states in calls for it in states]
        assert any(differ) or not calls, f"{one} and {other} are the same in every call"
    assert calls or name in GIVE_FUNCTIONS


@pytest.mark.parametrize("name", FUNCTIONS)
def test_letters_of_a_result_are_those_of_parameters_or_are_explained(name):
    function = FUNCTIONS[name].function
    said = re.sub(r"^.* : .*$|^array .*$", "", inspect.getdoc(function), flags=re.MULTILINE)
    new = letters(function, "Returns") - letters(function, "Parameters")
    assert "As in" in said or {it for it in new if not re.search(rf"\b{it}\b", said)} == set()


def letters(function, section):
    """Collect the letters of all shapes in a section."""
    shapes = [shapes_of(said)[1] for _, said in described(function, section) if shapes_of(said)]
    return {it for found in shapes for axes in found for axis in axes for it in re.findall(r"\b[a-z]\b'*", axis)}
