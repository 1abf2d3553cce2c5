"""What multi-head attention must satisfy, and how it is usually got wrong."""

import numpy as np

from mlnotes.attention.causal_mask import causal_mask
from mlnotes.attention.multi_head import fuse_projections, merge_heads, multi_head_attention, split_heads
from mlnotes.attention.self_attention import attention, attention_weights
from mlnotes.checks.bank import Checks, Claim, Mistake, call, distance, frozen, oracle
from mlnotes.counting import count_operations

_rng = np.random.default_rng(13)
# Two sequences: 5 tokens of width 6 ask 7 others; 3 heads of width 2. Then 6 tokens, as many as they are wide.
_q, _k, _v, _square, _w_q, _w_k, _w_v, _w_o = frozen(*(_rng.normal(size=it) * 2 for it in ((2, 5, 6), (2, 7, 6),
    (2, 7, 6), (6, 6))), *_rng.normal(size=(4, 6, 6)) / 2)
_w = _w_q, _w_k, _w_v, _w_o
_b = dict(zip(("b_q", "b_k", "b_v", "b_o"), frozen(*_rng.normal(size=(4, 6))), strict=True))
_mask, _triangle, _padding = frozen(causal_mask(5, 7, offset=2), causal_mask(6, 6),
    np.broadcast_to(np.arange(7) < np.array([7, 4])[:, None, None], (2, 5, 7)).copy())
_each_head, _each_sequence = frozen(np.tri(3, dtype=bool) == np.array([True, False, True])[:, None, None],
    np.arange(7) < np.array([[7, 4, 2], [1, 6, 5]])[..., None, None].repeat(5, -2))
_four_axes = frozen(*(np.stack([x, x[::-1]]) for x in (_q, _k, _v)))
# Small enough to be read in a report: queries, keys, values and four projections; a mask; what is split and merged.
_small = frozen(*(np.array(it, float) for it in ([[1, 2], [0, -1]], [[2, 0], [1, 1], [0, 3]], [[1, 4], [0, 2], [5, -1]],
    [[1, 0.5], [0, 1]], [[0, 1], [2, -1]], [[1, 0], [3, 1]], [[1, 2], [0, -1]])))
_pair = tuple(np.stack([it, -it]) for it in _small[:3]) + _small[3:]
_two = np.array([[True, True, False], [True, False, True]])
_eight, _parts = frozen(np.arange(1.0, 9.0).reshape(2, 4), np.arange(1.0, 13.0).reshape(2, 2, 3))
_columns = frozen(*(np.arange(4.0)[None] + by for by in (10, 20, 30)))
# Queries of width 5, keys of width 3, values of width 4; 2 heads, of width 3 and, for values, 4; results of width 7.
_unequal = frozen(*(_rng.normal(size=it) for it in ((2, 5), (3, 3), (3, 4), (5, 6), (3, 6), (4, 8), (8, 7))))
_LAST_BITS = {"tolerance": 2e-13, "why": "scores below 70, of at most 12 products: 70 · 12 · 1.1e-16 is 9e-14, and a "
    "weight is relatively off by as much as its score and its row's sum"}


def column_of_key(c, d):
    """Say where `fuse_projections` puts column c of the projection to keys, with heads of width d; counted from 0."""
    return c // d * 3 * d + d + c % d


def absorbed_multiply_adds(n, m, n_heads):
    """Count what n tokens of width m pay for attention without keys and projected values, once products are formed."""
    return 2 * n_heads * n * m * (n + m)


def _torch(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None):
    """Ask torch's layer: its matrices are the transposes of ours, and its True hides."""
    import torch

    theirs = torch.nn.MultiheadAttention(6, n_heads, bias=False, batch_first=True, dtype=torch.float64)
    hidden = None
    if mask is not None:
        hidden = ~torch.tensor(np.broadcast_to(mask, (len(q), *mask.shape[-2:]))).repeat_interleave(n_heads, 0)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.tensor(np.concatenate([w_q, w_k, w_v], axis=1).T))
        theirs.out_proj.weight.copy_(torch.tensor(w_o.T))
        return theirs(*map(torch.tensor, (q, k, v)), attn_mask=hidden, need_weights=False)[0].numpy()


def _heads_by_themselves(q, k, v, w_q, w_k, w_v, w_o, n_heads):
    """Add up what each head contributes through its own rows of the output projection."""
    d, out = w_q.shape[1] // n_heads, 0
    for i in range(n_heads):
        mine = slice(i * d, (i + 1) * d)
        out = out + attention(q @ w_q[:, mine], k @ w_k[:, mine], v @ w_v[:, mine]) @ w_o[mine]
    return out


