"""The ball in the page is the unit circle of Python, and meets the line where Python says."""

import json
import math

import numpy as np
import pytest
from reading import shown, visit

from mlnotes.blocks.norm import unit_circle, vector_norm
from mlnotes.widgets.norm_ball import REACH, NormBall

inf = math.inf
SIZE = 420


def points(page, kind):
    """Read a drawn path back into coordinates of the plane."""
    d = page.locator(f"path.{kind}").get_attribute("d")
    drawn = np.array([[float(v) for v in place.split()] for place in d.removeprefix("M").split(" L")])
    return (drawn - SIZE / 2) * [1, -1] * (2 * REACH / SIZE)


def verdict(page):
    return page.locator(".mw-verdict").inner_text()


# In Python


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"p": 0.4}, "p must be at least 0.5, got 0.4"),
        ({"p": math.nan}, "p must be at least 0.5, got nan"),
        ({"vector": (1, 3.5)}, r"vector must hold two numbers from -3 to 3, got \[1.*, 3.5\]"),
        ({"vector": (1, 2, 3)}, "vector must hold two numbers"),
        ({"line": (1, 0)}, "line must hold two numbers from 0.5 to 3, got"),
        ({"line": (math.nan, 1)}, "line must hold two numbers from 0.5 to 3, got"),
    ],
)
def test_bad_input_is_refused_with_the_rule_and_the_value(arguments, message):
    with pytest.raises(ValueError, match=message):
        NormBall(**arguments)


@pytest.mark.parametrize("p", [1, 1.25, 2, 4, inf])
def test_lengths_are_the_norms_of_the_book(p):
    widget = NormBall(p, vector=(1.2, -2.5))
    assert widget.length(widget.vector) == pytest.approx(vector_norm(np.array([1.2, -2.5]), p), rel=1e-14)
    assert widget.length([0, 0]) == 0


@pytest.mark.parametrize("p", [0.5, 0.8, 1, 1.25, 2, 4, inf])
def test_no_other_point_of_the_line_is_nearer(p):
    widget = NormBall(p, line=(1.5, 2.5))
    along = np.linspace(-4, 4, 4001)
    least = min(widget.length([x, 2.5 * (1 - x / 1.5)]) for x in along)
    x, y = widget.nearest()
    assert x / 1.5 + y / 2.5 == pytest.approx(1, rel=1e-14)
    assert 0 <= least - widget.length([x, y]) < 5e-3


def test_the_power_can_be_read_and_set():
    widget = NormBall(p=inf)
    assert widget.inverse == 0
    widget.p = 4
    assert (widget.inverse, widget.p) == (0.25, 4)


def test_the_description_states_lengths_and_the_nearest_point():
    said = NormBall(1, vector=(3, -2), line=(2, 3)).describe()
    assert "length is 5 for p = 1, 3.606 for p = 2, 3 for p = ∞" in said
    assert "radius 2, and meets it at (2, 0)." in said


def test_the_state_is_json_even_for_an_infinite_power():
    html = NormBall(p=inf).to_html()
    assert json.loads(html.split('<script type="application/json">')[1].split("</script>")[0])["inverse"] == 0


# In the browser


@pytest.mark.parametrize("inverse", [2, 1.37, 1, 0.99, 0.5, 0.1, 0])
def test_the_page_computes_what_python_computes(open_page, inverse):
    page = open_page(NormBall())
    chosen = ((3, -2), (2, 3)), ((-1.3, 0), (2.9, 0.7)), ((0, 0), (1.5, 1.5))
    labels = "Power", "The line crosses the x₁ axis", "The line crosses the x₂ axis", "Vector, x₁", "Vector, x₂"
    places = [dict(zip(labels, (2 - inverse, *line, *vector), strict=True)) for vector, line in chosen]
    for (vector, line), seen in zip(chosen, visit(page, places), strict=True):
        widget = NormBall(1 / inverse if inverse else inf, vector, line)
        powers = {"one": 1, "two": 2, "max": inf}
        powers |= {} if widget.p in powers.values() else {"p": widget.p}
        for name, p in powers.items():
            assert shown(seen, name) == pytest.approx(widget.length(vector, p), rel=1e-9, abs=0)
        assert shown(seen, "nearest") == pytest.approx(widget.nearest(), rel=1e-9, abs=1e-300)
        assert shown(seen, "radius") == pytest.approx(widget.length(widget.nearest()), rel=1e-9)


@pytest.mark.parametrize("p", [0.5, 1, 2, 5, inf])
def test_balls_are_drawn_as_python_draws_them_and_touch_the_line(open_page, p):
    widget = NormBall(p, vector=(2.0, 1.0), line=(1.5, 2.5))
    page = open_page(widget)
    unit = unit_circle(p, 241)
    np.testing.assert_allclose(points(page, "mw-unit-ball"), unit, atol=1e-3)
    np.testing.assert_allclose(points(page, "mw-as-long"), widget.length([2, 1]) * unit, atol=1e-3)
    grown = points(page, "mw-grown")
    np.testing.assert_allclose(grown, widget.length(widget.nearest()) * unit, atol=1e-3)
    beyond = grown @ [1 / 1.5, 1 / 2.5] - 1  # at most 0 on the side of zero
    assert -5e-3 < beyond.max() < 2e-3


def test_the_verdict_says_where_zeros_come_from(open_page, slide):
    page = open_page(NormBall(1, line=(2, 3)))
    assert verdict(page).startswith("x₂ is exactly 0: the ball meets the line at a corner")
    slide(page, "The line crosses the x₁ axis", 3)
    assert "along a whole side" in verdict(page)
    assert page.locator(".mw-side-met").count() == 1
    assert page.locator("[data-name=nearest]").inner_text().startswith("a nearest point")
    slide(page, "Power", 0.5)
    assert "two of its spikes" in verdict(page)
    assert page.locator(".mw-nearest").count() == 2
    slide(page, "The line crosses the x₂ axis", 1.0)
    assert verdict(page).startswith("x₁ is exactly 0: the ball meets the line at a spike")
    slide(page, "Power", 1.5)
    assert "it is round" in verdict(page)
    slide(page, "Power", 2)
    assert "corner of the square" in verdict(page)


def test_the_vector_follows_the_pointer_and_sliders_work_from_the_keyboard(open_page):
    page = open_page(NormBall(2))
    box = page.locator(".mw-ball svg").first.bounding_box()
    x, y = ((1 + v / REACH) / 2 for v in (1.2, -0.8))
    page.mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"])
    page.mouse.down()
    assert shown(page, "one") == pytest.approx(2.0)
    page.mouse.up()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    assert shown(page, "one") == pytest.approx(2.0)
    page.get_by_label("Vector, x₁").focus()
    page.keyboard.press("ArrowRight")
    assert shown(page, "one") == pytest.approx(2.1)
    page.get_by_label("Power").focus()
    page.keyboard.press("End")
    assert page.get_by_label("Power").get_attribute("aria-valuetext") == "p = ∞"
    assert shown(page, "max") == pytest.approx(1.3)
    assert page.locator("[data-name=p]").count() == 0  # it stands there already
