"""The kernel in which notebooks are run: the same for writing them and for comparing them."""

import importlib.util
import os
import sys
from pathlib import Path

# IPython's settings: no file of history, which kernels that run at the same time would lock for each other.
SETTINGS = 'c.HistoryManager.hist_file = ":memory:"\n'

ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "VECLIB_MAXIMUM")}

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
    if not settings.exists() or settings.read_text() != SETTINGS:
        settings.parent.mkdir(parents=True, exist_ok=True)
        unfinished = settings.with_suffix(f".{os.getpid()}")  # another process may be reading
        unfinished.write_text(SETTINGS)
        unfinished.replace(settings)
    return folder
