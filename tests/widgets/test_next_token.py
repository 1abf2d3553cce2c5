"""The page leaves what the function leaves, of the same scores."""

import itertools
import json

import numpy as np
import pytest
from reading import elements, visit

from mlnotes.blocks.softmax import entropy
from mlnotes.efficient.language_model import next_token_probabilities
from mlnotes.widgets.next_token import TOP_K, NextToken


def scores(text):
    return np.random.default_rng(len(text)).normal(size=2000) * 3


def names(ids):
    return [f" {i}" for i in ids]


def widget(**traits):
    return NextToken(scores, names, ["a", "bc"], **traits)


def read(page):
    return np.array([float(it["data-value"]) for it in elements(page, ".mw-measures li")])


# In Python


def test_listed_probabilities_are_nearly_those_of_the_scores_themselves():
    for choice in ({}, {"temperature": 0.5}, {"top_k": 5}, {"top_k": 3, "top_p": 0.5}):
        exact = next_token_probabilities(scores("a"), **choice)
        np.testing.assert_allclose(widget(**choice).probabilities(), np.sort(exact)[::-1][:10], atol=1e-4)


def test_a_token_that_is_not_listed_is_less_probable_than_those_that_are():
    # The eleventh lies in the same step of 0.05 nats as the tenth, below its middle.
    near = NextToken(lambda text: np.array([*np.arange(9, 0, -1.0), 0.84, 0.83, -2.0]), names, ["a"], top_k=10)
    assert np.count_nonzero(near._all()) == 10


def test_as_many_tokens_are_left_as_of_the_scores_themselves():
    exact = next_token_probabilities(scores("a"), top_p=0.9)
    assert np.count_nonzero(widget(top_k=1000)._all()) == 1000
    assert np.count_nonzero(widget(top_p=0.9)._all()) == pytest.approx(np.count_nonzero(exact), abs=2)
    assert entropy(widget(top_p=0.9)._all()) == pytest.approx(entropy(exact), abs=2e-3)


def test_another_text_is_scored_when_it_is_set():
    w = widget()
    w.text = "something new"
    assert w.texts == ["a", "bc", "something new"]
    exact = next_token_probabilities(scores("something new"))
    np.testing.assert_allclose(w.probabilities(), np.sort(exact)[::-1][:10], atol=1e-4)
    assert w.pieces[2] == names(np.argsort(-scores("something new"))[:10])


def test_the_description_says_what_may_be_drawn():
    text = widget(top_k=3).describe()
    assert "After “a”, at temperature 1, the 3 most probable: 3 of 2,000 tokens may be drawn" in text
    assert "top p 0.5" in widget(top_p=0.5).describe()


def test_a_token_of_a_small_probability_may_be_drawn():
    w = NextToken(lambda text: np.linspace(0, -600, 30), names, ["a"], n_shown=20)
    assert "30 of 30 tokens may be drawn" in w.describe()
    assert "not drawn" not in w.picture()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"texts": []}, r"texts must be a list of at least one, got \[\]"),
        ({"texts": "a"}, "texts must be a list of at least one, got 'a'"),
        ({"n_shown": 0}, "n_shown must be positive, got 0"),
        ({"score": lambda text: [np.nan]}, r"scores must be one row of finite numbers, got shape \(1,\)"),
        ({"score": lambda text: np.zeros((2, 3))}, r"got shape \(2, 3\)"),
        ({"temperature": 0}, "temperature must be positive and finite, got 0"),
        ({"top_k": 4}, r"top_k must be one of \[0, 1, .*\], got 4"),
        ({"top_p": 1.5}, "top_p must be 0 to 1, got 1.5"),
    ],
)
def test_bad_input_is_refused_with_the_rule_and_the_values(change, message):
    with pytest.raises(ValueError, match=message):
        NextToken(**{"score": scores, "name": names, "texts": ["a"]} | change)


# In the browser


@pytest.mark.parametrize("position", [-1, 0, 0.4])
def test_the_page_computes_what_python_computes(open_page, position):
    page = open_page(widget())
    chosen = list(itertools.product(("a", "bc"), (0, 3, 50, 1000), (0, 0.3, 0.9, 1)))
    places = [
        {"Text": text, "Temperature": position, "Top k": TOP_K.index(top_k), "Top p": top_p}
        for text, top_k, top_p in chosen
    ]
    seen_there = visit(page, places, ".mw-said", ".mw-measures li", ".mw-measures .mw-masked")
    for (text, top_k, top_p), seen in zip(chosen, seen_there, strict=True):
        expected = widget(text=text, temperature=10**position, top_k=top_k, top_p=top_p)
        p, all_of_them = expected.probabilities(), expected._all()
        np.testing.assert_allclose(read(seen), [*p, 1 - p.sum()], atol=1e-6)
        [said] = seen[".mw-said"]
        kept = np.count_nonzero(all_of_them)
        assert int(said["data-kept"]) == kept
        found = float(said["data-entropy"])
        assert found == pytest.approx(entropy(all_of_them), abs=1e-6)
        assert said["text"] == f"{kept:,} of 2,000 tokens may be drawn; entropy {found:.3f} nats."
        others = seen[".mw-measures li"][-1]["text"]
        left = max(int(kept) - 10, 0)
        assert others.endswith(f", {left:,} token{'s' * (left > 1)}" if left else "not drawn")
        assert len(seen[".mw-measures .mw-masked"]) == np.count_nonzero(p == 0) + (left == 0)
    temperature = page.get_by_label("Temperature")
    assert float(temperature.input_value()) == position
    assert temperature.get_attribute("aria-valuetext") == f"T = {10**position:.3g}"


def test_the_rest_may_be_drawn_though_its_share_rounds_to_zero(open_page):
    page = open_page(NextToken(lambda text: np.linspace(0, -30, 30), names, ["a"], temperature=0.05))
    rest = page.locator(".mw-measures li").last
    assert rest.inner_text().split("\n")[-1] == "0.0000, 20 tokens"
    assert page.locator(".mw-masked").count() == 0


def test_the_temperature_ends_at_round_numbers(open_page):
    page = open_page(widget())
    temperature = page.get_by_label("Temperature")
    for key, end in (("Home", "T = 0.05"), ("End", "T = 5")):
        temperature.press(key)
        assert temperature.get_attribute("aria-valuetext") == end


def test_controls_are_moved_from_the_keyboard(open_page):
    page = open_page(widget())
    page.get_by_label("Top p").focus()
    before = read(page)
    page.keyboard.press("Home")
    assert read(page)[0] == 1
    page.keyboard.press("End")
    np.testing.assert_allclose(read(page), before, atol=1e-12)
    page.get_by_label("Top k").focus()
    page.keyboard.press("ArrowDown")
    assert json.loads(page.locator(".mw-said").get_attribute("data-kept")) == 1


def test_a_page_without_a_kernel_offers_no_text_of_ones_own(open_page):
    assert open_page(widget()).get_by_label("A text of your own").count() == 0
