"""What tests of symmetry must find, and how they are usually fooled."""

import itertools

import numpy as np

from mlnotes.blocks.equivariance import equivariance_error, invariance_error, symmetrize, symmetrize_equivariant
from mlnotes.checks.oldbank import Checks, Claim, Mistake, distance, frozen
from mlnotes.groups import (
    broken_axioms,
    cyclic_shifts,
    generate_group,
    matrix_actions,
    multiplication_table,
    permutation_actions,
)

_rng = np.random.default_rng(17)
_x, _signal, _kernel, _points = frozen(
    np.array([1.0, 2.0, 5.0]), _rng.normal(size=7), np.array([1.0, -2.0, 4.0]), _rng.normal(size=(5, 2))
)
_TURN, _MIRROR = np.array([[0.0, -1.0], [1.0, 0.0]]), np.diag([1.0, -1.0])
_square_matrices = generate_group([_TURN, _MIRROR])
_square_table = multiplication_table(_square_matrices)
_on_points = matrix_actions(_square_matrices)
_swaps = permutation_actions(list(itertools.permutations(range(3))), axis=0)
_shifts = cyclic_shifts(7)
_SUMS = "sums of at most 8 numbers in float64: a few units of 1e-16"

# A loop is a table with an identity whose rows and columns hold every element once.
_TABLES = {
    "multiplication by 0, 1 and -1": np.array([[0, 0, 0], [0, 1, 2], [0, 2, 1]]),
    "a table whose rows are all alike": np.tile(np.arange(3), (3, 1)),
    "a loop": np.array([[0, 1, 2, 3, 4], [1, 0, 3, 4, 2], [2, 4, 0, 1, 3], [3, 2, 4, 0, 1], [4, 3, 1, 2, 0]]),
    "a loop undone differently from left and right": np.array(
        [[0, 1, 2, 3, 4], [1, 0, 3, 4, 2], [2, 3, 4, 0, 1], [3, 4, 1, 2, 0], [4, 2, 0, 1, 3]]
    ),
    "rock, paper, scissors": np.array([[0, 1, 2, 3], [1, 1, 2, 1], [2, 2, 2, 3], [3, 1, 3, 3]]),
    "addition of 0 and 1": np.array([[0, 1], [1, 2]]),
}
_CYCLE = np.add.outer(range(7), range(7)) % 7
_SIXTH = np.array([[[0.5, -(0.75**0.5)], [0.75**0.5, 0.5]]])
_QUARTER_TURNS = np.array([[[0, -1, 0], [1, 0, 0], [0, 0, 1]], [[1, 0, 0], [0, 0, -1], [0, 1, 0]]], float)


def _first(x):
    return x[0]


def _outlier(points):
    return points[:, 0] ** 2 + points[:, 1]


def _twisted(points):
    return points[:, ::-1] * [1.0, 2.0] + points**3


def _circular(x):
    return sum(weight * np.roll(x, shift) for shift, weight in enumerate(_kernel))


def _zero_padded(x):
    return np.convolve(x, _kernel)[: len(x)]


def _torch_convolution(mode):
    def convolve(x):
        import torch

        kernel = torch.tensor(_kernel[::-1].copy())[None, None]
        padded = torch.nn.functional.pad(torch.tensor(np.array(x))[None, None], (2, 0), mode=mode)
        return torch.conv1d(padded, kernel)[0, 0].numpy()

    return convolve


def _by_hand(f):
    """Go round the square with NumPy's own roll."""
    errors = []
    for k in range(7):
        before, after = f(np.roll(_signal, k)), np.roll(f(_signal), k)
        errors.append(np.abs(before - after).max() / max(1, np.abs(before).max(), np.abs(after).max()))
    return max(errors)


def _octahedron():
    from scipy.spatial.transform import Rotation

    return Rotation.create_group("O").as_matrix()