def _unflattened(x, n_heads):
    import torch

    return torch.tensor(x).unflatten(-1, (n_heads, -1)).transpose(-2, -3).numpy()


def _fused_gives_separate(f):
    """Run the notes' steps on the fused matrix."""
    q, k, v = np.split(split_heads(_q @ f(_w_q, _w_k, _w_v, 3), 3), 3, axis=-1)
    return distance(merge_heads(attention(q, k, v)) @ _w_o, multi_head_attention(_q, _q, _q, *_w, 3))


def _counted(n, m, n_heads):
    """Count the multiplications of a loop over heads."""

    def attended(x, compare, bring):
        return sum(x @ a @ x.T @ x @ b for a, b in zip(compare, bring, strict=True))

    return count_operations(attended, np.ones((n, m)), *np.ones((2, n_heads, m, m)))["multiply"]


_FIRST = "heads = attention("
_LAST = "linear(merge_heads(heads), w_o, b_o)"
_SPLIT, _MERGE = 'rearrange(x, "... l (h d) -> ... h l d", h=n_heads)', 'rearrange(x, "... h l d -> ... l (h d)")'
_EVERY_NTH = ("l (h d) -> ... h l d", "l (d h) -> ... h l d")
_FUSED = '"r ... h n d -> ... n (h r d)"'
def _swapped(axis, other, ndim=0):
    """Make a wrong version that counts axes from the front, and may ask for two or three of them."""

    def version(x, n_heads):
        if ndim == 2:
            _, _ = x.shape
        elif ndim == 3:
            _, _, _ = x.shape
        return x.reshape(*x.shape[:-1], n_heads, -1).swapaxes(axis, other)

    return version


def _one_column_on(name):
    """Edit a projection so that the block of head h begins at column h."""
    projected = f"linear({name}, w_{name}, b_{name})"
    block = f"{projected}[..., h : h + w_{name}.shape[1] // n_heads]"
    return f"split_heads({projected}, n_heads)", f"np.stack([{block} for h in range(n_heads)], axis=-3)"


_FROM_THE_FRONT = (lambda x, n_heads: np.stack(np.split(x, n_heads, axis=-1), axis=1),
    *(_swapped(*it) for it in ((1, 2), (0, 1), (1, 2, 3), (0, 1, 2))))
_RESHAPED = (_SPLIT, "x.reshape(*x.shape[:-2], n_heads, x.shape[-2], -1)")
_JOINED = (_MERGE, "x.reshape(*x.shape[:-3], x.shape[-2], -1)")
_ADDED = (_MERGE, "np.tile(x.sum(axis=-3), x.shape[-3])")


def _hidden_after_softmax(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None):
    """Let hidden keys have their part in the sum, and take it away afterwards."""
    weights = attention_weights(split_heads(q @ w_q, n_heads), split_heads(k @ w_k, n_heads))
    if mask is not None:
        weights = weights * (mask[..., None, :, :] if mask.ndim == max(q.ndim, k.ndim) > 2 else mask)
    return merge_heads(weights @ split_heads(v @ w_v, n_heads)) @ w_o


