"""Scaled dot-product attention, and the layer that holds its projections."""

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st

from mlnotes.attention.causal_mask import causal_mask
from mlnotes.attention.self_attention import attention, attention_weights, self_attention
from mlnotes.blocks.softmax import softmax
from mlnotes.layers.self_attention import SelfAttention

# A rounding is 1.1e-16.
ROUNDED = 4e-15  # scores of 3 products, a softmax, an average of 7 values up to 2.4: 14 * 2.4 * 1.1e-16 = 4e-15
PROJECTED = (
    2e-14  # before that projections of at most 7 products, which give scores up to 10: 16 * 10 * 1.1e-16 = 2e-14
)
# Spreads, as 4 standard errors over seeds that were measured.
SPREAD = 0.2  # over sqrt(d): scores of 2,000 queries and keys; one standard error is 1.3 % for d = 16, 0.2 % for 256
LAYER = 0.05  # 100 tokens times drawn weights; one standard error is 1.2 %


def draw(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


Q, K, V = draw(2, 5, 3), draw(2, 7, 3, seed=1), draw(2, 7, 11, seed=2)


def torch_attention(q, k, v, **kwargs):
    return F.scaled_dot_product_attention(torch.tensor(q), torch.tensor(k), torch.tensor(v), **kwargs).numpy()


@pytest.mark.parametrize("masked", [False, True])
def test_agrees_with_torch_in_every_precision(backend, masked):
    mask = causal_mask(5, 7, offset=2) if masked else None
    q, k, v = map(backend.like, (Q, K, V))
    expected = torch_attention(q, k, v, attn_mask=None if mask is None else torch.tensor(mask))
    found = backend.read(attention(*map(backend.array, (Q, K, V)), mask=mask))
    np.testing.assert_allclose(found, expected, rtol=0, atol=backend.tolerance * 2)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_no_further_from_the_truth_than_torch(dtype):
    q, k, v = (torch.tensor(draw(2, 64, 32, seed=i) * 3).to(dtype) for i in range(3))
    exact = F.scaled_dot_product_attention(q.double(), k.double(), v.double())
    ours, theirs = attention(q, k, v), F.scaled_dot_product_attention(q, k, v)
    assert (ours.double() - exact).abs().max() <= 1.01 * (theirs.double() - exact).abs().max()


def test_bias_and_scale_may_come_in_any_precision_and_leave_the_result_in_that_of_the_query(backend):
    bias = draw(5, 7, seed=3)
    q, k, v = map(backend.array, (Q, K, V))
    for other in backend.others():
        expected = attention(*map(backend.like, (Q, K, V)), bias=other.like(bias), scale=float(other.like(0.3)))
        found = backend.read(attention(q, k, v, bias=other.array(bias), scale=other.array(0.3)))
        np.testing.assert_allclose(found, expected, rtol=0, atol=4 * backend.tolerance)
        assert attention_weights(q, k, bias=other.array(bias), scale=other.array(0.3)).dtype == q.dtype
    for scale in (np.float64(0.3), np.float16(0.3), 1):
        assert attention(q, k, v, scale=scale).dtype == q.dtype


def test_gradients_reach_a_bias_and_a_scale_of_another_precision():
    q, k, v = (torch.tensor(x, dtype=torch.float32) for x in (Q, K, V))
    bias, scale = (
        torch.tensor(draw(5, 7), requires_grad=True),
        torch.tensor(0.3, dtype=torch.float64, requires_grad=True),
    )
    attention(q, k, v, bias=bias, scale=scale).square().sum().backward()
    assert bias.grad.dtype == scale.grad.dtype == torch.float64
    assert bias.grad.abs().min() > 0
    assert scale.grad.abs() > 0


def test_bias_and_scale_agree_with_torch():
    bias = draw(5, 7, seed=3)
    expected = torch_attention(Q, K, V, attn_mask=torch.tensor(bias), scale=0.3)
    np.testing.assert_allclose(attention(Q, K, V, bias=bias, scale=0.3), expected, rtol=0, atol=ROUNDED)
    both = torch.tensor(bias).masked_fill(~torch.tensor(causal_mask(5, 7)), -math.inf)
    np.testing.assert_allclose(
        attention(Q, K, V, causal_mask(5, 7), bias), torch_attention(Q, K, V, attn_mask=both), rtol=0, atol=ROUNDED
    )


@given(st.permutations(range(7)))
def test_order_of_keys_does_not_matter_and_order_of_tokens_is_kept(order):
    np.testing.assert_allclose(attention(Q, K[:, order], V[:, order]), attention(Q, K, V), rtol=0, atol=ROUNDED)
    x = draw(7, 5)
    w = draw(3, 5, 3)
    np.testing.assert_allclose(self_attention(x[order], *w), self_attention(x, *w)[order], rtol=0, atol=PROJECTED)


def test_leading_axes_are_free_and_broadcast():
    q, k, v = draw(3, 1, 5, 3), draw(2, 7, 3), draw(7, 11)
    found = attention(q, k, v)
    assert found.shape == (3, 2, 5, 11)
    np.testing.assert_allclose(found[1, 0], attention(q[1, 0], k[0], v), rtol=0, atol=ROUNDED)


@pytest.mark.parametrize("make", [np.asarray, torch.asarray])
def test_a_query_that_sees_nothing_gets_zeros_by_mask_and_by_bias(make):
    mask = np.ones((5, 7), bool)
    mask[3] = False
    q, k, v = map(make, (Q, K, V))
    hidden = np.where(mask, 0.0, -np.inf)
    for out in (attention(q, k, v, mask), attention(q, k, v, bias=make(hidden))):
        assert (np.asarray(out)[:, 3] == 0).all()
        assert np.isfinite(np.asarray(out)).all()


def test_infinite_scores_take_all_the_attention_without_warnings():
    bias = np.zeros((5, 7))
    bias[:, [2, 4]] = np.inf
    np.testing.assert_array_equal(attention_weights(Q, K, bias=bias)[..., [2, 4]], 0.5)


def test_scores_beyond_half_precision_are_right():
    q = torch.full((1, 4), 200.0, dtype=torch.float16)
    k = torch.stack([torch.full((4,), 200.0), torch.full((4,), -200.0)]).half()
    assert attention_weights(q, k).tolist() == [[1, 0]]  # the products are ±160000, float16 ends at 65504


def test_gradients_are_right_with_masks_and_fully_masked_rows():
    mask = causal_mask(5, 7)
    mask[2] = False
    arrays = [torch.tensor(x, requires_grad=True) for x in (Q, K, V)]
    assert torch.autograd.gradcheck(lambda q, k, v: attention(q, k, v, mask), arrays)
    x, *w = (torch.tensor(a, requires_grad=True) for a in (draw(5, 3), draw(3, 2), draw(3, 2), draw(3, 4)))
    assert torch.autograd.gradcheck(lambda *a: self_attention(*a, mask=causal_mask(5, 5)), (x, *w))


def test_variance_of_scores_grows_with_the_width_until_it_is_scaled_away():
    for d in (16, 64, 256):
        scores = draw(2000, d) @ draw(2000, d, seed=1).T
        assert scores.var() == pytest.approx(d, rel=SPREAD / math.sqrt(d))
        assert (scores / math.sqrt(d)).var() == pytest.approx(1, rel=SPREAD / math.sqrt(d))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((Q, K[..., :2], V), r"q and k must have the same size along axis -1, got shapes \(2, 5, 3\) and \(2, 7, 2\)"),
        ((Q, K, V[:, :5]), r"k and v must have the same size along axis -2, got shapes \(2, 7, 3\) and \(2, 5, 11\)"),
        ((Q.astype(int), K, V), "q must hold floating-point numbers, got dtype int64"),
        ((Q, K, V.astype(int)), "v must hold floating-point numbers, got dtype int64"),
        ((Q, K[:, :0], V[:, :0]), r"k must not be empty along axis -2, got shape \(2, 0, 3\)"),
        ((Q[..., :0], K[..., :0], V), r"q must not be empty along axis -1, got shape \(2, 5, 0\)"),
        ((Q[0, 0], K, V), "axis must be one of q's 1 axes, got axis -2"),
        (
            (Q, K, V, np.ones((7, 5), bool)),
            r"mask must have shape \(5, 7\) or \(2, 5, 7\), up to sizes 1, got \(7, 5\)",
        ),
        ((Q, K, V, np.ones((5, 7))), "mask must be boolean"),
        ((Q, K, V, None, np.ones((7, 5))), r"bias must have shape \(5, 7\) or \(2, 5, 7\)"),
        ((Q, K, V, None, np.ones((5, 7), int)), "bias must hold floating-point numbers"),
    ],
)
def test_bad_input_is_refused_with_the_rule_and_both_values(arguments, message):
    with pytest.raises(ValueError, match=message):
        attention(*arguments)


