"""Quantization: numbers rounded to a few bits, in blocks that share a scale."""
# ruff: noqa: E741 (the lower triangular factor is called l, as in the formula)

from functools import partial
from typing import NamedTuple

import numpy as np
from array_api_compat import array_namespace, device

from mlnotes.applications.least_squares import cholesky
from mlnotes.arrays import (
    by_power_of_two,
    exact_integers,
    or_one,
    require_floats,
    require_integers,
    require_matrix,
    require_not_negative,
    require_same_library,
    widen_half,
    working_copy,
)
from mlnotes.blocks.lu import forward_substitution
from mlnotes.efficient.kv_cache import KVCache, require_alike, require_room

BLOCK = 32  # numbers in a block of the formats Q4_1 and Q8_0

# Numbers too far apart are looked for in the scale, and refused there.
_ignoring_overflow = np.errstate(over="ignore", invalid="ignore")


class Quantized(NamedTuple):
    """Numbers as they are stored after `quantize`: each is ``scale * code + minimum``, of its block.

    Attributes
    ----------
    codes : int8 or uint8 array (..., n)
        Signed where zero stands in the middle of the grid, unsigned where code 0 is the minimum.
    scale, minimum : array (..., n / block_size)
        Step of each block's grid, and the number of code 0; of shape (1, ..., 1) where all numbers share them.
    """

    codes: object
    scale: object
    minimum: object


