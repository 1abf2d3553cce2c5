"""The bars show softmax as Python computes it, and overflow where NumPy overflows."""

import re

import numpy as np
import pytest
import scipy.special
from reading import NAMED, elements, visit

from mlnotes.blocks.softmax import entropy, logsumexp, softmax
from mlnotes.widgets import module
from mlnotes.widgets.distribution import Distribution

LOGITS = [2.0, 1.0, 0.5, -1.0]


ROWS = ".mw-rows li:not(.mw-header)"


def read(page, name):
    return np.array([float(it[f"data-{name}"]) for it in elements(page, ROWS)])


def total(page, name):
    [value] = [it["data-value"] for it in elements(page, NAMED) if it["data-name"] == name]
    return float(value)


# In Python


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"logits": []}, r"logits must be one row of at least one number, got shape \(0,\)"),
        ({"logits": [[1.0, 2.0]]}, r"logits must be one row of at least one number, got shape \(1, 2\)"),
        ({"logits": [1.0, np.inf]}, "logits must be 2 finite numbers, got"),
        ({"logits": [1.0, np.nan]}, "logits must be 2 finite numbers, got"),
        ({"logits": LOGITS, "labels": ["a"]}, "labels must be as many as logits, got 1 for 4"),
        ({"logits": LOGITS, "temperature": 0}, "temperature must be positive and finite, got 0"),
        ({"logits": LOGITS, "shift": np.inf}, "shift must be finite, got inf"),
    ],
)
def test_bad_input_is_refused_with_the_rule_and_the_values(arguments, message):
    with pytest.raises(ValueError, match=message):
        Distribution(**arguments)


def test_logits_that_are_set_later_must_fit_the_labels():
    with pytest.raises(ValueError, match="logits must be 4 finite numbers, got"):
        Distribution(LOGITS).logits = [1.0, 2.0]


def test_weights_are_those_of_softmax():
    widget = Distribution(LOGITS, temperature=0.7, shift=30)
    np.testing.assert_allclose(widget.weights(), scipy.special.softmax(np.array(LOGITS) / 0.7), atol=1e-15)
    assert "Entropy 0.7" in widget.describe()


# In the browser


@pytest.mark.parametrize("position", [-1.3, -0.4, 0, 1.3])
def test_the_page_computes_what_python_computes(open_page, slide, position):
    page = open_page(Distribution(LOGITS))
    slide(page, "Temperature", position)
    scores = np.array(LOGITS) / 10**position
    np.testing.assert_allclose(read(page, "weight"), softmax(scores), atol=1e-9)
    assert total(page, "entropy") == pytest.approx(entropy(softmax(scores)), abs=1e-9)
    assert f"{entropy(softmax(scores)):.3f} nats, at most" in page.locator("[data-name=entropy]").inner_text()
    assert total(page, "logsumexp") == pytest.approx(logsumexp(scores), abs=1e-9)
    assert total(page, "sum") == pytest.approx(np.exp(scores - scores.max()).sum(), abs=1e-9)


def test_both_limits_of_the_temperature_are_written_out(open_page, slide):
    page = open_page(Distribution([1.0, 3.0, 3.0, -2.0]))
    rows = page.locator(".mw-rows li:not(.mw-header) .mw-more")
    assert [text.split() for text in rows.all_text_contents()] == [
        ["exp(z", "−", "max)", power, "T", "→", "0:", cold, "T", "→", "∞:", "0.25"]
        for power, cold in [("0.1353", "0"), ("1.000", "0.5"), ("1.000", "0.5"), ("0.006738", "0")]
    ]
    slide(page, "Temperature", -1.3)
    np.testing.assert_allclose(read(page, "weight"), [0, 0.5, 0.5, 0], atol=1e-9)
    slide(page, "Temperature", 1.3)
    np.testing.assert_allclose(read(page, "weight"), 0.25, atol=0.05)


def test_digits_that_a_sum_does_not_have_are_not_made_up(open_page):
    page = open_page(Distribution([2.0, 1.0], ["a", "b"], temperature=0.05, naive=True))
    assert re.search(r"\d{6}", page.locator(".mw-distribution").inner_text().replace(".", "")) is None