def test_projections_of_the_wrong_width_or_that_are_no_arrays_are_refused():
    with pytest.raises(ValueError, match="w_q must be an array of NumPy or PyTorch, got list"):
        self_attention(draw(7, 5), [[1.0]] * 5, draw(5, 3), draw(5, 3))
    with pytest.raises(ValueError, match=r"w_k must be a matrix .* got \(4, 3\) for tokens \(7, 5\)"):
        self_attention(draw(7, 5), draw(5, 3), draw(4, 3), draw(5, 3))
    with pytest.raises(ValueError, match=r"w_q must be a matrix .* got \(5, 3\) for tokens \(\)"):
        self_attention(draw(), draw(5, 3), draw(5, 3), draw(5, 3))


def test_layer_calls_the_function_with_its_parameters_and_learns():
    layer = SelfAttention(5, 3, np.random.default_rng(0))
    x = torch.tensor(draw(2, 7, 5), dtype=torch.float32)
    out = layer(x, causal_mask(7, 7))
    expected = self_attention(x, layer.w_q, layer.w_k, layer.w_v, causal_mask(7, 7))
    torch.testing.assert_close(out, expected, rtol=0, atol=0)
    out.sum().backward()
    assert [tuple(p.grad.shape) for p in layer.parameters()] == [(5, 3)] * 3


