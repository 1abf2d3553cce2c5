"""What the letters stand for in the formulas of equivariance."""

import itertools

import numpy as np
import torch
from scipy.ndimage import convolve1d

from mlnotes.attention.self_attention import attention_weights
from mlnotes.blocks import equivariance as ours
from mlnotes.blocks.softmax import softmax
from mlnotes.book.formulas import From, NotRead
from mlnotes.groups import matrix_actions

rng = np.random.default_rng(0)

# Columns are counted from 1, so that place 0 stands last, at n.
n = 5
T = np.roll(np.eye(n), 1, axis=0)
first = np.eye(n)[-1]


def circular(k, x):
    """Convolve by Fourier transforms of what is counted from 0, and count from 1 again."""
    k, x = (np.fft.fft(np.roll(it[:, 0], 1)) for it in (k, x))
    return np.roll(np.fft.ifft(k * x).real, -1)


def filtered(x):
    return convolve1d(x[:, 0], [0.5, -0.7, 1.1], mode="wrap")


SHIFTS = {
    r"\mathbf k": rng.normal(size=n),
    r"\mathbf x": rng.normal(size=n),
    "T": T,
    "*": circular,
    "i": range(1, n + 1),
    "j": range(n),
    "wrap": True,
}
LINEAR = SHIFTS | {"f": filtered, r"\mathbf e": first, r"\mathbf k": filtered(first[:, None])}


def attention(x):
    x = torch.tensor(x)
    return torch.nn.functional.scaled_dot_product_attention(x, x, x).numpy()


X, P = rng.normal(size=(5, 3)), np.eye(5)[[1, 2, 0, 4, 3]]
ATTENTION = {
    r"\mathbf X": X,
    r"\mathbf P": P,
    r"\mathbf A": attention_weights(X, X),
    r"\mathbf I": np.eye(5),
    r"\mathrm{softmax}": softmax,
    "f": attention,
    "n": 5,
    "d": 3,
}

# Pooling a row of six in blocks of two: shifts by two and by four move the result by one and by two.
six, three = np.roll(np.eye(6), 1, axis=0), np.roll(np.eye(3), 1, axis=0)
POOLING = {
    r"\mathbf x": rng.normal(size=6),
    "f": lambda x: x.reshape(3, 2).max(1),
    "g": six @ six,
    "g'": three,
    "h": six @ six @ six @ six,
    "h'": three @ three,
}

GROUP = [np.eye(3)[list(it)] for it in itertools.permutations(range(3))]
TABLE = [[next(k for k, it in enumerate(GROUP) if np.array_equal(it, g @ h)) for h in GROUP] for g in GROUP]
SIGNED = [np.linalg.det(g) * g for g in GROUP]
mixing = rng.normal(size=(3, 3))


def number(x):
    return float(np.tanh(mixing[0] @ x).item() + x[0].item() ** 2)


def vector(x):
    return np.tanh(mixing @ x)


def acting(matrices):
    return [lambda x, g=g: g @ x for g in matrices]


x = rng.normal(size=3)
AVERAGE = {
    r"\mathbf x": x,
    "G": tuple(GROUP),
    "g": GROUP,
    "h": GROUP,
    "f": number,
    r"\bar f": ours.symmetrize(number, acting(GROUP)),
}
EQUIVARIANT = AVERAGE | {
    "f": vector,
    "g'": From(lambda at: np.linalg.det(at["g"]) * at["g"]),
    "value": ours.symmetrize_equivariant(vector, acting(GROUP), acting(SIGNED), TABLE)(x),
}
averaged = np.mean([g.T @ mixing @ g for g in GROUP], axis=0)
MATRICES = {
    "G": tuple(GROUP),
    "g": range(1, 7),
    r"\mathbf M": lambda g: GROUP[g - 1],
    r"\mathbf A": mixing,
}

turned = np.linalg.qr(rng.normal(size=(3, 3)))[0]
GIVEN = {r"\mathbf M": rng.normal(size=(3, 3)), r"\mathbf x": x, r"\mathbf y": rng.normal(size=3)}
ELEMENT = rng.normal(size=(3, 3))

