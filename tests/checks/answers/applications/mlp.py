"""Activations and multilayer perceptrons, as readers write them."""

import math

import numpy as np
import torch
from scipy.special import erf, erfc, expit, log_ndtr, ndtr
from scipy.stats import norm

from mlnotes.applications.mlp import gelu, relu


def right_relu__maximum(x):
    return np.maximum(x, 0)


def right_relu__where(x):
    return np.where(x < 0, 0, x)


def right_relu__half_sum(x):
    return (x + np.abs(x)) / 2


def right_relu__torch(x):
    return torch.relu(torch.tensor(x)).numpy()


def right_relu__copy(x):
    y = x.copy()
    y[y < 0] = 0
    return y


def wrong_relu__largest(x):
    """It gives the largest number, along axis 0"""
    return np.max(x, 0)


def wrong_relu__pythons(x):
    """Line 3"""
    return max(0, x)


def wrong_relu__negative_half(x):
    """Line 3"""
    return np.minimum(x, 0)


def wrong_relu__clipped(x):
    return np.clip(x, 0, 1)


def wrong_relu__positives_only(x):
    """Negative numbers are gone, and the shape with them"""
    return x[x > 0]


def wrong_relu__into_the_input(x):
    """The result is right, but `x` has changed after the call"""
    return np.maximum(x, 0, out=x)


def wrong_relu__half_forgotten(x):
    """The result is twice the right one"""
    return x + np.abs(x)


def wrong_relu__no_nan(x):
    """nan comes out as 0, which hides where it came from"""
    return np.nan_to_num(np.maximum(x, 0))


def wrong_relu__cut_at_one(x):
    """Line 3"""
    return np.maximum(x, 1)


def wrong_relu__squared(x):
    """The result is the square of the right one"""
    return x * np.maximum(x, 0)


def wrong_relu__greater_one(x):
    """Line 3"""
    return np.where(x > 1, x, 0 * x)


def wrong_relu__loop(x):
    """Line 5"""
    out = np.zeros_like(x)
    for i, it in enumerate(x):
        if it > 0:
            out[i] = it
    return out


def wrong_relu__minus(x):
    """Line 3"""
    return np.maximum(-x, 0)


def right_silu__safe(x):
    e = np.exp(-np.abs(x))
    return x * np.where(x > 0, 1, e) / (1 + e)


def right_silu__expit(x):
    return x * expit(x)


def right_silu__tanh(x):
    return (x * (1 + np.tanh(x / 2)) / 2).astype(x.dtype)


def right_silu__masks(x):
    out = np.empty_like(x)
    positive = x > 0
    out[positive] = x[positive] / (1 + np.exp(-x[positive]))
    e = np.exp(x[~positive])
    out[~positive] = x[~positive] * e / (1 + e)
    return out


def right_silu__torch(x):
    return torch.nn.functional.silu(torch.tensor(x)).numpy()


def right_silu__in_double(x):
    x = x.astype(np.float64)
    e = np.exp(-np.abs(x))
    return x * np.where(x > 0, 1, e) / (1 + e)


def wrong_silu__overflowing(x):
    """only a division by infinity hides"""
    return x / (1 + np.exp(-x))


def wrong_silu__multiplied(x):
    """Line 3"""
    return x * (1 + np.exp(-x))


def wrong_silu__absolute(x):
    """Below zero the gate is that of |x|"""
    return x / (1 + np.exp(-np.abs(x)))


def wrong_silu__clipped(x):
    x = np.clip(x, -50, 50)
    return x / (1 + np.exp(-x))


def wrong_silu__branches_exchanged(x):
    """Large numbers vanish and negative ones pass"""
    e = np.exp(-np.abs(x))
    return x * np.where(x > 0, e, 1) / (1 + e)


def wrong_silu__one_branch(x):
    """Above zero the gate is that of -|x|"""
    e = np.exp(-np.abs(x))
    return x * e / (1 + e)


def wrong_silu__tanh(x):
    """Line 3"""
    return x * (1 + np.tanh(x)) / 2


def wrong_silu__both_branches(x):
    """Line 3"""
    return np.where(x > 0, x / (1 + np.exp(-x)), x * np.exp(x) / (1 - np.exp(x)))


def wrong_silu__gate_twice(x):
    """Line 5"""
    e = np.exp(-np.abs(x))
    gate = np.where(x > 0, 1, e) / (1 + e)
    return x * gate * gate


def wrong_silu__other_gate(x):
    """Large numbers vanish and negative ones pass"""
    e = np.exp(-np.abs(x))
    return x * (1 - np.where(x > 0, 1, e) / (1 + e))


