"""What the letters stand for in the formulas of norms."""

import math

import numpy as np
from scipy.optimize import brentq

from mlnotes.blocks.norm import equivalence_constants, matrix_norm, nearest_to_zero, vector_norm
from mlnotes.book.formulas import From, NotRead
from mlnotes.checks.blocks.norm import soft_threshold

rng = np.random.default_rng(0)
n = 5
x, y, a = rng.normal(size=(3, n))
each = range(1, n + 1)
ones, single = np.full(n, -1.3), np.array([0, 0, 0.7, 0, 0])

COMMON = {
    r"\mathbf x": x,
    r"\mathbf y": y,
    r"\mathbf a": a,
    "n": n,
    "i": each,
    "p": [1.0, 1.5, 2.0, 3.7],
    "s": vector_norm(x),
    "t": vector_norm(y),
}
# Vectors that reach the bounds: all in one place, and all alike.
REACHED = COMMON | {
    r"\mathbf x": [x, single, ones, ones / 2],
    "m": From(lambda at: vector_norm(at[r"\mathbf x"][:, 0], math.inf)),
    "q": 4.3,
}
# With a single largest, x would have one coordinate, and all its norms be one.
TWO_LARGEST = {r"\mathbf a": np.array([2.0, -2.0, 0.5]), r"\mathbf x": np.array([0.7, -0.4, 0.0]), "i": range(1, 4)}
p = 2.5
q = p / (p - 1)
b = 1.9
nearest = nearest_to_zero(a, b, p)
DUAL = COMMON | {"p": p, "q": q, r"\mathbf x": nearest, "c": b / np.sum(np.abs(a) ** q), r"\mathrm{sign}": np.sign}
UNIT = DUAL | {r"\mathbf a": a / vector_norm(a, q), r"\mathbf x": nearest / vector_norm(nearest, p)}

budget, moved = 1.7, 0.3
BALL = {
    "p": 1.6,
    "t": budget,
    r"\delta": moved,
    "w_1": brentq(lambda w: vector_norm(np.array([w, moved]), 1.6) - budget, 0, budget),
    "≈": 0.003,
}

A = rng.normal(size=(3, 4))
signs = np.array(np.meshgrid(*[[-1.0, 1.0]] * 4)).reshape(4, -1).T
longest = np.linalg.svd(A)[2][0]

FIGURE_5 = {r"\mathbf A": np.array([[3.0, 0.0], [4.0, 5.0]]), "s": np.linalg.svdvals([[3.0, 0.0], [4.0, 5.0]])}
low, high = equivalence_constants(1.6, 4.3, n)
LOW_HIGH = REACHED | {r"\mathrm{low}": low, r"\mathrm{high}": high, "p": 1.6, "q": 4.3}

