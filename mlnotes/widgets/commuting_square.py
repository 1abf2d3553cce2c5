"""A picture that is moved before a function, or whose result is moved after it: both ways, and their difference."""

import numpy as np
import traitlets

from mlnotes.blocks.equivariance import equivariance_error
from mlnotes.groups import permutation_actions, quarter_turns
from mlnotes.widgets import module
from mlnotes.widgets.base import Widget, require_between, svg, text, validate
from mlnotes.widgets.colours import colour

ACTIONS = ("shift right", "shift down", "quarter turn", "mirror", "pixels in another order")
# What each function gives for pixels from 0 to 16.
FUNCTIONS = {
    "blur, wrapped around": (0, 16),
    "blur, zeros outside": (0, 16),
    "slope, wrapped around": (-16, 16),
    "square of each pixel": (0, 256),
    "largest of each 2 × 2": (0, 16),
    "position added": (0, 32),
    "mean of all pixels": (0, 16),
}
_BLUR, _POOL, _MEAN, _OTHER_ORDER = "blur, wrapped around", "largest of each 2 × 2", "mean of all pixels", ACTIONS[4]
_PANEL, _STEP = 130, 190
MOST = 8


class CommutingSquare(Widget):
    """Go both ways round the square: act and apply a function, or apply it and act.

    Parameters
    ----------
    pixels : array (n, n)
        Numbers from 0 to 16; n is even.
    action : str
        One of ``ACTIONS``.
    times : int
        How often it is done, 0 to 8.
    function : str
        One of ``FUNCTIONS``.
    order : sequence of int
        Where each of the pixels goes by the last of the actions; drawn at random, always the same, unless given.
    **traits
        ``caption``, ``description``. Action, times and function can be read and set later, and set by the reader.

    Raises
    ------
    ValueError
        If the pixels are no such matrix, the order is no permutation, or there is no such choice.
    """

    name = "commuting_square"
    _esm = module(name)

    pixels = traitlets.List(traitlets.Float(), read_only=True).tag(sync=True)
    order = traitlets.List(traitlets.Int(), read_only=True).tag(sync=True)
    action = traitlets.Unicode(ACTIONS[0]).tag(sync=True)
    times = traitlets.Int(1).tag(sync=True)
    function = traitlets.Unicode(_BLUR).tag(sync=True)

    def __init__(self, pixels, action=ACTIONS[0], times=1, function=_BLUR, order=None, **traits):
        pixels = np.asarray(pixels, float)
        if pixels.ndim != 2 or pixels.shape[0] != pixels.shape[1] or len(pixels) % 2 or not pixels.size:
            raise ValueError(f"pixels must be a square matrix with an even number of rows, got shape {pixels.shape}")
        if not np.all((pixels >= 0) & (pixels <= 16)):
            raise ValueError(f"pixels must be 0 to 16, got {pixels.min()} to {pixels.max()}")
        order = np.random.default_rng(3).permutation(pixels.size) if order is None else np.asarray(order)
        if sorted(order.tolist()) != list(range(pixels.size)):
            raise ValueError(f"order must hold 0 to {pixels.size - 1} once each, got {order.tolist()}")
        self.set_trait("pixels", pixels.ravel().tolist())
        self.set_trait("order", order.tolist())
        super().__init__(action=action, times=times, function=function, **traits)

    def act(self, x):
        """Do the action to a picture, as often as is chosen.

        Parameters
        ----------
        x : array (n, n)
            Pixels.

        Returns
        -------
        array (n, n)
            The same pixels at other places.
        """
        if self.action == _OTHER_ORDER:
            (move,) = permutation_actions([self.order], axis=-1)
            y = np.ravel(x)
            for _ in range(self.times):
                y = move(y)
            return np.reshape(y, np.shape(x))
        return _moved(x, self.action, self.times)

    def act_on_result(self, y):
        """Do to the result what the action does to pictures of its size.

        Parameters
        ----------
        y : array (n, n), (n/2, n/2) or (1, 1)
            What `apply` gives.

        Returns
        -------
        array
            Of the same shape. A picture of half the size is shifted by half as much, rounded down, and not reordered;
            one number stays as it is.
        """
        if len(y) ** 2 == len(self.pixels):
            return self.act(y)
        if self.action == _OTHER_ORDER:
            return y
        return _moved(y, self.action, self.times // 2 if self.action in ACTIONS[:2] else self.times)

    def apply(self, x):
        """Apply the function.

        Parameters
        ----------
        x : array (n, n)
            Pixels.

        Returns
        -------
        array (n, n), (n/2, n/2) or (1, 1)
            Exact, if the pixels are integers: only additions, and divisions by powers of two for n = 8.
        """
        x = np.asarray(x, float)
        if self.function.startswith("blur"):
            mode = "wrap" if self.function == _BLUR else "constant"
            x = np.pad(x, 1, mode)
            x = (x[:-2] + 2 * x[1:-1] + x[2:]) / 4
            return (x[:, :-2] + 2 * x[:, 1:-1] + x[:, 2:]) / 4
        if self.function.startswith("slope"):
            return np.roll(x, -1, axis=1) - np.roll(x, 1, axis=1)
        if self.function == _POOL:
            half = len(x) // 2
            return x.reshape(half, 2, half, 2).max(axis=(1, 3))
        if self.function == "position added":
            return x + 16 * np.arange(len(x)) / len(x)
        return x**2 if self.function == "square of each pixel" else x.mean(keepdims=True)

    def ways(self):
        """Go both ways round the square.

        Returns
        -------
        tuple of two arrays
            What comes of acting first, and of applying the function first.
        """
        x = self.picture_matrix()
        return self.apply(self.act(x)), self.act_on_result(self.apply(x))

    def error(self):
        """Measure how far the two ways are apart.

        Returns
        -------
        float
            As `mlnotes.blocks.equivariance.equivariance_error` does, for the one action that is chosen.
        """
        return equivariance_error(self.apply, [self.act], [self.act_on_result], self.picture_matrix())

    def differing(self):
        """Count the places where the two ways differ.

        Returns
        -------
        int
            0 to the number of places of the result.
        """
        first, second = self.ways()
        return int(np.count_nonzero(np.abs(first - second) > 1e-9))

    def picture_matrix(self):
        """Give the picture as a matrix.

        Returns
        -------
        array (n, n)
            Pixels.
        """
        return np.reshape(self.pixels, (round(len(self.pixels) ** 0.5), -1))

    def picture(self):
        """Draw the picture, both ways, and their difference, as SVG text."""
        x = self.picture_matrix()
        acted_first, applied_first = self.ways()
        low, high = FUNCTIONS[self.function]
        panels = (
            (0, 0, x, "x", (0, 16)), (1, 0, self.apply(x), "f(x)", (low, high)),
            (2, 0, applied_first, "g f(x)", (low, high)), (0, 1, self.act(x), "g x", (0, 16)),
            (1, 1, acted_first, "f(g x)", (low, high)),
            (2, 1, np.abs(acted_first - applied_first), "difference", (0, high - low)),
        )  # fmt: skip
        parts = [_panel(8 + _STEP * i, 26 + _STEP * j, *what) for i, j, *what in panels]
        for x0, y0, name in ((0, 0, "f"), (1, 0, "g"), (0, 1, "f")):
            x1, y1 = _STEP * x0 + _PANEL + 14, 26 + _STEP * y0 + _PANEL / 2
            parts.append(_arrow(x1, y1, 48, 0) + text(x1 + 22, y1 - 10, name, "middle", font_style="italic"))
        parts.append(_arrow(8 + _PANEL / 2, 26 + _PANEL + 4, 0, 34))
        parts.append(text(_PANEL / 2 + 20, 26 + _PANEL + 26, "g", font_style="italic"))
        return svg(2 * _STEP + _PANEL + 16, _STEP + _PANEL + 34, *parts)

    def describe(self):
        """Say which ways were gone, and how far apart they end."""
        count, of = self.differing(), self.ways()[0].size
        often = {0: "not at all", 1: "once"}.get(self.times, f"{self.times} times")
        same = "Both ways end at the same result." if not count else f"The ways differ in {count} of {of} places."
        return (
            f"A picture of {len(self.picture_matrix())} by {len(self.picture_matrix())} pixels. "
            f"g: {self.action}, {often}. f: {self.function}. Above: first f, then g. Below: first g, then f. {same} "
            f"Equivariance error: {self.error():.3g}."
        )

    @validate("action", "function")
    def _known(self, proposal):
        name, choices = proposal["trait"].name, {"action": ACTIONS, "function": tuple(FUNCTIONS)}
        if proposal["value"] not in choices[name]:
            raise ValueError(f"{name} must be one of {choices[name]}, got {proposal['value']!r}")
        return proposal["value"]

    @validate("times")
    def _within(self, proposal):
        return require_between("times", 0, MOST, proposal["value"])


def _moved(x, action, times):
    """Move a square picture of any size."""
    if action == "quarter turn":
        return quarter_turns()[times % 4](x)
    if action == "mirror":
        return x[:, ::-1] if times % 2 else x
    return np.roll(x, times, axis=1 if action == "shift right" else 0)


def _panel(left, top, values, name, limits):
    """Draw the numbers of a matrix as squares on a scale that does not depend on them."""
    side = _PANEL / len(values)
    low, high = limits
    squares = (
        f'<rect x="{left + side * j:g}" y="{top + side * i:g}" width="{side:g}" height="{side:g}" '
        f'fill="{colour((value - low) / (high - low))}"/>'
        for (i, j), value in np.ndenumerate(values)
    )
    return text(left, top - 7, name) + f'<g shape-rendering="crispEdges">{"".join(squares)}</g>'


def _arrow(x, y, dx, dy):
    tip = (
        f"{x + dx - 7},{y - 5} {x + dx},{y} {x + dx - 7},{y + 5}" if dx
        else f"{x - 5},{y + dy - 7} {x},{y + dy} {x + 5},{y + dy - 7}"
    )  # fmt: skip
    return f'<path d="M{x:g} {y:g}l{dx} {dy}" stroke="#1d2129"/><polyline points="{tip}" fill="none" stroke="#1d2129"/>'
