"""What LU decomposition costs: blocked, column by column, and LAPACK's."""

import numpy as np
import pytest
import scipy.linalg

from mlnotes.blocks.lu import blocked_lu, lu

N = 1024
ENTRANTS = {"mlnotes": blocked_lu, "mlnotes, column by column": lu, "scipy.linalg.lu": scipy.linalg.lu}
A = np.random.default_rng(0).normal(size=(N, N))


@pytest.mark.parametrize("name", ENTRANTS)
def test_time_of(race, name):
    race(
        f"LU decomposition, blocked, float64, {N:,} x {N:,}",
        name,
        lambda a: ENTRANTS[name](a)[2],
        A,
        expected=scipy.linalg.lu(A)[2],
        tolerance=1e-9,
    )


def test_blocked_is_at_least_four_times_as_fast_as_column_by_column(shortest):
    assert shortest(lu, A) >= 4 * shortest(blocked_lu, A)
