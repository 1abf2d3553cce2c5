"""What may be drawn is what transformers' processors leave, and a text is drawn from it token by token."""

from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

from mlnotes.efficient.language_model import generate, next_token_probabilities

# A rounding is 1.1e-16; a probability is off by as much of itself as its score is off.
SCORED = 4e-13  # scores up to 720 apart (beyond that exp is 0), rounded twice on either side: 720 * 4 * 1.1e-16 = 3e-13
TINY = 1e-300  # probabilities below it have fewer digits
GREEDY = 1e-50  # the second score is 0.126 below the first, so 126 at a temperature of 0.001: exp(-126) = 2e-55
ALIKE = 2e-11  # scores up to 10, over a temperature of 1e12
SHARES = 1e-15  # a logarithm, its exponential, a sum of at most 3, a quotient: 7 roundings

LOGITS = np.random.default_rng(0).normal(size=(3, 101)) * 3


def theirs(logits, temperature=1.0, top_k=None, top_p=None):
    scores = TemperatureLogitsWarper(float(temperature))(None, torch.tensor(logits))
    scores = scores if top_k is None else TopKLogitsWarper(top_k)(None, scores)
    scores = scores if top_p is None else TopPLogitsWarper(top_p)(None, scores)
    return scores.softmax(-1).numpy()


@given(
    st.floats(0.05, 20),
    st.none() | st.integers(1, 200),
    st.none() | st.floats(0, 1),
    st.integers(0, 1000),
)
def test_what_may_be_drawn_is_what_transformers_leaves(temperature, top_k, top_p, seed):
    logits = np.random.default_rng(seed).normal(size=(2, 101)) * 4
    found = next_token_probabilities(logits, temperature, top_k, top_p)
    np.testing.assert_allclose(found, theirs(logits, temperature, top_k, top_p), rtol=SCORED, atol=TINY)


@pytest.mark.parametrize("choice", [{}, {"top_k": 5}, {"top_p": 0.8}, {"temperature": 0.5, "top_k": 9, "top_p": 0.9}])
def test_every_precision_and_both_libraries_agree(backend, choice):
    logits = backend.like(LOGITS)
    found = backend.read(next_token_probabilities(backend.array(LOGITS), **choice))
    np.testing.assert_allclose(found, theirs(logits, **choice), rtol=0, atol=backend.tolerance)
    assert ((found > 0) == (theirs(logits, **choice) > 0)).all() or backend.tolerance > 1e-12


def test_temperature_towards_zero_leaves_the_most_probable():
    greedy = np.eye(101)[LOGITS.argmax(-1)]
    for temperature in (0, 0.0, 1e-320, 1e-300, 1e-3):
        np.testing.assert_allclose(next_token_probabilities(LOGITS, temperature), greedy, rtol=0, atol=GREEDY)
    tied = np.array([2.0, 5.0, 5.0, 1.0])
    np.testing.assert_array_equal(next_token_probabilities(tied, 0), [0, 0.5, 0.5, 0])
    np.testing.assert_array_equal(next_token_probabilities(tied * 1e300, 1e-320), [0, 0.5, 0.5, 0])
    for temperature in (0, 1e-320, 1e-300, 1e-38):
        found = next_token_probabilities(tied.astype(np.float32), temperature)
        np.testing.assert_array_equal(found, np.float32([0, 0.5, 0.5, 0]))


def test_a_high_temperature_makes_all_alike():
    np.testing.assert_allclose(next_token_probabilities(LOGITS, 1e12), 1 / 101, rtol=ALIKE)


def test_top_k_above_the_vocabulary_and_top_p_of_one_change_nothing():
    expected = next_token_probabilities(LOGITS)
    np.testing.assert_array_equal(next_token_probabilities(LOGITS, top_k=1000), expected)
    np.testing.assert_array_equal(next_token_probabilities(LOGITS, top_p=1.0), expected)
    far = np.array([0.0, -40.0, -700.0])  # which no sum from above would notice
    assert (next_token_probabilities(far, top_p=1) > 0).all()


def test_top_p_of_zero_leaves_the_most_probable():
    np.testing.assert_array_equal(next_token_probabilities(LOGITS, top_p=0), np.eye(101)[LOGITS.argmax(-1)])


def test_ties_at_the_edge_are_all_kept_whatever_their_order():
    tied = np.log([0.1, 0.3, 0.3, 0.3])
    for choice in ({"top_k": 1}, {"top_k": 2}, {"top_p": 0.0}, {"top_p": 0.5}):
        np.testing.assert_allclose(next_token_probabilities(tied, **choice), [0, 1 / 3, 1 / 3, 1 / 3], rtol=SHARES)


