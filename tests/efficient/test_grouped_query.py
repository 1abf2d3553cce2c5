"""Grouped-query attention: equal to attention with repeated keys, without repeating them."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from allocations import peak_of_numpy, sizes_in_torch
from hypothesis import given
from hypothesis import strategies as st

from mlnotes.attention.causal_mask import causal_mask
from mlnotes.attention.multi_head import split_heads
from mlnotes.attention.positions import alibi_bias
from mlnotes.attention.self_attention import attention
from mlnotes.efficient.grouped_query import (
    grouped_query_attention,
    grouped_query_self_attention,
    multi_query_attention,
    pool_heads,
)
from mlnotes.efficient.kv_cache import KVCache
from mlnotes.efficient.quantization import QuantizedCache
from mlnotes.efficient.sinks import StreamingCache

# A rounding is 1.1e-16.
ROUNDED = 5e-15  # scores of 3 products, a softmax, an average of 7 values up to 2.7: 14 * 2.7 * 1.1e-16 = 4e-15
MEANS = 1e-15  # means of at most 12 numbers up to 0.9, or of 3 up to 3.3: 12 roundings of 0.7 are 9e-16


def draw(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


Q, K, V = draw(2, 6, 5, 3), draw(2, 2, 7, 3, seed=1), draw(2, 2, 7, 11, seed=2)
MASK = causal_mask(5, 7, offset=2)


def torch_attention(q, k, v, **kwargs):
    tensors = map(torch.tensor, (q, k, v))
    return F.scaled_dot_product_attention(*tensors, enable_gqa=True, **kwargs).numpy()


@pytest.mark.parametrize("masked", [False, True])
def test_agrees_with_torch_in_every_precision(backend, masked):
    mask = MASK if masked else None
    expected = torch_attention(*map(backend.like, (Q, K, V)), attn_mask=None if mask is None else torch.tensor(mask))
    found = backend.read(grouped_query_attention(*map(backend.array, (Q, K, V)), mask=mask))
    np.testing.assert_allclose(found, expected, rtol=0, atol=backend.tolerance * 2)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_no_further_from_the_truth_than_torch(dtype):
    q, k, v = (torch.tensor(draw(2, n, 64, 32, seed=n) * 3).to(dtype) for n in (6, 2, 2))
    exact = F.scaled_dot_product_attention(q.double(), k.double(), v.double(), enable_gqa=True)
    ours, theirs = grouped_query_attention(q, k, v), F.scaled_dot_product_attention(q, k, v, enable_gqa=True)
    assert (ours.double() - exact).abs().max() <= 1.01 * (theirs.double() - exact).abs().max()


@given(st.sampled_from([1, 2, 3, 4, 6, 12]), st.integers(1, 5), st.integers(1, 7), st.booleans())
def test_every_number_of_groups_equals_attention_with_repeated_keys(g, l, s, masked):  # noqa: E741
    q, k, v = draw(12, l, 3), draw(g, s, 3, seed=1), draw(g, s, 5, seed=2)
    mask = causal_mask(l, s) if masked else None
    expected = attention(q, np.repeat(k, 12 // g, 0), np.repeat(v, 12 // g, 0), mask)
    np.testing.assert_allclose(grouped_query_attention(q, k, v, mask), expected, rtol=0, atol=ROUNDED)


@pytest.mark.parametrize("function", [grouped_query_attention, multi_query_attention])
def test_bias_and_scale_may_come_in_any_precision_and_leave_the_result_in_that_of_the_query(backend, function):
    k, v = (K, V) if function is grouped_query_attention else (K[:, 0], V[:, 0])
    bias = draw(6, 5, 7, seed=6)[None]
    for other in backend.others():
        expected = function(*map(backend.like, (Q, k, v)), None, other.like(bias), float(other.like(0.3)))
        found = function(*map(backend.array, (Q, k, v)), None, other.array(bias), other.array(0.3))
        np.testing.assert_allclose(backend.read(found), expected, rtol=0, atol=4 * backend.tolerance)


def test_slopes_of_alibi_are_float64_and_do_for_every_precision(backend):
    found = grouped_query_attention(*map(backend.array, (Q, K, V)), MASK, alibi_bias(6, 5, 7, 2)[None])
    expected = grouped_query_attention(*map(backend.like, (Q, K, V)), MASK, alibi_bias(6, 5, 7, 2)[None])
    np.testing.assert_allclose(backend.read(found), expected, rtol=0, atol=4 * backend.tolerance)


def test_the_two_ends_are_multi_head_and_multi_query_attention():
    k, v = draw(2, 6, 7, 3, seed=3), draw(2, 6, 7, 11, seed=4)
    np.testing.assert_allclose(grouped_query_attention(Q, k, v, MASK), attention(Q, k, v, MASK), rtol=0, atol=ROUNDED)
    one = grouped_query_attention(Q, K[:, :1], V[:, :1], MASK)
    np.testing.assert_array_equal(multi_query_attention(Q, K[:, 0], V[:, 0], MASK), one)
    np.testing.assert_allclose(
        one, torch_attention(Q, K[:, :1], V[:, :1], attn_mask=torch.tensor(MASK)), rtol=0, atol=ROUNDED
    )


@pytest.mark.parametrize("shape", [(5, 7), (1, 7), (5, 1), (2, 6, 5, 7), (2, 6, 1, 7), (1, 6, 5, 1), (2, 1, 5, 7)])
def test_masks_and_biases_hold_for_each_head_by_itself_and_broadcast(shape):
    mask, bias = draw(*shape, seed=5) > -0.8, draw(*shape, seed=6)
    k, v = np.repeat(K, 3, 1), np.repeat(V, 3, 1)
    found = grouped_query_attention(Q, K, V, mask, bias, scale=0.3)
    np.testing.assert_allclose(found, attention(Q, k, v, mask, bias, scale=0.3), rtol=0, atol=ROUNDED)


@pytest.mark.parametrize("make", [np.asarray, torch.asarray])
def test_a_query_that_sees_nothing_gets_zeros(make):
    mask = np.ones((6, 5, 7), bool)[None].repeat(2, 0)
    mask[1, 4, 3] = False
    out = np.asarray(grouped_query_attention(*map(make, (Q, K, V)), mask))
    assert (out[1, 4, 3] == 0).all()
    assert (np.abs(out).sum(-1) == 0).sum() == 1


def test_gradients_are_right_with_a_mask_and_a_query_that_sees_nothing():
    mask = causal_mask(3, 5, 2)
    mask[1] = False
    q, k, v = Q[:, :, :3], K[:, :, :5], V[:, :, :5, :4]  # few, for each number asks for two more passes
    arrays = [torch.tensor(x[1], requires_grad=True) for x in (q, k, v)]
    assert torch.autograd.gradcheck(lambda q, k, v: grouped_query_attention(q, k, v, mask), arrays)
    single = [torch.tensor(x, requires_grad=True) for x in (q[:, :3], k[:, 0], v[:, 0])]
    assert torch.autograd.gradcheck(multi_query_attention, single)
    w = torch.tensor(draw(5, 12), requires_grad=True)
    assert torch.autograd.gradcheck(lambda w: pool_heads(w, 6, 2), w)


# Memory. One query, and keys so wide that scores, weights and results are small beside them.

HEADS, GROUPS, TOKENS, WIDTH = 8, 2, 2003, 512


def repeated(q, k, v):
    repeat = np.repeat if isinstance(k, np.ndarray) else torch.repeat_interleave
    return attention(q, repeat(k, HEADS // GROUPS, -3), repeat(v, HEADS // GROUPS, -3))


def broadcast(q, k, v):
    q = q.reshape(*q.shape[:-3], GROUPS, HEADS // GROUPS, *q.shape[-2:])
    return attention(q, k[..., None, :, :], v[..., None, :, :])


def allocated_by_torch(function, *tensors):
    return sum(sizes_in_torch(function, *tensors))


def from_cache(leading=(), dtype=torch.float32):
    """Keys and values as a cache hands them out: parts of a larger memory."""
    cache = KVCache(TOKENS + 100, GROUPS, WIDTH, leading=leading, like=torch.zeros((), dtype=dtype))
    cache.append(*(torch.zeros(*leading, GROUPS, TOKENS, WIDTH, dtype=dtype) for _ in range(2)))
    return cache.keys, cache.values


@pytest.mark.parametrize("leading", [(), (3,)])
def test_numpy_copies_no_keys_and_no_values(leading):
    q = np.ones((*leading, HEADS, 1, WIDTH), np.float32)
    k, v = (x.numpy() for x in from_cache(leading))
    assert peak_of_numpy(grouped_query_attention, q, k, v) < k.nbytes / 4
    assert peak_of_numpy(repeated, q, k, v) > HEADS / GROUPS * k.nbytes  # the measurement does see copies


@pytest.mark.parametrize("leading", [(), (3,)])
def test_torch_copies_no_keys_and_no_values(leading):
    q = torch.ones(*leading, HEADS, 1, WIDTH)
    k, v = from_cache(leading)
    assert allocated_by_torch(grouped_query_attention, q, k, v) < k.nbytes / 4
    for wrong in (repeated, broadcast):
        assert allocated_by_torch(wrong, q, k, v) > HEADS / GROUPS * k.nbytes


@pytest.mark.parametrize(("leading", "copies"), [((), 0), ((1,), 0), ((3,), 1)])
def test_torch_copies_keys_and_values_that_several_sequences_have_cut_from_a_projection_but_not_for_each_head(
    leading, copies
):
    q = torch.ones(*leading, HEADS, 1, WIDTH)
    k, v = (split_heads(torch.ones(*leading, TOKENS, GROUPS * WIDTH), GROUPS) for _ in range(2))
    copied = copies * (k.nbytes + v.nbytes)
    assert copied <= allocated_by_torch(grouped_query_attention, q, k, v) < copied + k.nbytes / 4


def test_multi_query_attention_copies_nothing_either():
    q, (k, v) = torch.ones(HEADS, 1, WIDTH), from_cache()
    assert allocated_by_torch(multi_query_attention, q, k[0], v[0]) < k[0].nbytes / 4
    arrays = (x.numpy() for x in (q, k[0], v[0]))
    assert peak_of_numpy(multi_query_attention, *arrays) < k[0].nbytes / 4


def test_several_queries_and_a_mask_copy_nothing_either():
    q, (k, v) = torch.ones(HEADS, 5, WIDTH), from_cache()
    small = 12 * HEADS * 5 * TOKENS * 4  # a dozen arrays of scores
    stacked = torch.ones(GROUPS, HEADS // GROUPS * 5, WIDTH)
    own = allocated_by_torch(lambda: stacked @ k.mT @ v)  # on ARM processors PyTorch itself copies for such products
    assert small < k.nbytes
    assert allocated_by_torch(grouped_query_attention, q, k, v, causal_mask(5, TOKENS, TOKENS - 5)) < small + own
    assert allocated_by_torch(repeated, q, k, v) > small + own


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_widens_the_shared_heads_once_and_never_all(dtype):
    q, (k, v) = torch.ones(HEADS, 1, WIDTH, dtype=dtype), from_cache(dtype=dtype)
    widened = 4 * (k.numel() + v.numel())
    assert widened <= allocated_by_torch(grouped_query_attention, q, k, v) < 1.2 * widened


# Pooling


def test_pooled_projections_give_the_mean_of_the_keys(backend):
    x, w = draw(7, 5), draw(5, 6 * 3, seed=1)
    pooled = backend.read(pool_heads(backend.array(w), 6, 2))
    keys = (x @ backend.like(w)).reshape(7, 2, 3, 3).mean(2).reshape(7, 6)
    np.testing.assert_allclose(x @ pooled, keys, rtol=0, atol=20 * backend.tolerance)


def test_pooling_to_as_many_heads_changes_nothing_and_in_two_steps_is_pooling_at_once():
    w = draw(5, 12 * 3)
    np.testing.assert_array_equal(pool_heads(w, 12, 12), w)
    np.testing.assert_allclose(pool_heads(pool_heads(w, 12, 6), 6, 2), pool_heads(w, 12, 2), rtol=0, atol=MEANS)
    np.testing.assert_allclose(pool_heads(w, 12, 1), sum(np.split(w, 12, axis=1)) / 12, rtol=0, atol=MEANS)


def test_a_bias_is_pooled_like_the_columns_that_it_belongs_to():
    b = np.arange(12.0)
    np.testing.assert_array_equal(pool_heads(b, 4, 2), [1.5, 2.5, 3.5, 7.5, 8.5, 9.5])


def test_heads_that_are_copies_of_their_group_survive_pooling_exactly():
    w = draw(5, 2, 3, seed=3)
    copies = np.repeat(w, 3, axis=1).reshape(5, 18)
    np.testing.assert_allclose(pool_heads(copies, 6, 2), w.reshape(5, 6), rtol=0, atol=MEANS)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((Q[:, :5], K, V), "got 5 query heads and 2 key/value heads"),
        ((Q[:, :1], K, V), "got 1 query heads and 2 key/value heads"),
        ((Q, K, V[:, :1]), r"k and v must have the same size along axis -3, got shapes \(2, 2, 7, 3\)"),
        ((Q, K, V[:, :, :5]), "k and v must have the same size along axis -2"),
        ((Q, K[..., :2], V), r"q and k must have the same size along axis -1, got shapes \(2, 6, 5, 3\)"),
        ((Q[0, 0], K, V), r"axis must be one of q's 2 axes, got axis -3"),
        ((Q, K[0, 0], V[0, 0]), r"k must have at least 3 axes, got shape \(7, 3\)"),
        ((Q, K[:, :0], V[:, :0]), "k must not be empty along axis -3"),
        ((Q, K[:, :, :0], V[:, :, :0]), "k must not be empty along axis -2"),
        ((Q.astype(int), K, V), "q must hold floating-point numbers, got dtype int64"),
        ((Q, K, V, np.ones((5, 7))), "mask must be boolean"),
        ((Q, K, V, np.ones((2, 2, 5, 7), bool)), r"mask must have shape \(5, 7\) or \(2, 6, 5, 7\)"),
        ((Q, K, V, None, np.ones((7, 5))), r"bias must have shape \(5, 7\) or \(2, 6, 5, 7\)"),
        ((Q, K, V, None, np.ones((5, 7), int)), "bias must hold floating-point numbers"),
    ],
)
def test_bad_input_is_refused_with_the_rule_and_both_values(arguments, message):
    with pytest.raises(ValueError, match=message):
        grouped_query_attention(*arguments)


def test_multi_query_attention_needs_keys_with_two_axes():
    with pytest.raises(ValueError, match=r"k must have at least 2 axes, got shape \(3,\)"):
        multi_query_attention(Q, K[0, 0, 0], V[0, 0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((draw(5, 12), 6, 4), "n_groups must divide the heads that are pooled, got 4 groups for 6 heads"),
        ((draw(5, 12), 6, 0), "n_groups must be positive, got 0"),
        ((draw(5, 12), 5, 1), "n_heads must divide the columns of w, got 5 heads for 12 columns"),
        ((np.ones((5, 12), int), 6, 2), "w must hold floating-point numbers"),
    ],
)
def test_heads_that_cannot_be_pooled_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        pool_heads(*arguments)


@pytest.mark.parametrize("n", [1, 70])
@pytest.mark.parametrize("mask", [lambda n: torch.ones((n, n), dtype=bool, device="meta"), lambda n: causal_mask(n, n)])
def test_nothing_that_lies_on_another_device_is_looked_at(n, mask):
    x, *w = (torch.empty(it, device="meta") for it in ((n, 12), (12, 12), (12, 6), (12, 6), (12, 12)))
    assert grouped_query_self_attention(x, *w, n_heads=4, n_groups=2, mask=mask(n)).shape == (n, 12)


@pytest.mark.parametrize(
    ("mask", "message"),
    [
        (np.ones((1, 1), int), "mask must be boolean"),
        (np.ones((7, 9), bool), r"mask must have shape \(1, 1\) or \(2, 1, 1\), up to sizes 1, got \(7, 9\)"),
    ],
)
def test_a_mask_that_hides_nothing_from_one_token_must_fit_as_well(mask, message):
    w = [np.ones((4, 4))] * 4
    with pytest.raises(ValueError, match=message):
        grouped_query_self_attention(np.ones((1, 4)), *w, n_heads=2, n_groups=2, mask=mask)


@pytest.mark.parametrize("kind", ["all", "window", "coded"])
@pytest.mark.parametrize("l", [1, 3])
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"mask": (1, 2)}, r"mask must have shape \(\d, \d\) or \(4, \d, \d\), up to sizes 1, got \(1, 2\)"),
        ({"mask": (1, 5), "dtype": float}, "mask must be boolean"),
        ({"w_q": (8, 12)}, "q and k must have the same size along axis -1"),
        ({"w_o": (7, 8)}, r"w_o must have a row for each of the heads' 8 columns, got shape \(7, 8\)"),
        ({"w_o": (8,)}, r"w_o must have a row for each of the heads' 8 columns, got shape \(8,\)"),
    ],
)
def test_what_is_refused_leaves_the_cache_as_it_was(kind, l, changes, message):  # noqa: E741
    kinds = {
        "all": KVCache(9, 2, 2),
        "window": StreamingCache(4, 1, 2, 2),
        "coded": QuantizedCache(9, 2, 2, bits=8, key_group=4),
    }
    cache = kinds[kind]
    for _ in range(6):
        cache.append(draw(2, 1, 2), draw(2, 1, 2))
    held = len(cache), cache.keys.copy(), cache.values.copy()
    sizes = {"w_q": (8, 8), "w_k": (8, 4), "w_v": (8, 4), "w_o": (8, 8)}
    weights = [draw(*changes.get(name, size)) for name, size in sizes.items()]
    mask = np.ones(changes["mask"], changes.get("dtype", bool)) if "mask" in changes else None
    with pytest.raises(ValueError, match=message):
        grouped_query_self_attention(draw(l, 8), *weights, 4, 2, mask, cache)
    for before, after in zip(held, (len(cache), cache.keys, cache.values), strict=True):
        np.testing.assert_array_equal(after, before)


@pytest.mark.parametrize("kind", [KVCache, StreamingCache, QuantizedCache])
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"w_o": draw(8, 8).astype(np.float32)}, "k and w_o must have the same dtype, got float64 and float32"),
        ({"w_o": np.ones((8, 8), int)}, "k and w_o must have the same dtype, got float64 and int64"),
        ({"w_o": torch.ones(8, 8).double()}, "k and w_o must come from the same library"),
        ({"w_q": np.ones((8, 8), complex)}, "q and k must have the same dtype, got complex128 and float64"),
        ({"w_v": np.ones((8, 4), complex)}, "v and the cache must have the same dtype, got complex128 and float64"),
        ({"w_q": draw(3, 8, 8)}, "cannot be broadcast"),
        ({"mask": np.ones((4, 3, 5), bool)}, r"mask must have shape \(3, \d\) or \(2, 4, 3, \d\), up to sizes 1, got"),
    ],
)
def test_what_would_fail_once_the_tokens_are_taken_up_is_refused_before(kind, changes, message):
    # Projections of their own for each of two sequences.
    weights = {"w_q": draw(8, 8), "w_k": draw(2, 8, 4), "w_v": draw(2, 8, 4), "w_o": draw(8, 8)}
    cache = StreamingCache(4, 1, 2, 2, leading=(2,)) if kind is StreamingCache else kind(9, 2, 2, leading=(2,))
    cache.append(draw(2, 2, 2, 2), draw(2, 2, 2, 2))
    held = len(cache), cache.keys.copy(), cache.values.copy()
    with pytest.raises(ValueError, match=message):
        grouped_query_self_attention(draw(3, 8), **weights | changes, n_heads=4, n_groups=2, cache=cache)
    for before, after in zip(held, (len(cache), cache.keys, cache.values), strict=True):
        np.testing.assert_array_equal(after, before)


@pytest.mark.parametrize("l", [1, 3])
@pytest.mark.parametrize("n", [0, 2, 6])
@pytest.mark.parametrize("kind", [KVCache, StreamingCache, QuantizedCache])
def test_the_mask_that_a_cache_would_give_is_taken_from_the_caller_too(kind, n, l):  # noqa: E741
    weights = [draw(8, 8), draw(8, 4), draw(8, 4), draw(8, 8)]

    def filled():
        cache = StreamingCache(4, 1, 2, 2) if kind is StreamingCache else kind(9, 2, 2)
        for i in range(n):
            cache.append(draw(2, 1, 2, seed=i), draw(2, 1, 2, seed=-i % 7))
        return cache

    seen = filled().meet(*(draw(heads, l, 2) for heads in (4, 2, 2)))[3]
    expected = grouped_query_self_attention(draw(l, 8), *weights, 4, 2, cache=filled())
    found = grouped_query_self_attention(draw(l, 8), *weights, 4, 2, seen, filled())
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"x": draw(5, 12).tolist()}, "x must be an array of NumPy or PyTorch, got list"),
        ({"w_k": draw(12, 4).tolist()}, "w_k must be an array of NumPy or PyTorch, got list"),
        ({"w_o": draw(8, 7).tolist()}, "w_o must be an array of NumPy or PyTorch, got list"),
        ({"x": draw(5, 11)}, r"w_q must have a row for each coordinate .* got \(12, 8\) for tokens \(5, 11\)"),
        ({"w_v": draw(11, 4)}, r"w_v must have a row for each coordinate .* got \(11, 4\) for tokens \(5, 12\)"),
        ({"w_k": draw(12)}, r"w_k must have a row for each coordinate .* got \(12,\)"),
        ({"x": np.float64(1)}, r"x must have at least 2 axes, got shape \(\)"),
        ({"x": draw(12)}, r"x must have at least 2 axes, got shape \(12,\)"),
    ],
)
def test_projections_that_do_not_fit_the_tokens_are_refused_by_name(changes, message):
    sizes = {"x": (5, 12), "w_q": (12, 8), "w_k": (12, 4), "w_v": (12, 4), "w_o": (8, 7)}
    arguments = {name: draw(*shape) for name, shape in sizes.items()}
    with pytest.raises(ValueError, match=message):
        grouped_query_self_attention(**(arguments | changes), n_heads=4, n_groups=2)
