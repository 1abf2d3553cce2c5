"""Rounding to a few bits, as readers write it."""

import struct
from fractions import Fraction

import numpy as np
import scipy.linalg
import torch

from mlnotes.efficient.quantization import Quantized, quantize


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
    """Numbers move by up to a whole step, always towards zero"""
    _, scale, low = right_quantize__two_cases(x, bits, block_size, symmetric)
    step = np.repeat(scale, x.shape[-1] // scale.shape[-1], -1)
    m = np.repeat(low, x.shape[-1] // scale.shape[-1], -1)
    return ((x - m) / np.where(step > 0, step, 1)).astype(int), scale, low


def wrong_quantize__negative_end(x, bits, block_size=None, symmetric=True):
    """`minimum` is right in every call"""
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
    """The parts are right, but in another order"""
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


def wrong_decode_q4_1__double(blocks):
    """The numbers are right, but their dtype is not"""
    return _decoded(blocks).astype(np.float64)


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


def right_quantize__rint_and_clip(x, bits, block_size=None, symmetric=True):
    size = x.size if block_size is None else block_size
    flat = x.reshape(-1, size)
    top = 2 ** (bits - 1) - 1 if symmetric else 2**bits - 1
    if symmetric:
        minimum = np.zeros(len(flat), x.dtype)
        scale = np.abs(flat).max(axis=1) / top
    else:
        minimum = flat.min(axis=1)
        scale = (flat.max(axis=1) - minimum) / top
    codes = np.zeros(flat.shape)
    np.divide(flat - minimum[:, None], scale[:, None], out=codes, where=scale[:, None] > 0)
    codes = np.clip(np.rint(codes), -top, top).astype(int)
    shape = (1,) * x.ndim if block_size is None else (*x.shape[:-1], x.shape[-1] // size)
    return codes.reshape(x.shape), scale.reshape(shape), minimum.reshape(shape)


def right_quantize__torch(x, bits, block_size=None, symmetric=True):
    t = torch.tensor(np.array(x))
    if block_size is None:
        b = t.reshape(*[1] * t.ndim, -1)
    else:
        b = t.unflatten(-1, (-1, block_size))
    if symmetric:
        low, scale = torch.zeros_like(b[..., 0]), b.abs().amax(-1) / (2 ** (bits - 1) - 1)
    else:
        low = b.amin(-1)
        scale = (b.amax(-1) - low) / (2**bits - 1)
    codes = torch.nan_to_num(torch.round((b - low[..., None]) / scale[..., None]))
    return codes.to(torch.int16).reshape(t.shape).numpy(), scale.numpy(), low.numpy()


def right_quantize__builtin_round(x, bits, block_size=None, symmetric=True):
    n = x.shape[-1]
    rows = x.reshape(1, -1) if block_size is None else x.reshape(-1, block_size)
    codes, scales, minima = [], [], []
    for row in rows.tolist():
        low = 0.0 if symmetric else min(row)
        scale = max(map(abs, row)) / (2 ** (bits - 1) - 1) if symmetric else (max(row) - low) / (2**bits - 1)
        codes += [round((it - low) / scale) if scale else 0 for it in row]
        scales.append(scale)
        minima.append(low)
    shape = (1,) * x.ndim if block_size is None else (*x.shape[:-1], n // block_size)
    return np.array(codes).reshape(x.shape), np.reshape(scales, shape), np.reshape(minima, shape)


def right_quantize__half_up(x, bits, block_size=None, symmetric=True):
    shape = (1,) * x.ndim if block_size is None else (*x.shape[:-1], x.shape[-1] // block_size)
    blocks = x.reshape(*shape, -1)
    low = np.zeros(shape) if symmetric else blocks.min(-1)
    most = 2 ** (bits - 1) - 1 if symmetric else 2**bits - 1
    scale = (abs(blocks).max(-1) if symmetric else blocks.max(-1) - low) / most
    steps = (blocks - low[..., None]) / np.where(scale == 0, 1, scale)[..., None]
    return np.floor(steps + 0.5).reshape(x.shape), scale, low


def wrong_quantize__one_code_too_many(x, bits, block_size=None, symmetric=True):
    """Codes reach 2^(b−1), which b bits cannot hold with a sign"""
    shape = (1,) * x.ndim if block_size is None else (*x.shape[:-1], x.shape[-1] // block_size)
    blocks = x.reshape(*shape, -1)
    low = np.zeros(shape) if symmetric else blocks.min(-1)
    most = 2 ** (bits - 1) if symmetric else 2**bits - 1
    scale = (abs(blocks).max(-1) if symmetric else blocks.max(-1) - low) / most
    steps = np.where(scale == 0, 1, scale)
    return np.round((blocks - low[..., None]) / steps[..., None]).reshape(x.shape), scale, low


def wrong_quantize__steps_for_codes(x, bits, block_size=None, symmetric=True):
    """The largest number gets the code 2^b, which b bits cannot hold"""
    shape = (1,) * x.ndim if block_size is None else (*x.shape[:-1], x.shape[-1] // block_size)
    blocks = x.reshape(*shape, -1)
    low = np.zeros(shape) if symmetric else blocks.min(-1)
    most = 2 ** (bits - 1) - 1 if symmetric else 2**bits
    scale = (abs(blocks).max(-1) if symmetric else blocks.max(-1) - low) / most
    steps = np.where(scale == 0, 1, scale)
    return np.round((blocks - low[..., None]) / steps[..., None]).reshape(x.shape), scale, low


def wrong_quantize__minimum_not_subtracted(x, bits, block_size=None, symmetric=True):
    """Codes count from zero, not from the minimum"""
    shape = (1,) * x.ndim if block_size is None else (*x.shape[:-1], x.shape[-1] // block_size)
    blocks = x.reshape(*shape, -1)
    low = np.zeros(shape) if symmetric else blocks.min(-1)
    most = 2 ** (bits - 1) - 1 if symmetric else 2**bits - 1
    scale = (abs(blocks).max(-1) if symmetric else blocks.max(-1) - low) / most
    steps = np.where(scale == 0, 1, scale)
    return np.round(blocks / steps[..., None]).reshape(x.shape), scale, low


def wrong_quantize__largest_and_cut_off(x, bits, block_size=None, symmetric=True):
    """Numbers far below zero are cut off"""
    codes, scale, low = wrong_quantize__largest_not_absolute(x, bits, block_size, symmetric)
    most = 2 ** (bits - 1) - 1
    return np.clip(codes, -most, most) if symmetric else codes, scale, low


def wrong_quantize__largest_not_absolute(x, bits, block_size=None, symmetric=True):
    """Codes of numbers far below zero do not fit into b bits"""
    shape = (1,) * x.ndim if block_size is None else (*x.shape[:-1], x.shape[-1] // block_size)
    blocks = x.reshape(*shape, -1)
    low = np.zeros(shape) if symmetric else blocks.min(-1)
    most = 2 ** (bits - 1) - 1 if symmetric else 2**bits - 1
    scale = (blocks.max(-1) - low) / most
    steps = np.where(scale == 0, 1, scale)
    return np.round((blocks - low[..., None]) / steps[..., None]).reshape(x.shape), scale, low


def wrong_quantize__divided_by_zero(x, bits, block_size=None, symmetric=True):
    """Line 8"""
    shape = (1,) * x.ndim if block_size is None else (*x.shape[:-1], x.shape[-1] // block_size)
    blocks = x.reshape(*shape, -1)
    low = np.zeros(shape) if symmetric else blocks.min(-1)
    most = 2 ** (bits - 1) - 1 if symmetric else 2**bits - 1
    scale = (abs(blocks).max(-1) if symmetric else blocks.max(-1) - low) / most
    return np.round((blocks - low[..., None]) / scale[..., None]).reshape(x.shape), scale, low


def wrong_quantize__bytes_without_sign(x, bits, block_size=None, symmetric=True):
    """Line 10"""
    shape = (1,) * x.ndim if block_size is None else (*x.shape[:-1], x.shape[-1] // block_size)
    blocks = x.reshape(*shape, -1)
    low = np.zeros(shape) if symmetric else blocks.min(-1)
    most = 2 ** (bits - 1) - 1 if symmetric else 2**bits - 1
    scale = (abs(blocks).max(-1) if symmetric else blocks.max(-1) - low) / most
    steps = np.where(scale == 0, 1, scale)
    codes = np.round((blocks - low[..., None]) / steps[..., None])
    return codes.astype(np.int64).astype(np.uint8).reshape(x.shape), scale, low


def wrong_quantize__always_int8(x, bits, block_size=None, symmetric=True):
    """Line 10"""
    shape = (1,) * x.ndim if block_size is None else (*x.shape[:-1], x.shape[-1] // block_size)
    blocks = x.reshape(*shape, -1)
    low = np.zeros(shape) if symmetric else blocks.min(-1)
    most = 2 ** (bits - 1) - 1 if symmetric else 2**bits - 1
    scale = (abs(blocks).max(-1) if symmetric else blocks.max(-1) - low) / most
    steps = np.where(scale == 0, 1, scale)
    codes = np.round((blocks - low[..., None]) / steps[..., None])
    return codes.astype(np.int64).astype(np.int8).reshape(x.shape), scale, low


def wrong_quantize__numbers_for_codes(x, bits, block_size=None, symmetric=True):
    """In place of the codes stand the rounded numbers"""
    shape = (1,) * x.ndim if block_size is None else (*x.shape[:-1], x.shape[-1] // block_size)
    blocks = x.reshape(*shape, -1)
    low = np.zeros(shape) if symmetric else blocks.min(-1)
    most = 2 ** (bits - 1) - 1 if symmetric else 2**bits - 1
    scale = (abs(blocks).max(-1) if symmetric else blocks.max(-1) - low) / most
    steps = np.where(scale == 0, 1, scale)
    codes = np.round((blocks - low[..., None]) / steps[..., None])
    return (codes * scale[..., None] + low[..., None]).reshape(x.shape), scale, low


def wrong_quantize__codes_left_in_blocks(x, bits, block_size=None, symmetric=True):
    """The numbers are right, but their shape is not"""
    shape = (1,) * x.ndim if block_size is None else (*x.shape[:-1], x.shape[-1] // block_size)
    blocks = x.reshape(*shape, -1)
    low = np.zeros(shape) if symmetric else blocks.min(-1)
    most = 2 ** (bits - 1) - 1 if symmetric else 2**bits - 1
    scale = (abs(blocks).max(-1) if symmetric else blocks.max(-1) - low) / most
    steps = np.where(scale == 0, 1, scale)
    return np.round((blocks - low[..., None]) / steps[..., None]), scale, low


def wrong_quantize__in_place(x, bits, block_size=None, symmetric=True):
    """The result is right, but `x` has changed after the call"""
    shape = (1,) * x.ndim if block_size is None else (*x.shape[:-1], x.shape[-1] // block_size)
    blocks = x.reshape(*shape, -1)
    low = np.zeros(shape) if symmetric else blocks.min(-1)
    most = 2 ** (bits - 1) - 1 if symmetric else 2**bits - 1
    scale = (abs(blocks).max(-1) if symmetric else blocks.max(-1) - low) / most
    blocks -= low[..., None]
    blocks /= np.where(scale == 0, 1, scale)[..., None]
    return np.round(blocks).reshape(x.shape), scale, low


def wrong_quantize__one_per_row(x, bits, block_size=None, symmetric=True):
    """Without a block size, every row has a scale of its own"""
    if block_size is None:
        block_size = x.shape[-1]
    blocks = x.reshape(*x.shape[:-1], x.shape[-1] // block_size, block_size)
    low = np.zeros(blocks.shape[:-1]) if symmetric else blocks.min(-1)
    most = 2 ** (bits - 1) - 1 if symmetric else 2**bits - 1
    scale = (abs(blocks).max(-1) if symmetric else blocks.max(-1) - low) / most
    steps = np.where(scale == 0, 1, scale)
    return np.round((blocks - low[..., None]) / steps[..., None]).reshape(x.shape), scale, low


def wrong_quantize__scalars(x, bits, block_size=None, symmetric=True):
    """The numbers are right, but their shape is not"""
    most = 2 ** (bits - 1) - 1 if symmetric else 2**bits - 1
    blocks = x.reshape(-1) if block_size is None else x.reshape(*x.shape[:-1], -1, block_size)
    low = 0 * blocks[..., 0] if symmetric else blocks.min(-1)
    scale = (abs(blocks).max(-1) if symmetric else blocks.max(-1) - low) / most
    steps = np.where(scale == 0, 1, scale)
    return np.round((blocks - low[..., None]) / steps[..., None]).reshape(x.shape), scale, low


def wrong_quantize__zero_point(x, bits, block_size=None, symmetric=True):
    """In place of the minimum stands the code of zero"""
    shape = (1,) * x.ndim if block_size is None else (*x.shape[:-1], x.shape[-1] // block_size)
    blocks = x.reshape(*shape, -1)
    low = np.zeros(shape) if symmetric else blocks.min(-1)
    most = 2 ** (bits - 1) - 1 if symmetric else 2**bits - 1
    scale = (abs(blocks).max(-1) if symmetric else blocks.max(-1) - low) / most
    steps = np.where(scale == 0, 1, scale)
    return np.round((blocks - low[..., None]) / steps[..., None]).reshape(x.shape), scale, np.round(-low / steps)


def wrong_quantize__full_range_for_signed(x, bits, block_size=None, symmetric=True):
    """Codes reach to 2^b − 1 on both sides of zero"""
    shape = (1,) * x.ndim if block_size is None else (*x.shape[:-1], x.shape[-1] // block_size)
    blocks = x.reshape(*shape, -1)
    low = np.zeros(shape) if symmetric else blocks.min(-1)
    scale = (abs(blocks).max(-1) if symmetric else blocks.max(-1) - low) / (2**bits - 1)
    steps = np.where(scale == 0, 1, scale)
    return np.round((blocks - low[..., None]) / steps[..., None]).reshape(x.shape), scale, low


def wrong_quantize__scale_one_for_zeros(x, bits, block_size=None, symmetric=True):
    """where it is 0, divide by 1"""
    shape = (1,) * x.ndim if block_size is None else (*x.shape[:-1], x.shape[-1] // block_size)
    blocks = x.reshape(*shape, -1)
    low = np.zeros(shape) if symmetric else blocks.min(-1)
    most = 2 ** (bits - 1) - 1 if symmetric else 2**bits - 1
    scale = (abs(blocks).max(-1) if symmetric else blocks.max(-1) - low) / most + 1e-8
    return np.round((blocks - low[..., None]) / scale[..., None]).reshape(x.shape), scale, low


def right_decode_q4_1__structured(blocks):
    kind = np.dtype([("d", "<f2"), ("m", "<f2"), ("q", "u1", 16)])
    b = np.frombuffer(np.ascontiguousarray(blocks).tobytes(), kind)
    codes = np.hstack([b["q"] & 15, b["q"] >> 4]).astype(np.float32)
    x = b["d"].astype(np.float32)[:, None] * codes + b["m"].astype(np.float32)[:, None]
    return x.reshape(*blocks.shape[:-1], blocks.shape[-1] // 20 * 32)


def right_decode_q4_1__struct(blocks):
    out = np.empty((*blocks.shape[:-1], blocks.shape[-1] // 20 * 32), np.float32)
    for at in np.ndindex(*blocks.shape[:-1]):
        raw = bytes(blocks[at])
        numbers = []
        for start in range(0, len(raw), 20):
            d, m = struct.unpack_from("<ee", raw, start)
            body = raw[start + 4 : start + 20]
            numbers += [d * (it & 0xF) + m for it in body] + [d * (it >> 4) + m for it in body]
        out[at] = numbers
    return out


def right_decode_q4_1__bits(blocks):
    b = blocks.reshape(*blocks.shape[:-1], -1, 20)
    low, high = b[..., 0:4:2].astype(int), b[..., 1:4:2].astype(int)
    d, m = np.moveaxis((low + 256 * high).astype(np.uint16).view(np.float16).astype(np.float32), -1, 0)
    bits = np.unpackbits(b[..., 4:, None], axis=-1, bitorder="little")
    codes = np.stack([bits[..., :4] @ [1, 2, 4, 8], bits[..., 4:] @ [1, 2, 4, 8]], axis=-2)
    codes = codes.reshape(*codes.shape[:-2], 32).astype(np.float32)
    return (d[..., None] * codes + m[..., None]).reshape(*blocks.shape[:-1], -1)


def _head(blocks, kind="<f2"):
    blocks = blocks.reshape(*blocks.shape[:-1], -1, 20)
    return blocks, np.ascontiguousarray(blocks[..., :4]).view(kind).astype(np.float32)


def wrong_decode_q4_1__high_byte_first(blocks):
    """Scales are absurd"""
    blocks = blocks.reshape(*blocks.shape[:-1], -1, 20)
    head = np.ascontiguousarray(blocks[..., :4]).view(">f2").astype(np.float32)
    codes = np.concatenate([blocks[..., 4:] % 16, blocks[..., 4:] // 16], axis=-1).astype(np.float32)
    out = head[..., :1] * codes + head[..., 1:]
    return out.reshape(*out.shape[:-2], -1)


def wrong_decode_q4_1__scale_and_minimum_exchanged(blocks):
    """Scale and minimum are exchanged"""
    blocks = blocks.reshape(*blocks.shape[:-1], -1, 20)
    head = np.ascontiguousarray(blocks[..., :4]).view("<f2").astype(np.float32)
    codes = np.concatenate([blocks[..., 4:] % 16, blocks[..., 4:] // 16], axis=-1).astype(np.float32)
    out = head[..., 1:] * codes + head[..., :1]
    return out.reshape(*out.shape[:-2], -1)


def wrong_decode_q4_1__high_half_not_shifted(blocks):
    """The codes of numbers 16 to 31 are 16 times too large"""
    blocks = blocks.reshape(*blocks.shape[:-1], -1, 20)
    head = np.ascontiguousarray(blocks[..., :4]).view("<f2").astype(np.float32)
    codes = np.concatenate([blocks[..., 4:] & 0x0F, blocks[..., 4:] & 0xF0], axis=-1).astype(np.float32)
    out = head[..., :1] * codes + head[..., 1:]
    return out.reshape(*out.shape[:-2], -1)


def wrong_decode_q4_1__centred(blocks):
    """Line 5"""
    blocks = blocks.reshape(*blocks.shape[:-1], -1, 20)
    head = np.ascontiguousarray(blocks[..., :4]).view("<f2").astype(np.float32)
    codes = np.concatenate([blocks[..., 4:] % 16, blocks[..., 4:] // 16], axis=-1).astype(np.float32) - 8
    out = head[..., :1] * codes + head[..., 1:]
    return out.reshape(*out.shape[:-2], -1)


def wrong_decode_q4_1__not_joined(blocks):
    """The numbers are right, but their shape is not"""
    blocks = blocks.reshape(*blocks.shape[:-1], -1, 20)
    head = np.ascontiguousarray(blocks[..., :4]).view("<f2").astype(np.float32)
    codes = np.concatenate([blocks[..., 4:] % 16, blocks[..., 4:] // 16], axis=-1).astype(np.float32)
    return head[..., :1] * codes + head[..., 1:]


def wrong_decode_q4_1__half_precision(blocks):
    """The numbers are right, but their dtype is not"""
    blocks = blocks.reshape(*blocks.shape[:-1], -1, 20)
    head = np.ascontiguousarray(blocks[..., :4]).view("<f2")
    codes = np.concatenate([blocks[..., 4:] % 16, blocks[..., 4:] // 16], axis=-1)
    out = head[..., :1] * codes + head[..., 1:]
    return out.reshape(*out.shape[:-2], -1)


def wrong_decode_q4_1__double_precision(blocks):
    """The numbers are right, but their dtype is not"""
    blocks = blocks.reshape(*blocks.shape[:-1], -1, 20)
    head = np.ascontiguousarray(blocks[..., :4]).view("<f2").astype(float)
    codes = np.concatenate([blocks[..., 4:] % 16, blocks[..., 4:] // 16], axis=-1)
    out = head[..., :1] * codes + head[..., 1:]
    return out.reshape(*out.shape[:-2], -1)


def wrong_decode_q4_1__header_behind(blocks):
    """the first four bytes of a block"""
    blocks = blocks.reshape(*blocks.shape[:-1], -1, 20)
    head = np.ascontiguousarray(blocks[..., 16:]).view("<f2").astype(np.float32)
    codes = np.concatenate([blocks[..., :16] % 16, blocks[..., :16] // 16], axis=-1).astype(np.float32)
    out = head[..., :1] * codes + head[..., 1:]
    return out.reshape(*out.shape[:-2], -1)


def wrong_decode_q4_1__first_block(blocks):
    head = np.ascontiguousarray(blocks[..., :4]).view("<f2").astype(np.float32)
    codes = np.concatenate([blocks[..., 4:20] % 16, blocks[..., 4:20] // 16], axis=-1).astype(np.float32)
    return head[..., :1] * codes + head[..., 1:]


def wrong_decode_q4_1__three_bits(blocks):
    blocks = blocks.reshape(*blocks.shape[:-1], -1, 20)
    head = np.ascontiguousarray(blocks[..., :4]).view("<f2").astype(np.float32)
    codes = np.concatenate([blocks[..., 4:] & 7, blocks[..., 4:] >> 4], axis=-1).astype(np.float32)
    out = head[..., :1] * codes + head[..., 1:]
    return out.reshape(*out.shape[:-2], -1)


def wrong_decode_q4_1__integers(blocks):
    blocks = blocks.reshape(*blocks.shape[:-1], -1, 20)
    head = np.ascontiguousarray(blocks[..., :4]).view("<u2").astype(np.float32)
    codes = np.concatenate([blocks[..., 4:] % 16, blocks[..., 4:] // 16], axis=-1).astype(np.float32)
    out = head[..., :1] * codes + head[..., 1:]
    return out.reshape(*out.shape[:-2], -1)


def right_bits_per_number__whole_block(bits, block_size, symmetric=True, itemsize=2):
    total = bits * block_size + 8 * itemsize
    if not symmetric:
        total += 8 * itemsize
    return total / block_size


def right_bits_per_number__fraction(bits, block_size, symmetric=True, itemsize=2):
    return float(bits + Fraction(16 * itemsize >> symmetric, block_size))


def right_bits_per_number__counted(bits, block_size, symmetric=True, itemsize=2):
    stored = [bits] * block_size + [8 * itemsize] * (2 - symmetric)
    return np.sum(stored) / block_size


def wrong_bits_per_number__kinds_exchanged(bits, block_size, symmetric=True, itemsize=2):
    """Line 3"""
    return bits + (2 if symmetric else 1) * 8 * itemsize / block_size


def wrong_bits_per_number__bytes_added(bits, block_size, symmetric=True, itemsize=2):
    """The share of the scale is an eighth"""
    return bits + (1 if symmetric else 2) * itemsize / block_size


def wrong_bits_per_number__whole_bits(bits, block_size, symmetric=True, itemsize=2):
    """Line 3"""
    return bits + (1 if symmetric else 2) * 8 * itemsize // block_size


def wrong_bits_per_number__not_shared(bits, block_size, symmetric=True, itemsize=2):
    """The block makes no difference"""
    return bits + (1 if symmetric else 2) * 8 * itemsize


def wrong_bits_per_number__codes_divided_too(bits, block_size, symmetric=True, itemsize=2):
    """Line 3"""
    return (bits + (1 if symmetric else 2) * 8 * itemsize) / block_size


def wrong_bits_per_number__of_the_block(bits, block_size, symmetric=True, itemsize=2):
    """Line 3"""
    return bits * block_size + (1 if symmetric else 2) * 8 * itemsize


def wrong_bits_per_number__always_two(bits, block_size, symmetric=True, itemsize=2):
    """`symmetric` makes no difference"""
    return bits + 2 * 8 * itemsize / block_size


def wrong_bits_per_number__precedence(bits, block_size, symmetric=True, itemsize=2):
    """Line 3"""
    return bits + 8 * itemsize / block_size if symmetric else 2 * 8 * itemsize / block_size


def wrong_bits_per_number__minimum_as_a_code(bits, block_size, symmetric=True, itemsize=2):
    extra = 8 * itemsize if symmetric else 8 * itemsize + bits
    return bits + extra / block_size


def right_stand_ins__lstsq(x, j):
    return np.linalg.lstsq(x[:, j + 1 :], x[:, j], rcond=None)[0]


def right_stand_ins__inverse_hessian(x, j):
    h = np.linalg.inv(x[:, j:].T @ x[:, j:])
    return -h[0, 1:] / h[0, 0]


def right_stand_ins__scipy_cholesky(x, j):
    a, b = x[:, j + 1 :], x[:, j]
    return scipy.linalg.cho_solve(scipy.linalg.cho_factor(a.T @ a), a.T @ b)


def right_stand_ins__torch(x, j):
    t = torch.tensor(np.array(x))
    return torch.linalg.lstsq(t[:, j + 1 :], t[:, j : j + 1]).solution[:, 0].numpy()


def wrong_stand_ins__counted_from_one(x, j):
    """It is the answer for the column before"""
    later = x[:, j:]
    return np.linalg.solve(later.T @ later, later.T @ x[:, j - 1])


def wrong_stand_ins__divided_by_own_length(x, j):
    """Each later column is fitted with column j"""
    later = x[:, j + 1 :]
    return later.T @ x[:, j] / (x[:, j] @ x[:, j])


def wrong_stand_ins__padded(x, j):
    later = x[:, j + 1 :]
    out = np.zeros(x.shape[1])
    out[j + 1 :] = np.linalg.solve(later.T @ later, later.T @ x[:, j])
    return out


def wrong_stand_ins__all_others(x, j):
    """Columns that are rounded already take part"""
    h = np.linalg.inv(x.T @ x)
    return -h[j, j + 1 :] / h[j, j]


def wrong_stand_ins__column(x, j):
    """The result has the right numbers, with an axis of size 1 too many at the end"""
    later = x[:, j + 1 :]
    return np.linalg.solve(later.T @ later, later.T @ x[:, j : j + 1])


def wrong_stand_ins__damped(x, j):
    """Line 4"""
    later = x[:, j + 1 :]
    h = later.T @ later + 0.01 * np.eye(later.shape[1])
    return np.linalg.solve(h, later.T @ x[:, j])


def wrong_stand_ins__centred(x, j):
    """Columns are compared as if a constant were free to be added"""
    x = x - x.mean(axis=0)
    later = x[:, j + 1 :]
    return np.linalg.solve(later.T @ later, later.T @ x[:, j])


def wrong_stand_ins__sign_of_the_inverse(x, j):
    """The result has the opposite sign"""
    h = np.linalg.inv(x[:, j:].T @ x[:, j:])
    return h[0, 1:] / h[0, 0]


def wrong_stand_ins__diagonal_forgotten(x, j):
    h = np.linalg.inv(x[:, j:].T @ x[:, j:])
    return -h[0, 1:]


def wrong_stand_ins__multiplied_for_solved(x, j):
    later = x[:, j + 1 :]
    return later.T @ later @ (later.T @ x[:, j])


def right_stand_ins__row_of_the_factor(x, j):
    u = np.linalg.cholesky(np.linalg.inv(x.T @ x)).T
    return -u[j, j + 1 :] / u[j, j]


def wrong_quantize__as_many_steps_as_points(x, bits, block_size=None, symmetric=True):
    """Codes reach one too far"""
    blocks = x.reshape((1,) * x.ndim + (-1,)) if block_size is None else x.reshape(*x.shape[:-1], -1, block_size)
    low = 0.0 * blocks[..., 0] if symmetric else blocks.min(-1)
    scale = abs(blocks).max(-1) / 2 ** (bits - 1) if symmetric else (blocks.max(-1) - low) / 2**bits
    codes = np.round((blocks - low[..., None]) / np.where(scale == 0, 1.0, scale)[..., None])
    return codes.reshape(x.shape), scale, low


def right_float_grid__loops(exponent_bits, mantissa_bits):
    bias, steps = 2 ** (exponent_bits - 1) - 1, 2**mantissa_bits
    points = [2.0 ** (1 - bias) * f / steps for f in range(steps)]
    for e in range(1, 2**exponent_bits - 1):
        points += [2.0 ** (e - bias) * (1 + f / steps) for f in range(steps)]
    return np.array(points)


def right_float_grid__steps_added(exponent_bits, mantissa_bits):
    e = np.repeat(np.arange(2**exponent_bits - 1), 2**mantissa_bits)
    steps = 2.0 ** (np.maximum(e, 1) - (2 ** (exponent_bits - 1) - 1) - mantissa_bits)
    return np.concatenate([[0.0], np.cumsum(steps[:-1])])


def right_float_grid__table(exponent_bits, mantissa_bits):
    e, f = np.mgrid[: 2**exponent_bits - 1, : 2**mantissa_bits]
    f = f / 2**mantissa_bits
    return (2.0 ** (1 - 2 ** (exponent_bits - 1)) * np.where(e == 0, 2 * f, 2.0**e * (1 + f))).ravel()


def wrong_float_grid__denormals_one_power_lower(exponent_bits, mantissa_bits):
    """Numbers below the smallest normal one are half as large, and leave a gap"""
    e, f = np.mgrid[: 2**exponent_bits - 1, : 2**mantissa_bits]
    return (2.0 ** (e - 2 ** (exponent_bits - 1) + 1) * ((e > 0) + f / 2**mantissa_bits)).ravel()


def wrong_float_grid__bias_one_too_large(exponent_bits, mantissa_bits):
    """The result is half of the right one"""
    return right_float_grid__table(exponent_bits, mantissa_bits) / 2


def wrong_float_grid__infinity_counted(exponent_bits, mantissa_bits):
    e, f = np.divmod(np.arange(2 ** (exponent_bits + mantissa_bits)), 2**mantissa_bits)
    return np.ldexp((e > 0) + f / 2**mantissa_bits, np.maximum(e, 1) - 2 ** (exponent_bits - 1) + 1)


def wrong_float_grid__two_axes(exponent_bits, mantissa_bits):
    """Line 3"""
    return right_float_grid__table(exponent_bits, mantissa_bits).reshape(-1, 2**mantissa_bits)


def wrong_float_grid__no_denormals(exponent_bits, mantissa_bits):
    """Zero is missing, and all numbers next to it"""
    e = np.arange(2**exponent_bits - 1)[:, None] - 2 ** (exponent_bits - 1) + 1
    return (2.0**e * (1 + np.arange(2**mantissa_bits) / 2**mantissa_bits)).ravel()


def wrong_float_grid__leading_one(exponent_bits, mantissa_bits):
    """the smallest normal numbers come twice"""
    steps, bias = 2**mantissa_bits, 2 ** (exponent_bits - 1) - 1
    return [2.0 ** (max(e, 1) - bias) * (1 + f / steps) for e in range(2**exponent_bits - 1) for f in range(steps)]


def wrong_quantize__a_little_added(x, bits, block_size=None, symmetric=True):
    """add nothing to the scale"""
    blocks = x.reshape((1,) * x.ndim + (-1,)) if block_size is None else x.reshape(*x.shape[:-1], -1, block_size)
    if symmetric:
        scale = np.abs(blocks).max(-1) / (2 ** (bits - 1) - 1)
        low = np.zeros_like(scale)
    else:
        low, scale = blocks.min(-1), np.ptp(blocks, axis=-1) / (2**bits - 1)
    codes = np.rint((blocks - low[..., None]) / (scale + 1e-9)[..., None])
    return codes.reshape(x.shape), scale, low


def wrong_decode_q4_1__bytes_with_a_sign(blocks):
    """Line 5"""
    it = np.ascontiguousarray(blocks).reshape(*blocks.shape[:-1], -1, 20)
    step, low = np.moveaxis(it[..., :4].copy().view("<f2").astype(np.float32), -1, 0)
    pairs = it[..., 4:].view(np.int8)
    codes = np.concatenate([pairs & 15, pairs >> 4], axis=-1)
    return (step[..., None] * codes + low[..., None]).reshape(*blocks.shape[:-1], -1)


def wrong_quantize__first_like_last(x, bits, block_size=None, symmetric=True):
    """Line 7"""
    codes, scale, minimum = quantize(x, bits, block_size, symmetric)
    if symmetric or block_size is None:
        return codes, scale, minimum
    blocks = x.reshape(*x.shape[:-1], -1, block_size)
    return codes, np.where(blocks[..., 0] == blocks[..., -1], 0, scale), minimum


def wrong_quantize__one_step_too_many_on_one_grid(x, bits, block_size=None, symmetric=True):
    """between 2^b points lie 2^b − 1 steps"""
    lead = (1,) * x.ndim if block_size is None else (*x.shape[:-1], x.shape[-1] // block_size)
    b = x.reshape(*lead, -1)
    if symmetric:
        low = np.zeros(lead)
        scale = np.abs(b).max(-1) / (2 ** (bits - 1) - 1)
    else:
        low = b.min(-1)
        scale = (b.max(-1) - low) / 2 ** bits
    safe = np.where(scale == 0, 1, scale)
    codes = np.rint((b - low[..., None]) / safe[..., None])
    if not symmetric:
        codes = np.minimum(codes, 2 ** bits - 1)
    return codes.reshape(x.shape), scale, low


def wrong_quantize__strided_blocks(x, bits, block_size=None, symmetric=True):
    """not neighbours"""
    if block_size is None:
        lead, b = (1,) * x.ndim, x.reshape(*(1,) * x.ndim, -1)
    else:
        lead = (*x.shape[:-1], x.shape[-1] // block_size)
        b = np.swapaxes(x.reshape(*x.shape[:-1], block_size, -1), -1, -2)
    low = np.zeros(lead) if symmetric else b.min(-1)
    reach = np.abs(b).max(-1) if symmetric else b.max(-1) - low
    scale = reach / ((2 ** (bits - 1) if symmetric else 2 ** bits) - 1)
    safe = np.where(scale == 0, 1, scale)
    codes = np.rint((b - low[..., None]) / safe[..., None])
    if block_size is not None:
        codes = np.swapaxes(codes, -1, -2)
    return codes.reshape(x.shape), scale, low
