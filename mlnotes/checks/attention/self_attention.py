"""What attention must satisfy, and how it is usually got wrong."""

import math

import numpy as np

from mlnotes.attention.causal_mask import causal_mask
from mlnotes.attention.self_attention import attention, attention_weights, self_attention
from mlnotes.blocks.softmax import softmax
from mlnotes.checks import Checks, Claim, Mistake, distance, frozen

_rng = np.random.default_rng(11)
_q, _k, _v, _bias, _x, _w_q, _w_k, _w_v = frozen(
    _rng.normal(size=(2, 5, 3)) * 2,
    _rng.normal(size=(2, 7, 3)) * 2,
    _rng.normal(size=(2, 7, 11)),
    _rng.normal(size=(5, 7)),
    _rng.normal(size=(7, 5)),
    _rng.normal(size=(5, 3)),
    _rng.normal(size=(5, 3)),
    _rng.normal(size=(5, 2)),
)
# Query 3 sees nothing, the others every key but one.
_some = (np.arange(5)[:, None] != np.arange(7)) & (np.arange(5)[:, None] != 3)
_mask, _partial, _square = frozen(causal_mask(5, 7, offset=2), _some, causal_mask(5, 5))
_LAST_BITS = "sums of at most 11 products in float64: a few units of 1e-16"


def _torch_attention(q, k, v, mask=None, bias=None, scale=None):
    import torch

    if mask is not None:
        mask = torch.tensor(mask)
    if bias is not None:
        mask = torch.tensor(bias) if mask is None else torch.tensor(bias).masked_fill(~mask, -math.inf)
    attend = torch.nn.functional.scaled_dot_product_attention
    return attend(*map(torch.tensor, (q, k, v)), attn_mask=mask, scale=scale).numpy()


def _torch_weights(q, k, mask=None):
    """Read torch's weights off its answer: values that are rows of the identity come back as weights."""
    identity = np.broadcast_to(np.eye(k.shape[-2]), (*k.shape[:-1], k.shape[-2])).copy()
    return _torch_attention(q, k, identity, mask)


def _looped(q, k, v):
    out = np.zeros((*q.shape[:-1], v.shape[-1]))
    for i in range(q.shape[0]):
        for row in range(q.shape[1]):
            e = [math.exp(math.fsum(q[i, row] * key) / math.sqrt(q.shape[-1])) for key in k[i]]
            for weight, value in zip(e, v[i], strict=True):
                out[i, row] += weight / math.fsum(e) * value
    return out


def _doubled(f):
    bias = np.zeros((5, 7))
    bias[:, 2] = np.log(2)
    plain, biased = f(_q, _k), f(_q, _k, None, bias)
    return distance(biased[..., 2] / biased[..., 1], 2 * plain[..., 2] / plain[..., 1])


def _scores(q, k):
    return q @ np.swapaxes(k, -1, -2)


def _weights(scores, mask=None, bias=None):
    if bias is not None:
        scores = scores + bias
    return softmax(scores if mask is None else np.where(mask, scores, -np.inf))


def scale_forgotten(q, k, mask=None, bias=None, scale=None):
    """Leave the dot products as large as they are."""
    return _weights(_scores(q, k), mask, bias)


def divided_by_the_width(q, k, mask=None, bias=None, scale=None):
    """Divide by the width instead of its square root."""
    return _weights(_scores(q, k) / q.shape[-1], mask, bias)


def divided_by_the_root_of_the_length(q, k, mask=None, bias=None, scale=None):
    """Take the number of keys for the width."""
    return _weights(_scores(q, k) / math.sqrt(k.shape[-2]), mask, bias)


def multiplied_by_the_root(q, k, mask=None, bias=None, scale=None):
    """Multiply by the root of the width."""
    return _weights(_scores(q, k) * math.sqrt(q.shape[-1]), mask, bias)


def softmax_over_queries(q, k, mask=None, bias=None, scale=None):
    """Normalise the columns."""
    scores = _scores(q, k) / math.sqrt(q.shape[-1])
    return softmax(scores if mask is None else np.where(mask, scores, -np.inf), axis=-2)


def mask_inverted(q, k, mask=None, bias=None, scale=None):
    """Hide what may be seen."""
    return attention_weights(q, k, None if mask is None else ~mask, bias, scale)


