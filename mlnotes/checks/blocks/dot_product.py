"""What the dot product and its relatives must satisfy, and how they are usually got wrong."""

import math

import numpy as np

from mlnotes.blocks.dot_product import angle, cosine_similarity, dot, project, projection_matrix
from mlnotes.checks.bank import Checks, Claim, Mistake, call, distance, frozen, oracle

_rng = np.random.default_rng(3)
_a, _b, _deep_a, _deep_b, _many = frozen(_rng.normal(size=(5, 3)), _rng.normal(size=(5, 3)),
    _rng.normal(size=(2, 5, 3)), _rng.normal(size=(2, 5, 3)), _rng.normal(size=(101, 3)))
_one_a, _one_b, _two_a, _two_b, _huge, _tiny, _turned, _extreme = frozen(np.array([3.0, 1.0]), np.array([1.0, 2.0]),
    np.array([[3.0, 1.0], [1.0, 2.0]]), np.array([[1.0, 2.0], [3.0, -4.0]]), np.array([[3e200, 4e200]]),
    np.array([[3e-200, 4e-200]]), np.array([[4.0, 3.0]]), np.array([[-3e200, 1.0], [3e-200, 4e-200]]))
# Vectors whose length overflows, with no coordinate above 0 but a small one, or is a few times the smallest float.
_FAR = frozen(np.array([[-1.5e308, -1.5e308, 1.0], [3e-322, 0.0, 1e-322]]), np.array([[1.5e308, -1e308, 0.0],
    [1e-322, 0.0, -2e-322]]))
# Whatever coordinate, or sum of them, a vector is divided by: here it is 0 for one of the vectors.
_zeros_a, _zeros_b = frozen(np.array([[0.0, 2.0, 1.0], [1.0, -1.0, 0.0]]),
    np.array([[1.0, -2.0, 1.0], [0.0, -3.0, 0.0]]))
_axis, _beside, _slanted = frozen(np.array([[1.0, 0.0]]), np.array([[1e200, -1e-200]]), np.array([[1.0, 2.0]]))
_ONE_ROW = "a table of one vector"
_LAST_BITS = {"tolerance": 1e-12, "why": "sums of 3 products in float64: a few units of 1e-16"}


def rank_of_rest(d):
    """Tell the rank of I − P in d dimensions, where P projects onto a line."""
    return d - 1


def _not_past_one(version, a, b):
    """Let a cosine that rounding carried past 1 count as nan, which is what arccos makes of it."""
    cosine = version(a, b)
    for side in (-1, 1):
        beyond = side * np.asarray(cosine) - 1
        if np.any((beyond > 0) & (beyond < 1e-9)):
            cosine = np.where(np.abs(beyond) < 1e-9, np.nan, cosine)
    return cosine


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


def _off_at_small_angles(version):
    """Compare angles between vectors that are turned by 1e-9, in random planes."""
    u, v = np.random.default_rng(5).normal(size=(2, 200, 7))
    u /= np.linalg.norm(u, axis=-1, keepdims=True)
    v -= (u * v).sum(-1, keepdims=True) * u
    v *= math.tan(1e-9) / np.linalg.norm(v, axis=-1, keepdims=True)
    return distance(version(u, u + v), np.full(200, 1e-9))


def _rank(d):
    return np.linalg.matrix_rank(np.eye(d) - projection_matrix(np.arange(1.0, d + 1)))


def _trace(p):
    return np.trace(p, axis1=-2, axis2=-1)


_FLAT = ("Near 0 and π digits are lost: the cosine is flat there. Use 2·arctan(|u − v| / |u + v|) of the unit vectors, "
    "whose difference keeps them.")
_SMALL_ANGLE = call(np.array([1.0, 0.0]), np.array([1.0, 1e-9])).about("an angle of 1e-9", tolerance=1e-9,
    absolute=0.0, hint=_FLAT)
_ANGLE = "2 * array_namespace(u, v).atan2(vector_norm(u - v), vector_norm(u + v))"
_PROJECTION = "(dot(a, b) / dot(a, a))[..., None] * a"

