"""Train the networks on 32, 64 and 512 clouds, at three rates, for 250 and for 1,000 steps, and on other draws."""

import sys

import numpy as np
from cells import Page

page = Page(__file__)
page.run_until("share-missed", without=("training",))
page.run("training", ("steps=500, sizes=(512,)", "steps=0, sizes=(512,)"))
page.run("errors", (", 500: longer", ""))
for steps in 250, 1000:
    for name, (make, layer, x, edges, y, _, *turned) in page["kinds"].items():
        for rate in 0.01, 0.02, 0.04:
            page.report("rate", rate)
            nets = page["train"](make, layer, x, edges, y, rate, *turned, steps=steps, sizes=(64, 512))
            for size, missed in zip((64, 512), page["share_missed"](nets, *page["judged"]), strict=True):
                page.report(f"share missed by {name} after {steps} steps at {rate} with {size} clouds", *missed)
for draw in 1, 2:
    page.run("data", ("default_rng(0)", f"default_rng({draw})"))
    samples = page["as_tensors"](page["charges"], page["seen"])
    judged = page["as_tensors"](page["unseen_charges"], page["unseen"])
    for name, (make, layer, _, _, _, _, *turned) in page["kinds"].items():
        nets = page["train"](make, layer, *samples, 0.02, *turned, steps=1000, sizes=(64,))
        missed = np.median(page["share_missed"](nets, *judged))
        page.report(f"medians of {name} with 64 clouds of other draws", missed)
make, layer, *data, rate = page["kinds"]["EGNN"]
missed = page["share_missed"](page["train"](make, layer, *data, rate, steps=1000, sizes=(32,)), *page["judged"])
page.report("clouds", 32)
page.report("share missed by five seeds of EGNN after 1,000 steps with so many clouds", *missed.ravel())
page.hold("seeds of which miss more than if nothing moved", [2], [(missed > 1).sum()], within=0)
sys.exit(page.compare())
