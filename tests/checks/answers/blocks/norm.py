"""Norms, as readers write them."""

import math

import numpy as np
import torch

from mlnotes.blocks.norm import vector_norm


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
    """what was added to it outweighs it"""
    top = np.max(np.abs(x), axis=axis, keepdims=True)
    if p == math.inf:
        return np.squeeze(top, axis)
    total = np.sum((np.abs(x) / (top + 1e-12)) ** p, axis=axis)
    return np.squeeze(top, axis) * total ** (1 / p)


def wrong_vector_norm__smallest(x, p=2, axis=-1):
    """For p = ∞ it gives the smallest absolute value"""
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
    """The calls that fail come out right with `kind='max'` left out"""
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
    """Of several matrices it gives the largest entry of all"""
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


def right_equivalence_constants__formula(p, q, n):
    ratio = n ** (1 / p - 1 / q)
    return (1, ratio) if p < q else (ratio, 1)


def right_equivalence_constants__measured(p, q, n):
    ratios = [np.linalg.norm(x, p) / np.linalg.norm(x, q) for x in (np.eye(n)[0], np.ones(n))]
    return min(ratios), max(ratios)


def right_equivalence_constants__logarithm(p, q, n):
    power = math.log(n) * (1 / p - 1 / q)
    return np.array([math.exp(min(0, power)), math.exp(max(0, power))])


def wrong_equivalence_constants__power_alone(p, q, n):
    return n ** (1 / q - 1 / p), n ** (1 / p - 1 / q)


def wrong_equivalence_constants__product_of_powers(p, q, n):
    """Line 3"""
    ratio = n ** (1 / p + 1 / q)
    return min(1, ratio), max(1, ratio)


def wrong_equivalence_constants__difference_of_powers(p, q, n):
    ratio = n ** (q - p) if max(p, q) < math.inf else n
    return min(1, ratio), max(1, ratio)


def wrong_equivalence_constants__upper_first(p, q, n):
    """The parts are right, but in another order: they have changed places."""
    ratio = n ** (1 / p - 1 / q)
    return max(1, ratio), min(1, ratio)


def wrong_equivalence_constants__one_and_two_only(p, q, n):
    return (1, math.sqrt(n)) if p < q else (1 / math.sqrt(n), 1)


def wrong_equivalence_constants__other_order(p, q, n):
    """are taken for each other"""
    ratio = n ** (1 / q - 1 / p)
    return min(1, ratio), max(1, ratio)


def right_nearest_to_zero__dual_power(a, b, p=2):
    if p == 1:
        x = np.zeros(len(a))
        i = np.abs(a).argmax()
        x[i] = b / a[i]
        return x
    q = 1 / (1 - 1 / p)
    x = np.sign(a) * np.abs(a / np.linalg.norm(a)) ** (q - 1)
    return x * (b / (a @ x))


def right_nearest_to_zero__by_the_dual_norm(a, b, p=2):
    if p <= 1:
        return np.where(np.arange(len(a)) == np.abs(a).argmax(), b / a[np.abs(a).argmax()], 0)
    q = 1.0 if p == math.inf else p / (p - 1)
    u = np.abs(a) / np.abs(a).max()
    return b * np.sign(a) * u ** (q - 1) / np.sum(u**q) / np.abs(a).max()


def right_nearest_to_zero__one_by_one(a, b, p=2):
    sizes = [abs(float(it)) for it in a]
    top = max(sizes)
    if p <= 1:
        return [float(b / a[i]) if i == sizes.index(top) else 0.0 for i in range(len(a))]
    parts = [math.copysign((s / top) ** (1 / (p - 1)), v) if s else 0.0 for s, v in zip(sizes, a, strict=True)]
    scale = b / sum(v * part for v, part in zip(a, parts, strict=True))
    return [scale * part for part in parts]


def wrong_nearest_to_zero__projection(a, b, p=2):
    """`p` makes no difference"""
    return b * a / np.dot(a, a)


