"""Attention in blocks: what attention gives, for every block size, in memory that grows with the length."""

import math
from functools import partial
from itertools import permutations

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from allocations import peak_of_numpy, sizes_in_torch
from hypothesis import given
from hypothesis import strategies as st
from torch.utils.flop_counter import FlopCounterMode

from mlnotes.attention.causal_mask import causal_mask
from mlnotes.attention.positions import alibi_bias
from mlnotes.attention.self_attention import attention
from mlnotes.blocks.softmax import logsumexp, softmax
from mlnotes.efficient import flash
from mlnotes.efficient.flash import (
    attention_and_lse,
    attention_traffic,
    causal_flash_attention,
    flash_attention,
    flash_attention_gradients,
    largest_block_size,
    merge_attentions,
    online_softmax,
)

# A rounding is 1.1e-16 in double precision, 6e-8 in single precision.
SHARED = 1e-15  # weights of at most 20 scores, summed in two orders; measured: 2.2e-16
ROUNDED = 1e-14  # scores of 5 products, a softmax, an average of at most 20 values up to 3.1: 29 * 3.1 * 1.1e-16
SCORED = 1e-12  # scores up to 3,000, rounded 5 times, are off by 1.6e-12; a weight moves by a quarter at most, times 2
LSE = 5e-6  # scores of 5 products and a sum of 13, up to 3.3, in single precision: 18 * 3.3 * 6e-8 = 4e-6
GRADIENT = 3e-14  # forwards, and sums of at most 13 twice: 42 roundings of numbers up to 5.4 are 2.5e-14
SUMMED = 1e-13  # up to 78 of those, each around 1: 120 roundings of sums up to 15 are 2e-13; measured: 2e-15

sizes = st.integers(1, 20)


