"""Read the source of a function, and run a changed copy of it."""

import ast
import copy
import functools
import inspect
import linecache
import math
import textwrap
from dataclasses import dataclass
from types import ModuleType

import numpy as np

_MODULES = {"np": np, "math": math}


@dataclass(frozen=True)
class Source:
    """A reader's function as a program of its own.

    Parameters
    ----------
    tree : ast.Module
        Its definition, alone; lines count from its first.
    lines : tuple of str
        The same as text.
    name : str
        The name that the definition gives it.
    namespace : dict
        What its names mean; NumPy and `math` besides, for changes of it, unless it counts on them by those names.
    first : int
        The line of its file in which it begins.
    file : str
        That file.
    """

    tree: ast.Module
    lines: tuple
    name: str
    namespace: dict
    first: int
    file: str


def source_of(function):
    """Find the source of a function, a lambda or a class, also where it stands in a notebook.

    Parameters
    ----------
    function : callable
        Anything.

    Returns
    -------
    Source or None
        None where it has no Python source.
    """
    function = getattr(function, "func", function)  # a functools.partial
    plain = inspect.unwrap(function) if callable(function) else function
    code = getattr(plain, "__code__", None) or _code_of_class(plain)
    if code is None:
        return None
    file = linecache.getlines(code.co_filename)
    node = copy.deepcopy(_definition(_definitions_in("".join(file)), plain, code))
    if node is None:
        return None
    first = min([node.lineno, *(it.lineno for it in getattr(node, "decorator_list", ()))])
    lines = tuple(textwrap.dedent("".join(file[first - 1 : node.end_lineno])).splitlines())
    if isinstance(node, ast.Lambda):
        node = ast.copy_location(ast.Assign([ast.Name("_answer", ast.Store())], node), node)
    node = _Freed(code.co_freevars).visit(node)
    tree = ast.increment_lineno(ast.fix_missing_locations(ast.Module([node], [])), 1 - first)
    owner = plain if hasattr(plain, "__globals__") else next(iter(_methods(plain)))
    closure = zip(owner.__code__.co_freevars, owner.__closure__ or (), strict=True)
    cells = {name: cell.cell_contents for name, cell in closure if _is_filled(cell)}
    name = getattr(node, "name", "_answer")
    used = {it.id for it in ast.walk(tree) if isinstance(it, ast.Name)}
    modules = {it: module for it, module in _MODULES.items() if it not in used}
    return Source(tree, lines, name, {**modules, **owner.__globals__, **cells}, first, code.co_filename)


class _Freed(ast.NodeTransformer):
    """Make names of a function around this one names of its module, where their values are put."""

    def __init__(self, names):
        self.names = set(names)

    def visit_Nonlocal(self, node):
        outside = [it for it in node.names if it in self.names]
        inside = [it for it in node.names if it not in self.names]
        statements = [ast.Global(outside)] * bool(outside) + [ast.Nonlocal(inside)] * bool(inside)
        return [ast.copy_location(it, node) for it in statements]


def never_returns(function):
    """Tell whether a function comes to its end without a result: it has no ``return`` with a value, and yields nothing.

    Parameters
    ----------
    function : callable
        Anything.

    Returns
    -------
    bool
        False where it has no Python source, and for lambdas and classes.
    """
    source = source_of(function)
    node = source.tree.body[0] if source else None
    ends = isinstance(node, ast.FunctionDef) and not isinstance(node.body[-1], ast.Raise)
    return ends and not any(map(_gives, _own_nodes(node)))


def _gives(node):
    return isinstance(node, ast.Yield | ast.YieldFrom) or (isinstance(node, ast.Return) and node.value is not None)


