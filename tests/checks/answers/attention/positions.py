"""Encodings of position, as readers write them."""

import math

import numpy as np
import torch

from mlnotes.attention.positions import alibi_bias, alibi_slopes, frequencies, halves_order, rotary, shift_matrix


def right_sinusoidal_positions__chapter(n, d):
    angles = np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d)
    table = np.zeros((n, d))
    table[:, 0::2], table[:, 1::2] = np.sin(angles), np.cos(angles)
    return table


def right_sinusoidal_positions__loop(n, d):
    table = np.zeros((n, d))
    for i in range(n):
        for r in range(d // 2):
            angle = i / 10000 ** (2 * r / d)
            table[i, 2 * r], table[i, 2 * r + 1] = math.sin(angle), math.cos(angle)
    return table


def right_sinusoidal_positions__exponential(n, d):
    omega = np.exp(-math.log(10000) * np.arange(0, d, 2) / d)
    return np.stack([np.sin(np.outer(np.arange(n), omega)), np.cos(np.outer(np.arange(n), omega))], 2).reshape(n, d)


def right_sinusoidal_positions__shifted_sine(n, d):
    column = np.arange(d)
    angles = np.arange(n)[:, None] / 10000 ** ((column - column % 2) / d)
    return np.sin(angles + np.pi / 2 * (column % 2))


def right_sinusoidal_positions__torch(n, d):
    position = torch.arange(n, dtype=torch.float64)[:, None]
    omega = torch.exp(torch.arange(0, d, 2, dtype=torch.float64) * (-math.log(10000.0) / d))
    table = torch.zeros(n, d, dtype=torch.float64)
    table[:, 0::2], table[:, 1::2] = torch.sin(position * omega), torch.cos(position * omega)
    return table.numpy()


def right_sinusoidal_positions__complex(n, d):
    z = np.exp(1j * np.outer(np.arange(n), 10000.0 ** (-2 * np.arange(d // 2) / d)))
    return np.stack([z.imag, z.real], axis=-1).reshape(n, d)


def right_sinusoidal_positions__shifts(n, d):
    step = shift_matrix(1, d)
    row = np.tile([0.0, 1.0], d // 2)
    rows = []
    for _ in range(n):
        rows.append(row)
        row = row @ step
    return np.array(rows).reshape(n, d)


def right_sinusoidal_positions__where(n, d):
    i, c = np.mgrid[:n, :d]
    angle = i / np.power(10000, (c - c % 2) / d)
    return np.where(c % 2 == 0, np.sin(angle), np.cos(angle))


def wrong_sinusoidal_positions__base_thousand(n, d):
    """look at the numbers that stand there"""
    angles = np.arange(n)[:, None] / 1000 ** (np.arange(0, d, 2) / d)
    table = np.zeros((n, d))
    table[:, 0::2], table[:, 1::2] = np.sin(angles), np.cos(angles)
    return table


def wrong_sinusoidal_positions__no_exponent_sharing(n, d):
    """Waves slow down half as fast as they should"""
    angles = np.arange(n)[:, None] / 10000 ** (np.arange(d // 2) / d)
    table = np.zeros((n, d))
    table[:, 0::2], table[:, 1::2] = np.sin(angles), np.cos(angles)
    return table


def wrong_sinusoidal_positions__sines_only(n, d):
    """Line 5"""
    angles = np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d)
    table = np.zeros((n, d))
    table[:, 0::2], table[:, 1::2] = np.sin(angles), np.sin(angles)
    return table


def wrong_sinusoidal_positions__columns_as_rows(n, d):
    """The result is transposed"""
    angles = np.arange(n) / 10000 ** (np.arange(0, d, 2) / d)[:, None]
    table = np.zeros((d, n))
    table[0::2], table[1::2] = np.sin(angles), np.cos(angles)
    return table


def wrong_sinusoidal_positions__pairs_by_repeat(n, d):
    """Line 4"""
    angles = np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d)
    return np.repeat(np.sin(angles), 2, axis=1) + np.tile(np.cos(angles), 2)


def wrong_sinusoidal_positions__integer_division(n, d):
    """Line 3"""
    angles = np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) // d)
    table = np.zeros((n, d))
    table[:, 0::2], table[:, 1::2] = np.sin(angles), np.cos(angles)
    return table


def wrong_sinusoidal_positions__minus(n, d):
    """Line 3"""
    angles = -np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d)
    table = np.zeros((n, d))
    table[:, 0::2], table[:, 1::2] = np.sin(angles), np.cos(angles)
    return table


def wrong_sinusoidal_positions__one_position_less(n, d):
    """Line 4"""
    table = np.zeros((n, d))
    for i in range(n - 1):
        for r in range(d // 2):
            angle = i / 10000 ** (2 * r / d)
            table[i, 2 * r], table[i, 2 * r + 1] = math.sin(angle), math.cos(angle)
    return table


def wrong_sinusoidal_positions__times(n, d):
    """Waves speed up from pair to pair"""
    angles = np.arange(n)[:, None] * 10000 ** (np.arange(0, d, 2) / d)
    table = np.zeros((n, d))
    table[:, 0::2], table[:, 1::2] = np.sin(angles), np.cos(angles)
    return table


def wrong_sinusoidal_positions__degrees(n, d):
    """Line 3"""
    angles = np.degrees(np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d))
    table = np.zeros((n, d))
    table[:, 0::2], table[:, 1::2] = np.sin(angles), np.cos(angles)
    return table


def wrong_sinusoidal_positions__modulo(n, d):
    """Sine and cosine of a pair drift apart"""
    table = np.zeros((n, d))
    for i in range(n):
        for c in range(d):
            angle = i / 10000 ** (c / d)
            table[i, c] = math.sin(angle) if c % 2 == 0 else math.cos(angle)
    return table


def wrong_sinusoidal_positions__float32(n, d):
    """It computes in float32"""
    omega = (10000.0 ** (-np.arange(0, d, 2) / d)).astype(np.float32)
    angles = np.arange(n, dtype=np.float32)[:, None] * omega
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n, d)


def wrong_sinusoidal_positions__slow_first(n, d):
    """Line 3"""
    angles = np.arange(n)[:, None] * frequencies(d)[::-1]
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n, d)


def right_rotary__chapter(x, positions, base=10000.0):
    d = x.shape[-1]
    angles = np.asarray(positions)[..., None] * base ** (-np.arange(0, d, 2) / d)
    turned = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * angles)
    return np.stack([turned.real, turned.imag], axis=-1).reshape(x.shape)


def right_rotary__written_by_pairs(x, positions, base=10000.0):
    angles = positions[..., None] * frequencies(x.shape[-1], base)
    out = np.empty_like(x)
    out[..., 0::2] = x[..., 0::2] * np.cos(angles) - x[..., 1::2] * np.sin(angles)
    out[..., 1::2] = x[..., 0::2] * np.sin(angles) + x[..., 1::2] * np.cos(angles)
    return out


def right_rotary__matrices(x, positions, base=10000.0):
    angles = positions[..., None] / base ** (np.arange(0, x.shape[-1], 2) / x.shape[-1])
    turn = np.array([[np.cos(angles), -np.sin(angles)], [np.sin(angles), np.cos(angles)]])
    pairs = x.reshape(*x.shape[:-1], -1, 2)
    return np.einsum("ab...,...b->...a", turn, pairs).reshape(x.shape)


def right_rotary__turned_by_a_quarter(x, positions, base=10000.0):
    angles = np.repeat(positions[..., None] * frequencies(x.shape[-1], base), 2, axis=-1)
    quarter = np.stack([-x[..., 1::2], x[..., 0::2]], axis=-1).reshape(x.shape)
    return x * np.cos(angles) + quarter * np.sin(angles)


def right_rotary__polar(x, positions, base=10000.0):
    a, b = x[..., ::2], x[..., 1::2]
    r, phi = np.hypot(a, b), np.arctan2(b, a)
    phi = phi + np.asarray(positions)[..., None] * base ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])
    return np.stack([r * np.cos(phi), r * np.sin(phi)], -1).reshape(x.shape)


