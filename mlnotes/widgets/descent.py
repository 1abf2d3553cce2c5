"""Descent in a valley: the path of a method, and how fast it arrives, measured and predicted."""

import math
from itertools import islice, pairwise

import numpy as np
import traitlets

from mlnotes.blocks.optimization import Problem, gradient_descent, measured_rate, momentum, nesterov
from mlnotes.widgets import module
from mlnotes.widgets.base import Widget, require_between, svg, text, validate

METHODS = ("gradient descent", "momentum", "Nesterov")
REACH, MOST_RATE, MOST_CONDITION, MOST_STEPS = 1.2, 4.0, 200.0, 200
SIZE = 320


class Descent(Widget):
    """Walk down the valley (x²/κ + y²)/2, whose curvatures are 1/κ and 1, and compare the rates.

    Parameters
    ----------
    method : {"gradient descent", "momentum", "Nesterov"}
        Who walks.
    rate : float
        The step size, from 0.001 to 4; the largest curvature is 1.
    beta : float
        Which part of the velocity survives a step, from 0 to 0.99; gradient descent does not use it.
    condition : float
        κ, from 1 to 200.
    start : (x, y)
        Two coordinates from -1 to 1.
    steps : int
        From 2 to 200.
    **traits
        ``caption``, ``description``. These and the parameters can be read and set later, and set by the reader.

    Raises
    ------
    ValueError
        If a parameter is out of its range.
    """

    name = "descent"
    _esm = module(name)

    method = traitlets.Enum(METHODS, METHODS[0]).tag(sync=True)
    rate = traitlets.Float(1.0).tag(sync=True)
    beta = traitlets.Float(0.0).tag(sync=True)
    condition = traitlets.Float(20.0).tag(sync=True)
    start = traitlets.List(traitlets.Float()).tag(sync=True)
    steps = traitlets.Int(50).tag(sync=True)

    def __init__(self, method=METHODS[0], rate=1.0, beta=0.8, condition=20.0, start=(-1.0, 0.6), steps=50, **traits):
        if method not in METHODS:
            raise ValueError(f"method must be one of {METHODS}, got {method!r}")
        super().__init__(
            method=method, rate=rate, beta=beta, condition=condition, start=list(start), steps=steps, **traits
        )

    def path(self):
        """Walk with the book's steppers.

        Returns
        -------
        float64 array (steps + 1, 2)
            All points.
        """
        curvatures = np.array([1 / self.condition, 1.0])
        problem = Problem(lambda x: x @ (curvatures * x) / 2, lambda x: curvatures * x)
        stepper = {
            METHODS[0]: lambda: gradient_descent(self.rate),
            METHODS[1]: lambda: momentum(self.rate, self.beta),
            METHODS[2]: lambda: nesterov(self.rate, self.beta),
        }[self.method]()
        start = np.array(self.start)
        return np.array([start, *islice(stepper(problem, start), self.steps)])

    def measured(self):
        """Measure by which factor the distance of the last two points from the minimum shrinks in a step.

        Returns
        -------
        float
            The mean factor in the second half of the walk; 0 for a walk that has arrived.
        """
        distances = [math.hypot(*a, *b) for a, b in pairwise(self.path())]
        return measured_rate(distances) if distances[-1] > 0 else 0.0

    def predicted(self, rate=None):
        """Predict the factor from the roots of each coordinate's recurrence.

        Parameters
        ----------
        rate : float, optional
            The step size; that of the walk unless given.

        Returns
        -------
        float
            The largest root of both coordinates.
        """
        rate = self.rate if rate is None else rate
        return max(self._root(1 - rate / self.condition), self._root(1 - rate))

    def _root(self, left):
        """Return the largest absolute root z of z² = sum z - product; ``left`` is 1 - rate · curvature."""
        if self.method == METHODS[0]:
            return abs(left)
        total, product = left + self.beta, self.beta
        if self.method == METHODS[2]:
            total, product = (1 + self.beta) * left, self.beta * left
        inside = total**2 - 4 * product
        return math.sqrt(product) if inside < 0 else (abs(total) + math.sqrt(inside)) / 2

    def edge(self):
        """Tell from which step size on the walk diverges.

        Returns
        -------
        float
            The step size.
        """
        b = self.beta
        return {METHODS[0]: 2.0, METHODS[1]: 2 * (1 + b), METHODS[2]: 2 * (1 + b) / (1 + 2 * b)}[self.method]

    def best(self):
        """Find the settings with the smallest predicted factor.

        Returns
        -------
        (float, float)
            The step size and beta.

        References
        ----------
        Lessard, Recht and Packard, *Analysis and design of optimization algorithms via integral quadratic
        constraints*, 2016, section 2.2.
        """
        k = self.condition
        root, wide = math.sqrt(k), math.sqrt(3 * k + 1)
        return {
            METHODS[0]: (2 / (1 + 1 / k), 0.0),
            METHODS[1]: (4 / (1 + 1 / root) ** 2, ((root - 1) / (root + 1)) ** 2),
            METHODS[2]: (4 / (3 + 1 / k), (wide - 2) / (wide + 2)),
        }[self.method]

    def picture(self):
        """Draw the valley and the path, and the predicted factor by step size, as SVG text."""
        half, right = SIZE / 2, SIZE + 50
        parts = []
        for level in (0.15, 0.3, 0.45, 0.6, 0.75, 0.9, 1.05):
            rx, ry = half / REACH * level * math.sqrt(self.condition), half / REACH * level
            parts.append(f'<ellipse cx="{half}" cy="{half}" rx="{rx:.1f}" ry="{ry:.1f}" fill="none" stroke="#c9ced6"/>')
        places = np.clip(half + self.path() * [1, -1] * (half / REACH), -1e4, 1e4)
        parts.append(_line(places, "#2c5fa8"))
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="#2c5fa8"/>' for x, y in places if abs(x) < SIZE]
        inside = svg(SIZE, SIZE, *parts)
        at = _place_in_curve(right)
        curve = [at(rate, self.predicted(rate)) for rate in np.linspace(0.02, MOST_RATE, 200)]
        x, y = at(self.rate, self.predicted())
        return svg(
            2 * SIZE + 60, SIZE + 20, inside,
            _line([at(0, 1), at(MOST_RATE, 1)], "#6d7683"), _line(curve, "#2c5fa8"),
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="#b3410e"/>',
            text(right - 8, at(0, 1)[1] + 4, "1", "end"), text(right - 8, at(0, 0)[1], "0", "end"),
            text(right + SIZE / 2, SIZE + 12, "step size, 0 to 4", "middle"),
        )  # fmt: skip

    def describe(self):
        """Say how far the walk came, and how fast."""
        x, y = self.path()[-1]
        settings = f"step size {self.rate:.3g}" + (f" and β = {self.beta:.3g}" if self.method != METHODS[0] else "")
        return (
            f"Left, the valley (x²/κ + y²)/2 for κ = {self.condition:.4g}, and the path of {self.method} with "
            f"{settings} from ({self.start[0]:g}, {self.start[1]:g}). After {self.steps} steps it is "
            f"{math.hypot(x, y):.2g} from the minimum; each late step multiplies the distance by "
            f"{self.measured():.3f}, predicted {self.predicted():.3f}. Right, the predicted factor by step size, "
            f"drawn at the top where it is above 1.4; it exceeds 1 from {self.edge():.3g} on."
        )

    def __repr__(self):
        return f"<Descent by {self.method} for a condition number of {self.condition:.4g}>"

    @validate("rate", "beta", "condition", "steps")
    def _within(self, proposal):
        name, value = proposal["trait"].name, proposal["value"]
        least, most = {"rate": (1e-3, MOST_RATE), "beta": (0, 0.99), "condition": (1, MOST_CONDITION),
                       "steps": (2, MOST_STEPS)}[name]  # fmt: skip
        return require_between(name, least, most, value)

    @validate("start")
    def _in_the_picture(self, proposal):
        values = proposal["value"]
        if len(values) != 2 or not all(-1 <= value <= 1 for value in values):
            raise ValueError(f"start must hold two numbers from -1 to 1, got {values}")
        return values


def _place_in_curve(left):
    return lambda rate, factor: (left + rate / MOST_RATE * (SIZE - 10), SIZE - 8 - min(factor, 1.4) / 1.4 * (SIZE - 20))


def _line(places, color):
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    return f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="1.5"/>'
