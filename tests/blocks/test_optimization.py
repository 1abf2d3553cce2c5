"""Optimization: steppers against torch's, rates against theory, and failure that is told."""

import math

import numpy as np
import pytest
import scipy.optimize
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mlnotes.blocks.optimization import (
    Stuck,
    adam,
    adamw,
    backtracking,
    damped_newton,
    gradient_descent,
    lbfgs,
    lbfgs_direction,
    measured_rate,
    minimize,
    momentum,
    nesterov,
    newton,
    rmsprop,
    steepest_descent,
    wolfe,
)
from mlnotes.counting import count_operations

# A rounding is 1.1e-16.
SEVERAL = 1e-14  # lengths, powers and rates: some 20 roundings
PATHS = 2e-13  # 200 steps of 5 roundings of numbers up to 1.2: 1.3e-13; measured: 4e-16
STOPPED = 1e-8  # where the gradient is small enough, which leaves less the steeper it is; measured: 1e-10
LONG_VALLEY = 1e-7  # the same for up to 50 coordinates; measured: 3e-10
DIRECTION = 1e-12  # four updates of seven rows, some 100 roundings of numbers up to 10, and growth; measured: 1e-15
RATE = 1e-12  # rates that are exact once other directions have died out; measured: 1e-15
EPS_OF_ADAM = 5e-7  # eps, 1e-8, beside a gradient of 1e-3: 1e-5 of a step of 0.1, of a result of 2.9
STOPPED_EARLY = 1e-3  # the tolerance that the test asks for

STEPPERS = {
    "gradient descent": gradient_descent(1e-3),
    "momentum": momentum(1e-3),
    "nesterov": nesterov(1e-3),
    "rmsprop": rmsprop(1e-2),
    "adam": adam(1e-2),
    "adamw": adamw(1e-2),
    "steepest descent": steepest_descent(),
    "newton": newton(),
    "damped newton": damped_newton(),
    "lbfgs": lbfgs(),
}


def rosenbrock(x):
    return 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2


def rosenbrock_gradient(x):
    return np.array([-400 * x[0] * (x[1] - x[0] ** 2) - 2 * (1 - x[0]), 200 * (x[1] - x[0] ** 2)])


def rosenbrock_hessian(x):
    return np.array([[1200 * x[0] ** 2 - 400 * x[1] + 2, -400 * x[0]], [-400 * x[0], 200.0]])


ROSENBROCK, START = (rosenbrock, rosenbrock_gradient), np.array([-1.2, 1.0])


def quadratic(curvatures):
    """Return a bowl with these curvatures, its axes turned, and a start that shows each of them equally."""
    curvatures = np.asarray(curvatures, dtype=float)
    q, _ = np.linalg.qr(np.random.default_rng(0).normal(size=(curvatures.size,) * 2))
    h = q * curvatures @ q.T
    return lambda x: x @ h @ x / 2, lambda x: h @ x, lambda x: h, q.sum(axis=1)


def walk(stepper, kappa, steps, largest=1.0):
    """Return the distances from the minimum on a bowl with curvatures from largest/kappa to largest."""
    f, g, _, start = quadratic([largest / kappa, largest / math.sqrt(kappa), largest])
    found = minimize(f, g, start, stepper, max_steps=steps, tolerance=1e-300)
    return np.linalg.norm(found.points, axis=1)


TORCH = {
    "gradient descent": (gradient_descent(2e-3), torch.optim.SGD, {"lr": 2e-3}),
    "momentum": (momentum(1e-3, 0.8), torch.optim.SGD, {"lr": 1e-3, "momentum": 0.8}),
    "nesterov": (nesterov(1e-3, 0.8), torch.optim.SGD, {"lr": 1e-3, "momentum": 0.8, "nesterov": True}),
    "rmsprop": (rmsprop(1e-3, 0.95, 1e-6), torch.optim.RMSprop, {"lr": 1e-3, "alpha": 0.95, "eps": 1e-6}),
    "adam": (adam(1e-2, 0.8, 0.95, 1e-6), torch.optim.Adam, {"lr": 1e-2, "betas": (0.8, 0.95), "eps": 1e-6}),
    "adamw": (
        adamw(1e-2, 0.8, 0.95, 1e-6, 0.1),
        torch.optim.AdamW,
        {"lr": 1e-2, "betas": (0.8, 0.95), "eps": 1e-6, "weight_decay": 0.1},
    ),
    "rmsprop by default": (rmsprop(), torch.optim.RMSprop, {}),
    "adam by default": (adam(), torch.optim.Adam, {}),
    "adamw by default": (adamw(), torch.optim.AdamW, {}),
}


