"""Groups by tables and by generators, and what their elements do to arrays."""

import itertools
import math

import numpy as np
import pytest
import scipy.stats
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation
from sympy.combinatorics import Permutation, PermutationGroup

from mlnotes.groups import (
    broken_axioms,
    cyclic_shifts,
    generate_group,
    identity,
    inverses,
    matrix_actions,
    multiplication_table,
    permutation_actions,
    quarter_turns,
    random_orthogonal,
    reflections,
)

# A rounding is 1.1e-16.
APART = 1e-9  # far more than rounding, and far less than two elements differ
WORDS = 1e-14  # words of at most 10 turns, each a sum of 3 products of numbers up to 1: 40 roundings are 4e-15
ROUNDED = 1e-14  # columns of up to 5 coordinates, made orthogonal one after the other: 40 roundings, and their products


def rotation(angle):
    return np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])


class TestAxioms:
    def test_of_all_tables_on_two_elements_as_many_pass_as_are_known_to(self):
        broken = [broken_axioms(np.reshape(entries, (2, 2))) for entries in itertools.product(range(2), repeat=4)]
        # Sequences A023814 (semigroups), A058153 (monoids) and A034383 (groups) of the OEIS.
        assert sum("associativity" not in axioms for axioms in broken) == 8
        assert sum(not {"associativity", "identity"} & set(axioms) for axioms in broken) == 4
        assert sum(not axioms for axioms in broken) == 2

    def test_of_all_tables_on_three_elements_as_many_pass_as_are_known_to(self):
        """Take those on which element 0 is an identity from the left: a third of all 33 monoids and of all 3 groups."""
        tables = (np.reshape([0, 1, 2, *entries], (3, 3)) for entries in itertools.product(range(3), repeat=6))
        broken = [broken_axioms(table) for table in tables]
        assert sum(not {"associativity", "identity"} & set(axioms) for axioms in broken) == 11
        assert sum(not axioms for axioms in broken) == 1

    @pytest.mark.parametrize(
        ("table", "axioms"),
        [
            ([[0, 1], [1, 2]], ["closure"]),
            ([[0, 1], [1, -1]], ["closure"]),
            ([[0, 0], [1, 1]], ["identity"]),
            ([[0, 1], [1, 1]], ["inverses"]),
            ([[0, 1, 2], [1, 0, 2], [2, 2, 0]], ["associativity"]),
            ([[1, 0], [0, 0]], ["associativity", "identity"]),
        ],
    )
    def test_each_axiom_is_named_with_an_example(self, table, axioms):
        broken = broken_axioms(table)
        assert sorted(broken) == axioms
        for axiom in broken:
            with pytest.raises(ValueError, match=f"must be that of a group, got one that breaks {next(iter(broken))}"):
                inverses(table)
            assert broken[axiom]

    def test_an_inverse_from_one_side_is_none(self):
        # Every row and column holds every element, and 2 times 4 is the identity, but 4 times 2 is not.
        table = [[0, 1, 2, 3, 4], [1, 0, 3, 4, 2], [2, 3, 4, 1, 0], [3, 4, 0, 2, 1], [4, 2, 1, 0, 3]]
        assert broken_axioms(table)["inverses"] == "no element undoes 2, from the left and from the right"

    def test_the_example_is_one(self):
        table = np.array([[0, 1, 2], [1, 0, 2], [2, 2, 0]])
        words = broken_axioms(table)["associativity"]
        i, j, k = (int(c) for c in words.split(" is not ")[0] if c.isdigit())
        assert table[table[i, j], k] != table[i, table[j, k]]

    @pytest.mark.parametrize("unit", [1, 4])
    def test_the_identity_may_stand_anywhere(self, unit):
        renamed = np.roll(np.arange(5), unit)
        table = np.empty((5, 5), int)
        table[np.ix_(renamed, renamed)] = renamed[np.add.outer(range(5), range(5)) % 5]
        assert broken_axioms(table) == {}
        assert identity(table) == renamed[0]
        assert [table[i, j] for i, j in enumerate(inverses(table))] == [renamed[0]] * 5

    def test_a_table_of_lists_without_identity_has_none(self):
        assert identity([[0, 0], [1, 1]]) is None
        assert identity([[0]]) == 0

    @pytest.mark.parametrize(
        ("table", "message"),
        [
            ([[0, 1]], r"square and not empty, got shape \(1, 2\)"),
            (np.zeros((0, 0), int), r"square and not empty, got shape \(0, 0\)"),
            ([[0.0]], "must hold integers, got dtype float64"),
        ],
    )
    def test_what_is_no_table_is_refused(self, table, message):
        for f in (broken_axioms, identity, inverses):
            with pytest.raises(ValueError, match=message):
                f(table)


