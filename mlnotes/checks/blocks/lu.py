"""What LU decomposition and what is solved with it must satisfy, and how they are usually got wrong."""
# ruff: noqa: E741 (the lower triangular factor is called l, as in the formula)

import math
from dataclasses import replace

import numpy as np

from mlnotes.blocks.lu import (
    backward_substitution,
    blocked_lu,
    det,
    doolittle,
    forward_substitution,
    growth_factor,
    inverse,
    largest_growth_matrix,
    lu,
    lu_solve,
    slogdet,
)
from mlnotes.checks.oldbank import Checks, Claim, Mistake, distance, frozen

_rng = np.random.default_rng(23)
_square, _tall, _wide, _singular, _leading, _cycle, _sizes, _many, _graded, _skew, _whole = frozen(
    _rng.normal(size=(5, 5)),
    _rng.normal(size=(7, 3)),
    _rng.normal(size=(3, 7)),
    np.array([[2.0, 4.0, 1.0], [1.0, 2.0, 3.0], [4.0, 8.0, 5.0]]),
    np.array([[0.0, 1.0], [2.0, 3.0]]),
    np.array([[0.0, 5.0, 1.0], [0.0, 1.0, 6.0], [7.0, 2.0, 3.0]]),
    np.diag([1e200, 1e200, -1e-200, 1e-200]),
    _rng.normal(size=(5, 3)),
    np.array([[1e-20, 1.0], [1.0, 1.0]]),
    np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 10.0]]),
    np.array([[2.0, 4.0, -2.0], [4.0, 9.0, -3.0], [-2.0, -3.0, 7.0]]),
)
_triangle, _rhs = frozen(np.tril(_rng.normal(size=(5, 5))) + 3 * np.eye(5), _rng.normal(size=5))
# In its last step an entry shrinks again: U does not show how far it had grown.
_shrinking = frozen(np.array([[2.0, -3.0, 3.0], [-3.0, 2.0, -3.0], [-1.0, -1.0, 3.0]]))[0]
_DOMINANT = frozen(_square + 7 * np.eye(5))[0]
_MATRICES = (_square, _tall, _wide, _singular, _leading, _cycle, _graded)
_ROUNDING = "50 n eps for n up to 7"
_BOUND = 50 * 7 * np.finfo(float).eps
_CONDITION = "rounding errors times a condition number below 100"


def _backward(f):
    return max(distance(p @ l @ u / np.abs(a).max(), a / np.abs(a).max()) for a in _MATRICES for p, l, u in [f(a)])


def _triangular(f):
    return max(
        max(distance(np.triu(l), np.eye(*np.shape(l))), distance(np.tril(u, -1), np.zeros(np.shape(u))))
        for _, l, u in map(f, _MATRICES)
    )


def _permutes(f):
    return max(
        max(distance(p @ np.transpose(p), np.eye(len(p))), distance(np.sort(p, axis=0)[-1], np.ones(len(p))))
        for p, _, _ in map(f, _MATRICES)
    )


def _multipliers(f):
    return max(max(0.0, float(np.abs(l).max() - 1)) for _, l, _ in map(f, _MATRICES))


def _scipy_lu(f):
    return max(max(map(distance, f(a), _scipy_factors(a))) for a in (_square, _tall, _wide, _cycle))


def _torch_lu(f):
    import torch

    p, l, u = (x.numpy() for x in torch.linalg.lu(torch.tensor(_tall)))
    return max(map(distance, f(_tall), (p, l, u)))


def _leaves_input(f):
    a = np.array(_cycle)
    f(a)
    return distance(a, _cycle)


def _solves(f):
    return max(distance(_square @ f(_square, b), b) for b in (_rhs, _many))


def _refuses(f, *arguments):
    try:
        f(*arguments)
    except (ValueError, np.linalg.LinAlgError):
        return 0.0
    raise AssertionError("it gives an answer where there is none")


