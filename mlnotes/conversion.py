"""The book's blocks as layers of PyTorch, to compare and to time them with."""

import torch

from mlnotes.attention.transformer import pre_norm
from mlnotes.layers.transformer import DecoderBlock


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
        state |= {f"norm{i}.weight": norm.gain, f"norm{i}.bias": norm.beta}
    attentions = {"self_attn": block.attention} | ({"multihead_attn": block.cross_attention} if crosses else {})
    for name, layer in attentions.items():
        state[f"{name}.in_proj_weight"] = torch.cat([layer.w_q, layer.w_k, layer.w_v], dim=1).T
        state[f"{name}.in_proj_bias"] = torch.cat([layer.b_q, layer.b_k, layer.b_v])
        state |= {f"{name}.out_proj.weight": layer.w_o.T, f"{name}.out_proj.bias": layer.b_o}
    theirs.load_state_dict(state)
    return theirs
