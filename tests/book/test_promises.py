"""What the README and the start page say of every chapter is so."""

import ast
import functools
import re
from statistics import mean

import pytest
import yaml

from mlnotes.book.canonical import ROOT, notebooks
from mlnotes.book.chapter_map import read_map
from mlnotes.book.form import LONGEST, read
from mlnotes.book.mutants import WANTED
from mlnotes.book.processors import ARM, X86

SPAN = re.compile(r"(?<![`}])`([^`\n]+)`(?!`)")
SIGNATURE = re.compile(r"`(my_\w+)\(([^`]*)\)`")
CHAPTERS = [path for path in notebooks(ROOT / "chapters") if path.parent.name != "chapters"]


def prose_of(cells):
    return "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def works_cited(text):
    return [key.strip() for role in re.findall(r"\{cite:?\w*\}`([^`]*)`", text) for key in role.split(",")]


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_says_what_it_needs_goes_wrong_and_costs_and_ends_with_exercises_that_are_checked(path):
    cells = read(path).cells
    prose = prose_of(cells)
    headings = re.findall("^## (.*)", prose, re.MULTILINE)
    assert {"Why believe it", "Where it goes wrong", "What it costs"} <= set(headings)
    assert headings[-2:] == ["Exercises", "Summary"]
    assert "**You need**" in cells[0].source
    assert ":class: predict" in prose
    assert prose.count("{exercise}") == prose.count("{solution-start}") >= 3
    assert any(re.search(r"\bcheck\(", cell.source) for cell in cells if cell.cell_type == "code")


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_what_a_cell_calls_to_be_seen_is_its_last_expression_or_it_would_not_be(path):
    for cell in (it for it in read(path).cells if it.cell_type == "code"):
        *before, last = ast.parse(cell.source).body
        lost = [it for part in (*before, last) for it in ast.walk(part) if isinstance(it, ast.Expr) and it is not last]
        called = {it.value.func.id for it in lost if isinstance(it.value, ast.Call) and hasattr(it.value.func, "id")}
        assert not called & {"check", "evidence", "show"}, cell.id


def test_the_readme_counts_the_chapters_and_names_the_parts():
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    parts = list(dict.fromkeys(it.part.lower() for it in read_map(ROOT / "chapters/map.yml")))
    assert len(parts) == 4
    assert f"{len(CHAPTERS)} chapters in four parts, {', '.join(parts[:-1])} and {parts[-1]}," in readme


def test_the_readme_says_what_cells_mutants_and_kernels_are_held_to():
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert f"cells have at most {LONGEST} lines" in readme
    assert f"refuse at least {100 * WANTED:g} of 100 versions" in readme
    assert re.findall(r"\| `(\w+)` \| (\w+) \|", readme) == [(name, told[1]) for name, told in X86.items() if told]
    assert f"`old` means OpenBLAS's {ARM['old'][1]} and" in readme


def test_the_start_page_names_the_shortest_way_to_grouped_query_attention_as_the_map_has_it():
    chapters = {it.name: it for it in read_map(ROOT / "chapters/map.yml")}
    needed, way = ["efficient/grouped_query"], set()
    while needed:
        way.add(name := needed.pop())
        needed.extend(chapters[name].needs)
    text = (ROOT / "chapters/index.md").read_text(encoding="utf-8")
    [told] = re.findall(r"The shortest way.*?(?=\n\n)", text, re.DOTALL)
    assert re.findall(r"\{doc\}`[^<`]*<([^>]*)>`", told) == [name for name in chapters if name in way]
    assert len(way) == 10
    assert "has ten:" in told


def test_the_pages_show_the_committed_outputs_for_building_runs_nothing():
    assert yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["execute"] == {"execute_notebooks": "off"}


def test_the_bibliography_lists_what_is_cited_and_nothing_else():
    works = re.findall(r"^@\w+\{([^,]+),", (ROOT / "chapters/references.bib").read_text(encoding="utf-8"), re.MULTILINE)
    pages = [*notebooks(ROOT / "chapters"), *(ROOT / "chapters").rglob("*.md")]
    assert len(works) == len(set(works))
    assert set(works_cited("\n".join(it.read_text(encoding="utf-8") for it in pages))) == set(works)


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_ends_with_the_works_that_it_cites_in_the_order_of_the_alphabet(path):
    text, listed = prose_of(read(path).cells).split("**References:**")
    assert works_cited(listed) == sorted(set(works_cited(text)))


