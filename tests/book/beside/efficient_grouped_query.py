"""Average the heads of two other small models, and the aligned values of the published one on other passages."""

import sys
from copy import deepcopy

import numpy as np
import torch
from cells import Page

page = Page(__file__)
page.run_until("ca3512f4")
train, loss_of = page["train"], page["loss_of"]
lost, first, left = [], [], []
for seed in (1, 2):
    other = train(page["Writer"](np.random.default_rng(seed)), 200, 0.01, seed=seed + 10)
    few = deepcopy(other)
    few.attention = other.attention.pooled(2)
    lost.append(loss_of(few) - loss_of(other))
    first.append(loss_of(page["with_first_heads"](2, other)) - loss_of(other))
    left.append(loss_of(train(few, 20, 0.005, seed=2)) - loss_of(train(other, 20, 0.005, seed=2)))
page.report("nats that two other models lose when averaged to 2 heads", *sorted(lost))
page.report("nats that they lose when the first heads are kept", *first)
page.hold("of them lose more with the first heads", [2], [np.greater(first, lost).sum()], within=0)
page.report("nats that they still lose after 20 more steps", *sorted(left))

cells = [cell.id for cell in page.cells if cell.cell_type == "code"]
for name in cells[cells.index("ca3512f4") + 1 : cells.index("aligned") + 1]:
    page.run(name)
smollm2, nats_with, published = page["smollm2"], page["nats_with"], page["published"]
means = {"as they are": [page["pooled_part"](it, "w_v") for it in published]}
turned = [page["turned_values"](*pair) for pair in zip(published, page["turns"], strict=True)]
means["aligned"] = [page["pooled_part"](it, "w_v") for it in turned]
shares = []
for start in (*range(200, 840, 128), *range(1300, 2900, 128)):  # not those that the heads were aligned on
    page.names["passage"] = torch.tensor(smollm2.passage(128, start))
    before = nats_with(published)
    lost = {name: nats_with(layers) - before for name, layers in means.items()}
    shares.append(1 - lost["aligned"] / lost["as they are"])
    print(start, before, lost, shares[-1], flush=True)
page.report("passages", len(shares))
page.report("share of the loss that coordinates made", *shares)
sys.exit(page.compare())
