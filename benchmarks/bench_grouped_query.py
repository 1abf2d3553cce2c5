"""What sharing key/value heads saves, and what copying them for every query head costs."""

import numpy as np
import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from mlnotes.attention.causal_mask import causal_mask
from mlnotes.attention.self_attention import attention
from mlnotes.efficient.grouped_query import grouped_query_attention

HEADS, GROUPS, WIDTH = 32, 8, 128
SIZES = {"one query, 8,192 keys": (1, 8192), "one query, 64 keys": (1, 64), "512 causal queries": (512, 512)}


def repeat(x):
    return np.repeat(x, HEADS // GROUPS, -3) if isinstance(x, np.ndarray) else x.repeat_interleave(HEADS // GROUPS, -3)


def repeated(q, k, v, mask):
    return attention(q, repeat(k), repeat(v), mask)


def broadcast(q, k, v, mask):
    q = q.reshape(GROUPS, HEADS // GROUPS, *q.shape[-2:])
    return attention(q, k[:, None], v[:, None], mask).reshape(HEADS, *q.shape[-2:])


def of_torch(q, k, v, mask):  # its fast kernels take four axes
    mask = None if mask is None else torch.asarray(mask)
    return scaled_dot_product_attention(q[None], k[None], v[None], attn_mask=mask, enable_gqa=True)[0]


EVERY_HEAD = "with 32 key/value heads"
ON_NUMPY = {
    "mlnotes": grouped_query_attention,
    EVERY_HEAD: attention,
    "keys and values repeated": repeated,
    "keys and values broadcast": broadcast,
}
RACES = {"NumPy": ON_NUMPY, "PyTorch": ON_NUMPY | {"scaled_dot_product_attention, enable_gqa": of_torch}}


@pytest.mark.parametrize(
    ("library", "name", "function"),
    [(library, name, function) for library, entrants in RACES.items() for name, function in entrants.items()],
)
@pytest.mark.parametrize("size", SIZES)
def test_time_of(race, big, size, library, name, function):
    l, s = map(big, SIZES[size])  # noqa: E741
    rng = np.random.default_rng(0)
    q, k, v = (rng.normal(size=(n, m, WIDTH)).astype(np.float32) for n, m in ((HEADS, l), (GROUPS, s), (GROUPS, s)))
    mask = causal_mask(l, s) if l > 1 else None
    exact = of_torch(*(torch.asarray(x).double() for x in (q, k, v)), mask)
    if name == EVERY_HEAD:  # which are there from the start, not made of 8
        k, v = repeat(k), repeat(v)
    arrays = (q, k, v) if library == "NumPy" else map(torch.asarray, (q, k, v))
    race(
        f"grouped-query attention, {library}, float32, 32 heads, 8 key/value heads, width 128, {size}",
        name,
        function,
        *arrays,
        mask,
        expected=exact.numpy(),
        tolerance=1e-5,
    )
