"""What attention to some keys must satisfy, and how it is usually got wrong."""

import math
from dataclasses import replace

import numpy as np

from mlnotes.arrays import require_integers
from mlnotes.attention.causal_mask import causal_mask
from mlnotes.attention.self_attention import attention, attention_weights
from mlnotes.blocks.softmax import softmax
from mlnotes.checks.bank import Checks, Claim, Mistake, call, distance, frozen, oracle
from mlnotes.efficient.sparse import block_sparse_attention, sliding_window_attention, sliding_window_mask

_rng = np.random.default_rng(29)
# Two sequences of 150 tokens; 5 queries that ask 7 keys; and what is small enough to be read in a report.
_q, _k, _v, _q5, _k7, _v7 = frozen(*(_rng.normal(size=it) * 2 for it in ((2, 150, 3), (2, 150, 3), (2, 150, 5),
    (2, 5, 3), (2, 7, 3), (2, 7, 11))))
_q3, _k4, _v4, _q2 = frozen(*(np.array(it, float) for it in ([[1], [2], [-1]], [[1], [0], [2], [-1]],
    [[1, 0], [3, 5], [-2, 1], [0, 7]], [[1], [-2]])))
_layout = np.array([[1, 0, 1, 0], [0, 1, 1, 0], [0, 1, 0, 1]], bool)
_empty = _layout & np.array([[True], [False], [True]])
_LAST_BITS = {"tolerance": 1e-12, "why": "sums of at most 150 products in float64: a few units of 1e-15"}


def dilated_window_mask(n, window, dilation):
    """Let each of n tokens look at itself and back in steps of ``dilation``, at ``window`` tokens: boolean (n, n)."""
    distance = np.arange(n)[:, None] - np.arange(n)
    return (distance >= 0) & (distance < window * dilation) & (distance % dilation == 0)


def reach(windows, dilations):
    """Say how many tokens back news can come from, through layers with these windows and dilations."""
    return sum((w - 1) * r for w, r in zip(windows, dilations, strict=True))


def pairs_in_window(n, window):
    """Count the pairs of a query and a key that it sees, for n tokens and a window of at most n."""
    require_integers(1, window=window)
    require_integers(window, n=n)
    return n * window - window * (window - 1) // 2


def _spread(layout, block_size, n_queries, n_keys):
    return np.kron(layout, np.ones((block_size, block_size), bool))[:n_queries, :n_keys]


def _in_torch(mask_of):
    """Make attention under a mask in PyTorch, for which rows that see nothing are zeros."""

    def attend(q, k, v, *how, scale=None):
        import torch

        mask = torch.tensor(mask_of(q.shape[-2], k.shape[-2], *how))
        attention_of_torch = torch.nn.functional.scaled_dot_product_attention
        return attention_of_torch(*map(torch.tensor, (q, k, v)), mask, scale=scale).numpy()

    return attend


_window_in_torch = _in_torch(lambda m, n, window: sliding_window_mask(m, n, window, n - m))
_blocks_in_torch = _in_torch(lambda m, n, layout, block_size: _spread(layout, block_size, m, n))


def _differs(found, expected):
    if np.asarray(found).dtype != bool or np.shape(found) != np.shape(expected):
        raise AssertionError(f"it is {np.asarray(found).dtype} {np.shape(found)}, not bool {np.shape(expected)}")
    return float((found != expected).sum())


def _transformers_mask(n, window):
    from transformers.masking_utils import sliding_window_overlay

    sees = sliding_window_overlay(window)
    return np.array([[j <= i and bool(sees(0, 0, i, j)) for j in range(n)] for i in range(n)])


def _changed(f, *arguments):
    """Say how much the results change when keys and values out of sight become nan."""
    hidden_k, hidden_v = _k.copy(), _v.copy()
    hidden_k[:, :70], hidden_v[:, :70] = math.nan, math.nan
    return distance(f(_q[:, 80:], *frozen(hidden_k, hidden_v), *arguments), f(_q[:, 80:], _k, _v, *arguments))


def _heard_in_layers(windows, dilations):
    """Follow the news from token to token, one layer after the other."""
    n = 200
    heard = np.eye(n, dtype=int)[-1]
    for window, dilation in zip(windows, dilations, strict=True):
        heard = heard @ dilated_window_mask(n, window, dilation)
    return n - 1 - int(np.flatnonzero(heard)[0])


