"""Positions as waves, as rotations and as distances."""

import math

import mpmath
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from mlnotes.attention.positions import (
    alibi_bias,
    alibi_slopes,
    frequencies,
    halves_order,
    rotary,
    rotary_halves,
    shift_matrix,
    sinusoidal_positions,
)
from mlnotes.attention.self_attention import attention_weights

# A rounding is 1.1e-16 in double precision, 6e-8 in single precision. A frequency of 1 is exact; another carries three
# roundings and one more for each power of e that it lies below 1, and an angle is off by as much of itself.
ROUNDED = 1e-15  # a turned pair, a power, a shift's own length: at most 4 roundings of numbers up to 2
SEVERAL = 2e-15  # a length of 10 numbers, or a ratio of two weights: at most 16 roundings
WAVES = 2e-15  # positions up to 10, after the exact wave at most 0.27 a position: 10 * 0.27 * 4.3 * 1.1e-16 = 1.3e-15
SHIFTS = 1e-14  # shifts up to 80, at most 0.05 a position: 160 * 0.05 * 6 * 1.1e-16 = 5e-15, and the product's own
FAR = 1e-11  # 10,000 radians, rounded 3 times: 3e-12
TURNS = 1e-12  # positions up to 1,100, shifts up to 500, at most 0.75 a position: 2,700 * 0.75 * 3.3 * 1.1e-16 = 7e-13
PIVOTS = 3e-14  # a determinant of 64 pivots, each rounded 4 times
SCORES = 4e-12  # four angles, 6,000 positions together: 6,000 * 0.16 * 4.8 * 1.1e-16 = 5e-13, times lengths 2.4 and 3
STORED = 1.2e-7  # a table kept in single precision, rounded once
SINGLE = 2e-6  # sines of angles up to 1 by three roundings of single precision, times two numbers up to 4: 1.4e-6
POWERS = 5e-6  # a base in single precision, raised to powers up to 64: 64 * 6e-8 = 4e-6


