"""Average the aligned values of the published model on other passages than the chapter does."""

import sys

import numpy as np
import torch
from cells import Page

page = Page(__file__)
page.run_until("aligned")
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
page.report("share of the loss that coordinates made", min(shares), np.median(shares), max(shares))
sys.exit(page.compare())
