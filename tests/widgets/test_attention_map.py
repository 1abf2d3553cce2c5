"""The attention map computes what `attention_weights` computes, and can be used without a mouse."""

import re
import statistics

import numpy as np
import pytest
import scipy.special

from mlnotes.attention.causal_mask import causal_mask
from mlnotes.attention.self_attention import attention_weights
from mlnotes.widgets.attention_map import AttentionMap

TOKENS = ["the", "bar", "is", "a", "bar"]


def shown_weights(page):
    """Read every row of the map from its read-out, in full precision, by moving the focus down."""
    rows = []
    page.locator('[role=gridcell][data-i="0"][data-j="0"]').focus()
    for _ in range(page.locator("[role=rowheader]").count()):
        rows.append([float(value) for value in data(page, ".mw-side li", "weight")])
        page.keyboard.press("ArrowDown")
    return np.array(rows)


def data(page, selector, name):
    return page.locator(selector).evaluate_all(f"all => all.map(e => e.dataset.{name})")


def step(page, name):
    return float(page.locator(f'[data-step="{name}"]').get_attribute("data-value"))


def cell(page, i, j):
    return page.locator(f'[role=gridcell][data-i="{i}"][data-j="{j}"]')


def focused(page):
    return page.evaluate("[document.activeElement.dataset.i, document.activeElement.dataset.j].map(Number)")


@pytest.fixture
def small():
    """Five queries and keys of width 3, two of the tokens alike."""
    rng = np.random.default_rng(3)
    return rng.normal(size=(5, 3)), rng.normal(size=(5, 3))


# In Python


def test_weights_are_those_of_attention(vectors, attention_map):
    q, k = vectors
    attention_map.causal, attention_map.temperature = True, 0.4
    expected = attention_weights(q, k, causal_mask(12, 12), scale=384**-0.5 / 0.4)
    np.testing.assert_allclose(attention_map.weights(), expected, atol=2e-6)


def test_six_digits_of_the_vectors_give_six_digits_of_the_weights(vectors, attention_map):
    q, k = vectors
    np.testing.assert_allclose(attention_map.weights(), scipy.special.softmax(q @ k.T / 384**0.5, -1), atol=1e-6)


def test_layers_and_heads_are_chosen_by_their_traits():
    q, k = np.random.default_rng(5).normal(size=(2, 3, 2, 5, 7))
    attention = AttentionMap(TOKENS, q, k, layer=2, head=1)
    np.testing.assert_allclose(attention.weights(), attention_weights(q[2, 1], k[2, 1]), atol=1e-6)
    attention.layer, attention.head = 0, 0
    np.testing.assert_allclose(attention.weights(), attention_weights(q[0, 0], k[0, 0]), atol=1e-6)


def test_a_query_that_may_look_at_nothing_is_described_as_such(small):
    mask = np.ones((5, 5), dtype=bool)
    mask[2] = False
    attention = AttentionMap(TOKENS, *small, mask=mask)
    assert attention.weights()[2].tolist() == [0] * 5
    assert "is: nothing" in attention.describe()


def test_keys_may_be_other_tokens_than_queries(small):
    attention = AttentionMap(["he", "ran"], small[0][:2], small[1], key_tokens=TOKENS)
    assert attention.weights().shape == (2, 5)
    assert "2 queries (rows) over 5 keys (columns)" in attention.describe()


