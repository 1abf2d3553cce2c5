"""Softmax and what is computed from the same exponentials."""

import math
import re

import mpmath
import numpy as np
import pytest
import scipy.special
import scipy.stats
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from mlnotes.blocks.softmax import (
    cross_entropy,
    entropy,
    gumbel_max,
    log_softmax,
    logsumexp,
    softmax,
    softmax_jacobian,
)

# A rounding is 1.1e-16.
ROUNDED = 2e-15  # sums of at most 7 exponentials, quotients and logarithms, up to 1: 16 roundings
LAST = 1e-15  # the last digits: at most 8 roundings, and of numbers below 1
SHIFTED = 4e-12  # scores up to 2e4 are rounded by 1.8e-12 on either side; a weight moves by a quarter of each at most

inf = math.inf
tables = arrays(np.float64, array_shapes(min_dims=1, max_dims=3, max_side=7), elements=st.floats(-1e4, 1e4))


def draw(*shape):
    return np.random.default_rng(0).normal(size=shape) * 3


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("name", ["softmax", "log_softmax", "logsumexp"])
def test_agrees_with_scipy_along_every_axis_and_in_every_precision(backend, name, axis):
    x = draw(2, 3, 5)
    ours = {"softmax": softmax, "log_softmax": log_softmax, "logsumexp": logsumexp}[name]
    expected = getattr(scipy.special, name)(backend.like(x), axis=axis)
    np.testing.assert_allclose(
        backend.read(ours(backend.array(x), axis=axis)), expected, rtol=backend.tolerance, atol=backend.tolerance
    )


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize(
    ("ours", "theirs"), [(softmax, torch.softmax), (log_softmax, torch.log_softmax), (logsumexp, torch.logsumexp)]
)
def test_half_precision_is_rounded_once_as_in_torch(ours, theirs, dtype):
    x = torch.tensor(draw(5, 301)).to(dtype)
    exact = theirs(x.double(), -1)
    assert (ours(x).double() - exact).abs().max() <= 1.001 * (exact.to(dtype).double() - exact).abs().max()


@given(tables)
def test_rows_sum_to_one_without_warnings_whatever_the_scores(x):
    weights = softmax(x)
    assert (weights >= 0).all()
    np.testing.assert_allclose(weights.sum(-1), 1, rtol=0, atol=ROUNDED)
    np.testing.assert_allclose(np.exp(log_softmax(x)), weights, rtol=0, atol=ROUNDED)
    assert np.isfinite(log_softmax(x)).all()


def test_scores_further_apart_than_the_largest_float_are_no_cause_for_a_warning():
    x = np.array([1.7e308, -1.7e308])
    assert softmax(x).tolist() == [1, 0]
    assert log_softmax(x).tolist() == [0, -math.inf]
    assert logsumexp(x) == 1.7e308


@given(tables, st.floats(-1e4, 1e4))
def test_a_constant_added_to_all_scores_changes_nothing(x, constant):
    np.testing.assert_allclose(softmax(x + constant), softmax(x), rtol=0, atol=SHIFTED)


def test_digits_are_right_for_scores_far_apart():
    x = [0.0, -700.0, -30.0, 5.0]
    mpmath.mp.dps = 50
    exact = [mpmath.exp(v) / mpmath.fsum(map(mpmath.exp, x)) for v in x]
    np.testing.assert_allclose(softmax(np.array(x)), [float(e) for e in exact], rtol=LAST)
    np.testing.assert_allclose(
        log_softmax(np.array(x)), [float(mpmath.log(e)) for e in exact], rtol=LAST, atol=LAST / 5
    )


@pytest.mark.parametrize("make", [np.array, lambda x: torch.tensor(x, dtype=torch.float64)])
def test_infinite_scores_have_the_limits_of_finite_ones(make):
    x = make([[inf, 0.0, inf], [-inf, 0.0, 0.0], [-inf, -inf, -inf], [3.0, inf, -inf]])
    assert softmax(x).tolist() == [[0.5, 0, 0.5], [0, 0.5, 0.5], [0, 0, 0], [0, 1, 0]]
    assert logsumexp(x).tolist() == [inf, math.log(2), -inf, inf]
    assert log_softmax(x).tolist()[2:] == [[-inf] * 3, [-inf, 0, -inf]]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_scores_of_ten_thousand_are_right_in_half_precision(dtype):
    x = torch.tensor([1e4, -1e4, 1e4], dtype=dtype)
    assert softmax(x).tolist() == [0.5, 0, 0.5]
    assert softmax(np.array([1e4, -1e4], np.float16)).tolist() == [1, 0]
    assert logsumexp(np.array([1e4, -1e4], np.float16)).tolist() == 1e4


