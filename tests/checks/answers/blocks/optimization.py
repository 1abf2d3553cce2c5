"""Optimizers, as readers write them."""

import math
from types import SimpleNamespace

import numpy as np
import torch
from slips import slip

from mlnotes.blocks.optimization import Minimization, Problem


def right_gradient_descent__generator(rate):
    def steps(problem, x):
        while True:
            x = x - rate * problem.gradient(x)
            yield x

    return steps


def right_gradient_descent__copies(rate):
    def steps(problem, x):
        x = x.copy()
        while True:
            x -= rate * problem.gradient(x)
            yield x.copy()

    return steps


class Descent:
    """Yield points as an iterator of its own."""

    def __init__(self, rate, problem, x):
        self.rate, self.problem, self.x = rate, problem, x

    def __iter__(self):
        return self

    def __next__(self):
        self.x = self.x - self.rate * self.problem.gradient(self.x)
        return self.x


def right_gradient_descent__iterator(rate):
    return lambda problem, x: Descent(rate, problem, x)


def wrong_gradient_descent__divided(rate):
    """Line 5"""
    def steps(problem, x):
        while True:
            x = x - problem.gradient(x) / rate
            yield x

    return steps


def wrong_gradient_descent__signs_only(rate):
    """Line 5"""
    def steps(problem, x):
        while True:
            x = x - rate * np.sign(problem.gradient(x))
            yield x

    return steps


def wrong_gradient_descent__from_the_start(rate):
    """Line 6"""
    def steps(problem, x):
        start = x
        while True:
            x = start - rate * problem.gradient(x)
            yield x

    return steps


def wrong_gradient_descent__start_first(rate):
    """The first point is the start once more"""
    def steps(problem, x):
        while True:
            yield x
            x = x - rate * problem.gradient(x)

    return steps


def wrong_gradient_descent__halved(rate):
    """Line 5"""
    def steps(problem, x):
        while True:
            x = x - rate / 2 * problem.gradient(x)
            yield x

    return steps


def wrong_gradient_descent__shrinking(rate):
    """Line 7"""
    def steps(problem, x):
        t = 0
        while True:
            t += 1
            x = x - rate / t * problem.gradient(x)
            yield x

    return steps


def wrong_gradient_descent__step_only(rate):
    """Line 5"""
    def steps(problem, x):
        while True:
            x = rate * problem.gradient(x)
            yield x

    return steps


def wrong_gradient_descent__height(rate):
    def steps(problem, x):
        while True:
            x = x - rate * problem.function(x)
            yield x

    return steps


def right_momentum__two_lines(rate, beta=0.9):
    def steps(problem, x):
        v = 0
        while True:
            v = beta * v + problem.gradient(x)
            x = x - rate * v
            yield x

    return steps


def right_momentum__step_remembered(rate, beta=0.9):
    def steps(problem, x):
        step = np.zeros(x.shape)
        while True:
            step = beta * step - rate * problem.gradient(x)
            x = x + step
            yield x

    return steps


def right_momentum__heavy_ball(rate, beta=0.9):
    def steps(problem, x):
        before = x
        while True:
            x, before = x - rate * problem.gradient(x) + beta * (x - before), x
            yield x

    return steps


def wrong_momentum__averaged(rate, beta=0.9):
    """It walks as if the rate were 1 - beta times as large, a tenth of it for beta = 0.9"""
    def steps(problem, x):
        v = np.zeros_like(x)
        while True:
            v = beta * v + (1 - beta) * problem.gradient(x)
            x = x - rate * v
            yield x

    return steps


def wrong_momentum__subtracted(rate, beta=0.9):
    """The function rises: subtract the step"""
    def steps(problem, x):
        v = np.zeros_like(x)
        while True:
            v = beta * v - problem.gradient(x)
            x = x - rate * v
            yield x

    return steps


def wrong_momentum__friction_on_the_gradient(rate, beta=0.9):
    """Its first step is too short, and it never comes to rest: multiply the old velocity by beta"""
    def steps(problem, x):
        v = np.zeros_like(x)
        while True:
            v = v + beta * problem.gradient(x)
            x = x - rate * v
            yield x

    return steps


def wrong_momentum__friction_on_both(rate, beta=0.9):
    """Its first step is too short: only the old velocity is multiplied by beta"""
    def steps(problem, x):
        v = np.zeros_like(x)
        while True:
            v = beta * (v + problem.gradient(x))
            x = x - rate * v
            yield x

    return steps


def wrong_momentum__reset(rate, beta=0.9):
    """It is gradient descent: let beta times the velocity survive each step"""
    def steps(problem, x):
        while True:
            v = np.zeros_like(x)
            v = beta * v + problem.gradient(x)
            x = x - rate * v
            yield x

    return steps


def wrong_momentum__rate_twice(rate, beta=0.9):
    """Line 6"""
    def steps(problem, x):
        v = np.zeros_like(x)
        while True:
            v = beta * v + rate * problem.gradient(x)
            x = x - rate * v
            yield x

    return steps


def wrong_momentum__fixed_friction(rate, beta=0.9):
    """`beta` makes no difference: use it where it is given"""
    def steps(problem, x):
        v = np.zeros_like(x)
        while True:
            v = 0.9 * v + problem.gradient(x)
            x = x - rate * v
            yield x

    return steps


def wrong_momentum__velocity_starts_at_x(rate, beta=0.9):
    """Line 4"""
    def steps(problem, x):
        v = x
        while True:
            v = beta * v + problem.gradient(x)
            x = x - rate * v
            yield x

    return steps


def right_nesterov__as_torch(rate, beta=0.9):
    def steps(problem, x):
        v = np.zeros_like(x)
        while True:
            g = problem.gradient(x)
            v = beta * v + g
            x = x - rate * (g + beta * v)
            yield x

    return steps


def right_nesterov__change_of_velocity(rate, beta=0.9):
    def steps(problem, x):
        v = np.zeros_like(x)
        while True:
            old, v = v, beta * v - rate * problem.gradient(x)
            x = x - beta * old + (1 + beta) * v
            yield x

    return steps


def right_nesterov__point_behind(rate, beta=0.9):
    def steps(problem, x):
        behind, v = x, np.zeros_like(x)
        while True:
            v = beta * v - rate * problem.gradient(behind + beta * v)
            behind = behind + v
            yield behind + beta * v

    return steps


def wrong_nesterov__point_behind(rate, beta=0.9):
    """Its first step is that of gradient descent: yield the points ahead, at which gradients are taken"""
    def steps(problem, x):
        v = np.zeros_like(x)
        while True:
            v = beta * v - rate * problem.gradient(x + beta * v)
            x = x + v
            yield x

    return steps


def wrong_nesterov__old_velocity(rate, beta=0.9):
    """It is plain momentum: step along g + beta v, which looks one step ahead"""
    def steps(problem, x):
        v = np.zeros_like(x)
        while True:
            g = problem.gradient(x)
            x = x - rate * (g + beta * v)
            v = beta * v + g
            yield x

    return steps


def wrong_nesterov__subtracted(rate, beta=0.9):
    """Its first step is too short: step along g + beta v"""
    def steps(problem, x):
        v = np.zeros_like(x)
        while True:
            g = problem.gradient(x)
            v = beta * v + g
            x = x - rate * (g - beta * v)
            yield x

    return steps


