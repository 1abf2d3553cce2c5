"""The equivariant layer, as readers write it."""

import numpy as np


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
