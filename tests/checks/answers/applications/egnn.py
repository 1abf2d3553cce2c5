"""The equivariant layer, as readers write it."""

import numpy as np
import scipy.linalg


def right_egnn_layer__loops(h, x, phi_e, phi_x, phi_h, mask=None, edge_features=None):
    n = len(h)
    new_h, new_x = [], []
    for i in range(n):
        others = [j for j in range(n) if j != i and (mask is None or mask[i, j])]
        heard, moved = 0, np.zeros(x.shape[1])
        # One more than is needed, so that the width of a message is known where there is none.
        known = [h[i], h[i], np.zeros(1)] + ([] if edge_features is None else [edge_features[i, i]])
        heard = 0 * phi_e(np.concatenate(known))
        for j in others:
            d = x[i] - x[j]
            known = [h[i], h[j], [d @ d]] + ([] if edge_features is None else [edge_features[i, j]])
            m = phi_e(np.concatenate(known))
            heard = heard + m
            moved = moved + d * phi_x(m)
        new_h.append(phi_h(np.concatenate([h[i], heard])))
        new_x.append(x[i] + moved / max(1, len(others)))
    return np.array(new_h), np.array(new_x)


def right_egnn_layer__arrays(h, x, phi_e, phi_x, phi_h, mask=None, edge_features=None):
    n = len(h)
    heard = ~np.eye(n, dtype=bool) & (True if mask is None else mask)
    lines = x[:, None] - x[None]
    known = [np.repeat(h[:, None], n, 1), np.repeat(h[None], n, 0), (lines**2).sum(-1)[..., None]]
    known += [] if edge_features is None else [edge_features]
    m = phi_e(np.concatenate(known, -1)) * heard[..., None]
    moves = (lines * phi_x(m) * heard[..., None]).sum(1)
    count = np.maximum(heard.sum(1), 1)[:, None]
    return phi_h(np.concatenate([h, m.sum(1)], -1)), x + moves / count


def right_egnn_layer__einsum(h, x, phi_e, phi_x, phi_h, mask=None, edge_features=None):
    n, k = h.shape
    a = np.ones((n, n)) if mask is None else mask.astype(float)
    a = a * (1 - np.eye(n))
    lines = x[:, None, :] - x[None, :, :]
    squares = np.einsum("ijd,ijd->ij", lines, lines)
    known = np.zeros((n, n, 2 * k + 1 + (0 if edge_features is None else edge_features.shape[-1])))
    known[..., :k] = h[:, None]
    known[..., k : 2 * k] = h
    known[..., 2 * k] = squares
    if edge_features is not None:
        known[..., 2 * k + 1 :] = edge_features
    m = phi_e(known)
    new_x = x + np.einsum("ij,ijd,ijo->id", a, lines, phi_x(m)) / np.maximum(a.sum(1, keepdims=True), 1)
    return phi_h(np.hstack([h, np.einsum("ij,ijc->ic", a, m)])), new_x


def wrong_egnn_layer__ends_exchanged(h, x, phi_e, phi_x, phi_h, mask=None, edge_features=None):
    """phi_e is handed h_j first"""
    n = len(h)
    heard = ~np.eye(n, dtype=bool) & (True if mask is None else mask)
    lines = x[:, None] - x[None]
    known = [np.repeat(h[None], n, 0), np.repeat(h[:, None], n, 1), (lines**2).sum(-1)[..., None]]
    known += [] if edge_features is None else [edge_features]
    m = phi_e(np.concatenate(known, -1)) * heard[..., None]
    moves = (lines * phi_x(m) * heard[..., None]).sum(1)
    count = np.maximum(heard.sum(1), 1)[:, None]
    return phi_h(np.concatenate([h, m.sum(1)], -1)), x + moves / count


def wrong_egnn_layer__sent_instead_of_heard(h, x, phi_e, phi_x, phi_h, mask=None, edge_features=None):
    """A point's features come of what it says"""
    n = len(h)
    heard = ~np.eye(n, dtype=bool) & (True if mask is None else mask)
    lines = x[:, None] - x[None]
    known = [np.repeat(h[:, None], n, 1), np.repeat(h[None], n, 0), (lines**2).sum(-1)[..., None]]
    known += [] if edge_features is None else [edge_features]
    m = phi_e(np.concatenate(known, -1)) * heard[..., None]
    moves = (lines * phi_x(m) * heard[..., None]).sum(1)
    count = np.maximum(heard.sum(1), 1)[:, None]
    return phi_h(np.concatenate([h, m.sum(0)], -1)), x + moves / count


