"""Let more texts than the chapter reads choose what its latents keep, with one token of each counted more than once."""

import sys

import numpy as np
from cells import Page

from mlnotes.efficient.latent import factorize

page = Page(__file__)
page.run_until("of-keys")
model, smollm2, weights, few = page["model"], page["smollm2"], page["weights"], page["inputs"]

tested = "twenty_newsgroups"
paths = sorted(path for path in page["folder"].glob("*.rst") if path.stem != tested)
texts = np.stack([smollm2.tokenize(path.read_text(encoding="utf-8"))[1][:192] for path in paths])
many = page["inputs_of"](model.states(texts))
page.report("texts, and tokens of them together", len(texts), texts.size)

passages = [smollm2.passage(144, start) for start in (0, 700, 1400, 2100)]
exact = [page["surprise"](model(ids), ids).mean() for ids in passages]


def repeated(inputs, token, times=256):
    """Count one token of each text so many times: in a row that is as many times as long in square."""
    length = np.where(np.arange(192) == token, np.sqrt(times), 1)[:, None]
    return [(x.reshape(-1, 192, 576) * length).reshape(-1, 576) for x in inputs]


def sizes(inputs):
    """Keep of each coordinate its root mean square."""
    return [np.diag(np.sqrt(np.mean(x**2, axis=0))) for x in inputs]


page.run("counted")
of = {
    "two texts": few,
    "two texts, token 0 × 256": repeated(few, 0),
    "sizes, two texts": sizes(few),
    "all texts": many,
    "all texts, token 0 × 256": repeated(many, 0),
    "all texts, token 100 × 256": repeated(many, 100),
    "sizes, all texts": sizes(many),
    "sizes, all texts, token 0 × 256": sizes(repeated(many, 0)),
}
for name, given in page["lost_by"].items():
    ups = [factorize(w, 192, x)[1] for w, x in zip(weights, of[name], strict=True)]
    at_128, at_192 = (
        [page["nats"]([up[:rank] for up in ups], ids).mean() - it for ids, it in zip(passages, exact, strict=True)]
        for rank in (128, 192)
    )
    page.hold(f"nats lost, {name}", given, (*at_128, np.mean(at_192)), within=0.02)
sys.exit(page.compare())
