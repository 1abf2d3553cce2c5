"""Take other heads out of SmolLM2 than the chapter does, let it read and add other things, and fill its caches anew."""

import contextlib
import re
import sys

import numpy as np
from cells import Page, other_texts

from mlnotes.pretrained import smollm2

page = Page(__file__)
page.run_until("ablated")
model, states, twice, n = (page[name] for name in ("model", "states_twice", "twice", "n"))
order, without = page["order"], page["without"]

draws = [np.random.default_rng(seed).choice(page["beside"], 5, replace=False) for seed in range(6)]
layers = "nats of the second copy without five others of the same layers"
page.report(layers, *(without(five, states, twice, n) for five in draws))
page.report("nats of the second copy without head 3 of layer 1", without([9 + 3], states, twice, n))
page.hold("it is among the heads of low score", [True], [9 + 3 in order[40:]], within=0)


@contextlib.contextmanager
def taken_out(which):
    """Let heads add nothing meanwhile."""
    rows = [model.blocks[i // 9].attention.w_o[64 * (i % 9) :][:64] for i in which]
    kept = [it.clone() for it in rows]
    for it in rows:
        it.zero_()
    yield
    for it, weights in zip(rows, kept, strict=True):
        it.copy_(weights)


with taken_out(page["earlier"]):
    page.run("scores")
scores = page["kinds"]["induction"].ravel()[order[:5]]
page.report("induction scores of the five without the previous-token heads", *scores)

passage = smollm2.passage(50, start=196)
page.report("tokens of the passage", len(passage))
written_twice = np.concatenate([passage, passage])
nats = page["nats"](model(written_twice), written_twice)
page.report("nats of a passage", nats[:49].mean())
page.report("nats of the passage the second time", nats[50:].mean())
ordinary = smollm2.passage(192)
page.report("tokens of ordinary text", len(ordinary))
more = -page["nats"](model(ordinary), ordinary).mean()
with taken_out(order[:5]):
    without_five = page["nats"](model(written_twice), written_twice)[50:].mean()
    more += page["nats"](model(ordinary), ordinary).mean()
page.report("nats of the passage the second time without the five", without_five)
page.report("nats more on ordinary text without the five", more)

two_digits, below_10 = [], []
for first, second in ("12 + 34 = 46", "20 + 51 = 71"), ("17 + 25 = 42", "38 + 29 = 67"), ("2 + 3 = 5", "8 + 9 = 17"), (
    "3 + 2 = 5", "4 + 4 = 8"), ("31 + 26 = 57", "9 + 5 = 14"):  # fmt: skip
    page.run("sums", ("12 + 34 = 46", first), ("20 + 51 = 71", second))
    for seed in 1, 2, 3, 4:
        page.run("sums-right", ("default_rng(1)", f"default_rng({seed})"))
        two_digits.append(page["found"].sum())
    below_10.append(page["right"](page["sums"]["one digit each, below 10"]).mean())
page.hold("of 16 sums of two digits right, least and most", [1, 6], [min(two_digits), max(two_digits)], within=0)
page.hold("share right below 10 after 17 + 25 and 38 + 29", [1], [below_10[1]], within=0)

without_best = []
for seed in range(1, 10):
    half = np.random.default_rng(seed).integers(1000, 20000, n)
    other = np.concatenate([half, half])
    without_best.append(without(order[:5], model.states(other), other, n))
page.report("nats of the second copy of other tokens without the five", *without_best)

without_text = []
for name, other in other_texts(192).items():
    page.names["other"] = other
    printed = page.run("text", ("smollm2.passage(192)", "other"))
    without_text.append(float(re.search(r"without those before 129 (-?[\d.]+)", printed)[1]))
    print(name, without_text[-1], flush=True)
page.report("other texts", len(without_text))
page.report("nats more without the tokens before", *without_text)

page.run("text")
more = {}
for start in 500, 1200, 2300, 2800:
    page.run("ledger-one", ("start=196", f"start={start}"))
    for name in "ledger-heads", "ledger-window", "ledger-bits", "ledger-latent", "ledger-latent-run":
        page.run(name)
    full = page["ledger"]["grouped queries, g = 3"][3]
    for name, (*_, loss) in page["ledger"].items():
        more.setdefault(name, []).append((loss - full).mean())
for name, it in more.items():
    page.report(f"more nats, {name}", *it)
sys.exit(page.compare())
