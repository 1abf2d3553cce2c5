"""The dot product's relatives, as readers write them."""

import math

import numpy as np
import torch

from mlnotes.blocks.dot_product import cosine_similarity, dot, project


def right_dot__column_by_column(a, b):
    total = 0
    for x, y in zip(np.moveaxis(a, -1, 0), np.moveaxis(b, -1, 0), strict=True):
        total = total + x * y
    return total


def right_dot__in_place(a, b):
    products = a.copy()
    products *= b
    return products.sum(a.ndim - 1)


def right_dot__squares(a, b):
    return (((a + b) ** 2).sum(-1) - ((a - b) ** 2).sum(-1)) / 4


def wrong_dot__every_row_with_every_row(a, b):
    """entry by entry"""
    return np.inner(a, b)


def wrong_dot__axis_of_a_table(a, b):
    """look at the axis"""
    return (a * b).sum(axis=1)


def wrong_dot__axis_kept(a, b):
    """with an axis of size 1 too many at the end"""
    return (a * b).sum(axis=-1, keepdims=True)


def wrong_dot__sums_multiplied(a, b):
    """multiply coordinate by coordinate first, then add up"""
    return a.sum(axis=-1) * b.sum(axis=-1)


def wrong_dot__mean(a, b):
    """once too often"""
    return (a * b).mean(axis=-1)


def wrong_dot__whole_numbers(a, b):
    """Line 3"""
    return (a * b).sum(axis=-1).astype(int)


def wrong_dot__squeezed(a, b):
    """without the axis of size 1 that belongs there"""
    return (a[..., None, :] @ b[..., :, None]).squeeze()


def right_cosine_similarity__of_the_chapter(a, b):
    a = a / abs(a).max(axis=-1, keepdims=True)
    b = b / abs(b).max(axis=-1, keepdims=True)
    return np.clip(dot(a, b) / (dot(a, a) * dot(b, b)) ** 0.5, -1, 1)


def right_cosine_similarity__loop(a, b):
    out = []
    for x, y in zip(a, b, strict=True):
        x, y = x / max(map(abs, x)), y / max(map(abs, y))
        cosine = sum(x * y) / (math.sqrt(sum(x * x)) * math.sqrt(sum(y * y)))
        out.append(min(1.0, max(-1.0, cosine)))
    return np.array(out)


def right_cosine_similarity__hypot(a, b):
    u = a / np.hypot.reduce(a, axis=-1, keepdims=True)
    v = b / np.hypot.reduce(b, axis=-1, keepdims=True)
    return np.einsum("...i,...i->...", u, v).clip(-1, 1)


def right_cosine_similarity__half_difference(a, b):
    u = a / abs(a).max(axis=-1, keepdims=True)
    v = b / abs(b).max(axis=-1, keepdims=True)
    u, v = (x / np.linalg.norm(x, axis=-1, keepdims=True) for x in (u, v))
    return np.minimum(np.maximum(1 - np.sum((u - v) ** 2, -1) / 2, -1), 1)


def wrong_cosine_similarity__first_version(a, b):
    """And: It gives 1.0000000000000002"""
    lengths = np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1)
    return dot(a, b) / lengths


def wrong_cosine_similarity__clipped_only(a, b):
    """whose squares overflow"""
    return np.clip(dot(a, b) / np.sqrt(dot(a, a) * dot(b, b)), -1, 1)


def wrong_cosine_similarity__clipped_above_only(a, b):
    """for some opposite vectors"""
    a = a / abs(a).max(axis=-1, keepdims=True)
    b = b / abs(b).max(axis=-1, keepdims=True)
    return np.minimum(dot(a, b) / (dot(a, a) ** 0.5 * dot(b, b) ** 0.5), 1)


def wrong_cosine_similarity__clipped_at_zero(a, b):
    """negative numbers cut off"""
    a = a / abs(a).max(axis=-1, keepdims=True)
    b = b / abs(b).max(axis=-1, keepdims=True)
    return np.clip(dot(a, b) / (dot(a, a) * dot(b, b)) ** 0.5, 0, 1)


def wrong_cosine_similarity__one_scale(a, b):
    """scale each of the two by its own largest coordinate"""
    top = max(abs(a).max(), abs(b).max())
    a, b = a / top, b / top
    return np.clip(dot(a, b) / (dot(a, a) * dot(b, b)) ** 0.5, -1, 1)


def wrong_cosine_similarity__sum_of_squares(a, b):
    """Line 5"""
    a = a / abs(a).max(axis=-1, keepdims=True)
    b = b / abs(b).max(axis=-1, keepdims=True)
    return np.clip(dot(a, b) / (dot(a, a) + dot(b, b)) ** 0.5, -1, 1)


