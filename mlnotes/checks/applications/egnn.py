"""What E(n)-equivariant layers must satisfy, and how they are usually got wrong."""

import math

import numpy as np

from mlnotes.applications.egnn import displacements, egnn_layer, egnn_velocity_layer, messages
from mlnotes.applications.mlp import mlp, silu
from mlnotes.blocks.equivariance import equivariance_error
from mlnotes.checks import Checks, Claim, Mistake, distance, frozen
from mlnotes.groups import matrix_actions, permutation_actions, random_orthogonal

_rng = np.random.default_rng(23)
_h, _x, _v, _a, _mask = frozen(
    _rng.normal(size=(5, 2)),
    _rng.normal(size=(5, 3)),
    _rng.normal(size=(5, 3)),
    _rng.normal(size=(5, 5, 1)),
    _rng.random((5, 5)) < 0.6,
)
_SHIFT = np.array([3.0, -1.0, 2.0])
_LAST_BITS = "sums of at most 11 numbers in float64: a few units of 1e-16"


def _phi(d_in, d_out):
    shapes = (d_in, 7), (7,), (7, d_out), (d_out,)
    weights = frozen(*(_rng.normal(size=shape) / 2 for shape in shapes))

    def phi(x):
        return mlp(x, weights[::2], weights[1::2], silu)

    phi.weights = weights
    return phi


_phi_e, _phi_a, _phi_x, _phi_h, _phi_v = _phi(5, 4), _phi(6, 4), _phi(4, 1), _phi(6, 3), _phi(2, 1)
_points = (_h, _x, _phi_e, _phi_x, _phi_h)
_graph = (_h, _x, _phi_a, _phi_x, _phi_h, _mask, _a)
_moving = (_h, _x, _v, _phi_e, _phi_x, _phi_h, _phi_v)


def _move(turn):
    """Turn positions and what comes after them, move positions, and leave features alone."""
    return lambda state: (state[0], turn(state[1]) + _SHIFT, *map(turn, state[2:]))


def _rename(order):
    return lambda state: tuple(map(order, state))


_EUCLIDEAN = [_move(turn) for turn in matrix_actions(random_orthogonal(5, 3, _rng))]
_RENAMINGS = [_rename(order) for order in permutation_actions([_rng.permutation(5) for _ in range(5)])]


def _violation(actions):
    """Measure how far a layer is from following what is done to its points."""
    return lambda f: equivariance_error(lambda s: f(*s, _phi_e, _phi_x, _phi_h), actions, actions, (_h, _x))


def _violation_in_motion(actions):
    return lambda f: equivariance_error(lambda s: f(*s, *_moving[3:]), actions, actions, (_h, _x, _v))


def _apart(found, expected):
    return max(distance(one, other) for one, other in zip(found, expected, strict=True))


def _looped(h, x, phi_e, phi_x, phi_h, mask=None, edge_features=None):
    """Follow equations 3 to 6 with loops over points, and with torch for what the functions compute."""
    new_h, new_x = [], []
    for i in range(len(h)):
        total, moved = np.zeros(4), np.zeros(3)
        heard = [j for j in range(len(h)) if j != i and (mask is None or mask[i, j])]
        for j in heard:
            edge = [] if edge_features is None else edge_features[i, j]
            m = _torch_mlp(phi_e, [*h[i], *h[j], math.dist(x[i], x[j]) ** 2, *edge])
            total = total + m
            moved = moved + (x[i] - x[j]) * _torch_mlp(phi_x, m)
        new_h.append(_torch_mlp(phi_h, [*h[i], *total]))
        new_x.append(x[i] + moved / max(1, len(heard)))
    return np.stack(new_h), np.stack(new_x)


def _looped_in_motion(h, x, v, phi_e, phi_x, phi_h, phi_v):
    new_h, moved = _looped(h, x, phi_e, phi_x, phi_h)
    new_v = np.stack([_torch_mlp(phi_v, h_i) * v_i for h_i, v_i in zip(h, v, strict=True)]) + moved - x
    return new_h, x + new_v, new_v


def _torch_mlp(phi, x):
    import torch

    w_1, b_1, w_2, b_2 = (torch.tensor(np.array(w)) for w in phi.weights)
    x = torch.tensor(np.array(x))
    return (torch.nn.functional.silu(x @ w_1 + b_1) @ w_2 + b_2).numpy()


def _written_out(squared=None, self_heard=False):
    """Build a layer step by step, with other distances or with messages from oneself."""

    def layer(h, x, phi_e, phi_x, phi_h, mask=None, edge_features=None):
        n = len(h)
        heard = np.ones((n, n), bool) if mask is None else mask
        heard = heard | np.eye(n, dtype=bool) if self_heard else heard & ~np.eye(n, dtype=bool)
        measured = ((x[:, None] - x) ** 2).sum(-1) if squared is None else squared(x)
        parts = [np.repeat(h[:, None], n, 1), np.repeat(h[None], n, 0), measured[..., None]]
        m = phi_e(np.concatenate(parts if edge_features is None else [*parts, edge_features], -1)) * heard[..., None]
        return phi_h(np.concatenate([h, m.sum(1)], -1)), x + displacements(x, m, phi_x, mask)

    return layer


def distance_not_squared(*arguments):
    """Take the root of the squared distance."""
    return _written_out(lambda x: np.linalg.norm(x[:, None] - x, axis=-1))(*arguments)


def same_end_twice(*arguments):
    """Subtract the position of one end of an edge from itself."""
    return _written_out(lambda x: np.zeros((len(x), len(x))))(*arguments)