CHECKS = (
    Checks(dot,
        cases=(
            call(_one_a, _one_b), call(_two_a, _two_b), call(_a, _b), call(_a[:1], _b[:1]).about(_ONE_ROW),
            call(_deep_a, _deep_b).about("three axes"), call(_deep_a[:, None], _deep_b[:, None]).about("four axes"),
            call(_a, _b[0]).about("a table and one vector", edge=True),
            call(np.zeros((2, 0)), np.ones((2, 0))).about("vectors without coordinates", edge=True),
            call(np.array([300.0, 300.0, 1.0], np.float16),
                np.array([300.0, -300.0, 2.0], np.float16)).about("terms overflow and cancel", edge=True)),
        claims=(
            Claim("(3, 1) · (1, 2) = 5", lambda f: distance(f(_one_a, _one_b), 5.0)),
            Claim("the order of the vectors does not matter", lambda f: distance(f(_a, _b), f(_b, _a)), **_LAST_BITS),
            Claim("doubling one doubles the result", lambda f: distance(f(2 * _a, _b), 2 * f(_a, _b)), **_LAST_BITS),
            Claim("its square is at most the product of the squared lengths (Cauchy–Bunyakovsky–Schwarz)",
                lambda f: float(max(0.0, np.max(f(_a, _b) ** 2 - f(_a, _a) * f(_b, _b)))), **_LAST_BITS),
            oracle("math.fsum of the products, row by row",
                lambda a, b: [math.fsum(x * y) for x, y in zip(a, b, strict=True)], call(_a, _b), **_LAST_BITS),
            oracle("numpy.vecdot", np.vecdot, call(_a, _b), call(_deep_a, _deep_b), **_LAST_BITS)),
        mistakes=(
            *(Mistake("rows with all rows", it, "Tables of n vectors give n × n numbers",
                "multiply entry by entry and add up along the last axis") for it in (
                np.inner, lambda a, b: np.matmul(a, b.mT if b.ndim > 1 else b))),
            Mistake("products not added", lambda a, b: a * b, "It gives one number for each coordinate",
                "add them up: sum(axis=-1)"),
            Mistake("sums multiplied", lambda a, b: a.sum(axis=-1) * b.sum(axis=-1),
                "Every coordinate of one vector meets every one of the other",
                "multiply coordinate by coordinate first, then add up"),
            Mistake("batches mixed", lambda a, b: (a * b).sum(), "It gives one number for a whole table of vectors",
                "add along the last axis only"),
            Mistake("rows with columns", lambda a, b: a @ b, "Tables are multiplied as matrices",
                "take row by row: (a * b).sum(axis=-1)"))),
    Checks(cosine_similarity, run=_not_past_one,
        cases=(
            call(_two_a[:1], _two_b[:1]), call(_two_a, _two_b), call(-_two_a, np.array([[-1.0, 0.0],
            [-2.0, -3.0]])).about("no coordinate above 0"), call(_zeros_a,
            _zeros_b).about("coordinates of 0, or that add up to 0"), call(_huge, 1e200
            * _turned).about("coordinates around 1e200"), call(_huge, _turned).about("coordinates around 1e200"),
            call(_turned, 1e-200 * _two_a[:1]).about("coordinates around 1e-200"), call(_tiny, 1e-200
            * _turned).about("coordinates around 1e-200"), call(np.concatenate([_huge, _tiny]),
            _turned * [[1e200], [1e-200]]).about("lengths of 1e200 and 1e-200 in one table"), call(_a, _b),
            call(_many / 7, np.sign(_many[:, :1]) * _many
                / 3).about("parallel vectors; if one cosine is past 1 or -1, all near it count as nan, as for arccos"),
            *(call(*pair).about("a largest coordinate that is 0 or small") for it in (_axis, _beside)
                for pair in ((-it, _slanted), (_slanted, it[:, ::-1]))),
            call(_one_a, _one_b).about("one vector and one other, not in tables", edge=True),
            call(_deep_a, _deep_b).about("three axes", edge=True), call(_a, _b[0]).about("a table and one vector",
            edge=True), call(np.array([[300, 400]], np.float16), np.array([[4, 3]], np.float16)).about("float16",
            edge=True),
            call(1.5e308 * np.ones((1, 3)), np.array([[1.0, 2.0, 2.0]])).about("a length that overflows", edge=True)),
        claims=(
            Claim("the lengths of the vectors do not matter", lambda f: distance(f(64 * _a, _b / 8), f(_a, _b)),
                **_LAST_BITS),
            Claim("1 for the same direction, -1 for the opposite one",
                lambda f: distance(np.stack([f(_a, 3 * _a), f(_a, -_a)]), [[1.0] * 5, [-1.0] * 5]), **_LAST_BITS),
            Claim("never past 1", lambda f: float(np.max(np.abs(f(_many / 7, _many / 3))) > 1)),
            Claim("coordinates around 1e200 and 1e-200 are no different",
                lambda f: distance([f(_huge, _two_a), f(_tiny, _two_a)], [f(_huge / 1e200, _two_a)] * 2), **_LAST_BITS),
            oracle("scipy.spatial.distance.cosine", _scipy_cosine, call(_a, _b), **_LAST_BITS),
            oracle("torch.nn.functional.cosine_similarity", _torch_cosine, call(_a, _b), **_LAST_BITS)),
        mistakes=(
            Mistake("lengths forgotten", ("cosine = ", "return dot(a, b)\n    cosine = "),
                "It grows with the lengths of the vectors", "divide by both lengths"),
            Mistake("squared lengths", ("cosine = ", "return dot(a, b) / (dot(a, a) * dot(b, b))\n    cosine = "),
                "Doubling a vector halves the result", "take the square roots of a·a and b·b"),
            Mistake("length of one vector", ("cosine = ", "return dot(a, b) / dot(a, a) ** 0.5\n    cosine = "),
                "Doubling the second vector doubles the result", "divide by both lengths"),
            Mistake("coefficient in place of the cosine", ("cosine = ", "return dot(a, b) / dot(a, a)\n    cosine = "),
                "It is the t of the multiple t·a that is nearest to b", "divide by both lengths"),
            *(Mistake("small number added", ("dot(unit(a), unit(b))",
                f"dot(a, b) / (dot(a, a) ** 0.5 * dot(b, b) ** 0.5 + {small})"),
                "Short vectors get a cosine near 0",
                "scale each vector by its largest coordinate, and add nothing")
                for small in (1e-8, 1e-12, 1e-10, 1e-9, 1e-6)),
            Mistake("squares that overflow", ("dot(unit(a), unit(b))", "dot(a, b) / (dot(a, a) * dot(b, b)) ** 0.5"),
                "It gives nan or 0 for coordinates around 1e200, whose squares overflow",
                "scale each vector by its largest coordinate first", "PyTorch, issue 51912 (2021)"),
            Mistake("lengths that overflow",
                ("unit(a), unit(b)", "a / dot(a, a)[..., None] ** 0.5, b / dot(b, b)[..., None] ** 0.5"),
                "It gives 0 for coordinates around 1e200, whose squares overflow",
                "scale each vector by its largest coordinate first"),
            Mistake("scaled by the largest of all", ("dot(unit(a), unit(b))",
                "dot(u := a / abs(a).max(), v := b / abs(b).max()) / (dot(u, u) * dot(v, v)) ** 0.5"),
                "It gives nan for a vector of 1e-200 in a table with one of 1e200",
                "scale each vector by its own largest coordinate: abs(a).max(axis=-1, keepdims=True)"),
            Mistake("scaled by the largest coordinate with its sign", ("dot(unit(a), unit(b))",
                "dot(u := a / a.max(axis=-1, keepdims=True), v := b / b.max(axis=-1,"
                " keepdims=True)) / (dot(u, u) * dot(v, v)) ** 0.5"),
                "A vector without a positive coordinate is turned round, or divided by 0",
                "take the largest absolute coordinate: abs(a).max(axis=-1, keepdims=True)"),
            Mistake("absolute value of the largest", ("dot(unit(a), unit(b))",
                "dot(u := a / abs(a.max(axis=-1, keepdims=True)), v := b / abs(b.max(axis=-1,"
                " keepdims=True))) / (dot(u, u) * dot(v, v)) ** 0.5"),
                "A vector whose coordinates are 0 or below it is divided by its smallest one, or by 0",
                "take absolute values first, then the largest: abs(a).max(axis=-1, keepdims=True)"),
            Mistake("correlation", ("unit(a), unit(b)",
                "unit(a - a.mean(-1, keepdims=True)), unit(b - b.mean(-1, keepdims=True))"),
                "It is the correlation: adding a constant to all coordinates changes nothing",
                "leave the means in, which are part of a direction"),
            Mistake("past one", ("array_namespace(cosine).clip(cosine, -1.0, 1.0)", "cosine"),
                "It gives 1.0000000000000002 for some parallel vectors, whose arc cosine is nan", "clip to [-1, 1]",
                "facenet, issue 692 (2018); scikit-learn, issue 18122 (2020)"),
            Mistake("clipped above only", ("clip(cosine, -1.0, 1.0)", "clip(cosine, -np.inf, 1.0)"),
                "It gives -1.0000000000000002 for some opposite vectors, whose arc cosine is nan", "clip to [-1, 1]"),
            Mistake("second vector not scaled",
                ("dot(unit(a), unit(b))", "dot(u := unit(a), b) / (dot(u, u) * dot(b, b)) ** 0.5"),
                "It gives 0 where the second vector has coordinates around 1e200, whose squares overflow",
                "scale it by its largest coordinate, too"),
            Mistake("rows with all rows",
                ("dot(unit(a), unit(b))", "unit(a) @ unit(b).mT if a.ndim > 1 else unit(a) @ unit(b)"),
                "Every row of a meets every row of b", "row by row: multiply entry by entry, and add up"),
            Mistake("sums of coordinates",
                ("unit(a), unit(b)", "a / abs(a).sum(-1, keepdims=True), b / abs(b).sum(-1, keepdims=True)"),
                "It is too near to 0 unless both vectors lie on axes", "a length is the root of a sum of squares"),
            Mistake("one scale for both vectors", ("dot(unit(a), unit(b))",
                "dot(u := a / (top := np.maximum(abs(a).max(-1, keepdims=True), abs(b).max(-1, keepdims=True))),"
                " v := b / top) / (dot(u, u) * dot(v, v)) ** 0.5"),
                "Beside a vector of 1e200, the squares of a short one vanish",
                "scale each of the two by its own largest coordinate"),
            *(Mistake("nan taken for 0", ("dot(unit(a), unit(b))", f"np.nan_to_num(dot(a, b) / {lengths})"),
                "Coordinates around 1e200 and 1e-200 get a cosine of 0, or 1: nan is hidden, not mended",
                "scale each vector by its largest coordinate, and no square overflows or vanishes")
                for lengths in ("(dot(a, a) ** 0.5 * dot(b, b) ** 0.5)", "(dot(a, a) * dot(b, b)) ** 0.5")))),
    Checks(angle,
        cases=(
            call(_one_a, _one_b), call(_one_a, np.array([-1.0, 3.0])).about("a right angle"), call(_one_a, -2 * _one_b),
            call(np.array([2.0, 1.0, 2.0]), np.array([-4.0, -2.0, -4.0])).about("opposite vectors", tolerance=1e-7),
            call(np.array([2.0, 0.0]), np.array([-3.0, 0.0])).about("opposite vectors on an axis", tolerance=1e-15,
                absolute=0.0),
            _SMALL_ANGLE,
            call(np.array([1.0, 0.0]), np.array([-1.0, 1e-9])).about("an angle of pi - 1e-9", tolerance=1e-12,
                absolute=0.0, hint=_FLAT),
            call(np.array([2.0, 1.0, 2.0]), np.array([2.0, 1.0, 2.0 + 1e-8])).about("a small angle in space",
                tolerance=1e-6, hint=_FLAT),
            call(_two_a, _two_b).about("tables of vectors"), call(_a, _b).about("tables of vectors"),
            call(_zeros_a[1:], _zeros_b[1:]).about(f"{_ONE_ROW}, with coordinates of 0"),
            call(np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.0, 1.0, 0.0, 2.0])).about("four coordinates"),
            call(np.array([-1.0, -1.0]), np.array([-1.0, 1.0])).about("directions on both sides of the half-turn"),
            call(_deep_a, _deep_b).about("three axes"),
            call(_huge, 1e-200 * _turned).about("coordinates around 1e200 and 1e-200", edge=True),
            call(_a, _b[0]).about("a table and one vector", edge=True),
            call(*_FAR).about("coordinates near the largest and the smallest floats", edge=True)),
        claims=(
            Claim("a right angle is pi/2", lambda f: distance(f(_one_a, np.array([-1.0, 3.0])), np.pi / 2),
                **_LAST_BITS),
            Claim("the three angles of a triangle add up to pi",
                lambda f: distance(f(_a, _b) + f(-_a, _b - _a) + f(_b, _b - _a), np.full(5, np.pi)), **_LAST_BITS),
            Claim("an angle of 1e-9 along the axes keeps 9 digits",
                lambda f: abs(float(f(*_SMALL_ANGLE.arguments)) / 1e-9 - 1), 1e-9,
                "relative; the angle itself differs from its tangent by less than 1e-27"),
            Claim("200 random pairs that are 1e-9 apart are off by roundings of their coordinates",
                _off_at_small_angles, 1e-14, "absolute: the 7 coordinates of unit vectors are rounded by 1e-16"),
            oracle("the argument of a complex number (numpy.angle)", _complex_angle, call(_a[:, :2], _b[:, :2]),
                **_LAST_BITS)),
        mistakes=(
            Mistake("arc cosine", ("u, v = unit(a), unit(b)", "return np.arccos(cosine_similarity(a, b))"),
                "It gives 0 for vectors 1e-9 apart: the cosine rounds to 1",
                "use 2·arctan(|u − v| / |u + v|) of the unit vectors"),
            Mistake("sign of the cosine lost", ("u, v = unit(a), unit(b)",
                "return np.arccos(np.abs(cosine_similarity(a, b)))"),
                "It is the angle between two lines: opposite vectors get 0, and none get more than a right angle",
                "keep the sign of the cosine"),
            Mistake("arc sine", ("u, v = unit(a), unit(b)",
                "return 2 * np.arcsin(np.minimum(1, np.linalg.norm(unit(a) - unit(b), axis=-1) / 2))"),
                "Near a half turn it loses half of the digits, as the arc cosine does near 0",
                "divide by |u + v| and take the arc tangent"),
            Mistake("lengths left in", ("unit(a), unit(b)", "a, b"), "Doubling one of the vectors changes the angle",
                "divide both by their lengths first"),
            Mistake("difference and sum exchanged", (("(u - v)", "(v + u)"), ("(u + v)", "(u - v)")),
                "It is pi less the angle", "it is |u − v| over |u + v|: vectors alike differ by little"),
            Mistake("roots forgotten", (_ANGLE, _ANGLE.replace("),", ") ** 2,").replace("))", ") ** 2)")),
                "It is right for angles of 0, π/2 and π only", "|u − v| and |u + v| are lengths: take the roots "
                "of their sums of squares"),
            Mistake("chord for the arc", (_ANGLE, "vector_norm(u - v)"),
                "It is the length of the chord between the unit vectors, shorter than the arc",
                "divide by |u + v|, take the arc tangent, and double it"),
            Mistake("pi less the other angle", (_ANGLE, _ANGLE.replace("u - v", "v + u").replace("u + v", "u - v")
                .replace("2 *", "np.pi - 2 *")), "Small angles are a difference of two numbers near π, which cancels",
                "take |u − v| over |u + v|, which is the small number itself"),
            *(Mistake("small number below",
                (_ANGLE, f"2 * np.arctan(vector_norm(u - v) / (vector_norm(u + v) + {it}))"),
                "Opposite vectors do not get π: something was added to |u + v|",
                "add nothing: arctan2 takes |u − v| and |u + v| apart") for it in (1e-12, 1e-8, 1e-9, 1e-10, 1e-6)))),
    Checks(project,
        cases=(
            call(_one_b, _one_a),
            call(np.array([1.0, -2.0, 4.0]), np.array([0.0, 3.0, -3.0])).about("onto coordinates that add up to 0"),
            call(_two_b, _two_a).about("two vectors"), call(_b, _a).about("five vectors"),
            call(_zeros_a[1:], _zeros_b[1:]).about(f"{_ONE_ROW} onto one with coordinates of 0"),
            call(_one_b, 1e-9 * _one_a).about("onto coordinates around 1e-9"),
            call(_deep_b, _deep_a).about("three axes"),
            call(_two_b, _extreme).about("lines through coordinates around 1e200 and 1e-200", edge=True),
            call(_b, _a[0]).about("five vectors onto one line", edge=True),
            call(_b[0], _a).about("one vector onto five lines", edge=True)),
        claims=(
            Claim("(1, 2) onto (3, 1) is (1.5, 0.5)", lambda f: distance(f(_one_b, _one_a), [1.5, 0.5]), **_LAST_BITS),
            Claim("what is left is orthogonal to the line",
                lambda f: distance(((_b - f(_b, _a)) * _a).sum(-1), np.zeros(5)), **_LAST_BITS),
            Claim("projecting twice changes nothing", lambda f: distance(f(f(_b, _a), _a), f(_b, _a)), **_LAST_BITS),
            Claim("the length of the line's vector does not matter",
                lambda f: distance([f(_one_b, s * _one_a) for s in (-64, 3, 1e200, 1e-200)], [f(_one_b, _one_a)] * 4),
                **_LAST_BITS),
            oracle("the nearest multiple by numpy.linalg.lstsq", _nearest_multiple, call(_b, _a), **_LAST_BITS)),
        mistakes=(
            *(Mistake("small number added", (_PROJECTION,
                f"(dot(onto, b) / (dot(onto, onto) + {it}))[..., None] * onto"),
                "What is added to the denominator outweighs the square of a short vector",
                "divide by onto·onto as it is") for it in (1e-12, 1e-9, 2.0**-52)),
            Mistake("length assumed one", (_PROJECTION, "dot(onto, b)[..., None] * onto"),
                "Doubling the line's vector makes the result four times as long",
                "divide by onto·onto, unless onto has length one"),
            Mistake("divided by the length", (_PROJECTION, "(dot(onto, b) / dot(onto, onto) ** 0.5)[..., None] * onto"),
                "Doubling the line's vector doubles the result", "divide by onto·onto, not by its root"),
            Mistake("divided by the other length", (_PROJECTION, "(dot(onto, b) / dot(b, b))[..., None] * onto"),
                "Doubling the vector that is projected halves the result",
                "divide by onto·onto"),
            Mistake("cosine as coefficient",
                (_PROJECTION, "(dot(onto, b) / (dot(onto, onto) * dot(b, b)) ** 0.5)[..., None] * onto"),
                "Doubling b changes nothing", "divide by onto·onto alone: the length of b belongs to the coefficient"),
            Mistake("length kept", (_PROJECTION, "(dot(b, b) / dot(onto, onto))[..., None] ** 0.5 * onto"),
                "The result is as long as b, and never points backwards", "the coefficient is onto·b / onto·onto"),
            Mistake("coefficient only", (_PROJECTION, "dot(onto, b) / dot(onto, onto)"),
                "It gives a number instead of a vector", "multiply the coefficient by the vector"),
            Mistake("how far along the line", (_PROJECTION, "dot(onto, b) / dot(onto, onto) ** 0.5"),
                "It gives a number, the length with its sign", "multiply it by the line's vector of length one"),
            Mistake("multiple of the wrong vector", (_PROJECTION, "(dot(onto, b) / dot(onto, onto))[..., None] * b"),
                "The result points along b", "multiply the coefficient by the line's vector"),
            Mistake("what is left", (_PROJECTION, "b - (dot(a, b) / dot(a, a))[..., None] * a"),
                "The result is orthogonal to the line", "return the multiple, not what is left of b"),
            Mistake("one coefficient for all rows", (_PROJECTION, "(b * onto).sum() / (onto * onto).sum() * onto"),
                "In a table all vectors share one coefficient",
                "sum over the last axis only: each row has a coefficient of its own"),
            Mistake("axis lost", (_PROJECTION, "dot(onto, b) / dot(onto, onto) * onto"),
                "Coefficients line up with the columns, or with nothing",
                "bring back the axis that dot has summed away: [..., None]"),
            Mistake("cosine times the vector",
                (_PROJECTION, "(dot(onto, b) / (dot(onto, onto) * dot(b, b)) ** 0.5)[..., None] * b"),
                "The result points along b",
                "the coefficient is onto·b / onto·onto; multiply the line's vector by it"),
            Mistake("reflection", (_PROJECTION, f"2 * {_PROJECTION} - b"),
                "It is the mirror image of b, beyond the line", "stop half way, on the line"),
            Mistake("products not summed", (_PROJECTION, "a * b / (a * a) * a"), "It gives b back",
                "sum products and squares over the coordinates before dividing"))),
    Checks(projection_matrix,
        cases=(
            call(_one_a), call(np.array([0.0, -2.0, 1.0])).about("a coordinate of 0"),
            call(_two_b).about("two vectors"), call(_a).about("five vectors"),
            call(_zeros_a[1:]).about(f"{_ONE_ROW}, with a coordinate of 0"),
            call(_deep_a).about("three axes", edge=True),
            call(_extreme).about("coordinates around 1e200 and 1e-200", edge=True)),
        claims=(
            Claim("symmetric", lambda f: distance(f(_a), np.swapaxes(f(_a), -1, -2)), **_LAST_BITS),
            Claim("idempotent: P² = P", lambda f: distance(f(_a) @ f(_a), f(_a)), **_LAST_BITS),
            Claim("its trace, the sum of its eigenvalues, is its rank 1", lambda f: distance(_trace(f(_a)), np.ones(5)),
                **_LAST_BITS),
            Claim("the length of the line's vector does not matter",
                lambda f: distance([f(_huge[0]), f(_tiny[0])], [f(np.array([3.0, 4.0]))] * 2), **_LAST_BITS),
            oracle("the projection onto the first left singular vector (numpy.linalg.svd)", _svd_projection,
                *map(call, _a), **_LAST_BITS)),
        mistakes=(
            Mistake("inner product", lambda a: dot(a, a) / dot(a, a), "It gives the number 1",
                "column times row: a[:, None] * a[None, :]"),
            Mistake("length not divided out", lambda a: a[..., :, None] * a[..., None, :],
                "Applied twice it differs from applied once", "divide by a·a"),
            Mistake("divided by the length",
                lambda a: a[..., :, None] * a[..., None, :] / dot(a, a)[..., None, None] ** 0.5,
                "It grows with the length of a, and P² differs from P", "divide by a·a, not by its root"),
            Mistake("the other projection", lambda a: np.eye(a.shape[-1]) - projection_matrix(a),
                "It sends a itself to zero", "that is I − P: return P"),
            Mistake("one matrix for the whole table",
                lambda a: a.mT @ a / (a * a).sum() if a.ndim > 1 else projection_matrix(a),
                "A table of vectors gets a single matrix",
                "give each vector its own: a[..., :, None] * a[..., None, :]"),
            Mistake("a table taken for one vector", lambda a: np.outer(a, a) / (a * a).sum(),
                "Two vectors of 2 coordinates get a matrix of 4 rows", "np.outer flattens: use a[..., :, None]"),
            Mistake("length of the whole table", lambda a: a[..., :, None] * a[..., None, :] / (a * a).sum(),
                "The traces of a table's matrices add up to 1", "sum squares along the last axis only"))),
    Checks(rank_of_rest,
        cases=(call(2), call(1).about("where a line is all there is"), call(7), call(101)),
        claims=(
            Claim("what P and I − P keep makes up the whole space",
                lambda f: max(abs(f(d) + float(_trace(projection_matrix(np.ones(d)))) - d) for d in (1, 2, 7)),
                **_LAST_BITS),
            oracle("numpy.linalg.matrix_rank", _rank, call(1), call(2), call(7))),
        mistakes=(
            Mistake("rank in the example", ("d - 1", "6"), "It is right for the 7 coordinates of the example only",
                "find it for d coordinates"),
            Mistake("rank of P", ("d - 1", "1"), "That is the rank of P itself",
                "I − P leaves everything as it is that is orthogonal to a: count those dimensions"))),
)
