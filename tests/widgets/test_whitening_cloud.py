"""The cloud on the page is where Python says it is, and at the end of the way it is the whitened one."""

import re

import numpy as np
import pytest
from reading import MOVE, corners, drawn, shown, visit
from sklearn.datasets import load_iris

from mlnotes.applications.whitening import KINDS, covariance, whiten, whitening_matrix, whitening_rotation
from mlnotes.widgets.whitening_cloud import WhiteningCloud

_RNG = np.random.default_rng(3)
CLOUDS = {
    "petals": load_iris().data[:, 2:],
    "leaning left": _RNG.normal(size=(17, 2)) @ [[2.0, -1.0], [0.0, 0.3]] + [5.0, -3.0],
    "higher than wide": _RNG.normal(size=(17, 2)) @ [[0.5, 1.0], [0.0, 2.0]],
    "nearly a line": _RNG.normal(size=(17, 1)) @ [[1.0, 1.0]] + 1e-3 * _RNG.normal(size=(17, 2)),
    "not leaning": np.array([[2.0, 0.0], [-2.0, 0.0], [0.0, 0.5], [0.0, -0.5]]),
}
every_cloud = pytest.mark.parametrize("x", CLOUDS.values(), ids=CLOUDS)
every_kind = pytest.mark.parametrize("kind", KINDS)


def verdict(page):
    return page.locator(".mw-verdict").inner_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"x": np.ones((5, 3))}, r"x and features must be of 2 features, got shape \(5, 3\) and 2 names"),
        ({"features": ["a"]}, r"x and features must be of 2 features, got shape \(17, 2\) and 1 names"),
        ({"groups": [0, 1]}, "each of 17 points must be in group 0, 1 or 2, got 2"),
        ({"groups": [3] * 17}, r"each of 17 points must be in group 0, 1 or 2, got 17: \{3\}"),
        ({"group_names": list("abcd")}, r"all of at most 3 groups must have a name, got \['a', 'b', 'c', 'd'\]: \{0\}"),
        ({"groups": [1] * 17, "group_names": ["a"]}, r"all of at most 3 groups must have a name, got \['a'\]: \{1\}"),
        ({"x": [[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]}, "the covariance must be regular, got rank 1 for 2 features"),
        ({"eps": -0.1}, "eps must be 0 to 100, got -0.1"),
        ({"way": 1.1}, "way must be 0 to 1, got 1.1"),
        ({"turn": 181.0}, "turn must be -180 to 180 degrees, got 181"),
    ],
)
def test_bad_input_is_refused_with_the_rule_and_the_value(arguments, message):
    with pytest.raises(ValueError, match=message):
        WhiteningCloud(**({"x": CLOUDS["leaning left"]} | arguments))


@every_cloud
@every_kind
@pytest.mark.parametrize("eps", [0.0, 0.3])
def test_the_way_begins_at_the_centered_points_and_ends_at_the_whitened_ones(kind, eps, x):
    assert WhiteningCloud(x, kind=kind, eps=eps, way=0.0).moved() == pytest.approx(x - x.mean(axis=0), abs=1e-12)
    widget = WhiteningCloud(x, kind=kind, eps=eps)
    assert widget.matrix() == pytest.approx(whitening_matrix(x, kind, eps), rel=1e-6, abs=1e-7)
    assert widget.moved() == pytest.approx(whiten(x, kind, eps), abs=1e-7)


@every_cloud
@every_kind
def test_it_is_parted_from_each_whitening_by_the_rotation_that_leads_back(kind, x):
    widget = WhiteningCloud(x, kind=kind, eps=0.2, turn=25.0)
    for other, degrees in widget.parted().items():
        c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
        again = whiten(x, other, 0.2) @ [[c, s], [-s, c]]
        assert min(np.abs(again - it * widget.moved()).max() for it in ((1, -1) if other == "pca" else (1,))) < 1e-6
        if other != kind and other != "pca":
            turn = whitening_rotation(x, other, kind, 0.2)
            assert np.cos(np.radians(degrees - 25)) == pytest.approx(turn[0, 0], abs=1e-9)


