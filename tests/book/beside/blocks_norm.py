"""Draw false measurements more often, and simulate patients of whom few measurements matter, or all."""

import sys

from cells import Page

page = Page(__file__)
page.run_until("judged", without=("widget", "budget-figure", "pulls", "paths"))
np, judged, lasso, ridge, measured, y = (page[it] for it in ("np", "judged", "lasso", "ridge", "measured", "y"))

thrown, better, worst = 0, 0, 0
for seed in range(100):
    rng = np.random.default_rng(seed)
    x = np.concatenate([measured, *(rng.permuted(measured, axis=0) for _ in range(3))], axis=1)
    parts = np.split(rng.permutation(len(y)), [180, 311])
    w, by_corners, free = judged(lasso, x, *parts)
    _, by_circle, _ = judged(ridge, x, *parts)
    thrown += (w[10:] != 0).sum() < 15 and (w[:10] != 0).sum() < 10
    better += by_corners < by_circle
    worst += free > max(by_corners, by_circle)
page.report("of 100 draws, those in which more than half of the false are thrown away, and a true one", thrown)
page.report("of 100 draws, those in which p = 1 errs less than p = 2", better)
page.report("of 100 draws, those in which no limit errs most", worst)

columns, draws = 40, 60
page.report("simulated tables", draws)
page.report("their columns", columns)
for count in 3, columns:
    better = 0
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        x, w = rng.normal(size=(len(y), columns)), np.zeros(columns)
        w[:count] = rng.normal(size=count) / count**0.5
        page.names["y"] = x @ w + 1.3 * rng.normal(size=len(y))
        parts = np.split(rng.permutation(len(y)), [180, 311])
        better += judged(lasso, x, *parts)[1] < judged(ridge, x, *parts)[1]
    page.report(f"share in which p = 1 errs less than p = 2, {count} columns count", better / draws)
sys.exit(page.compare())
