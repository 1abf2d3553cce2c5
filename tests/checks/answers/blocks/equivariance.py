"""Tests of symmetry, as readers write them."""

import numpy as np

from mlnotes.blocks.equivariance import equivariance_error, invariance_error


def right_is_invariant__loop(f, actions, x, tolerance=1e-9):
    y = np.asarray(f(x))
    for action in actions:
        moved = np.asarray(f(action(x)))
        scale = max(1, np.max(np.abs(y)), np.max(np.abs(moved)))
        if np.max(np.abs(moved - y)) > tolerance * scale:
            return False
    return True


def right_is_invariant__all(f, actions, x, tolerance=1e-9):
    def change(a, b):
        return np.abs(a - b).max() / max(1, np.abs(a).max(), np.abs(b).max())

    return all(change(f(action(x)), f(x)) <= tolerance for action in actions)


def right_is_invariant__stacked(f, actions, x, tolerance=1e-9):
    results = np.stack([np.ravel(f(action(x))) for action in actions])
    y = np.ravel(f(x))
    scale = np.maximum(np.abs(results).max(axis=1), max(1, np.abs(y).max()))
    return bool((np.abs(results - y).max(axis=1) / scale).max() <= tolerance)


def right_is_invariant__error(f, actions, x, tolerance=1e-9):
    return invariance_error(f, actions, x) <= tolerance


def wrong_is_invariant__any(f, actions, x, tolerance=1e-9):
    """One action that changes nothing is enough"""
    def change(action):
        a, b = f(action(x)), f(x)
        return np.abs(a - b).max() / max(1, np.abs(a).max(), np.abs(b).max())

    return any(change(action) <= tolerance for action in actions)


def wrong_is_invariant__allclose(f, actions, x, tolerance=1e-9):
    """relative tolerance"""
    return all(np.allclose(f(action(x)), f(x), atol=tolerance) for action in actions)


def wrong_is_invariant__acts_on_results(f, actions, x, tolerance=1e-9):
    """Line 5"""
    y = np.asarray(f(x))
    for action in actions:
        a, b = np.asarray(f(action(x))), np.asarray(action(y))
        if np.max(np.abs(a - b)) > tolerance * max(1, np.max(np.abs(a)), np.max(np.abs(b))):
            return False
    return True


def wrong_is_invariant__fixed_tolerance(f, actions, x, tolerance=1e-9):
    """`tolerance` makes no difference"""
    return invariance_error(f, actions, x) <= 1e-9


def wrong_is_invariant__strictly_less(f, actions, x, tolerance=1e-9):
    """Line 3"""
    return invariance_error(f, actions, x) < tolerance


def wrong_is_invariant__sums(f, actions, x, tolerance=1e-9):
    """Line 6"""
    y = np.asarray(f(x))
    for action in actions:
        moved = np.asarray(f(action(x)))
        if abs(np.sum(moved - y)) > tolerance * max(1, np.max(np.abs(y)), np.max(np.abs(moved))):
            return False
    return True


def wrong_is_invariant__decided_by_the_first(f, actions, x, tolerance=1e-9):
    """Only the first element is tried"""
    y = np.asarray(f(x))
    for action in actions:
        moved = np.asarray(f(action(x)))
        scale = max(1, np.max(np.abs(y)), np.max(np.abs(moved)))
        return bool(np.max(np.abs(moved - y)) <= tolerance * scale)


def wrong_is_invariant__signed(f, actions, x, tolerance=1e-9):
    """take absolute values"""
    y = np.asarray(f(x))
    for action in actions:
        moved = np.asarray(f(action(x)))
        if np.max(moved - y) > tolerance * max(1, np.max(np.abs(y)), np.max(np.abs(moved))):
            return False
    return True


def wrong_is_invariant__result_on_the_way(f, actions, x, tolerance=1e-9):
    y = np.asarray(f(x))
    for action in actions:
        x = action(x)
        moved = np.asarray(f(x))
        if np.max(np.abs(moved - y)) > tolerance:
            return False
    return True


def right_is_equivariant__loop(f, actions_in, actions_out, x, tolerance=1e-9):
    for act_in, act_out in zip(actions_in, actions_out, strict=True):
        a, b = np.asarray(f(act_in(x))), np.asarray(act_out(f(x)))
        if np.max(np.abs(a - b)) > tolerance * max(1, np.max(np.abs(a)), np.max(np.abs(b))):
            return False
    return True


def right_is_equivariant__index(f, actions_in, actions_out, x, tolerance=1e-9):
    errors = []
    for i in range(len(actions_in)):
        one, other = f(actions_in[i](x)), actions_out[i](f(x))
        scale = max(1.0, np.linalg.norm(np.ravel(one), np.inf), np.linalg.norm(np.ravel(other), np.inf))
        errors.append(np.linalg.norm(np.ravel(one - other), np.inf) / scale)
    return max(errors) <= tolerance


def right_is_equivariant__error(f, actions_in, actions_out, x, tolerance=1e-9):
    return not equivariance_error(f, actions_in, actions_out, x) > tolerance


