"""E(n)-equivariant graph networks: layers that turn and move with the points that they are given."""

from functools import partial

import numpy as np
from array_api_compat import array_namespace, device

from mlnotes.arrays import (
    beside,
    or_one,
    require_entries,
    require_floats,
    require_integers,
    require_mask,
    require_same_size,
    widen_half,
)

# Positions in float32 are not rounded to features in half precision.
_widen_half = partial(widen_half, results=("h", "x", "v"))


@_widen_half
def egnn_layer(h, x, phi_e, phi_x, phi_h, mask=None, edge_features=None):
    """Let every point hear the others, move along the lines to them, and renew its features.

    Parameters
    ----------
    h : array (..., n, k)
        Features of n points, which turning or moving all of them does not change.
    x : array (..., n, d)
        Positions of the points.
    phi_e : callable
        Makes a message, (..., n, n, c), of what two points know: h_i, h_j, the square of their distance and the
        features of their edge, side by side in (..., n, n, 2k + 1 + e).
    phi_x : callable
        Makes one number, (..., n, n, 1), of a message: how far i moves away from j, in multiples of their distance.
    phi_h : callable
        Makes new features of h_i and the sum of the messages, side by side in (..., n, k + c).
    mask : boolean array (n, n) or (..., n, n), optional
        True where point i hears point j, as `edge_mask` makes it of a list; axes of size 1 broadcast. All hear all
        unless given; none hears itself.
    edge_features : array (..., n, n, e), optional
        What is known of the edge from j to i, in row i and column j.

    Returns
    -------
    array (..., n, ?)
        New features: those of the same points wherever they lie.
    array (..., n, d)
        New positions, which turn and move with the old ones. A point that hears nobody stays.

    Raises
    ------
    ValueError
        If there are not as many features as positions, an array holds no floats or no point, the mask is not boolean
        or does not fit, the edge features do not fit, or ``phi_e`` or ``phi_x`` gives another shape than it should.

    Notes
    -----
    .. math::

        \\mathbf m_{ij} &= \\phi_e(\\mathbf h_i, \\mathbf h_j, \\lVert\\mathbf x_i-\\mathbf x_j\\rVert^2,
        \\mathbf a_{ij}) \\\\
        \\mathbf x_i' &= \\mathbf x_i + \\frac1{|N(i)|}\\sum_{j\\in N(i)}(\\mathbf x_i-\\mathbf x_j)\\,
        \\phi_x(\\mathbf m_{ij}) \\\\
        \\mathbf m_i &= \\sum_{j\\in N(i)}\\mathbf m_{ij} \\\\
        \\mathbf h_i' &= \\phi_h(\\mathbf h_i, \\mathbf m_i)

    Positions enter by differences only, which no translation changes, and functions see of those only the lengths,
    which no rotation and no reflection changes. Squares of lengths have a gradient also where two points coincide.

    Half precision is computed in float32, which the functions are given too: in float16 the square of a distance of
    256 would be infinite.

    References
    ----------
    Satorras, Hoogeboom and Welling, *E(n) Equivariant Graph Neural Networks*, 2021, equations 3 to 6.
    """
    m = messages(h, x, phi_e, mask, edge_features)  # equation 3
    x = x + displacements(x, m, phi_x, mask)  # equation 4
    m_i = array_namespace(m).sum(m, axis=-2)  # equation 5
    return phi_h(_side_by_side(h, m_i)), x  # equation 6


