"""Grouped-query attention as a layer that holds its four projections."""

import numpy as np
import torch

from mlnotes.arrays import exact_integers
from mlnotes.efficient.grouped_query import grouped_query_self_attention, pool_heads, require_groups
from mlnotes.layers.parameters import head_width, normal


class GroupedQueryAttention(torch.nn.Module):
    """Hold the projections of `mlnotes.efficient.grouped_query.grouped_query_self_attention`.

    Parameters
    ----------
    d_model : int
        Width of the tokens.
    n_heads : int
        Query heads, h.
    n_groups : int
        Key/value heads, g, which divide the query heads: h of them make multi-head attention, 1 multi-query attention.
    d_head : int, optional
        Width of each head, d; ``d_model / n_heads`` unless given.
    rng : numpy.random.Generator or int, optional
        Where the initial weights come from: normal, of variance 1/(rows of the projection), so that tokens of unit
        variance give queries, keys and values of unit variance. Unless given, new ones each time.

    Raises
    ------
    ValueError
        If ``n_groups`` does not divide ``n_heads``, ``n_heads`` does not divide ``d_model`` and no ``d_head`` is
        given, or a width is no positive integer.
    """

    @exact_integers
    def __init__(self, d_model, n_heads, n_groups, d_head=None, rng=None):
        super().__init__()
        require_groups(n_heads, n_groups)
        d_head = head_width(d_model, n_heads, d_head)
        rng = np.random.default_rng(rng)
        self.n_heads, self.n_groups = n_heads, n_groups
        self.w_q = normal(rng, d_model**-0.5, d_model, n_heads * d_head)
        self.w_k, self.w_v = (normal(rng, d_model**-0.5, d_model, n_groups * d_head) for _ in range(2))
        self.w_o = normal(rng, (n_heads * d_head) ** -0.5, n_heads * d_head, d_model)

    def forward(self, x, mask=None, cache=None, rotate=None):
        """Give each token (..., l, d_model) its new vector, (..., l, d_model).

        Parameters
        ----------
        x : tensor (..., l, d_model)
            Tokens; the next ones, if there is a cache.
        mask, cache, rotate
            As in `mlnotes.efficient.grouped_query.grouped_query_self_attention`. A cache takes up nothing that records
            gradients: call the layer within ``torch.no_grad()``.

        Returns
        -------
        tensor (..., l, d_model)
            The heads' averages, projected back.
        """
        projections = (self.w_q, self.w_k, self.w_v, self.w_o)
        return grouped_query_self_attention(x, *projections, self.n_heads, self.n_groups, mask, cache, rotate)

    def pooled(self, n_groups):
        """Convert to fewer key/value heads, each the mean of those that it replaces.

        Parameters
        ----------
        n_groups : int
            Key/value heads of the new layer, which divide those of this one.

        Returns
        -------
        GroupedQueryAttention
            A new layer, whose weights record gradients where those of this one do; this one is unchanged.

        Raises
        ------
        ValueError
            If ``n_groups`` does not divide the key/value heads of this layer.
        """
        d_model, d_head = self.w_q.shape[0], self.w_q.shape[1] // self.n_heads
        with torch.device("meta"):  # which draws nothing that would be overwritten
            new = GroupedQueryAttention(d_model, self.n_heads, n_groups, d_head)
        weights = {name: w.clone() for name, w in self.state_dict().items()}
        weights |= {name: pool_heads(weights[name], self.n_groups, n_groups) for name in ("w_k", "w_v")}
        new.load_state_dict(weights, assign=True)
        for name, w in self.named_parameters():
            new.get_parameter(name).requires_grad_(w.requires_grad)
        return new
