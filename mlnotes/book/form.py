"""The one form in which notebooks are committed, so that their diffs show real changes only."""

import base64
import copy
import hashlib
import re
from pathlib import Path

import nbformat

from mlnotes.book import svg
from mlnotes.book.compare import SVG, differences, merged

LONGEST = 15  # lines of a code cell
METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python", "pygments_lexer": "ipython3"},
}
TIMED = ("ExecuteTime", "execution", "collapsed", "scrolled", "trusted")
_HERE = re.compile(
    r"/(?:home|Users|root)/|[A-Z]:\\+Users\\|/ipykernel_|/site-packages/|" + re.escape(str(Path(__file__).parents[2]))
)


def canonical(nb):
    """Bring a notebook into the one form in which it is committed.

    Parameters
    ----------
    nb : nbformat.NotebookNode
        A notebook, which is left as it is.

    Returns
    -------
    nbformat.NotebookNode
        The same without blank cells, timings, versions, widget state and what `merged` takes off; with execution
        counts 1, 2, …, valid cell ids, and the sources of solutions folded.
    """
    nb = copy.deepcopy(nb)
    nb.nbformat, nb.nbformat_minor, nb.metadata = 4, 5, nbformat.from_dict(METADATA)
    nb.cells = [cell for cell in nb.cells if cell.source.strip()]
    taken, count, solution = set(), 0, False
    for cell in nb.cells:
        cell.id = _identifier(cell, taken)
        kept = {key: value for key, value in cell.metadata.items() if key not in TIMED and value not in ([], {})}
        cell.metadata = nbformat.from_dict(kept)
        if cell.cell_type == "markdown":
            gates = solution_gates(cell.source)
            solution = gates[-1] == "start" if gates else solution
        if cell.cell_type != "code":
            continue
        if solution:
            cell.metadata.setdefault("jupyter", {})["source_hidden"] = True
        count += 1
        cell.execution_count = count
        cell.outputs = [nbformat.from_dict(output) for output in merged(cell.outputs)]
        for output in cell.outputs:
            if "execution_count" in output:
                output.execution_count = count
            if "image/png" in output.get("data", {}):
                output.data["image/png"] = _without_comments(output.data["image/png"])
    return nb


def keep_equal(before, after):
    """Leave outputs as they were where they came again, within the tolerance.

    Parameters
    ----------
    before, after : nbformat.NotebookNode
        Two notebooks in canonical form, of which the second gets outputs of the first.
    """
    outputs = {cell.id: cell.outputs for cell in before.cells if cell.cell_type == "code"}
    for cell in after.cells:
        old = outputs.get(cell.id, [])
        if cell.cell_type == "code" and len(old) == len(cell.outputs):
            pairs = zip(old, cell.outputs, strict=True)
            cell.outputs = [now if differences(was, now) else was for was, now in pairs]


def read(path):
    """Read a notebook as it stands in its file: nbformat's own `read` would give cells without an id a random one.

    Parameters
    ----------
    path : Path
        Its file.

    Returns
    -------
    nbformat.NotebookNode
        The notebook.
    """
    return nbformat.v4.reads(path.read_text(encoding="utf-8"))


def solution_gates(source):
    """List where solutions start and end in the text of a cell.

    Parameters
    ----------
    source : str
        Markdown. Only a directive at the beginning of a line counts: a sentence may speak of one.

    Returns
    -------
    list of str
        "start" or "end" for each, in their order.
    """
    return re.findall(r"^```\{solution-(start|end)\}", source, re.MULTILINE)


def written(nb):
    """Write a notebook as the text of its file.

    Parameters
    ----------
    nb : nbformat.NotebookNode
        A notebook in canonical form.

    Returns
    -------
    str
        JSON with sorted keys and one blank of indentation.

    Raises
    ------
    nbformat.ValidationError
        If it is not a valid notebook.
    """
    nbformat.validate(nb)
    return nbformat.v4.writes(nb) + "\n"


def problems(nb):
    """List what no committed notebook may hold.

    Parameters
    ----------
    nb : nbformat.NotebookNode
        A notebook.

    Returns
    -------
    list of str
        Code cells that are too long or not executed, figures without a written description, with text that is too small
        or colours that no dark page can replace, paths of this machine.
    """
    found = []
    for cell in nb.cells:
        if cell.cell_type != "code":
            continue
        name = f"cell {cell.get('id')}"
        lines = len(cell.source.splitlines())
        if lines > LONGEST:
            found.append(f"{name}: {lines} lines, at most {LONGEST} are allowed")
        if cell.execution_count is None:
            found.append(f"{name}: not executed")
        alt = cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
        for output in cell.outputs:
            data = output.get("data", {})
            html = str(data.get("text/html", ""))
            if any(mime.startswith("image/") for mime in data) and "text/html" not in data and not alt.strip():
                found.append(f"{name}: a figure needs alt text in the cell's metadata, mystnb.image.alt")
            found += [f"{name}: {problem}" for problem in svg.problems(data.get(SVG, ""))]
            if any(not re.search(r'\balt="[^"]*\w', tag) for tag in re.findall(r"<img\b[^>]*>", html)):
                found.append(f"{name}: a picture in its HTML needs alt text")
            path = _HERE.search(str({**output, "data": {m: v for m, v in data.items() if not m.startswith("image/")}}))
            if path:
                found.append(f"{name}: its output holds a path of this machine, {path[0]}")
    return found


def _identifier(cell, taken):
    """Keep a valid id that no cell before has, or derive one from the source."""
    name, n = cell.get("id", ""), 0
    while not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) or name in taken:
        name, n = hashlib.sha256(f"{cell.source}{n or ''}".encode()).hexdigest()[:8], n + 1
    taken.add(name)
    return name


def _without_comments(png):
    """Leave out the chunks of text and time, such as the version of matplotlib."""
    data = base64.b64decode(png)
    kept, at = data[:8], 8
    while at < len(data):
        end = at + 12 + int.from_bytes(data[at : at + 4])
        if data[at + 4 : at + 8] not in (b"tEXt", b"iTXt", b"zTXt", b"tIME"):
            kept += data[at:end]
        at = end
    return base64.b64encode(kept).decode()
