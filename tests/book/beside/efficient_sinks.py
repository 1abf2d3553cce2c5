"""Read longer passages than the chapter does, in longer windows, with the first four tokens kept and without them."""

import sys

import numpy as np
from cells import Page

from mlnotes.efficient.sinks import sink_mask

page = Page(__file__)
page.run_until("run")
model, smollm2, n, windows = page["model"], page["smollm2"], 512, (64, 128, 256)
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
