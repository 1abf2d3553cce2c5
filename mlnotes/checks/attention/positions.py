"""What the encodings of position must satisfy, and how they are usually got wrong."""

import cmath
import math

import numpy as np

from mlnotes.attention.positions import alibi_bias, rotary, rotary_halves, shift_matrix, sinusoidal_positions
from mlnotes.checks.oldbank import Checks, Claim, Mistake, distance, frozen

_rng = np.random.default_rng(17)
_x, _q, _k, _places, _far = frozen(
    _rng.normal(size=(2, 5, 6)),
    _rng.normal(size=(1, 10)),
    _rng.normal(size=(1, 10)),
    np.array([0, 1, 2, 7, 40]),
    np.array([3000, 3001, 3002, 3007, 3040]),
)
# What build_alibi_tensor of transformers' Bloom gives, as exponents of 1/2; importing transformers takes seconds.
_BLOOM = {
    1: [8],
    3: [4, 8, 2],
    6: [2, 4, 6, 8, 1, 3],
    12: [1, 2, 3, 4, 5, 6, 7, 8, 0.5, 1.5, 2.5, 3.5],
}
_LAST_BITS = "sines and cosines in float64: a few units of 1e-16"
_ANGLES = "angles of up to 3,040 radians, rounded to a few units of 1e-13"


def _waves(n, d):
    """Write the table out by its formula, one number after the other."""
    rows = [[(math.sin, math.cos)[j % 2](i / 10000 ** ((j - j % 2) / d)) for j in range(d)] for i in range(n)]
    return np.array(rows).reshape(n, d)


def _turned(x, positions, pair, base=10000.0):
    """Turn each pair as one complex number, one after the other."""
    d, out = x.shape[-1], np.empty_like(x)
    for at in np.ndindex(x.shape[:-1]):
        for j in range(d // 2):
            a, b = pair(j, d)
            z = complex(x[at][a], x[at][b]) * cmath.exp(1j * positions[at[-1]] * base ** (-2 * j / d))
            out[at][a], out[at][b] = z.real, z.imag
    return out


def _neighbours(j, d):
    return 2 * j, 2 * j + 1


def _across(j, d):
    return j, j + d // 2


def _relative(f):
    def score(i, j):
        return (f(_q, np.array([i])) @ f(_k, np.array([j])).T).item()

    return max(abs(score(5 + s, 2 + s) - score(5, 2)) for s in (1, 10, 100, 1000))


def _lengths(f):
    return distance(np.linalg.norm(f(_x, _places), axis=-1), np.linalg.norm(_x, axis=-1))


def _angles(x, positions, base, exponents):
    return np.asarray(positions)[..., None] * base ** -np.asarray(exponents, float)


def _pairs(x, angles):
    a, b, cos, sin = x[..., 0::2], x[..., 1::2], np.cos(angles), np.sin(angles)
    return np.stack([a * cos - b * sin, a * sin + b * cos], axis=-1).reshape(x.shape)


def _halves(x, angles):
    a, b = np.split(x, 2, axis=-1)
    return np.concatenate([a * np.cos(angles) - b * np.sin(angles), a * np.sin(angles) + b * np.cos(angles)], axis=-1)


def _usual(x):
    return np.arange(0, x.shape[-1], 2) / x.shape[-1]


def exponent_doubled(n, d):
    """Take the column for the number of the pair."""
    angles = np.arange(n)[:, None] * 10000.0 ** (-2 * np.arange(0, d, 2) / d)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n, d)


def own_frequency_for_each_column(n, d):
    """Give the sine and the cosine of a pair different angles."""
    angles = np.arange(n)[:, None] * 10000.0 ** (-np.arange(d) / d)
    return np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles))


