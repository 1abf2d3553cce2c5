"""What online softmax and attention in blocks must satisfy, and how they are usually got wrong."""

import math

import numpy as np

from mlnotes.attention.causal_mask import causal_mask
from mlnotes.attention.self_attention import attention
from mlnotes.blocks.softmax import softmax
from mlnotes.checks.bank import Checks, Claim, Mistake, call, distance, frozen, in_parts, oracle
from mlnotes.efficient.flash import (
    attention_and_lse,
    attention_traffic,
    causal_flash_attention,
    flash_attention,
    flash_attention_gradients,
    largest_block_size,
    merge_attentions,
    online_softmax,
)

_rng = np.random.default_rng(23)
_q, _k, _v, _bias, _grad, _x = frozen(*(_rng.normal(size=it)
    for it in ((2, 11, 5), (2, 13, 5), (2, 13, 7), (2, 11, 13), (2, 11, 7), (3, 4, 17))))
_mask = _rng.random((2, 11, 13)) > 0.4
_blind = np.array(_mask & (np.arange(11)[:, None] != 3) & ((np.arange(11)[:, None] < 5) | (np.arange(13) > 8)))
frozen(_mask, _blind)
# Small enough to be read in a report.
_q2, _k3, _v3, _two, _b2, _g2 = frozen(np.array([[1.0], [2.0]]), np.array([[0.0], [1.0], [-1.0]]), np.array([[4.0, 0.0],
    [0.0, 8.0], [2.0, 2.0]]), np.array([[True, True, False], [True, False, True]]), np.array([[0.0, 1.0, 2.0],
    [3.0, 0.0, 0.0]]), np.array([[1.0, 0.0], [2.0, -1.0]]))
_second = np.array([[False, False, False], [True, False, True]])
_LAST_BITS = {"tolerance": 1e-12, "why": "sums of at most 17 numbers or products in float64: a few units of 1e-16"}


def _torch(q, k, v, mask=None, bias=None, scale=None, block_size=256):
    import torch

    added = torch.zeros(q.shape[-2], k.shape[-2], dtype=torch.float64) if bias is None else torch.tensor(bias)
    if mask is not None:
        added = added.masked_fill(~torch.tensor(mask), -math.inf)
    attend = torch.nn.functional.scaled_dot_product_attention
    return attend(*map(torch.tensor, (q, k, v)), attn_mask=added, scale=scale).numpy()


def _by_autograd(grad, out, lse, q, k, v, mask=None, bias=None, scale=None, block_size=256, offset=None):
    import torch

    inputs = [torch.tensor(x, requires_grad=True) for x in (q, k, v, bias) if x is not None]
    found = attention(*inputs[:3], mask, *inputs[3:] or [None], scale)
    return np.concatenate([it.numpy().ravel() for it in torch.autograd.grad(found, inputs, torch.tensor(grad))])


def _scipy(x, axis=-1, block_size=256):
    import scipy.special

    return scipy.special.softmax(x, axis)


def _scores_summed(q, k, v, block_size):
    import scipy.special

    return None, scipy.special.logsumexp(q @ k.mT / math.sqrt(q.shape[-1]), axis=-1)


def _moved(l, s, d, e, block_size):  # noqa: E741
    parts = np.split(np.zeros((l, d + e)), range(block_size, l, block_size))
    return sum(rows.size + np.zeros((s, d + e)).size for rows in parts)


def _needs(size, d, e):
    return 2 * size * (d + e + 1) + size**2


def _of(version, *arguments, **named):
    """Put the gradients side by side."""
    return np.concatenate([np.ravel(it) for it in version(*arguments, **named)])


def _backward(grad, q, k, v, **named):
    return call(grad, *attention_and_lse(q, k, v, **named), q, k, v, **named)


def _parts(q, k, v, *ends):
    """Attend to the keys before, between and behind some places, each part by itself."""
    cuts = zip((0, *ends), (*ends, k.shape[-2]), strict=True)
    parts = [attention_and_lse(q, k[..., a:b, :], v[..., a:b, :]) for a, b in cuts]
    return frozen(*(np.stack(it) for it in zip(*parts, strict=True)))


def _whole(f, *ends):
    return max(map(distance, f(*_parts(_q, _k, _v, *ends)), attention_and_lse(_q, _k, _v)))


def _in_any_order(f):
    """Three parts, two of which are merged first: which two must not matter."""
    outs, lses = _parts(_q, _k, _v, 4, 6)
    found = []
    for a, b, c in (0, 1, 2), (1, 2, 0), (2, 0, 1):
        first = f(outs[[a, b]], lses[[a, b]])
        found.append(f(*(np.stack([x, y[c]]) for x, y in zip(first, (outs, lses), strict=True))))
    return max(distance(x, y) for other in found[1:] for x, y in zip(found[0], other, strict=True))


def _options(q, k, v, bias, mask):
    return (call(q, k, v, mask=mask).about("a mask"), call(q, k, v, bias=bias).about("a bias"),
        call(q, k, v, scale=0.3).about("a scale"), call(q, k, v, block_size=1).about("keys one by one"),
        call(q, k, v, block_size=4).about("blocks of 4"), call(q, k, v, mask, bias, 0.3, 4).about("all options"))


