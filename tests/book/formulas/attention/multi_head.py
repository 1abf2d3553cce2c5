"""What the letters stand for in the formulas of multi-head attention."""

import numpy as np

from mlnotes.applications.linear import linear
from mlnotes.attention.multi_head import fuse_projections, multi_head_attention, split_heads
from mlnotes.attention.self_attention import attention, attention_weights
from mlnotes.book.formulas import From

rng = np.random.default_rng(0)
h, l, s, m, d, e = 3, 5, 7, 11, 2, 13  # noqa: E741
Q, K, V = rng.normal(size=(l, m)), rng.normal(size=(s, m)), rng.normal(size=(s, m))
w_q, w_k, w_v = (rng.normal(size=(m, h * width)) / m**0.5 for width in (d, d, e))
w_o = rng.normal(size=(h * e, m))
queries, keys, values = (split_heads(linear(x, w), h) for x, w in ((Q, w_q), (K, w_k), (V, w_v)))
patterns = attention_weights(queries, keys)
heads = attention(queries, keys, values)
own = {"Q": split_heads(w_q, h), "K": split_heads(w_k, h), "V": split_heads(w_v, h), "O": w_o.reshape(h, e, m)}


def many(q, k, v):
    return multi_head_attention(q, k, v, w_q, w_k, w_v, w_o, h)


COMMON = {
    r"\mathbf X_q": Q,
    r"\mathbf X_k": K,
    r"\mathbf X_v": V,
    r"\mathbf W_Q": lambda i: own["Q"][int(i) - 1],
    r"\mathbf W_K": lambda i: own["K"][int(i) - 1],
    r"\mathbf W_V": lambda i: own["V"][int(i) - 1],
    r"\mathbf W_O": w_o,
    r"\mathbf H": lambda i: heads[int(i) - 1],
    r"\mathbf N": lambda i: own["Q"][int(i) - 1] @ own["K"][int(i) - 1].T,
    r"\mathrm{Attention}": attention,
    r"\mathrm{MultiHead}": many,
    "i": range(1, h + 1),
    "h": h,
    "l": l,
    "s": s,
    "m": m,
    "d": d,
    "e": e,
}
# The map with its patterns as they are: what each number of each token that is asked does to each number that results.
units = np.eye(s * m).reshape(s, m, s, m)
MAP = np.array([[many(Q, K, units[k, a]) for a in range(m)] for k in range(s)])  # (s, m, l, m)

numbered = np.arange(1.0, h * d + 1)[None]  # a matrix of one row, each column with its number
by_head = split_heads(numbered, h) - 1
fused = fuse_projections(0 * numbered, numbered, 0 * numbered, h)[0]
PLACES = {
    "i": range(h),
    "j": range(d),
    "d": d,
    "c": From(lambda at: by_head[at["i"], 0, at["j"]]),
    "value": From(lambda at: np.flatnonzero(fused == 1 + by_head[at["i"], 0, at["j"]])[0]),
}


FORMULAS = {
    "b2c0de02": [COMMON],
    "bc33ea4e": [
        COMMON
        | {
            r"\mathrm{vec}": np.ravel,
            r"\mathbf A": lambda i: patterns[int(i) - 1],
            r"\mathbf M": lambda i: own["V"][int(i) - 1] @ own["O"][int(i) - 1],
            "value": MAP.transpose(2, 0, 1, 3).reshape(l * s, m * m),
        }
    ],
}

INLINE = {
    "b1d57811": {
        r"[\mathbf H_1\cdots\mathbf H_h]\mathbf W_O=\sum_i\mathbf H_i\mathbf W_O^{(i)}": COMMON
        | {r"\mathbf W_O^{(i)}": From(lambda at: own["O"][at["i"] - 1])}
    },
    "2e01e174": {r"(1-p)\cdot a/(1-p)=a": {"p": 0.3, "a": 0.7}},
    "450ddec8": {r"c=i\,d+j": PLACES, r"3i\,d+d+j": PLACES},
    "d321d6f7": {r"\mathbf N_i=\mathbf W_Q^{(i)}\mathbf W_K^{(i)\mathsf T}": COMMON},
    "b74f5ee9": {
        r"(\mathbf X_q\mathbf W_Q^{(i)})(\mathbf X_k\mathbf W_K^{(i)})^{\mathsf T}"
        r"=\mathbf X_q\mathbf N_i\mathbf X_k^{\mathsf T}": COMMON
    },
}

DOCSTRINGS = {"multi_head_attention": [COMMON]}
