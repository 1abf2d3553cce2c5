"""What holds for every widget: what it leaves in a notebook, and what a page makes of that."""

import base64
import json
import re
import subprocess
import sys
import traceback
from decimal import Decimal

import ipywidgets
import matplotlib
import numpy as np
import pytest
import traitlets
from reading import visit
from widget_examples import EXAMPLES

from mlnotes.book.browser import accessibility_faults
from mlnotes.widgets import _as_function_body, bundle, module, names
from mlnotes.widgets.attention_map import AttentionMap
from mlnotes.widgets.base import Widget
from mlnotes.widgets.colours import colour, ink_on
from mlnotes.widgets.descent import Descent
from mlnotes.widgets.distribution import Distribution
from mlnotes.widgets.relu_sum import ReluSum
from mlnotes.widgets.vector_plane import VectorPlane

NASTY = ["</script><b>bold</b>", "<!--", "\"quoted\" & 'single'", "\\u003c\u2028{}"]
COLOURS = {"runOnly": ["color-contrast", "link-in-text-block"]}  # the rules among these that look at colours
WCAG = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
EACH = pytest.mark.parametrize("widget", sorted(EXAMPLES), indirect=True)


def state_in(html):
    return json.loads(re.search(r'<script type="application/json">(.*?)</script>', html, re.DOTALL)[1])


def bright(page, selector):
    """Tell whether an element's background is light, as painted."""
    return page.locator(selector).first.evaluate(
        "element => getComputedStyle(element).backgroundColor.match(/[\\d.]+/g).slice(0, 3).every(c => c > 200)"
    )


def test_every_widget_is_tested_here(widgets):
    assert sorted(widgets) == names()