def test_the_description_tells_equal_tokens_apart(small):
    assert "bar₁: " in AttentionMap(TOKENS, *small).describe()
    assert "bar₄: " in AttentionMap(TOKENS, *small).describe()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tokens": TOKENS[:3]}, r"tokens must have one label for each of 5, got 3"),
        ({"keys": np.ones((5, 4))}, r"agree in layers, heads and width, got shapes \(5, 3\) and \(5, 4\)"),
        ({"keys": np.ones((2, 5, 3))}, r"agree in layers, heads and width, got shapes \(5, 3\) and \(2, 5, 3\)"),
        ({"keys": np.ones((4, 3))}, r"key_tokens must have one label for each of 4, got 5"),
        ({"tokens": [], "queries": np.ones((0, 3)), "keys": np.ones((0, 3))}, r"none of them 0, got \(0, 3\)"),
        ({"queries": np.ones(3)}, r"queries must have shape \(l, d\), .* got \(3,\)"),
        ({"queries": np.full((5, 3), np.nan)}, "queries must be finite, got nan"),
        ({"keys": np.full((5, 3), np.inf)}, "keys must be finite, got inf"),
        ({"heads": ["one", "two"]}, "heads must have one label for each of 1, got 2"),
        ({"mask": np.ones((5, 5))}, r"mask must be boolean of shape \(5, 5\), got float64"),
        ({"mask": np.ones((5, 4), bool)}, r"mask must be boolean of shape \(5, 5\), got bool of shape \(5, 4\)"),
        ({"scale": np.inf}, "scale must be finite, got inf"),
        ({"temperature": 0}, "temperature must be positive and finite, got 0"),
        ({"temperature": -1.0}, "temperature must be positive and finite, got -1"),
        ({"temperature": np.nan}, "temperature must be positive and finite, got nan"),
        ({"head": 1}, "head must lie between 0 and 0, got 1"),
        ({"layer": -1}, "layer must lie between 0 and 0, got -1"),
        ({"row": 5}, "row must lie between -1 and 4, got 5"),
        ({"column": -2}, "column must lie between -1 and 4, got -2"),
    ],
)
def test_bad_input_is_refused_with_the_rule_and_the_values(small, changes, message):
    arguments = {"tokens": TOKENS, "queries": small[0], "keys": small[1]} | changes
    with pytest.raises(ValueError, match=message):
        AttentionMap(**arguments)


def test_a_trait_that_is_set_to_a_bad_value_keeps_the_old_one(small):
    attention = AttentionMap(TOKENS, *small)
    with pytest.raises(ValueError, match="temperature must be positive"):
        attention.temperature = 0
    with pytest.raises(ValueError, match="row must lie between"):
        attention.row = 9
    assert (attention.temperature, attention.row) == (1, -1)


def encode(sentence):
    tokens = sentence.split()
    x = np.array([[len(token), ord(token[0]) / 100, 1] for token in tokens], dtype=float)
    return tokens, x, x


def test_another_sentence_is_encoded_and_unlocks_the_cell():
    attention = AttentionMap.from_text("one two three", encode, row=2, column=2, scale=0.5, head=0)
    attention.sentence = "four five"
    assert attention.tokens == ["four", "five"]
    assert (attention.row, attention.column) == (-1, -1)
    np.testing.assert_allclose(attention.weights(), attention_weights(*encode("four five")[1:], scale=0.5), atol=1e-6)
    assert attention.error == ""


def test_a_sentence_that_cannot_be_encoded_leaves_the_old_map():
    attention = AttentionMap.from_text("one two", encode)
    attention.sentence = ""
    assert attention.error.startswith("ValueError: queries must have shape")
    assert attention.tokens == ["one", "two"]
    attention.sentence = "three"
    assert (attention.error, attention.tokens) == ("", ["three"])


# In the browser


@pytest.mark.parametrize("position", [-1.5, -0.3, 0, 1.2])
def test_the_page_computes_the_weights_of_python(open_page, attention_map, slide, position):
    page = open_page(attention_map)
    slide(page, "Temperature", position)
    attention_map.temperature = 10**position
    np.testing.assert_allclose(shown_weights(page), attention_map.weights(), atol=1e-9)
    entropies = scipy.special.entr(attention_map.weights()).sum(-1)
    assert float(data(page, ".mw-spread", "entropy")[0]) == pytest.approx(entropies[-1], abs=1e-6)


def test_the_digits_in_the_cells_are_the_weights(open_page, attention_map):
    page = open_page(attention_map)
    texts = page.locator("[role=gridcell]").all_inner_texts()
    np.testing.assert_allclose(np.reshape([float(t) for t in texts], (12, 12)), attention_map.weights(), atol=0.00501)


