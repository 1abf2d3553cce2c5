"""Transformers: encoder, decoder, encoder–decoder and language model, assembled from the layers of earlier chapters."""

from functools import partial

import numpy as np
import torch

from mlnotes.applications.linear import he_std
from mlnotes.applications.mlp import relu
from mlnotes.arrays import beside, require_integers
from mlnotes.attention.causal_mask import causal_mask
from mlnotes.attention.positions import sinusoidal_positions
from mlnotes.attention.transformer import embed, feed_forward, layer_norm, post_norm, pre_norm, rms_norm
from mlnotes.layers.embedding import Embedding
from mlnotes.layers.multi_head import MultiHeadAttention
from mlnotes.layers.parameters import normal, zeros


class LayerNorm(torch.nn.Module):
    """Hold gain and beta of `mlnotes.attention.transformer.layer_norm`; ones and zeros at first.

    Parameters
    ----------
    d_model : int
        Width of the tokens.
    eps : float
        Added to the variance.

    Raises
    ------
    ValueError
        If the width is no positive integer.
    """

    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        require_integers(1, d_model=d_model)
        self.eps = eps
        self.gain = torch.nn.Parameter(torch.ones(d_model))
        self.beta = zeros(d_model)

    def forward(self, x):
        """Normalize each token (..., d_model)."""
        return layer_norm(x, self.gain, self.beta, self.eps)


class RMSNorm(torch.nn.Module):
    """Hold the gain of `mlnotes.attention.transformer.rms_norm`; ones at first.

    Parameters
    ----------
    d_model : int
        Width of the tokens.
    eps : float
        Added to the mean square.

    Raises
    ------
    ValueError
        If the width is no positive integer.
    """

    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        require_integers(1, d_model=d_model)
        self.eps = eps
        self.gain = torch.nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        """Normalize each token (..., d_model)."""
        return rms_norm(x, self.gain, self.eps)


class FeedForward(torch.nn.Module):
    """Hold the weights and biases of `mlnotes.attention.transformer.feed_forward`.

    Parameters
    ----------
    d_model, d_hidden : int
        Widths of the tokens and of the hidden layer.
    rng : numpy.random.Generator or int, optional
        Where the initial weights come from: normal, of variance 2/``d_model`` and 1/``d_hidden``. Biases start at zero.
        Unless given, new ones each time.
    activation : callable
        Applied to the hidden layer.

    Raises
    ------
    ValueError
        If a width is no positive integer.
    """

    def __init__(self, d_model, d_hidden, rng=None, activation=relu):
        super().__init__()
        require_integers(1, d_model=d_model, d_hidden=d_hidden)
        rng = np.random.default_rng(rng)
        self.activation = activation
        self.w_1, self.b_1 = normal(rng, he_std(d_model), d_model, d_hidden), zeros(d_hidden)
        self.w_2, self.b_2 = normal(rng, d_hidden**-0.5, d_hidden, d_model), zeros(d_model)

    def forward(self, x):
        """Give each token (..., d_model) a new vector, by itself."""
        return feed_forward(x, self.w_1, self.b_1, self.w_2, self.b_2, self.activation)


class EncoderBlock(torch.nn.Module):
    """Let tokens look at each other, then think by themselves; with a causal mask, a block of a language model.

    Parameters
    ----------
    d_model : int
        Width of the tokens.
    n_heads : int
        How many heads share that width.
    d_hidden : int
        Width of the hidden layer.
    rng : numpy.random.Generator or int, optional
        Where the initial weights come from. Unless given, new ones each time.
    activation : callable
        Applied to the hidden layer.
    norm_first : bool
        Whether to normalize what goes into a sublayer (`mlnotes.attention.transformer.pre_norm`), or the sum with what
        comes out (`mlnotes.attention.transformer.post_norm`).
    norm : callable
        Takes a width and makes a layer: `LayerNorm` or `RMSNorm`, or a ``functools.partial`` of it with its ``eps``.

    Raises
    ------
    ValueError
        If a width is no positive integer, or the width does not divide by the heads.
    """

    def __init__(self, d_model, n_heads, d_hidden, rng=None, activation=relu, norm_first=False, norm=LayerNorm):
        super().__init__()
        rng = np.random.default_rng(rng)
        self.residual = pre_norm if norm_first else post_norm
        self.attention = MultiHeadAttention(d_model, n_heads, rng, bias=True)
        self.feed_forward = FeedForward(d_model, d_hidden, rng, activation)
        self.norm_1, self.norm_2 = norm(d_model), norm(d_model)

    def forward(self, x, mask=None):
        """Give each token (..., l, d_model) a new vector; ``mask`` (..., l, l) is True where it may look.

        Parameters
        ----------
        x : tensor (..., l, d_model)
            Tokens.
        mask
            As in `mlnotes.attention.multi_head.multi_head_attention`.

        Returns
        -------
        tensor (..., l, d_model)
            One new vector for each token.
        """
        x = self.residual(x, partial(self.attention, mask=mask), self.norm_1)
        return self.residual(x, self.feed_forward, self.norm_2)


