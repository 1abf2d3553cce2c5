"""The walk in the page is the walk of Python, and so are the measured and the predicted factor."""

import math

import numpy as np
import pytest
from reading import corners, drawn, shown, visit

from mlnotes.widgets.descent import METHODS, Descent


def verdict(page):
    return page.locator(".mw-verdict").inner_text()


# In Python


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "Adam"}, "method must be one of .*, got 'Adam'"),
        ({"rate": 0}, "rate must be 0.001 to 4.0, got 0"),
        ({"beta": 1.0}, "beta must be 0 to 0.99, got 1.0"),
        ({"condition": 0.5}, "condition must be 1 to 200.0, got 0.5"),
        ({"steps": 1}, "steps must be 2 to 200, got 1"),
        ({"start": (0, 2)}, r"start must hold two numbers from -1 to 1, got \[0.*, 2.*\]"),
    ],
)
def test_bad_input_is_refused_with_the_rule_and_the_value(arguments, message):
    with pytest.raises(ValueError, match=message):
        Descent(**arguments)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("rate", [0.3, 1.0, 1.3])
def test_the_predicted_factor_is_the_spectral_radius_of_a_step(method, rate):
    widget = Descent(method, rate, beta=0.7, condition=50)
    beta = 0.0 if method == METHODS[0] else 0.7
    radius = 0.0
    for curvature in (1 / 50, 1):
        gradient, velocity = np.array([0, curvature]), np.array([beta, curvature])  # by old velocity and point
        along = gradient + beta * velocity if method == METHODS[2] else velocity
        step = [velocity, [0, 1] - rate * along]
        radius = max(radius, np.abs(np.linalg.eigvals(step)).max())
    assert widget.predicted() == pytest.approx(radius, rel=1e-7)


@pytest.mark.parametrize("method", METHODS)
def test_the_measured_factor_is_near_the_predicted_one(method):
    widget = Descent(method, 1.2, beta=0.6, condition=30, steps=200)
    assert widget.measured() == pytest.approx(widget.predicted(), rel=0.005)


@pytest.mark.parametrize("method", METHODS)
def test_the_best_settings_have_the_best_factor_and_the_edge_has_one(method):
    widget = Descent(method, condition=30)
    rate, beta = widget.best()
    widget.rate, widget.beta = rate, beta
    best = widget.predicted()
    root = math.sqrt(30)
    expected = {METHODS[0]: 29 / 31, METHODS[1]: (root - 1) / (root + 1), METHODS[2]: 1 - 2 / math.sqrt(91)}[method]
    assert best == pytest.approx(expected, rel=1e-6)
    for other_rate, other_beta in ((rate * 0.97, beta), (min(4, rate * 1.03), beta), (rate, beta + 0.02)):
        widget.rate, widget.beta = other_rate, other_beta
        assert widget.predicted() >= best - 1e-9
    widget.beta = 0.6
    edge = widget.edge()
    assert widget.predicted(edge) == pytest.approx(1, rel=1e-9)
    assert widget.predicted(edge * 0.99) < 1 < widget.predicted(edge * 1.01)


def test_a_walk_that_has_arrived_has_the_factor_zero():
    assert Descent(rate=1, condition=1, steps=5).measured() == 0
    assert Descent(start=(0, 0)).measured() == 0


def test_the_description_names_momentum_where_there_is_any():
    assert "and the path of gradient descent with step size 1 from" in Descent(beta=0.6).describe()
    assert "and the path of momentum with step size 1 and β = 0.6 from" in Descent("momentum", beta=0.6).describe()


# In the browser


@pytest.mark.parametrize("method", METHODS)
def test_the_page_computes_what_python_computes(open_page, method):
    page = open_page(Descent(method))
    chosen = [
        (0.5, 0, 0, 200, 0.5, -0.5), (1.3, 0.85, 1.5, 77, -1, 0.2), (4, 0.3, 2.3, 9, 1, 1), (2, 0, 1, 2, 0, 1),
    ]  # fmt: skip
    labels = "Step size", "Momentum β", "Condition", "Steps", "Start, x", "Start, y"
    places = [dict(zip(labels, it, strict=True)) for it in chosen]
    seen_there = visit(page, places, ".mw-descent .mw-way", ".mw-stop", ".mw-level", ".mw-begin")
    for (rate, beta, position, steps, *start), seen in zip(chosen, seen_there, strict=True):
        condition = min(float(f"{10**position:.3g}"), 200)
        widget = Descent(method, rate, beta, condition, start, steps)
        x, y = widget.path()[-1]
        assert shown(seen, "distance") == pytest.approx(math.hypot(x, y), rel=1e-9)
        assert shown(seen, "measured") == pytest.approx(widget.measured(), rel=1e-9)
        assert shown(seen, "predicted") == pytest.approx(widget.predicted(), rel=1e-9)
        assert shown(seen, "edge") == pytest.approx(widget.edge(), rel=1e-12)
        assert shown(seen, "best") == pytest.approx(widget.best(), rel=1e-12)
        [way, curve] = corners(seen, ".mw-descent .mw-way")
        places = np.clip((widget.path() * [1, -1] / 1.2 + 1) * 210, -9999, 9999)
        np.testing.assert_allclose(way, places, atol=0.0501)
        assert len(seen[".mw-stop"]) == (abs(places) < 840).all(axis=1).sum() - 1
        np.testing.assert_allclose(np.divide(*drawn(seen, ".mw-level", "rx", "ry").T), condition**0.5)
        rates = np.linspace(0, 4, 401)
        factors = np.array([widget.predicted(it) for it in rates]).clip(max=1.4)
        np.testing.assert_allclose(curve, np.transpose([24 + 97 * rates, 180 - factors / 1.4 * 172]), atol=0.0501)
        height = 180 - min(widget.predicted(), 1.4) / 1.4 * 172
        np.testing.assert_allclose(drawn(seen, ".mw-begin", "cx", "cy")[-1], [24 + 97 * rate, height])