def wrong_silu__plus(x):
    """Line 4"""
    e = np.exp(-np.abs(x))
    return x + np.where(x > 0, 1, e) / (1 + e)


def wrong_silu__float32_exp(x):
    return x / (1 + np.exp(np.clip(-x, -10, 10)))


def wrong_silu__nan_to_zero(x):
    """use an exponential that is never large"""
    e = np.exp(x)
    return np.nan_to_num(x * e / (1 + e))


def right_mlp__chapter(x, weights, biases, activation=relu):
    for w, b in zip(weights[:-1], biases[:-1], strict=True):
        x = activation(x @ w + b)
    return x @ weights[-1] + biases[-1]


def right_mlp__recursive(x, weights, biases, activation=relu):
    h = x @ weights[0] + biases[0]
    if len(weights) == 1:
        return h
    return right_mlp__recursive(activation(h), weights[1:], biases[1:], activation)


def right_mlp__counted(x, weights, biases, activation=relu):
    for i in range(len(weights)):
        x = np.einsum("...i,ij->...j", x, weights[i]) + biases[i]
        if i < len(weights) - 1:
            x = activation(x)
    return x


def right_mlp__bias_as_a_weight(x, weights, biases, activation=None):
    activation = activation or (lambda h: np.maximum(h, 0))
    for i, (w, b) in enumerate(zip(weights, biases, strict=True)):
        x = activation(x) if i else x
        x = np.concatenate([x, np.ones((*x.shape[:-1], 1))], axis=-1) @ np.vstack([w, b])
    return x


def wrong_mlp__first_and_last(x, weights, biases, activation=relu):
    """It has two layers, however many weights there are"""
    h = activation(x @ weights[0] + biases[0])
    return h @ weights[-1] + biases[-1]


def wrong_mlp__last_bias_forgotten(x, weights, biases, activation=relu):
    """The last layer has no bias"""
    for w, b in zip(weights[:-1], biases[:-1], strict=True):
        x = activation(x @ w + b)
    return x @ weights[-1]


def wrong_mlp__first_layer_skipped(x, weights, biases, activation=relu):
    h = x
    for i in range(1, len(weights)):
        h = activation(h @ weights[i] + biases[i])
    return h


def wrong_mlp__always_relu(x, weights, biases, activation=relu):
    """`activation` makes no difference"""
    for w, b in zip(weights[:-1], biases[:-1], strict=True):
        x = np.maximum(x @ w + b, 0)
    return x @ weights[-1] + biases[-1]


def wrong_mlp__residual(x, weights, biases, activation=relu):
    """Line 4"""
    for w, b in zip(weights[:-1], biases[:-1], strict=True):
        x = x + activation(x @ w + b)
    return x @ weights[-1] + biases[-1]


def wrong_mlp__always_from_the_input(x, weights, biases, activation=relu):
    """Line 5"""
    h = x
    for w, b in zip(weights[:-1], biases[:-1], strict=True):
        h = activation(x @ w + b)
    return h @ weights[-1] + biases[-1]


def wrong_mlp__one_layer_activated_less(x, weights, biases, activation=relu):
    for w, b in zip(weights[:-2], biases[:-2], strict=True):
        x = activation(x @ w + b)
    x = x @ weights[-2] + biases[-2]
    return x @ weights[-1] + biases[-1]


def wrong_mlp__returned_inside(x, weights, biases, activation=relu):
    """Line 5"""
    for w, b in zip(weights[:-1], biases[:-1], strict=True):
        x = activation(x @ w + b)
        return x @ weights[-1] + biases[-1]


def wrong_mlp__bias_subtracted(x, weights, biases, activation=relu):
    """Line 4"""
    for w, b in zip(weights[:-1], biases[:-1], strict=True):
        x = activation(x @ w - b)
    return x @ weights[-1] + biases[-1]


def wrong_mlp__one_activation_for_all(x, weights, biases, activation=relu):
    """Two things at once"""
    for w, b in zip(weights, biases, strict=True):
        x = x @ w + b
    return activation(x)


def wrong_mlp__activation_on_weights(x, weights, biases, activation=relu):
    for w, b in zip(weights[:-1], biases[:-1], strict=True):
        x = x @ activation(w) + b
    return x @ weights[-1] + biases[-1]


def wrong_mlp__reversed(x, weights, biases, activation=relu):
    """Line 3"""
    for w, b in zip(weights[:-1], reversed(biases[:-1]), strict=True):
        x = activation(x @ w + b)
    return x @ weights[-1] + biases[-1]


