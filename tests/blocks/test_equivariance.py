"""Invariance, equivariance and averages over groups."""

import itertools

import numpy as np
import pytest
import scipy.ndimage
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from mlnotes.attention.causal_mask import causal_mask
from mlnotes.attention.self_attention import self_attention
from mlnotes.blocks.equivariance import (
    action_error,
    equivariance_error,
    invariance_error,
    is_equivariant,
    is_invariant,
    symmetrize,
    symmetrize_equivariant,
)
from mlnotes.groups import (
    cyclic_shifts,
    generate_group,
    matrix_actions,
    multiplication_table,
    permutation_actions,
    quarter_turns,
    random_orthogonal,
    reflections,
)

# A rounding is 1.1e-16.
FEW = 1e-15  # averages over at most 8 moves of numbers up to 0.7: 8 roundings
SUMMED = 1e-13  # a sum of draws, of which a tenth is left, added up in another order
LARGE = 1e-4  # of a part in a million: numbers of a million and of 3, 3e-6 to the first order
SPREAD = 0.05  # the mean over draws from a sphere; measured: 2 %


def draw(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def nothing(y):
    return y


IMAGE = draw(7, 11)
TURN, MIRROR = np.array([[0.0, -1.0], [1.0, 0.0]]), np.diag([1.0, -1.0])
SQUARE = generate_group([TURN, MIRROR])
ALL_ORDERS = list(itertools.permutations(range(5)))


class TestConvolution:
    """Shifts along both axes of an image."""

    def convolve(self, mode):
        kernel = draw(3, 5, seed=1)
        return lambda image: scipy.ndimage.convolve(image, kernel, mode=mode)

    @pytest.mark.parametrize("axis", [-1, -2])
    def test_with_wrapped_edges_it_is_equivariant(self, axis):
        shifts = cyclic_shifts(IMAGE.shape[axis], axis)
        assert is_equivariant(self.convolve("wrap"), shifts, shifts, IMAGE, 1e-13)

    @pytest.mark.parametrize("axis", [-1, -2])
    def test_with_zeros_around_it_is_not_and_what_the_edge_loses_is_large(self, axis):
        shifts = cyclic_shifts(IMAGE.shape[axis], axis)
        assert not is_equivariant(self.convolve("constant"), shifts, shifts, IMAGE, 1e-13)
        assert equivariance_error(self.convolve("constant"), shifts, shifts, IMAGE) > 0.3

    def test_zeros_do_no_harm_where_the_shift_stays_inside(self):
        shifts = cyclic_shifts(11)[:3]
        image = np.zeros((7, 11))
        image[:, 4:6] = draw(7, 2)
        assert is_equivariant(self.convolve("constant"), shifts, shifts, image, 1e-13)

    def test_pooling_over_places_makes_it_invariant_and_a_stride_ends_its_equivariance(self):
        wrapped, shifts = self.convolve("wrap"), cyclic_shifts(11)
        assert is_invariant(lambda image: np.max(wrapped(image)), shifts, IMAGE)
        halves = [lambda y, k=k: np.roll(y, k // 2, -1) for k in range(0, 11, 2)]
        assert equivariance_error(lambda image: wrapped(image)[:, ::2], shifts[::2], halves, IMAGE) > 0.3


class TestPermutations:
    @pytest.mark.parametrize("pool", [np.sum, np.mean, np.max, np.linalg.norm])
    def test_pooling_is_invariant(self, pool):
        assert is_invariant(lambda x: pool(x, axis=0), permutation_actions(ALL_ORDERS), draw(5, 3), 1e-13)

    def test_flattening_is_not(self):
        error = invariance_error(lambda x: x.reshape(-1) @ draw(15), permutation_actions(ALL_ORDERS), draw(5, 3))
        assert error > 0.5

    def test_self_attention_is_equivariant_and_with_a_causal_mask_it_is_not(self):
        x, w, orders = draw(5, 3), draw(3, 3, 2, seed=1), permutation_actions(ALL_ORDERS)
        assert is_equivariant(lambda x: self_attention(x, *w), orders, orders, x, 1e-13)
        masked = equivariance_error(lambda x: self_attention(x, *w, causal_mask(5, 5)), orders, orders, x)
        assert 0.3 < masked < 2

    def test_self_attention_of_torch_tensors_is_equivariant_with_gradients_on(self):
        x, orders = torch.tensor(draw(5, 3), requires_grad=True), permutation_actions(ALL_ORDERS[::7])
        w = [torch.tensor(w) for w in draw(3, 3, 2, seed=1)]
        assert is_equivariant(lambda x: self_attention(x, *w), orders, orders, x, 1e-13)


class TestRotations:
    def test_distances_are_invariant_and_coordinates_are_not(self):
        rotations = matrix_actions(random_orthogonal(20, 3, np.random.default_rng(0)))
        x = draw(5, 3)
        assert is_invariant(lambda x: np.linalg.norm(x[:, None] - x, axis=-1), rotations, x, 1e-13)
        assert invariance_error(lambda x: x[:, 0], rotations, x) > 0.5

    def test_the_cross_product_follows_rotations_but_not_mirror_images(self):
        matrices = random_orthogonal(20, 3, np.random.default_rng(0))
        proper = matrices * np.linalg.det(matrices)[:, None, None]
        for chosen, holds in [(proper, True), (-proper, False)]:
            actions = matrix_actions(chosen)
            assert is_equivariant(lambda x: np.cross(x[::2], x[1::2]), actions, actions, draw(6, 3), 1e-13) is holds

    def test_quarter_turns_of_an_image_turn_its_laplacian_and_not_its_derivative(self):
        turns, image = quarter_turns(), draw(7, 7)
        assert is_equivariant(lambda x: scipy.ndimage.laplace(x, mode="wrap"), turns, turns, image, 1e-13)
        assert equivariance_error(lambda x: scipy.ndimage.sobel(x, mode="wrap"), turns, turns, image) > 0.5

    def test_rotation_is_equivariant_under_shifts_that_turn_with_it(self):
        down, right = cyclic_shifts(7, -2), cyclic_shifts(7, -1)
        # A quarter turn carries what was on the right to the top: a shift to the right becomes one upwards.
        up = [down[-k % 7] for k in range(7)]
        assert equivariance_error(quarter_turns()[1], right, up, draw(7, 7)) == 0
        assert equivariance_error(quarter_turns()[1], right, right, draw(7, 7)) > 0.5

    def test_mirror_images_of_a_signal_keep_its_spectrum(self):
        assert is_invariant(lambda x: np.abs(np.fft.fft(x)), reflections(), draw(11), 1e-13)
        assert equivariance_error(np.fft.fft, reflections(), [nothing, np.conj], draw(11)) > 0.5  # off by a phase


class TestErrors:
    def test_generators_speak_for_the_group(self):
        f, x = (lambda x: x / (1 + np.linalg.norm(x, axis=-1, keepdims=True))), draw(5, 2)
        few, all_of_them = matrix_actions([TURN, MIRROR]), matrix_actions(SQUARE)
        assert is_equivariant(f, few, few, x, 1e-13)
        assert is_equivariant(f, all_of_them, all_of_them, x, 1e-13)

    def test_the_error_is_relative_above_one(self):
        assert invariance_error(lambda x: x, [lambda x: x + 3], np.array([1e6])) == pytest.approx(3e-6, rel=LARGE)
        assert invariance_error(lambda x: x, [lambda x: x + 0.5], np.array([0.0])) == 0.5
        assert invariance_error(lambda x: x, [np.negative], np.array([1e308])) == 2

    def test_the_largest_action_counts_wherever_it_stands(self):
        actions = [lambda x, k=k: x + k for k in (0, 5, -7, 1)]
        assert invariance_error(np.tanh, actions, np.array(0.0)) == pytest.approx(np.tanh(7), rel=FEW)

    def test_every_array_of_a_tuple_has_its_own_scale(self):
        f, action = (lambda x: (1e9 * np.ones(2), x)), lambda x: x + 0.25
        assert invariance_error(f, [action], np.zeros(3)) == 0.25

    def test_numbers_integers_booleans_and_complex_results_are_measured(self):
        x = np.array([3.0, 1.0, 2.0])
        assert invariance_error(lambda x: int(np.argmax(x)), [lambda x: x[::-1]], x) == 1
        assert invariance_error(lambda x: x[0] > x[1], [np.negative], x) == 1
        assert invariance_error(lambda x: 1j * x[0], [np.negative], x) == 2
        assert type(is_invariant(np.sum, [np.negative], x)) is bool

    @given(st.floats(1e-13, 0.5))
    def test_the_tolerance_is_where_it_says(self, change):
        actions = [lambda x: x + change]
        measured = invariance_error(lambda x: x, actions, np.array(0.0))
        assert measured == change
        assert is_invariant(lambda x: x, actions, np.array(0.0), change)
        assert not is_equivariant(lambda x: x, actions, [nothing], np.array(0.0), change * 0.999)


class TestAverages:
    @settings(max_examples=20, deadline=None)
    @given(st.integers(0, 1000))
    def test_any_function_becomes_invariant(self, seed):
        w = draw(5, 3, seed=seed)
        orders = permutation_actions(ALL_ORDERS)
        f = symmetrize(lambda x: np.tanh(x * w).sum() ** 2, orders)
        assert is_invariant(f, orders[:3], draw(5, 3), 1e-12)

    @settings(max_examples=20, deadline=None)
    @given(st.integers(0, 1000))
    def test_any_function_becomes_equivariant(self, seed):
        a, w = matrix_actions(SQUARE), draw(2, 2, seed=seed)
        table = multiplication_table(SQUARE)
        assert is_equivariant(
            symmetrize_equivariant(lambda x: np.tanh(x @ w) ** 2, a, a, table), a, a, draw(5, 2), 1e-12
        )

    def test_the_linear_map_that_commutes_with_all_symmetries_of_a_square_is_a_multiple_of_the_identity(self):
        a, w = matrix_actions(SQUARE), draw(2, 2)
        average = symmetrize_equivariant(lambda x: x @ w, a, a, multiplication_table(SQUARE))
        np.testing.assert_allclose(average(np.eye(2)), np.trace(w) / 2 * np.eye(2), rtol=0, atol=FEW)

    def test_a_matrix_averaged_over_shifts_is_circulant(self):
        shifts, w = cyclic_shifts(7), draw(7, 7)
        table = np.add.outer(range(7), range(7)) % 7
        average = symmetrize_equivariant(lambda x: x @ w.T, shifts, shifts, table)(np.eye(7)).T
        expected = [[np.mean([w[(i + k) % 7, (j + k) % 7] for k in range(7)]) for j in range(7)] for i in range(7)]
        np.testing.assert_allclose(average, expected, rtol=0, atol=FEW)

    def test_part_of_a_group_is_not_enough(self):
        x, a = draw(5, 2), matrix_actions(SQUARE)
        half = symmetrize(lambda x: np.tanh(x[:, 0] + x[:, 1] ** 2).sum(), a[:5])
        assert invariance_error(half, a, x) > 1e-2

    def test_a_sample_of_rotations_comes_nearer_as_it_grows_and_never_arrives(self):
        rng, x, errors = np.random.default_rng(0), draw(1, 3), []
        for n in (10, 300):
            f = symmetrize(lambda x: np.abs(x[0, 0]), matrix_actions(random_orthogonal(n, 3, rng)))
            errors.append(invariance_error(f, matrix_actions(random_orthogonal(20, 3, rng)), x))
        assert errors[0] > 3 * errors[1] > 1e-3
        assert f(x) == pytest.approx(np.linalg.norm(x) / 2, rel=SPREAD)  # the mean of |cos θ| over a sphere is 1/2

    def test_tuples_and_torch_tensors_are_averaged_entry_by_entry(self):
        f = symmetrize(lambda x: (x.sum(), x[0]), cyclic_shifts(5))
        x = torch.tensor(draw(5), requires_grad=True)
        total, mean = f(x)
        assert total.item() == pytest.approx(x.sum().item(), rel=SUMMED)
        assert mean.item() == pytest.approx(x.mean().item(), rel=SUMMED)
        assert torch.autograd.gradcheck(f, x)

    def test_results_next_to_overflow_are_averaged(self):
        assert symmetrize(lambda x: x, [nothing, nothing])(np.array(1.7e308)) == 1.7e308


class TestActions:
    def test_rows_times_transposed_matrices_are_an_action_and_rows_times_matrices_are_none(self):
        table, x = multiplication_table(SQUARE), draw(5, 2)
        assert action_error(matrix_actions(SQUARE), table, x) == 0
        assert action_error([lambda x, m=m: x @ m for m in SQUARE], table, x) > 0.5

    def test_orders_act_in_the_order_of_their_matrices(self):
        orders = list(itertools.permutations(range(4)))
        columns = np.eye(4)[np.array(orders)]  # row i has its one where entry i goes, so the matrix is the transpose
        table = multiplication_table(columns.mT)
        assert action_error(permutation_actions(orders), table, draw(4, 3)) == 0

    def test_shifts_turns_and_reflections_are_actions_of_cyclic_groups(self):
        for n, actions in [(11, cyclic_shifts(11)), (4, quarter_turns()), (2, reflections()), (2, reflections(-2))]:
            assert action_error(actions, np.add.outer(range(n), range(n)) % n, draw(7, 11)) == 0

    def test_a_tuple_may_be_acted_on(self):
        actions = [nothing, lambda both: (both[1], both[0])]
        assert action_error(actions, [[0, 1], [1, 0]], (draw(3), draw(3, seed=1))) == 0

    def test_an_identity_that_moves_something_is_found(self):
        assert action_error([lambda x: 0 * x], [[0]], np.ones(3)) == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: is_invariant(np.sum, [], np.ones(3)), "at least one action, got 0"),
        (lambda: symmetrize(np.sum, []), "at least one action, got 0"),
        (lambda: is_equivariant(np.sum, [], [], np.ones(3)), "at least one action, got 0"),
        (lambda: is_equivariant(np.sum, [nothing] * 2, [nothing], np.ones(3)), "must be as many, got 2 and 1"),
        (lambda: is_invariant(np.sum, [nothing], np.ones(3), -1e-9), "finite and not negative, got -1e-09"),
        (lambda: is_invariant(np.sum, [nothing], np.ones(3), np.nan), "finite and not negative, got nan"),
        (lambda: is_invariant(nothing, [nothing], np.ones((3, 0))), r"must not be empty, got shape \(3, 0\)"),
        (lambda: invariance_error(lambda x: (), [nothing], np.ones(3)), r"or tuples of at least one, got \(\)"),
        (lambda: is_invariant(nothing, [nothing], np.array([1, np.nan])), "must be finite, got nan"),
        (lambda: is_invariant(nothing, [lambda x: x / 1e-300], np.array([0, 1e9])), "must be finite, got inf"),
        (lambda: is_invariant(nothing, [np.transpose], np.ones((3, 1))), r"same shape, got \(1, 3\) and \(3, 1\)"),
        (lambda: is_invariant(lambda x: (x,) * len(x), [lambda x: x[:2]], np.ones(3)), "same length, got 2 and 3"),
        (lambda: symmetrize(nothing, [nothing, np.transpose])(np.ones((3, 1))), "must have the same shape"),
        (lambda: symmetrize(tuple, [nothing, lambda x: x[:2]])(np.ones(3)), "got a tuple of 2 and a tuple of 3"),
        (lambda: symmetrize(nothing, [nothing, tuple])(np.ones((2, 3))), "got a tuple of 2 and no tuple"),
        (lambda: symmetrize(nothing, [tuple, nothing])(np.ones((2, 3))), "got a tuple of 2 and no tuple"),
        (lambda: action_error([nothing], [[0, 1], [1, 0]], np.ones(3)), "as the group has elements, got 1 for 2"),
        (lambda: action_error([nothing], [[1]], np.ones(3)), "breaks closure: 0 times 0 is none of the 1 elements"),
        (
            lambda: symmetrize_equivariant(nothing, [nothing] * 2, [nothing] * 2, [[0, 0], [0, 1]]),
            "breaks inverses: no element undoes 0",
        ),
        (
            lambda: symmetrize_equivariant(nothing, [nothing] * 3, [nothing] * 3, [[0, 1], [1, 0]]),
            "got 3 for 2",
        ),
    ],
)
def test_bad_input_is_refused_with_the_rule_and_both_values(call, message):
    with np.errstate(over="ignore"), pytest.raises(ValueError, match=message):
        call()