def _own_nodes(function):
    """Walk through a function, but not into those that are defined inside of it."""
    waiting = list(function.body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            waiting.extend(ast.iter_child_nodes(node))


def run_definition(program, name, namespace):
    """Run a definition in a copy of a namespace, and give what it defines.

    Parameters
    ----------
    program : str, ast.Module or code
        Definitions.
    name : str
        Which of the names defined is wanted.
    namespace : dict
        What other names mean; it is left as it is.

    Returns
    -------
    object
        The value of that name.
    """
    names = dict(namespace)
    exec(program if inspect.iscode(program) else compile(program, f"<changed {name}>", "exec"), names)
    return names[name]


@functools.cache
def edited(function, edits):
    """Change places of the book's own source, and run it in a copy of its module.

    Parameters
    ----------
    function : callable
        A function or class of the package.
    edits : tuple of (str, str)
        What stands there and what shall stand there instead. The first must occur once in the definition of the
        function, without docstrings, or else once in those that it uses of its own module.

    Returns
    -------
    callable
        The changed version.

    Raises
    ------
    ValueError
        If a text does not occur exactly once.
    """
    parts = edited_definitions(function, edits)
    return run_definition("\n\n".join(parts.values()), function.__name__, _MODULES | vars(inspect.getmodule(function)))


@functools.cache
def unguarded(function):
    """Run a copy of the book's own source that accepts bad input, as readers' versions mostly do.

    Parameters
    ----------
    function : callable
        A function of the package.

    Returns
    -------
    callable
        Without the statements that are calls of ``require_…``.
    """
    parts, name = definitions(function), function.__name__
    tree = ast.parse(parts.get(name, ""))
    without = ast.unparse(_WithoutChecks().visit(copy.deepcopy(tree)))
    if without == ast.unparse(tree):
        return function
    program = "\n\n".join((parts | {name: without}).values())
    return run_definition(program, name, _MODULES | vars(inspect.getmodule(function)))


class _WithoutChecks(ast.NodeTransformer):
    def visit_Expr(self, node):
        return ast.copy_location(ast.Pass(), node) if is_check(node) else node


def is_check(statement):
    """Tell whether a statement is a call of ``require_…``, which only refuses bad input."""
    called = getattr(getattr(statement, "value", None), "func", None)
    return isinstance(statement, ast.Expr) and getattr(called, "id", "").lstrip("_").startswith("require_")


def edited_definitions(function, edits):
    """Change places of the book's own source.

    Parameters
    ----------
    function : callable
        A function or class of the package.
    edits : iterable of (str, str)
        As `edited` takes them.

    Returns
    -------
    dict of str to str
        What `definitions` gives, changed.

    Raises
    ------
    ValueError
        If a text does not occur exactly once.
    """
    parts = dict(definitions(function))
    for old, new in edits:
        name = _place(old, parts, function.__name__)
        parts[name] = parts[name].replace(old, new)
    return parts


@functools.cache
def definitions(function, without=frozenset()):
    """Collect a function's definition and those of its module that it uses, without their docstrings.

    Parameters
    ----------
    function : callable
        A function or class of the package.
    without : frozenset of str
        Names to leave out, with what only they use.

    Returns
    -------
    dict of str to str
        Sources by name: what a definition uses stands before it, the function itself is last.
    """
    known = _module_definitions(inspect.getmodule(function))
    found = {}

    def collect(name):
        for node in ast.walk(ast.parse(known[name])):
            wanted = isinstance(node, ast.Name) and node.id in known and node.id not in without
            if wanted and node.id not in visited:
                visited.add(node.id)
                collect(node.id)
        found[name] = known[name]

    visited = {function.__name__}
    if function.__name__ in known:
        collect(function.__name__)
    return found


def parameters_of(function):
    """List the parameters of a function by name.

    Parameters
    ----------
    function : callable
        Anything.

    Returns
    -------
    dict of str to inspect.Parameter
        Empty where it does not say.
    """
    try:
        return dict(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return {}


def _place(old, parts, name):
    """Find the definition that holds a text once, the function's own first."""
    own, others = parts[name].count(old), [it for it in parts if it != name for _ in range(parts[it].count(old))]
    if own == 1:
        return name
    if own == 0 and len(others) == 1:
        return others[0]
    raise ValueError(f"an edit must match once in {name} or in what it uses, got {own} and {len(others)} of {old!r}")


@functools.cache
def _module_definitions(module):
    """List a module's functions and classes, without docstrings, and the tables of them, by name, as written."""
    lines = inspect.getsource(module).splitlines()
    tree = ast.parse("\n".join(lines))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            docstring = node.body[0]
            alone = " " * docstring.col_offset + "..." if len(node.body) == 1 else ""
            lines[docstring.lineno - 1 : docstring.end_lineno] = [alone] + [""] * (
                docstring.end_lineno - docstring.lineno
            )
    found = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            first = min([node.lineno, *(it.lineno for it in node.decorator_list)])
            kept = [line for line in lines[first - 1 : node.end_lineno] if line.strip()]
            found[node.name] = "\n".join(kept)
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(getattr(it, "id", "") in found for it in ast.walk(node.value)):
            [target, *_] = node.targets
            if isinstance(target, ast.Name):
                found[target.id] = "\n".join(lines[node.lineno - 1 : node.end_lineno])
    return found


@functools.lru_cache(maxsize=16)
def _definitions_in(text):
    """List what a file defines; one file has many answers."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return ()
    return tuple(it for it in ast.walk(tree) if isinstance(it, ast.FunctionDef | ast.Lambda | ast.ClassDef))


def _definition(nodes, function, code):
    """Find the definition of a function, by the line where its code begins, or of a class, by its methods."""
    lambdas = []
    for node in nodes:
        if isinstance(node, ast.ClassDef) and isinstance(function, type):
            if node.name == function.__name__ and node.lineno <= code.co_firstlineno <= node.end_lineno:
                return node
        elif isinstance(node, ast.FunctionDef | ast.Lambda) and not isinstance(function, type):
            first = min([node.lineno, *(it.lineno for it in getattr(node, "decorator_list", ()))])
            if first == code.co_firstlineno and getattr(node, "name", "<lambda>") == code.co_name:
                if isinstance(node, ast.FunctionDef):
                    return node
                lambdas.append(node)
    return next((it for it in lambdas if len(lambdas) == 1 or _gives_what(it.body, code)), None)


def _gives_what(expression, code):
    """Tell whether a lambda's code gives this expression: several lambdas may stand on one line."""
    starts = {(line, column) for line, _, column, _ in code.co_positions() if column is not None}
    return not starts or (expression.lineno, expression.col_offset) in starts


def _methods(it):
    methods = vars(it).values() if isinstance(it, type) else [type(it).__call__]
    return [method for method in methods if hasattr(method, "__code__")]


def _code_of_class(it):
    return next((method.__code__ for method in _methods(it)), None) if isinstance(it, type | ModuleType) else None


def _is_filled(cell):
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True
