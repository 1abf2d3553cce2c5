"""Tests of symmetry, as readers write them."""

import functools
import itertools
import math
import operator

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
    """It measures equivariance"""
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


def right_is_equivariant__flat(f, actions_in, actions_out, x, tolerance=1e-9):
    worst = 0.0
    for g, h in zip(actions_in, actions_out, strict=False):
        a, b = np.ravel(f(g(x))).tolist(), np.ravel(h(f(x))).tolist()
        size = max([1.0] + [abs(it) for it in a + b])
        worst = max([worst] + [abs(one - other) / size for one, other in zip(a, b, strict=False)])
    return worst <= tolerance


def right_is_equivariant__allclose(f, actions_in, actions_out, x, tolerance=1e-9):
    def same(a, b):
        size = np.max(np.abs([*np.ravel(a), *np.ravel(b), 1.0]))
        return np.allclose(np.asarray(a) / size, np.asarray(b) / size, rtol=0, atol=tolerance)

    return all(same(f(g(x)), h(f(x))) for g, h in zip(actions_in, actions_out, strict=False))


def right_is_equivariant__recursion(f, actions_in, actions_out, x, tolerance=1e-9):
    if not actions_in:
        return True
    a, b = np.atleast_1d(f(actions_in[0](x))), np.atleast_1d(actions_out[0](f(x)))
    scale = max(1, abs(a).max(), abs(b).max())
    closed = bool((abs(a / scale - b / scale) <= tolerance).all())
    return closed and right_is_equivariant__recursion(f, actions_in[1:], actions_out[1:], x, tolerance)


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


def wrong_is_equivariant__each_its_own_size(f, actions_in, actions_out, x, tolerance=1e-9):
    """A small entry beside a large one fails by rounding alone"""
    worst = 0.0
    for g, h in zip(actions_in, actions_out, strict=False):
        a, b = np.asarray(f(g(x))), np.asarray(h(f(x)))
        worst = max(worst, np.max(np.abs(a - b) / np.maximum(1, np.maximum(np.abs(a), np.abs(b)))))
    return worst <= tolerance


def wrong_is_equivariant__mean_difference(f, actions_in, actions_out, x, tolerance=1e-9):
    """not the mean"""
    for g, h in zip(actions_in, actions_out, strict=False):
        a, b = np.asarray(f(g(x))), np.asarray(h(f(x)))
        if np.mean(np.abs(a - b)) / max(1, np.abs(a).max(), np.abs(b).max()) > tolerance:
            return False
    return True


def wrong_is_equivariant__sorted(f, actions_in, actions_out, x, tolerance=1e-9):
    for g, h in zip(actions_in, actions_out, strict=False):
        a, b = np.sort(np.ravel(f(g(x)))), np.sort(np.ravel(h(f(x))))
        if np.abs(a - b).max() > tolerance * max(1, np.abs(a).max(), np.abs(b).max()):
            return False
    return True


def wrong_is_equivariant__one_side(f, actions_in, actions_out, x, tolerance=1e-9):
    """It divides by the size of one of the two results alone"""
    for g, h in zip(actions_in, actions_out, strict=False):
        a, b = np.asarray(f(g(x))), np.asarray(h(f(x)))
        if np.abs(a - b).max() > tolerance * max(1, np.abs(a).max()):
            return False
    return True


def wrong_is_equivariant__sum_of_scales(f, actions_in, actions_out, x, tolerance=1e-9):
    for g, h in zip(actions_in, actions_out, strict=False):
        a, b = np.asarray(f(g(x))), np.asarray(h(f(x)))
        if np.abs(a - b).max() > tolerance * (1 + np.abs(a).max() + np.abs(b).max()):
            return False
    return True


def wrong_is_equivariant__euclidean(f, actions_in, actions_out, x, tolerance=1e-9):
    """take the largest absolute values, not lengths"""
    for g, h in zip(actions_in, actions_out, strict=False):
        a, b = np.ravel(f(g(x))), np.ravel(h(f(x)))
        if np.linalg.norm(a - b) / max(1, np.linalg.norm(a), np.linalg.norm(b)) > tolerance:
            return False
    return True


def wrong_is_equivariant__size_without_abs(f, actions_in, actions_out, x, tolerance=1e-9):
    """Line 5"""
    for g, h in zip(actions_in, actions_out, strict=False):
        a, b = np.asarray(f(g(x))), np.asarray(h(f(x)))
        if np.abs(a - b).max() > tolerance * max(1, a.max(), b.max()):
            return False
    return True


def wrong_is_equivariant__returns_in_loop(f, actions_in, actions_out, x, tolerance=1e-9):
    """Only the first pair is tried"""
    for g, h in zip(actions_in, actions_out, strict=False):
        a, b = np.asarray(f(g(x))), np.asarray(h(f(x)))
        scale = max(1, np.abs(a).max(), np.abs(b).max())
        if np.abs(a - b).max() / scale > tolerance:
            return False
        return True


