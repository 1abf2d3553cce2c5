"""A sum of ReLU units in the page is the network that Python builds."""

import json

import numpy as np
import pytest
from reading import corners, drawn, shown, visit

from mlnotes.widgets.relu_sum import ReluSum

# In Python


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"pieces": 0}, "pieces must be 1 to 64, got 0"),
        ({"pieces": 65}, "pieces must be 1 to 64, got 65"),
        ({"pieces": 3, "unit": 3}, "unit must be 0 to 2, got 3"),
        ({"unit": -1}, "unit must be 0 to 3, got -1"),
        ({"change": 9.0}, "change must be -8 to 8, got 9"),
        ({"change": float("nan")}, "change must be -8 to 8, got nan"),
    ],
)
def test_bad_input_is_refused_with_the_rule_and_the_value(arguments, message):
    with pytest.raises(ValueError, match=message):
        ReluSum(**arguments)


@pytest.mark.parametrize("target", ["sine", "square root", "step"])
def test_the_network_is_numpys_interpolation(target):
    x, function, network = ReluSum(target, pieces=7).curves()
    knots = np.arange(8) / 7
    f = {"sine": lambda x: np.sin(2 * np.pi * x), "square root": np.sqrt, "step": lambda x: np.heaviside(x - 0.5, 1)}
    np.testing.assert_allclose(function, f[target](x), atol=1e-15)
    np.testing.assert_allclose(network, np.interp(x, knots, f[target](knots)), atol=1e-14)


def test_a_changed_weight_tilts_what_lies_to_the_right_of_its_bend():
    (x, _, before), (_, _, after) = ReluSum(pieces=8).curves(), ReluSum(pieces=8, unit=3, change=2.0).curves()
    np.testing.assert_allclose(after - before, 2 * np.maximum(x - 3 / 8, 0), atol=1e-14)


def test_fewer_pieces_keep_the_chosen_unit_among_them():
    widget = ReluSum(pieces=8, unit=6)
    widget.pieces = 4
    assert widget.unit == 3


def test_the_description_states_units_and_error():
    assert "a sum of 1 ReLU unit, solid" in ReluSum(pieces=1).describe()
    assert "Largest error 0.25." in ReluSum("square root", pieces=1).describe()


def test_the_description_says_which_weight_was_changed():
    assert "with +1.5 added to the weight of unit 2" in ReluSum(pieces=3, unit=2, change=1.5).describe()


# In the browser


@pytest.mark.parametrize("target", ["sine", "square root", "step"])
def test_the_page_computes_what_python_computes(open_page, target):
    page = open_page(ReluSum(target))
    chosen = (1, 0, 0.0), (3, 2, -1.5), (8, 3, 2.0), (64, 40, 8.0)
    places = [dict(zip(("Pieces", "One of them", "Added to its weight"), it, strict=True)) for it in chosen]
    for (pieces, unit, change), seen in zip(chosen, visit(page, places), strict=True):
        widget = ReluSum(target, pieces, unit=unit, change=change)
        (_, bends), _ = widget.parameters()
        assert shown(seen, "error") == pytest.approx(widget.error(), abs=1e-9)
        assert shown(seen, "scaled") == pytest.approx(widget.error() * pieces**2, abs=1e-6)
        assert shown(seen, "weight") == pytest.approx(bends[unit, 0], abs=1e-9)


def test_the_drawn_line_passes_through_the_networks_values(open_page):
    widget = ReluSum("sine", 5, unit=2, change=1.0)
    page = open_page(widget)
    d = page.locator("path.mw-network").get_attribute("d")
    places = np.array([[float(v) for v in place.split()] for place in d.removeprefix("M").split(" L")])
    x, function, network = widget.curves()
    px, py = places.T
    np.testing.assert_allclose(np.diff(px), np.diff(px).mean(), atol=0.11)
    slope, offset = np.polyfit(network[::10], py, 1)
    np.testing.assert_allclose(py, slope * network[::10] + offset, atol=0.1)
    assert slope < 0
    assert len(px) == len(x[::10])
    np.testing.assert_allclose(corners(page, "path.mw-function")[0][:, 1], slope * function[::10] + offset, atol=0.1)
    bends = drawn(page, ".mw-bend", "cx", "cy", "r")
    np.testing.assert_allclose(bends[:, 0], 40 + 468 * np.arange(5) / 5, atol=1e-6)
    np.testing.assert_allclose(bends[:, 1], slope * np.interp(np.arange(5) / 5, x, network) + offset, atol=0.1)
    assert bends[:, 2].argmax() == 2


