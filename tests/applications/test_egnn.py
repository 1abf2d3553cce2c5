"""E(n)-equivariant graph layers, and the layer that holds their functions."""

import itertools
import math

import numpy as np
import pytest
import torch

from mlnotes.applications.egnn import (
    displacements,
    edge_mask,
    egnn_layer,
    egnn_velocity_layer,
    graph_layer,
    messages,
)
from mlnotes.applications.mlp import mlp, silu
from mlnotes.blocks.equivariance import equivariance_error, invariance_error, is_equivariant
from mlnotes.charges import draw_charges, simulate_charges
from mlnotes.groups import matrix_actions, permutation_actions, random_orthogonal
from mlnotes.layers.egnn import EGNN, GraphNetwork

# A rounding is 1.1e-16 in double precision.
SUMMED = 3e-13  # sums over particles and networks, up to 89: 30 roundings
LAYERS = 1e-13  # the same up to 50, of which not all are as large; measured: 2e-14, and 0 where the order is the same
FEW = 1e-14  # one network, up to 2.3: 20 roundings are 5e-15
SINGLE = 1e-6  # features in single precision, a few roundings of 6e-8; measured: 3e-7
FAR = 1e-6  # coordinates of 1e8 are rounded by 7e-9, and squared distances by some ten times that; measured: 3e-7


