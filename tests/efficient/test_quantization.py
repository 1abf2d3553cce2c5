"""Numbers come back to half a step, codes are those of other libraries, and compensation is what least squares says."""

import math
import tracemalloc
from itertools import pairwise

import numpy as np
import pytest
import torch
from gguf import GGMLQuantizationType
from gguf import dequantize as gguf_dequantize
from gguf import quantize as gguf_quantize
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.datasets import load_digits

from mlnotes.applications.least_squares import lstsq
from mlnotes.efficient.kv_cache import KVCache, cached_attention
from mlnotes.efficient.quantization import (
    QuantizedCache,
    bits_per_number,
    decode_q4_1,
    decode_q8_0,
    dequantize,
    fake_quantize,
    float_grid,
    gptq,
    pack_codes,
    quantize,
    quantized_cache_nbytes,
    unpack_codes,
)

# A rounding is 1.1e-16 in double precision, 6e-8 in single precision.
STEP = 2e-13  # of a step: codes up to 255, rounded 4 times
GRID = 1e-15  # a scale that is found again, and a code times it: 4 roundings of numbers up to 2.4
HANDED_ON = 1e-14  # such errors, 4e-16, handed on to 12 columns
SINGLE = 3e-7  # a code times a scale, up to 2.4, rounded twice in single precision

RNG = np.random.default_rng(0)
X, W, INPUTS = (
    RNG.normal(size=(3, 5, 14)),
    RNG.normal(size=(7, 13)),
    RNG.normal(size=(53, 13)) @ RNG.normal(size=(13, 13)),
)
K, V = RNG.normal(size=(2, 3, 29, 6)), RNG.normal(size=(2, 3, 29, 10))
GRIDS = [(bits, size, symmetric) for bits in (2, 3, 4, 8) for size in (None, 14, 7) for symmetric in (True, False)]
LARGE = 2.0**1022  # two of them apart in a block are still less than the largest float
cuts = st.sets(st.integers(1, 28)).map(lambda inner: [0, *sorted(inner), 29])


