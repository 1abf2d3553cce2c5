"""What eigenvalues cost: by the QR algorithm and by rotations, beside LAPACK's."""

import numpy as np
import pytest

from mlnotes.blocks.eigen import jacobi_eigh, qr_algorithm, qr_iteration

N = 128
OF_ANY = {"mlnotes": qr_algorithm, "numpy.linalg.eigvals": np.linalg.eigvals}
OF_SYMMETRIC = {
    "mlnotes": lambda a: jacobi_eigh(a)[0],
    "mlnotes, QR algorithm": lambda a: np.sort(qr_algorithm(a).real),
    "numpy.linalg.eigh": lambda a: np.linalg.eigh(a)[0],
}


def draw(n):
    return np.random.default_rng(0).normal(size=(n, n))


@pytest.mark.parametrize("name", OF_ANY)
def test_time_of(race, big, name):
    a = draw(big(N))
    race(
        f"Eigenvalues, float64, {len(a)} x {len(a)}",
        name,
        lambda a: np.sort(abs(OF_ANY[name](a))),
        a,
        expected=np.sort(abs(np.linalg.eigvals(a))),
        tolerance=1e-9,
    )


@pytest.mark.parametrize("name", OF_SYMMETRIC)
def test_time_of_symmetric(race, big, name):
    a = draw(big(N))
    a = (a + a.T) / 2
    race(
        f"Eigenvalues of a symmetric matrix, float64, {len(a)} x {len(a)}",
        name,
        lambda a: np.sort(OF_SYMMETRIC[name](a)),
        a,
        expected=np.linalg.eigvalsh(a),
        tolerance=1e-9,
    )


@pytest.mark.parametrize("n", [8, 32, 96])
def test_the_qr_algorithm_takes_some_two_steps_for_each_eigenvalue_however_many_there_are(n):
    found = qr_iteration(draw(n))
    assert found.converged
    assert len(found.subdiagonals) - 1 < 2.5 * n
