"""Masks, and the softmax that respects them."""

import math
import re

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from mlnotes.attention.causal_mask import causal_mask, masked_softmax, padding_mask
from mlnotes.attention.self_attention import attention, self_attention
from mlnotes.blocks.softmax import softmax

# Hidden keys weigh exactly 0, so what is left of them is the order of the sums; a rounding is 1.1e-16.
REORDERED = 1e-15  # a sum of at most 5 products up to 1.4: 5 * 1.4 * 1.1e-16 = 8e-16
ROUNDED = 4e-15  # scores of 3 products, a softmax, an average of at most 7 values up to 3: 12 * 2.8 * 1.1e-16 = 4e-15


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
            weights[:, i, : i + 1], expected / expected.sum(-1, keepdims=True), rtol=0, atol=backend.tolerance
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
    np.testing.assert_allclose(
        masked_softmax(x, np.ones((3, 5), bool), axis=1), softmax(x, axis=1), rtol=0, atol=REORDERED
    )


@pytest.mark.parametrize("shape", [(5, 3), (3, 2), (5,), (2, 3, 1, 5), (3, 3, 5), (2, 5, 3)])
def test_masks_of_the_wrong_shape_are_refused_with_both_shapes(shape):
    with pytest.raises(ValueError, match=r"mask must have shape \(3, 5\) or \(2, 3, 5\)"):
        masked_softmax(np.ones((2, 3, 5)), np.ones(shape, bool))


@pytest.mark.parametrize("shape", [(), (5,)])
def test_a_mask_with_more_axes_than_the_scores_is_refused_with_both_shapes(shape):
    with pytest.raises(ValueError, match=rf"mask must have shape {re.escape(str(shape))}, up to sizes 1, got \(1, 5\)"):
        masked_softmax(np.ones(shape), np.ones((1, 5), bool))


@pytest.mark.parametrize("mask", [np.ones((3, 5)), np.ones((3, 5), int), torch.ones(3, 5)])
def test_masks_that_are_not_boolean_are_refused(mask):
    with pytest.raises(ValueError, match="mask must be boolean, True for what counts, got dtype"):
        masked_softmax(torch.ones(3, 5) if isinstance(mask, torch.Tensor) else np.ones((3, 5)), mask)


def test_no_mask_is_no_mask_that_hides_everything():
    with pytest.raises(ValueError, match="mask must be boolean, True for what counts, got None"):
        masked_softmax(np.ones((3, 5)), None)


def test_padding_hides_the_keys_behind_the_end_of_each_sequence_from_all_its_queries():
    found = padding_mask([2, 0, 4], 4)
    assert found.dtype == bool
    assert found.tolist() == [[[True, True, False, False]], [[False] * 4], [[True] * 4]]
    assert padding_mask(3, 4).tolist() == [[True, True, True, False]]
    assert padding_mask([], 4).shape == (0, 1, 4)


def test_padding_changes_no_result_of_a_shorter_sequence():
    rng = np.random.default_rng(0)
    q, k, v = (rng.normal(size=(2, 5, 3)) for _ in range(3))
    padded = attention(q, k, v, padding_mask([3, 5], 5))
    np.testing.assert_allclose(padded[0], attention(q[0], k[0, :3], v[0, :3]), rtol=0, atol=REORDERED)
    np.testing.assert_allclose(padded[1], attention(q[1], k[1], v[1]), rtol=0, atol=REORDERED)


def test_padding_agrees_with_torchs_key_padding_mask():
    rng = np.random.default_rng(0)
    q, k, v = (torch.tensor(rng.normal(size=(2, 5, 4))) for _ in range(3))
    theirs = torch.nn.MultiheadAttention(4, 1, bias=False, batch_first=True, dtype=torch.float64)
    hidden = torch.tensor(~padding_mask([3, 5], 5)[:, 0])
    expected, _ = theirs(q, k, v, key_padding_mask=hidden)
    w_q, w_k, w_v = theirs.in_proj_weight.chunk(3)
    ours = attention(q @ w_q.T, k @ w_k.T, v @ w_v.T, padding_mask([3, 5], 5)) @ theirs.out_proj.weight.T
    torch.testing.assert_close(ours, expected, rtol=0, atol=ROUNDED)


@given(st.integers(1, 7), st.integers(0, 6))
def test_one_parallel_pass_equals_one_pass_for_each_prefix(n, seed):
    rng = np.random.default_rng(seed)
    q, k, v = (rng.normal(size=(n, 3)) for _ in range(3))
    parallel = attention(q, k, v, causal_mask(n, n))
    one_by_one = [attention(q[i : i + 1], k[: i + 1], v[: i + 1])[0] for i in range(n)]
    np.testing.assert_allclose(parallel, one_by_one, rtol=0, atol=ROUNDED)


@given(st.integers(0, 4))
def test_no_change_of_a_later_token_reaches_an_earlier_result(at):
    rng = np.random.default_rng(at)
    x, w = rng.normal(size=(6, 3)), rng.normal(size=(3, 3, 3))
    changed = x.copy()
    changed[at + 1] += 1e3
    before, after = (self_attention(tokens, *w, causal_mask(6, 6)) for tokens in (x, changed))
    np.testing.assert_array_equal(before[: at + 1], after[: at + 1])
    assert (before[at + 1 :] != after[at + 1 :]).any()


@pytest.mark.parametrize(
    ("lengths", "says"),
    [
        ([2, 5], "lengths must lie between 0 and n_keys=4, got 5"),
        ([-1], "lengths must lie between 0 and n_keys=4, got -1"),
        ([1.5], "lengths must be integers, got dtype float64"),
    ],
)
def test_lengths_that_do_not_fit_are_refused(lengths, says):
    with pytest.raises(ValueError, match=says):
        padding_mask(lengths, 4)
