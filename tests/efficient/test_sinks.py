"""Sinks stay when the window moves on, memory does not grow, and nothing gives weight to nobody without a NaN."""

import tracemalloc
from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import softmax as scipy_softmax

from mlnotes.attention.causal_mask import causal_mask
from mlnotes.attention.multi_head import merge_heads, split_heads
from mlnotes.attention.positions import rotary
from mlnotes.attention.self_attention import attention
from mlnotes.blocks.softmax import softmax
from mlnotes.efficient.grouped_query import grouped_query_attention, grouped_query_self_attention
from mlnotes.efficient.kv_cache import cached_attention
from mlnotes.efficient.sinks import StreamingCache, null_softmax, sink_mask
from mlnotes.layers.llama import Llama
from mlnotes.pretrained import smollm2

# A rounding is 1.1e-16.
SHARED = 1e-15  # weights of at most 6 scores: 8 roundings
ROUNDED = 2e-14  # scores of 6 products of turned rows, a softmax, an average of 19 values up to 5.7: 30 * 5.7 * 1.1e-16
FAR = 2e-11  # angles up to 1e5 * 0.046, rounded 6 times: 3e-12; times the lengths of a query and a key over sqrt(6)
LAYER = 1e-11  # scores up to 200, rounded 20 times: 4e-13; a weight moves by a quarter of it, times values 100 apart
LAYERS = 1e-12  # three layers of some 100 roundings of numbers up to 7: 2.3e-13; measured: 6e-15
PUBLISHED = 2e-3  # scores up to 39 after 30 layers in single precision; measured: 2e-4


def draw(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


# Four query heads, two of keys and values, of width 6 and 7, for 19 tokens.
Q, K, V = draw(4, 19, 6), draw(2, 19, 6, seed=1), draw(2, 19, 7, seed=2)
cuts = st.sets(st.integers(1, 18)).map(lambda inner: [0, *sorted(inner), 19])
sizes = st.integers(1, 23).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n - 1)))


def list_of_tokens(q, k, v, capacity, n_sinks, rotate):
    """Stream as it is published: keys are kept as they come, and all are turned again, each at its place."""
    held, rows = [], []
    for t in range(q.shape[-2]):
        held.append(t)
        if len(held) > capacity:
            del held[n_sinks]
        places = np.arange(len(held))
        keys = rotate(k[..., held, :], places)
        query = rotate(q[..., t : t + 1, :], places[-1:])
        rows.append(grouped_query_attention(query, keys, v[..., held, :]))
    return np.concatenate(rows, axis=-2)


def one_pass(q, k, v, capacity, n_sinks, rotate):
    """Fill in the masked scores of a whole text: the distance to a sink is bounded, the others are the text's."""
    n, k, v = q.shape[-2], np.repeat(k, 2, axis=-3), np.repeat(v, 2, axis=-3)
    text = np.arange(n)
    near = rotate(q, text) @ rotate(k, text).mT
    far = rotate(q, np.minimum(text, capacity - 1)) @ rotate(k, text).mT
    scores = np.where(text < n_sinks, far, near) / np.sqrt(q.shape[-1])
    scores[..., ~sink_mask(n, n, capacity - n_sinks, n_sinks)] = -np.inf
    return scipy_softmax(scores, axis=-1) @ v


def in_chunks(ends, q, k, v, cache, rotate=None):
    spans = [slice(a, b) for a, b in pairwise(ends)]
    parts = [[x[..., it, :] for x in (q, k, v)] for it in spans]
    return np.concatenate([grouped_query_attention(*cache.meet(*it, rotate)) for it in parts], axis=-2)


# Masks


@pytest.mark.parametrize("offset", [0, 3, 20])
def test_a_query_sees_the_first_keys_and_the_last_up_to_its_own_and_no_others(offset):
    found = sink_mask(5, 13, 3, 2, offset)
    for i in range(5):
        seen = [j for j in range(13) if j <= i + offset and (j < 2 or j > i + offset - 3)]
        assert np.flatnonzero(found[i]).tolist() == seen


