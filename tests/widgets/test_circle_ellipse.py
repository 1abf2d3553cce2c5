"""The ellipse on the page has the half axes that Python finds, and the button turns the pair onto them."""

import numpy as np
import pytest
from reading import corners, shown, visit

from mlnotes.widgets.circle_ellipse import CircleEllipse

MATRICES = [
    [[2, 1], [0, 1.5]], [[1, 1], [0, 1]], [[0, -1], [1, 0]], [[2, 1], [1, 2]], [[1, 2], [0.5, 1]], [[-2.5, 1], [4, 3]],
    [[0, 0], [0, 0]],
]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"a": np.eye(3)}, r"a must have shape \(2, 2\), got \(3, 3\)"),
        ({"a": [[1, 2], [3, 10]]}, "a must have four entries from -9 to 9, got"),
        ({"a": [[1, 2], [3, float("nan")]]}, "a must have four entries from -9 to 9, got"),
        ({"angle": 90.5}, "angle must be -90 to 90 degrees, got 90.5"),
    ],
)
def test_bad_input_is_refused_with_the_rule_and_the_value(arguments, message):
    with pytest.raises(ValueError, match=message):
        CircleEllipse(**arguments)


def test_images_at_right_angles_are_as_long_as_the_singular_values():
    widget = CircleEllipse([[2, 1], [1, 2]], angle=45)
    assert widget.between() == pytest.approx(90, abs=1e-9)
    assert np.linalg.norm(widget.images(), axis=0) == pytest.approx(widget.singular_values(), abs=1e-12)
    assert widget.singular_values() == pytest.approx([3, 1], abs=1e-12)


def test_an_image_of_zero_is_at_a_right_angle_to_everything():
    widget = CircleEllipse([[1, 0], [0, 0]], angle=0)
    assert widget.between() == 90
    assert CircleEllipse(np.zeros((2, 2)), 30).between() == 90


def test_the_description_names_columns_lengths_and_the_angle():
    words = CircleEllipse([[2, 1], [0.5, -1.5]], 25.5).describe()
    assert "columns 2, 0.5 and 1, −1.5 sends" in words
    assert "half axes 2.257 and 1.55. " in words
    assert "v, at 25.5 degrees, and w, " in words
    assert "of length 2.244 and 1.57, 83.5 degrees apart" in words


@pytest.mark.parametrize("a", MATRICES)
def test_the_page_computes_what_python_computes(open_page, a):
    page = open_page(CircleEllipse(a))
    angles = (-90, -33, 0, 20, 45.5)
    arrows = ".mw-ellipse .mw-v", ".mw-ellipse .mw-w"
    places = [{"Direction": angle} for angle in angles]
    for angle, seen in zip(angles, visit(page, places, ".mw-outline", *arrows), strict=True):
        widget = CircleEllipse(a, angle)
        lengths = np.linalg.norm(widget.images(), axis=0)
        assert [shown(seen, name) for name in ("first", "second")] == pytest.approx(lengths, abs=1e-9)
        assert shown(seen, "between") == pytest.approx(widget.between(), abs=1e-6)
        halves = [shown(seen, name) for name in ("longer", "shorter")]
        assert halves == pytest.approx(widget.singular_values(), abs=1e-9)
        scale = 160 / max(1.3, 1.15 * halves[0])
        outlines = corners(seen, ".mw-outline")
        for middle, matrix, outline in zip((160, 480), (np.eye(2), np.array(a)), outlines, strict=True):
            tips = [(middle, 160) + scale * it * (1, -1) for it in (matrix @ widget.pair()).T]
            found = [corners(seen, arrow)[middle > 160] for arrow in arrows]
            np.testing.assert_allclose(found, [[(middle, 160), tip] for tip in tips], atol=1e-6)
            around = np.linspace(0, 2 * np.pi, 73)
            circle = matrix @ [np.cos(around), np.sin(around)]
            np.testing.assert_allclose((outline - (middle, 160)) / scale * (1, -1), circle.T, atol=1e-6)


@pytest.mark.parametrize("a", MATRICES)
@pytest.mark.parametrize("angle", [-80.0, 10.0, 85.0])
def test_the_button_turns_the_pair_to_the_singular_vectors(open_page, a, angle):
    page = open_page(CircleEllipse(a, angle))
    page.get_by_role("button", name="Turn to right angles").click()
    assert shown(page, "between") == pytest.approx(90, abs=1e-6)
    lengths = sorted((shown(page, name) for name in ("first", "second")), reverse=True)
    assert lengths == pytest.approx(CircleEllipse(a).singular_values(), abs=1e-6)
    assert "singular values" in page.locator(".mw-verdict").inner_text()


def test_images_of_zero_have_no_angle(open_page):
    page = open_page(CircleEllipse(np.zeros((2, 2))))
    assert page.locator("[data-name=between] b").inner_text() == "none"
    assert "Both images are zero" in page.locator(".mw-verdict").inner_text()


def test_a_matrix_can_be_chosen_and_changed(open_page):
    page = open_page(CircleEllipse())
    first = tuple(CircleEllipse().singular_values())
    for name, halves in (
        ("two columns", first), ("quarter turn", (1, 1)), ("symmetric", (3, 1)), ("dependent", (2.5, 0)),
    ):  # fmt: skip
        page.get_by_label("Matrix").select_option(name)
        assert [shown(page, it) for it in ("longer", "shorter")] == pytest.approx(halves, abs=1e-12)
    page.get_by_label("column 2, entry 2").fill("12")
    assert shown(page, "longer") == pytest.approx(CircleEllipse([[1, 2], [0.5, 9]]).singular_values()[0], abs=1e-9)
    page.get_by_label("Matrix").select_option("shear")
    assert page.get_by_label("column 2, entry 1").input_value() == "1"
    page.get_by_label("column 1, entry 2").fill("1")
    assert page.get_by_label("Matrix").input_value() == "your own"
    assert shown(page, "longer") == pytest.approx(2, abs=1e-12)


def test_it_works_from_the_keyboard(open_page):
    page = open_page(CircleEllipse([[2, 1], [1, 2]], angle=44.5))
    assert "not at right angles" in page.locator(".mw-verdict").inner_text()
    page.get_by_label("Direction").focus()
    page.keyboard.press("ArrowRight")
    assert page.get_by_label("Direction").get_attribute("aria-valuetext") == "45°"
    assert "are at right angles" in page.locator(".mw-verdict").inner_text()
    page.keyboard.press("ArrowDown")
    assert page.get_by_label("Direction").get_attribute("aria-valuetext") == "44.5°"
