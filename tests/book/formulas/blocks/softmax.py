"""What the letters stand for in the formulas of softmax."""

import numpy as np
from scipy import stats
from scipy.optimize import brentq

from mlnotes.blocks import softmax as ours
from mlnotes.book.formulas import From, NotRead

rng = np.random.default_rng(0)
n, N = 5, 3
x, X, t = rng.normal(size=n), rng.normal(size=(N, n)), rng.integers(1, n + 1, N)
each = range(1, n + 1)


def lse(x):
    return ours.logsumexp(np.ravel(x))


def softmax(x):
    return ours.softmax(np.ravel(x))


p = From(lambda at: softmax(at[r"\mathbf x"]))
COMMON = {
    r"\mathbf x": x,
    "p": p,
    r"\mathbf p": p,
    "i": each,
    "j": each,
    "n": n,
    "c": 0.7,
    "m": x.max(),
    r"\mathrm{softmax}": softmax,
    r"\mathrm{lse}": lse,
}
dishes = np.array([2.0, 1.0, 0.0])
T = brentq(lambda T: softmax(dishes / T)[0] - 0.95, 0.1, 1.0, xtol=1e-14)
SHARP = {"T": T, "r": softmax(dishes / T)[1] / 0.95}
u, beta = rng.random(n), 1.7
SUMS = {"s": 0.3, "t": 0.8, "i": 1, "j": 2, "k": 3}


def slope(of):
    """Differentiate by the inverse temperature."""
    return (of(softmax((beta + 1e-5) * x)) - of(softmax((beta - 1e-5) * x))) / 2e-5


TEMPERED = COMMON | {
    r"\beta": beta,
    "p": softmax(beta * x),
    "H": float(ours.entropy(softmax(beta * x))),
    r"\bar x": float(softmax(beta * x) @ x),
    "H'": float(slope(ours.entropy)),
    r"\bar x'": float(slope(lambda p: p @ x)),
    "p'": slope(lambda p: p),
    "tolerance": 1e-7,  # of these slopes
}

WINNER = COMMON | {
    "P": lambda winner: softmax(x)[int(winner) - 1],
    r"\text{ wins}": 1,
    "z": float(np.exp(x).sum()),
    "[": "y",
}

SHARES = COMMON | {"q": softmax(0.5 * x), r"\mathbf q": softmax(0.5 * x), "H": lambda q: stats.entropy(q[:, 0])}

