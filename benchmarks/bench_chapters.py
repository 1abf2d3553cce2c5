"""What each chapter takes to run: seconds of one core, kernel and imports included, and memory."""

import asyncio
import sys

import nbformat
import pytest

from mlnotes.book.canonical import LAST, ROOT, execute, notebooks

CHAPTERS = {it.relative_to(ROOT / "chapters").with_suffix("").as_posix(): it for it in notebooks(ROOT / "chapters")}
OF_MODELS = {"applications/egnn", "blocks/equivariance"}  # which train networks with several seeds
GROUND_FLOOR = ("blocks/", "applications/")
READ = """
import time
from pathlib import Path

lines = dict(it.split(":", 1) for it in Path("/proc/self/status").read_text().splitlines())
print(time.process_time(), int(lines["VmHWM"].split()[0]) / 2**20)"""


def seconds(name):
    if name in OF_MODELS:
        return 25
    return 15 if name.startswith(GROUND_FLOOR) else 20


@pytest.fixture
def used(tmp_path):
    """Run a notebook in a kernel of its own, and read the processor time in seconds and the largest memory in GiB."""

    def run(path):
        notebook = nbformat.read(path, 4)
        notebook.cells.append(nbformat.v4.new_code_cell(READ, id="read"))
        nbformat.write(notebook, tmp_path / path.name)
        return map(float, asyncio.run(execute(tmp_path / path.name)).cells[-1].outputs[0].text.split())

    return run


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux how much memory was taken")
@pytest.mark.parametrize("name", [it for it in CHAPTERS if CHAPTERS[it].name != LAST])
def test_a_chapter_runs_in_seconds_and_little_memory(used, name):
    time, memory = used(CHAPTERS[name])
    print(f"\n{name}: {time:.1f} s of {seconds(name)}, {memory:.2f} GiB of 3")
    assert time < seconds(name)
    assert memory < 3