def squares_multiplied_out(*arguments):
    """Compute squared distances from products of positions."""
    return _written_out(lambda x: (x**2).sum(-1)[:, None] + (x**2).sum(-1) - 2 * x @ x.T)(*arguments)


def coordinates_shown(*arguments):
    """Show coordinates to the functions, as a plain graph network does."""
    return _written_out(lambda x: (x[:, None] - x)[..., 0])(*arguments)


def own_message_heard(*arguments):
    """Let the sum of messages run over j = i too."""
    return _written_out(self_heard=True)(*arguments)


def direction_reversed(h, x, *rest):
    """Subtract x_i from x_j."""
    new_h, new_x = egnn_layer(h, x, *rest)
    return new_h, 2 * x - new_x


def lines_not_averaged(h, x, phi_e, phi_x, phi_h, mask=None, edge_features=None):
    """Leave out the division by the number of points that are heard."""
    m = messages(h, x, phi_e, mask, edge_features)
    heard = np.ones((len(h), len(h)), bool) if mask is None else mask
    n_heard = (heard & ~np.eye(len(h), dtype=bool)).sum(-1, keepdims=True)
    return phi_h(np.concatenate([h, m.sum(1)], -1)), x + displacements(x, m, phi_x, mask) * n_heard


def mask_ignored(h, x, phi_e, phi_x, phi_h, mask=None, edge_features=None):
    """Let all hear all."""
    return egnn_layer(h, x, phi_e, phi_x, phi_h, None, edge_features)


def velocity_not_weighted(h, x, v, phi_e, phi_x, phi_h, phi_v):
    """Keep all of the velocity."""
    return egnn_velocity_layer(h, x, v, phi_e, phi_x, phi_h, lambda h: np.ones((len(h), 1)))


def old_velocity_used(h, x, v, *rest):
    """Go on with the velocity from before the layer."""
    new_h, _, new_v = egnn_velocity_layer(h, x, v, *rest)
    return new_h, x + v, new_v


def moved_twice(h, x, v, *rest):
    """Add the displacement to positions as well as to velocities."""
    new_h, moved = egnn_layer(h, x, *rest[:3])
    _, _, new_v = egnn_velocity_layer(h, x, v, *rest)
    return new_h, moved + new_v, new_v


CHECKS = (
    Checks(
        egnn_layer,
        probes=(_points, _graph, (_h, 1e7 * _x, *_points[2:]), (_h, _x + 1e5, *_points[2:])),
        claims=(
            Claim("points turned, mirrored and moved", _violation(_EUCLIDEAN), 1e-12, _LAST_BITS),
            Claim("points in another order", _violation(_RENAMINGS), 1e-12, _LAST_BITS),
            Claim(
                "a hundred thousand units away nothing changes but rounding",
                lambda f: _apart(
                    [y - 1e5 * k for k, y in enumerate(f(_h, _x + 1e5, *_points[2:]))], egnn_layer(*_points)
                ),
                1e-9,
                "positions around 1e5 are rounded to 1e-11",
                edge=True,
            ),
            Claim(
                "a single point, which hears nobody, stays",
                lambda f: distance(f(_h[:1], _x[:1], *_points[2:])[1], _x[:1]),
            ),
            Claim(
                "loops over points, with torch's silu",
                lambda f: _apart(f(*_points), _looped(*_points)),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
            Claim(
                "loops over the edges of a graph, with features of edges",
                lambda f: _apart(f(*_graph), _looped(*_graph)),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                distance_not_squared,
                "Gradients are nan where two points coincide, because a root has none at 0",
                "hand the squared distance to phi_e",
                "DGL, issue 7271 (2024)",
            ),
            Mistake(
                same_end_twice,
                "Features never notice where the points are",
                "subtract x_j from x_i, not x_i from itself",
                "ED2Mol, issue 5 (2025)",
            ),
            Mistake(
                squares_multiplied_out,
                "Far from the origin distances lose their digits, and some squares are negative",
                "subtract positions first, and square the differences",
            ),
            Mistake(
                coordinates_shown,
                "Turned points give other features and do not move in the turned direction",
                "show lengths to the functions, never coordinates",
            ),
            Mistake(
                own_message_heard, "A single point tells itself something", "leave j = i out of the sum of messages"
            ),
            Mistake(direction_reversed, "Points approach where they should part", "multiply x_i - x_j, not x_j - x_i"),
            Mistake(
                lines_not_averaged,
                "Displacements grow with the number of points, and layers drive them ever further apart",
                "divide the sum of lines by how many are heard",
                "egnn-pytorch, issue 7 (2021)",
            ),
            Mistake(mask_ignored, "Points hear others to whom no edge leads", "leave out what the mask hides"),
        ),
    ),
    Checks(
        egnn_velocity_layer,
        probes=(_moving,),
        claims=(
            Claim("points turned, mirrored and moved", _violation_in_motion(_EUCLIDEAN), 1e-12, _LAST_BITS),
            Claim("points in another order", _violation_in_motion(_RENAMINGS), 1e-12, _LAST_BITS),
            Claim(
                "at rest it is egnn_layer",
                lambda f: _apart(f(_h, _x, 0 * _v, *_moving[3:])[:2], egnn_layer(*_points)),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "loops over points, with torch's silu",
                lambda f: _apart(f(*_moving), _looped_in_motion(*_moving)),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(velocity_not_weighted, "Points never brake", "multiply the old velocity by phi_v of the features"),
            Mistake(
                old_velocity_used,
                "Positions ignore what was heard: a layer at rest does not move its points",
                "add the new velocity to the positions",
            ),
            Mistake(moved_twice, "Displacements count twice", "add the displacement to the velocity only"),
        ),
    ),
)