def test_the_verdict_names_the_slow_direction_and_the_edge(open_page, slide):
    page = open_page(Descent(rate=1.0, condition=20))
    assert "along the valley is the slow part; a digit costs 45 steps" in verdict(page)
    slide(page, "Step size", 1.99)
    assert "across the valley is the slow part" in verdict(page)
    slide(page, "Step size", 2)
    assert verdict(page).startswith("At the edge")
    slide(page, "Step size", 2.1)
    assert verdict(page).startswith("Too long")
    slide(page, "Start, y", 0)
    assert verdict(page).startswith("On the floor of the valley nothing swings")
    slide(page, "Start, y", 0.1)
    page.get_by_role("button", name="Best settings").click()
    assert "equally fast" in verdict(page)
    assert shown(page, "predicted") == pytest.approx(19 / 21)
    slide(page, "Condition", 0)
    page.get_by_role("button", name="Best settings").click()
    assert verdict(page).endswith("equally fast; one step gives a digit or more.")
    slide(page, "Condition", 2)
    page.get_by_label("Method").select_option("momentum")
    page.get_by_role("button", name="Best settings").click()
    assert shown(page, "predicted") == pytest.approx(9 / 11)
    assert "0.818" in page.locator('.mw-sums [data-name="best"]').inner_text()


def test_the_edge_is_found_where_rounding_puts_it_on_the_other_side_of_the_step_size(open_page):
    widget = Descent("momentum", beta=0.57, rate=3.14)
    assert widget.edge() < 3.14
    assert verdict(open_page(widget)).startswith("At the edge")


def test_the_edge_is_shown_with_more_digits_than_a_step_size_has(open_page):
    page = open_page(Descent("Nesterov", beta=0.6, rate=1.45))
    assert page.locator('.mw-sums [data-name="edge"]').inner_text().endswith("1.455")


@pytest.mark.parametrize(
    ("start", "rate", "condition", "words"),
    [
        ((0.0, 1.0), 0.89, 20, "The walk goes straight across the valley: a digit costs 1 step."),
        ((0.9, 0.0), 1.95, 20, "On the floor of the valley nothing swings: a digit costs 22 steps."),
        ((0.0, 0.0), 3.0, 1, "The walk begins at the minimum, and stays there."),
    ],
)
def test_the_verdict_is_about_where_the_walk_begins(open_page, start, rate, condition, words):
    assert verdict(open_page(Descent(start=start, rate=rate, condition=condition))) == words


def test_a_walk_that_begins_at_the_minimum_is_multiplied_by_nothing(open_page):
    page = open_page(Descent(start=(0, 0)))
    assert page.locator("[data-name=measured] b").inner_text() == "none"


def test_momentum_is_set_only_where_a_method_has_it(open_page):
    page = open_page(Descent(METHODS[0]))
    assert page.get_by_label("Momentum β").is_disabled()
    page.get_by_label("Method").select_option("momentum")
    assert page.get_by_label("Momentum β").is_enabled()


def test_the_start_follows_the_pointer_and_sliders_work_from_the_keyboard(open_page):
    page = open_page(Descent())
    box = page.locator(".mw-descent svg").first.bounding_box()
    page.mouse.move(box["x"] + 0.75 * box["width"], box["y"] + 0.25 * box["height"])
    page.mouse.down()
    page.mouse.up()
    for axis in "xy":
        assert page.get_by_label(f"Start, {axis}").input_value() == "0.6"
    page.mouse.move(box["x"] + 9, box["y"] + 9)  # without a button
    assert page.get_by_label("Start, x").input_value() == "0.6"
    page.mouse.down()
    page.mouse.up()
    assert [page.get_by_label(f"Start, {axis}").input_value() for axis in "xy"] == ["-1", "1"]
    np.testing.assert_allclose(corners(page, ".mw-descent .mw-way")[0][0], 35, atol=0.0501)
    page.get_by_label("Step size").focus()
    page.keyboard.press("ArrowRight")
    assert page.get_by_label("Step size").get_attribute("aria-valuetext") == "1.01"
