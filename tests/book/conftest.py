"""The book as a reader gets it: built once from this checkout, then opened in a browser."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from filelock import FileLock

from mlnotes.book.browser import browser  # noqa: F401

ROOT = Path(__file__).parents[2]
PART = ["index.md", "notation.md", "bibliography.md", "blocks/softmax.ipynb", "attention/self_attention.ipynb"]


@pytest.fixture(scope="session")
def built(build, about, tmp_path_factory):
    """Build the book into an empty folder, for one chapter into that of `make book`; give the folder of its pages."""
    return build(ROOT if about else tmp_path_factory.mktemp("book"))


@pytest.fixture(scope="session")
def build():
    """Give what builds the book, every warning an error, as at home: not as GitHub publishes it."""
    home = {name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "MLNOTES_SOLUTIONS"))}

    def build(folder, **environment):
        command = shutil.which("jupyter-book", path=Path(sys.executable).parent)
        options = ["--path-output", folder, "-W", "-n", "--keep-going"]
        start = time.perf_counter()
        result = subprocess.run(
            [command, "build", ROOT, *options], capture_output=True, text=True, env=home | environment
        )
        print(f"\nbuilt the book in {time.perf_counter() - start:.1f} s")
        if result.returncode:  # a page with a warning is read only once
            shutil.rmtree(folder / "_build" / ".doctrees", ignore_errors=True)
        assert result.returncode == 0, result.stderr[-5000:]
        return folder / "_build" / "html"

    return build


@pytest.fixture(scope="session")
def build_part(tmp_path_factory):
    """Give what builds a part of the book: the start page, the notation, two chapters, and more pages if need be."""

    def build_part(*more, **environment):
        folder, pages = tmp_path_factory.mktemp("part"), [*PART, *more]
        for name in ("_config.yml", "chapters/map.yml", "chapters/references.bib", *(f"chapters/{it}" for it in pages)):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
        listed = [{"file": f"chapters/{Path(it).with_suffix('')}"} for it in pages[1:]]
        toc = {"format": "jb-book", "root": "chapters/index", "parts": [{"caption": "Part", "chapters": listed}]}
        (folder / "_toc.yml").write_text(json.dumps(toc), encoding="utf-8")
        command = shutil.which("jupyter-book", path=Path(sys.executable).parent)
        here = {name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "MLNOTES_"))}
        result = subprocess.run(
            [command, "build", folder, "-q"], capture_output=True, text=True, env=here | environment
        )
        assert result.returncode == 0, result.stderr[-5000:]
        return folder / "_build" / "html"

    return build_part


@pytest.fixture(scope="session")
def part(build_part, tmp_path_factory):
    """Build the part as at home, once for all processes of pytest-xdist, and give the folder of its pages."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    place = shared / "part.txt"
    with FileLock(place.with_suffix(".lock")):
        if not place.exists():
            place.write_text(str(build_part()), encoding="utf-8")
    return Path(place.read_text(encoding="utf-8"))
