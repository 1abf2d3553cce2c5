"""What masks and the softmax under them must satisfy, and how they are usually got wrong."""

import math

import numpy as np

from mlnotes.attention.causal_mask import causal_mask, masked_softmax, padding_mask
from mlnotes.checks.bank import Checks, Claim, Mistake, call, distance, frozen, oracle

_rng = np.random.default_rng(61)
_x, _some, _nothing, _causal, _filled = frozen(
    _rng.normal(size=(2, 5, 7)),
    (_rng.random((2, 5, 7)) < 0.6) | (np.arange(7) == 0),  # every query sees something
    np.arange(5)[:, None] * np.ones(7) != 2,
    causal_mask(5, 7, 2),
    padding_mask([7, 4], 7),
)
_x2, _mask2, _blind, _low = frozen(np.array([[1.0, 2.0, 4.0], [3.0, 0.0, -1.0]]), np.array([[True, True, False],
    [True, False, True]]), np.array([[True, True, False], [False, False, False]]), np.array([[-1e10, -1e10 + 2, 0.0],
    [3.0, -1e10, -1.0]]))
_LAST_BITS = {"tolerance": 1e-14, "why": "scores below 5, sums of at most 7 weights: 5 · 7 · 1.1e-16 is 4e-15"}


def window_mask(n, width):
    """Let each of n tokens look at itself and at the ``width - 1`` before it: boolean (n, n), True where it may."""
    return causal_mask(n, n) & causal_mask(n, n, width - 1).T


def layers_to_the_first(n, width):
    """Count the layers under `window_mask`, of width 2 or more, until the last of n tokens may have heard the first."""
    return math.ceil((n - 1) / (width - 1))


def _differs(found, expected):
    """Count the places where two masks differ."""
    found, expected = np.asarray(found), np.asarray(expected)
    if found.dtype != bool or found.shape != expected.shape:
        raise AssertionError(f"it is {found.dtype} of shape {found.shape} where bool of {expected.shape} is right")
    return float((found != expected).sum())


def _same_mask(says, reference, *calls):
    """Claim that a function gives the very mask that someone else's code gives."""
    return Claim(says, lambda f: max(_differs(f(*it.arguments), reference(*it.arguments)) for it in calls),
                 kind="oracle")


def _torch_masked(x, mask):
    import torch

    scores = torch.tensor(x).masked_fill(~torch.tensor(np.broadcast_to(mask, x.shape).copy()), -math.inf)
    return torch.softmax(scores, -1).numpy()


def _torch_sees(n_queries, n_keys, offset):
    """Read the mask off torch's attention: whoever may be looked at gets a weight."""
    import torch
    from torch.nn.attention.bias import causal_lower_right

    q, k, v = torch.zeros(1, 1, n_queries, 8), torch.zeros(1, 1, n_keys, 8), torch.eye(n_keys)[None, None]
    attend = torch.nn.functional.scaled_dot_product_attention
    return (attend(q, k, v, attn_mask=causal_lower_right(n_queries, n_keys))[0, 0] > 0).numpy()


def _heard_from(n, width):
    """Follow the news from token to token, one layer after the other."""
    window = np.tri(n, dtype=int) - np.tri(n, k=-width, dtype=int)
    heard, layers = np.eye(n, dtype=int)[0], 0
    while not heard[-1]:
        heard, layers = window @ heard, layers + 1
    return layers


_HIDDEN = "xp.where(mask, x, -math.inf)"
_SHARED = f"softmax({_HIDDEN}, axis=axis)"
_TOTAL = "sum(axis=axis, keepdims=True)"
_OR_ONE = f"    total = e.{_TOTAL}\n    return e / np.where(total == 0, 1, total)"
_STABLE = "use -inf, take a stable softmax, and give zeros where all is hidden"

