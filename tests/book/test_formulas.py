"""What the formulas say is so: their LaTeX is read, and both sides of each relation are compared."""

import re
from functools import cache

import numpy as np
import pytest

from mlnotes.blocks.softmax import softmax
from mlnotes.book import formula_values
from mlnotes.book.canonical import ROOT, notebooks
from mlnotes.book.formula_values import formulas, problems, reasons
from mlnotes.book.formulas import FormulaError, From, evaluate

CHAPTERS = {path.stem: path for path in notebooks(ROOT / "chapters") if path.parent != ROOT / "chapters"}
NOTICED = 0.9  # of the slips in each chapter; the others change nothing, such as a sign within a square
OF_ALL = 0.96

rng = np.random.default_rng(0)
A, B, x, y = rng.normal(size=(2, 3)), rng.normal(size=(3, 5)), rng.normal(size=3), rng.normal(size=3)
LETTERS = {
    r"\mathbf A": A,
    r"\mathbf B": B,
    r"\mathbf C": A @ B,
    r"\mathbf x": x,
    r"\mathbf y": y,
    r"\mathbf I": np.eye(3),
    "i": range(1, 3),
    "j": range(1, 6),
    "k": range(1, 4),
    "m": 2,
    "n": 3,
    "t": 0.7,
    "f": np.sin,
    "f'": np.cos,
    "s": From(lambda at: float((at[r"\mathbf x"] ** 2).sum())),
    r"\mathrm{softmax}": lambda x: softmax(x[:, 0]),
}


def name_of(chapter):
    return f"{CHAPTERS[chapter].parent.name}/{chapter}"


def read_of(chapter):
    return [it for it in formulas(name_of(chapter)) if it.is_read]


def slips(latex):
    """Change one sign, leave one transposition out, or count one digit up."""
    bare = re.sub(r"\\tag\{\w+\}|\[-2pt\]|\\text\{[^}]*\}", lambda it: " " * len(it[0]), latex)
    for it in re.finditer(r"[-+]|\^\{?\\mathsf\s?T\}?|\d", bare):
        change = {"+": "-", "-": "+"}.get(it[0], str((int(it[0]) + 1) % 10) if it[0].isdigit() else "")
        yield latex[: it.start()] + change + latex[it.end() :]


def is_noticed(latex, values):
    try:
        evaluate(latex, values)
    except (ArithmeticError, LookupError, TypeError, ValueError, Warning, np.linalg.LinAlgError):
        return True
    return False


@cache
def tried(chapter):
    """Make every slip in the formulas of a chapter, and see which are noticed."""
    return [(it.place, slip, is_noticed(slip, it.values)) for it in read_of(chapter) for slip in slips(it.latex)]


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_formula_of_a_chapter_and_its_functions_has_values(chapter):
    assert problems(name_of(chapter)) == []
    assert all(reasons(name_of(chapter)).values())


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_formula_of_a_chapter_and_its_functions_is_true(chapter):
    for it in read_of(chapter):
        assert evaluate(it.latex, it.values), it.place


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_slips_in_the_formulas_of_a_chapter_and_its_functions_are_noticed(chapter):
    passed = [(place, slip) for place, slip, noticed in tried(chapter) if not noticed]
    assert len(passed) <= (1 - NOTICED) * len(tried(chapter)), passed


@pytest.mark.parametrize(
    "latex",
    [
        r"\underset{m\times5}{\mathbf C}=\mathbf A\mathbf B,\qquad c_{ij}=\sum_{k=1}^na_{ik}\,b_{kj}.\tag{1}",
        r"\mathbf x\cdot\mathbf y=\mathbf x^{\mathsf T}\mathbf y=\sum_kx_ky_k,",
        r"\lVert\mathbf x-\mathbf y\rVert^2=\lVert\mathbf x\rVert^2-2\,\mathbf x\cdot\mathbf y+\lVert\mathbf y\rVert^2",
        r"(\mathbf A\mathbf B)^{\mathsf T}=\mathbf B^{\mathsf T}\mathbf A^{\mathsf T}",
        r"\mathrm{softmax}(\mathbf x)_k=\frac{\exp x_k}{\sum_{n=1}^3\exp x_n}",
        r"\frac{\partial s}{\partial x_k}=2x_k,\quad\frac{\partial s}{\partial\mathbf x}=2\mathbf x",
        r"\frac{d}{dt}f(2t)=2f'(2t)",
        r"\partial s/\partial x_k=2x_k",
        r"\begin{aligned}(t+1)^2&=t^2+2t+1\\&=t(t+2)+1\end{aligned}",
        r"\begin{pmatrix}1&t\\&2\end{pmatrix}\begin{pmatrix}1\\t\end{pmatrix}=\begin{pmatrix}1+t^2\\2t\end{pmatrix}",
        r"\max_k|x_k|\le\lVert\mathbf x\rVert_2\le\sqrt n\,\max_k|x_k|",
        r"\underbrace{\mathbf x\cdot\mathbf x}_{s}=\sum_{k}x_k^2\quad\text{for every such }\mathbf x",
        r"\int_0^1t^2\,dt=\tfrac13",
        r"8\cdot2^{-3}=1,\quad\lceil5t\rceil=4,\quad\lfloor5t\rfloor=3,\quad[n=3]=1",
        r"\sum_{k\ne2}x_k=x_1+x_3",
        r"(\mathbf x+\mathbf y)\cdot(\mathbf x-\mathbf y)=\mathbf x\cdot\mathbf x-\mathbf y\cdot\mathbf y",
    ],
)
def test_what_is_true_is_so_and_no_slip_in_it_is(latex):
    assert evaluate(latex, LETTERS)
    found = list(slips(latex))
    assert found
    assert [it for it in found if not is_noticed(it, LETTERS)] == []


