"""What least squares costs by each method, beside LAPACK's."""

from functools import partial

import numpy as np
import pytest
import scipy.linalg

from mlnotes.applications.least_squares import lstsq

M, N = 4096, 64
ENTRANTS = {
    "mlnotes": lstsq,
    "mlnotes, normal equations": partial(lstsq, method="normal"),
    "mlnotes, svd": partial(lstsq, method="svd"),
    "numpy.linalg.lstsq": lambda a, b: np.linalg.lstsq(a, b)[0],
    "scipy.linalg.lstsq, gelsy": lambda a, b: scipy.linalg.lstsq(a, b, lapack_driver="gelsy")[0],
}


def draw(m):
    rng = np.random.default_rng(0)
    return rng.normal(size=(m, N)), rng.normal(size=m)


@pytest.mark.parametrize("name", ENTRANTS)
def test_time_of(race, big, name):
    a, b = draw(big(M))
    race(
        f"Least squares, float64, {len(a):,} x {N}",
        name,
        ENTRANTS[name],
        a,
        b,
        expected=np.linalg.lstsq(a, b)[0],
        tolerance=1e-9,
    )


def test_normal_equations_are_at_least_five_times_as_fast_as_qr_and_qr_as_the_svd(shortest):
    a, b = draw(M)
    normal, qr, svd = shortest([partial(lstsq, method=it) for it in ("normal", "qr", "svd")], a, b)
    assert qr >= 5 * normal
    assert svd >= 5 * qr
