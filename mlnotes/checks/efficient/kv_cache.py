"""What a key/value cache must satisfy, and how it is usually got wrong."""

from itertools import pairwise

import numpy as np

from mlnotes.attention.causal_mask import causal_mask
from mlnotes.attention.self_attention import attention
from mlnotes.checks.oldbank import Checks, Claim, Mistake, distance, frozen
from mlnotes.counting import count_operations
from mlnotes.efficient.kv_cache import KVCache, cache_nbytes, cached_attention, decoding_multiply_adds

_rng = np.random.default_rng(13)
_q, _k, _v = frozen(_rng.normal(size=(3, 11, 5)), _rng.normal(size=(3, 11, 5)), _rng.normal(size=(3, 11, 7)))
_FULL = attention(_q, _k, _v, causal_mask(11, 11))
_LAST_BITS = "sums of at most 11 products in float64: a few units of 1e-16"
_one_by_one, _at_once = tuple(range(12)), (0, 11)


def _in_chunks(f, q, k, v, ends):
    """Run a version over a sequence that is cut at ``ends``; return what it gives and what the cache then holds."""
    cache = KVCache(11, 3, 5, 7)
    parts = [f(*frozen(q[:, a:b].copy(), k[:, a:b].copy(), v[:, a:b].copy()), cache) for a, b in pairwise(ends)]
    return [np.concatenate(parts, axis=-2), cache.keys.copy(), cache.values.copy()]


def _error(ends):
    return lambda f: distance(_in_chunks(f, _q, _k, _v, ends)[0], _FULL)


def _takes_up(f):
    _, keys, values = _in_chunks(f, _q, _k, _v, (0, 2, 3, 11))
    return distance(keys, _k) + distance(values, _v)


def _torch_error(f):
    import torch

    attend = torch.nn.functional.scaled_dot_product_attention
    full = attend(*map(torch.tensor, (_q, _k, _v)), is_causal=True).numpy()
    return distance(_in_chunks(f, _q, _k, _v, (0, 4, 5, 11))[0], full)


def offset_forgotten(q, k, v, cache):
    """Number the queries of every chunk from 0."""
    cache.append(k, v)
    return attention(q, cache.keys, cache.values, causal_mask(q.shape[-2], len(cache)))


def mask_forgotten(q, k, v, cache):
    """Let every new token see all keys, because one new token may."""
    cache.append(k, v)
    return attention(q, cache.keys, cache.values)


def offset_one_short(q, k, v, cache):
    """Take the last token in the cache for the first new one."""
    offset = len(cache) - 1
    cache.append(k, v)
    j, i = np.arange(len(cache)), np.arange(q.shape[-2])
    return attention(q, cache.keys, cache.values, j <= i[:, None] + offset)


def only_the_chunk(q, k, v, cache):
    """Look at the new keys only."""
    cache.append(k, v)
    return attention(q, k, v, causal_mask(q.shape[-2], k.shape[-2]))


def never_appended(q, k, v, cache):
    """Join old and new keys for this call, and forget the new ones afterwards."""
    keys, values = np.concatenate([cache.keys, k], -2), np.concatenate([cache.values, v], -2)
    return attention(q, keys, values, causal_mask(q.shape[-2], keys.shape[-2], len(cache)))


def keys_as_values(q, k, v, cache):
    """Average the keys."""
    offset = len(cache)
    cache.append(k, v)
    return attention(q, cache.keys, cache.keys, causal_mask(q.shape[-2], len(cache), offset))


# A cache's life: chunks that fit, then some that do not. What it holds is looked at after each.


def _chunks(n_heads, d_head, sizes):
    rng = np.random.default_rng(5)
    return [rng.normal(size=(2, n_heads, size, d_head)) for size in sizes]


def _life(make, capacity, n_heads, d_head):
    cache, seen = make(capacity, n_heads, d_head), []

    def look():
        seen.extend([len(cache), np.array(cache.keys), np.array(cache.values)])

    for k, v in _chunks(n_heads, d_head, (2, 1, capacity - 4)):
        cache.append(k, v)
        look()
    seen.append(cache.nbytes)
    too_many, narrow = _chunks(n_heads, d_head, (2,))[0], _chunks(n_heads, 1, (1,))[0]
    one_head, single = _chunks(1, d_head, (1,))[0], _chunks(n_heads, d_head, (1,))[0].astype(np.float32)
    for k, v in (too_many, too_many[:, :, :1]), narrow, one_head, single, too_many:
        try:
            cache.append(k, v)
        except ValueError:
            seen.append("refused")
        look()
    return seen


def _holds(make):
    seen = _life(make, 9, 3, 5)
    k, v = zip(*_chunks(3, 5, (2, 1, 5)), strict=True)
    errors = []
    for i, end in enumerate((2, 3, 8)):
        length, keys, values = seen[3 * i : 3 * i + 3]
        errors += [abs(length - end), distance(keys, np.concatenate(k, 1)[:, :end])]
        errors += [distance(values, np.concatenate(v, 1)[:, :end])]
    return float(max(errors))


