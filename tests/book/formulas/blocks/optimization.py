"""What the letters stand for in the formulas of optimization."""

import math
from itertools import islice
from unittest.mock import patch

import numpy as np
import torch
from scipy.integrate import quad
from scipy.optimize import minimize_scalar
from scipy.special import expit

from mlnotes.blocks import optimization as ours
from mlnotes.widgets.descent import Descent

rng = np.random.default_rng(0)
eta, beta, eps = 0.3, 0.6, 0.1

# Logistic regression by PyTorch: the loss, and its derivatives at some weights.
m, n, strength = 7, 3, 0.4
X, y, w = rng.normal(size=(m, n)), rng.choice([-1.0, 1.0], m), rng.normal(size=n)


def loss(w):
    benign = torch.from_numpy((y + 1) / 2)
    entropy = torch.nn.functional.binary_cross_entropy_with_logits(torch.from_numpy(X) @ w, benign)
    return entropy + strength * (w @ w) / 2


def height(w):
    return loss(torch.from_numpy(np.ravel(w))).item()


def gradient(w):
    return torch.autograd.functional.jacobian(loss, torch.from_numpy(np.ravel(w))).numpy()


def hessian(w):
    return torch.autograd.functional.hessian(loss, torch.from_numpy(np.ravel(w))).numpy()


PROBLEM = ours.Problem(height, gradient, hessian)
H = hessian(w)
SLOPE = {r"\mathbf x": w, r"\mathbf g": gradient(w), r"\mathbf H": H, r"\mathbf p": 1e-3 * rng.normal(size=n)}
REGRESSION = SLOPE | {
    "f(": height,
    r"\mathbf w": w,
    r"\mathbf X": X,
    r"\mathbf y": y,
    r"\mathbf t": y * (X @ w),
    r"\mathbf s": expit(-y * (X @ w)),
    r"\alpha": strength,
    r"\mathbf I": np.eye(n),
    "m": m,
    "n": n,
    "i": range(1, m + 1),
}


def after(stepper, steps):
    """Walk some steps."""
    return next(islice(stepper(PROBLEM, w), steps - 1, None))


def inside(optimizer, name, steps, walked=gradient, start=w, **settings):
    """Walk with PyTorch, and look at what it remembers after each step."""
    point = torch.from_numpy(start.copy())
    remembered, stepping = [], optimizer([point], **settings)
    for _ in range(steps):
        point.grad = torch.from_numpy(walked(point.numpy()).copy())
        stepping.step()
        remembered.append(stepping.state[point][name].numpy().copy())
    return remembered


def third_step(stepper, letter, remembered):
    """Give what the third step starts from, and what it finds."""
    x = after(stepper, 2)
    return {
        r"\mathbf x": x,
        r"\mathbf g": gradient(x),
        r"\mathbf x\leftarrow": after(stepper, 3),
        letter: remembered[1],
        letter + r"\leftarrow": remembered[2],
        r"\eta": eta,
        r"\beta": beta,
        r"\varepsilon": eps,
    }


nesterov = third_step(
    ours.nesterov(eta, beta),
    r"\mathbf v",
    inside(torch.optim.SGD, "momentum_buffer", 3, lr=eta, momentum=beta, nesterov=True),
)
means = inside(torch.optim.Adam, "exp_avg", 5, lambda _: gradient(w), lr=eta, betas=(beta, 0.9))
adam = {"lr": eta, "betas": (beta, 0.9), "eps": eps}
adam_means, adam_squares = (inside(torch.optim.Adam, it, 3, **adam) for it in ("exp_avg", "exp_avg_sq"))

# A quadratic: its curvatures, and the error along their directions before and after a step.
curvatures, directions = np.linalg.eigh(H)
mu, L = curvatures[0], curvatures[-1]
quadratic = ours.Problem(None, lambda x: H @ x, None)
error = rng.normal(size=n)
moved = next(ours.gradient_descent(eta)(quadratic, error))


def largest_factor(rate):
    """Measure what a step leaves of an error, at most."""
    return np.linalg.norm([next(ours.gradient_descent(rate)(quadratic, it)) for it in np.eye(n)], 2)


best = minimize_scalar(largest_factor, bounds=(0.1 / L, 2 / L), options={"xatol": 1e-12})
RATES = {
    r"\eta": best.x,
    r"\rho": best.fun,
    r"\kappa": np.linalg.cond(H),
    r"\mu": mu,
    "L": L,
    "tolerance": 1e-6,  # of a numerical minimum
}


