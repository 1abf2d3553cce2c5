"""What the encodings of position must satisfy, and how they are usually got wrong."""

import cmath
import math

import numpy as np

from mlnotes.attention.causal_mask import causal_mask
from mlnotes.attention.positions import (
    alibi_bias,
    alibi_slopes,
    frequencies,
    halves_order,
    rotary,
    rotary_halves,
    shift_matrix,
    sinusoidal_positions,
)
from mlnotes.attention.self_attention import attention_weights
from mlnotes.checks.bank import Checks, Claim, Mistake, call, distance, frozen, oracle
from mlnotes.diagnosis.report import written_call
from mlnotes.diagnosis.trials import numbers

_rng = np.random.default_rng(17)
_x, _q, _k, _q6, _k6 = frozen(*(_rng.normal(size=it) for it in ((2, 5, 6), 10, 10, (3, 6, 8), (3, 6, 8))))
_places, _far, _each, _x2, _x4, _x6 = frozen(np.array([0, 1, 2, 7, 40]), np.array([3000, 3001, 3002, 3007, 3040]),
    np.array([[0, 1, 2, 3, 4], [3, 5, 8, 13, 21]]), np.array([[1.0, 0.0], [0.0, 2.0]]),
    np.array([[1.0, 0.0, 2.0, 1.0], [0.0, 3.0, 1.0, -1.0]]), np.array([[1.0, 2.0, 3.0, 0.0, -1.0, 5.0]]))
# What build_alibi_tensor of transformers' Bloom gives, as exponents of 1/2; importing transformers takes seconds.
_BLOOM = {1: [8], 3: [4, 8, 2], 6: [2, 4, 6, 8, 1, 3], 12: [1, 2, 3, 4, 5, 6, 7, 8, 0.5, 1.5, 2.5, 3.5]}
_SLOPES = {"tolerance": 2e-14,
    "why": "slopes of at most 1/2, times distances of at most 6: a few roundings of 1.1e-16 each"}
_LAST_BITS = {"tolerance": 2e-14, "why": "angles below 40, rounded to 40 · 1.1e-16 = 4e-15, twice where two are added"}
_ANGLES = {"tolerance": 3e-11, "why": "angles of up to 3,040 radians, off by 12 · 3,040 · 1.1e-16 = 4e-12 since their "
    "exponent times log 10,000 is rounded, too; entries lie below 4"}


def rotary_score(q, k, distance):
    """Multiply a query (d,) with a key (d,) as `rotary` turns them, from the query's position less the key's alone."""
    a, b = q[0::2] + 1j * q[1::2], k[0::2] + 1j * k[1::2]
    return np.sum(a * np.conj(b) * np.exp(1j * distance * frequencies(len(q)))).real


def bias_by_key(n_heads, n_keys):
    """Give one number for each head and key (h, s) that under a causal mask does what `alibi_bias` does."""
    return alibi_slopes(n_heads)[:, None] * np.arange(n_keys)


def _above_the_first(version, n_heads, n_keys):
    """Compare differences: a number added to all keys of a head changes no weight."""
    bias = version(n_heads, n_keys)
    return bias if np.shape(numbers(bias)) != (n_heads, n_keys) else numbers(bias) - numbers(bias)[:, :1]


def _written_bias(name, case):
    """Write down what is compared."""
    return written_call(f"bias = {name}", case) + "\nbias - bias[:, :1]"


def _by_distance(f):
    """Compare the weights with those of the book's own bias, for random queries and keys."""
    biases = np.broadcast_to(f(3, 6)[:, None], (3, 6, 6)), alibi_bias(3, 6, 6)
    return distance(*(attention_weights(_q6, _k6, causal_mask(6, 6), bias) for bias in biases))


def _waves(n, d):
    """Write the table out by its formula, one number after the other."""
    rows = [[(math.sin, math.cos)[j % 2](i / 10000 ** ((j - j % 2) / d)) for j in range(d)] for i in range(n)]
    return np.array(rows).reshape(n, d)


