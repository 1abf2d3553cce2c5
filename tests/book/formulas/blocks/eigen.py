"""What the letters stand for in the formulas of eigen."""

import math

import numpy as np

from mlnotes.blocks import eigen as ours
from mlnotes.book.formulas import From

rng = np.random.default_rng(0)
n = 5

chances = rng.random((n, n))
chances /= chances.sum(0)
settled = ours.power_iteration(chances).vector

large = rng.random((n, n)) + 0.3  # positive, so that one eigenvalue is the largest, and is real
found = ours.power_iteration(large)
STRETCHED = {
    r"\mathbf A": large,
    r"\mathbf v": found.vector,
    r"\lambda": found.eigenvalue,
    r"\mathbf I": np.eye(n),
    r"\mathbf x": rng.normal(size=n),
    "n": n,
}

BESIDE = STRETCHED | {r"\sigma": 0.4}
TWO = {r"\mathbf A": np.array([[2, 1], [1, 2]]), r"\lambda": [1, 3], r"\mathbf I": np.eye(2)}

A, S = rng.normal(size=(2, n, n))
SIMILAR = {
    r"\mathbf A": A,
    r"\mathbf S": S,
    r"\mathbf B": np.linalg.solve(S, A @ S),
    r"\mathbf I": np.eye(n),
    r"\lambda": 0.7,
}

# Real eigenvalues, but no symmetric matrix.
scale = np.diag(rng.uniform(0.5, 2, n))
values, vectors = np.linalg.eig((S + S.T) @ scale @ scale)
order = np.argsort(-abs(values))
start = rng.normal(size=n)
BASIS = {
    r"\mathbf A": (S + S.T) @ scale @ scale,
    r"\mathbf x": start,
    "c": np.linalg.solve(vectors[:, order], start),
    r"\mathbf c": np.linalg.solve(vectors[:, order], start),
    r"\lambda": lambda i: values[order][i - 1],
    r"\mathbf v": lambda i: vectors[:, order][:, i - 1],
    "k": 3,
    "i": range(1, n + 1),
}

DIAGONALIZED = {
    r"\mathbf A": BASIS[r"\mathbf A"],
    r"\mathbf V": vectors[:, order],
    r"\boldsymbol\lambda": values[order],
}

# An orthonormal basis that begins with an eigenvector.
begun = np.linalg.qr(np.column_stack([found.vector, large[:, 1:]]))[0]
begun[:, 0] = found.vector / np.linalg.norm(found.vector)
SETTLED = {
    r"\mathbf A": large,
    r"\mathbf Q": begun,
    r"\mathbf v_1": begun[:, 0],
    r"\lambda_1": found.eigenvalue,
    r"\mathbf e_1": np.eye(n)[0],
}

# The multiple of v that is nearest to A v.
nearest = np.linalg.lstsq(start[:, None], S @ start)[0].item()
QUOTIENT = {r"\mathbf A": S, r"\mathbf v": start, r"\rho": nearest}

symmetric = S + S.T
of_symmetric, axes = np.linalg.eigh(symmetric)
v1 = axes[:, 1]
near = v1 + 0.3 * rng.normal(size=n)
near /= near @ v1
rest = np.linalg.norm(near - v1)
NEAR = {
    r"\mathbf A": symmetric,
    r"\mathbf v": near,
    r"\mathbf v_1": v1,
    r"\mathbf w": (near - v1) / rest,
    r"\varepsilon": rest,
    r"\rho": ours.rayleigh_quotient(symmetric, near),
    r"\lambda_1": of_symmetric[1],
}
# The error lies along another eigenvector, and is small.
turned_by = 1e-3
NEXT = NEAR | {
    r"\mathbf v": v1 + turned_by * axes[:, 3],
    r"\varepsilon": turned_by,
    r"\rho": ours.rayleigh_quotient(symmetric, v1 + turned_by * axes[:, 3]),
    r"\lambda_2": of_symmetric[3],
    "≈": 1e-4,
}
# A small change of a matrix that is not symmetric, and what it does to one eigenvalue and its vector.
changed_by = 1e-7 * rng.normal(size=(n, n))


