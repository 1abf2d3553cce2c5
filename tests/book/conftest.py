"""The book as a reader gets it: built once from this checkout, then opened in a browser."""

import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mlnotes.book.browser import browser  # noqa: F401

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def built(build, tmp_path_factory):
    """Build the book into an empty folder, and give the folder of its pages."""
    return build(tmp_path_factory.mktemp("book"))


@pytest.fixture(scope="session")
def build():
    """Give what builds the book, every warning an error."""

    def build(folder):
        command = shutil.which("jupyter-book", path=Path(sys.executable).parent)
        options = ["--path-output", folder, "-W", "-n", "--keep-going"]
        start = time.perf_counter()
        result = subprocess.run([command, "build", ROOT, *options], capture_output=True, text=True)
        print(f"\nbuilt the book in {time.perf_counter() - start:.1f} s")
        assert result.returncode == 0, result.stderr[-5000:]
        return folder / "_build" / "html"

    return build