def errors(stepper, curvature):
    """Follow the error along one direction."""
    along = ours.Problem(None, lambda x: curvature * x, None)
    return np.array([1.0, *(x.item() for x in islice(stepper(along, np.array([1.0])), 9))])


# Momentum along one direction, and once more with real roots, which four of its errors betray.
slope = 1.7
RECURRENCE = {
    r"\eta": eta,
    r"\beta": beta,
    r"\lambda": slope,
    "e": errors(ours.momentum(eta, beta), slope),
    "k": range(2, 8),
}
along_slope = {"walked": lambda x: slope * x, "start": np.array([1.0]), "lr": eta, "momentum": beta}
velocity = inside(torch.optim.SGD, "momentum_buffer", 2, **along_slope)[1]
AHEAD = RECURRENCE | {
    "e": errors(ours.nesterov(eta, beta), slope),
    "v": inside(torch.optim.SGD, "momentum_buffer", 2, **along_slope, nesterov=True)[1],
}
walk = errors(ours.momentum(0.25, 0.375), 0.5)
roots = np.roots([1, *-np.linalg.solve([[walk[2], walk[1]], [walk[3], walk[2]]], walk[[3, 4]])])
EDGES = [at / eta for at in ((1 - beta**0.5) ** 2 + 1e-3, (1 + beta**0.5) ** 2 - 1e-3)]

# The best momentum of the widget, where the largest curvature is 1, for curvatures from 0.1 to 2.
widget = Descent("momentum", condition=20)
rate, widget.beta = widget.best()
widget.rate = rate
BEST = {
    r"\eta": rate / 2,
    r"\beta": widget.beta,
    r"\rho": widget.predicted(),
    r"\kappa": 20,
    r"\mu": 0.1,
    "L": 2,
    "tolerance": 1e-6,  # of a double root
}


def slowest(beta):
    return Descent("Nesterov", rate=1, beta=beta, condition=20).predicted()


# Step, change of the gradient and inverse Hessian, before and after the second pair. Both pairs are of one scale, with
# which L-BFGS begins.
steps, changes = rng.normal(size=(2, n)), rng.normal(size=(2, n))
changes = changes + 3 * steps
scales = np.sum(steps * changes, axis=1) / np.sum(changes**2, axis=1)
steps[1] *= scales[0] / scales[1]
pairs = list(zip(steps, changes, strict=True))
before, behind = (-np.array([ours.lbfgs_direction(it, pairs[:k]) for it in np.eye(n)]).T for k in (1, 2))
PAIR = {
    r"\mathbf B": before,
    r"\mathbf B\leftarrow": behind,
    r"\mathbf s": steps[1],
    r"\mathbf y": changes[1],
    r"\rho": 1 / (steps[1] @ changes[1]),
    r"\mathbf I": np.eye(n),
    "scale": 1,
}


any_v = rng.normal(size=n)
UPDATED = PAIR | {
    r"\mathbf B_+": behind,
    r"\mathbf v": any_v,
    r"\mathbf u": any_v - changes[1] * (steps[1] @ any_v) / (steps[1] @ changes[1]),
}

# The third step of conjugate gradients on a quadratic: numbers from exact searches, directions from a basis.
at, conjugate = w, [-(H @ w)]


def lowest(point, direction):
    """Find how far away a quadratic is lowest."""
    return minimize_scalar(lambda t: (point + t * direction) @ H @ (point + t * direction)).x


for _ in range(2):
    far = lowest(at, conjugate[-1])
    slope_before, at = H @ at, at + far * conjugate[-1]
    along = -(H @ at)
    conjugate.append(along - sum(p * (along @ H @ p) / (p @ H @ p) for p in conjugate))
CONJUGATE = {
    r"\mathbf H": H,
    r"\mathbf g": slope_before,
    r"\mathbf g_+": H @ at,
    r"\mathbf p": conjugate[1],
    r"\mathbf p_+": conjugate[2],
    r"\eta": far,
    r"\beta": np.linalg.lstsq(conjugate[1][:, None], conjugate[2] + H @ at)[0].item(),
    "tolerance": 1e-6,  # of a numerical minimum
    "scale": 1.0,
}


def valley_gradient(x):
    return np.array([1, 9]) * x


def saddle_gradient(x):
    return np.array([x[0], x[1] ** 3 - x[1]])


def climbed(gradient, x):
    """Find a height from the slope along the way from the origin."""
    return {"f": quad(lambda part: gradient(part * x) @ x, 0, 1)[0], r"\mathbf x": x}


