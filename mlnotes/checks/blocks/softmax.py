"""What softmax and its relatives must satisfy, and how they are usually got wrong."""

import numpy as np

from mlnotes.blocks.softmax import cross_entropy, entropy, log_softmax, logsumexp, softmax
from mlnotes.checks.bank import Checks, Claim, Mistake, call, distance, frozen, oracle

_rng = np.random.default_rng(7)
_square, _tall, _cube, _wide, _targets, _small = frozen(_rng.normal(size=(5, 5)) * 3, _rng.normal(size=(7, 3)) * 3,
    _rng.normal(size=(2, 5, 3)) * 3, np.array([[1000.0, 998.0, 0.0], [-1000.0, -1001.0, -1002.0]]),
    np.array([2, 0, 1, 1, 0, 2, 2]), np.array([[1.0, 2.0, 4.0], [3.0, 0.0, -1.0]]))
_LAST_BITS = {"tolerance": 1e-12, "why": "sums of at most 7 numbers in float64: a few units of 1e-16"}
_PLAIN_SUM = "xp.sum(xp.exp(logits), axis=-1, keepdims=True)"
_FIRST = "subtract the row's maximum before exp"
_SHIFTED = {"tolerance": 1e-12, "why": "x + 64 is rounded to 1e-14, and the result with it"}


def entropy_slope(x, beta):
    """Tell how fast the entropy of softmax(βx) changes with β."""
    p = softmax(beta * x)
    above = x - (p * x).sum(axis=-1, keepdims=True)
    return -beta * (p * above * above).sum(axis=-1)


def _scipy(name):
    def reference(x, axis=-1):
        import scipy.special

        return getattr(scipy.special, name)(x, axis=axis)

    return oracle(f"scipy.special.{name}", reference, call(_square), call(_cube, 1), call(_wide), **_LAST_BITS)


def _torch(name, *calls, **kwargs):
    def reference(x, *args):
        import torch

        f = getattr(torch.nn.functional, name, None) or getattr(torch, name)
        return f(torch.tensor(x), *map(torch.tensor, args), **kwargs).numpy()

    return oracle(f"torch's {name}", reference, *calls, **_LAST_BITS)


def _scipy_entropy(weights, axis):
    import scipy.stats

    return scipy.stats.entropy(weights, axis=axis)


def _slope_by_autograd(x, beta):
    import torch

    beta = torch.full(x.shape[:-1], beta, dtype=torch.float64, requires_grad=True)
    entropy(softmax(beta[..., None] * torch.tensor(x))).sum().backward()
    return beta.grad.numpy()


def _sums_to_one(f):
    return max(distance(np.sum(f(_cube, axis), axis), np.ones_like(_cube).mean(axis)) for axis in (0, 1, -1))


def _by_the_first_axis(x):
    return np.stack([softmax(part.ravel()).reshape(part.shape) for part in x])


def _between_maximum_and_log_n_more(f):
    above = f(_tall) - _tall.max(-1)
    return float(max(0, np.max(-above), np.max(above - np.log(3))))


_EVERYWHERE = (
    call(np.array([1.0, 2.0, 4.0])), call(_small), call(_small, axis=0).about("along the columns"),
    call(_small[:, :2]).about("as many rows as columns"), call(_tall), call(_cube, axis=1).about("three axes"),
    call(_cube).about("three axes"), call(_wide).about("scores of 1000 and of -1000"),
    call(np.array([[0.0, 800.0], [-900.0, -800.0], [1.0, 0.0]])).about("rows far below the largest score"),
    call(_small, axis=1), call(np.array([[1e5, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, -1e5]])).about("scores 100,000 apart"))
_inf = np.inf
_INFINITE = call(np.array([[_inf, 0, _inf], [-_inf, 0, 0], [-_inf, -_inf, -_inf]]))
_SHIFT = "x - xp.where(top == -math.inf, 0.0, top)"
_UNGUARDED = ("xp.where(total == 0, 1.0, total)", "total")
_VARIANCE = "-beta * (p * above * above).sum(axis=-1)"