def _news(windows, dilations):
    """Say how far back the tokens are that can be heard of."""
    heard = {0}
    for window, dilation in zip(windows, dilations, strict=True):
        heard = {far + step * dilation for far in heard for step in range(window)}
    return heard


def _by_slices(q, k, v, window, scale=None, offset=None):
    """Attend query by query to a slice of the keys, whose start may be negative."""
    offset = k.shape[-2] - q.shape[-2] if offset is None else offset
    rows = []
    for i in range(q.shape[-2]):
        at = slice(i + offset - window + 1, i + offset + 1)
        rows.append(attention(q[..., i : i + 1, :], k[..., at, :], v[..., at, :], scale=scale) if k[..., at, :].size
                    else np.zeros((*q.shape[:-2], 1, v.shape[-1])))
    return np.concatenate(rows, axis=-2)


def _by_clipped_places(q, k, v, window, scale=None, offset=None):
    """Attend to `window` places, those outside of the keys clipped to the first or the last key."""
    (n_queries, d), n_keys = q.shape[-2:], k.shape[-2]
    offset = n_keys - n_queries if offset is None else offset
    places = np.clip(np.arange(n_queries)[:, None] + offset - np.arange(window), 0, n_keys - 1)
    scores = np.einsum("...ld,...lwd->...lw", q, k[..., places, :]) * (d**-0.5 if scale is None else scale)
    return np.einsum("...lw,...lwe->...le", softmax(scores), v[..., places, :])


def _masked_after(share):
    """Make a wrong version that hides keys after the softmax over all of them; `share` gets what is left."""

    def version(q, k, v, window, scale=None, offset=None):
        n_queries, n_keys = q.shape[-2], k.shape[-2]
        mask = sliding_window_mask(n_queries, n_keys, window, n_keys - n_queries if offset is None else offset)
        return share(attention_weights(q, k, scale=scale) * mask) @ v

    return version


def _shared_again(weights):
    total = weights.sum(axis=-1, keepdims=True)
    return weights / np.where(total > 0, total, 1)


def _tiled(q, k, v, layout, block_size, scale=None):
    mask = np.tile(layout, (block_size, block_size))[: q.shape[-2], : k.shape[-2]]
    return attention(q, k, v, mask, scale=scale)


def _in_as_many_blocks(rounded_up):
    """Make a wrong version that cuts tokens into equal blocks, as many as the layout has."""

    def numbers(n, blocks):
        if rounded_up:
            return np.arange(n) // -(-n // blocks)
        return np.repeat(np.arange(blocks), [len(it) for it in np.array_split(np.arange(n), blocks)])

    def version(q, k, v, layout, block_size, scale=None):
        rows, columns = (numbers(x.shape[-2], blocks) for x, blocks in zip((q, k), layout.shape, strict=True))
        return attention(q, k, v, layout[rows[:, None], columns], scale=scale)

    return version


