"""Blocks and whole transformers, assembled from layers."""

from functools import partial

import numpy as np
import pytest
import torch

from mlnotes.applications.mlp import gelu, relu, silu
from mlnotes.attention.causal_mask import causal_mask
from mlnotes.attention.transformer import feed_forward, layer_norm, post_norm, pre_norm, rms_norm
from mlnotes.conversion import as_torch
from mlnotes.layers.bert import Bert
from mlnotes.layers.transformer import (
    Decoder,
    DecoderBlock,
    Encoder,
    EncoderBlock,
    FeedForward,
    LanguageModel,
    LayerNorm,
    RMSNorm,
    Transformer,
)

# A rounding is 1.1e-16.
BLOCK = 2e-13  # two attentions, a network and three norms: 150 roundings of numbers up to 10 are 1.6e-13
SINGLE = 1e-4  # 600 roundings of 6e-8, of numbers up to 10, if chance adds them up: sqrt(600) * 10 * 6e-8 = 1.5e-5
STACK = 1e-12  # four blocks, of numbers up to 10 within: 7e-13
GRADIENTS = 1e-11  # a block and back: 300 roundings of numbers up to 260 are 9e-12
EPS = 2e-5  # eps, 1e-5, over a variance of 1 or a little more


def draw(*shape, seed=0):
    return torch.tensor(np.random.default_rng(seed).normal(size=shape))


def shaken(module):
    """Move every parameter, so that none is one or zero."""
    with torch.no_grad():
        for i, parameter in enumerate(module.double().parameters()):
            parameter += draw(*parameter.shape, seed=i) * 0.3
    return module


X, MEMORY = draw(2, 5, 12), draw(2, 7, 12, seed=1)
CAUSAL = torch.tensor(causal_mask(5, 5))
SEEN = torch.arange(7) < torch.tensor([7, 4])[:, None]
OPTIONS = pytest.mark.parametrize("options", [{}, {"norm_first": True}, {"activation": gelu, "norm_first": True}])


def test_layers_call_their_functions_with_their_parameters():
    norm, rms, hidden = (shaken(layer) for layer in (LayerNorm(12), RMSNorm(12), FeedForward(12, 20, activation=gelu)))
    same = partial(torch.testing.assert_close, rtol=0, atol=0)
    same(norm(X), layer_norm(X, norm.gain, norm.beta))
    same(rms(X), rms_norm(X, rms.gain))
    same(hidden(X), feed_forward(X, hidden.w_1, hidden.b_1, hidden.w_2, hidden.b_2, gelu))
    assert LayerNorm(3, eps=0.5)(torch.tensor([[1.0, 2.0, 3.0]])).max() < 1


@OPTIONS
@pytest.mark.parametrize("masked", [False, True])
def test_encoder_block_equals_torch_forwards_and_backwards(options, masked):
    block = shaken(EncoderBlock(12, 3, 20, np.random.default_rng(0), **options))
    theirs = as_torch(block)
    x = X.clone().requires_grad_()
    ours, expected = block(x, CAUSAL if masked else None), theirs(x, ~CAUSAL if masked else None)
    torch.testing.assert_close(ours, expected, rtol=0, atol=BLOCK)
    found, right = (torch.autograd.grad(out.square().sum(), x)[0] for out in (ours, expected))
    torch.testing.assert_close(found, right, rtol=0, atol=GRADIENTS)


@pytest.mark.parametrize("kind", [EncoderBlock, DecoderBlock])
def test_every_norm_of_torchs_block_has_the_eps_of_ours(kind):
    block = shaken(kind(12, 3, 20, np.random.default_rng(0)))
    norms = [block.norm_1, block.norm_2] + ([block.norm_3] if kind is DecoderBlock else [])
    for i, norm in enumerate(norms):
        norm.eps = 2.0**-i
    arguments = (X, MEMORY) if kind is DecoderBlock else (X,)
    torch.testing.assert_close(block(*arguments), as_torch(block)(*arguments), rtol=0, atol=BLOCK)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"norm": RMSNorm}, "block must have layer norms, got RMSNorm"),
        ({"activation": silu}, "block must have the activation relu or gelu, got <function silu"),
    ],
)
def test_what_torchs_blocks_do_not_have_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        as_torch(EncoderBlock(12, 3, 20, np.random.default_rng(0), **options))


def test_encoder_block_equals_torch_with_padding():
    block = shaken(EncoderBlock(12, 3, 20, np.random.default_rng(0)))
    expected = as_torch(block)(MEMORY, src_key_padding_mask=~SEEN)
    torch.testing.assert_close(block(MEMORY, SEEN[:, None])[SEEN], expected[SEEN], rtol=0, atol=BLOCK)