def test_all_that_share_the_maximum_are_marked(open_page):
    page = open_page(Distribution([1.0, 3.0, 3.0, -2.0]))
    assert page.locator(".mw-mark").all_text_contents() == ["", "arg max", "arg max", ""]


@pytest.mark.parametrize("shift", [-120, -7, 55, 120])
def test_a_constant_moves_log_sum_exp_and_nothing_else(open_page, slide, shift):
    page = open_page(Distribution(LOGITS))
    slide(page, "Added to all logits", shift)
    np.testing.assert_allclose(read(page, "weight"), softmax(np.array(LOGITS)), atol=1e-14)
    assert total(page, "logsumexp") == pytest.approx(logsumexp(np.array(LOGITS)) + shift, rel=1e-12)
    assert f"{shift}".replace("-", "−") in page.locator(".mw-verdict").inner_text()


def naive_softmax(x, dtype):
    z = np.asarray(x, dtype=dtype)
    with np.errstate(all="ignore"):
        powers = np.exp(z)
        total = np.add.accumulate(powers, dtype=dtype)[-1]  # one by one, as the page adds
        return powers, total, powers / total


@pytest.mark.parametrize("precision", ["float64", "float32", "float16"])
def test_the_naive_formula_fails_in_the_page_where_it_fails_in_numpy(open_page, precision):
    page = open_page(Distribution(LOGITS, naive=True, precision=precision))
    shifts = (-120, -104, -12, 0, 9, 10, 86, 87, 100)
    places = [{"Added to all logits": shift} for shift in shifts]
    for shift, seen in zip(shifts, visit(page, places, ROWS, ".mw-verdict"), strict=True):
        assert_fails_like_numpy(seen, np.dtype(precision).type, shift)


def assert_fails_like_numpy(seen, dtype, shift):
    powers, sum_, weights = naive_softmax(np.array(LOGITS, dtype) + dtype(shift), dtype)
    eps = float(np.finfo(dtype).eps)
    smallest = float(np.finfo(dtype).smallest_subnormal)
    np.testing.assert_allclose(read(seen, "power"), powers.astype(float), rtol=2 * eps, atol=2 * smallest)
    np.testing.assert_allclose(total(seen, "sum"), float(sum_), rtol=4 * eps, atol=4 * smallest)
    shown = read(seen, "weight")
    assert (np.isnan(shown) == np.isnan(weights)).all()
    if sum_ > 1e3 * smallest:
        np.testing.assert_allclose(shown, weights.astype(float), rtol=8 * eps, atol=4 * smallest)
    verdict = seen.text(".mw-verdict")
    if np.isinf(powers).any():
        assert "∞/∞ is nan" in verdict
        assert f"beyond the largest {dtype.__name__}, {'65,504' if dtype is np.float16 else '3.40e+38'}" in verdict
    elif np.isinf(sum_):
        assert "The sum is beyond" in verdict
    elif sum_ == 0:
        assert "0/0 is nan" in verdict
    else:
        assert "Nothing overflows here" in verdict


def test_lost_digits_are_named_where_nothing_overflows(open_page, slide):
    page = open_page(Distribution([2.0, 1.0, 0.0], precision="float16", naive=True))
    slide(page, "Added to all logits", -17)
    assert page.locator(".mw-verdict").inner_text().endswith(
        "exponentials below 6.10e−5 have lost digits in float16, or become 0."
    )
    slide(page, "Added to all logits", -3)
    assert page.locator(".mw-verdict").inner_text() == "Nothing overflows here. Add a larger constant."


@pytest.mark.parametrize("precision", ["float64", "float32", "float16"])
def test_the_stable_formula_never_fails(open_page, slide, precision):
    page = open_page(Distribution([5.0, 4.0, -5.0], precision=precision, temperature=0.06))
    for shift in (-120, 120):
        slide(page, "Added to all logits", shift)
        shown = read(page, "weight")
        assert np.isfinite(shown).all()
        assert shown.sum() == pytest.approx(1, abs=4 * float(np.finfo(precision).eps))


