"""What tests of symmetry must find, and how they are usually fooled."""

import itertools

import numpy as np

from mlnotes.blocks.equivariance import (
    equivariance_error,
    invariance_error,
    is_equivariant,
    is_invariant,
    symmetrize,
    symmetrize_equivariant,
)
from mlnotes.checks.bank import Checks, Claim, Mistake, call, distance, frozen, oracle
from mlnotes.diagnosis.report import written, written_call
from mlnotes.groups import (
    broken_axioms,
    cyclic_shifts,
    generate_group,
    matrix_actions,
    multiplication_table,
    permutation_actions,
)

_rng = np.random.default_rng(17)
_x, _signal, _kernel, _points = frozen(np.array([1.0, 2.0, 5.0]), _rng.normal(size=7), np.array([1.0, -2.0, 4.0]),
    _rng.normal(size=(5, 2)))
_TURN, _MIRROR = np.array([[0.0, -1.0], [1.0, 0.0]]), np.diag([1.0, -1.0])
_SIXTH = np.array([[[0.5, -(0.75**0.5)], [0.75**0.5, 0.5]]])
_square_matrices = generate_group([_TURN, _MIRROR])
_square_table = multiplication_table(_square_matrices)
_on_points, _on_sixths = matrix_actions(_square_matrices), matrix_actions(generate_group(_SIXTH))
_swaps = permutation_actions(list(itertools.permutations(range(3))), axis=0)
_shifts = cyclic_shifts(7)
_CYCLE, _OF_TWO = (np.add.outer(range(n), range(n)) % n for n in (7, 2))
_SUMS = {"tolerance": 1e-12, "why": "sums of at most 8 numbers in float64: a few units of 1e-16"}


def _named(name, f):
    """Give a function the name under which a report shows it."""
    f.__name__ = name
    return f


_first = _named("first", lambda x: x[0])
_first_and_square = _named("first_and_square", lambda x: (x[0], 1e6 * x**2))
_outlier = _named("outlier", lambda points: points[:, 0] ** 2 + points[:, 1])
_twisted = _named("twisted", lambda points: points[:, ::-1] * [1.0, 2.0] + points**3)
_zero_padded = _named("zero_padded", lambda x: np.convolve(x, _kernel)[: len(x)])
_circular = _named("circular", lambda x: sum(weight * np.roll(x, shift) for shift, weight in enumerate(_kernel)))
_swap_first, _swap_last = _named("swap_first", lambda x: x[[1, 0, 2]]), _named("swap_last", lambda x: x[[0, 2, 1]])
_shift = _named("shift", lambda x: np.roll(x, 1))
_rises = _named("rises", lambda x: np.diff(x**2))
_flip_and_negate = _named("flip_and_negate", lambda y: -np.flip(y))
_double, _halve = _named("double", lambda y: 2 * y), _named("halve", lambda y: y / 2)
_nudge = _named("nudge", lambda y: y + 2.0**-10)
_hair = _named("hair", lambda y: y + 1.5e-9)
_tenfold = _named("tenfold", lambda y: 10 * y)
_raise_first = _named("raise_first", lambda y: y + np.array([5.0, 0.0, 0.0]))
_total = _named("total", lambda x: float(np.sum(x)))
_first_number = _named("first_number", lambda x: float(x[0]))
_flip = _named("flip", lambda y: np.flip(y))
_stay, _flip_second = _named("stay", lambda y: y), _named("flip_second", lambda y: (y[0], np.flip(y[1])))
_BACKWARDS = (np.add.outer(range(7), range(7)) - 6) % 7  # the cycle, read from its last element to its first
_FLIPS, _COPIES = (np.copy, np.flip), (np.copy, np.copy)
_INVARIANCE = (
    call(np.sum, _FLIPS, _x), call(_first, _FLIPS, _x), call(_first, _FLIPS[::-1], _x),
    call(_first, _FLIPS, np.array([5.0, 2.0])), call(_first, [np.flip, _shift], _x),
    call(np.square, _FLIPS, _x).about("a result that turns with its input"),
    call(np.sort, _FLIPS, _x).about("several numbers"),
    call(_first, _swaps, np.array([2.0, 1.0, 3.0])).about("changes that cancel"),
    call(_first, [_swap_last, _swap_first], np.array([1.0, 1.0, 5.0])).about("actions that change nothing one by one"),
    call(_first, _FLIPS, np.array([1e12, 1e12 + 2.0**-10])).about("large results that differ by rounding"),
    call(_first, _FLIPS, np.array([-1e12, -1e12 - 2.0**-10])).about("large negative results"),
    call(_first, _FLIPS, np.array([1e-12, 3e-12])).about("results that are nearly zero"),
    call(_first, _FLIPS, np.array([0.0, -5.0])), call(_first, _FLIPS, np.array([-5.0, 0.0])),
    call(_first, _FLIPS, np.array([1.0, 1.0 + 1.5e-9])).about("results that differ by 1.5e-9 of their size"),
    call(_first, _FLIPS, np.array([1.0, 1.0 + 7e-10])).about("results that differ by 7e-10 of their size"),
    call(_first, 3 * [_nudge], np.array([1.4e6])).about("three differences of 7e-10"),
    call(np.copy, [np.copy, _nudge], np.array([1.0, 1e12])).about("a large number beside a small one"),
    call(np.linalg.norm, _on_sixths, _points).about("rotations"),
    call(_outlier, _on_points, _points).about("rotations and reflections"))
