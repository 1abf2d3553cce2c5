"""What the tests of all chapters share: both backends, every precision, one thread."""

import gc
import itertools
import os
from collections import Counter

import numpy as np
import pytest
import torch
from hypothesis import settings

from mlnotes.book.one_chapter import About

torch.set_num_threads(1)
# A busy machine is no failure, and what fails here must fail there.
settings.register_profile("book", deadline=None, derandomize=True)
settings.load_profile("book")

# How far a result may be off, for numbers around 1; a test multiplies it by how large its numbers get, or by how many
# such steps follow one another. In double and single precision a result goes through sums of some dozen products, a
# softmax, a norm: 90 roundings of 1.1e-16 and 84 of 6e-8, of which less than half was ever measured on three sets of
# kernels. Half precision is computed in single and rounded once, by 4.9e-4 or 3.9e-3 of a result up to 8.
DTYPES = {
    "numpy float64": (np.asarray, np.float64, 1e-14),
    "numpy float32": (np.asarray, np.float32, 5e-6),
    "numpy float16": (np.asarray, np.float16, 4e-3),
    "torch float64": (torch.asarray, torch.float64, 1e-14),
    "torch float32": (torch.asarray, torch.float32, 5e-6),
    "torch float16": (torch.asarray, torch.float16, 4e-3),
    "torch bfloat16": (torch.asarray, torch.bfloat16, 3e-2),
}
if torch.cuda.is_available():
    DTYPES["torch float32 on the GPU"] = (
        lambda x, dtype: torch.asarray(x, dtype=dtype, device="cuda"),
        torch.float32,
        2e-5,  # four times as much: not measured with every card, whose sums and exponentials are others
    )


class Backend:
    """Make arrays of one library and precision, and read results back as float64."""

    def __init__(self, name):
        self.name = name
        self._make, self.dtype, self.tolerance = DTYPES[name]

    def array(self, x):
        return self._make(np.asarray(x, dtype=np.float64), dtype=self.dtype)

    def like(self, x):
        """Return the float64 value of x after it was rounded to this precision."""
        return self.read(self.array(x))

    def others(self):
        """List what a second array may come in: NumPy or the same library, in every precision."""
        return [Backend(name) for name in DTYPES if name.startswith("numpy") or name.split()[0] == self.name.split()[0]]

    def read(self, x):
        assert x.dtype == self.dtype, f"the result has dtype {x.dtype}, the input had {self.dtype}"
        return x.detach().double().cpu().numpy() if isinstance(x, torch.Tensor) else x.astype(np.float64)


@pytest.fixture(params=DTYPES)
def backend(request):
    return Backend(request.param)


# Files that take more than ten seconds, the longest first: with `--dist loadfile`, one that starts last is waited for.
LONGEST = ["book/test_built_book.py", "checks/test_banks.py", "checks/test_answers.py", "book/test_compare.py"]
LONGEST += ["book/test_setup.py", "book/test_processors.py", "widgets/test_jupyterlab.py"]


def pytest_addoption(parser):
    """Let the tests of one chapter be run alone."""
    parser.addoption("--chapter", help="run the tests of one chapter, such as blocks/softmax, and visit its pages only")


def pytest_configure(config):
    """Let the order below stand, and try of one chapter what `.ci/run` tries of all."""
    config.option.loadscopereorder = False  # pytest-xdist would order files by the number of their tests
    if config.option.chapter:
        os.environ.setdefault("MLNOTES_EVERY", "4")  # read by `mlnotes.book.sampling`, which the tests import later


@pytest.fixture(scope="session")
def about(pytestconfig):
    """Say which chapter the tests are about, or None: all."""
    return _about(pytestconfig)


def _about(config):
    try:
        return About(config.option.chapter) if config.option.chapter else None
    except ValueError as unknown:
        raise pytest.UsageError(str(unknown)) from None


def pytest_collection_modifyitems(config, items):
    """Leave out what another chapter is about, at a desk publishing as well; put the longest files first, then the
    fullest.
    """
    from mlnotes.book.sampling import EVERY  # only now: it depends on the options

    about = _about(config)
    chosen = [(about is None or about(it)) and (EVERY <= 4 or not it.get_closest_marker("publishing")) for it in items]
    config.hook.pytest_deselected(items=[it for it, kept in zip(items, chosen, strict=True) if not kept])
    items[:] = itertools.compress(items, chosen)
    names = {item.path: "/".join(item.path.parts[-2:]) for item in items}
    ranks = {path: LONGEST.index(name) if name in LONGEST else len(LONGEST) for path, name in names.items()}
    sizes = Counter(item.path for item in items)
    items.sort(key=lambda item: (ranks[item.path], -sizes[item.path], item.path))


def pytest_collection_finish():
    """Leave the libraries, which stay, out of every search for garbage: it took an eighth of the time."""
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter):
    """Print what tests measured, under the key "measured", also where they ran in another process."""
    reports = [it for kind in ("passed", "failed") for it in terminalreporter.stats.get(kind, [])]
    for report in reports:
        for key, value in getattr(report, "user_properties", []):
            if key == "measured":
                terminalreporter.write_line(value)
