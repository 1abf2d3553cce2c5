"""The parts of a transformer, as readers write them."""

import math

import numpy as np
import torch

from mlnotes.attention.transformer import rms_norm


def right_layer_norm__twice(x, gain=None, beta=None, eps=1e-5):
    wide = x.astype(np.result_type(x.dtype, np.float32))
    wide = wide - wide.mean(axis=-1, keepdims=True)
    wide = wide - wide.mean(axis=-1, keepdims=True)
    y = wide / np.sqrt((wide**2).mean(axis=-1, keepdims=True) + eps)
    y = y if gain is None else y * gain
    return (y if beta is None else y + beta).astype(x.dtype)


def right_layer_norm__in_double(x, gain=None, beta=None, eps=1e-5):
    z = x.astype(float)
    gain = np.ones(x.shape[-1]) if gain is None else gain
    beta = np.zeros(x.shape[-1]) if beta is None else beta
    z = (z - z.mean(-1, keepdims=True)) / np.sqrt(z.var(-1, keepdims=True) + eps)
    return (z * gain + beta).astype(x.dtype)


def right_layer_norm__loops(x, gain=None, beta=None, eps=1e-5):
    out = np.empty_like(x)
    for i in np.ndindex(x.shape[:-1]):
        row = [float(it) for it in x[i]]
        mean = math.fsum(row) / len(row)
        variance = math.fsum((it - mean) ** 2 for it in row) / len(row)
        for j, it in enumerate(row):
            y = (it - mean) / math.sqrt(variance + eps)
            y *= 1 if gain is None else gain[j]
            out[(*i, j)] = y + (0 if beta is None else beta[j])
    return out


def right_layer_norm__torch(x, gain=None, beta=None, eps=1e-5):
    gain, beta = (None if it is None else torch.tensor(it) for it in (gain, beta))
    return torch.nn.functional.layer_norm(torch.tensor(x), (x.shape[-1],), gain, beta, eps).numpy()


def right_layer_norm__single_subtraction(x, gain=None, beta=None, eps=1e-5):
    d = x - np.mean(x, axis=-1, keepdims=True, dtype=np.float32 if x.dtype == np.float16 else None)
    variance = np.einsum("...i,...i->...", d, d)[..., None] / x.shape[-1]
    y = d * (variance + eps) ** -0.5
    if gain is not None:
        y = y * gain
    if beta is not None:
        y = y + beta
    return y.astype(x.dtype)


def wrong_layer_norm__roles_exchanged(x, gain=None, beta=None, eps=1e-5):
    wide = x.astype(np.result_type(x.dtype, np.float32))
    wide = wide - wide.mean(axis=-1, keepdims=True)
    y = wide / np.sqrt((wide**2).mean(axis=-1, keepdims=True) + eps)
    y = y if gain is None else y + gain
    return (y if beta is None else y * beta).astype(x.dtype)


def wrong_layer_norm__keepdims_forgotten(x, gain=None, beta=None, eps=1e-5):
    """Line 4"""
    wide = x.astype(np.result_type(x.dtype, np.float32))
    wide = wide - wide.mean(axis=-1)
    y = wide / np.sqrt((wide**2).mean(axis=-1, keepdims=True) + eps)
    y = y if gain is None else y * gain
    return (y if beta is None else y + beta).astype(x.dtype)


def wrong_layer_norm__eps_of_its_own(x, gain=None, beta=None, eps=1e-5):
    """`eps` makes no difference"""
    wide = x.astype(np.result_type(x.dtype, np.float32))
    wide = wide - wide.mean(axis=-1, keepdims=True)
    wide = wide - wide.mean(axis=-1, keepdims=True)
    y = wide / np.sqrt((wide**2).mean(axis=-1, keepdims=True) + 1e-5)
    y = y if gain is None else y * gain
    return (y if beta is None else y + beta).astype(x.dtype)


