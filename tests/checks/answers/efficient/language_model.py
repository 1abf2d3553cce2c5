"""Choosing the next token, as readers write it."""

import math
from bisect import bisect_right

import numpy as np
import scipy.special
import torch
from slips import slip

from mlnotes.attention.transformer import silu
from mlnotes.blocks.softmax import softmax
from mlnotes.efficient.language_model import next_token_probabilities


def right_next_token_probabilities__own(logits, temperature=1.0, top_k=None, top_p=None):
    x = logits - logits.max(axis=-1, keepdims=True)
    x = np.where(x == 0, 0.0, -np.inf) if temperature == 0 else x / temperature
    p = scipy.special.softmax(x, axis=-1)
    if top_k is not None:
        least = np.sort(p, axis=-1)[..., ::-1][..., :top_k][..., -1:]
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
        return np.stack([right_next_token_probabilities__loops(row, temperature, top_k, top_p) for row in logits])
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
    """What is kept does not sum to one"""
    p = next_token_probabilities(logits, temperature)
    return np.where(next_token_probabilities(logits, temperature, top_k, top_p) > 0, p, 0)


def wrong_next_token_probabilities__p_first(logits, temperature=1.0, top_k=None, top_p=None):
    """top p is measured before top k"""
    p = next_token_probabilities(logits, temperature, None, top_p)
    with np.errstate(divide="ignore"):
        return next_token_probabilities(np.log(p), 1.0, top_k)


def wrong_next_token_probabilities__one_more(logits, temperature=1.0, top_k=None, top_p=None):
    """Line 3"""
    return next_token_probabilities(logits, temperature, None if top_k is None else top_k + 1, top_p)


def wrong_next_token_probabilities__at_least_p(logits, temperature=1.0, top_k=None, top_p=None):
    """The calls that fail come out right with `top_p` left out"""
    p = next_token_probabilities(logits, temperature, top_k)
    if top_p is not None:
        p = np.where(p >= top_p, p, 0)
        p = p / np.maximum(p.sum(axis=-1, keepdims=True), 1e-300)
    return p


def wrong_next_token_probabilities__top_k_of_all(logits, temperature=1.0, top_k=None, top_p=None):
    """The calls that fail come out right with `top_k` left out"""
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
    """step gets what it has read already once more"""
    rng, text = np.random.default_rng(rng), list(ids)
    for _ in range(n_tokens):
        p = np.cumsum(next_token_probabilities(step(np.array(text))[-1], **choice))
        token = int(np.searchsorted(p, rng.random() * p[-1], side="right"))
        if token == stop:
            break
        text.append(token)
    return np.array(text[len(ids) :])


def wrong_generate__with_the_text(step, ids, n_tokens, stop=None, rng=None, **choice):
    """The text so far is returned, too"""
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


def wrong_generate__argmax(step, ids, n_tokens, stop=None, rng=None, **choice):
    """The text does not depend on the generator"""
    new, written = np.asarray(ids), []
    for _ in range(n_tokens):
        token = int(next_token_probabilities(step(new)[-1], **choice).argmax())
        if token == stop:
            break
        written.append(token)
        new = np.array([token])
    return np.array(written)


def wrong_generate__greedy(step, ids, n_tokens, stop=None, rng=None, **choice):
    """The text does not depend on the generator"""
    return generate_right(step, ids, n_tokens, stop, 0, temperature=0)


def wrong_generate__no_choice(step, ids, n_tokens, stop=None, rng=None, **choice):
    """Temperature, top_k and top_p make no difference"""
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


def right_next_token_probabilities__argsort(logits, temperature=1.0, top_k=None, top_p=None):
    x = np.asarray(logits, dtype=float)
    m = x.shape[-1]
    x = x - x.max(axis=-1, keepdims=True)
    if temperature < 1e-300:
        p = (x == 0).astype(float)
    else:
        with np.errstate(over="ignore"):
            p = np.exp(x / temperature)
    p /= p.sum(axis=-1, keepdims=True)
    order = np.argsort(-p, axis=-1, kind="stable")
    ranked = np.take_along_axis(p, order, axis=-1)
    keep = np.ones_like(ranked, dtype=bool)
    if top_k is not None:
        keep &= np.arange(m) < top_k
        ranked = np.where(keep, ranked, 0)
        ranked /= ranked.sum(axis=-1, keepdims=True)
    if top_p is not None and top_p < 1:
        keep &= np.cumsum(ranked, axis=-1) - ranked < max(top_p, 1e-300)
    ranked = np.where(keep, ranked, 0)
    out = np.zeros_like(p)
    np.put_along_axis(out, order, ranked / ranked.sum(axis=-1, keepdims=True), axis=-1)
    return out


def right_next_token_probabilities__scipy(logits, temperature=1.0, top_k=None, top_p=None):
    top = logits.max(axis=-1, keepdims=True)
    if temperature == 0:
        x = np.where(logits == top, 0.0, -np.inf)
    else:
        with np.errstate(over="ignore"):
            x = (logits - top) / temperature
    if top_k is not None:
        k = min(top_k, x.shape[-1])
        least = -np.partition(-x, k - 1, axis=-1)[..., k - 1 : k]
        x = np.where(x < least, -np.inf, x)
    p = scipy.special.softmax(x, axis=-1)
    if top_p is not None:
        ascending = np.sort(p, axis=-1)
        below = np.cumsum(ascending, axis=-1)
        number = np.minimum((below <= 1 - top_p).sum(-1, keepdims=True), p.shape[-1] - 1)
        p = np.where(p < np.take_along_axis(ascending, number, -1), 0, p)
    return p / p.sum(axis=-1, keepdims=True)


