"""Attention to some keys: equal to masked attention, at the price of what is seen."""

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from allocations import peak_of_numpy, sizes_in_torch
from hypothesis import given
from hypothesis import strategies as st
from torch.utils.flop_counter import FlopCounterMode

from mlnotes.attention.causal_mask import causal_mask
from mlnotes.attention.self_attention import attention
from mlnotes.checks import check
from mlnotes.checks.efficient.sparse import pairs_in_window
from mlnotes.counting import count_operations
from mlnotes.efficient import sparse
from mlnotes.efficient.kv_cache import KVCache
from mlnotes.efficient.sparse import block_sparse_attention, sliding_window_attention, sliding_window_mask

# A rounding is 1.1e-16.
ROUNDED = 1e-14  # scores of 3 products, a softmax, an average of at most 22 values up to 3.1: 29 * 3.1 * 1.1e-16
SHARP = 3e-15  # one key takes all, or infinite scores share alike: sums of at most 9 values up to 2.4


def draw(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


Q, K, V = draw(2, 5, 3), draw(2, 7, 3, seed=1), draw(2, 7, 11, seed=2)
LAYOUT = np.array([[True, False, True, False], [False] * 4, [False, True, True, True]])  # blocks of 2: l = 5, s = 7


def spread(layout, block_size, n_queries, n_keys):
    return np.kron(layout, np.ones((block_size, block_size), bool))[:n_queries, :n_keys]


def torch_attention(q, k, v, mask, scale=None):
    """Ask PyTorch, whose empty rows are zeros, too."""
    return F.scaled_dot_product_attention(*map(torch.tensor, (q, k, v)), torch.tensor(mask), scale=scale).numpy()


# The mask


@given(st.integers(0, 9), st.integers(0, 9), st.integers(1, 12), st.integers(0, 12))
def test_a_window_of_w_holds_the_own_position_and_the_w_minus_1_before_it(n_queries, n_keys, window, offset):
    mask = sliding_window_mask(n_queries, n_keys, window, offset)
    assert mask.shape == (n_queries, n_keys)
    for i in range(n_queries):
        assert set(np.flatnonzero(mask[i])) == set(range(i + offset - window + 1, i + offset + 1)) & set(range(n_keys))


def test_it_is_the_difference_of_two_causal_masks_and_a_wide_window_is_causal():
    np.testing.assert_array_equal(sliding_window_mask(5, 9, 3, 4), causal_mask(5, 9, 4) & ~causal_mask(5, 9, 1))
    np.testing.assert_array_equal(sliding_window_mask(5, 9, 9, 4), causal_mask(5, 9, 4))
    np.testing.assert_array_equal(sliding_window_mask(6, 6, 1), np.eye(6, dtype=bool))


# Equal to masked attention


@pytest.mark.parametrize("window", [1, 3, 7, 50])
def test_a_window_agrees_with_torch_in_every_precision(backend, window):
    expected = torch_attention(*map(backend.like, (Q, K, V)), sliding_window_mask(5, 7, window, 2))
    found = backend.read(sliding_window_attention(*map(backend.array, (Q, K, V)), window))
    np.testing.assert_allclose(found, expected, rtol=0, atol=backend.tolerance * 2)


def test_blocks_agree_with_torch_in_every_precision(backend):
    expected = torch_attention(*map(backend.like, (Q, K, V)), spread(LAYOUT, 2, 5, 7))
    found = backend.read(block_sparse_attention(*map(backend.array, (Q, K, V)), LAYOUT, 2))
    np.testing.assert_allclose(found, expected, rtol=0, atol=backend.tolerance * 2)


@given(st.integers(1, 200), st.integers(0, 90), st.integers(1, 210), st.sampled_from([None, 0, 3, 64, 170, 700]))
def test_every_window_length_and_offset_equals_the_masked_table(n_queries, more, window, offset):
    n_keys = n_queries + more
    q, k, v = draw(n_queries, 3), draw(n_keys, 3, seed=1), draw(n_keys, 5, seed=2)
    place = more if offset is None else offset
    expected = attention(q, k, v, sliding_window_mask(n_queries, n_keys, window, place), scale=0.7)
    np.testing.assert_allclose(sliding_window_attention(q, k, v, window, 0.7, offset), expected, rtol=0, atol=ROUNDED)


@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 45), st.integers(0, 9))
def test_every_block_size_and_layout_equals_the_masked_table(n_queries, n_keys, block_size, seed):
    q, k, v = draw(n_queries, 3), draw(n_keys, 3, seed=1), draw(n_keys, 5, seed=2)
    blocks = math.ceil(n_queries / block_size), math.ceil(n_keys / block_size)
    layout = np.random.default_rng(seed).random(blocks) < 0.4
    expected = attention(q, k, v, spread(layout, block_size, n_queries, n_keys), scale=0.7)
    np.testing.assert_allclose(block_sparse_attention(q, k, v, layout, block_size, 0.7), expected, rtol=0, atol=ROUNDED)


