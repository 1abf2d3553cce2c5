"""Derivatives: every formula three ways, and the two ways to measure one."""

import math
import warnings

import numpy as np
import pytest
import scipy.linalg
import scipy.special
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mlnotes.blocks.derivatives import (
    complex_step_jacobian,
    distance_gradient,
    layer_norm_jacobian,
    layer_norm_vjp,
    logdet_gradient,
    logsumexp_gradient,
    numerical_jacobian,
    squared_distance_gradient,
    trace_axb_gradient,
    xw_gradient_w,
    xw_gradient_x,
    xw_jacobian_w,
    xw_jacobian_x,
)
from mlnotes.blocks.softmax import softmax_jacobian

# A rounding is 1.1e-16. Central differences stop where the error of the rule and that of rounding are alike: two thirds
# of the digits for the simplest rule, more for those that are extrapolated.
ROUNDED = 1e-14  # formulas of at most 7 features, results up to 7: some 13 roundings of them
LAST = 1e-15  # at most 8 roundings
DIGITS = 1e-10  # ten digits, as the tests say; measured: 5e-12, and one rounding over a step of 1e-5 is 1e-11
KINKED = 1e-8  # where a kink is near, the step is small; measured: eight digits
SMOOTH = 1e-11  # an exponential; measured: 1e-15
NOTHING = 1e-12  # no slope to be seen; measured: 0
FEW_DIGITS = 0.02  # a slope of 1.4e-11 beside values around 1, whose last digit is 1.1e-16: measured: 1e-4
DIRECTION = 1e-12  # coordinates of 1e-310 have 40 bits: 1e-12; measured: 1e-14
CONDITION = 1e-13  # of a matrix of 5 rows, some 50, and 20 roundings
ANYTHING = 1e29  # a step sideways is 2**-100 of x: what is not real comes back 1e30 times as large