edge, nesterov_edge = (Descent(it, beta=beta).edge() / slope for it in ("momentum", "Nesterov"))
EDGE = {r"\beta": beta, r"\eta": edge, r"\lambda": slope, "scale": 1}
NESTEROV_EDGE = EDGE | {r"\eta": nesterov_edge}
at_edge = np.roots([1, -(1 + beta - edge * slope), beta]).min()
direction = -gradient(w)
trial = ours.backtracking(height, w, direction, gradient(w) @ direction, 16.0)

FORMULAS = {
    "problem": [REGRESSION, REGRESSION],
    "descent": [SLOPE | {r"\eta": eta, r"\mathbf x\leftarrow": after(ours.gradient_descent(eta), 1)}],
    "rates": [
        {
            "e": directions.T @ error,
            r"e\leftarrow": directions.T @ moved,
            r"\eta": eta,
            r"\lambda": curvatures,
            "i": range(1, n + 1),
        },
        RATES,
    ],
    "rates-answer": [
        third_step(
            ours.momentum(eta, beta),
            r"\mathbf v",
            inside(torch.optim.SGD, "momentum_buffer", 3, lr=eta, momentum=beta),
        )
    ],
    "momentum-math": [
        RECURRENCE,
        {"z": list(roots), r"\beta": 0.375, r"\eta": 0.25, r"\lambda": 0.5, "scale": 1},
        {r"\beta": beta, r"\eta": eta, r"\lambda": EDGES},
        BEST,
    ],
    "newton": [SLOPE | {r"\mathbf p": after(ours.newton(), 1) - w}],
    "lbfgs-idea": [PAIR],
    "lbfgs-wolfe": [UPDATED],
    "conjugate": [CONJUGATE],
    "adam": [
        third_step(
            ours.rmsprop(eta, beta, eps),
            r"\mathbf s",
            inside(torch.optim.RMSprop, "square_avg", 3, lr=eta, alpha=beta, eps=eps),
        ),
        {r"\mathbf m": lambda t: means[t - 1], r"\beta_1": beta, r"\mathbf g": gradient(w), "t": range(1, 6)},
        third_step(ours.adam(eta, beta, 0.9, eps), "", adam_means)
        | {r"\mathbf m": lambda t: adam_means[t - 1], r"\mathbf s": lambda t: adam_squares[t - 1]}
        | {r"\beta_1": beta, r"\beta_2": 0.9, "t": 3},
    ],
}