def wrong_layer_norm__in_place(x, gain=None, beta=None, eps=1e-5):
    """`x` has changed after the call"""
    x -= x.mean(axis=-1, keepdims=True)
    y = x.astype(np.result_type(x.dtype, np.float32))
    y = y / np.sqrt((y**2).mean(axis=-1, keepdims=True) + eps)
    y = y if gain is None else y * gain
    return (y if beta is None else y + beta).astype(x.dtype)


def wrong_layer_norm__not_centered_squares(x, gain=None, beta=None, eps=1e-5):
    """square the coordinates less their mean"""
    wide = x.astype(np.result_type(x.dtype, np.float32))
    centered = wide - wide.mean(axis=-1, keepdims=True)
    y = centered / np.sqrt((wide**2).mean(axis=-1, keepdims=True) + eps)
    y = y if gain is None else y * gain
    return (y if beta is None else y + beta).astype(x.dtype)


def wrong_layer_norm__mean_of_sizes(x, gain=None, beta=None, eps=1e-5):
    wide = x.astype(np.result_type(x.dtype, np.float32))
    centered = wide - wide.mean(axis=-1, keepdims=True)
    y = centered / (np.abs(centered).mean(axis=-1, keepdims=True) + eps)
    y = y if gain is None else y * gain
    return (y if beta is None else y + beta).astype(x.dtype)


def wrong_layer_norm__half_precision(x, gain=None, beta=None, eps=1e-5):
    """overflow in float16"""
    centered = x - x.mean(axis=-1, keepdims=True)
    y = centered / np.sqrt((centered**2).mean(axis=-1, keepdims=True) + eps)
    y = y if gain is None else y * gain
    return y if beta is None else y + beta


def wrong_layer_norm__shift_needs_gain(x, gain=None, beta=None, eps=1e-5):
    """A shift without a gain has no effect"""
    wide = x.astype(np.result_type(x.dtype, np.float32))
    centered = wide - wide.mean(axis=-1, keepdims=True)
    y = centered / np.sqrt((centered**2).mean(axis=-1, keepdims=True) + eps)
    if gain is not None:
        y = y * gain
        if beta is not None:
            y = y + beta
    return y.astype(x.dtype)


def wrong_layer_norm__both_or_none(x, gain=None, beta=None, eps=1e-5):
    """A gain without a shift has no effect, nor has a shift without a gain"""
    y = np.asarray(x, dtype=np.float64)
    y = (y - y.mean(axis=-1, keepdims=True)) / np.sqrt(y.var(axis=-1, keepdims=True) + eps)
    if gain is not None and beta is not None:
        y = y * gain + beta
    return y.astype(x.dtype)


def wrong_layer_norm__always_double(x, gain=None, beta=None, eps=1e-5):
    """The numbers are right, but their dtype is not"""
    x = x.astype(float)
    y = (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + eps)
    y = y if gain is None else y * gain
    return y if beta is None else y + beta


def wrong_layer_norm__gain_first(x, gain=None, beta=None, eps=1e-5):
    """The gain is divided out again, in part"""
    wide = x.astype(np.result_type(x.dtype, np.float32))
    wide = wide if gain is None else wide * gain
    wide = wide - wide.mean(axis=-1, keepdims=True)
    y = wide / np.sqrt((wide**2).mean(axis=-1, keepdims=True) + eps)
    return (y if beta is None else y + beta).astype(x.dtype)


def wrong_layer_norm__axis_of_the_mean(x, gain=None, beta=None, eps=1e-5):
    """Line 4"""
    wide = x.astype(np.result_type(x.dtype, np.float32))
    wide = wide - wide.mean(axis=0, keepdims=True)
    y = wide / np.sqrt((wide**2).mean(axis=-1, keepdims=True) + eps)
    y = y if gain is None else y * gain
    return (y if beta is None else y + beta).astype(x.dtype)


def wrong_layer_norm__divided_by_tokens(x, gain=None, beta=None, eps=1e-5):
    """Line 5"""
    wide = x.astype(np.result_type(x.dtype, np.float32))
    wide = wide - wide.mean(axis=-1, keepdims=True)
    variance = (wide**2).sum(axis=-1, keepdims=True) / len(x)
    y = wide / np.sqrt(variance + eps)
    y = y if gain is None else y * gain
    return (y if beta is None else y + beta).astype(x.dtype)


