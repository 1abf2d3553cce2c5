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
def built(tmp_path_factory):
    """Build the book into an empty folder, every warning an error, and give the folder of its pages."""
    folder = tmp_path_factory.mktemp("book")
    command = shutil.which("jupyter-book", path=Path(sys.executable).parent)
    start = time.perf_counter()
    built = subprocess.run(
        [command, "build", ROOT, "--path-output", folder, "-W", "-n", "--keep-going"], capture_output=True, text=True
    )
    print(f"\nbuilt the book in {time.perf_counter() - start:.1f} s")
    assert built.returncode == 0, built.stderr[-5000:]
    return folder / "_build" / "html"
