"""What the letters stand for in the formulas of svd."""

import numpy as np
from scipy.linalg import hadamard, pinv, polar

from mlnotes.blocks import svd as ours
from mlnotes.blocks.qr import householder_qr
from mlnotes.book.formulas import From, NotRead
from mlnotes.checks import wrong_version

rng = np.random.default_rng(0)
A = rng.normal(size=(7, 5))
U, s, Vt = ours.svd(A)


def known(matrix):
    """Give a matrix with its factors."""
    u, s, vt = ours.svd(matrix)
    return {
        r"\mathbf A": matrix,
        r"\mathbf U": u,
        r"\mathbf s": s,
        r"\mathbf V": vt.T,
        r"\mathbf u": lambda j: u[:, j - 1],
        r"\mathbf v": lambda j: vt[j - 1],
        r"\lambda": np.linalg.eigvalsh(matrix.T @ matrix)[::-1],
        "j": range(1, len(s) + 1),
    }


COMMON = known(A) | {
    "m": 7,
    "n": 5,
    r"\mathbf x": rng.normal(size=5),
    r"\mathbf B": rng.normal(size=(7, 5)),
    "s(": lambda j, matrix: ours.svd(matrix)[1][j - 1],
}

# Entries of a half are exact, so that what is at right angles has a dot product of exactly 0.
halves = hadamard(4)[:, [2, 0, 3, 1]] / 2
exact = hadamard(8)[:, :4] * [5.0, 3.0, 2.0, 1.0] @ halves.T

# Rank 2, near the best. The bounds are reached by the best, and by an error that lifts the third singular value.
near = ours.low_rank(A + 0.05 * rng.normal(size=(7, 5)), 2)
RANK = COMMON | {
    "k": 2,
    r"\mathbf A_k": ours.low_rank(A, 2),
    r"\mathbf B": near,
    "i": range(1, 4),
    r"\mathbf C": From(lambda at: ours.low_rank(A - near, int(at["i"]) - 1)),
}
REACHED = RANK | {
    r"\mathbf B": ours.low_rank(A, 2),
    r"\mathbf z": Vt[2],
    r"\mathbf E": 0.3 * np.outer(U[:, 2], Vt[2]),
    "reached": True,
}

deficient = rng.normal(size=(7, 2)) @ rng.normal(size=(2, 5))
UNDOING = known(deficient) | {
    "j": range(1, 3),
    "r": 2,
    r"\mathbf A^+": ours.pinv(deficient),
    r"\mathbf G": ours.pinv(deficient),
    r"\mathbf H": pinv(deficient),
}

# Two columns whose angle has the tangent 1/2, and a matrix whose columns are nearly dependent.
first, second = np.array([1.0, 2.0, -1.0]), np.array([2.0, 1.0, 2.0])
small = np.array([[1, 1], [0.3, 0], [0, 0.3]])
orthonormal, nearest = householder_qr(rng.normal(size=(7, 5)))[0], polar(A)[0]
TURNED = COMMON | {r"\mathbf Q": orthonormal, r"\mathbf Z": np.array([[orthonormal @ v @ u for u in U.T] for v in Vt])}
square = rng.normal(size=(3, 3))
wrong = wrong_version(ours.svd, "second factor not transposed")(square)
tied = householder_qr(rng.normal(size=(3, 3)))[0] * [0.5, 0.5, 0.25]

FORMULAS = {
    "ellipse-said": [
        {
            r"\mathbf A": exact,
            r"\mathbf v": lambda j: halves[:, j - 1],
            r"\lambda": np.linalg.eigvalsh(exact.T @ exact)[::-1],
            "i": range(1, 5),
            "j": range(1, 5),
        },
        COMMON | {"q": 5},
    ],
    "gram": [{r"\mathbf A": small, r"\varepsilon": 0.3, r"\mathbf s": ours.svd(small)[1]}],
    "gram-why": [
        COMMON | {"u": 0.7, r"\kappa": np.linalg.cond(A)},
        {
            r"\mathbf a": first,
            r"\mathbf b": second,
            r"\tau": np.tan(np.arctan2(2 * first @ second, second @ second - first @ first) / 2),
            r"\zeta": 0.75,
            "scale": 1,
        },
    ],
    "best": [RANK],
    "proof": [REACHED, RANK],
    "weyl": [REACHED],
    "pinv": [UNDOING],
    "penrose-conditions": [UNDOING, UNDOING],
}

