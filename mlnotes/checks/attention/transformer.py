"""What the parts of a transformer must satisfy, and how they are usually got wrong."""

import math

import numpy as np

from mlnotes.applications.mlp import gelu, relu
from mlnotes.attention.causal_mask import causal_mask
from mlnotes.attention.multi_head import multi_head_attention
from mlnotes.attention.transformer import feed_forward, layer_norm, mean_pool, post_norm, pre_norm, rms_norm
from mlnotes.checks.oldbank import Checks, Claim, Mistake, distance, frozen

_rng = np.random.default_rng(17)
_x, _cube, _gain, _shift, _low, _far, _flat = frozen(
    _rng.normal(size=(5, 7)) * 2 + 1,
    _rng.normal(size=(2, 5, 7)) * 2 + 1,
    _rng.uniform(0.5, 2, 7),
    _rng.normal(size=7),
    _rng.normal(size=(3, 7)) * 0.01,
    (_rng.normal(size=(11, 64)) + 10_000).astype(np.float32),
    np.array([[3.0] * 7, [-0.1] * 7, [0.0] * 7]),
)
_LAST_BITS = "sums of at most 7 numbers in float64: a few units of 1e-16"

# One block of a transformer: 5 tokens of width 6, 3 heads, a hidden layer of 11.
_tokens, _w_q, _w_k, _w_v, _w_o, _w_1, _w_2, _b, _b_1 = frozen(
    _rng.normal(size=(5, 6)),
    *_rng.normal(size=(4, 6, 6)) / 2,
    _rng.normal(size=(6, 11)) / 2,
    _rng.normal(size=(11, 6)) / 2,
    _rng.normal(size=(8, 6)) / 3,  # four of attention, one of the hidden layer's way back, gain and shift less 1
    _rng.normal(size=11) / 3,
)
_hidden = _w_1, _b_1, _w_2, _b[4]
_mask, _kept = frozen(causal_mask(5, 5), np.arange(5) < np.array([[5], [2]]))


def _attend(x):
    biases = dict(zip(("b_q", "b_k", "b_v", "b_o"), _b, strict=False))
    return multi_head_attention(x, x, x, _w_q, _w_k, _w_v, _w_o, 3, _mask, **biases)


def _think(x):
    return feed_forward(x, *_hidden)


def _norm(x):
    return layer_norm(x, 1 + _b[5], _b[6])


def _block(order):
    """Put a block together: attention, then the feed-forward network, each in the given order of Add & Norm."""
    return order(order(_tokens, _attend, _norm), _think, _norm)


def _torch_block(norm_first):
    """Ask torch's layer: its matrices are the transposes of ours, and its True hides."""
    import torch

    theirs = torch.nn.TransformerEncoderLayer(
        6, 3, 11, dropout=0.0, batch_first=True, norm_first=norm_first, dtype=torch.float64
    )
    arrays = {
        "self_attn.in_proj_weight": np.concatenate([_w_q, _w_k, _w_v], axis=1).T,
        "self_attn.in_proj_bias": np.concatenate(_b[:3]),
        "self_attn.out_proj.weight": _w_o.T,
        "self_attn.out_proj.bias": _b[3],
        "linear1.weight": _w_1.T,
        "linear1.bias": _b_1,
        "linear2.weight": _w_2.T,
        "linear2.bias": _b[4],
    }
    arrays |= {f"norm{i}.weight": 1 + _b[5] for i in (1, 2)} | {f"norm{i}.bias": _b[6] for i in (1, 2)}
    theirs.load_state_dict({name: torch.tensor(array) for name, array in arrays.items()})
    with torch.no_grad():
        return theirs.train()(torch.tensor(_tokens)[None], src_mask=~torch.tensor(_mask))[0].numpy()


def _torch(name, x, *args, **kwargs):
    import torch

    f = getattr(torch.nn.functional, name)
    args = [None if a is None else torch.tensor(a) for a in args]
    return f(torch.tensor(x), (x.shape[-1],), *args, **kwargs).numpy()


def _summed(x, gain, shift, eps=1e-5):
    """Normalise row by row with math.fsum."""
    out = np.empty(x.shape)
    for i, row in enumerate(x):
        mean = math.fsum(row) / len(row)
        variance = math.fsum((value - mean) ** 2 for value in row.tolist()) / len(row)
        out[i] = [g * (v - mean) / math.sqrt(variance + eps) + s for v, g, s in zip(row, gain, shift, strict=True)]
    return out


