"""Take other heads out of SmolLM2 than the chapter does, and fill the caches of its ledger with other passages."""

import sys

import numpy as np
from cells import Page

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
