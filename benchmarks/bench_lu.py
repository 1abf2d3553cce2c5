"""What LU decomposition costs: blocked, column by column, and LAPACK's."""

import numpy as np
import pytest
import scipy.linalg

from mlnotes.blocks.lu import blocked_lu, lu

N = 1024
ENTRANTS = {"mlnotes": blocked_lu, "mlnotes, column by column": lu, "scipy.linalg.lu": scipy.linalg.lu}


def draw(n):
    return np.random.default_rng(0).normal(size=(n, n))


@pytest.mark.parametrize("name", ENTRANTS)
def test_time_of(race, big, name):
    a = draw(big(N))
    race(
        f"LU decomposition, blocked, float64, {len(a):,} x {len(a):,}",
        name,
        lambda a: ENTRANTS[name](a)[2],
        a,
        expected=scipy.linalg.lu(a)[2],
        tolerance=1e-9,
    )


def test_blocked_is_at_least_four_times_as_fast_as_column_by_column(shortest):
    by_columns, by_blocks = shortest([lu, blocked_lu], draw(N))
    assert by_columns >= 4 * by_blocks