def test_no_rotation_of_the_white_cloud_is_nearer_to_the_raw_one_than_zca():
    distances = [WhiteningCloud(CLOUDS["petals"], turn=turn).distance() for turn in range(-180, 181, 5)]
    assert np.argmin(distances) == distances.index(WhiteningCloud(CLOUDS["petals"]).distance()) == 36


def test_a_variance_is_rounded_once(open_page):
    page = open_page(WhiteningCloud(CLOUDS["petals"], way=0.0))  # 3.0955 rounded again would be 3.095 or 3.096
    assert shown(page, "first") == pytest.approx(3.09550267, abs=1e-8)
    assert page.locator('[data-name="first"]').inner_text().split()[-1] == "3.096"


@every_cloud
@every_kind
def test_the_page_computes_what_python_computes(open_page, kind, x):
    page = open_page(WhiteningCloud(x, kind="zca"))
    page.get_by_label("Whitening").select_option({"pca": "PCA", "zca": "ZCA", "cholesky": "Cholesky"}[kind])
    traits = [{"way": 1, "turn": 0, "eps": 0.0}, {"way": 0.5, "turn": 20, "eps": 0.0}]
    traits += [{"way": 0.25, "turn": -180, "eps": 1e-2}, {"way": 1, "turn": 77, "eps": 10.0}]
    places = [
        {"From raw to white": it["way"], "Turned further": it["turn"], "ε": position}
        for it, position in zip(traits, (0, 0, 9, 21), strict=True)
    ]
    image, marks = ".mw-main [role=img][aria-label^='The cloud']", ".mw-main [role=img] circle"
    seen_there = visit(page, places, image, marks, ".mw-spread", ".mw-unit", ".mw-ray")
    for chosen, seen in zip(traits, seen_there, strict=True):
        widget = WhiteningCloud(x, kind=kind, **chosen)
        sigma = widget.matrix().T @ covariance(x) @ widget.matrix()
        found = [shown(seen, name) for name in ("first", "both", "second")]
        assert found == pytest.approx([sigma[0, 0], sigma[0, 1], sigma[1, 1]], abs=1e-6)
        [said] = [it["aria-label"].replace("−", "-") for it in seen[image]]
        a, d, b = (float(it) for it in re.findall(r"-?[\d.]+(?:e-?\d+)?", said))
        assert [a, b, d] == pytest.approx([sigma[0, 0], sigma[0, 1], sigma[1, 1]], rel=5e-3, abs=1e-4)
        assert b == 0 or abs(b) >= 1e-4  # no rounding errors are read out
        assert shown(seen, "distance") == pytest.approx(widget.distance(), abs=1e-6)
        for other, degrees in widget.parted().items():
            assert shown(seen, other) == pytest.approx(degrees, abs=1e-6)
        scale = 210 / widget._reach()
        [spread] = corners(seen, ".mw-spread")
        spread = (spread - 210) / scale * (1, -1)
        np.testing.assert_allclose((spread @ np.linalg.inv(sigma) * spread).sum(axis=1), 1, rtol=1e-4)
        np.testing.assert_allclose(np.hypot(*(corners(seen, ".mw-unit")[0] - 210).T), scale, rtol=1e-6)
        rays = np.array([ray[1] for ray in corners(seen, ".mw-ray")]) * (1, -1)
        directions = widget.matrix() / np.linalg.norm(widget.matrix(), axis=1, keepdims=True)
        np.testing.assert_allclose(rays, 0.72 * 210 * directions, atol=1e-3)
        np.testing.assert_allclose(drawn(seen, marks, "cx", "cy"), 210 + scale * widget.moved() * (1, -1), atol=1e-4)
    first, whole = (page.locator(f".mw-main svg{it}").first.bounding_box() for it in (" circle", ""))
    half = whole["width"] / 2
    at = first["x"] + first["width"] / 2 - whole["x"] - half, half - (first["y"] + first["height"] / 2 - whole["y"])
    assert at == pytest.approx(half / widget._reach() * widget.moved()[0], abs=1.5)


