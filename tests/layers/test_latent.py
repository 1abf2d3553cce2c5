"""The layer equals a published model's, works with a cache, and learns."""

from itertools import pairwise

import numpy as np
import pytest
import torch
from transformers import DeepseekV2Config
from transformers.models.deepseek_v2.modeling_deepseek_v2 import DeepseekV2Attention, DeepseekV2RotaryEmbedding

from mlnotes.attention.causal_mask import causal_mask
from mlnotes.attention.positions import rotary
from mlnotes.efficient.latent import LatentCache
from mlnotes.layers.egnn import EGNN
from mlnotes.layers.grouped_query import GroupedQueryAttention
from mlnotes.layers.latent import LatentAttention

# A rounding is 1.1e-16 in double precision, 6e-8 in single precision.
SINGLE = 2e-6  # angles up to 8 by two roundings, and a norm by one: 1e-6 of numbers up to 2
ROUNDED = 3e-14  # sums of 30, 11, 9, 11, 11, 5 and 30: 110 roundings of numbers up to 2 are 2.4e-14


def draw(*shape, seed=0):
    return torch.tensor(np.random.default_rng(seed).normal(size=shape))


def layer(**kwargs):
    sizes = {"d_model": 30, "n_heads": 6, "d_latent": 11, "d_rotary": 4, "d_head": 5}
    return LatentAttention(**sizes | kwargs, rng=np.random.default_rng(0)).double()


@pytest.mark.parametrize(
    ("kind", "sizes"),
    [(LatentAttention, (24, 6, 11, 100)), (GroupedQueryAttention, (24, 6, 6, 100)), (EGNN, (100, 20))],
)
def test_sizes_of_numpys_small_integers_do_not_wrap_round(kind, sizes):
    ours, expected = (kind(*it, rng=0) for it in (map(np.int8, sizes), sizes))
    assert [p.shape for p in ours.parameters()] == [p.shape for p in expected.parameters()]


def test_equals_the_attention_of_deepseek_v2():
    ours = layer()
    ours.gain.data = 1 + draw(11) / 5
    config = DeepseekV2Config(
        hidden_size=30, num_attention_heads=6, num_key_value_heads=6, q_lora_rank=None, kv_lora_rank=11,
        qk_rope_head_dim=4, qk_nope_head_dim=5, v_head_dim=5, head_dim=4, attn_implementation="eager",
        rope_parameters={"rope_type": "default", "rope_theta": 10000.0},
    )  # fmt: skip
    theirs = DeepseekV2Attention(config, layer_idx=0).double()
    up = torch.cat([ours.w_uk.reshape(11, 6, 5), ours.w_uv.reshape(11, 6, 5)], -1).reshape(11, 60)
    with torch.no_grad():
        weights = {"q_proj": ours.w_q, "kv_a_proj_with_mqa": ours.w_c, "kv_b_proj": up, "o_proj": ours.w_o}
        for name, w in weights.items():
            getattr(theirs, name).weight.copy_(w.T)
        theirs.kv_a_layernorm.weight.copy_(ours.gain)
    x, positions = draw(2, 9, 30), torch.arange(9)
    hidden = torch.zeros(9, 9, dtype=torch.float64).masked_fill(~torch.tensor(causal_mask(9, 9)), -torch.inf)
    turns = DeepseekV2RotaryEmbedding(config)(x, positions[None])
    with torch.no_grad():
        expected = theirs(x, position_embeddings=turns, attention_mask=hidden[None, None])[0]
        found = ours(x, causal_mask(9, 9), rotate=rotary)
        torch.testing.assert_close(found, expected, rtol=0, atol=SINGLE)  # its angles and norms are float32
        assert (ours(x, causal_mask(9, 9)) - expected).abs().max() > 0.01  # rotation matters


@pytest.mark.parametrize("ends", [(0, 11), (0, 4, 5, 11), tuple(range(12))])
def test_every_way_to_cut_a_sequence_gives_what_one_pass_gives(ends):
    ours, x = layer(), draw(2, 11, 30)
    cache = LatentCache(11, 11, 4, leading=(2,), like=x)
    with torch.no_grad():
        full = ours(x, causal_mask(11, 11), rotate=rotary)
        parts = [ours(x[:, a:b], cache=cache, rotate=rotary) for a, b in pairwise(ends)]
    torch.testing.assert_close(torch.cat(parts, dim=1), full, rtol=0, atol=ROUNDED)


def test_the_layer_learns():
    ours, x = layer(), draw(2, 5, 30)
    ours(x, causal_mask(5, 5)).square().sum().backward()
    assert [tuple(p.shape) for p in ours.parameters()] == [
        (30, 54), (30, 15), (11,), (11, 30), (11, 30), (30, 30)
    ]  # fmt: skip
    assert all(p.grad.abs().sum() > 0 for p in ours.parameters())


def test_a_cache_of_another_width_is_refused_and_unchanged():
    cache = LatentCache(3, 11, like=draw(1))
    with torch.no_grad(), pytest.raises(ValueError, match="c must have the cache's shape"):
        layer()(draw(3, 30), cache=cache)
    assert len(cache) == 0


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"d_head": None, "n_heads": 7}, "n_heads must divide d_model, got 7 heads for a width of 30"),
        ({"d_latent": 0}, "d_latent must be positive, got 0"),
        ({"d_rotary": -2}, "d_rotary must not be negative, got -2"),
        ({"d_rotary": 3}, "d_rotary must be even, .* got 3"),
        ({"d_head": 0}, "d_head must be positive, got 0"),
    ],
)
def test_sizes_that_do_not_fit_are_refused(sizes, message):
    with pytest.raises(ValueError, match=message):
        layer(**sizes)
