"""What the letters stand for in the formulas of whitening."""

import numpy as np

from mlnotes.applications.whitening import KINDS, covariance, standardize, whiten, whitening_matrix, whitening_rotation
from mlnotes.book.formulas import From, NotRead

rng = np.random.default_rng(0)
n, d, eps = 7, 3, 0.3
raw = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + rng.normal(size=d)
X = raw - raw.mean(axis=0)
sigma = np.cov(X, rowvar=False, ddof=0)
PCA, ZCA, CHOLESKY = (whitening_matrix(X, kind) for kind in ("pca", "zca", "cholesky"))
variances, V = np.linalg.eigh(sigma)
variances, V = variances[::-1], V[:, ::-1]
V = V * np.sign((PCA * V).sum(axis=0))
U = X @ V / np.linalg.norm(X @ V, axis=0)
Q, T = np.linalg.qr(X)
Q, T = Q * np.sign(np.diag(T)), np.sign(np.diag(T))[:, None] * T
turn = np.linalg.qr(rng.normal(size=(d, d)))[0]

COMMON = {
    "n": n,
    "d": d,
    "i": range(1, n + 1),
    "j": range(1, d + 1),
    "k": range(1, d + 1),
    r"\varepsilon": eps,
    r"\mathbf X": X,
    r"\mathbf\Sigma": covariance(X),
    r"\Sigma": covariance(X),
    r"\mathbf I": np.eye(d),
    r"\mathbf V": V,
    r"\mathbf\Lambda": np.diag(variances),
    r"\lambda": variances,
    r"\mathbf U": U,
    r"\mathbf s": np.linalg.svdvals(X),
    r"\mathbf R": whitening_rotation(X, "cholesky", "pca"),
    r"\mathbf W": CHOLESKY,
    r"\mathbf Z": whiten(X, "cholesky"),
    r"\mathbf W_1": ZCA,
    r"\mathbf W_2": CHOLESKY,
    r"\mathbf Q": whitening_rotation(X, "zca", "cholesky"),
    r"\mathbf L": np.linalg.cholesky(sigma),
}
# all pairs of two draws from five numbers
numbers = rng.normal(size=5)
DRAWN = {
    "x": np.repeat(numbers, 5),
    "x'": np.tile(numbers, 5),
    "E": np.mean,
    r"\mathrm{Var}": np.var,
}
OTHER = COMMON | {r"\mathbf W_1": CHOLESKY, r"\mathbf W_2": PCA}
GRAM_SCHMIDT = COMMON | {r"\mathbf Q": Q, r"\mathbf T": T}
AWAY = {k: v for k, v in COMMON.items() if k != r"\mathbf V"} | {
    r"\mathbf v": lambda j: V[:, int(j) - 1],
    r"\mathbf Q": turn,
    r"\mathbf W": ZCA @ turn,
}
BELIEVED = COMMON | {
    r"\mathbf W": whitening_matrix(X, "cholesky", eps),
    r"\mathbf Z": whiten(X, "cholesky", eps),
    r"\mathbf R": whitening_rotation(X, "cholesky", "pca", eps),
    r"\lambda_j": variances,  # all of them, to be put on a diagonal
}
rho = 0.6
two = np.array([[1.0, rho], [rho, 1.0]])
low, high = np.linalg.eigvalsh(two)
TWO = {r"\mathbf\Sigma": two, r"\rho": rho, "a": high**-0.5, "b": low**-0.5, r"\lambda": high}
two_classes = rng.normal(size=(12, d)) @ rng.normal(size=(d, d))
two_classes[:5] += rng.normal(size=d)
centers = np.stack([two_classes[:5].mean(axis=0), two_classes[5:].mean(axis=0)])
CLASSES = {
    r"\mathbf\Sigma": covariance(two_classes),
    r"\mathbf\Sigma_w": covariance(two_classes - np.repeat(centers, (5, 7), axis=0)),
    r"\mathbf d": centers[0] - centers[1],
    "p": 5 / 12,
}
four = np.array([[3.0, 3.0], [-3.0, -3.0], [1.0, -1.0], [-1.0, 1.0]])

