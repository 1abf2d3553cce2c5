"""Multi-head latent attention: the keys and values of all heads are read out of one short vector for each token."""

import numpy as np
from array_api_compat import array_namespace, device

from mlnotes.arrays import (
    by_power_of_two,
    exact_integers,
    require_entries,
    require_floats,
    require_integers,
    require_mask,
    require_matrix,
    require_same_kind,
    require_same_library,
    require_same_size,
    widen_half,
    working_copy,
)
from mlnotes.attention.causal_mask import causal_mask
from mlnotes.attention.multi_head import merge_heads, split_heads
from mlnotes.attention.self_attention import attention
from mlnotes.attention.transformer import rms_norm
from mlnotes.efficient.grouped_query import multi_query_attention, require_groups, require_output, require_rows
from mlnotes.efficient.kv_cache import require_room, require_takeable


@widen_half
def latent_attention(q, c, w_uk, w_uv, mask=None, bias=None, scale=None):
    """Let each head attend to keys and values of its own, projected up from the latents that all heads share.

    Parameters
    ----------
    q : array (..., h, l, d + p)
        Queries of h heads. The first d coordinates ask for what a token is, the last p, turned by position, for where.
    c : array (..., s, r + p)
        Latents: r coordinates of each token, followed by its rotary key, which all heads share. p may be 0.
    w_uk : array (r, h * d)
        Up-projection to keys; head i owns columns i * d to (i + 1) * d - 1.
    w_uv : array (r, h * e)
        Up-projection to values, divided among the heads in the same way.
    mask : boolean array (l, s) or (..., h, l, s), optional
        True where a query may look at a key; axes of size 1 broadcast.
    bias : array (l, s) or (..., h, l, s), optional
        Floating-point numbers, in nats, added to the scaled scores.
    scale : float, optional
        What the dot products are multiplied by; 1/sqrt(d + p) unless given.

    Returns
    -------
    array (..., h, l, e)
        One average of the values for each query of each head; zeros for a query that may look at no key.

    Raises
    ------
    ValueError
        If h does not divide the columns of an up-projection, latents or queries are not as wide as the up-projections
        ask, or for what `attention` refuses.

    Notes
    -----
    With the rotary parts of queries and keys in Q' and K':

    .. math:: \\mathbf H_i = \\mathrm{softmax}\\!\\left(\\mathrm{scale}\\cdot
              \\bigl(\\mathbf Q_i(\\mathbf C\\mathbf W_{UK}^{(i)})^{\\mathsf T}
              + \\mathbf Q_i'\\mathbf K'^{\\mathsf T}\\bigr)
              + \\mathbf B_i\\right)\\mathbf C\\mathbf W_{UV}^{(i)}

    References
    ----------
    DeepSeek-AI, *DeepSeek-V2: A Strong, Economical, and Efficient Mixture-of-Experts Language Model*, 2024,
    section 2.1.
    """
    _require_latents(q, c, w_uk, w_uv)
    xp, n_heads, r = array_namespace(q), q.shape[-3], w_uk.shape[0]
    k, v = (split_heads(c[..., :r] @ w, n_heads) for w in (w_uk, w_uv))
    k_rotary = xp.broadcast_to(c[..., None, :, r:], (*k.shape[:-1], c.shape[-1] - r))
    return attention(q, xp.concat([k, k_rotary], axis=-1), v, mask, bias, scale)


@widen_half
def absorbed_latent_attention(q, c, w_uk, w_uv, mask=None, bias=None, scale=None):
    """Compute `latent_attention` without a key or a value: queries go down to the latents, and averages come up again.

    Parameters
    ----------
    q, c, w_uk, w_uv, mask, bias, scale
        As in `latent_attention`.

    Returns
    -------
    array (..., h, l, e)
        What `latent_attention` gives, but for rounding errors.

    Raises
    ------
    ValueError
        For what `latent_attention` refuses.

    Notes
    -----
    With the weights A of each head:

    .. math:: \\mathbf Q_i(\\mathbf C\\mathbf W_{UK}^{(i)})^{\\mathsf T}
              = (\\mathbf Q_i\\mathbf W_{UK}^{(i)\\mathsf T})\\,\\mathbf C^{\\mathsf T}, \\qquad
              \\mathbf H_i = \\mathbf A_i(\\mathbf C\\mathbf W_{UV}^{(i)})
              = (\\mathbf A_i\\mathbf C)\\,\\mathbf W_{UV}^{(i)}

    What is left in the middle is multi-query attention: the only key/value head has latents with their rotary part for
    keys, and latents for values. They are not copied.

    References
    ----------
    DeepSeek-AI, *DeepSeek-V2: A Strong, Economical, and Efficient Mixture-of-Experts Language Model*, 2024,
    section 2.1.2.
    """
    _require_latents(q, c, w_uk, w_uv)
    xp, n_heads, r = array_namespace(q), q.shape[-3], w_uk.shape[0]
    w_uk, w_uv = split_heads(w_uk, n_heads), split_heads(w_uv, n_heads)
    d = w_uk.shape[-1]
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    asking = xp.concat([q[..., :d] @ w_uk.mT, q[..., d:]], axis=-1)
    return multi_query_attention(asking, c, c[..., :r], mask, bias, scale) @ w_uv


