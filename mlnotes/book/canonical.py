"""Run notebooks and write them back in one form, so that their diffs show real changes only.

``python -m mlnotes.book.canonical [--check] [NOTEBOOK ...]``; without names, all notebooks of the book.
"""

import argparse
import asyncio
import copy
import os
import subprocess
import sys
from pathlib import Path

from mlnotes.book import prose
from mlnotes.book.form import canonical, keep_equal, problems, read, written

ROOT = Path(__file__).parents[2]
LAST = "verification.ipynb"  # reads the outputs of the others


async def execute(path):
    """Run a notebook.

    Parameters
    ----------
    path : Path
        Its file, which is left as it is.

    Returns
    -------
    nbformat.NotebookNode
        The notebook in canonical form; outputs equal to those in the file, within the tolerance, are those in the file.

    Raises
    ------
    RuntimeError
        If a cell fails, with the id of the cell and what it raised.
    """
    from jupyter_client.manager import AsyncKernelManager
    from nbclient import NotebookClient
    from nbval.kernel import CURRENT_ENV_KERNEL_NAME, NbvalKernelspecManager

    from mlnotes.book.kernel import CELL, kernel_environment, patience

    before = canonical(read(path))
    nb = copy.deepcopy(before)
    kernel = AsyncKernelManager(kernel_name=CURRENT_ENV_KERNEL_NAME, kernel_spec_manager=NbvalKernelspecManager())
    started = []
    client = NotebookClient(nb, km=kernel, timeout=CELL * patience(), record_timing=False, store_widget_state=False)
    client.on_cell_start = lambda cell, **_: started.append(cell.id)
    try:
        await client.async_execute(
            cleanup_kc=True,
            cwd=str(path.parent),
            env={**os.environ, **kernel_environment()},
            stderr=subprocess.DEVNULL,  # what cells print there arrives all the same
        )
    except Exception as error:
        raise RuntimeError(f"cell {started[-1] if started else 'none'} failed\n{error}") from error
    nb = canonical(nb)
    keep_equal(before, nb)
    return nb


def main(arguments=None):
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m mlnotes.book.canonical", description=__doc__.split("\n\n")[0])
    parser.add_argument("notebooks", nargs="*", type=Path)
    parser.add_argument("--check", action="store_true", help="run nothing, only report what is not in this form")
    options = parser.parse_args(arguments)
    paths = [path.resolve() for path in options.notebooks or notebooks(ROOT / "chapters")]
    if options.check:
        return max(map(_check, paths), default=0)
    first, last = ([path for path in paths if (path.name == LAST) == is_last] for is_last in (False, True))
    page = ROOT / "chapters" / LAST
    if page.exists() and page not in last and any(page.parent in path.parents for path in first):
        last.append(page)
    return max([asyncio.run(_rewrite_all(group)) for group in (first, last)])


def notebooks(folder):
    """List the notebooks below a folder.

    Parameters
    ----------
    folder : Path
        Where to look.

    Returns
    -------
    list of Path
        In alphabetical order, without Jupyter's own checkpoints.
    """
    return sorted(path for path in Path(folder).rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts)


async def _rewrite_all(paths):
    cores = asyncio.Semaphore(os.cpu_count())

    async def rewrite(path):
        async with cores:
            try:
                nb = await execute(path)
            except Exception as error:  # whatever it is, the other notebooks go on
                print(f"{path}: left as it was, {error}", file=sys.stderr)
                return 1
        text = written(nb)
        changed = text != path.read_text(encoding="utf-8")
        if changed:
            unfinished = path.with_suffix(".unfinished")
            unfinished.write_text(text, encoding="utf-8", newline="\n")
            unfinished.replace(path)  # at once: whatever interrupts this leaves a whole notebook
        found = problems(nb) + prose.problems(nb)
        for problem in found:
            print(f"{path}: {problem}", file=sys.stderr)
        print(f"{path}: {'rewritten' if changed else 'unchanged'}")
        return int(bool(found))

    return max(await asyncio.gather(*map(rewrite, paths)), default=0)


def _check(path):
    nb = read(path)
    found = problems(nb)
    if written(canonical(nb)) != path.read_text(encoding="utf-8"):
        found.append("not in canonical form: run `make notebooks`")
    for problem in found:
        print(f"{path}: {problem}", file=sys.stderr)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
