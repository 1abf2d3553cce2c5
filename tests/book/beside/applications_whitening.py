"""Look for the nearest mean with few nuclei known, and count decisions that change with the covariance within."""

import sys

import numpy as np
from cells import Page

HALVINGS, FEW = 30, 60
HALVE = "seen, asked = order[::2], order[1::2]"
DECIDE = "shares.append((y[squares.argmin(axis=1)] == data.target[asked]).mean())"
RETURN = 'return f"{np.mean(shares):.2f} ± {np.std(shares):.2f}"'

page = Page(__file__)
page.run_until("whitened", without=("widget", "widget-answers", "figure-eps"))
nuclei, standardized, whitened = (page[name] for name in ("nuclei", "standardized", "whitened"))

page.run("nearest", (DECIDE, "shares.append(y[squares.argmin(axis=1)])"), (RETURN, "return np.concatenate(shares)"))
decided = [page["nearest_right"](nuclei, whitened, means=True, within=within) for within in (False, True)]
page.report("decisions on nuclei", len(decided[0]))
page.hold("decisions that change with the covariance within", [0], [(decided[0] != decided[1]).sum()], within=0)


def nearest_mean(fit, some):
    """Give the mean share that is right, with some of the known nuclei."""
    known = f"{HALVE}; seen = seen[{some}]"
    page.run("nearest", ("range(10)", f"range({HALVINGS})"), (HALVE, known), (RETURN, "return shares"))
    return np.mean(page["nearest_right"](nuclei, fit, means=True))


page.report("halvings", HALVINGS)
page.report("nuclei known, few", FEW)
page.report("nuclei known, all", len(np.arange(len(nuclei.data))[::2]))
page.report("nearest mean, whitened: from few", nearest_mean(whitened, f":{FEW}"))
shares = [nearest_mean(standardized, some) for some in (f":{FEW}", ":")]
page.hold("nearest mean, standardized: few, all", [0.93, 0.93], shares, within=0.005)
sys.exit(page.compare())
