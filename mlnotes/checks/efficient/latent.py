"""What multi-head latent attention must satisfy, and how it is usually got wrong."""

import math

import numpy as np

from mlnotes.applications.whitening import whitening_matrix
from mlnotes.attention.causal_mask import causal_mask
from mlnotes.attention.multi_head import split_heads
from mlnotes.attention.self_attention import attention
from mlnotes.blocks.svd import low_rank
from mlnotes.checks.bank import Checks, Claim, Mistake, call, distance, frozen, oracle
from mlnotes.counting import count_operations
from mlnotes.diagnosis.report import written
from mlnotes.efficient.latent import (
    LatentCache,
    absorb,
    absorbed_latent_attention,
    factorize,
    grouped_as_latent,
    latent_attention,
    latent_cache_nbytes,
    latent_multiply_adds,
)

_rng = np.random.default_rng(19)
# Two sequences: 5 queries of each of 3 heads, of width 3 + 4, ask 7 latents of width 6 + 4.
_q, _c, _uk, _uv, _bias = frozen(*(_rng.normal(size=it) for it in ((2, 3, 5, 7), (2, 7, 10), (6, 9), (6, 6),
    (2, 3, 5, 7))))
_w, _up, _wk, _wv, _x, _latents = frozen(*(_rng.normal(size=it) for it in ((5, 12), (7, 12), (5, 6), (5, 4), (11, 5),
    (4, 7))))
_mask, _per_head = frozen(causal_mask(5, 7, offset=2), np.arange(7) <= _rng.integers(1, 7, size=(2, 3, 5, 1)))
_blind = np.array(_mask & (np.arange(5)[:, None] != 3))
# Small enough to be read in a report: two heads of width 1, two latents of width 2, and a rotary part of width 1.
_q2, _c2, _uk2, _uv2 = frozen(*(np.array(it, float) for it in ([[[1, 2]], [[3, -1]]], [[1, 0, 2], [2, 1, 1]],
    [[1, 2], [0, 1]], [[2, 0], [1, 3]])))
_own = {"mask": np.array([[[True, False]], [[True, True]]]), "bias": np.array([[[0.0, 1.0]], [[2.0, 0.0]]])}
# What stretches inputs one by one makes the projection itself a bad measure of what is lost.
_wide, _seen = frozen(_rng.normal(size=(6, 5)), _rng.normal(size=(17, 6)) * [30, 1, 0.1, 5, 1, 10] + 1)
_LAST_BITS = {"tolerance": 1e-12, "why": "sums of at most 11 products in float64: a few units of 1e-16"}
_SIZES = (call(1, 1, 1, 1, 1), call(1, 5, 2, 3, 7), call(3, 5, 2, 3, 7).about("three queries"),
          call(2, 5, 3, 4, 7, d_rotary=2).about("a rotary part"), call(2, 5, 3, 4, 7, d_value=6).about("wider values"),
          call(3, 5, 2, 4, 7, absorbed=True).about("absorbed"),
          call(3, 5, 2, 4, 7, 6, 11, True).about("absorbed, with all sizes"), call(3, 11, 2, 4, 7, 6, 13, False))


def queries_at_par(d_head, d_latent, d_value):
    """Say with how many queries at once absorbing costs what projecting up costs, if the keys are very many."""
    return d_latent * (d_head + d_value) / (2 * d_latent - d_head - d_value)


def _by_hand(q, c, w_uk, w_uv, mask=None, bias=None, scale=None):
    """Head by head in torch."""
    import torch

    q, c, w_uk, w_uv = map(torch.tensor, (q, c, w_uk, w_uv))
    h, r = q.shape[-3], len(w_uk)
    k = torch.stack([torch.cat([c[..., :r] @ w, c[..., r:]], -1) for w in w_uk.chunk(h, -1)], -3)
    v = torch.stack([c[..., :r] @ w for w in w_uv.chunk(h, -1)], -3)
    if bias is not None or mask is not None:
        bias = torch.zeros(()) if bias is None else torch.tensor(bias)
        mask = bias if mask is None else torch.where(torch.tensor(mask), bias, -math.inf)
    attend = torch.nn.functional.scaled_dot_product_attention
    return attend(q, k, v, attn_mask=mask, scale=scale).numpy()


