"""What masks and caches that keep the first tokens must satisfy, and a softmax that may leave weight to nothing."""

import math
from itertools import pairwise

import numpy as np
import scipy.special

from mlnotes.attention.causal_mask import causal_mask
from mlnotes.attention.positions import rotary
from mlnotes.blocks.softmax import softmax
from mlnotes.checks.bank import Checks, Claim, Mistake, call, distance, frozen, oracle
from mlnotes.efficient.grouped_query import grouped_query_attention
from mlnotes.efficient.sinks import StreamingCache, null_softmax, sink_mask

_rng = np.random.default_rng(31)
_x, _null, _small, _rows = frozen(_rng.normal(size=(2, 5, 3)) * 3, _rng.normal(size=(5, 1)), np.array([[1.0, 2.0, 4.0],
    [3.0, 0.0, -1.0]]), np.array([[0.0], [2.0]]))
_LAST_BITS = {"tolerance": 1e-12, "why": "sums of at most 17 numbers in float64: a few units of 1e-16"}


def sink_score(share, n_keys):
    """Say how far above ``n_keys - 1`` equal scores one more must stand to get ``share`` of the weight, in nats."""
    return math.log(share / (1 - share) * (n_keys - 1))


def ring(n, capacity, n_sinks):
    """List the tokens that a `StreamingCache` holds after n of them, in the order of the memory: integers (s,)."""
    held = np.arange(min(n, capacity))
    for token in range(capacity, n):
        held[n_sinks + (token - n_sinks) % (capacity - n_sinks)] = token
    return held


def _seen(n_queries, n_keys, window, n_sinks, offset=0):
    return [[j <= i and (j < n_sinks or j > i - window) for j in range(n_keys)]
            for i in range(offset, offset + n_queries)]


def _over_one_more(x, null=0.0, axis=-1):
    from scipy.special import softmax as theirs

    null = np.broadcast_to(null, np.max(x, axis=axis, keepdims=True).shape)
    return np.delete(theirs(np.concatenate([null, x], axis), axis), 0, axis)


# A cache's life: chunks of a text, cut at ``ends``. What their queries get, and what is held in the end.

_TEXT = {size: frozen(*(_rng.normal(size=(n, 17, size)) for n in (4, 2, 2))) for size in (2, 4, 6)}


def _stream(make, capacity, n_sinks, n_heads, d_head, d_value=None, leading=(), like=None, ends=(0,), turned=False,
            appended=(0,), refused=()):
    options = {"d_value": d_value, "leading": leading or None, "like": like}
    given = {key: it for key, it in options.items() if it is not None}
    cache = make(capacity, n_sinks, n_heads, d_head, **given)
    q, k, v = (_TEXT[d][i][:heads] for i, (d, heads) in enumerate(
        ((d_head, 2 * n_heads), (d_head, n_heads), (d_value or d_head, n_heads))))
    rows, seen = [], {}
    for a, b in pairwise(appended):
        cache.append(k[:, a:b], v[:, a:b])
    if refused:
        a, b = refused
        try:
            cache.append(k[:, a:b], v[:, a:b])
        except ValueError:
            seen["append"] = "ValueError"
    for a, b in pairwise(ends):
        chunk = (np.broadcast_to(it[:, a:b], (*leading, *it[:, a:b].shape)) for it in (q, k, v))
        chunk = (it if like is None else it.astype(like.dtype) for it in chunk)
        rows.append(grouped_query_attention(*cache.meet(*chunk, rotary if turned else None)))
    held = np.argsort(cache.positions)
    seen |= {"rows": np.concatenate(rows, -2) if rows else np.zeros(0), "positions": cache.positions[held]}
    if not turned:
        seen["keys"] = np.array(cache.keys)[..., held, :]
    return seen | {"values": np.array(cache.values)[..., held, :], "len": len(cache), "nbytes": cache.nbytes}