def cosine_first(n, d):
    """Put the cosine of each pair before its sine."""
    return _waves(n, d).reshape(n, d // 2, 2)[..., ::-1].reshape(n, d)


def all_sines_before_all_cosines(n, d):
    """Put the sines in the first half and the cosines in the second."""
    return np.concatenate([_waves(n, d)[:, 0::2], _waves(n, d)[:, 1::2]], axis=1)


def counted_from_one(n, d):
    """Begin with position 1."""
    return _waves(n + 1, d)[1:]


def halves_paired(x, positions, base=10000.0):
    """Pair coordinates half a width apart."""
    return _halves(x, _angles(x, positions, base, _usual(x)))


def neighbours_paired(x, positions, base=10000.0):
    """Pair neighbouring coordinates."""
    return _pairs(x, _angles(x, positions, base, _usual(x)))


def turned_backwards(x, positions, base=10000.0):
    """Turn by the negative angle."""
    return _pairs(x, -_angles(x, positions, base, _usual(x)))


def sign_forgotten(x, positions, base=10000.0):
    """Add where one product is to be subtracted."""
    angles = _angles(x, positions, base, _usual(x))
    a, b, cos, sin = x[..., 0::2], x[..., 1::2], np.cos(angles), np.sin(angles)
    return np.stack([a * cos + b * sin, a * sin + b * cos], axis=-1).reshape(x.shape)


def frequencies_too_high(x, positions, base=10000.0):
    """Spread the pairs over half of the exponents."""
    return _pairs(x, _angles(x, positions, base, np.arange(x.shape[-1] // 2) / x.shape[-1]))


def position_added(x, positions, base=10000.0):
    """Add the waves instead of turning."""
    angles = _angles(x, positions, base, _usual(x))
    return x + np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(*angles.shape[:-1], -1)


def angles_in_half_precision(x, positions, base=10000.0):
    """Compute the angles in float16."""
    frequencies = (base ** -_usual(x)).astype(np.float16)
    angles = np.asarray(positions).astype(np.float16)[..., None] * frequencies
    return _pairs(x, angles.astype(float))


def halves_turned_backwards(x, positions, base=10000.0):
    """Turn by the negative angle."""
    return _halves(x, -_angles(x, positions, base, _usual(x)))


def _slopes(n_heads):
    below = 2 ** int(math.log2(n_heads))
    slopes = [2 ** (-8 * i / below) for i in range(1, below + 1)]
    return np.array(slopes + [2 ** (-8 * i / (2 * below)) for i in range(1, 2 * below, 2)][: n_heads - below])


def _behind(n_queries, n_keys, offset=0):
    return np.arange(n_queries)[:, None] + offset - np.arange(n_keys)


def sign_of_the_slope_forgotten(n_heads, n_queries, n_keys, offset=0):
    """Reward distance."""
    return _slopes(n_heads)[:, None, None] * abs(_behind(n_queries, n_keys, offset))


def later_keys_rewarded(n_heads, n_queries, n_keys, offset=0):
    """Leave the sign of the distance."""
    return -_slopes(n_heads)[:, None, None] * _behind(n_queries, n_keys, offset)


def one_formula_for_every_head_count(n_heads, n_queries, n_keys, offset=0):
    """Use the powers of two for a number of heads that is none."""
    slopes = 2.0 ** (-8 * np.arange(1, n_heads + 1) / n_heads)
    return -slopes[:, None, None] * abs(_behind(n_queries, n_keys, offset))


def slopes_of_head_zero(n_heads, n_queries, n_keys, offset=0):
    """Begin the slopes at 1."""
    slopes = 2.0 ** (8 / 2 ** int(math.log2(n_heads))) * _slopes(n_heads)
    return -slopes[:, None, None] * abs(_behind(n_queries, n_keys, offset))


def offset_ignored(n_heads, n_queries, n_keys, offset=0):
    """Let the first query stand at position 0 also with a cache."""
    return -_slopes(n_heads)[:, None, None] * abs(_behind(n_queries, n_keys))


def _turning(function, pair, wrong):
    return Checks(
        function,
        probes=((_x, _places), (_x, _places, 100.0), (_x, _far)),
        claims=(
            Claim("position 0 leaves everything as it is", lambda f: distance(f(_x, np.zeros(5, int)), _x)),
            Claim("no row changes its length", _lengths, 1e-12, _LAST_BITS),
            Claim("scores depend on the distance only", _relative, 1e-11, _ANGLES),
            Claim(
                "cmath: each pair times exp(i position frequency)",
                lambda f: max(
                    distance(f(_x, places, base), _turned(_x, places, pair, base))
                    for places in (_places, _far)
                    for base in (10000.0, 100.0)
                ),
                1e-11,
                _ANGLES,
                "oracle",
            ),
        ),
        mistakes=wrong,
    )


OLD = (
    Checks(
        sinusoidal_positions,
        probes=((5, 6), (11, 2), (3, 8)),
        claims=(
            Claim(
                "sine and cosine of one angle: their squares sum to one",
                lambda f: distance(f(11, 8)[:, 0::2] ** 2 + f(11, 8)[:, 1::2] ** 2, np.ones((11, 4))),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "a shift by 3 is one rotation for all positions",
                lambda f: distance(f(11, 8)[:8] @ shift_matrix(3, 8), f(11, 8)[3:]),
                1e-12,
                _LAST_BITS,
            ),
            Claim("position 0 is 0, 1, 0, 1, …", lambda f: distance(f(5, 6)[0], np.array([0.0, 1, 0, 1, 0, 1]))),
            Claim(
                "math.sin and math.cos of the paper's formula",
                lambda f: max(distance(f(n, d), _waves(n, d)) for n, d in ((11, 6), (3, 64), (1, 2))),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                exponent_doubled,
                "Waves slow down twice as fast as they should",
                "the exponent is the even column divided by d; do not double it again",
                "SamLynnEvans/Transformer, issue 25 (2020)",
            ),
            Mistake(
                own_frequency_for_each_column,
                "Sine and cosine of a pair drift apart, and a shift is no rotation",
                "give both columns of a pair the exponent of the even one",
                "attention-is-all-you-need-pytorch, issue 32 (2017)",
            ),
            Mistake(cosine_first, "Position 0 is 1, 0, 1, 0, …", "put the sine in the even columns"),
            Mistake(
                all_sines_before_all_cosines,
                "Columns are in another order than the paper's",
                "alternate sine and cosine; the other layout is Marian's, and weights trained with one do not fit the "
                "other",
            ),
            Mistake(counted_from_one, "Row 0 is the row of position 1", "count positions from 0"),
        ),
    ),
    _turning(
        rotary,
        _neighbours,
        (
            Mistake(
                halves_paired,
                "Coordinates half a width apart are turned together",
                "pair neighbours; the other pairing is rotary_halves, and queries and keys must use the same",
                "transformers, issue 25199 (2023)",
            ),
            Mistake(turned_backwards, "Pairs turn clockwise", "the minus sign belongs to the first of a pair"),
            Mistake(
                sign_forgotten,
                "Rows change their length",
                "subtract one of the two products with the sine, or nothing turns",
            ),
            Mistake(
                frequencies_too_high,
                "The slowest pair is not slow enough",
                "the exponent is -2r/d for pair r",
            ),
            Mistake(position_added, "Rows change their length: something was added", "multiply by cosine and sine"),
            Mistake(
                angles_in_half_precision,
                "Far positions are turned by a wrong angle: float16 counts in steps of 2 above 2048",
                "compute angles in double or single precision, whatever the model's",
                "gpt-neox, issue 1003 (2023)",
            ),
        ),
    ),
    _turning(
        rotary_halves,
        _across,
        (
            Mistake(
                neighbours_paired,
                "Neighbouring coordinates are turned together",
                "pair coordinates r and r + d/2; the other pairing is rotary",
                "transformers, issue 25199 (2023)",
            ),
            Mistake(halves_turned_backwards, "Pairs turn clockwise", "the minus sign belongs to the first half"),
        ),
    ),
    Checks(
        alibi_bias,
        probes=((4, 5, 5), (6, 3, 7), (5, 2, 7, 3)),
        claims=(
            Claim(
                "no distance costs nothing", lambda f: float(np.abs(np.diagonal(f(6, 5, 5), axis1=1, axis2=2)).max())
            ),
            Claim("distance never helps, before or after", lambda f: float(max(0, np.max(f(6, 5, 5))))),
            Claim(
                "each step away costs the same",
                lambda f: distance(np.diff(f(5, 7, 7)[:, 6], n=2), np.zeros((5, 5))),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "with an offset, queries are the later rows",
                lambda f: distance(f(5, 2, 7, 3), f(5, 7, 7)[:, 3:5]),
                1e-12,
                _LAST_BITS,
                edge=True,
            ),
            Claim(
                "the paper's slopes for 8 heads: 1/2, 1/4, … 1/256",
                lambda f: distance(f(8, 2, 2)[:, 1, 0], -(0.5 ** np.arange(1, 9))),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
            Claim(
                "the slopes of transformers' Bloom for 1, 3, 6 and 12 heads",
                lambda f: max(distance(-f(h, 2, 2)[:, 1, 0], 0.5 ** np.array(x)) for h, x in _BLOOM.items()),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(sign_of_the_slope_forgotten, "Far keys win", "subtract the slope times the distance"),
            Mistake(
                later_keys_rewarded,
                "Keys after the query get a bonus wherever no mask hides them",
                "take the absolute distance",
            ),
            Mistake(
                one_formula_for_every_head_count,
                "Slopes differ from those of trained models when the heads are no power of two",
                "take the slopes of the power of two below, then every other one of the power above",
                "mlx, issue 343 (2024)",
            ),
            Mistake(
                slopes_of_head_zero,
                "The first slope is 1: every head is one step too steep",
                "count heads from 1 in the exponent",
                "aprender, pull request 2143 (2026)",
            ),
            Mistake(
                offset_ignored,
                "Queries after a cache are taken for the first ones",
                "add the offset to the positions of the queries",
            ),
        ),
    ),
)
