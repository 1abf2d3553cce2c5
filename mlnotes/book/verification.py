"""Count what stands in the committed notebooks and how it was checked, for the page *Verification*."""

import functools
import html
from dataclasses import dataclass
from pathlib import Path

from mlnotes.book import formula_values
from mlnotes.book.compare import is_compared
from mlnotes.book.form import read
from mlnotes.diagnosis.report import EVIDENCE, Table, number_marks, scientific

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Chapter:
    """What a notebook holds.

    Parameters
    ----------
    name : str
        Part and file, such as "blocks/softmax".
    title : str
        Its first heading.
    code_cells : int
        How many cells are run.
    outputs : tuple of dict
        What they give, as committed.
    claims : tuple of dict
        The rows of the chapter's evidence.
    """

    name: str
    title: str
    code_cells: int
    outputs: tuple
    claims: tuple

    def holding(self, mime, text=""):
        """Count the outputs that have a part of this kind of mime type with this text in it."""
        parts = (output.get("data", {}).items() for output in self.outputs)
        return sum(any(key.startswith(mime) and text in str(value) for key, value in data) for data in parts)

    def of_kind(self, kind):
        """Count the claims that compare with an oracle, or that state a property."""
        return sum(claim["kind"] == kind for claim in self.claims)

    def tightest(self):
        """Say which error comes closest to its tolerance."""
        measured = [claim for claim in self.claims if claim["tolerance"]]
        worst = max(measured, key=lambda claim: claim["error"] / claim["tolerance"], default=None)
        return f"{scientific(worst['error'])} of {worst['tolerance']:.2g}" if worst else "none measured"


@dataclass(frozen=True)
class Tables:
    """Tables with captions, which a notebook displays: (caption, head, rows) each."""

    tables: tuple

    def __repr__(self):
        return "\n\n".join(f"{caption}\n{Table(head, rows)!r}" for caption, head, rows in self.tables)

    def _repr_html_(self):
        return "\n".join(_html(*table) for table in self.tables)


def read_chapters(root=ROOT):
    """Read all chapters as they are committed, in the order of the table of contents.

    Parameters
    ----------
    root : Path
        The folder that holds ``chapters`` and ``_toc.yml``.

    Returns
    -------
    list of Chapter
        One for each ``chapters/<part>/<name>.ipynb`` but Jupyter's checkpoints; those that the table of contents leaves
        out come last.
    """
    root = Path(root)
    contents = (root / "_toc.yml").read_text(encoding="utf-8").split()
    found = (it for it in root.glob("chapters/*/*.ipynb") if it.parent.name != ".ipynb_checkpoints")
    paths = {path.relative_to(root).with_suffix("").as_posix(): path for path in found}
    known = {name: i for i, name in enumerate(contents)}
    return [_read(paths[name]) for name in sorted(paths, key=lambda name: (known.get(name, len(contents)), name))]


def summary(root=ROOT):
    """Count, chapter by chapter, what is re-executed and compared.

    Parameters
    ----------
    root : Path
        As for `read_chapters`.

    Returns
    -------
    Tables
        One table, with the sums in its last row.
    """
    chapters = read_chapters(root)
    counts = [
        (
            chapter.code_cells,
            len(chapter.outputs),
            sum(map(is_compared, chapter.outputs)),
            chapter.holding("image/"),
            chapter.holding("text/html", 'class="mlnotes-widget"'),
            chapter.of_kind("oracle"),
            chapter.of_kind("property"),
        )
        for chapter in chapters
    ]
    head = ("chapter", "code cells", "outputs", "compared", "figures", "widgets", "oracles", "properties")
    return _counted("What each chapter holds, and how much of it is compared", head, chapters, counts)


def closest(root=ROOT):
    """Show, for each chapter, the error that comes closest to its tolerance.

    Parameters
    ----------
    root : Path
        As for `read_chapters`.

    Returns
    -------
    Tables
        One table.
    """
    rows = tuple((chapter.title, chapter.tightest()) for chapter in read_chapters(root))
    return Tables((("The largest error of each chapter, of the tolerance it must keep", ("chapter", "error"), rows),))


def oracles(root=ROOT):
    """List what the functions of each chapter were compared with, and how well they agree.

    Parameters
    ----------
    root : Path
        As for `read_chapters`.

    Returns
    -------
    Tables
        One table for each chapter.
    """
    head = ("function", "claim", "kind", "largest error", "tolerance")
    return Tables(
        tuple(
            (
                chapter.title,
                head,
                tuple(
                    (it["function"], it["claim"], it["kind"], scientific(it["error"]), f"{it['tolerance']:.2g}")
                    for it in chapter.claims
                ),
            )
            for chapter in read_chapters(root)
        )
    )


def formulas():
    """Count, chapter by chapter, the formulas that could be false, and those that are evaluated.

    Returns
    -------
    Tables
        One table, with the sums in its last row.
    """
    chapters, kinds = read_chapters(), ("displayed", "in a sentence", "in a docstring")
    counts = []
    for chapter in chapters:
        found = formula_values.formulas(chapter.name)
        counts.append([*(sum(it.kind == kind for it in found) for kind in kinds), sum(it.is_read for it in found)])
    head = ("chapter", "displayed", "in sentences", "in docstrings", "evaluated")
    return _counted("Formulas of each chapter and its functions", head, chapters, counts)


def _counted(caption, head, chapters, counts):
    """Make a table of what each chapter has of each kind, with the sums in its last row."""
    rows = [(chapter.title, *map(str, row)) for chapter, row in zip(chapters, counts, strict=True)]
    rows.append(("all chapters", *(f"{sum(column):,}" for column in zip(*counts, strict=True))))
    return Tables(((caption, head, tuple(rows)),))


def _read(path):
    status = path.stat()
    return _read_once(path, status.st_mtime_ns, status.st_size)


@functools.cache
def _read_once(path, *version):
    nb = read(path)
    code = [cell for cell in nb.cells if cell.cell_type == "code"]
    outputs = tuple(output for cell in code for output in cell.outputs)
    evidence = [output["data"][EVIDENCE] for output in outputs if EVIDENCE in output.get("data", {})]
    claims = tuple(row for found in evidence for row in found["rows"])
    headings = (line for cell in nb.cells for line in cell.source.splitlines() if line.startswith("# "))
    title = next(headings, f"# {path.stem}").removeprefix("# ")
    return Chapter(f"{path.parent.name}/{path.stem}", title, len(code), outputs, claims)


def _html(caption, head, rows):
    marks = number_marks(head, rows)
    columns = "".join(f'<th scope="col"{mark}>{html.escape(it)}</th>' for it, mark in zip(head, marks, strict=True))
    body = "".join(
        f'<tr><th scope="row">{html.escape(first)}</th>'
        + "".join(f"<td{mark}>{html.escape(it)}</td>" for it, mark in zip(rest, marks[1:], strict=True))
        + "</tr>"
        for first, *rest in rows
    )
    return (
        f'<table class="mlnotes-table"><caption>{html.escape(caption)}</caption>'
        f"<thead><tr>{columns}</tr></thead><tbody>{body}</tbody></table>"
    )