class DecoderBlock(EncoderBlock):
    """Let tokens look at each other, then at the encoder's, then think by themselves.

    Parameters
    ----------
    d_model, n_heads, d_hidden, rng, activation, norm_first, norm
        As in `EncoderBlock`.

    Raises
    ------
    ValueError
        If a width is no positive integer, or the width does not divide by the heads.
    """

    def __init__(self, d_model, n_heads, d_hidden, rng=None, activation=relu, norm_first=False, norm=LayerNorm):
        rng = np.random.default_rng(rng)
        super().__init__(d_model, n_heads, d_hidden, rng, activation, norm_first, norm)
        self.cross_attention = MultiHeadAttention(d_model, n_heads, rng, bias=True)
        self.norm_3 = norm(d_model)

    def forward(self, x, memory, mask=None, memory_mask=None):
        """Give each token (..., l, d_model) a new vector, with what it found in ``memory`` (..., s, d_model).

        Parameters
        ----------
        x : tensor (..., l, d_model)
            Tokens.
        memory : tensor (..., s, d_model)
            What the encoder gave.
        mask, memory_mask
            Where a token may look among its like, (..., l, l), and in ``memory``, (..., l, s): as in
            `mlnotes.attention.multi_head.multi_head_attention`.

        Returns
        -------
        tensor (..., l, d_model)
            One new vector for each token.
        """
        x = self.residual(x, partial(self.attention, mask=mask), self.norm_1)
        x = self.residual(x, partial(self.cross_attention, k=memory, mask=memory_mask), self.norm_2)
        return self.residual(x, self.feed_forward, self.norm_3)


class Encoder(torch.nn.Module):
    """Stack encoder blocks. Where they normalize first, a last norm follows.

    Parameters
    ----------
    n_layers : int
        How many blocks.
    d_model, n_heads, d_hidden : int
        As in `EncoderBlock`.
    rng : numpy.random.Generator or int, optional
        Where the initial weights come from. Unless given, new ones each time.
    **options
        ``activation``, ``norm_first`` and ``norm``, as in `EncoderBlock`.

    Raises
    ------
    ValueError
        If a number is no positive integer, or the width does not divide by the heads.
    """

    block = EncoderBlock

    def __init__(self, n_layers, d_model, n_heads, d_hidden, rng=None, **options):
        super().__init__()
        require_integers(1, n_layers=n_layers)
        rng = np.random.default_rng(rng)
        blocks = [self.block(d_model, n_heads, d_hidden, rng, **options) for _ in range(n_layers)]
        self.blocks = torch.nn.ModuleList(blocks)
        self.norm = options.get("norm", LayerNorm)(d_model) if options.get("norm_first") else torch.nn.Identity()

    def forward(self, x, *others, **masks):
        """Give each token (..., l, d_model) a new vector; what else a block takes, each block is given.

        Parameters
        ----------
        x : tensor (..., l, d_model)
            Tokens.
        *others, **masks
            Of an `Encoder`, ``mask`` as in `EncoderBlock.forward`; of a `Decoder`, ``memory``, ``mask`` and
            ``memory_mask`` as in `DecoderBlock.forward`.

        Returns
        -------
        tensor (..., l, d_model)
            One new vector for each token.
        """
        return self.norm(self.states(x, *others, **masks)[-1])

    def states(self, x, *others, **masks):
        """List the tokens as they come in, and as each block leaves them.

        Parameters
        ----------
        x, *others, **masks
            As in `forward`.

        Returns
        -------
        list of tensor (..., l, d_model)
            One more than there are blocks; the last norm is not applied.
        """
        states = [x]
        for block in self.blocks:
            states.append(block(states[-1], *others, **masks))
        return states