def draw(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


A, B, X, W, GAIN = draw(5, 3), draw(7, 5, seed=1), draw(3, 7, seed=2), draw(7, 2, seed=3), draw(7, seed=4)
V, U, SQUARE = draw(7, seed=5), draw(7, seed=6), draw(5, 5, seed=7) + 3 * np.eye(5)


def layer_norm(x):
    """Written for torch and complex numbers alike, unlike any library's."""
    centered = x - x.sum() / 7
    return GAIN_OF[type(x)] * centered / ((centered**2).sum() / 7 + 1e-5) ** 0.5


GAIN_OF = {np.ndarray: GAIN, torch.Tensor: torch.tensor(GAIN)}


def either(by_numpy, by_torch):
    return lambda x: by_torch(x) if isinstance(x, torch.Tensor) else by_numpy(x)


def of(a, x):
    """Return the constant a as an array of x's library."""
    return torch.tensor(a) if isinstance(x, torch.Tensor) else a


# formula: (the derivative by hand, the function it is of, where)
FORMULAS = {
    "|a - b|²": (squared_distance_gradient(V, U), lambda x: ((x - of(U, x)) ** 2).sum(), V),
    "|a - b|": (distance_gradient(V, U), lambda x: ((x - of(U, x)) ** 2).sum() ** 0.5, V),
    "softmax": (
        softmax_jacobian(V),
        either(lambda x: np.exp(x) / np.exp(x).sum(), lambda x: torch.softmax(x, 0)),
        V,
    ),
    "log-sum-exp": (
        logsumexp_gradient(V),
        either(lambda x: np.log(np.exp(x).sum()), lambda x: torch.logsumexp(x, 0)),
        V,
    ),
    "layer norm": (layer_norm_jacobian(V, GAIN), layer_norm, V),
    "XW by X": (xw_jacobian_x(X, W), lambda x: x @ of(W, x), X),
    "XW by W": (xw_jacobian_w(X, W), lambda w: of(X, w) @ w, W),
    "tr(AXB)": (trace_axb_gradient(A, B), lambda x: (of(A, x) @ x @ of(B, x)).trace(), X),
    "log det": (
        logdet_gradient(SQUARE),
        # (on aarch64, NumPy's own determinant warns of an overflow where imaginary parts are tiny)
        either(lambda x: np.log(scipy.linalg.det(x)), lambda x: torch.linalg.slogdet(x).logabsdet),
        SQUARE,
    ),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_each_formula_agrees_with_autograd_central_differences_and_the_complex_step(name):
    by_hand, f, x = FORMULAS[name]
    by_autograd = torch.autograd.functional.jacobian(f, torch.tensor(x)).numpy()
    np.testing.assert_allclose(by_autograd, by_hand, rtol=0, atol=ROUNDED)
    np.testing.assert_allclose(complex_step_jacobian(f, x), by_hand, rtol=0, atol=ROUNDED)
    np.testing.assert_allclose(numerical_jacobian(f, x), by_hand, rtol=0, atol=DIGITS)


def test_one_layout_holds_output_axes_come_first_and_input_axes_last():
    assert numerical_jacobian(lambda x: x @ W, X).shape == (3, 2, 3, 7)
    assert complex_step_jacobian(lambda x: x @ W, X).shape == (3, 2, 3, 7)
    assert numerical_jacobian(lambda x: x.sum(), X).shape == X.shape
    matrix = draw(3, 7)
    np.testing.assert_allclose(numerical_jacobian(lambda x: matrix @ x, V), matrix, rtol=0, atol=DIGITS)


@pytest.mark.parametrize(
    ("f", "derivative", "points"),
    [
        (np.exp, math.exp, [-20.0, -1e-9, 1e-3, 1.7, 300.0]),
        (np.sin, math.cos, [-3.0, 1e-6, 1.0, 1e3]),
        (np.log, lambda x: 1 / x, [1e-9, 1.7, 1e6]),
        (np.sqrt, lambda x: 0.5 / math.sqrt(x), [1e-300, 1e-9, 20.0, 1e300]),
        (lambda x: 1 / x, lambda x: -1 / x**2, [1e-9, -0.3, 1e6]),
        (lambda x: x**7, lambda x: 7 * x**6, [1e-9, -0.3, 1e6]),
        (lambda x: np.exp(-1e6 * x), lambda x: -1e6 * math.exp(-1e6 * x), [0.0, 1e-9, 1e-6]),
        (lambda x: np.exp(-((1e3 * x - 1e3) ** 2)), lambda x: _slope_of_peak(1e3 * x - 1e3), [0.9995, 1.001]),
        (lambda x: np.sin(1e-9 * x), lambda x: 1e-9 * math.cos(1e-9 * x), [0.0, 1e6]),
    ],
)
def test_central_differences_find_ten_digits_whatever_the_scale(f, derivative, points):
    for x in points:
        expected = float(derivative(x))
        assert numerical_jacobian(lambda z: f(z[0]), np.array([x])) == pytest.approx(expected, rel=DIGITS, abs=0)


def _slope_of_peak(t):
    return -2e3 * t * math.exp(-(t**2))


@given(arrays(np.float64, 3, elements=st.floats(-9, 6)), st.integers(0, 2**31))
def test_central_differences_do_not_depend_on_the_units_of_their_inputs(exponents, seed):
    x, units = draw(3, seed=seed) + 3, 10.0**exponents
    found = numerical_jacobian(lambda z: np.exp(-z / units), x * units)
    np.testing.assert_allclose(np.diag(found) * units, -np.exp(-x), rtol=DIGITS)


@pytest.mark.parametrize("x", [0.0, 5e-324, 1e-300, 1e-200, 1e-100, 1e-60])
@pytest.mark.parametrize("unit", [1.0, 1e10])
def test_beside_zero_central_differences_find_the_scale_on_which_a_function_changes(x, unit):
    found = numerical_jacobian(lambda z: np.exp(z / unit), np.array([x]))
    np.testing.assert_allclose(found, [[1 / unit]], rtol=DIGITS)


@pytest.mark.parametrize("steepness", [1e6, 3.2e7, 1e8])
def test_one_entry_that_overflows_does_not_spoil_the_search_for_a_step(steepness):
    # A step of 1/32 is enormous: the first entry does not mind, the second overflows.
    found = numerical_jacobian(lambda x: np.array([1e14 * x[0], np.exp(-steepness * x[0])]), np.array([0.0]))
    np.testing.assert_allclose(found, [[1e14], [-steepness]], rtol=DIGITS)


def test_a_kink_and_the_end_of_the_domain_give_nan_and_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(numerical_jacobian(np.abs, np.zeros(1))).all()
        assert np.isnan(numerical_jacobian(np.sqrt, np.zeros(1))).all()
    np.testing.assert_allclose(numerical_jacobian(np.abs, np.array([-1e-3])), [[-1.0]], rtol=DIGITS)


@pytest.mark.parametrize("others", [[], [3.0], [0.5, 3.0], [3.0, -1.0]])
def test_a_kink_is_seen_though_an_entry_beside_it_never_changes(others):
    x = np.array([1.0, *others])
    expected = np.diag([np.nan if abs(it) == 1 else float(abs(it) < 1) for it in x])
    np.testing.assert_array_equal(numerical_jacobian(lambda x: np.clip(x, -1, 1), x), expected)


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (lambda x: max(x, x * x), 1.0),
        (lambda x: max(x, x * x / 1e6), 1e6),
        (lambda x: x + abs(x - 3) / 4, 3.0),
        (lambda x: 3 + max(x - 2, 1.2 * (x - 2)), 2.0),
    ],
)
def test_a_kink_that_rounding_hides_nearby_is_not_forgotten(f, x):
    assert np.isnan(difference(f, x))