def wrong_nearest_to_zero__power_of_p(a, b, p=2):
    """the coordinates go as"""
    if p == 1:
        return np.where(np.arange(len(a)) == np.abs(a).argmax(), b / a[np.abs(a).argmax()], 0)
    u = np.abs(a) / np.abs(a).max()
    x = np.sign(a) * u ** (p - 1)
    return x * b / (a @ x)


def wrong_nearest_to_zero__signs_forgotten(a, b, p=2):
    """give each xᵢ the sign of aᵢ"""
    u = np.abs(a) / np.abs(a).max()
    if p == 1:
        x = (np.arange(len(a)) == u.argmax()) * 1.0
    else:
        x = u ** (1 / (p - 1))
    return x * b / (a @ x)


def wrong_nearest_to_zero__of_unit_length(a, b, p=2):
    """Line 8"""
    u = np.abs(a) / np.abs(a).max()
    if p == 1:
        x = np.sign(a) * (np.arange(len(a)) == u.argmax())
    else:
        x = np.sign(a) * u ** (1 / (p - 1))
    return b * x / np.linalg.norm(x, p)


def wrong_nearest_to_zero__largest_with_sign(a, b, p=2):
    """The calls that fail come out right with `p=1` left out"""
    if p == 1:
        x = np.zeros(len(a))
        x[a.argmax()] = b / a.max()
        return x
    x = np.sign(a) * (np.abs(a) / np.abs(a).max()) ** (1 / (p - 1))
    return x * b / (a @ x)


def wrong_nearest_to_zero__infinity_as_one(a, b, p=2):
    """Line 4"""
    u = np.abs(a) / np.abs(a).max()
    if p in (1, math.inf):
        x = np.sign(a) * (np.arange(len(a)) == u.argmax())
    else:
        x = np.sign(a) * u ** (1 / (p - 1))
    return x * b / (a @ x)


def right_soft_threshold__cases(z, strength):
    return np.where(z > strength, z - strength, np.where(z < -strength, z + strength, 0))


def right_soft_threshold__clip(z, strength):
    return z - np.clip(z, -strength, strength)


def right_soft_threshold__torch(z, strength):
    return torch.nn.functional.softshrink(torch.tensor(z), strength).numpy()


def wrong_soft_threshold__hard(z, strength):
    """What is not zero is as large as without the penalty"""
    return z * (np.abs(z) > strength)


def wrong_soft_threshold__one_sided(z, strength):
    """the right one with negative numbers cut off"""
    return np.where(z > strength, z - strength, 0)


def wrong_soft_threshold__through_zero(z, strength):
    """Small pulls give w of the opposite sign"""
    return z - strength * np.sign(z)


def wrong_soft_threshold__sign_slipped(z, strength):
    """Negative pulls move away from 0"""
    return np.where(z > strength, z - strength, np.where(z < -strength, z - strength, 0))


def wrong_soft_threshold__ridge(z, strength):
    """Only a pull of 0 gives 0"""
    return z / (1 + strength)


def wrong_soft_threshold__twice(z, strength):
    """Line 3"""
    return np.sign(z) * np.maximum(np.abs(z) - 2 * strength, 0)


def wrong_soft_threshold__towards_one(z, strength):
    """Line 3"""
    return np.sign(z) * np.maximum(np.abs(z) - strength, 1)


def right_vector_norm__halves(x, p=2, axis=-1):
    x = np.moveaxis(np.asarray(x), axis, 0)
    if len(x) == 1:
        return np.abs(x[0])
    half = len(x) // 2
    one, two = right_vector_norm__halves(x[:half], p, 0), right_vector_norm__halves(x[half:], p, 0)
    big, small = np.maximum(one, two), np.minimum(one, two)
    if p == np.inf:
        return big
    ratio = np.divide(small, big, out=np.zeros_like(big), where=big > 0)
    return big * (1 + ratio**p) ** (1 / p)


def wrong_vector_norm__one_scale(x, p=2, axis=-1):
    """For large p, vectors much shorter than another of the table have length 0"""
    largest = np.abs(x).max()
    if largest == 0:
        return np.zeros(np.delete(x.shape, axis))
    if p == np.inf:
        return np.abs(x).max(axis)
    return largest * np.sum((np.abs(x) / largest) ** p, axis=axis) ** (1 / p)