def _refuses(make):
    refused = sum(isinstance(it, str) for it in _life(make, 9, 3, 5))
    if refused < 5:
        raise AssertionError(f"it takes {5 - refused} of 5 chunks that do not fit")
    return 0.0


def _unchanged(make):
    cache = make(9, 3, 5)
    cache.append(*_chunks(3, 5, (8,))[0])
    before = len(cache), np.array(cache.keys), np.array(cache.values)
    try:
        cache.append(*_chunks(3, 5, (2,))[0])
    except ValueError:
        pass
    return float(len(cache) - before[0]) + distance(cache.keys, before[1]) + distance(cache.values, before[2])


class Overwritten(KVCache):
    """Write every chunk to the beginning."""

    def append(self, k, v):
        """Forget how much there is before writing."""
        length, self._length = self._length, 0
        super().append(k, v)
        self._length = max(length, self._length)


class WholeMemory(KVCache):
    """Hand out the whole memory, also what has not been written yet."""

    @property
    def keys(self):
        """All that was set aside."""
        return self._keys

    @property
    def values(self):
        """All that was set aside."""
        return self._values


class Ring(KVCache):
    """Go on at the beginning when the memory is full."""

    def append(self, k, v):
        """Write around the end."""
        if k.shape[-2] == v.shape[-2] and self._length + k.shape[-2] > self.capacity:
            self._length = 0
        super().append(k, v)


class Grown(KVCache):
    """Grow first, and check afterwards."""

    def append(self, k, v):
        """Count the new tokens before they are refused."""
        length = self._length
        try:
            super().append(k, v)
        except ValueError:
            self._length = min(length + k.shape[-2], self.capacity)
            raise


class Cast(KVCache):
    """Convert whatever comes to the cache's precision."""

    def append(self, k, v):
        """Take any dtype."""
        super().append(k.astype(self._keys.dtype), v.astype(self._values.dtype))


class Broadcast(KVCache):
    """Let one head stand for all."""

    def append(self, k, v):
        """Take one head for as many as there should be."""
        if k.shape[-3] == 1:
            k, v = (np.repeat(x, self._keys.shape[-3], -3) for x in (k, v))
        super().append(k, v)


class KeysTwice(KVCache):
    """Keep the keys in both places."""

    def append(self, k, v):
        """Lose the values."""
        super().append(k, k if k.shape == v.shape else v)


def values_forgotten(n_tokens, n_heads, d_head, n_layers=1, itemsize=4):
    """Count the keys only."""
    return n_tokens * n_heads * d_head * n_layers * itemsize


def layers_forgotten(n_tokens, n_heads, d_head, n_layers=1, itemsize=4):
    """Count one layer."""
    return 2 * n_tokens * n_heads * d_head * itemsize


def bits_of_a_number(n_tokens, n_heads, d_head, n_layers=1, itemsize=4):
    """Take bits for bytes."""
    return 16 * n_tokens * n_heads * d_head * n_layers * itemsize


def last_step(n_tokens, n_heads, d_head, d_value=None, cached=True):
    """Count the last token only."""
    pairs = n_tokens if cached else n_tokens**2
    return n_heads * (d_head + (d_head if d_value is None else d_value)) * pairs


def averages_forgotten(n_tokens, n_heads, d_head, d_value=None, cached=True):
    """Count the scores only."""
    return decoding_multiply_adds(n_tokens, n_heads, d_head, 0, cached)


def one_pass_as_without(n_tokens, n_heads, d_head, d_value=None, cached=True):
    """Take one pass over the whole text for decoding without a cache."""
    if cached:
        return decoding_multiply_adds(n_tokens, n_heads, d_head, d_value)
    return last_step(n_tokens, n_heads, d_head, d_value, cached)


def _tally_error(f):
    """Decode with numbers that count what is done to them."""

    def decode(q, k, v, cached):
        for t in range(1, 8):
            e = np.exp((q[t - 1 : t] if cached else q[:t]) @ k[:t].T)
            e @ v[:t] / e.sum(axis=-1, keepdims=True)

    q, k, v = (np.ones((7, width)) for width in (5, 5, 2))
    counts = {cached: count_operations(decode, q, k, v, cached)["multiply"] for cached in (True, False)}
    return float(max(abs(f(7, 3, 5, 2, cached) - 3 * count) for cached, count in counts.items()))


