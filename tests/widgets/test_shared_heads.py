"""The page shares heads out as the function does, and counts bytes as the cache does."""

import numpy as np
import pytest
from reading import shown, visit

from mlnotes.efficient.grouped_query import grouped_query_attention
from mlnotes.efficient.kv_cache import KVCache
from mlnotes.widgets.shared_heads import SharedHeads

LOSSES = {
    "averaged": {8: 2.51, 4: 2.96875, 2: 3.1, 1: 3.25},
    "trained on": {8: 2.5, 4: 2.640625, 2: 2.7, 1: 2.75},
}


def widget(**traits):
    return SharedHeads(8, 6, LOSSES, n_layers=3, itemsize=2, **traits)


# In Python


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_heads": 6}, "key/value heads must divide query heads, got 6 query heads and 8 key/value heads"),
        ({"n_heads": 16}, r"losses must hold one with 16 key/value heads, got \[8, 4, 2, 1\]"),
        ({"d_head": 0}, "d_head must be positive, got 0"),
        ({"n_layers": 0}, "n_layers must be positive, got 0"),
        ({"itemsize": -2}, "itemsize must be positive, got -2"),
        ({"losses": {}}, "losses must hold at least one model"),
        (
            {"losses": {"a": {8: 1.0, 1: 2.0}, "b": {8: 1.0}}},
            r"b must have losses for \[8, 1\] key/value heads, got \[8",
        ),
        ({"losses": {"a": {8: float("nan")}}}, "losses of a must be finite"),
        ({"groups": 3}, r"groups must be one of \[8, 4, 2, 1\], got 3"),
        ({"tokens": 0}, "tokens must be 1 to 1048576, got 0"),
    ],
)
def test_bad_input_is_refused_with_the_rule_and_the_values(change, message):
    with pytest.raises(ValueError, match=message):
        SharedHeads(**{"n_heads": 8, "d_head": 6, "losses": LOSSES} | change)


def test_it_starts_with_the_fewest_heads_and_can_be_set():
    shown = widget()
    assert shown.groups == 1
    shown.groups = 4
    assert shown.losses_now() == {"averaged": 2.96875, "trained on": 2.640625}
    with pytest.raises(ValueError, match="groups must be one of"):
        shown.groups = 5


@pytest.mark.parametrize("groups", [8, 4, 2, 1])
def test_bytes_are_those_of_caches_of_that_many_heads(groups):
    caches = [KVCache(512, groups, 6, like=np.zeros(1, np.float16)) for _ in range(3)]
    assert widget(groups=groups, tokens=512).nbytes() == sum(cache.nbytes for cache in caches)


def test_the_description_says_what_is_shared_saved_and_lost():
    text = widget(groups=2, tokens=1024).describe()
    assert "8 query heads and 2 key/value heads, each of which serves 4 query heads" in text
    assert "takes 147,456 bytes, 2 of 8 parts" in text
    assert "averaged 3.100 nats, +0.590; trained on 2.700 nats, +0.200" in text
    assert "serves one query head" in widget(groups=8).describe()


def test_the_picture_has_a_square_for_each_head():
    picture = widget(groups=2).picture()
    assert picture.count('rx="4"') == 8 + 2
    assert picture.count("<path") == 8


# In the browser


@pytest.mark.parametrize("position", [0, 1, 2, 3])
def test_the_page_computes_what_python_computes(open_page, position):
    page = open_page(widget())
    powers = (0, 7, 17)
    places = [{"Key/value heads": position, "Tokens in the cache": power} for power in powers]
    for power, seen in zip(powers, visit(page, places, ".mw-bytes", ".mw-said"), strict=True):
        expected = widget(groups=[8, 4, 2, 1][position], tokens=2**power)
        assert shown(seen, "cache") == expected.nbytes()
        for model, loss in expected.losses_now().items():
            assert shown(seen, f"loss of {model}") == pytest.approx(loss, abs=1e-9)
        assert f"{expected.nbytes():,} bytes" in seen.text(".mw-bytes")
        [said] = seen[".mw-said"]
        served = float(said["data-value"])
        assert served == 8 / expected.groups
        many = f"{served:g} query heads: {served:g} multiply-adds for"
        assert ("one query head: 1 multiply-add for" if served == 1 else many) in said["text"]


@pytest.mark.parametrize("groups", [8, 4, 2, 1])
def test_lines_join_the_heads_that_share_in_the_function(open_page, groups):
    page = open_page(widget(groups=groups))
    q, v = np.ones((8, 1, 2)), np.arange(groups, dtype=float)[:, None, None]
    shares = grouped_query_attention(q, np.ones((groups, 1, 2)), v)[:, 0, 0]  # each head gets the number of its group
    ends = page.locator(".mw-sharing line").evaluate_all("all => all.map(e => Number(e.getAttribute('x2')))")
    squares = page.locator(".mw-shared").evaluate_all(
        "all => all.map(e => Number(e.getAttribute('x')) + Number(e.getAttribute('width')) / 2)"
    )
    assert len(squares) == groups
    assert page.locator(".mw-query").count() == 8
    np.testing.assert_allclose(ends, np.array(squares)[shares.astype(int)], atol=1e-9)


def test_bars_show_the_share_of_the_cache_and_the_loss_above_that_with_all_heads(open_page):
    page = open_page(widget(groups=2))
    bars = page.locator(".mw-measures i").evaluate_all("all => all.map(e => new DOMMatrix(e.style.transform).a)")
    np.testing.assert_allclose(bars, [2 / 8, 0.59 / 0.74, 0.2 / 0.74], atol=1e-6)
    assert "2.700 nats, +0.200" in page.locator(".mw-measures").inner_text()


def test_a_loss_below_that_with_all_heads_has_no_bar_and_a_minus(open_page):
    page = open_page(SharedHeads(2, 6, {"lucky": {2: 2.51, 1: 2.5}}, groups=1))
    assert "2.500 nats, −0.010" in page.locator(".mw-measures").inner_text()
    assert page.locator(".mw-measures i").last.evaluate("e => new DOMMatrix(e.style.transform).a") == 0


def test_heads_and_tokens_move_by_the_keyboard_and_are_told_to_listeners(open_page):
    page = open_page(widget(groups=8, tokens=1024))
    heads, tokens = (page.get_by_label(name) for name in ("Key/value heads", "Tokens in the cache"))
    heads.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert heads.get_attribute("aria-valuetext") == "2 of 8"
    page.keyboard.press("End")
    assert heads.get_attribute("aria-valuetext") == "1 of 8"
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowLeft")
    assert tokens.get_attribute("aria-valuetext") == "512"
    assert shown(page, "cache") == widget(groups=1, tokens=512).nbytes()
    assert "Each key/value head serves 8 query heads" in page.locator("[role=status]").inner_text()
