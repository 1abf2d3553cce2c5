"""What the letters stand for in the formulas of qr."""

import math
from unittest.mock import patch

import numpy as np

from mlnotes.blocks import qr as ours
from mlnotes.blocks.dot_product import project, projection_matrix
from mlnotes.book.formulas import NotRead

rng = np.random.default_rng(0)
A = rng.normal(size=(7, 5))
Q, R = ours.gram_schmidt(A)


def new(j):
    """Give what a column adds to those before it."""
    before, column = A[:, : j - 1], A[:, j - 1]
    return column - before @ np.linalg.pinv(before) @ column


COMMON = {
    r"\mathbf A": A,
    r"\mathbf Q": Q,
    r"\mathbf R": R,
    r"\mathbf I": np.eye(5),
    r"\mathbf a": lambda j: A[:, j - 1],
    r"\mathbf q": lambda j: Q[:, j - 1],
    r"\mathbf v": new,
    "m": 7,
    "n": 5,
    "i": range(1, 6),
    "j": range(1, 6),
    "l": range(1, 6),
}

# A rotation of the plane, and the three that turn three columns into a triangle.
x, y = 1.3, -0.7
(c, s), _ = ours.givens_rotation(x, y)
square = rng.normal(size=(3, 3))
left, turns = square, []
for j, i in ((0, 1), (0, 2), (1, 2)):
    turn = np.eye(3)
    turn[np.ix_([j, i], [j, i])] = ours.givens_rotation(left[j, j], left[i, j])
    left = turn @ left
    turns.append(turn)
turned_Q, turned_R = ours.givens_qr(square)
TURNS = {r"\mathbf A": square, r"\mathbf Q": turned_Q, r"\mathbf R": turned_R}
TURNS |= {r"\mathbf G": lambda i: turns[i - 1], "N": 3}

# A mirror: the one of the book sends x to the far side of the axis. Its normal begins with 1.
vector = rng.normal(size=5)
normal, tau = ours.householder_vector(vector)


def beta(side):
    """Find where the mirror halfway between a vector and the axis sends it."""
    between = vector - side * np.linalg.norm(vector) * np.eye(5)[0]
    return (vector - 2 * project(vector, between))[0]


far = -math.copysign(1, vector[0])
MIRROR = {
    r"\mathbf x": vector,
    r"\mathbf v": normal,
    r"\tau": tau,
    r"\beta": beta(far),
    r"\mathbf e": lambda i: np.eye(5)[i - 1],
    r"\mathbf I": np.eye(5),
    r"\mathbf H": np.eye(5) - 2 * projection_matrix(normal),
}

# The normals of two mirrors.
pair = rng.normal(size=(5, 2))

FORMULAS = {
    "cells-answer": [COMMON],
    "factors": [COMMON],
    "reading-r": [COMMON],
    "rounding-why": [COMMON | {"i": range(1, 4), "j": range(3, 6)}],  # the entries below the diagonal are nobody's
    "twice-is-enough": [{"x": x, "y": y, "c": c, "s": s}],
    "orthogonal-product": [MIRROR],
    "dependent-why": [
        {
            r"\mathbf I": np.eye(5),
            r"\mathbf v": lambda j: pair[:, j - 1],
            r"\mathbf V": pair,
            r"\tau": 2 / (pair**2).sum(0),
        }
    ],
}

