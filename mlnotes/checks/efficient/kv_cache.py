"""What a key/value cache must satisfy, and how it is usually got wrong."""

import math
from itertools import pairwise

import numpy as np

from mlnotes.attention.causal_mask import causal_mask
from mlnotes.attention.positions import rotary
from mlnotes.attention.self_attention import attention
from mlnotes.checks.bank import Checks, Claim, Mistake, call, distance, frozen, oracle
from mlnotes.counting import count_operations
from mlnotes.diagnosis.report import written, written_call
from mlnotes.efficient.kv_cache import KVCache, cache_nbytes, cached_attention, decoding_multiply_adds

_rng = np.random.default_rng(13)
_q, _k, _v = _text = frozen(*(_rng.normal(size=(3, 11, width)) for width in (5, 5, 7)))
_LAST_BITS = {"tolerance": 1e-12, "why": "sums of at most 11 products in float64: a few units of 1e-16"}


def tokens_in_24_gb():
    """Count the tokens of Llama 2 7B whose keys and values fit into 24 GB beside its weights, in half precision."""
    weights, token = 2 * 6.74e9, cache_nbytes(1, 32, 128, n_layers=32, itemsize=2)
    return int((24e9 - weights) // token)


def _whole(answer):
    """Make all numbers between two whole ones the same: 20065.3 is the same mistake as 20065.31."""
    found = answer()
    return math.floor(found) + 0.5 if isinstance(found, float) and 0 < found % 1 < 1 else found


# A cache's life: chunks that fit, then perhaps one that queries meet, or that does not fit. What it holds is looked at
# in the end. An answer that only stores is met as the book's cache is.


def _life(make, capacity, n_heads, d_head, chunks=(), met=None, refused=None, reused=False, beside=False, **options):
    cache, seen = make(capacity, n_heads, d_head, **options), {}
    other = make(capacity + 1, n_heads, d_head) if beside else None
    chunks = [(np.array(k), np.array(v)) for k, v in chunks] if reused else chunks
    for k, v in chunks:
        cache.append(k, v)
        if reused:
            k[:], v[:] = 9, -9
        if beside:
            other.append(-k, -v)
    if met:
        seen = dict(zip("qkvm", map(np.array, getattr(type(cache), "meet", KVCache.meet)(cache, *met)), strict=True))
    if refused:
        try:
            cache.append(*refused)
            seen["append"] = "no ValueError"
        except ValueError:
            seen["append"] = "ValueError"
    seen |= {"keys": np.array(cache.keys), "values": np.array(cache.values)}
    return seen | {"len": len(cache), "nbytes": cache.nbytes}


def _written_life(name, case):
    options = dict(case.named)
    met, reused, beside = (options.pop(it, None) for it in ("met", "reused", "beside"))
    chunks = [*options.pop("chunks", ()), *filter(None, [options.pop("refused", None)])]
    lines = ["cache = " + written_call(name, call(*case.arguments, **options))]
    if beside:
        capacity, *sizes = case.arguments
        lines.append("other = " + written_call(name, call(capacity + 1, *sizes)))
    if reused:
        lines += [f"{name} = {written(it)}".replace("\n", "\n    ") for name, it in zip("kv", chunks[0], strict=True)]
        lines += ["cache.append(k, v)", "k[:], v[:] = 9, -9"]
    else:
        for chunk in chunks:
            lines.append(written_call("cache.append", call(*chunk)))
            lines += [written_call("other.append", call(*(-it for it in chunk)))] if beside else []
    if met:  # written so that it can be called of an answer that only stores
        lines.append(written_call("KVCache.meet", call(*met)).replace("(\n", "(\n    cache,\n", 1))
    return "\n".join(lines)


def _chunk(*shape, first=1.0, d_value=None):
    k, v = (np.arange(np.prod(it), dtype=float).reshape(it) for it in (shape, (*shape[:-1], d_value or shape[-1])))
    return k + first, -v - first


def _as(dtype, chunk):
    return tuple(it.astype(dtype) for it in chunk)


_FLOAT32 = np.zeros((), np.float32)
_TWO, _FIVE = _chunk(2, 1, 3), (_chunk(2, 4, 3, first=5.0), _chunk(2, 1, 3, first=50.0))
_REFUSED = {f"{what} {says}": it for says, (k, v) in {"of one head": _chunk(1, 1, 3), "of width 1": _chunk(2, 1, 1),
    "in float32": _as(np.float32, _TWO), "for two tokens, one of the others": _chunk(2, 2, 3)}.items() for what,
    it in {"keys": (k, _TWO[1]), "values": (_TWO[0], v), "keys and values": (k, v)}.items() if "others" not in says
    or what != "keys and values"} | {"integers": _as(int, _TWO), "one token more than fits": _chunk(2, 3, 3),
    "heads and width exchanged": _chunk(3, 1, 2)}


_MET = (_chunk(2, 3, 2)[0], *_chunk(1, 3, 2, first=9.0))  # queries of two heads for one of keys and values


def _held(make, refused=None):
    return _life(make, 7, 2, 3, _FIVE, refused=refused)


def _apart(found, expected):
    return max(distance(found[name], it) for name, it in expected.items())


_JOINED = dict(zip(("keys", "values"), (np.concatenate(it, 1) for it in zip(*_FIVE, strict=True)), strict=True))


# Attention to a cache: what it gives, and what it leaves there.


def _next(version, q, k, v, past=None):
    cache = KVCache(*_sizes(k, v, past))
    if past:
        cache.append(*past)
    result = version(q, k, v, cache)
    if result is None:
        return None
    return {"result": result, "cache.keys": np.array(cache.keys), "cache.values": np.array(cache.values)}


def _sizes(k, v, past):
    room = 2 + k.shape[-2] + (past[0].shape[-2] if past else 0)
    return room, k.shape[-3], k.shape[-1], v.shape[-1], *([k.shape[:-3]] if k.ndim > 3 else [])


def _written_next(name, case):
    q, k, v, *past = case.arguments
    lines = [written_call("cache = KVCache", call(*_sizes(k, v, *past or [None])))]
    lines += [written_call("cache.append", call(*it)) for it in past]
    lines += [f"{letter} = {written(it)}".replace("\n", "\n    ") for letter, it in zip("qkv", (q, k, v), strict=True)]
    return "\n".join([*lines, f"{name}(q, k, v, cache)"])


def _at(first, last, past=0):
    chunk = [it[:, first:last] for it in _text]
    return call(*chunk, tuple(it[:, :first] for it in _text[1:])) if first else call(*chunk)


def _in_chunks(f, ends):
    """Run a version over a sequence that is cut at ``ends``; return what it gives and what the cache then holds."""
    cache = KVCache(11, 3, 5, 7)
    parts = [f(*(it[:, a:b] for it in _text), cache) for a, b in pairwise(ends)]
    return np.concatenate(parts, axis=-2), cache.keys, cache.values


def _cut(*ends):
    full = attention(*_text, causal_mask(11, 11))
    return lambda f: distance(_in_chunks(f, ends)[0], full)


def _takes_up(f):
    _, keys, values = _in_chunks(f, (0, 2, 3, 11))
    return distance(keys, _k) + distance(values, _v)


def _torch_error(f):
    import torch

    attend = torch.nn.functional.scaled_dot_product_attention
    return distance(_in_chunks(f, (0, 4, 5, 11))[0], attend(*map(torch.tensor, _text), is_causal=True).numpy())


_small = np.array([[[1.0], [2.0]]]), np.array([[[0.0], [1.0]]]), np.array([[[1.0, 5.0], [3.0, 7.0]]])
_past = np.array([[[2.0], [0.0], [-1.0]]]), np.array([[[8.0, 2.0], [4.0, 0.0], [6.0, 9.0]]])


def _tally(n, h, d, e, cached):
    """Decode with numbers that count what is done to them."""

    def decode(q, k, v):
        for t in range(1, n + 1):
            weights = np.exp((q[t - 1 : t] if cached else q[:t]) @ k[:t].T)
            weights @ v[:t] / weights.sum(axis=-1, keepdims=True)

    return h * count_operations(decode, *(np.ones((n, width)) for width in (d, d, e)))["multiply"]


_APPEND = "def append(self, k, v):"
_ROOM = "(*self._{0}.shape[:-2], k.shape[-2], self._{0}.shape[-1])"
_UNGUARDED = """
        end = self._length + k.shape[-2]
        self._keys[..., self._length : end, :], self._values[..., self._length : end, :] = k, v
        self._length = end
        return"""
_COUNTED_FIRST = """def append(self, k, v):
        try:
            self._append(k, v)
        except ValueError:
            self._length += k.shape[-2]
            raise
    def _append(self, k, v):"""
_LONG = "(*v.shape[:-2], k.shape[-2], v.shape[-1])"
_REFERENCES = (
    ("self._keys[..., self._length : end, :] = k", "self._given = [*getattr(self, '_given', []), (k, v)]"),
    ("self._values[..., self._length : end, :] = v", ""),
    *((f"return self._{it}[..., : self._length, :]", f"return np.concatenate([self._{it}[..., :0, :], "
       f"*(x[{i}] for x in getattr(self, '_given', []))], axis=-2)") for i, it in enumerate(("keys", "values"))))
_KEYS_FIRST = """def append(self, k, v):
        try:
            self._append(k, v)
        except ValueError:
            if k.shape[-2] == v.shape[-2] <= self.capacity - self._length:
                _require_like("k", k, self.keys)
                self._keys[..., self._length : self._length + k.shape[-2], :] = k
                self._more = k.shape[-2]
            raise
    def _append(self, k, v):"""
_WITHOUT_END = (
    ("> cache.capacity", "> 10**9"),
    (_APPEND, _APPEND + """
        self._keys, self._values = (np.concatenate([x, 0 * x], -2) for x in (self._keys, self._values))"""),
    ("return self._keys.nbytes + self._values.nbytes",
     "return self.capacity * (self._keys[..., 0, :].nbytes + self._values[..., 0, :].nbytes)"))
_ROUND = "\n        if self._length + k.shape[-2] > self.capacity: self._length = 0"
_REPEATED = "\n        k, v = (np.repeat(x, self._keys.shape[-3] // x.shape[-3], -3) for x in (k, v))"
_ATTEND = "cache.keys, cache.values, causal_mask(q.shape[-2], len(cache), offset)"
_JOIN = "both = [np.concatenate(it, -2) for it in ((cache.keys, k), (cache.values, v))]"
_SQUARES, _LINE = "n_tokens * (n_tokens + 1) * (2 * n_tokens + 1) // 6", "n_tokens * (n_tokens + 1) // 2"

CHECKS = (
    Checks(
        KVCache,
        run=_life,
        written=_written_life,
        refusal=ValueError,
        cases=(
            call(3, 1, 2).about("nothing yet"), call(3, 1, 2, chunks=[_chunk(1, 2, 2)]),
            call(5, 2, 3, chunks=[_TWO]), call(7, 2, 3, chunks=_FIVE).about("a second chunk behind the first"),
            call(5, 2, 3, chunks=_FIVE).about("full to the last place"),
            call(2, 1, 2, chunks=[_chunk(1, 2, 2)], refused=_chunk(1, 1, 2)).about("no place is left"),
            *(call(7, 2, 3, chunks=_FIVE, refused=it).about(says) for says, it in _REFUSED.items()),
            call(3, 1, 2, chunks=[_chunk(1, 2, 2)], reused=True).about("arrays that are used again"),
            call(3, 1, 2, chunks=[_chunk(1, 2, 2)], beside=True).about("another cache beside it"),
            call(7, 1, 2, chunks=[_chunk(1, 4, 2)], met=_MET).about("queries meet the tokens so far"),
            call(7, 1, 2, chunks=[_chunk(1, 4, 2)], met=(*_MET, rotary)).about("rotary positions on the way in"),
            call(5, 3, 2, chunks=[_chunk(3, 2, 2, d_value=4)], d_value=4).about("values wider than keys", edge=True),
            call(5, 2, 3, chunks=[_chunk(2, 2, 1, 3)], leading=(2,)).about("two sequences", edge=True),
            call(5, 2, 3, chunks=[_as(np.float32, _TWO)], like=_FLOAT32).about("a cache in float32", edge=True),
            call(5, 3, 2, chunks=[_as(np.float32, _chunk(2, 3, 2, 2, d_value=4))],
                 d_value=4, leading=(2,), like=_FLOAT32).about("all options", edge=True)),
        claims=(
            Claim("it holds what was appended, in that order, and nothing else",
                  lambda f: _apart(_held(f), {**_JOINED, "len": 5})),
            Claim("it refuses other heads, widths, precisions and what is too much",
                  lambda f: float(sum(_held(f, it)["append"] != "ValueError" for it in _REFUSED.values()))),
            Claim("what it refuses leaves it as it was",
                  lambda f: max(_apart(_held(f, it), _held(f)) for it in _REFUSED.values())),
            Claim("numpy's count of the bytes of two arrays (g, capacity, d)",
                  lambda f: float(abs(f(9, 3, 5).nbytes - 2 * np.zeros((3, 9, 5)).nbytes)), kind="oracle")),
        mistakes=(
            Mistake("overwritten", (("_keys[..., self._length : end, :] = k", "_keys[..., : k.shape[-2], :] = k"),
                                    ("_values[..., self._length : end, :] = v", "_values[..., : v.shape[-2], :] = v")),
                    "Later tokens replace the first ones", "write from len(cache) on"),
            Mistake("whole memory",
                    (("_keys[..., : self._length, :]", "_keys"), ("_values[..., : self._length, :]", "_values")),
                    "Tokens that are not there yet take part, with keys and values of zero",
                    "hand out the first len(cache) tokens only", "transformers, pull request 30414 (2024)"),
            Mistake("begun again", (_APPEND, _APPEND + _ROUND),
                    "Where the next tokens do not fit, the cache forgets all that it holds without "
                    "a word, and begins again",
                    "raise an error; a window that moves on needs a mask that knows"),
            Mistake("nothing refused", (_APPEND, _APPEND + _UNGUARDED),
                    "It takes whatever NumPy can spread or convert: one head for all, float32, a token beyond the last",
                    "compare shapes, dtypes and the room that is left, and raise ValueError"),
            Mistake("converted",
                    (_APPEND, f"{_APPEND}\n        k, v = k.astype(self._keys.dtype), v.astype(self._values.dtype)"),
                    "Numbers of another dtype are converted without a word", "refuse another dtype"),
            Mistake("spread", (_APPEND, f"{_APPEND}\n        k = np.broadcast_to(k, {_ROOM.format('keys')})"
                                        f"\n        v = np.broadcast_to(v, {_ROOM.format('values')})"),
                    "One head, or one number, is taken for all of them: NumPy spreads axes of size 1",
                    "refuse another number of heads, another width, and fewer values than keys"),
            Mistake("one head for all", (_APPEND, _APPEND + _REPEATED),
                    "One head is taken for all of them", "refuse another number of heads"),
            Mistake("values not looked at",
                    (_APPEND, f"{_APPEND}\n        v = np.broadcast_to(v, {_ROOM.format('values')}).astype(k.dtype)"),
                    "Keys are examined, values are not", "compare the shape and the dtype of v, too"),
            Mistake("counted first", (_APPEND, _COUNTED_FIRST),
                    "A refused chunk is counted all the same", "check all of a chunk before changing anything"),
            Mistake("values fewer than keys", (_APPEND, f"{_APPEND}\n        v = np.broadcast_to(v, {_LONG})"),
                    "Fewer values than keys are taken, as if one value were that of several tokens",
                    "compare the numbers of keys and values before anything is written"),
            Mistake("kept by reference", _REFERENCES,
                    "Tokens change when the arrays that were appended are used again",
                    "copy keys and values into memory of the cache's own"),
            Mistake("keys written first", ((_APPEND, _KEYS_FIRST), ("_keys[..., : self._length, :]",
                                           "_keys[..., : self._length + getattr(self, '_more', 0), :]")),
                    "Keys are taken up before the values are refused", "check all of a chunk before changing anything"),
            *(Mistake("without end", it, "It takes more tokens than fit",
                      "compare len(cache) and what comes with the capacity, and raise ValueError") for it in (
                      _WITHOUT_END, _WITHOUT_END[:1])),
            Mistake("cut to fit",
                (_APPEND, f"{_APPEND}\n        k, v = (x[..., : self.capacity - self._length, :] for x in (k, v))"),
                "Tokens that do not fit are left out without a word", "raise ValueError where they do not fit"),
            Mistake("chunks counted", ("self._length = end", "self._length += 1"),
                    "It counts chunks, not tokens", "add k.shape[-2]"),
            Mistake("bytes in use", ("_keys.nbytes + self._values.nbytes", "keys.nbytes + self.values.nbytes"),
                    "It counts the bytes of the tokens that are there", "count all of the memory that was set aside"),
            Mistake("numbers counted", ("_keys.nbytes + self._values.nbytes", "_keys.size + self._values.size"),
                    "It counts numbers, not bytes", "multiply by itemsize, or take nbytes"),
            Mistake("bytes of the keys", ("return self._keys.nbytes + self._values.nbytes", "return self._keys.nbytes"),
                "It counts half of the bytes", "count keys and values, and all bytes of a number"),
            Mistake("values twice",
                ("self._keys[..., self._length : end, :] = k", "self._keys[..., self._length : end, :] = v"),
                "The keys are the values", "write k into the keys"),
            Mistake("keys twice",
                ("self._values[..., self._length : end, :] = v", "self._values[..., self._length : end, :] = k"),
                "The values are the keys", "write v into the values")),
    ),
    Checks(
        cached_attention,
        run=_next,
        written=_written_next,
        cases=(
            call(*(it[:, :1] for it in _small)).about("the first token"),
            call(*(it[:, :1] for it in _small), tuple(it[:, :1] for it in _past)),
            call(*_small).about("two tokens at once"), call(*_small, _past).about("two tokens after three"),
            call(*(it[..., :5] for it in _at(5, 8).arguments[:3]), tuple(it[..., :5] for it in _at(5, 8).arguments[3]))
            .about("values as wide as keys"),
            _at(10, 11).about("one token after ten"),
            _at(4, 11).about("seven tokens after four"),
            _at(0, 11).about("the whole sequence"),
            call(*(np.stack([it, -it[..., ::-1]]) for it in _small), tuple(np.stack([it, 2 * it]) for it in _past))
            .about("two sequences", edge=True)),
        claims=(
            Claim("one chunk is causal attention", _cut(0, 11), **_LAST_BITS),
            Claim("token by token it gives what one pass gives", _cut(*range(12)), **_LAST_BITS),
            Claim("in chunks of 4, 1 and 6 it gives what one pass gives", _cut(0, 4, 5, 11), **_LAST_BITS),
            Claim("the cache takes up every key and value once", _takes_up),
            Claim("torch's causal attention of the whole sequence, from chunks of 4, 1 and 6", _torch_error,
                  kind="oracle", **_LAST_BITS)),
        mistakes=(
            Mistake("offset forgotten", ("len(cache), offset)", "len(cache))"),
                    "After the first chunk, tokens look at the oldest keys only",
                    "give the mask the offset: the number of tokens before the chunk",
                    "PyTorch's is_causal, issue 108108 (2023); ONNX, issue 8054 (2026)"),
            Mistake("mask forgotten", (_ATTEND, "cache.keys, cache.values"),
                    "Token by token all is well; in larger chunks tokens see their future",
                    "mask the chunk, with the offset read before appending", "Mikyx-1/TinyLLM, pull request 18 (2026)"),
            Mistake("offset one short",
                    (_ATTEND, "cache.keys, cache.values, np.tri(q.shape[-2], len(cache), offset - 1, bool)"),
                    "No token sees itself, and the first sees nothing",
                    "the offset is the number of tokens before the chunk, not the position of the last of them"),
            Mistake("offset one short after the first chunk",
                    ("offset = len(cache)", "offset = max(len(cache) - 1, 0)"),
                    "After the first chunk, no token sees itself",
                    "the offset is the number of tokens before the chunk, not the position of the last of them"),
            Mistake("offset one too many", ("offset = len(cache)", "offset = len(cache) + 1"),
                    "Each token sees the next one", "the offset is the number of tokens before the chunk"),
            Mistake("only the chunk", (_ATTEND, "k, v, causal_mask(q.shape[-2], k.shape[-2])"),
                    "Each chunk has forgotten those before it", "attend to the keys of the cache"),
            Mistake("never appended",
                    (("cache.append(k, v)", _JOIN),
                     (_ATTEND, "*both, causal_mask(q.shape[-2], both[0].shape[-2], offset)")),
                    "The cache stays as it was", "append the new keys and values"),
            Mistake("appended too late", (_ATTEND, _ATTEND.replace(
                        ", causal", ", [np.arange(len(cache)) < offset] * q.shape[-2] if offset else causal")),
                    "The new tokens do not see each other, nor themselves; a first chunk is right, or finds no key",
                    "append before attending"),
            Mistake("appended too late",
                    (("cache.append(k, v)\n    return", "out ="),
                     ("offset))", "offset))\n    cache.append(k, v)\n    return out")),
                    "The new tokens do not see each other, nor themselves; a first chunk is right, or finds no key",
                    "append before attending"),
            Mistake("keys as values", ("cache.values", "cache.keys"),
                    "Keys are averaged: the result is as wide as a key", "average the values, not the keys"),
            Mistake("scale forgotten", ("offset))", "offset), scale=1.0)"),
                    "Rows are much sharper than they should be", "divide the scores by sqrt(d)"),
            Mistake("new tokens before the old ones", ("attention(q, cache.keys, cache.values,",
                "attention(q, np.roll(cache.keys, k.shape[-2], -2), np.roll(cache.values, k.shape[-2], -2),"),
                "The mask hides old tokens in place of new ones", "the new ones come last"),
            Mistake("mask forgotten for the first chunk", ("offset))", "offset) if offset else None)"),
                    "In a first chunk, tokens see their future", "mask it, too, with an offset of 0"),
            Mistake("first chunk by itself",
                    ("offset = len(cache)", "offset = len(cache)\n    if not offset: return attention(q, k, v)"),
                    "A first chunk is neither masked nor stored", "treat it as any other, with an offset of 0"),
            Mistake("offset forgotten except for single tokens",
                    ("len(cache), offset))", "len(cache)) if q.shape[-2] > 1 else None)"),
                    "Single tokens come out right, but after the first chunk several at once look at the oldest keys "
                    "only", "give the mask the offset: the number of tokens before the chunk")),
    ),
    Checks(
        cache_nbytes,
        cases=(
            call(7, 3, 5), call(1, 2, 3, n_layers=11), call(7, 3, 5, itemsize=2),
            call(7, 3, 5, n_layers=2, itemsize=8), call(4096, 32, 128, 32, 2).about("Llama 2 7B"),
            call(0, 3, 5).about("no token")),
        claims=(
            Claim("twice the tokens or twice the layers take twice the bytes",
                  lambda f: float(abs(f(14, 3, 5, 2) - 2 * f(7, 3, 5, 2)) + abs(f(7, 3, 5, 4) - 2 * f(7, 3, 5, 2)))),
            oracle("numpy's count for the keys and values of each layer",
                   lambda s, g, d, n, size: np.zeros((n, 2, g, s, d), f"f{size}").nbytes,
                   call(7, 3, 5, 2, 4), call(7, 3, 5, 11, 2))),
        mistakes=(
            Mistake("values forgotten", ("2 * ", ""), "It is half of what is needed",
                "each token has a key and a value, of itemsize bytes a number"),
            Mistake("bits", ("2 * ", "16 * "), "It is eight times too much", "itemsize is in bytes")),
    ),
    Checks(
        tokens_in_24_gb,
        run=_whole,
        cases=(call(),),
        claims=(
            Claim("they fit, and one more does not",
                  lambda f: float(not 0 <= 24e9 - 2 * 6.74e9 - cache_nbytes(f(), 32, 128, 32, 2) < 2**19)),
            oracle("the room that is left, by numpy's bytes of one token",
                   lambda: int(10.52e9 // np.zeros((32, 2, 32, 128), np.float16).nbytes), call())),
        mistakes=(
            Mistake("weights forgotten", ("24e9 - weights", "24e9"),
                    "The weights need room in the same memory as well", "take them off the 24 GB first"),
            Mistake("weights of one byte", ("24e9 - weights", "24e9 - weights / 2"),
                    "Each weight was taken for one byte", "in half precision a weight has two, as the cache's numbers"),
            Mistake("single precision", ("itemsize=2", "itemsize=4"),
                    "These are numbers of four bytes", "in half precision a number has two"),
            Mistake("powers of two", ("24e9", "24 * 2**30"),
                    "A GB was taken for 2³⁰ bytes, which is a GiB", "on this page it is 10⁹ bytes"),
            Mistake("not whole", ("int((24e9 - weights) // token)", "(24e9 - weights) / token"),
                    "This is no whole number of tokens", "round down: a part of a token does not fit"),
            Mistake("rounded up", ("int((24e9 - weights) // token)", "int((24e9 - weights) // token) + 1"),
                    "The last of these tokens does not fit", "round down"),
            Mistake("seven billion", ("6.74e9", "7e9"),
                    "The model was taken to have 7·10⁹ weights, as its name says", "it has 6.74·10⁹"),
            Mistake("one layer", ("n_layers=32", "n_layers=1"),
                    "These are tokens of one layer, or of one head in each", "each of 32 layers has 32 heads"),
            Mistake("keys alone", ("// token", "// (token / 2)"),
                    "This is twice as many as fit", "count keys and values")),
    ),
    Checks(
        decoding_multiply_adds,
        cases=(
            call(1, 1, 1), call(3, 2, 5), call(3, 2, 5, cached=False).about("without a cache"),
            call(4, 1, 3, d_value=2).about("values of another width"),
            call(7, 3, 5, 2, False).about("all of it"), call(8192, 32, 128, 64, False).about("a long text"),
            call(0, 2, 3).about("nothing written"),
            call(4, 1, 3, d_value=0).about("values of width 0", edge=True)),
        claims=(
            oracle("the sum over the steps, t or t² pairs of a query and a key in step t",
                   lambda n, h, d, e, cached: h * (d + e) * sum(t if cached else t * t for t in range(n + 1)),
                   call(7, 3, 5, 2, True), call(7, 3, 5, 2, False)),
            Claim("without a cache it is (2n + 1)/3 times as much",
                  lambda f: float(abs(3 * f(10, 2, 4, cached=False) - 21 * f(10, 2, 4)))),
            oracle("the multiplications of numbers that keep a tally", _tally,
                   call(7, 3, 5, 2, True), call(7, 3, 5, 2, False))),
        mistakes=(
            Mistake("last step", ((_LINE, "n_tokens"), (_SQUARES, "n_tokens**2")),
                    "It is the cost of the last token", "add up the steps"),
            Mistake("one step short", ((_LINE, "n_tokens * (n_tokens - 1) // 2"),
                                       (_SQUARES, "n_tokens * (n_tokens - 1) * (2 * n_tokens - 1) // 6")),
                    "It is the cost of one token less", "the last step counts as well: t goes from 1 to n"),
            Mistake("averages forgotten", ("(d_head + d_value)", "d_head"),
                    "The width of the values plays no part", "count scores and averages: d + e"),
            Mistake("widths multiplied", ("(d_head + d_value)", "(d_head * d_value)"),
                    "The widths are multiplied", "scores need d multiply-adds for each pair, averages e: d + e"),
            Mistake("a single pass", (_SQUARES, "n_tokens**2"),
                    "Without a cache it grows as the square", "every step attends anew: add up the squares"),
            Mistake("every step as the last", ((_LINE, "n_tokens**2"), (_SQUARES, "n_tokens**3")),
                    "Every step costs as much as the last", "step t meets t keys, not n"),
            Mistake("hidden pairs left out", (_SQUARES, "n_tokens * (n_tokens + 1) * (n_tokens + 2) // 6"),
                    "Without a cache, pairs that the mask hides are not counted", "step t computes all t² pairs"),
            *(Mistake("squares added wrongly", (_SQUARES, it), "Without a cache it is not the sum of the squares",
                      "1 + 4 + … + n² is n(n + 1)(2n + 1)/6") for it in (
                      "n_tokens**3 // 3", "n_tokens**2 * (n_tokens + 1) // 2"))),
    ),
)
