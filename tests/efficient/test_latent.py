"""Latent attention: the absorbed form is the plain one, the cache is as small as it should be, factors lose least."""

import tracemalloc
from itertools import pairwise

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from allocations import peak_of_numpy
from hypothesis import given
from hypothesis import strategies as st

from mlnotes.attention.causal_mask import causal_mask
from mlnotes.attention.multi_head import merge_heads, split_heads
from mlnotes.attention.positions import rotary
from mlnotes.blocks.svd import low_rank, svd
from mlnotes.counting import count_operations
from mlnotes.efficient.grouped_query import grouped_query_attention
from mlnotes.efficient.kv_cache import KVCache
from mlnotes.efficient.latent import (
    LatentCache,
    absorb,
    absorbed_latent_attention,
    factorize,
    grouped_as_latent,
    latent_attention,
    latent_cache_nbytes,
    latent_multiply_adds,
    latent_self_attention,
)

# A rounding is 1.1e-16.
ROUNDED = 1e-14  # latents of 11, scores of 7, a softmax, an average of 7, values up to 3: 30 * 3 * 1.1e-16
CHAINED = 2e-14  # that in a layer of seven products, 60 roundings of numbers up to 2.5; or 17 of numbers up to 8
ABSORBED = 4e-13  # scores up to 40, rounded 16 times: 7e-14; a weight moves by a quarter of that, times values 20 apart
SHIFTED = 1e-13  # angles up to 1,000 * 0.01, rounded 8 times: 9e-15, times lengths up to 4 and values up to 2
FACTORED = 1e-13  # singular vectors; measured: 6e-15
LOST = 1e-12  # norms of 500, rounded some 30 times, leave 1.6e-12 of what is lost, 10 at least
SQUARED = 1e-9  # the condition of the inputs, 600, squared by their products: 3.6e5 * 7 * 1.1e-16 = 3e-10