@_widen_half
def egnn_velocity_layer(h, x, v, phi_e, phi_x, phi_h, phi_v, mask=None, edge_features=None):
    """Let points that move hear the others, change their velocities, and go on.

    Parameters
    ----------
    h, x
        As in `egnn_layer`.
    v : array (..., n, d)
        Velocities of the points, in lengths by layer. The paper gives each layer the initial ones.
    phi_e, phi_x, phi_h
        As in `egnn_layer`.
    phi_v : callable
        Makes one number, (..., n, 1), of a point's features: what is kept of its velocity.
    mask, edge_features
        As in `egnn_layer`.

    Returns
    -------
    array (..., n, ?)
        New features.
    array (..., n, d)
        New positions, which turn and move with the old ones if the velocities turn.
    array (..., n, d)
        New velocities, which turn with the old ones.

    Raises
    ------
    ValueError
        If velocities and positions have different shapes, ``phi_v`` gives another shape than it should, or for what
        `egnn_layer` refuses.

    Notes
    -----
    .. math::

        \\mathbf v_i' &= \\phi_v(\\mathbf h_i)\\,\\mathbf v_i
        + \\frac1{|N(i)|}\\sum_{j\\in N(i)}(\\mathbf x_i-\\mathbf x_j)\\,\\phi_x(\\mathbf m_{ij}) \\\\
        \\mathbf x_i' &= \\mathbf x_i + \\mathbf v_i'

    References
    ----------
    Satorras, Hoogeboom and Welling, *E(n) Equivariant Graph Neural Networks*, 2021, equation 7.
    """
    require_floats(x=x, v=v)
    if tuple(v.shape) != tuple(x.shape):
        raise ValueError(f"v and x must have the same shape, got {tuple(v.shape)} and {tuple(x.shape)}")
    m = messages(h, x, phi_e, mask, edge_features)
    kept = phi_v(h)
    _require_shape("phi_v", kept, (*h.shape[:-1], 1))
    v = kept * v + displacements(x, m, phi_x, mask)  # equation 7
    m_i = array_namespace(m).sum(m, axis=-2)
    return phi_h(_side_by_side(h, m_i)), x + v, v


@_widen_half
def graph_layer(h, x, phi_e, phi_x, phi_h, mask=None, edge_features=None):
    """Do what `egnn_layer` does with functions that see and give coordinates: a plain graph network.

    Parameters
    ----------
    h, x
        As in `egnn_layer`.
    phi_e : callable
        Makes a message, (..., n, n, c), of what two points know: h_i, h_j, all d coordinates of x_i - x_j and the
        features of their edge, side by side in (..., n, n, 2k + d + e).
    phi_x : callable
        Makes d numbers, (..., n, n, d), of a message: by how much i moves because of j.
    phi_h, mask, edge_features
        As in `egnn_layer`.

    Returns
    -------
    array (..., n, ?)
        New features.
    array (..., n, d)
        New positions, which move with the old ones but do not turn with them. A point that hears nobody stays.

    Raises
    ------
    ValueError
        As in `egnn_layer`.

    Notes
    -----
    .. math::

        \\mathbf m_{ij} &= \\phi_e(\\mathbf h_i, \\mathbf h_j, \\mathbf x_i-\\mathbf x_j, \\mathbf a_{ij}) \\\\
        \\mathbf x_i' &= \\mathbf x_i + \\frac1{|N(i)|}\\sum_{j\\in N(i)}\\phi_x(\\mathbf m_{ij})

    and the rest as in `egnn_layer`, which is compared with it.
    """
    _require_points(h, x, mask, edge_features)
    xp = array_namespace(h, x)
    heard, difference = _pairs(x, mask)
    known = [h[..., :, None, :], h[..., None, :, :], difference]
    known = _side_by_side(*known, *([] if edge_features is None else [edge_features]))
    m = phi_e(known)
    _require_shape("phi_e", m, (*known.shape[:-1], m.shape[-1]))
    m = xp.where(heard[..., None], m, 0.0)
    moves = phi_x(m)
    _require_shape("phi_x", moves, (*m.shape[:-1], x.shape[-1]))
    moves = xp.sum(xp.where(heard[..., None], moves, 0.0), axis=-2)
    n_heard = xp.sum(xp.astype(heard, x.dtype), axis=-1)[..., None]
    return phi_h(_side_by_side(h, xp.sum(m, axis=-2))), x + moves / or_one(n_heard)


@widen_half
def messages(h, x, phi_e, mask=None, edge_features=None):
    """Tell every point what it hears from every other.

    Parameters
    ----------
    h, x, phi_e, mask, edge_features
        As in `egnn_layer`.

    Returns
    -------
    array (..., n, n, c)
        Row i, column j: the message from j to i; zeros where i does not hear j.

    Raises
    ------
    ValueError
        As in `egnn_layer`.
    """
    _require_points(h, x, mask, edge_features)
    xp = array_namespace(h, x)
    heard, difference = _pairs(x, mask)
    known = [h[..., :, None, :], h[..., None, :, :], xp.sum(difference**2, axis=-1, keepdims=True)]
    known = _side_by_side(*known, *([] if edge_features is None else [edge_features]))
    m = phi_e(known)
    _require_shape("phi_e", m, (*known.shape[:-1], m.shape[-1]))
    return xp.where(heard[..., None], m, 0.0)


