"""What the letters stand for in the formulas of lu."""

import numpy as np
from scipy.linalg import hilbert

from mlnotes.blocks import lu as ours
from mlnotes.book.formulas import From, NotRead

rng = np.random.default_rng(0)
unit = np.eye(3)

# A picture with four missing pixels in an ell: the second one has a known and a missing neighbour on either side.
picture = rng.random((4, 5))
missing = [(1, 1), (1, 2), (1, 3), (2, 3)]
equations, right = 4 * np.eye(4), np.zeros(4)
neighbours = [[(i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)] for i, j in missing]
for number, places in enumerate(neighbours):
    for place in places:
        if place in missing:
            equations[number, missing.index(place)] = -1
        else:
            right[number] += picture[place]

# Three equations as by hand, and a matrix whose pivots are the largest of their columns.
by_hand = np.array([[2.0, 4, -2], [4, 9, -3], [-2, -3, 7]])
A = np.array([[2.0, 0.7, -1.1], [0.9, 1.9, 0.4], [-1.3, 0.5, 1.7]])
L, U = ours.doolittle(A)
b = rng.normal(size=3)
after_one = A.copy()
ours.eliminate(after_one, np.arange(3), [0], 3)
after_one[1:, 0] = 0  # where it keeps the multipliers
E1 = after_one @ np.linalg.inv(A)

# A symmetric matrix with positive pivots, none of which has to be exchanged.
symmetric_L, symmetric_U = ours.doolittle(by_hand)
SYMMETRIC = {r"\mathbf A": by_hand, r"\mathbf L": symmetric_L, r"\mathbf D": np.diag(np.diag(symmetric_U))}

STEPS = {
    r"\mathbf A": A,
    r"\mathbf L": L,
    r"\mathbf U": U,
    r"\mathbf I": unit,
    r"\mathbf M": L - unit,
    r"\mathbf m": lambda k: (L - unit)[:, k - 1],
    r"\mathbf e": lambda k: unit[:, k - 1],
    r"\mathbf E": lambda k: (E1, U @ np.linalg.inv(after_one))[k - 1],
    "i": range(1, 4),
    "j": range(1, 4),
    "k": range(1, 4),
}

# Two equations with a small pivot. Without exchanges, rounding leaves (0, 1) of the solution (1, 1).
graded = [[1e-20, 1.0], [1.0, 1.0]]
lower, upper = ours.doolittle(graded)
without_exchange = ours.backward_substitution(upper, ours.forward_substitution(lower, np.array([1.0, 2.0])))

# Tall, wide and square ones for P, L and U; three rows in a ring, and two that change places.
tall, wide, square = rng.normal(size=(7, 5)), rng.normal(size=(5, 7)), rng.normal(size=(5, 5))
P, tall_L, tall_U = ours.lu(tall)
square_P, square_L, square_U = ours.lu(square)
first_L, first_U = ours.doolittle(wide[:, :2])
largest = ours.largest_growth_matrix(5)

FORMULAS = {
    "pixels": [
        {
            r"\mathbf x": ours.lu_solve(equations, right),
            "i": 2,
            r"j\text{missing neighbour}": [missing.index(it) + 1 for it in neighbours[1] if it in missing],
            r"\text{known neighbours}": [picture[it] for it in neighbours[1] if it not in missing],
            r"\text{their value}": From(lambda at: at[r"\text"]),
        }
    ],
    "elimination": [{r"\mathbf x": ours.lu_solve(by_hand, np.array([2.0, 8, 10]))}],
    "as-product": [STEPS, STEPS],
    "doolittle": [STEPS],
    "many": [
        STEPS | {r"\mathbf x": np.linalg.solve(A, b), r"\mathbf y": ours.forward_substitution(L, b), r"\mathbf b": b}
    ],
    "work": [{"n": 40, "≈": 0.05}],
    "pivoting": [
        {r"\mathbf A": tall, r"\mathbf P": P, r"\mathbf L": tall_L, r"\mathbf U": tall_U, "m": 7, "n": 5, "k": 5}
    ],
    "worst-lost-why": [
        {
            r"\mathbf A": square,
            r"\mathbf P": square_P,
            r"\mathbf U": square_U,
            r"\pm": np.linalg.det(square_P),
            "i": range(1, 6),
        }
    ],
    "inverse-why": [
        {
            r"\mathbf A_{11}": wide[:2, :2],
            r"\mathbf A_{12}": wide[:2, 2:],
            r"\mathbf A_{21}": wide[2:, :2],
            r"\mathbf A_{22}": wide[2:, 2:],
            r"\mathbf L_{11}": first_L[:2],
            r"\mathbf L_{21}": first_L[2:],
            r"\mathbf U_{11}": first_U,
            r"\mathbf U_{12}": ours.forward_substitution(first_L[:2], wide[:2, 2:]),
            r"\mathbf I": unit,
        }
    ],
}