INLINE = {
    "problem": {"s=1/(1+e^t)": {"s": expit(-0.7), "t": 0.7}},
    "descent": {
        r"f(\mathbf x+\mathbf p)\approx f(\mathbf x)+\mathbf g\cdot\mathbf p": SLOPE | {"f(": height, "≈": 1e-5},
        r"f=\tfrac12(x_1^2+9x_2^2)": climbed(valley_gradient, np.array([1.3, 0.7])),
    },
    "rates": {
        r"\mathbf e\leftarrow(\mathbf I-\eta\mathbf H)\mathbf e": {
            r"\mathbf e": error,
            r"\mathbf e\leftarrow": moved,
            r"\mathbf I": np.eye(n),
            r"\mathbf H": H,
            r"\eta": eta,
        },
        r"\rho=\max(|1-\eta\mu|,|1-\eta L|)": RATES,
        r"1-\eta\mu=\eta L-1": RATES,
    },
    "momentum-math": {
        r"e_{k+1}=e_k-\eta(\beta v+\lambda e_k)": RECURRENCE | {"k": 3, "v": velocity},
        r"\eta v=e_{k-1}-e_k": RECURRENCE | {"k": 3, "v": velocity},
        r"\mathbf v\leftarrow\beta\mathbf v+\mathbf g": nesterov,
        r"|1+\beta-\eta\lambda|<2\sqrt\beta": {r"\beta": beta, r"\eta": eta, r"\lambda": EDGES},
        r"\eta\mu=(1-\sqrt\beta)^2": BEST,
        r"\eta L=(1+\sqrt\beta)^2": BEST,
        r"\sqrt\kappa=(1+\sqrt\beta)/(1-\sqrt\beta)": BEST,
        r"\mathbf x\leftarrow\mathbf x-\eta(\mathbf g+\beta\mathbf v)": nesterov
        | {r"\mathbf v": nesterov[r"\mathbf v\leftarrow"]},
        r"e_{k+1}=e_k-\eta\bigl(\lambda e_k+\beta(\beta v+\lambda e_k)\bigr)": AHEAD | {"k": 3},
        r"\eta\beta v=(1-\eta\lambda)e_{k-1}-e_k": AHEAD | {"k": 3},
        r"e_{k+1}=(1-\eta\lambda)\bigl((1+\beta)e_k-\beta e_{k-1}\bigr)": AHEAD,
        r"\beta=(\sqrt\kappa-1)/(\sqrt\kappa+1)": {
            r"\beta": minimize_scalar(slowest, bounds=(0, 0.9), options={"xatol": 1e-12}).x,
            r"\kappa": 20,
            "tolerance": 1e-6,
        },
    },
    "widget-answer": {
        r"\sqrt{0.6}=0.775": {"tolerance": 1e-3},  # three digits
        r"s(1-s)\le\tfrac14": {"s": expit([-0.7, 0.0, 0.1]).tolist()},
        r"(1-\eta\lambda)(1+2\beta)=-1": NESTEROV_EDGE,
        r"\eta\lambda=1+1/(1+2\beta)": NESTEROV_EDGE,
    },
    "search-why": {r"s=\tfrac12": {"s": expit(-y * (X @ np.zeros(n))).tolist()}},
    "newton": {
        r"f=\sqrt{1+x^2}": {"f": quad(lambda t: t / math.hypot(1, t), 0, 1.7)[0] + 1, "x": 1.7},
        r"x-f'/f''=-x^3": {
            "f'": (math.hypot(1, 1.7001) - math.hypot(1, 1.6999)) / 2e-4,
            "f''": (math.hypot(1, 1.701) - 2 * math.hypot(1, 1.7) + math.hypot(1, 1.699)) / 1e-6,
            "x": 1.7,
            "tolerance": 1e-5,  # of the differences
        },
        r"\mathbf g(\mathbf x+\mathbf p)\approx\mathbf g+\mathbf H\mathbf p": SLOPE
        | {r"\mathbf g(": gradient, "≈": 1e-5}
    },
    "saddle": {
        r"f=\tfrac12x_1^2-\tfrac12x_2^2+\tfrac14x_2^4": climbed(saddle_gradient, np.array([1.3, 0.7])),
        r"\lambda=-1": {r"\lambda": saddle_gradient(np.array([0, 1e-6]))[1] / 1e-6},
    },
    "lbfgs-idea": {r"\mathbf y-\mathbf y=\mathbf 0": PAIR},
    "lbfgs-wolfe": {r"\mathbf y\cdot\mathbf B_+\mathbf y=\mathbf s\cdot\mathbf y": UPDATED},
    "conjugate": {
        r"\mathbf g_+=\mathbf g+\eta\mathbf H\mathbf p": CONJUGATE,
        r"\mathbf g_+\cdot\mathbf p=0": CONJUGATE,
        r"\mathbf p_+=-\mathbf g_++\beta\mathbf p": CONJUGATE,
        r"\mathbf p_+\cdot\mathbf H\mathbf p=0": CONJUGATE,
        r"\mathbf g\cdot\mathbf p=-\mathbf g\cdot\mathbf g": CONJUGATE,
        r"(\mathbf g+\eta\mathbf H\mathbf p)\cdot\mathbf p=0": CONJUGATE,
        r"\beta=\mathbf g_+\cdot\mathbf H\mathbf p/(\mathbf p\cdot\mathbf H\mathbf p)": CONJUGATE,
        r"\mathbf H\mathbf p=(\mathbf g_+-\mathbf g)/\eta": CONJUGATE,
    },
    "predict-decay": {
        r"\mathbf x-\eta(\mathbf g+\alpha\mathbf x)=(1-\eta\alpha)\mathbf x-\eta\mathbf g": SLOPE
        | {r"\eta": eta, r"\alpha": strength}
    },
    "adam-end": {
        r"f(\mathbf x+t\mathbf p)<f(\mathbf x)+10^{-4}\,t\,\mathbf g\cdot\mathbf p": SLOPE
        | {"f(": height, r"\mathbf p": direction, "t": trial}
    },
    "edge-start": {
        r"\sqrt\beta<1": {r"\beta": [0.5, 0.999]},
        "z=-1": {"z": at_edge},
        r"1+(1+\beta-\eta\lambda)+\beta=0": EDGE,
        r"\eta=2(1+\beta)/\lambda": EDGE,
    },
}


def slowest_root(make, rate, beta, curvatures):
    """Measure by which factor errors shrink in the end, by the recurrence that those of a walk obey."""
    walk = make(rate, beta)(ours.Problem(None, lambda x: curvatures * x, None), np.ones(len(curvatures)))
    recurrences = (np.linalg.solve([[b, a], [c, b]], [c, d]) for a, b, c, d in np.array([*islice(walk, 4)]).T)
    return max(np.abs(np.roots([1, *-it])).max() for it in recurrences)


