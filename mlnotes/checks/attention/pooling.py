"""What attention pooling and its scores must satisfy, and how they are usually got wrong."""

import math

import numpy as np

from mlnotes.attention.pooling import additive_score, attention_pool, bilinear_score, gaussian_score
from mlnotes.blocks.softmax import softmax
from mlnotes.checks.bank import Checks, Claim, Mistake, call, distance, frozen, oracle
from mlnotes.diagnosis.report import written_call
from mlnotes.diagnosis.trials import numbers

_rng = np.random.default_rng(31)
_shapes = (2, 5, 3), (2, 7, 3), (2, 7, 11), (2, 7, 4), (3, 4), (3, 3), (3, 6), (4, 6), (3, 6), 6
_q, _k, _v, _wide, _m, _square, _w_q, _w_k, _w_alike, _w = frozen(*(_rng.normal(size=it) for it in _shapes))
# Small enough to be read in a report.
_q2, _k3, _v3, _wide3, _m23, _m22, _h22, _h32, _w2 = frozen(np.array([[1.0, 2.0], [0.0, -1.0]]),
    np.array([[2.0, 0.0], [1.0, 1.0], [0.0, 3.0]]), np.array([[1.0], [10.0], [100.0]]), np.array([[1.0, 0.0, 2.0],
    [0.0, 1.0, -1.0], [3.0, 1.0, 0.0]]), np.array([[1.0, 0.0, 2.0], [0.0, -1.0, 1.0]]),
    np.array([[1.0, 2.0], [0.0, -1.0]]), np.array([[1.0, 0.0], [0.5, -1.0]]), np.array([[0.0, 1.0], [1.0, 0.5],
    [-1.0, 0.0]]), np.array([2.0, -1.0]))
[_even] = frozen(_square + _square.T)
[_far] = frozen(_q + np.array([60.0, 0.0, 0.0]))
_LAST_BITS = {"tolerance": 5e-14, "why": "scores below 25, of at most 12 products: 25 · 12 · 1.1e-16 is 3.3e-14, and a "
    "weight is relatively off by as much as its score and its row's sum"}


def dot_product_score(q, k):
    """Score keys by their product with a query, as self-attention does."""
    return q @ np.swapaxes(k, -1, -2) / math.sqrt(q.shape[-1])


def unequal_widths_score(q, k):
    """Compare queries of width 3 with keys of width 4."""
    return bilinear_score(q, k, _m)


def bias_at_the_end(bandwidth):
    """Say how far inside a long row of keys their average lies for a query at its end: the mean of half a bell."""
    return bandwidth * math.sqrt(2 / math.pi)


def largest_weight_ratio(w):
    """Say how many times another's weight a key can get by the additive score with weights w (c,) of hidden units."""
    return np.exp(2 * np.sum(np.abs(w)))


def scores_both_ways(m):
    """Say whether the bilinear score with m (d, f) scores a for b as b for a, whatever a and b are."""
    return np.array_equal(m, m.T)


def _weights_where_far(version, q, k, *bandwidth, **named):
    """Compare weights where keys are so far apart that one score's rounding is larger than another score."""
    scores = version(q, k, *bandwidth, **named)
    return softmax(scores) if np.ptp(k) > 1e8 and numbers(scores) is not None and np.ndim(scores) else scores


def _written_scores(name, case):
    """Write down what is compared."""
    call = written_call(name, case)
    return f"softmax({call})" if np.ptp(case.arguments[1]) > 1e8 else call


def _said(version, m):
    """Say True for 1, too; an array of truth values is no answer."""
    answer = version(m)
    return bool(answer) if numbers(answer) is not None and np.ndim(answer) == 0 else answer


def _exchanged(f):
    """Exchange queries and keys: their scores differ where the answer is no, and only there."""
    away = [distance(bilinear_score(_q[0], _k[0], m), bilinear_score(_k[0], _q[0], m).T) for m in (_square, _even)]
    return sum(abs(f(m) - (it < 1e-12)) for m, it in zip((_square, _even), away, strict=True))


def _nearest_value(f):
    nearest = ((_far[:, :, None] - _k[:, None]) ** 2).sum(-1).argmin(-1)
    narrow = f(_far, _k, _v, lambda q, k: gaussian_score(q, k, 0.05))
    return distance(narrow, np.take_along_axis(_v, nearest[..., None], axis=1))


