"""What attention must satisfy, and how it is usually got wrong."""

import math

import numpy as np

from mlnotes.attention.causal_mask import causal_mask, padding_mask
from mlnotes.attention.self_attention import attention, attention_weights, self_attention
from mlnotes.checks.bank import Checks, Claim, Mistake, call, distance, frozen, oracle
from mlnotes.diagnosis.report import written_call
from mlnotes.diagnosis.trials import numbers

_rng = np.random.default_rng(11)
_q, _k, _v, _bias, _x, _w_q, _w_k, _w_v = frozen(_rng.normal(size=(2, 5, 3)) * 2, _rng.normal(size=(2, 7, 3)) * 2,
    _rng.normal(size=(2, 7, 11)), _rng.normal(size=(5, 7)), _rng.normal(size=(7, 5)), _rng.normal(size=(5, 3)),
    _rng.normal(size=(5, 3)), _rng.normal(size=(5, 2)))
# Small enough to be read in a report.
_q2, _k3, _v3, _bias23, _x3, _w2, _w22, _w21 = frozen(np.array([[1.0, 2.0], [0.0, -1.0]]),
    np.array([[2.0, 0.0], [1.0, 1.0], [0.0, 3.0]]), np.array([[1.0], [10.0], [100.0]]),
    np.array([[0.0, 1.0, -1.0], [2.0, 0.0, 0.5]]), np.array([[1.0, 2.0], [0.0, -1.0], [3.0, 1.0]]),
    np.array([[1.0, 0.5], [0.0, 1.0]]), np.array([[0.0, 1.0], [2.0, -1.0]]), np.array([[1.0], [3.0]]))
_wide, *_narrow = frozen(np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]), np.array([[1.0, 0.5], [0.0, 1.0], [2.0, 0.0]]),
    np.array([[0.0, 1.0], [2.0, -1.0], [1.0, 1.0]]), np.array([[1.0], [3.0], [-1.0]]))
_far, _same = frozen(np.array([[200.0, 0.0], [30_000.0, 200.0]]), np.eye(2))
# Query 3 sees nothing, the others every key but one.
_some = (np.arange(5)[:, None] != np.arange(7)) & (np.arange(5)[:, None] != 3)
_mask, _partial = frozen(causal_mask(5, 7, offset=2), _some)
_per_sequence = np.stack([_mask, _partial])
_blind, _cut = np.array([[[True, True, False], [False, False, False]], [[True, True, False], [False, True, True]]])
_LAST_BITS = {"tolerance": 1e-12, "why": "sums of at most 11 products in float64: a few units of 1e-16"}


def bias_of_shifted_queries(k, c):
    """Give the bias (s,) that does in attention to keys (s, d) what c (d,), added to every query, does."""
    return k @ c / math.sqrt(k.shape[-1])


def slope_in_scale(q, k, v, scale):
    """Differentiate attention (..., l, e) of queries (..., l, d) to keys (..., s, d) with values by its scale."""
    weights, scores = attention_weights(q, k, scale=scale), q @ np.swapaxes(k, -1, -2)
    mean = (weights * scores).sum(axis=-1, keepdims=True)
    return weights * (scores - mean) @ v


def _less_its_mean(x, axis):
    return x - x.mean(axis=axis, keepdims=True)


def _torch_slope(q, k, v, scale):
    import torch

    attend = lambda c: torch.softmax(c * torch.tensor(q) @ torch.tensor(k).mT, -1) @ torch.tensor(v)  # noqa: E731
    return torch.func.jacfwd(attend)(torch.tensor(scale, dtype=torch.float64)).numpy()


def _above_the_first(version, k, c):
    """Compare differences: a number added to the scores of all keys changes no weight."""
    bias = version(k, c)
    values = numbers(bias)
    return bias if values is None or not values.size else values - values.ravel()[0]


def _written_bias(name, case):
    """Write down what is compared."""
    return written_call(f"bias = {name}", case) + "\nbias - bias[0]"


def _shifted(f):
    (q, _), (k, _), c = _q, _k, _q[1, 0]
    return distance(attention_weights(q, k, bias=f(k, c)[None]), attention_weights(q + c, k))


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