def _written_stream(name, case):
    ends, turned = case.named.get("ends", (0,)), case.named.get("turned")
    appended = [*pairwise(case.named.get("appended", (0,))), *filter(None, [case.named.get("refused")])]
    sizes = ", ".join(map(str, case.arguments))
    options = "".join(f", {key}=..." for key in case.named if key in ("d_value", "leading", "like"))
    chunk = "k[:, a:b], v[:, a:b]"
    lines = [f"cache = {name}({sizes}{options})"]
    if appended:
        lines.append(f"for a, b in {appended}:\n    cache.append({chunk})")
    if ends != (0,):
        lines.append(f"for a, b in {list(pairwise(ends))}:\n    cache.meet(q[:, a:b], {chunk}"
                     f"{', rotary' if turned else ''})")
    return "\n".join(lines)


def _as_published(capacity, n_sinks, turned):
    """Keep a list of tokens, drop the oldest that is no sink, and turn all keys again, each at its place."""
    q, k, v = (it[:heads] for it, heads in zip(_TEXT[4], (4, 2, 2), strict=True))
    turn, held, rows = rotary if turned else lambda x, _: x, [], []
    for t in range(17):
        held.append(t)
        if len(held) > capacity:
            del held[n_sinks]
        places = np.arange(len(held))
        rows.append(grouped_query_attention(turn(q[:, t : t + 1], places[-1:]), turn(k[:, held], places), v[:, held]))
    return np.concatenate(rows, -2)


def _one_pass(f, ends):
    q, k, v = (it[:heads] for it, heads in zip(_TEXT[4], (4, 2, 2), strict=True))
    expected = grouped_query_attention(q, k, v, sink_mask(17, 17, 5, 2))
    return distance(_stream(f, 7, 2, 2, 4, ends=ends)["rows"], expected)


_EACH = tuple(range(18))
_FIRST = "causal_mask(n_queries, n_keys, offset) & (np.arange(n_keys) < n_sinks)"
_WINDOW = "sliding_window_mask(n_queries, n_keys, window, offset)"
_LEFT = "xp.exp(null - top) + "
_FULL = call(_x, _null, axis=-1)
_GUARDED = (("return weights / (", "total = ("),
    ("keepdims=True))", "keepdims=True)); return weights / (total + (total == 0))"))


def _with_too_many_places(n, capacity, n_sinks):
    """Let the ring have as many places as the whole cache."""
    places = {token if token < n_sinks else n_sinks + (token - n_sinks) % capacity: token for token in range(n)}
    return np.array([places[it] for it in sorted(places)], int)

