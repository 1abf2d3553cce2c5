"""What E(n)-equivariant layers must satisfy, and how they are usually got wrong."""

import math

import numpy as np

from mlnotes.applications.egnn import egnn_layer, egnn_velocity_layer
from mlnotes.applications.mlp import mlp, silu
from mlnotes.blocks.equivariance import equivariance_error
from mlnotes.checks.bank import Checks, Claim, Mistake, call, distance, frozen, oracle
from mlnotes.diagnosis.trials import numbers
from mlnotes.groups import matrix_actions, permutation_actions, random_orthogonal

_rng = np.random.default_rng(23)
_h, _x, _v, _a, _mask = frozen(_rng.normal(size=(5, 2)), _rng.normal(size=(5, 3)), _rng.normal(size=(5, 3)),
    _rng.normal(size=(5, 5, 1)), _rng.random((5, 5)) < 0.6)
_TURN = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]) @ np.array([[1, 0, 0], [0, 0.6, -0.8], [0, 0.8, 0.6]])
# Four points in a plane that is parallel to no axis, so that no determinant is exactly 0; then three on a line.
*_planes, _on_a_line = frozen(np.array([[-0.6, 1.3, -1.3], [-2.5, 2.8, 0.4], [0.9, 0.5, -0.1], [0.39, 0.48, -2.44]]),
    np.array([[-1.1, -2.5, 1.8], [1.4, 1.9, -1.9], [-2.8, -0.4, -1.5], [-4.31, -1.53, -1.01]]),
    np.array([[0.0, 0, 0], [1, 2, 2], [2, 4, 4], [0, 3, 1]]))
_LAST_BITS = {"tolerance": 1e-12, "why": "sums of at most 11 numbers in float64: a few units of 1e-16"}


def gram_of_squares(squares):
    """Recover the dot products of points, seen from their mean, from the squares of their distances."""
    from_mean = np.eye(len(squares)) - 1 / len(squares)
    return -from_mean @ squares @ from_mean / 2


def _means_over_the_others(squares):
    n = len(squares)
    mean = squares.sum(0) / (n - 1)
    return -(squares - mean - mean[:, None] + squares.sum() / (n * (n - 1))) / 2


def signed_volume(x):
    """Measure a tetrahedron, and tell it from its mirror image by a sign."""
    return float(np.linalg.det(x[1:] - x[0]) / 6)


def _without_noise(version, x):
    """Say 0 of what rounding errors leave of a flat tetrahedron."""
    volume = version(x)
    return 0.0 if np.size(numbers(volume)) == 1 and np.all(np.abs(numbers(volume)) < 1e-13) else volume


def _squares(x):
    return ((x[:, None] - x) ** 2).sum(-1)


def _hull(x):
    from scipy.spatial import ConvexHull

    return ConvexHull(x).volume


def _centered_kernel(squares):
    from sklearn.preprocessing import KernelCenterer

    return KernelCenterer().fit_transform(-squares / 2)


def _phi(name, d_in, d_out):
    weights = frozen(*(_rng.normal(size=shape) / 2 for shape in ((d_in, 7), (7,), (7, d_out), (d_out,))))

    def phi(x):
        return mlp(x, weights[::2], weights[1::2], silu)

    phi.__name__, phi.weights = name, weights
    return phi


_phi_e, _phi_a = _phi("phi_e", 5, 4), _phi("phi_e", 6, 4)
_phi_x, _phi_h, _phi_v = _phi("phi_x", 4, 1), _phi("phi_h", 6, 3), _phi("phi_v", 2, 1)


def _shown(text):
    """Make a function of its text, which a report then shows."""
    function = eval(text)
    function.__name__ = text
    return function


# Three points that can be followed on paper: the message is h_i + 2 h_j + 3 r² and four times the edge's feature.
_simple = (_shown("lambda t: (t * np.arange(1, t.shape[-1] + 1)).sum(-1, keepdims=True)"), _shown("lambda m: m / 10"),
    _shown("lambda t: 2 * t"))
_keeps, _inverse = _shown("lambda h: h / 2"), _shown("lambda m: 1 / m[..., :1]")
_h3, _x3, _v3, _a3, _mask3 = frozen(
    np.array([[1.0], [2.0], [-1.0]]), np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]]),
    np.array([[1.0, 0.0], [0.0, -1.0], [2.0, 1.0]]),
    np.array([[[0.0], [1.0], [2.0]], [[3.0], [0.0], [5.0]], [[-1.0], [-2.0], [0.0]]]),
    np.array([[False, True, True], [True, True, False], [False, False, True]]),  # the last hears nobody
)


