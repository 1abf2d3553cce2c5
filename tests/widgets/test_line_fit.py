"""The line on the page is that of Python, and that of NumPy."""

import re

import numpy as np
import pytest
from reading import drawn, shown, visit

from mlnotes.widgets.line_fit import LineFit

X, Y = [-6.0, -2.0, 1.0, 5.0, 8.0], [-4.0, 1.0, 0.5, 6.0, -3.0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"x": [1, 2], "y": [1, 2]}, r"x and y must hold 3 to 12 numbers each, got shapes \(2,\) and \(2,\)"),
        ({"x": [1, 2, 3], "y": [1, 2, 11]}, r"points must lie within 10, with different x, got x \[1.0, 2.0, 3.0\]"),
        ({"x": [1, 1, 1], "y": [1, 2, 3]}, "points must lie within 10, with different x"),
        ({"x": X, "y": Y, "point": 5}, "point must be 0 to 4, got 5"),
        ({"x": X, "y": Y, "strength": 4.0}, "strength must be -3 to 3, got 4"),
    ],
)
def test_bad_input_is_refused_with_the_rule_and_the_value(arguments, message):
    with pytest.raises(ValueError, match=message):
        LineFit(**arguments)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("x", [1.0] * 5, r"points must lie within 10, with different x, got x \[1.0, .*, 1.0\] and y \[-4.0"),
        ("x", [1.0, 2.0], r"x and y must hold 3 to 12 numbers each, got shapes \(2,\) and \(5,\)"),
        ("x", [*X[1:], np.nan], r"points must lie within 10, with different x, got x \[.*nan\] and y \[-4.0"),
        ("y", [*Y[1:], 11.0], r"points must lie within 10, with different x, got x \[-6.0, .*\] and y \[.*11.0\]"),
    ],
)
def test_points_that_are_set_later_keep_the_rules(name, value, message):
    widget = LineFit(X, Y)
    with pytest.raises(ValueError, match=message):
        setattr(widget, name, value)
    assert (widget.x, widget.y) == (X, Y)


def test_fewer_points_can_be_set_together_if_the_one_that_moves_is_among_them():
    widget = LineFit(X, Y, point=3)
    with widget.hold_trait_notifications():
        widget.x, widget.y = X[:4], Y[:4]
    with pytest.raises(ValueError, match="point must be 0 to 2, got 3"), widget.hold_trait_notifications():
        widget.x, widget.y = X[:3], Y[:3]
    assert (widget.x, widget.y) == (X[:4], Y[:4])


def test_without_ridge_the_line_is_that_of_polyfit():
    slope, intercept, residuals = LineFit(X, Y).fit()
    np.testing.assert_allclose([slope, intercept], np.polyfit(X, Y, 1), rtol=1e-12)
    np.testing.assert_allclose([residuals.sum(), residuals @ X], 0, atol=1e-12)


def test_ridge_divides_by_more_and_keeps_the_line_through_the_middle():
    plain, held = LineFit(X, Y), LineFit(X, Y, strength=2.0)
    spread = np.var(X) * len(X)
    assert held.fit()[0] == pytest.approx(plain.fit()[0] * spread / (spread + 100), rel=1e-12)
    assert held.fit()[1] + held.fit()[0] * np.mean(X) == pytest.approx(np.mean(Y))
    assert "with ridge of strength 100" in held.describe()


def test_the_residual_stands_at_a_right_angle_and_ridge_tilts_it():
    x, y = np.array(X) - np.mean(X), np.array(Y) - np.mean(Y)
    assert LineFit(X, Y).angle() == pytest.approx(90, abs=1e-9)
    residual = y - x * (x @ y) / (x @ x + 100)
    cosine = residual @ x / np.linalg.norm(residual) / np.linalg.norm(x)
    assert LineFit(X, Y, strength=2.0).angle() == pytest.approx(np.degrees(np.arccos(cosine)), rel=1e-12)
    assert LineFit(X, [-v for v in Y], strength=2.0).angle() == pytest.approx(180 - np.degrees(np.arccos(cosine)))
    assert "The residual meets the column of x, less its mean, at 90°" in LineFit(X, Y).describe()
    assert LineFit(X, Y).picture().count("<path") == 1
    assert LineFit(X, Y, strength=2.0).picture().count("<path") == 0


def test_points_on_one_line_leave_no_residual_to_stand():
    widget = LineFit([-2, 0, 2], [3, 1, -1])
    assert np.isnan(widget.angle())
    assert "residual" not in widget.describe()
    assert "nan" not in LineFit([-2, 0, 2], [0, 0, 0]).picture()


