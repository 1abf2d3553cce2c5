"""The kernel in which notebooks are run: the same for writing them and for comparing them."""

import atexit
import contextlib
import functools
import importlib.util
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from unittest import mock

from mlnotes.book import fork

# IPython's settings: no file of history, which kernels that run at the same time would lock for each other.
SETTINGS = 'c.HistoryManager.hist_file = ":memory:"\n'

LIBRARIES = ("OMP_NUM", "OPENBLAS_NUM", "MKL_NUM", "NUMEXPR_NUM", "VECLIB_MAXIMUM")
ONE_THREAD = {f"{name}_THREADS": "1" for name in LIBRARIES}

# Which of a chapter's imports load a library, where it is not only its own: the checks of layers are among all checks.
SIGNS = {"torch": r"torch|mlnotes\.checks"}

# Seconds that a cell may take, and seconds of silence after which its kernel counts as dead.
CELL, SILENCE = 120, 60


def patience():
    """Say how many times longer than usual to wait: 1, or ``MLNOTES_PATIENCE`` where a processor is emulated."""
    return float(os.environ.get("MLNOTES_PATIENCE", "1"))


def kernel_environment():
    """Collect what makes a kernel give the same results for everyone.

    Returns
    -------
    dict of str to str
        Environment variables: one thread, so that sums are added in one order; a fixed order of sets; figures drawn
        into the notebook with matplotlib's own defaults; `SETTINGS` in place of the user's; time for a check to find
        on a slow machine what it finds on a fast one.
    """
    matplotlib = Path(importlib.util.find_spec("matplotlib").origin).parent
    return {
        **ONE_THREAD,
        "PYTHONHASHSEED": "0",
        "MLNOTES_CHECK_SECONDS": "30",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "MATPLOTLIBRC": str(matplotlib / "mpl-data" / "matplotlibrc"),
        "IPYTHONDIR": str(_ipython_folder()),
    }


def _ipython_folder():
    folder = Path(sys.prefix) / ".mlnotes-ipython"
    settings = folder / "profile_default" / "ipython_config.py"
    if not settings.exists() or settings.read_text(encoding="utf-8") != SETTINGS:
        settings.parent.mkdir(parents=True, exist_ok=True)
        unfinished = settings.with_suffix(f".{os.getpid()}")  # another process may be reading
        unfinished.write_text(SETTINGS, encoding="utf-8")
        unfinished.replace(settings)
    return folder


def forked_kernels(source):
    """Have kernels forked from a process that has loaded the libraries, where the system can (on Linux).

    Parameters
    ----------
    source : str
        What the kernel will run: the libraries that it imports are loaded.

    Returns
    -------
    context manager
        Within it, Jupyter's managers start such kernels.
    """
    libraries = [it for it in fork.SLOW if re.search(rf"^\s*(import|from) ({SIGNS.get(it, it)})\b", source, re.M)]
    if sys.platform != "linux":
        return contextlib.nullcontext()
    launch = functools.partial(_fork, libraries)
    return mock.patch("jupyter_client.provisioning.local_provisioner.launch_kernel", launch)


def _fork(libraries, command, *, env, cwd=None, **_):
    varying = ("JPY_", "PYTEST_")
    parent = _parent(frozenset(it for it in env.items() if not it[0].startswith(varying)))
    request = {"command": command, "environment": dict(env), "folder": str(cwd or "."), "libraries": libraries}
    print(json.dumps(request), file=parent.stdin, flush=True)
    answer = parent.stdout.readline()
    if not answer:
        raise RuntimeError(f"no kernel could be forked: the process that loads {', '.join(libraries)} has ended")
    return Forked(int(answer))


@functools.cache
def _parent(environment):
    parent = subprocess.Popen(
        [sys.executable, fork.__file__],
        env=dict(environment),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,  # Ctrl-C is for pytest, which then shuts the kernels down.
    )
    atexit.register(parent.communicate)
    return parent


class Forked:
    """A kernel's process, with what Jupyter asks of a `subprocess.Popen`.

    Parameters
    ----------
    pid : int
        Its number. It is no child of this process, so that its exit status stays unknown.
    """

    stdin = stdout = stderr = None

    def __init__(self, pid):
        self.pid = pid

    def poll(self):
        """Return None while it runs, then 0."""
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return 0
        return None

    def wait(self):
        """Return 0 when it has ended."""
        while self.poll() is None:
            time.sleep(0.01)
        return 0

    def send_signal(self, number):
        """Send it a signal, if it is there."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, number)