def right_next_token_probabilities__row_by_row(logits, temperature=1.0, top_k=None, top_p=None):
    def one(row):
        best = max(row)
        if temperature <= 1e-200:
            p = {i: 1.0 for i, it in enumerate(row) if it == best}
        else:
            p = {i: math.exp((it - best) / temperature) for i, it in enumerate(row)}
        if top_k is not None:
            limit = sorted(p.values(), reverse=True)[min(top_k, len(p)) - 1]
            p = {i: it for i, it in p.items() if it >= limit}
        total = math.fsum(p.values())
        p = {i: it / total for i, it in p.items()}
        if top_p is not None:
            ranked = sorted(p.values(), reverse=True)
            n = 1
            while n < len(ranked) and math.fsum(ranked[:n]) < top_p:
                n += 1
            if top_p == 1:
                n = len(ranked)
            p = {i: it for i, it in p.items() if it >= ranked[n - 1]}
        total = math.fsum(p.values())
        return np.array([p.get(i, 0.0) / total for i in range(len(row))])

    return np.apply_along_axis(lambda row: one(row.tolist()), -1, logits)


def _cold(logits, temperature):
    x = logits - logits.max(axis=-1, keepdims=True)
    return (x == 0).astype(float) if temperature < 1e-200 else np.exp(x / temperature)


def wrong_next_token_probabilities__zero_divides(logits, temperature=1.0, top_k=None, top_p=None):
    """Line 4"""
    x = logits - logits.max(axis=-1, keepdims=True)
    p = np.exp(x / temperature)
    if top_k is not None:
        least = np.sort(p, axis=-1)[..., -min(top_k, p.shape[-1]), None]
        p = np.where(p >= least, p, 0)
    p = p / p.sum(axis=-1, keepdims=True)
    if top_p is not None:
        up = np.sort(p, axis=-1)
        up = np.where(np.cumsum(up, axis=-1) <= 1 - top_p, up[..., -1:], up)
        p = np.where(p >= up.min(axis=-1, keepdims=True), p, 0)
    return p / p.sum(axis=-1, keepdims=True)


def wrong_next_token_probabilities__k_beyond_the_table(logits, temperature=1.0, top_k=None, top_p=None):
    """Line 6"""
    x = logits - logits.max(axis=-1, keepdims=True)
    p = (x == 0).astype(float) if temperature < 1e-200 else np.exp(x / temperature)
    if top_k is not None:
        least = np.sort(p, axis=-1)[..., -top_k, None]
        p = np.where(p >= least, p, 0)
    p = p / p.sum(axis=-1, keepdims=True)
    if top_p is not None:
        up = np.sort(p, axis=-1)
        up = np.where(np.cumsum(up, axis=-1) <= 1 - top_p, up[..., -1:], up)
        p = np.where(p >= up.min(axis=-1, keepdims=True), p, 0)
    return p / p.sum(axis=-1, keepdims=True)


def wrong_next_token_probabilities__crossing_token_left_out(logits, temperature=1.0, top_k=None, top_p=None):
    """The kept tokens do not reach top_p"""
    x = logits - logits.max(axis=-1, keepdims=True)
    p = (x == 0).astype(float) if temperature < 1e-200 else np.exp(x / temperature)
    if top_k is not None:
        least = np.sort(p, axis=-1)[..., -min(top_k, p.shape[-1]), None]
        p = np.where(p >= least, p, 0)
    p = p / p.sum(axis=-1, keepdims=True)
    if top_p is not None:
        order = np.argsort(-p, axis=-1)
        ranked = np.take_along_axis(p, order, -1)
        keep = np.cumsum(ranked, axis=-1) <= top_p
        keep[..., 0] = True
        np.put_along_axis(p, order, np.where(keep, ranked, 0), -1)
    return p / p.sum(axis=-1, keepdims=True)


def wrong_next_token_probabilities__top_of_all_rows(logits, temperature=1.0, top_k=None, top_p=None):
    """Line 3"""
    x = logits - logits.max()
    p = (x == 0).astype(float) if temperature < 1e-200 else np.exp(x / temperature)
    if top_k is not None:
        least = np.sort(p, axis=-1)[..., -min(top_k, p.shape[-1]), None]
        p = np.where(p >= least, p, 0)
    p = p / p.sum(axis=-1, keepdims=True)
    if top_p is not None:
        up = np.sort(p, axis=-1)
        up = np.where(np.cumsum(up, axis=-1) <= 1 - top_p, up[..., -1:], up)
        p = np.where(p >= up.min(axis=-1, keepdims=True), p, 0)
    return p / p.sum(axis=-1, keepdims=True)


