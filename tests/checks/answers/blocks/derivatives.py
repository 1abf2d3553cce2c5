"""Derivatives, as readers write them."""

import numpy as np
import torch

from mlnotes.blocks.softmax import logsumexp, softmax


def right_numerical_jacobian__columns(f, x):
    x = np.asarray(x, dtype=float)
    columns = []
    for j in np.ndindex(x.shape):
        h = 1e-5 * (abs(x[j]) or 1.0)
        up, down = x.copy(), x.copy()
        up[j] += h
        down[j] -= h
        columns.append((np.asarray(f(up)) - np.asarray(f(down))) / (up[j] - down[j]))
    return np.stack(columns, axis=-1).reshape(*columns[0].shape, *x.shape)


def right_numerical_jacobian__filled_in(f, x):
    x = x.astype(float)
    y = np.asarray(f(x.copy()))
    out = np.empty((y.size, x.size))
    for j in range(x.size):
        h = 6e-6 * max(abs(x.flat[j]), 1e-300) if x.flat[j] else 1e-5
        e = np.zeros(x.size)
        e[j] = h
        e = e.reshape(x.shape)
        out[:, j] = np.ravel(f(x + e) - f(x - e)) / (2 * h)
    return out.reshape(y.shape + x.shape)


def right_numerical_jacobian__four_points(f, x):
    x = np.asarray(x, float)
    out = np.empty((*np.shape(f(x)), *x.shape))
    for j in np.ndindex(x.shape):
        h = 2e-4 * (abs(x[j]) or 1)
        e = np.zeros(x.shape)
        e[j] = h
        change = 8 * (np.asarray(f(x + e)) - f(x - e)) - (np.asarray(f(x + 2 * e)) - f(x - 2 * e))
        out[(..., *j)] = change / (12 * h)
    return out


def wrong_numerical_jacobian__one_sided(f, x):
    """Only half of the digits are right, and a bend tilts the slope: step to"""
    out = []
    for j in np.ndindex(x.shape):
        h = 1e-7 * (abs(x[j]) or 1)
        e = np.zeros(x.shape)
        e[j] = h
        out.append((np.asarray(f(x + e)) - f(x)) / h)
    return np.stack(out, axis=-1).reshape(*out[0].shape, *x.shape)


def wrong_numerical_jacobian__width_of_one_step(f, x):
    """The result is twice the right one"""
    out = []
    for j in np.ndindex(x.shape):
        h = 1e-5 * (abs(x[j]) or 1)
        e = np.zeros(x.shape)
        e[j] = h
        out.append((np.asarray(f(x + e)) - f(x - e)) / h)
    return np.stack(out, axis=-1).reshape(*out[0].shape, *x.shape)


def wrong_numerical_jacobian__added(f, x):
    """Line 8"""
    out = []
    for j in np.ndindex(x.shape):
        h = 1e-5 * (abs(x[j]) or 1)
        e = np.zeros(x.shape)
        e[j] = h
        out.append((np.asarray(f(x + e)) + f(x - e)) / (2 * h))
    return np.stack(out, axis=-1).reshape(*out[0].shape, *x.shape)


def wrong_numerical_jacobian__stacked_in_front(f, x):
    """The axes are transposed: stack the derivatives by each input along a new last axis"""
    out = []
    for j in np.ndindex(x.shape):
        h = 1e-5 * (abs(x[j]) or 1)
        e = np.zeros(x.shape)
        e[j] = h
        out.append((np.asarray(f(x + e)) - f(x - e)) / (2 * h))
    return np.stack(out, axis=0).reshape(*x.shape, *out[0].shape)


def wrong_numerical_jacobian__fixed_step(f, x):
    """One step for all is a leap for x around 1e-7, and nothing for x around"""
    out = []
    for j in np.ndindex(x.shape):
        h = 1e-6
        e = np.zeros(x.shape)
        e[j] = h
        out.append((np.asarray(f(x + e)) - f(x - e)) / (2 * h))
    return np.stack(out, axis=-1).reshape(*out[0].shape, *x.shape)


def wrong_numerical_jacobian__relative_step_only(f, x):
    """It is nan where a coordinate is 0: the step is 0, too: take a fixed step there"""
    out = []
    for j in np.ndindex(x.shape):
        h = 1e-5 * abs(x[j])
        e = np.zeros(x.shape)
        e[j] = h
        out.append((np.asarray(f(x + e)) - f(x - e)) / (2 * h))
    return np.stack(out, axis=-1).reshape(*out[0].shape, *x.shape)


def wrong_numerical_jacobian__vectors_only(f, x):
    """Line 5"""
    out = []
    for j in range(len(x)):
        h = 1e-5 * (abs(x[j]) or 1)
        e = np.zeros(len(x))
        e[j] = h
        out.append((np.asarray(f(x + e)) - f(x - e)) / (2 * h))
    return np.stack(out, axis=-1)


def wrong_numerical_jacobian__writes_into_x(f, x):
    """`x` is overwritten in 11 of the 13 calls that fail"""
    out = []
    for j in np.ndindex(x.shape):
        h = 1e-5 * (abs(x[j]) or 1)
        up, down = x, x
        up[j] += h
        high = np.asarray(f(up))
        down[j] -= 2 * h
        out.append((high - f(down)) / (2 * h))
    return np.stack(out, axis=-1).reshape(*out[0].shape, *x.shape)