_EQUIVARIANCE = (
    call(np.square, _FLIPS, _FLIPS, _x), call(np.cumsum, _FLIPS, _FLIPS, _x), call(np.square, _FLIPS, _COPIES, _x),
    call(np.square, _FLIPS[::-1], _COPIES, _x),
    call(np.square, _FLIPS, _FLIPS[::-1], _x).about("actions in another order"),
    call(np.sum, _FLIPS, _COPIES, _x).about("a result that stays"),
    call(np.diff, [np.flip], [_flip_and_negate], _x).about("other actions on results"),
    call(np.abs, [np.copy, np.negative], _COPIES, _x).about("a result that stays"),
    call(np.copy, _COPIES, [np.copy, _double], -_x), call(np.copy, _COPIES, [np.copy, _halve], -_x),
    call(np.copy, [np.copy], [_nudge], np.array([1e12, 2e12])).about("large results that differ by rounding"),
    call(np.copy, [np.copy], [_nudge], np.array([-2e12, -1e12])).about("large negative results"),
    call(np.square, [np.copy], [_nudge], np.array([1e5, 2e5])).about("results larger than their input"),
    call(np.copy, [np.copy], [_double], np.array([1e-12, 3e-12])).about("results that are nearly zero"),
    call(_zero_padded, _shifts, _shifts, _signal).about("shifts"),
    call(_circular, _shifts, _shifts, _signal).about("shifts"),
    call(np.copy, [np.copy], [_nudge], np.array([6.5e5])).about("results that differ by 1.5e-9 of their size"),
    call(np.copy, [np.copy], [_hair], np.array([1.0])).about("results of 1 that differ by 1.5e-9"),
    call(np.copy, [np.copy], [_nudge], np.array([1.4e6])).about("results that differ by 7e-10 of their size"),
    call(np.copy, [np.copy], [_nudge], np.array([1.0, 1e12])).about("a large number beside a small one"),
    call(np.copy, 3 * [np.copy], 3 * [_nudge], np.array([1.4e6])).about("three differences of 7e-10"))


def free_weights(matrices):
    """Count the numbers that can be chosen in a matrix that commutes with all matrices of a group."""
    return round(np.mean(np.trace(matrices, axis1=1, axis2=2) ** 2))


def _cyclic(n):
    return np.stack([np.roll(np.eye(n), k, axis=0) for k in range(n)])


def _turns(n):
    return np.array([[[np.cos(it), -np.sin(it)], [np.sin(it), np.cos(it)]] for it in np.arange(n) * 2 * np.pi / n])


def _solutions(matrices):
    """Count the solutions of MA - AM = 0, all equations under each other."""
    one = np.eye(len(matrices[0]))
    equations = np.concatenate([np.kron(m, one) - np.kron(one, m.T) for m in matrices])
    return equations.shape[1] - np.linalg.matrix_rank(equations)


def _on(symmetrize, *arguments):
    *arguments, x = arguments
    averaged = symmetrize(*arguments)
    return [averaged(it) for it in x] if isinstance(x, tuple) else averaged(x)


def _written_on(name, case):
    *arguments, x = case.arguments
    made = written_call(name, call(*arguments))
    if isinstance(x, tuple):
        return f"averaged = {made}\n{', '.join(f'averaged({written(it)})' for it in x)}"
    return f"{made}({written(x)})"


def _used_up(f, actions):
    pending, n = iter(actions), len(actions)
    return lambda x: sum(f(action(x)) for action in pending) / n


def _torch_convolution(mode):
    def convolve(x):
        import torch

        kernel = torch.tensor(_kernel[::-1].copy())[None, None]
        padded = torch.nn.functional.pad(torch.tensor(np.array(x))[None, None], (2, 0), mode=mode)
        return torch.conv1d(padded, kernel)[0, 0].numpy()

    return convolve


def _by_hand(f):
    """Go round the square with NumPy's own roll."""
    pairs = [(f(np.roll(_signal, k)), np.roll(f(_signal), k)) for k in range(7)]
    return max(np.abs(a - b).max() / max(1, np.abs(a).max(), np.abs(b).max()) for a, b in pairs)


def _says(expected, *arguments):
    return lambda is_so: float(is_so(*arguments) != expected)


