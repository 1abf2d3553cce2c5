"""Blocks of codes are decoded as the library that defines their formats decodes them."""

import numpy as np
import pytest
from gguf import GGMLQuantizationType, dequantize, quantize
from hypothesis import given
from hypothesis import strategies as st

from mlnotes.efficient.quantization import decode_q4_1, decode_q8_0

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
        np.testing.assert_array_equal(found.view(np.uint32), dequantize(blocks, FORMATS[decode]).view(np.uint32))


@pytest.mark.parametrize(("decode", "steps"), [(decode_q4_1, 15), (decode_q8_0, 254)])
def test_what_gguf_encodes_comes_back_to_half_a_step(decode, steps):
    x = np.random.default_rng(0).normal(size=(7, 96)).astype(np.float32)
    found = decode(quantize(x, FORMATS[decode]))
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