def _sorted(matrices):
    rows = np.round(np.reshape(matrices, (len(matrices), -1)), 6) + 0.0
    return rows[np.lexsort(rows.T)]


def _by_definition(table):
    """Test every axiom by loops over elements."""
    n = len(table)
    elements = range(n)
    if any(table[i][j] not in elements for i in elements for j in elements):
        return ["closure"]
    neutral = [e for e in elements if all(table[e][i] == i == table[i][e] for i in elements)]
    broken = [] if neutral else ["identity"]
    triples = itertools.product(elements, repeat=3)
    if any(table[table[i][j]][k] != table[i][table[j][k]] for i, j, k in triples):
        broken.append("associativity")
    undone = all(any(table[i][j] == e == table[j][i] for j in elements) for e in neutral for i in elements)
    return sorted(broken if undone else [*broken, "inverses"])


def _names_axioms(table):
    def error(f):
        found, expected = sorted(f(table)), _by_definition(table)
        if found != expected:
            raise AssertionError(f"it names {', '.join(found) or 'none'}")
        return 0.0

    return error


def _tables_of_order_two():
    return [np.reshape(entries, (2, 2)) for entries in itertools.product(range(2), repeat=4)]


def signed_change(f, actions, x):
    """Take the largest difference without its sign's being dropped."""
    y = np.asarray(f(x))
    return float(max(np.max(f(action(x)) - y) for action in actions) / max(1, np.max(np.abs(y))))


def mean_change(f, actions, x):
    """Average over the group before comparing."""
    mean = symmetrize(f, actions)(x)
    return float(np.max(np.abs(mean - f(x))) / max(1, np.max(np.abs(f(x)))))


def absolute_change(f, actions, x):
    """Leave out what the difference is to be compared with."""
    return float(max(np.max(np.abs(f(action(x)) - f(x))) for action in actions))


def input_compared(f, actions, x):
    """Compare the acted-on input with the result."""
    return max(invariance_error(lambda y: y, [action], x) for action in actions)


def first_action_only(f, actions, x):
    """Return from inside the loop."""
    for action in actions:
        return invariance_error(f, [action], x)


def action_after_forgotten(f, actions_in, actions_out, x):
    """Compare with the result as it was."""
    return invariance_error(f, actions_in, x)


def result_acted_on_as_input(f, actions_in, actions_out, x):
    """Let the group do to results what it does to inputs."""
    return equivariance_error(f, actions_in, actions_in, x)


def signed_difference(f, actions_in, actions_out, x):
    """Take the largest difference without dropping its sign."""
    pairs = list(zip(actions_in, actions_out, strict=True))
    return float(max(np.max(f(g(x)) - h(f(x))) for g, h in pairs) / max(1, np.max(np.abs(f(x)))))


def first_pair_only(f, actions_in, actions_out, x):
    """Return from inside the loop."""
    return equivariance_error(f, actions_in[:1], actions_out[:1], x)


def not_divided(f, actions):
    """Add the results up."""
    return lambda x: sum(f(action(x)) for action in actions)


def input_averaged(f, actions):
    """Average what the group does to the input, and apply the function once."""
    return lambda x: f(sum(action(x) for action in actions) / len(actions))


def identity_left_out(f, actions):
    """Average over what changes something."""
    return lambda x: sum(f(action(x)) for action in actions[1:]) / max(1, len(actions) - 1)


def one_of_the_group(f, actions):
    """Draw one element instead of averaging over all, as data augmentation does."""
    return lambda x: f(actions[-1](x))


def result_not_turned_back(f, actions_in, actions_out, table):
    """Average the results as they come out."""
    return symmetrize(f, actions_in)


def result_turned_on(f, actions_in, actions_out, table):
    """Act on the result as on the input, instead of undoing it."""
    pairs = list(zip(actions_in, actions_out, strict=True))
    return lambda x: sum(h(f(g(x))) for g, h in pairs) / len(pairs)