def draw(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


# Two sequences, 3 heads, 5 queries, 7 keys; keys of width 3 + 4, latents of width 11 + 4, values of width 2.
Q, C, W_UK, W_UV = draw(2, 3, 5, 7), draw(2, 7, 15, seed=1), draw(11, 9, seed=2) / 3, draw(11, 6, seed=3) / 3
MASK = causal_mask(5, 7, offset=2)
FORMS = [latent_attention, absorbed_latent_attention]


def of_torch(q, c, w_uk, w_uv, **kwargs):
    """Write keys and values out, head by head."""
    q, c, w_uk, w_uv = map(torch.tensor, (q, c, w_uk, w_uv))
    latents, turned = c.split([11, 4], -1)
    k = torch.stack([torch.cat([latents @ w, turned], -1) for w in w_uk.chunk(3, -1)], -3)
    v = torch.stack([latents @ w for w in w_uv.chunk(3, -1)], -3)
    return F.scaled_dot_product_attention(q, k, v, **kwargs).numpy()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("masked", [False, True])
def test_agrees_in_every_precision_with_torch_on_keys_and_values_written_out(backend, form, masked):
    mask = MASK if masked else None
    expected = of_torch(*map(backend.like, (Q, C, W_UK, W_UV)), attn_mask=None if mask is None else torch.tensor(mask))
    found = backend.read(form(*map(backend.array, (Q, C, W_UK, W_UV)), mask=mask))
    np.testing.assert_allclose(found, expected, rtol=0, atol=backend.tolerance * 4)


@given(st.integers(1, 5), st.integers(1, 6), st.integers(1, 7), st.integers(1, 9), st.integers(0, 4), st.booleans())
def test_absorbing_changes_rounding_errors_only_for_all_sizes(h, l, s, r, p, masked):  # noqa: E741
    q, c, w_uk, w_uv = draw(h, l, 3 + p), draw(s, r + p, seed=1), draw(r, 3 * h, seed=2), draw(r, 5 * h, seed=3)
    options = {"mask": causal_mask(l, s), "bias": draw(h, l, s, seed=4), "scale": 0.3} if masked else {}
    plain, absorbed = (form(q, c, w_uk, w_uv, **options) for form in FORMS)
    np.testing.assert_allclose(absorbed, plain, rtol=0, atol=ABSORBED)


@pytest.mark.parametrize("form", FORMS)
def test_masks_and_biases_hold_for_each_head_by_itself(form):
    mask, bias = draw(2, 3, 5, 7, seed=5) > -0.8, draw(2, 3, 5, 7, seed=6)
    expected = of_torch(Q, C, W_UK, W_UV, attn_mask=torch.where(torch.tensor(mask), torch.tensor(bias), -torch.inf))
    np.testing.assert_allclose(form(Q, C, W_UK, W_UV, mask, bias), expected, rtol=0, atol=ROUNDED)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("make", [np.asarray, torch.asarray])
def test_a_query_that_sees_nothing_gets_zeros(form, make):
    mask = np.ones((2, 3, 5, 7), bool)
    mask[1, 2, 3] = False
    out = np.asarray(form(*map(make, (Q, C, W_UK, W_UV)), mask))
    assert (out[1, 2, 3] == 0).all()
    assert (np.abs(out).sum(-1) == 0).sum() == 1


@pytest.mark.parametrize("form", FORMS)
def test_gradients_are_right_with_a_mask_and_a_query_that_sees_nothing(form):
    mask = causal_mask(3, 4, 1)
    mask[1] = False
    # Few, for each number asks for two more passes: keys of width 3 + 2, latents of width 5 + 2, values of width 2.
    sizes = (2, 3, 3, 5), (2, 4, 7), (5, 9), (5, 6)
    arrays = [torch.tensor(draw(*size, seed=i), requires_grad=True) for i, size in enumerate(sizes)]
    assert torch.autograd.gradcheck(lambda *x: form(*x, mask), arrays)
    assert torch.autograd.gradcheck(lambda *x: absorb(*x, 3), [torch.tensor(Q[0, 0, :, :6], requires_grad=True),
                                                                torch.tensor(W_UV, requires_grad=True)])


def test_decoding_copies_no_latents_and_makes_no_keys_in_the_absorbed_form():
    q, cache = draw(8, 1, 96), LatentCache(2100, 512, 32)
    cache.append(draw(2003, 544))
    arrays = q, cache.latents, draw(512, 512, seed=1), draw(512, 512, seed=2)
    peaks = {form: peak_of_numpy(form, *arrays) for form in FORMS}
    assert peaks[absorbed_latent_attention] < cache.nbytes / 8
    assert peaks[latent_attention] > 1.9 * cache.nbytes  # keys and values of all heads: the measurement sees them


# Absorbing


def test_absorbing_projections_gives_what_absorbing_queries_gives(backend):
    x, w, w_up = draw(5, 7), draw(7, 12, seed=1) / 3, draw(11, 12, seed=2) / 3
    before = backend.like(x) @ backend.read(absorb(backend.array(w), backend.array(w_up), 3))
    after = backend.read(absorb(backend.array(backend.like(x) @ backend.like(w)), backend.array(w_up), 3))
    np.testing.assert_allclose(after, before, rtol=0, atol=30 * backend.tolerance)


def test_the_output_projection_absorbs_values_in_the_same_way():
    w_o, averages = draw(6, 13, seed=7), draw(3, 5, 11, seed=8)
    folded = absorb(w_o.T, W_UV, 3).T
    expected = merge_heads(averages @ split_heads(W_UV, 3)) @ w_o
    np.testing.assert_allclose(merge_heads(averages) @ folded, expected, rtol=0, atol=CHAINED)


def test_rotation_does_not_commute_with_the_up_projection_and_rotary_parts_need_not():
    c, query = draw(7, 11), draw(3, 1, 4, seed=9)
    at = np.arange(7)
    w = draw(11, 12, seed=10)
    keys = rotary(split_heads(c @ w, 3), at)
    query = rotary(query, np.array([6]))
    true = query @ keys.mT
    absorbed = (query @ split_heads(w, 3).mT) @ c.T  # as if the rotation could be left out
    assert np.abs(true - absorbed).max() > 1
    shifted = [form(np.concatenate([Q[..., :3], rotary(Q[..., 3:], first + np.arange(5))], -1),
                    np.concatenate([C[..., :11], rotary(C[..., 11:], first + at)], -1), W_UK, W_UV)
               for first in (0, 1000) for form in FORMS]
    for out in shifted[1:]:
        np.testing.assert_allclose(out, shifted[0], rtol=0, atol=SHIFTED)


# What is a latent attention already


@pytest.mark.parametrize("g", [6, 3, 2, 1])
def test_grouped_query_attention_is_latent_attention_with_an_up_projection_that_copies(backend, g):
    x, w_k, w_v, q = draw(7, 5), draw(5, 3 * g, seed=1) / 2, draw(5, 2 * g, seed=2) / 2, draw(6, 4, 3, seed=3)
    w_c, w_uk, w_uv = grouped_as_latent(backend.array(w_k), backend.array(w_v), 6, g)
    latents = backend.array(backend.like(x) @ backend.read(w_c))
    split = (split_heads(backend.like(x) @ backend.like(w), g) for w in (w_k, w_v))
    expected = grouped_query_attention(backend.like(q), *split)
    for form in FORMS:
        found = backend.read(form(backend.array(q), latents, w_uk, w_uv))
        np.testing.assert_allclose(found, expected, rtol=0, atol=8 * backend.tolerance)


# Counting


@given(*[st.integers(1, 4)] * 5, st.integers(0, 3), st.integers(1, 4), st.booleans())
def test_multiply_adds_are_those_that_are_done(l, s, h, d, r, p, e, absorbed):  # noqa: E741
    def attend(q, q_rotary, c, k_rotary, w_uk, w_uv):
        for i in range(h):
            if absorbed:
                ((q[i] @ w_uk.T) @ c.T + q_rotary[i] @ k_rotary.T) @ c @ w_uv
            else:
                (q[i] @ (c @ w_uk).T + q_rotary[i] @ k_rotary.T) @ (c @ w_uv)

    arrays = map(np.ones, ((h, l, d), (h, l, p), (s, r), (s, p), (r, d), (r, e)))
    assert count_operations(attend, *arrays)["multiply"] == latent_multiply_adds(l, s, h, d, r, p, e, absorbed)


@pytest.mark.parametrize("absorbed", [False, True])
def test_pytorch_counts_the_multiply_adds_of_the_functions_themselves(absorbed):
    from torch.utils.flop_counter import FlopCounterMode

    with torch.device("meta"), FlopCounterMode(display=False) as counter:
        arrays = (torch.empty(*shape) for shape in ((3, 5, 7), (7, 15), (11, 9), (11, 6)))
        FORMS[absorbed](*arrays)
    assert counter.get_total_flops() // 2 == latent_multiply_adds(5, 7, 3, 3, 11, 4, 2, absorbed)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, torch.float16])
@pytest.mark.parametrize("leading", [(), (3,)])
def test_bytes_of_a_cache_are_those_of_the_formula_and_no_heads_enter(dtype, leading):
    like = torch.zeros((), dtype=dtype) if isinstance(dtype, torch.dtype) else np.zeros((), dtype)
    expected = latent_cache_nbytes(9, 5, 2, itemsize=like.itemsize) * (3 if leading else 1)
    assert LatentCache(9, 5, 2, leading, like).nbytes == expected
    large = latent_cache_nbytes(4001, 5, 2, itemsize=like.itemsize) * (3 if leading else 1)
    if isinstance(like, np.ndarray):
        tracemalloc.start()
        cache = LatentCache(4001, 5, 2, leading, like)
        assert cache.nbytes == large <= tracemalloc.get_traced_memory()[0] < large + 8192
        tracemalloc.stop()
    assert KVCache(9, 1, 5, 2, leading, like).nbytes == expected


# The cache


def projections(n=13, h=3, d=3, r=11, p=4, e=2):
    sizes = ((n, h * (d + p)), (n, r + p), (r, h * d), (r, h * e), (h * e, n))
    return [draw(*size, seed=i) / size[0] ** 0.5 for i, size in enumerate(sizes)]


@given(st.sets(st.integers(1, 10)).map(lambda inner: [0, *sorted(inner), 11]), st.booleans(), st.booleans())
def test_every_way_to_cut_a_sequence_gives_what_one_pass_gives(ends, turned, normed):
    x, w, gain = draw(2, 11, 13, seed=9), projections(), draw(11, seed=8) if normed else None
    cache = LatentCache(11, 11, 4, leading=(2,))
    rotate = rotary if turned else None
    full = latent_self_attention(x, *w, 3, causal_mask(11, 11), rotate=rotate, gain=gain)
    parts = [latent_self_attention(x[:, a:b], *w, 3, cache=cache, rotate=rotate, gain=gain) for a, b in pairwise(ends)]
    np.testing.assert_allclose(np.concatenate(parts, axis=1), full, rtol=0, atol=CHAINED)
    assert len(cache) == 11


@pytest.mark.parametrize(("l", "s", "expected"), [(1, 40, "absorbed_latent_attention"), (40, 40, "latent_attention")])
def test_the_form_with_fewer_multiply_adds_is_taken(monkeypatch, l, s, expected):  # noqa: E741
    from mlnotes.efficient import latent

    taken = []
    for form in FORMS:
        monkeypatch.setattr(latent, form.__name__, lambda *a, f=form: taken.append(f.__name__) or f(*a))
    cache = LatentCache(40, 11, 4)
    if s > l:
        cache.append(draw(s - l, 15))
    latent_self_attention(draw(l, 13), *projections(), 3, cache=cache)
    assert taken == [expected]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"mask": (3, 4)}, r"mask must have shape \(3, 5\) or \(3, 3, 5\), up to sizes 1, got \(3, 4\)"),
        ({"mask": (3, 5), "dtype": int}, "mask must be boolean"),
        ({2: (11, 6)}, r"queries must be as wide as a key and the rotary part, 2 \+ 4, got 7"),
        ({3: (11, 7)}, r"width divides by 3 heads, got shape \(11, 7\)"),
        ({0: (13,)}, r"w_q must be a matrix, got shape \(13,\)"),
        ({1: (13,)}, r"w_c must be a matrix, got shape \(13,\)"),
        ({2: ()}, r"w_uk must be a matrix, got shape \(\)"),
        ({3: ()}, r"w_uv must be a matrix, got shape \(\)"),
        ({4: (7, 13)}, r"w_o must have a row for each of the heads' 6 columns, got shape \(7, 13\)"),
    ],
)
def test_what_is_refused_leaves_the_cache_as_it_was(changes, message):
    cache, w = LatentCache(9, 11, 4), projections()
    cache.append(draw(2, 15))
    before = cache.latents.copy()
    w = [draw(*changes[i]) if i in changes else it for i, it in enumerate(w)]
    mask = np.ones(changes["mask"], changes.get("dtype", bool)) if "mask" in changes else None
    with pytest.raises(ValueError, match=message):
        latent_self_attention(draw(3, 13), *w, 3, mask, cache)
    np.testing.assert_array_equal(cache.latents, before)