def draw(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


Q, K, V = draw(2, 3, 11, 5), draw(2, 3, 13, 5, seed=1), draw(2, 3, 13, 7, seed=2)
MASK, BIAS = draw(2, 3, 11, 13, seed=3) > 0.3, draw(2, 3, 11, 13, seed=4)
BLIND = MASK.copy()
BLIND[1, 2, 4] = BLIND[0, :, :, 5:] = False  # a query that sees nothing, and blocks that nobody sees


def torch_attention(q, k, v, mask=None, bias=None, scale=None):
    added = None if bias is None else torch.asarray(bias).to(torch.asarray(q).dtype)
    if mask is not None:
        added = torch.zeros(()) if added is None else added
        added = added.masked_fill(~torch.asarray(mask), -math.inf).to(torch.asarray(q).dtype)
    return F.scaled_dot_product_attention(*map(torch.asarray, (q, k, v)), attn_mask=added, scale=scale)


# The softmax


@given(st.integers(1, 20), sizes, st.sampled_from([0, 1, 2]))
def test_every_block_size_gives_softmax_along_every_axis(block_size, n, axis):
    x = np.moveaxis(30 * draw(2, 3, n), -1, axis)
    np.testing.assert_allclose(online_softmax(x, axis, block_size), softmax(x, axis), rtol=0, atol=SHARED)


@given(st.lists(st.sampled_from([-math.inf, math.inf, -1e308, 1e308, -700.0, 0.0, 710.0]), min_size=1), sizes)
def test_extreme_scores_are_shared_as_softmax_shares_them(scores, block_size):
    with np.errstate(over="ignore"):  # 1e308 - (-1e308) is infinite, and its exponential is 0 all the same
        found, expected = online_softmax(np.array(scores), block_size=block_size), softmax(np.array(scores))
    np.testing.assert_allclose(found, expected, rtol=0, atol=SHARED)


def test_softmax_agrees_with_torch_in_every_precision(backend):
    x = 3 * draw(3, 17)
    found = backend.read(online_softmax(backend.array(x), block_size=5))
    np.testing.assert_allclose(found, torch.softmax(torch.tensor(backend.like(x)), -1), rtol=0, atol=backend.tolerance)


# Forward


@pytest.mark.parametrize("block_size", [1, 3, 128])
def test_agrees_with_torch_in_every_precision_with_a_mask_a_bias_and_a_scale(backend, block_size):
    q, k, v, bias = map(backend.like, (Q, K, V, BIAS))
    for mask, added, scale in (None, None, None), (MASK, None, None), (None, bias, 0.3), (MASK, bias, 0.3):
        expected = torch_attention(q, k, v, mask, added, scale)
        arrays = map(backend.array, (Q, K, V))
        added = None if added is None else backend.array(BIAS)
        found = backend.read(flash_attention(*arrays, mask, added, scale, block_size))
        np.testing.assert_allclose(found, expected, rtol=0, atol=2 * backend.tolerance)


@given(sizes, sizes, sizes, st.booleans(), st.booleans(), st.integers(0, 4))
def test_every_block_size_gives_attention(block_size, l, s, masked, biased, seed):  # noqa: E741
    q, k, v = draw(2, l, 3, seed=seed), draw(2, s, 3, seed=seed + 5), draw(2, s, 4, seed=seed + 10)
    mask = draw(2, l, s, seed=seed + 15) > 0.5 if masked else None
    bias = draw(l, s, seed=seed + 20) if biased else None
    found = flash_attention(q, k, v, mask, bias, 0.7, block_size)
    np.testing.assert_allclose(found, attention(q, k, v, mask, bias, 0.7), rtol=0, atol=ROUNDED)


@given(sizes, sizes, sizes, st.integers(0, 25))
def test_every_block_size_and_offset_gives_causal_attention(block_size, l, s, offset):  # noqa: E741
    q, k, v = draw(2, l, 3), draw(2, s, 3, seed=1), draw(2, s, 4, seed=2)
    expected = attention(q, k, v, causal_mask(l, s, offset), scale=0.7)
    np.testing.assert_allclose(causal_flash_attention(q, k, v, offset, 0.7, block_size), expected, rtol=0, atol=ROUNDED)


@given(st.integers(1, 14), st.sampled_from([1.0, 1e3, 1e150, -1e150]))
def test_scores_of_any_size_are_borne(block_size, size):
    found = flash_attention(size * Q, K, V, block_size=block_size)
    np.testing.assert_allclose(found, attention(size * Q, K, V), rtol=0, atol=SCORED)


@pytest.mark.parametrize("order", [range(13), range(12, -1, -1)], ids=["forwards", "backwards"])
def test_infinite_scores_win_as_in_attention(backend, order):
    bias = np.zeros((11, 13))
    bias[2, 7] = bias[3, [1, 12]] = math.inf
    bias[4] = bias[5, 3] = -math.inf
    arrays = [backend.array(x) for x in (Q, K, V)]
    with np.errstate(all="ignore"):
        expected = attention(*arrays, bias=backend.array(bias[:, order]))
        found = flash_attention(*arrays, bias=backend.array(bias[:, order]), block_size=4)
    np.testing.assert_allclose(backend.read(found), backend.read(expected), rtol=0, atol=backend.tolerance)


@pytest.mark.parametrize("block_size", [4, 13], ids=["head by head", "at once"])
@pytest.mark.parametrize("shape", [(11, 13), (1, 13), (11, 1), (1, 1), (2, 3, 11, 13), (2, 1, 1, 13), (1, 3, 11, 1)])
def test_masks_and_biases_broadcast(shape, block_size):
    mask, bias = draw(*shape, seed=5) > -0.5, draw(*shape, seed=6)
    found = flash_attention(Q, K, V, mask, bias, block_size=block_size)
    np.testing.assert_allclose(found, attention(Q, K, V, mask, bias), rtol=0, atol=ROUNDED)


@pytest.mark.parametrize("block_size", [4, 13], ids=["head by head", "at once"])
def test_leading_axes_broadcast(block_size):
    for arrays in (Q, K[:, :1], V[:1]), (Q[0], K, V[0, 0]), (Q[0, 0], K[0], V), (Q[:, :1], K[:, :1], V), (Q, K[0], V):
        found = flash_attention(*arrays, block_size=block_size)
        np.testing.assert_allclose(found, attention(*arrays), rtol=0, atol=ROUNDED)


def test_the_scores_of_one_block_of_one_head_are_all_that_is_held_at_once_unless_one_block_is_all(monkeypatch):
    shapes = []
    noted = flash._rescale
    monkeypatch.setattr(flash, "_rescale", lambda top, scores: shapes.append(scores.shape) or noted(top, scores))
    flash_attention(Q, K, V, block_size=6)
    assert set(shapes) == {(6, 6), (5, 6), (6, 1), (5, 1)}
    shapes.clear()
    flash_attention(Q, K, V, block_size=12)  # 144 scores at a time, and 143 there are
    assert shapes == [(2, 3, 11, 12), (2, 3, 11, 1)]


@pytest.mark.parametrize("make", [np.asarray, torch.asarray])
def test_a_query_that_sees_nothing_gets_zeros_whether_its_block_is_computed_or_not(make):
    for block_size in (1, 4, 128):
        out = np.asarray(flash_attention(*map(make, (Q, K, V)), make(BLIND), block_size=block_size))
        assert (out[1, 2, 4] == 0).all()
        np.testing.assert_allclose(out, attention(Q, K, V, BLIND), rtol=0, atol=ROUNDED)
    assert not np.asarray(flash_attention(*map(make, (Q, K, V)), make(np.zeros((11, 13), bool)))).any()


def test_bias_and_scale_may_come_in_any_precision_and_leave_the_result_in_that_of_the_query(backend):
    for other in backend.others():
        expected = attention(*map(backend.like, (Q, K, V)), None, other.like(BIAS), float(other.like(0.3)))
        found = flash_attention(*map(backend.array, (Q, K, V)), None, other.array(BIAS), other.array(0.3), 4)
        np.testing.assert_allclose(backend.read(found), expected, rtol=0, atol=4 * backend.tolerance)
    slopes = alibi_bias(3, 11, 13, 2)
    found = flash_attention(*map(backend.array, (Q[0], K[0], V[0])), bias=slopes)
    expected = attention(*map(backend.like, (Q[0], K[0], V[0])), bias=slopes)
    np.testing.assert_allclose(backend.read(found), expected, rtol=0, atol=4 * backend.tolerance)


def test_of_several_precisions_the_result_has_the_one_that_attention_gives():
    for single in range(3):
        arrays = [x.astype(np.float32) if i == single else x for i, x in enumerate((Q, K, V))]
        found, expected = flash_attention(*arrays, block_size=4), attention(*arrays)
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=0, atol=LSE)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_no_further_from_the_truth_than_torch(dtype):
    q, k, v = (torch.tensor(draw(1, 2, 300, 32, seed=n) * 2).to(dtype) for n in (6, 2, 3))
    exact = F.scaled_dot_product_attention(q.double(), k.double(), v.double())
    ours, theirs = flash_attention(q, k, v), F.scaled_dot_product_attention(q, k, v)
    assert ours.dtype == dtype
    assert (ours.double() - exact).abs().max() <= 1.01 * (theirs.double() - exact).abs().max()