def test_nan_stays_visible():
    assert np.isnan(softmax(np.array([[0.0, np.nan], [0.0, 0.0]]))).tolist() == [[True, True], [False, False]]


@pytest.mark.parametrize("f", [softmax, log_softmax, logsumexp, softmax_jacobian, lambda x: entropy(softmax(x))])
def test_gradients_are_right_also_at_ties(f):
    for x in (draw(3, 5), np.ones((2, 3)), np.array([[0.0, 50.0, 50.0]])):
        assert torch.autograd.gradcheck(f, torch.tensor(x, requires_grad=True))


@pytest.mark.parametrize("row", [[-inf, -inf, -inf], [-inf, 1.0, 2.0]])
def test_gradients_are_finite_where_scores_are_minus_infinity(row):
    x = torch.tensor([row, [1.0, 2.0, 3.0]], dtype=torch.float64, requires_grad=True)
    (softmax(x) * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
    assert torch.isfinite(x.grad).all()


def test_cross_entropy_agrees_with_torch_in_every_precision(backend):
    logits, targets = draw(7, 5), np.array([0, 4, 2, 2, 1, 3, 0])
    ours = cross_entropy(
        backend.array(logits),
        targets if "numpy" in backend.name else torch.tensor(targets, device=backend.array(logits).device),
    )
    theirs = torch.nn.functional.cross_entropy(torch.tensor(backend.like(logits)), torch.tensor(targets))
    np.testing.assert_allclose(backend.read(ours), theirs.numpy(), rtol=backend.tolerance)


def test_cross_entropy_averages_over_all_leading_axes_and_its_gradient_is_softmax_minus_one_hot():
    logits = torch.tensor(draw(2, 3, 5), requires_grad=True)
    targets = torch.tensor([[0, 4, 2], [2, 1, 3]])
    loss = cross_entropy(logits, targets)
    loss.backward()
    assert loss.item() == pytest.approx(torch.nn.functional.cross_entropy(logits.mT, targets).item(), rel=ROUNDED)
    expected = (torch.softmax(logits.detach(), -1) - torch.nn.functional.one_hot(targets, 5)) / 6
    torch.testing.assert_close(logits.grad, expected, rtol=0, atol=LAST)


def test_cross_entropy_of_sure_answers_is_exact():
    logits = np.array([[1e4, 0.0]])
    assert cross_entropy(logits, np.array([0])) == 0
    assert cross_entropy(logits, np.array([1])) == 1e4


def test_entropy_agrees_with_scipy_and_counts_weights_of_zero_as_nothing(backend):
    p = backend.like(scipy.special.softmax(draw(3, 5), axis=-1))
    expected = -(p * np.log(p)).sum(-1)
    np.testing.assert_allclose(backend.read(entropy(backend.array(p))), expected, rtol=4 * backend.tolerance)
    assert entropy(np.array([0.0, 1.0, 0.0])) == 0
    assert entropy(np.array([0.5, 0.0, 0.5])) == pytest.approx(scipy.stats.entropy([0.5, 0.5]), rel=LAST)


def test_a_query_that_may_look_at_nothing_has_no_entropy(backend):
    assert backend.read(entropy(backend.array([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]]))).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([5.0, 5.0], r"weights must sum to one or be all zeros, got a sum of 10\.0"),
        ([[0.5, 0.5], [0.5, 0.25]], r"weights must sum to one or be all zeros, got a sum of 0\.75"),
        ([1.5, -0.5], r"weights must not be negative, got -0\.5"),
        ([0.5, np.nan], "weights must sum to one or be all zeros, got a sum of nan"),
    ],
)
@pytest.mark.parametrize("make", [np.array, torch.tensor])
def test_what_is_no_distribution_has_no_entropy(make, weights, message):
    with pytest.raises(ValueError, match=message):
        entropy(make(weights))


def test_jacobian_agrees_with_autograd_and_its_rows_sum_to_zero(backend):
    x = draw(5)
    expected = torch.autograd.functional.jacobian(lambda t: torch.softmax(t, -1), torch.tensor(backend.like(x)))
    found = backend.read(softmax_jacobian(backend.array(x)))
    np.testing.assert_allclose(found, expected.numpy(), rtol=0, atol=backend.tolerance)
    np.testing.assert_allclose(found.sum(-1), 0, rtol=0, atol=5 * backend.tolerance)


def test_gumbel_max_draws_with_softmax_probabilities():
    x, n = np.array([2.0, 0.0, 1.0, -1.0]), 100_000
    uniform = np.random.default_rng(5).random((n, 4)) + 2.0**-54
    drawn = np.bincount(gumbel_max(x, uniform), minlength=4)
    assert scipy.stats.chisquare(drawn, softmax(x) * n).pvalue > 0.01