@pytest.mark.parametrize("size", [800.0, 1e200])  # of which exponentials, and products, overflow
def test_scores_of_any_size_give_what_attention_gives(size):
    q, k, v = size * draw(9, 3), size * draw(9, 3, seed=1), draw(9, 5, seed=2)
    with np.errstate(over="ignore", invalid="ignore"):
        for found, mask in (
            (sliding_window_attention(q, k, v, 4), sliding_window_mask(9, 9, 4)),
            (block_sparse_attention(q, k, v, np.eye(3, dtype=bool), 3), spread(np.eye(3, dtype=bool), 3, 9, 9)),
        ):
            np.testing.assert_allclose(found, attention(q, k, v, mask), rtol=0, atol=SHARP)


def test_leading_axes_broadcast_so_that_query_heads_share_keys():
    q, k, v = draw(2, 3, 5, 3), draw(2, 1, 7, 3, seed=1), draw(2, 1, 7, 11, seed=2)
    q_all, k_all, v_all = q, *(np.repeat(x, 3, axis=1) for x in (k, v))
    for make in (np.asarray, torch.tensor):
        found = np.asarray(sliding_window_attention(*map(make, (q, k, v)), 3))
        np.testing.assert_allclose(
            found, attention(q_all, k_all, v_all, sliding_window_mask(5, 7, 3, 2)), rtol=0, atol=ROUNDED
        )
        found = np.asarray(block_sparse_attention(*map(make, (q, k, v)), LAYOUT, 2))
        np.testing.assert_allclose(found, attention(q_all, k_all, v_all, spread(LAYOUT, 2, 5, 7)), rtol=0, atol=ROUNDED)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_no_further_from_the_truth_than_torch(dtype):
    q, k, v = (torch.tensor(draw(6, 64, 32, seed=n) * 3).to(dtype) for n in range(3))
    mask, layout = torch.tensor(sliding_window_mask(64, 64, 9)), np.tri(8, dtype=bool)
    for function, seen in (
        (lambda *x: sliding_window_attention(*x, 9), mask),
        (lambda *x: block_sparse_attention(*x, layout, 8), torch.tensor(spread(layout, 8, 64, 64))),
    ):
        exact = F.scaled_dot_product_attention(q.double(), k.double(), v.double(), seen)
        theirs = F.scaled_dot_product_attention(q, k, v, seen)
        assert (function(q, k, v).double() - exact).abs().max() <= 1.01 * (theirs.double() - exact).abs().max()


# Nothing in sight