def test_top_p_keeps_no_more_than_needed():
    p = np.array([0.125, 0.5, 0.25, 0.125])
    np.testing.assert_array_equal(next_token_probabilities(np.log(p), top_p=0.5 - 1e-9), [0, 1, 0, 0])
    np.testing.assert_allclose(next_token_probabilities(np.log(p), top_p=0.5 + 1e-9), [0, 2 / 3, 1 / 3, 0], rtol=SHARES)


def test_top_p_is_measured_after_top_k():
    p = np.array([0.4, 0.3, 0.2, 0.1])
    np.testing.assert_array_equal(
        next_token_probabilities(np.log(p), top_k=2, top_p=0.5), [1, 0, 0, 0]
    )  # 4/7 is enough
    np.testing.assert_allclose(next_token_probabilities(np.log(p), top_p=0.5), [4 / 7, 3 / 7, 0, 0], rtol=SHARES)


def test_forbidden_tokens_stay_so_and_nothing_but_them_gives_zeros():
    logits = np.array([[1.0, -np.inf, 2.0], [-np.inf] * 3])
    for choice in ({}, {"temperature": 0}, {"top_k": 3}, {"top_p": 1.0}, {"top_p": 0.0}):
        found = next_token_probabilities(logits, **choice)
        assert found[0, 1] == 0
        np.testing.assert_allclose(found.sum(-1), [1, 0], rtol=SHARES)


@pytest.mark.parametrize("choice", [{}, {"temperature": 0}, {"temperature": 3.0}, {"top_k": 2}, {"top_p": 0.9}])
def test_tokens_that_must_come_share_all(backend, choice):
    logits = backend.array(np.array([[1.0, np.inf, 2.0], [np.inf, -np.inf, np.inf]]))
    found = backend.read(next_token_probabilities(logits, **choice))
    np.testing.assert_array_equal(found, [[0, 1, 0], [0.5, 0, 0.5]])


def test_gradients_flow_to_what_may_be_drawn_only():
    logits = torch.tensor(LOGITS[0], requires_grad=True)
    p = next_token_probabilities(logits, 0.7, 5, 0.9)
    p.max().log().backward()
    assert ((logits.grad != 0) == (p > 0)).all()


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"temperature": -1.0}, "temperature must be finite and not negative, got -1.0"),
        ({"temperature": np.inf}, "temperature must be finite and not negative, got inf"),
        ({"temperature": 1e39, "logits": np.float32([0, 1])}, r"temperature must be at most 3.4e\+38 .*, got 1e\+39"),
        ({"top_k": 0}, "top_k must be positive, got 0"),
        ({"top_k": 2.0}, "top_k must be an integer, got 2.0"),
        ({"top_p": 1.5}, "top_p must lie between 0 and 1, got 1.5"),
        ({"top_p": np.nan}, "top_p must lie between 0 and 1, got nan"),
        ({"logits": np.arange(3)}, "logits must hold floating-point numbers, got dtype int64"),
        ({"logits": np.zeros((2, 0))}, "logits must not be empty along axis -1"),
        ({"logits": [0.0, 1.0]}, "logits must be an array of NumPy or PyTorch, got list"),
        ({"logits": np.array([[0.0], [np.nan]])}, r"logits must be numbers or infinite, got nan in shape \(2, 1\)"),
        ({"logits": torch.tensor([0.0, np.nan]), "top_k": 1}, r"logits must be numbers .* nan in shape \(2,\)"),
        ({"temperature": "1"}, "temperature must be a real number, got '1'"),
        ({"temperature": torch.ones(2)}, r"temperature must be a real number, got tensor\(\[1., 1.\]\)"),
        ({"top_k": [2]}, r"top_k must be an integer, got \[2\]"),
        ({"top_p": [0.5]}, r"top_p must be a real number, got \[0.5\]"),
    ],
)
def test_a_choice_that_means_nothing_is_refused(choice, message):
    with pytest.raises(ValueError, match=message):
        next_token_probabilities(**{"logits": LOGITS} | choice)


class Chain:
    """A model whose next token depends on the last one only, and that counts what it reads."""

    def __init__(self, table):
        self.table, self.read = table, []

    def __call__(self, ids):
        self.read.append(ids.tolist())
        return self.table[ids]


CYCLE = np.log(np.roll(np.eye(4), 1, axis=1) + 1e-9)  # after 0 comes 1, then 2, 3, 0


def test_every_token_is_read_once_and_the_most_probable_written():
    step = Chain(CYCLE)
    assert generate(step, np.array([3, 1]), 4, temperature=0).tolist() == [2, 3, 0, 1]
    assert step.read == [[3, 1], [2], [3], [0]]


def test_writing_ends_before_the_token_that_stops_it():
    assert generate(Chain(CYCLE), [0], 9, stop=3, temperature=0).tolist() == [1, 2]
    assert generate(Chain(CYCLE), [2], 9, stop=3, temperature=0).tolist() == []
    assert generate(Chain(CYCLE), [2], 0).tolist() == []


