"""The page rounds weights as the function does."""

import numpy as np
import pytest
from reading import drawn, shown, visit

from mlnotes.efficient.quantization import quantize
from mlnotes.widgets.weight_grid import BITS, SCALES, SCHEMES, WeightGrid

WEIGHTS = np.random.default_rng(4).uniform(-1.5, 1.5, 24)
NATS = {(4, "matrix", "absmax"): 13.5, (4, "block", "absmax"): 3.25, (3, "row", "minimum and maximum"): 4.5}
ARGUMENTS = {"weights": WEIGHTS, "matrix": (-2.0, 7.0), "row": (-1.5, 2.5), "nats": NATS, "full": 2.9, "block_size": 8}


def widget(**changes):
    return WeightGrid(**ARGUMENTS | changes)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"block_size": 7}, "block_size must divide the weights, got 7 for 24"),
        ({"block_size": 0}, "block_size must be positive, got 0"),
        ({"weights": [1.0, np.nan]}, "weights must hold finite numbers"),
        ({"row": (-1.0, 1.0)}, r"row must hold all weights, got -1\.0 to 1\.0"),
        ({"full": np.inf}, "nats must hold finite numbers"),
        ({"nats": {(5, "row", "absmax"): 3.0}}, r"nats must be those of \(2, 3, 4, 8\)"),
    ],
)
def test_bad_input_is_refused_with_the_rule_and_the_values(change, message):
    with pytest.raises(ValueError, match=message):
        widget(**change)


def test_what_is_no_setting_is_refused():
    with pytest.raises(Exception, match="bits"):
        widget(bits=5)
    with pytest.raises(Exception, match="scale"):
        widget().scale = "column"


def test_it_rounds_as_the_whole_row_and_the_whole_matrix_would_be_rounded():
    shown = widget(bits=4, scale="row")
    row = np.array([*shown.weights, -1.5, 2.5])
    np.testing.assert_array_equal(shown.rounded()[0][0].codes, quantize(row, 4).codes)
    blocks = widget(bits=3, scale="block", scheme="minimum and maximum").rounded()[0]
    expected = quantize(np.array(shown.weights), 3, 8, symmetric=False)
    np.testing.assert_array_equal(np.concatenate([it.codes for it in blocks]), expected.codes)


def test_the_description_says_what_was_measured_and_what_was_not():
    assert "4 bits, one grid for each block, absmax; error" in widget(scale="block").describe()
    assert "3.25 nats instead of 2.90" in widget(scale="block").describe()
    assert "nats not measured" in widget(bits=2).describe()


def test_the_picture_has_a_ring_and_a_dot_for_each_weight():
    assert widget().picture().count("<circle") == 48


@pytest.mark.parametrize("scale", range(3))
@pytest.mark.parametrize("scheme", range(2))
def test_the_page_computes_what_python_computes(open_page, scale, scheme):
    page = open_page(widget())
    places = [{"One grid for each": scale, "Grid set by": scheme, "Bits": position} for position in range(len(BITS))]
    for bits, seen in zip(BITS, visit(page, places, "[role=status]"), strict=True):
        expected = widget(bits=bits, scale=SCALES[scale], scheme=SCHEMES[scheme]).measures()
        assert shown(seen, "step") == pytest.approx(expected["step"], abs=1e-9)
        assert shown(seen, "error") == pytest.approx(expected["error"], abs=1e-9)
        assert (shown(seen, "points"), shown(seen, "nats")) == (expected["points"], expected["nats"])
        nats = expected["nats"]
        measured = f"{nats:.2f} nats; the model as it is has 2.90" if nats else "not measured"
        assert measured in seen.text("[role=status]")


def test_no_dot_lies_outside_the_picture(open_page):
    page = open_page(widget(bits=3, scale="matrix"))
    places = page.locator(".mw-point").evaluate_all("all => all.map((e) => e.cy.baseVal.value)")
    assert 0 < min(places) <= max(places) < 250
    assert abs(widget(bits=3, scale="matrix").rounded()[1]).max() > 1.1 * abs(WEIGHTS).max()


def test_values_are_counted_in_all_blocks():
    blocks = widget(bits=3, scale="block").rounded()[1]
    assert widget(bits=3, scale="block").measures()["points"] == len(set(blocks.tolist())) > 7


def test_dots_stand_where_the_grid_has_points(open_page):
    page = open_page(widget(bits=2, scale="block"))
    places = page.locator(".mw-point").evaluate_all("all => all.map(e => Number(e.getAttribute('cy')))")
    rounded = widget(bits=2, scale="block").rounded()[1]
    top = 1.1 * max(abs(WEIGHTS).max(), abs(rounded).max())
    np.testing.assert_allclose(places, 125 - rounded / top * 117, atol=1e-3)
    x = 50 + 462 / 24 * (np.arange(24) + 0.5)
    rings = np.transpose([x, 125 - WEIGHTS / top * 117])
    np.testing.assert_allclose(drawn(page, ".mw-weight", "cx", "cy"), rings, atol=1e-3)
    moves = np.transpose([x, x, rings[:, 1], places])
    np.testing.assert_allclose(drawn(page, ".mw-moved", "x1", "x2", "y1", "y2"), moves, atol=1e-3)
    edges = 50 + 462 / 24 * np.arange(0, 25, 8)
    spans = np.unique(drawn(page, ".mw-weights .mw-gridline", "x1", "x2").round(6), axis=0)
    np.testing.assert_allclose(spans, np.transpose([edges[:-1] + 1, edges[1:] - 1]), atol=1e-5)
    lines = page.locator(".mw-weights .mw-gridline").evaluate_all("all => all.map(e => Number(e.getAttribute('y1')))")
    assert {round(y, 6) for y in places} <= {round(y, 6) for y in lines}


def test_it_says_that_lines_are_points_of_the_grid_only_where_there_are_lines(open_page):
    page = open_page(widget(bits=4))
    hint = page.locator(".mw-hint")
    assert hint.inner_text().endswith("Lines: points of the grid.")
    page.get_by_label("Bits").press("End")
    assert page.locator(".mw-weights .mw-gridline").count() == 0
    assert hint.inner_text().endswith("The points of this grid are too dense to draw.")


def test_bits_move_by_the_keyboard_and_are_told_to_listeners(open_page):
    page = open_page(widget())
    bits = page.get_by_label("Bits")
    bits.focus()
    page.keyboard.press("ArrowLeft")
    assert bits.get_attribute("aria-valuetext") == "3 bits"
    page.keyboard.press("Home")
    assert bits.get_attribute("aria-valuetext") == "2 bits"
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    assert shown(page, "error") == pytest.approx(widget(bits=2, scale="row").measures()["error"], abs=1e-9)


def test_marks_can_be_told_apart_on_a_phone(open_page):
    page = open_page(widget(), width=400)
    rings, dots = (page.locator(f"circle.mw-{it}").first.bounding_box()["width"] for it in ("weight", "point"))
    assert rings >= 5
    assert rings - 2 >= dots >= 3
