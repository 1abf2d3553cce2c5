"""Three columns at a small angle, made orthonormal step by step, and how well each method keeps them so."""

import math

import numpy as np
import traitlets

from mlnotes.widgets import module
from mlnotes.widgets.base import Widget, require_between, shown, svg, text, validate

METHODS = "classical Gram–Schmidt", "modified Gram–Schmidt", "rotations", "mirrors"
CELL, ROW = 104, 28


class Orthogonalization(Widget):
    """Make the columns (1, ε, 0, 0), (1, 0, ε, 0) and (1, 0, 0, ε) orthonormal, step by step.

    Parameters
    ----------
    exponent : int
        ε is 10 to the power of minus this, 0 to 8; the columns are 2 arcsin(ε / √(2 + 2 ε²)) radians apart, which is
        nearly √2 ε.
    method : {"classical Gram–Schmidt", "modified Gram–Schmidt", "rotations", "mirrors"}
        How it is done.
    **traits
        ``step`` (0 to 3: how many columns are done), ``caption``, ``description``. All but the texts can be read and
        set later, and set by the reader.

    Raises
    ------
    ValueError
        If the exponent is not 0 to 8, or there is no such step.
    """

    name = "orthogonalization"
    _esm = module(name)

    exponent = traitlets.Int(1).tag(sync=True)
    method = traitlets.Enum(METHODS, METHODS[0]).tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)

    def __init__(self, exponent=1, **traits):
        super().__init__(exponent=exponent, **traits)

    def matrix(self):
        """Build the columns.

        Returns
        -------
        float64 array (4, 3)
            One column each.
        """
        small = float(f"1e-{self.exponent}")
        return np.array([[1.0, 1.0, 1.0], [small, 0, 0], [0, small, 0], [0, 0, small]])

    def done(self):
        """Carry out the present steps, sum by sum in a fixed order.

        Returns
        -------
        float64 array (4, 3)
            What has become of the columns: by rotations and mirrors the triangle R, otherwise columns of Q where they
            are done.
        """
        return _STEPS[self.method](self.matrix(), self.step)[0]

    def basis(self, method):
        """Finish all steps.

        Parameters
        ----------
        method : str
            One of the four.

        Returns
        -------
        float64 array (4, 3)
            The columns that should be orthonormal.
        """
        return _STEPS[method](self.matrix(), 3)[1]

    def digits(self, method):
        """Count the decimal digits to which the columns come out orthonormal.

        Parameters
        ----------
        method : str
            One of the four.

        Returns
        -------
        int
            0 to 15.
        """
        q = self.basis(method).T
        loss = max(abs(_dot(q[i], q[j]) - (i == j)) for i in range(3) for j in range(3))
        return 15 if loss == 0 else min(15, max(0, math.floor(-math.log10(loss))))

    def picture(self):
        """Draw what has become of the columns as SVG text, and the digits of each method."""
        parts = []
        for (i, j), value in np.ndenumerate(self.done()):
            x, y = 16 + CELL * j, 14 + ROW * i
            fill = "#cfe0f1" if j < self.step else "#f7f8fa"
            parts.append(f'<rect x="{x}" y="{y}" width="{CELL - 4}" height="{ROW - 4}" rx="3" fill="{fill}"/>')
            parts.append(text(x + CELL / 2 - 2, y + 17, shown(value), "middle", fill="#1d222b"))
        for i, method in enumerate(METHODS):
            words = f"{method}: orthonormal to {self.digits(method)} digits"
            parts.append(text(16, 152 + 22 * i, words, fill="#1d222b" if method == self.method else "#545c69"))
        return svg(400, 234, *parts)

    def describe(self):
        """Say how far the method is, and to how many digits each method leaves the columns orthonormal."""
        e = float(f"1e-{self.exponent}")
        apart = 2 * math.asin(e / math.sqrt(2 + 2 * e * e))
        digits = ", ".join(f"{method} {self.digits(method)}" for method in METHODS)
        return (
            f"Three columns {shown(apart)} radians apart, "
            f"{self.method}, step {self.step} of 3. Right digits of orthogonality in the end: {digits}."
        )

    def __repr__(self):
        return f"<Orthogonalization by {self.method}>"

    @validate("exponent")
    def _within(self, proposal):
        return require_between("exponent", 0, 8, proposal["value"])

    @validate("step")
    def _exists(self, proposal):
        return require_between("step", 0, 3, proposal["value"])


def _dot(x, y):
    """Add products from the first to the last, as the page does: a library's order is the processor's."""
    total = 0.0
    for a, b in zip(x.tolist(), y.tolist(), strict=True):
        total += a * b
    return total


def _classical(a, steps):
    a = a.T.copy()
    for j in range(steps):
        overlaps = [_dot(a[i], a[j]) for i in range(j)]
        for i, overlap in enumerate(overlaps):
            a[j] = a[j] - a[i] * overlap
        a[j] = a[j] / math.sqrt(_dot(a[j], a[j]))
    return a.T, a.T


def _modified(a, steps):
    a = a.T.copy()
    for i in range(steps):
        a[i] = a[i] / math.sqrt(_dot(a[i], a[i]))
        for j in range(i + 1, 3):
            a[j] = a[j] - a[i] * _dot(a[i], a[j])
    return a.T, a.T


def _rotations(a, steps):
    r, q = a.copy(), np.eye(4)
    for j in range(steps):
        for i in range(j + 1, 4):
            length = math.sqrt(r[j, j] * r[j, j] + r[i, j] * r[i, j])
            c, s = r[j, j] / length, r[i, j] / length
            for rows in (r, q):
                rows[j], rows[i] = rows[j] * c + rows[i] * s, rows[i] * c - rows[j] * s
            r[i, j] = 0
    return r, q[:3].T


def _mirrors(a, steps):
    a, q, mirrors = a.T.copy(), np.eye(4)[:3], []
    for j in range(steps):
        beta = -math.copysign(math.sqrt(_dot(a[j, j:], a[j, j:])), a[j, j])
        v = a[j, j:].copy()
        v[0] = v[0] - beta
        factor = 2 / _dot(v, v)
        for column in a[j:]:
            column[j:] = column[j:] - v * (factor * _dot(v, column[j:]))
        a[j, j + 1 :] = 0
        mirrors.append((j, v, factor))
    for j, v, factor in reversed(mirrors):
        for column in q:
            column[j:] = column[j:] - v * (factor * _dot(v, column[j:]))
    return a.T, q.T


_STEPS = dict(zip(METHODS, (_classical, _modified, _rotations, _mirrors), strict=True))
