"""A window that moves on over a text: what it evicts, where the weight goes, and what it costs in nats."""

import numpy as np
import traitlets

from mlnotes.efficient.sinks import sink_mask
from mlnotes.widgets import module
from mlnotes.widgets.base import Widget, require_between, svg, text, validate

_LARGEST = 0.6  # weight of a bar that reaches the top
_FILLS = {"kept": "#b3410e", "window": "#2c5fa8", "evicted": "#eef0f4"}


class StreamingWindow(Widget):
    """Show which tokens a query sees through a window that keeps the first ones, and what that was measured to give.

    Parameters
    ----------
    n_tokens : int
        Tokens of the text that is drawn.
    windows, kept : sequence of int
        How long a window may be, its own token included, and how many of the first tokens may stay.
    losses : array (windows, kept)
        Loss in nats for each pair of them.
    weights : list of lists of arrays (kept + window,)
        For each pair, the weight that an average query gives to each kept token, then to each token of its window,
        itself last.
    full : float
        Loss in nats of a query that sees everything.
    **traits
        ``window`` (the first unless given), ``sinks`` (how many tokens are kept; the first unless given), ``token``
        (whose query is shown; the last unless given), ``caption``, ``description``. All can be read and set later, and
        set by the reader.

    Raises
    ------
    ValueError
        If a size is not positive or not drawn, losses or weights are not finite or do not fit the choices, or a trait
        has no such value.

    Notes
    -----
    The page finds what a query sees as `mlnotes.efficient.sinks.sink_mask` does. The losses and the weights are those
    given, rounded to four decimals.
    """

    name = "streaming_window"
    _esm = module(name)

    n_tokens = traitlets.Int(read_only=True).tag(sync=True)
    windows = traitlets.List(traitlets.Int(), read_only=True).tag(sync=True)
    kept = traitlets.List(traitlets.Int(), read_only=True).tag(sync=True)
    full = traitlets.Float(read_only=True).tag(sync=True)
    # [window][kept], and then [place]
    losses = traitlets.List(read_only=True).tag(sync=True)
    weights = traitlets.List(read_only=True).tag(sync=True)

    window = traitlets.Int().tag(sync=True)
    sinks = traitlets.Int().tag(sync=True)
    token = traitlets.Int().tag(sync=True)

    def __init__(self, n_tokens, windows, kept, losses, weights, full, **traits):
        for name, value in _checked(n_tokens, windows, kept, losses, weights, full).items():
            self.set_trait(name, value)
        start = {"window": self.windows[0], "sinks": self.kept[0], "token": self.n_tokens - 1}
        super().__init__(**start | traits)

    def seen(self):
        """Find what the query sees.

        Returns
        -------
        boolean array (n_tokens,)
            True for the tokens that are in the cache.
        """
        return sink_mask(1, self.n_tokens, self.window, self.sinks, self.token)[0]

    def loss(self):
        """Look up the loss with this window and these kept tokens, in nats."""
        return self.losses[self.windows.index(self.window)][self.kept.index(self.sinks)]

    def shares(self):
        """Say where the weight of an average query goes.

        Returns
        -------
        dict of str to float
            Weight of the kept tokens, of the rest of the window and of the query's own token.
        """
        row = self.weights[self.windows.index(self.window)][self.kept.index(self.sinks)]
        return {"kept tokens": sum(row[: self.sinks]), "window": sum(row[self.sinks : -1]), "itself": row[-1]}

    def evicted(self):
        """Count the tokens before the query that are no longer in the cache."""
        return self.token + 1 - int(self.seen().sum())

    def picture(self):
        """Draw the text as cells with bars of weight, and bars of loss, as SVG text."""
        step, seen = 476 / self.n_tokens, self.seen()
        row = self.weights[self.windows.index(self.window)][self.kept.index(self.sinks)]
        places = np.flatnonzero(seen)
        parts = [text(4, 12, "weight")]
        for weight in (0, 0.2, 0.4, 0.6):
            y = 120 - 90 * weight / _LARGEST
            parts.append(f'<path d="M34 {y:g}H510" stroke="#c9ced6"/>')
            parts.append(text(28, y + 4, f"{weight:g}", "end"))
        for i in range(self.token + 1):
            kind = "kept" if i < self.sinks else "window" if seen[i] else "evicted"
            parts.append(f'<rect x="{34 + step * i:.1f}" y="124" width="{step - 1.5:.1f}" height="16" '
                         f'fill="{_FILLS[kind]}" stroke="#6d7683" stroke-width="0.5"/>')
        if self.evicted():
            for i, weight in zip(places, row, strict=True):
                height = 90 * min(weight / _LARGEST, 1)
                parts.append(f'<rect x="{34 + step * i:.1f}" y="{120 - height:.1f}" width="{step - 1.5:.1f}" '
                             f'height="{height:.1f}" fill="#1d2129"/>')
        most = max(max(map(max, self.losses)), self.full)
        for i, (label, loss) in enumerate((("all tokens", self.full), ("this cache", self.loss()))):
            y = 160 + 26 * i
            parts.append(text(110, y + 13, label, "end"))
            parts.append(f'<rect x="118" y="{y}" width="{270 * loss / most:.1f}" height="18" fill="#2c5fa8"/>')
            parts.append(text(398, y + 13, f"{loss:.2f} nats"))
        return svg(520, 214, *parts)

    def describe(self):
        """Say what is evicted, where the weight goes, and what it costs."""
        shares = "; ".join(f"{name} {share:.2f}" for name, share in self.shares().items())
        return (
            f"A window of {self.window} tokens with the first {self.sinks} kept, at token {self.token}: "
            f"{self.evicted()} tokens before it are evicted. Weight of an average query after the window is full: "
            f"{shares}. Loss {self.loss():.2f} nats, {self.loss() - self.full:+.2f} beside all tokens."
        )

    def __repr__(self):
        return f"<StreamingWindow over {self.n_tokens} tokens>"

    @validate("window")
    def _a_window(self, proposal):
        return _one_of("window", proposal["value"], self.windows)

    @validate("sinks")
    def _some_kept(self, proposal):
        return _one_of("sinks", proposal["value"], self.kept)

    @validate("token")
    def _in_the_text(self, proposal):
        return require_between("token", 0, self.n_tokens - 1, proposal["value"])