def test_a_key_has_the_year_of_its_work_or_that_of_its_preprint_which_the_entry_says():
    text = (ROOT / "chapters/references.bib").read_text(encoding="utf-8")
    for key, entry in re.findall(r"^@\w+\{([^,]+),(.*?)^\}", text, re.MULTILINE | re.DOTALL):
        year = re.search(r"^ *year *= \{(\d{4})\}", entry, re.MULTILINE)[1]
        assert re.search(r"\d{4}", key)[0] in (year, *re.findall(r"arXiv:\S+ \((\d{4})\)", entry)), key
        preprint = [2000 + int(it) for it in re.findall(r"arXiv:(\d\d)\d\d\.\d{4,5}\b", entry)]
        assert all(0 <= int(year) - it <= 3 for it in preprint), key


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_an_exercise_asks_for_what_its_stub_begins_and_its_solution_writes(path):
    cells = read(path).cells
    text, written = prose_of(cells), {}
    for node in (it for cell in cells if cell.cell_type == "code" for it in ast.parse(cell.source).body):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("my_"):
            written.setdefault(node.name, []).append(ast.unparse(node.args))
    asked = {name: ast.unparse(ast.parse(f"def _({it}): ...").body[0].args) for name, it in SIGNATURE.findall(text)}
    assert written == {name: [it, it] for name, it in asked.items()}


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_solution_follows_its_exercise_and_no_text_refers_to_an_exercise_that_is_not_there(path):
    text = prose_of(read(path).cells)
    labels = re.findall(r"^:label: (exercise\S*)$|\{solution-start\} (\S+)$", text, re.MULTILINE)
    order = [exercise or solution for exercise, solution in labels]
    assert order[::2] == order[1::2]
    assert len(set(order)) == text.count("{exercise}")
    assert all(int(it) <= text.count("{exercise}") for it in re.findall(r"\b[Ee]xercises? (\d+)", text))


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_name_of_code_in_the_text_stands_in_a_cell_of_its_chapter_or_in_the_package(path):
    cells = read(path).cells
    cells_of_code = "\n".join(str((cell.source, cell.outputs)) for cell in cells if cell.cell_type == "code")
    named = re.findall(r"\b[A-Za-z]\w*_\w+|\b[A-Za-z_]\w*(?=\()", " ".join(SPAN.findall(prose_of(cells))))
    assert {it for it in set(named) - words_of_the_package() if it not in cells_of_code} == set()


def test_the_notation_is_in_reading_order_and_its_names_of_code_stand_in_the_chapters_that_it_gives_for_them():
    rows = re.findall(
        r"^\|.*\| (.*) \| \{doc\}`(.*)` \|$", (ROOT / "chapters/notation.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert len(rows) > 50
    order = [it.name for it in read_map(ROOT / "chapters/map.yml")]
    assert [it for _, it in rows] == sorted((it for _, it in rows), key=order.index)
    for code, chapter in rows:
        cells = read(ROOT / f"chapters/{chapter}.ipynb").cells
        text = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
        known = re.findall(r"\w+", text + (ROOT / f"mlnotes/{chapter}.py").read_text(encoding="utf-8"))
        assert {*re.findall(r"[A-Za-z_]\w*", " ".join(SPAN.findall(code)))} <= {*known}, (code, chapter)


@functools.cache
def words_of_the_package():
    files = (ROOT / "mlnotes").rglob("*.py")
    return {word for path in files for word in re.findall(r"\w+", path.read_text(encoding="utf-8"))}


# Links whose words stand nowhere in the chapter that is meant, and why they lead there all the same.
SAID_OTHERWISE = {
    ("by differences", "blocks/derivatives"): "difference quotients",
    ("its slope", "blocks/softmax"): "the Jacobian",
    ("linear equations", "blocks/lu"): "elimination solves them",
    ("the valleys", "blocks/optimization"): "of its functions",
    ("score every word", "applications/embedding"): "scores of the tied table",
    ("next chapter", "efficient/grouped_query"): "it comes next",
    ("compressed", "efficient/latent"): "to latents",
    ("sizes of the inputs", "efficient/latent"): "its controls",
    ("all of it together", "efficient/language_model"): "the ledger",
    ("the last one", "efficient/language_model"): "it comes last",
    ("The real decoder", "efficient/language_model"): "SmolLM2",
    ("share", "efficient/grouped_query"): "heads that share keys",
    ("an earlier chapter", "applications/whitening"): "it comes earlier",
    ("mechanism", "attention/causal_mask"): "of induction",
}


@functools.cache
def known_by_chapter():
    """Tell what each chapter is about: how words of its title, headings, terms in bold and names begin."""
    known = {}
    for chapter in read_map(ROOT / "chapters/map.yml"):
        prose = prose_of(read(ROOT / f"chapters/{chapter.name}.ipynb").cells)
        module = (ROOT / f"mlnotes/{chapter.name}.py").read_text(encoding="utf-8")
        names = re.findall(r"^(?:def|class) (\w+)", module, re.M)
        told = [chapter.title, chapter.name, *re.findall(r"^#+ (.*)$|\*\*([^*\n]+)\*\*", prose, re.M), *names]
        known[chapter.name] = beginnings(" ".join("".join(it) for it in told))
    return known


def beginnings(text):
    words = re.findall(r"[A-Za-z]{2,}", text.replace("_", " "))
    return {it.rstrip("s")[:5].lower() for it in words} - {*"all an and by for in is it its of the them to".split()}


def links_to_chapters(path):
    for text, target in re.findall(r"\[([^\]\n]+)\]\(([\w/.]+)\.ipynb[^)]*\)", prose_of(read(path).cells)):
        name = (path.parent / target).resolve().relative_to(ROOT / "chapters").as_posix()
        if name in known_by_chapter():
            yield text, name


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_the_words_of_a_link_to_a_chapter_are_about_it(path):
    links = {*links_to_chapters(path)} - SAID_OTHERWISE.keys()
    assert links
    assert {(text, name) for text, name in links if not beginnings(text) & known_by_chapter()[name]} == set()


def test_few_links_would_fit_another_chapter(record_property):
    links = [link for path in CHAPTERS for link in links_to_chapters(path)]
    assert SAID_OTHERWISE.keys() <= {*links}
    known = known_by_chapter()
    others = [bool(beginnings(text) & known[it]) for text, name in links for it in known.keys() - {name}]
    record_property("measured", f"a link to another chapter than the one meant would pass: {mean(others):.0%}")
    assert mean(others) < 0.3