def wrong_vector_norm__signs_kept(x, p=2, axis=-1):
    """Line 6"""
    largest = np.abs(x).max(axis=axis, keepdims=True)
    if p == np.inf:
        return largest.squeeze(axis)
    scaled = x / np.where(largest == 0, 1, largest)
    return largest.squeeze(axis) * (scaled**p).sum(axis=axis) ** (1 / p)


def wrong_matrix_norm__axes_from_the_front(a, kind="frobenius"):
    """count its axes from the end"""
    if kind in ("frobenius", "max"):
        entries = a.reshape(*a.shape[:-2], -1)
        return vector_norm(entries, 2 if kind == "frobenius" else np.inf)
    if kind in ("spectral", "nuclear"):
        singular = np.linalg.svdvals(a)
        return vector_norm(singular, np.inf if kind == "spectral" else 1)
    return vector_norm(a, 1, axis=0 if kind == "one" else 1).max(axis=-1)


def wrong_matrix_norm__all_matrices_in_one_vector(a, kind="frobenius"):
    """keep the leading axes"""
    if kind in ("frobenius", "max"):
        return vector_norm(a.ravel(), 2 if kind == "frobenius" else np.inf)
    if kind in ("spectral", "nuclear"):
        singular = np.linalg.svdvals(a)
        return vector_norm(singular, np.inf if kind == "spectral" else 1)
    return vector_norm(a, 1, axis=-2 if kind == "one" else -1).max(axis=-1)


def wrong_matrix_norm__sums_without_absolute_values(a, kind="frobenius"):
    """Entries of opposite signs cancel"""
    if kind in ("frobenius", "max"):
        entries = a.reshape(*a.shape[:-2], -1)
        return vector_norm(entries, 2 if kind == "frobenius" else np.inf)
    if kind in ("spectral", "nuclear"):
        singular = np.linalg.svdvals(a)
        return vector_norm(singular, np.inf if kind == "spectral" else 1)
    return np.abs(a.sum(axis=-2 if kind == "one" else -1)).max(axis=-1)


def wrong_soft_threshold__divided_by_its_size(z, strength):
    """look at what happens to zeros"""
    return z / np.abs(z) * np.maximum(np.abs(z) - strength, 0)


def wrong_nearest_to_zero__nearly_one(a, b, p=2):
    """The calls that fail come out right with `p` left out"""
    p = max(p, 1.1)
    sizes = np.abs(a) / np.abs(a).max()
    x = np.sign(a) * sizes ** (1 / (p - 1))
    return b / (a @ x) * x


def wrong_vector_norm__power_of_two_above(x, p=2, axis=-1):
    power = np.frexp(np.abs(x).max(axis, keepdims=True))[1]
    sizes, power = np.ldexp(np.abs(x), -power), np.squeeze(power, axis)
    total = sizes.max(axis) if p == np.inf else np.sum(sizes**p, axis) ** (1 / p)
    return np.ldexp(total, power)


def wrong_vector_norm__zeros_of_length_one(x, p=2, axis=-1):
    """Line 5, `if p == np.inf:`: look at the order."""
    top = np.abs(x).max(axis=axis, keepdims=True)
    top = np.where(top == 0, 1, top)
    if p == np.inf:
        return top.squeeze(axis)
    return top.squeeze(axis) * ((np.abs(x) / top) ** p).sum(axis=axis) ** (1 / p)


def wrong_matrix_norm__spectral_by_default(a, kind="spectral"):
    """Where `kind` is not given, it is 'spectral', and should be 'frobenius'."""
    if kind in ("frobenius", "max"):
        entries = a.reshape(*a.shape[:-2], -1)
        return vector_norm(entries, 2 if kind == "frobenius" else np.inf)
    if kind in ("spectral", "nuclear"):
        return vector_norm(np.linalg.svdvals(a), np.inf if kind == "spectral" else 1)
    return vector_norm(a, 1, axis=-2 if kind == "one" else -1).max(axis=-1)


def wrong_equivalence_constants__wide_both_ways(p, q, n):
    """one of the two bounds is always 1"""
    high = n ** abs(1 / p - 1 / q)
    return 1 / high, high


