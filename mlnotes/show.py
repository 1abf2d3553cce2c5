"""Print the source of what just ran."""

import ast
import inspect
import textwrap
from dataclasses import dataclass


@dataclass(frozen=True)
class Source:
    """Source code that a notebook displays as a highlighted listing."""

    code: str

    def __repr__(self):
        return self.code

    def _repr_markdown_(self):
        return f"```python\n{self.code}\n```"


def show(*objects):
    """Show the source of functions or classes, with docstrings cut down to their first line.

    Parameters
    ----------
    *objects : function or class
        What to show, in this order.

    Returns
    -------
    Source
        A listing; what it prints is what ran.

    Raises
    ------
    ValueError
        If nothing is given.
    """
    if not objects:
        raise ValueError("show needs at least one function or class, got none")
    return Source("\n\n\n".join(_short(inspect.getsource(inspect.unwrap(it))) for it in objects))


def _short(source):
    """Keep the first line of every docstring: the rest stands on the API page."""
    lines = textwrap.dedent(source).rstrip().splitlines()
    for node in reversed([*ast.walk(ast.parse("\n".join(lines)))]):
        if not isinstance(node, ast.FunctionDef | ast.ClassDef) or ast.get_docstring(node) is None:
            continue
        docstring = node.body[0]
        if docstring.end_lineno > docstring.lineno:
            lines[docstring.lineno - 1 : docstring.end_lineno] = [lines[docstring.lineno - 1].rstrip() + '"""']
    return "\n".join(lines)