def _cases(moving):
    """Call a layer on a few points, with each option alone and with all."""

    def make(h, x, v, phis, keeps, **options):
        return call(h, x, v, *phis, keeps, **options) if moving else call(h, x, *phis, **options)

    small, large = (_h3, _x3, _v3, _simple, _keeps), (_h, _x, _v, (_phi_e, _phi_x, _phi_h), _phi_v)
    with_edges = (_h, _x, _v, (_phi_a, _phi_x, _phi_h), _phi_v)
    far = (_h3[:2], 2.0**27 + _x3[:2], _v3[:2], _simple, _keeps)  # squares of these coordinates lose the 1 of (1, 0)
    batch = (np.stack([_h, 2 * _h]), np.stack([_x, _x[::-1]]), np.stack([_v, -_v]), *large[3:])
    return (make(*(it[:2] for it in small[:3]), *small[3:]), make(*small).about("three points"),
        make(*small, mask=_mask3).about("a point that hears nobody"),
        make(*small, mask=np.zeros((3, 3), bool)).about("points that hear nobody"),
        make(small[0], small[1][[0, 1, 0]], *small[2:]).about("two points in one place"), make(*small,
        edge_features=_a3).about("features of edges"), make(*small, mask=_mask3,
        edge_features=_a3).about("a mask and features of edges"), make(*(it[:1] for it in small[:3]),
        *small[3:]).about("a single point"), make(*far).about("points far from the origin"),
        make(*large).about("five points in space"), make(*large, mask=_mask).about("a mask"),
        make(*with_edges, mask=_mask, edge_features=_a).about("a mask and features of edges"),
        make(*batch, mask=np.stack([_mask, _mask.T])).about("two clouds of points", edge=True))


def _move(turn):
    """Turn positions and what comes after them, move positions, and leave features alone."""
    return lambda state: (state[0], turn(state[1]) + np.array([3.0, -1.0, 2.0]), *map(turn, state[2:]))


def _rename(order):
    return lambda state: tuple(map(order, state))


_EUCLIDEAN = [_move(turn) for turn in matrix_actions(random_orthogonal(5, 3, _rng))]
_RENAMINGS = [_rename(order) for order in permutation_actions([_rng.permutation(5) for _ in range(5)])]


def _follows(state, *functions):
    """Claim that a layer follows what is done to its points."""

    def violation(f, actions):
        return equivariance_error(lambda it: f(*it, *functions), actions, actions, state)

    return (Claim("points turned, mirrored and moved", lambda f: violation(f, _EUCLIDEAN), **_LAST_BITS),
        Claim("points in another order", lambda f: violation(f, _RENAMINGS), **_LAST_BITS))


def _apart(found, expected):
    return max(distance(one, other) for one, other in zip(found, expected, strict=True))


def _joined(version, *arguments):
    return np.concatenate(version(*arguments), axis=-1)


def _looped(h, x, phi_e, phi_x, phi_h, mask=None, edge_features=None):
    """Follow equations 3 to 6 with loops over points, and with torch for what the functions compute."""
    new_h, new_x = [], []
    for i in range(len(h)):
        total, moved = np.zeros(4), np.zeros(3)
        heard = [j for j in range(len(h)) if j != i and (mask is None or mask[i, j])]
        for j in heard:
            edge = [] if edge_features is None else edge_features[i, j]
            m = _torch_mlp(phi_e, [*h[i], *h[j], math.dist(x[i], x[j]) ** 2, *edge])
            total = total + m
            moved = moved + (x[i] - x[j]) * _torch_mlp(phi_x, m)
        new_h.append(_torch_mlp(phi_h, [*h[i], *total]))
        new_x.append(x[i] + moved / max(1, len(heard)))
    return np.stack(new_h), np.stack(new_x)


def _looped_in_motion(h, x, v, phi_e, phi_x, phi_h, phi_v):
    new_h, moved = _looped(h, x, phi_e, phi_x, phi_h)
    new_v = np.stack([_torch_mlp(phi_v, h_i) * v_i for h_i, v_i in zip(h, v, strict=True)]) + moved - x
    return new_h, x + new_v, new_v


def _torch_mlp(phi, x):
    import torch

    w_1, b_1, w_2, b_2 = (torch.tensor(np.array(w)) for w in phi.weights)
    return (torch.nn.functional.silu(torch.tensor(np.array(x)) @ w_1 + b_1) @ w_2 + b_2).numpy()