def _torch_pool(q, k, v, score):
    import torch

    return torch.nn.functional.scaled_dot_product_attention(*map(torch.tensor, (q, k, v))).numpy()


def _kernel_average(q, k, v, score):
    """Average as statistics does: by kernels, without softmax."""
    from sklearn.metrics.pairwise import rbf_kernel

    kernels = np.stack([rbf_kernel(a, b, gamma=0.5) for a, b in zip(q, k, strict=True)])
    return kernels @ v / kernels.sum(-1, keepdims=True)


def _squared_distances(q, k, bandwidth=1.0):
    from scipy.spatial.distance import cdist

    return -np.stack([cdist(a, b, "sqeuclidean") for a, b in zip(q, k, strict=True)]) / (2 * bandwidth**2)


def _pairs(q, k):
    """Put every query beside every key."""
    return np.repeat(q[:, :, None], k.shape[1], 2), np.repeat(k[:, None], q.shape[1], 1)


def _torch_bilinear(q, k, m):
    import torch

    return torch.nn.functional.bilinear(*map(torch.tensor, (*_pairs(q, k), m[None])))[..., 0].numpy()


def _torch_additive(q, k, w_q, w_k, w):
    import torch

    linear, both = torch.nn.functional.linear, np.concatenate([w_q, w_k]).T.copy()
    hidden = linear(torch.tensor(np.concatenate(_pairs(q, k), -1)), torch.tensor(both))
    return linear(torch.tanh(hidden), torch.tensor(w[None]))[..., 0].numpy()


def _moved_far(f):
    at, moved = (f(*(np.round(x * 16) / 16 + by for x in (_q, _k))) for by in (0.0, 2.0**26))
    return distance(moved, at)


def _above_the_sum_of_w(f):
    return float(max(0.0, np.abs(f(1e3 * _q, 1e3 * _wide, _w_q, _w_k, _w)).max() - np.abs(_w).sum()))


def _half_normal(bandwidth):
    from scipy.stats import halfnorm

    return halfnorm(scale=bandwidth).mean()


def _ratio_found(w):
    """Measure the ratio between two keys so far away that every hidden unit says 1 to one and -1 to the other."""
    far, units = 1e3 * np.sign(w), np.eye(len(w))
    a, b = additive_score(np.zeros((1, len(w))), np.stack([far, -far]), units, units, w)[0]
    return np.exp(a - b)


_SOFTMAX = "return softmax(scores)"
_SQUARES = "-array_namespace(away).sum(away**2, axis=-1) / 2"
_SUM = "asked[..., :, None, :] + found[..., None, :, :]"
_TANH = f"array_namespace(asked).tanh({_SUM})"

