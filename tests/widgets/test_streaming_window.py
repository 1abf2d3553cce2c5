"""The page evicts what the mask hides, and shows the weights and losses that it was given."""

import itertools
import json

import numpy as np
import pytest
from reading import drawn, shown, visit

from mlnotes.efficient.sinks import StreamingCache, sink_mask
from mlnotes.widgets.streaming_window import StreamingWindow

WINDOWS, KEPT, FULL = [2, 5, 8], [0, 1, 3], 2.5
LOSSES = np.array([[7.5, 4.25, 4.0], [6.0, 3.5, 3.25], [5.0, 3.0, 2.75]])
WEIGHTS = [[np.random.default_rng([w, s]).dirichlet(np.ones(w + s)) for s in KEPT] for w in WINDOWS]


def widget(**traits):
    return StreamingWindow(17, WINDOWS, KEPT, LOSSES, WEIGHTS, FULL, **traits)


# In Python


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"windows": []}, r"windows must be positive and kept not negative, got \[\] and"),
        ({"windows": [0, 5, 8]}, r"windows must be positive and kept not negative, got \[0, 5, 8\]"),
        ({"kept": [-1, 0, 3]}, r"windows must be positive and kept not negative, got .* and \[-1, 0, 3\]"),
        ({"n_tokens": 9}, "n_tokens must hold the largest window and what is kept, got 9"),
        ({"losses": LOSSES[:2]}, r"losses must have shape \(3, 3\), got \(2, 3\)"),
        ({"losses": LOSSES * np.nan}, "losses must be finite"),
        ({"full": np.inf}, "losses must be finite"),
        ({"weights": [row[::-1] for row in WEIGHTS]}, r"weights must have \[\[2, 3, 5\]"),
        ({"weights": [[it * np.inf for it in row] for row in WEIGHTS]}, "weights must be finite"),
        ({"window": 3}, r"window must be one of \[2, 5, 8\], got 3"),
        ({"sinks": 2}, r"sinks must be one of \[0, 1, 3\], got 2"),
        ({"token": 17}, "token must be 0 to 16, got 17"),
    ],
)
def test_bad_input_is_refused_with_the_rule_and_the_values(change, message):
    right = {"n_tokens": 17, "windows": WINDOWS, "kept": KEPT, "losses": LOSSES, "weights": WEIGHTS, "full": FULL}
    with pytest.raises(ValueError, match=message):
        StreamingWindow(**right | change)


def test_it_starts_with_the_smallest_cache_and_can_be_set():
    shown = widget()
    assert (shown.window, shown.sinks, shown.token) == (2, 0, 16)
    assert StreamingWindow(11, WINDOWS, KEPT, LOSSES, WEIGHTS, FULL).token == 10  # no token more than are held
    shown.window, shown.sinks = 5, 3
    assert shown.loss() == 3.25
    assert shown.shares()["kept tokens"] == pytest.approx(WEIGHTS[1][2][:3].sum(), abs=2e-4)
    with pytest.raises(ValueError, match="window must be one of"):
        shown.window = 6


@pytest.mark.parametrize(("window", "sinks"), [(2, 0), (5, 1), (8, 3)])
def test_what_is_seen_is_what_a_streaming_cache_holds(window, sinks):
    cache, token = StreamingCache(window + sinks, sinks, 1, 2), np.zeros((1, 1, 2))
    for t in range(17):
        cache.append(token, token)
        shown = widget(window=window, sinks=sinks, token=t)
        assert np.flatnonzero(shown.seen()).tolist() == sorted(cache.positions.tolist())
        assert shown.evicted() == t + 1 - len(cache)


def test_the_description_says_what_is_evicted_and_lost():
    text = widget(window=5, sinks=1).describe()
    assert "window of 5 tokens with the first 1 kept, at token 16: 11 tokens before it are evicted" in text
    assert "Loss 3.50 nats, +1.00 beside all tokens" in text


def test_the_picture_has_a_cell_for_each_token_and_a_bar_for_each_that_is_seen():
    assert widget(window=5, sinks=1).picture().count('stroke-width="0.5"') == 17
    assert widget(window=5, sinks=1).picture().count('fill="#1d2129"') == 6
    assert widget(window=8, sinks=3, token=9).picture().count('fill="#1d2129"') == 0  # nothing is evicted


# In the browser


