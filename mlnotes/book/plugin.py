"""The pytest plugin (``-p mlnotes.book.plugin``) that puts our comparison of notebooks in the place of nbval's."""

import pytest

from mlnotes.book.kernel import CELL, patience


def pytest_configure(config):
    """Refuse nbval's ways to compare less, and give up on a cell that runs too long for a chapter."""
    option = config.option
    for name in ("nbval_lax", "nbval_sanitize_with", "sanitize_with"):
        if getattr(option, name, None):
            raise pytest.UsageError(f"--{name.replace('_', '-')} compares less than everything: leave it out")
    if getattr(option, "nbval_cell_timeout", None) == 2000:  # nbval's default, in seconds
        option.nbval_cell_timeout = CELL * patience()
    if hasattr(option, "nbval_kernel_startup_timeout"):
        option.nbval_kernel_startup_timeout *= patience()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path, parent):
    """Replace nbval's notebooks by ours."""
    collected = yield
    if file_path.suffix != ".ipynb":
        return collected
    from mlnotes.book.collect import NotebookFile, is_nbval  # only now: other tests should not pay for it

    return [NotebookFile.from_parent(parent, path=file_path) if is_nbval(it) else it for it in collected]
