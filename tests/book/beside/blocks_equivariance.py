"""Train the networks of the chapter at other rates, on upright digits for longer, and on other splits of the digits."""

import sys

import torch
from cells import Page

NOT_TRAINED = ("learned(**how) for", "None for")

page = Page(__file__)
page.run_until("arms", without=("arms",))
page.run("arms", NOT_TRAINED)
kinds = {"plain": {}, "averaged": {"actions": page["turns"]}, "turned data": page["ways"]["turned data"]}
shares = {name: [] for name in kinds}
for rate in 0.01, 0.03, 0.1:
    page.run("network", ("lr=0.03", f"lr={rate}"))
    for name, how in kinds.items():
        judged = ("upright", "answers") if name == "plain" else ("all_sides", "all_answers")
        shares[name].append(page["right"](page["learned"](**how), *map(page.__getitem__, judged)).mean())
for name, found in shares.items():
    page.report(f"shares right by {name}, at three rates", *found)
    page.hold(f"what {name} loses at the page's rate, against the best", [0], [max(found) - found[1]], within=0.003)
page.run("network")
for hidden in 32, 64:
    for name, actions in {"plain": page["turns"][:1], "averaged": page["turns"]}.items():
        f, parts = page["network"](hidden)
        f = page["train"](page["symmetrize"](f, actions), parts, page["x"], page["y"], steps=800)
        with torch.no_grad():
            logits, labels = f(page["x"]).flatten(0, 1), page["y"].repeat(3)
            left = torch.nn.functional.cross_entropy(logits, labels).item()
        page.report(f"nats left by {name}, {hidden} units, after 800 steps", left)
        right = page["right"](f, page["upright"], page["answers"]).mean()
        page.report(f"share of upright digits right by {name}, {hidden} units", right)
most = 0
for split in 1, 2, 3, 4:
    page.run("digits-data", ("default_rng(0)", f"default_rng({split})"))
    page.run("arms", NOT_TRAINED)
    for name, actions in {"plain": page["turns"][:1], "averaged": page["turns"]}.items():
        page.names[name] = page["learned"](actions)
    page.run("six-nine")
    before, after = (page[name] for name in ("before", "after"))
    page.report("6 and 9 by the averaged networks", after[6, 9])
    page.hold(f"split {split}: 6 and 9 by the plain networks", [0], [before[6, 9]], within=0)
    most += max(before, key=lambda pair: round(after[pair] - before[pair], 6)) == (6, 9)
page.hold("splits in which 6 and 9 gain most", [2], [most], within=0)
sys.exit(page.compare())
