"""Three ways to measure a slope by a step, and what the length of the step does to their errors."""

import math

import traitlets

from mlnotes.widgets import module
from mlnotes.widgets.base import Widget, require_between, shown, svg, text, validate

X = 1.3
METHODS = "forward", "central", "complex"
STEPS = tuple(float(f"{(1, 5, 2)[i % 3]}e-{(i + 2) // 3}") for i in range(49))
_COLORS, _LOWEST = ("#b3410e", "#2c5fa8", "#1a7a4c"), -17.0


class DifferenceStep(Widget):
    """Measure the slope of a function at 1.3 by forward, central and complex steps of the same length.

    Parameters
    ----------
    function : {"x³", "x³ + 1000", "1 / (1 + x²)", "√x"}
        The function.
    position : int
        0 to 48: the step is 1, 0.5, 0.2, 0.1, 0.05 and so on down to 1e-16.
    **traits
        ``caption``, ``description``. All but these can be read and set later, and set by the reader.

    Raises
    ------
    ValueError
        If there is no such position.

    Notes
    -----
    Everything is computed by +, −, ×, / and √ on Python's floats, one after the other, so that rounding errors are the
    same on every processor and in the page.
    """

    name = "difference_step"
    _esm = module(name)

    function = traitlets.Unicode("x³").tag(sync=True)
    position = traitlets.Int(0).tag(sync=True)

    def __init__(self, function="x³", position=0, **traits):
        super().__init__(function=function, position=position, **traits)

    @property
    def h(self):
        """The length of the step."""
        return STEPS[self.position]

    def slope(self, method, h=None):
        """Measure the slope.

        Parameters
        ----------
        method : {"forward", "central", "complex"}
            How.
        h : float, optional
            The step; the present one unless given.

        Returns
        -------
        float
            The quotient.
        """
        f, imaginary, *_ = _FUNCTIONS[self.function]
        h = self.h if h is None else h
        if method == "complex":
            return imaginary(X, h) / h
        return (f(X + h) - f(X)) / h if method == "forward" else (f(X + h) - f(X - h)) / (2 * h)

    def error(self, method, h=None):
        """Compare it with the derivative.

        Parameters
        ----------
        method : {"forward", "central", "complex"}
            How it is measured.
        h : float, optional
            The step; the present one unless given.

        Returns
        -------
        float
            The relative error.
        """
        right = _FUNCTIONS[self.function][2](X)
        return abs(self.slope(method, h) - right) / abs(right)

    def truncation(self, method, h=None):
        """Estimate what the first term that Taylor's series leaves out does to the slope.

        Parameters
        ----------
        method : {"forward", "central", "complex"}
            How it is measured.
        h : float, optional
            The step; the present one unless given.

        Returns
        -------
        float
            The relative error.
        """
        _, _, slope, second, third = _FUNCTIONS[self.function]
        h = self.h if h is None else h
        cut = second(X) * h / 2 if method == "forward" else third(X) * h * h / 6
        return abs(cut) / abs(slope(X))

    def rounding(self, method, h=None):
        """Bound what rounding the arguments and the values of the function does to the slope.

        Parameters
        ----------
        method : {"forward", "central", "complex"}
            How it is measured.
        h : float, optional
            The step; the present one unless given.

        Returns
        -------
        float
            The relative error: unit roundoff for the complex step, which subtracts nothing.
        """
        f, _, slope, *_ = _FUNCTIONS[self.function]
        h = self.h if h is None else h
        if method == "complex":
            return 2.0**-53
        noise = 2.0**-53 * (abs(f(X)) + abs(X * slope(X)))
        return noise / h * (2 if method == "forward" else 1) / abs(slope(X))

    def picture(self):
        """Draw the errors over all steps as SVG text."""
        parts = []
        for k in range(-16, 1, 4):
            x, y = _place(k, k)
            parts.append(f'<line x1="50" y1="{y:.1f}" x2="440" y2="{y:.1f}" stroke="#d5d9e0"/>')
            parts.append(text(44, y + 4, _power(k), "end", fill="#555c68"))
            parts.append(text(x, 262, _power(k), "middle", fill="#555c68"))
        x = _place(math.log10(self.h), 0)[0]
        parts.append(f'<line x1="{x:.1f}" y1="12" x2="{x:.1f}" y2="246" stroke="#555c68" stroke-dasharray="4 4"/>')
        for i, (method, color) in enumerate(zip(METHODS, _COLORS, strict=True)):
            parts.append(text(50 + 130 * i, 304, f"{_MARKS[i]} {method}", fill=color))
            for h in STEPS:
                x, y = _place(math.log10(h), _exponent(self.error(method, h)))
                parts.append(_marker(i, x, y, 5 if h == self.h else 2.5, color))
        parts.append(text(245, 282, "step h", "middle", fill="#555c68"))
        return svg(460, 316, *parts)

    def describe(self):
        """Say how large the three errors are, and what is expected of two of them."""
        errors = ", ".join(f"{method} {self.error(method):.1e}" for method in METHODS)
        forward, central = (
            f"truncation of about {self.truncation(method):.1e} and rounding of up to {self.rounding(method):.1e}"
            for method in METHODS[:2]
        )
        return (
            f"The slope of {self.function} at {X:g}, measured with steps from 1 down to 10⁻¹⁶. Relative errors with "
            f"h = {shown(self.h)}: {errors}. In the forward difference, {forward} are expected; in the central one, "
            f"{central}."
        ).replace("e-", "e−")

    def __repr__(self):
        return f"<DifferenceStep of {self.function}>"

    @validate("function")
    def _known(self, proposal):
        if proposal["value"] not in _FUNCTIONS:
            raise ValueError(f"function must be one of {', '.join(_FUNCTIONS)}, got {proposal['value']}")
        return proposal["value"]

    @validate("position")
    def _exists(self, proposal):
        return require_between("position", 0, len(STEPS) - 1, proposal["value"])