CHECKS = (
    Checks(causal_mask,
        cases=(
            call(3, 3), call(3, 3, 1).about("as many queries as keys, and some before"),
            call(2, 4, 2).about("queries that are the last of the keys"),
            call(2, 5, offset=1).about("queries in the middle of a sequence"),
            call(1, 5, offset=4).about("one query with a cache"), call(4, 2).about("more queries than keys"),
            call(2, 3, 7).about("queries behind all keys"), call(5, 7), call(11, 11)),
        claims=(
            Claim("the last query of a sequence sees all keys", lambda f: _differs(f(5, 5)[4], np.ones(5, bool))),
            Claim("rows of a long mask are the masks of single queries",
                lambda f: _differs(f(5, 7, 2), np.concatenate([f(1, 7, i + 2) for i in range(5)]))),
            _same_mask("numpy.tri", lambda n, m, offset: np.tri(n, m, offset, bool), call(5, 7, 1), call(2, 3, 7)),
            _same_mask("torch's mask for queries that are the last of the keys", _torch_sees, call(5, 7, 2))),
        mistakes=(
            Mistake("bias for a mask", lambda n, m, offset=0: np.where(causal_mask(n, m, offset), 0.0, -np.inf),
                "It holds what is added to scores, 0 or -inf", "return the mask itself: True where a query may look"),
            Mistake("own position hidden", ("<= np", "< np"),
                "No query sees itself, and the first of a sequence sees nothing",
                "j <= i + offset: a token sees itself"),
            Mistake("next token shown", ("+ offset", "+ offset + 1"),
                "Every query sees the token that it is to predict", "keys up to the query's own position"),
            Mistake("future shown", ("<= np", ">= np"),
                "Queries see themselves and what comes after them, and nothing before",
                "keys up to the query's position"),
            Mistake("offset ignored", (" + offset", ""), "With a cache, new queries see only the oldest keys",
                "add the position of the first query to the queries, and not to the keys",
                "PyTorch: is_causal=True with fewer queries than keys"),
            Mistake("offset from the end", ("+ offset", "+ n_keys - n_queries"),
                "Queries stand at the last keys, whatever the offset", "take the offset as given"),
            Mistake("offset subtracted", ("+ offset", "- offset"), "With a cache, queries see fewer keys than without",
                "add the position of the first query"))),
    Checks(padding_mask,
        cases=(
            call([2, 4], 5), call([3], 4), call([1, 3, 2], 3),
            call([0, 5, 3], 5).about("a sequence of nothing and one without filling")),
        claims=(
            Claim("it counts as many keys as there are", lambda f: distance(f([2, 0, 5], 5).sum(-1), [[2], [0], [5]])),
            Claim("it fits the scores of a batch",
                lambda f: distance(masked_softmax(np.zeros((2, 3, 5)), f([2, 4], 5)).sum(-1), np.ones((2, 3))),
                **_LAST_BITS),
            _same_mask("a loop over keys", lambda lengths, n: [[[j < i for j in range(n)]] for i in lengths],
                call([2, 4], 5))),
        mistakes=(
            Mistake("filling shown", (") <", ") >="), "Only the filling is looked at", "True means: may look"),
            Mistake("one too many", (") <", ") <="), "One key of the filling is looked at",
                "j < length: keys are counted from 0"),
            Mistake("one too few", ("[..., None, None]", "[..., None, None] - 1"),
                "The last key of each sequence is hidden", "j < length: the last one is number length - 1"),
            Mistake("without an axis for queries", ("[..., None, None]", "[..., None]"),
                "With several sequences it fits only as many queries, and then wrongly",
                "keep an axis of size 1 for the queries"),
            Mistake("rows hidden too", ("np.arange(n_keys) <", "np.maximum.outer(*[np.arange(n_keys)] * 2) <"),
                "It fits only as many queries as keys, and hides the filling's rows as well",
                "hide keys only; the loss skips the filling's rows"),
            Mistake("last tokens shown", lambda lengths, n_keys: np.arange(n_keys) >= n_keys - np.where(
                np.asarray(lengths) == 0, n_keys, lengths)[..., None, None],
                "The last keys are looked at, and all of a sequence of nothing: from -0 on a slice is the whole row",
                "filling stands behind a sequence: its own keys are the first"),
            Mistake("slice from the end", lambda lengths, n_keys: np.stack([np.arange(n_keys) < length
                if length < n_keys else np.zeros(n_keys, bool) for length in lengths])[:, None],
                "A sequence without filling is hidden, since a slice from -0 on is the whole row",
                "count from the front: mask[..., length:] = False"),
            Mistake("filling in front", ("np.arange(n_keys) <", "np.arange(n_keys) >= n_keys -"),
                "The first keys of short sequences are hidden", "the filling stands behind"),
            Mistake("slice of the queries", (") <", ").clip(max=0) <"),
                "All keys are looked at, unless a sequence has none: as where the slice falls on the queries' axis, "
                "which has one place", "slice the keys, as in row[:, :n] = True"))),
    Checks(masked_softmax,
        cases=(
            call(_x2, _mask2), call(_x2[:, :2], _mask2[:, 1:]).about("as many rows as columns"),
            call(_x2, _blind).about("a row that sees nothing"), call(_x2, _blind.T.reshape(2, 3),
            axis=0).about("along the columns, one of which is hidden"), call(_x2 + 800, _mask2).about("scores of 800"),
            call(_x2 - 800, _mask2).about("scores of -800"), call(np.where(_mask2, _x2, 800),
            _mask2).about("hidden scores far above the others"), call(_x2 - np.array([[0.0], [900.0]]),
            _mask2).about("rows far below the largest score"), call(_low,
            _mask2).about("scores of -10,000,000,000", tolerance=1e-5),  # exp(x - lse) is right, to 2e-6
            call(np.where(_mask2, _x2, 1e300), _mask2).about("hidden scores of 1e300"),
            call(np.array([[1e300, -900.0]]), np.array([[False, True]])).about("a hidden score of 1e300"),
            call(np.array([[0.0, 1.0, 2.0]]), np.array([[True, True, False]])).about("a visible score of 0"),
            call(np.array([[-1e100, -1e100, 5.0]]), np.array([[True, False, False]])).about("scores of -1e100"),
            call(_x[..., :5], _some[..., :5]).about("two sequences, as many keys as queries"),
            call(_x, _some).about("a mask for each sequence"), call(_x, _causal).about("one mask for both sequences"),
            call(_x, _filled).about("a padding mask, for all queries"), call(_x[0],
            _nothing).about("a row that sees nothing"), call(_x, _some, axis=1).about("along the columns")),
        claims=(
            Claim("rows that see something sum to one", lambda f: distance(f(_x, _some).sum(-1), np.ones((2, 5))),
                **_LAST_BITS),
            Claim("hidden places get exactly nothing", lambda f: float(np.abs(f(_x, _some)[~_some]).max())),
            Claim("a change of hidden scores changes nothing",
                lambda f: distance(f(np.where(_some, _x, 50.0), _some), f(_x, _some))),
            Claim("a row that sees nothing is all zeros", lambda f: float(np.abs(f(_x[0], _nothing)[2]).max())),
            Claim("scores of 800 do not overflow", lambda f: distance(f(_x + 800, _causal), f(_x, _causal)), 5e-13,
                "800 + x is rounded to 1.1e-13, and each weight relatively by twice as much"),
            oracle("torch's masked_fill and softmax", _torch_masked, call(_x, _some), **_LAST_BITS)),
        mistakes=(
            Mistake("mask after softmax", (_SHARED, "xp.where(mask, softmax(x, axis=axis), 0)"),
                "Rows with hidden keys sum to less than one", "hide scores before the softmax"),
            Mistake("shared again after softmax",
                (f"return {_SHARED}", f"e = softmax(x, axis=axis) * mask\n    return e / e.{_TOTAL}"),
                "A row that sees nothing is nan, as is one whose hidden scores are far above the others and leave no "
                "weight to share again", "hide scores before the softmax, and give zeros where all is hidden"),
            Mistake("zero before", ("-math.inf", "0.0"), "Hidden keys get weight as if they scored 0",
                "a hidden score is -inf, not 0"),
            Mistake("large number", ("-math.inf", "-1e9"), "A row that sees nothing averages everything",
                "use -inf, below which there is no score and which float16 has, and give zeros where all is hidden",
                "apex, issue 1390 (2022)"),
            Mistake("large number, with empty rows put right",
                (_SHARED, "softmax(xp.where(mask, x, -1e9), axis=axis) * mask"),
                "A row whose scores lie below the number that hides the others gets zeros",
                "use -inf, below which there is nothing"),
            Mistake("smallest number", ("-math.inf", "-1.7976931348623157e308"),
                "A row that sees nothing averages everything", "use -inf, and give zeros where all is hidden"),
            Mistake("large number added", (_HIDDEN, "x - 1e9 * ~mask"),
                "A row that sees nothing shares its weight as if nothing were hidden",
                "put -inf in the place of hidden scores, and give zeros where all is hidden"),
            *(Mistake("large number added, with empty rows put right",
                (f"return {_SHARED}", f"e = softmax(x - {it} * ~mask, axis=axis) * mask\n{_OR_ONE}"),
                "A row whose hidden scores exceed the others by more than the number that hides them gets zeros",
                "put -inf in the place of hidden scores; do not add to them") for it in ("1e30", "1e300")),
            Mistake("scores of 0 hidden", (_HIDDEN, "xp.where(mask & (x != 0), x, -math.inf)"),
                "A place that may be looked at is hidden where its score is 0",
                "a visible score may be 0: ask the mask, not the score"),
            Mistake("nan where nothing is seen",
                (_SHARED, f"{_SHARED} / xp.any(mask & (x == x), axis=axis, keepdims=True)"),
                "A row that sees nothing is nan: -inf less -inf, the row's maximum, is no number, nor "
                "is 0 divided by 0",
                "look for such rows, and give them zeros"),
            Mistake("scores times the mask", (_SHARED, "softmax(x * mask, axis=axis) * mask"),
                "Hidden keys count as if they scored 0: rows sum to less than one",
                "hide scores with -inf, not with 0"),
            Mistake("small number in the denominator", (f"return {_SHARED}",
                f"e = {_HIDDEN}\n    e = np.exp(e - np.maximum(e.max(axis=axis, keepdims=True), -1e300))\n"
                f"    return e / (e.{_TOTAL} + 1e-9)"), "All weights are too small: something was added to their sum",
                "divide by 1 where the sum is 0, and by the sum as it is elsewhere"),
            Mistake("not shifted", (_SHARED, f"np.exp({_HIDDEN}) / np.exp({_HIDDEN}).{_TOTAL}"),
                "Large scores overflow, and a row that sees nothing is nan", _STABLE),
            Mistake("not shifted, with empty rows put right",
                (f"return {_SHARED}", f"e = np.exp({_HIDDEN})\n{_OR_ONE}"),
                "Large scores overflow, and small ones vanish", "subtract each row's maximum before exp"),
            Mistake("multiplied after exp", (_SHARED, f"np.exp(x) * mask / (np.exp(x) * mask).{_TOTAL}"),
                "Large scores overflow, and a row that sees nothing is nan", _STABLE),
            Mistake("maximum of hidden scores",
                (f"return {_SHARED}", f"e = np.exp(x - x.max(axis=axis, keepdims=True)) * mask\n{_OR_ONE}"),
                "A row whose hidden scores are far above the others loses its weights",
                "hide scores first, then take the maximum of those that are left"),
            Mistake("maximum of everything",
                (f"return {_SHARED}", f"e = {_HIDDEN}\n    e = np.exp(e - e.max())\n{_OR_ONE}"),
                "A row far below the largest score loses its weights", "subtract each row's own maximum"),
            Mistake("mask turned over", ("(mask, x,", "(~mask, x,"), "Only hidden keys are looked at",
                "True means: may look"))),
    Checks(window_mask,
        cases=(
            call(4, 2), call(5, 3), call(12, 3), call(3, 5).about("a window wider than the sequence"),
            call(3, 1).about("a window of one token")),
        claims=(
            Claim("no row sees more than its window", lambda f: distance(f(7, 3).sum(-1), [1, 2, 3, 3, 3, 3, 3])),
            _same_mask("the difference of two triangles", lambda n, width: np.tri(n, dtype=bool) & ~np.tri(n, k=-width,
                dtype=bool), call(7, 3))),
        mistakes=(
            Mistake("one too many", ("width - 1", "width"), "A token sees one before its window",
                "the width counts the token itself"),
            Mistake("own place hidden", lambda n, width: np.tri(n, k=-1, dtype=bool) & ~np.tri(n, k=-width, dtype=bool),
                "A token does not see itself", "begin the window at the token itself"),
            Mistake("window before the token",
                lambda n, width: np.tri(n, k=-1, dtype=bool) & ~np.tri(n, k=-width - 1, dtype=bool),
                "The window ends before the token, which does not see itself", "the width counts the token itself"),
            *(Mistake(name, ("causal_mask(n, n) &", it), "Tokens see what comes after them", "keep the causal mask")
                for name, it in {"both sides": "causal_mask(n, n, width - 1) &", "all that comes after": ""}.items()),
            Mistake("window forgotten", (" & causal_mask(n, n, width - 1).T", ""),
                "The last tokens see more than their window", "hide what lies width places back or more"),
            Mistake("blocks",
                lambda n, width: np.tri(n, dtype=bool) & (np.arange(n)[:, None] // width == np.arange(n) // width),
                "The sequence is cut into blocks, whose first tokens see only themselves",
                "let the window slide: it ends at each token"),
            Mistake("rolled round", ("causal_mask(n, n, width - 1).T", "~np.roll(causal_mask(n, n), width, axis=0)"),
                "The first tokens see too little: np.roll brings the last rows back at the top",
                "set the rows that come round to False"))),
    Checks(layers_to_the_first,
        cases=(call(12, 3), call(12, 2), call(7, 3), call(8, 3), call(9, 5), call(4, 9), call(12, 8), call(5, 4),
            call(6, 3)),
        claims=(
            Claim("a window of two tokens takes a layer for each step", lambda f: distance(f(12, 2), 11)),
            oracle("news passed on layer by layer", _heard_from, *(call(n, w) for n in (2, 7, 12) for w in (2, 3, 5)))),
        mistakes=(
            Mistake("whole window each layer", ("width - 1", "width"),
                "It is often too few: the window counts the token itself, which carries no news on",
                "divide by width - 1"),
            Mistake("blocks", ("(n - 1) / (width - 1)", "n / width"),
                "It cuts the tokens into blocks, but neighbouring windows share a token",
                "from the last to the first are n - 1 steps, of width - 1 in each layer, rounded up"),
            Mistake("rounded down", ("math.ceil((n - 1) / (width - 1))", "(n - 1) // (width - 1)"),
                "It is one too few wherever the last step is a short one", "round up"),
            Mistake("rounded to the nearest", ("math.ceil(", "round("),
                "It is one too few where less than half a step is left, and sometimes at half", "round up"),
            Mistake("multiplied in each layer", lambda n, width: math.ceil(math.log(n) / math.log(width)),
                "What is heard grows by a factor in each layer", "a layer adds width - 1 tokens; it does not multiply"),
            Mistake("not rounded", ("math.ceil((n - 1) / (width - 1))", "(n - 1) / (width - 1)"),
                "It is no whole number of layers", "round up"),
            Mistake("tokens for steps", ("n - 1", "n"),
                "It is one too many where a layer arrives exactly at the first token",
                "from the last to the first are n - 1 steps, of width - 1 in each layer, rounded up"))),
)
