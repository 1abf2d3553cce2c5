"""Round weights, keys and values as the chapter does, on other stretches of the text and in every block."""

import sys

import numpy as np
import torch
from cells import Page, other_texts
from torch.nn.functional import cross_entropy

from mlnotes.efficient.quantization import dequantize, fake_quantize, gptq, quantize

page = Page(__file__)
left_out = "outlier-table", "outlier-figure", "outlier-exempt", "widget", "widget-answer"
page.run_until("rounded-cache", without=left_out)
model, smollm2, states = page["model"], page["smollm2"], page["states"]


def on_grid(bits, scheme, scale):
    """Measure the losses with all matrices on one kind of grid."""
    if scheme == page["zero"]:
        of = {"matrix": lambda w: w.numel(), "row": lambda w: w.shape[-1], "block": lambda w: 32}[scale]
        return page["loss_with"](lambda w: page["on_zero_point"](w, bits, of(w)))
    size = {"matrix": lambda w: None, "row": lambda w: w.shape[-1], "block": lambda w: 32}[scale]
    return page["loss_with"](lambda w: fake_quantize(w, bits, size(w), scheme == "absmax"))


for (bits, scheme), given in page["beside"].items():
    found = [on_grid(bits, scheme, scale).mean() for scale in page["three"][: len(given)]]
    page.hold(f"nats, {bits} bits, {scheme}", given, found, within=0.01)


def noise_like(w, seed):
    """Add to each block uniform noise as large as the error of 3 bits with zero on a point."""
    blocks = w.numpy().reshape(-1, 32)
    size = np.sqrt(np.mean((page["with_zero_point"](blocks, 3, 0) - blocks) ** 2, axis=-1, keepdims=True))
    noise = np.sqrt(3) * size * np.random.default_rng(seed).uniform(-1, 1, blocks.shape)
    return w + torch.tensor(noise.reshape(w.shape).astype("f4"))


def of_each(states):
    """Give the mean loss of each of several texts."""
    logits = model.tokens.logits(model.norm(states[-1]))[:, :-1]
    return cross_entropy(logits.mT, page["ids"][:, 1:], reduction="none").mean(-1).numpy()


noisy = [page["loss_with"](lambda w, seed=seed: noise_like(w, seed)).mean() for seed in range(4)]
page.report("nats with noise as large, four seeds", *noisy)

here = {name: page[name] for name in ("ids", "surprises")}
page.names |= {"ids": torch.tensor(np.stack([*other_texts(65).values()])), "surprises": of_each}
schemes = "absmax", page["minmax"], page["zero"]
for bits, scale in (4, "matrix"), (4, "row"), (3, "matrix"), (3, "row"), (3, "block"):
    losses = [on_grid(bits, scheme, scale) for scheme in schemes]
    for scheme, it in zip(schemes, losses, strict=True):
        page.report(f"nats of five other texts, {bits} bits by {scale}, {scheme}", *it)
    by_absmax, by_ends, by_zero = losses
    page.report("    zero point below absmax", *(by_absmax - by_zero))
    page.report("    zero point below minimum and maximum", *(by_ends - by_zero))
for where, off in {"on a point": 0, "halfway": 0.5, "anywhere": None}.items():
    it = page["loss_with"](lambda w, off=off: page["on_zero_point"](w, 3, 32, off))
    page.report(f"nats of five other texts, zero {where}", *it)
page.report("nats of five other texts, noise as large", *page["loss_with"](lambda w: noise_like(w, 0)))
page.names |= here

tables = {}
for bits in 8, 4, 3, 2:
    page.run("cache-nats", ("x, 2, 64", f"x, {bits}, 64"))
    tables[bits] = (*page["lost"]["keys"], *page["lost"]["values"])
page.run("cache-beside")
for bits, given in page["beside"].items():
    page.hold(f"nats that caches of {bits} bits lose", given, tables[bits], within=0.1)

others, mask = torch.tensor(smollm2.passage(512, start=1000)), np.tri(512, dtype=bool)
TIMES = np.where(np.arange(512) == 0, 16, 1)[:, None]
ROUND = {
    "rounded": lambda w, x, symmetric: fake_quantize(w, 2, 32, symmetric),
    "compensated": lambda w, x, symmetric: dequantize(gptq(w, x, 2, 32, symmetric)),
    "token 0 counted more": lambda w, x, symmetric: dequantize(gptq(w, TIMES * x, 2, 32, symmetric)),
}


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


page.run("gptq-beside")
for name, given in page["beside"].items():
    found = [values_rounded(ROUND[name], symmetric) for symmetric in (True, False)]
    page.hold(f"nats with the values of all blocks {name}", given, found, within=0.1)


def read(n_tokens, start):
    page.names["ids"] = torch.tensor(smollm2.passage(n_tokens, start))
    page.names["exact"] = page["surprises"](model.states(page["ids"]))


less = []
for start in 0, 540, 1080, 1620, 2200:
    read(257, start)
    rows, blocks = (
        page["loss_with"](lambda w, grid=grid: dequantize(quantize(w, *(it or w.shape[-1] for it in grid)))).mean()
        for grid in ((4, None), (3, 32))
    )
    less.append(blocks - rows)
page.report("tokens of each of the stretches", len(page["ids"]))
page.report("nats that 4 bits by row lose less than 3 bits in blocks of 32", *less)

lost, back = [], []
for start in 0, 480, 960, 1440, 1920, 2400:
    read(65, start)
    page.run("cache-nats")
    page.names["shares"] = []
    printed = '    print(f"{name:18}: {10 * round(10 * back)}% come back of what keys lose by token")'
    page.run("cache-back", (printed, "    shares.append(back)"))
    (token, channel), values = page["lost"]["keys"], page["lost"]["values"]
    lost.append((token, channel, *values))
    back.append((*page["shares"], 1 - channel / token))
names = "keys by token", "keys by channel", "values by token", "values by channel"
for name, it in zip(names, np.transpose(lost), strict=True):
    page.report(f"nats that are lost, {name}", it.min(), it.max())
names = "turned, seed 6", "turned, seed 3", "without their mean", "with both", "by channel"
for name, it in zip(names, np.transpose(back), strict=True):
    page.report(f"share that comes back, {name}", it.min(), it.max())
page.report(
    "of six stretches, more with both than with either", sum(both > max(r, mean) for r, _, mean, both, _ in back)
)

read(65, 0)
for start in 1000, 400:
    x, worse, better = model.tokens(torch.tensor(smollm2.passage(512, start))), 0, 0
    for number, block in enumerate(model.blocks):
        page.names["block"] = block
        edits = ("states[18]", f"states[{number}]"), ("blocks[18:]", f"blocks[{number}:]")
        seen = block.norm_1(x).double().numpy()
        kept = block.attention.w_v.data.clone()
        page.names["w"] = w = kept.mT.double().numpy()
        page.run("which-tokens", *edits)  # p, and how to predict with other weights
        counted = np.where(np.arange(512) == 0, 16, 1)[:, None] * seen
        moved = []
        for y in fake_quantize(w, 3, 32), *(dequantize(gptq(w, it, 3, 32)) for it in (seen, counted)):
            away = (page["p"].exp() * (page["p"] - page["predictions"](y))).sum(-1)
            moved.append(away.mean())
        block.attention.w_v.data = kept
        worse, better = worse + (moved[1] > moved[0]), better + (moved[2] < moved[0])
        x = block(x, np.tri(512, dtype=bool), None, model.rotation())
    page.report(f"blocks, inputs from token {start}: compensated moves more than rounding", worse)
    page.report("    with token 0 counted more it moves less", better)
sys.exit(page.compare())