@pytest.mark.parametrize(
    ("latex", "complaint"),
    [
        (r"\mathbf A\mathbf x=\mathbf y", "one shape"),
        (r"\mathbf x\mathbf y=s", "side by side must fit"),
        (r"\mathbf x\cdot\mathbf A=s", "two columns of one length"),
        (r"\mathbf x+\mathbf A=\mathbf x", "terms of a sum"),
        (r"\underset{n\times m}{\mathbf A}=\mathbf A", "the shape under a symbol"),
        (r"\underset{n\times m}{\mathbf A}", "the shape under a symbol"),
        (r"\underbrace{\mathbf x\cdot\mathbf y}_{s}=\sum_kx_ky_k", "what stands under"),
        (r"z=1", "nothing is given for z"),
        (r"x_0=x_1", "count from 1"),
        (r"t+", "something must stand"),
        (r"(t+1=2", r"\) must follow"),
        (r"\mathbf x", "must hold a relation"),
        (r"t=\frac{1}{2}3)", "cannot read on"),
        (r"k=k,\quad k=1,\dots,n+1", "must run from 1.0 to 4.0"),
        (r"x_k=y_k", "is not so at k = 1"),
        (r"n=n,\quad x_1=99x_1,\dots,x_n=99x_n", "is not so"),
        (r"\sum_kx_k=\sum_kx_k\quad(n>4)", "none were tried"),
        (r"x_9=1", "cannot read or compute it"),
        (r"\prod_{i=2}^1x_i=1", "cannot read or compute it"),
        (r"t\approx0.7", "cannot read or compute it"),
        (r"t=\sqrt", "cannot read or compute it"),
        (r"t/0=1", "cannot read or compute it"),
        (r"x_t=1", "what counts must be an integer, got 0.7"),
        (r"\sum_{i=1}^{n/2}x_i=1", "what counts must be an integer, got 1.5"),
    ],
)
def test_what_is_not_so_or_cannot_be_read_is_told(latex, complaint):
    with pytest.raises(FormulaError, match=complaint):
        evaluate(latex, LETTERS)


@pytest.mark.parametrize(
    ("latex", "values"),
    [
        (r"t\approx0.71", {"≈": 0.02}),
        (r"2t+1", {"value": 2.4}),
        (r"2t,\quad3t", {"value": (1.4, 2.1)}),
        (r"t=0.7", {"=": 0.7}),
        (r"t\le0.7", {"reached": True}),
        (r"t\leftarrow2t,\quad n=t+1.6", {r"t\leftarrow": 1.4}),
        (r"\text{half:}\quad t=0.35\quad\text{all:}\quad t=0.7", {r"\text{half:}": {"t": 0.35}, r"\text{all:}": {}}),
        (r"x_0=x_3", {"wrap": True}),
        (r"(t^2)'=2t", {"'": "t"}),
        (r"n\pm1=n\pm1", {r"\pm": [1, -1]}),
        (r"0=t-0.7+\tfrac1{10^{17}}", {"scale": 1.0}),
        (r"\Bigl[t^2\Bigr]_1^2=3", {"[": "t"}),
        (r"\underset{n}{\mathbf x}=n^0\mathbf x", {"n": 5, r"\underset n": 3}),
    ],
)
def test_keys_that_are_no_letters_say_what_is_meant_and_are_compared(latex, values):
    assert evaluate(latex, LETTERS | values)
    wrong = {"≈": 1e-3, "value": 2.0, "=": 0.8, r"t\leftarrow": 1.5, r"\text{half:}": {"t": 0.4}, "[": "s"}
    wrong |= {"'": "n", r"\underset n": 2, r"\pm": [], "scale": 0.0}
    for name in wrong.keys() & values.keys():
        assert is_noticed(latex, LETTERS | values | {name: wrong[name]}), name


def test_a_pair_that_is_only_nearly_equal_is_not_equal_when_both_are_said_to_be_reached():
    with pytest.raises(FormulaError, match="is not so"):
        evaluate(r"t\le0.71", LETTERS | {"reached": True})


def test_nearly_all_slips_in_all_formulas_are_noticed():
    assert np.mean([noticed for chapter in CHAPTERS for *_, noticed in tried(chapter)]) > OF_ALL


def test_a_formula_without_values_and_values_without_a_formula_are_problems(monkeypatch):
    given = formula_values._given("blocks/softmax")
    others = {place: values for place, values in given.FORMULAS.items() if place != "95c02f1e"}
    monkeypatch.setattr(given, "FORMULAS", others | {"no-cell": [{}]})
    monkeypatch.setattr(given, "INLINE", {"95c02f1e": {"a=b": {}}})
    monkeypatch.setattr(given, "DOCSTRINGS", {})
    found = problems("blocks/softmax")
    assert "values are given for 1 displayed formulas in no-cell, which has 0" in found
    assert "95c02f1e no longer has a=b" in found
    for latex in (r"\bar x'=\sum_i", r"H=\mathrm{lse}", r"\frac{\exp(x_i - \max\mathbf x)}"):
        assert any(it.startswith("nothing is given for") and latex in it for it in found)
