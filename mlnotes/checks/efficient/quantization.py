"""What rounding to a few bits must satisfy, and how it is usually got wrong."""

import numpy as np

from mlnotes.applications.least_squares import lstsq
from mlnotes.checks.bank import Checks, Claim, Mistake, call, distance, frozen, oracle
from mlnotes.diagnosis.report import written_call
from mlnotes.efficient.kv_cache import KVCache
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

_rng = np.random.default_rng(23)
_small, _wide, _w, _x, _k, _v = frozen(np.array([[1.0, -7.0, 0.0, 8.0], [3.0, -1.0, -9.0, 0.0]]),
    *(_rng.normal(size=it) for it in ((2, 3, 14), (5, 12), (40, 12), (2, 11, 6), (2, 11, 10))))
_x = frozen(_x @ _rng.normal(size=(12, 12)))[0]
_zeros, _equal, _heavy = frozen(np.array([[0.0, 0.0], [4.0, -1.0]]), np.full((1, 4), 3.5), 1e150 * _wide)
_LAST_BITS = {"tolerance": 1e-12, "why": "a few operations in float64, of numbers up to 9"}
_SIZE_KEPT = ("by_power_of_two(working_copy(x))[0]", "working_copy(x)")
_ROUNDED = (
    call(_small, 3), call(_small, 4, block_size=2), call(_small, 3, symmetric=False), call(_small, 4, 4, False),
    call(_zeros, 4, 2).about("a row of zeros"), call(_zeros, 4, 2, False).about("zeros, from minimum to maximum"),
    call(_equal, 4, 4, False).about("equal numbers"),
    call(np.array([[1.0, 5.0, 1.0]]), 4, 3, False).about("a block that ends as it began"), call(_equal, 4, 4),
    call(-_small, 2).about("2 bits"), call(_wide, 8, 7).about("8 bits, three axes"),
    call(_wide, 5, 14, False).about("a row in each block"), call(_wide, 4).about("one scale for three axes"),
    call(_wide, 8, None, False), call(_wide + 50, 4, 7, False).about("far from zero"),
    call(1e6 + np.arange(8.0), 4, None, False).about("farther from zero than they are apart"),
    call(_heavy, 4, 7).about("numbers of 1e150", absolute=0.0),
    call(1e-150 * _wide, 4, 7).about("numbers of 1e-150", absolute=0.0), call(_small[0], 4, 2).about("one axis"),
    call(np.array([[1.0, 14.0]]), 4).about("two codes that are equally near", edge=True))
_FULL = frozen(np.array([0, 56, 0, 188, *range(240, 0, -15)], np.uint8), _rng.integers(0, 60, (2, 3, 40)).astype(
    np.uint8) ^ np.uint8(192) * (np.arange(40) % 20 > 3).astype(np.uint8))
_EIGHTH = frozen(np.array([0, 56, *range(128, 144), *range(16)], np.uint8),
    _rng.integers(0, 60, (2, 3, 68)).astype(np.uint8) ^ np.uint8(128) * (np.arange(68) % 34 > 1).astype(np.uint8))
_CODES = frozen(np.array([1, 2, 3, 0, 0, 3, 2, 1], np.uint8), _rng.integers(0, 16, (2, 3, 8)).astype(np.uint8),
    _rng.integers(0, 256, (2, 3, 5)).astype(np.uint8))
_SCALED = frozen(np.array([[-1, 2, 0, 3]], np.int8), np.array([[0.5, 2.0]]), np.array([[1.0, -3.0]]),
    _rng.integers(0, 255, (2, 3, 14)).astype(np.uint8), _rng.random((2, 3, 2)), _rng.normal(size=(2, 3, 2)))


def stand_ins(x, j):
    """Say by how much later weights must grow to stand in for a unit of weight j, as well as the inputs allow."""
    return lstsq(x[:, j + 1 :], x[:, j])


def _parts(version, *arguments, **named):
    found = version(*arguments, **named)
    if not isinstance(found, tuple | list) or len(found) != 3:
        return found
    codes, scale, minimum = found
    return {"codes": np.asarray(codes, float), "scale": np.asarray(scale), "minimum": np.asarray(minimum)}


def _decoded(version, *arguments, **named):
    return dequantize(version(*arguments, **named))


