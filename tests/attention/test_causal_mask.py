"""Masks, and the softmax that respects them."""

import math

import numpy as np
import pytest
import torch

from mlnotes.attention.causal_mask import causal_mask, masked_softmax
from mlnotes.blocks.softmax import softmax


@pytest.mark.parametrize(("l", "s", "offset"), [(5, 5, 0), (3, 7, 4), (5, 3, 0), (1, 7, 6), (0, 3, 0)])
def test_query_i_sees_keys_up_to_its_position(l, s, offset):  # noqa: E741
    expected = [[j <= i + offset for j in range(s)] for i in range(l)]
    found = causal_mask(l, s, offset)
    assert found.dtype == bool
    assert found.shape == (l, s)
    assert found.tolist() == expected


@pytest.mark.parametrize("name", ["n_queries", "n_keys", "offset"])
def test_negative_sizes_are_refused(name):
    with pytest.raises(ValueError, match=f"{name} must not be negative, got -1"):
        causal_mask(**{"n_queries": 2, "n_keys": 3, "offset": 0, name: -1})


def test_allowed_scores_get_the_softmax_of_themselves_alone(backend):
    x = np.random.default_rng(0).normal(size=(2, 3, 5))
    weights = backend.read(masked_softmax(backend.array(x), causal_mask(3, 5)))
    for i in range(3):
        expected = np.exp(backend.like(x)[:, i, : i + 1])
        np.testing.assert_allclose(
            weights[:, i, : i + 1], expected / expected.sum(-1, keepdims=True), atol=backend.tolerance
        )
        assert (weights[:, i, i + 1 :] == 0).all()


@pytest.mark.parametrize("make", [np.array, torch.tensor])
def test_a_row_without_any_allowed_score_is_zeros_with_finite_gradients(make):
    x = make([[1.0, 2.0], [3.0, 4.0]])
    mask = make([[False, False], [True, False]])
    assert masked_softmax(x, mask).tolist() == [[0, 0], [1, 0]]
    if make is torch.tensor:
        x = x.double().requires_grad_()
        assert torch.autograd.gradcheck(lambda x: masked_softmax(x, mask), x)
        masked_softmax(x, mask).square().sum().backward()
        assert torch.isfinite(x.grad).all()


def test_what_is_hidden_cannot_matter_not_even_as_infinity_or_nan():
    x = np.array([[1.0, math.inf, 2.0, math.nan]])
    mask = np.array([[True, False, True, False]])
    np.testing.assert_array_equal(masked_softmax(x, mask)[:, ::2], softmax(np.array([[1.0, 2.0]])))


def test_mask_may_hold_along_any_axis_and_have_sizes_of_one():
    x = np.random.default_rng(0).normal(size=(2, 3, 5))
    mask = np.array([[True, True, False, True, True]])
    np.testing.assert_array_equal(masked_softmax(x, mask), masked_softmax(x, np.broadcast_to(mask, (2, 3, 5))))
    np.testing.assert_allclose(masked_softmax(x, np.ones((3, 5), bool), axis=1), softmax(x, axis=1))


@pytest.mark.parametrize("shape", [(5, 3), (3, 2), (5,), (2, 3, 1, 5), (3, 3, 5), (2, 5, 3)])
def test_masks_of_the_wrong_shape_are_refused_with_both_shapes(shape):
    with pytest.raises(ValueError, match=r"mask must have shape \(3, 5\) or \(2, 3, 5\)"):
        masked_softmax(np.ones((2, 3, 5)), np.ones(shape, bool))


@pytest.mark.parametrize("mask", [np.ones((3, 5)), np.ones((3, 5), int), torch.ones(3, 5)])
def test_masks_that_are_not_boolean_are_refused(mask):
    with pytest.raises(ValueError, match="mask must be boolean, True where a query may look, got dtype"):
        masked_softmax(torch.ones(3, 5) if isinstance(mask, torch.Tensor) else np.ones((3, 5)), mask)