def wrong_cosine_similarity__sums_of_coordinates(a, b):
    """a length is the root of a sum of squares"""
    a = a / abs(a).sum(axis=-1, keepdims=True)
    b = b / abs(b).sum(axis=-1, keepdims=True)
    return np.clip(dot(a, b), -1, 1)


def wrong_cosine_similarity__small_number(a, b):
    """Line 5"""
    a = a / abs(a).max(axis=-1, keepdims=True)
    b = b / abs(b).max(axis=-1, keepdims=True)
    return np.clip(dot(a, b) / ((dot(a, a) * dot(b, b)) ** 0.5 + 1e-8), -1, 1)


def wrong_cosine_similarity__columns(a, b):
    """look at the axis"""
    a = a / abs(a).max(axis=0, keepdims=True)
    b = b / abs(b).max(axis=0, keepdims=True)
    return np.clip(dot(a, b) / (dot(a, a) * dot(b, b)) ** 0.5, -1, 1)


def wrong_cosine_similarity__one_vector_scaled(a, b):
    """It gives 0 where the second vector has coordinates around 1e200"""
    a = a / abs(a).max(axis=-1, keepdims=True)
    return np.clip(dot(a, b) / (dot(a, a) * dot(b, b)) ** 0.5, -1, 1)


def wrong_cosine_similarity__all_pairs(a, b):
    """Every row of a meets every row of b"""
    u = a / np.hypot.reduce(a, axis=-1, keepdims=True)
    v = b / np.hypot.reduce(b, axis=-1, keepdims=True)
    return np.clip(u @ v.T, -1, 1)


def wrong_cosine_similarity__scaled_by_the_smallest(a, b):
    """look at which function is called"""
    a = a / abs(a).min(axis=-1, keepdims=True)
    b = b / abs(b).max(axis=-1, keepdims=True)
    return np.clip(dot(a, b) / (dot(a, a) * dot(b, b)) ** 0.5, -1, 1)


def wrong_cosine_similarity__scaled_by_the_sum(a, b):
    """divide by zero"""
    a = a / abs(a.sum(axis=-1, keepdims=True))
    b = b / abs(b.sum(axis=-1, keepdims=True))
    return np.clip(dot(a, b) / (dot(a, a) * dot(b, b)) ** 0.5, -1, 1)


def wrong_cosine_similarity__bounds_exchanged(a, b):
    a = a / abs(a).max(axis=-1, keepdims=True)
    b = b / abs(b).max(axis=-1, keepdims=True)
    return np.maximum(np.minimum(dot(a, b) / (dot(a, a) * dot(b, b)) ** 0.5, -1), 1)


def right_angle__of_the_chapter(a, b):
    u = a / dot(a, a)[..., None] ** 0.5
    v = b / dot(b, b)[..., None] ** 0.5
    return 2 * np.arctan2(dot(u - v, u - v) ** 0.5, dot(u + v, u + v) ** 0.5)


def right_angle__lengths_multiplied(a, b):
    length_a = np.linalg.norm(a, axis=-1, keepdims=True)
    length_b = np.linalg.norm(b, axis=-1, keepdims=True)
    across = np.linalg.norm(length_b * a - length_a * b, axis=-1)
    return 2 * np.arctan2(across, np.linalg.norm(length_b * a + length_a * b, axis=-1))


def right_angle__what_is_left_over_the_foot(a, b):
    foot = project(b, a)
    left = np.linalg.norm(b - foot, axis=-1)
    return np.arctan2(left, dot(a, b) / np.linalg.norm(a, axis=-1))


def right_angle__quotient(a, b):
    u = a / np.sqrt((a * a).sum(-1, keepdims=True))
    v = b / np.sqrt((b * b).sum(-1, keepdims=True))
    return 2 * np.arctan(np.linalg.norm(u - v, axis=-1) / np.linalg.norm(u + v, axis=-1))


def wrong_angle__factor_two_forgotten(a, b):
    """half of the right one"""
    u = a / dot(a, a)[..., None] ** 0.5
    v = b / dot(b, b)[..., None] ** 0.5
    return np.arctan2(dot(u - v, u - v) ** 0.5, dot(u + v, u + v) ** 0.5)


def wrong_angle__roots_forgotten(a, b):
    """take the roots of their sums of squares"""
    u = a / dot(a, a)[..., None] ** 0.5
    v = b / dot(b, b)[..., None] ** 0.5
    return 2 * np.arctan2(dot(u - v, u - v), dot(u + v, u + v))