def wrong_is_equivariant__returns_the_error(f, actions_in, actions_out, x, tolerance=1e-9):
    worst = 0.0
    for g, h in zip(actions_in, actions_out, strict=False):
        a, b = np.asarray(f(g(x))), np.asarray(h(f(x)))
        worst = max(worst, np.abs(a - b).max() / max(1, np.abs(a).max(), np.abs(b).max()))
    return worst


def wrong_is_equivariant__identity_added(f, actions_in, actions_out, x, tolerance=1e-9):
    """Line 4"""
    for g, h in zip(actions_in, actions_out, strict=False):
        a, b = np.asarray(f(g(x))), np.asarray(h(f(g(x))))
        if np.abs(a - b).max() > tolerance * max(1, np.abs(a).max(), np.abs(b).max()):
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


def right_symmetrize__fsum(f, actions):
    def average(x):
        results = [np.asarray(f(g(x)), float) for g in actions]
        flat = zip(*(it.ravel() for it in results), strict=False)
        return np.array([math.fsum(it) / len(actions) for it in flat]).reshape(results[0].shape)

    return average


def right_symmetrize__running(f, actions):
    def average(x):
        mean = f(actions[0](x))
        for k, g in enumerate(actions[1:], start=2):
            mean = mean + (f(g(x)) - mean) / k
        return mean

    return average


def right_symmetrize__reduce(f, actions):
    return lambda x: functools.reduce(operator.add, map(lambda g: f(g(x)) / len(actions), actions))


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
    """It is invariant, but not the average"""
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


def wrong_symmetrize__median(f, actions):
    return lambda x: np.median([f(g(x)) for g in actions], axis=0)


def wrong_symmetrize__one_less(f, actions):
    """Line 3"""
    return lambda x: sum(f(g(x)) for g in actions) / (len(actions) - 1)


def wrong_symmetrize__acts_on(f, actions):
    """Each action moves what the ones before have moved"""
    def average(x):
        total = 0
        for g in actions:
            x = g(x)
            total = total + f(x)
        return total / len(actions)

    return average


def wrong_symmetrize__applied_twice(f, actions):
    """Line 3"""
    return lambda x: np.mean([f(g(g(x))) for g in actions], axis=0)


def wrong_symmetrize__acts_before_and_after(f, actions):
    """Line 3"""
    return lambda x: np.mean([g(f(g(x))) for g in actions], axis=0)


def wrong_symmetrize__distinct(f, actions):
    """Line 3"""
    return lambda x: np.mean(np.unique([f(g(x)) for g in actions], axis=0), axis=0)


def wrong_symmetrize__starts_with_f(f, actions):
    """Line 4"""
    def average(x):
        total = f(x)
        for g in actions:
            total = total + f(g(x))
        return total / len(actions)

    return average


def wrong_symmetrize__called_at_once(f, actions):
    """Line 3"""
    return np.mean([f(g) for g in actions], axis=0)


def wrong_symmetrize__integer_division(f, actions):
    """Line 3"""
    return lambda x: sum(f(g(x)) for g in actions) // len(actions)


def wrong_symmetrize__weighted(f, actions):
    def average(x):
        mean = f(actions[0](x))
        for g in actions[1:]:
            mean = (mean + f(g(x))) / 2
        return mean

    return average


def right_broken_axioms__loops(table):
    n = range(len(table))
    if any(table[i][j] not in n for i in n for j in n):
        return ["closure"]
    broken = []
    if any(table[table[i][j]][k] != table[i][table[j][k]] for i in n for j in n for k in n):
        broken.append("associativity")
    neutral = [e for e in n if all(table[e][i] == i and table[i][e] == i for i in n)]
    if not neutral:
        broken.append("identity")
    elif not all(any(table[i][j] == neutral[0] and table[j][i] == neutral[0] for j in n) for i in n):
        broken.append("inverses")
    return broken


def right_broken_axioms__arrays(table):
    n = np.arange(len(table))
    if table.min() < 0 or table.max() >= len(n):
        return {"closure"}
    broken = set() if (table[table] == table[:, table]).all() else {"associativity"}
    e = np.flatnonzero((table == n).all(axis=1) & (table == n[:, None]).all(axis=0))
    if len(e) == 0:
        return broken | {"identity"}
    return broken if (((table == e[0]) & (table.T == e[0])).sum(axis=1) > 0).all() else broken | {"inverses"}


def right_broken_axioms__dictionary(table):
    rows = table.tolist()
    n = len(rows)
    if not {product for row in rows for product in row} <= set(range(n)):
        return {"closure": "a product is none of them"}
    broken = {}
    if [rows[rows[i][j]][k] for i in range(n) for j in range(n) for k in range(n)] != [
        rows[i][rows[j][k]] for i in range(n) for j in range(n) for k in range(n)
    ]:
        broken["associativity"] = "brackets matter"
    columns = table.T.tolist()
    if list(range(n)) not in rows or rows.index(list(range(n))) not in [
        k for k, column in enumerate(columns) if column == list(range(n))
    ]:
        broken["identity"] = "nobody"
    elif any(
        not any(rows[i][j] == rows[j][i] == rows.index(list(range(n))) for j in range(n)) for i in range(n)
    ):
        broken["inverses"] = "somebody"
    return broken