@widen_half
def absorb(w, w_up, n_heads):
    """Fold an up-projection into what its results are multiplied by, head by head.

    Parameters
    ----------
    w : array (..., n, h * d)
        The projection to queries, or queries themselves; for values, the transpose of the output projection.
    w_up : array (r, h * d)
        The up-projection to keys, or to values.
    n_heads : int
        The number h of heads.

    Returns
    -------
    array (..., n, h * r)
        What meets the latents in place of their up-projections: head i owns columns i * r to (i + 1) * r - 1.

    Raises
    ------
    ValueError
        If an array holds no floats, the two differ in columns, or ``n_heads`` does not divide these.

    Notes
    -----
    .. math:: \\mathbf W^{(i)}\\,(\\mathbf C\\mathbf W_U^{(i)})^{\\mathsf T}
              = (\\mathbf W^{(i)}\\mathbf W_U^{(i)\\mathsf T})\\,\\mathbf C^{\\mathsf T}

    References
    ----------
    DeepSeek-AI, *DeepSeek-V2: A Strong, Economical, and Efficient Mixture-of-Experts Language Model*, 2024,
    section 2.1.2.
    """
    require_floats(w=w, w_up=w_up)
    require_same_size(-1, w=w, w_up=w_up)
    return merge_heads(split_heads(w, n_heads) @ split_heads(w_up, n_heads).mT)


def latent_self_attention(x, w_q, w_c, w_uk, w_uv, w_o, n_heads, mask=None, cache=None, rotate=None, gain=None):
    """Let the tokens of a sequence look at each other, and at those in a cache, through their latents.

    Parameters
    ----------
    x : array (..., l, n)
        Tokens; the next ones, if there is a cache.
    w_q : array (n, h * (d + p))
        Projection to queries; the last p of each head's columns are for its rotary part.
    w_c : array (n, r + p)
        Down-projection to latents, followed by the projection to the rotary key.
    w_uk, w_uv : array (r, h * d) and (r, h * e)
        Up-projections to keys and values.
    w_o : array (h * e, m)
        What mixes the heads' results.
    n_heads : int
        The number h of heads.
    mask : boolean array (l, s) or (..., h, l, s), optional
        True where a query may look. With a cache, unless given: at the tokens before it and at itself.
    cache : LatentCache, optional
        The s - l tokens before these; it takes up the latents of these, which must record no gradients. Tokens and
        projections are of its library, precision and device.
    rotate : callable, optional
        What the rotary parts of queries and of latents go through, such as a rotary embedding: takes them, (..., l, p),
        and their positions, integers (l,), which go on behind those in the cache.
    gain : array (r,), optional
        If given, latents go through an RMS norm with this gain before they are kept.

    Returns
    -------
    array (..., l, m)
        One new vector for each token.

    Raises
    ------
    ValueError
        If a projection is no matrix or does not fit the tokens, ``n_heads`` does not divide its columns, ``w_o`` does
        not fit, or for what `latent_attention` and the cache refuse. The cache is then unchanged.

    Notes
    -----
    Of `latent_attention` and `absorbed_latent_attention` it takes the one with fewer multiply-adds, as
    `latent_multiply_adds` counts them: plain for a long prefill, absorbed for decoding.

    References
    ----------
    DeepSeek-AI, *DeepSeek-V2: A Strong, Economical, and Efficient Mixture-of-Experts Language Model*, 2024,
    section 2.1.
    """
    _require_matrices(w_q=w_q, w_c=w_c, w_uk=w_uk, w_uv=w_uv)
    require_rows(x, w_q=w_q, w_c=w_c)
    xp, r = array_namespace(x), w_uk.shape[0]
    if w_c.shape[1] < r:
        raise ValueError(f"w_c must have at least a column for each of the {r} rows of w_uk, got {w_c.shape[1]}")
    q, c = split_heads(x @ w_q, n_heads), x @ w_c
    d, p, e = w_uk.shape[-1] // n_heads, c.shape[-1] - r, w_uv.shape[-1] // n_heads
    if gain is not None:
        c = xp.concat([rms_norm(c[..., :r], gain), c[..., r:]], axis=-1)
    past = 0 if cache is None else len(cache)
    if rotate is not None and p:
        at = np.arange(past, past + x.shape[-2])
        q, c = (xp.concat([y[..., :-p], rotate(y[..., -p:], at)], axis=-1) for y in (q, c))
    require_output(n_heads * e, w_o)
    if cache is not None:
        require_same_kind(q=q, c=c, w_uk=w_uk, w_uv=w_uv, w_o=w_o)  # before the cache has taken them up
        _require_latents(q, c, w_uk, w_uv)
        require_mask((*q.shape[:-1], past + c.shape[-2]), mask)
        cache.append(c)
        c = cache.latents
        mask = causal_mask(x.shape[-2], len(cache), past) if mask is None else mask
    sizes = x.shape[-2], c.shape[-2], n_heads, d, r, p, e
    absorbed = latent_multiply_adds(*sizes, absorbed=True) < latent_multiply_adds(*sizes)
    attend = absorbed_latent_attention if absorbed else latent_attention
    return merge_heads(attend(q, c, w_uk, w_uv, mask)) @ w_o