def right_pre_norm__line(x, sublayer, norm):
    return x + sublayer(norm(x))


def right_pre_norm__steps(x, sublayer, norm):
    normalized = norm(x)
    found = sublayer(normalized)
    return np.add(found, x)


def right_pre_norm__copy(x, sublayer, norm):
    out = x.copy()
    out += sublayer(norm(x.copy()))
    return out


def wrong_pre_norm__subtracted(x, sublayer, norm):
    """Line 3"""
    return x - sublayer(norm(x))


def wrong_pre_norm__sandwich(x, sublayer, norm):
    """Line 3"""
    return x + norm(sublayer(norm(x)))


def wrong_pre_norm__norm_forgotten(x, sublayer, norm):
    """not normalized: hand it norm(x)"""
    return x + sublayer(x)


def wrong_pre_norm__both_ends(x, sublayer, norm):
    """normalized where they should stay as they came"""
    return norm(x) + sublayer(x)


def wrong_pre_norm__norm_outside(x, sublayer, norm):
    """`sublayer` and `norm` are taken for each other"""
    return x + norm(sublayer(x))


def wrong_pre_norm__in_place(x, sublayer, norm):
    """`x` has changed after the call"""
    x += sublayer(norm(x))
    return x


def wrong_pre_norm__twice(x, sublayer, norm):
    """Line 3"""
    y = sublayer(norm(x))
    return x + sublayer(y)


def wrong_pre_norm__multiplied(x, sublayer, norm):
    """Line 3"""
    return x * sublayer(norm(x))


def wrong_pre_norm__averaged(x, sublayer, norm):
    """half of the right one"""
    return (x + sublayer(norm(x))) / 2


def wrong_pre_norm__rms(x, sublayer, norm):
    """`norm` makes no difference"""
    return x + sublayer(rms_norm(x))


def wrong_block_parameters__three_norms(d_model, d_hidden=None):
    """a block has two norms"""
    m = 4 * d_model if d_hidden is None else d_hidden
    return 4 * (d_model * d_model + d_model) + d_model * m + m + m * d_model + d_model + 3 * (2 * d_model)


def right_block_parameters__formula(d_model, d_hidden=None):
    n, m = d_model, 4 * d_model if d_hidden is None else d_hidden
    return 4 * n * n + 2 * n * m + 9 * n + m


def right_block_parameters__shapes(d_model, d_hidden=None):
    d_hidden = 4 * d_model if d_hidden is None else d_hidden
    shapes = [(d_model, d_model), (d_model,)] * 4
    shapes += [(d_model, d_hidden), (d_hidden,), (d_hidden, d_model), (d_model,)]
    shapes += [(d_model,)] * 4
    return sum(math.prod(shape) for shape in shapes)


def right_block_parameters__parts(d_model, d_hidden=None):
    if d_hidden is None:
        d_hidden = 4 * d_model
    attention = 4 * (d_model + 1) * d_model
    network = (d_model + 1) * d_hidden + (d_hidden + 1) * d_model
    return attention + network + 2 * 2 * d_model


def wrong_block_parameters__one_norm(d_model, d_hidden=None):
    """2n are missing: one of two norms"""
    m = 4 * d_model if d_hidden is None else d_hidden
    return 4 * (d_model**2 + d_model) + 2 * d_model * m + m + d_model + 2 * d_model


def wrong_block_parameters__three_matrices(d_model, d_hidden=None):
    """a fourth brings the heads' results together"""
    m = 4 * d_model if d_hidden is None else d_hidden
    attention = 3 * (d_model**2 + d_model)
    return attention + 2 * d_model * m + m + d_model + 4 * d_model


def wrong_block_parameters__hidden_width(d_model, d_hidden=None):
    """`d_hidden` makes no difference"""
    return 12 * d_model**2 + 13 * d_model