def right_broken_axioms__sets(table):
    n = len(table)
    product = {(i, j): int(table[i, j]) for i in range(n) for j in range(n)}
    if not set(product.values()) <= set(range(n)):
        return ["closure"]
    found = []
    triples = itertools.product(range(n), repeat=3)
    if any(product[product[i, j], k] != product[i, product[j, k]] for i, j, k in triples):
        found.append("associativity")
    e = next((e for e in range(n) if all(product[e, i] == product[i, e] == i for i in range(n))), None)
    if e is None:
        found.append("identity")
    elif not all(any(product[i, j] == product[j, i] == e for j in range(n)) for i in range(n)):
        found.append("inverses")
    return found


def right_broken_axioms__permutations(table):
    n = len(table)
    table = np.asarray(table)
    if np.any((table < 0) | (table > n - 1)):
        return ["closure"]
    left = [np.eye(n)[:, row] for row in table]
    answer = []
    for i in range(n):
        for j in range(n):
            if not np.array_equal(left[i] @ left[j], left[table[i, j]]):
                answer = ["associativity"]
    units = [k for k in range(n) if list(table[k]) == list(range(n)) == list(table[:, k])]
    if units == []:
        answer = [*answer, "identity"]
        return answer
    for i in range(n):
        if not [j for j in range(n) if table[i, j] == units[0] and table[j, i] == units[0]]:
            return [*answer, "inverses"]
    return answer


def right_broken_axioms__generator(table):
    def broken():
        n = range(len(table))
        if not all(int(it) in n for it in np.ravel(table)):
            yield "closure"
            return
        units = [e for e in n if all(table[e][i] == i and table[i][e] == i for i in n)]
        if not units:
            yield "identity"
        for e in units:
            if any(all(table[i][j] != e or table[j][i] != e for j in n) for i in n):
                yield "inverses"
        if any(table[table[i][j]][k] != table[i][table[j][k]] for i in n for j in n for k in n):
            yield "associativity"

    return tuple(broken())


def wrong_broken_axioms__large_numbers_only(table):
    """-1 stands for no element"""
    n = np.arange(len(table))
    if (table >= len(n)).any():
        return ["closure"]
    broken = [] if np.array_equal(table[table], table[:, table]) else ["associativity"]
    neutral = [e for e in n if (table[e] == n).all() and (table[:, e] == n).all()]
    if not neutral:
        return [*broken, "identity"]
    undone = ((table == neutral[0]) & (table.T == neutral[0])).any(axis=1)
    return broken if undone.all() else [*broken, "inverses"]


def wrong_broken_axioms__inverse_from_the_left(table):
    """An inverse on one side counts"""
    n = np.arange(len(table))
    if not np.isin(table, n).all():
        return ["closure"]
    broken = [] if np.array_equal(table[table], table[:, table]) else ["associativity"]
    neutral = [e for e in n if (table[e] == n).all() and (table[:, e] == n).all()]
    if not neutral:
        return [*broken, "identity"]
    return broken if (table == neutral[0]).any(axis=1).all() else [*broken, "inverses"]


def wrong_broken_axioms__zero_is_neutral(table):
    """The first element is taken for the identity"""
    n = np.arange(len(table))
    if not np.isin(table, n).all():
        return ["closure"]
    broken = [] if np.array_equal(table[table], table[:, table]) else ["associativity"]
    if not ((table[0] == n).all() and (table[:, 0] == n).all()):
        return [*broken, "identity"]
    undone = ((table == 0) & (table.T == 0)).any(axis=1)
    return broken if undone.all() else [*broken, "inverses"]


def wrong_broken_axioms__identity_from_the_right(table):
    n = np.arange(len(table))
    if not np.isin(table, n).all():
        return ["closure"]
    broken = [] if np.array_equal(table[table], table[:, table]) else ["associativity"]
    neutral = [e for e in n if (table[:, e] == n).all()]
    if not neutral:
        return [*broken, "identity"]
    undone = ((table == neutral[0]) & (table.T == neutral[0])).any(axis=1)
    return broken if undone.all() else [*broken, "inverses"]


def wrong_broken_axioms__stops_at_the_first(table):
    """Of several broken axioms it names the first only"""
    n = np.arange(len(table))
    if not np.isin(table, n).all():
        return ["closure"]
    if not np.array_equal(table[table], table[:, table]):
        return ["associativity"]
    neutral = [e for e in n if (table[e] == n).all() and (table[:, e] == n).all()]
    if not neutral:
        return ["identity"]
    undone = ((table == neutral[0]) & (table.T == neutral[0])).any(axis=1)
    return [] if undone.all() else ["inverses"]


def wrong_broken_axioms__each_element_once(table):
    n = np.arange(len(table))
    if not np.isin(table, n).all():
        return ["closure"]
    neutral = [e for e in n if (table[e] == n).all() and (table[:, e] == n).all()]
    if not neutral:
        return ["identity"]
    return [] if all(len(set(line)) == len(n) for line in [*table, *table.T]) else ["inverses"]