def draw(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


N, K, C, E, D = 7, 2, 5, 3, 3  # points, features, message, edge features, dimensions
H, X, V, A = draw(N, K), draw(N, D, seed=1), draw(N, D, seed=2), draw(N, N, E, seed=3)
MASK = np.random.default_rng(4).random((N, N)) < 0.5
MASK[2] = False
WIDTHS = {"phi_e": (2 * K + 1 + E, C), "phi_x": (C, 1), "phi_h": (K + C, 11), "phi_v": (K, 1)}
WEIGHTS = {
    name: [draw(d_in, 13, seed=5) / 2, draw(13, seed=6), draw(13, d_out, seed=7) / 2, draw(d_out, seed=8)]
    for name, (d_in, d_out) in WIDTHS.items()
}


def functions(*names, make=np.asarray):
    def phi(name):
        made = [make(w) for w in WEIGHTS[name]]
        return lambda x: mlp(x, made[::2], made[1::2], silu)

    return [phi(name) for name in names]


def by_loops(h, x, v=None, mask=None, a=None, weights=WEIGHTS):
    """Follow the equations with loops over numbers, sharing nothing with the package."""

    def mlp(name, t):
        w_1, b_1, w_2, b_2 = (w.tolist() for w in weights[name])
        hidden = [sum(t[i] * w_1[i][c] for i in range(len(t))) + b_1[c] for c in range(len(b_1))]
        hidden = [s / 2 * (1 + math.tanh(s / 2)) for s in hidden]
        return [sum(hidden[c] * w_2[c][o] for c in range(len(hidden))) + b_2[o] for o in range(len(b_2))]

    h, x = h.tolist(), x.tolist()
    new_h, new_x, new_v = [], [], []
    for i in range(len(h)):
        total, moved, heard = [0.0] * C, [0.0] * D, 0
        for j in range(len(h)):
            if j == i or (mask is not None and not mask[i, j]):
                continue
            squared = sum((x[i][k] - x[j][k]) ** 2 for k in range(D))
            m = mlp("phi_e", h[i] + h[j] + [squared] + ([0.0] * E if a is None else a[i, j].tolist()))
            weight = mlp("phi_x", m)[0]
            total = [s + t for s, t in zip(total, m, strict=True)]
            moved = [moved[k] + (x[i][k] - x[j][k]) * weight for k in range(D)]
            heard += 1
        moved = [s / heard if heard else 0.0 for s in moved]
        if v is not None:
            kept = mlp("phi_v", h[i])[0]
            moved = [kept * v[i, k] + moved[k] for k in range(D)]
            new_v.append(moved)
        new_x.append([x[i][k] + moved[k] for k in range(D)])
        new_h.append(mlp("phi_h", h[i] + total))
    return [np.array(new_h), np.array(new_x)] + ([np.array(new_v)] if v is not None else [])


def euclidean_actions(n, rng, make=np.asarray, spread=1.0):
    """Rotate and reflect, and translate positions, in states (features, positions, vectors …)."""

    def action(turn, offset):
        return lambda state: (state[0], turn(state[1]) + make(offset), *map(turn, state[2:]))

    offsets = rng.normal(size=(n, 1, D)) * spread
    return [action(*both) for both in zip(matrix_actions(random_orthogonal(n, D, rng)), offsets, strict=True)]


def renaming_actions(n, rng):
    orders = permutation_actions([rng.permutation(N) for _ in range(n)])
    return [lambda state, move=move: tuple(map(move, state)) for move in orders]


class TestEquations:
    @pytest.mark.parametrize("mask", [None, MASK])
    def test_layer_agrees_with_loops_over_points_in_every_precision(self, backend, mask):
        h, x, a = map(backend.like, (H, X, A))
        weights = {name: [backend.like(w) for w in ws] for name, ws in WEIGHTS.items()}
        phis = functions("phi_e", "phi_x", "phi_h", make=backend.array)
        found = egnn_layer(*map(backend.array, (H, X)), *phis, mask, backend.array(A))
        for one, other in zip(found, by_loops(h, x, None, mask, a, weights), strict=True):
            tolerance = 2 * backend.tolerance * np.abs(other).max()
            np.testing.assert_allclose(backend.read(one), other, rtol=0, atol=tolerance)

    @pytest.mark.parametrize("mask", [None, MASK])
    def test_layer_with_velocities_agrees_with_loops_over_points(self, mask):
        found = egnn_velocity_layer(H, X, V, *functions(*WIDTHS), mask, A)
        for one, other in zip(found, by_loops(H, X, V, mask, A), strict=True):
            np.testing.assert_allclose(one, other, rtol=0, atol=SUMMED)

    def test_leading_axes_are_free_and_broadcast(self):
        phis = functions("phi_e", "phi_x", "phi_h")
        h, x, a = draw(2, 1, N, K), draw(3, N, D), draw(N, N, E)
        mask = np.random.default_rng(1).random((3, N, N)) < 0.5
        new_h, new_x = egnn_layer(h, x, *phis, mask, a)
        assert new_h.shape == (2, 3, N, 11)
        assert new_x.shape == (2, 3, N, D)
        one_h, one_x = egnn_layer(h[1, 0], x[2], *phis, mask[2], a)
        np.testing.assert_allclose(new_h[1, 2], one_h, rtol=0, atol=LAYERS)
        np.testing.assert_allclose(new_x[1, 2], one_x, rtol=0, atol=LAYERS)

    @pytest.mark.parametrize("d", [1, 2, 5])
    def test_any_dimension_will_do(self, d):
        x, phis = draw(N, d), functions("phi_e", "phi_x", "phi_h")
        turns = matrix_actions(random_orthogonal(5, d, np.random.default_rng(0)))
        actions = [lambda s, turn=turn: (s[0], turn(s[1])) for turn in turns]
        assert is_equivariant(lambda s: egnn_layer(*s, *phis, None, A), actions, actions, (H, x), 1e-12)

    @pytest.mark.parametrize("make", [np.float16, torch.float16, torch.bfloat16])
    def test_half_precision_holds_points_whose_squared_distances_it_does_not_hold(self, make):
        def half(x):
            return make(x) if make is np.float16 else torch.tensor(x, dtype=make)

        h = half([[0.0], [0.0], [0.0]])
        x = half([[0.0, 0.0], [300.0, 0.0], [0.0, 400.0]])  # 300, 400 and 500 apart; float16 ends at 65504
        phis = (lambda known: known[..., -1:] ** 0.5 / 100, lambda m: m / 10, lambda known: known[..., -1:])
        new_h, new_x = egnn_layer(h, x, *phis)
        assert new_h.dtype == new_x.dtype == h.dtype
        assert new_h.tolist() == [[3 + 4], [3 + 5], [4 + 5]]
        moved = [[-45, -80], [300 + 120, -100], [-75, 400 + 180]]
        assert new_x.tolist() == moved
        _, new_x, v = egnn_velocity_layer(h, x, x, *phis, lambda h: h - 1)
        assert new_x.dtype == v.dtype == h.dtype
        assert new_x.tolist() == (half(moved) - x).tolist()
        m = messages(h, x, phis[0])
        assert m[..., 0].tolist() == [[0, 3, 4], [3, 0, 5], [4, 5, 0]]
        assert displacements(x, m, phis[1]).tolist() == (half(moved) - x).tolist()


def plain_functions(edges=E, make=np.asarray):
    """Make functions for `graph_layer`, which see and give coordinates."""
    ends = {"phi_e": (2 * K + D + edges, C), "phi_x": (C, D), "phi_h": (K + C, K)}
    weights = [(make(draw(*it, seed=sum(it)) / 2), make(draw(it[1], seed=3))) for it in ends.values()]
    return [lambda t, w=w, b=b: silu(t @ w + b) for w, b in weights]


class TestPlainLayer:
    @pytest.mark.parametrize("make", [np.asarray, torch.tensor])
    @pytest.mark.parametrize("mask", [None, MASK])
    def test_agrees_with_loops_over_points(self, mask, make):
        phi_e, phi_x, phi_h = plain_functions()
        new_h, new_x = [], []
        for i in range(N):
            heard = [j for j in range(N) if j != i and (mask is None or mask[i, j])]
            m = [phi_e(np.array([*H[i], *H[j], *(X[i] - X[j]), *A[i, j]])) for j in heard]
            new_h.append(phi_h(np.array([*H[i], *sum(m, np.zeros(C))])))
            new_x.append(X[i] + sum(map(phi_x, m), np.zeros(D)) / max(1, len(heard)))
        found = graph_layer(make(H), make(X), *plain_functions(make=make), mask, make(A))
        for one, other in zip(found, (new_h, new_x), strict=True):
            np.testing.assert_allclose(one, np.array(other), rtol=0, atol=LAYERS)

    def test_a_function_that_gives_one_weight_is_refused(self):
        phi_e, _, phi_h = plain_functions(edges=0)
        with pytest.raises(ValueError, match=r"phi_x must give an array of shape \(7, 7, 3\), got \(7, 7, 1\)"):
            graph_layer(H, X, phi_e, lambda m: m[..., :1], phi_h)

    def test_a_message_of_another_shape_is_refused(self):
        _, phi_x, phi_h = plain_functions(edges=0)
        with pytest.raises(ValueError, match=r"phi_e must give an array of shape \(7, 7, 5\), got \(7, 5\)"):
            graph_layer(H, X, lambda t: t[0, ..., :5], phi_x, phi_h)


class TestPlainNetwork:
    def test_calls_the_function_with_its_parameters_layer_by_layer(self):
        net = GraphNetwork(4, 3, 1, n_layers=2, rng=np.random.default_rng(0)).double()
        h, x, a = (torch.tensor(it) for it in (draw(N, 4), X, A[..., :1]))
        found = net(h, x, torch.tensor(MASK), a)
        for layer in net.layers:
            phis = [lambda t, w=w: mlp(t, w[::2], w[1::2], silu) for w in map(list, layer.values())]
            h, x = graph_layer(h, x, *phis, torch.tensor(MASK), a)
        for one, other in zip(found, (h, x), strict=True):
            torch.testing.assert_close(one, other, rtol=0, atol=LAYERS)

    def test_differs_from_the_equivariant_network_by_the_coordinates_alone(self):
        count = [sum(p.numel() for p in it.parameters()) for it in (EGNN(8, 1, 2), GraphNetwork(8, 2, 1, 2))]
        assert count[1] - count[0] == 2 * (8 + 8 + 1)
        plain = [tuple(p.shape) for p in GraphNetwork(8, 1, 1, 2).parameters()]
        assert plain == [tuple(p.shape) for p in EGNN(8, 1, 2).parameters()]

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"d_model": 0}, "d_model must be positive, got 0"),
            ({"d_space": 0}, "d_space must be positive, got 0"),
            ({"n_layers": 0}, "n_layers must be positive, got 0"),
            ({"d_edge": -1}, "d_edge must not be negative, got -1"),
        ],
    )
    def test_refuses_widths_that_are_not_positive(self, arguments, message):
        with pytest.raises(ValueError, match=message):
            GraphNetwork(**{"d_model": 4, "d_space": 2, **arguments})


