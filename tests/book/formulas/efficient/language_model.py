"""What the letters stand for in the formulas of a language model."""

import math

import numpy as np

from mlnotes.blocks.softmax import softmax
from mlnotes.efficient.language_model import next_token_probabilities

p = np.array([8, 4, 2, 1]) / 15
# By what the logarithms of the probabilities are divided, so that those on the page come out.
T = math.log(p[0] / p[1]) / math.log(64 / 16)
assert np.allclose(next_token_probabilities(np.log(p), temperature=T), np.array([64, 16, 4, 1]) / 85)

FORMULAS = {}
INLINE = {"choosing": {r"T=\tfrac12": {"T": T}}}

x, T = np.array([0.9, -0.4, 2.1, 1.3, 0.2, -1.1, 0.6]), 1.7
kept = 4
p = next_token_probabilities(x, T)
CHOSEN = {
    r"\mathbf x": x,
    r"\mathbf p": p,
    "p'": next_token_probabilities(x, T, top_k=kept),
    "t": np.sort(p)[-kept],
    "T": T,
    r"\mathrm{softmax}": lambda x: softmax(x[:, 0]),
    "i": range(1, len(x) + 1),
    "j": range(1, len(x) + 1),
}
DOCSTRINGS = {"next_token_probabilities": [CHOSEN]}