@OPTIONS
@pytest.mark.parametrize("masked", [False, True])
def test_decoder_block_equals_torch_forwards_and_backwards(options, masked):
    block = shaken(DecoderBlock(12, 3, 20, np.random.default_rng(0), **options))
    theirs = as_torch(block)
    x, memory = X.clone().requires_grad_(), MEMORY.clone().requires_grad_()
    if masked:
        ours = block(x, memory, CAUSAL, SEEN[:, None])
        expected = theirs(x, memory, tgt_mask=~CAUSAL, memory_key_padding_mask=~SEEN)
    else:
        ours, expected = block(x, memory), theirs(x, memory)
    torch.testing.assert_close(ours, expected, rtol=0, atol=BLOCK)
    gradients = [torch.autograd.grad(y.square().sum(), (x, memory)) for y in (ours, expected)]
    torch.testing.assert_close(*gradients, rtol=0, atol=GRADIENTS)


@pytest.mark.parametrize("model", [LanguageModel(11, 1, 12, 3, 20, 0), Bert(11, 9, 2, 1, 12, 3, 20, 0)])
def test_tokens_may_come_as_a_list(model):
    torch.testing.assert_close(model([1, 5, 2]), model(torch.tensor([1, 5, 2])), rtol=0, atol=0)
    if isinstance(model, Bert):
        seen = [True, True, False]
        torch.testing.assert_close(model([1, 5, 2], seen)[:2], model([1, 5])[:2], rtol=0, atol=BLOCK)
    with pytest.raises(ValueError, match="ids must be a sequence"):
        model(3)


@pytest.mark.parametrize("norm_first", [False, True])
def test_whole_stacks_equal_torchs(norm_first):
    encoder = shaken(Encoder(2, 12, 3, 20, np.random.default_rng(0), norm_first=norm_first))
    decoder = shaken(Decoder(2, 12, 3, 20, np.random.default_rng(1), norm_first=norm_first))
    norms = [None, None]
    if norm_first:
        norms = [torch.nn.LayerNorm(12, dtype=torch.float64) for _ in range(2)]
        for norm, ours in zip(norms, (encoder, decoder), strict=True):
            norm.load_state_dict({"weight": ours.norm.gain, "bias": ours.norm.beta})
    read = torch.nn.TransformerEncoder(as_torch(encoder.blocks[0]), 2, norms[0], enable_nested_tensor=False)
    write = torch.nn.TransformerDecoder(as_torch(decoder.blocks[0]), 2, norms[1])
    for stack, ours in ((read, encoder), (write, decoder)):
        stack.layers[1].load_state_dict(as_torch(ours.blocks[1]).state_dict())
    expected = write(X, read(MEMORY), tgt_mask=~CAUSAL)
    torch.testing.assert_close(decoder(X, encoder(MEMORY), CAUSAL), expected, rtol=0, atol=STACK)


def test_orders_of_add_and_norm_differ_where_they_should():
    for norm_first, order in ((False, post_norm), (True, pre_norm)):
        block = EncoderBlock(12, 3, 20, np.random.default_rng(0), norm_first=norm_first).double()
        expected = order(order(X, block.attention, block.norm_1), block.feed_forward, block.norm_2)
        torch.testing.assert_close(block(X), expected, rtol=0, atol=0)
    spread = EncoderBlock(12, 3, 20, np.random.default_rng(0)).double()(X).std(-1, correction=0)
    torch.testing.assert_close(spread, torch.ones_like(spread), rtol=0, atol=EPS)


def test_only_a_stack_that_normalises_first_ends_in_a_norm_of_its_own():
    assert isinstance(Encoder(1, 12, 3, 20).norm, torch.nn.Identity)
    assert isinstance(Encoder(1, 12, 3, 20, norm_first=True).norm, LayerNorm)
    assert isinstance(Decoder(1, 12, 3, 20, norm_first=True, norm=RMSNorm).norm, RMSNorm)


def test_states_lead_from_what_comes_in_to_what_goes_out():
    encoder = Encoder(3, 12, 3, 20, np.random.default_rng(0), norm_first=True).double()
    states = encoder.states(X, mask=CAUSAL)
    assert len(states) == 4
    torch.testing.assert_close(states[0], X, rtol=0, atol=0)
    torch.testing.assert_close(states[2], encoder.blocks[1](states[1], CAUSAL), rtol=0, atol=0)
    torch.testing.assert_close(encoder(X, mask=CAUSAL), encoder.norm(states[3]), rtol=0, atol=0)


@pytest.mark.parametrize("options", [{}, {"norm_first": False}, {"norm": RMSNorm}])
def test_language_model_cannot_see_what_follows(options):
    model = shaken(LanguageModel(11, 2, 12, 3, 20, np.random.default_rng(0), **options))
    ids = torch.tensor([[1, 5, 2, 9, 4], [3, 3, 3, 0, 10]])
    changed = ids.clone()
    changed[:, 3] = 7
    before, after = model(ids), model(changed)
    assert before.shape == (2, 5, 11)
    torch.testing.assert_close(before[:, :3], after[:, :3], rtol=0, atol=0)
    assert (before[:, 3:] - after[:, 3:]).abs().amax(-1).min() > 1e-3


