"""Norms, as readers write them."""

import math

import numpy as np
import torch


def right_vector_norm__scaled(x, p=2, axis=-1):
    top = np.max(np.abs(x), axis=axis, keepdims=True)
    if p == math.inf:
        return np.squeeze(top, axis)
    total = np.sum((np.abs(x) / np.where(top == 0, 1, top)) ** p, axis=axis)
    return np.squeeze(top, axis) * total ** (1 / p)


def right_vector_norm__loops(x, p=2, axis=-1):
    rows = np.moveaxis(x, axis, -1)
    out = np.zeros(rows.shape[:-1])
    for i in np.ndindex(out.shape):
        sizes = [abs(float(it)) for it in rows[i]]
        top = max(sizes)
        if p == math.inf or top == 0:
            out[i] = top
        else:
            out[i] = top * math.fsum((it / top) ** p for it in sizes) ** (1 / p)
    return out


def right_vector_norm__logarithms(x, p=2, axis=-1):
    with np.errstate(divide="ignore"):
        logarithms = np.log(np.abs(x))
    if p == math.inf:
        return np.exp(logarithms).max(axis)
    return np.exp(np.logaddexp.reduce(p * logarithms, axis=axis) / p)


def wrong_vector_norm__plain(x, p=2, axis=-1):
    """divide by the largest absolute value first"""
    if p == math.inf:
        return np.abs(x).max(axis=axis)
    return (np.abs(x) ** p).sum(axis=axis) ** (1 / p)


def wrong_vector_norm__not_multiplied_back(x, p=2, axis=-1):
    """multiply by what the entries were divided by"""
    top = np.max(np.abs(x), axis=axis, keepdims=True)
    if p == math.inf:
        return np.squeeze(top, axis)
    total = np.sum((np.abs(x) / np.where(top == 0, 1, top)) ** p, axis=axis)
    return total ** (1 / p)


def wrong_vector_norm__small_number_added(x, p=2, axis=-1):
    top = np.max(np.abs(x), axis=axis, keepdims=True)
    if p == math.inf:
        return np.squeeze(top, axis)
    total = np.sum((np.abs(x) / (top + 1e-12)) ** p, axis=axis)
    return np.squeeze(top, axis) * total ** (1 / p)


def wrong_vector_norm__smallest(x, p=2, axis=-1):
    """Line 5"""
    top = np.max(np.abs(x), axis=axis, keepdims=True)
    if p == math.inf:
        return np.min(np.abs(x), axis=axis)
    total = np.sum((np.abs(x) / np.where(top == 0, 1, top)) ** p, axis=axis)
    return np.squeeze(top, axis) * total ** (1 / p)


def wrong_vector_norm__axis_kept(x, p=2, axis=-1):
    """The axis of the coordinates stays"""
    top = np.max(np.abs(x), axis=axis, keepdims=True)
    if p == math.inf:
        return top
    total = np.sum((np.abs(x) / np.where(top == 0, 1, top)) ** p, axis=axis, keepdims=True)
    return top * total ** (1 / p)


def wrong_vector_norm__last_axis(x, p=2, axis=-1):
    """`axis` makes no difference"""
    top = np.max(np.abs(x), axis=-1, keepdims=True)
    if p == math.inf:
        return np.squeeze(top, -1)
    total = np.sum((np.abs(x) / np.where(top == 0, 1, top)) ** p, axis=-1)
    return np.squeeze(top, -1) * total ** (1 / p)


def wrong_vector_norm__precedence(x, p=2, axis=-1):
    """binds before /"""
    top = np.max(np.abs(x), axis=axis, keepdims=True)
    if p == math.inf:
        return np.squeeze(top, axis)
    total = np.sum((np.abs(x) / np.where(top == 0, 1, top)) ** p, axis=axis)
    return np.squeeze(top, axis) * total**1 / p


def right_matrix_norm__numpy(a, kind="frobenius"):
    if kind == "max":
        return np.abs(a).max(axis=(-2, -1))
    unit = np.abs(a).max() or 1.0
    orders = {"frobenius": "fro", "one": 1, "inf": np.inf, "spectral": 2, "nuclear": "nuc"}
    return np.linalg.norm(a / unit, orders[kind], axis=(-2, -1)) * unit


def right_matrix_norm__by_hand(a, kind="frobenius"):
    sizes = np.abs(a)
    if kind == "one":
        return sizes.sum(axis=-2).max(axis=-1)
    if kind == "inf":
        return sizes.sum(axis=-1).max(axis=-1)
    if kind == "max":
        return sizes.max(axis=(-1, -2))
    s = np.linalg.svd(a, compute_uv=False)
    if kind == "spectral":
        return s[..., 0]
    if kind == "nuclear":
        return s.sum(axis=-1)
    top = sizes.max() or 1.0
    return top * np.sqrt(np.einsum("...ij,...ij->...", a / top, a / top))