@pytest.mark.parametrize(("i", "name"), [(2, "w_uk"), (3, "w_uv"), (4, "w_o")])
@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (lambda w: w.astype(np.float32), "must have the same dtype, got .*float32"),
        (lambda w: w.astype(complex), "must have the same dtype, got .*complex128"),
        (torch.tensor, "must come from the same library, got .*torch"),
    ],
)
def test_what_would_fail_once_the_tokens_are_taken_up_is_refused_before(i, name, changed, message):
    cache, w = LatentCache(9, 11, 4), list(projections())
    cache.append(draw(2, 15))
    before = cache.latents.copy()
    w[i] = changed(w[i])
    with pytest.raises(ValueError, match=f"q and {name} {message}"):
        latent_self_attention(draw(3, 13), *w, 3, cache=cache)
    np.testing.assert_array_equal(cache.latents, before)


def test_a_cache_of_numpys_small_integers_is_as_large_as_any():
    sizes = 100, 100, 100
    assert LatentCache(*map(np.int8, sizes)).nbytes == LatentCache(*sizes).nbytes


@pytest.mark.parametrize("attend", [latent_attention, absorbed_latent_attention])
def test_queries_of_no_width_are_refused(attend):
    with pytest.raises(ValueError, match=r"q must not be empty along axis -1, got shape \(3, 2, 0\)"):
        attend(draw(3, 2, 0), draw(5, 11), draw(11, 0), draw(11, 6))


