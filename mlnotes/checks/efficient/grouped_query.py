"""What grouped-query attention must satisfy, and how it is usually got wrong."""

import math

import numpy as np

from mlnotes.attention.causal_mask import causal_mask
from mlnotes.attention.self_attention import attention
from mlnotes.checks.bank import Checks, Claim, Mistake, call, distance, frozen, oracle
from mlnotes.efficient.grouped_query import grouped_query_attention, multi_query_attention, pool_heads

_rng = np.random.default_rng(17)
# Two sequences: 5 queries of each of 6 heads ask 7 tokens of 2 heads. Then as many sequences as heads.
_q, _k, _v, _bias, _w, _x, _square, _square_k, _square_v = frozen(*(_rng.normal(size=it) * 2
    for it in ((2, 6, 5, 3), (2, 2, 7, 3))), *(_rng.normal(size=it) for it in ((2, 2, 7, 11), (2, 6, 5, 7), (5, 18),
    (7, 5))), *(_rng.normal(size=it) for it in ((6, 6, 5, 3), (6, 7, 3), (6, 7, 11))))
_mask, _per_head = frozen(causal_mask(5, 7, offset=2), np.arange(7) <= _rng.integers(1, 7, size=(2, 6, 5, 1)))
_blind = np.array(_mask & (np.arange(5)[:, None] != 3))
# Small enough to be read in a report: 4 heads and 2.
_q4, _k2, _v2, _columns = frozen(*(np.array(it, float) for it in ([[[1], [2]], [[2], [0]], [[0], [-1]], [[-1], [3]]],
    [[[1], [0], [2]], [[-1], [1], [3]]], [[[1], [5], [0]], [[2], [-3], [9]]], [[1, 2, 3, 4], [5, 6, 7, 0], [1, 0, 2, 0],
    [9, 1, 3, 1]])))
_two = np.array([[True, True, False], [True, False, True]])
_own = {"mask": np.stack([_two, _two[::-1], ~_two, _two]), "bias": np.arange(4.0)[:, None, None] * np.arange(3) * _two}
_LAST_BITS = {"tolerance": 1e-12, "why": "sums of at most 11 products in float64: a few units of 1e-16"}


def length_of_mean(r):
    """Say how long the mean of r vectors of length 1 is that are orthogonal to each other."""
    return 1 / math.sqrt(r)


def heads_to_share(adds_per_read, n_queries=1):
    """Say how many query heads must share a key before a processor stops waiting for numbers to be read.

    It does ``adds_per_read`` multiply-adds in the time of reading one number.
    """
    return math.ceil(adds_per_read / n_queries)


def _torch(q, k, v, mask=None, bias=None, scale=None):
    import torch

    if mask is not None:
        mask = torch.tensor(mask)
    if bias is not None:
        mask = torch.tensor(bias) if mask is None else torch.tensor(bias).masked_fill(~mask, -math.inf)
    attend = torch.nn.functional.scaled_dot_product_attention
    return attend(*map(torch.tensor, (q, k, v)), attn_mask=mask, scale=scale, enable_gqa=True).numpy()


