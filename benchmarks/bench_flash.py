"""What attention in blocks costs beside the table of weights, and beside PyTorch's fused kernel."""

import numpy as np
import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from mlnotes.attention.causal_mask import causal_mask
from mlnotes.attention.self_attention import attention
from mlnotes.efficient.flash import causal_flash_attention, flash_attention
from mlnotes.layers.flash import FlashAttention

HEADS, WIDTH = 8, 64


def of_torch(backend, causal=False):
    def run(q, k, v):
        with sdpa_kernel(backend):
            return scaled_dot_product_attention(q[None], k[None], v[None], is_causal=causal)[0]

    return run


def in_smaller_blocks(q, k, v):
    return flash_attention(q, k, v, block_size=64)


def with_a_table(q, k, v):
    return attention(q, k, v, causal_mask(q.shape[-2], k.shape[-2]))


def there_and_back(function):
    """Run a function of queries, keys and values, and return the gradient of the keys."""

    def run(q, k, v):
        q, k, v = (x.detach().requires_grad_() for x in (q, k, v))
        return torch.autograd.grad(function(q, k, v).square().sum(), k)[0].numpy()

    return run


MATH, FUSED = "scaled_dot_product_attention, math", "scaled_dot_product_attention, fused"
ALL = {
    "mlnotes": flash_attention,
    "mlnotes, blocks of 64": in_smaller_blocks,
    "attention": attention,
    MATH: of_torch(SDPBackend.MATH),
    FUSED: of_torch(SDPBackend.FLASH_ATTENTION),
}
CAUSAL = {
    "mlnotes": causal_flash_attention,
    "attention": with_a_table,
    MATH: of_torch(SDPBackend.MATH, causal=True),
    FUSED: of_torch(SDPBackend.FLASH_ATTENTION, causal=True),
}
BACK = {"mlnotes": FlashAttention()} | {name: it for name, it in ALL.items() if not name.startswith("mlnotes")}
RACES = {
    "NumPy": {name: it for name, it in ALL.items() if not name.startswith("scaled")},
    "PyTorch": ALL,
    "PyTorch, causal": CAUSAL,
    "PyTorch, there and back": {name: there_and_back(it) for name, it in BACK.items()},
}


@pytest.mark.parametrize(
    ("title", "name", "function"),
    [(title, name, function) for title, entrants in RACES.items() for name, function in entrants.items()],
)
@pytest.mark.parametrize("n", [512, 4096])
def test_time_of(race, big, n, title, name, function):
    if "back" in title and n > 512:
        n = 2048
    n = big(n)
    q, k, v = np.random.default_rng(0).normal(size=(3, HEADS, n, WIDTH)).astype(np.float32)
    convert, reference = (np.asarray, "attention") if title == "NumPy" else (torch.asarray, FUSED)
    heads = [[convert(x[i : i + 1].astype(np.float64)) for x in (q, k, v)] for i in range(HEADS)]
    exact = np.concatenate([RACES[title][reference](*head) for head in heads])  # together they would fill the memory
    race(
        f"attention, {title}, float32, 8 heads, width 64, {n:,} tokens",
        name,
        function,
        *map(convert, (q, k, v)),
        expected=exact,
        tolerance=1e-4,
    )


def test_blocks_are_twice_as_fast_as_the_table_and_half_as_fast_as_the_fused_kernel(shortest):
    q, k, v = torch.randn(3, HEADS, 4096, WIDTH, generator=torch.Generator().manual_seed(0))
    ours, math, fused = shortest([ALL[name] for name in ("mlnotes", MATH, FUSED)], q, k, v)
    slower = f"{ours / fused:.1f} times the time of the fused kernel"
    print(f"\n4,096 tokens: {math / ours:.1f} times as fast as the math backend, {slower}")
    assert math > 2 * ours
    assert ours < 2 * fused
