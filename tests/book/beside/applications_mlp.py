"""Split the digits in other ways than the chapter does, and count what both kinds of network get wrong."""

import sys

import numpy as np
from cells import Page

page = Page(__file__)
page.run_until("92cfceb3")
times = []
for split in range(1, 4):
    page.run("761f22b2", ("default_rng(0)", f"default_rng({split})"))
    page.run("0286dd55")
    linear, network = (
        np.mean([page["wrong"](it, page["test"]) for it in page[name]]) for name in ("linear_nets", "networks")
    )
    times.append(linear / network)
    print(split, linear, network, times[-1], flush=True)
page.report("splits", len(times))
page.report("mistakes of a linear layer in those of the network", *times)
sys.exit(page.compare())
