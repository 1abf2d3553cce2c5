"""What all function modules rest on says what it takes numbers for."""

import numpy as np
import pytest

from mlnotes.applications.least_squares import cholesky
from mlnotes.arrays import require_floats, working_copy
from mlnotes.blocks.lu import backward_substitution, forward_substitution, lu_solve
from mlnotes.blocks.softmax import softmax


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_floats_of_another_machine_are_refused_for_their_order_of_bytes(dtype):
    x = np.array([0.5, 1.0, 3.0], dtype)
    foreign = x.astype(x.dtype.newbyteorder())
    for f in (softmax, lambda x: require_floats(x=x)):
        with pytest.raises(ValueError, match=f"in this machine's order of bytes, got dtype {foreign.dtype}"):
            f(foreign)
    with pytest.raises(ValueError, match="x must hold floating-point numbers, got dtype int64"):
        require_floats(x=np.ones(1, int))


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.int64])
def test_integers_of_every_size_are_computed_with_in_double_precision(dtype):
    a = np.array([[2, 1], [1, 3]]).astype(dtype)
    assert working_copy(a).dtype == np.float64
    if dtype is not bool:
        assert cholesky(a).dtype == lu_solve(a, a).dtype == np.float64
        assert forward_substitution(a, a).dtype == backward_substitution(a, a).dtype == np.float64


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.longdouble, object])
def test_floats_stay_what_they_are_but_for_half_precision(dtype):
    expected = np.float32 if dtype is np.float16 else dtype
    assert working_copy(np.ones((2, 2), dtype)).dtype == expected
    assert working_copy(np.ones((2, 2), np.dtype(dtype).newbyteorder())).dtype == expected
