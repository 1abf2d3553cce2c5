"""What the letters stand for in the formulas of E(n)-equivariant graph networks."""

from itertools import pairwise

import numpy as np
from scipy.spatial.distance import cdist
from scipy.stats import ortho_group

from mlnotes.applications.egnn import egnn_layer, egnn_velocity_layer, graph_layer, messages
from mlnotes.book.formulas import From, NotRead
from mlnotes.charges import coulomb_forces, simulate_charges, total_energy
from mlnotes.counting import count_operations

rng = np.random.default_rng(0)
n, d, k, c, e = 5, 3, 2, 7, 11
X, V, H = rng.normal(size=(n, d)), rng.normal(size=(n, d)), rng.normal(size=(n, k))
edges = rng.normal(size=(n, n, e))
each = range(1, n + 1)
POINTS = {r"\mathbf X": X, "d": cdist(X, X), "i": [1, 2], "j": [3, 4, 5]}  # i = j would ask for a zero


def some_function(d_in, d_out):
    w = rng.normal(size=(d_in, d_out)) / 3
    return lambda known: np.tanh(known @ w)


def of_columns(function):
    return lambda *known: function(np.concatenate([np.ravel(it) for it in known]))


def moved(points):
    """Ask a network that knows of no point more than of another."""
    return egnn_layer(np.ones((n, k)), points, small_e, phi_x, phi_h)[1]


phi_e, phi_x, phi_h, phi_v = (some_function(*it) for it in ((2 * k + 1 + e, c), (c, 1), (k + c, k), (k, 1)))
small_e = some_function(2 * k + 1, c)

# 1. What must hold.
Q = ortho_group.rvs(d, random_state=1)
Y = X @ Q
u, s, vt = np.linalg.svd(X, full_matrices=False)
SETS = {
    r"\mathbf X": X,
    r"\mathbf Y": Y,
    r"\mathbf U": u,
    r"\mathbf S": np.diag(s),
    r"\mathbf s": s,
    r"\mathbf V": vt.T,
    r"\mathbf W": (np.diag(1 / s) @ u.T @ Y).T,
}
MOTION = {
    r"\mathbf X": X,
    r"\mathbf Q": Q,
    r"\mathbf P": np.eye(n)[[2, 0, 1, 4, 3]],
    r"\mathbf t": rng.normal(size=d),
    r"\mathbf 1": np.ones(n),
    "f": moved,
    "n": n,
    "d": d,
}
first = X - X[0]

# 2. The layer, on a graph in which points hear different numbers of others.
heard = np.array([[0, 1, 1, 0, 1], [1, 0, 0, 0, 1], [0, 1, 0, 0, 0], [1, 1, 1, 0, 1], [0, 0, 1, 1, 0]], bool)
found = messages(H, X, phi_e, heard, edges)
asked = H, X, phi_e, phi_x
h_new, x_new = egnn_layer(*asked, phi_h, heard, edges)
sums = egnn_layer(*asked, lambda known: known[..., k:], heard, edges)[0]  # what phi_h is given
everyone = messages(H, X, phi_e, edge_features=edges)
LAYER = {
    r"\mathbf X": X,
    r"\mathbf x'": x_new,
    r"\mathbf H": H,
    r"\mathbf h'": h_new,
    r"\mathbf m": lambda i, *j: found[i - 1, j[0] - 1] if j else sums[i - 1],
    r"\mathbf a": lambda i, j: edges[i - 1, j - 1],
    r"\phi_e": of_columns(phi_e),
    r"\phi_x": of_columns(phi_x),
    r"\phi_h": of_columns(phi_h),
    r"\phi_v": of_columns(phi_v),
    "N": lambda i: tuple(np.flatnonzero(heard[i - 1]) + 1),
    "i": each,
    "k": k,
    "c": c,
    "d": d,
    "e": e,
}
_, x_moving, v_new = egnn_velocity_layer(H, X, V, *asked[2:], phi_h, phi_v, heard, edges)

# 3. The example by hand, with the messages that the page prints.
hand = np.array([[0, 0], [1, 0], [0, 2]])
printed = np.array([[0, 8, 11], [7, 0, 15], [13, 18, 0]])
HAND = {
    r"\phi_e": From(lambda at: printed[at["i"] - 1, at["j"] - 1]),
    "h": np.array([1, 2, -1]),
    "r": From(lambda at: cdist(hand, hand)[at["i"] - 1, at["j"] - 1]),
    "i": [1, 2],
    "j": [3],
}

# 4. The points seen from their mean.
centred = X - X.mean(axis=0)
squares = cdist(centred, centred) ** 2
MIDDLE = POINTS | {
    r"\mathbf X": centred,
    "a": (centred**2).sum(axis=1),
    r"\bar a": (centred**2).sum(axis=1).mean(),
}


def multiplications(*widths):
    """Count those of a perceptron without its bends."""
    weights = [np.ones(it) for it in pairwise(widths)]
    return count_operations(lambda x, first, last: x @ first @ last, np.ones((1, widths[0])), *weights)["multiply"]


charges = np.array([1.0, -1, 1, 1, -1])
CHARGES = {
    r"\mathbf F": coulomb_forces(3 * X, charges, 0.5),
    r"\mathbf X": 3 * X,  # no two nearer than s
    r"\mathbf V": V,
    "E": total_energy(3 * X, V, charges, 0.5).item(),
    "q": charges,
    "s": 0.5,
    "i": each,
    "j": each,
}

