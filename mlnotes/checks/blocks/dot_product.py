"""What the dot product and its relatives must satisfy, and how they are usually got wrong."""

import math

import numpy as np

from mlnotes.blocks.dot_product import angle, cosine_similarity, dot, project, projection_matrix
from mlnotes.checks.oldbank import Checks, Claim, Mistake, distance, frozen

_rng = np.random.default_rng(3)
_a, _b, _one_a, _one_b, _one_34, _huge, _tiny = frozen(
    _rng.normal(size=(5, 3)),
    _rng.normal(size=(5, 3)),
    np.array([3.0, 1.0]),
    np.array([1.0, 2.0]),
    np.array([3.0, 4.0]),
    np.array([3e200, 4e200]),
    np.array([3e-200, 4e-200]),
)
_LAST_BITS = "sums of 3 products in float64: a few units of 1e-16"


def _torch_cosine(a, b):
    import torch

    return torch.nn.functional.cosine_similarity(torch.tensor(a), torch.tensor(b), dim=-1).numpy()


def _scipy_cosine(a, b):
    from scipy.spatial.distance import cosine

    return np.array([1 - cosine(x, y) for x, y in zip(a, b, strict=True)])


def _nearest_multiple(b, onto):
    """Let a least-squares solver find the multiple of ``onto`` that is nearest to ``b``."""
    return np.stack([a * np.linalg.lstsq(a[:, None], x, rcond=None)[0] for a, x in zip(onto, b, strict=True)])


def _svd_projection(a):
    """Project by the first left singular vector of the column a."""
    u = np.linalg.svd(a[:, None])[0][:, :1]
    return u @ u.T


def _complex_angle(a, b):
    return np.abs(np.angle((b[:, 0] + 1j * b[:, 1]) / (a[:, 0] + 1j * a[:, 1])))


def products_not_added(a, b):
    """Stop after multiplying the coordinates."""
    return a * b


def mean_of_products(a, b):
    """Average the products instead of adding them."""
    return (a * b).mean(axis=-1)


def batches_mixed(a, b):
    """Add over all axes."""
    return (a * b).sum()


def lengths_forgotten(a, b):
    """Leave the dot product as it is."""
    return dot(a, b)


def squared_lengths(a, b):
    """Divide by the squares of the lengths."""
    return dot(a, b) / (dot(a, a) * dot(b, b))


def length_of_one_vector(a, b):
    """Divide by the length of the first vector only."""
    return dot(a, b) / dot(a, a) ** 0.5


def squares_that_overflow(a, b):
    """Square the coordinates as they are."""
    return np.clip(dot(a, b) / (dot(a, a) * dot(b, b)) ** 0.5, -1, 1)


def past_one(a, b):
    """Leave the rounding error of parallel vectors in."""
    a = a / np.abs(a).max(axis=-1, keepdims=True)
    b = b / np.abs(b).max(axis=-1, keepdims=True)
    return dot(a, b) / (dot(a, a) ** 0.5 * dot(b, b) ** 0.5)


def arc_cosine(a, b):
    """Take the arc cosine of the cosine similarity."""
    return np.arccos(cosine_similarity(a, b))


def degrees(a, b):
    """Measure in degrees."""
    return np.degrees(angle(a, b))


def roles_exchanged(b, onto):
    """Project the second vector onto the first."""
    return project(onto, b)


def length_assumed_one(b, onto):
    """Trust that the vector projected onto has length one."""
    return dot(onto, b)[..., None] * onto


def divided_by_the_length(b, onto):
    """Divide by the length where its square is needed."""
    return (dot(onto, b) / dot(onto, onto) ** 0.5)[..., None] * onto


def coefficient_only(b, onto):
    """Return how many times the vector, but not the vector."""
    return dot(onto, b) / dot(onto, onto)


def what_is_left(b, onto):
    """Return the part orthogonal to the vector."""
    return b - project(b, onto)


def inner_product(a):
    """Multiply in the wrong order, which gives a number."""
    return dot(a, a) / dot(a, a)


def length_not_divided_out(a):
    """Multiply the column by the row, and leave it at that."""
    return a[..., :, None] * a[..., None, :]