def test_the_page_says_whether_the_cloud_is_white_and_which_whitening_it_is(open_page, slide):
    page = open_page(WhiteningCloud(CLOUDS["petals"], way=0.5))
    assert "Not white" in verdict(page)
    slide(page, "From raw to white", 1)
    assert verdict(page) == "White, and the ZCA whitening, to half a degree."
    slide(page, "Turned further", 10)
    assert verdict(page) == "White, but none of the three: another rotation."
    slide(page, "ε", 9)
    assert "Not white" in verdict(page)


def test_whole_degrees_lead_from_one_whitening_to_each_of_the_others(open_page, slide):
    widget = WhiteningCloud(CLOUDS["petals"], kind="pca")
    page = open_page(widget)
    for kind, name in (("zca", "ZCA"), ("cholesky", "Cholesky"), ("pca", "PCA")):
        slide(page, "Turned further", round(widget.angle(kind) - widget.angle("pca")))
        assert f" {name} " in verdict(page)


def test_among_whole_degrees_the_least_distance_can_be_read(open_page, slide):
    widget, seen = WhiteningCloud(CLOUDS["petals"], kind="pca"), {}
    page = open_page(widget)
    least = round(widget.angle("zca") - widget.angle("pca"))
    for turn in range(least - 2, least + 3):
        slide(page, "Turned further", turn)
        seen[turn] = float(page.locator(".mw-sums [data-name=distance] b").inner_text())
    assert min(seen, key=seen.get) == least
    assert len({*seen.values()}) == len(seen)


def test_it_works_from_the_keyboard(open_page):
    page = open_page(WhiteningCloud(CLOUDS["petals"], way=0.99))
    page.get_by_label("From raw to white").focus()
    page.keyboard.press("ArrowRight")
    assert page.get_by_label("From raw to white").get_attribute("aria-valuetext") == "100 %"
    assert verdict(page) == "White, and the ZCA whitening, to half a degree."
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowLeft")
    assert page.get_by_label("Turned further").get_attribute("aria-valuetext") == "−1°"
    assert shown(page, "zca") == pytest.approx(-1, abs=1e-9)


@pytest.mark.parametrize("width", [1300, 400])
def test_the_names_of_the_rays_lie_over_no_points(open_page, width):
    iris = load_iris()
    page = open_page(
        WhiteningCloud(iris.data[:, 2:], ("length", "width"), iris.target, ["a", "b", "c"], kind="zca"), width=width
    )
    covered = """() => {
      const boxes = (it) => [...document.querySelectorAll(it)].map((e) => e.getBoundingClientRect());
      const marks = boxes(".mw-main [role=img] :is([class^=mw-group])");
      const inside = (a) => (b) => a.left < b.x + b.width / 2 && b.x + b.width / 2 < a.right
        && a.top < b.y + b.height / 2 && b.y + b.height / 2 < a.bottom;
      return boxes(".mw-main [role=img] text").map((name) => marks.filter(inside(name)).length);
    }"""
    for way in (0, 0.5, 1):
        for turn in range(-180, 181, 15):
            page.evaluate(MOVE, {"From raw to white": way, "Turned further": turn})
            assert page.evaluate(covered) == [0, 0], (way, turn)


def test_each_group_has_a_mark_of_its_own_and_a_name(open_page):
    iris = load_iris()
    names = [str(it) for it in iris.target_names]
    page = open_page(WhiteningCloud(iris.data[:, 2:], ("length", "width"), iris.target, names))
    for shape, group in (("circle", 0), ("path", 1), ("rect", 2)):
        assert page.locator(f".mw-cloud .mw-main {shape}.mw-group{group}").count() == 50 + 1
    assert page.locator(".mw-cloud .mw-marks").inner_text().split() == names