@pytest.mark.parametrize("name", TORCH)
def test_each_stepper_equals_torch_step_by_step(name):
    stepper, theirs, settings = TORCH[name]
    x = torch.tensor(START, requires_grad=True)
    optimizer = theirs([x], **settings)
    path = [START]
    for _ in range(200):
        optimizer.zero_grad()
        x.grad = torch.tensor(rosenbrock_gradient(x.detach().numpy()))
        optimizer.step()
        path.append(x.detach().numpy().copy())
    found = minimize(*ROSENBROCK, START, stepper, max_steps=200)
    np.testing.assert_allclose(found.points, path, rtol=0, atol=PATHS)


@pytest.mark.parametrize("name", ["newton", "damped newton", "lbfgs"])
def test_the_valley_of_rosenbrock_is_followed_to_its_end(name):
    found = minimize(*ROSENBROCK, START, STEPPERS[name], rosenbrock_hessian, max_steps=100)
    assert found.converged
    np.testing.assert_allclose(found.x, [1.0, 1.0], rtol=0, atol=STOPPED)


def test_line_search_makes_gradient_descent_reach_the_end_of_the_valley_but_slowly():
    found = minimize(*ROSENBROCK, START, steepest_descent(), max_steps=20_000, tolerance=1e-3)
    assert found.converged
    assert np.linalg.norm(found.x - 1) < 1e-2
    assert found.steps > 1000
    assert (np.diff(found.values) <= 1e-15).all()


def test_lbfgs_needs_about_as_many_steps_as_scipys():
    theirs = scipy.optimize.minimize(
        rosenbrock, START, jac=rosenbrock_gradient, method="L-BFGS-B", options={"gtol": 1e-8}
    )
    assert minimize(*ROSENBROCK, START, lbfgs()).steps <= 1.5 * theirs.nit


@pytest.mark.parametrize("n", [2, 11, 50])
def test_lbfgs_agrees_with_scipy_on_the_long_valley_of_many_dimensions(n):
    f, g = scipy.optimize.rosen, scipy.optimize.rosen_der
    found = minimize(f, g, np.zeros(n), lbfgs())
    assert found.converged
    np.testing.assert_allclose(found.x, np.ones(n), rtol=0, atol=LONG_VALLEY)


@given(arrays(np.float64, 7, elements=st.floats(-10, 10)), st.integers(0, 2**31))
def test_the_two_loops_of_lbfgs_multiply_by_the_matrix_that_the_updates_build(gradient, seed):
    rng = np.random.default_rng(seed)
    h = rng.normal(size=(7, 7))
    h = h @ h.T + np.eye(7)
    pairs = [(s, h @ s) for s in rng.normal(size=(4, 7))]
    s, y = pairs[-1]
    b = np.eye(7) * (s @ y) / (y @ y)
    for s, y in pairs:
        left = np.eye(7) - np.outer(s, y) / (s @ y)
        b = left @ b @ left.T + np.outer(s, s) / (s @ y)
    np.testing.assert_allclose(lbfgs_direction(gradient, pairs), -b @ gradient, rtol=0, atol=DIRECTION)
    np.testing.assert_allclose(lbfgs_direction(y, pairs), -s, rtol=0, atol=DIRECTION)


@pytest.mark.parametrize("pairs", [1, 3, 10])
def test_the_loops_of_lbfgs_compute_no_product_of_two_remembered_vectors_twice(pairs):
    counted = count_operations(lbfgs_direction, np.ones(7), [(np.ones(7), np.ones(7))] * pairs)
    assert counted["multiply"] == (5 * pairs + 2) * 7


KAPPAS = [10.0, 100.0, 1000.0]


@pytest.mark.parametrize("kappa", KAPPAS)
def test_gradient_descent_with_the_best_rate_shrinks_the_error_by_kappa_minus_one_over_kappa_plus_one(kappa):
    largest = 5.0
    errors = walk(gradient_descent(2 / (largest + largest / kappa)), kappa, int(12 * kappa), largest)
    assert measured_rate(errors) == pytest.approx((kappa - 1) / (kappa + 1), rel=RATE)