# Tables of groups, and of what is none. A loop has an identity, and every row and column holds every element once.
_TABLES = {"multiplication by 0, 1 and -1": np.array([[0, 0, 0], [0, 1, 2], [0, 2, 1]]),
    "a table whose rows are all alike": np.tile(np.arange(3), (3, 1)), "a table whose columns are all alike": np.tile(
    np.arange(3)[:, None], 3), "a loop": np.array([[0, 1, 2, 3, 4], [1, 0, 3, 4, 2], [2, 4, 0, 1, 3], [3, 2, 4, 0, 1],
    [4, 3, 1, 2, 0]]), "a loop undone differently from left and right": np.array([[0, 1, 2, 3, 4], [1, 0, 3, 4, 2],
    [2, 3, 4, 0, 1], [3, 4, 1, 2, 0], [4, 2, 0, 1, 3]]), "rock, paper, scissors": np.array([[0, 1, 2, 3], [1, 1, 2, 1],
    [2, 2, 2, 3], [3, 1, 3, 3]]), "addition of 0 and 1": np.array([[0, 1], [1, 2]]),
    "elements counted from 1": np.array([[1, 2], [2, 1]]), "a table of 0 and 2": np.array([[0, 2], [2, 0]]),
    "addition of 0 and 1, with −1 for what is missing": np.array([[0, 1], [1, -1]]),
    "a group whose identity is not listed first": np.array([[1, 0], [0, 1]]),
    "a table where (ij)k is not i(jk) for the first i": np.array([[1, 1], [0, 1]]),
    "a table where (ij)k is not i(jk) for the last i": np.array([[0, 1], [0, 0]]),
    "a table where (ij)k is not i(jk) for 2, 2 and 1 only": np.array([[0, 0, 0], [0, 0, 0], [0, 1, 0]]),
    "a table where (ij)k is not i(jk) for 1, 2 and 2 only": np.array([[0, 0, 0], [0, 0, 1], [0, 0, 0]]),
    "a table where (ij)k is not i(jk) for 0, 0 and 1": np.array([[1, 0], [0, 0]]),
    "a table that holds 0 only": np.array([[0, 0], [0, 0]]),
    "a table with two inverses of one element": np.array([[0, 1, 2], [1, 0, 0], [2, 0, 0]]),
    "a table with a second inverse that works from both sides": np.array(
        [[0, 1, 2, 3], [1, 2, 0, 0], [2, 1, 0, 2], [3, 0, 1, 2]])}


def _by_definition(table):
    """Test every axiom by loops over elements."""
    elements = range(len(table))
    if any(table[i][j] not in elements for i in elements for j in elements):
        return ["closure"]
    neutral = [e for e in elements if all(table[e][i] == i == table[i][e] for i in elements)]
    broken = [] if neutral else ["identity"]
    if any(table[table[i][j]][k] != table[i][table[j][k]] for i, j, k in itertools.product(elements, repeat=3)):
        broken.append("associativity")
    undone = all(any(table[i][j] == e == table[j][i] for j in elements) for e in neutral for i in elements)
    return sorted(broken if undone else [*broken, "inverses"])


def _differently_judged(f):
    tables = [np.reshape(entries, (2, 2)) for entries in itertools.product(range(2), repeat=4)]
    return sum(sorted(f(table)) != _by_definition(table) for table in (*tables, *_TABLES.values()))


def _with_three_different(table):
    found, triples = [*broken_axioms(table)], itertools.permutations(range(len(table)), 3)
    if "closure" in found or any(table[table[i, j], k] != table[i, table[j, k]] for i, j, k in triples):
        return found
    return [it for it in found if it != "associativity"]


def _with_two_elements(table):
    found, n = [*broken_axioms(table)], range(len(table))
    if "closure" in found or any(table[table[x, y], x] != table[x, table[y, x]] for x in n for y in n):
        return found
    return [it for it in found if it != "associativity"]


def _names_of_broken(version, table):
    """Sort the names of what is broken; a single text is no list of them."""
    broken = version(table)
    return broken if isinstance(broken, str) else sorted(broken)


def _sorted(matrices):
    """Put matrices into an order that rounding does not change."""
    rows = np.reshape(matrices, (len(matrices), -1))
    return rows[np.lexsort(np.round(rows, 6).T + 0.0)]


def _octahedron(_):
    from scipy.spatial.transform import Rotation

    return Rotation.create_group("O").as_matrix()


def powers_only(generators, max_order=1000, tolerance=1e-9):
    """Multiply each generator by itself only."""
    found = [generate_group(generator[None], max_order, tolerance) for generator in np.asarray(generators)]
    return np.concatenate([found[0], *(matrices[1:] for matrices in found[1:])])


_QUARTER_TURNS = np.array([[[0, -1, 0], [1, 0, 0], [0, 0, 1]], [[1, 0, 0], [0, 0, -1], [0, 1, 0]]], float)
_ROUNDED = np.round(_SIXTH, 3)
_STEEP = np.array([[0.0, -49 * 2.0**26], [1 / (49 * 2.0**26), 0.0]])  # 49 times 1/49 is not 1
_LATIN = "broken = {}\n    if all(len(set(it)) == n for it in [*table.tolist(), *table.T.tolist()]):\n        return {}"
_FIFTHS = _turns(5)
_STRETCHED_TURN = np.array([[0.0, -4.0], [0.25, 0.0]])
_LEANING = np.array([[2.0, 1.0], [0.0, 1.0]])
_ALL_ORDERS = np.eye(3)[list(itertools.permutations(range(3)))]
_MEAN = "_mean([f(action(x)) for action in actions])"
_SCALE = "max(1.0, xp.max(xp.abs(a)).item(), xp.max(xp.abs(b)).item())"
_ONE_SIZE = ("It divides by the size of one of the two results alone",
    "divide by the largest absolute value in either of them")