def pair_of(matrix):
    """Give the largest eigenvalue, which is real, and its vector, whose first entry is 1."""
    all_values, all_vectors = np.linalg.eig(matrix)
    at = all_values.real.argmax()
    return all_values[at].real, (all_vectors[:, at] / all_vectors[0, at]).real


(at_first, right), (moved_to, right_moved), (_, left) = map(pair_of, (large, large + changed_by, large.T))
CHANGED = {
    r"\mathbf A": large,
    r"\mathrm d\mathbf A": changed_by,
    r"\lambda": at_first,
    r"\mathrm d\lambda": moved_to - at_first,
    r"\mathbf v": right,
    r"\mathrm d\mathbf v": right_moved - right,
    r"\mathbf y": left,
    "tolerance": 1e-5,  # of the products of two small changes
}
# Small whole numbers, which are not rounded: both sides are 0.
MIXED = {
    r"\mathbf A": np.array([[4, 2, 0], [2, 1, 0], [0, 0, 3]]),
    r"\mathbf v_1": np.array([2, 1, 0]),
    r"\mathbf w": np.array([3, -6, 2]),
    r"\lambda_1": 5,
}

Q, R = np.linalg.qr(A)
Q2, R2 = np.linalg.qr(Q.T @ A @ Q)
STEP = {
    r"\mathbf A": A,
    r"\mathbf Q": Q,
    r"\mathbf R": R,
    r"\mathbf A\leftarrow": Q.T @ A @ Q,
    r"\mathbf Q_1": Q,
    r"\mathbf R_1": R,
    r"\mathbf Q_2": Q2,
    r"\mathbf R_2": R2,
}
TWO_STEPS = STEP | {r"\mathbf Q": Q @ Q2, r"\mathbf R": R2 @ R, "k": 2}
sigma = 0.4
Q, R = np.linalg.qr(A - sigma * np.eye(n))
SHIFTED = {
    r"\mathbf A": A,
    r"\mathbf Q": Q,
    r"\mathbf R": R,
    r"\mathbf A\leftarrow": Q.T @ A @ Q,
    r"\sigma": sigma,
    r"\mathbf I": np.eye(n),
}

eps = 0.3
moved = np.linalg.eigvals(np.array([[1, 1], [eps, 1]]))
SHEAR = {r"\mathbf A": np.array([[1, 1], [0, 1]]), r"\mathbf I": np.eye(2), "k": [2, 5]}

coefficients = ours.characteristic_polynomial(A)
p = np.poly1d(coefficients)
places = np.arange(2.0, 2 + n)
products = [p(x) * np.linalg.inv(x * np.eye(n) - A) for x in places]
M = np.tensordot(np.linalg.inv(np.vander(places)), products, 1)  # the coefficients of the polynomials p(x)(xI - A)⁻¹
POLYNOMIAL = {
    r"\mathbf A": A,
    r"\mathbf I": np.eye(n),
    r"\mathbf M": lambda k: M[int(k) - 1],
    "c": lambda i: coefficients[n - int(i)],
    "p(": p,
    "p'(": p.deriv(),
    r"\lambda": lambda i: np.linalg.eigvals(A)[i - 1],
    "x": 1.7,
    "n": n,
    "i": range(1, n + 1),
    "k": range(1, n),
}

ratio, digits = 0.8, 3
STEPS = {
    "r": ratio,
    "d": digits,
    r"\log_{10}": math.log10,
    "k": min(k for k in range(1000) if ratio**k <= 10.0**-digits),
}

FORMULAS = {
    "defective": [CHANGED],
    "settled": [{r"\mathbf A": chances, r"\mathbf v": settled}],
    "ranking-said": [STRETCHED],
    "four-said": [TWO],
    "wilkinson-said": [BASIS],
    "cubic": [NEAR],
}

