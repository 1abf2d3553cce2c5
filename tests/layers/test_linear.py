"""The layer that holds the weights of `linear`."""

import numpy as np
import pytest
import torch

from mlnotes.applications.linear import glorot_std
from mlnotes.layers.linear import Linear

SINGLE = 5e-7  # sums of 3 products and a bias, up to 1.9, in single precision: 4 * 1.9 * 6e-8
SPREAD = 0.02  # 4 standard errors of the size of 20,000 weights: 0.5 %, also over 60 seeds


@pytest.mark.parametrize("bias", [False, True])
def test_equals_torchs_layer_with_the_same_weights(bias):
    theirs = torch.nn.Linear(3, 7, bias=bias)
    ours = Linear(3, 7, bias=bias)
    with torch.no_grad():
        ours.w.copy_(theirs.weight.T)
        if bias:
            ours.b.copy_(theirs.bias)
    x = torch.randn(2, 5, 3, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(ours(x), theirs(x), rtol=0, atol=SINGLE)
    assert sum(p.numel() for p in ours.parameters()) == sum(p.numel() for p in theirs.parameters())


def test_the_same_generator_gives_the_same_weights_of_glorots_size():
    one, other = (Linear(200, 100, rng=np.random.default_rng(3)) for _ in range(2))
    assert torch.equal(one.w, other.w)
    assert one.w.std().item() == pytest.approx(glorot_std(200, 100), rel=SPREAD)
    assert (one.b == 0).all()


def test_a_width_that_is_not_positive_is_refused():
    with pytest.raises(ValueError, match="d_in must be positive, got 0"):
        Linear(0, 7)