def test_a_kink_of_almost_equal_slopes_is_taken_for_their_mean():
    assert difference(lambda x: max(x, 1.05 * x), 0.0) == pytest.approx(1.025, rel=DIGITS)


def test_steps_that_are_far_apart_may_be_taken_for_the_ramp_that_they_follow():
    assert difference(np.floor, 1.25) == 1.0
    assert difference(np.floor, 1.75) == 0.0


@pytest.mark.parametrize("x", [25.0, 28.0, 30.0])
def test_a_smooth_slope_of_few_digits_keeps_them(x):
    assert difference(lambda x: 1 / (1 + math.exp(-x)), x) == pytest.approx(math.exp(-x), rel=FEW_DIGITS)


def difference(f, x):
    return float(numerical_jacobian(lambda z: f(z[0]), np.array([x]))[0])


@pytest.mark.parametrize(
    ("f", "x", "slope"),
    [
        *((lambda x, k=k: np.tanh(k * x), 0.0, k) for k in (1e-100, 1e-4, 1e4, 1e9, 1e100)),
        (lambda x: 1 + np.tanh(1e12 * x), 0.0, 1e12),
        (lambda x: np.tanh(1e8 * (x - 1)), 1.0, 1e8),
        (lambda x: 1e6 * x + np.tanh(1e4 * x), 0.0, 1.01e6),
        (lambda x: np.sin(1e9 * x), 0.0, 1e9),
        (lambda x: np.sin(1e9 * (x - 1)), 1.0, 1e9),
        (lambda x: np.sin((512 * math.pi + 1) * x), 0.0, 512 * math.pi + 1),  # which steps of 1/256 take for sin(x)
        (lambda x: np.arctan(1e7 * x), 0.0, 1e7),
        (lambda x: np.exp(1e-20 * x), 0.0, 1e-20),
        (lambda x: abs(x - 1e-12), 0.0, -1.0),
        (lambda x: 1e6 + x, 0.0, 1.0),
        (lambda x: 1e9 - (1e9 - x), 1.0, 1.0),  # rounding inside is a million times that of the result
    ],
)
def test_differences_find_the_slope_on_whatever_scale_it_is_seen(f, x, slope):
    assert difference(f, x) == pytest.approx(slope, rel=KINKED if slope == 1 else DIGITS)