class TestSymmetry:
    """Float32 within 1e-6: features have a size of about 3, and every sum is rounded to 6e-8 of its size."""

    def in_single(self, seed, n=20):
        rng = np.random.default_rng(seed)

        def single(a):
            return torch.tensor(a, dtype=torch.float32)

        layer = EGNN(16, n_layers=1, velocity=True, rng=rng)
        state = tuple(map(single, (rng.normal(size=(N, 16)), rng.normal(size=(N, D)), rng.normal(size=(N, D)))))
        return layer, state, euclidean_actions(n, rng, single), renaming_actions(n, rng)

    @pytest.mark.parametrize("seed", range(5))
    def test_float32_follows_rotations_reflections_and_translations_to_a_millionth(self, seed):
        layer, state, moves, _ = self.in_single(seed)
        assert is_equivariant(lambda s: layer(*s), moves, moves, state, 1e-6)

    @pytest.mark.parametrize("seed", range(5))
    def test_float32_follows_permutations_to_a_millionth(self, seed):
        layer, state, _, renamings = self.in_single(seed)
        assert is_equivariant(lambda s: layer(*s), renamings, renamings, state, 1e-6)

    def test_without_velocities_too_and_features_do_not_notice_the_moves(self):
        phis = functions("phi_e", "phi_x", "phi_h", make=lambda w: np.asarray(w, np.float32))
        h, x, a = (y.astype(np.float32) for y in (H, X, A))
        rng = np.random.default_rng(0)
        moves = euclidean_actions(50, rng, np.float32)
        assert is_equivariant(lambda s: egnn_layer(*s, *phis, MASK, a), moves, moves, (h, x), 1e-6)
        assert invariance_error(lambda s: egnn_layer(*s, *phis, MASK, a)[0], moves, (h, x)) < SINGLE

    def test_double_precision_follows_them_to_its_own_rounding(self):
        phis, rng = functions("phi_e", "phi_x", "phi_h"), np.random.default_rng(0)
        moves = euclidean_actions(50, rng)
        assert is_equivariant(lambda s: egnn_layer(*s, *phis, None, A), moves, moves, (H, X), 3e-15)

    def test_masks_and_edge_features_are_renamed_with_the_points(self):
        phis, order = functions("phi_e", "phi_x", "phi_h"), np.random.default_rng(0).permutation(N)
        both = np.ix_(order, order)
        renamed = egnn_layer(H[order], X[order], *phis, MASK[both], A[both])
        for one, other in zip(renamed, egnn_layer(H, X, *phis, MASK, A), strict=True):
            np.testing.assert_allclose(one, other[order], rtol=0, atol=LAYERS)

    def test_a_plain_graph_network_fails_the_same_test(self):
        phis, rng = plain_functions(edges=0), np.random.default_rng(0)
        renamings, moves = renaming_actions(20, rng), euclidean_actions(20, rng)
        assert is_equivariant(lambda it: graph_layer(*it, *phis), renamings, renamings, (H, X), 1e-12)
        assert not is_equivariant(lambda it: graph_layer(*it, *phis), moves, moves, (H, X), 1e-6)
        assert 0.3 < equivariance_error(lambda it: graph_layer(*it, *phis), moves, moves, (H, X)) < 1.5

    def test_a_plain_graph_network_follows_translations(self):
        phis = plain_functions(edges=0)
        h, x = graph_layer(H, X + np.array([3.0, -1.0, 2.0]), *phis)
        np.testing.assert_allclose(h, graph_layer(H, X, *phis)[0], rtol=0, atol=LAYERS)
        np.testing.assert_allclose(x - np.array([3.0, -1.0, 2.0]), graph_layer(H, X, *phis)[1], rtol=0, atol=LAYERS)

    def test_a_weight_for_each_coordinate_would_break_it_and_is_refused(self):
        phi_e, phi_h = functions("phi_e", "phi_h")
        with pytest.raises(ValueError, match=r"phi_x must give an array of shape \(7, 7, 1\), got \(7, 7, 3\)"):
            egnn_layer(H, X, phi_e, lambda m: m[..., :3], phi_h, None, A)

    def test_far_from_the_origin_only_positions_are_rounded(self):
        phis = functions("phi_e", "phi_x", "phi_h")
        near, far = egnn_layer(H, X, *phis, None, A), egnn_layer(H, X + 1e8, *phis, None, A)
        np.testing.assert_allclose(far[0], near[0], rtol=0, atol=FAR)
        np.testing.assert_allclose(far[1] - 1e8, near[1], rtol=0, atol=FAR)