def wrong_broken_axioms__pairs_commute(table):
    """not ij = ji"""
    n = np.arange(len(table))
    if not np.isin(table, n).all():
        return ["closure"]
    broken = [] if np.array_equal(table, table.T) else ["associativity"]
    neutral = [e for e in n if (table[e] == n).all() and (table[:, e] == n).all()]
    if not neutral:
        return [*broken, "identity"]
    undone = ((table == neutral[0]) & (table.T == neutral[0])).any(axis=1)
    return broken if undone.all() else [*broken, "inverses"]


def wrong_broken_axioms__inverses_also_without_identity(table):
    """ask for inverses only where there is an identity"""
    n = np.arange(len(table))
    if not np.isin(table, n).all():
        return ["closure"]
    broken = [] if np.array_equal(table[table], table[:, table]) else ["associativity"]
    neutral = [e for e in n if (table[e] == n).all() and (table[:, e] == n).all()]
    if not neutral:
        return [*broken, "identity", "inverses"]
    undone = ((table == neutral[0]) & (table.T == neutral[0])).any(axis=1)
    return broken if undone.all() else [*broken, "inverses"]


def wrong_broken_axioms__counted_from_one(table):
    """Line 4"""
    n = np.arange(len(table))
    if ((table < 0) | (table > len(n))).any():
        return ["closure"]
    table = np.minimum(table, len(n) - 1)
    broken = [] if np.array_equal(table[table], table[:, table]) else ["associativity"]
    neutral = [e for e in n if (table[e] == n).all() and (table[:, e] == n).all()]
    if not neutral:
        return [*broken, "identity"]
    undone = ((table == neutral[0]) & (table.T == neutral[0])).any(axis=1)
    return broken if undone.all() else [*broken, "inverses"]


def wrong_broken_axioms__own_inverse(table):
    """Elements that another one undoes count as without an inverse"""
    n = np.arange(len(table))
    if not np.isin(table, n).all():
        return ["closure"]
    broken = [] if np.array_equal(table[table], table[:, table]) else ["associativity"]
    neutral = [e for e in n if (table[e] == n).all() and (table[:, e] == n).all()]
    if not neutral:
        return [*broken, "identity"]
    return broken if (np.diag(table) == neutral[0]).all() else [*broken, "inverses"]


def wrong_broken_axioms__identity_of_some(table):
    """Line 7"""
    n = np.arange(len(table))
    if not np.isin(table, n).all():
        return ["closure"]
    broken = [] if np.array_equal(table[table], table[:, table]) else ["associativity"]
    neutral = [e for e in n if (table[e] == n).any() and (table[:, e] == n).all()]
    if not neutral:
        return [*broken, "identity"]
    undone = ((table == neutral[0]) & (table.T == neutral[0])).any(axis=1)
    return broken if undone.all() else [*broken, "inverses"]


def wrong_broken_axioms__cubes_only(table):
    """Associativity is not tried with three different elements"""
    n = np.arange(len(table))
    if not np.isin(table, n).all():
        return ["closure"]
    broken = [] if all(table[table[i, i], i] == table[i, table[i, i]] for i in n) else ["associativity"]
    neutral = [e for e in n if (table[e] == n).all() and (table[:, e] == n).all()]
    if not neutral:
        return [*broken, "identity"]
    undone = ((table == neutral[0]) & (table.T == neutral[0])).any(axis=1)
    return broken if undone.all() else [*broken, "inverses"]


def wrong_broken_axioms__every_inverse_somewhere(table):
    """An inverse on one side counts"""
    n = np.arange(len(table))
    if not np.isin(table, n).all():
        return ["closure"]
    broken = [] if np.array_equal(table[table], table[:, table]) else ["associativity"]
    neutral = [e for e in n if (table[e] == n).all() and (table[:, e] == n).all()]
    if not neutral:
        return [*broken, "identity"]
    e = neutral[0]
    return broken if (table == e).any(axis=1).all() and (table == e).any(axis=0).all() else [*broken, "inverses"]


def wrong_broken_axioms__true_or_false(table):
    n = np.arange(len(table))
    return [] if np.isin(table, n).all() and np.array_equal(table[table], table[:, table]) else ["associativity"]


def wrong_broken_axioms__goes_on_after_closure(table):
    """It names what products outside the set break"""
    n = len(table)
    broken = []
    if table.min() < 0 or table.max() >= n:
        broken.append("closure")
    table = table % n
    if not np.array_equal(table[table], table[:, table]):
        broken.append("associativity")
    neutral = [e for e in range(n) if (table[e] == np.arange(n)).all() and (table[:, e] == np.arange(n)).all()]
    if not neutral:
        return [*broken, "identity"]
    undone = ((table == neutral[0]) & (table.T == neutral[0])).any(axis=1)
    return broken if undone.all() else [*broken, "inverses"]


def wrong_broken_axioms__row_identity(table):
    """look at the column as well as the row"""
    n = np.arange(len(table))
    if not np.isin(table, n).all():
        return ["closure"]
    broken = [] if np.array_equal(table[table], table[:, table]) else ["associativity"]
    neutral = [e for e in n if (table[e] == n).all()]
    if not neutral:
        return [*broken, "identity"]
    undone = ((table == neutral[0]) & (table.T == neutral[0])).any(axis=1)
    return broken if undone.all() else [*broken, "inverses"]


