"""The linear layer's function, its gradients, and the standard deviations of its first weights."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from mlnotes.applications.linear import glorot_std, he_std, linear, linear_gradients

ROUNDED = 5e-15  # sums of at most 10 products, up to 6: 8 roundings of 1.1e-16, on the average, of the sum that far
SPREAD = 2.7  # over the root of how many numbers were drawn, 3.8 standard errors: one is 0.71


def draw(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


X, W, B, G = draw(2, 5, 3), draw(3, 7, seed=1), draw(7, seed=2), draw(2, 5, 7, seed=3)


@pytest.mark.parametrize("biased", [False, True])
def test_agrees_with_torch_in_every_precision(backend, biased):
    b = [B] if biased else []
    x, w, *bias = (torch.tensor(backend.like(a)) for a in (X, W, *b))
    expected = torch.nn.functional.linear(x, w.T, *bias)
    found = backend.read(linear(*map(backend.array, (X, W, *b))))
    np.testing.assert_allclose(found, expected, rtol=0, atol=8 * backend.tolerance)


@given(st.integers(0, 5), st.integers(0, 5), st.integers(0, 5))
def test_gradients_are_those_of_autograd_for_all_shapes(n, d, k):
    x, w, b = (torch.tensor(draw(*shape), requires_grad=True) for shape in ((n, d), (d, k), (k,)))
    grad = torch.tensor(draw(n, k, seed=1))
    linear(x, w, b).backward(grad)
    for found, parameter in zip(linear_gradients(x.detach(), w.detach(), grad), (x, w, b), strict=True):
        np.testing.assert_allclose(found, parameter.grad, rtol=0, atol=ROUNDED)


def test_gradients_of_a_batch_of_sequences_have_the_shapes_of_their_arrays():
    by_x, by_w, by_b = linear_gradients(X, W, G)
    assert (by_x.shape, by_w.shape, by_b.shape) == (X.shape, W.shape, B.shape)
    np.testing.assert_allclose(by_w, np.einsum("bld,blk->dk", X, G), rtol=0, atol=ROUNDED)


def test_gradients_are_rounded_once_in_every_precision(backend):
    n = 3001  # ones alone add up to 2048 in float16, and to 256 in bfloat16
    x, grad = np.ones((n, 1)), np.ones((n, 2))
    by_x, by_w, by_b = linear_gradients(*map(backend.array, (x, draw(1, 2), grad)))
    assert backend.read(by_w).tolist() == [[backend.like(n)] * 2]
    assert backend.read(by_b).tolist() == [backend.like(n)] * 2
    np.testing.assert_allclose(backend.read(by_x), backend.like(draw(1, 2)).sum(), rtol=0, atol=backend.tolerance)


def test_gradcheck_passes():
    assert torch.autograd.gradcheck(linear, [torch.tensor(a, requires_grad=True) for a in (X, W, B)])


@pytest.mark.parametrize("d_in", [10, 1000])
def test_standard_deviations_are_those_that_torch_draws_with(d_in):
    torch.manual_seed(0)
    drawn = torch.nn.init.xavier_normal_(torch.empty(d_in, 300)).std().item()
    assert glorot_std(d_in, 300) == pytest.approx(drawn, rel=SPREAD / math.sqrt(300 * d_in))
    drawn = torch.nn.init.kaiming_normal_(torch.empty(300, d_in)).std().item()
    assert he_std(d_in) == pytest.approx(drawn, rel=SPREAD / math.sqrt(300 * d_in))


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: linear(X, W.T), "3.*7"),
        (lambda: linear(X, W[0]), r"w must be a matrix, got shape \(7,\)"),
        (lambda: linear(X, W, B[:5]), r"b must have shape \(7,\), one for each column of w, got \(5,\)"),
        (lambda: linear(X.astype(int), W), "x .*float"),
        (lambda: linear(X, W, B.astype(int)), "b .*float"),
        (lambda: linear_gradients(X, draw(2, 7), G), r"same size along axis -1.*\(7, 2\)"),
        (lambda: linear_gradients(X, W, G[0]), r"shape of the outputs, \(2, 5, 7\), got \(5, 7\)"),
        (lambda: glorot_std(0, 5), "d_in must be positive, got 0"),
        (lambda: he_std(-1), "d_in must be positive, got -1"),
    ],
)
def test_bad_input_is_refused_with_the_rule_and_the_values(call, says):
    with pytest.raises(ValueError, match=says):
        call()