def _half(f, expected):
    x = np.array([[1000.0, -3000.0, 1000.0, 1000.0]], np.float16)
    y = f(x)
    if y.dtype != x.dtype:
        raise AssertionError(f"its dtype is {y.dtype} where {x.dtype} is right")
    return distance(y, expected)


def _leaves_input(f):
    x = _x.copy()
    f(x)
    return distance(x, _x)


def _by_itself(f):
    return max(distance(f(_cube)[i, j], f(_cube[i, j])) for i, j in np.ndindex(2, 5))


def _in_double(f):
    return distance(f(_far), layer_norm(_far.astype(np.float64)))


def _torch_hidden(x, activation):
    import torch

    w_1, b_1, w_2, b_2 = map(torch.tensor, _hidden)
    hidden = torch.nn.functional.linear(torch.tensor(x), w_1.T, b_1)
    return torch.nn.functional.linear(getattr(torch.nn.functional, activation)(hidden), w_2.T, b_2).numpy()


def _learned(y, gain, shift=None):
    y = y if gain is None else y * gain
    return y if shift is None else y + shift


def variance_from_squares(x, gain=None, shift=None, eps=1e-5):
    """Subtract the square of the mean from the mean of the squares."""
    mean = x.mean(axis=-1, keepdims=True)
    variance = (x**2).mean(axis=-1, keepdims=True) - mean**2
    return _learned((x - mean) / np.sqrt(variance + eps), gain, shift)


def variance_of_a_sample(x, gain=None, shift=None, eps=1e-5):
    """Divide the squares by n - 1."""
    variance = x.var(axis=-1, keepdims=True, ddof=1)
    return _learned((x - x.mean(axis=-1, keepdims=True)) / np.sqrt(variance + eps), gain, shift)


def deviation_of_a_sample(x, gain=None, shift=None, eps=1e-5):
    """Divide by torch's standard deviation, and add eps outside of the root."""
    deviation = x.std(axis=-1, keepdims=True, ddof=1)
    return _learned((x - x.mean(axis=-1, keepdims=True)) / (deviation + eps), gain, shift)


def eps_outside_the_root(x, gain=None, shift=None, eps=1e-5):
    """Add eps to the standard deviation instead of the variance."""
    return _learned((x - x.mean(axis=-1, keepdims=True)) / (x.std(axis=-1, keepdims=True) + eps), gain, shift)


def eps_forgotten(x, gain=None, shift=None, eps=1e-5):
    """Divide by the standard deviation as it is."""
    return _learned((x - x.mean(axis=-1, keepdims=True)) / x.std(axis=-1, keepdims=True), gain, shift)


def root_forgotten(x, gain=None, shift=None, eps=1e-5):
    """Divide by the variance."""
    return _learned((x - x.mean(axis=-1, keepdims=True)) / (x.var(axis=-1, keepdims=True) + eps), gain, shift)


def columns_normalised(x, gain=None, shift=None, eps=1e-5):
    """Normalise each coordinate over the tokens."""
    axis = 0 if x.ndim == 1 else -2
    variance = x.var(axis=axis, keepdims=True)
    return _learned((x - x.mean(axis=axis, keepdims=True)) / np.sqrt(variance + eps), gain, shift)


def all_tokens_together(x, gain=None, shift=None, eps=1e-5):
    """Take one mean and one variance for the whole array."""
    return _learned((x - x.mean()) / np.sqrt(x.var() + eps), gain, shift)


def mean_left_in(x, gain=None, shift=None, eps=1e-5):
    """Divide by the root mean square only."""
    return _learned(rms_norm(x, eps=eps), gain, shift)


def shift_stretched(x, gain=None, shift=None, eps=1e-5):
    """Add the shift before multiplying by the gain."""
    y = layer_norm(x, None, shift, eps)
    return y if gain is None else y * gain


def gain_and_shift_forgotten(x, gain=None, shift=None, eps=1e-5):
    """Stop at mean 0 and variance 1."""
    return layer_norm(x, eps=eps)


def mean_subtracted(x, gain=None, eps=1e-6):
    """Do what layer norm does."""
    return layer_norm(x, gain, eps=eps)


def divided_by_the_length(x, gain=None, eps=1e-6):
    """Divide by the Euclidean length of the row."""
    return _learned(x / np.sqrt((x * x).sum(axis=-1, keepdims=True) + eps), gain)


def mean_square_of_everything(x, gain=None, eps=1e-6):
    """Take one root mean square for the whole array."""
    return _learned(x / np.sqrt((x * x).mean() + eps), gain)