def wrong_nesterov__gradient_twice(rate, beta=0.9):
    """Its first step is twice that of gradient descent: step along g + beta v"""
    def steps(problem, x):
        v = np.zeros_like(x)
        while True:
            g = problem.gradient(x)
            v = beta * v + g
            x = x - rate * (g + v)
            yield x

    return steps


def wrong_nesterov__beta_outside(rate, beta=0.9):
    def steps(problem, x):
        v = np.zeros_like(x)
        while True:
            g = problem.gradient(x)
            v = beta * v + g
            x = x - rate * beta * (g + v)
            yield x

    return steps


def wrong_nesterov__running_mean(rate, beta=0.9):
    """Line 7"""
    def steps(problem, x):
        v = np.zeros_like(x)
        while True:
            g = problem.gradient(x)
            v = beta * v + (1 - beta) * g
            x = x - rate * (g + beta * v)
            yield x

    return steps


def wrong_nesterov__plain(rate, beta=0.9):
    """It is plain momentum: step along g + beta v, which looks one step ahead"""
    def steps(problem, x):
        v = np.zeros_like(x)
        while True:
            v = beta * v + problem.gradient(x)
            x = x - rate * v
            yield x

    return steps


def wrong_nesterov__point_before_the_step(rate, beta=0.9):
    """The first point is the start once more"""

    def walk(problem, x):
        v = 0 * x
        while True:
            yield x
            g = problem.gradient(x)
            v = beta * v + g
            x = x - rate * (g + beta * v)

    return walk


def right_rmsprop__two_lines(rate=0.01, beta=0.99, eps=1e-8):
    def steps(problem, x):
        s = np.zeros_like(x)
        while True:
            g = problem.gradient(x)
            s = beta * s + (1 - beta) * g * g
            x = x - rate * g / (s**0.5 + eps)
            yield x

    return steps


def right_rmsprop__lerp(rate=0.01, beta=0.99, eps=1e-8):
    def steps(problem, x):
        s = 0.0
        while True:
            g = problem.gradient(x)
            s += (1 - beta) * (np.square(g) - s)
            x = x - g * (rate / (eps + np.sqrt(s)))
            yield x

    return steps


def right_rmsprop__torch(rate=0.01, beta=0.99, eps=1e-8):
    def steps(problem, x):
        z = torch.tensor(x, requires_grad=True)
        optimizer = torch.optim.RMSprop([z], lr=rate, alpha=beta, eps=eps)
        while True:
            z.grad = torch.tensor(problem.gradient(z.detach().numpy()))
            optimizer.step()
            yield z.detach().numpy().copy()

    return steps


def wrong_rmsprop__not_squared(rate=0.01, beta=0.99, eps=1e-8):
    """Line 7"""
    def steps(problem, x):
        s = np.zeros_like(x)
        while True:
            g = problem.gradient(x)
            s = beta * s + (1 - beta) * g
            x = x - rate * g / (np.sqrt(np.abs(s)) + eps)
            yield x

    return steps


def wrong_rmsprop__one_size_for_all(rate=0.01, beta=0.99, eps=1e-8):
    """Steep coordinates hold flat ones back"""
    def steps(problem, x):
        s = 0.0
        while True:
            g = problem.gradient(x)
            s = beta * s + (1 - beta) * np.mean(g**2)
            x = x - rate * g / (np.sqrt(s) + eps)
            yield x

    return steps


def wrong_rmsprop__starts_at_one(rate=0.01, beta=0.99, eps=1e-8):
    """Line 4"""
    def steps(problem, x):
        s = np.ones_like(x)
        while True:
            g = problem.gradient(x)
            s = beta * s + (1 - beta) * g**2
            x = x - rate * g / (np.sqrt(s) + eps)
            yield x

    return steps


def wrong_rmsprop__updated_afterwards(rate=0.01, beta=0.99, eps=1e-8):
    """Line 8"""
    def steps(problem, x):
        s = np.zeros_like(x)
        while True:
            g = problem.gradient(x)
            x = x - rate * g / (np.sqrt(s) + eps)
            s = beta * s + (1 - beta) * g**2
            yield x

    return steps


def wrong_rmsprop__eps_ignored(rate=0.01, beta=0.99, eps=1e-8):
    """`eps` makes no difference: use it where it is given"""
    def steps(problem, x):
        s = np.zeros_like(x)
        while True:
            g = problem.gradient(x)
            s = beta * s + (1 - beta) * g**2
            x = x - rate * g / (np.sqrt(s) + 1e-8)
            yield x

    return steps


def wrong_rmsprop__multiplied(rate=0.01, beta=0.99, eps=1e-8):
    """Line 8"""
    def steps(problem, x):
        s = np.zeros_like(x)
        while True:
            g = problem.gradient(x)
            s = beta * s + (1 - beta) * g**2
            x = x - rate * g * (np.sqrt(s) + eps)
            yield x

    return steps


def wrong_rmsprop__signs(rate=0.01, beta=0.99, eps=1e-8):
    """Line 8"""
    def steps(problem, x):
        s = np.zeros_like(x)
        while True:
            g = problem.gradient(x)
            s = beta * s + (1 - beta) * g**2
            x = x + rate * g / (np.sqrt(s) + eps)
            yield x

    return steps


def wrong_rmsprop__point_before_the_step(rate=0.01, beta=0.99, eps=1e-8):
    """The first point is the start once more"""

    def walk(problem, x):
        s = 0 * x
        while True:
            yield x
            g = problem.gradient(x)
            s = beta * s + (1 - beta) * g * g
            x = x - rate * g / (np.sqrt(s) + eps)

    return walk


def right_adam__two_lists(rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8):
    def steps(problem, x):
        m, s = np.zeros_like(x), np.zeros_like(x)
        t = 0
        while True:
            t += 1
            g = problem.gradient(x)
            m = beta1 * m + (1 - beta1) * g
            s = beta2 * s + (1 - beta2) * g**2
            x = x - rate * (m / (1 - beta1**t)) / (np.sqrt(s / (1 - beta2**t)) + eps)
            yield x

    return steps


def right_adam__products(rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8):
    def steps(problem, x):
        m = s = 0
        left1 = left2 = 1.0
        while True:
            g = problem.gradient(x)
            left1, left2 = left1 * beta1, left2 * beta2
            m, s = m + (1 - beta1) * (g - m), s + (1 - beta2) * (g * g - s)
            x = x - rate * m / (1 - left1) / (eps + np.sqrt(s / (1 - left2)))
            yield x

    return steps


def right_adam__torch(rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8):
    def steps(problem, x):
        z = torch.tensor(x, requires_grad=True)
        optimizer = torch.optim.Adam([z], lr=rate, betas=(beta1, beta2), eps=eps)
        while True:
            z.grad = torch.tensor(problem.gradient(z.detach().numpy()))
            optimizer.step()
            yield z.detach().numpy().copy()

    return steps


def wrong_adam__counted_from_zero(rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8):
    """Line 4"""
    def steps(problem, x):
        m, s, t = np.zeros_like(x), np.zeros_like(x), 0
        while True:
            g = problem.gradient(x)
            m = beta1 * m + (1 - beta1) * g
            s = beta2 * s + (1 - beta2) * g**2
            x = x - rate * (m / (1 - beta1**t)) / (np.sqrt(s / (1 - beta2**t)) + eps)
            t += 1
            yield x

    return steps