def test_layer_keeps_the_variance_of_its_tokens():
    layer = SelfAttention(512, 256, np.random.default_rng(0))
    x = torch.tensor(draw(100, 512), dtype=torch.float32)
    for w in layer.parameters():
        assert (x @ w).var().item() == pytest.approx(1, rel=LAYER)


def test_layer_equals_torch_multihead_attention_with_one_head():
    layer = SelfAttention(7, 7, np.random.default_rng(0)).double()
    theirs = torch.nn.MultiheadAttention(7, 1, bias=False, batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([layer.w_q.T, layer.w_k.T, layer.w_v.T]))
        theirs.out_proj.weight.copy_(torch.eye(7))
    x = torch.tensor(draw(2, 5, 7))
    torch.testing.assert_close(layer(x), theirs(x, x, x)[0], rtol=0, atol=PROJECTED)


@pytest.mark.parametrize("widths", [(0, 3), (3, 0), (-1, 3)])
def test_layer_refuses_widths_that_are_not_positive(widths):
    with pytest.raises(ValueError, match="must be positive, got"):
        SelfAttention(*widths)


def test_without_scale_the_gradient_of_wide_scores_vanishes():
    d = 1024
    scores = torch.tensor(draw(64, d) @ draw(64, d, seed=1).T)
    steepest = {}
    for scale in (1.0, d**-0.5):
        p = softmax(scores * scale)
        steepest[scale] = (p * (1 - p)).max(-1).values.median().item()
    assert steepest[1.0] < 1e-3 < 0.05 < steepest[d**-0.5]


def test_half_precision_is_widened_also_when_every_argument_is_named():
    q, k, v = (torch.tensor(x).half() for x in (Q, K, V))
    torch.testing.assert_close(attention(q=q, k=k, v=v), attention(q, k, v), rtol=0, atol=0)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'q'"):
        attention(k=k, v=v)