def wrong_next_token_probabilities__overflow(logits, temperature=1.0, top_k=None, top_p=None):
    """Line 7"""
    p = (logits == logits.max(-1, keepdims=True)) * 1.0 if temperature < 1e-200 else np.exp(logits / temperature)
    if top_k is not None:
        least = np.sort(p, axis=-1)[..., -min(top_k, p.shape[-1]), None]
        p = np.where(p >= least, p, 0)
    p = p / p.sum(axis=-1, keepdims=True)
    if top_p is not None:
        up = np.sort(p, axis=-1)
        up = np.where(np.cumsum(up, axis=-1) <= 1 - top_p, up[..., -1:], up)
        p = np.where(p >= up.min(axis=-1, keepdims=True), p, 0)
    return p / p.sum(axis=-1, keepdims=True)


def wrong_next_token_probabilities__kth_left_out(logits, temperature=1.0, top_k=None, top_p=None):
    """Line 7"""
    x = logits - logits.max(axis=-1, keepdims=True)
    p = (x == 0).astype(float) if temperature < 1e-200 else np.exp(x / temperature)
    if top_k is not None:
        least = np.sort(p, axis=-1)[..., -min(top_k, p.shape[-1]), None]
        p = np.where(p > least, p, 0)
    p = p / p.sum(axis=-1, keepdims=True)
    if top_p is not None:
        up = np.sort(p, axis=-1)
        up = np.where(np.cumsum(up, axis=-1) <= 1 - top_p, up[..., -1:], up)
        p = np.where(p >= up.min(axis=-1, keepdims=True), p, 0)
    return p / p.sum(axis=-1, keepdims=True)


def wrong_next_token_probabilities__sorted(logits, temperature=1.0, top_k=None, top_p=None):
    """The most probable token comes first, whichever it is"""
    x = logits - logits.max(axis=-1, keepdims=True)
    p = (x == 0).astype(float) if temperature < 1e-200 else np.exp(x / temperature)
    p = -np.sort(-p, axis=-1)
    if top_k is not None:
        p[..., top_k:] = 0
    p = p / p.sum(axis=-1, keepdims=True)
    if top_p is not None and top_p < 1:
        p = np.where(np.cumsum(p, axis=-1) - p < max(top_p, 1e-300), p, 0)
    return p / p.sum(axis=-1, keepdims=True)


def wrong_next_token_probabilities__temperature_last(logits, temperature=1.0, top_k=None, top_p=None):
    """top_p is measured before the temperature"""
    p = softmax(logits)
    if top_k is not None:
        p = np.where(p >= np.sort(p, axis=-1)[..., -min(top_k, p.shape[-1]), None], p, 0)
        p = p / p.sum(axis=-1, keepdims=True)
    if top_p is not None:
        up = np.sort(p, axis=-1)
        up = np.where(np.cumsum(up, axis=-1) <= 1 - top_p, up[..., -1:], up)
        p = np.where(p >= up.min(axis=-1, keepdims=True), p, 0)
    x = np.where(p > 0, logits, -np.inf)
    x = x - x.max(axis=-1, keepdims=True)
    e = (x == 0).astype(float) if temperature < 1e-200 else np.exp(x / temperature)
    return e / e.sum(axis=-1, keepdims=True)


def wrong_next_token_probabilities__min_p(logits, temperature=1.0, top_k=None, top_p=None):
    """The calls that fail come out right with `top_p` left out"""
    x = logits - logits.max(axis=-1, keepdims=True)
    p = (x == 0).astype(float) if temperature < 1e-200 else np.exp(x / temperature)
    if top_k is not None:
        least = np.sort(p, axis=-1)[..., -min(top_k, p.shape[-1]), None]
        p = np.where(p >= least, p, 0)
    p = p / p.sum(axis=-1, keepdims=True)
    if top_p is not None:
        p = np.where(p >= (1 - top_p) * p.max(axis=-1, keepdims=True), p, 0)
    return p / p.sum(axis=-1, keepdims=True)


def wrong_next_token_probabilities__k_of_all_rows(logits, temperature=1.0, top_k=None, top_p=None):
    """The calls that fail come out right with `top_k` = 1, and also with `top_k` left out"""
    x = logits - logits.max(axis=-1, keepdims=True)
    p = (x == 0).astype(float) if temperature < 1e-200 else np.exp(x / temperature)
    if top_k is not None:
        p = np.where(p >= np.sort(p, axis=None)[-min(top_k, p.size)], p, 0)
    p = p / p.sum(axis=-1, keepdims=True)
    if top_p is not None:
        up = np.sort(p, axis=-1)
        up = np.where(np.cumsum(up, axis=-1) <= 1 - top_p, up[..., -1:], up)
        p = np.where(p >= up.min(axis=-1, keepdims=True), p, 0)
    return p / p.sum(axis=-1, keepdims=True)


def right_next_token_probabilities__added_from_the_top(logits, temperature=1.0, top_k=None, top_p=None):
    x = logits - logits.max(axis=-1, keepdims=True)
    p = (x == 0).astype(float) if temperature < 1e-200 else np.exp(x / temperature)
    if top_k is not None:
        least = np.sort(p, axis=-1)[..., -min(top_k, p.shape[-1]), None]
        p = np.where(p >= least, p, 0)
    p = p / p.sum(axis=-1, keepdims=True)
    if top_p is not None:
        order = np.argsort(-p, axis=-1)
        ranked = np.take_along_axis(p, order, -1)
        before = np.cumsum(ranked, axis=-1) - ranked
        keep = before < top_p
        keep[..., 0] = True
        np.put_along_axis(p, order, np.where(keep, ranked, 0), -1)
    return p / p.sum(axis=-1, keepdims=True)


