"""Print the source of what just ran, without what stands between a reader and the idea."""

import ast
import difflib
import inspect
import re
import subprocess
import sys
import textwrap
from dataclasses import dataclass

from ruff import find_ruff_bin

WIDTH = 88  # columns that a page shows without scrolling, in a folded solution too


@dataclass(frozen=True)
class Source:
    """Source code that a notebook displays as a highlighted listing, and what was left out of it."""

    code: str
    left_out: tuple[str, ...] = ()

    def __repr__(self):
        return f"{self.code}\n\n# {self._note()}" if self.left_out else self.code

    def _repr_markdown_(self):
        return f"```python\n{self.code}\n```" + (f"\n\n{self._note()}" if self.left_out else "")

    def _note(self):
        return f"{' and '.join(self.left_out).capitalize()} are left out."


def show(*objects):
    """Show the source of functions or classes: what they compute, in lines of at most 88 columns.

    Parameters
    ----------
    *objects : function or class
        What to show, in this order.

    Returns
    -------
    Source
        A listing; what it prints is what ran. It says what it leaves out: checks of the input (calls of ``require_…``,
        an ``if`` that only raises outside of a loop, a loop over nothing but such) with the variables that only they
        use, and this package's own decorators. Docstrings are cut down to their first line.

    Raises
    ------
    ValueError
        If nothing is given.
    """
    if not objects:
        raise ValueError("show needs at least one function or class, got none")
    listings = [_Listing(inspect.unwrap(it)) for it in objects]
    kinds = ("input checks", "decorators")
    left_out = tuple(kind for kind in kinds if any(kind in it.left_out for it in listings))
    return Source(_formatted("\n\n\n".join(it.code() for it in listings)), left_out)


@dataclass(frozen=True)
class Change:
    """Lines of source code that a notebook displays as they were, marked -, and as they are, marked +."""

    lines: str

    def __repr__(self):
        return self.lines

    def _repr_markdown_(self):
        return f"```diff\n{self.lines}\n```"


def change(before, after):
    """Show where two versions of a program differ.

    Parameters
    ----------
    before, after : str
        Source code.

    Returns
    -------
    Change
        The lines in which they differ, in lines of at most 88 columns as `show` has them, without what stands around
        them; an empty line between places.

    Raises
    ------
    ValueError
        If they do not differ.
    """
    old, new = (_formatted(it).splitlines() for it in (before, after))
    places = [it for it in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes() if it[0] != "equal"]
    if not places:
        raise ValueError("before and after must differ, got twice the same program")
    return Change("\n\n".join(_marked(old[i:j], new[k:end]) for _, i, j, k, end in places))


def _marked(old, new):
    lines = textwrap.dedent("\n".join([*old, *new])).splitlines()
    return "\n".join(f"{'-' if i < len(old) else '+'} {line}".rstrip() for i, line in enumerate(lines))


class _Listing:
    """Read the source of one object, and mark the lines that are not to be shown."""

    def __init__(self, shown):
        self.lines = textwrap.dedent(inspect.getsource(shown)).rstrip().splitlines()
        self.left_out = set()
        self._names = getattr(shown, "__globals__", None) or vars(sys.modules[shown.__module__])
        tree = ast.parse("\n".join(self.lines))
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                self._drop("decorators", [it for it in node.decorator_list if self._is_ours(it)])
                self._shorten_docstring(node)
            if isinstance(node, ast.FunctionDef):
                self._drop("input checks", _checks(node))

    def code(self):
        kept = (part for line in self.lines if line is not None for part in _comment_above(line))
        return "\n".join(_filled(line, "# ") if line.lstrip().startswith("#") else line for line in kept)

    def _drop(self, kind, nodes):
        for node in nodes:
            self.left_out.add(kind)
            for i in range(node.lineno - 1, node.end_lineno):
                self.lines[i] = None

    def _shorten_docstring(self, node):
        if ast.get_docstring(node) is None:
            return
        start, end = node.body[0].lineno - 1, node.body[0].end_lineno
        first = self.lines[start].rstrip()
        if end > start + 1:
            quotes = re.search("\"+|'+", first)[0]
            if first.endswith(quotes):  # the words begin below
                first += self.lines[start + 1].strip()
            self.lines[start + 1 : end] = [None] * (end - start - 1)
            first = first.removesuffix(quotes) + quotes
        self.lines[start] = _filled(first)

    def _is_ours(self, decorator):
        if not isinstance(decorator, ast.Name):
            return False
        module = getattr(self._names.get(decorator.id), "__module__", "")
        return decorator.id.startswith("_") or module.startswith("mlnotes.")


def _comment_above(line):
    """Put the comment of a line that is too long above it, or the formatter would break the code before it."""
    code, _, comment = line.rpartition("  # ")
    if not code.strip() or len(line) <= WIDTH:
        return [line]
    indent = " " * (len(code) - len(code.lstrip()))
    return [f"{indent}# {comment}", code.rstrip()]


def _checks(function):
    """Find the statements of a function that check its input, and the assignments that only those need."""
    found = [*_checks_among(function.body)]
    while True:
        rest = set(ast.walk(function)).difference(*map(ast.walk, found))
        only_checked = _read(node for it in found for node in ast.walk(it)) - _read(rest)
        prepared = [it for it in rest if isinstance(it, ast.Assign) and _written(it) <= only_checked]
        if not prepared:
            break
        found += prepared
    computing = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return [] if all(it in found for it in computing) else found  # a function that is itself a check is shown


def _checks_among(statements, in_loop=False):
    for statement in statements:
        if _is_check(statement, in_loop):
            yield statement
        elif isinstance(statement, ast.If | ast.For | ast.While | ast.With):
            in_this = in_loop or isinstance(statement, ast.For | ast.While)
            for branch in (statement.body, getattr(statement, "orelse", ())):
                found = [*_checks_among(branch, in_this)]
                yield from found if len(found) < len(branch) else ()


def _is_check(statement, in_loop=False):
    if any(isinstance(it, ast.NamedExpr) for it in ast.walk(statement)):
        return False  # it names what may be needed later
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        return re.match(r"_?require_", getattr(statement.value.func, "id", "")) is not None
    if isinstance(statement, ast.If) and not statement.orelse:
        *before, last = statement.body
        raises = isinstance(last, ast.Raise) and all(isinstance(it, ast.Assign) for it in before)
        return (raises and not in_loop) or all(map(_is_check, statement.body))
    return isinstance(statement, ast.For) and not statement.orelse and all(map(_is_check, statement.body))


def _read(nodes):
    nodes = [it.target if isinstance(it, ast.AugAssign) else it for it in nodes if not _is_stored(it)]
    return {it.id for it in nodes if isinstance(it, ast.Name)}


def _is_stored(node):
    return isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)


def _written(assignment):
    """List the variables that are set; None stands for an attribute, an entry and whatever else."""
    nodes = (it for target in assignment.targets for it in ast.walk(target) if isinstance(it, ast.expr))
    return {getattr(it, "id", None) for it in nodes if not isinstance(it, ast.Tuple)}


def _filled(line, prefix=""):
    """Break a line of words, which the formatter leaves as long as it is."""
    indent = line[: len(line) - len(line.lstrip())]
    return textwrap.fill(line, WIDTH, subsequent_indent=indent + prefix, break_on_hyphens=False)


def _formatted(code):
    command = [find_ruff_bin(), "format", "--isolated", "--line-length", str(WIDTH), "-"]
    done = subprocess.run(command, input=code, capture_output=True, encoding="utf-8")
    if done.returncode:
        raise ValueError(f"programs must be Python, got {done.stderr.strip()}")
    return done.stdout.rstrip()
