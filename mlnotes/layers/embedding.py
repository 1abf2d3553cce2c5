"""A table of vectors as a layer."""

import numpy as np
import torch

from mlnotes.applications.embedding import embedding, tied_logits


class Embedding(torch.nn.Module):
    """Hold the table of `mlnotes.applications.embedding.embedding`.

    Parameters
    ----------
    n_tokens : int
        Rows of the table.
    d_model : int
        Width of each vector.
    rng : numpy.random.Generator, optional
        Where the initial vectors come from: normal, of variance 1/``d_model``, so that rows are about 1 long, and
        tied logits of vectors of unit variance have unit variance.

    Raises
    ------
    ValueError
        If a size is not positive.
    """

    def __init__(self, n_tokens, d_model, rng=None):
        super().__init__()
        if n_tokens < 1 or d_model < 1:
            raise ValueError(f"sizes must be positive, got n_tokens={n_tokens} and d_model={d_model}")
        rng = np.random.default_rng() if rng is None else rng
        draws = rng.normal(0, d_model**-0.5, (n_tokens, d_model))
        self.table = torch.nn.Parameter(torch.tensor(draws, dtype=torch.get_default_dtype()))

    def forward(self, ids):
        """Look up the vectors of ids (...), (..., d_model)."""
        return embedding(ids, self.table)

    def logits(self, x):
        """Score every token against vectors (..., d_model), with the table itself: (..., n_tokens)."""
        return tied_logits(x, self.table)