def right_free_weights__traces(matrices):
    return sum(np.trace(m) * np.trace(np.linalg.inv(m)) for m in matrices) / len(matrices)


def right_free_weights__equations(matrices):
    one = np.eye(len(matrices[0]))
    equations = np.vstack([np.kron(m, one) - np.kron(one, m.T) for m in matrices])
    return int((np.linalg.svd(equations)[1] < 1e-9).sum())


def right_free_weights__averages(matrices):
    n = matrices.shape[-1]
    units = np.eye(n * n).reshape(-1, n, n)
    averages = np.mean([np.linalg.inv(m) @ units @ m for m in matrices], axis=0)
    return np.linalg.matrix_rank(averages.reshape(n * n, n * n), tol=1e-9)


def right_free_weights__characters(matrices):
    return float(np.mean([np.trace(m) ** 2 for m in np.asarray(matrices)])).__round__()


def right_free_weights__random_averages(matrices):
    n = matrices.shape[1]
    rng = np.random.default_rng(5)
    drawn = rng.normal(size=(n * n, n, n))
    found = [np.mean([np.linalg.inv(m) @ a @ m for m in matrices], axis=0).ravel() for a in drawn]
    return np.linalg.matrix_rank(found, tol=1e-8)


def right_free_weights__kron_projector(matrices):
    projector = sum(np.kron(np.linalg.inv(m), m.T) for m in matrices) / len(matrices)
    return int(np.trace(projector) + 0.5)


def right_free_weights__kron_of_same(matrices):
    projector = sum(np.kron(m, m) for m in matrices) / len(matrices)
    return int(np.linalg.matrix_rank(projector))


def wrong_free_weights__fixed_vectors(matrices):
    """square each trace"""
    return round(np.mean(np.trace(matrices, axis1=1, axis2=2)))


def wrong_free_weights__not_rounded_but_cut(matrices):
    """round to the nearest whole number"""
    return int(np.mean(np.trace(matrices, axis1=1, axis2=2) ** 2))


def wrong_free_weights__sum(matrices):
    """take the mean over the group"""
    return round(np.sum(np.trace(matrices, axis1=1, axis2=2) ** 2))


def wrong_free_weights__transposed(matrices):
    return round(sum(np.sum(m * m) for m in matrices) / len(matrices))


def wrong_free_weights__diagonals_squared(matrices):
    """Line 3"""
    return round(np.mean([np.sum(np.diag(m) ** 2) for m in matrices]))


def wrong_free_weights__by_the_order(matrices):
    """The entries are divided by the size of the group, whatever its matrices do"""
    return matrices.shape[-1] ** 2 // len(matrices)


def wrong_free_weights__mean_of_matrices(matrices):
    """The mean is squared"""
    return round(np.trace(np.mean(matrices, axis=0)) ** 2)


def wrong_free_weights__trace_of_square(matrices):
    """The matrices are squared, not their traces"""
    return round(np.mean([np.trace(m @ m) for m in matrices]))


def wrong_free_weights__absolute_traces(matrices):
    """Line 3"""
    return round(np.mean(np.abs(np.trace(matrices, axis1=1, axis2=2))))


def wrong_free_weights__rank_of_mean(matrices):
    return int(np.linalg.matrix_rank(np.mean(matrices, axis=0)))


def wrong_free_weights__rounded_traces(matrices):
    """Line 3"""
    return round(np.mean(np.round(np.trace(matrices, axis1=1, axis2=2)) ** 2))


def wrong_free_weights__axes(matrices):
    """Line 3"""
    return round(np.mean(np.trace(matrices) ** 2))


def wrong_free_weights__shared_entries(matrices):
    n = matrices.shape[1]
    a = np.arange(n * n, dtype=float).reshape(n, n)
    average = np.mean([np.linalg.inv(m) @ a @ m for m in matrices], axis=0)
    return len(np.unique(average.round(9)))


def wrong_free_weights__ceiling(matrices):
    """round to the nearest whole number"""
    return int(np.ceil(np.mean(np.trace(matrices, axis1=1, axis2=2) ** 2)))


def wrong_free_weights__without_identity(matrices):
    """Line 3"""
    return round(np.mean(np.trace(matrices[1:], axis1=1, axis2=2) ** 2))


def wrong_symmetrize__in_place(f, actions):
    """it writes into an array that is still needed as it was"""

    def averaged(x):
        total = np.asarray(f(actions[0](x)))
        for g in actions[1:]:
            total += f(g(x))
        return total / len(actions)

    return averaged


def wrong_symmetrize__used_up(f, actions):
    """an iterator is used up after one call"""
    pending, n = iter(actions), len(actions)

    def averaged(x):
        total = 0
        for g in pending:
            total = total + f(g(x))
        return total / n

    return averaged


def wrong_free_weights__cut(matrices):
    """something stands there that is too much"""
    return int(np.mean([np.trace(g) * np.trace(np.linalg.inv(g)) for g in matrices]))