def draw(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def exact_angle(i, j, d, base=10000):
    return i / mpmath.power(base, mpmath.mpf(2 * j) / d)


@pytest.mark.parametrize(("n", "d"), [(11, 14), (5, 2), (3, 512), (0, 4)])
def test_rows_are_the_papers_sines_and_cosines_to_the_last_digits(n, d):
    mpmath.mp.dps = 30
    expected = np.empty((n, d))
    for i in range(n):
        for j in range(d // 2):
            expected[i, 2 * j : 2 * j + 2] = mpmath.sin(exact_angle(i, j, d)), mpmath.cos(exact_angle(i, j, d))
    found = sinusoidal_positions(n, d)
    assert found.shape == (n, d)
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, expected, rtol=0, atol=WAVES)


def test_position_100000_is_right_to_ten_digits():
    mpmath.mp.dps = 30
    found = sinusoidal_positions(100_001, 8)[-1]
    assert found[0] == pytest.approx(float(mpmath.sin(100_000)), abs=ROUNDED)
    assert found[3] == pytest.approx(float(mpmath.cos(exact_angle(100_000, 1, 8))), abs=FAR)


def test_the_table_of_a_published_model_is_ours_up_to_the_order_of_columns():
    """Marian keeps all sines before all cosines, in single precision."""
    from transformers.models.marian.modeling_marian import MarianSinusoidalPositionalEmbedding

    theirs = MarianSinusoidalPositionalEmbedding(37, 16)
    theirs.weight = torch.nn.Parameter(theirs.create_weight())
    np.testing.assert_allclose(
        sinusoidal_positions(37, 16)[:, halves_order(16)], theirs.weight.detach().numpy(), rtol=0, atol=STORED
    )


@given(st.integers(-500, 500), st.sampled_from([2, 6, 64]))
def test_a_shift_is_a_rotation_that_does_not_depend_on_where_it_starts(k, d):
    r, start = shift_matrix(k, d), max(0, -k)
    p = sinusoidal_positions(1100, d)[500:]
    np.testing.assert_allclose(p[start : start + 90] @ r, p[start + k :][:90], rtol=0, atol=TURNS)
    np.testing.assert_allclose(r @ r.T, np.eye(d), rtol=0, atol=ROUNDED)
    assert np.linalg.det(r) == pytest.approx(1, abs=PIVOTS)


@given(st.integers(-40, 40), st.integers(-40, 40))
def test_shifts_add_up(a, b):
    np.testing.assert_allclose(shift_matrix(a, 6) @ shift_matrix(b, 6), shift_matrix(a + b, 6), rtol=0, atol=SHIFTS)


def as_complex(x, positions, halves, base=10000.0):
    """Turning a pair is multiplying one complex number by another."""
    d = x.shape[-1]
    a, b = (x[..., : d // 2], x[..., d // 2 :]) if halves else (x[..., 0::2], x[..., 1::2])
    angles = np.array([[i * base ** (-2 * j / d) for j in range(d // 2)] for i in positions])
    z = (a + 1j * b) * np.exp(1j * angles)
    return np.concatenate([z.real, z.imag], -1) if halves else np.stack([z.real, z.imag], -1).reshape(x.shape)


@pytest.mark.parametrize(("turn", "halves"), [(rotary, False), (rotary_halves, True)])
def test_turning_is_complex_multiplication_in_every_precision(backend, turn, halves):
    x = draw(2, 5, 6)
    positions = np.array([0, 1, 2, 7, 40])
    expected = as_complex(backend.like(x), positions, halves)
    found = backend.read(turn(backend.array(x), positions))
    np.testing.assert_allclose(found, expected, rtol=0, atol=2 * backend.tolerance)


def test_both_pairings_equal_the_models_that_use_them():
    from transformers import LlamaConfig
    from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding, apply_rotary_pos_emb
    from transformers.models.roformer.modeling_roformer import (
        RoFormerSelfAttention,
        RoFormerSinusoidalPositionalEmbedding,
    )

    q, k = draw(2, 3, 11, 8), draw(2, 3, 11, 8, seed=1)
    config = LlamaConfig(hidden_size=24, num_attention_heads=3, head_dim=8)
    cos, sin = LlamaRotaryEmbedding(config)(torch.tensor(q), torch.arange(11)[None])
    llama = apply_rotary_pos_emb(torch.tensor(q), torch.tensor(k), cos, sin)
    for x, theirs in zip((q, k), llama, strict=True):
        np.testing.assert_allclose(rotary_halves(x, np.arange(11)), theirs.numpy(), rtol=0, atol=SINGLE)

    waves = RoFormerSinusoidalPositionalEmbedding(11, 8)
    roformer = RoFormerSelfAttention.apply_rotary_position_embeddings(
        waves.create_weight().detach().double()[None, None], torch.tensor(q), torch.tensor(k)
    )
    for x, theirs in zip((q, k), roformer, strict=True):
        np.testing.assert_allclose(rotary(x, np.arange(11)), theirs.numpy(), rtol=0, atol=SINGLE)


def test_a_llama_base_is_passed_on():
    x, positions = draw(3, 4), np.array([0, 9, 99])
    np.testing.assert_allclose(
        rotary(x, positions, 500_000.0), as_complex(x, positions, False, 5e5), rtol=0, atol=ROUNDED
    )
    np.testing.assert_allclose(
        rotary_halves(x, positions, base=5e5), as_complex(x, positions, True, 5e5), rtol=0, atol=ROUNDED
    )


@given(st.sampled_from([2, 6, 64]), st.integers(0, 999))
def test_the_pairings_are_a_permutation_of_coordinates_apart(d, i):
    x, order = draw(1, d), halves_order(d)
    np.testing.assert_array_equal(rotary_halves(x[:, order], [i]), rotary(x, [i])[:, order])
    np.testing.assert_array_equal(rotary_halves(x, [i]), rotary(x[:, np.argsort(order)], [i])[:, order])


@pytest.mark.parametrize("turn", [rotary, rotary_halves])
@given(st.integers(0, 500), st.integers(0, 500), st.integers(0, 2000))
def test_scores_depend_on_the_distance_only_and_lengths_stay(turn, i, j, shift):
    q, k = draw(1, 10), draw(1, 10, seed=1)
    here, there = ((turn(q, [i + s]) @ turn(k, [j + s]).T).item() for s in (0, shift))
    assert here == pytest.approx(there, abs=SCORES)
    assert np.linalg.norm(turn(q, [i])) == pytest.approx(np.linalg.norm(q), rel=SEVERAL)


@pytest.mark.parametrize(("one", "other"), [(rotary, rotary_halves), (rotary_halves, rotary)])
def test_mixed_pairings_depend_on_more_than_the_distance(one, other):
    q, k = draw(1, 10), draw(1, 10, seed=1)
    scores = [(one(q, [3 + s]) @ other(k, [1 + s]).T).item() for s in range(20)]
    assert np.ptp(scores) > 1


def test_positions_may_differ_from_sequence_to_sequence():
    x = draw(2, 3, 5, 4)
    positions = np.array([[0, 1, 2, 3, 4], [7, 8, 9, 9, 0]])[:, None, :]
    found = rotary(x, positions)
    for i in range(2):
        np.testing.assert_array_equal(found[i], rotary(x[i], positions[i, 0]))
    np.testing.assert_allclose(found[0], rotary(torch.tensor(x[0]), torch.arange(5)).numpy(), rtol=0, atol=ROUNDED)


@pytest.mark.parametrize("turn", [rotary, rotary_halves])
def test_gradients_are_right(turn):
    x = torch.tensor(draw(2, 3, 4), requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: turn(x, torch.tensor([0, 5, 900])), x)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_far_positions_are_turned_as_exactly_as_the_precision_allows(dtype):
    x = torch.tensor(draw(1, 800)).to(dtype)
    for turn in (rotary, rotary_halves):
        exact, found = turn(x.double(), [100_003]), turn(x, [100_003])
        assert found.dtype == dtype
        rounded = (exact.to(dtype).double() - exact).abs().max()  # a half is computed in float32 and rounded once
        assert (found.double() - exact).abs().max() <= (4 if dtype == torch.float32 else 1.001) * rounded


@pytest.mark.parametrize("turn", [rotary, rotary_halves])
@pytest.mark.parametrize(
    ("x", "positions", "message"),
    [
        (draw(3, 5), [0, 1, 2], "d must be even, for pairs of coordinates, got 5"),
        (draw(3, 4), [0.0, 1.0, 2.0], "positions must be integers, got dtype .*float"),
        (draw(3, 4), [True, False, True], "positions must be integers, got dtype .*bool"),
        (draw(3, 4), [0, -1, 2], "positions must be counted from 0, got -1"),
        (draw(3, 4), [0, 1], r"positions must have shape \(3,\), got \(2,\)"),
        (draw(3, 4), [1], r"positions must have shape \(3,\), got \(1,\)"),
        (draw(3, 4), 1, r"positions must have shape .* got \(\)"),
        (draw(2, 3, 4), np.zeros((3, 3), int), r"positions must have shape \(3,\) or \(2, 3\), .* got \(3, 3\)"),
        (draw(4), [0], r"x must hold rows \(\.\.\., l, d\), got shape \(4,\)"),
        (np.ones((3, 4), int), [0, 1, 2], "x must hold floating-point numbers, got dtype .*int64"),
    ],
)
def test_bad_rows_and_positions_are_refused(turn, x, positions, message):
    for make in (np.asarray, torch.asarray):
        with pytest.raises(ValueError, match=message):
            turn(make(x), make(positions))


# The paper's numbers: 8 heads halve from 1/2 on, 16 heads take the square roots in between.
@pytest.mark.parametrize(
    ("n_heads", "expected"),
    [
        (8, [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64, 1 / 128, 1 / 256]),
        (16, [2 ** (-i / 2) for i in range(1, 17)]),
        (1, [2**-8]),
        (2, [2**-4, 2**-8]),
        (3, [2**-4, 2**-8, 2**-2]),
        (6, [2**-2, 2**-4, 2**-6, 2**-8, 2**-1, 2**-3]),
    ],
)
def test_slopes_are_the_papers(n_heads, expected):
    np.testing.assert_allclose(alibi_slopes(n_heads), expected, rtol=ROUNDED)


@pytest.mark.parametrize("n_heads", [1, 3, 7, 8, 12, 20, 25, 32, 112])
def test_slopes_of_every_head_count_equal_blooms(n_heads):
    from transformers.models.bloom.modeling_bloom import build_alibi_tensor

    theirs = build_alibi_tensor(torch.ones(1, 2), n_heads, torch.float32)[:, 0, 1]  # slope times position 1
    np.testing.assert_allclose(alibi_slopes(n_heads), theirs.numpy(), rtol=POWERS)


def test_bias_is_minus_slope_times_distance():
    found = alibi_bias(5, 3, 7, offset=2)
    expected = [[[-m * abs(i + 2 - j) for j in range(7)] for i in range(3)] for m in alibi_slopes(5)]
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(alibi_bias(5, 9, 9)[:, 2:5, :7], found)


def test_every_position_on_multiplies_a_weight_by_the_same_factor():
    w = attention_weights(np.zeros((3, 6, 2)), np.zeros((3, 6, 2)), bias=alibi_bias(3, 6, 6))
    np.testing.assert_allclose(w[:, 5, 1:] / w[:, 5, :-1], np.exp(alibi_slopes(3))[:, None] * np.ones(5), rtol=SEVERAL)


def test_frequencies_fall_by_equal_factors_from_one():
    found = frequencies(8, 81.0)
    np.testing.assert_allclose(found, [1, 1 / 3, 1 / 9, 1 / 27], rtol=ROUNDED)


def test_a_base_that_is_a_number_of_numpy_turns_as_that_number_does():
    x = draw(3, 4)
    np.testing.assert_array_equal(rotary(x, np.arange(3), np.array(1e4)), rotary(x, np.arange(3), 1e4))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sinusoidal_positions(5, 7), "d must be even, for pairs of coordinates, got 7"),
        (lambda: sinusoidal_positions(5, 0), "d must be positive, got 0"),
        (lambda: sinusoidal_positions(-1, 4), "n must not be negative, got -1"),
        (lambda: sinusoidal_positions(2.5, 4), r"n must be an integer, got 2\.5"),
        (lambda: sinusoidal_positions(True, 4), "n must be an integer, got True"),
        (lambda: shift_matrix(1.5, 4), r"k must be an integer, got 1\.5"),
        (lambda: shift_matrix(1, 5), "d must be even"),
        (lambda: halves_order(3), "d must be even"),
        (lambda: frequencies(4, 0.0), r"base must be positive and finite, got 0\.0"),
        (lambda: frequencies(4, math.inf), "base must be positive and finite, got inf"),
        (lambda: rotary(draw(1, 4), [0], -1.0), r"base must be positive and finite, got -1\.0"),
        (lambda: alibi_bias(0, 2, 2), "n_heads must be positive, got 0"),
        (lambda: alibi_bias(2, -2, 2), "n_queries must not be negative, got -2"),
        (lambda: alibi_bias(2, 2, 2, -1), "offset must not be negative, got -1"),
        (lambda: alibi_bias(2.0, 2, 2), r"n_heads must be an integer, got 2\.0"),
    ],
)
def test_bad_sizes_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_what_was_computed_before_changes_nothing():
    x, positions = np.random.default_rng(0).normal(size=(5, 6)), np.arange(5)
    before = rotary(x, positions, base=7.0)
    for change in ({"positions": positions + 1}, {"base": 8.0}, {"positions": positions.astype(np.int32)}):
        rotary(**{"x": x, "positions": positions, "base": 7.0} | change)
        rotary(torch.tensor(x).float(), positions, 7.0)
    np.testing.assert_array_equal(rotary(x, positions, base=7.0), before)
    assert rotary(torch.tensor(x).float(), positions, 7.0).dtype == torch.float32
    np.testing.assert_allclose(rotary(torch.tensor(x), positions, 7.0), before, rtol=0, atol=ROUNDED)
    with torch.inference_mode():
        rotary(torch.tensor(x) * 2, positions, 9.0)
    ordinary = torch.tensor(x)
    with torch.inference_mode():
        rotary(ordinary, positions, 9.0)
    rotary(torch.tensor(x, requires_grad=True), positions, 9.0).sum().backward()