class TestGenerators:
    @pytest.mark.parametrize("n", [1, 2, 3, 7, 30])
    def test_a_turn_and_a_mirror_make_the_2n_symmetries_of_a_polygon(self, n):
        elements = generate_group([rotation(2 * math.pi / n), np.diag([1.0, -1.0])])
        assert len(elements) == 2 * n
        assert broken_axioms(multiplication_table(elements)) == {}
        np.testing.assert_array_equal(elements[0], np.eye(2))

    @settings(max_examples=30, deadline=None)
    @given(st.lists(st.permutations(range(5)), min_size=1, max_size=2))
    def test_permutations_make_as_many_as_sympy_counts(self, orders):
        elements = generate_group(np.eye(5)[np.array(orders)])
        assert len(elements) == PermutationGroup([Permutation(order) for order in orders]).order()

    @pytest.mark.parametrize(("name", "order"), [("T", 12), ("O", 24), ("I", 60)])
    def test_rotations_of_the_solids_are_those_of_scipy(self, name, order):
        expected = Rotation.create_group(name).as_matrix()
        # One after the other joins, until all of them can be made.
        elements, chosen = expected[:1], []
        for candidate in expected:
            if np.abs(elements - candidate).max(axis=(1, 2)).min() > APART:
                chosen.append(candidate)
                elements = generate_group(chosen)
        assert len(elements) == order
        assert len(chosen) < 5
        assert (np.abs(elements[:, None] - expected).max(axis=(-1, -2)).min(axis=1) < WORDS).all()

    def test_two_turns_of_an_icosahedron_make_all_sixty(self):
        golden = (1 + 5**0.5) / 2
        fifth = Rotation.from_rotvec(2 * math.pi / 5 * np.array([0, 1, golden]) / math.hypot(1, golden)).as_matrix()
        third = np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]])
        elements = generate_group([fifth, third])
        assert len(elements) == 60
        assert broken_axioms(multiplication_table(elements)) == {}

    def test_elements_need_not_be_orthogonal(self):
        skew = np.array([[1e3, 1.0], [0.0, 1e-3]])
        elements = generate_group([skew @ rotation(2 * math.pi / 7) @ np.linalg.inv(skew)])
        assert len(elements) == 7

    @pytest.mark.parametrize("i", range(3))
    def test_products_that_are_missing_break_closure(self, i):
        elements = np.delete(generate_group([rotation(math.pi / 2)]), i, axis=0)
        assert list(broken_axioms(multiplication_table(elements))) == ["closure"]

    def test_a_projection_has_no_inverse(self):
        table = multiplication_table([np.eye(2), np.diag([1.0, 0.0])])
        assert list(broken_axioms(table)) == ["inverses"]

    @pytest.mark.parametrize(
        "endless",
        [rotation(1.0), [[1.0, 1.0], [0.0, 1.0]], np.diag([2.0, 0.5]), np.diag([1e200, 1e-200])],
    )
    def test_an_infinite_group_is_given_up(self, endless):
        with pytest.raises(ValueError, match="must give at most max_order=200 elements, got more"):
            generate_group([endless], max_order=200)

    @pytest.mark.parametrize(
        ("generators", "message"),
        [
            ([np.diag([1.0, 0.0])], "determinant must be 1 or -1, got one of size e\\^-inf"),
            ([np.diag([2.0, 1.0])], "determinant must be 1 or -1, got one of size e\\^0.6931"),
            ([np.diag([1e200, 1e200])], "determinant must be 1 or -1, got one of size e\\^921"),
            (np.eye(2), r"shape \(n, d, d\), got shape \(2, 2\)"),
            (np.ones((1, 2, 3)), r"shape \(n, d, d\), got shape \(1, 2, 3\)"),
            (np.ones((0, 2, 2)), r"shape \(n, d, d\), got shape \(0, 2, 2\)"),
            ([[[np.nan]]], "must hold finite numbers, got nan"),
            ([[[1j]]], "matrices must hold real numbers, got dtype complex128"),
        ],
    )
    def test_what_generates_no_group_is_refused(self, generators, message):
        with pytest.raises(ValueError, match=message):
            generate_group(generators)

    def test_small_matrices_are_told_apart(self):
        assert multiplication_table([[[1e-12]], [[2e-12]]]).tolist() == [[-1, -1], [-1, -1]]

    def test_products_beyond_the_largest_number_are_not_found(self):
        table = multiplication_table([np.eye(2), np.diag([1e200, 1e-200])])
        assert table.tolist() == [[0, 1], [1, -1]]