def wrong_egnn_layer__messages_averaged(h, x, phi_e, phi_x, phi_h, mask=None, edge_features=None):
    """Messages weigh less the more there are"""
    n = len(h)
    heard = ~np.eye(n, dtype=bool) & (True if mask is None else mask)
    lines = x[:, None] - x[None]
    known = [np.repeat(h[:, None], n, 1), np.repeat(h[None], n, 0), (lines**2).sum(-1)[..., None]]
    known += [] if edge_features is None else [edge_features]
    m = phi_e(np.concatenate(known, -1)) * heard[..., None]
    moves = (lines * phi_x(m) * heard[..., None]).sum(1)
    count = np.maximum(heard.sum(1), 1)[:, None]
    return phi_h(np.concatenate([h, m.mean(1)], -1)), x + moves / count


def wrong_egnn_layer__divided_by_all_others(h, x, phi_e, phi_x, phi_h, mask=None, edge_features=None):
    """divide by how many are heard, not by all others"""
    n = len(h)
    heard = ~np.eye(n, dtype=bool) & (True if mask is None else mask)
    lines = x[:, None] - x[None]
    known = [np.repeat(h[:, None], n, 1), np.repeat(h[None], n, 0), (lines**2).sum(-1)[..., None]]
    known += [] if edge_features is None else [edge_features]
    m = phi_e(np.concatenate(known, -1)) * heard[..., None]
    moves = (lines * phi_x(m) * heard[..., None]).sum(1)
    count = max(n - 1, 1)
    return phi_h(np.concatenate([h, m.sum(1)], -1)), x + moves / count


def wrong_egnn_layer__divided_by_n(h, x, phi_e, phi_x, phi_h, mask=None, edge_features=None):
    """each point is counted as its own neighbour"""
    n = len(h)
    heard = ~np.eye(n, dtype=bool) & (True if mask is None else mask)
    lines = x[:, None] - x[None]
    known = [np.repeat(h[:, None], n, 1), np.repeat(h[None], n, 0), (lines**2).sum(-1)[..., None]]
    known += [] if edge_features is None else [edge_features]
    m = phi_e(np.concatenate(known, -1)) * heard[..., None]
    moves = (lines * phi_x(m) * heard[..., None]).mean(1)
    return phi_h(np.concatenate([h, m.sum(1)], -1)), x + moves


def wrong_egnn_layer__replaced(h, x, phi_e, phi_x, phi_h, mask=None, edge_features=None):
    """add the displacements to the positions"""
    n = len(h)
    heard = ~np.eye(n, dtype=bool) & (True if mask is None else mask)
    lines = x[:, None] - x[None]
    known = [np.repeat(h[:, None], n, 1), np.repeat(h[None], n, 0), (lines**2).sum(-1)[..., None]]
    known += [] if edge_features is None else [edge_features]
    m = phi_e(np.concatenate(known, -1)) * heard[..., None]
    moves = (lines * phi_x(m) * heard[..., None]).sum(1)
    count = np.maximum(heard.sum(1), 1)[:, None]
    return phi_h(np.concatenate([h, m.sum(1)], -1)), moves / count


def wrong_egnn_layer__lines_not_masked(h, x, phi_e, phi_x, phi_h, mask=None, edge_features=None):
    """Points move along lines to those whom they do not hear"""
    n = len(h)
    heard = ~np.eye(n, dtype=bool) & (True if mask is None else mask)
    lines = x[:, None] - x[None]
    known = [np.repeat(h[:, None], n, 1), np.repeat(h[None], n, 0), (lines**2).sum(-1)[..., None]]
    known += [] if edge_features is None else [edge_features]
    m = phi_e(np.concatenate(known, -1))
    moves = (lines * phi_x(m)).sum(1)
    count = np.maximum(heard.sum(1), 1)[:, None]
    return phi_h(np.concatenate([h, (m * heard[..., None]).sum(1)], -1)), x + moves / count


