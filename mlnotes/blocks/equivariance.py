"""Equivariance: what a function does when a group acts on its input, tested on numbers."""

import numpy as np
from array_api_compat import array_namespace, is_array_api_obj

from mlnotes.arrays import require_not_negative
from mlnotes.groups import identity, inverses


def is_invariant(f, actions, x, tolerance=1e-9):
    """Test on one input whether a function takes no notice of what a group does to it.

    Parameters
    ----------
    f : callable
        Takes what ``x`` is and gives a number, an array or a tuple of arrays.
    actions : sequence of callable
        What each group element, or each of a sample of them, does to ``x``. Generators are enough: what changes
        under no generator, whatever the input, changes under none of their products.
    x : array or tuple of arrays
        The input to test on. Take one without symmetry of its own: where actions leave it as it is, as matrices,
        shifts and permutations do with zeros, any function passes.
    tolerance : float
        The largest `invariance_error` allowed. The default is far above the rounding of float64, some hundred times
        1e-16 in a function that sums; in float32 take 1e-5.

    Returns
    -------
    bool
        False means that it is not invariant. True means that this input does not show it.

    Raises
    ------
    ValueError
        If ``tolerance`` is negative or not finite, or for what `invariance_error` refuses.
    """
    require_not_negative(tolerance=tolerance)
    return invariance_error(f, actions, x) <= tolerance


def is_equivariant(f, actions_in, actions_out, x, tolerance=1e-9):
    """Test on one input whether it is the same to act before a function and to act after it.

    Parameters
    ----------
    f : callable
        Takes what ``x`` is and gives a number, an array or a tuple of arrays.
    actions_in, actions_out : sequence of callable
        What the same group elements do to inputs and to results, in the same order.
    x : array or tuple of arrays
        The input to test on.
    tolerance : float
        The largest `equivariance_error` allowed, as in `is_invariant`.

    Returns
    -------
    bool
        False means that it is not equivariant. True means that this input does not show it.

    Raises
    ------
    ValueError
        If ``tolerance`` is negative or not finite, or for what `equivariance_error` refuses.
    """
    require_not_negative(tolerance=tolerance)
    return equivariance_error(f, actions_in, actions_out, x) <= tolerance


def invariance_error(f, actions, x):
    """Measure how far a function is from invariant.

    Parameters
    ----------
    f, actions, x
        As in `is_invariant`.

    Returns
    -------
    float
        The largest change of the result, relative to the largest number in it where that is larger than one. In a
        tuple each array has its own scale.

    Raises
    ------
    ValueError
        If there is no action, or if results have different shapes, are empty, or are not finite.

    Notes
    -----
    .. math:: \\max_{g}\\;\\frac{\\lVert f(g\\mathbf x) - f(\\mathbf x)\\rVert_\\infty}
              {\\max(1, \\lVert f(g\\mathbf x)\\rVert_\\infty, \\lVert f(\\mathbf x)\\rVert_\\infty)}

    The one in the denominator lets a result pass that is zero but for rounding. It also lets one pass that is smaller
    than the tolerance altogether: give ``f`` units in which its results are not tiny.
    """
    y = f(x)
    actions = list(actions)
    _require_one_or_more(actions)
    return max(_change(f(action(x)), y) for action in actions)


def equivariance_error(f, actions_in, actions_out, x):
    """Measure how far the two ways round the square are apart: act, then apply f; or apply f, then act.

    Parameters
    ----------
    f, actions_in, actions_out, x
        As in `is_equivariant`.

    Returns
    -------
    float
        The largest difference, relative to the largest number in the results where that is larger than one. In a
        tuple each array has its own scale.

    Raises
    ------
    ValueError
        If there is no action, if there are not as many for results as for inputs, or if results have different
        shapes, are empty, or are not finite.

    Notes
    -----
    .. math:: \\max_{g}\\;\\frac{\\lVert f(g\\mathbf x) - g' f(\\mathbf x)\\rVert_\\infty}
              {\\max(1, \\lVert f(g\\mathbf x)\\rVert_\\infty, \\lVert g' f(\\mathbf x)\\rVert_\\infty)}

    where g' is what the element g does to results.

    References
    ----------
    Bronstein, Bruna, Cohen and Veličković, *Geometric Deep Learning*, 2021, section 3.1.
    """
    y = f(x)
    actions_in, actions_out = list(actions_in), list(actions_out)
    _require_as_many(actions_in, actions_out)
    pairs = zip(actions_in, actions_out, strict=True)
    return max(_change(f(act_in(x)), act_out(y)) for act_in, act_out in pairs)


def symmetrize(f, actions):
    """Make any function invariant: average its results over a group.

    Parameters
    ----------
    f : callable
        Takes what the actions give, and gives a number, an array or a tuple of arrays.
    actions : sequence of callable
        What each element of the group does to inputs. All of them, once each: an average over some of them, or over a
        sample of a continuous group, is in general not invariant, however near it comes.

    Returns
    -------
    callable
        The average, a function of one input. It is ``f`` itself where ``f`` is invariant already.

    Raises
    ------
    ValueError
        If there is no action, or, when it is called, if results have different shapes or are not all tuples of the same
        length.

    Notes
    -----
    .. math:: \\bar f(\\mathbf x) = \\frac1{|G|}\\sum_{g\\in G} f(g\\mathbf x)

    Acting first with any h only puts the sum into another order, for gh runs through the group as g does.
    """
    actions = list(actions)
    _require_one_or_more(actions)
    return lambda x: _mean([f(action(x)) for action in actions])


