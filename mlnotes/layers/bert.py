"""BERT: an encoder that reads a text in both directions, assembled from the layers of this book."""

from functools import partial

import numpy as np
import torch

from mlnotes.applications.embedding import embedding
from mlnotes.applications.mlp import gelu
from mlnotes.arrays import require_integers
from mlnotes.attention.transformer import embed_as_learned
from mlnotes.layers.parameters import normal
from mlnotes.layers.transformer import Encoder, LayerNorm


class Bert(torch.nn.Module):
    """Add learned vectors for words, places and kinds of text, normalise the sums, and let encoder blocks read them.

    Parameters
    ----------
    n_tokens, max_length, n_kinds : int
        How many tokens there are, how long a text may be, and how many kinds of text are told apart.
    n_layers, d_model, n_heads, d_hidden : int
        As in `mlnotes.layers.transformer.Encoder`.
    rng : numpy.random.Generator, optional
        Where the initial weights come from.
    eps : float
        Added to the variance in every norm.

    Raises
    ------
    ValueError
        If a number is no positive integer, or the width does not divide by the heads.

    References
    ----------
    Devlin et al., *BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding*, 2019.
    """

    def __init__(self, n_tokens, max_length, n_kinds, n_layers, d_model, n_heads, d_hidden, rng=None, eps=1e-12):
        super().__init__()
        require_integers(1, n_tokens=n_tokens, max_length=max_length, n_kinds=n_kinds, d_model=d_model)
        rng, norm = np.random.default_rng(rng), partial(LayerNorm, eps=eps)
        self.words, self.positions, self.token_types = (
            normal(rng, 0.02, rows, d_model) for rows in (n_tokens, max_length, n_kinds)
        )
        self.norm = norm(d_model)
        self.encoder = Encoder(n_layers, d_model, n_heads, d_hidden, rng, activation=gelu, norm=norm)

    def forward(self, ids, mask=None):
        """Give each token of ids (..., l) its vector in this text, (..., l, d_model).

        ``mask`` (..., l) is True for tokens and False for padding.
        """
        return list(self.states(ids, mask).values())[-1]

    def states(self, ids, mask=None):
        """Follow the tokens through the model.

        Returns
        -------
        dict of str to tensor (..., l, d_model)
            The vectors by the name of what they have just passed: "table", "position", "norm", "layer 1" and so on.
        """
        placed = embed_as_learned(ids, self.words, self.positions, self.token_types[0])
        normed = self.norm(placed)
        layers = self.encoder.states(normed, mask=None if mask is None else mask[..., None, :])[1:]
        named = {f"layer {i}": x for i, x in enumerate(layers, 1)}
        return {"table": embedding(ids, self.words), "position": placed, "norm": normed} | named
