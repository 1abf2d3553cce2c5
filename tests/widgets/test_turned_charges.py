"""The page simulates and predicts what Python does, and only one of the two predictions turns with the charges."""

import numpy as np
import pytest
import torch
from reading import corners, drawn, shown, visit
from widget_examples import EXAMPLES

from mlnotes.layers.egnn import EGNN, GraphNetwork
from mlnotes.widgets.turned_charges import TurnedCharges, weights_of

LABELS = "Turn", "Particle", "x before the turn", "y before the turn"


def place(spots, reach):
    """Find where the page draws places: the middle is 0, and ``reach`` stands at the edge."""
    return 220 + np.array(spots) * (220 / reach) * (1, -1)


def example():
    return EXAMPLES["turned_charges"][0]()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"x": [[0, 0]], "charges": [1]}, r"shapes \(n, 2\) and \(n,\), n from 2 to 6, got \(1, 2\) and \(1,\)"),
        ({"charges": [1, 1]}, r"got \(3, 2\) and \(2,\)"),
        ({"charges": [1, 2, 1]}, "charges be 1 or -1, got"),
        ({"x": [[0, 0], [1, 1], [0, 3.5]]}, "x must lie within 2.2 and"),
        ({"x": [[0, 0], [1, 1], [0, np.nan]]}, "x must hold finite numbers, got nan"),
        ({"n_steps": 0}, "n_steps must be positive, got 0"),
        ({"duration": 0.0}, r"duration must be positive and finite, got 0\.0"),
        ({"softening": -1.0}, r"softening must be positive and finite, got -1\.0"),
        ({"angle": 361.0}, "angle must be 0 to 360, got 361"),
        ({"particle": 3}, "particle must be 0 to 2, got 3"),
    ],
)
def test_bad_input_is_refused_with_the_rule_and_the_value(changed, message):
    names = ("x", "charges", "egnn", "plain", "duration", "softening")
    with pytest.raises(ValueError, match=message):
        TurnedCharges(**{**{name: getattr(example(), name) for name in names}, **changed})


@pytest.mark.parametrize(
    ("x", "message"),
    [
        ([[0.0, 0.0], [1.0, 1.0]], r"shapes \(n, 2\) and \(n,\), n from 2 to 6, got \(2, 2\) and \(3,\)"),
        ([[0.0], [1.0], [2.0]], r"n from 2 to 6, got \(3, 1\) and \(3,\)"),
        ([[0.0, 0.0], [1.0, 1.0], [2.0]], "inhomogeneous shape"),
        ([[0.0, 0.0], [1.0, 1.0], [0.0, 2.5]], r"x must lie within 2.2 and .*, got \[.*2.5\]\] and \[1.0, -1.0, 1.0\]"),
        ([[0.0, 0.0], [1.0, 1.0], [0.0, np.nan]], "x must hold finite numbers, got nan"),
    ],
)
def test_places_that_are_set_later_keep_the_rules(x, message):
    widget = example()
    before = widget.x
    with pytest.raises(ValueError, match=message):
        widget.x = x
    assert widget.x == before


def test_predictions_are_those_of_the_trained_layers():
    torch.manual_seed(0)
    nets = EGNN(5, 1, 2, rng=np.random.default_rng(0)), GraphNetwork(5, 2, 1, 2, rng=np.random.default_rng(1))
    for parameter in (*nets[0].parameters(), *nets[1].parameters()):
        parameter.data += 0.3 * torch.randn_like(parameter)
    charges = np.array([1.0, -1.0, 1.0])
    widget = TurnedCharges(example().x, charges, *map(weights_of, nets), 1.5, 0.5, angle=70.0)
    products = torch.tensor(np.outer(charges, charges)[..., None], dtype=torch.float32)
    for name, net in zip(("EGNN", "plain"), nets, strict=True):
        x = torch.tensor(widget.start(), dtype=torch.float32)
        expected = net(torch.ones(3, 5), x, edge_features=products)[1].detach()
        np.testing.assert_allclose(widget.predict(name), expected, atol=2e-5)


def test_the_description_says_how_far_each_network_is_off():
    words, widget = example().describe(), example()
    assert words.startswith("3 charges, turned by 40°, and where they go. The end of particle 1 is missed by ")
    off = f"{widget.off('EGNN'):.3f} by the EGNN and {widget.off('plain'):.3f} by the plain graph network."
    drift = f"{widget.drift('EGNN'):.3f} for the EGNN and {widget.drift('plain'):.3f} for the plain graph network."
    assert off in words
    assert drift in words


def test_only_the_equivariant_prediction_turns_with_the_charges():
    widget = example()
    for angle in (40.0, 135.0, 290.0):
        widget.angle = angle
        assert widget.drift("EGNN") < 1e-13
        assert widget.drift("plain") > 0.05
    np.testing.assert_allclose(widget.paths()[0], widget.start(), atol=0)