def wrong_numerical_jacobian__not_flattened_back(f, x):
    """their shape is not: (3, 6) where (3, 3, 2) is right"""
    x = np.asarray(x, float)
    out = []
    for j in np.ndindex(x.shape):
        h = 1e-5 * (abs(x[j]) or 1)
        e = np.zeros(x.shape)
        e[j] = h
        out.append((np.asarray(f(x + e)) - f(x - e)) / (2 * h))
    return np.stack(out, axis=-1)


def right_complex_step_jacobian__columns(f, x):
    x = np.asarray(x, float)
    columns = []
    for j in np.ndindex(x.shape):
        z = x.astype(complex)
        z[j] += 1e-30j
        columns.append(np.imag(f(z)) / 1e-30)
    return np.stack(columns, -1).reshape(*np.shape(columns[0]), *x.shape)


def right_complex_step_jacobian__filled_in(f, x):
    y = np.asarray(f(x.astype(complex)))
    out = np.zeros(y.shape + x.shape)
    for j in np.ndindex(x.shape):
        step = np.zeros(x.shape, complex)
        step[j] = 1j * 2.0**-200
        out[(..., *j)] = np.asarray(f(x + step)).imag * 2.0**200
    return out


def right_complex_step_jacobian__argument_of_the_identity(f, x):
    x = np.asarray(x, float)
    steps = 1e-50j * np.eye(x.size).reshape(x.size, *x.shape)
    found = np.array([np.imag(f(x + it)) for it in steps]) * 1e50
    return np.moveaxis(found, 0, -1).reshape(*found.shape[1:], *x.shape)


def wrong_complex_step_jacobian__real(f, x):
    columns = []
    for j in np.ndindex(x.shape):
        z = x.astype(complex)
        z[j] += 1e-30j
        columns.append(np.real(f(z)) / 1e-30)
    return np.stack(columns, -1).reshape(*np.shape(columns[0]), *x.shape)


def wrong_complex_step_jacobian__undivided(f, x):
    """It is nothing or next to nothing: step in the imaginary direction, take"""
    columns = []
    for j in np.ndindex(x.shape):
        z = x.astype(complex)
        z[j] += 1e-30j
        columns.append(np.imag(f(z)))
    return np.stack(columns, -1).reshape(*np.shape(columns[0]), *x.shape)


def wrong_complex_step_jacobian__real_step(f, x):
    """It is nothing or next to nothing: step in the imaginary direction, take"""
    columns = []
    for j in np.ndindex(x.shape):
        z = x.astype(complex)
        z[j] += 1e-30
        columns.append(np.imag(f(z)) / 1e-30)
    return np.stack(columns, -1).reshape(*np.shape(columns[0]), *x.shape)


def wrong_complex_step_jacobian__half(f, x):
    """The result is half of the right one"""
    columns = []
    for j in np.ndindex(x.shape):
        z = x.astype(complex)
        z[j] += 1e-30j
        columns.append(np.imag(f(z)) / 2e-30)
    return np.stack(columns, -1).reshape(*np.shape(columns[0]), *x.shape)


def wrong_complex_step_jacobian__long_step(f, x):
    columns = []
    for j in np.ndindex(x.shape):
        z = x.astype(complex)
        z[j] += 1e-4j
        columns.append(np.imag(f(z)) / 1e-4)
    return np.stack(columns, -1).reshape(*np.shape(columns[0]), *x.shape)


def wrong_complex_step_jacobian__steps_kept(f, x):
    """Line 4, `z = x.astype(complex)`: what it sets is set once, before the loop"""
    columns = []
    z = x.astype(complex)
    for j in np.ndindex(x.shape):
        z[j] += 1e-30j
        columns.append(np.imag(f(z)) / 1e-30)
    return np.stack(columns, -1).reshape(*np.shape(columns[0]), *x.shape)


def wrong_complex_step_jacobian__rows(f, x):
    """The axes are transposed: stack the derivatives by each input along a new last axis"""
    columns = []
    for j in np.ndindex(x.shape):
        z = x.astype(complex)
        z[j] += 1e-30j
        columns.append(np.imag(f(z)) / 1e-30)
    return np.stack(columns).reshape(*x.shape, *np.shape(columns[0]))


def wrong_complex_step_jacobian__everything_at_once(f, x):
    return np.imag(f(x + 1e-30j)) / 1e-30


def right_squared_distance_gradient__formula(a, b):
    return 2 * (a - b)


def right_squared_distance_gradient__expanded(a, b):
    return 2 * a - 2 * b


def right_squared_distance_gradient__torch(a, b):
    x = torch.tensor(a, requires_grad=True)
    ((x - torch.tensor(b)) ** 2).sum().backward()
    return x.grad.numpy()


def wrong_squared_distance_gradient__no_factor(a, b):
    """The result is half of the right one"""
    return a - b


def wrong_squared_distance_gradient__by_b(a, b):
    """`a` and `b` are taken for each other"""
    return 2 * (b - a)


def wrong_squared_distance_gradient__absolute(a, b):
    """The result is the right one without its sign"""
    return 2 * abs(a - b)


def wrong_squared_distance_gradient__of_the_distance(a, b):
    return (a - b) / np.linalg.norm(a - b, axis=-1, keepdims=True)


def wrong_squared_distance_gradient__sum(a, b):
    """The result is summed over its last axis, which should stay"""
    return 2 * np.sum(a - b, axis=-1)


def wrong_squared_distance_gradient__mean(a, b):
    """The result is divided by `a`.shape[-1] once too often"""
    return 2 * (a - b) / a.shape[-1]


def wrong_squared_distance_gradient__square_kept(a, b):
    """Line 3"""
    return 2 * (a - b) ** 2