def test_without_sinks_it_is_a_window_and_with_as_many_sinks_as_keys_it_is_causal():
    assert (sink_mask(11, 11, 3, 0) == np.tri(11, dtype=bool) & ~np.tri(11, k=-3, dtype=bool)).all()
    assert (sink_mask(5, 11, 3, 11, 6) == causal_mask(5, 11, 6)).all()


def test_sinks_that_are_still_to_come_stay_hidden():
    assert not np.triu(sink_mask(7, 7, 2, 5), 1).any()


def test_rows_of_a_chunk_are_rows_of_the_whole_mask():
    whole = sink_mask(13, 13, 4, 2)
    for a in range(13):
        np.testing.assert_array_equal(sink_mask(13 - a, 13, 4, 2, a), whole[a:])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_sinks": -1}, "n_sinks must not be negative, got -1"),
        ({"n_sinks": 1.0}, r"n_sinks must be an integer, got 1\.0"),
        ({"window": 0}, "window must be positive, got 0"),
        ({"n_keys": -3}, "n_keys must not be negative, got -3"),
        ({"offset": 2.5}, r"offset must be an integer, got 2\.5"),
    ],
)
def test_impossible_masks_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        sink_mask(**{"n_queries": 3, "n_keys": 5, "window": 2, "n_sinks": 1} | change)


# Softmax that may leave weight to nothing


def test_it_is_softmax_over_one_more_key_in_every_precision(backend):
    x, null = draw(2, 3, 7), draw(3, 1, seed=4)
    expected = scipy_softmax(
        np.concatenate([np.broadcast_to(backend.like(null), (2, 3, 1)), backend.like(x)], -1), axis=-1
    )[..., 1:]
    found = backend.read(null_softmax(backend.array(x), backend.array(null)))
    np.testing.assert_allclose(found, expected, rtol=0, atol=backend.tolerance)
    for other in backend.others():  # a null of another library or precision is rounded to that of the scores
        assert null_softmax(backend.array(x), other.array(null)).dtype == backend.dtype


@given(st.floats(-1e4, 1e4), st.floats(-1e4, 1e4), st.integers(0, 1))
def test_weights_and_what_is_left_are_softmax_whatever_the_sizes(shift, null, axis):
    x = draw(5, 3) + shift
    found = null_softmax(x, null, axis=axis)
    whole = softmax(np.concatenate([x, np.full_like(x.take([0], axis), null)], axis), axis)
    np.testing.assert_allclose(found, whole.take(range(x.shape[axis]), axis), rtol=0, atol=SHARED)


def test_gradients_are_those_of_differences():
    x = torch.tensor(draw(2, 5)).requires_grad_()
    null = torch.tensor(draw(2, 1, seed=1)).requires_grad_()
    assert torch.autograd.gradcheck(null_softmax, (x, null))
    hidden = torch.full((1, 3), -torch.inf, dtype=torch.float64, requires_grad=True)
    null_softmax(hidden).sum().backward()
    assert (hidden.grad == 0).all()


def test_nothing_takes_all_that_no_score_asks_for():
    np.testing.assert_array_equal(null_softmax(np.full((2, 3), -np.inf)), np.zeros((2, 3)))
    np.testing.assert_allclose(null_softmax(np.array([-50.0, -60.0])), np.exp([-50.0, -60.0]), rtol=SHARED)
    np.testing.assert_allclose(null_softmax(np.array([50.0, 40.0])), softmax(np.array([50.0, 40.0])), rtol=SHARED)
    np.testing.assert_array_equal(null_softmax(np.array([np.inf, 0, np.inf])), [0.5, 0, 0.5])