_R2 = "xp.sum(difference**2, axis=-1, keepdims=True)"
_PRODUCTS = "(x * x).sum(-1)[..., :, None, None] + (x * x).sum(-1)[..., None, :, None] - 2 * (x @ x.mT)[..., None]"
_AVERAGED = " / or_one(n_heard)"
_N_HEARD = "xp.sum(xp.astype(heard, x.dtype), axis=-1)[..., None]"
_LAST = "(x.shape[-2] - 1 - np.argmax(heard[..., ::-1], axis=-1))[..., None, None]"
_LAST_LINE = ("xp.sum(difference * weights, axis=-2)",
    f"np.take_along_axis(difference * weights, np.broadcast_to({_LAST}, (*x.shape[:-1], 1, 1)), -2)[..., 0, :]")
_LAST_MESSAGE = ("m_i = array_namespace(m).sum(m, axis=-2)", f"heard = _pairs(x, mask)[0]; m_i = np.take_along_axis(m, "
    f"np.broadcast_to({_LAST}, (*x.shape[:-1], 1, 1)), -2)[..., 0, :]")
_ALL_LINES = (("xp.where(heard[..., None], difference, 0.0)", "difference"),
    ("xp.where(heard[..., None], weights, 0.0)", "weights"))
_ALL_MESSAGES, _MOVED = " messages(h, x, phi_e, None, edge_features),", "displacements(x, m, phi_x, mask)"
_HEARD_M = "xp.where(heard[..., None], m,"
_points, _moving = (_h, _x, _phi_e, _phi_x, _phi_h), (_h, _x, _v, _phi_e, _phi_x, _phi_h, _phi_v)



def _one_after_another(h, x, phi_e, phi_x, phi_h, mask=None, edge_features=None):
    x, sums = np.array(x, float), []
    for i in range(len(x)):
        others = [j for j in range(len(x)) if j != i and (mask is None or mask[i, j])]
        square = ((x[i] - x) ** 2).sum(-1, keepdims=True)
        known = [np.repeat(h[i : i + 1], len(x), axis=0), h, square]
        m = phi_e(np.concatenate([*known, *([] if edge_features is None else [edge_features[i]])], axis=-1))
        sums.append(m[others].sum(axis=0))
        x[i] += ((x[i] - x) * phi_x(m))[others].sum(axis=0) / max(1, len(others))
    return phi_h(np.concatenate([h, sums], axis=-1)), x


