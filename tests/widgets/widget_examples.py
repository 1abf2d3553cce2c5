"""One widget of each kind, and how it is made again from the state that it left in a page."""

import numpy as np

from mlnotes.widgets.attention_map import AttentionMap
from mlnotes.widgets.circle_ellipse import CircleEllipse
from mlnotes.widgets.commuting_square import CommutingSquare
from mlnotes.widgets.descent import Descent
from mlnotes.widgets.difference_step import DifferenceStep
from mlnotes.widgets.distribution import Distribution
from mlnotes.widgets.eigen_plane import EigenPlane
from mlnotes.widgets.elimination import Elimination
from mlnotes.widgets.fit_landscape import FitLandscape
from mlnotes.widgets.latent_rank import LatentRank
from mlnotes.widgets.line_fit import LineFit
from mlnotes.widgets.matrix_product import MatrixProduct
from mlnotes.widgets.next_token import NextToken
from mlnotes.widgets.norm_ball import NormBall
from mlnotes.widgets.orthogonalization import Orthogonalization
from mlnotes.widgets.picture_rank import PictureRank
from mlnotes.widgets.relu_sum import ReluSum
from mlnotes.widgets.running_softmax import RunningSoftmax
from mlnotes.widgets.shared_heads import SharedHeads
from mlnotes.widgets.streaming_window import StreamingWindow
from mlnotes.widgets.turned_charges import TurnedCharges
from mlnotes.widgets.vector_plane import VectorPlane
from mlnotes.widgets.weight_grid import WeightGrid
from mlnotes.widgets.whitening_cloud import WhiteningCloud
from mlnotes.widgets.window_pattern import WindowPattern

_CLOUD = np.random.default_rng(7).normal(size=(12, 2)).round(3) @ [[1.5, 1.0], [0.0, 0.5]]
_WEIGHTS = np.random.default_rng(4).uniform(-1.5, 1.5, 24)
_NATS = {(4, "matrix", "absmax"): 13.5, (4, "block", "absmax"): 3.2, (3, "block", "minimum and maximum"): 4.5}
SENTENCE = "he was told to bar him from ever entering the bar again"


def vectors():
    """Twelve queries and keys of width 384 and of about the length that gives spread scores."""
    rng = np.random.default_rng(11)
    queries = rng.normal(size=(12, 384))
    return queries, 0.3 * queries + rng.normal(size=(12, 384))


def _some(state, names):
    return {name: state[name] for name in names.split()}


def _losses(state):
    rows = [dict(zip(state["choices"], row, strict=True)) for row in state["losses"]]
    return dict(zip(state["models"], rows, strict=True))


def _plane(state):
    return dict(zip(state["names"], (state["a"], state["b"], state["c"]), strict=True))




def _nats(state):
    keys = [key.split(", ") for key in state["nats"]]
    return {(int(b), scale, scheme): x for (b, scale, scheme), x in zip(keys, state["nats"].values(), strict=True)}




def _token_scores(text):
    return np.random.default_rng(len(text)).normal(size=200) * 3


def _names(ids):
    return [f" {i}" for i in ids]




def _networks():
    """Weights of an equivariant and a plain graph network of width 3, for charges in the plane."""
    rng = np.random.default_rng(5)

    def layer(seen, moves):
        ends = {"phi_e": (6 + seen + 1, 3), "phi_x": (3, moves), "phi_h": (6, 3)}
        shapes = {name: ((d_in, 3), (3,), (3, d_out), (d_out,)) for name, (d_in, d_out) in ends.items()}
        return {name: [(rng.normal(size=it) / 2).tolist() for it in four] for name, four in shapes.items()}

    return [layer(1, 1), layer(1, 1)], [layer(2, 2), layer(2, 2)]