class LatentCache:
    """Keep the latents of all tokens so far, in memory that is set aside once.

    Parameters
    ----------
    capacity : int
        How many tokens fit.
    d_latent : int
        Width of a latent, r.
    d_rotary : int
        Width of the rotary key that stands behind it, p.
    leading : tuple of int
        Sizes of the axes before the tokens: ``(b,)`` for a batch of b sequences of equal length.
    like : array, optional
        An array whose library, precision and device the cache takes; NumPy's float64 unless given.

    Attributes
    ----------
    capacity : int
        How many tokens fit.

    Raises
    ------
    ValueError
        If a size is no positive integer (``d_rotary`` may be 0), or ``like`` holds no floats.

    Notes
    -----
    The memory for s tokens is s·(r + p) numbers, for each sequence and each layer of a model, however many heads read
    them. For decoding: gradients do not flow through it.
    """

    @exact_integers
    def __init__(self, capacity, d_latent, d_rotary=0, leading=(), like=None):
        require_integers(1, capacity=capacity, d_latent=d_latent)
        require_integers(0, d_rotary=d_rotary)
        for size in leading:
            require_integers(1, leading=size)
        like = np.zeros(()) if like is None else like
        require_floats(like=like)
        self.capacity, self._length = capacity, 0
        shape = (*leading, capacity, d_latent + d_rotary)
        self._latents = array_namespace(like).zeros(shape, dtype=like.dtype, device=device(like))

    def append(self, c):
        """Write the latents of the next tokens behind those that are there.

        Parameters
        ----------
        c : array (..., l, r + p)
            Latents of l tokens, of the cache's library and precision.

        Raises
        ------
        ValueError
            If there is no room for l more tokens, width, leading axes, library, precision or device are not the
            cache's, or gradients are recorded. The cache is then unchanged.
        """
        _require_fits(self, c)
        self._latents[..., self._length : self._length + c.shape[-2], :] = c
        self._length += c.shape[-2]

    @property
    def latents(self):
        """The latents of all tokens so far, (..., s, r + p): a view, not a copy."""
        return self._latents[..., : self._length, :]

    @property
    def nbytes(self):
        """The bytes set aside, whether or not they are in use yet."""
        return self._latents.nbytes

    def __len__(self):
        return self._length

    def __repr__(self):
        return f"<LatentCache with {self._length} of {self.capacity} tokens>"