_small_parts = frozen(np.array([[[4.0, 0.0]], [[0.0, 8.0]]]), np.array([[0.0], [np.log(3)]]))
_blind_parts = frozen(np.array([[[4.0], [0.0], [0.0]], [[2.0], [0.0], [3.0]]]), np.array([[1.0, -math.inf, -math.inf],
    [-math.inf, -math.inf, 1.0]]))
_EXTREME = np.array([[-math.inf, -800.0, 800.0, 799.0, -math.inf], [-math.inf] * 5, [-900.0, -800.0, -1e9, -801.0,
    -800.0], [-math.inf, -math.inf, -800.0, -801.0, -802.0]])
_BOTH = in_parts("out", "lse")
_TOTAL = "total = factor * total + xp.sum(exponentials, axis=-1, keepdims=True)"
_OUT = "out = factor * out + exponentials @ v[..., keys, :]"
_MAXIMUM = ("new = xp.maximum(top, xp.max(scores, axis=-1, keepdims=True))",
    "new = xp.max(scores, axis=-1, keepdims=True)")
_NO_MAXIMUM = ("shift = _finite(new)", "shift = top = xp.zeros_like(new)")
_PLAIN_LSE = ("(top + xp.log(or_one(total)))", "xp.log(total)")
_EVERY_BLOCK = ("        if seen is not None and not xp.any(seen):\n            continue\n", "")
_LAST_BLOCK = ("range(0, n, size)", "range(0, n - n % size or n, size)")
_SEEN = "scores if seen is None else xp.where(seen, scores, -math.inf)"
_SCALE = "queries = q * (q.shape[-1] ** -0.5 if scale is None else as_like(scale, q))"
_IN_BLOCKS = (
    Mistake("not rescaled", (_OUT, _OUT.replace("factor * out", "out")),
        "Right in one block; else the first blocks count too much wherever a larger score comes later",
        "the running sum of values shrinks by exp(old maximum − new maximum), as the sum of exponentials does"),
    Mistake("sum not rescaled", (_TOTAL, _TOTAL.replace("factor * total", "total")),
        "Right in one block; else results are too small wherever a larger score comes later",
        "the running sum shrinks by exp(old maximum − new maximum), too"),
    Mistake("maximum of the block", _MAXIMUM,
        "Right in one block; a block of very small scores makes what came before overflow",
        "the new maximum is the larger of the old one and that of the block"),
    Mistake("no maximum", (_NO_MAXIMUM, _PLAIN_LSE), "Large scores overflow, and very small ones give zeros",
        "take the running maximum off before exp"),
    Mistake("divided in every block", (("out = factor * out + exponentials @ v[..., keys, :]",
        "out = (factor * out + exponentials @ v[..., keys, :]) / or_one(total)"),
        ("outs.append(out / or_one(total))", "outs.append(out)"), _EVERY_BLOCK),
        "Right in one block; else the first blocks are divided again and again", "divide once, after the last block"),
    Mistake("last block left out", _LAST_BLOCK,
        "The last keys and queries are lost where the block size does not divide",
        "let the last block be shorter"),
    Mistake("last keys left out",
        ("_blocks(k.shape[-2], block_size)", "_blocks(k.shape[-2] // block_size * block_size, block_size)"),
        "The last keys do not count where the block size does not divide", "let the last block be shorter"),
    Mistake("maximum of at least 0", ("top = total - math.inf", "top = total"),
        "The maximum begins at 0, so that scores far below it all get the weight 0", "let it begin at −∞"),
)
_GV = "grad[..., rows, :] @ v[..., keys, :].mT"
_GRAD_SCORES = f"weights * ({_GV} - delta[..., rows, :])"
_MASKED = (
    Mistake("mask inverted", ("else mask[_at(mask, rows, keys)]", "else ~mask[_at(mask, rows, keys)]"),
        "Each query sees what it should not, and nothing else",
        "True means may look"),
    Mistake("mask of the first block",
        ("mask[_at(mask, rows, keys)]", "mask[..., : rows.stop - rows.start, : keys.stop - keys.start]"),
        "Later blocks are masked as the first one is", "cut the block out of the mask at its own rows and columns"),
    Mistake("hidden scores of 0", ((_SEEN, _SEEN.replace("-math.inf", "0.0")), _EVERY_BLOCK),
        "Keys that are hidden get weight, as if their score were 0", "set their scores to −inf before the maximum"),
    Mistake("bias of the first block",
        ("bias[_at(bias, rows, keys)]", "bias[..., : rows.stop - rows.start, : keys.stop - keys.start]"),
        "Later blocks get the bias of the first one", "cut the block out of the bias at its own rows and columns"),
    Mistake("bias scaled, too", ("_rescale(top, _scores(queries, k, bias, ", "_rescale(top, _scores(queries, k, "
        "None if bias is None else bias * (q.shape[-1] ** -0.5 if scale is None else scale), "),
        "The bias is multiplied by the scale, too", "add the bias to the scaled scores"),
)
_SCALED = (
    Mistake("scale forgotten", (_SCALE, _SCALE.replace("q.shape[-1] ** -0.5 if", "1.0 if")),
        "Rows are sharper than they should be where no scale is given",
        "unless a scale is given, divide the scores by the root of the width"),
    Mistake("scale on top of the root",
        (_SCALE, "queries = q * q.shape[-1] ** -0.5 * (1.0 if scale is None else scale)"),
        "A scale that is given acts sqrt(d) times too weakly", "let it stand in the place of 1/sqrt(d)"),
)

