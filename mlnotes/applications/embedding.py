"""Embedding: the rows of a table, chosen by number, and what their gradient is."""

import numpy as np
from array_api_compat import array_namespace, device, is_array_api_obj

from mlnotes.arrays import beside, require_floats, require_integers, require_same_size


def one_hot(ids, n, dtype=None):
    """Write each number as a row of zeros with a single one.

    Parameters
    ----------
    ids : integer array (...)
        Numbers from 0 to ``n`` - 1.
    n : int
        How many different numbers there are.
    dtype : optional
        A floating-point type of the library of ``ids``; that library's default unless given.

    Returns
    -------
    array (..., n)
        1 at the position that the number names, 0 elsewhere.

    Raises
    ------
    ValueError
        If ``ids`` is no array, or holds no integers, or one that is not among the ``n``, or if ``n`` is negative.

    Notes
    -----
    .. math:: \\mathrm{onehot}(i)_j = \\delta_{ij}
    """
    if not is_array_api_obj(ids):  # whose library the result would have
        raise ValueError(f"ids must be an array of NumPy or PyTorch, got {type(ids).__name__}")
    _require_ids(ids, n)
    xp = array_namespace(ids)
    dtype = xp.empty(0).dtype if dtype is None else dtype
    return xp.astype(ids[..., None] == xp.arange(n, device=device(ids)), dtype)


def embedding(ids, table):
    """Look up one vector for each number.

    Parameters
    ----------
    ids : integer array (...)
        Rows of the table, from 0. NumPy or the library of ``table``; repetitions are welcome.
    table : array (n, d)
        One floating-point vector in each row.

    Returns
    -------
    array (..., d)
        Copies of the rows; no arithmetic is done, so they are exact in every precision.

    Raises
    ------
    ValueError
        If ``table`` is no matrix of floats, ``ids`` holds no integers, or one that is no row of the table. Negative
        numbers do not count from the end.

    Notes
    -----
    .. math:: \\mathbf X = \\mathrm{onehot}(\\mathrm{ids})\\,\\mathbf E

    The gradient adds up at the rows that were looked up, and is zero at all others: see `embedding_gradient`.
    """
    _require_table(table)
    _require_ids(ids, table.shape[0])
    xp = array_namespace(table)
    ids = beside(ids, table)
    # int64, because PyTorch takes indices of 8 bits for a mask.
    flat = xp.astype(xp.reshape(ids, (-1,)), xp.int64, copy=False)
    return xp.reshape(xp.take(table, flat, axis=0), (*ids.shape, table.shape[1]))


def embedding_gradient(ids, upstream, n):
    """Add up what the rows of a table are asked to change, each at its own place.

    Parameters
    ----------
    ids : integer NumPy array (...)
        The rows that were looked up, from 0.
    upstream : NumPy array (..., d)
        The gradient of the loss by each vector that was handed out.
    n : int
        How many rows the table has.

    Returns
    -------
    NumPy array (n, d)
        The gradient by the table: row i is the sum of ``upstream`` over the places where ``ids`` is i, and zero where
        there is none. Half precision is added up in float32 and rounded once.

    Raises
    ------
    ValueError
        If ``ids`` holds no integers, or one that is no row of the table, or ``upstream`` has no vector of floats for
        each of them.

    Notes
    -----
    .. math:: \\frac{\\partial L}{\\partial\\mathbf E} = \\mathrm{onehot}(\\mathrm{ids})^{\\mathsf T}\\,
              \\frac{\\partial L}{\\partial\\mathbf X}
    """
    require_floats(upstream=upstream)
    _require_ids(ids, n)
    ids = np.asarray(ids)
    if upstream.ndim == 0 or upstream.shape[:-1] != ids.shape:
        raise ValueError(f"upstream must hold one vector for each id, got {upstream.shape} for ids {ids.shape}")
    gradient = np.zeros((n, upstream.shape[-1]), np.promote_types(upstream.dtype, np.float32))
    np.add.at(gradient, ids, upstream)  # gradient[ids] += upstream would keep only one of equal ids
    return gradient.astype(upstream.dtype)


def tied_logits(x, table):
    """Score every row of the table against a vector: the lookup, used backwards.

    Parameters
    ----------
    x : array (..., d)
        Floating-point vectors.
    table : array (n, d)
        One vector for each token.

    Returns
    -------
    array (..., n)
        Dot products of each vector with each row, in nats if softmax follows.

    Raises
    ------
    ValueError
        If ``table`` is no matrix of floats, or if ``x`` holds no floats or is not as wide.

    Notes
    -----
    .. math:: \\mathbf X\\mathbf E^{\\mathsf T}

    References
    ----------
    Press and Wolf, *Using the Output Embedding to Improve Language Models*, 2017.
    """
    require_floats(x=x)
    _require_table(table)
    require_same_size(-1, x=x, table=table)
    return x @ table.mT


def _require_table(table):
    require_floats(table=table)
    if table.ndim != 2:
        raise ValueError(f"table must be a matrix with one vector in each row, got shape {tuple(table.shape)}")


def _require_ids(ids, n):
    require_integers(0, n=n)
    ids = ids if is_array_api_obj(ids) else np.asarray(ids)
    xp = array_namespace(ids)
    if not xp.isdtype(ids.dtype, "integral"):
        raise ValueError(f"ids must hold integers, got dtype {ids.dtype}")
    if 0 in ids.shape:
        return
    ids = xp.astype(ids, xp.int64, copy=False)
    for id_ in (int(xp.min(ids)), int(xp.max(ids))):
        if not 0 <= id_ < n:
            raise ValueError(f"ids must lie between 0 and {n - 1} for a table of {n} rows, got {id_}")
