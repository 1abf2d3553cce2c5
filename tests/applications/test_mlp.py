"""Activations, and the multilayer perceptron between which they stand."""

import math

import mpmath
import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from mlnotes.applications.mlp import gelu, gelu_tanh, interpolation_weights, mlp, relu, silu

# A rounding is 1.1e-16.
TAIL = 1e-15  # PyTorch's own GELU far below zero: x / 2, up to 6, times a sum that is rounded
EXPONENT = 5e-13  # one rounding of the exponent, which is up to 1926 for the cube at -30, is 1e-13 of the result
ROUNDED = 1e-15  # slopes at zero and far out: a few roundings of numbers up to 1
MINIMUM = 5e-5  # half of the last digit that is given; the grid leaves 2e-5
LAYERS = 2e-13  # sums of 3, 7 and 5 products, three biases, and up to 41: 30 * 41 * 1.1e-16 = 1.4e-13
KINKS = 1e-9  # 8 bends of up to 4e4, times distances up to 15: 8 * 4e4 * 15 * 1.1e-16 = 5e-10

ACTIVATIONS = {
    relu: F.relu,
    gelu: F.gelu,
    gelu_tanh: lambda x: F.gelu(x, approximate="tanh"),
    silu: F.silu,
}
each_activation = pytest.mark.parametrize("f", ACTIVATIONS, ids=lambda f: f.__name__)
tables = arrays(np.float64, array_shapes(min_dims=0, max_dims=3, min_side=0), elements=st.floats(allow_nan=False))
GRID = np.linspace(-12, 12, 2401)


def draw(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


WEIGHTS = [draw(3, 7), draw(7, 5, seed=1), draw(5, 2, seed=2)]
BIASES = [draw(7, seed=3), draw(5, seed=4), draw(2, seed=5)]


@each_activation
def test_activation_agrees_with_torch_in_every_precision(backend, f):
    expected = ACTIVATIONS[f](torch.tensor(backend.like(GRID)))
    found = backend.read(f(backend.array(GRID)))
    np.testing.assert_allclose(found, expected.numpy(), rtol=backend.tolerance, atol=max(TAIL, backend.tolerance / 100))


@each_activation
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_rounded_once_as_in_torch(f, dtype):
    x = torch.tensor(GRID).to(dtype)
    exact = ACTIVATIONS[f](x.double())
    ours, theirs = f(x), ACTIVATIONS[f](x)
    assert (ours.double() - exact).abs().max() <= 1.001 * (theirs.double() - exact).abs().max()


@pytest.mark.parametrize("x", [-30.0, -12.5, -8.0, -3.0, -0.75, -1e-9, 1e-9, 0.5, 3.0, 40.0])
def test_all_digits_are_right_also_far_below_zero(x):
    mpmath.mp.dps = 60
    v, u = mpmath.mpf(x), mpmath.sqrt(8 / mpmath.pi) * (mpmath.mpf(x) + mpmath.mpf("0.044715") * mpmath.mpf(x) ** 3)
    exact = {gelu: v * mpmath.ncdf(v), silu: v / (1 + mpmath.exp(-v)), gelu_tanh: v / (1 + mpmath.exp(-u))}
    for f, expected in exact.items():
        assert f(np.array(x)) == pytest.approx(float(expected), rel=EXPONENT, abs=0), f.__name__


@each_activation
@given(x=tables)
def test_every_number_however_large_gives_a_number_between_its_limits_without_warnings(f, x):
    y = f(x)
    assert y.shape == x.shape
    assert (y <= np.maximum(x, 0)).all()
    assert (y >= -0.28).all()
    assert (y[x == -math.inf] == 0).all()


@each_activation
def test_half_precision_is_finite_at_ten_thousand_in_both_directions(f):
    for x in (np.array([1e4, -1e4], np.float16), torch.tensor([1e4, -1e4]).half(), torch.tensor([1e4, -1e4])):
        assert f(x).tolist() == [1e4, 0]


@each_activation
def test_nan_stays_visible(f):
    assert np.isnan(f(np.array([np.nan, 1.0]))).tolist() == [True, False]


@each_activation
def test_first_and_second_derivatives_are_right(f):
    x = torch.tensor([-30.0, -7.0, -0.8, 1e-3, 2.0, 9.0, 70.0], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(f, x)
    assert torch.autograd.gradgradcheck(f, x)


@each_activation
def test_derivatives_equal_torchs_at_zero_and_far_out(f):
    at = torch.tensor([0.0, -1e4, 1e4, -1e30, 1e30], dtype=torch.float64)
    ours, theirs = (torch.func.vmap(torch.func.grad(g))(at) for g in (f, ACTIVATIONS[f]))
    torch.testing.assert_close(ours[:3], theirs[:3], rtol=0, atol=ROUNDED)
    assert ours[3:].tolist() == [0, 1]
    bend = [torch.func.grad(torch.func.grad(g))(torch.tensor(0.0, dtype=torch.float64)) for g in (f, ACTIVATIONS[f])]
    torch.testing.assert_close(*bend, rtol=0, atol=ROUNDED)


def test_the_tanh_form_is_close_to_gelu_but_not_equal():
    apart = np.abs(gelu(GRID) - gelu_tanh(GRID)).max()
    assert 4e-4 < apart < 5e-4


def test_where_the_minima_are():
    assert gelu(GRID).min() == pytest.approx(-0.1700, abs=MINIMUM)
    assert silu(GRID).min() == pytest.approx(-0.2785, abs=MINIMUM)


@each_activation
def test_network_agrees_with_torch_in_every_precision(backend, f):
    x = backend.like(draw(2, 11, 3, seed=6))
    h = torch.tensor(x)
    for i, (w, b) in enumerate(zip(WEIGHTS, BIASES, strict=True)):
        w, b = torch.tensor(backend.like(w)), torch.tensor(backend.like(b))
        h = F.linear(ACTIVATIONS[f](h) if i else h, w.T, b)
    found = mlp(backend.array(x), list(map(backend.array, WEIGHTS)), list(map(backend.array, BIASES)), f)
    np.testing.assert_allclose(backend.read(found), h.numpy(), rtol=0, atol=20 * backend.tolerance)


def test_one_layer_is_linear_and_without_activation_all_collapse_into_one():
    x = draw(11, 3, seed=6)
    np.testing.assert_array_equal(mlp(x, WEIGHTS[:1], BIASES[:1]), x @ WEIGHTS[0] + BIASES[0])
    (w1, w2, w3), (b1, b2, b3) = WEIGHTS, BIASES
    collapsed = x @ (w1 @ w2 @ w3) + (b1 @ w2 @ w3 + b2 @ w3 + b3)
    np.testing.assert_allclose(mlp(x, WEIGHTS, BIASES, lambda h: h), collapsed, rtol=0, atol=LAYERS)


def test_the_last_layer_is_not_activated():
    assert mlp(np.ones((1, 1)), [np.eye(1), -np.eye(1)], [np.zeros(1)] * 2).item() == -1


@pytest.mark.parametrize("make", [np.asarray, torch.asarray])
def test_a_layer_in_half_precision_is_rounded_once(make):
    x = make(np.ones((1, 2049), np.float16))
    assert mlp(x, [x.mT], [x[0, :1]]).item() == 2050  # 2049 would be rounded to 2048, and 2048 + 1 again


def test_gradients_of_the_network_are_right():
    arguments = [torch.tensor(a, requires_grad=True) for a in (draw(5, 3, seed=6), *WEIGHTS, *BIASES)]
    for f in ACTIVATIONS:
        assert torch.autograd.gradcheck(lambda x, *p, f=f: mlp(x, p[:3], p[3:], f), arguments)


@given(st.permutations(range(7)))
def test_the_order_of_hidden_units_does_not_matter(order):
    (w1, w2, w3), (b1, *others), x = WEIGHTS, BIASES, draw(11, 3, seed=6)
    shuffled = mlp(x, [w1[:, order], w2[order], w3], [b1[order], *others])
    np.testing.assert_allclose(shuffled, mlp(x, WEIGHTS, BIASES), rtol=0, atol=LAYERS)


@each_activation
def test_integers_are_refused(f):
    for x in (np.array([1, 2]), torch.tensor([1, 2])):
        with pytest.raises(ValueError, match=r"x must hold floating-point numbers, got dtype .*int64"):
            f(x)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((draw(4, 3), [], []), "there must be a layer, with one bias each, got 0 weights, 0 biases"),
        ((draw(4, 3), WEIGHTS, BIASES[:2]), "got 3 weights, 2 biases"),
        ((draw(4, 2), WEIGHTS, BIASES), r"weights\[0\] must be a matrix .* got \(3, 7\) for .* shape \(4, 2\)"),
        ((draw(4, 3), [WEIGHTS[0], WEIGHTS[2]], BIASES[::2]), r"weights\[1\] .* got \(5, 2\) .* shape \(4, 7\)"),
        ((draw(4, 3), WEIGHTS[:1], [draw(1)]), r"biases\[0\] must have shape \(7,\) for .* \(3, 7\), got \(1,\)"),
        ((np.ones((4, 3), int), WEIGHTS, BIASES), "x must hold floating-point numbers, got dtype int64"),
        ((draw(4, 3), [np.ones((3, 7), int)], BIASES[:1]), "w must hold floating-point numbers, got dtype int64"),
    ],
)
def test_layers_that_do_not_fit_are_refused_with_the_rule_and_both_shapes(arguments, message):
    with pytest.raises(ValueError, match=message):
        mlp(*arguments)