def test_the_bundle_needs_neither_a_kernel_nor_torch_nor_a_widget_class():
    code = (
        "import sys; import mlnotes.widgets as w; w.bundle(); w.stylesheet(); "
        "print(sorted({'torch', 'anywidget', 'ipywidgets', 'IPython', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_bundle_is_a_classic_script():
    assert not re.search(r"^\s*(import|export)\b", bundle(), re.MULTILINE)
    assert module("distribution").count("export default") == 1


def test_a_module_that_cannot_become_a_function_is_refused(monkeypatch):
    monkeypatch.setattr("mlnotes.widgets._source", lambda name: 'import x from "y";\nexport default { render };\n')
    with pytest.raises(ValueError, match=r"bad\.js must have one `export default`"):
        _as_function_body("bad")


@EACH
def test_the_same_state_gives_the_same_html(widget):
    assert widget.to_html() == EXAMPLES[widget.name][0]().to_html()
    assert widget.to_html().replace("\n", "").isprintable()


@EACH
def test_a_widget_can_be_made_again_from_its_state(widget):
    again = EXAMPLES[widget.name][1](state_in(widget.to_html()))
    assert again.to_html() == widget.to_html()


@EACH
def test_what_a_trait_cannot_be_is_refused_and_changes_nothing(widget):
    before = widget.to_html()
    impossible = {traitlets.Bool: "yes", traitlets.Int: -1000, traitlets.Float: float("nan"), traitlets.List: [-1000]}
    for name in state_in(before).keys() - {"caption", "description", "sentence", "text"}:
        kinds = [it for it in impossible if isinstance(widget.traits()[name], it)]
        with pytest.raises((ValueError, traitlets.TraitError), match=f"{name}|1/p"):
            setattr(widget, name, impossible[kinds[0]] if kinds else "no such thing")
    assert widget.to_html() == before


def test_what_is_refused_undoes_what_was_set_together_with_it():
    widget, heard = Descent(rate=1.0, beta=0.5), []
    widget.observe(heard.append)
    with pytest.raises(ValueError, match=r"beta must be 0 to 0\.99, got 1\.0"), widget.hold_trait_notifications():
        widget.rate, widget.beta = 2.0, 1.0
    assert (widget.rate, widget.beta, heard) == (1.0, 0.5, [])


def test_the_traceback_of_what_is_refused_ends_in_the_name_of_a_public_error_and_the_rule():
    with pytest.raises(traitlets.TraitError) as refused:
        Descent().beta = 1.0
    last = traceback.format_exception_only(refused.value)[-1]
    assert last == "ValueError: beta must be 0 to 0.99, got 1.0\n"
    assert refused.typename == "ValueError"  # the name that IPython prints


@EACH
def test_the_bundle_of_outputs_has_the_live_view_the_html_and_a_text_without_an_address(widget):
    data, _ = widget._repr_mimebundle_()
    assert set(data) == {"text/plain", "text/html", "application/vnd.jupyter.widget-view+json"}
    assert "0x" not in data["text/plain"]
    assert isinstance(widget, ipywidgets.DOMWidget)


def test_a_widget_without_a_name_of_its_own_has_no_address_in_its_text():
    assert repr(Widget()) == "<Widget>"


def test_the_state_of_a_sentence_of_a_pretrained_model_stays_small(attention_map):
    assert len(attention_map.to_html()) < 250_000


def test_a_state_that_has_keys_equal_to_queries_holds_them_once(vectors):
    x = vectors[0]
    assert AttentionMap(list(range(12)), x, x).state()["k"] is None
    assert len(AttentionMap(list(range(12)), x).to_html()) < 125_000


class Hyphens(Descent):
    def describe(self):
        return "low-rank, 2-3 rows, 1e-05, (-3)"


@pytest.mark.parametrize(
    ("widget", "words"),
    [
        (Descent(start=(-0.5, -0.25)), "from (−0.5, −0.25)"),
        (ReluSum(change=-1.5), "with −1.5 added"),
        (Hyphens(), "low-rank, 2-3 rows, 1e-05, (−3)"),
    ],
)
def test_a_number_below_zero_is_described_with_a_minus_sign(widget, words):
    assert words in widget.state()["description"]
    assert words in widget.to_html().split("<script")[0]


def test_no_text_can_end_the_script_or_start_an_element():
    html = Distribution([1.0, 2, 3, 4], NASTY, caption=NASTY[0], description=NASTY[0]).to_html()
    assert html.count("<script") == html.count("</script") == 1
    assert "<b>" not in html
    assert "<!--" not in html
    assert state_in(html)["labels"] == NASTY
    picture = base64.b64decode(re.search(r"base64,([^\"]*)", html)[1]).decode()
    assert "<b>" not in picture
    assert "&lt;b&gt;" in picture


def test_nasty_tokens_are_shown_as_they_are_typed(open_page):
    page = open_page(
        AttentionMap(NASTY, np.eye(4), row=0, column=1, caption=NASTY[0]),
        Distribution([1.0, 2, 3, 4], NASTY),
        VectorPlane({NASTY[0]: (1, 2), NASTY[1]: (2, 1)}),
    )
    assert page.locator("main b", has_text="bold").count() >= 1  # our own <b> around the label
    assert page.locator("main b").get_by_text("bold", exact=True).count() == 0
    assert page.locator("[role=rowheader]").all_inner_texts() == NASTY
    assert page.locator(".mw").count() == 3


def test_the_palette_is_viridis():
    viridis = matplotlib.colormaps["viridis"]
    for i in range(256):
        ours = [int(colour(i / 255)[at : at + 2], 16) for at in (1, 3, 5)]
        assert np.abs(np.array(ours) - 255 * np.array(viridis(i)[:3])).max() <= 2.3


def test_ink_can_be_read_on_every_colour():
    def luminance(hexadecimal):
        c = np.array([int(hexadecimal[at : at + 2], 16) for at in (1, 3, 5)]) / 255
        return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722] + 0.05

    for i in range(256):
        fill = colour(i / 255)
        high, low = sorted([luminance(fill), luminance(ink_on(fill))], reverse=True)
        assert high / low >= 4.5


def test_the_page_paints_weights_in_the_colours_of_the_picture(open_page):
    attention = AttentionMap(["a", "b"], [[3.0, 1.0], [0.0, 2.0]], scale=1.0)
    page = open_page(attention)
    pixels = page.locator("canvas").evaluate("c => [...c.getContext('2d').getImageData(0, 0, 2, 2).data]")
    for shown, weight in zip(np.reshape(pixels, (4, 4)), attention.weights().ravel(), strict=True):
        ours = [int(colour(round(weight * 255) / 255)[at : at + 2], 16) for at in (1, 3, 5)]
        assert np.abs(shown - [*ours, 255]).max() <= 1