def _at_distances(f, at):
    """Turn rotary parts where they stand, once from position 0 and once from a later one."""
    from mlnotes.attention.positions import rotary

    def turned(first):
        q, c = (np.concatenate([y[..., :-4], rotary(y[..., -4:], first + np.arange(y.shape[-2]))], -1)
                for y in (_q, _c))
        return f(q, c, _uk, _uv)

    return distance(turned(at), turned(0))


_CALLS = (
    call(_q2, _c2, _uk2, _uv2), call(_q2[..., :1], _c2[:, :2], _uk2, _uv2).about("no rotary part"),
    call(_q2, _c2, _uk2, _uv2, mask=np.array([[True, False]])).about("a mask"),
    call(_q2, _c2, _uk2, np.hstack([_uv2, _uv2 + 1]),
        **_own).about("a mask and a bias for each head, values of width 2"),
    call(_q, _c, _uk, _uv).about("two sequences"), call(_q, _c, _uk, _uv, mask=_mask).about("a causal mask"),
    call(_q, _c, _uk, _uv, mask=_per_head).about("a mask for each head"),
    call(_q, _c, _uk, _uv, bias=_bias[0, 0]).about("a bias"),
    call(_q, _c, _uk, _uv, bias=_bias).about("a bias for each head"),
    call(_q, _c, _uk, _uv, scale=0.3).about("a scale"),
    call(_q, _c, _uk, _uv, scale=0.0).about("a scale of 0", edge=True),
    call(_q, _c, _uk, _uv, _mask, _bias, 0.3).about("mask, bias and scale"),
    call(300 * _q, 3 * _c, _uk, _uv, mask=_mask).about("scores of 1000"),
    call(-1e5 * np.abs(_q), 1e5 * np.abs(_c), np.abs(_uk), _uv, mask=_mask).about("scores of minus ten billion"),
    call(_q, _c, _uk, _uv, mask=_blind).about("a query that sees no key", edge=True),
    call(np.stack([_q, -_q]), np.stack([_c, _c + 1]), _uk, _uv).about("one more leading axis", edge=True))
_CLAIMS = (
    oracle("scaled_dot_product_attention of keys and values that are written out head by head", _by_hand,
           call(_q, _c, _uk, _uv), call(_q, _c, _uk, _uv, _mask, _bias, 0.3), **_LAST_BITS),
    Claim("with rotary parts turned by position, only distances count", lambda f: _at_distances(f, 1000),
          tolerance=1e-10, why="angles of 1,000 radians are known to 1e-13"),
    Claim("with an up-projection that copies one key and value to every head it is multi-query attention",
        lambda f: distance(
        f(_q[..., :3], np.concatenate([_x[:7, :3], _x[4:, 2:]], -1), *_COPIES), attention(_q[..., :3], _x[:7, :3],
        _x[4:, 2:])), **_LAST_BITS))
_COPIES = tuple(np.tile(it, 3) for it in (np.eye(6)[:, :3], np.eye(6)[:, 3:]))
_LENGTH = "scale = q.shape[-1] ** -0.5 if scale is None else scale"
_JOINED = "xp.concat([k, k_rotary], axis=-1), v"
_UP = "(c[..., :r] @ w, n_heads) for w in (w_uk, w_uv)"
_ROWS_DIVIDED = ("With several heads, each gets other rows of the up-projections in place of its own columns",
    "columns are divided among the heads: reshape to (r, h, d), then move h to the front")
_TARGET = "target = w if x is None else by_power_of_two(working_copy(x))[0] @ w"


