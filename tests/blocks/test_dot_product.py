"""The dot product and what is made of it."""

import math
import re
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mlnotes.blocks.dot_product import (
    angle,
    cosine_similarity,
    dot,
    dot_error_bound,
    dot_in_basis,
    gram_matrix,
    project,
    projection_matrix,
    unit,
)

# A rounding is 1.1e-16.
ROUNDED = 1e-15  # at most 8 roundings, of numbers up to 1: cosines, angles, projections
LONG = 1e-15  # products and a root of three coordinates: 8 roundings on either side, of which the bound has half
REST = 1e-14  # of the largest coordinate: a projection is rounded 9 times, and 3 coordinates of it remain
NEAREST = 1e-12  # lengths up to 2,000, rounded 4 times: 9e-13
SKEW = 5e-14  # the condition of the basis, 5.5, twice, and 8 roundings: 2.7e-14

vectors = arrays(np.float64, 3, elements=st.floats(-1e3, 1e3))
directions = vectors.filter(lambda a: np.abs(a).max() > 1e-3)


def draw(*shape):
    return np.random.default_rng(0).normal(size=shape)


def test_dot_is_the_sum_of_products_in_every_precision(backend):
    a, b = draw(2, 1, 7), draw(5, 7) + 1
    expected = np.einsum("bld,ld->bl", np.broadcast_to(backend.like(a), (2, 5, 7)), backend.like(b))
    np.testing.assert_allclose(
        backend.read(dot(backend.array(a), backend.array(b))), expected, rtol=backend.tolerance, atol=backend.tolerance
    )


def test_half_precision_terms_beyond_its_range_may_cancel():
    a = torch.tensor([300.0, 300.0, 1.0], dtype=torch.float16)
    assert dot(a, a * torch.tensor([1.0, -1.0, 1.0], dtype=torch.float16)) == 1


def test_dot_of_small_integers_is_exact_and_of_nothing_is_zero():
    assert dot(np.array([3.0, 1.0]), np.array([1.0, 2.0])) == 5
    assert dot(np.zeros((2, 0)), np.zeros((2, 0))).tolist() == [0, 0]


@given(vectors, vectors)
def test_error_of_dot_stays_within_its_bound(a, b):
    exact = sum(Fraction(x) * Fraction(y) for x, y in zip(a.tolist(), b.tolist(), strict=True))
    # Products below the normal range are rounded by up to half of the smallest number.
    assert abs(Fraction(float(dot(a, b))) - exact) <= Fraction(float(dot_error_bound(a, b))) + 3 * Fraction(5e-324)


@given(directions, directions)
def test_cauchy_bunyakovsky_schwarz_holds_and_cosine_stays_between_minus_one_and_one(a, b):
    assert abs(dot(a, b)) <= math.sqrt(dot(a, a) * dot(b, b)) * (1 + LONG)
    assert -1 <= cosine_similarity(a, b) <= 1
    assert cosine_similarity(a, 3.7 * a) == pytest.approx(1, abs=ROUNDED)


@pytest.mark.parametrize("size", [1e-320, 1e-200, 1.0, 1e200, 1e308])
def test_cosine_angle_and_projection_do_not_depend_on_the_size_of_coordinates(size):
    a, b = np.array([0.75, 1.0]) * size, np.array([1.0, 0.0])
    tolerance = 1e-3 if size == 1e-320 else ROUNDED  # 1e-320 itself has 11 bits
    assert cosine_similarity(a, b) == pytest.approx(0.6, abs=tolerance)
    assert angle(a, b) == pytest.approx(math.acos(0.6), abs=tolerance)
    np.testing.assert_allclose(project(b, a), [0.36, 0.48], rtol=0, atol=tolerance)


def test_cosine_agrees_with_torch_in_every_precision(backend):
    a, b = draw(5, 7), draw(5, 7)[::-1].copy()
    expected = torch.nn.functional.cosine_similarity(
        torch.tensor(backend.like(a)), torch.tensor(backend.like(b)), dim=-1
    )
    found = backend.read(cosine_similarity(backend.array(a), backend.array(b)))
    np.testing.assert_allclose(found, expected.numpy(), rtol=0, atol=backend.tolerance)


@pytest.mark.parametrize("theta", [1e-300, 1e-12, 1e-8, 1e-3, 1.0, 3.0])
def test_small_angles_keep_their_digits_where_arc_cosine_loses_them(theta):
    a, b = np.array([1.0, 0.0]), np.array([math.cos(theta), math.sin(theta)])
    assert angle(a, b) == pytest.approx(theta, rel=ROUNDED)


@given(directions, directions)
def test_projection_leaves_an_orthogonal_rest_and_is_the_nearest_multiple(b, onto):
    nearest = project(b, onto)
    assert dot(b - nearest, unit(onto)) == pytest.approx(0, abs=REST * (1 + np.abs(b).max()))
    for other in (0.99, 1.01):
        assert np.linalg.norm(b - nearest) <= np.linalg.norm(b - other * nearest) + NEAREST


def test_projection_matrix_projects_in_every_precision(backend):
    a, b = draw(2, 5), draw(2, 5)[::-1].copy()
    p = projection_matrix(backend.array(a))
    by_matrix = np.einsum("bij,bj->bi", backend.read(p), backend.like(b))
    np.testing.assert_allclose(
        by_matrix, backend.read(project(backend.array(b), backend.array(a))), rtol=0, atol=4 * backend.tolerance
    )