def wrong_adam__one_beta(rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8):
    """`beta2` is never used: the square has its own"""
    def steps(problem, x):
        m, s, t = np.zeros_like(x), np.zeros_like(x), 0
        while True:
            t += 1
            g = problem.gradient(x)
            m = beta1 * m + (1 - beta1) * g
            s = beta1 * s + (1 - beta1) * g**2
            x = x - rate * (m / (1 - beta1**t)) / (np.sqrt(s / (1 - beta1**t)) + eps)
            yield x

    return steps


def wrong_adam__gradient_for_the_mean(rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8):
    """It swings where gradients do: step along the mean gradient"""
    def steps(problem, x):
        m, s, t = np.zeros_like(x), np.zeros_like(x), 0
        while True:
            t += 1
            g = problem.gradient(x)
            m = beta1 * m + (1 - beta1) * g
            s = beta2 * s + (1 - beta2) * g**2
            x = x - rate * g / (np.sqrt(s / (1 - beta2**t)) + eps)
            yield x

    return steps


def wrong_adam__square_of_the_mean(rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8):
    """Line 9"""
    def steps(problem, x):
        m, s, t = np.zeros_like(x), np.zeros_like(x), 0
        while True:
            t += 1
            g = problem.gradient(x)
            m = beta1 * m + (1 - beta1) * g
            s = beta2 * s + (1 - beta2) * m**2
            x = x - rate * (m / (1 - beta1**t)) / (np.sqrt(s / (1 - beta2**t)) + eps)
            yield x

    return steps


def wrong_adam__corrected_means_kept(rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8):
    """Every step corrects what was corrected before: keep the means as they are, and correct copies"""
    def steps(problem, x):
        m, s, t = np.zeros_like(x), np.zeros_like(x), 0
        while True:
            t += 1
            g = problem.gradient(x)
            m = (beta1 * m + (1 - beta1) * g) / (1 - beta1**t)
            s = (beta2 * s + (1 - beta2) * g**2) / (1 - beta2**t)
            x = x - rate * m / (np.sqrt(s) + eps)
            yield x

    return steps


def wrong_adam__correction_without_the_one(rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8):
    """divide by 1 - beta to the power of t, not by the power"""

    def steps(problem, x):
        m, s, t = np.zeros_like(x), np.zeros_like(x), 0
        while True:
            t += 1
            g = problem.gradient(x)
            m = beta1 * m + (1 - beta1) * g
            s = beta2 * s + (1 - beta2) * g**2
            x = x - rate * (m / beta1**t) / (np.sqrt(s / beta2**t) + eps)
            yield x

    return steps


def wrong_adam__eps_corrected(rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8):
    """It agrees with torch only where gradients are large: correct the square"""
    def steps(problem, x):
        m, s, t = np.zeros_like(x), np.zeros_like(x), 0
        while True:
            t += 1
            g = problem.gradient(x)
            m = beta1 * m + (1 - beta1) * g
            s = beta2 * s + (1 - beta2) * g**2
            scale = np.sqrt(1 - beta2**t) / (1 - beta1**t)
            x = x - rate * scale * m / (np.sqrt(s) + eps)
            yield x

    return steps


def wrong_adam__uphill(rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8):
    """The function rises: subtract the step"""
    def steps(problem, x):
        m, s, t = np.zeros_like(x), np.zeros_like(x), 0
        while True:
            t += 1
            g = problem.gradient(x)
            m = beta1 * m + (1 - beta1) * g
            s = beta2 * s + (1 - beta2) * g**2
            x = x + rate * (m / (1 - beta1**t)) / (np.sqrt(s / (1 - beta2**t)) + eps)
            yield x

    return steps


def right_adamw__shrunk_first(rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.01):
    def steps(problem, x):
        m, s, t = np.zeros_like(x), np.zeros_like(x), 0
        while True:
            t += 1
            g = problem.gradient(x)
            m = beta1 * m + (1 - beta1) * g
            s = beta2 * s + (1 - beta2) * g**2
            x = x * (1 - rate * weight_decay)
            x = x - rate * (m / (1 - beta1**t)) / (np.sqrt(s / (1 - beta2**t)) + eps)
            yield x

    return steps


def right_adamw__one_step(rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.01):
    def steps(problem, x):
        m = s = t = 0
        while True:
            t, g = t + 1, problem.gradient(x)
            m, s = beta1 * m + (1 - beta1) * g, beta2 * s + (1 - beta2) * g * g
            along = m / (1 - beta1**t) / (np.sqrt(s / (1 - beta2**t)) + eps)
            x = x - rate * (along + weight_decay * x)
            yield x

    return steps


def right_adamw__torch(rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.01):
    def steps(problem, x):
        z = torch.tensor(x, requires_grad=True)
        optimizer = torch.optim.AdamW([z], lr=rate, betas=(beta1, beta2), eps=eps, weight_decay=weight_decay)
        while True:
            z.grad = torch.tensor(problem.gradient(z.detach().numpy()))
            optimizer.step()
            yield z.detach().numpy().copy()

    return steps


def wrong_adamw__decay_in_the_gradient(rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.01):
    """Weights with large gradients hardly decay: it is Adam with L2"""
    def steps(problem, x):
        m, s, t = np.zeros_like(x), np.zeros_like(x), 0
        while True:
            t += 1
            g = problem.gradient(x) + weight_decay * x
            m = beta1 * m + (1 - beta1) * g
            s = beta2 * s + (1 - beta2) * g**2
            x = x - rate * (m / (1 - beta1**t)) / (np.sqrt(s / (1 - beta2**t)) + eps)
            yield x

    return steps


def wrong_adamw__decay_twice(rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.01):
    """Line 7"""
    def steps(problem, x):
        m, s, t = np.zeros_like(x), np.zeros_like(x), 0
        while True:
            t += 1
            g = problem.gradient(x) + weight_decay * x
            m = beta1 * m + (1 - beta1) * g
            s = beta2 * s + (1 - beta2) * g**2
            x = x - rate * (m / (1 - beta1**t)) / (np.sqrt(s / (1 - beta2**t)) + eps) - rate * weight_decay * x
            yield x

    return steps


def wrong_adamw__power_of_the_decay(rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.01):
    """Line 10"""
    def steps(problem, x):
        m, s, t = np.zeros_like(x), np.zeros_like(x), 0
        while True:
            t += 1
            g = problem.gradient(x)
            m = beta1 * m + (1 - beta1) * g
            s = beta2 * s + (1 - beta2) * g**2
            x = (1 - rate * weight_decay) ** t * x - rate * (m / (1 - beta1**t)) / (np.sqrt(s / (1 - beta2**t)) + eps)
            yield x

    return steps


def wrong_adamw__decay_added(rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.01):
    """Line 11"""
    def steps(problem, x):
        m, s, t = np.zeros_like(x), np.zeros_like(x), 0
        while True:
            t += 1
            g = problem.gradient(x)
            m = beta1 * m + (1 - beta1) * g
            s = beta2 * s + (1 - beta2) * g**2
            step = (m / (1 - beta1**t)) / (np.sqrt(s / (1 - beta2**t)) + eps)
            x = x - rate * (step - weight_decay * x)
            yield x

    return steps


