"""A 2 by 2 matrix, two unit vectors at right angles, and where the matrix sends them and their circle."""

import math

import numpy as np
import traitlets

from mlnotes.blocks.svd import svd
from mlnotes.widgets import module
from mlnotes.widgets.base import Widget, require_between, svg, text, validate

SIZE = 240


class CircleEllipse(Widget):
    """Turn two vectors at right angles until their images are at right angles, too.

    Parameters
    ----------
    a : array (2, 2)
        The matrix at the start; the reader can change its columns.
    angle : float
        Direction of the first vector, in degrees from the first axis, -90 to 90.
    **traits
        ``caption``, ``description``. Matrix and angle can be read and set later, and set by the reader.

    Raises
    ------
    ValueError
        If the matrix is not 2 by 2 with entries from -9 to 9, or the angle is not -90 to 90.
    """

    name = "circle_ellipse"
    _esm = module(name)

    entries = traitlets.List(traitlets.Float()).tag(sync=True)
    angle = traitlets.Float(0.0).tag(sync=True)

    def __init__(self, a=((2.0, 1.0), (0.0, 1.5)), angle=0.0, **traits):
        a = np.asarray(a, float)
        if a.shape != (2, 2):
            raise ValueError(f"a must have shape (2, 2), got {a.shape}")
        super().__init__(entries=a.ravel().tolist(), angle=angle, **traits)

    def pair(self):
        """Give the two vectors.

        Returns
        -------
        array (2, 2)
            Orthonormal columns.
        """
        c, s = math.cos(math.radians(self.angle)), math.sin(math.radians(self.angle))
        return np.array([[c, -s], [s, c]])

    def images(self):
        """Give their images.

        Returns
        -------
        array (2, 2)
            In its columns.
        """
        return np.reshape(self.entries, (2, 2)) @ self.pair()

    def between(self):
        """Measure the angle between the images.

        Returns
        -------
        float
            Degrees, 0 to 180; 90 if one of them is zero.
        """
        (x, p), (y, q) = self.images()
        if min(math.hypot(x, y), math.hypot(p, q)) < 1e-12:
            return 90.0
        return abs(math.degrees(math.atan2(x * q - y * p, x * p + y * q)))

    def singular_values(self):
        """Give the half axes of the ellipse.

        Returns
        -------
        array (2,)
            Descending, as `mlnotes.blocks.svd.svd` returns them.
        """
        return svd(np.reshape(self.entries, (2, 2)))[1]

    def picture(self):
        """Draw circle and ellipse, with the two vectors and their images, as SVG text."""
        a = np.reshape(self.entries, (2, 2))
        around = np.linspace(0, 2 * math.pi, 73)
        circle = np.array([np.cos(around), np.sin(around)])
        scale = SIZE / 2 / max(1.3, 1.15 * float(self.singular_values()[0].round(9)))
        parts = []
        for left, outline, tips, names in ((0, circle, self.pair(), "vw"), (SIZE, a @ circle, self.images(), None)):
            x0, y0 = left + SIZE / 2, SIZE / 2
            at = [f"{x0 + scale * x + 0:.1f},{y0 - scale * y + 0:.1f}" for x, y in outline.T.round(6)]
            parts.append(f'<polygon points="{" ".join(at)}" fill="none" stroke="#8b93a0"/>')
            for tip, colour, name in zip(tips.T.round(6), ("#2c5fa8", "#b3410e"), names or ("Av", "Aw"), strict=True):
                x, y = x0 + scale * tip[0], y0 - scale * tip[1]
                parts.append(f'<path d="M{x0:g} {y0:g}L{x:.1f} {y:.1f}" stroke="{colour}" stroke-width="2.5"/>')
                parts.append(text(round(x + 5, 1), round(y - 5, 1), name, fill=colour, font_weight="bold"))
        return svg(2 * SIZE, SIZE, *parts)

    def describe(self):
        """Say how long the images are, and which angle they make."""
        a, b, c, d = (f"{x:g}" for x in self.entries)
        first, second = np.linalg.norm(self.images(), axis=0).round(9)
        s, t = self.singular_values().round(9)
        return (
            f"The matrix with columns {a}, {c} and {b}, {d} sends the unit circle to an ellipse with half axes "
            f"{s:.4g} and {t:.4g}. The vectors v, at {self.angle:g} degrees, and w, at a right angle to it, go to "
            f"vectors of length {first:.4g} and {second:.4g}, {self.between():.1f} degrees apart."
        ).replace(" -", " −")

    @validate("entries")
    def _fitting(self, proposal):
        if len(proposal["value"]) != 4 or not all(abs(x) <= 9 for x in proposal["value"]):
            raise ValueError(f"a must have four entries from -9 to 9, got {proposal['value']}")
        return proposal["value"]

    @validate("angle")
    def _within(self, proposal):
        return require_between("angle", -90, 90, proposal["value"], " degrees")
