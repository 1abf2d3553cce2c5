"""Key/value cache: what was computed for the tokens of the past is kept, not computed again."""

import numpy as np
from array_api_compat import array_namespace, device

from mlnotes.arrays import (
    exact_integers,
    require_floats,
    require_integers,
    require_same_kind,
    require_same_size,
)
from mlnotes.attention.causal_mask import causal_mask
from mlnotes.attention.self_attention import attention


class KVCache:
    """Keep the keys and values of all tokens so far, in memory that is set aside once.

    Parameters
    ----------
    capacity : int
        How many tokens fit.
    n_heads : int
        Key/value heads, g.
    d_head : int
        Width of a key, d.
    d_value : int, optional
        Width of a value, e; ``d_head`` unless given.
    leading : tuple of int
        Sizes of the axes before the heads: ``(b,)`` for a batch of b sequences of equal length.
    like : array, optional
        An array whose library, precision and device the cache takes; NumPy's float64 unless given.

    Attributes
    ----------
    capacity : int
        How many tokens fit.

    Raises
    ------
    ValueError
        If a size is no positive integer, or ``like`` holds no floats.

    Notes
    -----
    The memory for g heads of s tokens is g·s·(d + e) numbers, for each sequence and each layer of a model. For
    decoding: gradients do not flow through it.

    References
    ----------
    Pope et al., *Efficiently Scaling Transformer Inference*, 2023, section 2.
    """

    def __init__(self, capacity, n_heads, d_head, d_value=None, leading=(), like=None):
        _require_sizes(capacity, n_heads, d_head, d_value, leading)
        like = np.zeros(()) if like is None else like
        require_floats(like=like)
        self.capacity, self._length = capacity, 0
        self._keys, self._values = (
            array_namespace(like).zeros((*leading, n_heads, capacity, d), dtype=like.dtype, device=device(like))
            for d in (d_head, d_head if d_value is None else d_value)
        )

    def append(self, k, v):
        """Write the keys and values of the next tokens behind those that are there.

        Parameters
        ----------
        k : array (..., g, l, d)
            Keys of l tokens, of the cache's library and precision.
        v : array (..., g, l, e)
            Their values.

        Raises
        ------
        ValueError
            If there is no room for l more tokens, the numbers of keys and values differ, heads, width, leading axes,
            library, precision or device are not the cache's, or gradients are recorded. The cache is then unchanged.
        """
        _require_fits(self, k, v)
        end = self._length + k.shape[-2]
        self._keys[..., self._length : end, :] = k
        self._values[..., self._length : end, :] = v
        self._length = end

    def meet(self, q, k, v, rotate=None):
        """Take up the next tokens, and hand out what their queries meet: all tokens so far.

        Parameters
        ----------
        q : array (..., h, l, d)
            Queries of the l next tokens.
        k, v : array (..., g, l, d) and (..., g, l, e)
            Their keys and values.
        rotate : callable, optional
            Takes queries or keys (..., l, d) and their positions in the text, integers (l,), and gives what meets,
            such as a rotary embedding. Each key goes through once, at its own position.

        Returns
        -------
        q, k, v : array (..., h, l, d), (..., g, s, d) and (..., g, s, e)
            What attention takes.
        boolean array (l, s)
            True where a query may look: at the tokens before its own and at itself.

        Raises
        ------
        ValueError
            If queries and keys, once turned, differ in tokens, width, library, precision or device, or for what
            `append` refuses. The cache is then unchanged.
        """
        require_same_size(-2, k=k, v=v)
        past, n = len(self), k.shape[-2]
        if rotate is not None:
            q, k = (rotate(x, np.arange(past, past + n)) for x in (q, k))
        require_queries(q, k)
        self.append(k, v)
        return q, self.keys, self.values, causal_mask(n, len(self), past)

    @property
    def keys(self):
        """The keys of all tokens so far, (..., g, s, d): a view, not a copy."""
        return self._keys[..., : self._length, :]

    @property
    def values(self):
        """The values of all tokens so far, (..., g, s, e): a view, not a copy."""
        return self._values[..., : self._length, :]

    @property
    def nbytes(self):
        """The bytes set aside, whether or not they are in use yet."""
        return self._keys.nbytes + self._values.nbytes

    def __len__(self):
        return self._length

    def __repr__(self):
        return f"<KVCache with {self._length} of {self.capacity} tokens>"