def right_rotary__view_as_complex(x, positions, base=10000.0):
    z = torch.view_as_complex(torch.tensor(x).unflatten(-1, (-1, 2)).contiguous())
    w = base ** (-torch.arange(0, x.shape[-1], 2, dtype=torch.float64) / x.shape[-1])
    angles = torch.as_tensor(np.asarray(positions, float))[..., None] * w
    return torch.view_as_real(z * torch.polar(torch.ones_like(angles), angles)).flatten(-2).numpy()


def wrong_rotary__overwritten(x, positions, base=10000.0):
    """made of the turned first"""
    angles = positions[..., None] * frequencies(x.shape[-1], base)
    out = x.copy()
    out[..., 0::2] = out[..., 0::2] * np.cos(angles) - out[..., 1::2] * np.sin(angles)
    out[..., 1::2] = out[..., 0::2] * np.sin(angles) + out[..., 1::2] * np.cos(angles)
    return out


def wrong_rotary__base_ignored(x, positions, base=10000.0):
    """`base` makes no difference"""
    d = x.shape[-1]
    angles = np.asarray(positions)[..., None] * 10000.0 ** (-np.arange(0, d, 2) / d)
    turned = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * angles)
    return np.stack([turned.real, turned.imag], axis=-1).reshape(x.shape)


