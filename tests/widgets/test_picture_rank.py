"""The picture of low rank on the page is Python's, and so are its bytes and its error."""

import base64
import io
import itertools
import re

import numpy as np
import pytest
from PIL import Image
from reading import shown, visit

from mlnotes.blocks.svd import low_rank
from mlnotes.widgets.picture_rank import VIEWS, PictureRank

RNG = np.random.default_rng(5)
WIDE, TALL = RNG.integers(0, 256, (13, 19)), RNG.integers(0, 256, (11, 7))
STRIPES = np.outer(np.ones(7), [250, 0, 90, 0, 30]).astype(int)  # of rank 1, with columns of zeros


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"pixels": np.zeros(5)}, r"pixels must be a matrix, got shape \(5,\)"),
        ({"pixels": [[0, 256]]}, "pixels must be integers from 0 to 255, got 0 to 256"),
        ({"pixels": [[0, 0.5]]}, "pixels must be integers from 0 to 255, got 0.0 to 0.5"),
        ({"pixels": WIDE, "rank": 14}, "rank must be 0 to 13, got 14"),
        ({"pixels": WIDE, "view": "all"}, "view must be one of"),
    ],
)
def test_bad_input_is_refused_with_the_rule_and_the_value(arguments, message):
    with pytest.raises(ValueError, match=message):
        PictureRank(**arguments)


def test_terms_and_what_is_left_add_up_to_the_picture():
    widget = PictureRank(WIDE, 4)
    total = widget.shown()
    np.testing.assert_allclose(total, low_rank(WIDE.astype(float), 4), atol=1e-10)
    assert widget.error() == pytest.approx(np.linalg.norm(WIDE - total) / np.linalg.norm(WIDE), rel=1e-12)
    assert widget.nbytes() == 4 * 4 * (13 + 19 + 1)
    widget.view = VIEWS[2]
    np.testing.assert_allclose(total + widget.shown(), WIDE, atol=1e-10)
    widget.view = VIEWS[1]
    np.testing.assert_allclose(total - widget.shown(), low_rank(WIDE.astype(float), 3), atol=1e-10)


@pytest.mark.parametrize("rank", [0, 1, 12])
@pytest.mark.parametrize("view", VIEWS[1:])
def test_no_number_of_a_term_or_of_what_is_left_is_beyond_black_and_white(rank, view):
    widget = PictureRank(WIDE, rank, view=view)
    largest = widget.contrast() * np.abs(widget.shown()).max()
    assert largest == pytest.approx(127) or (largest < 127 and widget.contrast() == 2)


def test_a_black_picture_has_nothing_left():
    widget = PictureRank(np.zeros((3, 5), int), 0)
    assert widget.error() == 0
    np.testing.assert_array_equal(widget.shown(), np.zeros((3, 5)))


def test_the_file_in_the_picture_holds_the_pixels():
    source = re.search(r"data:image/bmp;base64,([^\"]+)", PictureRank(WIDE, 13).picture())[1]
    pixels = np.asarray(Image.open(io.BytesIO(base64.b64decode(source))).convert("L"))
    np.testing.assert_array_equal(pixels, WIDE)


@pytest.mark.parametrize("pixels", [WIDE, TALL, STRIPES, 0 * TALL], ids=["wide", "tall", "rank 1", "black"])
def test_the_page_computes_what_python_computes(open_page, pixels):
    page = open_page(PictureRank(pixels, 1))
    chosen = list(itertools.product((0, 1, 3, min(pixels.shape)), VIEWS))
    places = [{"Rank": rank, "Show": view} for rank, view in chosen]
    for (rank, view), seen in zip(chosen, visit(page, places, "canvas"), strict=True):
        widget = PictureRank(pixels, rank, view=view)
        assert shown(seen, "error") == pytest.approx(widget.error(), abs=1e-9)
        assert shown(seen, "bytes") == widget.nbytes()
        assert shown(seen, "share") == pytest.approx(widget.nbytes() / (4 * pixels.size))
        [canvas] = seen["canvas"]
        words = f"Picture: {view}, rank {rank}, error {100 * shown(seen, 'error'):.1f} percent"
        assert canvas["aria-label"] == words
        values = 128 * (view != VIEWS[0]) + widget.contrast() * widget.shown()
        # Where a term is 0.5 of a grey, rounding may go either way.
        assert np.abs(canvas["pixels"][::4] - np.clip(values, 0, 255).ravel()).max() <= 0.5 + 1e-9


def test_it_works_from_the_keyboard(open_page):
    page = open_page(PictureRank(WIDE, 2))
    slider = page.get_by_role("slider", name="Rank")
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert slider.get_attribute("aria-valuetext") == "3"
    assert shown(page, "next") == pytest.approx(np.linalg.svd(WIDE)[1][3], abs=1e-9)