def _torch_pool(w, n_heads, n_groups):
    import torch

    columns = torch.tensor(w.reshape(5, n_heads, 3).swapaxes(1, 2))
    return torch.nn.functional.avg_pool1d(columns, n_heads // n_groups).mT.reshape(5, -1).numpy()


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


def _options(q, k, v):
    """Call with each option alone, and with several."""
    return (
        call(q, k, v).about("two sequences"), call(q, k, v, mask=_mask).about("a causal mask"),
        call(q, k, v, mask=_per_head).about("a mask for each head"), call(q, k, v, bias=_bias[0, 0]).about("a bias"),
        call(q, k, v, bias=_bias).about("a bias for each head"), call(q, k, v, scale=0.3).about("a scale"),
        call(q, k, v, scale=0.0).about("a scale of 0", edge=True),
        call(q, k, v, mask=_mask, bias=_bias).about("a mask and a bias"),
        call(q, k, v, mask=_mask, bias=_bias, scale=0.3).about("mask, bias and scale"),
        call(30 * q, 30 * k, v, mask=_mask).about("scores of 1000"),
        call(100 * q, 100 * k, v, mask=_mask).about("scores of 10,000 and of -10,000"),
        call(-1e5 * np.abs(q), 1e5 * np.abs(k), v, mask=_mask).about("scores of minus ten billion"),
        call(q, k[..., :5, :], v[..., :5, :]).about("as many queries as keys, and no mask"),
        call(q, k, v, mask=_blind).about("a query that sees no key", edge=True),
        call(np.stack([q, -q]), np.stack([k, k + 1]), np.stack([v, -v])).about("one more leading axis"))


def _shared_by_groups(q, k, v, mask=None, bias=None, scale=None):
    mine = np.arange(q.shape[-3]) // k.shape[-3]
    return attention(q, *(np.take(it, mine, axis=-3) for it in (k, v)), mask, bias, scale)


_WEIGHTS = "softmax(scores) if mask is None else masked_softmax(scores, mask)"
_SHARED = "grouped_query_attention(q, k[..., None, :, :], v[..., None, :, :], mask, bias, scale)"
_START = "scale = q.shape"
_INTO_VALUES, _APART = ('"... (g r) l s ->', '"... (r g) l s ->'), ("-> ... (g r) l e", "-> ... (r g) l e")
_KEYS = ("(g r) l d ->", "(r g) l d ->"), ("-> ... (g r) l s", "-> ... (r g) l s")
# The row that a stacked query gets stands for its neighbour in the order (l r), where the stack has (r l).
_ROWS_REPEATED = (("masked_softmax(scores, mask)", "masked_softmax(scores, rows)"),
    ("weights = softmax", "r, rows = q.shape[-3] // k.shape[-3], mask\n    if mask is not None and mask.ndim == 2:\n"
    "        rows = np.tile(np.repeat(mask, r, 0).reshape(r, *mask.shape), (k.shape[-3], 1, 1))\n"
    "        rows = np.broadcast_to(rows, scores.shape)\n"
    "    weights = softmax"))
_BIAS_REPEATED = ("scores = scores + as_like(bias, q)",
    "n = q.shape[-3] // k.shape[-3]\n        scores = scores + (bias if bias.ndim > 2 else np.tile(np.repeat("
    "bias, n, 0).reshape(n, *bias.shape), (k.shape[-3], 1, 1)))")
_NO_MAXIMUM = ("(lambda e: e / np.where(e.sum(-1, keepdims=True) == 0, 1, e.sum(-1, keepdims=True)))("
    "np.exp(scores if mask is None else np.where(mask, scores, -np.inf)))")
_MASKED = (
    Mistake("no maximum", (_WEIGHTS, _NO_MAXIMUM), "Exponentials of scores of 1000 overflow",
        "take the maximum of each row off before exp"),
    Mistake("divided by the width", ("q.shape[-1] ** -0.5 if scale", "1 / q.shape[-1] if scale"),
        "Rows are flatter than they should be", "divide the scores by the root of a head's width, not by the width"),
    Mistake("mask after softmax", (_WEIGHTS, "softmax(scores) if mask is None else np.where(mask, softmax(scores), 0)"),
        "Rows with hidden keys sum to less than one", "hide scores before the softmax"),
    Mistake("mask inverted", (_WEIGHTS, _WEIGHTS.replace("scores, mask", "scores, ~mask")),
        "Each query sees what it should not, and nothing else", "True means may look"),
    Mistake("scale forgotten", ("q.shape[-1] ** -0.5 if scale", "1.0 if scale"), "Rows are sharper than they should be",
        "divide the scores by the root of a head's width"),
    Mistake("scale on top of the root",
        (_START, "scale = q.shape[-1] ** -0.5 * (1 if scale is None else scale)\n    " f"{_START}"),
        "A scale that is given acts sqrt(d) times too weakly", "let it stand in the place of 1/sqrt(d)"),
    Mistake("divided by the scale", ("else as_like(scale, q)", "else 1 / scale"), "A larger scale makes rows flatter",
        "multiply by it"),
    Mistake("bias scaled", ("scores + as_like(bias, q)", "scores + scale * bias"),
        "The bias is multiplied by the scale, too: by 1/sqrt(d) unless one is given", "add the bias after scaling"),
    Mistake("bias after softmax", (_WEIGHTS, f"({_WEIGHTS}) + (0 if bias is None else bias)"),
        "With a bias, rows do not sum to one", "add the bias to the scores"),
)

CHECKS = (
    Checks(grouped_query_attention,
        cases=(
            call(_q4, _k2, _v2), call(_q4, _k2, _v2, mask=_two).about("a mask"), call(_q4, _k2, _v2,
            **_own).about("a mask and a bias for each head"), call(_q4, _k2[:1], _v2[1:]).about("one key/value head"),
            call(_q4[:2], _k2, _v2).about("as many groups as heads"),
            call(np.concatenate([_q4, -_q4, 2 * _q4]), *(np.concatenate([it, 2 - it]) for it in (_k2, _v2)))
            .about("twelve heads, four groups"),
            *_options(_q, _k, _v), call(_q, _repeated(_k)[:, ::2], _repeated(_v)[:, 1::2],
            _mask).about("three groups")),
        claims=(
            Claim("attention with every key/value head repeated for its group",
                lambda f: distance(f(_q, _k, _v, _mask), attention(_q, _repeated(_k), _repeated(_v), _mask)),
                **_LAST_BITS),
            Claim("with as many groups as heads it is attention",
                lambda f: distance(*(it(_q, _repeated(_k), _repeated(_v), None, _bias) for it in (f, attention))),
                **_LAST_BITS),
            Claim("other keys in one group change the results of its heads, and of no others", _one_group_changed),
            Claim("values that are all alike come back",
                lambda f: distance(f(_q, _k, np.ones((2, 2, 7, 11))), np.ones((2, 6, 5, 11))), **_LAST_BITS),
            oracle("scaled_dot_product_attention(enable_gqa=True)", _torch, call(_q, _k, _v), **_LAST_BITS),
            oracle("scaled_dot_product_attention(enable_gqa=True) with a mask, a bias and a scale", _torch,
                call(_q, _k, _v, _mask, _bias, 0.3), **_LAST_BITS)),
        mistakes=(
            Mistake("tiled", (*_KEYS, _INTO_VALUES, _APART),
                "Head i uses the keys and values of group i mod g; results look plausible, and "
                "a trained model talks nonsense",
                "neighbouring heads share: np.repeat, not np.tile; torch.repeat_interleave, not Tensor.repeat",
                "ONNX, pull request 7274 (2025); axlearn, pull request 842 (2024)"),
            Mistake("values tiled", (_INTO_VALUES, _APART),
                "Head i has the keys of its own group, and the values of group i mod g",
                "share values as keys are shared: neighbouring heads have the same"),
            Mistake("keys tiled", _KEYS, "Head i has the values of its own group, and the keys of group i mod g",
                "share keys as values are shared: neighbouring heads have the same"),
            Mistake("divided by the groups", _shared_by_groups,
                "As many heads share as there are groups, i // g, and with few groups there are none left",
                "h / g neighbouring heads share one: i // (h // g)"),
            Mistake("first group only", (_START, f"k, v = k[..., :1, :, :], v[..., :1, :, :]\n    {_START}"),
                "All heads use the first keys and values", "divide the heads among the groups"),
            Mistake("queries averaged",
                (_START, 'q = reduce(q, "... (g r) l d -> ... g l d", "mean", g=k.shape[-3])\n' f"    {_START}"),
                "There are as many results as key/value heads",
                "every query head keeps its own queries: stack them, do not average"),
            Mistake("results in another order", _APART, "The numbers are right, but belong to other heads",
                'take the stacks apart as they were made: "g (r l) e -> (g r) l e"'),
            Mistake("results taken apart query by query", ("g (r l) e -> ... (g r) l e", "g (l r) e -> ... (g r) l e"),
                "The results of one head are spread over its group",
                "queries are stacked head by head, so take them apart so: (r, l), not (l, r)"),
            Mistake("queries stacked query by query", ("g (r l) d", "g (l r) d"),
                "The scores of one head are spread over its group",
                "stack head by head, (r, l), as scores are taken apart"),
            Mistake("rows of the mask repeated", _ROWS_REPEATED,
                "Without a mask all is well; with one (l, s) for all heads, queries get the rows of others",
                "stack the mask as the queries are stacked, or mask after taking the stacks apart"),
            Mistake("rows of mask and bias repeated", (*_ROWS_REPEATED, _BIAS_REPEATED),
                "Without a mask and a bias all is well; with one (l, s) for all heads, queries get the rows of others",
                "stack them as the queries are stacked, head by head: np.tile, not np.repeat, along the rows"),
            Mistake("width of all heads", ("q.shape[-1] ** -0.5", "(q.shape[-3] * q.shape[-1]) ** -0.5"),
                "Rows are flatter than they should be", "scale by the width of one head"),
            *_MASKED)),
    Checks(multi_query_attention,
        cases=(
            call(_q4, _k2[0], _v2[1]), call(_q4, _k2[0], _v2[1], mask=_two).about("a mask"),
            call(_q4, _k2[0], _v2[1], **_own).about("a mask and a bias for each head"),
            call(_q4, _k2[0], _v2[1], mask=_two & False).about("queries that see no key", edge=True),
            *_options(_q, _k[:, 0], _v[:, 0]), call(_square, _square_k, _square_v).about("as many sequences as heads")),
        claims=(
            Claim("attention with the keys and values repeated for each head", lambda f: distance(f(_q, _k[:, 0],
                _v[:, 0], _mask), attention(_q, _repeated(_k[:, :1], 6), _repeated(_v[:, :1], 6), _mask)),
                **_LAST_BITS),
            Claim("also where there are as many sequences as heads", lambda f: distance(f(_square, _square_k,
                _square_v), attention(_square, _square_k[:, None], _square_v[:, None])), **_LAST_BITS),
            oracle("scaled_dot_product_attention(enable_gqa=True) of one key/value head",
                lambda q, k, v: _torch(q, k[:, None], v[:, None]), call(_q, _k[:, 0], _v[:, 0]), **_LAST_BITS)),
        mistakes=(
            Mistake("axis of the heads forgotten", attention,
                "With several sequences it raises an error, or, with as many as heads, gives head "
                "i the keys of sequence i",
                "give keys and values an axis for their one head: k[..., None, :, :]"),
            Mistake("heads averaged",
                (_SHARED, _SHARED.replace("(q,", "(q.mean(-3, keepdims=True),") + "[..., 0, :, :]"),
                "There is one result for all heads", "every head keeps its own queries"),
            Mistake("heads as queries under one mask", _ROWS_REPEATED,
                "Without a mask all is well; with one (l, s) for all heads, queries get the rows of others",
                "stack the mask as the queries are stacked"),
            *_MASKED)),
    Checks(
        pool_heads,
        # As many rows as heads, or more: what averages rows gives numbers, too.
        cases=(
            call(_columns, 4, 2), call(_columns[:2], 2, 1).about("one group"),
            call(_columns[:2], 2, 2).about("as many groups as heads"),
            *(call(_w[[0, 1, 2, 3, 4, 0]] * np.arange(1, 7)[:, None], 6, g) for g in (1, 2, 3, 6)),
            call(_w[0], 6, 2).about("a bias", edge=True),
            call(np.stack([_w, -_w]), 6, 3).about("three axes", edge=True),
        ),
        claims=(
            Claim("the keys of the pooled head are the mean of the keys of its heads",
                  lambda f: distance(_x @ f(_w, 6, 2), (_x @ _w).reshape(7, 2, 3, 3).mean(2).reshape(7, 6)),
                  **_LAST_BITS),
            Claim("as many groups as heads change nothing", lambda f: distance(f(_w, 6, 6), _w), **_LAST_BITS),
            oracle("torch.nn.functional.avg_pool1d over the heads", _torch_pool,
                   *(call(_w, 6, g) for g in (1, 2, 3, 6)), **_LAST_BITS),
        ),
        mistakes=(
            Mistake("median", ('"mean"', "lambda x, axes: np.median(x, axes)"),
                "With more than two heads in a group it is their median", "take the mean, np.mean"),
            Mistake("summed", ('"mean"', '"sum"'), "Keys are too large, and softmax too sharp", "take the mean"),
            Mistake("divided by the groups",
                (('"mean"', '"sum"'), ("r=n_heads // n_groups)", "r=n_heads // n_groups) / n_groups")),
                "Keys are too large with few groups, and too small with many", "divide by the heads of one group"),
            Mistake("divided by all heads",
                (('"mean"', '"sum"'), ("r=n_heads // n_groups)", "r=n_heads // n_groups) / n_heads")),
                "Keys are too small where there is more than one group", "divide by the heads of one group"),
            Mistake("not joined", ("-> ... (g d)", "-> ... g d"), "The heads keep an axis of their own",
                    "put them side by side again: (g d)"),
            Mistake("last head of each group",
                    (('reduce(w, "... (g r d) -> ... (g d)", "mean"', 'rearrange(w, "... (g r d) -> ... r (g d)"'),
                     ("r=n_heads // n_groups)", "r=n_heads // n_groups)[..., -1, :]")),
                    "All heads but the last of each group are lost",
                    "take the mean; keeping one head costs more (Ainslie et al., 2023, figure 4)"),
            Mistake("first head of each group",
                    (('reduce(w, "... (g r d) -> ... (g d)", "mean"', 'rearrange(w, "... (g r d) -> ... r (g d)"'),
                     ("r=n_heads // n_groups)", "r=n_heads // n_groups)[..., 0, :]")),
                    "All heads but the first of each group are lost",
                    "take the mean; keeping one head costs more (Ainslie et al., 2023, figure 4)"),
            Mistake("first heads", ("reduce(w,", "reduce(np.repeat(w[..., : w.shape[-1] // n_heads * n_groups].reshape("
                                    "*w.shape[:-1], n_groups, -1), n_heads // n_groups, -2).reshape(w.shape),"),
                    "All heads behind the first n_groups are lost", "take the mean of each group's heads"),
            Mistake("distant heads", ("(g r d) ->", "(r g d) ->"), "Heads of different groups are averaged",
                    "average neighbouring heads"),
            Mistake("results interleaved", ("-> ... (g d)", "-> ... (d g)"),
                    "Neighbouring columns belong to different groups", "keep the columns of a group together"),
            Mistake("neighbouring columns", ("(g r d) ->", "(g d r) ->"),
                    "The width of each head shrinks instead of the number of heads",
                    "average column j of one head with column j of the others"),
            Mistake("rows averaged", ("... (g r d) -> ... (g d)", "(g r d) ... -> (g d) ..."),
                    "The projection fits the tokens no more", "average columns; torch.nn.Linear holds the transpose"),
            Mistake("groups for their size", ("g=n_groups, r=n_heads // n_groups", "g=n_heads // n_groups, r=n_groups"),
                    "As many heads are left as should share one", "n_groups heads are left, of h/g each"),
        ),
    ),    Checks(length_of_mean,
        cases=(call(4), call(1), call(9), call(2), call(7)),
        claims=(
            Claim("one vector keeps its length", lambda f: float(f(1) - 1)),
            oracle("axes of a space, averaged by numpy", lambda r: float(np.linalg.norm(np.eye(r).mean(0))),
                *map(call, (2, 7)), **_LAST_BITS)),
        mistakes=(
            Mistake("length squared", ("math.sqrt(r)", "r"), "For four vectors it gives 1/4, the square of the length",
                "take the root"),
            Mistake("sum", ("1 / math.sqrt(r)", "math.sqrt(r)"), "It grows with r", "divide the sum by r"))),
    Checks(heads_to_share,
        cases=(call(64), call(64, 4), call(64, 3).about("a share that is not whole"), call(1), call(100, 7),
            call(10, 16).about("more queries than multiply-adds")),
        claims=(
            Claim("so many heads keep the processor busy, and one less does not",
                lambda f: float(any(not f(m, n) * n >= m > (f(m, n) - 1) * n for m, n in ((64, 1), (64, 3), (2, 5))))),
            oracle("numpy.arange: the first number of heads whose multiply-adds take as long as the reading",
                lambda m, n=1: int(np.argmax(np.arange(1, m + 1) * n >= m)) + 1, call(64, 3), call(64), call(2, 5))),
        mistakes=(
            Mistake("queries forgotten", ("adds_per_read / n_queries", "adds_per_read"),
                "Several queries at a time make no difference",
                "a number that is read serves all queries: divide by them"),
            Mistake("multiplied by the queries", ("adds_per_read / n_queries", "adds_per_read * n_queries"),
                "With more queries at a time, more heads must share", "each query gives more to do: divide by them"),
            Mistake("rounded down", ("math.ceil(adds_per_read / n_queries)", "adds_per_read // n_queries"),
                "Where the queries do not divide the multiply-adds, it still waits", "heads are whole: round up"),
            *(Mistake(name, ("math.ceil(adds_per_read / n_queries)", f"max(1, {rounded})"),
                "Where the queries do not divide the multiply-adds, it may still wait", "round up")
                for name, rounded in {"rounded down, and at least one": "adds_per_read // n_queries",
                "rounded to the nearest": "round(adds_per_read / n_queries)"}.items()),
            Mistake("one too many", ("math.ceil(adds_per_read / n_queries)", "adds_per_read // n_queries + 1"),
                "Where the queries divide the multiply-adds, it is one head more than needed",
                "it stops waiting when computing takes as long as reading"),
            Mistake("not whole", ("math.ceil(adds_per_read / n_queries)", "adds_per_read / n_queries"),
                "It gives fractions of a head", "heads are whole: round up"),
            Mistake("halved", ("adds_per_read / n_queries", "adds_per_read / (2 * n_queries)"),
                "Half as many heads still wait", "a key's number serves the score, a value's the average: one each"),
            Mistake("doubled", ("adds_per_read / n_queries", "2 * adds_per_read / n_queries"),
                "Twice as many heads as needed", "keys and values are read once each, and used alike"))),
)
