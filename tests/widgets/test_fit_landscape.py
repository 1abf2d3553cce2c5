"""The walk in the page is that of the book's functions: each point, damping, predicted reduction and gain ratio."""


import numpy as np
import pytest
from reading import corners, drawn, shown, visit

from mlnotes.applications.nonlinear_least_squares import gauss_newton, levenberg_marquardt
from mlnotes.widgets.fit_landscape import METHODS, FitLandscape

DATA = [1, 2, 3, 5, 7, 10], [109, 149, 149, 191, 213, 224]  # BoxBOD of the NIST
CERTIFIED = [2.1380940889e02, 5.4723748542e-01]
BOTH = pytest.mark.parametrize("method", METHODS)


def verdict(page):
    return page.locator(".mw-verdict").inner_text()


# In Python


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"y": [1, 2]}, "t and y must have the same length, at least 3, got 6 and 2"),
        ({"t": [0, 0, 0], "y": [1, 2, 3]}, r"largest t and y be positive, got t \[0.0, 0.0, 0.0\] and y \[1.0, 2.0"),
        ({"t": [-1, 1, 2], "y": [1, 2, 3]}, r"t must not be negative, .*, got t \[-1.0, 1.0, 2.0\] and y \[1.0"),
        ({"t": [1, 2, 3], "y": [0, 0, 0]}, r"largest t and y be positive, got t \[1.0, 2.0, 3.0\] and y \[0.0, 0.0"),
        ({"t": [1, 2, 3], "y": [-1, -2, 0]}, r"largest t and y be positive, got t \[1.0, 2.0, 3.0\] and y \[-1.0"),
        ({"t": [1, 2, 3], "y": [1, np.nan, 3]}, "y must hold finite numbers, got nan"),
        ({"t": [1, 2, np.inf], "y": [1, 2, 3]}, "t must hold finite numbers, got inf"),
        ({"t": [1, 2, 3], "y": 100 * (1 - np.exp(-0.75 * np.arange(1, 4)))}, "the smallest cost must be positive"),
        ({"method": "Newton"}, "method must be one of .*, got 'Newton'"),
        ({"start": (0, 1)}, r"start must hold two numbers above 0 and up to \[300.*\], got \[0.*"),
        ({"start": (10, 3.1)}, "start must hold two numbers above 0 and up to"),
        ({"step": 41}, "step must be 0 to 40, got 41"),
        ({"reach": (1, -1)}, r"reach must hold two positive numbers, got \(1, -1\)"),
    ],
)
def test_bad_input_is_refused_with_the_rule_and_the_value(arguments, message):
    with pytest.raises(ValueError, match=message):
        FitLandscape(**{"t": DATA[0], "y": DATA[1]} | arguments)


@BOTH
def test_the_walk_is_that_of_the_function(method):
    widget = FitLandscape(*DATA, method, (100, 0.3))
    solve = gauss_newton if method == METHODS[0] else levenberg_marquardt
    found = solve(widget.residual, [100, 0.3], widget.jacobian)
    points, _, trials, outcome = widget.walk()
    assert outcome == "arrived"
    np.testing.assert_allclose(points[-1], CERTIFIED, rtol=1e-5)
    np.testing.assert_array_equal(points, found.points[: len(points)])
    np.testing.assert_array_equal([damping for damping, _, _ in trials], found.dampings[: len(trials)])


@BOTH
def test_gain_ratios_compare_what_was_brought_with_what_was_promised(method):
    widget = FitLandscape(*DATA, method, (250, 0.2))
    points, costs, trials, _ = widget.walk()
    for x, ahead, cost, next_cost, (_, predicted, gain) in zip(
        points, points[1:], costs, costs[1:], trials, strict=False
    ):
        if not np.array_equal(x, ahead):
            assert gain * predicted == pytest.approx(cost - next_cost, rel=1e-6, abs=1e-9 * cost)
            linear = widget.residual(x) + widget.jacobian(x) @ (ahead - x)
            assert predicted == pytest.approx(cost - linear @ linear / 2, rel=1e-6, abs=1e-9 * cost)
        else:
            assert gain < 1e-4


@BOTH
def test_who_leaves_for_where_the_cost_is_a_thousand_times_higher_is_lost(method):
    _, costs, _, outcome = FitLandscape(*DATA, method, (50, 1)).walk()
    assert outcome == ("lost" if method == METHODS[0] else "arrived")
    assert (costs[:-1] < 1000 * costs[0]).all()


def test_what_is_not_finite_ends_the_walk_of_gauss_and_newton():
    widget = FitLandscape(*DATA, start=(1, 1))
    assert widget.walk()[3] == "not finite"
    assert "nothing is finite" in widget.describe()


def test_a_level_line_has_the_cost_of_its_level():
    widget = FitLandscape(*DATA)
    line = widget.level_line(2000.0)
    assert len(line) > 100
    for x in line:
        assert widget.residual(x) @ widget.residual(x) / 2 == pytest.approx(2000, rel=1e-9)


def test_the_description_says_where_the_walk_began_and_how_the_step_was_damped():
    widget = FitLandscape(*DATA, METHODS[1], (150, 2), step=4)
    damping, _, gain = widget.walk()[2][3]
    assert "Levenberg–Marquardt from (150, 2), which arrives at (213.81, 0.5472)" in widget.describe()
    assert f"Step 4 had a damping of {damping:.2g} and a gain ratio of {gain:.2g}." in widget.describe()


# In the browser