def test_causal_masks_later_keys_and_shares_their_weight(open_page, attention_map):
    page = open_page(attention_map)
    page.get_by_label("Causal").check()
    attention_map.causal = True
    weights = shown_weights(page)
    np.testing.assert_allclose(weights, attention_map.weights(), atol=1e-9)
    np.testing.assert_allclose(weights.sum(-1), 1)
    hatched = page.locator("[role=gridcell]").evaluate_all(
        "cells => cells.map(c => getComputedStyle(c).backgroundImage.includes('repeating'))"
    )
    assert (np.reshape(hatched, (12, 12)) == ~causal_mask(12, 12)).all()
    cell(page, 0, 3).hover()
    assert cell(page, 0, 3).get_attribute("aria-label") == "he looks at to: masked, weight 0"


def test_a_mask_from_python_is_respected_by_the_page(open_page, small):
    mask = np.eye(5, dtype=bool)
    mask[2] = False
    page = open_page(AttentionMap(TOKENS, *small, mask=mask, row=2, column=1))
    assert "may look at nothing" in page.locator(".mw-spread").inner_text()
    assert step(page, "weight") == 0
    page.get_by_role("button", name="Unlock").click()
    np.testing.assert_array_equal(shown_weights(page), np.diag([1, 1, 0, 1, 1]))


def test_layer_and_head_selectors_change_the_map(open_page):
    q, k = np.random.default_rng(5).normal(size=(2, 2, 3, 5, 7))
    attention = AttentionMap(TOKENS, q, k, heads=["A", "B", "C"])
    page = open_page(attention)
    page.get_by_label("Layer").select_option("2")
    page.get_by_label("Head").select_option("C")
    np.testing.assert_allclose(shown_weights(page), attention_weights(q[1, 2], k[1, 2]), atol=1e-6)


def test_one_head_needs_no_selector(open_page, attention_map):
    page = open_page(attention_map)
    assert page.locator("select").count() == 0


def test_queries_and_keys_of_different_number_have_no_causal_toggle(open_page, small):
    attention = AttentionMap(["he", "ran"], small[0][:2], small[1], key_tokens=TOKENS)
    page = open_page(attention)
    assert page.get_by_label("Causal").count() == 0
    np.testing.assert_allclose(shown_weights(page), attention.weights(), atol=1e-9)


def test_the_pointer_reads_out_rows_and_a_click_locks_and_unlocks(open_page, attention_map):
    page = open_page(attention_map)
    cell(page, 4, 10).hover()
    assert page.locator(".mw-side .mw-title").inner_text() == "bar₄ looks at"
    cell(page, 4, 10).click()
    assert page.locator(".mw-side .mw-title").inner_text() == "Locked: bar₄ looks at"
    cell(page, 0, 0).hover()
    assert page.locator(".mw-side .mw-title").inner_text() == "Locked: bar₄ looks at"
    cell(page, 4, 10).click()
    assert page.locator("[data-step]").count() == 0
    cell(page, 0, 0).hover()
    assert page.locator(".mw-side .mw-title").inner_text() == "he looks at"


def test_the_keyboard_alone_reaches_every_cell_locks_and_unlocks(open_page, attention_map):
    page = open_page(attention_map)
    page.get_by_label("Causal").focus()
    page.keyboard.press("Tab")
    assert focused(page) == [0, 0]
    for key, expected in [
        ("ArrowUp", [0, 0]),
        ("ArrowDown", [1, 0]),
        ("ArrowRight", [1, 1]),
        ("End", [1, 11]),
        ("ArrowRight", [1, 11]),
        ("Home", [1, 0]),
        ("ArrowLeft", [1, 0]),
        ("Control+End", [11, 11]),
        ("ArrowDown", [11, 11]),
        ("Control+Home", [0, 0]),
    ]:
        page.keyboard.press(key)
        assert focused(page) == expected, key
    assert page.locator('[role=gridcell][tabindex="0"]').count() == 1
    page.keyboard.press("Enter")
    assert page.locator("[data-step=weight]").is_visible()
    assert page.locator("p[role=status]").inner_text().startswith("Locked he and he")
    page.keyboard.press("ArrowDown")
    assert page.locator(".mw-side .mw-title").inner_text() == "Locked: he looks at"
    page.keyboard.press("Escape")
    assert page.locator("[data-step]").count() == 0
    assert page.locator(".mw-side .mw-title").inner_text() == "was looks at"
    page.keyboard.press("Space")
    page.get_by_role("button", name="Unlock").focus()
    page.keyboard.press("Enter")
    assert page.locator("[data-step]").count() == 0
    assert focused(page) == [1, 0]


