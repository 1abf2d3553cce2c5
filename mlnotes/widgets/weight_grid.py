"""Weights of a trained model on the grid of a few bits: what moves, how far, and what it costs the model."""

import numpy as np
import traitlets

from mlnotes.arrays import require_integers, require_vector
from mlnotes.efficient.quantization import dequantize, quantize
from mlnotes.widgets import module
from mlnotes.widgets.base import Widget, svg, text

BITS = (2, 3, 4, 8)
SCALES = ("matrix", "row", "block")
SCHEMES = ("absmax", "minimum and maximum")


class WeightGrid(Widget):
    """Show some weights of a matrix beside the points that they are rounded to.

    Parameters
    ----------
    weights : array (n,)
        Neighbours in a row of the matrix.
    matrix, row : tuple of float
        The smallest and the largest number of the matrix, and of the row.
    nats : dict of tuple to float
        The loss of the model with all its matrices rounded, by (bits, scale, scheme), each as the traits have it; what
        is missing was not measured.
    full : float
        Its loss as it is.
    block_size : int
        Numbers in a block; it divides n.
    **traits
        ``bits`` (2, 3, 4 or 8), ``scale`` (what shares one: ``"matrix"``, ``"row"`` or ``"block"``), ``scheme``
        (``"absmax"`` or ``"minimum and maximum"``), ``caption``, ``description``. All can be read and set later, and
        set by the reader.

    Raises
    ------
    ValueError
        If a number is not finite, the blocks do not divide the weights, a range does not hold them, or a trait has no
        such value.

    Notes
    -----
    The page rounds as `mlnotes.efficient.quantization.quantize` does; the losses are those given.
    """

    name = "weight_grid"
    _esm = module(name)

    weights = traitlets.List(traitlets.Float(), read_only=True).tag(sync=True)
    ranges = traitlets.Dict(read_only=True).tag(sync=True)
    nats = traitlets.Dict(read_only=True).tag(sync=True)
    full = traitlets.Float(read_only=True).tag(sync=True)
    block_size = traitlets.Int(read_only=True).tag(sync=True)

    bits = traitlets.Enum(BITS, 4).tag(sync=True)
    scale = traitlets.Enum(SCALES, "matrix").tag(sync=True)
    scheme = traitlets.Enum(SCHEMES, "absmax").tag(sync=True)

    def __init__(self, weights, matrix, row, nats, full, *, block_size=32, **traits):
        for name, value in _checked(weights, matrix, row, nats, full, block_size).items():
            self.set_trait(name, value)
        super().__init__(**traits)

    def rounded(self):
        """Round the weights shown as the traits say.

        Returns
        -------
        quantized : list of Quantized
            Of each block, or of the whole row, with the ends of the range that sets its grid behind the numbers.
        array (n,)
            The weights after rounding.
        """
        symmetric = self.scheme == "absmax"
        x = np.array(self.weights)
        parts = x.reshape(-1, self.block_size) if self.scale == "block" else [[*x, *self.ranges[self.scale]]]
        found = [quantize(np.array(part), self.bits, None, symmetric) for part in parts]
        return found, np.concatenate([dequantize(it) for it in found])[: len(x)]

    def measures(self):
        """Measure what rounding does to the weights shown.

        Returns
        -------
        dict of str to float
            ``step`` (the largest), ``error`` (root mean square, in parts of that of the weights), ``points`` (of all
            grids, that are used), ``nats`` (None where they were not measured).
        """
        found, rounded = self.rounded()
        x = np.array(self.weights)
        return {
            "step": float(max(it.scale.item() for it in found)),
            "error": float(np.sqrt(((rounded - x) ** 2).sum() / (x**2).sum())),
            "points": len(np.unique(rounded)),
            "nats": self.nats.get(_key(self.bits, self.scale, self.scheme)),
        }

    def picture(self):
        """Draw each weight as a ring and what it is rounded to as a dot, as SVG text."""
        x, (_, rounded) = np.array(self.weights), self.rounded()
        top = 1.1 * max(abs(x).max(), abs(rounded).max())
        place = lambda i, y: (40 + 470 * (i + 0.5) / len(x), 120 - 105 * y / top)  # noqa: E731
        parts = [f'<path d="M40 {place(0, 0)[1]:g}H510" stroke="#c9ced6"/>', text(34, 124, "0", "end")]
        for i, (a, b) in enumerate(zip(x, rounded, strict=True)):
            (u, v), (_, w) = place(i, a), place(i, b)
            parts.append(f'<path d="M{u:.1f} {v:.1f}V{w:.1f}" stroke="#6d7683"/>')
            parts.append(f'<circle cx="{u:.1f}" cy="{v:.1f}" r="2.5" fill="none" stroke="#2c5fa8"/>')
            parts.append(f'<circle cx="{u:.1f}" cy="{w:.1f}" r="2" fill="#b3410e"/>')
        return svg(520, 240, *parts)

    def describe(self):
        """Say how the weights are rounded, and what that does."""
        return f"{len(self.weights)} weights, rings, and what they are rounded to, dots: {self._said()}."

    def _said(self):
        m = self.measures()
        nats = "nats not measured" if m["nats"] is None else f"{m['nats']:.2f} nats instead of {self.full:.2f}"
        grid = f"{self.bits} bits, one grid for each {self.scale}, {self.scheme}"
        return "; ".join([grid, f"error {m['error']:.1%}", nats])

    def __repr__(self):
        return f"<WeightGrid of {len(self.weights)} weights>"


def _key(bits, scale, scheme):
    return f"{bits}, {scale}, {scheme}"


def _checked(weights, matrix, row, nats, full, block_size):
    require_integers(1, block_size=block_size)
    require_vector(weights=weights, matrix=matrix, row=row, nats=[full, *nats.values()])
    weights = np.round(np.asarray(weights, float), 6)
    if len(weights) % block_size:
        raise ValueError(f"block_size must divide the weights, got {block_size} for {len(weights)}")
    ranges = {"matrix": np.round(matrix, 6).tolist(), "row": np.round(row, 6).tolist()}
    for name, (low, top) in ranges.items():
        if not low <= weights.min() <= weights.max() <= top:
            raise ValueError(f"{name} must hold all weights, got {low} to {top} for {weights.min()} to {weights.max()}")
    for bits, scale, scheme in nats:
        if bits not in BITS or scale not in SCALES or scheme not in SCHEMES:
            raise ValueError(f"nats must be those of {BITS}, {SCALES} and {SCHEMES}, got {(bits, scale, scheme)}")
    return {
        "weights": weights.tolist(),
        "ranges": ranges,
        "nats": {_key(*key): round(float(value), 4) for key, value in nats.items()},
        "full": round(float(full), 4),
        "block_size": block_size,
    }
