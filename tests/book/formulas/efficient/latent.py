"""What the letters stand for in the formulas of latent attention."""

import numpy as np

from mlnotes.attention.multi_head import split_heads
from mlnotes.attention.positions import rotary, shift_matrix
from mlnotes.attention.self_attention import attention_weights
from mlnotes.blocks.softmax import softmax
from mlnotes.book.formulas import From, NotRead
from mlnotes.efficient import latent as ours

rng = np.random.default_rng(0)
n, h, n_queries, s, d, e, r, p = 13, 2, 3, 5, 4, 7, 11, 6
x, w_c = rng.normal(size=(s, n)), rng.normal(size=(n, r + p))
w_uk, w_uv = rng.normal(size=(r, h * d)), rng.normal(size=(r, h * e))
cache = ours.LatentCache(s, r, p)  # what the layer keeps, without a rotation
ours.latent_self_attention(x, rng.normal(size=(n, h * (d + p))), w_c, w_uk, w_uv, np.ones((h * e, 1)), h, cache=cache)
latents, rotary_keys = cache.latents[:, :r], cache.latents[:, r:]


def heads(array):
    """Count heads, or tokens, from 1."""
    return lambda i: array[int(i) - 1]


LATENT = {
    r"\mathbf X": x,
    r"\mathbf W_C": w_c[:, :r],
    r"\mathbf C": latents,
    r"\mathbf K": heads(split_heads(latents @ w_uk, h)),
    r"\mathbf V": heads(split_heads(latents @ w_uv, h)),
    r"\mathbf W_{UK}": heads(split_heads(w_uk, h)),
    r"\mathbf W_{UV}": heads(split_heads(w_uv, h)),
    r"\mathbf Q": heads(rng.normal(size=(h, n_queries, d))),
    r"\mathbf A": heads(rng.normal(size=(h, n_queries, s))),
    "i": range(1, h + 1),
    "h": h,
    "n": n,
    "l": n_queries,
    "s": s,
    "d": d,
    "e": e,
    "r": r,
}


def par(d, e, r, p=0):
    """Find where the lines of both costs cross, for very many keys."""
    (one, two), (one_absorbed, two_absorbed) = (
        [ours.latent_multiply_adds(k, 10**15, 1, d, r, p, e, absorbed) for k in (1, 2)] for absorbed in (False, True)
    )
    return 1 + (one - one_absorbed) / (two_absorbed - one_absorbed - (two - one))


PAR = {"l": par(d, e, r, p), "d": d, "e": e, "r": r, "p": p}
COUNTED = {"l": n_queries, "s": s, "d": d, "e": e, "r": r, "p": p}
COUNTED["value"] = tuple(ours.latent_multiply_adds(n_queries, s, 1, d, r, p, e, absorbed) for absorbed in (False, True))

# A single head; scores of size one, so that logarithms of weights are exact.
up, q, q_rotary = rng.normal(size=(r, d)) / 5, rng.normal(size=(n_queries, d)), rng.normal(size=(n_queries, p))


def turned(x, at):
    return rotary(x[None], np.array([int(at)]))[0]


def score(t, j):
    """Find a score by the weight that latent attention gives to key j beside another one, of zeros, that scores 0."""
    token = np.concatenate([latents[j - 1], turned(rotary_keys[j - 1], j)])
    asking = np.concatenate([q[t - 1], turned(q_rotary[t - 1], t)])[None, None]
    value = (latents[j - 1] / (latents[j - 1] @ latents[j - 1]))[:, None]  # 1 of the one, 0 of the other
    weight = ours.latent_attention(asking, np.stack([token, 0 * token]), up, value).item()
    return np.log(weight / (1 - weight))


SCORE = {
    r"\text{score}": From(lambda at: score(at["t"], at["j"])),
    r"\mathbf q": heads(q),
    r"\mathbf q'": heads(q_rotary),
    r"\mathbf c": heads(latents),
    r"\mathbf k'": heads(rotary_keys),
    r"\mathbf x": heads(x),
    r"\mathbf W_{UK}": lambda i: up,
    r"\mathbf W_{KR}": w_c[:, r:],
    r"\mathbf R": lambda k: shift_matrix(k, p),
    "i": [1],
    "t": range(1, n_queries + 1),
    "j": range(1, s + 1),
    "d": d,
    "p": p,
}
ROTATED = SCORE | {r"\mathbf R": lambda k: shift_matrix(k, d)}
# Grouped queries, the case in which rotation and projection can be exchanged.
groups = 3
_, copies, _ = ours.grouped_as_latent(rng.normal(size=(n, groups * d)), rng.normal(size=(n, groups * e)), 6, groups)
EXCHANGED = {
    r"\mathbf W_{UK}": copies,
    r"\mathbf R": lambda k: np.kron(np.eye(6), shift_matrix(k, d)),
    r"\mathbf R'": lambda k: np.block(
        [
            [np.kron(np.eye(groups), shift_matrix(k, d)), np.zeros((groups * d, groups * e))],
            [np.zeros((groups * e, groups * d)), np.eye(groups * e)],
        ]
    ),
    "k": range(1, 4),
    "r": copies.shape[0],
    "g": groups,
    "d": d,
    "e": e,
}
examples, w = rng.normal(size=(17, n)), rng.normal(size=(n, r))
down, back = ours.factorize(w, 3, examples)
_, sizes, vt = np.linalg.svd(examples @ w)
NEAREST = {
    r"\mathbf X": examples,
    r"\mathbf W": w,
    r"\mathbf W'": down @ back,
    r"\mathbf V'": vt[:3].T,
    r"\mathbf L": np.linalg.cholesky(examples.T @ examples),
    "value": np.linalg.norm(sizes[3:]),
}