def test_the_page_computes_what_python_computes(open_page):
    page, expected = open_page(example()), example()
    moves = ((0, 0, -1.5, 0.5), (90, 1, 0.25, -2.0), (215, 2, 2.2, 1.0), (360, 1, -0.75, 0.1))
    places = [dict(zip(LABELS, move, strict=True)) for move in moves]
    circles = "circle.mw-start", "circle.mw-end", "circle.mw-start.mw-on"
    seen_there = visit(page, places, "svg[data-reach]", ".mw-path", *circles, ".mw-egnn", ".mw-plain")
    for (angle, particle, across, up), seen in zip(moves, seen_there, strict=True):
        expected.angle, expected.particle = float(angle), particle
        expected.x = [[across, up] if i == particle else spot for i, spot in enumerate(expected.x)]
        for name, network in (("egnn", "EGNN"), ("plain", "plain")):
            assert shown(seen, f"{name}-off") == pytest.approx(expected.off(network), abs=1e-9)
            assert shown(seen, f"{name}-drift") == pytest.approx(expected.drift(network), abs=1e-9)
        [[reach]] = drawn(seen, "svg[data-reach]", "data-reach")
        for path, found in zip(np.moveaxis(expected.paths(), 0, 1), corners(seen, ".mw-path"), strict=True):
            np.testing.assert_allclose(found, place(path, reach), atol=0.0051)
        for circle, spots in zip(circles[:2], (expected.start(), expected.paths()[-1]), strict=True):
            np.testing.assert_allclose(drawn(seen, circle, "cx", "cy"), place(spots, reach), atol=1e-6)
        circles_of_egnn = drawn(seen, ".mw-egnn", "cx", "cy")
        np.testing.assert_allclose(circles_of_egnn, place(expected.predict("EGNN"), reach), atol=1e-6)
        squares = drawn(seen, ".mw-plain", "x", "y") + 5.5
        np.testing.assert_allclose(squares, place(expected.predict("plain"), reach), atol=1e-6)
        assert drawn(seen, circles[2], "cx", "cy").tolist() == [
            pytest.approx(place(expected.start()[particle], reach), abs=1e-6)
        ]


def test_the_picture_shrinks_where_something_would_leave_it(open_page):
    page = open_page(example())
    places = [{"Turn": 0}]
    for particle in range(3):
        places.append(dict(zip(LABELS, (45 * particle, particle, 2.2 * (-1) ** particle, 2.2), strict=True)))
    seen_there = visit(page, places, "svg[data-reach]", ".mw-loop", ".mw-path", ".mw-plain")
    reaches = [drawn(seen, "svg[data-reach]", "data-reach").item() for seen in seen_there]
    assert reaches[0] == 3.2 < max(reaches)
    for seen in seen_there:
        drawn_there = [*corners(seen, ".mw-loop"), *corners(seen, ".mw-path"), drawn(seen, ".mw-plain", "x", "y") + 5.5]
        assert all((it >= 0).all() and (it <= 440).all() for it in drawn_there)


def test_the_loop_passes_through_the_plain_prediction(open_page):
    widget = example()
    page = open_page(widget)
    corners = page.locator(".mw-loop").get_attribute("points").split()
    loop = np.array([[float(v) for v in corner.split(",")] for corner in corners])
    square = page.locator(".mw-plain").first
    middle = [float(square.get_attribute(name)) + 5.5 for name in ("x", "y")]
    assert np.hypot(*(loop - middle).T).min() < 0.02
    assert np.hypot(*(loop[8] - middle)) < 0.02  # 40 degrees are the ninth of its corners


def test_it_works_from_the_keyboard_and_names_its_values(open_page):
    page = open_page(example())
    turn = page.get_by_role("slider", name="Turn", exact=True)
    turn.focus()
    page.keyboard.press("ArrowRight")
    assert turn.get_attribute("aria-valuetext") == "45°"
    [drift] = page.locator('[data-name="plain-drift"] b').all_inner_texts()
    words = f"has not moved at all; the plain network’s has moved by {drift}."
    assert page.locator(".mw-verdict").inner_text().endswith(words)
    page.keyboard.press("Home")
    words = "Nothing is turned. The clouds of the training lay along the first axis."
    assert page.locator(".mw-verdict").inner_text() == words


def test_on_a_wide_page_the_numbers_stand_beside_the_picture(open_page):
    picture, numbers = (open_page(example()).locator(it).bounding_box() for it in (".mw-main svg", ".mw-sums"))
    assert picture["x"] + picture["width"] < numbers["x"]
    assert numbers["y"] + numbers["height"] < picture["y"] + picture["height"]