_BEFORE = "put -inf for hidden scores, before the softmax"
_BLOCKS = "_attention_to_some(rows, keys, values, None, scale)"
_SHORT_ROWS = (_BLOCKS, f"{_BLOCKS} * (rows.shape[-2] == block_size)")
_SHORT_KEYS = ("[: k.shape[-2]])", "[: k.shape[-2] // block_size * block_size])")
_SCALED = (
    Mistake("scale forgotten", ("q.shape[-1] ** -0.5 if scale", "1.0 if scale"),
        "Rows are sharper than they should be where no scale is given",
        "unless a scale is given, divide the scores by the root of the width"),
    Mistake("scale on top of the root", ("as_like(scale, q)) * q", "scale * q.shape[-1] ** -0.5) * q"),
        "A scale that is given acts sqrt(d) times too weakly", "let it stand in the place of 1/sqrt(d)"),
    Mistake("divided by the scale", ("else as_like(scale, q)", "else 1 / scale"), "A larger scale makes rows flatter",
        "multiply by it"),
    Mistake("divided by the width", ("q.shape[-1] ** -0.5", "1 / q.shape[-1]"),
        "Without a scale, scores are divided by d, not by its root", "the scale is 1/sqrt(d) unless given"),
    Mistake("without the maximum", ("scores - xp.where(top == -math.inf, 0.0, top)", "scores"),
        "nan as soon as a score exceeds 709, zeros where all lie below -745",
        "subtract each row's maximum before the exponential"),
    Mistake("weights not divided", ("weights @ v / xp.where(total == 0, 1.0, total)", "weights @ v"),
        "Weights do not sum to one", "divide the averages by their sum"),
    Mistake("divided by the number of keys",
        ("weights @ v / xp.where(total == 0, 1.0, total)", "weights @ v / k.shape[-2]"), "Weights do not sum to one",
        "divide by the sum of the exponentials"),
)
_MASKS = (
    Mistake("one key too many", ("distance < window", "distance <= window"),
        "Each query sees window + 1 keys: the window does not count its own position",
        "take 0 <= i + offset - j < window",
        "flash-attn's window_size counts the keys before it; Longformer's w those on both sides"),
    Mistake("own position hidden", ("distance >= 0", "distance > 0"), "Each query sees window - 1 keys, itself not",
        "0 <= i + offset - j: a token sees itself"),
    Mistake("future shown", ("(distance >= 0) &", "(distance > -window) &"), "The window reaches to both sides",
        "0 <= i + offset - j hides what comes after"),
    Mistake("window shifted into the future", ("+ offset - np", "+ offset + 1 - np"),
        "Every query sees the token that it is to predict", "the window ends at the query's own position"),
)


def _slices(start):
    def version(n, window, dilation):
        mask = np.zeros((n, n), bool)
        for i in range(n):
            mask[i, start(i - (window - 1) * dilation) : i + 1 : dilation] = True
        return mask

    return version


def _from_the_end(n, window, dilation):
    mask = np.zeros((n, n), bool)
    for step in range(window):
        mask[range(n), np.arange(n) - step * dilation] = True
    return mask


_STEPS = "(distance < window * dilation) & (distance % dilation == 0)"
_SEEN = f"(distance >= 0) & {_STEPS}"


def _side_by_side(q, k, v, window, scale=None, offset=None):
    """Cut the text into pieces as long as the window."""
    n_queries, n_keys = q.shape[-2], k.shape[-2]
    offset = max(0, n_keys - n_queries) if offset is None else offset
    piece = (np.arange(n_queries) + offset)[:, None] // window == np.arange(n_keys) // window
    return attention(q, k, v, piece & causal_mask(n_queries, n_keys, offset), scale=scale)


def _far_below(q, k, v, layout, block_size, scale=None):
    """Spread the layout over a table, and hide the rest with minus a billion."""
    mask = np.repeat(np.repeat(np.asarray(layout, bool), block_size, 0), block_size, 1)[: q.shape[-2], : k.shape[-2]]
    scores = q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    return softmax(np.where(mask, scores, -1e9)) @ v


