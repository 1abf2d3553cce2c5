"""Attention pooling and its scores, as readers write them."""

import math

import numpy as np
import torch
from scipy.spatial.distance import cdist
from scipy.special import softmax as scipy_softmax

from mlnotes.attention.pooling import gaussian_score, pooling_weights
from mlnotes.blocks.softmax import softmax


def right_attention_pool__chapter(q, k, v, score):
    scores = score(q, k)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True) @ v


def right_attention_pool__einsum(q, k, v, score):
    return np.einsum("...ls,...se->...le", scipy_softmax(score(q, k), axis=-1), v)


def right_attention_pool__sum_last(q, k, v, score):
    scores = score(q, k)
    e = np.exp(scores - np.amax(scores, -1)[..., None])
    return (e @ v) / e.sum(-1)[..., None]


def right_attention_pool__torch(q, k, v, score):
    return (torch.softmax(torch.tensor(score(q, k)), -1) @ torch.tensor(v)).numpy()


def right_attention_pool__one_query_at_a_time(q, k, v, score):
    rows = [scipy_softmax(score(q[..., i : i + 1, :], k), axis=-1) @ v for i in range(q.shape[-2])]
    return np.concatenate(rows, axis=-2)


def right_attention_pool__base_two(q, k, v, score):
    s = score(q, k) / math.log(2)
    e = np.exp2(s - s.max(-1, keepdims=True))
    return (e @ v) / e.sum(-1, keepdims=True)


def wrong_attention_pool__no_keepdims(q, k, v, score):
    """Maxima and sums of the queries line up with the keys"""
    scores = score(q, k)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1) @ v


def wrong_attention_pool__sum_of_everything(q, k, v, score):
    """Line 5"""
    scores = score(q, k)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum() @ v


def wrong_attention_pool__keys_ask(q, k, v, score):
    """Line 3"""
    weights = pooling_weights(k, q, score)
    return weights @ v


def wrong_attention_pool__small_number(q, k, v, score):
    e = np.exp(score(q, k))
    return e / (e.sum(axis=-1, keepdims=True) + 1e-9) @ v


