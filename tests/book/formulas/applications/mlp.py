"""What the letters stand for in the formulas of the multilayer perceptron."""

import numpy as np
import torch
from scipy.special import erf, erfc
from scipy.stats import norm

from mlnotes.applications import mlp as ours
from mlnotes.applications.linear import linear
from mlnotes.book.formulas import From

rng = np.random.default_rng(0)
n, d, h, k = 5, 3, 7, 2
X, W1, b1, W2, b2 = (rng.normal(size=size) for size in ((n, d), (d, h), h, (h, k), k))


def slope(function):
    """Differentiate entry by entry, by autograd."""

    def of(x):
        x = torch.tensor(x, dtype=torch.float64, requires_grad=True)
        function(x).sum().backward()
        return x.grad.numpy()

    return of


def density(x):
    return torch.distributions.Normal(0.0, 1.0).log_prob(x).exp()


def entrywise(function):
    return lambda x: function(np.asarray(x, float))


LAYERS = {
    r"\mathbf X": X,
    r"\mathbf W_1": W1,
    r"\mathbf b_1": b1,
    r"\mathbf W_2": W2,
    r"\mathbf b_2": b2,
    r"\mathbf 1": np.ones(n),
    "n": n,
    "d": d,
    "h": h,
    "k": k,
}
BENDS = {
    "x": [-1.2, -0.7, 0.4, 1.6],
    r"\Phi": norm.cdf,
    r"\phi": norm.pdf,
    r"\phi'": slope(density),
    r"\sigma": entrywise(ours.sigmoid),
    r"\mathrm{erf}": erf,
    r"\mathrm{erfc}": erfc,
    **{rf"\mathrm{{{f.__name__}}}": entrywise(f) for f in (ours.relu, ours.gelu, ours.silu)},
    **{rf"\mathrm{{{f.__name__}}}'": slope(f) for f in (ours.relu, ours.gelu, ours.silu)},
}
AT = 1.3  # where functions stand without their argument
POINT = {"x": AT, r"\Phi": From(lambda at: norm.cdf(at["x"])), r"\phi": norm.pdf(AT), r"\phi'": slope(density)(AT)}

# The loss with these slopes, which are the outputs themselves.
outputs = rng.normal(size=(n, k))
LOSS = {
    r"\mathbf Y": outputs,
    "i": range(1, n + 1),
    "j": range(1, k + 1),
    "L": np.linalg.norm(outputs, "fro") ** 2 / 2,
}

HIDDEN = 0.6 * X @ W1  # what enters the bend
BACK = {
    r"\mathbf Z": HIDDEN,
    r"\mathbf H": From(lambda at: ours.silu(at[r"\mathbf Z"])),
    "L": From(lambda at: np.sum(linear(at[r"\mathbf H"], W2, b2) ** 2) / 2),
    "f'": slope(ours.silu),
    "i": range(1, n + 1),
    "j": range(1, h + 1),
    r"\underset n": n,
    r"\underset h": h,
}

knots, heights = np.array([-1.0, -0.2, 0.5, 1.1, 2.0]), rng.normal(size=5)
(_, outputs), _ = BROKEN = ours.interpolation_weights(knots, heights)
PIECES = {
    "m": 4,
    "k": range(4),
    "t": lambda k: knots[int(k)],
    "v": lambda k: heights[int(k)],
    "s": lambda k: np.cumsum(outputs)[int(k)],
    "x": [-1.7, -0.5, 0.1, 0.9, 1.4],
    "y": lambda x: ours.mlp(np.array([[x]]), *BROKEN).item(),
    r"\mathrm{relu}": BENDS[r"\mathrm{relu}"],
}

fine = np.linspace(0, 1, 4001)
sine = np.sin(2 * np.pi * fine)


def drawn(m):
    knots = np.linspace(0, 1, int(m) + 1)
    return ours.mlp(fine[:, None], *ours.interpolation_weights(knots, np.sin(2 * np.pi * knots)))[:, 0]


def error(m):
    return np.abs(sine - drawn(m)).max()


RATE = {
    "m": [50, 10],  # the curve's steepest bends are in the middle of a piece, where the bound is nearly reached
    r"\delta": From(lambda at: np.diff(np.linspace(0, 1, int(at["m"]) + 1))[0]),
    "c": sine,
    "c''": -((2 * np.pi) ** 2) * sine,
    "y": From(lambda at: drawn(at["m"])),
    r"\text{error}": From(lambda at: error(at["m"])),
    "O": lambda it: error(50) * 50**2 * it,
    "tolerance": 0.01,
}
# The chord of x³ from −11 to 13 has the slope 147, that of x³ at 7; whole numbers make the zero exact.
TAYLOR = {
    "r": lambda x: x**3 - np.interp(x, [-11, 13], [-1331, 2197]),
    "c''": lambda x: 6 * x,
    "t": 13,
    "p": 7,
    r"\xi": 9,
}

tent_knots = np.linspace(0, 1, 17)


def tent(x):
    return np.interp(x, [0, 0.5, 1], [0, 1, 0])


def folded(k, x):
    return folded(k - 1, tent(x)) if k else x


SQUARE = {
    "x": [13 / 32, 19 / 32, 27 / 32],  # in the middle of pieces, where the error is largest
    "K": 3,
    "k": range(1, 4),
    "T(": folded,
    r"\text{error}": np.abs(np.interp(fine, np.linspace(0, 1, 9), np.linspace(0, 1, 9) ** 2) - fine**2).max(),
    "≈": 0.025,
}

