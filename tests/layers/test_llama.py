"""Llama equals transformers' model with the same weights, with a cache and without, and writes what it writes."""

import re
from functools import partial
from itertools import combinations, pairwise

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from transformers.models.llama.modeling_llama import LlamaRMSNorm

from mlnotes.attention.causal_mask import causal_mask
from mlnotes.conversion import as_transformers
from mlnotes.efficient.kv_cache import cache_nbytes
from mlnotes.inspection import recorded_heads
from mlnotes.layers.llama import Llama, SwiGLU
from mlnotes.layers.transformer import RMSNorm
from mlnotes.pretrained import smollm2

LAYERS = 5e-13  # three layers of 150 roundings of 1.1e-16, of numbers up to 7: 3.5e-13; measured: 1.8e-14
PUBLISHED = (
    6e-4  # scores up to 40 after 30 layers in single precision; measured on three sets of kernels: 6e-5, a tenth
)
SPREAD = 0.011  # 4 standard errors of the variance of 262,144 weights: sqrt(2 / 262,144) = 0.28 %

SMALL = dict(n_tokens=53, n_layers=3, d_model=36, n_heads=6, n_groups=2, d_hidden=22, base=500.0, eps=0.01)


def small():
    model = Llama(**SMALL, rng=np.random.default_rng(0)).double().requires_grad_(False)
    for i, parameter in enumerate(model.parameters()):  # gains too
        parameter += torch.tensor(np.random.default_rng(i).normal(size=parameter.shape)) * 0.2
    return model


@pytest.fixture(scope="module")
def published():
    return Llama.smollm2()


@pytest.fixture(scope="module")
def theirs(published):
    return as_transformers(published).requires_grad_(False)


def test_a_small_model_in_double_precision_equals_that_of_transformers():
    ours, ids = small(), np.random.default_rng(0).integers(0, 53, (2, 11))
    theirs = as_transformers(ours)
    # Its angles and norms are computed in float32: exact ones take their place.
    inverse = 500.0 ** (-torch.arange(0, 6, 2, dtype=torch.float64) / 6)
    angles = torch.cat([torch.arange(11.0, dtype=torch.float64)[:, None] * inverse] * 2, dim=-1)[None]
    theirs.model.rotary_emb.forward = lambda *_, **__: (angles.cos(), angles.sin())
    for layer in theirs.modules():
        if isinstance(layer, LlamaRMSNorm):
            layer.forward = partial(F.rms_norm, normalized_shape=(36,), weight=layer.weight, eps=0.01)
    expected = theirs(torch.tensor(ids)).logits
    assert expected.abs().max() > 1
    torch.testing.assert_close(ours(ids), expected, rtol=0, atol=LAYERS)


def test_every_way_to_cut_a_sequence_gives_what_one_pass_gives():
    model, ids = small(), np.random.default_rng(1).integers(0, 53, (2, 6))
    whole = model(ids)
    for inner in (it for n in range(6) for it in combinations(range(1, 6), n)):
        caches = model.caches(6, leading=(2,))
        parts = [model(ids[:, a:b], caches=caches) for a, b in pairwise([0, *inner, 6])]
        torch.testing.assert_close(torch.cat(parts, dim=1), whole, rtol=0, atol=LAYERS)


def test_a_mask_takes_the_place_of_the_causal_one_in_every_layer():
    model, ids = small(), np.arange(9)
    cut = causal_mask(9, 9) & (np.arange(9) >= 4)  # nothing before token 4 can be seen, except by nobody
    changed = np.where(np.arange(9) < 4, 50, ids)
    torch.testing.assert_close(model(ids, cut)[4:], model(changed, cut)[4:], rtol=0, atol=0)
    assert (model(ids)[4:] - model(changed)[4:]).abs().max() > 0.1
    torch.testing.assert_close(model(ids, causal_mask(9, 9)), model(ids), rtol=0, atol=0)
    caches = model.caches(9)
    model(ids[:6], cut[:6, :6], caches)
    torch.testing.assert_close(model(ids[6:], cut[6:], caches), model(ids, cut)[6:], rtol=0, atol=LAYERS)


def test_caches_are_as_large_as_the_formula_says():
    caches = small().caches(capacity=10, leading=(2,))
    assert sum(cache.nbytes for cache in caches) == 2 * cache_nbytes(10, 2, 6, n_layers=3, itemsize=8)
    assert sum(cache.nbytes for cache in small().float().caches(10)) == cache_nbytes(10, 2, 6, n_layers=3)


def test_the_model_learns():
    model = small().requires_grad_()
    model(np.arange(7)).logsumexp(-1).sum().backward()
    assert all(parameter.grad.abs().sum() > 0 for parameter in model.parameters())


def test_states_are_the_tokens_after_each_block():
    model, ids = small(), np.arange(5)
    states = model.states(ids)
    assert len(states) == 4
    torch.testing.assert_close(model.tokens.logits(model.norm(states[-1])), model(ids), rtol=0, atol=0)
    torch.testing.assert_close(states[0], model.tokens.table[:5], rtol=0, atol=0)


def test_heads_of_every_layer_are_recorded():
    model = small()
    with recorded_heads(model) as heads:
        model(np.arange(5))
    assert list(heads) == [f"blocks.{i}.attention" for i in range(3)]
    assert all(found.weights.shape == (6, 5, 5) for found in heads.values())


