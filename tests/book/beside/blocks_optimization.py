"""Try out more settings of momentum, Adam and SGD than the chapter does, from the same starts."""

import itertools
import sys

import numpy as np
from cells import Page

from mlnotes.blocks.optimization import Problem, adam, gradient_descent, momentum

EDGE = 2  # η·L at which momentum diverges is this times 1 + β, by exercise 4

page = Page(__file__)
page.names["Problem"] = Problem
for name in "setup", "by-hand", "package", "show-momentum", "settings", "conjugate-run", "adam-rotated", "network":
    page.run(name)


def walked(curvatures, starts, small, rate, beta, most):
    """Walk from all starts by momentum, and count the steps of each until its gradient is small."""
    e, velocity, steps = starts, np.zeros_like(starts), np.full(len(starts), most + 1)
    for step in range(1, most + 1):
        velocity = beta * velocity + curvatures * e
        e = e - rate * velocity
        steps[(np.linalg.norm(curvatures * e, axis=1) <= small) & (steps > most)] = step
        if (steps <= most).all():
            break
    return steps


kept = {(20, 100): 0.44, (20, 1000): 0.22}
for n, kappa in itertools.product((20, 400), (100, 1000)):
    c = np.geomspace(1, kappa, n)
    starts = np.array([np.random.default_rng(seed).normal(size=n) for seed in range(5)])
    small = 1e-4 * np.linalg.norm(c * starts, axis=1)
    ours = [page["conjugate_gradients"](c, *it) for it in zip(starts, small, strict=True)]
    settings = itertools.product(np.linspace(0.45, 0.9, 19), np.linspace(0.85, 0.99, 8))
    tried = [walked(c, starts, small, share * EDGE * (1 + beta) / kappa, beta, 300) for beta, share in settings]
    share = (ours / np.min(tried, axis=0)).mean()
    if n == 20:
        page.hold(f"share of tuned momentum's steps, 20 dimensions, κ = {kappa}", [kept[n, kappa]], [share], 0.03)
    else:
        page.report("share of tuned momentum's steps, 400 dimensions", share)

steps_in_20, betas, shares = page["steps_in_20"], (0.8, 0.84, 0.85, 0.86, 0.87, 0.88, 0.9), (0.9, 0.95, 0.98, 0.995)
tried = {
    (beta, share): steps_in_20(momentum(share * EDGE * (1 + beta) / 1000, beta), turned=False)
    for beta, share in itertools.product(betas, shares)
}
fastest = min(tried, key=lambda it: tried[it].max())
page.hold("β and share of the longest step with which momentum's slowest walk is shortest", [0.87, 0.98], fastest, 0)
page.report("settings of momentum", len(tried))
of_adam, ahead = {}, 0
for beta, rate in itertools.product((0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95), (0.03, 0.1, 0.3, 1, 3)):
    along, turned = (steps_in_20(adam(rate, beta), it) for it in (False, True))
    of_adam[beta, rate] = along
    ahead += (turned < np.min([*tried.values()], axis=0)).sum()
page.hold("walks of Adam, turned, that are ahead of momentum's best for their start", [0], [ahead], 0)
fastest = min(of_adam, key=lambda it: of_adam[it].max())
page.hold("β₁ and rate with which Adam's slowest walk along the axes is shortest", [0.7, 0.3], fastest, 0)
page.report("settings of Adam", len(of_adam))

page.run("network-checked")
powers = range(-8, 2)
for seed in range(3):
    page.run("network-trained", ("default_rng(0)", f"default_rng({seed})"))
    for name, make in {"SGD": gradient_descent, "momentum": momentum, "Adam": adam}.items():
        left = {}
        for pixels, starts in (("images", "starts"), ("scaled", "same")):
            each = [page["trained"](make(2.0**it), page[pixels], page[starts]).mean() for it in powers]
            left[pixels] = powers[int(np.argmin(each))]
        fallen = left["images"] - left["scaled"]
        print(f"order {seed}, {name}: best powers {left}", flush=True)
        least, most = {"SGD": (4, 9), "momentum": (3, 9), "Adam": (1, 1)}[name]
        page.hold(f"order {seed}: powers by which {name}'s rate falls", [True], [least <= fallen <= most], 0)
sys.exit(page.compare())
