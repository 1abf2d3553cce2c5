"""What multi-head attention must satisfy, and how it is usually got wrong."""

import numpy as np

from mlnotes.attention.causal_mask import causal_mask
from mlnotes.attention.multi_head import fuse_projections, merge_heads, multi_head_attention, split_heads
from mlnotes.attention.self_attention import attention
from mlnotes.checks.oldbank import Checks, Claim, Mistake, distance, frozen

_rng = np.random.default_rng(13)
# Two sequences: 5 tokens of width 6 ask 7 others; 3 heads of width 2. Then 6 tokens, as many as they are wide.
_q, _m, _square, _padding, _w_q, _w_k, _w_v, _w_o = frozen(
    _rng.normal(size=(2, 5, 6)) * 2,
    _rng.normal(size=(2, 7, 6)) * 2,
    _rng.normal(size=(6, 6)) * 2,
    np.broadcast_to(np.arange(7) < np.array([7, 4])[:, None, None], (2, 5, 7)).copy(),
    *_rng.normal(size=(4, 6, 6)) / 2,
)
_w = _w_q, _w_k, _w_v, _w_o
_mask, _triangle = frozen(causal_mask(5, 7, offset=2), causal_mask(6, 6))
_LAST_BITS = "sums of at most 12 products in float64: a few units of 1e-16"


def _torch(q, k, v, w, n_heads, mask=None):
    """Ask torch's layer: its matrices are the transposes of ours, and its True hides."""
    import torch

    theirs = torch.nn.MultiheadAttention(6, n_heads, bias=False, batch_first=True, dtype=torch.float64)
    hidden = None
    if mask is not None:
        hidden = ~torch.tensor(np.broadcast_to(mask, (len(q), *mask.shape[-2:]))).repeat_interleave(n_heads, 0)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.tensor(np.concatenate(w[:3], axis=1).T))
        theirs.out_proj.weight.copy_(torch.tensor(w[3].T))
        return theirs(*map(torch.tensor, (q, k, v)), attn_mask=hidden, need_weights=False)[0].numpy()


def _heads_by_themselves(q, k, v, w_q, w_k, w_v, w_o, n_heads):
    """Add up what each head contributes through its own rows of the output projection."""
    d, out = w_q.shape[1] // n_heads, 0
    for i in range(n_heads):
        mine = slice(i * d, (i + 1) * d)
        out = out + attention(q @ w_q[:, mine], k @ w_k[:, mine], v @ w_v[:, mine]) @ w_o[mine]
    return out


def _assembled(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None, split=split_heads, merge=merge_heads, **options):
    if mask is not None and mask.ndim == q.ndim > 2:
        mask = mask[..., None, :, :]
    heads = [split(x @ w, n_heads) for x, w in ((q, w_q), (k, w_k), (v, w_v))]
    return merge(attention(*heads, mask, **options)) @ w_o


def scaled_by_the_whole_width(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None):
    """Divide by the root of all heads' width together."""
    return _assembled(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask, scale=w_q.shape[1] ** -0.5)


def heads_cut_without_transposing(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None):
    """Reshape tokens to heads directly."""
    return _assembled(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask, split=reshaped_without_transposing)


def heads_joined_without_transposing(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None):
    """Reshape heads to tokens directly."""
    return _assembled(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask, merge=joined_without_transposing)


def heads_interleaved(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None):
    """Give each head every n-th column."""
    return _assembled(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask, split=every_nth_column)


def only_one_head(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None):
    """Forget the heads."""
    return _assembled(q, k, v, w_q, w_k, w_v, w_o, 1, mask)


def output_projection_forgotten(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None):
    """Leave the heads side by side."""
    return _assembled(q, k, v, w_q, w_k, w_v, np.eye(len(w_o)), n_heads, mask)


def keys_and_values_from_the_queries(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None):
    """Let tokens look at themselves whomever they should look at."""
    return _assembled(q, q, q, w_q, w_k, w_v, w_o, n_heads, mask)


def mask_inverted(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask=None):
    """Take True for hidden, as torch's layer does."""
    return _assembled(q, k, v, w_q, w_k, w_v, w_o, n_heads, None if mask is None else ~mask)


