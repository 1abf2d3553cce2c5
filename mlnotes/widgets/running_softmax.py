"""One row of attention, block by block: its running maximum, its running sums, and how few numbers they are."""

import math

import numpy as np
import traitlets

from mlnotes.arrays import require_vector
from mlnotes.efficient.flash import attention_and_lse
from mlnotes.widgets import module
from mlnotes.widgets.base import Widget, require_between, svg, text, validate

WIDTH, HEIGHT, BASE = 520, 230, 200


class RunningSoftmax(Widget):
    """Follow one query through its keys, a block of them at each step.

    Parameters
    ----------
    scores : array (n,)
        Scores of the keys, in nats.
    values : array (n,)
        Their values, one number each.
    **traits
        ``block_size`` (keys in a block), ``step`` (blocks that were taken up), ``backwards`` (whether the last block
        comes first), ``caption``, ``description``. All can be read and set later, and set by the reader.

    Raises
    ------
    ValueError
        If scores or values are no vectors of finite numbers, differ in number, or are more than 64; or a trait has no
        such value.

    Notes
    -----
    Scores and values are rounded to six decimals.
    """

    name = "running_softmax"
    _esm = module(name)

    scores = traitlets.List(traitlets.Float(), read_only=True).tag(sync=True)
    values = traitlets.List(traitlets.Float(), read_only=True).tag(sync=True)
    block_size = traitlets.Int(4).tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    backwards = traitlets.Bool(False).tag(sync=True)

    def __init__(self, scores, values, **traits):
        require_vector(scores=scores, values=values)
        if len(scores) != len(values) or len(scores) > 64:
            raise ValueError(f"there must be as many values as scores, at most 64, got {len(values)} and {len(scores)}")
        self.set_trait("scores", [round(float(x), 6) for x in scores])
        self.set_trait("values", [round(float(v), 6) for v in values])
        super().__init__(**traits)

    def blocks(self):
        """List the keys of each block, in the order in which the blocks are taken up.

        Returns
        -------
        list of range
            Indices of keys.
        """
        n, size = len(self.scores), self.block_size
        blocks = [range(start, min(start + size, n)) for start in range(0, n, size)]
        return blocks[::-1] if self.backwards else blocks

    def running(self):
        """Compute what is held after the blocks that were taken up.

        Returns
        -------
        dict of str to float
            ``maximum``, ``factor`` (by which older sums were multiplied at the last step), ``sum`` (of exponentials),
            ``weighted`` (sum of values), ``result`` (their quotient), and ``held``: how many numbers are at work.
        """
        before, _, _ = self._after(min(self.step, len(self.blocks())) - 1)
        maximum, total, result = self._after(self.step)
        factor = math.exp(before - maximum) if maximum > before else 1.0
        held = min(self.block_size, len(self.scores)) + 3
        sums = {"maximum": maximum, "factor": factor, "sum": total, "weighted": total * result, "result": result}
        return sums | {"held": held}

    def picture(self):
        """Draw the scores, with those of the blocks taken up so far filled, as SVG text."""
        seen = {j for block in self.blocks()[: self.step] for j in block}
        low, high = min(self.scores), max(self.scores)
        scale, wide = 150 / max(high - low, 1e-9), 440 / len(self.scores)
        parts = [text(60, 24, f"scores of {len(self.scores)} keys; filled: taken up")]
        for j, score in enumerate(self.scores):
            tall = 12 + scale * (score - low)
            fill = "#2c5fa8" if j in seen else "#ffffff"
            place = f'x="{60 + wide * j:.1f}" y="{BASE - tall:.1f}" width="{0.8 * wide:.1f}" height="{tall:.1f}"'
            parts.append(f'<rect {place} fill="{fill}" stroke="#6d7683"/>')
        if seen:
            y = BASE - 12 - scale * (self.running()["maximum"] - low)
            parts.append(f'<path d="M56 {y:.1f}H504" stroke="#b3410e" stroke-dasharray="6 4"/>')
        return svg(WIDTH, HEIGHT, *parts)

    def describe(self):
        """Say what is held."""
        taken, now = min(self.step, len(self.blocks())), self.running()
        start = f"{len(self.scores)} scores in blocks of {self.block_size}, {taken} of {len(self.blocks())} taken up"
        if not taken:
            return f"{start}."
        return (
            f"{start}. Running maximum {now['maximum']:.3f}, sum of exponentials {now['sum']:.3f}, average of the "
            f"values so far {now['result']:.3f}; {now['held']} numbers are held."
        )

    def __repr__(self):
        return f"<RunningSoftmax of {len(self.scores)} scores>"

    def _after(self, step):
        """Compute maximum, sum and average of some blocks, all at once."""
        keys = [j for block in self.blocks()[: max(step, 0)] for j in block]
        if not keys:
            return -math.inf, 0.0, 0.0
        scores, values = np.array(self.scores)[keys, None], np.array(self.values)[keys, None]
        out, lse = attention_and_lse(np.ones((1, 1)), scores, values, scale=1.0)
        return scores.max(), math.exp(lse.item() - scores.max()), out.item()

    @validate("block_size")
    def _some_keys(self, proposal):
        return require_between("block_size", 1, len(self.scores), proposal["value"])

    @validate("step")
    def _some_blocks(self, proposal):
        return require_between("step", 0, len(self.scores), proposal["value"])
