"""Groups: multiplication tables whose axioms are tested, and what their elements do to arrays."""

import math

import numpy as np
from array_api_compat import array_namespace, device

from mlnotes.arrays import require_finite, require_floats, require_integers, require_not_negative


def broken_axioms(table):
    """Name the axioms of a group that a multiplication table breaks.

    Parameters
    ----------
    table : integer array (n, n)
        Row i, column j: the number of the element ij, from 0 to n - 1. Any other number stands for no element.

    Returns
    -------
    dict of str to str
        "closure", "identity", "inverses" or "associativity", each with an example of how it fails; empty for a
        group. Only closure where that fails, and no inverses without an identity: they cannot be asked for then.

    Raises
    ------
    ValueError
        If the table is not square, is empty or does not hold integers.

    Notes
    -----
    For all i, j and k: ij is an element; ei = i = ie for one e; every i has some j with ij = e = ji; (ij)k = i(jk).
    The last takes n³ comparisons.
    """
    table = _square(table)
    n = len(table)
    outside = np.argwhere((table < 0) | (table >= n))
    if len(outside):
        i, j = outside[0]
        return {"closure": f"{i} times {j} is none of the {n} elements"}
    broken = {}
    e = identity(table)
    if e is None:
        broken["identity"] = "no element leaves all others as they are, from the left and from the right"
    elif not (undone := ((table == e) & (table.T == e)).any(axis=1)).all():
        broken["inverses"] = f"no element undoes {np.argmin(undone)}, from the left and from the right"
    for i in range(n):
        differ = np.argwhere(table[table[i]] != table[i][table])  # (ij)k against i(jk), for all j and k
        if len(differ):
            j, k = differ[0]
            broken["associativity"] = f"({i} times {j}) times {k} is not {i} times ({j} times {k})"
            break
    return broken


def identity(table):
    """Find the element that leaves all others as they are.

    Parameters
    ----------
    table : integer array (n, n)
        As in `broken_axioms`.

    Returns
    -------
    int or None
        The element e whose row and whose column list all elements in order; None where there is none.

    Raises
    ------
    ValueError
        If the table is not square, is empty or does not hold integers.
    """
    table = _square(table)
    listed = np.arange(len(table))
    neutral = (table == listed).all(axis=1) & (table.T == listed).all(axis=1)
    return int(np.argmax(neutral)) if neutral.any() else None


def inverses(table):
    """Find the element that undoes each.

    Parameters
    ----------
    table : integer array (n, n)
        The multiplication table of a group.

    Returns
    -------
    integer array (n,)
        Entry i: the j with ij = e = ji.

    Raises
    ------
    ValueError
        If the table is not that of a group; the message names the axiom.
    """
    for axiom, example in broken_axioms(table).items():
        raise ValueError(f"table must be that of a group, got one that breaks {axiom}: {example}")
    return np.argmax(np.asarray(table) == identity(table), axis=1)


def generate_group(generators, max_order=1000, tolerance=1e-9):
    """Multiply matrices until nothing new comes out.

    Parameters
    ----------
    generators : array (k, d, d)
        Matrices, some of whose products make up the whole group.
    max_order : int
        How many elements may come out before the search is given up.
    tolerance : float
        Two matrices are the same element if no entry differs by more than this, relative to the largest.

    Returns
    -------
    array (n, d, d)
        The n elements, each once, the identity first.

    Raises
    ------
    ValueError
        If the generators are not square matrices of finite numbers, if one has a determinant other than 1 and -1 (so
        that no power of it is the identity), or if more than ``max_order`` elements come out;
        if that is no positive integer, or ``tolerance`` is negative.

    Notes
    -----
    Inverses need no search: in a finite group the inverse of an element is one of its powers.
    """
    require_integers(1, max_order=max_order)
    require_not_negative(tolerance=tolerance)
    generators = _matrices(generators)
    # The logarithm of a determinant neither overflows nor vanishes.
    for log in np.linalg.slogdet(generators).logabsdet:
        if not abs(log) <= len(generators[0]) * max(tolerance, 1e-9):
            raise ValueError(f"a generator's determinant must be 1 or -1, got one of size e^{log:.4g}")
    elements = [np.eye(generators.shape[-1])]
    for element in elements:  # grows while it is walked through
        for generator in generators:
            product = _times(generator, element)
            if _find(product, elements, tolerance) >= 0:
                continue
            if len(elements) >= max_order:
                raise ValueError(f"the generators must give at most max_order={max_order} elements, got more")
            elements.append(product)
    return np.stack(elements)


