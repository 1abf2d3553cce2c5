"""Choosing the next token, as readers write it."""

import numpy as np
import scipy.special
import torch

from mlnotes.blocks.softmax import softmax
from mlnotes.efficient.language_model import next_token_probabilities


def right_next_token_probabilities__own(logits, temperature=1.0, top_k=None, top_p=None):
    x = logits - logits.max(axis=-1, keepdims=True)
    x = np.where(x == 0, 0.0, -np.inf) if temperature == 0 else x / temperature
    p = scipy.special.softmax(x, axis=-1)
    if top_k is not None:
        least = np.sort(p, axis=-1)[..., ::-1][..., : top_k][..., -1:]
        p = np.where(p >= least, p, 0)
        p = p / p.sum(axis=-1, keepdims=True)
    if top_p is not None:
        ranked = np.sort(p, axis=-1)[..., ::-1]
        enough = np.maximum(1, (np.cumsum(ranked, axis=-1) < top_p - 1e-12).sum(axis=-1, keepdims=True) + 1)
        enough = np.minimum(enough, p.shape[-1])
        p = np.where(p >= np.take_along_axis(ranked, enough - 1, axis=-1), p, 0)
        p = p / p.sum(axis=-1, keepdims=True)
    return p


def right_next_token_probabilities__loops(logits, temperature=1.0, top_k=None, top_p=None):
    if logits.ndim > 1:
        return np.stack([
            right_next_token_probabilities__loops(row, temperature, top_k, top_p) for row in logits
        ])
    x = [float(it) - float(max(logits)) for it in logits]
    weights = [np.exp(it / temperature) if temperature else float(it == 0) for it in x]
    allowed = sorted(range(len(x)), key=lambda i: -x[i])
    if top_k is not None:
        allowed = allowed[:top_k]
    if top_p is not None:
        total, kept = sum(weights[i] for i in allowed), []
        for i in allowed:
            if kept and sum(weights[j] for j in kept) / total >= top_p:
                break
            kept.append(i)
        allowed = kept
    total = sum(weights[i] for i in allowed)
    return np.array([weights[i] / total if i in allowed else 0.0 for i in range(len(x))])


def right_next_token_probabilities__torch(logits, temperature=1.0, top_k=None, top_p=None):
    x = torch.tensor(logits)
    if temperature == 0:
        top_k, temperature = 1, 1.0
    x = x / temperature
    if top_k is not None:
        x[x < x.topk(min(top_k, x.shape[-1])).values[..., -1:]] = -torch.inf
    if top_p is not None:
        p = x.softmax(-1)
        ranked, order = p.sort(-1, descending=True)
        before = ranked.cumsum(-1) - ranked
        gone = (before >= top_p) & (before > 0) & (top_p < 1)
        x = x.masked_fill(torch.zeros_like(gone).scatter(-1, order, gone), -torch.inf)
    return x.softmax(-1).numpy()


def wrong_next_token_probabilities__times(logits, temperature=1.0, top_k=None, top_p=None):
    """A high temperature makes the probable more probable"""
    if temperature == 0:
        return next_token_probabilities(logits, 0, top_k, top_p)
    return next_token_probabilities(logits * temperature, 1.0, top_k, top_p)


def wrong_next_token_probabilities__of_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    """`temperature` makes no difference"""
    p = softmax(logits)
    p = p / max(temperature, 1e-9)
    return next_token_probabilities(np.log(p / p.sum(axis=-1, keepdims=True)), 1.0, top_k, top_p)


def wrong_next_token_probabilities__not_normalised(logits, temperature=1.0, top_k=None, top_p=None):
    p = next_token_probabilities(logits, temperature)
    return np.where(next_token_probabilities(logits, temperature, top_k, top_p) > 0, p, 0)


def wrong_next_token_probabilities__p_first(logits, temperature=1.0, top_k=None, top_p=None):
    """Line 3"""
    p = next_token_probabilities(logits, temperature, None, top_p)
    with np.errstate(divide="ignore"):
        return next_token_probabilities(np.log(p), 1.0, top_k)


def wrong_next_token_probabilities__one_more(logits, temperature=1.0, top_k=None, top_p=None):
    """Line 3"""
    return next_token_probabilities(logits, temperature, None if top_k is None else top_k + 1, top_p)


