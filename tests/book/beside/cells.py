"""Run the cells of a chapter, some of them changed, for the numbers that are too dear for its page.

``python tests/book/beside/attention_transformer.py`` prints what it measures, and says whether the page still gives it;
so do the other programs here, each in a few minutes at most. The metadata of a cell say of a number what it is: the
name under which the program reports it, after "least of", "most of" or "median of" where it is one of several.
"""

import contextlib
import io
import statistics
from pathlib import Path

import matplotlib as mpl
import sklearn

from mlnotes.book.canonical import ROOT
from mlnotes.book.form import read
from mlnotes.book.prose import read_numbers
from mlnotes.pretrained import smollm2

SUMMARIES = {"least of ": min, "most of ": max, "median of ": statistics.median}
OTHERS = "covtype", "wine_data", "lfw", "diabetes", "rcv1"


def other_texts(n_tokens):
    """Cut as many tokens from five other descriptions of data sets, from the sixth on."""
    folder = Path(sklearn.__file__).parent / "datasets" / "descr"
    read = {name: (folder / f"{name}.rst").read_text(encoding="utf-8") for name in OTHERS}
    return {name: smollm2.tokenize(text)[1][5 : 5 + n_tokens] for name, text in read.items()}


def names_of(program, source):
    """List the names of measurements in "program: name; name", nothing if the source is another one."""
    start, _, names = source.partition(": ")
    return names.split("; ") if start == program else []


def is_measured(text, name, measured):
    """Say whether a number of the page is what was measured under a name, shares also in per cent."""
    summary = next((it for it in SUMMARIES if name.startswith(it)), None)
    values = measured.get(name.removeprefix(summary or ""), [])
    if summary and values:
        values = [SUMMARIES[summary](values)]
    values = values + [100 * it for it in values if abs(it) <= 1]
    return all(number.digits in number.passing(values) for number in read_numbers(text))


class Page:
    """The variables of a chapter whose cells are run, and what was measured with them."""

    def __init__(self, program):
        mpl.use("Agg")
        self.program = Path(program).resolve().relative_to(ROOT).as_posix()
        part, name = Path(program).stem.split("_", 1)
        self.cells = read(ROOT / "chapters" / part / f"{name}.ipynb").cells
        self.names = {"__name__": "__main__", "display": lambda *_: None}
        self.measured, self.away = {}, []

    def __getitem__(self, name):
        return self.names[name]

    def run_until(self, last, without=()):
        """Run the code cells up to one, but for some."""
        for cell in self.cells:
            if cell.cell_type == "code" and cell.id not in without:
                self.run(cell.id)
            if cell.id == last:
                return
        raise ValueError(f"there is no cell {last!r}")

    def run(self, name, *edits):
        """Run one cell, in which each edit (old, new) replaces what stands there once; return what it prints."""
        (source,) = (cell.source for cell in self.cells if cell.id == name)
        for old, new in edits:
            if source.count(old) != 1:
                raise ValueError(f"{old!r} must stand once in cell {name}, got {source.count(old)}")
            source = source.replace(old, new)
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(source, name, "exec"), self.names)
        return printed.getvalue()

    def report(self, what, *values):
        """Print what was measured, and keep it under its name for `compare`."""
        print(f"{what}:", *(f"{value:.4g}" for value in values), flush=True)
        self.measured.setdefault(what, []).extend(map(float, values))

    def hold(self, what, given, measured, within):
        """Print what was measured, and what a cell gives, which may differ by so much from processor to processor."""
        print(f"{what}:", *(f"{x:.4g}" for x in measured), " given:", *given, flush=True)
        pairs = zip(given, measured, strict=True)
        self.away += [f"{what}: {x}, measured {y:.4g}" for x, y in pairs if not abs(x - y) <= within]

    def compare(self):
        """Return 0 if each number for which the chapter names this program was measured as what it is, else 1."""
        kept = [
            (cell.id, text, name)
            for cell in self.cells
            for text, source in cell.metadata.get("mlnotes", {}).get("given", {}).items()
            for name in names_of(self.program, source)
        ]
        missing = self.away + [
            f"cell {cell}: {text}, {name}" for cell, text, name in kept if not is_measured(text, name, self.measured)
        ]
        print(f"{len(kept)} numbers of the page,", "not measured: " + ", ".join(missing) if missing else "all measured")
        return int(bool(missing or not kept))
