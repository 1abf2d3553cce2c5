"""The norms, the two orders of Add & Norm, the feed-forward network, embedding with positions, and pooling."""

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from transformers import LlamaConfig
from transformers.models.llama.modeling_llama import LlamaMLP

from mlnotes.applications.mlp import gelu, relu
from mlnotes.attention.positions import sinusoidal_positions
from mlnotes.attention.transformer import (
    block_parameters,
    embed,
    embed_as_learned,
    feed_forward,
    layer_norm,
    mean_pool,
    post_norm,
    pre_norm,
    rms_norm,
    swiglu,
)

# A rounding is 1.1e-16 in double precision, 6e-8 in single precision.
SINGLE = 2e-6  # normalised numbers up to 4, rounded 8 times
CENTRED = 1e-14  # a sum of at most 7 numbers up to 4 that were centred twice: 2 * 7 * 4 * 1.1e-16 = 6e-15
LONG = 2e-15  # a length of at most 6 numbers, over another: 2 * 6 roundings
ALONG = (
    1e-11  # what eps leaves: 8 (the product with the result) / 0.5 (the spread) * 1e-13 / 0.25 (the variance) = 6e-12
)
ROUNDED = 1e-13  # sums of 11 products, up to 83: 11 * 83 * 1.1e-16 = 1e-13
MEAN = 4e-15  # five numbers up to 5, each added and the sum divided: 6 * 5 * 1.1e-16


