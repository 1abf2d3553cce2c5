"""A tolerance is what it says: no default of a library is added to it, and a comment says where it comes from."""

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
PARTS = ["applications", "attention", "blocks", "efficient", "layers", "pretrained"]
FILES = sorted(path for part in ["", *PARTS] for path in (TESTS / part).glob("test_*.py"))
NAMES = {
    "assert_allclose": {"rtol", "atol"},
    "assert_close": {"rtol", "atol"},
    "allclose": {"rtol", "atol"},
    "approx": {"rel", "abs"},
}


def comparisons(tree):
    """Yield each comparison within a tolerance, with the tolerances that it names."""
    for node in ast.walk(tree):
        name = isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", None))
        if name in NAMES and not any(it.arg is None for it in node.keywords):
            yield name, node, {it.arg: it.value for it in node.keywords if it.arg in NAMES[name]}


def left_open(source):
    """List the lines where a comparison leaves NumPy's 1e-7, PyTorch's or pytest's default beside what it names."""
    return [
        node.lineno
        for name, node, named in comparisons(ast.parse(source))
        if (len(named) < 2 if "atol" in named or name == "assert_close" else not named) and len(node.args) < 3
    ]


def without_a_reason(source):
    """List the lines of numbers in tolerances, and of the names in capitals for such numbers, that have no comment."""
    tree, lines = ast.parse(source), source.splitlines()
    found = [it for _, _, named in comparisons(tree) for value in named.values() for it in ast.walk(value)]
    found += [it.value for it in tree.body if isinstance(it, ast.Assign) and ast.unparse(it.targets[0]).isupper()]
    return [
        it.lineno
        for it in found
        if isinstance(it, ast.Constant) and isinstance(it.value, float) and 0 < it.value < 0.1
        if "  # " not in lines[it.lineno - 1]
    ]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_default_is_added_to_a_tolerance_and_each_says_where_it_comes_from(path):
    source = path.read_text(encoding="utf-8")
    assert left_open(source) == []
    assert without_a_reason(source) == []


@pytest.mark.parametrize(
    ("source", "left", "bare"),
    [
        ("np.testing.assert_allclose(x, y, atol=ROUNDED)", [1], []),
        ("np.testing.assert_allclose(x, y)", [1], []),
        ("np.testing.assert_allclose(x, y, rtol=ROUNDED)", [], []),
        ("torch.testing.assert_close(x, y, rtol=ROUNDED)", [1], []),
        ("assert x == approx(3)", [1], []),
        ("assert x == pytest.approx(3, abs=1e-9)", [], [1]),
        ("np.testing.assert_allclose(x, y, rtol=0, atol=4 * 1e-9)", [], [1]),
        ("np.testing.assert_allclose(x, y, rtol=0, atol=1e-9)  # half of the last digit", [], []),
        ("ROUNDED = 1e-15", [], [1]),
        ("ROUNDED = 1e-15  # four roundings", [], []),
    ],
)
def test_what_is_left_open_or_has_no_reason_is_found(source, left, bare):
    assert (left_open(source), without_a_reason(source)) == (left, bare)