def test_cells_lie_exactly_on_their_pixels(open_page, attention_map):
    page = open_page(attention_map)
    canvas = page.locator("canvas").bounding_box()
    for i, j in [(0, 0), (5, 7), (11, 11)]:
        box = page.locator(f'[role=gridcell][data-i="{i}"][data-j="{j}"]').bounding_box()
        size = canvas["width"] / 12
        assert size == int(size) == box["width"] == box["height"]
        assert box["x"] == pytest.approx(canvas["x"] + j * size)
        assert box["y"] == pytest.approx(canvas["y"] + i * size)


def test_without_javascript_the_pictures_and_their_descriptions_are_seen(open_page, widgets):
    page = open_page(*widgets.values(), javascript=False)
    [seen] = visit(page, [{}], *(f"[data-widget={name}] {it}" for name in widgets for it in ("img", "figcaption")))
    for name, widget in widgets.items():
        [image] = seen[f"[data-widget={name}] img"]
        assert image["visible"], name
        assert image["size"][0] > 200, name
        assert seen.text(f"[data-widget={name}] figcaption").endswith(widget.state()["description"]), name
        assert image["alt"] == widget.alt(), name
    assert page.locator(".mw").count() == 0


def test_with_javascript_the_live_widgets_take_the_place_of_the_pictures(open_page, widgets):
    page = open_page(*widgets.values(), file=True)
    for name in widgets:
        assert page.locator(f"[data-widget={name}] .mw").is_visible(), name
        assert not page.locator(f"[data-widget={name}] figure").is_visible(), name


DAMAGES = {
    "no JSON": lambda html: html.replace('json">{', 'json">{{'),
    "empty state": lambda html: re.sub(r'json">.*</script>', 'json">{}</script>', html),
    "unknown widget": lambda html: html.replace('data-widget="', 'data-widget="no_such_'),
    "no state": lambda html: re.sub(r"<script.*</script>", "", html),
}


@EACH
def test_a_broken_state_leaves_the_picture_and_says_so(open_page, widget):
    page = open_page(*(damage(widget.to_html()) for damage in DAMAGES.values()), errors_expected=True)
    parts = [f"[data-widget] {it}" for it in ("figure img", "figcaption", ".mw-note")]
    [seen] = visit(page, [{}], *parts, ".mw")
    for damage, image, caption, note in zip(DAMAGES, *(seen[part] for part in parts), strict=True):
        assert image["visible"], damage
        assert caption["visible"], damage
        assert "The live version failed" in note["text"], damage
    assert not seen[".mw"]


def test_vectors_that_do_not_match_the_tokens_leave_the_picture(open_page, attention_map):
    html = attention_map.to_html().replace('"tokens":["he",', '"tokens":["he","he",')
    page = open_page(html, errors_expected=True)
    assert page.locator("figure img").is_visible()
    assert "13 × 12 tokens" in page.locator(".mw-note").inner_text()


def test_a_state_that_lacks_a_name_says_which(open_page, widgets):
    page = open_page(widgets["relu_sum"].to_html().replace('"show_units":true,', ""), errors_expected=True)
    assert "its state has no show_units" in page.locator(".mw-note").inner_text()


def test_a_widget_that_fails_later_is_replaced_by_its_picture(open_page, attention_map):
    page = open_page(attention_map.to_html().replace('"heads":["1"]', '"heads":["1","2"]'), errors_expected=True)
    assert page.locator(".mw").is_visible()
    page.get_by_role("combobox", name="Head").select_option("2")
    assert page.locator("figure img").is_visible()
    assert page.locator(".mw-note").count() == 1
    assert page.locator(".mw").count() == 0


def test_a_widget_that_fails_when_it_draws_what_was_moved_is_replaced_by_its_picture(open_page, widgets):
    html = re.sub(r'"values":\[[^]]*\]', '"values":null', widgets["running_softmax"].to_html())
    page = open_page(re.sub(r'"step":\d+', '"step":0', html), errors_expected=True)
    assert page.locator(".mw").is_visible()
    page.get_by_label("Blocks taken up").press("ArrowRight")
    page.locator(".mw-note").wait_for()
    assert page.locator("figure img").is_visible()


