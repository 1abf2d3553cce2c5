"""Both ways round the square on the page are Python's, and so is their difference."""

import itertools

import numpy as np
import pytest
from PIL import ImageColor
from reading import drawn, elements, shown, visit

from mlnotes.groups import quarter_turns
from mlnotes.widgets.colours import colour
from mlnotes.widgets.commuting_square import ACTIONS, FUNCTIONS, CommutingSquare

PIXELS = np.random.default_rng(8).integers(0, 17, (6, 6))
PAIRS = list(itertools.product(ACTIONS, FUNCTIONS))


SQUARES = ".mw-square svg rect[fill]"


def painted(page):
    """Collect the colours of all squares, panel by panel, without outlines."""
    return np.array([ImageColor.getrgb(it["fill"]) for it in elements(page, SQUARES)])


def expected_colours(widget):
    first, second = widget.ways()
    x = widget.picture_matrix()
    low, high = FUNCTIONS[widget.function]
    ink, result, span = (0, 16), (low, high), (0, high - low)
    panels = ((x, ink), (widget.apply(x), result), (second, result), (widget.act(x), ink), (first, result),
        (np.abs(first - second), span))  # fmt: skip
    return np.array(
        [ImageColor.getrgb(colour((v - low) / (high - low))) for values, (low, high) in panels for v in values.ravel()]
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"pixels": np.zeros((4, 6))}, r"pixels must be a square matrix with an even number of rows, got shape \(4, 6"),
        ({"pixels": np.zeros((3, 3))}, r"pixels must be a square matrix with an even number of rows, got shape \(3, 3"),
        ({"pixels": [[0, 1], [2, 17]]}, "pixels must be 0 to 16, got 0.0 to 17.0"),
        ({"pixels": np.eye(2), "order": [0, 1, 2, 2]}, r"order must hold 0 to 3 once each, got \[0, 1, 2, 2\]"),
        ({"pixels": np.eye(2), "times": 9}, "times must be 0 to 8, got 9"),
        ({"pixels": np.eye(2), "action": "stretch"}, "action must be one of .*, got 'stretch'"),
        ({"pixels": np.eye(2), "function": "sort"}, "function must be one of .*, got 'sort'"),
    ],
)
def test_bad_input_is_refused_with_the_rule_and_the_value(arguments, message):
    with pytest.raises(ValueError, match=message):
        CommutingSquare(**arguments)


def test_actions_move_pixels_as_their_names_say():
    x = np.arange(16).reshape(4, 4)
    moved = {action: CommutingSquare(x, action).act(x) for action in ACTIONS}
    np.testing.assert_array_equal(moved["shift right"][0], [3, 0, 1, 2])
    np.testing.assert_array_equal(moved["shift down"][:, 0], [12, 0, 4, 8])
    np.testing.assert_array_equal(moved["quarter turn"], quarter_turns()[1](x))
    np.testing.assert_array_equal(moved["mirror"][0], [3, 2, 1, 0])
    order = CommutingSquare(x).order
    np.testing.assert_array_equal(moved[ACTIONS[4]].ravel()[order], x.ravel())


@pytest.mark.parametrize("function", list(FUNCTIONS))
def test_no_value_leaves_its_scale(function):
    low, high = FUNCTIONS[function]
    for pixels in (PIXELS, np.full((6, 6), 16), np.zeros((6, 6)), 16 * np.indices((6, 6)).sum(axis=0) % 32):
        result = CommutingSquare(pixels, function=function).apply(pixels)
        assert low <= result.min()
        assert result.max() <= high


def test_which_ways_are_the_same_is_what_derivations_say():
    same = {
        "blur, wrapped around": ACTIONS[:4], "blur, zeros outside": ("quarter turn", "mirror"),
        "slope, wrapped around": ACTIONS[:2], "square of each pixel": ACTIONS,
        "largest of each 2 × 2": ("quarter turn", "mirror"), "position added": ("shift down",),
        "mean of all pixels": ACTIONS,
    }  # fmt: skip
    for action, function in PAIRS:
        found = CommutingSquare(PIXELS, action, 1, function).error() <= 1e-12
        assert found == (action in same[function]), (action, function)


def test_pooling_takes_shifts_by_two():
    for action in ACTIONS[:2]:
        errors = [CommutingSquare(PIXELS, action, times, "largest of each 2 × 2").differing() for times in range(9)]
        assert [not error for error in errors] == [True, False] * 4 + [True]


@pytest.mark.parametrize("function", list(FUNCTIONS))
def test_the_page_computes_what_python_computes(open_page, function):
    page = open_page(CommutingSquare(PIXELS))
    page.get_by_label("f:").select_option(function)
    chosen = list(itertools.product(ACTIONS, (0, 1, 2, 7)))
    places = [{"g:": action, "how often": times} for action, times in chosen]
    seen_there = visit(page, places, ".mw-square .mw-outline", ".mw-differs", ".mw-verdict", SQUARES)
    for (action, times), seen in zip(chosen, seen_there, strict=True):
        widget = CommutingSquare(PIXELS, action, times, function)
        assert shown(seen, "error") == pytest.approx(widget.error(), abs=1e-9)
        assert shown(seen, "differing") == widget.differing()
        frames = [(190 * column, 26 + 190 * row) for row in (0, 1) for column in (0, 1, 2)]
        np.testing.assert_allclose(drawn(seen, ".mw-square .mw-outline", "x", "y"), frames)
        differing = np.argwhere(np.abs(np.subtract(*widget.ways())) > 1e-9)
        squares = drawn(seen, ".mw-differs", "x", "y").reshape(-1, 2)
        side = 130 / len(widget.ways()[0])
        np.testing.assert_allclose(squares, differing[:, ::-1] * side + (381, 217), atol=1e-6)
        # Half a step of the scale may be rounded either way.
        assert np.abs(painted(seen) - expected_colours(widget)).max() <= 8
        assert seen.text(".mw-verdict").startswith("Not equivariant") == bool(widget.differing())


def test_the_description_names_both_and_how_often():
    words = CommutingSquare(np.eye(4), "mirror", 2, "square of each pixel").describe()
    assert "4 by 4 pixels. g: mirror, 2 times. f: square of each pixel." in words
    assert "Both ways end at the same result." in words


def test_it_works_from_the_keyboard(open_page):
    page = open_page(CommutingSquare(PIXELS, function="largest of each 2 × 2"))
    slider = page.get_by_label("how often")
    slider.focus()
    assert shown(page, "differing") > 0
    page.keyboard.press("ArrowRight")
    assert slider.get_attribute("aria-valuetext") == "2 times"
    assert shown(page, "differing") == 0
