"""Teach the sine to networks from 30 seeds, and tell odd from even digits on other splits."""

import sys

import numpy as np
from cells import Page

SEEDS, LONG, RATE = 30, 5000, 0.03
page = Page(__file__)
page.run_until("mlp-learn-tries", without=("mlp-learn1", "mlp-learn-tries", "cb4e5208"))
page.run("mlp-learn1", ("range(3)", "range(1)"))
page.run("mlp-learn-tries", ("range(3)", "range(0)"))
page.report("seeds", SEEDS)


def error(y):
    """Measure how far a learned curve is off at most."""
    return abs(y - page["target"](page["fine"])).max()


errors = [error(page["tries"]["bends spread"](seed)) for seed in range(SEEDS)]
page.report(f"seeds of {SEEDS} with an error above 0.3, bends spread", sum(it > 0.3 for it in errors))
page.report("steps of the long training", LONG)
page.report(
    "largest error of the long training", *(error(page["learn"](page["start"](seed), LONG)) for seed in range(3))
)
page.report("the larger rate", RATE)
page.run("63266754", ("lr=0.01", f"lr={RATE}"))
page.report("largest error at the larger rate", *(error(page["learn"](page["start"](seed))) for seed in range(3)))

for name in "761f22b2", "92cfceb3", "0286dd55", "fb644351":
    page.run(name)
fit, wrong, relu, leaky = (page[name] for name in ("fit", "wrong", "relu", "leaky"))


def mean_wrong(activation, rate):
    """Average the mistakes of five seeds on the split that the page's names hold."""
    return np.mean([wrong(fit([64, 64, 2], activation, rate, seed=seed), page["test"]) for seed in range(5)])


page.report("mean of mistakes at rate 0.01, leaky", mean_wrong(leaky, 0.01))
page.report("mistakes of death at rate 0.1", mean_wrong(relu, 0.1) - mean_wrong(leaky, 0.1))
for split in range(1, 6):
    page.run("761f22b2", ("default_rng(0)", f"default_rng({split})"))
    slow, fast = mean_wrong(leaky, 0.01), mean_wrong(leaky, 0.1)
    page.report("mistakes of the rate on another split, leaky", fast - slow)
sys.exit(page.compare())
