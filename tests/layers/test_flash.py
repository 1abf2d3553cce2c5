"""The layer gives torch's own attention and its gradients, and keeps no table for its backward pass."""


import numpy as np
import pytest
import torch
import torch.nn.functional as F

from mlnotes.attention.causal_mask import causal_mask
from mlnotes.attention.self_attention import attention
from mlnotes.efficient.flash import flash_attention
from mlnotes.layers.flash import FlashAttention

SCORED = 2 * 6e-8  # of the largest score: rounded 6 times in single precision, and a weight moves by a quarter of it
ROUNDED = 1e-14  # scores of 5 products, a softmax, an average of 11 values up to 2.7: 20 * 2.7 * 1.1e-16 = 6e-15
SLOPES = 1e-9  # 15 roundings of results up to 3, over twice the step: 2.5e-10; and a third derivative times 1.7e-11
# Forwards, and sums of 11 twice, are some 42 roundings of 1.1e-16 or 6e-8. In half precision, PyTorch rounds scores,
# weights and results, each to half of 9.8e-4 or 7.8e-3: ten such halves.
TOLERANCES = {torch.float64: 1e-14, torch.float32: 5e-6, torch.float16: 5e-3, torch.bfloat16: 4e-2}


def draw(*shape, seed=0, dtype=torch.float64):
    return torch.tensor(np.random.default_rng(seed).normal(size=shape), dtype=dtype, requires_grad=True)


def arrays(l=9, s=11, d=3, e=4, **kwargs):  # noqa: E741
    return draw(2, l, d, **kwargs), draw(2, s, d, seed=1, **kwargs), draw(2, s, e, seed=2, **kwargs)


def saved(function, *tensors):
    """Add up the bytes that autograd keeps for the backward pass, each memory once."""
    kept = {}

    def note(x):
        kept[x.untyped_storage().data_ptr()] = x.untyped_storage().nbytes()
        return x

    with torch.autograd.graph.saved_tensors_hooks(note, lambda x: x):
        out = function(*tensors)
    assert out.requires_grad
    return sum(kept.values())


FEW = causal_mask(3, 5, 1)
FEW[1] = False


def slopes(function, inputs, step=1e-5):
    """Measure the gradients of a sum of results, all in one call: each copy of the inputs has one number moved."""
    sizes = [it.numel() for it in inputs]
    each = step * torch.eye(sum(sizes), dtype=torch.float64)
    # The axis of the copies comes before that of the batch, which a bias may lack.
    shapes = [(-1, *[1] * (3 - it.ndim), *it.shape) for it in inputs]
    moves = [it.reshape(shape) for it, shape in zip(torch.cat([each, -each]).split(sizes, 1), shapes, strict=True)]
    results = function(*(it.detach() + move for it, move in zip(inputs, moves, strict=True)))
    forth, back = results.flatten(1).sum(1).chunk(2)
    found = ((forth - back) / (2 * step)).split(sizes)
    return [it.reshape(x.shape) for it, x in zip(found, inputs, strict=True)]


@pytest.mark.parametrize("block_size", [1, 2, 128])
@pytest.mark.parametrize("bias", [None, draw(3, 5, seed=3), draw(2, 1, 5, seed=3)])
@pytest.mark.parametrize("mask", [None, torch.tensor(FEW), FEW], ids=["no mask", "a tensor", "of NumPy"])
def test_results_are_attention_and_gradients_the_measured_ones_with_a_query_that_sees_nothing(block_size, bias, mask):
    upstream, inputs = draw(2, 3, 4, seed=5).detach(), arrays(3, 5) if bias is None else [*arrays(3, 5), bias]

    def weighed(q, k, v, bias=None):
        return FlashAttention(block_size)(q, k, v, mask, bias, 0.7) * upstream

    out = weighed(*inputs)
    torch.testing.assert_close(out, attention(*inputs[:3], mask, bias, 0.7) * upstream, rtol=0, atol=ROUNDED)
    found = torch.autograd.grad(out.sum(), inputs)
    for x, y in zip(found, slopes(weighed, inputs), strict=True):
        torch.testing.assert_close(x, y, rtol=0, atol=SLOPES)


