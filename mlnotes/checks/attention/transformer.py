"""What the parts of a transformer must satisfy, and how they are usually got wrong."""

import math

import numpy as np

from mlnotes.applications.mlp import gelu
from mlnotes.attention.causal_mask import causal_mask
from mlnotes.attention.multi_head import multi_head_attention
from mlnotes.attention.transformer import (
    block_parameters,
    feed_forward,
    layer_norm,
    mean_pool,
    post_norm,
    pre_norm,
    rms_norm,
    swiglu,
)
from mlnotes.checks.bank import Checks, Claim, Mistake, call, distance, frozen, oracle

_rng = np.random.default_rng(17)
_x, _cube, _gain, _shift, _low, _far, _half = frozen(_rng.normal(size=(5, 7)) * 2 + 1, _rng.normal(size=(2, 5, 7)) * 2
    + 1, _rng.uniform(0.5, 2, 7), _rng.normal(size=7), _rng.normal(size=(3, 7)) * 0.01,
    (_rng.normal(size=(11, 64)) + 10_000).astype(np.float32), np.array([[1000.0, -3000.0, 1000.0, 1000.0]], np.float16))
# Small enough to be read in a report. In float32 the mean of the squares of the last, less the square of their mean, is
# exactly 0 in whatever order they are added.
_row, _small, _gain3, _shift3, _flat, _near, _billion = frozen(np.array([2.0, 4.0, 9.0]), np.array([[2.0, 4.0, 9.0],
    [1.0, 0.0, -1.0]]), np.array([2.0, 0.0, -1.0]), np.array([1.0, 10.0, 0.0]), np.array([[3.0, 3.0, 3.0],
    [0.0, 0.0, 0.0]]), np.array([8191, 8193, 8193, 8191, 8191, 8193, 8191, 8193], np.float32),
    np.array([1e9 - 1, 1e9, 1e9 + 4]))
_LAST_BITS = {"tolerance": 1e-12, "why": "sums of at most 11 numbers in float64: a few units of 1e-16"}
_EPS = {"tolerance": 1e-12, "why": "an eps of 1e-13 beside variances, or mean squares, above 0.8"}

# One block of a transformer: 5 tokens of width 6, 3 heads, a hidden layer of 11.
_tokens, _w_1, _w_2, _b, _b_1, *_w = frozen(
    _rng.normal(size=(5, 6)), _rng.normal(size=(6, 11)) / 2, _rng.normal(size=(11, 6)) / 2,
    _rng.normal(size=(8, 6)) / 3,  # four of attention, one of the hidden layer's way back, gain and shift less 1
    _rng.normal(size=11) / 3,
    *_rng.normal(size=(4, 6, 6)) / 2,
)
_hidden = _w_1, _b_1, _w_2, _b[4]
_hidden2 = frozen(np.array([[1.0, 0.0], [-1.0, 2.0], [0.0, 1.0]]), np.array([1.0, -9.0]),
    np.array([[1.0, 2.0, 0.0], [0.0, -1.0, 3.0]]), np.array([0.0, 5.0, -2.0]))  # fmt: skip
_gated = frozen(_w_1, np.flip(_w_1) + 0.25, _w_2)
_gated2 = frozen(np.array([[1.0, 0.0], [-1.0, 2.0], [0.0, 1.0]]), np.array([[2.0, 1.0], [0.0, -1.0], [1.0, 0.0]]),
    np.array([[1.0, 2.0, 0.0], [0.0, -1.0, 3.0]]))  # fmt: skip
_mask, _kept = frozen(causal_mask(5, 5), np.arange(5) < np.array([[5], [2]]))


def _torch_gated(x, *weights):
    import torch

    x, gate, up, down = map(torch.tensor, (x, *weights))
    return ((torch.nn.functional.silu(x @ gate) * (x @ up)) @ down).numpy()


def cosine_without_positions():
    """Say how alike two tokens of one word are after layers that know no positions: equal rows stay equal."""
    return 1.0


def _block(order, tokens=_tokens, mask=_mask):
    """Put a block together: attention, then the feed-forward network, each in the given order of Add & Norm."""

    def attend(x):
        return multi_head_attention(x, x, x, *_w, 3, mask, b_q=_b[0], b_k=_b[1], b_v=_b[2], b_o=_b[3])

    def norm(x):
        return layer_norm(x, 1 + _b[5], _b[6])

    return order(order(tokens, attend, norm), lambda x: feed_forward(x, *_hidden), norm)


