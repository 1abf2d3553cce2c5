"""What the letters stand for in the formulas of nonlinear least squares."""

import numpy as np
import torch
from scipy.optimize import brentq

from mlnotes.applications.least_squares import lstsq
from mlnotes.applications.nonlinear_least_squares import Walk, gauss_newton, levenberg_marquardt
from mlnotes.blocks.derivatives import numerical_jacobian
from mlnotes.book.formulas import From, NotRead
from mlnotes.checks.applications.nonlinear_least_squares import damped_step, predicted_reduction

rng = np.random.default_rng(0)
m, n = 5, 2
t = np.array([0.6, 1.1, 1.7, 2.9, 4.3])
y = -1.9 * np.expm1(-0.8 * t) + rng.normal(0, 0.3, m)
x, p = np.array([1.4, 0.9]), np.array([0.3, -0.2])


def law(t, x):
    return -x[0] * torch.expm1(-x[1] * torch.tensor(t, dtype=torch.float64))


def flat(x):
    return torch.tensor(np.ravel(x), dtype=torch.float64)


def r(x, y=y):
    return (law(t, flat(x)) - torch.tensor(y)).numpy()


def jacobian(x):
    return torch.autograd.functional.jacobian(lambda x: law(t, x), flat(x)).numpy()


def cost(residual, x):
    """Have the book's function square and add up."""
    return gauss_newton(residual, np.ravel(x), numerical_jacobian_of(residual), max_steps=0).cost


def numerical_jacobian_of(residual):
    return lambda x: numerical_jacobian(residual, x)


def half_of_squares(x, y=y):
    return ((law(t, x) - torch.tensor(y)) ** 2).sum() / 2


def gradient(x):
    return torch.autograd.functional.jacobian(half_of_squares, flat(x)).numpy()


def hessian(x, y=y):
    return torch.autograd.functional.hessian(lambda x: half_of_squares(x, y), flat(x)).numpy()


def curvatures(x):
    """Give the second derivatives of each residual."""
    return np.array([torch.autograd.functional.hessian(lambda x, i=i: law(t, x)[i], flat(x)).numpy() for i in range(m)])


def step(x):
    return x + lstsq(jacobian(x), -r(x))


J, g, H = jacobian(x), gradient(x), hessian(x)
AT = {
    "i": range(1, m + 1),
    "m": m,
    "n": n,
    "t": t,
    r"\mathbf t": t,
    r"\mathbf y": y,
    r"\mathbf x": x,
    r"\mathbf p": p,
    r"\mathbf r": From(lambda at: r(at[r"\mathbf x"])),
    r"\mathbf r(": r,
    "r(": lambda i, x: r(x)[int(i) - 1],
    "f": lambda t, x: law(t, flat(x)).item(),
    "F(": lambda x: cost(r, x),
    r"\mathbf J": J,
    "J": J,
    r"\mathbf g": g,
    r"\mathbf H": H,
    r"\mathbf S": np.tensordot(r(x), curvatures(x), 1),
    r"\nabla^2": lambda r_i: curvatures(x)[np.argmin(np.abs(r(x) - r_i))],  # it is handed the number
    "L": lambda p: cost(lambda z: r(x) + J @ z, np.zeros(n) + np.ravel(p)),
}

damping, scales = 0.7, np.array([1.3, 0.6])
damped = damped_step(r(x), J, damping, scales)
DAMPED = AT | {r"\mathbf p": damped, r"\lambda": damping, r"\mathbf D": np.diag(scales)}
after = r(x + damped)
GAIN = (r(x) - after) @ (r(x) + after) / 2 / predicted_reduction(damped, g, damping, scales)

# at the minimum
best = gauss_newton(r, x, jacobian).x
left, e = r(best), np.array([1e-4, -0.7e-4])
times = -1.7
scaled = y + (1 - times) * left
BEST = AT | {
    r"\mathbf x^*": best,
    r"\mathbf f": lambda x: r(x) + y,
    r"\mathbf r^*": left,
    "c": times,
    r"\mathbf y_c": scaled,
    r"\mathbf J": jacobian(best),
    r"\mathbf S": np.tensordot(left, curvatures(best), 1),
    r"\mathbf H": hessian(best, scaled),
    r"\mathbf e": e,
    r"\mathbf e\leftarrow": step(best + e) - best,
}