def wrong_angle__root_of_the_length_forgotten(a, b):
    """Doubling one of the vectors changes the angle"""
    u = a / dot(a, a)[..., None]
    v = b / dot(b, b)[..., None]
    return 2 * np.arctan2(dot(u - v, u - v) ** 0.5, dot(u + v, u + v) ** 0.5)


def wrong_angle__one_length(a, b):
    """Doubling one of the vectors changes the angle"""
    u = a / dot(a, a)[..., None] ** 0.5
    v = b / dot(a, a)[..., None] ** 0.5
    return 2 * np.arctan2(dot(u - v, u - v) ** 0.5, dot(u + v, u + v) ** 0.5)


def wrong_angle__tangent_of_the_whole(a, b):
    """the cosine rounds to 1"""
    cosine = cosine_similarity(a, b)
    return np.arctan2(np.sqrt(1 - cosine**2), cosine)


def wrong_angle__norm_of_the_table(a, b):
    """look at the axis"""
    u = a / np.linalg.norm(a, axis=-1, keepdims=True)
    v = b / np.linalg.norm(b, axis=-1, keepdims=True)
    return 2 * np.arctan2(np.linalg.norm(u - v), np.linalg.norm(u + v))


def wrong_angle__axis_lost(a, b):
    u = a / dot(a, a) ** 0.5
    v = b / dot(b, b) ** 0.5
    return 2 * np.arctan2(dot(u - v, u - v) ** 0.5, dot(u + v, u + v) ** 0.5)


def wrong_angle__arguments_of_arctan2(a, b):
    """pi less the angle"""
    u = a / dot(a, a)[..., None] ** 0.5
    v = b / dot(b, b)[..., None] ** 0.5
    return 2 * np.arctan2(dot(u + v, u + v) ** 0.5, dot(u - v, u - v) ** 0.5)


def wrong_angle__scaled_by_the_first(a, b):
    """Line 4"""
    u = a / dot(a, a)[..., None] ** 0.5
    v = b / abs(b[..., :1])
    v = v / dot(v, v)[..., None] ** 0.5
    return 2 * np.arctan2(dot(u - v, u - v) ** 0.5, dot(u + v, u + v) ** 0.5)


def right_project__of_the_chapter(b, onto):
    onto = onto / abs(onto).max(axis=-1, keepdims=True)
    return (dot(onto, b) / dot(onto, onto))[..., None] * onto


def right_project__unit_vector(b, onto):
    u = onto / np.linalg.norm(onto, axis=-1, keepdims=True)
    return np.sum(u * b, axis=-1, keepdims=True) * u


def right_project__matrix(b, onto):
    p = onto[..., :, None] * onto[..., None, :] / np.sum(onto**2, -1)[..., None, None]
    return np.einsum("...ij,...j->...i", p, b)


def right_project__least_squares(b, onto):
    out = np.empty(b.shape)
    for i in np.ndindex(b.shape[:-1]):
        [t] = np.linalg.lstsq(onto[i][:, None], b[i], rcond=None)[0]
        out[i] = t * onto[i]
    return out


def right_project__torch(b, onto):
    b, onto = torch.tensor(b), torch.tensor(onto)
    return ((b * onto).sum(-1, keepdim=True) / (onto * onto).sum(-1, keepdim=True) * onto).numpy()


def wrong_project__onto_the_other(b, onto):
    """taken for each other"""
    return (dot(onto, b) / dot(b, b))[..., None] * b


def wrong_project__sum_of_all(b, onto):
    """In a table all vectors share one coefficient"""
    return (onto * b).sum() / (onto * onto).sum() * onto


def wrong_project__columns(b, onto):
    """look at the axis"""
    return (onto * b).sum(axis=0) / (onto * onto).sum(axis=0) * onto


def wrong_project__matrix_without_length(b, onto):
    """divide by onto·onto"""
    p = onto[..., :, None] * onto[..., None, :]
    return (p @ b[..., None])[..., 0]


def wrong_project__only_what_points_the_same_way(b, onto):
    """Line 3"""
    t = np.maximum(dot(onto, b), 0) / dot(onto, onto)
    return t[..., None] * onto


def wrong_project__length_only(b, onto):
    """as long as b"""
    t = np.linalg.norm(b, axis=-1) / np.linalg.norm(onto, axis=-1)
    return t[..., None] * onto


def wrong_project__absolute(b, onto):
    """Line 3"""
    t = np.abs(dot(onto, b)) / dot(onto, onto)
    return t[..., None] * onto


def wrong_project__axis_in_front(b, onto):
    """bring back the axis that dot has summed away"""
    return (dot(onto, b) / dot(onto, onto))[None, ...] * onto


