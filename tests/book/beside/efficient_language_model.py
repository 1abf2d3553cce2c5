"""Take other heads out of SmolLM2 than the chapter does, read other texts, and fill its caches with other passages."""

import re
import sys

import numpy as np
from cells import Page, other_texts

page = Page(__file__)
page.run_until("ablated-more")
model, states, twice, n = (page[name] for name in ("model", "states_twice", "twice", "n"))
order, previous, without = page["order"], page["previous"], page["without"]

rows = [model.blocks[i // 9].attention.w_o[64 * (i % 9) :][:64] for i in previous]
kept = [w.clone() for w in rows]
for w in rows:
    w.zero_()
with page["recorded_heads"](model) as heads:
    model.states(twice)
for w, old in zip(rows, kept, strict=True):
    w.copy_(old)
weights, second = np.stack([it.weights() for it in heads.values()]), page["second"]
left = weights[:, :, second, second - n + 1].mean(-1).ravel()[order[:5]]
page.report("weight on the token to be copied, without five previous-token heads", *left)

draws = [np.random.default_rng(seed).choice(order[40:], 5, replace=False) for seed in (1, *range(3, 10))]
page.report("nats of the second copy without five others", *(without(five, states, twice, n) for five in draws))
costly = [five for five in draws if without(five, states, twice, n) > 5]
for cost, i in (max((without([i], states, twice, n), int(i)) for i in five) for five in costly):
    page.report(f"    without one alone, layer {i // 9}, head {i % 9}", cost)

lost, without_text, in_disorder = [], [], []
for name, other in other_texts(192).items():
    page.names["other"] = other
    printed = page.run("text", ("smollm2.passage(192)", "other"))
    for costs, what in (without_text, "those before 129"), (in_disorder, "their order"):
        costs.append(float(re.search(rf"without {what} (-?[\d.]+)", printed)[1]))
    right, halves, none = (float(it) for it in re.findall(r": ([\d.]+) nats", page.run("pairs")))
    lost.append((halves - right) / (none - right))
    print(name, without_text[-1], in_disorder[-1], lost[-1], flush=True)
page.report("other texts", len(lost))
page.report("nats more without the tokens before", *without_text)
page.report("nats more with these in disorder", *in_disorder)
page.report("texts that cost less in disorder than without", sum(np.less(in_disorder, without_text)))
page.report("share of what positions are worth that is lost, halves paired", *lost)

for name in "text", "ledger-run":
    page.run(name)
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