def test_one_pass_of_the_language_model_equals_one_for_each_beginning():
    model = shaken(LanguageModel(11, 2, 12, 3, 20, np.random.default_rng(0)))
    ids = torch.tensor([1, 5, 2, 9, 4])
    step_by_step = torch.stack([model(ids[: i + 1])[-1] for i in range(5)])
    torch.testing.assert_close(model(ids), step_by_step, rtol=0, atol=BLOCK)


@pytest.mark.parametrize("norm_first", [False, True])
def test_transformer_reads_all_of_its_source_and_only_the_past_of_its_target(norm_first):
    model = shaken(Transformer(9, 11, 2, 12, 3, 20, np.random.default_rng(0), norm_first=norm_first))
    source, target = torch.tensor([[1, 5, 2, 8]]), torch.tensor([[0, 3, 10]])
    before = model(source, target)
    assert before.shape == (1, 3, 11)
    later = model(source, torch.tensor([[0, 3, 4]]))
    torch.testing.assert_close(before[:, :2], later[:, :2], rtol=0, atol=0)
    other = model(torch.tensor([[1, 5, 2, 3]]), target)
    assert (before - other).abs().amax(-1).min() > 1e-4


def test_padding_of_the_source_cannot_matter():
    model = shaken(Transformer(9, 11, 2, 12, 3, 20, np.random.default_rng(0)))
    target = torch.tensor([[0, 3, 10], [4, 4, 1]])
    padded, mask = torch.tensor([[1, 5, 0, 0], [2, 7, 3, 3]]), torch.tensor([[1, 1, 0, 0], [1, 1, 1, 1]]).bool()
    alone = model(torch.tensor([[1, 5]]), target[:1])
    for it in (mask, mask.tolist()):
        torch.testing.assert_close(model(padded, target, it)[:1], alone, rtol=0, atol=BLOCK)


def test_the_same_generator_gives_the_same_model_and_every_parameter_learns():
    for make in (
        lambda rng: LanguageModel(11, 2, 12, 3, 20, rng),
        lambda rng: Transformer(11, 11, 1, 12, 3, 20, rng, activation=gelu),
    ):
        one, two = (make(np.random.default_rng(5)) for _ in range(2))
        assert all(torch.equal(a, b) for a, b in zip(one.parameters(), two.parameters(), strict=True))
        ids = torch.tensor([[1, 5, 2, 9]])
        out = one(ids) if isinstance(one, LanguageModel) else one(ids, ids)
        (out * draw(*out.shape).float()).sum().backward()
        # The bias of the keys is the one parameter that softmax cannot notice.
        still = {name for name, p in one.named_parameters() if p.grad is None or p.grad.abs().max() < 1e-6}
        assert {name.rpartition(".")[2] for name in still} <= {"b_k"}


def test_activation_and_gradient_sizes_depend_on_the_order():
    x = draw(32, 64)
    for norm_first in (False, True):
        encoder = Encoder(24, 64, 4, 128, np.random.default_rng(0), norm_first=norm_first).double()
        states = encoder.states(x)
        sizes = [state.square().mean().item() for state in states[1:]]
        if norm_first:  # every sublayer adds, so the mean square grows with depth
            assert sizes[-1] > 5 * sizes[0]
        else:
            assert sizes == pytest.approx([1] * 24, rel=EPS)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_models_run_on_a_gpu():
    model = Transformer(9, 11, 2, 12, 3, 20, np.random.default_rng(0))
    source, target = torch.tensor([[1, 5, 2, 8]]), torch.tensor([[0, 3, 10]])
    expected = model(source, target)
    found = model.cuda()(source.cuda(), target.cuda())
    torch.testing.assert_close(found.cpu(), expected, rtol=0, atol=SINGLE)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: LayerNorm(0), "d_model must be positive, got 0"),
        (lambda: RMSNorm(-1), "d_model must be positive, got -1"),
        (lambda: FeedForward(12, 0), "d_hidden must be positive, got 0"),
        (lambda: EncoderBlock(12, 5, 20), "multiple of n_heads, got d_model=12 and n_heads=5"),
        (lambda: DecoderBlock(12, 5, 20), "multiple of n_heads, got d_model=12 and n_heads=5"),
        (lambda: Encoder(0, 12, 3, 20), "n_layers must be positive, got 0"),
        (lambda: LanguageModel(0, 1, 12, 3, 20), "n_tokens must be positive, got 0"),
        (lambda: LanguageModel(11, 1, 12, 3, 20, max_length=0), "max_length must be positive, got 0"),
        (lambda: LanguageModel(11, 1, 9, 3, 20), "d must be even, for pairs of coordinates, got 9"),
        (lambda: LanguageModel(11, 1, 12, 3, 20)(torch.tensor([11])), "0 and 10 for a table of 11 rows, got 11"),
        (lambda: LanguageModel(11, 1, 12, 3, 20, max_length=4)(torch.zeros(5).int()), "at most 4 tokens, .* got 5"),
    ],
)
def test_bad_sizes_are_refused_with_the_rule_and_the_value(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_relu_is_the_default_activation():
    assert EncoderBlock(12, 3, 20).feed_forward.activation is relu