def test_the_page_computes_what_python_computes(open_page):
    page = open_page(LineFit(X, Y))
    x, y = list(X), list(Y)
    moves = (0, -8.0, 3.0, -3.0), (4, 8.0, 9.5, -3.0), (2, 0.0, -7.5, 0.5), (1, 3.5, 2.0, 3.0)
    places = [dict(zip(("Point", "its x", "its y", "Ridge"), move, strict=True)) for move in moves]
    arrows = ".mw-fit .mw-y", ".mw-fit .mw-fitted", ".mw-fit .mw-residual"
    seen_there = visit(page, places, ".mw-fit .mw-dot", ".mw-fit .mw-square", ".mw-fit .mw-line", *arrows)
    for (point, across, up, strength), seen in zip(moves, seen_there, strict=True):
        x[point], y[point] = across, up
        slope, intercept, residuals = LineFit(x, y, strength=strength).fit()
        expected = {"slope": slope, "intercept": intercept, "squares": (residuals**2).sum(), "ones": 0.0}
        expected |= {"places": residuals @ x, "angle": LineFit(x, y, strength=strength).angle()}
        for name, value in expected.items():
            assert shown(seen, name) == pytest.approx(value, abs=1e-9)
        px, py, sides = 240 + 20 * np.array(x), 240 - 20 * np.array(y), 20 * abs(residuals)
        np.testing.assert_allclose(drawn(seen, ".mw-fit .mw-dot", "cx", "cy"), np.transpose([px, py]), atol=1e-6)
        assert drawn(seen, ".mw-fit .mw-dot", "r").argmax() == point
        left, top = px - sides * (residuals * slope >= 0), np.minimum(py, py + 20 * residuals)  # beside the line
        squares = drawn(seen, ".mw-fit .mw-square", "x", "y", "width", "height")
        np.testing.assert_allclose(squares, np.transpose([left, top, sides, sides]), atol=1e-6)
        [[x1, y1, x2, y2]] = drawn(seen, ".mw-fit .mw-line", "x1", "y1", "x2", "y2")
        for at, height in ((x1, y1), (x2, y2)):
            assert 240 - height == pytest.approx(20 * intercept + slope * (at - 240), abs=1e-6)
        the_y, fitted, residual = (_arrow(seen, it) for it in arrows)
        scale = 205 / np.linalg.norm(y - np.mean(y))
        assert abs(the_y) == pytest.approx(205)
        assert fitted == pytest.approx(scale * slope * np.linalg.norm(x - np.mean(x)))
        assert abs(residual) == pytest.approx(scale * np.linalg.norm(residuals))
        assert the_y == pytest.approx(fitted + residual)
        assert np.degrees(np.angle(residual)) == pytest.approx(expected["angle"])


def _arrow(seen, selector):
    [[x1, y1, x2, y2]] = drawn(seen, selector, "x1", "y1", "x2", "y2")
    return complex(x2 - x1, y1 - y2)


def test_the_page_marks_the_right_angle_until_ridge_tilts_the_residual(open_page, slide):
    page = open_page(LineFit(X, Y))
    mark = page.locator(".mw-fit .mw-right")
    assert mark.count() == 1
    assert page.get_by_role("img", name="The residual meets the column of x, less its mean, at 90°").count() == 1
    slide(page, "Ridge", 2.0)
    assert mark.count() == 0
    assert page.get_by_role("img", name=re.compile(r"at \d\d(\.\d+)?°")).count() == 1


def test_ridge_keeps_the_right_angle_of_a_level_line(open_page):
    page = open_page(LineFit([-2.0, -1.0, 0.0, 1.0, 2.0], [3.0, 1.0, 0.0, 1.0, 3.0], strength=0.0))
    assert "ridge has nothing to shrink, and the right angle stays" in page.locator(".mw-verdict").inner_text()
    assert "e−" not in page.locator("svg").first.get_attribute("aria-label")


@pytest.mark.parametrize("sign", [1, -1])
def test_the_mark_of_the_right_angle_stands_between_the_fit_and_the_origin(open_page, sign):
    widget = LineFit(X, [sign * v for v in Y])
    page = open_page(widget)
    foot = float(page.locator(".mw-fit .mw-fitted").get_attribute("x2"))
    on_page = page.locator(".mw-fit .mw-right").get_attribute("d")
    for path in (on_page, re.search('<path d="([^"]*)"', widget.picture())[1]):
        corner, across = float(path.split()[1]), float(path.split()[-1])
        assert min(240, foot) < corner < max(240, foot)
        assert corner + across == pytest.approx(foot, abs=0.1)