def wrong_free_weights__ceil(matrices):
    """something stands there that is too much"""
    inverse = np.linalg.inv(matrices)
    return math.ceil(np.mean(np.trace(inverse, axis1=1, axis2=2) * np.trace(matrices, axis1=1, axis2=2)))


def wrong_is_equivariant__one_more(f, actions_in, actions_out, x, tolerance=1e-9):
    for act_in, act_out in zip(actions_in, actions_out, strict=True):
        one, other = np.asarray(f(act_in(x))), np.asarray(act_out(f(x)))
        scale = 1.0 + max(np.abs(one).max(), np.abs(other).max())
        if np.abs(one / scale - other / scale).max() > tolerance:
            return False
    return True


def wrong_is_equivariant__sum(f, actions_in, actions_out, x, tolerance=1e-9):
    """take the largest difference, not the sum"""
    for act_in, act_out in zip(actions_in, actions_out, strict=True):
        one, other = np.asarray(f(act_in(x))), np.asarray(act_out(f(x)))
        scale = max(1.0, np.abs(one).max(), np.abs(other).max())
        if np.abs(one - other).sum() / scale > tolerance:
            return False
    return True


def wrong_broken_axioms__identity_is_0(table):
    """The first element is taken for the identity"""
    n = len(table)
    if any(not 0 <= e < n for row in table for e in row):
        return ["closure"]
    broken = []
    if any(table[0][g] != g or table[g][0] != g for g in range(n)):
        broken.append("identity")
    elif any(all(table[g][h] != 0 or table[h][g] != 0 for h in range(n)) for g in range(n)):
        broken.append("inverses")
    if any(table[table[i][j]][k] != table[i][table[j][k]]
           for i in range(n) for j in range(n) for k in range(n)):
        broken.append("associativity")
    return broken


def wrong_broken_axioms__inverses_without_identity(table):
    """ask for inverses only where there is an identity"""
    n = len(table)
    if any(not 0 <= e < n for row in table for e in row):
        return ["closure"]
    broken = []
    ids = [e for e in range(n) if all(table[e][g] == g == table[g][e] for g in range(n))]
    if not ids:
        broken.append("identity")
    if not ids or any(all(table[g][h] != ids[0] or table[h][g] != ids[0] for h in range(n)) for g in range(n)):
        broken.append("inverses")
    if any(table[table[i][j]][k] != table[i][table[j][k]]
           for i in range(n) for j in range(n) for k in range(n)):
        broken.append("associativity")
    return broken


def wrong_broken_axioms__the_first_only(table):
    """it names the first only"""
    t = np.asarray(table)
    n = len(t)
    if ((t < 0) | (t >= n)).any():
        return ["closure"]
    ids = [e for e in range(n) if (t[e] == np.arange(n)).all() and (t[:, e] == np.arange(n)).all()]
    if not ids:
        return ["identity"]
    if not ((t == ids[0]) & (t.T == ids[0])).any(axis=1).all():
        return ["inverses"]
    if any(t[t[i, j], k] != t[i, t[j, k]] for i in range(n) for j in range(n) for k in range(n)):
        return ["associativity"]
    return []


def wrong_broken_axioms__negative_numbers(table):
    """-1 stands for no element"""
    n = len(table)
    if any(e >= n for row in table for e in row):
        return ["closure"]
    broken = []
    ids = [e for e in range(n) if all(table[e][g] == g == table[g][e] for g in range(n))]
    if not ids:
        broken.append("identity")
    elif any(all(table[g][h] != ids[0] or table[h][g] != ids[0] for h in range(n)) for g in range(n)):
        broken.append("inverses")
    if any(table[table[i][j]][k] != table[i][table[j][k]] for i in range(n) for j in range(n) for k in range(n)):
        broken.append("associativity")
    return broken


def wrong_is_equivariant__actions_one_after_the_other(f, actions_in, actions_out, x, tolerance=1e-9):
    y = f(x)
    for g, h in zip(actions_in, actions_out, strict=True):
        x, y = g(x), h(y)
        a, b = np.asarray(f(x)), np.asarray(y)
        if np.max(np.abs(a - b)) > tolerance * max(1, np.max(np.abs(a)), np.max(np.abs(b))):
            return False
    return True


def wrong_is_equivariant__input_stays_moved(f, actions_in, actions_out, x, tolerance=1e-9):
    for g, h in zip(actions_in, actions_out, strict=True):
        b = np.asarray(h(f(x)))
        x = g(x)
        a = np.asarray(f(x))
        if np.max(np.abs(a - b)) > tolerance * max(1, np.max(np.abs(a)), np.max(np.abs(b))):
            return False
    return True


def wrong_is_equivariant__mean_over_pairs(f, actions_in, actions_out, x, tolerance=1e-9):
    """Pairs that do not differ make up for one that does"""
    errors = []
    for g, h in zip(actions_in, actions_out, strict=True):
        a, b = np.asarray(f(g(x))), np.asarray(h(f(x)))
        errors.append(np.max(np.abs(a - b)) / max(1, np.max(np.abs(a)), np.max(np.abs(b))))
    return np.mean(errors) <= tolerance


