"""What the tests of decompositions share: matrices that are difficult, a measure of error, a count of products."""

import numpy as np
import scipy.linalg
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays


def random_matrix(m, n, seed=0):
    """Draw a matrix of independent normal numbers, the same one whenever the arguments are the same."""
    return np.random.default_rng([m, n, seed]).normal(size=(m, n))


def with_condition(m, n, condition, seed=0):
    """Build a matrix with singular values from 1 down to 1/condition, evenly spaced on a logarithmic scale."""
    k = min(m, n)
    u, v = (scipy.linalg.qr(random_matrix(size, k, 2 * seed + i), mode="economic")[0] for i, size in enumerate((m, n)))
    return u * np.logspace(0, -np.log10(condition), k) @ v.T


def _with_zeros(m, n, *columns):
    a = random_matrix(m, n)
    a[:, list(columns)] = 0
    return a


_falling = np.logspace(0, -150, 13)

MATRICES = {
    "square": random_matrix(13, 13),
    "tall": random_matrix(17, 5),
    "wide": random_matrix(5, 17),
    "1 x 1": random_matrix(1, 1),
    "1 x 1 zero": np.zeros((1, 1)),
    "one row": random_matrix(1, 7),
    "one column": random_matrix(7, 1),
    "condition 1e14": with_condition(17, 17, 1e14),
    "Hilbert": scipy.linalg.hilbert(19),
    "rank 3 of 11": random_matrix(13, 3) @ random_matrix(3, 11),
    "whole numbers of rank 3": np.rint(2 * random_matrix(23, 3)) @ np.rint(2 * random_matrix(3, 23)),
    "rank 3 of 5, wide": random_matrix(5, 3) @ random_matrix(3, 13),
    "zeros": np.zeros((5, 3)),
    "zero column first": _with_zeros(7, 5, 0),
    "zero column in the middle and last": _with_zeros(7, 5, 2, 4),
    "equal columns": np.repeat(random_matrix(7, 1), 5, axis=1),
    "rows graded down": _falling[:, None] * random_matrix(13, 13),
    "rows graded up": _falling[::-1, None] * random_matrix(13, 13),
    "columns graded down": 1e150 * _falling**2 * random_matrix(13, 13),
    "columns graded up": 1e150 * _falling[::-1] ** 2 * random_matrix(13, 13),
    "graded both ways": _falling[:, None] ** 0.1 * random_matrix(13, 13) * _falling**0.1,
    "leading zero": np.array([[0.0, 1.0], [2.0, 3.0]]),
    "leading zeros": np.triu(random_matrix(7, 7), 3) + np.tril(random_matrix(7, 7), -3),
    "almost triangular": np.triu(random_matrix(7, 7)) + 1e-170 * random_matrix(7, 7),
    "identity": np.eye(7),
    "1e150": 1e150 * random_matrix(13, 7),
    "1e-150": 1e-150 * random_matrix(13, 7),
    "1e300": 1e300 * random_matrix(7, 7),
    "1e-300": 1e-300 * random_matrix(7, 7),
    "entries from 1e-150 to 1e150": random_matrix(11, 7) * 10.0 ** (150 * np.sin(np.arange(77.0).reshape(11, 7))),
}

_numbers = (
    st.floats(-1e3, 1e3)
    | st.sampled_from([0.0, 1.0, -1.0])
    | st.floats(-9, 9).map(lambda x: x * 1e150)
    | st.floats(-9, 9).map(lambda x: x * 1e-150)
)
any_matrix = arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=7), elements=_numbers)


def backward_error(a, product):
    """Measure, relative to its own size, by how much a matrix had to change to be exactly this product."""
    exponent = -np.frexp(np.abs(a).max())[1]  # so that the squares are in range
    a, product = np.ldexp(a, exponent), np.ldexp(product, exponent)
    return np.linalg.norm(a - product) / (np.linalg.norm(a) or 1)


def rounding(a):
    """Say how large an error of a good decomposition may be: 50 n eps."""
    return 50 * max(a.shape) * np.finfo(a.dtype).eps


class Tally(np.ndarray):
    """An array that counts the multiply-adds done with it: in products of matrices, and elsewhere."""

    in_products = elsewhere = 0

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        arrays = [np.asarray(x) for x in inputs]
        if ufunc is np.matmul and min(x.ndim for x in arrays) == 2:
            Tally.in_products += arrays[0].size * arrays[1].shape[1]
        elif ufunc is np.matmul:
            Tally.elsewhere += max(arrays, key=np.ndim).size
        elif ufunc is np.multiply and min(x.ndim for x in arrays) > 0:
            Tally.elsewhere += np.broadcast(*arrays).size
        if out is not None:
            kwargs["out"] = tuple(np.asarray(x) for x in out)
        result = getattr(ufunc, method)(*arrays, **kwargs)
        return result.view(Tally) if isinstance(result, np.ndarray) else result


def count_multiply_adds(function, a, *args):
    """Run a function on a matrix and return its multiply-adds in products of matrices, and elsewhere."""
    Tally.in_products = Tally.elsewhere = 0
    function(a.view(Tally), *args)
    return Tally.in_products, Tally.elsewhere