def test_weights_are_drawn_from_the_generator_and_keep_the_variance():
    one, other = (Llama(**SMALL, rng=np.random.default_rng(0)) for _ in range(2))
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))
    network = SwiGLU(256, 1024, np.random.default_rng(0))
    assert [network.w_gate.var().item() * 256, network.w_down.var().item() * 1024] == pytest.approx([1, 1], rel=SPREAD)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"n_layers": 0}, "n_layers must be positive, got 0"),
        ({"n_groups": 4}, "key/value heads must divide query heads, got 6 query heads and 4"),
        ({"n_heads": 12}, "d must be even, for pairs of coordinates, got 3"),
        ({"d_hidden": 2.5}, "d_hidden must be an integer, got 2.5"),
        ({"base": "10000"}, "base must be a real number, got '10000'"),
    ],
)
def test_sizes_that_do_not_fit_are_refused(sizes, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        Llama(**SMALL | sizes)


def test_what_no_array_shows_of_the_published_model_is_what_its_file_says(published):
    said = {name: field.contents() for name, field in smollm2._reader().fields.items() if name.startswith("llama.")}
    attention = published.blocks[0].attention
    assert attention.n_heads == said["llama.attention.head_count"]
    assert attention.n_groups == said["llama.attention.head_count_kv"]
    assert published.base == said["llama.rope.freq_base"]
    assert {it.eps for it in published.modules() if isinstance(it, RMSNorm)} == {1e-5}
    assert said["llama.attention.layer_norm_rms_epsilon"] == np.float32(1e-5)


def test_the_published_model_equals_that_of_transformers_at_every_position_cached_or_not(published, theirs):
    ids = smollm2.passage(47)
    expected = theirs(torch.tensor(ids)[None]).logits[0]
    torch.testing.assert_close(published(ids), expected, rtol=0, atol=PUBLISHED)
    caches = published.caches(47)
    parts = [published(part, caches=caches) for part in np.split(ids, [20, 21, 22, 31])]
    torch.testing.assert_close(torch.cat(parts), expected, rtol=0, atol=PUBLISHED)
    # That is a small part of what one wrong layer makes.
    assert (published(ids[:11], np.ones((11, 11), bool)) - expected[:11]).abs().max() > 1


def test_the_published_model_writes_what_transformers_writes(published, theirs):
    ids = smollm2.tokenize("The capital of France is")[1]
    expected = theirs.generate(torch.tensor(ids)[None], max_new_tokens=12, do_sample=False, pad_token_id=2)
    caches, written = published.caches(20), list(ids)
    scores = published(ids, caches=caches)
    for _ in range(12):
        written.append(int(scores[-1].argmax()))
        scores = published(np.array(written[-1:]), caches=caches)
    assert written == expected[0].tolist()
    assert smollm2.decode(written[len(ids) :]).startswith(" Paris")


def test_the_published_model_records_no_gradients_and_is_a_new_one_each_time(published):
    assert not any(parameter.requires_grad for parameter in published.parameters())
    other = Llama.smollm2()
    other.norm.gain.zero_()
    other.blocks[0].attention.w_q.zero_()
    again = smollm2.parameters("norm.")["gain"]
    assert again.any()
    assert published.norm.gain.any()
    assert published.blocks[0].attention.w_q.any()


@pytest.mark.parametrize("dtype", [torch.int64, "float32", np.float32])
def test_a_model_of_anything_but_torchs_floats_is_refused(dtype):
    with pytest.raises(ValueError, match=f"dtype must be a floating-point type of PyTorch, got {dtype}"):
        Llama.smollm2(dtype)


@pytest.mark.parametrize("with_caches", [False, True])
@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (3, "ids must have at least one axis, got 3"),
        (torch.tensor(3), "ids must have at least one axis, got 3"),
        ([1.0], "ids must hold integers, got dtype float64"),
        (None, "ids must hold integers, got dtype object"),
        ([0, 999], "ids must lie between 0 and .*, got 999"),
        ([-1], "ids must lie between 0 and .*, got -1"),
    ],
)
def test_what_is_no_text_of_the_models_tokens_is_refused(ids, message, with_caches):
    model = small()
    with pytest.raises(ValueError, match=message):
        model(ids, caches=model.caches(5) if with_caches else None)


def test_a_list_of_tokens_is_as_good_as_an_array_and_a_text_without_tokens_is_refused():
    model = small()
    torch.testing.assert_close(model([1, 2, 3]), model(np.array([1, 2, 3])), rtol=0, atol=0)
    with pytest.raises(ValueError, match="must not be empty along axis -2"):
        model(np.zeros(0, int))


@pytest.mark.parametrize(
    ("caches", "message"),
    [
        (3, "a cache for each of 3 layers in a list, got int"),
        (iter([]), "a cache for each of 3 layers in a list, got list_iterator"),
        (["a", "b", "c"], "a cache for each of 3 layers that meets queries, keys and values, got 'a'"),
    ],
)
def test_what_is_no_list_of_caches_is_refused(caches, message):
    with pytest.raises(ValueError, match=message):
        small()(np.arange(5), caches=caches)


def test_leading_axes_of_caches_are_a_tuple():
    with pytest.raises(ValueError, match="leading must be a tuple of sizes, got 2"):
        small().caches(5, leading=2)


def test_no_cache_for_any_layer_is_refused():
    with pytest.raises(ValueError, match="there must be a cache for each of 3 layers, got 0"):
        small()(torch.arange(5), caches=[])


def test_one_cache_for_several_layers_is_refused():
    model = small()
    caches = model.caches(20)[:1] * 3
    with pytest.raises(ValueError, match="there must be a cache for each of 3 layers, got 3, 1 of them different"):
        model(torch.arange(5), caches=caches)
    assert len(caches[0]) == 0