FORMULAS = {
    "definition": [NotRead("definitions of two properties")],
    "acting-said": [SHIFTS, LINEAR],
    "pooling-said": [ATTENTION, ATTENTION],
    "rotations-said": [AVERAGE],
}

INLINE = {
    "generators": {r"f(gh\,\mathbf x)=g'f(h\,\mathbf x)=g'h'f(\mathbf x)": POOLING},
    "groups": {r"g^{-1}g=e=gg^{-1}": {"g": ELEMENT, "e": np.eye(3)}},
    "acting-said": {
        r"(\mathbf k*\mathbf x)_i=\sum_jk_j\,x_{i-j}": SHIFTS,
        r"(T\mathbf x)_i=x_{i-1}": SHIFTS,
        r"\mathbf x=\sum_jx_j\,T^j\mathbf e": LINEAR,
    },
    "pooling-said": {
        r"\mathbf P\mathbf X\mathbf X^{\mathsf T}\mathbf P^{\mathsf T}": ATTENTION | {"value": P @ X @ (P @ X).T},
    },
    "sets-said": {
        r"\mathbf M\mathbf x\cdot\mathbf M\mathbf y=\mathbf x\cdot\mathbf M^{\mathsf T}\mathbf M\mathbf y": GIVEN,
        r"\mathbf M^{\mathsf T}\mathbf M=\mathbf I": {r"\mathbf M": turned, r"\mathbf I": np.eye(3)},
    },
    "rotations-said": {r"\bar f(h\mathbf x)=\frac1{|G|}\sum_gf(gh\,\mathbf x)": AVERAGE},
    "averaging-said": {
        r"\frac1{|G|}\sum_gg'^{-1}f(g\,\mathbf x)": EQUIVARIANT,
        r"\frac1{|G|}\sum_g\mathbf M_g^{-1}\mathbf A\mathbf M_g": MATRICES | {"value": averaged},
    },
    "averaged-said": {
        r"\alpha\mathbf I+\beta\mathbf1\mathbf1^{\mathsf T}": {
            r"\alpha": averaged[0, 0] - averaged[0, 1],
            r"\beta": averaged[2, 1],
            r"\mathbf I": np.eye(3),
            r"\mathbf1": np.ones(3),
            "value": averaged,
        },
    },
    "free-start": {
        r"\frac1{|G|}\sum_g\mathrm{tr}\,\mathbf M_g^{-1}\,\mathrm{tr}\,\mathbf M_g": MATRICES
        | {"value": np.linalg.matrix_rank(sum(np.kron(g, g) for g in GROUP) / len(GROUP))},
    },
}

# Results below 1, which are compared as they are, and results above it, of which the first is large or small.
SIZED = AVERAGE | {"f": lambda x: (mixing @ x) ** 2, r"\mathbf x": [0.1 * x, 5 * x, 5 * GROUP[2] @ x]}
UNCHANGED = SIZED | {
    "value": From(lambda at: ours.invariance_error(SIZED["f"], acting(GROUP), at[r"\mathbf x"])),
}
BOTH_WAYS = SIZED | {
    "g'": EQUIVARIANT["g'"],
    "value": From(lambda at: ours.equivariance_error(SIZED["f"], acting(GROUP), acting(SIGNED), at[r"\mathbf x"])),
}
EQUIVARIANT_NOW = EQUIVARIANT | {
    r"\bar f": ours.symmetrize_equivariant(vector, acting(GROUP), acting(SIGNED), TABLE),
}

# The second of two actions on rows; a piece without a relation has its value.
rows, act = rng.normal(size=(5, 3)), matrix_actions(np.stack([mixing, ELEMENT]))[1]
ROWS = {
    r"\mathbf X": rows,
    "g": act,
    r"\mathbf M_g": ELEMENT,
    r"\mathbf x": rows[1],
    "value": (None, rows[1], act(rows)[1]),
}

DOCSTRINGS = {
    "invariance_error": [UNCHANGED],
    "equivariance_error": [BOTH_WAYS],
    "symmetrize": [AVERAGE],
    "symmetrize_equivariant": [EQUIVARIANT_NOW],
    "action_error": [NotRead("two conditions, which the function measures")],
    "matrix_actions": [ROWS],
}