def wrong_egnn_layer__mask_transposed(h, x, phi_e, phi_x, phi_h, mask=None, edge_features=None):
    """Who is heard and who hears are exchanged"""
    n = len(h)
    heard = ~np.eye(n, dtype=bool) & (True if mask is None else mask.T)
    lines = x[:, None] - x[None]
    known = [np.repeat(h[:, None], n, 1), np.repeat(h[None], n, 0), (lines**2).sum(-1)[..., None]]
    known += [] if edge_features is None else [edge_features]
    m = phi_e(np.concatenate(known, -1)) * heard[..., None]
    moves = (lines * phi_x(m) * heard[..., None]).sum(1)
    count = np.maximum(heard.sum(1), 1)[:, None]
    return phi_h(np.concatenate([h, m.sum(1)], -1)), x + moves / count


def wrong_egnn_layer__edges_ignored(h, x, phi_e, phi_x, phi_h, mask=None, edge_features=None):
    """`edge_features` makes no difference"""
    n = len(h)
    heard = ~np.eye(n, dtype=bool) & (True if mask is None else mask)
    lines = x[:, None] - x[None]
    known = [np.repeat(h[:, None], n, 1), np.repeat(h[None], n, 0), (lines**2).sum(-1)[..., None]]
    m = phi_e(np.concatenate(known, -1)) * heard[..., None]
    moves = (lines * phi_x(m) * heard[..., None]).sum(1)
    count = np.maximum(heard.sum(1), 1)[:, None]
    return phi_h(np.concatenate([h, m.sum(1)], -1)), x + moves / count


def wrong_egnn_layer__divided_by_zero(h, x, phi_e, phi_x, phi_h, mask=None, edge_features=None):
    """A point that hears nobody gets nan"""
    n = len(h)
    heard = ~np.eye(n, dtype=bool) & (True if mask is None else mask)
    lines = x[:, None] - x[None]
    known = [np.repeat(h[:, None], n, 1), np.repeat(h[None], n, 0), (lines**2).sum(-1)[..., None]]
    known += [] if edge_features is None else [edge_features]
    m = phi_e(np.concatenate(known, -1)) * heard[..., None]
    moves = (lines * phi_x(m) * heard[..., None]).sum(1) / heard.sum(1)[:, None]
    return phi_h(np.concatenate([h, m.sum(1)], -1)), x + moves


def wrong_egnn_layer__old_features_lost(h, x, phi_e, phi_x, phi_h, mask=None, edge_features=None):
    """phi_h is handed the messages alone"""
    n = len(h)
    heard = ~np.eye(n, dtype=bool) & (True if mask is None else mask)
    lines = x[:, None] - x[None]
    known = [np.repeat(h[:, None], n, 1), np.repeat(h[None], n, 0), (lines**2).sum(-1)[..., None]]
    known += [] if edge_features is None else [edge_features]
    m = phi_e(np.concatenate(known, -1)) * heard[..., None]
    moves = (lines * phi_x(m) * heard[..., None]).sum(1)
    count = np.maximum(heard.sum(1), 1)[:, None]
    return phi_h(m.sum(1)), x + moves / count


def wrong_egnn_layer__added_on_top(h, x, phi_e, phi_x, phi_h, mask=None, edge_features=None):
    """Line 11"""
    n = len(h)
    heard = ~np.eye(n, dtype=bool) & (True if mask is None else mask)
    lines = x[:, None] - x[None]
    known = [np.repeat(h[:, None], n, 1), np.repeat(h[None], n, 0), (lines**2).sum(-1)[..., None]]
    known += [] if edge_features is None else [edge_features]
    m = phi_e(np.concatenate(known, -1)) * heard[..., None]
    moves = (lines * phi_x(m) * heard[..., None]).sum(1)
    count = np.maximum(heard.sum(1), 1)[:, None]
    return h + phi_h(np.concatenate([h, m.sum(1)], -1)), x + moves / count


def right_gram_of_squares__entry_by_entry(squares):
    n = len(squares)
    rows = [sum(row) / n for row in squares]
    mean = sum(rows) / n
    return np.array([[(rows[i] + rows[j] - squares[i, j] - mean) / 2 for j in range(n)] for i in range(n)])


def right_gram_of_squares__from_the_first_point(squares):
    gram = (squares[:1] + squares[:, :1] - squares) / 2
    gram = gram - gram.mean(axis=0)
    return gram - gram.mean(axis=1, keepdims=True)