def wrong_squared_distance_gradient__second_derivative(a, b):
    """`b` makes no difference"""
    return 2 * np.eye(a.shape[-1])


def right_distance_gradient__where(a, b):
    d = a - b
    length = np.linalg.norm(d, axis=-1, keepdims=True)
    return d / np.where(length == 0, 1, length)


def right_distance_gradient__divide(a, b):
    d = a - b
    length = np.sqrt((d * d).sum(-1, keepdims=True))
    return np.divide(d, length, out=np.zeros_like(d), where=length > 0)


def right_distance_gradient__loop(a, b):
    out = np.zeros(np.broadcast_shapes(a.shape, b.shape))
    a, b = np.broadcast_arrays(a, b)
    for i in np.ndindex(out.shape[:-1]):
        if (a[i] != b[i]).any():
            out[i] = (a[i] - b[i]) / np.hypot.reduce(a[i] - b[i])
    return out


def wrong_distance_gradient__unguarded(a, b):
    """It is nan where the points coincide, and one such pair spoils a whole sum"""
    d = a - b
    return d / np.sqrt((d**2).sum(-1, keepdims=True))


def wrong_distance_gradient__small_number_inside(a, b):
    """It is too short for points that are 1e-9 apart: replace a distance of zero"""
    d = a - b
    return d / np.sqrt((d**2).sum(-1, keepdims=True) + 1e-12)


def wrong_distance_gradient__small_number_larger(a, b):
    """Line 4"""
    d = a - b
    return d / (np.linalg.norm(d, axis=-1, keepdims=True) + 1e-6)


def wrong_distance_gradient__towards_b(a, b):
    """`a` and `b` are taken for each other"""
    d = b - a
    length = np.linalg.norm(d, axis=-1, keepdims=True)
    return d / np.where(length == 0, 1, length)


def wrong_distance_gradient__two_left_in(a, b):
    """The result is twice the right one"""
    d = a - b
    length = np.linalg.norm(d, axis=-1, keepdims=True)
    return 2 * d / np.where(length == 0, 1, length)


def wrong_distance_gradient__whole_table(a, b):
    """Rows have lengths below 1: take the length of each row: axis=-1"""
    d = a - b
    length = np.linalg.norm(d, keepdims=True)
    return d / np.where(length == 0, 1, length)


def wrong_distance_gradient__axis_lost(a, b):
    """Line 4"""
    d = a - b
    length = np.linalg.norm(d, axis=-1)
    return d / np.where(length == 0, 1, length)


def wrong_distance_gradient__half_of_a_root(a, b):
    """The result is half of the right one"""
    d = a - b
    length = np.linalg.norm(d, axis=-1, keepdims=True)
    return d / (2 * np.where(length == 0, 1, length))


def wrong_distance_gradient__length_of_a(a, b):
    """Line 4"""
    d = a - b
    length = np.linalg.norm(a, axis=-1, keepdims=True)
    return d / np.where(length == 0, 1, length)


def wrong_distance_gradient__ones_at_zero(a, b):
    """Line 5"""
    d = a - b
    length = np.linalg.norm(d, axis=-1, keepdims=True)
    return np.where(length == 0, 1, d / length)


def right_logsumexp_gradient__softmax(x):
    return softmax(x)


def right_logsumexp_gradient__exponential(x):
    return np.exp(x - logsumexp(x)[..., None])


def right_logsumexp_gradient__torch(x):
    z = torch.tensor(x, requires_grad=True)
    torch.logsumexp(z, -1).sum().backward()
    return z.grad.numpy()


def wrong_logsumexp_gradient__over_everything(x):
    """All rows together sum to one: take each row by itself: axis=-1, keepdims=True"""
    e = np.exp(x - x.max())
    return e / e.sum()


def wrong_logsumexp_gradient__one_maximum(x):
    """Line 3"""
    e = np.exp(x - x.max())
    return e / e.sum(axis=-1, keepdims=True)


def wrong_logsumexp_gradient__columns(x):
    """Line 3"""
    e = np.exp(x - x.max(axis=0, keepdims=True))
    return e / e.sum(axis=0, keepdims=True)


def wrong_logsumexp_gradient__unguarded(x):
    """It is nan for a score of 1000: subtract the maximum first: call softmax"""
    return np.exp(x) / np.exp(x).sum(-1, keepdims=True)


def wrong_logsumexp_gradient__logarithm(x):
    """Line 3"""
    return x - logsumexp(x)[..., None]


def wrong_logsumexp_gradient__numerator_forgotten(x):
    """Line 4"""
    e = np.exp(x - x.max(-1, keepdims=True))
    return np.ones_like(x) / e.sum(-1, keepdims=True)


def wrong_logsumexp_gradient__logistic(x):
    return 1 / (1 + np.exp(-x))