CHECKS = (
    Checks(attention_pool,
        cases=(
            call(_q2, _k3, _v3, gaussian_score), call(_q2, _k3, _v3, dot_product_score).about("dot products as scores"),
            call(_q2, _h22, _h32[:2], dot_product_score).about("all sizes equal"),
            call(_q2 + 60, _k3, _v3, gaussian_score).about("queries far from all keys"),
            call(_q2 + np.array([[0.0], [60.0]]), _k3, _v3, gaussian_score).about("one query far from all keys"),
            call(100 * _q2, 10 * _k3, _v3, dot_product_score).about("scores of 1000"),
            call(_q, _k, _v, gaussian_score).about("two sequences"),
            call(_q, _wide, _v, unequal_widths_score).about("keys wider than queries")),
        claims=(
            Claim("equal values are given back",
                lambda f: distance(f(_q, _k, np.full((2, 7, 2), 3.0), dot_product_score), np.full((2, 5, 2), 3.0)),
                **_LAST_BITS),
            Claim("keys and values in another order give the same", lambda f: distance(f(_q, _k[:, ::-1], _v[:, ::-1],
                dot_product_score), f(_q, _k, _v, dot_product_score)), **_LAST_BITS),
            Claim("a query far from all keys gets the value of the nearest", _nearest_value,
                why="exact: the other keys are so much farther that their exponentials are 0"),
            oracle("the kernel average with scikit-learn's rbf_kernel", _kernel_average,
                call(_q, _k, _v, gaussian_score), **_LAST_BITS),
            oracle("torch's scaled_dot_product_attention, with products as scores", _torch_pool,
                call(_q, _k, _v, dot_product_score), **_LAST_BITS)),
        mistakes=(
            Mistake("best key alone",
                lambda q, k, v, score: np.take_along_axis(v, score(q, k).argmax(-1)[..., None], -2),
                "Each query gets one value, and none in between", "average the values, with weights by softmax"),
            Mistake("exponentials not shifted",
                (_SOFTMAX, "return np.exp(scores) / np.sum(np.exp(scores), axis=-1, keepdims=True)"),
                "Queries far from all keys get nan: every kernel is 0, and 0 is divided by 0",
                "use softmax, which subtracts the largest score first"),
            Mistake("small number in the denominator",
                (_SOFTMAX, "e = np.exp(scores)\n    return e / (np.sum(e, axis=-1, keepdims=True) + 1e-12)"),
                "Queries far from all keys get zeros instead of nan: the small number only hides 0/0",
                "use softmax, which subtracts the largest score first"),
            Mistake("maximum of everything",
                (_SOFTMAX, "e = np.exp(scores - scores.max())\n    return e / e.sum(axis=-1, keepdims=True)"),
                "A query far from the keys gets nan as soon as another one is near them",
                "subtract each row's own maximum: max(axis=-1, keepdims=True)"),
            *(Mistake("scores clipped", (_SOFTMAX,
                f"e = np.exp(np.clip(scores, -{it}, {it}))\n    return e / e.sum(axis=-1, keepdims=True)"),
                "Far from all keys, scores are cut off at the same bound: all keys count alike",
                "use softmax, which subtracts the largest score: then no score needs a bound")
                for it in (700, 500, 50)),
            Mistake("one score for all", lambda q, k, v, score: attention_pool(q, k, v, gaussian_score),
                "`score` makes no difference: the Gaussian score is taken instead", "call the score that is given"),
            Mistake("weights not normalized", (_SOFTMAX, "return np.exp(scores)"),
                "Results grow with the number of keys nearby",
                "use softmax, which divides the exponentials by their sum"),
            Mistake("scores as weights", (_SOFTMAX, "return scores"), "Results leave the range of the values",
                "turn scores into weights with softmax"),
            Mistake("scores divided by their sum", (_SOFTMAX, "return scores / scores.sum(axis=-1, keepdims=True)"),
                "Where all scores are negative, the worst gets the largest weight", "take softmax of the scores"),
            Mistake("softmax over the queries", (_SOFTMAX, "return softmax(scores, axis=-2)"),
                "Each key is shared among the queries, and the answer to one depends on the others",
                "take softmax along the keys, the last axis"),
            Mistake("rows without keepdims",
                (_SOFTMAX, "e = np.exp(scores - scores.max(axis=-1))\n    return e / e.sum(axis=-1)"),
                "Maxima and sums of the queries line up with the keys, or do not fit",
                "keep the axis in both: keepdims=True"))),
    Checks(gaussian_score, run=_weights_where_far, written=_written_scores,
        cases=(
            call(np.array([[2.0]]), np.array([[1.0], [2.0], [4.0]])), call(_q2, _k3),
            call(_q2, _h22, 2.0).about("as many keys as queries"),
            call(_q2, _k3, bandwidth=2.0).about("a bandwidth of 2"), call(_q2, _k3, 0.5).about("a bandwidth of 1/2"),
            call(_q, _k).about("two sequences"), call(_q, _k, 3.0).about("two sequences, and a bandwidth"),
            call(np.stack([_q, -2 * _q, 3 * _q]), np.stack([_k, _k + 1, -_k])).about("four axes"),
            call(_q2 + 1e9, _k3 + 1e9).about("queries and keys far from the origin"),
            call(np.array([[1e9 + 1]]), np.array([[1e9], [1e9 + 3], [-2e9]])).about("keys far from each other",
                edge=True)),
        claims=(
            Claim("a key where the query is scores 0",
                lambda f: distance(np.diagonal(f(_q, _q), 0, 1, 2), np.zeros((2, 5)))),
            Claim("twice the bandwidth, a quarter of the score", lambda f: distance(f(_q, _k, 2.0), f(_q, _k) / 4),
                **_LAST_BITS),
            Claim("moving queries and keys by 2²⁶ together changes nothing", _moved_far,
                why="sixteenths, their differences and the squares of these are exact"),
            oracle("SciPy's squared distances", _squared_distances, call(_q, _k), call(_q, _k, 0.7), **_LAST_BITS)),
        mistakes=(
            Mistake("distance not squared", (_SQUARES, "-np.sqrt(np.sum(away**2, axis=-1)) / 2"),
                "Weights have a sharp peak at the query, and long tails",
                "square it, and the bandwidth with it: distance**2 / (2 * bandwidth**2)"),
            Mistake("row by row", lambda q, k, bandwidth=1.0: -np.sum((q - k) ** 2, axis=-1) / (2 * bandwidth**2),
                "Each query meets a single key, and more keys than queries raise an error",
                "give both an axis, so that every query meets every key: [..., :, None, :] and [..., None, :, :]"),
            *(Mistake("sum squared", (_SQUARES, f"-np.sum({it}, axis=-1) ** 2 / 2"),
                "The sum of the differences is squared", "square each difference, then add")
                for it in ("away", "np.abs(away)")),
            Mistake("bandwidth not squared", ("as_like(bandwidth, q)", "bandwidth**0.5"),
                "Changing the unit of the keys and the bandwidth together changes the result",
                "divide by 2 * bandwidth**2"),
            Mistake("bandwidth multiplied", (") / as_like", ") * as_like"), "A wider window makes the weights sharper",
                "divide by (2 * bandwidth**2), in parentheses"),
            Mistake("kernel in place of its logarithm", (_SQUARES, "np.exp(-np.sum(away**2, axis=-1) / 2)"),
                "No key ever gets more than e times as much as another",
                "return the exponent: softmax takes the exponential"),
            Mistake("products subtracted",
                (_SQUARES, "(q @ k.mT - np.sum(q**2 / 2, axis=-1)[..., None] - np.sum(k**2 / 2, axis=-1)"
                "[..., None, :]) / bandwidth**2"), "Keys far from the origin lose their distance",
                "square differences, do not subtract products",
                "scikit-learn, euclidean_distances of float32, issue 9354 (2017)"))),
    Checks(bilinear_score,
        cases=(
            call(_q2, _wide3, _m23), call(_q2, _k3, _m22).about("queries as wide as keys"),
            call(_q2, _h22, _m22).about("all sizes equal"),
            call(_q, _wide, _m).about("two sequences"), call(_q, _k, _square).about("two sequences")),
        claims=(
            Claim("the identity makes it the dot product",
                lambda f: distance(f(_q, _k, np.eye(3)), np.einsum("bld,bsd->bls", _q, _k)), **_LAST_BITS),
            Claim("a product of two projections makes it the dot product of projected queries and keys",
                lambda f: distance(f(_q, _wide, _w_q @ _w_k.T), (_q @ _w_q) @ np.swapaxes(_wide @ _w_k, 1, 2)),
                **_LAST_BITS),
            oracle("torch.nn.functional.bilinear of every pair", _torch_bilinear, call(_q, _wide, _m), **_LAST_BITS)),
        mistakes=(
            Mistake("matrix transposed", ("@ m @", "@ m.T @"),
                "Only equal widths fit, and queries and keys change roles", "q @ m @ k.mT"),
            Mistake("matrix left out", ("@ m @", "@"), "m makes no difference, and only equal widths fit",
                "multiply by m between queries and keys"),
            Mistake("matrix symmetrised", ("@ m @", "@ (m + m.T) / 2 @"),
                "Queries and keys can be exchanged: a finds b as b finds a",
                "keep m as it is, it need not be symmetric"),
            Mistake("key of the same place", lambda q, k, m: np.einsum("...ld,df,...lf->...l", q, m, k),
                "Each query is compared with the key of the same place only", "compare every query with every key"))),
    Checks(additive_score,
        cases=(
            call(_q2, _wide3, _h22, _h32, _w2), call(_q2, _k3, _h22, _m22, _w2).about("queries as wide as keys"),
            call(_q2, _h22.T, _h22, _m22, _w2).about("all sizes equal"),
            call(_q, _wide, _w_q, _w_k, _w).about("two sequences"),
            call(_q, _k, _w_q, _w_alike, _w).about("two sequences"),
            call(1e3 * _q, -1e3 * _wide, _w_q, _w_k, _w).about("queries and keys far from the origin")),
        claims=(
            Claim("no score exceeds the sum of |w|", _above_the_sum_of_w, **_LAST_BITS),
            Claim("minus both is minus the score",
                lambda f: distance(f(-_q, -_wide, _w_q, _w_k, _w), -f(_q, _wide, _w_q, _w_k, _w)), **_LAST_BITS),
            oracle("torch's linear layers on every query beside every key", _torch_additive,
                call(_q, _wide, _w_q, _w_k, _w), **_LAST_BITS)),
        mistakes=(
            Mistake("tanh forgotten", (_TANH, f"({_SUM})"),
                "Every query gets the same weights: what it adds is the same for all keys",
                "apply tanh to the sum of the projections"),
            Mistake("row by row", (_SUM, "asked + found"),
                "Each query meets a single key, and more keys than queries raise an error",
                "give both an axis, so that every query meets every key: [..., :, None, :] and [..., None, :, :]"),
            Mistake("tanh last", (f"{_TANH} @ w", f"np.tanh(({_SUM}) @ w)"),
                "No score exceeds 1, so no key gets more than e² times another's weight", "tanh before w"),
            Mistake("tanh of each", (_TANH, "(np.tanh(asked)[..., :, None, :] + np.tanh(found)[..., None, :, :])"),
                "Every query gets the same weights", "add the projections first, then apply tanh"),
            Mistake("weights before the bend", (f"{_TANH} @ w", f"np.sum(np.tanh(({_SUM}) * w), axis=-1)"),
                "w stretches what is bent, and no score exceeds the number of units", "tanh first, then times w"),
            Mistake("two axes only", (_SUM, "asked[:, None] + found[None]"), "It fits a single sequence only",
                "count new axes from the end: [..., :, None, :] and [..., None, :, :]"),
            Mistake("another bend", (_TANH, f"np.maximum({_SUM}, 0)"), "Scores have no bound: this is relu",
                "bend with tanh, from -1 to 1"),
            Mistake("logistic bend", (_TANH, f"1 / (1 + np.exp(-({_SUM})))"),
                "Units run from 0 to 1: this is the logistic function", "bend with tanh, from -1 to 1"))),
    Checks(bias_at_the_end,
        cases=(call(0.5), call(1.0), call(3.0)),
        claims=(
            Claim("it grows as the bandwidth does", lambda f: distance(f(6.0), 3 * f(2.0)), **_LAST_BITS),
            oracle("the mean of scipy.stats.halfnorm", _half_normal, call(0.5), call(3.0), **_LAST_BITS)),
        mistakes=(
            Mistake("root of the mean square", (" * math.sqrt(2 / math.pi)", ""),
                "It is the standard deviation, the root of the mean square", "take the mean of |X| itself"),
            Mistake("median", ("math.sqrt(2 / math.pi)", "0.6744897501960817"),
                "It is the median of |X|, below which half of the weight lies", "take the mean"),
            Mistake("number of the page", ("math.sqrt(2 / math.pi)", "0.8"), "It is right to two digits",
                "0.8 is rounded: derive what stands behind it"),
            Mistake("root forgotten", ("math.sqrt(2 / math.pi)", "2 / math.pi"), "The root over 2/π is missing",
                "the density is divided by h times the root of 2π"),
            Mistake("variance for its root", ("bandwidth *", "bandwidth**2 *"),
                "It grows with the square of the bandwidth, in another unit than the keys",
                "h is the standard deviation, h² the variance"))),
    Checks(largest_weight_ratio,
        cases=(call(np.array([0.5])), call(_w2), call(np.array([0.1, 0.2, 0.4])), call(_w)),
        claims=(
            Claim("the sign of an entry of w changes nothing", lambda f: distance(f(-_w), f(_w)), **_LAST_BITS),
            oracle("the ratio of the weights of two keys on opposite sides of every unit", _ratio_found, call(_w2),
                call(_w), **_LAST_BITS)),
        mistakes=(
            Mistake("from zero", ("2 * np", "np"),
                "It is the root of the right one: one score can reach the sum of |w|, another its negative",
                "take the difference of the two, twice the sum"),
            Mistake("signs kept", ("np.abs(w)", "w"), "Units with negative w count against the others",
                "each unit reaches -1 as well as 1: add |w|"),
            Mistake("length of w", ("np.sum(np.abs(w))", "np.sqrt(np.sum(w**2))"),
                "It takes the units for coordinates of one vector of length 1",
                "each unit reaches 1 by itself: add |w|"))),
    Checks(scores_both_ways, run=_said,
        cases=(
            *(call(np.array([[a, b], [c, d]])) for a, b, c, d in (
                (1, 2, 2, -1), (0, 2, -2, 0), (0, 1, -1, 0), (0.6, -0.8, 0.8, 0.6), (0.6, 0.8, 0.8, -0.6), (2, 1, 1, 2),
                (-2, 1, 1, -2), (3, 0, 0, 1), (2, 1, 0, 2), (2, 0, 0, 2), (1, 0, 0, 0), (1, 0.05, 0, 1))),
            call(np.array([[0.0, 1e-20], [0.0, 0.0]])).about("a matrix of 1e-20"),
            call(np.array([[0.0, 1.0], [1.000001, 0.0]])).about("entries that differ in the sixth digit"),
            *(call(np.array(it)) for it in ([[1, 2, 3], [2, 0, 1], [3, 4, 0]], [[0, 1, 0], [0, 0, 1], [1, 0, 0]],
                [[1, 2, 3], [2, 0, 1], [4, 1, 0]],
                [[1, 2, 0], [3, 1, 0], [0, 0, 1]])), call(_m23).about("queries narrower than keys"),
            call(_square), call(_even)),
        claims=(
            Claim("a matrix and its transpose added up", lambda f: 1 - f(_m22 + _m22.T)),
            Claim("scores with queries and keys exchanged", _exchanged, kind="oracle")),
        mistakes=(
            *(Mistake("with a tolerance", ("np.array_equal(m, m.T)", f"m.shape[0] == m.shape[1] and {it}"),
                "It takes entries for equal that are nearly equal, or small: np.allclose allows a difference of 1e-5 "
                "of an entry, and of 1e-8 besides", "compare without a tolerance: np.array_equal(m, m.T)") for it in (
                "np.allclose(m, m.T)", "np.allclose(m, m.T, atol=0)", "np.allclose(m, m.T, rtol=0)")),
            Mistake("opposite", ("m, m.T", "m, -m.T"),
                "That is a matrix under which a scores b as minus what b scores a", "ask for M equal to its transpose"),
            *(Mistake("diagonal", it, "It asks for a diagonal matrix, and there are others",
                "write the score of a and b, and of b and a, as sums over the entries") for it in (
                ("m, m.T", "m, np.diag(np.diag(m))"), ("np.array_equal(m, m.T)",
                "m.shape[0] == m.shape[1] and np.allclose(m, np.diag(np.diag(m)))"))),
            *(Mistake("normal", ("np.array_equal(m, m.T)", f"m.shape[0] == m.shape[1] and np.{it}"),
                "It asks for a normal matrix, and rotations are normal, too",
                "compare M with its transpose, without multiplying them") for it in (
                "allclose(m @ m.T, m.T @ m)", "allclose(m @ m.T, m.T @ m, atol=0)", "array_equal(m @ m.T, m.T @ m)")),
            Mistake("positive definite",
                ("np.array_equal(m, m.T)", "np.array_equal(m, m.T) and bool((np.linalg.eigvalsh(m) > 0).all())"),
                "It asks for positive scores of everything with itself, too", "ask only whether the two scores agree"),
            Mistake("orthogonal", ("np.array_equal(m, m.T)", "np.allclose(m @ m.T, np.eye(len(m)))"),
                "It asks for a matrix that keeps lengths", "compare the transpose with M, not with the inverse"),
            Mistake("square is enough", ("np.array_equal(m, m.T)", "m.shape[0] == m.shape[1]"),
                "Every square matrix passes", "a and b meet different entries of M"),
            Mistake("invertible", ("np.array_equal(m, m.T)",
                "m.shape[0] == m.shape[1] and bool(np.linalg.matrix_rank(m) == len(m))"),
                "Every matrix passes that can be inverted", "compare M with its transpose"),
            Mistake("positive eigenvalues", ("np.array_equal(m, m.T)",
                "m.shape[0] == m.shape[1] and bool((np.linalg.eigvalsh(m) > 0).all())"),
                "eigvalsh reads one triangle, so that it says nothing about symmetry, and its sign is not asked for",
                "compare M with its transpose"),
            *(Mistake("identity", ("np.array_equal(m, m.T)", it),
                "It asks for the identity or a multiple of it, and there are others",
                "compare M with its transpose") for it in ("np.array_equal(m, np.eye(*m.shape))",
                "np.array_equal(m, m[0, 0] * np.eye(*m.shape))", "np.allclose(m, m[0, 0] * np.eye(*m.shape))")))),
)