def mean_square_without_its_root(x, gain=None, eps=1e-6):
    """Divide by the mean square."""
    return _learned(x / ((x * x).mean(axis=-1, keepdims=True) + eps), gain)


def rms_eps_forgotten(x, gain=None, eps=1e-6):
    """Divide by the root mean square as it is."""
    return _learned(x / np.sqrt((x * x).mean(axis=-1, keepdims=True)), gain)


def normalised_tokens_kept(x, sublayer, norm):
    """Overwrite the tokens by their norm, and add the result to that."""
    x = norm(x)
    return x + sublayer(x)


def addition_inside(x, sublayer, norm):
    """Hand the sum to the sublayer."""
    return sublayer(norm(x) + x)


def tokens_not_added(x, sublayer, norm):
    """Return what the sublayer gives."""
    return sublayer(norm(x))


def norm_after_the_sublayer(x, sublayer, norm):
    """Normalise what the sublayer gives, before adding it."""
    return x + norm(sublayer(x))


def sublayer_alone_normalised(x, sublayer, norm):
    """Leave the tokens out of the sum."""
    return norm(sublayer(x))


def normalised_before(x, sublayer, norm):
    """Use the other order."""
    return pre_norm(x, sublayer, norm)


def normalised_after(x, sublayer, norm):
    """Use the other order."""
    return post_norm(x, sublayer, norm)


def activation_forgotten(x, w_1, b_1, w_2, b_2, activation=relu):
    """Apply one linear map after the other."""
    return (x @ w_1 + b_1) @ w_2 + b_2


def activation_at_the_end_too(x, w_1, b_1, w_2, b_2, activation=relu):
    """Bend the result as well."""
    return activation(feed_forward(x, w_1, b_1, w_2, b_2, activation))


def always_relu(x, w_1, b_1, w_2, b_2, activation=relu):
    """Ignore the activation asked for."""
    return feed_forward(x, w_1, b_1, w_2, b_2, relu)


def activation_before_the_bias(x, w_1, b_1, w_2, b_2, activation=relu):
    """Add the first bias after bending."""
    return (activation(x @ w_1) + b_1) @ w_2 + b_2


def padding_averaged_in(x, mask=None):
    """Average all tokens, those of the padding too."""
    return x.mean(axis=-2)


def divided_by_all(x, mask=None):
    """Leave padding out of the sum, but not out of the count."""
    return (x if mask is None else np.where(mask[..., None], x, 0)).mean(axis=-2)


def first_token_only(x, mask=None):
    """Take the vector of [CLS] for the sentence."""
    return x[..., 0, :]