@pytest.mark.parametrize(
    ("x", "null", "message"),
    [
        (np.array([1, 2]), 0.0, "x must hold floating-point numbers, got dtype int64"),
        (np.zeros((2, 0)), 0.0, "x must not be empty along axis -1"),
        (np.zeros((2, 3)), np.inf, r"null must be finite, up to 1.8e\+308 in the dtype of x, got inf"),
        (np.zeros((2, 3)), np.nan, "null must be finite, .*, got nan"),
        (np.zeros((2, 3), np.float32), 1e300, r"null must be finite, up to 3.4e\+38 in the dtype of x, got 1e\+300"),
        (np.zeros((2, 3)), np.zeros(3), r"null must broadcast to \(2, 1\), got shape \(3,\)"),
        (np.zeros((2, 3)), np.zeros((4, 2, 1)), r"null must broadcast to \(2, 1\), got shape \(4, 2, 1\)"),
    ],
)
def test_bad_scores_and_bad_nulls_are_refused(x, null, message):
    with pytest.raises(ValueError, match=message):
        null_softmax(x, null)


# The cache


@given(cuts, sizes)
def test_every_way_to_cut_a_text_gives_what_a_list_of_tokens_gives_token_by_token(ends, size):
    cache = StreamingCache(*size, 2, 6, 7)
    expected = one_pass(Q, K, V, *size, rotary)  # which the list gives, too: see below
    np.testing.assert_allclose(in_chunks(ends, Q, K, V, cache, rotary), expected, rtol=0, atol=ROUNDED)


@given(sizes)
def test_it_is_the_masked_pass_over_the_whole_text_with_the_distance_to_sinks_bounded(size):
    expected = one_pass(Q, K, V, *size, rotary)
    np.testing.assert_allclose(list_of_tokens(Q, K, V, *size, rotary), expected, rtol=0, atol=ROUNDED)
    np.testing.assert_allclose(in_chunks(range(20), Q, K, V, StreamingCache(*size, 2, 6, 7), rotary), expected,
                               rtol=0, atol=ROUNDED)


@given(cuts, sizes)
def test_without_positions_it_is_the_masked_pass_itself(ends, size):
    capacity, n_sinks = size
    mask = sink_mask(19, 19, capacity - n_sinks, n_sinks)
    expected = grouped_query_attention(Q, K, V, mask)
    np.testing.assert_allclose(in_chunks(ends, Q, K, V, StreamingCache(*size, 2, 6, 7)), expected, rtol=0, atol=ROUNDED)


def test_positions_of_the_text_give_something_else_once_a_token_is_evicted():
    mask = sink_mask(19, 19, 5, 2)
    turned = [rotary(x, np.arange(19)) for x in (Q, K)]
    in_text = grouped_query_attention(*turned, V, mask)
    found = in_chunks(range(20), Q, K, V, StreamingCache(7, 2, 2, 6, 7), rotary)
    differs = abs(found - in_text).max(axis=(0, 2))
    assert (differs[:7] < ROUNDED).all()
    assert (differs[7:] > 1e-3).all()


@given(cuts, sizes)
def test_it_holds_the_first_tokens_and_the_last_ones_and_says_which(ends, size):
    capacity, n_sinks = size
    cache = StreamingCache(*size, 2, 6, 7)
    for a, b in pairwise(ends):
        cache.meet(Q[:, a:b], K[:, a:b], V[:, a:b])
        expected = [t for t in range(b) if t < n_sinks or t >= b - capacity + n_sinks]
        assert sorted(cache.positions.tolist()) == expected
        assert len(cache) == len(expected) <= capacity
        np.testing.assert_array_equal(cache.keys, K[:, cache.positions])
        np.testing.assert_array_equal(cache.values, V[:, cache.positions])