def right_gram_of_squares__means(squares):
    columns = squares.mean(axis=0, keepdims=True)
    return (columns + columns.T - squares - squares.mean()) / 2


def wrong_gram_of_squares__from_the_first_point(squares):
    """The origin is the first point: all its dot products are 0"""
    return (squares[:1] + squares[:, :1] - squares) / 2


def wrong_gram_of_squares__mean_taken_away_too_often(squares):
    """The mean of all squares is taken away twice"""
    columns = squares.mean(axis=0, keepdims=True)
    return (columns + columns.T - squares) / 2


def wrong_gram_of_squares__half_forgotten(squares):
    """The result is twice the right one."""
    columns = squares.mean(axis=0, keepdims=True)
    return columns + columns.T - squares - squares.mean()


def wrong_gram_of_squares__mean_of_rows_only(squares):
    return (squares.mean(axis=1, keepdims=True) - squares) / 2


def wrong_gram_of_squares__distances_centred(squares):
    """use the squares as they come"""
    n = len(squares)
    j = np.eye(n) - np.ones((n, n)) / n
    return -j @ np.sqrt(squares) @ j / 2


def wrong_gram_of_squares__ones_not_divided(squares):
    """It takes sums away, not means"""
    n = len(squares)
    j = np.eye(n) - np.ones((n, n))
    return -j @ squares @ j / 2


def right_signed_volume__triple_product(x):
    a, b, c = x[1] - x[0], x[2] - x[0], x[3] - x[0]
    return np.cross(a, b) @ c / 6


def right_signed_volume__with_ones(x):
    return -np.linalg.det(np.hstack([x, np.ones((4, 1))])) / 6


def right_signed_volume__written_out(x):
    (a, b, c), (d, e, f), (g, h, i) = (x[1:] - x[0]).tolist()
    return (a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)) / 6


def wrong_signed_volume__edges_in_a_row(x):
    """Line 3"""
    return np.linalg.det(np.array([x[1] - x[0], x[2] - x[1], x[0] - x[2]])) / 6


def wrong_signed_volume__without_sign(x):
    """keep the sign of the determinant"""
    return abs(np.linalg.det(x[1:] - x[0])) / 6


def wrong_signed_volume__a_third(x):
    """The result is twice the right one."""
    return np.linalg.det(x[1:] - x[0]) / 3


def wrong_signed_volume__from_the_mean(x):
    """take the edges from one corner"""
    return np.linalg.det(x[1:] - x.mean(axis=0)) / 6


def wrong_signed_volume__area_times_edge(x):
    """in a dot product"""
    a, b, c = x[1] - x[0], x[2] - x[0], x[3] - x[0]
    return np.linalg.norm(np.cross(a, b)) * np.linalg.norm(c) / 6


def wrong_signed_volume__one_edge_from_another_corner(x):
    """The result has the opposite sign."""
    a, b, c = x[1] - x[0], x[2] - x[1], x[3] - x[2]
    return np.cross(b, a) @ c / 6


def wrong_egnn_layer__unit_lines(h, x, phi_e, phi_x, phi_h, mask=None, edge_features=None):
    """Line 10"""
    n = len(h)
    heard = ~np.eye(n, dtype=bool) & (True if mask is None else mask)
    lines = x[:, None] - x[None]
    d = np.sqrt((lines**2).sum(-1))[..., None]
    known = [np.repeat(h[:, None], n, 1), np.repeat(h[None], n, 0), d**2]
    known += [] if edge_features is None else [edge_features]
    m = phi_e(np.concatenate(known, -1)) * heard[..., None]
    moves = (lines / (d + 1) * phi_x(m) * heard[..., None]).sum(1)
    count = np.maximum(heard.sum(1), 1)[:, None]
    return phi_h(np.concatenate([h, m.sum(1)], -1)), x + moves / count


def wrong_egnn_layer__square_of_the_square(h, x, phi_e, phi_x, phi_h, mask=None, edge_features=None):
    """Line 6"""
    n = len(h)
    heard = ~np.eye(n, dtype=bool) & (True if mask is None else mask)
    lines = x[:, None] - x[None]
    known = [np.repeat(h[:, None], n, 1), np.repeat(h[None], n, 0), (lines**2).sum(-1)[..., None] ** 2]
    known += [] if edge_features is None else [edge_features]
    m = phi_e(np.concatenate(known, -1)) * heard[..., None]
    moves = (lines * phi_x(m) * heard[..., None]).sum(1)
    count = np.maximum(heard.sum(1), 1)[:, None]
    return phi_h(np.concatenate([h, m.sum(1)], -1)), x + moves / count


