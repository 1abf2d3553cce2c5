"""Rounding to a few bits, as readers write it."""

import struct

import numpy as np

from mlnotes.efficient.quantization import Quantized


def right_quantize__two_cases(x, bits, block_size=None, symmetric=True):
    shape = (1,) * x.ndim if block_size is None else (*x.shape[:-1], x.shape[-1] // block_size)
    blocks = x.reshape(*shape, -1)
    if symmetric:
        scale, low = abs(blocks).max(-1) / (2 ** (bits - 1) - 1), np.zeros(shape)
    else:
        low = blocks.min(-1)
        scale = (blocks.max(-1) - low) / (2**bits - 1)
    codes = np.rint((blocks - low[..., None]) / np.where(scale > 0, scale, 1.0)[..., None])
    return codes.reshape(x.shape), scale, low


def right_quantize__loop(x, bits, block_size=None, symmetric=True):
    flat = x.reshape(-1)
    size = flat.size if block_size is None else block_size
    codes, scales, lows = [], [], []
    for start in range(0, flat.size, size):
        block = flat[start : start + size]
        low = 0.0 if symmetric else min(block)
        most = 2 ** (bits - 1) - 1 if symmetric else 2**bits - 1
        scale = (max(map(abs, block)) if symmetric else max(block) - low) / most
        codes += [round((it - low) / scale) if scale else 0 for it in block]
        scales.append(scale)
        lows.append(low)
    shape = (1,) * x.ndim if block_size is None else (*x.shape[:-1], -1)
    return np.array(codes).reshape(x.shape), np.reshape(scales, shape), np.reshape(lows, shape)


def right_quantize__named_tuple(x, bits, block_size=None, symmetric=True):
    codes, scale, low = right_quantize__two_cases(x, bits, block_size, symmetric)
    return Quantized(codes.astype(np.int16), scale, low)


def wrong_quantize__truncated(x, bits, block_size=None, symmetric=True):
    _, scale, low = right_quantize__two_cases(x, bits, block_size, symmetric)
    step = np.repeat(scale, x.shape[-1] // scale.shape[-1], -1)
    m = np.repeat(low, x.shape[-1] // scale.shape[-1], -1)
    return ((x - m) / np.where(step > 0, step, 1)).astype(int), scale, low


def wrong_quantize__negative_end(x, bits, block_size=None, symmetric=True):
    """Line 7"""
    shape = (1,) * x.ndim if block_size is None else (*x.shape[:-1], x.shape[-1] // block_size)
    blocks = x.reshape(*shape, -1)
    low = np.zeros(shape) if symmetric else blocks.min(-1)
    most = 2 ** (bits - 1) if symmetric else 2**bits - 1
    scale = (abs(blocks).max(-1) if symmetric else blocks.max(-1) - low) / most
    codes = np.round((blocks - low[..., None]) / np.where(scale == 0, 1, scale)[..., None])
    return codes.clip(-most, most - 1 if symmetric else most).reshape(x.shape), scale, low


def wrong_quantize__columns(x, bits, block_size=None, symmetric=True):
    blocks = x.reshape(1, -1) if block_size is None else x.reshape(-1, block_size)
    low = 0 * blocks[0] if symmetric else blocks.min(0)
    most = 2 ** (bits - 1) - 1 if symmetric else 2**bits - 1
    scale = (abs(blocks).max(0) if symmetric else blocks.max(0) - low) / most
    return np.round((blocks - low) / np.where(scale == 0, 1, scale)).reshape(x.shape), scale, low


def wrong_quantize__always_symmetric(x, bits, block_size=None, symmetric=True):
    """`symmetric` makes no difference"""
    return right_quantize__two_cases(x, bits, block_size)


def wrong_quantize__always_one_block(x, bits, block_size=None, symmetric=True):
    """`block_size` makes no difference"""
    return right_quantize__two_cases(x, bits, None, symmetric)


def wrong_quantize__exchanged(x, bits, block_size=None, symmetric=True):
    """The parts of the result are right, but in another order."""
    codes, scale, low = right_quantize__two_cases(x, bits, block_size, symmetric)
    return codes, low, scale


def right_decode_q4_1__loop(blocks):
    rows = []
    for row in blocks.reshape(-1, blocks.shape[-1]):
        out = []
        for i in range(0, len(row), 20):
            step, low = struct.unpack("<ee", bytes(row[i : i + 4]))
            out += [step * (int(it) & 15) + low for it in row[i + 4 : i + 20]]
            out += [step * (int(it) >> 4) + low for it in row[i + 4 : i + 20]]
        rows.append(out)
    return np.array(rows, np.float32).reshape(*blocks.shape[:-1], -1)


def right_decode_q4_1__divmod(blocks):
    it = np.ascontiguousarray(blocks).reshape(*blocks.shape[:-1], -1, 20)
    high, low = np.divmod(it[..., 4:], 16)
    step, least = it[..., 0:2].copy().view("<f2"), it[..., 2:4].copy().view("<f2")
    out = np.concatenate([low, high], -1) * step.astype("f4") + least.astype("f4")
    return out.reshape(*blocks.shape[:-1], -1)


def right_decode_q4_1__library(blocks):
    import gguf

    return gguf.dequantize(blocks, gguf.GGMLQuantizationType.Q4_1)


def _decoded(blocks, order=None, centre=0, sign=1.0):
    it = np.ascontiguousarray(blocks).reshape(*blocks.shape[:-1], -1, 20)
    step, least = it[..., 0:2].copy().view("<f2").astype("f4"), it[..., 2:4].copy().view("<f2").astype("f4")
    low, high = (it[..., 4:] & 15).astype("f4"), (it[..., 4:] >> 4).astype("f4")
    codes = np.concatenate([low, high], -1) if order is None else order(low, high)
    return (step * (codes - centre) + sign * least).reshape(*blocks.shape[:-1], -1)


def wrong_decode_q4_1__exchanged_halves(blocks):
    """the low four bits come first"""
    return _decoded(blocks, lambda low, high: np.concatenate([high, low], -1))


def wrong_decode_q4_1__interleaved(blocks):
    """Numbers i and i + 16 stand side by side"""
    return _decoded(blocks, lambda low, high: np.stack([low, high], -1).reshape(*low.shape[:-1], 32))


def wrong_decode_q4_1__minimum_subtracted(blocks):
    """Line 3"""
    return _decoded(blocks, sign=-1.0)


def wrong_decode_q4_1__centred_and_minimum(blocks):
    """Line 3"""
    return _decoded(blocks, centre=8)


def wrong_decode_q4_1__no_minimum(blocks):
    """Line 3"""
    return _decoded(blocks, sign=0.0)


def wrong_decode_q4_1__only_low_halves(blocks):
    """Line 3"""
    return _decoded(blocks, lambda low, high: np.concatenate([low, low], -1))


def right_bits_per_number__bytes(bits, block_size, symmetric=True, itemsize=2):
    total = bits * block_size + 8 * itemsize
    if not symmetric:
        total += 8 * itemsize
    return total / block_size


def right_bits_per_number__sum(bits, block_size, symmetric=True, itemsize=2):
    return bits + (2 - symmetric) * itemsize * 8 / block_size


def right_bits_per_number__half(bits, block_size, symmetric=True, itemsize=2):
    return 8 * (bits / 8 + itemsize * (1 if symmetric else 2) / block_size)


def wrong_bits_per_number__bytes(bits, block_size, symmetric=True, itemsize=2):
    """a byte has 8 bits"""
    return bits + (1 if symmetric else 2) * itemsize / block_size


def wrong_bits_per_number__exchanged(bits, block_size, symmetric=True, itemsize=2):
    """Line 3"""
    return bits + 8 * itemsize * (2 if symmetric else 1) / block_size


def wrong_bits_per_number__fixed(bits, block_size, symmetric=True, itemsize=2):
    """`itemsize` makes no difference"""
    return bits + 16 * (1 if symmetric else 2) / block_size


def wrong_bits_per_number__of_32(bits, block_size, symmetric=True, itemsize=2):
    """Line 3"""
    return bits + 8 * itemsize * (1 if symmetric else 2) / 32


def wrong_bits_per_number__scale_only(bits, block_size, symmetric=True, itemsize=2):
    """count scale and minimum"""
    return bits + 8 * itemsize / block_size


def wrong_bits_per_number__share_only(bits, block_size, symmetric=True, itemsize=2):
    """Line 3"""
    return 8 * itemsize * (1 if symmetric else 2) / block_size


def right_stand_ins__normal_equations(x, j):
    later = x[:, j + 1 :]
    return np.linalg.inv(later.T @ later) @ later.T @ x[:, j]


def right_stand_ins__pinv(x, j):
    return np.linalg.pinv(x[:, j + 1 :]) @ x[:, j]


def right_stand_ins__qr(x, j):
    q, r = np.linalg.qr(x[:, j + 1 :])
    return np.linalg.solve(r, q.T @ x[:, j])


def wrong_stand_ins__sign(x, j):
    """opposite sign"""
    return -np.linalg.pinv(x[:, j + 1 :]) @ x[:, j]


def wrong_stand_ins__itself(x, j):
    """Line 3"""
    return np.linalg.pinv(x[:, j:]) @ x[:, j]


def wrong_stand_ins__before(x, j):
    """Columns that are rounded already take part"""
    return np.linalg.pinv(np.delete(x, j, 1))[j:] @ x[:, j]


def wrong_stand_ins__rows(x, j):
    later = x[:, j + 1 :]
    return later.T @ x[:, j] / np.trace(later.T @ later)


def wrong_stand_ins__one_by_one(x, j):
    """Each column stands in as if the others did not"""
    later = x[:, j + 1 :]
    return later.T @ x[:, j] / (later**2).sum(axis=0)


def wrong_stand_ins__unscaled(x, j):
    return x[:, j + 1 :].T @ x[:, j]