INLINE = {
    "defective": {
        r"\mathbf y^{\mathsf T}\mathbf A=\lambda\mathbf y^{\mathsf T}": CHANGED,
        r"\mathrm d\mathbf A\,\mathbf v+\mathbf A\,\mathrm d\mathbf v"
        r"=\mathrm d\lambda\,\mathbf v+\lambda\,\mathrm d\mathbf v": CHANGED,
    },
    "four-said": {
        r"\mathbf A\mathbf v=\lambda\mathbf v": STRETCHED,
        r"(\lambda\mathbf I-\mathbf A)\mathbf v=\mathbf 0": STRETCHED | {"scale": 1.0},
        "4=2+2": {},
        r"3=2\cdot2-1\cdot1": {},
        r"\mathbf B=\mathbf S^{-1}\mathbf A\mathbf S": SIMILAR,
        r"\lambda\mathbf I-\mathbf B=\mathbf S^{-1}(\lambda\mathbf I-\mathbf A)\mathbf S": SIMILAR,
    },
    "wilkinson-said": {
        r"\mathbf A\mathbf V=\mathbf V\,\mathrm{diag}(\boldsymbol\lambda)": DIAGONALIZED,
        r"\mathbf A=\mathbf V\,\mathrm{diag}(\boldsymbol\lambda)\,\mathbf V^{-1}": DIAGONALIZED,
        r"\mathbf x=\sum_ic_i\mathbf v_i": BASIS,
        r"\rho=(\mathbf v\cdot\mathbf A\mathbf v)/(\mathbf v\cdot\mathbf v)": QUOTIENT,
    },
    "failures-said": {
        r"\begin{pmatrix}1&1\\0&1\end{pmatrix}^k=\begin{pmatrix}1&k\\0&1\end{pmatrix}": SHEAR,
    },
    "cubic": {
        r"\rho-\lambda_1\approx\varepsilon^2(\lambda_2-\lambda_1)": NEXT,
        r"\mathbf v=\mathbf v_1+\varepsilon\mathbf w": NEAR,
        r"\mathbf v_1\cdot\mathbf A\mathbf w=\lambda_1\mathbf v_1\cdot\mathbf w=0": MIXED,
    },
    "cubic-asides": {
        r"\mathbf A-2\mathbf I=\begin{pmatrix}0&1\\1&0\end{pmatrix}": {
            r"\mathbf A": np.array([[2.0, 1], [1, 2]]),
            r"\mathbf I": np.eye(2),
        },
    },
    "all": {
        r"\mathbf A=\mathbf Q\mathbf R": STEP,
        r"\mathbf A\leftarrow\mathbf R\mathbf Q": STEP,
        r"\mathbf R=\mathbf Q^{\mathsf T}\mathbf A": STEP,
    },
    "shifts": {
        r"(\mathbf A-\sigma\mathbf I)\mathbf v=(\lambda-\sigma)\mathbf v": BESIDE,
        r"(\mathbf A-\sigma\mathbf I)^{-1}\mathbf v=\frac1{\lambda-\sigma}\mathbf v": BESIDE,
    },
    "qr-why": {
        r"\mathbf Q^{\mathsf T}\mathbf A\mathbf v_1=\lambda_1\mathbf Q^{\mathsf T}\mathbf v_1"
        r"=\lambda_1\mathbf e_1": SETTLED,
        r"\mathbf A^2=\mathbf Q_1(\mathbf R_1\mathbf Q_1)\mathbf R_1"
        r"=\mathbf Q_1\mathbf Q_2\mathbf R_2\mathbf R_1": STEP,
        r"(\mathbf A^{\mathsf T})^{-k}=\mathbf Q\mathbf R^{-\mathsf T}": TWO_STEPS,
        r"\mathbf A-\sigma\mathbf I=\mathbf Q\mathbf R": SHIFTED,
        r"\mathbf A\leftarrow\mathbf R\mathbf Q+\sigma\mathbf I": SHIFTED,
    },
    "jacobi": {
        r"\mathbf A=\mathbf V\,\mathrm{diag}(\boldsymbol\lambda)\,\mathbf V^{\mathsf T}": {
            r"\mathbf A": symmetric,
            r"\mathbf V": axes,
            r"\boldsymbol\lambda": of_symmetric,
        },
        r"a_{pp}^2+a_{qq}^2+2a_{pq}^2": {
            r"\mathbf A": symmetric,
            "p": 2,
            "q": 4,
            "value": (np.linalg.eigvalsh(symmetric[np.ix_([1, 3], [1, 3])]) ** 2).sum(),
        },
    },
    "defective-said": {
        r"(1-\lambda)^2=\varepsilon": {r"\varepsilon": eps, r"\lambda": list(moved)},
        r"\lambda=1\pm\sqrt\varepsilon": {
            r"\varepsilon": eps,
            r"\pm": [1, -1],
            r"\lambda": From(lambda at: max(moved) if at[r"\pm"] > 0 else min(moved)),
        },
    },
    "defective-methods-said": {
        r"(9/10)^2=0.81": {},
        r"(\mathbf A-\tfrac12\mathbf I)^{-1}=2\begin{pmatrix}1&-2\\0&1\end{pmatrix}": SHEAR,
    },
    "rayleigh-end": {
        r"\mathbf M_1=\mathbf I": POLYNOMIAL,
        r"c_n=1": POLYNOMIAL,
        r"c_{n-k}=-\mathrm{tr}(\mathbf A\mathbf M_k)/k": POLYNOMIAL | {"k": range(1, n + 1)},
        r"\mathbf M_{k+1}=\mathbf A\mathbf M_k+c_{n-k}\mathbf I": POLYNOMIAL,
    },
    "polynomial-start": {
        r"\mathbf M_{k+1}-\mathbf A\mathbf M_k=c_{n-k}\mathbf I": POLYNOMIAL,
        r"p(\lambda)\sum_i1/(\lambda-\lambda_i)=p'(\lambda)": POLYNOMIAL
        | {r"\lambda": 1.7, r"\lambda_i": From(lambda at: np.linalg.eigvals(A)[int(at["i"]) - 1])},
        r"\mathrm{tr}\,\mathbf M_{k+1}=(n-k)\,c_{n-k}": POLYNOMIAL,
        r"\mathrm{tr}\,\mathbf M_{k+1}=\mathrm{tr}\,\mathbf A\mathbf M_k+n\,c_{n-k}": POLYNOMIAL,
        r"c_{n-k}=-\mathrm{tr}(\mathbf A\mathbf M_k)/k": POLYNOMIAL | {"k": range(1, n + 1)},
    },
    "rayleigh-start": {
        r"(\mathbf v\cdot\mathbf A\mathbf v)/(\mathbf v\cdot\mathbf v)": QUOTIENT | {"value": QUOTIENT[r"\rho"]}
    },
    "steps-start": {
        r"r^k\le10^{-d}": STEPS,
        r"k\log_{10}r\le-d": STEPS,
        r"k\ge-d/\log_{10}r": STEPS,
    },
}