def test_the_lse_of_half_precision_is_single_and_as_exact(backend):
    out, lse = attention_and_lse(*map(backend.array, (Q, K, V)), MASK, block_size=4)
    backend.read(out)
    scores = np.where(MASK, backend.like(Q) @ backend.like(K).mT / math.sqrt(5), -math.inf)
    found = np.asarray(lse.cpu() if hasattr(lse, "cpu") else lse)
    np.testing.assert_allclose(found, logsumexp(scores), rtol=0, atol=min(LSE, backend.tolerance))
    assert "float32" in str(lse.dtype) or "float64" in str(lse.dtype)


# What is computed, and what is not


def multiply_adds(function, *tensors, **kwargs):
    with FlopCounterMode(display=False) as counter:
        function(*tensors, **kwargs)
    return counter.get_total_flops() // 2


@pytest.mark.parametrize(("l", "s", "offset"), [(24, 24, 0), (24, 31, 7), (5, 29, 24), (24, 24, 3), (9, 40, 0)])
@pytest.mark.parametrize("block_size", [4, 7, 128])
def test_blocks_beyond_the_diagonal_are_never_computed(l, s, offset, block_size):  # noqa: E741
    q, k, v = torch.ones(2, l, 3), torch.ones(2, s, 3), torch.ones(2, s, 5)
    mask = causal_mask(l, s, offset)
    blocks = [
        mask[i : i + block_size, j : j + block_size]
        for i in range(0, l, block_size)
        for j in range(0, s, block_size)
    ]
    needed = 2 * (3 + 5) * sum(it.size for it in blocks if it.any())
    assert multiply_adds(causal_flash_attention, q, k, v, offset, block_size=block_size) == needed
    assert multiply_adds(flash_attention, q, k, v, torch.tensor(mask), block_size=block_size) == needed
    assert multiply_adds(flash_attention, q, k, v, block_size=block_size) == 2 * (3 + 5) * l * s