def wrong_egnn_layer__largest_message(h, x, phi_e, phi_x, phi_h, mask=None, edge_features=None):
    """only the largest is heard"""
    n = len(h)
    heard = ~np.eye(n, dtype=bool) & (True if mask is None else mask)
    lines = x[:, None] - x[None]
    known = [np.repeat(h[:, None], n, 1), np.repeat(h[None], n, 0), (lines**2).sum(-1)[..., None]]
    known += [] if edge_features is None else [edge_features]
    m = phi_e(np.concatenate(known, -1)) * heard[..., None]
    moves = (lines * phi_x(m) * heard[..., None]).sum(1)
    count = np.maximum(heard.sum(1), 1)[:, None]
    return phi_h(np.concatenate([h, m.max(1)], -1)), x + moves / count


def wrong_egnn_layer__messages_before_features(h, x, phi_e, phi_x, phi_h, mask=None, edge_features=None):
    """phi_h is handed the messages first"""
    n = len(h)
    heard = ~np.eye(n, dtype=bool) & (True if mask is None else mask)
    lines = x[:, None] - x[None]
    known = [np.repeat(h[:, None], n, 1), np.repeat(h[None], n, 0), (lines**2).sum(-1)[..., None]]
    known += [] if edge_features is None else [edge_features]
    m = phi_e(np.concatenate(known, -1)) * heard[..., None]
    moves = (lines * phi_x(m) * heard[..., None]).sum(1)
    count = np.maximum(heard.sum(1), 1)[:, None]
    return phi_h(np.concatenate([m.sum(1), h], -1)), x + moves / count


def wrong_egnn_layer__square_counts_own_coordinates(h, x, phi_e, phi_x, phi_h, mask=None, edge_features=None):
    """Line 6"""
    n = len(h)
    heard = ~np.eye(n, dtype=bool) & (True if mask is None else mask)
    lines = x[:, None] - x[None]
    known = [np.repeat(h[:, None], n, 1), np.repeat(h[None], n, 0), (lines**2).mean(-1)[..., None]]
    known += [] if edge_features is None else [edge_features]
    m = phi_e(np.concatenate(known, -1)) * heard[..., None]
    moves = (lines * phi_x(m) * heard[..., None]).sum(1)
    count = np.maximum(heard.sum(1), 1)[:, None]
    return phi_h(np.concatenate([h, m.sum(1)], -1)), x + moves / count


def wrong_egnn_layer__other_axis_summed(h, x, phi_e, phi_x, phi_h, mask=None, edge_features=None):
    """Line 9"""
    n = len(h)
    heard = ~np.eye(n, dtype=bool) & (True if mask is None else mask)
    lines = x[:, None] - x[None]
    known = [np.repeat(h[:, None], n, 1), np.repeat(h[None], n, 0), (lines**2).sum(-1)[..., None]]
    known += [] if edge_features is None else [edge_features]
    m = phi_e(np.concatenate(known, -1)) * heard[..., None]
    moves = (lines * phi_x(m) * heard[..., None]).sum(0)
    count = np.maximum(heard.sum(1), 1)[:, None]
    return phi_h(np.concatenate([h, m.sum(1)], -1)), x + moves / count


def wrong_gram_of_squares__mean_added_twice(squares):
    """Line 3"""
    return -(squares - squares.mean(1, keepdims=True) - squares.mean(0) + 2 * squares.mean()) / 2


def wrong_gram_of_squares__mean_subtracted(squares):
    """Line 3"""
    return -(squares - squares.mean(1, keepdims=True) - squares.mean(0) - squares.mean()) / 2


def wrong_gram_of_squares__rows_twice(squares):
    return -(squares - 2 * squares.mean(1, keepdims=True) + squares.mean()) / 2


def wrong_gram_of_squares__sums_for_means(squares):
    """It takes sums away, not means"""
    return -(squares - squares.sum(1, keepdims=True) - squares.sum(0) + squares.sum()) / 2


def wrong_gram_of_squares__mean_of_all_only(squares):
    return (squares.mean() - squares) / 2


