"""The plane shows what the dot product's functions compute, and its vectors move without a mouse, too."""

import json

import numpy as np
import pytest
from reading import corners, drawn, elements

from mlnotes.blocks.dot_product import angle, cosine_similarity, dot, project
from mlnotes.widgets.vector_plane import VectorPlane


def values(page, pair="a and b"):
    lines = elements(page, f'section[aria-label="{pair}"] [data-name]')
    return {it["data-name"]: np.array(json.loads(it["data-value"])) for it in lines}


def tip(page, name):
    text = page.get_by_role("slider", name=f"Tip of {name}").get_attribute("aria-valuetext")
    return tuple(float(part.split()[1]) for part in text.split(", "))


def inputs(page, name):
    return tuple(float(page.get_by_label(f"{name}, {axis}", exact=True).input_value()) for axis in "xy")


def assert_agrees(page, a, b, pair="a and b"):
    a, b = np.array(a, dtype=float), np.array(b, dtype=float)
    found = values(page, pair)
    assert found["dot"] == pytest.approx(dot(a, b), abs=1e-9)
    assert found["length-a"] == pytest.approx(np.sqrt(dot(a, a)), abs=1e-9)
    assert found["length-b"] == pytest.approx(np.sqrt(dot(b, b)), abs=1e-9)
    assert found["cosine"] == pytest.approx(cosine_similarity(a, b), abs=1e-9)
    assert found["degrees"] == pytest.approx(np.degrees(angle(a, b)), abs=1e-6)
    np.testing.assert_allclose(found["projection"], project(b, a), atol=1e-9)
    np.testing.assert_allclose(found["residual"], b - project(b, a), atol=1e-9)
    ends = [drawn(page, f".mw-arrow.mw-v{i}", "x1", "y1", "x2", "y2") for i in (0, 1 + (pair == "q and r"))]
    unit = 204 / 4
    np.testing.assert_allclose(ends, [[[220, 220, *(220 + unit * v * (1, -1))]] for v in (a, b)], atol=1e-6)


# In Python


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"vectors": {"a": (1, 2)}}, "vectors must be two or three, got 1"),
        ({"vectors": {name: (1, 2) for name in "abcd"}}, "vectors must be two or three, got 4"),
        ({"vectors": {"a": (1, 2), "b": (1, 2, 3)}}, "b must be two numbers from -4 to 4, got"),
        ({"vectors": {"u": (1, 2), "v": (float("nan"), 2)}}, "v must be two numbers from -4 to 4, got"),
        ({"vectors": {"u": (1, 2), "v": (float("inf"), 2)}}, "v must be two numbers from -4 to 4, got"),
        ({"vectors": {"a": (1, 2), "b": (5, 1)}, "limit": 4}, "b must be two numbers from -4 to 4, got"),
        ({"limit": 0}, "limit must be positive and finite, got 0"),
        ({"fixed": ["z"]}, r"fixed must name some of the vectors \['a', 'b'\], got \['z'\]"),
        ({"c": [1.0, 2.0]}, "there is no third vector to set"),
    ],
)
def test_bad_input_is_refused_with_the_rule_and_the_values(arguments, message):
    with pytest.raises(ValueError, match=message):
        VectorPlane(**arguments)


def test_the_plane_grows_with_its_vectors():
    assert VectorPlane({"a": (6.5, 0), "b": (0, 1)}).limit == 7


def test_the_description_states_product_angle_and_projection():
    text = VectorPlane({"a": (3, 1), "b": (1, 2)}).describe()
    assert "a·b = 5, angle 45.0°, projection of b onto a (1.5, 0.5)." in text
    assert VectorPlane({"a": (3, 1), "b": (1, 2)}, show_projection=False).describe().endswith("angle 45.0°.")
    assert "a zero vector has no direction" in VectorPlane({"a": (0, 0), "b": (1, 2)}).describe()


# In the browser


@pytest.mark.parametrize("a", [(3, 1), (-2, 0.5), (1e-3, 1e-3)])
def test_the_page_computes_what_python_computes(open_page, a):
    page = open_page(VectorPlane({"a": a, "b": (0, 0)}))
    for b in [(1, 2), (-3, -1), (2, -0.5), (4, 4)]:
        for axis, coordinate in zip("xy", b, strict=True):
            page.get_by_label(f"b, {axis}", exact=True).fill(str(coordinate))
        assert_agrees(page, a, b)


