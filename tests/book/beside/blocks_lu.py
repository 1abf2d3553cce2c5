"""Solve the system of largest growth in another order of its sums."""

import sys

from cells import Page

from mlnotes.blocks.lu import largest_growth_matrix, lu

page = Page(__file__)
page.run_until("naive-substitute", without=("figure-photo",))
matrix, np = largest_growth_matrix(60), page["np"]
truth = 1 / (np.arange(60) + 1.0)
right_side = np.array([sum(row * truth) for row in matrix])
_, lower, upper = lu(matrix)
page.hold(
    "error at 60 rows", [0.02], [abs(page["naive_substitute"](lower, upper, right_side) - truth).max()], within=0.005
)
backwards = (("in range(i):", "in reversed(range(i)):"), ("in range(i + 1, n):", "in reversed(range(i + 1, n)):"))
page.run("naive-substitute", *backwards)
page.report(
    "error at 60 rows, sums taken backwards", abs(page["naive_substitute"](lower, upper, right_side) - truth).max()
)
sys.exit(page.compare())
