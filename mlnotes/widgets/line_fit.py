"""A line through points by least squares, with its squares, an outlier to pull, and ridge to hold it back."""

import numpy as np
import traitlets

from mlnotes.applications.least_squares import ridge
from mlnotes.widgets import module
from mlnotes.widgets.base import Widget, require_between, shown, svg, text, validate

WIDTH, HEIGHT, LOW, HIGH = 480, 340, -12.0, 12.0


class LineFit(Widget):
    """Fit a line to points of the plane, and move one of them.

    Parameters
    ----------
    x, y : array (n,)
        The points, 3 to 12; no coordinate is beyond 10, and not all x are equal.
    **traits
        ``point`` (which one can be moved, from 0), ``strength`` (the exponent s of the ridge's strength 10ˢ, -3 to 3,
        where -3 stands for none), ``caption``, ``description``. Points, ``point`` and ``strength`` can be read and set
        later, and set by the reader.

    Raises
    ------
    ValueError
        If the points are not as described, there is no such point, or the exponent is not -3 to 3.
    """

    name = "line_fit"
    _esm = module(name)

    x = traitlets.List(traitlets.Float()).tag(sync=True)
    y = traitlets.List(traitlets.Float()).tag(sync=True)
    point = traitlets.Int(0).tag(sync=True)
    strength = traitlets.Float(-3.0).tag(sync=True)

    def __init__(self, x, y, **traits):
        x, y = np.asarray(x, float), np.asarray(y, float)
        _require_points(x, y)
        super().__init__(x=x.tolist(), y=y.tolist(), **traits)

    def fit(self):
        """Compute the line; ridge shrinks its slope and lets it pass through the middle of the points.

        Returns
        -------
        slope, intercept : float
            Of the line.
        residuals : array (n,)
            What the points are above it.
        """
        x, y = np.array(self.x), np.array(self.y)
        strength = 0.0 if self.strength <= -3 else 10.0**self.strength
        slope = float(ridge((x - x.mean())[:, None], y - y.mean(), strength)[0])
        intercept = float(y.mean() - slope * x.mean())
        return slope, intercept, y - intercept - slope * x

    def picture(self):
        """Draw points, line and squares as SVG text."""
        slope, intercept, residuals = self.fit()
        parts = []
        for x, y, r in zip(self.x, self.y, residuals.round(9), strict=True):
            (px, py), (_, foot) = _place(x, y), _place(x, y - r)
            side = abs(foot - py)
            left = px if r * slope < 0 else px - side
            parts.append(
                f'<rect x="{left:.1f}" y="{min(py, foot):.1f}" width="{side:.1f}" height="{side:.1f}" '
                'fill="#b3410e" fill-opacity="0.18"/>'
            )
        (x1, y1), (x2, y2) = (_place(x, round(intercept + slope * x, 9)) for x in (-11, 11))
        ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
        parts.append(f'<line {ends} stroke="#2c5fa8" stroke-width="2"/>')
        for x, y in zip(self.x, self.y, strict=True):
            px, py = _place(x, y)
            parts.append(f'<circle cx="{px:.1f}" cy="{py:.1f}" r="4" fill="#1d222b"/>')
        parts.append(text(12, HEIGHT - 10, f"y = {_line(intercept, slope)}", fill="#2c5fa8"))
        return svg(WIDTH, HEIGHT, *parts)

    def describe(self):
        """Say which line it is and how large the squares are together."""
        slope, intercept, residuals = self.fit()
        held = "" if self.strength <= -3 else f", with ridge of strength {10**self.strength:.3g}"
        return (
            f"{len(self.x)} points and the line y = {_line(intercept, slope)} that makes their squares "
            f"smallest{held}. The squares add up to {_shown((residuals**2).sum())}."
        )

    def __repr__(self):
        return f"<LineFit of {len(self.x)} points>"

    @validate("x", "y")
    def _fitting(self, proposal):
        points = {"x": self.x, "y": self.y} | {proposal["trait"].name: proposal["value"]}
        _require_points(*map(np.array, points.values()))
        require_between("point", 0, len(points["x"]) - 1, self.point)
        return proposal["value"]

    @validate("point")
    def _existing(self, proposal):
        return require_between("point", 0, len(self.x) - 1, proposal["value"])

    @validate("strength")
    def _within(self, proposal):
        return require_between("strength", -3, 3, proposal["value"])


def _require_points(x, y):
    if x.ndim != 1 or x.shape != y.shape or not 3 <= len(x) <= 12:
        raise ValueError(f"x and y must hold 3 to 12 numbers each, got shapes {x.shape} and {y.shape}")
    if not (np.abs([x, y]) <= 10).all() or np.ptp(x) == 0:
        raise ValueError(f"points must lie within 10, with different x, got x {x.tolist()} and y {y.tolist()}")


def _place(x, y):
    scale = WIDTH / (HIGH - LOW)
    return WIDTH / 2 + scale * x, HEIGHT / 2 - scale * 0.66 * y


def _line(intercept, slope):
    return f"{_shown(intercept)} {'−' if slope < 0 else '+'} {_shown(abs(slope))} x"


def _shown(x):
    return shown(round(float(x), 9) + 0)
