"""What all function modules rest on says what it takes numbers for."""

import math

import numpy as np
import pytest
import torch

from mlnotes.applications.embedding import embedding
from mlnotes.applications.least_squares import cholesky
from mlnotes.applications.linear import glorot_std
from mlnotes.arrays import (
    as_like,
    beside,
    require_floats,
    require_not_negative,
    require_positive,
    require_representable,
    require_same_kind,
    widen_half,
    working_copy,
)
from mlnotes.attention.multi_head import separate_projections, split_heads
from mlnotes.attention.positions import rotary
from mlnotes.attention.self_attention import attention
from mlnotes.attention.transformer import block_parameters
from mlnotes.blocks.dot_product import dot, project
from mlnotes.blocks.lu import backward_substitution, blocked_lu, forward_substitution, lu_solve
from mlnotes.blocks.matmul import matmul_block
from mlnotes.blocks.norm import vector_norm
from mlnotes.blocks.qr import blocked_qr
from mlnotes.blocks.softmax import softmax
from mlnotes.efficient.flash import attention_and_lse, attention_traffic, flash_attention_gradients, online_softmax
from mlnotes.efficient.kv_cache import KVCache, cache_nbytes, decoding_multiply_adds
from mlnotes.efficient.quantization import dequantize, quantize
from mlnotes.efficient.sinks import StreamingCache
from mlnotes.efficient.sparse import block_sparse_attention, sliding_window_attention

SINGLE = (
    5e-7  # scores of 2 products, a softmax of 3, an average: 8 roundings of 6e-8, in an order of each library's own
)


@pytest.mark.parametrize("x", [1j, np.ones(2, np.complex64), torch.ones(2, dtype=torch.complex64)], ids=type)
@pytest.mark.parametrize("other", [np.ones(2), torch.ones(2)], ids=type)
def test_what_meets_real_numbers_must_be_real(x, other):
    with pytest.raises(ValueError, match=f"numbers of {other.dtype} must be real, got .*complex"):
        as_like(x, other)


def test_a_complex_scale_is_refused_in_place_of_losing_half_of_it():
    x = np.ones((2, 3))
    with pytest.raises(ValueError, match="must be real, got complex128"):
        attention(x, x, x, scale=1j)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_floats_of_another_machine_are_refused_for_their_order_of_bytes(dtype):
    x = np.array([0.5, 1.0, 3.0], dtype)
    foreign = x.astype(x.dtype.newbyteorder())
    for f in (softmax, lambda x: require_floats(x=x)):
        with pytest.raises(ValueError, match=f"in this machine's order of bytes, got dtype {foreign.dtype}"):
            f(foreign)
    with pytest.raises(ValueError, match="x must hold floating-point numbers, got dtype int64"):
        require_floats(x=np.ones(1, int))


@pytest.mark.parametrize(
    ("b", "message"),
    [
        (np.ones(2), "a and b must come from the same library, got .*Tensor.* and .*ndarray"),
        (torch.ones(2).half(), "a and b must have the same dtype, got torch.float32 and torch.float16"),
        (torch.ones(2, device="meta"), "a and b must be on the same device, got cpu and meta"),
    ],
)
def test_arrays_that_cannot_meet_are_refused_for_what_differs(b, message):
    with pytest.raises(ValueError, match=message):
        require_same_kind(a=torch.ones(3), b=b)


@pytest.mark.parametrize(
    ("call", "both"),
    [
        (lambda x, y: dot(x, y), "a and b"),
        (lambda x, y: project(x, y), "b and onto"),
        (lambda x, y: attention(x, y, y), "q and k"),
        (lambda x, y: attention(x, x, y), "q and v"),
    ],
)
def test_an_array_of_numpy_beside_one_of_pytorch_is_refused_by_name(call, both):
    with pytest.raises(ValueError, match=f"{both} must come from the same library, got .*ndarray.* and .*Tensor"):
        call(np.ones((2, 2)), torch.ones(2, 2, dtype=torch.float64))