@pytest.mark.parametrize("kappa", KAPPAS)
def test_momentum_with_the_best_settings_shrinks_the_error_by_the_rate_of_the_root_of_kappa(kappa):
    largest = 5.0
    root = math.sqrt(kappa)
    beta = ((root - 1) / (root + 1)) ** 2
    rate = 4 / (math.sqrt(largest) + math.sqrt(largest / kappa)) ** 2
    rho = measured_rate(walk(momentum(rate, beta), kappa, int(30 * root), largest))
    # At the double root of its polynomial the error is t βᵗ⁄²: the factor comes near √β only as 1 + 1/t.
    assert math.sqrt(beta) <= rho <= math.sqrt(beta) * (1 + 2 / (15 * root))


@pytest.mark.parametrize("kappa", KAPPAS)
def test_nesterov_shrinks_the_error_by_one_minus_one_over_the_root_of_kappa(kappa):
    largest, root = 5.0, math.sqrt(kappa)
    rho = measured_rate(walk(nesterov(1 / largest, (root - 1) / (root + 1)), kappa, int(30 * root), largest))
    assert 1 - 1 / root <= rho <= (1 - 1 / root) * (1 + 2 / (15 * root))


def test_the_worse_the_condition_the_more_momentum_gains_on_gradient_descent():
    def steps(stepper, kappa):
        errors = walk(stepper, kappa, int(10 * kappa))
        return int(np.argmax(errors < 1e-3 * errors[0]))

    gains = []
    for kappa in KAPPAS:
        root = math.sqrt(kappa)
        beta = ((root - 1) / (root + 1)) ** 2
        slow = steps(gradient_descent(2 / (1 + 1 / kappa)), kappa)
        gains.append(slow / steps(momentum(4 / (1 + 1 / root) ** 2, beta), kappa))
    assert gains[0] > 1
    assert gains[1] > 2 * gains[0]
    assert gains[2] > 2 * gains[1]


def test_newtons_method_doubles_the_right_digits_with_each_step():
    found = minimize(*ROSENBROCK, np.array([0.9, 0.8]), newton(), rosenbrock_hessian, tolerance=1e-13)
    errors = np.linalg.norm(found.points - 1, axis=1)
    late = errors[(errors < 1e-1) & (errors > 1e-8)]
    assert len(late) >= 2
    assert (errors[1:][np.isin(errors[:-1], late)] <= 30 * late**2).all()
    f, g, h, start = quadratic([1e-6, 1.0, 1e6])
    assert minimize(f, g, start, newton(), h, tolerance=1e-6).steps == 1


def test_gradient_descent_diverges_above_two_over_the_largest_curvature_and_says_so():
    f, g, _, start = quadratic([1.0, 2.0, 5.0])
    assert minimize(f, g, start, gradient_descent(0.99 * 2 / 5), max_steps=5000).converged
    found = minimize(f, g, start, gradient_descent(1.01 * 2 / 5 * 1.05), max_steps=100_000)
    assert not found.converged
    assert found.message == "the function or its gradient is no longer finite"
    assert measured_rate(found.gradient_norms[:100]) == pytest.approx(2 * 1.01 * 1.05 - 1, abs=RATE)


def test_momentum_overshoots_the_minimum_that_gradient_descent_approaches_from_one_side():
    def path(stepper):
        return minimize(lambda x: x @ x / 2, lambda x: x, np.array([1.0]), stepper, max_steps=100).points[:, 0]

    assert (path(gradient_descent(0.1)) > 0).all()
    assert path(momentum(0.1, 0.9)).min() < -0.5
    assert path(momentum(0.1, 0.4)).min() >= -1e-9  # too much friction for a swing
    assert path(nesterov(0.1, 0.9)).min() > path(momentum(0.1, 0.9)).min()


# x⁴/4 - x²/2 + y²/2: a saddle at the origin between two minima.
def hills(x):
    return x[0] ** 4 / 4 - x[0] ** 2 / 2 + x[1] ** 2 / 2


def hills_gradient(x):
    return np.array([x[0] ** 3 - x[0], x[1]])


def hills_hessian(x):
    return np.diag([3 * x[0] ** 2 - 1, 1.0])