def wrong_next_token_probabilities__at_least_p(logits, temperature=1.0, top_k=None, top_p=None):
    p = next_token_probabilities(logits, temperature, top_k)
    if top_p is not None:
        p = np.where(p >= top_p, p, 0)
        p = p / np.maximum(p.sum(axis=-1, keepdims=True), 1e-300)
    return p


def wrong_next_token_probabilities__top_k_of_all(logits, temperature=1.0, top_k=None, top_p=None):
    if top_k is not None:
        least = np.sort(logits, axis=None)[-min(top_k, logits.size)]
        logits = np.where(logits >= least, logits, -np.inf)
    return next_token_probabilities(logits, temperature, None, top_p)


def wrong_next_token_probabilities__ignores_p(logits, temperature=1.0, top_k=None, top_p=None):
    """`top_p` makes no difference"""
    return next_token_probabilities(logits, temperature, top_k)


def right_generate__loop(step, ids, n_tokens, stop=None, rng=None, **choice):
    rng = np.random.default_rng(rng)
    written, scores = [], step(np.asarray(ids))[-1] if n_tokens else None
    while len(written) < n_tokens:
        p = next_token_probabilities(scores, **choice)
        token = int(rng.choice(len(p), p=p / p.sum()))
        if token == stop:
            return np.array(written, dtype=int)
        written.append(token)
        if len(written) < n_tokens:
            scores = step(np.array([token]))[-1]
    return np.array(written, dtype=int)


def right_generate__inverse(step, ids, n_tokens, stop=None, rng=None, **choice):
    rng, written = np.random.default_rng(rng), []
    for _ in range(n_tokens):
        p = next_token_probabilities(step(ids)[-1], **choice).astype(float)
        u, token, total = rng.random(), 0, p[0]
        while total / p.sum() <= u:
            token += 1
            total += p[token]
        if token == stop:
            break
        written.append(token)
        ids = np.array([token])
    return written


def right_generate__recursive(step, ids, n_tokens, stop=None, rng=None, **choice):
    rng = np.random.default_rng(rng)
    if n_tokens == 0:
        return []
    p = np.cumsum(next_token_probabilities(step(ids)[-1], **choice))
    token = int((p <= rng.random() * p[-1]).sum())
    if token == stop:
        return []
    return [token, *right_generate__recursive(step, np.array([token]), n_tokens - 1, stop, rng, **choice)]


def wrong_generate__whole_text_again(step, ids, n_tokens, stop=None, rng=None, **choice):
    rng, text = np.random.default_rng(rng), list(ids)
    for _ in range(n_tokens):
        p = np.cumsum(next_token_probabilities(step(np.array(text))[-1], **choice))
        token = int(np.searchsorted(p, rng.random() * p[-1], side="right"))
        if token == stop:
            break
        text.append(token)
    return np.array(text[len(ids) :])


def wrong_generate__with_the_text(step, ids, n_tokens, stop=None, rng=None, **choice):
    return np.concatenate([ids, generate_right(step, ids, n_tokens, stop, rng, **choice)])


def wrong_generate__first_row(step, ids, n_tokens, stop=None, rng=None, **choice):
    """Line 5"""
    rng, new, written = np.random.default_rng(rng), np.asarray(ids), []
    for _ in range(n_tokens):
        reached = np.cumsum(next_token_probabilities(step(new)[0], **choice))
        token = int(np.searchsorted(reached, rng.random() * reached[-1], side="right"))
        if token == stop:
            break
        written.append(token)
        new = np.array([token])
    return np.array(written)


def wrong_generate__never_stops(step, ids, n_tokens, stop=None, rng=None, **choice):
    """`stop` makes no difference"""
    return generate_right(step, ids, n_tokens, None, rng, **choice)


def wrong_generate__greedy(step, ids, n_tokens, stop=None, rng=None, **choice):
    """It is right wherever `rng` is left out"""
    return generate_right(step, ids, n_tokens, stop, 0, temperature=0)


def wrong_generate__no_choice(step, ids, n_tokens, stop=None, rng=None, **choice):
    rng, new, written = np.random.default_rng(rng), np.asarray(ids), []
    for _ in range(n_tokens):
        reached = np.cumsum(softmax(step(new)[-1]))
        token = int(np.searchsorted(reached, rng.random() * reached[-1], side="right"))
        if token == stop:
            break
        written.append(token)
        new = np.array([token])
    return np.array(written)


generate_right = right_generate__loop
