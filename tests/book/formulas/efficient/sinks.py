"""What the letters stand for in the formulas of attention sinks."""

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

from mlnotes.blocks.softmax import logsumexp, softmax
from mlnotes.book.formulas import From
from mlnotes.efficient import sinks as ours

rng = np.random.default_rng(0)
n, x_0 = 7, 1.3
x = rng.normal(size=5)


def share(x_0, others):
    """Find the weight that a null takes from others."""
    return 1 - ours.null_softmax(others, x_0).sum()


SHARE = {"x_0": x_0, "n": n, "p": share(x_0, np.zeros(n - 1))}
NULL = {
    "x_0": x_0,
    r"\mathbf x": x,
    "a": ours.null_softmax(x, x_0),
    r"\mathrm{softmax}": lambda x: softmax(x[:, 0]),
    r"\mathrm{lse}": lambda x: logsumexp(x[:, 0]),
    r"\sigma": lambda x: 1 / (1 + np.exp(-x)),
    "i": range(1, 6),
    "j": range(1, 6),
}
# At which logarithm of how many others nine tenths are left to the sink.
MOST = {"n": 1 + np.exp(brentq(lambda x: share(12.0, np.array([x])) - 0.9, 0.0, 12.0, xtol=1e-14))}

capacity, n_sinks, t = 7, 3, 11
cache = ours.StreamingCache(capacity, n_sinks, 1, 1)


def place(x, positions):
    """Turn nothing, but write down where everything stands."""
    return x + positions[:, None]


for _ in range(t + 1):
    query, keys, *_ = cache.meet(*np.zeros((3, 1, 1, 1)), place)
distance = dict(zip(cache.positions.tolist(), (query - keys).ravel(), strict=True))
DISTANCE = {  # tokens are counted from 0
    r"\text{distance to key }": lambda j: distance[j],
    "j": sorted(distance),
    "t": t,
    "C": capacity,
    r"\text{in the window,}": From(lambda at: at["j"] >= n_sinks),
    r"\text{sink.}": From(lambda at: at["j"] < n_sinks),
}

FORMULAS = {"why-math": [SHARE], "score-text": [NULL], "stream-derive": [DISTANCE]}
INLINE = {
    "score-text": {
        r"\sum_j\exp x_j=\exp\mathrm{lse}(\mathbf x)": NULL,
        r"\sigma(t)=1/(1+\exp(-t))": {r"\sigma": expit, "t": 0.7},
    },
    "ex-3-solution": {
        r"\exp x_0=p\,(\exp x_0+n-1)": SHARE,
        r"(1-p)\exp x_0=p\,(n-1)": SHARE,
        r"n-1=\exp(12)/9": MOST,
    },
}

n_queries, n_keys, window, offset = 5, 13, 4, 6
mask = ours.sink_mask(n_queries, n_keys, window, n_sinks, offset)
SEEN = {  # queries and keys are counted from 0
    "m": lambda i, j: float(mask[i, j]),
    "i": range(n_queries),
    "j": range(n_keys),
    r"\mathrm{offset}": offset,
    r"\mathrm{window}": window,
    r"n_{\mathrm{sinks}}": n_sinks,
}
DOCSTRINGS = {"sink_mask": [SEEN], "null_softmax": [NULL]}
