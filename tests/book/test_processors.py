"""A set of kernels is really taken, by the notebooks too, and one that the machine lacks is not said to have passed."""

import platform
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from mlnotes.book import emulation, processors
from mlnotes.book.processors import ALL, X86, environment, foreign, kernels, lacking, main, run

pytestmark = pytest.mark.publishing

PYTHON = [sys.executable]
on_x86 = pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="needs kernels for x86-64")
CPUINFO = Path("/proc/cpuinfo")
ON_INTEL = "GenuineIntel" in (CPUINFO.read_text(encoding="utf-8") if CPUINFO.exists() else platform.processor())
NEW = {"machine": "x86_64", "OpenBLAS": ["SkylakeX"], "NumPy": ["X86_V3", "X86_V4", "AVX512_SPR"]}
NEW |= {"NumPy always": ["X86_V2"], "PyTorch": "AVX512", "MKL": "OFF"}
OLD = NEW | {"OpenBLAS": ["Haswell"], "NumPy": ["X86_V3"], "PyTorch": "AVX2"}
OLDEST = NEW | {"OpenBLAS": ["Nehalem"], "NumPy": [], "PyTorch": "DEFAULT"}


@pytest.fixture(scope="module")
def own():
    return kernels(PYTHON, {})


@on_x86
@pytest.mark.parametrize(
    ("name", "active"),
    [
        ("old", {"OpenBLAS": ["Nehalem"], "NumPy": [], "PyTorch": "DEFAULT", "MKL": "COMPATIBLE"}),
        ("avx2", {"OpenBLAS": ["Haswell"], "NumPy": ["X86_V3"], "PyTorch": "AVX2", "MKL": "AVX2"}),
        ("avx512", {"OpenBLAS": ["SkylakeX"], "NumPy": ["X86_V3", "X86_V4"], "PyTorch": "AVX512", "MKL": "AVX512"}),
    ],
)
def test_the_libraries_take_the_kernels_of_a_set(name, active, own):
    if need := lacking(X86[name], own):
        pytest.skip(f"this machine lacks {need}")
    found = kernels(PYTHON, environment(X86[name], own))
    if active["MKL"] != "COMPATIBLE" and not ON_INTEL:
        active = active | {"MKL": "AUTO"}  # elsewhere MKL takes no other order than this one and its own
    assert {library: found[library] for library in active} == active


def test_what_the_caller_told_the_libraries_does_not_count(own, monkeypatch):
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Prescott")
    monkeypatch.setenv("ATEN_CPU_CAPABILITY", "default")
    assert kernels(PYTHON, {}) == own


@on_x86
def test_the_cells_of_a_notebook_run_with_the_kernels_of_the_set(tmp_path, monkeypatch, own):
    source = "import numpy, threadpoolctl\npools = threadpoolctl.threadpool_info()\n"
    source += "print(*{it['architecture'] for it in pools if it['internal_api'] == 'openblas'})"
    cell = new_code_cell(source, execution_count=1, outputs=[new_output("stream", text="Nehalem\n")])
    nbformat.write(new_notebook(cells=[cell]), tmp_path / "kernels.ipynb")
    monkeypatch.setitem(processors.RUNS, "chapters", ["--nbval", str(tmp_path)])
    assert run(PYTHON, "chapters", environment(X86["old"], own), "-n0") == (1, [])
    passed, failed = run(PYTHON, "chapters", {"OPENBLAS_CORETYPE": "Prescott"}, "-n0")
    assert passed == 0
    assert len(failed) == 1
    assert "Cell 0" in failed[0]


def test_nothing_run_is_a_failure(tmp_path, monkeypatch):
    monkeypatch.setitem(processors.RUNS, "tests", [str(tmp_path)])
    assert run(PYTHON, "tests", {}, "-n0") == (0, ["no test was found"])
    monkeypatch.setitem(processors.RUNS, "tests", ["--no-such-option", str(tmp_path)])
    assert "nothing ran" in run(PYTHON, "tests", {})[1][0]


@pytest.mark.parametrize(("machine", "name"), [(NEW, "avx2"), (OLD, "old"), (OLDEST, None)])
def test_the_foreign_set_is_older_than_the_machine(machine, name):
    assert foreign(machine) == name
    assert name is None or environment(X86[name], machine)["OPENBLAS_CORETYPE"] not in machine["OpenBLAS"]


def test_on_arm_the_foreign_set_is_the_one_that_there_is():
    assert foreign(NEW | {"machine": "aarch64"}) == foreign(NEW | {"machine": "arm64"}) == "old"


def test_numpy_leaves_out_all_that_is_newer_than_the_set():
    left_out = [environment(X86[name], NEW).get(processors.NUMPY) for name in ALL]
    assert left_out == [None, "X86_V3 X86_V4 AVX512_SPR", "X86_V4 AVX512_SPR", "AVX512_SPR"]


def test_what_numpy_was_built_for_lacks_nothing_and_leaves_out_all_that_is_newer():
    newest_alone = NEW | {"NumPy": ["X86_V4"], "NumPy always": ["X86_V2", "X86_V3"]}
    assert lacking(X86["avx2"], newest_alone) is None
    assert environment(X86["avx2"], newest_alone)[processors.NUMPY] == "X86_V4"


@pytest.fixture
def machine(monkeypatch):
    """Pretend to be a machine without AVX-512, on which what is asked for fails or passes."""
    results = {"chapters": (3, []), "tests": (5, [])}
    monkeypatch.setattr(processors, "kernels", lambda python, variables: OLD)
    monkeypatch.setattr(processors, "run", lambda python, name, variables: results[name])
    return results


def rows(printed):
    lines = printed.splitlines()
    return {line.split()[0]: line for line in lines[next(i for i, line in enumerate(lines) if "OpenBLAS" in line) :]}


def test_a_set_that_the_machine_lacks_is_skipped_not_passed(machine, capsys):
    assert main([]) == 0
    printed = rows(capsys.readouterr().out)
    assert set(ALL) < set(printed)
    assert "needs X86_V4" in printed["avx512"]
    assert printed["avx512"].count("skipped") == 2
    assert "passed" not in printed["avx512"]
    assert all("3 passed, 0 failed" in printed[name] and "5 passed" in printed[name] for name in ("own", "old", "avx2"))


def test_what_failed_is_listed_and_the_status_says_so(machine, capsys):
    machine["chapters"] = 2, ["chapters.blocks.softmax Cell 3"]
    assert main(["own", "foreign", "--only", "chapters"]) == 1
    printed = capsys.readouterr().out
    assert "2 passed, 1 failed" in rows(printed)["old"]
    assert "own: chapters.blocks.softmax Cell 3\nold: chapters.blocks.softmax Cell 3\n" in printed
    assert "tests" not in rows(printed)["kernels"]


def test_an_unknown_set_is_refused(capsys):
    with pytest.raises(SystemExit):
        main(["avx3"])
    assert "there is no set avx3" in capsys.readouterr().err


def test_emulation_names_the_tools_that_are_missing(monkeypatch):
    monkeypatch.setattr(emulation.shutil, "which", lambda tool: None if tool.startswith("qemu") else tool)
    with pytest.raises(RuntimeError, match="emulation needs qemu-aarch64-static: install qemu-user-static"):
        emulation.prepare()
