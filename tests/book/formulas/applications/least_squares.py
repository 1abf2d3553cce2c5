"""What the letters stand for in the formulas of least squares."""

import numpy as np
from sklearn.datasets import load_diabetes

from mlnotes.applications.least_squares import cholesky, lstsq, ridge
from mlnotes.applications.linear import linear
from mlnotes.book.formulas import From, NotRead

rng = np.random.default_rng(0)
m, n = 5, 3
A, b, h, star = (rng.normal(size=it) for it in ((m, n), m, n, n))
x = lstsq(A, b)
Q, R = np.linalg.qr(A)
u, s, vt = np.linalg.svd(A, full_matrices=False)

COMMON = {
    r"\mathbf A": A,
    r"\mathbf b": b,
    r"\mathbf x": x,
    r"\mathbf r": b - A @ x,
    r"\mathbf h": h / 9,  # its square is not far above 0
    r"\mathbf Q": Q,
    r"\mathbf R": R,
    r"\mathbf U": u,
    r"\mathbf s": s,
    r"\mathbf V": vt.T,
    r"\mathbf u": lambda i: u[:, i - 1],
    r"\mathbf v": lambda i: vt[i - 1],
    r"\mathbf I": np.eye(n),
    r"\mathbf M": np.linalg.pinv(A),
    r"\mathbf x^*": star,
    r"\mathbf e": b - A @ star,
    r"\lambda": 0.7,
    r"\sigma": 0.6,
    "i": range(1, n + 1),
    "j": range(1, n + 1),
    "m": m,
    "n": n,
}
covariance = np.linalg.inv(A.T @ A)
held_map = np.linalg.solve(A.T @ A + 0.7 * np.eye(n), A.T)  # what ridge multiplies b by
squared_error = (vt @ (held_map @ A @ star - star)) ** 2 + 0.36 * ((vt @ held_map) ** 2).sum(axis=1)
held = ridge(A, b, 0.7)
# What another linear estimate may add, if it is to be right on average as well.
UNBIASED = {
    r"\mathbf A": np.array([[2.0, 0], [0, 4], [0, 0]]),
    r"\mathbf M": np.array([[0.5, 0, 0], [0, 0.25, 0]]),
    r"\mathbf D": np.array([[0.0, 0, 3], [0, 0, -5]]),
    r"\sigma": 0.6,
}
dependent = np.column_stack([A, A @ [1, -2, 3]])

# Any two numbers, for patients whose progression they give.
bmi = load_diabetes(scaled=False).data[:, 2]
progression = linear(bmi[:, None], np.array([[10.2]]), np.array([-117.8]))
PATIENTS = {
    r"\mathrm{bmi}": bmi,
    r"\mathrm{progression}": progression,
    r"\mathbf A": np.column_stack([np.ones(442), bmi]),
    r"\mathbf b": progression,
    r"\mathbf x": np.array([-117.8, 10.2]),
    "i": range(1, 443),
}
# The example by hand, whose residual is at right angles to the last digit.
HAND = {
    r"\mathbf A": np.array([[1.0, 0], [1, 1], [1, 2]]),
    r"\mathbf b": np.array([1.0, 1, 4]),
    r"\mathbf x": np.array([0.5, 1.5]),
    "n": 2,
}
square = rng.normal(size=(5, 4)).T @ rng.normal(size=(5, 4))
square = square @ square.T + np.eye(4)
FACTOR = {
    r"\mathbf A": square,
    r"\mathbf L": cholesky(square),
    "i": range(1, 5),
    "j": range(1, 5),
    "k": range(1, 5),
}
places, heights = np.array([-8, -5, -2, 0, 3]), np.array([-5, -3.5, -1, 0.5, 7])
LINE = {
    "t": places,
    "b": heights,
    r"\bar t": places.mean(),
    r"\bar b": heights.mean(),
    "i": range(1, 6),
    "value": np.polyfit(places, heights, 1)[0],
}

# The page counts this many multiplications, lower powers included.
rows, columns = 2000, 1500
SIZES = {"m": rows, "n": columns, "tolerance": 2e-3}
mirrors = sum((rows - j) * (2 * (columns - j) + 1) for j in range(columns))

FORMULAS = {
    "trust-tested": [
        COMMON | {"c": vt @ star, "value": From(lambda at: squared_error[at["i"] - 1])},
    ],
    "patients": [PATIENTS],
    "no-solution": [HAND],
    "outlier-said": [COMMON],
    "shortest": [NotRead("a problem to be solved")],
    "trust": [COMMON],
}