def multiplication_table(elements, tolerance=1e-9):
    """Multiply every matrix by every other, and look up which of them comes out.

    Parameters
    ----------
    elements : array (n, d, d)
        Matrices, each once.
    tolerance : float
        Two matrices are the same element if no entry differs by more than this, relative to the largest.

    Returns
    -------
    integer array (n, n)
        Row i, column j: the number of the product ij, or -1 where it is none of them.

    Raises
    ------
    ValueError
        If the elements are not square matrices of finite numbers, or ``tolerance`` is negative.
    """
    require_not_negative(tolerance=tolerance)
    elements = _matrices(elements)
    return np.array([[_find(_times(a, b), elements, tolerance) for b in elements] for a in elements])


def matrix_actions(matrices):
    """Let matrices act on vectors that are rows.

    Parameters
    ----------
    matrices : array (n, d, d)
        One for each action.

    Returns
    -------
    list of callable
        Each takes an array (..., d) of floating-point numbers, of NumPy or PyTorch, and gives one of the same shape.

    Raises
    ------
    ValueError
        If they are not square matrices of finite numbers, or, when an action is called, if it does not fit the rows or
        these hold no floats.

    Notes
    -----
    .. math:: g\\,\\mathbf X = \\mathbf X\\,\\mathbf M_g^{\\mathsf T}, \\qquad
              \\text{so that each row } \\mathbf x \\text{ becomes } \\mathbf M_g\\mathbf x
    """
    return [_act_on_rows(matrix) for matrix in _matrices(matrices)]


def permutation_actions(orders, axis=-2):
    """Let permutations move entries along an axis.

    Parameters
    ----------
    orders : integer array (n, size)
        Each row holds 0 to size - 1 in some order: the entry at place i goes to place ``order[i]``.
    axis : int
        The axis along which entries move; rows, by default.

    Returns
    -------
    list of callable
        Each takes an array of NumPy or PyTorch, and gives one of the same shape.

    Raises
    ------
    ValueError
        If a row is not a permutation, or the axis no integer, or, when an action is called, if that axis has another
        size.
    """
    require_integers(-math.inf, axis=axis)
    return [_move(np.argsort(_permutation(order)), axis) for order in orders]


def cyclic_shifts(n, axis=-1):
    """Shift entries along an axis, and bring those that leave it back in at the other end.

    Parameters
    ----------
    n : int
        How many entries the axis has.
    axis : int
        The axis along which entries move.

    Returns
    -------
    list of callable
        By 0 to n - 1 places, towards higher numbers.

    Raises
    ------
    ValueError
        If n is not positive, or the axis no integer, or, when a shift is called, if the axis has another size.
    """
    require_integers(1, n=n)
    require_integers(-math.inf, axis=axis)
    return [_move((np.arange(n) - k) % n, axis) for k in range(n)]


def quarter_turns(axes=(-2, -1)):
    """Rotate by multiples of 90°, as images are rotated.

    Parameters
    ----------
    axes : tuple of int
        The two axes of the plane. Where the first points down and the second to the right, as the rows and columns of
        an image do, the turns are anticlockwise.

    Returns
    -------
    list of callable
        By 0°, 90°, 180° and 270°. Each takes an array of NumPy or PyTorch.

    Raises
    ------
    ValueError
        If the axes are no two different integers, or, when an action is called, if both name one axis of the array, or
        one names none.
    """
    if not isinstance(axes, tuple | list) or len(axes) != 2 or axes[0] == axes[1]:
        raise ValueError(f"axes must be two different ones, got {axes}")
    first, second = axes
    require_integers(-math.inf, first_axis=first, second_axis=second)

    def turn(x):
        _require_axes(x, first, second)
        if first % x.ndim == second % x.ndim:  # one counts from the end
            raise ValueError(f"axes must be two different ones, got {axes} for shape {tuple(x.shape)}")
        return array_namespace(x).flip(x.swapaxes(first, second), axis=first)

    return [lambda x: x, turn, lambda x: turn(turn(x)), lambda x: turn(turn(turn(x)))]


