"""The vector and its image on the page are those of Python."""

import numpy as np
import pytest
from reading import drawn, shown, visit

from mlnotes.widgets.eigen_plane import EigenPlane


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"a": np.eye(3)}, r"a must have shape \(2, 2\), got \(3, 3\)"),
        ({"a": [[1, 2], [3, 10]]}, "a must have four entries from -9 to 9, got"),
        ({"a": [[1, 2], [3, float("nan")]]}, "a must have four entries from -9 to 9, got"),
        ({"angle": 181}, "angle must be -180 to 180 degrees, got 181"),
        ({"step": 21}, "step must be 0 to 20, got 21"),
    ],
)
def test_bad_input_is_refused_with_the_rule_and_the_value(arguments, message):
    with pytest.raises(ValueError, match=message):
        EigenPlane(**arguments)


def test_twenty_steps_find_the_larger_of_two_stretches():
    widget = EigenPlane([[2, 1], [1, 2]], angle=-30, step=20)
    assert widget.iteration().eigenvalue == pytest.approx(3, abs=1e-12)
    assert widget.turned() == pytest.approx(0, abs=1e-6)
    assert "Estimated eigenvalue 3." in widget.describe()


def test_a_quarter_turn_moves_every_vector_by_a_right_angle():
    assert all(EigenPlane([[0, -1], [1, 0]], angle, step=3).turned() == pytest.approx(90) for angle in (-170, 0, 33))


@pytest.mark.parametrize("angle", [-45, 135])
def test_a_vector_that_is_projected_to_zero_stays_where_it_is(angle):
    widget = EigenPlane([[0.5, 0.5], [0.5, 0.5]], angle, step=3)
    np.testing.assert_allclose(widget.iteration().vector, widget.start(), atol=1e-11)
    assert widget.turned() == 0


def test_a_matrix_of_zeros_sends_every_vector_to_zero():
    widget = EigenPlane(np.zeros((2, 2)), 40, step=5)
    assert widget.iteration().eigenvalue == 0
    assert widget.turned() == 0


MATRICES = [
    [[2, 1], [1, 2]], [[1, 1], [0, 1]], [[0, -1], [1, 0]], [[1, 0], [0, -1]], [[0, 1], [0, 0]], [[-2.5, 1], [4, 3]],
    [[0.5, 0.5], [0.5, 0.5]],
]  # fmt: skip


@pytest.mark.parametrize("a", MATRICES)
def test_the_page_computes_what_python_computes(open_page, a):
    page = open_page(EigenPlane(a))
    chosen = (-30, 0), (20, 1), (135, 4), (-100, 9), (90, 20)
    places = [{"Direction": angle, "Steps": step} for angle, step in chosen]
    arrows = ".mw-eigen :is(.mw-before, .mw-image, .mw-now)"
    for (angle, step), seen in zip(chosen, visit(page, places, arrows), strict=True):
        widget = EigenPlane(a, angle, step=step)
        found = widget.iteration()
        assert shown(seen, "estimate") == pytest.approx(found.eigenvalue, abs=1e-9)
        assert shown(seen, "residual") == pytest.approx(found.residuals[-1], abs=1e-9)
        assert shown(seen, "turned") == pytest.approx(widget.turned(), abs=1e-6)
        v = np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))]).round(12)
        steps = [v]
        for _ in range(step):
            image = np.array(a) @ steps[-1]
            steps += [image / np.linalg.norm(image)] if image.any() else []
        image = np.array(a) @ steps[-1]
        scale = 180 / max(3.6, 1.1 * np.linalg.norm(image))
        tips = 180 + scale * np.array([*steps[:-1], image, steps[-1]]) * (1, -1)
        lines = drawn(seen, arrows, "x1", "y1", "x2", "y2")
        np.testing.assert_allclose(lines, np.hstack([np.full(tips.shape, 180), tips]), atol=1e-5)


def test_a_matrix_can_be_chosen_and_changed(open_page):
    page = open_page(EigenPlane())
    page.get_by_label("Direction").fill("135")
    for name, value, words in (
        ("two stretches", 1, "parallel to v: an eigenvector."), ("quarter turn", 0, "elsewhere: no eigenvector."),
        ("mirror", 0, "elsewhere"), ("projection", 0, "The image is zero: v is an eigenvector of the eigenvalue 0."),
    ):  # fmt: skip
        page.get_by_label("Matrix").select_option(name)
        assert shown(page, "estimate") == pytest.approx(value, abs=1e-12)
        assert words in page.locator(".mw-verdict").inner_text()
    assert page.locator("[data-name=turned] b").inner_text() == "none"  # the image is zero
    page.get_by_label("Matrix").select_option("mirror")
    page.get_by_label("Direction").fill("90")
    assert "points the other way: an eigenvector of a negative" in page.locator(".mw-verdict").inner_text()
    page.get_by_label("Steps").fill("3")
    page.get_by_label("Matrix").select_option("shear")
    assert page.get_by_label("Steps").input_value() == "0"
    assert page.get_by_label("row 1, column 2").input_value() == "1"
    assert page.get_by_label("row 2, column 1").input_value() == "0"
    page.get_by_label("row 2, column 1").fill("1")
    assert page.get_by_label("Matrix").input_value() == "your own"
    assert shown(page, "estimate") == pytest.approx(EigenPlane([[1, 1], [1, 1]], 90).iteration().eigenvalue, abs=1e-12)


@pytest.mark.parametrize(("width", "beside"), [(1300, True), (400, False)])
def test_what_moves_the_arrows_stands_beside_them_where_the_page_is_wide(width, beside, open_page):
    page = open_page(EigenPlane(), width=width)
    parts = (page.locator(f".mw-eigen {it}").last for it in ("svg", "input", ".mw-sums"))
    drawing, slider, numbers = (it.bounding_box() for it in parts)
    for it in (slider, numbers):
        assert (drawing["x"] + drawing["width"] < it["x"]) == beside
        assert (it["y"] + it["height"] < drawing["y"] + drawing["height"]) == beside


def test_it_works_from_the_keyboard_and_says_what_is_parallel(open_page):
    page = open_page(EigenPlane(angle=44))
    assert "no eigenvector" in page.locator(".mw-verdict").inner_text()
    page.get_by_label("Direction").focus()
    page.keyboard.press("ArrowRight")
    assert "The image is parallel to v: an eigenvector." in page.locator(".mw-verdict").inner_text()
    assert page.get_by_label("Direction").get_attribute("aria-valuetext") == "45°"
