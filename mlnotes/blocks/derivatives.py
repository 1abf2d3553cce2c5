"""Derivatives: the formulas that learning runs on, and two ways to measure a derivative.

One layout holds for the whole book: **the axes of the output come first, those of the input last.** So

* the Jacobian of a vector by a vector has one row for each output and one column for each input,
* the gradient of a number by an array has the shape of the array,
* the Jacobian of a matrix (m, k) by a matrix (m, n) has shape (m, k, m, n).
"""

import math

import numpy as np
from array_api_compat import array_namespace, device

from mlnotes.arrays import (
    as_like,
    or_one,
    power_of_two,
    require_entries,
    require_finite,
    require_floats,
    require_not_negative,
    require_representable,
    require_same_size,
    widen_half,
)
from mlnotes.blocks.norm import vector_norm
from mlnotes.blocks.softmax import softmax


def numerical_jacobian(f, x):
    """Measure the derivative of a function that can only be called, by central differences.

    Parameters
    ----------
    f : callable
        Takes a NumPy array like ``x`` and returns a number or an array, always of the same shape.
    x : NumPy array
        Where to differentiate, of any shape; computed in float64.

    Returns
    -------
    array (shape of f(x), shape of x)
        The Jacobian, to about 12 digits where ``f`` is smooth and computed to the last bit, whatever the scale on which
        it changes; or as many as rounding leaves, beside the largest entry. An entry is nan where ``f`` has a kink, a
        jump or an infinite slope, is not finite at ``x`` or on either side of it, however near, or is so rough that its
        slope does not settle, as :math:`|x|^{1.1}` at 0; also where it changes so abruptly beside the size of
        :math:`x_j` that it could be a kink, and less than three digits stand out from rounding. A kink between two
        slopes that differ by less than about a sixteenth is not seen, one of up to about an eighth often not: the
        entry is their mean. Nor are steps far apart always seen, such as those of floor: where ``f`` is constant
        around ``x``, the entry may be the slope of the ramp that they follow, instead of 0. It may be 0 where ``f``
        changes on no scale but one larger than both 1e10 and 1e65 times :math:`|x_j|`.

    Raises
    ------
    ValueError
        If ``x`` is empty or holds something else than finite real numbers, or if ``f`` changes the shape of what it
        returns.

    Notes
    -----
    .. math:: \\frac{\\partial f}{\\partial x_j}
              = \\frac{f(\\mathbf x + h\\,\\mathbf e_j) - f(\\mathbf x - h\\,\\mathbf e_j)}{2h}
              + c_2h^2 + c_4h^4 + \\dots

    Four steps h, h/2, h/4, h/8 are combined so that the first three error terms cancel (Richardson). A step must be
    small beside the scale on which ``f`` changes, yet large enough for that change to stand out from rounding. That
    scale is unknown, so it is first taken to be the size of :math:`x_j` itself. The spread of the combined values tells
    what was cut off, and the size of ``f`` what was rounded off: of the larger error, the scale is made smaller or
    larger, until both are small beside the slope of the function from :math:`x_j` to the nearest points. Beside the
    slope, because a step that is far too long makes slope and error small together.

    References
    ----------
    Ridders, *Accurate computation of F'(x) and F'(x)F''(x)*, 1982.
    """
    _require_point(x)
    x = np.array(x, dtype=float)
    # A step may well leave the region where f is defined.
    with np.errstate(all="ignore"):
        columns = [_column(f, x, j) for j in np.ndindex(x.shape)]
    return np.stack(columns, axis=-1).reshape((*columns[0].shape, *x.shape))


