"""What is recorded of a model's heads while it runs, and what is counted."""

import importlib
import sys

import numpy as np
import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from mlnotes.attention.causal_mask import causal_mask
from mlnotes.attention.self_attention import attention_weights
from mlnotes.conversion import as_torch
from mlnotes.efficient.flash import flash_attention
from mlnotes.efficient.grouped_query import grouped_query_attention
from mlnotes.inspection import count_multiply_adds, recorded_heads, tables_of_scores
from mlnotes.layers.grouped_query import GroupedQueryAttention
from mlnotes.layers.multi_head import MultiHeadAttention
from mlnotes.layers.self_attention import SelfAttention
from mlnotes.layers.transformer import DecoderBlock, Transformer

# A rounding is 1.1e-16.
ROUNDED = 2e-15  # weights of at most 4 keys that sum to one: 8 roundings, with room for as many
PROJECTED = 1e-14  # sums of 12 products up to 3, scores of 4 products, a softmax: 24 * 3 * 1.1e-16 = 8e-15

SOURCE, TARGET = torch.tensor([[1, 5, 2, 8], [2, 2, 2, 0]]), torch.tensor([[0, 3, 10], [1, 1, 1]])
SEEN = torch.tensor([[1, 1, 1, 1], [1, 1, 1, 0]]).bool()


def draw(*shape, seed=0):
    return torch.tensor(np.random.default_rng(seed).normal(size=shape))


def shaken(module):
    """Move every parameter, so that none is one or zero."""
    with torch.no_grad():
        for i, parameter in enumerate(module.double().parameters()):
            parameter += draw(*parameter.shape, seed=i) * 0.3
    return module


def test_recorded_heads_are_those_that_the_model_used():
    model = shaken(Transformer(9, 11, 2, 12, 3, 20, np.random.default_rng(0)))
    source, target, mask = SOURCE, TARGET, SEEN
    with recorded_heads(model) as heads:
        model(source, target, mask)
    assert list(heads) == [
        *(f"encoder.blocks.{i}.attention" for i in range(2)),
        *(f"decoder.blocks.{i}.{kind}" for i in range(2) for kind in ("attention", "cross_attention")),
    ]
    shapes = {name: heads[name].weights.shape for name in heads}
    assert set(shapes.values()) == {(2, 3, 4, 4), (2, 3, 3, 3), (2, 3, 3, 4)}
    across = heads["decoder.blocks.1.cross_attention"].weights
    np.testing.assert_allclose(across.sum(-1), 1, rtol=0, atol=ROUNDED)
    assert (across[1, :, :, 3] == 0).all()
    assert (heads["decoder.blocks.0.attention"].weights[..., 0, 1:] == 0).all()
    model(source[:, :2], target)
    assert heads["encoder.blocks.0.attention"].weights.shape == (2, 3, 4, 4)  # no longer listening


def test_recorded_weights_equal_those_of_torchs_layer():
    block = shaken(DecoderBlock(12, 3, 20, np.random.default_rng(0)))
    x, memory, causal = draw(2, 5, 12), draw(2, 7, 12, seed=1), torch.tensor(causal_mask(5, 5))
    with recorded_heads(block) as heads:
        block(x, memory, causal, torch.ones(2, 1, 7, dtype=torch.bool))
    theirs = as_torch(block).self_attn(x, x, x, attn_mask=~causal, average_attn_weights=False)[1]
    np.testing.assert_allclose(heads["attention"].weights, theirs.detach(), rtol=0, atol=PROJECTED)
    assert heads["cross_attention"].weights.shape == (2, 3, 5, 7)


@pytest.mark.parametrize("hidden", [True, False])
def test_recorded_weights_of_shared_heads_are_those_of_the_same_layer_with_each_its_own(hidden):
    shared, mask = shaken(GroupedQueryAttention(12, 6, 2, rng=np.random.default_rng(0))), causal_mask(5, 5)
    own, mask = MultiHeadAttention(12, 6).double(), mask if hidden else None
    with torch.no_grad():
        for name in ("w_q", "w_o"):
            getattr(own, name).copy_(getattr(shared, name))
        for name in ("w_k", "w_v"):
            getattr(own, name).copy_(getattr(shared, name).reshape(12, 2, 1, 2).expand(12, 2, 3, 2).reshape(12, 12))
    with recorded_heads(torch.nn.ModuleList([shared, own])) as heads:
        shared(draw(2, 5, 12), mask)
        own(draw(2, 5, 12), mask=mask)
    assert heads["0"].keys.shape == heads["0"].queries.shape == (2, 6, 5, 2)
    np.testing.assert_allclose(heads["0"].keys, heads["1"].keys, rtol=0, atol=PROJECTED)
    np.testing.assert_allclose(heads["0"].weights, heads["1"].weights, rtol=0, atol=PROJECTED)


