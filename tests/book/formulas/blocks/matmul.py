"""What the letters stand for in the formulas of matmul."""

from functools import cache
from itertools import product
from unittest.mock import patch

import numpy as np

from mlnotes.blocks import matmul as ours
from mlnotes.book.formulas import NotRead
from mlnotes.counting import count_loads, count_operations

rng = np.random.default_rng(0)
m, k, n = 5, 3, 7
A, B, D = rng.normal(size=(m, k)), rng.normal(size=(k, n)), rng.normal(size=(n, 2))
x = rng.normal(size=n)
COMMON = {
    r"\mathbf A": A,
    r"\mathbf B": B,
    r"\mathbf C": ours.matmul_dot(A, B),
    r"\mathbf a": lambda t: A[:, t - 1],
    "m": m,
    "k": k,
    "n": n,
    "i": range(1, m + 1),
    "j": range(1, n + 1),
    "t": range(1, k + 1),
}
THREE = COMMON | {r"\mathbf C": D, "j": range(1, 3), "s": range(1, n + 1)}

# A matrix that adds coordinates up maps to zero what has a sum of zero; small integers leave an exact zero.
adding = np.outer([2.0, -3.0, 5.0, 7.0], np.ones(3))
lost = np.array([[1.0, -4.0], [2.0, 9.0], [-3.0, -5.0]])
other = rng.integers(1, 9, (3, 2)).astype(float)


def blocks(name, matrix, row, column):
    """Cut a matrix into four."""
    parts = [np.split(it, [column], axis=1) for it in np.split(matrix, [row])]
    return {rf"\mathbf {name}_{{{i}{j}}}": parts[i - 1][j - 1] for i, j in product((1, 2), repeat=2)}


PARTS = blocks("A", rng.normal(size=(7, 5)), 3, 2) | blocks("B", rng.normal(size=(5, 9)), 2, 4)

# Strassen's products, remembered when the book's function takes them.
left, right, seven = rng.normal(size=(6, 4)), rng.normal(size=(4, 10)), []
strassen = ours.strassen
with patch.object(ours, "strassen", lambda a, b, _: seven.append(a @ b) or seven[-1]):
    result = strassen(left, right, 1)
QUARTERS = blocks("A", left, 3, 2) | blocks("B", right, 2, 5)
QUARTERS |= {r"\mathbf P": lambda i: seven[i - 1], r"\mathbf C": result}


@cache
def additions(n):
    """Count what the book's function adds on the way down to single numbers."""
    with patch.object(ours, "require_floats"):
        square = np.ones((int(n), int(n)))
        return count_operations(ours.strassen, square, square, 1).get("add", 0)


def touched(n, size):
    """List every number that a product in blocks touches."""
    starts = [range(start, start + size) for start in range(0, n, size)]
    for rows, columns, inner in product(starts, repeat=3):
        for i, j, t in product(rows, columns, inner):
            yield from (("a", i, t), ("b", t, j), ("c", i, j))


FORMULAS = {
    "c1dfd96e": [COMMON],
    "472b07b9": [THREE],
    "d435a6cd": [PARTS],
    "22d200f8": [{"n": 16, "s": 4, "value": count_loads(touched(16, 4), 5 * 4**2)}],
    "seven-products": [QUARTERS, QUARTERS | {r"\mathbf C": left @ right}],
}

INLINE = {
    "7b52009b": {r"\mathbf C=\sum_t\mathbf a_t\mathbf b_t^{\mathsf T}": COMMON | {r"\mathbf b": lambda t: B[t - 1]}},
    "9e6a55b6": {
        r"(\mathbf A\mathbf B)^{\mathsf T}=\mathbf B^{\mathsf T}\mathbf A^{\mathsf T}": COMMON,
        r"(\mathbf A\mathbf B)\mathbf x=\sum_jx_j\,\mathbf A\mathbf b_j=\mathbf A\sum_jx_j\mathbf b_j"
        r"=\mathbf A(\mathbf B\mathbf x)": COMMON | {r"\mathbf x": x, r"\mathbf b": lambda j: B[:, j - 1]},
    },
    "no-cancelling": {
        r"\mathbf A(\mathbf B-\mathbf C)=\mathbf 0": {
            r"\mathbf A": adding,
            r"\mathbf B": other + lost,
            r"\mathbf C": other,
        }
    },
    "d435a6cd": {r"\sum_{t\le k}=\sum_{t\le s}+\sum_{t>s}": NotRead("sums without what is added")},
    "blocks-room-text": {
        r"s\approx\sqrt{M/5}": {"M": 1000, "s": max(s for s in range(1, 99) if 5 * s * s <= 1000), "≈": 0.02}
    },
    "seven-products": {
        r"\mathbf P_3+\mathbf P_5=\mathbf A_{11}\mathbf B_{12}-\mathbf A_{11}\mathbf B_{22}"
        r"+\mathbf A_{11}\mathbf B_{22}+\mathbf A_{12}\mathbf B_{22}": QUARTERS,
        r"7^p=n^{\log_27}": {"p": 3, "n": 8, r"\log_2": np.log2},
        r"A(n)=7A(n/2)+18\,(n/2)^2": {"A(": additions, "n": 8},
        r"A(1)=0": {"A(": additions},
        r"A(n)=6\,(7^p-4^p)": {"A(": additions, "n": 8, "p": 3},
    },
    "strassen-accuracy": {r"7\cdot2\,(n/2)^3+18\,(n/2)^2<2n^3": {"n": 18.01}},
    "2a459380": {
        r"\mathbf P_1+\mathbf P_4-\mathbf P_5+\mathbf P_7"
        r"=\mathbf A_{11}\mathbf B_{11}+\mathbf A_{12}\mathbf B_{21}": QUARTERS
    },
    "4d89d294": {
        r"\mathbf P_7=\mathbf A_{12}\mathbf B_{21}+\mathbf A_{12}\mathbf B_{22}"
        r"-\mathbf A_{22}\mathbf B_{21}-\mathbf A_{22}\mathbf B_{22}": QUARTERS
    },
}

VECTORS = {r"\mathbf a": A[:, 0], r"\mathbf b": B[0], r"\mathbf C": ours.outer(A[:, 0], B[0])}
VECTORS |= {"i": range(1, m + 1), "j": range(1, n + 1)}


def two_by_two(matrix):
    """Give the blocks of two rows and columns by their places; at the edges they are smaller."""
    return lambda i, j: matrix[2 * i - 2 : 2 * i, 2 * j - 2 : 2 * j]


DOCSTRINGS = {
    "matmul_dot": [COMMON],
    "matmul_columns": [COMMON | {r"\mathbf c": lambda j: ours.matmul_columns(A, B)[:, j - 1]}],
    "linear_combination": [COMMON | {r"\mathbf b": B[:, 0], "value": ours.linear_combination(A, B[:, 0])}],
    "matmul_rows": [COMMON | {r"\mathbf C": ours.matmul_rows(A, B)}],
    "matmul_outer": [COMMON | {r"\mathbf C": ours.matmul_outer(A, B), r"\mathbf b": lambda t: B[t - 1]}],
    "outer": [VECTORS],
    "matmul_block": [
        {
            r"\mathbf A": two_by_two(A),
            r"\mathbf B": two_by_two(B),
            r"\mathbf C": two_by_two(ours.matmul_block(A, B, 2)),
            "I": range(1, 4),
            "J": range(1, 5),
            "T": range(1, 3),
        }
    ],
}