INLINE = {
    "factors": {r"\mathbf a_j=\sum_{i\le j}\mathbf q_ir_{ij}": COMMON},
    "reading-r": {
        r"\mathbf Q^{\mathsf T}\mathbf Q=\mathbf I": COMMON,
        r"\mathbf A^{\mathsf T}\mathbf A=\mathbf R^{\mathsf T}\mathbf Q^{\mathsf T}\mathbf Q\mathbf R"
        r"=\mathbf R^{\mathsf T}\mathbf R": COMMON,
        r"\mathbf R^{\mathsf T}\mathbf R=\mathbf A^{\mathsf T}\mathbf A": COMMON,
        r"\mathbf A^{\mathsf T}\mathbf A=\mathbf R^{\mathsf T}\mathbf R": COMMON,
    },
    "orthogonal-product": {
        r"\mathbf G_N\cdots\mathbf G_1\mathbf A=\mathbf R": TURNS | {r"\cdots": turns[1]},
        r"\mathbf Q=\mathbf G_1^{\mathsf T}\cdots\mathbf G_N^{\mathsf T}": TURNS | {r"\cdots": turns[1].T},
        r"\mathbf v=\mathbf x-\beta\mathbf e_1": MIRROR | {r"\mathbf v": normal * (vector[0] - beta(far))},
        r"\mathbf Q^{\mathsf T}\mathbf Q=\mathbf I": COMMON,
    },
    "predict-sign": {
        r"\mathbf x=(1,10^{-9})": NotRead("a setting"),
        r"\beta=+\lVert\mathbf x\rVert_2": MIRROR | {r"\beta": beta(1)},
        r"\beta=-\lVert\mathbf x\rVert_2": MIRROR | {r"\beta": beta(-1)},
    },
    "signs-answer": {
        r"1-\sqrt{1+x_2^2}=0": {r"\mathbf x": np.array([1, 1e-9])},
        r"\tau=2/(\mathbf v\cdot\mathbf v)=(\beta-x_1)/\beta": MIRROR,
    },
    "volume-end": {
        r"\mathbf Q^{\mathsf T}\mathbf Q=\mathbf I": COMMON,
        r"\mathbf A^{\mathsf T}\mathbf A=\mathbf R^{\mathsf T}\mathbf R": COMMON,
        r"\det\mathbf A^{\mathsf T}\mathbf A=(\det\mathbf R)^2": COMMON,
    },
}

# Two columns are so near that their directions are not orthogonal: what is taken away with the first one matters.
near = np.column_stack([A[:, 0], A[:, 0] + 1e-7 * A[:, 1], A[:, 2:]])
near_Q, near_R = ours.modified_gram_schmidt(near)

# A column of two by its rotation, and four reflections with the pieces that the blocked version joins them from.
(turned,), (length,) = (it.T for it in ours.givens_qr(np.array([[x], [y]])))
four, joined, compact_wy = rng.normal(size=(7, 4)), [], ours.compact_wy
with patch.object(ours, "compact_wy", lambda *it: joined.append((*it, compact_wy(*it))) or joined[-1][-1]):
    blocked_Q, blocked_R = ours.blocked_qr(four)
((normals, taus, T),) = joined
REFLECTIONS = {
    r"\mathbf A": four,
    r"\mathbf H": lambda j: np.eye(7) - 2 * projection_matrix(normals[:, j - 1]),
    r"\mathbf v": lambda j: normals[:, j - 1],
    r"\mathbf V": normals,
    r"\mathbf T": T,
    r"\tau": taus,
    r"\mathbf I": np.eye(7),
    "b": 4,
    "k": 4,
    "j": range(1, 5),
}
third = REFLECTIONS[r"\mathbf H"](3)
householder_Q, householder_R = ours.householder_qr(four)

DOCSTRINGS = {
    "gram_schmidt": [COMMON],
    "modified_gram_schmidt": [
        {
            r"\mathbf a": lambda j: near[:, j - 1],
            r"\mathbf q": lambda j: near_Q[:, j - 1],
            r"\mathbf R": near_R,
            "i": range(1, 4),
            "j": range(4, 6),
            "l": range(1, 4),
            "tolerance": 1e-12,
        }
    ],
    "givens_qr": [{"c": turned[0], "s": turned[1], "x": x, "y": y}],
    "givens_rotation": [{"c": c, "s": s, "x": x, "y": y}],
    "householder_qr": [
        REFLECTIONS
        | {
            r"\cdots": third,
            r"\mathbf q": lambda j: householder_Q[:, j - 1],
            r"\mathbf R": householder_R,
            r"\mathbf e": lambda j: np.eye(7)[j - 1],
            r"\mathbf 0": np.zeros((3, 4)),
        }
    ],
    "householder_vector": [MIRROR | {r"\mathrm{copysign}": math.copysign}],
    "blocked_qr": [REFLECTIONS | {r"\cdots": third}],
    "compact_wy": [
        REFLECTIONS
        | {
            r"\mathbf V": normals[:, :3],
            r"\mathbf T": ours.compact_wy(normals[:, :3], taus[:3]),
            r"\mathbf T'": T,
            r"\mathbf v": normals[:, 3],
            r"\tau": taus[3],
        }
    ],
}
