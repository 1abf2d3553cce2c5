"""What grouped-query attention must satisfy, and how it is usually got wrong."""

import math

import numpy as np

from mlnotes.attention.causal_mask import causal_mask
from mlnotes.attention.self_attention import attention
from mlnotes.checks.oldbank import Checks, Claim, Mistake, distance, frozen
from mlnotes.efficient.grouped_query import grouped_query_attention, multi_query_attention, pool_heads

_rng = np.random.default_rng(17)
_q, _k, _v, _bias, _w, _x = frozen(
    _rng.normal(size=(2, 6, 5, 3)) * 2,
    _rng.normal(size=(2, 2, 7, 3)) * 2,
    _rng.normal(size=(2, 2, 7, 11)),
    _rng.normal(size=(2, 6, 5, 7)),
    _rng.normal(size=(5, 18)),
    _rng.normal(size=(7, 5)),
)
_square, _square_k, _square_v = frozen(*(_rng.normal(size=(6, *shape)) for shape in ((6, 5, 3), (7, 3), (7, 11))))
(_mask,) = frozen(causal_mask(5, 7, offset=2))
_LAST_BITS = "sums of at most 11 products in float64: a few units of 1e-16"


def _torch_attention(q, k, v, mask=None, bias=None, scale=None):
    import torch

    if mask is not None:
        mask = torch.tensor(mask)
    if bias is not None:
        mask = torch.tensor(bias) if mask is None else torch.tensor(bias).masked_fill(~mask, -math.inf)
    attend = torch.nn.functional.scaled_dot_product_attention
    return attend(*map(torch.tensor, (q, k, v)), attn_mask=mask, scale=scale, enable_gqa=True).numpy()


def _repeated(x, r=3):
    return np.repeat(x, r, axis=-3)


def _one_group_changed(f):
    """Other keys in group 1 must leave the first three heads alone, and change the others."""
    k = _k.copy()
    k[:, 1] *= -1
    change = np.abs(f(_q, *frozen(k), _v) - f(_q, _k, _v)).max(axis=(0, 2, 3))
    if not (change[3:] > 1e-3).all():
        raise AssertionError("heads of the last group do not notice other keys in their group")
    return float(change[:3].max())


def _torch_pool(w, r):
    import torch

    return torch.nn.functional.avg_pool1d(torch.tensor(w.reshape(5, 6, 3).swapaxes(1, 2)), r).mT.reshape(5, -1).numpy()


def tiled(q, k, v, mask=None, bias=None, scale=None):
    """Put all key/value heads one after the other, again and again."""
    r = q.shape[-3] // k.shape[-3]
    return attention(q, np.concatenate([k] * r, -3), np.concatenate([v] * r, -3), mask, bias, scale)


def first_group_only(q, k, v, mask=None, bias=None, scale=None):
    """Let all heads use the first keys and values."""
    return attention(q, k[..., :1, :, :], v[..., :1, :, :], mask, bias, scale)


def queries_averaged(q, k, v, mask=None, bias=None, scale=None):
    """Average the queries of a group, so that there are as many as keys."""
    q = q.reshape(*q.shape[:-3], k.shape[-3], -1, *q.shape[-2:]).mean(-3)
    return attention(q, k, v, mask, None, scale)


def results_in_another_order(q, k, v, mask=None, bias=None, scale=None):
    """Take the stacks apart along the wrong axis."""
    g, r = k.shape[-3], q.shape[-3] // k.shape[-3]
    out = attention(q, np.repeat(k, r, -3), np.repeat(v, r, -3), mask, bias, scale)
    return out.reshape(*out.shape[:-3], g, r, *out.shape[-2:]).swapaxes(-3, -4).reshape(out.shape)


