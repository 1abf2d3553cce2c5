"""Attention sinks: the first tokens stay when a window moves on, because softmax leaves its weight there."""

import math

import numpy as np
from array_api_compat import array_namespace, device, is_array_api_obj

from mlnotes.arrays import as_like, exact_integers, require_entries, require_floats, require_integers, widen_half
from mlnotes.attention.causal_mask import causal_mask
from mlnotes.efficient.kv_cache import KVCache, require_alike, require_queries
from mlnotes.efficient.sparse import sliding_window_mask


def sink_mask(n_queries, n_keys, window, n_sinks, offset=0):
    """Let every query look at the last keys up to its own position, and at the first ones of all.

    Parameters
    ----------
    n_queries, n_keys : int
        How many there are of each.
    window : int
        How many keys up to a query's own position it may look at, its own included.
    n_sinks : int
        How many of the first keys stay in view.
    offset : int
        The position of query 0 among the keys.

    Returns
    -------
    boolean array (n_queries, n_keys)
        True where the query may look: at no more than ``window + n_sinks`` keys, and at none after it.

    Raises
    ------
    ValueError
        If a number is no integer, or negative, or the window is 0.

    Notes
    -----
    .. math:: m_{ij} = [\\,j \\le i + \\mathrm{offset}\\,]\\;
              \\max\\bigl([\\,j > i + \\mathrm{offset} - \\mathrm{window}\\,],\\,[\\,j < n_{\\mathrm{sinks}}\\,]\\bigr)

    References
    ----------
    Xiao et al., *Efficient Streaming Language Models with Attention Sinks*, 2024, section 3.2.
    """
    require_integers(0, n_sinks=n_sinks)
    first = causal_mask(n_queries, n_keys, offset) & (np.arange(n_keys) < n_sinks)
    return sliding_window_mask(n_queries, n_keys, window, offset) | first


@widen_half
def null_softmax(x, null=0.0, axis=-1):
    """Turn scores into weights of which some, or nearly all, may be left out.

    Parameters
    ----------
    x : array (..., n)
        Floating-point scores in nats. ``-inf`` and ``inf`` as in `mlnotes.blocks.softmax.softmax`.
    null : float or array
        The score of nothing, in nats, finite: what is better than all scores takes the weight away from them. An array
        broadcasts with ``x``, whose ``axis`` it has with size 1: one number for each head, for example.
    axis : int
        The axis along which the weights, and that of nothing, sum to one.

    Returns
    -------
    array (..., n)
        Weights from 0 to 1, that sum to one at most. A row of nothing but ``-inf`` is all zeros.

    Raises
    ------
    ValueError
        If ``x`` holds no floats, has no such axis or is empty along it, or ``null`` is not finite or would enlarge
        ``x``.

    Notes
    -----
    .. math:: a_i = \\frac{\\exp x_i}{\\exp x_0 + \\sum_j \\exp x_j}
              = \\sigma\\bigl(\\mathrm{lse}(\\mathbf x) - x_0\\bigr)\\;\\mathrm{softmax}(\\mathbf x)_i

    with :math:`x_0` for ``null``: softmax over one key more, whose value is zero. With :math:`x_0 = 0` the denominator
    has 1 more than softmax's.

    References
    ----------
    Miller, *Attention Is Off By One*, 2023; Xiao et al., *Efficient Streaming Language Models with Attention Sinks*,
    2024, section 3.3.
    """
    _require_null(x, null, axis)
    xp = array_namespace(x)
    x = xp.clip(x, max=xp.finfo(x.dtype).max)  # as in softmax
    largest = xp.max(x, axis=axis, keepdims=True)
    null = as_like(null, x) + xp.zeros_like(largest)
    top = xp.maximum(largest, null)
    weights = xp.exp(x - top)
    return weights / (xp.exp(null - top) + xp.sum(weights, axis=axis, keepdims=True))