def test_a_third_vector_is_compared_with_the_first(open_page):
    page = open_page(VectorPlane({"q": (2, 1), "k": (-1, 2), "r": (1, -3)}))
    assert_agrees(page, (2, 1), (-1, 2), "q and k")
    assert_agrees(page, (2, 1), (1, -3), "q and r")
    lines = page.get_by_role("region", name="q and r").locator("li").all_inner_texts()
    assert [" ".join(it.split()) for it in lines] == [
        "q·r = 2 × 1 + 1 × (−3) = −1",
        "‖q‖ = √(2² + 1²) = 2.236",
        "‖r‖ = √(1² + (−3)²) = 3.162",
        "cos θ = (−1) / (2.236 × 3.162) = −0.1414",
        "angle θ = 98.13°",
        "r onto q = (−1) / 5 × q = −0.2 q = (−0.4, −0.2)",
        "what is left = r − projection = (1.4, −2.8)",
    ]


@pytest.mark.parametrize(
    ("b", "words"),
    [
        ((1, 2), "positive: the angle is acute"),
        ((-1, 3), "zero: a right angle"),
        ((-2, 1), "negative: the angle is obtuse"),
        ((2, -3), "positive: the angle is acute"),
        ((-0.1, 0.3), "zero: a right angle"),  # 3 × (−0.1) + 0.3 is not zero in double precision
    ],
)
def test_the_sign_is_told_in_words_and_shapes(open_page, b, words):
    page = open_page(VectorPlane({"a": (3, 1), "b": b}))
    assert words in page.locator(".mw-sign").inner_text()
    for arc in corners(page, ".mw-angle"):  # from a to b
        for end, v in ((arc[0], (3, 1)), (arc[-1], b)):
            direction = (end - 220) * (1, -1)
            assert direction / np.hypot(*direction) == pytest.approx(np.array(v) / np.hypot(*v), abs=1e-6)
    dashed = page.locator(".mw-angle").evaluate_all("all => all.map(e => getComputedStyle(e).strokeDasharray)")
    assert dashed == {"p": ["none"], "z": [], "n": ["4px, 4px"]}[words[0]]
    # A right angle's square at the origin; without one, the square at the projection's foot.
    assert page.locator(".mw-mark").count() == 1


@pytest.mark.parametrize(("b", "words"), [((0.3, 0.1), "both point the same way"), ((-0.9, -0.3), "opposite ways")])
def test_vectors_along_one_line_leave_nothing_and_are_told_apart_by_their_direction(open_page, b, words):
    page = open_page(VectorPlane({"a": (3, 1), "b": b}))
    assert words in page.locator(".mw-sign").inner_text()
    assert not values(page)["residual"].any()
    assert values(page)["degrees"] == (0 if words.startswith("both") else 180)


def test_a_number_that_was_taken_out_comes_back_and_the_hint_says_the_step(open_page):
    page = open_page(VectorPlane({"a": (3, 1), "b": (1, 2)}))
    field = page.get_by_label("b, x", exact=True)
    field.fill("")
    field.blur()
    assert field.input_value() == "1"
    assert "0.1 a step" in page.locator(".mw-hint").inner_text()
    page.get_by_label("Snap to steps of 0.5").check()
    assert "0.5 a step" in page.locator(".mw-hint").inner_text()


def test_zero_vectors_have_no_angle_and_do_no_harm(open_page):
    page = open_page(VectorPlane({"a": (0, 0), "b": (1, 2)}, show_half_plane=True))
    assert values(page)["dot"] == 0
    [line] = page.locator('[data-name="none"]').all()
    assert " ".join(line.inner_text().split()) == "angle θ none, the zero vector has no direction"
    assert line.evaluate("it => it.scrollWidth <= it.clientWidth")
    assert page.locator("[data-name=projection]").count() == 0


def test_arrow_keys_move_a_tip(open_page):
    page = open_page(VectorPlane({"a": (3, 1), "b": (1, 2)}))
    page.get_by_role("slider", name="Tip of b").focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowUp", "Shift+ArrowLeft"):
        page.keyboard.press(key)
    assert tip(page, "b") == inputs(page, "b") == (0.3, 2.1)
    assert_agrees(page, (3, 1), (0.3, 2.1))
    for _ in range(9):
        page.keyboard.press("Shift+ArrowDown")
    assert tip(page, "b") == (0.3, -4)


def test_tab_reaches_every_tip_and_every_input(open_page):
    page = open_page(VectorPlane())
    seen = []
    for _ in range(9):
        page.keyboard.press("Tab")
        seen.append(
            page.evaluate("(e => e.getAttribute('aria-label') ?? e.labels[0].textContent)(document.activeElement)")
        )
    assert seen[:6] == ["Tip of a", "Tip of b", "a, x", "a, y", "b, x", "b, y"]
    assert seen[6:] == ["Projection onto a", "Where a·v > 0", "Snap to steps of 0.5"]