def _with_the_maximum_so_far(outs, lses):
    """Merge the parts one by one, and take the larger log-sum-exp for that of both."""
    out, lse = outs[0], lses[0]
    for other, its_lse in zip(outs[1:], lses[1:], strict=True):
        first, second = softmax(np.stack([lse, its_lse]), axis=0)[..., None]
        out, lse = first * out + second * other, np.maximum(lse, its_lse)
    return out, merge_attentions(outs, lses)[1]


CHECKS = (
    Checks(online_softmax,
        cases=(
            call(np.array([0.0, 1.0, 2.0]), block_size=1), call(np.array([2.0, 1.0, 0.0, 3.0]), block_size=2),
            call(np.array([1.0, 0.0])),
            call(np.array([-3e9, -3e9 - 1]), block_size=1).about("scores far below 0", tolerance=1e-6),
            call(_x, axis=1).about("the second of three axes"),
            call(_x, block_size=5).about("blocks that do not divide"),
            call(_x, 0, 2).about("the first axis, in blocks"), call(300 * _x, block_size=3).about("scores of hundreds"),
            call(_EXTREME, block_size=1).about("scores of ±800 and −inf"),
            call(_EXTREME, block_size=2).about("scores of ±800 and −inf, in blocks"),
            call(np.array([[0.0, math.inf, 1.0], [math.inf, 3.0, math.inf]]), block_size=1).about("inf", edge=True),
            call(_x.astype(np.float32), block_size=4).about("float32", edge=True),
            call(np.array([7.0])).about("a single score")),
        claims=(
            Claim("softmax, whatever the size of the blocks",
                lambda f: max(distance(f(_x, -1, n), softmax(_x)) for n in range(1, 19)), **_LAST_BITS),
            Claim("a constant more changes nothing", lambda f: distance(f(_x + 1000, -1, 3), f(_x, -1, 3)), 1e-11,
                "scores of 1000 are known to 1e-13"),
            oracle("scipy.special.softmax", _scipy, call(_x, block_size=5), call(_x, 0, 2), call(300 * _x, 1, 1),
                **_LAST_BITS)),
        mistakes=(
            Mistake("sum not rescaled", (_TOTAL, _TOTAL.replace("factor * total", "total")),
                "Right in one block; else rows sum to less than one wherever a larger score comes later",
                "the sum shrinks by exp(old maximum − new maximum) when the maximum grows"),
            Mistake("rescaled the wrong way", ("xp.exp(top - shift)", "xp.exp(shift - top)"),
                "Every weight is nan", "begin with the maximum −∞ and the sum 0, and shrink the sum by "
                "exp(old maximum − new maximum): that exponent is never positive"),
            Mistake("maximum of at least 0", ("xp.full_like(x[..., :1], -math.inf)", "xp.zeros_like(x[..., :1])"),
                "Scores far below 0 all get the weight 0: the maximum begins at 0", "let it begin at −∞"),
            Mistake("new exponentials rescaled", (_TOTAL, "total = (factor if block.start else 1.0) * (total + "
                "xp.sum(exponentials, axis=-1, keepdims=True))"),
                "Exponentials of the new block shrink, too",
                "only the older sum shrinks: factor · total + the block's own sum"),
            Mistake("maximum of the block", _MAXIMUM,
                "Right in one block; a block far below the others makes sums overflow",
                "the new maximum is the larger of the old one and that of the block"),
            Mistake("no maximum", (_NO_MAXIMUM, ("xp.exp(x - _finite(top))", "xp.exp(x)")), "Large scores overflow",
                "take the running maximum off before exp"),
            Mistake("softmax of each block", ("return xp.moveaxis(xp.exp(x - _finite(top)) / or_one(total), -1, axis)",
                "parts = [softmax(x[..., it]) for it in _blocks(x.shape[-1], block_size)]\n"
                "    return xp.moveaxis(xp.concat(parts, axis=-1), -1, axis)"), "Every block sums to one",
                "divide by the sum over all blocks"),
            Mistake("block with its own maximum",
                ("scores = scores - shift", "scores = scores - _finite(xp.max(scores, axis=-1, keepdims=True))"),
                "Right in one block; else a block below the maximum counts too much",
                "take the running maximum off the new scores, too"),
            Mistake("one maximum for all rows", ("xp.max(scores, axis=-1, keepdims=True)", "xp.max(scores)"),
                "Rows that lie far below the largest of all scores vanish", "each row has a maximum of its own"),
            Mistake("older exponentials kept", ("xp.exp(x - _finite(top))", "xp.concat([xp.exp(x[..., it] - _finite("
                "xp.max(x[..., : it.stop], axis=-1, keepdims=True))) for it in _blocks(x.shape[-1], block_size)], -1)"),
                "Weights of the first blocks are too large: their exponentials keep an older maximum",
                "rescale them, too, or take exp of all scores at the end"),
            Mistake("axis left last", ("xp.moveaxis(xp.exp(x - _finite(top)) / or_one(total), -1, axis)",
                "xp.exp(x - _finite(top)) / or_one(total)"), "The axes of the result stand in another order",
                "move the axis back to where it was"),
            Mistake("last block left out", _LAST_BLOCK,
                "The last scores do not count where the block size does not divide",
                "let the last block be shorter"),
            Mistake("empty row of nan", (("xp.exp(x - _finite(top)) / or_one(total)", "xp.exp(x - top) / total"),
                ("shift = _finite(new)", "shift = new")),
                "A row of −inf, or one whose first block is nothing but −inf, gives nan",
                "−inf less −inf is nan: take 0, or the lowest float, for the maximum of nothing, and "
                "do not divide by a sum of 0"))),
    Checks(flash_attention,
        cases=(
            call(_q2, _k3, _v3), call(_q2, _k3, _v3, block_size=1).about("one at a time"),
            call(_q2, _k3, _v3, block_size=2).about("blocks of 2"),
            call(_q2, _k3, _v3, mask=_two, block_size=1).about("a mask, one at a time"),
            *_options(_q, _k, _v, _bias, _mask), call(100 * _q, 10 * _k, _v, block_size=3).about("scores of 1000"),
            call(_q, _k, _v, mask=_blind, block_size=4).about("a query and blocks that see no key"),
            call(_q, _k, _v, mask=_mask[0, :, :1], bias=_bias[:, :1],
                block_size=4).about("a mask and a bias that broadcast", edge=True),
            call(900 * _q2, -1 - abs(_k3), _v3, block_size=1).about("scores of −900 and below"),
            call(*(it.astype(np.float16) for it in (_q, _k, _v)), block_size=4).about("float16", edge=True),
            call(_q2, _k3, _v3, bias=np.array([[0.0, math.inf, 0.0], [-math.inf, 2.0, -math.inf]]),
                block_size=1).about("an infinite bias", edge=True),
            call(*(it.astype(np.float32) for it in (_q, _k, _v)), block_size=4).about("float32", edge=True)),
        claims=(
            Claim("attention, whatever the size of the blocks", lambda f: max(distance(f(_q, _k, _v, _mask, _bias, 0.3,
                n),
                attention(_q, _k, _v, _mask, _bias, 0.3)) for n in range(1, 15)), **_LAST_BITS),
            Claim("queries and blocks that see nothing give zeros",
                lambda f: distance(f(_q, _k, _v, _blind, block_size=4), attention(_q, _k, _v, _blind)), **_LAST_BITS),
            Claim("values that are all alike come back",
                lambda f: distance(f(_q, _k, np.ones((2, 13, 7)), block_size=4), np.ones((2, 11, 7))), **_LAST_BITS),
            oracle("scaled_dot_product_attention with a mask, a bias and a scale", _torch,
                call(_q, _k, _v, _mask, _bias, 0.3, 4), call(_q, _k, _v, block_size=3), **_LAST_BITS)),
        mistakes=(*_IN_BLOCKS, *_MASKED, *_SCALED)),
    Checks(causal_flash_attention,
        cases=(
            call(_k3, 2 * _k3, _v3), call(_k3, 2 * _k3, _v3, block_size=1).about("one at a time"),
            call(_q2, _k3, _v3, offset=1).about("an offset"), call(_q, _k, _v).about("fewer queries than keys"),
            call(_q, _k, _v, offset=2).about("an offset"), call(_q, _k, _v, scale=0.3).about("a scale"),
            call(_q, _k, _v, block_size=4).about("blocks of 4"), call(_q, _k, _v, 2, 0.3, 4).about("all options"),
            call(_q, _k, _v, 3, block_size=4).about("an offset of a block less one"),
            call(_q, _k, _v, 4, block_size=4).about("an offset of a block"),
            call(_k, _q, _v[:, :11], block_size=3).about("more queries than keys"),
            call(_q, _k, _v, 40, block_size=4).about("an offset behind all keys"),
            call(200 * _q, 10 * _k, _v, block_size=1).about("scores of 1000")),
        claims=(
            Claim("attention with a causal mask, whatever the size of the blocks", lambda f: max(distance(f(_q, _k, _v,
                i,
                0.3, n), attention(_q, _k, _v, causal_mask(11, 13, i), scale=0.3)) for n in range(1, 15)
                for i in (0, 1, 2, 3, 5)), **_LAST_BITS),
            Claim("the first query gets the first value", lambda f: distance(f(_q, _k, _v)[:, 0], _v[:, 0]),
                **_LAST_BITS),
            oracle("scaled_dot_product_attention with a causal mask", lambda q, k, v, offset=0, scale=None,
                block_size=256:
                _torch(q, k, v, causal_mask(11, 13, offset), scale=scale), call(_q, _k, _v, 2, 0.3, 4), call(_q, _k,
                    _v),
                **_LAST_BITS)),
        mistakes=(
            Mistake("offset forgotten", (("keys.start >= rows.stop + offset", "keys.start >= rows.stop"),
                ("keys.stop > rows.start + offset + 1", "keys.stop > rows.start + 1"), ("[:, None] + offset",
                    "[:, None]")),
                "With an offset, queries do not see the last keys that they may",
                    "query i may look at keys 0 to i + offset",
                "PyTorch's is_causal, issue 108108 (2023)"),
            Mistake("triangle in every block", (("xp.arange(rows.start, rows.stop, device=device(k))",
                "xp.arange(keys.start, keys.start + rows.stop - rows.start, device=device(k))"),
                ("if offset is not None and keys.stop > rows.start + offset + 1:", "if offset is not None:")),
                "Right in one block; else blocks below the diagonal are cut, too",
                    "count rows and columns from the start of the text"),
            Mistake("itself hidden",
                (("<= own", "< own"), ("keys.stop > rows.start + offset + 1", "keys.stop > rows.start + offset")),
                "No query sees its own key; without an offset, the first sees nothing", "key i + offset is allowed"),
            Mistake("diagonal block left out",
                ("keys.start >= rows.stop + offset", "keys.start >= rows.start + offset"),
                "A block of keys is left out unless it begins before the first query of its rows",
                "leave a block out if its first key is behind its last query"),
            Mistake("mask forgotten", (_SEEN, "scores"), "Keys of the same block are seen before their time",
                "mask the blocks that the diagonal crosses"),
            *_IN_BLOCKS, *_SCALED)),
    Checks(attention_and_lse, run=_BOTH,
        cases=(
            call(_q2, _k3, _v3), *_options(_q, _k, _v, _bias, _mask), call(_q, _k, _v, offset=2).about("an offset"),
            call(_q, _k, _v, _mask, _bias, 0.3, 4, 3).about("all options and an offset"),
            *(call(_q, _k, _v, block_size=n, offset=i).about("an offset, in blocks") for n, i in ((3, 0), (4, 3), (4,
                4),
                (5, 7), (2, 1), (1, 2), (5, 40))),
            call(_k, _q, _v[:, :11], block_size=3, offset=0).about("more queries than keys"),
            call(_q, _k, _v, mask=_blind, block_size=4).about("a query and blocks that see no key"),
            call(_q, _k, _v, mask=_blind, block_size=4, offset=3).about("a mask and an offset"),
            call(_q, _k, _v, mask=_mask[0, :, :1], bias=_bias[:, :1],
                block_size=4).about("a mask and a bias that broadcast"),
            call(_q, _k, _v, mask=_mask[:, :1], bias=_bias[:, :, :1],
                block_size=4).about("a mask and a bias that broadcast"),
            call(_q[0], _k, _v[0], block_size=4).about("queries and values for all sequences"),
            call(_q, _k[0], _v, block_size=4).about("keys for all sequences"),
            call(_q, _k[..., :2, :], _v[..., :2, :], block_size=5).about("two keys, queries in blocks"),
            call(_q[..., :2, :], _k, _v, mask=_mask[:, :1], block_size=6).about("two queries, keys in blocks"),
            call(_q, _k[:1], _v[:1], block_size=4).about("one head of keys for all heads of queries"),
            call(*(np.stack([it, it[::-1], -it]) for it in (_q, _k, _v)), block_size=4).about("heads of three texts"),
            call(900 * _q2, -1 - abs(_k3), _v3, block_size=1).about("scores of −900 and below"),
            call(100 * _q, 10 * _k, _v, block_size=3).about("scores of 1000"),
            *(call(_q2, _k3, _v3, bias=np.array([[0.0, math.inf, 0.0], [-math.inf, 2.0, -math.inf]]),
                block_size=n).about("an infinite bias") for n in (1, 2)),
            *(call(*(it.astype(np.float16) for it in (_q, _k, _v)), block_size=n).about("float16") for n in (4, 13)),
            call(_q, _k, _v.astype(np.float32), block_size=4).about("values in float32")),
        claims=(
            Claim("attention, with a mask, a bias, a scale and an offset, whatever the size of the blocks",
                lambda f: max(distance(f(_q, _k, _v, _mask, _bias, 0.3, n, 3)[0], attention(_q, _k, _v, _mask
                & causal_mask(11, 13, 3), _bias, 0.3)) for n in range(1, 15)), **_LAST_BITS),
            oracle("scipy.special.logsumexp of the scores", _scores_summed, call(_q, _k, _v, block_size=4),
                run=lambda f, *arrays, **named: f(*arrays, **named)[1], **_LAST_BITS)),
        mistakes=(
            Mistake("maximum for lse", ("(top + xp.log(or_one(total)))", "top"), "The log-sum-exp is the maximum",
                "add the logarithm of the sum"),
            Mistake("sum for lse", ("(top + xp.log(or_one(total)))", "xp.log(or_one(total))"),
                "The log-sum-exp depends on the maximum that was taken off", "add the maximum again"),
            *_IN_BLOCKS, *_MASKED)),
    Checks(merge_attentions, run=_BOTH,
        cases=(
            call(*_small_parts), call(_small_parts[0], 0 * _small_parts[1] - 2.0).about("parts of equal weight"),
            call(*_parts(_q, _k, _v, 4, 6)).about("three parts"), call(*_parts(_q, _k, _v)).about("a single part"),
            call(_parts(_q, _k, _v, 6)[0], 1000 * _parts(_q, _k, _v, 6)[1]).about("log-sum-exps of thousands"),
            call(_parts(_q, _k, _v, 6)[0], _parts(_q, _k, _v, 6)[1] - 900).about("log-sum-exps of −900"),
            call(_blind_parts[0], _blind_parts[1] - 2000).about("a query that sees nothing")),
        claims=(
            Claim("attention to all keys, from three parts", lambda f: _whole(f, 4, 6), **_LAST_BITS),
            Claim("attention to all keys, from keys one by one", lambda f: _whole(f, *range(1, 13)), **_LAST_BITS),
            Claim("which parts are merged first does not matter", _in_any_order, **_LAST_BITS),
            oracle("numpy.logaddexp over the parts", lambda outs, lses: (None, np.logaddexp.reduce(lses)),
                call(*_parts(_q, _k, _v, 4, 6)), run=lambda f, *parts: f(*parts)[1], **_LAST_BITS)),
        mistakes=(
            Mistake("not divided", lambda outs, lses: (np.sum(np.exp(lses - np.max(lses, 0))[..., None] * outs, 0),
                merge_attentions(outs, lses)[1]), "Results of two sets are nearly added",
                "divide by the sum of the weights"),
            Mistake("nothing seen is nan", (("softmax(_at_least_single(lses), axis=0)",
                "xp.exp(lses - xp.max(lses, axis=0)) / xp.sum(xp.exp(lses - xp.max(lses, axis=0)), axis=0)"),
                ("logsumexp(lses, axis=0)", "xp.max(lses, axis=0) + xp.log(xp.sum(xp.exp(lses - xp.max(lses, axis=0)), "
                "axis=0))")), "A query that sees nothing of any part gives nan",
                "−∞ less −∞ is nan: take 0 for the maximum of nothing, and do not divide by 0"),
            Mistake("maximum lost", ("logsumexp(lses, axis=0)", "logsumexp(lses - xp.where(xp.isfinite(top := "
                "xp.max(lses, axis=0)), top, 0.0), axis=0)"), "The lse lacks the maximum that was taken off",
                "add it back: maximum + log(sum)"),
            *(Mistake("plain mean", ("out = xp.sum(weights[..., None] * outs, axis=0)", f"out = {it}"),
                "Every part counts alike, whatever its scores", "weigh the parts by a softmax over their log-sum-exps")
                for it in ("xp.mean(_at_least_single(outs), axis=0)", *(f"xp.sum({seen}, axis=0) / xp.clip(xp.sum("
                "xp.isfinite(lses), axis=0), min=1)[..., None]" for seen in ("outs",
                "xp.where(xp.isfinite(lses)[..., None], outs, 0.0)")))),
            Mistake("weights of lse", ("softmax(_at_least_single(lses), axis=0)", "lses / xp.sum(lses, axis=0)"),
                "Parts are weighed with logarithms", "take the exponentials of the log-sum-exps: their softmax"),
            Mistake("no maximum", (("softmax(_at_least_single(lses), axis=0)", "xp.exp(lses)"),
                ("outs, axis=0)\n", "outs, axis=0) / xp.where(sum(weights) == 0, 1.0, sum(weights))[..., None]\n"),
                ("logsumexp(lses, axis=0)", "xp.log(xp.sum(xp.exp(lses), axis=0))")),
                "Exponentials of large log-sum-exps overflow, those of very small ones vanish",
                "take the largest log-sum-exp of each query off first"),
            Mistake("softmax over queries", ("axis=0)\n    out", "axis=-1)\n    out"),
                "The weights of the parts do not sum to one",
                "take the softmax over the parts, axis 0"),
            Mistake("lse overflows", ("logsumexp(lses, axis=0)", "xp.log(xp.sum(xp.exp(lses), axis=0))"),
                "Large log-sum-exps overflow, very small ones vanish", "use logsumexp"),
            Mistake("lse added", ("logsumexp(lses, axis=0)", "xp.sum(lses, axis=0)"),
                "The log-sum-exp is the plain sum of those of the parts",
                "add the sums, not their logarithms: logsumexp"),
            Mistake("lse averaged", ("logsumexp(lses, axis=0)",
                "xp.sum(softmax(lses, axis=0) * xp.where(lses == -math.inf, 0.0, lses), axis=0)"),
                "The log-sum-exp is averaged as the results are", "add the sums, not their logarithms: logsumexp"),
            Mistake("maximum kept", ("logsumexp(lses, axis=0)", "xp.max(lses, axis=0)"),
                "The log-sum-exp is that of the largest part", "add the sums: logsumexp"),
            Mistake("weights not divided", lambda outs, lses: (np.sum(np.exp(lses - np.nan_to_num(np.max(lses, axis=0),
                neginf=0.0))[..., None] * outs, axis=0), merge_attentions(outs, lses)[1]),
                "Results of two sets are nearly added", "divide by the sum of the weights"),
            Mistake("maximum carried along", _with_the_maximum_so_far,
                "From the third on, parts are weighed against the largest before them alone",
                "carry the log-sum-exp of all parts so far along, not their maximum"))),
    Checks(flash_attention_gradients, ones=False, spare=("out", "lse"),
        run=in_parts("grad_q", "grad_k", "grad_v", "grad_bias"),
        cases=(
            _backward(_g2, _q2, _k3, _v3), _backward(_g2, _q2, _k3, _v3, block_size=1).about("one at a time"),
            _backward(_g2, _q2, _k3[1:], _v3[1:]).about("as many queries as keys"),
            _backward(_grad, _q, _k, _v), _backward(_grad, _q, _k, _v, mask=_mask).about("a mask"),
            _backward(_grad, _q, _k, _v, bias=_bias).about("a bias"),
            _backward(_grad, _q, _k, _v, bias=_bias[0]).about("a bias for all sequences"),
            _backward(_g2, _q2, _k3, _v3, mask=_second).about("a query that sees nothing"), _backward(_grad, _q, _k, _v,
                scale=0.3).about("a scale"),
            _backward(_grad, _q, _k, _v, block_size=4).about("blocks of 4"),
            _backward(_g2, _q2, _k3, _v3, scale=0.0).about("a scale of 0", edge=True),
            _backward(_grad, _q, _k, _v, offset=2).about("causal, with an offset", edge=True),
            _backward(_g2, _q2, _k3[:2], _v3[:2], mask=_two[:, 1:], bias=_b2[:, :2],
                block_size=1).about("a mask and a bias"),
            _backward(_grad, _q, _k, _v, mask=_mask, offset=3, block_size=4).about("a mask and an offset", edge=True),
            _backward(_grad, _q, _k, _v, offset=3, block_size=4).about("causal, in blocks", edge=True),
            _backward(_grad, _q, _k, _v, mask=_mask, bias=_bias, scale=0.3, block_size=4,
                offset=2).about("all options", edge=True),
            _backward(_grad, _q, _k, _v, mask=_blind, block_size=4).about("a query and blocks that see no key"),
            _backward(*(np.stack([it, -it]) for it in (_grad, _q, _k, _v)), bias=_bias[0]).about("two leading axes"),
            _backward(_grad, _q, _k, _v, bias=_bias[:, :1, :1], block_size=4).about("a number for each sequence",
                edge=True),
            _backward(_grad, _q, _k, _v, mask=_mask[0, :, :1], bias=_bias[:, :1], block_size=4).about(
            "a mask and a bias that broadcast", edge=True)),
        claims=(
            Claim("gradients of what every query gets alike vanish for queries and keys",
                lambda f: max(float(np.abs(it).max())
                for it in f(_grad, np.ones((2, 11, 7)), attention_and_lse(_q, _k, _v)[1], _q, _k, np.ones((2, 13,
                    7)))[:2]),
                **_LAST_BITS),
            Claim("the gradients of the values sum to the gradients of the results", lambda f: distance(f(_grad,
                *attention_and_lse(_q, _k, _v), _q, _k, _v, block_size=4)[2].sum(1), _grad.sum(1)), **_LAST_BITS),
            oracle("PyTorch's autograd through attention", _by_autograd, _backward(_grad, _q, _k, _v, block_size=4),
                _backward(_grad, _q, _k, _v, mask=_blind, bias=_bias, scale=0.3, block_size=4),
                run=lambda f, *a, **n: f(*a, **n) if f is _by_autograd else _of(f, *a, **n), **_LAST_BITS)),
        mistakes=(
            Mistake("delta forgotten", (" - delta[..., rows, :])", ")"),
                "The gradients of queries and keys are wrong, that of the values right",
                "softmax couples the scores of a row: take off the row's mean, g · y"),
            Mistake("not normalized",
                ("xp.exp(scores - lse[..., rows, None])", "xp.exp(scores - xp.max(scores, axis=-1, keepdims=True))"),
                "Recomputed weights do not sum to one", "take off the log-sum-exp of the whole row, not a maximum"),
            Mistake("scale forgotten for queries",
                ("scale * (grad_scores @ k[..., keys, :])", "grad_scores @ k[..., keys, :]"),
                "The gradient of the queries is too large by 1/scale, by sqrt(d) unless one is given",
                "scores are scale · q · k: the factor stays"),
            Mistake("scale forgotten for keys",
                ("grad_scores.mT @ queries[..., rows, :]", "grad_scores.mT @ q[..., rows, :]"),
                "The gradient of the keys is too large by 1/scale, by sqrt(d) unless one is given",
                "scores are scale · q · k: the factor stays"),
            Mistake("blocks overwrite",
                ("total[at] += array_namespace(x).sum(x, axis=same, keepdims=True) if same else x",
                "total[at] = array_namespace(x).sum(x, axis=same, keepdims=True) if same else x"),
                "Right in one block; else only the last block counts", "add up what every block brings"),
            Mistake("mask forgotten", (("seen = None if mask is None else mask[_at(mask, rows, keys)]", "seen = None"),
                ("scale * q, _finite(lse)", "scale * q, xp.where(lse == -math.inf, 0.0, lse)")),
                "Hidden keys get weight again", "mask the scores that are computed again, as on the way there"),
            Mistake("bias forgotten", ("scores + as_like(bias[_at(bias, rows, keys)], k)", "scores"),
                "With a bias, recomputed weights are not those of the way there", "add it to the recomputed scores"),
            Mistake("bias scaled",
                ("_at(bias, rows, keys), grad_scores)", "_at(bias, rows, keys), scale * grad_scores)"),
                "The gradient of the bias is multiplied by the scale", "only q · k is scaled, the bias is not"),
            Mistake("queries overwritten", ("_add(grads[0], (..., rows, slice(None)), scale * (grad_scores @ "
                "k[..., keys, :]))", "grads[0][..., rows, :] = scale * (grad_scores @ k[..., keys, :])"),
                "Queries get the gradient of the last block of keys only", "add up what every block brings"),
            Mistake("gradient of weights for that of scores", ("grad_scores = weights * (", "grad_scores = ("),
                "The gradients of queries and keys are too large",
                    "multiply by the weights: the derivative of softmax"),
            Mistake("delta not weighed", ((_GRAD_SCORES, f"weights * ({_GV}) - delta[..., rows, :]"), _EVERY_BLOCK),
                "The gradients of queries and keys are wrong, that of the values right",
                "delta is taken off before the weights are multiplied: a (g · v − delta)"),
            Mistake("empty rows of nan", ("scale * q, _finite(lse)", "scale * q, lse"),
                "A query that sees nothing makes nan of the gradients, of all keys and values, too",
                "−∞ less −∞ is nan: where the log-sum-exp is −∞, take 0 off"),
            Mistake("bias of each sequence",
                ("for x in (q, k, v, bias)", "for x in (q, k, v, None if bias is None else bias + lse[..., None] * 0)"),
                "A bias that all sequences share gets a gradient for each of them",
                "its gradient has its shape: sum over the axes that were broadcast"),
            *(Mistake("keys count alike", ("xp.sum(grad * out", f"{it}(grad @ v.mT"),
                "The gradients of queries and keys are wrong: what is taken off g · v counts all keys alike",
                "weigh it with the row's weights, which gives g · y") for it in ("xp.sum", "xp.mean")),
            Mistake("mean over values",
                ("xp.sum(grad * out, axis=-1, keepdims=True)", "xp.mean(grad * out, axis=-1, keepdims=True)"),
                "The gradients of queries and keys are wrong, that of the values right",
                "delta is the dot product g · y"))),
    Checks(attention_traffic,
        cases=(
            call(6, 8, 2), call(6, 8, 2, block_size=3), call(6, 8, 2, d_value=5).about("wider values"),
            call(11, 13, 5, 7, 4).about("blocks that do not divide"), call(11, 13, 5, 7, 128).about("one block"),
            call(1, 4096, 64).about("one query"), call(1, 4096, 64, block_size=1).about("one query"),
            call(1024, 512, 64, 32, 64)),
        claims=(
            Claim("one block reads and writes everything once",
                lambda f: float(abs(f(7, 11, 5, 3, 7) - 7 * 8 - 11 * 8))),
            oracle("numpy's sizes of the arrays that are moved", _moved, call(11, 13, 5, 7, 4), call(12, 13, 5, 7, 4),
                call(12, 13, 5, 7, 1))),
        mistakes=(
            Mistake("keys read once", ("math.ceil(n_queries / block_size) * n_keys", "n_keys"),
                "The size of the blocks changes nothing",
                "every block of queries reads all keys and values again"),
            Mistake("blocks of keys", ("math.ceil(n_queries / block_size)", "math.ceil(n_keys / block_size)"),
                "Keys are read once for each block of keys", "they are read once for each block of queries"),
            Mistake("not rounded", ("math.ceil(n_queries / block_size)", "n_queries / block_size"),
                "A last, shorter block of queries reads a part of the keys", "it reads all of them: round up"),
            Mistake("rounded down", ("math.ceil(n_queries / block_size)", "(n_queries // block_size)"),
                "A last, shorter block is forgotten", "round up"),
            Mistake("tables once", ("4 * n_queries", "2 * n_queries"), "Scores and weights are written and never read",
                "both tables are written and read: four times l · s"),
            Mistake("results forgotten", ("(n_queries + math.ceil(n_queries / block_size) * n_keys) * (d_head + e)",
                "n_queries * d_head + math.ceil(n_queries / block_size) * n_keys * (d_head + e)"),
                    "What is written is missing",
                "results are l · e numbers, too"))),
    Checks(largest_block_size,
        cases=(
            call(20, 1), call(100, 2), call(100, 2, d_value=5).about("wider values"), call(25_000, 64),
            call(50_000, 128), call(7, 3).about("too small a memory"),
            *(call(n, 2, 1) for n in (20, 21, 32, 33, 34, 10**6))),
        claims=(
            Claim("it fits, and one more does not", lambda f: float(any(not _needs(f(m, d, e), d, e) <= m < _needs(f(m,
                d, e) + 1,
                d, e) for m in (1, 9, 20, 48, 49, 1000, 25_000, 10**9) for d, e in ((1, 1), (2, 5), (64, 64))))),
            oracle("numpy.roots of the quadratic equation, rounded down",
                lambda m, d, e: int(np.roots([1, 2 * (d + e + 1), -m]).max() + 1e-9),
                *(call(m, d, e) for m in (20, 100, 25_000) for d, e in ((1, 2), (64, 64))))),
        mistakes=(
            Mistake("scores forgotten", ("math.isqrt(half**2 + fast_memory) - half", "fast_memory // (2 * half)"),
                "The block of scores does not fit", "B² scores are at work as well: solve the quadratic equation"),
            Mistake("maxima and sums forgotten", ("d_head + e + 1", "d_head + e"), "Blocks are a little too large",
                "a maximum and a sum for each query are at work as well"),
            Mistake("rule of the paper", ("math.isqrt(half**2 + fast_memory) - half", "fast_memory // (4 * d_head)"),
                "It is the paper's rule, which knows nothing of the scores",
                "b² scores are at work as well: solve for b"),
            Mistake("scores alone", ("math.isqrt(half**2 + fast_memory) - half", "math.isqrt(fast_memory)"),
                "Only the scores have room", "a block of queries, keys, values and results is at work as well"),
            Mistake("rounded", ("math.isqrt(half**2 + fast_memory)", "round(math.sqrt(half**2 + fast_memory))"),
                "Sometimes the block is one too large", "round down"))),
)
