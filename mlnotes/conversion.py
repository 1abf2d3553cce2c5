"""The book's blocks as layers of PyTorch, to compare and to time them with."""

import torch

from mlnotes.applications.mlp import gelu, relu
from mlnotes.attention.positions import halves_order
from mlnotes.attention.transformer import pre_norm
from mlnotes.layers.transformer import DecoderBlock, LayerNorm

_LLAMA = {
    "attention.w_q": "self_attn.q_proj",
    "attention.w_k": "self_attn.k_proj",
    "attention.w_v": "self_attn.v_proj",
    "attention.w_o": "self_attn.o_proj",
    "feed_forward.w_gate": "mlp.gate_proj",
    "feed_forward.w_up": "mlp.up_proj",
    "feed_forward.w_down": "mlp.down_proj",
    "norm_1.gain": "input_layernorm",
    "norm_2.gain": "post_attention_layernorm",
}


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

    Raises
    ------
    ValueError
        If the block has other norms or another activation.
    """
    _require_torchs(block)
    crosses, hidden = isinstance(block, DecoderBlock), block.feed_forward
    theirs = (torch.nn.TransformerDecoderLayer if crosses else torch.nn.TransformerEncoderLayer)(
        *(len(hidden.w_1), block.attention.n_heads, len(hidden.b_1)),
        dropout=0.0,
        activation=hidden.activation.__name__,
        batch_first=True,
        norm_first=block.residual is pre_norm,
        dtype=hidden.w_1.dtype,
    )
    state = {"linear1.weight": hidden.w_1.T, "linear1.bias": hidden.b_1}
    state |= {"linear2.weight": hidden.w_2.T, "linear2.bias": hidden.b_2}
    for i, norm in enumerate([block.norm_1, block.norm_2] + ([block.norm_3] if crosses else []), 1):
        getattr(theirs, f"norm{i}").eps = norm.eps
        state |= {f"norm{i}.weight": norm.gain, f"norm{i}.bias": norm.beta}
    attentions = {"self_attn": block.attention} | ({"multihead_attn": block.cross_attention} if crosses else {})
    for name, layer in attentions.items():
        state[f"{name}.in_proj_weight"] = torch.cat([layer.w_q, layer.w_k, layer.w_v], dim=1).T
        state[f"{name}.in_proj_bias"] = torch.cat([layer.b_q, layer.b_k, layer.b_v])
        state |= {f"{name}.out_proj.weight": layer.w_o.T, f"{name}.out_proj.bias": layer.b_o}
    theirs.load_state_dict(state)
    return theirs


def as_transformers(llama):
    """Write a language model as that of the library transformers, with the same weights.

    Parameters
    ----------
    llama : Llama
        The model.

    Returns
    -------
    transformers.LlamaForCausalLM
        In evaluation mode. It shares memory with ours, but for queries and keys, whose coordinates it pairs otherwise.
    """
    from transformers import LlamaConfig, LlamaForCausalLM  # here, because it takes seconds

    (n_tokens, d_model), attention = llama.tokens.table.shape, llama.blocks[0].attention
    config = LlamaConfig(
        vocab_size=n_tokens,
        hidden_size=d_model,
        intermediate_size=llama.blocks[0].feed_forward.w_up.shape[1],
        num_hidden_layers=len(llama.blocks),
        num_attention_heads=attention.n_heads,
        num_key_value_heads=attention.n_groups,
        rms_norm_eps=llama.norm.eps,
        rope_parameters={"rope_type": "default", "rope_theta": llama.base},
        tie_word_embeddings=True,
    )
    with torch.device("meta"):
        theirs = LlamaForCausalLM(config)
    order, ours = halves_order(d_model // attention.n_heads), llama.state_dict()
    state = {"model.norm.weight": ours["norm.gain"]}
    state |= dict.fromkeys(("model.embed_tokens.weight", "lm_head.weight"), ours["tokens.table"])
    for i in range(len(llama.blocks)):
        for name, other in _LLAMA.items():
            w = ours[f"blocks.{i}.{name}"]
            if other in ("self_attn.q_proj", "self_attn.k_proj"):
                w = w.reshape(d_model, -1, len(order))[:, :, order].reshape(w.shape)
            state[f"model.layers.{i}.{other}.weight"] = w.T if w.ndim == 2 else w
    theirs.load_state_dict(state, assign=True)
    theirs.model.rotary_emb = type(theirs.model.rotary_emb)(config)  # whose frequencies were on "meta", too
    return theirs.eval()


def _require_torchs(block):
    """Refuse what PyTorch's own blocks do not have."""
    if not isinstance(block.norm_1, LayerNorm):
        raise ValueError(f"block must have layer norms, got {type(block.norm_1).__name__}")
    if block.feed_forward.activation not in (relu, gelu):
        raise ValueError(f"block must have the activation relu or gelu, got {block.feed_forward.activation}")