INLINE = {
    "as-product": {
        r"\mathbf m_1=(0,m_{21},m_{31})^{\mathsf T}": STEPS,
        r"\mathbf e_1=(1,0,0)^{\mathsf T}": STEPS,
        r"\mathbf E_1=\mathbf I-\mathbf m_1\mathbf e_1^{\mathsf T}": STEPS,
        r"\mathbf E_2=\mathbf I-\mathbf m_2\mathbf e_2^{\mathsf T}": STEPS,
        r"\mathbf m_2=(0,0,m_{32})^{\mathsf T}": STEPS,
        r"\mathbf E_2\mathbf E_1\mathbf A=\mathbf U": STEPS,
        r"\mathbf e_1^{\mathsf T}\mathbf m_1=0": STEPS,
        r"\mathbf A=\mathbf E_1^{-1}\mathbf E_2^{-1}\mathbf U": STEPS,
    },
    "order-answer": {"-(-1)=1": {}},
    "pivot": {
        r"x_2=1,\ x_1+x_2=2": {r"\mathbf x": ours.lu_solve(np.array([[0.0, 1.0], [1.0, 1.0]]), np.array([1.0, 2.0]))},
        r"\varepsilon x_1+x_2=1": {
            r"\varepsilon": 0.3,
            r"\mathbf x": ours.lu_solve(np.array([[0.3, 1.0], [1.0, 1.0]]), np.array([1.0, 2.0])),
        },
        r"x_1+x_2=2": {r"\mathbf x": ours.lu_solve(graded, np.array([1.0, 2.0]))},
        r"\varepsilon=10^{-20}": NotRead("a setting"),
    },
    "small-pivot-why": {
        r"(1-10^{20})x_2=2-10^{20}": {r"\mathbf x": without_exchange},
        r"\varepsilon x_1=1-x_2=0": {r"\varepsilon": 1e-20, r"\mathbf x": without_exchange},
    },
    "growth-answer": {r"\mathbf A=\mathbf L\mathbf D\mathbf L^{\mathsf T}": SYMMETRIC},
    "growth": {
        r"|a_{ij}-m_{ik}a_{kj}|\le2\max|a|": {
            "a": largest,
            "m": ours.lu(largest)[1],
            "i": range(2, 6),
            "j": 5,
            "k": 1,
            "reached": True,
        }
    },
    "worst-lost-why": {
        r"\det\mathbf A=\det\mathbf P\det\mathbf L\det\mathbf U": {
            r"\mathbf A": square,
            r"\mathbf P": square_P,
            r"\mathbf L": square_L,
            r"\mathbf U": square_U,
        }
    },
    "det-answer": {
        r"\mathbf x=\mathbf A^{-1}\mathbf b": STEPS | {r"\mathbf x": ours.lu_solve(A, b), r"\mathbf b": b},
    },
    "hilbert": {r"a_{ij}=1/(i+j-1)": {"a": hilbert(5), "i": range(1, 6), "j": range(1, 6)}},
    "wrong": {r"\mathbf P=\mathbf P^{\mathsf T}": {r"\mathbf P": ours.lu(np.array([[0.3, 2.0], [1.5, 0.7]]))[0]}},
    "rows-start": {r"2^{n-1}=2^{53}": {"n": next(n for n in range(1, 99) if 2.0 ** (n - 1) + 1 == 2.0 ** (n - 1))}},
}

# A matrix whose rows are in the order of their pivots, its factors by blocks, triangular systems without ones, and
# what every step leaves of a matrix whose entries grow.
ordered = P.T @ tall
_, ordered_L, ordered_U = ours.blocked_lu(ordered, 2)
lower_left, upper_right = np.tril(square) + 2 * np.eye(5), np.triu(square) + 2 * np.eye(5)
right_side = rng.normal(size=5)
growing = largest + 0.1 * rng.random((5, 5))
left_over = [growing]
for column in range(5):
    step = left_over[-1].copy()
    ours.eliminate(step, np.arange(5), [column], 5)
    step[column + 1 :, column] = 0  # where it keeps the multipliers
    left_over.append(step)


def determinant(a):
    """Give the determinant by its logarithm."""
    sign, logarithm = ours.slogdet(a)
    return sign * np.exp(logarithm)


PLU = {r"\mathbf A": square, r"\mathbf P": square_P, r"\mathbf L": square_L, r"\mathbf U": square_U, "i": range(1, 6)}
in_products, elsewhere = ours.lu_multiply_adds(40, 40, 7)
solution = ours.lu_solve(square, right_side)

DOCSTRINGS = {
    "lu": [{r"\mathbf A": tall, r"\mathbf P": P, r"\mathbf L": tall_L, r"\mathbf U": tall_U}],
    "blocked_lu": [
        {
            r"\mathbf A_{11}": ordered[:2, :2],
            r"\mathbf A_{12}": ordered[:2, 2:],
            r"\mathbf A_{21}": ordered[2:, :2],
            r"\mathbf A_{22}": ordered[2:, 2:],
            r"\mathbf L_{11}": ordered_L[:2, :2],
            r"\mathbf L_{21}": ordered_L[2:, :2],
            r"\mathbf U_{11}": ordered_U[:2, :2],
            r"\mathbf U_{12}": ordered_U[:2, 2:],
            r"\mathbf I": np.eye(5),
        }
    ],
    "lu_multiply_adds": [
        {r"\text{in products}": in_products, r"\text{elsewhere}": elsewhere, "m": 40, "n": 40, "≈": 0.05}
    ],
    "doolittle": [STEPS],
    "lu_solve": [
        PLU
        | {
            r"\mathbf x": solution,
            r"\mathbf y": ours.forward_substitution(square_L, square_P.T @ right_side),
            r"\mathbf b": right_side,
        }
    ],
    "forward_substitution": [
        PLU
        | {
            r"\mathbf L": lower_left,
            r"\mathbf b": right_side,
            r"\mathbf x": ours.forward_substitution(lower_left, right_side),
            "j": range(1, 6),
        }
    ],
    "backward_substitution": [
        PLU
        | {
            r"\mathbf U": upper_right,
            r"\mathbf b": right_side,
            r"\mathbf x": ours.backward_substitution(upper_right, right_side),
            "j": range(1, 6),
        }
    ],
    "det": [PLU | {r"\det": ours.det}],
    "slogdet": [PLU | {r"\det": determinant}],
    "growth_factor": [
        {
            "a": lambda i, j, k=0: left_over[k][i - 1, j - 1],
            "i": range(1, 6),
            "j": range(1, 6),
            "k": range(6),
            "value": ours.growth_factor(growing),
        }
    ],
}