OLD = (
    Checks(
        dot,
        probes=((_one_a, _one_b), (_a, _b)),
        claims=(
            Claim("(3, 1) · (1, 2) = 5", lambda f: distance(f(_one_a, _one_b), 5.0)),
            Claim("one number for each pair of rows", lambda f: distance(np.shape(f(_a, _b)), (5,))),
            Claim("the order of the vectors does not matter", lambda f: distance(f(_a, _b), f(_b, _a))),
            Claim("doubling one vector doubles the result", lambda f: distance(f(2 * _a, _b), 2 * f(_a, _b))),
            Claim(
                "its square is at most the product of the squared lengths (Cauchy–Bunyakovsky–Schwarz)",
                lambda f: float(max(0.0, np.max(f(_a, _b) ** 2 - f(_a, _a) * f(_b, _b)))),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "math.fsum of the products, row by row",
                lambda f: distance(f(_a, _b), [math.fsum(x * y) for x, y in zip(_a, _b, strict=True)]),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
            Claim("numpy.vecdot", lambda f: distance(f(_a, _b), np.vecdot(_a, _b)), 1e-12, _LAST_BITS, "oracle"),
        ),
        mistakes=(
            Mistake(products_not_added, "It gives one number for each coordinate", "add them up: sum(axis=-1)"),
            Mistake(mean_of_products, "It shrinks with the number of coordinates", "take the sum, not the mean"),
            Mistake(batches_mixed, "It gives one number for a whole table of vectors", "add along the last axis only"),
        ),
    ),
    Checks(
        cosine_similarity,
        probes=((_one_a, _one_b), (_a, _b), (_huge, _huge[::-1].copy()), (_a / 7, _a / 3)),
        claims=(
            Claim(
                "the lengths of the vectors do not matter",
                lambda f: distance(f(64 * _a, _b / 8), f(_a, _b)),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "1 for the same direction, -1 for the opposite one",
                lambda f: distance(np.stack([f(_a, 3 * _a), f(_a, -_a)]), [[1.0] * 5, [-1.0] * 5]),
                1e-12,
                _LAST_BITS,
            ),
            Claim("never past 1", lambda f: float(np.max(f(_a / 7, _a / 3)) - 1 > 0)),
            Claim(
                "coordinates around 1e200 and 1e-200 are no different",
                lambda f: distance(np.stack([f(_huge, _one_a), f(_tiny, _one_a)]), [f(_one_34, _one_a)] * 2),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "scipy.spatial.distance.cosine",
                lambda f: distance(f(_a, _b), _scipy_cosine(_a, _b)),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
            Claim(
                "torch.nn.functional.cosine_similarity",
                lambda f: distance(f(_a, _b), _torch_cosine(_a, _b)),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(lengths_forgotten, "It grows with the lengths of the vectors", "divide by both lengths"),
            Mistake(squared_lengths, "Doubling a vector halves the result", "take the square roots of a·a and b·b"),
            Mistake(length_of_one_vector, "Doubling the second vector doubles the result", "divide by both lengths"),
            Mistake(
                squares_that_overflow,
                "It gives nan for coordinates around 1e200, whose squares overflow",
                "scale each vector by its largest coordinate first",
                "PyTorch, issue 51912 (2021)",
            ),
            Mistake(
                past_one,
                "It gives 1.0000000000000002 for parallel vectors, whose arc cosine is nan",
                "clip to [-1, 1]",
                "facenet, issue 692 (2018); scikit-learn, issue 18122 (2020)",
                "never past 1",
            ),
        ),
    ),
    Checks(
        angle,
        probes=((_one_a, _one_b), (_a, _b), (_one_a, _one_a + 1e-9)),
        claims=(
            Claim(
                "a right angle is pi/2",
                lambda f: distance(f(_one_a, np.array([-1.0, 3.0])), np.pi / 2),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "the three angles of a triangle add up to pi",
                lambda f: distance(f(_a, _b) + f(-_a, _b - _a) + f(_b, _b - _a), np.full(5, np.pi)),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "an angle of 1e-9 keeps 9 digits",
                lambda f: abs(float(f(np.array([1.0, 0.0]), np.array([1.0, 1e-9]))) - 1e-9) / 1e-9,
                1e-9,
                "relative; the angle itself differs from its tangent by 1e-27",
            ),
            Claim(
                "the argument of a complex number (numpy.angle)",
                lambda f: distance(f(_a[:, :2], _b[:, :2]), _complex_angle(_a, _b)),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                arc_cosine,
                "It gives 0 for vectors 1e-9 apart: the cosine rounds to 1",
                "use 2·arctan(|u − v| / |u + v|) of the unit vectors",
            ),
            Mistake(degrees, "It is 57 times too large", "leave it in radians"),
        ),
    ),
    Checks(
        project,
        probes=((_one_b, _one_a), (_b, _a)),
        claims=(
            Claim(
                "(1, 2) onto (3, 1) is (1.5, 0.5)", lambda f: distance(f(_one_b, _one_a), [1.5, 0.5]), 1e-12, _LAST_BITS
            ),
            Claim(
                "what is left is orthogonal to the line",
                lambda f: distance(((_b - f(_b, _a)) * _a).sum(-1), np.zeros(5)),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "projecting twice changes nothing", lambda f: distance(f(f(_b, _a), _a), f(_b, _a)), 1e-12, _LAST_BITS
            ),
            Claim(
                "the length of the line's vector does not matter",
                lambda f: distance(f(_b, 64 * _a), f(_b, _a)),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "a line through coordinates around 1e200",
                lambda f: distance(f(_one_b, _huge), f(_one_b, _one_34)),
                1e-12,
                _LAST_BITS,
                edge=True,
            ),
            Claim(
                "the nearest multiple by numpy.linalg.lstsq",
                lambda f: distance(f(_b, _a), _nearest_multiple(_b, _a)),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                roles_exchanged,
                "The result is a multiple of the vector that was to be projected",
                "project(b, onto) lies on the line of `onto`",
            ),
            Mistake(
                length_assumed_one,
                "Doubling the line's vector makes the result four times as long",
                "divide by a·a, unless a has length one",
            ),
            Mistake(
                divided_by_the_length, "Doubling the line's vector doubles the result", "divide by a·a, not by its root"
            ),
            Mistake(
                coefficient_only, "It gives a number instead of a vector", "multiply the coefficient by the vector"
            ),
            Mistake(what_is_left, "The result is orthogonal to the line", "return the multiple, not what is left of b"),
        ),
    ),
    Checks(
        projection_matrix,
        probes=((_one_a,), (_a,)),
        claims=(
            Claim("symmetric", lambda f: distance(f(_a), np.swapaxes(f(_a), -1, -2))),
            Claim("idempotent: P² = P", lambda f: distance(f(_a) @ f(_a), f(_a)), 1e-12, _LAST_BITS),
            Claim(
                "its trace, the sum of its eigenvalues, is its rank 1",
                lambda f: distance(np.trace(f(_a), axis1=-2, axis2=-1), np.ones(5)),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "the projection onto the first left singular vector (numpy.linalg.svd)",
                lambda f: distance(f(_a[0]), _svd_projection(_a[0])),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(inner_product, "It gives the number 1", "column times row: a[:, None] * a[None, :]"),
            Mistake(length_not_divided_out, "Applied twice it differs from applied once", "divide by a·a"),
        ),
    ),
)