CHECKS = (
    Checks(multi_head_attention,
        cases=(
            call(*_small, 1).about("one head"), call(*_small, 2), call(*_small, 2, mask=_two).about("a mask"),
            call(_square, _square[::-1], -_square, *_w, 3, _triangle).about("a causal mask"),
            call(5 * _square, 5 * _square[::-1], -_square, *_w, 3, _triangle).about("scores of 1000"),
            call(_square, _square[::-1], -_square, *_w, 3).about("as many queries as keys, and no mask"),
            call(_q, _k, _v, *_w, 3).about("two sequences"),
            call(_q, _k[:, :4], _v[:, :4], *_w, 2).about("two sequences"),
            call(_q, _k, _v, *_w, 3, mask=_mask).about("one mask for both sequences"),
            call(_q, _k, _v, *_w, 3, mask=_padding).about("a mask for each sequence"),
            call(*_pair, 2, mask=np.stack([_two, _two[::-1]])).about("as many sequences as heads, a mask for each"),
            call(*_unequal, 2).about("widths that differ", edge=True),
            call(_square, _square[::-1], -_square, *_w, 3, np.stack([_triangle, _triangle.T, _triangle[::-1]])).about(
                "a mask for each head", edge=True),
            call(_square[:3], _square[3:], -_square[:3], *_w, 3, _each_head).about(
                "as many tokens as heads, a mask for each head", edge=True),
            call(_q, _k, _v, *_w, 3, _each_sequence).about("a mask for each head of each sequence", edge=True),
            call(*_four_axes, *_w, 3, np.stack([_padding, ~_padding])).about("four axes, a mask for each", edge=True),
            *(call(_q, _k, _v, *_w, 3, **{name: b}).about("a bias", edge=True) for name, b in _b.items()),
            call(_q, _k, _v, *_w, 3, _mask, **_b).about("a mask and all biases", edge=True)),
        claims=(
            Claim("what the heads add through their own rows of w_o sums up",
                lambda f: distance(f(_q, _k, _v, *_w, 3), _heads_by_themselves(_q, _k, _v, *_w, 3)), **_LAST_BITS),
            Claim("one head is attention between two projections",
                lambda f: distance(f(_q, _k, _v, *_w, 1), attention(_q @ _w_q, _k @ _w_k, _v @ _w_v) @ _w_o),
                **_LAST_BITS),
            Claim("tokens in another order give the results in that order",
                lambda f: distance(f(*[_square[::-1]] * 3, *_w, 3), f(*[_square] * 3, *_w, 3)[::-1]), **_LAST_BITS),
            Claim("the first token of a causal sequence sees only itself",
                lambda f: distance(f(*[_square] * 3, *_w, 3, _triangle)[0], _square[0] @ _w_v @ _w_o), **_LAST_BITS),
            oracle("torch.nn.MultiheadAttention with the same weights", _torch, call(_q, _q, _q, *_w, 3), **_LAST_BITS),
            oracle("torch.nn.MultiheadAttention looking at other tokens, with a mask", _torch,
                *(call(_q, _k, _v, *_w, h, _mask) for h in (1, 2, 3, 6)), **_LAST_BITS),
            oracle("torch.nn.MultiheadAttention with a mask for each sequence", _torch,
                call(_q, _k, _v, *_w, 3, _padding), **_LAST_BITS)),
        mistakes=(
            Mistake("scaled by the whole width",
                (_FIRST, "heads = (lambda *it: attention(*it, scale=w_q.shape[1] ** -0.5))("),
                "Rows are flatter than they should be, the more so the more heads there are",
                "scale by the width of one head", "ng-video-lecture, pull request 6 (2023)"),
            Mistake("divided by the width of a head",
                (_FIRST, "heads = (lambda *it: attention(*it, scale=n_heads / w_q.shape[1]))("),
                "Rows are flatter than they should be, the more so the wider a head is",
                "divide the scores by the root of a head's width, not by the width"),
            *(Mistake("blocks that begin at h", tuple(map(_one_column_on, it)),
                "The blocks of neighbouring heads overlap: they begin one column after each other",
                "head h has the columns from h * d to (h + 1) * d") for it in ("qkv", "q", "k", "v", "qk")),
            Mistake("first rows of w_o for all", (_LAST, "linear(heads.sum(axis=-3), w_o[: heads.shape[-1]], b_o)"),
                "All heads go through the first rows of w_o", "head h has the rows from h * d to (h + 1) * d"),
            Mistake("contributions side by side",
                (_LAST, "merge_heads(heads @ w_o.reshape(n_heads, -1, w_o.shape[-1]))"),
                "Each head has columns of its own in the result, which is too wide",
                "add what the heads bring: each through its own rows of w_o"),
            Mistake("not scaled", (_FIRST, "heads = (lambda *it: attention(*it, scale=1.0))("),
                "Rows are sharper than they should be", "divide the scores by the root of a head's width"),
            Mistake("heads cut without transposing", _RESHAPED,
                "Each head sees pieces of a few tokens instead of a piece of every token",
                "cut the width into (h, d) first, then swap the axes of tokens and heads", "FuxiCTR, issue 30 (2022)"),
            Mistake("heads joined without transposing", _JOINED, "A token gets what one head found for several tokens",
                "swap the axes of heads and tokens back before joining",
                "jsbaan/transformer-from-scratch, pull request 6 (2026), where training worked all the same"),
            Mistake("heads cut and joined interleaved", (_EVERY_NTH, ("h l d -> ... l (h d)", "h l d -> ... l (d h)")),
                "It trains, but weights from elsewhere give nonsense",
                "head i owns d neighbouring columns, not every h-th one"),
            Mistake("only one head", ("h=n_heads)", "h=1)"), "There is one pattern of attention, whatever n_heads",
                "split before attending"),
            Mistake("last head alone",
                ("merge_heads(heads), w_o, b_o", "heads[..., -1, :, :], w_o[-heads.shape[-1] :], b_o"),
                "Only what the last head found is left: each overwrites the one before",
                "join the heads, or add their results"),
            Mistake("output projection forgotten", (", w_o, b_o)", ", np.eye(len(w_o)), b_o)"),
                "What one head found stays in its own columns", "mix the heads with w_o"),
            Mistake("nothing projected",
                (("linear(q, w_q, b_q)", "q"), ("linear(k, w_k, b_k)", "k"), ("linear(v, w_v, b_v)", "v")),
                "w_q, w_k and w_v make no difference: the tokens themselves are cut",
                "project first, then split into heads"),
            Mistake("values not projected", ("linear(v, w_v, b_v)", "v"), "w_v makes no difference",
                "project the values, too, before they are split"),
            Mistake("keys and values from the queries", (_FIRST, f"k = v = q\n    {_FIRST}"),
                "The tokens to look at make no difference", "project keys from k and values from v"),
            Mistake("hidden after softmax", _hidden_after_softmax, "With a mask, weights sum to less than one",
                "hide scores before softmax: set them to −∞"),
            Mistake("mask inverted", (_FIRST, f"mask = None if mask is None else ~mask\n    {_FIRST}"),
                "Each query sees what it should not, and nothing else",
                "True means may look; torch.nn.MultiheadAttention means the opposite"),
            Mistake("sequences taken for heads",
                ("np.ndim(mask) ==", "mask is not None and len(mask) != n_heads and np.ndim(mask) =="),
                "Where there are as many sequences as heads, a mask for each sequence is taken for one for each head, "
                "or refused",
                "go by the number of axes alone: mask[..., None, :, :] for (b, l, s)"),
            Mistake("mask without an axis for heads", ("mask = beside(mask, q)[..., None, :, :]", "pass"),
                "A mask for each sequence is taken for one for each head, or refused",
                "give a mask (b, l, s) an axis of size 1 for the heads: mask[..., None, :, :]"))),
    Checks(split_heads,
        cases=(
            call(_eight, 2), call(_eight, 4), call(_eight, 1).about("one head"), call(_q, 3).about("two sequences"),
            call(_square, 2), call(np.stack([_q, -_q, 3 * _q]), 2).about("four axes")),
        claims=(
            Claim("head i holds d neighbouring columns of every token",
                lambda f: max(distance(f(_q, 3)[:, i], _q[..., 2 * i : 2 * i + 2]) for i in range(3))),
            Claim("merging the heads gives the tokens back", lambda f: distance(merge_heads(f(_q, 3)), _q)),
            oracle("torch's unflatten and transpose", _unflattened, call(_q, 3), call(_q, 2))),
        mistakes=(
            Mistake("reshaped without transposing", _RESHAPED,
                "A head holds pieces of a few tokens instead of a piece of every token",
                "cut the width into (h, d) first, then swap the axes of tokens and heads", "FuxiCTR, issue 30 (2022)"),
            Mistake("every h-th column", _EVERY_NTH, "A head's columns are not neighbours",
                "cut the width into (h, d), not into (d, h)"),
            Mistake("heads after tokens", ("-> ... h l d", "-> ... l h d"),
                "Attention would compare the heads of one token with each other",
                "put the axis of the heads before that of the tokens"),
            Mistake("heads first", ("-> ... h l d", "-> h ... l d"),
                "With several sequences the heads stand before these", "the heads come just before the tokens"),
            *(Mistake("axes counted from the front", it,
                "Axes are counted from the front, which is right for one number of axes only",
                "count from the end, where tokens are axis -2 and columns -1, and leave all axes before them alone")
                for it in _FROM_THE_FRONT),
            Mistake("number of heads for their width", ("h=n_heads)", "d=n_heads)"),
                "There are as many heads as each should be wide", "n_heads is their number; the width follows"),
            Mistake("wrong axes exchanged", (_SPLIT, "x.reshape(*x.shape[:-1], n_heads, -1).swapaxes(-1, -2)"),
                "The wrong two axes are exchanged, those of heads and columns",
                "cut into (l, h, d), the axes to exchange are -2 and -3"))),
    Checks(merge_heads,
        cases=(
            call(_parts), call(_parts[:1]).about("one head"), call(split_heads(_square, 3)),
            call(split_heads(_q, 3)).about("two sequences"),
            call(split_heads(np.stack([_q, -_q, 3 * _q]), 2)).about("five axes")),
        claims=(
            Claim("it undoes split_heads", lambda f: distance(f(split_heads(_q, 3)), _q)),
            oracle("numpy.concatenate of the heads", lambda x: np.concatenate(list(np.moveaxis(x, -3, 0)), axis=-1),
                call(split_heads(_q, 3)))),
        mistakes=(
            Mistake("joined without transposing", _JOINED, "A row holds what one head has for several tokens",
                "swap the axes of heads and tokens before joining",
                "jsbaan/transformer-from-scratch, pull request 6 (2026)"),
            Mistake("heads added", _ADDED, "Every part of a row is the same sum", "put the heads side by side"),
            Mistake("columns alternate", ("-> ... l (h d)", "-> ... l (d h)"),
                "The columns of one head are no longer neighbours", "join (h, d), not (d, h)"),
            Mistake("not joined", ("-> ... l (h d)", "-> ... l h d"), "The heads keep an axis of their own",
                "reshape them into one row"))),
    Checks(fuse_projections,
        cases=(
            call(*_columns, 2), call(*_columns, 1).about("one head"), call(_w_q, _w_k, _w_v, 3),
            call(_w_q[:5], _w_k[:5], _w_v[:5], 2)),
        claims=(
            Claim("projecting, cutting into heads and then into three gives what separate projections give",
                _fused_gives_separate, **_LAST_BITS),
            oracle("numpy.concatenate of the heads' columns",
                lambda q, k, v, h: np.concatenate([w[:, 2 * i : 2 * i + 2] for i in range(h) for w in (q, k, v)], 1),
                call(_w_q, _w_k, _w_v, 3))),
        mistakes=(
            Mistake("one after the other", (_FUSED, '"r ... h n d -> ... n (r h d)"'),
                "The first third holds queries of all heads",
                "this is torch's layout; here each head's query, key and value stand together"),
            Mistake("column by column", (_FUSED, '"r ... h n d -> ... n (h d r)"'),
                "Queries, keys and values alternate column by column", "keep a head's d columns together"),
            Mistake("heads alternate", (_FUSED, '"r ... h n d -> ... n (d h r)"'),
                "The heads alternate every three columns", "keep a head's d columns together"))),
    Checks(column_of_key, integers=True,
        cases=(*(call(c, d) for d in (2, 3) for c in (0, 1, 2, 5)), call(6, 1), call(40, 32)),
        claims=(
            Claim("the first column of head 1 stands behind head 0 and a query", lambda f: distance(f(4, 4), 16)),
            oracle("fuse_projections of column numbers",
                lambda c, d: fuse_projections(*np.arange(12).reshape(3, 1, 4), 4 // d)[0].tolist().index(4 + c),
                *(call(c, d) for c in range(4) for d in (1, 2, 4)))),
        mistakes=(
            Mistake("queries forgotten", ("+ d + c % d", "+ c % d"), "It is where the query's column goes",
                "the head's d query columns stand before its keys"),
            Mistake("column by column", lambda c, d: 3 * c + 1, "Queries, keys and values alternate column by column",
                "a head's d columns stay together"),
            Mistake("first column of the head", (" + c % d", ""), "All columns of a head go to the same place",
                "add the place within the head, c % d"),
            Mistake("behind the values", ("+ d + c % d", "+ 2 * d + c % d"), "It is where the value's column goes",
                "only the query's d columns stand before the keys"),
            Mistake("heads of one projection", ("* 3 * d", "* d"),
                "Earlier heads are counted with one projection instead of three", "each takes 3d columns"))),
    Checks(absorbed_multiply_adds,
        cases=(call(2, 3, 1), call(5, 12, 3), call(7, 4, 2), call(512, 384, 12)),
        claims=(
            Claim("one head costs what multi-head attention costs with half of its projections",
                lambda f: distance(f(5, 12, 1), 2 * 5 * 12**2 + 2 * 5**2 * 12)),
            oracle("the multiplications of a loop, counted", _counted, call(5, 3, 2), call(2, 4, 3))),
        mistakes=(
            Mistake("all four projections", ("* (n + m)", "* (n + 2 * m)"),
                "It counts four products of the tokens with matrices for each head, where two are left",
                "neither keys nor projected values are formed"),
            Mistake("heads cost nothing", ("2 * n_heads * n", "2 * n"),
                "It is what one head costs: now each works on whole tokens", "count every head at the full width"),
            Mistake("scores of one head", ("n_heads * n * m * (n + m)", "n * m * (n + n_heads * m)"),
                "Scores and averages are counted for one head", "queries are as wide as tokens in every head"),
            Mistake("projections of one head", ("n_heads * n * m * (n + m)", "n * m * (n_heads * n + m)"),
                "The products with matrices are counted for one head", "each head has its own two m × m matrices"),
            Mistake("as before", ("2 * n_heads * n * m * (n + m)", "4 * n * m**2 + 2 * n**2 * m"),
                "It is what multi-head attention costs with keys and values",
                "each head compares and averages whole tokens"))),
)
