"""Attention in blocks as a layer that keeps no table of weights for its backward pass either."""

import numpy as np
import torch
from torch.autograd.function import once_differentiable

from mlnotes.arrays import beside, require_entries, require_integers
from mlnotes.efficient.flash import attention_and_lse, flash_attention_gradients


class FlashAttention(torch.nn.Module):
    """Attend block by block in both passes; there are no parameters.

    Parameters
    ----------
    block_size : int
        How many queries meet how many keys at a time; it changes results by rounding only.
    causal : bool
        Whether the queries are the last of the tokens that have keys: then each looks at the keys up to its own place,
        and blocks beyond are not computed.

    Raises
    ------
    ValueError
        If the block size is no positive integer.
    """

    def __init__(self, block_size=256, causal=False):
        super().__init__()
        require_integers(1, block_size=block_size)
        self.block_size, self.causal = block_size, causal

    def forward(self, q, k, v, mask=None, bias=None, scale=None):
        """Average the values (..., s, e) for each query, (..., l, e).

        Parameters
        ----------
        q : tensor (..., l, d)
            Queries.
        k : tensor (..., s, d)
            Keys.
        v : tensor (..., s, e)
            Values, one for each key.
        mask
            As in `mlnotes.attention.self_attention.attention_weights`.
        bias : array (l, s) or (..., l, s), optional
            Floating-point numbers, in nats, added to the scaled scores; axes of size 1 broadcast. NumPy or PyTorch.
        scale : float, optional
            What the dot products are multiplied by; 1/sqrt(d) unless given.

        Returns
        -------
        tensor (..., l, e)
            One average of the values for each query; zeros, and zero gradients, for a query that may look at no key.
            Gradients flow into ``q``, ``k``, ``v`` and ``bias``, not into ``scale``, and have none themselves.

        Raises
        ------
        ValueError
            For what `mlnotes.efficient.flash.attention_and_lse` refuses; with ``causal``, that is more queries than
            keys, too.
        """
        if isinstance(bias, np.ndarray):  # else it could not be kept for the way back
            bias = beside(bias, q)
        require_entries(-2, q=q, k=k)
        offset = k.shape[-2] - q.shape[-2] if self.causal else None
        return _Recomputed.apply(q, k, v, mask, bias, scale, self.block_size, offset)


class _Recomputed(torch.autograd.Function):
    """Keep queries, keys, values, results and one number for each query; compute the weights again on the way back."""

    @staticmethod
    def forward(ctx, q, k, v, mask, bias, scale, block_size, offset):
        ctx.options = {"mask": mask, "scale": scale, "block_size": block_size, "offset": offset}
        out, lse = attention_and_lse(q, k, v, bias=bias, **ctx.options)
        ctx.save_for_backward(q, k, v, bias, out, lse)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        q, k, v, bias, out, lse = ctx.saved_tensors
        grads = flash_attention_gradients(grad, out, lse, q, k, v, bias=bias, **ctx.options)
        grad_bias = None if bias is None else grads[3]
        return *grads[:3], None, grad_bias, None, None, None