def _by_formula(n, capacity, n_sinks):
    """Say for every place which token was there last, as if it had been filled."""
    place, window = np.arange(capacity), capacity - n_sinks
    return np.where(place < n_sinks, place, place + (n - 1 - place) // window * window)


CHECKS = (
    Checks(sink_mask,
        cases=(
            call(5, 5, 2, 1), call(3, 3, 1, 2),
            call(2, 6, 2, 1, offset=4).about("queries that are the last of the keys"),
            call(1, 7, 3, 2, 6).about("one query with a cache"), call(2, 7, 2, 3, 3).about("queries in the middle"),
            call(4, 4, 2, 0).about("no sinks"), call(3, 4, 2, 9).about("more sinks than keys"),
            call(1, 3, 2, 9, offset=5).about("more sinks than keys, and a query behind all of them"),
            call(3, 4, 9, 2).about("a window longer than the text"),
            call(3, 5, 2, 2, 11).about("queries behind all keys"), call(11, 11, 4, 3)),
        claims=(
            Claim("no row sees more than the window and the sinks",
                  lambda f: distance(f(13, 13, 3, 2).sum(-1), [min(i + 1, 5) for i in range(13)])),
            Claim("with as many sinks as keys it is the causal mask",
                  lambda f: distance(f(5, 11, 3, 11, 6), causal_mask(5, 11, 6))),
            oracle("a loop over queries and keys", _seen, call(5, 13, 3, 2, 7), call(11, 11, 4, 3))),
        mistakes=(
            Mistake("causal alone", (f"{_WINDOW} | first", "causal_mask(n_queries, n_keys, offset)"),
                "It is the causal mask: nothing is left out", "hide what is neither in the window nor a sink"),
            Mistake("sinks of the future", (_FIRST, "(np.arange(n_keys) < n_sinks)"),
                "The first queries see sinks that come after them", "keep the causal mask over the sinks, too"),
            Mistake("sinks without offset", (_FIRST, _FIRST.replace(", offset", "")),
                "With a cache, some sinks are hidden as if the text began with the first query",
                "add the offset for the sinks, too"),
            Mistake("one sink too many", ("< n_sinks", "<= n_sinks"), "One token more is kept",
                "keys 0 to n_sinks - 1: j < n_sinks"),
            Mistake("last instead of first", ("np.arange(n_keys) < n_sinks", "np.arange(n_keys) >= n_keys - n_sinks"),
                "The last keys are kept in view", "sinks are the first keys"),
            Mistake("sinks taken from the window",
                (_WINDOW, _WINDOW.replace("window, ", "max(1, window - n_sinks), ", 1)),
                "The window is shorter than asked for", "the sinks come on top of the window"),
            Mistake("window behind the sinks", (_WINDOW, _WINDOW.replace("window, ", "window + n_sinks, ", 1)),
                "The window is longer than asked for", "the window does not grow with the sinks"),
            Mistake("both at once", (f"{_WINDOW} |", f"{_WINDOW} &"), "Only sinks within the window are seen",
                "the one or the other: |"),
            Mistake("one of the two", (f"{_WINDOW} |", f"{_WINDOW} ^"), "Sinks within the window are hidden",
                "the one or the other or both: |"),
            Mistake("all that comes after", ((f"first = {_FIRST}", "first = np.arange(n_keys) < n_sinks"), (_WINDOW,
                "(np.arange(n_keys) > np.arange(n_queries)[:, None] + offset - window)")),
                "Each query sees all that comes after it", "keep the causal mask over window and sinks"))),
    Checks(null_softmax,
        cases=(
            call(np.array([0.0, 1.0])), call(_small), call(_small, 2.0),
            call(_small, axis=0).about("along the columns"), call(_small, _rows).about("a null for each row"),
            call(_small, np.array([[0.0, 2.0, -1.0]]), 0).about("a null for each column"),
            call(_x, _null).about("three axes"), call(_x, -1.0, axis=1).about("three axes"),
            call(_small + 800).about("scores of 800"), call(_small - 800).about("scores of -800"),
            call(_small - 800, -799.0).about("scores and null of -800"), call(_small, 900.0).about("a null of 900"),
            call(_small + np.array([[0.0], [3000.0]]), 1.0).about("rows far apart"),
            call(np.array([0.0, 3000.0])).about("scores far apart"),
            call(np.array([[-np.inf, 1.0], [-np.inf, -np.inf]])).about("hidden scores, and a row of nothing else"),
            call(np.array([[-np.inf, -np.inf], [0.0, 1.0]]),
                np.array([[-800.0], [0.0]])).about("nothing but hidden scores, and a null of -800"),
            call(np.array([[np.inf, 0.0, np.inf]]), 3.0).about("infinite scores", edge=True)),
        claims=(
            Claim("it is softmax times the logistic function of lse(x) - null",
                lambda f: distance(f(_x, _null), softmax(_x) / (1 + np.exp(_null) / np.exp(_x).sum(-1, keepdims=True))),
                **_LAST_BITS),
            Claim("a null far below the scores leaves softmax", lambda f: distance(f(_x, -1e4), softmax(_x)),
                **_LAST_BITS),
            Claim("equal scores of 0 get 1/(n + 1)", lambda f: distance(f(np.zeros(4)), np.full(4, 0.2)),
                **_LAST_BITS),
            oracle("scipy's softmax over one score more", _over_one_more, _FULL, call(_small - 800, -799.0),
                call(_small, 2.0, axis=0), **_LAST_BITS)),
        mistakes=(
            *(Mistake("maximum of everything",
                (("xp.maximum(largest, null)", "xp.maximum(xp.max(x), xp.max(null))"), *guard),
                "Rows far below the largest score turn into nan, or into zeros where the sum is guarded",
                "take the maximum of each row: along the axis, with keepdims=True") for guard in ((), _GUARDED)),
            Mistake("weight of the null returned", lambda x, null=0.0, axis=-1: softmax(np.concatenate([np.full_like(
                np.take(x, [0], axis), null), x], axis), axis), "There is one weight more than there are scores",
                "leave out the null's own weight, which goes nowhere"),
            Mistake("one added to shifted exponentials",
                (("xp.maximum(largest, null)", "largest"), ("xp.exp(null - top)", "np.exp(null)")),
                "Scores of any size leave the same weight to the null",
                "the null is a score like the others: shift it by the same maximum",
                "AttentionIsOFFByOne, issue 5 (2023)"),
            *(Mistake("null added to shifted exponentials", it,
                "Scores of any size leave the same weight to the null, which is not shifted as they are",
                "the null is a score like the others: shift it by the same maximum") for it in (("xp.exp(null - top)",
                "xp.exp(null)"), (("xp.maximum(largest, null)", "xp.where(largest == -np.inf, 0.0, largest)"),
                ("xp.exp(null - top)", "xp.exp(null)")))),
            Mistake("one for the null", ("xp.exp(null - top)", "1"),
                "The null gets as much as the largest score, also where it lies below",
                "the null is a score like the others: exp(null − maximum), which is 1 for the largest alone"),
            Mistake("no null", lambda x, null=0.0, axis=-1: softmax(x, axis), "The weights sum to one",
                "add exp(null - maximum) to the sum, with the maximum of the scores and the null"),
            Mistake("maximum without null", ("xp.maximum(largest, null)", "largest"),
                "A row of nothing but -inf gives nan, and exp overflows where all scores are far below the null",
                "take the maximum of the scores and the null"),
            Mistake("not shifted", ("xp.maximum(largest, null)", "0 * null"),
                "It gives nan for a score of 800, because exp overflows", "subtract the larger of maximum and null"),
            Mistake("softmax", (_LEFT, ""),
                "Weights sum to one, whatever the null is, or are nan where it is far above all scores",
                "add exp(null - maximum) to the sum, with the maximum of the scores and the null"),
            *(Mistake("null not exponentiated", ("xp.exp(null - top)", it), "A null of 0 leaves nothing out",
                "the null is a score: exponentiate it, shifted as the others are") for it in ("abs(null)", "null")),
            *(Mistake("null against each score", it, "Each score competes with the null alone",
                "sum the exponentials of all scores") for it in (
                ("xp.sum(weights, axis=axis, keepdims=True)", "weights"),
                lambda x, null=0.0, axis=-1: scipy.special.expit(x - null))),
            Mistake("null subtracted", ("x - top)", "x - null - top)"), "The null acts twice as strongly as it should",
                "the null is one score more, the others stay as they are"),
            Mistake("weight of the null at the end", lambda x, null=0.0, axis=-1: softmax(np.concatenate([x,
                np.full_like(np.take(x, [0], axis), null)], axis), axis),
                "There is one weight more than there are scores",
                "leave out the null's own weight, which goes nowhere"))),
    Checks(StreamingCache,
        run=_stream,
        written=_written_stream,
        cases=(
            call(3, 1, 1, 2), call(3, 1, 1, 2, appended=(0, 2)), call(3, 1, 1, 2, appended=(0, 3, 4, 5, 6)),
            call(3, 1, 1, 2, appended=(0, 2), refused=(2, 5)).about("a chunk that evicts is appended"),
            call(3, 1, 1, 2, ends=(0, 1, 2, 3, 4)).about("the second token is evicted"),
            call(3, 1, 1, 2, ends=(0, 3, 4, 5)), call(5, 2, 2, 4, ends=_EACH).about("token by token"),
            call(5, 0, 2, 4, ends=_EACH).about("no sinks"), call(5, 4, 2, 4, ends=_EACH).about("a window of one token"),
            call(7, 2, 2, 4, ends=_EACH, turned=True).about("token by token, turned"),
            call(7, 2, 2, 4, ends=(0, 5, 6, 7, 8, 9), turned=True)
            .about("a chunk that fits, then token by token, turned"),
            call(7, 2, 2, 4, ends=(0, 17)).about("one chunk that evicts"),
            call(7, 2, 2, 4, ends=(0, 17), turned=True).about("one chunk that evicts, turned"),
            call(7, 2, 2, 4, ends=(0, 1, 6, 9, 17), turned=True).about("chunks that evict, turned"),
            call(7, 3, 2, 4, ends=(0, 2, 13, 15), turned=True).about("chunks that evict, turned"),
            call(5, 2, 2, 4, d_value=6, ends=_EACH).about("values wider than keys", edge=True),
            call(5, 2, 2, 4, leading=(3,), ends=(0, 4, 9, 10)).about("three sequences", edge=True),
            call(5, 2, 2, 4, like=np.zeros((), np.float32), ends=(0, 4, 9, 10)).about("float32", edge=True),
            call(5, 3, 2, 4, d_value=6, leading=(3,), like=np.zeros((), np.float32), ends=(0, 4, 9, 10),
                 turned=True).about("all options", edge=True)),
        claims=(
            Claim("without positions, one pass over the text with a sink mask, token by token",
                  lambda f: _one_pass(f, _EACH), **_LAST_BITS),
            Claim("and in chunks of 5, 8 and 4", lambda f: _one_pass(f, (0, 5, 13, 17)), **_LAST_BITS),
            Claim("chunks of turned tokens are those tokens one by one", lambda f: distance(*(
                _stream(f, 7, 2, 2, 4, ends=it, turned=True)["rows"] for it in (_EACH, (0, 3, 12, 17)))), **_LAST_BITS),
            Claim("memory is the same after 17 tokens as after one", lambda f: float(abs(
                _stream(f, 5, 2, 2, 4, ends=_EACH)["nbytes"] - _stream(f, 5, 2, 2, 4, ends=(0, 1))["nbytes"]))),
            Claim("a list of tokens from which the oldest is deleted, and all keys turned again at their places",
                  lambda f: max(distance(_stream(f, *size, 2, 4, ends=_EACH, turned=turned)["rows"],
                      _as_published(*size, turned)) for size in ((7, 2), (5, 0), (3, 2)) for turned in (False, True)),
                  kind="oracle", **_LAST_BITS)),
        mistakes=(
            Mistake("first tokens evicted", ("np.where(new < self.n_sinks, new, self.n_sinks "
                "+ (new - self.n_sinks) % window)", "(new % self.capacity)"), "The first tokens leave like any others",
                "write over the oldest token that is no sink"),
            Mistake("positions of the text", ("held + evicted", "held"),
                "The farther the text goes, the farther away are the sinks", "count positions inside the cache",
                "transformers' SinkCache, issue 33691 (2024), for the newest keys"),
            Mistake("one place too far", ("np.minimum(new, self.capacity - 1)", "np.minimum(new, self.capacity)"),
                "In a chunk that evicts, queries stand behind the last place of the cache",
                "the last place is capacity - 1"),
            Mistake("window one too long", ("- self.capacity + self.n_sinks)", "- self.capacity + self.n_sinks - 1)"),
                "In a chunk that evicts, queries see one token that has left", "a window of capacity - n_sinks tokens"),
            Mistake("scale of twice the width", ("math.sqrt(2) * ", ""), "In a chunk that evicts, rows are flatter",
                "multiply the queries by sqrt(2): the width by whose root scores are divided is doubled"),
            Mistake("values at other places", ("self._values[..., slots, :] = v[..., stay, :]",
                "self._values[..., slots[::-1], :] = v[..., stay, :]"), "In a chunk, values belong to other keys",
                "write keys and values to the same places"))),
    Checks(sink_score,
        cases=(call(0.5, 2), call(0.5, 11), call(0.9, 101), call(0.1, 60), call(0.75, 4)),
        claims=(
            Claim("half of the weight against one other needs nothing", lambda f: distance(f(0.5, 2), 0.0)),
            Claim("twice the others need log 2 more", lambda f: distance(f(0.7, 21) - f(0.7, 11), math.log(2)),
                **_LAST_BITS),
            Claim("softmax then gives that share",
                lambda f: distance(softmax(np.array([f(0.9, 17)] + [0.0] * 16))[0], 0.9), kind="oracle", **_LAST_BITS)),
        mistakes=(
            Mistake("share for odds", ("share / (1 - share)", "share"), "It is too low: the others keep more",
                "the exponentials stand in the ratio share to 1 - share"),
            Mistake("itself counted", ("(n_keys - 1)", "n_keys"), "One key too many shares the rest",
                "the others are n_keys - 1"),
            Mistake("others forgotten", (" * (n_keys - 1)", ""), "It does not grow with the number of keys",
                "the others share the rest among n_keys - 1"),
            Mistake("not a score",
                ("math.log(share / (1 - share) * (n_keys - 1))", "share / (1 - share) * (n_keys - 1)"),
                "It is the ratio of exponentials", "take the logarithm"))),
    Checks(ring, integers=True,
        cases=(
            call(2, 4, 1), call(4, 4, 1).about("full"), call(5, 4, 1), call(6, 4, 1), call(9, 4, 1),
            call(7, 3, 0).about("no sinks"), call(8, 4, 3).about("a window of one token"), call(23, 7, 2),
            call(0, 4, 1).about("nothing"), call(1, 4, 1).about("one token")),
        claims=(
            Claim("it holds the first ones and the last ones",
                lambda f: distance(np.sort(f(23, 7, 2)), [0, 1, 18, 19, 20, 21, 22])),
            Claim("one token changes one place", lambda f: float((f(23, 7, 2) != f(24, 7, 2)).sum() - 1)),
            oracle("the cache itself, token by token", lambda n, capacity, n_sinks: _held(n, capacity, n_sinks),
                call(23, 7, 2), call(5, 7, 2))),
        mistakes=(
            Mistake("tokens counted from 1", ("return ", "return 1 + "), "Every number is too large by one",
                "the first token has the number 0"),
            Mistake("ring over all places", ("n_sinks + (token - n_sinks) % (capacity - n_sinks)", "token % capacity"),
                "The first tokens are overwritten", "the ring begins behind the sinks"),
            Mistake("capacity for window", ("% (capacity - n_sinks)", "% capacity"),
                "It writes behind the last place", "the ring has capacity - n_sinks places"),
            Mistake("capacity besides the sinks", _with_too_many_places, "It keeps more tokens than its capacity",
                "the ring has capacity - n_sinks places"),
            Mistake("sinks not taken off", ("(token - n_sinks) %", "token %"),
                "Where the sinks do not fill whole rounds, it begins at a wrong place",
                "the first token of the ring is number n_sinks"),
            *(Mistake("places that are still empty", it, "It names places where no token is yet",
                "before the cache is full there are n places") for it in (_by_formula,
                ("np.arange(min(n, capacity))", "np.arange(capacity)"))))),
)


def _held(n, capacity, n_sinks):
    cache = StreamingCache(capacity, n_sinks, 1, 2)
    for _ in range(n):
        cache.append(np.zeros((1, 1, 2)), np.zeros((1, 1, 2)))
    return cache.positions
