"""Which formulas a chapter has, and what the tests put for their letters: ``tests/book/formulas/<part>/<name>.py``.

Such a file holds ``FORMULAS``, for each cell the values of its displayed formulas in their order, and ``INLINE``, for
each cell those of formulas in its sentences by their LaTeX; ``DOCSTRINGS`` and ``DOCSTRINGS_INLINE`` hold the same by
the names of functions. Displayed formulas need values, and so do those in sentences that could be false: that state a
relation, with an operation on one of its sides. Values are a dictionary, or `NotRead` with a reason.
"""

import ast
import importlib.util
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mlnotes.book.form import read
from mlnotes.book.formulas import NotRead

ROOT = Path(__file__).parents[2]
BESIDE = {"applications/egnn": ["charges"], "blocks/equivariance": ["groups"]}  # modules without a chapter of their own

_COULD_BE_FALSE = re.compile(
    r"(?=.*(?:=|<|>|\\(?:le|ge|approx|leftarrow)(?![a-z])))(?=.*(?:[-+]|\\(?:frac|tfrac|sum|prod|sqrt|mathsf)(?![a-z])))",
    re.DOTALL,
)
_DISPLAYED = re.compile(r"\$\$(.*?)\$\$", re.DOTALL)
_INLINE = re.compile(r"(?<!\\)\$([^$]+)\$")
_DIRECTIVE = re.compile(r"^( *)\.\. math::((?:.*)(?:\n(?:\1 +.*| *(?=\n\1 +)))*)", re.MULTILINE)
_ROLE = re.compile(r":math:`([^`]+)`")


@dataclass(frozen=True)
class Formula:
    """A formula as it is written.

    Parameters
    ----------
    place : str
        The cell's id, or the name of the function that has the docstring.
    kind : str
        "displayed", "in a sentence" or "in a docstring".
    latex : str
        The formula.
    values : dict, NotRead or None
        What its letters stand for; None where nothing is given.
    """

    place: str
    kind: str
    latex: str
    values: object

    @property
    def is_read(self):
        """Whether it is evaluated."""
        return isinstance(self.values, dict)


def formulas(chapter):
    """Give the formulas of a chapter and of its functions that have values or need them.

    Parameters
    ----------
    chapter : str
        Part and file, such as "blocks/softmax".

    Returns
    -------
    list of Formula
        In the order of the page, and then of the source.
    """
    given, found = _given(chapter), []
    for place, (displayed, inline) in _of_the_page(chapter).items():
        found += _with_values(place, "displayed", displayed, given.FORMULAS)
        found += _by_text(place, "in a sentence", inline, given.INLINE)
    for place, (displayed, inline) in _of_docstrings(chapter).items():
        found += _with_values(place, "in a docstring", displayed, given.DOCSTRINGS)
        found += _by_text(place, "in a docstring", inline, getattr(given, "DOCSTRINGS_INLINE", {}))
    return found


def problems(chapter):
    """Say which formulas of a chapter have no values, and which values have no formula any more.

    Parameters
    ----------
    chapter : str
        As for `formulas`.

    Returns
    -------
    list of str
        One line each.
    """
    given = _given(chapter)
    missing = [f"nothing is given for {it.latex} in {it.place}" for it in formulas(chapter) if it.values is None]
    for places, listed, inline in (
        (_of_the_page(chapter), given.FORMULAS, given.INLINE),
        (_of_docstrings(chapter), given.DOCSTRINGS, getattr(given, "DOCSTRINGS_INLINE", {})),
    ):
        held = {place: len(displayed) for place, (displayed, _) in places.items()}
        missing += [
            f"values are given for {len(values)} displayed formulas in {place}, which has {held.get(place, 0)}"
            for place, values in listed.items()
            if len(values) > held.get(place, 0)
        ]
        missing += [
            f"{place} no longer has {latex}"
            for place, values in inline.items()
            for latex in values
            if latex not in places.get(place, ((), ()))[1]
        ]
    return missing


def reasons(chapter):
    """Give the reasons for which formulas of a chapter are not evaluated, with the formulas."""
    return {it.latex: it.values.reason for it in formulas(chapter) if isinstance(it.values, NotRead)}


def _with_values(place, kind, displayed, given):
    values = given.get(place, ())
    return [Formula(place, kind, it, values[i] if i < len(values) else None) for i, it in enumerate(displayed)]


def _by_text(place, kind, inline, given):
    values = given.get(place, {})
    return [
        Formula(place, kind, it, values.get(it))
        for it in dict.fromkeys(inline)
        if it in values or _COULD_BE_FALSE.match(it)
    ]


@cache
def _given(chapter):
    path = ROOT / f"tests/book/formulas/{chapter}.py"
    spec = importlib.util.spec_from_file_location(f"formulas_of_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _of_the_page(chapter):
    """Read the displayed formulas of each cell, and those in its sentences."""
    cells = read(ROOT / f"chapters/{chapter}.ipynb").cells
    return {it["id"]: _split(it.source) for it in cells if it.cell_type == "markdown"}


def _split(text):
    displayed = [it.strip() for it in _DISPLAYED.findall(text)]
    return displayed, _INLINE.findall(_DISPLAYED.sub("", text))


def _of_docstrings(chapter):
    """Read the formulas of the docstrings in a chapter's module."""
    found = {}
    for name in (chapter, *BESIDE.get(chapter, ())):
        found |= _of_definitions(ast.parse((ROOT / f"mlnotes/{name}.py").read_text(encoding="utf-8")), "")
    return found


def _of_definitions(node, prefix):
    found = {}
    for it in node.body:
        if isinstance(it, ast.FunctionDef | ast.ClassDef):
            text = ast.get_docstring(it) or ""
            displayed = [
                r" \\ ".join(" ".join(part.split()) for part in re.split(r"\n\s*\n", block.strip()))
                for _, block in _DIRECTIVE.findall(text)
            ]
            found[prefix + it.name] = displayed, _ROLE.findall(text)
        if isinstance(it, ast.ClassDef):
            found |= _of_definitions(it, f"{prefix}{it.name}.")
    return found