def wrong_mlp__activation_twice(x, weights, biases, activation=relu):
    """Line 4"""
    for w, b in zip(weights[:-1], biases[:-1], strict=True):
        x = activation(activation(x @ w) + b)
    return x @ weights[-1] + biases[-1]


def right_gelu__erfc(x):
    return (x * erfc(-x / np.sqrt(2, dtype=x.dtype)) / 2).astype(x.dtype)


def right_gelu__ndtr(x):
    return x * ndtr(x)


def right_gelu__logarithm(x):
    return x * np.exp(log_ndtr(x))


def right_gelu__math(x):
    return np.array([it * math.erfc(-it / 2**0.5) / 2 for it in x.ravel()]).reshape(x.shape)


def right_gelu__scipy_stats(x):
    return x * norm.cdf(x)


def wrong_gelu__cancels(x):
    """Far below zero digits are lost, from −8.4 on all"""
    return x / 2 * (1 + erf(x / np.sqrt(2)))


def wrong_gelu__density(x):
    """Large numbers vanish, too"""
    return x * np.exp(-x * x / 2) / np.sqrt(2 * np.pi)


def wrong_gelu__upper_tail(x):
    """Line 3"""
    return x * erfc(x / np.sqrt(2)) / 2


def wrong_gelu__root_multiplied(x):
    """Line 3"""
    return x * erfc(-x * np.sqrt(2)) / 2


def wrong_gelu__half_inside(x):
    """divide by √2 inside of erf, not by 2"""
    return x * erfc(-x / 2) / 2


def wrong_gelu__slope(x):
    """It says how steep gelu is"""
    return ndtr(x) + x * np.exp(-x * x / 2) / np.sqrt(2 * np.pi)


def wrong_gelu__complement(x):
    """Line 3"""
    return x * (2 - erfc(-x / np.sqrt(2))) / 2


def wrong_gelu__absolute(x):
    """The result is the right one without its sign"""
    return np.abs(x) * erfc(-x / np.sqrt(2)) / 2


def wrong_gelu__no_half(x):
    """The result is twice the right one"""
    return x * erfc(-x / np.sqrt(2))


def wrong_gelu__square(x):
    """Line 3"""
    return x**2 * erfc(-x / np.sqrt(2)) / 2


def wrong_gelu__pi(x):
    return x * erfc(-x / np.sqrt(np.pi)) / 2


def wrong_gelu__without_x(x):
    """The result lies between 0 and 1"""
    return erfc(-x / np.sqrt(2)) / 2


def right_gelu_slope__ndtr(x):
    return ndtr(x) + x * np.exp(-x * x / 2) / np.sqrt(2 * np.pi)


def right_gelu_slope__scipy_stats(x):
    return norm.cdf(x) + x * norm.pdf(x)


def right_gelu_slope__autograd(x):
    t = torch.tensor(x, requires_grad=True)
    torch.nn.functional.gelu(t).sum().backward()
    return t.grad.numpy()


def wrong_gelu_slope__gate_only(x):
    """It never leaves the numbers between 0 and 1"""
    return ndtr(x)


def wrong_gelu_slope__factor_forgotten(x):
    """Line 3"""
    return ndtr(x) + np.exp(-x * x / 2) / np.sqrt(2 * np.pi)


def wrong_gelu_slope__subtracted(x):
    """Line 3"""
    return ndtr(x) - x * np.exp(-x * x / 2) / np.sqrt(2 * np.pi)


def wrong_gelu_slope__density_not_normed(x):
    """The density's area is 2.5 instead of 1"""
    phi = np.exp(-x * x / 2)
    return ndtr(x) + x * phi


def wrong_gelu_slope__half_forgotten(x):
    """Line 3"""
    phi = np.exp(-x * x) / np.sqrt(2 * np.pi)
    return ndtr(x) + x * phi


def wrong_gelu_slope__second_derivative(x):
    """This is the slope of the slope"""
    return (2 - x**2) * norm.pdf(x)


def wrong_gelu_slope__density_only(x):
    """Far above zero it vanishes, where gelu(x) is x"""
    return x * norm.pdf(x)


def wrong_gelu_slope__numerical(x):
    return (gelu(x + 0.01) - gelu(x)) / 0.01


def wrong_gelu_slope__x_squared(x):
    """Line 3"""
    return ndtr(x) + x**2 * norm.pdf(x)


def wrong_gelu_slope__product(x):
    return ndtr(x) * norm.pdf(x)


def wrong_gelu_slope__upper(x):
    """Line 3"""
    return ndtr(-x) + x * norm.pdf(x)


def _newton(slope, curvature, z, steps=20):
    for _ in range(steps):
        z = z - slope(z) / curvature(z)
    return z