@pytest.mark.parametrize("make", [np.asarray, torch.tensor])
def test_a_query_that_sees_nothing_gets_zeros(make):
    q, k, v = map(make, (Q, K, V))
    out = np.asarray(sliding_window_attention(q, k, v, 3, offset=6))  # queries 6 to 10, keys up to 6
    assert np.abs(out[:, :3]).min() > 0
    np.testing.assert_array_equal(out[:, 3:], 0)
    np.testing.assert_array_equal(np.asarray(sliding_window_attention(q, k, v, 3, offset=900)), np.zeros((2, 5, 11)))
    out = np.asarray(block_sparse_attention(q, k, v, LAYOUT, 2))
    np.testing.assert_array_equal(out[:, 2:4], 0)
    assert np.abs(out[:, [0, 1, 4]]).min() > 0
    np.testing.assert_array_equal(
        np.asarray(block_sparse_attention(q, k, v, np.zeros_like(LAYOUT), 2)), np.zeros((2, 5, 11))
    )


def test_gradients_are_right_also_where_nothing_is_seen():
    # Few, for each number asks for two more passes.
    arrays = [torch.tensor(x, requires_grad=True) for x in (Q, K, V[..., :2])]
    assert torch.autograd.gradcheck(lambda q, k, v: sliding_window_attention(q, k, v, 2, 0.7), arrays)
    assert torch.autograd.gradcheck(lambda q, k, v: sliding_window_attention(q, k, v, 2, offset=5), arrays)
    assert torch.autograd.gradcheck(lambda q, k, v: block_sparse_attention(q, k, v, LAYOUT, 2, 0.7), arrays)
    long = [torch.tensor(draw(67, 1, seed=n), requires_grad=True) for n in range(3)]  # two blocks of queries
    assert torch.autograd.gradcheck(lambda q, k, v: sliding_window_attention(q, k, v, 3), long)


# With a cache


@pytest.mark.parametrize("chunks", [[1] * 11, [4, 1, 1, 5], [11]])
def test_a_cache_gives_what_the_whole_sequence_gives(chunks):
    q, k, v = draw(2, 11, 3), draw(2, 11, 3, seed=1), draw(2, 11, 5, seed=2)
    cache, out, start = KVCache(11, 2, 3, 5, like=q), [], 0
    for size in chunks:
        now = slice(start, start := start + size)
        cache.append(k[:, now], v[:, now])
        out.append(sliding_window_attention(q[:, now], cache.keys, cache.values, 4))
    np.testing.assert_allclose(np.concatenate(out, 1), sliding_window_attention(q, k, v, 4), rtol=0, atol=ROUNDED)


def test_the_last_window_of_the_cache_is_all_that_is_needed():
    q, k, v = draw(2, 1, 3), draw(2, 11, 3, seed=1), draw(2, 11, 5, seed=2)
    everything, last = (sliding_window_attention(q, x, y, 4) for x, y in ((k, v), (k[:, -4:], v[:, -4:])))
    np.testing.assert_array_equal(everything, last)
    k[:, :-4], v[:, :-4] = math.nan, math.nan  # what is out of sight is not read
    np.testing.assert_array_equal(sliding_window_attention(q, k, v, 4), last)


@pytest.mark.parametrize("ends", [(2, 4, 5), (4, 5), (5,)])
def test_a_chunk_of_blocks_takes_its_rows_of_the_whole_layout(ends):
    q, k, v = draw(2, 14, 3), draw(2, 14, 3, seed=1), draw(2, 14, 5, seed=2)
    layout = np.tril(np.random.default_rng(0).random((5, 5)) < 0.6)  # blocks of 3, the last one shorter; none to come
    cache, out, start = KVCache(14, 2, 3, 5, like=q), [], 0
    for end in ends:
        now = slice(3 * start, 3 * end)
        cache.append(k[:, now], v[:, now])
        out.append(block_sparse_attention(q[:, now], cache.keys, cache.values, layout[start:end, :end], 3))
        start = end
    np.testing.assert_allclose(np.concatenate(out, 1), block_sparse_attention(q, k, v, layout, 3), rtol=0, atol=ROUNDED)
    last = block_sparse_attention(q[:, 9:], k, v, layout[3:], 3)
    np.testing.assert_array_equal(last, block_sparse_attention(q, k, v, layout, 3)[:, 9:])