def complex_step_jacobian(f, x):
    """Measure a derivative to the last bit by a step in the imaginary direction.

    Parameters
    ----------
    f : callable
        Takes a NumPy array like ``x``, but complex, and returns a number or an array. It must be analytic: made of
        arithmetic and functions like ``exp``, without ``abs``, ``max``, comparisons or conjugates.
    x : NumPy array
        Where to differentiate, of any shape; computed in float64.

    Returns
    -------
    array (shape of f(x), shape of x)
        The Jacobian, as exact as ``f`` itself, unless a derivative times the step is below 2**-1022, where floats have
        fewer digits. Where ``f`` is not real at ``x``, or its slope is infinite, the number means nothing.

    Raises
    ------
    ValueError
        If ``x`` is empty or holds something else than finite real numbers, or if ``f`` returns no complex numbers,
        because a function inside it discards the imaginary part.

    Notes
    -----
    .. math:: \\frac{\\partial f}{\\partial x_j}
              = \\frac{\\operatorname{Im} f(\\mathbf x + \\mathrm i h\\,\\mathbf e_j)}{h} + O(h^2)

    Nothing is subtracted, so no digits cancel, and h may be so small that its square is nothing beside 1.

    References
    ----------
    Squire and Trapp, *Using complex variables to estimate derivatives of real functions*, 1998.
    """
    _require_point(x)
    x = np.array(x, dtype=float)
    columns = []
    for j in np.ndindex(x.shape):
        # Be small beside x or, at 0, beside any scale; but numbers below 2**-1022 have fewer digits.
        h = 2.0**-100 * (abs(x[j]) or 2.0**-200)
        h = max(h, 2.0**-1022)
        z = x.astype(complex)
        z[j] += 1j * h
        y = np.asarray(f(z))
        _require_complex(y)
        columns.append(y.imag / h)
    return np.stack(columns, axis=-1).reshape((*columns[0].shape, *x.shape))


@widen_half
def squared_distance_gradient(a, b):
    """Tell how the squared distance of two vectors changes with the first of them.

    Parameters
    ----------
    a, b : array (..., n)
        Floating-point coordinates. Leading axes broadcast.

    Returns
    -------
    array (..., n)
        The gradient by ``a``; that by ``b`` is its negative. Zero where a = b.

    Raises
    ------
    ValueError
        If the widths differ or an array holds no floats.

    Notes
    -----
    .. math:: \\frac{\\partial\\,\\lVert\\mathbf a-\\mathbf b\\rVert^2}{\\partial\\mathbf a}
              = 2\\,(\\mathbf a-\\mathbf b)
    """
    require_floats(a=a, b=b)
    require_same_size(-1, a=a, b=b)
    return 2 * (a - b)


@widen_half
def distance_gradient(a, b):
    """Tell how the distance of two vectors changes with the first of them: the direction from b to a.

    Parameters
    ----------
    a, b : array (..., n)
        Finite floating-point coordinates. Leading axes broadcast.

    Returns
    -------
    array (..., n)
        The gradient by ``a``, a vector of length one; that by ``b`` is its negative. Where a = b there is none: the
        distance grows in every direction, and every vector of length at most one is a subgradient. The shortest of
        them is returned, zeros, also where a and b are nearer than floats can halve.

    Raises
    ------
    ValueError
        If the widths differ, an array holds no floats, or the vectors are empty.

    Notes
    -----
    .. math:: \\frac{\\partial\\,\\lVert\\mathbf a-\\mathbf b\\rVert}{\\partial\\mathbf a}
              = \\frac{\\mathbf a-\\mathbf b}{\\lVert\\mathbf a-\\mathbf b\\rVert}
    """
    require_floats(a=a, b=b)
    require_same_size(-1, a=a, b=b)
    require_entries(-1, a=a)
    xp = array_namespace(a, b)
    with np.errstate(over="ignore"):
        difference = a - b
    # It may overflow where neither a nor b does. Halves of the smallest floats are rounded, but not seen beside it.
    overflows = xp.any(xp.isinf(difference), axis=-1, keepdims=True)
    difference = xp.where(overflows, a / 2 - b / 2, difference)
    difference = difference / or_one(power_of_two(xp.max(xp.abs(difference), axis=-1, keepdims=True)))
    return difference / or_one(vector_norm(difference))[..., None]


def logsumexp_gradient(x):
    """Tell how log-sum-exp changes with each score: by that score's weight.

    Parameters
    ----------
    x : array (..., n)
        Floating-point scores in nats.

    Returns
    -------
    array (..., n)
        The gradient: softmax of the scores.

    Raises
    ------
    ValueError
        If ``x`` holds no floats or is empty along its last axis.

    Notes
    -----
    .. math:: \\frac{\\partial}{\\partial x_i}\\log\\sum_j \\exp x_j = \\frac{\\exp x_i}{\\sum_j\\exp x_j}

    Its own derivative, the Hessian of log-sum-exp, is `mlnotes.blocks.softmax.softmax_jacobian`.
    """
    return softmax(x)