def test_one_broken_widget_leaves_the_others_alive(open_page, widgets):
    broken = widgets["distribution"].to_html().replace('json">{', 'json">{{')
    page = open_page(broken, widgets["vector_plane"], errors_expected=True)
    assert page.locator(".mw-plane").is_visible()
    assert page.locator(".mw-note").count() == 1


@pytest.mark.parametrize("width", [1300, 400])
def test_no_accessibility_rule_is_broken_and_nothing_overflows(open_page, widgets, width):
    attention = widgets["attention_map"]
    attention.row, attention.column, attention.causal = 10, 4, True
    q, k, v = np.random.default_rng(5).normal(size=(3, 2, 12, 12, 7))
    everything = {"overview": True, "marked": [1, 4], "held": 2, "row": 4, "column": 10, "causal": True}
    page = open_page(*widgets.values(), AttentionMap(attention.tokens, q, k, v, **everything), width=width)
    page.get_by_text("Marked: was, bar₄", exact=True).click()
    page.wait_for_timeout(200)  # digits in cells too small to show them are written when the slider rests
    assert accessibility_faults(page, "'main'", WCAG) == []
    assert bright(page, ".mw")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    wide = page.locator(".mw").evaluate_all(
        "all => all.flatMap(mw => [...mw.querySelectorAll(':not(.mw-sr)')].filter(e => {"
        "const [inner, outer] = [e.getBoundingClientRect(), mw.getBoundingClientRect()];"
        "return inner.width && (inner.right > outer.right || inner.left < outer.left) && !e.closest('svg'); }))"
        ".map(e => e.outerHTML.slice(0, 120))"
    )
    assert wide == []
    outside = page.locator(".mw svg text").evaluate_all(
        "all => all.filter(e => {"
        "const [inner, outer] = [e.getBoundingClientRect(), e.closest('svg').getBoundingClientRect()];"
        "return inner.width && (inner.left < outer.left || inner.right > outer.right); })"
        ".map(e => [e.closest('.mw').className, e.textContent])"
    )
    assert outside == []
    # In the other theme everything stands where it stood, in other colours.
    page.evaluate("document.documentElement.dataset.theme = 'dark'; document.body.style.background = '#121212'")
    assert not bright(page, ".mw")
    assert accessibility_faults(page, "'main'", COLOURS) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_without_a_theme_follows_the_system(browser, tmp_path, widgets, open_page, scheme):
    page = open_page(widgets["distribution"])
    page.emulate_media(color_scheme=scheme)
    page.evaluate("document.documentElement.removeAttribute('data-theme')")
    assert bright(page, ".mw") == (scheme == "light")
    page.evaluate("document.body.dataset.jpThemeLight = 'false'")
    assert not bright(page, ".mw")
    page.evaluate("document.body.dataset.jpThemeLight = 'true'")
    assert bright(page, ".mw")


@pytest.mark.parametrize("widget", ["attention_map", "distribution"], indirect=True)
def test_a_listener_hears_the_temperature_and_not_its_logarithm(open_page, widget, slide):
    page = open_page(widget)
    slide(page, "Temperature", -0.5)
    assert page.get_by_label("Temperature").get_attribute("aria-valuetext") == "T = 0.316"


# Press each picture that follows the pointer and each slider, as a finger does that goes on to scroll.
SCROLLED = """async () => {
  const changed = [], drawn = () => new Promise((done) => setTimeout(done));
  const pressed = [...document.querySelectorAll("input[type=range]:enabled, :not(svg) > svg")]
    .filter((it) => it.matches("input") || getComputedStyle(it).cursor === "crosshair");
  for (const it of pressed) {
    const inputs = it.matches("input") ? [it] : it.closest(".mw").querySelectorAll("input");
    const shown = () => JSON.stringify([...inputs].map((input) => input.value));
    const before = shown(), { left, top, width, height } = it.getBoundingClientRect();
    const at = { clientX: left + 0.3 * width, clientY: top + 0.2 * height, buttons: 1 };
    it.dispatchEvent(new PointerEvent("pointerdown", at));
    if (it.matches("input")) {
      it.value = it.valueAsNumber > (+it.min + +it.max) / 2 ? it.min : it.max;
      it.dispatchEvent(new Event("input"));
    }
    await drawn();
    const moved = shown() !== before;
    it.dispatchEvent(new PointerEvent("pointercancel"));
    await drawn();
    changed.push([(it.ariaLabel ?? it.parentElement.textContent), moved, shown() !== before]);
  }
  return changed;
}"""