def best_rate(beta):
    """Find the step size with which momentum is fastest at both ends."""
    return minimize_scalar(
        lambda rate: slowest_root(ours.momentum, rate, beta, np.array([0.1, 2])),
        bounds=(0.5, 2),
        options={"xatol": 1e-9},
    )


best_beta = minimize_scalar(lambda it: best_rate(it).fun, bounds=(0.1, 0.9), options={"xatol": 1e-8}).x
FASTEST = {r"\beta": best_beta, r"\eta": best_rate(best_beta).x, r"\kappa": 20, r"\mu": 0.1, "L": 2, "tolerance": 1e-6}
ahead = minimize_scalar(  # with this rate nothing is left along the largest curvature after a step
    lambda it: slowest_root(ours.nesterov, 0.5, it, np.array([0.1])), bounds=(0.1, 0.9), options={"xatol": 1e-12}
)

# Adam by PyTorch: what it remembers, for the steps of the book.
decay = 0.4


def adam_step(stepper, optimizer, **settings):
    """Give the third step of Adam."""
    squares = inside(optimizer, "exp_avg_sq", 3, **settings)
    remembered = {r"\mathbf s": squares[1], r"\mathbf s\leftarrow": squares[2], "t": 3}
    remembered |= {r"\beta_1": beta, r"\beta_2": 0.9, r"\lambda": decay}
    return third_step(stepper, r"\mathbf m", inside(optimizer, "exp_avg", 3, **settings)) | remembered


adamw = adam_step(ours.adamw(eta, beta, 0.9, eps, decay), torch.optim.AdamW, **adam, weight_decay=decay)
adamw |= {it: adamw[it + r"\leftarrow"] for it in (r"\mathbf m", r"\mathbf s")}

# A quadratic whose curvatures have both signs, and a step of known length on it.
bent = rng.normal(size=(n, n))
bent = bent + bent.T
bent_curvatures, bent_directions = np.linalg.eigh(bent)
saddle = ours.Problem(None, lambda x: bent @ x, lambda x: bent)
with patch.object(ours, "backtracking", lambda *_: 0.7):
    damped = next(ours.damped_newton()(saddle, w))


def longest(accepts, short, long):
    """Find where a search no longer takes the first step that it tries."""
    while (middle := (short + long) / 2) not in (short, long):
        short, long = (middle, long) if accepts(middle) else (short, middle)
    return short


limit = longest(lambda t: ours.backtracking(height, w, direction, gradient(w) @ direction, t) == t, 0.1, 100.0)
SEARCH = SLOPE | {"f(": height, r"\mathbf g(": gradient, r"\mathbf p": direction}
too_short = longest(lambda t: ours.wolfe(height, gradient, w, direction, t) != t, 1e-6, 1.0)

DOCSTRINGS = {
    "gradient_descent": FORMULAS["descent"],
    "momentum": FORMULAS["rates-answer"],
    "nesterov": [nesterov],
    "rmsprop": FORMULAS["adam"][:1],
    "adam": [adam_step(ours.adam(eta, beta, 0.9, eps), torch.optim.Adam, **adam)],
    "adamw": [adamw],
    "newton": [SLOPE | {r"\mathbf x\leftarrow": after(ours.newton(), 1)}],
    "damped_newton": [
        {
            r"\mathbf x": w,
            r"\mathbf x\leftarrow": damped,
            r"\mathbf g": bent @ w,
            r"\mathbf H": bent,
            r"\mathbf V": bent_directions,
            r"\mathbf\Lambda": np.diag(bent_curvatures),
            "t": 0.7,
        }
    ],
    "lbfgs_direction": [PAIR],
    "backtracking": [SEARCH | {"t": limit * (1 - 1e-9)}],
    "wolfe": [SEARCH | {"t": too_short, "reached": True}],
}
DOCSTRINGS_INLINE = {
    "gradient_descent": {r"\eta = 2/(L+\mu)": RATES},
    "momentum": {
        r"\eta = 4/(\sqrt L + \sqrt\mu)^2": FASTEST,
        r"\sqrt\beta = (\sqrt\kappa-1)/(\sqrt\kappa+1)": FASTEST,
    },
    "nesterov": {
        r"\beta = (\sqrt\kappa-1)/(\sqrt\kappa+1)": {r"\beta": ahead.x, r"\kappa": 20, "tolerance": 1e-6},
    },
}
