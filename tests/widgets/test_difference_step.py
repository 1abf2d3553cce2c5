"""The errors on the page are those of Python, and Python's are what Taylor's series and rounding leave."""

import math
import re

import numpy as np
import pytest
from reading import corners, drawn, visit

from mlnotes.blocks.derivatives import complex_step_jacobian
from mlnotes.widgets.difference_step import FUNCTIONS, METHODS, STEPS, DifferenceStep, X

WRITTEN = {
    "x³": lambda x: x**3,
    "x³ + 1000": lambda x: x**3 + 1000,
    "1 / (1 + x²)": lambda x: 1 / (1 + x**2),
    "√x": np.sqrt,
}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"position": 49}, "position must be 0 to 48, got 49"),
        ({"position": -1}, "position must be 0 to 48, got -1"),
        ({"function": "|x|"}, r"function must be one of x³, .*, got \|x\|"),
    ],
)
def test_bad_input_is_refused_with_the_rule_and_the_value(arguments, message):
    with pytest.raises(ValueError, match=message):
        DifferenceStep(**arguments)


def test_the_steps_go_down_from_one_by_two_and_a_half_and_two():
    assert (STEPS[0], STEPS[1], STEPS[2], STEPS[3], STEPS[-1]) == (1, 0.5, 0.2, 0.1, 1e-16)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_complex_step_is_the_books(name):
    right = complex_step_jacobian(WRITTEN[name], np.array([X]))[0, 0]
    for position in (20, 48):
        assert DifferenceStep(name, position).slope("complex") == pytest.approx(right, rel=1e-12)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("method", METHODS)
def test_errors_are_truncation_and_rounding_and_nothing_else(name, method):
    widget = DifferenceStep(name)
    for h in STEPS[6:]:  # above that, the next terms count as well
        truncation, rounding = widget.truncation(method, h), widget.rounding(method, h)
        error = widget.error(method, h)
        assert error <= 1.1 * truncation + 4 * rounding
        if truncation > 100 * rounding:
            assert error == pytest.approx(truncation, rel=0.1)


def test_the_best_forward_error_is_near_the_root_of_rounding_and_the_best_central_one_near_its_power_of_two_thirds():
    widget = DifferenceStep("√x")
    assert 1e-10 < min(widget.error("forward", h) for h in STEPS) < 1e-7
    assert 1e-13 < min(widget.error("central", h) for h in STEPS) < 1e-10
    assert max(widget.error("complex", h) for h in STEPS[24:]) < 1e-15


def test_the_description_tells_the_errors_and_what_is_expected_of_them():
    said = DifferenceStep("x³", 18).describe()
    assert "Relative errors with h = 1e−06: forward 7.7e−07, " in said
    assert "In the forward difference, truncation of about 7.7e−07 and rounding of up to " in said
    assert "in the central one, truncation of about 2.0e−13 and rounding of up to " in said


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_page_computes_what_python_computes(open_page, name):
    page = open_page(DifferenceStep(name))
    positions = (0, 1, 5, 16, 17, 24, 31, 40, 48)
    places = [{"Step": 48 - position} for position in positions]
    for position, seen in zip(positions, visit(page, places, ".mw-sums li", ".mw-verdict"), strict=True):
        widget = DifferenceStep(name, position)
        sums = {it["data-name"]: it for it in seen[".mw-sums li"]}
        for method in METHODS:
            assert float(sums[method]["data-slope"]) == widget.slope(method)
            assert float(sums[method]["data-value"]) == widget.error(method)
        parts = [part(it) for it in METHODS[:2] for part in (widget.truncation, widget.rounding)]
        said = re.findall(r"[\d.]*\d(?:e-?\d+)?", seen.text(".mw-verdict").replace("−", "-"))
        np.testing.assert_allclose([float(it) for it in said], parts, rtol=0.05)
    h = np.array(STEPS)
    places = (
        drawn(page, ".mw-difference rect", "x", "y") + drawn(page, ".mw-difference rect", "width") / 2,
        drawn(page, ".mw-difference circle", "cx", "cy"),
        np.array([(it.min(axis=0) + it.max(axis=0)) / 2 for it in corners(page, ".mw-difference polygon")]),
    )
    for method, found in zip(METHODS, places, strict=True):
        powers = np.log10([max(widget.error(method, it), 1e-17) for it in h]).clip(max=1)
        expected = np.transpose([46 + (np.log10(h) + 16) / 16 * 462, 10 + (1 - powers) / 18 * 254])
        np.testing.assert_allclose(found, expected, atol=1e-6)
    for order, [x1, y1, x2, y2] in enumerate(drawn(page, ".mw-cut", "x1", "y1", "x2", "y2"), 1):
        assert (y2 - y1) / (x2 - x1) == pytest.approx(-order * (254 / 18) / (462 / 16))


def test_every_method_has_a_colour_of_its_own_and_its_key_has_it_too(open_page):
    page = open_page(DifferenceStep())
    colours = ["rect", "circle", "polygon"]
    seen = [
        page.evaluate(f"getComputedStyle(document.querySelector('.mw-difference svg {it}')).{what}")
        for it, what in zip(colours, ("stroke", "fill", "fill"), strict=True)
    ]
    keys = [page.evaluate(f"getComputedStyle(document.querySelector('.mw-key{kind}')).color") for kind in range(3)]
    assert keys == seen
    assert len(set(keys)) == 3


def test_a_circle_within_a_square_is_seen(open_page):
    page = open_page(DifferenceStep())
    assert page.evaluate("getComputedStyle(document.querySelector('.mw-difference rect')).fill") == "none"
    squares, circles = drawn(page, ".mw-difference rect", "width"), drawn(page, ".mw-difference circle", "r")
    assert (squares.min() - 1.5) / 2 > circles.min()


def test_its_numbers_can_be_read_on_a_phone_and_none_is_cut_off(open_page):
    page = open_page(DifferenceStep(), width=400)
    drawing = page.locator(".mw-difference svg").bounding_box()
    for tick in page.locator(".mw-difference .mw-tick").all():
        size, scale = tick.evaluate("it => [parseFloat(getComputedStyle(it).fontSize), it.getScreenCTM().a]")
        assert size * scale >= 10
        box = tick.bounding_box()
        assert drawing["x"] <= box["x"]
        assert box["x"] + box["width"] <= drawing["x"] + drawing["width"]
        assert box["y"] + box["height"] <= drawing["y"] + drawing["height"] + 1


def test_it_works_from_the_keyboard_and_names_its_values(open_page):
    page = open_page(DifferenceStep("√x", 24))
    page.get_by_label("Step").focus()
    page.keyboard.press("ArrowRight")
    assert page.get_by_label("Step").get_attribute("aria-valuetext") == "h = 2e−8"
    page.get_by_label("Function").select_option("x³ + 1000")
    assert "and rounding of up to" in page.locator(".mw-verdict").inner_text()
    assert page.locator(".mw-difference rect").count() == len(STEPS)
    assert math.isclose(float(page.locator('[data-name="complex"]').get_attribute("data-value")), 0, abs_tol=1e-15)