def draw(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


X, GAIN, BETA = draw(2, 5, 7) * 3 + 2, draw(7, seed=1), draw(7, seed=2)


def exactly_normalised(row, eps):
    """Compute layer norm in double precision, with sums that are rounded once: to 1e-10 with a mean of a million."""
    centered = row.astype(float) - math.fsum(row) / len(row)
    return centered / math.sqrt(math.fsum(centered**2) / len(row) + eps)


def test_layer_norm_agrees_with_torch_in_every_precision(backend):
    x, gain, beta = map(backend.like, (X, GAIN, BETA))
    expected = F.layer_norm(*map(torch.tensor, (x,)), (7,), torch.tensor(gain), torch.tensor(beta)).numpy()
    found = backend.read(layer_norm(*map(backend.array, (X, GAIN, BETA))))
    np.testing.assert_allclose(found, expected, rtol=0, atol=backend.tolerance * 2)


def test_rms_norm_agrees_with_torch_in_every_precision(backend):
    x, gain = map(backend.like, (X, GAIN))
    expected = F.rms_norm(torch.tensor(x), (7,), torch.tensor(gain), 1e-6).numpy()
    found = backend.read(rms_norm(*map(backend.array, (X, GAIN))))
    np.testing.assert_allclose(found, expected, rtol=0, atol=backend.tolerance * 2)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize(("ours", "theirs"), [(layer_norm, F.layer_norm), (rms_norm, F.rms_norm)])
def test_half_precision_is_no_further_from_the_truth_than_torch(dtype, ours, theirs):
    x = (torch.tensor(draw(64, 384)) * 3 + 1).to(dtype)
    exact = theirs(x.double(), (384,))
    assert (ours(x).double() - exact).abs().max() <= 1.01 * (theirs(x, (384,)).double() - exact).abs().max()


@pytest.mark.parametrize("make", [np.asarray, torch.asarray])
@pytest.mark.parametrize("mean", [0, 1e2, 1e4, 1e6])
def test_layer_norm_in_single_precision_is_right_wherever_the_mean_is(make, mean):
    x = (draw(16, 384) + mean).astype(np.float32)
    found = np.asarray(layer_norm(make(x)))
    assert found.dtype == np.float32
    exact = np.stack([exactly_normalised(row, 1e-5) for row in x])
    assert abs(found - exact).max() < SINGLE
    if mean == 1e4:  # torch itself loses three digits here, and squares first loses all of them
        assert abs(F.layer_norm(torch.tensor(x), (384,)).numpy() - exact).max() > 1e-4


@given(arrays(np.float64, array_shapes(min_dims=1, max_dims=3), elements=st.floats(-1e6, 1e6, width=32)))
def test_rows_come_out_centered_and_no_longer_than_the_root_of_their_width(x):
    y, n = layer_norm(x), x.shape[-1]
    assert y.shape == x.shape
    np.testing.assert_allclose(y.sum(-1), 0, rtol=0, atol=CENTRED)
    assert (np.linalg.norm(y, axis=-1) <= math.sqrt(n) * (1 + LONG)).all()
    assert (np.linalg.norm(rms_norm(x), axis=-1) <= math.sqrt(n) * (1 + LONG)).all()


@pytest.mark.parametrize("make", [np.asarray, torch.asarray])
def test_rows_without_spread_become_zeros_then_the_shift(make):
    for row in (make([[3.0, 3.0, 3.0]]), make([[0.0, 0.0, 0.0]])):
        assert layer_norm(row).tolist() == [[0, 0, 0]]
        assert layer_norm(row, make([2.0, 2.0, 2.0]), make([1.0, 2.0, 3.0])).tolist() == [[1, 2, 3]]
    assert layer_norm(make([[5.0]])).tolist() == [[0]]
    assert rms_norm(make([[0.0, 0.0]])).tolist() == [[0, 0]]


def test_half_precision_squares_do_not_overflow():
    x = np.array([[60000.0, -60000.0]], np.float16)
    assert layer_norm(x).tolist() == [[1, -1]]
    assert rms_norm(x).tolist() == [[1, -1]]
    assert layer_norm(torch.tensor(x)).tolist() == [[1, -1]]


def test_gradients_of_the_norms_are_right():
    x, gain, beta = (torch.tensor(a, requires_grad=True) for a in (X, GAIN, BETA))
    assert torch.autograd.gradcheck(layer_norm, (x, gain, beta))
    assert torch.autograd.gradcheck(rms_norm, (x, gain))
    flat = torch.full((2, 3), 4.0, dtype=torch.float64, requires_grad=True)
    layer_norm(flat).square().sum().backward()
    assert torch.isfinite(flat.grad).all()


def test_the_gradient_of_layer_norm_has_no_part_along_ones_or_along_the_result():
    x = torch.tensor(draw(5, 7), requires_grad=True)
    y = layer_norm(x, eps=1e-13)
    (gradient,) = torch.autograd.grad((y * torch.tensor(draw(5, 7, seed=3))).sum(), x)
    np.testing.assert_allclose(gradient.sum(-1), 0, rtol=0, atol=CENTRED)
    np.testing.assert_allclose((gradient * y.detach()).sum(-1), 0, rtol=0, atol=ALONG)


@pytest.mark.parametrize("norm", [layer_norm, rms_norm])
def test_an_eps_of_another_precision_does_not_widen_the_result(backend, norm):
    for eps in (np.float64(1e-5), np.array(1e-5)):
        found = backend.read(norm(backend.array(X), eps=eps))
        np.testing.assert_allclose(found, norm(backend.like(X), eps=1e-5), rtol=0, atol=4 * backend.tolerance)


def test_gain_and_shift_of_another_precision_do_not_widen_the_result(backend):
    for other in backend.others():
        gain, beta = other.array(GAIN), other.array(BETA)
        tolerance = 4 * max(backend.tolerance, other.tolerance)
        found = backend.read(layer_norm(backend.array(X), gain, beta))
        np.testing.assert_allclose(found, layer_norm(backend.like(X), GAIN, BETA), rtol=0, atol=tolerance)
        found = backend.read(rms_norm(backend.array(X), gain))
        np.testing.assert_allclose(found, rms_norm(backend.like(X), GAIN), rtol=0, atol=tolerance)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: layer_norm(np.arange(6).reshape(2, 3)), "x must hold floating-point numbers, got dtype int64"),
        (lambda: layer_norm(np.ones((2, 0))), r"x must not be empty along axis -1, got shape \(2, 0\)"),
        (lambda: layer_norm(np.float64(3)), "axis must be one of x's 0 axes"),
        (lambda: layer_norm(X, GAIN[:5]), r"gain must have one entry for each .* of x: shape \(7,\), got \(5,\)"),
        (lambda: layer_norm(X, GAIN, BETA[:1]), r"beta must have one entry .* shape \(7,\), got \(1,\)"),
        (lambda: layer_norm(X, X), r"gain must have one entry .* shape \(7,\), got \(2, 5, 7\)"),
        (lambda: layer_norm(X, eps=0), "eps must be positive, or equal numbers would be divided by zero, got 0"),
        (lambda: layer_norm(X, eps=math.nan), "eps must be positive, .* got nan"),
        (lambda: rms_norm(X, GAIN[:5]), r"gain must have one entry .* shape \(7,\), got \(5,\)"),
        (lambda: layer_norm(np.float32(X), eps=1e-50), "eps must lie between .*float32, got 1e-50"),
        (lambda: rms_norm(torch.tensor(X).float(), eps=1e300), r"eps must lie between .*float32, got 1e\+300"),
        (lambda: rms_norm(X, eps=-1), "eps must be positive, .* got -1"),
        (lambda: block_parameters(0), "d_model must be positive, got 0"),
        (lambda: block_parameters(2.5), r"d_model must be an integer, got 2\.5"),
        (lambda: block_parameters(3, -1), "d_hidden must be positive, got -1"),
        (lambda: feed_forward(X, draw(5, 11), draw(11), draw(11, 7), BETA), r"got \(5, 11\) for an input of shape"),
        (lambda: embed(np.array([0, 9]), draw(9, 4), draw(5, 4)), "ids must lie between 0 and 8 .* got 9"),
        (lambda: embed(np.zeros(6, int), draw(9, 4), draw(5, 4)), "at most 5 tokens, one for each position, got 6"),
        (
            lambda: embed(np.zeros(2, int), draw(9, 4), draw(5, 1)),
            r"positions must be rows as wide as the table's, got shapes \(5, 1\) and \(9, 4\)",
        ),
        (
            lambda: embed_as_learned(np.zeros(2, int), draw(9, 4), draw(5, 1), draw(4)),
            r"positions must be rows as wide as the table's, got shapes \(5, 1\) and \(9, 4\)",
        ),
        (
            lambda: embed_as_learned(np.zeros(2, int), draw(9, 4), draw(5, 4), draw(1)),
            r"kind must be as wide as the table, got shapes \(1,\) and \(9, 4\)",
        ),
        (lambda: layer_norm(X, [1.0, 2.0]), r"gain must have one entry .* shape \(7,\), got \(2,\)"),
        (lambda: mean_pool(X.astype(int)), "x must hold floating-point numbers, got dtype int64"),
        (lambda: mean_pool(X, np.ones((2, 5))), "mask must be boolean, .* got dtype float64"),
        (lambda: mean_pool(X, np.ones((5, 2), bool)), r"mask must have shape \(2, 5\), .* got \(5, 2\)"),
        (lambda: mean_pool(X[:, :0]), r"x must not be empty along axis -2, got shape \(2, 0, 7\)"),
    ],
)
def test_bad_input_is_refused_with_the_rule_and_both_values(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("make", [np.asarray, torch.asarray])
def test_orders_of_add_and_norm(make):
    x, w = make(X), make(draw(7, 7))
    sublayer = lambda x: x @ w  # noqa: E731
    np.testing.assert_array_equal(post_norm(x, sublayer, layer_norm), layer_norm(x + x @ w))
    np.testing.assert_array_equal(pre_norm(x, sublayer, layer_norm), x + layer_norm(x) @ w)


@pytest.mark.parametrize(("ours", "theirs"), [(relu, F.relu), (gelu, F.gelu)])
def test_feed_forward_agrees_with_torch_and_its_gradient_is_right(backend, ours, theirs):
    parameters = draw(7, 11), draw(11, seed=1), draw(11, 7, seed=2) / 4, draw(7, seed=3)
    w_1, b_1, w_2, b_2 = (torch.tensor(backend.like(p)) for p in parameters)
    x = torch.tensor(backend.like(X / 3))
    expected = F.linear(theirs(F.linear(x, w_1.T, b_1)), w_2.T, b_2).numpy()
    found = backend.read(feed_forward(backend.array(X / 3), *map(backend.array, parameters), ours))
    np.testing.assert_allclose(found, expected, rtol=0, atol=backend.tolerance * 8)
    if backend.name == "torch float64":
        tensors = [torch.tensor(a, requires_grad=True) for a in (X[0, :2], *parameters)]
        assert torch.autograd.gradcheck(lambda *a: feed_forward(*a, ours), tensors)


@pytest.mark.parametrize(("d_model", "n_heads", "d_hidden"), [(6, 2, 11), (6, 3, 24), (1, 1, 1)])
def test_a_block_has_as_many_parameters_as_are_derived(d_model, n_heads, d_hidden):
    theirs = torch.nn.TransformerEncoderLayer(d_model, n_heads, d_hidden)
    assert block_parameters(d_model, d_hidden) == sum(p.numel() for p in theirs.parameters())
    assert block_parameters(d_model) == 12 * d_model**2 + 13 * d_model


def test_feed_forward_treats_each_token_by_itself():
    parameters = draw(7, 11), draw(11), draw(11, 7), draw(7)
    together = feed_forward(X, *parameters)
    np.testing.assert_allclose(together[1, 3], feed_forward(X[1, 3], *parameters), rtol=0, atol=ROUNDED)


def test_swiglu_agrees_with_the_network_of_llama(backend):
    config = LlamaConfig(hidden_size=7, intermediate_size=11, num_attention_heads=7)
    theirs = LlamaMLP(config).double()
    x, *ws = (backend.like(draw(*shape)) for shape in ((2, 5, 7), (7, 11), (7, 11), (11, 7)))
    for layer, w in zip((theirs.gate_proj, theirs.up_proj, theirs.down_proj), ws, strict=True):
        layer.weight.data = torch.tensor(w.T)
    expected = theirs(torch.tensor(x)).detach().numpy()
    found = backend.read(swiglu(*map(backend.array, (x, *ws))))
    np.testing.assert_allclose(found, expected, atol=10 * backend.tolerance, rtol=backend.tolerance)


def test_the_gradient_of_swiglu_is_right():
    arguments = [torch.tensor(draw(*shape)) for shape in ((3, 2), (2, 4), (2, 4), (4, 2))]
    assert torch.autograd.gradcheck(swiglu, [argument.requires_grad_() for argument in arguments])


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        (((5, 7), (6, 11), (7, 11), (11, 7)), r"w_gate must have shape \(7, 11\) .* got \(6, 11\)"),
        (((5, 7), (7, 11), (7, 10), (11, 7)), r"w_up must have shape \(7, 11\) .* got \(7, 10\)"),
        (((5, 7), (7, 11), (7, 11), (7, 11)), r"w_down must have shape \(11, 7\) .* got \(7, 11\)"),
        (((5, 7), (2, 7, 11), (7, 11), (11, 7)), r"w_gate must have shape \(7, 11\) .* got \(2, 7, 11\)"),
    ],
)
def test_matrices_of_swiglu_that_do_not_fit_are_refused(shapes, message):
    with pytest.raises(ValueError, match=message):
        swiglu(*(draw(*shape) for shape in shapes))


