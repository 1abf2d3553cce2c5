"""What the letters stand for in the formulas of grouped-query attention."""

import numpy as np
import scipy.linalg

from mlnotes.attention.multi_head import split_heads
from mlnotes.blocks.softmax import softmax
from mlnotes.book.formulas import From, NotRead
from mlnotes.efficient import grouped_query as ours

rng = np.random.default_rng(0)
h, g, n_queries, s, d, e = 6, 3, 5, 7, 11, 2
r = h // g
q, k, v = (rng.normal(size=size) for size in ((h, n_queries, d), (g, s, d), (g, s, e)))
result = ours.grouped_query_attention(q, k, v)
n_tokens, width = 5, 7
X = rng.normal(size=(n_tokens, width))
w_k, w_v = rng.normal(size=(width, h * d)), rng.normal(size=(width, h * e))


def heads(array):
    """Count heads from 1."""
    return lambda i: array[int(i) - 1]


GROUPED = {
    r"\mathbf H": heads(result),
    r"\mathbf Q": heads(q),
    r"\mathbf K": heads(k),
    r"\mathbf V": heads(v),
    r"\mathrm{softmax}": softmax,
    "i": range(1, h + 1),
    "h": h,
    "j": From(lambda at: int(np.repeat(np.arange(1, g + 1), r)[at["i"] - 1])),
    "l": n_queries,
    "s": s,
    "d": d,
    "e": e,
    "r": r,
}
POOLED = {
    r"\bar{\mathbf W}_K": heads(split_heads(ours.pool_heads(w_k, h, g), g)),
    r"\bar{\mathbf W}_V": heads(split_heads(ours.pool_heads(w_v, h, g), g)),
    r"\mathbf W_K": heads(split_heads(w_k, h)),
    r"\mathbf W_V": heads(split_heads(w_v, h)),
    r"\mathbf X": X,
    r"\text{group }": lambda j: tuple(range(int(j - 1) * r + 1, int(j) * r + 1)),
    "j": range(1, g + 1),
    "r": r,
}
SECOND = POOLED | {"j": 2, "i": range(3, 5)}
many = 10_000  # dimensions, in which independent directions are nearly orthogonal
directions = rng.normal(size=(5, many))
MEAN = {
    r"\mathbf U": directions / np.linalg.norm(directions, axis=1, keepdims=True),
    "i": range(1, 6),
    "j": range(1, 6),
    "r": 5,
    r"i\ne j": ("i", "j"),
    "≈": 0.05,
}
w_o, other = rng.normal(size=(h * e, width)), rng.normal(size=(e, e))
COORDINATES = {
    r"\mathbf W_V": heads(split_heads(w_v, h)),
    r"\mathbf W_O": heads(np.split(w_o, h)),
    r"\mathbf M": other,
    "i": range(1, h + 1),
}
some = rng.normal(size=(2, 9, e))
left, sizes, right = np.linalg.svd(some[1].T @ some[0])
ALIGNED = {
    r"\mathbf Y": heads(some),
    r"\mathbf U": left,
    r"\mathbf s": sizes,
    r"\mathbf V": right.T,
    r"\mathbf M": scipy.linalg.orthogonal_procrustes(some[1], some[0])[0],
    "i": 2,
}

FORMULAS = {
    "da4b9237": [GROUPED],
    "b1d57811": [GROUPED],
    "472b07b9": [POOLED],
    "coordinates": [COORDINATES],
}
INLINE = {
    "c1dfd96e": {r"(1\cdot0+3\cdot4)/4=3": {}, r"(1\cdot0+9\cdot4)/10=3.6": {}},
    "472b07b9": {
        r"\mathbf X\bar{\mathbf W}_K^{(j)}=\frac1r\sum_i\mathbf X\mathbf W_K^{(i)}": SECOND,
    },
    "procrustes": {
        r"\mathbf Y_i=\mathbf X\mathbf W_V^{(i)}": NotRead("a definition"),
        r"\mathbf Y_i^{\mathsf T}\mathbf Y_1=\mathbf U\,\mathrm{diag}(\mathbf s)\,\mathbf V^{\mathsf T}": ALIGNED,
        r"\mathbf M=\mathbf U\mathbf V^{\mathsf T}": ALIGNED,
    },
    "9109c85a": {
        r"\lVert\frac1r\sum_i\mathbf u_i\rVert^2=\frac1{r^2}\bigl(\sum_i1+\sum_{i\ne j}"
        r"\mathbf u_i\cdot\mathbf u_j\bigr)\approx\frac1r": MEAN,
    },
}

bias = rng.normal(size=(h, n_queries, s))
COUNTED = {  # heads are counted from 0
    r"\mathbf Y": lambda i: ours.grouped_query_attention(q, k, v, bias=bias, scale=0.7)[i],
    r"\mathbf Q": lambda i: q[i],
    r"\mathbf K": lambda j: k[j],
    r"\mathbf V": lambda j: v[j],
    r"\mathbf B": lambda i: bias[i],
    r"\mathrm{softmax}": softmax,
    r"\mathrm{scale}": 0.7,
    "i": range(h),
    "j": From(lambda at: int(np.repeat(np.arange(g), r)[at["i"]])),
    "h": h,
    "g": g,
}
pooled = split_heads(ours.pool_heads(w_k, h, g), g)[1]
DOCSTRINGS = {"grouped_query_attention": [COUNTED]}
DOCSTRINGS_INLINE = {
    "pool_heads": {
        r"\mathbf X\,\frac1r\sum_i\mathbf W_i = \frac1r\sum_i\mathbf X\mathbf W_i": {
            r"\mathbf X": X,
            r"\mathbf W": heads(split_heads(w_k, h)),
            "i": range(3, 5),
            "r": r,
            "=": X @ pooled,
        }
    }
}
