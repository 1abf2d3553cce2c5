"""The cache gives, chunk by chunk, what one pass over the whole sequence gives, and refuses what does not fit."""

import tracemalloc
from itertools import pairwise

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch.utils.flop_counter import FlopCounterMode

from mlnotes.attention.causal_mask import causal_mask
from mlnotes.attention.self_attention import attention
from mlnotes.efficient.kv_cache import KVCache, cache_nbytes, cached_attention, decoding_multiply_adds
from mlnotes.efficient.quantization import QuantizedCache
from mlnotes.efficient.sinks import StreamingCache

ROUNDED = 6e-15  # scores of 5 products, a softmax, an average of 13 values up to 2.4: 22 * 2.4 * 1.1e-16
NEXT_TERM = 1e-4  # the totals of 2 n over those of n are 4 - 2 / (n + 1) and 8 - 6 / (n + 1), here with n = 10,000


def draw(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


Q, K, V = draw(2, 3, 13, 5), draw(2, 3, 13, 5, seed=1), draw(2, 3, 13, 7, seed=2)
cuts = st.sets(st.integers(1, 12)).map(lambda inner: [0, *sorted(inner), 13])


def filled(n=2, capacity=5):
    cache = KVCache(capacity, 3, 5, 7, leading=(2,))
    cache.append(K[..., :n, :], V[..., :n, :])
    return cache


def in_chunks(ends, q, k, v, cache):
    spans = [slice(a, b) for a, b in pairwise(ends)]
    return [cached_attention(q[..., it, :], k[..., it, :], v[..., it, :], cache) for it in spans]


@given(cuts)
def test_every_way_to_cut_a_sequence_gives_what_torch_gives_for_all_of_it(ends):
    cache = KVCache(13, 3, 5, 7, leading=(2,))
    found = np.concatenate(in_chunks(ends, Q, K, V, cache), axis=-2)
    full = F.scaled_dot_product_attention(*map(torch.tensor, (Q, K, V)), is_causal=True)
    np.testing.assert_allclose(found, full, rtol=0, atol=ROUNDED)


@given(cuts, st.integers(13, 29))
def test_the_cache_holds_what_was_appended_whatever_the_chunks_and_the_room(ends, capacity):
    cache = KVCache(capacity, 3, 5, 7, leading=(2,))
    for a, b in pairwise(ends):
        assert len(cache) == a
        cache.append(K[..., a:b, :], V[..., a:b, :])
    np.testing.assert_array_equal(cache.keys, K)
    np.testing.assert_array_equal(cache.values, V)


@given(cuts)
def test_each_chunk_has_the_mask_of_its_rows_in_the_whole_mask(ends):
    for a, b in pairwise(ends):
        np.testing.assert_array_equal(causal_mask(b - a, b, offset=a), causal_mask(13, 13)[a:b, :b])


def test_decoding_token_by_token_agrees_in_every_precision(backend):
    q, k, v = map(backend.array, (Q, K, V))
    cache = KVCache(13, 3, 5, 7, leading=(2,), like=k)
    found = [backend.read(it) for it in in_chunks([0, 4, *range(5, 14)], q, k, v, cache)]
    expected = attention(*map(backend.like, (Q, K, V)), mask=causal_mask(13, 13))
    np.testing.assert_allclose(np.concatenate(found, axis=-2), expected, rtol=0, atol=2 * backend.tolerance)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_bytes_are_those_that_memory_and_formula_say(dtype):
    KVCache(1, 1, 1)  # what is imported for the first one is no memory of a cache
    tracemalloc.start()
    cache = KVCache(1009, 3, 17, like=np.zeros(1, dtype))
    taken = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    expected = 2 * 3 * 1009 * 17 * np.dtype(dtype).itemsize
    assert cache.nbytes == expected == cache_nbytes(1009, 3, 17, itemsize=np.dtype(dtype).itemsize)
    assert expected <= taken < expected + 4096
    assert len(cache) == 0


def test_torch_counts_the_same_bytes_as_its_storages():
    cache = KVCache(1009, 3, 17, 19, leading=(2,), like=torch.zeros((), dtype=torch.bfloat16))
    cache.append(*(torch.zeros(2, 3, 1, n, dtype=torch.bfloat16) for n in (17, 19)))
    storages = cache.keys.untyped_storage().nbytes() + cache.values.untyped_storage().nbytes()
    assert cache.nbytes == storages == 2 * 3 * 1009 * (17 + 19) * 2


def test_a_whole_model_has_a_cache_for_each_layer():
    # Llama 3 8B: 32 layers, 8 key/value heads of width 128, bfloat16; 8,192 tokens take 1 GiB.
    assert cache_nbytes(8192, 8, 128, n_layers=32, itemsize=2) == 2**30


def test_appending_and_reading_copy_nothing_that_is_there_already():
    cache = KVCache(50_000, 2, 8)
    cache.append(np.ones((2, 49_000, 8)), np.ones((2, 49_000, 8)))
    token = np.ones((2, 1, 8))
    tracemalloc.start()
    cache.append(token, token)
    assert np.shares_memory(cache.keys, cache._keys)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10_000 < cache.nbytes / 1000


def test_a_full_cache_is_right_and_one_more_token_is_not():
    cache = filled(5)
    assert (len(cache), cache.capacity) == (5, 5)
    cache.append(K[..., :0, :], V[..., :0, :])
    with pytest.raises(ValueError, match="it holds 5 of at most 5 tokens, and 1 more do not fit"):
        cache.append(K[..., 5:6, :], V[..., 5:6, :])


@pytest.mark.parametrize(
    ("k", "v", "message"),
    [
        (K[..., :4, :], V[..., :4, :], "it holds 2 of at most 5 tokens, and 4 more do not fit"),
        (K[:, :1, :1], V[:, :1, :1], r"k must have heads 3, got 1 in \(2, 1, 1, 5\)"),
        (K[..., :1, :], V[:, :1, :1], r"v must have heads 3, got 1 in \(2, 1, 1, 7\)"),
        (K[..., :1, :1], V[..., :1, :], r"k must have width 5, got 1 in \(2, 3, 1, 1\)"),
        (K[..., :1, :], V[..., :1, :5], r"v must have width 7, got 5 in \(2, 3, 1, 5\)"),
        (K[..., :1, :], V[..., :2, :], "k and v must hold as many tokens, got 1 and 2"),
        (K[:1, :, :1], V[:1, :, :1], r"k must have the cache's leading axes \(2,\), got \(1,\)"),
        (K[0, :, :1], V[0, :, :1], r"k must have 4 axes, \(..., heads, tokens, width\), got shape \(3, 1, 5\)"),
        (K[..., :1, :].astype(np.float32), V[..., :1, :], "k and the cache must have the same dtype, got float32 and"),
        (K[..., :1, :], V[..., :1, :].astype(int), "v and the cache must have the same dtype, got int64 and float64"),
        (torch.tensor(K[..., :1, :]), torch.tensor(V[..., :1, :]), "k and the cache must come from the same library"),
    ],
)
def test_what_does_not_fit_is_refused_with_both_values_and_leaves_the_cache_as_it_was(k, v, message):
    cache = filled()
    memory = cache._keys.copy(), cache._values.copy()
    with pytest.raises(ValueError, match=message):
        cache.append(k, v)
    assert len(cache) == 2
    np.testing.assert_array_equal(cache._keys, memory[0])
    np.testing.assert_array_equal(cache._values, memory[1])


def test_keys_without_an_axis_for_tokens_are_refused_before_they_are_turned():
    cache = filled()
    with pytest.raises(ValueError, match=r"k must have at least 2 axes, got shape \(5,\)"):
        cache.meet(Q[..., :1, :], K[0, 0, 0], V[..., :1, :], rotate=lambda x, at: 1 / 0)
    assert len(cache) == 2


def test_keys_that_record_gradients_are_refused():
    cache = KVCache(3, 1, 2, like=torch.zeros(()))
    with pytest.raises(ValueError, match="k must not record gradients"):
        cache.append(torch.zeros(1, 1, 2, requires_grad=True), torch.zeros(1, 1, 2))
    assert len(cache) == 0


def test_queries_that_do_not_fit_leave_the_cache_as_it_was():
    cache = filled()
    with pytest.raises(ValueError, match=r"same shape, got \(2, 3, 1, 5\) and \(2, 3, 2, 5\)"):
        cached_attention(Q[..., :1, :], K[..., :2, :], V[..., :2, :], cache)
    assert len(cache) == 2


def test_queries_that_record_gradients_are_refused():
    cache, (q, k, v) = KVCache(3, 1, 2, like=torch.zeros(())), torch.zeros(3, 1, 1, 2)
    with pytest.raises(ValueError, match="q must not record gradients"):
        cached_attention(q.requires_grad_(), k, v, cache)
    assert len(cache) == 0


@pytest.mark.parametrize(
    ("turned", "message"),
    [
        (lambda q: q[..., 1:, :], "q and k must have the same size along axis -2"),
        (lambda q: q[..., :4], "q and k must have the same size along axis -1"),
        (lambda q: q.astype(np.float32), "q and k must have the same dtype, got float32 and float64"),
        (lambda q: torch.tensor(q), "q and k must come from the same library"),
        (lambda q: np.stack([*q, q[0]]), "could not be broadcast|cannot be broadcast"),
        (lambda q: 1 / 0, "division by zero"),
    ],
)
@pytest.mark.parametrize("kind", [KVCache, StreamingCache, QuantizedCache])
@pytest.mark.parametrize("n", [1, 4])
def test_queries_that_came_out_of_the_turn_otherwise_leave_the_cache_as_it_was(kind, turned, message, n):
    sizes, options = (3, 5, 8), {"leading": (2,)}
    cache = StreamingCache(4, 1, *sizes, **options) if kind is StreamingCache else kind(7, *sizes, **options)
    k, v = K[..., :2, :], np.concatenate([V, V], -1)[..., :8]
    cache.meet(Q[..., :2, :], k, v[..., :2, :], lambda x, at: x)
    before = cache.keys.copy(), cache.values.copy()
    q = Q[..., 2 : 2 + n, :] + 100.0
    with pytest.raises((ValueError, ZeroDivisionError), match=message):
        cache.meet(q, K[..., 2 : 2 + n, :], v[..., 2 : 2 + n, :], lambda x, at: turned(x) if (x > 50).all() else x)
    assert len(cache) == 2
    for found, expected in zip((cache.keys, cache.values), before, strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("n", [1, 3])
def test_what_is_decoded_to_be_read_is_decoded_once(monkeypatch, n):
    read, cache = [], QuantizedCache(13, 3, 5, 8, leading=(2,))
    for name in ("keys", "values"):
        of = getattr(QuantizedCache, name).fget
        monkeypatch.setattr(QuantizedCache, name, property(lambda it, of=of, name=name: read.append(name) or of(it)))
    cached_attention(Q[..., :n, :], K[..., :n, :], np.concatenate([V, V], -1)[..., :n, :8], cache)
    assert sorted(read) == ["keys", "values"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 3, 5), "capacity must be positive, got 0"),
        ((4, -1, 5), "n_heads must be positive, got -1"),
        ((4, 3, 0), "d_head must be positive, got 0"),
        ((4, 3, 5, 0), "d_value must be positive, got 0"),
        ((4, 3, 5, 5, (0,)), "leading must be positive, got 0"),
        ((4.5, 3, 5), r"capacity must be an integer, got 4\.5"),
        ((4, 3, 5, 5, (), np.zeros(1, int)), "like must hold floating-point numbers, got dtype int64"),
    ],
)
def test_impossible_caches_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        KVCache(*arguments)