def test_the_backward_pass_computes_the_scores_again_and_skips_the_same_blocks():
    q, k, v = torch.ones(24, 3), torch.ones(24, 3), torch.ones(24, 5)
    out, lse = attention_and_lse(q, k, v, block_size=6, offset=0)
    found = multiply_adds(flash_attention_gradients, out, out, lse, q, k, v, block_size=6, offset=0)
    assert found == 10 * 36 * (3 * 3 + 2 * 5)  # scores, q, k; weights, v: five products where the forward has two


def backward(q, k, v, block_size=32, offset=None):
    out, lse = attention_and_lse(q, k, v, block_size=block_size, offset=offset)
    return flash_attention_gradients(out, out, lse, q, k, v, block_size=block_size, offset=offset)


@pytest.mark.parametrize(
    ("function", "options"),
    [
        (flash_attention, {}),
        (causal_flash_attention, {}),
        (attention_and_lse, {"offset": 3}),
        (backward, {}),
        (backward, {"offset": 0}),
    ],
)
def test_memory_is_linear_in_the_length(function, options):
    short, long = (draw(3, n, 8).astype(np.float32) for n in (128, 512))
    at_128, at_512 = (peak_of_numpy(function, *x, block_size=32, **options) for x in (short, long))
    assert at_512 < 4.2 * at_128
    assert at_512 < 512 * 512  # bytes: a quarter of the table of scores
    assert peak_of_numpy(attention, *long) > 4 * 512 * 512  # the measurement does see tables


def test_no_block_of_torch_is_larger_than_one_of_scores_or_the_result():
    q, k, v = map(torch.tensor, draw(3, 512, 8).astype(np.float32))
    assert max(sizes_in_torch(partial(flash_attention, block_size=32), q, k, v)) <= q.nbytes < 512 * 512


# Parts


@given(st.lists(st.integers(1, 12), max_size=3), st.randoms())
def test_parts_merge_to_the_whole_in_every_order_and_grouping(cuts, random):
    ends = sorted({0, 13, *cuts})
    parts = [attention_and_lse(Q, K[..., a:b, :], V[..., a:b, :], BLIND[..., a:b]) for a, b in zip(ends, ends[1:])]  # noqa: B905, RUF007
    out, lse = attention_and_lse(Q, K, V, BLIND)
    outs, lses = map(np.stack, zip(*parts, strict=True))
    for found, expected in zip(merge_attentions(outs, lses), (out, lse), strict=True):
        np.testing.assert_allclose(found, expected, rtol=0, atol=ROUNDED)
    while len(parts) > 1:
        random.shuffle(parts)
        pair = map(np.stack, zip(parts.pop(), parts.pop(), strict=True))
        parts.append(merge_attentions(*pair))
    np.testing.assert_allclose(parts[0][0], out, rtol=0, atol=ROUNDED)
    np.testing.assert_allclose(parts[0][1], lse, rtol=0, atol=ROUNDED)


def test_parts_of_half_precision_merge_in_single(backend):
    arrays = [backend.array(x) for x in (Q, K, V)]
    parts = [attention_and_lse(arrays[0], *(x[..., part, :] for x in arrays[1:])) for part in (slice(6), slice(6, 13))]
    stack = np.stack if "numpy" in backend.name else torch.stack
    out, _ = merge_attentions(*(stack(it) for it in zip(*parts, strict=True)))
    expected = attention(*map(backend.like, (Q, K, V)))
    np.testing.assert_allclose(backend.read(out), expected, rtol=0, atol=2 * backend.tolerance)


# Backward

OPTIONS = {
    "nothing": {},
    "a mask": {"mask": torch.tensor(BLIND)},
    "a bias and a scale": {"bias": torch.tensor(BIAS), "scale": 0.3},
    "all": {"mask": torch.tensor(BLIND), "bias": torch.tensor(BIAS), "scale": 0.3},
}


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("block_size", [1, 4, 128])
def test_gradients_are_those_of_autograd_through_attention(options, block_size):
    options = OPTIONS[options]
    bias = [it.clone().requires_grad_() for name, it in options.items() if name == "bias"]
    arrays = [torch.tensor(x, requires_grad=True) for x in (Q, K, V)]
    weights = torch.tensor(draw(2, 3, 11, 7, seed=9))
    named = dict(options) | ({"bias": bias[0]} if bias else {})
    expected = torch.autograd.grad((attention(*arrays, **named) * weights).sum(), [*arrays, *bias])
    with torch.no_grad():
        out, lse = attention_and_lse(*arrays, **named, block_size=block_size)
        found = flash_attention_gradients(weights, out, lse, *arrays, **named, block_size=block_size)
    for x, y in zip(found, expected, strict=True):
        assert torch.isfinite(x).all()
        torch.testing.assert_close(x, y, rtol=0, atol=GRADIENT)