def wrong_adamw__no_rate(rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.01):
    """It decays as much at a small rate as at a large one: multiply the decay by the rate"""
    def steps(problem, x):
        m, s, t = np.zeros_like(x), np.zeros_like(x), 0
        while True:
            t += 1
            g = problem.gradient(x)
            m = beta1 * m + (1 - beta1) * g
            s = beta2 * s + (1 - beta2) * g**2
            x = x - rate * (m / (1 - beta1**t)) / (np.sqrt(s / (1 - beta2**t)) + eps) - weight_decay * x
            yield x

    return steps


def wrong_adamw__decay_of_the_gradient(rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.01):
    """Line 11"""
    def steps(problem, x):
        m, s, t = np.zeros_like(x), np.zeros_like(x), 0
        while True:
            t += 1
            g = problem.gradient(x)
            m = beta1 * m + (1 - beta1) * g
            s = beta2 * s + (1 - beta2) * g**2
            step = (m / (1 - beta1**t)) / (np.sqrt(s / (1 - beta2**t)) + eps)
            x = x - rate * (step + weight_decay * g)
            yield x

    return steps


def wrong_adamw__decay_fixed(rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.01):
    """`weight_decay` makes no difference: use it where it is given"""
    def steps(problem, x):
        m, s, t = np.zeros_like(x), np.zeros_like(x), 0
        while True:
            t += 1
            g = problem.gradient(x)
            m = beta1 * m + (1 - beta1) * g
            s = beta2 * s + (1 - beta2) * g**2
            step = (m / (1 - beta1**t)) / (np.sqrt(s / (1 - beta2**t)) + eps)
            x = x - rate * (step + 0.01 * x)
            yield x

    return steps


def wrong_adamw__one_square(rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.01):
    """Steep coordinates hold flat ones back"""

    def walk(problem, x):
        m, s, t = 0 * x, 0.0, 0
        while True:
            g, t = problem.gradient(x), t + 1
            m = beta1 * m + (1 - beta1) * g
            s = beta2 * s + (1 - beta2) * np.mean(g**2)
            step = m / (1 - beta1**t) / (np.sqrt(s / (1 - beta2**t)) + eps)
            x = x - rate * weight_decay * x - rate * step
            yield x

    return walk


def right_newton__solve():
    def steps(problem, x):
        while True:
            x = x + np.linalg.solve(problem.hessian(x), -problem.gradient(x))
            yield x

    return steps


def right_newton__inverse():
    def steps(problem, x):
        while True:
            x = x - np.linalg.inv(problem.hessian(x)) @ problem.gradient(x)
            yield x

    return steps


def right_newton__eigenvectors():
    def steps(problem, x):
        while True:
            w, v = np.linalg.eigh(problem.hessian(x))
            x = x - v @ ((v.T @ problem.gradient(x)) / w)
            yield x

    return steps


def wrong_newton__uphill():
    """It runs away: subtract the step"""
    def steps(problem, x):
        while True:
            x = x + np.linalg.solve(problem.hessian(x), problem.gradient(x))
            yield x

    return steps


def wrong_newton__half_a_step():
    """Line 5"""
    def steps(problem, x):
        while True:
            x = x - 0.5 * np.linalg.solve(problem.hessian(x), problem.gradient(x))
            yield x

    return steps


def wrong_newton__absolute_curvatures():
    """Line 6"""
    def steps(problem, x):
        while True:
            w, v = np.linalg.eigh(problem.hessian(x))
            x = x - v @ ((v.T @ problem.gradient(x)) / abs(w))
            yield x

    return steps


def wrong_newton__eigenvectors_turned():
    """Part 3 is right in every call, parts 1 and 2 are not."""
    def steps(problem, x):
        while True:
            w, v = np.linalg.eigh(problem.hessian(x))
            x = x - v.T @ ((v @ problem.gradient(x)) / w)
            yield x

    return steps


def wrong_newton__hessian_once():
    """It is slow near the minimum: compute the Hessian at every point"""
    def steps(problem, x):
        inverse = np.linalg.inv(problem.hessian(x))
        while True:
            x = x - inverse @ problem.gradient(x)
            yield x

    return steps


def wrong_newton__regularized():
    """Line 5"""
    def steps(problem, x):
        while True:
            h = problem.hessian(x) + 1e-3 * np.eye(len(x))
            x = x - np.linalg.solve(h, problem.gradient(x))
            yield x

    return steps


def wrong_newton__divided_by_the_sum():
    """Part 3 is right in every call, parts 1 and 2 are not."""
    def steps(problem, x):
        while True:
            x = x - problem.gradient(x) / problem.hessian(x).sum(axis=0)
            yield x

    return steps


def right_minimize__loop(function, gradient, x0, stepper, hessian=None, max_steps=1000, tolerance=1e-8):
    x = np.array(x0, float)
    steps = stepper(Problem(function, gradient, hessian), x)
    points, values, norms = [x], [function(x)], [np.linalg.norm(gradient(x))]
    while norms[-1] > tolerance and len(points) <= max_steps:
        x = next(steps)
        points.append(x)
        values.append(function(x))
        norms.append(np.linalg.norm(gradient(x)))
    converged = bool(norms[-1] <= tolerance)
    if converged and hessian is not None:
        converged = bool(np.linalg.eigvalsh(hessian(x)).min() >= -1e-10)
    return Minimization(x, np.array(points), np.array(values), np.array(norms), converged, "")


def right_minimize__namespace(function, gradient, x0, stepper, hessian=None, max_steps=1000, tolerance=1e-8):
    points = [np.asarray(x0, float)]
    walk = stepper(Problem(function, gradient, hessian), points[0])
    while len(points) <= max_steps and np.linalg.norm(gradient(points[-1])) > tolerance:
        points.append(next(walk))
    norms = [float(np.linalg.norm(gradient(it))) for it in points]
    flat = norms[-1] <= tolerance
    bowl = hessian is None or np.all(np.linalg.eigvalsh(hessian(points[-1])) > -1e-9)
    return SimpleNamespace(
        x=points[-1],
        points=points,
        values=[function(it) for it in points],
        gradient_norms=norms,
        converged=bool(flat and bowl),
    )


def right_minimize__for_loop(function, gradient, x0, stepper, hessian=None, max_steps=1000, tolerance=1e-8):
    x = np.array(x0, dtype=float)
    steps = stepper(Problem(function, gradient, hessian), x)
    points, values, norms, converged = [], [], [], False
    for t in range(max_steps + 1):
        points.append(x.copy())
        values.append(function(x))
        norms.append(math.sqrt(gradient(x) @ gradient(x)))
        if norms[-1] <= tolerance:
            converged = hessian is None or bool(np.linalg.eigvalsh(hessian(x))[0] >= 0)
            break
        if t < max_steps:
            x = next(steps)
    return Minimization(points[-1], np.array(points), np.array(values), np.array(norms), converged, "")


def _walked(function, gradient, points, converged):
    norms = [np.linalg.norm(gradient(x)) for x in points]
    values = [function(x) for x in points]
    return Minimization(points[-1], np.array(points), np.array(values), np.array(norms), bool(converged), "")