CHECKS = (
    Checks(sliding_window_mask,
        cases=(
            call(4, 4, 2), call(2, 5, 3, 3).about("queries that are the last of the keys"),
            call(2, 6, 3, offset=1).about("queries in the middle of a sequence"),
            call(1, 5, 2, 4).about("one query with a cache"), call(5, 5, 1).about("a window of one"),
            call(3, 4, 9).about("a window wider than the sequence"),
            call(3, 4, 2, 4).about("windows that reach behind all keys"), call(7, 11, 5, 3)),
        claims=(
            Claim("numpy's two triangles", lambda f: max(_differs(f(7, 11, w, 4), np.tri(7, 11, 4, bool)
                & ~np.tri(7, 11, 4 - w, bool)) for w in (1, 3, 9)), kind="oracle"),
            Claim("transformers' mask of a sliding window",
                lambda f: max(_differs(f(9, 9, w), _transformers_mask(9, w)) for w in (1, 3, 9)), kind="oracle"),
            Claim("rows of a long mask are the masks of single queries",
                lambda f: _differs(f(5, 9, 3, 2), np.concatenate([f(1, 9, 3, i + 2) for i in range(5)])))),
        mistakes=(*_MASKS,
            Mistake("offset ignored", (" + offset -", " -"), "With a cache, new queries see only the oldest keys",
                "add the position of the first query"),
            Mistake("offset from the end", ("+ offset -", "+ n_keys - n_queries -"),
                "Queries stand at the last keys, whatever the offset", "take the offset as given"))),
    Checks(sliding_window_attention,
        cases=(
            call(_q3, _k4[:3], _v4[:3], 2), call(_q2, _k4, _v4, 2).about("queries that are the last of the keys"),
            call(_q3, _k4[:3], _v4[:3], 1).about("a window of one"),
            call(_q3, _k4[:3], _v4[:3], 5).about("a window wider than the sequence"),
            call(_q3, _k4[:3], _v4[:3], 2, scale=3.0).about("a scale"),
            call(_q2, _k4, _v4, 2, offset=1).about("an offset"),
            call(_q2, _k4, _v4, 2, scale=0.5, offset=0).about("a scale and an offset"),
            call(_q2, _k4, _v4, 2, offset=4).about("a query that sees nothing"),
            call(_q3, _k4, _v4, 2, offset=9).about("windows behind all keys"),
            call(_q3, _k4[:3], _v4[:3], 2, scale=0.0).about("a scale of 0", edge=True),
            call(_q, _k, _v, 7).about("150 tokens"), call(_q, _k, _v, 65, 0.3).about("a wide window and a scale"),
            call(_q5, _k7, _v7, 3).about("two sequences"),
            call(40 * _q5, 40 * _k7, _v7, 3).about("scores of thousands"),
            call(-1e3 * np.abs(_k7), 1e3 * np.abs(_k7), _v7, 3).about("scores of minus a million"),
            call(-1e5 * np.abs(_k7), 1e5 * np.abs(_k7), _v7, 3).about("scores of minus ten billion"),
            call(_q[:, 90:], _k, _v, 30, None, 60).about("queries in the middle of a sequence"),
            call(_q[0, :65], _k[0, :65], _v[0, :65], 9).about("one sequence of 65 tokens"),
            call(*(np.stack([it, it + 1])[:, :, :129] for it in (_q, _k, _v)), 20).about("one more leading axis",
                edge=True),
            call(1e200 * _q3, 1e200 * np.abs(_k4[:3]), _v4[:3], 2).about("scores that overflow", edge=True)),
        claims=(
            Claim("attention under the mask of the window", lambda f: max(distance(f(_q, _k, _v, w), attention(_q, _k,
                _v, sliding_window_mask(150, 150, w))) for w in (1, 7, 64, 149, 200)), **_LAST_BITS),
            Claim("a wide window is causal attention",
                lambda f: distance(f(_q, _k, _v, 150), attention(_q, _k, _v, causal_mask(150, 150))), **_LAST_BITS),
            Claim("keys and values out of sight are not read", lambda f: _changed(f, 11)),
            Claim("queries one by one, as with a cache", lambda f: distance(np.concatenate([f(_q[:, i:i + 1],
                _k[:, :i + 1], _v[:, :i + 1], 7) for i in range(150)], 1), f(_q, _k, _v, 7)), **_LAST_BITS),
            oracle("torch's attention under a mask", _window_in_torch, call(_q, _k, _v, 7),
                call(_q5, _k7, _v7, 3, scale=0.3), **_LAST_BITS)),
        mistakes=(
            Mistake("places at the edge", _by_clipped_places,
                "Places outside of the keys are read as the first or the last key, and get weight",
                "hide them: -inf before the softmax"),
            Mistake("offset forgotten", ("n_keys - n_queries if", "0 if"),
                "With a cache, new queries see only the oldest keys", "queries are the last of the keys: s - l"),
            Mistake("offset of 0 taken for none", ("if offset is None", "if not offset"),
                "An offset of 0 puts the queries at the end of the keys",
                "ask whether it is None, since 0 counts as false"),
            Mistake("queries always the first",
                ("n_keys - n_queries if offset is None else offset", "0"),
                "Queries stand with the first keys, whatever the offset",
                "count a query's position from the offset: i + offset"),
            Mistake("mask without the band's offset", ("window, i + offset - first)", "window, 0)"),
                "In each block that does not begin at key 0, windows end up to window - 1 places too early",
                "count positions from the first key of the band"),
            Mistake("band one key short", ("i + offset - window + 1)", "i + offset - window + 2)"),
                "The first query of each block misses the first key of its window",
                "the first key is number i + offset - window + 1"),
            Mistake("future shown in full", (("(distance >= 0) &", "(distance > -window) &"),
                ("i + offset + rows.shape[-2])", "i + offset + rows.shape[-2] + window)")),
                "The window reaches to both sides", "0 <= i + offset - j hides what comes after"),
            Mistake("one key too many in full",
                (("distance < window", "distance <= window"), ("i + offset - window + 1)", "i + offset - window)")),
                _MASKS[0].symptom, _MASKS[0].remedy),
            Mistake("window before its own position", (("(distance >= 0) &", "(distance > 0) &"),
                ("distance < window", "distance <= window"), ("i + offset - window + 1)", "i + offset - window)")),
                "The window ends one place too early: a query sees the `window` keys before it, and not itself",
                "its own position is the last of the window: 0 <= i + offset - j < window"),
            Mistake("slices from the end", _by_slices,
                "The first queries see nothing, or other keys: a negative start of a slice counts from the end",
                "begin at max(0, i + offset - window + 1)"),
            Mistake("mask after softmax", _masked_after(lambda weights: weights),
                "Keys outside of the window keep their share of the weight, and the others get too little", _BEFORE),
            *(Mistake("shared again after softmax", _masked_after(it),
                "Where keys outside of the window score far higher, nothing is left to be shared again", _BEFORE)
                for it in (_shared_again, lambda weights: weights / weights.sum(axis=-1, keepdims=True))),
            Mistake("no window", ((" & (distance < window)", ""), ("max(0, i + offset - window + 1)", "0")),
                "Each query sees all keys up to its own", "hide those that lie more than window - 1 back"),
            Mistake("pieces without a mask", ("mask, scale)", "None, scale)"),
                "Each query sees what the whole block may see, the future included",
                "hide what lies outside a query's own window"),
            # The band of keys stays as it is, and hides what the first or the last query of a block would see too many.
            *(it if it.name == "own position hidden" else replace(it,
                symptom=f"{it.symptom} (the first or last query of a block excepted)") for it in _MASKS),
            Mistake("windows side by side", _side_by_side, "A query sees the keys of its own piece of the text alone",
                "the window moves along with the query: 0 <= i + offset - j < window"), *_SCALED)),
    Checks(block_sparse_attention,
        cases=(
            call(_k4, _k4, _v4, np.array([[True, False], [True, True]]), 2),
            call(_k4, _k4 + 1, _v4, np.array([[True, False], [True, True]]), 2, 3.0).about("a scale"),
            call(_q2, _k4, _v4, np.array([[False, True]]), 2).about("fewer queries than keys"),
            call(_q2, _k4, _v4, np.array([[True, False, False, True], [False, True, True, False]]),
                1).about("blocks of one"),
            call(_q[:, :9], _k[:, :12], _v[:, :12], _layout, 3).about("two sequences"),
            call(_q[:, :9], _k[:, :12], _v[:, :12], _layout, 3, scale=0.3).about("a scale"),
            call(_k4, _k4, _v4, np.array([[True, False], [True, True]]), 2, 0.0).about("a scale of 0", edge=True),
            call(_q[:, :9], _k[:, :12], _v[:, :12], _empty, 3).about("a row of the layout without a block"),
            call(20 * _q[:, :9], 40 * _k[:, :12], _v[:, :12], _layout, block_size=3).about("scores of thousands"),
            call(-1e3 * np.abs(_q[:, :9]), 1e3 * np.abs(_k[:, :12]), _v[:, :12], _layout,
                3).about("scores of minus a million"),
            call(-1e5 * np.abs(_q[:, :9]), 1e5 * np.abs(_k[:, :12]), _v[:, :12], _layout,
                3).about("scores of minus ten billion"),
            call(_q[:, :5], _k[:, :7], _v[:, :7], _layout, 2).about("last blocks that are smaller"),
            call(_q[:, :4], _k[:, :7], _v[:, :7], _layout[:2, :3], 3).about("last blocks of one"),
            call(1e200 * _k4, np.array([[1e200], [0.0], [1e-200], [-1e-200]]), _v4,
                np.array([[True, False], [True, True]]), 2).about("scores that overflow", edge=True)),
        claims=(
            Claim("attention under the layout, spread over its blocks", lambda f: max(distance(f(_q5, _k7, _v7, it, 2),
                attention(_q5, _k7, _v7, _spread(it, 2, 5, 7))) for it in (_layout, _empty)), **_LAST_BITS),
            Claim("a layout of all blocks is attention",
                lambda f: distance(f(_q, _k, _v, np.ones((10, 10), bool), 15), attention(_q, _k, _v)), **_LAST_BITS),
            Claim("blocks that the layout does not name are not read",
                lambda f: _changed(f, np.arange(15) > 6 * np.ones((7, 1)), 10)),
            oracle("torch's attention under a mask", _blocks_in_torch, call(_q5, _k7, _v7, _layout, 2),
                call(_q5, _k7, _v7, _empty, 2, scale=0.3), **_LAST_BITS)),
        mistakes=(
            Mistake("blocks averaged", (_BLOCKS, "sum(_attention_to_some(rows, k[..., j * block_size : (j + 1) * "
                "block_size, :], v[..., j * block_size : (j + 1) * block_size, :], None, scale) for j in "
                "np.flatnonzero(blocks)) / max(1, blocks.sum()) + 0 * rows[..., :1] * v[..., :1, :]"),
                "Each block has a softmax of its own, and all count alike", "one softmax for the keys of all blocks"),
            Mistake("layout transposed", ("enumerate(layout)", "enumerate(layout.T)"),
                "Blocks of keys look at blocks of queries", "rows of the layout are blocks of queries"),
            Mistake("softmax in each block", (_BLOCKS, "sum(_attention_to_some(rows, k[..., j * block_size : (j + 1) * "
                "block_size, :], v[..., j * block_size : (j + 1) * block_size, :], None, scale) for j in "
                "np.flatnonzero(blocks)) + 0 * rows[..., :1] * v[..., :1, :]"),
                "Each block of keys gets a whole unit of attention",
                "one softmax for all keys of a row: gather them first"),
            Mistake("first blocks in place of the named",
                ("np.flatnonzero(np.repeat(blocks, block_size)[: k.shape[-2]])",
                "np.arange(min(k.shape[-2], blocks.sum() * block_size))"),
                "Each row looks at as many blocks as it should, but at the first", "look up which blocks are True"),
            Mistake("values of other blocks", (_BLOCKS, _BLOCKS.replace("values", "v[..., : named.shape[0], :]")),
                "Values do not belong to the keys that were looked at", "gather keys and values at the same places"),
            Mistake("last block alone",
                ("beside(named,", "beside(named[named // block_size == np.max(named, initial=-1) // block_size],"),
                "Each block of keys overwrites what the one before it gave",
                "one softmax for all keys of a row: gather them first"),
            Mistake("blocks in between",
                ("beside(named,", "beside(np.arange(*(named[[0, -1]] + [0, 1])) if named.size else named,"),
                "Blocks between those that are named are seen, too", "gather the blocks that are True, and no others"),
            Mistake("zeros for hidden scores", (_BLOCKS, "_attention_to_some(rows, k * xp.asarray(np.repeat(blocks, "
                "block_size)[: k.shape[-2], None], dtype=k.dtype), v, None, scale)"),
                "Blocks that are left out get weight, since a score of 0 is a score",
                "hidden scores are -inf, or not taken"),
            Mistake("softmax over all keys", (_BLOCKS, "_attention_to_some(rows, k, v * xp.asarray(np.repeat(blocks, "
                "block_size)[: k.shape[-2], None], dtype=v.dtype), None, scale)"),
                "Softmax is taken over all keys, and those that are left out keep their share of the weight",
                "leave keys out before the softmax"),
            *(Mistake("blocks of equal size", _in_as_many_blocks(it),
                "Blocks are made equally long, whatever block_size is",
                "all but the last have block_size tokens: token i is in block i // block_size")
                for it in (True, False)),
            *(Mistake("last block left out", it, "Where the last block is smaller than the others, it is left out",
                "count -(-n // block_size) blocks, rounded up; the last slice may end early") for it in (
                _SHORT_ROWS, _SHORT_KEYS, (_SHORT_ROWS, _SHORT_KEYS))),
            Mistake("layout tiled", _tiled, "The layout is repeated as a whole, in place of each of its entries",
                "np.repeat along both axes, not np.tile"),
            Mistake("layout inverted", ("np.repeat(blocks,", "np.repeat(~blocks,"), "Only the blocks left out are seen",
                "True means: look"),
            *_SCALED,
            Mistake("large negative number", _far_below, "A row of the layout without a block averages all values",
                "hide with −∞, and give zeros where nothing is seen"))),
    Checks(dilated_window_mask,
        cases=(call(6, 2, 2), call(5, 3, 1).about("steps of one"), call(7, 1, 3).about("a window of one"),
            call(11, 3, 4), call(4, 3, 5).about("steps beyond the sequence"), call(13, 5, 2)),
        claims=(
            Claim("steps of one give the window", lambda f: _differs(f(9, 4, 1), sliding_window_mask(9, 9, 4))),
            Claim("a loop over steps", lambda f: _differs(f(11, 3, 4), np.array([[any(j == i - 4 * step for step in
                range(3)) for j in range(11)] for i in range(11)])), kind="oracle")),
        mistakes=(
            Mistake("window in tokens", ("window * dilation", "window"), "As many tokens are spanned as should be seen",
                "window tokens are seen, so (window - 1) dilation + 1 are spanned"),
            *(Mistake("no steps", (_STEPS, it), "The tokens in between are seen, too",
                "see every dilation-th of them: (i - j) % dilation == 0") for it in ("(distance < window * dilation)",
                "(distance <= (window - 1) * dilation)")),
            *(Mistake("no window", (_SEEN, it), "Each token sees more than `window` tokens, as soon as there are more",
                "keep 0 <= i - j < window * dilation") for it in (
                "(distance >= 0) & (distance % dilation == 0)", "distance % dilation == 0")),
            Mistake("stepped from the first token", _slices(lambda first: max(0, first)),
                "Near the start, tokens are seen that lie between the steps",
                "step back from the query: a slice that is cut off at 0 begins at another place"),
            Mistake("slices from the end", _slices(lambda first: first),
                "Near the start nothing is seen, or other tokens: a negative start of a slice counts from the end",
                "leave out the steps that lead to negative places"),
            Mistake("keys at multiples of the dilation", ("distance % dilation", "np.arange(n) % dilation"),
                "Which keys are seen depends on the key, and a query may not see itself",
                "step back from the query: (i - j) % dilation == 0"),
            Mistake("future shown", ("(distance >= 0) &", "(distance > -window * dilation) &"),
                "The window reaches to both sides", "hide what comes after: i - j >= 0"),
            *(Mistake("wrapped around", it, "The first tokens see the last",
                "NumPy counts negative places from the end: leave them out") for it in (
                (_SEEN, "np.isin(distance % n, dilation * np.arange(window) % n)"), _from_the_end)),
            Mistake("own position hidden", ("distance >= 0", "distance > 0"), "A token does not see itself",
                "the own position counts, at distance 0"),
            Mistake("one token more", ("distance < window * dilation", "distance <= window * dilation"),
                "window + 1 tokens are seen", "the own position counts as one of the window"),
            Mistake("dilation never used", (_STEPS, "(distance < window)"), "It is right for a dilation of 1 only",
                "of the keys before it, see every dilation-th"),
            Mistake("distance up to the window", ("distance < window * dilation", "distance <= window"),
                "As many tokens before it are looked at as should be seen",
                "window tokens are seen, dilation apart: distances stay below window * dilation"))),
    Checks(reach,
        cases=(call([3], [1]), call([3], [2]).about("steps of two"), call([3, 3], [1, 1]),
            call([4, 2, 5], [1, 3, 2]), call([1, 1], [4, 2]).about("windows of one"), call([2, 2, 2, 2], [1, 2, 4, 8]),
            call([], []).about("no layer", edge=True)),
        claims=(
            Claim("layers add up", lambda f: abs(f([4, 2, 5], [1, 3, 2]) - f([4], [1]) - f([2, 5], [3, 2]))),
            Claim("followed from token to token", lambda f: max(abs(f(*it) - _heard_in_layers(*it)) for it in
            (([3], [1]), ([4, 2, 5], [1, 3, 2]), ([2, 2, 2, 2], [1, 2, 4, 8]), ([1, 7], [9, 4]))), kind="oracle"),),
        mistakes=(
            Mistake("windows in full", ("(w - 1) * r", "w * r"), "Each layer carries news too far",
                "the window counts the token itself: w - 1 steps"),
            Mistake("windows in full, but for one token",
                (("(w - 1) * r", "w * r"), ("    return sum(", "    return -1 + sum(")),
                "Only one layer leaves the token itself out",
                "every window counts the token itself, so each layer takes w - 1 steps"),
            Mistake("multiplied", ("    return sum(", "    return math.prod("), "Layers multiply what they should add",
                "each layer adds its steps to those of the layers below"),
            Mistake("spans multiplied",
                (("    return sum(", "    return -1 + math.prod("), ("(w - 1) * r", "(w - 1) * r + 1")),
                "Layers multiply what they should add", "each layer adds its steps to those of the layers below"),
            Mistake("first layer for all", lambda windows, dilations: len(windows) * (windows[0] - 1) * dilations[0],
                "All layers are taken for the first one", "add up the steps of each layer: (w - 1) r"),
            Mistake("farthest layer", ("    return sum(", "    return max("), "Only one layer counts",
                "news goes on from layer to layer: add"),
            Mistake("dilations forgotten", ("(w - 1) * r", "w - 1"), "Only windows count",
                "each step is r tokens long"),
            Mistake("the token itself counted", ("    return sum(", "    return 1 + sum("),
                "One more than the distance to the farthest token", "count steps back, not tokens"),
            Mistake("tokens heard of", lambda windows, dilations: len(_news(windows, dilations)) - 1,
                "Tokens in between that are left out are not counted", "ask how far back the farthest one is"),
            Mistake("span of a layer", ("(w - 1) * r", "(w * r - 1)"), "Steps beyond the farthest key are counted",
                "w keys in steps of r span (w - 1) r"),
            Mistake("sums multiplied", lambda windows, dilations: sum(w - 1 for w in windows) * sum(dilations),
                "It is right for a single layer only", "multiply layer by layer, then add"))),
    Checks(pairs_in_window, integers=True,
        cases=(call(5, 2), call(4, 4).about("a window as wide as the sequence"), call(6, 1).about("a window of one"),
            call(11, 3), call(1, 1), call(300, 64)),
        claims=(
            Claim("one more token sees one more window", lambda f: abs(f(12, 3) - f(11, 3) - 3)),
            Claim("counted in the mask", lambda f: max(abs(f(*it) - int(sliding_window_mask(it[0], *it).sum()))
                for it in ((5, 2), (4, 4), (11, 3), (200, 64))), kind="oracle")),
        mistakes=(
            Mistake("own key left out",
                ("n * window - window * (window - 1) // 2", "n * window - window * (window - 1) // 2 - n"),
                "Each query has one key too few: its own", "a window counts the token itself"),
            Mistake("every window full", (" - window * (window - 1) // 2", ""),
                "More than there are: the first queries have fewer keys before them",
                "query i sees min(i, window) keys, counted from 1"),
            Mistake("all queries short", ("n * window - window * (window - 1) // 2", "n * (n + 1) // 2"),
                "The pairs of causal attention without a window", "stop at window keys"),
            Mistake("not halved", ("(window - 1) // 2", "(window - 1)"),
                "Only full windows are counted: a rectangle is taken off, not a triangle",
                "the first queries see 1, 2, ..., window - 1 keys, in sum half of window (window - 1)"),
            Mistake("first queries left out", ("n * window - window * (window - 1) // 2", "(n - window) * window"),
                "The first window queries are left out", "they see 1, 2, ..., window keys"),
            *(Mistake("both sides", ("n * window - window * (window - 1) // 2", it), "The window reaches to both sides",
                "no query sees what comes after it") for it in (
                "n * (2 * window - 1) - window * (window - 1)", "n * (2 * window - 1)")),
            Mistake("triangle of window rows", ("(window - 1) // 2", "(window + 1) // 2"), "Too few by one window",
                "the first window queries see 1, 2, ..., window keys, the n - window others see window each"),
            Mistake("halved too early", ("window * (window - 1) // 2", "window // 2 * (window - 1)"),
                "An odd window is halved and rounded down before it is multiplied",
                "multiply first: of window and window - 1, one is even"))),
)