def wrong_logsumexp_gradient__sum_only(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e.sum(-1, keepdims=True)


def right_layer_norm_jacobian__formula(x, gain=None, eps=1e-5):
    n = x.shape[-1]
    centered = x - x.mean(-1, keepdims=True)
    sigma = np.sqrt(np.mean(centered**2, -1, keepdims=True) + eps)
    y = centered / sigma
    j = (np.eye(n) - 1 / n - np.einsum("...i,...j->...ij", y, y) / n) / sigma[..., None]
    return j if gain is None else np.diag(gain) @ j


def right_layer_norm_jacobian__chain(x, gain=None, eps=1e-5):
    n = x.shape[-1]
    centering = np.eye(n) - np.ones((n, n)) / n
    c = x @ centering
    var = (c * c).sum(-1)[..., None, None] / n + eps
    j = centering / np.sqrt(var) - c[..., :, None] * c[..., None, :] / n / var**1.5
    return j * (np.ones(n) if gain is None else gain)[:, None]


def right_layer_norm_jacobian__torch(x, gain=None, eps=1e-5):
    flat = torch.tensor(x).reshape(-1, x.shape[-1])
    weight = None if gain is None else torch.tensor(gain)
    rows = [
        torch.autograd.functional.jacobian(
            lambda z: torch.nn.functional.layer_norm(z, z.shape, weight, eps=float(eps)), row
        )
        for row in flat
    ]
    return torch.stack(rows).reshape(*x.shape, x.shape[-1]).numpy()


def wrong_layer_norm_jacobian__eps_outside(x, gain=None, eps=1e-5):
    """Features that are all equal are divided by eps, not by its root: add eps to the variance"""
    n = x.shape[-1]
    centered = x - x.mean(-1, keepdims=True)
    sigma = np.sqrt(np.mean(centered**2, -1, keepdims=True)) + eps
    y = centered / sigma
    j = (np.eye(n) - 1 / n - y[..., :, None] * y[..., None, :] / n) / sigma[..., None]
    return j if gain is None else gain[:, None] * j


def wrong_layer_norm_jacobian__not_centered(x, gain=None, eps=1e-5):
    """Adding a constant to all features changes it: y are the features less their mean, over sigma"""
    n = x.shape[-1]
    sigma = np.sqrt(np.var(x, axis=-1, keepdims=True) + eps)
    y = x / sigma
    j = (np.eye(n) - 1 / n - y[..., :, None] * y[..., None, :] / n) / sigma[..., None]
    return j if gain is None else gain[:, None] * j


def wrong_layer_norm_jacobian__n_forgotten(x, gain=None, eps=1e-5):
    """What goes through the variance is n times too large: the term is -y yᵀ/n"""
    n = x.shape[-1]
    centered = x - x.mean(-1, keepdims=True)
    sigma = np.sqrt(np.mean(centered**2, -1, keepdims=True) + eps)
    y = centered / sigma
    j = (np.eye(n) - 1 / n - y[..., :, None] * y[..., None, :]) / sigma[..., None]
    return j if gain is None else gain[:, None] * j


def wrong_layer_norm_jacobian__variance_for_deviation(x, gain=None, eps=1e-5):
    """Line 5"""
    n = x.shape[-1]
    centered = x - x.mean(-1, keepdims=True)
    sigma = np.mean(centered**2, -1, keepdims=True) + eps
    y = centered / sigma
    j = (np.eye(n) - 1 / n - y[..., :, None] * y[..., None, :] / n) / sigma[..., None]
    return j if gain is None else gain[:, None] * j


def wrong_layer_norm_jacobian__gain_ignored(x, gain=None, eps=1e-5):
    """`gain` makes no difference: use it where it is given"""
    n = x.shape[-1]
    centered = x - x.mean(-1, keepdims=True)
    sigma = np.sqrt(np.mean(centered**2, -1, keepdims=True) + eps)
    y = centered / sigma
    return (np.eye(n) - 1 / n - y[..., :, None] * y[..., None, :] / n) / sigma[..., None]


def wrong_layer_norm_jacobian__eps_fixed(x, gain=None, eps=1e-5):
    """`eps` makes no difference: use it where it is given"""
    n = x.shape[-1]
    centered = x - x.mean(-1, keepdims=True)
    sigma = np.sqrt(np.mean(centered**2, -1, keepdims=True) + 1e-5)
    y = centered / sigma
    j = (np.eye(n) - 1 / n - y[..., :, None] * y[..., None, :] / n) / sigma[..., None]
    return j if gain is None else gain[:, None] * j


def wrong_layer_norm_jacobian__sigma_forgotten(x, gain=None, eps=1e-5):
    """Features twice as large move the result as much as before: divide by sigma"""
    n = x.shape[-1]
    centered = x - x.mean(-1, keepdims=True)
    sigma = np.sqrt(np.mean(centered**2, -1, keepdims=True) + eps)
    y = centered / sigma
    j = np.eye(n) - 1 / n - y[..., :, None] * y[..., None, :] / n
    return j if gain is None else gain[:, None] * j


def wrong_layer_norm_jacobian__plus(x, gain=None, eps=1e-5):
    """Line 7"""
    n = x.shape[-1]
    centered = x - x.mean(-1, keepdims=True)
    sigma = np.sqrt(np.mean(centered**2, -1, keepdims=True) + eps)
    y = centered / sigma
    j = (np.eye(n) + 1 / n - y[..., :, None] * y[..., None, :] / n) / sigma[..., None]
    return j if gain is None else gain[:, None] * j


def wrong_layer_norm_jacobian__gain_of_the_rows(x, gain=None, eps=1e-5):
    """Its columns are scaled by the gain: the gain belongs to the outputs: to rows"""
    n = x.shape[-1]
    centered = x - x.mean(-1, keepdims=True)
    sigma = np.sqrt(np.mean(centered**2, -1, keepdims=True) + eps)
    y = centered / sigma
    j = (np.eye(n) - 1 / n - y[..., :, None] * y[..., None, :] / n) / sigma[..., None]
    return j if gain is None else gain * j


def right_layer_norm_vjp__formula(x, upstream, gain=None, eps=1e-5):
    sigma = np.sqrt(x.var(-1, keepdims=True) + eps)
    y = (x - x.mean(-1, keepdims=True)) / sigma
    u = upstream * (1 if gain is None else gain)
    return (u - u.mean(-1, keepdims=True) - y * (u * y).mean(-1, keepdims=True)) / sigma


def right_layer_norm_vjp__jacobian(x, upstream, gain=None, eps=1e-5):
    j = right_layer_norm_jacobian__chain(x, gain, eps)
    return np.einsum("...i,...ij->...j", upstream, j)


def right_layer_norm_vjp__torch(x, upstream, gain=None, eps=1e-5):
    z = torch.tensor(x, requires_grad=True)
    weight = None if gain is None else torch.tensor(gain)
    out = torch.nn.functional.layer_norm(z, z.shape[-1:], weight, eps=float(eps))
    out.backward(torch.tensor(upstream))
    return z.grad.numpy()


def wrong_layer_norm_vjp__gain_after(x, upstream, gain=None, eps=1e-5):
    """It is right only where all gains are equal: multiply the upstream gradient first"""
    sigma = np.sqrt(x.var(-1, keepdims=True) + eps)
    y = (x - x.mean(-1, keepdims=True)) / sigma
    u = upstream
    out = (u - u.mean(-1, keepdims=True) - y * (u * y).mean(-1, keepdims=True)) / sigma
    return out if gain is None else gain * out


def wrong_layer_norm_vjp__mean_of_the_whole(x, upstream, gain=None, eps=1e-5):
    """Line 6"""
    sigma = np.sqrt(x.var(-1, keepdims=True) + eps)
    y = (x - x.mean(-1, keepdims=True)) / sigma
    u = upstream * (1 if gain is None else gain)
    return (u - u.mean() - y * (u * y).mean(-1, keepdims=True)) / sigma


def wrong_layer_norm_vjp__x_for_y(x, upstream, gain=None, eps=1e-5):
    """Line 6"""
    sigma = np.sqrt(x.var(-1, keepdims=True) + eps)
    y = (x - x.mean(-1, keepdims=True)) / sigma
    u = upstream * (1 if gain is None else gain)
    return (u - u.mean(-1, keepdims=True) - x * (u * y).mean(-1, keepdims=True)) / sigma


def wrong_layer_norm_vjp__y_forgotten(x, upstream, gain=None, eps=1e-5):
    """Every feature gets the same share of what goes through the variance: multiply it by y"""
    sigma = np.sqrt(x.var(-1, keepdims=True) + eps)
    y = (x - x.mean(-1, keepdims=True)) / sigma
    u = upstream * (1 if gain is None else gain)
    return (u - u.mean(-1, keepdims=True) - (u * y).mean(-1, keepdims=True)) / sigma


def wrong_layer_norm_vjp__added(x, upstream, gain=None, eps=1e-5):
    """Line 6"""
    sigma = np.sqrt(x.var(-1, keepdims=True) + eps)
    y = (x - x.mean(-1, keepdims=True)) / sigma
    u = upstream * (1 if gain is None else gain)
    return (u - u.mean(-1, keepdims=True) + y * (u * y).mean(-1, keepdims=True)) / sigma


def wrong_layer_norm_vjp__eps_ignored(x, upstream, gain=None, eps=1e-5):
    """add eps to the variance"""
    sigma = np.sqrt(x.var(-1, keepdims=True))
    y = (x - x.mean(-1, keepdims=True)) / sigma
    u = upstream * (1 if gain is None else gain)
    return (u - u.mean(-1, keepdims=True) - y * (u * y).mean(-1, keepdims=True)) / sigma


def wrong_layer_norm_vjp__sample_variance(x, upstream, gain=None, eps=1e-5):
    """Line 3"""
    sigma = np.sqrt(x.var(-1, keepdims=True, ddof=1) + eps)
    y = (x - x.mean(-1, keepdims=True)) / sigma
    u = upstream * (1 if gain is None else gain)
    return (u - u.mean(-1, keepdims=True) - y * (u * y).mean(-1, keepdims=True)) / sigma


def wrong_layer_norm_vjp__multiplied_by_sigma(x, upstream, gain=None, eps=1e-5):
    """Line 6"""
    sigma = np.sqrt(x.var(-1, keepdims=True) + eps)
    y = (x - x.mean(-1, keepdims=True)) / sigma
    u = upstream * (1 if gain is None else gain)
    return (u - u.mean(-1, keepdims=True) - y * (u * y).mean(-1, keepdims=True)) * sigma


def wrong_layer_norm_vjp__sum_in_the_second(x, upstream, gain=None, eps=1e-5):
    """What goes through the variance is n times too large"""
    sigma = np.sqrt(x.var(-1, keepdims=True) + eps)
    y = (x - x.mean(-1, keepdims=True)) / sigma
    u = upstream * (1 if gain is None else gain)
    return (u - u.mean(-1, keepdims=True) - y * (u * y).sum(-1, keepdims=True)) / sigma


def right_xw_gradient_x__formula(w, upstream):
    return upstream @ w.T


def right_xw_gradient_x__einsum(w, upstream):
    return np.einsum("...ik,jk->...ij", upstream, w)


def right_xw_gradient_x__loop(w, upstream):
    out = np.zeros((*upstream.shape[:-1], w.shape[0]))
    for j in range(w.shape[0]):
        for k in range(w.shape[1]):
            out[..., j] += upstream[..., k] * w[j, k]
    return out


def wrong_xw_gradient_x__not_transposed(w, upstream):
    """Shapes fit only where W is square, and then the numbers are not right: transpose W: G @ W.mT"""
    return upstream @ w


def wrong_xw_gradient_x__from_the_left(w, upstream):
    """Line 3"""
    return w @ upstream


def wrong_xw_gradient_x__left_and_transposed(w, upstream):
    """`w` and `upstream` are taken for each other"""
    return w @ upstream.T


def wrong_xw_gradient_x__upstream_transposed(w, upstream):
    """Line 3"""
    return upstream.T @ w.T


def wrong_xw_gradient_x__entries(w, upstream):
    """Line 3"""
    return upstream * w.T


def wrong_xw_gradient_x__averaged(w, upstream):
    """The result is divided by `upstream`.shape[-2] once too often"""
    return upstream @ w.T / upstream.shape[-2]


def wrong_xw_gradient_x__sign(w, upstream):
    """The result has the opposite sign"""
    return -upstream @ w.T


def wrong_xw_gradient_x__summed_over_samples(w, upstream):
    """Line 3"""
    return upstream.sum(0, keepdims=True) @ w.T


def right_xw_gradient_w__formula(x, upstream):
    return x.T @ upstream if x.ndim == 2 else np.swapaxes(x, -1, -2) @ upstream


def right_xw_gradient_w__outer_products(x, upstream):
    return sum(np.outer(x_i, g_i) for x_i, g_i in zip(x, upstream, strict=True))


def right_xw_gradient_w__einsum(x, upstream):
    return np.einsum("...ij,...ik->...jk", x, upstream)


def wrong_xw_gradient_w__transposed(x, upstream):
    """`x` and `upstream` are taken for each other"""
    return upstream.T @ x


def wrong_xw_gradient_w__mean(x, upstream):
    """It is too small by the factor m, the number of samples"""
    return x.T @ upstream / len(x)


def wrong_xw_gradient_w__not_transposed(x, upstream):
    """Line 3"""
    return x @ upstream


def wrong_xw_gradient_w__upstream_first(x, upstream):
    """Line 3"""
    return upstream @ x.T


def wrong_xw_gradient_w__last_sample(x, upstream):
    """All samples but the last count for nothing: add up what the samples give: +="""
    for x_i, g_i in zip(x, upstream, strict=True):
        out = np.outer(x_i, g_i)
    return out


def wrong_xw_gradient_w__first_sample_left_out(x, upstream):
    """Line 4"""
    out = np.zeros((x.shape[1], upstream.shape[1]))
    for i in range(1, len(x)):
        out += np.outer(x[i], upstream[i])
    return out


def wrong_xw_gradient_w__outer_turned(x, upstream):
    """`x` and `upstream` are taken for each other"""
    return sum(np.outer(g_i, x_i) for x_i, g_i in zip(x, upstream, strict=True))


def wrong_xw_gradient_w__step(x, upstream):
    """The result has the opposite sign"""
    return -x.T @ upstream


def right_trace_axb_gradient__formula(a, b):
    return np.swapaxes(a, -1, -2) @ np.swapaxes(b, -1, -2)


def right_trace_axb_gradient__transposed_product(a, b):
    return np.swapaxes(b @ a, -1, -2)


def right_trace_axb_gradient__einsum(a, b):
    return np.einsum("...ij,...ki->...jk", a, b)


def wrong_trace_axb_gradient__product(a, b):
    """It is right for symmetric A and B, not in general: AᵀBᵀ"""
    return a @ b


def wrong_trace_axb_gradient__not_transposed(a, b):
    """The result is transposed"""
    return b @ a


def wrong_trace_axb_gradient__transposed_in_order(a, b):
    """It is right only where A and B commute: (BA)ᵀ is AᵀBᵀ: the order is turned round once"""
    return np.swapaxes(a @ b, -1, -2)


def wrong_trace_axb_gradient__factors_turned(a, b):
    """the order is turned round once"""
    return b.T @ a.T


def wrong_trace_axb_gradient__only_a(a, b):
    """`b` makes no difference"""
    return a.T


def wrong_trace_axb_gradient__one_transpose(a, b):
    """Line 3"""
    return a.T @ b


def wrong_trace_axb_gradient__twice(a, b):
    """The result is twice the right one"""
    return 2 * a.T @ b.T


def wrong_trace_axb_gradient__diagonal(a, b):
    return np.diag(np.diag(b @ a))


def right_logdet_gradient__formula(x):
    return np.linalg.inv(x).mT


def right_logdet_gradient__of_the_transposed(x):
    return np.linalg.inv(np.swapaxes(x, -1, -2))


def right_logdet_gradient__solve(x):
    return np.linalg.solve(np.swapaxes(x, -1, -2), np.broadcast_to(np.eye(x.shape[-1]), x.shape))


def right_logdet_gradient__cofactors(x):
    n = len(x)
    out = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            minor = np.delete(np.delete(x, i, 0), j, 1)
            out[i, j] = (-1) ** (i + j) * np.linalg.det(minor)
    return out / np.linalg.det(x)


def wrong_logdet_gradient__inverse(x):
    """The result is transposed"""
    return np.linalg.inv(x)


def wrong_logdet_gradient__of_the_determinant(x):
    """It is det X times too large: leave the determinant out"""
    return np.linalg.det(x) * np.linalg.inv(x).T


def wrong_logdet_gradient__negative(x):
    """The result has the opposite sign"""
    return -np.linalg.inv(x).T


def wrong_logdet_gradient__sign_of_the_determinant(x):
    """Line 3"""
    return np.sign(np.linalg.det(x)) * np.linalg.inv(x).T


def wrong_logdet_gradient__divided(x):
    """Line 3"""
    return np.linalg.inv(x).T / abs(np.linalg.det(x))


def wrong_logdet_gradient__entries(x):
    """Line 3"""
    return 1 / x


def wrong_logdet_gradient__signs_forgotten(x):
    n = len(x)
    out = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            out[i, j] = np.linalg.det(np.delete(np.delete(x, i, 0), j, 1))
    return out / np.linalg.det(x)


def wrong_logdet_gradient__transposed_only(x):
    """It grows with X: a logarithm's derivative falls: invert"""
    return x.T


def right_cosine_gradient__formula(a, b):
    u, v = a / np.linalg.norm(a), b / np.linalg.norm(b)
    return (v - (u @ v) * u) / np.linalg.norm(a)


def right_cosine_gradient__projector(a, b):
    u = a / np.linalg.norm(a)
    return (np.eye(len(a)) - np.outer(u, u)) @ b / np.linalg.norm(a) / np.linalg.norm(b)


def right_cosine_gradient__torch(a, b):
    z = torch.tensor(a, requires_grad=True)
    ((z / torch.linalg.vector_norm(z)) @ torch.tensor(b / np.linalg.norm(b))).backward()
    return z.grad.numpy()


def wrong_cosine_gradient__only_the_dot_product(a, b):
    """It is not perpendicular to a"""
    return b / (np.linalg.norm(a) * np.linalg.norm(b))


def wrong_cosine_gradient__plus(a, b):
    """Line 4"""
    u, v = a / np.linalg.norm(a), b / np.linalg.norm(b)
    return (v + (u @ v) * u) / np.linalg.norm(a)


def wrong_cosine_gradient__by_b(a, b):
    """`a` and `b` are taken for each other"""
    u, v = a / np.linalg.norm(a), b / np.linalg.norm(b)
    return (u - (u @ v) * v) / np.linalg.norm(b)


def wrong_cosine_gradient__direction_only(a, b):
    """Short vectors turn as slowly as long ones"""
    u, v = a / np.linalg.norm(a), b / np.linalg.norm(b)
    return v - (u @ v) * u


def wrong_cosine_gradient__cube_forgotten(a, b):
    """a is divided by its length once"""
    size = np.linalg.norm(a)
    return (b / size - (a @ b) * a / size**2) / np.linalg.norm(b)


def wrong_cosine_gradient__dot_not_divided(a, b):
    """Line 4"""
    u, v = a / np.linalg.norm(a), b / np.linalg.norm(b)
    return (v - (a @ b) * u) / np.linalg.norm(a)


def wrong_numerical_jacobian__step_of_the_largest(f, x):
    """The step for the largest coordinate is a leap for the others: choose one for each coordinate"""
    x = np.asarray(x, float)
    columns = []
    for j in np.ndindex(x.shape):
        h = 6e-6 * (np.abs(x).max() or 1)
        up, down = x.copy(), x.copy()
        up[j] += h
        down[j] -= h
        columns.append((np.asarray(f(up)) - f(down)) / (up[j] - down[j]))
    return np.stack(columns, axis=-1).reshape(*columns[0].shape, *x.shape)


def wrong_distance_gradient__expanded(a, b):
    """Near points lose their distance"""
    a, b = np.asarray(a, float), np.asarray(b, float)
    square = (a * a).sum(-1, keepdims=True) - 2 * (a * b).sum(-1, keepdims=True) + (b * b).sum(-1, keepdims=True)
    length = np.sqrt(np.maximum(square, 0))
    return (a - b) / np.where(length == 0, 1, length)


def wrong_numerical_jacobian__step_of_the_first(f, x):
    x = np.asarray(x, float)
    columns = []
    h = 6e-6 * (abs(x.flat[0]) or 1)
    for j in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[j] += h
        down[j] -= h
        columns.append((np.asarray(f(up)) - f(down)) / (2 * h))
    return np.stack(columns, axis=-1).reshape(*columns[0].shape, *x.shape)


def wrong_numerical_jacobian__at_least_the_step_for_one(f, x):
    """The step for 1 is a leap for x around 1e-7: choose the step by the size of x"""
    x = np.asarray(x, float)
    columns = []
    for j in np.ndindex(x.shape):
        h = 6e-6 * max(1, abs(x[j]))
        up, down = x.copy(), x.copy()
        up[j] += h
        down[j] -= h
        columns.append((np.asarray(f(up)) - f(down)) / (2 * h))
    return np.stack(columns, axis=-1).reshape(*columns[0].shape, *x.shape)


def wrong_distance_gradient__of_the_square(a, b):
    """Its length is twice the distance: that is the gradient of the squared distance"""
    return 2 * (a - b)


def wrong_layer_norm_vjp__mean_held_constant(x, upstream, gain=None, eps=1e-5):
    """A constant added to all features gets a gradient: take away the mean of u, too"""
    u = upstream if gain is None else upstream * gain
    sigma = np.sqrt(x.var(-1, keepdims=True) + eps)
    y = (x - x.mean(-1, keepdims=True)) / sigma
    return (u - y * (u * y).mean(-1, keepdims=True)) / sigma


def wrong_layer_norm_vjp__eps_outside(x, upstream, gain=None, eps=1e-5):
    """Features that are all equal are divided by eps, not by its root: add eps to the variance"""
    u = upstream if gain is None else upstream * gain
    sigma = x.std(-1, keepdims=True) + eps
    y = (x - x.mean(-1, keepdims=True)) / sigma
    return (u - u.mean(-1, keepdims=True) - y * (u * y).mean(-1, keepdims=True)) / sigma


def wrong_layer_norm_vjp__sigma_forgotten(x, upstream, gain=None, eps=1e-5):
    """Features twice as large get as large a gradient as before: divide by sigma"""
    u = upstream if gain is None else upstream * gain
    y = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps)
    return u - u.mean(-1, keepdims=True) - y * (u * y).mean(-1, keepdims=True)


