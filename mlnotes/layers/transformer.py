"""Transformers: encoder, decoder, encoder–decoder and language model, assembled from the layers of earlier chapters."""

from contextlib import contextmanager
from functools import partial

import numpy as np
import torch

from mlnotes.applications.mlp import relu
from mlnotes.attention.causal_mask import causal_mask
from mlnotes.attention.multi_head import split_heads
from mlnotes.attention.positions import sinusoidal_positions
from mlnotes.attention.self_attention import attention_weights
from mlnotes.attention.transformer import embed, feed_forward, layer_norm, post_norm, pre_norm, rms_norm
from mlnotes.layers.embedding import Embedding
from mlnotes.layers.multi_head import MultiHeadAttention


class LayerNorm(torch.nn.Module):
    """Hold gain and shift of `mlnotes.attention.transformer.layer_norm`; ones and zeros at first.

    Parameters
    ----------
    d_model : int
        Width of the tokens.
    eps : float
        Added to the variance.

    Raises
    ------
    ValueError
        If the width is not positive.
    """

    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        _require_positive(d_model=d_model)
        self.eps = eps
        self.gain = torch.nn.Parameter(torch.ones(d_model))
        self.shift = torch.nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        """Normalise each token (..., d_model)."""
        return layer_norm(x, self.gain, self.shift, self.eps)


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
        If the width is not positive.
    """

    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        _require_positive(d_model=d_model)
        self.eps = eps
        self.gain = torch.nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        """Normalise each token (..., d_model)."""
        return rms_norm(x, self.gain, self.eps)


class FeedForward(torch.nn.Module):
    """Hold the weights and biases of `mlnotes.attention.transformer.feed_forward`.

    Parameters
    ----------
    d_model, d_hidden : int
        Widths of the tokens and of the hidden layer.
    rng : numpy.random.Generator, optional
        Where the initial weights come from: normal, of variance 2/``d_model`` and 1/``d_hidden``. Biases start at zero.
    activation : callable
        Applied to the hidden layer.

    Raises
    ------
    ValueError
        If a width is not positive.
    """

    def __init__(self, d_model, d_hidden, rng=None, activation=relu):
        super().__init__()
        _require_positive(d_model=d_model, d_hidden=d_hidden)
        rng = np.random.default_rng() if rng is None else rng
        self.activation = activation
        self.w_1 = _drawn(rng, (2 / d_model) ** 0.5, d_model, d_hidden)
        self.b_1 = torch.nn.Parameter(torch.zeros(d_hidden))
        self.w_2 = _drawn(rng, d_hidden**-0.5, d_hidden, d_model)
        self.b_2 = torch.nn.Parameter(torch.zeros(d_model))

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
    rng : numpy.random.Generator, optional
        Where the initial weights come from.
    activation : callable
        Applied to the hidden layer.
    norm_first : bool
        Whether to normalise what goes into a sublayer (`mlnotes.attention.transformer.pre_norm`), or the sum with what
        comes out (`mlnotes.attention.transformer.post_norm`).
    norm : callable
        Takes a width and makes a layer: `LayerNorm` or `RMSNorm`, or a ``functools.partial`` of it with its ``eps``.

    Raises
    ------
    ValueError
        If a width is not positive, or the width does not divide by the heads.
    """

    def __init__(self, d_model, n_heads, d_hidden, rng=None, activation=relu, norm_first=False, norm=LayerNorm):
        super().__init__()
        rng = np.random.default_rng() if rng is None else rng
        self.residual = pre_norm if norm_first else post_norm
        self.attention = MultiHeadAttention(d_model, n_heads, rng, bias=True)
        self.feed_forward = FeedForward(d_model, d_hidden, rng, activation)
        self.norm_1, self.norm_2 = norm(d_model), norm(d_model)

    def forward(self, x, mask=None):
        """Give each token (..., l, d_model) a new vector; ``mask`` (..., l, l) is True where it may look."""
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
        If a width is not positive, or the width does not divide by the heads.
    """

    def __init__(self, d_model, n_heads, d_hidden, rng=None, activation=relu, norm_first=False, norm=LayerNorm):
        rng = np.random.default_rng() if rng is None else rng
        super().__init__(d_model, n_heads, d_hidden, rng, activation, norm_first, norm)
        self.cross_attention = MultiHeadAttention(d_model, n_heads, rng, bias=True)
        self.norm_3 = norm(d_model)

    def forward(self, x, memory, mask=None, memory_mask=None):
        """Give each token (..., l, d_model) a new vector, with what it found in ``memory`` (..., s, d_model)."""
        x = self.residual(x, partial(self.attention, mask=mask), self.norm_1)
        x = self.residual(x, partial(self.cross_attention, k=memory, mask=memory_mask), self.norm_2)
        return self.residual(x, self.feed_forward, self.norm_3)


class Encoder(torch.nn.Module):
    """Stack encoder blocks. Where they normalise first, a last norm follows.

    Parameters
    ----------
    n_layers : int
        How many blocks.
    d_model, n_heads, d_hidden : int
        As in `EncoderBlock`.
    rng : numpy.random.Generator, optional
        Where the initial weights come from.
    **options
        ``activation``, ``norm_first`` and ``norm``, as in `EncoderBlock`.

    Raises
    ------
    ValueError
        If a number is not positive, or the width does not divide by the heads.
    """

    block = EncoderBlock

    def __init__(self, n_layers, d_model, n_heads, d_hidden, rng=None, **options):
        super().__init__()
        _require_positive(n_layers=n_layers)
        rng = np.random.default_rng() if rng is None else rng
        blocks = [self.block(d_model, n_heads, d_hidden, rng, **options) for _ in range(n_layers)]
        self.blocks = torch.nn.ModuleList(blocks)
        self.norm = options.get("norm", LayerNorm)(d_model) if options.get("norm_first") else torch.nn.Identity()

    def forward(self, x, *others, **masks):
        """Give each token (..., l, d_model) a new vector; what else a block takes, each block is given."""
        return self.norm(self.states(x, *others, **masks)[-1])

    def states(self, x, *others, **masks):
        """List the tokens as they come in, and as each block leaves them."""
        states = [x]
        for block in self.blocks:
            states.append(block(states[-1], *others, **masks))
        return states


class Decoder(Encoder):
    """Stack decoder blocks: ``forward`` takes the tokens, the encoder's, and a mask for each of them.

    Parameters
    ----------
    n_layers, d_model, n_heads, d_hidden, rng, **options
        As in `Encoder`.

    Raises
    ------
    ValueError
        If a number is not positive, or the width does not divide by the heads.
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
    d_model, n_heads, d_hidden, rng, **options
        As in `Encoder`.
    max_length : int
        The longest sequence.

    Raises
    ------
    ValueError
        If a number is not positive, the width is odd, or it does not divide by the heads.
    """

    def __init__(self, n_source, n_target, n_layers, d_model, n_heads, d_hidden, rng=None, max_length=512, **options):
        super().__init__()
        rng = np.random.default_rng() if rng is None else rng
        self.source, self.target = Embedding(n_source, d_model, rng), Embedding(n_target, d_model, rng)
        self.encoder = Encoder(n_layers, d_model, n_heads, d_hidden, rng, **options)
        self.decoder = Decoder(n_layers, d_model, n_heads, d_hidden, rng, **options)
        self.register_buffer("positions", _positions(max_length, d_model))

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
        mask = None if source_mask is None else source_mask[..., None, :]  # the same for every query
        memory = self.encoder(embed(source, self.source.table, self.positions), mask=mask)
        written = embed(target, self.target.table, self.positions)
        causal = causal_mask(target.shape[-1], target.shape[-1])
        return self.target.logits(self.decoder(written, memory, mask=causal, memory_mask=mask))


class LanguageModel(torch.nn.Module):
    """Score the next token at each place of a sequence: a decoder that has nothing to read but itself.

    Parameters
    ----------
    n_tokens : int
        How many tokens there are.
    n_layers, d_model, n_heads, d_hidden, rng, **options
        As in `Encoder`.
    max_length : int
        The longest sequence.

    Raises
    ------
    ValueError
        If a number is not positive, the width is odd, or it does not divide by the heads.
    """

    def __init__(self, n_tokens, n_layers, d_model, n_heads, d_hidden, rng=None, max_length=512, **options):
        super().__init__()
        rng = np.random.default_rng() if rng is None else rng
        self.tokens = Embedding(n_tokens, d_model, rng)
        self.blocks = Encoder(n_layers, d_model, n_heads, d_hidden, rng, **options)
        self.register_buffer("positions", _positions(max_length, d_model))

    def forward(self, ids):
        """Score every token after each place of ``ids`` (..., l), in nats: (..., l, n_tokens)."""
        x = embed(ids, self.tokens.table, self.positions)
        return self.tokens.logits(self.blocks(x, mask=causal_mask(ids.shape[-1], ids.shape[-1])))


class Heads:
    """What the heads of one attention layer compare, as NumPy arrays.

    Parameters
    ----------
    layer : MultiHeadAttention
        The layer.
    q, k : tensor (..., l, d_model) and (..., s, d_model)
        What it is given; ``k`` is None where the tokens look at each other.
    mask : boolean array, optional
        True where a query may look.
    """

    def __init__(self, layer, q, k=None, mask=None):
        biases = [0 if b is None else b for b in (layer.b_q, layer.b_k)]
        with torch.no_grad():
            queries = split_heads(q @ layer.w_q + biases[0], layer.n_heads)
            keys = split_heads((q if k is None else k) @ layer.w_k + biases[1], layer.n_heads)
        self.queries, self.keys = queries.cpu().numpy(), keys.cpu().numpy()
        self.mask = None if mask is None else np.asarray(mask)

    def weights(self):
        """Compute what each query looks at, (..., h, l, s)."""
        for_all_heads = self.mask is not None and self.mask.ndim == self.queries.ndim - 1 > 2
        mask = self.mask[..., None, :, :] if for_all_heads else self.mask
        return attention_weights(self.queries, self.keys, mask)


@contextmanager
def recorded_heads(model):
    """Note what the heads of a model compare while it runs.

    Parameters
    ----------
    model : torch.nn.Module
        Anything that holds `mlnotes.layers.multi_head.MultiHeadAttention`.

    Yields
    ------
    dict of str to Heads
        By the name of the attention layer in the model, in the order of the calls. Filled when the model is called.
    """
    heads = {}

    def note(name, layer, arguments, named):
        heads[name] = Heads(layer, *arguments[:2], **{role: named[role] for role in ("k", "mask") if role in named})

    layers = [(name, layer) for name, layer in model.named_modules() if isinstance(layer, MultiHeadAttention)]
    hooks = [layer.register_forward_pre_hook(partial(note, name), with_kwargs=True) for name, layer in layers]
    try:
        yield heads
    finally:
        for hook in hooks:
            hook.remove()


def as_torch(block):
    """Write a block as PyTorch's own layer, with the same weights.

    Parameters
    ----------
    block : EncoderBlock or DecoderBlock
        A block with layer norms, and ReLU or GELU.

    Returns
    -------
    torch.nn.TransformerEncoderLayer or torch.nn.TransformerDecoderLayer
        Without dropout, batch first. Its masks are the other way round: True hides.
    """
    crosses, hidden = isinstance(block, DecoderBlock), block.feed_forward
    theirs = (torch.nn.TransformerDecoderLayer if crosses else torch.nn.TransformerEncoderLayer)(
        *(len(hidden.w_1), block.attention.n_heads, len(hidden.b_1)),
        dropout=0.0,
        activation=hidden.activation.__name__,
        layer_norm_eps=block.norm_1.eps,
        batch_first=True,
        norm_first=block.residual is pre_norm,
        dtype=hidden.w_1.dtype,
    )
    state = {"linear1.weight": hidden.w_1.T, "linear1.bias": hidden.b_1}
    state |= {"linear2.weight": hidden.w_2.T, "linear2.bias": hidden.b_2}
    for i, norm in enumerate([block.norm_1, block.norm_2] + ([block.norm_3] if crosses else []), 1):
        state |= {f"norm{i}.weight": norm.gain, f"norm{i}.bias": norm.shift}
    attentions = {"self_attn": block.attention} | ({"multihead_attn": block.cross_attention} if crosses else {})
    for name, layer in attentions.items():
        state[f"{name}.in_proj_weight"] = torch.cat([layer.w_q, layer.w_k, layer.w_v], dim=1).T
        state[f"{name}.in_proj_bias"] = torch.cat([layer.b_q, layer.b_k, layer.b_v])
        state |= {f"{name}.out_proj.weight": layer.w_o.T, f"{name}.out_proj.bias": layer.b_o}
    theirs.load_state_dict(state)
    return theirs


def _positions(max_length, d_model):
    return torch.tensor(sinusoidal_positions(max_length, d_model), dtype=torch.get_default_dtype())


def _drawn(rng, deviation, *shape):
    return torch.nn.Parameter(torch.tensor(rng.normal(0, deviation, shape), dtype=torch.get_default_dtype()))


def _require_positive(**numbers):
    for name, value in numbers.items():
        if value < 1:
            raise ValueError(f"{name} must be positive, got {value}")
