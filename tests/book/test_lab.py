"""What JupyterLab is given of the book, and what it gives back."""

import asyncio
import json
import os
import re
import shutil

import nbformat
import pytest
from ipykernel.ipkernel import IPythonKernel

from mlnotes.book import lab, lab_form
from mlnotes.book.form import canonical, keep_equal, read, written
from mlnotes.book.kernel import ONE_THREAD
from mlnotes.book.lab import Chapters, options
from mlnotes.book.lab_form import CHAPTERS, as_committed, notebooks_of_the_book, page, shown, unshown

NOTEBOOKS = notebooks_of_the_book()


def markdown(*texts):
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(text) for text in texts])


def said(text, depth=1):
    (cell,) = shown(markdown(text), depth).cells
    assert as_committed(cell.source) == text
    return cell.source


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_chapter_is_shown_without_roles_and_comes_back_as_it_was(name):
    text = (CHAPTERS / name).read_text(encoding="utf-8")
    there = shown(read(CHAPTERS / name), name.count("/"))
    assert not re.search(r"\{(cite:|solution-)", "".join(it.source for it in there.cells if it.cell_type == "markdown"))
    assert written(canonical(unshown(there))) == text


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_chapter_that_a_browser_saves_untouched_is_the_same_file(name):
    def number(text):  # JavaScript has one kind of number, and writes 0.0 as 0
        return int(float(text)) if float(text).is_integer() else float(text)

    before = read(CHAPTERS / name)
    content = json.loads(json.dumps(shown(before, name.count("/"))), parse_float=number)
    saved = canonical(unshown(nbformat.from_dict(content)))
    keep_equal(before, saved)
    assert written(saved) == (CHAPTERS / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_what_is_folded_is_what_stands_between_the_gates_of_solutions(name):
    before, solution = read(CHAPTERS / name), False
    for was, cell in zip(before.cells, shown(before, 1).cells, strict=True):
        if cell.cell_type == "code":
            assert cell.metadata.get("jupyter", {}).get("outputs_hidden", False) == solution, cell.id
        elif gates := re.findall(r"\{solution-(start|end)\}", was.source):
            solution = gates[-1] == "start"


def test_works_are_cited_by_name_and_year_in_brackets_or_in_the_text():
    assert said("One {cite:p}`luce1959`.") == "One ([Luce, 1959](../bibliography.md#luce1959))."
    assert said("{cite:t}`milakov2018` say") == ("[Milakov and Gimelshein (2018)](../bibliography.md#milakov2018) say")
    assert said("{cite:p}`luce1959,guo2017`", 0).endswith("; [Guo et al., 2017](bibliography.md#guo2017))")


@pytest.mark.parametrize(
    "text",
    [
        "({cite:t}`dao2022`)",
        "{cite:t}`luce1959`, {cite:t}`guo2017`",
        "{cite:t}`luce1959,guo2017`",
        "```{solution-start} exercise-a\n:class: dropdown\n```",
        "```{solution-start} exercise-a\n:class: dropdown\n```\nBy {cite:p}`luce1959`:\n\n$$\n1\n$$",
        "```{solution-end}\n```\n\n```{exercise} Next\n:label: exercise-b\nWrite it.\n```",
        "```{solution-start} exercise-a\n:class: dropdown\n```\nShort.\n```{solution-end}\n```\n\n## Next",
    ],
)
def test_every_form_has_a_way_back(text):
    assert said(text) != text


def test_a_citation_that_would_not_come_back_as_it_is_stays():
    assert said("{cite:p}` luce1959 `") == "{cite:p}` luce1959 `"


@pytest.mark.parametrize("text", ["By {cite:p}`nobody1900`.", "By {cite:t}`luce1959,nobody1900`."])
def test_a_citation_of_an_unknown_work_stays(text):
    assert said(text) == text


def test_the_bibliography_is_read_again_when_its_file_has_changed(tmp_path, monkeypatch):
    monkeypatch.setattr(lab_form, "CHAPTERS", tmp_path)
    file, text, work = tmp_path / "references.bib", "{cite:t}`new`", "@misc{new, author = {Ann New}, title = {T}%s}\n"
    file.write_text(work % "", encoding="utf-8")
    assert said(text) == text  # it has no year yet
    file.write_text(work % ", year = {2026}", encoding="utf-8")
    os.utime(file, ns=(1, 1))
    assert said(text) == "[New (2026)](../bibliography.md#new)"
    assert page("bibliography.md", "```{bibliography}\n```").startswith("(new)=\nNew, Ann")
    file.write_text("@misc{new", encoding="utf-8")
    os.utime(file, ns=(2, 2))
    assert said(text) == text
    assert page("bibliography.md", "```{bibliography}\n```") == "```{bibliography}\n```"


@pytest.mark.parametrize(
    "text",
    [
        "{doc}`nowhere`",
        "{doc}`/chapters/notation`",
        "```{api} mlnotes.nothing\n```",
        "```{api} nothing.at.all\n```",
        "```{api} math\n```",
        "{cite:p}`nobody1900`",
    ],
)
def test_what_a_page_names_and_nobody_knows_stays(text):
    assert page("notation.md", text) == text


def test_a_page_without_a_title_is_linked_by_its_name(tmp_path, monkeypatch):
    monkeypatch.setattr(lab_form, "CHAPTERS", tmp_path)
    (tmp_path / "plain.md").write_text("No title.\n", encoding="utf-8")
    (tmp_path / "broken.ipynb").write_text("<<<<<<< mine\n", encoding="utf-8")
    assert page("index.md", "{doc}`plain`, {doc}`broken`") == "[plain](plain.md), [broken](broken.ipynb)"


def test_a_page_of_the_reference_without_a_module_is_listed(tmp_path, monkeypatch):
    monkeypatch.setattr(lab_form, "CHAPTERS", tmp_path)
    (tmp_path / "api").mkdir()
    (tmp_path / "api" / "mine.md").write_text("# Mine\n", encoding="utf-8")
    assert page("api/index.md", "```{api-list}\n```") == "* [mine](mine.md): "


def test_text_inside_a_solution_is_folded_too():
    gates = "```{solution-start} exercise-a\n:class: dropdown\n```", "```{solution-end}\n```"
    nb = markdown(gates[0], "More of it.", gates[1])
    there = shown(nb, 1)
    assert ":class: dropdown" in there.cells[1].source
    assert unshown(there) == nb


def test_the_start_page_lists_what_the_table_of_contents_does():
    text = page("index.md", (CHAPTERS / "index.md").read_text(encoding="utf-8"))
    links = re.findall(r"^\* \[.*\]\((.*)\)$", text, re.MULTILINE)
    assert links == [it for it in NOTEBOOKS if it != "verification.ipynb"]


def test_the_start_page_does_not_say_that_it_is_a_built_one():
    text = (CHAPTERS / "index.md").read_text(encoding="utf-8")
    assert "You are looking at them" in text
    assert "As pages\n: `make book` builds them." in page("index.md", text)


@pytest.mark.parametrize(
    "name", ["index.md", "bibliography.md", "notation.md", "api/index.md", "api/blocks/softmax.md"]
)
def test_pages_have_no_directives_and_their_links_lead_somewhere(name):
    text = page(name, (CHAPTERS / name).read_text(encoding="utf-8"))
    assert not re.search(r"^```\{|\{(doc|cite)", text, re.MULTILINE)
    for link in re.findall(r"\]\(((?!http|#)[^)\s]+\.(?:md|ipynb))\)", text):
        assert ((CHAPTERS / name).parent / link).resolve().exists(), link


@pytest.fixture
def served(tmp_path):
    (tmp_path / "blocks").mkdir()
    for name in ("index.md", "notation.md", "references.bib", "map.yml", "blocks/softmax.ipynb"):
        shutil.copy2(CHAPTERS / name, tmp_path / name)
    hidden = [it.split("=")[1] for it in options(tmp_path) if it.startswith("--ContentsManager.hide_globs=")]
    manager = Chapters(root_dir=str(tmp_path), hide_globs=hidden)
    manager.notary.db_file = ":memory:"
    return manager, tmp_path / "blocks" / "softmax.ipynb"


def test_a_saved_chapter_differs_from_the_committed_one_by_what_the_reader_changed(served):
    manager, file = served
    before = file.read_text(encoding="utf-8")
    model = asyncio.run(manager.get("blocks/softmax.ipynb"))
    nb = model["content"]
    for cell in nb.cells:  # as after Run All: other counts, times, and folds that were opened
        if cell.cell_type == "code":
            cell.execution_count = cell.execution_count + 100
            cell.metadata["execution"] = {"iopub.execute_input": "2026-01-01T00:00:00Z"}
            cell.metadata.get("jupyter", {}).pop("outputs_hidden", None)
    nb.metadata["language_info"]["version"] = "3.99"
    printed = next(it for it in nb.cells if it.cell_type == "code" and it.outputs and "text" in it.outputs[0])
    assert "0.667" in printed.outputs[0].text
    printed.outputs[0].text = printed.outputs[0].text.replace("0.667", "0.6670000001")
    asyncio.run(manager.save({"type": "notebook", "format": "json", "content": nb}, "blocks/softmax.ipynb"))
    assert file.read_text(encoding="utf-8") == before

    nb.cells[0].source += " Mine."
    asyncio.run(manager.save({"type": "notebook", "format": "json", "content": nb}, "blocks/softmax.ipynb"))
    after = file.read_text(encoding="utf-8")
    assert [line for line in after.splitlines() if line not in before.splitlines()] == [
        line for line in after.splitlines() if " Mine." in line
    ]
    assert " Mine." in after


def trusted(manager, name):
    cells = asyncio.run(manager.get(name))["content"].cells
    return {it.metadata.get("trusted") for it in cells if it.cell_type == "code"}


def test_only_the_chapters_of_the_book_itself_are_trusted_before_they_run(served, monkeypatch):
    manager, file = served
    assert trusted(manager, "blocks/softmax.ipynb") == {False}  # a copy in a folder of the reader's
    monkeypatch.setattr(lab_form, "CHAPTERS", file.parents[1])
    assert trusted(manager, "blocks/softmax.ipynb") == {True}
    shutil.copy2(file, file.with_name("mine.ipynb"))
    assert trusted(manager, "blocks/mine.ipynb") == {False}


def test_a_chapter_of_the_book_that_is_opened_and_saved_is_the_same_file(served, monkeypatch):
    manager, file = served
    monkeypatch.setattr(lab_form, "CHAPTERS", file.parents[1])
    before = file.read_text(encoding="utf-8")
    content = asyncio.run(manager.get("blocks/softmax.ipynb"))["content"]
    assert content.metadata.language_info == IPythonKernel.language_info  # so that no kernel's answer changes it
    asyncio.run(manager.save({"type": "notebook", "format": "json", "content": content}, "blocks/softmax.ipynb"))
    assert file.read_text(encoding="utf-8") == before


def test_kernels_use_one_thread_unless_the_reader_says_otherwise(monkeypatch):
    monkeypatch.setattr(os, "environ", {"OMP_NUM_THREADS": "3"})
    monkeypatch.setattr(lab.LabApp, "launch_instance", lambda arguments: None)
    lab.main([])
    assert {name: os.environ[name] for name in ONE_THREAD} == ONE_THREAD | {"OMP_NUM_THREADS": "3"}


def test_a_page_that_is_shown_otherwise_than_it_is_written_cannot_be_saved(served):
    manager, file = served
    file.with_name("own.md").write_text("# Mine\n", encoding="utf-8")
    assert not asyncio.run(manager.get("index.md"))["writable"]
    assert asyncio.run(manager.get("blocks/own.md"))["writable"]
    assert "{chapter-map}" not in asyncio.run(manager.get("index.md"))["content"]


def test_a_page_that_is_no_text_is_listed_and_opens_as_what_it_is(served):
    manager, file = served
    file.with_name("latin.md").write_bytes("# Où\n".encode("latin-1"))
    assert {it["name"] for it in asyncio.run(manager.get("blocks"))["content"]} == {"softmax.ipynb", "latin.md"}
    model = asyncio.run(manager.get("blocks/latin.md"))
    assert (model["format"], model["writable"]) == ("base64", True)


def test_files_that_only_the_build_reads_are_not_listed(served):
    manager, _ = served
    names = {it["name"] for it in asyncio.run(manager.get(""))["content"]}
    assert names == {"index.md", "notation.md", "blocks"}