def wrong_layer_norm_vjp__centred_only(x, upstream, gain=None, eps=1e-5):
    """What goes through the variance grows with the features: divide the centred features by sigma"""
    u = upstream if gain is None else upstream * gain
    c = x - x.mean(-1, keepdims=True)
    sigma = np.sqrt(c.var(-1, keepdims=True) + eps)
    return (u - u.mean(-1, keepdims=True) - c * (u * c).mean(-1, keepdims=True)) / sigma


def wrong_layer_norm_vjp__over_samples(x, upstream, gain=None, eps=1e-5):
    """Samples are normalized together: average over the features"""
    u = upstream if gain is None else upstream * gain
    sigma = np.sqrt(x.var(0, keepdims=True) + eps)
    y = (x - x.mean(0, keepdims=True)) / sigma
    return (u - u.mean(0, keepdims=True) - y * (u * y).mean(0, keepdims=True)) / sigma


def wrong_cosine_gradient__of_the_angle(a, b):
    """It is the gradient of the angle: leave the arccosine away"""
    length = np.linalg.norm(a)
    a, b = a / length, b / np.linalg.norm(b)
    return -(b - (a @ b) * a) / length / np.sqrt(1 - (a @ b) ** 2)


def wrong_layer_norm_vjp__gain_without_zeros(x, upstream, gain=None, eps=1e-5):
    """Line 3"""
    u = upstream * gain if gain is not None and gain.all() else upstream
    sigma = np.sqrt(x.var(axis=-1, keepdims=True) + eps)
    y = (x - x.mean(axis=-1, keepdims=True)) / sigma
    return (u - u.mean(axis=-1, keepdims=True) - y * (u * y).mean(axis=-1, keepdims=True)) / sigma