def wrong_gram_of_squares__squared_again(squares):
    """Line 3"""
    s = squares**2
    return -(s - s.mean(1, keepdims=True) - s.mean(0) + s.mean()) / 2


def wrong_signed_volume__three_corners(x):
    """It changes when the points are moved"""
    return np.linalg.det(x[:3]) / 6


def wrong_signed_volume__last_three(x):
    """It changes when the points are moved"""
    return np.linalg.det(x[1:]) / 6


def wrong_signed_volume__sign_alone(x):
    return np.sign(np.linalg.det(x[1:] - x[0]))


def wrong_signed_volume__root_of_gram(x):
    """It is never negative, and for four points in a plane it is the root of a rounding error"""
    e = x[1:] - x[0]
    return np.sqrt(np.linalg.det(e @ e.T)) / 6


def wrong_signed_volume__half(x):
    """three times the right one"""
    return np.linalg.det(x[1:] - x[0]) / 2


def right_egnn_layer__edge_list(h, x, phi_e, phi_x, phi_h, mask=None, edge_features=None):
    n = len(x)
    a = np.ones((n, n), bool) if mask is None else np.array(mask)
    np.fill_diagonal(a, False)
    i, j = np.nonzero(a)
    rel = x[i] - x[j]
    feats = [h[i], h[j], np.sum(rel**2, 1, keepdims=True)]
    if edge_features is not None:
        feats.append(edge_features[i, j])
    m = phi_e(np.concatenate(feats, 1))
    shift = np.zeros_like(x)
    np.add.at(shift, i, rel * phi_x(m))
    total = np.zeros((n, m.shape[1]))
    np.add.at(total, i, m)
    count = np.maximum(np.bincount(i, minlength=n), 1)
    return phi_h(np.concatenate([h, total], 1)), x + shift / count[:, None]


def right_egnn_layer__where(h, x, phi_e, phi_x, phi_h, mask=None, edge_features=None):
    n = x.shape[-2]
    hear = np.logical_not(np.eye(n)) if mask is None else np.logical_and(mask, ~np.eye(n, dtype=bool))
    rel = np.where(hear[..., None], x[..., :, None, :] - x[..., None, :, :], 0)
    hi = np.broadcast_to(h[..., :, None, :], (*rel.shape[:-1], h.shape[-1]))
    hj = np.swapaxes(hi, -2, -3)
    parts = (hi, hj, np.linalg.norm(rel, axis=-1, keepdims=True) ** 2)
    if edge_features is not None:
        parts += (edge_features,)
    m = np.where(hear[..., None], phi_e(np.concatenate(parts, -1)), 0)
    dx = np.sum(rel * phi_x(m), -2)
    k = hear.sum(-1)[..., None]
    dx = np.divide(dx, k, out=np.zeros_like(dx), where=k > 0)
    return phi_h(np.concatenate((h, m.sum(-2)), -1)), x + dx


def right_gram_of_squares__sizes(squares):
    n = len(squares)
    total = squares.sum() / (2 * n * n)
    size = squares.sum(1) / n - total
    out = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            out[i, j] = (size[i] + size[j] - squares[i, j]) / 2
    return out


def right_gram_of_squares__centering_matrix(squares):
    n = squares.shape[0]
    center = np.identity(n) - np.full((n, n), 1 / n)
    return -0.5 * np.linalg.multi_dot([center, squares, center])


def right_signed_volume__other_corner(x):
    return np.linalg.det((x[:3] - x[3])[[0, 2, 1]]) / 6


def right_signed_volume__lu(x):
    p, _, upper = scipy.linalg.lu((x[1:] - x[0]).T)
    return np.linalg.det(p) * np.prod(np.diag(upper)) / 6


def wrong_signed_volume__root_of_the_gram_determinant(x):
    """For four points in a plane it is the root of a rounding error"""
    d = x[1:] - x[0]
    return np.sign(np.linalg.det(d)) * np.sqrt(np.linalg.det(d @ d.T)) / 6


def wrong_signed_volume__base_times_height(x):
    """Line 5"""
    a, b, c = x[1] - x[0], x[2] - x[0], x[3] - x[0]
    normal = np.cross(a, b)
    area = np.linalg.norm(normal) / 2
    return area * (normal / (2 * area) @ c) / 3