def mask_after_softmax(q, k, mask=None, bias=None, scale=None):
    """Set weights to zero after they were shared out."""
    weights = attention_weights(q, k, None, bias, scale)
    return weights if mask is None else np.where(mask, weights, 0)


def zero_as_minus_infinity(q, k, mask=None, bias=None, scale=None):
    """Set the scores of hidden keys to zero."""
    scores = _scores(q, k) / math.sqrt(q.shape[-1])
    return softmax(scores if mask is None else np.where(mask, scores, 0.0))


def large_number_as_minus_infinity(q, k, mask=None, bias=None, scale=None):
    """Set the scores of hidden keys to -1e9."""
    scores = _scores(q, k) / math.sqrt(q.shape[-1])
    return softmax(scores if mask is None else np.where(mask, scores, -1e9))


def bias_scaled(q, k, mask=None, bias=None, scale=None):
    """Divide the bias along with the dot products."""
    scores = (_scores(q, k) + (0 if bias is None else bias)) / math.sqrt(q.shape[-1])
    return _weights(scores, mask)


def weights_returned(q, k, v, mask=None, bias=None, scale=None):
    """Stop before averaging the values."""
    return attention_weights(q, k, mask, bias, scale)


def keys_averaged(q, k, v, mask=None, bias=None, scale=None):
    """Average the keys instead of the values."""
    return attention_weights(q, k, mask, bias, scale) @ k


def scale_forgotten_in_attention(q, k, v, mask=None, bias=None, scale=None):
    """Leave the dot products as large as they are."""
    return scale_forgotten(q, k, mask, bias) @ v


def mask_after_softmax_in_attention(q, k, v, mask=None, bias=None, scale=None):
    """Set weights to zero after they were shared out."""
    return mask_after_softmax(q, k, mask, bias, scale) @ v


def queries_as_keys(x, w_q, w_k, w_v, mask=None):
    """Use one projection for both roles."""
    return attention(x @ w_q, x @ w_q, x @ w_v, mask)


def values_not_projected(x, w_q, w_k, w_v, mask=None):
    """Average the tokens themselves."""
    return attention(x @ w_q, x @ w_k, x, mask)


def width_of_the_tokens(x, w_q, w_k, w_v, mask=None):
    """Scale by the width of the tokens instead of the width of the queries."""
    return attention(x @ w_q, x @ w_k, x @ w_v, mask, scale=x.shape[-1] ** -0.5)


