"""What masks and the softmax under them must satisfy, and how they are usually got wrong."""

import math

import numpy as np

from mlnotes.attention.causal_mask import causal_mask, masked_softmax, padding_mask
from mlnotes.blocks.softmax import softmax
from mlnotes.checks.oldbank import Checks, Claim, Mistake, distance, frozen

_rng = np.random.default_rng(61)
_x, _some, _nothing = frozen(
    _rng.normal(size=(2, 5, 7)),
    _rng.random((2, 5, 7)) < 0.6,
    np.arange(5)[:, None] * np.ones(7) != 2,
)
_some = _some | (np.arange(7) == 0)  # every query sees something
_causal = causal_mask(5, 7, 2)
_some.flags.writeable = _causal.flags.writeable = False
_LAST_BITS = "sums of at most 7 numbers in float64: a few units of 1e-16"


def _differs(found, expected):
    """Count the places where two masks differ."""
    found, expected = np.asarray(found), np.asarray(expected)
    if found.dtype != bool or found.shape != expected.shape:
        raise AssertionError(f"it is {found.dtype} of shape {found.shape} where bool of {expected.shape} is right")
    return float((found != expected).sum())


def _torch_masked(x, mask):
    import torch

    scores = torch.tensor(x).masked_fill(~torch.tensor(np.broadcast_to(mask, x.shape).copy()), -math.inf)
    return torch.softmax(scores, -1).numpy()


def _torch_sees():
    """Read the mask off torch's attention: whoever may be looked at gets a weight."""
    import torch
    from torch.nn.attention.bias import causal_lower_right

    q, k, v = torch.zeros(1, 1, 5, 8), torch.zeros(1, 1, 7, 8), torch.eye(7)[None, None]
    attend = torch.nn.functional.scaled_dot_product_attention
    return (attend(q, k, v, attn_mask=causal_lower_right(5, 7))[0, 0] > 0).numpy()


def own_position_hidden(n_queries, n_keys, offset=0):
    """Hide the query's own position."""
    return np.arange(n_keys) < np.arange(n_queries)[:, None] + offset


def future_shown(n_queries, n_keys, offset=0):
    """Show what comes after, and hide what came before."""
    return np.arange(n_keys) >= np.arange(n_queries)[:, None] + offset


def offset_ignored(n_queries, n_keys, offset=0):
    """Begin at the first key, wherever the queries stand."""
    return np.tri(n_queries, n_keys, dtype=bool)


def offset_from_the_end(n_queries, n_keys, offset=0):
    """Take for granted that queries are the last ones."""
    return np.tri(n_queries, n_keys, n_keys - n_queries, dtype=bool)


def filling_shown(lengths, n_keys):
    """Mark the filling as what may be looked at."""
    return ~padding_mask(lengths, n_keys)


def one_too_many(lengths, n_keys):
    """Count from 1."""
    return np.arange(n_keys) <= np.asarray(lengths)[..., None, None]


def without_an_axis_for_queries(lengths, n_keys):
    """Give one row for each sequence, which lines up with the queries instead."""
    return padding_mask(lengths, n_keys)[..., 0, :]


def filling_in_front(lengths, n_keys):
    """Look for the filling before the sequence."""
    return np.arange(n_keys) >= n_keys - np.asarray(lengths)[..., None, None]


def masked_after(x, mask, axis=-1):
    """Set weights to zero after they were shared out."""
    return np.where(mask, softmax(x, axis=axis), 0)


def zeros_before(x, mask, axis=-1):
    """Set hidden scores to zero."""
    return softmax(np.where(mask, x, 0.0), axis=axis)


def multiplied_before(x, mask, axis=-1):
    """Multiply scores by the mask and take the softmax of what is not zero."""
    with np.errstate(all="ignore"):
        e = np.exp(x) * mask
        return e / e.sum(axis=axis, keepdims=True)


def billion_subtracted(x, mask, axis=-1):
    """Set hidden scores to -1e9."""
    return softmax(np.where(mask, x, -1e9), axis=axis)


def mask_turned_over(x, mask, axis=-1):
    """Hide what may be seen."""
    return masked_softmax(x, ~mask, axis)