def reflections(axis=-1):
    """Leave an axis as it is, or reverse it.

    Parameters
    ----------
    axis : int
        The axis along which entries change places.

    Returns
    -------
    list of callable
        Two, the first of which does nothing. Each takes an array of NumPy or PyTorch.

    Raises
    ------
    ValueError
        If the axis is no integer, or, when an action is called, if the array has no such axis.
    """
    require_integers(-math.inf, axis=axis)

    def reverse(x):
        _require_axes(x, axis)
        return array_namespace(x).flip(x, axis=axis)

    return [lambda x: x, reverse]


def random_orthogonal(n, d, rng):
    """Draw rotations and reflections, none likelier than another.

    Parameters
    ----------
    n : int
        How many.
    d : int
        The dimension of the space.
    rng : numpy.random.Generator
        Where they come from.

    Returns
    -------
    array (n, d, d)
        Orthogonal matrices of determinant 1 or -1, for `matrix_actions`: a sample of a group that has no table.

    Raises
    ------
    ValueError
        If n or d is not positive.

    Notes
    -----
    The Q of a QR decomposition of normal numbers, with the signs that make the diagonal of R positive. With the signs
    that an algorithm happens to choose, the matrices would not be uniform.

    References
    ----------
    Mezzadri, *How to generate random matrices from the classical compact groups*, 2007.
    """
    require_integers(1, n=n, d=d)
    q, r = np.linalg.qr(rng.normal(size=(n, d, d)))
    return q * np.copysign(1.0, np.diagonal(r, axis1=-2, axis2=-1))[:, None, :]


def _square(table):
    table = np.asarray(table)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or table.size == 0:
        raise ValueError(f"table must be square and not empty, got shape {table.shape}")
    if table.dtype.kind not in "iu":
        raise ValueError(f"table must hold integers, got dtype {table.dtype}")
    return table


def _matrices(matrices):
    require_finite(matrices=matrices)
    matrices = np.asarray(matrices, dtype=np.float64)
    if matrices.ndim != 3 or matrices.shape[1] != matrices.shape[2] or matrices.size == 0:
        raise ValueError(f"there must be square matrices, of shape (n, d, d), got shape {matrices.shape}")
    return matrices


def _times(a, b):
    """Multiply matrices that may be too large for that, without a warning."""
    with np.errstate(all="ignore"):
        return a @ b


def _find(matrix, elements, tolerance):
    """Return the number of a matrix among others, or -1."""
    largest = np.abs(matrix).max()
    if not np.isfinite(largest):
        return -1
    distances = np.abs(np.asarray(elements) - matrix).max(axis=(1, 2))
    nearest = np.argmin(distances)
    return int(nearest) if distances[nearest] <= tolerance * largest else -1


def _require_axes(x, *axes):
    for axis in axes:
        if not -x.ndim <= axis < x.ndim:
            raise ValueError(f"axis must be one of the array's {x.ndim} axes, got axis {axis}")


def _permutation(order):
    order = np.asarray(order)
    if order.ndim != 1:
        raise ValueError(f"each order must be a row of numbers, got shape {order.shape}")
    if not np.array_equal(np.sort(order), np.arange(len(order))):
        raise ValueError(f"an order must hold the numbers 0 to {order.size - 1} once each, got {order.tolist()}")
    return order


def _act_on_rows(matrix):
    def act(x):
        require_floats(x=x)
        xp = array_namespace(x)
        if x.ndim == 0 or x.shape[-1] != len(matrix):
            raise ValueError(f"rows must have {len(matrix)} coordinates, got shape {tuple(x.shape)}")
        return x @ xp.asarray(matrix.T, dtype=x.dtype, device=device(x))

    return act


def _move(sources, axis):
    """Fill each place along an axis from another."""

    def move(x):
        xp = array_namespace(x)
        if not -x.ndim <= axis < x.ndim or x.shape[axis] != len(sources):
            raise ValueError(f"axis {axis} must have {len(sources)} entries, got shape {tuple(x.shape)}")
        return xp.take(x, xp.asarray(sources, device=device(x)), axis=axis)

    return move