def test_embedding_scales_vectors_and_adds_positions(backend):
    table, positions, ids = draw(9, 6), sinusoidal_positions(8, 6), np.array([[3, 0, 8], [8, 8, 1]])
    expected = F.embedding(torch.tensor(ids), torch.tensor(backend.like(table))).numpy() * 6**0.5 + positions[:3]
    found = backend.read(embed(ids, backend.array(table), positions))
    np.testing.assert_allclose(found, expected, rtol=0, atol=backend.tolerance * 4)


def test_mean_pool_leaves_padding_out(backend):
    mask = np.arange(5) < np.array([[5], [2]])
    expected = np.stack([backend.like(X)[0].mean(0), backend.like(X)[1, :2].mean(0)])
    found = backend.read(mean_pool(backend.array(X), mask))
    np.testing.assert_allclose(found, expected, rtol=0, atol=backend.tolerance * 4)
    np.testing.assert_allclose(mean_pool(X), X.mean(1), rtol=0, atol=MEAN)


@pytest.mark.parametrize("make", [np.asarray, torch.asarray])
def test_mean_of_nothing_is_zeros_and_padding_may_be_nan(make):
    x = make(np.where(np.arange(5)[:, None] < 2, X, np.nan))
    found = mean_pool(x, make(np.arange(5) < np.array([[2], [0]])))
    np.testing.assert_allclose(found[0], X[0, :2].mean(0), rtol=0, atol=MEAN)
    assert found[1].tolist() == [0] * 7


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: embed([0], [[1.0]], np.ones((1, 1))), "table must be an array of NumPy or PyTorch, got list"),
        (lambda: embed([0], np.ones((1, 1)), [[1.0]]), "positions must be an array of NumPy or PyTorch, got list"),
        (lambda: embed([0], np.float64(1), np.float64(1)), r"positions must be rows .* got shapes \(\) and \(\)"),
        (lambda: embed([0], np.ones((1, 1)), np.float64(1)), r"positions must be rows .* got shapes \(\) and \(1, 1\)"),
        (lambda: embed([0], np.ones((1, 1)), np.ones((1, 1, 1))), r"positions must be rows .* got shapes \(1, 1, 1\)"),
        (lambda: embed_as_learned([0], np.ones((1, 1)), np.ones((1, 1)), [1.0]), "kind must be an array .*, got list"),
    ],
)
def test_what_is_no_table_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