def test_gumbel_max_refuses_numbers_outside_zero_to_one():
    with pytest.raises(ValueError, match=r"between 0 and 1, got 0\.0 to 0\.5"):
        gumbel_max(np.ones(2), np.array([0.0, 0.5]))


@pytest.mark.parametrize(
    ("of_scores", "shape"), [((3, 4), (4,)), ((3, 4), (3, 1)), ((3, 4), (5, 4)), ((3, 4), (2, 2, 4)), ((3, 1), (3, 4))]
)
def test_gumbel_max_refuses_scores_without_a_number_of_their_own(of_scores, shape):
    uniform = np.random.default_rng(7).random(shape) / 2 + 0.25
    shapes = re.escape(f"{of_scores} and {shape}")
    with pytest.raises(ValueError, match=f"each score needs a random number of its own, got shapes {shapes}"):
        gumbel_max(np.zeros(of_scores), uniform)


def test_gumbel_max_refuses_what_no_score_can_be_drawn_from():
    with pytest.raises(ValueError, match="x must hold floating-point numbers, got dtype int64"):
        gumbel_max(np.ones(3, int), np.full(3, 0.5))
    with pytest.raises(ValueError, match=r"x must not be empty along axis -1, got shape \(2, 0\)"):
        gumbel_max(np.ones((2, 0)), np.full((2, 0), 0.5))


@pytest.mark.parametrize("axis", [0, -1])
def test_gumbel_max_draws_along_an_axis_of_the_scores(axis):
    drawn = gumbel_max(np.array([0.0, 0.0, 9.0]), np.full((5, 3), 0.5), axis)
    assert drawn.tolist() == [2] * 5


def test_gumbel_max_never_draws_minus_infinity_beside_a_finite_score(backend):
    uniform = np.random.default_rng(8).random((50, 3)) / 2 + 0.25
    drawn = gumbel_max(backend.array(np.array([-np.inf, 0.0, 1.0])), backend.array(uniform))
    assert set(drawn.tolist()) == {1, 2}


@pytest.mark.parametrize("f", [softmax, log_softmax, logsumexp, entropy])
class TestBadInput:
    def test_integers_are_refused(self, f):
        with pytest.raises(ValueError, match="must hold floating-point numbers, got dtype int64"):
            f(np.array([1, 2, 3]))

    def test_an_empty_axis_is_refused_with_the_shape(self, f):
        with pytest.raises(ValueError, match=r"must not be empty along axis -1, got shape \(2, 0\)"):
            f(np.ones((2, 0)))

    def test_an_axis_that_does_not_exist_is_refused(self, f):
        with pytest.raises(ValueError, match="2 axes, got axis 2"):
            f(torch.ones(2, 3), axis=2)


@pytest.mark.parametrize(
    ("targets", "message"),
    [
        (np.array([0, 3]), "between 0 and 2 for 3 classes, got 0 to 3"),
        (np.array([-1, 0]), "between 0 and 2 for 3 classes, got -1 to 0"),
        (np.array([0.0, 1.0]), "must hold integers, got dtype float64"),
        (np.array([0, 1, 2]), r"got \(3,\) for logits \(2, 3\)"),
    ],
)
def test_targets_that_are_no_classes_are_refused(targets, message):
    with pytest.raises(ValueError, match=message):
        cross_entropy(np.ones((2, 3)), targets)


@pytest.mark.parametrize(
    ("logits", "targets", "message"),
    [
        ([[1.0, 2.0]], [0], "logits must be an array of NumPy or PyTorch, got list"),
        (np.ones((2, 3)), [0, 1], "targets must be an array of NumPy or PyTorch, got list"),
        (np.ones((2, 3)), torch.tensor([0, 1]), "logits and targets must come from the same library"),
    ],
)
def test_what_is_no_array_or_of_another_library_is_refused(logits, targets, message):
    with pytest.raises(ValueError, match=message):
        cross_entropy(logits, targets)


def test_a_mean_over_no_targets_is_refused():
    with pytest.raises(ValueError, match="at least one target"):
        cross_entropy(np.ones((0, 3)), np.array([], int))


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int16, torch.int32, torch.uint16, torch.int64])
def test_targets_may_be_integers_of_any_size(dtype):
    logits, targets = torch.tensor(draw(3, 5)), torch.tensor([4, 0, 2])
    assert cross_entropy(logits, targets.to(dtype)) == torch.nn.functional.cross_entropy(logits, targets)


@pytest.mark.parametrize("weights", [[1.0, 0.0], [0.0, 0.0]])
def test_no_entropy_is_a_plain_zero(weights):
    assert math.copysign(1, entropy(np.array(weights))) == 1
