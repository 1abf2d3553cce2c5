"""Figures are drawings that follow the theme of the page, and whose text can be read."""

import asyncio
import io
import re
import xml.etree.ElementTree as ET

import nbformat
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from nbformat.v4 import new_code_cell, new_notebook

from mlnotes import plots
from mlnotes.book.canonical import ROOT, execute
from mlnotes.book.svg import DARK, ENLARGED, READABLE, inlined, problems, stylesheet

LIGHT = {it: it for it in DARK}
GROUND, INK = "#ffffff", "#000000"
PALE = (plots.PALE_BLUE, plots.PALE_ORANGE, plots.PALE_GREEN)
TEXT = (INK, plots.INK, plots.GREY, plots.BLUE, plots.ORANGE, plots.GREEN, plots.PURPLE)


@pytest.fixture(scope="module")
def drawing():
    """A figure with everything that Matplotlib names: markers, clips, hatches, and a picture."""
    with plt.style.context("mlnotes.plots"):
        figure = Figure(figsize=(6.4, 3.2))
        left, right = figure.subplots(1, 2)
        plots.curves(
            left, np.arange(1, 9), {"n²": np.arange(1, 9) ** 2.0, "n⁵": np.arange(1, 9) ** 5.0}, "n", "count", "log"
        )
        left.plot([1, 2], [1, 2], "o", color=plots.GREEN)
        left.bar([1, 2], [1, 2], color=plots.ORANGE, hatch="///", edgecolor="white")
        plots.heat_map(right, np.eye(3), ["a", "b", "c"], [], "weights", numbers=True)
        return saved(figure)


def saved(figure):
    file = io.StringIO()
    figure.savefig(file, format="svg")
    return file.getvalue()


def luminance(colour):
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (x / 255 for x in bytes.fromhex(colour[1:]))
    ]
    return float(np.dot(linear, (0.2126, 0.7152, 0.0722)))