@pytest.mark.parametrize(
    ("call", "rule"),
    [
        (lambda x: softmax([1.0, 2.0]), "x must be an array of NumPy or PyTorch, got list"),
        (lambda x: softmax(2.0), "x must be an array of NumPy or PyTorch, got float"),
        (lambda x: attention(x, x.tolist(), x), "k must be an array of NumPy or PyTorch, got list"),
        (lambda x: softmax(x, axis=1.0), r"axis must be an integer, got 1\.0"),
        (lambda x: softmax(x, axis=(0, 1)), r"axis must be an integer, got \(0, 1\)"),
        (lambda x: vector_norm(x, axis=None), "axis must be an integer, got None"),
        (lambda x: vector_norm(x, p="2"), "p must be a real number, got '2'"),
        (lambda x: vector_norm(x, p=np.str_("2")), "p must be a real number, got .*'2'"),
        (lambda x: vector_norm(x, p=np.complex128(2 + 1j)), r"p must be a real number, got .*2\+1j"),
    ],
)
@pytest.mark.parametrize("library", [np, torch])
def test_arguments_of_the_wrong_kind_are_refused_by_name(call, rule, library):
    with pytest.raises(ValueError, match=rule):
        call(library.ones((2, 3)))


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.int64])
def test_integers_of_every_size_are_computed_with_in_double_precision(dtype):
    a = np.array([[2, 1], [1, 3]]).astype(dtype)
    assert working_copy(a).dtype == np.float64
    if dtype is not bool:
        assert cholesky(a).dtype == lu_solve(a, a).dtype == np.float64
        assert forward_substitution(a, a).dtype == backward_substitution(a, a).dtype == np.float64


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.longdouble, object])
def test_floats_stay_what_they_are_but_for_half_precision(dtype):
    expected = np.float32 if dtype is np.float16 else dtype
    assert working_copy(np.ones((2, 2), dtype)).dtype == expected
    assert working_copy(np.ones((2, 2), np.dtype(dtype).newbyteorder())).dtype == expected


def test_each_of_several_results_has_the_precision_of_its_own_argument():
    single, half = np.ones((2, 3), np.float32), np.ones((2, 3), np.float16)

    def both(x, y):
        return 2e38 * y, x

    with np.errstate(over="ignore"):
        assert [it.dtype for it in widen_half(both)(half, single)] == [np.float16] * 2
    for x, y in ((single, half), (half, single)):
        with np.errstate(over="ignore"):
            first, second = widen_half(both, results=("y", "x"))(x, y=y)
        assert (first.dtype, second.dtype) == (y.dtype, x.dtype)
        assert np.isfinite(first).all() == (y is single)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.int64])
def test_what_counts_does_not_wrap_round_at_the_largest_integer_of_numpy(dtype):
    most = dtype(np.iinfo(dtype).max)
    n = int(most)
    assert block_parameters(most) == 12 * n**2 + 13 * n
    assert cache_nbytes(most, most, 2) == 2 * n * n * 2 * 4
    assert decoding_multiply_adds(most, 1, d_head=most, cached=False) == decoding_multiply_adds(n, 1, n, cached=False)
    assert attention_traffic(most, most, most) == attention_traffic(n, n, n)
    assert attention_traffic(most, most, most, block_size=most) == attention_traffic(n, n, n, block_size=n)
    assert glorot_std(most, most) == glorot_std(n, n) == n**-0.5


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_bits_that_are_an_integer_of_numpy_give_the_same_codes(dtype):
    x = np.array([-1.0, 0.25, 2.0])
    for bits in (4, 8):
        for symmetric in (True, False):
            ours, theirs = (quantize(x, it, symmetric=symmetric) for it in (bits, dtype(bits)))
            np.testing.assert_array_equal(ours.codes, theirs.codes)
            np.testing.assert_array_equal(dequantize(ours), dequantize(theirs))


