"""Round weights, keys and values as the chapter does, on other stretches of the text and in every block."""

import sys

import numpy as np
import torch
from cells import Page, other_texts
from torch.nn.functional import cross_entropy

from mlnotes.efficient.quantization import dequantize, fake_quantize, gptq

page = Page(__file__)
left_out = "outlier-table", "outlier-figure", "outlier-exempt", "widget", "widget-answer"
page.run_until("rounded-cache", without=left_out)
model, smollm2, states = page["model"], page["smollm2"], page["states"]


def on_zero_point(w, bits, size):
    """Round from minimum to maximum on grids that are moved until 0 is one of their points."""
    x = w.numpy().reshape(-1, size)
    low, high = np.minimum(x.min(-1, keepdims=True), 0), np.maximum(x.max(-1, keepdims=True), 0)
    step = (high - low) / (2**bits - 1)
    zero = np.round(-low / step)
    codes = np.clip(np.round(x / step + zero), 0, 2**bits - 1)
    return torch.tensor((step * (codes - zero)).reshape(w.shape).astype("f4"))


def on_grid(bits, scheme, scale):
    """Measure the losses with all matrices on one kind of grid."""
    if scheme == page["zero"]:
        of = {"matrix": lambda w: w.numel(), "row": lambda w: w.shape[-1], "block": lambda w: 32}[scale]
        return page["loss_with"](lambda w: on_zero_point(w, bits, of(w)))
    size = {"matrix": lambda w: None, "row": lambda w: w.shape[-1], "block": lambda w: 32}[scale]
    return page["loss_with"](lambda w: fake_quantize(w, bits, size(w), scheme == "absmax"))


for (bits, scheme), given in page["beside"].items():
    found = [on_grid(bits, scheme, scale).mean() for scale in page["three"][: len(given)]]
    page.hold(f"nats, {bits} bits, {scheme}", given, found, within=0.01)


def of_each(states):
    """Give the mean loss of each of several texts."""
    logits = model.tokens.logits(model.norm(states[-1]))[:, :-1]
    return cross_entropy(logits.mT, page["ids"][:, 1:], reduction="none").mean(-1).numpy()


here = {name: page[name] for name in ("ids", "surprises")}
page.names |= {"ids": torch.tensor(np.stack([*other_texts(65).values()])), "surprises": of_each}
schemes = "absmax", page["minmax"], page["zero"]
for bits, scale in (4, "row"), (3, "row"), (3, "block"):
    losses = [on_grid(bits, scheme, scale) for scheme in schemes]
    for scheme, it in zip(schemes, losses, strict=True):
        page.report(f"nats of five other texts, {bits} bits by {scale}, {scheme}", *it)
page.names |= here

tables = {}
for bits in 8, 4, 3, 2:
    page.run("cache-nats", ("x, 2, 64", f"x, {bits}, 64"))
    tables[bits] = (*page["lost"]["keys"], *page["lost"]["values"])
page.run("cache-beside")
for bits, given in page["beside"].items():
    page.hold(f"nats that caches of {bits} bits lose", given, tables[bits], within=0.1)

others, mask = torch.tensor(smollm2.passage(512, start=1000)), np.tri(512, dtype=bool)
ROUND = {
    "rounded": lambda w, x, symmetric: fake_quantize(w, 2, 32, symmetric),
    "compensated": lambda w, x, symmetric: dequantize(gptq(w, x, 2, 32, symmetric)),
    "token 0 counted more": lambda w, x, symmetric: dequantize(gptq(w, longer(0) * x, 2, 32, symmetric)),
    "token 300 counted more": lambda w, x, symmetric: dequantize(gptq(w, longer(300) * x, 2, 32, symmetric)),
}


def longer(token):
    """Make the row of one token 16 times as long."""
    return np.where(np.arange(512) == token, 16, 1)[:, None]


def values_rounded(rounding, symmetric):
    """Round the values' weights of all blocks, one after another; return the loss, and put them back."""
    x, kept = model.tokens(others), [block.attention.w_v.data for block in model.blocks]
    for block, w in zip(model.blocks, kept, strict=True):
        y = rounding(w.mT.double().numpy(), block.norm_1(x).double().numpy(), symmetric)
        block.attention.w_v.data = torch.tensor(y, dtype=torch.float32).mT
        x = block(x, mask, None, model.rotation())
    loss = page["surprises"](model.states(page["ids"])).mean()
    for block, w in zip(model.blocks, kept, strict=True):
        block.attention.w_v.data = w
    return loss


def read(n_tokens, start):
    page.names["ids"] = torch.tensor(smollm2.passage(n_tokens, start))
    page.names["exact"] = page["surprises"](model.states(page["ids"]))


page.run("gptq-beside")
nats = {}
for start in 0, 300, 480, 1960, 2400:
    read(65, start)
    for name, rounding in ROUND.items():
        nats.setdefault(name, []).append([values_rounded(rounding, symmetric) for symmetric in (True, False)])
nats = {name: np.array(rows) for name, rows in nats.items()}
for name, given in page["beside"].items():
    found = np.stack([nats[name].min(axis=0), nats[name].max(axis=0)], axis=1)
    page.hold(f"nats with the values of all blocks {name}", np.ravel(given), found.ravel(), within=0.1)
for better, than, given in (("compensated", "rounded", (5, 4)), ("token 0 counted more", "compensated", (4, 5))):
    page.hold(f"places where {better} is better", given, (nats[better] < nats[than]).sum(axis=0), within=0)

lost = []
for start in 0, 480, 960, 1440, 1920, 2400:
    read(65, start)
    page.run("cache-nats")
    lost.append((*page["lost"]["keys"], *page["lost"]["values"]))
names = "keys by token", "keys by channel", "values by token", "values by channel"
for name, it in zip(names, np.transpose(lost), strict=True):
    page.report(f"nats that are lost, {name}", *it)
sys.exit(page.compare())