def latin_square(table):
    """Trust a table in whose rows and columns every element occurs once."""
    n = len(table)
    once = [sorted(line) == list(range(n)) for line in [*table, *np.transpose(table)]]
    return {} if all(once) else broken_axioms(table)


def commutative(table):
    """Test ij = ji instead of (ij)k = i(jk)."""
    broken = {axiom: words for axiom, words in broken_axioms(table).items() if axiom != "associativity"}
    return broken if np.array_equal(table, np.transpose(table)) else {**broken, "associativity": "ij is not ji"}


def left_identity_enough(table):
    """Look for an identity in the rows only."""
    broken = broken_axioms(table)
    if any(np.array_equal(row, range(len(table))) for row in table):
        broken.pop("identity", None)
    return broken


def left_inverse_enough(table):
    """Look for the identity in the rows only."""
    broken = broken_axioms(table)
    if "identity" not in broken and all(0 in row for row in table):
        broken.pop("inverses", None)
    return broken


def closure_taken_for_granted(table):
    """Read numbers outside the table as if they counted from its end."""
    return broken_axioms(np.asarray(table) % len(table))


def powers_only(generators):
    """Multiply each generator by itself only."""
    generators = np.asarray(generators)
    found = [generate_group(generator[None]) for generator in generators]
    return np.concatenate([found[0], *(matrices[1:] for matrices in found[1:])])


def one_round(generators):
    """Stop after the products of two."""
    generators = np.asarray(generators)
    products = [np.eye(generators.shape[-1]), *generators, *(a @ b for a in generators for b in generators)]
    return np.unique(np.round(products, 9) + 0.0, axis=0)


def compared_exactly(generators):
    """Take two matrices for different ones if they differ by rounding."""
    return generate_group(generators, tolerance=0.0)


def identity_not_listed(generators):
    """Begin with the generators, and take the identity for granted."""
    return generate_group(generators)[1:]