@pytest.mark.parametrize("i", range(3))
def test_the_page_sees_what_the_mask_shows_and_shows_what_was_measured(open_page, i):
    page = open_page(widget())
    chosen = list(itertools.product(range(3), (0, 3, 8, 11, 16)))
    places = [{"Window": i, "First tokens kept": j, "Token that looks": t} for j, t in chosen]
    seen_there = visit(page, places, ".mw-said", ".mw-evicted", ".mw-weight")
    for (j, t), seen in zip(chosen, seen_there, strict=True):
        expected = widget(window=WINDOWS[i], sinks=KEPT[j], token=t)
        [said] = seen[".mw-said"]
        tokens = json.loads(said["data-value"])
        assert tokens == np.flatnonzero(sink_mask(1, 17, WINDOWS[i], KEPT[j], t)).tolist()
        assert len(seen[".mw-evicted"]) == expected.evicted()
        assert len(seen[".mw-weight"]) == (len(tokens) if expected.evicted() else 0)
        assert shown(seen, "loss: this cache") == pytest.approx(expected.loss(), abs=1e-6)
        for name, share in expected.shares().items():
            assert shown(seen, f"weight: {name}") == (pytest.approx(share, abs=1e-6) if expected.evicted() else None)
        assert shown(seen, "loss: all tokens") == FULL


def test_bars_stand_over_the_tokens_that_are_seen_and_are_as_high_as_their_weight(open_page):
    page = open_page(widget(window=5, sinks=1))
    x, height = drawn(page, ".mw-weight", "x", "height").T
    np.testing.assert_allclose(x, 4 + 512 / 17 * np.array([0, 12, 13, 14, 15, 16]), atol=1e-3)
    np.testing.assert_allclose(height, 150 * WEIGHTS[1][1], atol=0.02)
    texts = page.locator(".mw-stream svg text").all_text_contents()
    assert texts == ["weight", "0", "0.2", "0.4", "0.6"]
    [floor] = set((drawn(page, ".mw-weight", "y")[:, 0] + height).round(9))
    lines = drawn(page, ".mw-stream .mw-level", "y1")[:, 0]
    np.testing.assert_allclose(floor - lines, 150 * np.array(texts[1:], float), atol=1e-9)


@pytest.mark.parametrize(
    ("token", "words"),
    [
        (16, "6 tokens in the cache, 11 evicted: numbers 1 to 11."),
        (6, "1 evicted: number 1."),
        (5, "none evicted yet"),
    ],
)
def test_it_says_which_tokens_are_evicted(open_page, token, words):
    page = open_page(widget(window=5, sinks=1, token=token))
    assert words in page.locator("[role=status]").inner_text()
    page.get_by_label("Token that looks").press("Home")
    assert page.locator("[role=status]").inner_text() == "1 token in the cache, none evicted yet."


def test_no_weight_is_told_before_a_token_is_evicted_for_none_was_measured(open_page):
    page = open_page(widget(window=5, sinks=1, token=5))
    rows = page.locator('[data-name^="weight"]')
    assert rows.locator(".mw-number").all_inner_texts() == ["none"] * 3
    assert rows.locator("i").evaluate_all("all => all.map(it => it.getBoundingClientRect().width)") == [0] * 3
    page.get_by_label("Token that looks").press("ArrowRight")
    assert rows.locator(".mw-number").all_inner_texts() == ["0.04", "0.76", "0.20"]


def test_shares_are_rounded_so_that_they_add_up(open_page):
    weights = [[np.eye(1, w + s, w + s - 1)[0] for s in KEPT] for w in WINDOWS]
    weights[0][1] = [0.334, 0.333, 0.333]
    page = open_page(StreamingWindow(17, WINDOWS, KEPT, LOSSES, weights, FULL, sinks=1))
    assert page.locator('[data-name^="weight"] .mw-number').all_inner_texts() == ["0.34", "0.33", "0.33"]


def test_a_first_token_is_kept_also_while_it_is_in_the_window(open_page):
    shown = widget(window=8, sinks=3, token=4)
    page = open_page(shown)
    assert [page.locator(it).count() for it in (".mw-kept", ".mw-inside", ".mw-evicted")] == [3, 2, 0]
    assert [shown.picture().count(f'fill="{it}" stroke=') for it in ("#b3410e", "#2c5fa8")] == [3, 2]


def test_everything_moves_by_the_keyboard(open_page):
    page = open_page(widget())
    window, sinks, token = (page.get_by_label(it) for it in ("Window", "First tokens kept", "Token that looks"))
    window.focus()
    page.keyboard.press("End")
    assert window.get_attribute("aria-valuetext") == "8 tokens"
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    assert sinks.get_attribute("aria-valuetext") == "1"
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowLeft")
    assert token.get_attribute("aria-valuetext") == "number 15"
    assert shown(page, "loss: this cache") == 3.0
    assert "3.00 nats, +0.50" in page.locator(".mw-measures").inner_text()
