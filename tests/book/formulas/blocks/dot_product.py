"""What the letters stand for in the formulas of dot product."""

import numpy as np

from mlnotes.blocks import dot_product as ours
from mlnotes.book.formulas import From

rng = np.random.default_rng(0)
d = 5
a, b, c = rng.normal(size=(3, d))
each = range(1, d + 1)
P = ours.projection_matrix(a)

COMMON = {
    r"\mathbf a": a,
    r"\mathbf b": b,
    r"\mathbf c": c,
    "d": d,
    "i": each,
    r"\alpha": 0.7,
    r"\beta": -1.3,
    r"\theta": ours.angle(a, b),
    r"\mathrm{proj}_{\mathbf a}": lambda b: ours.project(b[:, 0], a),
    r"\mathbf P": P,
    r"\mathbf I": np.eye(d),
}
# The multiple of a, from the projection; there the derivative is 0 but for rounding.
NEAREST = COMMON | {"t": From(lambda at: float((P @ b / a).mean())), "scale": 1.0}

B = rng.normal(size=(5, 3))
BASIS = {
    r"\mathbf B": B,
    r"\mathbf G": ours.gram_matrix(B),
    r"\mathbf a": rng.normal(size=3),
    r"\mathbf b": rng.normal(size=3),
}

# Nearly parallel, so that both sides are near each other, and smaller than 1, so that powers differ in both directions.
small = np.array([0.9, -0.5, 0.7, 0.4, -0.8])
PARALLEL = {r"\mathbf a": small, r"\mathbf b": 1.1 * small + 0.01 * rng.normal(size=d), "i": each}


def rounded(x, digits=3):
    """Round to so few binary digits that the worst sum comes near its bound."""
    fraction, exponent = np.frexp(x)
    return np.ldexp(np.round(fraction * 2.0**digits), exponent - digits)


def worst_sum(tries=200000):
    """Find vectors whose rounded dot product is far off."""
    a, b = np.exp(rng.uniform(-3, 0, size=(tries, 3))), rng.uniform(0.8, 1.2, size=(tries, 3))
    p = rounded(a * b)
    s = rounded(rounded(p[:, 0] + p[:, 1]) + p[:, 2])
    i = np.argmax(abs(s - (a * b).sum(1)) / (a * b).sum(1))
    return a[i], b[i], s[i]


worst_a, worst_b, s = worst_sum()
ROUNDING = {r"\mathbf a": worst_a, r"\mathbf b": worst_b, r"\hat s": s, "d": 3, "u": 2.0**-3}

u, v = ours.unit(a), ours.unit(b)
ANGLE = {r"\mathbf u": u, r"\mathbf v": v, r"\theta": ours.angle(u, v)}

# The middle between two flowers is the threshold.
start, end = rng.normal(size=(2, 2))
MIDDLE = {"t": float((ours.project((start + end) / 2 - start, end - start) / (end - start)).mean())}

FORMULAS = {
    "902ba3cd": [COMMON],
    "fa35e192": [COMMON, COMMON, COMMON],
    "7d31c5f8": [NEAREST, COMMON],
    "22d200f8": [PARALLEL],
    "af3e1334": [BASIS],
    "98fbc42f": [ROUNDING],
    "827bfc45": [ANGLE],
    "d54ad009": [ANGLE],
}

INLINE = {
    "7b52009b": {
        r"\mathbf a\cdot\mathbf b=\mathbf b\cdot\mathbf a": COMMON,
        r"(\alpha\mathbf a+\beta\mathbf c)\cdot\mathbf b"
        r"=\alpha\,\mathbf a\cdot\mathbf b+\beta\,\mathbf c\cdot\mathbf b": COMMON,
    },
    "fa35e192": {
        r"\lVert\mathbf a\rVert_2^2-2\lVert\mathbf a\rVert_2\lVert\mathbf b\rVert_2\cos\theta"
        r"+\lVert\mathbf b\rVert_2^2": COMMON | {"value": float(((a - b) ** 2).sum())},
    },
    "f6e1126c": {
        r"\mathbf P=\mathbf a\mathbf a^{\mathsf T}/\mathbf a^{\mathsf T}\mathbf a": COMMON,
        r"(\mathbf a\mathbf a^{\mathsf T})^{\mathsf T}=\mathbf a\mathbf a^{\mathsf T}": COMMON,
        r"\mathbf P\mathbf P=\mathbf a(\mathbf a^{\mathsf T}\mathbf a)\mathbf a^{\mathsf T}"
        r"/(\mathbf a^{\mathsf T}\mathbf a)^2=\mathbf P": COMMON,
    },
    "bc33ea4e": {r"t=(\mathbf a\cdot\mathbf b)/(\mathbf a\cdot\mathbf a)": NEAREST},
    "22d200f8": {
        r"t=\frac12": MIDDLE,
        r"\cos\theta=\mathbf a\cdot\mathbf b/(\lVert\mathbf a\rVert_2\lVert\mathbf b\rVert_2)": COMMON,
    },
    "98fbc42f": {
        r"u=2^{-53}": {"u": np.finfo(float).eps / 2},
        r"(1-u)^d\ge1-d\,u": {"d": 3, "u": 1e-3},
        r"(1+u)^d\le\frac1{1-d\,u}": {"d": 3, "u": 1e-3},
    },
    "1f1362ea": {
        r"\theta=2\arctan\bigl(\lVert\mathbf u-\mathbf v\rVert_2/\lVert\mathbf u+\mathbf v\rVert_2\bigr)": ANGLE,
        r"\lVert\mathbf u\mp\mathbf v\rVert_2^2=2\mp2\cos\theta": ANGLE | {r"\pm": [1, -1]},
    },
    "d54ad009": {
        r"1-\cos\theta=2\sin^2\frac\theta2": ANGLE,
        r"1+\cos\theta=2\cos^2\frac\theta2": ANGLE,
        r"0\le\frac\theta2\le\frac\pi2": {r"\theta": [1e-3, 1.0, 3.14]},
        r"\mathbf u+\mathbf v=\mathbf 0": {r"\mathbf u": u, r"\mathbf v": -u},
    },
    "d27f1c64": {r"(\mathbf I-\mathbf P)^2=\mathbf I-2\mathbf P+\mathbf P^2=\mathbf I-\mathbf P": COMMON},
}

# In single precision, where each of a million additions rounds up: the errors nearly reach the bound. What the function
# returns is a sum of that precision, too.
long = np.full(2**20, np.nextafter(np.float32(2.0**-24), np.float32(1)))
long[0] = 1
LONG = {
    r"\hat s": float(np.cumsum(long)[-1]),
    r"\mathbf a": long.astype(float),
    r"\mathbf b": np.ones(len(long)),
    "d": len(long),
    "u": 2.0**-24,
    "=": float(ours.dot_error_bound(long, np.ones_like(long))),
    "tolerance": 0.01,
}

DOCSTRINGS = {
    "dot": [COMMON | {"=": float(ours.dot(a, b))}],
    "cosine_similarity": [COMMON | {"=": float(ours.cosine_similarity(a, b))}],
    "angle": [ANGLE],
    "project": [COMMON],
    "projection_matrix": [COMMON],
    "gram_matrix": [BASIS],
    "dot_in_basis": [
        BASIS | {"=": float(ours.dot_in_basis(BASIS[r"\mathbf a"], BASIS[r"\mathbf b"], BASIS[r"\mathbf G"]))}
    ],
    "dot_error_bound": [LONG],
}
