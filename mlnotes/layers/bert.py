"""BERT: an encoder that reads a text in both directions, assembled from the layers of this book."""

from functools import partial

import numpy as np
import torch

from mlnotes.applications.embedding import embedding
from mlnotes.applications.mlp import gelu
from mlnotes.arrays import beside, require_integers
from mlnotes.attention.transformer import embed_as_learned, mean_pool
from mlnotes.blocks.dot_product import unit
from mlnotes.layers.parameters import normal, require_float_dtype
from mlnotes.layers.transformer import Encoder, LayerNorm
from mlnotes.pretrained import minilm

# What the published file calls the parameters of ours.
_EMBEDDINGS = {
    "words": "word_embeddings.weight",
    "positions": "position_embeddings.weight",
    "token_types": "token_type_embeddings.weight",
    "norm.gain": "LayerNorm.weight",
    "norm.beta": "LayerNorm.bias",
}
_BLOCK = {
    "attention.w_q": "attention.self.query.weight",
    "attention.w_k": "attention.self.key.weight",
    "attention.w_v": "attention.self.value.weight",
    "attention.w_o": "attention.output.dense.weight",
    "attention.b_q": "attention.self.query.bias",
    "attention.b_k": "attention.self.key.bias",
    "attention.b_v": "attention.self.value.bias",
    "attention.b_o": "attention.output.dense.bias",
    "norm_1.gain": "attention.output.LayerNorm.weight",
    "norm_1.beta": "attention.output.LayerNorm.bias",
    "feed_forward.w_1": "intermediate.dense.weight",
    "feed_forward.b_1": "intermediate.dense.bias",
    "feed_forward.w_2": "output.dense.weight",
    "feed_forward.b_2": "output.dense.bias",
    "norm_2.gain": "output.LayerNorm.weight",
    "norm_2.beta": "output.LayerNorm.bias",
}


class Bert(torch.nn.Module):
    """Add learned vectors for words, places and kinds of text, normalize the sums, and let encoder blocks read them.

    Parameters
    ----------
    n_tokens, max_length, n_kinds : int
        How many tokens there are, how long a text may be, and how many kinds of text there are vectors for; here all
        tokens are of the first.
    n_layers, d_model, n_heads, d_hidden : int
        As in `mlnotes.layers.transformer.Encoder`.
    rng : numpy.random.Generator or int, optional
        Where the initial weights come from; those of the three tables are normal, of standard deviation 0.02. Unless
        given, new ones each time.
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

    @classmethod
    def minilm(cls, dtype=torch.float64):
        """Load all-MiniLM-L6-v2: six blocks of 12 heads and width 384, with the published weights.

        Parameters
        ----------
        dtype : torch.dtype
            What to compute in; the weights are stored in single precision.

        Returns
        -------
        Bert
            The model.

        Raises
        ------
        ValueError
            If ``dtype`` is none of PyTorch's floating-point types, or the weights are not the published ones.
        ModuleNotFoundError
            If the weights are not installed; the message says what to install.

        References
        ----------
        Wang et al., *MiniLM*, 2020. Reimers and Gurevych, *Sentence-BERT*, 2019.
        """
        require_float_dtype(dtype)
        with torch.device("meta"):  # which draws nothing that would be overwritten
            model = cls(30522, 512, 2, n_layers=6, d_model=384, n_heads=12, d_hidden=1536)
        stored = minilm.parameters("embeddings.")
        state = {ours: stored[theirs] for ours, theirs in _EMBEDDINGS.items()}
        for i in range(6):
            stored = minilm.parameters(f"encoder.layer.{i}.")
            # A stored matrix has one output in each row, ours one in each column.
            state |= {f"encoder.blocks.{i}.{ours}": stored[theirs].T for ours, theirs in _BLOCK.items()}
        state = {name: torch.from_numpy(np.ascontiguousarray(it)) for name, it in state.items()}
        model.load_state_dict(state, assign=True)
        return model.to(dtype)

    def forward(self, ids, mask=None):
        """Give each token of ids (..., l) its vector in this text, (..., l, d_model).

        Parameters
        ----------
        ids : integer tensor (..., l)
            Tokens.
        mask : boolean tensor (..., l), optional
            True for tokens, False for padding.

        Returns
        -------
        tensor (..., l, d_model)
            The vectors after the last block.

        Raises
        ------
        ValueError
            If an id is no token's, or there are more tokens than ``max_length``.
        """
        return list(self.states(ids, mask).values())[-1]

    def states(self, ids, mask=None):
        """Follow the tokens through the model.

        Parameters
        ----------
        ids, mask
            As in `forward`.

        Returns
        -------
        dict of str to tensor (..., l, d_model)
            The vectors by the name of what they have just passed: "table", "position", "norm", "layer 1" and so on.

        Raises
        ------
        ValueError
            For what `forward` refuses.
        """
        placed = embed_as_learned(ids, self.words, self.positions, self.token_types[0])
        normed = self.norm(placed)
        layers = self.encoder.states(normed, mask=None if mask is None else beside(mask, normed)[..., None, :])[1:]
        named = {f"layer {i}": x for i, x in enumerate(layers, 1)}
        return {"table": embedding(ids, self.words), "position": placed, "norm": normed} | named

    def sentence_vectors(self, ids, mask=None):
        """Give each sentence of ids (..., l) one vector of length 1: the mean of its tokens, (..., d_model).

        Dot products of the vectors compare meanings.

        Parameters
        ----------
        ids, mask
            As in `forward`.

        Returns
        -------
        tensor (..., d_model)
            The vectors.

        Raises
        ------
        ValueError
            If a sentence has no token, or for what `forward` refuses.
        """
        return unit(mean_pool(self(ids, mask), mask))
