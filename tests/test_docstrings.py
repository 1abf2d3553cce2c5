"""What docstrings say of parameters and errors is what the functions take and raise."""

import ast
import inspect
import re
from collections import defaultdict
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "mlnotes"
TREES = {
    path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
    for path in sorted(PACKAGE.rglob("*.py"))
}
FUNCTIONS = (ast.FunctionDef, ast.ClassDef)


def entries(docstring, section):
    """List the first lines of the entries of a section, such as "x, y : array (n,)"; None where it is not there."""
    pattern = rf"^{section}\n-+\n(.*?)(?=^[A-Z][\w ]*\n-+\n|\Z)"
    found = re.search(pattern, inspect.cleandoc(docstring), re.MULTILINE | re.DOTALL)
    return found and [line for line in found[1].splitlines() if line and not line.startswith(" ")]


def documented(section):
    """Yield all functions and classes whose docstring has a section: where, which, and its entries."""
    for path, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, FUNCTIONS) and (found := entries(ast.get_docstring(node) or "", section)) is not None:
                yield f"{path}:{node.lineno} {node.name}", node, found


def taken(node):
    """List what a function takes, or a class when it is made: its fields where no function of its own says so."""
    if isinstance(node, ast.ClassDef):
        makers = [it for it in node.body if isinstance(it, ast.FunctionDef) and it.name == "__init__"]
        if not makers:
            return {it.target.id for it in node.body if isinstance(it, ast.AnnAssign)}
        [node] = makers
    a = node.args
    stars = [f"{star}{it.arg}" for star, it in (("*", a.vararg), ("**", a.kwarg)) if it]
    return {it.arg for it in (*a.posonlyargs, *a.args, *a.kwonlyargs)} - {"self", "cls"} | set(stars)


def raised():
    """Tell for each name of a function or class which errors it raises, or one whose name stands in it, and so on."""
    errors, uses = defaultdict(set), defaultdict(set)
    for node in (it for tree in TREES.values() for it in ast.walk(tree) if isinstance(it, FUNCTIONS)):
        for it in ast.walk(node):
            if isinstance(it, ast.Raise) and it.exc:
                errors[node.name].add(ast.unparse(getattr(it.exc, "func", it.exc)).split(".")[-1])
            uses[node.name].add(getattr(it, "id", getattr(it, "attr", "")))
    grown = True
    while grown:
        before = sum(map(len, errors.values()))
        for name, used in uses.items():
            errors[name] |= set().union(*(errors[it] for it in used & uses.keys()))
        grown = sum(map(len, errors.values())) > before
    return errors


def test_the_parameters_in_a_docstring_are_those_that_there_are():
    faults = []
    for place, node, found in documented("Parameters"):
        names, there = {name for line in found for name in line.split(" : ")[0].split(", ")}, taken(node)
        more = any(it.startswith("**") for it in there) or (isinstance(node, ast.ClassDef) and not there)
        if not (names >= there if more else names == there):
            faults.append(f"{place}: {', '.join(names ^ there)}")
    assert faults == []


def test_the_errors_in_a_docstring_are_raised_by_the_function_or_by_what_it_uses():
    errors, faults = raised(), []
    for place, node, found in documented("Raises"):
        if not place.startswith("book/"):  # where other libraries raise
            faults += [f"{place}: {line}" for line in found if line.split(".")[-1] not in errors[node.name]]
    assert faults == []