@given(arrays(np.float64, st.integers(2, 9), elements=st.floats(-1e3, 1e3)), st.integers(0, 99))
def test_a_network_built_by_hand_is_numpys_interpolation(values, seed):
    knots = np.cumsum(np.random.default_rng(seed).uniform(0.1, 2, len(values))) - 3
    x = np.linspace(knots[0] - 1, knots[-1], 101)
    found = mlp(x[:, None], *interpolation_weights(knots, values))[:, 0]
    np.testing.assert_allclose(found, np.interp(x, knots, values), rtol=0, atol=KINKS)


def test_a_network_built_by_hand_goes_on_straight_to_the_right():
    values = np.array([1.0, 1.0, 5.0])
    weights, biases = interpolation_weights(np.array([0.0, 1.0, 3.0]), values)
    assert not any(np.shares_memory(it, values) for it in (*weights, *biases))
    assert mlp(np.array([[-7.0], [0.5], [2.0], [10.0]]), weights, biases).ravel().tolist() == [1, 1, 3, 19]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.zeros(1), np.zeros(1)), r"at least 2 knots, got \(1,\) and \(1,\)"),
        ((np.arange(3.0), np.zeros(2)), r"a value for each of at least 2 knots, got \(3,\) and \(2,\)"),
        ((np.array([0.0, 0.0, 1.0]), np.zeros(3)), r"knots must grow, got a smallest step of 0\.0"),
        ((np.arange(3), np.zeros(3)), "knots must hold floating-point numbers, got dtype int64"),
    ],
)
def test_points_that_make_no_line_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        interpolation_weights(*arguments)