def steps_of(x, quantized):
    """Repeat the step of each block for its numbers."""
    scale = quantized.scale
    return np.broadcast_to(np.repeat(scale, x.shape[-1] // scale.shape[-1], axis=-1), x.shape)


@given(
    arrays(np.float64, (2, 12), elements=st.floats(-LARGE, LARGE)),
    st.integers(2, 8),
    st.sampled_from([None, 12, 6, 3, 1]),
    st.booleans(),
)
def test_no_number_moves_by_more_than_half_a_step(x, bits, block_size, symmetric):
    quantized = quantize(x, bits, block_size, symmetric)
    allowed = steps_of(x, quantized) * (0.5 + STEP) + 4e-16 * abs(x) + 2.0**-1070  # denormal steps are rounded, too
    assert (abs(dequantize(quantized) - x) <= allowed).all()


@given(
    arrays(np.float32, (3, 8), elements=st.floats(-65504, 65504, width=16)),
    st.integers(2, 8),
    st.sampled_from([None, 8, 4]),
    st.booleans(),
    st.sampled_from([torch.float16, torch.bfloat16]),
)
def test_in_half_precision_scales_are_rounded_first_and_half_a_step_still_holds(x, bits, size, symmetric, dtype):
    x = torch.tensor(x).to(dtype)
    quantized = quantize(x, bits, size, symmetric)
    assert quantized.scale.dtype == quantized.minimum.dtype == dequantize(quantized).dtype == dtype
    found, steps = (
        dequantize(quantized).double(),
        steps_of(x, quantized._replace(scale=quantized.scale.double().numpy())),
    )
    largest = x.double().abs().max()
    rounding = torch.finfo(dtype).eps * (largest + found.abs()) + 256 * 2.0**-24 * (dtype == torch.float16)
    assert (abs(found - x.double()) <= torch.tensor(steps) * 0.5 + rounding).all()


@pytest.mark.parametrize(("bits", "size", "symmetric"), GRIDS)
def test_both_libraries_have_the_same_grids_in_every_precision(backend, bits, size, symmetric):
    found, expected = (quantize(x, bits, size, symmetric) for x in (backend.array(X), backend.like(X)))
    assert str(found.codes.dtype).removeprefix("torch.") == ("int8" if symmetric else "uint8")
    for ours, theirs in zip(found[1:], expected[1:], strict=True):
        np.testing.assert_allclose(backend.read(ours), theirs, rtol=backend.tolerance)
    # Where two points are equally near, rounding errors decide, and one code may differ.
    near = 0.5 * steps_of(X, expected) + 3 * backend.tolerance
    assert (abs(backend.read(dequantize(found)) - backend.like(X)) <= near).all()
    differ = np.asarray(found.codes.cpu() if hasattr(found.codes, "cpu") else found.codes) != expected.codes
    assert backend.tolerance > 1e-3 or not differ.any()


@pytest.mark.parametrize(("bits", "size", "symmetric"), GRIDS)
def test_codes_stay_within_their_bits_and_reach_the_ends(bits, size, symmetric):
    codes = quantize(X, bits, size, symmetric).codes.astype(int)
    blocks = codes.reshape(-1 if size else 1, size or codes.size)
    if symmetric:
        assert (abs(blocks).max(axis=1) == 2 ** (bits - 1) - 1).all()
    else:
        assert (blocks.min(axis=1) == 0).all()
        assert (blocks.max(axis=1) == 2**bits - 1).all()


def test_torch_rounds_to_the_same_points_with_the_same_scale():
    x = X.astype(np.float32)
    _, scale, minimum = quantize(x, 8, None, symmetric=False)
    for symmetric, low, ends in ((True, 0, (-127, 127)), (False, minimum.item(), (0, 255))):
        scale = quantize(x, 8, None, symmetric).scale
        theirs = torch.fake_quantize_per_tensor_affine(torch.tensor(x - np.float32(low)), float(scale.item()), 0, *ends)
        np.testing.assert_allclose(fake_quantize(x, 8, None, symmetric), theirs + low, rtol=0, atol=SINGLE)


@pytest.mark.parametrize("bits", [2, 4, 8])
@pytest.mark.parametrize("symmetric", [True, False])
def test_what_is_on_the_grid_stays_there(bits, symmetric):
    once = fake_quantize(X, bits, 7, symmetric)
    np.testing.assert_allclose(fake_quantize(once, bits, 7, symmetric), once, rtol=GRID, atol=GRID)


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("x", [np.zeros((2, 4)), np.full((2, 4), 3.7), np.array([[0.0] * 4, [1.0, 2.0, 3.0, 4.0]])])
def test_rows_of_zeros_and_of_equal_numbers_come_back(x, symmetric):
    quantized = quantize(x, 3, 4, symmetric)
    assert np.isfinite(dequantize(quantized)).all()
    equal = np.ptp(x, axis=1) == 0
    np.testing.assert_allclose(dequantize(quantized)[equal], x[equal], rtol=GRID)
    assert (quantized.scale[equal] == 0).all() or symmetric


def test_an_empty_row_has_no_blocks():
    assert dequantize(quantize(np.zeros((2, 0)), 4, 8)).shape == (2, 0)
    assert dequantize(quantize(torch.zeros(0, 8), 4, 8)).shape == (0, 8)


@pytest.mark.parametrize(
    ("x", "arguments", "message"),
    [
        (X, (4, 4), "block_size must divide the last axis, got 4 for 14 numbers"),
        (X, (4, 0), "block_size must be positive, got 0"),
        (X, (1,), "bits must be at least 2, got 1"),
        (X, (0, None, False), "bits must be positive, got 0"),
        (X, (9,), "bits must be at most 8, got 9"),
        (X, (4.0,), r"bits must be an integer, got 4\.0"),
        (np.arange(4), (4,), "x must hold floating-point numbers, got dtype int64"),
        (np.zeros((0, 4)), (4,), r"x must not be empty where all of it shares a scale, got shape \(0, 4\)"),
        (np.float64(3) * np.ones(()), (4,), "x must have at least one axis"),
        (np.array([1.0, np.inf]), (4,), "x must hold finite numbers, .* got a scale of inf"),
        (np.array([1.0, np.nan]), (4, 1), "got a scale of nan"),
        (torch.tensor([1.0, -torch.inf]), (4, None, False), "got a scale of inf"),
        (np.array([1e308, -1e308]), (4, None, False), "no further apart than the largest float"),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value encountered")
def test_what_has_no_grid_is_refused(x, arguments, message):
    with pytest.raises(ValueError, match=message):
        quantize(x, *arguments)


@pytest.mark.parametrize(
    ("codes", "scale", "minimum", "message"),
    [
        (np.zeros((2, 6), np.int8), np.ones((2, 4)), np.ones((2, 4)), r"got shapes \(4,\) and \(6,\)"),
        (np.zeros(6, np.int8), np.ones(2), np.ones(1), r"the same shape, got \(2,\) and \(1,\)"),
        (np.zeros((), np.int8), np.ones(1), np.ones(1), r"got shapes \(1,\) and \(\)"),
    ],
)
def test_codes_that_no_blocks_fit_are_refused(codes, scale, minimum, message):
    with pytest.raises(ValueError, match=message):
        dequantize((codes, scale, minimum))


# Training through rounding


@pytest.mark.parametrize("symmetric", [True, False])
def test_rounding_is_looked_through_by_gradients_and_counts_forwards(symmetric):
    x = torch.tensor(X, requires_grad=True)
    out = fake_quantize(x, 3, 7, symmetric)
    np.testing.assert_array_equal(out.detach(), dequantize(quantize(X, 3, 7, symmetric)))
    weights = torch.tensor(np.random.default_rng(1).normal(size=X.shape))
    (out**2 * weights).sum().backward()
    np.testing.assert_array_equal(x.grad, 2 * out.detach() * weights)


def test_rounding_itself_has_no_slope_for_what_does_not_set_the_scale():
    inner = abs(X) < abs(X).max(axis=-1, keepdims=True)
    np.testing.assert_array_equal(fake_quantize(X + 1e-9 * inner, 3, 14), fake_quantize(X, 3, 14))


def test_training_through_rounding_wins_back_on_unseen_digits_what_rounding_lost_whatever_the_seed():
    pixels, digits = (torch.tensor(it) for it in load_digits(return_X_y=True))

    def loss(weights, rounding, part):
        first, second = map(rounding, weights)
        scores = torch.relu(pixels[part] / 16 @ first.mT) @ second.mT
        return torch.nn.functional.cross_entropy(scores, digits[part])

    def train(weights, steps, rounding):
        weights = [w.clone().requires_grad_() for w in weights]
        optimizer = torch.optim.Adam(weights, lr=0.01)
        for _ in range(steps):
            optimizer.zero_grad()
            loss(weights, rounding, slice(900)).backward()
            optimizer.step()
        return [w.detach() for w in weights]

    def rounded(w):
        return fake_quantize(w, 2, w.shape[-1])

    for seed in range(3):
        rng = np.random.default_rng(seed)
        drawn = [torch.tensor(rng.normal(size=(rows, n)) / n**0.5) for rows, n in ((32, 64), (10, 32))]
        trained = train(drawn, 100, lambda w: w)
        longer, through = train(trained, 60, lambda w: w), train(trained, 60, rounded)
        at_first, control, won_back = (loss(w, rounded, slice(900, None)) for w in (trained, longer, through))
        assert won_back < 0.8 * at_first, seed
        assert won_back < control / 3, seed


# Codes in bytes


@given(st.sampled_from([1, 2, 4, 8]), st.integers(0, 5), st.integers(0, 2**32 - 1))
def test_codes_come_back_out_of_their_bytes_in_both_libraries(bits, n, seed):
    codes = np.random.default_rng(seed).integers(0, 2**bits, (2, 3, n * 8 // bits)).astype(np.uint8)
    packed = pack_codes(codes, bits)
    assert packed.shape == (2, 3, n)
    assert packed.dtype == np.uint8
    np.testing.assert_array_equal(unpack_codes(packed, bits), codes)
    np.testing.assert_array_equal(pack_codes(torch.tensor(codes), bits), packed)
    np.testing.assert_array_equal(unpack_codes(torch.tensor(packed), bits), codes)


def test_the_first_code_of_a_byte_is_in_its_low_bits_as_numpy_packs_them():
    np.testing.assert_array_equal(pack_codes(np.array([1, 2, 3, 15], np.uint8), 4), [0x21, 0xF3])
    ones = np.random.default_rng(0).integers(0, 2, 24).astype(np.uint8)
    np.testing.assert_array_equal(pack_codes(ones, 1), np.packbits(ones, bitorder="little"))


@pytest.mark.parametrize(
    ("codes", "bits", "message"),
    [
        (np.zeros(8, np.int8), 4, "codes must hold bytes, of dtype uint8, got dtype int8"),
        (np.zeros(8, np.uint8), 3, "bits must be 1, 2, 4 or 8, got 3"),
        (np.array([3, 16], np.uint8), 4, "codes of 4 bits must be at most 15, got 16"),
        (torch.tensor([0, 1, 2, 4], dtype=torch.uint8), 2, "codes of 2 bits must be at most 3, got 4"),
        (np.zeros((2, 3), np.uint8), 4, r"must fill whole bytes along the last axis, got \(2, 3\)"),
    ],
)
def test_codes_that_fill_no_bytes_or_more_than_their_bits_are_refused(codes, bits, message):
    with pytest.raises(ValueError, match=message):
        pack_codes(codes, bits)


def test_bits_of_a_number_are_those_of_the_published_formats():
    assert (bits_per_number(4, 32, symmetric=False), bits_per_number(8, 32)) == (20 * 8 / 32, 34 * 8 / 32)
    assert bits_per_number(4, 64, symmetric=False, itemsize=4) == 5
    with pytest.raises(ValueError, match="block_size must be positive, got 0"):
        bits_per_number(4, 0)


# Floating-point formats


def test_the_numbers_of_float16_and_bfloat16_are_listed_one_by_one():
    half = np.arange(0x7C00, dtype=np.uint16).view(np.float16)
    np.testing.assert_array_equal(float_grid(5, 10), half)
    brain = torch.arange(0x7F80, dtype=torch.int32).to(torch.int16).view(torch.bfloat16).double()
    np.testing.assert_array_equal(float_grid(8, 7), brain)


def test_the_numbers_of_eight_bit_floats_are_those_of_torch():
    theirs = torch.arange(0x7C, dtype=torch.uint8).view(torch.float8_e5m2).double()
    np.testing.assert_array_equal(float_grid(5, 2), theirs)


@pytest.mark.parametrize("bits", [(1, 3), (9, 3), (4, -1), (4, 16), (4.0, 3)])
def test_formats_that_cannot_be_listed_are_refused(bits):
    with pytest.raises(ValueError, match="_bits must"):
        float_grid(*bits)


# Compensation


def naive_gptq(w, x, bits, block_size, symmetric):
    """After each column, solve the least-squares problem of all that are left anew."""
    grid = quantize(w, bits, block_size, symmetric)
    left, codes = w.copy(), np.empty_like(grid.codes)
    step, low = (np.repeat(it, w.shape[1] // it.shape[1], axis=1) for it in grid[1:])
    most, least = (2 ** (bits - 1) - 1, 1 - 2 ** (bits - 1)) if symmetric else (2**bits - 1, 0)
    for j in range(w.shape[1]):
        c = np.clip(np.round((left[:, j] - low[:, j]) / step[:, j]), least, most)
        codes[:, j], error = c, left[:, j] - (step[:, j] * c + low[:, j])
        if j + 1 < w.shape[1]:
            left[:, j + 1 :] += np.outer(error, lstsq(x[:, j + 1 :], x[:, j]))
    return codes


@pytest.mark.parametrize("damping", [0.0, None, 0.1, 1.0])
@pytest.mark.parametrize(("bits", "size", "symmetric"), [(4, 13, True), (3, 13, False), (2, 13, True), (8, 1, True)])
def test_one_cholesky_factor_gives_the_codes_of_least_squares_solved_column_by_column(bits, size, symmetric, damping):
    found = gptq(W, INPUTS, bits, size, symmetric, **{} if damping is None else {"damping": damping})
    share = 0.01 if damping is None else damping  # of the mean square of a column: a row for each weight, as in ridge
    rows = math.sqrt(share * np.sum(INPUTS**2) / INPUTS.shape[1]) * np.eye(INPUTS.shape[1])
    np.testing.assert_array_equal(found.codes, naive_gptq(W, np.vstack([INPUTS, rows]), bits, size, symmetric))
    for ours, theirs in zip(found[1:], quantize(W, bits, size, symmetric)[1:], strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("size", [26, 13, 2, None])
def test_blocks_and_the_whole_tensor_have_their_own_grids(size):
    w, x = RNG.normal(size=(5, 26)), RNG.normal(size=(90, 26))
    found = gptq(w, x, 4, size)
    plain = quantize(w, 4, size)
    assert found.scale.shape == plain.scale.shape
    assert np.linalg.norm(x @ (w - dequantize(found)).T) < np.linalg.norm(x @ (w - dequantize(plain)).T)


@given(st.integers(0, 2**32 - 1), st.sampled_from([3, 4]))
def test_outputs_come_nearer_than_by_rounding_where_inputs_are_correlated(seed, bits):
    rng = np.random.default_rng(seed)
    w, x = (
        rng.normal(size=(8, 16)),
        rng.normal(size=(64, 4)) @ rng.normal(size=(4, 16)) + 0.3 * rng.normal(size=(64, 16)),
    )
    ours, rounded = dequantize(gptq(w, x, bits, 16)), fake_quantize(w, bits, 16)
    assert np.linalg.norm(x @ (w - ours).T) < np.linalg.norm(x @ (w - rounded).T)


def test_inputs_that_do_not_depend_on_each_other_leave_nothing_to_make_up_for():
    x = np.diag(np.arange(1.0, 14))
    np.testing.assert_array_equal(gptq(W, x, 4, 13).codes, quantize(W, 4, 13).codes)
    np.testing.assert_array_equal(gptq(W, np.zeros((3, 13)), 4, 13).codes, quantize(W, 4, 13).codes)


def test_weights_on_their_grid_stay_there():
    w = fake_quantize(W, 4, 13)
    np.testing.assert_allclose(dequantize(gptq(w, INPUTS, 4, 13)), w, rtol=0, atol=HANDED_ON)


@pytest.mark.parametrize(
    ("w", "x", "options", "message"),
    [
        (W, INPUTS[:, :5], {}, r"w and x must have as many columns, got shapes \(7, 13\) and \(53, 5\)"),
        (W, INPUTS, {"damping": -1.0}, "damping must be finite and not negative, got -1"),
        (W, INPUTS, {"damping": "0.01"}, "damping must be a real number, got '0.01'"),
        (W.tolist(), INPUTS, {}, "w must be an array of NumPy, got list"),
        (W, torch.tensor(INPUTS, requires_grad=True), {}, "x must be an array of NumPy, got Tensor"),
        (W, INPUTS[:5], {"damping": 0.0}, "must be positive definite"),
        (W[0], INPUTS, {}, "w must be a matrix"),
        (W, np.full((3, 13), np.inf), {}, "x must hold finite numbers"),
        (W.astype(int), INPUTS, {}, "w must hold floating-point numbers"),
        (W, INPUTS, {"block_size": 4}, "block_size must divide the last axis"),
    ],
)
def test_layers_that_do_not_fit_are_refused(w, x, options, message):
    with pytest.raises(ValueError, match=message):
        gptq(w, x, 4, **options)


# The cache


def quantized_cache(like=None, bits=4, capacity=29, key_group=5):
    return QuantizedCache(capacity, 3, 6, 10, leading=(2,), like=like, bits=bits, key_group=key_group)


@given(cuts, st.sampled_from([8, 4]), st.integers(1, 31))
def test_chunks_make_no_difference(ends, bits, key_group):
    caches = [quantized_cache(bits=bits, key_group=key_group) for _ in range(2)]
    caches[0].append(K, V)
    for a, b in pairwise(ends):
        assert len(caches[1]) == a
        caches[1].append(K[..., a:b, :], V[..., a:b, :])
    np.testing.assert_array_equal(caches[1].keys, caches[0].keys)
    np.testing.assert_array_equal(caches[1].values, caches[0].values)


@pytest.mark.parametrize("bits", [8, 4])
def test_keys_are_rounded_by_channel_in_groups_and_values_token_by_token(backend, bits):
    k, v = backend.array(K), backend.array(V)
    cache = quantized_cache(like=k, bits=bits)
    cache.append(k, v)
    keys = fake_quantize(k[..., :25, :].mT, bits, 5, symmetric=False).mT
    np.testing.assert_array_equal(backend.read(cache.keys)[..., :25, :], backend.read(keys))
    np.testing.assert_array_equal(backend.read(cache.keys)[..., 25:, :], backend.read(k)[..., 25:, :])
    np.testing.assert_array_equal(backend.read(cache.values), backend.read(fake_quantize(v, bits, 10, symmetric=False)))


def test_attention_takes_it_for_a_cache_and_comes_nearer_with_more_bits():
    q, errors = RNG.normal(size=K.shape), []
    exact = cached_attention(q, K, V[..., :6], KVCache(29, 3, 6, leading=(2,)))
    for bits in (4, 8):
        cache = QuantizedCache(29, 3, 6, leading=(2,), bits=bits, key_group=7)
        parts = [
            cached_attention(q[..., a:b, :], K[..., a:b, :], V[..., a:b, :6], cache) for a, b in pairwise((0, 3, 4, 29))
        ]
        errors.append(abs(np.concatenate(parts, axis=-2) - exact).max())
    assert errors[1] < errors[0] / 8 < 0.1


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
@pytest.mark.parametrize("bits", [8, 4, 2])
def test_bytes_of_a_cache_are_those_that_memory_and_formula_say(dtype, bits):
    like = np.zeros(1, dtype)
    tracemalloc.start()
    cache = QuantizedCache(1009, 3, 16, like=like, bits=bits, key_group=31)
    taken = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    expected = quantized_cache_nbytes(1009, 3, 16, bits, itemsize=like.itemsize, key_group=31)
    assert cache.nbytes == expected <= taken < expected + 8192
    assert quantized_cache_nbytes(1009, 3, 16, bits, 5, like.itemsize, 31) == 5 * expected
    torchs = QuantizedCache(1009, 3, 16, like=torch.zeros((), dtype=getattr(torch, dtype)), bits=bits, key_group=31)
    assert torchs.nbytes == expected


def test_four_bits_and_their_grids_take_more_than_an_eighth_of_single_precision():
    plain, coded = KVCache(4096, 3, 64, like=np.zeros(1, np.float32)), quantized_cache_nbytes(4096, 3, 64, 4)
    assert plain.nbytes / coded == pytest.approx(5.69, abs=0.005)  # as printed, to two digits


@pytest.mark.parametrize(
    ("k", "v", "message"),
    [
        (K, V, "it holds 5 of at most 29 tokens, and 29 more do not fit"),
        (K[:, :1, :1], V[..., :1, :], r"k must have heads 3, got 1 in \(2, 1, 1, 6\)"),
        (K[..., :1, :], V[..., :1, :5], r"v must have width 10, got 5"),
        (K[..., :1, :], V[..., :2, :], "k and v must hold as many tokens, got 1 and 2"),
        (K[..., :1, :].astype(np.float32), V[..., :1, :], "k and the cache must have the same dtype, got float32 and"),
        (K[..., :5, :] * np.inf, V[..., :5, :], "k must hold finite numbers"),
        (K[..., :1, :], V[..., :1, :] * np.nan, "x must hold finite numbers"),
        (K[..., :1, :], np.full_like(V[..., :1, :], np.inf), "x must hold finite numbers"),
        (K[..., :1, :] * np.nan, V[..., :1, :], "k must hold finite numbers, got nan"),
        (K[..., :1, :] * -np.inf, V[..., :1, :], "k must hold finite numbers, got -?inf"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_what_does_not_fit_is_refused_and_leaves_the_cache_as_it_was(k, v, message):
    cache = quantized_cache()
    cache.append(K[..., :5, :], V[..., :5, :])
    before = cache.keys, cache.values
    with pytest.raises(ValueError, match=message):
        cache.append(k, v)
    assert len(cache) == 5
    np.testing.assert_array_equal(cache.keys, before[0])
    np.testing.assert_array_equal(cache.values, before[1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bits": 3}, "must fill whole bytes, got 6 of 3 bits"),
        ({"bits": 0}, "bits must be positive, got 0"),
        ({"bits": 2, "d_head": 6}, "d_head codes of 1, 2, 4 or 8 bits must fill whole bytes, got 6 of 2 bits"),
        ({"bits": 4, "d_value": 5}, "d_value codes .* got 5 of 4 bits"),
        ({"capacity": 0}, "capacity must be positive, got 0"),
        ({"key_group": 0}, "key_group must be positive, got 0"),
    ],
)
def test_impossible_caches_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        QuantizedCache(**{"capacity": 4, "n_heads": 3, "d_head": 6} | options)


def test_it_says_how_full_it_is_and_in_how_many_bits():
    assert repr(quantized_cache(bits=8)) == "<QuantizedCache with 0 of 29 tokens in 8 bits>"


# The published formats

FORMATS = {decode_q4_1: GGMLQuantizationType.Q4_1, decode_q8_0: GGMLQuantizationType.Q8_0}
SIZES = {decode_q4_1: 20, decode_q8_0: 34}


@pytest.mark.parametrize("decode", FORMATS)
@given(seed=st.integers(0, 2**32 - 1), shape=st.sampled_from([(), (3,), (2, 5), (0,)]), n=st.integers(0, 4))
def test_any_bytes_are_decoded_bit_for_bit_as_by_gguf(decode, seed, shape, n):
    blocks = np.random.default_rng(seed).integers(0, 256, (*shape, n, SIZES[decode]), dtype=np.uint8)
    blocks[..., 1] &= 0x7B  # no infinite scale, no negative one
    blocks[..., 3] &= 0xFB  # no infinite minimum
    blocks = blocks.reshape(*shape, n * SIZES[decode])
    found = decode(blocks)
    assert found.dtype == np.float32
    assert found.shape == (*shape, 32 * n)
    if blocks.size:
        np.testing.assert_array_equal(found.view(np.uint32), gguf_dequantize(blocks, FORMATS[decode]).view(np.uint32))


@pytest.mark.parametrize(("decode", "steps"), [(decode_q4_1, 15), (decode_q8_0, 254)])
def test_what_gguf_encodes_comes_back_to_half_a_step(decode, steps):
    x = np.random.default_rng(0).normal(size=(7, 96)).astype(np.float32)
    found = decode(gguf_quantize(x, FORMATS[decode]))
    spread = 2 * abs(x).max() if decode is decode_q8_0 else np.ptp(x)
    assert abs(found - x).max() <= 0.51 * spread / steps  # and what float16 rounds off the scale


def test_codes_written_by_hand_are_read_in_their_order():
    low, high = np.arange(16), np.arange(16)[::-1]
    head = np.array([0.5, -1.0], "<f2").view(np.uint8)
    block = np.concatenate([head, (low + 16 * high).astype(np.uint8)])
    np.testing.assert_array_equal(decode_q4_1(block), np.concatenate([low, high]) / 2 - 1)
    signed = np.arange(-16, 16).astype(np.int8).view(np.uint8)
    np.testing.assert_array_equal(decode_q8_0(np.concatenate([head[:2], signed])), np.arange(-16, 16) / 2)


def test_blocks_need_not_be_contiguous_and_stay_as_they_are():
    blocks = np.random.default_rng(0).integers(0, 60, (40, 5), dtype=np.uint8).T
    before = blocks.copy()
    np.testing.assert_array_equal(decode_q4_1(blocks), decode_q4_1(np.ascontiguousarray(blocks)))
    np.testing.assert_array_equal(blocks, before)


@pytest.mark.parametrize("decode", FORMATS)
@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        (np.zeros(680, np.int8), "blocks must hold bytes, of dtype uint8, got dtype int8"),
        (np.zeros((2, 33), np.uint8), r"bytes each along the last axis, got \(2, 33\)"),
        (np.zeros((), np.uint8), r"got \(\)"),
    ],
)
def test_what_holds_no_blocks_is_refused(decode, blocks, message):
    with pytest.raises(ValueError, match=message):
        decode(blocks)


def test_a_block_decoded_by_its_format_is_dequantized():
    codes = RNG.integers(0, 16, (3, 32)).astype(np.uint8)
    head = RNG.normal(size=(3, 2)).astype("<f2")
    blocks = np.concatenate([head.view(np.uint8), codes[:, :16] | codes[:, 16:] << 4], axis=-1)
    scale, minimum = (head[:, i : i + 1].astype(np.float32) for i in (0, 1))
    np.testing.assert_array_equal(decode_q4_1(blocks), dequantize((codes, scale, minimum)))


@given(st.integers(0, 2**32 - 1))
def test_codes_of_the_published_format_are_ours_where_the_scale_needs_no_rounding(seed):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 16, 32).astype(np.float32)
    x[:2] = 0, 15
    x = x * np.float32(2.0 ** rng.integers(-8, 8)) - np.float32(rng.integers(-4, 4))
    block = gguf_quantize(x[None], GGMLQuantizationType.Q4_1)[0]
    codes = np.concatenate([block[4:] & 15, block[4:] >> 4])
    np.testing.assert_array_equal(codes, quantize(x, 4, 32, symmetric=False).codes)


@pytest.mark.parametrize("size", [1e-170, 1e170])
def test_compensation_does_not_depend_on_the_size_of_the_inputs(size):
    np.testing.assert_array_equal(gptq(W, size * INPUTS, 3).codes, gptq(W, INPUTS, 3).codes)


def test_a_cache_of_numpys_small_integers_is_as_large_as_any():
    sizes, bits = (100, 2, 40, 40), {"bits": 8, "key_group": 16}
    expected = QuantizedCache(*sizes, **bits).nbytes
    assert QuantizedCache(*map(np.int8, sizes), **{name: np.int8(it) for name, it in bits.items()}).nbytes == expected


@pytest.mark.parametrize("change", [pack_codes, unpack_codes])
def test_codes_that_are_no_array_are_refused(change):
    with pytest.raises(ValueError, match="codes must be an array of NumPy or PyTorch, got list"):
        change([1, 2], 4)