FORMULAS = {
    "standardize": [
        COMMON
        | {
            r"\mathbf X": raw,
            r"\mathbf Z": standardize(raw, eps),
            r"\hat\mu": raw.mean(axis=0),
            r"\hat\sigma": raw.std(axis=0),
        }
    ],
    "nearest-said": [COMMON],
    "ddof": [COMMON | {r"\mathbf X": raw, r"\hat{\boldsymbol\mu}": raw.mean(axis=0), r"\boldsymbol\mu": turn[0]}],
    "ddof-said": [COMMON],
    "all": [COMMON, COMMON],
    "decompositions": [COMMON],
    "why-zca": [COMMON, COMMON | {r"\mathbf W": [whitening_matrix(X, kind) for kind in KINDS]}],
    "eps-derived": [BELIEVED],
    "axes-said": [{"z": 0.7, "m_1": -1.3, "m_0": 0.4}],
    "within-said": [CLASSES],
    "two-start": [TWO],
}
INLINE = {
    "whitened-said": {
        r"\mathbf W\mathbf W^{\mathsf T}=\mathbf\Sigma^{-1}": COMMON | {r"\mathbf W": [PCA, ZCA, CHOLESKY]},
    },
    "units": {r"\mathrm{Var}(x)=E[(x-E[x])^2]": DRAWN, r"E[(x-x')^2]=2\,\mathrm{Var}(x)": DRAWN},
    "ddof-said": {
        r"\mathbf\Sigma=\mathbf V\mathbf\Lambda\mathbf V^{\mathsf T}": COMMON,
        r"\mathbf V^{\mathsf T}\mathbf\Sigma\mathbf V=\mathbf\Lambda": COMMON,
        r"\mathbf W=\mathbf V\mathbf\Lambda^{-1/2}": COMMON | {r"\mathbf W": PCA},
        r"\lambda=5+4": {r"\lambda": np.linalg.eigvalsh(covariance(four))[1]},
    },
    "all": {
        r"(\mathbf W\mathbf Q)^{\mathsf T}\mathbf\Sigma\,\mathbf W\mathbf Q"
        r"=\mathbf Q^{\mathsf T}\mathbf Q=\mathbf I": COMMON | {r"\mathbf Q": turn},
        r"\mathbf W_1^{\mathsf T}\mathbf\Sigma\mathbf W_1=\mathbf I": OTHER,
        r"\mathbf\Sigma=\mathbf W_1^{-\mathsf T}\mathbf W_1^{-1}": OTHER,
        r"\mathbf Q=\mathbf W_1^{-1}\mathbf W_2": COMMON,
        r"\mathbf z=\mathbf R\mathbf\Lambda^{-1/2}\mathbf V^{\mathsf T}\mathbf x": COMMON
        | {r"\mathbf R": V, r"\mathbf x": X[0], r"\mathbf z": whiten(X, "zca")[0]},
        r"\mathbf W=\mathbf V\mathbf\Lambda^{-1/2}\mathbf V^{\mathsf T}=\mathbf\Sigma^{-1/2}": COMMON
        | {r"\mathbf W": ZCA},
        r"\mathbf\Sigma=\mathbf L\mathbf L^{\mathsf T}": COMMON,
        r"\mathbf W=\mathbf L^{-\mathsf T}": COMMON,
        r"\mathbf L^{-1}\mathbf L\mathbf L^{\mathsf T}\mathbf L^{-\mathsf T}=\mathbf I": COMMON,
    },
    "decompositions": {
        r"\mathbf X=\mathbf U\,\mathrm{diag}(\mathbf s)\,\mathbf V^{\mathsf T}": COMMON,
        r"\mathbf\Sigma=\mathbf V\,\mathrm{diag}(\mathbf s^2/n)\,\mathbf V^{\mathsf T}": COMMON,
        r"\mathbf\Sigma=\mathbf T^{\mathsf T}\mathbf T/n": GRAM_SCHMIDT,
        r"\mathbf L=\mathbf T^{\mathsf T}/\sqrt n": GRAM_SCHMIDT,
        r"\mathbf X\mathbf L^{-\mathsf T}=\sqrt n\,\mathbf Q": GRAM_SCHMIDT,
    },
    "why-zca": {
        r"\mathbf W=\mathbf\Sigma^{-1/2}\mathbf Q": COMMON,
        r"\operatorname{tr}\mathbf\Sigma\mathbf W=\operatorname{tr}\mathbf\Sigma^{1/2}\mathbf Q"
        r"=\sum_j\sqrt{\lambda_j}\,\mathbf v_j^{\mathsf T}\mathbf Q\mathbf v_j": AWAY,
    },
    "filters-said": {r"\mathbf\Sigma\mathbf\Sigma^{-1}=\mathbf I": COMMON},
    "within-said": {r"\mathbf\Sigma=\mathbf\Sigma_w+p(1-p)\,\mathbf d\mathbf d^{\mathsf T}": CLASSES},
    "figure-2": {r"\varepsilon=10^{-3}": NotRead("a choice")},
    "eps-derived": {
        r"\mathbf W=\mathbf V(\mathbf\Lambda+\varepsilon\mathbf I)^{-1/2}\mathbf R^{\mathsf T}": BELIEVED,
    },
    "descent-why": {
        r"J(\mathbf w)=\frac1{2n}\lVert\mathbf X\mathbf w-\mathbf y\rVert_2^2": COMMON
        | {
            "J": lambda w: np.mean((X @ w[:, 0] - raw[:, 0]) ** 2) / 2,
            r"\mathbf w": turn[0],
            r"\mathbf y": raw[:, 0],
        }
    },
    "wrong-asked": {r"\varepsilon=10^{-5}": NotRead("a choice")},
    "wrong-said": {"4+0+4=8": {}},
    "two-start": {
        r"\lambda=1+\rho": TWO,
        r"a=(1+\rho)^{-1/2}": TWO,
        r"b=(1-\rho)^{-1/2}": TWO,
    },
    "two-end": {
        r"\mathbf W^{\mathsf T}\mathbf\Sigma\mathbf W=\mathbf I": COMMON,
        r"\mathbf W=\mathbf V\mathbf\Lambda^{-1/2}\mathbf R^{\mathsf T}": COMMON,
    },
}

