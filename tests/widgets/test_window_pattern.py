"""The page sees, computes and hears what the functions do."""

import numpy as np
import pytest
import torch
from reading import shown

from mlnotes.attention.self_attention import attention
from mlnotes.efficient.sparse import sliding_window_mask
from mlnotes.widgets.window_pattern import WindowPattern

SETTINGS = [
    {},
    {"window": 3, "layers": 10},
    {"window": 5, "dilation": 3, "block": 4, "layers": 3, "token": 20},
    {"window": 1, "dilation": 8, "block": 16, "layers": 2, "token": 0},
    {"window": 24, "block": 7, "token": 11},
]


# In Python


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_tokens": 7}, "n_tokens must be 8 to 64, got 7"),
        ({"n_tokens": 65}, "n_tokens must be 8 to 64, got 65"),
        ({"window": 0}, "window must be 1 to 24, got 0"),
        ({"window": 25}, "window must be 1 to 24, got 25"),
        ({"dilation": 9}, "dilation must be 1 to 8, got 9"),
        ({"block": 0}, "block must be 1 to 16, got 0"),
        ({"layers": 11}, "layers must be 1 to 10, got 11"),
        ({"token": 24}, "token must be 0 to 23, got 24"),
    ],
)
def test_bad_input_is_refused_with_the_rule_and_the_values(change, message):
    with pytest.raises(ValueError, match=message):
        WindowPattern(**{"n_tokens": 24} | change)


def test_without_dilation_it_is_the_mask_of_the_window_and_with_it_the_tokens_fall_apart():
    np.testing.assert_array_equal(WindowPattern(24, window=5).mask(), sliding_window_mask(24, 24, 5))
    apart = WindowPattern(24, window=5, dilation=3).mask()
    np.testing.assert_array_equal(apart[::3, ::3], sliding_window_mask(8, 8, 5))
    assert not apart[::3, 1::3].any()


@pytest.mark.parametrize("setting", SETTINGS)
def test_what_is_computed_holds_what_is_seen_in_whole_blocks(setting):
    shown = WindowPattern(24, **setting)
    expected = np.zeros((24, 24), bool)
    for i in range(0, 24, shown.block):
        for j in range(0, 24, shown.block):
            here = np.s_[i : i + shown.block, j : j + shown.block]
            expected[here] = shown.mask()[here].any()
    np.testing.assert_array_equal(shown.computed(), expected)


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_token_can_have_heard_of_those_that_have_a_gradient(setting):
    shown = WindowPattern(24, **setting)
    x = torch.randn(24, 3, generator=torch.Generator().manual_seed(0), dtype=torch.float64).requires_grad_()
    y = x
    for heard in shown.heard():
        y = attention(0.1 * y, y, y, shown.mask())
        (gradient,) = torch.autograd.grad(y[shown.token].sum(), x, retain_graph=True)
        np.testing.assert_array_equal(heard, (gradient.abs().sum(-1) > 0).numpy())


def test_the_description_says_what_is_seen_computed_and_heard():
    text = WindowPattern(24, window=3, block=4, layers=5).describe()
    assert "Each of 24 tokens sees 3: 69 pairs, of 576 that there are." in text
    assert "Computed in blocks of 4: 176 pairs, 30.6%." in text
    assert "After 5 layers, token 23 can have heard of 11 tokens, the farthest of them number 13, 10 before it." in text
    assert "sees 4, in steps of 2: " in WindowPattern(24, dilation=2).describe()


def test_the_picture_has_a_square_for_each_pair_and_each_token_heard_of():
    shown = WindowPattern(24, window=3, block=4, layers=2)
    picture = shown.picture()
    assert picture.count("#2c5fa8") == shown.mask().sum()
    assert picture.count("#6d7683") == (shown.computed() & ~shown.mask()).sum()
    assert picture.count('height="12"') == shown.heard().sum()


# In the browser


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_page_computes_what_python_computes(open_page, setting):
    expected = WindowPattern(24, **setting)
    page = open_page(expected)
    assert shown(page, "pairs that are seen") == expected.mask().sum() == page.locator(".mw-seen").count()
    assert shown(page, "pairs that are computed") == expected.computed().sum()
    assert page.locator(".mw-spent").count() == (expected.computed() & ~expected.mask()).sum()
    assert shown(page, "tokens heard of") == expected.heard()[-1].sum()
    assert page.locator(".mw-heard").count() == expected.heard().sum()
    back = expected.token - np.flatnonzero(expected.heard()[-1])[0]
    assert float(page.locator(".mw-said").get_attribute("data-value")) == back


def test_squares_stand_where_the_functions_put_them(open_page):
    expected = WindowPattern(24, **SETTINGS[2])
    page = open_page(expected)

    def places(name):
        corners = page.locator(name).evaluate_all(
            "all => all.map(e => ['x', 'y', 'width', 'height'].map(a => Number(e.getAttribute(a))))"
        )
        return [(x + width / 2, y + height / 2) for x, y, width, height in corners]

    side = 320 / 24
    for name, table in ((".mw-seen", expected.mask()), (".mw-spent", expected.computed() & ~expected.mask())):
        centres = [(62 + side * (j + 0.5), 16 + side * (i + 0.5)) for i, j in np.argwhere(table)]
        np.testing.assert_allclose(places(name), centres, atol=1e-6)
    centres = [(62 + side * (j + 0.5), 350 + 12 * layer + 6) for layer, j in np.argwhere(expected.heard())]
    np.testing.assert_allclose(places(".mw-heard"), centres, atol=1e-6)


def test_sliders_move_by_the_keyboard_and_are_told_to_listeners(open_page):
    page = open_page(WindowPattern(24, window=3))
    window, layers = page.get_by_label("Window"), page.get_by_label("Layers")
    window.focus()
    page.keyboard.press("ArrowRight")
    assert window.get_attribute("aria-valuetext") == "4 tokens"
    layers.focus()
    page.keyboard.press("End")
    assert layers.get_attribute("aria-valuetext") == "10"
    assert shown(page, "tokens heard of") == 24
    page.get_by_label("Dilation").focus()
    page.keyboard.press("ArrowRight")
    assert shown(page, "tokens heard of") == 12
    assert (
        "can have heard of 12 tokens, the farthest of them 22 before it" in page.locator("[role=status]").inner_text()
    )


def test_a_token_that_heard_of_itself_alone_has_no_farthest_one(open_page):
    widget = WindowPattern(24, window=3, token=0)
    assert "token 0 can have heard of itself alone." in widget.describe()
    assert "token 0 can have heard of itself alone." in open_page(widget).locator("[role=status]").inner_text()


def test_a_click_on_a_row_follows_its_token(open_page):
    page = open_page(WindowPattern(24, window=3, block=4, layers=2))
    box = page.locator(".mw-pattern svg").bounding_box()
    scale = box["width"] / 390
    page.mouse.click(box["x"] + 200 * scale, box["y"] + (16 + 320 / 24 * 10.5) * scale)
    assert page.get_by_role("slider", name="Token").input_value() == "10"
    assert "token 10 can have heard of 5 tokens" in page.locator("[role=status]").inner_text()
    for y in (8, 340):  # above the first row and below the last
        page.mouse.click(box["x"] + 200 * scale, box["y"] + y * scale)
        assert page.get_by_role("slider", name="Token").input_value() == "10"
    bars = page.locator(".mw-measures i").evaluate_all("all => all.map(e => new DOMMatrix(e.style.transform).a)")
    shares = [shown(page, "pairs that are seen") / 576, shown(page, "pairs that are computed") / 576, 5 / 24]
    np.testing.assert_allclose(bars, shares, atol=1e-6)
