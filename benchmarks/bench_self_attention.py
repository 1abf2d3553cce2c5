"""What attention costs, beside the formula as it is printed and PyTorch's own function."""

import math

import numpy as np
import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from mlnotes.attention.causal_mask import causal_mask
from mlnotes.attention.self_attention import attention

SIZES = {"11 tokens": (1, 11, 64), "8 heads, 512 tokens": (8, 512, 64)}


def printed_attention(q, k, v):  # overflows for scores above 88 in float32
    scores = np.exp(q @ k.mT / math.sqrt(q.shape[-1]))
    return scores / scores.sum(-1, keepdims=True) @ v


def forward_and_back(function):
    def both(q, k, v):
        q, k, v = (x.detach().requires_grad_() for x in (q, k, v))
        out = function(q, k, v)
        out.sum().backward()
        return out.detach()

    return both


def causal(q, k, v):
    return attention(q, k, v, causal_mask(q.shape[-2], k.shape[-2]))


def causal_of_torch(q, k, v):
    return scaled_dot_product_attention(q, k, v, is_causal=True)


def attention_that_keeps_its_weights(q, k, v):
    with sdpa_kernel(SDPBackend.MATH):
        return scaled_dot_product_attention(q, k, v)


TORCH = "scaled_dot_product_attention"
PLAIN = "the formula as printed"
RACES = {
    "attention, NumPy": {"mlnotes": attention, PLAIN: printed_attention},
    "attention, PyTorch": {"mlnotes": attention, TORCH: scaled_dot_product_attention},
    "causal attention, PyTorch": {"mlnotes": causal, TORCH: causal_of_torch},
    "attention and its gradients, PyTorch": {
        "mlnotes": forward_and_back(attention),
        TORCH: forward_and_back(scaled_dot_product_attention),
    },
}


@pytest.mark.parametrize(
    ("what", "name", "function"),
    [(what, name, function) for what, entrants in RACES.items() for name, function in entrants.items()],
)
@pytest.mark.parametrize("size", SIZES)
def test_time_of(race, size, what, name, function):
    q, k, v = np.random.default_rng(0).normal(size=(3, *SIZES[size]))
    convert = np.float32 if what.endswith("NumPy") else lambda x: torch.asarray(x, dtype=torch.float32)
    exact = scaled_dot_product_attention(*map(torch.asarray, (q, k, v)), is_causal=what.startswith("causal"))
    race(
        f"{what}, float32, {size}",
        name,
        function,
        *map(convert, (q, k, v)),
        expected=exact.numpy(),
        tolerance=1e-5,
    )


@pytest.mark.parametrize("name", ["mlnotes", f"{TORCH}, math backend", TORCH])
def test_time_of_long_sequences(race, big, name):
    functions = {"mlnotes": attention, TORCH: scaled_dot_product_attention}
    q, k, v = torch.randn(3, 1, 8, big(4096), 64, generator=torch.Generator().manual_seed(0))
    exact = scaled_dot_product_attention(q.double(), k.double(), v.double()).numpy()
    function = functions.get(name, attention_that_keeps_its_weights)
    title = f"attention, PyTorch, float32, 8 heads, {q.shape[-2]} tokens"
    race(title, name, function, q, k, v, expected=exact, tolerance=1e-5)