# Vectors and estimates as they are after k steps; they never are near enough for a tolerance of zero.
shift = 0.2


def after(method, begin, *given):
    return lambda k: method(symmetric, *given, start=begin, steps=k, tolerance=0)


def falling(method, near, *given):
    """Give how the error falls with a start of two eigenvectors: the part along the second, beside the first."""
    order = np.argsort(near)
    found = after(method, axes[:, order[:2]] @ [1, 0.6], *given)
    return {
        r"\lambda": of_symmetric[order],
        r"\sigma": shift,
        "k": range(4),
        "value": From(lambda at: abs(np.divide(*(found(at["k"]).vector @ axes[:, order[1::-1]]))) / 0.6),
    }


def stepping(method, shifts, *given):
    found = after(method, start, *given)
    solved = From(lambda at: np.linalg.solve(symmetric - shifts(at["k"]) * np.eye(n), found(at["k"]).vector))
    return {
        r"\mathbf A": symmetric,
        r"\mathbf I": np.eye(n),
        r"\mathbf v": lambda k: found(k).vector,
        r"\mathbf w": solved,
        r"\rho": lambda k: found(k).eigenvalue,
        r"\sigma": shift,
        "k": range(3),
    }


stepped_from = after(ours.rayleigh_iteration, start)

# The Hessenberg form after one step. Its rows and columns have signs that a QR decomposition is free to choose.
hessenberg, to_hessenberg = ours.hessenberg(A)
shifts = np.linalg.eigvals(hessenberg[-2:, -2:])
shifted = np.linalg.multi_dot([hessenberg - it * np.eye(n) for it in shifts]).real
Q, R = np.linalg.qr(shifted)
francis = hessenberg.copy()
ours._francis_step(francis, exceptional=False)
below = ours.qr_iteration(A, steps=1).subdiagonals[1]
np.fill_diagonal(francis[1:], np.sign(np.diag(francis, -1)) * below)
signs = np.cumprod([1, *np.sign(np.diag(francis, -1) * np.diag(Q.T @ hessenberg @ Q, -1))])
FRANCIS = {
    r"\mathbf H": hessenberg,
    r"\sigma": lambda i: shifts[i - 1],
    r"\mathbf I": np.eye(n),
    r"\mathbf Q": Q * signs,
    r"\mathbf R": signs[:, None] * R,
    r"\mathbf H\leftarrow": francis,
}