@pytest.mark.parametrize(
    ("f", "x"),
    [
        *(
            (f, 0.0)
            for f in (
                lambda x: x**2,
                lambda x: x**3,
                lambda x: x * abs(x),
                lambda x: max(x, 0.0) ** 2,
                np.cos,
                np.sinc,
                lambda x: 0 * x + 3,
            )
        ),
        *((f, 0.5) for f in (np.floor, lambda x: max(x - 1, 0.0), lambda x: np.clip(x, 1, 2))),
    ],
)
def test_differences_are_zero_where_the_slope_is(f, x):
    assert abs(difference(f, x)) < NOTHING


def signed_power(p):
    return lambda x: np.sign(x) * abs(x) ** p


@pytest.mark.parametrize(
    "f",
    [
        np.sign,
        np.cbrt,
        np.abs,
        np.sqrt,
        lambda x: 1 / x,
        lambda x: 1 / x if x else 0.0,
        lambda x: 1 / x**2 if x else 0.0,
        lambda x: np.heaviside(x, 0.0),
        lambda x: np.heaviside(x, 0.5),
        lambda x: max(x, 0.0),
        lambda x: abs(x) + 1e6 * x**3,
        lambda x: x + 1e-6 * np.sign(x),
        lambda x: x * np.sin(1 / x) if x else 0.0,
        *map(signed_power, (0.01, 0.3, 0.5, 0.7, 0.9, 0.99)),
    ],
)
@pytest.mark.parametrize("size", [1e-100, 1.0, 1e100])
def test_where_there_is_no_slope_differences_say_nan_in_any_units_and_warn_of_nothing(f, size):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(difference(lambda x: size * f(x), 0.0))


def test_a_slope_that_is_far_steeper_than_others_does_not_hide_them():
    found = numerical_jacobian(lambda x: np.array([1e13 * x[0], np.tanh(1e4 * x[0]), np.sign(x[0]), 3.0]), np.zeros(1))
    np.testing.assert_allclose(found[:, 0], [1e13, 1e4, np.nan, 0.0], rtol=DIGITS)


def test_differences_call_the_function_ten_times_where_it_is_well_behaved():
    calls = []
    numerical_jacobian(lambda x: calls.append(1) or np.exp(x), np.array([1.7]))
    assert len(calls) == 10


@pytest.mark.parametrize("x", [0.0, 1e-300, 1.0, 1e300])
def test_the_complex_step_loses_no_digit(x):
    assert complex_step_jacobian(lambda z: z[0] * 3 + 1, np.array([x])) == 3.0
    small = min(x, 1.0)
    assert complex_step_jacobian(lambda z: np.exp(z[0]), np.array([small])) == pytest.approx(math.exp(small), rel=LAST)


@pytest.mark.parametrize("f", [np.abs, np.real])
def test_the_complex_step_refuses_functions_that_discard_imaginary_parts(f):
    with pytest.raises(ValueError, match="complex numbers for complex x, got dtype float64"):
        complex_step_jacobian(f, V)


@pytest.mark.parametrize(("f", "x"), [(np.sqrt, -1.0), (np.log, -1.0), (np.sqrt, 0.0)])
def test_the_complex_step_says_nothing_where_the_function_is_not_real_or_infinitely_steep(f, x):
    assert complex_step_jacobian(f, np.array([x]))[0, 0] > ANYTHING


def test_distance_has_a_gradient_of_zero_where_the_points_coincide_though_autograd_says_nan():
    assert distance_gradient(V, V).tolist() == [0.0] * 7
    assert squared_distance_gradient(V, V).tolist() == [0.0] * 7
    a = torch.tensor(V, requires_grad=True)
    ((a - torch.tensor(V)) ** 2).sum().sqrt().backward()
    assert torch.isnan(a.grad).all()


vectors = arrays(np.float64, 3, elements=st.floats(-1e3, 1e3).map(lambda x: round(x, 9)))


@given(vectors, vectors)
def test_zeros_are_a_subgradient_of_the_distance_and_elsewhere_its_length_is_one(a, b):
    length = np.linalg.norm(distance_gradient(a, b))
    assert length == pytest.approx(0.0 if (a == b).all() else 1.0, abs=LAST)


