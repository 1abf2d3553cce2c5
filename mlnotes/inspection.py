"""Look into a model while it runs: what its attention heads compare, where each query looks, what is multiplied."""

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from unittest import mock

import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map_only
from torch.utils.flop_counter import flop_registry

from mlnotes.arrays import beside
from mlnotes.attention import self_attention
from mlnotes.efficient import flash, grouped_query


@dataclass(frozen=True)
class Heads:
    """What the heads of one attention layer were given, and what came of it, as NumPy arrays.

    Parameters
    ----------
    queries : array (..., h, l, d)
        Queries of each head.
    keys : array (..., h, s, d)
        Keys of each head.
    mask : boolean array or None
        True where a query may look.
    weights : array (..., h, l, s)
        What each query looked at: the weights that the layer went on with.
    """

    queries: np.ndarray
    keys: np.ndarray
    mask: np.ndarray | None
    weights: np.ndarray


@contextmanager
def recorded_heads(model):
    """Note what the heads of a model compare while it runs.

    What `mlnotes.attention.self_attention.attention_weights` is given and returns is what is noted, and what
    `mlnotes.efficient.grouped_query.grouped_query_attention` is given and averages with: nothing is computed again. Of
    key/value heads that are shared, each query head is noted with its own.

    Parameters
    ----------
    model : torch.nn.Module
        Anything whose layers call `mlnotes.attention.self_attention.attention` or that function.

    Yields
    ------
    dict of str to Heads
        By the name of the attention layer in the model, in the order of the calls; the last call counts. Filled when
        the model is called.
    """
    heads, running, compute, grouped = {}, [], self_attention.attention_weights, grouped_query.grouped_query_attention
    averaged_with = []

    def note(q, k, mask=None, bias=None, scale=None):
        weights = compute(q, k, mask, bias, scale)
        if running:
            heads[running[-1]] = Heads(*map(_as_numpy, (q, k, mask, weights)))
        return weights

    def kept(softmax):
        def keep(*args):
            averaged_with[:] = [softmax(*args)]
            return averaged_with[0]

        return keep

    def note_grouped(q, k, v, mask=None, bias=None, scale=None):
        out = grouped(q, k, v, mask, bias, scale)
        if running:
            own = _as_numpy(k).repeat(q.shape[-3] // k.shape[-3], axis=-3)
            heads[running[-1]] = Heads(_as_numpy(q), own, *map(_as_numpy, (mask, averaged_with.pop())))
        return out

    def leave(*_):
        running.pop()

    hooks = []
    for name, layer in model.named_modules():
        hooks.append(layer.register_forward_pre_hook(lambda *_, name=name: running.append(name)))
        hooks.append(layer.register_forward_hook(leave, always_call=True))
    try:
        with (
            mock.patch.object(self_attention, "attention_weights", note),
            mock.patch.multiple(
                grouped_query,
                ROWS=10**9,  # all queries together
                grouped_query_attention=note_grouped,
                softmax=kept(grouped_query.softmax),
                masked_softmax=kept(grouped_query.masked_softmax),
            ),
        ):
            yield heads
    finally:
        for hook in hooks:
            hook.remove()


def _as_numpy(x):
    if not isinstance(x, torch.Tensor):
        return x
    x = x.detach().cpu()
    return (x.float() if x.dtype == torch.bfloat16 else x).numpy()


@contextmanager
def tables_of_scores():
    """Note how large the tables of scores are that attention holds while it runs.

    Noted is what `mlnotes.efficient.grouped_query.grouped_query_attention` gives to softmax, and what
    `mlnotes.efficient.flash.flash_attention` joins, block by block.

    Yields
    ------
    list of int
        Bytes of each table, in the order of the calls.
    """
    sizes = []

    def noting(compute):
        def noted(*arguments):
            sizes.append(max(it.nbytes for it in arguments))
            return compute(*arguments)

        return noted

    with ExitStack() as patches:
        for module, name in (grouped_query, "softmax"), (grouped_query, "masked_softmax"), (flash, "_rescale"):
            patches.enter_context(mock.patch.object(module, name, noting(getattr(module, name))))
        yield sizes


def count_multiply_adds(function, *arguments, **options):
    """Count the multiplications, each with an addition, in all products of two matrices while a function runs.

    Parameters
    ----------
    function : callable
        What to run, once. Products that a backward pass makes inside of it count, too.
    *arguments : tensor, NumPy array or other
        Its arguments. NumPy arrays, also those in lists, are handed over as tensors, for PyTorch is what counts; others
        are passed on.
    **options
        Its options, likewise.

    Returns
    -------
    int
        m·n·p for each product of an (m, n) and an (n, p) matrix, as PyTorch's own ``FlopCounterMode`` counts them. A
        vector counts where it is a matrix of one row or column.
    """
    class Counting(TorchDispatchMode):
        flops = 0

        @classmethod
        def _should_skip_dynamo(cls):
            return False  # else the compiler is loaded for it, which takes longer than most of what is counted

        def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
            out = operation(*args, **kwargs or {})
            flops_of = flop_registry.get(operation._overloadpacket)
            self.flops += flops_of(*args, **kwargs or {}, out_val=out) if flops_of else 0
            return out

    nothing = torch.empty(0)
    arguments, options = tree_map_only(np.ndarray, lambda it: beside(it, nothing), (arguments, options))
    with Counting() as counting:
        function(*arguments, **options)
    return counting.flops // 2