class TestGradients:
    def test_are_right_for_everything_that_goes_in(self):
        inputs = [torch.tensor(a, requires_grad=True) for a in (H[:3], X[:3], V[:3], A[:3, :3])]
        weights = [torch.tensor(w, requires_grad=True) for ws in WEIGHTS.values() for w in ws]

        def f(h, x, v, a, *weights):
            phis = [
                lambda t, i=4 * i: mlp(t, weights[i : i + 4 : 2], weights[i + 1 : i + 4 : 2], silu) for i in range(4)
            ]
            return egnn_velocity_layer(h, x, v, *phis, MASK[:3, :3], a)

        assert torch.autograd.gradcheck(f, (*inputs, *weights), fast_mode=True)

    def test_points_that_coincide_move_apart_by_nothing(self):
        _, moved = egnn_layer(H[:2], X[[0, 0]], *functions("phi_e", "phi_x", "phi_h"), None, A[:2, :2])
        np.testing.assert_array_equal(moved, X[[0, 0]])

    def test_are_finite_and_right_also_where_points_coincide(self):
        h, x, a = torch.tensor(H[:4]), torch.tensor(X[[0, 0, 0, 1]], requires_grad=True), torch.tensor(A[:4, :4])
        phis = functions("phi_e", "phi_x", "phi_h", make=torch.tensor)
        assert torch.autograd.gradcheck(lambda x: egnn_layer(h, x, *phis, None, a), x)
        sum(y.sum() for y in egnn_layer(h, x, *phis, None, a)).backward()
        assert torch.isfinite(x.grad).all()

    def test_points_that_nobody_hears_may_be_anywhere(self):
        mask = np.ones((N, N), bool)
        mask[:, -1] = mask[-1] = False
        x = np.vstack([X[:-1], [[1e300, -1e300, 1e300]]])
        phis = functions("phi_e", "phi_x", "phi_h", make=torch.tensor)
        x = torch.tensor(x, requires_grad=True)
        _, moved = egnn_layer(torch.tensor(H), x, *phis, mask, torch.tensor(A))
        moved[:-1].sum().backward()
        assert torch.isfinite(x.grad).all()
        alone = egnn_layer(H[:-1], X[:-1], *functions("phi_e", "phi_x", "phi_h"), None, A[:-1, :-1])[1]
        np.testing.assert_allclose(moved[:-1].detach().numpy(), alone, rtol=0, atol=LAYERS)


    @pytest.mark.parametrize("mask", [None, MASK])
    def test_a_line_may_be_weighted_by_infinity_where_there_is_no_message(self, mask):
        phi_e, phi_h = functions("phi_e", "phi_h", make=torch.tensor)
        h, x, a = (torch.tensor(it) for it in (H, X, A))
        x.requires_grad_()
        (new_h, new_x), (_, tamed) = (
            egnn_layer(h, x, phi_e, phi_x, phi_h, mask, a)
            for phi_x in (lambda m: 1 / m[..., :1], lambda m: torch.where(m[..., :1] == 0, 0, 1 / m[..., :1]))
        )
        torch.testing.assert_close(new_x, tamed, rtol=0, atol=0)
        (new_h.sum() + new_x.sum()).backward()
        assert torch.isfinite(x.grad).all()


