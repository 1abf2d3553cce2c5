"""Every number in the prose is given by a cell, or its source is named."""

import re
from functools import cache
from pathlib import Path
from statistics import mean

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from mlnotes.book import canonical as command
from mlnotes.book.canonical import ROOT, notebooks
from mlnotes.book.form import canonical, read, written
from mlnotes.book.prose import CHANCE, mentions, problems, read_numbers, read_prose, search, shown

BOOK = notebooks(ROOT / "chapters")
PAGES = sorted(Path(ROOT / "chapters").rglob("*.md"))
BESIDE = sorted(it for it in Path(ROOT / "tests" / "book" / "beside").glob("*.py") if it.stem != "cells")
committed = cache(read)


@pytest.mark.parametrize("path", BOOK, ids=lambda path: path.stem)
def test_every_number_in_the_prose_of_a_chapter_is_given(path):
    found = problems(committed(path))
    assert not found, "\n".join(["nothing gives", *found])


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT / "chapters").as_posix())
def test_pages_without_cells_mention_no_number_that_a_cell_would_have_to_give(path):
    text = [text for _, text in read_prose(path.read_text(encoding="utf-8"))]
    found = [number for part in text for number in read_numbers(part) if number.counts]
    given = {"53": "the binary digits of a float64 (IEEE 754)"}
    assert [number.around for number in found if number.text not in given] == []