# with residuals so large, and of the other sign, that a step multiplies an error by 1.5
factors, ways = np.linalg.eig(-np.linalg.solve(BEST[r"\mathbf J"].T @ BEST[r"\mathbf J"], BEST[r"\mathbf S"]))
most = abs(factors).argmax()
SADDLE = BEST | {
    r"\mathbf H": hessian(best, y + (1 - 1.5 / factors[most]) * left),
    r"\mu": 1.5,
    r"\mathbf v": ways[:, most],
}


# The parabola by hand; points are written as rows.
def parabola(x):
    return np.array([x, x * x / 2])


BY_HAND = {
    "x": [2.0, 0.3],
    r"\mathbf f": lambda x: parabola(x)[None],
    r"\mathbf r": (parabola(2.0) - [0, 0.5])[None],
    "p": gauss_newton(
        lambda x: parabola(x[0]) - [0, 0.5], np.array([2.0]), lambda x: np.array([[1.0], x]), max_steps=1
    ).points[1]
    - 2,
}


def curvature_at_zero(height):
    """Second derivative of the parabola's cost, without J · J = 1."""

    def of(x):
        return (x**2 + (x**2 / 2 - height) ** 2) / 2

    return torch.autograd.functional.hessian(of, torch.tensor(0.0, dtype=torch.float64)).item() - 1


TWICE = AT | {
    "t": [0.7, 1.7],
    "r": From(lambda at: law(at["t"], flat(at[r"\mathbf x"])).item()),
    "tolerance": 1e-4,  # rounding, divided by the square of the step
}

# Thurber's law
electrons = rng.uniform(0.5, 1.5, 7)

FORMULAS = {
    "oxygen": [AT | {"t": list(t)}, AT],
    "linearise": [
        AT | {r"\mathbf p": p / 20, "≈": 1e-3},
        AT
        | {
            r"\mathbf p": lstsq(J, -r(x)),
            r"\mathbf x\leftarrow": gauss_newton(r, x, jacobian, max_steps=1).points[1],
            "scale": 1.0,
        },
    ],
    "rate": [AT, BEST | {"tolerance": 3e-3}],
    "runs-away-said": [NotRead("a problem to be solved"), DAMPED],
    "gain": [DAMPED | {r"\varrho": GAIN}],
    "widget-answer": [AT | {r"\mathbf a": J[:, 0], r"\mathbf b": J[:, 1] / x[0]}],
    "units-said": [
        {
            r"\mathbf x": electrons,
            "t": [-1.2, 0.4, 1.3],
            "f": lambda t, x: np.polyval(x[3::-1, 0], t) / np.polyval([*x[:3:-1, 0], 1], t),
        }
    ],
}
OF_G = {r"\mathbf g=\mathbf J^{\mathsf T}\mathbf r": AT}
INLINE = {
    "oxygen": {r"r_i(\mathbf x)=f(t_i;\mathbf x)-y_i": AT},
    "linearise": {
        r"\mathbf f(x)=(x,\tfrac12x^2)": BY_HAND,
        r"\mathbf y=(0,\tfrac12)": NotRead("the data of an example"),
        r"p=-(\mathbf J\cdot\mathbf r)/(\mathbf J\cdot\mathbf J)": BY_HAND
        | {r"\mathbf r": parabola(2.0) - [0, 0.5], r"\mathbf J": np.array([1.0, 2.0])},
        r"\mathbf r=(2,\tfrac32)": BY_HAND,
        r"p=-(2+3)/5=-1": BY_HAND,
    },
    "stop": OF_G,
    "rate": OF_G
    | {
        r"\mathbf p=-(\mathbf J^{\mathsf T}\mathbf J)^{-1}\mathbf g": AT | {r"\mathbf p": step(x) - x},
        r"S=(0-\text{height})\cdot1": {
            r"\text{height}": [0.5, -2.0],
            "S": From(lambda at: curvature_at_zero(at[r"\text{height}"])),
        },
        r"\partial^2r/\partial x_1\partial x_2=te^{-x_2t}": TWICE,
        r"\partial^2r/\partial x_2^2=-x_1t^2e^{-x_2t}": TWICE,
    },
    "control": {
        r"\mathbf y_c=\mathbf f(\mathbf x^*)-c\,\mathbf r^*": BEST,
        r"\mathbf v\cdot\mathbf H\mathbf v=(1-\mu)\lVert\mathbf J\mathbf v\rVert^2<0": SADDLE,
    },
    "runs-away-said": {
        r"\mathbf g\cdot\mathbf p=-\mathbf p\cdot\mathbf J^{\mathsf T}\mathbf J\mathbf p"
        r"=-\lVert\mathbf J\mathbf p\rVert^2": AT | {r"\mathbf p": step(x) - x},
        r"2\mathbf J^{\mathsf T}(\mathbf r+\mathbf J\mathbf p)=-\lambda\,2\mathbf D^2\mathbf p": DAMPED,
    },
    "gain": {r"L(\mathbf p)=\frac12\lVert\mathbf r+\mathbf J\mathbf p\rVert^2": AT},
    "widget-answer": {
        r"\mathbf a=1-e^{-x_2\mathbf t}": AT | {r"\mathbf a": J[:, 0]},
        r"\mathbf b=\mathbf t\odot e^{-x_2\mathbf t}": AT | {r"\mathbf b": J[:, 1] / x[0]},
        r"x_1>-\beta/x_2": NotRead("a condition"),
    },
    "damped-end": OF_G,
    "predicted-start": {
        r"L(\mathbf 0)-L(\mathbf p)"
        r"=-\mathbf g\cdot\mathbf p-\frac12\mathbf p\cdot\mathbf J^{\mathsf T}\mathbf J\mathbf p": AT,
        r"\mathbf p\cdot\mathbf J^{\mathsf T}\mathbf J\mathbf p"
        r"=-\mathbf g\cdot\mathbf p-\lambda\lVert\mathbf D\mathbf p\rVert^2": DAMPED,
        r"-\mathbf g\cdot\mathbf p=\lVert\mathbf J\mathbf p\rVert^2+\lambda\lVert\mathbf D\mathbf p\rVert^2": DAMPED,
    },
}