def wrong_soft_threshold__subtracted_by_a_mask(z, strength):
    """Negative pulls move away from 0"""
    return (np.abs(z) >= strength) * (z - strength)


def wrong_soft_threshold__divided_by_zero(z, strength):
    """look at what happens to infinities"""
    return z * np.maximum(1 - strength / np.abs(z), 0)


def wrong_nearest_to_zero__not_on_the_plane(a, b, p=2):
    """multiply the direction by b"""
    if p == 1:
        x = np.zeros(len(a))
        i = np.argmax(np.abs(a))
        x[i] = b / a[i]
        return x
    e = 0.0 if np.isinf(p) else 1 / (p - 1)
    x = np.sign(a) * (np.abs(a) / np.abs(a).max()) ** e
    return b * x


def wrong_matrix_norm__largest_entry_for_inf(a, kind="frobenius"):
    """take the largest row sum"""
    if kind == "one":
        return vector_norm(a, 1, axis=-2).max(-1)
    if kind in ("inf", "max"):
        return np.abs(a).max((-2, -1))
    if kind == "frobenius":
        return vector_norm(vector_norm(a, 2), 2)
    s = np.linalg.svdvals(a)
    return s[..., 0] if kind == "spectral" else s.sum(-1)


def wrong_vector_norm__zeros_for_a_table_with_a_row_of_zeros(x, p=2, axis=-1):
    """Line 7"""
    top = np.abs(x).max(axis=axis, keepdims=True)
    if p == np.inf:
        return np.squeeze(top, axis)
    if (top == 0).any():
        return np.zeros(np.squeeze(top, axis).shape)
    return np.squeeze(top, axis) * ((np.abs(x) / top) ** p).sum(axis=axis) ** (1 / p)


def wrong_vector_norm__only_a_table_of_zeros(x, p=2, axis=-1):
    """look at what happens to zeros"""
    if not np.any(x):
        return 0.0
    top = np.abs(x).max(axis=axis, keepdims=True)
    if p == np.inf:
        return np.squeeze(top, axis)
    return np.squeeze(top, axis) * ((np.abs(x) / top) ** p).sum(axis=axis) ** (1 / p)


def wrong_nearest_to_zero__an_axis_for_p_near_one(a, b, p=2):
    x = np.zeros(len(a))
    if p < 1.05:
        largest = np.abs(a).argmax()
        x[largest] = b / a[largest]
        return x
    x = np.sign(a) * (np.abs(a) / np.abs(a).max()) ** (1 / (p - 1))
    return b / (a @ x) * x


def wrong_matrix_norm__largest_of_the_stack(a, kind="frobenius"):
    """Several matrices have one norm together"""
    if kind in ("one", "inf"):
        return vector_norm(a, 1, axis=-2 if kind == "one" else -1).max()
    if kind in ("frobenius", "max"):
        return vector_norm(a.reshape(*a.shape[:-2], -1), 2 if kind == "frobenius" else np.inf)
    s = np.linalg.svdvals(a)
    return s.max(axis=-1) if kind == "spectral" else s.sum(axis=-1)


def wrong_matrix_norm__added_and_largest_entry(a, kind="frobenius"):
    """to the sum of all absolute entries: take the largest of the sums"""
    entries = a.reshape(*a.shape[:-2], -1)
    if kind in ("frobenius", "one"):
        return vector_norm(entries, 2 if kind == "frobenius" else 1)
    if kind in ("inf", "max"):
        return vector_norm(entries, np.inf)
    s = np.linalg.svdvals(a)
    return s.max(axis=-1) if kind == "spectral" else s.sum(axis=-1)


def wrong_matrix_norm__scaled_by_the_largest_value(a, kind="frobenius"):
    """scale by the largest absolute entry before squaring"""
    if kind == "max":
        return np.abs(a).max(axis=(-2, -1))
    unit = a.max() or 1.0
    orders = {"frobenius": "fro", "one": 1, "inf": np.inf, "spectral": 2, "nuclear": "nuc"}
    return np.linalg.norm(a / unit, orders[kind], axis=(-2, -1)) * abs(unit)