@widen_half
def layer_norm_jacobian(x, gain=None, eps=1e-5):
    """Tell how each output of layer norm moves with each input.

    Parameters
    ----------
    x : array (..., n)
        Floating-point features, whose sum is no more than the largest float.
    gain : array (n,), optional
        What the normalized features are multiplied with; by default 1. An added bias changes no derivative.
    eps : float
        What is added to the variance.

    Returns
    -------
    array (..., n, n)
        Row i, column j: the derivative of output i by feature j. Every row sums to zero.

    Raises
    ------
    ValueError
        If an array holds no floats, ``x`` is empty along its last axis, ``gain`` does not fit, ``eps`` is negative
        or has a root that the dtype cannot hold, or all features are equal while ``eps`` is 0.

    Notes
    -----
    With :math:`y_i = (x_i - \\mu)/\\sigma` and :math:`\\sigma^2 = \\frac1n\\sum_i (x_i-\\mu)^2 + \\varepsilon`,

    .. math:: \\frac{\\partial\\,g_iy_i}{\\partial x_j}
              = \\frac{g_i}{\\sigma}\\Bigl(\\delta_{ij} - \\frac1n - \\frac{y_iy_j}{n}\\Bigr)

    References
    ----------
    Ba, Kiros and Hinton, *Layer Normalization*, 2016.
    """
    _require_features(x, gain, eps)
    y, sigma = _normalized(x, eps)
    xp = array_namespace(y)
    n = y.shape[-1]
    identity = xp.eye(n, dtype=y.dtype, device=device(y))
    products = y[..., :, None] * y[..., None, :]
    jacobian = (identity - 1 / n - products / n) / sigma[..., None]
    return jacobian if gain is None else as_like(gain, x)[:, None] * jacobian


@widen_half
def layer_norm_vjp(x, upstream, gain=None, eps=1e-5):
    """Carry a gradient back through layer norm without building its Jacobian.

    Parameters
    ----------
    x : array (..., n)
        Floating-point features.
    upstream : array (..., n)
        The gradient of a loss by the outputs of layer norm.
    gain : array (n,), optional
        What the normalized features are multiplied with; by default 1.
    eps : float
        What is added to the variance.

    Returns
    -------
    array (..., n)
        The gradient of the loss by ``x``; each row sums to zero.

    Raises
    ------
    ValueError
        If the widths differ, ``upstream`` holds no floats, or ``x``, ``gain`` and ``eps`` are no input for
        `layer_norm_jacobian`.

    Notes
    -----
    With :math:`\\mathbf J` the Jacobian without gain, :math:`\\mathbf u` the upstream gradient times the gain, and
    averages over the n features,

    .. math:: \\mathbf J^{\\mathsf T}\\mathbf u
              = \\frac1\\sigma\\bigl(\\mathbf u - \\overline{u} - \\mathbf y\\,\\overline{y u}\\bigr)
    """
    _require_features(x, gain, eps)
    require_floats(upstream=upstream)
    require_same_size(-1, x=x, upstream=upstream)
    y, sigma = _normalized(x, eps)
    xp = array_namespace(y)
    u = upstream if gain is None else upstream * as_like(gain, x)
    return (u - xp.mean(u, axis=-1, keepdims=True) - y * xp.mean(y * u, axis=-1, keepdims=True)) / sigma


def xw_jacobian_x(x, w):
    """Tell how each entry of Y = XW moves with each entry of X.

    Parameters
    ----------
    x : array (m, n)
        Samples in rows.
    w : array (n, k)
        Weights.

    Returns
    -------
    array (m, k, m, n)
        At [i, j, p, q] the derivative of Y[i, j] by X[p, q]; zero unless i = p.

    Raises
    ------
    ValueError
        If an array is no matrix of floats, or the matrices cannot be multiplied.

    Notes
    -----
    .. math:: \\frac{\\partial y_{ij}}{\\partial x_{pq}} = \\delta_{ip}\\,w_{qj}
    """
    _require_product(x=x, w=w)
    xp = array_namespace(x, w)
    return xp.eye(x.shape[0], dtype=w.dtype, device=device(w))[:, None, :, None] * w.mT[None, :, None, :]


def xw_jacobian_w(x, w):
    """Tell how each entry of Y = XW moves with each entry of W.

    Parameters
    ----------
    x : array (m, n)
        Samples in rows.
    w : array (n, k)
        Weights.

    Returns
    -------
    array (m, k, n, k)
        At [i, j, p, q] the derivative of Y[i, j] by W[p, q]; zero unless j = q.

    Raises
    ------
    ValueError
        If an array is no matrix of floats, or the matrices cannot be multiplied.

    Notes
    -----
    .. math:: \\frac{\\partial y_{ij}}{\\partial w_{pq}} = x_{ip}\\,\\delta_{jq}
    """
    _require_product(x=x, w=w)
    xp = array_namespace(x, w)
    return x[:, None, :, None] * xp.eye(w.shape[1], dtype=x.dtype, device=device(x))[None, :, None, :]