@widen_half
def displacements(x, m, phi_x, mask=None):
    """Average the lines from the others to each point, weighted by what their messages say.

    Parameters
    ----------
    x : array (..., n, d)
        Positions of the points.
    m : array (..., n, n, c)
        What they hear, from `messages`.
    phi_x, mask
        As in `egnn_layer`.

    Returns
    -------
    array (..., n, d)
        How far each point moves; zeros for one that hears nobody.

    Raises
    ------
    ValueError
        If ``m`` has not one message for each pair of points, or for what `egnn_layer` refuses.
    """
    require_floats(x=x, m=m)
    require_same_size(-2, x=x)
    require_mask((*x.shape[:-1], x.shape[-2]), mask)
    _require_pairs(x.shape[-2], m=m)
    xp = array_namespace(x, m)
    heard, difference = _pairs(x, mask)
    weights = phi_x(m)
    _require_shape("phi_x", weights, (*m.shape[:-1], 1))  # of width d, they would not turn with the points
    # A weight may be infinite where there is no message.
    weights = xp.where(heard[..., None], weights, 0.0)
    n_heard = xp.sum(xp.astype(heard, x.dtype), axis=-1)[..., None]
    return xp.sum(difference * weights, axis=-2) / or_one(n_heard)


def edge_mask(edges, n):
    """Make a mask of a list of edges.

    Parameters
    ----------
    edges : integer array (n_edges, 2)
        In each row i and j, from 0 to n - 1: point i hears point j. For both directions list both.
        Where there are none: ``np.empty((0, 2), int)``.
    n : int
        How many points there are.

    Returns
    -------
    boolean array (n, n)
        True in row i and column j.

    Raises
    ------
    ValueError
        If ``edges`` has another shape, holds no integers or a number that is not a point, if an edge leads from a point
        to itself or is listed twice, or if ``n`` is no integer or negative.
    """
    edges = _edges(edges, n)
    mask = np.zeros((n, n), bool)
    mask[tuple(edges.T)] = True
    return mask


def _pairs(x, mask):
    """Tell who hears whom, and subtract all positions from each: zeros where they are not heard, however far away."""
    xp = array_namespace(x)
    heard = ~xp.eye(x.shape[-2], dtype=xp.bool, device=device(x))
    if mask is not None:
        heard = heard & beside(mask, x)
    difference = x[..., :, None, :] - x[..., None, :, :]
    return heard, xp.where(heard[..., None], difference, 0.0)


def _side_by_side(*arrays):
    """Join arrays along the last axis, after the axes before it were broadcast."""
    xp = array_namespace(*arrays)
    shape = np.broadcast_shapes(*(tuple(a.shape[:-1]) for a in arrays))
    return xp.concat([xp.broadcast_to(a, (*shape, a.shape[-1])) for a in arrays], axis=-1)


def _require_shape(name, result, shape):
    if tuple(result.shape) != tuple(shape):
        raise ValueError(f"{name} must give an array of shape {tuple(shape)}, got {tuple(result.shape)}")


def _require_points(h, x, mask, edge_features):
    require_floats(h=h, x=x)
    require_same_size(-2, h=h, x=x)
    require_entries(-2, x=x)
    n = x.shape[-2]
    require_mask((*x.shape[:-1], n), mask)
    if edge_features is not None:
        require_floats(edge_features=edge_features)
        _require_pairs(n, edge_features=edge_features)


def _require_pairs(n, **tables):
    for name, table in tables.items():
        if tuple(table.shape[-3:-1]) != (n, n):
            rule = f"{name} must have shape (..., {n}, {n}, ?) for {n} points"
            raise ValueError(f"{rule}, got {tuple(table.shape)}")


def _edges(edges, n):
    require_integers(0, n=n)
    edges = np.asarray(edges)
    if edges.ndim != 2 or edges.shape[1] != 2 or edges.dtype.kind not in "iu":
        raise ValueError(f"edges must be pairs of integers, (n_edges, 2), got {edges.dtype} of shape {edges.shape}")
    for i, j in edges.tolist():
        if i == j or not (0 <= i < n and 0 <= j < n):
            raise ValueError(f"an edge must join two different points from 0 to {n - 1}, got {i} and {j}")
    if len({*map(tuple, edges.tolist())}) < len(edges):
        raise ValueError(f"edges must be listed once each, got {edges.tolist()}")
    return edges