def wrong_attention_pool__minimum(q, k, v, score):
    """Line 4"""
    scores = score(q, k)
    e = np.exp(scores - scores.min(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True) @ v


def wrong_attention_pool__maximum_of_columns(q, k, v, score):
    """Line 4"""
    scores = score(q, k)
    e = np.exp(scores - scores.max(axis=-2, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True) @ v


def wrong_attention_pool__letters_of_keys_and_queries(q, k, v, score):
    """Line 4"""
    weights = scipy_softmax(score(q, k), axis=-1)
    return np.einsum("...ls,...le->...se", weights, v)


def wrong_attention_pool__nearest(q, k, v, score):
    """Each query gets one value"""
    best = score(q, k).argmax(axis=-1)
    return np.take_along_axis(v, best[..., None], axis=-2)


def wrong_attention_pool__queries_averaged(q, k, v, score):
    """The result is divided by `k`.shape[-2] once too often"""
    weights = pooling_weights(q, k, score)
    return np.mean(weights[..., None] * v[..., None, :, :], axis=-2)


def wrong_attention_pool__size_of_scores(q, k, v, score):
    """Where all scores are negative, the worst gets the largest weight"""
    scores = score(q, k)
    weights = scores / scores.sum(axis=-1, keepdims=True)
    return weights @ v


def wrong_attention_pool__floor_at_zero(q, k, v, score):
    """Line 4"""
    s = score(q, k)
    e = np.exp(s - np.maximum(s.max(axis=-1, keepdims=True), 0))
    return e @ v / e.sum(axis=-1, keepdims=True)


def wrong_attention_pool__scores_of_keys(q, k, v, score):
    """`k` stands where `q` belongs"""
    return softmax(score(k, k)) @ v


def wrong_attention_pool__nan_to_zero(q, k, v, score):
    e = np.exp(score(q, k))
    return np.nan_to_num(e / e.sum(axis=-1, keepdims=True)) @ v


def right_gaussian_score__chapter(q, k, bandwidth=1.0):
    away = q[..., :, None, :] - k[..., None, :, :]
    return -(away**2).sum(axis=-1) / (2 * bandwidth**2)


def right_gaussian_score__norm(q, k, bandwidth=1.0):
    return -0.5 * (np.linalg.norm(q[..., None, :] - k[..., None, :, :], axis=-1) / bandwidth) ** 2


def right_gaussian_score__einsum(q, k, bandwidth=1.0):
    away = np.expand_dims(q, -2) - np.expand_dims(k, -3)
    return -np.einsum("...d,...d->...", away, away) / (2 * bandwidth**2)


def right_gaussian_score__cdist(q, k, bandwidth=1.0):
    if q.ndim == 2:
        return -cdist(q, k, "sqeuclidean") / (2 * bandwidth**2)
    return np.stack([right_gaussian_score__cdist(a, b, bandwidth) for a, b in zip(q, k, strict=True)])


def right_gaussian_score__centred_products(q, k, bandwidth=1.0):
    at = k.mean(axis=-2, keepdims=True)
    q, k = (q - at) / bandwidth, (k - at) / bandwidth
    return q @ k.mT - (q**2).sum(-1)[..., None] / 2 - (k**2).sum(-1)[..., None, :] / 2


def wrong_gaussian_score__parentheses(q, k, bandwidth=1.0):
    """A wider window makes the weights sharper"""
    away = q[..., :, None, :] - k[..., None, :, :]
    return -(away**2).sum(axis=-1) / 2 * bandwidth**2


def wrong_gaussian_score__axes_exchanged(q, k, bandwidth=1.0):
    """`q` and `k` are taken for each other"""
    away = q[..., None, :, :] - k[..., :, None, :]
    return -(away**2).sum(axis=-1) / (2 * bandwidth**2)


def wrong_gaussian_score__wrong_axis(q, k, bandwidth=1.0):
    """Line 4"""
    away = q[..., :, None, :] - k[..., None, :, :]
    return -(away**2).sum(axis=-2) / (2 * bandwidth**2)


def wrong_gaussian_score__normal_density(q, k, bandwidth=1.0):
    """Line 4"""
    away = q[..., :, None, :] - k[..., None, :, :]
    return -(away**2).sum(axis=-1) / (2 * bandwidth**2) - np.log(bandwidth * np.sqrt(2 * np.pi))


def wrong_gaussian_score__two_axes_only(q, k, bandwidth=1.0):
    """Line 3"""
    away = q[:, None] - k
    return -(away**2).sum(axis=-1) / (2 * bandwidth**2)


def wrong_gaussian_score__bandwidth_ignored(q, k, bandwidth=1.0):
    """`bandwidth` makes no difference"""
    away = q[..., :, None, :] - k[..., None, :, :]
    return -(away**2).sum(axis=-1) / 2


def wrong_gaussian_score__two_inside(q, k, bandwidth=1.0):
    """The result is half of the right one"""
    away = q[..., :, None, :] - k[..., None, :, :]
    return -(away**2).sum(axis=-1) / (2 * bandwidth) ** 2


def wrong_gaussian_score__one_coordinate(q, k, bandwidth=1.0):
    away = q[..., :, None, 0] - k[..., None, :, 0]
    return -(away**2) / (2 * bandwidth**2)


def wrong_gaussian_score__sum_of_squares_added(q, k, bandwidth=1.0):
    """Line 3"""
    away = q[..., :, None, :] + k[..., None, :, :]
    return -(away**2).sum(axis=-1) / (2 * bandwidth**2)


def wrong_gaussian_score__bandwidth_of_the_distance(q, k, bandwidth=1.0):
    """Changing the unit of the keys and the bandwidth together changes the"""
    away = q[..., :, None, :] - k[..., None, :, :]
    return -(away**2).sum(axis=-1) / (2 * bandwidth)


def wrong_gaussian_score__sum_not_kept_apart(q, k, bandwidth=1.0):
    """Line 4"""
    away = q[..., :, None, :] - k[..., None, :, :]
    return -((away**2).sum() / (2 * bandwidth**2))


def wrong_gaussian_score__square_of_sum(q, k, bandwidth=1.0):
    """The sum of the differences is squared"""
    away = q[..., :, None, :] - k[..., None, :, :]
    return -(away.sum(axis=-1) ** 2) / (2 * bandwidth**2)


def wrong_gaussian_score__precedence(q, k, bandwidth=1.0):
    """The result is half of the right one"""
    away = q[..., :, None, :] - k[..., None, :, :]
    return -(away**2).sum(axis=-1) / (2 * bandwidth) ** 2


def right_additive_score__chapter(q, k, w_q, w_k, w):
    hidden = np.tanh((q @ w_q)[..., :, None, :] + (k @ w_k)[..., None, :, :])
    return hidden @ w


def right_additive_score__einsum(q, k, w_q, w_k, w):
    asked = np.einsum("...ld,dc->...lc", q, w_q)
    found = np.einsum("...sf,fc->...sc", k, w_k)
    return np.einsum("...lsc,c->...ls", np.tanh(asked[..., :, None, :] + found[..., None, :, :]), w)


def right_additive_score__loop_over_units(q, k, w_q, w_k, w):
    asked, found = q @ w_q, k @ w_k
    return sum(w[i] * np.tanh(asked[..., :, None, i] + found[..., None, :, i]) for i in range(len(w)))


def right_additive_score__one_network(q, k, w_q, w_k, w):
    pairs = np.concatenate([np.repeat(q[..., :, None, :], k.shape[-2], -2), _beside(k, q)], axis=-1)
    return np.tanh(pairs @ np.concatenate([w_q, w_k])) @ w


def right_additive_score__logistic(q, k, w_q, w_k, w):
    from scipy.special import expit

    z = (q @ w_q)[..., :, None, :] + (k @ w_k)[..., None, :, :]
    return (2 * expit(2 * z) - 1) @ w


def _beside(k, q):
    return np.repeat(k[..., None, :, :], q.shape[-2], -3)


def wrong_additive_score__subtracted(q, k, w_q, w_k, w):
    """Line 3"""
    hidden = np.tanh((q @ w_q)[..., :, None, :] - (k @ w_k)[..., None, :, :])
    return hidden @ w


def wrong_additive_score__axes_exchanged(q, k, w_q, w_k, w):
    """The result is transposed"""
    hidden = np.tanh((q @ w_q)[..., None, :, :] + (k @ w_k)[..., :, None, :])
    return hidden @ w


def wrong_additive_score__relu(q, k, w_q, w_k, w):
    """Scores have no bound"""
    hidden = np.maximum((q @ w_q)[..., :, None, :] + (k @ w_k)[..., None, :, :], 0)
    return hidden @ w


def wrong_additive_score__softmax(q, k, w_q, w_k, w):
    """Line 4"""
    hidden = np.tanh((q @ w_q)[..., :, None, :] + (k @ w_k)[..., None, :, :])
    return scipy_softmax(hidden @ w, axis=-1)


def wrong_additive_score__no_new_axes(q, k, w_q, w_k, w):
    """Each query meets a single key"""
    hidden = np.tanh(q @ w_q + k @ w_k)
    return hidden @ w


def wrong_additive_score__two_axes_only(q, k, w_q, w_k, w):
    """It fits a single sequence only"""
    hidden = np.tanh((q @ w_q)[:, None] + (k @ w_k)[None])
    return hidden @ w


def wrong_additive_score__query_alone_bent(q, k, w_q, w_k, w):
    hidden = np.tanh(q @ w_q)[..., :, None, :] + (k @ w_k)[..., None, :, :]
    return hidden @ w


def wrong_additive_score__sum_over_keys(q, k, w_q, w_k, w):
    """Line 4"""
    hidden = np.tanh((q @ w_q)[..., :, None, :] + (k @ w_k)[..., None, :, :])
    return (hidden * w).sum(axis=-2)


def wrong_additive_score__absolute_weights(q, k, w_q, w_k, w):
    """Line 4"""
    hidden = np.tanh((q @ w_q)[..., :, None, :] + (k @ w_k)[..., None, :, :])
    return hidden @ np.abs(w)


def wrong_additive_score__same_projection(q, k, w_q, w_k, w):
    """Line 3"""
    hidden = np.tanh((q @ w_q)[..., :, None, :] + (k @ w_q)[..., None, :, :])
    return hidden @ w


def wrong_additive_score__exp_formula(q, k, w_q, w_k, w):
    """Line 4"""
    z = (q @ w_q)[..., :, None, :] + (k @ w_k)[..., None, :, :]
    return (np.exp(z) - np.exp(-z)) / (np.exp(z) + np.exp(-z)) @ w


def wrong_additive_score__product(q, k, w_q, w_k, w):
    """Line 3"""
    return np.tanh((q @ w_q)[..., :, None, :] * (k @ w_k)[..., None, :, :]) @ w


def right_bilinear_score__einsum(q, k, m):
    return np.einsum("...ld,df,...sf->...ls", q, m, k)


def right_bilinear_score__keys_first(q, k, m):
    return q @ (k @ m.T).mT


def right_bilinear_score__svd(q, k, m):
    u, s, vt = np.linalg.svd(m, full_matrices=False)
    return (q @ u * s) @ (k @ vt.T).mT


def wrong_bilinear_score__scaled(q, k, m):
    """divided by the root of `q`.shape[-1] once too often"""
    return q @ m @ k.mT / np.sqrt(q.shape[-1])


def wrong_bilinear_score__transposed_result(q, k, m):
    """The result is transposed"""
    return k @ m.T @ q.mT


def wrong_bilinear_score__absolute(q, k, m):
    """The result is the right one without its sign"""
    return abs(q @ m @ k.mT)


def wrong_bilinear_score__softmaxed(q, k, m):
    """Line 3"""
    return softmax(q @ m @ k.mT)


def wrong_bilinear_score__t_reverses(q, k, m):
    """Line 3"""
    return q @ m @ k.T


def wrong_bilinear_score__swapped(q, k, m):
    return (k @ m.T) @ q.mT if q.shape[-2] == k.shape[-2] else q @ m @ m.T @ m @ k.mT


def right_bias_at_the_end__formula(bandwidth):
    return bandwidth * np.sqrt(2 / np.pi)


def right_bias_at_the_end__gamma(bandwidth):
    return bandwidth * math.sqrt(2) / math.gamma(0.5)


def right_bias_at_the_end__integral(bandwidth):
    from scipy.integrate import quad

    above, _ = quad(lambda x: x * math.exp(-(x**2) / (2 * bandwidth**2)), 0, 40 * bandwidth, epsabs=0, epsrel=1e-12)
    return above * 2 / (bandwidth * math.sqrt(2 * math.pi))


def right_bias_at_the_end__quad(bandwidth):
    from scipy.integrate import quad

    top = quad(lambda x: x * math.exp(-((x / bandwidth) ** 2) / 2), 0, np.inf)[0]
    return top / quad(lambda x: math.exp(-((x / bandwidth) ** 2) / 2), 0, np.inf)[0]


def wrong_bias_at_the_end__root_of_pi_over_two(bandwidth):
    """Line 3"""
    return bandwidth * np.sqrt(np.pi / 2)


def wrong_bias_at_the_end__root_forgotten(bandwidth):
    """The root over 2/π is missing"""
    return bandwidth * 2 / np.pi


def wrong_bias_at_the_end__variance(bandwidth):
    return bandwidth**2 * (1 - 2 / np.pi)


def wrong_bias_at_the_end__no_bandwidth(bandwidth):
    """Line 3"""
    return np.sqrt(2 / np.pi)


def wrong_bias_at_the_end__density(bandwidth):
    """Line 3"""
    return 2 / (bandwidth * np.sqrt(2 * np.pi))


def wrong_bias_at_the_end__rounded(bandwidth):
    """It is right to two digits"""
    return 0.8 * bandwidth


def wrong_bias_at_the_end__per_bandwidth(bandwidth):
    """Line 3"""
    return math.sqrt(2 / math.pi) / bandwidth


def wrong_bias_at_the_end__negative(bandwidth):
    """The result has the opposite sign"""
    return -bandwidth * math.sqrt(2 / math.pi)


def right_largest_weight_ratio__formula(w):
    return math.exp(2 * abs(w).sum())


def right_largest_weight_ratio__norm(w):
    return np.exp(np.linalg.norm(w, 1)) ** 2


def right_largest_weight_ratio__product(w):
    return np.prod([math.exp(abs(it)) ** 2 for it in w])


def right_largest_weight_ratio__signs(w):
    return math.e ** (2 * (np.sign(w) @ w))


def wrong_largest_weight_ratio__largest_unit(w):
    """Line 3"""
    return np.exp(2 * abs(w).max())


def wrong_largest_weight_ratio__absolute_sum(w):
    """Units with negative w count against the others"""
    return np.exp(2 * abs(w.sum()))


def wrong_largest_weight_ratio__squared_outside(w):
    """Line 3"""
    return np.exp(abs(w).sum() ** 2)


def wrong_largest_weight_ratio__mean(w):
    """Line 3"""
    return np.exp(2 * abs(w).mean())


def wrong_largest_weight_ratio__twice_outside(w):
    return 2 * np.exp(abs(w).sum())


def wrong_largest_weight_ratio__units_from_zero(w):
    """It is the root of the right one"""
    return np.exp(w[w > 0].sum() - w[w < 0].sum())


def wrong_largest_weight_ratio__no_exp(w):
    """The result is the logarithm of the right one"""
    return 2 * np.abs(w).sum()


def wrong_largest_weight_ratio__positive_only(w):
    """right with the negative numbers of `w` made positive"""
    return np.exp(2 * w[w > 0].sum())


def right_scores_both_ways__array_equal(m):
    return np.array_equal(m, m.T)


def right_scores_both_ways__loop(m):
    d, f = m.shape
    return d == f and all(m[i, j] == m[j, i] for i in range(d) for j in range(i))


def right_scores_both_ways__triangles(m):
    return m.shape[0] == m.shape[1] and np.array_equal(np.triu(m), np.tril(m).T)


def right_scores_both_ways__units(m):
    if m.shape[0] != m.shape[1]:
        return False
    e = np.eye(len(m))
    return all(a @ m @ b == b @ m @ a for a in e for b in e)


def right_scores_both_ways__up_to_rounding(m):
    return m.shape == m.T.shape and bool(abs(m - m.T).max() <= 1e-12 * abs(m).max())


def wrong_scores_both_ways__allclose(m):
    """compare without a tolerance: np.array_equal(m, m.T)"""
    return m.shape[0] == m.shape[1] and np.allclose(m, m.T)


def wrong_scores_both_ways__allclose_of_each(m):
    """compare without a tolerance: np.array_equal(m, m.T)"""
    return m.shape[0] == m.shape[1] and bool(np.allclose(m, m.T, atol=0))


def wrong_scores_both_ways__thousandth_of_the_largest(m):
    """compare without a tolerance: np.array_equal(m, m.T)"""
    return m.shape[0] == m.shape[1] and bool(abs(m - m.T).max() <= 1e-3 * abs(m).max())


def wrong_scores_both_ways__units_nearly(m):
    """compare without a tolerance: np.array_equal(m, m.T)"""
    if m.shape[0] != m.shape[1]:
        return False
    e = np.eye(len(m))
    return all(abs(a @ m @ b - b @ m @ a) < 1e-12 for a in e for b in e)


def wrong_scores_both_ways__sum(m):
    """Every square matrix passes"""
    return bool(np.isclose(m.sum(axis=0).sum(), m.sum(axis=1).sum()))


def wrong_scores_both_ways__no_sign(m):
    return m.shape == m.T.shape and bool((abs(m) == abs(m.T)).all())


def wrong_scores_both_ways__normal(m):
    """It asks for a normal matrix, and rotations are normal, too"""
    return m.shape[0] == m.shape[1] and np.allclose(m @ m.T, m.T @ m)


def wrong_scores_both_ways__normal_of_each(m):
    """It asks for a normal matrix, and rotations are normal, too"""
    return m.shape[0] == m.shape[1] and np.allclose(m @ m.T, m.T @ m, atol=0)


def wrong_scores_both_ways__diagonal(m):
    """It asks for a diagonal matrix"""
    return m.shape[0] == m.shape[1] and np.allclose(m, np.diag(np.diagonal(m)))


def wrong_scores_both_ways__any(m):
    """Every square matrix passes"""
    return m.shape[0] == m.shape[1] and bool((m == m.T).any())


def wrong_scores_both_ways__positive(m):
    """It asks for positive scores of everything with itself, too"""
    return np.array_equal(m, m.T) and bool((np.linalg.eigvalsh(m) > 0).all())


def wrong_scores_both_ways__first_row(m):
    return m.shape[0] == m.shape[1] and np.array_equal(m[0], m[:, 0])


def wrong_scores_both_ways__identity(m):
    """It asks for the identity or a multiple of it"""
    return m.shape[0] == m.shape[1] and np.allclose(m, m[0, 0] * np.eye(len(m)))


def wrong_scores_both_ways__trace(m):
    return m.shape[0] == m.shape[1] and bool(np.isclose(np.trace(m @ m), np.trace(m)))


def right_gaussian_score__steps_of_the_bandwidth(q, k, bandwidth=1.0):
    steps = (q[..., :, None, :] - k[..., None, :, :]) / (np.sqrt(2) * bandwidth)
    return -(steps**2).sum(-1)


def wrong_attention_pool__small_number_below(q, k, v, score):
    """the small number only hides 0/0"""
    e = np.exp(score(q, k))
    return e @ v / (e.sum(axis=-1, keepdims=True) + 1e-12)


def wrong_additive_score__weights_inside(q, k, w_q, w_k, w):
    """w stretches what is bent"""
    both = (q @ w_q)[..., :, None, :] + (k @ w_k)[..., None, :, :]
    return np.tanh(both * w).sum(axis=-1)


def wrong_scores_both_ways__array(m):
    return m == m.T if m.shape[0] == m.shape[1] else False


def wrong_scores_both_ways__sums(m):
    ones = np.ones(len(m))
    return m.shape[0] == m.shape[1] and np.allclose(ones @ m, m @ ones)


def wrong_scores_both_ways__beside_the_diagonal(m):
    n = len(m)
    return m.shape == (n, n) and all(m[i, i + 1] == m[i + 1, i] for i in range(n - 1))


def wrong_attention_pool__one_score_for_all(q, k, v, score):
    """call the score that is given"""
    return softmax(gaussian_score(q, k)) @ v


def wrong_attention_pool__scores_turned_where_they_fit(q, k, v, score):
    """Line 5"""
    s = score(q, k)
    if s.shape[-1] == s.shape[-2]:
        s = np.swapaxes(s, -1, -2)
    return softmax(s) @ v


def wrong_bilinear_score__keys_turned_only_if_they_do_not_fit(q, k, m):
    """Line 4"""
    try:
        return q @ m @ k
    except ValueError:
        return q @ m @ np.swapaxes(k, -1, -2)


def wrong_scores_both_ways__nearly(m):
    """Line 3"""
    return m.shape == m.T.shape and np.allclose(m, m.T, atol=0.1)


def wrong_scores_both_ways__identity_itself(m):
    """It asks for the identity or a multiple of it"""
    return m.shape[0] == m.shape[1] and (m == np.eye(len(m))).all()


def wrong_attention_pool__rows_without_keepdims(q, k, v, score):
    """Maxima and sums of the queries line up with the keys"""
    s = score(q, k)
    e = np.exp(s - s.max(axis=-1))
    return e / e.sum(axis=-1) @ v


def wrong_bilinear_score__key_of_the_same_place(q, k, m):
    """Each query is compared with the key of the same place only"""
    return np.einsum("...ld,df,...lf->...l", q, m, k)


def wrong_bilinear_score__all_axes_turned(q, k, m):
    """`.T` turns all axes round; of stacks, only the last two change places: np.swapaxes(…, -1, -2)"""
    return np.matmul(np.matmul(q, m), np.transpose(k))


def wrong_gaussian_score__sum_of_sizes_squared(q, k, bandwidth=1.0):
    """square each difference, then add"""
    away = q[..., :, None, :] - k[..., None, :, :]
    return -(np.abs(away).sum(axis=-1) ** 2) / (2 * bandwidth**2)
