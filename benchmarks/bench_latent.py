"""What the two orders of latent attention cost, beside a cache of all heads."""

import numpy as np
import pytest
import torch

from mlnotes.attention.multi_head import split_heads
from mlnotes.attention.self_attention import attention
from mlnotes.efficient.latent import absorbed_latent_attention, latent_attention

HEADS, WIDTH, LATENT, ROTARY = 32, 64, 256, 32
SIZES = {"1 query, 2,048 tokens": (1, 2048), "1,024 queries, 1,024 tokens": (1024, 1024)}


def of_all_heads(q, c, w_uk, w_uv, k, v):
    """Attend to keys and values that are there from the start, not projected up."""
    return attention(q, k, v)


RACES = {
    "1 query, 2,048 tokens": {
        "mlnotes": lambda *given: absorbed_latent_attention(*given[:4]),
        "projected up": lambda *given: latent_attention(*given[:4]),
        "keys and values of all heads cached": of_all_heads,
    },
    "1,024 queries, 1,024 tokens": {
        "mlnotes": lambda *given: latent_attention(*given[:4]),
        "absorbed": lambda *given: absorbed_latent_attention(*given[:4]),
        "keys and values of all heads cached": of_all_heads,
    },
}


@pytest.mark.parametrize(("size", "name"), [(size, name) for size, entrants in RACES.items() for name in entrants])
def test_time_of(race, big, size, name):
    l, s = map(big, SIZES[size])  # noqa: E741
    rng = np.random.default_rng(0)
    shapes = ((HEADS, l, WIDTH + ROTARY), (s, LATENT + ROTARY), (LATENT, HEADS * WIDTH), (LATENT, HEADS * WIDTH))
    q, c, w_uk, w_uv = (torch.tensor(rng.normal(size=shape), dtype=torch.float32) for shape in shapes)
    w_uk, w_uv = w_uk / LATENT**0.5, w_uv / LATENT**0.5
    k, v = (split_heads(c[:, :LATENT] @ w, HEADS) for w in (w_uk, w_uv))
    k = torch.cat([k, c[:, LATENT:].expand(HEADS, -1, -1)], -1)
    expected = attention(q.double(), k.double(), v.double())
    title = f"latent attention, PyTorch, float32, {HEADS} heads of {WIDTH} + {ROTARY}, latents of {LATENT}, {size}"
    race(title, name, RACES[size][name], q, c, w_uk, w_uv, k, v, expected=expected.numpy(), tolerance=1e-4)
