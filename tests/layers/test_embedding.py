"""The layer that holds a table of vectors."""

import numpy as np
import pytest
import torch

from mlnotes.applications.embedding import embedding
from mlnotes.layers.embedding import Embedding

SINGLE = 3e-7  # a row that was looked up twice: one addition of numbers up to 2.3 in single precision, 6e-8 each
ROUNDED = 5e-15  # sums of 6 and of 7 numbers, up to 3.8, and their sum: 14 * 3.8 * 1.1e-16 = 6e-15; measured: 0
NORM = 0.006  # 4 standard errors of the mean length of 1,009 rows: over 60 seeds, one is 0.15 %
SPREAD = 0.016  # 4 standard errors of the variance of 1,000 rows of 1,009 logits: over 60 seeds, one is 0.4 %

IDS = torch.tensor([[3, 0, 3], [6, 3, 1]])


def test_layer_equals_torchs_with_the_same_table_forwards_and_backwards():
    layer = Embedding(7, 5, np.random.default_rng(0))
    theirs = torch.nn.Embedding(7, 5, _weight=layer.table.detach().clone())
    upstream = torch.randn(2, 3, 5, generator=torch.Generator().manual_seed(0))
    for it in (layer, theirs):
        it(IDS).backward(upstream)
    torch.testing.assert_close(layer(IDS), theirs(IDS), rtol=0, atol=0)
    torch.testing.assert_close(layer.table.grad, theirs.weight.grad, rtol=0, atol=SINGLE)
    torch.testing.assert_close(layer(IDS), embedding(IDS, layer.table), rtol=0, atol=0)


def test_only_the_rows_that_were_looked_up_move():
    layer = Embedding(7, 5, np.random.default_rng(0))
    before = layer.table.detach().clone()
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    layer(IDS).square().sum().backward()
    optimizer.step()
    assert (layer.table != before).any(-1).tolist() == [True, True, False, True, False, False, True]


def test_rows_are_about_one_long_and_tied_logits_have_unit_variance():
    layer = Embedding(1009, 256, np.random.default_rng(0))
    assert layer.table.norm(dim=-1).mean().item() == pytest.approx(1, rel=NORM)
    x = torch.tensor(np.random.default_rng(1).normal(size=(1000, 256)), dtype=torch.float32)
    assert layer.logits(x).shape == (1000, 1009)
    assert layer.logits(x).var().item() == pytest.approx(1, rel=SPREAD)


def test_a_tied_table_learns_from_both_ends():
    layer = Embedding(7, 5, np.random.default_rng(0)).double()
    x = layer(IDS).detach()
    layer.logits(layer(IDS)).sum().backward()
    at_the_exit = x.sum((0, 1)).expand(7, 5)
    at_the_entrance = torch.bincount(IDS.ravel(), minlength=7)[:, None] * layer.table.detach().sum(0)
    torch.testing.assert_close(layer.table.grad, at_the_exit + at_the_entrance, rtol=0, atol=ROUNDED)


@pytest.mark.parametrize("sizes", [(0, 3), (3, 0), (-1, 3)])
def test_sizes_that_are_not_positive_are_refused(sizes):
    with pytest.raises(ValueError, match="must be positive, got"):
        Embedding(*sizes)


def test_an_id_out_of_range_is_refused_with_the_id_and_the_size_of_the_table():
    with pytest.raises(ValueError, match="for a table of 7 rows, got 7"):
        Embedding(7, 5)(torch.tensor([7]))