def right_gelu_minimum__newton():
    return _newton(lambda z: ndtr(z) + z * norm.pdf(z), lambda z: (2 - z * z) * norm.pdf(z), -0.7)


def right_gelu_minimum__six_decimals():
    return -0.751792


def right_gelu_minimum__bisection():
    low, high = -1.4, 0.0
    while high - low > 1e-12:
        middle = (low + high) / 2
        low, high = (middle, high) if ndtr(middle) + middle * norm.pdf(middle) < 0 else (low, middle)
    return np.array(low)


def wrong_gelu_minimum__value():
    """This is how small gelu becomes, not where"""
    return -0.1699712


def wrong_gelu_minimum__sign_lost():
    """The result has the opposite sign"""
    return 0.7517915


def wrong_gelu_minimum__one_step():
    """the steps have not arrived"""
    return _newton(lambda z: ndtr(z) + z * norm.pdf(z), lambda z: (2 - z * z) * norm.pdf(z), -0.7, 1)


def wrong_gelu_minimum__start():
    """the steps have not arrived"""
    return -0.7


def wrong_gelu_minimum__of_silu():
    """This is where silu is smallest"""
    return -1.2784645


def wrong_gelu_minimum__of_the_tanh_form():
    """This is where `gelu_tanh` is smallest"""
    return -0.7524614


def wrong_gelu_minimum__bend():
    """There the slope is smallest, not gelu"""
    return -math.sqrt(2)


def wrong_gelu_minimum__three_digits():
    """Its first two or three digits are right"""
    return -0.752


def wrong_gelu_slope__of_relu(x):
    """It jumps from 0 to 1: that is the slope of ReLU"""
    return (x > 0) * 1.0


def wrong_gelu_slope__root_over_everything(x):
    """Line 3"""
    return ndtr(x) + x * np.sqrt(np.exp(-x * x) / 2 * np.pi)


def wrong_mlp__activated_by_the_first(x, weights, biases, activation=relu):
    """Line 5"""
    for w, b in zip(weights, biases, strict=True):
        x = x @ w + b
        x = activation(x) if w is not weights[0] else x
    return x


def wrong_mlp__first_and_last_outside(x, weights, biases, activation=relu):
    """One layer is applied twice, as the first and as the last"""
    x = activation(x @ weights[0] + biases[0])
    for w, b in zip(weights[1:-1], biases[1:-1], strict=True):
        x = activation(x @ w + b)
    return x @ weights[-1] + biases[-1]


def wrong_gelu__tanh(x):
    """It is off by up to 0.0005"""
    return x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def wrong_gelu__one_less_the_upper_tail(x):
    """Far below zero digits are lost, from -8.3 on all: 1 − Φ(−x) cancels"""
    return x * (1 - norm.cdf(-x))


def wrong_gelu_minimum__cut_off():
    """Its digits are cut off, not rounded"""
    return -0.7517


def wrong_gelu_minimum__rounded_value():
    """This is how small gelu becomes, not where"""
    return -0.17


def wrong_relu__six_at_most(x):
    return np.clip(x, 0, 6)


def wrong_relu__a_hundred_at_most(x):
    """Line 3"""
    return np.where(x < 0, 0.0, np.minimum(x, 100))


def right_mlp__last_known_by_its_weights(x, weights, biases, activation=relu):
    for w, b in zip(weights, biases, strict=True):
        x = x @ w + b
        if w is not weights[-1]:
            x = activation(x)
    return x


def wrong_mlp__three_layers_at_most(x, weights, biases, activation=relu):
    """before this line, its numbers are also the book's"""
    y = x @ weights[0] + biases[0]
    if len(weights) > 1:
        y = activation(y) @ weights[1] + biases[1]
    if len(weights) > 2:
        y = activation(y) @ weights[2] + biases[2]
    return y


def wrong_gelu_minimum__away_from_it():
    """the steps ran away"""
    with np.errstate(all="ignore"):
        return _newton(lambda z: -ndtr(z) - z * norm.pdf(z), lambda z: (2 - z * z) * norm.pdf(z), -0.7, 200)


def wrong_gelu__in_single_precision(x):
    import torch

    return torch.nn.functional.gelu(torch.tensor(x, dtype=torch.float32)).numpy()


def wrong_gelu_slope__difference_quotient(x):
    """differences lose digits: derive"""
    h = 1e-5
    return ((x + h) * ndtr(x + h) - (x - h) * ndtr(x - h)) / (2 * h)


def _gelu(x):
    return x * ndtr(x)


def wrong_gelu_slope__difference_of_calls(x, h=1e-6):
    """differences lose digits: derive"""
    return (_gelu(x + h) - _gelu(x - h)) / (2 * h)