def wrong_rotary__not_interleaved(x, positions, base=10000.0):
    """All first coordinates stand before all second ones"""
    d = x.shape[-1]
    angles = np.asarray(positions)[..., None] * base ** (-np.arange(0, d, 2) / d)
    turned = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * angles)
    return np.concatenate([turned.real, turned.imag], axis=-1)


def wrong_rotary__tiled_angles(x, positions, base=10000.0):
    """The two of a pair are turned by different angles"""
    angles = np.tile(positions[..., None] * frequencies(x.shape[-1], base), 2)
    quarter = np.stack([-x[..., 1::2], x[..., 0::2]], axis=-1).reshape(x.shape)
    return x * np.cos(angles) + quarter * np.sin(angles)


def wrong_rotary__cosine_for_both(x, positions, base=10000.0):
    """The second of each pair is replaced by the first at position 0"""
    angles = positions[..., None] * frequencies(x.shape[-1], base)
    out = np.empty_like(x)
    out[..., 0::2] = x[..., 0::2] * np.cos(angles) - x[..., 1::2] * np.sin(angles)
    out[..., 1::2] = x[..., 0::2] * np.cos(angles) + x[..., 1::2] * np.sin(angles)
    return out


def wrong_rotary__conjugate(x, positions, base=10000.0):
    """as if the second of each pair had come with the other sign"""
    d = x.shape[-1]
    angles = np.asarray(positions)[..., None] * base ** (-np.arange(0, d, 2) / d)
    turned = (x[..., 0::2] - 1j * x[..., 1::2]) * np.exp(1j * angles)
    return np.stack([turned.real, turned.imag], axis=-1).reshape(x.shape)


def wrong_rotary__imaginary_first(x, positions, base=10000.0):
    """The two of each pair are exchanged, also at position 0"""
    d = x.shape[-1]
    angles = np.asarray(positions)[..., None] * base ** (-np.arange(0, d, 2) / d)
    turned = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * angles)
    return np.stack([turned.imag, turned.real], axis=-1).reshape(x.shape)


def wrong_rotary__one_frequency(x, positions, base=10000.0):
    angles = np.asarray(positions)[..., None] / base
    turned = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * angles)
    return np.stack([turned.real, turned.imag], axis=-1).reshape(x.shape)


def wrong_rotary__no_imaginary_unit(x, positions, base=10000.0):
    d = x.shape[-1]
    angles = np.asarray(positions)[..., None] * base ** (-np.arange(0, d, 2) / d)
    turned = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(angles)
    return np.stack([turned.real, turned.imag], axis=-1).reshape(x.shape)


def wrong_rotary__positions_across(x, positions, base=10000.0):
    """is where it fails"""
    d = x.shape[-1]
    angles = np.asarray(positions) * base ** (-np.arange(0, d, 2) / d)[:, None]
    turned = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * angles)
    return np.stack([turned.real, turned.imag], axis=-1).reshape(x.shape)


def wrong_rotary__whole_width_exponent(x, positions, base=10000.0):
    """The slowest pair is not slow enough"""
    d = x.shape[-1]
    angles = np.asarray(positions)[..., None] * base ** (-np.arange(d // 2) / d)
    turned = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * angles)
    return np.stack([turned.real, turned.imag], axis=-1).reshape(x.shape)


def wrong_rotary__relative_to_first(x, positions, base=10000.0):
    """Line 5"""
    p = np.asarray(positions)
    w = base ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])
    angles = (p - p[..., :1])[..., None] * w
    z = (x[..., ::2] + 1j * x[..., 1::2]) * np.exp(1j * angles)
    return np.stack([z.real, z.imag], -1).reshape(x.shape)


def wrong_rotary__first_sequence_positions(x, positions, base=10000.0):
    """Line 4"""
    p = np.asarray(positions)
    p = p if p.ndim == 1 else p.reshape(-1, p.shape[-1])[0]
    w = base ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])
    z = (x[..., ::2] + 1j * x[..., 1::2]) * np.exp(1j * p[..., None] * w)
    return np.stack([z.real, z.imag], -1).reshape(x.shape)