def test_a_tip_is_dragged_by_the_pointer(open_page):
    page = open_page(VectorPlane({"a": (3, 1), "b": (1, 2)}))
    before, other = (page.get_by_role("slider", name=f"Tip of {n}").locator(".mw-hit").bounding_box() for n in "ba")
    center = [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in (before, other)]
    unit = (center[1][0] - center[0][0]) / 2  # the tips are two units apart in x
    page.mouse.move(*center[0])
    page.mouse.down()
    page.mouse.move(center[0][0] - 3 * unit, center[0][1] + unit, steps=5)
    page.mouse.up()
    assert tip(page, "b") == inputs(page, "b") == (-2, 1)
    assert_agrees(page, (3, 1), (-2, 1))
    page.mouse.move(center[0][0] - 3 * unit + 9, center[0][1] + unit + 9)  # over the tip, without a button
    assert tip(page, "b") == (-2, 1)


def test_numbers_can_be_typed(open_page):
    page = open_page(VectorPlane({"a": (3, 1), "b": (1, 2)}))
    page.get_by_label("b, x", exact=True).fill("-0.5")
    page.get_by_label("b, y", exact=True).fill("-2.25")
    assert tip(page, "b") == (-0.5, -2.25)
    page.get_by_label("b, x", exact=True).fill("")
    page.get_by_label("b, x", exact=True).press_sequentially("-0.5")  # not replaced by 0 on the way
    assert tip(page, "b") == (-0.5, -2.25)
    page.get_by_label("b, y", exact=True).fill("")
    assert tip(page, "b") == (-0.5, -2.25)
    assert_agrees(page, (3, 1), (-0.5, -2.25))


def test_snapping_moves_to_halves(open_page):
    page = open_page(VectorPlane({"a": (3, 1), "b": (1.3, 2.2)}, fixed=["a"]))
    page.get_by_label("Snap").check()
    assert tip(page, "b") == (1.5, 2)
    page.get_by_role("slider", name="Tip of b").focus()
    page.keyboard.press("ArrowLeft")
    assert tip(page, "b") == (1, 2)


def test_a_fixed_vector_has_no_handle_and_its_numbers_cannot_be_typed(open_page):
    page = open_page(VectorPlane({"a": (3, 1), "b": (1, 2)}, fixed=["a"]))
    assert page.get_by_role("slider").count() == 1
    assert page.get_by_label("a, x", exact=True).is_disabled()


def test_projection_and_half_plane_can_be_hidden_and_shown(open_page):
    page = open_page(VectorPlane({"a": (3, 1), "b": (1, 2)}))
    assert page.locator(".mw-projection").count() == page.locator(".mw-residual").count() == 1
    assert page.locator('[data-name="projection"], [data-name="residual"]').count() == 2
    page.get_by_label("Projection onto a").uncheck()
    assert page.locator(".mw-projection").count() == 0
    assert page.locator('[data-name="projection"], [data-name="residual"]').count() == 0
    assert page.locator("polygon").count() == 0
    page.get_by_label("Where a·v > 0").check()
    [half] = corners(page, "polygon")
    sides = (half - 220) * (1, -1) @ (3, 1)
    assert sides.min() == pytest.approx(0, abs=1e-6)
    assert sides.max() > 0
    assert page.locator(".mw-side-name").text_content() == "a·v > 0"


def test_the_residual_is_drawn_at_a_right_angle_to_the_first_vector(open_page):
    page = open_page(VectorPlane({"a": (3, 1), "b": (-1, 2)}))
    ends = page.locator(".mw-residual, .mw-arrow.mw-v0").evaluate_all(
        "all => all.map(e => ['x1', 'y1', 'x2', 'y2'].map(name => Number(e.getAttribute(name))))"
    )
    residual, a = (np.array(e[2:]) - np.array(e[:2]) for e in ends)
    assert residual @ a == pytest.approx(0, abs=1e-6 * np.linalg.norm(residual) * np.linalg.norm(a))


def test_a_finger_that_takes_a_tip_does_not_scroll_the_page(open_page):
    page = open_page(VectorPlane({"a": (3, 1), "b": (1, 2)}))
    allowed = """(it) => it.dispatchEvent(new TouchEvent("touchstart", { cancelable: true, bubbles: true }))"""
    assert page.get_by_role("slider", name="Tip of a").evaluate(allowed) is False
    assert page.locator(".mw svg").first.evaluate(allowed) is True
