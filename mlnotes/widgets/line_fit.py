"""A line through points by least squares: its squares, an outlier to pull, ridge to hold it back, its right angle."""

import numpy as np
import traitlets

from mlnotes.applications.least_squares import ridge
from mlnotes.blocks.dot_product import angle, dot, project, unit
from mlnotes.blocks.norm import vector_norm
from mlnotes.widgets import module
from mlnotes.widgets.base import Widget, require_between, shown, svg, text, validate

WIDTH, HEIGHT, LOW, HIGH = 480, 340, -12.0, 12.0

# Below the points: the height of the second picture, its column of x, the length of y, in pixels.
TALL, GROUND, REACH = 250, 225, 205


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

    def angle(self):
        """Compute the angle between the residual and the column of x, less its mean.

        Returns
        -------
        float
            In degrees, 0 to 180: 90 without ridge; nan where the line goes through all points.
        """
        x, (_, _, residuals) = np.array(self.x), self.fit()
        if (residuals**2).sum() < 1e-9:
            return np.nan
        return float(np.degrees(angle(residuals, x - x.mean())))

    def picture(self):
        """Draw points, line and squares as SVG text; below them y, its fit and the residual as arrows."""
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
        parts.append(_segment((x1, y1), (x2, y2), "#2c5fa8", 2))
        for x, y in zip(self.x, self.y, strict=True):
            px, py = _place(x, y)
            parts.append(f'<circle cx="{px:.1f}" cy="{py:.1f}" r="4" fill="#1d222b"/>')
        parts.append(text(12, HEIGHT - 10, f"y = {_line(intercept, slope)}", fill="#2c5fa8"))
        return svg(WIDTH, HEIGHT + TALL, *parts, *self._triangle())

    def _triangle(self):
        # In the plane of x and y, both less their means: what y and the fit have along x, and what y has beyond it.
        x, y = (np.array(it) - np.mean(it) for it in (self.x, self.y))
        along, fitted, beyond = dot(y, unit(x)), self.fit()[0] * vector_norm(x), vector_norm(y - project(y, x))
        along, fitted, beyond = np.round([along, fitted, beyond], 9)
        length = vector_norm(y)
        scale = REACH / length if length else 0.0
        tip = (WIDTH / 2 + scale * along, HEIGHT + GROUND - scale * beyond)
        origin, foot = ((WIDTH / 2 + scale * it, HEIGHT + GROUND) for it in (0.0, fitted))
        yield _segment((0, HEIGHT + GROUND), (WIDTH, HEIGHT + GROUND), "#8a93a1", 1)
        if abs(self.angle() - 90) < 1e-6:
            side = min(12, 0.4 * (foot[1] - tip[1]), 0.4 * abs(foot[0] - origin[0]))
            across = side if fitted > 0 else -side
            corner = f"M {foot[0] - across:.1f} {foot[1]:.1f} v {-side:.1f} h {across:.1f}"
            yield f'<path d="{corner}" fill="none" stroke="#b3410e" stroke-width="1.5"/>'
        yield _segment(origin, tip, "#1d222b", 2)
        yield _segment(origin, foot, "#2c5fa8", 3)
        yield _segment(foot, tip, "#b3410e", 3)
        yield text(WIDTH - 8, HEIGHT + GROUND + 18, "x", anchor="end")
        if length:
            yield text(tip[0] + (8 if along >= 0 else -8), tip[1] - 6, "y", anchor="start" if along >= 0 else "end")

    def describe(self):
        """Say which line it is, how large the squares are together, and how the residual stands."""
        slope, intercept, residuals = self.fit()
        angle = self.angle()
        where = f" The residual meets the column of x, less its mean, at {_shown(angle)}°."
        stands = "" if np.isnan(angle) else where
        held = "" if self.strength <= -3 else f", with ridge of strength {10**self.strength:.3g}"
        return (
            f"{len(self.x)} points and the line y = {_line(intercept, slope)} that makes their squares "
            f"smallest{held}. The squares add up to {_shown((residuals**2).sum())}.{stands}"
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


def _segment(start, end, colour, width):
    (x1, y1), (x2, y2) = start, end
    ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line {ends} stroke="{colour}" stroke-width="{width}"/>'


def _line(intercept, slope):
    return f"{_shown(intercept)} {'−' if slope < 0 else '+'} {_shown(abs(slope))} x"


def _shown(x):
    return shown(round(float(x), 9) + 0)