def wrong_is_equivariant__no_action_after(f, actions_in, actions_out, x, tolerance=1e-9):
    """act on f(x)"""
    y = f(x)
    for act_in in actions_in:
        a = f(act_in(x))
        if np.max(np.abs(a - y)) > tolerance * max(1, np.max(np.abs(a)), np.max(np.abs(y))):
            return False
    return True


def wrong_is_equivariant__exchanged(f, actions_in, actions_out, x, tolerance=1e-9):
    """`actions_in` and `actions_out` are taken for each other"""
    for act_in, act_out in zip(actions_in, actions_out, strict=True):
        a, b = np.asarray(f(act_out(x))), np.asarray(act_in(f(x)))
        if np.max(np.abs(a - b)) > tolerance * max(1, np.max(np.abs(a)), np.max(np.abs(b))):
            return False
    return True


def wrong_is_equivariant__every_pair(f, actions_in, actions_out, x, tolerance=1e-9):
    """go through both lists side by side"""
    for act_in in actions_in:
        for act_out in actions_out:
            a, b = np.asarray(f(act_in(x))), np.asarray(act_out(f(x)))
            if np.max(np.abs(a - b)) > tolerance * max(1, np.max(np.abs(a)), np.max(np.abs(b))):
                return False
    return True


def wrong_is_equivariant__one_is_enough(f, actions_in, actions_out, x, tolerance=1e-9):
    """One action that makes no difference is enough"""
    errors = []
    for act_in, act_out in zip(actions_in, actions_out, strict=True):
        a, b = np.asarray(f(act_in(x))), np.asarray(act_out(f(x)))
        errors.append(np.max(np.abs(a - b)) / max(1, np.max(np.abs(a)), np.max(np.abs(b))))
    return min(errors) <= tolerance


def wrong_is_equivariant__absolute(f, actions_in, actions_out, x, tolerance=1e-9):
    """divide by the size of the results"""
    pairs = zip(actions_in, actions_out, strict=True)
    return all(np.abs(f(act_in(x)) - act_out(f(x))).max() <= tolerance for act_in, act_out in pairs)


def wrong_is_equivariant__acted_twice(f, actions_in, actions_out, x, tolerance=1e-9):
    """Line 4"""
    for act_in, act_out in zip(actions_in, actions_out, strict=True):
        a, b = np.asarray(f(act_in(x))), np.asarray(act_out(f(act_in(x))))
        if np.max(np.abs(a - b)) > tolerance * max(1, np.max(np.abs(a)), np.max(np.abs(b))):
            return False
    return True


def wrong_is_equivariant__input_action_on_results(f, actions_in, actions_out, x, tolerance=1e-9):
    """their own action"""
    for act in actions_in:
        a, b = np.asarray(f(act(x))), np.asarray(act(f(x)))
        if np.max(np.abs(a - b)) > tolerance * max(1, np.max(np.abs(a)), np.max(np.abs(b))):
            return False
    return True


def wrong_is_equivariant__reversed(f, actions_in, actions_out, x, tolerance=1e-9):
    """Line 3"""
    for act_in, act_out in zip(actions_in, actions_out[::-1], strict=True):
        a, b = np.asarray(f(act_in(x))), np.asarray(act_out(f(x)))
        if np.max(np.abs(a - b)) > tolerance * max(1, np.max(np.abs(a)), np.max(np.abs(b))):
            return False
    return True


def right_symmetrize__mean(f, actions):
    return lambda x: np.mean([f(action(x)) for action in actions], axis=0)


def right_symmetrize__loop(f, actions):
    def average(x):
        total = 0
        for action in actions:
            total = total + f(action(x))
        return total / len(actions)

    return average


def right_symmetrize__weights(f, actions):
    weights = np.full(len(actions), 1 / len(actions))
    return lambda x: np.tensordot(weights, np.stack([f(action(x)) for action in actions]), axes=1)


def wrong_symmetrize__sum(f, actions):
    """divide by the size"""
    return lambda x: np.sum([f(action(x)) for action in actions], axis=0)


def wrong_symmetrize__all_numbers(f, actions):
    """Line 3"""
    return lambda x: np.mean([f(action(x)) for action in actions])


def wrong_symmetrize__by_the_input(f, actions):
    """Line 7"""
    def average(x):
        total = 0
        for action in actions:
            total = total + f(action(x))
        return total / len(x)

    return average


def wrong_symmetrize__largest(f, actions):
    return lambda x: np.max([f(action(x)) for action in actions], axis=0)


def wrong_symmetrize__last(f, actions):
    """Line 7"""

    def average(x):
        total = 0
        for action in actions:
            total = f(action(x))
        return total / len(actions)

    return average


def wrong_symmetrize__acts_after(f, actions):
    """It acts on the result"""
    return lambda x: np.mean([action(f(x)) for action in actions], axis=0)


def wrong_symmetrize__with_itself(f, actions):
    """The input as it came counts twice"""
    n = len(actions) + 1
    return lambda x: (f(x) + sum(f(action(x)) for action in actions)) / n


def wrong_symmetrize__returned_early(f, actions):
    """Line 7"""
    def average(x):
        total = 0
        for action in actions:
            total += f(action(x)) / len(actions)
            return total

    return average