def test_a_cache_without_rotary_part_takes_latents_alone():
    w = projections(p=0)
    cache, x = LatentCache(5, 11), draw(5, 13)
    full = latent_self_attention(x, *w, 3, causal_mask(5, 5), rotate=lambda y, at: 1 / 0)
    np.testing.assert_allclose(latent_self_attention(x, *w, 3, cache=cache), full, rtol=0, atol=ROUNDED)
    assert cache.nbytes == 5 * 11 * 8
    assert repr(cache) == "<LatentCache with 5 of 5 tokens>"


@pytest.mark.parametrize(
    ("c", "message"),
    [
        (draw(2, 4, 8), "it holds 3 of at most 6 tokens, and 4 more do not fit"),
        (draw(2, 1, 7), r"c must have the cache's shape but for its tokens, \(2, 'l', 8\), got \(2, 1, 7\)"),
        (draw(1, 1, 8), r"got \(1, 1, 8\)"),
        (draw(1, 8), r"got \(1, 8\)"),
        (draw(2, 1, 8).astype(np.float32), "c and the cache must have the same dtype, got float32 and float64"),
        (torch.tensor(draw(2, 1, 8)), "c and the cache must come from the same library"),
    ],
)
def test_a_cache_refuses_what_does_not_fit_and_stays_as_it_was(c, message):
    cache = LatentCache(6, 5, 3, leading=(2,))
    cache.append(draw(2, 3, 8))
    before = cache.latents.copy()
    with pytest.raises(ValueError, match=message):
        cache.append(c)
    assert len(cache) == 3
    np.testing.assert_array_equal(cache.latents, before)


