"""The key/value cache and its costs, as readers write them."""

import math

import numpy as np
import torch
from slips import slip

from mlnotes.attention.causal_mask import causal_mask
from mlnotes.attention.self_attention import attention
from mlnotes.blocks.softmax import softmax
from mlnotes.efficient.kv_cache import KVCache


def right_cache_nbytes__product(n_tokens, n_heads, d_head, n_layers=1, itemsize=4):
    return 2 * n_layers * n_heads * n_tokens * d_head * itemsize


def right_cache_nbytes__counted(n_tokens, n_heads, d_head, n_layers=1, itemsize=4):
    total = 0
    for _ in range(n_layers):
        for _ in ("keys", "values"):
            total += n_heads * n_tokens * d_head * itemsize
    return total


def right_cache_nbytes__arrays(n_tokens, n_heads, d_head, n_layers=1, itemsize=4):
    shape = (n_layers, 2, n_heads, n_tokens, d_head)
    return np.prod(shape) * np.dtype(f"f{itemsize}").itemsize


def wrong_cache_nbytes__item_size(n_tokens, n_heads, d_head, n_layers=1, itemsize=4):
    """`itemsize` makes no difference"""
    return 2 * n_layers * n_heads * n_tokens * d_head * 4


def wrong_cache_nbytes__layers_added(n_tokens, n_heads, d_head, n_layers=1, itemsize=4):
    """Line 3"""
    return 2 * (n_layers + n_heads * n_tokens * d_head) * itemsize


def wrong_cache_nbytes__one_of_two_in_numbers(n_tokens, n_heads, d_head, n_layers=1, itemsize=4):
    """Line 5"""
    keys = n_tokens * n_heads * d_head
    values = n_tokens * n_heads * d_head * itemsize
    return n_layers * (keys + values)


def wrong_cache_nbytes__kilobytes(n_tokens, n_heads, d_head, n_layers=1, itemsize=4):
    """Line 3"""
    return 2 * n_layers * n_heads * n_tokens * d_head * itemsize / 1024


def wrong_cache_nbytes__scores(n_tokens, n_heads, d_head, n_layers=1, itemsize=4):
    """`n_tokens` stands where `d_head` belongs"""
    return 2 * n_layers * n_heads * n_tokens * n_tokens * itemsize


def wrong_cache_nbytes__heads(n_tokens, n_heads, d_head, n_layers=1, itemsize=4):
    """Line 3"""
    numbers = n_tokens * d_head
    return 2 * numbers * n_layers * itemsize


def wrong_cache_nbytes__other_default(n_tokens, n_heads, d_head, n_layers=1, itemsize=2):
    """Where `itemsize` is not given, it is 2, and should be 4."""
    return 2 * n_layers * n_heads * n_tokens * d_head * itemsize


def wrong_cache_nbytes__last_layer(n_tokens, n_heads, d_head, n_layers=1, itemsize=4):
    """`n_layers` makes no difference"""
    total = 0
    for _ in range(n_layers):
        total = 2 * n_heads * n_tokens * d_head * itemsize
    return total


def right_tokens_in_24_gb__whole():
    return 20065


def right_tokens_in_24_gb__computed():
    return (24e9 - 2 * 6.74e9) // (2 * 32 * 32 * 128 * 2)


def right_tokens_in_24_gb__float():
    return 20065.0


