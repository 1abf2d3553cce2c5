"""Solve the chapter's two columns that become alike with something left over, by normal equations and by QR."""

import sys
from fractions import Fraction

import numpy as np
from cells import Page

SEEDS = 20
page = Page(__file__)
page.run_until("figure-digits")
kappa = page["kappa"][2:13]
WAYS = {"normal equations": page["naive_normal"], "QR": page["naive_qr"]}


def exact(a, b):
    """Solve the normal equations of two columns without rounding."""
    p, q, b = ([Fraction(it) for it in column] for column in (*a.T.tolist(), b.tolist()))
    pp, pq, qq, pb, qb = (sum(map(Fraction.__mul__, u, v)) for u, v in ((p, p), (p, q), (q, q), (p, b), (q, b)))
    determinant = pp * qq - pq * pq
    return np.array([float((qq * pb - pq * qb) / determinant), float((pp * qb - pq * pb) / determinant)])


for size in 0, 0.01, 1:
    errors = {name: np.zeros((SEEDS, len(kappa))) for name in WAYS}
    for seed in range(SEEDS):
        noise = np.random.default_rng(seed).normal(size=12)
        for k, a in enumerate(page["alike"][2:13]):
            q = np.linalg.qr(a)[0]
            left = noise - q @ (q.T @ noise)
            b = a[:, 0] + 2 * a[:, 1] + size * (left - q @ (q.T @ left))
            for name, way in WAYS.items():
                errors[name][seed, k] = abs(way(a, b) - exact(a, b)).max()
    middle = {name: np.median(it, axis=0) for name, it in errors.items()}
    slopes = [np.polyfit(np.log(kappa), np.log(it), 1)[0] for it in middle.values()]
    page.hold(f"slope of normal equations, residual {size}", [2], slopes[:1], within=0.1)
    page.report(f"slope of QR, residual {size}", slopes[1])
times = np.median(middle["normal equations"] / middle["QR"])
page.hold("tens of normal equations over QR, residual 1", [3], [times / 10], within=1.5)
sys.exit(page.compare())
