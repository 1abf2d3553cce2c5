"""What a step costs with a streaming cache, beside turning all keys again, and beside a cache that forgets nothing."""

import numpy as np
import pytest
import torch

from mlnotes.attention.positions import rotary
from mlnotes.blocks.softmax import softmax
from mlnotes.efficient.grouped_query import grouped_query_attention
from mlnotes.efficient.kv_cache import KVCache
from mlnotes.efficient.sinks import StreamingCache, null_softmax

HEADS, GROUPS, WIDTH, CAPACITY, LONGER = 9, 3, 64, 1024, 16 * 1024


class AllKeysAgain(StreamingCache):
    """Keep keys as they come and turn all of them in every step, as the published code does."""

    def meet(self, q, k, v, rotate=None):
        self._write(k, v)
        places = np.where(self.positions < self.n_sinks, self.positions, self.positions - self._evicted)
        keys = rotate(self.keys, places)
        return rotate(q, np.array([len(self) - 1])), keys, self.values, places[None] < len(self)


class NothingForgotten(KVCache):
    """Stay at one length, so that every step of a race costs the same."""

    def meet(self, *chunk):
        self._length = LONGER
        return super().meet(*chunk)


CACHES = {
    "mlnotes": lambda like: StreamingCache(CAPACITY, 4, GROUPS, WIDTH, like=like),
    "all keys turned again": lambda like: AllKeysAgain(CAPACITY, 4, GROUPS, WIDTH, like=like),
    "16,384 tokens, none forgotten": lambda like: NothingForgotten(LONGER + 1, GROUPS, WIDTH, like=like),
}


@pytest.mark.parametrize("name", CACHES)
def test_time_of_a_step(race, name):
    rng = np.random.default_rng(0)
    q, k, v = (torch.tensor(rng.normal(size=(n, 1, WIDTH)), dtype=torch.float32) for n in (HEADS, GROUPS, GROUPS))
    cache = CACHES[name](q)
    cache._values[:] = v  # every token has the same value, which is then the average
    cache._seen = cache._length = cache._n_unturned = cache.capacity
    expected = v.repeat_interleave(HEADS // GROUPS, 0).numpy()
    title = f"one token with {CAPACITY:,} places, 4 of them sinks, PyTorch"
    # Equal numbers, added one after another, may all be rounded the same way: half a last place for each.
    tolerance = cache.capacity * np.finfo(np.float32).eps / 2
    race(
        title,
        name,
        lambda: grouped_query_attention(*cache.meet(q, k, v, rotary)),
        expected=expected,
        tolerance=tolerance,
    )


@pytest.mark.parametrize("name", ["mlnotes", "softmax"])
def test_time_of_a_null(race, name):
    scores = torch.randn(HEADS, 512, 512, generator=torch.Generator().manual_seed(0))
    function = {"mlnotes": null_softmax, "softmax": softmax}[name]
    total = torch.exp(scores.double()).sum(-1, keepdim=True) + (name == "mlnotes")
    expected = (torch.exp(scores.double()) / total).numpy()
    race("softmax with a null, 9 heads of 512 tokens", name, function, scores, expected=expected, tolerance=1e-5)