def test_memory_stays_the_same_over_5000_tokens_and_a_step_copies_nothing_that_is_there():
    cache = StreamingCache(503, 4, 2, 8)
    set_aside = cache.nbytes
    assert set_aside == 2 * 2 * 503 * 8 * 8 + 2 * 4 * 8 * 8
    token = np.ones((2, 1, 8))
    for _ in range(503):
        cache.meet(token, token, token, rotary)
    memory = cache._keys, cache._values
    pairs = [(i, i) for i in range(2000)]
    del pairs  # Python sets as many aside, to use them again
    tracemalloc.start()
    for _ in range(100):  # after which NumPy has set aside what it reuses
        cache.meet(token, token, token, rotary)
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(5000):
        cache.meet(token, token, token, rotary)
    left, peak = (it - before for it in tracemalloc.get_traced_memory())
    tracemalloc.stop()
    assert cache._keys is memory[0]
    assert cache._values is memory[1]
    assert cache.nbytes == set_aside
    assert len(cache) == 503
    assert left < 2_000  # bytes: less than half a byte for each token
    assert peak < set_aside / 5
    assert np.shares_memory(cache.keys, memory[0])


def test_far_into_a_text_the_result_is_that_of_its_beginning():
    near, far = StreamingCache(7, 2, 2, 6, 7), StreamingCache(7, 2, 2, 6, 7)
    far.meet(Q[:, :2], K[:, :2], V[:, :2], rotary)
    for _ in range(100):
        far.meet(*(np.zeros((n, 1000, width)) for n, width in ((4, 6), (2, 6), (2, 7))), rotary)
    near_rows = in_chunks(range(20), Q, K, V, near, rotary)
    far_rows = in_chunks(range(18), Q[:, 2:], K[:, 2:], V[:, 2:], far, rotary)
    np.testing.assert_allclose(far_rows[:, 4:], near_rows[:, 6:], rtol=0, atol=FAR)
    assert far.positions.max() == 100_018


def test_it_works_in_every_precision(backend):
    q, k, v = map(backend.array, (Q, K, V))
    cache = StreamingCache(7, 2, 2, 6, 7, like=k)
    tokens = [[x[..., t : t + 1, :] for x in (q, k, v)] for t in range(19)]
    rows = [backend.read(grouped_query_attention(*cache.meet(*it, rotary))) for it in tokens]
    found = np.concatenate(rows, axis=-2)
    expected = list_of_tokens(*map(backend.like, (Q, K, V)), 7, 2, rotary)
    np.testing.assert_allclose(found, expected, rtol=0, atol=4 * backend.tolerance)
    cache = StreamingCache(7, 2, 2, 6, 7, like=k)
    rows = backend.read(grouped_query_attention(*cache.meet(q, k, v, rotary)))
    np.testing.assert_allclose(rows, expected, rtol=0, atol=4 * backend.tolerance)


def test_batches_keep_to_themselves():
    q, k, v = (np.stack([x, -2 * x]) for x in (Q, K, V))
    cache = StreamingCache(7, 2, 2, 6, 7, leading=(2,))
    found = in_chunks([0, 4, 9, 10, 19], q, k, v, cache, rotary)
    for i in range(2):
        np.testing.assert_allclose(found[i], list_of_tokens(q[i], k[i], v[i], 7, 2, rotary), rtol=0, atol=ROUNDED)


def test_a_layer_takes_it_in_the_place_of_a_cache_that_forgets_nothing():
    x = draw(19, 12)
    w_q, w_k, w_v, w_o = draw(12, 24, seed=1), draw(12, 12, seed=2), draw(12, 14, seed=3), draw(28, 5, seed=4)
    weights = w_q, w_k, w_v, w_o, 4, 2

    def heads(w, n):
        return np.moveaxis((x @ w).reshape(19, n, -1), 1, 0)

    expected = list_of_tokens(heads(w_q, 4), heads(w_k, 2), heads(w_v, 2), 7, 2, rotary)
    expected = np.moveaxis(expected, 0, 1).reshape(19, 28) @ w_o
    for ends in ([0, 19], [0, 5, 6, 11, 19], range(20)):
        cache = StreamingCache(7, 2, 2, 6, 7)
        parts = [
            grouped_query_self_attention(x[a:b], *weights, cache=cache, rotate=rotary) for a, b in pairwise(ends)
        ]
        np.testing.assert_allclose(np.concatenate(parts), expected, rtol=0, atol=LAYER)