def _scipy_factors(a):
    import scipy.linalg

    return scipy.linalg.lu(a)


def _same_for_every_block(f):
    right = f(_square)
    return max(max(map(distance, f(_square, block), right)) for block in (1, 2, 3, 5, 64))


def _in_blocks_of_two(error):
    return lambda f: error(lambda a: f(a, 2))


def _by_schur_complements(a):
    a = np.transpose(_scipy_factors(a)[0]) @ a
    largest = [np.abs(a).max()]
    for k in range(1, min(a.shape)):
        rest = a[k:, k:] - a[k:, :k] @ np.linalg.solve(a[:k, :k], a[:k, k:])
        largest.append(np.abs(rest).max(initial=0.0))
    return max(largest) / largest[0]


def _by_minors(a):
    return sum((-1) ** j * x * _by_minors(np.delete(a[1:], j, 1)) for j, x in enumerate(a[0])) if len(a) else 1.0


def _scipy_triangular(lower):
    def error(f):
        import scipy.linalg

        t = _triangle if lower else _triangle.T
        return max(distance(f(t, b), scipy.linalg.solve_triangular(t, b, lower=lower)) for b in (_rhs, _many))

    return error


def no_exchange_of_rows(a):
    """Take the pivots as they come."""
    return _eliminated(a, lambda a, k: k)


def largest_value_for_pivot(a):
    """Search the column for the largest value, not the largest absolute value."""
    return _eliminated(a, lambda a, k: k + np.argmax(a[k:, k]))


def first_that_is_not_zero(a):
    """Exchange rows only where the pivot is zero."""
    return _eliminated(a, lambda a, k: k + np.argmax(a[k:, k] != 0))


def rows_counted_from_the_top(a):
    """Forget that argmax counts from the diagonal."""
    return _eliminated(a, lambda a, k: np.argmax(np.abs(a[k:, k])))


def multipliers_left_behind(a):
    """Exchange the rows of what is left, but not those of the multipliers found so far."""
    return _eliminated(a, _largest, exchanged_from=lambda k: k)


def permutation_transposed(a):
    """Return the permutation that brings A to LU, in place of the one that brings it back."""
    p, l, u = lu(a)
    return p.T, l, u


def diagonal_in_l(a):
    """Leave the pivots in L and ones in U."""
    p, l, u = lu(a)
    pivots = np.diag(u)
    return p, l * pivots, u / pivots[:, None]


def input_overwritten(a):
    """Eliminate in the caller's matrix."""
    factors = lu(a)
    a -= a.mean()
    return factors


def triangular_solve_left_out(a, block=64):
    """Update the rest with the rows of the block as they were, not as they become in U."""
    a, rows = np.array(a, float), np.arange(len(a))
    for start in range(0, min(a.shape), block):
        end = min(start + block, *a.shape)
        p, l, u = lu(a[start:, start:end])
        order = start + p.argmax(axis=0)
        a[start:], rows[start:] = a[order], rows[order]
        a[start:, start:end] = np.tril(l, -1)
        a[start:end, start:end] += u
        a[end:, end:] -= a[end:, start:end] @ a[start:end, end:]
    return _unpacked(a, rows)


