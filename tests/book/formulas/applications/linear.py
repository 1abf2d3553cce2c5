"""What the letters stand for in the formulas of the linear layer."""

import numpy as np
import torch

from mlnotes.applications.linear import glorot_std, he_std, linear, linear_gradients
from mlnotes.book.formulas import From, NotRead

rng = np.random.default_rng(0)
n, d, k = 5, 3, 2
X, W, b, C = (rng.normal(size=it) for it in ((n, d), (d, k), k, (n, k)))
ys = torch.tensor(linear(X, W, b), requires_grad=True)
(torch.tensor(C) * ys.sin()).sum().backward()

COMMON = {
    r"\mathbf X": X,
    r"\mathbf W": W,
    r"\mathbf b": b,
    r"\mathbf 1": np.ones(n),
    "n": n,
    "d": d,
    "k": k,
    "t": range(1, d + 1),
    "i": range(1, n + 1),
    "j": range(1, k + 1),
    r"\mathbf Y": From(lambda at: linear(at[r"\mathbf X"], at[r"\mathbf W"], at[r"\mathbf b"][:, 0])),
    "L": From(lambda at: (C * np.sin(at[r"\mathbf Y"])).sum()),  # some loss
    r"\mathbf G": ys.grad.numpy(),
}
ONE = {r"\mathbf x": X[0], r"\mathbf y": linear(X[0], W, b), r"\mathbf M": W.T, r"\mathbf W": W, r"\mathbf b": b}


def outcomes(*letters):
    """Write independent numbers with these equally likely outcomes as diagonals, which multiply entry by entry."""
    return [np.diag(it.ravel()) for it in np.meshgrid(*letters)]


def mean(x):
    return np.diag(x).mean()


def variance(x):
    return np.diag(x).var()


def drawn(inputs, weights):
    """Give two inputs and two weights; what is said of x and w is said of each of them."""
    x1, x2, w1, w2 = outcomes(inputs, inputs, weights, weights)
    return {
        "x": x2,
        "w": w2,
        "x_t": From(lambda at: (x1, x2)[at["t"] - 1]),
        "w_t": From(lambda at: (w1, w2)[at["t"] - 1]),
        "x_u": From(lambda at: (x1, x2)[at["u"] - 1]),
        "w_u": From(lambda at: (w1, w2)[at["u"] - 1]),
        "y": (x1 @ w1) + (x2 @ w2),
        "t": range(1, 3),
        "u": range(1, 3),
        "d": 2,
        r"\mathrm{Var}": variance,
        "E": mean,
    }


CENTRED = drawn([-1.2, 0.5, 0.7], [-0.3, -0.6, 0.9])
SHIFTED = drawn([-0.2, 1.5, 1.7], [-0.3, -0.6, 0.9])
# dependent inputs; sums of such numbers are not rounded
x1, x2, w1, w2 = outcomes([-1.5, 0.5, 1.0], [-1.5, 0.5, 1.0], [-0.25, -0.5, 0.75], [-0.25, -0.5, 0.75])
DEPENDENT = {"x_t": x1, "x_u": x1 + x2, "w_t": w1, "w_u": w2, "E": mean}
WIDTHS = {"d": 100, "k": 400, r"\mathrm{Var}": variance}

FORMULAS = {
    "1b645389": [COMMON],
    "fe5dbbce": [ONE],
    "b1d57811": [COMMON, COMMON],
    "lin-var1": [CENTRED],
}

INLINE = {
    "fe5dbbce": {r"\mathbf y_i^{\mathsf T}=\mathbf x_i^{\mathsf T}\mathbf W+\mathbf b^{\mathsf T}": COMMON},
    "b1d57811": {
        r"g_{ij}=\partial L/\partial y_{ij}": COMMON,
        r"\partial L/\partial x_{it}=\sum_jg_{ij}w_{tj}": COMMON,
    },
    "lin-var1": {
        r"\mathbf W^{\mathsf T}=\mathbf 0": NotRead("a condition"),
        r"y=\sum_tx_tw_t": CENTRED,
        r"E[x_tw_tx_uw_u]=E[w_t]\,E[w_u]\,E[x_tx_u]=0": DEPENDENT,
    },
    "91032ad7": {
        r"2^{50}\approx10^{15}": {"≈": 0.12},
        r"\mathrm{Var}(w)=2/(d+k)": WIDTHS | {"w": np.diag([-1, 1]) * glorot_std(100, 400)},
    },
    "lin-both2": {
        r"\mathrm{Var}(w)=2/d": WIDTHS | {"w": np.diag([-1, 1]) * he_std(100)},
    },
    "8effee40": {
        r"\mathrm{Var}(y)=d\,\mathrm{Var}(w)\mathrm{Var}(x)": CENTRED,
        r"E[y^2]=d\,\mathrm{Var}(w)\,E[x^2]": SHIFTED,
    },
    "54ceb912": {r"E[y^2]=\sum_{t,u}E[w_tw_u]\,E[x_tx_u]": SHIFTED},
    "667be543": {
        r"\mathbf Y=\mathbf X\mathbf W+\mathbf 1\mathbf b^{\mathsf T}": COMMON,
        "y=Wx+b": {"x": X[0], "y": linear(X[0], W, b), "W": W.T, "b": b},
        "Y=XW+B": {"X": X, "Y": linear(X, W, b), "W": W, "B": np.tile(b, (n, 1))},
    },
}

# A number that has what the function returns for its gradients, with any numbers for G.
GRADIENTS = dict(zip((r"\mathbf X", r"\mathbf W", r"\mathbf b"), linear_gradients(X, W, C), strict=True))
SLOPED = COMMON | {
    r"\mathbf G": C,
    "L": From(lambda at: sum(np.vdot(it, at[name]) for name, it in GRADIENTS.items())),
}
SIZES = {r"d_{\text{in}}": 3, r"d_{\text{out}}": 5}

DOCSTRINGS = {
    "linear": [COMMON],
    "linear_gradients": [SLOPED],
    "glorot_std": [SIZES | {r"\sigma": glorot_std(3, 5)}],
    "he_std": [SIZES | {r"\sigma": he_std(3)}],
}
