"""What fitting costs beside SciPy's: time, and evaluations of the residual and its Jacobian, on the NIST's problems."""

import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.optimize

from mlnotes.applications.nonlinear_least_squares import levenberg_marquardt

sys.path.append(str(Path(__file__).parents[1] / "tests" / "applications"))
from nonlinear_problems import NIST

TIGHT = {"xtol": 1e-12, "ftol": 1e-12, "gtol": 1e-12, "x_scale": "jac"}
ENTRANTS = {
    "mlnotes": lambda r, x0, j: levenberg_marquardt(r, x0, j).x,
    "scipy, lm": lambda r, x0, j: scipy.optimize.least_squares(r, x0, j, method="lm", **TIGHT).x,
    "scipy, trf": lambda r, x0, j: scipy.optimize.least_squares(r, x0, j, method="trf", **TIGHT).x,
}
# Residuals and Jacobians of each entrant, in their order.
EVALUATIONS = {
    ("Misra1a", 0): [(13, 10), (20, 17), (11, 10)],
    ("Misra1a", 1): [(6, 6), (5, 5), (5, 5)],
    ("DanWood", 0): [(8, 8), (7, 7), (7, 7)],
    ("Rat42", 0): [(16, 15), (12, 11), (12, 11)],
    ("BoxBOD", 1): [(17, 17), (12, 12), (11, 11)],
    ("Thurber", 1): [(53, 53), (30, 30), (29, 29)],
}
# From the farther start: who arrives at the certified parameters.
ARRIVE = {
    "MGH09 (Kowalik and Osborne)": [True, False, False],
    "MGH17 (Osborne)": [True, False, False],
    "BoxBOD": [True, False, True],
    "Eckerle4": [False, True, True],
}


def complex_steps(data):
    """Differentiate by complex steps: exact to the last digits, and they cost every entrant the same."""

    def jacobian(b):
        shifted = b + 1e-30j * np.eye(len(b))
        return np.stack([data.model(it, data.x).imag / 1e-30 for it in shifted], axis=1)

    return jacobian


def counted_fit(solve, problem, start):
    """Fit, and count residuals and Jacobians."""
    data, counts = NIST[problem], [0, 0]

    def counted(k, function):
        def count(b):
            counts[k] += 1
            return function(b)

        return count

    functions = counted(0, data.residual), counted(1, complex_steps(data))
    with np.errstate(all="ignore"):
        x = solve(functions[0], np.array(data.starts[start], float), functions[1])
    return np.allclose(x, data.parameters, rtol=1e-6, atol=0), tuple(counts)


@pytest.mark.parametrize("problem", ["Misra1a", "BoxBOD", "Thurber"])
@pytest.mark.parametrize("name", ENTRANTS)
def test_time_to_fit(race, problem, name):
    data = NIST[problem]
    arguments = data.residual, np.array(data.starts[1], float), complex_steps(data)
    title = f"Levenberg and Marquardt, {problem}, from the nearer start"
    race(title, name, ENTRANTS[name], *arguments, expected=data.parameters, tolerance=1e-6)


@pytest.mark.parametrize(("problem", "start"), EVALUATIONS)
def test_evaluations_of_residual_and_jacobian(problem, start):
    arrived, counts = zip(*(counted_fit(solve, problem, start) for solve in ENTRANTS.values()), strict=True)
    assert all(arrived)
    # With the kernels of another processor, rounding may let a fit end one step earlier or later.
    np.testing.assert_allclose(counts, EVALUATIONS[problem, start], rtol=0, atol=1)


@pytest.mark.parametrize("problem", ARRIVE)
def test_who_arrives_from_the_farther_start(problem):
    assert [counted_fit(solve, problem, 0)[0] for solve in ENTRANTS.values()] == ARRIVE[problem]