def wrong_project__multiplied(b, onto):
    """look at the operators"""
    return (dot(onto, b) * dot(onto, onto))[..., None] * onto


def wrong_project__both_lengths(b, onto):
    """Doubling b changes nothing"""
    t = dot(onto, b) / (dot(onto, onto) * dot(b, b)) ** 0.5
    return t[..., None] * onto


def wrong_project__scaled_by_the_last(b, onto):
    """Line 3"""
    onto = onto / onto[..., -1:]
    return (dot(onto, b) / dot(onto, onto))[..., None] * onto


def wrong_project__how_far_along(b, onto):
    """multiply it by the line's vector of length one"""
    return dot(onto, b) / np.linalg.norm(onto, axis=-1)


def right_projection_matrix__of_the_chapter(a):
    return a[..., :, None] * a[..., None, :] / dot(a, a)[..., None, None]


def right_projection_matrix__pseudoinverse(a):
    column = a[..., None]
    return column @ np.linalg.pinv(column)


def right_projection_matrix__unit_vector(a):
    u = a / np.linalg.norm(a, axis=-1, keepdims=True)
    return np.einsum("...i,...j->...ij", u, u)


def right_projection_matrix__vector_by_vector(a):
    if a.ndim == 1:
        return np.outer(a, a) / (a @ a)
    return np.stack([right_projection_matrix__vector_by_vector(x) for x in a])


def right_projection_matrix__columns_projected(a):
    d = a.shape[-1]
    return np.stack([project(np.broadcast_to(e, a.shape), a) for e in np.eye(d)], axis=-1)


def right_projection_matrix__qr(a):
    q, _ = np.linalg.qr(a[..., None])
    return q @ q.mT


def wrong_projection_matrix__one_vector_only(a):
    """is where it fails"""
    return np.outer(a, a) / np.dot(a, a)


def wrong_projection_matrix__length_axis_lost(a):
    """Line 3"""
    return a[..., :, None] * a[..., None, :] / dot(a, a)


def wrong_projection_matrix__one_axis_back(a):
    """Line 3"""
    return a[..., :, None] * a[..., None, :] / dot(a, a)[..., None]


def wrong_projection_matrix__number_of_coordinates(a):
    return a[..., :, None] * a[..., None, :] / a.shape[-1]


def wrong_projection_matrix__largest(a):
    u = a / abs(a).max(axis=-1, keepdims=True)
    return u[..., :, None] * u[..., None, :]


def wrong_projection_matrix__added(a):
    """look at the operators"""
    return (a[..., :, None] + a[..., None, :]) / dot(a, a)[..., None, None]


def wrong_projection_matrix__squared_length(a):
    """Line 3"""
    return a[..., :, None] * a[..., None, :] / dot(a, a)[..., None, None] ** 2


def wrong_projection_matrix__diagonal(a):
    return np.eye(a.shape[-1]) * (a * a / dot(a, a)[..., None])[..., None, :]


def wrong_projection_matrix__reflection(a):
    """Line 4"""
    p = a[..., :, None] * a[..., None, :] / dot(a, a)[..., None, None]
    return np.eye(a.shape[-1]) - 2 * p


def wrong_projection_matrix__squeezed(a):
    """without the axis of size 1 that belongs there"""
    a = np.atleast_2d(a)
    return (a[..., :, None] * a[..., None, :] / dot(a, a)[..., None, None]).squeeze()


def wrong_projection_matrix__flattened(a):
    """np.outer flattens"""
    return np.outer(a, a) / np.sum(a * a)


def wrong_projection_matrix__all_squares(a):
    """sum squares along the last axis only"""
    return np.einsum("...i,...j->...ij", a, a) / np.sum(a * a)


def right_rank_of_rest__formula(d):
    return d - 1


def right_rank_of_rest__counted(d):
    a = np.arange(1.0, d + 1)
    rest = np.eye(d) - np.outer(a, a) / (a @ a)
    return int(sum(np.linalg.svd(rest)[1] > 1e-9))


def right_rank_of_rest__trace(d):
    a = np.ones(d)
    return np.trace(np.eye(d) - np.outer(a, a) / (a @ a))


def wrong_rank_of_rest__all(d):
    """too large by 1"""
    return d


def wrong_rank_of_rest__two_lost(d):
    """too small by 1"""
    return d - 2


def wrong_rank_of_rest__always_a_plane(d):
    """`d` makes no difference"""
    return 2


def wrong_rank_of_rest__of_the_example(d):
    """for the 7 coordinates of the example only"""
    return 6


