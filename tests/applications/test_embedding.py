"""Embedding: a lookup that equals a product with one-hot rows, and the gradient of both."""

import numpy as np
import pytest
import scipy.sparse
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from mlnotes.applications.embedding import embedding, embedding_gradient, one_hot, tied_logits

# A rounding is 1.1e-16.
REPEATED = 1e-15  # a row that was looked up 3 times: 3 additions of numbers up to 2.3
SUMMED = 1e-13  # up to 125 rows add up to 23: 30 roundings of the sum that far, on the average, are 8e-14

IDS = np.array([[3, 0, 3], [6, 3, 1]])
TABLE = np.random.default_rng(0).normal(size=(7, 5))
UPSTREAM = np.random.default_rng(1).normal(size=(2, 3, 5))
batches = arrays(np.int64, array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=5), elements=st.integers(0, 6))


def test_agrees_with_torch_bit_for_bit_in_every_precision(backend):
    table = backend.array(TABLE)
    expected = F.embedding(torch.tensor(IDS), torch.tensor(backend.like(TABLE)))
    np.testing.assert_array_equal(backend.read(embedding(IDS, table)), expected.numpy())


@given(batches)
def test_a_lookup_is_a_product_with_one_hot_rows_whatever_the_shape(ids):
    found = embedding(ids, TABLE)
    assert found.shape == (*ids.shape, 5)
    np.testing.assert_array_equal(found, one_hot(ids, 7) @ TABLE)


@given(batches)
def test_one_hot_rows_are_those_of_torch(ids):
    np.testing.assert_array_equal(one_hot(ids, 7), F.one_hot(torch.tensor(ids), 7).numpy())


def test_one_hot_has_the_type_asked_for_and_the_librarys_default_otherwise():
    assert one_hot(IDS, 7).dtype == np.float64
    assert one_hot(IDS, 7, np.float16).dtype == np.float16
    assert one_hot(torch.tensor(IDS), 7).dtype == torch.get_default_dtype()
    assert one_hot(torch.tensor(IDS), 7, torch.bfloat16).sum().item() == 6


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_every_integer_type_is_a_row_and_never_a_mask(dtype):
    ids = IDS.astype(dtype)
    np.testing.assert_array_equal(embedding(ids, TABLE), TABLE[IDS])
    found = embedding(torch.tensor(ids), torch.tensor(TABLE))
    np.testing.assert_array_equal(found, TABLE[IDS])


def test_lists_and_arrays_of_numpy_may_ask_a_table_of_torch():
    expected = torch.tensor(TABLE[IDS])
    for ids in (IDS, IDS.tolist()):
        torch.testing.assert_close(embedding(ids, torch.tensor(TABLE)), expected, rtol=0, atol=0)


def test_the_result_is_a_copy():
    table = TABLE.copy()
    embedding(np.array([2]), table)[:] = 0
    np.testing.assert_array_equal(table, TABLE)


def test_gradient_adds_up_at_repeated_rows_as_torch_and_a_sparse_product_do():
    table = torch.tensor(TABLE, requires_grad=True)
    embedding(IDS, table).backward(torch.tensor(UPSTREAM))
    theirs = torch.tensor(TABLE, requires_grad=True)
    F.embedding(torch.tensor(IDS), theirs).backward(torch.tensor(UPSTREAM))
    places = scipy.sparse.csr_array((np.ones(6), IDS.ravel(), range(7)), (6, 7))
    for expected in (theirs.grad.numpy(), table.grad.numpy(), places.T @ UPSTREAM.reshape(6, 5)):
        np.testing.assert_allclose(embedding_gradient(IDS, UPSTREAM, 7), expected, rtol=0, atol=REPEATED)
    assert (table.grad[[2, 4, 5]] == 0).all()


def test_gradients_of_lookup_and_tied_scores_are_right():
    table = torch.tensor(TABLE, requires_grad=True)
    assert torch.autograd.gradcheck(lambda t: embedding(IDS, t), table)
    assert torch.autograd.gradcheck(lambda t: tied_logits(torch.tanh(embedding(IDS, t)), t), table)