# By name: what makes one, and what makes it again.
EXAMPLES = {
    "attention_map": (
        lambda: AttentionMap(SENTENCE.split(), *vectors(), caption="Who looks at whom?"),
        lambda it: AttentionMap(
            it["tokens"], it["q"], it["k"], **_some(it, "heads scale causal temperature row column caption")
        ),
    ),
    "circle_ellipse": (
        lambda: CircleEllipse([[2.0, 1.0], [0.5, -1.5]], 25.5),
        lambda it: CircleEllipse(np.reshape(it["entries"], (2, 2)), it["angle"]),
    ),
    "commuting_square": (
        lambda: CommutingSquare(np.outer(range(4), range(4)) * 1.5, "quarter turn", 3, "slope, wrapped around"),
        lambda it: CommutingSquare(
            np.reshape(it["pixels"], (4, 4)), **_some(it, "action times function order")
        ),
    ),
    "descent": (
        lambda: Descent("momentum", rate=1.5, beta=0.6, condition=20, start=(-0.9, 0.5), steps=30),
        lambda it: Descent(**_some(it, "method rate beta condition start steps")),
    ),
    "difference_step": (
        lambda: DifferenceStep("√x", 17),
        lambda it: DifferenceStep(it["function"], it["position"]),
    ),
    "distribution": (
        lambda: Distribution([2, 1, 0.5, -1], ["cat", "dog", "horse", "axolotl"]),
        lambda it: Distribution(it["logits"], it["labels"]),
    ),
    "eigen_plane": (
        lambda: EigenPlane([[2.0, 1.0], [0.5, -1.5]], 25, step=3),
        lambda it: EigenPlane(np.reshape(it["entries"], (2, 2)), **_some(it, "angle step")),
    ),
    "elimination": (
        lambda: Elimination(exponent=17, exchange=True, step=1),
        lambda it: Elimination(**_some(it, "matrix exponent exchange step")),
    ),
    "fit_landscape": (
        lambda: FitLandscape([1, 2, 3, 5, 7], [100, 150, 155, 190, 215], "Levenberg–Marquardt", (150, 2), step=2),
        lambda it: FitLandscape(it["t"], it["y"], **_some(it, "method start step reach")),
    ),
    "latent_rank": (
        lambda: LatentRank({"weights": {12: 2.5, 8: 3.1, 4: 5.2}, "keys": {12: 2.5, 8: 2.6, 4: 2.7}}, n_layers=3),
        lambda it: LatentRank(
            {way: dict(zip(it["ranks"], row, strict=True)) for way, row in zip(it["ways"], it["losses"], strict=True)},
            **_some(it, "n_layers itemsize rank tokens"),
        ),
    ),
    "line_fit": (
        lambda: LineFit([-6, -2, 1, 5], [-4, 1, 0.5, 6], point=2, strength=0.5),
        lambda it: LineFit(it["x"], it["y"], **_some(it, "point strength")),
    ),
    "matrix_product": (
        lambda: MatrixProduct([[1, 2, 0], [-1, 0.5, 3]], [[2, 1], [0, -1], [4, 0.5]], step=2),
        lambda it: MatrixProduct(it["a"], it["b"], **_some(it, "reading step")),
    ),
    "next_token": (
        lambda: NextToken(_token_scores, _names, ["one", "two\nlines"], text="two\nlines", top_k=20, top_p=0.9),
        lambda it: NextToken(_token_scores, _names, it["texts"], **_some(it, "text temperature top_k top_p")),
    ),
    "norm_ball": (
        lambda: NormBall(1.25, vector=(1.5, -2.0), line=(2.0, 3.0)),
        lambda it: NormBall(1 / it["inverse"], **_some(it, "vector line")),
    ),
    "orthogonalization": (
        lambda: Orthogonalization(8, method="modified Gram–Schmidt", step=2),
        lambda it: Orthogonalization(**_some(it, "exponent method step")),
    ),
    "picture_rank": (
        lambda: PictureRank(np.outer(range(7), range(11)) % 23 * 11, 2, view="what is left of the picture"),
        lambda it: PictureRank(np.reshape(it["pixels"], (-1, it["columns"])), **_some(it, "rank view")),
    ),
    "relu_sum": (
        lambda: ReluSum("sine", 8, unit=3, change=2.0, show_units=True),
        lambda it: ReluSum(**_some(it, "target pieces unit change show_units")),
    ),
    "running_softmax": (
        lambda: RunningSoftmax([0.5, 2, -1, 3, 0, 1, 2.5], [1, 2, 4, 8, 3, 0, 5], block_size=3, step=2),
        lambda it: RunningSoftmax(it["scores"], it["values"], **_some(it, "block_size step backwards")),
    ),
    "shared_heads": (
        lambda: SharedHeads(8, 6, {"averaged": {8: 2.5, 2: 3.1, 1: 3.2}, "trained": {8: 2.4, 2: 2.6, 1: 2.7}}),
        lambda it: SharedHeads(
            it["n_heads"], it["d_head"], _losses(it), **_some(it, "n_layers itemsize groups tokens")
        ),
    ),
    "streaming_window": (
        lambda: StreamingWindow(
            12, [2, 4], [0, 1], [[6.0, 3.5], [5.0, 3.0]], [[[0.4, 0.6], [0.5, 0.2, 0.3]], [[0.25] * 4, [0.2] * 5]], 2.5
        ),
        lambda it: StreamingWindow(
            **_some(it, "n_tokens windows kept losses weights full window sinks token caption")
        ),
    ),
    "turned_charges": (
        lambda: TurnedCharges([[-1.5, 0.5], [0.5, -0.25], [1.5, 1]], [1, -1, 1], *_networks(), 1.5, 0.5, angle=40.0),
        lambda it: TurnedCharges(**_some(it, "x charges egnn plain duration softening n_steps angle particle")),
    ),
    "vector_plane": (
        lambda: VectorPlane({"a": (3, 1), "b": (-1, 2), "c": (1, -2)}, show_half_plane=True),
        lambda it: VectorPlane(_plane(it), **_some(it, "limit show_half_plane")),
    ),
    "weight_grid": (
        lambda: WeightGrid(_WEIGHTS, (-2.0, 7.0), (-1.5, 2.5), _NATS, 2.9, block_size=8, scale="block"),
        lambda it: WeightGrid(
            it["weights"], *it["ranges"].values(), _nats(it), it["full"], **_some(it, "block_size bits scale scheme")
        ),
    ),
    "whitening_cloud": (
        lambda: WhiteningCloud(
            _CLOUD, ("length", "width"), [0, 1, 2] * 4, ("a", "b", "c"), kind="pca", eps=0.1, way=0.75, turn=30.0
        ),
        lambda it: WhiteningCloud(**_some(it, "x features groups group_names kind eps way turn")),
    ),
    "window_pattern": (
        lambda: WindowPattern(24, window=3, block=4, layers=5),
        lambda it: WindowPattern(it["n_tokens"], **_some(it, "window dilation block layers token")),
    ),
}
