"""What norms cost, beside formulas without a scale, NumPy, SciPy and PyTorch."""

import numpy as np
import pytest
import scipy.linalg
import torch

from mlnotes.blocks.norm import matrix_norm, vector_norm

SHAPES = {"one vector of 100,003": (1, 100_003), "10,007 vectors of 11": (10_007, 11)}


# It overflows for coordinates above 1e154.
def printed(x, p):
    return (np.abs(x) ** p).sum(-1) ** (1 / p)


ENTRANTS = {
    "mlnotes": vector_norm,
    "the formula as printed": printed,
    "numpy.linalg.vector_norm": lambda x, p: np.linalg.vector_norm(x, ord=p, axis=-1),
    "torch.linalg.vector_norm": lambda x, p: torch.linalg.vector_norm(torch.asarray(x), p, -1).numpy(),
}
OF_MATRICES = {"mlnotes": matrix_norm, "scipy.linalg.norm": lambda a, kind: scipy.linalg.norm(a, ORDERS[kind])}
ORDERS = {"frobenius": "fro", "one": 1, "spectral": 2}


@pytest.mark.parametrize("name", ENTRANTS)
@pytest.mark.parametrize("p", [1, 2, 3])
@pytest.mark.parametrize("size", SHAPES)
def test_time_of_vectors(race, size, p, name):
    x = np.random.default_rng(0).normal(size=SHAPES[size])
    race(f"p = {p}, {size}", name, ENTRANTS[name], x, p, expected=printed(x, p), tolerance=1e-12)


@pytest.mark.parametrize("name", OF_MATRICES)
@pytest.mark.parametrize("kind", ORDERS)
def test_time_of_a_matrix(race, kind, name):
    a = np.random.default_rng(0).normal(size=(211, 199))
    expected = np.linalg.norm(a, ORDERS[kind])
    race(f"{kind}, 211 x 199", name, OF_MATRICES[name], a, kind, expected=expected, tolerance=1e-12)