def right_matrix_norm__torch(a, kind="frobenius"):
    if kind == "max":
        return torch.tensor(a).abs().amax((-2, -1)).numpy()
    orders = {"frobenius": "fro", "one": 1, "inf": math.inf, "spectral": 2, "nuclear": "nuc"}
    unit = float(np.abs(a).max()) or 1.0
    return unit * torch.linalg.matrix_norm(torch.tensor(a / unit), orders[kind]).numpy()


def wrong_matrix_norm__orders_of_numpy(a, kind="frobenius"):
    orders = {"frobenius": None, "one": 1, "inf": np.inf, "max": -np.inf, "spectral": 2, "nuclear": "nuc"}
    unit = np.abs(a).max() or 1.0
    return unit * np.linalg.norm(a / unit, orders[kind], axis=(-2, -1))


def wrong_matrix_norm__nuclear_of_eigenvalues(a, kind="frobenius"):
    """The nuclear norm is too small"""
    sizes = np.abs(a)
    top = sizes.max() or 1.0
    if kind == "frobenius":
        return top * np.sqrt(np.sum((a / top) ** 2, axis=(-2, -1)))
    if kind == "one":
        return sizes.sum(axis=-2).max(axis=-1)
    if kind == "inf":
        return sizes.sum(axis=-1).max(axis=-1)
    if kind == "max":
        return sizes.max(axis=(-2, -1))
    return np.linalg.svd(a)[1][..., 0] if kind == "spectral" else np.abs(np.linalg.eigvals(a)).sum(axis=-1)


def wrong_matrix_norm__last_singular_value(a, kind="frobenius"):
    """Line 14"""
    sizes = np.abs(a)
    top = sizes.max() or 1.0
    if kind == "frobenius":
        return top * np.sqrt(np.sum((a / top) ** 2, axis=(-2, -1)))
    if kind == "one":
        return sizes.sum(axis=-2).max(axis=-1)
    if kind == "inf":
        return sizes.sum(axis=-1).max(axis=-1)
    if kind == "max":
        return sizes.max(axis=(-2, -1))
    s = np.linalg.svd(a, compute_uv=False)
    return s[..., -1] if kind == "spectral" else s.sum(axis=-1)


def wrong_matrix_norm__smallest_sum(a, kind="frobenius"):
    """Line 10"""
    sizes = np.abs(a)
    top = sizes.max() or 1.0
    if kind == "frobenius":
        return top * np.sqrt(np.sum((a / top) ** 2, axis=(-2, -1)))
    if kind == "one":
        return sizes.sum(axis=-2).max(axis=-1)
    if kind == "inf":
        return sizes.sum(axis=-1).min(axis=-1)
    if kind == "max":
        return sizes.max(axis=(-2, -1))
    s = np.linalg.svd(a, compute_uv=False)
    return s[..., 0] if kind == "spectral" else s.sum(axis=-1)


def wrong_matrix_norm__all_matrices_together(a, kind="frobenius"):
    sizes = np.abs(a)
    top = sizes.max() or 1.0
    if kind == "frobenius":
        return top * np.sqrt(np.sum((a / top) ** 2, axis=(-2, -1)))
    if kind == "one":
        return sizes.sum(axis=-2).max(axis=-1)
    if kind == "inf":
        return sizes.sum(axis=-1).max(axis=-1)
    if kind == "max":
        return sizes.max()
    s = np.linalg.svd(a, compute_uv=False)
    return s[..., 0] if kind == "spectral" else s.sum(axis=-1)


def wrong_matrix_norm__not_scaled_and_signed(a, kind="frobenius"):
    """Two things at once"""
    if kind == "frobenius":
        return np.sqrt(np.sum(a * a, axis=(-2, -1)))
    if kind in ("one", "inf"):
        return np.sum(a, axis=-2 if kind == "one" else -1).max(axis=-1)
    if kind == "max":
        return np.abs(a).max(axis=(-2, -1))
    s = np.linalg.svd(a, compute_uv=False)
    return s[..., 0] if kind == "spectral" else s.sum(axis=-1)


def wrong_matrix_norm__root_of_the_largest(a, kind="frobenius"):
    sizes = np.abs(a)
    if kind in ("one", "inf"):
        return sizes.sum(axis=-2 if kind == "one" else -1).max(axis=-1)
    if kind == "max":
        return sizes.max(axis=(-2, -1))
    s = np.linalg.svd(a, compute_uv=False)
    return {"frobenius": np.sqrt(s.sum(-1)), "spectral": s[..., 0], "nuclear": s.sum(-1)}[kind]