CHECKS = (
    Checks(
        attention_weights,
        probes=((_q, _k), (_q, _k, _mask), (_q, _k, _partial), (_q, _k, None, _bias), (_q, _q), (_q, _q, _square)),
        claims=(
            Claim(
                "weights are not negative, and each row sums to one",
                lambda f: distance(f(_q, _k).sum(-1), np.ones((2, 5))) + float(max(0, -np.min(f(_q, _k)))),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "keys in another order give the weights in that order",
                lambda f: distance(f(_q, _k[:, ::-1]), f(_q, _k)[..., ::-1]),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "hidden keys get exactly nothing, also a query that sees none",
                lambda f: float(np.abs(f(_q, _k, _partial)[:, ~_partial]).max()),
            ),
            Claim(
                "a masked row still sums to one",
                lambda f: distance(f(_q, _k, _mask).sum(-1), np.ones((2, 5))),
                1e-12,
                _LAST_BITS,
            ),
            Claim("a bias of log 2 doubles a weight before the sharing", _doubled, 1e-12, _LAST_BITS),
            Claim(
                "torch.nn.functional.scaled_dot_product_attention of the identity",
                lambda f: distance(f(_q, _k), _torch_weights(_q, _k)),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
            Claim(
                "scaled_dot_product_attention of the identity, with a mask",
                lambda f: distance(f(_q, _k, _mask), _torch_weights(_q, _k, _mask)),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                scale_forgotten,
                "Rows are much sharper than they should be, the more so the wider the queries",
                "divide the scores by sqrt(d)",
            ),
            Mistake(divided_by_the_width, "Rows are flatter than they should be", "divide by sqrt(d), not by d"),
            Mistake(
                divided_by_the_root_of_the_length,
                "The sharpness depends on the number of keys",
                "divide by the root of q.shape[-1], the width",
            ),
            Mistake(
                multiplied_by_the_root,
                "Rows are sharper than without any scale",
                "divide by sqrt(d)",
                "perceiver-io, issue 9 (2021)",
            ),
            Mistake(
                softmax_over_queries,
                "Columns sum to one instead of rows",
                "softmax over the last axis, the keys",
                "labml's DDPM, issue 146 (2022), where training worked all the same",
            ),
            Mistake(
                mask_inverted,
                "Each query sees what it should not, and nothing else",
                "True means may look; some libraries mean the opposite",
            ),
            Mistake(mask_after_softmax, "Rows with hidden keys sum to less than one", "hide scores before the softmax"),
            Mistake(zero_as_minus_infinity, "Hidden keys still get weight: exp(0) is 1", "put -inf, not 0"),
            Mistake(
                large_number_as_minus_infinity,
                "A query that sees no key averages all of them",
                "put -inf and let such a row be zeros; -1e9 is also more than float16 can hold",
                "fairseq, issue 3575 (2021)",
            ),
            Mistake(bias_scaled, "The bias acts sqrt(d) times too weakly", "add the bias after scaling"),
        ),
    ),
    Checks(
        attention,
        probes=((_q, _k, _v), (_q, _k, _v, _mask), (_q, _k, _v, _partial), (_q, _k, _v, None, _bias)),
        claims=(
            Claim(
                "values that are all alike come back",
                lambda f: distance(f(_q, _k, np.ones((2, 7, 3))), np.ones((2, 5, 3))),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "every result lies between the smallest and the largest value",
                lambda f: float(
                    max(
                        0,
                        np.max(f(_q, _k, _v) - _v.max(1, keepdims=True)),
                        np.max(_v.min(1, keepdims=True) - f(_q, _k, _v)),
                    )
                ),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "queries in another order give the results in that order",
                lambda f: distance(f(_q[:, ::-1], _k, _v), f(_q, _k, _v)[:, ::-1]),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "key/value pairs in another order change nothing",
                lambda f: distance(f(_q, _k[:, ::-1], _v[:, ::-1]), f(_q, _k, _v)),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "a query that sees no key gets zeros",
                lambda f: distance(f(_q, _k, _v, _partial)[:, 3], np.zeros((2, 11))),
            ),
            Claim(
                "four loops with math.exp and math.fsum",
                lambda f: distance(f(_q, _k, _v), _looped(_q, _k, _v)),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
            Claim(
                "torch.nn.functional.scaled_dot_product_attention",
                lambda f: distance(f(_q, _k, _v), _torch_attention(_q, _k, _v)),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
            Claim(
                "scaled_dot_product_attention with a mask, a bias and a scale",
                lambda f: distance(f(_q, _k, _v, _mask, _bias, 0.3), _torch_attention(_q, _k, _v, _mask, _bias, 0.3)),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(weights_returned, "The result is as wide as there are keys", "multiply the weights by the values"),
            Mistake(keys_averaged, "The result is as wide as the keys", "average the values, not the keys"),
            Mistake(
                scale_forgotten_in_attention,
                "Results jump between values instead of mixing them",
                "divide the scores by sqrt(d)",
            ),
            Mistake(
                mask_after_softmax_in_attention,
                "Results of masked queries shrink towards zero",
                "hide scores before the softmax",
            ),
        ),
    ),
    Checks(
        self_attention,
        probes=((_x, _w_q, _w_k, _w_v), (_x, _w_q, _w_k, _w_v, causal_mask(7, 7))),
        claims=(
            Claim(
                "tokens in another order give the results in that order",
                lambda f: distance(f(_x[::-1], _w_q, _w_k, _w_v), f(_x, _w_q, _w_k, _w_v)[::-1]),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "the first token of a causal sequence sees only itself",
                lambda f: distance(f(_x, _w_q, _w_k, _w_v, causal_mask(7, 7))[0], _x[0] @ _w_v),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "torch's attention of the projected tokens",
                lambda f: distance(f(_x, _w_q, _w_k, _w_v), _torch_attention(_x @ _w_q, _x @ _w_k, _x @ _w_v)),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                queries_as_keys,
                "Scores are symmetric: a token looks at another as much as that one looks back",
                "project keys with w_k",
            ),
            Mistake(values_not_projected, "The result is as wide as the tokens", "project values with w_v"),
            Mistake(
                width_of_the_tokens,
                "Rows are flatter than they should be",
                "scale by the width of the queries, not of the tokens",
                "vit-pytorch, issue 65 (2021)",
            ),
        ),
    ),
)