def wrong_next_token_probabilities__in_place(logits, temperature=1.0, top_k=None, top_p=None):
    """The result is right, but `logits` has changed after the call"""
    logits -= logits.max(axis=-1, keepdims=True)
    p = (logits == 0).astype(float) if temperature < 1e-200 else np.exp(logits / temperature)
    if top_k is not None:
        least = np.sort(p, axis=-1)[..., -min(top_k, p.shape[-1]), None]
        p = np.where(p >= least, p, 0)
    p = p / p.sum(axis=-1, keepdims=True)
    if top_p is not None:
        up = np.sort(p, axis=-1)
        up = np.where(np.cumsum(up, axis=-1) <= 1 - top_p, up[..., -1:], up)
        p = np.where(p >= up.min(axis=-1, keepdims=True), p, 0)
    return p / p.sum(axis=-1, keepdims=True)


def wrong_next_token_probabilities__zero_is_none(logits, temperature=1.0, top_k=None, top_p=None):
    """With top_p = 0, all tokens are kept"""
    x = logits - logits.max(axis=-1, keepdims=True)
    p = (x == 0).astype(float) if temperature < 1e-200 else np.exp(x / temperature)
    if top_k:
        least = np.sort(p, axis=-1)[..., -min(top_k, p.shape[-1]), None]
        p = np.where(p >= least, p, 0)
    p = p / p.sum(axis=-1, keepdims=True)
    if top_p:
        up = np.sort(p, axis=-1)
        up = np.where(np.cumsum(up, axis=-1) <= 1 - top_p, up[..., -1:], up)
        p = np.where(p >= up.min(axis=-1, keepdims=True), p, 0)
    return p / p.sum(axis=-1, keepdims=True)


def wrong_next_token_probabilities__all_left_out(logits, temperature=1.0, top_k=None, top_p=None):
    """look at the comparison"""
    p = _largest(_tempered(logits, temperature), top_k)
    p = p / p.sum(axis=-1, keepdims=True)
    if top_p is not None:
        order = np.argsort(p, axis=-1)
        left_out = np.cumsum(np.take_along_axis(p, order, -1), axis=-1) <= 1 - top_p
        p = p.copy()
        np.put_along_axis(p, order, np.where(left_out, 0, np.take_along_axis(p, order, -1)), -1)
    return p / np.maximum(p.sum(axis=-1, keepdims=True), 1e-300)


def right_generate__choice(step, ids, n_tokens, stop=None, rng=None, **choice):
    rng = np.random.default_rng(rng)
    out, new = [], np.asarray(ids)
    while len(out) < n_tokens:
        p = next_token_probabilities(step(new)[-1], **choice)
        token = rng.choice(len(p), p=p / p.sum())
        if stop is not None and token == stop:
            break
        out.append(int(token))
        new = np.array([token])
    return np.array(out, dtype=int)


def right_generate__bisected(step, ids, n_tokens, stop=None, rng=None, **choice):
    rng = np.random.default_rng(rng)
    text, scores = [], step(ids)
    while True:
        if len(text) == n_tokens:
            return text
        sums = np.cumsum(next_token_probabilities(scores[-1], **choice)).tolist()
        token = bisect_right(sums, rng.random() * sums[-1])
        if token == stop:
            return text
        text.append(token)
        scores = step([token])


def right_generate__generator(step, ids, n_tokens, stop=None, rng=None, **choice):
    rng = np.random.default_rng(rng)

    def tokens():
        new = ids
        for _ in range(n_tokens):
            p = next_token_probabilities(np.asarray(step(new))[-1], **choice)
            u, total = rng.random(), 0.0
            for token, share in enumerate(p):  # noqa: B007
                total += share
                if total > u:
                    break
            if token == stop:
                return
            yield token
            new = np.array([token])

    return list(tokens())


def wrong_generate__stop_written(step, ids, n_tokens, stop=None, rng=None, **choice):
    """The text ends with the token that stops it"""
    rng, written = np.random.default_rng(rng), []
    for _ in range(n_tokens):
        p = next_token_probabilities(step(ids)[-1], **choice)
        token = int((np.cumsum(p) <= rng.random() * p.sum()).sum())
        written.append(token)
        if token == stop:
            break
        ids = np.array([token])
    return written


def wrong_generate__seeded_again(step, ids, n_tokens, stop=None, rng=None, **choice):
    """Every token is drawn with the same number"""
    written = []
    for _ in range(n_tokens):
        p = next_token_probabilities(step(ids)[-1], **choice)
        token = int((np.cumsum(p) <= np.random.default_rng(rng).random() * p.sum()).sum())
        if token == stop:
            break
        written.append(token)
        ids = np.array([token])
    return written


