"""What attention pooling and its scores must satisfy, and how they are usually got wrong."""

import math

import numpy as np

from mlnotes.attention.pooling import additive_score, attention_pool, bilinear_score, gaussian_score
from mlnotes.blocks.softmax import softmax
from mlnotes.checks.oldbank import Checks, Claim, Mistake, distance, frozen

_rng = np.random.default_rng(31)
_q, _k, _v, _wide, _m, _square, _w_q, _w_k, _w_q_alike, _w_k_alike, _w = frozen(
    _rng.normal(size=(2, 5, 3)),
    _rng.normal(size=(2, 7, 3)),
    _rng.normal(size=(2, 7, 11)),
    _rng.normal(size=(2, 7, 4)),
    _rng.normal(size=(3, 4)),
    _rng.normal(size=(3, 3)),
    _rng.normal(size=(3, 6)),
    _rng.normal(size=(4, 6)),
    _rng.normal(size=(3, 6)),
    _rng.normal(size=(3, 6)),
    _rng.normal(size=6),
)
_far = _q + np.array([60.0, 0.0, 0.0])
_far.flags.writeable = False
_LAST_BITS = "sums of at most 11 numbers in float64: a few units of 1e-16"


def _product(q, k):
    return q @ np.swapaxes(k, -1, -2) / math.sqrt(q.shape[-1])


def _flip(x):
    return x[:, ::-1]


def _nearest_value(f):
    nearest = ((_far[:, :, None] - _k[:, None]) ** 2).sum(-1).argmin(-1)
    narrow = f(_far, _k, _v, lambda q, k: gaussian_score(q, k, 0.05))
    return distance(narrow, np.take_along_axis(_v, nearest[..., None], axis=1))


def _torch_pool():
    import torch

    attend = torch.nn.functional.scaled_dot_product_attention
    return attend(*map(torch.tensor, (_q, _k, _v))).numpy()


def _kernel_average():
    """Average as statistics does: by kernels, without softmax."""
    from sklearn.metrics.pairwise import rbf_kernel

    kernels = np.stack([rbf_kernel(q, k, gamma=0.5) for q, k in zip(_q, _k, strict=True)])
    return kernels @ _v / kernels.sum(-1, keepdims=True)


def _squared_distances(q, k):
    from scipy.spatial.distance import cdist

    return np.stack([cdist(a, b, "sqeuclidean") for a, b in zip(q, k, strict=True)])


def _torch_bilinear():
    import torch

    q, k = np.repeat(_q[:, :, None], 7, 2), np.repeat(_wide[:, None], 5, 1)
    return torch.nn.functional.bilinear(*map(torch.tensor, (q, k, _m[None])))[..., 0].numpy()


def _torch_additive():
    """Compute by torch's layers, on every query beside every key."""
    import torch

    pairs = np.concatenate([np.repeat(_q[:, :, None], 7, 2), np.repeat(_wide[:, None], 5, 1)], -1)
    hidden = torch.nn.functional.linear(torch.tensor(pairs), torch.tensor(np.concatenate([_w_q, _w_k]).T.copy()))
    return torch.nn.functional.linear(torch.tanh(hidden), torch.tensor(_w[None]))[..., 0].numpy()


def exponentials_not_shifted(q, k, v, score):
    """Divide exponentials by their sum as the formula is printed."""
    with np.errstate(all="ignore"):
        e = np.exp(score(q, k))
        return e / e.sum(-1, keepdims=True) @ v


def weights_not_normalised(q, k, v, score):
    """Leave out the division by the sum."""
    return np.exp(score(q, k)) @ v


def scores_as_weights(q, k, v, score):
    """Multiply the values by the scores."""
    return score(q, k) @ v


def softmax_over_queries_of_pool(q, k, v, score):
    """Normalise the columns."""
    return softmax(score(q, k), axis=-2) @ v


def keys_pooled(q, k, v, score):
    """Average the keys."""
    return softmax(score(q, k)) @ k


def distance_not_squared_in_score(q, k, bandwidth=1.0):
    """Take the distance itself."""
    return -np.sqrt(-2 * gaussian_score(q, k, bandwidth)) / 2


def bandwidth_not_squared(q, k, bandwidth=1.0):
    """Divide by twice the bandwidth."""
    return gaussian_score(q, k) / bandwidth


def two_forgotten(q, k, bandwidth=1.0):
    """Divide by the squared bandwidth alone."""
    return 2 * gaussian_score(q, k, bandwidth)