def wrong_rotary__first_position_for_all(x, positions, base=10000.0):
    w = base ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])
    angles = np.asarray(positions).ravel()[0] * w
    z = (x[..., ::2] + 1j * x[..., 1::2]) * np.exp(1j * angles)
    return np.stack([z.real, z.imag], -1).reshape(x.shape)


def wrong_rotary__concatenated(x, positions, base=10000.0):
    """All first coordinates stand before all second ones"""
    w = base ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])
    z = (x[..., ::2] + 1j * x[..., 1::2]) * np.exp(1j * np.asarray(positions)[..., None] * w)
    return np.concatenate([z.real, z.imag], -1)


def right_rotary_halves__chapter(x, positions, base=10000.0):
    order = halves_order(x.shape[-1])
    return rotary(x[..., np.argsort(order)], positions, base)[..., order]


def right_rotary_halves__turned_by_a_quarter(x, positions, base=10000.0):
    half = x.shape[-1] // 2
    angles = np.concatenate([positions[..., None] * frequencies(x.shape[-1], base)] * 2, axis=-1)
    return x * np.cos(angles) + np.concatenate([-x[..., half:], x[..., :half]], axis=-1) * np.sin(angles)


def right_rotary_halves__complex(x, positions, base=10000.0):
    first, second = np.split(x, 2, axis=-1)
    z = (first + 1j * second) * np.exp(1j * positions[..., None] * frequencies(x.shape[-1], base))
    return np.concatenate([z.real, z.imag], axis=-1)


def right_rotary_halves__by_hand(x, positions, base=10000.0):
    together = x.reshape(*x.shape[:-1], 2, -1).swapaxes(-1, -2).reshape(x.shape)
    turned = rotary(together, positions, base)
    return turned.reshape(*x.shape[:-1], -1, 2).swapaxes(-1, -2).reshape(x.shape)


def right_rotary_halves__swapaxes(x, positions, base=10000.0):
    pairs = np.swapaxes(x.reshape(*x.shape[:-1], 2, -1), -1, -2).reshape(x.shape)
    out = rotary(pairs, positions, base).reshape(*x.shape[:-1], -1, 2)
    return np.swapaxes(out, -1, -2).reshape(x.shape)


def right_rotary_halves__permutation_matrix(x, positions, base=10000.0):
    p = np.eye(x.shape[-1])[halves_order(x.shape[-1])]
    return rotary(x @ p, positions, base) @ p.T


def wrong_rotary_halves__minus_forgotten(x, positions, base=10000.0):
    """Rows change their length"""
    half = x.shape[-1] // 2
    angles = np.concatenate([positions[..., None] * frequencies(x.shape[-1], base)] * 2, axis=-1)
    return x * np.cos(angles) + np.concatenate([x[..., half:], x[..., :half]], axis=-1) * np.sin(angles)


def wrong_rotary_halves__minus_on_the_other(x, positions, base=10000.0):
    """Pairs turn clockwise"""
    half = x.shape[-1] // 2
    angles = np.concatenate([positions[..., None] * frequencies(x.shape[-1], base)] * 2, axis=-1)
    return x * np.cos(angles) + np.concatenate([x[..., half:], -x[..., :half]], axis=-1) * np.sin(angles)


def wrong_rotary_halves__repeated(x, positions, base=10000.0):
    """The two of a pair are turned by different angles"""
    half = x.shape[-1] // 2
    angles = np.repeat(positions[..., None] * frequencies(x.shape[-1], base), 2, axis=-1)
    return x * np.cos(angles) + np.concatenate([-x[..., half:], x[..., :half]], axis=-1) * np.sin(angles)


def wrong_rotary_halves__base_forgotten(x, positions, base=10000.0):
    """`base` makes no difference"""
    order = halves_order(x.shape[-1])
    return rotary(x[..., np.argsort(order)], positions)[..., order]


def wrong_rotary_halves__rows_permuted(x, positions, base=10000.0):
    """Line 4"""
    order = halves_order(x.shape[-1])
    return rotary(x[np.argsort(order)], positions, base)[order]


def wrong_rotary_halves__half_reversed(x, positions, base=10000.0):
    first, second = np.split(x, 2, axis=-1)
    second = second[..., ::-1]
    z = (first + 1j * second) * np.exp(1j * positions[..., None] * frequencies(x.shape[-1], base))
    return np.concatenate([z.real, z.imag[..., ::-1]], axis=-1)


