"""One matrix product, built up in each of its four readings."""

import numpy as np
import traitlets

from mlnotes.widgets import module
from mlnotes.widgets.base import Widget, require_between, svg, text, validate

READINGS = ["dot products", "columns", "rows", "outer products"]


class MatrixProduct(Widget):
    """Build up the product of two small matrices step by step.

    Parameters
    ----------
    a : array (m, k)
        The left matrix.
    b : array (k, n)
        The right matrix.
    **traits
        ``reading`` ("dot products", "columns", "rows" or "outer products"), ``step`` (how many steps are done),
        ``caption``, ``description``. The first two can be read and set later, and set by the reader.

    Raises
    ------
    ValueError
        If the matrices do not fit, are larger than 6 by 6, or hold what is not finite, or there is no such step.
    """

    name = "matrix_product"
    _esm = module(name)

    a = traitlets.List(read_only=True).tag(sync=True)
    b = traitlets.List(read_only=True).tag(sync=True)
    reading = traitlets.Enum(READINGS, READINGS[0]).tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)

    def __init__(self, a, b, **traits):
        a, b = (np.asarray(x, dtype=np.float64) for x in (a, b))
        if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[0] or not 1 <= min(*a.shape, *b.shape):
            raise ValueError(f"a must have as many columns as b has rows, got shapes {a.shape} and {b.shape}")
        if max(*a.shape, *b.shape) > 6:
            raise ValueError(f"matrices must have at most 6 rows and columns, got shapes {a.shape} and {b.shape}")
        if not (np.isfinite(a).all() and np.isfinite(b).all()):
            raise ValueError("a and b must be finite, got nan or infinity")
        self.set_trait("a", a.tolist())
        self.set_trait("b", b.tolist())
        super().__init__(**traits)

    def partial(self):
        """Compute what is known of the product after the present step.

        Returns
        -------
        float64 array (m, n)
            The entries that are done, nan for the others; for outer products the sum of those that were added.
        """
        a, b = np.array(self.a), np.array(self.b)
        if self.reading == "outer products":
            return a[:, : self.step] @ b[: self.step]
        done = np.zeros((len(a), b.shape[1]), bool)
        if self.reading == "dot products":
            done.flat[: self.step] = True
        elif self.reading == "columns":
            done[:, : self.step] = True
        else:
            done[: self.step] = True
        return np.where(done, a @ b, np.nan)

    def picture(self):
        """Draw both matrices and their product as SVG text."""
        a, b = np.array(self.a), np.array(self.b)
        height = 44 + 26 * max(a.shape[0], b.shape[0])
        parts, x = [], 16
        for matrix, name, sign in ((a, "A", ""), (b, "B", "×"), (a @ b, "C", "=")):
            if sign:
                parts.append(text(x, height / 2 + 12, sign, "middle", font_size="18"))
                x += 24
            width = 46 * matrix.shape[1]
            parts.append(text(x + width / 2, 22, name, "middle", font_weight="bold"))
            parts.append(f'<rect x="{x}" y="30" width="{width}" height="{26 * len(matrix)}" fill="#eef0f4" rx="4"/>')
            for (i, j), value in np.ndenumerate(matrix.round(9)):
                parts.append(text(x + 46 * j + 23, 48 + 26 * i, f"{value:.4g}", "middle"))
            x += width + 24
        return svg(x, height, *parts)

    def describe(self):
        """Say what the product is."""
        a, b = np.array(self.a), np.array(self.b)
        rows = "; ".join(" ".join(f"{value:.4g}" for value in row) for row in (a @ b).round(9))
        sizes = f"{a.shape[0]} by {a.shape[1]} times {b.shape[0]} by {b.shape[1]}"
        return f"The product of two matrices, {sizes}. Its rows are {rows}."

    def __repr__(self):
        return f"<MatrixProduct of {len(self.a)} × {len(self.b)} and {len(self.b)} × {len(self.b[0])}>"

    def _steps(self, reading):
        m, k, n = len(self.a), len(self.b), len(self.b[0])
        return dict(zip(READINGS, (m * n, n, m, k), strict=True))[reading]

    @validate("step")
    def _exists(self, proposal):
        last = self._steps(self.reading)
        return require_between("step", 0, last, proposal["value"])

    @traitlets.observe("reading")
    def _begin_anew(self, change):
        self.step = min(self.step, self._steps(change["new"]))
