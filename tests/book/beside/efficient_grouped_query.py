"""Average the heads of eight other small models, and those of the published one in other coordinates and passages."""

import sys
from copy import deepcopy

import numpy as np
import torch
from cells import Page

page = Page(__file__)
page.run_until("no-attention")
page.run("ca3512f4")
train, loss_of = page["train"], page["loss_of"]
lost, first, sized, left, gained = [], [], [], [], []
for seed in range(1, 9):
    other = train(page["Writer"](np.random.default_rng(seed)), 200, 0.01, seed=seed + 10)
    page.names["model"] = other
    few = page["converted"](2)
    lost.append(loss_of(few) - loss_of(other))
    first.append(loss_of(page["with_first_heads"](2, other)) - loss_of(other))
    page.run("no-attention")  # brings back to size, four heads, two, and then one
    gained.append(loss_of(page["unseeing"]) - loss_of(page["converted"](1)))
    for weights in (few.attention.w_k, few.attention.w_v):
        weights.data *= 2
    sized.append(loss_of(few) - loss_of(other))
    left.append(loss_of(train(page["converted"](2), 20, 0.005, seed=2)) - loss_of(train(other, 20, 0.005, seed=2)))
page.report("nats that other models lose when averaged to 2 heads", *lost)
page.hold("models", [8], [len(lost)], within=0)
page.hold("of them lose more with the first heads", [8], [np.greater(first, lost).sum()], within=0)
page.hold("of them lose more when brought back to size", [8], [np.greater(sized, lost).sum()], within=0)
page.report("nats that they still lose after 20 more steps", *left)
page.hold("some are worse with one head than without attention", [1], [min(gained) < 0], within=0)
page.hold("the others are hardly better", [0.06], [max(gained)], within=0.04)

cells = [cell.id for cell in page.cells if cell.cell_type == "code"]
for name in cells[cells.index("ca3512f4") + 1 : cells.index("aligned") + 1]:
    if name not in ("f1f836cb", "cb7a1d77", "972a67c4", "blind", "761f22b2"):
        page.run(name)
smollm2, nats_with, published, smol = page["smollm2"], page["nats_with"], page["published"], page["smol"]
of_the_page = nats_with(published)


def averaged(layers, name="w_v"):
    return [page["pooled_part"](layer, name) for layer in layers]


def turned(turns):
    return [page["turned_values"](*pair) for pair in zip(published, turns, strict=True)]


@torch.no_grad()
def closest(layer, x):
    """Let the values be what the three heads can read, each in its way, out of 64 numbers that they share."""
    new = deepcopy(layer)
    axes = torch.linalg.svd((x @ layer.w_v).double(), full_matrices=False)[2][:64]
    new.w_v.data = layer.w_v @ (axes.mT @ axes).float()
    return new


sized = {}
for name, weights in {"keys": "w_k", "values": "w_v"}.items():
    layers = averaged(published, weights)
    as_averaged = nats_with(layers)
    for layer in layers:
        getattr(layer, weights).data *= 3**0.5
    sized[name] = nats_with(layers)
    print(name, as_averaged - of_the_page, sized[name] - of_the_page, flush=True)
    if name == "keys":
        page.hold("averaged keys cost more when brought back to size", [1], [sized[name] > as_averaged], within=0)
page.report("nats lost with values brought back to size", sized["values"] - of_the_page)
drawn = []
for seed in range(5):  # the first draw is that of the page
    draws = np.random.default_rng(seed).normal(size=(30, 3, 64, 64))
    layers = averaged(turned(torch.tensor(np.linalg.qr(draws)[0]).float()))
    drawn.append(nats_with(layers) - of_the_page)
page.report("nats lost in drawn coordinates", *drawn)
examples = zip(published, smol.blocks, page["examples"], strict=False)  # states follow after the last block as well
shared = [closest(layer, block.norm_1(x)) for layer, block, x in examples]
page.report("nats lost with the closest shared head", nats_with(shared) - of_the_page)

means = {"as they are": averaged(published), "aligned": averaged(turned(page["turns"])), "closest": shared}
shares = {"aligned": [], "closest": []}
for start in (*range(200, 840, 128), *range(1300, 2900, 128)):  # not those that the heads were aligned on
    page.names["passage"] = torch.tensor(smollm2.passage(128, start))
    before = nats_with(published)
    lost = {name: nats_with(layers) - before for name, layers in means.items()}
    for name, found in shares.items():
        found.append(1 - lost[name] / lost["as they are"])
    print(start, before, lost, flush=True)
page.report("passages", len(shares["aligned"]))
page.report("share of the loss that coordinates made", *shares["aligned"])
page.report("share that the closest shared head wins back", *shares["closest"])
sys.exit(page.compare())