def test_a_falling_line_is_written_with_a_minus(open_page):
    widget = LineFit([-2, 0, 2], [3, 1, -1])
    assert "the line y = 1 − 1 x" in widget.describe()
    assert "y = 1 − 1 x" in widget.picture()
    assert open_page(widget).get_by_role("img", name="3 points and the line y = 1 − 1 x").count() == 1


def test_a_line_through_all_points_leaves_no_residual_on_the_page_until_ridge_turns_it(open_page, slide):
    page = open_page(LineFit([-2.0, 0.0, 2.0], [-2.0, 0.0, 2.0]))
    assert "there is no residual" in page.locator(".mw-verdict").inner_text()
    assert page.get_by_role("img", name="The line goes through all points: there is no residual.").count() == 1
    slide(page, "Ridge", 2.0)  # the line of y is that of x: its residual leans all the way
    assert shown(page, "angle") == pytest.approx(0, abs=1e-9)
    assert page.get_by_role("img", name="The residual meets the column of x, less its mean, at 0°.").count() == 1
    page = open_page(LineFit([-2.0, 0.0, 2.0], [1.0, 1.0, 1.0]))
    assert page.locator(".mw-fit svg text").all_text_contents() == ["x"]


def test_the_page_keeps_the_last_point_from_standing_above_all_others(open_page, slide):
    page = open_page(LineFit([1.0, 1.0, 2.0], [0.0, 1.0, 5.0], point=2))
    slide(page, "its x", 1.0)
    assert page.get_by_label("its x").input_value() == "2"
    assert shown(page, "slope") == pytest.approx(4.5)
    slide(page, "its x", 0.5)
    assert shown(page, "slope") == pytest.approx(-9)


def test_it_works_from_the_keyboard_and_names_its_values(open_page):
    page = open_page(LineFit(X, Y, point=4))
    page.get_by_label("its y").focus()
    page.keyboard.press("ArrowRight")
    assert shown(page, "slope") == pytest.approx(LineFit(X, [*Y[:4], -2.5]).fit()[0], abs=1e-12)
    page.get_by_label("Ridge").focus()
    page.keyboard.press("End")
    assert page.get_by_label("Ridge").get_attribute("aria-valuetext") == "1000"
    place, slope = (f"{shown(page, name):.4g}".replace("-", "−") for name in ("places", "slope"))
    verdict = f"residual · x is {place}, 1000 times the slope {slope}."
    assert verdict in page.locator(".mw-verdict").inner_text().replace("(", "").replace(")", "")
    page.keyboard.press("Home")
    assert page.get_by_label("Ridge").get_attribute("aria-valuetext") == "none"
    assert "at right angles to both columns" in page.locator(".mw-verdict").inner_text()


def test_a_point_is_dragged_and_what_is_pressed_beside_it_moves_nothing(open_page):
    page = open_page(LineFit(X, Y))
    box = page.locator(".mw-fit svg").first.bounding_box()
    unit = box["width"] / 24

    def to(x, y):
        page.mouse.move(box["x"] + (12 + x) * unit, box["y"] + (12 - y) * unit)

    for start, moved in ((X[1], Y[1]), True), ((9, -9), False):
        to(*start)
        page.mouse.down()
        to(4.1, 6.9)
        page.mouse.up()
        assert page.get_by_role("slider", name="Point").get_attribute("aria-valuetext") == f"2 of {len(X)}"
        assert [page.get_by_label(f"its {axis}").input_value() for axis in "xy"] == ["4", "7"], moved
    # A point that was let go stays, whatever button comes across that was pressed elsewhere.
    to(4, 7)
    page.mouse.down()
    page.mouse.up()
    at = [box["x"] + 20 * unit, box["y"] + 9 * unit]
    press = "([x, y]) => document.elementFromPoint(x, y).dispatchEvent(new PointerEvent('pointermove', "
    page.evaluate(press + "{ clientX: x, clientY: y, buttons: 1, bubbles: true }))", at)
    page.wait_for_timeout(50)
    assert [page.get_by_label(f"its {axis}").input_value() for axis in "xy"] == ["4", "7"]
    np.testing.assert_allclose(shown(page, "slope"), np.polyfit(np.r_[X[0], 4, X[2:]], np.r_[Y[0], 7, Y[2:]], 1)[0])


@pytest.mark.parametrize(("width", "beside"), [(1300, True), (400, False)])
def test_what_moves_is_seen_in_both_pictures_at_once_where_the_page_is_wide(width, beside, open_page):
    page = open_page(LineFit(X, Y), width=width)
    first, second = (it.bounding_box() for it in page.locator(".mw-fit .mw-main svg").all())
    assert (first["y"] == second["y"]) == beside
    assert (first["x"] == second["x"]) != beside
