"""What the letters stand for in the formulas of derivatives."""

import math

import numpy as np
import torch
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp

from mlnotes.blocks import derivatives as ours
from mlnotes.blocks.dot_product import angle
from mlnotes.blocks.softmax import softmax
from mlnotes.book.formulas import From
from mlnotes.widgets.difference_step import DifferenceStep

rng = np.random.default_rng(0)


def along(f, x, dx):
    """Measure how f changes along dx, to first order."""
    return f(x + 1e-30j * dx).imag / 1e-30


def hand(x):
    x = np.ravel(x)
    return np.array([x[0] * x[1], x[0] + x[1], x[1] ** 2])


def sequel(y):
    return np.array([y.sum(), y[0] * y[2]])


at_hand, d_hand = np.array([3.0, 5.0]), rng.normal(size=2)
HAND = {
    r"\mathbf x": at_hand,
    r"\mathbf y": From(lambda at: hand(at[r"\mathbf x"])),
    r"\mathbf J": ours.numerical_jacobian(hand, at_hand),
    r"\mathrm d\mathbf x": d_hand,
    r"\mathrm d\mathbf y": along(hand, at_hand, d_hand),
    "m": 3,
    "n": 2,
    "i": range(1, 4),
    "j": range(1, 3),
}
CHAIN = {
    r"\mathbf J_f": ours.numerical_jacobian(hand, at_hand),
    r"\mathbf J_g": ours.numerical_jacobian(sequel, hand(at_hand)),
    r"\mathrm d\mathbf x": d_hand,
    r"\mathrm d\mathbf z": along(lambda x: sequel(hand(x)), at_hand, d_hand),
}

mixing, X, dX = rng.normal(size=(2, 5)), rng.normal(size=(3, 2)), rng.normal(size=(3, 2))
GRADIENT = {
    r"\mathbf G": ours.numerical_jacobian(lambda x: np.sin(x @ mixing).sum(), X),
    r"\mathrm d\mathbf X": dX,
    r"\mathrm dL": along(lambda x: np.sin(x @ mixing).sum(), X, dX),
    "i": range(1, 4),
    "j": range(1, 3),
}

# At x = 1, this cubic has the derivatives 1, 1000 and 1800. So with h = 0.1, what the first line of (3) leaves out is
# small beside the rest of it, and what the second line keeps is not.
cubic = np.poly1d([300, -400, -99, 0.5])
STEP = {
    "f(": cubic,
    "f'(": cubic.deriv(1),
    "f''(": cubic.deriv(2),
    "f'''(": cubic.deriv(3),
    "x": 1.0,
    "h": 0.1,
    "tolerance": 0.06,
}
SIDEWAYS = {
    "f": np.sin,
    "f'(": np.cos,
    "f''(": lambda x: -np.sin(x),
    "f'''(": lambda x: -np.cos(x),
    "x": 1.0,
    "h": 0.1,
    "tolerance": 1.5e-4,
}

# (4) for x³ at 1.3, as the widget has it: parts of the slope.
widget, x0, h = DifferenceStep("x³"), 1.3, 1e-6
slope, noise = 3 * x0**2, DifferenceStep("x³").rounding("central", 1.0) * 3 * x0**2
ROUNDING = {
    "x": x0,
    "f": x0**3,
    "f'": slope,
    "f''": 6 * x0,
    "f'''": 6.0,
    "u": np.finfo(float).eps / 2,
    "r": noise,
    "h": h,
    "value": tuple(slope * (widget.truncation(it, h) + widget.rounding(it, h)) for it in ("forward", "central")),
}


def best_step(method):
    """Minimize the widget's two errors over the logarithm of the step."""
    error = lambda s: widget.truncation(method, np.exp(s)) + widget.rounding(method, np.exp(s))  # noqa: E731
    return float(np.exp(minimize_scalar(error, bracket=(-30, -10)).x))


def best_error(method):
    h = best_step(method)
    return slope * (widget.truncation(method, h) + widget.rounding(method, h))


BEST = {key: it for key, it in ROUNDING.items() if key != "value"} | {"tolerance": 1e-6}
FORWARD, CENTRAL = BEST | {"h": best_step("forward")}, BEST | {"h": best_step("central")}