def wrong_egnn_layer__hears_itself(h, x, phi_e, phi_x, phi_h, mask=None, edge_features=None):
    """A point hears itself, and is counted as heard"""
    n = len(x)
    heard = np.ones((n, n), bool) if mask is None else mask
    away = x[:, None] - x
    width = (n, n, h.shape[1])
    parts = [np.broadcast_to(h[:, None], width), np.broadcast_to(h, width), (away**2).sum(-1, keepdims=True)]
    if edge_features is not None:
        parts.append(edge_features)
    m = phi_e(np.concatenate(parts, axis=-1)) * heard[..., None]
    move = (away * phi_x(m) * heard[..., None]).sum(axis=1) / np.maximum(heard.sum(axis=1), 1)[:, None]
    return phi_h(np.concatenate([h, m.sum(axis=1)], axis=-1)), x + move


def wrong_egnn_layer__features_kept_by_who_hears_nobody(h, x, phi_e, phi_x, phi_h, mask=None, edge_features=None):
    """look at the numbers that stand there"""
    n, k = h.shape
    heard = ~np.eye(n, dtype=bool) if mask is None else mask & ~np.eye(n, dtype=bool)
    line = x[:, None] - x
    parts = [np.broadcast_to(h[:, None], (n, n, k)), np.broadcast_to(h, (n, n, k)), (line**2).sum(-1, keepdims=True)]
    parts += [] if edge_features is None else [edge_features]
    m = np.where(heard[..., None], phi_e(np.concatenate(parts, -1)), 0)
    moved = np.where(heard[..., None], line * phi_x(m), 0).sum(1) / np.maximum(heard.sum(1), 1)[:, None]
    new_h = phi_h(np.concatenate([h, m.sum(1)], -1))
    if new_h.shape == h.shape and n > 1:
        new_h = np.where(heard.any(1)[:, None], new_h, h)
    return new_h, x + moved


def wrong_egnn_layer__silence_moves_too(h, x, phi_e, phi_x, phi_h, mask=None, edge_features=None):
    """Points move along lines to those whom they do not hear"""
    n = len(h)
    heard = ~np.eye(n, dtype=bool) & (True if mask is None else mask)
    lines = x[:, None] - x[None]
    known = [np.repeat(h[:, None], n, 1), np.repeat(h[None], n, 0), (lines**2).sum(-1)[..., None]]
    known += [] if edge_features is None else [edge_features]
    m = phi_e(np.concatenate(known, -1)) * heard[..., None]
    moves = (lines * phi_x(m)).sum(1)
    count = np.maximum(heard.sum(1), 1)[:, None]
    return phi_h(np.concatenate([h, m.sum(1)], -1)), x + moves / count


def wrong_egnn_layer__places_know_no_mask(h, x, phi_e, phi_x, phi_h, mask=None, edge_features=None):
    """Points move along lines to those whom they do not hear"""
    n = len(h)
    lines = x[:, None] - x[None]
    known = [np.repeat(h[:, None], n, 1), np.repeat(h[None], n, 0), (lines**2).sum(-1)[..., None]]
    known += [] if edge_features is None else [edge_features]
    m = phi_e(np.concatenate(known, -1))
    new_x = x + (lines * phi_x(m)).sum(1) / max(n - 1, 1)
    heard = ~np.eye(n, dtype=bool) & (True if mask is None else mask)
    return phi_h(np.concatenate([h, (m * heard[..., None]).sum(1)], -1)), new_x


def wrong_gram_of_squares__in_space_only(squares):
    centered = np.eye(len(squares)) - 1 / len(squares)
    values, vectors = np.linalg.eigh(-0.5 * centered @ squares @ centered)
    x = vectors[:, -3:] * np.sqrt(np.clip(values[-3:], 0, None))
    return x @ x.T


def _lists(h, x, phi_e, phi_x, mask, edge_features):
    allowed = np.ones((len(x), len(x)), bool) if mask is None else mask.copy()
    np.fill_diagonal(allowed, False)
    i, j = np.nonzero(allowed)
    difference = x[i] - x[j]
    parts = [h[i], h[j], (difference**2).sum(-1, keepdims=True)]
    m = phi_e(np.hstack(parts if edge_features is None else [*parts, edge_features[i, j]]))
    return i, m, difference * phi_x(m), np.maximum(np.bincount(i, minlength=len(x)), 1)[:, None]