@exact_integers
def latent_cache_nbytes(n_tokens, d_latent, d_rotary=0, n_layers=1, itemsize=4):
    """Say how many bytes the latents of a sequence take.

    Parameters
    ----------
    n_tokens : int
        Length of the sequence, s.
    d_latent, d_rotary : int
        Width of a latent, r, and of the rotary key behind it, p.
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
    .. math:: \\text{layers} \\cdot s \\cdot (r + p) \\cdot \\text{bytes of a number}
    """
    require_integers(
        0, n_tokens=n_tokens, d_latent=d_latent, d_rotary=d_rotary, n_layers=n_layers, itemsize=itemsize
    )
    return n_layers * n_tokens * (d_latent + d_rotary) * itemsize


@exact_integers
def latent_multiply_adds(n_queries, n_keys, n_heads, d_head, d_latent, d_rotary=0, d_value=None, absorbed=False):
    """Count the multiplications, each with an addition, by which queries attend to latents.

    Parameters
    ----------
    n_queries, n_keys : int
        Tokens that ask, l, and tokens that are asked, s.
    n_heads : int
        Heads, h.
    d_head : int
        Width of a key without its rotary part, d.
    d_latent, d_rotary : int
        Width of a latent, r, and of the rotary key behind it, p.
    d_value : int, optional
        Width of a value, e; ``d_head`` unless given.
    absorbed : bool
        Whether queries go down to the latents, or latents up to keys and values.

    Returns
    -------
    int
        Multiply-adds of `absorbed_latent_attention` or of `latent_attention`, hidden scores included; the projections
        of tokens to queries and latents, and back to tokens, are not.

    Raises
    ------
    ValueError
        If a number is no integer, or negative.

    Notes
    -----
    .. math:: h\\,[\\,s\\,r(d+e) + ls\\,(d+p+e)\\,] \\quad\\text{plain,}

              h\\,[\\,l\\,r(d+e) + ls\\,(2r+p)\\,] \\quad\\text{absorbed}
    """
    d_value = d_head if d_value is None else d_value
    require_integers(
        0, n_queries=n_queries, n_keys=n_keys, n_heads=n_heads, d_head=d_head, d_latent=d_latent, d_rotary=d_rotary,
        d_value=d_value,
    )  # fmt: skip
    projected, pair = (n_queries, 2 * d_latent) if absorbed else (n_keys, d_head + d_value)
    return n_heads * (projected * d_latent * (d_head + d_value) + n_queries * n_keys * (pair + d_rotary))


@widen_half
def grouped_as_latent(w_k, w_v, n_heads, n_groups):
    """Write grouped-query attention as latent attention whose latent is all of its keys and values.

    Parameters
    ----------
    w_k : array (n, g * d)
        Projection to keys of g heads.
    w_v : array (n, g * e)
        Projection to their values.
    n_heads, n_groups : int
        Query heads h, and key/value heads g, which divide them. As many make multi-head attention.

    Returns
    -------
    w_c : array (n, g * (d + e))
        Down-projection to latents, r = g * (d + e).
    w_uk : array (g * (d + e), h * d)
        Up-projection to keys, of zeros and ones: it copies.
    w_uv : array (g * (d + e), h * e)
        Up-projection to values.

    Raises
    ------
    ValueError
        If ``n_groups`` does not divide ``n_heads`` or the columns of a projection, or an array holds no floats.

    Notes
    -----
    Right without positions. Rotary keys would have to be turned between the two projections.
    """
    require_floats(w_k=w_k, w_v=w_v)
    require_same_size(-2, w_k=w_k, w_v=w_v)
    require_groups(n_heads, n_groups)
    xp, (d, e) = array_namespace(w_k), (split_heads(w, n_groups).shape[-1] for w in (w_k, w_v))
    copies = np.eye(n_groups * (d + e))
    ups = [
        xp.asarray(copies[:, first + _shared(n_heads, n_groups, width)], dtype=w_k.dtype, device=device(w_k))
        for first, width in ((0, d), (n_groups * d, e))
    ]
    return xp.concat([w_k, w_v], axis=-1), *ups