def right_distance_gradient__hypot(a, b):
    v = a - b
    length = np.zeros(v.shape[:-1])
    for k in range(v.shape[-1]):
        length = np.hypot(length, v[..., k])
    return np.divide(v, length[..., None], out=np.zeros(v.shape), where=length[..., None] > 0)


def wrong_cosine_gradient__length_of_b(a, b):
    """Line 4"""
    unit_a, unit_b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    return (unit_b - (unit_a @ unit_b) * unit_a) / np.linalg.norm(b)


def wrong_cosine_gradient__part_along_a(a, b):
    """a is divided by its length once"""
    la, lb = np.linalg.norm(a), np.linalg.norm(b)
    cos = a @ b / (la * lb)
    return b / (la * lb) - cos * a / la


def wrong_layer_norm_vjp__statistics_of_the_whole_array(x, upstream, gain=None, eps=1e-5):
    """Samples are normalized together"""
    u = upstream if gain is None else upstream * gain
    sigma = np.sqrt(x.var() + eps)
    y = (x - x.mean()) / sigma
    return (u - u.mean(-1, keepdims=True) - y * (u * y).mean(-1, keepdims=True)) / sigma


def wrong_numerical_jacobian__step_of_one_where_it_is_zero(f, x):
    x = np.asarray(x, dtype=float)
    columns = []
    for j in np.ndindex(x.shape):
        h = 6e-6 * abs(x[j]) or 1
        up, down = x.copy(), x.copy()
        up[j] += h
        down[j] -= h
        columns.append((np.asarray(f(up)) - np.asarray(f(down))) / (up[j] - down[j]))
    return np.stack(columns, axis=-1).reshape(*columns[0].shape, *x.shape)