def test_gradients_pass_gradcheck():
    layer, mask, inputs = FlashAttention(2), torch.tensor(FEW), [*arrays(3, 5), draw(2, 1, 5, seed=3)]
    assert torch.autograd.gradcheck(lambda q, k, v, bias: layer(q, k, v, mask, bias, 0.7), inputs)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("causal", [False, True])
def test_results_and_gradients_are_those_of_torch(dtype, causal):
    tolerance = TOLERANCES[dtype]
    ours, theirs = (arrays(11, 11, dtype=dtype) for _ in range(2))
    found, expected = FlashAttention(4, causal)(*ours), F.scaled_dot_product_attention(*theirs, is_causal=causal)
    for out in found, expected:
        (out * torch.arange(11.0)[:, None]).sum().backward()
    assert found.dtype == dtype
    for x, y in zip((found, *(it.grad for it in ours)), (expected, *(it.grad for it in theirs)), strict=True):
        assert x.dtype == dtype
        torch.testing.assert_close(x, y, rtol=tolerance, atol=tolerance)


def test_causal_queries_are_the_last_tokens():
    q, k, v = arrays()
    expected = attention(q, k, v, causal_mask(9, 11, 2))
    torch.testing.assert_close(FlashAttention(4, causal=True)(q, k, v), expected, rtol=0, atol=ROUNDED)


def test_nothing_quadratic_is_kept_for_the_backward_pass():
    q, k, v = (it.detach().requires_grad_() for it in arrays(256, 256, 8, 8))
    inputs, table = sum(it.nbytes for it in (q, k, v)), 8 * 2 * 256 * 256
    assert saved(FlashAttention(32), q, k, v) == inputs + q.nbytes + 8 * 2 * 256  # and results, one lse for each query
    assert saved(attention, q, k, v) > table
    assert saved(lambda *it: flash_attention(*it, block_size=32), q, k, v) > table  # so it takes a backward of its own


def test_gradients_of_float32_with_scores_of_a_thousand_are_right_to_the_rounding_of_the_scores():
    single = arrays(dtype=torch.float32)
    double = [it.detach().double().requires_grad_() for it in single]
    for inputs in single, double:
        FlashAttention(4)(*inputs, scale=300.0).square().sum().backward()
    scores = (300 * double[0] @ double[1].mT).abs().max().item()
    assert scores > 1000
    for x, y in zip(single, double, strict=True):
        assert (x.grad - y.grad).abs().max() < SCORED * scores * y.grad.abs().max()


def test_the_gradient_of_a_gradient_is_refused():
    q, k, v = arrays()
    (first,) = torch.autograd.grad(FlashAttention()(q, k, v).square().sum(), q, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        first.sum().backward()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: FlashAttention(0), "block_size must be positive, got 0"),
        (lambda: FlashAttention(causal=True)(*arrays(11, 9)), "offset must not be negative, got -2"),
        (lambda: FlashAttention(causal=True)(*torch.ones(3, 5)), "axis must be one of q's 1 axes, got axis -2"),
        (lambda: FlashAttention()(*arrays(), mask=torch.ones(11, 9) > 0), r"mask must have shape \(9, 11\)"),
        (lambda: FlashAttention()(*arrays(), bias=torch.ones(9, 11) > 0), "bias must hold floating-point numbers"),
    ],
)
def test_bad_input_is_refused_with_the_rule_and_both_values(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_gradients_are_zeros_where_no_query_may_look_at_any_key():
    inputs = arrays(3, 3)
    flash_attention(*inputs, torch.zeros(3, 3, dtype=torch.bool), block_size=2).sum().backward()
    assert [it.grad.abs().max().item() for it in inputs] == [0, 0, 0]


def test_a_bias_of_numpy_is_one_of_pytorch():
    bias = np.random.default_rng(3).normal(size=(9, 11))
    ours, theirs = (FlashAttention()(*arrays(), bias=it) for it in (bias, torch.tensor(bias)))
    ours.sum().backward()
    assert torch.equal(ours, theirs)