def _torch_block(tokens=_tokens, mask=_mask, **options):
    """Ask torch's layer: its matrices are the transposes of ours, and its True hides."""
    import torch

    theirs = torch.nn.TransformerEncoderLayer(6, 3, 11, 0.0, batch_first=True, dtype=torch.float64, **options)
    projections = {"in_proj_weight": np.concatenate(_w[:3], axis=1).T, "in_proj_bias": np.concatenate(_b[:3])}
    arrays = {f"self_attn.{name}": it for name, it in projections.items()}
    arrays |= {"self_attn.out_proj.weight": _w[3].T, "self_attn.out_proj.bias": _b[3]}
    arrays |= {"linear1.weight": _w_1.T, "linear1.bias": _b_1, "linear2.weight": _w_2.T, "linear2.bias": _b[4]}
    arrays |= {f"norm{i}.weight": 1 + _b[5] for i in (1, 2)} | {f"norm{i}.bias": _b[6] for i in (1, 2)}
    theirs.load_state_dict({name: torch.tensor(array) for name, array in arrays.items()})
    with torch.no_grad():
        return theirs.train()(torch.tensor(tokens)[None], src_mask=~torch.tensor(mask))[0].numpy()


def _six_layers(layer):
    """Change two equal rows among others six times, and measure their cosine."""

    def cosine():
        rows = _tokens[[0, 1, 2, 1, 4]]
        for _ in range(6):
            rows = layer(rows, np.ones((5, 5), bool))
        return rows[1] @ rows[3] / np.linalg.norm(rows[1]) / np.linalg.norm(rows[3])

    return cosine


def _torch(name, eps):
    def reference(x, *parameters):
        import torch

        f = getattr(torch.nn.functional, name)
        return f(torch.tensor(x), (x.shape[-1],), *map(torch.tensor, parameters), eps=eps).numpy()

    return reference


def _torch_parameters(d_model, d_hidden):
    import torch

    return sum(it.numel() for it in torch.nn.TransformerEncoderLayer(d_model, 1, d_hidden).parameters())


def _torch_hidden(x, w_1, b_1, w_2, b_2, activation=None):
    import torch

    bend = torch.nn.functional.gelu if activation else torch.relu
    x, w_1, b_1, w_2, b_2 = map(torch.tensor, (x, w_1, b_1, w_2, b_2))
    return (bend(x @ w_1 + b_1) @ w_2 + b_2).numpy()


def _summed(x, gain, shift, eps=1e-5):
    """Normalize row by row with math.fsum."""
    out = np.empty(x.shape)
    for i, row in enumerate(x):
        mean = math.fsum(row) / len(row)
        variance = math.fsum((value - mean) ** 2 for value in row.tolist()) / len(row)
        out[i] = [g * (v - mean) / math.sqrt(variance + eps) + s for v, g, s in zip(row, gain, shift, strict=True)]
    return out


def _masked_mean(x, mask):
    return np.ma.array(x, mask=~np.broadcast_to(mask[..., None], x.shape)).mean(axis=-2).filled()


def _moments(f):
    y = f(_cube, None, None, 1e-13)
    return max(distance(y.mean(-1), np.zeros((2, 5))), distance(y.var(-1), np.ones((2, 5))))


def _unmoved(f):
    y, moved, doubled = (f(x, None, None, 1e-13) for x in (_x, _x + 64.0, _x * 2.0))
    return max(distance(moved, y), distance(doubled, y))


def _by_itself(f):
    return max(distance(f(_cube)[i, j], f(_cube[i, j])) for i, j in np.ndindex(2, 5))


def _flat_rows(f):
    return max(distance(f(_flat), 0 * _flat), distance(f(_flat, _gain3, _shift3), np.tile(_shift3, (2, 1))))


_EVERY_ROW = (call(_row), call(_small), call(_small, gain=_gain3).about("a gain"),
    call(_small, eps=1.0).about("a large eps"), call(_flat).about("rows of equal numbers, and of zeros"),
    call(_low).about("rows that are nearly flat"), call(_x), call(_cube, gain=_gain).about("three axes"))
_HALF_NORMAL = Claim("float16 numbers whose squares it cannot hold", lambda f: distance(f(_half), _half / np.sqrt(3e6))
    + (f(_half).dtype != np.float16), tolerance=2e-3, why="half precision has three digits")
