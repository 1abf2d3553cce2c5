"""A sum of ReLU units that imitates a function: how many there are, and what each of them does."""

import math

import numpy as np
import traitlets

from mlnotes.applications.mlp import interpolation_weights, mlp
from mlnotes.widgets import module
from mlnotes.widgets.base import Widget, require_between, svg, text, validate

TARGETS = {
    "sine": lambda x: np.sin(2 * math.pi * x),
    "square root": np.sqrt,
    "step": lambda x: (x >= 0.5).astype(float),
}
MOST = 64
GRID = 4001
WIDTH, HEIGHT, LOW, HIGH = 460, 240, -1.4, 1.4


class ReluSum(Widget):
    """Show a function on 0 to 1 and the network with one hidden layer that meets it at evenly spaced points.

    Parameters
    ----------
    target : {"sine", "square root", "step"}
        The function.
    pieces : int
        How many straight pieces, and hidden units, the network has; 1 to 64.
    **traits
        ``unit`` and ``change`` (what is added to that unit's output weight, -8 to 8), ``show_units``, ``caption``,
        ``description``. All can be read and set later, and set by the reader.

    Raises
    ------
    ValueError
        If ``pieces`` is not 1 to 64, ``unit`` is not one of them, or ``change`` is not -8 to 8.
    """

    name = "relu_sum"
    _esm = module(name)

    target = traitlets.Enum(list(TARGETS), "sine").tag(sync=True)
    pieces = traitlets.Int(4).tag(sync=True)
    unit = traitlets.Int(0).tag(sync=True)
    change = traitlets.Float(0.0).tag(sync=True)
    show_units = traitlets.Bool(False).tag(sync=True)

    def __init__(self, target="sine", pieces=4, **traits):
        super().__init__(target=target, pieces=pieces, **traits)

    def parameters(self):
        """Build the network.

        Returns
        -------
        weights, biases : tuples of float64 arrays
            For `mlnotes.applications.mlp.mlp`.
        """
        knots = np.arange(self.pieces + 1) / self.pieces
        (w, bends), biases = interpolation_weights(knots, TARGETS[self.target](knots))
        bends = bends + self.change * (np.arange(self.pieces) == self.unit)[:, None]
        return (w, bends), biases

    def curves(self):
        """Evaluate function and network at 4,001 places from 0 to 1.

        Returns
        -------
        x, function, network : float64 arrays (4001,)
            Places and values.
        """
        x = np.arange(GRID) / (GRID - 1)
        return x, TARGETS[self.target](x), mlp(x[:, None], *self.parameters())[:, 0]

    def error(self):
        """Measure the largest distance between function and network at these places.

        Returns
        -------
        float
            The distance.
        """
        _, function, network = self.curves()
        return float(np.abs(network - function).max())

    def picture(self):
        """Draw both curves and the bends as SVG text."""
        x, function, network = self.curves()
        weights, biases = self.parameters()
        knots = -biases[0]
        parts = [_grid(y) for y in (-1, 0, 1)]
        parts.append(_curve(x[::40], function[::40], 'stroke="#b3410e" stroke-dasharray="6 4"'))
        parts.append(_curve(x[::20], network[::20], 'stroke="#2c5fa8"'))
        for px, py in zip(*_place(knots, mlp(knots[:, None], weights, biases)[:, 0]), strict=True):
            parts.append(f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3.5" fill="#2c5fa8"/>')
        parts.append(text(44, HEIGHT - 8, f"dashed: {self.target}; solid: sum of {self.pieces} ReLU units"))
        return svg(WIDTH, HEIGHT, *parts)

    def describe(self):
        """Say how large the error is."""
        units = f"{self.pieces} ReLU unit{'s' if self.pieces > 1 else ''}"
        changed = f", with {self.change:+g} added to the weight of unit {self.unit}" if self.change else ""
        return (
            f"The {self.target} on 0 to 1, dashed, and a sum of {units}, solid, that bends at the dots{changed}. "
            f"Largest error {round(self.error(), 9):.4g}."
        )

    def __repr__(self):
        return f"<ReluSum with {self.pieces} pieces>"

    @validate("pieces")
    def _some(self, proposal):
        return require_between("pieces", 1, MOST, proposal["value"])

    @validate("unit")
    def _existing(self, proposal):
        return require_between("unit", 0, self.pieces - 1, proposal["value"])

    @validate("change")
    def _within(self, proposal):
        return require_between("change", -8, 8, proposal["value"])

    @traitlets.observe("pieces")
    def _keep_unit(self, change):
        self.unit = min(self.unit, change["new"] - 1)


def _place(x, y):
    return 44 + np.asarray(x) * (WIDTH - 60), 16 + (HIGH - np.clip(y, LOW, HIGH)) / (HIGH - LOW) * (HEIGHT - 46)


def _grid(y):
    left, height = _place(0, y)
    line = f'<line x1="{left:.1f}" y1="{height:.1f}" x2="{WIDTH - 16}" y2="{height:.1f}" stroke="#d5d9e0"/>'
    return line + text(left - 8, height + 4, f"{y}".replace("-", "−"), "end", fill="#555c68")


def _curve(x, y, style):
    places = " ".join(f"{px:.1f},{py:.1f}" for px, py in zip(*_place(x, y.round(9)), strict=True))
    return f'<polyline points="{places}" fill="none" stroke-width="2" {style}/>'
