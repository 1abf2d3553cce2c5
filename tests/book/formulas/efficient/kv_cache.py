"""What the letters stand for in the formulas of the key–value cache."""

import numpy as np

from mlnotes.attention.self_attention import attention_weights
from mlnotes.efficient import kv_cache as ours

rng = np.random.default_rng(0)
n, h, d, e = 7, 3, 5, 2
q, k, v = (rng.normal(size=(1, n, width)) for width in (d, d, e))
cache = ours.KVCache(n, 1, d, e)
y = np.concatenate([ours.cached_attention(q[:, [t]], k[:, [t]], v[:, [t]], cache)[0] for t in range(n)])


def weight(i, j):
    """Of a later key, which the page never asks for: what it would add to the sum of weights, were it seen."""
    seen = np.arange(1, n + 1) <= i
    seen[j - 1] = True
    found = attention_weights(q[0, [i - 1]], k[0], seen[None])[0, j - 1]
    return found if j <= i else found / (1 - found)


DECODED = {
    r"\mathbf Y": y,
    "a": weight,
    r"\mathbf Q": q[0],
    r"\mathbf K": k[0],
    r"\mathbf V": v[0],
    "c": d**-0.5,
    "d": d,
    "e": e,
    "i": range(1, n + 1),
    "j": range(1, n + 1),
    "m": range(1, n + 1),
}
SUMS = {"n": n, "h": h, "d": d, "e": e, "t": range(1, n + 1), "S": sum(t * t for t in range(n + 1))}
layers, like = 2, np.zeros((), np.float16)
BYTES = {
    r"\text{bytes}": sum(ours.KVCache(n, h, d, like=like).nbytes for _ in range(layers)),
    r"\text{layers}": layers,
    "g": h,
    "s": n,
    "d": d,
    r"\text{bytes of a number}": like.itemsize,
}

GUESSED = {
    "p": np.array([0.5, 0.2, 0.3]),
    "q": np.array([0.1, 0.6, 0.3]),
    "i": range(1, 4),
    "j": range(1, 4),
}

FORMULAS = {
    "speculated-says": [GUESSED],
    "c1dfd96e": [DECODED],
    "what-it-saves": [SUMS],
    "costs-head": [BYTES],
    "a17554a0": [SUMS],
}
INLINE = {
    "speculated-says": {r"1-\sum_j\min(p_j,q_j)=\sum_j\max(p_j-q_j,0)": GUESSED},
    "c1dfd96e": {r"c=1/\sqrt d": DECODED},
    "fe5dbbce": {r"(1\cdot8+2\cdot16+5\cdot32)/8=25": {}},
    "fa35e192": {r"1+2+\dots+12=78": {r"\dots": sum(range(3, 12))}},
    "6c1e671f": {
        r"\sum_{t=1}^{n}t^2=n(n+1)(2n+1)/6": SUMS,
        r"(t+1)^3-t^3=3t^2+3t+1": SUMS,
    },
    "a17554a0": {r"S=\sum_tt^2": SUMS, r"S=n(n+1)(2n+1)/6": SUMS},
}

multiply_adds = [ours.decoding_multiply_adds(n, h, d, e, cached) for cached in (True, False)]
DOCSTRINGS = {
    "cache_nbytes": [BYTES | {"value": ours.cache_nbytes(n, h, d, layers, like.itemsize)}],
    # Both sides of the first line, and of what stands behind its words.
    "decoding_multiply_adds": [
        SUMS | {"=": multiply_adds[0], r"\text{with a cache,}": {"=": multiply_adds[1]}},
    ],
}
