"""What a token of the real model costs, beside transformers with the same weights, with the cache and without."""

import functools

import pytest
import torch

from mlnotes.conversion import as_transformers
from mlnotes.layers.llama import Llama
from mlnotes.pretrained import smollm2

N = 512


@functools.cache
def models():
    ours = Llama.smollm2()
    return ours, as_transformers(ours)


@functools.cache
def expected(n):
    """Score all tokens as transformers does."""
    return theirs_at_once(smollm2.passage(n))


def ours_at_once(ids):
    return models()[0](ids)


@torch.no_grad()
def theirs_at_once(ids):
    return models()[1](torch.tensor(ids)[None]).logits[0]


def our_step(n):
    """Read all but the last token; what is returned reads the last, and forgets it."""
    ours, ids = models()[0], smollm2.passage(n)
    caches = ours.caches(n)
    ours(ids[:-1], caches=caches)

    def step(ids):
        for cache in caches:
            cache._length = n - 1
        return ours(ids, caches=caches)

    return step


def their_step(n):
    theirs, ids = models()[1], torch.tensor(smollm2.passage(n))
    with torch.no_grad():
        cache = theirs(ids[None, :-1], use_cache=True).past_key_values

    @torch.no_grad()
    def step(ids):
        logits = theirs(torch.tensor(ids)[None], past_key_values=cache, use_cache=True).logits[0]
        cache.crop(-1)
        return logits

    return step


@pytest.mark.parametrize(("name", "make"), [("mlnotes", our_step), ("transformers", their_step)])
def test_one_token_behind_511(race, big, name, make):
    n = big(N)
    ids = smollm2.passage(1, start=n - 1)
    race("SmolLM2, one token behind 511 in the cache", name, make(n), ids, expected=expected(n)[-1:], tolerance=1e-3)


@pytest.mark.parametrize(("name", "function"), [("mlnotes", ours_at_once), ("transformers", theirs_at_once)])
def test_512_tokens_at_once(race, big, name, function):
    n = big(N)
    race("SmolLM2, 512 tokens at once", name, function, smollm2.passage(n), expected=expected(n), tolerance=1e-3)


def test_a_step_takes_at_most_a_fifth_more_time_than_in_transformers(shortest):
    ours, theirs = shortest([our_step(N), their_step(N)], smollm2.passage(N)[-1:])
    print(f"\none token behind 511 in the cache: {ours / theirs:.2f} times the time of transformers")
    assert ours < 1.2 * theirs


def test_a_text_takes_at_most_a_fifth_more_time_than_in_transformers(shortest):
    ours, theirs = shortest([ours_at_once, theirs_at_once], smollm2.passage(N))
    print(f"\n512 tokens at once: {ours / theirs:.2f} times the time of transformers")
    assert ours < 1.2 * theirs


def test_a_step_is_at_least_ten_times_as_fast_with_the_cache(shortest):
    ids, step = smollm2.passage(N), our_step(N)
    with_cache, without = shortest([lambda: step(ids[-1:]), lambda: ours_at_once(ids)])
    print(f"\na token behind 511: {without / with_cache:.0f} times as fast with the cache as without,")
    print(f"{1 / with_cache:.0f} tokens per second and {1 / without:.1f}")
    assert without > 10 * with_cache


def test_the_model_is_loaded_and_decoded_in_four_seconds(shortest):
    (seconds,) = shortest([Llama.smollm2])
    print(f"\nloaded and decoded in {seconds:.1f} s")
    assert seconds < 4