def contrast(one, other):
    low, high = sorted(map(luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("shown", [LIGHT, DARK], ids=["light", "dark"])
def test_text_and_lines_stand_out_from_the_page_in_both_themes(shown):
    ground = shown[GROUND]
    assert {it: contrast(shown[it], ground) for it in TEXT if contrast(shown[it], ground) < 4.5} == {}
    assert contrast(shown[plots.FAINT], ground) >= 3
    assert {it: contrast(shown[INK], shown[it]) for it in PALE if contrast(shown[INK], shown[it]) < 4.5} == {}
    assert {*TEXT, *PALE, plots.FAINT, plots.GUIDE, GROUND} == {*DARK}


@pytest.mark.parametrize("name", ["viridis", "PuOr_r"])
def test_what_is_written_on_the_colours_of_a_map_can_be_read(name):
    colours = plt.get_cmap(name)(np.linspace(0, 1, 256), bytes=True)[:, :3]
    for colour in ("#" + bytes(it).hex() for it in colours):
        ink = plots._ink_on([x / 255 for x in bytes.fromhex(colour[1:])])
        assert contrast(ink, colour) >= 4.5, colour


def test_the_page_and_the_figures_have_the_same_grounds_and_the_style_sheet_only_colours_that_follow():
    css = (ROOT / "mlnotes/book/static/book.css").read_text(encoding="utf-8")
    style = (ROOT / "mlnotes/plots.mplstyle").read_text(encoding="utf-8")
    dark, light = css.split('html[data-theme="dark"] {')[1], css.split('html:not([data-theme="dark"]) {')[1]
    for block, shown in ((dark, DARK), (light, LIGHT)):
        assert re.search("--pst-color-background: (#[0-9a-f]+)", block)[1] in (shown[GROUND], "#fff")
        assert re.search("--pst-color-text-base: (#[0-9a-f]+)", block)[1] == shown[plots.INK]
    assert {f"#{it}" for it in re.findall(r"\b[0-9a-f]{6}\b", style)} <= {*DARK}


def test_the_style_sheet_of_the_page_gives_each_colour_a_light_and_a_dark_value():
    light, dark = stylesheet().splitlines()
    for block, shown in ((light, LIGHT), (dark, DARK)):
        assert {f"#{name}": value for name, value in re.findall(r"--figure-(\w+): (#\w+)", block)} == shown
    assert (light.split()[0], dark.split()[0]) == (":root", 'html[data-theme="dark"]')


def test_on_a_page_a_drawing_is_described_takes_the_colours_of_the_theme_and_keeps_those_of_its_maps(drawing):
    html = inlined(drawing, "figure-1", 'One "map" & two <curves>')
    root = ET.fromstring(html)
    svg = root.find("svg")
    assert (root.get("class"), svg.get("role"), svg.get("aria-label")) == ("drawing", "img", 'One "map" & two <curves>')
    assert not re.search(r"<style|<metadata|<\?xml|<!DOCTYPE|xmlns|font-family", html)
    assert {*re.findall("#[0-9a-f]{6}", re.sub('base64,[^"]*', "", html))} == {plots.ON_LIGHT, plots.ON_DARK}
    names = {f"#{it}" for it in re.findall(r"var\(--figure-([0-9a-f]{6})\)", html)}
    assert {GROUND, plots.INK, plots.GREY, plots.BLUE, plots.ORANGE, plots.GREEN} <= names <= {*DARK}
    assert [it.text for it in root.iter("text") if it.text in ("count", "weights", "10²")] == [
        "10²",
        "count",
        "weights",
    ]
    assert html.count("data:image/png;base64,") == 2  # the map and its colour bar


def test_two_drawings_of_a_page_share_no_name_and_all_references_lead_somewhere(drawing):
    pages = [inlined(drawing, name, "x") for name in ("figure-1", "figure-2")]
    ids = [set(re.findall(r'\bid="([^"]+)"', page)) for page in pages]
    references = [set(re.findall(r'(?:url\(#|href="#)([^")]+)', page)) for page in pages]
    assert ids == references
    assert len(ids[0]) >= 4
    assert not ids[0] & ids[1]
    assert all(it.startswith("figure-1-") for it in ids[0])


def test_a_drawing_is_not_made_so_small_that_its_text_cannot_be_read(drawing):
    width, least = (
        float(it) * 16
        for it in re.search(r"width: ([\d.]+)rem; min-width: ([\d.]+)rem", inlined(drawing, "a", "x")).groups()
    )
    assert width == pytest.approx(ENLARGED * float(re.search(r'width="([\d.]+)pt"', drawing)[1]) * 4 / 3, abs=0.1)
    smallest = ENLARGED * plots.SMALL * 4 / 3
    assert smallest * least / width == pytest.approx(READABLE, abs=0.01)


def test_a_figure_of_the_usual_size_fits_a_page_of_390_pixels():
    with plt.style.context("mlnotes.plots"):
        figure = Figure()
        plots.curves(figure.add_subplot(), [0, 1], {"a name": [0, 1], "another": [1, 0]}, "n", "cost")
        html = inlined(saved(figure), "a", "x")
    assert float(re.search(r"min-width: ([\d.]+)rem", html)[1]) * 16 <= 390 - 2 * 8  # pixels of its margins


def test_what_a_dark_or_a_narrow_page_could_not_show_is_a_problem(drawing):
    assert problems(drawing) == []
    figure = Figure(figsize=(2, 2))
    ax = figure.add_subplot(xticks=[], yticks=[])
    ax.text(0, 0, "red", color="#aa1111", size=9)
    ax.plot([0, 1], [0, 1], color="#aa1111")
    with plt.style.context("mlnotes.plots"):
        assert [it.split()[0] for it in problems(saved(figure))] == ["#aa1111"]
    ax.plot([0, 1], [0, 1], color="0.5")
    ax.text(0, 1, "small", size=8)
    with plt.style.context("mlnotes.plots"):
        found = problems(saved(figure))
    assert [it.split(" in a")[0] for it in found] == ["#808080", "#aa1111", "text of 10.7 pixels"]


def test_notebooks_draw_figures_once_as_the_same_text_each_time_without_date_and_version(tmp_path):
    sources = [
        "import matplotlib.pyplot as plt\nplt.figure().add_subplot().plot([1, 2]);",
        "from mlnotes import plots\nplt.style.use('mlnotes.plots')",
        "from matplotlib.backends.backend_agg import FigureCanvasAgg\n"
        "FigureCanvasAgg.draw = lambda canvas: print('into pixels, for nobody')",
        *["fig, ax = plt.subplots()\nplots.curves(ax, [1, 2], {'y': [1, 2]}, 'x', 'y', 'log')"] * 2,
        "data, _ = get_ipython().display_formatter.format(fig)\nprint('metadata' in data['image/svg+xml'])",
    ]
    nbformat.write(new_notebook(cells=[new_code_cell(it) for it in sources]), tmp_path / "figures.ipynb")
    before, _, _, first, second, raw = (cell.outputs for cell in asyncio.run(execute(tmp_path / "figures.ipynb")).cells)
    assert before[0].data.keys() == {"image/png", "text/plain"}
    assert [it.get("text") for it in first] == [None]
    assert first[0].data.keys() == {"image/svg+xml", "text/plain"}
    assert first[0].data == second[0].data
    assert "<text" in first[0].data["image/svg+xml"]
    assert raw[0].text == "False\n"
