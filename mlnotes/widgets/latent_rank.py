"""Keys and values from latents of a given rank: the bytes of their cache, and the losses that were measured."""

import math

import numpy as np
import traitlets

from mlnotes.arrays import require_integers
from mlnotes.efficient.latent import latent_cache_nbytes
from mlnotes.widgets import module
from mlnotes.widgets.base import Widget, require_between, svg, text, validate

WIDTH, HEIGHT, LEFT, TOP = 400, 190, 46, 12
COLOURS = "#b3410e", "#2c5fa8", "#57731a"


class LatentRank(Widget):
    """Show the bytes of a cache of latents against the loss that was measured with them.

    Parameters
    ----------
    losses : dict of str to dict of int to float
        For each way of choosing the latents, by its name, the loss in nats with latents of each width. The largest
        width is that of the keys and values themselves.
    n_layers : int
        Layers of the model.
    itemsize : int
        Bytes of one number.
    **traits
        ``rank`` (the width of the latents shown; the smallest unless given), ``tokens`` (in the cache), ``caption``,
        ``description``. All can be read and set later, and set by the reader.

    Raises
    ------
    ValueError
        If a size is not positive, there are more than three ways or fewer than two widths, the ways differ in their
        widths, a loss is not finite, or a trait has no such value.

    Notes
    -----
    The page computes the bytes as `mlnotes.efficient.latent.latent_cache_nbytes` does; the losses are those given,
    rounded to six decimals.
    """

    name = "latent_rank"
    _esm = module(name)

    n_layers = traitlets.Int(read_only=True).tag(sync=True)
    itemsize = traitlets.Int(read_only=True).tag(sync=True)
    ranks = traitlets.List(traitlets.Int(), read_only=True).tag(sync=True)
    ways = traitlets.List(traitlets.Unicode(), read_only=True).tag(sync=True)
    # [way][rank]
    losses = traitlets.List(read_only=True).tag(sync=True)

    rank = traitlets.Int().tag(sync=True)
    tokens = traitlets.Int(1024).tag(sync=True)

    def __init__(self, losses, *, n_layers=1, itemsize=4, **traits):
        for name, value in _checked(losses, n_layers, itemsize).items():
            self.set_trait(name, value)
        super().__init__(**{"rank": self.ranks[0]} | traits)

    def nbytes(self):
        """Compute the bytes of the cache for the rank and tokens shown.

        Returns
        -------
        int
            Bytes of the latents of all layers.
        """
        return latent_cache_nbytes(self.tokens, self.rank, n_layers=self.n_layers, itemsize=self.itemsize)

    def losses_now(self):
        """Look up the losses with the rank shown.

        Returns
        -------
        dict of str to float
            By way of choosing latents, in nats.
        """
        at = self.ranks.index(self.rank)
        return dict(zip(self.ways, (row[at] for row in self.losses), strict=True))

    def picture(self):
        """Draw the losses over the numbers kept of each token, down to the rank shown, as SVG text."""
        low, high = _limits(self.losses)

        def place(rank, loss):
            x = LEFT + (WIDTH - LEFT - 16) * rank / self.ranks[-1]
            return x, TOP + (HEIGHT - 46 - TOP) * (high - loss) / (high - low)

        floor = place(0, low)[1]
        parts = [f'<path d="M{LEFT} {floor:g}H{WIDTH}" stroke="#6d7683"/>']
        for loss in range(low, high + 1):
            y = place(0, loss)[1]
            parts.append(f'<path d="M{LEFT} {y:g}H{WIDTH}" stroke="#e1e4e9"/>')
            parts.append(text(LEFT - 8, round(y + 4, 2), str(loss), "end"))
        x = place(self.rank, low)[0]
        parts.append(f'<path d="M{x:g} {TOP}V{floor:g}" stroke="#6d7683" stroke-dasharray="4 3"/>')
        for row, colour in zip(self.losses, COLOURS, strict=False):
            points = [place(rank, loss) for rank, loss in zip(self.ranks, row, strict=True) if rank >= self.rank]
            line = "L".join(f"{a:.2f} {b:.2f}" for a, b in points)
            parts.append(f'<path d="M{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
            parts += [f'<circle cx="{a:.2f}" cy="{b:.2f}" r="4" fill="{colour}"/>' for a, b in points]
        for rank in self.ranks:
            parts.append(text(round(place(rank, low)[0], 2), floor + 18, str(rank), "middle"))
        parts.append(text((LEFT + WIDTH) / 2, HEIGHT - 8, "numbers kept of each token", "middle"))
        for i, (way, loss) in enumerate(self.losses_now().items()):
            parts.append(text(LEFT, HEIGHT + 14 + 20 * i, f"{way}: {loss:.2f} nats", fill=COLOURS[i]))
        return svg(WIDTH + 8, HEIGHT + 20 + 20 * len(self.ways), *parts)

    def describe(self):
        """Say what the cache takes, and what the model loses."""
        full = self.ranks[-1]
        bases = dict(zip(self.ways, (row[-1] for row in self.losses), strict=True))
        now = self.losses_now().items()
        losses = "; ".join(f"{way} {loss:.2f} nats, {loss - bases[way]:+.2f}" for way, loss in now)
        return (
            f"Of the {full} numbers of each token's keys and values in a layer, {self.rank} are kept. The cache of "
            f"{self.tokens:,} tokens takes {self.nbytes():,} bytes. Loss, and its difference to that with all {full}: "
            f"{losses}."
        )

    @validate("rank")
    def _one_of_the_ranks(self, proposal):
        if proposal["value"] not in self.ranks:
            raise ValueError(f"rank must be one of {self.ranks}, got {proposal['value']}")
        return proposal["value"]

    @validate("tokens")
    def _at_least_one(self, proposal):
        return require_between("tokens", 1, 2**17, proposal["value"])


def _limits(losses):
    """Give the whole numbers of nats between which all losses lie."""
    values = [loss for row in losses for loss in row]
    return math.floor(min(values)), max(math.ceil(max(values)), math.floor(min(values)) + 1)


def _checked(losses, n_layers, itemsize):
    require_integers(1, n_layers=n_layers, itemsize=itemsize)
    if not 1 <= len(losses) <= len(COLOURS):
        raise ValueError(f"losses must hold one to {len(COLOURS)} ways of choosing latents, got {len(losses)}")
    ranks = sorted(next(iter(losses.values())))
    if len(ranks) < 2:
        raise ValueError(f"losses must hold at least two ranks, got {ranks}")
    require_integers(1, **{f"rank {i}": rank for i, rank in enumerate(ranks)})
    for way, by_rank in losses.items():
        if sorted(by_rank) != ranks:
            raise ValueError(f"{way} must have losses for the ranks {ranks}, got {sorted(by_rank)}")
        if not np.isfinite(list(by_rank.values())).all():
            raise ValueError(f"losses of {way} must be finite, got {by_rank}")
    return {
        "n_layers": n_layers,
        "itemsize": itemsize,
        "ranks": ranks,
        "ways": list(map(str, losses)),
        "losses": [[round(float(by_rank[r]), 6) for r in ranks] for by_rank in losses.values()],
    }
