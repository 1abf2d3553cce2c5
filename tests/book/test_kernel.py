"""Kernels that are forked are like new ones, only sooner ready."""

import os
import signal
import sys
import time
from pathlib import Path

import pytest
from jupyter_client.manager import start_new_kernel
from jupyter_client.provisioning import local_provisioner

from mlnotes.book import fork
from mlnotes.book.kernel import forked_kernels, kernel_environment

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="kernels are forked on Linux")

STATE = f"""
import os, sys
BOOK = {str(Path(fork.__file__).parent)!r}
seen = {{"matplotlib.pyplot", "matplotlib_inline.backend_inline", "torch", "mlnotes"}} & {{*sys.modules}}
print(os.getpid(), os.getppid(), os.getcwd(), os.environ["PYTHONHASHSEED"], sorted(seen), end="")
print(*(it for it in sys.path if it in ("", BOOK)))
"""


@pytest.fixture
def start(tmp_path):
    """Start a kernel; at the end it has to be gone."""
    kernels = []

    def start(source):
        with forked_kernels(source):
            environment = {**os.environ, **kernel_environment()}
            manager, client = start_new_kernel(cwd=str(tmp_path), env=environment, kernel_name="python3")
        kernels.append((manager, client))
        return manager, lambda code: _run(client, code)

    yield start
    for manager, client in kernels:
        client.stop_channels()
        pid = manager.provisioner.pid
        manager.shutdown_kernel(now=True)
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def _run(client, code):
    printed = []
    client.execute_interactive(code, timeout=60, output_hook=lambda it: printed.append(it["content"].get("text", "")))
    return "".join(printed)


def test_a_kernel_has_its_own_process_folder_and_environment_and_loads_nothing_but_what_is_slow(start, tmp_path):
    kernels = [start("")[1], start("from torch import nn")[1]]
    states = [kernel(STATE).split(maxsplit=4) for kernel in kernels]
    assert states[0][0] != states[1][0]
    assert states[0][1] == states[1][1] != str(os.getpid())
    assert [it[2:4] for it in states] == [[str(tmp_path), "0"]] * 2
    assert [it[4].strip() for it in states] == ["[]", "['torch']"]


def test_what_one_kernel_does_another_does_not_see(start):
    first, second = start("")[1], start("")[1]
    assert first("import numpy, os; numpy.mine = os.environ['MINE'] = 'mine'; print(numpy.random.rand())").strip()
    assert second("import numpy, os; print(hasattr(numpy, 'mine'), 'MINE' in os.environ, 'first' in dir())") == (
        "False False False\n"
    )


def test_what_is_drawn_without_a_seed_differs(start):
    draw = "import random, numpy; print(numpy.random.rand(), random.random())"
    numbers = [start("")[1](draw).split() for _ in range(2)]
    assert numbers[0][0] != numbers[1][0]
    assert numbers[0][1] != numbers[1][1]


def test_a_name_that_was_not_imported_is_not_there(start):
    assert "torch" not in start("import torch")[1]("print([*globals()])")


def test_pytorch_is_there_before_a_chapter_that_loads_it_by_its_checks_alone(start):
    assert start("from mlnotes.checks import check")[1](STATE).endswith("['torch']\n")


def test_a_kernel_that_dies_is_seen_to_be_dead(start):
    manager, _ = start("")
    assert manager.is_alive()
    os.kill(manager.provisioner.pid, signal.SIGKILL)
    end = time.monotonic() + 30
    while manager.is_alive() and time.monotonic() < end:
        time.sleep(0.05)
    assert not manager.is_alive()


def test_a_library_that_warns_while_it_is_loaded_gives_no_kernel(tmp_path, capfd):
    (tmp_path / "torch.py").write_text("import warnings\nwarnings.warn('old')\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    with forked_kernels("import torch"), pytest.raises(RuntimeError, match="the process that loads torch has ended"):
        local_provisioner.launch_kernel(["-f", "nowhere"], env=environment)
    assert "a kernel that loads torch shows a warning: old" in capfd.readouterr().err