def test_newton_runs_into_a_saddle_and_the_result_says_so():
    found = minimize(hills, hills_gradient, [0.1, 1.0], newton(), hills_hessian)
    np.testing.assert_allclose(found.x, 0, rtol=0, atol=STOPPED)
    assert not found.converged
    assert found.message == "the gradient vanishes at a saddle: the Hessian has the eigenvalue -1"


def test_newton_climbs_a_maximum_and_the_result_says_so():
    found = minimize(lambda x: math.cos(x[0]), lambda x: -np.sin(x), [0.3], newton(), lambda x: -np.cos(x)[None])
    assert not found.converged
    assert "at a maximum: the Hessian has the eigenvalue -1" in found.message


def test_newton_with_positive_curvatures_leaves_the_saddle():
    found = minimize(hills, hills_gradient, [0.1, 1.0], damped_newton(), hills_hessian)
    assert found.converged
    np.testing.assert_allclose(found.x, [1.0, 0.0], rtol=0, atol=STOPPED)


def test_a_singular_hessian_stops_newton_and_the_result_says_so():
    found = minimize(
        lambda x: x[0] ** 2, lambda x: np.array([2 * x[0], 0]), [1.0, 1.0], newton(), lambda x: np.diag([2.0, 0])
    )
    assert not found.converged
    assert found.message == "the Hessian is singular: Newton's step is not defined"


@pytest.mark.parametrize("name", STEPPERS)
def test_each_method_returns_its_point_value_and_slope_at_every_step(name):
    found = minimize(*ROSENBROCK, START, STEPPERS[name], rosenbrock_hessian, max_steps=7)
    assert found.points.shape == (found.steps + 1, 2)
    assert found.values.tolist() == [rosenbrock(x) for x in found.points]
    slopes = [np.linalg.norm(rosenbrock_gradient(x)) for x in found.points]
    np.testing.assert_allclose(found.gradient_norms, slopes, rtol=SEVERAL)
    assert found.x.tolist() == found.points[-1].tolist()
    assert found.converged or found.message == "7 steps were not enough"
    assert START.tolist() == [-1.2, 1.0]


@pytest.mark.parametrize("name", STEPPERS)
def test_a_function_without_lower_bound_ends_the_walk_without_warning_or_convergence(name):
    found = minimize(lambda x: -np.exp(x[0]), lambda x: -np.exp(x), [1.0], STEPPERS[name], lambda x: -np.exp(x)[None])
    assert not found.converged
    assert found.message


@pytest.mark.parametrize("name", STEPPERS)
def test_who_starts_at_the_minimum_stays_there(name):
    found = minimize(*ROSENBROCK, [1, 1], STEPPERS[name], rosenbrock_hessian)
    assert found.converged
    assert found.steps == 0


def test_a_stepper_that_steps_in_place_is_not_answered_from_memory():
    def in_place(problem, x):
        x = x.copy()
        while True:
            x -= 0.1 * problem.gradient(x)
            yield x

    found = minimize(lambda x: x @ x / 2, lambda x: 1.0 * x, [1.0], in_place, max_steps=3)
    np.testing.assert_allclose(found.values, 0.5 * 0.81 ** np.arange(4), rtol=SEVERAL)
    np.testing.assert_allclose(found.points[:, 0], 0.9 ** np.arange(4), rtol=SEVERAL)


def test_a_stepper_may_be_used_twice():
    stepper = adam(0.1)
    first, second = (minimize(*ROSENBROCK, START, stepper, max_steps=20) for _ in range(2))
    np.testing.assert_array_equal(first.points, second.points)


def test_weight_decay_of_adamw_does_not_depend_on_the_size_of_the_gradient():
    # Where the gradient is constant Adam's own step is the rate, so what is left is the decay.
    for size in (1e-3, 1e3):
        found = minimize(lambda x, s=size: s * x[0], lambda x, s=size: np.array([s]), [3.0], adamw(0.1), max_steps=1)
        assert found.x[0] == pytest.approx(3.0 - 0.1 - 0.1 * 0.01 * 3.0, rel=EPS_OF_ADAM)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_backtracking_finds_a_step_that_keeps_a_part_of_its_promise(scale):
    def f(x):
        return float(np.sum(scale * x**4))

    x = np.array([1.0, -2.0])
    g = 4 * scale * x**3
    step = backtracking(f, x, -g, -g @ g, 1e8)
    assert f(x - step * g) <= f(x) - 1e-4 * step * (g @ g)