OLD = (
    Checks(
        KVCache,
        probes=((9, 3, 5), (7, 2, 3)),
        call=_life,
        claims=(
            Claim("it holds what was appended, in that order, and nothing else", _holds),
            Claim("it refuses other heads, widths, precisions and what is too much", _refuses),
            Claim("what it refuses leaves it as it was", _unchanged),
            Claim(
                "numpy's count of the bytes of two arrays (g, capacity, d)",
                lambda f: float(abs(f(9, 3, 5).nbytes - 2 * np.zeros((3, 9, 5)).nbytes)),
                kind="oracle",
            ),
        ),
        mistakes=(
            Mistake(Overwritten, "Later tokens replace the first ones", "write from len(cache) on"),
            Mistake(
                WholeMemory,
                "Tokens that are not there yet take part, with keys and values of zero",
                "hand out the first len(cache) tokens only",
                "transformers, pull request 45940 (2026)",
            ),
            Mistake(
                Ring,
                "A full cache forgets its first tokens without a word",
                "raise an error; a window that moves on needs a mask that knows",
                "litgpt, pull request 2215 (2026)",
            ),
            Mistake(Grown, "A refused chunk is counted all the same", "check everything before changing anything"),
            Mistake(Cast, "Numbers of another precision are converted without a word", "refuse another dtype"),
            Mistake(Broadcast, "One head is taken for all of them", "refuse another number of heads"),
            Mistake(KeysTwice, "The values are the keys", "write v into the values"),
        ),
    ),
    Checks(
        cached_attention,
        probes=((_q, _k, _v, _one_by_one), (_q, _k, _v, (0, 4, 5, 11)), (_q, _k, _v, _at_once)),
        call=_in_chunks,
        claims=(
            Claim("one chunk is causal attention", _error(_at_once), 1e-12, _LAST_BITS),
            Claim("token by token it gives what one pass gives", _error(_one_by_one), 1e-12, _LAST_BITS),
            Claim("in chunks of 4, 1 and 6 it gives what one pass gives", _error((0, 4, 5, 11)), 1e-12, _LAST_BITS),
            Claim("the cache takes up every key and value once", _takes_up),
            Claim(
                "torch's causal attention of the whole sequence, from chunks of 4, 1 and 6",
                _torch_error,
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                offset_forgotten,
                "After the first chunk, tokens look at the oldest keys only",
                "give the mask the offset: the number of tokens before the chunk",
                "PyTorch's is_causal, issue 108108 (2023); ONNX, issue 8054 (2026)",
            ),
            Mistake(
                mask_forgotten,
                "Token by token all is well; in larger chunks tokens see their future",
                "mask the chunk, with the offset read before appending",
                "TinyLLM, pull request 18 (2026)",
            ),
            Mistake(
                offset_one_short,
                "No token sees itself, and the first sees nothing",
                "the offset is the number of tokens before the chunk, not the position of the last of them",
            ),
            Mistake(only_the_chunk, "Each chunk has forgotten those before it", "attend to the keys of the cache"),
            Mistake(never_appended, "The cache stays empty", "append the new keys and values"),
            Mistake(keys_as_values, "The result is as wide as the keys", "average the values, not the keys"),
        ),
    ),
    Checks(
        cache_nbytes,
        probes=((7, 3, 5), (7, 3, 5, 2), (7, 3, 5, 2, 2)),
        claims=(
            Claim(
                "twice the tokens or twice the layers take twice the bytes",
                lambda f: float(abs(f(14, 3, 5, 2) - 2 * f(7, 3, 5, 2)) + abs(f(7, 3, 5, 4) - 2 * f(7, 3, 5, 2))),
            ),
            Claim(
                "numpy's count for the keys and values of each layer",
                lambda f: float(abs(f(7, 3, 5, 2, 4) - np.zeros((2, 2, 3, 7, 5), np.float32).nbytes)),
                kind="oracle",
            ),
        ),
        mistakes=(
            Mistake(values_forgotten, "It is half of what is needed", "count keys and values"),
            Mistake(layers_forgotten, "It does not grow with the layers", "each layer has a cache of its own"),
            Mistake(bits_of_a_number, "It is eight times too much", "itemsize is in bytes"),
        ),
    ),
    Checks(
        decoding_multiply_adds,
        probes=((7, 3, 5), (7, 3, 5, 2), (7, 3, 5, 2, False), (1, 1, 1)),
        claims=(
            Claim(
                "it is the sum over the steps, t or t² pairs of a query and a key in step t",
                lambda f: float(
                    abs(f(7, 3, 5, 2) - 3 * 7 * sum(range(8)))
                    + abs(f(7, 3, 5, 2, False) - 3 * 7 * sum(t * t for t in range(8)))
                ),
            ),
            Claim(
                "without a cache it is (2n + 1)/3 times as much",
                lambda f: float(abs(3 * f(10, 2, 4, cached=False) - 21 * f(10, 2, 4))),
            ),
            Claim("the multiplications of numbers that keep a tally", _tally_error, kind="oracle"),
        ),
        mistakes=(
            Mistake(last_step, "It is the cost of the last token", "add up the steps"),
            Mistake(averages_forgotten, "The width of the values plays no part", "count scores and averages: d + e"),
            Mistake(
                one_pass_as_without,
                "Without a cache it grows as the square",
                "every step attends anew: add up the squares",
            ),
        ),
    ),
)