FORMULAS = {
    "da4b9237": [LAYERS],
    "c1dfd96e": [
        {"g": lambda *x: linear(np.array([x]), W1[:2, :1], b1[:1]), "w": W1[:2, 0], "b": b1[0]},
        LAYERS
        | {
            "f": ours.relu,
            r"\mathbf H": ours.mlp(X, [W1, np.eye(h)], [b1, np.zeros(h)]),
            r"\mathbf Y": ours.mlp(X, [W1, W2], [b1, b2]),
        },
    ],
    "7b52009b": [BENDS],
    "f1abd670": [BENDS | {"≈": 2e-3}],
    "mlp-back1": [BACK],
    "12c6fc06": [PIECES],
    "bc33ea4e": [RATE],
    "cb7a1d77": [SQUARE],
}
INLINE = {
    "b6589fc6": {
        r"\mathbf Y=\mathbf X\mathbf W+\mathbf 1\mathbf b^{\mathsf T}": LAYERS
        | {r"\mathbf W": W1, r"\mathbf b": b1, r"\mathbf Y": linear(X, W1, b1)}
    },
    "c1dfd96e": {
        r"g(x_1,x_2)=w_1x_1+w_2x_2+b": {
            "g": lambda *x: linear(np.array([x]), W1[:2, :1], b1[:1]),
            "w": W1[:2, 0],
            "b": b1[0],
            "x": np.array([0.7, -1.2]),
        }
    },
    "7b52009b": {
        r"\phi(x)=e^{-x^2/2}/\sqrt{2\pi}": BENDS,
        r"\sigma(x)=1/(1+e^{-x})": BENDS,
        r"\sigma'=\sigma(1-\sigma)": {r"\sigma": ours.sigmoid(np.float64(AT)), r"\sigma'": slope(ours.sigmoid)(AT)},
    },
    "0716d970": {r"\sigma(x)=e^x/(1+e^x)": BENDS},
    "f1abd670": {r"\Phi(x)=\frac12\bigl(1+\mathrm{erf}\frac x{\sqrt2}\bigr)": BENDS},
    "mlp-back1": {r"L=\tfrac12\sum_{ij}y_{ij}^2": LOSS},
    "12c6fc06": {r"s_k=(v_{k+1}-v_k)/(t_{k+1}-t_k)": PIECES},
    "bc33ea4e": {
        r"|t-p|\le\delta/2": {"t": 1.5, "p": 1.0, r"\delta": 1.0},  # the parabola's p is in the middle
        r"0=r(t)=r(p)+\tfrac12 c''(\xi)(t-p)^2": TAYLOR,
    },
    "b6692ea5": {
        r"xw+b=0": {"x": 0.75, "w": -2.0, "b": 1.5},
        r"x=-b/w": {"x": np.roots([-2.0, 1.5])[0], "w": -2.0, "b": 1.5},
    },
    "mlp-learn3": {
        r"T(x)=2\,\mathrm{relu}(x)-4\,\mathrm{relu}(x-\tfrac12)": BENDS | {"x": [0.2, 0.4, 0.7, 0.9], "T": tent}
    },
    "59129aac": {r"\sigma(x)+\sigma(-x)=1": BENDS},
    "b4c96d80": {
        r"\frac1{1+e^{-x}}+\frac1{1+e^x}=\frac{1+e^x+1+e^{-x}}{(1+e^{-x})(1+e^x)}=1": BENDS,
        r"\mathrm{silu}(x)-\mathrm{silu}(-x)=x\sigma(x)-(-x)\sigma(-x)=x\bigl(\sigma(x)+\sigma(-x)\bigr)=x": BENDS,
    },
    "d54ad009": {
        r"\Phi(x)=\frac12\bigl(1+\mathrm{erf}\frac x{\sqrt2}\bigr)"
        r"=\frac12\mathrm{erfc}\bigl(-\frac x{\sqrt2}\bigr)": BENDS
    },
    "eb4ac303": {r"\phi'(x)=-x\phi(x)": BENDS},
    "mlp-low3": {
        r"(x\,\Phi)'=1\cdot\Phi+x\,\Phi'=\Phi+x\phi": POINT | {"'": "x", r"\Phi'": norm.pdf(AT)},
        r"\phi+\phi+x\phi'=\phi+\phi-x^2\phi=(2-x^2)\phi": POINT,
    },
}

three = [W1, rng.normal(size=(h, h)), W2], [b1, rng.normal(size=h), b2]
LAYER_BY_LAYER = LAYERS | {
    "k": 3,
    "f": np.sin,
    r"\mathbf W": lambda i: three[0][i - 1],
    r"\mathbf b": lambda i: three[1][i - 1],
    r"\mathbf H": lambda i: ours.mlp(X, [*three[0][:i], np.eye(h)], [*three[1][:i], np.zeros(h)], np.sin),
    r"\mathbf Y": ours.mlp(X, *three, np.sin),
}


def gelu_tanh_of_torch(x):
    return torch.nn.functional.gelu(torch.tensor(x, dtype=torch.float64), approximate="tanh").item()


DOCSTRINGS = {
    "relu": [BENDS],
    "gelu": [BENDS],
    "gelu_tanh": [
        BENDS
        | {
            "y": From(lambda at: ours.gelu_tanh(np.float64(at["x"]))),
            "u": From(lambda at: np.arctanh(2 * gelu_tanh_of_torch(at["x"]) / at["x"] - 1)),
            "≈": 3e-3,
        }
    ],
    "silu": [BENDS],
    "sigmoid": [BENDS],
    "mlp": [LAYER_BY_LAYER],
    "interpolation_weights": [PIECES | {"n": 4}],
}