def _shared(n_heads, n_groups, width):
    """List, for each column of each query head, the column of its key/value head."""
    return np.repeat(np.arange(n_groups * width).reshape(n_groups, width), n_heads // n_groups, axis=0).ravel()


def factorize(w, rank, x=None):
    """Write a projection as a down-projection to a few coordinates and an up-projection from them.

    Parameters
    ----------
    w : NumPy array (m, n)
        The projection, of finite real numbers: float16 comes back in float32, integers in float64.
    rank : int
        How many coordinates there are in between, from 1 to min(m, n).
    x : NumPy array (k, m), optional
        Examples of what is projected, of which there are at least ``rank``. With them, it is their projections that
        change least; without, the projection itself.

    Returns
    -------
    w_down : NumPy array (m, rank)
        Down-projection.
    w_up : NumPy array (rank, n)
        Up-projection, of orthonormal rows.

    Raises
    ------
    ValueError
        If an array is no matrix of finite numbers, they do not fit, or there is no such rank.

    Notes
    -----
    With the right singular vectors of **W**, or of **XW**, in the columns of V, and the first r of them in V':

    .. math:: \\mathbf W \\approx (\\mathbf W\\mathbf V')\\,\\mathbf V'^{\\mathsf T}, \\qquad
              \\lVert\\mathbf X\\mathbf W - \\mathbf X\\mathbf W\\mathbf V'\\mathbf V'^{\\mathsf T}\\rVert_F
              = \\min_{\\mathrm{rank}\\,\\mathbf M \\le r}\\lVert\\mathbf X\\mathbf W - \\mathbf X\\mathbf M\\rVert_F

    Whitening the inputs by the Cholesky factor of their second moments, as Wang et al. do, gives the same product
    where there is such a factor and the singular values r and r + 1 of XW differ.

    References
    ----------
    Yuan et al., *ASVD: Activation-aware Singular Value Decomposition for Compressing Large Language Models*, 2023.
    Wang et al., *SVD-LLM: Truncation-aware Singular Value Decomposition for Large Language Model Compression*, 2025.
    """
    _require_factors(w, rank, x)
    w = working_copy(w)
    target = w if x is None else by_power_of_two(working_copy(x))[0] @ w
    w_up = np.linalg.svd(target, full_matrices=False)[2][:rank]
    return w @ w_up.T, w_up


def _require_factors(w, rank, x):
    require_matrix(w=w)
    if x is not None:
        require_matrix(x=x)
        if np.shape(x)[1] != np.shape(w)[0]:
            raise ValueError(f"x must be as wide as w has rows, got shapes {np.shape(x)} and {np.shape(w)}")
    largest = min(*np.shape(w), *(np.shape(x)[:1] if x is not None else ()))
    require_integers(1, rank=rank)
    if rank > largest:
        raise ValueError(f"rank must be at most {largest}, got {rank}")


def _require_matrices(**projections):
    for name, w in projections.items():
        require_same_library(**{name: w})
        if w.ndim != 2:
            raise ValueError(f"{name} must be a matrix, got shape {tuple(w.shape)}")


def _require_latents(q, c, w_uk, w_uv):
    """Check that queries, latents and up-projections fit."""
    require_floats(q=q, c=c, w_uk=w_uk, w_uv=w_uv)
    _require_matrices(w_uk=w_uk, w_uv=w_uv)
    require_same_size(-2, w_uk=w_uk, w_uv=w_uv)
    require_entries(-3, q=q)
    require_entries(-2, c=c)
    require_entries(-1, q=q)
    n_heads, r = q.shape[-3], w_uk.shape[-2]
    split_heads(w_uv, n_heads)  # refuses columns that the heads do not divide
    d_rotary, d = c.shape[-1] - r, split_heads(w_uk, n_heads).shape[-1]
    if d_rotary < 0:
        raise ValueError(f"latents must be at least as wide as w_uk has rows, got {c.shape[-1]} and {r}")
    if q.shape[-1] != d + d_rotary:
        rule = f"queries must be as wide as a key and the rotary part, {d} + {d_rotary}"
        raise ValueError(f"{rule}, got {q.shape[-1]}")


def _require_fits(cache, c):
    """Refuse what broadcasting or casting would squeeze into the cache, and what there is no room for."""
    memory = cache.latents
    require_takeable("c", c, memory)
    if c.ndim != memory.ndim or c.shape[:-2] != memory.shape[:-2] or c.shape[-1] != memory.shape[-1]:
        rule = f"c must have the cache's shape but for its tokens, {(*memory.shape[:-2], 'l', memory.shape[-1])}"
        raise ValueError(f"{rule}, got {tuple(c.shape)}")
    require_room(cache, c.shape[-2])