CHECKS = (
    Checks(egnn_layer,
        cases=(*_cases(moving=False), call(_h3, _x3, *_simple[:2], _shown("lambda t: 2 * t[..., :1] + t[..., 1:]"),
                mask=_mask3).about("a point that hears nobody, and features as many as before"),
            call(_h3, _x3, _shown("lambda t: 1 / t[..., 2:]"), *_simple[1:]).about(
                "messages that are infinite at distance 0", edge=True),
            call(_h3, _x3, _simple[0], _inverse, _simple[2]).about(
                "lines with an infinite weight where there is no message", edge=True)),
        claims=(
            *_follows((_h, _x), *_points[2:]),
            Claim("a hundred thousand units away nothing changes but rounding",
                lambda f: _apart([y - 1e5 * k for k, y in enumerate(f(_h, _x + 1e5, *_points[2:]))], f(*_points)),
                tolerance=1e-9, why="positions around 1e5 are rounded to 1e-11"),
            Claim("a single point, which hears nobody, stays",
                lambda f: distance(f(_h[:1], _x[:1], *_points[2:])[1], _x[:1])),
            oracle("loops over points, and over the edges of a graph with features, with torch's silu", _looped,
                call(*_points), call(_h, _x, _phi_a, *_points[3:], _mask, _a), run=_joined, **_LAST_BITS)),
        mistakes=(
            Mistake("own message heard under a mask", ("heard & beside(mask, x)", "beside(mask, x)"),
                "With a mask, a point hears itself where the mask's diagonal is True", "leave j = i out in any case"),
            Mistake("distance not squared", (_R2, f"xp.sqrt({_R2})"),
                "phi_e is handed lengths; their gradients are nan where two points coincide",
                "hand it the squares of the distances", "egnn-pytorch, issue 5 (2021)"),
            Mistake("same end twice", (_R2, f"0 * {_R2}"), "Features never notice where the points are",
                "subtract x_j from x_i, not x_i from itself", "ED2Mol, issue 5 (2025)"),
            *(Mistake("features of one end", ("[h[..., :, None, :], h[..., None, :, :],", f"[{end}, {end},"),
                "Messages know the features of one of their two points, twice",
                "hand phi_e those of the point that hears and of the one that is heard") for end in (
                "h[..., :, None, :]", "h[..., None, :, :]")),
            Mistake("squares multiplied out", (_R2, _PRODUCTS),
                "Far from the origin distances lose their digits, and some squares are negative",
                "subtract positions first, and square the differences"),
            Mistake("coordinates shown", (_R2, "difference[..., :1]"),
                "Turned points give other features and do not move in the turned direction",
                "show lengths to the functions, never coordinates"),
            Mistake("own message heard",
                (_HEARD_M, "xp.where(heard[..., None] | xp.eye(x.shape[-2], dtype=bool)[..., None], m,"),
                "A single point tells itself something", "leave j = i out of the sum of messages"),
            Mistake("messages not masked", ((_HEARD_M + " 0.0)", "m"), _ALL_LINES[0]),
                "A point's features come of what it does not hear, too, itself among it",
                "put 0 in place of messages that are not heard before they are summed"),
            Mistake("everything heard from itself", ("~xp.eye(x.shape[-2], dtype=xp.bool, device=device(x))",
                "xp.ones((x.shape[-2], x.shape[-2]), dtype=xp.bool)"), "A point hears itself, and is counted as heard",
                "leave j = i out of whom a point hears"),
            Mistake("messages of the sender", ("sum(m, axis=-2)", "sum(m, axis=-3)"),
                "A point's features come of what it says", "sum over j, what it hears: the last but one axis"),
            Mistake("messages averaged", ("sum(m, axis=-2)", "mean(m, axis=-2)"),
                "Messages weigh less the more there are", "sum the messages; only the lines are averaged"),
            Mistake("mask turned round", ("heard & beside(mask, x)", "heard & mask.mT"),
                "Who is heard and who hears are exchanged", "row i of the mask says whom i hears"),
            Mistake("direction reversed", ("xp.sum(difference * weights", "xp.sum(-difference * weights"),
                "Points approach where they should part", "multiply x_i - x_j, not x_j - x_i"),
            Mistake("lines not averaged", (_AVERAGED, ""),
                "Displacements grow with the number of points",
                "divide the sum of lines by how many are heard", "egnn-pytorch, issue 7 (2021)"),
            Mistake("averaged over all", (_N_HEARD, "xp.asarray(max(1.0, x.shape[-2] - 1.0))"),
                "Points that hear few hardly move", "divide by how many are heard, not by all others"),
            Mistake("averaged over all and itself", (_N_HEARD, "xp.asarray(float(x.shape[-2]))"),
                "Displacements are too small: each point is counted as its own neighbour",
                "divide by how many others are heard"),
            Mistake("one more than heard", (_AVERAGED, " / (n_heard + 1)"),
                "Displacements are too small: 1 is added to how many are heard",
                "divide by how many are heard, and by 1 where that is nobody"),
            Mistake("positions forgotten", ("x = x + displacements", "x = displacements"),
                "Points come out where they would go from the origin", "add the displacements to the positions"),
            *(Mistake("lines not masked", it, "Points move along lines to those whom they do not hear",
                "leave out what the mask hides") for it in (_ALL_LINES, (*_ALL_LINES, (_MOVED,
                _MOVED.replace(" m,", _ALL_MESSAGES))), (_MOVED, _MOVED.replace(", mask", "")), (_MOVED,
                _MOVED.replace(" m,", _ALL_MESSAGES).replace(", mask", "")))),
            Mistake("ends exchanged",
                ("h[..., :, None, :], h[..., None, :, :],", "h[..., None, :, :], h[..., :, None, :],"),
                "phi_e is handed h_j first, and h_i after it", "h_i comes first, what the hearing point knows"),
            Mistake("messages first", ("_side_by_side(h, m_i)", "_side_by_side(m_i, h)"),
                "phi_h is handed the messages first, and h_i after them", "h_i comes first, as in what phi_e is given"),
            Mistake("largest message", ("sum(m, axis=-2)", "max(m, axis=-2)"),
                "Of each entry of the messages only the largest is heard", "sum the messages"),
            *(Mistake("repeated indices lost", it,
                "Of all that one point hears only the last counts, since `total[i] += m` writes once to each index",
                "add up with np.add.at(total, i, m), or sum over an axis") for it in (
                _LAST_MESSAGE, _LAST_LINE, (_LAST_MESSAGE, _LAST_LINE))),
            *(Mistake("points moved too soon", it, "Messages are taken from points that have already moved",
                "keep the old positions until all messages are taken, and move all points at once") for it in (
                ("_i = array_namespace(m).sum(m,", "_i = array_namespace(m).sum(messages(h, x, phi_e, mask, "
                "edge_features),"), _one_after_another)),
            Mistake("old features lost", ("_side_by_side(h, m_i)", "m_i"), "phi_h is handed the messages alone",
                "hand it h_i and the sum of the messages, side by side"),
            Mistake("divided by nobody", (_AVERAGED, " / n_heard"),
                "A point that hears nobody gets nan for its position", "divide by 1 where nobody is heard"),
            Mistake("nobody heard at the origin", ("x = x + displacements(x, m, phi_x, mask)",
                "x = (x + displacements(x, m, phi_x, mask)) * _pairs(x, mask)[0].any(-1)[..., None]"),
                "A point that hears nobody is sent to the origin", "leave it where it is"),
            Mistake("features of the way back", ("else [edge_features]", "else [edge_features.swapaxes(-3, -2)]"),
                "phi_e is handed the features of the edge from i to j",
                "what is known of the edge from j to i stands in row i, column j"),
            Mistake("edge features before the square", ("*known, *([] if edge_features is None else [edge_features])",
                "*known[:2], *([] if edge_features is None else [edge_features]), known[2]"),
                "phi_e is handed the features of the edge before the square of the distance",
                "side by side stand h_i, h_j, the square, and the features of the edge last"),
            Mistake("one weight for all lines", ("xp.sum(difference * weights, axis=-2)", "phi_x(xp.sum(m, axis=-2)) "
                "* xp.sum(xp.where(heard[..., None], difference, 0.0), axis=-2)"),
                "All lines of a point have one weight, made of the sum of its messages",
                "make a weight of each message, and multiply its own line by it"))),
    Checks(egnn_velocity_layer,
        cases=(*_cases(moving=True), call(_h3, _x3, _v3, _simple[0], _inverse, _simple[2], _keeps).about(
            "lines with an infinite weight where there is no message", edge=True)),
        claims=(
            *_follows((_h, _x, _v), *_moving[3:]),
            Claim("at rest it is egnn_layer",
                lambda f: _apart(f(_h, _x, 0 * _v, *_moving[3:])[:2], egnn_layer(*_points)), **_LAST_BITS),
            oracle("loops over points, with torch's silu", _looped_in_motion, call(*_moving), run=_joined,
                **_LAST_BITS)),
        mistakes=(
            Mistake("velocity not weighted", ("kept * v", "v"), "Points never brake",
                "multiply the old velocity by phi_v of the features"),
            Mistake("old velocity used", (("v = kept * v", "u = kept * v"), ("x + v, v", "x + v, u")),
                "Positions ignore what was heard: a layer at rest does not move its points",
                "add the new velocity to the positions"),
            Mistake("moved twice", ("x + v, v", "x + v + displacements(x, m, phi_x, mask), v"),
                "Displacements count twice", "add the displacement to the velocity only"))),
    Checks(gram_of_squares,
        cases=(
            call(np.array([[0.0, 4.0], [4.0, 0.0]])).about("two points"), call(_squares(_x3)).about("three points"),
            call(_squares(_x)).about("five points in space"),
            call(1.0 - np.eye(5)).about("five points in four dimensions"),
            call(_squares(_v + 10)).about("points far from 0"), call(np.zeros((1, 1))).about("a single point")),
        claims=(
            Claim("for points around 0 it is X Xᵀ",
                lambda f: distance(f(_squares(_x)), (_x - _x.mean(0)) @ (_x - _x.mean(0)).T), **_LAST_BITS),
            oracle("scikit-learn's KernelCenterer", _centered_kernel, call(_squares(_x)), call(_squares(_v + 10)),
                **_LAST_BITS)),
        mistakes=(
            Mistake("means over the others", _means_over_the_others,
                "Each mean is divided by the number of the other points",
                "divide by n: the square from a point to itself, 0, counts as well"),
            Mistake("sign forgotten", ("-from_mean", "from_mean"), "The dot product of a point with itself is negative",
                "squares of distances contain -2 times the dot product: divide by -2"),
            Mistake("sums for means", ("1 / len(squares)", "1.0"), "It takes sums away, not means",
                "divide each sum by the number of points"),
            Mistake("origin in the first point", lambda squares: (squares[0][:, None] + squares[0] - squares) / 2,
                "The origin is the first point: all its dot products are 0",
                "take away the means of row and column, not the first of each, and add the mean of all"),
            Mistake("mean of all forgotten",
                lambda squares: (squares.mean(axis=1, keepdims=True) + squares.mean(axis=0) - squares) / 2,
                "The mean of all squares is taken away twice, with the rows and with the columns",
                "add it once: -(d² - mean of the row - mean of the column + mean of all) / 2"),
            Mistake("rows alone", ("@ from_mean /", "/"), "It is not symmetric",
                "take the mean away along both axes"),
            Mistake("distances for squares", ("@ squares", "@ np.sqrt(squares)"),
                "It is X Xᵀ only if every distance is 0 or 1", "use the squares as they come"))),
    Checks(signed_volume, run=_without_noise,
        cases=(
            call(np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])), call(np.array([[0.0, 0, 0], [0, 1, 0],
            [1, 0, 0], [0, 0, 1]])).about("its mirror image"), call(_x[:4]).about("any four points"),
            call(3 * np.eye(4, 3)), call(np.array([[0.0, 0, 0], [0, 1e-3, 0], [1e-3, 0, 0], [0, 0, 1e-3]])).about(
            "four points a thousandth apart"), call(_x[:4] + 100).about("points far from 0", tolerance=1e-9),
            call(np.array([[0.0, 0, 0], [1, 2, 0], [2, 1, 0], [5, -3, 0]])).about("four points in a plane",
            tolerance=1e-12),
            *(call(it).about("four points in a plane", tolerance=1e-12) for it in _planes),
            call(_on_a_line).about("three points on a line", tolerance=1e-12),
            call(np.arange(4.0)[:, None] * [1, 2, 2]).about("four points on a line", tolerance=1e-12),
            call(np.array([[0.0, 0, 0], [1, 1, 0], [2, 2, 5], [3, 3, 1]])).about("four points in a plane",
            tolerance=1e-12)),
        claims=(
            Claim("a mirror changes its sign", lambda f: abs(f(_x[:4] * [1, 1, -1]) + f(_x[:4])), **_LAST_BITS),
            Claim("turning and moving change nothing", lambda f: abs(f(_x[:4] @ _TURN.T + 2) - f(_x[:4])),
                **_LAST_BITS),
            oracle("its size is that of scipy's convex hull", lambda x: _hull(x), call(_x[:4]),
                call(_v[:4]), run=lambda version, x: abs(version(x)), **_LAST_BITS)),
        mistakes=(
            Mistake("three corners", ("x[1:] - x[0]", "x[:3]"),
                "It changes when the points are moved, and the last is not asked for",
                "take three edges that begin at the same corner"),
            Mistake("root of a determinant", lambda x: np.sqrt(np.linalg.det((x[1:] - x[0]) @ (x[1:] - x[0]).T)) / 6,
                "It is never negative, and for four points in a plane it is the root of a rounding error",
                "take the determinant of the edges themselves: its sign is what a mirror changes"),
            Mistake("root of a determinant, with a sign", lambda x: np.sign(np.linalg.det(x[1:] - x[0]))
                * np.sqrt(np.linalg.det((x[1:] - x[0]) @ (x[1:] - x[0]).T)) / 6,
                "For four points in a plane it is the root of a rounding error, or of a negative one",
                "take the determinant of the edges themselves, which has the sign already"),
            Mistake("no sign", ("np.linalg.det(x[1:] - x[0])", "abs(np.linalg.det(x[1:] - x[0]))"),
                "A body and its mirror image give the same", "keep the sign of the determinant"),
            Mistake("from the origin", ("x[1:] - x[0]", "x[1:]"), "It changes when the points are moved",
                "take three edges that begin at the same corner"),
            Mistake("a box", (" / 6", ""), "It is six times too large: a parallelepiped",
                "divide the determinant by 6"),
            Mistake("lengths multiplied", lambda x: float(np.linalg.norm(np.cross(x[1] - x[0], x[2] - x[0]))
                * np.linalg.norm(x[3] - x[0]) / 6), "It has no sign, and is right for an upright third edge only",
                "the third edge meets the cross product in a dot product"),
            Mistake("edges from the centre", lambda x: float(np.linalg.det((x - x.mean(axis=0))[1:]) / 6),
                "It is a quarter of the volume", "take the edges from one corner"))),
)