def test_attention_in_as_many_heads_takes_it_token_by_token_and_is_refused_what_it_would_get_wrong():
    cache = StreamingCache(7, 2, 2, 6, 7)
    rows = [cached_attention(Q[:2, :5], K[:, :5], V[:, :5], cache)]
    rows += [cached_attention(Q[:2, t : t + 1], K[:, t : t + 1], V[:, t : t + 1], cache) for t in range(5, 17)]
    expected = attention(Q[:2, :17], K[:, :17], V[:, :17], sink_mask(17, 17, 5, 2))
    np.testing.assert_allclose(np.concatenate(rows, axis=-2), expected, rtol=0, atol=ROUNDED)
    with pytest.raises(ValueError, match="must be appended one by one, or with meet: got 7 of at most 7 tokens, and 2"):
        cached_attention(Q[:2, 17:], K[:, 17:], V[:, 17:], cache)
    assert sorted(cache.positions.tolist()) == [0, 1, 12, 13, 14, 15, 16]


@pytest.mark.parametrize(
    ("k", "v", "message"),
    [
        (K[:1, :1], V[:, :1], "k must have heads 2, got 1"),
        (K[:, :1], V[:, :1, :6], "v must have width 7, got 6"),
        (K[:, :2], V[:, :1], "k and v must hold as many tokens, got 2 and 1"),
        (K[:, :1].astype(np.float32), V[:, :1], "k and the cache must have the same dtype, got float32 and float64"),
    ],
)
def test_what_does_not_fit_is_refused_and_leaves_the_cache_as_it_was(k, v, message):
    cache = StreamingCache(4, 1, 2, 6, 7)
    cache.append(K[:, :4], V[:, :4])
    memory = cache._keys.copy(), cache._values.copy()
    for take in (lambda: cache.append(k, v), lambda: cache.meet(Q[:, :1], k, v, rotary)):
        with pytest.raises(ValueError, match=message):
            take()
        assert cache.positions.tolist() == [0, 1, 2, 3]
        np.testing.assert_array_equal(cache._keys, memory[0])
        np.testing.assert_array_equal(cache._values, memory[1])


@pytest.mark.parametrize(
    ("turned", "message"),
    [
        (lambda k: k[..., :1], "k must have width 6, got 1"),  # NumPy would spread it
        (lambda k: k[:1], "k must have heads 2, got 1"),
        (lambda k: k.astype(np.float32), "k and the cache must have the same dtype, got float32 and float64"),
    ],
)
@pytest.mark.parametrize("n", [1, 2])
def test_keys_that_came_out_of_the_turn_otherwise_are_refused(turned, message, n):
    cache = StreamingCache(4, 1, 2, 6, 7)
    with pytest.raises(ValueError, match=message):
        cache.meet(Q[:, :n], K[:, :n], V[:, :n], lambda x, at: turned(x) if len(x) == 2 else x)
    assert len(cache) == 0


def test_where_the_sinks_cannot_be_turned_again_nothing_is_written():
    cache = StreamingCache(4, 1, 2, 6, 7)

    def rotate(x, at):
        if x.shape[0] == 2 and at.tolist() == [1]:  # the sink, when token 4 evicts another
            raise ArithmeticError
        return x

    cache.meet(Q[:, :4], K[:, :4], V[:, :4], rotate)
    before = cache.keys.copy(), cache.values.copy()
    with pytest.raises(ArithmeticError):
        cache.meet(Q[:, 4:5], K[:, 4:5], V[:, 4:5], rotate)
    assert cache.positions.tolist() == [0, 1, 2, 3]
    np.testing.assert_array_equal(cache.keys, before[0])
    np.testing.assert_array_equal(cache.values, before[1])