@widen_half
def xw_gradient_x(w, upstream):
    """Carry a gradient back through Y = XW to X.

    Parameters
    ----------
    w : array (n, k)
        Weights.
    upstream : array (..., m, k)
        The gradient G of a loss by Y.

    Returns
    -------
    array (..., m, n)
        The gradient of the loss by X, in X's shape.

    Raises
    ------
    ValueError
        If the widths of ``w`` and ``upstream`` differ, or an array is no matrix of floats.

    Notes
    -----
    .. math:: \\frac{\\partial L}{\\partial\\mathbf X} = \\mathbf G\\,\\mathbf W^{\\mathsf T}
    """
    _require_matrices(w=w, upstream=upstream)
    require_same_size(-1, w=w, upstream=upstream)
    return upstream @ w.mT


@widen_half
def xw_gradient_w(x, upstream):
    """Carry a gradient back through Y = XW to W.

    Parameters
    ----------
    x : array (..., m, n)
        Samples in rows.
    upstream : array (..., m, k)
        The gradient G of a loss by Y.

    Returns
    -------
    array (..., n, k)
        The gradient of the loss by W, in W's shape: a sum over the samples.

    Raises
    ------
    ValueError
        If ``x`` and ``upstream`` differ in their number of rows, or an array is no matrix of floats.

    Notes
    -----
    .. math:: \\frac{\\partial L}{\\partial\\mathbf W} = \\mathbf X^{\\mathsf T}\\,\\mathbf G
              = \\sum_i \\mathbf x_i\\,\\mathbf g_i^{\\mathsf T}
    """
    _require_matrices(x=x, upstream=upstream)
    require_same_size(-2, x=x, upstream=upstream)
    return x.mT @ upstream


@widen_half
def trace_axb_gradient(a, b):
    """Tell how the trace of AXB changes with X.

    Parameters
    ----------
    a : array (..., m, n)
        What multiplies X from the left.
    b : array (..., k, m)
        What multiplies X from the right.

    Returns
    -------
    array (..., n, k)
        The gradient, in X's shape. It does not depend on X, because the trace is linear in it.

    Raises
    ------
    ValueError
        If AXB is not square, or an array is no matrix of floats.

    Notes
    -----
    .. math:: \\frac{\\partial}{\\partial\\mathbf X}\\operatorname{tr}(\\mathbf A\\mathbf X\\mathbf B)
              = \\mathbf A^{\\mathsf T}\\mathbf B^{\\mathsf T}
    """
    _require_matrices(a=a, b=b)
    if a.shape[-2] != b.shape[-1]:
        raise ValueError(f"a must have as many rows as b has columns, got shapes {tuple(a.shape)} and {tuple(b.shape)}")
    return a.mT @ b.mT


def logdet_gradient(x):
    """Tell how the logarithm of a determinant's absolute value changes with the matrix.

    Parameters
    ----------
    x : array (..., n, n)
        Invertible matrices of floating-point numbers.

    Returns
    -------
    array (..., n, n)
        The gradient, in the shape of ``x``: the inverse, transposed.

    Raises
    ------
    ValueError
        If ``x`` is no matrix of floats, not square, empty, not finite, or singular to working precision, or if its
        inverse is beyond the largest float.

    Notes
    -----
    .. math:: \\frac{\\partial}{\\partial\\mathbf X}\\log\\lvert\\det\\mathbf X\\rvert = \\mathbf X^{-\\mathsf T}

    If only symmetric matrices are allowed to vary, the same array still gives the change to first order: the sum of
    its entries times the entries of the change.
    """
    _require_matrices(x=x)
    _require_square(x=x)
    xp = array_namespace(x)
    with np.errstate(over="ignore"):
        gradient = _inverse_transposed(x)
    if not xp.all(xp.isfinite(gradient)):
        raise ValueError(f"the gradient must not exceed the largest float, {xp.finfo(x.dtype).max:.2g}, got {math.inf}")
    return gradient


