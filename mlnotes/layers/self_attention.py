"""Self-attention as a layer that holds its three projections."""

import numpy as np
import torch

from mlnotes.arrays import require_integers
from mlnotes.attention.self_attention import self_attention
from mlnotes.layers.parameters import normal


class SelfAttention(torch.nn.Module):
    """Hold the projections of `mlnotes.attention.self_attention.self_attention`.

    Parameters
    ----------
    d_model : int
        Width of the tokens.
    d_head : int
        Width of queries, keys and values.
    rng : numpy.random.Generator or int, optional
        Where the initial weights come from: normal, of variance 1/``d_model``, so that tokens of unit variance
        give queries, keys and values of unit variance. Unless given, new ones each time.

    Raises
    ------
    ValueError
        If a width is no positive integer.
    """

    def __init__(self, d_model, d_head, rng=None):
        super().__init__()
        require_integers(1, d_model=d_model, d_head=d_head)
        rng = np.random.default_rng(rng)
        self.w_q, self.w_k, self.w_v = (normal(rng, d_model**-0.5, d_model, d_head) for _ in range(3))

    def forward(self, x, mask=None):
        """Give each token (..., l, d_model) its average of values, (..., l, d_head).

        Parameters
        ----------
        x : tensor (..., l, d_model)
            Tokens.
        mask
            As in `mlnotes.attention.self_attention.self_attention`.

        Returns
        -------
        tensor (..., l, d_head)
            One new vector for each token.
        """
        return self_attention(x, self.w_q, self.w_k, self.w_v, mask)
