"""What the letters stand for in the formulas of positions."""

import numpy as np

from mlnotes.applications.linear import linear
from mlnotes.attention.positions import (
    alibi_bias,
    alibi_slopes,
    frequencies,
    rotary,
    shift_matrix,
    sinusoidal_positions,
)
from mlnotes.book.formulas import From

rng = np.random.default_rng(0)
n, d, m = 7, 6, 3
table = sinusoidal_positions(20, d)
omega = frequencies(d)
at_position = range(1, n)


def turned(x, i):
    """Turn a column as the query or the key of position i."""
    return rotary(np.reshape(x, (1, -1)), np.array([int(i)]))[0]


def rotation(i):
    """Give the matrix that turns, also backwards."""
    return rotary(np.eye(d), np.full(d, int(i))).T if i >= 0 else shift_matrix(int(i), d)


WAVES = {
    "p": lambda i, c: table[int(i), int(c)],
    r"\mathbf p": lambda i: table[int(i)],
    r"\omega": lambda r: omega[int(r)],
    r"\mathbf R": lambda k: shift_matrix(int(k), d),
    "i": at_position,
    "j": at_position,
    "k": range(-1, 4),
    "r": range(d // 2),
    "d": d,
}
# Where the scores of a head that looks k places back are largest.
BACK = WAVES | {"i": range(4, n), "j": From(lambda at: int(np.argmax(table @ table[at["i"] - at["k"]])))}

X, P = rng.normal(size=(n, d)), table[1 : n + 1]
w_q, w_k = rng.normal(size=(d, m)), rng.normal(size=(d, m))
inverse = np.linalg.pinv(X)
PRODUCT = {
    r"\mathbf X": X,
    r"\mathbf P": P,
    # the matrix that gives the scores of projected tokens
    r"\mathbf M": inverse @ (linear(X, w_q) @ linear(X, w_k).T) @ inverse.T,
    r"\mathbf W_Q": w_q,
    r"\mathbf W_K": w_k,
    "i": range(1, n + 1),
    "j": range(1, n + 1),
}

q, k = rng.normal(size=d), rng.normal(size=d)
TURNED = {
    r"\mathbf q": q,
    r"\mathbf k": k,
    r"\mathbf R": rotation,
    "f": turned,
    "g": lambda q, k, distance: (q.T @ rotation(-distance) @ k).item(),
    "i": at_position,
    "j": at_position,
}

h, Q, K = 4, rng.normal(size=(5, d)), rng.normal(size=(7, d))
biases = alibi_bias(h, 5, 7)
ALIBI = {
    "s": From(lambda at: Q @ K.T / np.sqrt(d) + biases[at["t"] - 1]),
    r"\mathbf Q": Q,
    r"\mathbf K": K,
    "m": alibi_slopes(h),
    "i": range(1, 6),
    "j": range(1, 8),
    "t": range(1, h + 1),
    "h": h,
    "d": d,
}

FORMULAS = {
    "1b645389": [WAVES],
    "7b52009b": [WAVES, WAVES | {r"\omega": 0.3}],
    "07b3e2c9": [PRODUCT],
    "91032ad7": [TURNED],
    "fc074d50": [ALIBI],
}

INLINE = {
    "1b645389": {
        r"2\pi\cdot10000^{1-2/d}": {"d": d, "value": 2 * np.pi / omega[-1]},
    },
    "c1dfd96e": {r"10000^{-1/2}=0.01": {}},
    "7b52009b": {
        r"\sin^2+\cos^2=1": {r"\sin": table[:, 0::2].ravel(), r"\cos": table[:, 1::2].ravel()},
        r"\sin a\sin b+\cos a\cos b=\cos(a-b)": {"a": 0.7, "b": 0.4},
        r"\mathbf p_{i+k}^{\mathsf T}=\mathbf p_i^{\mathsf T}\mathbf R_k": WAVES,
    },
    "f1abd670": {r"j=i-k": BACK},
    "07b3e2c9": {r"\mathbf M=\mathbf W_Q\mathbf W_K^{\mathsf T}": PRODUCT},
    "91032ad7": {r"f(\mathbf q,i)\cdot f(\mathbf k,j)=g(\mathbf q,\mathbf k,i-j)": TURNED},
    "4db1ae62": {
        r"e^{\mathrm i\,i\omega}\,\overline{e^{\mathrm i\,j\omega}}=e^{\mathrm i(i-j)\omega}": {
            r"\overline{e^{\mathrm i\,j\omega}}": From(lambda at: np.conj(np.exp(1j * at["j"] * at[r"\omega"]))),
            r"\omega": omega[1],
            "i": at_position,
            "j": at_position,
        },
    },
    "92a6f3b7": {r"-m|i-j|=mj-mi": {"m": alibi_slopes(h)[0], "i": 7, "j": range(1, 8)}},
}

TABLE = WAVES | {"i": range(n)}
SHIFTED = WAVES | {
    "value": From(lambda at: shift_matrix(at["k"], d)[2 * at["r"] : 2 * at["r"] + 2, 2 * at["r"] : 2 * at["r"] + 2]),
}
standing = np.array([4, 0, 9, 2, 5, 1, 4])
rows = rotary(X, standing, base=70.0)
SLOWER = TABLE | {r"\omega": lambda r: frequencies(d, 70.0)[r], r"\mathrm{base}": 70}
ROWS = SLOWER | {"x": lambda i, c: X[i, c], "x'": lambda i, c: rows[i, c], "p": lambda i: standing[i]}
offset = 3
distant = alibi_bias(h, 5, 11, offset)
DISTANT = {
    "b": lambda h, i, j: distant[h - 1, i, j],
    "m": alibi_slopes(h),
    r"\mathrm{offset}": offset,
    "h": range(1, h + 1),
    "i": range(5),
    "j": range(11),
}

DOCSTRINGS = {
    "sinusoidal_positions": [TABLE],
    "frequencies": [SLOWER],
    "shift_matrix": [SHIFTED],
    "rotary": [ROWS],
    "alibi_bias": [DISTANT],
    "alibi_slopes": [{"m": alibi_slopes(h), "i": range(1, h + 1), "h": h}],
}