def wrong_generate__one_more(step, ids, n_tokens, stop=None, rng=None, **choice):
    """Line 4"""
    rng, written = np.random.default_rng(rng), []
    for _ in range(n_tokens + 1):
        p = next_token_probabilities(step(ids)[-1], **choice)
        token = int((np.cumsum(p) <= rng.random() * p.sum()).sum())
        if token == stop:
            break
        written.append(token)
        ids = np.array([token])
    return written


def wrong_generate__stop_zero(step, ids, n_tokens, stop=None, rng=None, **choice):
    """Token 0 does not end the text"""
    rng, written = np.random.default_rng(rng), []
    for _ in range(n_tokens):
        p = next_token_probabilities(step(ids)[-1], **choice)
        token = int((np.cumsum(p) <= rng.random() * p.sum()).sum())
        if stop and token == stop:
            break
        written.append(token)
        ids = np.array([token])
    return written


def wrong_generate__last_token(step, ids, n_tokens, stop=None, rng=None, **choice):
    """Line 11"""
    rng, written = np.random.default_rng(rng), []
    for _ in range(n_tokens):
        p = next_token_probabilities(step(ids)[-1], **choice)
        token = int((np.cumsum(p) <= rng.random() * p.sum()).sum())
        if token == stop:
            break
        written.append(token)
        ids = np.array([token])
    return token


def wrong_generate__rng_ignored(step, ids, n_tokens, stop=None, rng=None, **choice):
    """Line 3"""
    rng, written = np.random.default_rng(0), []
    for _ in range(n_tokens):
        p = next_token_probabilities(step(ids)[-1], **choice)
        token = int((np.cumsum(p) <= rng.random() * p.sum()).sum())
        if token == stop:
            break
        written.append(token)
        ids = np.array([token])
    return written


def wrong_generate__never_reads_on(step, ids, n_tokens, stop=None, rng=None, **choice):
    """It reads the first text every time"""
    rng, written = np.random.default_rng(rng), []
    for _ in range(n_tokens):
        p = next_token_probabilities(step(ids)[-1], **choice)
        token = int((np.cumsum(p) <= rng.random() * p.sum()).sum())
        if token == stop:
            break
        written.append(token)
    return written


def wrong_generate__one_before(step, ids, n_tokens, stop=None, rng=None, **choice):
    """Line 6"""
    rng, written = np.random.default_rng(rng), []
    for _ in range(n_tokens):
        p = next_token_probabilities(step(ids)[-1], **choice)
        token = max(int(np.searchsorted(np.cumsum(p), rng.random())) - 1, 0)
        if token == stop:
            break
        written.append(token)
        ids = np.array([token])
    return written


def wrong_generate__one_number(step, ids, n_tokens, stop=None, rng=None, **choice):
    """Every token is drawn with the same number"""
    u, written = np.random.default_rng(rng).random(), []
    for _ in range(n_tokens):
        p = next_token_probabilities(step(ids)[-1], **choice)
        token = int((np.cumsum(p) <= u * p.sum()).sum())
        if token == stop:
            break
        written.append(token)
        ids = np.array([token])
    return written


def wrong_generate__sorted_first(step, ids, n_tokens, stop=None, rng=None, **choice):
    """add them in the order of the table"""
    rng, written = np.random.default_rng(rng), []
    for _ in range(n_tokens):
        p = next_token_probabilities(step(ids)[-1], **choice)
        order = np.argsort(-p)
        token = int(order[(np.cumsum(p[order]) <= rng.random() * p.sum()).sum()])
        if token == stop:
            break
        written.append(token)
        ids = np.array([token])
    return written


def wrong_generate__goes_on_after_stop(step, ids, n_tokens, stop=None, rng=None, **choice):
    """The stop is left out, but ends nothing"""
    rng, written = np.random.default_rng(rng), []
    for _ in range(n_tokens):
        p = next_token_probabilities(step(ids)[-1], **choice)
        token = int((np.cumsum(p) <= rng.random() * p.sum()).sum())
        if token == stop:
            continue
        written.append(token)
        ids = np.array([token])
    return written


def right_swiglu__torch(x, w_gate, w_up, w_down):
    x, w_gate, w_up, w_down = (torch.tensor(np.array(it)) for it in (x, w_gate, w_up, w_down))
    return (torch.nn.functional.silu(x @ w_gate) * (x @ w_up) @ w_down).numpy()


def right_swiglu__tanh(x, w_gate, w_up, w_down):
    gate = np.einsum("...n,nm->...m", x, w_gate)
    gate = gate * (1 + np.tanh(gate / 2)) / 2
    return np.einsum("...m,...m,mn->...n", gate, np.einsum("...n,nm->...m", x, w_up), w_down)


def right_swiglu__naive_exp(x, w_gate, w_up, w_down):
    z = x @ w_gate
    return z / (1 + np.exp(-z)) * (x @ w_up) @ w_down


def right_swiglu__token_by_token(x, w_gate, w_up, w_down):
    out = np.empty((*x.shape[:-1], w_down.shape[1]))
    for at in np.ndindex(*x.shape[:-1]):
        gate, up = w_gate.T @ x[at], w_up.T @ x[at]
        out[at] = w_down.T @ (gate * scipy.special.expit(gate) * up)
    return out


def wrong_swiglu__sigmoid(x, w_gate, w_up, w_down):
    """The gate stays between 0 and 1"""
    return (scipy.special.expit(x @ w_gate) * (x @ w_up)) @ w_down