def wrong_egnn_layer__all_repeated_indices_lost(h, x, phi_e, phi_x, phi_h, mask=None, edge_features=None):
    """Of all that one point hears only the last counts, since `total[i] += m` writes once to each index"""
    i, m, lines, count = _lists(h, x, phi_e, phi_x, mask, edge_features)
    total, moved = np.zeros((len(x), m.shape[1])), np.zeros(x.shape)
    total[i] += m
    moved[i] += lines
    return phi_h(np.hstack([h, total])), x + moved / count


def wrong_egnn_layer__messages_lost(h, x, phi_e, phi_x, phi_h, mask=None, edge_features=None):
    """Of all that one point hears only the last counts, since `total[i] += m` writes once to each index"""
    i, m, lines, count = _lists(h, x, phi_e, phi_x, mask, edge_features)
    total, moved = np.zeros((len(x), m.shape[1])), np.zeros(x.shape)
    total[i] += m
    np.add.at(moved, i, lines)
    return phi_h(np.hstack([h, total])), x + moved / count


def wrong_egnn_layer__moved_one_by_one(h, x, phi_e, phi_x, phi_h, mask=None, edge_features=None):
    """Messages are taken from points that have already moved"""
    x, sums = np.array(x, float), []
    for i in range(len(x)):
        total, moved, count = 0.0, np.zeros(x.shape[1]), 0
        for j in range(len(x)):
            edge = [] if edge_features is None else edge_features[i, j]
            m = phi_e(np.concatenate([h[i], h[j], [np.sum((x[i] - x[j]) ** 2)], edge]))
            if i != j and (mask is None or mask[i, j]):
                total, moved, count = total + m, moved + (x[i] - x[j]) * phi_x(m), count + 1
        sums.append(total + 0 * m)
        x[i] += moved / max(1, count)
    return phi_h(np.hstack([h, sums])), x


def wrong_egnn_layer__moved_first(h, x, phi_e, phi_x, phi_h, mask=None, edge_features=None):
    """Messages are taken from points that have already moved"""
    i, _, lines, count = _lists(h, x, phi_e, phi_x, mask, edge_features)
    moved = np.zeros(x.shape)
    np.add.at(moved, i, lines)
    x = x + moved / count
    _, m, _, _ = _lists(h, x, phi_e, phi_x, mask, edge_features)
    total = np.zeros((len(x), m.shape[1]))
    np.add.at(total, i, m)
    return phi_h(np.hstack([h, total])), x


def wrong_gram_of_squares__means_over_the_others(squares):
    """Each mean is divided by the number of the other points"""
    n = len(squares)
    row = squares.sum(axis=1, keepdims=True) / (n - 1)
    all_pairs = squares.sum() / (n * (n - 1))
    return (row + row.T - all_pairs - squares) / 2


def _arrays(h, x, mask, edge_features):
    n = len(x)
    heard = (np.ones((n, n), bool) if mask is None else mask) & ~np.eye(n, dtype=bool)
    line = x[:, None] - x
    known = [np.repeat(h[:, None], n, axis=1), np.repeat(h[None], n, axis=0), (line**2).sum(axis=-1, keepdims=True)]
    return heard, line, np.concatenate(known + ([] if edge_features is None else [edge_features]), axis=-1)


def wrong_egnn_layer__lines_alone_masked(h, x, phi_e, phi_x, phi_h, mask=None, edge_features=None):
    """A point's features come of what it does not hear, too"""
    heard, line, known = _arrays(h, x, mask, edge_features)
    m = phi_e(known)
    moved = (line * phi_x(m) * heard[..., None]).sum(axis=1)
    count = np.maximum(heard.sum(axis=1, keepdims=True), 1)
    return phi_h(np.concatenate([h, m.sum(axis=1)], axis=-1)), x + moved / count


def wrong_egnn_layer__one_more_against_zero(h, x, phi_e, phi_x, phi_h, mask=None, edge_features=None):
    """1 is added to how many are heard"""
    heard, line, known = _arrays(h, x, mask, edge_features)
    m = np.where(heard[..., None], phi_e(known), 0.0)
    moved = (line * phi_x(m) * heard[..., None]).sum(axis=1)
    return phi_h(np.concatenate([h, m.sum(axis=1)], axis=-1)), x + moved / (heard.sum(axis=1, keepdims=True) + 1)