def last_block_dropped(a, block=64):
    """Stop after the last full block."""
    k = min(np.shape(a))
    return _eliminated(a, _largest, steps=k if block > k else k // block * block)


def _eliminated(a, choose, exchanged_from=lambda k: 0, steps=None):
    """Eliminate like the right version, but for what is to be got wrong."""
    a, rows = np.array(a, float), np.arange(len(a))
    for k in range(min(a.shape) if steps is None else steps):
        pivot, start = choose(a, k), exchanged_from(k)
        a[[k, pivot], start:], rows[[k, pivot]] = a[[pivot, k], start:], rows[[pivot, k]]
        if a[k, k] != 0:
            a[k + 1 :, k] /= a[k, k]
            a[k + 1 :, k + 1 :] -= a[k + 1 :, k, None] * a[k, k + 1 :]
    return _unpacked(a, rows)


def _largest(a, k):
    return k + np.argmax(np.abs(a[k:, k]))


def _unpacked(a, rows):
    m, k = len(a), min(a.shape)
    return np.eye(m)[:, rows], np.tril(a[:, :k], -1) + np.eye(m, k), np.triu(a[:k])


def ones_on_the_other_diagonal(a):
    """Put the ones on the diagonal of U: that is Crout's variant."""
    l, u = doolittle(a)
    return l * np.diag(u), u / np.diag(u)[:, None]


def sum_left_out(a):
    """Forget what the columns before have already taken from a column."""
    a, k = np.array(a, float), min(np.shape(a))
    return np.tril(a[:, :k], -1) / np.diag(a)[:k] + np.eye(len(a), k), np.triu(a[:k])


def division_by_zero(a):
    """Divide by the pivot whatever it is."""
    a, k = np.array(a, float), min(np.shape(a))
    l, u = np.eye(len(a), k), np.zeros((k, a.shape[1]))
    for i in range(k):
        u[i, i:] = a[i, i:] - l[i, :i] @ u[:i, i:]
        l[i + 1 :, i] = (a[i + 1 :, i] - l[i + 1 :, :i] @ u[:i, i]) / u[i, i]
    return l, u


def right_hand_side_not_permuted(a, b):
    """Forget that the rows of the matrix have been exchanged."""
    _, l, u = a if isinstance(a, tuple) else lu(a)
    return backward_substitution(u, forward_substitution(l, b))


def right_hand_side_permuted_back(a, b):
    """Multiply by P where its transpose is needed."""
    p, l, u = a if isinstance(a, tuple) else lu(a)
    return backward_substitution(u, forward_substitution(l, p @ b))


def order_of_factors_exchanged(a, b):
    """Solve with U first."""
    p, l, u = a if isinstance(a, tuple) else lu(a)
    return forward_substitution(l, backward_substitution(u, p.T @ b))


def small_pivots_trusted(a, b):
    """Eliminate without exchanging rows."""
    return lu_solve((np.eye(len(a)), *doolittle(a)) if not isinstance(a, tuple) else a, b)


def singular_matrices_solved(a, b):
    """Replace a zero pivot by a small one, and answer."""
    p, l, u = a if isinstance(a, tuple) else lu(a)
    u = u + np.diag(np.where(np.diag(u) == 0, 1e-10, 0))
    return lu_solve((p, l, u), b)


def sign_of_the_exchanges_forgotten(a):
    """Multiply the pivots only."""
    return float(np.prod(np.diag(lu(a)[2])))


def rows_out_of_place_counted(a):
    """Count the rows that are out of place in place of the exchanges that bring them back."""
    p, _, u = lu(a)
    return float((-1.0) ** np.sum(np.diag(p) == 0) * np.prod(np.diag(u)))


def products_that_overflow(a):
    """Multiply the pivots in order."""
    p, _, u = lu(a)
    return float(np.linalg.det(p) * np.prod(np.diag(u)))


def product_of_the_diagonal(a):
    """Multiply the diagonal of the matrix itself."""
    return float(np.prod(np.diag(a)))


def absolute_value(a):
    """Lose the sign."""
    return abs(det(a))


def logarithm_of_the_determinant(a):
    """Compute the determinant first, and its logarithm afterwards."""
    value = det(a)
    return float(np.sign(value)), float(np.log(abs(value)))


def signs_of_pivots_forgotten(a):
    """Count the exchanges, but not the negative pivots."""
    p, _, u = lu(a)
    return float(round(np.linalg.det(p))), float(np.sum(np.log(np.abs(np.diag(u)))))


def base_ten(a):
    """Take decimal logarithms."""
    sign, logarithm = slogdet(a)
    return sign, logarithm / math.log(10)


def entrywise_reciprocal(a):
    """Divide one by every entry."""
    return 1 / np.asarray(a)


def inverse_transposed(a):
    """Solve for rows and store them as columns."""
    return inverse(a).T


def permutation_forgotten(a):
    """Invert LU."""
    _, l, u = lu(a)
    return inverse(l @ u)


def final_entries_only(a, factors=None):
    """Compare U with A: what grew on the way and shrank again is not seen."""
    _, _, u = lu(a) if factors is None else factors
    return float(np.max(np.abs(u)) / np.max(np.abs(a)))


def signed_entries(a, factors=None):
    """Take the largest value for the largest absolute value."""
    return growth_factor(a, factors) * np.max(np.abs(a)) / np.max(a)


def not_divided(a, factors=None):
    """Return the largest entry itself."""
    return growth_factor(a, factors) * float(np.max(np.abs(a)))


def other_triangle_used(l, b):
    """Multiply by the whole row, as if what is above the diagonal were zero."""
    return np.linalg.solve(l, b)


def diagonal_taken_for_ones(l, b):
    """Do not divide by the diagonal."""
    return forward_substitution(np.tril(l, -1) + np.eye(len(l)), b)


def upper_diagonal_taken_for_ones(u, b):
    """Do not divide by the diagonal."""
    return backward_substitution(np.triu(u, 1) + np.eye(len(u)), b)


def solved_from_the_top(u, b):
    """Use unknowns before they are known."""
    x = np.zeros(np.shape(b))
    for i in range(len(u)):
        x[i] = (b[i] - u[i, i + 1 :] @ x[i + 1 :]) / u[i, i]
    return x


def solved_from_the_bottom(l, b):
    """Use unknowns before they are known."""
    x = np.zeros(np.shape(b))
    for i in reversed(range(len(l))):
        x[i] = (b[i] - l[i, :i] @ x[:i]) / l[i, i]
    return x


def other_triangle_of_u_used(u, b):
    """Multiply by the whole row, as if what is below the diagonal were zero."""
    return np.linalg.solve(u, b)


_FACTORS = (
    Claim("PLU is the matrix", _backward, _BOUND, _ROUNDING),
    Claim("L is lower triangular with ones on its diagonal, and U is upper triangular", _triangular),
    Claim("P permutes", _permutes),
    Claim("no multiplier is larger than 1", _multipliers),
    Claim("the input is left as it was", _leaves_input),
    Claim("scipy.linalg.lu", _scipy_lu, 1e-12, _CONDITION, "oracle"),
    Claim("torch.linalg.lu", _torch_lu, 1e-12, _CONDITION, "oracle"),
)

OLD = (
    Checks(
        lu,
        probes=tuple((a,) for a in _MATRICES),
        claims=_FACTORS,
        mistakes=(
            Mistake(
                no_exchange_of_rows,
                "A leading zero cannot be eliminated with, and a small pivot loses all digits",
                "exchange rows so that the largest entry left in the column becomes the pivot",
            ),
            Mistake(
                largest_value_for_pivot,
                "Multipliers are larger than 1 where a column has large negative entries",
                "take the argmax of absolute values",
            ),
            Mistake(
                first_that_is_not_zero,
                "A small pivot loses all digits, because it is not zero",
                "exchange rows always, for the largest pivot",
            ),
            Mistake(
                rows_counted_from_the_top,
                "Rows that are done with are exchanged again, and PLU is another matrix",
                "argmax of a[k:, k] counts from row k: add k",
            ),
            Mistake(
                multipliers_left_behind,
                "PLU is another matrix as soon as rows are exchanged after the first step",
                "exchange whole rows, with the multipliers found so far",
            ),
            Mistake(
                permutation_transposed,
                "PLU is another matrix where three or more rows change places",
                "return the transpose: A = PLU says that PᵀA = LU",
            ),
            Mistake(diagonal_in_l, "L does not have ones on its diagonal", "leave the pivots in U"),
            Mistake(input_overwritten, "The caller's matrix has changed after the call", "eliminate in a copy"),
        ),
    ),
    Checks(
        blocked_lu,
        probes=((_square, 2), (_tall, 2), (_wide, 2), (_singular, 2), (_cycle, 1), (_square,)),
        claims=(
            *(replace(claim, error=_in_blocks_of_two(claim.error)) for claim in _FACTORS),
            Claim("every block size gives the same factors", _same_for_every_block, 1e-12, _CONDITION),
        ),
        mistakes=(
            Mistake(
                triangular_solve_left_out,
                "PLU is another matrix for blocks of two columns and more",
                "solve L₁₁U₁₂ = A₁₂ before the product is subtracted",
            ),
            Mistake(
                last_block_dropped,
                "The last columns are not eliminated where the block size does not divide",
                "end the last block at min(start + block, m, n)",
            ),
        ),
    ),
    Checks(
        doolittle,
        probes=((_whole,), (_DOMINANT,), (_leading,)),
        claims=(
            Claim(
                "(2 4 -2; 4 9 -3; -2 -3 7) has the factors (1 0 0; 2 1 0; -1 1 1) and (2 4 -2; 0 1 1; 0 0 4)",
                lambda f: max(
                    map(distance, f(_whole), ([[1, 0, 0], [2, 1, 0], [-1, 1, 1]], [[2, 4, -2], [0, 1, 1], [0, 0, 4]]))
                ),
                1e-12,
                _CONDITION,
            ),
            Claim("LU is the matrix", lambda f: distance(np.matmul(*f(_DOMINANT)), _DOMINANT), _BOUND, _ROUNDING),
            Claim("a leading zero is refused", lambda f: _refuses(f, _leading)),
            Claim(
                "scipy.linalg.lu where no rows are exchanged",
                lambda f: max(map(distance, f(_DOMINANT), _scipy_factors(_DOMINANT)[1:])),
                1e-12,
                _CONDITION,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                ones_on_the_other_diagonal,
                "U has ones on its diagonal instead of L",
                "divide the columns of L by the pivots: with the ones in U it is Crout's variant",
            ),
            Mistake(
                sum_left_out,
                "LU is another matrix from the second step on",
                "subtract what the steps before contribute to the product",
            ),
            Mistake(
                division_by_zero,
                "A leading zero gives nan and infinity",
                "refuse a pivot of zero, or exchange rows",
            ),
        ),
    ),
    Checks(
        lu_solve,
        probes=((_square, _rhs), (_square, _many), (_cycle, _rhs[:3]), (_graded, _rhs[:2]), (_singular, _rhs[:3])),
        claims=(
            Claim("Ax is b", _solves, 1e-12, _CONDITION),
            Claim(
                "the factors may be given in place of the matrix",
                lambda f: distance(f(lu(_square), _many), f(_square, _many)),
                1e-12,
                _CONDITION,
                edge=True,
            ),
            Claim(
                "a small pivot loses no digits",
                lambda f: distance(f(_graded, np.array([1.0, 2.0])), [1.0, 1.0]),
                1e-12,
                _CONDITION,
            ),
            Claim("a singular matrix is refused", lambda f: _refuses(f, _singular, _rhs[:3])),
            Claim(
                "numpy.linalg.solve",
                lambda f: max(
                    distance(f(a, b), np.linalg.solve(a, b)) for a, b in ((_square, _many), (_cycle, _rhs[:3]))
                ),
                1e-12,
                _CONDITION,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                right_hand_side_not_permuted,
                "The residual is large wherever rows were exchanged",
                "multiply b by the transpose of P first",
            ),
            Mistake(
                right_hand_side_permuted_back,
                "The residual is large where three or more rows change places",
                "multiply b by the transpose of P, not by P",
            ),
            Mistake(order_of_factors_exchanged, "The residual is large", "solve with L first, then with U"),
            Mistake(small_pivots_trusted, "A small pivot loses all digits, a zero is refused", "exchange rows: use lu"),
            Mistake(
                singular_matrices_solved,
                "Singular matrices have a huge answer without meaning",
                "refuse a pivot of zero",
            ),
        ),
    ),
    Checks(
        forward_substitution,
        probes=((_triangle, _rhs), (_square, _rhs), (_triangle, _many)),
        claims=(
            Claim("Lx is b", lambda f: distance(_triangle @ f(_triangle, _many), _many), 1e-12, _CONDITION),
            Claim(
                "what is above the diagonal is not looked at",
                lambda f: distance(f(_triangle + np.triu(np.ones((5, 5)), 1), _rhs), f(_triangle, _rhs)),
            ),
            Claim("scipy.linalg.solve_triangular", _scipy_triangular(lower=True), 1e-12, _CONDITION, "oracle"),
        ),
        mistakes=(
            Mistake(
                diagonal_taken_for_ones, "It is right only for ones on the diagonal", "divide by the diagonal entry"
            ),
            Mistake(solved_from_the_bottom, "Unknowns are used before they are known", "start with the first unknown"),
            Mistake(
                other_triangle_used,
                "What is above the diagonal changes the solution",
                "multiply l[i, :i] by the unknowns before i only",
            ),
        ),
    ),
    Checks(
        backward_substitution,
        probes=((_triangle.T, _rhs), (_square, _rhs), (_triangle.T, _many)),
        claims=(
            Claim("Ux is b", lambda f: distance(_triangle.T @ f(_triangle.T, _many), _many), 1e-12, _CONDITION),
            Claim(
                "what is below the diagonal is not looked at",
                lambda f: distance(f(_triangle.T + np.tril(np.ones((5, 5)), -1), _rhs), f(_triangle.T, _rhs)),
            ),
            Claim("scipy.linalg.solve_triangular", _scipy_triangular(lower=False), 1e-12, _CONDITION, "oracle"),
        ),
        mistakes=(
            Mistake(
                upper_diagonal_taken_for_ones,
                "It is right only for ones on the diagonal",
                "divide by the diagonal entry",
            ),
            Mistake(solved_from_the_top, "Unknowns are used before they are known", "start with the last unknown"),
            Mistake(
                other_triangle_of_u_used,
                "What is below the diagonal changes the solution",
                "multiply u[i, i + 1:] by the unknowns after i only",
            ),
        ),
    ),
    Checks(
        det,
        probes=((_square,), (_cycle,), (_leading,), (_sizes,), (_singular,)),
        claims=(
            Claim("(0 1; 2 3) has -2", lambda f: distance(f(_leading), -2.0), 1e-12, _CONDITION),
            Claim(
                "a product has the product of the determinants",
                lambda f: distance(f(_skew @ _whole), f(_skew) * f(_whole)),
                1e-12,
                _CONDITION,
            ),
            Claim("a singular matrix has 0", lambda f: distance(f(_singular), 0.0), 1e-12, _CONDITION),
            Claim(
                "products of pivots beyond every float do no harm",
                lambda f: distance(f(_sizes), -1.0),
                1e-12,
                _CONDITION,
            ),
            Claim(
                "numpy.linalg.det",
                lambda f: max(distance(f(a), np.linalg.det(a)) for a in (_square, _cycle, _whole)),
                1e-12,
                _CONDITION,
                "oracle",
            ),
            Claim(
                "expansion by minors", lambda f: distance(f(_square), _by_minors(_square)), 1e-12, _CONDITION, "oracle"
            ),
        ),
        mistakes=(
            Mistake(
                sign_of_the_exchanges_forgotten,
                "The sign is wrong after an odd number of exchanges",
                "turn the sign with each exchange of rows",
            ),
            Mistake(
                rows_out_of_place_counted,
                "The sign is wrong where a single pair of rows was exchanged",
                "count exchanges: a cycle of k rows takes k - 1",
            ),
            Mistake(
                products_that_overflow,
                "It gives inf or 0 where pivots of 1e200 and 1e-200 balance",
                "add exponents apart from mantissas, or logarithms",
            ),
            Mistake(
                product_of_the_diagonal,
                "It is right only for triangular matrices",
                "multiply the pivots, which is the diagonal of U",
            ),
            Mistake(absolute_value, "Mirrors have a positive determinant", "keep the sign"),
        ),
    ),
    Checks(
        slogdet,
        probes=((_square,), (_cycle,), (-_cycle,), (np.diag([1e300, 1e300]),), (_singular,)),
        claims=(
            Claim("(0 1; 2 3) has -1 and log 2", lambda f: distance(f(_leading), (-1, math.log(2))), 1e-12, _CONDITION),
            Claim("a singular matrix has 0 and -inf", lambda f: distance(f(_singular), (0.0, -math.inf))),
            Claim(
                "a determinant of 1e600 has a logarithm",
                lambda f: distance(f(np.diag([1e300, 1e300])), (1, 600 * math.log(10))),
                1e-12,
                _CONDITION,
            ),
            Claim(
                "numpy.linalg.slogdet",
                lambda f: max(distance(f(a), np.linalg.slogdet(a)) for a in (_square, _cycle, -_cycle, _whole)),
                1e-12,
                _CONDITION,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                logarithm_of_the_determinant,
                "It gives inf for determinants beyond the largest float",
                "add the logarithms of the pivots",
            ),
            Mistake(
                signs_of_pivots_forgotten,
                "The sign is that of the exchanges only",
                "multiply by the signs of the pivots",
            ),
            Mistake(base_ten, "The logarithm is log 10 = 2.30 times too small", "take the natural logarithm"),
        ),
    ),
    Checks(
        inverse,
        probes=((_square,), (_cycle,), (_whole,)),
        claims=(
            Claim(
                "its product with the matrix is the identity, on both sides",
                lambda f: max(distance(f(_square) @ _square, np.eye(5)), distance(_square @ f(_square), np.eye(5))),
                1e-12,
                _CONDITION,
            ),
            Claim("a singular matrix is refused", lambda f: _refuses(f, _singular)),
            Claim(
                "numpy.linalg.inv",
                lambda f: max(distance(f(a), np.linalg.inv(a)) for a in (_square, _cycle, _whole)),
                1e-12,
                _CONDITION,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                entrywise_reciprocal, "The product with the matrix is not the identity", "solve for the columns of I"
            ),
            Mistake(inverse_transposed, "It is right only for symmetric matrices", "store solutions as columns"),
            Mistake(
                permutation_forgotten,
                "It is the inverse of LU, whose columns are in another order",
                "permute I as well",
            ),
        ),
    ),
    Checks(
        growth_factor,
        probes=((largest_growth_matrix(5),), (_square,), (_shrinking,), (-largest_growth_matrix(5) * 3,)),
        claims=(
            Claim(
                "the worst matrix of size n has 2ⁿ⁻¹",
                lambda f: max(distance(f(largest_growth_matrix(n)), 2.0 ** (n - 1)) for n in (2, 3, 7, 31)),
            ),
            Claim(
                "the size and the sign of the matrix do not matter",
                lambda f: max(distance(f(factor * _square), f(_square)) for factor in (-1.0, 3.0)),
                1e-12,
                _CONDITION,
            ),
            Claim(
                "the Schur complements of all leading blocks, by numpy.linalg.solve",
                lambda f: max(distance(f(a), _by_schur_complements(a)) for a in (_square, _shrinking, _tall)),
                1e-12,
                _CONDITION,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                final_entries_only,
                "Entries that grow on the way and shrink again are not seen",
                "look at what is left of the matrix in every step",
            ),
            Mistake(signed_entries, "A matrix and its negative grow differently", "take absolute values"),
            Mistake(not_divided, "Doubling a matrix doubles its growth", "divide by the largest entry of the matrix"),
        ),
    ),
)