@given(st.floats(-3, 3), st.floats(-3, 3), st.floats(1e-6, 1e6))
def test_the_wolfe_search_meets_both_conditions_from_any_first_trial(x0, x1, step):
    x = np.array([x0, x1])
    p = -rosenbrock_gradient(x)
    slope = -(p @ p)
    if slope > -1e-6:
        return
    t = wolfe(rosenbrock, rosenbrock_gradient, x, p, step)
    assert rosenbrock(x + t * p) <= rosenbrock(x) + 1e-4 * t * slope + 1e-12
    assert abs(rosenbrock_gradient(x + t * p) @ p) <= 0.9 * abs(slope)


def test_line_searches_give_up_where_the_gradient_is_wrong():
    with pytest.raises(Stuck, match="no step along the direction, however short, lowers the function"):
        backtracking(lambda x: x @ x, np.ones(2), np.ones(2), -1.0)
    with pytest.raises(Stuck, match="no step along the direction meets the Wolfe conditions"):
        wolfe(lambda x: x[0], lambda x: -np.ones(1), np.ones(1), np.ones(1))
    found = minimize(lambda x: x @ x, lambda x: -2 * x, [1.0, 1.0], lbfgs())
    assert not found.converged
    assert "Wolfe" in found.message


def test_line_searches_refuse_to_go_uphill():
    with pytest.raises(ValueError, match="the direction must lead downhill, got a slope of 1"):
        backtracking(lambda x: x @ x, np.ones(2), np.ones(2), 1.0)
    with pytest.raises(ValueError, match=r"the direction must lead downhill, got a slope of 4\.0"):
        wolfe(lambda x: x @ x, lambda x: 2 * x, np.ones(2), np.ones(2))
    with pytest.raises(ValueError, match=r"step must be positive and finite, got 0\.0"):
        backtracking(lambda x: x @ x, np.ones(2), -np.ones(2), -1.0, 0.0)


