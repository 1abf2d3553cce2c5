"""What the letters stand for in the formulas of embedding."""

import numpy as np
import torch

from mlnotes.applications.embedding import embedding, embedding_gradient, one_hot, tied_logits
from mlnotes.applications.linear import linear
from mlnotes.blocks.softmax import cross_entropy, softmax
from mlnotes.book.formulas import From, NotRead

rng = np.random.default_rng(0)
m, d, n, k = 7, 3, 5, 2
E, C, x, w, b = (rng.normal(size=it) for it in ((m, d), (n, d), (n, d), (d, k), k))
ids = np.array([3, 1, 3, 7, 2])  # counted from 1; one of them twice, some never

found = torch.tensor(embedding(ids - 1, E), requires_grad=True)
(torch.tensor(C) * found.sin()).sum().backward()

COMMON = {
    r"\mathbf E": E,
    r"\mathbf e": lambda i: np.eye(m)[i - 1],
    r"\mathbf v": lambda j: E[j - 1],
    r"\mathrm{onehot}": lambda it: one_hot(np.squeeze(it).astype(int) - 1, m),
    r"\mathrm{ids}": ids,
    "m": m,
    "d": d,
    "n": n,
    "i": range(1, m + 1),
    "j": range(1, m + 1),
}
LOSS = COMMON | {
    r"\mathbf X": From(lambda at: embedding(ids - 1, at[r"\mathbf E"])),
    r"\mathbf O": one_hot(ids - 1, m),
    "L": From(lambda at: (C * np.sin(at[r"\mathbf X"])).sum()),  # some loss
    r"\mathbf G": found.grad.numpy(),
    "i": range(1, n + 1),
    "c": range(1, d + 1),
}

table = torch.tensor(E, requires_grad=True)
scores = table @ table[3]
scores.retain_grad()
torch.nn.functional.cross_entropy(scores, torch.tensor(1)).backward()
TIED = COMMON | {
    "a": 4,
    "b": 2,
    r"\mathrm{softmax}": lambda it: softmax(np.ravel(it)),
    r"\mathbf p": softmax(E @ E[3]),
    r"\mathbf r": scores.grad.numpy(),
    "L": float(cross_entropy((E @ E[3])[None], np.array([1]))),
}

FORMULAS = {
    "1b645389": [COMMON],
    "902ba3cd": [
        # "row j of E" is read as the function row of j times E.
        COMMON | {r"\text{row}": lambda it: E[round(it[0, 0] / E[0, 0]) - 1][None], r"\text{of}": 1},
        COMMON | {r"\mathbf X": embedding(ids - 1, E)},
    ],
    "0716d970": [LOSS],
    "b7eb6c68": [
        COMMON
        | {
            r"\mathbf X": x,
            r"\text{scores}": tied_logits(x, E),
            r"\text{score}": tied_logits(x, E),
            "i": range(1, n + 1),
        }
    ],
    "54ceb912": [COMMON | {"a": [1, 2], "b": [2, 3, 4]}],
}

INLINE = {
    "b6589fc6": {
        r"\mathbf Y=\mathbf X\mathbf W+\mathbf 1\mathbf b^{\mathsf T}": {
            r"\mathbf Y": linear(x, w, b),
            r"\mathbf X": x,
            r"\mathbf W": w,
            r"\mathbf b": b,
            r"\mathbf 1": np.ones(n),
        }
    },
    "c1dfd96e": {r"\lVert\mathbf e_i-\mathbf e_j\rVert_2=\sqrt2": COMMON | {"i": [1, 2, 3], "j": [4, 5]}},
    "0716d970": {r"\mathbf G=\partial L/\partial\mathbf X": LOSS, r"\mathbf X=\mathbf O\mathbf E": LOSS},
    "54ceb912": {
        r"\mathbf c^{\mathsf T}\mathbf E\mathbf E^{\mathsf T}\mathbf c"
        r"=\lVert\mathbf E^{\mathsf T}\mathbf c\rVert_2^2": {
            r"\mathbf E": E,
            r"\mathbf c": rng.normal(size=m) / 9,  # near 0
        },
        r"\mathbf c=\mathbf e_a-\mathbf e_b": NotRead("a definition"),
    },
    "16b06bd9": {r"L=-\log\mathrm{softmax}(\mathbf E\mathbf v_a)_b": TIED},
    "4cd66dfa": {
        r"\mathbf r=\mathbf p-\mathrm{onehot}(b)": TIED,
        r"\mathbf r\,\mathbf v_a^{\mathsf T}+\mathrm{onehot}(a)\,\mathbf r^{\mathsf T}\mathbf E": TIED
        | {"value": table.grad.numpy()},
    },
}

# A number that has what the function returns for its gradient by E, if C is its gradient by X.
ASKED = {r"\mathbf E": embedding_gradient(ids - 1, C, m), r"\mathbf X": C}
SLOPED = COMMON | {
    r"\mathbf X": x,
    "L": From(lambda at: sum(np.vdot(it, at[name]) for name, it in ASKED.items())),
}

DOCSTRINGS = {
    "one_hot": [COMMON],
    "embedding": [COMMON | {r"\mathbf X": embedding(ids - 1, E)}],
    "embedding_gradient": [SLOPED],
    "tied_logits": [COMMON | {r"\mathbf X": x, "value": tied_logits(x, E)}],
}
