"""The distribution of a language model's next token, and what temperature, top k and top p leave of it."""

import numpy as np
import traitlets

from mlnotes.arrays import require_positive
from mlnotes.blocks.softmax import entropy
from mlnotes.efficient.language_model import next_token_probabilities
from mlnotes.widgets import module
from mlnotes.widgets.base import Widget, require_between, svg, text, validate

STEP = 0.05  # nats, in which tokens that are not listed by name are counted
TOP_K = [0, 1, 2, 3, 5, 10, 20, 50, 100, 1000]


class NextToken(Widget):
    """Show what a model holds for likely after a text, and which tokens may then be drawn.

    Parameters
    ----------
    score : callable
        Takes a text and gives the scores (m,) of all tokens after it, in nats.
    name : callable
        Takes ids and gives the tokens' texts.
    texts : sequence of str
        Texts to choose from.
    n_shown : int
        How many tokens are listed by name.
    **traits
        ``text`` (which of them; with a kernel any other, which is then scored), ``temperature``, ``top_k`` (0 for all),
        ``top_p``, ``caption``, ``description``. These can be read and set later, and set by the reader.

    Raises
    ------
    ValueError
        If there is no text or no token to show, scores are not finite, or a trait has no such value.

    Notes
    -----
    The page holds the scores of the listed tokens to four decimals and, for all others, how many lie in each 0.05 nats,
    where they are taken to be evenly spread. `probabilities` computes from the same numbers.
    """

    name = "next_token"
    _esm = module(name)

    texts = traitlets.List(traitlets.Unicode(), read_only=True).tag(sync=True)
    pieces = traitlets.List(read_only=True).tag(sync=True)  # [text][token]
    logits = traitlets.List(read_only=True).tag(sync=True)  # [text][token]
    tails = traitlets.List(read_only=True).tag(sync=True)  # [text][(middle of a step, how many)]
    text = traitlets.Unicode().tag(sync=True)
    temperature = traitlets.Float(1.0).tag(sync=True)
    top_k = traitlets.Int(0).tag(sync=True)
    top_p = traitlets.Float(1.0).tag(sync=True)

    def __init__(self, score, name, texts, n_shown=10, **traits):
        if isinstance(texts, str) or not len(texts):
            raise ValueError(f"texts must be a list of at least one, got {texts!r}")
        if n_shown < 1:
            raise ValueError(f"n_shown must be positive, got {n_shown}")
        self._score, self._name, self._n_shown = score, name, n_shown
        for each in texts:
            self._add(each)
        super().__init__(**{"text": texts[0]} | traits)

    def probabilities(self):
        """Compute with which probability each listed token is drawn.

        Returns
        -------
        float64 array (n_shown,)
            In the order in which they are listed, the most probable first.
        """
        return self._all()[: len(self.pieces[self._chosen()])]

    def picture(self):
        """Draw the bars as SVG text."""
        p, names = self.probabilities(), self.pieces[self._chosen()]
        left, rows = 24 + max(9 * len(_seen(name)) for name in names), []
        for i, (name, weight) in enumerate(zip(names, p, strict=True)):
            y = 12 + 24 * i
            rows.append(text(left - 8, y + 14, _seen(name), "end"))
            rows.append(f'<rect x="{left}" y="{y}" width="240" height="18" fill="#eef0f4"/>')
            rows.append(f'<rect x="{left}" y="{y}" width="{240 * weight:.1f}" height="18" fill="#2c5fa8"/>')
            rows.append(text(left + 250, y + 14, f"{weight:.4f}" if weight else "not drawn"))
        rows.append(text(left, 28 + 24 * len(p), f"all others together {abs(1 - p.sum()):.4f}"))
        return svg(left + 340, 44 + 24 * len(p), *rows)

    def describe(self):
        """Say what may be drawn, and how likely the first tokens are."""
        p, names = self._all(), self.pieces[self._chosen()]
        first = "; ".join(f"{_seen(name)} {weight:.4f}" for name, weight in zip(names[:3], p, strict=False))
        limits = [f"the {self.top_k} most probable"] * bool(self.top_k) + [f"top p {self.top_p:g}"] * (self.top_p < 1)
        choice = ", ".join([f"at temperature {self.temperature:.3g}", *limits])
        return (
            f"After “{self.text.replace(chr(10), '⏎')}”, {choice}: "
            f"{np.count_nonzero(p):,} of {len(p):,} tokens may be drawn, with {abs(entropy(p)):.3f} nats of "
            f"entropy. The first are {first}."
        )

    def __repr__(self):
        return f"<NextToken after {len(self.texts)} texts>"

    def _all(self):
        i = self._chosen()
        spread = [score + STEP * (0.5 - (np.arange(n) + 0.5) / n) for score, n in self.tails[i]]
        scores = np.concatenate([self.logits[i], *spread])
        # Below those that are listed, so that none of them counts as equal.
        scores[self._n_shown :] = np.minimum(scores[self._n_shown :], self.logits[i][-1] - 1e-6)
        return next_token_probabilities(scores, self.temperature, self.top_k or None, self.top_p)

    def _chosen(self):
        return self.texts.index(self.text)

    def _add(self, each):
        scores = np.asarray(self._score(each), dtype=np.float64)
        if scores.ndim != 1 or not scores.size or not np.isfinite(scores).all():
            raise ValueError(f"scores must be one row of finite numbers, got shape {scores.shape}")
        order = np.argsort(-scores, kind="stable")
        ids, rest = order[: self._n_shown], scores[order[self._n_shown :]]
        steps, counts = np.unique(np.round(rest / STEP).astype(int), return_counts=True)
        tail = [[round(float(i * STEP), 2), int(n)] for i, n in zip(steps[::-1], counts[::-1], strict=True)]
        self.set_trait("pieces", [*self.pieces, list(self._name(ids))])
        self.set_trait("logits", [*self.logits, scores[ids].round(4).tolist()])
        self.set_trait("tails", [*self.tails, tail])
        self.set_trait("texts", [*self.texts, each])

    @validate("text")
    def _scored(self, proposal):
        if proposal["value"] not in self.texts:
            self._add(proposal["value"])
        return proposal["value"]

    @validate("temperature")
    def _positive(self, proposal):
        require_positive(temperature=proposal["value"])
        return proposal["value"]

    @validate("top_k")
    def _one_of_the_choices(self, proposal):
        if proposal["value"] not in TOP_K:
            raise ValueError(f"top_k must be one of {TOP_K}, got {proposal['value']}")
        return proposal["value"]

    @validate("top_p")
    def _a_share(self, proposal):
        return require_between("top_p", 0, 1, proposal["value"])


def _seen(name):
    """Write a token so that its space can be seen."""
    return name.replace(" ", "␣").replace("\n", "⏎") or "∅"
