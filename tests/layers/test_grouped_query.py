"""The layer equals a published model's, works with a cache, and can be pooled to fewer key/value heads."""

from itertools import combinations, pairwise

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from mlnotes.attention.causal_mask import causal_mask
from mlnotes.attention.positions import rotary_halves
from mlnotes.efficient.kv_cache import KVCache
from mlnotes.layers.grouped_query import GroupedQueryAttention

# A rounding is 1.1e-16 in double precision, 6e-8 in single precision.
ROUNDED = 2e-14  # sums of 24, 4, 7 and 24, and a softmax: 65 roundings of numbers up to 2.5 are 1.8e-14
MEANS = 2e-16  # means of at most 3 numbers up to 0.4
SINGLE = 1e-6  # angles up to 3.2 by two roundings, besides the exact ones: 4e-7 of numbers up to 4.3, in part
SPREAD = 0.05  # 4 standard errors of the variance of 100 projected rows: over 40 seeds, one is 1.3 % at most


def draw(*shape, seed=0):
    return torch.tensor(np.random.default_rng(seed).normal(size=shape))


def layer(d_model=24, n_heads=6, n_groups=2, **kwargs):
    return GroupedQueryAttention(d_model, n_heads, n_groups, rng=np.random.default_rng(0), **kwargs).double()


@pytest.mark.parametrize(("n_heads", "n_groups"), [(6, 6), (6, 3), (6, 2), (6, 1)])
def test_equals_the_attention_of_llama_with_its_rotary_embedding(n_heads, n_groups):
    from transformers import LlamaConfig
    from transformers.models.llama.modeling_llama import LlamaAttention, LlamaRotaryEmbedding

    ours = layer(30, n_heads, n_groups, d_head=8)
    config = LlamaConfig(
        hidden_size=30, num_attention_heads=n_heads, num_key_value_heads=n_groups, head_dim=8,
        attn_implementation="eager", rope_parameters={"rope_type": "default", "rope_theta": 10000.0},
    )  # fmt: skip
    theirs = LlamaAttention(config, layer_idx=0).double()
    with torch.no_grad():
        for name in "qkvo":
            getattr(theirs, f"{name}_proj").weight.copy_(getattr(ours, f"w_{name}").T)
    x, positions = draw(2, 11, 30), torch.arange(11)
    hidden = torch.zeros(11, 11, dtype=torch.float64).masked_fill(~torch.tensor(causal_mask(11, 11)), -torch.inf)
    turns = LlamaRotaryEmbedding(config).double()(x, positions[None])
    expected = theirs(x, position_embeddings=turns, attention_mask=hidden[None, None])[0]
    found = ours(x, causal_mask(11, 11), rotate=rotary_halves)
    torch.testing.assert_close(found, expected, rtol=0, atol=SINGLE)  # its angles are computed in float32
    assert (ours(x, causal_mask(11, 11)) - expected).abs().max() > 0.1  # rotation matters


def test_equals_torch_multi_head_attention_with_as_many_groups_as_heads():
    ours = layer(24, 6, 6)
    theirs = torch.nn.MultiheadAttention(24, 6, bias=False, batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([ours.w_q.T, ours.w_k.T, ours.w_v.T]))
        theirs.out_proj.weight.copy_(ours.w_o.T)
    x, mask = draw(2, 5, 24), causal_mask(5, 5)
    expected = theirs(x, x, x, attn_mask=~torch.tensor(mask))[0]
    torch.testing.assert_close(ours(x, mask), expected, rtol=0, atol=ROUNDED)


@pytest.mark.parametrize("rotate", [None, rotary_halves])
def test_every_way_to_cut_a_sequence_gives_what_one_pass_gives(rotate):
    ours, x = layer().requires_grad_(False), draw(2, 7, 24)
    full = ours(x, causal_mask(7, 7), rotate=rotate)
    for inner in (it for n in range(7) for it in combinations(range(1, 7), n)):
        cache = KVCache(7, 2, 4, leading=(2,), like=x)
        parts = [ours(x[:, a:b], cache=cache, rotate=rotate) for a, b in pairwise([0, *inner, 7])]
        torch.testing.assert_close(torch.cat(parts, dim=1), full, rtol=0, atol=ROUNDED)


