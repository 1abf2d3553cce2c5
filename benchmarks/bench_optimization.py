"""What walks to the minimum of a bowl cost, beside SciPy's."""

import numpy as np
import pytest
import scipy.optimize

from mlnotes.blocks.optimization import lbfgs, minimize, newton

N = 211
CURVATURES = np.geomspace(1, 100, N)


def height(x):
    return float(CURVATURES @ x**2 / 2 + np.sum(x**4) / 4 - x.sum())


def slopes(x):
    return CURVATURES * x + x**3 - 1


def bends(x):
    return np.diag(CURVATURES + 3 * x**2)


def scipy_walk(x, method, hessian=None, **options):
    return scipy.optimize.minimize(height, x, jac=slopes, hess=hessian, method=method, options=options).x


RACES = {
    "L-BFGS": {
        "mlnotes": lambda x: minimize(height, slopes, x, lbfgs()).x,
        "scipy, L-BFGS-B": lambda x: scipy_walk(x, "L-BFGS-B", gtol=1e-9, ftol=0),
    },
    "Newton": {
        "mlnotes": lambda x: minimize(height, slopes, x, newton(), bends).x,
        "scipy, Newton-CG": lambda x: scipy_walk(x, "Newton-CG", bends, xtol=1e-12),
    },
}


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, entrants in RACES.items() for name in entrants])
def test_time_to_the_minimum(race, kind, name):
    expected = minimize(height, slopes, np.ones(N), newton(), bends, tolerance=1e-12).x
    race(f"{kind}, {N} unknowns", name, RACES[kind][name], np.ones(N), expected=expected, tolerance=1e-5)