def _turned(pair):
    """Turn each pair as one complex number, one after the other."""

    def turned(x, positions, base=10000.0):
        d, out = x.shape[-1], np.empty_like(x)
        for at in np.ndindex(x.shape[:-1]):
            for j in range(d // 2):
                a, b = pair(j, d)
                z = complex(x[at][a], x[at][b]) * cmath.exp(1j * positions[at[-1]] * base ** (-2 * j / d))
                out[at][a], out[at][b] = z.real, z.imag
        return out

    return turned


def _relative(f):
    def score(i, j):
        return (f(_q[None], np.array([i])) @ f(_k[None], np.array([j])).T).item()

    return max(abs(score(5 + s, 2 + s) - score(5, 2)) for s in (1, 10, 100, 1000))


def _turned_at(q, k, distance):
    """Turn both and multiply, as attention does."""
    q, k = (rotary(x[None], [i]) for x, i in ((q, 1000 + distance), (k, 1000)))
    return (q @ k.T).item()


def _lengths(f):
    return distance(np.linalg.norm(f(_x, _places), axis=-1), np.linalg.norm(_x, axis=-1))


def _permuted(inverse_before, inverse_after):
    """Permute, turn neighbours and permute again, each by the order of the halves or by its inverse."""

    def version(x, positions, base=10000.0):
        order = halves_order(x.shape[-1])
        before, after = (np.argsort(order) if it else order for it in (inverse_before, inverse_after))
        return rotary(x[..., before], positions, base)[..., after]

    return version


_FREQUENCIES, _EXPONENT = "[:, None] * frequencies(d)", "-np.arange(0, d, 2) / d"
_FIRST, _SECOND = "a * cos - b * sin", "a * sin + b * cos"
_TURN = "cos, sin = _turns(x, positions, base)"
_EVEN, _HALVES = "x[..., 0::2], x[..., 1::2]", "x[..., : x.shape[-1] // 2], x[..., x.shape[-1] // 2 :]"
_IN_HALVES = ("xp.reshape(pairs, x.shape)", "xp.concat([pairs[..., 0], pairs[..., 1]], axis=-1)")
_BOTH_PAIRINGS = "both pairings, each with weights of its own: transformers, issue 25199 (2023)"
_IN_PAIRS = (("xp.concat([", "xp.stack(["), ("axis=-1)", "axis=-1).reshape(x.shape)"))
_DOUBLED = "Waves slow down twice as fast as they should", "the exponent is 2r/d; do not double it again"
_TURNING = (
    Mistake("turned backwards", ((_FIRST, "a * cos + b * sin"), (_SECOND, "b * cos - a * sin")), "Pairs turn clockwise",
        "turn the first of a pair towards the second: (a, b) becomes (a cos - b sin, a sin + b cos)"),
    Mistake("sign forgotten", (_FIRST, "a * cos + b * sin"), "Rows change their length",
        "the first of a pair is a cos - b sin"),
    Mistake("mirrored", ((_FIRST, "a * cos + b * sin"), (_SECOND, "a * sin - b * cos")),
        "It comes out as if the second of each pair had come with the other sign, also at position 0",
        "a pair is a + bi, not a - bi"),
    Mistake("sine and cosine exchanged in the second", (_SECOND, "a * cos + b * sin"),
        "The second of each pair is replaced by the first at position 0", "the second is a sin + b cos"),
    Mistake("first and second exchanged", (f"{_FIRST}, {_SECOND}", f"{_SECOND}, {_FIRST}"),
        "The two of each pair are exchanged, also at position 0", "the first of a pair is a cos - b sin"),
    Mistake("position added", (f"{_FIRST}, {_SECOND}", "a + sin, b + cos"),
        "Rows change their length: something was added", "multiply by cosine and sine"),
    Mistake("frequencies too high", (_EXPONENT, f"{_EXPONENT} / 2"), "The slowest pair is not slow enough",
        "the exponent is -2r/d for pair r"),
    Mistake("exponent doubled", (_EXPONENT, f"{_EXPONENT} * 2"), *_DOUBLED),
    Mistake("counted from one", (_TURN, _TURN.replace("positions", "np.asarray(positions) + 1")),
        "Position 0 is turned", "turn by the position as it is given"),
    Mistake("rows counted", (_TURN, _TURN.replace("positions", "np.arange(x.shape[-2])")),
        "Rows are turned by their number, wherever they stand", "take the positions that are given"),
    Mistake("angles in half precision", (("base), device=device(x))", "base), dtype=xp.float16)"),
        ("xp.astype(beside(positions, x), xp.float64)[..., None] * omega",
        "xp.asarray(positions, dtype=xp.float16)[..., None] * omega")),
        "Angles have three digits, too few for far positions: float16 counts in steps of 2 above 2048",
        "compute angles in double or single precision, whatever the model's", "gpt-neox, issue 1003 (2023)"),
)


def _overwritten(x, positions, base=10000.0):
    out, angles = np.array(x), np.asarray(positions)[..., None] * frequencies(x.shape[-1], base)
    a, b = out[..., 0::2], out[..., 1::2]
    out[..., 0::2] = a * np.cos(angles) - b * np.sin(angles)
    out[..., 1::2] = a * np.sin(angles) + b * np.cos(angles)
    return out


def _rotation(function, pair, *mistakes):
    return Checks(function, cases=(
        call(_x2, np.array([0, 1])), call(_x4, np.array([2, 5])),
        call(_x4, np.array([2, 5]), 100.0).about("a base of 100"), call(_x6, np.array([1])).about("three pairs"),
        call(_x, _places).about("two sequences"), call(_x, _places, base=50.0).about("a base of 50"),
        call(_x, _far).about("positions of 3000"), call(_x, 40 * _far).about("positions of 120,000", edge=True),
        call(_x, _each).about("positions of its own for each sequence"),
        call(np.stack([_x, -_x, 3 * _x], axis=1), _each[:, None]).about("heads that share their positions")),
        claims=(Claim("position 0 leaves everything as it is", lambda f: distance(f(_x, np.zeros(5, int)), _x)),
        Claim("no row changes its length", _lengths, **_LAST_BITS), Claim("scores depend on the distance only",
        _relative, **_ANGLES), oracle("cmath: each pair times exp(i position frequency)", _turned(pair),
        *(call(_x, places, base) for places in (_places, _far) for base in (10000.0, 100.0)), **_ANGLES)),
        mistakes=mistakes + _TURNING)


CHECKS = (
    Checks(sinusoidal_positions,
        cases=(
            call(1, 2), call(3, 4), call(5, 4).about("more positions than before"), call(5, 6), call(11, 2),
            call(13, 64), call(3001, 8).about("position 3000"),
            call(0, 4).about("no position")),
        claims=(
            Claim("sine and cosine of one angle: their squares sum to one",
                lambda f: distance(f(11, 8)[:, 0::2] ** 2 + f(11, 8)[:, 1::2] ** 2, np.ones((11, 4))), **_LAST_BITS),
            Claim("a shift by 3 is one rotation for all positions",
                lambda f: distance(f(11, 8)[:8] @ shift_matrix(3, 8), f(11, 8)[3:]), **_LAST_BITS),
            Claim("position 0 is 0, 1, 0, 1, …", lambda f: distance(f(5, 6)[0], [0, 1, 0, 1, 0, 1])),
            oracle("math.sin and math.cos of the paper's formula", _waves, call(11, 6), call(3, 64), call(1, 2),
                **_LAST_BITS)),
        mistakes=(
            Mistake("exponent doubled", (_FREQUENCIES, f"{_FREQUENCIES} ** 2"), *_DOUBLED,
                "SamLynnEvans/Transformer, issue 25, in a comment (2021)"),
            Mistake("exponent halved", (_FREQUENCIES, f"{_FREQUENCIES} ** 0.5"),
                "Waves slow down half as fast as they should", "the exponent is 2r/d for pair r"),
            Mistake("frequencies inverted", (_FREQUENCIES, "[:, None] / frequencies(d)"),
                "Waves speed up from pair to pair", "divide by 10000 ** (2r/d), or take a negative exponent"),
            *(Mistake("own frequency for each column", ((_FREQUENCIES, f"[:, None] * 10000.0 ** (-{column} / d)"),
                ("[np.sin(angles), np.cos(angles)]", "[np.sin(angles[:, 0::2]), np.cos(angles[:, 1::2])]")),
                "Sine and cosine of a pair drift apart, and a shift is no rotation",
                "give both columns of a pair the exponent of the even one, 2r/d",
                "maxjcohen/transformer, issue 62 (2023)") for column in ("np.arange(d)", "2 * np.arange(d)")),
            Mistake("cosine first", ("[np.sin(angles), np.cos(angles)]", "[np.cos(angles), np.sin(angles)]"),
                "Position 0 is 1, 0, 1, 0, …", "put the sine in the even columns"),
            Mistake("all sines before all cosines", ("axis=-1).reshape", "axis=1).reshape"),
                "Columns are in another order than the paper's", "alternate sine and cosine; the other layout is "
                "Marian's, and weights trained with one do not fit the other"),
            Mistake("counted from one", ("np.arange(n)[", "np.arange(1, n + 1)["), "Row 0 is the row of position 1",
                "count positions from 0"),
            Mistake("slowest wave at 1/10000",
                ("frequencies(d)", "10000.0 ** (-np.arange(d // 2) / max(1, d // 2 - 1))"),
                "The last wave is as slow as 1/10000, which the formula never reaches",
                "divide r by d/2, not by d/2 - 1 as tensor2tensor does"),
            *(Mistake("power before the product", ("np.arange(n)[:, None] * frequencies(d)", it),
                "Where several waves are asked for, they are others", "put 2r/d into parentheses: ** binds first")
                for it in ("np.arange(n)[:, None] / 10000.0**2 * np.arange(d // 2) / d",
                "np.arange(n)[:, None] / (10000.0 ** (2.0 * np.arange(d // 2)) / d)")),
            Mistake("halved frequencies", lambda n, d: np.stack([np.sin(a := np.arange(n)[:, None] / 2.0
                ** np.arange(d // 2)), np.cos(a)], axis=-1).reshape(n, d),
                "The frequency is halved from pair to pair, as in the binary counter",
                "pair r has the frequency 10000^(-2r/d)"))),
    _rotation(rotary, lambda j, d: (2 * j, 2 * j + 1), Mistake("halves paired", ((_EVEN, _HALVES), _IN_HALVES),
        "Coordinates half a width apart are turned together",
        "pair neighbours; the other pairing is rotary_halves, and queries and keys must use the same",
        _BOTH_PAIRINGS), Mistake("neighbours not brought back", _IN_HALVES,
        "All first coordinates stand before all second ones", "put the two of each pair side by side again"),
        Mistake("angles in two rows", ((_FIRST, "a * np.tile(cos, 2)[..., 0::2] - b * np.tile(sin, 2)[..., 0::2]"),
        (_SECOND, "a * np.tile(sin, 2)[..., 1::2] + b * np.tile(cos, 2)[..., 1::2]")),
        "The two of a pair are turned by different angles",
        "repeat each angle for two neighbours: np.repeat, not np.tile"),
        Mistake("first coordinates overwritten", _overwritten, "The second of each pair is made of the turned first",
        "compute both before you write either: a slice is a view")),
    _rotation(rotary_halves, lambda j, d: (j, j + d // 2), Mistake("neighbours paired", ((_HALVES, _EVEN), *_IN_PAIRS),
        "Neighbouring coordinates are turned together", "pair coordinates r and r + d/2; the other pairing is rotary",
        _BOTH_PAIRINGS), Mistake("not permuted before", (_HALVES, _EVEN),
        "Neighbouring coordinates are turned together, and come out half a width apart",
        "bring the two of each pair side by side first: x[..., np.argsort(order)]"),
        Mistake("not permuted back", _IN_PAIRS,
        "Coordinates half a width apart are turned together, and come out side by side",
        "take the result apart again: [..., order]"), Mistake("order and inverse exchanged", _permuted(False, True),
        "The two permutations are taken for each other", "before turning go by np.argsort(order), after it by order"),
        Mistake("order twice", _permuted(False, False), "It is permuted twice in the same direction",
        "before turning go by the inverse, np.argsort(order)"), Mistake("inverse twice", _permuted(True, True),
        "It is permuted twice in the same direction", "after turning go by order itself"),
        Mistake("angles repeated", ((_FIRST, "a * repeated(cos)[0] - b * repeated(sin)[0]"),
        (_SECOND, "a * repeated(sin)[1] + b * " "repeated(cos)[1]"),
        ("(x)", "(x)\n    repeated = lambda it: np.split(np.repeat(it, 2, -1), 2, -1)")),
        "The two of a pair are turned by different angles",
        "give both halves all angles in turn: np.tile, not np.repeat")),
    Checks(alibi_bias,
        cases=(
            call(1, 2, 3), call(2, 2, 3), call(2, 2, 3, offset=1).about("an offset"), call(4, 5, 5), call(8, 2, 5, 3),
            call(3, 3, 7).about("three heads"), call(6, 3, 7).about("six heads"),
            call(5, 2, 7, 3).about("five heads and an offset"), call(12, 2, 3).about("twelve heads"),
            call(31, 1, 2).about("31 heads"), call(1, 2, 2, offset=1).about("a query behind the last key")),
        claims=(
            Claim("a distance of 0 costs nothing",
                lambda f: float(np.abs(np.diagonal(f(6, 5, 5), axis1=1, axis2=2)).max())),
            Claim("distance never helps, before or after", lambda f: float(max(0, np.max(f(6, 5, 5))))),
            Claim("each step away costs the same", lambda f: distance(np.diff(f(5, 7, 7)[:, 6], n=2), np.zeros((5, 5))),
                **_SLOPES),
            Claim("with an offset, queries are the later rows", lambda f: distance(f(5, 2, 7, 3), f(5, 7, 7)[:, 3:5]),
                **_SLOPES),
            Claim("the paper's slopes for 8 heads: 1/2, 1/4, … 1/256",
                lambda f: distance(f(8, 2, 2)[:, 1, 0], -(0.5 ** np.arange(1, 9))), kind="oracle", **_SLOPES),
            Claim("the slopes of transformers' Bloom for 1, 3, 6 and 12 heads",
                lambda f: max(distance(-f(h, 2, 2)[:, 1, 0], 0.5 ** np.array(x)) for h, x in _BLOOM.items()),
                kind="oracle", **_SLOPES)),
        mistakes=(
            Mistake("later keys rewarded", ("np.abs(", "("),
                "Keys after the query get a bonus wherever no mask hides them", "take the absolute distance"),
            Mistake("later keys free", ("np.abs(", "np.maximum(0, "), "Keys after the query cost nothing",
                "take the absolute distance"),
            Mistake("later keys hidden",
                (("np.abs(", "("), ("* distance", "* np.where(distance < 0, np.inf, distance)")),
                "Keys after the query get -inf", "hide nothing here: that is the mask's"),
            Mistake("bias by key", (("np.abs(", "("), ("[:, None] + offset", "[:, None] * 0")),
                "It has the same rows for all queries, which is right under a causal mask alone",
                "take the distance from each query"),
            Mistake("one formula for every head count",
                ("np.concatenate([powers, between])[:n_heads]", "2.0 ** (-8 / n_heads * np.arange(1, n_heads + 1))"),
                "Slopes differ from those of trained models when the heads are no power of two",
                "take the slopes of the power of two below, then every other one of the power above",
                "mlx, issue 343 (2024)"),
            Mistake("slopes of head zero", (("np.arange(1, below + 1)", "np.arange(below)"),
                ("np.arange(1, 2 * below, 2)", "np.arange(-1, 2 * below - 2, 2)")),
                "The first slope is 1: every head is one step too steep", "count heads from 1 in the exponent",
                "aprender, pull request 2143 (2026)"),
            Mistake("one formula, from head zero",
                ("np.concatenate([powers, between])[:n_heads]", "2.0 ** (-8 / n_heads * np.arange(n_heads))"),
                "The first slope is 1, and the others are wrong as well where the heads are no power of two",
                "count heads from 1; take the slopes of the power of two below, then every other one of the power "
                "above"),
            Mistake("slopes of eight heads",
                ("np.concatenate([powers, between])[:n_heads]", "0.5 ** np.arange(1, n_heads + 1)"),
                "The slopes are those of eight heads, however many there are",
                "take alibi_slopes(n_heads): the exponent is -8i/h where h is a power of two"),
            Mistake("heads last", lambda n_heads, n_queries, n_keys, offset=0: np.moveaxis(alibi_bias(n_heads,
                n_queries, n_keys, offset), 0, -1), "The axis of the heads stands last",
                "give the slopes two axes more: alibi_slopes(n_heads)[:, None, None]"),
            Mistake("offset from the end", ("+ offset -", "+ n_keys - n_queries -"),
                "Queries stand at the last keys, whatever the offset", "query i stands at i + offset"),
            Mistake("no offset, so that of the end", ("+ offset -", "+ (offset or n_keys - n_queries) -"),
                "Where no offset is given, queries stand at the last keys instead of the first",
                "query i stands at i + offset"),
            Mistake("offset counted from the end", ("+ offset -", "+ n_keys - n_queries + offset -"),
                "Queries stand s - l places too late", "query i stands at i + offset"),
            Mistake("offset added to the keys", ("+ offset -", "- offset -"),
                "With a cache the first keys become the nearest ones", "query i stands at i + offset"),
            Mistake("slopes of 1, 1/2, 1/3", lambda n_heads, n_queries, n_keys, offset=0: alibi_bias(1, n_queries,
                n_keys, offset) * 256 / np.arange(1, n_heads + 1)[:, None, None], "The slopes are 1/i",
                "take alibi_slopes(n_heads): powers of two"))),
    Checks(rotary_score,
        cases=(
            *(call(np.array([1.0, 2.0]), np.array([3.0, 1.0]), it) for it in (0, 1)), call(_x4[0], _x4[1], 2),
            call(_q, _k, 3), call(_q, _k, 1000), call(_q, _k, -7).about("a key that comes later"),
            call(_q, _k, -100_000).about("a key that comes 100,000 places later", tolerance=1e-8)),
        claims=(
            Claim("a distance of 0 gives the dot product", lambda f: distance(f(_q, _k, 0), _q @ _k), **_LAST_BITS),
            oracle("rotary of both, multiplied", _turned_at, call(_q, _k, 3), call(_q, _k, 1000), call(_q, _k, -7),
                **_ANGLES)),
        mistakes=(
            Mistake("conjugate forgotten", ("np.conj(b)", "b"),
                "At distance 0 it is not the dot product: the angles of query and key are added",
                "multiply by the conjugate of the key, which takes its angle away"),
            Mistake("turned backwards", ("a * np.conj(b)", "np.conj(a) * b"), "The distance counts the wrong way round",
                "take the key's conjugate, and turn by exp(1j * distance * frequencies(d))"),
            Mistake("size for the real part", (("np.sum(", "abs(np.sum("), (")).real", ")))")), "It is never negative",
                "take the real part, not the absolute value"),
            Mistake("complex number", (".real", ""), "It is a complex number", "take its real part"),
            Mistake("imaginary part", (".real", ".imag"), "It is the imaginary part",
                "take the real part: it is the dot product of two pairs"),
            Mistake("distance without its sign", ("1j * distance", "1j * abs(distance)"),
                "A key that comes later is taken for one as far before", "keep the sign of the distance"),
            Mistake("cosine alone", ("np.exp(1j * distance *", "np.cos(distance *"),
                "A query finds a key before it as well as one after it", "the part with the sine is not zero"),
            Mistake("halves paired", ("q[0::2] + 1j * q[1::2], k[0::2] + 1j * k[1::2]",
                "(x[: len(x) // 2] + 1j * x[len(x) // 2 :] for x in (q, k))"),
                "Coordinates half a width apart are one number", "rotary pairs neighbours"),
            Mistake("exponent halved", ("frequencies(len(q))", "frequencies(len(q)) ** 0.5"),
                "Pairs slow down half as fast as they should", "the exponent is -2r/d for pair r"))),
    Checks(bias_by_key, run=_above_the_first, written=_written_bias,
        cases=(call(1, 3), call(2, 4), call(4, 6), call(3, 5).about("three heads")),
        claims=(
            Claim("later keys get the larger number", lambda f: float(max(0, -np.diff(f(4, 6)).min()))),
            Claim("the weights that alibi_bias gives", _by_distance, kind="oracle", tolerance=2e-14,
                why="scores and weights of six keys: some tens of roundings of 1.1e-16")),
        mistakes=(
            Mistake("slopes forgotten", ("alibi_slopes(n_heads)[:, None]", "np.ones((n_heads, 1))"),
                "All heads rise by whole steps, whatever their slopes", "multiply the places by alibi_slopes(n_heads)"),
            Mistake("falling", ("alibi_slopes", "-alibi_slopes"), "The nearest key gets the smallest number",
                "later keys are nearer to the last query: their numbers must be larger"),
            Mistake("slopes from one on", ("alibi_slopes(n_heads)", "2.0 ** (-8 / n_heads * np.arange(n_heads))"),
                "The steepest slope is 1", "the first of n heads has the slope 2⁻⁸ᐟⁿ: take alibi_slopes"),
            Mistake("one slope for all heads", ("alibi_slopes(n_heads)[:, None]", "np.full((n_heads, 1), 0.5)"),
                "All heads rise equally fast", "each head has a slope of its own"),
            Mistake("one formula for every head count",
                ("alibi_slopes(n_heads)", "2.0 ** (-8 / n_heads * np.arange(1, n_heads + 1))"),
                "Slopes differ from those of trained models when the heads are no power of two", "take alibi_slopes"))),
)
