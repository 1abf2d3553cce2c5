"""Round weights, keys and values as the chapter does, on other stretches of the text and in every block."""

import sys
from functools import partial

import numpy as np
import torch
from cells import Page, other_texts
from torch.nn.functional import cross_entropy, silu

from mlnotes.efficient.quantization import dequantize, fake_quantize, gptq

page = Page(__file__)
left_out = "outlier-table", "outlier-figure", "outlier-exempt", "widget", "widget-answer"
page.run_until("rounded-cache", without=left_out)
model, smollm2, states = page["model"], page["smollm2"], page["states"]

# The largest inputs of products in each block: into queries, keys and values, out of attention, in the network.
inputs = [[block.norm_1(x).abs().max()] for block, x in zip(model.blocks, states[:-1], strict=True)]
for here, cache in zip(inputs, page["caches"], strict=True):
    here.append(cache.values.abs().max())  # no mean of values is larger


def watch(layer, arguments):
    """Keep the largest inputs of the three matrices of a feed-forward network."""
    (x,) = arguments
    hidden = silu(x @ layer.w_gate) * (x @ layer.w_up)
    next(it for it in inputs if len(it) == 2).extend((x.abs().max(), hidden.abs().max()))


hooks = [block.feed_forward.register_forward_pre_hook(watch) for block in model.blocks]
model.states(page["ids"])
for hook in hooks:
    hook.remove()
largest = [max(it) for it in inputs]
page.report("largest input of each block", *largest)
page.report("block of the largest input of a product", np.argmax(largest))
page.report("largest input into w_down", max(hidden for *_, hidden in inputs))


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
places = torch.tensor(np.stack([smollm2.passage(65, start) for start in (0, 300, 480, 1960, 2400)]))


def values_rounded(rounding, seed=0):
    """Round the values' weights of all blocks, one after another; return the loss at each place, and put them back.

    Unless the seed is 0, what each block reads is multiplied by 1 + 1e-6 times a normal number, first.
    """
    rng, x = torch.Generator().manual_seed(seed), model.tokens(others)
    kept = [block.attention.w_v.data for block in model.blocks]
    for block, w in zip(model.blocks, kept, strict=True):
        x = x * (1 + 1e-6 * bool(seed) * torch.randn(x.shape, generator=rng))
        y = rounding(w.mT.double().numpy(), block.norm_1(x).double().numpy())
        block.attention.w_v.data = torch.tensor(y, dtype=torch.float32).mT
        x = block(x, mask, None, model.rotation())
    page.names["ids"] = places
    losses = of_each(model.states(places))
    for block, w in zip(model.blocks, kept, strict=True):
        block.attention.w_v.data = w
    return losses


def rounded(symmetric, w, x):
    """Round each weight by itself."""
    return fake_quantize(w, 2, 32, symmetric)


def compensated(symmetric, token=None):
    """Compensate, with the row of one token 16 times as long."""
    length = np.where(np.arange(512) == token, 16, 1)[:, None]
    return lambda w, x: dequantize(gptq(w, length * x, 2, 32, symmetric))


def read(n_tokens, start):
    page.names["ids"] = torch.tensor(smollm2.passage(n_tokens, start))
    page.names["exact"] = page["surprises"](model.states(page["ids"]))


page.run("gptq-beside")
found = {name: [] for name in page["beside"]}
for symmetric, scheme in (True, "absmax"), (False, page["minmax"]):
    plain = values_rounded(partial(rounded, symmetric))
    same, first = (
        np.array([values_rounded(compensated(symmetric, token), seed) for seed in range(3)]) for token in (None, 0)
    )
    another = np.array([values_rounded(compensated(symmetric, token)) for token in (100, 300, 480)])
    for name, losses in zip(found, (plain, same, first, another), strict=True):
        print(scheme, name, losses.round(2).tolist(), flush=True)
        found[name].append(losses.mean())
    moves = [np.ptp(it, axis=0).max() for it in (same, first)]
    page.hold(f"most nats by which noise moves a loss, {scheme}", (0.8,), (max(moves),), within=0.6)
    page.hold(f"nats by which noise moves a mean, {scheme}", (0.4,), (np.ptp(same.mean(1)),), within=0.4)
    change = np.subtract.outer(another.mean(1), same.mean(1))
    page.hold(f"nats that another token changes, {scheme}", (0, 0), (change.min(), change.max()), within=0.9)
for name, given in page["beside"].items():
    within = 0.05 if name == "rounded" else 0.4
    page.hold(f"nats with the values of all blocks {name}", given, found[name], within)

lost = []
for start in 0, 480, 960, 1440, 1920, 2400:
    read(65, start)
    page.run("cache-nats")
    lost.append((*page["lost"]["keys"], *page["lost"]["values"]))
names = "keys by token", "keys by channel", "values by token", "values by channel"
for name, it in zip(names, np.transpose(lost), strict=True):
    page.report(f"nats that are lost, {name}", *it)
sys.exit(page.compare())