OLD = (
    Checks(
        layer_norm,
        probes=((_x,), (_x, _gain, _shift), (_cube,), (_low,), (_flat,), (_far[:, :4],)),
        claims=(
            Claim(
                "rows have mean 0 and variance 1",
                lambda f: max(
                    distance(f(_cube, None, None, 1e-13).mean(-1), np.zeros((2, 5))),
                    distance(f(_cube, None, None, 1e-13).var(-1), np.ones((2, 5))),
                ),
                1e-12,
                _LAST_BITS,
            ),
            Claim("each row by itself", _by_itself, 1e-12, _LAST_BITS),
            Claim(
                "adding a number to a row, or doubling it, changes nothing",
                lambda f: max(
                    distance(f(_x + 64.0, None, None, 1e-13), f(_x, None, None, 1e-13)),
                    distance(f(_x * 2.0, None, None, 1e-13), f(_x, None, None, 1e-13)),
                ),
                1e-12,
                "x + 64 is rounded to 1e-14",
            ),
            Claim(
                "equal numbers become zeros, then the shift",
                lambda f: max(
                    distance(f(_flat), np.zeros((3, 7))), distance(f(_flat, _gain, _shift), np.tile(_shift, (3, 1)))
                ),
                1e-12,
                _LAST_BITS,
            ),
            Claim("the input is left as it was", _leaves_input),
            Claim(
                "float32 numbers near 10,000, against float64: to two digits",
                _in_double,
                1e-2,
                "the mean of such numbers is rounded to 0.001",
            ),
            Claim(
                "float32 numbers near 10,000, against float64: to five digits",
                _in_double,
                1e-5,
                "roundings of single precision, 1e-7 each",
                edge=True,
            ),
            Claim(
                "float16 numbers whose squares it cannot hold",
                lambda f: _half(f, [[3**-0.5, -(3**0.5), 3**-0.5, 3**-0.5]]),
                2e-3,
                "half precision has three digits",
                edge=True,
            ),
            Claim(
                "loops with math.fsum",
                lambda f: distance(f(_x, _gain, _shift), _summed(_x, _gain, _shift)),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
            Claim(
                "torch.nn.functional.layer_norm",
                lambda f: max(
                    distance(f(_cube), _torch("layer_norm", _cube)),
                    distance(f(_low, _gain, _shift), _torch("layer_norm", _low, _gain, _shift)),
                ),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                variance_from_squares,
                "Float32 numbers near 10,000 give nan, or results a thousand times too large",
                "subtract the mean before squaring: the difference of two large squares has no digits left",
                "ONNX Runtime, issue 28463 (2026)",
            ),
            Mistake(
                deviation_of_a_sample,
                "The variance of a row is (n - 1)/n, and less where rows are nearly flat",
                "divide the squares by n, and add eps to the variance under the root",
                "BERT-pytorch, issue 30 (2018), after the Annotated Transformer",
            ),
            Mistake(
                variance_of_a_sample,
                "The variance of a row is (n - 1)/n instead of 1",
                "divide the squares by n; torch's var divides by n - 1 unless told otherwise",
            ),
            Mistake(
                eps_outside_the_root,
                "Rows that are nearly flat come out too large",
                "add eps to the variance, under the root",
            ),
            Mistake(eps_forgotten, "A row of equal numbers gives nan", "add eps to the variance, under the root"),
            Mistake(root_forgotten, "Doubling a row halves the result", "divide by the root of the variance"),
            Mistake(
                columns_normalised,
                "A token's result depends on the other tokens: it is normalised over the wrong axis",
                "take mean and variance over the last axis",
            ),
            Mistake(
                all_tokens_together,
                "A token's result depends on the other tokens: all share one mean and one variance",
                "take mean and variance over the last axis, with keepdims=True",
            ),
            Mistake(mean_left_in, "Rows have a mean: this is RMS norm", "subtract the mean first"),
            Mistake(
                gain_and_shift_forgotten, "Gain and shift have no effect", "multiply by the gain, then add the shift"
            ),
            Mistake(shift_stretched, "The shift is multiplied by the gain", "multiply first, then add"),
        ),
    ),
    Checks(
        rms_norm,
        probes=((_x,), (_x, _gain), (_cube,), (_low,), (_flat,)),
        claims=(
            Claim(
                "rows have a mean square of 1",
                lambda f: distance((f(_cube, None, 1e-13) ** 2).mean(-1), np.ones((2, 5))),
                1e-12,
                _LAST_BITS,
            ),
            Claim("each row by itself", _by_itself, 1e-12, _LAST_BITS),
            Claim(
                "rows keep their direction",
                lambda f: distance(f(_x) * _x[:, :1], _x * f(_x)[:, :1]),
                1e-12,
                _LAST_BITS,
            ),
            Claim("a row of zeros stays zeros", lambda f: distance(f(np.zeros((2, 3))), np.zeros((2, 3)))),
            Claim("the input is left as it was", _leaves_input),
            Claim(
                "float16 numbers whose squares it cannot hold",
                lambda f: _half(f, [[3**-0.5, -(3**0.5), 3**-0.5, 3**-0.5]]),
                2e-3,
                "half precision has three digits",
                edge=True,
            ),
            Claim(
                "torch.nn.functional.rms_norm",
                lambda f: max(
                    distance(f(_cube), _torch("rms_norm", _cube, eps=1e-6)),
                    distance(f(_low, _gain), _torch("rms_norm", _low, _gain, eps=1e-6)),
                ),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(mean_subtracted, "Rows lose their mean: this is layer norm", "leave the mean in"),
            Mistake(
                divided_by_the_length,
                "Rows have length 1, so their coordinates shrink as the width grows",
                "divide by the root of the mean of the squares, not of their sum",
            ),
            Mistake(
                mean_square_of_everything,
                "A token's result depends on the other tokens",
                "take the mean square over the last axis, with keepdims=True",
            ),
            Mistake(mean_square_without_its_root, "Doubling a row halves the result", "divide by the root"),
            Mistake(rms_eps_forgotten, "A row of zeros gives nan", "add eps under the root"),
        ),
    ),
    Checks(
        pre_norm,
        probes=((_tokens, _think, _norm), (_tokens, _attend, _norm)),
        claims=(
            Claim(
                "a sublayer that gives zeros leaves the tokens as they are",
                lambda f: distance(f(_tokens, np.zeros_like, _norm), _tokens),
            ),
            Claim(
                "what the sublayer gets is normalised",
                lambda f: distance(f(_tokens, np.copy, layer_norm) - _tokens, layer_norm(_tokens)),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "torch.nn.TransformerEncoderLayer(norm_first=True), causal, in two applications",
                lambda f: distance(_block(f), _torch_block(norm_first=True)),
                1e-12,
                "sums of at most 11 products in float64",
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                normalised_tokens_kept,
                "What came in is lost: the sum is with the normalised tokens",
                "give the norm a name of its own, and add to the tokens as they came",
                "PyTorch, issue 61165 (2021)",
            ),
            Mistake(
                addition_inside,
                "There is no path around the sublayer",
                "add outside: x + sublayer(norm(x))",
                "a textbook's formula, pml-book, issue 709 (2026)",
            ),
            Mistake(tokens_not_added, "The tokens are gone", "add them: x + sublayer(norm(x))"),
            Mistake(normalised_after, "The sum is normalised: this is post-norm", "normalise the input only"),
        ),
    ),
    Checks(
        post_norm,
        probes=((_tokens, _think, _norm), (_tokens, _attend, _norm)),
        claims=(
            Claim(
                "rows come out normalised",
                lambda f: distance(f(_tokens, _think, lambda x: layer_norm(x, eps=1e-13)).var(-1), np.ones(5)),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "a sublayer that gives zeros leaves the norm of the tokens",
                lambda f: distance(f(_tokens, np.zeros_like, _norm), _norm(_tokens)),
            ),
            Claim(
                "torch.nn.TransformerEncoderLayer, causal, in two applications",
                lambda f: distance(_block(f), _torch_block(norm_first=False)),
                1e-12,
                "sums of at most 11 products in float64",
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(norm_after_the_sublayer, "The sum is not normalised", "add first: norm(x + sublayer(x))"),
            Mistake(sublayer_alone_normalised, "The tokens are gone", "add them: norm(x + sublayer(x))"),
            Mistake(normalised_before, "The tokens are added as they came: this is pre-norm", "norm(x + sublayer(x))"),
        ),
    ),
    Checks(
        feed_forward,
        probes=((_tokens, *_hidden), (_tokens, *_hidden, gelu)),
        claims=(
            Claim(
                "each token by itself, in any order",
                lambda f: distance(f(_tokens[::-1], *_hidden), f(_tokens, *_hidden)[::-1]),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "with a hidden layer that never fires, the last bias",
                lambda f: distance(f(_tokens, _w_1 * 0, _b_1 * 0 - 1, _w_2, _b[4]), np.tile(_b[4], (5, 1))),
            ),
            Claim(
                "torch's linear, relu, linear",
                lambda f: distance(f(_tokens, *_hidden), _torch_hidden(_tokens, "relu")),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
            Claim(
                "torch's linear, gelu, linear",
                lambda f: distance(f(_tokens, *_hidden, gelu), _torch_hidden(_tokens, "gelu")),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                activation_forgotten, "Two linear maps are one", "bend the hidden layer: activation(x @ w_1 + b_1)"
            ),
            Mistake(activation_at_the_end_too, "No result is negative", "bend the hidden layer only"),
            Mistake(always_relu, "The activation asked for has no effect", "call activation"),
            Mistake(
                activation_before_the_bias,
                "The bias cannot move the bend",
                "add it first: activation(x @ w_1 + b_1)",
            ),
        ),
    ),
    Checks(
        mean_pool,
        probes=((_cube,), (_cube, _kept)),
        claims=(
            Claim(
                "tokens that are all alike come back",
                lambda f: distance(f(np.ones((2, 5, 7)), _kept), np.ones((2, 7))),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "padding cannot matter, not even as nan",
                lambda f: distance(f(np.where(_kept[..., None], _cube, np.nan), _kept), f(_cube, _kept)),
                edge=True,
            ),
            Claim(
                "nothing but padding gives zeros",
                lambda f: distance(f(_cube, np.zeros((2, 5), bool)), np.zeros((2, 7))),
                edge=True,
            ),
            Claim(
                "numpy.ma's mean",
                lambda f: distance(
                    f(_cube, _kept),
                    np.ma.array(_cube, mask=~np.broadcast_to(_kept[..., None], _cube.shape)).mean(axis=1).filled(),
                ),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(padding_averaged_in, "A sentence's vector depends on how far it is padded", "leave padding out"),
            Mistake(divided_by_all, "Padded sentences have short vectors", "divide by the number of tokens that count"),
            Mistake(
                first_token_only,
                "The result is the first token",
                "average: this model was trained with means, others with [CLS]",
            ),
        ),
    ),
)