FORMULAS = {
    "a02e6c4b": [SHARES],
    "1b645389": [COMMON],
    "887309d0": [COMMON],
    "f1f836cb": [COMMON],
    "7a84e0d3": [COMMON],
    "5b384ce3": [COMMON | {r"\mathbf J": np.diag(softmax(x)) - np.outer(softmax(x), softmax(x))}],
    "af3e1334": [COMMON | {r"\mathbf J": ours.softmax_jacobian(x), r"\mathbf v": np.arange(1.0, n + 1) ** 2}],
    "0286dd55": [COMMON | {r"\mathbf X": X, "x": lambda i, t: X[i - 1, t - 1], "t": t, "N": N}],
    "fe2ef495": [COMMON | {"t": 2, r"\mathrm{onehot}": lambda t: np.eye(n)[t - 1]}],
    "e1822db4": [WINNER],
    "95c02f1e": [
        COMMON
        | {
            r"\bar x": float(softmax(x) @ x),
            r"\bar x'": float(softmax(x) @ x**2 - (softmax(x) @ x) ** 2),
        }
    ],
}
INLINE = {
    "a02e6c4b": {
        r"\log z\le z-1": {"z": [1 - 1e-3, 1.0, 1 + 1e-3]},
        r"-\sum_iq_i\log\frac{p_i}{q_i}\ge-\sum_i(p_i-q_i)=0": SHARES | {"scale": 1.0},
    },
    "af3e1334": {
        r"\mathbf J\mathbf g=\mathbf p\odot\mathbf g-(\mathbf p\cdot\mathbf g)\,\mathbf p": COMMON
        | {r"\mathbf J": ours.softmax_jacobian(x), r"\mathbf g": np.arange(1.0, n + 1)}
    },
    "1b645389": {
        r"p_i/p_j=h_{ij}(x_i-x_j)": COMMON | {"h(": lambda i, j, s: np.exp(s)},
        r"h_{ik}(s+t)=h_{ij}(s)\,h_{jk}(t)": SUMS | {"h(": lambda i, j, s: np.exp(beta * s)},
        r"h(s+t)=h(s)\,h(t)": SUMS | {"h": lambda s: np.exp(beta * s)},
    },
    "fa35e192": {r"r=e^{-1/T}": SHARP, r"r+r^2=1/19": SHARP},
    "2d9c6f50": {r"H(\mathbf p)=-\sum_ip_i\log p_i": COMMON | {"H": lambda p: stats.entropy(p[:, 0])}},
    "887309d0": {r"c=-\max\mathbf x": COMMON | {"c": -np.sort(x)[-1]}},
    "f1f836cb": {
        r"\max\mathbf x\le\mathrm{lse}(\mathbf x)\le\max\mathbf x+\log n": COMMON | {r"\mathbf x": np.full(n, 0.7)},
    },
    "5b384ce3": {r"\log p_i=x_i-\mathrm{lse}(\mathbf x)": COMMON},
    "e1822db4": {
        r"g_i=-\log(-\log u_i)": {"g": stats.gumbel_r.ppf(u), r"\mathbf u": u, "i": each},
        r"P(g\le y)=P(u\le e^{-e^{-y}})=e^{-e^{-y}}": NotRead("probabilities of events"),
        r"x_j+g_j\le x_i+g_i": NotRead("a condition"),
        r"x_i+g_i=y": NotRead("a condition"),
        r"z=\sum_je^{x_j}": COMMON | {"z": np.exp(lse(x))},
    },
    "e62d7f1e": {r"H=\mathrm{lse}(\beta\mathbf x)-\beta\sum_ip_ix_i": TEMPERED},
    "95c02f1e": {
        r"\bar x=\sum_ip_ix_i": TEMPERED,
        r"H'=\bar x-\bar x-\beta\,\bar x'=-\beta\,\bar x'": TEMPERED,
        r"\log p_i=\beta x_i-\mathrm{lse}(\beta\mathbf x)": TEMPERED,
        r"p_i'=p_i(x_i-\bar x)": TEMPERED,
    },
}

# A probability that SciPy finds by summing over where the largest number lies.
grid = np.linspace(-8, 45, 5301)


def is_drawn(c):
    others = np.delete(x, int(c) - 1)
    lower = stats.gumbel_r.cdf(grid[:, None] - others).prod(1)
    return float((stats.gumbel_r.pdf(grid - x[int(c) - 1]) * lower).sum() * (grid[1] - grid[0]))


with_zero = softmax(np.append(x, -np.inf))
ROWS = {
    r"\mathbf X": X,
    "t": t,
    "N": N,
    r"\mathrm{softmax}": softmax,
    r"\mathrm{lse}": lse,
    "j": each,
    "=": ours.cross_entropy(X, t - 1).item(),
}
DOCSTRINGS = {
    "softmax": [COMMON],
    "log_softmax": [COMMON | {"=": From(lambda at: ours.log_softmax(x)[at["i"] - 1])}],
    "logsumexp": [COMMON],
    "cross_entropy": [ROWS],
    "entropy": [
        {
            r"\mathbf p": with_zero,
            "H": lambda p: ours.entropy(p[:, 0]),
            "i": range(1, n + 2),
            r"\log": lambda p: np.log(max(p, 5e-324)),  # finite at 0, as the second formula says
        }
    ],
    "softmax_jacobian": [COMMON | {r"\mathbf J": ours.softmax_jacobian(x)}],
    "gumbel_max": [
        COMMON
        | {
            "c": ours.gumbel_max(x, u).item() + 1,
            "g": stats.gumbel_r.ppf(u),
            r"\mathbf u": u,
            "P": is_drawn,
        }
    ],
}