@exact_integers
def quantize(x, bits, block_size=None, symmetric=True):
    """Round numbers to the nearest of evenly spaced ones, few enough to be counted by a few bits.

    Parameters
    ----------
    x : array (..., n)
        Finite numbers.
    bits : int
        Bits of a code, from 2 to 8; 1 as well if not symmetric.
    block_size : int, optional
        How many neighbours along the last axis share a scale: n for one per row. All of ``x`` shares one by default.
    symmetric : bool
        Whether the grid has zero in its middle and reaches to the largest absolute value. If not, it reaches from the
        smallest number to the largest.

    Returns
    -------
    Quantized
        Codes from 1 - 2^(bits - 1) to 2^(bits - 1) - 1 in int8, or from 0 to 2^bits - 1 in uint8; scale and minimum of
        each block in the dtype of ``x``, zeros for a minimum if symmetric. A block of equal numbers has the scale 0, if
        not symmetric or all are zero, and comes back as it was.

    Raises
    ------
    ValueError
        If ``x`` holds no floats, is empty while all of it shares a scale, or holds infinity or nan, ``bits`` is out of
        its range, ``block_size`` does not divide n, or the numbers of a block lie further apart than the largest float.

    Notes
    -----
    .. math:: \\Delta = \\frac{\\max_i|x_i|}{2^{b-1}-1},\\quad m = 0 \\qquad\\text{or}\\qquad
              \\Delta = \\frac{\\max_i x_i - \\min_i x_i}{2^b-1},\\quad m = \\min_i x_i;

              c_i = \\mathrm{round}\\!\\left(\\frac{x_i - m}{\\Delta}\\right)

    No number moves by more than half a step, Δ/2, and rounding errors of Δ and of the result.
    Where two points of the grid are equally near, the even code is taken.
    Half precision is computed in float32 with scale and minimum rounded before. In float16 a step below 3e-8 becomes 0,
    and all numbers of its block become the same.

    References
    ----------
    Jacob et al., *Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only Inference*, 2018.
    """
    _require_quantizable(x, bits, block_size, symmetric)
    if block_size is None:
        blocks = x.reshape((1,) * x.ndim + (-1,))
    else:
        blocks = x.reshape(*x.shape[:-1], x.shape[-1] // block_size, block_size)
    scale, minimum = _grid(blocks, bits, symmetric)
    _require_finite_grid(scale)
    codes = _nearest_codes(blocks, scale, minimum, bits, symmetric)
    return Quantized(codes.reshape(x.shape), scale, minimum)


@widen_half
@_ignoring_overflow
def _grid(blocks, bits, symmetric):
    """Choose the step of each block (..., size), and where its grid begins."""
    xp = array_namespace(blocks)
    low, top = xp.min(blocks, axis=-1), xp.max(blocks, axis=-1)
    if symmetric:
        return xp.maximum(top, -low) / _most(bits, symmetric), xp.zeros_like(low)
    return (top - low) / _most(bits, symmetric), low


@widen_half
def _nearest_codes(blocks, scale, minimum, bits, symmetric):
    """Number the points of the grid that are nearest to the numbers of each block."""
    xp = array_namespace(blocks)
    above = blocks if symmetric else blocks - minimum[..., None]
    steps = above / or_one(scale)[..., None]
    most = _most(bits, symmetric)
    codes = xp.clip(xp.round(steps), -most if symmetric else 0, most)
    return xp.astype(codes, xp.int8 if symmetric else xp.uint8)


def _most(bits, symmetric):
    return 2 ** (bits - 1) - 1 if symmetric else 2**bits - 1


def dequantize(quantized):
    """Turn codes back into the numbers that they stand for.

    Parameters
    ----------
    quantized : Quantized or tuple of array
        Codes (..., n), and scale and minimum of each block.

    Returns
    -------
    array (..., n)
        Code times scale, plus minimum, in the dtype of the scale.

    Raises
    ------
    ValueError
        If the blocks do not divide n, or scale and minimum differ in shape.

    Notes
    -----
    .. math:: \\hat x_i = \\Delta\\,c_i + m
    """
    codes, scale, minimum = quantized
    _require_blocks_of(codes, scale, minimum)
    blocks = codes.reshape(*codes.shape[:-1], scale.shape[-1], codes.shape[-1] // max(scale.shape[-1], 1))
    return _points(scale, minimum, array_namespace(scale).astype(blocks, scale.dtype)).reshape(codes.shape)


@widen_half
def _points(scale, minimum, codes):
    x = scale[..., None] * codes
    x += minimum[..., None]
    return x


def fake_quantize(x, bits, block_size=None, symmetric=True):
    """Round as `quantize` does, for training: forwards the grid counts, backwards the rounding is looked through.

    Parameters
    ----------
    x, bits, block_size, symmetric
        As in `quantize`.

    Returns
    -------
    array (..., n)
        What `dequantize` gives. Its gradient is handed on to ``x`` as if nothing had been rounded.

    Raises
    ------
    ValueError
        For what `quantize` refuses.

    Notes
    -----
    Rounding is constant between two steps, so that its own derivative is 0 wherever there is one, and nothing would be
    learned. The straight-through estimator puts 1 in its place.

    References
    ----------
    Bengio, Léonard and Courville, *Estimating or Propagating Gradients Through Stochastic Neurons for Conditional
    Computation*, 2013.
    """
    fixed = x.detach() if hasattr(x, "detach") else x
    return dequantize(quantize(fixed, bits, block_size, symmetric)) + (x - fixed)


def pack_codes(codes, bits):
    """Put neighbouring codes into one byte: two of 4 bits, four of 2, eight of 1.

    Parameters
    ----------
    codes : uint8 array (..., n)
        From 0 to 2^bits - 1.
    bits : int
        1, 2, 4 or 8.

    Returns
    -------
    uint8 array (..., n * bits / 8)
        The first code of each byte in its lowest bits.

    Raises
    ------
    ValueError
        If codes are no bytes or too large, ``bits`` does not divide 8, or the codes do not fill whole bytes.
    """
    _require_packable(codes, bits, 8 // bits if bits in (1, 2, 4, 8) else 1)
    _require_small(codes, bits)
    parts = codes.reshape(*codes.shape[:-1], codes.shape[-1] * bits // 8, 8 // bits)
    return sum(parts[..., i] << bits * i for i in range(8 // bits))


def unpack_codes(packed, bits):
    """Take bytes apart into the codes that `pack_codes` put into them.

    Parameters
    ----------
    packed : uint8 array (..., n)
        The bytes.
    bits : int
        1, 2, 4 or 8.

    Returns
    -------
    uint8 array (..., n * 8 / bits)
        The codes.

    Raises
    ------
    ValueError
        If ``packed`` holds no bytes, or ``bits`` does not divide 8.
    """
    _require_packable(packed, bits, 1)
    parts = [packed >> bits * i & 2**bits - 1 for i in range(8 // bits)]
    codes = array_namespace(packed).stack(parts, axis=-1)
    return codes.reshape(*packed.shape[:-1], packed.shape[-1] * 8 // bits)


@exact_integers
def bits_per_number(bits, block_size, symmetric=True, itemsize=2):
    """Count what a number takes, with its share of what its block stores besides.

    Parameters
    ----------
    bits : int
        Bits of a code.
    block_size : int
        Numbers in a block.
    symmetric : bool
        Whether a block has a scale only, or a scale and a minimum.
    itemsize : int
        Bytes of each of these: 2 in half precision.

    Returns
    -------
    float
        Bits: 5 for Q4_1, 8.5 for Q8_0.

    Raises
    ------
    ValueError
        If a number is no positive integer.

    Notes
    -----
    With k numbers beside the codes of a block, 1 or 2:

    .. math:: b + \\frac{8k\\cdot\\text{bytes}}{\\text{block}}
    """
    require_integers(1, bits=bits, block_size=block_size, itemsize=itemsize)
    return bits + 8 * itemsize * (1 if symmetric else 2) / block_size


def float_grid(exponent_bits, mantissa_bits):
    """List the numbers that a floating-point format of so many bits can hold, from zero up.

    Parameters
    ----------
    exponent_bits : int
        Bits of the exponent, at least 2 and at most 8; its largest value is kept for infinity and nan.
    mantissa_bits : int
        Bits of the mantissa behind the leading one, at most 15.

    Returns
    -------
    float64 array (2^mantissa_bits * (2^exponent_bits - 1),)
        The finite ones that are not negative, ascending.

    Raises
    ------
    ValueError
        If a number of bits is out of its range.

    Notes
    -----
    With e and f the numbers in the bits of exponent and mantissa, of which there are E and M, and the bias
    :math:`B = 2^{E-1} - 1`:

    .. math:: x = 2^{e-B}\\,(1 + f/2^M) \\quad (e > 0), \\qquad x = 2^{1-B}\\,f/2^M \\quad (e = 0)

    float16 has 5 and 10, bfloat16 8 and 7.

    References
    ----------
    IEEE 754-2019, section 3.4.
    """
    _require_bits(exponent_bits=(exponent_bits, 2, 8), mantissa_bits=(mantissa_bits, 0, 15))
    e, f = np.divmod(np.arange(2**mantissa_bits * (2**exponent_bits - 1)), 2**mantissa_bits)
    bias = 2 ** (exponent_bits - 1) - 1
    return np.ldexp((e > 0) + f / 2**mantissa_bits, np.maximum(e, 1) - bias)


@exact_integers
def gptq(w, x, bits, block_size=None, symmetric=True, damping=0.01):
    """Choose codes so that the outputs of a layer change little, where `quantize` looks at its weights alone.

    Column by column, what rounding does to the outputs is made up for, as well as the inputs allow, by the columns that
    are not rounded yet.

    Parameters
    ----------
    w : NumPy array (m, n)
        Weights, one output in each row: y = x Wᵀ.
    x : NumPy array (k, n)
        Inputs that the layer sees.
    bits, block_size, symmetric
        As in `quantize`, which gives the grids.
    damping : float
        What is added to the diagonal of XᵀX, in units of its mean; 0.01 is the authors' choice. Positive where inputs
        depend on each other.

    Returns
    -------
    Quantized
        Codes (m, n) on the grids that `quantize` chooses for ``w``.

    Raises
    ------
    ValueError
        If ``w`` and ``x`` are no NumPy matrices of finite floats with n columns, ``damping`` is no number or negative,
        XᵀX is not positive definite in spite of it, or for what `quantize` refuses.

    Notes
    -----
    With the upper triangular U of :math:`\\mathbf H^{-1} = \\mathbf U^{\\mathsf T}\\mathbf U`, where
    :math:`\\mathbf H = \\mathbf X^{\\mathsf T}\\mathbf X + \\delta\\bar h\\,\\mathbf I` with ``damping`` for δ and the
    mean of the diagonal of XᵀX for :math:`\\bar h`:

    .. math:: \\mathbf w_{>j} \\leftarrow \\mathbf w_{>j} - \\frac{w_j - \\hat w_j}{u_{jj}}\\,\\mathbf u_{j,>j}

    Row j of U behind the diagonal, divided by :math:`-u_{jj}`, says how columns after j can stand in for column j: it
    is the least-squares solution, damped like H, for all j at once.
    Columns that a grid's end cuts off are not made up for any better.

    References
    ----------
    Frantar et al., *OPTQ: Accurate Quantization for Generative Pre-trained Transformers* (GPTQ), 2023.
    """
    _require_layer(w, x, damping)
    grid = quantize(w, bits, block_size, symmetric)
    scale, minimum = (_for_each_column(it, w.shape) for it in grid[1:])
    u = _compensation(by_power_of_two(working_copy(x))[0], damping)  # the size of x does not matter
    left, codes = working_copy(w).astype(u.dtype), np.empty_like(grid.codes)
    for j in range(w.shape[1]):
        s, m = scale[:, j], minimum[:, j]
        codes[:, j] = _nearest_codes(left[:, j, None], s, m, bits, symmetric)[:, 0]
        error = left[:, j] - (s * codes[:, j] + m)
        left[:, j + 1 :] -= np.outer(error / u[j, j], u[j, j + 1 :])
    return Quantized(codes, *grid[1:])


def _compensation(x, damping):
    """Factor the inverse of XᵀX as UᵀU, without forming it: factor XᵀX from the last column to the first."""
    h = working_copy(x).astype(float).T @ x
    h += damping * (np.trace(h) / len(h) or 1.0) * np.eye(len(h))
    l = cholesky(h[::-1, ::-1])
    return forward_substitution(l, np.eye(len(l)))[::-1, ::-1]


def _for_each_column(of_blocks, shape):
    m, n = shape
    return np.broadcast_to(np.repeat(of_blocks, n // of_blocks.shape[-1], axis=-1), (m, n)).astype(float)


def decode_q4_1(blocks):
    """Turn blocks of 4-bit codes into the numbers that they stand for.

    Parameters
    ----------
    blocks : uint8 NumPy array (..., 20 n)
        n blocks of 32 numbers: scale and minimum in float16, then 16 bytes, whose low halves are the codes of numbers 0
        to 15 and whose high halves those of numbers 16 to 31. Low bytes first.

    Returns
    -------
    float32 NumPy array (..., 32 n)
        Code times scale, plus minimum.

    Raises
    ------
    ValueError
        If ``blocks`` holds no bytes, or no whole number of blocks.

    Notes
    -----
    .. math:: x_i = \\Delta\\,c_i + m, \\qquad 0 \\le c_i \\le 15

    20 bytes for 32 numbers are 5 bits a number.

    References
    ----------
    The format Q4_1 of the library ggml.
    """
    blocks = _whole_blocks(blocks, 20)
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
    blocks : uint8 NumPy array (..., 34 n)
        n blocks of 32 numbers: a scale in float16, low byte first, then one signed byte for each number.

    Returns
    -------
    float32 NumPy array (..., 32 n)
        Code times scale.

    Raises
    ------
    ValueError
        If ``blocks`` holds no bytes, or no whole number of blocks.

    Notes
    -----
    .. math:: x_i = \\Delta\\,c_i, \\qquad -127 \\le c_i \\le 127

    34 bytes for 32 numbers are 8.5 bits a number.

    References
    ----------
    The format Q8_0 of the library ggml.
    """
    blocks = _whole_blocks(blocks, 34)
    codes = blocks[..., 2:].view(np.int8).astype(np.float32)
    codes *= _halves(blocks[..., :2])
    return codes.reshape(*codes.shape[:-2], codes.shape[-2] * BLOCK)


class QuantizedCache(KVCache):
    """Keep the keys and values of all tokens so far as codes of a few bits.

    Each value has a grid of its own, from its smallest number to its largest. In each channel, the keys of
    ``key_group`` tokens in a row share one; the latest ones are kept as they are until there are enough of them.

    Parameters
    ----------
    capacity, n_heads, d_head, d_value, leading, like
        As in `mlnotes.efficient.kv_cache.KVCache`.
    bits : int
        Of a code: 8, 4, 2 or 1.
    key_group : int
        How many tokens share the grids of their keys.

    Attributes
    ----------
    capacity : int
        How many tokens fit.
    bits, key_group : int
        As given.

    Raises
    ------
    ValueError
        For what `mlnotes.efficient.kv_cache.KVCache` refuses, if ``bits`` does not divide 8, if a key or a value does
        not fill whole bytes, or if ``key_group`` is not positive.

    Notes
    -----
    What is appended in one chunk or in several gives the same codes. Each reading decodes everything into a new array:
    this saves memory, and time only for a kernel that decodes on its way.

    References
    ----------
    Liu et al., *KIVI: A Tuning-Free Asymmetric 2bit Quantization for KV Cache*, 2024.
    """

    @exact_integers
    def __init__(self, capacity, n_heads, d_head, d_value=None, leading=(), like=None, bits=8, key_group=32):
        super().__init__(1, n_heads, d_head, d_value, leading, like)  # refuses what is no cache
        _require_codes(capacity, bits, key_group, self._keys, self._values)
        self.capacity, self.bits, self.key_group = capacity, bits, key_group
        xp, self._nothing = array_namespace(self._keys), (self._keys[..., :0, :], self._values[..., :0, :])
        zeros = partial(xp.zeros, device=device(self._keys))
        heads, dtype, d = self._keys.shape[:-2], self._keys.dtype, self._keys.shape[-1]
        self._keys, self._values = (
            zeros((*heads, capacity, it.shape[-1] * bits // 8), dtype=xp.uint8) for it in self._nothing
        )
        self._recent = zeros((*heads, key_group, d), dtype=dtype)
        self._key_grid = [zeros((*heads, d, -(-capacity // key_group)), dtype=dtype) for _ in ("scale", "minimum")]
        self._value_grid = [zeros((*heads, capacity, 1), dtype=dtype) for _ in ("scale", "minimum")]

    def append(self, k, v):
        """Encode the keys and values of the next tokens.

        Parameters
        ----------
        k : array (..., g, l, d)
            Keys of l tokens, of the cache's library and precision.
        v : array (..., g, l, e)
            Their values.

        Raises
        ------
        ValueError
            For what `mlnotes.efficient.kv_cache.KVCache.append` refuses, and for infinity and nan.
        """
        _require_room(self, k, v)
        xp, group, end = array_namespace(k), self.key_group, self._length + k.shape[-2]
        coded = self._length // group * group  # keys before this one are codes
        recent = xp.concat([self._recent[..., : self._length - coded, :], k], axis=-2)
        whole = recent.shape[-2] // group * group
        keys = quantize(recent[..., :whole, :].mT, self.bits, group, symmetric=False)
        values = quantize(v, self.bits, v.shape[-1], symmetric=False)
        self._keys[..., coded : coded + whole, :] = pack_codes(keys.codes.mT, self.bits)
        self._values[..., self._length : end, :] = pack_codes(values.codes, self.bits)
        for memory, grid in zip(self._key_grid, keys[1:], strict=True):
            memory[..., coded // group : (coded + whole) // group] = grid
        for memory, grid in zip(self._value_grid, values[1:], strict=True):
            memory[..., self._length : end, :] = grid
        self._recent[..., : recent.shape[-2] - whole, :] = recent[..., whole:, :]
        self._length = end

    @property
    def keys(self):
        """The keys of all tokens so far, (..., g, s, d), decoded but for the latest: a new array."""
        n_groups, latest = divmod(self._length, self.key_group)
        codes = unpack_codes(self._keys[..., : self._length - latest, :], self.bits)
        decoded = dequantize((codes.mT, *(grid[..., :n_groups] for grid in self._key_grid))).mT
        return array_namespace(decoded).concat([decoded, self._recent[..., :latest, :]], axis=-2)

    @property
    def values(self):
        """The values of all tokens so far, (..., g, s, e), decoded: a new array."""
        codes = unpack_codes(self._values[..., : self._length, :], self.bits)
        return dequantize((codes, *(grid[..., : self._length, :] for grid in self._value_grid)))

    @property
    def nbytes(self):
        """The bytes set aside, whether or not they are in use yet."""
        return sum(it.nbytes for it in (self._keys, self._values, self._recent, *self._key_grid, *self._value_grid))

    def __repr__(self):
        return f"<QuantizedCache with {self._length} of {self.capacity} tokens in {self.bits} bits>"


@exact_integers
def quantized_cache_nbytes(n_tokens, n_heads, d_head, bits, n_layers=1, itemsize=4, key_group=32):
    """Say how many bytes a `QuantizedCache` takes in each layer of a model, together.

    Parameters
    ----------
    n_tokens : int
        How many tokens there is room for, s.
    n_heads : int
        Key/value heads in each layer, g.
    d_head : int
        Width of a key, and of a value, d.
    bits : int
        Of a code: 8, 4, 2 or 1.
    n_layers : int
        Layers, each with a cache of its own.
    itemsize : int
        Bytes of a number that is not coded: 4 in float32, 2 in half precision.
    key_group : int
        How many tokens share the grids of their keys.

    Returns
    -------
    int
        Bytes.

    Raises
    ------
    ValueError
        If a number is no integer, or negative, or ``bits`` or ``key_group`` is 0.

    Notes
    -----
    Codes, then scales and minima of keys and of values, then the latest keys, which are not coded; r tokens in a group:

    .. math:: \\text{layers}\\cdot g\\,\\bigl(2sd\\,\\tfrac{\\text{bits}}{8} + \\text{bytes}\\cdot
              (2d\\lceil s/r\\rceil + 2s + rd)\\bigr)
    """
    require_integers(0, n_tokens=n_tokens, n_heads=n_heads, d_head=d_head, n_layers=n_layers, itemsize=itemsize)
    require_integers(1, bits=bits, key_group=key_group)
    codes = 2 * n_tokens * d_head * bits // 8
    others = 2 * d_head * -(-n_tokens // key_group) + 2 * n_tokens + key_group * d_head
    return n_layers * n_heads * (codes + itemsize * others)


def _whole_blocks(blocks, nbytes):
    blocks = np.asarray(blocks)
    if blocks.dtype != np.uint8:
        raise ValueError(f"blocks must hold bytes, of dtype uint8, got dtype {blocks.dtype}")
    if blocks.ndim < 1 or blocks.shape[-1] % nbytes:
        raise ValueError(f"blocks must be whole, with {nbytes} bytes each along the last axis, got {blocks.shape}")
    return np.ascontiguousarray(blocks).reshape(*blocks.shape[:-1], blocks.shape[-1] // nbytes, nbytes)


def _halves(pairs):
    """Read pairs of bytes (..., 2) as float16, low byte first, (..., 1) in float32."""
    return np.ascontiguousarray(pairs).view("<f2").astype(np.float32)


def _require_quantizable(x, bits, block_size, symmetric):
    require_floats(x=x)
    if x.ndim == 0:
        raise ValueError("x must have at least one axis, got a number")
    least = 2 if symmetric else 1
    require_integers(least, bits=bits)
    if bits > 8:
        raise ValueError(f"bits must be at most 8, got {bits}")
    if block_size is None:
        if 0 in x.shape:
            raise ValueError(f"x must not be empty where all of it shares a scale, got shape {tuple(x.shape)}")
        return
    require_integers(1, block_size=block_size)
    if x.shape[-1] % block_size:
        raise ValueError(f"block_size must divide the last axis, got {block_size} for {x.shape[-1]} numbers")


def _require_finite_grid(scale):
    xp = array_namespace(scale)
    if not xp.all(xp.isfinite(scale)):
        apart = "x must hold finite numbers, in a block no further apart than the largest float"
        raise ValueError(f"{apart}, got a scale of {scale[~xp.isfinite(scale)][0]}")


def _require_blocks_of(codes, scale, minimum):
    if tuple(scale.shape) != tuple(minimum.shape):
        shapes = f"{tuple(scale.shape)} and {tuple(minimum.shape)}"
        raise ValueError(f"scale and minimum must have the same shape, got {shapes}")
    n, n_blocks = (tuple(it.shape)[-1:] for it in (codes, scale))
    if not n or not n_blocks or n[0] % max(*n_blocks, 1):
        raise ValueError(f"blocks must divide the last axis of the codes, got shapes {n_blocks} and {n}")


def _require_packable(codes, bits, together):
    if bits not in (1, 2, 4, 8):
        raise ValueError(f"bits must be 1, 2, 4 or 8, got {bits}")
    require_same_library(codes=codes)
    if str(codes.dtype).removeprefix("torch.") != "uint8":
        raise ValueError(f"codes must hold bytes, of dtype uint8, got dtype {codes.dtype}")
    if codes.ndim == 0 or codes.shape[-1] % together:
        raise ValueError(f"codes of {bits} bits must fill whole bytes along the last axis, got {tuple(codes.shape)}")


def _require_small(codes, bits):
    if bits < 8 and (codes >> bits).any():
        raise ValueError(f"codes of {bits} bits must be at most {2**bits - 1}, got {int(codes.max())}")


def _require_bits(**numbers):
    for name, (number, least, most) in numbers.items():
        require_integers(least, **{name: number})
        if number > most:
            raise ValueError(f"{name} must be at most {most}, got {number}")


def _require_layer(w, x, damping):
    for name, it in {"w": w, "x": x}.items():
        if not isinstance(it, np.ndarray):
            raise ValueError(f"{name} must be an array of NumPy, got {type(it).__name__}")
    require_matrix(w=w, x=x)
    require_floats(w=w, x=x)
    if w.shape[1] != x.shape[1]:
        raise ValueError(f"w and x must have as many columns, got shapes {w.shape} and {x.shape}")
    require_not_negative(damping=damping)


def _require_codes(capacity, bits, key_group, keys, values):
    require_integers(1, capacity=capacity, bits=bits, key_group=key_group)
    for name, it in {"d_head": keys, "d_value": values}.items():
        width = it.shape[-1]
        if 8 % bits or width * bits % 8:
            raise ValueError(f"{name} codes of 1, 2, 4 or 8 bits must fill whole bytes, got {width} of {bits} bits")


def _require_room(cache, k, v):
    require_alike(k, v, *cache._nothing)
    finite = array_namespace(k).isfinite(k)  # also keys that wait for their group, which no grid refuses yet
    if not finite.all():
        raise ValueError(f"k must hold finite numbers, got {float(k[~finite][0])}")
    require_room(cache, k.shape[-2])