def wrong_minimize__no_saddle_check(function, gradient, x0, stepper, hessian=None, max_steps=1000, tolerance=1e-8):
    """A saddle or a maximum counts as a minimum"""
    points = [np.array(x0, float)]
    steps = stepper(Problem(function, gradient, hessian), points[0])
    while np.linalg.norm(gradient(points[-1])) > tolerance and len(points) <= max_steps:
        points.append(next(steps))
    return _walked(function, gradient, points, np.linalg.norm(gradient(points[-1])) <= tolerance)


def wrong_minimize__start_left_out(function, gradient, x0, stepper, hessian=None, max_steps=1000, tolerance=1e-8):
    """`converged` is right in every call, `x`, `points`, `values` and `gradient_norms` are not."""
    x = np.array(x0, float)
    steps = stepper(Problem(function, gradient, hessian), x)
    points = [next(steps)]
    while np.linalg.norm(gradient(points[-1])) > tolerance and len(points) < max_steps:
        points.append(next(steps))
    flat = np.linalg.norm(gradient(points[-1])) <= tolerance
    bowl = hessian is None or np.linalg.eigvalsh(hessian(points[-1]))[0] > -1e-9
    return _walked(function, gradient, points, flat and bowl)


def wrong_minimize__one_step_short(function, gradient, x0, stepper, hessian=None, max_steps=1000, tolerance=1e-8):
    """Line 5"""
    points = [np.array(x0, float)]
    steps = stepper(Problem(function, gradient, hessian), points[0])
    while np.linalg.norm(gradient(points[-1])) > tolerance and len(points) < max_steps:
        points.append(next(steps))
    flat = np.linalg.norm(gradient(points[-1])) <= tolerance
    bowl = hessian is None or np.linalg.eigvalsh(hessian(points[-1]))[0] > -1e-9
    return _walked(function, gradient, points, flat and bowl)


def wrong_minimize__fixed_tolerance(function, gradient, x0, stepper, hessian=None, max_steps=1000, tolerance=1e-8):
    """`tolerance` makes no difference: use it where it is given"""
    points = [np.array(x0, float)]
    steps = stepper(Problem(function, gradient, hessian), points[0])
    while np.linalg.norm(gradient(points[-1])) > 1e-8 and len(points) <= max_steps:
        points.append(next(steps))
    flat = np.linalg.norm(gradient(points[-1])) <= 1e-8
    bowl = hessian is None or np.linalg.eigvalsh(hessian(points[-1]))[0] > -1e-9
    return _walked(function, gradient, points, flat and bowl)


def wrong_minimize__changes_of_height(function, gradient, x0, stepper, hessian=None, max_steps=1000, tolerance=1e-8):
    """It stops half of the digits too early: near a minimum the height is flat"""
    points = [np.array(x0, float)]
    steps = stepper(Problem(function, gradient, hessian), points[0])
    change = np.inf
    while change > tolerance and len(points) <= max_steps:
        points.append(next(steps))
        change = abs(function(points[-1]) - function(points[-2]))
    bowl = hessian is None or np.linalg.eigvalsh(hessian(points[-1]))[0] > -1e-9
    return _walked(function, gradient, points, change <= tolerance and bowl)


def wrong_minimize__new_walk_each_step(function, gradient, x0, stepper, hessian=None, max_steps=1000, tolerance=1e-8):
    """`converged` is right in every call, `x`, `points`, `values` and `gradient_norms` are not."""
    points = [np.array(x0, float)]
    problem = Problem(function, gradient, hessian)
    while np.linalg.norm(gradient(points[-1])) > tolerance and len(points) <= max_steps:
        points.append(next(stepper(problem, points[-1])))
    flat = np.linalg.norm(gradient(points[-1])) <= tolerance
    bowl = hessian is None or np.linalg.eigvalsh(hessian(points[-1]))[0] > -1e-9
    return _walked(function, gradient, points, flat and bowl)


def wrong_minimize__all_steps(function, gradient, x0, stepper, hessian=None, max_steps=1000, tolerance=1e-8):
    """Line 6"""
    points = [np.array(x0, float)]
    steps = stepper(Problem(function, gradient, hessian), points[0])
    for _ in range(min(max_steps, 50)):
        points.append(next(steps))
    flat = np.linalg.norm(gradient(points[-1])) <= tolerance
    bowl = hessian is None or np.linalg.eigvalsh(hessian(points[-1]))[0] > -1e-9
    return _walked(function, gradient, points, flat and bowl)


def wrong_minimize__any_curvature(function, gradient, x0, stepper, hessian=None, max_steps=1000, tolerance=1e-8):
    """Line 8"""
    points = [np.array(x0, float)]
    steps = stepper(Problem(function, gradient, hessian), points[0])
    while np.linalg.norm(gradient(points[-1])) > tolerance and len(points) <= max_steps:
        points.append(next(steps))
    flat = np.linalg.norm(gradient(points[-1])) <= tolerance
    bowl = hessian is None or np.linalg.eigvalsh(hessian(points[-1]))[-1] > -1e-9
    return _walked(function, gradient, points, flat and bowl)


def rounding(value, step, slope):
    unit = np.finfo(float).eps * abs(value)
    return 4 * unit if -step * slope < 500 * unit else 0.0


def right_backtracking__while(function, x, direction, slope, step=1.0):
    first = function(x)
    extra, trials = rounding(first, step, slope), 1
    while not function(x + step * direction) < first + 1e-4 * step * slope + extra:
        step, trials = step / 2, trials + 1
        if trials > 100:
            raise ArithmeticError("no step lowers the function")
    return step


def right_backtracking__recursive(function, x, direction, slope, step=1.0):
    first = function(x)
    extra = rounding(first, step, slope)

    def shorter(t, tries):
        if function(x + t * direction) - extra < first + 1e-4 * t * slope:
            return t
        if tries == 1:
            raise ArithmeticError("no step lowers the function")
        return shorter(t / 2, tries - 1)

    return shorter(step, 100)


def right_backtracking__powers(function, x, direction, slope, step=1.0):
    first = function(x)
    extra = rounding(first, step, slope)
    lengths = step * 0.5 ** np.arange(100)
    good = [t for t in lengths if function(x + t * direction) < first + t * slope / 10_000 + extra]
    return good[0]


def wrong_backtracking__doubled(function, x, direction, slope, step=1.0):
    """Line 7"""
    extra = rounding(function(x), step, slope)
    for _ in range(100):
        if function(x + step * direction) < function(x) + 1e-4 * step * slope + extra:
            return step
        step *= 2
    raise ArithmeticError("no step lowers the function")


def wrong_backtracking__decrease_only(function, x, direction, slope, step=1.0):
    """It accepts a step that gains next to nothing: ask for a part of what the slope promises"""
    extra = rounding(function(x), step, slope)
    for _ in range(100):
        if function(x + step * direction) < function(x) + extra:
            return step
        step /= 2
    raise ArithmeticError("no step lowers the function")


def wrong_backtracking__slope_subtracted(function, x, direction, slope, step=1.0):
    """It accepts points that are higher: the slope is negative: add it"""
    extra = rounding(function(x), step, slope)
    for _ in range(100):
        if function(x + step * direction) < function(x) - 1e-4 * step * slope + extra:
            return step
        step /= 2
    raise ArithmeticError("no step lowers the function")


