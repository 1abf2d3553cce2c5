"""A multilayer perceptron as a layer that holds its weights."""

from itertools import pairwise

import numpy as np
import torch

from mlnotes.applications.mlp import mlp, relu
from mlnotes.arrays import require_integers
from mlnotes.layers.parameters import normal, zeros


class MLP(torch.nn.Module):
    """Hold the weights and biases of `mlnotes.applications.mlp.mlp`.

    Parameters
    ----------
    widths : sequence of int
        Of the input, of each hidden layer, and of the output.
    activation : callable
        Applied between the layers.
    rng : numpy.random.Generator or int, optional
        Where the initial weights come from: normal, of variance 2/(width of the input) before an activation,
        because ReLU halves the mean square, and 1/width in the last layer. Biases start at zero. Unless given,
        new ones each time.

    Raises
    ------
    ValueError
        If there are fewer than two widths, or one is no positive integer.
    """

    def __init__(self, widths, activation=relu, rng=None):
        super().__init__()
        if len(widths) < 2:
            raise ValueError(f"widths must be at least two, got {list(widths)}")
        for width in widths:
            require_integers(1, widths=width)
        rng = np.random.default_rng(rng)
        gains = [2.0] * (len(widths) - 2) + [1.0]
        sizes = zip(gains, pairwise(widths), strict=True)
        self.activation = activation
        self.weights = torch.nn.ParameterList(normal(rng, (gain / m) ** 0.5, m, n) for gain, (m, n) in sizes)
        self.biases = torch.nn.ParameterList(zeros(n) for n in widths[1:])

    def forward(self, x):
        """Give each row (..., widths[0]) its output, (..., widths[-1])."""
        return mlp(x, self.weights, self.biases, self.activation)
