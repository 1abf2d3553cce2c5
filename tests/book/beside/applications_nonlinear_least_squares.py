"""Fit BoxBOD's law to 60,000 simulated data sets, for the sides on which an interval misses the truth."""

import sys

import numpy as np
from cells import Page
from scipy.stats import t as student

SETS = 20_000
page = Page(__file__)
page.run_until("intervals", without=("widget", "widget-steps", "starts-map", "units-walk", "figure-units"))
t, y, x = page["problems"]["BoxBOD"]
r, free, k = page["left"], len(y) - 2, 1  # k: the rate
sigma = np.linalg.norm(r) / np.sqrt(free)
error = page["standard_errors"](r, page["jacobian"](x, t))[k]
rng = np.random.default_rng(0)

noise = rng.normal(size=(5 * SETS, len(y)))
low, high = np.quantile(page["fit_many"](t, x, y + r + sigma / 10 * noise, steps=20)[:, k] - x[k], [0.025, 0.975])
page.report("standard errors below, sigma a tenth as large", -low / (error / 10))
page.report("standard errors above, sigma a tenth as large", high / (error / 10))

factor = student.ppf(0.975, free)
page.report("factor of Student's t", factor)
below = above = 0
for _ in range(3):
    data = y + r + sigma * rng.normal(size=(SETS, len(y)))
    fits = page["fit_many"](t, x, data)
    law, j = page["rises"](fits, t)
    own = np.linalg.norm(law - data, axis=1) / np.sqrt(free)  # the deviation that a data set shows itself
    reach = factor * own * np.linalg.norm(np.linalg.inv(np.linalg.qr(j)[1]), axis=2)[:, k]
    below += np.mean(fits[:, k] + reach < x[k]) / 3
    above += np.mean(fits[:, k] - reach > x[k]) / 3
page.report("share of intervals that hold the rate", 1 - below - above)
page.hold("below as many times as above", [3], [below / above], within=0.5)
sys.exit(page.compare())