def wrong_backtracking__step_ignored(function, x, direction, slope, step=1.0):
    """`step` makes no difference: use it where it is given."""
    step = 1.0
    extra = rounding(function(x), step, slope)
    for _ in range(100):
        if function(x + step * direction) < function(x) + 1e-4 * step * slope + extra:
            return step
        step /= 2
    raise ArithmeticError("no step lowers the function")


def wrong_backtracking__half_the_promise(function, x, direction, slope, step=1.0):
    """It asks for half of what the slope promises: ask for a ten-thousandth of it"""
    extra = rounding(function(x), step, slope)
    for _ in range(100):
        if function(x + step * direction) < function(x) + 0.5 * step * slope + extra:
            return step
        step /= 2
    raise ArithmeticError("no step lowers the function")


def wrong_backtracking__halved_before_return(function, x, direction, slope, step=1.0):
    """The result is half of the right one"""
    extra = rounding(function(x), step, slope)
    for _ in range(100):
        done = function(x + step * direction) < function(x) + 1e-4 * step * slope + extra
        step /= 2
        if done:
            return step
    raise ArithmeticError("no step lowers the function")


def wrong_backtracking__against_the_direction(function, x, direction, slope, step=1.0):
    """Line 5"""
    extra = rounding(function(x), step, slope)
    for _ in range(100):
        if function(x - step * direction) < function(x) + 1e-4 * step * slope + extra:
            return step
        step /= 2
    raise ArithmeticError("no step lowers the function")


def wrong_backtracking__point_returned(function, x, direction, slope, step=1.0):
    """It gives a point: return the length, as a multiple of the direction"""
    extra = rounding(function(x), step, slope)
    for _ in range(100):
        if function(x + step * direction) < function(x) + 1e-4 * step * slope + extra:
            return x + step * direction
        step /= 2
    raise ArithmeticError("no step lowers the function")


def wrong_backtracking__rounding_always_allowed(function, x, direction, slope, step=1.0):
    """It accepts a rise where a fall can be seen: allow it only where the first step promises less than 500 units"""
    value = function(x)
    extra = 4 * np.finfo(float).eps * abs(value)
    for _ in range(100):
        if function(x + step * direction) < value + 1e-4 * step * slope + extra:
            return step
        step /= 2
    raise ArithmeticError("no step lowers the function")


def wrong_backtracking__rounding_asked_in_every_trial(function, x, direction, slope, step=1.0):
    """Every step promises little once it is short, and then a rise is allowed: ask once what the first"""
    for _ in range(100):
        if function(x + step * direction) < function(x) + 1e-4 * step * slope + rounding(function(x), step, slope):
            return step
        step /= 2
    raise ArithmeticError("no step lowers the function")


def wrong_backtracking__rounding_forgotten(function, x, direction, slope, step=1.0):
    """It gives up where rounding hides what a step would gain"""
    for _ in range(100):
        if function(x + step * direction) < function(x) + 1e-4 * step * slope:
            return step
        step /= 2
    raise ArithmeticError("no step lowers the function")


def wrong_backtracking__no_number_taken(function, x, direction, slope, step=1.0):
    """It takes a point where the function has no value"""
    value = function(x)
    extra, trials = rounding(value, step, slope), 1
    while function(x + step * direction) >= value + 1e-4 * step * slope + extra:
        step, trials = step / 2, trials + 1
        if trials > 100:
            raise ArithmeticError("no step lowers the function")
    return step


def wrong_backtracking__fifty_trials(function, x, direction, slope, step=1.0):
    """Line 5"""
    value = function(x)
    extra = rounding(value, step, slope)
    for _ in range(50):
        if function(x + step * direction) < value + 1e-4 * step * slope + extra:
            return step
        step /= 2
    raise ArithmeticError("no step lowers the function")


def wrong_backtracking__slope_of_the_gradient(function, x, direction, slope, step=1.0):
    """Line 4"""
    value = function(x)
    slope = -direction @ direction
    extra = rounding(value, step, slope)
    for _ in range(100):
        if function(x + step * direction) < value + 1e-4 * step * slope + extra:
            return step
        step /= 2
    raise ArithmeticError("no step lowers the function")


def wrong_momentum__velocity_of_the_walk_before(rate, beta=0.9):
    """every walk begins at rest"""
    v = 0.0

    def steps(problem, x):
        nonlocal v
        while True:
            v = beta * v + problem.gradient(x)
            x = x - rate * v
            yield x

    return steps


def wrong_momentum__ten_steps(rate, beta=0.9):
    """It ends after 10 steps: go on for ever"""

    def steps(problem, x):
        v = 0.0
        for _ in range(10):
            v = beta * v + problem.gradient(x)
            x = x - rate * v
            yield x

    return steps


def wrong_momentum__start_first(rate, beta=0.9):
    """The first point is the start once more"""
    def steps(problem, x):
        v = 0.0
        while True:
            yield x
            v = beta * v + problem.gradient(x)
            x = x - rate * v

    return steps


def wrong_momentum__gradient_of_the_start(rate, beta=0.9):
    """It adds up the same gradient again and again: ask for the gradient at every point"""
    def steps(problem, x):
        v, g = 0.0, problem.gradient(x)
        while True:
            v = beta * v + g
            x = x - rate * v
            yield x

    return steps


def wrong_momentum__last_gradient(rate, beta=0.9):
    """It remembers one gradient only: keep the velocity"""
    def steps(problem, x):
        before = 0.0
        while True:
            g = problem.gradient(x)
            x = x - rate * (g + beta * before)
            before = g
            yield x

    return steps


def wrong_adam__moments_of_the_walk_before(rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8):
    """A second walk goes on with the means of the first"""
    m, v, t = 0.0, 0.0, 0

    def steps(problem, x):
        nonlocal m, v, t
        while True:
            g, t = problem.gradient(x), t + 1
            m = beta1 * m + (1 - beta1) * g
            v = beta2 * v + (1 - beta2) * g**2
            x = x - rate * m / (1 - beta1**t) / (np.sqrt(v / (1 - beta2**t)) + eps)
            yield x

    return steps


def wrong_adam__rests_without_slope(rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8):
    """Line 10"""
    def steps(problem, x):
        m, v, t = 0.0, 0.0, 0
        while True:
            g, t = problem.gradient(x), t + 1
            m = beta1 * m + (1 - beta1) * g
            v = beta2 * v + (1 - beta2) * g**2
            move = m / (1 - beta1**t) / (np.sqrt(v / (1 - beta2**t)) + eps)
            x = x - rate * np.where(g == 0, 0, move)
            yield x

    return steps


def wrong_adam__mean_corrected_only(rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8):
    """The first steps are too long: the root of 1 - beta2 divides the very first"""
    def steps(problem, x):
        m, v, t = 0.0, 0.0, 0
        while True:
            g, t = problem.gradient(x), t + 1
            m = beta1 * m + (1 - beta1) * g
            v = beta2 * v + (1 - beta2) * g**2
            x = x - rate * m / (1 - beta1**t) / (np.sqrt(v) + eps)
            yield x

    return steps


