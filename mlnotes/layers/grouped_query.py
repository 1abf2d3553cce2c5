"""Grouped-query attention as a layer that holds its four projections."""

import numpy as np
import torch

from mlnotes.attention.causal_mask import causal_mask
from mlnotes.attention.multi_head import merge_heads, split_heads
from mlnotes.efficient.grouped_query import grouped_query_attention, pool_heads, require_groups


class GroupedQueryAttention(torch.nn.Module):
    """Hold the projections of `mlnotes.efficient.grouped_query.grouped_query_attention`.

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
    rng : numpy.random.Generator, optional
        Where the initial weights come from: normal, of variance 1/(rows of the projection), so that tokens of unit
        variance give queries, keys and values of unit variance.

    Raises
    ------
    ValueError
        If ``n_groups`` does not divide ``n_heads``, ``n_heads`` does not divide ``d_model`` and no ``d_head`` is
        given, or a width is not positive.
    """

    def __init__(self, d_model, n_heads, n_groups, d_head=None, rng=None):
        super().__init__()
        require_groups(n_heads, n_groups)
        if d_head is None and d_model % n_heads:
            raise ValueError(f"n_heads must divide d_model, got {n_heads} heads for a width of {d_model}")
        d_head = d_model // n_heads if d_head is None else d_head
        if d_model < 1 or d_head < 1:
            raise ValueError(f"widths must be positive, got d_model={d_model} and d_head={d_head}")
        rng = np.random.default_rng() if rng is None else rng
        self.n_heads, self.n_groups = n_heads, n_groups

        def projection(rows, columns):
            draws = rng.normal(0, rows**-0.5, (rows, columns))
            return torch.nn.Parameter(torch.tensor(draws, dtype=torch.get_default_dtype()))

        self.w_q = projection(d_model, n_heads * d_head)
        self.w_k, self.w_v = (projection(d_model, n_groups * d_head) for _ in range(2))
        self.w_o = projection(n_heads * d_head, d_model)

    def forward(self, x, mask=None, cache=None, rotate=None):
        """Give each token (..., l, d_model) its new vector, (..., l, d_model).

        Parameters
        ----------
        x : tensor (..., l, d_model)
            Tokens; the next ones, if there is a cache.
        mask : boolean array (l, s) or (..., h, l, s), optional
            True where a query may look. With a cache, unless given: at the tokens before it and at itself.
        cache : KVCache, optional
            The s - l tokens before these, of g heads; it takes up the keys and values of these.
        rotate : callable, optional
            What queries and keys (..., l, d) go through before they meet, such as a rotary embedding.

        Returns
        -------
        tensor (..., l, d_model)
            The heads' averages, projected back.
        """
        q = split_heads(x @ self.w_q, self.n_heads)
        k, v = (split_heads(x @ w, self.n_groups) for w in (self.w_k, self.w_v))
        if rotate is not None:
            q, k = rotate(q), rotate(k)
        if cache is not None:
            offset = len(cache)
            cache.append(k, v)
            k, v = cache.keys, cache.values
            mask = causal_mask(x.shape[-2], len(cache), offset) if mask is None else mask
        return merge_heads(grouped_query_attention(q, k, v, mask)) @ self.w_o

    def pooled(self, n_groups):
        """Convert to fewer key/value heads, each the mean of those that it replaces.

        Parameters
        ----------
        n_groups : int
            Key/value heads of the new layer, which divide those of this one.

        Returns
        -------
        GroupedQueryAttention
            A new layer; this one is unchanged.
        """
        d_model, d_head = self.w_q.shape[0], self.w_q.shape[1] // self.n_heads
        new = GroupedQueryAttention(d_model, self.n_heads, n_groups, d_head).to(self.w_q)
        weights = dict(self.named_parameters())
        weights |= {name: pool_heads(weights[name], self.n_groups, n_groups) for name in ("w_k", "w_v")}
        new.load_state_dict(weights)
        return new