ddof = 2
UNBIASED = COMMON | {
    "kind": list(KINDS),  # no letter: W and R go through them together
    r"\delta": ddof,
    r"\mathbf\Sigma": covariance(raw, ddof),
}
around = np.cov(raw, rowvar=False, ddof=ddof) + eps * np.eye(d)
BOTH = {
    r"\mathbf W_1": whitening_matrix(raw, "cholesky", eps, ddof),
    r"\mathbf W_2": whitening_matrix(raw, "zca", eps, ddof),
    r"\mathbf Q": whitening_rotation(raw, "cholesky", "zca", eps, ddof),
}


def turn_of(kind, eps):
    return whitening_rotation(raw, kind, "pca", eps, ddof)


DOCSTRINGS = {
    "standardize": [
        COMMON
        | {
            r"\mathbf X": raw,
            r"\mathbf Z": standardize(raw, eps, ddof),
            r"\hat\mu": raw.mean(axis=0),
            r"\hat\sigma": raw.std(axis=0, ddof=ddof),
        }
    ],
    "covariance": [
        UNBIASED | {r"\mathbf X": raw, r"\mathbf 1": np.ones(n), r"\hat{\boldsymbol\mu}": raw.mean(axis=0)},
    ],
    "whiten": [
        UNBIASED
        | {
            r"\mathbf Z": From(lambda at: whiten(raw, at["kind"], ddof=ddof)),
            r"\mathbf W": From(lambda at: whitening_matrix(raw, at["kind"], ddof=ddof)),
        },
        UNBIASED
        | {
            r"\mathbf S": np.diag(np.linalg.svdvals(X)),
            r"\mathbf Z": From(lambda at: whiten(raw, at["kind"], ddof=ddof)),
            r"\mathbf R": From(lambda at: turn_of(at["kind"], 0.0)),
        },
    ],
    "whitening_matrix": [
        UNBIASED
        | {
            r"\mathbf\Lambda": np.diag(variances * n / (n - ddof)),
            r"\mathbf W": From(lambda at: whitening_matrix(raw, at["kind"], eps, ddof)),
            r"\mathbf R": From(lambda at: turn_of(at["kind"], eps)),
            r"\mathbf L": np.linalg.cholesky(around),
            r"\text{PCA: }": {r"\mathbf R": turn_of("pca", eps)},
            r"\text{ZCA: }": {r"\mathbf R": turn_of("zca", eps)},
            r"\text{Cholesky: }": {r"\mathbf R": turn_of("cholesky", eps)},
        }
    ],
    "whitening_rotation": [
        BOTH | {r"\mathbf R_1": turn_of("cholesky", eps), r"\mathbf R_2": turn_of("zca", eps)},
    ],
}