def wrong_adam__weights_exchanged(rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8):
    """It forgets almost everything in each step: beta is the part that survives"""
    def steps(problem, x):
        m, v, t = 0.0, 0.0, 0
        while True:
            g, t = problem.gradient(x), t + 1
            m = (1 - beta1) * m + beta1 * g
            v = (1 - beta2) * v + beta2 * g**2
            x = x - rate * m / (1 - beta1**t) / (np.sqrt(v / (1 - beta2**t)) + eps)
            yield x

    return steps


def wrong_adam__sums(rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8):
    """All steps are off by the same factor: add 1 - beta times the gradient"""
    def steps(problem, x):
        m, v, t = 0.0, 0.0, 0
        while True:
            g, t = problem.gradient(x), t + 1
            m = beta1 * m + g
            v = beta2 * v + g**2
            x = x - rate * m / (1 - beta1**t) / (np.sqrt(v / (1 - beta2**t)) + eps)
            yield x

    return steps


def right_lbfgs_direction__two_loops(gradient, pairs):
    q, alphas = gradient.copy(), []
    for s, y in list(pairs)[::-1]:
        alpha = (s @ q) / (y @ s)
        q = q - alpha * y
        alphas.insert(0, alpha)
    if len(pairs) > 0:
        s, y = pairs[-1]
        q = q * (s @ y) / (y @ y)
    for alpha, (s, y) in zip(alphas, pairs, strict=True):
        q = q + s * (alpha - (y @ q) / (y @ s))
    return -q


def right_lbfgs_direction__matrix(gradient, pairs):
    n = len(gradient)
    b = np.eye(n)
    if pairs:
        s, y = pairs[-1]
        b = b * (s @ y) / (y @ y)
    for s, y in pairs:
        rho = 1 / (s @ y)
        left = np.eye(n) - rho * np.outer(s, y)
        b = left @ b @ left.T + rho * np.outer(s, s)
    return -b @ gradient


def right_lbfgs_direction__recursive(gradient, pairs):
    def times(q, known):
        if not known:
            if not pairs:
                return q
            s, y = pairs[-1]
            return q * (s @ y) / (y @ y)
        *older, (s, y) = known
        rho = 1 / (s @ y)
        r = times(q - rho * (s @ q) * y, older)
        return r + rho * s * (s @ q - y @ r)

    return -times(gradient, list(pairs))


def wrong_lbfgs_direction__sign(gradient, pairs):
    """The result has the opposite sign"""
    q, alphas = gradient.copy(), []
    for s, y in list(pairs)[::-1]:
        alphas.append((s @ q) / (y @ s))
        q = q - alphas[-1] * y
    if len(pairs) > 0:
        s, y = pairs[-1]
        q = q * (s @ y) / (y @ y)
    for s, y in pairs:
        q = q + s * (alphas.pop() - (y @ q) / (y @ s))
    return q


def wrong_lbfgs_direction__no_scale(gradient, pairs):
    """Where the pairs say nothing, the direction is that for a curvature of 1: scale by s·y / y·y"""
    q, alphas = gradient.copy(), []
    for s, y in list(pairs)[::-1]:
        alphas.append((s @ q) / (y @ s))
        q = q - alphas[-1] * y
    for s, y in pairs:
        q = q + s * (alphas.pop() - (y @ q) / (y @ s))
    return -q


def wrong_lbfgs_direction__oldest_first(gradient, pairs):
    """The last pair is not reproduced"""
    q, alphas = gradient.copy(), []
    for s, y in pairs:
        alphas.append((s @ q) / (y @ s))
        q = q - alphas[-1] * y
    if len(pairs) > 0:
        s, y = pairs[-1]
        q = q * (s @ y) / (y @ y)
    for s, y in list(pairs)[::-1]:
        q = q + s * (alphas.pop() - (y @ q) / (y @ s))
    return -q


def wrong_lbfgs_direction__beta_added(gradient, pairs):
    """Line 11"""
    q, alphas = gradient.copy(), []
    for s, y in list(pairs)[::-1]:
        alphas.append((s @ q) / (y @ s))
        q = q - alphas[-1] * y
    if len(pairs) > 0:
        s, y = pairs[-1]
        q = q * (s @ y) / (y @ y)
    for s, y in pairs:
        q = q + s * (alphas.pop() + (y @ q) / (y @ s))
    return -q


def wrong_lbfgs_direction__changes_added_back(gradient, pairs):
    """Line 11"""
    q, alphas = gradient.copy(), []
    for s, y in list(pairs)[::-1]:
        alphas.append((s @ q) / (y @ s))
        q = q - alphas[-1] * y
    if len(pairs) > 0:
        s, y = pairs[-1]
        q = q * (s @ y) / (y @ y)
    for s, y in pairs:
        q = q + y * (alphas.pop() - (y @ q) / (y @ s))
    return -q


def wrong_lbfgs_direction__steps_taken_away(gradient, pairs):
    """Line 6"""
    q, alphas = gradient.copy(), []
    for s, y in list(pairs)[::-1]:
        alphas.append((s @ q) / (y @ s))
        q = q - alphas[-1] * s
    if len(pairs) > 0:
        s, y = pairs[-1]
        q = q * (s @ y) / (y @ y)
    for s, y in pairs:
        q = q + s * (alphas.pop() - (y @ q) / (y @ s))
    return -q


def wrong_lbfgs_direction__scale_of_the_steps(gradient, pairs):
    """Where the pairs say nothing, directions are longer than the book's"""
    q, alphas = gradient.copy(), []
    for s, y in list(pairs)[::-1]:
        alphas.append((s @ q) / (y @ s))
        q = q - alphas[-1] * y
    if len(pairs) > 0:
        s, y = pairs[-1]
        q = q * (s @ s) / (y @ s)
    for s, y in pairs:
        q = q + s * (alphas.pop() - (y @ q) / (y @ s))
    return -q


def wrong_lbfgs_direction__gradient_in_the_first_loop(gradient, pairs):
    """Line 5"""
    q, alphas = gradient.copy(), []
    for s, y in list(pairs)[::-1]:
        alphas.append((s @ gradient) / (y @ s))
        q = q - alphas[-1] * y
    if len(pairs) > 0:
        s, y = pairs[-1]
        q = q * (s @ y) / (y @ y)
    for s, y in pairs:
        q = q + s * (alphas.pop() - (y @ q) / (y @ s))
    return -q


def right_largest_rate__factored(beta, curvature):
    return (1 + beta) * 2.0 / curvature


def wrong_largest_rate__nesterov(beta, curvature):
    """Line 3"""
    return 2 * (1 + beta) / (1 + 2 * beta) / curvature


def wrong_largest_rate__running_mean(beta, curvature):
    """Line 3"""
    return 2 * (1 + beta) / (1 - beta) / curvature


def right_largest_rate__sum(beta, curvature):
    return 2 / curvature + 2 * beta / curvature


def right_largest_rate__array(beta, curvature):
    return np.divide(2.0, curvature) * np.add(1.0, beta)


def wrong_largest_rate__divided(beta, curvature):
    """Line 3"""
    return 2 / (1 + beta) / curvature


def wrong_largest_rate__without_velocity(beta, curvature):
    """It does not depend on beta"""
    return 2 / curvature


