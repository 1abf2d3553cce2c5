"""Attention pooling and its scores."""

import functools
import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import rbf_kernel

from mlnotes.attention.pooling import (
    additive_score,
    attention_pool,
    bilinear_score,
    gaussian_score,
    pooling_weights,
)
from mlnotes.attention.self_attention import attention_weights

# A rounding is 1.1e-16; a weight is off by as much of itself as its score is off.
SUMMED = 2e-15  # weights that sum to 1, or an average of at most 7 values up to 1.3: 12 roundings
SCORED = 1e-14  # scores up to 19, rounded 4 times: 19 * 4 * 1.1e-16 = 8e-15
BENT = (
    1e-10  # tanh x = x - x³ / 3: 6 units of (5e-6)³ / 3 over 1e-6 are 2.5e-10, and a weight moves by a quarter at most
)


def draw(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


Q, K, V = draw(2, 5, 3), draw(2, 7, 3, seed=1), draw(2, 7, 11, seed=2)
WIDE, M = draw(2, 7, 4, seed=3), draw(3, 4, seed=4)
W_Q, W_K, W = draw(3, 6, seed=5), draw(4, 6, seed=6), draw(6, seed=7)
numbers = st.floats(-100, 100, width=32)


def scaled_product(q, k):
    return q @ k.mT / math.sqrt(q.shape[-1])


def test_the_pool_is_the_kernel_average_of_statistics_in_every_precision(backend):
    q, k, v = map(backend.like, (Q, K, V))
    kernels = np.stack([rbf_kernel(a, b, gamma=1 / (2 * 1.5**2)) for a, b in zip(q, k, strict=True)])
    score = functools.partial(gaussian_score, bandwidth=np.float64(1.5))  # NumPy would widen by it
    found = backend.read(attention_pool(*map(backend.array, (Q, K, V)), score))
    np.testing.assert_allclose(found, kernels @ v / kernels.sum(-1, keepdims=True), rtol=0, atol=backend.tolerance * 2)


def test_with_scaled_products_as_scores_it_is_torchs_attention():
    expected = torch.nn.functional.scaled_dot_product_attention(*map(torch.tensor, (Q, K, V)))
    np.testing.assert_allclose(attention_pool(Q, K, V, scaled_product), expected, rtol=0, atol=SCORED)


@given(arrays(float, (5, 2), elements=numbers), arrays(float, (3, 2), elements=numbers), st.floats(1e-3, 1e3))
def test_weights_are_not_negative_and_sum_to_one_and_results_stay_within_the_values(k, q, bandwidth):
    score = functools.partial(gaussian_score, bandwidth=bandwidth)
    weights = pooling_weights(q, k, score)
    assert (weights >= 0).all()
    np.testing.assert_allclose(weights.sum(-1), 1, rtol=0, atol=SUMMED)
    values = draw(5, 2)
    pooled = attention_pool(q, k, values, score)
    assert (pooled >= values.min(0) - SUMMED).all()
    assert (pooled <= values.max(0) + SUMMED).all()


def test_a_narrow_bandwidth_gives_the_nearest_value_also_where_every_kernel_underflows():
    keys, values = np.array([[1.0], [2.0], [4.0]]), np.array([[10.0], [20.0], [40.0]])
    score = functools.partial(gaussian_score, bandwidth=1e-3)
    queries = np.array([[-1e6], [1.9], [1e6]])
    np.testing.assert_array_equal(attention_pool(queries, keys, values, score), [[10], [20], [40]])
    assert np.exp(gaussian_score(queries, keys, 1e-3)).max() == 0  # what the formula as printed would divide by


def test_a_wide_bandwidth_gives_the_mean():
    score = functools.partial(gaussian_score, bandwidth=1e9)
    np.testing.assert_allclose(
        attention_pool(Q, K, V, score), V.mean(1, keepdims=True).repeat(5, 1), rtol=0, atol=SUMMED
    )


def test_gaussian_scores_agree_with_scipys_distances_in_every_precision(backend):
    q, k = map(backend.like, (Q, K))
    expected = np.stack([-cdist(a, b, "sqeuclidean") / (2 * 0.7**2) for a, b in zip(q, k, strict=True)])
    found = backend.read(gaussian_score(backend.array(Q), backend.array(K), 0.7))
    np.testing.assert_allclose(found, expected, atol=backend.tolerance, rtol=2 * backend.tolerance)


def test_distances_survive_far_from_the_origin():
    q, k = np.round(16 * Q) / 16, np.round(16 * K) / 16
    np.testing.assert_array_equal(gaussian_score(q + 2.0**40, k + 2.0**40), gaussian_score(q, k))


def test_keys_of_equal_length_make_the_gaussian_a_dot_product():
    unit = K / np.linalg.norm(K, axis=-1, keepdims=True)
    same = attention_weights(Q, unit, scale=1 / 0.6**2)
    np.testing.assert_allclose(
        pooling_weights(Q, unit, functools.partial(gaussian_score, bandwidth=0.6)), same, rtol=0, atol=SCORED
    )


def test_one_more_coordinate_makes_the_gaussian_a_dot_product_for_any_keys():
    one, lengths = np.ones((2, 5, 1)), (K**2).sum(-1, keepdims=True)
    same = attention_weights(np.concatenate([Q, one], -1), np.concatenate([K, -lengths / 2], -1), scale=1.0)
    np.testing.assert_allclose(pooling_weights(Q, K, gaussian_score), same, rtol=0, atol=SCORED)


def test_bilinear_scores_agree_with_torch_in_every_precision(backend):
    q, k, m = map(backend.like, (Q, WIDE, M))
    pairs = np.repeat(q[:, :, None], 7, 2), np.repeat(k[:, None], 5, 1)
    expected = torch.nn.functional.bilinear(*map(torch.tensor, (*pairs, m[None])))[..., 0]
    found = backend.read(bilinear_score(*map(backend.array, (Q, WIDE, M))))
    np.testing.assert_allclose(found, expected, rtol=0, atol=8 * backend.tolerance)


def test_additive_scores_agree_with_torchs_layers_in_every_precision(backend):
    q, k, w_q, w_k, w = (torch.tensor(backend.like(x)) for x in (Q, WIDE, W_Q, W_K, W))
    expected = torch.tanh(
        torch.einsum("bld,dc->blc", q, w_q)[:, :, None] + torch.einsum("bsf,fc->bsc", k, w_k)[:, None]
    )
    found = backend.read(additive_score(*map(backend.array, (Q, WIDE, W_Q, W_K, W))))
    np.testing.assert_allclose(found, torch.einsum("blsc,c->bls", expected, w), rtol=0, atol=4 * backend.tolerance)


def test_without_its_bend_additive_scoring_would_not_hear_the_query():
    small = 1e-6  # where tanh is a straight line
    weights = pooling_weights(Q, WIDE, lambda q, k: additive_score(small * q, small * k, W_Q, W_K, W / small))
    np.testing.assert_allclose(weights, weights[:, :1].repeat(5, 1), rtol=0, atol=BENT)


@pytest.mark.parametrize(
    "score",
    [
        lambda q, k, p: gaussian_score(q, k, 0.5 + p[0] ** 2),
        lambda q, k, p: bilinear_score(q, k, p.reshape(3, 3)),
        lambda q, k, p: additive_score(q, k, p[:6].reshape(3, 2), p[3:].reshape(3, 2), p[:2]),
    ],
    ids=["gaussian", "bilinear", "additive"],
)
def test_gradients_flow_to_queries_keys_values_and_parameters(score):
    inputs = [torch.tensor(x, requires_grad=True) for x in (Q[0], K[0], V[0, :, :2], draw(9))]
    assert torch.autograd.gradcheck(lambda q, k, v, p: attention_pool(q, k, v, lambda q, k: score(q, k, p)), inputs)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: gaussian_score(Q, WIDE), "width|same size.*3.*4"),
        (lambda: gaussian_score(Q, K, 0.0), r"bandwidth must be positive and finite, got 0\.0"),
        (lambda: gaussian_score(*map(np.float32, (Q, K)), 1e-50), "bandwidth must lie between .*float32, got 1e-50"),
        (lambda: gaussian_score(Q, K, math.nan), "bandwidth must be positive and finite, got nan"),
        (lambda: gaussian_score(Q.astype(int), K), "float"),
        (lambda: gaussian_score(Q[..., :0], K[..., :0]), "empty"),
        (lambda: gaussian_score(Q[0, 0], K), r"q must hold rows \(\.\.\., l, d\), got shape \(3,\)"),
        (lambda: gaussian_score(Q, K[0, 0]), r"k must hold rows \(\.\.\., l, d\), got shape \(3,\)"),
        (lambda: bilinear_score(Q, WIDE[0, 0], M), r"k must hold rows \(\.\.\., l, d\), got shape \(4,\)"),
        (lambda: bilinear_score(Q[0, 0, 0], WIDE, M), r"q must hold rows \(\.\.\., l, d\), got shape \(\)"),
        (lambda: additive_score(Q[0, 0], WIDE, W_Q, W_K, W), r"q must hold rows .* got shape \(3,\)"),
        (lambda: additive_score(Q, WIDE[0, 0, 0], W_Q, W_K, W), r"k must hold rows .* got shape \(\)"),
        (lambda: additive_score(Q, WIDE, W_Q, W_K, W[0]), r"w must have an entry for each hidden unit, got shape \(\)"),
        (lambda: bilinear_score(Q, WIDE, M.T), r"m must have shape \(3, 4\).*got \(4, 3\)"),
        (lambda: additive_score(Q, WIDE, W_K, W_Q, W), r"\(3, 6\), \(4, 6\), \(6,\), got \(\(4, 6\), \(3, 6\)"),
        (lambda: additive_score(Q, WIDE, W_Q, W_K, W[:5]), r"\(3, 5\)"),
        (lambda: attention_pool(Q, K, V[:, :5], gaussian_score), "7.*5|5.*7"),
        (
            lambda: pooling_weights(Q.astype(int), K, lambda q, k: np.ones((*Q.shape[:-1], K.shape[-2]))),
            "q must hold floating-point numbers, got dtype int64",
        ),
        (lambda: attention_pool(Q, K[:, :0], V[:, :0], gaussian_score), "empty"),
        (lambda: attention_pool(Q, K, V, lambda q, k: q), r"\(\.\.\., 5, 7\), got shape \(2, 5, 3\)"),
        (lambda: attention_pool(Q, K, V.astype(int), gaussian_score), "float"),
    ],
)
def test_bad_input_is_refused_with_the_rule_and_the_values(call, says):
    with pytest.raises(ValueError, match=says):
        call()
