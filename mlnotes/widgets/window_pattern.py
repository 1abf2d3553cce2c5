"""Which pairs a window, a dilation and blocks leave to attention, and what a token can have heard of through layers."""

import numpy as np
import traitlets

from mlnotes.efficient.sparse import sliding_window_mask
from mlnotes.widgets import module
from mlnotes.widgets.base import Widget, require_between, svg, text, validate

_LIMITS = {"dilation": (1, 8), "block": (1, 16), "layers": (1, 10)}


class WindowPattern(Widget):
    """Show what each token sees, what is computed for it, and from whom one of them can have heard.

    Parameters
    ----------
    n_tokens : int
        Tokens of the sequence, from 8 to 64.
    **traits
        ``window`` (tokens that each one sees, itself counted), ``dilation`` (steps between them), ``block`` (tokens in
        a block: if one pair of a block is seen, the block is computed), ``layers``, ``token`` (whose news are followed;
        the last unless given), ``caption``, ``description``. All can be read and set later, and set by the reader.

    Raises
    ------
    ValueError
        If a number lies outside its range.
    """

    name = "window_pattern"
    _esm = module(name)

    n_tokens = traitlets.Int(read_only=True).tag(sync=True)
    window = traitlets.Int(4).tag(sync=True)
    dilation = traitlets.Int(1).tag(sync=True)
    block = traitlets.Int(1).tag(sync=True)
    layers = traitlets.Int(1).tag(sync=True)
    token = traitlets.Int().tag(sync=True)

    def __init__(self, n_tokens=32, **traits):
        require_between("n_tokens", 8, 64, n_tokens)
        self.set_trait("n_tokens", n_tokens)
        super().__init__(**{"token": n_tokens - 1} | traits)

    def mask(self):
        """Say which keys each token sees.

        Returns
        -------
        boolean array (n_tokens, n_tokens)
            True where token i sees token j.
        """
        n = self.n_tokens
        distance = np.arange(n)[:, None] - np.arange(n)
        reach = (self.window - 1) * self.dilation
        return sliding_window_mask(n, n, reach + 1) & (distance % self.dilation == 0)

    def computed(self):
        """Say which pairs are computed, in blocks of which one pair is seen.

        Returns
        -------
        boolean array (n_tokens, n_tokens)
            True where a score is computed.
        """
        blocks = np.arange(self.n_tokens) // self.block
        layout = np.zeros((blocks[-1] + 1,) * 2, bool)
        queries, keys = np.nonzero(self.mask())
        layout[blocks[queries], blocks[keys]] = True
        return layout[blocks[:, None], blocks]

    def heard(self):
        """Follow the news, layer by layer.

        Returns
        -------
        boolean array (layers, n_tokens)
            Row i: the tokens of which ``token`` can have heard after i + 1 layers.
        """
        heard, rows = np.arange(self.n_tokens) == self.token, []
        for _ in range(self.layers):
            heard = heard @ self.mask()
            rows.append(heard)
        return np.array(rows)

    def picture(self):
        """Draw the pattern, and under it what the token can have heard of, as SVG text."""
        side = 384 / self.n_tokens
        parts = [text(112, 30 + side * (self.token + 0.8), f"token {self.token}", "end")]
        seen, computed = self.mask(), self.computed()
        for i, j in np.argwhere(computed):
            x, y = 120 + side * j, 30 + side * i
            size, fill = (0.9, "#2c5fa8") if seen[i, j] else (0.3, "#6d7683")
            at = (1 - size) / 2
            parts.append(_square(x + at * side, y + at * side, size * side, fill))
        parts.append(
            f'<rect x="120" y="{30 + side * self.token:g}" width="384" height="{side:g}" fill="none" '
            'stroke="#b3410e" stroke-width="2"/>'
        )
        for layer, heard in enumerate(self.heard()):
            y = 434 + 16 * layer
            parts.append(text(112, y + 11, f"{layer + 1} layer{'s' * (layer > 0)}", "end"))
            parts.extend(_square(120 + side * (j + 0.05), y, 0.9 * side, "#b3410e", 12) for j in np.flatnonzero(heard))
        parts.append(text(120, 20, "keys"))
        return svg(520, 444 + 16 * self.layers, *parts)

    def describe(self):
        """Say what is seen, what is computed, and what can have been heard."""
        n, heard = self.n_tokens, np.flatnonzero(self.heard()[-1])
        steps = "" if self.dilation == 1 else f", in steps of {self.dilation}"
        blocks = "pair by pair" if self.block == 1 else f"in blocks of {self.block}"
        farthest = f"{len(heard)} tokens, the farthest of them number {heard[0]}, {self.token - heard[0]} before it"
        return (
            f"Each of {n} tokens sees {self.window}{steps}: {self.mask().sum()} pairs, of {n * n} that there are. "
            f"Computed {blocks}: {self.computed().sum()} pairs, {self.computed().mean():.1%}. After {self.layers} "
            f"layer{'s' * (self.layers > 1)}, token {self.token} can have heard of "
            f"{farthest if len(heard) > 1 else 'itself alone'}."
        )

    @validate("window", "dilation", "block", "layers", "token")
    def _within_its_range(self, proposal):
        name, value = proposal["trait"].name, proposal["value"]
        ranges = _LIMITS | {"window": (1, self.n_tokens), "token": (0, self.n_tokens - 1)}
        low, high = ranges[name]
        return require_between(name, low, high, value)


def _square(x, y, width, fill, height=None):
    height = width if height is None else height
    return f'<rect x="{x:.4g}" y="{y:.4g}" width="{width:.4g}" height="{height:.4g}" fill="{fill}"/>'
