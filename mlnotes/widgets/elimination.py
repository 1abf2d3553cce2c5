"""Gaussian elimination, one step at a time, with and without exchanging rows."""

import math

import numpy as np
import traitlets

from mlnotes.blocks.lu import largest_growth_matrix
from mlnotes.widgets import module
from mlnotes.widgets.base import Widget, require_between, shown, svg, text, validate

MATRICES = "small pivot", "doubling column"
CELL, ROW = 92, 28


class Elimination(Widget):
    """Step through the elimination of a small system whose solution is all ones.

    Parameters
    ----------
    matrix : {"small pivot", "doubling column"}
        Which system: three equations whose first pivot is small, or the five of
        `mlnotes.blocks.lu.largest_growth_matrix`.
    exponent : int
        The small pivot is 10 to the power of minus this, 0 to 20.
    exchange : bool
        Whether rows are exchanged so that the largest entry left in the column is the pivot.
    **traits
        ``step`` (how many columns are eliminated; with all of them, the solution is computed), ``caption``,
        ``description``. All but the texts can be read and set later, and set by the reader.

    Raises
    ------
    ValueError
        If the exponent is not 0 to 20, or there is no such step.
    """

    name = "elimination"
    _esm = module(name)

    matrix = traitlets.Enum(MATRICES, MATRICES[0]).tag(sync=True)
    exponent = traitlets.Int(3).tag(sync=True)
    exchange = traitlets.Bool(False).tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)

    def __init__(self, matrix="small pivot", exponent=3, **traits):
        super().__init__(matrix=matrix, exponent=exponent, **traits)

    def system(self):
        """Build the matrix and the right-hand side.

        Returns
        -------
        a : float64 array (n, n)
            The matrix.
        b : float64 array (n,)
            The sums of its rows, so that the solution is all ones.
        """
        pivot = float(f"1e-{self.exponent}")
        small = [[pivot, 1.0, 0.0], [2.0, 1.0, 1.0], [4.0, 1.0, 1.0]]
        a = np.array(small) if self.matrix == MATRICES[0] else largest_growth_matrix(5)
        return a, np.array([sum(row) for row in a.tolist()])

    def eliminated(self):
        """Carry out the present steps, entry by entry in a fixed order.

        Returns
        -------
        rows : integer array (n,)
            Which equation stands where, from 0.
        a : float64 array (n, n)
            What has become of the matrix; where entries were eliminated stand their multipliers.
        growth : float
            The largest entry so far, multipliers aside, divided by the largest of the matrix.
        """
        a, _ = self.system()
        rows, largest = np.arange(len(a)), np.abs(a).max()
        growth = 1.0
        for k in range(self.step):
            if self.exchange:
                pivot = k + int(np.abs(a[k:, k]).argmax())
                a[[k, pivot]], rows[[k, pivot]] = a[[pivot, k]], rows[[pivot, k]]
            a[k + 1 :, k] = a[k + 1 :, k] / a[k, k]
            a[k + 1 :, k + 1 :] = a[k + 1 :, k + 1 :] - a[k + 1 :, k, None] * a[k, k + 1 :]
            growth = max(growth, float(np.abs(np.triu(a[: k + 1])).max() / largest),
                         float(np.abs(a[k + 1 :, k + 1 :]).max(initial=0.0) / largest))
        return rows, a, growth

    def solution(self):
        """Substitute forwards and backwards with all steps done.

        Returns
        -------
        float64 array (n,)
            The solution with its rounding errors; without them it is all ones.
        """
        present, self.step = self.step, self.last
        rows, a, _ = self.eliminated()
        self.step = present
        x = self.system()[1][rows].tolist()
        for i in range(len(x)):
            for j in range(i):
                x[i] -= float(a[i, j]) * x[j]
        for i in reversed(range(len(x))):
            for j in range(i + 1, len(x)):
                x[i] -= float(a[i, j]) * x[j]
            x[i] /= float(a[i, i])
        return np.array(x)

    def digits(self):
        """Count the decimal digits of the solution that are right.

        Returns
        -------
        int
            0 to 15.
        """
        error = float(np.abs(self.solution() - 1).max())
        return 15 if error == 0 else min(15, max(0, math.floor(-math.log10(error))))

    @property
    def last(self):
        """The number of steps."""
        return len(self.system()[0]) - 1

    def picture(self):
        """Draw what has become of the matrix as SVG text, multipliers in grey fields."""
        rows, a, _ = self.eliminated()
        n = len(a)
        parts = []
        for i, j in np.ndindex(a.shape):
            x, y = 96 + CELL * j, 14 + ROW * i
            below = j < min(i, self.step)
            fill = "#e3e6ec" if below else "#cfe0f1" if i == j < self.step else "#f7f8fa"
            parts.append(f'<rect x="{x}" y="{y}" width="{CELL - 4}" height="{ROW - 4}" rx="3" fill="{fill}"/>')
            parts.append(text(x + CELL / 2 - 2, y + 17, shown(a[i, j]), "middle", fill="#1d222b"))
        parts += [text(12, 31 + ROW * i, f"equation {row + 1}", fill="#545c69") for i, row in enumerate(rows)]
        parts.append(text(12, 38 + ROW * n, "blue: pivots; grey: multipliers, where zeros would stand", fill="#545c69"))
        return svg(max(112 + CELL * n, 400), 52 + ROW * n, *parts)

    def describe(self):
        """Say how far the elimination is, how much entries have grown, and what became of the solution."""
        _, a, growth = self.eliminated()
        how = "with" if self.exchange else "without"
        system = f"first pivot {float(f'1e-{self.exponent}'):g}" if self.matrix == MATRICES[0] else "a doubling column"
        words = f"{len(a)} equations, {system}, eliminated {how} exchanges of rows: step {self.step} of {self.last}. "
        words += f"The largest entry has grown by a factor of {shown(growth)}."
        if self.step == self.last:
            words += f" Of the solution, {self.digits()} decimal digits are right."
        return words

    def __repr__(self):
        return f"<Elimination of a {self.matrix}>"

    @validate("exponent")
    def _within(self, proposal):
        return require_between("exponent", 0, 20, proposal["value"])

    @validate("step")
    def _exists(self, proposal):
        return require_between("step", 0, self.last, proposal["value"])

    @traitlets.observe("matrix")
    def _begin_anew(self, change):
        self.step = min(self.step, self.last)