def cached_attention(q, k, v, cache):
    """Let each new token look at all tokens before it, and at itself.

    Parameters
    ----------
    q : array (..., h, l, d)
        Queries of the l next tokens: one in decoding, as many as one likes in prefill.
    k, v : array (..., h, l, d) and (..., h, l, e)
        Their keys and values, which the cache takes up.
    cache : KVCache
        The tokens before them, of h heads.

    Returns
    -------
    array (..., h, l, e)
        What causal attention over all tokens gives for the last l.

    Raises
    ------
    ValueError
        If queries and keys differ in shape, library, precision or device, or for what `KVCache.append` refuses. The
        cache is then unchanged.

    Notes
    -----
    With s tokens in the cache, query i is token s + i: the mask is ``causal_mask(l, s + l, offset=s)``.
    """
    if tuple(q.shape) != tuple(k.shape):
        raise ValueError(f"q and k must have the same shape, got {tuple(q.shape)} and {tuple(k.shape)}")
    require_queries(q, k)
    _require_no_gradients("q", q)
    offset = len(cache)
    cache.append(k, v)
    return attention(q, cache.keys, cache.values, causal_mask(q.shape[-2], len(cache), offset))


@exact_integers
def cache_nbytes(n_tokens, n_heads, d_head, n_layers=1, itemsize=4):
    """Say how many bytes the keys and values of a sequence take.

    Parameters
    ----------
    n_tokens : int
        Length of the sequence, s.
    n_heads : int
        Key/value heads in each layer, g.
    d_head : int
        Width of a key, and of a value, d.
    n_layers : int
        Layers, each with a cache of its own.
    itemsize : int
        Bytes of one number: 4 in float32, 2 in half precision.

    Returns
    -------
    int
        Bytes.

    Raises
    ------
    ValueError
        If a number is no integer, or negative.

    Notes
    -----
    .. math:: 2 \\cdot \\text{layers} \\cdot g \\cdot s \\cdot d \\cdot \\text{bytes of a number}
    """
    require_integers(0, n_tokens=n_tokens, n_heads=n_heads, d_head=d_head, n_layers=n_layers, itemsize=itemsize)
    return 2 * n_layers * n_heads * n_tokens * d_head * itemsize


@exact_integers
def decoding_multiply_adds(n_tokens, n_heads, d_head, d_value=None, cached=True):
    """Count the multiplications, each with an addition, that attention needs to write a text token by token.

    Parameters
    ----------
    n_tokens : int
        Tokens that are written, one by one, n.
    n_heads : int
        Query heads, h.
    d_head : int
        Width of a key, d.
    d_value : int, optional
        Width of a value, e; ``d_head`` unless given.
    cached : bool
        Whether keys and values are kept. If not, each step computes attention over all tokens anew.

    Returns
    -------
    int
        Multiply-adds of scores and averages in one layer, hidden scores included; projections are not.

    Raises
    ------
    ValueError
        If a number is no integer, or negative.

    Notes
    -----
    .. math:: h(d+e)\\sum_{t=1}^{n} t = h(d+e)\\,\\tfrac{n(n+1)}{2} \\quad\\text{with a cache,}

              h(d+e)\\sum_{t=1}^{n} t^2 = h(d+e)\\,\\tfrac{n(n+1)(2n+1)}{6} \\quad\\text{without}
    """
    require_integers(0, n_tokens=n_tokens, n_heads=n_heads, d_head=d_head, d_value=0 if d_value is None else d_value)
    d_value = d_head if d_value is None else d_value
    pairs = n_tokens * (n_tokens + 1) // 2 if cached else n_tokens * (n_tokens + 1) * (2 * n_tokens + 1) // 6
    return n_heads * (d_head + d_value) * pairs