@pytest.mark.parametrize("shape", [(11, 13), (1, 13), (11, 1), (2, 1, 1, 13), (1, 3, 11, 1)])
def test_gradients_of_what_broadcasts_are_summed(shape):
    bias = torch.tensor(draw(*shape, seed=6), requires_grad=True)
    q, k, v = (torch.tensor(x, requires_grad=True) for x in (Q[:1], K[:, :1], V[0]))
    out = attention(q, k, v, None, bias)
    expected = torch.autograd.grad(out.sum(), (q, k, v, bias))
    with torch.no_grad():
        found = flash_attention_gradients(
            torch.ones_like(out), *attention_and_lse(q, k, v, None, bias), q, k, v, None, bias, block_size=4
        )
    for x, y in zip(found, expected, strict=True):
        torch.testing.assert_close(x, y, rtol=0, atol=SUMMED)


def test_gradients_in_every_precision(backend):
    grad = draw(2, 3, 11, 7, seed=9)
    arrays = [torch.tensor(backend.like(x), requires_grad=True) for x in (Q, K, V)]
    expected = torch.autograd.grad((attention(*arrays, MASK) * torch.tensor(backend.like(grad))).sum(), arrays)
    own = [backend.array(x) for x in (Q, K, V)]
    out, lse = attention_and_lse(*own, MASK, block_size=4)
    found = flash_attention_gradients(backend.array(grad), out, lse, *own, MASK, block_size=4)
    for x, y in zip(found, expected, strict=True):
        np.testing.assert_allclose(backend.read(x), y, rtol=0, atol=10 * backend.tolerance)


def test_autograd_goes_through_the_loop_over_blocks_as_well():
    # Few, for each number asks for two more passes.
    arrays = [torch.tensor(x, requires_grad=True) for x in (Q[1, 2, :5], K[1, 2, :7], V[1, 2, :7, :2])]
    mask = BLIND[1, 2, :5, :7]
    assert torch.autograd.gradcheck(lambda *a: flash_attention(*a, mask, block_size=4), arrays)
    assert torch.autograd.gradcheck(lambda *a: causal_flash_attention(*a, offset=2, block_size=4), arrays)
    assert torch.autograd.gradcheck(lambda x: online_softmax(x, block_size=2), arrays[0])


# Traffic


def simulated(l, s, d, e, block_size):  # noqa: E741
    """Move blocks one by one; return what was moved, and the most that was in the fast memory at once."""
    moved = most = 0
    for i in range(0, l, block_size):
        rows = min(block_size, l - i)
        moved += rows * d  # queries, read
        for j in range(0, s, block_size):
            keys = min(block_size, s - j)
            moved += keys * (d + e)  # keys and values, read
            most = max(most, (rows + keys) * (d + e) + 2 * rows + rows * keys)
        moved += rows * e  # results, written
    return moved, most


@given(sizes, sizes, st.integers(1, 5), st.integers(1, 5), sizes)
def test_traffic_is_that_of_a_run(l, s, d, e, block_size):  # noqa: E741
    assert attention_traffic(l, s, d, e, block_size) == simulated(l, s, d, e, block_size)[0]


@given(st.integers(1, 3000), st.integers(1, 9), st.integers(1, 9))
def test_the_largest_block_size_fits_and_one_more_does_not(fast_memory, d, e):
    size = largest_block_size(fast_memory, d, e)
    assert size == 0 or simulated(size, size, d, e, size)[1] <= fast_memory
    assert simulated(size + 1, size + 1, d, e, size + 1)[1] > fast_memory


def test_traffic_with_tables_reads_and_writes_both_of_them():
    reads = 7 * 5 + 11 * 5 + 7 * 11 + 7 * 11 + 11 * 3  # q, k; scores; weights, v
    writes = 7 * 11 + 7 * 11 + 7 * 3  # scores; weights; results
    assert attention_traffic(7, 11, 5, 3) == reads + writes
    assert attention_traffic(7, 11, 5) == attention_traffic(7, 11, 5, 5)
    assert largest_block_size(900, 5) == largest_block_size(900, 5, 5)


# Bad input