def test_a_touch_that_becomes_scrolling_changes_nothing(open_page, widgets):
    pressed = open_page(*widgets.values()).evaluate(SCROLLED)
    assert len(pressed) > 50
    assert [name for name, moved, _ in pressed if not moved] == []
    assert [name for name, _, stays in pressed if stays] == []


# Drag a button that was pressed elsewhere across each picture that follows the pointer, and press the right one on it.
ELSEWHERE = """async () => {
  const changed = [], drawings = [...document.querySelectorAll(":not(svg) > svg")]
    .filter((it) => getComputedStyle(it).cursor === "crosshair");
  for (const it of drawings) {
    const shown = () => JSON.stringify([...it.closest(".mw").querySelectorAll("input")].map((input) => input.value));
    const before = shown(), { left, top, width, height } = it.getBoundingClientRect();
    const at = (x) => ({ clientX: left + x * width, clientY: top + 0.2 * height });
    it.dispatchEvent(new PointerEvent("pointermove", { ...at(0.3), buttons: 1 }));
    it.dispatchEvent(new PointerEvent("pointerdown", { ...at(0.6), button: 2, buttons: 2 }));
    it.dispatchEvent(new PointerEvent("pointermove", { ...at(0.8), buttons: 2 }));
    await new Promise((done) => setTimeout(done));
    changed.push([it.ariaLabel, shown() !== before]);
  }
  return changed;
}"""


def test_a_drag_that_began_elsewhere_and_another_button_move_nothing(open_page, widgets):
    drawings = open_page(*widgets.values()).evaluate(ELSEWHERE)
    assert len(drawings) >= 3
    assert [name for name, changed in drawings if changed] == []


def test_a_finger_finds_controls_of_24_pixels(open_page, widgets, browser):
    written = open_page(*widgets.values(), file=True)
    context = browser.new_context(has_touch=True, is_mobile=True, viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.goto(written.url)
    controls = ".mw :is(input[type=range], .mw-check, summary, .mw-tools button, .mw-handle[tabindex])"
    low = page.locator(controls).evaluate_all("""all => all
      .map(it => [it.outerHTML.slice(0, 80), it.getBoundingClientRect().height])
      .filter(([, height]) => 0 < height && height < 24)""")
    context.close()
    assert low == []


def test_every_control_has_a_name(open_page, widgets):
    page = open_page(*widgets.values())
    unnamed = page.locator(".mw :is(input, select, button, [role=slider])").evaluate_all(
        "all => all.filter(e => !(e.getAttribute('aria-label') || e.labels?.[0]?.textContent || e.textContent).trim())"
        ".map(e => e.outerHTML)"
    )
    assert unnamed == []


def test_numbers_are_written_as_they_are_computed_and_bars_are_as_long(open_page, widgets):
    page = open_page(*widgets.values())
    numbers = page.locator(".mw-sums li, .mw-measures li, .mw-ways li, .mw-pairs li, td[data-value]").evaluate_all(
        "all => all.map(e => [e.dataset.value, (e.querySelector('b:last-child, .mw-number') ?? e).textContent])"
    )
    compared = 0
    for value, text in numbers:
        value = np.ravel(json.loads(value.replace("NaN", "null"))).tolist()
        shown = re.findall(r"-?[\d.]+(?:e[+-]?\d+)?", text.replace("−", "-").replace(",", ""))
        if value == [None] or text.startswith(("none", "not ")) or len(value) > 1 == len(shown):
            continue
        for one, written in zip(value, shown[: len(value)], strict=True):
            of = 100 if re.fullmatch(r"[\d.]+ %", text) else 1
            half = 10.0 ** Decimal(written).as_tuple().exponent / 2
            assert float(written) == pytest.approx(of * one, abs=half * (1 + 1e-9)), text
            compared += 1
    assert compared > 100
    bars = page.locator(":is(.mw-rows, .mw-next .mw-measures) li:not(.mw-header)").evaluate_all(
        "all => all.map(e => [e.dataset.weight ?? e.dataset.value,"
        " new DOMMatrix(e.querySelector('.mw-track i').style.transform).a].map(Number))"
    )
    np.testing.assert_allclose(*np.transpose(bars), atol=1e-6)
