"""Take other heads out of SmolLM2 than the chapter does, read other texts, and fill its caches with other passages."""

import re
import sys

import numpy as np
from cells import Page, other_texts

page = Page(__file__)
page.run_until("ablated")
model, states, twice, n = (page[name] for name in ("model", "states_twice", "twice", "n"))
order, without = page["order"], page["without"]

draws = [np.random.default_rng(seed).choice(order[40:], 5, replace=False) for seed in (1, *range(3, 10))]
page.report("nats of the second copy without five others", *(without(five, states, twice, n) for five in draws))

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
    for name in "ledger-window", "ledger-bits", "ledger-latent", "ledger-latent-run":
        page.run(name)
    full = page["ledger"]["grouped queries, g = 3"][3]
    for name, (*_, loss) in page["ledger"].items():
        more.setdefault(name, []).append((loss - full).mean())
for name, it in more.items():
    page.report(f"more nats, {name}", *it)
sys.exit(page.compare())
