"""The linear layer with its weights."""

import numpy as np
import torch

from mlnotes.applications.linear import glorot_deviation, linear


class Linear(torch.nn.Module):
    """Hold the weights and biases of `mlnotes.applications.linear.linear`.

    Parameters
    ----------
    d_in, d_out : int
        Widths of the inputs and outputs.
    bias : bool
        Whether there are biases.
    rng : numpy.random.Generator, optional
        Where the initial weights come from: normal, with `mlnotes.applications.linear.glorot_deviation`. Biases are
        zero.

    Raises
    ------
    ValueError
        If a width is not positive.
    """

    def __init__(self, d_in, d_out, bias=True, rng=None):
        super().__init__()
        rng = np.random.default_rng() if rng is None else rng
        dtype = torch.get_default_dtype()
        draws = rng.normal(0, glorot_deviation(d_in, d_out), (d_in, d_out))
        self.w = torch.nn.Parameter(torch.tensor(draws, dtype=dtype))
        self.b = torch.nn.Parameter(torch.zeros(d_out, dtype=dtype)) if bias else None

    def forward(self, x):
        """Give one row of outputs (..., d_out) for each sample (..., d_in)."""
        return linear(x, self.w, self.b)
