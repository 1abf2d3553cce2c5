"""Train the decoder of the chapter on six splits, from the seeds 0 to 5, and without what its attention adds; train
the translator from 0 to 11."""

import sys
from unittest import mock

import numpy as np
import torch
from cells import Page

page = Page(__file__)
page.run_until("three-surprise")
for steps in 400, 200:
    ahead, behind_triples = [], []
    for seed in range(6):
        split = "default_rng(0).permutation", f"default_rng({seed}).permutation"
        model = ("default_rng(0)\nwriter", f"default_rng({seed})\nwriter"), ("loss, 400", f"loss, {steps}")
        page.run("2e01e174", split, *model)
        for name in "b7eb6c68", "63e76d7b", "three-words", "three-surprise":
            printed = page.run(name)
        print(printed.replace("\n", "; "), flush=True)
        ahead.append(-page["less"].mean())
        behind_triples.append((page["by_decoder"] - page["by_triples"]).mean())
    page.report(f"nats that it is ahead of pairs after {steps} steps", *ahead)
    page.report(f"nats that it is behind pairs after {steps} steps", *(-it for it in ahead))
    page.report(f"nats that it is behind triples after {steps} steps", *behind_triples)

ahead = []
with mock.patch("mlnotes.layers.transformer.causal_mask", lambda n, s: np.eye(n, s, dtype=bool)):
    for seed in range(6):
        split = "default_rng(0).permutation", f"default_rng({seed}).permutation"
        page.run("2e01e174", split, ("default_rng(0)\nwriter", f"default_rng({seed})\nwriter"))
        page.run("b7eb6c68")
        page.run("63e76d7b")
        ahead.append(-page["less"].mean())
page.report("nats that it is behind pairs where each token sees itself alone", *(-it for it in ahead))

for name in "6c1e671f", "a17554a0", "2a459380":
    page.run(name)
right, looks = [], {"tens": [], "ones": [], "hundert": []}
german, english = page["in_german"], page["in_english"]
alike = [i for i in range(999) if len(german[i]) == 5 and len(english[i]) == 5]  # hundreds, tens and ones
for seed in range(12):
    page.run("59129aac", ("default_rng(0)", f"default_rng({seed})"))
    page.run("b4c96d80")
    right.append(int(page["right"].sum()))
    with torch.no_grad(), page["recorded_heads"](page["translator"]) as heads:
        page["translator"](page["source"][alike], page["target"][alike, :5])
    most = heads["decoder.blocks.0.cross_attention"].weights.mean(axis=1).argmax(-1)
    # drei hundert zwei und vierzig: three hundred forty two
    for name, row, column in ("tens", 2, 4), ("ones", 3, 2), ("hundert", 1, 1):
        looks[name].append(np.mean(most[:, row] == column))
page.report("right, of 200 unseen numbers", *right)
for name, shares in looks.items():
    page.report(f"share of numbers in which most weight is on it, {name}", *shares)
page.hold("nearly all numbers with most seeds, hundert", [1.0], [sorted(looks["hundert"])[5]], within=0.1)
sys.exit(page.compare())
