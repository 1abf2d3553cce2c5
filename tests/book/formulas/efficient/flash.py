"""What the letters stand for in the formulas of online softmax."""

import itertools

import numpy as np

from mlnotes.attention.self_attention import attention_weights
from mlnotes.blocks.softmax import logsumexp, softmax
from mlnotes.book.formulas import From, NotRead
from mlnotes.efficient import flash as ours

rng = np.random.default_rng(0)
n_queries, s, d, e, c = 3, 7, 5, 2, 0.7
first = 4  # keys in the first block
Q, K, V, G = (rng.normal(size=shape) for shape in ((n_queries, d), (s, d), (s, e), (n_queries, e)))
X = c * Q @ K.T
Y, lse = ours.attention_and_lse(Q, K, V, scale=c, block_size=2)
x = np.sort(rng.normal(size=s))  # so that the second block raises the maximum
(before, lse_before), (later, lse_later), (both, lse_both) = (
    ours.attention_and_lse(np.ones((1, 1)), x[part, None], V[part], scale=1.0)
    for part in (slice(first), slice(first, s), slice(s))
)
m, m_new = x[:first].max(), x.max()

ROW = {
    r"\mathbf x": x[:first],
    r"\mathbf V": V[:first],
    "m": m,
    r"\ell": float(np.exp(lse_before[0] - m)),
    r"\lambda": float(lse_before[0]),
    r"\mathbf y": before[0],
    r"\mathbf z": before[0] * np.exp(lse_before[0] - m),
    "j": range(1, first + 1),
}
NEXT = ROW | {
    r"\mathbf x": x,
    r"\mathbf V": V,
    "m'": m_new,
    r"\ell'": float(np.exp(lse_both[0] - m_new)),
    r"\mathbf z'": both[0] * np.exp(lse_both[0] - m_new),
    r"j\text{ new}": range(first + 1, s + 1),
    r"\underset e": e,
}
top = np.array([m, x[first:].max()])
MERGED = {
    "m": top,
    r"\ell": np.exp([lse_before[0], lse_later[0]] - top),
    r"\lambda_1": float(lse_before[0]),
    r"\lambda_2": float(lse_later[0]),
    r"\lambda": float(lse_both[0]),
    r"\mathbf y": both[0],
    r"\mathbf y_1": before[0],
    r"\mathbf y_2": later[0],
}
BACK = {
    r"\mathbf Q": Q,
    r"\mathbf K": K,
    r"\mathbf V": V,
    r"\mathbf G": G,
    r"\mathbf X": From(lambda at: c * at[r"\mathbf Q"] @ at[r"\mathbf K"].T),
    r"\mathbf A": From(lambda at: weights(at[r"\mathbf X"])),
    r"\mathbf Y": Y,
    "L": From(lambda at: float((G * (weights(at[r"\mathbf X"]) @ at[r"\mathbf V"])).sum())),
    "c": c,
    "m": X.max(1),
    r"\ell": np.exp(X - X.max(1)[:, None]).sum(1),
    r"\lambda": lse,
    "i": range(1, n_queries + 1),
    "j": range(1, s + 1),
    "t": range(1, s + 1),
}


def weights(x):
    return attention_weights(x, np.eye(x.shape[1]), scale=1.0)