@pytest.mark.parametrize("order", list(permutations(range(3)))[1:])
def test_queries_keys_and_values_are_not_exchanged(order):
    arrays = [draw(4, 4, seed=i) for i in range(3)]
    assert abs(flash_attention(*arrays) - flash_attention(*(arrays[i] for i in order))).max() > 1e-3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((Q, K[..., :2], V), r"q and k must have the same size along axis -1, got shapes \(2, 3, 11, 5\)"),
        ((Q, K, V[..., :5, :]), "k and v must have the same size along axis -2"),
        ((Q[..., :0], K[..., :0], V), "q must not be empty along axis -1"),
        ((Q[..., :0, :], K, V), "q must not be empty along axis -2"),
        ((Q, K[..., :0, :], V[..., :0, :]), "k must not be empty along axis -2"),
        ((Q.astype(int), K, V), "q must hold floating-point numbers, got dtype int64"),
        ((Q, K, V, np.ones((11, 13))), "mask must be boolean"),
        ((Q, K, V, np.ones((13, 11), bool)), r"mask must have shape \(11, 13\) or \(2, 3, 11, 13\)"),
        ((Q, K, V, None, np.ones((3, 11, 13))), r"bias must have shape \(11, 13\) or \(2, 3, 11, 13\)"),
        ((Q, K, V, None, None, None, 0), "block_size must be positive, got 0"),
        ((Q, K, V, None, None, None, 2.0), "block_size must be an integer, got 2.0"),
    ],
)
def test_bad_input_is_refused_with_the_rule_and_both_values(arguments, message):
    with pytest.raises(ValueError, match=message):
        flash_attention(*arguments)
    with pytest.raises(ValueError, match=message):
        attention_and_lse(*arguments)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: causal_flash_attention(Q, K, V, -1), "offset must not be negative, got -1"),
        (lambda: causal_flash_attention(Q, K, V, 1.5), "offset must be an integer, got 1.5"),
        (lambda: online_softmax(np.array([1, 2])), "x must hold floating-point numbers"),
        (lambda: online_softmax(Q, 4), "axis must be one of x's 4 axes, got axis 4"),
        (lambda: online_softmax(Q, block_size=-1), "block_size must be positive, got -1"),
        (lambda: online_softmax(Q[:0], 0), "x must not be empty along axis 0"),
        (lambda: merge_attentions(Q, Q[..., :2, 0]), r"one lse for each row of outs, got \(2, 3, 2\) for \(2, 3, 11"),
        (lambda: merge_attentions(Q.astype(int), Q[..., 0]), "outs must hold floating-point numbers, got dtype int64"),
        (
            lambda: flash_attention_gradients(V[:, :, :11], V[:, :, :11], Q[..., 0], Q, K[..., :2], V),
            r"q and k must have the same size along axis -1, got shapes \(2, 3, 11, 5\) and",
        ),
        (lambda: merge_attentions(Q[:0], Q[:0, ..., 0]), "lses must not be empty along axis 0"),
        (
            lambda: flash_attention_gradients(Q, Q, Q[..., 0], Q, K, V),
            r"out must have shape \(2, 3, 11, 7\), got \(2, 3, 11, 5\)",
        ),
        (
            lambda: flash_attention_gradients(V[..., :11, :], V[..., :11, :], V[..., 0], Q, K, V),
            r"lse must have shape \(2, 3, 11\), got \(2, 3, 13\)",
        ),
        (
            lambda: flash_attention_gradients(V[:, :, :11], V[:, :, :11], Q[..., 0], Q[0], K[0], V[0]),
            r"out must have shape \(3, 11, 7\), got \(2, 3, 11, 7\)",
        ),
        (
            lambda: flash_attention_gradients(V[:, :, :11], V[:, :, :11], Q[0, ..., 0], Q, K, V),
            r"lse must have shape \(2, 3, 11\), got \(3, 11\)",
        ),
        (
            lambda: flash_attention_gradients(V[0, 0], V[..., :11, :], Q[..., 0], Q, K, V),
            r"grad must have the shape of out, \(2, 3, 11, 7\), got \(13, 7\)",
        ),
        (lambda: attention_traffic(0, 5, 3), "n_queries must be positive, got 0"),
        (lambda: attention_traffic(5, 5, 3, block_size=0), "block_size must be positive, got 0"),
        (lambda: largest_block_size(0, 5), "fast_memory must be positive, got 0"),
    ],
)
def test_other_bad_input_is_refused_as_well(call, message):
    with pytest.raises(ValueError, match=message):
        call()
