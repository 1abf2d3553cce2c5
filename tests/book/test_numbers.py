"""Figures and equations that the text refers to have numbers, the same on the page and in JupyterLab."""

import re

import pytest
from nbformat import read
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

from mlnotes.book.canonical import ROOT, notebooks

CHAPTERS = {
    path.relative_to(ROOT / "chapters").with_suffix("").as_posix(): path for path in notebooks(ROOT / "chapters")
}
CAPTION = re.compile(r"\*\*Figure (\d+)\.\*\* [^\n]*[^\s.]\.$", re.M)
MEANT_AS_CAPTION = re.compile(r"[*_]+fig(?:ure|\.)?\W|fig(?:ure|\.)? ?\d+[.:]", re.I)
TAG = re.compile(r"\\tag\{(.*?)\}")
NOT_PROSE = re.compile(
    r"```\w.*?```|```[^\n]*|:::[^\n]*|\$\$.*?\$\$|\$[^$]*\$|`[^`]*`|\{\w+:?\w*\}`[^`]*`|\]\([^)]*\)", re.S
)

FIGURE = r"(?:figure|plot|picture|chart|diagram|drawing|panel)s?"
SHOWN = rf"(?:{FIGURE}|graphs?|maps?|curves?|formulas?|formulae|equations?|multiplications?)"
UNNUMBERED = re.compile(
    rf"\b(?:the|this|that|these|those)(?: last| next| first| second| previous| following)? {FIGURE}\b"
    rf"|\b{SHOWN} (?:from )?(?:above|below)\b"
    rf"|\b(?:above|preceding|following|previous|next|last) {SHOWN}\b"
    r"|\b(?:from|see) above\b|\bsee below\b"
    r"|\b(?:equation|formula|eq\.) \d",
    re.I,
)


def prose(source):
    """Leave out formulas, code, roles and the targets of links."""
    return NOT_PROSE.sub(lambda it: "]" if it[0].startswith("]") else "…", source)


def figures_referred_to(text):
    found = re.findall(r"\b[Ff]igures? (\d+)((?:(?:, | and | to |, and |–)\d+)*)", text)
    return [int(it) for first, others in found for it in (first, *re.findall(r"\d+", others))]


def equations_referred_to(text):
    return [int(it) for it in re.findall(r"(?<![\w)])\((\d{1,2})\)", text)]


def shows_something(cell):
    html = [str(output.get("data", {}).get("text/html", "")) for output in cell.get("outputs", [])]
    mimes = [mime for output in cell.get("outputs", []) for mime in output.get("data", {})]
    return any(mime.startswith("image/") for mime in mimes) or any("mlnotes-widget" in it for it in html)


def faults(cells):
    """List what is wrong with the numbers of a chapter."""
    texts = [cell.source for cell in cells if cell.cell_type == "markdown"]
    captions = [int(it) for text in texts for it in CAPTION.findall(text)]
    tags = [it for text in texts for it in TAG.findall(text)]
    for kind, numbers in (("figures", captions), ("equations", tags)):
        if [*map(str, numbers)] != [str(i) for i in range(1, len(numbers) + 1)]:
            yield f"{kind} are numbered {numbers}"
    for before, cell in zip([None, *cells], cells, strict=False):
        if cell.cell_type != "markdown":
            continue
        if any(MEANT_AS_CAPTION.match(it) and not CAPTION.match(it) for it in cell.source.split("\n\n")):
            yield f"cell {cell.id}: a caption has the form **Figure 1.** One sentence."
        elif CAPTION.search(cell.source) and not (CAPTION.match(cell.source) and before and shows_something(before)):
            yield f"cell {cell.id}: a caption begins the cell after its figure"
        text = prose(cell.source)
        yield from (
            f"cell {cell.id}: there is no figure {it}" for it in figures_referred_to(text) if it not in captions
        )
        yield from (
            f"cell {cell.id}: there is no equation ({it})" for it in equations_referred_to(text) if str(it) not in tags
        )


def unnumbered(cells):
    """List what the prose of a chapter refers to without a number, by cell."""
    found = {cell.id: UNNUMBERED.findall(prose(cell.source)) for cell in cells if cell.cell_type == "markdown"}
    return {cell: phrases for cell, phrases in found.items() if phrases}


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_figures_and_equations_count_from_one_and_every_reference_has_its_target(chapter):
    assert [*faults(read(CHAPTERS[chapter], 4).cells)] == []


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_no_phrase_refers_to_a_figure_or_a_formula_without_its_number(chapter):
    found = unnumbered(read(CHAPTERS[chapter], 4).cells)
    assert not found


DRAWN = [new_output("display_data", {"image/svg+xml": "<svg/>"})]
RIGHT = [
    "See (1), $f(2)$, `g(3)`, [a link](x(4).ipynb) and Figures 1 and 2.",
    "$$x\\tag{1}$$",
    DRAWN,
    "**Figure 1.** A line.",
    DRAWN,
]


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({}, []),
        ({5: "**Figure 2.** Another.\n\nWhat (1) says of Figure 2."}, []),
        ({5: "**Figure 2.** Another.", 6: "Figure 2 shows another."}, []),
        ({5: "**Figure 3.** Another."}, ["figures are numbered [1, 3]", "there is no figure 2"]),
        ({5: "**Figure 2**. Another."}, ["there is no figure 2", "has the form", "there is no figure 2"]),
        ({5: "**Figure 2.** Another"}, ["there is no figure 2", "has the form", "there is no figure 2"]),
        ({5: "Figure 2. Another."}, ["there is no figure 2", "has the form", "there is no figure 2"]),
        ({5: "**Figure 2.** Another.", 6: "*Figure* 2. Another."}, ["has the form"]),
        ({5: "Look.\n\n**Figure 2.** Another."}, ["begins the cell after its figure"]),
        ({4: [], 5: "**Figure 2.** Another."}, ["begins the cell after its figure"]),
        ({1: "$$x\\tag{2}$$"}, ["equations are numbered ['2']", "there is no equation (1)"]),
        ({1: "$$x$$"}, ["there is no equation (1)"]),
        ({6: "By (2) and figure 7."}, ["there is no figure 7", "there is no equation (2)"]),
    ],
)
def test_a_number_that_is_wrong_is_found(change, found):
    contents = dict(enumerate([*RIGHT, "**Figure 2.** Another."])) | change
    cells = [new_markdown_cell(it) if isinstance(it, str) else new_code_cell(outputs=it) for it in contents.values()]
    assert all(part in fault for part, fault in zip(found, faults(cells), strict=True))


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("In Figure 1 the curve falls, as (2) says; this holds for $x$ above 1.", 0),
        ("It is [shown below](#later), where no picture helps.", 0),
        ("The figure above, and this plot.", 2),
        ("The pictures show the formula above.", 2),
        ("See the next figure, or see below.", 2),
        ("The map from above and the last equation.", 2),
        ("By equation 1, and formula 2.", 2),
        ("```{exercise} Name\n:label: x\nRead the figure.\n```\n\n```bash\ncat the figure\n```", 1),
    ],
)
def test_a_reference_without_a_number_is_found(text, phrases):
    cell = new_markdown_cell(text)
    assert len(unnumbered([cell]).get(cell.id, [])) == phrases