def wrong_block_parameters__hidden_bias(d_model, d_hidden=None):
    """Both biases of the feed-forward network are counted as wide as a token"""
    m = 4 * d_model if d_hidden is None else d_hidden
    return 4 * (d_model**2 + d_model) + 2 * d_model * m + 2 * d_model + 4 * d_model


def wrong_block_parameters__one_way(d_model, d_hidden=None):
    """Line 4"""
    m = 4 * d_model if d_hidden is None else d_hidden
    return 4 * (d_model**2 + d_model) + d_model * m + m + d_model + 4 * d_model


def wrong_block_parameters__weights_only(d_model, d_hidden=None):
    """no biases"""
    m = 4 * d_model if d_hidden is None else d_hidden
    return 4 * d_model**2 + 2 * d_model * m + 4 * d_model


def wrong_block_parameters__network_alone(d_model, d_hidden=None):
    """Line 4"""
    m = 4 * d_model if d_hidden is None else d_hidden
    return 2 * d_model * m + m + d_model


def wrong_block_parameters__as_wide(d_model, d_hidden=None):
    """The hidden layer is as wide as a token"""
    m = d_model if d_hidden is None else d_hidden
    return 4 * (d_model**2 + d_model) + 2 * d_model * m + m + d_model + 4 * d_model


def wrong_block_parameters__vectors_for_norms(d_model, d_hidden=None):
    """Line 5"""
    m = 4 * d_model if d_hidden is None else d_hidden
    network = d_model * m + m + m * d_model + d_model
    return 4 * (d_model**2 + d_model) + network + 2


def right_layer_norm__centering_matrix(x, gain=None, beta=None, eps=1e-5):
    n = x.shape[-1]
    z = x.astype(float) @ (np.eye(n) - np.ones((n, n)) / n)
    z /= np.sqrt(np.einsum("...i,...i->...", z, z)[..., None] / n + eps)
    return (z * (1.0 if gain is None else gain) + (0.0 if beta is None else beta)).astype(x.dtype)


def right_layer_norm__row_by_row(x, gain=None, beta=None, eps=1e-5):
    def normalized(row):
        row = (row - row.mean()) / math.sqrt(row.var() + eps)
        row = row if gain is None else gain * row
        return row if beta is None else row + beta

    return np.apply_along_axis(normalized, -1, x.astype(float)).astype(x.dtype)


def wrong_layer_norm__eps_as_a_limit(x, gain=None, beta=None, eps=1e-5):
    """eps is a lower limit instead of a summand"""
    z = x.astype(float)
    z = (z - z.mean(axis=-1, keepdims=True)) / np.sqrt(np.maximum(z.var(axis=-1, keepdims=True), eps))
    z = z if gain is None else z * gain
    return (z if beta is None else z + beta).astype(x.dtype)


def wrong_layer_norm__nan_replaced(x, gain=None, beta=None, eps=1e-5):
    """add eps under the root"""
    z = x.astype(float)
    with np.errstate(all="ignore"):
        z = np.nan_to_num((z - z.mean(axis=-1, keepdims=True)) / z.std(axis=-1, keepdims=True))
    z = z if gain is None else z * gain
    return (z if beta is None else z + beta).astype(x.dtype)


def wrong_layer_norm__gain_beside_one(x, gain=None, beta=None, eps=1e-5):
    """Line 5"""
    z = x.astype(float)
    z = (z - z.mean(axis=-1, keepdims=True)) / np.sqrt(z.var(axis=-1, keepdims=True) + eps)
    z = z if gain is None else z * (1 + gain)
    return (z if beta is None else z + beta).astype(x.dtype)


def wrong_pre_norm__overwritten(x, sublayer, norm):
    """give the norm a name of its own"""
    x = norm(x)
    x = x + sublayer(x)
    return x


def wrong_pre_norm__row_by_row(x, sublayer, norm):
    return np.stack([row + sublayer(norm(row)) for row in x])