def wrong_gelu_slope__of_the_tanh_form(x):
    """It is the slope of the approximation by tanh"""
    c = math.sqrt(2 / math.pi)
    t = np.tanh(c * (x + 0.044715 * x**3))
    return 0.5 * (1 + t) + 0.5 * x * (1 - t**2) * c * (1 + 3 * 0.044715 * x**2)


def wrong_gelu_slope__of_the_logistic_form(x):
    """It is the slope of x σ(1.702 x)"""
    s = 1 / (1 + np.exp(-1.702 * x))
    return s + 1.702 * x * s * (1 - s)


def wrong_gelu_slope__erf_without_its_root(x):
    """The gate is too narrow"""
    return 0.5 * (1 + erf(x)) + x * np.exp(-0.5 * x**2) / np.sqrt(2 * np.pi)


def wrong_mlp__bent_in_the_first_layer(x, weights, biases, activation=relu):
    """Only the first layer is bent"""
    hidden = activation(x @ weights[0] + biases[0])
    for i in range(1, len(weights)):
        hidden = hidden @ weights[i] + biases[i]
    return hidden


def wrong_gelu__erf_of_x(x):
    """The bend is too narrow"""
    return x * (1 + np.vectorize(math.erf)(x)) / 2


def wrong_gelu__one_and_erf(x):
    """The gate goes up to 2"""
    return x * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def wrong_relu__clipped_at_the_largest(x):
    """Line 3"""
    return np.clip(x, 0, np.nanmax(x))


def wrong_silu__one_large_number_for_all(x):
    """Line 3"""
    return np.maximum(x, 0) if np.any(np.abs(x) > 500) else x * expit(x)


def wrong_silu__nothing_below_minus_ten(x):
    out = np.zeros_like(x)
    for i, value in np.ndenumerate(x):
        if value > -10:
            out[i] = value / (1 + np.exp(-value))
    return out


def wrong_silu__tanh_for_the_gate(x):
    """The gate falls to -1"""
    return x * np.tanh(x)


def wrong_mlp__first_and_second(x, weights, biases, activation=relu):
    """It has two layers, however many weights there are"""
    hidden = activation(x @ weights[0] + biases[0])
    return hidden @ weights[1] + biases[1]


def wrong_mlp__two_unpacked(x, weights, biases, activation=relu):
    """It has two layers, however many weights there are"""
    w1, w2 = weights
    b1, b2 = biases
    return activation(x @ w1 + b1) @ w2 + b2


def wrong_gelu_minimum__not_arrived():
    """the steps have not arrived"""
    return -0.7505


def right_mlp__popping_copies(x, weights, biases, activation=relu):
    weights, biases = weights.copy(), biases.copy()
    last_w, last_b = weights.pop(), biases.pop()
    for w, b in zip(weights, biases, strict=True):
        x = activation(x @ w + b)
    return x @ last_w + last_b


def wrong_mlp__popping(x, weights, biases, activation=relu):
    """`weights` has changed after the call"""
    last_w, last_b = weights.pop(), biases.pop()
    for w, b in zip(weights, biases, strict=True):
        x = activation(x @ w + b)
    return x @ last_w + last_b


def wrong_mlp__sample_by_sample(x, weights, biases, activation=relu):
    """Line 6"""
    out = []
    for row in x:
        for w, b in zip(weights[:-1], biases[:-1], strict=True):
            row = activation(row @ w + b)
        out.append(row @ weights[-1] + biases[-1])
    return np.array(out)



def wrong_silu__product_overflows(x):
    """look at the parentheses"""
    with np.errstate(all="ignore"):
        y = x * np.exp(x) / (1 + np.exp(x))
    return np.where(np.isnan(y), x, y)


def wrong_silu__gate_reversed(x):
    """the exponent is −x"""
    return x / (1 + np.exp(x))


def wrong_silu__cut_off(x):
    """Numbers above 40 come out as 40"""
    x = np.clip(x, None, 40)
    return x * expit(x)


def wrong_silu__softplus(x):
    """This is softplus"""
    return np.logaddexp(0, x)


def wrong_gelu_slope__density(x):
    """two terms, not the product of two derivatives"""
    return norm.pdf(x)


def wrong_gelu_slope__two_distributions(x):
    """The gate is the logistic function"""
    return expit(x) + x * norm.pdf(x)


def wrong_gelu_slope__times_pi(x):
    """The density is multiplied by π, which belongs below the line"""
    return ndtr(x) + x * np.exp(-(x**2) / 2) / np.sqrt(2) * np.pi
