"""A plane with two or three vectors to move, and what the dot product says of them."""

import math

import numpy as np
import traitlets

from mlnotes.arrays import require_positive
from mlnotes.blocks.dot_product import angle, dot, project
from mlnotes.widgets import module
from mlnotes.widgets.base import Widget, svg, text, validate

COLOURS = ["#2c5fa8", "#b3410e", "#57731a"]
SIZE = 340


class VectorPlane(Widget):
    """Show the dot product of plane vectors, their angle, and the projection of the others onto the first.

    Parameters
    ----------
    vectors : dict of str to (x, y), optional
        Two or three names and coordinates in an orthonormal basis; a = (3, 1) and b = (1, 2) unless given.
    fixed : sequence of str
        The names of vectors that the reader cannot move.
    limit : float, optional
        Coordinates run from -``limit`` to ``limit``; at least 4 unless given.
    **traits
        ``snap`` (to halves), ``show_projection``, ``show_half_plane``, ``caption``, ``description``. These, and the
        vectors as ``a``, ``b`` and ``c`` whatever their names, can be read and set later, and set by the reader.

    Raises
    ------
    ValueError
        If there are not two or three vectors of two finite coordinates within the limit, or a fixed name is unknown.
    """

    name = "vector_plane"
    _esm = module(name)

    names = traitlets.List(traitlets.Unicode(), read_only=True).tag(sync=True)
    fixed = traitlets.List(traitlets.Unicode(), read_only=True).tag(sync=True)
    limit = traitlets.Float(4.0, read_only=True).tag(sync=True)

    a = traitlets.List(traitlets.Float(), [3.0, 1.0]).tag(sync=True)
    b = traitlets.List(traitlets.Float(), [1.0, 2.0]).tag(sync=True)
    c = traitlets.List(traitlets.Float(), None, allow_none=True).tag(sync=True)
    snap = traitlets.Bool(False).tag(sync=True)
    show_projection = traitlets.Bool(True).tag(sync=True)
    show_half_plane = traitlets.Bool(False).tag(sync=True)

    def __init__(self, vectors=None, fixed=(), *, limit=None, **traits):
        vectors = {"a": (3, 1), "b": (1, 2)} if vectors is None else dict(vectors)
        if len(vectors) not in (2, 3):
            raise ValueError(f"vectors must be two or three, got {len(vectors)}: {list(vectors)}")
        if not set(fixed) <= set(vectors):
            raise ValueError(f"fixed must name some of the vectors {list(vectors)}, got {list(fixed)}")
        if limit is None:
            limit = max([4.0, *(math.ceil(abs(x)) for v in vectors.values() for x in v if math.isfinite(x))])
        require_positive(limit=limit)
        self.set_trait("names", list(vectors))
        self.set_trait("fixed", list(fixed))
        self.set_trait("limit", float(limit))
        super().__init__(**dict(zip("abc", vectors.values(), strict=False)), **traits)

    def picture(self):
        """Draw the vectors as SVG text."""
        unit = (SIZE / 2 - 16) / self.limit
        parts = []
        for i in range(-int(self.limit), int(self.limit) + 1):
            at, colour = SIZE / 2 + i * unit, "#d5d9e0" if i else "#6d7683"
            parts += [_line(at, 16, at, SIZE - 16, colour), _line(16, at, SIZE - 16, at, colour)]
        vectors = self._vectors()
        for index, v in enumerate(vectors[1:] if self.show_projection and vectors[0].any() else [], 1):
            foot = project(v, vectors[0])
            ends = _place([0, 0], unit), _place(foot, unit), _place(v, unit)
            parts.append(_line(*ends[0], *ends[1], COLOURS[index], 7, opacity=0.35))
            parts.append(_line(*ends[1], *ends[2], COLOURS[index], 2, stroke_dasharray="5 4"))
        for name, v, colour in zip(self.names, vectors, COLOURS, strict=False):
            x, y = _place(v, unit)
            parts.append(_line(SIZE / 2, SIZE / 2, x, y, colour, 3))
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{colour}"/>')
            parts.append(
                text(round(x) + 8, round(y) - 8, f"{name} = ({v[0]:g}, {v[1]:g})", fill=colour, font_weight=600)
            )
        return svg(SIZE + 90, SIZE, *parts)

    def describe(self):
        """Say what the dot products and angles are."""
        first, *others = zip(self.names, self._vectors(), strict=True)
        return f"Vector {_named(*first)} from the origin. " + " ".join(
            _relation(*first, *other, self.show_projection) for other in others
        )

    def __repr__(self):
        return f"<VectorPlane with {', '.join(self.names)}>"

    def _vectors(self):
        return [np.array(v) for v in (self.a, self.b, self.c) if v is not None]

    @validate("a", "b", "c")
    def _inside(self, proposal):
        name, value = proposal["trait"].name, proposal["value"]
        index = "abc".index(name)
        if index >= len(self.names):
            if value is None:
                return value
            raise ValueError(f"there is no third vector to set among {self.names}, got {value}")
        if value is None or len(value) != 2 or not all(abs(x) <= self.limit for x in value):
            raise ValueError(
                f"{self.names[index]} must be two numbers from {-self.limit:g} to {self.limit:g}, got {value}"
            )
        return value


def _named(name, v):
    return f"{name} = ({v[0]:g}, {v[1]:g})"


def _relation(name, a, other, b, projected):
    product = round(float(dot(a, b)), 9)
    words = f"Vector {_named(other, b)}: {name}·{other} = {product:g}"
    if not a.any() or not b.any():
        return f"{words}; a zero vector has no direction."
    words += f", angle {math.degrees(round(float(angle(a, b)), 12)):.1f}°"
    if not projected:
        return f"{words}."
    foot = project(b, a).round(9) + 0.0
    return f"{words}, projection of {other} onto {name} ({foot[0]:.3g}, {foot[1]:.3g})."


def _place(v, unit):
    return SIZE / 2 + v[0] * unit, SIZE / 2 - v[1] * unit


def _line(x1, y1, x2, y2, colour, width=1, **attributes):
    more = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())
    ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line {ends} stroke="{colour}" stroke-width="{width}"{more}/>'