_SIZE_MISTAKES = (
    Mistake("average change", ("xp.max(xp.abs(a / scale - b / scale))", "xp.mean(xp.abs(a / scale - b / scale))"),
        "A change at one place of many counts for little", "take the largest difference, not the mean"),
    Mistake("added change", ("xp.max(xp.abs(a / scale - b / scale))", "xp.sum(xp.abs(a / scale - b / scale))"),
        "Small changes at many places add up to a large one", "take the largest difference, not the sum"),
    Mistake("signed change", ("xp.abs(a / scale - b / scale)", "(a / scale - b / scale)"),
        "A change counts only in one direction", "take absolute values of differences"),
    Mistake("absolute change", (_SCALE, "1.0"), "Large results fail by rounding alone",
        "divide by the size of the results"),
    Mistake("relative change", (_SCALE, _SCALE.replace("1.0, ", "1e-300, ")),
        "Results that are zero but for rounding fail", "divide by 1 where the results are smaller"),
    Mistake("each entry by its own size", (_SCALE, "np.maximum(1.0, np.maximum(np.abs(a), np.abs(b)))"),
        "A small entry beside a large one fails by rounding alone",
        "divide all entries by one size, that of the largest"),
    Mistake("Euclidean lengths", (("xp.max(xp.abs(a / scale - b / scale))", "np.linalg.norm(a / scale - b / scale)"),
        (_SCALE, "max(1.0, np.linalg.norm(a), np.linalg.norm(b))")),
        "All places count together, in differences and in sizes", "take the largest absolute values, not lengths"),
    Mistake("size of f(gx) alone", (_SCALE, "max(1.0, xp.max(xp.abs(a)).item())"), *_ONE_SIZE),
    Mistake("size of what it should be alone", (_SCALE, "max(1.0, xp.max(xp.abs(b)).item())"), *_ONE_SIZE),
)
_INVARIANCE_MISTAKES = (
    *_SIZE_MISTAKES,
    Mistake("mean change", ("max(_change(f(action(x)), y) for action in actions)", f"_change({_MEAN}, y)"),
        "Changes in opposite directions cancel", "compare first, and take the largest difference"),
    Mistake("input compared", ("_change(f(action(x)), y)", "_change(action(x), x)"),
        "It looks at the input, not at the result", "compare f(g(x)) with f(x)"),
    Mistake("first action only", ("y) for action in actions", "y) for action in actions[:1]"),
        "Only the first element is tried, which is often the identity", "take the maximum over all actions"),
    Mistake("least change", ("return max(_change(f(action(x))", "return min(_change(f(action(x))"),
        "One action that changes nothing is enough for it", "take the maximum over all actions"),
    Mistake("acted on after", ("_change(f(action(x)), y)", "_change(f(action(x)), action(y))"),
        "It measures equivariance: a result that turns with its input passes", "compare with f(x) as it was"),
)
_EQUIVARIANCE_MISTAKES = (
    *_SIZE_MISTAKES,
    Mistake("action after forgotten", ("act_out(y)", "y"), "It measures invariance: circular convolution fails",
        "act on f(x) before comparing"),
    Mistake("result acted on as input", ("act_out(y)", "act_in(y)"),
        "An absolute value, which stays where its input changes its sign, fails", "act on results by their own action"),
    Mistake("first pair only", ("for act_in, act_out in pairs", "for act_in, act_out in [next(pairs)]"),
        "Only the first pair is tried, which is often that of the identity", "take the maximum over all elements"),
    Mistake("last pair only", ("for act_in, act_out in pairs", "for act_in, act_out in [*pairs][-1:]"),
        "Only the last element counts: a result that is set in the loop is overwritten",
        "take the maximum over all elements"),
    Mistake("least difference", ("return max(_change(f(act_in(x))", "return min(_change(f(act_in(x))"),
        "One action that makes no difference is enough for it", "take the maximum over all elements"),
    Mistake("every action with every other",
        ("zip(actions_in, actions_out, strict=True)", "[(g, h) for g in actions_in for h in actions_out]"),
        "An element's action on inputs meets another's on results", "go through both lists side by side"),
    Mistake("size of the input", ("_change(f(act_in(x)), act_out(y))",
        "np.max(np.abs(np.asarray(f(act_in(x))) - np.asarray(act_out(y)))) / max(1.0, np.max(np.abs(x)))"),
        "It divides by the size of the input", "divide by the largest absolute value in either result"),
    Mistake("mean over pairs", ("max(_change(f(act_in(x)), act_out(y)) for act_in, act_out in pairs)",
        "sum(_change(f(act_in(x)), act_out(y)) for act_in, act_out in pairs) / len(actions_in)"),
        "Pairs that do not differ make up for one that does", "take the maximum over all elements"),
    Mistake("one size for all pairs", ("max(_change(f(act_in(x)), act_out(y)) for act_in, act_out in pairs)",
        "_distance(*(np.stack(it) for it in zip(*((_measurable(f(act_in(x))), _measurable(act_out(y))) "
        "for act_in, act_out in pairs))))"), "A pair with large results hides what differs in the others",
        "divide the difference of each pair by the size of its own results"),
)


_OWN_TOLERANCE = ("np.allclose adds a relative tolerance of its own, 1e-5, and measures each entry by its own size",
    "compare the largest change, divided by the size of the results, with tolerance")


def _on_after_closure(table):
    """Look for the identity and inverses where products lie outside of the set, too."""
    table, broken = np.asarray(table), list(broken_axioms(table))
    if broken != ["closure"]:
        return broken
    listed = np.arange(len(table))
    units = [i for i in listed if (table[i] == listed).all() and (table[:, i] == listed).all()]
    undone = not units or ((table == units[0]) & (table.T == units[0])).any(axis=1).all()
    return broken + ["identity"] * (not units) + ["inverses"] * (not undone)