class TestEdges:
    EDGES = ((0, 1), (1, 0), (3, 2), (6, 0))

    def test_a_list_of_all_pairs_is_no_mask_at_all(self):
        everyone = edge_mask(list(itertools.permutations(range(N), 2)), N)
        phis = functions("phi_e", "phi_x", "phi_h")
        for one, other in zip(egnn_layer(H, X, *phis, everyone, A), egnn_layer(H, X, *phis, None, A), strict=True):
            np.testing.assert_array_equal(one, other)

    def test_messages_go_along_the_edges_only_and_against_no_edge(self):
        (phi_e,) = functions("phi_e")
        m = messages(H, X, phi_e, edge_mask(self.EDGES, N), A)
        assert [tuple(pair) for pair in np.argwhere(m.any(-1)).tolist()] == list(self.EDGES)

    def test_a_point_that_hears_nobody_stays_and_its_features_are_renewed_from_nothing(self):
        phi_e, phi_x, phi_h = functions("phi_e", "phi_x", "phi_h")
        new_h, new_x = egnn_layer(H, X, phi_e, phi_x, phi_h, edge_mask(self.EDGES, N), A)
        for silent in (2, 4, 5):
            np.testing.assert_array_equal(new_x[silent], X[silent])
            np.testing.assert_allclose(new_h[silent], phi_h(np.append(H[silent], np.zeros(C))), rtol=0, atol=FEW)
        lonely = egnn_layer(H[:1], X[:1], phi_e, phi_x, phi_h, None, A[:1, :1])
        np.testing.assert_array_equal(lonely[1], X[:1])

    def test_who_hears_one_point_moves_by_its_line_alone(self):
        (phi_x,) = functions("phi_x")
        m = draw(N, N, C)
        moved = displacements(X, m, phi_x, edge_mask(self.EDGES, N))
        np.testing.assert_allclose(moved[3], (X[3] - X[2]) * phi_x(m[3, 2]), rtol=0, atol=FEW)

    def test_no_edge_makes_a_mask_of_nothing(self):
        assert not edge_mask(np.zeros((0, 2), int), N).any()

    @pytest.mark.parametrize(
        ("edges", "message"),
        [
            ([[0, 1, 2]], r"pairs of integers, \(n_edges, 2\), got int64 of shape \(1, 3\)"),
            ([[0.0, 1.0]], "got float64 of shape"),
            ([], "got float64 of shape"),
            ([[0, 7]], "two different points from 0 to 6, got 0 and 7"),
            ([[-1, 2]], "two different points from 0 to 6, got -1 and 2"),
            ([[3, 3]], "two different points from 0 to 6, got 3 and 3"),
            ([[0, 1], [0, 1]], r"listed once each, got \[\[0, 1\], \[0, 1\]\]"),
        ],
    )
    def test_what_is_no_list_of_edges_is_refused(self, edges, message):
        with pytest.raises(ValueError, match=message):
            edge_mask(edges, N)

    @pytest.mark.parametrize(("n", "message"), [(-1, "n must not be negative, got -1"), (2.0, "n must be an integer")])
    def test_what_is_no_number_of_points_is_refused(self, n, message):
        with pytest.raises(ValueError, match=message):
            edge_mask(self.EDGES, n)