def test_the_measured_rate_is_the_factor_of_a_geometric_sequence():
    assert measured_rate(5 * 0.7 ** np.arange(20)) == pytest.approx(0.7, rel=SEVERAL)
    assert measured_rate([1.0, 3.0]) == pytest.approx(3.0, rel=SEVERAL)
    transient = np.concatenate([np.ones(10), 0.5 ** np.arange(11)])
    assert measured_rate(transient) == pytest.approx(0.5, rel=SEVERAL)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: gradient_descent(0.0), r"rate must be positive and finite, got 0\.0"),
        (lambda: momentum(0.1, 1.0), r"beta must be from 0 to below 1, got 1\.0"),
        (lambda: nesterov(-0.1), r"rate must be positive and finite, got -0\.1"),
        (lambda: rmsprop(eps=0.0), r"eps must be positive and finite, got 0\.0"),
        (lambda: adam(beta2=-0.1), r"beta2 must be from 0 to below 1, got -0\.1"),
        (lambda: adamw(rate=0.0), r"rate must be positive and finite, got 0\.0"),
        (lambda: adamw(eps=0.0), r"eps must be positive and finite, got 0\.0"),
        (lambda: adamw(weight_decay=-1.0), r"weight_decay must be finite and not negative, got -1\.0"),
        (lambda: lbfgs(0), "memory must be positive, got 0"),
        (
            lambda: minimize(*ROSENBROCK, [[1.0, 1.0]], newton()),
            r"x0 must be a vector with at least one entry, got shape \(1, 2\)",
        ),
        (lambda: minimize(*ROSENBROCK, [], newton()), r"x0 must be a vector with at least one entry, got shape \(0,\)"),
        (lambda: minimize(*ROSENBROCK, [1.0, np.nan], newton()), "x0 must hold finite numbers, got nan"),
        (lambda: minimize(*ROSENBROCK, START, newton(), tolerance=0), "tolerance must be positive and finite, got 0"),
        (lambda: minimize(*ROSENBROCK, START, newton(), max_steps=-1), "max_steps must not be negative, got -1"),
        (lambda: minimize(*ROSENBROCK, START, newton(), max_steps=2.5), r"max_steps must be an integer, got 2\.5"),
        (lambda: minimize(*ROSENBROCK, START, newton()), "Newton's method needs the hessian, got None"),
        (
            lambda: minimize(rosenbrock, lambda x: np.ones(3), START, lbfgs()),
            r"gradient must return shape \(2,\) for x of shape \(2,\), got \(3,\)",
        ),
        (
            lambda: minimize(lambda x: x, rosenbrock_gradient, START, lbfgs()),
            r"function must return shape \(\) for x of shape \(2,\), got \(2,\)",
        ),
        (
            lambda: minimize(*ROSENBROCK, START, newton(), lambda x: np.eye(3)),
            r"hessian must return shape \(2, 2\) for x of shape \(2,\), got \(3, 3\)",
        ),
        (
            lambda: minimize(*ROSENBROCK, START, newton(), lambda x: np.array([[1.0, 2.0], [3.0, 1.0]])),
            r"hessian must be symmetric, got 2\.0 and 3\.0 at \(0, 1\) and \(1, 0\)",
        ),
        (
            lambda: minimize(lambda x: math.inf, lambda x: x, [1.0], lbfgs()),
            r"x0 must have a finite value and gradient, got inf and a gradient of norm 1\.0",
        ),
        (lambda: measured_rate([1.0]), r"errors must be a vector of at least two, got shape \(1,\)"),
        (lambda: measured_rate([1.0, 0.0]), r"errors must be positive and finite, got 0\.0"),
    ],
)
def test_bad_input_is_refused_with_the_rule_and_the_values(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("size", [1e-300, 1e-170, 1e170, 1e300])
def test_a_gradient_whose_square_is_no_float_has_its_length(size):
    problem = lambda x: size * (x @ x) / 2, lambda x: size * x, [3.0, 4.0], gradient_descent(0.1 / size)
    found = minimize(*problem, max_steps=0, tolerance=1e-308)
    assert found.gradient_norms[0] == pytest.approx(5 * size, rel=SEVERAL)
    assert not found.converged
    assert minimize(*problem, tolerance=1e-3 * size).x == pytest.approx([0, 0], abs=STOPPED_EARLY)


@pytest.mark.parametrize("size", [1e-290, 1e-170, 1e-160, 1e160, 1e300])
def test_lbfgs_walks_as_it_does_in_other_units_of_the_function(size):
    curvatures = np.array([1.0, 10.0, 100.0])

    def walk(size):
        problem = lambda x: size * (curvatures @ x**2) / 2, lambda x: size * curvatures * x
        return minimize(*problem, [1.0, 2.0, 3.0], lbfgs(), tolerance=1e-8 * size)

    unit = 2.0 ** round(np.log2(size))
    assert walk(1.0).converged
    np.testing.assert_array_equal(walk(unit).points, walk(1.0).points)
    assert walk(size).converged
    assert np.linalg.norm(walk(size).x) < 1e-8


@pytest.mark.parametrize("size", [1e-162, 1.0, 1e150])
def test_lbfgs_begins_with_a_step_of_one_in_any_units_of_the_function(size):
    start = np.array([0.6, 0.8])
    found = minimize(lambda x: size * (x @ x), lambda x: 2 * size * x, start, lbfgs(), None, 1, 1e-300)
    assert np.linalg.norm(found.points[1] - start) == pytest.approx(1.0, rel=SEVERAL)


def test_what_a_function_does_to_its_point_does_not_move_the_walk():
    def spoiling(f):
        def spoil(x):
            y = f(x)
            x *= 2
            return y

        return spoil

    bowl = (lambda x: x @ x, lambda x: 2 * x, lambda x: 2 * np.eye(2))
    for stepper in (gradient_descent(0.1), damped_newton()):
        found, expected = (
            minimize(f, g, [1.0, 2.0], stepper, h) for f, g, h in (map(spoiling, bowl), bowl)
        )
        np.testing.assert_array_equal(found.points, expected.points)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda p: backtracking(np.sum, np.ones(2), p, -1.0), "direction must be an array .*, got list"),
        (lambda p: wolfe(np.sum, np.ones_like, np.ones(2), p), "direction must be an array .*, got list"),
        (lambda p: lbfgs_direction(p, []), "gradient must be an array .*, got list"),
    ],
)
def test_directions_that_are_no_arrays_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call([-1.0, -1.0])
