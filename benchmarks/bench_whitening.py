"""What whitening costs: by QR and rotations, by eigenvectors of the covariance, and by its triangle."""

import numpy as np
import pytest
import scipy.linalg

from mlnotes.applications.whitening import whiten

N, D = 4096, 64


def by_eigenvectors(x):
    x = x - x.mean(axis=0)
    variances, v = np.linalg.eigh(x.T @ x / len(x))
    return x @ (v / np.sqrt(variances)) @ v.T


def by_triangle(x):
    x = x - x.mean(axis=0)
    factor = np.linalg.cholesky(x.T @ x / len(x))
    return scipy.linalg.solve_triangular(factor, x.T, lower=True).T


ENTRANTS = {
    "mlnotes": lambda x: whiten(x, "zca"),
    "mlnotes, cholesky": lambda x: whiten(x, "cholesky"),
    "eigenvectors of the covariance": by_eigenvectors,
    "triangle of the covariance": by_triangle,
}


def draw(n):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, D)) @ rng.normal(size=(D, D))


@pytest.mark.parametrize("name", ENTRANTS)
def test_time_of(race, big, name):
    x = draw(big(N))
    race(
        f"Whitening, float64, {len(x):,} samples of {D} features",
        name,
        ENTRANTS[name],
        x,
        expected=whiten(x, "cholesky" if name in ("mlnotes, cholesky", "triangle of the covariance") else "zca"),
        tolerance=1e-7,
    )
