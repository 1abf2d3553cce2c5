"""The page sums block by block what Python sums at once."""

import math

import numpy as np
import pytest
from reading import drawn, shown, visit

from mlnotes.attention.self_attention import attention
from mlnotes.widgets.running_softmax import RunningSoftmax

SCORES, VALUES = np.random.default_rng(3).normal(size=(2, 11)) * 3
NAMES = "maximum", "factor", "sum", "weighted", "result", "held"


def widget(**traits):
    return RunningSoftmax(SCORES, VALUES, **traits)


# In Python


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"values": VALUES[:4]}, "as many values as scores, at most 64, got 4 and 11"),
        ({"scores": np.zeros(65), "values": np.zeros(65)}, "at most 64, got 65 and 65"),
        ({"scores": [[1.0]]}, r"scores must be a vector with at least one entry, got shape \(1, 1\)"),
        ({"scores": [math.inf] * 11}, "scores must hold finite numbers, got inf"),
        ({"block_size": 0}, "block_size must be 1 to 11, got 0"),
        ({"block_size": 12}, "block_size must be 1 to 11, got 12"),
        ({"step": -1}, "step must be 0 to 11, got -1"),
    ],
)
def test_bad_input_is_refused_with_the_rule_and_the_values(change, message):
    with pytest.raises(ValueError, match=message):
        RunningSoftmax(**{"scores": SCORES, "values": VALUES} | change)


@pytest.mark.parametrize("block_size", [1, 3, 11])
@pytest.mark.parametrize("backwards", [False, True])
def test_after_all_blocks_the_result_is_that_of_attention(block_size, backwards):
    found = widget(block_size=block_size, step=11, backwards=backwards).running()
    expected = attention(np.ones((1, 1)), np.round(SCORES, 6)[:, None], np.round(VALUES, 6)[:, None])
    assert found["result"] == pytest.approx(expected.item(), abs=1e-12)
    assert found["held"] == block_size + 3


def test_sums_are_those_written_out_by_hand():
    found = RunningSoftmax([0.0, math.log(2), math.log(8)], [8, 4, 1], block_size=2, step=2).running()
    assert found["factor"] == pytest.approx(1 / 4, abs=1e-6)
    assert found["sum"] == pytest.approx((1 + 2 + 8) / 8, abs=1e-6)
    assert found["weighted"] == pytest.approx((8 + 2 * 4 + 8 * 1) / 8, abs=1e-5)


def test_the_description_and_the_picture_show_what_was_taken_up():
    text = widget(block_size=4, step=2).describe()
    assert "11 scores in blocks of 4, 2 of 3 taken up." in text
    assert "7 numbers are held" in text
    assert widget(block_size=4, step=2).picture().count('fill="#2c5fa8"') == 8
    assert widget(step=0).describe() == "11 scores in blocks of 4, 0 of 3 taken up."


# In the browser


@pytest.mark.parametrize("block_size", [1, 3, 4, 11])
@pytest.mark.parametrize("backwards", [False, True])
def test_the_page_computes_what_python_computes(open_page, block_size, backwards):
    page = open_page(widget(block_size=block_size, backwards=backwards))
    places = [{"Blocks taken up": step} for step in range(math.ceil(11 / block_size) + 1)]
    factor, bars = "[data-name=factor]", {kind: f".mw-running .mw-{kind}" for kind in ("taken", "now", "waiting")}
    for step, seen in enumerate(visit(page, places, factor, *bars.values(), ".mw-running line")):
        expected = widget(block_size=block_size, backwards=backwards, step=step).running()
        assert seen.text(factor).endswith("none yet") == (step < 2)
        for name in NAMES:
            if step > 1 or name != "factor":  # before, there is nothing to shrink
                assert shown(seen, name) == pytest.approx(expected[name], abs=1e-6)
        blocks = [list(range(at, min(at + block_size, 11))) for at in range(0, 11, block_size)]
        blocks = blocks[::-1] if backwards else blocks
        for kind, keys in (
            ("taken", blocks[: max(step - 1, 0)]), ("now", blocks[step - 1 : step] if step else []),
            ("waiting", blocks[step:]),
        ):  # fmt: skip
            keys = np.array([j for block in keys for j in block], dtype=int)
            found = drawn(seen, bars[kind], "x", "y", "width", "height").reshape(-1, 4)
            scores = SCORES[keys]
            top = 176 - (scores - SCORES.min()) / np.ptp(SCORES) * 150
            wide = 480 / 11
            expected = [34 + wide * (keys + 0.1), top, np.full(len(keys), 0.8 * wide), 186 - top]
            np.testing.assert_allclose(found, np.transpose(expected).reshape(-1, 4), atol=1e-3)
        if step:
            largest = max(SCORES[j] for block in blocks[:step] for j in block)
            height = 176 - (largest - SCORES.min()) / np.ptp(SCORES) * 150
            np.testing.assert_allclose(drawn(seen, ".mw-running line", "y1", "y2"), [[height, height]], atol=1e-3)


def test_larger_blocks_pull_the_step_back_to_the_last_of_them(open_page, slide):
    page = open_page(widget(block_size=1, step=11))
    slide(page, "Keys in a block", 5)
    steps = page.get_by_label("Blocks taken up")
    assert steps.get_attribute("aria-valuetext") == "3 of 3"
    assert "All keys are in" in page.locator("[role=status]").inner_text()


def test_it_works_from_the_keyboard_and_says_what_was_rescaled(open_page):
    page = open_page(RunningSoftmax([0.0, math.log(2), math.log(8)], [8, 4, 1], block_size=2))
    page.get_by_label("Blocks taken up").focus()
    page.keyboard.press("ArrowRight")
    assert "keys 1 to 2: the maximum is 0.6931" in page.locator("[role=status]").inner_text()
    page.keyboard.press("ArrowRight")
    assert "key 3: the maximum rises by 1.386: older sums times 0.2500" in page.locator("[role=status]").inner_text()
    page.get_by_label("The last block first").focus()
    page.keyboard.press("Space")
    assert "no larger score: older sums stay as they are" in page.locator("[role=status]").inner_text()