class TestActions:
    @pytest.mark.parametrize("make", [np.asarray, torch.asarray])
    def test_shifts_turns_and_reflections_are_those_of_numpy(self, make):
        x = np.random.default_rng(0).normal(size=(2, 3, 5))
        for k, action in enumerate(cyclic_shifts(5)):
            np.testing.assert_array_equal(action(make(x)), np.roll(x, k, -1))
        for k, action in enumerate(cyclic_shifts(3, axis=1)):
            np.testing.assert_array_equal(action(make(x)), np.roll(x, k, 1))
        for axes in [(-2, -1), (2, 0)]:
            for k, action in enumerate(quarter_turns(axes)):
                np.testing.assert_array_equal(action(make(x)), np.rot90(x, k, axes))
        for k, action in enumerate(reflections(0)):
            np.testing.assert_array_equal(action(make(x)), x[:: 1 - 2 * k])

    def test_matrices_act_on_every_row_in_every_precision(self, backend):
        matrix, x = np.array([[1.0, 2.0], [3.0, 5.0]]), np.random.default_rng(0).normal(size=(3, 5, 2))
        expected = np.einsum("ij,blj->bli", backend.like(matrix), backend.like(x))
        found = backend.read(matrix_actions([matrix])[0](backend.array(x)))
        np.testing.assert_allclose(found, expected, rtol=0, atol=16 * backend.tolerance)

    @pytest.mark.parametrize("make", [np.asarray, torch.asarray])
    def test_an_order_says_where_each_entry_goes(self, make):
        (move,) = permutation_actions([[2, 0, 1]], axis=-1)
        assert move(make([10.0, 20.0, 30.0])).tolist() == [20, 30, 10]

    def test_gradients_flow_through_actions(self):
        x = torch.tensor(np.random.default_rng(0).normal(size=(3, 3)), requires_grad=True)
        for action in (*cyclic_shifts(3), *quarter_turns(), *reflections(), *matrix_actions([np.ones((3, 3))])):
            assert torch.autograd.gradcheck(action, x)

    @pytest.mark.parametrize("d", [1, 2, 3, 5])
    def test_random_matrices_are_orthogonal_and_half_of_them_reflect(self, d):
        q = random_orthogonal(2000, d, np.random.default_rng(d))
        np.testing.assert_allclose(q @ q.mT, np.broadcast_to(np.eye(d), q.shape), rtol=0, atol=ROUNDED)
        np.testing.assert_allclose(np.abs(np.linalg.det(q)), 1, rtol=0, atol=ROUNDED)
        assert scipy.stats.binomtest(int((np.linalg.det(q) > 0).sum()), 2000).pvalue > 0.01

    def test_random_matrices_are_spread_evenly(self):
        q = random_orthogonal(4000, 3, np.random.default_rng(1))
        # Each coordinate of a point drawn evenly from a sphere is uniform from -1 to 1.
        assert min(scipy.stats.kstest(q[:, i, j], "uniform", (-1, 2)).pvalue for i in range(3) for j in range(3)) > 0.01
        theirs = scipy.stats.ortho_group(3, seed=0).rvs(4000)
        assert scipy.stats.ks_2samp(np.trace(q, axis1=1, axis2=2), np.trace(theirs, axis1=1, axis2=2)).pvalue > 0.01

    @pytest.mark.parametrize(
        ("call", "message"),
        [
            (lambda: cyclic_shifts(0), "n must be positive, got 0"),
            (lambda: cyclic_shifts(3)[0](np.ones(5)), r"axis -1 must have 3 entries, got shape \(5,\)"),
            (lambda: cyclic_shifts(3, axis=1)[0](np.ones(3)), r"axis 1 must have 3 entries, got shape \(3,\)"),
            (lambda: permutation_actions([[0, 0]]), r"numbers 0 to 1 once each, got \[0, 0\]"),
            (lambda: permutation_actions([[1, 2]]), r"numbers 0 to 1 once each, got \[1, 2\]"),
            (lambda: permutation_actions([0, 1, 2]), r"must be a row of numbers, got shape \(\)"),
            (lambda: permutation_actions([[0, 1]], axis="a"), "axis must be an integer, got 'a'"),
            (lambda: cyclic_shifts(3, 1.5), r"axis must be an integer, got 1\.5"),
            (lambda: reflections(None), "axis must be an integer, got None"),
            (lambda: reflections(2)[1](np.eye(2)), "one of the array's 2 axes, got axis 2"),
            (lambda: quarter_turns((1, 1)), r"two different ones, got \(1, 1\)"),
            (lambda: quarter_turns(1), "two different ones, got 1"),
            (lambda: quarter_turns((0, 1.5)), r"second_axis must be an integer, got 1\.5"),
            (lambda: quarter_turns((0, 3))[1](np.ones((2, 3, 5))), "one of the array's 3 axes, got axis 3"),
            (lambda: matrix_actions([np.eye(2)])[0](np.ones(3)), r"must have 2 coordinates, got shape \(3,\)"),
            (lambda: quarter_turns((1, -1))[1](np.eye(2)), r"different ones, got \(1, -1\) for shape \(2, 2\)"),
            (lambda: quarter_turns((-3, 0))[3](np.ones((2, 3, 5))), r"got \(-3, 0\) for shape \(2, 3, 5\)"),
            (lambda: matrix_actions([np.eye(2)])[0](np.ones(2, int)), "must hold floating-point numbers, got dtype i"),
            (lambda: matrix_actions(np.eye(2)), r"shape \(n, d, d\), got shape \(2, 2\)"),
            (lambda: matrix_actions([np.diag([1.0, 1j])]), "matrices must hold real numbers, got dtype complex128"),
            (lambda: random_orthogonal(0, 3, None), "n must be positive, got 0"),
            (lambda: random_orthogonal(2, 1.5, None), r"d must be an integer, got 1\.5"),
        ],
    )
    def test_bad_input_is_refused_with_the_rule_and_both_values(self, call, message):
        with pytest.raises(ValueError, match=message):
            call()