CHECKS = (
    Checks(softmax,
        cases=(
            *_EVERYWHERE, call(np.array([1.0, 2.0, 4.0, -100.0])).about("a score far below the others", tolerance=1e-14,
            absolute=0.0), _INFINITE.about("rows with infinities; one of nothing but -inf has no weight to share",
            edge=True), call(np.array([1e4, -1e4, 1e4], np.float16)).about("float16", edge=True)),
        claims=(
            Claim("weights sum to one along the axis asked for", _sums_to_one, **_LAST_BITS),
            Claim("adding a constant to all scores changes nothing", lambda f: distance(f(_square + 64), f(_square)),
                **_SHIFTED),
            Claim("permuting the scores permutes the weights",
                lambda f: distance(f(_square[:, ::-1]), f(_square)[:, ::-1]), **_LAST_BITS),
            Claim("two scores give the logistic function of their difference",
                lambda f: distance(f(np.array([3.0, 1.0]))[0], 1 / (1 + np.exp(-2.0))), **_LAST_BITS),
            Claim("infinite scores share what there is; a row of -inf gives zeros",
                lambda f: distance(f(*_INFINITE.arguments), [[0.5, 0, 0.5], [0, 0.5, 0.5], [0, 0, 0]])),
            _scipy("softmax"),
            _torch("softmax", call(_square), call(_tall), call(_wide), dim=-1)),
        mistakes=(
            Mistake("exponential of large scores", ((_SHIFT, "x"), _UNGUARDED),
                "It gives nan for a score of 1000, because exp overflows", "subtract the row's maximum first",
                "nupic, pull request 3819 (2018)"),
            *(Mistake("maximum of everything", ((_SHIFT, "x - x.max()"), *guard),
                "Rows far below the largest score turn into nan, or into zeros where the sum is guarded",
                "subtract each row's own maximum: max(axis=axis, keepdims=True)") for guard in ((_UNGUARDED,), ())),
            Mistake("no axis kept", lambda x, axis=-1: (e := np.exp(x - x.max(axis=axis))) / e.sum(axis=axis),
                "Maxima and sums line up with the columns, or with nothing",
                "keep the axis that they are taken over: max(axis=axis, keepdims=True), and the same for the sum"),
            Mistake("maximum of everything, no axis kept",
                lambda x, axis=-1: (e := np.exp(x - x.max())) / e.sum(axis=axis),
                "Sums line up with the columns, and rows far below the largest score turn into nan",
                "take each row's own maximum and sum, with keepdims=True"),
            Mistake("each score for itself", lambda x, axis=-1: 1 / (1 + np.exp(-np.maximum(x, -700))),
                "It is the logistic function of each score, and weights do not sum to one",
                "divide exponentials by their sum: the scores compete"),
            Mistake("axes other than the first", lambda x, axis=-1: softmax(x.T).T if axis == 0 else softmax(x),
                "Every axis but the first is taken for the last", "hand the axis on to the maximum and to the sum"),
            *(Mistake("mean subtracted", ((_SHIFT, "x - x.mean(axis=axis, keepdims=True)"), *guard),
                "Scores far above the row's mean still overflow", "subtract the maximum: then no exponent is above 0")
                for guard in ((_UNGUARDED,), ())),
            *(Mistake("maximum with zero", ((_SHIFT, "x - np.maximum(0, top)"), *guard),
                "Rows of very negative scores turn into nan, or into zeros where the sum is guarded",
                "subtract the maximum also where it is negative", "NNlib.jl, pull request 43 (2018)")
                for guard in ((_UNGUARDED,), ())),
            Mistake("sum of everything", ("xp.sum(weights, axis=axis, keepdims=True)", "xp.sum(weights)"),
                "All weights together sum to one, instead of each row",
                "sum along the axis asked for, with keepdims=True", "nntrainer, pull request 430 (2020)"),
            Mistake("first axis", ("top = xp.max", "axis = 0\n    top = xp.max"),
                "Columns sum to one, instead of rows: it is normalized over axis 0, expected the last",
                "use the axis that was asked for, by default -1", "PyTorch-NLP, issue 2 (2018)"),
            Mistake("sum without its axis", ("xp.sum(weights, axis=axis, keepdims=True)", "xp.sum(weights, axis=axis)"),
                "Rows of a square table do not sum to one, and other tables raise an error",
                "sum with keepdims=True, or the sums line up with the columns"),
            Mistake("divided by the maximum", (_SHIFT, "x / top"),
                "Adding a constant to all scores changes the weights",
                "subtract the row's maximum, do not divide by it"),
            Mistake("scores clipped", (_SHIFT, "np.clip(x, -500, 500)"),
                "Scores beyond the bound are all alike, so their differences are lost",
                "subtract the row's maximum, and no score needs a bound"),
            Mistake("differences clipped", (_SHIFT, f"xp.clip({_SHIFT}, min=-25)"),
                "Scores far below the largest are all alike, so their weights are too large, if small",
                "leave the differences as they are: exp of a very negative number underflows to 0 and harms nothing"),
            Mistake("powers of two", (f"xp.exp({_SHIFT})", f"2 ** ({_SHIFT})"),
                "Rows are flatter than they should be: weights are powers of 2", "take powers of e"),
            Mistake("no exponential", (f"xp.exp({_SHIFT})", "x"), "Scores of both signs give negative weights",
                "exponentiate before dividing"),
            *(Mistake("loop over the first axis", it, "Only tables come out right: the numbers of a vector are "
                "each taken for a row",
                "leave the loop away: take the maximum and the sum along the axis asked for, with keepdims=True")
                for it in (lambda x, axis=-1: np.moveaxis(_by_the_first_axis(np.moveaxis(x, axis, -1)), -1, axis),
                lambda x, axis=-1: _by_the_first_axis(x))))),
    Checks(log_softmax,
        cases=(
            *_EVERYWHERE, _INFINITE.about("rows with infinities", edge=True), call(_INFINITE.arguments[0].T,
            axis=0).about("columns with infinities", edge=True)),
        claims=(
            Claim("its exponentials are softmax", lambda f: distance(np.exp(f(_cube, 1)), softmax(_cube, 1)),
                **_LAST_BITS),
            Claim("finite for scores 1000 apart", lambda f: distance(f(np.array([0.0, -1000.0])), [0.0, -1000.0]),
                **_LAST_BITS),
            _scipy("log_softmax"),
            _torch("log_softmax", call(_square), call(_wide), dim=-1)),
        mistakes=(
            Mistake("weights clipped before the logarithm",
                lambda x, axis=-1: np.log(np.clip(softmax(x, axis), 1e-15, 1)),
                "No logarithm is below that of the limit, about -34.5",
                "x - logsumexp: subtract, do not divide and take the logarithm"),
            Mistake("logarithm of softmax", lambda x, axis=-1: np.log(softmax(x, axis)),
                "It gives -inf for a score 1000 below the maximum, because the weight is 0",
                "subtract log-sum-exp instead of taking a logarithm of weights"),
            Mistake("small number in the logarithm", lambda x, axis=-1: np.log(softmax(x, axis) + 1e-12),
                "No logarithm is below that of the small number, about -27.6",
                "subtract log-sum-exp, and add nothing"),
            Mistake("maximum not subtracted", lambda x, axis=-1: x - np.log(np.exp(x).sum(axis=axis, keepdims=True)),
                "It gives -inf in rows with a score of 1000, because exp overflows", _FIRST),
            Mistake("no axis kept", lambda x, axis=-1: (s := x - x.max(axis=axis)) - np.log(np.exp(s).sum(axis=axis)),
                "Maxima and sums line up with the columns, or with nothing",
                "keep the axis that they are taken over: keepdims=True in both"),
            Mistake("logarithm of plain weights",
                lambda x, axis=-1: np.log(np.exp(x) / np.exp(x).sum(axis=axis, keepdims=True)),
                "It gives nan for a score of 1000, because exp overflows", _FIRST),
            Mistake("maximum only", lambda x, axis=-1: x - x.max(axis=axis, keepdims=True),
                "The largest score of each row becomes 0, as if it had all of the weight",
                "subtract log-sum-exp, which is more than the maximum"),
            Mistake("axis of logsumexp lost", lambda x, axis=-1: x - logsumexp(x, axis=axis),
                "What is subtracted has lost the axis that it was summed over: rows get others' sums, or do not fit",
                "put the axis back: [..., None] for the last one, np.expand_dims for any"),
            Mistake("axis not moved back", lambda x, axis=-1: np.moveaxis(log_softmax(x, axis), axis, -1),
                "The axis stands last in the result", "move it back: np.moveaxis(result, -1, axis)"))),
    Checks(logsumexp,
        cases=(*_EVERYWHERE, _INFINITE.about("rows with infinities", edge=True)),
        claims=(
            Claim("between the maximum and log n above it", _between_maximum_and_log_n_more, **_LAST_BITS),
            Claim("adding a constant to all scores adds it to the result",
                lambda f: distance(f(_square + 64), f(_square) + 64), **_SHIFTED),
            _scipy("logsumexp"),
            _torch("logsumexp", call(_square), call(_wide), dim=-1)),
        mistakes=(
            Mistake("logarithm of the sum", lambda x, axis=-1: np.log(np.exp(x).sum(axis=axis)),
                "It gives inf for a score of 1000, because exp overflows",
                "take the maximum out of the sum and add it back after the logarithm"),
            Mistake("maximum not added back", ("xp.max(x, axis=axis) + xp.log", "xp.log"),
                "It stays between 0 and log n whatever the scores are", "add the maximum back after the logarithm"))),
    Checks(cross_entropy,
        cases=(
            call(_small, np.array([2, 1])), call(_small[:1], np.array([0])), call(_tall, _targets),
            call(_tall[:_tall.shape[1]], _targets[:_tall.shape[1]]).about("as many rows as classes"),
            call(np.array([[0.0, 1.0, 0.0, 2.0, -1.0], [3.0, 0.0, 0.0, 0.0, 1.0]]),
                np.array([3, 4])).about("five classes"),
            call(_cube, np.array([[0, 1, 2, 2, 1], [2, 2, 0, 1, 0]])).about("targets with two axes"),
            call(np.array([[1000.0, 0.0]]), np.array([0])).about("a sure and right answer"),
            call(np.array([[1000.0, 0.0]]), np.array([1])).about("a sure and wrong answer"),
            call(_wide, np.array([2, 2])).about("scores of 1000")),
        claims=(
            Claim("equal scores cost log n", lambda f: distance(f(np.zeros((2, 5)), np.array([0, 3])), np.log(5)),
                **_LAST_BITS),
            Claim("a sure and right answer costs nothing",
                lambda f: distance(f(np.array([[1000.0, 0.0]]), np.array([0])), 0.0)),
            Claim("a sure and wrong answer costs the difference of the scores",
                lambda f: distance(f(np.array([[1000.0, 0.0]]), np.array([1])), 1000.0), **_LAST_BITS),
            _torch("cross_entropy", call(_tall, _targets), call(_wide, np.array([2, 2])))),
        mistakes=(
            Mistake("all targets from every row", lambda logits, targets: -np.mean(log_softmax(logits)[..., targets]),
                "Each row pays for the targets of all", "np.take_along_axis, or log_p[np.arange(n), targets]"),
            Mistake("softmax applied twice", ("log_softmax(logits)", "log_softmax(softmax(logits))"),
                "The loss of a sure and right answer does not reach zero", "hand over the scores, not their softmax",
                "lightning-bolts, issue 654 (2021)"),
            Mistake("divided by the rows", ("xp.mean(surprises)", "xp.sum(surprises) / len(targets)"),
                "Where targets have two axes, the sum is divided by the rows alone", "take the mean of all"),
            Mistake("each answer for itself", ("log_softmax(logits)", "log_softmax(logits) + np.log1p(-np.minimum("
                "softmax(logits), 1 - 1e-16)) @ (1 - np.eye(logits.shape[-1]))"),
                "It adds what the other answers cost, as if each were a yes or no of its own",
                "take the right answer's surprise alone"),
            Mistake("losses added", ("xp.mean(surprises)", "xp.sum(surprises)"),
                "The loss grows with the number of targets", "take the mean"),
            Mistake("mean forgotten", ("xp.mean(surprises)", "surprises[..., 0]"),
                "Every row has a loss of its own", "take the mean of all"),
            Mistake("bits", ("xp.mean(surprises)", "xp.mean(surprises) / np.log(2)"),
                "The loss is 1/log 2 = 1.44 times too large", "use the natural logarithm"),
            Mistake("logarithm of zero", ("log_softmax(logits)", "xp.log(softmax(logits))"),
                "It gives inf where the right answer's weight underflows to 0", "use log_softmax, not log of softmax"),
            Mistake("maximum not subtracted", ("log_softmax(logits)", f"logits - xp.log({_PLAIN_SUM})"),
                "It gives inf for scores of 1000, because exp overflows", _FIRST),
            Mistake("logarithm of plain weights", ("log_softmax(logits)", f"xp.log(xp.exp(logits) / {_PLAIN_SUM})"),
                "It gives nan for an answer with a score of 1000, because exp overflows", _FIRST),
            *(Mistake("guarded logarithm", ("log_softmax(logits)", f"xp.log(softmax(logits) + {small})"),
                "A sure and wrong answer costs no more than -log of the number added to the weights",
                "add nothing: log_softmax needs no such guard") for small in
                ("1e-8", "1e-9", "1e-10", "1e-12")),
            *(Mistake("clipped weights", ("log_softmax(logits)", f"xp.log(np.clip(softmax(logits), {small}, {top}))"),
                "A sure and wrong answer costs no more than -log of the smallest weight allowed",
                "use log_softmax, which needs no smallest weight") for small in
                ("1e-7", "1e-8", "1e-9", "1e-10", "1e-12", "1e-15", "1e-300") for top in ("1", f"1 - {small}")),
            Mistake("sign forgotten", ("0 - xp.take", "xp.take"),
                "The loss is negative and falls as the model gets worse", "negate the mean"),
            Mistake("chance of an error", ("xp.mean(surprises)", "xp.mean(1 - xp.exp(-surprises))"),
                "No answer costs more than 1", "take -log of the right answer's weight, not 1 less the weight"),
            Mistake("weighted by its own weight", ("xp.mean(surprises)", "xp.mean(xp.exp(-surprises) * surprises)"),
                "Each surprise is weighed by its chance, which is a term of the entropy", "take the plain mean"),
            Mistake("logarithm of the mean", ("xp.mean(surprises)", "-xp.log(xp.mean(xp.exp(-surprises)))"),
                "The weights are averaged first, and then the logarithm is taken", "take the mean of the logarithms"),
            Mistake("log-sum-exp forgotten", ("log_softmax(logits)", "logits"),
                "It is minus the right answer's score", "subtract that score from the log-sum-exp of its row"),
            Mistake("largest score for log-sum-exp", ("log_softmax(logits)",
                "logits - xp.max(logits, axis=-1, keepdims=True)"),
                "It costs nothing that the right answer is the best by little",
                "subtract its score from log-sum-exp, which is above the maximum"),
            Mistake("squared error", lambda logits, targets: np.mean(((softmax(logits)
                - np.eye(logits.shape[-1])[targets]) ** 2).sum(-1)), "It is the squared distance from the truth",
                "take -log of the right answer's weight"),
            Mistake("rate of errors", lambda logits, targets: np.mean(logits.argmax(-1) != targets),
                "It is the share of wrong answers", "take -log of the right answer's weight"))),
    Checks(entropy,
        cases=(
            call(np.array([0.5, 0.25, 0.25])), call(softmax(_small)),
            call(softmax(_small, axis=0), axis=0).about("along the columns"),
            call(softmax(_cube, 1), axis=1).about("three axes"),
            call(np.array([[1.0, 0.0, 0.0], [0.5, 0.0, 0.5]])).about("weights of 0"),
            call(np.array([1 - 1e-6, 1e-6])).about("a weight of 1e-6", tolerance=1e-6),
            call(np.array([1.0, 1e-30])).about("a weight of 1e-30", tolerance=1e-3, absolute=0)),
        claims=(
            Claim("n equal weights have log n", lambda f: distance(f(np.full(5, 0.2)), np.log(5)), **_LAST_BITS),
            Claim("one weight of one has 0", lambda f: distance(f(np.eye(3)), np.zeros(3))),
            oracle("scipy.stats.entropy", _scipy_entropy, call(softmax(_cube, 1), 1), **_LAST_BITS)),
        mistakes=(
            Mistake("zero times infinity", ("or_one(weights)", "weights"), "It gives nan as soon as one weight is 0",
                "count 0 · log 0 as 0"),
            Mistake("chance of two that differ", lambda weights, axis=-1: 1 - np.sum(weights**2, axis=axis),
                "It is what Gini measures: the chance that two draws differ", "average the surprise, -log of a weight"),
            *(Mistake("small weights left out", ("or_one(weights)", f"np.where(weights > {least}, weights, 1)"),
                "Weights that are small, but not 0, count as nothing", "leave out only what is exactly 0")
                for least in (1e-5, 1e-15)),
            Mistake("entropy in bits", ("xp.log(", "xp.log2("), "It is 1/log 2 = 1.44 times too large",
                "use the natural logarithm"),
            *(Mistake("small number added", ("xp.log(or_one(weights))", f"xp.log(weights + {it})"),
                "What is added inside of the logarithm outweighs small weights", "leave out only what is exactly 0")
                for it in ("1e-12", "1e-10", "1e-9", "1e-8", "1e-15", "2.0**-52", "1e-20")),
            *(Mistake("weights clipped", lambda weights, axis=-1, least=it: -((p := np.clip(weights, least, 1))
                * np.log(p)).sum(axis), "Weights of 0 count as the smallest that is let through",
                "leave out what is exactly 0, and change no other") for it in (1e-15, 2.0**-52, 1e-12, 1e-9)))),
    Checks(entropy_slope,
        cases=(
            call(np.array([2.0, 1.0, 0.0]), 1.0), call(np.array([2.0, 1.0, 0.0]), 2.0), call(np.array([0.0, 3.0]), 0.5),
            call(_small, 0.7).about("two rows"), call(_cube, 0.3).about("three axes"),
            call(np.array([5.0, 5.0, 5.0]), 1.5).about("equal scores"),
            call(np.array([[1000.0, 998.0, 0.0]]), 1.0).about("scores of 1000", tolerance=1e-8),
            call(np.array([[1e8, 1e8 + 1], [0.0, 1.0]]), 1.0).about("scores of 1e8 that differ by 1, above others",
                tolerance=1e-6),
            call(np.array([5e159, 0.0, -5e159]), 1.0).about("scores whose squares are no floats", edge=True)),
        claims=(
            Claim("equal scores keep it as it is", lambda f: distance(f(np.full(3, 2.0), 1.5), 0.0), **_LAST_BITS),
            Claim("adding a constant to all scores changes nothing",
                lambda f: distance(f(_small + 64, 0.7), f(_small, 0.7)), **_SHIFTED),
            oracle("torch's autograd", _slope_by_autograd, call(_small, 0.7), call(_cube, 0.3), **_LAST_BITS)),
        mistakes=(
            Mistake("factor forgotten", ("-beta * (p", "-(p"), "It is right for β = 1 only",
                "the chain rule gives the derivative of βx̄ a second term, βx̄′"),
            Mistake("weights at β = 1", ("softmax(beta * x)", "softmax(x)"), "It is right for β = 1 only",
                "the variance is that under softmax(βx)"),
            Mistake("variance without weights", (_VARIANCE, "-beta * x.var(axis=-1)"),
                "It does not vanish where one weight is nearly everything",
                "take mean and variance with the weights p"),
            *(Mistake("squares that cancel", (_VARIANCE, it),
                "Products with scores of 1e8 cancel, and with them all digits of their differences",
                "subtract the mean from both factors of the square") for it in
                ("-beta * ((p * x**2).sum(axis=-1) - (p * x).sum(axis=-1) ** 2)",
                "-beta * (p * x * above).sum(axis=-1)")),
            *(Mistake("nothing left", (_VARIANCE, it), "It is 0 for all scores",
                "square each distance from the mean before weighing it, or they cancel; and differentiate the weights, "
                "which depend on β, too") for it in ("0 * x.sum(axis=-1)", "-beta * (p * above).sum(axis=-1)")),
            Mistake("mean not subtracted", ("(p * above * above)", "(p * x * x)"),
                "Adding a constant to all scores changes it", "the variance is the mean of (x − x̄)²"),
            Mistake("mean not cancelled", (_VARIANCE,
                "-(p * x).sum(axis=-1) - beta * (p * above * above).sum(axis=-1)"),
                "Adding a constant to all scores changes it",
                "leave out the mean: the chain rule gives it twice, with opposite signs"),
            Mistake("variance of βx", (_VARIANCE, "-(p * (beta * above) ** 2).sum(axis=-1)"),
                "It is right for β = 1 only", "the variance of βx is β² that of x: one β less"),
            Mistake("slope by the temperature", ("-beta * (p", "beta**3 * (p"),
                "It is positive: entropy grows with T = 1/β, and shrinks with β", "differentiate by β, not by T"),
            Mistake("distances from the plain mean",
                (_VARIANCE, "-beta * (p * (x - x.mean(axis=-1, keepdims=True)) ** 2).sum(axis=-1)"),
                "It does not vanish where one weight is nearly everything", "weigh the mean with p, too"))),
)
