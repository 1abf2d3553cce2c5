"""What all function modules rest on says what it takes numbers for."""

import math

import numpy as np
import pytest
import torch

from mlnotes.applications.least_squares import cholesky
from mlnotes.arrays import require_floats, require_representable, working_copy
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


@pytest.mark.parametrize("dtype", [*map(np.dtype, ("f2", "f4", "f8")), torch.float16, torch.bfloat16, torch.float32])
def test_positive_numbers_that_a_dtype_rounds_to_zero_or_infinity_are_refused(dtype):
    def rounded(x):
        if isinstance(dtype, torch.dtype):
            return torch.tensor(x, dtype=torch.float64).to(dtype).item()
        with np.errstate(over="ignore"):
            return float(dtype.type(x))

    exponents = [e for e in range(-1074, 1024) if e in (-1074, 1023) or abs(e + 142) < 12 or abs(e) in range(10, 150)]
    kept = 0
    for x in (m * 2.0**e for e in exponents for m in (1.0, 1.001, 1.9990234375, 1.99609375, 1.998046875, 2 - 2.0**-25)):
        if 0 < rounded(x) < math.inf:
            kept += 1
            require_representable(dtype, eps=x, zero=0.0, negative=-1e-300)
        else:
            with pytest.raises(ValueError, match=r"eps must lie between \S+ and \S+ to be a number of b?float\d\d,"):
                require_representable(dtype, eps=x)
    assert 0 < kept < 6 * len(exponents) or dtype == np.float64
    with pytest.raises(ValueError, match="got inf"):
        require_representable(dtype, eps=math.inf)


@pytest.mark.skipif(np.finfo(np.longdouble).max == np.finfo(float).max, reason="long double is double here")
def test_numbers_of_double_precision_fit_into_longer_floats():
    require_representable(np.dtype(np.longdouble), least=5e-324, largest=np.finfo(float).max)