def minus_forgotten(q, k, bandwidth=1.0):
    """Leave the sign out."""
    return -gaussian_score(q, k, bandwidth)


def kernel_instead_of_its_logarithm(q, k, bandwidth=1.0):
    """Give the kernel itself as the score."""
    return np.exp(gaussian_score(q, k, bandwidth))


def coordinates_averaged(q, k, bandwidth=1.0):
    """Take the mean over coordinates for their sum."""
    return gaussian_score(q, k, bandwidth) / q.shape[-1]


def products_subtracted(q, k, bandwidth=1.0):
    """Expand the square into products."""
    lengths = (q**2).sum(-1)[..., :, None] + (k**2).sum(-1)[..., None, :]
    return -(lengths - 2 * q @ np.swapaxes(k, -1, -2)) / (2 * bandwidth**2)


def matrix_transposed(q, k, m):
    """Let the matrix map keys' coordinates to queries' the wrong way round."""
    return q @ m.T @ np.swapaxes(k, -1, -2)


def matrix_left_out(q, k, m):
    """Multiply queries and keys directly."""
    return q @ np.swapaxes(k, -1, -2)


def matrix_symmetrised(q, k, m):
    """Use the symmetric part only, as if queries and keys could be exchanged."""
    return q @ (m + m.T) / 2 @ np.swapaxes(k, -1, -2)


def keys_as_rows(q, k, m):
    """Give one row for each key."""
    return k @ m.T @ np.swapaxes(q, -1, -2)


def tanh_forgotten(q, k, w_q, w_k, w):
    """Add the projections without a bend between."""
    return ((q @ w_q)[..., :, None, :] + (k @ w_k)[..., None, :, :]) @ w


def tanh_last(q, k, w_q, w_k, w):
    """Bend the score instead of the hidden units."""
    return np.tanh(tanh_forgotten(q, k, w_q, w_k, w))


def tanh_of_each(q, k, w_q, w_k, w):
    """Bend queries and keys before they are added."""
    return (np.tanh(q @ w_q)[..., :, None, :] + np.tanh(k @ w_k)[..., None, :, :]) @ w


def units_averaged(q, k, w_q, w_k, w):
    """Take the mean over hidden units for their sum."""
    return additive_score(q, k, w_q, w_k, w / len(w))


def projections_exchanged(q, k, w_q, w_k, w):
    """Project queries as keys and keys as queries."""
    return additive_score(q, k, w_k, w_q, w)


_ALIKE = (_q, _k, _w_q_alike, _w_k_alike, _w)

