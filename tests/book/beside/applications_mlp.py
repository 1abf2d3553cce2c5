"""Teach the sine to networks from 30 seeds, and tell odd from even digits on another split."""

import sys

import numpy as np
from cells import Page

SEEDS = 30
page = Page(__file__)
page.run_until("mlp-learn-tries", without=("mlp-learn1", "mlp-learn-tries", "cb4e5208"))
page.run("mlp-learn1", ("range(3)", "range(1)"))
page.run("mlp-learn-tries", ("range(3)", "range(0)"))
page.report("seeds", SEEDS)
for name, what in {"bends spread": "open to both sides", "spread, all to the right": "open to the right"}.items():
    errors = [abs(page["tries"][name](seed) - page["target"](page["fine"])).max() for seed in range(SEEDS)]
    page.report(f"largest error, units {what}", *errors)
    page.report(f"seeds of {SEEDS} with an error above 0.3, units {what}", sum(it > 0.3 for it in errors))

page.run("761f22b2", ("default_rng(0)", "default_rng(3)"))
for name in "92cfceb3", "0286dd55", "fb644351":
    page.run(name)
for name in "rate 0.01", "rate 0.1", "rate 0.1, leaky":
    missed = [page["wrong"](net, page["test"]) for net in page["tries"][name]]
    page.report(f"mean of mistakes on another split, {name}", np.mean(missed))
sys.exit(page.compare())
