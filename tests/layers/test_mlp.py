"""The layer that holds the weights of a multilayer perceptron."""

import numpy as np
import pytest
import torch

from mlnotes.applications.mlp import gelu, mlp, relu
from mlnotes.layers.mlp import MLP

# A rounding is 1.1e-16.
ROUNDED = 5e-15  # sums of 3, 7 and 5 products and three biases, up to 2.3: 18 * 2.3 * 1.1e-16
GRADIENTS = 1e-13  # forwards, backwards and over 11 rows: 40 roundings of numbers up to 23
SPREAD = 0.5  # 4 standard errors of 12 networks: over 40 seeds, the mean square of one is off by 0.42


def draw(*shape):
    return torch.tensor(np.random.default_rng(0).normal(size=shape), dtype=torch.float32)


def test_layer_calls_the_function_with_its_parameters():
    layer, x = MLP([3, 7, 5, 2], gelu, np.random.default_rng(0)), draw(2, 11, 3)
    torch.testing.assert_close(layer(x), mlp(x, list(layer.weights), list(layer.biases), gelu), rtol=0, atol=0)


def test_layer_equals_torchs_sequence_with_the_same_weights_forwards_and_backwards():
    layer, x = MLP([3, 7, 5, 2], relu, np.random.default_rng(0)).double(), draw(11, 3).double()
    linears = [torch.nn.Linear(m, n, dtype=torch.float64) for m, n in [(3, 7), (7, 5), (5, 2)]]
    theirs = torch.nn.Sequential(linears[0], torch.nn.ReLU(), linears[1], torch.nn.ReLU(), linears[2])
    with torch.no_grad():
        for linear, w, b in zip(linears, layer.weights, layer.biases, strict=True):
            linear.weight.copy_(w.T)
            linear.bias.copy_(b)
    torch.testing.assert_close(layer(x), theirs(x), rtol=0, atol=ROUNDED)
    layer(x).square().sum().backward()
    theirs(x).square().sum().backward()
    for linear, w, b in zip(linears, layer.weights, layer.biases, strict=True):
        torch.testing.assert_close(w.grad, linear.weight.grad.T, rtol=0, atol=GRADIENTS)
        torch.testing.assert_close(b.grad, linear.bias.grad, rtol=0, atol=GRADIENTS)


def test_initial_weights_keep_the_mean_square_through_twenty_layers():
    x, rngs = draw(50, 512), map(np.random.default_rng, range(12))
    assert np.mean([MLP([512] * 21, relu, rng)(x).square().mean().item() for rng in rngs]) == pytest.approx(
        1, rel=SPREAD
    )


def test_the_seed_decides_the_weights_and_biases_start_at_zero():
    one, other = (MLP([3, 7, 2], rng=np.random.default_rng(5)) for _ in range(2))
    assert all((a == b).all() for a, b in zip(one.parameters(), other.parameters(), strict=True))
    assert all((b == 0).all() for b in one.biases)
    assert [tuple(p.shape) for p in one.parameters()] == [(3, 7), (7, 2), (7,), (2,)]


@pytest.mark.parametrize(
    ("widths", "message"),
    [
        ([], r"widths must be at least two, got \[\]"),
        ([3], r"widths must be at least two, got \[3\]"),
        ([3, 0, 2], "widths must be positive, got 0"),
        ([3, -1], "widths must be positive, got -1"),
        ([3, 2.5], r"widths must be an integer, got 2\.5"),
    ],
)
def test_widths_that_make_no_network_are_refused(widths, message):
    with pytest.raises(ValueError, match=message):
        MLP(widths)
