"""Read other passages and texts through the latents, and choose these by more examples, in all layers."""

import sys

import numpy as np
from cells import Page, other_texts

page = Page(__file__)
page.run_until("controls-code", without=("par-figure", "widget", "table", "standard-error", "spectrum"))
model, smollm2, weights = page["model"], page["smollm2"], page["weights"]
tested = [x @ w for x, w in zip(page["inputs_of"](page["states"]), weights, strict=True)]

sizes = [np.diag(np.sqrt(np.mean(x**2, axis=0))) for x in page["inputs"]]
by_sizes = [page["factorize"](w, 256, x)[1] for w, x in zip(weights, sizes, strict=True)]
apart = [
    abs((page["nats"]([up[:rank] for up in by_sizes]) - nats).mean().item())
    for rank, nats in page["measured"]["of keys and values"].items()
]
page.report("nats between sizes and 384 examples", *apart)

lost = {256: [], 192: []}
passages = [smollm2.passage(96, start) for start in range(0, 2900, 300)]  # none meets that of the page
for ids in (*passages, *other_texts(96).values()):
    page.names["ids"] = ids
    full = page["surprise"](model.tokens.logits(model.norm(model.states(ids)[-1]))).mean()
    for rank, nats in lost.items():
        nats.append((page["nats"]([up[:rank] for up in page["of_keys"]]).mean() - full).item())
    print(full.item(), *(nats[-1] for nats in lost.values()), flush=True)
for rank, nats in lost.items():
    page.report(f"nats that rank {rank} costs", *nats)
page.hold("passages, texts", [10, 5], [len(passages), len(lost[256]) - len(passages)], within=0)
page.hold("of these, rank 256 costs more than 0.1 in", [5], [sum(it > 0.1 for it in lost[256])], within=0)


def shares(layer, x):
    """Find the shares of the squares of the tested text that are lost by the sizes of examples, and by these."""
    w, y = weights[layer], tested[layer]
    rows = np.vstack([x, 0.01 * np.eye(len(w))]) if layer == 0 else x  # as on the page
    for by in (np.diag(np.sqrt(np.mean(x**2, axis=0))), np.linalg.qr(rows, mode="r")):
        up = page["factorize"](w, 128, by)[1]
        yield np.sum((y - y @ up.T @ up) ** 2) / np.sum(y**2)


def compared(examples):
    both = np.array([[*shares(layer, x)] for layer, x in enumerate(examples)])
    print(len(examples[0]), "examples, medians", *np.median(both, axis=0), " layer 3", *both[3], flush=True)
    return (both[:, 0] < both[:, 1]).sum()


few = page["inputs"]
page.report("layers in which sizes lose less than 384 examples", compared(few))
others = [page["inputs_of"](model.states(ids)) for ids in other_texts(600).values()]
more = [np.vstack(it) for it in zip(few, *others, strict=True)]
page.report("more examples", len(more[0]))
page.hold("layers in which sizes lose less than these", [0], [compared(more)], within=0)
some = np.random.default_rng(0).choice(len(more[0]), len(few[0]), replace=False)
page.report("layers in which sizes lose less than 384 of these", compared([x[some] for x in more]))
sys.exit(page.compare())
