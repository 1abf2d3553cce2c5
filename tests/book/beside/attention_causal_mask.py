"""Train the two heads side by side for much longer than the chapter does, and as long without places."""

import sys

from cells import Page

page = Page(__file__)
page.run_until("f52e7a0b")
losses, scores = [], []
for seed in range(2):
    model = page["trained"](seed, 4800, side_by_side=True)
    losses.append(page["loss_of"](model, page["texts"], side_by_side=True).item())
    scores += [page["induction_score"](weights) for weights in page["maps_of"](model, side_by_side=True)]
    print(seed, losses[-1], scores[-2:], flush=True)
page.report("steps", 4800)
page.report("nats", *losses)
page.report("induction scores", *scores)

page.run("63266754", ("+ 4 * places", "+ 0 * places"))
print(page.run("f52e7a0b"))
page.report("nats without places", page["loss"].mean())
sys.exit(page.compare())