class EvenlySpread(np.random.Generator):
    """Draw the middles of n equal parts of the way from 0 to 1, one after another."""

    def __init__(self, n):
        super().__init__(np.random.PCG64(0))
        self.random = iter((np.arange(n) + 0.5) / n).__next__


@pytest.mark.parametrize("library", [np.asarray, torch.asarray])
@pytest.mark.parametrize("choice", [{}, {"temperature": 2.0}, {"top_k": 3}, {"top_p": 0.7}])
def test_tokens_are_drawn_as_often_as_their_probabilities_say(library, choice):
    logits = library(np.log([[0.1, 0.4, 0.05, 0.25, 0.2]]))
    p = np.asarray(next_token_probabilities(logits[0], **choice))
    drawn = generate(lambda ids: logits, [0], 199, rng=EvenlySpread(199), **choice)
    counts = np.bincount(drawn, minlength=5)
    assert (counts[p == 0] == 0).all()
    assert counts.sum() == 199
    assert (abs(counts - 199 * p) <= 1).all()  # as many middles as lie in a part of the way of that length


def test_a_seed_repeats_the_text_and_another_does_not():
    write = partial(generate, lambda ids: np.zeros((len(ids), 50)), [0], 20)
    assert write(rng=1).tolist() == write(rng=np.random.default_rng(1)).tolist() != write(rng=2).tolist()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([], 3), "ids must not be empty along axis -1"),
        ((3, 3), r"ids must be a vector of integers, got shape \(\) and dtype int64"),
        (([[1, 2]], 3), r"ids must be a vector of integers, got shape \(1, 2\) and dtype int64"),
        (([1.5], 3), r"ids must be a vector of integers, got shape \(1,\) and dtype float64"),
        (([0], -1), "n_tokens must not be negative, got -1"),
        (([0], 3, "."), "stop must be an integer, got '.'"),
        (([0], 3, -1), "stop must not be negative, got -1"),
        (([0], 3, None, 1.5), "rng must be a numpy.random.Generator or an integer, got 1.5"),
    ],
)
def test_nothing_to_go_on_from_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        generate(Chain(CYCLE), *arguments)


@pytest.mark.parametrize(
    ("scores", "got"),
    [
        (None, "NoneType"),
        ([[0.0, 1.0]], "list"),
        (np.zeros(5), r"shape \(5,\)"),
        (np.zeros((0, 5)), r"shape \(0, 5\)"),
        (torch.zeros(1, 1, 5), r"shape \(1, 1, 5\)"),
    ],
)
def test_what_gives_no_scores_is_refused(scores, got):
    with pytest.raises(ValueError, match=rf"step must give an array of scores \(l, n\), .*, got {got}"):
        generate(lambda ids: scores, [0], 3)
    with pytest.raises(ValueError, match="step must be callable, got ndarray"):
        generate(np.zeros((1, 5)), [0], 3)


@pytest.mark.parametrize(("score", "message"), [(-np.inf, "at least one token must be"), (np.nan, "got nan in shape")])
def test_where_nothing_may_come_nothing_is_written(score, message):
    with pytest.raises(ValueError, match=message):
        generate(lambda ids: np.full((len(ids), 5), score), [0], 3)


def test_a_model_in_any_precision_writes_the_same(backend):
    table = backend.array(CYCLE)
    assert generate(lambda ids: table[ids], np.array([3, 1]), 4, temperature=0).tolist() == [2, 3, 0, 1]


def test_a_models_gradients_do_not_keep_it_from_writing():
    table = torch.tensor(CYCLE, requires_grad=True)
    assert generate(lambda ids: table[ids], [1], 2, temperature=0).tolist() == [2, 3]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("temperature", [np.float32(0.5), np.float16(10), np.array(0.5)])
def test_a_temperature_of_little_precision_is_the_number_that_it_is(temperature):
    found = next_token_probabilities(LOGITS, temperature)
    np.testing.assert_array_equal(found, next_token_probabilities(LOGITS, float(temperature)))


def test_a_choice_is_refused_before_the_model_has_read_anything():
    step = Chain(CYCLE)
    with pytest.raises(ValueError, match="temperature must be finite and not negative, got -1"):
        generate(step, [1, 2], 3, temperature=-1)
    assert step.read == []


def test_numpys_double_as_a_temperature_leaves_the_precision_as_it_is():
    logits = np.array([1.0, 2.0, 4.0], np.float32)
    p = next_token_probabilities(logits, np.float64(0.7), top_p=np.float64(0.9))
    assert p.dtype == np.float32
    np.testing.assert_array_equal(p, next_token_probabilities(logits, 0.7, top_p=0.9))
