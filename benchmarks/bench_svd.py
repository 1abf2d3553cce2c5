"""What singular values cost: by rotations, by rotations of the triangle that QR leaves, and LAPACK's."""

import numpy as np
import pytest

from mlnotes.blocks.svd import svd

M, N = 4096, 64


def after_qr(a):
    q, r = np.linalg.qr(a)
    u, s, vt = svd(r)
    return q @ u, s, vt


ENTRANTS = {
    "mlnotes": svd,
    "mlnotes, after QR": after_qr,
    "numpy.linalg.svd": lambda a: np.linalg.svd(a, full_matrices=False),
}


def draw(m):
    return np.random.default_rng(0).normal(size=(m, N))


@pytest.mark.parametrize("name", ENTRANTS)
def test_time_of(race, big, name):
    a = draw(big(M))
    race(
        f"Singular value decomposition, float64, {len(a):,} x {N}",
        name,
        lambda a: ENTRANTS[name](a)[1],
        a,
        expected=np.linalg.svd(a, compute_uv=False),
        tolerance=1e-9,
    )


def test_a_tall_matrix_is_at_least_three_times_as_fast_after_qr(shortest):
    plain, after = shortest([svd, after_qr], draw(M))
    assert plain >= 3 * after
