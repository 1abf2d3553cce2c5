"""Llama: a decoder with rotary positions, shared key/value heads and gated networks, from the layers of this book."""

from functools import partial

import numpy as np
import torch

from mlnotes.arrays import require_integers, require_positive
from mlnotes.attention.causal_mask import causal_mask
from mlnotes.attention.positions import frequencies, rotary
from mlnotes.attention.transformer import pre_norm, swiglu
from mlnotes.efficient.kv_cache import KVCache
from mlnotes.layers.embedding import Embedding
from mlnotes.layers.grouped_query import GroupedQueryAttention
from mlnotes.layers.parameters import normal, require_float_dtype
from mlnotes.layers.transformer import RMSNorm
from mlnotes.pretrained import smollm2


class SwiGLU(torch.nn.Module):
    """Hold the three matrices of `mlnotes.attention.transformer.swiglu`.

    Parameters
    ----------
    d_model, d_hidden : int
        Widths of the tokens and of the hidden layer.
    rng : numpy.random.Generator or int, optional
        Where the initial weights come from: normal, of variance 1/(rows of the matrix). Unless given, new ones each
        time.

    Raises
    ------
    ValueError
        If a width is no positive integer.
    """

    def __init__(self, d_model, d_hidden, rng=None):
        super().__init__()
        require_integers(1, d_model=d_model, d_hidden=d_hidden)
        rng = np.random.default_rng(rng)
        self.w_gate, self.w_up = (normal(rng, d_model**-0.5, d_model, d_hidden) for _ in range(2))
        self.w_down = normal(rng, d_hidden**-0.5, d_hidden, d_model)

    def forward(self, x):
        """Give each token (..., d_model) a new vector, by itself."""
        return swiglu(x, self.w_gate, self.w_up, self.w_down)


class LlamaBlock(torch.nn.Module):
    """Let tokens look at each other through shared key/value heads, then think by themselves; norms come first.

    Parameters
    ----------
    d_model, n_heads, n_groups : int
        As in `mlnotes.layers.grouped_query.GroupedQueryAttention`.
    d_hidden : int
        Width of the hidden layer of `SwiGLU`.
    eps : float
        As in `mlnotes.layers.transformer.RMSNorm`.
    rng : numpy.random.Generator or int, optional
        Where the initial weights come from. Unless given, new ones each time.

    Raises
    ------
    ValueError
        If a number is no positive integer, or heads do not divide.
    """

    def __init__(self, d_model, n_heads, n_groups, d_hidden, eps=1e-5, rng=None):
        super().__init__()
        rng = np.random.default_rng(rng)
        self.norm_1, self.norm_2 = RMSNorm(d_model, eps), RMSNorm(d_model, eps)
        self.attention = GroupedQueryAttention(d_model, n_heads, n_groups, rng=rng)
        self.feed_forward = SwiGLU(d_model, d_hidden, rng)

    def forward(self, x, mask=None, cache=None, rotate=None):
        """Give each token (..., l, d_model) a new vector; the rest is as the attention layer takes it.

        Parameters
        ----------
        x, mask, cache, rotate
            As in `mlnotes.layers.grouped_query.GroupedQueryAttention.forward`.

        Returns
        -------
        tensor (..., l, d_model)
            The tokens with what was added to them.
        """
        x = pre_norm(x, partial(self.attention, mask=mask, cache=cache, rotate=rotate), self.norm_1)
        return pre_norm(x, self.feed_forward, self.norm_2)


