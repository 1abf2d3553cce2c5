"""What gradients cost: formulas beside PyTorch's autograd, and measured Jacobians beside SciPy's."""

import numpy as np
import pytest
import scipy.differentiate
import torch

from mlnotes.blocks.derivatives import complex_step_jacobian, layer_norm_jacobian, layer_norm_vjp, numerical_jacobian

WIDE = {"(101, 384)": (101, 384), "(11, 1021)": (11, 1021)}


def by_autograd(x, upstream):
    x = torch.tensor(x, requires_grad=True)
    torch.nn.functional.layer_norm(x, x.shape[-1:]).backward(torch.asarray(upstream))
    return x.grad.numpy()


def by_jacobian(x, upstream):
    return np.einsum("...i,...ij->...j", upstream, layer_norm_jacobian(x))


BACKWARD = {"mlnotes": layer_norm_vjp, "torch.autograd": by_autograd, "the whole Jacobian": by_jacobian}


@pytest.mark.parametrize("name", BACKWARD)
@pytest.mark.parametrize("size", WIDE)
def test_time_back_through_layer_norm(race, size, name):
    x, upstream = np.random.default_rng(0).normal(size=(2, *WIDE[size]))
    expected = by_autograd(x, upstream)
    race(f"back through layer norm, {size}", name, BACKWARD[name], x, upstream, expected=expected, tolerance=1e-10)


def waves(x):
    return np.sin(x) * np.exp(-x)


MEASURED = {
    "mlnotes": numerical_jacobian,
    "complex step": complex_step_jacobian,
    "scipy.differentiate.jacobian": lambda f, x: scipy.differentiate.jacobian(f, x).df,
}


@pytest.mark.parametrize("name", MEASURED)
def test_time_of_a_measured_jacobian(race, name):
    x = np.random.default_rng(1).uniform(1, 2, size=31)
    expected = np.diag((np.cos(x) - np.sin(x)) * np.exp(-x))
    race("Jacobian (31, 31)", name, MEASURED[name], waves, x, expected=expected, tolerance=1e-8)