def _half_a_step(f):
    worst = 0.0
    for case in (call(_small, 3), call(_wide, 4, 7), call(_wide, 8, 14, False), call(_wide, 2, 7, False)):
        found = f(*case.arguments)
        steps = np.repeat(found[1], _of(case) // found[1].shape[-1], -1)
        worst = max(worst, float((abs(dequantize(found) - case.arguments[0]) / steps).max()) - 0.5)
    return max(worst, 0.0)


def _of(case):
    return case.arguments[0].shape[-1]


def _torchs(f):
    import torch

    worst = 0.0
    for x in (_small, _wide):
        x = x.astype(np.float32)
        scale = float(abs(x).max() / 7)
        theirs = torch.fake_quantize_per_tensor_affine(torch.tensor(x), scale, 0, -7, 7).numpy()
        worst = max(worst, distance(dequantize(f(x, 4)), theirs))
    return worst


def _gradient_is_one(f):
    import torch

    x = torch.tensor(_wide, requires_grad=True)
    (3 * f(x, 3, 7)).sum().backward()
    return distance(x.grad.numpy(), np.full(_wide.shape, 3.0))


def _forwards_and_back(f, x, *options, **named):
    import torch

    x = torch.tensor(x, requires_grad=True)
    out = f(x, *options, **named)
    out.square().sum().backward()
    return {"values": out.detach().numpy(), "gradient": x.grad.numpy()}


def _by_gguf(kind):
    import gguf

    return lambda blocks: gguf.dequantize(blocks, gguf.GGMLQuantizationType[kind])


def _by_bits(codes, bits):
    """Write all codes as bits, the lowest first, and read them as bytes."""
    written = (codes[..., None] >> np.arange(bits) & 1).astype(np.uint8)
    return np.packbits(written.reshape(*codes.shape[:-1], -1), axis=-1, bitorder="little")


def _by_struct(blocks):
    import struct

    rows = []
    for row in np.reshape(blocks, (-1, blocks.shape[-1])):
        for start in range(0, len(row), 20):
            step, low, *pairs = struct.unpack("<ee16B", bytes(row[start : start + 20]))
            rows.append([step * (it & 15) + low for it in pairs] + [step * (it >> 4) + low for it in pairs])
    return np.array(rows).reshape(*blocks.shape[:-1], -1)


def _column_by_column(w, x, bits, block_size):
    """Solve a least-squares problem after each column."""
    grid, left = quantize(w, bits, block_size), w.copy()
    steps, most = np.repeat(grid.scale, w.shape[1] // grid.scale.shape[1], axis=1), 2 ** (bits - 1) - 1
    for j in range(w.shape[1]):
        y = steps[:, j] * np.clip(np.round(left[:, j] / steps[:, j]), -most, most)
        if j + 1 < w.shape[1]:
            left[:, j + 1 :] += np.outer(left[:, j] - y, np.linalg.lstsq(x[:, j + 1 :], x[:, j])[0])
        left[:, j] = y
    return left


def _outputs_come_nearer(f):
    off = [np.linalg.norm(_x @ (_w - it).T) for it in (dequantize(f(_w, _x, 4, 12)), fake_quantize(_w, 4, 12))]
    return max(0.0, off[0] / off[1] - 1)


def _compensated(version, w, x, bits, *options, **named):
    return {"weights": dequantize(version(w, x, bits, *options, **named))}


def _life(make, capacity, n_heads, d_head, chunks=(), **options):
    cache = make(capacity, n_heads, d_head, **options)
    for k, v in chunks:
        cache.append(k, v)
    seen = {"keys": np.array(cache.keys), "values": np.array(cache.values)}
    return seen | {"len": len(cache), "nbytes": cache.nbytes}


def _written_life(name, case):
    options = dict(case.named)
    lines = ["cache = " + written_call(name, call(*case.arguments, **{**options, "chunks": ...}))]
    lines = [lines[0].replace(", chunks=Ellipsis", "").replace(", chunks=...", "")]
    return "\n".join(lines + [written_call("cache.append", call(*it)) for it in options.get("chunks", ())])


def _chunks(*ends, k=_k, v=_v):
    return [(k[..., a:b, :], v[..., a:b, :]) for a, b in zip((0, *ends), ends, strict=False)]


def _cache(f, **options):
    return f(11, 2, 6, 10, **options)


def _chunks_do_not_count(f):
    one, many = (_life(_cache_of(f), 11, 2, 6, _chunks(*ends), d_value=10, key_group=4) for ends in ((11,), (1, 3, 11)))
    return max(distance(one[it], many[it]) for it in ("keys", "values"))


def _cache_of(f):
    return lambda *sizes, **options: f(*sizes, **options)


def _rounds_as_asked(f):
    seen = _life(f, 11, 2, 6, _chunks(5, 11), d_value=10, key_group=4, bits=4)
    keys = fake_quantize(_k[:, :8].mT, 4, 4, symmetric=False).mT
    return max(distance(seen["keys"][:, :8], keys), distance(seen["keys"][:, 8:], _k[:, 8:]),
               distance(seen["values"], fake_quantize(_v, 4, 10, symmetric=False)))


def _near_the_plain_cache(f):
    plain, coded = KVCache(11, 2, 6, 10), _cache(f, bits=8, key_group=4)
    for cache in (plain, coded):
        cache.append(_k, _v)
    return max(distance(coded.keys, plain.keys), distance(coded.values, plain.values))


_K2, _V2 = frozen(np.array([[[1.0, 5.0], [2.0, -1.0], [0.0, 3.0]]]), np.array([[[0.0, 3.0], [7.0, 1.0], [2.0, 2.0]]]))
_TWO = _chunks(2, 3, k=_K2, v=_V2)
# Codes that reach too far are neither cut off nor wrapped.
_FREE = (("xp.clip(xp.round(steps), -most if symmetric else 0, most)", "xp.round(steps)"),
         ("xp.int8 if symmetric else xp.uint8", "xp.int32"))
def _moved_to_zero(x, bits, block_size=None, symmetric=True):
    """Give codes of a grid that has zero on it, as a zero point makes it, with the minimum that it has not."""
    codes, scale, minimum = quantize(x, bits, block_size, symmetric)
    if symmetric:
        return codes, scale, minimum
    step, low = (np.repeat(it, x.shape[-1] // it.shape[-1], axis=-1) for it in (np.where(scale > 0, scale, 1), minimum))
    return (np.round(x / step) - np.round(low / step)).astype(codes.dtype), scale, minimum


def _with_its_guard(x, bits, block_size=None, symmetric=True):
    """Return a step of 1 where there is none to divide by."""
    codes, scale, minimum = quantize(x, bits, block_size, symmetric)
    return codes, np.where(scale == 0, 1, scale).astype(scale.dtype), minimum


_SHARED = (
    Mistake("one step for all",
        ("x.reshape(*x.shape[:-1], x.shape[-1] // block_size, block_size)", "x.reshape(*x.shape[:-1], 1, x.shape[-1])"),
        "All of a row shares a scale, whatever the block",
        "cut the last axis into blocks before looking for the largest"),
    Mistake("largest, not of absolute values", ("xp.maximum(top, -low)", "top"),
            "Numbers far below zero are cut off", "take the largest absolute value: max(top, −low)"),
    Mistake("largest, not of absolute values, and no limit", (("xp.maximum(top, -low)", "top"), *_FREE),
            "Codes of numbers far below zero do not fit into b bits", "take the largest absolute value: max(top, −low)"
            ),
    Mistake("two's complement",
        (("return 2 ** (bits - 1) - 1 if symmetric", "return 2 ** (bits - 1) if symmetric"), *_FREE),
        "Codes reach 2^(b−1), which b bits cannot hold with a sign", "divide by 2^(b−1) − 1"),
    Mistake("as many steps as points", (("else 2**bits - 1", "else 2**bits"), *_FREE),
            "The largest number gets the code 2^b, which b bits cannot hold", "between 2^b points lie 2^b − 1 steps"),
    Mistake("as many steps as points, on both grids",
        (("2 ** (bits - 1) - 1 if symmetric else 2**bits - 1", "2 ** (bits - 1) if symmetric else 2**bits"), *_FREE),
        "Codes reach one too far, which b bits cannot hold",
        "divide by the largest code: 2^(b−1) − 1 if symmetric, else 2^b − 1"),
    Mistake("cut off", ("xp.round(steps)", "xp.trunc(steps)"),
            "Numbers move by up to a whole step, always towards zero or the minimum",
            "round to the nearest: np.round, not astype(int)", "sglang-jax, pull request 1598 (2026)"),
    Mistake("rounded down", ("xp.round(steps)", "xp.floor(steps)"),
            "Numbers move by up to a whole step, always down", "round to the nearest: np.round, not astype(int)"),
    Mistake("minimum forgotten", (("blocks if symmetric else blocks - minimum[..., None]", "blocks"), *_FREE),
            "Codes count from zero, not from the minimum", "subtract the minimum before dividing"),
    Mistake("range of unsigned codes", (("2 ** (bits - 1) - 1 if symmetric else 2**bits - 1", "2**bits - 1"), *_FREE),
            "Codes reach to 2^b − 1 on both sides of zero", "of b bits one is the sign: divide by 2^(b−1) − 1"),
    Mistake("one scale for each row", ("x.reshape((1,) * x.ndim + (-1,))", "x[..., None, :]"),
            "Without a block size, every row has a scale of its own", "let all numbers share one"),
    Mistake("numbers for codes", ("codes = _nearest_codes(blocks, scale, minimum, bits, symmetric)",
            "codes = _points(scale, minimum, _nearest_codes(blocks, scale, minimum, bits, symmetric))"),
            "In place of the codes stand the rounded numbers", "return the whole numbers before they are scaled"),
    Mistake("zero point", ("codes.reshape(x.shape), scale, minimum)",
            "codes.reshape(x.shape), scale, np.round(-minimum / or_one(scale)))"),
            "In place of the minimum stands the code of zero", "return the smallest number itself"),
    Mistake("a little added to the scale", ("or_one(scale)[..., None]", "(scale + 1e-12)[..., None]"),
            "Blocks of very small numbers get 0 for all codes", "add nothing to the scale; where it is 0, divide by 1"))

def _strided(x, bits, block_size=None, symmetric=True):
    if block_size is None:
        return quantize(x, bits, None, symmetric)
    strided = x.reshape(*x.shape[:-1], block_size, -1).swapaxes(-1, -2)
    codes, *grid = quantize(strided.reshape(x.shape), bits, block_size, symmetric)
    return codes.reshape(strided.shape).swapaxes(-1, -2).reshape(x.shape), *grid


def _with_more(more):
    def version(x, bits, block_size=None, symmetric=True):
        blocks, lead = _in_rows(x, block_size)
        low = np.zeros(lead) if symmetric else blocks.min(-1)
        most = 2 ** (bits - 1) - 1 if symmetric else 2**bits - 1
        scale = (np.abs(blocks).max(-1) if symmetric else blocks.max(-1) - low) / most + more
        return np.rint((blocks - low[..., None]) / scale[..., None]).reshape(x.shape), scale, low

    return version


def _one_step_too_many(x, bits, block_size=None, symmetric=True):
    if symmetric:
        return quantize(x, bits, block_size)
    blocks, _ = _in_rows(x, block_size)
    low, scale = blocks.min(-1), np.ptp(blocks, axis=-1) / 2**bits
    codes = np.rint((blocks - low[..., None]) / np.where(scale == 0, 1, scale)[..., None])
    return np.minimum(codes, 2**bits - 1).reshape(x.shape), scale, low


def _in_rows(x, block_size):
    lead = (1,) * x.ndim if block_size is None else (*x.shape[:-1], x.shape[-1] // block_size)
    return x.reshape(*lead, -1), lead


CHECKS = (
    Checks(quantize, run=_parts, cases=_ROUNDED,
        claims=(
            Claim("no number moves by more than half a step", _half_a_step, **_LAST_BITS),
            Claim("what is on a grid stays there",
                lambda f: distance(dequantize(f(dequantize(f(_wide, 4, 7)), 4, 7)), dequantize(f(_wide, 4, 7))),
                **_LAST_BITS),
            Claim("blocks do not know of each other",
                lambda f: distance(dequantize(f(_wide, 4, 7))[..., :7], dequantize(f(_wide[..., :7], 4, 7)))),
            Claim("torch.fake_quantize_per_tensor_affine", _torchs, 1e-6, "rounding errors of float32", "oracle")),
        mistakes=(
            Mistake("strided blocks", _strided, "A block holds every so many-th number, not neighbours",
                "its numbers are the last axis: (..., number of blocks, block_size)"),
            *(Mistake("a little added to the scale, and kept", _with_more(it),
                "Every step is a little too long; zeros get a scale that is not 0",
                "add nothing to the scale; where it is 0, divide by 1") for it in (1e-12, 1e-8)),
            Mistake("as many steps as points, cut", _one_step_too_many,
                "The steps are too short to reach the largest number", "between 2^b points lie 2^b − 1 steps"),
            *_SHARED,
            Mistake("guard returned", _with_its_guard,
                "Where there is no step (all numbers equal, all zero if symmetric), the scale is 1 and not 0",
                "divide by 1 there, and return the 0"),
            Mistake("zero on the grid", _moved_to_zero, "The grid begins beside the minimum, so that zero lies on it",
                "take the minimum off before rounding: it is stored here, and no zero point"))),
    Checks(dequantize, cases=(
            call(_SCALED[:3]), call(_SCALED[3:]).about("three axes"),
            call((_SCALED[0], _SCALED[1][:, :1], _SCALED[2][:, :1])).about("one block"),
            call((_SCALED[3], _SCALED[4][:1, :1, :1], _SCALED[5][:1, :1, :1])).about("one scale for three axes")),
        claims=(
            Claim("codes 0 and 1 are the minimum, and one step above it",
                lambda f: distance(f((np.array([0, 1]), np.array([0.25]), np.array([-3.0]))), [-3.0, -2.75])),
            oracle("numpy.repeat, then scale · code + minimum", lambda it: np.repeat(it[1], it[0].shape[-1] //
                it[1].shape[-1], -1) * it[0] + np.repeat(it[2], it[0].shape[-1] // it[1].shape[-1], -1),
                call(_SCALED[:3]), call(_SCALED[3:]), **_LAST_BITS)),
        mistakes=(
            Mistake("minimum not added", ("    x += minimum[..., None]\n", ""), "Every block begins at zero",
                "add the minimum of the block"),
            Mistake("minimum scaled", (("x = scale[..., None] * codes", "x = codes + minimum[..., None]"),
                ("x += minimum[..., None]", "x = scale[..., None] * x")), "The minimum is multiplied by the scale",
                "x = scale · code + minimum; only a zero point stands inside of the brackets"))),
    Checks(fake_quantize, run=_forwards_and_back, cases=_ROUNDED[:14],
        claims=(
            Claim("its values are those of quantize and dequantize",
                lambda f: distance(f(_wide, 4, 7), dequantize(quantize(_wide, 4, 7)))),
            Claim("a gradient of 3 comes through as 3", _gradient_is_one),
            Claim("torch.fake_quantize_per_tensor_affine",
                lambda f: _torchs(lambda x, bits: (f(x, bits), np.ones((1,) * x.ndim), np.zeros((1,) * x.ndim))), 1e-6,
                "rounding errors of float32", "oracle")),
        mistakes=_SHARED[1:8]),
    Checks(decode_q4_1, cases=(
        call(_FULL[0]).about("one block: step 0.5, minimum −1"),
        call(_FULL[1]).about("two times three rows of two blocks"), call(_FULL[1][0, 0])),
        claims=(
            oracle("the library gguf", _by_gguf("Q4_1"), call(_FULL[0]), call(_FULL[1][0])),
            oracle("struct, number by number", _by_struct, call(_FULL[1]), tolerance=1e-6, why="float32 sums"),
            Claim("code 0 everywhere is the minimum everywhere",
                lambda f: distance(f(np.array([0, 56, 0, 188] + 16 * [0], np.uint8)), np.full(32, -1.0)))),
        mistakes=(
            Mistake("high half first", ("[pairs & 15, pairs >> 4]", "[pairs >> 4, pairs & 15]"),
                "The two halves of each block are exchanged", "the low four bits come first"),
            Mistake("neighbours", ("np.concatenate([pairs & 15, pairs >> 4], axis=-1)",
                "np.stack([pairs & 15, pairs >> 4], axis=-1).reshape(*pairs.shape[:-1], 32)"),
                "Numbers i and i + 16 stand side by side", "byte i holds the codes of numbers i and i + 16"),
            Mistake("high half not shifted", ("pairs >> 4", "pairs & 240"),
                "The codes of numbers 16 to 31 are 16 times too large", "shift the high half down by four bits"),
            Mistake("centred", ("codes += minimum", "codes -= 8 * _halves(blocks[..., :2])"),
                "Codes are centred at 8, as in the format Q4_0", "Q4_1 stores a minimum: add it"),
            Mistake("high byte first", ('.view("<f2")', '.view(">f2")'), "Scales are absurd",
                "the low byte of a float16 comes first"),
            Mistake("minimum before scale", ("for i in (0, 2)", "for i in (2, 0)"),
                "Scale and minimum are exchanged", "the scale comes first"),
            Mistake("scale and minimum at the end", (("blocks[..., i : i + 2]", "blocks[..., 16 + i : 18 + i]"),
                ("blocks[..., 4:]", "blocks[..., :16]")), "Codes are read as numbers, and numbers as codes",
                "scale and minimum are the first four bytes of a block"))),
    Checks(decode_q8_0, cases=(
            call(_EIGHTH[0]).about("one block: step 0.5, codes from −128"), call(_EIGHTH[1][0, 0]),
            call(_EIGHTH[1]).about("two times three rows of two blocks")),
        claims=(
            oracle("the library gguf", _by_gguf("Q8_0"), call(_EIGHTH[0]), call(_EIGHTH[1][0])),
            Claim("code 0 everywhere is 0 everywhere",
                lambda f: distance(f(np.array([0, 56] + 32 * [0], np.uint8)), np.zeros(32)))),
        mistakes=(
            Mistake("unsigned", (".view(np.int8)", ""), "Negative numbers come back large and positive",
                "read the bytes as signed: view(np.int8)"),
            Mistake("centred", (".view(np.int8).astype(np.float32)", ".astype(np.float32) - 128"),
                "Zero comes back as the most negative number", "codes are signed as they stand: nothing is subtracted"),
            Mistake("scale last", (("blocks[..., 2:]", "blocks[..., :-2]"), ("blocks[..., :2]", "blocks[..., -2:]")),
                "All numbers are absurd", "the scale comes first"))),
    Checks(pack_codes, cases=(
            call(_CODES[0], 2), call(_CODES[0] % 2, 1), call(_CODES[0], 4), call(_CODES[0], 8),
            call(_CODES[1], 4).about("three axes")),
        claims=(
            oracle("numpy.packbits of the codes' bits", _by_bits, call(_CODES[0], 2), call(_CODES[1], 4),
                call(_CODES[0], 8)),
            Claim("unpacked, the codes come back", lambda f: distance(unpack_codes(f(_CODES[1], 4), 4), _CODES[1]))),
        mistakes=(
            Mistake("first code highest", ("<< bits * i for", "<< bits * (8 // bits - 1 - i) for"),
                "The codes of each byte come in the opposite order", "the first code fills the lowest bits"),
            Mistake("shifted by one bit", ("<< bits * i", "<< i"), "Neighbouring codes overlap",
                "code i of a byte begins at bit i · bits"))),
    Checks(unpack_codes, cases=(
            call(np.array([27, 228], np.uint8), 2), call(np.array([27, 228], np.uint8), 1),
            call(np.array([27, 228], np.uint8), 4), call(np.array([27, 228], np.uint8), 8),
            call(_CODES[2], 4).about("three axes")),
        claims=(
            oracle("numpy.unpackbits, read a few at a time", lambda packed, bits: np.unpackbits(packed, axis=-1,
                bitorder="little").reshape(*packed.shape[:-1], -1, bits) @ 2 ** np.arange(bits), call(_CODES[2], 4),
                call(_CODES[2], 2), call(_CODES[2], 1)),
            Claim("packed again, the bytes come back", lambda f: distance(pack_codes(f(_CODES[2], 2), 2), _CODES[2]))),
        mistakes=(
            Mistake("highest bits first", ("packed >> bits * i", "packed >> bits * (8 // bits - 1 - i)"),
                "The codes of each byte come in the opposite order", "the first code lies in the lowest bits"),
            Mistake("higher codes left in", (" & 2**bits - 1", ""), "All but the last code of a byte are too large",
                "mask what lies above: & 2^bits − 1"),
            Mistake("one place after the other", ("axis=-1", "axis=-2"),
                "All first codes come before all second ones", "codes of one byte stand side by side"))),
    Checks(gptq, run=_compensated, cases=(
        call(_w[:2, :3], _x[:, :3], 3), call(_w, _x, 4, block_size=12), call(_w, _x, 3, symmetric=False),
        call(_w, _x, 2, 12, False), call(_w, _x, 4, 4, False, 0.1).about("blocks of 4"),
        call(_w, _x, 3, 4, False).about("weights pushed beyond their grid"), call(_w, _x, 4, damping=1.0),
        call(_w, np.diag(np.arange(1.0, 13)), 4).about("inputs without correlation"),
        call(_w, 0 * _x, 4).about("inputs of zero", edge=True)),
        claims=(
            Claim("outputs come nearer than by rounding alone", _outputs_come_nearer),
            Claim("without correlation it is plain rounding",
                lambda f: distance(dequantize(f(_w, np.eye(12), 4, 12)), fake_quantize(_w, 4, 12))),
            Claim("numpy.linalg.lstsq, column by column", lambda f: max(distance(dequantize(f(_w, _x, bits, size,
                damping=0.0)), _column_by_column(_w, _x, bits, size)) for bits, size in ((4, 12), (3, 4))), 1e-9,
                "the same codes; steps in float64", "oracle")),
        mistakes=(
            Mistake("not made up for", ("left[:, j + 1 :] -= ", "left[:, j + 1 :] -= 0 * "),
                "It is plain rounding", "spread each column's error over the columns after it"),
            Mistake("error added", ("left[:, j + 1 :] -= ", "left[:, j + 1 :] += "),
                "Outputs get worse than by rounding", "subtract error · u[j, j+1:] / u[j, j]"),
            *(Mistake("not divided by the diagonal", it, "Errors are made up for by the wrong amount",
                "divide the error by u[j, j]") for it in (("np.outer(error / u[j, j]", "np.outer(error"),
                (("np.outer(error / u[j, j]", "np.outer(error"), _SIZE_KEPT))),
            Mistake("damping of a fixed size", (("damping * (np.trace(h) / len(h) or 1.0)", "damping"), _SIZE_KEPT),
                "Large inputs are hardly damped, and small ones drowned",
                "multiply the damping by the mean of the diagonal"),
            Mistake("error of the column as it was", ("error = left[:, j]", "error = w[:, j]"),
                "What columns before have passed on to a column is not made up for",
                "take the error of the column as it stands, with what was passed on to it"),
            Mistake("first to last",
                (("cholesky(h[::-1, ::-1])", "cholesky(h)"), ("np.eye(len(l)))[::-1, ::-1]", "np.eye(len(l))).T")),
                "The factor gives H⁻¹ = U Uᵀ in place of Uᵀ U", "factor from the last column to the first"),
            *(Mistake("factor not inverted", ("forward_substitution(l, np.eye(len(l)))[::-1, ::-1]", it),
                "The factor of H is taken for that of its inverse", "invert the triangular factor")
                for it in ("l[::-1, ::-1]", "cholesky(h).T")))),
    Checks(QuantizedCache, run=_life, written=_written_life, refusal=ValueError, cases=(
        call(3, 1, 2, chunks=_TWO[:1]), call(5, 1, 2, chunks=_TWO, key_group=2), call(5, 1, 2, chunks=_TWO, bits=4),
        call(4, 1, 2, chunks=[(np.float32(a), np.float32(b)) for a, b in _TWO], like=np.zeros((), np.float32)),
        call(11, 2, 6, chunks=_chunks(1, 3, 11), d_value=10, bits=4, key_group=4).about("three chunks"),
        call(11, 2, 6, chunks=_chunks(5, 9, 11), d_value=10, bits=4, key_group=3).about("groups across chunks"),
        call(12, 2, 6, chunks=_chunks(11), d_value=10),
        call(5, 1, 2, chunks=[(a[None], b[None]) for a, b in _TWO], leading=(1,)),
        call(11, 2, 6, chunks=[(np.float32(_k[None]), np.float32(_v[None]))], d_value=10, leading=(1,),
            like=np.zeros((), np.float32), bits=4, key_group=5).about("all options")),
        claims=(
            Claim("keys are rounded by channel in whole groups, values token by token", _rounds_as_asked, **_LAST_BITS),
            Claim("chunks make no difference", _chunks_do_not_count),
            Claim("the plain cache, to half a step of 8 bits", _near_the_plain_cache, 0.5 * 6 / 255,
                "the numbers of a group or a token lie less than 6 apart", "oracle")),
        mistakes=(
            Mistake("channels averaged", (
                "keys = quantize(recent[..., :whole, :].mT, self.bits, group, symmetric=False)",
                "keys = quantize(np.repeat(recent[..., :whole, :].mean(-1, keepdims=True), recent.shape[-1], -1).mT, "
                "self.bits, group, symmetric=False)"), "All channels of a key come back alike",
                "keep each channel apart"),
            Mistake("latest keys lost",
                ("self._recent[..., : recent.shape[-2] - whole, :] = recent[..., whole:, :]", "pass"),
                "Keys that wait for their group come back as zeros", "keep what is left over as it is"))),
    Checks(bits_per_number, cases=(
            call(4, 32), call(4, 32, False).about("Q4_1"), call(8, 32), call(3, 16, itemsize=4),
            call(5, 7, False, 3).about("odd sizes"), call(2, 1)),
        claims=(Claim("20 bytes for 32 numbers", lambda f: abs(f(4, 32, False) - 5.0)),
            oracle("bytes of packed codes and of float16 by numpy", lambda bits, size, symmetric: 8 * (np.packbits(
                np.zeros(bits * size, bool)).nbytes + np.zeros(1 if symmetric else 2, np.float16).nbytes) / size,
                call(4, 32, True), call(8, 64, False))),
        mistakes=(Mistake("bytes for bits", ("8 * itemsize", "itemsize"), "The share of the scale is an eighth",
                "a byte has 8 bits"),
            Mistake("minimum not counted", ("(1 if symmetric else 2)", "1"),
                "A block with a minimum takes no more than one without", "count scale and minimum"),
            Mistake("scale for each number", (" / block_size", ""), "The block makes no difference",
                "divide by the numbers that share it"))),
    Checks(quantized_cache_nbytes, cases=(
            call(32, 1, 8, 8), call(64, 3, 16, 4), call(64, 3, 16, 4, n_layers=5), call(64, 3, 16, 8, itemsize=2),
            call(33, 3, 16, 4).about("a group that is not full"), call(50, 2, 8, 4, key_group=7),
            call(50, 2, 8, 2, 3, 2, 7).about("all options"), call(0, 2, 8, 4).about("no tokens")),
        claims=(
            Claim("bytes measured are bytes by formula", lambda f: max(float(abs(f(n, 2, 8, bits, key_group=group) -
                QuantizedCache(n, 2, 8, like=np.zeros(1, np.float32), bits=bits, key_group=group).nbytes))
                for n, bits, group in ((32, 8, 32), (33, 4, 32), (50, 2, 7)))),
            oracle("numpy's count, array by array", lambda n, g, d, bits: g * sum(np.zeros(*it).nbytes for it in (
                ((2, n, d * bits // 8), np.uint8), ((2, d, -(-n // 32)), np.float32), ((2, n), np.float32),
                ((32, d), np.float32))), call(33, 3, 16, 4), call(64, 1, 8, 8))),
        mistakes=(
            Mistake("bits for bytes", ("* bits // 8", "* bits"), "Codes take eight times too much",
                "8 bits are a byte"),
            Mistake("scales not counted",
                (("others = 2 * d_head * -(-n_tokens // key_group) + 2 * n_tokens + ", "others = "),),
                "It falls short by the scales and minima", "count scale and minimum of each grid"),
            Mistake("latest keys not counted", (" + key_group * d_head", ""),
                "It falls short by the keys that wait for their group", "a group of keys is kept as it is"),
            Mistake("only whole groups", ("-(-n_tokens // key_group)", "(n_tokens // key_group)"),
                "A last group that is not full has no room for its grid", "round up: −(−s // r)"))),
    Checks(float_grid, cases=(call(3, 2), call(2, 1), call(4, 3), call(5, 0), call(2, 0)),
        claims=(
            Claim("the smallest normal numbers are eight steps of 2⁻⁹",
                lambda f: distance(np.diff(f(4, 3)).reshape(-1)[8:16], np.full(8, 2.0**-9))),
            Claim("numpy's float16, bit pattern by bit pattern",
                lambda f: distance(f(5, 10), np.arange(0x7C00, dtype=np.uint16).view(np.float16)), kind="oracle")),
        mistakes=(
            Mistake("no denormals", (("(e > 0) + f", "1 + f"), ("np.maximum(e, 1)", "e")),
                "Zero is missing, and all numbers next to it",
                "exponent 0 has no leading one, and means the same power as exponent 1"),
            Mistake("leading one everywhere", ("(e > 0) + f", "1 + f"),
                "Zero is missing, and the smallest normal numbers come twice", "exponent 0 has no leading one"),
            Mistake("denormals one power lower", ("np.maximum(e, 1)", "e"),
                "Numbers below the smallest normal one are half as large, and leave a gap",
                "exponent 0 means the same power as exponent 1"))),
    Checks(stand_ins, ones=False, cases=(
            call(np.array([[1.0, 2.0], [0.0, 1.0], [2.0, 2.0]]), 0), call(_x, 3), call(_x, 0).about("the first column"),
            call(_x, 10).about("the last but one"),
            call(_x[:_x.shape[1]], 3).about("as many rows as columns", tolerance=1e-6)),
        claims=(
            Claim("what is left is orthogonal to the later columns",
                lambda f: distance(_x[:, 5:].T @ (_x[:, 4] - _x[:, 5:] @ f(_x, 4)), np.zeros(7)), 1e-10,
                "sums of 40 products of numbers up to 12"),
            oracle("numpy.linalg.lstsq", lambda x, j: np.linalg.lstsq(x[:, j + 1 :], x[:, j])[0], call(_x, 3),
                tolerance=1e-10, why="a condition number of 5")),
        mistakes=(
            Mistake("all other columns", lambda x, j: np.linalg.lstsq(np.delete(x, j, 1), x[:, j])[0][j:],
                "Columns that are rounded already take part", "only columns after j are free"),
            Mistake("counted from 1", ("x[:, j + 1 :], x[:, j]", "x[:, j:], x[:, j - 1]"),
                "It is the answer for the column before", "columns are counted from 0"),
            Mistake("projected on column j",
                ("lstsq(x[:, j + 1 :], x[:, j])", "x[:, j] @ x[:, j + 1 :] / (x[:, j] @ x[:, j])"),
                "Each later column is fitted with column j", "fit column j with the later columns"),
            Mistake("means subtracted",
                lambda x, j: np.linalg.lstsq(*(it - it.mean(0) for it in (x[:, j + 1 :], x[:, j])))[0],
                "Columns are compared as if a constant were free to be added",
                "take the columns as they are, for what a layer gives has no such constant"),
            Mistake("projections one by one", lambda x, j: x[:, j] @ x[:, j + 1 :] / (x[:, j + 1 :] ** 2).sum(0),
                "Each column stands in as if the others did not", "solve for all columns together"))),
)