def test_projection_matrix_is_symmetric_idempotent_and_of_rank_one():
    p = projection_matrix(draw(7))
    np.testing.assert_array_equal(p, p.T)
    np.testing.assert_allclose(p @ p, p, rtol=0, atol=ROUNDED)
    assert np.linalg.matrix_rank(p) == 1


def test_coordinates_in_a_skew_basis_need_the_gram_matrix():
    basis, x, y = draw(3, 3), draw(2, 3), draw(2, 3) + 1
    in_basis = [np.linalg.solve(basis, v.T).T for v in (x, y)]
    np.testing.assert_allclose(dot_in_basis(*in_basis, gram_matrix(basis)), dot(x, y), rtol=SKEW)
    assert not np.allclose(dot(*in_basis), dot(x, y), rtol=SKEW)


def test_gradients_flow_through_all_of_it():
    a, b = (torch.tensor(draw(2, 3) + i, requires_grad=True) for i in range(2))
    for f in (dot, cosine_similarity, angle, project, lambda a, b: projection_matrix(a)):
        assert torch.autograd.gradcheck(f, (a, b))


@pytest.mark.parametrize("f", [dot, cosine_similarity, angle, project])
def test_mismatched_widths_are_refused_with_both_shapes(f):
    with pytest.raises(ValueError, match=r"same size along axis -1.*\(2, 3\) and \(2, 5\)"):
        f(np.ones((2, 3)), np.ones((2, 5)))


def test_scalars_are_refused():
    with pytest.raises(ValueError, match="at least 1 axes"):
        dot(np.array(1.0), np.array(2.0))


@pytest.mark.parametrize(
    "f",
    [
        dot,
        cosine_similarity,
        angle,
        project,
        lambda a, _: unit(a),
        lambda a, _: projection_matrix(a),
        lambda a, b: gram_matrix(a[:, None]),
        lambda a, b: dot_in_basis(a, b, np.eye(2)),
        lambda a, b: dot_in_basis(1.0 * a, 1.0 * b, np.ones((2, 2), int)),
    ],
)
@pytest.mark.parametrize("dtype", ["uint8", "int8", "int64"])
def test_integers_are_refused_because_sums_wrap_round_and_fractions_are_lost(f, dtype):
    with pytest.raises(ValueError, match=r"floating-point numbers, got dtype u?int"):
        f(np.array([100, 90], dtype), np.array([1, 2], dtype))


@pytest.mark.parametrize("shape", [(3,), (2, 3), (5, 3, 3), (2, 2)])
def test_a_gram_matrix_of_another_shape_is_refused(shape):
    with pytest.raises(ValueError, match=rf"gram must have shape \(3, 3\), got {re.escape(str(shape))}"):
        dot_in_basis(np.ones(3), np.ones(3), np.ones(shape))


@pytest.mark.parametrize("bad", [0.0, np.inf, np.nan])
@pytest.mark.parametrize("f", [cosine_similarity, angle, project])
def test_vectors_without_direction_are_refused(f, bad):
    with pytest.raises(ValueError, match=f"finite and not zero to have a direction, got .* {bad}"):
        f(np.ones((2, 3)), np.array([[1.0, 2.0, 3.0], [bad, bad, bad]]))


def test_the_vectors_of_a_basis_stand_in_columns(backend):
    with pytest.raises(ValueError, match=r"basis must have at least 2 axes, got shape \(3,\)"):
        gram_matrix(backend.array(np.ones(3)))


def test_vectors_without_coordinates_have_no_direction():
    with pytest.raises(ValueError, match=r"not be empty along axis -1, got shape \(0,\)"):
        unit(np.ones(0))


def test_no_half_precision_sum_is_rounded_on_the_way(backend):
    a, b, gram = np.array([300.0, -300.0]), np.ones(2), np.array([[300.0, 200.0], [200.0, 301.0]])
    if "bfloat16" in backend.name:
        gram[1, 1] = 302  # which it can hold
    found = backend.read(dot_in_basis(*map(backend.array, (a, b, gram))))
    assert found == pytest.approx(backend.like(a) @ gram @ b, rel=backend.tolerance)


@pytest.mark.parametrize("make", [lambda n: np.ones(n, np.float16), lambda n: torch.ones(n, dtype=torch.bfloat16)])
def test_where_rounding_may_be_everything_there_is_no_bound(make):
    eps = 2.0**-10 if isinstance(make(1), np.ndarray) else 2.0**-7
    n = int(2 / eps)
    a = make(n - 1) / 256
    growth = (n - 1) * eps / 2
    assert float(dot_error_bound(a, a)) == pytest.approx(growth / (1 - growth) * float(dot(a, a)), rel=2 * eps)
    for too_many in (n, 2 * n, 70_000):
        with pytest.raises(ValueError, match=f"fewer than {n} coordinates .* got {too_many}"):
            dot_error_bound(make(too_many), make(too_many))


def test_a_vector_of_zeros_that_records_gradients_is_refused_like_any_other():
    with pytest.raises(ValueError, match=r"got a vector with largest coordinate 0\.0"):
        unit(torch.zeros(3, requires_grad=True))
