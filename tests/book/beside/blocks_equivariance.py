"""Train the networks of the chapter on upright digits for longer, until they have nothing left to learn."""

import sys

import numpy as np
import torch
from cells import Page

page = Page(__file__)
page.run_until("arms", without=("arms",))
page.run("arms", ("[learned(seed, **how) for seed in range(3)]", "[]"))
for hidden in 32, 64:
    for name, actions in {"plain": page["turns"][:1], "averaged": page["turns"]}.items():
        nets = []
        for seed in range(3):
            f, parts = page["network"](seed, hidden)
            nets.append(page["train"](page["symmetrize"](f, actions), parts, page["x"], page["y"], steps=800))
        with torch.no_grad():
            left = [torch.nn.functional.cross_entropy(f(page["x"]), page["y"]).item() for f in nets]
            right = [(f(page["upright"]).argmax(-1) == page["answers"]).double().mean().item() for f in nets]
        page.report(f"nats left by {name}, {hidden} units, after 800 steps", np.mean(left))
        page.report("share of upright digits right", np.mean(right))
sys.exit(page.compare())
