"""Read other passages than the chapter does, and longer ones, in longer windows, with the first tokens and without."""

import sys

import numpy as np
from cells import Page

from mlnotes.efficient.sinks import sink_mask

page = Page(__file__)
page.run_until("hide")
run, short, smollm2 = page["run"], page["n"], page["smollm2"]
harm, hiding, left, second = [], [], [], []
for start in range(0, 2900, 100):
    ids = smollm2.passage(short, start)
    loss, weights, _ = run(ids=ids)
    for losses, mask in (
        (harm, sink_mask(short, short, page["window"], n_sinks=0)),
        (left, sink_mask(short, short, page["window"], n_sinks=1)),
        (hiding, page["hidden"](0)),
    ):
        losses.append(run(mask, ids)[0].mean() - loss.mean())
    by_key = weights[:, :, 64:].mean((0, 1, 2))
    other = by_key[1:64].argmax() + 1
    second.append((smollm2.pieces(ids)[other], by_key[other]))
    print(start, harm[-1], left[-1], hiding[-1], second[-1], flush=True)
page.report("passages", len(harm))
page.report("nats that a window takes, and with the first token", np.median(harm), np.median(left), max(left))
page.report("nats that hiding the first token costs, sorted", *sorted(hiding))
words = [share for word, share in second if word in (" ", " the") and share >= 0.04]
page.report("passages in which a space or a `the` takes 4% or more", len(words))
page.report("the most it takes", max(words))

model, n, windows = page["model"], 512, (64, 128, 256)
page.names["window"] = 256  # the losses that count are those behind the longest window

full, by_kept = [], {0: [], 4: []}
for start in range(0, 5 * n, n):
    ids = smollm2.passage(n, start)
    full.append(page["surprises"](model.states(ids), ids).mean())
    for kept, rows in by_kept.items():
        masks = (sink_mask(n, n, size, n_sinks=kept) for size in windows)
        rows.append([page["surprises"](model.states(ids, mask), ids).mean() for mask in masks])
    print(start, full[-1], *(rows[-1] for rows in by_kept.values()), flush=True)
page.report("tokens of each of the passages", n)
page.report("nats with all tokens in view", np.mean(full))
page.report(
    "passages in which a window of 64 and four tokens lose less than a window of 256",
    sum(with_four[0] < without[2] for without, with_four in zip(*by_kept.values(), strict=True)),
)
page.run("longer")
for kept, rows in by_kept.items():
    page.hold(f"nats in windows, {kept} kept", page["longer"][kept], np.mean(rows, axis=0), within=0.02)
sys.exit(page.compare())