def wrong_largest_rate__friction(beta, curvature):
    """The more momentum, the sooner it diverges"""
    return 2 * (1 - beta) / curvature


def wrong_largest_rate__curvature_forgotten(beta, curvature):
    """Line 3"""
    return 2 * (1 + beta)


def wrong_backtracking__step_not_in_the_promise(function, x, direction, slope, step=1.0):
    """It asks a short step for as much as a long one"""
    value = function(x)
    unit = np.finfo(float).eps * abs(value)
    extra = 4 * unit if -step * slope < 500 * unit else 0
    for _ in range(100):
        if function(x + step * direction) < value + 1e-4 * slope + extra:
            return step
        step /= 2
    raise ArithmeticError


def right_momentum__all_gradients(rate, beta=0.9):
    def steps(problem, x):
        gradients = []
        while True:
            gradients = [beta * it for it in gradients] + [problem.gradient(x)]
            x = x - rate * sum(gradients)
            yield x

    return steps


def wrong_momentum__point_overwritten(rate, beta=0.9):
    """Line 7"""
    def steps(problem, x):
        v = np.zeros_like(x)
        while True:
            v = beta * v + problem.gradient(x)
            x -= rate * v
            yield x

    return steps


def wrong_backtracking__ninety_nine_trials(function, x, direction, slope, step=1.0):
    """Line 5"""
    value = function(x)
    extra = rounding(value, step, slope)
    for _ in range(99):
        if function(x + step * direction) < value + 1e-4 * step * slope + extra:
            return step
        step /= 2
    raise ArithmeticError("no step lowers the function")


def wrong_backtracking__one_trial_too_many(function, x, direction, slope, step=1.0):
    """Line 5"""
    value = function(x)
    extra = rounding(value, step, slope)
    for _ in range(101):
        if function(x + step * direction) < value + 1e-4 * step * slope + extra:
            return step
        step /= 2
    raise ArithmeticError("no step lowers the function")


def wrong_backtracking__unit_below_zero(function, x, direction, slope, step=1.0):
    """Line 4"""
    value = function(x)
    unit = np.finfo(float).eps * value
    extra = 4 * unit if -step * slope < 500 * unit else 0
    for _ in range(100):
        if function(x + step * direction) < value + 1e-4 * step * slope + extra:
            return step
        step /= 2
    raise ArithmeticError("no step lowers the function")


def wrong_momentum__gradient_changed(rate, beta=0.9):
    """it writes into an array that is still needed as it was"""

    def stepper(problem, x):
        v = 0
        while True:
            g = problem.gradient(x)
            g += beta * v
            v = g
            x = x - rate * v
            yield x

    return stepper


def wrong_adam__gradient_squared_in_place(rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8):
    """it writes into an array that is still needed as it was"""

    def stepper(problem, x):
        m = v = np.zeros_like(x)
        t = 0
        while True:
            t += 1
            g = problem.gradient(x)
            m = beta1 * m + (1 - beta1) * g
            g *= g
            v = beta2 * v + (1 - beta2) * g
            x = x - rate * (m / (1 - beta1**t)) / (np.sqrt(v / (1 - beta2**t)) + eps)
            yield x

    return stepper


def wrong_backtracking__moves_on(function, x, direction, slope, step=1.0):
    start = function(x)
    grain = 2.0**-52 * abs(start)
    slack = 4 * grain if -step * slope < 500 * grain else 0
    for _ in range(100):
        x = x + step * direction
        if function(x) < start + 1e-4 * step * slope + slack:
            return step
        step /= 2
    raise ValueError("no step")


def wrong_backtracking__tenths(function, x, direction, slope, step=1.0):
    """halve the step"""
    start = function(x)
    grain = 2.0**-52 * abs(start)
    slack = 4 * grain if -step * slope < 500 * grain else 0
    for _ in range(100):
        if function(x + step * direction) < start + 1e-4 * step * slope + slack:
            return step
        step *= 0.1
    raise ValueError("no step")


def wrong_largest_rate__minus_beta(beta, curvature):
    """1 + beta comes out"""
    return 2 * (1 - beta) / curvature


def wrong_adam__zeros_replaced_in_place_of_eps(rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8):
    """add eps to the root of every coordinate"""

    def steps(problem, x):
        mean, square, t = 0.0, 0.0, 0
        while True:
            g = problem.gradient(x)
            t += 1
            mean = beta1 * mean + (1 - beta1) * g
            square = beta2 * square + (1 - beta2) * g**2
            root = np.sqrt(square / (1 - beta2**t))
            x = x - rate * mean / (1 - beta1**t) / np.where(root == 0, 1, root)
            yield x

    return steps


def wrong_adam__start_first(rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8):
    """The first point is the start once more"""

    def walk(problem, x):
        m, s, t = 0 * x, 0 * x, 0
        yield x
        while True:
            g, t = problem.gradient(x), t + 1
            m = beta1 * m + (1 - beta1) * g
            s = beta2 * s + (1 - beta2) * g * g
            x = x - rate * m / (1 - beta1**t) / (np.sqrt(s / (1 - beta2**t)) + eps)
            yield x

    return walk


wrong_minimize__hessian_of_the_start = slip(right_minimize__loop, "hessian(x)", "hessian(x0)")


_SHORT_STEP = "yield x\n            if np.linalg.norm(rate * v) < 1e-6:\n                return"
_AT_REST = "if np.linalg.norm(v) < 1e-8:\n                break\n            x = x - rate * v"
wrong_momentum__ends_with_a_short_step = slip(
    right_momentum__two_lines, "yield x", _SHORT_STEP, "go on for ever"
)
wrong_momentum__ends_at_rest = slip(
    right_momentum__two_lines, "x = x - rate * v", _AT_REST, "steps: go on for ever"
)


def wrong_adam__one_correction_for_both(rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8):
    """Both means are corrected with beta1"""

    def stepper(problem, x):
        m = s = 0.0
        decay = 1.0
        while True:
            decay *= beta1
            g = problem.gradient(x)
            m += (1 - beta1) * (g - m)
            s += (1 - beta2) * (g**2 - s)
            x = x - rate * (m / (1 - decay)) / (np.sqrt(s / (1 - decay)) + eps)
            yield x

    return stepper


wrong_adam__corrected_for_66_steps = slip(right_adam__two_lists, "t += 1", "t += 1 if t < 66 else 1e9", "Line 6")


_WHILE_THERE_IS_A_SLOPE = "while np.any(problem.gradient(x)):"
wrong_momentum__ends_where_it_is_flat = slip(
    right_momentum__two_lines, "while True:", _WHILE_THERE_IS_A_SLOPE, "It ends after 2 steps: go on for ever"
)
wrong_adam__ends_where_it_is_flat = slip(
    right_adam__two_lists, "while True:", _WHILE_THERE_IS_A_SLOPE, "It ends after 2 steps: go on for ever"
)
wrong_adam__one_count_for_all_walks = slip(
    right_adam__two_lists,
    "    def steps(problem, x):\n        m, s = np.zeros_like(x), np.zeros_like(x)\n        t = 0\n",
    "    t = 0\n\n    def steps(problem, x):\n        nonlocal t\n        m, s = 0 * x, 0 * x\n",
    "A second walk goes on counting",
)