a, b = rng.normal(size=3), rng.normal(size=3)
DISTANCE = {
    r"\mathbf a": a,
    r"\mathbf b": b,
    r"\mathbf v": ours.squared_distance_gradient(a, b) / 2,
    r"\mathrm d\mathbf a": rng.normal(size=3),
}
samples = np.array([[1.0, 2, -3], [4, -1, 2], [0, 7, 6], [-2, 5, 1]])  # their mean is exact
middle = samples.mean(0)
for _ in range(2000):  # Weiszfeld's method
    weights = 1 / np.linalg.norm(middle - samples, axis=1)
    middle = weights @ samples / weights.sum()
SAMPLES = {r"\mathbf a": samples.mean(0), r"\mathbf B": samples, "i": range(1, 5)}

g = rng.normal(size=3)
g /= np.linalg.norm(g)
CORNER = {r"\mathbf g": g, r"\mathrm d\mathbf a": [0.3 * g, -g, *rng.normal(size=(5, 3))]}

x, n, eps = rng.normal(size=5), 5, 0.3
each = range(1, n + 1)
SOFTMAX = {
    r"\mathbf x": x,
    r"\mathrm{lse}": From(lambda at: logsumexp(at[r"\mathbf x"])),
    r"\mathrm{lse}(": logsumexp,
    r"\mathrm{softmax}": lambda x: softmax(x[:, 0]),
    r"\mathbf p": From(lambda at: ours.logsumexp_gradient(at[r"\mathbf x"][:, 0])),
    r"\mathbf J": ours.complex_step_jacobian(lambda x: np.exp(x) / np.exp(x).sum(), x),
    "i": each,
    "j": each,
    "t": 2,
    r"\mathrm{onehot}": lambda t: np.eye(n)[t - 1],
}
scores = torch.tensor(x[None], requires_grad=True)
torch.nn.functional.cross_entropy(scores, torch.tensor([1])).backward()


def layer_norm(x):
    return torch.nn.functional.layer_norm(torch.tensor(x[:, 0]), (n,), eps=eps).numpy()


u, moves_x = rng.normal(size=(2, n))
NORM = {
    r"\mathbf x": x,
    r"\mathbf c": From(lambda at: at[r"\mathbf x"] - at[r"\mathbf x"].mean()),
    r"\sigma": From(lambda at: np.sqrt(at[r"\mathbf x"].var() + eps)),
    r"\mathbf y": From(lambda at: layer_norm(at[r"\mathbf x"])),
    r"\mathbf J": ours.layer_norm_jacobian(x, eps=eps),
    r"\mathbf u": u,
    r"\overline u": u.mean(),
    r"\overline{yu}": (layer_norm(x[:, None]) * u).mean(),
    r"\varepsilon": eps,
    "n": n,
    "i": each,
    "j": each,
    "k": each,
}

W, X = rng.normal(size=(3, 2)), rng.normal(size=(5, 3))
PRODUCT = {
    r"\mathbf X": X,
    r"\mathbf W": W,
    "L": From(lambda at: np.sin(at[r"\mathbf X"] @ at[r"\mathbf W"]).sum()),
    r"\mathbf G": ours.complex_step_jacobian(lambda y: np.sin(y).sum(), X @ W),
    r"\mathrm d\mathbf X": rng.normal(size=(5, 3)),
    r"\mathrm d\mathbf W": rng.normal(size=(3, 2)),
    "m": 5,
    "n": 3,
    "k": 2,
}
TRACE = {
    r"\mathbf A": rng.normal(size=(2, 5)),
    r"\mathbf X": X,
    r"\mathbf B": rng.normal(size=(3, 2)),
    r"\mathrm d\mathbf X": rng.normal(size=(5, 3)),
}

S, dS = rng.normal(size=(3, 3)), rng.normal(size=(3, 3))
S *= -np.sign(np.linalg.det(S))  # a negative determinant
DETERMINANT = {
    r"\mathbf X": S,
    r"\mathbf I": np.eye(3),
    r"\mathrm d\mathbf X": dS,
    r"\mathbf M": np.linalg.solve(S, dS),
    r"\mathrm d\log": lambda size: -along(np.linalg.det, S, dS) / size,
}

moved = rng.normal(size=len(a))
slope_of_cosine = ours.numerical_jacobian(lambda a: np.cos(angle(a, b)), a)
COSINE = {
    r"\mathbf a": a,
    r"\mathbf b": b,
    r"\hat{\mathbf a}": ours.distance_gradient(a, 0 * a),
    r"\hat{\mathbf b}": ours.distance_gradient(b, 0 * b),
    r"\theta": From(lambda at: angle(at[r"\mathbf a"][:, 0], b)),
}

