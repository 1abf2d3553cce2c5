"""What drawing the next token must satisfy, and how it is usually got wrong."""

import numpy as np

from mlnotes.blocks.softmax import softmax
from mlnotes.checks.bank import Checks, Claim, Mistake, call, distance, frozen, oracle
from mlnotes.diagnosis.report import written_call
from mlnotes.efficient.language_model import generate, next_token_probabilities
from mlnotes.layers.llama import Llama

_rng = np.random.default_rng(29)
_row, _rows, _cube, _table, _tied, _halves = frozen(np.array([1.0, 4.0, 2.0]), _rng.normal(size=(3, 11)) * 3,
    _rng.normal(size=(2, 3, 7)) * 3, _rng.normal(size=(5, 5)) * 2, np.array([3.0, 1.0, 3.0, 0.0, 3.0]),
    np.log([0.125, 0.5, 0.25, 0.125]))
_FORBIDDEN = np.array([[0.0, -np.inf], [-np.inf, -np.inf]])
_LAST_BITS = {"tolerance": 1e-12, "why": "sums of at most 11 numbers in float64: a few units of 1e-16"}


def llama_parameters(n_tokens, n_layers, d_model, n_heads, n_groups, d_hidden):
    """Count the numbers that a decoder of the Llama family holds, whose table also scores."""
    attention = 2 * d_model**2 + 2 * d_model * (n_groups * d_model // n_heads)
    network = 3 * d_model * d_hidden
    return n_tokens * d_model + n_layers * (attention + network + 2 * d_model) + d_model


def _held(*sizes):
    return sum(it.numel() for it in Llama(*sizes).parameters())


def _transformers(logits, temperature=1.0, top_k=None, top_p=None):
    import torch
    from transformers import TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

    scores = TemperatureLogitsWarper(float(temperature))(None, torch.tensor(logits))
    scores = scores if top_k is None else TopKLogitsWarper(top_k)(None, scores)
    scores = scores if top_p is None else TopPLogitsWarper(top_p)(None, scores)
    return scores.softmax(-1).numpy()


def _one_for_all_rows(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature:
        return next_token_probabilities(logits, temperature, top_k, top_p)
    p = np.zeros(logits.shape)
    p.flat[np.argmax(logits)] = 1
    return p


def _smallest_set(f):
    """Say how far the tokens that are kept miss the rule: enough for p, and without their last too little."""
    p = np.sort(softmax(_rows[0]))[::-1]
    return max(abs(np.count_nonzero(f(_rows[0], top_p=q)) - 1 - np.count_nonzero(np.cumsum(p) < q))
        for q in (0.05, 0.5, 0.9, 0.99))  # fmt: skip


class _Reader:
    """A model whose scores depend on the last two tokens that it has read, and on how many."""

    def __init__(self):
        self.seen = []

    def __call__(self, ids):
        scores = []
        for i in ids:
            self.seen.append(int(i))
            scores.append(_table[i] - _table[:, sum(self.seen[-2:]) % 5] + 0.1 * len(self.seen))
        return np.array(scores)


def _drawing_zeros():
    bits = np.random.MT19937()
    bits.state = {"bit_generator": "MT19937", "state": {"key": np.zeros(624, np.uint32), "pos": 624}}
    return np.random.Generator(bits)


_GENERATORS = {"default_rng(5)": lambda: np.random.default_rng(5), "Generator(zeros)": _drawing_zeros}


def _written(version, reader, ids, n_tokens, **options):
    """List what was written, and what was read for it: what is read on, and not needed, does not count."""
    step = _Reader()
    if isinstance(options.get("rng"), str):
        options["rng"] = _GENERATORS[options["rng"]]()
    options.setdefault("rng", 0)  # who draws where nothing is to be drawn shall draw the same each time
    written = version(step, ids, n_tokens, **options)
    if written is None:
        return None
    written = np.array(written).tolist()
    needed = len(ids) + np.size(written) - 1 if n_tokens else 0
    return {"written": written, "read": step.seen[:needed]}


def _written_generate(name, case):
    """Write a call down; the model that it hands over is one of five tokens, of which no more need be known."""
    text = written_call(name, case).replace("'step'", "step")
    for it in _GENERATORS:
        text = text.replace(repr(it), f"np.random.{it}")
    zeros = "\n# zeros: bits that are all 0, so that every number drawn is 0" if "zeros" in text else ""
    return f"# step: a model of 5 tokens{zeros}\n{text}"


def _one_by_one(ids, n_tokens, stop=None, rng=None, **choice):
    """Score the whole text for every token anew."""
    rng, text = np.random.default_rng(rng), list(ids)
    for _ in range(n_tokens):
        p = next_token_probabilities(_Reader()(text)[-1], **choice)
        token = int(rng.choice(5, p=p / p.sum()))
        if token == stop:
            break
        text.append(token)
    return np.array(text[len(ids) :])


def _rewritten(f):
    """Compare with a model that forgets, and is shown the whole text each time."""
    return sum(f(_Reader(), np.array([1, 3]), 12, rng=seed, temperature=2.0).tolist() != _one_by_one([1, 3], 12,
        rng=seed, temperature=2.0).tolist() for seed in range(9))  # fmt: skip




def _from_above(top_p):
    """Leave out every token with which the sum from the most probable down exceeds a number."""
    return f"xp.flip(xp.cumulative_sum(xp.flip(ranked, axis=-1), axis=-1), axis=-1) > {top_p}"


_SHARED = "return softmax(scores) / (scores > -math.inf).any(axis=-1, keepdims=True)"
_TOP_K = "scores = xp.where(scores >= ranked[..., -min(top_k, logits.shape[-1]), None], scores, -math.inf)"

CHECKS = (
    Checks(next_token_probabilities,
        cases=(
            call(_row), call(_row, 2.0), call(_row, top_k=2), call(_row, top_p=0.5), call(_row, top_p=0.9),
            call(_rows, temperature=0.5), call(_row, top_k=1), call(_rows, top_k=1), call(_rows, top_k=4),
            call(_rows, top_p=0.8),
            call(np.log([8.0, 1.0, 4.0, 2.0]), top_k=2, top_p=0.6).about("top k, then top p"),
            call(_rows, 1.7, 5, 0.6).about("all three"), call(_rows, 0.3, 5, 0.97).about("all three"),
            call(_cube, 1.3, 3, 0.9).about("three axes"), call(_row, 0).about("temperature 0"),
            call(_rows, 0).about("rows at temperature 0"),
            call(np.array([0.0, -1e-6]), 0).about("scores close to each other at temperature 0"),
            call(np.array([0.0, -0.01]), 0.005).about("scores close to each other at a low temperature"),
            call(_row * 1000, 1000.0).about("scores of 1000 at a high temperature"),
            call(_row * 1000).about("scores of 1000"), call(_row - 1000).about("scores of -1000"),
            call(_row, top_k=9).about("more than there are"), call(_row, top_p=1.0).about("all of the probability"),
            call(np.log([0.25, 0.5, 0.25]), top_p=0.0).about("none of the probability"),
            call(np.array([0.0, -50.0, -700.0]), top_p=1.0).about(
                "a probability that no sum notices", edge=True, tolerance=1e-23, absolute=0.0),
            call(np.array([[1000.0, 998.0], [-9500.0, -9501.0]]), 0.1).about("rows far apart"),
            call(_row - 1000, top_p=0.5).about("scores of -1000"), call(_tied, 0).about("ties", edge=True),
            call(_tied, top_k=2).about("ties", edge=True), call(_tied, top_p=0.4).about("ties", edge=True),
            call(np.log([0.5, 0.25, 0.25]), top_p=0.5).about("the first alone reaches it", edge=True),
            call(_FORBIDDEN, 0.5).about("tokens that may not come", edge=True),
            call(_FORBIDDEN, 0.5, 1, 0.9).about("tokens that may not come", edge=True),
            call(_row * 1000, 1e-307).about("temperature 1e-307", edge=True)),
        claims=(
            Claim("probabilities sum to one", lambda f: distance(f(_rows, 0.7, 5, 0.8).sum(-1), np.ones(3)),
                **_LAST_BITS),
            Claim("without choices, softmax", lambda f: distance(f(_rows), softmax(_rows)), **_LAST_BITS),
            Claim("temperature 0 leaves the largest score",
                lambda f: distance(f(_rows, 0), np.eye(11)[_rows.argmax(-1)])),
            Claim("top p keeps the smallest set that reaches it", _smallest_set),
            Claim("what is kept keeps its proportions", lambda f: distance(f(_halves, top_k=2), [0, 2 / 3, 1 / 3, 0]),
                **_LAST_BITS),
            oracle("transformers' three processors", _transformers, call(_rows), call(_rows, 0.5), call(_rows, top_k=4),
                call(_rows, top_p=0.8), call(_rows, 1.7, 5, 0.6), **_LAST_BITS)),
        mistakes=(
            Mistake("top k keeps the least", ("scores >= ranked[..., -min(top_k, logits.shape[-1]), None]",
                "scores <= ranked[..., min(top_k, logits.shape[-1]) - 1, None]"), "The least probable tokens are kept",
                "keep what is at least as large as the k-th from the end"),
            Mistake("powers of two",
                ("    top = xp.max(logits", "    logits = logits * math.log(2)\n    top = xp.max(logits"),
                "Each unit of score counts a factor of 2, not of e", "use exp, not 2 to a power"),
            Mistake("one token for all rows", _one_for_all_rows, "At temperature 0 only one row gets a token",
                "take the largest score of each row"),
            Mistake("multiplied by the temperature", ("scores / as_like(temperature, scores)", "scores * temperature"),
                "A high temperature makes the probable more probable", "divide the scores by it"),
            Mistake("temperature after softmax", ("scores = scores / as_like(temperature, scores)",
                "scores = xp.log(softmax(scores)) / as_like(temperature, scores)"),
                "Scores far below the largest are lost before a high temperature lifts them",
                "divide the scores by it before the softmax"),
            Mistake("top k from below", ("-min(top_k, logits.shape[-1])", "min(top_k, logits.shape[-1]) - 1"),
                "top_k - 1 of the least probable are left out, and no others",
                "take the k-th from the end of the sorted scores"),
            *(Mistake("one token short of p", ("xp.cumulative_sum(ranked, axis=-1) <= 1 - top_p", _from_above(it)),
                "The kept tokens do not reach top_p, unless the first does alone",
                "keep the token that crosses top_p, too",
                "llama.cpp, pull request 1953 (2023)") for it in ("top_p", "top_p * (1 - 1e-15)", "top_p + 1e-15")),
            *(Mistake("nothing reaches p", (("xp.cumulative_sum(ranked, axis=-1) <= 1 - top_p", _from_above(it)),
                ("ranked[..., -1:], ranked", "math.inf, ranked"), ("return softmax(scores)", returned)),
                "Where the first token alone exceeds top_p, none is kept", "keep the token that crosses top_p, too")
                for it in ("top_p", "top_p + 1e-15") for returned in ("return softmax(scores)", _SHARED)),
            Mistake("top_p of 0 taken for none", ("if top_p is not None", "if top_p"),
                "With top_p = 0, all tokens are kept", "0 is a choice, too: compare with None"),
            Mistake("left sorted", ("return softmax(scores)", "return xp.flip(xp.sort(softmax(scores), axis=-1), -1)"),
                "The most probable token comes first, whichever it is", "put them back to where they stood"),
            Mistake("not normalized again", (("    if top_k is not None:", "    before = softmax(scores)\n"
                "    if top_k is not None:"),
                ("return softmax(scores)", "return xp.where(scores > -math.inf, before, 0.0)")),
                "What is kept does not sum to one", "divide by what is kept, or hide the scores before softmax"),
            Mistake("not normalized after top p", (("        p = softmax(scores)\n", "        before = p = "
                "softmax(scores)\n"), ("return softmax(scores)", "return softmax(scores) if top_p is None else "
                "xp.where(scores > -math.inf, before, 0.0)")),
                "What top p keeps does not sum to one", "divide by what is kept, or hide the scores before softmax"),
            Mistake("top p before top k", (("    if top_k is not None:\n        ranked = xp.sort(scores, axis=-1)\n"
                f"        {_TOP_K}\n", ""),
                ("    return softmax(scores)", "    if top_k is not None:\n"
                f"        ranked = xp.sort(tempered, axis=-1)\n        {_TOP_K}\n    return softmax(scores)"),
                ("    if top_p is not None:", "    tempered = scores\n    if top_p is not None:")),
                "top p is measured before top k", "top k comes first, and top p takes a share of what it left"),
            Mistake("temperature ignored by top p", ("p = softmax(scores)", "p = softmax(scores * temperature)"),
                "top_p is measured before the temperature", "divide the scores first"))),
    Checks(generate,
        run=_written, written=_written_generate,
        cases=(
            call("step", np.array([1, 3]), 6, temperature=0), call("step", np.array([2]), 5, rng=0),
            call("step", np.array([2]), 9, stop=4, temperature=0).about("a token that stops"),
            call("step", np.array([2]), 8, rng="default_rng(5)").about("a generator"),
            call("step", np.array([0, 1, 2]), 7, rng=3, temperature=3.0, top_k=4, top_p=0.9).about("all choices"),
            call("step", np.array([2]), 0).about("nothing to write"),
            call("step", np.array([0]), 5, stop=3, temperature=0).about("the first token stops"),
            call("step", np.array([1, 3]), 12, stop=3, rng=2, top_k=2),
            call("step", np.array([3, 1]), 6, stop=3, temperature=0).about("a text that begins with what stops"),
            call("step", np.array([2]), 9, stop=0, rng=0, temperature=3.0).about("token 0 stops"),
            call("step", np.array([2]), 6, rng="Generator(zeros)", top_k=2).about("every draw is 0", edge=True)),
        claims=(
            Claim("the whole text read anew for every token, drawn by numpy's choice", _rewritten, kind="oracle"),
            Claim("each token is read once", lambda f: float(_written(f, "step", np.array([1, 3]), 6, rng=0)["read"]
                != [1, 3, *_written(f, "step", np.array([1, 3]), 6, rng=0)["written"][:-1]]))),
        mistakes=(
            Mistake("only the last token of the text is read", ("np.asarray(ids), []", "np.asarray(ids)[-1:], []"),
                "What stands before the last token makes no difference", "hand step the whole text first"),
            Mistake("choice not handed on",
                ("next_token_probabilities(scores[-1], **choice)", "next_token_probabilities(scores[-1])"),
                "Temperature, top_k and top_p make no difference", "hand them on to next_token_probabilities"),
            Mistake("the most probable every time",
                ('int(np.searchsorted(reached, rng.random() * reached[-1], side="right"))', "int(np.argmax(p))"),
                "The text does not depend on the generator", "draw a number between 0 and the sum"),
            Mistake("added from the most probable down", (("np.cumsum(p)", "np.cumsum(-np.sort(-p))"),
                ('int(np.searchsorted(reached, rng.random() * reached[-1], side="right"))',
                'int(np.argsort(-p)[np.searchsorted(reached, rng.random() * reached[-1], side="right")])')),
                "Probabilities are added in another order, so that a number draws another token",
                "add them in the order of the table, from token 0 on"),
            Mistake("whole text read again", ("np.array([token])", "np.concatenate([new, [token]])"),
                "step gets what it has read already once more", "hand it only what it has not read yet: the new token"),
            Mistake("text and all", ("return np.array(written, dtype=np.int64)",
                "return np.concatenate([np.asarray(ids), np.array(written, dtype=np.int64)])"),
                "The text so far is returned, too", "return the tokens that were written, and no others"),
            Mistake("text read again", ("        new = np.array([token])\n", ""), "It reads the first text every time",
                "give step the token that was just written"),
            Mistake("generator made anew", (("np.random.default_rng(rng), np.asarray(ids)", "rng, np.asarray(ids)"),
                ("rng.random()", "np.random.default_rng(rng).random()")), "Every token is drawn with the same number "
                    "where `rng` is a seed",
                "make the generator once, before the loop"),
            Mistake("stop 0 taken for none", ("if token == stop", "if stop and token == stop"),
                "Token 0 does not end the text", "0 is a token, too: compare with None"),
            Mistake("goes on behind the stop", ("break", "continue"), "The stop is left out, but ends nothing",
                "leave the loop"),
            Mistake("the stop is written", (("if token == stop:", "written.append(token)\n        if token == stop:"),
                ("break\n        written.append(token)", "break")), "The text ends with the token that stops it",
                "look at the token before it is appended"),
            Mistake("only the temperature handed on",
                ("scores[-1], **choice", "scores[-1], choice.get('temperature', 1.0)"),
                "top_k and top_p make no difference", "hand on everything: **choice"),
            Mistake("all that was written read again", ("np.array([token])", "np.array(written)"),
                "step gets what it has read already once more", "hand it only what it has not read yet: the new token"),
            Mistake("the text counted", ("range(n_tokens)", "range(n_tokens - len(np.asarray(ids)))"),
                "`n_tokens` counts the text so far, too", "write `n_tokens` new ones"))),
    Checks(llama_parameters,
        cases=(call(1, 1, 1, 1, 1, 1), call(10, 1, 2, 1, 1, 3), call(10, 2, 2, 1, 1, 3).about("two layers"),
            call(11, 1, 6, 3, 3, 5).about("three heads of their own"), call(11, 3, 12, 6, 2, 7).about("shared heads"),
            call(49152, 30, 576, 9, 3, 1536)),
        claims=(
            oracle("the parameters of the layer Llama", _held, call(11, 3, 12, 6, 2, 7), call(7, 1, 4, 2, 1, 3)),
            Claim("every layer holds as many",
                lambda f: float(np.ptp(np.diff([f(11, n, 12, 6, 2, 7) for n in range(5)]))))),
        mistakes=(
            Mistake("the table twice", ("n_tokens * d_model", "2 * n_tokens * d_model"),
                "Scores have a table of their own", "count the table once: it looks tokens up and scores them"),
            Mistake("keys of every head", ("n_groups * d_model // n_heads", "d_model"),
                "There are as many keys and values as queries",
                "keys and values have d_model / n_heads columns for each group"),
            Mistake("a column for each group", ("n_groups * d_model // n_heads", "n_groups"),
                "Keys and values have one column for each group", "each group is as wide as a head, d_model / n_heads"),
            Mistake("width of a group", ("n_groups * d_model // n_heads", "d_model // n_groups"),
                "A head is taken to be d_model / n_groups wide", "divide the width by the heads, and count the groups"),
            Mistake("keys alone", ("2 * d_model * (n_groups", "d_model * (n_groups"),
                "Keys and values are counted once", "each has a matrix of its own: count two"),
            Mistake("no rows", ("2 * d_model * (n_groups", "2 * (n_groups"),
                "Keys and values have one row each", "their matrices have d_model rows"),
            Mistake("no gate", ("3 * d_model * d_hidden", "2 * d_model * d_hidden"),
                "The network has two matrices", "count three: gate, up and down"),
            Mistake("no output projection", ("2 * d_model**2", "d_model**2"), "Attention has three matrices",
                "what the heads find is projected once more: count four matrices"),
            Mistake("one norm in a block", ("network + 2 * d_model", "network + d_model"), "A block has one norm",
                "count a gain before attention and one before the network"),
            Mistake("norms with shifts", ("network + 2 * d_model", "network + 4 * d_model"),
                "2 d_model too many in each layer", "a block has two RMS norms, which have a gain and no shift"),
            Mistake("last norm in each layer", (" + 2 * d_model) + d_model", " + 3 * d_model)"),
                "A third norm is counted in every layer", "the norm before the scores stands there once"),
            Mistake("all norms with shifts",
                ("network + 2 * d_model) + d_model", "network + 4 * d_model) + 2 * d_model"),
                "Every norm is counted twice", "an RMS norm has a gain and no shift"),
            Mistake("last norm forgotten", (" + 2 * d_model) + d_model", " + 2 * d_model)"),
                "It is d_model too small, whatever the number of layers", "a norm stands before the scores, too"))),
)
