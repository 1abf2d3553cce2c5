"""What the letters stand for in the formulas of attention pooling."""

import numpy as np
from scipy.stats import norm

from mlnotes.applications.linear import linear
from mlnotes.attention.pooling import additive_score, attention_pool, bilinear_score, gaussian_score, pooling_weights
from mlnotes.blocks.softmax import softmax
from mlnotes.book.formulas import From, NotRead

rng = np.random.default_rng(0)
h = 0.8


def columns(*arrays):
    """Write numbers as rows of width 1."""
    return [np.reshape(it, (-1, 1)) * 1.0 for it in arrays]


def score(q, k):
    return gaussian_score(q, k, bandwidth=h)


# One number for each query, key and value; k without an index is all of them at once.
k1, v1, q1 = rng.normal(size=7), rng.normal(size=7), 0.3
ONE = {
    "q": q1,
    "k": k1,
    "v": v1,
    "h": h,
    "s": len(k1),
    "j": range(1, 8),
    "t": range(1, 8),
    "a": pooling_weights(*columns(q1, k1), score)[0],
    "K": lambda q, k: np.exp(score(*columns(q, k)))[0],
    "y(": lambda q: attention_pool(*columns(q, k1, v1), score)[0],
}
# The mean size of normal numbers, as the mean over their quantiles.
quantiles = norm.ppf((np.arange(10**5) + 0.5) / 10**5, scale=h)
MEAN_SIZE = {"h": h, "E": np.mean, "X": quantiles, "[": "x", "≈": 1e-3, "tolerance": 1e-4}
SLOPES = ONE | {
    "s": From(lambda at: score(*columns(at["q"], k1))[0]),
    "a": From(lambda at: softmax(np.ravel(at["s"]))),
    "y": From(lambda at: np.ravel(at["a"]) @ v1),
    r"\bar k": From(lambda at: np.average(k1, weights=np.ravel(at["a"]))),
}
# Sums of these numbers have no error of rounding, so that zero is zero.
EXACT = {"a": np.array([4, 1, 2, 1]) / 8, "v": np.array([3.0, 5, -2, 7]), "j": range(1, 5)}
EXACT["y"] = EXACT["a"] @ EXACT["v"]

# Rows of width d and f.
l, s, d, f, e, c = 5, 7, 3, 2, 11, 13  # noqa: E741
Q, K, V, K_f = (rng.normal(size=shape) for shape in ((l, d), (s, d), (s, e), (s, f)))
q, k, k_f = Q[0], K[0], K_f[0]
M = rng.normal(size=(d, f))
w_q, w_k, w = rng.normal(size=(d, c)), rng.normal(size=(f, c)), rng.normal(size=c)
ROWS = {
    r"\mathbf Q": Q,
    r"\mathbf K": K,
    r"\mathbf V": V,
    r"\mathbf S": score(Q, K),
    r"\mathbf A": pooling_weights(Q, K, score),
    r"\mathbf Y": attention_pool(Q, K, V, score),
    r"\mathbf q": q,
    r"\mathbf k": k,
    "s(": lambda q, k: score(q.T, k.T),
    r"\mathrm{softmax}": softmax,
    "h": h,
    "l": l,
    "s": s,
    "d": d,
    "e": e,
}
WIDTHS = {r"\mathbf q": q, r"\mathbf k": k_f, r"\mathbf M": M, "d": d, "f": f, r"\mathbf W_Q": w_q, r"\mathbf W_K": w_k}
BILINEAR = WIDTHS | {"s(": lambda q, k: bilinear_score(q.T, k.T, M)}
ADDITIVE = WIDTHS | {"s(": lambda q, k: additive_score(q.T, k.T, w_q, w_k, w), r"\mathbf w": w}


def matrix_of(scores, q, k):
    """Find the matrix whose bilinear scores these are."""
    return np.linalg.pinv(q) @ scores @ np.linalg.pinv(k).T


PROJECTED = WIDTHS | {r"\mathbf M": matrix_of(linear(Q, w_q) @ linear(K_f, w_k).T, Q, K_f)}

FORMULAS = {
    "1b645389": [ONE],
    "fe5dbbce": [ROWS],
    "pool-slope1": [SLOPES, SLOPES],
    "12c6fc06": [ROWS],
    "0a57cb53": [BILINEAR],
    "22d200f8": [ADDITIVE],
}

INLINE = {
    "bd307a3e": {r"s(\mathbf q,\mathbf k)=-\lVert\mathbf q-\mathbf k\rVert^2/(2h^2)": ROWS},
    "pool-slope1": {
        r"\partial a_t/\partial s_j=a_t(\delta_{tj}-a_j)": SLOPES,
        r"\sum_ja_j(v_j-y)=0": EXACT,
        r"\bar k=\sum_ja_jk_j": SLOPES,
    },
    "22d200f8": {r"\mathbf M=\mathbf W_Q\mathbf W_K^{\mathsf T}": PROJECTED},
    "f1f836cb": {
        r"-\lVert\mathbf q-\mathbf k\rVert^2/(2h^2)": ROWS | {"value": score(q[None], k[None])},
        r"\mathbf M=\mathbf I/\sqrt d": {
            r"\mathbf M": matrix_of(Q @ K.T / np.sqrt(d), Q, K),
            r"\mathbf I": np.eye(d),
            "d": d,
        },
        r"\mathbf q^{\mathsf T}\mathbf M\mathbf k": BILINEAR | {"value": bilinear_score(q[None], k_f[None], M)},
        r"\mathbf M=\mathbf W_Q\mathbf W_K^{\mathsf T}": PROJECTED,
        r"\mathbf w^{\mathsf T}\tanh(\mathbf W_Q^{\mathsf T}\mathbf q+\mathbf W_K^{\mathsf T}\mathbf k)": ADDITIVE
        | {"value": additive_score(q[None], k_f[None], w_q, w_k, w)},
    },
    "4d89d294": {
        r"E|X|=2\int_0^\infty x\,\frac{e^{-x^2/(2h^2)}}{h\sqrt{2\pi}}\,dx"
        r"=\frac{2}{h\sqrt{2\pi}}\bigl[-h^2e^{-x^2/(2h^2)}\bigr]_0^\infty"
        r"=h\sqrt{2/\pi}\approx0.798\,h": MEAN_SIZE
    },
    "pool-bilinear2": {r"\mathbf M=\mathbf M^{\mathsf T}": NotRead("a condition")},
}

PAIRS = ROWS | {"i": range(1, l + 1), "j": range(1, s + 1), "t": range(1, s + 1)}

DOCSTRINGS = {
    "attention_pool": [PAIRS],
    "pooling_weights": [PAIRS | {"s": From(lambda at: at[r"\mathbf S"])}],
    "gaussian_score": [ROWS],
    "bilinear_score": [BILINEAR],
    "additive_score": [ADDITIVE],
}