FORMULAS = {
    "layout": [HAND],
    "layout-gradient": [GRADIENT],
    "step": [STEP],
    "rounding": [ROUNDING],
    "complex": [SIDEWAYS],
    "distance": [DISTANCE, DISTANCE],
    "kink-why": [CORNER],
    "softmax": [SOFTMAX, SOFTMAX],
    "layer-norm": [NORM, NORM, NORM],
    "layer-norm-meaning": [NORM],
    "product-gradient": [PRODUCT, TRACE],
    "logdet": [DETERMINANT, DETERMINANT],
    "cosine-start": [COSINE],
}

INLINE = {
    "layout": {r"\mathbf y=(x_1x_2,\;x_1+x_2,\;x_2^2)": HAND | {r"\mathbf y": hand(at_hand)[None]}},  # in a row
    "layout-gradient": {r"\mathrm d\mathbf z=\mathbf J_g\mathbf J_f\,\mathrm d\mathbf x": CHAIN},
    "rounding": {
        r"u=2^{-53}": BEST,
        r"r=u(|f|+|xf'|)": BEST,
        r"h=2\sqrt{r/|f''|}": FORWARD,
        r"2\sqrt{r|f''|}": FORWARD | {"value": best_error("forward")},
        r"h=\sqrt[3]{3r/|f^{\prime\prime\prime}|}": CENTRAL,
        r"\tfrac32r/h": CENTRAL | {"value": best_error("central")},
    },
    "distance": {r"\mathbf v=\mathbf a-\mathbf b": DISTANCE},
    "pull": {
        r"\sum_i2(\mathbf a-\mathbf b_i)=\mathbf 0": SAMPLES,
        r"\sum_i(\mathbf a-\mathbf b_i)/\lVert\mathbf a-\mathbf b_i\rVert_2=\mathbf 0": SAMPLES
        | {r"\mathbf a": middle, "scale": 1.0},
    },
    "softmax": {
        r"\mathrm{lse}(\mathbf x)=\log\sum_j\exp x_j": SOFTMAX,
        r"p_i=\exp(x_i-\mathrm{lse}(\mathbf x))": SOFTMAX,
        r"-\log p_t=\mathrm{lse}(\mathbf x)-x_t": SOFTMAX,
        r"\mathbf p-\mathrm{onehot}(t)": SOFTMAX | {"value": scores.grad.numpy()[0]},
    },
    "layer-norm": {
        r"\partial c_i/\partial x_j=\delta_{ij}-\frac1n": NORM,
        r"1-\frac12-\frac12=0": {},
        r"0-\frac12+\frac12=0": {},
    },
    "layer-norm-meaning": {
        r"\mathrm dL=\mathbf u\cdot\mathbf J\,\mathrm d\mathbf x": NORM
        | {r"\mathrm d\mathbf x": moves_x, r"\mathrm dL": float(ours.layer_norm_vjp(x, u, eps=eps) @ moves_x)},
    },
    "product-gradient": {
        r"\operatorname{tr}\mathbf A\mathbf B=\sum_{ij}a_{ij}b_{ji}=\operatorname{tr}\mathbf B\mathbf A": {
            r"\mathbf A": rng.normal(size=(2, 3)),
            r"\mathbf B": rng.normal(size=(3, 2)),
            "i": range(1, 3),
            "j": range(1, 4),
        },
        r"\operatorname{tr}(\mathbf A\,\mathrm d\mathbf X\,\mathbf B)"
        r"=\operatorname{tr}(\mathbf B\mathbf A\,\mathrm d\mathbf X)": TRACE,
    },
    "logdet": {
        r"\prod_i(1+m_{ii})\approx1+\operatorname{tr}\mathbf M": {
            r"\mathbf M": 1e-3 * rng.normal(size=(3, 3)),
            "i": range(1, 4),
            "≈": 1e-5,
        },
        r"\det\mathbf X=2\cdot3-1\cdot0=6": {r"\mathbf X": np.array([[2, 1], [0, 3]])},
    },
    "layer-norm-end": {
        r"\cos\theta=\mathbf a\cdot\mathbf b\,/\,(\lVert\mathbf a\rVert_2\lVert\mathbf b\rVert_2)": COSINE,
    },
    "cosine-start": {
        r"\hat{\mathbf b}\cdot\mathrm d\mathbf a/\lVert\mathbf a\rVert_2-(\mathbf a\cdot\hat{\mathbf b})"
        r"(\hat{\mathbf a}\cdot\mathrm d\mathbf a)/\lVert\mathbf a\rVert_2^2": COSINE
        | {r"\mathrm d\mathbf a": moved, "value": float(slope_of_cosine @ moved)},
        r"\sin\theta/\lVert\mathbf a\rVert_2": COSINE | {"value": np.linalg.norm(slope_of_cosine)},
    },
}

