"""What a chapter's code leans on: helpers that the reader has seen or is told of, and chapters read before."""

import ast
import re
from pathlib import Path

import nbformat
import pytest

from mlnotes.book.chapter_map import read_map

CHAPTERS = Path(__file__).parents[2] / "chapters"
MAP = {chapter.name: chapter for chapter in read_map(CHAPTERS / "map.yml")}
by_chapter = pytest.mark.parametrize("name", MAP)
# What a chapter takes from a later one, and the words by which it says so.
FROM_LATER = {
    ("blocks/norm", "blocks/matmul"): "`a @ b`, the [matrix product](matmul.ipynb), adds up products",
    ("blocks/norm", "blocks/lu"): "`np.linalg.solve` solves a system of [linear equations](lu.ipynb)",
    ("blocks/optimization", "applications/mlp"): (
        "A small [multilayer perceptron](../applications/mlp.ipynb), of which a later chapter says more"
    ),
    ("blocks/optimization", "blocks/softmax"): (
        "the [cross-entropy](softmax.ipynb) of the scores, which the next chapter derives"
    ),
    ("applications/whitening", "applications/least_squares"): (
        "`lstsq` finds the best $\\mathbf w$ without steps; [least squares](least_squares.ipynb), the next chapter, "
        "says how"
    ),
    ("attention/pooling", "attention/self_attention"): (
        "comes from the next chapter, [self-attention](self_attention.ipynb)"
    ),
    ("attention/self_attention", "attention/causal_mask"): (
        "A [causal mask](causal_mask.ipynb), which lets a word see only itself and what precedes it"
    ),
}


def cells(name):
    return nbformat.read(CHAPTERS / f"{name}.ipynb", 4).cells


def prose(some_cells):
    return "\n\n".join(cell.source for cell in some_cells if cell.cell_type == "markdown")


def listings(name):
    """Parse what `show` has printed in a chapter."""
    shown = [cell for cell in cells(name) if re.search(r"^show\(", cell.source, re.M) and cell.cell_type == "code"]
    pages = ["".join(it.get("data", {}).get("text/markdown", "")) for cell in shown for it in cell.outputs]
    return [ast.parse(code) for page in pages for code in re.findall(r"^```python\n(.*?)\n```", page, re.S | re.M)]


def helpers(tree):
    """List what a listing calls or passes on, if it begins with one underscore and a small letter."""
    nodes = [*ast.walk(tree)]
    names = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    methods = {getattr(node.func, "attr", "") for node in nodes if isinstance(node, ast.Call)}
    return {name for name in names | methods if re.match(r"_[a-z]", name)}


def defined(tree):
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}


def imported(source):
    """List the chapters whose functions a cell imports."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            modules = [node.module, *(f"{node.module}.{it.name}" for it in node.names)]
            found = [module.removeprefix("mlnotes.").replace(".", "/") for module in modules]
            yield from (name for name in found if name in MAP)


def read_before(name):
    """List a chapter, and what has to be read before it."""
    return {name}.union(*map(read_before, MAP[name].needs))


@by_chapter
def test_every_helper_in_a_listing_is_shown_as_well_or_explained_in_the_text(name):
    trees, text = listings(name), prose(cells(name))
    used, shown = set().union(*map(helpers, trees)), set().union(*map(defined, trees))
    assert {it for it in used - shown if f"`{it}`" not in text} == set()


@by_chapter
def test_a_chapter_imports_from_what_it_needs_or_says_before_where_that_comes_from(name):
    all_cells, names = cells(name), [*MAP]
    for i, cell in enumerate(all_cells):
        said = prose(all_cells[:i])
        for other in set(imported(cell.source)) - read_before(name) if cell.cell_type == "code" else ():
            if names.index(other) > names.index(name):
                words = FROM_LATER.get((name, other), "nothing is said of it")
                assert words in said, f"{other} comes later, and {cell.id} does not say so"
            else:
                link = rf"\]\(([\w./]+/)?{other.split('/')[1]}\.ipynb"
                assert re.search(link, said), f"{other} is no need of {name}, and not linked before {cell.id}"


@pytest.mark.parametrize(("name", "later"), FROM_LATER)
def test_what_is_taken_from_a_later_chapter_is_said(name, later):
    names = [*MAP]
    assert names.index(later) > names.index(name)
    assert FROM_LATER[name, later] in prose(cells(name))