@pytest.mark.parametrize("size", [1e-310, 1e-200, 1e200, 1.7e308])
def test_the_direction_is_right_for_coordinates_of_any_size(size):
    a = np.array([0.6, -0.8]) * size
    np.testing.assert_allclose(distance_gradient(a, np.zeros(2)), [0.6, -0.8], rtol=DIRECTION)
    np.testing.assert_allclose(distance_gradient(a, -a), [0.6, -0.8], rtol=DIRECTION)


def test_the_direction_is_right_between_odd_multiples_of_the_smallest_float():
    smallest = 2.0**-1074  # halves of these are no floats
    along = distance_gradient(np.array([81 * smallest, 0.0]), np.array([0.0, -20 * smallest]))
    np.testing.assert_allclose(along, np.array([81.0, 20.0]) / np.hypot(81, 20), rtol=DIRECTION)


def test_the_vector_jacobian_product_is_the_jacobian_times_the_vector_in_every_precision(backend):
    x, g = draw(3, 7), draw(3, 7, seed=1)
    expected = np.einsum("bij,bi->bj", layer_norm_jacobian(backend.like(x), backend.like(GAIN)), backend.like(g))
    found = layer_norm_vjp(backend.array(x), backend.array(g), backend.array(GAIN))
    np.testing.assert_allclose(backend.read(found), expected, rtol=0, atol=4 * backend.tolerance)


def test_layer_norm_agrees_with_torch_and_constants_carry_no_gradient():
    x = torch.tensor(draw(3, 7), requires_grad=True)
    g = torch.tensor(draw(3, 7, seed=1))
    torch.nn.functional.layer_norm(x, (7,), torch.tensor(GAIN), torch.zeros(7, dtype=x.dtype)).backward(g)
    np.testing.assert_allclose(layer_norm_vjp(x.detach(), g, torch.tensor(GAIN)), x.grad, rtol=0, atol=ROUNDED)
    np.testing.assert_allclose(layer_norm_jacobian(x.detach().numpy()).sum(-1), 0, rtol=0, atol=ROUNDED)


@pytest.mark.parametrize("measure", [numerical_jacobian, complex_step_jacobian])
def test_a_number_has_a_derivative_by_a_number(measure):
    found = measure(np.exp, 1.0)
    assert found.shape == ()
    assert found == pytest.approx(np.e, rel=SMOOTH)


def test_an_eps_of_numpys_own_does_not_widen():
    x = draw(3, 7).astype(np.float32)
    for found in (layer_norm_jacobian(x, eps=np.float64(1e-3)), layer_norm_vjp(x, x, eps=np.float64(1e-3))):
        assert found.dtype == np.float32


def test_a_gain_of_any_precision_leaves_that_of_the_features(backend):
    x, g = draw(3, 7), draw(3, 7, seed=1)
    expected = layer_norm_jacobian(backend.like(x), GAIN)
    for other in backend.others():
        gain = other.array(GAIN)
        tolerance = 4 * max(backend.tolerance, other.tolerance)
        found = backend.read(layer_norm_jacobian(backend.array(x), gain))
        np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance)
        found = backend.read(layer_norm_vjp(backend.array(x), backend.array(g), gain))
        np.testing.assert_allclose(
            found, np.einsum("bij,bi->bj", expected, backend.like(g)), rtol=0, atol=2 * tolerance
        )


@pytest.mark.parametrize("size", [1e-200, 1e200, 1e307])
def test_layer_norm_without_eps_is_the_same_for_features_of_any_size(size):
    np.testing.assert_allclose(
        layer_norm_jacobian(V * size, eps=0.0) * size, layer_norm_jacobian(V, eps=0.0), rtol=ROUNDED
    )


def test_layer_norm_of_equal_features_is_ruled_by_eps():
    np.testing.assert_array_equal(layer_norm_jacobian(np.ones(2), eps=0.25), [[1.0, -1.0], [-1.0, 1.0]])
    with pytest.raises(ValueError, match="eps must be positive where all features are equal, got 0"):
        layer_norm_jacobian(np.ones(2), eps=0.0)


