"""Multi-head attention as a layer that holds its four projections."""

import numpy as np
import torch

from mlnotes.arrays import require_integers
from mlnotes.attention.multi_head import multi_head_attention
from mlnotes.layers.parameters import normal, zeros

ROLES = "qkvo"


class MultiHeadAttention(torch.nn.Module):
    """Hold the projections of `mlnotes.attention.multi_head.multi_head_attention`.

    Parameters
    ----------
    d_model : int
        Width of the tokens, also of those that come out.
    n_heads : int
        How many heads share that width.
    rng : numpy.random.Generator or int, optional
        Where the initial weights come from: normal, of variance 1/``d_model``. Unless given, new ones each time.
    bias : bool
        Whether each projection adds a vector, as in BERT; zeros at first.

    Raises
    ------
    ValueError
        If a number is no positive integer, or the width does not divide by the heads.
    """

    def __init__(self, d_model, n_heads, rng=None, bias=False):
        super().__init__()
        require_integers(1, d_model=d_model, n_heads=n_heads)
        if d_model % n_heads:
            raise ValueError(f"d_model must be a multiple of n_heads, got d_model={d_model} and n_heads={n_heads}")
        rng = np.random.default_rng(rng)
        self.n_heads = n_heads
        for role in ROLES:
            self.register_parameter(f"w_{role}", normal(rng, d_model**-0.5, d_model, d_model))
        for role in ROLES:
            self.register_parameter(f"b_{role}", zeros(d_model) if bias else None)

    def forward(self, q, k=None, v=None, mask=None):
        """Give each token of ``q`` (..., l, d_model) what its heads found in ``k`` and ``v`` (..., s, d_model).

        Without ``k`` the tokens look at each other; without ``v`` the values come from ``k``.

        Parameters
        ----------
        q : tensor (..., l, d_model)
            The tokens that ask.
        k, v : tensor (..., s, d_model), optional
            The tokens that are asked.
        mask
            As in `mlnotes.attention.multi_head.multi_head_attention`.

        Returns
        -------
        tensor (..., l, d_model)
            One new vector for each token of ``q``.
        """
        k = q if k is None else k
        v = k if v is None else v
        weights = (self.w_q, self.w_k, self.w_v, self.w_o)
        biases = {f"b_{role}": getattr(self, f"b_{role}") for role in ROLES}
        return multi_head_attention(q, k, v, *weights, self.n_heads, mask, **biases)