@BOTH
@pytest.mark.parametrize(
    "start", [(100, 0.75), (250, 0.2), (50, 1.0), (150, 2.0), (5, 1.0), (300, 3), (15, 0.05), (110, 1.85)]
)
def test_the_page_computes_what_python_computes(open_page, method, start):
    widget = FitLandscape(*DATA, method, start)
    page = open_page(widget)
    points, costs, trials, outcome = widget.walk()
    many = f"{len(trials)} step{'s' * (len(trials) != 1)}"
    words = {"arrived": f" after {many}.", "lost": f"is lost: step {len(trials)} leads to"}
    words |= {"not finite": f"ends after {many}:", "on the way": f"is still on its way after {many}."}
    assert words[outcome] in verdict(page)
    places = np.clip(points / [300, 3] * [420, -350] + [0, 350], -9999, 9999)
    steps = [{"Step shown": step} for step in range(len(points))]
    for step, seen in enumerate(visit(page, steps, ".mw-begin", ".mw-fitted")):
        np.testing.assert_allclose([shown(seen, "x1"), shown(seen, "x2")], points[step], rtol=1e-6)
        assert shown(seen, "cost") == pytest.approx(costs[step], rel=1e-6)
        if step and np.isfinite(trials[step - 1][2]) and trials[step - 1][1] > 1e-6 * costs[step]:
            found = [shown(seen, name) for name in ("damping", "predicted", "gain")]
            assert found == pytest.approx(trials[step - 1], rel=1e-6, abs=1e-12)
        np.testing.assert_allclose(drawn(seen, ".mw-begin", "cx", "cy"), places[step : step + 1], rtol=1e-5, atol=1e-3)
        x1, x2 = points[step]
        t = np.linspace(0, 10.5, 101)
        heights = 220 * (1 - np.clip(x1 * (1 - np.exp(-x2 * t)) / 268.8, -9, 9))
        [curve] = corners(seen, ".mw-fitted")
        np.testing.assert_allclose(curve, np.transpose([t * 40, heights]), rtol=1e-5, atol=0.051)
    np.testing.assert_allclose(corners(page, ".mw-way")[0], places, rtol=1e-5, atol=0.051)
    marks = ".mw-fit-landscape :is(.mw-taken, .mw-refused)"
    powers = [np.clip(np.log10(it[0]), -5.7, 4) if it[0] else -6.8 for it in trials]
    np.testing.assert_allclose(drawn(page, marks, "cy")[:, 0], 120 - 10 * (np.array(powers) + 6), atol=1e-3)
    assert page.locator(".mw-taken").count() == sum(it[2] > 1e-4 or method == METHODS[0] for it in trials)
    assert page.get_by_label("Step shown").get_attribute("max") == str(max(len(trials), 1))
    assert page.get_by_label("Step shown").is_disabled() == (not trials)


def test_the_level_lines_in_the_page_are_those_of_python(open_page):
    widget = FitLandscape(*DATA)
    page = open_page(widget)
    lines = page.locator(".mw-level").evaluate_all("them => them.map(it => it.getAttribute('d'))")
    assert len(lines) == len(widget.levels)
    for line, level in zip(lines, widget.levels, strict=True):
        places = np.array([it.split() for it in line.strip("MZ ").split(" L")], dtype=float)
        expected = np.clip(widget.level_line(level) / [300, 3] * [420, -350] + [0, 350], -9999, 9999)
        np.testing.assert_allclose(places, expected, atol=0.0501)


def test_the_verdict_says_how_the_walk_ended_and_judges_the_step(open_page, slide):
    page = open_page(FitLandscape(*DATA, METHODS[0], (150, 2)))
    assert verdict(page).startswith("Gauss–Newton is lost: step 1 leads to (191.7, −1.19)")
    page.get_by_label("Method").select_option(METHODS[1])
    assert verdict(page).startswith("Levenberg–Marquardt arrives at (213.8, 0.5472)")
    slide(page, "Step shown", 1)
    assert "Step 1 was refused: the radius becomes half of itself, or of the step where that is" in verdict(page)
    slide(page, "Step shown", 3)
    assert "more than three quarters" in verdict(page)


def test_the_start_follows_the_pointer_and_sliders_work_from_the_keyboard(open_page):
    page = open_page(FitLandscape(*DATA))
    box = page.locator(".mw-fit-landscape .mw-edge").first.bounding_box()
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + box["height"] / 3)
    page.mouse.down()
    page.mouse.up()
    page.mouse.move(box["x"] + 9, box["y"] + 9)  # without a button
    assert page.get_by_label("Start, x₁").input_value() == "150"
    assert page.get_by_label("Start, x₂").input_value() == "2"
    page.get_by_label("Start, x₂").focus()
    page.keyboard.press("ArrowRight")
    assert page.get_by_label("Start, x₂").get_attribute("aria-valuetext") == "2.05"


def test_both_panels_and_the_dampings_have_numbers_that_stand_where_they_say(open_page):
    page = open_page(FitLandscape(*DATA, METHODS[1], (150, 2)), width=400)
    pictures = page.locator(".mw-main svg[role=img]")
    ends = {0: ((300, 420), (3, 350)), 2: ((10.5, 420), (268.8, 220))}
    names = {0: "x₁ x₂", 1: "λ step", 2: "t y"}
    for which, expected in names.items():
        ticks = pictures.nth(which).locator(".mw-tick")
        words = [it.text_content() for it in ticks.all()]
        assert [it for it in words if it[0].isalpha()] == expected.split()
        for tick, word in zip(ticks.all(), words, strict=True):
            x, y = (float(tick.get_attribute(it)) for it in ("x", "y"))
            assert tick.bounding_box()["height"] >= 10
            if which in ends and not word[0].isalpha():
                (right, width), (top, height) = ends[which]
                place = (1 - (y - 5) / height) * top if x < 0 else x / width * right
                assert float(word) == pytest.approx(place)
    assert [it.text_content() for it in pictures.nth(0).locator(".mw-tick").all()][:4] == ["0", "100", "200", "300"]