FORMULAS = {
    "formula": [COMMON],
    "limit": [REACHED],
    "two": [{r"\mathbf X": A[:, :2], r"\mathbf y": x[:3], r"\mathbf w": y[:2]}],
    "why": [BALL],
    "centers-said": [REACHED],
    "cure": [COMMON | {"s": 2.0 ** np.round(np.log2(np.abs(x).max())), "≈": 0.5}],
    "matrices": [
        {
            r"\mathbf A": A,
            # the corners of both balls, the axis that is lengthened most, and the zero that is left out
            r"\mathbf x": [*np.eye(4), *signs, longest, np.zeros(4)],
            "p": [1, 2, math.inf],
        }
    ],
}
INLINE = {
    "limit": {r"m=\max_i|x_i|": REACHED, r"\lVert\mathbf x\rVert_\infty=\max_i|x_i|": REACHED},
    "rules": {
        r"\lVert c\,\mathbf x\rVert=|c|\,\lVert\mathbf x\rVert": COMMON | {"c": -1.7},
        r"\lVert\mathbf x+\mathbf y\rVert\le\lVert\mathbf x\rVert+\lVert\mathbf y\rVert": COMMON,
    },
    "circles-caption": {
        r"p=\tfrac12": NotRead("a choice of p"),
        r"s+t=1": NotRead("a condition"),
        r"s\lVert\mathbf x\rVert+t\lVert\mathbf y\rVert\le1": {
            r"\mathbf x": x / vector_norm(x),
            r"\mathbf y": y / vector_norm(y),
            "s": 0.3,
            "t": 0.7,
            "reached": True,
        },
        r"\frac{\mathbf x+\mathbf y}{s+t}"
        r"=\frac{s}{s+t}\cdot\frac{\mathbf x}{s}+\frac{t}{s+t}\cdot\frac{\mathbf y}{t}": COMMON,
    },
    "nearest-intro": {r"p=\tfrac12": NotRead("a choice of p")},
    "nearest-answer": {r"2(1-s)+3s=2+s": {"s": [0.3, 0.8]}},
    "dual": {
        r"\mathbf a\cdot\mathbf x=\sum_ia_ix_i": COMMON,
        r"\frac1p+\frac1q=1": DUAL,
        r"\frac1\infty=0": {},
    },
    "one-number": {r"\sum_i(y_i-c)=0": COMMON | {"c": y.mean(), "scale": 1.0}},
    "matrices": {
        r"\lVert\mathbf A\rVert_F=\sqrt{\sum_{ij}a_{ij}^2}": {r"\mathbf A": A, "i": range(1, 4), "j": range(1, 5)}
    },
    "stretched-caption": {
        r"s_1=\lVert\mathbf A\rVert_2": FIGURE_5,
        r"s_1^2=45": FIGURE_5,
        r"s_2^2=5": FIGURE_5,
    },
    "nuclear": {
        r"\lVert\mathbf{AB}\rVert\le\lVert\mathbf A\rVert\,\lVert\mathbf B\rVert": {
            r"\mathbf A": np.outer(x[:3], y),
            r"\mathbf B": np.outer(y, a[:2]),
        }
    },
    "exercise-3-text": {
        r"|\mathbf a\cdot\mathbf x|\le\lVert\mathbf a\rVert_q\,\lVert\mathbf x\rVert_p": DUAL,
        r"\frac1p+\frac1q=1": DUAL,
        r"x_i=c\,\mathrm{sign}(a_i)\,|a_i|^{q-1}": DUAL,
        r"st\le\frac{s^p}p+\frac{t^q}q": DUAL
        | {"s": [0.4, 0.9, 1.0, 1.6], "t": From(lambda at: at["s"] ** (p / q))},  # where both are equal
        r"p=\tfrac12": NotRead("a choice of p"),
    },
    "solution-3-start": {
        r"|\mathbf a\cdot\mathbf x|\le\sum_i|a_ix_i|\le\frac1p+\frac1q=1": UNIT,
        r"|x_i|=|a_i|^{q/p}=|a_i|^{q-1}": UNIT,
        r"s^p=t^q": UNIT | {"s": abs(UNIT[r"\mathbf x"][1]), "t": abs(UNIT[r"\mathbf a"][1])},
        r"\lVert\mathbf a\rVert_q=\lVert\mathbf x\rVert_p=1": UNIT,
        r"\lVert\mathbf x\rVert_p\ge|b|/\lVert\mathbf a\rVert_q": DUAL | {"b": b},
        r"q-1=\frac1{p-1}": DUAL,
        r"|\mathbf a\cdot\mathbf x|\le\max_i|a_i|\,\lVert\mathbf x\rVert_1": TWO_LARGEST,
        r"|\mathbf a\cdot\mathbf x|\le\lVert\mathbf a\rVert_1\max_i|x_i|": COMMON
        | {r"\mathbf x": nearest_to_zero(a, b, math.inf)},
        r"\frac1{p-1}=0": NotRead("the limit of large p, which its slips have as well"),
    },
    "exercise-4-text": {
        r"\mathrm{low}\,\lVert\mathbf x\rVert_q\le\lVert\mathbf x\rVert_p"
        r"\le\mathrm{high}\,\lVert\mathbf x\rVert_q": LOW_HIGH
    },
    "solution-5-start": {
        r"w=z-\lambda": {"z": 1.4, r"\lambda": 0.6, "w": soft_threshold(1.4, 0.6)},
        r"w=z+\lambda": {"z": -1.4, r"\lambda": 0.6, "w": soft_threshold(-1.4, 0.6)},
    },
}


def of_vector(x, order):
    return vector_norm(np.ravel(x), order)


def of_matrix(a, order):
    """Have each function of the book measure what it is for: a column is a vector."""
    kinds = {None: "frobenius", 1: "one", math.inf: "inf", 2: "spectral"}
    return of_vector(a, order) if a.shape[1] == 1 else matrix_norm(a, kinds.get(order, order))


MATRIX = {
    r"\lVert": of_matrix,
    r"\mathbf A": A,
    r"\mathbf x": [*np.eye(4), longest],
    "i": range(1, 4),
    "j": range(1, 5),
    "k": range(1, 4),
    "s": np.linalg.svdvals(A),
    r"\max": "max",  # as an index
    "*": "nuclear",
}
DOCSTRINGS = {
    "vector_norm": [COMMON | {r"\lVert": of_vector, "s": 2.0 ** np.round(np.log2(np.abs(x).max()))}],
    "matrix_norm": [MATRIX, MATRIX],
    "equivalence_constants": [
        REACHED
        | {
            "p": [1.6, 4.3, math.inf],
            "q": [4.3, 1.6, 2.0],
            r"\mathrm{low}": From(lambda at: equivalence_constants(at["p"], at["q"], n)[0]),
            r"\mathrm{high}": From(lambda at: equivalence_constants(at["p"], at["q"], n)[1]),
        }
    ],
    "nearest_to_zero": [
        DUAL
        | {
            "p": [1.4, 2.0, 2.5, math.inf],
            "q": From(lambda at: 1 / (1 - 1 / at["p"])),
            r"\mathbf x": From(lambda at: nearest_to_zero(a, b, at["p"])),
            "c": From(lambda at: b / np.sum(np.abs(a) ** at["q"])),
            "b": b,
            "reached": True,
        }
    ],
}