_MARKS = "■", "●", "▲"


def _cube(x):
    return x * x * x


def _imaginary_cube(a, b):
    return (a * a - b * b) * b + 2 * a * b * a


def _bell(x):
    return 1 / (1 + x * x)


def _imaginary_bell(a, b):
    real, imaginary = 1 + (a * a - b * b), 2 * a * b
    return -imaginary / (real * real + imaginary * imaginary)


def _imaginary_root(a, b):
    return b / (2 * math.sqrt((math.sqrt(a * a + b * b) + a) / 2))


# By name: the value, the imaginary part of the value at a + ib, and the first three derivatives.
_CUBE = _imaginary_cube, lambda x: 3 * x * x, lambda x: 6 * x, lambda x: 6.0
_FUNCTIONS = {
    "x³": (_cube, *_CUBE),
    "x³ + 1000": (lambda x: x * x * x + 1000, *_CUBE),
    "1 / (1 + x²)": (
        _bell,
        _imaginary_bell,
        lambda x: -2 * x * _bell(x) * _bell(x),
        lambda x: (6 * x * x - 2) * _cube(_bell(x)),
        lambda x: 24 * x * (1 - x * x) * _bell(x) * _cube(_bell(x)),
    ),
    "√x": (
        math.sqrt,
        _imaginary_root,
        lambda x: 1 / (2 * math.sqrt(x)),
        lambda x: -1 / (4 * x * math.sqrt(x)),
        lambda x: 3 / (8 * x * x * math.sqrt(x)),
    ),
}
FUNCTIONS = tuple(_FUNCTIONS)


def _place(log_h, log_error):
    return 50 + (log_h + 16) / 16 * 390, 12 + (1 - log_error) / 18 * 234


def _exponent(error):
    return min(1.0, max(_LOWEST, math.log10(error))) if error else _LOWEST


def _marker(kind, x, y, r, color):
    if kind == 0:
        side, place = 2 * r + 2, f'x="{x - r - 1:.1f}" y="{y - r - 1:.1f}"'  # hollow, for a circle may lie within
        return f'<rect {place} width="{side:g}" height="{side:g}" fill="none" stroke="{color}" stroke-width="1.3"/>'
    if kind == 1:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r:g}" fill="{color}"/>'
    corners = f"{x:.1f},{y - r:.1f} {x + r:.1f},{y + r:.1f} {x - r:.1f},{y + r:.1f}"
    return f'<polygon points="{corners}" fill="{color}"/>'


def _power(k):
    return "10" + str(k).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")) if k else "1"