_EACH_ROW = Claim("each row by itself", _by_itself, **_LAST_BITS)
_MEAN_SQUARE = "xp.mean(x * x, axis=-1, keepdims=True)"
_VARIANCE = "xp.mean(centered * centered, axis=-1, keepdims=True)"
_SAMPLE = (_VARIANCE, "xp.sum(centered * centered, axis=-1, keepdims=True) / (x.shape[-1] - 1)")
_MULTIPLIED = "out if gain is None else out * as_like(gain, x)"
_ADDED = "out if beta is None else out + as_like(beta, x)"
_MLP = "mlp(x, (w_1, w_2), (b_1, b_2), activation)"
_NETWORK = "(d_model * d_hidden + d_hidden) + (d_hidden * d_model + d_model)"
_COUNT = "xp.clip(n_counted, min=1.0)"
_ORDERS = (call(_small, np.square, layer_norm), call(_small, np.tanh, rms_norm), call(_x, np.sin, layer_norm),
    call(_cube, np.flip, layer_norm).about("a sublayer in which tokens meet"))


def _along(axis):
    """Edit all means of layer norm."""
    means = (f"xp.mean({it}, axis=-1" for it in ("x", "centered", "centered * centered"))
    return tuple((it, it.replace("-1", str(axis))) for it in means)


def _denominator(squares, near, at):
    """List the mistakes that both norms share, under a root of some mean of squares; say where it is small, or 0."""
    return (Mistake("eps outside the root", (f"xp.sqrt({squares} + as_like(eps, x))", f"(xp.sqrt({squares}) + eps)"),
        f"Rows come out a little off, and those that are nearly {near} too large", "add eps under the root"),
        Mistake("eps forgotten", (" + as_like(eps, x)", ""), f"A row of {at} gives nan", "add eps under the root"),
        Mistake("eps as a limit", (f"{squares} + as_like(eps, x)", f"xp.clip({squares}, min=eps)"),
            "eps is a lower limit instead of a summand", "add eps under the root, in every row"),
        Mistake("root forgotten", ("xp.sqrt(", "("), "Doubling a row halves the result", "divide by the root"))