# The polynomials of the Hessenberg form's first rows and columns; the last is that of A.
firsts = [np.ones(1), *(ours.characteristic_polynomial(hessenberg[:i, :i]) for i in range(1, n)), coefficients]
FIRSTS = {
    r"\mathbf H": hessenberg,
    "p(": lambda i, x: np.polyval(firsts[i], x),
    "x": 1.7,
    "i": range(1, n + 1),
    "j": range(1, n + 1),
}

w, V = ours.jacobi_eigh(symmetric)
rotated, rotation = symmetric.copy(), np.eye(n)
ours._rotate(rotated, rotation, np.array([1]), np.array([3]))
ROTATED = {
    r"\mathbf A": symmetric,
    r"\mathbf B": rotated,
    r"\mathbf J": rotation.T,
    "p": 2,
    "q": 4,
    "i": range(1, n + 1),
    "j": range(1, n + 1),
    r"i\ne j": ("i", "j"),
}

DOCSTRINGS = {
    "power_iteration": [stepping(ours.power_iteration, lambda k: 0)],
    "inverse_iteration": [stepping(ours.inverse_iteration, lambda k: shift, shift)],
    "rayleigh_iteration": [stepping(ours.rayleigh_iteration, lambda k: stepped_from(k).eigenvalue)],
    "rayleigh_quotient": [
        {r"\mathbf A": A, r"\mathbf v": start, r"\rho": lambda v: ours.rayleigh_quotient(A, v[:, 0])}
    ],
    "qr_iteration": [FRANCIS],
    "hessenberg": [{r"\mathbf A": A, r"\mathbf H": hessenberg, r"\mathbf Q": to_hessenberg}],
    "characteristic_polynomial": [POLYNOMIAL | {"=": p(1.7)}, FIRSTS],
    "jacobi_eigh": [{r"\mathbf A": symmetric, r"\mathbf V": V, r"\mathbf w": w, r"\mathbf I": np.eye(n)}],
    "jacobi_iteration": [ROTATED],
}
DOCSTRINGS_INLINE = {
    "power_iteration": {r"|\lambda_2/\lambda_1|^k": falling(ours.power_iteration, -abs(of_symmetric))},
    "inverse_iteration": {
        r"|(\lambda_1 - \sigma)/(\lambda_2 - \sigma)|^k": falling(
            ours.inverse_iteration, abs(of_symmetric - shift), shift
        )
    },
}