def first_step(start):
    """Give the first point, step, damping and radius of a walk from there."""
    fit = levenberg_marquardt(r, start, jacobian, max_steps=1)
    units = np.linalg.norm(jacobian(start), axis=0)
    return start, fit.points[1] - start, fit.dampings[0], np.diag(units), np.linalg.norm(units * start)


def beyond_the_radius(times):
    _, p, _, units, radius = first_step(times * x)
    return np.linalg.norm(units @ p) / radius - 1.05


# Where the search for the damping needs one step more, its result jumps from a length of 1.1 radii to about one.
jump = brentq(beyond_the_radius, 0.4, 0.425, xtol=1e-14) + 1e-12
near, p_1, damping_1, units, radius = first_step(jump * x)
stacked = np.vstack([jacobian(near), np.sqrt(damping_1) * units])
walk = Walk(r, jacobian, near)
model = walk.linearized(near)
FIRST = AT | {
    r"\mathbf x": near,
    r"\mathbf r": r(near),
    r"\mathbf J": jacobian(near),
    r"\mathbf p": p_1,
    "F": levenberg_marquardt(r, near, jacobian, max_steps=0).cost,
    "F(": lambda x: half_of_squares(flat(x)).item(),
    "L": lambda p: cost(lambda z: r(near) + jacobian(near) @ z, np.zeros(n) + np.ravel(p)),
}
DOCSTRINGS = {
    "gauss_newton": [
        AT
        | {
            r"\mathbf p": [lstsq(J, -r(x))],
            r"\mathbf x\leftarrow": gauss_newton(r, x, jacobian, max_steps=1).points[1],
            "value": np.linalg.lstsq(J, -r(x))[1],
        },
    ],
    "levenberg_marquardt": [
        FIRST
        | {
            r"\mathbf p": [p_1],
            r"\lambda": damping_1,
            r"\mathbf D": units,
            r"\Delta": radius,
            "value": np.linalg.lstsq(stacked, np.append(-r(near), np.zeros(n)))[1],
            "reached": True,
        },
        FIRST
        | {
            r"\varrho": walk.reduction(model, model.step(damping_1)) / model.predicted_reduction(damping_1),
        },
    ],
}
