"""A 2 by 2 matrix, a vector of the plane and its image, and power iteration step by step."""

import math

import numpy as np
import traitlets

from mlnotes.blocks.eigen import Eigenpair, power_iteration
from mlnotes.widgets import module
from mlnotes.widgets.base import Widget, require_between, shown, svg, text, validate

SIZE, REACH = 300, 3.6


class EigenPlane(Widget):
    """Turn a vector until its image is parallel, or let power iteration turn it.

    Parameters
    ----------
    a : array (2, 2)
        The matrix at the start; the reader can change it.
    angle : int
        Direction of the vector before the first step, in degrees from the first axis, -180 to 180.
    **traits
        ``step`` (how often the vector has been multiplied, 0 to 20), ``caption``, ``description``. Matrix, angle and
        step can be read and set later, and set by the reader.

    Raises
    ------
    ValueError
        If the matrix is not 2 by 2 with entries from -9 to 9, the angle is not -180 to 180, or there is no such step.
    """

    name = "eigen_plane"
    _esm = module(name)

    entries = traitlets.List(traitlets.Float()).tag(sync=True)
    angle = traitlets.Int(0).tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)

    def __init__(self, a=((2.0, 1.0), (1.0, 2.0)), angle=-30, **traits):
        a = np.asarray(a, float)
        if a.shape != (2, 2):
            raise ValueError(f"a must have shape (2, 2), got {a.shape}")
        super().__init__(entries=a.ravel().tolist(), angle=angle, **traits)

    def iteration(self):
        """Run power iteration up to the present step.

        Returns
        -------
        Eigenpair
            As `mlnotes.blocks.eigen.power_iteration` returns it; a matrix that sends the vector to zero stops it.
        """
        a, start = np.reshape(self.entries, (2, 2)), self.start()
        if not a.any():
            return Eigenpair(0.0, start, np.zeros(1), np.zeros(1), True)
        return power_iteration(a, start, self.step, 0.0)

    def start(self):
        """Give the vector before the first step.

        Returns
        -------
        array (2,)
            Of length 1 to 12 digits.
        """
        radians = math.radians(self.angle)
        return np.array([math.cos(radians), math.sin(radians)]).round(12)  # at 45 degrees, both are alike

    def turned(self):
        """Measure the angle between the present vector and its image.

        Returns
        -------
        float
            Degrees, 0 to 180; 0 for an image of zero.
        """
        v = self.iteration().vector
        x, y = np.reshape(self.entries, (2, 2)) @ v
        return abs(math.degrees(math.atan2(v[0] * y - v[1] * x, v[0] * x + v[1] * y)))

    def picture(self):
        """Draw the vector and its image as SVG text."""
        v = self.iteration().vector
        image = np.reshape(self.entries, (2, 2)) @ v
        half = SIZE / 2
        scale = half / max(REACH, 1.1 * float(np.hypot(*image).round(9)))
        parts = [
            f'<line x1="0" y1="{half:g}" x2="{SIZE}" y2="{half:g}" stroke="#d5d9e0"/>',
            f'<line x1="{half:g}" y1="0" x2="{half:g}" y2="{SIZE}" stroke="#d5d9e0"/>',
            f'<circle cx="{half:g}" cy="{half:g}" r="{scale:.1f}" fill="none" stroke="#8b93a0"/>',
        ]
        for name, (x, y), colour in (("Av", image, "#b3410e"), ("v", v, "#2c5fa8")):
            px, py = half + scale * x, half - scale * y
            parts.append(
                f'<line x1="{half:g}" y1="{half:g}" x2="{px:.1f}" y2="{py:.1f}" stroke="{colour}" stroke-width="2.5"/>'
            )
            parts.append(f'<circle cx="{px:.1f}" cy="{py:.1f}" r="4" fill="{colour}"/>')
            parts.append(text(round(px + 8, 1), round(py - 6, 1), name, fill=colour, font_weight="bold"))
        return svg(SIZE, SIZE, *parts)

    def describe(self):
        """Say which angle vector and image make, and what the eigenvalue is estimated to be."""
        a, b, c, d = (f"{x:g}".replace("-", "−") for x in self.entries)
        found = self.iteration()
        v = " and ".join(shown(x + 0) for x in found.vector.round(6))
        return (
            f"The matrix with rows {a}, {b} and {c}, {d}; the vector v of length 1 with coordinates {v}, after "
            f"{self.step} steps of power iteration, and its image Av. They are {self.turned():.1f} degrees apart. "
            f"Estimated eigenvalue {round(found.eigenvalue, 9) + 0:.5g}."
        ).replace(" -", " −")

    def __repr__(self):
        return "<EigenPlane>"

    @validate("entries")
    def _fitting(self, proposal):
        if len(proposal["value"]) != 4 or not all(abs(x) <= 9 for x in proposal["value"]):
            raise ValueError(f"a must have four entries from -9 to 9, got {proposal['value']}")
        return proposal["value"]

    @validate("angle")
    def _within(self, proposal):
        return require_between("angle", -180, 180, proposal["value"], " degrees")

    @validate("step")
    def _exists(self, proposal):
        return require_between("step", 0, 20, proposal["value"])