def wrong_is_equivariant__one_size_for_all_pairs(f, actions_in, actions_out, x, tolerance=1e-9):
    """A pair with large results hides what differs in the others"""
    one, other = np.array([f(g(x)) for g in actions_in]), np.array([h(f(x)) for h in actions_out])
    return np.abs(one - other).max() / max(1, np.abs(one).max(), np.abs(other).max()) <= tolerance


def wrong_is_equivariant__absolute_values_compared(f, actions_in, actions_out, x, tolerance=1e-9):
    for g, h in zip(actions_in, actions_out, strict=True):
        a, b = np.abs(f(g(x))), np.abs(h(f(x)))
        if np.max(np.abs(a - b)) > tolerance * max(1, np.max(a), np.max(b)):
            return False
    return True


def wrong_is_equivariant__absolute_value_of_the_largest(f, actions_in, actions_out, x, tolerance=1e-9):
    """Line 5"""
    for g, h in zip(actions_in, actions_out, strict=True):
        a, b = np.asarray(f(g(x))), np.asarray(h(f(x)))
        if abs(np.max(a - b)) > tolerance * max(1, np.max(np.abs(a)), np.max(np.abs(b))):
            return False
    return True


def wrong_is_equivariant__size_of_the_largest(f, actions_in, actions_out, x, tolerance=1e-9):
    """Line 5"""
    for g, h in zip(actions_in, actions_out, strict=True):
        a, b = np.asarray(f(g(x))), np.asarray(h(f(x)))
        size = max(1, abs(np.max(a)), abs(np.max(b)))
        if np.max(np.abs(a - b)) > tolerance * size:
            return False
    return True


def wrong_is_equivariant__arrays_only(f, actions_in, actions_out, x, tolerance=1e-9):
    """Line 5"""
    for g, h in zip(actions_in, actions_out, strict=True):
        a, b = f(g(x)), h(f(x))
        if abs(a - b).max() > tolerance * max(1, abs(a).max(), abs(b).max()):
            return False
    return True


def wrong_is_equivariant__fixed_tolerance(f, actions_in, actions_out, x, tolerance=1e-9):
    """`tolerance` makes no difference"""
    for g, h in zip(actions_in, actions_out, strict=True):
        a, b = np.asarray(f(g(x))), np.asarray(h(f(x)))
        if np.max(np.abs(a - b)) > 1e-9 * max(1, np.max(np.abs(a)), np.max(np.abs(b))):
            return False
    return True


def wrong_broken_axioms__closed_if_all_occur(table):
    n = np.arange(len(table))
    if not np.array_equal(np.unique(table), n):
        return ["closure"]
    broken = [] if np.array_equal(table[table], table[:, table]) else ["associativity"]
    neutral = [e for e in n if (table[e] == n).all() and (table[:, e] == n).all()]
    if not neutral:
        return [*broken, "identity"]
    undone = ((table == neutral[0]) & (table.T == neutral[0])).any(axis=1)
    return broken if undone.all() else [*broken, "inverses"]


def wrong_symmetrize__begins_with_f_itself(f, actions):
    def average(x):
        total = f(x)
        for g in actions[1:]:
            total = total + f(g(x))
        return total / len(actions)

    return average


def wrong_free_weights__inverses_cut_off(matrices):
    """something stands there that is too much"""
    return int(sum(np.trace(np.linalg.inv(m)) * np.trace(m) for m in matrices) / len(matrices))


def wrong_is_equivariant__last_pair_only(f, actions_in, actions_out, x, tolerance=1e-9):
    """a result that is set in the loop is overwritten"""
    for act_in, act_out in zip(actions_in, actions_out, strict=True):
        one, two = np.asarray(f(act_in(x))), np.asarray(act_out(f(x)))
        size = max(1.0, np.abs(one).max(), np.abs(two).max())
        good = bool(np.abs(one - two).max() / size <= tolerance)
    return good


def wrong_broken_axioms__returned_without_identity(table):
    """associativity can be tested without an identity"""
    n = len(table)
    r = range(n)
    if any(not 0 <= v < n for row in table for v in row):
        return ["closure"]
    ids = [e for e in r if all(table[e][g] == g == table[g][e] for g in r)]
    if not ids:
        return ["identity"]
    out = []
    if any(all(table[g][h] != ids[0] or table[h][g] != ids[0] for h in r) for g in r):
        out.append("inverses")
    if any(table[table[a][b]][c] != table[a][table[b][c]] for a in r for b in r for c in r):
        out.append("associativity")
    return out


def wrong_symmetrize__in_the_type_of_the_first_result(f, actions):
    """whole numbers cut off fractions"""

    def mean(x):
        first = np.asarray(f(actions[0](x)))
        total = np.zeros_like(first)
        for action in actions:
            total += f(action(x))
        return (total / len(actions)).astype(first.dtype)

    return mean


def wrong_broken_axioms__triples_in_order(table):
    """look at where the range begins and ends"""
    t = np.asarray(table)
    n, i = len(t), np.arange(len(t))
    if not np.isin(t, i).all():
        return ["closure"]
    broken, e = [], [k for k in i if (t[k] == i).all() and (t[:, k] == i).all()]
    if not e:
        broken.append("identity")
    elif not ((t == e[0]) & (t.T == e[0])).any(1).all():
        broken.append("inverses")
    triples = [(a, b, c) for a in range(n) for b in range(a, n) for c in range(b, n)]
    return [*broken, "associativity"] if any(t[t[a, b], c] != t[a, t[b, c]] for a, b, c in triples) else broken