def _einsum(w, w_up, n_heads):
    import torch

    w, w_up = (torch.tensor(it).reshape(*it.shape[:-1], n_heads, -1) for it in (w, w_up))
    return torch.einsum("nhd,rhd->nhr", w, w_up).reshape(len(w), -1).numpy()


def _factored(version, w, rank, x=None):
    found = version(w, rank, x) if x is not None else version(w, rank)
    if not isinstance(found, tuple | list) or len(found) != 2:
        return found
    down, up = found
    return {"w_down @ w_up": down @ up, "columns of w_down": down.shape[1]}


def _written_factors(name, case):
    rank = case.arguments[1]
    names = ["w", str(rank), *(["x"] if len(case.arguments) > 2 or "x" in case.named else [])]
    arrays = {"w": case.arguments[0], "x": case.named.get("x", case.arguments[-1])}
    lines = [f"{it} = {written(arrays[it])}".replace("\n", "\n    ") for it in names if it in arrays]
    return "\n".join([*lines, f"w_down, w_up = {name}({', '.join(names)})"])


def _whitened(w, rank, x=None):
    """Whiten inputs, take the nearest matrix for white ones, and undo the whitening: SVD-LLM's way."""
    if x is None:
        return low_rank(w, rank), np.eye(w.shape[1])
    factor = np.linalg.cholesky(x.T @ x)
    return np.linalg.solve(factor.T, low_rank(factor.T @ w, rank)), np.eye(w.shape[1])


def _centered_error(f):
    """Whiten with the book's Cholesky whitening, which takes the means away first."""
    x = _seen - _seen.mean(0)
    white = whitening_matrix(x, "cholesky")
    expected = white @ low_rank(np.linalg.solve(white, _wide), 2)
    return distance(_factored(f, _wide, 2, x)["w_down @ w_up"], expected)


def _lost(f, rank, x):
    """Compare what is lost with the singular values that were left out."""
    lost = np.linalg.norm(x @ (_wide - _factored(f, _wide, rank, x)["w_down @ w_up"]))
    return abs(lost / np.linalg.norm(np.linalg.svd(x @ _wide)[1][rank:]) - 1)