def test_gradients_through_xw_agree_with_autograd_in_every_precision(backend):
    x, w, g = draw(3, 7), draw(7, 2), draw(3, 2)
    tx, tw = (torch.tensor(backend.like(a), requires_grad=True) for a in (x, w))
    (tx @ tw).backward(torch.tensor(backend.like(g)))
    found_x = xw_gradient_x(backend.array(w), backend.array(g))
    found_w = xw_gradient_w(backend.array(x), backend.array(g))
    np.testing.assert_allclose(backend.read(found_x), tx.grad, rtol=0, atol=8 * backend.tolerance)
    np.testing.assert_allclose(backend.read(found_w), tw.grad, rtol=0, atol=8 * backend.tolerance)


def test_carrying_a_gradient_back_is_contracting_it_with_the_jacobian():
    g = draw(3, 2)
    np.testing.assert_allclose(
        np.einsum("ij,ijpq->pq", g, xw_jacobian_x(X, W)), xw_gradient_x(W, g), rtol=0, atol=ROUNDED
    )
    np.testing.assert_allclose(
        np.einsum("ij,ijpq->pq", g, xw_jacobian_w(X, W)), xw_gradient_w(X, g), rtol=0, atol=ROUNDED
    )


def test_the_simple_formulas_hold_in_every_precision(backend):
    a, b = backend.like(V), backend.like(U)
    close = {"atol": 8 * backend.tolerance, "rtol": 8 * backend.tolerance}
    array = backend.array
    np.testing.assert_allclose(backend.read(squared_distance_gradient(array(V), array(U))), 2 * (a - b), **close)
    unit = (a - b) / np.linalg.norm(a - b)
    np.testing.assert_allclose(backend.read(distance_gradient(array(V), array(U))), unit, **close)
    weights = scipy.special.softmax(backend.like(X), axis=-1)
    np.testing.assert_allclose(backend.read(logsumexp_gradient(array(X))), weights, **close)
    expected = (backend.like(B) @ backend.like(A)).T
    np.testing.assert_allclose(backend.read(trace_axb_gradient(array(A), array(B))), expected, **close)


@pytest.mark.parametrize("units", [1.0, 1e-100, 1e100])
def test_the_gradient_of_log_det_is_the_inverse_transposed_whatever_the_units_of_rows_and_columns(units):
    rows, columns = np.logspace(-100, 100, 5)[:, None] * units, np.logspace(2, -4, 5)
    found = logdet_gradient(SQUARE * rows * columns)
    np.testing.assert_allclose(found * rows * columns, np.linalg.inv(SQUARE).T, rtol=CONDITION)


@pytest.mark.filterwarnings("ignore:(overflow|invalid value) encountered in matmul:RuntimeWarning")
def test_a_matrix_whose_rows_hold_numbers_too_far_apart_for_floats_is_refused():
    matrix, columns = np.array([[2.0, 1, 0], [1, 3, 1], [0, 1, 4]]), 2.0 ** np.array([-600, -300, 600])
    with pytest.raises(ValueError, match="whose inverse misses it by nan"):  # brought to size one, two columns are zero
        logdet_gradient(matrix * columns)


def test_a_negative_determinant_has_the_gradient_of_its_absolute_value():
    flipped = SQUARE[::-1].copy()
    expected = torch.autograd.functional.jacobian(lambda x: torch.linalg.slogdet(x).logabsdet, torch.tensor(flipped))
    np.testing.assert_allclose(logdet_gradient(flipped), expected, rtol=0, atol=CONDITION)


def test_gradients_flow_through_the_formulas_themselves():
    a, b = (torch.tensor(draw(2, 5, seed=i), requires_grad=True) for i in range(2))
    square = torch.tensor(SQUARE, requires_grad=True)
    assert torch.autograd.gradcheck(squared_distance_gradient, (a, b))
    assert torch.autograd.gradcheck(distance_gradient, (a, b))
    assert torch.autograd.gradcheck(layer_norm_jacobian, (a,))
    assert torch.autograd.gradcheck(layer_norm_vjp, (a, b))
    assert torch.autograd.gradcheck(logdet_gradient, (square,))


