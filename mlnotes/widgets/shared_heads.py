"""Query heads that share key/value heads: how many there are, what the cache takes, and what it costs in loss."""

import numpy as np
import traitlets

from mlnotes.efficient.grouped_query import require_groups
from mlnotes.efficient.kv_cache import cache_nbytes
from mlnotes.widgets import module
from mlnotes.widgets.base import Widget, require_between, svg, text, validate


class SharedHeads(Widget):
    """Show which query heads share a key/value head, with the bytes of the cache and the measured losses.

    Parameters
    ----------
    n_heads : int
        Query heads, h.
    d_head : int
        Width of each head, d.
    losses : dict of str to dict of int to float
        For each model, by its name, its loss in nats with each number of key/value heads. It is compared with its own
        loss with ``n_heads`` of them.
    n_layers : int
        Layers of the model.
    itemsize : int
        Bytes of one number.
    **traits
        ``groups`` (the key/value heads shown; the fewest unless given), ``tokens`` (in the cache), ``caption``,
        ``description``. All can be read and set later, and set by the reader.

    Raises
    ------
    ValueError
        If a size is not positive, key/value heads do not divide the query heads, the models differ in their numbers of
        key/value heads or lack ``n_heads`` itself, a loss is not finite, or a trait has no such value.

    Notes
    -----
    The page computes the bytes as `mlnotes.efficient.kv_cache.cache_nbytes` does; the losses are those given, rounded
    to six decimals.
    """

    name = "shared_heads"
    _esm = module(name)

    n_heads = traitlets.Int(read_only=True).tag(sync=True)
    d_head = traitlets.Int(read_only=True).tag(sync=True)
    n_layers = traitlets.Int(read_only=True).tag(sync=True)
    itemsize = traitlets.Int(read_only=True).tag(sync=True)
    choices = traitlets.List(traitlets.Int(), read_only=True).tag(sync=True)
    models = traitlets.List(traitlets.Unicode(), read_only=True).tag(sync=True)
    # [model][choice]
    losses = traitlets.List(read_only=True).tag(sync=True)

    groups = traitlets.Int().tag(sync=True)
    tokens = traitlets.Int(4096).tag(sync=True)

    def __init__(self, n_heads, d_head, losses, *, n_layers=1, itemsize=4, **traits):
        for name, value in _checked(n_heads, d_head, losses, n_layers, itemsize).items():
            self.set_trait(name, value)
        super().__init__(**{"groups": self.choices[-1]} | traits)

    def nbytes(self):
        """Compute the bytes of the cache for the key/value heads and tokens shown.

        Returns
        -------
        int
            Bytes of the keys and values of all layers.
        """
        return cache_nbytes(self.tokens, self.groups, self.d_head, self.n_layers, self.itemsize)

    def losses_now(self):
        """Look up the losses with the key/value heads shown.

        Returns
        -------
        dict of str to float
            By model, in nats.
        """
        at = self.choices.index(self.groups)
        return dict(zip(self.models, (row[at] for row in self.losses), strict=True))

    def picture(self):
        """Draw the heads, and bars of bytes and losses, as SVG text."""
        r, step = self.n_heads // self.groups, 46 if self.n_heads <= 8 else 368 / self.n_heads
        side, left = min(28, 0.75 * step), 96
        parts = [text(left - 12, 34, "queries", "end"), text(left - 12, 104, "keys, values", "end")]
        for i in range(self.n_heads):
            shared = left + step * (r * (i // r) + (r - 1) / 2) + side / 2
            x = left + step * i + side / 2
            parts.append(f'<path d="M{x:g} {30 + side / 2:g}L{shared:g} {100 - side / 2:g}" stroke="#6d7683"/>')
            parts.append(_square(x, 30, side, "#2c5fa8"))
            if i % r == 0:
                parts.append(_square(shared, 100, side, "#b3410e"))
        share = self.groups / self.n_heads
        rows = [("cache", f"{self.nbytes():,} bytes", share, "#b3410e")]
        most = max(max(loss - row[0] for loss in row) for row in self.losses) or 1.0
        for (model, loss), (base, *_) in zip(self.losses_now().items(), self.losses, strict=True):
            rows.append((model, f"{loss:.3f} nats, {loss - base:+.3f}", max(0, loss - base) / most, "#2c5fa8"))
        for i, (label, value, width, fill) in enumerate(rows):
            y = 146 + 30 * i
            parts.append(text(164, y + 13, label, "end"))
            parts.append(f'<rect x="172" y="{y}" width="170" height="18" fill="#eef0f4"/>')
            parts.append(f'<rect x="172" y="{y}" width="{170 * width:.1f}" height="18" fill="{fill}"/>')
            parts.append(text(350, y + 13, value))
        return svg(520, 152 + 30 * len(rows), *parts)

    def describe(self):
        """Say what is shared, and what it saves and costs."""
        r, bases = self.n_heads // self.groups, [base for base, *_ in self.losses]
        served = f"{r} query heads" if r > 1 else "one query head"
        losses = zip(self.losses_now().items(), bases, strict=True)
        losses = "; ".join(f"{model} {loss:.3f} nats, {loss - base:+.3f}" for (model, loss), base in losses)
        return (
            f"{self.n_heads} query heads and {self.groups} key/value heads, each of which serves {served}. "
            f"The cache of {self.tokens:,} tokens takes {self.nbytes():,} bytes, {self.groups} of {self.n_heads} parts "
            f"of what {self.n_heads} key/value heads take. Loss, and its difference to that of the same model "
            f"with {self.n_heads}: {losses}."
        )

    def __repr__(self):
        return f"<SharedHeads of {self.n_heads} query heads>"

    @validate("groups")
    def _one_of_the_choices(self, proposal):
        if proposal["value"] not in self.choices:
            raise ValueError(f"groups must be one of {self.choices}, got {proposal['value']}")
        return proposal["value"]

    @validate("tokens")
    def _at_least_one(self, proposal):
        return require_between("tokens", 1, 2**20, proposal["value"])


def _square(x, y, side, fill):
    return f'<rect x="{x - side / 2:g}" y="{y - side / 2:g}" width="{side:g}" height="{side:g}" rx="4" fill="{fill}"/>'


def _checked(n_heads, d_head, losses, n_layers, itemsize):
    for name, size in {"d_head": d_head, "n_layers": n_layers, "itemsize": itemsize}.items():
        if size < 1:
            raise ValueError(f"{name} must be positive, got {size}")
    if not losses:
        raise ValueError(f"losses must hold at least one model, got {losses}")
    choices = sorted(next(iter(losses.values())), reverse=True)
    for groups in choices:
        require_groups(n_heads, groups)
    if n_heads not in choices:
        raise ValueError(f"losses must hold one with {n_heads} key/value heads, got {choices}")
    for model, by_groups in losses.items():
        if sorted(by_groups, reverse=True) != choices:
            raise ValueError(f"{model} must have losses for {choices} key/value heads, got {sorted(by_groups)}")
        if not np.isfinite(list(by_groups.values())).all():
            raise ValueError(f"losses of {model} must be finite, got {by_groups}")
    return {
        "n_heads": n_heads,
        "d_head": d_head,
        "n_layers": n_layers,
        "itemsize": itemsize,
        "choices": choices,
        "models": list(map(str, losses)),
        "losses": [[round(float(by_groups[g]), 6) for g in choices] for by_groups in losses.values()],
    }