def wrong_rank_of_rest__zero(d):
    """`d` makes no difference"""
    return 0


def wrong_rank_of_rest__half(d):
    return d // 2


def wrong_rank_of_rest__entries(d):
    """Line 3"""
    return d * d - 1


def wrong_cosine_similarity__second_table_scaled_as_a_whole(a, b):
    """scale each vector by its own largest coordinate"""
    a = a / abs(a).max(axis=-1, keepdims=True)
    b = b / abs(b).max()
    return np.clip(dot(a, b) / (dot(a, a) * dot(b, b)) ** 0.5, -1, 1)


def wrong_cosine_similarity__small_number_beside_the_lengths(a, b):
    """Short vectors get a cosine near 0"""
    return dot(a, b) / (np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1) + 1e-12)


def wrong_angle__by_a_cross_product(a, b):
    """Line 6"""
    if a.shape[-1] == 2:
        sine = np.abs(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])
    else:
        sine = np.linalg.norm(np.cross(a, b), axis=-1)
    return np.arctan2(sine, np.sum(a * b, axis=-1))


def wrong_angle__not_clipped(a, b):
    """Near 0 and π digits are lost: the cosine is flat there."""
    return np.arccos((a * b).sum(-1) / (np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1)))


def wrong_project__cosine_times_the_vector(b, onto):
    """multiply the line's vector by it"""
    cos = dot(b, onto) / np.sqrt(dot(b, b) * dot(onto, onto))
    return cos[..., None] * b


def wrong_cosine_similarity__one_scale_for_both(a, b):
    """scale each of the two by its own largest coordinate"""
    top = np.maximum(abs(a).max(axis=-1, keepdims=True), abs(b).max(axis=-1, keepdims=True))
    a, b = a / top, b / top
    return np.clip(dot(a, b) / (dot(a, a) * dot(b, b)) ** 0.5, -1, 1)


def wrong_cosine_similarity__nan_taken_for_zero(a, b):
    """nan is hidden, not mended"""
    cosine = dot(a, b) / (np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1))
    return np.clip(np.nan_to_num(cosine), -1, 1)


def wrong_angle__pi_less_the_other(a, b):
    """Small angles are a difference of two numbers near π"""
    u = a / np.linalg.norm(a, axis=-1, keepdims=True)
    v = b / np.linalg.norm(b, axis=-1, keepdims=True)
    return np.pi - 2 * np.arctan2(np.linalg.norm(u + v, axis=-1), np.linalg.norm(u - v, axis=-1))


def wrong_angle__small_number_below(a, b):
    """Opposite vectors do not get π"""
    u = a / np.linalg.norm(a, axis=-1, keepdims=True)
    v = b / np.linalg.norm(b, axis=-1, keepdims=True)
    return 2 * np.arctan(np.linalg.norm(u - v, axis=-1) / (np.linalg.norm(u + v, axis=-1) + 1e-12))


def wrong_angle__chord(a, b):
    """It is the length of the chord"""
    u = a / np.linalg.norm(a, axis=-1, keepdims=True)
    v = b / np.linalg.norm(b, axis=-1, keepdims=True)
    return np.linalg.norm(u - v, axis=-1)


def wrong_cosine_similarity__absolute_value_of_the_largest(a, b):
    """take absolute values first"""
    a, b = a / abs(a.max(axis=-1, keepdims=True)), b / abs(b.max(axis=-1, keepdims=True))
    return np.clip(dot(a, b) / (dot(a, a) * dot(b, b)) ** 0.5, -1, 1)


def wrong_cosine_similarity__scaled_by_what_is_least(a, b):
    """a number is divided by 0"""
    a, b = a / abs(a).max(axis=-1, keepdims=True), b / abs(b.min(axis=-1, keepdims=True))
    return np.clip(dot(a, b) / (dot(a, a) * dot(b, b)) ** 0.5, -1, 1)


def wrong_project__scaled_by_the_sum(b, onto):
    """Line 3"""
    onto = onto / onto.sum(axis=-1, keepdims=True)
    return (dot(onto, b) / dot(onto, onto))[..., None] * onto


def wrong_project__guarded_by_a_small_number(b, onto):
    """What is added to the denominator outweighs the square of a short vector"""
    return (dot(onto, b) / (dot(onto, onto) + 1e-12))[..., None] * onto


def wrong_angle__between_lines(a, b):
    """keep the sign of the cosine"""
    u, v = (x / abs(x).max(axis=-1, keepdims=True) for x in (a, b))
    u, v = (x / dot(x, x)[..., None] ** 0.5 for x in (u, v))
    return np.arccos(np.minimum(np.abs(dot(u, v)), 1))
