"""Quantization: numbers rounded to a few bits, in blocks that share a scale."""

import numpy as np

BLOCK = 32  # numbers in a block of the formats Q4_1 and Q8_0


def decode_q4_1(blocks):
    """Turn blocks of 4-bit codes into the numbers that they stand for.

    Parameters
    ----------
    blocks : uint8 array (..., 20 n)
        n blocks of 32 numbers: scale and minimum in float16, then 16 bytes, whose low halves are the codes of numbers 0
        to 15 and whose high halves those of numbers 16 to 31. Low bytes first.

    Returns
    -------
    float32 array (..., 32 n)
        Code times scale, plus minimum.

    Raises
    ------
    ValueError
        If ``blocks`` holds no bytes, or no whole number of blocks.

    Notes
    -----
    .. math:: x_i = s\\,c_i + m, \\qquad c_i \\in \\{0, \\dots, 15\\}

    20 bytes for 32 numbers are 5 bits a number.

    References
    ----------
    The format Q4_1 of the library ggml.
    """
    blocks = _in_blocks(blocks, 20)
    scale, minimum = (_halves(blocks[..., i : i + 2]) for i in (0, 2))
    pairs = blocks[..., 4:]
    codes = np.concatenate([pairs & 15, pairs >> 4], axis=-1).astype(np.float32)
    codes *= scale
    codes += minimum
    return codes.reshape(*codes.shape[:-2], codes.shape[-2] * BLOCK)


def decode_q8_0(blocks):
    """Turn blocks of 8-bit codes into the numbers that they stand for.

    Parameters
    ----------
    blocks : uint8 array (..., 34 n)
        n blocks of 32 numbers: a scale in float16, low byte first, then one signed byte for each number.

    Returns
    -------
    float32 array (..., 32 n)
        Code times scale.

    Raises
    ------
    ValueError
        If ``blocks`` holds no bytes, or no whole number of blocks.

    Notes
    -----
    .. math:: x_i = s\\,c_i, \\qquad c_i \\in \\{-127, \\dots, 127\\}

    34 bytes for 32 numbers are 8.5 bits a number.

    References
    ----------
    The format Q8_0 of the library ggml.
    """
    blocks = _in_blocks(blocks, 34)
    codes = blocks[..., 2:].view(np.int8).astype(np.float32)
    codes *= _halves(blocks[..., :2])
    return codes.reshape(*codes.shape[:-2], codes.shape[-2] * BLOCK)


def _in_blocks(blocks, nbytes):
    blocks = np.asarray(blocks)
    if blocks.dtype != np.uint8:
        raise ValueError(f"blocks must hold bytes, of dtype uint8, got dtype {blocks.dtype}")
    if blocks.ndim < 1 or blocks.shape[-1] % nbytes:
        raise ValueError(f"blocks must be whole, with {nbytes} bytes each along the last axis, got {blocks.shape}")
    return np.ascontiguousarray(blocks).reshape(*blocks.shape[:-1], blocks.shape[-1] // nbytes, nbytes)


def _halves(pairs):
    """Read pairs of bytes (..., 2) as float16, low byte first, (..., 1) in float32."""
    return np.ascontiguousarray(pairs).view("<f2").astype(np.float32)