@pytest.mark.parametrize("count", [cache_nbytes, decoding_multiply_adds])
@pytest.mark.parametrize("sizes", [(2.5, 3, 4), (4, 3.0, 4), (True, 3, 4), (4, 3, np.float64(4))])
def test_sizes_that_are_no_integers_are_refused(count, sizes):
    with pytest.raises(ValueError, match="must be an integer, got"):
        count(*sizes)


def test_negative_sizes_have_no_bytes():
    with pytest.raises(ValueError, match="n_tokens must not be negative, got -1"):
        cache_nbytes(-1, 3, 5)


@pytest.mark.parametrize("n", [1, 2, 13])
def test_multiply_adds_are_those_that_torch_counts(n):
    q, k, v = (torch.tensor(x[:, :, :n]) for x in (Q, K, V))
    with FlopCounterMode(display=False) as with_cache:
        in_chunks(range(n + 1), q, k, v, KVCache(n, 3, 5, 7, leading=(2,), like=q))
    with FlopCounterMode(display=False) as without:
        for t in range(1, n + 1):
            attention(*(x[:, :, :t] for x in (q, k, v)), mask=causal_mask(t, t))
    counts = [2 * 2 * decoding_multiply_adds(n, 3, 5, 7, cached) for cached in (True, False)]
    assert counts == [with_cache.get_total_flops(), without.get_total_flops()]


def test_without_a_cache_the_total_is_cubic_and_with_one_quadratic():
    for cached, factor in ((True, 4), (False, 8)):
        n, twice = (decoding_multiply_adds(m, 1, 1, cached=cached) for m in (10_000, 20_000))
        assert twice / n == pytest.approx(factor, rel=NEXT_TERM)


def test_negative_counts_are_refused():
    with pytest.raises(ValueError, match="n_heads must not be negative, got -1"):
        decoding_multiply_adds(3, -1, 5)


@pytest.mark.parametrize(
    ("q", "message"),
    [
        (K[..., :1, :].astype(int), "q and k must have the same dtype, got int64 and float64"),
        (K[..., :1, :].astype(np.float32), "q and k must have the same dtype, got float32 and float64"),
        (torch.tensor(K[..., :1, :]), "q and k must come from the same library"),
    ],
)
def test_queries_that_attention_would_refuse_leave_the_cache_as_it_was(q, message):
    cache = filled()
    with pytest.raises(ValueError, match=message):
        cached_attention(q, K[..., 2:3, :], V[..., 2:3, :], cache)
    assert len(cache) == 2