def symmetrize_equivariant(f, actions_in, actions_out, table):
    """Make any function equivariant: act, apply it, undo the action on the result, and average over a group.

    Parameters
    ----------
    f : callable
        Takes what the actions give, and gives a number, an array or a tuple of arrays.
    actions_in, actions_out : sequence of callable
        What each element of the group does to inputs and to results, in the order of ``table``.
    table : integer array (n, n)
        The group's multiplication table, which tells the element that undoes each.

    Returns
    -------
    callable
        The average, a function of one input.

    Raises
    ------
    ValueError
        If the table is not that of a group, if there is not one action in and out for each element, or, when the
        average is called, as in `symmetrize`.

    Notes
    -----
    .. math:: \\bar f(\\mathbf x) = \\frac1{|G|}\\sum_{g\\in G} g'^{-1} f(g\\mathbf x)
    """
    actions_in, actions_out = list(actions_in), list(actions_out)
    _require_as_many(actions_in, actions_out)
    inverse = inverses(table)
    _require_one_each(actions_in, inverse)
    back = [actions_out[i] for i in inverse]
    return lambda x: _mean([undo(f(act(x))) for act, undo in zip(actions_in, back, strict=True)])


def action_error(actions, table, x):
    """Measure how far some transformations are from being what the elements of a group do.

    Parameters
    ----------
    actions : sequence of callable
        What each element does to ``x``.
    table : integer array (n, n)
        The group's multiplication table, in the order of the actions.
    x : array or tuple of arrays
        The input to test on.

    Returns
    -------
    float
        The largest difference between both sides of the two rules, measured as in `equivariance_error`.

    Raises
    ------
    ValueError
        If the table is not that of a group, there is not one action for each element, or what they give has another
        shape than ``x``, is empty or is not finite.

    Notes
    -----
    .. math:: e\\,\\mathbf x = \\mathbf x, \\qquad (gh)\\,\\mathbf x = g\\,(h\\,\\mathbf x)

    Multiplying row vectors by the matrices breaks the second, unless the group is commutative: it needs their
    transposes.
    """
    actions = list(actions)
    _require_one_or_more(actions)
    _require_one_each(actions, inverses(table))
    at_rest = _change(actions[identity(table)](x), x)
    moved = [action(x) for action in actions]
    one_by_one = (_change(moved[gh], actions[g](moved[h])) for (g, h), gh in np.ndenumerate(table))
    return max(at_rest, *one_by_one)


def _change(found, expected):
    """Compare two results, array by array."""
    found, expected = (y if isinstance(y, tuple) else (y,) for y in (found, expected))
    if len(found) != len(expected):
        raise ValueError(f"results must be tuples of the same length, got {len(found)} and {len(expected)}")
    if not found:
        raise ValueError(f"results must be arrays or tuples of at least one, got {found}")
    return max(map(_distance, map(_measurable, found), map(_measurable, expected)))


def _distance(a, b):
    """Find the largest difference of two arrays, relative to the largest number in them where that is above one."""
    _require_same_shape(a, b)
    xp = array_namespace(a, b)
    scale = max(1.0, xp.max(xp.abs(a)).item(), xp.max(xp.abs(b)).item())
    # Divided before they are subtracted: the difference of two huge numbers may overflow.
    return xp.max(xp.abs(a / scale - b / scale)).item()


def _measurable(y):
    """Make a result an array of float64, or of complex numbers, and refuse what has no size."""
    y = y if is_array_api_obj(y) else np.asarray(y)
    xp = array_namespace(y)
    y = y if xp.isdtype(y.dtype, "complex floating") else xp.astype(y, xp.float64)
    if 0 in y.shape:
        raise ValueError(f"results must not be empty, got shape {tuple(y.shape)}")
    if not xp.all(xp.isfinite(y)):
        raise ValueError(f"results must be finite, got {y[~xp.isfinite(y)][0]}")
    return y


def _mean(results):
    _require_same_length(results)
    if isinstance(results[0], tuple):
        return tuple(map(_mean, zip(*results, strict=True)))
    for result in results:
        _require_same_shape(result, results[0])
    return sum(result / len(results) for result in results)


def _require_same_length(results):
    kinds = {f"a tuple of {len(y)}" if isinstance(y, tuple) else "no tuple" for y in results}
    if len(kinds) > 1:
        got = " and ".join(sorted(kinds))
        raise ValueError(f"results must be tuples of the same length, or none of them one, got {got}")


def _require_same_shape(a, b):
    if np.shape(a) != np.shape(b):
        raise ValueError(f"results must have the same shape, got {tuple(np.shape(a))} and {tuple(np.shape(b))}")


def _require_as_many(actions_in, actions_out):
    if len(actions_in) != len(actions_out):
        raise ValueError(
            f"actions_in and actions_out must be as many, got {len(actions_in)} and {len(actions_out)} of them"
        )
    _require_one_or_more(actions_in)


def _require_one_or_more(actions):
    if not actions:
        raise ValueError("there must be at least one action, got 0")


def _require_one_each(actions, elements):
    if len(actions) != len(elements):
        raise ValueError(f"actions must be as many as the group has elements, got {len(actions)} for {len(elements)}")
