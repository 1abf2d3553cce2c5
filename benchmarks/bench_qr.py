"""What QR decomposition costs: by reflections in blocks, one by one, and LAPACK's."""

import numpy as np
import pytest
import scipy.linalg

from mlnotes.blocks.qr import blocked_qr, householder_qr

N = 1024
ENTRANTS = {
    "mlnotes": blocked_qr,
    "mlnotes, column by column": householder_qr,
    "scipy.linalg.qr": lambda a: scipy.linalg.qr(a, mode="economic"),
}


def draw(n):
    return np.random.default_rng(0).normal(size=(n, n))


@pytest.mark.parametrize("name", ENTRANTS)
def test_time_of(race, big, name):
    a = draw(big(N))
    race(
        f"QR decomposition, blocked, float64, {len(a):,} x {len(a):,}",
        name,
        lambda a: np.abs(ENTRANTS[name](a)[1]),
        a,
        expected=np.abs(scipy.linalg.qr(a, mode="r")[0]),
        tolerance=1e-9,
    )


def test_blocked_is_at_least_four_times_as_fast_as_column_by_column(shortest):
    by_columns, by_blocks = shortest([householder_qr, blocked_qr], draw(N))
    assert by_columns >= 4 * by_blocks