def wrong_swiglu__exchanged(x, w_gate, w_up, w_down):
    """The gate and what it lets through are exchanged"""
    return (silu(x @ w_up) * (x @ w_gate)) @ w_down


def wrong_swiglu__relu(x, w_gate, w_up, w_down):
    """A gate below zero is shut"""
    return (np.maximum(x @ w_gate, 0) * (x @ w_up)) @ w_down


def wrong_swiglu__both_bent(x, w_gate, w_up, w_down):
    """Line 3"""
    return (silu(x @ w_gate) * silu(x @ w_up)) @ w_down


def wrong_swiglu__residual(x, w_gate, w_up, w_down):
    """Line 3"""
    return x + (silu(x @ w_gate) * (x @ w_up)) @ w_down


def wrong_swiglu__product_first(x, w_gate, w_up, w_down):
    """What is let through is bent, too"""
    return silu((x @ w_gate) * (x @ w_up)) @ w_down


def wrong_swiglu__added(x, w_gate, w_up, w_down):
    """A closed gate still lets something through"""
    return (silu(x @ w_gate) + (x @ w_up)) @ w_down


def wrong_swiglu__softmax_gate(x, w_gate, w_up, w_down):
    return (softmax(x @ w_gate) * (x @ w_up)) @ w_down


def wrong_swiglu__gelu(x, w_gate, w_up, w_down):
    z = x @ w_gate
    return (z * scipy.special.ndtr(z) * (x @ w_up)) @ w_down


def wrong_swiglu__sign_in_the_sigmoid(x, w_gate, w_up, w_down):
    """Line 4"""
    z = x @ w_gate
    return z / (1 + np.exp(z)) * (x @ w_up) @ w_down


def wrong_swiglu__no_up(x, w_gate, w_up, w_down):
    """w_up makes no difference"""
    return silu(x @ w_gate) @ w_down


def wrong_swiglu__bracket(x, w_gate, w_up, w_down):
    """Line 3"""
    return silu(x @ w_gate * x @ w_up) @ w_down