@widen_half
def _inverse_transposed(x):
    """Invert matrices after dividing each row by a power of two near its largest entry, and transpose."""
    xp = array_namespace(x)
    # Powers of two, so that nothing is rounded: rows of any size come out as good as those of size one. Columns do so
    # by themselves, for elimination compares numbers of one column only.
    rows = or_one(power_of_two(xp.max(xp.abs(x), axis=-1, keepdims=True)))
    scaled = x / rows
    if xp.any(xp.linalg.slogdet(scaled)[1] == -math.inf):
        raise ValueError(f"x must be invertible, got a singular matrix of size {x.shape[-1]}")
    inverse = xp.linalg.inv(scaled)
    residual = xp.abs(scaled @ inverse - xp.eye(x.shape[-1], dtype=x.dtype, device=device(x)))
    if not xp.all(residual < 0.1):
        miss = xp.max(residual).item()
        raise ValueError(f"x must be invertible, got one of size {x.shape[-1]} whose inverse misses it by {miss:.1g}")
    return inverse.mT / rows


def _column(f, x, j):
    """Differentiate by one coordinate: each entry on the scale where its error is smallest beside the slope."""
    center = 1.0 * np.asarray(f(x.copy()))
    eps = np.finfo(center.dtype).eps
    enough = eps ** (2 / 3)  # what central differences reach without extrapolation
    best, smallest = np.full(center.shape, math.nan), np.full(center.shape, math.inf)
    # Scales, for each entry. Points nearer to each other than the first are rounded to few digits.
    too_small, too_large = np.full(center.shape, 1e-12 * abs(x[j])), np.full(center.shape, math.inf)
    scale = first_scale = max(abs(x[j]), 1e-300) if x[j] else 1.0  # no step is shorter than the smallest float
    first_slope, vanishing, rough = None, np.zeros(center.shape, bool), np.zeros(center.shape, bool)
    for attempt in range(12 + max(0, round(-math.log10(scale) / 8) - 7)):  # from far below 1 it is further to there
        value, truncation, rounding, slope = _extrapolated(f, x, j, scale, center)
        truncated = (truncation > 16 * rounding) | (truncation == math.inf)
        flat = ~truncated & (slope <= 16 * rounding)
        too_small = np.where(truncated, too_small, np.maximum(too_small, scale))
        too_large = np.where(truncated, np.minimum(too_large, scale), too_large)
        # The slopes of x |x| at 0 shrink with the scale: they are never right, but lead to 0. On larger scales, where
        # another entry may send the search, those of any bounded function shrink.
        first_slope = slope if first_slope is None else first_slope
        shrunk = (0 < slope) & (slope <= first_slope * min(enough, (scale / first_scale) ** 0.25)) & (slope < math.inf)
        vanishing = np.where(truncated & (scale < first_scale), shrunk, vanishing)
        error = (truncation + rounding) / np.where(truncation + rounding > 0, slope, 1)
        right = ~flat & ((error < eps ** (1 / 3)) | (~truncated & (error < 0.01)))
        # A kink that was seen must not be forgotten where rounding hides it.
        rough = rough | ((truncation == math.inf) & (scale <= first_scale))
        right = right & (~rough | (slope > 1024 * rounding))
        better = right & (error < smallest)
        best, smallest = np.where(better, value, best), np.where(better, error, smallest)
        # Beside the largest entry an error may be nothing. Where nothing changes but by rounding, the derivative is 0,
        # unless a larger scale shows another.
        largest = np.max(np.abs(best), initial=0, where=~np.isnan(best))
        nothing = (truncation + rounding <= enough * largest) & (~truncated | (smallest < math.inf))
        best = np.where(np.isnan(best) & flat & ((nothing & (largest > 0)) | (too_large == math.inf)), 0.0, best)
        best = np.where(np.isnan(best) & nothing & (largest > 0), value, best)
        going_on = (smallest > enough) & ~nothing & np.isfinite(center) & (too_large > 4 * too_small)
        if not going_on.any():
            break
        i = np.argmax(np.where(going_on, smallest, 0))
        scale = _next_scale(too_small.flat[i], too_large.flat[i], attempt)
        if not 0 < scale < math.inf:
            break
    return np.where(np.isnan(best) & vanishing & np.isfinite(center), 0.0, best)


def _next_scale(too_small, too_large, attempt):
    """Walk with growing strides until a scale is too small and another too large; then halve the way between them."""
    if too_large == math.inf:
        return too_small * 10.0 ** min(2**attempt, 8)  # longer strides could pass over what shows at no other scale
    return max(too_large / 10.0 ** min(2**attempt, 64), too_small**0.5 * too_large**0.5)