def test_the_live_region_is_silent_while_the_focus_moves_and_the_slider_slides(open_page, attention_map, slide):
    page = open_page(attention_map)
    page.evaluate(
        "window.spoken = 0; for (const e of document.querySelectorAll('[role=status], [aria-live]'))"
        " new MutationObserver(() => window.spoken++).observe(e, {childList: true, characterData: true, subtree: true})"
    )
    cell(page, 0, 0).focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    slide(page, "Temperature", -0.5)
    assert page.evaluate("window.spoken") == 0
    page.keyboard.press("Enter")
    page.wait_for_function("window.spoken > 0")


@pytest.mark.parametrize(("causal", "temperature"), [(False, 1.0), (True, 0.3)])
def test_a_locked_cell_unfolds_arithmetic_that_adds_up(open_page, vectors, attention_map, causal, temperature):
    attention_map.causal, attention_map.temperature = causal, temperature
    attention_map.row, attention_map.column = 10, 4
    page = open_page(attention_map)
    q, k = np.array(attention_map.q)[0, 0, 10], np.array(attention_map.k)[0, 0]
    scores = k @ q * 384**-0.5 / temperature
    seen = slice(None, 11 if causal else None)
    names = data(page, "[data-step]", "step")
    terms = [int(name.removeprefix("term-")) for name in names if name.startswith("term-")]
    products = q * k[4]
    assert terms == np.argsort(-abs(products), kind="stable")[:4].tolist()
    for c in terms:
        assert step(page, f"term-{c}") == pytest.approx(products[c], rel=1e-12)
    assert "380 more terms" in page.locator("[data-step=rest]").inner_text()
    assert step(page, "rest") + sum(step(page, f"term-{c}") for c in terms) == pytest.approx(products.sum(), rel=1e-9)
    assert step(page, "dot") == pytest.approx(q @ k[4], rel=1e-9)
    assert step(page, "score") == pytest.approx(scores[4], rel=1e-9)
    assert step(page, "below") == pytest.approx(scores[4] - scores[seen].max(), rel=1e-9)
    assert step(page, "power") == pytest.approx(np.exp(scores[4] - scores[seen].max()), rel=1e-9)
    assert step(page, "sum") == pytest.approx(np.exp(scores[seen] - scores[seen].max()).sum(), rel=1e-9)
    assert step(page, "weight") == pytest.approx(attention_map.weights()[10, 4], rel=1e-9)


def test_every_line_of_the_arithmetic_holds_for_the_digits_it_shows(open_page, attention_map):
    attention_map.row, attention_map.column = 3, 7
    page = open_page(attention_map)
    for name in ("term", "below", "power", "weight", "score"):
        line = page.locator(f'[data-step^="{name}"]').first
        formula = line.locator(".mw-formula").evaluate("e => e.firstChild.textContent")
        shown = float(line.locator(".mw-number").inner_text().replace("−", "-").removeprefix("= "))
        expression = formula.replace("−", "-").replace("×", "*").replace("exp", "np.exp").strip()
        assert re.fullmatch(r"[-+*/().\d np exp]+", expression), expression
        assert eval(expression, {"np": np}) == pytest.approx(shown, rel=2e-3), expression


def test_few_coordinates_are_all_written_out(open_page, small):
    page = open_page(AttentionMap(TOKENS, *small, row=0, column=0))
    assert page.locator('[data-step^="term-"]').count() == 3
    assert page.locator("[data-step=rest]").count() == 0