@given(batches)
def test_gradient_is_the_one_hot_matrix_transposed_times_upstream(ids):
    upstream = np.random.default_rng(2).normal(size=(*ids.shape, 5))
    expected = one_hot(ids, 7).reshape(-1, 7).T @ upstream.reshape(-1, 5)
    np.testing.assert_allclose(embedding_gradient(ids, upstream, 7), expected, rtol=0, atol=SUMMED)


def test_gradient_in_half_precision_is_added_up_in_single_and_rounded_once():
    found = embedding_gradient(np.zeros(4096, int), np.ones((4096, 1), np.float16), 2)
    assert found.dtype == np.float16
    assert found.tolist() == [[4096.0], [0.0]]  # float16 alone stops at 2048: 2048 + 1 = 2048


def test_tied_scores_agree_with_torch_in_every_precision(backend):
    expected = F.linear(torch.tensor(backend.like(UPSTREAM)), torch.tensor(backend.like(TABLE)))
    found = backend.read(tied_logits(backend.array(UPSTREAM), backend.array(TABLE)))
    np.testing.assert_allclose(found, expected.numpy(), rtol=backend.tolerance, atol=2 * backend.tolerance)


def test_tied_scores_in_half_precision_are_added_up_in_single():
    ones = np.ones((1, 4096), np.float16)
    assert tied_logits(ones, ones).item() == 4096  # float16 alone stops at 2048


def test_ids_may_come_as_a_list():
    np.testing.assert_array_equal(embedding(IDS.tolist(), TABLE), embedding(IDS, TABLE))
    np.testing.assert_array_equal(embedding_gradient(IDS.tolist(), UPSTREAM, 7), embedding_gradient(IDS, UPSTREAM, 7))


@pytest.mark.parametrize("make", [np.array, torch.tensor])
@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ([0, 7], "ids must lie between 0 and 6 for a table of 7 rows, got 7"),
        ([-1, 0], "ids must lie between 0 and 6 for a table of 7 rows, got -1"),
        ([30522], "for a table of 7 rows, got 30522"),
        ([0.0, 1.0], "ids must hold integers, got dtype .*float"),
        ([True, False, True, True, False, True, True], "ids must hold integers, got dtype .*bool"),
    ],
)
def test_ids_that_are_no_rows_are_refused_with_the_id_and_the_size_of_the_table(make, ids, message):
    for f in (lambda i: embedding(i, make(TABLE)), lambda i: one_hot(i, 7)):
        with pytest.raises(ValueError, match=message):
            f(make(ids))
    with pytest.raises(ValueError, match=message):
        embedding_gradient(np.array(ids), np.ones((len(ids), 5)), 7)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: embedding(IDS, TABLE[0]), r"table must be a matrix with one vector in each row, got shape \(5,\)"),
        (lambda: embedding(IDS, TABLE.astype(int)), "table must hold floating-point numbers, got dtype int64"),
        (lambda: embedding([], TABLE), "ids must hold integers, got dtype float64"),
        (lambda: embedding_gradient(IDS, UPSTREAM[0], 7), r"one vector for each id, got \(3, 5\) for ids \(2, 3\)"),
        (lambda: embedding_gradient(IDS, UPSTREAM.astype(int), 7), "upstream must hold floating-point numbers"),
        (lambda: tied_logits(UPSTREAM.astype(int), TABLE), "x must hold floating-point numbers, got dtype int64"),
        (lambda: tied_logits(UPSTREAM[..., :4], TABLE), r"along axis -1, got shapes \(2, 3, 4\) and \(7, 5\)"),
        (lambda: one_hot([1, 2], 3), "ids must be an array of NumPy or PyTorch, got list"),
        (lambda: one_hot(np.array([0]), 0), "between 0 and -1 for a table of 0 rows, got 0"),
    ],
)
def test_other_bad_input_is_refused_with_the_rule_and_the_values(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_an_upstream_that_is_a_number_is_refused():
    with pytest.raises(ValueError, match=r"upstream must hold one vector for each id, got \(\) for ids \(\)"):
        embedding_gradient(0, np.float64(1), 3)