def wrong_llama_parameters__norms_with_shifts(n_tokens, n_layers, d_model, n_heads, n_groups, d_hidden):
    """a gain and no shift"""
    attention = 2 * d_model * d_model + 2 * d_model * n_groups * (d_model // n_heads)
    return n_tokens * d_model + n_layers * (attention + 3 * d_model * d_hidden + 4 * d_model) + d_model


def right_llama_parameters__by_block(n_tokens, n_layers, d_model, n_heads, n_groups, d_hidden):
    kv = d_model // n_heads * n_groups
    block = d_model * (d_model + kv + kv + d_model + 3 * d_hidden + 2)
    return n_tokens * d_model + n_layers * block + d_model


def right_llama_parameters__by_shape(n_tokens, n_layers, d_model, n_heads, n_groups, d_hidden):
    kv = n_groups * (d_model // n_heads)
    block = [(d_model, d_model)] * 2 + [(d_model, kv)] * 2 + [(d_model, d_hidden)] * 3 + [(d_model,)] * 2
    return sum(math.prod(it) for it in [(n_tokens, d_model), (d_model,), *block * n_layers])


def right_llama_parameters__factored(n_tokens, n_layers, d_model, n_heads, n_groups, d_hidden):
    per_coordinate = 2 * d_model * (1 + n_groups / n_heads) + 3 * d_hidden + 2
    return d_model * (n_tokens + 1 + n_layers * per_coordinate)


def wrong_llama_parameters__values_alone_are_shared(n_tokens, n_layers, d_model, n_heads, n_groups, d_hidden):
    kv = n_groups * d_model // n_heads
    block = 3 * d_model**2 + d_model * kv + 3 * d_model * d_hidden + 2 * d_model
    return n_tokens * d_model + n_layers * block + d_model


def wrong_llama_parameters__wider_heads(n_tokens, n_layers, d_model, n_heads, n_groups, d_hidden):
    """A head is taken to be d_model / n_groups wide"""
    kv = d_model // n_groups
    block = d_model * (2 * d_model + 2 * kv + 3 * d_hidden + 2)
    return n_tokens * d_model + n_layers * block + d_model


def wrong_llama_parameters__norms_forgotten(n_tokens, n_layers, d_model, n_heads, n_groups, d_hidden):
    kv = n_groups * d_model // n_heads
    block = d_model * (2 * d_model + 2 * kv + 3 * d_hidden)
    return n_tokens * d_model + n_layers * block


def wrong_llama_parameters__last_norm_in_each_block(n_tokens, n_layers, d_model, n_heads, n_groups, d_hidden):
    """A third norm is counted in every layer"""
    kv = n_groups * d_model // n_heads
    block = d_model * (2 * d_model + 2 * kv + 3 * d_hidden + 3)
    return n_tokens * d_model + n_layers * block


def wrong_llama_parameters__one_layer(n_tokens, n_layers, d_model, n_heads, n_groups, d_hidden):
    """Line 4"""
    kv = n_groups * d_model // n_heads
    block = d_model * (2 * d_model + 2 * kv + 3 * d_hidden + 2)
    return n_tokens * d_model + block + d_model


def wrong_llama_parameters__gate_per_token(n_tokens, n_layers, d_model, n_heads, n_groups, d_hidden):
    """The network has two matrices"""
    kv = n_groups * d_model // n_heads
    block = d_model * (2 * d_model + 2 * kv + 2 * d_hidden + 2)
    return n_tokens * d_model + n_layers * block + d_model


def wrong_llama_parameters__untied(n_tokens, n_layers, d_model, n_heads, n_groups, d_hidden):
    """Scores have a table of their own"""
    kv = n_groups * d_model // n_heads
    block = d_model * (2 * d_model + 2 * kv + 3 * d_hidden + 2)
    return n_tokens * d_model + n_layers * block + d_model + d_model * n_tokens


def _draw(p, rng):
    return int(np.searchsorted(np.cumsum(p), rng.random(), side="right"))


def wrong_generate__generator_not_used(step, ids, n_tokens, stop=None, rng=None, **choice):
    """Line 3"""
    rng = np.random.default_rng(rng if isinstance(rng, int) else 0)
    new, written = np.asarray(ids), []
    for _ in range(n_tokens):
        token = _draw(next_token_probabilities(step(new)[-1], **choice), rng)
        if token == stop:
            break
        written.append(token)
        new = np.array([token])
    return np.array(written, dtype=int)


def _tempered(logits, temperature):
    x = logits - logits.max(-1, keepdims=True)
    if temperature == 0:
        return (x == 0) / (x == 0).sum(-1, keepdims=True)
    e = np.exp(x / temperature)
    return e / e.sum(-1, keepdims=True)


def _largest(p, k):
    return p if k is None else np.where(p >= np.sort(p, -1)[..., -min(k, p.shape[-1]), None], p, 0.0)


def _share(p, share):
    if share is None:
        return p
    ranked = np.sort(p, -1)
    rare = np.cumsum(ranked, -1) <= 1 - share
    return np.where(p >= np.where(rare, ranked[..., -1:], ranked).min(-1, keepdims=True), p, 0.0)


def wrong_next_token_probabilities__share_first(logits, temperature=1.0, top_k=None, top_p=None):
    """top p is measured before top k"""
    p = _largest(_share(_tempered(logits, temperature), top_p), top_k)
    return p / p.sum(-1, keepdims=True)


def wrong_next_token_probabilities__share_not_divided(logits, temperature=1.0, top_k=None, top_p=None):
    """What top p keeps does not sum to one"""
    p = _largest(_tempered(logits, temperature), top_k)
    return _share(p / p.sum(-1, keepdims=True), top_p)


def wrong_llama_parameters__keys_alone(n_tokens, n_layers, d_model, n_heads, n_groups, d_hidden):
    """Keys and values are counted once"""
    d = d_model // n_heads
    layer = 2 * d_model**2 + d_model * n_groups * d + 3 * d_model * d_hidden + 2 * d_model
    return n_tokens * d_model + n_layers * layer + d_model


def wrong_llama_parameters__without_rows(n_tokens, n_layers, d_model, n_heads, n_groups, d_hidden):
    """Keys and values have one row each"""
    d = d_model // n_heads
    layer = 2 * d_model**2 + 2 * n_groups * d + 3 * d_model * d_hidden + 2 * d_model
    return n_tokens * d_model + n_layers * layer + d_model


def wrong_next_token_probabilities__softmax_first(logits, temperature=1.0, top_k=None, top_p=None):
    """divide the scores by it before the softmax"""
    if temperature == 0:
        return next_token_probabilities(logits, 0, top_k, top_p)
    p = softmax(logits) ** (1 / temperature)
    with np.errstate(divide="ignore"):
        return next_token_probabilities(np.log(p), 1.0, top_k, top_p)


def wrong_next_token_probabilities__hardly_any_temperature(logits, temperature=1.0, top_k=None, top_p=None):
    """Line 3"""
    return next_token_probabilities(logits, max(temperature, 1e-3), top_k, top_p)


def wrong_next_token_probabilities__largest_of_all_rows(logits, temperature=1.0, top_k=None, top_p=None):
    """At temperature 0 only one row gets a token"""
    x = logits - logits.max()
    x = np.where(x == 0, 0.0, -np.inf) if temperature == 0 else x / temperature
    return next_token_probabilities(x, 1.0, top_k, top_p)


def wrong_next_token_probabilities__first_token_at_none(logits, temperature=1.0, top_k=None, top_p=None):
    """Line 5"""
    if top_p == 0:
        p = np.zeros_like(logits)
        p[..., 0] = 1
        return p
    return next_token_probabilities(logits, temperature, top_k, top_p)


def wrong_next_token_probabilities__cut_before_it_crosses(logits, temperature=1.0, top_k=None, top_p=None):
    """The kept tokens do not reach top_p"""
    if temperature == 0:
        return (logits == logits.max(-1, keepdims=True)).astype(float)
    x = logits / temperature
    if top_k is not None:
        kth = np.sort(x, -1)[..., -min(top_k, x.shape[-1])][..., None]
        x = np.where(x < kth, -np.inf, x)
    if top_p is not None:
        order = np.argsort(-x, -1)
        remove = np.cumsum(softmax(np.take_along_axis(x, order, -1)), -1) > top_p
        remove[..., 0] = False
        x = np.where(np.take_along_axis(remove, np.argsort(order, -1), -1), -np.inf, x)
    return softmax(x)


def wrong_next_token_probabilities__none_left(logits, temperature=1.0, top_k=None, top_p=None):
    """Where the first token alone exceeds top_p, none is kept"""
    if temperature == 0:
        return np.where(logits == logits.max(-1, keepdims=True), 1.0, 0.0)
    p = softmax(logits / temperature)
    if top_k is not None:
        p = np.where(p >= np.sort(p, axis=-1)[..., [-min(top_k, p.shape[-1])]], p, 0)
        p = p / p.sum(axis=-1, keepdims=True)
    if top_p is not None:
        order = np.argsort(-p, axis=-1)
        kept = np.zeros(p.shape, bool)
        np.put_along_axis(kept, order, np.cumsum(np.take_along_axis(p, order, -1), -1) <= top_p, -1)
        p = np.where(kept, p, 0)
    return p / p.sum(axis=-1, keepdims=True)


def wrong_next_token_probabilities__one_is_none(logits, temperature=1.0, top_k=None, top_p=None):
    """Line 3"""
    return next_token_probabilities(logits, temperature, top_k if top_k and top_k > 1 else None, top_p)


def wrong_next_token_probabilities__low_temperature_is_none(logits, temperature=1.0, top_k=None, top_p=None):
    """Line 3"""
    return next_token_probabilities(logits, 0.0 if temperature < 0.01 else temperature, top_k, top_p)


def wrong_generate__first_token_never_stops(step, ids, n_tokens, stop=None, rng=None, **choice):
    """Line 7"""
    rng, written, new = np.random.default_rng(rng), [], np.asarray(ids)
    for i in range(n_tokens):
        p = next_token_probabilities(step(new)[-1], **choice)
        token = int(np.searchsorted(np.cumsum(p), rng.random(), side="right"))
        if i and token == stop:
            break
        written.append(token)
        new = np.array([token])
    return written


def wrong_llama_parameters__one_column_for_a_group(n_tokens, n_layers, d_model, n_heads, n_groups, d_hidden):
    """each group is as wide as a head"""
    block = {"q, o": 2 * d_model**2, "k, v": 2 * d_model * n_groups, "network": 3 * d_model * d_hidden}
    return n_tokens * d_model + n_layers * (sum(block.values()) + 2 * d_model) + d_model


def right_next_token_probabilities__partition(logits, temperature=1.0, top_k=None, top_p=None):
    top = logits.max(-1, keepdims=True)
    if temperature == 0:
        e = np.where(logits == top, 1.0, 0.0)
    else:
        e = np.exp((logits - top) / temperature)
    p = e / e.sum(-1, keepdims=True)
    if top_k is not None and top_k < p.shape[-1]:
        p = np.where(p < np.partition(p, -top_k, axis=-1)[..., [-top_k]], 0, p)
        p = p / p.sum(-1, keepdims=True)
    if top_p is not None and top_p < 1:
        down = np.flip(np.sort(p, -1), -1)
        last = (np.cumsum(down, -1) < top_p - 1e-12).sum(-1, keepdims=True)
        p = np.where(p >= np.take_along_axis(down, last, -1), p, 0)
        p = p / p.sum(-1, keepdims=True)
    return p


wrong_next_token_probabilities__powers_of_two = slip(
    right_next_token_probabilities__partition, "np.exp(", "np.exp2(", "a factor of 2, not of e"
)
wrong_next_token_probabilities__one_token_for_all_rows = slip(
    right_next_token_probabilities__partition,
    "e = np.where(logits == top, 1.0, 0.0)",
    "return (np.arange(logits.size) == np.argmax(logits)).reshape(logits.shape).astype(float)",
    "only one row gets a token",
)


def wrong_generate__all_written_read_again(step, ids, n_tokens, stop=None, rng=None, **choice):
    """the new token"""
    rng = np.random.default_rng(rng)
    out = []
    scores = step(ids)
    while len(out) < n_tokens:
        p = next_token_probabilities(scores[-1], **choice)
        token = int(np.argmax(np.cumsum(p) > rng.random()))
        if token == stop:
            break
        out.append(token)
        scores = step(np.array(out))
    return np.array(out, dtype=int)


def wrong_generate__temperature_alone(step, ids, n_tokens, stop=None, rng=None, temperature=1.0, **choice):
    """top_k and top_p make no difference"""
    rng = np.random.default_rng(rng)
    out = []
    new = ids
    for _ in range(n_tokens):
        p = next_token_probabilities(step(new)[-1], temperature)
        token = int(np.argmax(np.cumsum(p) > rng.random()))
        if token == stop:
            break
        out.append(token)
        new = np.array([token])
    return np.array(out, dtype=int)


def wrong_generate__text_may_stop(step, ids, n_tokens, stop=None, rng=None, **choice):
    rng, written = np.random.default_rng(rng), []
    for _ in range(n_tokens):
        if ids[0] == stop:
            break
        p = next_token_probabilities(step(ids)[-1], **choice)
        token = int((np.cumsum(p) <= rng.random() * p.sum()).sum())
        if token != stop:
            written.append(token)
        ids = np.array([token])
    return written