def _one_of(name, value, choices):
    if value not in choices:
        raise ValueError(f"{name} must be one of {choices}, got {value}")
    return value


def _checked(n_tokens, windows, kept, losses, weights, full):
    windows, kept, losses = [int(it) for it in windows], [int(it) for it in kept], np.asarray(losses, dtype=float)
    if not windows or not kept or min(windows) < 1 or min(kept) < 0:
        raise ValueError(f"windows must be positive and kept not negative, got {windows} and {kept}")
    if n_tokens < max(windows) + max(kept):
        raise ValueError(f"n_tokens must hold the largest window and what is kept, got {n_tokens}")
    if losses.shape != (len(windows), len(kept)):
        raise ValueError(f"losses must have shape {(len(windows), len(kept))}, got {losses.shape}")
    if not np.isfinite(losses).all() or not np.isfinite(full):
        raise ValueError(f"losses must be finite, got {losses.tolist()} and {full}")
    sizes = [[len(it) for it in row] for row in weights]
    expected = [[window + sinks for sinks in kept] for window in windows]
    if sizes != expected:
        raise ValueError(f"weights must have {expected} entries, got {sizes}")
    if not all(np.isfinite(it).all() for row in weights for it in row):
        raise ValueError("weights must be finite, got infinities or nan")
    return {
        "n_tokens": int(n_tokens),
        "windows": windows,
        "kept": kept,
        "full": round(float(full), 4),
        "losses": [[round(float(it), 4) for it in row] for row in losses],
        "weights": [[[round(float(it), 4) for it in entry] for entry in row] for row in weights],
    }