def wrong_is_equivariant__errors_swallowed(f, actions_in, actions_out, x, tolerance=1e-9):
    for g, h in zip(actions_in, actions_out, strict=True):
        try:
            a, b = f(g(x)), h(f(x))
            if np.abs(a - b).max() / max(1, abs(a).max(), abs(b).max()) > tolerance:
                return False
        except AttributeError:
            pass
    return True


def right_symmetrize__takes_from_a_copy(f, actions):
    def average(x):
        total, todo = 0, actions.copy()
        while todo:
            total = total + f(todo.pop()(x))
        return total / len(actions)

    return average


def wrong_broken_axioms__two_elements(table):
    """Associativity is not tried with three different elements"""
    n = len(table)
    if not all(x in range(n) for row in table for x in row):
        return ["closure"]
    broken = []
    e = next((e for e in range(n) if all(table[e][x] == x == table[x][e] for x in range(n))), None)
    if e is None:
        broken.append("identity")
    elif not all(any(table[x][y] == e == table[y][x] for y in range(n)) for x in range(n)):
        broken.append("inverses")
    if any(table[table[x][y]][x] != table[x][table[y][x]] for x in range(n) for y in range(n)):
        broken.append("associativity")
    return broken


def wrong_broken_axioms__identity_0(table):
    """An identity that is element 0 counts as none"""
    n = len(table)
    if not all(x in range(n) for row in table for x in row):
        return ["closure"]
    broken = []
    e = None
    for x in range(n):
        if all(table[x][y] == y == table[y][x] for y in range(n)):
            e = x
    if not e:
        broken.append("identity")
    elif not all(any(table[x][y] == e == table[y][x] for y in range(n)) for x in range(n)):
        broken.append("inverses")
    if any(table[table[x][y]][z] != table[x][table[y][z]] for x in range(n) for y in range(n) for z in range(n)):
        broken.append("associativity")
    return broken


def wrong_broken_axioms__first_of_three(table):
    """Of several broken axioms it names the first only"""
    t = np.asarray(table)
    ids = np.arange(len(t))
    if not np.isin(t, ids).all():
        return ["closure"]
    if (t[t] != t[:, t]).any():
        return ["associativity"]
    unit = [i for i in ids if np.array_equal(t[i], ids) and np.array_equal(t[:, i], ids)]
    if not unit:
        return ["identity"]
    hits = t == unit[0]
    return [] if (hits & hits.T).any(1).all() else ["inverses"]


def wrong_broken_axioms__on_after_closure(table):
    """It names what products outside the set break"""
    t = np.asarray(table)
    ids, out = np.arange(len(t)), []
    if not np.isin(t, ids).all():
        out.append("closure")
    unit = [i for i in ids if np.array_equal(t[i], ids) and np.array_equal(t[:, i], ids)]
    if not unit:
        out.append("identity")
    elif not ((t == unit[0]) & (t.T == unit[0])).any(1).all():
        out.append("inverses")
    if "closure" not in out and (t[t] != t[:, t]).any():
        out.append("associativity")
    return out


def wrong_broken_axioms__rows_with_repetitions(table):
    """An element that is twice in a row counts as a missing inverse"""
    t = np.asarray(table)
    ids, out = np.arange(len(t)), []
    if not np.isin(t, ids).all():
        return ["closure"]
    unit = [i for i in ids if np.array_equal(t[i], ids) and np.array_equal(t[:, i], ids)]
    if not unit:
        out.append("identity")
    elif any(len(set(row)) < len(t) for row in t.tolist()):
        out.append("inverses")
    if (t[t] != t[:, t]).any():
        out.append("associativity")
    return out


def wrong_is_equivariant__allclose_twice(f, actions_in, actions_out, x, tolerance=1e-9):
    """np.allclose adds both tolerances"""
    pairs = zip(actions_in, actions_out, strict=True)
    return all(np.allclose(f(g(x)), h(f(x)), rtol=tolerance, atol=tolerance) for g, h in pairs)


def wrong_is_equivariant__size_of_one_result(f, actions_in, actions_out, x, tolerance=1e-9):
    """It divides by the size of one of the two results alone"""
    y, most = np.asarray(f(x)), 0.0
    for act_in, act_out in zip(actions_in, actions_out, strict=True):
        change = np.abs(np.asarray(f(act_in(x))) - act_out(y)).max()
        most = max(most, change / max(1, np.abs(y).max()))
    return most <= tolerance


def wrong_is_equivariant__size_of_the_input(f, actions_in, actions_out, x, tolerance=1e-9):
    """It divides by the size of the input"""
    scale, pairs = max(1, np.abs(x).max()), zip(actions_in, actions_out, strict=True)
    return all(np.abs(f(g(x)) - h(f(x))).max() / scale <= tolerance for g, h in pairs)
