"""What a step costs with a streaming cache, beside turning all keys again, and beside a cache that forgets nothing."""

import numpy as np
import pytest
import torch

from mlnotes.attention.positions import rotary
from mlnotes.blocks.softmax import softmax
from mlnotes.efficient.grouped_query import grouped_query_attention
from mlnotes.efficient.kv_cache import KVCache
from mlnotes.efficient.sinks import StreamingCache, null_softmax

HEADS, GROUPS, WIDTH, CAPACITY, FORGOTTEN = 9, 3, 64, 1024, 15 * 1024


def token(heads):
    return torch.tensor(np.random.default_rng(0).normal(size=(heads, 1, WIDTH)), dtype=torch.float32)


class AllKeysAgain(StreamingCache):
    """Keep keys as they come and turn all of them in every step, as the published code does."""

    def meet(self, q, k, v, rotate=None):
        self._write(k, v)
        places = np.where(self.positions < self.n_sinks, self.positions, self.positions - self._evicted)
        keys = rotate(self.keys, places)
        return rotate(q, np.array([len(self) - 1])), keys, self.values, places[None] < len(self)


def full(cache):
    for _ in range(cache.capacity):
        cache._write(token(GROUPS), token(GROUPS)) if isinstance(cache, StreamingCache) else cache.append(
            token(GROUPS), token(GROUPS)
        )
    return cache


def forgets_nothing():
    """Hold 16 times as many tokens, and room for those of the benchmark."""
    cache = KVCache(CAPACITY + FORGOTTEN + 4096, GROUPS, WIDTH, like=token(1))
    many = torch.zeros(GROUPS, CAPACITY + FORGOTTEN, WIDTH)
    cache.append(many, many)
    return cache


CACHES = {
    "sinks turned": lambda: full(StreamingCache(CAPACITY, 4, GROUPS, WIDTH, like=token(1))),
    "all keys turned": lambda: full(AllKeysAgain(CAPACITY, 4, GROUPS, WIDTH, like=token(1))),
    "nothing forgotten, 16 times as many tokens": forgets_nothing,
}


@pytest.mark.benchmark(group="one token, 1,024 places, 9 query and 3 key/value heads")
@pytest.mark.parametrize("name", CACHES)
def test_step(benchmark, name):
    cache, q, k = CACHES[name](), token(HEADS), token(GROUPS)
    step = lambda: grouped_query_attention(*cache.meet(q, k, k, rotary))  # noqa: E731
    assert benchmark.pedantic(step, rounds=200, iterations=5, warmup_rounds=20).shape == (HEADS, 1, WIDTH)


@pytest.mark.benchmark(group="softmax with and without a null, 9 heads of 1,024 queries and keys")
@pytest.mark.parametrize("function", [softmax, null_softmax])
def test_null(benchmark, function):
    scores = torch.randn(HEADS, 1024, 1024, generator=torch.Generator().manual_seed(0))
    assert benchmark(function, scores).shape == scores.shape
