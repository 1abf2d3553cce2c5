"""The layer that holds the four projections."""

import numpy as np
import pytest
import torch

from mlnotes.attention.causal_mask import causal_mask
from mlnotes.attention.multi_head import multi_head_attention
from mlnotes.layers.multi_head import MultiHeadAttention
from mlnotes.pretrained import minilm

# A rounding is 1.1e-16.
ROUNDED = 2e-14  # sums of 12, 4, 7 and 12, and a softmax: 39 roundings of numbers up to 4.2
SINGLE = 1e-5  # 39 roundings of 6e-8, in single precision
GRADIENTS = 2e-13  # that and back: 80 roundings of numbers up to 21
WIDE = 3e-13  # sums of 384, 32, 7 and 384: 800 roundings of numbers up to 2.8 are 2.5e-13


def draw(*shape, seed=0):
    return torch.tensor(np.random.default_rng(seed).normal(size=shape))


def twins(bias):
    """Our layer, and torch's with its weights."""
    ours = MultiHeadAttention(12, 3, np.random.default_rng(0), bias).double()
    theirs = torch.nn.MultiheadAttention(12, 3, bias=bias, batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([ours.w_q.T, ours.w_k.T, ours.w_v.T]))
        theirs.out_proj.weight.copy_(ours.w_o.T)
        if bias:
            for i, role in enumerate("qkvo"):
                getattr(ours, f"b_{role}").copy_(draw(12, seed=i))
            theirs.in_proj_bias.copy_(torch.cat([ours.b_q, ours.b_k, ours.b_v]))
            theirs.out_proj.bias.copy_(ours.b_o)
    return ours, theirs


@pytest.mark.parametrize("bias", [False, True])
def test_layer_equals_torch_forwards_and_backwards_with_a_mask(bias):
    ours, theirs = twins(bias)
    x = draw(2, 5, 12).requires_grad_()
    mask = torch.tensor(causal_mask(5, 5))
    (mine,) = torch.autograd.grad(ours(x, mask=mask).square().sum(), x)
    (other,) = torch.autograd.grad(theirs(x, x, x, attn_mask=~mask)[0].square().sum(), x)
    torch.testing.assert_close(ours(x, mask=mask), theirs(x, x, x, attn_mask=~mask)[0], rtol=0, atol=ROUNDED)
    torch.testing.assert_close(mine, other, rtol=0, atol=GRADIENTS)


@pytest.mark.parametrize("bias", [False, True])
def test_cross_attention_equals_torch_with_padding(bias):
    ours, theirs = twins(bias)
    x, memory = draw(2, 5, 12), draw(2, 7, 12, seed=1)
    seen = torch.arange(7) < torch.tensor([7, 4])[:, None]
    expected = theirs(x, memory, memory, key_padding_mask=~seen)[0]
    torch.testing.assert_close(ours(x, memory, mask=seen[:, None]), expected, rtol=0, atol=ROUNDED)
    torch.testing.assert_close(ours(x, memory, memory, seen[:, None]), expected, rtol=0, atol=ROUNDED)


def test_layer_is_its_function():
    layer = MultiHeadAttention(12, 3, np.random.default_rng(0), bias=True)
    q, k, v = (draw(5, 12, seed=i).float() for i in range(3))
    biases = {f"b_{role}": getattr(layer, f"b_{role}") for role in "qkvo"}
    expected = multi_head_attention(q, k, v, layer.w_q, layer.w_k, layer.w_v, layer.w_o, 3, **biases)
    torch.testing.assert_close(layer(q, k, v), expected, rtol=0, atol=0)
    layer(q, k, v).sum().backward()
    assert {name: tuple(p.grad.shape) for name, p in layer.named_parameters()} == {
        **{f"w_{role}": (12, 12) for role in "qkvo"},
        **{f"b_{role}": (12,) for role in "qkvo"},
    }


def test_without_biases_there_are_four_parameters():
    assert sorted(name for name, _ in MultiHeadAttention(12, 3).named_parameters()) == ["w_k", "w_o", "w_q", "w_v"]


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_layer_runs_on_a_gpu():
    layer = MultiHeadAttention(12, 3, np.random.default_rng(0), bias=True)
    x = draw(2, 5, 12).float()
    expected = layer(x, mask=causal_mask(5, 5))
    torch.testing.assert_close(layer.cuda()(x.cuda(), mask=causal_mask(5, 5)).cpu(), expected, rtol=0, atol=SINGLE)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ((12, 5), "d_model must be a multiple of n_heads, got d_model=12 and n_heads=5"),
        ((0, 1), "d_model must be positive, got 0"),
        ((12, 0), "n_heads must be positive, got 0"),
        ((-3, 3), "d_model must be positive, got -3"),
        ((12, 3.0), r"n_heads must be an integer, got 3\.0"),
    ],
)
def test_sizes_that_do_not_divide_are_refused(sizes, message):
    with pytest.raises(ValueError, match=message):
        MultiHeadAttention(*sizes)


def test_layer_with_berts_weights_equals_transformers():
    from transformers import BertConfig
    from transformers.models.bert.modeling_bert import BertSelfAttention

    arrays = minilm.parameters("encoder.layer.0.attention.")
    roles = {"q": "self.query", "k": "self.key", "v": "self.value", "o": "output.dense"}
    layer = MultiHeadAttention(384, 12, bias=True).double()
    state = {f"w_{role}": torch.tensor(arrays[f"{name}.weight"].T.copy()) for role, name in roles.items()}
    layer.load_state_dict(state | {f"b_{role}": torch.tensor(arrays[f"{name}.bias"]) for role, name in roles.items()})

    config = BertConfig(hidden_size=384, num_attention_heads=12, attn_implementation="eager")
    theirs = BertSelfAttention(config).double().eval()
    theirs.load_state_dict(
        {k.removeprefix("self."): torch.tensor(v) for k, v in arrays.items() if k.startswith("self.")}
    )
    x = draw(2, 7, 384)
    expected = theirs(x)[0] @ layer.w_o + layer.b_o
    torch.testing.assert_close(layer(x), expected, rtol=0, atol=WIDE)
