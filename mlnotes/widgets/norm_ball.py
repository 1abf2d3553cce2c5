"""The ball of a p-norm in the plane: what it says of a vector, and where it meets a line."""

import numpy as np
import traitlets

from mlnotes.blocks.norm import nearest_to_zero, unit_circle
from mlnotes.widgets import module
from mlnotes.widgets.base import Widget, require_between, svg, text, validate

REACH, LEAST, MOST = 3.5, 0.5, 3.0
SIZE = 340


class NormBall(Widget):
    """Show the vectors of length one, the norms of a vector, and the point of a line nearest to zero.

    Parameters
    ----------
    p : float
        At least 0.5, up to ``inf``. Below 1 it gives no norm.
    vector : (x, y)
        Two coordinates from -3 to 3.
    line : (x, y)
        Where the line crosses the two axes, from 0.5 to 3.
    **traits
        ``caption``, ``description``. These, ``p``, ``vector`` and ``line`` can be read and set later, and set by the
        reader.

    Raises
    ------
    ValueError
        If p is below 0.5, or ``vector`` or ``line`` does not hold two numbers in these ranges.

    Notes
    -----
    What is synchronised is ``inverse``, 1/p from 0 to 2, for JSON has no infinity.
    """

    name = "norm_ball"
    _esm = module(name)

    inverse = traitlets.Float(1.0).tag(sync=True)
    vector = traitlets.List(traitlets.Float()).tag(sync=True)
    line = traitlets.List(traitlets.Float()).tag(sync=True)

    def __init__(self, p=1.0, vector=(1.5, -2.0), line=(2.0, 3.0), **traits):
        super().__init__(inverse=_inverse(p), vector=list(vector), line=list(line), **traits)

    @property
    def p(self):
        """The power, from 0.5 to ``inf``."""
        return 1 / self.inverse if self.inverse else np.inf

    @p.setter
    def p(self, p):
        self.inverse = _inverse(p)

    def length(self, x, p=None):
        """Compute the p-norm of a vector, or below 1 the same formula, which is no norm there.

        Parameters
        ----------
        x : sequence of float
            Two coordinates.
        p : float, optional
            The power; that of the ball unless given.

        Returns
        -------
        float
            The p-th root of the sum of powers.
        """
        sizes, p = np.abs(x), self.p if p is None else p
        largest = sizes.max() or 1.0
        return float(sizes.max() if p == np.inf else largest * np.sum((sizes / largest) ** p) ** (1 / p))

    def nearest(self):
        """Find the point of the line nearest to zero.

        Returns
        -------
        float64 array (2,)
            The point; for p up to 1, if both axes are equally near, the one on the first.
        """
        return nearest_to_zero(1 / np.array(self.line), 1.0, self.p)

    def picture(self):
        """Draw the unit ball, the ball that touches the line, the line and the vector as SVG text."""
        near, unit = self.nearest(), unit_circle(self.p, 121)
        (u, v), ends = self.line, np.array([-REACH, REACH])
        axes = np.array([[ends, 0 * ends], [0 * ends, ends]]).mT
        parts = [_path(axis, 'stroke="#6d7683"') for axis in axes]
        parts.append(_path(unit, 'stroke="#2c5fa8"', fill="#cfe0f1"))
        parts.append(_path(self.length(near) * unit, 'stroke="#2c5fa8" stroke-width="2.5"'))
        parts.append(_path(self.length(self.vector) * unit, 'stroke="#57731a" stroke-dasharray="5 4"'))
        parts.append(_path(np.stack([ends, v * (1 - ends / u)], axis=-1), 'stroke="#b3410e" stroke-width="2.5"'))
        parts.append(_path([[0, 0], self.vector], 'stroke="#57731a" stroke-width="3"'))
        (tip_x, tip_y), (x, y) = _place([self.vector, near])
        parts.append(f'<circle cx="{tip_x:.1f}" cy="{tip_y:.1f}" r="4" fill="#57731a"/>')
        parts.append(f'<rect x="{x - 5:.1f}" y="{y - 5:.1f}" width="10" height="10" fill="#b3410e"/>')
        parts.append(text(8, 18, f"p = {_written(self.p)}"))
        return svg(SIZE, SIZE, *parts)

    def describe(self):
        """Say how long the vector is, and which point is nearest."""
        (x, y), (u, v), near, p = self.vector, self.line, self.nearest() + 0.0, _written(self.p)
        lengths = ", ".join(
            f"{self.length(self.vector, q):.4g} for p = {_written(q)}" for q in dict.fromkeys((1, 2, np.inf, self.p))
        )
        return (
            f"Filled, the vectors of length at most one for p = {p}; dashed, those as long as the vector "
            f"({x:g}, {y:g}), whose length is {lengths}. The line crosses the axes at {u:g} and {v:g}. The ball that "
            f"touches it, outlined, has the radius {self.length(near):.4g}, and meets it at "
            f"({near[0]:.4g}, {near[1]:.4g})."
        )

    def __repr__(self):
        return f"<NormBall for p = {_written(self.p)}>"

    @validate("inverse")
    def _within(self, proposal):
        return require_between("1/p", 0, 2, proposal["value"])

    @validate("vector")
    def _two_coordinates(self, proposal):
        return _two("vector", proposal["value"], -MOST)

    @validate("line")
    def _two_crossings(self, proposal):
        return _two("line", proposal["value"], LEAST)


def _inverse(p):
    if not p >= 0.5:
        raise ValueError(f"p must be at least 0.5, got {p}")
    return float(1 / p)


def _two(name, values, least):
    if len(values) != 2 or not all(least <= value <= MOST for value in values):
        raise ValueError(f"{name} must hold two numbers from {least:g} to {MOST:g}, got {values}")
    return values


def _written(p):
    return "∞" if p == np.inf else f"{p:.3g}"


def _place(points):
    return SIZE / 2 + np.asarray(points) * [1, -1] * (SIZE / 2 / REACH)


def _path(points, style, fill="none"):
    places = " ".join(f"{x:.1f},{y:.1f}" for x, y in _place(np.round(points, 9)) + 0.0)
    return f'<polyline points="{places}" fill="{fill}" {style}/>'
