"""The linear layer with its weights."""

import numpy as np
import torch

from mlnotes.applications.linear import glorot_std, linear
from mlnotes.layers.parameters import normal, zeros


class Linear(torch.nn.Module):
    """Hold the weights and biases of `mlnotes.applications.linear.linear`.

    Parameters
    ----------
    d_in, d_out : int
        Widths of the inputs and outputs.
    bias : bool
        Whether there are biases.
    rng : numpy.random.Generator or int, optional
        Where the initial weights come from: normal, with `mlnotes.applications.linear.glorot_std`. Biases are zero.
        Unless given, weights are new ones each time, whatever ``torch.manual_seed`` says.

    Raises
    ------
    ValueError
        If a width is no positive integer.
    """

    def __init__(self, d_in, d_out, bias=True, rng=None):
        super().__init__()
        self.w = normal(np.random.default_rng(rng), glorot_std(d_in, d_out), d_in, d_out)
        self.b = zeros(d_out) if bias else None

    def forward(self, x):
        """Give one row of outputs (..., d_out) for each sample (..., d_in)."""
        return linear(x, self.w, self.b)