def test_a_masked_cell_explains_itself(open_page, small):
    page = open_page(AttentionMap(TOKENS, *small, causal=True, row=1, column=3))
    assert step(page, "score") == -np.inf
    assert (step(page, "power"), step(page, "weight")) == (0, 0)
    assert "the mask takes this key out" in page.locator("[data-step=score]").inner_text()


def test_a_locked_row_without_a_column_only_stays(open_page, small):
    page = open_page(AttentionMap(TOKENS, *small, row=3))
    assert page.locator(".mw-side .mw-title").inner_text() == "Locked: a looks at"
    assert page.locator("[data-step]").count() == 0


def test_a_page_that_was_wider_leaves_room_for_the_labels(open_page, attention_map):
    page = open_page(attention_map, width=400)
    widths = """() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(
        [...document.querySelectorAll(".mw-grid [role=rowheader]")].map((it) => it.clientWidth)))))"""
    opened = page.evaluate(widths)
    for width in (900, 400):
        page.set_viewport_size({"width": width, "height": 900})
        again = page.evaluate(widths)
    assert again == opened


def test_without_a_kernel_the_sentence_cannot_be_typed_and_the_page_says_why(open_page):
    page = open_page(AttentionMap.from_text("one two three", encode))
    box = page.get_by_label("Sentence")
    assert box.is_disabled()
    assert box.input_value() == "one two three"
    assert "run this chapter in JupyterLab" in page.locator(".mw-sentence .mw-hint").inner_text()


def test_a_map_without_encoder_has_no_text_box(open_page, attention_map):
    assert open_page(attention_map).get_by_label("Sentence").count() == 0


SLIDE = """async () => {
    const input = document.querySelector("input[type=range]");
    const weight = () => document.querySelector(".mw-side li").dataset.weight;
    const times = [];
    for (let i = 0; i < 21; i++) {
        await new Promise((done) => setTimeout(done, 20));
        input.value = -1 + 0.1 * i;
        const [before, start] = [weight(), performance.now()];
        input.dispatchEvent(new Event("input"));
        if (weight() === before) throw new Error("nothing was redrawn");
        document.querySelector(".mw").getBoundingClientRect();  // style and layout, too
        times.push(performance.now() - start);
    }
    return times;
}"""


def test_a_map_of_32_by_32_is_redrawn_within_16_ms(open_page, record_property):
    q, k = np.random.default_rng(7).normal(size=(2, 32, 384))
    page = open_page(AttentionMap([f"token{i}" for i in range(32)], q, k, row=5, column=6))
    page.wait_for_timeout(300)
    browser = page.context.new_cdp_session(page)
    # Time of the page's own thread: a clock on the wall also counts what else a busy machine does.
    browser.send("Performance.enable", {"timeDomain": "threadTicks"})

    def worked():
        metrics = {it["name"]: it["value"] for it in browser.send("Performance.getMetrics")["metrics"]}
        return 1000 * sum(metrics[f"{part}Duration"] for part in ("Script", "RecalcStyle", "Layout"))

    before = worked()
    on_the_wall = page.evaluate(SLIDE)
    each = (worked() - before) / len(on_the_wall)
    wall = statistics.median(on_the_wall)
    record_property("measured", f"32 × 32 map, slider to finished layout: {each:.1f} ms of work, {wall:.1f} ms in all")
    assert each < 16


def test_cells_too_small_for_digits_hold_them_for_listeners_once_the_slider_rests(open_page, slide):
    q, k = np.random.default_rng(7).normal(size=(2, 32, 8))
    attention = AttentionMap([f"token{i}" for i in range(32)], q, k)
    page = open_page(attention)
    slide(page, "Temperature", -0.5)
    attention.temperature = 10**-0.5
    expected = f"{attention.weights()[3, 4]:.2f}".removeprefix("0")
    page.wait_for_timeout(400)
    assert cell(page, 3, 4).text_content() == expected
    assert cell(page, 3, 4).evaluate("e => getComputedStyle(e).fontSize") == "0px"