def wrong_block_parameters__attention_without_biases(d_model, d_hidden=None):
    """4n are missing: those of the two norms, or as many biases"""
    m = 4 * d_model if d_hidden is None else d_hidden
    return 4 * d_model**2 + 2 * d_model * m + m + d_model + 4 * d_model


def right_cosine_without_positions__whole():
    return 1


def right_cosine_without_positions__computed():
    return 0.9999999999


def right_cosine_without_positions__of_numpy():
    return np.cos(0.0)


def wrong_cosine_without_positions__unrelated():
    """The two would point in unrelated directions"""
    return 0.0


def wrong_cosine_without_positions__as_with_positions():
    """That is what the model makes of them with their positions"""
    return 0.776


def wrong_cosine_without_positions__as_it_came_in():
    """That is how alike they are with their positions, before the layers"""
    return 0.97


def wrong_cosine_without_positions__opposite():
    """opposite sign"""
    return -1.0


def wrong_cosine_without_positions__nearly():
    return 0.999


def wrong_cosine_without_positions__half():
    """Nothing pulls the two halfway apart"""
    return 0.5


def wrong_block_parameters__biases_of_the_network_forgotten(d_model, d_hidden=None):
    """The two biases of the feed-forward network are missing"""
    m = 4 * d_model if d_hidden is None else d_hidden
    return 4 * (d_model**2 + d_model) + 2 * d_model * m + 4 * d_model


def wrong_block_parameters__both_biases_wide(d_model, d_hidden=None):
    """Both biases of the feed-forward network are counted as wide as its hidden layer"""
    m = 4 * d_model if d_hidden is None else d_hidden
    return 4 * (d_model**2 + d_model) + 2 * (d_model * m + m) + 4 * d_model


def wrong_layer_norm__gain_without_zeros(x, gain=None, beta=None, eps=1e-5):
    """Line 6"""
    wide = x.astype(np.result_type(x.dtype, np.float32))
    wide = wide - wide.mean(axis=-1, keepdims=True)
    y = wide / np.sqrt(wide.var(axis=-1, keepdims=True) + eps)
    if gain is not None and np.all(gain):
        y = y * gain
    return (y if beta is None else y + beta).astype(x.dtype)


def wrong_layer_norm__gain_or_shift(x, gain=None, beta=None, eps=1e-5):
    """Beside a gain, a shift has no effect"""
    wide = x.astype(np.result_type(x.dtype, np.float32))
    wide = wide - wide.mean(axis=-1, keepdims=True)
    y = wide / np.sqrt(wide.var(axis=-1, keepdims=True) + eps)
    if gain is not None:
        y = y * gain
    elif beta is not None:
        y = y + beta
    return y.astype(x.dtype)


def wrong_layer_norm__equal_numbers_without_shift(x, gain=None, beta=None, eps=1e-5):
    """Line 6"""
    wide = x.astype(float)
    y = (wide - wide.mean(-1, keepdims=True)) / np.sqrt(wide.var(-1, keepdims=True) + eps)
    y = y * (1 if gain is None else gain) + (0 if beta is None else beta)
    return np.where(np.ptp(wide, axis=-1, keepdims=True) == 0, 0, y).astype(x.dtype)


def wrong_layer_norm__all_axes_but_the_first(x, gain=None, beta=None, eps=1e-5):
    """all of a sequence share one mean and one variance"""
    wide = x.astype(np.float64)
    axes = tuple(range(1, x.ndim)) or None
    y = (wide - wide.mean(axes, keepdims=True)) / np.sqrt(wide.var(axes, keepdims=True) + eps)
    return (y * (1 if gain is None else gain) + (0 if beta is None else beta)).astype(x.dtype)


def wrong_layer_norm__cut_to_single(x, gain=None, beta=None, eps=1e-5):
    """Line 3, `wide = x.astype(np.float32)`: look at its dtype"""
    wide = x.astype(np.float32)
    wide = wide - wide.mean(axis=-1, keepdims=True)
    y = wide / np.sqrt((wide**2).mean(axis=-1, keepdims=True) + eps)
    y = y if gain is None else y * gain
    return (y if beta is None else y + beta).astype(x.dtype)
