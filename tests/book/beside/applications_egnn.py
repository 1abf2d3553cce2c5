"""Train the networks on 512 clouds, at three rates, for 250 and for 1,000 steps, and on 8 clouds of other draws."""

import sys

import numpy as np
from cells import Page

page = Page(__file__)
page.run_until("share-missed", without=("training",))
page.run("training", ("trained = {name: train(*it) for name, it in kinds.items()}", ""))
judged = page["as_tensors"](page["unseen_charges"], page["unseen"])
least = {}
for name, (make, layer, x, edges, y, chosen, *turned) in page["kinds"].items():
    for steps in 250, 1000:
        medians = {}
        for rate in 0.01, 0.02, 0.04:
            nets = page["train"](make, layer, x, edges, y, rate, *turned, steps=steps, sizes=(512,))
            medians[rate] = np.median(page["share_missed"](nets, *judged))
        page.report(f"medians of shares missed by {name} after {steps} steps", *medians.values())
        least[name, steps] = min(medians.values())
        if steps == 250:
            page.hold(
                f"at the page's rate over the least, {name}", [1], [medians[chosen] / least[name, 250]], within=0.1
            )
for name in "plain", "plain, turned":
    share = least["EGNN", 1000] / least[name, 1000]
    page.hold(f"what EGNN misses over what {name} misses after 1000 steps", [0.5], [share], within=0.1)
less = 0
for draw in 1, 2, 3, 4:
    page.run("data", ("default_rng(0)", f"default_rng({draw})"))
    samples = page["as_tensors"](page["charges"], page["seen"])
    judged, medians = page["as_tensors"](page["unseen_charges"], page["unseen"]), {}
    for name in "EGNN", "plain, turned":
        make, layer, *_, rate = page["kinds"][name][:6]
        nets = page["train"](make, layer, *samples, rate, *page["kinds"][name][6:], sizes=(8,))
        medians[name] = np.median(page["share_missed"](nets, *judged))
    page.report(f"medians of shares missed with 8 clouds of draw {draw}", *medians.values())
    less += medians["plain, turned"] < 1.1 * medians["EGNN"]
page.hold("draws of 8 clouds with which the plain network, turned, misses as much or less", [4], [less], within=0)
sys.exit(page.compare())