CHOLESKY = {r"\mathbf L\mathbf L^{\mathsf T}=\mathbf A": FACTOR}
INLINE = {
    "no-solution": {
        r"\mathbf r=\mathbf b-\mathbf A\mathbf x": COMMON,
        r"\lVert\mathbf r-\mathbf A\mathbf h\rVert^2=\lVert\mathbf r\rVert^2+\lVert\mathbf A\mathbf h\rVert^2": COMMON,
    },
    "outlier-said": {
        r"\sum_i(t_i-\bar t)(b_i-\bar b)/\sum_i(t_i-\bar t)^2": LINE,
        r"\mathbf h\cdot\mathbf A^{\mathsf T}\mathbf A\mathbf h=\lVert\mathbf A\mathbf h\rVert^2>0": COMMON,
        r"\mathbf R^{\mathsf T}\mathbf Q^{\mathsf T}\mathbf Q\mathbf R\mathbf x"
        r"=\mathbf R^{\mathsf T}\mathbf Q^{\mathsf T}\mathbf b": COMMON,
        r"\mathbf Q^{\mathsf T}\mathbf Q=\mathbf I": COMMON,
        r"\mathbf A=\mathbf U\,\mathrm{diag}(\mathbf s)\,\mathbf V^{\mathsf T}": COMMON,
        r"\mathbf x=\sum_i\frac{\mathbf u_i\cdot\mathbf b}{s_i}\mathbf v_i": COMMON,
    },
    "digits": {r"\varepsilon=10^{-8}": NotRead("a choice")},
    "shortest": {
        r"\mathbf x=\mathbf A^+\mathbf b": COMMON | {r"\mathbf A": dependent, r"\mathbf x": lstsq(dependent, b, "svd")},
        r"\sqrt\lambda\,x_i=0": NotRead("a problem to be solved"),
        r"(\mathbf A^{\mathsf T}\mathbf A+\lambda\mathbf I)\mathbf x=\mathbf A^{\mathsf T}\mathbf b": COMMON
        | {r"\mathbf x": held},
        r"s_i/(s_i^2+\lambda)": COMMON | {"value": From(lambda at: (vt @ held / (u.T @ b))[at["i"] - 1])},
        r"s_i^2/(s_i^2+\lambda)": COMMON | {"value": From(lambda at: (vt @ held / (vt @ x))[at["i"] - 1])},
    },
    "trust": {
        r"\mathbf M\mathbf e(\mathbf M\mathbf e)^{\mathsf T}"
        r"=\mathbf M\,\mathbf e\mathbf e^{\mathsf T}\mathbf M^{\mathsf T}": COMMON,
        "m-n=4": NotRead("a case"),
        r"\mathbf u^{\mathsf T}(\sigma^2\mathbf I)\mathbf u=\sigma^2": COMMON
        | {r"\mathbf u": h[:, None] / np.linalg.norm(h), r"\sigma": np.array([[0.6]])},
        r"\mathbf b=\mathbf A\mathbf x^*+\mathbf e": COMMON,
        r"\mathbf x=(\mathbf A^{\mathsf T}\mathbf A)^{-1}\mathbf A^{\mathsf T}\mathbf b"
        r"=\mathbf x^*+\mathbf M\mathbf e": COMMON,
        r"\mathbf M=(\mathbf A^{\mathsf T}\mathbf A)^{-1}\mathbf A^{\mathsf T}": COMMON,
        r"\mathbf D\mathbf A=\mathbf 0": UNBIASED,
        r"\mathbf M\mathbf D^{\mathsf T}=(\mathbf A^{\mathsf T}\mathbf A)^{-1}(\mathbf D\mathbf A)^{\mathsf T}"
        r"=\mathbf 0": UNBIASED,
        r"\sigma^2(\mathbf M+\mathbf D)(\mathbf M+\mathbf D)^{\mathsf T}"
        r"=\sigma^2(\mathbf M\mathbf M^{\mathsf T}+\mathbf D\mathbf D^{\mathsf T})": UNBIASED,
        r"(\mathbf A^{\mathsf T}\mathbf A)^{-1}=\mathbf R^{-1}\mathbf R^{-\mathsf T}": COMMON,
    },
    "errors-said": {
        r"\sigma^2\sum_iv_{ji}^2/s_i^2": COMMON
        | {"value": From(lambda at: 0.36 * covariance[at["j"] - 1, at["j"] - 1])},
    },
    "cost": {
        r"\frac12mn^2": SIZES | {"value": rows * columns * (columns + 1) / 2},
        r"\frac16n^3": SIZES | {"value": (columns**3 - columns) / 6},
        r"mn^2-\frac13n^3": SIZES | {"value": mirrors},
    },
    "ridge-end": CHOLESKY,
    "cholesky-start": {
        r"\sum_{k\le j}l_{ik}l_{jk}=a_{ij}": FACTOR,
        r"l_{jj}^2=a_{jj}-\sum_{k<j}l_{jk}^2": FACTOR,
        r"l_{ij}l_{jj}=a_{ij}-\sum_{k<j}l_{ik}l_{jk}": FACTOR | {"i": [4], "j": [1, 2, 3]},
    },
    "errors-start": {
        r"\mathbf A=\mathbf U\,\mathrm{diag}(\mathbf s)\mathbf V^{\mathsf T}": COMMON,
        r"(\mathbf A^{\mathsf T}\mathbf A)^{-1}"
        r"=\mathbf V\,\mathrm{diag}(\mathbf s)^{-2}\,\mathbf V^{\mathsf T}": COMMON,
        r"\sum_iv_{ji}^2/s_i^2": COMMON | {"value": From(lambda at: covariance[at["j"] - 1, at["j"] - 1])},
        r"\mathbf A^{\mathsf T}\mathbf A=m": {r"\mathbf A": np.ones(m), "m": m},
    },
}

# x as each method finds it; a singular value that is 0 adds nothing.
METHODS = COMMON | {r"\mathbf x": [lstsq(A, b, it) for it in ("normal", "qr", "svd")], "scale": 1.0}
SVD = METHODS | {r"\mathbf s": np.append(s, 0.0), "i": range(1, n + 2)}
# The smallest value that the sum can have, from NumPy: that of one system, with rows that ask for a short x.
stacked = np.vstack([A, 0.7**0.5 * np.eye(n)])
smallest = np.linalg.lstsq(stacked, np.append(b, np.zeros(n)), rcond=None)[1].item()

DOCSTRINGS = {
    "lstsq": [METHODS, SVD],
    "ridge": [COMMON | {r"\mathbf x": [held], "value": smallest}],
    "cholesky": [FACTOR],
}