def test_float16_is_rounded_as_numpy_rounds_it(open_page):
    page = open_page(Distribution(LOGITS))
    rng = np.random.default_rng(1)
    exact = rng.integers(0, 2**15, 2000).astype(np.uint16).view(np.float16).astype(float)
    exact = exact[np.isfinite(exact)]
    halfway = exact * (1 + 2.0**-11)
    edges = [65519.99, 65520.0, 1e9, 0.0, 2**-25, 3 * 2**-26]
    values = [*exact, *halfway, *-halfway, *np.exp(rng.uniform(-20, 12, 2000)), *edges]
    code = module("distribution").replace("export default", "const exported =")
    ours = page.evaluate("(xs) => { " + code + "; return xs.map((x) => String(toHalf(x))); }", values)
    with np.errstate(over="ignore"):
        theirs = np.array(values).astype(np.float16).astype(float)
    np.testing.assert_array_equal([float(x.replace("Infinity", "inf")) for x in ours], theirs)


def test_each_logit_moves_by_slider_keyboard_and_number(open_page):
    page = open_page(Distribution(LOGITS, ["cat", "dog", "horse", "axolotl"]))
    page.get_by_label("Logit of dog", exact=True).focus()
    page.keyboard.press("ArrowRight")
    page.get_by_label("Logit of axolotl, as a number").fill("7.25")
    logits = np.array([2.0, 1.1, 0.5, 7.25])
    np.testing.assert_allclose(read(page, "weight"), softmax(logits), atol=1e-9)
    assert page.get_by_label("Logit of dog, as a number").input_value() == "1.1"
    page.get_by_label("Logit of horse, as a number").fill("-3.5")
    assert page.get_by_label("Logit of horse", exact=True).input_value() == "-3.5"
    page.get_by_label("Logit of horse, as a number").fill("1234")
    assert page.get_by_label("Logit of horse", exact=True).get_attribute("aria-valuetext") == "1234"


def test_the_precision_can_be_chosen(open_page):
    page = open_page(Distribution(LOGITS))
    page.get_by_label("Computed in").select_option("float32")
    weights = read(page, "weight")
    assert (weights == weights.astype(np.float32)).all()
    np.testing.assert_allclose(weights, softmax(np.array(LOGITS, np.float32)), rtol=3e-7)


def test_an_overflow_is_shown_in_words_as_nan_and_by_hatching(open_page, slide):
    page = open_page(Distribution(LOGITS, naive=True, precision="float32"))
    slide(page, "Added to all logits", 100)
    assert page.locator(".mw-weight").first.inner_text().strip().endswith("nan")
    assert page.locator(".mw-verdict").evaluate("it => it.classList.contains('mw-error')")
    hatched = page.locator(".mw-rows .mw-track").first.evaluate("e => getComputedStyle(e).backgroundImage")
    assert "repeating-linear-gradient" in hatched
    page.get_by_label("Naive").uncheck()
    np.testing.assert_allclose(read(page, "weight"), softmax(np.array(LOGITS)), atol=1e-5)
    assert page.locator(".mw-verdict").inner_text().endswith("only log-sum-exp has moved, up to rounding.")
    slide(page, "Added to all logits", 0)
    assert page.locator(".mw-verdict").inner_text() == "The largest exponential is exp 0 = 1: nothing can overflow."
    page.get_by_label("Computed in").select_option("float64")
    page.get_by_label("Naive").check()
    slide(page, "Temperature", -1.3)
    slide(page, "Added to all logits", 40)
    assert "beyond the largest float64, 1.80e+308" in page.locator(".mw-verdict").inner_text()
    page.get_by_label("Naive").uncheck()
    slide(page, "Added to all logits", 0)
    page.get_by_label("Computed in").select_option("float16")
    page.get_by_label(", as a number").first.fill("100000")
    assert page.locator(".mw-verdict").inner_text() == "A logit is beyond the largest number."