def rows_of_the_mask_repeated(q, k, v, mask=None, bias=None, scale=None):
    """Stack the queries head by head, but the rows of the mask query by query."""
    g, r, l = k.shape[-3], q.shape[-3] // k.shape[-3], q.shape[-2]  # noqa: E741
    stack = q.reshape(*q.shape[:-3], g, r * l, q.shape[-1])
    mask = None if mask is None else np.repeat(mask, r, -2)
    bias = None if bias is None else bias.reshape(*bias.shape[:-3], g, r * l, -1)
    return attention(stack, k, v, mask, bias, scale).reshape(*q.shape[:-1], v.shape[-1])


def width_of_all_heads(q, k, v, mask=None, bias=None, scale=None):
    """Scale by the width of all query heads together."""
    return grouped_query_attention(q, k, v, mask, bias, (q.shape[-3] * q.shape[-1]) ** -0.5)


def axis_of_the_heads_forgotten(q, k, v, mask=None, bias=None, scale=None):
    """Leave it to broadcasting to line up keys (..., s, d) with queries (..., h, l, d)."""
    return attention(q, k, v, mask, bias, scale)


def heads_averaged(q, k, v, mask=None, bias=None, scale=None):
    """Make one query of the queries of all heads."""
    return attention(q.mean(-3), k, v, mask, None, scale)


def heads_as_queries_under_one_mask(q, k, v, mask=None, bias=None, scale=None):
    """Stack the queries head by head, but the rows of the mask query by query."""
    stack = q.reshape(*q.shape[:-3], -1, q.shape[-1])
    mask = None if mask is None else np.repeat(mask, q.shape[-3], -2)
    return attention(stack, k, v, mask, None, scale).reshape(*q.shape[:-1], v.shape[-1])