def _as_grouped(f, n_heads, n_groups):
    import torch

    q, split = np.repeat(_q[:1, :1, :4, : 6 // n_groups], n_heads, 1) * np.arange(1, n_heads + 1)[:, None, None], []
    for w in (_wk, _wv):
        split.append((_x @ w).reshape(11, n_groups, -1).swapaxes(0, 1)[None])
    attend = torch.nn.functional.scaled_dot_product_attention
    w_c, w_uk, w_uv = f(_wk, _wv, n_heads, n_groups)
    expected = attend(*map(torch.tensor, (q, *split)), enable_gqa=True).numpy()
    return distance(latent_attention(q, (_x @ w_c)[None], w_uk, w_uv), expected)


def _counted(n_queries, n_keys, n_heads, d_head, d_latent, d_rotary=0, d_value=None, absorbed=False):
    """Attend with numbers that count what is done to them."""
    e = d_head if d_value is None else d_value

    def attend(q, q_rotary, c, k_rotary, w_uk, w_uv):
        if absorbed:
            weights = np.exp((q @ w_uk.T) @ c.T + q_rotary @ k_rotary.T)
            (weights @ c) @ w_uv
        else:
            weights = np.exp(q @ (c @ w_uk).T + q_rotary @ k_rotary.T)
            weights @ (c @ w_uv)

    shapes = ((n_queries, d_head), (n_queries, d_rotary), (n_keys, d_latent), (n_keys, d_rotary), (d_latent, d_head),
              (d_latent, e))
    return n_heads * count_operations(attend, *map(np.ones, shapes))["multiply"]


CHECKS = (
    Checks(latent_attention, cases=_CALLS, claims=_CLAIMS, mistakes=(
        Mistake("rotary part forgotten", ((_JOINED, "k, v"), ("return attention(q,", "return attention(q[..., : k.shape"
            "[-1]],"), ("mask, bias, scale)", "mask, bias, q.shape[-1] ** -0.5 if scale is None else scale)")),
            "Positions make no difference", "compare the rotary parts, too: join them to queries and keys"),
        Mistake("scaled by the width of the content",
            ("mask, bias, scale)", "mask, bias, k.shape[-1] ** -0.5 if scale is None else scale)"),
            "Rows are sharper than they should be where no scale is given",
            "a dot product has d + p terms: divide by the root of their number"),
        Mistake("scaled by the width of the latents",
            ("mask, bias, scale)", "mask, bias, c.shape[-1] ** -0.5 if scale is None else scale)"),
            "Rows are flatter where latents are wider than keys",
            "a dot product has d + p terms: keep 1/sqrt(d + p), whatever the width of the latents"),
        Mistake("rotary part in front",
            (("c[..., :r] @ w", "c[..., -r:] @ w"), ("c[..., None, :, r:]", "c[..., None, :, : c.shape[-1] - r]")),
            "Latents are made of rotary parts",
            "the first r columns of c are the latents, and the rotary part stands behind them"),
        Mistake("rows divided among the heads",
            ("split_heads(c[..., :r] @ w, n_heads)", "c[..., None, :, :r] @ w.reshape(n_heads, r, -1)"),
            *_ROWS_DIVIDED),
        Mistake("values from the keys' projection", (_UP, _UP.replace("w_uv", "w_uk")),
            "The values are the keys", "values have an up-projection of their own"),
        Mistake("keys and values exchanged", (_UP, _UP.replace("w_uk, w_uv", "w_uv, w_uk")),
            "Keys are as wide as values should be, or keys and values change places", "W_UK gives keys, W_UV values"))),
    Checks(absorbed_latent_attention, cases=_CALLS, claims=(*_CLAIMS,
        Claim("it is the plain form", lambda f: distance(f(_q, _c, _uk, _uv, _mask), latent_attention(_q, _c, _uk, _uv,
              _mask)), **_LAST_BITS)), mistakes=(
        *(Mistake("scaled by the width of the latents", it, "Rows are flatter where latents are wider than keys",
            "the scores are those of the plain form: keep 1/sqrt(d + p), whatever the width of the latents",
            "ollama, pull request 13893 (2026)") for it in (  # the last of a name is the one that the chapter shows
            (_LENGTH, _LENGTH.replace("q.shape[-1]", "r")), (f"    {_LENGTH}\n", ""))),
        Mistake("scaled by the width of the content", (_LENGTH, _LENGTH.replace("q.shape[-1]", "d")),
            "Rows are sharper than they should be where no scale is given",
            "a dot product has d + p terms: divide by the root of their number"),
        Mistake("rotary part forgotten", (("xp.concat([q[..., :d] @ w_uk.mT, q[..., d:]], axis=-1)",
            "q[..., :d] @ w_uk.mT"), ("(asking, c, c[", "(asking, c[..., :r], c[")), "Positions make no difference",
            "queries keep their rotary part, and latents theirs"),
        Mistake("rotary part in front", ("[q[..., :d] @ w_uk.mT, q[..., d:]]", "[q[..., d:], q[..., :d] @ w_uk.mT]"),
            "Rotary parts of queries meet latents", "keep the order of the latents: the rotary part last"),
        Mistake("rows divided among the heads", ("split_heads(w_uk, n_heads), split_heads(w_uv, n_heads)",
            "w_uk.reshape(n_heads, r, -1), w_uv.reshape(n_heads, r, -1)"), *_ROWS_DIVIDED),
        Mistake("averages stay down", (" @ w_uv", ""), "The result is as wide as a latent",
            "project the averages up: the sum over keys comes first, W_UV after it"))),
    Checks(absorb,
        cases=(
            call(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]]), 1).about("one head"),
            call(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]]), 2).about("two heads of width 1"),
            call(np.array([[1.0, 2.0, 0.0, 3.0]]), np.array([[2.0, 0.0, 1.0, 1.0], [1.0, 1.0, 0.0, -1.0]]),
                2).about("latents as wide as a head"),
            call(_w, _up, 3), call(_w, _up, 4), call(_w, _up, 12),
            call(np.stack([_w, -_w[::-1]]), _up, 3).about("queries of two sequences"),
            call(np.stack([_w, -_w])[None], _up, 3).about("four axes"),
            call(_w, _w[::-1] + 1, 3).about("latents as wide as w has rows")),
        claims=(
            Claim("absorbing before or after the projection is the same",
                lambda f: distance(f(_x @ _w, _up, 3), _x @ f(_w, _up, 3)), tolerance=1e-12,
                why="sums of at most 20 products in float64"),
            Claim("absorbed queries score latents as queries score keys", lambda f: distance(
                  split_heads(f(_w, _up, 3), 3) @ _latents.T, split_heads(_w, 3) @ split_heads(_latents @ _up, 3).mT),
                  tolerance=1e-12, why="sums of at most 28 products in float64"),
            oracle("torch.einsum over heads and width", _einsum, call(_w, _up, 3),
                   call(_w, _up, 4), **_LAST_BITS)),
        mistakes=(
            Mistake("heads added up",
                ("merge_heads(split_heads(w, n_heads) @ split_heads(w_up, n_heads).mT)", "w @ w_up.mT"),
                "There is one block, the sum of all heads", "multiply head by head"),
            Mistake("not joined", ("merge_heads(split_heads(w, n_heads) @ split_heads(w_up, n_heads).mT)",
                "split_heads(w, n_heads) @ split_heads(w_up, n_heads).mT"), "The heads keep an axis of their own",
                "put their columns side by side"),
            Mistake("rows divided among the heads",
                ("split_heads(w_up, n_heads).mT)", "w_up.reshape(n_heads, len(w_up), -1).mT)"),
                "With several heads, each gets other rows of the up-projection in place of its own columns",
                "columns are divided among the heads: reshape to (r, h, d), then move h to the front"),
            Mistake("heads interleaved", lambda w, w_up, n_heads: np.concatenate([w[..., i::n_heads] @
                w_up[:, i::n_heads].T for i in range(n_heads)], axis=-1), "Each head takes every h-th column",
                "head i owns neighbouring columns, i·d to (i + 1)·d − 1"),
            Mistake("heads below each other", lambda w, w_up, n_heads: np.concatenate([a @ b.T for a, b in zip(
                *(np.split(it, n_heads, axis=-1) for it in (w, w_up)), strict=True)]),
                "The heads stand below each other", "put their columns side by side: axis=-1"),
            Mistake("first head of the up-projection", lambda w, w_up, n_heads: np.concatenate([it @ w_up[:,
                : w.shape[-1] // n_heads].T for it in np.split(w, n_heads, axis=-1)], axis=-1),
                "Every head gets the first head's up-projection", "give head i its own columns of w_up"))),
    Checks(grouped_as_latent,
        run=lambda f, *given, **named: dict(zip(("w_c", "w_uk", "w_uv"), f(*given, **named), strict=True)),
        cases=(
            call(_wk[:2, :2], _wv[:2, :2], 2, 2), call(_wk[:2, :2], _wv[:2, :2], 4, 2), call(_wk, _wv, 6, 2),
            call(_wk, _wv, 2, 2), call(_wk, _wv, 5, 1).about("multi-query attention"),
            call(_wk.astype(np.float32), _wv.astype(np.float32), 6, 2).about("float32", edge=True)),
        claims=(Claim("scaled_dot_product_attention(enable_gqa=True), for 2 groups, as many as heads, and 1",
                lambda f: max(_as_grouped(f, h, g) for h, g in ((6, 2), (2, 2), (3, 1))), kind="oracle", **_LAST_BITS),
            Claim("each column of an up-projection copies one coordinate", lambda f: max(distance(np.sort(it, axis=0),
                np.eye(10)[:, -1:].repeat(it.shape[1], 1)) for it in f(_wk, _wv, 6, 2)[1:]))),
        mistakes=(
            Mistake("tiled", ("np.repeat(np.arange(n_groups * width).reshape(n_groups, width), n_heads // n_groups, "
                "axis=0).ravel()", "np.tile(np.arange(n_groups * width), n_heads // n_groups)"),
                "Head i uses the keys of group i mod g", "neighbouring heads share: repeat, do not tile"),
            Mistake("values copy keys", ("(n_groups * d, e)", "(0, e)"), "The values are the first keys",
                "values stand behind all keys"))),
    Checks(latent_cache_nbytes,
        cases=(call(1, 1), call(5, 3, d_rotary=2), call(5, 3, n_layers=7), call(5, 3, itemsize=2),
               call(11, 5, 2, 3, 8), call(0, 5)),
        claims=(Claim("numpy's count of the bytes of the cache's memory", lambda f: float(abs(f(9, 5, 2, itemsize=8)
                - LatentCache(9, 5, 2).latents.base.nbytes)), kind="oracle"),
            Claim("bytes measured are bytes by formula", lambda f: float(abs(f(9, 5, 2, itemsize=4)
                - LatentCache(9, 5, 2, like=np.zeros(1, np.float32)).nbytes)))),
        mistakes=(Mistake("keys and values", ("n_layers * n_tokens", "2 * n_layers * n_tokens"),
            "It counts each latent twice", "keys and values are read out of the same numbers: count these once"),
            Mistake("sum without parentheses", ("(d_latent + d_rotary)", "d_latent + d_rotary"),
                "Only rotary parts are counted in bytes", "put parentheses around the sum of the widths"))),
    Checks(latent_multiply_adds, cases=_SIZES,
        claims=(oracle("a count of every multiplication", _counted, *_SIZES),
            Claim("one query and one key cost the projections and two dot products",
                lambda f: float(abs(f(1, 1, 1, 3, 7) - (7 * 6 + 6))))),
        mistakes=(
            Mistake("forms exchanged", ("if absorbed", "if not absorbed"), "Absorbing seems to cost what it saves",
                "absorbed: queries are projected; plain: keys are"),
            Mistake("projections forgotten", ("n_heads * (projected * d_latent * (d_head + d_value) + ", "n_heads * ("),
                "Absorbing never pays where 2r is at least d + e, else always",
                "count what brings queries down and latents up"),
            Mistake("scores only", ("(n_queries, 2 * d_latent) if absorbed else (n_keys, d_head + d_value)",
                "(n_queries, d_latent) if absorbed else (n_keys, d_head)"), "Averages are not counted",
                "each pair costs a dot product and its share of an average"),
            Mistake("rotary part averaged", ("(pair + d_rotary)", "(pair + 2 * d_rotary)"),
                "The rotary part is counted twice", "only scores have a rotary part, values have none"))),
    Checks(queries_at_par,
        cases=(call(128, 512, 128), call(64, 192, 64), call(3, 17, 5), call(2, 100, 9)),
        claims=(Claim("with that many queries and ever more keys both forms cost the same",
                lambda f: abs(np.divide(*(latent_multiply_adds(round(f(50, 75, 50)), 10**12, 1, 50, 75, absorbed=it)
                for it in (True, False))) - 1),
                tolerance=1e-9, why="keys are 1e12, not infinitely many"),
            oracle("numpy.linalg.solve of the two costs for each key",
                lambda d, r, e: float(np.linalg.solve([[2 * r - d - e]], [r * (d + e)])[0]), call(128, 512, 128),
                call(3, 17, 5), **_LAST_BITS)),
        mistakes=(
            Mistake("one dot product", ("2 * d_latent - d_head - d_value", "d_latent - d_head"),
                "Averages are not counted", "each pair costs a dot product and its share of an average"),
            Mistake("upside down", ("d_latent * (d_head + d_value) / (2 * d_latent - d_head - d_value)",
                "(2 * d_latent - d_head - d_value) / (d_latent * (d_head + d_value))"), "It is less than one query",
                "solve for the queries"),
            Mistake("widths added", ("2 * d_latent - d_head - d_value", "2 * d_latent + d_head + d_value"),
                "What keys and values of a head cost is added, not saved",
                "subtract it: that form does not pay for latents"),
            Mistake("denominator without parentheses", ("(2 * d_latent - d_head - d_value)",
                "2 * d_latent - d_head - d_value"), "Only the 2 divides", "put the denominator in parentheses"))),
    Checks(factorize, ones=False, run=_factored, written=_written_factors,
        cases=(
            call(np.diag([3.0, 2.0]), 1), call(np.diag([3.0, 2.0]), 1, x=np.diag([1.0, 10.0])).about("with inputs"),
            call(_wide, 2), call(_wide, 5).about("the full rank"), call(_wide.T, 3), call(_wide, 2, _seen),
            call(_wide, 1, _seen), call(_wide[:, :3], 2, _seen[::-1]), call(_wide, 5, _seen).about("the full rank"),
            call(_wide * 1e-3, 3, x=_seen * 1e3)),
        claims=(
            Claim("what is lost are the singular values that were left out",
                lambda f: max(_lost(f, r, x) for r in (1, 2, 4) for x in (np.eye(6), _seen)), tolerance=1e-9,
                why="a norm of 1 beside inputs of 100, in float64"),
            oracle("SVD of the projection, or of the projection of inputs that Cholesky has whitened", _whitened,
                *(call(_wide, r, *x) for r in (1, 3, 5) for x in ((), (_seen,))),
                run=lambda f, *given: _factored(f, *given)["w_down @ w_up"], tolerance=1e-9,
                why="the second moments have a condition number of 7e3"),
            Claim("with centered inputs, whitening them first gives the same", _centered_error, tolerance=1e-9,
                  why="the covariance has a condition number of 7e5")),
        mistakes=(
            *(Mistake("smallest first", it, "What matters most is lost",
                "keep the vectors of the largest singular values")
                for it in (("[2][:rank]", "[2][-rank:]"), ("full_matrices=False)[2][:rank]", ")[2][-rank:]"))),
            Mistake("lengths forgotten",
                ("return w @ w_up.T, w_up", "return np.linalg.svd(w, full_matrices=False)[0][:, :rank], w_up"),
                "All that is kept has length 1",
                "project w itself: w @ w_up.T; only without inputs is that U times the singular values"),
            Mistake("outputs factored", ("return w @", "return (w if x is None else x @ w) @"),
                "With inputs, the product is x @ w, not w", "project w itself onto the directions of the outputs"),
            Mistake("covariance of the inputs only", (_TARGET, "target = w if x is None else x.T @ x @ w"),
                "Inputs count by their squares",
                "whiten by the Cholesky factor, not by the covariance: X itself, or a root of it"),
            Mistake("sizes of the inputs only",
                (_TARGET, "target = w if x is None else np.sqrt((working_copy(x) ** 2).mean(0))[:, None] * w"),
                "Inputs count by their sizes, and how they go together does not", "take the SVD of x @ w"),
            Mistake("lengths forgotten without inputs", ("return w @ w_up.T, w_up",
                "return (np.linalg.svd(w, full_matrices=False)[0][:, :rank] if x is None else w @ w_up.T), w_up"),
                "Without inputs, all that is kept has length 1", "U needs its singular values: U S is w @ w_up.T"))),
)