def test_a_cache_refuses_gradients():
    cache = LatentCache(6, 5, like=torch.zeros((), dtype=torch.float64))
    with pytest.raises(ValueError, match="c must not record gradients"):
        cache.append(torch.tensor(draw(1, 5), requires_grad=True))


# Factors


def product(w, rank, x=None):
    down, up = factorize(w, rank, x)
    assert (down.shape, up.shape) == ((len(w), rank), (rank, w.shape[1]))
    return down @ up


@pytest.mark.parametrize("rank", [1, 3, 6])
def test_without_inputs_the_product_is_the_nearest_matrix_of_its_rank(rank):
    w = draw(7, 6)
    np.testing.assert_allclose(product(w, rank), low_rank(w, rank), rtol=0, atol=FACTORED)


@pytest.mark.parametrize("rank", [1, 3, 5])
def test_with_inputs_no_product_of_its_rank_changes_projections_less(rank):
    w, x = draw(7, 6), draw(29, 7, seed=1) * [30, 1, 0.1, 5, 1, 10, 2]
    lost = np.linalg.norm(x @ (w - product(w, rank, x)))
    assert lost == pytest.approx(np.linalg.norm(svd(x @ w)[1][rank:]), rel=LOST)
    assert lost < 0.99 * np.linalg.norm(x @ (w - product(w, rank)))  # what ignores the inputs loses more
    for seed in range(20):
        down, up = factorize(w, rank, x)
        nearby = down + 1e-3 * draw(*down.shape, seed=seed), up + 1e-3 * draw(*up.shape, seed=seed + 50)
        assert np.linalg.norm(x @ (w - nearby[0] @ nearby[1])) > lost


