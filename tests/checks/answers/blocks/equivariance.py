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


def wrong_broken_axioms__large_numbers_only(table):
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
    """Line 8"""
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


def wrong_free_weights__fixed_vectors(matrices):
    """square each trace"""
    return round(np.mean(np.trace(matrices, axis1=1, axis2=2)))


def wrong_free_weights__not_rounded_but_cut(matrices):
    """Line 3"""
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
    return matrices.shape[-1] ** 2 // len(matrices)


def wrong_free_weights__mean_of_matrices(matrices):
    """The mean is squared"""
    return round(np.trace(np.mean(matrices, axis=0)) ** 2)