class Decoder(Encoder):
    """Stack decoder blocks: ``forward`` takes what that of `DecoderBlock` takes.

    Parameters
    ----------
    n_layers, d_model, n_heads, d_hidden, rng, **options
        As in `Encoder`.

    Raises
    ------
    ValueError
        If a number is no positive integer, or the width does not divide by the heads.
    """

    block = DecoderBlock


class Transformer(torch.nn.Module):
    """Read one sequence, and score the next token at each place of another: encoder and decoder together.

    Parameters
    ----------
    n_source, n_target : int
        How many tokens there are to read, and to write.
    n_layers : int
        How many blocks the encoder has, and the decoder.
    d_model, n_heads, d_hidden, rng
        As in `Encoder`.
    max_length : int
        The longest sequence.
    **options
        As in `Encoder`.

    Raises
    ------
    ValueError
        If a number is no positive integer, the width is odd, or it does not divide by the heads.
    """

    def __init__(self, n_source, n_target, n_layers, d_model, n_heads, d_hidden, rng=None, max_length=512, **options):
        super().__init__()
        require_integers(1, max_length=max_length)
        rng = np.random.default_rng(rng)
        self.source, self.target = Embedding(n_source, d_model, rng), Embedding(n_target, d_model, rng)
        self.encoder = Encoder(n_layers, d_model, n_heads, d_hidden, rng, **options)
        self.decoder = Decoder(n_layers, d_model, n_heads, d_hidden, rng, **options)
        positions = torch.tensor(sinusoidal_positions(max_length, d_model), dtype=self.source.table.dtype)
        self.register_buffer("positions", positions)

    def forward(self, source, target, source_mask=None):
        """Score every token after each place of ``target`` (..., l), given ``source`` (..., s).

        Parameters
        ----------
        source, target : integer tensor (..., s) and (..., l)
            What is read, and what has been written so far.
        source_mask : boolean tensor (..., s), optional
            True for tokens, False for padding.

        Returns
        -------
        tensor (..., l, n_target)
            Scores in nats, before softmax.
        """
        if source_mask is not None:
            source_mask = beside(source_mask, self.positions)[..., None, :]  # the same for every query
        memory = self.encoder(embed(source, self.source.table, self.positions), mask=source_mask)
        written = embed(target, self.target.table, self.positions)
        causal = causal_mask(target.shape[-1], target.shape[-1])
        return self.target.logits(self.decoder(written, memory, mask=causal, memory_mask=source_mask))


class LanguageModel(torch.nn.Module):
    """Score the next token at each place of a sequence: a decoder that has nothing to read but itself.

    Parameters
    ----------
    n_tokens : int
        How many tokens there are.
    n_layers, d_model, n_heads, d_hidden, rng
        As in `Encoder`.
    max_length : int
        The longest sequence.
    **options
        As in `Encoder`.

    Raises
    ------
    ValueError
        If a number is no positive integer, the width is odd, or it does not divide by the heads.
    """

    def __init__(self, n_tokens, n_layers, d_model, n_heads, d_hidden, rng=None, max_length=512, **options):
        super().__init__()
        require_integers(1, max_length=max_length)
        rng = np.random.default_rng(rng)
        self.tokens = Embedding(n_tokens, d_model, rng)
        self.blocks = Encoder(n_layers, d_model, n_heads, d_hidden, rng, **options)
        positions = torch.tensor(sinusoidal_positions(max_length, d_model), dtype=self.tokens.table.dtype)
        self.register_buffer("positions", positions)

    def forward(self, ids):
        """Score every token after each place of ``ids`` (..., l), in nats: (..., l, n_tokens).

        Parameters
        ----------
        ids : integer tensor (..., l)
            The sequence.

        Returns
        -------
        tensor (..., l, n_tokens)
            Scores in nats, before softmax.

        Raises
        ------
        ValueError
            If an id is no token's, or there are more tokens than ``max_length``.
        """
        x = embed(ids, self.tokens.table, self.positions)
        return self.tokens.logits(self.blocks(x, mask=causal_mask(x.shape[-2], x.shape[-2])))
