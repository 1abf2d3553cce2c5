"""A saturating curve fitted to data: the way on the cost's landscape, and the damping of each step."""

import math

import numpy as np
import traitlets

from mlnotes.applications.nonlinear_least_squares import gauss_newton, levenberg_marquardt
from mlnotes.arrays import require_positive, require_vector
from mlnotes.widgets import module
from mlnotes.widgets.base import Widget, require_between, svg, text, validate

METHODS = ("Gauss–Newton", "Levenberg–Marquardt")
MOST_STEPS, TOLERANCE, LOST = 40, 1e-6, 1e3
WIDTH, HEIGHT = 360, 300
MARGIN = 40  # to the left of a panel, for its numbers


class FitLandscape(Widget):
    """Fit x₁(1 − exp(−x₂t)) to data from a start in the plane of both parameters, and follow it step by step.

    Parameters
    ----------
    t, y : sequence of float
        When was measured, from 0 on, and what; as many times as values, at least three. The largest of each is
        positive, and no curve meets them all.
    method : {"Gauss–Newton", "Levenberg–Marquardt"}
        Who walks.
    start : (float, float)
        x₁ and x₂ at the start, above 0 and up to ``reach``.
    step : int
        The step that is shown, from 0 to 40; after the last one nothing moves any more.
    reach : (float, float)
        How far the landscape goes in x₁ and x₂.
    **traits
        ``caption``, ``description``. These, ``method``, ``start`` and ``step`` can be read and set later, and set by
        the reader.

    Raises
    ------
    ValueError
        If the data are not as described, or a parameter is out of its range.
    """

    name = "fit_landscape"
    _esm = module(name)

    t = traitlets.List(traitlets.Float(), read_only=True).tag(sync=True)
    y = traitlets.List(traitlets.Float(), read_only=True).tag(sync=True)
    reach = traitlets.List(traitlets.Float(), read_only=True).tag(sync=True)
    levels = traitlets.List(traitlets.Float(), read_only=True).tag(sync=True)
    method = traitlets.Enum(METHODS, METHODS[0]).tag(sync=True)
    start = traitlets.List(traitlets.Float()).tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)

    def __init__(self, t, y, method=METHODS[0], start=(100.0, 0.75), step=0, reach=(300.0, 3.0), **traits):
        if len(t) != len(y) or len(t) < 3:
            raise ValueError(f"t and y must have the same length, at least 3, got {len(t)} and {len(y)}")
        if method not in METHODS:
            raise ValueError(f"method must be one of {METHODS}, got {method!r}")
        if len(reach) != 2 or not all(0 < it < math.inf for it in reach):
            raise ValueError(f"reach must hold two positive numbers, got {reach}")
        t, y, reach = ([float(x) for x in it] for it in (t, y, reach))
        require_vector(t=t, y=y)
        if min(t) < 0 or not max(t) > 0 < max(y):
            raise ValueError(f"t must not be negative, and the largest t and y be positive, got t {t} and y {y}")
        for name, value in {"t": t, "y": y, "reach": reach}.items():
            self.set_trait(name, value)
        super().__init__(method=method, start=list(start), step=step, **traits)
        lowest = levenberg_marquardt(self.residual, self.start, self.jacobian).cost
        require_positive(**{"the smallest cost": lowest})
        self.set_trait("levels", [float(f"{1.25 * lowest * 2**k:.3g}") for k in range(7)])

    def residual(self, x):
        """Subtract the data from the curve.

        Parameters
        ----------
        x : (float, float)
            Both parameters.

        Returns
        -------
        float64 array (m,)
            What the curve misses the data by.
        """
        return x[0] * (1 - np.exp(-x[1] * np.array(self.t))) - self.y

    def jacobian(self, x):
        """Differentiate `residual`.

        Parameters
        ----------
        x : (float, float)
            Both parameters.

        Returns
        -------
        float64 array (m, 2)
            The derivatives by x₁ and x₂.
        """
        t = np.array(self.t)
        e = np.exp(-x[1] * t)
        return np.stack([1 - e, x[0] * t * e], 1)

    def walk(self):
        """Walk with the book's functions, until the angle between residual and tangent plane is right to a millionth.

        Returns
        -------
        points : float64 array (steps + 1, 2)
            All points, up to the first whose cost is a thousand times that of the start: who is there is lost.
        costs : float64 array (steps + 1,)
            Half the sum of squares at each.
        trials : list of (float, float, float)
            Of each step the damping, the predicted reduction and the gain ratio.
        outcome : {"arrived", "lost", "not finite", "on the way"}
            How the walk ended.
        """
        solve = {METHODS[0]: gauss_newton, METHODS[1]: levenberg_marquardt}[self.method]
        fit = solve(self.residual, self.start, self.jacobian, MOST_STEPS, TOLERANCE)
        far = np.flatnonzero(~(fit.costs <= LOST * fit.costs[0]))
        end = far[0] + 1 if far.size else len(fit.costs)
        outcome = "arrived" if fit.converged else "on the way" if fit.steps == MOST_STEPS else "not finite"
        trials, scales = [], np.zeros(2)
        for x, damping in zip(fit.points[: end - 1], fit.dampings, strict=False):
            r, j = self.residual(x), self.jacobian(x)
            scales = np.maximum(scales, np.linalg.norm(j, axis=0))
            rows = np.vstack([j, math.sqrt(damping) * np.diag(scales)])
            p = np.linalg.lstsq(rows, -np.append(r, [0, 0]))[0]
            with np.errstate(all="ignore"):
                ahead = self.residual(x + p)
                reduction = float((r - ahead) @ (r + ahead)) / 2
            predicted = (damping * float((scales * p) @ (scales * p)) - float(p @ (j.T @ r))) / 2
            trials.append((float(damping), predicted, reduction / predicted))
        return fit.points[:end], fit.costs[:end], trials, "lost" if far.size else outcome

    def level_line(self, level):
        """Follow the points where the cost has one value: for each x₂ it is a parabola in x₁.

        Parameters
        ----------
        level : float
            Half a sum of squares.

        Returns
        -------
        float64 array (n, 2)
            A walk round them within 0 < x₂ ≤ ``reach[1]``; empty where there are none.
        """
        y, lower, upper = np.array(self.y), [], []
        for x2 in self.reach[1] * (np.arange(200) + 1) / 200:
            rise = 1 - np.exp(-x2 * np.array(self.t))
            a, b, c = rise @ rise, rise @ y, y @ y - 2 * level
            inside = b * b - a * c
            if inside >= 0:
                lower.append(((b - math.sqrt(inside)) / a, x2))
                upper.append(((b + math.sqrt(inside)) / a, x2))
        return np.array([*lower, *reversed(upper)]).reshape(-1, 2)

    def picture(self):
        """Draw the level lines and the walk, and beside them the data and the curve of the step shown, as SVG text."""
        points, _, _, _ = self.walk()
        shown = points[min(self.step, len(points) - 1)]
        place = lambda xy: np.clip(xy / self.reach * [1, -1] * [WIDTH, HEIGHT] + [0, HEIGHT], -5e3, 5e3)  # noqa: E731
        rings = (self.level_line(level) for level in self.levels)
        land = [_line(place(np.concatenate([ring, ring[:1]])), "#c9ced6") for ring in rings]
        way = place(points)
        land.append(_line(way, "#2c5fa8"))
        land += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="#2c5fa8"/>' for x, y in way]
        x, y = place(shown)
        land.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" fill="#b3410e"/>')
        across, high = 1.05 * max(self.t), 1.2 * max(self.y)
        at = lambda t, y: np.stack([t / across * WIDTH, HEIGHT - np.clip(y / high, -9, 9) * HEIGHT], -1)  # noqa: E731
        t = np.linspace(0, across, 61)
        curve = [_line(at(t, shown[0] * (1 - np.exp(-shown[1] * t))), "#b3410e")]
        measured = at(np.array(self.t), np.array(self.y))
        curve += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="#2c5fa8"/>' for x, y in measured]
        return svg(
            2 * (MARGIN + WIDTH + 16), HEIGHT + 58,
            _panel(MARGIN, land, ("x₁", self.reach[0]), ("x₂", self.reach[1])),
            _panel(2 * MARGIN + WIDTH + 16, curve, ("t", across), ("y", high)),
            text(MARGIN + WIDTH / 2, HEIGHT + 50, "level lines of the cost, and the walk", "middle"),
            text(2 * MARGIN + 1.5 * WIDTH + 16, HEIGHT + 50, "data, and the curve at the orange point", "middle"),
        )  # fmt: skip

    def describe(self):
        """Say where the walk starts, how it ends, and what the step shown has done."""
        points, costs, trials, outcome = self.walk()
        step, taken = min(self.step, len(trials)), _steps(len(trials))
        end = {
            "arrived": f"arrives at ({points[-1][0]:.2f}, {points[-1][1]:.4f}) after {taken}",
            "lost": f"is lost after {taken}",
            "not finite": f"ends after {taken}, since the next is not defined, or leads where nothing is finite",
            "on the way": f"is still on its way after {taken}",
        }[outcome]
        told = ""
        if step:
            damping, _, gain = trials[step - 1]
            told = f" Step {step} had a damping of {damping:.2g} and a gain ratio of {gain:.2g}."
        return (
            f"Left, level lines of half the sum of squares, each twice as high as the one inside of it, and the path "
            f"of {self.method} from ({self.start[0]:g}, {self.start[1]:g}), which {end}. Right, the data and the curve "
            f"after {_steps(step)}, with a cost of {_short(costs[step])}.{told}"
        )

    def __repr__(self):
        return f"<FitLandscape by {self.method} from ({self.start[0]:g}, {self.start[1]:g})>"

    @validate("start")
    def _in_the_picture(self, proposal):
        values = proposal["value"]
        if len(values) != 2 or not all(0 < v <= most for v, most in zip(values, self.reach, strict=False)):
            raise ValueError(f"start must hold two numbers above 0 and up to {self.reach}, got {values}")
        return values

    @validate("step")
    def _not_too_many(self, proposal):
        return require_between("step", 0, MOST_STEPS, proposal["value"])


def _short(cost):
    return f"{cost:,.0f}" if cost >= 1e4 else f"{cost:.4g}"


def _steps(count):
    return f"{count} step{'' if count == 1 else 's'}"


def _round_step(most):
    power = 10.0 ** math.floor(math.log10(most / 5))
    return next(it * power for it in (1, 2, 5, 10) if it * power >= most / 5 * 0.999)


def _panel(left, parts, across, up):
    # Names and ends of both axes; the name stands between the last two numbers.
    numbers = []
    for (name, most), place in ((across, _below), (up, _beside)):
        step = _round_step(most)
        ticks = step * np.arange(math.floor(most / step * 1.001) + 1)
        numbers += [place(v / most, f"{v:.4g}") for v in ticks] + [place((ticks[-1] - step / 2) / most, name)]
    frame = f'<rect width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#c9ced6"/>'
    return f'<g transform="translate({left} 10)">{svg(WIDTH, HEIGHT, *parts)}{frame}{"".join(numbers)}</g>'


def _below(share, words):
    return text(share * WIDTH, HEIGHT + 17, words, "middle")


def _beside(share, words):
    return text(-6, (1 - share) * HEIGHT + 4, words, "end")


def _line(places, color):
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    return f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="1.5"/>'