class StreamingCache(KVCache):
    """Keep the keys and values of the first tokens and of the last ones, in memory that never grows.

    Parameters
    ----------
    capacity : int
        How many tokens are kept.
    n_sinks : int
        How many of them are the first of the text, which are never evicted: fewer than ``capacity``.
    n_heads, d_head, d_value, leading, like
        As for `mlnotes.efficient.kv_cache.KVCache`.

    Attributes
    ----------
    capacity, n_sinks : int
        As above.

    Raises
    ------
    ValueError
        If ``n_sinks`` is negative or leaves no room for another token, or for what `KVCache` refuses.

    Notes
    -----
    A new token takes the memory of the oldest that is no sink, so that nothing is moved: ``keys`` and ``values`` stand
    in the order of the memory, and ``positions`` says which token is which. Attention does not mind the order.

    Rotary positions count inside the cache: a token that is no sink is as far from a query as it is in the text, the
    sink j never farther than ``capacity - 1 - j``. Since a score depends on the difference of the positions
    only, the sinks alone are turned again as the text moves on, and no other key.

    References
    ----------
    Xiao et al., *Efficient Streaming Language Models with Attention Sinks*, 2024, section 3.2.
    """

    @exact_integers
    def __init__(self, capacity, n_sinks, n_heads, d_head, d_value=None, leading=(), like=None):
        require_integers(0, n_sinks=n_sinks)
        super().__init__(capacity, n_heads, d_head, d_value, leading, like)
        if n_sinks >= capacity:
            raise ValueError(f"n_sinks must leave room for another token, got {n_sinks} of {capacity}")
        self.n_sinks, self._seen, self._n_unturned = n_sinks, 0, 0
        xp = array_namespace(self._keys)
        self._unturned = xp.zeros_like(self._keys[..., :n_sinks, :])

    def append(self, k, v):
        """Write the keys and values of the next tokens, over the oldest that are no sinks where no place is left.

        Parameters
        ----------
        k : array (..., g, l, d)
            Keys of l tokens, of the cache's library and precision.
        v : array (..., g, l, e)
            Their values.

        Raises
        ------
        ValueError
            If several tokens would evict others, which some of them must still see: `meet` knows how. Or for what
            `KVCache.append` refuses. The cache is then unchanged.
        """
        require_alike(k, v, self.keys, self.values)
        if k.shape[-2] > 1 and self._seen + k.shape[-2] > self.capacity:
            held = f"{len(self)} of at most {self.capacity} tokens, and {k.shape[-2]} more"
            raise ValueError(f"tokens that evict others must be appended one by one, or with meet: got {held}")
        self._write(k, v)

    def meet(self, q, k, v, rotate=None):
        """Take up the next tokens, and hand out what their queries meet: the first tokens and the last ones.

        Parameters
        ----------
        q : array (..., h, l, d)
            Queries of the l next tokens.
        k, v : array (..., g, l, d) and (..., g, l, e)
            Their keys and values.
        rotate : callable, optional
            As for `KVCache.meet`; the product of what it turns must depend on the difference of the positions only.
            Given for one token, it must have been given for each sink: they are turned again, from what came.

        Returns
        -------
        q, k, v : array
            What attention takes, in every chunk what it would be token by token. Where several tokens evict others and
            ``rotate`` is given, queries and keys are twice as wide, for a sink is then at another distance from each
            query.
        boolean array (l, s)
            True where a query may look.

        Raises
        ------
        ValueError
            For what `KVCache.meet` refuses, except that there is always room; or if ``rotate`` is given, and was not
            for each sink. The cache is then unchanged.
        """
        require_alike(k, v, self.keys, self.values)
        _require_unturned(self, rotate)
        n, turn = k.shape[-2], rotate or _as_it_is
        new = self._seen + np.arange(n)
        asking, turned = turn(q, new), turn(k, new)
        require_alike(turned, v, self.keys, self.values)
        require_queries(asking, turned)
        if n == 1 or self._seen + n <= self.capacity:
            self._take_up(k, turned, v, rotate)
            return asking, self.keys, self.values, self.positions <= new[:, None]
        xp = array_namespace(k)
        at = np.concatenate([self.positions, new])
        keys, values = xp.concat([self.keys, turned], axis=-2), xp.concat([self.values, v], axis=-2)
        mask = (at <= new[:, None]) & ((at < self.n_sinks) | (at > new[:, None] - self.capacity + self.n_sinks))
        if rotate is not None:
            # One half of the width is for the sinks, the other for the rest. The scale is that of half the width.
            place = np.minimum(new, self.capacity - 1) + self._evicted
            asking = math.sqrt(2) * xp.concat([rotate(q, place), asking], axis=-1)
            sink = xp.asarray(at < self.n_sinks, device=device(k))[:, None]
            keys = xp.concat([xp.where(sink, keys, 0), xp.where(sink, 0, keys)], axis=-1)
        self._take_up(k, turned, v, rotate)
        return asking, keys, values, mask

    @property
    def positions(self):
        """Where the tokens of ``keys`` and ``values`` stood in the text, from 0: integers (s,)."""
        slots, window = np.arange(len(self)), self.capacity - self.n_sinks
        return np.where(slots < self.n_sinks, slots, slots + (self._seen - 1 - slots) // window * window)

    @property
    def nbytes(self):
        """The bytes set aside, whether or not they are in use yet."""
        return super().nbytes + self._unturned.nbytes

    @property
    def _evicted(self):
        return self._seen - len(self)

    def _write(self, k, v):
        new, window = self._seen + np.arange(k.shape[-2]), self.capacity - self.n_sinks
        stay = np.flatnonzero((new < self.n_sinks) | (new > new[-1:] - window))
        slots = np.where(new < self.n_sinks, new, self.n_sinks + (new - self.n_sinks) % window)[stay]
        self._keys[..., slots, :] = k[..., stay, :]
        self._values[..., slots, :] = v[..., stay, :]
        self._seen += len(new)
        self._length = min(self._seen, self.capacity)

    def _take_up(self, k, turned, v, rotate):
        """Write, and let the sinks, which are kept as they came, follow the text at their distance."""
        if rotate is None:
            return self._write(turned, v)
        seen = self._seen + k.shape[-2]
        sinks, evicted = slice(*(min(it, self.n_sinks) for it in (self._seen, seen))), max(seen - self.capacity, 0)
        self._unturned[..., sinks, :] = k[..., : sinks.stop - sinks.start, :]  # behind those that count
        held = np.arange(sinks.stop)
        # Before anything is written, for it may fail:
        again = rotate(self._unturned[..., held, :], held + evicted)
        self._write(turned, v)
        self._keys[..., held, :], self._n_unturned = again, sinks.stop


def _as_it_is(x, positions):
    return x


def _require_unturned(cache, rotate):
    """Refuse to turn sinks again of which it is not known how they came."""
    held = min(len(cache), cache.n_sinks)
    if rotate is not None and cache._n_unturned < held:
        raise ValueError(f"rotate must be given from the first sink on, got {cache._n_unturned} of {held} with it")


def _require_null(x, null, axis):
    require_floats(x=x)
    require_entries(axis, x=x)
    null = null if is_array_api_obj(null) else np.asarray(null)
    xp = array_namespace(x)
    with np.errstate(over="ignore"):
        fits = xp.isfinite(as_like(null, x)).all()
    if not fits:
        most = xp.finfo(x.dtype).max
        raise ValueError(f"null must be finite, up to {most:.2g} in the dtype of x, got {null}")
    largest = list(x.shape)
    largest[axis] = 1
    sizes = zip((1,) * (x.ndim - null.ndim) + tuple(null.shape), largest, strict=False)
    if null.ndim > x.ndim or any(mine not in (1, theirs) for mine, theirs in sizes):
        raise ValueError(f"null must broadcast to {tuple(largest)}, got shape {tuple(null.shape)}")