def require_alike(k, v, keys, values):
    """Refuse what broadcasting or casting would squeeze into a cache.

    Parameters
    ----------
    k, v : array
        Keys and values of the next tokens.
    keys, values : array
        What the cache holds, or gives, of any tokens.

    Raises
    ------
    ValueError
        If the numbers of keys and values differ, heads, width, leading axes, library, precision or device are not the
        cache's, or gradients are recorded.
    """
    _require_like("k", k, keys)
    _require_like("v", v, values)
    if k.shape[-2] != v.shape[-2]:
        raise ValueError(f"k and v must hold as many tokens, got {k.shape[-2]} and {v.shape[-2]}")


def require_queries(q, k):
    """Refuse queries that cannot be compared with the keys of the same tokens.

    Parameters
    ----------
    q, k : array (..., h, l, d) and (..., g, l, d)
        Queries and keys of the next tokens.

    Raises
    ------
    ValueError
        If they differ in tokens, width, library, precision or device, or their leading axes do not broadcast.
    """
    require_same_kind(q=q, k=k)
    require_same_size(-2, q=q, k=k)
    require_same_size(-1, q=q, k=k)
    if q.shape[:-3] != k.shape[:-3]:
        np.broadcast_shapes(q.shape[:-3], k.shape[:-3])


def require_room(cache, n_tokens):
    """Refuse more tokens than there is room for.

    Parameters
    ----------
    cache : KVCache or LatentCache
        The cache.
    n_tokens : int
        How many are to be appended.

    Raises
    ------
    ValueError
        If they are too many.
    """
    if len(cache) + n_tokens > cache.capacity:
        more = f"{len(cache)} of at most {cache.capacity} tokens, and {n_tokens} more do not fit"
        raise ValueError(f"the cache must have room for what is appended: it holds {more}")


def require_takeable(name, x, memory):
    """Refuse an array that casting or copying would bring into a cache, or whose gradients would be lost there.

    Parameters
    ----------
    name : str
        What the message calls it.
    x : array
        Of the next tokens.
    memory : array
        What the cache holds.

    Raises
    ------
    ValueError
        If library, precision or device differ, or gradients are recorded.
    """
    require_same_kind(**{name: x, "the cache": memory})
    _require_no_gradients(name, x)


def _require_no_gradients(name, x):
    if getattr(x, "requires_grad", False):
        raise ValueError(f"{name} must not record gradients: decode without them, got requires_grad=True")


def _require_sizes(capacity, n_heads, d_head, d_value, leading):
    require_integers(1, capacity=capacity, n_heads=n_heads, d_head=d_head, d_value=1 if d_value is None else d_value)
    for size in leading:
        require_integers(1, leading=size)


def _require_fits(cache, k, v):
    """Refuse what broadcasting or casting would squeeze into the cache, and what there is no room for."""
    require_alike(k, v, cache.keys, cache.values)
    require_room(cache, k.shape[-2])


def _require_like(name, x, memory):
    require_takeable(name, x, memory)
    if x.ndim != memory.ndim:
        axes = f"{memory.ndim} axes, (..., heads, tokens, width)"
        raise ValueError(f"{name} must have {axes}, got shape {tuple(x.shape)}")
    for what, axis in {"heads": -3, "width": -1}.items():
        if x.shape[axis] != memory.shape[axis]:
            raise ValueError(f"{name} must have {what} {memory.shape[axis]}, got {x.shape[axis]} in {tuple(x.shape)}")
    if x.shape[:-3] != memory.shape[:-3]:
        shapes = f"{tuple(memory.shape[:-3])}, got {tuple(x.shape[:-3])}"
        raise ValueError(f"{name} must have the cache's leading axes {shapes}")
