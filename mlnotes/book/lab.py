"""Open the chapters in JupyterLab, as a reader wants them there: ``python -m mlnotes.book.lab``.

The start page comes first. Chapters are served in a form that JupyterLab can show (`mlnotes.book.lab_form`), and are
saved in the one in which they are committed. The reader's own settings are left alone,
but for one that jupyterlab-myst sets, ``hideFrontMatter``.
"""

import os
import sys
from pathlib import Path

import nbformat
from ipykernel.ipkernel import IPythonKernel
from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager
from jupyterlab.labapp import LabApp

from mlnotes.book import kernel, lab_form
from mlnotes.book.form import canonical, keep_equal, read

SETTINGS = Path(__file__).parent / "jupyterlab"
BESIDE = ["*.bib", "*.toml", "*.yml", "images"]  # what the book is built from, and nobody opens


class Chapters(AsyncLargeFileManager):
    """The files of the book, the readable form of each going out and the committed one coming in."""

    async def _notebook_model(self, path, content=True, require_hash=False):
        model = await super()._notebook_model(path, content, require_hash)
        if content:
            nb = model["content"] = lab_form.shown(model["content"], path.strip("/").count("/"))
            if path.strip("/") in lab_form.notebooks_of_the_book():
                # What JupyterLab would write here, once a kernel has started: that would count as the reader's change.
                nb.metadata.language_info = nbformat.from_dict(IPythonKernel.language_info)
            if self._is_of_the_book(path):
                # JupyterLab shows no SVG, so hardly a figure, of a notebook that it does not trust. This one stands
                # beside the package that its first cell imports, and the reader opened it with that package's own
                # command: who could put a script into its outputs could put any program into the package. It holds
                # for these files only; a copy elsewhere is trusted when it has been run.
                for cell in nb.cells:
                    if cell.cell_type == "code":
                        cell.metadata.trusted = True
        return model

    def _is_of_the_book(self, path):
        file = Path(self._get_os_path(path)).resolve()
        return file in {(lab_form.CHAPTERS / name).resolve() for name in lab_form.notebooks_of_the_book()}

    async def _file_model(self, path, content=True, format=None, require_hash=False):
        model = await super()._file_model(path, content, format, require_hash)
        if path.endswith(".md"):
            try:
                text = Path(self._get_os_path(path)).read_text(encoding="utf-8")
            except UnicodeDecodeError:
                return model
            page = lab_form.page(path.strip("/"), text)
            model["writable"] = model["writable"] and page == text
            if content and model["format"] == "text":
                model["content"] = page
        return model

    async def save(self, model, path=""):
        """Save a file; a chapter of the book in the form in which it is committed.

        Parameters
        ----------
        model : dict
            The file's kind and content.
        path : str
            Its place below the folder that is served.

        Returns
        -------
        dict
            The model of the file, without its content.
        """
        if model.get("type") == "notebook" and "content" in model:
            nb = lab_form.unshown(nbformat.from_dict(model["content"]))
            if path.strip("/") in lab_form.notebooks_of_the_book():
                nb = canonical(nb)
                file = Path(self._get_os_path(path))
                if file.exists():
                    keep_equal(canonical(read(file)), nb)
            model = {**model, "content": nb}
        return await super().save(model, path)


def options(folder):
    """List what JupyterLab is started with.

    Parameters
    ----------
    folder : Path
        Where the chapters are.

    Returns
    -------
    list of str
        Options of the command line.
    """
    workspaces = Path(sys.prefix, "share", "jupyter", "lab", "workspaces")
    return [
        f"--ServerApp.root_dir={folder}",
        "--ServerApp.contents_manager_class=mlnotes.book.lab.Chapters",
        *(f"--ContentsManager.hide_globs={name}" for name in [*AsyncLargeFileManager().hide_globs, *BESIDE]),
        f"--ServerApp.tornado_settings=static_custom_path={SETTINGS}",
        f"--ServerApp.allow_root={hasattr(os, 'geteuid') and os.geteuid() == 0}",
        "--LabApp.custom_css=True",
        "--LabApp.default_url=/lab/tree/index.md",
        "--LabApp.news_url=None",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "--LabApp.extension_manager=readonly",
        f"--LabApp.app_settings_dir={SETTINGS}",
        f"--LabApp.workspaces_dir={workspaces}",
    ]


def main(arguments):
    """Run JupyterLab until it is stopped; further arguments are its own, and come before those of the book.

    Libraries use one thread, as where the outputs were made, unless the environment says otherwise.
    """
    for name, value in kernel.ONE_THREAD.items():  # which kernels inherit; with more, last digits are other ones
        os.environ.setdefault(name, value)
    given = {it.split("=")[0] for it in arguments}
    LabApp.launch_instance([it for it in options(lab_form.CHAPTERS) if it.split("=")[0] not in given] + arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