def test_a_mask_may_be_given_along_with_a_cache():
    ours, x, cache = layer(), draw(4, 24), KVCache(4, 2, 4, like=torch.zeros((), dtype=torch.float64))
    mask = causal_mask(4, 4) & (np.arange(4) != 1)
    with torch.no_grad():
        torch.testing.assert_close(ours(x, mask, cache), ours(x, mask), rtol=0, atol=0)


def test_a_cache_of_other_heads_is_refused_and_unchanged():
    x = draw(3, 24)
    cache = KVCache(3, 6, 4, like=x)
    with torch.no_grad(), pytest.raises(ValueError, match="k must have heads 6, got 2"):
        layer()(x, cache=cache)
    assert len(cache) == 0


def test_pooling_averages_keys_and_values_and_leaves_queries_and_output():
    ours = layer(24, 6, 6)
    fewer = ours.pooled(2)
    assert (fewer.n_heads, fewer.n_groups) == (6, 2)
    for name in ("w_q", "w_o"):
        assert torch.equal(getattr(fewer, name), getattr(ours, name))
    for name in ("w_k", "w_v"):
        expected = F.avg_pool1d(getattr(ours, name).reshape(24, 6, 4).mT, 3).mT.reshape(24, 8)
        torch.testing.assert_close(getattr(fewer, name), expected, rtol=0, atol=MEANS)
    fewer.w_q.data.zero_()
    assert ours.w_q.abs().sum() > 0  # nothing is shared


def test_pooled_weights_are_frozen_where_those_of_the_layer_are():
    ours = layer(24, 6, 6)
    ours.w_o.requires_grad_(False)
    assert {name: w.requires_grad for name, w in ours.pooled(2).named_parameters()} == {
        "w_q": True, "w_k": True, "w_v": True, "w_o": False
    }  # fmt: skip


def test_pooling_heads_that_are_alike_changes_no_result():
    ours, x = layer(24, 6, 2), draw(5, 24)
    spread = layer(24, 6, 6)
    with torch.no_grad():
        for name in ("w_q", "w_o"):
            getattr(spread, name).copy_(getattr(ours, name))
        for name in ("w_k", "w_v"):
            getattr(spread, name).copy_(getattr(ours, name).reshape(24, 2, 1, 4).expand(24, 2, 3, 4).reshape(24, 24))
        torch.testing.assert_close(spread.pooled(2)(x), ours(x), rtol=0, atol=ROUNDED)
        torch.testing.assert_close(spread(x), ours(x), rtol=0, atol=ROUNDED)


def test_the_layer_learns():
    ours, x = layer(), draw(2, 5, 24)
    ours(x, causal_mask(5, 5)).square().sum().backward()
    assert [tuple(p.grad.shape) for p in ours.parameters()] == [(24, 24), (24, 8), (24, 8), (24, 24)]
    assert all(p.grad.abs().sum() > 0 for p in ours.parameters())


def test_projections_keep_the_variance_of_their_input():
    ours = GroupedQueryAttention(512, 8, 2, d_head=96, rng=np.random.default_rng(0))
    for w in ours.parameters():
        assert (draw(100, w.shape[0]).float() @ w).var().item() == pytest.approx(1, rel=SPREAD)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((24, 6, 4), "key/value heads must divide query heads, got 6 query heads and 4 key/value heads"),
        ((24, 0, 0), "n_heads must be positive, got 0"),
        ((25, 6, 2), "n_heads must divide d_model, got 6 heads for a width of 25"),
        ((24, 6, 2, 0), "d_head must be positive, got 0"),
    ],
)
def test_sizes_that_do_not_fit_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        GroupedQueryAttention(*arguments)


def test_pooling_to_groups_that_do_not_divide_is_refused():
    with pytest.raises(ValueError, match="got 6 query heads and 4 key/value heads"):
        layer(24, 6, 6).pooled(4)
    with pytest.raises(ValueError, match="n_groups must divide the heads that are pooled, got 3 groups for 2 heads"):
        layer(24, 6, 2).pooled(3)