def wrong_rotary_halves__frequencies_of_half(x, positions, base=10000.0):
    """The slowest pair is not slow enough"""
    first, second = np.split(x, 2, axis=-1)
    omega = base ** (-np.arange(first.shape[-1]) / x.shape[-1])
    z = (first + 1j * second) * np.exp(1j * positions[..., None] * omega)
    return np.concatenate([z.real, z.imag], axis=-1)


def wrong_rotary_halves__only_rotary(x, positions, base=10000.0):
    """Neighbouring coordinates are turned together"""
    return rotary(x, positions, base)


def wrong_rotary_halves__permutation_other_way(x, positions, base=10000.0):
    """The two permutations are taken for each other"""
    p = np.eye(x.shape[-1])[halves_order(x.shape[-1])]
    return rotary(x @ p.T, positions, base) @ p


def wrong_rotary_halves__second_first(x, positions, base=10000.0):
    """The two of each pair are exchanged"""
    d = x.shape[-1]
    y = np.empty_like(x)
    y[..., 0::2], y[..., 1::2] = x[..., : d // 2], x[..., d // 2 :]
    y = rotary(y, positions, base)
    return np.concatenate([y[..., 1::2], y[..., 0::2]], axis=-1)


def wrong_rotary_halves__halves_each(x, positions, base=10000.0):
    """pair coordinates r and r + d/2"""
    d = x.shape[-1] // 2
    if d % 2:
        return rotary(x, positions, base)
    return np.concatenate([rotary(x[..., :d], positions, base), rotary(x[..., d:], positions, base)], axis=-1)


def right_alibi_bias__chapter(n_heads, n_queries, n_keys, offset=0):
    away = np.arange(n_queries)[:, None] + offset - np.arange(n_keys)
    return -alibi_slopes(n_heads)[:, None, None] * abs(away)


def right_alibi_bias__loops(n_heads, n_queries, n_keys, offset=0):
    out = np.zeros((n_heads, n_queries, n_keys))
    for h, slope in enumerate(alibi_slopes(n_heads)):
        for i in range(n_queries):
            for j in range(n_keys):
                out[h, i, j] = -slope * abs(i + offset - j)
    return out


def right_alibi_bias__own_slopes(n_heads, n_queries, n_keys, offset=0):
    below = 2 ** int(math.log2(n_heads))
    slopes = [2 ** (-8 * i / below) for i in range(1, below + 1)]
    slopes += [2 ** (-4 * i / below) for i in range(1, 2 * below, 2)][: n_heads - below]
    away = np.abs(np.subtract.outer(np.arange(n_queries) + offset, np.arange(n_keys)))
    return -np.multiply.outer(slopes, away)


def right_alibi_bias__einsum(n_heads, n_queries, n_keys, offset=0):
    away = abs(np.arange(offset, offset + n_queries)[:, None] - np.arange(n_keys)).astype(float)
    return np.einsum("h,ls->hls", -alibi_slopes(n_heads), away)


def right_alibi_bias__recursion(n_heads, n_queries, n_keys, offset=0):
    def slopes(n):
        if n & (n - 1) == 0:
            return [2 ** (-8 * (t + 1) / n) for t in range(n)]
        below = 2 ** math.floor(math.log2(n))
        return slopes(below) + slopes(2 * below)[0::2][: n - below]

    away = abs(np.subtract.outer(np.arange(n_queries) + offset, np.arange(n_keys)))
    return np.array([-m * away for m in slopes(n_heads)])


def right_alibi_bias__ogrid(n_heads, n_queries, n_keys, offset=0):
    i, j = np.ogrid[offset : offset + n_queries, :n_keys]
    return np.multiply.outer(alibi_slopes(n_heads), np.minimum(i - j, j - i))


def wrong_alibi_bias__columns_and_rows(n_heads, n_queries, n_keys, offset=0):
    """The result is transposed"""
    away = np.arange(n_queries) + offset - np.arange(n_keys)[:, None]
    return -alibi_slopes(n_heads)[:, None, None] * abs(away)


def wrong_alibi_bias__heads_last(n_heads, n_queries, n_keys, offset=0):
    """The axis of the heads stands last"""
    away = np.arange(n_queries)[:, None] + offset - np.arange(n_keys)
    return -alibi_slopes(n_heads) * abs(away)[..., None]


def wrong_alibi_bias__masked_too(n_heads, n_queries, n_keys, offset=0):
    """Keys after the query get -inf"""
    away = np.arange(n_queries)[:, None] + offset - np.arange(n_keys)
    return np.where(away >= 0, -alibi_slopes(n_heads)[:, None, None] * away, -np.inf)


def wrong_alibi_bias__offset_doubled(n_heads, n_queries, n_keys, offset=0):
    """Line 3"""
    away = np.arange(offset, n_queries + offset)[:, None] + offset - np.arange(n_keys)
    return -alibi_slopes(n_heads)[:, None, None] * abs(away)


def wrong_alibi_bias__one_slope(n_heads, n_queries, n_keys, offset=0):
    """The calls that fail come out right with `n_heads` = 1"""
    away = np.arange(n_queries)[:, None] + offset - np.arange(n_keys)
    return -(2 ** (-8 / n_heads)) * abs(away) * np.ones((n_heads, 1, 1))


def wrong_alibi_bias__distance_from_one(n_heads, n_queries, n_keys, offset=0):
    """Line 4"""
    away = np.arange(n_queries)[:, None] + offset - np.arange(n_keys)
    return -alibi_slopes(n_heads)[:, None, None] * (abs(away) + 1)


def wrong_alibi_bias__slope_exponents(n_heads, n_queries, n_keys, offset=0):
    away = np.arange(n_queries)[:, None] + offset - np.arange(n_keys)
    slopes = 2.0 ** (-np.arange(1, n_heads + 1) / n_heads)
    return -slopes[:, None, None] * abs(away)


def wrong_alibi_bias__reversed_heads(n_heads, n_queries, n_keys, offset=0):
    """The result is the right one from last to first, along the first axis"""
    away = np.arange(n_queries)[:, None] + offset - np.arange(n_keys)
    return -alibi_slopes(n_heads)[::-1, None, None] * abs(away)


def wrong_alibi_bias__key_positions(n_heads, n_queries, n_keys, offset=0):
    """It has the same rows for all queries, which is right under a causal"""
    return np.broadcast_to(alibi_slopes(n_heads)[:, None, None] * np.arange(n_keys), (n_heads, n_queries, n_keys))


def wrong_alibi_bias__divided(n_heads, n_queries, n_keys, offset=0):
    """Line 4"""
    away = np.arange(n_queries)[:, None] + offset - np.arange(n_keys)
    return -abs(away) / alibi_slopes(n_heads)[:, None, None]


def wrong_alibi_bias__squares(n_heads, n_queries, n_keys, offset=0):
    """Line 4"""
    away = np.arange(n_queries)[:, None] + offset - np.arange(n_keys)
    return -alibi_slopes(n_heads)[:, None, None] * away**2


def wrong_alibi_bias__sorted_slopes(n_heads, n_queries, n_keys, offset=0):
    """The numbers are right, but in another order"""
    m = np.sort(alibi_slopes(n_heads))[::-1]
    away = np.arange(n_queries)[:, None] + offset - np.arange(n_keys)
    return -m[:, None, None] * abs(away)


def right_rotary_score__complex(q, k, distance):
    a, b = q[0::2] + 1j * q[1::2], k[0::2] + 1j * k[1::2]
    return (a * b.conj() @ np.exp(1j * distance * frequencies(len(q)))).real


def right_rotary_score__real(q, k, distance):
    angles = distance * 10000.0 ** (-np.arange(0, len(q), 2) / len(q))
    along = q[0::2] * k[0::2] + q[1::2] * k[1::2]
    across = q[0::2] * k[1::2] - q[1::2] * k[0::2]
    return float(along @ np.cos(angles) + across @ np.sin(angles))


def right_rotary_score__query_turned(q, k, distance):
    turned = rotary(q[None], [abs(distance)])[0] if distance >= 0 else q
    other = rotary(k[None], [abs(distance)])[0] if distance < 0 else k
    return turned @ other


def right_rotary_score__loop(q, k, distance):
    total = 0.0
    for r in range(len(q) // 2):
        c, s = math.cos(distance * 10000 ** (-2 * r / len(q))), math.sin(distance * 10000 ** (-2 * r / len(q)))
        total += (c * q[2 * r] - s * q[2 * r + 1]) * k[2 * r] + (s * q[2 * r] + c * q[2 * r + 1]) * k[2 * r + 1]
    return total


def right_rotary_score__shift_matrix(q, k, distance):
    return q @ shift_matrix(-distance, len(q)) @ k


def right_rotary_score__polar(q, k, distance):
    a, b = q.reshape(-1, 2), k.reshape(-1, 2)
    phi = np.arctan2(a[:, 1], a[:, 0]) - np.arctan2(b[:, 1], b[:, 0])
    size = np.hypot(*a.T) * np.hypot(*b.T)
    return np.sum(size * np.cos(phi + distance * frequencies(len(q))))


def wrong_rotary_score__signs_of_the_cross_product(q, k, distance):
    """Line 5"""
    angles = distance * 10000.0 ** (-np.arange(0, len(q), 2) / len(q))
    along = q[0::2] * k[0::2] + q[1::2] * k[1::2]
    across = q[0::2] * k[1::2] + q[1::2] * k[0::2]
    return float(along @ np.cos(angles) + across @ np.sin(angles))


def wrong_rotary_score__both_turned(q, k, distance):
    """Line 3"""
    turned = rotary(np.stack([q, k]), [abs(distance), abs(distance)])
    return turned[0] @ turned[1]


def wrong_rotary_score__distance_unsigned(q, k, distance):
    """A key that comes later is taken for one as far before"""
    a, b = q[0::2] + 1j * q[1::2], k[0::2] + 1j * k[1::2]
    return (a * b.conj() @ np.exp(1j * abs(distance) * frequencies(len(q)))).real


def wrong_rotary_score__complex_left(q, k, distance):
    """It is a complex number"""
    a, b = q[0::2] + 1j * q[1::2], k[0::2] + 1j * k[1::2]
    return a * b.conj() @ np.exp(1j * distance * frequencies(len(q)))


def wrong_rotary_score__imaginary(q, k, distance):
    """It is the imaginary part"""
    a, b = q[0::2] + 1j * q[1::2], k[0::2] + 1j * k[1::2]
    return (a * b.conj() @ np.exp(1j * distance * frequencies(len(q)))).imag


def wrong_rotary_score__halves(q, k, distance):
    """Coordinates half a width apart are one number"""
    half = len(q) // 2
    a, b = q[:half] + 1j * q[half:], k[:half] + 1j * k[half:]
    return (a * b.conj() @ np.exp(1j * distance * frequencies(len(q)))).real


def wrong_rotary_score__not_turned(q, k, distance):
    """`distance` makes no difference"""
    return q @ k


def wrong_rotary_score__scaled(q, k, distance):
    """The result is divided by the root of the number of entries of `q` once too often"""
    return (rotary(q[None], [distance])[0] @ k) / math.sqrt(len(q))


def wrong_rotary_score__vector(q, k, distance):
    """Line 4"""
    a, b = q[0::2] + 1j * q[1::2], k[0::2] + 1j * k[1::2]
    return (a * b.conj() * np.exp(1j * distance * frequencies(len(q)))).real


def right_bias_by_key__formula(n_heads, n_keys):
    return alibi_slopes(n_heads)[:, None] * np.arange(n_keys)


def right_bias_by_key__outer(n_heads, n_keys):
    return np.outer(alibi_slopes(n_heads), np.arange(1, n_keys + 1))


def wrong_bias_by_key__three_axes(n_heads, n_keys):
    """Line 3"""
    return alibi_slopes(n_heads)[:, None, None] * np.arange(n_keys)


def right_bias_by_key__from_the_end(n_heads, n_keys):
    return -alibi_slopes(n_heads)[:, None] * np.arange(n_keys)[::-1]


def right_bias_by_key__last_row(n_heads, n_keys):
    return alibi_bias(n_heads, n_keys, n_keys)[:, -1]


def right_bias_by_key__cumsum(n_heads, n_keys):
    return np.cumsum(np.repeat(alibi_slopes(n_heads)[:, None], n_keys, axis=1), axis=1)


def wrong_bias_by_key__reversed(n_heads, n_keys):
    """The nearest key gets the smallest number"""
    return alibi_slopes(n_heads)[:, None] * np.arange(n_keys)[::-1]


def wrong_bias_by_key__keys_first(n_heads, n_keys):
    """The result is transposed"""
    return np.arange(n_keys)[:, None] * alibi_slopes(n_heads)


def wrong_bias_by_key__full_table(n_heads, n_keys):
    away = abs(np.arange(n_keys)[:, None] - np.arange(n_keys))
    return -alibi_slopes(n_heads)[:, None, None] * away


def wrong_bias_by_key__no_slopes(n_heads, n_keys):
    """All heads rise by whole steps, whatever their slopes"""
    return np.ones((n_heads, 1)) * np.arange(n_keys)


def wrong_bias_by_key__added(n_heads, n_keys):
    """All heads rise by whole steps, whatever their slopes"""
    return alibi_slopes(n_heads)[:, None] + np.arange(n_keys)


def wrong_bias_by_key__one_formula(n_heads, n_keys):
    """Slopes differ from those of trained models when the heads are no"""
    slopes = 2.0 ** (-8 * np.arange(1, n_heads + 1) / n_heads)
    return slopes[:, None] * np.arange(n_keys)


def wrong_bias_by_key__negative(n_heads, n_keys):
    """The nearest key gets the smallest number"""
    return -alibi_slopes(n_heads)[:, None] * np.arange(n_keys)


def wrong_bias_by_key__first_row(n_heads, n_keys):
    """The nearest key gets the smallest number"""
    return alibi_bias(n_heads, n_keys, n_keys)[:, 0]


def wrong_bias_by_key__mean_over_queries(n_heads, n_keys):
    return alibi_bias(n_heads, n_keys, n_keys).mean(axis=1)


def wrong_bias_by_key__all_in_one_row(n_heads, n_keys):
    """The result has the right numbers, but all in one row"""
    return np.outer(alibi_slopes(n_heads), np.arange(n_keys)).ravel()


def wrong_bias_by_key__negative_by_one_formula(n_heads, n_keys):
    """Two things at once. The nearest key gets the smallest number"""
    slopes = np.array([2.0 ** (-8 * i / n_heads) for i in range(1, n_heads + 1)])
    return -slopes[:, None] * np.arange(n_keys)


def wrong_bias_by_key__from_one(n_heads, n_keys):
    """The steepest slope is 1"""
    slopes = np.array([2.0 ** (-8 * i / n_heads) for i in range(n_heads)])
    return slopes[:, None] * np.arange(n_keys)


def wrong_sinusoidal_positions__size_left_open(n, d):
    """Line 4"""
    angles = np.arange(n)[:, None] * 10000.0 ** (-np.arange(0, d, 2) / d)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n, -1)


def right_rotary__broadcast(x, positions, base=10000.0):
    d = x.shape[-1]
    positions = np.broadcast_to(positions, x.shape[:-1])
    angles = positions[..., None] / base ** (np.arange(0, d, 2) / d)
    turned = np.empty_like(x)
    turned[..., ::2] = x[..., ::2] * np.cos(angles) - x[..., 1::2] * np.sin(angles)
    turned[..., 1::2] = x[..., ::2] * np.sin(angles) + x[..., 1::2] * np.cos(angles)
    return turned


def wrong_alibi_bias__queries_at_the_end(n_heads, n_queries, n_keys, offset=0):
    """Queries stand at the last keys, whatever the offset"""
    i = np.arange(n_queries)[:, None] + n_keys - n_queries
    return -alibi_slopes(n_heads)[:, None, None] * np.abs(i - np.arange(n_keys))


def wrong_rotary_score__no_negative_positions(q, k, distance):
    """A key that comes later is taken for one as far before"""
    return rotary(q[None], np.array([abs(distance)]))[0] @ k


def wrong_rotary_score__far_positions(q, k, distance):
    """is where it fails"""
    return float(rotary(q[None], np.array([1000 + distance]))[0] @ rotary(k[None], np.array([1000]))[0])


def wrong_rotary_score__two_forgotten(q, k, distance):
    """Pairs slow down half as fast as they should"""
    n = len(q) // 2
    w = 10000 ** (-np.arange(n) / len(q))
    q, k = q[0::2] + 1j * q[1::2], k[0::2] + 1j * k[1::2]
    return (q * k.conj() * np.exp(1j * distance * w)).sum().real


def wrong_alibi_bias__rows_cut_from_the_keys(n_heads, n_queries, n_keys, offset=0):
    """Line 3"""
    d = np.arange(n_keys)[offset : offset + n_queries, None] - np.arange(n_keys)
    return -alibi_slopes(n_heads)[:, None, None] * abs(d)


def wrong_sinusoidal_positions__halves(n, d):
    """The frequency is halved from pair to pair"""
    a = np.arange(n)[:, None] * 0.5 ** np.arange(d // 2)
    t = np.zeros((n, d))
    t[:, ::2], t[:, 1::2] = np.sin(a), np.cos(a)
    return t
