"""Read other passages and texts than the chapter does, in longer windows, let others be first, and train for longer."""

import sys

import numpy as np
from cells import Page, other_texts

from mlnotes.efficient.sinks import sink_mask

page = Page(__file__)
page.run_until("hide")
run, short, smollm2 = page["run"], page["n"], page["smollm2"]
harm, hiding, left = [], [], []
for start in range(0, 2900, 300):
    ids = smollm2.passage(short, start)
    loss, _, _ = run(ids=ids)
    for losses, mask in (
        (harm, sink_mask(short, short, page["window"], n_sinks=0)),
        (left, sink_mask(short, short, page["window"], n_sinks=1)),
        (hiding, page["hidden"](0)),
    ):
        losses.append(run(mask, ids)[0].mean() - loss.mean())
    print(start, harm[-1], left[-1], hiding[-1], flush=True)
page.report("passages", len(harm))
page.report("nats that a window takes", *harm)
page.report("nats that it takes with the first token", *left)
page.report("nats that hiding the first token costs, in all passages but one", *sorted(hiding)[1:])

left_out = "share-figure", "value-figure"
cells = [cell.id for cell in page.cells if cell.cell_type == "code"]
for name in cells[cells.index("hide") + 1 : cells.index("value-table")]:
    if name not in left_out:
        page.run(name)

heads, zero, swapped = [], [], []
for name, ids in other_texts(short).items():
    page.names["ids"] = ids
    page.run("run")
    loss, weights, _ = page["run"]()
    heads.append((weights[:, :, 16:, 0].mean(-1) > 0.5).sum())
    zero.append(page["passed"](page["later"](page["nothing"])) - loss.mean())
    changes = (page["later"](page["of_another_text"](text)) for text in range(len(page["words"])))
    swapped += [page["passed"](change) - loss.mean() for change in changes]
    print(name, heads[-1], zero[-1], min(swapped), max(swapped), flush=True)
page.report("other texts", len(heads))
page.report("heads that give the first token more than half", *heads)
page.report("nats that a value of zero costs", *zero)
page.report("nats that keys and values of another text cost", *swapped)

page.run("toy-train-loop", ("return head(torch.tensor(params), weigh, start, rng)", "return torch.tensor(params)"))
trained = {steps: page["train"](page["softmax"], start=False, steps=steps) for steps in (80, 1500)}
page.run("toy-data", ("count=16", "count=2000"))
for steps, params in trained.items():
    loss, _, asked = page["head"](params, page["softmax"], False, np.random.default_rng(1))
    page.report("steps of training", steps)
    page.report(f"loss with softmax after {steps} steps, on 2,000 new texts", *loss)
page.report("loss of adding nothing, on the same", asked.mean())

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