def test_a_chunk_of_nothing_changes_nothing():
    cache = StreamingCache(4, 1, 2, 6, 7)
    _, keys, values, _ = (it.copy() for it in cache.meet(Q[:, :3], K[:, :3], V[:, :3], rotary))
    cache.append(K[:, :0], V[:, :0])
    cache.meet(Q[:, :0], K[:, :0], V[:, :0], rotary)
    assert cache.positions.tolist() == [0, 1, 2]
    np.testing.assert_array_equal(cache.keys, keys)
    np.testing.assert_array_equal(cache.values, values)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((4, 4, 2, 6), "n_sinks must leave room for another token, got 4 of 4"),
        ((4, -1, 2, 6), "n_sinks must not be negative, got -1"),
        ((4, 1.5, 2, 6), r"n_sinks must be an integer, got 1\.5"),
        ((0, 0, 2, 6), "capacity must be positive, got 0"),
        ((4, 1, 2, 0), "d_head must be positive, got 0"),
    ],
)
def test_impossible_caches_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        StreamingCache(*arguments)


# In a model


def streams(model, capacity, n_sinks):
    attention = model.blocks[0].attention
    sizes = attention.n_groups, attention.w_k.shape[1] // attention.n_groups
    return [StreamingCache(capacity, n_sinks, *sizes, like=attention.w_k) for _ in model.blocks]


@pytest.fixture(scope="module")
def small():
    rng = np.random.default_rng(0)
    return Llama(53, n_layers=3, d_model=24, n_heads=4, n_groups=2, d_hidden=22, rng=rng).double().requires_grad_(False)


def test_in_every_layer_of_a_model_it_is_the_masked_pass_with_the_distance_to_sinks_bounded(small):
    ids = np.random.default_rng(1).integers(0, 53, 29)
    x = small.tokens(ids)
    for block in small.blocks:
        a, normed = block.attention, block.norm_1(x)
        q, k, v = (
            split_heads((normed @ w).numpy(), n) for w, n in ((a.w_q, 4), (a.w_k, 2), (a.w_v, 2))
        )
        x = x + merge_heads(torch.tensor(one_pass(q, k, v, 7, 2, rotary))) @ a.w_o
        x = x + block.feed_forward(block.norm_2(x))
    for ends in ([0, 29], [0, 5, 6, 11, 29], range(30)):
        caches = streams(small, 7, 2)
        parts = [small.states(ids[a:b], caches=caches)[-1] for a, b in pairwise(ends)]
        torch.testing.assert_close(torch.cat(parts), x, rtol=0, atol=LAYERS)


def test_with_room_for_all_it_is_the_cache_that_forgets_nothing(small):
    ids = np.random.default_rng(2).integers(0, 53, 11)
    torch.testing.assert_close(small(ids, caches=streams(small, 11, 3)), small(ids), rtol=0, atol=LAYERS)


def test_the_published_model_streams_in_one_chunk_as_token_by_token_and_keeps_what_a_window_loses():
    model, ids = Llama.smollm2(), smollm2.passage(48, start=174)
    whole = model(ids, caches=streams(model, 12, 1))
    caches = streams(model, 12, 1)
    steps = torch.cat([model(part, caches=caches) for part in np.split(ids[:19], range(11, 19))])  # it is full at 12
    torch.testing.assert_close(steps, whole[:19], rtol=0, atol=PUBLISHED)
    without = model(ids, caches=streams(model, 12, 0))
    right = torch.tensor(ids[13:])
    kept, lost = (torch.nn.functional.cross_entropy(it[12:-1], right) for it in (whole, without))
    assert kept < lost - 1.0


@pytest.mark.parametrize("n_turned", [0, 1])
def test_sinks_that_came_without_a_turn_are_not_lost_when_one_is_asked_for(n_turned):
    cache = StreamingCache(4, 2, 2, 6, 7)
    if n_turned:
        cache.meet(Q[:, :1], K[:, :1], V[:, :1], rotary)
    cache.append(K[:, n_turned:3], V[:, n_turned:3])
    before = cache.keys.copy()
    with pytest.raises(ValueError, match=f"rotate must be given from the first sink on, got {n_turned} of 2 with it"):
        cache.meet(Q[:, 3:4], K[:, 3:4], V[:, 3:4], rotary)
    np.testing.assert_array_equal(cache.keys, before)