CHECKS = (
    Checks(invariance_error,
        cases=(*_INVARIANCE, call(_first_and_square, [np.copy, _swap_last], _x * 1e-9).about("two results", edge=True)),
        claims=(
            Claim("a sum does not depend on order", lambda f: f(np.sum, _swaps, _x), **_SUMS),
            Claim("a norm does not depend on direction", lambda f: f(np.linalg.norm, _on_points, _points), **_SUMS),
            Claim("the first of 1, 2 and 5 can become 5: it changes by 4/5",
                lambda f: distance(f(_first, _swaps, _x), 0.8), **_SUMS),
            Claim("a function and a multiple of it are equally far from invariant where results are not small",
                lambda f: distance(f(_first, _swaps, 1e12 * _x), f(_first, _swaps, _x)), **_SUMS),
            Claim("a result that changes its sign changes by 2",
                lambda f: distance(f(_first, [np.negative], 5 * _x), 2.0)),
            Claim("NumPy's sort undoes every order, its cumsum none",
                lambda f: max(f(np.sort, _swaps, _x), distance(f(np.cumsum, _swaps, _x), 0.5)), kind="oracle",
                **_SUMS)),
        mistakes=_INVARIANCE_MISTAKES),
    Checks(is_invariant,
        cases=(
            *_INVARIANCE, call(_first, _FLIPS, np.array([1.0, 0.5]), 0.5).about("a change of the tolerance's size"),
            *(call(np.copy, [_swap_first], _x, it).about("two numbers that change places") for it in (0.3, 0.22, 0.15)),
            call(_first, _FLIPS, np.array([2.0, 5.0]), 0.7).about("a large tolerance"),
            call(_first, _FLIPS, np.array([0.0, 5.0]), 1.0).about("a large tolerance"),
            call(_first, _FLIPS, np.array([5.0, 0.0]), 1.0).about("a large tolerance"),
            call(np.max, _FLIPS, _x, 0.0).about("no tolerance, and no change")),
        claims=(
            Claim("a norm passes under rotations", _says(True, np.linalg.norm, _on_sixths, _points)),
            Claim("the first of 1, 2 and 5 fails", _says(False, _first, _swaps, _x)),
            Claim("NumPy's sort, which passes under every order", _says(True, np.sort, _swaps, _x), kind="oracle")),
        mistakes=(
            *_INVARIANCE_MISTAKES,
            Mistake("allclose", ("invariance_error(f, actions, x) <= tolerance",
                "all(np.allclose(f(action(x)), f(x), atol=tolerance) for action in actions)"), *_OWN_TOLERANCE))),
    Checks(equivariance_error,
        cases=(
            *_EQUIVARIANCE,
            call(np.copy, [np.copy, _tenfold], [_double, _tenfold], _x).about("results of unlike sizes"),
            *(call(_first_and_square, _FLIPS, [_stay, _flip_second], x).about("two results", edge=True)
                for x in (_x * 1e-9, _x))),
        claims=(
            Claim("circular convolution", lambda f: f(_circular, _shifts, _shifts, _signal), **_SUMS),
            Claim("with an action on results that does nothing it is the invariance error",
                lambda f: distance(f(_outlier, _on_points, [np.copy] * 8, _points), invariance_error(_outlier,
                _on_points, _points)), **_SUMS),
            Claim("the size of what zero padding loses",
                lambda f: distance(f(_zero_padded, _shifts, _shifts, _signal), _by_hand(_zero_padded)), **_SUMS),
            Claim("torch's circular convolution, which passes",
                lambda f: f(_torch_convolution("circular"), _shifts, _shifts, _signal), kind="oracle", **_SUMS),
            Claim("torch's zero-padded convolution, which fails by as much", lambda f: distance(
                f(_torch_convolution("constant"), _shifts, _shifts, _signal), _by_hand(_zero_padded)), kind="oracle",
                **_SUMS)),
        mistakes=_EQUIVARIANCE_MISTAKES),
    Checks(is_equivariant,
        cases=(
            *_EQUIVARIANCE, call(np.copy, [np.copy], [_double], _x, 0.5).about("a difference of the tolerance's size"),
            call(np.copy, [np.copy], [_halve], _x, 0.6).about("a large tolerance"),
            call(np.copy, [np.copy], [_halve], _x, 0.4).about("a large tolerance"),
            call(np.copy, [np.copy], [_swap_first], _x, 0.22).about("two numbers that change places"),
            call(np.square, _FLIPS, _FLIPS, _x, 0.0).about("no tolerance, and no difference"),
            call(np.diff, [_flip], [_flip], _x).about("results of opposite signs"),
            call(np.copy, [np.copy], [_raise_first], _x).about("a difference in one direction"),
            call(np.copy, [np.copy], [_raise_first], np.array([-10.0, 1.0, 0.0]),
                0.9).about("a large negative number beside small ones"),
            call(np.copy, [np.copy, np.copy], [_double, np.copy], _x,
                0.4).about("a pair that differs before one that does not"),
            call(np.copy, [np.copy, _tenfold], [_double, _tenfold], _x,
                0.4).about("a pair that differs before one with larger results"),
            call(np.copy, [np.copy, _tenfold], [np.negative, _tenfold], np.full(3, 2.0),
                1.0).about("a pair with opposite results before one with larger results"),
            call(_first, [_swap_last, _swap_first], _COPIES,
                np.array([1.0, 1.0, 5.0])).about("actions that change nothing one by one"),
            call(_total, [_flip], [_stay], _x).about("results that are Python's numbers"),
            call(_first_number, [np.flip], [_stay], _x).about("results that are Python's numbers, and differ")),
        claims=(
            Claim("circular convolution passes", _says(True, _circular, _shifts, _shifts, _signal)),
            Claim("zero padding fails", _says(False, _zero_padded, _shifts, _shifts, _signal)),
            Claim("torch's circular convolution, which passes",
                _says(True, _torch_convolution("circular"), _shifts, _shifts, _signal), kind="oracle")),
        mistakes=(
            *_EQUIVARIANCE_MISTAKES,
            Mistake("allclose", ("equivariance_error(f, actions_in, actions_out, x) <= tolerance",
                "all(np.allclose(f(g(x)), h(f(x)), atol=tolerance) for g, h in zip(actions_in, actions_out))"),
                *_OWN_TOLERANCE),
            Mistake("allclose twice", ("equivariance_error(f, actions_in, actions_out, x) <= tolerance",
                "all(np.allclose(f(g(x)), h(f(x)), tolerance, tolerance) for g, h in zip(actions_in, actions_out))"),
                "np.allclose adds both tolerances, and measures each entry by its own size",
                "compare the largest change, divided by the size of the results, with tolerance"))),
    Checks(symmetrize, run=_on, written=_written_on,
        cases=(
            call(_first, [*_FLIPS], _x), call(np.square, [np.copy, _shift, _swap_first], _x),
            call(_first, [*_swaps[::-1]], 3 * _x).about("all orders"),
            call(np.argmax, [*_FLIPS], np.array([1.0, 5.0, 2.0, 0.0])).about("results that are integers"),
            call(_first, [*_swaps], np.array([1.0, 1.0, 4.0])).about("a result that comes more than once"),
            call(_outlier, [*_on_points], _points).about("rotations and reflections"),
            call(_first, [*_swaps], (_x, 2 * _x)).about("two calls of what it returned"),
            call(_stay, [_stay, _shift, _flip], _x).about("a function and an action that hand over what they get")),
        claims=(
            Claim("averages are invariant", lambda f: max(invariance_error(f(_first, _swaps), _swaps, _x),
                invariance_error(f(_outlier, _on_points), _on_points, _points + 1)), **_SUMS),
            Claim("what is invariant stays as it is", lambda f: distance(f(np.sum, _swaps)(_x), 8.0), **_SUMS),
            Claim("numpy.mean, for the first number averaged over all shifts",
                lambda f: distance(f(_first, _shifts)(_signal), np.mean(_signal)), kind="oracle", **_SUMS),
            Claim("the second coefficient of numpy.poly, by 3, for the product of two averaged over all orders",
                lambda f: distance(f(lambda x: x[0] * x[1], _swaps)(_x), np.poly(_x)[2] / 3), kind="oracle", **_SUMS)),
        mistakes=(
            Mistake("result acted on", (_MEAN, "_mean([action(f(x)) for action in actions])"), "It acts on the result",
                "act on the input, and apply the function to that"),
            Mistake("actions one after another",
                (_MEAN, "_mean([f(x := action(x)) for action in actions])"),
                "Each action moves what the ones before have moved", "let every action act on x as it came"),
            Mistake("input counted twice", (_MEAN, "_mean([f(x), *(f(action(x)) for action in actions)])"),
                "The input as it came counts twice", "the identity is one of the actions"),
            Mistake("not divided", ("result / len(results)", "result"),
                "An invariant function grows by the size of the group", "divide by the size"),
            Mistake("input averaged", (_MEAN, "f(_mean([action(x) for action in actions]))"),
                "Everything that the group moves is gone before the function sees it",
                "apply the function first, and average its results"),
            Mistake("identity left out", ("for action in actions]", "for action in actions[1:]]"),
                "The average lacks one element, so acting on the input changes it",
                "take every element, the identity too"),
            Mistake("actions used up", _used_up,
                "The function that it returns works once", "keep a list, for an iterator is used up after one call"),
            Mistake("largest of the group", (_MEAN, "np.max([f(action(x)) for action in actions], axis=0)"),
                "It is invariant, but not the average, and may have a kink where another element takes over",
                "take the mean of the results"),
            Mistake("one of the group", (_MEAN, "f(actions[-1](x))"),
                "The result still changes with the input's position",
                "average over all elements, not one of them alone"))),
    Checks(symmetrize_equivariant, run=_on, written=_written_on,
        cases=(
            call(np.cumsum, _FLIPS, _FLIPS, _OF_TWO, _x),
            call(np.diff, _FLIPS, [np.copy, _flip_and_negate], _OF_TWO, _x**2),
            call(_twisted, _on_points, _on_points, _square_table, _points).about("rotations and reflections"),
            call(_rises, _FLIPS, [np.copy, _flip_and_negate], _OF_TWO, _x),
            call(_zero_padded, _shifts, _shifts, _CYCLE, _signal).about("shifts"),
            call(_zero_padded, _shifts[::-1], _shifts[::-1], _BACKWARDS, _signal).about("the identity last"),
            call(_first_and_square, _FLIPS, [_stay, _flip_second], _OF_TWO, _x).about("two results", edge=True)),
        claims=(
            Claim("averages are equivariant", lambda f: equivariance_error(f(_twisted, _on_points, _on_points,
                _square_table), _on_points, _on_points, _points), **_SUMS),
            Claim("what is equivariant stays as it is",
                lambda f: distance(f(_circular, _shifts, _shifts, _CYCLE)(_signal), _circular(_signal)), **_SUMS),
            Claim("with an action on results that does nothing it is the invariant average",
                lambda f: distance(f(_outlier, _on_points, [np.copy] * 8, _square_table)(_points),
                symmetrize(_outlier, _on_points)(_points)), **_SUMS),
            Claim("numpy.mean of the weights, for weighting by place averaged over shifts",
                lambda f: distance(f(lambda x: _signal * x, _shifts, _shifts, _CYCLE)(_signal), np.mean(_signal)
                * _signal), kind="oracle", **_SUMS)),
        mistakes=(
            Mistake("result not turned back", ("undo(f(act(x)))", "f(act(x))"),
                "The results of all positions lie on top of each other",
                "undo the action on each result before averaging",
                "mmdetection, issue 10718 (2023), for a misspelled key"),
            Mistake("result turned on", ("[actions_out[i] for i in inverse]", "actions_out"),
                "Turns come out doubled instead of undone",
                "act on the result by the inverse of what acted on the input"),
            Mistake("identity taken for the first", ("inverses(table)", "np.argmax(np.asarray(table) == 0, axis=1)"),
                "It is right where the identity is listed first",
                "look the identity up in the table: the inverse of i is the j with ij = e"))),
    Checks(broken_axioms, run=_names_of_broken,
        cases=(*(call(it).about(says) for says, it in _TABLES.items()), call(_CYCLE), call(_square_table)),
        claims=(
            Claim("the eight symmetries of a square break none", lambda f: len(f(_square_table))),
            Claim("loops over all elements, for the 16 tables of order 2 and the tables of the calls",
                _differently_judged, kind="oracle")),
        mistakes=(
            Mistake("latin square", ("broken = {}", _LATIN),
                "A table passes because each row and column holds every element once",
                "test (ij)k = i(jk) for all triples: the Latin square follows from a group, not the other way"),
            Mistake("commutative", ("table[table[i]] != table[i][table]", "table[[i]] != table.T[[i]]"),
                "It calls the symmetries of a square no group, because a turn and a mirror do not commute",
                "test (ij)k = i(jk), not ij = ji"),
            Mistake("left identity enough", (" & (table.T == listed).all(axis=1)", ""),
                "Elements that only work from the left count as identities", "look at the column as well as the row"),
            Mistake("inverse on one side enough", (" & (table.T == e)", ""), "An inverse on one side counts",
                "ask for ij = e and ji = e"),
            Mistake("closure taken for granted",
                ("outside = np.argwhere((table < 0) | (table >= n))", "table, outside = table % n, []"),
                "Products outside the set pass", "test that every entry is one of the n elements first"),
            Mistake("two elements only", _with_two_elements, "Associativity is not tried with three different elements",
                "try all triples"),
            Mistake("identity 0 taken for none", ("if e is None:", "if not e:"),
                "An identity that is element 0 counts as none", "ask whether it is None, since 0 counts as false"),
            Mistake("goes on after closure", lambda table: {*broken_axioms(table), *broken_axioms(table % len(table))},
                "It names what products outside the set break", "stop at closure: the other axioms are about elements"),
            Mistake("negative numbers let through", ("(table < 0) | (table >= n)", "table >= n"),
                "Negative numbers pass, and count elements from the end",
                "test that every entry is at least 0, too, because -1 stands for no element"),
            *(Mistake("identity listed first", ("e = identity(table)", it),
                "The first element is taken for the identity", "look for the one that leaves all as they are") for it in
                ("e = identity(table) and 0", "e = None if identity(table) else identity(table)")),
            Mistake("inverses without an identity",
                lambda table: [*(broken := broken_axioms(table)), *["inverses"] * ("identity" in broken)],
                "Inverses are named where there is no identity",
                "ask for inverses only where there is an identity for them to lead to"),
            Mistake("nothing after a missing identity",
                lambda table: ["identity"] if "identity" in (found := broken_axioms(table)) else [*found],
                "Where there is no identity, it asks for nothing else",
                "go on: associativity can be tested without an identity"),
            Mistake("first broken axiom only", lambda table: [it for it in ("closure", "identity", "inverses",
                "associativity") if it in broken_axioms(table)][:1], "Of several broken axioms it names the first only",
                "go on after the first, for associativity is a question of its own"),
            Mistake("undone by itself", ("((table == e) & (table.T == e)).any(axis=1)", "(np.diag(table) == e)"),
                "Elements that another one undoes count as without an inverse",
                "look along the whole row: the inverse may be another element"),
            Mistake("what is kept", lambda table: [it for it in ("closure", "identity", "inverses", "associativity")
                if it not in broken_axioms(table)], "It names the axioms that hold", "name those that are broken"),
            Mistake("first of three only", lambda table: [it for it in ("closure", "associativity", "identity",
                "inverses") if it in broken_axioms(table)][:1], "Of several broken axioms it names the first only",
                "go on after the first, for associativity is a question of its own"),
            Mistake("elements outside looked up", _on_after_closure, "It names what products outside the set break",
                "stop at closure: the other axioms are about elements"),
            Mistake("rows with repetitions", lambda table: [*(it for it in broken_axioms(table) if it != "inverses"),
                *["inverses"] * (not {"closure", "identity"} & {*broken_axioms(table)} and any(len({*row}) < len(row)
                for row in np.asarray(table).tolist()))],
                "An element that is twice in a row counts as a missing inverse",
                "ask for ij = e and ji = e: without associativity a row may repeat others"),
            Mistake("three different elements only", _with_three_different,
                "Associativity is not tried where an element comes twice", "try all triples, repetitions among them"))),
    Checks(generate_group, run=lambda version, *arguments, **options: _sorted(version(*arguments, **options)),
        cases=(
            call(np.stack([_TURN])), call(np.stack([_TURN, _MIRROR])), call(_SIXTH).about("entries that are rounded"),
            call(np.stack([_SIXTH[0], -np.eye(2)])).about("an element in two ways that differ by rounding"),
            call(np.stack([_STEEP, -_STEEP]), max_order=8).about("entries of three billion"),
            call(_QUARTER_TURNS).about("rotations of a cube"),
            call(np.stack([_TURN, _MIRROR]), max_order=8).about("as many as may come"),
            call(np.stack([_TURN, _MIRROR]), max_order=7).about("more than may come"),
            call(_ROUNDED, tolerance=0.01).about("a large tolerance"),
            call(_ROUNDED, 5, 0.01).about("a large tolerance, and more than may come")),
        claims=(
            Claim("every product of two elements is an element, and they are a group",
                lambda f: len(broken_axioms(multiplication_table(f(np.stack([_TURN, _MIRROR])))))),
            Claim("a quarter turn and a mirror make 8", lambda f: abs(len(f(np.stack([_TURN, _MIRROR]))) - 8)),
            Claim("a sixth of a turn makes 6, whatever is rounded", lambda f: abs(len(f(_SIXTH)) - 6)),
            oracle("scipy's rotations of the octahedron, from two quarter turns", _octahedron, call(_QUARTER_TURNS),
                run=lambda version, generators: _sorted(version(generators)), tolerance=1e-12,
                why="scipy's entries are rounded to 1e-16, ours are exact")),
        mistakes=(
            Mistake("powers only", powers_only, "Products of different generators are missing",
                "multiply every element by every one"),
            Mistake("one round", ("for element in elements:", "for element in [elements[0], *generators]:"),
                "Products of three are missing", "go on until nothing new comes out"),
            Mistake("compared exactly", ("elements, tolerance) >= 0", "elements, 0.0) >= 0"),
                "One element comes out again and again, each time rounded differently", "compare within a tolerance"),
            Mistake("identity not listed", ("np.stack(elements)", "np.stack(elements[1:])"),
                "The identity is missing, so there are no inverses", "begin with the identity"))),
    Checks(free_weights, ones=False,
        cases=(
            call(np.stack([np.eye(2), -np.eye(2)])), call(_ALL_ORDERS), call(_cyclic(5)).about("shifts"),
            call(np.eye(3)[None]).about("the identity alone"),
            call(_square_matrices).about("rotations and reflections"), call(generate_group([_TURN])).about("rotations"),
            call(generate_group(_SIXTH)).about("rotations that are rounded"),
            call(generate_group(_SIXTH) * (1 + 1e-12)).about("rotations that are rounded up"),
            call(_FIFTHS).about("traces that are no integers"), call(_turns(10)).about("ten rotations"),
            call(_turns(3)).about("three rotations"),
            call(np.linalg.inv(_LEANING) @ _turns(8) @ _LEANING).about("eight rotations, with leaning axes"),
            call(generate_group([_STRETCHED_TURN])).about("matrices that are not orthogonal")),
        claims=(
            Claim("a rotation by a quarter commutes with a + bi: two numbers",
                lambda f: abs(f(generate_group([_TURN])) - 2)),
            Claim("shifts leave n, permutations 2", lambda f: abs(f(_cyclic(5)) - 5) + abs(f(_ALL_ORDERS) - 2)),
            oracle("NumPy's rank of the equations MA = AM", _solutions, call(_ALL_ORDERS), call(_cyclic(5)),
                call(_square_matrices), call(generate_group([_STRETCHED_TURN])), tolerance=0, why="integers")),
        mistakes=(
            *(Mistake("rounded to one side", ("round(", f"{it}("),
                "A mean that should be a whole number comes out a little below or above it, and is rounded to the next",
                "round to the nearest whole number") for it in ("int", "np.ceil")),
            Mistake("not squared", (" ** 2", ""), "It counts the free weights of one invariant sum",
                "square each trace: A has an index on both sides"),
            Mistake("not divided", ("np.mean(", "np.sum("), "It grows with the size of the group",
                "take the mean over the group"),
            Mistake("mean squared", ("np.mean(np.trace(matrices, axis1=1, axis2=2) ** 2)",
                "np.mean(np.trace(matrices, axis1=1, axis2=2)) ** 2"), "The mean is squared, not each trace",
                "square first"),
            Mistake("entries shared out", lambda matrices: matrices.shape[1] ** 2 // len(matrices),
                "The entries are divided by the size of the group, whatever its matrices do",
                "take the mean of the squared traces"),
            Mistake("traces of squares",
                ("matrices, axis1=1, axis2=2) ** 2", "matrices @ matrices, axis1=1, axis2=2)"),
                "The matrices are squared, not their traces", "take the trace first, then square"))),
)