class Llama(torch.nn.Module):
    """Score the next token at each place of a sequence, as the models of the Llama family do.

    Parameters
    ----------
    n_tokens : int
        How many tokens there are.
    n_layers : int
        How many blocks.
    d_model, n_heads, n_groups, d_hidden : int
        As in `LlamaBlock`.
    base : float
        Of the rotary frequencies, as in `mlnotes.attention.positions.frequencies`.
    eps : float
        Added to the mean square in every norm.
    rng : numpy.random.Generator or int, optional
        Where the initial weights come from. Unless given, new ones each time.

    Raises
    ------
    ValueError
        If a number is no positive integer, heads do not divide, their width is odd, or ``base`` is no number that is
        positive and finite.

    References
    ----------
    Touvron et al., *Llama 2: Open Foundation and Fine-Tuned Chat Models*, 2023.
    """

    def __init__(self, n_tokens, n_layers, d_model, n_heads, n_groups, d_hidden, base=10000.0, eps=1e-5, rng=None):
        super().__init__()
        require_integers(1, n_layers=n_layers)
        require_positive(base=base)
        rng = np.random.default_rng(rng)
        self.tokens = Embedding(n_tokens, d_model, rng)
        blocks = [LlamaBlock(d_model, n_heads, n_groups, d_hidden, eps, rng) for _ in range(n_layers)]
        self.blocks = torch.nn.ModuleList(blocks)
        self.norm, self.base = RMSNorm(d_model, eps), base
        frequencies(d_model // n_heads, base)  # refuses odd widths

    @classmethod
    def smollm2(cls, dtype=torch.float32):
        """Load SmolLM2-135M-Instruct: 30 blocks of width 576 with 9 query and 3 key/value heads, as published.

        Parameters
        ----------
        dtype : torch.dtype
            What to compute in; the weights are stored in 4 and 8 bits, with scales in half precision.

        Returns
        -------
        Llama
            The model, each call a new one. Its parameters record no gradients until ``requires_grad_()`` is called.

        Raises
        ------
        ValueError
            If ``dtype`` is none of PyTorch's floating-point types, or the weights are not the published ones.
        ModuleNotFoundError
            If the weights are not installed; the message says what to install.

        References
        ----------
        Ben Allal et al., *SmolLM2: When Smol Goes Big*, 2025.
        """
        require_float_dtype(dtype)
        with torch.device("meta"):  # which draws nothing that would be overwritten
            model = cls(49152, 30, 576, n_heads=9, n_groups=3, d_hidden=1536, base=100_000.0)
        state = {name: torch.from_numpy(array) for name, array in smollm2.parameters().items()}
        model.load_state_dict(state, assign=True)
        return model.requires_grad_(False).to(dtype)

    def forward(self, ids, mask=None, caches=None):
        """Score every token after each place of a sequence.

        Parameters
        ----------
        ids : integer array (..., l)
            The sequence; its next tokens, if there are caches.
        mask : boolean array (l, s) or (..., h, l, s), optional
            True where a query may look, in every layer: at itself and what is before it, unless given.
        caches : list of KVCache, optional
            One for each layer, as `caches` makes them, with the tokens before these, where their positions go on. They
            may be of a kind that forgets or rounds, such as `mlnotes.efficient.sinks.StreamingCache`. With them, call
            the model within ``torch.no_grad()``, unless its parameters record no gradients.

        Returns
        -------
        tensor (..., l, n_tokens)
            Scores in nats, before softmax.

        Raises
        ------
        ValueError
            If ``ids`` has no axis, or holds anything but tokens of the model; if there are not as many caches as
            layers, or for what attention or the caches refuse. What one of unlike caches refuses, those of the layers
            before it have taken up.
        """
        return self.tokens.logits(self.norm(self.states(ids, mask, caches)[-1]))

    def states(self, ids, mask=None, caches=None):
        """List the tokens (..., l, d_model) as they come from the table, and as each block leaves them.

        Parameters
        ----------
        ids, mask, caches
            As in `forward`.

        Returns
        -------
        list of tensor (..., l, d_model)
            One more than there are blocks; the last norm is not applied.

        Raises
        ------
        ValueError
            For what `forward` refuses.
        """
        states = [self.tokens(ids)]
        if states[0].ndim < 2:
            raise ValueError(f"ids must have at least one axis, got {ids}")
        if mask is None and caches is None:
            mask = causal_mask(states[0].shape[-2], states[0].shape[-2])
        if caches is not None:
            self._require_caches(caches)
        caches = [None] * len(self.blocks) if caches is None else caches
        for block, cache in zip(self.blocks, caches, strict=True):
            states.append(block(states[-1], mask, cache, self.rotation()))
        return states

    def _require_caches(self, caches):
        rule = f"there must be a cache for each of {len(self.blocks)} layers"
        if not isinstance(caches, list | tuple):
            raise ValueError(f"{rule} in a list, got {type(caches).__name__}")
        n, n_different = len(caches), len(set(map(id, caches)))
        if not n == n_different == len(self.blocks):
            raise ValueError(f"{rule}, got {n}, {n_different} of them different")
        for cache in caches:
            if not hasattr(cache, "meet"):
                raise ValueError(f"{rule} that meets queries, keys and values, got {cache!r}")

    def rotation(self):
        """Return what turns queries and keys: takes them, (..., l, d), and their positions, integers (l,)."""
        return partial(rotary, base=self.base)

    def caches(self, capacity, leading=()):
        """Make an empty cache for each layer.

        Parameters
        ----------
        capacity : int
            How many tokens fit.
        leading : tuple of int
            Sizes of the axes of ids before the tokens.

        Returns
        -------
        list of KVCache
            Of the model's precision and device.

        Raises
        ------
        ValueError
            If ``leading`` is no tuple, or for what `mlnotes.efficient.kv_cache.KVCache` refuses.
        """
        if not isinstance(leading, list | tuple):
            raise ValueError(f"leading must be a tuple of sizes, got {leading!r}")
        attention = self.blocks[0].attention
        sizes = attention.n_groups, attention.w_k.shape[1] // attention.n_groups
        return [KVCache(capacity, *sizes, leading=leading, like=attention.w_k) for _ in self.blocks]