INLINE = {
    "ellipse-said": {
        r"\lVert\mathbf A\mathbf x\rVert_2^2=\mathbf x^{\mathsf T}(\mathbf A^{\mathsf T}\mathbf A)\mathbf x": COMMON,
        r"\mathbf A^{\mathsf T}\mathbf A\mathbf v_j=\lambda_j\mathbf v_j": COMMON,
        r"s_j=\sqrt{\lambda_j}": COMMON,
        r"\mathbf A^{\mathsf T}\mathbf A=\mathbf A^2": known(A @ A.T),
        r"\mathbf u_j=-\mathbf v_j": known(-A.T @ A),
    },
    "gram": {r"\varepsilon=10^{-4}": NotRead("a setting")},
    "gram-why": {
        r"\tau=\mathrm{sign}(\zeta)/(|\zeta|+\sqrt{1+\zeta^2})": {
            r"\tau": From(lambda at: np.tan(np.arctan(1 / at[r"\zeta"]) / 2)),
            r"\zeta": [-0.4, 0.7, 3.0],
            r"\mathrm{sign}": np.sign,
        }
    },
    "best": {
        r"\mathbf A_k=\sum_{j\le k}s_j\mathbf u_j\mathbf v_j^{\mathsf T}": RANK,
        r"\lVert\mathbf B\rVert_F^2=\mathrm{tr}\,\mathbf B^{\mathsf T}\mathbf B": COMMON,
        r"\mathbf B=\mathbf A-\mathbf A_k": NotRead("a name"),
    },
    "proof": {r"\sum_{j>k}s_j^2\le\lVert\mathbf A-\mathbf B\rVert_F^2": REACHED},
    "penrose-conditions": {
        r"\mathbf G\mathbf A=\mathbf H\mathbf A": UNDOING,
        r"\mathbf G=\mathbf G\mathbf A\mathbf G=\mathbf G\mathbf A\mathbf H"
        r"=\mathbf H\mathbf A\mathbf H=\mathbf H": UNDOING,
    },
    "wrong-said": {
        r"\mathbf P=\mathbf U\,\mathrm{diag}(\mathbf s)\,\mathbf V": known(square)
        | {r"\mathbf P": wrong[0] * wrong[1] @ wrong[2]},
        r"\mathbf P\mathbf P^{\mathsf T}=\mathbf U\,\mathrm{diag}(\mathbf s)^2\,\mathbf U^{\mathsf T}"
        r"=\mathbf A\mathbf A^{\mathsf T}": known(square) | {r"\mathbf P": wrong[0] * wrong[1] @ wrong[2]},
    },
    "low-rank-start": {r"s_k=s_{k+1}>0": known(tied) | {"k": 1}},
    "pinv-end": {
        r"\lVert\mathbf A-\mathbf Q\rVert_F^2=\lVert\mathbf A\rVert_F^2+n"
        r"-2\,\mathrm{tr}\,\mathbf Q^{\mathsf T}\mathbf A": COMMON | {r"\mathbf Q": orthonormal}
    },
    "orthogonal-start": {
        r"\mathrm{tr}(\mathbf Q^{\mathsf T}\mathbf U\,\mathrm{diag}(\mathbf s)\,\mathbf V^{\mathsf T})"
        r"=\mathrm{tr}(\mathbf Z\,\mathrm{diag}(\mathbf s))=\sum_js_jz_{jj}": TURNED,
        r"\mathbf Z=\mathbf V^{\mathsf T}\mathbf Q^{\mathsf T}\mathbf U": TURNED,
        r"z_{jj}=(\mathbf Q\mathbf v_j)\cdot\mathbf u_j": TURNED,
        r"\mathbf Q\mathbf v_j=\mathbf u_j": COMMON | {r"\mathbf Q": nearest},
        r"\mathbf Q=\mathbf U\mathbf V^{\mathsf T}": COMMON | {r"\mathbf Q": nearest},
    },
    "orthogonal-end": {r"\mathbf A=\mathbf U\,\mathrm{diag}(\mathbf s)\mathbf V^{\mathsf T}": COMMON},
}

jacobi = ours.one_sided_jacobi(A)
faint = known(0.1 * deficient)
faint |= {r"\mathbf A^+": ours.pinv(0.1 * deficient), "i": range(1, 6)}
faint[r"\mathbf s"] = faint[r"\mathbf s"] * (np.arange(5) < 2)  # rounding leaves others that count as zero

DOCSTRINGS = {
    "svd": [COMMON | {r"\mathbf I": np.eye(5)}],
    "one_sided_jacobi": [COMMON | {r"\mathbf U": jacobi.u, r"\mathbf s": jacobi.s, r"\mathbf V": jacobi.vt.T}],
    "pinv": [faint, UNDOING],
    "low_rank": [RANK | {"i": range(1, 6)}],
}