CHECKS = (
    Checks(layer_norm,
        cases=(
            *_EVERY_ROW, call(_small, beta=_shift3).about("a shift"),
            call(_small, _gain3, _shift3).about("gain and shift"),
            call(np.array([[2.0, 2.0, 2.0]]), _gain3, _shift3).about("a row of equal numbers, gain and shift"),
            call(np.array([[1e-4, -1e-4, 3e-4]]), _gain3, _shift3).about("a row that is nearly flat, gain and shift"),
            call(_cube, _gain, _shift, 0.3).about("all options"), call(_near).about("float32 numbers near 8192"),
            call(_half).about("float16 numbers whose squares overflow"),
            call(_far).about("float32 numbers near 10,000, to five digits", edge=True, tolerance=1e-5),
            call(_billion).about("float64 numbers near a billion", edge=True, tolerance=1e-6)),
        claims=(
            Claim("rows have mean 0 and variance 1", _moments, **_EPS),
            _EACH_ROW,
            Claim("adding a number to a row, or doubling it, changes nothing", _unmoved, tolerance=1e-12,
                why="x + 64 is rounded to 1e-14, and an eps of 1e-13 stands beside variances above 1"),
            Claim("equal numbers become zeros, then the shift", _flat_rows, **_LAST_BITS),
            Claim("float32 numbers near 10,000, against float64",
                lambda f: distance(f(_far), layer_norm(_far.astype(float))), tolerance=1e-5,
                why="a few dozen roundings of single precision, 6e-8 each"),
            _HALF_NORMAL,
            oracle("loops with math.fsum", _summed, call(_x, _gain, _shift), **_LAST_BITS),
            oracle("torch.nn.functional.layer_norm", _torch("layer_norm", 1e-5), call(_cube), call(_low, _gain, _shift),
                **_LAST_BITS)),
        mistakes=(
            Mistake("variance from squares", (_VARIANCE, f"{_MEAN_SQUARE} - xp.mean(x, axis=-1, keepdims=True) ** 2"),
                "Float32 numbers near 10,000 give nan, or results many times too large or too small",
                "subtract the mean before squaring: the difference of two large squares has no digits left",
                "ONNX Runtime, issue 28463 (2026)"),
            Mistake("deviation of a sample",
                (_SAMPLE, ("xp.sqrt(variance + as_like(eps, x))", "(xp.sqrt(variance) + eps)")),
                "The variance of a row is (n - 1)/n, and too large where rows are nearly flat",
                "divide the squares by n, and add eps to the variance under the root",
                "BERT-pytorch, issue 30 (2018), after the Annotated Transformer"),
            Mistake("variance of a sample", _SAMPLE, "The variance of a row is (n - 1)/n instead of 1",
                "divide the squares by n; torch's var divides by n - 1 unless told otherwise"),
            *_denominator("variance", "flat", "equal numbers"),
            Mistake("columns normalized", _along(0),
                "A token's result depends on the other tokens: it is normalized over the wrong axis",
                "take mean and variance over the last axis"),
            Mistake("all tokens together", _along(None),
                "A token's result depends on the other tokens: all share one mean and one variance",
                "take mean and variance over the last axis, with keepdims=True"),
            Mistake("each sequence together", _along("tuple(range(1, x.ndim)) or None"),
                "A token's result depends on the other tokens: all of a sequence share one mean and one variance",
                "take mean and variance over the last axis, with keepdims=True"),
            Mistake("mean left in", (("centered * centered", "x * x"), ("out = centered", "out = x")),
                "Rows have a mean: this is RMS norm", "subtract the mean first"),
            Mistake("mean left in the variance", ("centered * centered", "x * x"),
                "The variance is taken of numbers that still have their mean",
                "square the coordinates less their mean"),
            Mistake("gain and shift forgotten", ((_MULTIPLIED, "out"), (_ADDED, "out")),
                "Gain and shift have no effect", "multiply by the gain, then add the shift"),
            Mistake("both or none", ((_MULTIPLIED, _MULTIPLIED.replace("is None", "is None or beta is None")),
                (_ADDED, _ADDED.replace("is None", "is None or gain is None"))),
                "A gain without a shift has no effect, nor has a shift without a gain",
                "ask for each by itself, with two ifs"),
            Mistake("shift only with a gain", (_ADDED, _ADDED.replace("is None", "is None or gain is None")),
                "A shift without a gain has no effect", "ask for each by itself, with two ifs"),
            Mistake("shift only without a gain", (_ADDED, _ADDED.replace("is None", "is None or gain is not None")),
                "Beside a gain, a shift has no effect", "ask for each by itself, with two ifs and no elif"),
            Mistake("shift stretched", ((_MULTIPLIED, _ADDED), (f"return {_ADDED}", f"return {_MULTIPLIED}")),
                "The shift is multiplied by the gain", "multiply first, then add"),
            Mistake("gain before the norm",
                ((_MULTIPLIED, "out"), ("centered = x -", "x = x if gain is None else x * gain\n    centered = x -")),
                "The gain is divided out again, in part", "multiply by the gain after dividing by the root"),
            Mistake("half precision", ("@widen_half\ndef layer_norm", "def layer_norm"),
                "The squares overflow in float16", "compute float16 in float32, all others as they come"),
            Mistake("eps divided by the features, too", ("variance + as_like(eps, x)",
                "variance + as_like(eps, x) / x.shape[-1]"), "eps counts less the more features there are",
                "divide the squares first, then add eps"))),
    Checks(rms_norm,
        cases=(
            *_EVERY_ROW, call(_x, _gain, 0.3).about("gain and eps"),
            call(_half).about("float16 numbers whose squares overflow", edge=True)),
        claims=(
            Claim("rows have a mean square of 1",
                lambda f: distance((f(_cube, None, 1e-13) ** 2).mean(-1), np.ones((2, 5))), **_EPS),
            _EACH_ROW,
            Claim("rows keep their direction", lambda f: distance(f(_x) * _x[:, :1], _x * f(_x)[:, :1]), **_LAST_BITS),
            Claim("a row of zeros stays zeros", lambda f: distance(f(np.zeros((2, 3))), np.zeros((2, 3)))),
            _HALF_NORMAL,
            oracle("torch.nn.functional.rms_norm", _torch("rms_norm", 1e-6), call(_cube), call(_low, _gain),
                **_LAST_BITS)),
        mistakes=(
            Mistake("mean subtracted", ("    out = x", "    x = x - xp.mean(x, axis=-1, keepdims=True)\n    out = x"),
                "Rows lose their mean: this is layer norm", "leave the mean in"),
            Mistake("divided by the length", (_MEAN_SQUARE, _MEAN_SQUARE.replace("mean", "sum")),
                "Rows have length 1, so their coordinates shrink as the width grows",
                "divide by the root of the mean of the squares, not of their sum"),
            Mistake("mean square of everything", (_MEAN_SQUARE, _MEAN_SQUARE.replace("-1", "None")),
                "A token's result depends on the other tokens",
                "take the mean square over the last axis, with keepdims=True"),
            *_denominator(_MEAN_SQUARE, "zero", "zeros"))),
    Checks(pre_norm,
        cases=_ORDERS,
        claims=(
            Claim("a sublayer that gives zeros leaves the tokens as they are",
                lambda f: distance(f(_tokens, np.zeros_like, layer_norm), _tokens)),
            Claim("what the sublayer gets is normalized",
                lambda f: distance(f(_tokens, np.copy, layer_norm) - _tokens, layer_norm(_tokens)), **_LAST_BITS),
            Claim("torch.nn.TransformerEncoderLayer(norm_first=True), causal, in two applications",
                lambda f: distance(_block(f), _torch_block(norm_first=True)), kind="oracle", **_LAST_BITS)),
        mistakes=(
            Mistake("normalized tokens kept", ("x + sublayer(norm(x))", "(y := norm(x)) + sublayer(y)"),
                "What came in is lost: the sum is with the normalized tokens",
                "give the norm a name of its own, and add to the tokens as they came", "PyTorch, issue 61165 (2021)"),
            Mistake("addition inside", ("x + sublayer(norm(x))", "sublayer(norm(x) + x)"),
                "There is no path around the sublayer", "add outside: x + sublayer(norm(x))",
                "a textbook's formula, pml-book, issue 709 (2026)"),
            Mistake("tokens not added", ("x + ", ""), "The tokens are gone", "add them: x + sublayer(norm(x))"),
            Mistake("normalized after", ("x + sublayer(norm(x))", "norm(x + sublayer(x))"),
                "The sum is normalized: this is post-norm", "normalize the input only"),
            Mistake("norm on the wrong path", ("x + sublayer(norm(x))", "norm(x) + sublayer(x)"),
                "The tokens are normalized where they should stay as they came, and not where it counts",
                "x + sublayer(norm(x))"),
            Mistake("not normalized", ("norm(x)", "x"), "What the sublayer gets is not normalized",
                "hand it norm(x)"))),
    Checks(post_norm,
        cases=_ORDERS,
        claims=(
            Claim("rows come out normalized",
                lambda f: distance(f(_tokens, np.tanh, lambda x: layer_norm(x, eps=1e-13)).var(-1), np.ones(5)),
                **_EPS),
            Claim("a sublayer that gives zeros leaves the norm of the tokens",
                lambda f: distance(f(_tokens, np.zeros_like, layer_norm), layer_norm(_tokens))),
            Claim("torch.nn.TransformerEncoderLayer, causal, in two applications",
                lambda f: distance(_block(f), _torch_block(norm_first=False)), kind="oracle", **_LAST_BITS)),
        mistakes=(
            Mistake("norm after the sublayer", ("norm(x + sublayer(x))", "x + norm(sublayer(x))"),
                "The sum is not normalized", "add first: norm(x + sublayer(x))"),
            Mistake("sublayer alone normalized", ("x + ", ""), "The tokens are gone",
                "add them: norm(x + sublayer(x))"),
            Mistake("normalized before", ("norm(x + sublayer(x))", "x + sublayer(norm(x))"),
                "The tokens are added as they came: this is pre-norm", "norm(x + sublayer(x))"))),
    Checks(feed_forward,
        cases=(
            call(_small, *_hidden2), call(_small, *_hidden2, activation=np.tanh).about("another activation"),
            call(_tokens, *_hidden), call(_tokens, *_hidden, gelu).about("another activation"),
            call(np.stack([_tokens, -_tokens]), *_hidden).about("two sequences")),
        claims=(
            Claim("each token by itself, in any order",
                lambda f: distance(f(_tokens[::-1], *_hidden), f(_tokens, *_hidden)[::-1]), **_LAST_BITS),
            Claim("with a hidden layer that never fires, the last bias",
                lambda f: distance(f(_tokens, _w_1 * 0, _b_1 * 0 - 1, _w_2, _b[4]), np.tile(_b[4], (5, 1)))),
            oracle("torch's linear maps with relu or gelu between them", _torch_hidden, call(_tokens, *_hidden),
                call(_tokens, *_hidden, gelu), **_LAST_BITS)),
        mistakes=(
            Mistake("activation forgotten", ("b_2), activation)", "b_2), lambda hidden: hidden)"),
                "Two linear maps are one", "bend the hidden layer: activation(x @ w_1 + b_1)"),
            Mistake("activation at the end too", (_MLP, f"activation({_MLP})"),
                "Results are bent, too: with relu none is negative",
                "bend the hidden layer only"),
            Mistake("activation before the bias", (_MLP, "(activation(x @ w_1) + b_1) @ w_2 + b_2"),
                "The bias cannot move the bend", "add it first: activation(x @ w_1 + b_1)"))),
    Checks(swiglu,
        cases=(
            call(_small, *_gated2), call(_tokens, *_gated),
            call(np.stack([_tokens, -_tokens]), *_gated).about("two sequences")),
        claims=(
            Claim("each token by itself, in any order",
                lambda f: distance(f(_tokens[::-1], *_gated), f(_tokens, *_gated)[::-1]), **_LAST_BITS),
            Claim("twice what is let through gives twice the result",
                lambda f: distance(f(_tokens, _gated[0], 2 * _gated[1], _gated[2]), 2 * f(_tokens, *_gated)),
                **_LAST_BITS),
            oracle("torch's silu between torch's linear maps", _torch_gated, call(_tokens, *_gated), **_LAST_BITS)),
        mistakes=(
            Mistake("gate left open", ("silu(x @ w_gate)", "(x @ w_gate)"),
                "The gate is not bent: twice the tokens give four times the result", "send the gate through silu"),
            Mistake("wrong half bent", ("silu(x @ w_gate) * (x @ w_up)", "(x @ w_gate) * silu(x @ w_up)"),
                "The gate and what it lets through are exchanged", "silu belongs to x @ w_gate"),
            Mistake("logistic gate", ("silu(x @ w_gate)", "1 / (1 + np.exp(-(x @ w_gate)))"),
                "The gate stays between 0 and 1: this is the GLU of 2017", "silu(z) is z times the logistic function"),
            Mistake("silu of the product", ("silu(x @ w_gate) * (x @ w_up)", "silu((x @ w_gate) * (x @ w_up))"),
                "What is let through is bent, too", "send the gate alone through silu"),
            Mistake("relu for the gate", ("silu(x @ w_gate)", "np.maximum(x @ w_gate, 0)"),
                "A gate below zero is shut", "silu lets a little through: z times the logistic function"),
            Mistake("nothing to let through", (" * (x @ w_up)", ""), "w_up makes no difference",
                "multiply by x @ w_up"),
            Mistake("added", (") * (", ") + ("), "A closed gate still lets something through", "multiply"))),
    Checks(mean_pool,
        cases=(
            call(_small), call(_small, mask=np.array([True, False])).about("padding"), call(_cube),
            call(_cube, mask=_kept).about("padding"),
            call(_cube, mask=np.stack([_kept[1], ~_kept[0]])).about("nothing but padding"),
            call(np.where(_kept[..., None], _cube, np.nan), mask=_kept).about("padding that is nan", edge=True)),
        claims=(
            Claim("tokens that are all alike come back",
                lambda f: distance(f(np.ones((2, 5, 7)), _kept), np.ones((2, 7))), **_LAST_BITS),
            Claim("padding cannot matter, not even as nan",
                lambda f: distance(f(np.where(_kept[..., None], _cube, np.nan), _kept), f(_cube, _kept))),
            Claim("nothing but padding gives zeros",
                lambda f: distance(f(_cube, np.zeros((2, 5), bool)), np.zeros((2, 7)))),
            oracle("numpy.ma's mean", _masked_mean, call(_cube, _kept), **_LAST_BITS)),
        mistakes=(
            Mistake("divided by all", (_COUNT, "x.shape[-2]"), "Padded sentences have short vectors",
                "divide by the number of tokens that count"),
            Mistake("divided by nothing", (_COUNT, "n_counted"), "Nothing but padding gives nan",
                "divide by 1 where no token counts"),
            Mistake("first token only", (("xp.mean(x, axis=-2)", "x[..., 0, :]"),
                (f"xp.sum(xp.where(counted, x, 0.0), axis=-2) / {_COUNT}", "x[..., 0, :]")),
                "The result is the first token", "average: this model was trained with means, others with [CLS]"))),
    Checks(block_parameters,
        cases=(call(3), call(1), call(384).about("MiniLM"), call(5, d_hidden=7).about("another hidden width")),
        claims=(
            Claim("12n² + 13n where the hidden layer is four times as wide",
                lambda f: float(max(abs(f(n) - 12 * n**2 - 13 * n) for n in (1, 7, 384)))),
            oracle("the numbers in torch.nn.TransformerEncoderLayer", _torch_parameters, call(5, 7), call(3, 12))),
        mistakes=(
            Mistake("biases forgotten",
                (("d_model * d_model + d_model", "d_model * d_model"), (_NETWORK, "2 * d_model * d_hidden")),
                "There are no biases", "each of the six matrices has one, as wide as what comes out"),
            Mistake("biases of the network forgotten", (_NETWORK, "2 * d_model * d_hidden"),
                "The two biases of the feed-forward network are missing", "add the hidden width and that of a token"),
            Mistake("both biases as wide as a token", (_NETWORK, "2 * (d_model * d_hidden + d_model)"),
                "Both biases of the feed-forward network are counted as wide as a token",
                "the hidden layer's is as wide as that layer"),
            Mistake("both biases as wide as the hidden layer", (_NETWORK, "2 * (d_model * d_hidden + d_hidden)"),
                "Both biases of the feed-forward network are counted as wide as its hidden layer",
                "the second is as wide as a token"),
            Mistake("hidden layer too narrow", ("4 * d_model if", "d_model if"),
                "The hidden layer is as wide as a token", "it is four times as wide unless given"),
            Mistake("norms forgotten", (" + norms", ""), "4n are missing: those of the two norms, or as many biases",
                "a norm has a gain and a shift, and each of attention's four matrices has a bias"),
            Mistake("half of the norms", ("2 * (d_model + d_model)", "d_model + d_model"),
                "2n are missing: one of two norms, or the shifts of both",
                "a block has two norms, and each of them a gain and a shift"),
            Mistake("three norms", ("2 * (d_model + d_model)", "3 * (d_model + d_model)"),
                "2n too many, as if there were a third norm",
                "a block has two norms, one for each of its halves"),
            Mistake("a gate counted", (_NETWORK, f"{_NETWORK} + d_model * d_hidden"),
                "nm too many: the hidden layer has a third matrix",
                "this block has no gate: its network is feed_forward, not swiglu"),
            Mistake("last projection forgotten", ("4 * (d_model", "3 * (d_model"), "Attention has three matrices",
                "a fourth brings the heads' results together"),
            Mistake("one bias for four matrices", ("4 * (d_model * d_model + d_model)", "4 * d_model**2 + d_model"),
                "Attention has a single bias", "each of its four matrices has one"),
            Mistake("second bias of the network forgotten", (_NETWORK, "2 * d_model * d_hidden + d_hidden"),
                "The feed-forward network has a bias in its hidden layer only", "its second matrix has one, too"),
            Mistake("first bias of the network forgotten", (_NETWORK, "2 * d_model * d_hidden + d_model"),
                "The feed-forward network's hidden layer has no bias", "its first matrix has one, too"))),
    Checks(cosine_without_positions,
        cases=(call().about("", tolerance=1e-6),),
        claims=(
            Claim("two equal rows in our block, six times",
                lambda f: abs(f() - _six_layers(lambda *it: _block(post_norm, *it))()), **_LAST_BITS),
            oracle("two equal rows in torch's layer, six times", _six_layers(_torch_block), call(), **_LAST_BITS)),
        mistakes=(
            Mistake("unrelated", ("1.0", "0.0"), "The two would point in unrelated directions",
                "equal rows ask equal questions of the same keys, and get equal answers"),
            *(Mistake(name, ("1.0", number), what, "without positions the two rows are equal in every layer")
                for name, number, what in (
                ("as with positions", "0.776", "That is what the model makes of them with their positions"),
                ("as they enter", "0.970", "That is how alike they are with their positions, before the layers"),
                ("halfway", "0.5", "Nothing pulls the two halfway apart"))))),
)
