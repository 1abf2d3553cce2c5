"""What the letters stand for in the formulas of self-attention."""

import numpy as np

from mlnotes.applications.linear import linear
from mlnotes.attention.self_attention import attention, attention_weights, self_attention
from mlnotes.blocks.dot_product import dot
from mlnotes.blocks.softmax import softmax
from mlnotes.book.formulas import From

rng = np.random.default_rng(0)
n, m, d, e, c = 5, 3, 2, 7, 0.4
X = rng.normal(size=(n, m))
w_q, w_k, w_v = rng.normal(size=(m, d)), rng.normal(size=(m, d)), rng.normal(size=(m, e))
S = np.array([[dot(a, b) for b in X] for a in X])
WORDS = {
    r"\mathbf X": X,
    r"\mathbf S": S,
    r"\mathbf A": attention_weights(X, X, scale=c),
    r"\mathbf Y": attention(X, X, X, scale=c),
    r"\mathrm{softmax}": softmax,
    "c": c,
    "i": range(1, n + 1),
    "j": range(1, n + 1),
    "n": n,
    "m": m,
}
ROLES = WORDS | {
    r"\mathbf Q": linear(X, w_q),
    r"\mathbf K": linear(X, w_k),
    r"\mathbf V": linear(X, w_v),
    r"\mathbf W_Q": w_q,
    r"\mathbf W_K": w_k,
    r"\mathbf W_V": w_v,
    r"\mathrm{Attention}": attention,
    "d": d,
    "e": e,
}
SHUFFLED = ROLES | {
    r"\mathbf P": np.eye(n)[[1, 2, 0, 4, 3]],
    r"\mathbf I": np.eye(n),
    r"\mathbf S": rng.normal(size=(n, n)),
}

# One query; s are its scores.
K, V = ROLES[r"\mathbf K"], ROLES[r"\mathbf V"]
QUERY = ROLES | {
    r"\mathbf q": rng.normal(size=d),
    r"\mathbf c": rng.normal(size=d),
    "s": From(lambda at: at["c"] * K @ np.ravel(at[r"\mathbf q"])),
    "a": From(lambda at: softmax(np.ravel(at["s"]))),
    r"\mathbf y": From(lambda at: np.ravel(at["a"]) @ V),
    r"\bar{\mathbf k}": From(lambda at: np.average(K, axis=0, weights=np.ravel(at["a"]))),
}
AVERAGE = QUERY | {r"\mathbf y": attention(QUERY[r"\mathbf q"][None], K, V, scale=c)[0]}
SCALED = QUERY | {
    "s": K @ QUERY[r"\mathbf q"],  # before scaling
    "a": From(lambda at: softmax(np.ravel(at["s"]) * at["c"])),
    r"\bar s": From(lambda at: np.average(np.ravel(at["s"]), weights=np.ravel(at["a"]))),
    "t": range(1, n + 1),
    "e": np.e,
}
# Sums of these numbers have no error of rounding, so that zero is zero.
EXACT = {
    "a": np.array([4, 1, 2, 1]) / 8,
    r"\mathbf V": np.array([[3.0, 1], [5, -2], [-2, 4], [7, 1]]),
    "j": range(1, 5),
}
EXACT[r"\mathbf y"] = EXACT["a"] @ EXACT[r"\mathbf V"]
EXACT["s"] = EXACT[r"\mathbf V"][:, 0]
EXACT[r"\bar s"] = EXACT["a"] @ EXACT["s"]

# Random numbers as diagonal matrices, one place for each pair of outcomes, so that a product is that of outcomes.
chance = np.outer(rng.dirichlet(np.ones(3)), rng.dirichlet(np.ones(2))).ravel()
outcomes = np.meshgrid(rng.normal(size=3), rng.normal(size=2), indexing="ij")
RANDOM = {
    "X": np.diag(outcomes[0].ravel()),
    "Y": np.diag(outcomes[1].ravel()),
    "E": lambda x: chance @ np.diag(x),
    r"\mathrm{Var}": lambda x: np.cov(np.diag(x), aweights=chance, ddof=0),
}

FORMULAS = {
    "902ba3cd": [WORDS],
    "b1d57811": [WORDS],
    "9e6a55b6": [ROLES, ROLES],
    "a1c0de05": [QUERY, QUERY],
    "92cfceb3": [SHUFFLED],
    "fe2ef495": [RANDOM],
    "scale-slope-solved": [SCALED],
}

INLINE = {
    "b1d57811": {r"c=1/\sqrt{384}=0.051": {"c": 384**-0.5, "tolerance": 1e-3}},
    "a1c0de05": {
        r"\mathbf y=\sum_i a_i\mathbf v_i": AVERAGE,
        r"\sum_j a_j(\mathbf v_j-\mathbf y)=\mathbf 0": EXACT,
    },
    "92cfceb3": {
        r"\mathrm{softmax}(\mathbf P\mathbf S\mathbf P^{\mathsf T})"
        r"=\mathbf P\,\mathrm{softmax}(\mathbf S)\,\mathbf P^{\mathsf T}": SHUFFLED,
        r"\mathbf P^{\mathsf T}\mathbf P=\mathbf I": SHUFFLED,
    },
    "fe2ef495": {r"E[X^2]=\mathrm{Var}(X)+E[X]^2": RANDOM},
    "e1822db4": {r"d\cdot\frac13\cdot\frac13/d=1/9": {"d": d}},
    "a1c0de27": {
        r"(\mathbf q+\mathbf c)\cdot\mathbf k_j/\sqrt d"
        r"=\mathbf q\cdot\mathbf k_j/\sqrt d+\mathbf c\cdot\mathbf k_j/\sqrt d": QUERY
    },
    "scale-slope-solved": {
        r"\log a_j=c\,s_j-\log\sum_t e^{c s_t}": SCALED,
        r"\partial a_j/\partial c=a_j\,(s_j-\bar s)": SCALED,
        r"\bar s=\sum_t a_t s_t": SCALED,
        r"\sum_j a_j(s_j-\bar s)=0": EXACT,
    },
}

B = rng.normal(size=(4, n))
ASKED = ROLES | {r"\mathbf Q": rng.normal(size=(4, d)), r"\mathbf B": B, r"\mathrm{scale}": c}

DOCSTRINGS = {
    "attention": [ASKED],
    "attention_weights": [ASKED | {r"\mathbf A": attention_weights(ASKED[r"\mathbf Q"], K, bias=B, scale=c)}],
    "self_attention": [ROLES | {"value": self_attention(X, w_q, w_k, w_v)}],
}
