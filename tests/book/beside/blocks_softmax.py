"""Halve the digits and draw them anew, for what one temperature gains, and fit less closely to other draws."""

import sys

from cells import Page

COUNTED = (
    ("for c in (0.1, 1, 10, 100):", "for c in ():"),
    ("for seed in range(3):", "for seed in ():"),
    (
        '    print(f"C = {c:<5} loss on what it has seen',
        '    return t, before - after\n    print(f"C = {c:<5} loss on what it has seen',
    ),
)

page = Page(__file__)
page.run_until("2e01e174")
page.run("c5e90b26", *COUNTED)
np, tried, logits, truth = (page[it] for it in ("np", "tried", "logits", "truth"))

gains = []
for seed in range(50):
    choose, judge = np.array_split(np.random.default_rng(seed).permutation(len(truth)), 2)
    t = page["ts"][page["losses_of"](logits[choose], truth[choose]).argmin()]
    before, after = (page["cross_entropy"](logits[judge] / it, truth[judge]) for it in (1, t))
    gains.append(before - after)
page.report("halvings of the unseen digits", len(gains))
page.report("mean gain in file order", np.mean(gains))
page.hold("halvings that gain", [50], [(np.array(gains) > 0).sum()], within=0)

gains, rising = [], 0
for seed in range(20):
    places = np.random.default_rng(seed).permutation(1797)
    t, gain = tried(100, places)
    gains.append(gain)
    if seed < 3:
        rising += list(np.sort(ts := [tried(c, places)[0] for c in (0.1, 1, 10)] + [t])) == ts
page.report("random draws", len(gains))
page.report("mean gain in random draws", np.mean(gains))
page.hold("draws in which the closer fit wants the higher temperature", [3], [rising], within=0)
sys.exit(page.compare())