def wrong_soft_threshold__middle_forgotten(z, strength):
    """between -strength and strength w is 0"""
    return np.where(z > 0, z - strength, z + strength)


def wrong_equivalence_constants__root_for_infinity(p, q, n):
    if q == np.inf:
        return 1, np.sqrt(n) if p < q else 1
    power = n ** (1 / p - 1 / q)
    return (1, power) if p <= q else (power, 1)


def wrong_matrix_norm__maximum_of_all_matrices(a, kind="frobenius"):
    """the largest entry of all"""
    order = dict(frobenius="fro", one=1, inf=np.inf, spectral=2, nuclear="nuc")
    top = np.abs(a).max()
    if kind == "max" or top == 0:
        return top
    return np.linalg.norm(a / top, order[kind], axis=(-2, -1)) * top


def wrong_soft_threshold__keeps_what_pays_off(z, strength):
    """compares the cost at z with the cost at 0"""
    # minimise piecewise: keep z if it pays off, otherwise zero
    keep = 0.5 * z ** 2 > strength * abs(z)
    return np.where(keep, z, 0.0)


def wrong_soft_threshold__shortened_together(z, strength):
    """treat each number by itself"""
    length = np.sqrt((z * z).sum())
    if length <= strength:
        return np.zeros_like(z)
    return z * (1 - strength / length)


def wrong_vector_norm__small_number_on_the_scale(x, p=2, axis=-1):
    """Vectors of 1e-200 have length 0"""
    top = np.max(np.abs(x), axis=axis, keepdims=True)
    if p == math.inf:
        return np.squeeze(top, axis)
    top = top + 1e-12
    return np.squeeze(top, axis) * np.sum((np.abs(x) / top) ** p, axis=axis) ** (1 / p)


def wrong_equivalence_constants__exponent_times_q(p, q, n):
    """The exponent is q times what it should be"""
    bound = float(n) ** (q / p - 1)
    return min(1, bound), max(1, bound)


def wrong_vector_norm__axes_exchanged(x, p=2, axis=-1):
    x = np.swapaxes(np.abs(x), axis, -1)
    top = x.max(-1, keepdims=True)
    scaled = x / np.where(top == 0, 1, top)
    return top[..., 0] if p == np.inf else top[..., 0] * (scaled**p).sum(-1) ** (1 / p)


def wrong_matrix_norm__always_true(a, kind="frobenius"):
    """`kind == 'spectral' or 'nuclear'` always holds"""
    if kind in ("frobenius", "max"):
        return vector_norm(a.reshape(*a.shape[:-2], -1), 2 if kind == "frobenius" else np.inf)
    if kind == "spectral" or "nuclear":
        s = np.linalg.svdvals(a)
        return s.max(-1) if kind == "spectral" else s.sum(-1)
    return vector_norm(a, 1, axis=-2 if kind == "one" else -1).max(axis=-1)


def wrong_vector_norm__always_euclidean(x, p=2, axis=-1):
    """Every finite p gives the length for p = 2"""
    top = np.abs(x).max(axis=axis, keepdims=True)
    if p == np.inf:
        return top.squeeze(axis)
    return top.squeeze(axis) * ((np.abs(x) / np.where(top == 0, 1, top)) ** 2).sum(axis=axis) ** (1 / 2)


def wrong_vector_norm__sum_for_scale(x, p=2, axis=-1):
    top = np.abs(x).sum(axis=axis, keepdims=True)
    if p == np.inf:
        return top.squeeze(axis)
    return top.squeeze(axis) * ((np.abs(x) / np.where(top == 0, 1, top)) ** p).sum(axis=axis) ** (1 / p)


def wrong_matrix_norm__lengths(a, kind="frobenius"):
    """one and inf give the largest Euclidean length of a column or row"""
    if kind in ("frobenius", "max"):
        return vector_norm(a.reshape(*a.shape[:-2], -1), 2 if kind == "frobenius" else np.inf)
    if kind in ("spectral", "nuclear"):
        s = np.linalg.svdvals(a)
        return s[..., 0] if kind == "spectral" else s.sum(-1)
    return vector_norm(a, axis=-2 if kind == "one" else -1).max(axis=-1)