@pytest.mark.parametrize("rank", [1, 3, 5])
def test_whitening_by_cholesky_gives_the_same_product(rank):
    w, x = draw(7, 6), draw(29, 7, seed=1) * [30, 1, 0.1, 5, 1, 10, 2]
    factor = np.linalg.cholesky(x.T @ x)
    expected = np.linalg.solve(factor.T, low_rank(factor.T @ w, rank))
    np.testing.assert_allclose(product(w, rank, x), expected, rtol=0, atol=SQUARED)


def test_white_inputs_make_no_difference():
    w, x = draw(7, 6), np.linalg.qr(draw(29, 7, seed=1))[0]
    np.testing.assert_allclose(product(w, 3, x), product(w, 3), rtol=0, atol=FACTORED)


def test_inputs_may_be_fewer_than_their_width():
    w, x = draw(7, 6), draw(4, 7, seed=1)
    np.testing.assert_allclose(x @ product(w, 4, x), x @ w, rtol=0, atol=FACTORED)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: latent_attention(Q[..., :6], C, W_UK, W_UV),
         r"queries must be as wide as a key and the rotary part, 3 \+ 4, got 6"),
        (lambda: latent_attention(Q, C[..., :10], W_UK, W_UV), "latents must be at least as wide as w_uk has rows"),
        (lambda: latent_attention(Q, C, W_UK[:, :8], W_UV), "width divides by 3 heads, got shape"),
        (lambda: absorbed_latent_attention(Q, C, W_UK, W_UV[:5]), "w_uk and w_uv must have the same size along axis"),
        (lambda: absorbed_latent_attention(Q.astype(int), C, W_UK, W_UV), "q must hold floating-point numbers"),
        (lambda: absorbed_latent_attention(Q, C, W_UK, W_UV, np.ones((5, 7))), "mask must be boolean"),
        (lambda: latent_attention(Q, C, W_UK, W_UV, np.ones((7, 5), bool)), "mask must have shape"),
        (lambda: absorb(draw(5, 12), draw(7, 9), 3), "w and w_up must have the same size along axis -1"),
        (lambda: absorb(draw(5, 12), draw(7, 12), 5), "width divides by 5 heads, got shape"),
        (lambda: grouped_as_latent(draw(5, 6), draw(5, 4), 5, 2), "got 5 query heads and 2 key/value heads"),
        (lambda: grouped_as_latent(draw(5, 6), draw(4, 4), 4, 2), "w_k and w_v must have the same size along axis -2"),
        (lambda: latent_multiply_adds(1, 2, 3, 4, 5.0), "d_latent must be an integer, got 5.0"),
        (lambda: latent_multiply_adds(1, 2, 3, 4, 5, d_rotary=-1), "d_rotary must not be negative, got -1"),
        (lambda: latent_cache_nbytes(1, 2, itemsize=0.5), "itemsize must be an integer, got 0.5"),
        (lambda: LatentCache(0, 5), "capacity must be positive, got 0"),
        (lambda: LatentCache(5, 0), "d_latent must be positive, got 0"),
        (lambda: LatentCache(5, 5, leading=(0,)), "leading must be positive, got 0"),
        (lambda: LatentCache(5, 5, like=np.zeros(1, int)), "like must hold floating-point numbers"),
        (lambda: factorize(draw(7, 6), 7), "rank must be at most 6, got 7"),
        (lambda: factorize(draw(7, 6), 5, draw(4, 7)), "rank must be at most 4, got 5"),
        (lambda: factorize(draw(7, 6), 0), "rank must be positive, got 0"),
        (lambda: factorize(draw(7, 6), 2, draw(9, 6)), r"x must be as wide as w has rows, got shapes \(9, 6\)"),
        (lambda: factorize(np.full((2, 2), np.nan), 1), "w must hold finite numbers"),
    ],
)
def test_bad_input_is_refused_with_the_rule_and_both_values(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("x", [None, draw(9, 7)])
def test_a_half_precision_projection_is_factorized_in_single(x):
    w = draw(7, 6).astype(np.float16)
    found = factorize(w, 2, None if x is None else x.astype(np.float16))
    expected = factorize(w.astype(np.float32), 2, None if x is None else x.astype(np.float16).astype(np.float32))
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.dtype == np.float32
        np.testing.assert_array_equal(ours, theirs)


def test_lists_are_factorized_like_arrays():
    w, x = [[1.0, 2.0], [3.0, 5.0]], [[1.0, 2.0], [0.0, 1.0]]
    for ours, theirs in zip(factorize(w, 1, x), factorize(np.array(w), 1, np.array(x)), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("size", [2.0**-600, 2.0**600])
def test_factors_do_not_depend_on_the_size_of_projection_and_inputs(size):
    w, x = draw(7, 6), draw(9, 7)
    down, up = factorize(size * w, 2, size * x)
    np.testing.assert_allclose(down / size @ up, np.matmul(*factorize(w, 2, x)), rtol=0, atol=FACTORED)


def test_a_down_projection_narrower_than_the_latents_is_refused_by_its_name():
    with pytest.raises(ValueError, match="w_c must have at least a column for each of the 3 rows of w_uk, got 2"):
        latent_self_attention(draw(4, 6), draw(6, 4), draw(6, 2), draw(3, 4), draw(3, 4), draw(4, 6), n_heads=2)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"x": np.ones((5, 12)).tolist()}, "x must be an array of NumPy or PyTorch, got list"),
        ({"w_uk": np.ones((4, 6)).tolist()}, "w_uk must be an array of NumPy or PyTorch, got list"),
        ({"w_o": np.ones((6, 7)).tolist()}, "w_o must be an array of NumPy or PyTorch, got list"),
        ({"x": np.ones((5, 11))}, r"w_q must have a row for each coordinate .* got \(12, 10\) for tokens \(5, 11\)"),
        ({"w_c": np.ones((11, 6))}, r"w_c must have a row for each coordinate .* got \(11, 6\) for tokens \(5, 12\)"),
        ({"w_uv": np.ones((3, 4, 6))}, r"w_uv must be a matrix, got shape \(3, 4, 6\)"),
        ({"x": np.ones(12)}, r"x must have at least 2 axes, got shape \(12,\)"),
    ],
)
def test_projections_that_do_not_fit_are_refused_by_name(changes, message):
    sizes = {"x": (5, 12), "w_q": (12, 10), "w_c": (12, 6), "w_uk": (4, 6), "w_uv": (4, 6), "w_o": (6, 7)}
    arguments = {name: np.ones(shape) for name, shape in sizes.items()}
    assert latent_self_attention(**arguments, n_heads=2).shape == (5, 7)
    with pytest.raises(ValueError, match=message):
        latent_self_attention(**(arguments | changes), n_heads=2)


@pytest.mark.parametrize("attend", [latent_attention, absorbed_latent_attention])
def test_up_projections_with_an_axis_too_many_are_refused(attend):
    q, c, w = np.ones((2, 5, 3)), np.ones((7, 4)), np.ones((4, 6))
    assert attend(q, c, w, w).shape == (2, 5, 3)
    for w_uk, w_uv, name in ((w[None], w, "w_uk"), (w, w[None], "w_uv")):
        with pytest.raises(ValueError, match=rf"{name} must be a matrix, got shape \(1, 4, 6\)"):
            attend(q, c, w_uk, w_uv)
