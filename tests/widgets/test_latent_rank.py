"""The page counts bytes as the cache does, and shows the losses that it was given where they belong."""

from itertools import pairwise

import numpy as np
import pytest
from reading import drawn, shown, visit

from mlnotes.efficient.latent import LatentCache
from mlnotes.widgets.latent_rank import LatentRank

LOSSES = {
    "of the weights": {384: 2.90625, 256: 3.9, 128: 7.1},
    "of keys and values": {384: 2.90625, 256: 2.875, 128: 3.25},
}


def widget(**traits):
    return LatentRank(LOSSES, n_layers=3, itemsize=2, **traits)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"losses": {}}, "losses must hold one to 3 ways of choosing latents, got 0"),
        ({"losses": {"a": {8: 1.0}}}, r"losses must hold at least two ranks, got \[8\]"),
        ({"losses": {"a": {8: 1.0, 4: 2.0}, "b": {8: 1.0}}}, r"b must have losses for the ranks \[4, 8\], got \[8\]"),
        ({"losses": {"a": {8: float("nan"), 4: 1.0}}}, "losses of a must be finite"),
        ({"n_layers": 0}, "n_layers must be positive, got 0"),
        ({"itemsize": -2}, "itemsize must be positive, got -2"),
        ({"rank": 3}, r"rank must be one of \[128, 256, 384\], got 3"),
        ({"tokens": 0}, "tokens must be 1 to 131072, got 0"),
    ],
)
def test_bad_input_is_refused_with_the_rule_and_the_values(change, message):
    with pytest.raises(ValueError, match=message):
        LatentRank(**{"losses": LOSSES} | change)


def test_it_starts_with_the_smallest_rank_and_can_be_set():
    shown = widget()
    assert shown.rank == 128
    shown.rank = 256
    assert shown.losses_now() == {"of the weights": 3.9, "of keys and values": 2.875}
    with pytest.raises(ValueError, match="rank must be one of"):
        shown.rank = 100


def test_bytes_are_those_of_caches_of_that_width():
    caches = [LatentCache(512, 256, like=np.zeros(1, np.float16)) for _ in range(3)]
    assert widget(rank=256, tokens=512).nbytes() == sum(cache.nbytes for cache in caches)


def test_the_description_says_what_is_kept_and_lost():
    said = widget(rank=256, tokens=1024).describe()
    assert "Of the 384 numbers of each token's keys and values in a layer, 256 are kept" in said
    assert "takes 1,572,864 bytes" in said
    assert "of the weights 3.90 nats, +0.99; of keys and values 2.88 nats, -0.03" in said


def test_the_picture_has_a_mark_for_each_loss_down_to_the_rank_shown():
    assert widget().picture().count("<circle") == 6
    assert widget(rank=256).picture().count("<circle") == 4


def test_the_page_shows_no_loss_below_the_rank_to_which_the_reader_has_gone(open_page, slide):
    page = open_page(widget(rank=384))
    for position, marks in ((2, 2), (1, 4), (0, 6)):
        slide(page, "Numbers kept of each token", position)
        assert page.locator(".mw-rank > svg .mw-mark").count() == marks


@pytest.mark.parametrize("position", [0, 1, 2])
def test_the_page_computes_what_python_computes(open_page, position):
    page = open_page(widget())
    powers = (0, 7, 17)
    places = [{"Numbers kept of each token": position, "Tokens in the cache": power} for power in powers]
    for power, seen in zip(powers, visit(page, places, "[role=status]"), strict=True):
        expected = widget(rank=[128, 256, 384][position], tokens=2**power)
        [said] = seen["[role=status]"]
        assert int(said["data-value"]) == expected.nbytes()
        assert f"{expected.nbytes():,} bytes, {100 * expected.rank / 384:.0f} % of all." in said["text"]
        for way, loss in expected.losses_now().items():
            assert shown(seen, way) == pytest.approx(loss, abs=1e-9)


def test_points_stand_over_their_bytes_at_the_height_of_their_loss(open_page):
    page = open_page(widget(rank=128, tokens=128))
    lines = page.locator(".mw-rank polyline").evaluate_all("all => all.map(e => e.getAttribute('points'))")
    points = np.array([[tuple(map(float, it.split(","))) for it in line.split()] for line in lines])
    x = points[..., 0]
    np.testing.assert_allclose((x[:, 1] - x[:, 0]) / (x[:, 2] - x[:, 0]), 1 / 2, atol=1e-9)  # bytes grow with the rank
    losses = np.array([[it[r] for r in (128, 256, 384)] for it in LOSSES.values()])
    slope, offset = np.polyfit(losses.ravel(), points[..., 1].ravel(), 1)
    assert slope < 0  # more nats are higher
    np.testing.assert_allclose(slope * losses + offset, points[..., 1], atol=1e-6)
    texts = page.locator(".mw-rank > svg text").all_text_contents()
    bytes_of_ranks = ["98 kB", "197 kB", "295 kB"]
    axis = "nats (up) against bytes of the cache (right)"
    assert texts == ["2", "3", "4", "5", "6", "7", "8", *bytes_of_ranks, axis]
    heights = drawn(page, ".mw-rank .mw-level", "y1")[:, 0]
    np.testing.assert_allclose(heights, slope * np.arange(2, 9) + offset, atol=1e-6)
    np.testing.assert_allclose(drawn(page, ".mw-rank > svg text", "x")[7:10, 0], x[0], atol=1e-6)
    here = float(page.locator(".mw-rank .mw-here").get_attribute("x1"))
    assert here == pytest.approx(x[0, 0])


@pytest.mark.parametrize("width", [1300, 400])
def test_the_bytes_of_ranks_stand_apart(open_page, slide, width):
    ranks = {rank: 3.0 for rank in (128, 192, 256, 384)}
    page = open_page(LatentRank({"a": ranks}, n_layers=30), width=width)
    for power in range(18):
        slide(page, "Tokens in the cache", power)
        boxes = page.locator(".mw-rank > svg text").evaluate_all(
            "all => all.filter(e => /B$/.test(e.textContent)).map(e => e.getBoundingClientRect().toJSON())"
        )
        assert len(boxes) == 4
        assert all(after["left"] - before["right"] > 4 for before, after in pairwise(boxes))
        assert boxes[0]["height"] > 10


def test_the_number_of_tokens_at_first_can_be_chosen_again(open_page):
    tokens = open_page(widget(rank=128, tokens=144)).get_by_label("Tokens in the cache")
    tokens.focus()
    texts = []
    for key in ("ArrowRight", "ArrowLeft", "ArrowLeft", "ArrowRight"):
        tokens.press(key)
        texts.append(tokens.get_attribute("aria-valuetext"))
    assert texts == ["256", "144", "128", "144"]


def test_less_loss_than_before_has_a_minus(open_page):
    assert "2.88 nats, −0.03" in open_page(widget(rank=256)).locator(".mw-ways").inner_text()


def test_rank_and_tokens_move_by_the_keyboard_and_are_told_to_listeners(open_page):
    page = open_page(widget(rank=384, tokens=1024))
    rank, tokens = (page.get_by_label(name) for name in ("Numbers kept of each token", "Tokens in the cache"))
    rank.focus()
    page.keyboard.press("ArrowLeft")
    assert rank.get_attribute("aria-valuetext") == "256 of 384"
    page.keyboard.press("Home")
    assert rank.get_attribute("aria-valuetext") == "128 of 384"
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowLeft")
    assert tokens.get_attribute("aria-valuetext") == "512"
    assert int(page.locator("[role=status]").get_attribute("data-value")) == widget(rank=128, tokens=512).nbytes()
