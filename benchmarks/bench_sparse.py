"""What attention to some of the keys costs, beside the same attention under a mask."""

from functools import partial

import numpy as np
import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from mlnotes.attention.self_attention import attention
from mlnotes.efficient.sparse import block_sparse_attention, sliding_window_attention, sliding_window_mask

HEADS, WIDTH, WINDOW, BLOCK = 8, 64, 256, 64
TORCH, MASKED = "scaled_dot_product_attention under the mask", "attention under the mask"


def tensors(n):
    return torch.randn(3, 1, HEADS, n, WIDTH, generator=torch.Generator().manual_seed(0))


def under(mask, function=scaled_dot_product_attention):
    mask = torch.asarray(mask)
    return lambda q, k, v: function(q, k, v, mask)


def exact(q, k, v, mask):
    """Attend head by head: the tables of all heads in double precision would not fit into memory."""
    heads = zip(*(x.double().split(1, dim=1) for x in (q, k, v)), strict=True)
    return np.concatenate([under(mask)(*head).numpy() for head in heads], axis=1)


def in_a_window(q, k, v):
    return sliding_window_attention(q, k, v, WINDOW)


@pytest.mark.parametrize("name", ["mlnotes", TORCH])
def test_time_of_a_window(race, big, name):
    q, k, v = tensors(big(8192))
    mask = sliding_window_mask(q.shape[-2], q.shape[-2], WINDOW)
    function = in_a_window if name == "mlnotes" else under(mask)
    title = f"a window of {WINDOW}, PyTorch, float32, {HEADS} heads, width {WIDTH}, {q.shape[-2]} tokens"
    race(title, name, function, q, k, v, expected=exact(q, k, v, mask), tolerance=1e-5)


@pytest.mark.parametrize("name", ["mlnotes", TORCH, MASKED])
def test_time_of_a_window_in_a_short_sequence(race, name):
    q, k, v = tensors(1024)
    mask = sliding_window_mask(1024, 1024, WINDOW)
    functions = {"mlnotes": in_a_window, TORCH: under(mask), MASKED: under(mask, attention)}
    title = f"a window of {WINDOW}, PyTorch, float32, {HEADS} heads, width {WIDTH}, 1024 tokens"
    race(title, name, functions[name], q, k, v, expected=exact(q, k, v, mask), tolerance=1e-5)


@pytest.mark.parametrize("name", ["mlnotes", TORCH])
def test_time_of_a_tenth_of_the_blocks(race, big, name):
    q, k, v = tensors(big(8192))
    n = q.shape[-2] // BLOCK
    layout = np.zeros((n, n), bool)
    layout.flat[np.random.default_rng(0).permutation(n * n)[: n * n // 10]] = True
    mask = np.kron(layout, np.ones((BLOCK, BLOCK), bool))
    functions = {"mlnotes": lambda *x: block_sparse_attention(*x, layout, BLOCK), TORCH: under(mask)}
    title = f"a tenth of the blocks of {BLOCK}, PyTorch, float32, {HEADS} heads, width {WIDTH}, {q.shape[-2]} tokens"
    race(title, name, functions[name], q, k, v, expected=exact(q, k, v, mask), tolerance=1e-5)


def test_twice_the_tokens_take_twice_the_time(shortest):
    times = shortest([partial(in_a_window, *tensors(n)) for n in (2048, 4096, 8192)])
    assert times[2] < 2.6 * times[1], f"{times[2] / times[1]:.1f} times as long for twice the tokens"
    assert times[1] < 2.6 * times[0], f"{times[1] / times[0]:.1f} times as long for twice the tokens"


def test_a_window_and_a_tenth_of_the_blocks_are_several_times_as_fast_as_the_mask(shortest):
    q, k, v = tensors(8192)
    layout = np.random.default_rng(0).random((8192 // BLOCK,) * 2) < 0.1
    blocks = np.kron(layout, np.ones((BLOCK, BLOCK), bool))
    masked, window = shortest([under(sliding_window_mask(8192, 8192, WINDOW)), in_a_window], q, k, v)
    print(f"\n8,192 tokens: a window {masked / window:.1f} times as fast as the mask,")
    assert masked > 6 * window
    masked, tenth = shortest([under(blocks), lambda *x: block_sparse_attention(*x, layout, BLOCK)], q, k, v)
    print(f"a tenth of the blocks {masked / tenth:.1f} times")
    assert masked > 4 * tenth
