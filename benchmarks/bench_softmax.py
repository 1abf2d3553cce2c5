"""What softmax and log-sum-exp cost, beside the formula as it is printed, SciPy and PyTorch."""

import numpy as np
import pytest
import scipy.special
import torch

from mlnotes.blocks.softmax import logsumexp, softmax

SHAPES = {"one row of 1,009": (1, 1009), "1,009 rows of 1,009": (1009, 1009)}


# These overflow for scores above 88 in float32.
def printed_softmax(x):
    weights = np.exp(x)
    return weights / weights.sum(-1, keepdims=True)


def printed_logsumexp(x):
    return np.log(np.exp(x).sum(-1))


ON_NUMPY = {
    "softmax": {
        "mlnotes": softmax,
        "the formula as printed": printed_softmax,
        "scipy.special.softmax": lambda x: scipy.special.softmax(x, axis=-1),
    },
    "logsumexp": {
        "mlnotes": logsumexp,
        "the formula as printed": printed_logsumexp,
        "scipy.special.logsumexp": lambda x: scipy.special.logsumexp(x, axis=-1),
    },
}
ON_TORCH = {
    "softmax": {"mlnotes": softmax, "torch.softmax": lambda x: torch.softmax(x, -1)},
    "logsumexp": {"mlnotes": logsumexp, "torch.logsumexp": lambda x: torch.logsumexp(x, -1)},
}
ORACLES = {"softmax": scipy.special.softmax, "logsumexp": scipy.special.logsumexp}


@pytest.mark.parametrize(
    ("what", "library", "name", "function"),
    [
        (what, library, name, function)
        for library, entrants in {"NumPy": ON_NUMPY, "PyTorch": ON_TORCH}.items()
        for what, functions in entrants.items()
        for name, function in functions.items()
    ],
)
@pytest.mark.parametrize("size", SHAPES)
def test_time_of(race, size, what, library, name, function):
    x = np.random.default_rng(0).normal(0, 2, SHAPES[size])
    race(
        f"{what}, {library}, float32, {size}",
        name,
        function,
        x.astype(np.float32) if library == "NumPy" else torch.asarray(x, dtype=torch.float32),
        expected=ORACLES[what](x, axis=-1),
        tolerance=1e-5,
    )