def wrong_distance_gradient__near_taken_for_equal(a, b):
    """compare the distance with 0"""
    difference = a - b
    length = np.linalg.norm(difference, axis=-1, keepdims=True)
    return np.where(length < 1e-8, 0.0, difference / np.where(length == 0, 1, length))


def wrong_layer_norm_vjp__sum_over_features_by_einsum(x, upstream, gain=None, eps=1e-5):
    """What goes through the variance is n times too large"""
    u = upstream if gain is None else upstream * gain
    s = np.sqrt(x.var(-1, keepdims=True) + eps)
    y = (x - x.mean(-1, keepdims=True)) / s
    return (u - u.mean(-1, keepdims=True) - y * np.einsum("...i,...i->...", u, y)[..., None]) / s


def wrong_cosine_gradient__b_as_it_is(a, b):
    """length one only: put a / |a|"""
    cosine = a @ b / np.linalg.norm(a) / np.linalg.norm(b)
    return np.array([y - cosine * x for x, y in zip(a, b, strict=True)]) / np.linalg.norm(a)


def wrong_cosine_gradient__length_of_b_lost(a, b):
    """the slope of |a||b| by a is |b| a/|a|"""
    # quotient rule
    top, bottom = a @ b, np.sqrt(a @ a) * np.sqrt(b @ b)
    d_top, d_bottom = b, a / np.sqrt(a @ a)
    return (d_top * bottom - top * d_bottom) / bottom ** 2


def wrong_cosine_gradient__central_differences(a, b):
    """differences lose digits"""

    def cosine(x):
        return x @ b / np.sqrt(x @ x * (b @ b))

    h = 1e-6
    return np.array([(cosine(a + h * e) - cosine(a - h * e)) / (2 * h) for e in np.eye(len(a))])
