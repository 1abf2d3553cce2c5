"""MiniLM, a real pretrained encoder, assembled from the layers of this book."""

from functools import partial

import numpy as np
import torch

from mlnotes import minilm
from mlnotes.applications.embedding import embedding
from mlnotes.applications.mlp import gelu
from mlnotes.attention.transformer import mean_pool
from mlnotes.layers.transformer import Encoder, LayerNorm

FIRST, LAST = 101, 102  # the tokens [CLS] and [SEP], which frame every sentence
_NAMES = {
    "attention.w_q": "attention.self.query.weight",
    "attention.w_k": "attention.self.key.weight",
    "attention.w_v": "attention.self.value.weight",
    "attention.w_o": "attention.output.dense.weight",
    "attention.b_q": "attention.self.query.bias",
    "attention.b_k": "attention.self.key.bias",
    "attention.b_v": "attention.self.value.bias",
    "attention.b_o": "attention.output.dense.bias",
    "norm_1.gain": "attention.output.LayerNorm.weight",
    "norm_1.shift": "attention.output.LayerNorm.bias",
    "feed_forward.w_1": "intermediate.dense.weight",
    "feed_forward.b_1": "intermediate.dense.bias",
    "feed_forward.w_2": "output.dense.weight",
    "feed_forward.b_2": "output.dense.bias",
    "norm_2.gain": "output.LayerNorm.weight",
    "norm_2.shift": "output.LayerNorm.bias",
}


class MiniLM(torch.nn.Module):
    """Six encoder blocks of 12 heads and width 384, with the published weights of all-MiniLM-L6-v2.

    Parameters
    ----------
    dtype : torch.dtype
        What to compute in; the weights are stored in single precision.

    Raises
    ------
    ModuleNotFoundError
        If the model is not installed; the message says what to install.

    References
    ----------
    Wang et al., *MiniLM*, 2020. Reimers and Gurevych, *Sentence-BERT*, 2019.
    """

    def __init__(self, dtype=torch.float64):
        super().__init__()
        stored = minilm.parameters("embeddings.")
        for name in ("word", "position", "token_type"):
            table = torch.tensor(stored[f"{name}_embeddings.weight"], dtype=dtype)
            self.register_parameter(f"{name}s", torch.nn.Parameter(table))
        norm = partial(LayerNorm, eps=1e-12)
        self.norm = norm(384)
        self.norm.load_state_dict(_tensors({"gain": stored["LayerNorm.weight"], "shift": stored["LayerNorm.bias"]}))
        self.encoder = Encoder(6, 384, 12, 1536, np.random.default_rng(0), activation=gelu, norm=norm)
        for i, block in enumerate(self.encoder.blocks):
            stored = minilm.parameters(f"encoder.layer.{i}.")
            # A stored matrix has one output in each row, ours one in each column.
            block.load_state_dict(_tensors({ours: stored[theirs].T for ours, theirs in _NAMES.items()}))
        self.to(dtype)

    def forward(self, ids, mask=None):
        """Give each token of ids (..., l) its vector in this sentence, (..., l, 384).

        ``mask`` (..., l) is True for tokens and False for padding.
        """
        return list(self.states(ids, mask).values())[-1]

    def states(self, ids, mask=None):
        """Follow the tokens through the model.

        Returns
        -------
        dict of str to tensor (..., l, 384)
            The vectors by the name of what they have just passed: "table", "position", "norm", "layer 1" to "layer 6".
        """
        if ids.shape[-1] > len(self.positions):
            raise ValueError(f"a sentence may have at most {len(self.positions)} tokens, got {ids.shape[-1]}")
        table = embedding(ids, self.words)
        placed = table + self.positions[: ids.shape[-1]] + self.token_types[0]
        normed = self.norm(placed)
        layers = self.encoder.states(normed, mask=None if mask is None else mask[..., None, :])[1:]
        named = {f"layer {i}": x for i, x in enumerate(layers, 1)}
        return {"table": table, "position": placed, "norm": normed} | named

    def sentence_vectors(self, sentences):
        """Give each sentence one vector of length 1, whose dot products compare their meanings.

        Parameters
        ----------
        sentences : sequence of str
            English sentences.

        Returns
        -------
        tensor (n, 384)
            The mean of each sentence's tokens, brought to length 1.
        """
        ids, mask = batch(sentences)
        pooled = mean_pool(self(ids, mask), mask)
        return pooled / pooled.norm(dim=-1, keepdim=True)


def framed(sentence):
    """Cut a sentence into tokens, with the two that frame it.

    Parameters
    ----------
    sentence : str
        English text; case is ignored.

    Returns
    -------
    tokens : list of str
        The first is ``[CLS]``, the last ``[SEP]``.
    ids : tensor (l,)
        Their rows in the table of word vectors.
    """
    tokens, ids = minilm.tokenize(sentence)
    return ["[CLS]", *tokens, "[SEP]"], torch.tensor([FIRST, *ids, LAST])


def batch(sentences):
    """Put sentences of different lengths into one array, with padding after the shorter ones.

    Parameters
    ----------
    sentences : sequence of str
        English sentences.

    Returns
    -------
    ids : tensor (n, l)
        Framed tokens, then zeros.
    mask : boolean tensor (n, l)
        True for tokens.
    """
    if isinstance(sentences, str) or not len(sentences):
        raise ValueError(f"sentences must be a list of at least one, got {sentences!r}")
    rows = [framed(sentence)[1] for sentence in sentences]
    lengths = torch.tensor([len(row) for row in rows])
    ids = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)
    return ids, torch.arange(ids.shape[1]) < lengths[:, None]


def _tensors(arrays):
    return {name: torch.tensor(np.ascontiguousarray(array)) for name, array in arrays.items()}