OLD = (
    Checks(
        causal_mask,
        probes=((5, 5), (3, 7, 4), (3, 7, 1), (4, 6)),
        claims=(
            Claim("the last query of a sequence sees all keys", lambda f: _differs(f(5, 5)[4], np.ones(5, bool))),
            Claim(
                "rows of a long mask are the masks of single queries",
                lambda f: _differs(f(5, 7, 2), np.concatenate([f(1, 7, i + 2) for i in range(5)])),
            ),
            Claim("numpy.tri", lambda f: _differs(f(5, 7, 1), np.tri(5, 7, 1, dtype=bool)), kind="oracle"),
            Claim(
                "torch's mask for queries that are the last of the keys",
                lambda f: _differs(f(5, 7, 2), _torch_sees()),
                kind="oracle",
            ),
        ),
        mistakes=(
            Mistake(own_position_hidden, "The first query sees nothing", "j <= i + offset: a token sees itself"),
            Mistake(future_shown, "Queries see what they are to predict", "keys up to the query's position"),
            Mistake(
                offset_ignored,
                "With a cache, new queries see only the oldest keys",
                "add the position of the first query",
                "PyTorch: is_causal=True with fewer queries than keys",
            ),
            Mistake(
                offset_from_the_end,
                "Queries in the middle of a sequence see what comes after them",
                "take the offset as given",
            ),
        ),
    ),
    Checks(
        padding_mask,
        probes=(([2, 4], 5), ([0, 5, 3], 5)),
        claims=(
            Claim("it counts as many keys as there are", lambda f: distance(f([2, 0, 5], 5).sum(-1), [[2], [0], [5]])),
            Claim(
                "it fits the scores of a batch",
                lambda f: distance(masked_softmax(np.zeros((2, 3, 5)), f([2, 4], 5)).sum(-1), np.ones((2, 3))),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "a loop over keys",
                lambda f: _differs(f([2, 4], 5), [[[j < n for j in range(5)]] for n in (2, 4)]),
                kind="oracle",
            ),
        ),
        mistakes=(
            Mistake(filling_shown, "Only the filling is looked at", "True means: may look"),
            Mistake(one_too_many, "One key of the filling is looked at", "j < length: keys are counted from 0"),
            Mistake(
                without_an_axis_for_queries,
                "It fits only if there are as many queries as sequences, and then wrongly",
                "keep an axis of size 1 for the queries",
            ),
            Mistake(filling_in_front, "The first keys of short sequences are hidden", "the filling stands behind"),
        ),
    ),
    Checks(
        masked_softmax,
        probes=((_x, _some), (_x, _causal), (_x[0], _nothing)),
        claims=(
            Claim(
                "rows that see something sum to one",
                lambda f: distance(f(_x, _some).sum(-1), np.ones((2, 5))),
                1e-12,
                _LAST_BITS,
            ),
            Claim("hidden places get exactly nothing", lambda f: float(np.abs(f(_x, _some)[~_some]).max())),
            Claim(
                "a change of hidden scores changes nothing",
                lambda f: distance(f(np.where(_some, _x, 50.0), _some), f(_x, _some)),
            ),
            Claim(
                "a row that sees nothing is all zeros",
                lambda f: float(np.abs(f(_x[0], _nothing)[2]).max()),
                edge=True,
            ),
            Claim(
                "scores of 800 do not overflow",
                lambda f: distance(f(_x + 800, _causal), f(_x, _causal)),
                1e-12,
                "800 + x keeps 13 digits",
                edge=True,
            ),
            Claim(
                "torch's masked_fill and softmax",
                lambda f: distance(f(_x, _some), _torch_masked(_x, _some)),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(masked_after, "Rows sum to less than one", "hide scores before the softmax"),
            Mistake(zeros_before, "Hidden keys get weight as if they scored 0", "a hidden score is -inf, not 0"),
            Mistake(
                multiplied_before,
                "Large scores overflow, and a row that sees nothing is nan",
                "set hidden scores to -inf and take a stable softmax",
            ),
            Mistake(
                billion_subtracted,
                "A row that sees nothing averages everything, and float16 has no -1e9",
                "use -inf, and give zeros where all is hidden",
                "BERT (2018): its published code adds -10000",
            ),
            Mistake(mask_turned_over, "Only hidden keys are looked at", "True means: may look"),
        ),
    ),
)