wide = 30_000, 20_000
fast = 50_000_000  # large beside both widths; small beside their square, so that square blocks are much smaller
block = (fast - sum(wide)) // (sum(wide) + 3)  # queries that meet one key at a time
TRAFFIC = {"l": 1_000_000, "s": 700_000, "d": wide[0], "e": wide[1], "M": fast, "B": block, "≈": 0.01}
# The smallest memory into which such a block fits: one number less, and it does not.
LARGEST = {"B": 11, "d": d, "e": e, "u": d + e + 1, "reached": True}
LARGEST["M"] = next(M for M in itertools.count(1) if ours.largest_block_size(M, d, e) == LARGEST["B"])
MOVED = LARGEST | {"l": 29, "s": 13}
CROSSING = next(M for M in itertools.count(1) if ours.largest_block_size(M, 64) == (64 + 64) // 4)
ONE_KEY = next(M for M in itertools.count(64 + 64) if (M - (64 + 64)) // (64 + 64 + 3) == (64 + 64) // 4)


def moved(size):
    return ours.attention_traffic(TRAFFIC["l"], TRAFFIC["s"], *wide, size)


# Square blocks move twice as much as many queries with one key.
assert abs(moved(ours.largest_block_size(fast, *wide)) / moved(block) - 2) < 0.02

FORMULAS = {
    "table-why": [NEXT | {"j": range(1, first + 1)}, NEXT | {"j": range(first + 1, s + 1)}],
    "records-said": [NEXT],
    "merge-idea": [MERGED],
    "backward-derive": [BACK, BACK, BACK],
    "traffic-said": [
        MOVED | {"value": (*(ours.attention_traffic(29, 13, d, e, block) for block in (None, MOVED["B"])), None)},
        TRAFFIC | {"value": moved(block)},
    ],
}
INLINE = {
    "table-why": {r"\ell=\sum_j e^{x_j-m}": ROW, r"m=-\infty": NotRead("a start, where nothing has been seen")},
    "by-hand-said": {r"\frac12+1=\frac32": {}, r"(1+2+8+4)/8=1.875": {}},
    "records-said": {
        r"1+\frac12+\dots+\frac1n\approx\log n+0.58": {
            "n": 200,
            r"\dots": sum(1 / k for k in range(3, 200)),
            "≈": 2e-4,
        },
        r"\mathbf z=\sum_j\exp(x_j-m)\,\mathbf v_j": ROW,
    },
    "by-hand-values-said": {r"(1\cdot8+2\cdot4+8\cdot1+4\cdot2)/15=32/15": {}},
    "package-flash-said": {r"\lambda=m+\log\ell": ROW},
    "merge-idea": {
        r"\lambda=m+\log\ell": ROW,
        r"e^{\lambda}=\sum_je^{x_j}": ROW,
        r"e^{\lambda}\mathbf y=\sum_je^{x_j}\mathbf v_j": ROW,
    },
    "backward-derive": {
        r"\mathbf y_i=\sum_ja_{ij}\mathbf v_j": BACK,
        r"\partial L/\partial\mathbf v_j=\sum_ia_{ij}\,\mathbf g_i": BACK,
        r"\partial a_{ij}/\partial x_{it}=a_{ij}(\delta_{jt}-a_{it})": BACK,
    },
    "traffic-said": {
        r"B\approx M/(d+e)": TRAFFIC,
        r"B\approx M/(2(d+e))": TRAFFIC | {"B": ours.largest_block_size(fast, *wide)},
        r"B>(d+e)/4": NotRead("a condition"),
        r"M>(d+e)^2/16+(d+e)(d+e+1)/2": NotRead("a condition"),
    },
    "trade": {
        r"M=128^2/16+64\cdot129=9{,}280": {"M": CROSSING},
        r"M=32\cdot131+128=4{,}320": {"M": ONE_KEY},
    },
    "sol2a": {
        r"e^{\lambda}\mathbf y=\sum_je^{x_j}\mathbf v_j": ROW,
        r"e^{\lambda}=\sum_je^{x_j}": ROW,
    },
    "sol3a": {r"\lambda_i=-\infty": NotRead("of a row that sees nothing")},
    "sol4a": {r"u=d+e+1": LARGEST, r"B^2+2uB\le M": LARGEST, r"(B+u)^2\le M+u^2": LARGEST},
}

# Of the weights that the function gives, the largest is 1 over the sum.
first_weights, all_weights = (ours.online_softmax(it, block_size=first) for it in (x[:first], x))
WEIGHTS = {
    r"\mathbf x": x,
    "j": range(first + 1, s + 1),
    "m": x[first_weights.argmax()],
    "m'": x[all_weights.argmax()],
    r"\ell": 1 / first_weights.max(),
    r"\ell'": 1 / all_weights.max(),
}
first_average, average = (
    ours.flash_attention(np.ones((1, 1)), x[part, None], V[part], scale=1.0, block_size=2)[0]
    for part in (slice(first), slice(s))
)
AVERAGES = WEIGHTS | {
    r"\mathbf V": V,
    r"\mathbf z": np.exp(x[:first] - m) @ V[:first],
    r"\mathbf z'": average / all_weights.max(),
    r"\mathbf y": first_average,
}
lses, outs = np.array([lse_before[0], lse_later[0]]), np.array([before[0], later[0]])
out, lse_of_both = ours.merge_attentions(outs[:, None], lses[:, None])
MERGED_BY_LSE = {
    r"\mathbf x": lses,
    r"\mathbf Y": outs,
    r"\mathbf y": out[0],
    "i": range(1, 3),
    r"\mathrm{softmax}": lambda x: softmax(x[:, 0]),
    r"\mathrm{lse}": lambda x: logsumexp(x[:, 0]),
    "value": (None, lse_of_both.item()),
}
A = attention_weights(Q, K, scale=c)
grads = ours.flash_attention_gradients(G, Y, lse, Q, K, V, bias=np.zeros(X.shape), scale=c, block_size=2)
GRADIENTS = {
    r"\mathbf Q": Q,
    r"\mathbf K": K,
    r"\mathbf V": V,
    r"\mathbf G": G,
    r"\mathbf X": X,
    r"\mathbf A": A,
    r"\mathbf Y": Y,
    r"\mathrm{lse}": lse,
    r"\delta": (A * (G @ V.T)).sum(1),
    # A plane, whose slopes are what the function gives; that by the bias is that by the scores.
    "L": From(
        lambda at: sum(
            (grad * at[rf"\mathbf {it}"]).sum() for grad, it in zip(grads, ("Q", "K", "V", "X"), strict=True)
        )
    ),
    "c": c,
    "i": range(1, n_queries + 1),
    "j": range(1, s + 1),
}
DOCSTRINGS = {
    "online_softmax": [WEIGHTS],
    "flash_attention": [AVERAGES],
    "merge_attentions": [MERGED_BY_LSE],
    "flash_attention_gradients": [GRADIENTS],
    "attention_traffic": [
        MOVED | {"value": tuple(ours.attention_traffic(29, 13, d, e, block) for block in (None, MOVED["B"]))}
    ],
    "largest_block_size": [LARGEST],
}