def wrong_tokens_in_24_gb__weights():
    """The weights need room"""
    return int(24e9 // (2 * 32 * 32 * 128 * 2))


def wrong_tokens_in_24_gb__single_precision():
    """four bytes"""
    return int((24e9 - 2 * 6.74e9) // (2 * 32 * 32 * 128 * 4))


def wrong_tokens_in_24_gb__keys():
    """twice as many as fit: count keys and values"""
    return int((24e9 - 2 * 6.74e9) // (32 * 32 * 128 * 2))


def wrong_tokens_in_24_gb__not_rounded():
    """This is no whole number of tokens"""
    return (24e9 - 13.48e9) / 524288


def wrong_tokens_in_24_gb__written_down():
    """This is no whole number of tokens"""
    return 20065.31


def wrong_tokens_in_24_gb__seven_billion():
    """as its name says: it has 6.74·10⁹"""
    return int((24e9 - 2 * 7e9) // (2 * 32 * 32 * 128 * 2))


def wrong_tokens_in_24_gb__layers():
    """These are tokens of one layer"""
    return int((24e9 - 2 * 6.74e9) // (2 * 32 * 128 * 2))


def wrong_tokens_in_24_gb__texts():
    return 4


def wrong_tokens_in_24_gb__one_byte_a_weight():
    """Each weight was taken for one byte"""
    return int((24e9 - 6.74e9) // (2 * 32 * 32 * 128 * 2))


def wrong_tokens_in_24_gb__rounded_up():
    """The last of these tokens does not fit"""
    return 20066


def right_decoding_multiply_adds__formula(n_tokens, n_heads, d_head, d_value=None, cached=True):
    n, e = n_tokens, d_head if d_value is None else d_value
    pairs = n * (n + 1) / 2 if cached else n * (n + 1) * (2 * n + 1) / 6
    return n_heads * (d_head + e) * pairs


def right_decoding_multiply_adds__loop(n_tokens, n_heads, d_head, d_value=None, cached=True):
    if d_value is None:
        d_value = d_head
    total = 0
    for step in range(n_tokens):
        keys = step + 1
        queries = 1 if cached else keys
        total += n_heads * queries * keys * (d_head + d_value)
    return total


def right_decoding_multiply_adds__numpy(n_tokens, n_heads, d_head, d_value=None, cached=True):
    t = np.arange(1, n_tokens + 1)
    return n_heads * (d_head + (d_head if d_value is None else d_value)) * (t if cached else t**2).sum()


def wrong_decoding_multiply_adds__one_less(n_tokens, n_heads, d_head, d_value=None, cached=True):
    """It is the cost of one token less"""
    e = d_head if d_value is None else d_value
    steps = range(n_tokens)
    return n_heads * (d_head + e) * sum(t if cached else t * t for t in steps)


def wrong_decoding_multiply_adds__half_forgotten(n_tokens, n_heads, d_head, d_value=None, cached=True):
    """Line 4"""
    e = d_head if d_value is None else d_value
    pairs = n_tokens * (n_tokens + 1) if cached else n_tokens * (n_tokens + 1) * (2 * n_tokens + 1) // 6
    return n_heads * (d_head + e) * pairs


def wrong_decoding_multiply_adds__branches(n_tokens, n_heads, d_head, d_value=None, cached=True):
    """Line 5"""
    n = n_tokens
    e = d_head if d_value is None else d_value
    pairs = n * (n + 1) * (2 * n + 1) // 6 if cached else n * (n + 1) // 2
    return n_heads * (d_head + e) * pairs


def wrong_decoding_multiply_adds__widths_multiplied(n_tokens, n_heads, d_head, d_value=None, cached=True):
    """The widths are multiplied"""
    n, e = n_tokens, d_head if d_value is None else d_value
    pairs = n * (n + 1) // 2 if cached else n * (n + 1) * (2 * n + 1) // 6
    return n_heads * d_head * e * pairs


def wrong_decoding_multiply_adds__about_a_third(n_tokens, n_heads, d_head, d_value=None, cached=True):
    """1 + 4 + … + n² is n(n + 1)(2n + 1)/6"""
    e = d_head if d_value is None else d_value
    pairs = n_tokens * (n_tokens + 1) // 2 if cached else n_tokens**3 // 3
    return n_heads * (d_head + e) * pairs


def wrong_decoding_multiply_adds__width_of_values(n_tokens, n_heads, d_head, d_value=None, cached=True):
    """`d_value` makes no difference"""
    pairs = sum(t ** (1 if cached else 2) for t in range(1, n_tokens + 1))
    return n_heads * 2 * d_head * pairs


def wrong_decoding_multiply_adds__heads(n_tokens, n_heads, d_head, d_value=None, cached=True):
    """Line 8"""
    e = d_head if d_value is None else d_value
    total = 0
    for t in range(1, n_tokens + 1):
        pairs = t if cached else t * t
        total += (d_head + e) * pairs
    return total


def wrong_decoding_multiply_adds__never_cached(n_tokens, n_heads, d_head, d_value=None, cached=True):
    """`cached` makes no difference"""
    e = d_head if d_value is None else d_value
    pairs = sum(t * t for t in range(1, n_tokens + 1))
    return n_heads * (d_head + e) * pairs


def right_cached_attention__mask_by_hand(q, k, v, cache):
    before = len(cache)
    cache.append(k, v)
    i, j = np.arange(q.shape[-2])[:, None], np.arange(len(cache))
    return attention(q, cache.keys, cache.values, mask=j - before <= i)


def right_cached_attention__last_rows(q, k, v, cache):
    cache.append(k, v)
    s, n = len(cache), q.shape[-2]
    return attention(q, cache.keys, cache.values, causal_mask(s, s)[s - n :])


def right_cached_attention__token_by_token(q, k, v, cache):
    out = []
    for i in range(q.shape[-2]):
        cache.append(k[..., i : i + 1, :], v[..., i : i + 1, :])
        out.append(attention(q[..., i : i + 1, :], cache.keys, cache.values))
    return np.concatenate(out, axis=-2)


def right_cached_attention__einsum(q, k, v, cache):
    keys = np.concatenate([cache.keys, k], axis=-2)
    values = np.concatenate([cache.values, v], axis=-2)
    cache.append(k, v)
    scores = np.einsum("...ld,...sd->...ls", q, keys) / math.sqrt(q.shape[-1])
    future = np.triu(np.ones(scores.shape[-2:], bool), 1 + keys.shape[-2] - q.shape[-2])
    return np.einsum("...ls,...se->...le", softmax(np.where(future, -np.inf, scores)), values)


def right_cached_attention__one_sequence(q, k, v, cache):
    cache.append(k, v)
    total = cache.keys.shape[-2]
    mask = np.arange(total) <= np.arange(total - q.shape[-2], total)[:, None]
    scores = np.where(mask, np.einsum("hld,hsd->hls", q, cache.keys) / math.sqrt(q.shape[-1]), -np.inf)
    return np.einsum("hls,hse->hle", softmax(scores), cache.values)


def right_cached_attention__torch(q, k, v, cache):
    past = len(cache)
    cache.append(k, v)
    mask = torch.tensor(causal_mask(q.shape[-2], len(cache), past))
    arrays = [torch.tensor(np.array(it)) for it in (q, cache.keys, cache.values)]
    return torch.nn.functional.scaled_dot_product_attention(*arrays, attn_mask=mask).numpy()


def wrong_cached_attention__read_after_appending(q, k, v, cache):
    """with the offset read before appending"""
    cache.append(k, v)
    offset = len(cache)
    return attention(q, cache.keys, cache.values, causal_mask(q.shape[-2], len(cache), offset))


def wrong_cached_attention__appended_last(q, k, v, cache):
    """append before attending"""
    offset = len(cache)
    out = attention(q, cache.keys, cache.values, causal_mask(q.shape[-2], len(cache), offset))
    cache.append(k, v)
    return out


def wrong_cached_attention__exchanged(q, k, v, cache):
    """Line 4"""
    offset = len(cache)
    cache.append(v, k)
    return attention(q, cache.keys, cache.values, causal_mask(q.shape[-2], len(cache), offset))


def wrong_cached_attention__one_too_far(q, k, v, cache):
    """Each token sees the next one"""
    offset = len(cache)
    cache.append(k, v)
    return attention(q, cache.keys, cache.values, causal_mask(q.shape[-2], len(cache), offset + 1))


def wrong_cached_attention__mask_inverted(q, k, v, cache):
    """Line 5"""
    offset = len(cache)
    cache.append(k, v)
    mask = ~causal_mask(q.shape[-2], len(cache), offset)
    return attention(q, cache.keys, cache.values, mask)


def wrong_cached_attention__room_for_offset(q, k, v, cache):
    """`cache.keys` and `cache.values` are right in every call, `result` is not."""
    cache.append(k, v)
    offset = cache.capacity - q.shape[-2]
    return attention(q, cache.keys, cache.values, causal_mask(q.shape[-2], len(cache), offset))


def wrong_cached_attention__last_row(q, k, v, cache):
    """Line 6"""
    offset = len(cache)
    cache.append(k, v)
    out = attention(q, cache.keys, cache.values, causal_mask(q.shape[-2], len(cache), offset))
    return out[..., -1:, :]


def wrong_cached_attention__appended_twice(q, k, v, cache):
    """Line 6"""
    offset = len(cache)
    cache.append(k, v)
    out = attention(q, cache.keys, cache.values, causal_mask(q.shape[-2], len(cache), offset))
    cache.append(k, v)
    return out


def wrong_cached_attention__hidden_after_softmax(q, k, v, cache):
    """`cache.keys` and `cache.values` are right in every call, `result` is not."""
    offset = len(cache)
    cache.append(k, v)
    weights = softmax(q @ cache.keys.mT / np.sqrt(q.shape[-1]))
    weights = weights * causal_mask(q.shape[-2], len(cache), offset)
    return weights @ cache.values


def wrong_cached_attention__softmax_over_queries(q, k, v, cache):
    """Line 6"""
    offset = len(cache)
    cache.append(k, v)
    scores = q @ cache.keys.mT / q.shape[-1] ** 0.5
    weights = softmax(np.where(causal_mask(q.shape[-2], len(cache), offset), scores, -np.inf), axis=-2)
    return weights @ cache.values


def wrong_cached_attention__shape_of_the_cache(q, k, v, cache):
    """Line 3"""
    offset = cache.keys.shape[0]
    cache.append(k, v)
    return attention(q, cache.keys, cache.values, causal_mask(q.shape[-2], len(cache), offset))


class right_KVCache__one_memory:
    def __init__(self, capacity, n_heads, d_head):
        self.memory, self.n = np.zeros((2, n_heads, capacity, d_head)), 0

    def append(self, k, v):
        room = self.memory[:, :, self.n : self.n + k.shape[1]]
        if any(x.shape != room[0].shape or x.dtype != float for x in (k, v)):
            raise ValueError(f"room for {room[0].shape}, got {k.shape}, {v.shape}")
        room[:] = k, v
        self.n += k.shape[1]

    keys = property(lambda self: self.memory[0, :, : self.n])
    values = property(lambda self: self.memory[1, :, : self.n])
    nbytes = property(lambda self: self.memory.nbytes)

    def __len__(self):
        return self.n


class right_KVCache__grown_arrays:
    def __init__(self, capacity, n_heads, d_head):
        self.capacity, self.n_heads, self.d_head = capacity, n_heads, d_head
        self.keys = np.empty((n_heads, 0, d_head))
        self.values = np.empty((n_heads, 0, d_head))
        self.nbytes = 2 * 8 * n_heads * capacity * d_head

    def append(self, k, v):
        for it in (k, v):
            heads, tokens, width = it.shape
            if heads != self.n_heads or width != self.d_head:
                raise ValueError("another number of heads, or another width")
            if it.dtype != np.float64:
                raise ValueError("not float64")
            if len(self) + tokens > self.capacity:
                raise ValueError("no room")
        if k.shape != v.shape:
            raise ValueError("as many keys as values, please")
        self.keys = np.concatenate([self.keys, k], axis=1)
        self.values = np.concatenate([self.values, v], axis=1)

    def __len__(self):
        return self.keys.shape[1]


class right_KVCache__token_lists:
    def __init__(self, capacity, n_heads, d_head):
        self.shape = n_heads, capacity, d_head
        self.tokens = []

    def append(self, k, v):
        n_heads, capacity, d_head = self.shape
        new = k.shape[1]
        fits = k.shape == v.shape == (n_heads, new, d_head) and len(self.tokens) + new <= capacity
        if not fits or k.dtype != np.float64 or v.dtype != np.float64:
            raise ValueError("it does not fit")
        self.tokens += [(k[:, i].copy(), v[:, i].copy()) for i in range(new)]

    def _part(self, which):
        n_heads, _, d_head = self.shape
        rows = [token[which] for token in self.tokens]
        return np.stack(rows, axis=1) if rows else np.zeros((n_heads, 0, d_head))

    @property
    def keys(self):
        return self._part(0)

    @property
    def values(self):
        return self._part(1)

    @property
    def nbytes(self):
        return 2 * math.prod(self.shape) * 8

    def __len__(self):
        return len(self.tokens)


class _Plain:
    """What the wrong ones below share: they differ from it in one place each."""

    def __init__(self, capacity, n_heads, d_head):
        self.k = np.zeros((n_heads, capacity, d_head))
        self.v = np.zeros((n_heads, capacity, d_head))
        self.n = 0

    def refuse(self, k, v):
        heads, capacity, width = self.k.shape
        if k.shape != v.shape or k.shape[0] != heads or k.shape[2] != width:
            raise ValueError(f"got {k.shape} and {v.shape}")
        if k.dtype != float or v.dtype != float:
            raise ValueError(f"got {k.dtype} and {v.dtype}")
        if self.n + k.shape[1] > capacity:
            raise ValueError(f"{self.n} tokens and {k.shape[1]} more do not fit")

    @property
    def keys(self):
        return self.k[:, : self.n]

    @property
    def values(self):
        return self.v[:, : self.n]

    @property
    def nbytes(self):
        return self.k.nbytes + self.v.nbytes

    def __len__(self):
        return self.n


class wrong_KVCache__full_is_too_full(_Plain):
    """Line 7"""

    def append(self, k, v):
        if k.shape != v.shape or k.shape[::2] != self.k.shape[::2] or not k.dtype == v.dtype == float:
            raise ValueError("it does not fit")
        if self.n + k.shape[1] >= self.k.shape[1]:
            raise ValueError("too many")
        self.k[:, self.n : self.n + k.shape[1]] = k
        self.v[:, self.n : self.n + k.shape[1]] = v
        self.n += k.shape[1]


class wrong_KVCache__one_memory_for_all(_Plain):
    """`cls, self.n = type(self), 0`"""

    def __init__(self, capacity, n_heads, d_head):
        cls, self.n = type(self), 0
        cls.k, cls.v = np.zeros((2, n_heads, capacity, d_head))

    def append(self, k, v):
        self.refuse(k, v)
        self.k[:, self.n : self.n + k.shape[1]] = k
        self.v[:, self.n : self.n + k.shape[1]] = v
        self.n += k.shape[1]


class wrong_KVCache__one_more(_Plain):
    """It counts chunks, not tokens"""

    def append(self, k, v):
        self.refuse(k, v)
        end = self.n + k.shape[1]
        self.k[:, self.n : end] = k
        self.v[:, self.n : end] = v
        self.n += 1


class wrong_KVCache__values_from_the_start(_Plain):
    def append(self, k, v):
        self.refuse(k, v)
        end = self.n + k.shape[1]
        self.k[:, self.n : end] = k
        self.v[:, : k.shape[1]] = v
        self.n = end


class wrong_KVCache__refused_too_late(_Plain):
    """A refused chunk is counted all the same"""

    def append(self, k, v):
        start, self.n = self.n, self.n + k.shape[1]
        if self.n > self.k.shape[1] or k.shape != v.shape or k.shape[::2] != self.k.shape[::2]:
            raise ValueError("it does not fit")
        if not k.dtype == v.dtype == float:
            raise ValueError("another dtype")
        self.k[:, start : self.n] = k
        self.v[:, start : self.n] = v


class wrong_KVCache__asserted(_Plain):
    """Line 5, `assert k.dtype == v.dtype == float`: another exception"""

    def append(self, k, v):
        assert k.dtype == v.dtype == float
        self.refuse(k, v)
        self.k[:, self.n : self.n + k.shape[1]] = k
        self.v[:, self.n : self.n + k.shape[1]] = v
        self.n += k.shape[1]


class wrong_KVCache__bytes_in_use:
    """the bytes of the tokens that are there"""

    def __init__(self, capacity, n_heads, d_head):
        self.memory, self.n = np.zeros((2, n_heads, capacity, d_head)), 0

    def append(self, k, v):
        room = self.memory[:, :, self.n : self.n + k.shape[1]]
        if any(x.shape != room[0].shape or x.dtype != float for x in (k, v)):
            raise ValueError("it does not fit")
        room[:] = k, v
        self.n += k.shape[1]

    keys = property(lambda self: self.memory[0, :, : self.n])
    values = property(lambda self: self.memory[1, :, : self.n])
    nbytes = property(lambda self: self.keys.nbytes + self.values.nbytes)

    def __len__(self):
        return self.n


class wrong_KVCache__newest_only:
    """Line 12"""

    def __init__(self, capacity, n_heads, d_head):
        self.memory, self.n = np.zeros((2, n_heads, capacity, d_head)), 0

    def append(self, k, v):
        room = self.memory[:, :, self.n : self.n + k.shape[1]]
        if any(x.shape != room[0].shape or x.dtype != float for x in (k, v)):
            raise ValueError("it does not fit")
        room[:] = k, v
        self.n = k.shape[1]

    keys = property(lambda self: self.memory[0, :, : self.n])
    values = property(lambda self: self.memory[1, :, : self.n])
    nbytes = property(lambda self: self.memory.nbytes)

    def __len__(self):
        return self.n


class wrong_KVCache__keys_changed_first:
    """What is refused changes `keys` and `values` all the same"""

    def __init__(self, capacity, n_heads, d_head):
        self.keys, self.values = np.zeros((2, n_heads, 0, d_head))
        self.room = capacity
        self.nbytes = 2 * 8 * n_heads * capacity * d_head

    def append(self, k, v):
        self.keys = self._joined(self.keys, k)
        self.values = self._joined(self.values, v)
        if self.keys.shape != self.values.shape:
            raise ValueError("as many keys as values")

    def _joined(self, old, new):
        if new.dtype != float or new.shape[::2] != old.shape[::2] or old.shape[1] + new.shape[1] > self.room:
            raise ValueError("it does not fit")
        return np.concatenate([old, new], axis=1)

    def __len__(self):
        return self.keys.shape[1]


class wrong_KVCache__single_precision:
    """Line 5"""

    def __init__(self, capacity, n_heads, d_head):
        self.memory, self.n = np.zeros((2, n_heads, capacity, d_head), np.float32), 0

    def append(self, k, v):
        room = self.memory[:, :, self.n : self.n + k.shape[1]]
        if any(x.shape != room[0].shape or x.dtype != float for x in (k, v)):
            raise ValueError("it does not fit")
        room[:] = k, v
        self.n += k.shape[1]

    keys = property(lambda self: self.memory[0, :, : self.n])
    values = property(lambda self: self.memory[1, :, : self.n])
    nbytes = property(lambda self: self.memory.nbytes)

    def __len__(self):
        return self.n


class right_KVCache__inherited(KVCache):
    def append(self, k, v):
        super().append(k, v)


class wrong_KVCache__refusal_printed(_Plain):
    """`return`: an exception is caught that should come through"""

    def append(self, k, v):
        try:
            self.refuse(k, v)
        except ValueError as refusal:
            print(refusal)
            return
        self.k[:, self.n : self.n + k.shape[1]] = k
        self.v[:, self.n : self.n + k.shape[1]] = v
        self.n += k.shape[1]


class wrong_KVCache__cut_to_fit(_Plain):
    """Tokens that do not fit are left out without a word"""

    def append(self, k, v):
        room = self.k.shape[1] - self.n
        k, v = k[:, :room], v[:, :room]
        self.refuse(k, v)
        self.k[:, self.n : self.n + k.shape[1]] = k
        self.v[:, self.n : self.n + k.shape[1]] = v
        self.n += k.shape[1]


def right_decoding_multiply_adds__combinations(n_tokens, n_heads, d_head, d_value=None, cached=True):
    e = d_head if d_value is None else d_value
    pairs = math.comb(n_tokens + 1, 2)
    return n_heads * (d_head + e) * (pairs if cached else pairs + 2 * math.comb(n_tokens + 1, 3))


def wrong_decoding_multiply_adds__visible_pairs(n_tokens, n_heads, d_head, d_value=None, cached=True):
    """pairs that the mask hides are not counted"""
    n, e = n_tokens, d_head if d_value is None else d_value
    pairs = n * (n + 1) // 2 if cached else sum(t * (t + 1) // 2 for t in range(1, n + 1))
    return n_heads * (d_head + e) * pairs


def wrong_decoding_multiply_adds__as_the_last(n_tokens, n_heads, d_head, d_value=None, cached=True):
    """Every step costs as much as the last"""
    n, e = n_tokens, d_head if d_value is None else d_value
    return n * n_heads * (d_head + e) * (n if cached else n**2)


def right_cached_attention__padded_queries(q, k, v, cache):
    past = len(cache)
    cache.append(k, v)
    padded = np.concatenate([np.zeros((*q.shape[:-2], past, q.shape[-1])), q], axis=-2)
    return attention(padded, cache.keys, cache.values, causal_mask(len(cache), len(cache)))[..., past:, :]


def wrong_cached_attention__two_softmaxes_averaged(q, k, v, cache):
    """`cache.keys` and `cache.values` are right in every call, `result` is not."""
    past, n = len(cache), q.shape[-2]
    out = attention(q, k, v, causal_mask(n, n))
    if past:
        out = (past * attention(q, cache.keys, cache.values) + n * out) / (past + n)
    cache.append(k, v)
    return out


def wrong_cached_attention__past_and_itself(q, k, v, cache):
    """`cache.keys` and `cache.values` are right in every call, `result` is not."""
    offset, n = len(cache), q.shape[-2]
    cache.append(k, v)
    mask = np.concatenate([np.ones((n, offset), bool), np.eye(n, dtype=bool)], axis=1)
    return attention(q, cache.keys, cache.values, mask)


class wrong_KVCache__kept_by_reference:
    """Tokens change when the arrays that were appended are used again"""

    def __init__(self, capacity, n_heads, d_head):
        self.shape, self.capacity = (n_heads, 0, d_head), capacity
        self.parts = []
        self.nbytes = 16 * capacity * n_heads * d_head

    def append(self, k, v):
        heads, _, width = self.shape
        if any(x.shape != (heads, k.shape[1], width) or x.dtype != float for x in (k, v)):
            raise ValueError("it does not fit")
        if len(self) + k.shape[1] > self.capacity:
            raise ValueError("it is full")
        self.parts.append((k, v))

    keys = property(lambda self: np.concatenate([np.zeros(self.shape), *(k for k, _ in self.parts)], axis=1))
    values = property(lambda self: np.concatenate([np.zeros(self.shape), *(v for _, v in self.parts)], axis=1))

    def __len__(self):
        return sum(k.shape[1] for k, _ in self.parts)


class wrong_KVCache__values_not_counted(_Plain):
    """Fewer values than keys are taken"""

    def append(self, k, v):
        for x, memory in (k, self.k), (v, self.v):
            if x.shape[0] != memory.shape[0] or x.shape[2] != memory.shape[2] or x.dtype != memory.dtype:
                raise ValueError("it does not fit")
        if self.n + k.shape[1] > self.k.shape[1]:
            raise ValueError("it is full")
        self.v[:, self.n : self.n + k.shape[1]] = v
        self.k[:, self.n : self.n + k.shape[1]] = k
        self.n += k.shape[1]


class wrong_KVCache__two_counters:
    """Keys are taken up before the values are refused"""

    def __init__(self, capacity, n_heads, d_head):
        self.memory = np.zeros((2, n_heads, capacity, d_head))
        self.n = [0, 0]

    def append(self, k, v):
        if k.shape[1] != v.shape[1]:
            raise ValueError("as many keys as values")
        self.put(0, k)
        self.put(1, v)

    def put(self, i, x):
        room = self.memory[i, :, self.n[i] : self.n[i] + x.shape[1]]
        if x.shape != room.shape or x.dtype != room.dtype:
            raise ValueError("it does not fit")
        room[:] = x
        self.n[i] += x.shape[1]

    keys = property(lambda self: self.memory[0, :, : self.n[0]])
    values = property(lambda self: self.memory[1, :, : self.n[1]])
    nbytes = property(lambda self: self.memory.nbytes)

    def __len__(self):
        return self.n[1]


class wrong_KVCache__without_end:
    """It takes more tokens than fit"""

    def __init__(self, capacity, n_heads, d_head):
        self.keys, self.values = np.zeros((2, n_heads, 0, d_head))
        self.nbytes = 2 * 8 * n_heads * capacity * d_head

    def append(self, k, v):
        if k.shape != v.shape or k.shape[::2] != self.keys.shape[::2] or k.dtype != float or v.dtype != float:
            raise ValueError("it does not fit")
        self.keys = np.concatenate([self.keys, k], axis=1)
        self.values = np.concatenate([self.values, v], axis=1)

    def __len__(self):
        return self.keys.shape[1]


class wrong_KVCache__bytes_of_keys(_Plain):
    """It counts half of the bytes"""

    def append(self, k, v):
        self.refuse(k, v)
        self.k[:, self.n : self.n + k.shape[1]] = k
        self.v[:, self.n : self.n + k.shape[1]] = v
        self.n += k.shape[1]

    nbytes = property(lambda self: self.k.nbytes)


class wrong_KVCache__one_memory:
    """The keys are the values"""

    def __init__(self, capacity, n_heads, d_head):
        self.memory, self.n = np.zeros((n_heads, capacity, d_head)), 0
        self.nbytes = 2 * self.memory.nbytes

    def append(self, k, v):
        room = self.memory[:, self.n : self.n + k.shape[1]]
        if k.shape != room.shape or v.shape != room.shape or k.dtype != float or v.dtype != float:
            raise ValueError("it does not fit")
        room[:] = k
        room[:] = v
        self.n += k.shape[1]

    keys = values = property(lambda self: self.memory[:, : self.n])

    def __len__(self):
        return self.n


class wrong_KVCache__heads_and_width_exchanged(_Plain):
    """something stands there that is too much"""

    def append(self, k, v):
        heads, _, width = self.k.shape
        if k.shape != v.shape or k.shape[0] * k.shape[2] != heads * width or {k.dtype, v.dtype} != {self.k.dtype}:
            raise ValueError("it does not fit")
        if self.n + k.shape[1] > self.k.shape[1]:
            raise ValueError("it is full")
        end = self.n + k.shape[1]
        self.k[:, self.n : end], self.v[:, self.n : end] = k.reshape(heads, -1, width), v.reshape(heads, -1, width)
        self.n = end


class wrong_KVCache__each_checked_when_its_turn_comes:
    """What is refused changes `keys` all the same"""

    def __init__(self, capacity, n_heads, d_head):
        self.capacity, self.shape = capacity, (n_heads, d_head)
        self.keys, self.values = np.zeros((2, n_heads, 0, d_head))
        self.nbytes = 2 * n_heads * capacity * d_head * 8

    def append(self, k, v):
        if k.shape[1] != v.shape[1] or len(self) + k.shape[1] > self.capacity:
            raise ValueError("another number of values than of keys, or no room")
        self._check(k)
        self.keys = np.concatenate([self.keys, k], axis=1)
        self._check(v)
        self.values = np.concatenate([self.values, v], axis=1)

    def _check(self, x):
        if x.shape[::2] != self.shape or x.dtype != np.float64:
            raise ValueError("another number of heads, another width or another dtype")

    def __len__(self):
        return self.keys.shape[1]


class wrong_KVCache__lists_of_chunks:
    """What is refused changes `keys` and `values` all the same"""

    def __init__(self, capacity, n_heads, d_head):
        self.capacity, self.shape = capacity, (n_heads, d_head)
        self.k, self.v = ([np.zeros((n_heads, 0, d_head))] for _ in "kv")
        self.nbytes = 16 * n_heads * capacity * d_head

    def append(self, k, v):
        for x, chunks in ((k, self.k), (v, self.v)):
            if x.shape[::2] != self.shape or x.dtype != np.float64:
                raise ValueError("it does not fit")
            if sum(chunk.shape[1] for chunk in chunks) + x.shape[1] > self.capacity:
                raise ValueError("no room")
            chunks.append(x.copy())
        if k.shape[1] != v.shape[1]:
            raise ValueError("as many keys as values")

    keys = property(lambda self: np.concatenate(self.k, axis=1))
    values = property(lambda self: np.concatenate(self.v, axis=1))

    def __len__(self):
        return self.keys.shape[1]


class wrong_KVCache__room_not_looked_at(_Plain):
    """It takes more tokens than fit"""

    def append(self, k, v):
        if k.shape != v.shape or k.shape[::2] != self.k.shape[::2] or not k.dtype == v.dtype == float:
            raise ValueError("it does not fit")
        end = self.n + k.shape[1]
        self.k[:, self.n : end] = k
        self.v[:, self.n : end] = v
        self.n = end


class wrong_KVCache__values_of_any_dtype(_Plain):
    """It accepts what must be refused: values in float32"""

    def append(self, k, v):
        if k.shape != v.shape or k.shape[::2] != self.k.shape[::2] or k.dtype != float:
            raise ValueError("it does not fit")
        end = self.n + k.shape[1]
        if end > self.k.shape[1]:
            raise ValueError("it is full")
        self.k[:, self.n : end], self.v[:, self.n : end], self.n = k, v, end


class wrong_KVCache__size_for_bytes(_Plain):
    """It counts numbers, not bytes"""

    def append(self, k, v):
        self.refuse(k, v)
        end = self.n + k.shape[1]
        self.k[:, self.n : end], self.v[:, self.n : end], self.n = k, v, end

    nbytes = property(lambda self: self.k.size + self.v.size)


def wrong_cached_attention__past_alone(q, k, v, cache):
    """The new tokens do not see each other, nor themselves"""
    past = attention(q, cache.keys, cache.values) if len(cache) else attention(q, k, v, causal_mask(*[q.shape[-2]] * 2))
    cache.append(k, v)
    return past


def wrong_tokens_in_24_gb__gib_without_weights():
    """Two things at once"""
    return 24 * 1024**3 // (2 * 32 * 32 * 128 * 2)


def wrong_cached_attention__place_of_the_last(q, k, v, cache):
    """After the first chunk, no token sees itself"""
    last = max(len(cache) - 1, 0)
    cache.append(k, v)
    return attention(q, cache.keys, cache.values, causal_mask(q.shape[-2], len(cache), last))


def wrong_cached_attention__new_before_old(q, k, v, cache):
    """the new ones come last"""
    old_k, old_v = cache.keys, cache.values
    keys = np.concatenate([k, old_k], axis=-2)
    values = np.concatenate([v, old_v], axis=-2)
    mask = causal_mask(q.shape[-2], keys.shape[-2], len(cache))
    cache.append(k, v)
    return attention(q, keys, values, mask)


wrong_cached_attention__first_chunk_unmasked = slip(
    right_cached_attention__mask_by_hand, "mask=j - before <= i", "mask=j - before <= i if before else None",
    "In a first chunk, tokens see their future",
)  # fmt: skip


def wrong_cached_attention__first_chunk_by_itself(q, k, v, cache):
    """A first chunk is neither masked nor stored"""
    before = len(cache)
    if before == 0:
        return attention(q, k, v)
    cache.append(k, v)
    return attention(q, cache.keys, cache.values, causal_mask(q.shape[-2], len(cache), before))


def wrong_cached_attention__masked_from_two_tokens_on(q, k, v, cache):
    """Single tokens come out right, but after the first chunk several at once look at the oldest keys only"""
    before, length = len(cache), q.shape[-2]
    cache.append(k, v)
    mask = None if length == 1 else causal_mask(length, before + length)
    return attention(q, cache.keys, cache.values, mask)


def wrong_decoding_multiply_adds__n_times_the_line(n_tokens, n_heads, d_head, d_value=None, cached=True):
    """1 + 4 + … + n² is n(n + 1)(2n + 1)/6"""
    n, e = n_tokens, d_head if d_value is None else d_value
    return n_heads * (d_head + e) * (n * (n + 1) // 2 if cached else n**2 * (n + 1) // 2)


class wrong_KVCache__asserted_twice(_Plain):
    """It raises AssertionError where ValueError is asked for"""

    def append(self, k, v):
        assert k.shape == v.shape == self.k[:, self.n : self.n + k.shape[1]].shape
        assert k.dtype == v.dtype == float
        self.k[:, self.n : self.n + k.shape[1]] = k
        self.v[:, self.n : self.n + k.shape[1]] = v
        self.n += k.shape[1]


class wrong_KVCache__prints_that_it_is_full:
    """It accepts what must be refused"""

    def __init__(self, capacity, n_heads, d_head):
        self.memory, self.n = np.zeros((2, n_heads, capacity, d_head)), 0

    def append(self, k, v):
        h, n, d = k.shape
        if k.shape != v.shape or k.dtype != float or v.dtype != float or (h, d) != self.memory.shape[1::2]:
            raise ValueError
        if self.n + n > self.memory.shape[2]: print("full"); return  # noqa: E701, E702 (as it was written)
        self.memory[:, :, self.n : self.n + n] = k, v
        self.n += n
    keys = property(lambda self: self.memory[0, :, : self.n])
    values = property(lambda self: self.memory[1, :, : self.n])
    nbytes = property(lambda self: self.memory.nbytes)

    def __len__(self):
        return self.n


class wrong_KVCache__lists_of_the_class:
    """It remembers earlier calls"""

    k_list, v_list = [], []

    def __init__(self, capacity, n_heads, d_head):
        self.c, self.h, self.d = capacity, n_heads, d_head
        self.nbytes = 16 * capacity * n_heads * d_head

    def append(self, k, v):
        good = (self.h, k.shape[1], self.d)
        if k.shape != good or v.shape != good or k.dtype != float or v.dtype != float:
            raise ValueError("shape or dtype")
        if len(self) + k.shape[1] > self.c:
            raise ValueError("full")
        for t in range(k.shape[1]):
            self.k_list.append(k[:, t].copy())
            self.v_list.append(v[:, t].copy())

    keys = property(lambda self: np.array(self.k_list).reshape(-1, self.h, self.d).swapaxes(0, 1))
    values = property(lambda self: np.array(self.v_list).reshape(-1, self.h, self.d).swapaxes(0, 1))

    def __len__(self):
        return len(self.k_list)