OLD = (
    Checks(
        attention_pool,
        probes=((_q, _k, _v, gaussian_score), (_q, _k, _v, _product)),
        claims=(
            Claim(
                "equal values are given back",
                lambda f: distance(f(_q, _k, np.full((2, 7, 2), 3.0), _product), np.full((2, 5, 2), 3.0)),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "keys and values in another order give the same",
                lambda f: distance(f(_q, _flip(_k), _flip(_v), _product), f(_q, _k, _v, _product)),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "a query far from all keys gets the value of the nearest",
                _nearest_value,
                1e-12,
                _LAST_BITS,
                edge=True,
            ),
            Claim(
                "the kernel average with scikit-learn's rbf_kernel",
                lambda f: distance(f(_q, _k, _v, gaussian_score), _kernel_average()),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
            Claim(
                "torch's scaled_dot_product_attention, with products as scores",
                lambda f: distance(f(_q, _k, _v, _product), _torch_pool()),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                exponentials_not_shifted,
                "Queries far from all keys get nan: every kernel is 0, and 0 is divided by 0",
                "use softmax, which subtracts the largest score first",
                shown_by="a query far from all keys gets the value of the nearest",
            ),
            Mistake(
                weights_not_normalised,
                "Results grow with the number of keys nearby",
                "divide the exponentials by their sum",
            ),
            Mistake(
                scores_as_weights,
                "Results leave the range of the values",
                "turn scores into weights with softmax",
            ),
            Mistake(
                softmax_over_queries_of_pool,
                "Each key is shared among the queries, and the answer to one depends on the others",
                "take softmax along the keys, the last axis",
            ),
            Mistake(keys_pooled, "The result is as wide as the keys", "average the values"),
        ),
    ),
    Checks(
        gaussian_score,
        probes=((_q, _k), (_q, _k, 0.5), (_q, _k, 3.0)),
        claims=(
            Claim(
                "a key where the query is scores 0",
                lambda f: distance(np.diagonal(f(_q, _q), 0, 1, 2), np.zeros((2, 5))),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "twice the bandwidth, a quarter of the score",
                lambda f: distance(f(_q, _k, 2.0), f(_q, _k) / 4),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "moving queries and keys by 2²⁶ together changes nothing",
                lambda f: distance(
                    *(f(*(np.round(x * 16) / 16 + moved for x in (_q, _k))) for moved in (2.0**26, 0.0))
                ),
                1e-12,
                _LAST_BITS,
                edge=True,
            ),
            Claim(
                "SciPy's squared distances",
                lambda f: distance(f(_q, _k, 0.7), -_squared_distances(_q, _k) / 0.98),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                distance_not_squared_in_score,
                "Weights have a sharp peak at the query, and long tails",
                "square the distance",
            ),
            Mistake(
                bandwidth_not_squared,
                "Changing the unit of the keys and the bandwidth together changes the result",
                "divide by 2 * bandwidth**2",
            ),
            Mistake(two_forgotten, "Curves are rougher than the bandwidth says", "divide by 2 * bandwidth**2"),
            Mistake(minus_forgotten, "The farthest keys get all the weight", "put a minus before the square"),
            Mistake(
                kernel_instead_of_its_logarithm,
                "No key ever gets more than e times as much as another",
                "return the exponent: softmax takes the exponential",
            ),
            Mistake(coordinates_averaged, "The wider the keys, the flatter the weights", "sum over coordinates"),
            Mistake(
                products_subtracted,
                "Keys far from the origin lose their distance",
                "square differences, do not subtract products",
                "scikit-learn, euclidean_distances of float32, issue 9354 (2017)",
                shown_by="moving queries and keys by 2²⁶ together changes nothing",
            ),
        ),
    ),
    Checks(
        bilinear_score,
        probes=((_q, _wide, _m), (_q, _k, _square)),
        claims=(
            Claim(
                "the identity makes it the dot product",
                lambda f: distance(f(_q, _k, np.eye(3)), np.einsum("bld,bsd->bls", _q, _k)),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "a product of two projections makes it the dot product of projected queries and keys",
                lambda f: distance(f(_q, _wide, _w_q @ _w_k.T), (_q @ _w_q) @ np.swapaxes(_wide @ _w_k, 1, 2)),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "torch.nn.functional.bilinear of every pair",
                lambda f: distance(f(_q, _wide, _m), _torch_bilinear()),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(matrix_transposed, "Only equal widths fit, and scores are those of other pairs", "q @ m @ k.mT"),
            Mistake(matrix_left_out, "Only equal widths fit", "multiply by m between queries and keys"),
            Mistake(
                matrix_symmetrised,
                "Queries and keys can be exchanged: a finds b as b finds a",
                "keep m as it is, it need not be symmetric",
            ),
            Mistake(keys_as_rows, "There is a row for each key instead of each query", "begin with q"),
        ),
    ),
    Checks(
        additive_score,
        probes=((_q, _wide, _w_q, _w_k, _w), _ALIKE),
        claims=(
            Claim(
                "no score exceeds the sum of |w|",
                lambda f: float(max(0.0, np.abs(f(1e3 * _q, 1e3 * _wide, _w_q, _w_k, _w)).max() - np.abs(_w).sum())),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "minus both is minus the score",
                lambda f: distance(f(-_q, -_wide, _w_q, _w_k, _w), -f(_q, _wide, _w_q, _w_k, _w)),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "torch's linear layers on every query beside every key",
                lambda f: distance(f(_q, _wide, _w_q, _w_k, _w), _torch_additive()),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                tanh_forgotten,
                "Every query gets the same weights: what it adds is the same for all keys",
                "apply tanh to the sum of the projections",
            ),
            Mistake(
                tanh_last, "No score exceeds 1, so no key gets more than e² times another's weight", "tanh before w"
            ),
            Mistake(
                tanh_of_each,
                "Every query gets the same weights",
                "add the projections first, then apply tanh",
            ),
            Mistake(units_averaged, "The more hidden units, the flatter the weights", "sum over units, with weights w"),
            Mistake(
                projections_exchanged, "Only equal widths fit, and scores are those of other pairs", "q @ w_q, k @ w_k"
            ),
        ),
    ),
)