class TestBadInput:
    @pytest.mark.parametrize(
        ("changed", "message"),
        [
            ({"h": H[:5]}, r"h and x must have the same size along axis -2, got shapes \(5, 2\) and \(7, 3\)"),
            ({"h": H.astype(int)}, "h must hold floating-point numbers, got dtype int64"),
            ({"x": X.astype(int)}, "x must hold floating-point numbers, got dtype int64"),
            ({"h": H[:0], "x": X[:0]}, r"x must not be empty along axis -2, got shape \(0, 3\)"),
            ({"x": X[0]}, "x must have at least 2 axes"),
            ({"mask": MASK * 1.0}, "mask must be boolean, True for what counts, got dtype float64"),
            ({"mask": MASK[:5]}, r"mask must have shape \(7, 7\), up to sizes 1, got \(5, 7\)"),
            ({"edge_features": A[0]}, r"must have shape \(..., 7, 7, \?\) for 7 points, got \(7, 3\)"),
            ({"edge_features": A.astype(int)}, "edge_features must hold floating-point numbers"),
            ({"phi_e": lambda m: m.sum(0)}, r"phi_e must give an array of shape \(7, 7, 8\), got \(7, 8\)"),
            ({"phi_x": lambda m: m[..., 0]}, r"phi_x must give an array of shape \(7, 7, 1\), got \(7, 7\)"),
        ],
    )
    def test_is_refused_with_the_rule_and_both_values(self, changed, message):
        phi_e, phi_x, phi_h = functions("phi_e", "phi_x", "phi_h")
        arguments = {"h": H, "x": X, "phi_e": phi_e, "phi_x": phi_x, "phi_h": phi_h, "mask": MASK, "edge_features": A}
        with pytest.raises(ValueError, match=message):
            egnn_layer(**{**arguments, **changed})

    @pytest.mark.parametrize("n", [1, 5])
    def test_messages_between_other_points_are_refused(self, n):
        (phi_x,) = functions("phi_x")
        with pytest.raises(ValueError, match=rf"m must have shape \(..., 7, 7, \?\) for 7 points, got \({n}, {n}, 8\)"):
            displacements(X, np.ones((n, n, 8)), phi_x)

    def test_velocities_of_another_shape_are_refused(self):
        with pytest.raises(ValueError, match=r"v and x must have the same shape, got \(5, 3\) and \(7, 3\)"):
            egnn_velocity_layer(H, X, V[:5], *functions(*WIDTHS), None, A)
        phi_e, phi_x, phi_h = functions("phi_e", "phi_x", "phi_h")
        with pytest.raises(ValueError, match=r"phi_v must give an array of shape \(7, 1\), got \(7, 3\)"):
            egnn_velocity_layer(H, X, V, phi_e, phi_x, phi_h, lambda h: np.ones((N, 3)), None, A)


