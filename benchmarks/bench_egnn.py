"""What an E(n)-equivariant layer costs, beside loops over pairs, einsum, and a plain graph network."""

import numpy as np
import pytest

from mlnotes.applications.egnn import egnn_layer, graph_layer
from mlnotes.applications.mlp import mlp, silu

WIDTH = 16


def perceptron(rng, d_in, d_out):
    weights = rng.normal(size=(d_in, WIDTH)) / 4, rng.normal(size=(WIDTH, d_out)) / 4
    return lambda x: mlp(x, weights, (np.zeros(WIDTH), np.zeros(d_out)), silu)


def with_einsum(h, x, phi_e, phi_x, phi_h):
    n = len(x)
    others = 1 - np.eye(n)
    lines = x[:, None] - x
    squares = np.einsum("ijd,ijd->ij", lines, lines)[..., None]
    m = phi_e(np.concatenate([np.repeat(h[:, None], n, 1), np.repeat(h[None], n, 0), squares], -1))
    new_x = x + np.einsum("ij,ijd,ijo->id", others, lines, phi_x(m)) / (n - 1)
    return phi_h(np.hstack([h, np.einsum("ij,ijc->ic", others, m)])), new_x


def with_loops(h, x, phi_e, phi_x, phi_h):
    new_h, new_x = [], []
    for i in range(len(x)):
        lines = x[i] - np.delete(x, i, 0)
        ends = np.repeat(h[i : i + 1], len(lines), 0), np.delete(h, i, 0)
        m = phi_e(np.hstack([*ends, (lines**2).sum(-1, keepdims=True)]))
        new_x.append(x[i] + (lines * phi_x(m)).mean(0))
        new_h.append(phi_h(np.hstack([h[i], m.sum(0)])))
    return np.array(new_h), np.array(new_x)


ENTRANTS = {"mlnotes": egnn_layer, "einsum": with_einsum, "a loop over points": with_loops}


@pytest.mark.parametrize("name", [*ENTRANTS, "plain graph network"])
@pytest.mark.parametrize("n", [5, 50, 300])
def test_time_of_a_layer(race, n, name):
    rng = np.random.default_rng(0)
    h, x = rng.normal(size=(n, WIDTH)), rng.normal(size=(n, 3))
    phis = perceptron(rng, 2 * WIDTH + 1, WIDTH), perceptron(rng, WIDTH, 1), perceptron(rng, 2 * WIDTH, WIDTH)
    plain = perceptron(rng, 2 * WIDTH + 3, WIDTH), perceptron(rng, WIDTH, 3), phis[2]
    layer, functions = (graph_layer, plain) if name == "plain graph network" else (ENTRANTS[name], phis)
    expected = layer(h, x, *functions)[1] if layer is graph_layer else with_einsum(h, x, *phis)[1]
    race(f"{n} points", name, lambda: layer(h, x, *functions)[1], expected=expected, tolerance=1e-10)
