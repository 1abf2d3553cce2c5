"""What the letters stand for in the formulas of the transformer."""

import numpy as np

from mlnotes.applications.mlp import relu, silu
from mlnotes.attention.self_attention import self_attention
from mlnotes.attention.transformer import (
    block_parameters,
    embed,
    embed_as_learned,
    feed_forward,
    layer_norm,
    post_norm,
    pre_norm,
    rms_norm,
    swiglu,
)

rng = np.random.default_rng(0)
l, n, m = 5, 3, 7  # noqa: E741
X = rng.normal(size=(l, n))
w_q, w_k, w_v = rng.normal(size=(3, n, n))
w_1, b_1, w_2, b_2 = (rng.normal(size=shape) for shape in ((n, 4 * n), 4 * n, (4 * n, n), n))
w_gate, w_up, w_down = (rng.normal(size=shape) for shape in ((n, m), (n, m), (m, n)))


def attend(x):
    return self_attention(x, w_q, w_k, w_v)


def network(x):
    return feed_forward(x, w_1, b_1, w_2, b_2)


between = post_norm(X, attend, layer_norm)
BLOCK = {
    r"\mathbf X": X,
    r"\mathbf X'": between,
    r"\mathbf X''": post_norm(between, network, layer_norm),
    r"\mathrm{norm}": layer_norm,
    r"\mathrm{Attention}": attend,
    r"\mathrm{FeedForward}": network,
    "f": attend,
    "value": (post_norm(X, attend, layer_norm), pre_norm(X, attend, layer_norm)),
}
x, gain, shift, eps = rng.normal(size=7), rng.normal(size=7), rng.normal(size=7), 0.3
NORM = {
    r"\mathbf x": x,
    r"\boldsymbol\gamma": gain,
    r"\boldsymbol\beta": shift,
    r"\varepsilon": eps,
    r"\mu": x.mean(),
    r"\sigma": x.std(),
    r"\overline{x^2}": np.mean(x**2),
    r"\varrho": np.linalg.norm(x) / np.sqrt(7),
    "i": range(1, 8),
    "n": 7,
}
HIDDEN = {
    r"\mathbf X": X,
    r"\mathbf W_1": w_1,
    r"\mathbf b_1": b_1,
    r"\mathbf W_2": w_2,
    r"\mathbf b_2": b_2,
    r"\mathbf W_{\mathrm{gate}}": w_gate,
    r"\mathbf W_{\mathrm{up}}": w_up,
    r"\mathbf W_{\mathrm{down}}": w_down,
    r"\mathbf 1": np.ones(l),
    r"\mathrm{relu}": relu,
    r"\mathrm{silu}": silu,
    "l": l,
    "n": n,
    "m": m,
}
# A width for which three matrices hold as many numbers as the two of the network.
SAME_SIZE = {"n": n, "m": (w_1.size + w_2.size) / (3 * n)}

FORMULAS = {
    "da4b9237": [BLOCK],
    "e0864adb": [NORM | {r"\mathbf y": layer_norm(x, gain, shift, eps)}],
    "c1dfd96e": [NORM | {r"\mathbf y": rms_norm(x, gain, eps)}],
    "fe5dbbce": [BLOCK],
    "1574bddb": [HIDDEN | {r"\mathbf Y": network(X)}],
    "swiglu-idea": [HIDDEN | {r"\mathbf Y": swiglu(X, w_gate, w_up, w_down)}],
}

INLINE = {
    "fe5dbbce": {r"\log12=2.48": {"tolerance": 3e-3}, r"2\log2/12=0.12": {"tolerance": 0.04}},
    "90aee170": {r"\log16=2.77": {"tolerance": 1e-3}},
    "swiglu-idea": {r"m=\frac83n": SAME_SIZE},
    "d321d6f7": {r"\sigma^2=\overline{x^2}-\mu^2": NORM},
    "8e63fd3e": {r"12n^2+13n": {"n": 7, "value": block_parameters(7)}},
}

SUBLAYER = {r"\mathbf X": X, r"\mathrm{norm}": rms_norm, r"\mathrm{sublayer}": attend}
ids = np.array([3, 0, 3, 6, 2])
table, places, kind = (rng.normal(size=shape) for shape in ((7, n), (11, n), n))
# Docstrings count tokens and positions from 0.
EMBEDDED = {
    r"\mathbf x": lambda i: embed(ids, table, places)[i],
    r"\mathbf e": lambda row: table[row],
    r"\mathbf p": lambda i: places[i],
    r"\mathbf s": kind,
    r"\mathrm{ids}": lambda i: ids[i],
    "i": range(l),
    "n": n,
}
COUNTED = {
    "n": n,
    "m": m,
    "value": block_parameters(n, m),
    r"\text{which is }": {"m": 4 * n, "value": block_parameters(n)},
}

DOCSTRINGS = {
    "layer_norm": [NORM | {r"\mathbf y": layer_norm(x, gain, shift, eps)}],
    "rms_norm": [NORM | {r"\mathbf y": rms_norm(x, gain, eps)}],
    "post_norm": [SUBLAYER | {"value": post_norm(X, attend, rms_norm)}],
    "pre_norm": [SUBLAYER | {"value": pre_norm(X, attend, rms_norm)}],
    "feed_forward": [HIDDEN | {r"\mathbf Y": network(X)}],
    "swiglu": [HIDDEN | {r"\mathbf Y": swiglu(X, w_gate, w_up, w_down)}],
    "block_parameters": [COUNTED],
    "embed": [EMBEDDED],
    "embed_as_learned": [EMBEDDED | {r"\mathbf x": lambda i: embed_as_learned(ids, table, places, kind)[i]}],
}
