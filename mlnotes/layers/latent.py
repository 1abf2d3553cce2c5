"""Multi-head latent attention as a layer that holds its projections."""

import numpy as np
import torch

from mlnotes.arrays import exact_integers, require_integers
from mlnotes.efficient.latent import latent_self_attention
from mlnotes.layers.parameters import head_width, normal


class LatentAttention(torch.nn.Module):
    """Hold the projections of `mlnotes.efficient.latent.latent_self_attention`.

    Parameters
    ----------
    d_model : int
        Width of the tokens.
    n_heads : int
        Heads, h.
    d_latent : int
        Width of a latent, r.
    d_rotary : int
        Width of the rotary part, p, even; 0 for none.
    d_head : int, optional
        Width of each head's keys without their rotary part, d, and of its values; ``d_model / n_heads`` unless given.
    rng : numpy.random.Generator or int, optional
        Where the initial weights come from: normal, of variance 1/(rows of the projection), so that tokens of unit
        variance give queries, keys and values of unit variance. Unless given, new ones each time.

    Raises
    ------
    ValueError
        If ``n_heads`` does not divide ``d_model`` and no ``d_head`` is given, or a width is no positive integer, or
        ``d_rotary`` is odd.

    Notes
    -----
    Latents go through an RMS norm before they are kept, as in DeepSeek-V2. Its larger versions also project queries
    down and up, which saves memory in training and changes nothing in the cache; that is left out here.
    """

    @exact_integers
    def __init__(self, d_model, n_heads, d_latent, d_rotary=0, d_head=None, rng=None):
        super().__init__()
        require_integers(1, d_latent=d_latent)
        require_integers(0, d_rotary=d_rotary)
        if d_rotary % 2:
            raise ValueError(f"d_rotary must be even, for positions turn pairs of coordinates, got {d_rotary}")
        d_head = head_width(d_model, n_heads, d_head)
        rng = np.random.default_rng(rng)
        self.n_heads = n_heads
        self.w_q = normal(rng, d_model**-0.5, d_model, n_heads * (d_head + d_rotary))
        self.w_c = normal(rng, d_model**-0.5, d_model, d_latent + d_rotary)
        self.gain = torch.nn.Parameter(torch.ones(d_latent))
        self.w_uk, self.w_uv = (normal(rng, d_latent**-0.5, d_latent, n_heads * d_head) for _ in range(2))
        self.w_o = normal(rng, (n_heads * d_head) ** -0.5, n_heads * d_head, d_model)

    def forward(self, x, mask=None, cache=None, rotate=None):
        """Give each token (..., l, d_model) its new vector, (..., l, d_model).

        Parameters
        ----------
        x : tensor (..., l, d_model)
            Tokens; the next ones, if there is a cache.
        mask, cache, rotate
            As in `mlnotes.efficient.latent.latent_self_attention`. A cache takes up nothing that records gradients:
            call the layer within ``torch.no_grad()``.

        Returns
        -------
        tensor (..., l, d_model)
            The heads' averages, projected back.
        """
        projections = self.w_q, self.w_c, self.w_uk, self.w_uv, self.w_o
        return latent_self_attention(x, *projections, self.n_heads, mask, cache, rotate, self.gain)
