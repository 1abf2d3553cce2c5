"""E(n)-equivariant graph network as a layer that holds the weights of its functions."""

from functools import partial

import numpy as np
import torch

from mlnotes.applications.egnn import egnn_layer, egnn_velocity_layer, graph_layer
from mlnotes.applications.mlp import mlp, silu
from mlnotes.arrays import exact_integers, require_integers
from mlnotes.layers.parameters import normal, zeros


class EGNN(torch.nn.Module):
    """Hold the functions of `mlnotes.applications.egnn.egnn_layer`, for one layer or several.

    Parameters
    ----------
    d_model : int
        Width of features, messages and hidden layers.
    d_edge : int
        Width of edge features; 0 for none.
    n_layers : int
        How many layers hear each other's results.
    velocity : bool
        Whether points have velocities, as in `mlnotes.applications.egnn.egnn_velocity_layer`.
    rng : numpy.random.Generator or int, optional
        Where the initial weights come from: normal, of variance 1/width; those of the last layer of displacements with
        a thousandth of that standard deviation, so that at first points hardly move and layers do not drive each other
        apart. Biases are zero. Unless given, new ones each time.

    Raises
    ------
    ValueError
        If a width or a number is no positive integer; that of edge features may be 0.
    """

    @exact_integers
    def __init__(self, d_model, d_edge=0, n_layers=1, velocity=False, rng=None):
        super().__init__()
        require_integers(1, d_model=d_model, n_layers=n_layers)
        require_integers(0, d_edge=d_edge)
        rng = np.random.default_rng(rng)
        widths = {"phi_e": (2 * d_model + 1 + d_edge, d_model), "phi_x": (d_model, 1), "phi_h": (2 * d_model, d_model)}
        if velocity:
            widths["phi_v"] = (d_model, 1)
        self.velocity = velocity
        self.layers = _layers(n_layers, rng, d_model, widths)

    def forward(self, h, x, v=None, mask=None, edge_features=None):
        """Give new features (..., n, d_model) and positions (..., n, d); with velocities also those, (..., n, d).

        Every layer is given the initial velocities, as in the paper.

        Parameters
        ----------
        h : tensor (..., n, d_model)
            Features.
        x : tensor (..., n, d)
            Positions.
        v : tensor (..., n, d), optional
            Velocities, for a layer that was made with ``velocity=True``.
        mask, edge_features
            As in `mlnotes.applications.egnn.egnn_layer`.

        Returns
        -------
        h, x : tensor (..., n, d_model) and (..., n, d)
            New features and positions.
        v : tensor (..., n, d)
            New velocities; left out where there are none.

        Raises
        ------
        ValueError
            If there are velocities and ``velocity`` is False, or the other way round, or for what
            `mlnotes.applications.egnn.egnn_layer` refuses.
        """
        if (v is not None) != self.velocity:
            given = "none" if v is None else "some"
            raise ValueError(f"velocities must be given if and only if velocity=True, got {given} for {self.velocity}")
        v_initial = v
        for layer in self.layers:
            phi = {name: partial(_apply, weights) for name, weights in layer.items()}
            if self.velocity:
                h, x, v = egnn_velocity_layer(h, x, v_initial, **phi, mask=mask, edge_features=edge_features)
            else:
                h, x = egnn_layer(h, x, **phi, mask=mask, edge_features=edge_features)
        return (h, x, v) if self.velocity else (h, x)


class GraphNetwork(torch.nn.Module):
    """Hold the functions of `mlnotes.applications.egnn.graph_layer`, as `EGNN` holds those of its layers.

    Parameters
    ----------
    d_model : int
        As in `EGNN`.
    d_space : int
        The dimension of the space in which the points lie.
    d_edge, n_layers, rng
        As in `EGNN`, which has as many layers of the same widths, and at first moves points as little.

    Raises
    ------
    ValueError
        If a width or a number is no positive integer; that of edge features may be 0.
    """

    @exact_integers
    def __init__(self, d_model, d_space, d_edge=0, n_layers=1, rng=None):
        super().__init__()
        require_integers(1, d_model=d_model, d_space=d_space, n_layers=n_layers)
        require_integers(0, d_edge=d_edge)
        d_in = 2 * d_model + d_space + d_edge
        widths = {"phi_e": (d_in, d_model), "phi_x": (d_model, d_space), "phi_h": (2 * d_model, d_model)}
        self.layers = _layers(n_layers, np.random.default_rng(rng), d_model, widths)

    def forward(self, h, x, mask=None, edge_features=None):
        """Give new features (..., n, d_model) and positions (..., n, d_space).

        Parameters
        ----------
        h : tensor (..., n, d_model)
            Features.
        x : tensor (..., n, d_space)
            Positions.
        mask, edge_features
            As in `mlnotes.applications.egnn.egnn_layer`.

        Returns
        -------
        h, x : tensor (..., n, d_model) and (..., n, d_space)
            New features and positions.
        """
        for layer in self.layers:
            phi = {name: partial(_apply, weights) for name, weights in layer.items()}
            h, x = graph_layer(h, x, **phi, mask=mask, edge_features=edge_features)
        return h, x


def _apply(weights, x):
    w_1, b_1, w_2, b_2 = weights
    return mlp(x, (w_1, w_2), (b_1, b_2), silu)


def _layers(n_layers, rng, d_model, widths):
    """Draw the weights of all functions, layer by layer."""
    return torch.nn.ModuleList(
        torch.nn.ModuleDict({name: _weights(rng, d_model, name, *ends) for name, ends in widths.items()})
        for _ in range(n_layers)
    )


def _weights(rng, d_hidden, name, d_in, d_out):
    """Draw the weights of one function, in the order in which `_apply` takes them."""
    gain = 1e-3 if name == "phi_x" else 1.0
    w_1, w_2 = normal(rng, d_in**-0.5, d_in, d_hidden), normal(rng, gain * d_hidden**-0.5, d_hidden, d_out)
    return torch.nn.ParameterList([w_1, zeros(d_hidden), w_2, zeros(d_out)])