def _extrapolated(f, x, j, scale, center):
    """Combine central differences with steps h, h/2, h/4, h/8; bound what is cut off and what is rounded off."""

    def at(step):
        z = x.copy()
        z[j] += step
        y = 1.0 * np.asarray(f(z.copy()))
        if y.shape != center.shape:
            raise ValueError(f"f must always return the same shape, got {center.shape} and {y.shape}")
        return z[j], y

    h = math.ldexp(1 / 64, math.frexp(scale)[1])  # a power of two, so that h and its halves are added exactly
    row, bends = [], []
    for level in range(4):
        (right, high), (left, low) = at(h / 2**level), at(-h / 2**level)
        width = right - left  # what was really taken, where x is too large for that
        previous, row = row, [(high - low) / width]
        for order, coarse in enumerate(previous, start=1):
            row.append(row[-1] + (row[-1] - coarse) / (4**order - 1))
        bends.append(high - center + (low - center))
    noise = np.finfo(center.dtype).eps * np.maximum(np.abs(high), np.abs(low))
    change = np.maximum(np.abs(high - center), np.abs(low - center))
    truncation = np.abs(row[-1] - row[-2]) + np.abs(row[-1] - previous[-1])
    # Halving a small step quarters the bend. From far away a narrow peak looks flat, and only its bend gives it away; a
    # fast wave may happen to be sampled once in a period, and only a step of another ratio gives it away.
    between, y = at(0.3 * h / 8)
    t = 2 * (between - x[j]) / width
    guess = center + t * (high - low) / 2 + t**2 * bends[3] / 2
    smooth = np.abs(bends[2] - 4 * bends[3]) <= change / 8 + 64 * noise
    smooth = smooth & (np.abs(y - guess) <= change / 2 + 64 * noise) & np.isfinite(truncation + change)
    return row[-1], np.where(smooth, truncation, math.inf), noise / width, 2 * change / width


def _require_point(x):
    if np.size(x) == 0:
        raise ValueError(f"x must not be empty, got shape {np.shape(x)}")
    require_finite(x=x)


def _require_complex(y):
    if y.dtype.kind != "c":
        raise ValueError(f"f must return complex numbers for complex x, got dtype {y.dtype}: is there abs or real?")


def _normalized(x, eps):
    """Return the normalized features y and sigma, from squares that neither overflow nor vanish.

    The sum of the features, of which the mean is made, must not be beyond the largest float.
    """
    xp = array_namespace(x)
    centered = x - xp.mean(x, axis=-1, keepdims=True)
    size = xp.max(xp.abs(centered), axis=-1, keepdims=True)
    least = float(eps) ** 0.5  # a float64 of NumPy's would widen float32
    size = xp.where(size > least, size, xp.full_like(size, least))
    if xp.any(size == 0):
        raise ValueError("eps must be positive where all features are equal, got 0")
    y = centered / size
    root = xp.sqrt(xp.mean(y**2, axis=-1, keepdims=True) + (least / size) ** 2)
    return y / root, size * root


def _require_features(x, gain, eps):
    require_floats(x=x)
    require_entries(-1, x=x)
    require_not_negative(eps=eps)
    require_representable(x.dtype, **{"the root of eps": float(eps) ** 0.5})
    if gain is not None:
        require_floats(gain=gain)
        if tuple(gain.shape) != tuple(x.shape[-1:]):
            raise ValueError(f"gain must have shape {tuple(x.shape[-1:])}, got {tuple(gain.shape)}")


def _require_matrices(**arrays):
    require_floats(**arrays)
    for name, x in arrays.items():
        if x.ndim < 2:
            raise ValueError(f"{name} must be a matrix, got shape {tuple(x.shape)}")


def _require_square(x):
    require_entries(-1, x=x)
    if x.shape[-2] != x.shape[-1]:
        raise ValueError(f"x must be square, got shape {tuple(x.shape)}")
    finite = array_namespace(x).isfinite(x)
    if not finite.all():
        raise ValueError(f"x must be finite, got {x[~finite][0].item()}")


def _require_product(x, w):
    _require_matrices(x=x, w=w)
    if x.ndim != 2 or w.ndim != 2 or x.shape[1] != w.shape[0]:
        raise ValueError(f"x (m, n) and w (n, k) must share n, got shapes {tuple(x.shape)} and {tuple(w.shape)}")