def summed(w, n_heads, n_groups):
    """Add the heads of a group."""
    return pool_heads(w, n_heads, n_groups) * (n_heads // n_groups)


def first_head_of_each_group(w, n_heads, n_groups):
    """Keep one head and drop the others."""
    heads = w.reshape(*w.shape[:-1], n_groups, n_heads // n_groups, -1)
    return heads[..., 0, :].reshape(*w.shape[:-1], -1)


def distant_heads(w, n_heads, n_groups):
    """Average heads i, i + g, i + 2g, …"""
    heads = w.reshape(*w.shape[:-1], n_heads // n_groups, n_groups, -1)
    return heads.mean(-3).reshape(*w.shape[:-1], -1)


def neighbouring_columns(w, n_heads, n_groups):
    """Average neighbouring columns of one head."""
    return w.reshape(*w.shape[:-1], -1, n_heads // n_groups).mean(-1)


def rows_averaged(w, n_heads, n_groups):
    """Take the layout of torch.nn.Linear, which holds the transpose."""
    r = n_heads // n_groups
    return w[: w.shape[0] // r * r].reshape(-1, r, w.shape[-1]).mean(1)


_GROUPED = (
    Mistake(
        tiled,
        "Head i uses the keys of group i mod g; results look plausible, and a trained model talks nonsense",
        "neighbouring heads share: np.repeat, not np.tile; torch.repeat_interleave, not Tensor.repeat",
        "ONNX, pull request 7274 (2025); axlearn, pull request 842 (2024)",
    ),
    Mistake(first_group_only, "All heads use the first keys and values", "divide the heads among the groups"),
    Mistake(
        queries_averaged,
        "There are as many results as key/value heads",
        "every query head keeps its own queries: stack them, do not average",
    ),
    Mistake(
        results_in_another_order,
        "The numbers are right, but belong to other heads",
        'take the stacks apart as they were made: "g (r l) e -> (g r) l e"',
    ),
    Mistake(
        rows_of_the_mask_repeated,
        "Without a mask all is well; with one, queries get the rows of others",
        "stack the mask as the queries are stacked, or mask after taking the stacks apart",
    ),
    Mistake(width_of_all_heads, "Rows are flatter than they should be", "scale by the width of one head"),
)

OLD = (
    Checks(
        grouped_query_attention,
        probes=((_q, _k, _v), (_q, _k, _v, _mask), (_q, _k, _v, None, _bias), (_q, _repeated(_k), _repeated(_v))),
        claims=(
            Claim(
                "attention with every key/value head repeated for its group",
                lambda f: distance(f(_q, _k, _v, _mask), attention(_q, _repeated(_k), _repeated(_v), _mask)),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "with as many groups as heads it is attention",
                lambda f: distance(
                    f(_q, _repeated(_k), _repeated(_v), None, _bias),
                    attention(_q, _repeated(_k), _repeated(_v), None, _bias),
                ),
                1e-12,
                _LAST_BITS,
            ),
            Claim("other keys in one group change the results of its heads, and of no others", _one_group_changed),
            Claim(
                "values that are all alike come back",
                lambda f: distance(f(_q, _k, np.ones((2, 2, 7, 11))), np.ones((2, 6, 5, 11))),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "scaled_dot_product_attention(enable_gqa=True)",
                lambda f: distance(f(_q, _k, _v), _torch_attention(_q, _k, _v)),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
            Claim(
                "scaled_dot_product_attention(enable_gqa=True) with a mask, a bias and a scale",
                lambda f: distance(f(_q, _k, _v, _mask, _bias, 0.3), _torch_attention(_q, _k, _v, _mask, _bias, 0.3)),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=_GROUPED,
    ),
    Checks(
        multi_query_attention,
        probes=(
            (_q, _k[:, 0], _v[:, 0]),
            (_q, _k[:, 0], _v[:, 0], _mask),
            (_square, _square_k, _square_v),
        ),
        claims=(
            Claim(
                "attention with the keys and values repeated for each head",
                lambda f: distance(
                    f(_q, _k[:, 0], _v[:, 0], _mask),
                    attention(_q, _repeated(_k[:, :1], 6), _repeated(_v[:, :1], 6), _mask),
                ),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "also where there are as many sequences as heads",
                lambda f: distance(
                    f(_square, _square_k, _square_v), attention(_square, _square_k[:, None], _square_v[:, None])
                ),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "scaled_dot_product_attention(enable_gqa=True) of one key/value head",
                lambda f: distance(f(_q, _k[:, 0], _v[:, 0]), _torch_attention(_q, _k[:, :1], _v[:, :1])),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                axis_of_the_heads_forgotten,
                "It raises an error, or, with as many sequences as heads, gives head i the keys of sequence i",
                "give keys and values an axis for their one head: k[..., None, :, :]",
            ),
            Mistake(heads_averaged, "There is one result for all heads", "every head keeps its own queries"),
            Mistake(
                heads_as_queries_under_one_mask,
                "Without a mask all is well; with one, queries get the rows of others",
                "stack the mask as the queries are stacked",
            ),
        ),
    ),
    Checks(
        pool_heads,
        probes=((_w, 6, 2), (_w, 6, 3), (_w, 6, 1), (_w, 6, 6)),
        claims=(
            Claim(
                "the keys of the pooled head are the mean of the keys of its heads",
                lambda f: distance(_x @ f(_w, 6, 2), (_x @ _w).reshape(7, 2, 3, 3).mean(2).reshape(7, 6)),
                1e-12,
                _LAST_BITS,
            ),
            Claim("as many groups as heads change nothing", lambda f: distance(f(_w, 6, 6), _w), 1e-12, _LAST_BITS),
            Claim(
                "torch.nn.functional.avg_pool1d over the heads",
                lambda f: max(distance(f(_w, 6, 6 // r), _torch_pool(_w, r)) for r in (1, 2, 3, 6)),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(summed, "Keys are too large, and softmax too sharp", "take the mean"),
            Mistake(
                first_head_of_each_group,
                "All heads but the first of each group are lost",
                "take the mean; keeping one head costs more (Ainslie et al., 2023, figure 4)",
            ),
            Mistake(distant_heads, "Heads are averaged that do not share queries", "average neighbouring heads"),
            Mistake(
                neighbouring_columns,
                "The width of each head shrinks instead of the number of heads",
                "average column j of one head with column j of the others",
            ),
            Mistake(
                rows_averaged,
                "The projection fits the tokens no more",
                "average columns; torch.nn.Linear holds the transpose",
            ),
        ),
    ),
)