OLD = (
    Checks(
        invariance_error,
        probes=((_first, _swaps, _x), (_first, _swaps, 1e12 * _x), (_first, _shifts, _signal)),
        claims=(
            Claim("a sum does not depend on order", lambda f: f(np.sum, _swaps, _x), 1e-12, _SUMS),
            Claim(
                "a norm does not depend on direction", lambda f: f(np.linalg.norm, _on_points, _points), 1e-12, _SUMS
            ),
            Claim(
                "the first of 1, 2 and 5 can become 5: it changes by 4/5",
                lambda f: distance(f(_first, _swaps, _x), 0.8),
                1e-12,
                _SUMS,
            ),
            Claim(
                "a function and a multiple of it are equally far from invariant where results are not small",
                lambda f: distance(f(_first, _swaps, 1e12 * _x), f(_first, _swaps, _x)),
                1e-12,
                _SUMS,
            ),
            Claim(
                "a result that changes its sign changes by 2", lambda f: distance(f(_first, [np.negative], 5 * _x), 2.0)
            ),
            Claim(
                "NumPy's sort undoes every order, its cumsum none",
                lambda f: max(f(np.sort, _swaps, _x), distance(f(np.cumsum, _swaps, _x), 0.5)),
                1e-12,
                _SUMS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                signed_change, "A result that only shrinks counts as unchanged", "take absolute values of differences"
            ),
            Mistake(
                mean_change, "Changes in opposite directions cancel", "compare first, and take the largest difference"
            ),
            Mistake(
                absolute_change,
                "Large results fail by rounding alone",
                "divide by the size of the results",
            ),
            Mistake(input_compared, "It looks at the input, not at the result", "compare f(g(x)) with f(x)"),
            Mistake(
                first_action_only,
                "Only the first element is tried, which is often the identity",
                "take the maximum over all actions",
            ),
        ),
    ),
    Checks(
        equivariance_error,
        probes=(
            (_zero_padded, _shifts, _shifts, _signal),
            (np.sum, _shifts, [lambda y: y] * 7, _signal),
            (_outlier, _on_points, [lambda y: y] * 8, _points),
        ),
        claims=(
            Claim("circular convolution", lambda f: f(_circular, _shifts, _shifts, _signal), 1e-12, _SUMS),
            Claim(
                "with an action on results that does nothing it is the invariance error",
                lambda f: distance(
                    f(_outlier, _on_points, [lambda y: y] * 8, _points), invariance_error(_outlier, _on_points, _points)
                ),
                1e-12,
                _SUMS,
            ),
            Claim(
                "the size of what zero padding loses",
                lambda f: distance(f(_zero_padded, _shifts, _shifts, _signal), _by_hand(_zero_padded)),
                1e-12,
                _SUMS,
            ),
            Claim(
                "torch's circular convolution passes",
                lambda f: f(_torch_convolution("circular"), _shifts, _shifts, _signal),
                1e-12,
                _SUMS,
                "oracle",
            ),
            Claim(
                "torch's zero-padded convolution fails by as much",
                lambda f: distance(
                    f(_torch_convolution("constant"), _shifts, _shifts, _signal), _by_hand(_zero_padded)
                ),
                1e-12,
                _SUMS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                action_after_forgotten,
                "It measures invariance: circular convolution fails",
                "act on f(x) before comparing",
            ),
            Mistake(
                result_acted_on_as_input,
                "A sum, which has nothing to permute, raises an error or fails",
                "act on results by their own action",
            ),
            Mistake(signed_difference, "Differences below zero pass", "take absolute values"),
            Mistake(
                first_pair_only,
                "Everything passes, because the first element is the identity",
                "take the maximum over all elements",
            ),
        ),
    ),
    Checks(
        symmetrize,
        probes=((_first, _swaps, _x), (_outlier, _on_points, _points), (_first, [np.negative], _x)),
        call=lambda symmetrize, f, actions, x: symmetrize(f, actions)(x),
        claims=(
            Claim(
                "averages are invariant",
                lambda f: max(
                    invariance_error(f(_first, _swaps), _swaps, _x),
                    invariance_error(f(_outlier, _on_points), _on_points, _points + 1),
                ),
                1e-12,
                _SUMS,
            ),
            Claim("what is invariant stays as it is", lambda f: distance(f(np.sum, _swaps)(_x), 8.0), 1e-12, _SUMS),
            Claim(
                "the first number over all orders averages to numpy.mean",
                lambda f: distance(f(_first, _shifts)(_signal), np.mean(_signal)),
                1e-12,
                _SUMS,
                "oracle",
            ),
            Claim(
                "the product of two over all orders averages to the second coefficient of numpy.poly, by 3",
                lambda f: distance(f(lambda x: x[0] * x[1], _swaps)(_x), np.poly(_x)[2] / 3),
                1e-12,
                _SUMS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(not_divided, "An invariant function grows by the size of the group", "divide by the size"),
            Mistake(
                input_averaged,
                "Everything that the group moves is gone before the function sees it",
                "apply the function first, and average its results",
            ),
            Mistake(
                identity_left_out,
                "The average lacks one element, so acting on the input changes it",
                "take every element, the identity too",
            ),
            Mistake(
                one_of_the_group,
                "The result still changes with the input's position",
                "average over all elements: a random one is right only on average",
            ),
        ),
    ),
    Checks(
        symmetrize_equivariant,
        probes=(
            (_twisted, _on_points, _on_points, _square_table, _points),
            (_zero_padded, _shifts, _shifts, _CYCLE, _signal),
        ),
        call=lambda symmetrize, f, before, after, table, x: symmetrize(f, before, after, table)(x),
        claims=(
            Claim(
                "averages are equivariant",
                lambda f: equivariance_error(
                    f(_twisted, _on_points, _on_points, _square_table), _on_points, _on_points, _points
                ),
                1e-12,
                _SUMS,
            ),
            Claim(
                "what is equivariant stays as it is",
                lambda f: distance(f(_circular, _shifts, _shifts, _CYCLE)(_signal), _circular(_signal)),
                1e-12,
                _SUMS,
            ),
            Claim(
                "with an action on results that does nothing it is the invariant average",
                lambda f: distance(
                    f(_outlier, _on_points, [lambda y: y] * 8, _square_table)(_points),
                    symmetrize(_outlier, _on_points)(_points),
                ),
                1e-12,
                _SUMS,
            ),
            Claim(
                "weighting by place, averaged over shifts, is numpy.mean of the weights",
                lambda f: distance(
                    f(lambda x: _signal * x, _shifts, _shifts, _CYCLE)(_signal), np.mean(_signal) * _signal
                ),
                1e-12,
                _SUMS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                result_not_turned_back,
                "The results of all positions lie on top of each other",
                "undo the action on each result before averaging",
            ),
            Mistake(
                result_turned_on,
                "Turns come out doubled instead of undone",
                "act on the result by the inverse of what acted on the input",
            ),
        ),
    ),
    Checks(
        broken_axioms,
        probes=tuple((table,) for table in [*_TABLES.values(), _square_table]),
        call=lambda broken_axioms, table: sorted(broken_axioms(table)),
        claims=(
            Claim("the eight symmetries of a square break none", lambda f: len(f(_square_table))),
            *(
                Claim(f"{words} breaks {' and '.join(_by_definition(table))}", _names_axioms(table))
                for words, table in _TABLES.items()
            ),
            Claim(
                "loops over all elements, for the 16 tables of order 2",
                lambda f: sum(sorted(f(table)) != _by_definition(table) for table in _tables_of_order_two()),
                kind="oracle",
            ),
        ),
        mistakes=(
            Mistake(
                latin_square,
                "A table passes because each row and column holds every element once",
                "test (ij)k = i(jk) for all triples: the Latin square follows from a group, not the other way",
            ),
            Mistake(
                commutative,
                "The symmetries of a square are no group, because a turn and a mirror do not commute",
                "test (ij)k = i(jk), not ij = ji",
            ),
            Mistake(
                left_identity_enough,
                "Elements that only work from the left count as identities",
                "look at the column as well as the row",
            ),
            Mistake(
                left_inverse_enough,
                "An inverse on one side counts",
                "ask for ij = e and ji = e",
            ),
            Mistake(
                closure_taken_for_granted,
                "Products outside the set pass",
                "test that every entry is one of the n elements first",
            ),
        ),
    ),
    Checks(
        generate_group,
        probes=((np.stack([_TURN, _MIRROR]),), (_SIXTH,), (np.stack([_TURN, -_MIRROR]),)),
        claims=(
            Claim(
                "every product of two elements is an element, and they are a group",
                lambda f: len(broken_axioms(multiplication_table(f(np.stack([_TURN, _MIRROR]))))),
            ),
            Claim("a quarter turn and a mirror make 8", lambda f: abs(len(f(np.stack([_TURN, _MIRROR]))) - 8)),
            Claim("a sixth of a turn makes 6, whatever is rounded", lambda f: abs(len(f(_SIXTH)) - 6)),
            Claim(
                "scipy's rotations of the octahedron come from two quarter turns",
                lambda f: distance(_sorted(f(_QUARTER_TURNS)), _sorted(_octahedron())),
                1e-12,
                "entries rounded to 6 digits before they are sorted",
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(powers_only, "Products of different generators are missing", "multiply every element by every one"),
            Mistake(one_round, "Products of three are missing", "go on until nothing new comes out"),
            Mistake(
                compared_exactly,
                "One element comes out again and again, each time rounded differently",
                "compare within a tolerance",
            ),
            Mistake(
                identity_not_listed, "The identity is missing, so there are no inverses", "begin with the identity"
            ),
        ),
    ),
)
