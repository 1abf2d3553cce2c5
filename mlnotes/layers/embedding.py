"""A table of vectors as a layer."""

import numpy as np
import torch

from mlnotes.applications.embedding import embedding, tied_logits
from mlnotes.arrays import require_integers
from mlnotes.layers.parameters import normal


class Embedding(torch.nn.Module):
    """Hold the table of `mlnotes.applications.embedding.embedding`.

    Parameters
    ----------
    n_tokens : int
        Rows of the table.
    d_model : int
        Width of each vector.
    rng : numpy.random.Generator or int, optional
        Where the initial vectors come from: normal, of variance 1/``d_model``, so that rows are about 1 long, and
        tied logits of vectors of unit variance have unit variance. Unless given, new ones each time.

    Raises
    ------
    ValueError
        If a size is no positive integer.
    """

    def __init__(self, n_tokens, d_model, rng=None):
        super().__init__()
        require_integers(1, n_tokens=n_tokens, d_model=d_model)
        self.table = normal(np.random.default_rng(rng), d_model**-0.5, n_tokens, d_model)

    def forward(self, ids):
        """Look up the vectors of ids (...), (..., d_model)."""
        return embedding(ids, self.table)

    def logits(self, x):
        """Score every token against vectors (..., d_model), with the table itself: (..., n_tokens)."""
        return tied_logits(x, self.table)