@pytest.mark.parametrize("f", [numerical_jacobian, complex_step_jacobian])
@pytest.mark.parametrize(
    ("x", "message"),
    [
        (np.zeros(0), r"x must not be empty, got shape \(0,\)"),
        (np.array([1.0, np.nan]), "x must hold finite numbers, got nan"),
        (np.array([1j]), "x must hold real numbers, got dtype complex128"),
    ],
)
def test_points_without_a_derivative_are_refused(f, x, message):
    with pytest.raises(ValueError, match=message):
        f(np.exp, x)


def test_a_function_that_changes_its_shape_is_refused():
    with pytest.raises(ValueError, match="f must always return the same shape"):
        numerical_jacobian(lambda x: np.ones(2) if x[0] > 1 else np.ones(3), np.ones(1))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: squared_distance_gradient(np.ones(2), np.ones(3)), r"same size along axis -1.*\(2,\) and \(3,\)"),
        (lambda: distance_gradient(np.ones(2), np.ones(3)), r"same size along axis -1.*\(2,\) and \(3,\)"),
        (lambda: distance_gradient(np.array([1, 2]), np.ones(2)), "floating-point numbers, got dtype int64"),
        (lambda: distance_gradient(np.ones(0), np.ones(0)), "must not be empty"),
        (lambda: layer_norm_jacobian(np.ones(3, int)), "x must hold floating-point numbers, got dtype int64"),
        (lambda: xw_gradient_x(W.astype(int), X), "w must hold floating-point numbers, got dtype int64"),
        (lambda: layer_norm_jacobian(np.ones(3), np.ones(2)), r"gain must have shape \(3,\), got \(2,\)"),
        (lambda: layer_norm_jacobian(V, eps=-1.0), "eps must be finite and not negative, got -1.0"),
        (lambda: layer_norm_jacobian(np.ones(3, "f4"), eps=1e-100), r"of eps must lie between 1\.4e-45 .*, got 1e-50"),
        (lambda: layer_norm_vjp(*torch.ones(2, 3), eps=1e80), r"and 3\.4e\+38 to be a number of float32, got 1e\+40"),
        (lambda: layer_norm_vjp(np.ones(3), np.ones(2)), r"same size along axis -1.*\(3,\) and \(2,\)"),
        (lambda: xw_jacobian_x(X, X), r"must share n, got shapes \(3, 7\) and \(3, 7\)"),
        (lambda: xw_jacobian_w(V, W), r"x must be a matrix, got shape \(7,\)"),
        (lambda: xw_gradient_x(W, np.ones((3, 5))), r"same size along axis -1.*\(7, 2\) and \(3, 5\)"),
        (lambda: xw_gradient_w(X, np.ones((5, 2))), r"same size along axis -2.*\(3, 7\) and \(5, 2\)"),
        (lambda: trace_axb_gradient(A, A), r"as many rows as b has columns, got shapes \(5, 3\) and \(5, 3\)"),
        (lambda: logdet_gradient(A), r"x must be square, got shape \(5, 3\)"),
        (lambda: logdet_gradient(np.ones((0, 0))), "must not be empty"),
        (lambda: logdet_gradient(np.array([[1.0, np.inf], [0.0, 1.0]])), "x must be finite, got inf"),
        (lambda: logdet_gradient(np.ones((3, 3))), "x must be invertible, got a .*matrix of size 3"),
        (lambda: logdet_gradient(np.outer(V, V) + 1e-17 * np.eye(7)), "x must be invertible"),
        (lambda: logdet_gradient(np.zeros((2, 2))), "x must be invertible"),
        (lambda: logdet_gradient(1e-320 * np.eye(2)), r"the gradient must not exceed the largest float, 1\.8e\+308"),
        (lambda: logdet_gradient(torch.eye(2) * 1e-40), r"the gradient must not exceed the largest float, 3\.4e\+38"),
        (lambda: logdet_gradient(np.full((1, 1), 1e-5, np.float16)), r"not exceed the largest float, 6\.6e\+04"),
    ],
)
def test_bad_input_is_refused_with_the_rule_and_the_values(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_no_matrices_have_no_gradients(backend):
    assert logdet_gradient(backend.array(np.ones((0, 3, 3)))).shape == (0, 3, 3)