def test_the_readme_names_the_oldest_python_and_no_other_number_without_a_source():
    needed = re.search(r'requires-python = ">=([\d.]+)"', (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    given = {
        needed[1]: "pyproject.toml",
        "3.13": "measured: chapters and tests of functions with this Python, once",
        "3.14": ".github/workflows/book.yml",
        "2 GB": "measured: the size of .venv with PyTorch's CPU build",
        "6 GB": "measured: the size of .venv with PyTorch's CUDA build",
        "98 MB": "measured: the size of the model's file",
        "2.0": "the name of a licence",
        "4.2": "the name of an instruction set",
        "100": "WANTED in mlnotes.book.mutants, as 97 of 100",
        "30 times": "measured: the same tests, emulated",
        "1,300": "the window of tests/book/test_built_book.py",
        "32": "_toc.yml, counted in tests/book/test_promises.py",
        "97": "WANTED in mlnotes.book.mutants, as 97 of 100",
        "10": "measured: the same tests, emulated",
        "15": "tests/book/test_canonical.py",
        "95": "tests/book/test_canonical.py",
        "90": "tests/book/test_canonical.py",
        "8.4": "measured: the column of that window, in inches",
        "7.8": "measured: the column of a solution there, in inches",
        "4.6": "measured: a figure that a window of 400 pixels shows whole, in inches",
    }
    text = [text for _, text in read_prose((ROOT / "README.md").read_text(encoding="utf-8"))]
    assert {number.text for part in text for number in read_numbers(part) if number.counts} <= set(given)


@pytest.fixture(scope="module")
def chances():
    """For each number in the prose of the book, the kind of its cell and what else its section would let pass."""
    found = (mention for path in BOOK for mention in mentions(committed(path)))
    return [(cell.cell_type, number, search(number, near)) for cell, number, near in found]


def test_few_numbers_would_pass_by_chance(chances, record_property):
    shares = {"markdown": [], "code": []}
    for kind, number, passing in chances:
        assert len(passing) <= max(1, CHANCE * len(number.form))
        shares[kind].append(len(passing) / len(number.form))
    prose, alt = mean(shares["markdown"]), mean(shares["code"])
    record_property("measured", f"a random number would pass: in prose {prose:.1%}, in alt texts {alt:.1%}")
    assert max(prose, alt) < 0.05


def test_a_slip_in_the_last_digit_is_noticed_nearly_always(chances, record_property):
    given = [(number, passing) for _, number, passing in chances if number.digits in passing]
    slips = [number.digits + by in passing for number, passing in given for by in (-3, -2, -1, 1, 2, 3)]
    record_property("measured", f"a last digit that is off by 1 to 3 would pass: {mean(slips):.1%}")
    assert mean(slips) < 0.05


def texts(source):
    return [number.text for _, text in read_prose(source) for number in read_numbers(text) if number.counts]


@pytest.mark.parametrize(
    ("source", "expected"),
    {
        "It falls to 0.058, or 5.79e-2.": ["0.058", "5.79e-2"],
        "Of 30,522 tokens, 100 or 2153 are rare.": ["30,522", "100", "2153"],
        "52 of 84 starts, $2^{53}$, $12\\times13$ pixels, f(14)": ["52", "84", "53", "12", "13", "14"],
        "By (12) and (100), Figures 10 and 11 show 13.": ["100", "13"],
        "$\\frac{11}2n$, $\\frac1{16}$, $\\tfrac 1{32}$": ["11", "16", "32"],
        "58.3 %, 58 %, 7%, 12 per cent": ["58.3 %", "58 %", "7%", "12 per cent"],
        "2.7 × as much, 3×, 64 times, 12-fold": ["2.7 ×", "3×", "64 times", "12-fold"],
        "10⁻⁹, $10^{-9}$, $2\\cdot10^{19}$, 1e-16": ["10^-9", "10^-9", "2·10^19", "1e-16"],
        "4 KB, 67 megabytes, 1.5\nmillion": ["4 KB", "67 megabytes", "1.5 million"],
        "$30{,}522$ and $93.6\\,\\%$ and $e\\approx2.718$": ["30,522", "93.6 %", "2.718"],
        "about 0.5, ≈ 0.6, ~0.7": ["0.5", "0.6", "0.7"],
        "a *0.1* **0.2** [0.3](https://a.org/0.9) ~~0.4~~": ["0.1", "0.2", "0.3", "0.4"],
        "# A 0.1\n\n## B 0.2": ["0.1", "0.2"],
        "* a 0.1\n  1. b 0.2\n\n> c 0.3": ["0.1", "0.2", "0.3"],
        "| a 0.1 | b |\n|---|---|\n| 0.2 | $0.3$ |": ["0.1", "0.2", "0.3"],
        "Term 0.1\n: means 0.2": ["0.1", "0.2"],
        ":::{admonition} Of 0.1\n:name: note-200\nand 0.2\n:::": ["0.1", "0.2"],
        "```{exercise} Of 0.1\n:label: exercise-200\nand $0.2$\n```": ["0.1", "0.2"],
        "````{note}\n```{tip}\n0.1\n```\n````": ["0.1"],
        "```{solution-start} exercise-200\n:class: dropdown\n```\nSo 0.1.": ["0.1"],
        "$$\na = 0.1\n$$ (label-200)": ["0.1"],
        "```{math}\n:label: b-300\n0.1\n```": ["0.1"],
        "\\begin{align}\n30{,}522\n\\end{align}": ["30,522"],
        "{math}`0.1` ![alt 0.2](0.3.png)[^1]\n\n[^1]: note 0.4": ["0.1", "0.2", "0.4"],
        "<p>0.1</p>": ["0.1"],
        "It printed `1.0000000000000002` and `[0.25, 1e-3]`.": ["1.0000000000000002", "0.25", "1e-3"],
        "between 0.1–0.2 or 0.3-0.4": ["0.1", "0.2", "0.3", "0.4"],
        "over 10000^{-2r/d}": ["10000"],
    }.items(),
)
def test_numbers_are_read_wherever_they_stand(source, expected):
    assert texts(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        "two of 9, $\\tfrac12$, $\\frac 34$, $\\dfrac56$, $2^5$, (2, 1, 0), 8 × 8 pixels, $a_{12}$, $$x\\tag{12}$$",
        "Figures 10, 11 and 12, figure 13, by (14)",
        "float64, int128, SHA-256, GPT-3.5, all-MiniLM-L6-v2, 3.11.2, 1.0.4.post1, x86-64",
        "`temperature=0.5`, `exp(1000)`",
        "{cite:p}`vaswani2017` {ref}`cell-200` https://a.org/2017 <https://a.org/2017>",
        "(target-200)=\n\n% 0.5 in a comment\n\n<!-- 0.6 -->",
        "```python\nx = 0.5\n```\n\n```{code-block} python\nx = 0.5\n```",
    ],
)
def test_code_names_addresses_indices_and_digits_are_no_numbers_of_the_prose(source):
    assert texts(source) == []


def test_the_form_of_a_number_is_what_its_digits_might_have_been():
    forms = {"0.058": (1, 1000), "2.71": (100, 1000), "58 %": (10, 100), "7": (1, 10), "1e-9": (1, 10), "0.0": (0, 10)}
    assert {number.text: number.form for number in read_numbers("; ".join(forms))} == {
        text: range(*ends) for text, ends in forms.items()
    }


def notebook(prose, *cells, notes=None):
    """Make a notebook of one section: prose with these notes in its metadata, then code cells by name."""
    text = new_markdown_cell(prose, id="prose", metadata={"mlnotes": notes or {}})
    code = [
        new_code_cell(source, id=name, outputs=[output] if isinstance(output, dict) else printed(output))
        for name, source, output in cells
    ]
    return new_notebook(cells=[text, *code])


def printed(text):
    return [new_output("stream", text=text)] if text else []


@pytest.mark.parametrize(
    ("prose", "output"),
    [
        ("0.058", "0.0579"),
        ("0.058", "5.79e-02"),
        ("0.67", "0.665"),
        ("0.66", "0.665"),
        ("0.50", "0.5"),
        ("1.00", "[1. 0.25]"),
        ("10,000", "[1.e+04 1.e-03]"),
        ("1235", "1234.6"),
        ("30,522", "30522"),
        ("30522", "table of 30,522 rows"),
        ("58 %", "0.5794"),
        ("58 %", "57.9%"),
        ("1.5 million", "1520000"),
        ("4.3 gigabytes", "4294967296 bytes"),
        ("67 megabytes", "67.1 MB"),
        ("2.7 ×", "2.71"),
        ("$10^{-9}$", "1.2e-09"),
        ("it falls by 0.42", "-0.42"),
        ("−0.42", "[-0.42]"),
        ("$-0.42$", "-0.4249"),
        ("$x-0.42$", "0.42"),
        ("1.0000000000000002", "1.0000000000000002"),
    ],
)
def test_a_number_is_given_by_what_rounds_to_it(prose, output):
    assert problems(notebook(prose, ("a", "f(x)", output))) == []


@pytest.mark.parametrize(
    ("prose", "output"),
    [
        ("0.056", "0.0579"),
        ("0.058", "0.0574"),
        ("0.058", "58"),
        ("1.00", "[1, 0.25]"),
        ("4,000", "3,987"),
        ("30,522", "30,523"),
        ("30,522", "30, 522"),
        ("58 %", "58"),
        ("58 %", "0.585001"),
        ("1.5 million", "1.5"),
        ("4.3 gigabytes", "4.3 MB"),
        ("$10^{-9}$", "1e-08"),
        ("−0.42", "0.42"),
        ("1.0000000000000002", "1.0"),
        ("0.5", ""),
    ],
)
def test_a_number_is_not_given_by_what_does_not_round_to_it(prose, output):
    (problem,) = problems(notebook(prose, ("a", "f(x)", output)))
    assert problem.startswith("cell prose: ")
    assert problem.endswith("none does either")


def test_literals_give_numbers_and_so_do_all_outputs_but_pictures():
    widget = '<script type="application/json">{"scores": [[0.125, null], "0.75"]}</script>'
    outputs = {
        "0.058": printed("0.058")[0],
        "0.057": new_output("execute_result", {"text/plain": "array([0.0571])", "text/html": "<b>0.9</b>"}),
        "0.056": new_output("error", ename="ValueError", evalue="must be below 0.056"),
        "0.125": new_output("display_data", {"text/html": widget, "text/plain": "<Widget of 0.25>"}),
    }
    for text, output in outputs.items():
        assert problems(notebook(text, ("a", "f(x)", output))) == []
    for source in ("f(0.058)", "x = [5.8e-2]", "-0.058 * x"):
        assert problems(notebook("0.058", ("a", source, ""))) == []
    assert problems(notebook("−0.058", ("a", "f(-0.058)", ""))) == []
    figure = new_output("display_data", {"image/png": "", "text/plain": "<Figure size 921.6x460.8 with 1 Axes>"})
    for text, output in {"921.6": figure, "0.25": outputs["0.125"], "0.75": outputs["0.125"]}.items():
        assert len(problems(notebook(text, ("a", "f(x)", output)))) == 1


def test_a_power_of_ten_is_computed_if_its_exponent_is():
    for prose, output in {"$10^{-9}$": "size 10^-9", "$10^{12}$": "size 10^12"}.items():
        assert problems(notebook(prose, ("a", 'print(f"size 10^{x}", f"size 10^-{-x}")', output))) == []


def test_neither_comments_nor_labels_give_numbers():
    assert len(problems(notebook("Of 597.", ("a", "f(x)  # 597", "")))) == 2, "the comment needs a cell as well"
    source = 'print(f"{missed} of 597")'
    assert len(problems(notebook("Of 597.", ("a", source, "16 of 597")))) == 1
    assert problems(notebook("Of 597.", ("a", source, "597 of 597"))) == []
    for computed in ("1597", "597.25", "0.597"):
        assert problems(notebook(f"It is {computed}.", ("a", 'print("597", x)', f"597 {computed}"))) == []


def test_alt_texts_and_comments_are_prose():
    for metadata, source in (({"mystnb": {"image": {"alt": "It peaks at 0.26."}}}, "f(x)"), ({}, "f(x)  # 0.26")):
        cell = new_code_cell(source, id="figure", metadata=metadata)
        (problem,) = problems(new_notebook(cells=[cell]))
        assert problem.startswith("cell figure: '0.26'")
        cell.outputs = printed("0.259")
        assert problems(new_notebook(cells=[cell])) == []


def test_a_cell_gives_numbers_to_its_own_section_only():
    cells = [
        new_markdown_cell("## One\n\n0.26 and 0.58 and 0.91", id="one"),
        new_code_cell("f(x)", id="first", outputs=printed("0.26")),
        new_markdown_cell("### Below it\n\n0.26\n\n## Two\n\n0.26", id="two"),
        new_code_cell("f(x)", id="second", outputs=printed("0.58")),
    ]
    found = problems(new_notebook(cells=cells))
    assert [re.match(r"cell (\w+): '([\d.]+)' .* elsewhere, (.*)", line).groups() for line in found] == [
        ("one", "0.58", "second"),
        ("one", "0.91", "none does either"),
        ("two", "0.26", "first"),
    ]


def test_many_numbers_give_none():
    every = " ".join(f"{i / 1000:.3f}" for i in range(1000))
    few = "0.580 0.112 0.913"
    assert len(problems(notebook("0.58", ("a", "f(x)", every)))) == 1
    assert problems(notebook("0.58", ("a", "f(x)", every), ("b", "f(x)", few))) == []
    assert len(problems(notebook("0.5", ("a", "f(x)", few)))) == 1, "one digit says too little for three numbers"
    assert problems(notebook("0.5", ("a", "f(x)", "0.5"), ("b", "f(x)", few))) == []


def test_the_nearest_cells_are_searched_first():
    blocks = [" ".join(f"0.{10 + 4 * i + j}" for j in range(4)) for i in range(3)]
    cells = [(name, "f(x)", block) for name, block in zip("abc", blocks, strict=True)]
    assert problems(notebook("0.10", *cells)) == []
    assert len(problems(notebook("0.18", *cells))) == 1
    assert shown(notebook("", *cells).cells[1]) == [[], [0.10, 0.11, 0.12, 0.13]]


def test_the_metadata_may_name_the_cell_or_the_source():
    every = " ".join(f"{i / 100:.2f}" for i in range(100))
    assert problems(notebook("0.58", ("a", "f(x)", every), notes={"numbers": {"0.58": "a"}})) == []
    assert problems(notebook("30,522", notes={"given": {"30,522": "vocabulary (Wang et al., 2020)"}})) == []


@pytest.mark.parametrize(
    ("notes", "complaint"),
    {
        ("numbers", "0.58", "b"): "there is no code cell 'b'",
        ("numbers", "0.58", "prose"): "there is no code cell 'prose'",
        ("numbers", "0.58", "a"): "cell a does not give it",
        ("given", "0.58", " …"): "its source is empty",
        ("given", "0.58", "five seeds, run beside the page"): "its source names no program that measures it again",
        ("given", "0.58", "seen in the figure"): "its source names no program that measures it again",
        ("given", "0.58", "five seeds, beside the page: tests/no.py"): "there is no program 'tests/no.py'",
        ("numbers", "0.59", "a"): "its metadata has '0.59' under 'numbers', its prose has not",
        ("given", "0.59", "a book"): "its metadata has '0.59' under 'given', its prose has not",
    }.items(),
)
def test_the_metadata_must_hold(notes, complaint):
    kind, text, value = notes
    output = "0.579" if text == "0.59" else "0.31"
    found = problems(notebook("0.58", ("a", "f(x)", output), notes={kind: {text: value}}))
    assert len(found) == 1
    assert found[0].endswith(complaint)


def test_what_is_measured_beside_the_page_is_given_by_a_program_that_is_there():
    source = "tests/book/beside/attention_transformer.py: five seeds, beside the page"
    assert problems(notebook("0.58", notes={"given": {"0.58": source}})) == []


@pytest.mark.parametrize("path", BESIDE, ids=lambda path: path.stem)
def test_a_program_beside_the_pages_measures_for_the_chapter_that_it_is_called_after(path):
    nb = committed(ROOT / "chapters" / f"{path.stem.replace('_', '/', 1)}.ipynb")
    sources = [it for cell in nb.cells for it in cell.metadata.get("mlnotes", {}).get("given", {}).values()]
    assert any(path.relative_to(ROOT).as_posix() in it for it in sources)


def test_the_canonical_form_keeps_what_the_metadata_says():
    notes = {"numbers": {"0.58": "a"}, "given": {"30,522": "a book"}}
    nb = notebook("0.58 of 30,522", ("a", "f(x)", "0.58"), notes=notes)
    kept = nbformat.v4.reads(written(canonical(nb)))
    assert kept.cells[0].metadata == {"mlnotes": notes}
    assert problems(kept) == []


def test_running_a_notebook_says_which_numbers_nothing_gives(tmp_path, monkeypatch, capsys):
    async def execute(path):
        return canonical(read(path))

    monkeypatch.setattr(command, "execute", execute)
    path = tmp_path / "chapter.ipynb"
    for output, status in (("0.31", 1), ("0.58", 0)):
        cells = notebook("It is 0.58.", ("a", "f(x)", output)).cells
        cells[1].execution_count = 1
        nbformat.write(new_notebook(cells=cells), path)
        assert command.main([str(path)]) == status
        assert ("cell prose: '0.58' in 'It is 0.58.'" in capsys.readouterr().err) == bool(status)
