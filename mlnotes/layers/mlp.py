"""A multilayer perceptron as a layer that holds its weights."""

from itertools import pairwise

import numpy as np
import torch

from mlnotes.applications.mlp import mlp, relu


class MLP(torch.nn.Module):
    """Hold the weights and biases of `mlnotes.applications.mlp.mlp`.

    Parameters
    ----------
    widths : sequence of int
        Of the input, of each hidden layer, and of the output.
    activation : callable
        Applied between the layers.
    rng : numpy.random.Generator, optional
        Where the initial weights come from: normal, of variance 2/(width of the input) before an activation,
        because ReLU halves the mean square, and 1/width in the last layer. Biases start at zero.

    Raises
    ------
    ValueError
        If there are fewer than two widths, or one is not positive.
    """

    def __init__(self, widths, activation=relu, rng=None):
        super().__init__()
        widths = list(widths)
        if len(widths) < 2 or min(widths) < 1:
            raise ValueError(f"widths must be at least two positive numbers, got {widths}")
        rng = np.random.default_rng() if rng is None else rng
        gains = [2.0] * (len(widths) - 2) + [1.0]
        draws = [rng.normal(0, (gain / m) ** 0.5, (m, n)) for gain, (m, n) in zip(gains, pairwise(widths), strict=True)]
        self.activation = activation
        self.weights = torch.nn.ParameterList(torch.tensor(w, dtype=torch.get_default_dtype()) for w in draws)
        self.biases = torch.nn.ParameterList(torch.zeros(n) for n in widths[1:])

    def forward(self, x):
        """Give each row (..., widths[0]) its output, (..., widths[-1])."""
        return mlp(x, self.weights, self.biases, self.activation)
