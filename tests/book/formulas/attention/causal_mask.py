"""What the letters stand for in the formulas of the causal mask."""

import numpy as np

from mlnotes.attention.causal_mask import causal_mask, masked_softmax, padding_mask
from mlnotes.book.formulas import From

l, s, offset = 5, 11, 3  # noqa: E741
MASK = {
    r"\mathbf M": causal_mask(l, s, offset).astype(float),
    "l": l,
    "s": s,
    r"\mathrm{offset}": offset,
    "i": range(1, l + 1),
    "j": range(1, s + 1),
}
LAST = {"j": From(lambda at: np.flatnonzero(MASK[r"\mathbf M"][at["i"] - 1])[-1] + 1)}  # the last key that i sees


def layers(n, width):
    """Count the layers of windows until the last of n tokens hears of the first."""
    window = causal_mask(n, n) & causal_mask(n, n, width - 1).T
    seen, count = np.eye(n, dtype=int), 0
    while not seen[-1, 0]:
        seen, count = seen @ window, count + 1
    return count


rng = np.random.default_rng(0)
X, allowed = rng.normal(size=(l, s)), causal_mask(l, s, offset)
MASKED = {
    r"\mathbf A": masked_softmax(X, allowed),
    r"\mathbf X": X,
    r"\mathbf M": allowed.astype(float),
    "i": range(1, l + 1),
    "j": range(1, s + 1),
    "t": range(1, s + 1),
    "e": np.e,
}
# Docstrings count queries, keys and sequences from 0.
PLACES = {"i": range(l), "j": range(s), r"\mathrm{offset}": offset, "m": lambda i, j: allowed[i, j]}
lengths = np.array([3, 0, 11, 5])
filled = np.broadcast_to(padding_mask(lengths, s), (4, l, s))
PADDED = PLACES | {"b": range(4), r"\mathrm{length}": lambda b: lengths[b], "m": lambda b, i, j: filled[b, i, j]}

FORMULAS = {"c1dfd96e": [MASK]}

INLINE = {
    "fe5dbbce": {
        r"e^{-\infty}=0": {},
        r"e^2=7.389": {"tolerance": 1e-4},
        r"e^1=2.718": {"tolerance": 2e-4},
        r"7.389/10.107=0.7311": {"tolerance": 1e-4},
    },
    "f1abd670": {r"\sum_ii^2\approx n^3/3": {"i": range(1, 1001), "n": 1000, "≈": 0.002}},
    "cost-read": {r"n(n-1)d/2": {"n": 7, "d": 3, "value": 3 * (~causal_mask(7, 7)).sum()}},
    "e06b92c1": {r"\lceil(n-1)/(\mathit{width}-1)\rceil": {"n": 12, r"\mathit{width}": 3, "value": layers(12, 3)}},
    "b7103ca2": {r"j\le i+\mathrm{offset}": MASK | LAST},
}

DOCSTRINGS = {"causal_mask": [PLACES], "padding_mask": [PADDED], "masked_softmax": [MASKED]}