def reshaped_without_transposing(x, n_heads):
    """Reshape tokens to heads directly."""
    return x.reshape(*x.shape[:-2], n_heads, x.shape[-2], x.shape[-1] // n_heads)


def every_nth_column(x, n_heads):
    """Give each head every n-th column."""
    return np.stack([x[..., i::n_heads] for i in range(n_heads)], axis=-3)


def heads_after_tokens(x, n_heads):
    """Cut the width and leave the axes where they are."""
    return x.reshape(*x.shape[:-1], n_heads, x.shape[-1] // n_heads)


def joined_without_transposing(x):
    """Reshape heads to tokens directly."""
    return x.reshape(*x.shape[:-3], x.shape[-2], x.shape[-3] * x.shape[-1])


def heads_added(x):
    """Add the heads up instead of putting them side by side."""
    return np.tile(x.sum(axis=-3), x.shape[-3])


def one_after_the_other(w_q, w_k, w_v, n_heads):
    """Put all queries before all keys before all values."""
    return np.concatenate([w_q, w_k, w_v], axis=-1)


def column_by_column(w_q, w_k, w_v, n_heads):
    """Alternate single columns of the three."""
    return np.stack([w_q, w_k, w_v], axis=-1).reshape(*w_q.shape[:-1], -1)


def _fused_gives_separate(f):
    """Run the notes' steps on the fused matrix."""
    q, k, v = np.split(split_heads(_q @ f(_w_q, _w_k, _w_v, 3), 3), 3, axis=-1)
    return distance(merge_heads(attention(q, k, v)) @ _w_o, multi_head_attention(_q, _q, _q, *_w, 3))


OLD = (
    Checks(
        multi_head_attention,
        probes=(
            (_q, _m, _m, *_w, 3),
            (_q, _m, _m, *_w, 3, _mask),
            (_square, _square, _square, *_w, 3, _triangle),
            (_q, _m, _m, *_w, 2),
        ),
        claims=(
            Claim(
                "what the heads add through their own rows of w_o sums up",
                lambda f: distance(f(_q, _m, _m, *_w, 3), _heads_by_themselves(_q, _m, _m, *_w, 3)),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "one head is attention between two projections",
                lambda f: distance(f(_q, _m, _m, *_w, 1), attention(_q @ _w_q, _m @ _w_k, _m @ _w_v) @ _w_o),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "tokens in another order give the results in that order",
                lambda f: distance(f(*[_square[::-1]] * 3, *_w, 3), f(*[_square] * 3, *_w, 3)[::-1]),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "the first token of a causal sequence sees only itself",
                lambda f: distance(f(*[_square] * 3, *_w, 3, _triangle)[0], _square[0] @ _w_v @ _w_o),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "torch.nn.MultiheadAttention with the same weights",
                lambda f: distance(f(_q, _q, _q, *_w, 3), _torch(_q, _q, _q, _w, 3)),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
            Claim(
                "torch.nn.MultiheadAttention looking at other tokens, with a mask",
                lambda f: max(
                    distance(f(_q, _m, _m, *_w, h, _mask), _torch(_q, _m, _m, _w, h, _mask)) for h in (1, 2, 3, 6)
                ),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
            Claim(
                "torch.nn.MultiheadAttention with a mask for each sequence",
                lambda f: distance(f(_q, _m, _m, *_w, 3, _padding), _torch(_q, _m, _m, _w, 3, _padding)),
                1e-12,
                _LAST_BITS,
                "oracle",
                edge=True,
            ),
        ),
        mistakes=(
            Mistake(
                scaled_by_the_whole_width,
                "Rows are flatter than they should be, the more so the more heads there are",
                "scale by the width of one head",
                "ViT-CIFAR, pull request 12 (2026)",
            ),
            Mistake(
                heads_cut_without_transposing,
                "Each head sees pieces of a few tokens instead of a piece of every token",
                "cut the width into (h, d) first, then swap the axes of tokens and heads",
                "FuxiCTR, issue 30 (2022)",
            ),
            Mistake(
                heads_joined_without_transposing,
                "A token gets what one head found for several tokens",
                "swap the axes of heads and tokens back before joining",
                "transformer-from-scratch, pull request 6 (2026), where training worked all the same",
            ),
            Mistake(
                heads_interleaved,
                "It trains, but weights from elsewhere give nonsense",
                "head i owns d neighbouring columns, not every h-th one",
            ),
            Mistake(only_one_head, "There is one pattern of attention, whatever n_heads", "split before attending"),
            Mistake(
                output_projection_forgotten,
                "What one head found stays in its own columns",
                "mix the heads with w_o",
            ),
            Mistake(
                keys_and_values_from_the_queries,
                "The tokens to look at make no difference",
                "project keys from k and values from v",
            ),
            Mistake(
                mask_inverted,
                "Each query sees what it should not, and nothing else",
                "True means may look; torch.nn.MultiheadAttention means the opposite",
            ),
        ),
    ),
    Checks(
        split_heads,
        probes=((_q, 3), (_q, 2), (_square, 3)),
        claims=(
            Claim(
                "head i holds d neighbouring columns of every token",
                lambda f: max(distance(f(_q, 3)[:, i], _q[..., 2 * i : 2 * i + 2]) for i in range(3)),
            ),
            Claim("merging the heads gives the tokens back", lambda f: distance(merge_heads(f(_q, 3)), _q)),
            Claim(
                "torch's unflatten and transpose",
                lambda f: distance(f(_q, 3), _unflattened(_q, 3)),
                kind="oracle",
            ),
        ),
        mistakes=(
            Mistake(
                reshaped_without_transposing,
                "A head holds pieces of a few tokens instead of a piece of every token",
                "cut the width into (h, d) first, then swap the axes of tokens and heads",
                "FuxiCTR, issue 30 (2022)",
            ),
            Mistake(
                every_nth_column,
                "A head's columns are not neighbours",
                "cut the width into (h, d), not into (d, h)",
            ),
            Mistake(
                heads_after_tokens,
                "Attention would compare the heads of one token with each other",
                "put the axis of the heads before that of the tokens",
            ),
        ),
    ),
    Checks(
        merge_heads,
        probes=((split_heads(_q, 3),), (split_heads(_square, 3),)),
        claims=(
            Claim("it undoes split_heads", lambda f: distance(f(split_heads(_q, 3)), _q)),
            Claim(
                "numpy.concatenate of the heads",
                lambda f: distance(
                    f(split_heads(_q, 3)), np.concatenate(list(np.moveaxis(split_heads(_q, 3), -3, 0)), axis=-1)
                ),
                kind="oracle",
            ),
        ),
        mistakes=(
            Mistake(
                joined_without_transposing,
                "A row holds what one head has for several tokens",
                "swap the axes of heads and tokens before joining",
                "transformer-from-scratch, pull request 6 (2026)",
            ),
            Mistake(heads_added, "Every part of a row is the same sum", "put the heads side by side"),
        ),
    ),
    Checks(
        fuse_projections,
        probes=((_w_q, _w_k, _w_v, 3), (_w_q, _w_k, _w_v, 2)),
        claims=(
            Claim(
                "projecting, cutting into heads and then into three gives what separate projections give",
                _fused_gives_separate,
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "numpy.concatenate of the heads' columns",
                lambda f: distance(
                    f(_w_q, _w_k, _w_v, 3),
                    np.concatenate([w[:, 2 * i : 2 * i + 2] for i in range(3) for w in (_w_q, _w_k, _w_v)], axis=1),
                ),
                kind="oracle",
            ),
        ),
        mistakes=(
            Mistake(
                one_after_the_other,
                "The first third holds queries of all heads",
                "this is torch's layout; here each head's query, key and value stand together",
            ),
            Mistake(
                column_by_column,
                "Queries, keys and values alternate column by column",
                "keep a head's d columns together",
            ),
        ),
    ),
)


def _unflattened(x, n_heads):
    import torch

    return torch.tensor(x).unflatten(-1, (n_heads, -1)).transpose(-2, -3).numpy()