def _between_values(f):
    out = f(_q, _k, _v)
    return float(max(0, np.max(out - _v.max(1, keepdims=True)), np.max(_v.min(1, keepdims=True) - out)))


def _options(*arguments):
    """Call with each option alone, with pairs of them, and with all."""
    return (
        call(*arguments).about("two sequences"), call(*arguments, mask=_mask).about("a causal mask"),
        call(*arguments, mask=_partial).about("a query that sees no key"),
        call(*arguments, mask=_per_sequence).about("a mask for each sequence"),
        call(*arguments, mask=padding_mask([7, 4], 7)).about("a padding mask, for all queries"),
        call(*arguments, bias=_bias).about("a bias"), call(*arguments, scale=0.3).about("a scale"),
        call(*arguments, mask=_partial, bias=_bias).about("a mask and a bias"),
        call(*arguments, mask=_mask, bias=_bias, scale=0.3).about("mask, bias and scale"),
        call(*(it[:, None] * [[[1.0]], [[-2.0]]] for it in arguments), mask=_mask).about("two heads of two sequences"))


def _extremes(*v):
    """Call with scores that are far from zero, or from each other."""
    return (
        call(100 * _q2, 10 * _k3, *v).about("scores of 1000"),
        call(100 * _q2, 10 * _k3, *v, mask=_cut).about("hidden scores far above the others"),
        call(_q2 * np.array([[1.0], [10000.0]]), _k3 + 1, *v).about("a row far below the largest score"),
        call(1e50 * _q2, -1e50 * _k3, *v, mask=~_cut).about("scores of -1e100"),
        call(_q2, _k3, *v, mask=np.zeros((2, 3), bool)).about("queries that see no key"),
        call(_same, np.eye(3, 2), *v, mask=_blind | _cut).about("visible scores of 0"),
        call(_q2, _k3, *v, scale=0.0).about("a scale of 0"))


_SCALE_FORGOTTEN = ("q.shape[-1] ** -0.5 if", "1 if")
_SOFTMAX = "softmax(scores) if mask is None else masked_softmax(scores, mask)"
_DIVIDED = "lambda e: e / e.sum(axis=-1, keepdims=True)"
_AFTER = (_SOFTMAX, "softmax(scores) if mask is None else np.where(mask, softmax(scores), 0)")
_OR_ONE = "lambda e: e / (lambda total: np.where(total == 0, 1, total))(e.sum(axis=-1, keepdims=True))"
_BIASED = "scores = scores + as_like(bias, q)"
_ZEROS_HIDDEN = tuple(Mistake("scores of 0 hidden", ("masked_softmax(scores, mask)", it),
    "A key that may be looked at is hidden where its score is 0",
    "a visible score may be 0: ask the mask, not the score") for it in (
    "masked_softmax(scores, mask & (scores != 0))",
    "masked_softmax(scores, mask & (scores != 0)) / (mask & (scores != 0)).any(-1)[..., None]"))