FORMULAS = {
    "charges": [CHARGES],
    "must-hold": [MOTION, POINTS | {r"\mathbf X": first, "i": each, "j": each}],
    "where": [
        LAYER
        | {
            r"\mathbf x'": egnn_layer(*asked, phi_h, edge_features=edges)[1],
            "w": phi_x(everyone)[..., 0] / (n - 1),
            "j": each,
        },
        LAYER
        | {
            r"\mathbf x'": egnn_layer(*asked, phi_h, edge_features=edges)[1],
            "w": phi_x(everyone)[..., 0] / (n - 1),
            "j": each,
            "k": each,
            "scale": 1.0,
        },
        LAYER | {r"\mathbf m": lambda i, j: everyone[i - 1, j - 1], "i": [1, 2], "j": [3, 4, 5]},
        LAYER,
        LAYER,
        LAYER,
    ],
    "space-read": [LAYER | {r"\mathbf V": V, r"\mathbf v'": v_new, r"\mathbf x'": x_moving}],
}

INLINE = {
    "must-hold": {
        r"f(\mathbf P\mathbf X)=\mathbf Pf(\mathbf X)": MOTION,
        r"d_{ij}^2=\lVert\mathbf x_i\rVert_2^2+\lVert\mathbf x_j\rVert_2^2-2\,\mathbf x_i\cdot\mathbf x_j": POINTS,
        r"\mathbf X\mathbf X^{\mathsf T}=\mathbf Y\mathbf Y^{\mathsf T}": SETS,
        r"\mathbf X=\mathbf U\mathbf S\mathbf V^{\mathsf T}": SETS,
        r"\mathbf S=\mathrm{diag}(\mathbf s)": SETS,
        r"\mathbf Y\mathbf Y^{\mathsf T}=\mathbf X\mathbf X^{\mathsf T}"
        r"=\mathbf U\mathbf S^2\mathbf U^{\mathsf T}": SETS,
        r"\mathbf U\mathbf S\mathbf W^{\mathsf T}": SETS | {"value": Y},
        r"\mathbf X\,\mathbf V\mathbf W^{\mathsf T}": SETS | {"value": Y},
    },
    "where": {
        r"\phi_e=h_i+2h_j+3r^2": HAND,
        r"\phi_h=h+m": {r"\phi_h": 20, "h": 1, "m": 19},
    },
    "cost": {
        "(2c+1+e)c+c^2": {"c": c, "e": e, "value": multiplications(2 * c + 1 + e, c, c)},
        "c^2+c": {"c": c, "value": multiplications(c, c, 1)},
        "2c^2+c^2": {"c": c, "value": multiplications(2 * c, c, c)},
    },
    "layer-end": {r"\sum_j\mathbf x_j=\mathbf 0": NotRead("a condition")},
    "gram-start": {
        r"a_i=\lVert\mathbf x_i\rVert_2^2": MIDDLE,
        r"d_{ij}^2=a_i+a_j-2\,\mathbf x_i\cdot\mathbf x_j": MIDDLE,
        r"a_i+\bar a": MIDDLE | {"value": From(lambda at: squares[at["i"] - 1].mean())},
        r"a_j+\bar a": MIDDLE | {"value": From(lambda at: squares[:, at["j"] - 1].mean())},
        r"2\bar a": MIDDLE | {"value": squares.mean()},
        r"-2\,\mathbf x_i\cdot\mathbf x_j=d_{ij}^2-(a_i+\bar a)-(a_j+\bar a)+2\bar a": MIDDLE,
    },
}

# 5. Docstrings. Points 1 and 4 both hear 2, 3 and 5; one of them also hears the other.
HEARD = LAYER | {"i": [1, 4], "j": [2, 3, 5]}
plain_e, plain_x = some_function(2 * k + d + e, c), some_function(c, d)
told = []


def listening(m):
    told.append(m)
    return plain_x(m)


x_plain = graph_layer(H, X, plain_e, listening, phi_h, heard, edges)[1]
PLAIN = {
    r"\mathbf m": lambda i, j: told[0][i - 1, j - 1],
    r"\mathbf x'": x_plain,
    r"\phi_e": of_columns(plain_e),
    r"\phi_x": of_columns(plain_x),
}

# Every system of particles is one column; from one position to the next, the velocity is that of the middle.
step = 0.4
seen = simulate_charges(X, V, charges, step, 4, 0.5)
places = [it.ravel() for it in seen.x]
speeds = {t: it.ravel() for t, it in enumerate(seen.v)}
speeds |= {t + 0.5: (after - before) / step for t, (before, after) in enumerate(pairwise(places))}
VERLET = {
    r"\mathbf x": lambda t: places[t],
    r"\mathbf v": lambda t: speeds[t],
    r"\mathbf F": lambda x: coulomb_forces(x.reshape(n, d), charges, 0.5).ravel(),
    r"\Delta": lambda t: step,
    "t": range(4),
}

DOCSTRINGS = {
    "egnn_layer": [HEARD],
    "egnn_velocity_layer": [LAYER | {r"\mathbf V": V, r"\mathbf v'": v_new, r"\mathbf x'": x_moving}],
    "graph_layer": [HEARD | PLAIN],
    "simulate_charges": [VERLET],
    "coulomb_forces": [CHARGES],
    "total_energy": [CHARGES | {"i<j": ("i", "j")}],
}