FORMULAS = {
    "keep": [LATENT],
    "absorbing": [LATENT],
    "fold-answer": [COUNTED],
    "positions": [ROTATED],
    "span-read": [SCORE],
    "why-bad": [NEAREST],
}
INLINE = {
    "hand-read": {r"(1\cdot0+3\cdot4)/4=3": {}, r"(1\cdot0+9\cdot40)/10=36": {}},
    "special-read": {r"r=g(d+e)": EXCHANGED},
    "par-answer": {r"512\cdot256+256\,l=2\cdot512\,l": {"l": par(128, 128, 512)}},
    "positions": {r"\mathbf R_k\mathbf W_{UK}^{\mathsf T}=\mathbf W_{UK}^{\mathsf T}\mathbf R'_k": EXCHANGED},
    "span-read": {r"\mathbf k_j'=\mathbf W_{KR}^{\mathsf T}\mathbf x_j": SCORE},
    "why-bad": {
        r"\mathbf X^{\mathsf T}\mathbf X=\mathbf L\mathbf L^{\mathsf T}": NEAREST,
        r"\mathbf W'=\mathbf W\mathbf V'\mathbf V'^{\mathsf T}": NEAREST,
    },
    "ex3": {r"2r>d+e": NotRead("a condition")},
    "sol3": {
        r"r(d+e)+l(d+p+e)=l(2r+p)": PAR,
        r"l=r(d+e)/(2r-(d+e))": PAR,
        r"2r\le d+e": NotRead("a condition"),
    },
}

asking, bias = rng.normal(size=(h, n_queries, d + p)) / 5, rng.normal(size=(h, n_queries, s))
keys = np.concatenate([split_heads(latents @ w_uk, h), np.broadcast_to(rotary_keys, (h, s, p))], axis=-1)
HEADS = LATENT | {
    r"\mathbf Q": heads(asking[..., :d]),
    r"\mathbf Q'": heads(asking[..., d:]),
    r"\mathbf K'": rotary_keys,
    r"\mathbf B": heads(bias),
    r"\mathrm{scale}": 0.7,
    r"\mathrm{softmax}": softmax,
    r"\mathbf H": heads(ours.latent_attention(asking, cache.latents, w_uk, w_uv, bias=bias, scale=0.7)),
}
ABSORBED = HEADS | {
    r"\mathbf A": heads(attention_weights(asking, keys)),
    r"\mathbf H": heads(ours.absorbed_latent_attention(asking, cache.latents, w_uk, w_uv)),
}
w_q = rng.normal(size=(n, h * d))
FOLDED = LATENT | {
    r"\mathbf W": heads(split_heads(w_q, h)),
    r"\mathbf W_U": heads(split_heads(w_uk, h)),
    "=": From(lambda at: split_heads(ours.absorb(w_q, w_uk, h), h)[at["i"] - 1] @ latents.T),
}
layers, nbytes = 3, 2
BYTES = {
    r"\text{layers}": layers,
    "s": s,
    "r": r,
    "p": p,
    r"\text{bytes of a number}": nbytes,
    "value": ours.latent_cache_nbytes(s, r, p, layers, nbytes),
}
rank = 3
nearly = rng.normal(size=(n, rank)) @ rng.normal(size=(rank, r)) + 1e-3 * rng.normal(size=(n, r))


def of_rank(x, rank):
    u, sizes, vt = np.linalg.svd(x, full_matrices=False)
    return u[:, :rank] * sizes[:rank] @ vt[:rank]


FACTORS = {
    r"\mathbf X": examples,
    r"\mathbf W": nearly,
    r"\mathbf V'": ours.factorize(nearly, rank, examples)[1].T,
    "r": rank,
    r"\mathrm{rank}": np.linalg.matrix_rank,
    # The best one, by NumPy; the nearest to W; one of a lower rank; W itself, which is none of those.
    r"\mathbf M": [
        np.linalg.lstsq(examples, of_rank(examples @ nearly, rank))[0],
        of_rank(nearly, rank),
        of_rank(nearly, rank - 1),
        nearly,
    ],
    "≈": 2e-3,
}
DOCSTRINGS = {
    "latent_attention": [HEADS],
    "absorbed_latent_attention": [ABSORBED],
    "absorb": [FOLDED],
    "latent_cache_nbytes": [BYTES],
    "latent_multiply_adds": [
        COUNTED
        | {
            "h": h,
            "value": tuple(
                ours.latent_multiply_adds(n_queries, s, h, d, r, p, e, absorbed) for absorbed in (False, True)
            ),
        }
    ],
    "factorize": [FACTORS],
}