CHECKS = (
    Checks(attention_weights,
        cases=(
            call(_q2, _k3), call(_q2, _w22).about("all sizes equal"),
            call(_q, _k[:, :5]).about("two sequences, as many keys as queries"),
            call(_q2, _k3, mask=_blind).about("a query that sees no key"),
            call(_q2, _k3, bias=_bias23).about("a bias"), call(_q2, _k3, scale=2.0).about("a scale"), *_extremes(),
            *_options(_q, _k)),
        claims=(
            Claim("weights are not negative, and each row sums to one",
                lambda f: distance(f(_q, _k).sum(-1), np.ones((2, 5))) + float(max(0, -np.min(f(_q, _k)))),
                **_LAST_BITS),
            Claim("keys in another order give the weights in that order",
                lambda f: distance(f(_q, _k[:, ::-1]), f(_q, _k)[..., ::-1]), **_LAST_BITS),
            Claim("hidden keys get exactly nothing, also a query that sees none",
                lambda f: float(np.abs(f(_q, _k, _partial)[:, ~_partial]).max())),
            Claim("a masked row still sums to one", lambda f: distance(f(_q, _k, _mask).sum(-1), np.ones((2, 5))),
                **_LAST_BITS),
            Claim("a bias of log 2 doubles a weight before the sharing", _doubled, **_LAST_BITS),
            oracle("torch's scaled_dot_product_attention of the identity, without and with a mask", _torch_weights,
                call(_q, _k), call(_q, _k, _mask), **_LAST_BITS)),
        mistakes=(
            Mistake("scale forgotten", _SCALE_FORGOTTEN,
                "Rows are much sharper than they should be, the more so the wider the queries",
                "divide the scores by sqrt(d)"),
            Mistake("divided by the width", ("q.shape[-1] ** -0.5", "q.shape[-1] ** -1.0"),
                "Rows are flatter than they should be", "divide by sqrt(d), not by d"),
            Mistake("divided by the root of the length", ("q.shape[-1] ** -0.5", "k.shape[-2] ** -0.5"),
                "The sharpness depends on the number of keys", "divide by the root of q.shape[-1], the width"),
            Mistake("multiplied by the root", ("q.shape[-1] ** -0.5", "q.shape[-1] ** 0.5"),
                "Rows are sharper than without any scale", "divide by sqrt(d)",
                "esceptico/perceiver-io, issue 9 (2021)"),
            Mistake("softmax over the queries",
                (_SOFTMAX, "softmax(scores, -2) if mask is None else masked_softmax(scores, mask, -2)"),
                "Columns sum to one instead of rows", "softmax over the last axis, the keys",
                "labml's DDPM, issue 146 (2022), where training worked all the same"),
            Mistake("mask inverted", ("masked_softmax(scores, mask)", "masked_softmax(scores, ~mask)"),
                "Each query sees what it should not, and nothing else",
                "True means may look; some libraries mean the opposite"),
            Mistake("mask after softmax", _AFTER, "Rows with hidden keys sum to less than one",
                "hide scores before the softmax"),
            *_ZEROS_HIDDEN,
            Mistake("zero as minus infinity", ("masked_softmax(scores, mask)", "softmax(np.where(mask, scores, 0.0))"),
                "Hidden keys still get weight: exp(0) is 1", "put -inf, not 0"),
            Mistake("large number as minus infinity",
                ("masked_softmax(scores, mask)", "softmax(np.where(mask, scores, -1e9))"),
                "A query that sees no key averages all of them, and lower scores lose to hidden ones",
                "put -inf and let an empty row be zeros; -1e9 is also more than float16 can hold",
                "apex, issue 1390 (2022); fairseq, issue 3575 (2021), where it overflows"),
            Mistake("nan where nothing is seen",
                ("masked_softmax(scores, mask)", "masked_softmax(scores, mask) / mask.any(-1)[..., None]"),
                "A query that sees no key gets nan: -inf less -inf, the row's maximum, is no number, nor is 0 divided"
                " by 0", "give such a row zeros; this book's softmax does"),
            Mistake("large number, with empty rows put right",
                ("masked_softmax(scores, mask)", "softmax(np.where(mask, scores, -1e9)) * mask"),
                "A row whose scores lie below the number that hides the others gets zeros",
                "put -inf, below which there is nothing"),
            Mistake("large number added", ("masked_softmax(scores, mask)", "softmax(scores - 1e9 * ~mask)"),
                "A hidden key wins if its score is high enough, and a query that sees no key looks at all of them",
                "put -inf in the place of hidden scores, and let an empty row be zeros"),
            Mistake("shared again after softmax",
                ("masked_softmax(scores, mask)", f"({_DIVIDED})(softmax(scores) * mask)"),
                "A query that sees no key gets nan, as does one whose hidden keys score far higher: nothing is left",
                "hide scores before the softmax"),
            Mistake("shared again after softmax, with empty rows put right",
                ("masked_softmax(scores, mask)", f"({_OR_ONE})(softmax(scores) * mask)"),
                "A query whose hidden keys score far higher is left with hardly any weight to share again",
                "hide scores before the softmax"),
            Mistake("maximum of everything", (_SOFTMAX, f"(lambda s: ({_DIVIDED})(np.exp(s - s.max())))("
                "scores if mask is None else np.where(mask, scores, -np.inf))"),
                "Rows far below the largest score get nan, as do queries that see no key",
                "subtract each row's own maximum, and give zeros where nothing is seen"),
            Mistake("maximum of everything, with empty rows put right",
                (_SOFTMAX, f"(lambda s: ({_OR_ONE})(np.exp(s - "
                "(s.max() if np.isfinite(s.max()) else 0))))("
                "scores if mask is None else np.where(mask, scores, -np.inf))"),
                "Rows far below the largest score lose their weights", "subtract each row's own maximum"),
            Mistake("mask forgotten beside a bias",
                (_SOFTMAX, _SOFTMAX.replace("mask is None", "mask is None or bias is not None")),
                "Where a bias is given, the mask makes no difference",
                "ask for each by itself, and let each change the scores that the other left"),
            Mistake("bias forgotten beside a mask", (_BIASED, f"{_BIASED} if mask is None else scores"),
                "Where a mask is given, the bias makes no difference",
                "ask for each by itself, and let each change the scores that the other left"),
            Mistake("scale on top of the root",
                ("** -0.5 if scale is None else as_like(scale, q)", "** -0.5 * (1 if scale is None else scale)"),
                "A scale that is given acts sqrt(d) times too weakly", "let it stand in the place of 1/sqrt(d)"),
            Mistake("scale of 0 for none", ("scale is None else", "not scale else"),
                "A scale of 0 is taken for none", "ask for scale is None: not scale, and scale or ..., mean 0 as well"),
            Mistake("divided by the scale", (("else as_like(scale, q)", "else 1 / np.float64(scale)"),
                ("(scale * q) @ k.mT", "scale * (q @ k.mT)")),
                "A larger scale makes rows flatter", "multiply by it"),
            Mistake("bias after softmax", (_BIASED, f"return ({_SOFTMAX}) + bias"),
                "With a bias, rows do not sum to one", "add the bias to the scores"),
            Mistake("bias scaled", (_BIASED, "scores = scores + scale * bias"),
                "The bias is multiplied by the scale, too: by 1/sqrt(d) unless one is given",
                "add the bias after scaling"),
            Mistake("cosines", ("(scale * q) @ k.mT", "scale * (q / np.linalg.norm(q, axis=-1, keepdims=True))"
                " @ (k / np.linalg.norm(k, axis=-1, keepdims=True)).mT"),
                "The lengths of queries and keys make no difference", "take products as they are, and scale them"))),
    Checks(attention,
        cases=(
            call(_q2, _k3, _v3), call(_k3, _k3, _v3).about("as many queries as keys"),
            call(_q2, _w22, _w2).about("all sizes equal"),
            call(_q, _k[:, :5], _v[:, :5]).about("two sequences, as many keys as queries"),
            call(_q2, _k3, _v3, mask=_blind).about("a query that sees no key"), *_extremes(_v3),
            *_options(_q, _k, _v)),
        claims=(
            Claim("values that are all alike come back",
                lambda f: distance(f(_q, _k, np.ones((2, 7, 3))), np.ones((2, 5, 3))), **_LAST_BITS),
            Claim("every result lies between the smallest and the largest value", _between_values, **_LAST_BITS),
            Claim("queries in another order give the results in that order",
                lambda f: distance(f(_q[:, ::-1], _k, _v), f(_q, _k, _v)[:, ::-1]), **_LAST_BITS),
            Claim("key/value pairs in another order change nothing",
                lambda f: distance(f(_q, _k[:, ::-1], _v[:, ::-1]), f(_q, _k, _v)), **_LAST_BITS),
            Claim("a query that sees no key gets zeros",
                lambda f: distance(f(_q, _k, _v, _partial)[:, 3], np.zeros((2, 11)))),
            oracle("four loops with math.exp and math.fsum", _looped, call(_q, _k, _v), **_LAST_BITS),
            oracle("torch's scaled_dot_product_attention, plain and with mask, bias and scale", _torch_attention,
                call(_q, _k, _v), call(_q, _k, _v, _mask, _bias, 0.3), **_LAST_BITS)),
        mistakes=(
            Mistake("weights returned",
                ("attention_weights(q, k, mask, bias, scale) @ v", "attention_weights(q, k, mask, bias, scale)"),
                "The result is as wide as there are keys", "multiply the weights by the values"),
            Mistake("keys averaged",
                ("attention_weights(q, k, mask, bias, scale) @ v", "attention_weights(q, k, mask, bias, scale) @ k"),
                "The result is as wide as the keys", "average the values, not the keys"),
            Mistake("scale forgotten", _SCALE_FORGOTTEN, "Results lie too near the value of the best key",
                "divide the scores by sqrt(d)"),
            Mistake("mask after softmax", _AFTER, "Results of masked queries shrink towards zero",
                "hide scores before the softmax"),
            *_ZEROS_HIDDEN,
            Mistake("best key alone", lambda q, k, v, mask=None, bias=None, scale=None: np.take_along_axis(v,
                attention_weights(q, k, mask, bias, scale).argmax(-1)[..., None], -2),
                "Each query gets the value of its best key, and nothing of the others",
                "average all values with the weights of softmax"),
            Mistake("bias after softmax", ("attention_weights(q, k, mask, bias, scale) @ v",
                "(attention_weights(q, k, mask, None, scale) + (0 if bias is None else bias)) @ v"),
                "With a bias, weights do not sum to one", "add the bias to the scores, before the softmax"))),
    Checks(self_attention,
        cases=(
            call(_x3, _w2, _w22, _w21), call(_x3, _w2, _w22, _w21, mask=causal_mask(3, 3)).about("a causal mask"),
            call(30 * _x3, _w2, _w22, _w21, mask=causal_mask(3, 3)).about("scores of 1000"),
            call(_x, _w_q, _w_k, _w_v),
            call(_x, _w_q, _w_k, _w_v, mask=causal_mask(7, 7)).about("a causal mask"), call(_x3, _w2, _w22, _w21,
            mask=np.array([[True, False, True]])).about("one mask for all queries"),
            call(_x3, _w2, _w22, _w21, mask=np.array([[True, False, True], [False, True, False],
            [True, True, False]])).about("a mask that is not causal"), call(np.stack([_x3, -_x3]), _w2, _w22, _w21,
            mask=np.stack([causal_mask(3, 3), causal_mask(3, 3).T])).about("a mask for each sequence", edge=True),
            call(np.stack([_x, -_x]), _w_q,
            _w_k, _w_v).about("two sequences"), call(_x3, _w2, _w22, _w22.T - 1).about("results as wide as tokens"),
            call(_x3[:2] @ _wide, *_narrow).about("queries narrower than tokens"),
            call(_same, _same, _same, _w21, mask=causal_mask(2, 2)).about("a visible score of 0"),
            call(_far, _same, _same, _same, mask=causal_mask(2, 2)).about("a hidden score far above the visible one"),
            call(1e3 * _far, _same, -_same, _same, mask=causal_mask(2, 2)).about("visible scores below -1e9"),
            call(1e16 * _far, _same, -_same, _same, mask=causal_mask(2, 2)).about("visible scores below -1e30"),
            call(1e50 * _far, _same, _same, _same, mask=causal_mask(2, 2)).about("a hidden score above 1e100"),
            call(_x3, _w2, _w22, _w21, mask=np.array([[True, False, True], [False, False, False],
                [True, True, False]])).about("a query that sees nothing", edge=True)),
        claims=(
            Claim("tokens in another order give the results in that order",
                lambda f: distance(f(_x[::-1], _w_q, _w_k, _w_v), f(_x, _w_q, _w_k, _w_v)[::-1]), **_LAST_BITS),
            Claim("the first token of a causal sequence sees only itself",
                lambda f: distance(f(_x, _w_q, _w_k, _w_v, causal_mask(7, 7))[0], _x[0] @ _w_v), **_LAST_BITS),
            oracle("torch's attention of the projected tokens",
                lambda x, w_q, w_k, w_v: _torch_attention(x @ w_q, x @ w_k, x @ w_v), call(_x, _w_q, _w_k, _w_v),
                **_LAST_BITS)),
        mistakes=(
            Mistake("queries not projected", ("x @ w_q", "x"), "It fits only tokens as wide as the keys",
                "project queries with w_q"),
            Mistake("queries as keys", ("x @ w_k", "x @ w_q"),
                "Scores are symmetric: a token scores another as high as that one scores it",
                "project keys with w_k"),
            Mistake("values not projected", ("x @ w_v", "x"), "The result is as wide as the tokens",
                "project values with w_v"),
            *_ZEROS_HIDDEN,
            Mistake("width of the tokens", ("x @ w_v, mask)", "x @ w_v, mask, scale=x.shape[-1] ** -0.5)"),
                "Rows are flatter than they should be where queries are narrower than tokens",
                "scale by the width of the queries, not of the tokens",
                "vit-pytorch, issue 65 (2021)"))),
    Checks(bias_of_shifted_queries, run=_above_the_first, written=_written_bias,
        cases=(call(_k3, np.array([1.0, 0.5])), call(_w22, np.array([1.0, 0.5])).about("as many keys as are wide"),
        call(_k[0], _q[0, 0]), call(_k[1], 5 * _q[1, 2])),
        claims=(
            Claim("a shift by nothing is no bias", lambda f: distance(f(_k3, np.zeros(2)), np.zeros(3))),
            Claim("the weights of shifted queries", _shifted, kind="oracle", **_LAST_BITS)),
        mistakes=(
            Mistake("not scaled", (" / math.sqrt(k.shape[-1])", ""),
                "It is sqrt(d) times too large: scores are scaled before the bias is added", "divide by sqrt(d)"),
            Mistake("root of the length", ("k.shape[-1]", "len(k)"), "It depends on the number of keys",
                "divide by the root of k.shape[-1], the width"))),
    Checks(slope_in_scale,
        cases=(
            call(_q2, _k3, _v3, 0.5), call(_q2, _w22, _w2, 0.5).about("all sizes equal"),
            call(_q2, _k3, _v3, 0.0).about("scale 0, where all keys count alike"),
            call(_q2, np.ones((3, 2)), _v3, 1.0).about("all scores equal"),
            call(_q, _k, _v, 0.7).about("two sequences"), call(_q, _k, _v, -0.3).about("a negative scale")),
        claims=(
            Claim("values that are all alike do not move",
                lambda f: distance(f(_q, _k, np.ones((2, 7, 1)), 0.7), np.zeros((2, 5, 1))), **_LAST_BITS),
            oracle("torch's own derivative", _torch_slope, call(_q, _k, _v, 0.7), call(_q2, _k3, _v3, 0.0),
                tolerance=1e-11, why="weights to 1e-15, scores below 20, values below 4, or of the size of the "
                    "results: products of the three")),
        mistakes=(
            Mistake("mean not subtracted", ("scores - mean", "scores"),
                "A constant added to all scores changes it, though it changes no weight", "subtract the mean score"),
            Mistake("plain mean",
                ("(weights * scores).sum(axis=-1, keepdims=True)", "scores.mean(axis=-1, keepdims=True)"),
                "The mean score counts all keys alike", "weigh the scores with the weights of attention"),
            Mistake("plain means of both", lambda q, k, v, scale: attention_weights(q, k, scale=scale)
                * _less_its_mean(q @ np.swapaxes(k, -1, -2), -1) @ _less_its_mean(v, -2),
                "Scores and values are measured from their plain means",
                "weigh the means with the weights of attention; one of the two is enough"),
            Mistake("sigmoid's slope", ("weights * (scores - mean)", "weights * (1 - weights) * scores"),
                "It is the slope of each weight by its own score alone", "the other scores move as well"),
            Mistake("scaled scores", ("@ np.swapaxes(k, -1, -2)\n", "@ np.swapaxes(k, -1, -2) * scale\n"),
                "It is `scale` times the slope", "differentiate by c: the scores without it stay"),
            Mistake("weights of the plain scores", ("q, k, scale=scale", "q, k, scale=1.0"),
                "The weights are those of scale 1", "take the weights at the scale that is given"))),
)