def test_the_function_can_be_chosen_and_units_shown(open_page):
    page = open_page(ReluSum(pieces=6))
    assert page.locator("path.mw-unit").count() == 0
    page.get_by_label("Show the units").check()
    units = [it[:, 1] for it in corners(page, "path.mw-unit")]
    level = corners(page, "path.mw-unit")[0][0, 1]
    network = corners(page, "path.mw-network")[0][:, 1]
    np.testing.assert_allclose(sum(it - level for it in units), network - level, atol=0.6)  # six are rounded
    page.get_by_label("Function").select_option("step")
    assert shown(page, "error") == pytest.approx(ReluSum("step", 6).error(), abs=1e-12)


def test_a_single_piece_of_the_sine_is_level_and_no_rounding_error_is_shown(open_page):
    page = open_page(ReluSum("sine", pieces=1))
    assert page.locator('.mw-sums [data-name="weight"]').inner_text().split()[-1] == "0"
    assert "and adds 0 to the slope" in page.locator(".mw-verdict").inner_text()
    assert page.get_by_role("img", name="a sum of 1 ReLU unit, solid").count() == 1


def test_sliders_work_from_the_keyboard_and_name_their_values(open_page):
    page = open_page(ReluSum(pieces=4, unit=3))
    page.get_by_label("Pieces").focus()
    page.keyboard.press("ArrowLeft")
    assert shown(page, "error") == pytest.approx(ReluSum(pieces=3).error(), abs=1e-12)
    assert page.get_by_label("One of them").get_attribute("aria-valuetext") == "unit 2"
    page.get_by_label("Added to its weight").focus()
    page.keyboard.press("ArrowRight")
    (_, bends), _ = ReluSum(pieces=3, unit=2, change=0.5).parameters()
    said = f"zero up to x = 0.667 and adds {bends[2, 0]:.4g} to the slope from there on: the last piece tilts by 0.5"
    assert said in page.locator(".mw-verdict").inner_text()
    assert page.get_by_label("Added to its weight").get_attribute("aria-valuetext") == "+0.5"


def test_the_number_of_units_is_called_as_in_the_chapter(open_page):
    page = open_page(ReluSum(pieces=4))
    assert page.get_by_label("Pieces").get_attribute("aria-valuetext") == "m = 4"
    assert "error × m²" in page.locator('[data-name="scaled"]').inner_text()


def test_the_ring_around_the_first_bend_covers_no_number(open_page):
    page = open_page(ReluSum(unit=0))
    edge = "all => all.map(it => it.getBoundingClientRect().%s)"
    [ring] = page.locator("circle.mw-bend.mw-on").evaluate_all(edge % "left")
    numbers = page.locator('.mw-tick[text-anchor="end"]').evaluate_all(edge % "right")
    assert len(numbers) == 3
    assert max(numbers) < ring


def test_the_state_is_plain_json_without_numbers_of_the_processor():
    html = ReluSum(pieces=3).to_html()
    state = json.loads(html.split('<script type="application/json">')[1].split("</script>")[0])
    assert state["pieces"] == 3
    assert state["target"] == "sine"


def test_whole_numbers_are_shown_with_all_their_digits(open_page):
    page = open_page(ReluSum("sine", 64, unit=0, change=8.0))
    scaled = ReluSum("sine", 64, change=8.0).error() * 64**2
    assert page.locator("[data-name=scaled] b").inner_text() == f"{scaled:,.0f}"
