"""Softmax of a few logits: temperature, shift invariance, and where the naive formula overflows."""

import numpy as np
import traitlets

from mlnotes.arrays import require_positive
from mlnotes.blocks.softmax import entropy, logsumexp, softmax
from mlnotes.widgets import module
from mlnotes.widgets.base import Widget, svg, text, validate

PRECISIONS = ["float64", "float32", "float16"]


class Distribution(Widget):
    """Show the softmax of logits as bars.

    Parameters
    ----------
    logits : sequence of n floats
        Scores in nats.
    labels : sequence of n str, optional
        What to call them; counted from 0 unless given.
    **traits
        ``temperature``, ``shift`` (added to all logits), ``naive`` (whether the maximum is left in), ``precision``
        (``"float64"``, ``"float32"`` or ``"float16"``), ``caption``, ``description``. These and ``logits`` can be read
        and set later, and set by the reader.

    Raises
    ------
    ValueError
        If there is no logit, a number is not finite, labels and logits differ in number, or the temperature is not
        positive.

    Notes
    -----
    The page computes ``softmax((logits + shift) / temperature)``, rounding each intermediate result to the precision.
    """

    name = "distribution"
    _esm = module(name)

    logits = traitlets.List(traitlets.Float()).tag(sync=True)
    labels = traitlets.List(traitlets.Unicode(), read_only=True).tag(sync=True)
    temperature = traitlets.Float(1.0).tag(sync=True)
    shift = traitlets.Float(0.0).tag(sync=True)
    naive = traitlets.Bool(False).tag(sync=True)
    precision = traitlets.Enum(PRECISIONS, "float64").tag(sync=True)

    def __init__(self, logits, labels=None, **traits):
        logits = np.asarray(logits, dtype=np.float64)
        if logits.ndim != 1 or not logits.size:
            raise ValueError(f"logits must be one row of at least one number, got shape {logits.shape}")
        labels = [str(i) for i in range(len(logits))] if labels is None else list(map(str, labels))
        if len(labels) != len(logits):
            raise ValueError(f"labels must be as many as logits, got {len(labels)} for {len(logits)}")
        self.set_trait("labels", labels)
        super().__init__(logits=logits.tolist(), **traits)

    def weights(self):
        """Compute the weights in float64, without rounding to ``precision``.

        Returns
        -------
        float64 array (n,)
            Weights that sum to one.
        """
        return softmax(self._scores())

    def picture(self):
        """Draw the bars as SVG text."""
        weights = self.weights().round(9)
        left = 24 + max(8 * len(label) for label in self.labels)
        rows = []
        for i, (label, logit, weight) in enumerate(zip(self.labels, self.logits, weights, strict=True)):
            y = 34 + 26 * i
            rows.append(text(left - 8, y + 14, label, "end"))
            rows.append(text(left + 52, y + 14, f"{logit:g}", "end", fill="#555c68"))
            rows.append(f'<rect x="{left + 64}" y="{y}" width="240" height="18" fill="#eef0f4"/>')
            rows.append(f'<rect x="{left + 64}" y="{y}" width="{240 * weight:.1f}" height="18" fill="#2c5fa8"/>')
            rows.append(text(left + 312, y + 14, f"{weight:.4f}"))
        header = text(left + 52, 20, "logit", "end", fill="#555c68"), text(left + 64, 20, "softmax", fill="#555c68")
        return svg(left + 372, 44 + 26 * len(weights), *header, *rows)

    def describe(self):
        """Say what the weights are."""
        weights = self.weights().round(9)
        each = "; ".join(f"{label} {weight:.4f}" for label, weight in zip(self.labels, weights, strict=True))
        spread, smooth = round(float(entropy(weights)), 9), round(float(logsumexp(self._scores())), 9)
        return (
            f"Softmax of {len(weights)} logits at temperature {self.temperature:.3g}: {each}. "
            f"Entropy {spread:.3f} nats, log-sum-exp {smooth:.3f} nats."
        )

    def __repr__(self):
        return f"<Distribution over {len(self.labels)} labels>"

    def _scores(self):
        return (np.array(self.logits) + self.shift) / self.temperature

    @validate("temperature")
    def _positive(self, proposal):
        require_positive(temperature=proposal["value"])
        return proposal["value"]

    @validate("shift")
    def _finite(self, proposal):
        if not np.isfinite(proposal["value"]):
            raise ValueError(f"shift must be finite, got {proposal['value']}")
        return proposal["value"]

    @validate("logits")
    def _one_for_each_label(self, proposal):
        value = proposal["value"]
        if len(value) != len(self.labels) or not np.isfinite(value).all():
            raise ValueError(f"logits must be {len(self.labels)} finite numbers, got {value}")
        return value
