"""What commuting with shifts costs: averaged over all shifts, as a matrix with equal diagonals, or as a convolution."""

import numpy as np
import pytest

from mlnotes.blocks.equivariance import symmetrize_equivariant
from mlnotes.groups import cyclic_shifts

N = 256
_rng = np.random.default_rng(0)


def averaged(a):
    """Average a dense map over all shifts, each time that it is applied."""
    n = len(a)
    shifts = cyclic_shifts(n)
    table = np.add.outer(range(n), range(n)) % n
    return symmetrize_equivariant(lambda x: a @ x, shifts, shifts, table)


def kernel(a):
    """Average the weights instead: one number for each distance."""
    return np.array([np.mean(np.diagonal(np.roll(a, -k, axis=0))) for k in range(len(a))])


def circulant(a):
    """Shift the kernel to every column."""
    k = kernel(a)
    matrix = np.stack([np.roll(k, j) for j in range(len(k))], axis=1)
    return lambda x: matrix @ x


def by_fourier(a):
    """Convolve by multiplying Fourier transforms."""
    spectrum = np.fft.rfft(kernel(a))
    return lambda x: np.fft.irfft(spectrum * np.fft.rfft(x), len(x))


ENTRANTS = {"mlnotes": averaged, "weights averaged before": circulant, "numpy.fft": by_fourier}


@pytest.mark.parametrize("name", ENTRANTS)
def test_time_of(race, big, name):
    n = big(N)
    a, x = _rng.normal(size=(n, n)), _rng.normal(size=n)
    expected = circulant(a)(x)
    race(f"A map that commutes with {n} shifts", name, ENTRANTS[name](a), x, expected=expected, tolerance=1e-10)