def test_parts_of_a_block_of_queries_take_its_row_of_the_layout():
    q, k, v = draw(2, 14, 3), draw(2, 14, 3, seed=1), draw(2, 14, 5, seed=2)
    layout = np.tril(np.random.default_rng(0).random((5, 5)) < 0.6)
    whole = block_sparse_attention(q, k, v, layout, 3)
    for first, last in [(i, i + 1) for i in range(14)] + [(1, 3), (6, 8), (13, 14)]:
        part = block_sparse_attention(q[:, first:last], k, v, layout[[first // 3]], 3)
        np.testing.assert_allclose(part, whole[:, first:last], rtol=0, atol=ROUNDED)


# What it costs


def test_no_table_of_all_pairs_is_ever_held():
    n, window = 4001, 16
    q, k, v = draw(3, n, 8).astype(np.float32)
    few, all_pairs = 10 * 64 * (63 + window) * 4, n * n  # even as bytes
    assert peak_of_numpy(sliding_window_attention, q, k, v, window) < few + 3 * q.nbytes < all_pairs / 10
    tensors = map(torch.tensor, (q, k, v))
    assert max(sizes_in_torch(sliding_window_attention, *tensors, window)) <= max(few, q.nbytes) < all_pairs / 10


def test_memory_beside_the_result_does_not_grow_with_the_sequence():
    beside = []
    for n in (1024, 8192):
        q, k, v = draw(3, n, 8)
        beside.append(peak_of_numpy(sliding_window_attention, q, k, v, 16) - 2 * q.nbytes)  # the blocks, and all
    assert beside[1] < beside[0] + 50_000


def multiply_adds(function, *arrays):
    with FlopCounterMode(display=False) as counter:
        function(*map(torch.tensor, arrays))
    return counter.get_total_flops() // 2


def test_multiply_adds_of_a_window_grow_with_the_sequence_and_not_with_its_square():
    found = [multiply_adds(lambda *x: sliding_window_attention(*x, 16), *draw(3, n, 8)) for n in (1024, 2048, 4096)]
    assert found[2] - found[1] == 2 * (found[1] - found[0]) == 2 * 1024 * (16 + 63) * (8 + 8)


def naive_attention(q, k, v, mask, scale):
    e = np.exp(q @ k.T)
    return e @ v / e.sum(-1, keepdims=True)


@pytest.mark.parametrize("seed", range(3))
def test_blocks_cost_the_multiply_adds_of_their_layout_and_no_others(monkeypatch, seed):
    q, k, v = draw(10, 3), draw(14, 3, seed=1), draw(14, 5, seed=2)
    layout = np.random.default_rng(seed).random((5, 7)) < 0.4
    layout[1] = True, *[False] * 6
    expected = layout.sum() * 2 * 2 * (3 + 5)
    assert multiply_adds(lambda *x: block_sparse_attention(*x, layout, 2), q, k, v) == expected
    layout = layout[layout.any(1)]  # numbers that count know no sum of nothing
    monkeypatch.setattr(sparse, "_attention_to_some", naive_attention)
    monkeypatch.setattr(sparse, "require_floats", lambda **arrays: None)  # numbers that count are objects
    tally = count_operations(lambda *x: block_sparse_attention(*x, layout, 2), q[: 2 * len(layout)], k, v)
    assert tally["multiply"] == expected


def test_an_empty_block_is_not_read():
    k, v = draw(7, 3), draw(7, 5)
    expected = block_sparse_attention(Q[0], k, v, LAYOUT & ~LAYOUT[:, [0]], 2)
    k[:2], v[:2] = math.nan, math.nan
    layout = LAYOUT & ~LAYOUT[:, [0]]
    layout[:, 0] = False
    np.testing.assert_array_equal(block_sparse_attention(Q[0], k, v, layout, 2), expected)


# How far news travels


@pytest.mark.parametrize(("n_layers", "window"), [(1, 4), (2, 4), (3, 4), (5, 2), (4, 1)])
def test_after_some_layers_a_token_has_heard_of_exactly_layers_times_window_less_one_and_itself(n_layers, window):
    x = torch.tensor(draw(24, 3) / 9, requires_grad=True)  # so small that no weight is rounded to 0
    y = x
    for _ in range(n_layers):
        y = y + sliding_window_attention(y, y, y, window)
    y[-1].sum().backward()
    heard = torch.nonzero(x.grad.abs().sum(-1))[:, 0].tolist()
    assert heard == list(range(24 - (n_layers * (window - 1) + 1), 24))


# Bad input


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((5, 7, 0), "window must be positive, got 0"),
        ((5, 7, 2.0), "window must be an integer, got 2.0"),
        ((5, 7, 3, -1), "offset must not be negative, got -1"),
        ((-5, 7, 3), "n_queries must not be negative, got -5"),
        ((5, -7, 3), "n_keys must not be negative, got -7"),
    ],
)
def test_a_mask_that_cannot_be_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        sliding_window_mask(*arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((Q, K, V, 0), "window must be positive, got 0"),
        ((Q, K, V, True), "window must be an integer, got True"),
        ((Q, K, V, 3, None, -1), "offset must not be negative, got -1"),
        ((Q, K, V, 3, None, 1.5), "offset must be an integer, got 1.5"),
        ((K, Q, Q, 3), "queries must not outnumber keys unless an offset is given, got 7 and 5"),
    ],
)
def test_a_window_that_cannot_be_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        sliding_window_attention(*arguments)