def _attended(k, block):
    x = np.linspace(-1, 1, 600).reshape(150, 4)
    out, lse = attention_and_lse(x, x, x, block_size=block)
    slopes = flash_attention_gradients(x, out, lse, x, x, x, block_size=block)
    return [out, *slopes, sliding_window_attention(x, x, x, k)]


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.uint64])
@pytest.mark.parametrize(
    "made",
    [
        _attended,
        lambda k, block: StreamingCache(block, k, 1, 4).meet(
            *np.ones((3, 1, 150, 4)), lambda x, positions: x * (1 + np.asarray(positions, int)[:, None])
        ),
        lambda k, block: [block_sparse_attention(*np.eye(150)[None].repeat(3, 0), np.tri(3, dtype=bool), block)],
        lambda k, block: split_heads(np.arange(300.0)[None], k),
        lambda k, block: separate_projections(np.arange(900.0)[None], k),
        lambda k, block: online_softmax(np.linspace(-1, 1, 150), block_size=block),
        lambda k, block: blocked_lu(np.eye(150) + np.tri(150), block),
        lambda k, block: blocked_qr(np.eye(150) + np.tri(150), block),
        lambda k, block: [matmul_block(np.eye(150), np.tri(150), block)],
        lambda k, block: [KVCache(block, k, 4).keys.shape],
    ],
)
def test_sizes_that_are_an_integer_of_numpy_give_the_same(made, dtype):
    for found, expected in zip(made(dtype(3), dtype(64)), made(3, 64), strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.filterwarnings("error")
def test_pytorch_takes_masks_biases_and_numbers_of_rows_that_run_backwards_or_cannot_be_written_to():
    q, mask, bias, ids = torch.ones(3, 2), np.tri(3, dtype=bool), np.tri(3) - 1, np.arange(3)
    for turned in (mask[::-1], np.broadcast_to(mask, (3, 3))):
        expected = attention(q.numpy(), q.numpy(), q.numpy(), turned, bias[::-1])
        np.testing.assert_allclose(attention(q, q, q, turned, bias[::-1]).numpy(), expected, rtol=SINGLE)
    assert embedding(ids[::-1], q).tolist() == q.tolist()
    np.testing.assert_allclose(rotary(q, ids[::-1]).numpy(), rotary(q.numpy(), ids[::-1]), rtol=SINGLE)
    assert beside(np.float64(2), q).shape == ()


@pytest.mark.parametrize("dtype", [*map(np.dtype, ("f2", "f4", "f8")), torch.float16, torch.bfloat16, torch.float32])
def test_positive_numbers_that_a_dtype_rounds_to_zero_or_infinity_are_refused(dtype):
    def rounded(x):
        if isinstance(dtype, torch.dtype):
            return torch.tensor(x, dtype=torch.float64).to(dtype).item()
        with np.errstate(over="ignore"):
            return float(dtype.type(x))

    exponents = [e for e in range(-1074, 1024) if e in (-1074, 1023) or abs(e + 142) < 12 or abs(e) in range(10, 150)]
    kept = 0
    for x in (m * 2.0**e for e in exponents for m in (1.0, 1.001, 1.9990234375, 1.99609375, 1.998046875, 2 - 2.0**-25)):
        if 0 < rounded(x) < math.inf:
            kept += 1
            require_representable(dtype, eps=x, zero=0.0, negative=-1e-300)
        else:
            with pytest.raises(ValueError, match=r"eps must lie between \S+ and \S+ to be a number of b?float\d\d,"):
                require_representable(dtype, eps=x)
    assert 0 < kept < 6 * len(exponents) or dtype == np.float64
    with pytest.raises(ValueError, match="got inf"):
        require_representable(dtype, eps=math.inf)


@pytest.mark.skipif(np.finfo(np.longdouble).max == np.finfo(float).max, reason="long double is double here")
def test_numbers_of_double_precision_fit_into_longer_floats():
    require_representable(np.dtype(np.longdouble), least=5e-324, largest=np.finfo(float).max)


@pytest.mark.parametrize("require", [require_not_negative, require_positive])
def test_only_single_real_numbers_are_measured(require):
    for number in (2, 0.5, np.float32(0.5), np.array(0.5), torch.tensor(0.5)):
        require(rate=number)
    for nothing in ("0.5", None, [0.5], np.ones(1), torch.ones(2), 1j):
        with pytest.raises(ValueError, match="rate must be a real number, got"):
            require(rate=nothing)