def test_one_mask_for_all_heads_is_recorded_as_it_was_used():
    layer = MultiHeadAttention(12, 3, np.random.default_rng(0))
    mask = torch.tensor(np.random.default_rng(1).random((2, 5, 5)) < 0.6)
    with recorded_heads(layer) as heads:
        layer(draw(2, 5, 12).float(), mask=mask)
    assert (heads[""].weights == 0).all(axis=1)[~mask.numpy()].all()
    np.testing.assert_array_equal(heads[""].mask[:, 0], mask)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_of_half_precision_the_wider_numbers_are_recorded_that_weights_come_from(dtype):
    layer, x = SelfAttention(12, 4, np.random.default_rng(0)).to(dtype), draw(5, 12).to(dtype)
    with recorded_heads(layer) as heads:
        layer(x, mask=causal_mask(5, 5))
    expected = attention_weights(x.float() @ layer.w_q.float(), x.float() @ layer.w_k.float(), causal_mask(5, 5))
    np.testing.assert_array_equal(heads[""].weights, expected.detach().numpy())


def test_an_error_in_the_model_leaves_nothing_behind():
    block = DecoderBlock(12, 3, 20, np.random.default_rng(0)).double()
    with pytest.raises(ValueError, match="mask must be boolean"), recorded_heads(block):
        block(draw(5, 12), draw(7, 12), mask=np.ones((5, 5)))
    with recorded_heads(block) as heads:
        block(draw(5, 12), draw(7, 12))
    assert list(heads) == ["attention", "cross_attention"]


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_heads_on_a_gpu_are_recorded_as_numpys():
    model = Transformer(9, 11, 1, 12, 3, 20, np.random.default_rng(0)).cuda()
    with recorded_heads(model) as heads:
        model(SOURCE.cuda(), TARGET.cuda())
    assert heads["encoder.blocks.0.attention"].weights.shape == (2, 3, 4, 4)


def test_products_are_counted_as_torch_counts_them():
    q, k = (torch.ones(2, 3, n, 5, dtype=torch.float64, requires_grad=True) for n in (7, 11))

    def there_and_back(scale=1.0):
        (scale * torch.einsum("...ld,...sd->...ls", q, k) @ k).sum().backward()

    with FlopCounterMode(display=False) as counter:
        there_and_back()
    assert count_multiply_adds(there_and_back) == counter.get_total_flops() // 2 == 6 * 6 * 7 * 11 * 5
    assert count_multiply_adds(there_and_back, scale=2.0) == 6 * 6 * 7 * 11 * 5


def test_tables_of_scores_are_as_large_as_what_softmax_is_given():
    q, k = draw(4, 5, 8), draw(2, 7, 8)
    with tables_of_scores() as sizes:
        grouped_query_attention(q, k, k)
        grouped_query_attention(q, k, k, SEEN.new_ones(5, 7))
        assert sizes == 2 * [8 * 4 * 5 * 7]
        flash_attention(q, q, q, block_size=3)
    of_a_head = [3 * 3, 3 * 2, 2 * 3, 2 * 2]  # three queries or two, three keys or two
    assert sizes[2:] == [8 * size for size in 4 * of_a_head]
    flash_attention(q, q, q)
    assert len(sizes) == 2 + 4 * 4  # no longer listening


def test_numpy_arrays_are_counted_too_and_exponentials_are_not():
    assert count_multiply_adds(lambda a, b: torch.exp(a @ b), np.ones((3, 5)), np.ones((5, 7))) == 105
    assert count_multiply_adds(lambda pair: pair[0] @ pair[1], [np.ones((3, 5)), np.ones((5, 7))]) == 105
    assert count_multiply_adds(lambda a, b: a @ b, a=np.ones((3, 5)), b=np.ones((5, 7))) == 105


@pytest.mark.parametrize("view", [lambda a: a[::-1], lambda a: np.broadcast_to(a[0], a.shape)])
def test_numpy_arrays_are_counted_backwards_and_where_they_may_not_be_written(view):
    assert count_multiply_adds(torch.matmul, view(np.ones((3, 5))), np.ones((5, 7))) == 105


def test_to_count_products_no_compiler_is_loaded(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch._dynamo", None)  # to import it, in a function too, is now an error
    for name in ("mlnotes.inspection", "torch.utils.flop_counter"):  # which are imported anew
        monkeypatch.setattr(name, sys.modules[name])
        monkeypatch.delitem(sys.modules, name)
    count = importlib.import_module("mlnotes.inspection").count_multiply_adds
    assert count is not count_multiply_adds
    assert count(torch.matmul, torch.ones(3, 5), torch.ones(5, 7)) == 105