# A polynomial of degree five along w: its expansion in the step ends.
along_w, slopes = rng.normal(size=3), np.poly1d(rng.normal(size=6))
place = rng.normal(size=3)
FALLING = {k: slopes.deriv(k + 1)(along_w @ place) / math.factorial(k + 1) * along_w ** (k + 1) for k in range(5)}


def quintic(x):
    return slopes(along_w @ np.ravel(x))


def measured(jacobian):
    """Give a number that has what a function returned for its derivatives."""
    return From(lambda at: jacobian @ at[r"\mathbf x"][:, 0])


DIFFERENCES = {
    r"\mathbf x": place,
    r"\mathbf e": lambda j: np.eye(3)[j - 1],
    "f(": quintic,
    "f": measured(ours.numerical_jacobian(quintic, place)),
    "h": 0.8,
    "j": range(1, 4),
    "c": From(lambda at: lambda k: -FALLING[int(k)][at["j"] - 1]),
}
IMAGINARY = DIFFERENCES | {
    "f": measured(ours.complex_step_jacobian(quintic, place)),
    "j": 2,
    "O": lambda square: FALLING[2][1] * square - FALLING[4][1] * square**2,
}


def returned(value, *letters):
    """Give the entry of what a function returned."""
    return From(lambda at: value[tuple(at[it] - 1 for it in letters)])


gain, upstream = rng.normal(size=(2, n))
ENTRIES = {
    r"\mathbf X": X,
    r"\mathbf W": W,
    r"\mathbf Y": From(lambda at: at[r"\mathbf X"] @ at[r"\mathbf W"]),
    "i": range(1, 6),
    "j": range(1, 3),
    "q": range(1, 4),
}
FEATURES = NORM | {r"\mathbf g": gain, r"\mu": x.mean(), "j": range(1, n + 1)}
CARRIED = NORM | {
    r"\mathbf u": gain * upstream,
    r"\overline u": (gain * upstream).mean(),
    r"\overline{yu}": (layer_norm(x[:, None]) * gain * upstream).mean(),
    "=": ours.layer_norm_vjp(x, upstream, gain, eps),
}
G = PRODUCT[r"\mathbf G"]

DOCSTRINGS = {
    "numerical_jacobian": [DIFFERENCES],
    "complex_step_jacobian": [IMAGINARY],
    "squared_distance_gradient": [DISTANCE | {"=": ours.squared_distance_gradient(a, b)}],
    "distance_gradient": [DISTANCE | {"=": ours.distance_gradient(a, b)}],
    "logsumexp_gradient": [SOFTMAX | {"=": returned(ours.logsumexp_gradient(x), "i")}],
    "layer_norm_jacobian": [FEATURES | {"=": returned(ours.layer_norm_jacobian(x, gain, eps), "i", "j")}],
    "layer_norm_vjp": [CARRIED],
    "xw_jacobian_x": [ENTRIES | {"p": range(1, 6), "=": returned(ours.xw_jacobian_x(X, W), *"ijpq")}],
    "xw_jacobian_w": [ENTRIES | {"p": range(1, 4), "q": range(1, 3), "=": returned(ours.xw_jacobian_w(X, W), *"ijpq")}],
    "xw_gradient_x": [PRODUCT | {"=": ours.xw_gradient_x(W, G)}],
    "xw_gradient_w": [PRODUCT | {"i": range(1, 6), "=": ours.xw_gradient_w(X, G)}],
    "trace_axb_gradient": [TRACE | {"=": ours.trace_axb_gradient(TRACE[r"\mathbf A"], TRACE[r"\mathbf B"])}],
    "logdet_gradient": [DETERMINANT | {"=": ours.logdet_gradient(S)}],
}
DOCSTRINGS_INLINE = {
    "layer_norm_jacobian": {
        r"y_i = (x_i - \mu)/\sigma": FEATURES,
        r"\sigma^2 = \frac1n\sum_i (x_i-\mu)^2 + \varepsilon": FEATURES
        | {r"\sigma": float((x[0] - x.mean()) / layer_norm(x[:, None])[0])},
    },
}