@pytest.mark.parametrize(
    ("layout", "block_size", "message"),
    [
        (LAYOUT, 0, "block_size must be positive, got 0"),
        (LAYOUT, 1.5, "block_size must be an integer, got 1.5"),
        (LAYOUT.astype(int), 2, "layout must be boolean, True for what counts, got dtype int64"),
        (LAYOUT.T, 2, r"layout must have shape \(3, 4\) for 5 queries and 7 keys in blocks of 2, got \(4, 3\)"),
        (LAYOUT[None], 2, r"layout must have shape \(3, 4\) .* got \(1, 3, 4\)"),
        (LAYOUT, 3, r"layout must have shape \(2, 3\)"),
    ],
)
def test_a_layout_that_does_not_fit_is_refused(layout, block_size, message):
    with pytest.raises(ValueError, match=message):
        block_sparse_attention(Q, K, V, layout, block_size)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ((Q, K[..., :2], V), r"q and k must have the same size along axis -1, got shapes \(2, 5, 3\) and \(2, 7, 2\)"),
        ((Q, K, V[:, :5]), "k and v must have the same size along axis -2"),
        ((Q.astype(int), K, V), "q must hold floating-point numbers, got dtype int64"),
        ((Q, K, V.astype(bool)), "v must hold floating-point numbers, got dtype bool"),
        ((Q[:, :0], K, V), "q must not be empty along axis -2"),
        ((Q, K[:, :0], V[:, :0]), "k must not be empty along axis -2"),
        ((Q[..., :0], K[..., :0], V), "q must not be empty along axis -1"),
        ((Q[0, 0], K, V), r"axis must be one of q's 1 axes, got axis -2"),
    ],
)
def test_bad_arrays_are_refused_with_the_rule_and_both_values(arrays, message):
    with pytest.raises(ValueError, match=message):
        sliding_window_attention(*arrays, 3)
    with pytest.raises(ValueError, match=message):
        block_sparse_attention(*arrays, LAYOUT, 2)


class TestPairsInWindow:
    @pytest.mark.parametrize(
        ("n", "window", "named"), [(5.0, 2, "n"), (5, 2.0, "window"), (3, 4, "n"), (3, 0, "window")]
    )
    def test_only_whole_numbers_and_windows_that_fit_are_counted(self, n, window, named):
        with pytest.raises(ValueError, match=f"^{named} "):
            pairs_in_window(n, window)

    def test_a_float_is_no_number_of_pairs(self):
        report = check(lambda n, window: n * window - window * (window - 1) / 2, "pairs_in_window")
        assert report.says == "The numbers are right, but their dtype is not: float64 where int64 is right."