def _of(weights):
    w_1, b_1, w_2, b_2 = weights
    return lambda x: mlp(x, (w_1, w_2), (b_1, b_2), silu)


class TestLayer:
    def single(self, *arrays):
        return [torch.tensor(a, dtype=torch.float32) for a in arrays]

    def test_calls_the_function_with_its_parameters(self):
        layer = EGNN(K, d_edge=E, rng=np.random.default_rng(0))
        h, x, a = self.single(H, X, A)
        phis = [_of(layer.layers[0][n]) for n in ("phi_e", "phi_x", "phi_h")]
        for one, other in zip(layer(h, x, None, MASK, a), egnn_layer(h, x, *phis, MASK, a), strict=True):
            torch.testing.assert_close(one, other, rtol=0, atol=0)

    @pytest.mark.parametrize("velocity", [False, True])
    def test_computes_in_single_precision_with_weights_of_half(self, velocity):
        layer = EGNN(K, d_edge=E, velocity=velocity, rng=np.random.default_rng(0)).half()
        h, x, v, a = (torch.tensor(it).half() for it in (H, X * 100, V, A))
        found = layer(h, x, v if velocity else None, MASK, a)
        single = layer.float()
        expected = single(h.float(), x.float(), v.float() if velocity else None, MASK, a.float())
        for one, other in zip(found, expected, strict=True):
            torch.testing.assert_close(one, other.half(), rtol=0, atol=0)

    def test_layers_follow_each_other_and_all_hear_the_initial_velocities(self):
        h, x, v = self.single(H, X, V)
        layer = EGNN(K, n_layers=2, velocity=True, rng=np.random.default_rng(0))
        for weights in layer.layers:
            phis = [_of(weights[n]) for n in ("phi_e", "phi_x", "phi_h", "phi_v")]
            h, x, new_v = egnn_velocity_layer(h, x, v, *phis)
        for one, other in zip(layer(*self.single(H, X, V)), (h, x, new_v), strict=True):
            torch.testing.assert_close(one, other, rtol=0, atol=0)

    def test_every_parameter_learns_and_the_same_seed_draws_the_same_ones(self):
        layers = [EGNN(K, d_edge=E, n_layers=3, velocity=True, rng=np.random.default_rng(7)) for _ in range(2)]
        h, x, v, a = self.single(H, X, V, A)
        new_h, new_x, _ = layers[0](h, x, v, edge_features=a)
        (new_h.sum() + new_x.square().sum()).backward()
        for one, other in zip(*(layer.parameters() for layer in layers), strict=True):
            torch.testing.assert_close(one, other, rtol=0, atol=0)
            assert one.grad.abs().sum() > 0

    def test_at_first_points_hardly_move_however_many_layers_there_are(self):
        h, x = self.single(draw(N, 32), X)
        _, moved = EGNN(32, n_layers=10, rng=np.random.default_rng(0))(h, x)
        assert 0 < (moved - x).abs().max() < 0.3

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"d_model": 0}, "d_model must be positive, got 0"),
            ({"d_model": 2, "d_edge": -1}, "d_edge must not be negative, got -1"),
            ({"d_model": 2, "n_layers": 0}, "n_layers must be positive, got 0"),
        ],
    )
    def test_refuses_widths_that_are_not_positive(self, arguments, message):
        with pytest.raises(ValueError, match=message):
            EGNN(**arguments)

    def test_refuses_velocities_that_it_has_no_weights_for_and_asks_for_those_that_it_has(self):
        h, x, v = self.single(H, X, V)
        with pytest.raises(ValueError, match="if and only if velocity=True, got some for False"):
            EGNN(K)(h, x, v)
        with pytest.raises(ValueError, match="if and only if velocity=True, got none for True"):
            EGNN(K, velocity=True)(h, x)

    def test_after_seconds_of_training_it_follows_charges_better_than_straight_lines(self):
        n_train, time, d_model = 200, 1.0, 16
        x, v, charges = draw_charges(np.random.default_rng(0), 300)
        target = simulate_charges(x, v, charges, step=time / 50, n_steps=50).x[-1]
        products = charges[:, :, None] * charges[:, None, :]
        x, v, a, y = self.single(x, v, products[..., None], target)
        h = torch.linalg.vector_norm(v, dim=-1, keepdim=True).expand(-1, -1, d_model)

        net = EGNN(d_model, d_edge=1, n_layers=2, velocity=True, rng=np.random.default_rng(1))
        optimizer, rng = torch.optim.Adam(net.parameters(), lr=1e-2), np.random.default_rng(2)
        for _ in range(100):
            batch = rng.integers(0, n_train, 50)
            loss = (net(h[batch], x[batch], v[batch], edge_features=a[batch])[1] - y[batch]).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

        unseen = slice(n_train, None)
        with torch.no_grad():
            learned = (net(h[unseen], x[unseen], v[unseen], edge_features=a[unseen])[1] - y[unseen]).square().mean()
        still = (x[unseen] - y[unseen]).square().mean()
        straight = (x[unseen] + time * v[unseen] - y[unseen]).square().mean()
        assert learned < straight / 3
        assert straight < still


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x, v: egnn_velocity_layer(np.ones((3, 1)), x.tolist(), v, *[None] * 4), "x must be an array .* list"),
        (lambda x, v: displacements(x[0], np.ones((3, 3, 1)), None), r"x must have at least 2 axes, got shape \(2,\)"),
        (lambda x, v: displacements(x[0, 0], np.ones((3, 3, 1)), None), r"x must have at least 2 axes, got shape \(\)"),
    ],
)
def test_what_is_no_array_of_positions_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call(np.ones((3, 2)), np.ones((3, 2)))
