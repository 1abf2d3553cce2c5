"""The columns on the page are those of Python, and those of the book's functions."""

import re

import numpy as np
import pytest
from reading import drawn, shown, visit

from mlnotes.blocks.qr import givens_qr, gram_schmidt, householder_qr, modified_gram_schmidt
from mlnotes.widgets.orthogonalization import METHODS, Orthogonalization

TRIANGLE = "rotations", "mirrors"
BOOK = dict(zip(METHODS, (gram_schmidt, modified_gram_schmidt, givens_qr, householder_qr), strict=True))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"exponent": 9}, "exponent must be 0 to 8, got 9"),
        ({"exponent": -1}, "exponent must be 0 to 8, got -1"),
        ({"step": 4}, "step must be 0 to 3, got 4"),
    ],
)
def test_bad_input_is_refused_with_the_rule_and_the_value(arguments, message):
    with pytest.raises(ValueError, match=message):
        Orthogonalization(**arguments)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("exponent", [0, 1, 3])
def test_all_steps_give_the_factors_of_the_books_function(method, exponent):
    widget = Orthogonalization(exponent, method=method, step=3)
    q, r = BOOK[method](widget.matrix())
    np.testing.assert_allclose(widget.basis(method), q, atol=1e-9)
    np.testing.assert_allclose(widget.done(), np.pad(r, ((0, 1), (0, 0))) if method in TRIANGLE else q, atol=1e-9)


def test_the_methods_lose_two_digits_one_and_none_for_each_factor_of_ten():
    lost = [[Orthogonalization(k).digits(method) for k in (2, 4, 6)] for method in METHODS]
    assert np.all(np.abs(np.diff(lost[0]) + 4) <= 1)
    assert np.all(np.abs(np.diff(lost[1]) + 2) <= 1)
    assert min(lost[2] + lost[3]) >= 14


def test_the_description_says_how_orthonormal_the_columns_are():
    said = Orthogonalization(8).describe()
    assert "classical Gram–Schmidt 0, modified Gram–Schmidt 8, rotations 15, mirrors 15." in said


@pytest.mark.parametrize("exponent", [0, 1, 3])
def test_the_description_says_at_what_angle_the_columns_stand(exponent):
    a, b, _ = (widget := Orthogonalization(exponent)).matrix().T
    angle = 2 * np.arctan2(np.linalg.norm(a - b), np.linalg.norm(a + b))
    said = re.match(r"Three columns (\S+) radians apart", widget.describe())[1]
    assert float(said) == pytest.approx(angle, rel=1e-3)


@pytest.mark.parametrize("method", METHODS)
def test_the_page_computes_what_python_computes(open_page, method):
    page = open_page(Orthogonalization(method=method))
    chosen = (0, 1), (2, 2), (5, 3), (8, 2), (7, 1), (8, 3)
    places = [{"ε": exponent, "Columns done": step} for exponent, step in chosen]
    read = "td.mw-number", "caption", ".mw-verdict"
    for (exponent, step), seen in zip(chosen, visit(page, places, *read), strict=True):
        widget = Orthogonalization(exponent, method=method, step=step)
        cells = drawn(seen, "td.mw-number", "data-value")
        np.testing.assert_allclose(cells.reshape(4, 3), widget.done(), rtol=1e-12, atol=1e-300)
        framed = ["mw-on" in it["class"].split() for it in seen["td.mw-number"]]
        assert (np.reshape(framed, (4, 3)) == (np.arange(3) < step)).all()
        assert (method in TRIANGLE) == (seen.text("caption") == "What becomes R")
        assert step == 3 or seen.text(".mw-verdict") == f"{step} of 3 columns {'is' if step == 1 else 'are'} done."
        for each in METHODS:
            assert shown(seen, each) == widget.digits(each)


def test_it_works_from_the_keyboard_and_names_its_values(open_page):
    page = open_page(Orthogonalization(8, step=2))
    page.get_by_label("Columns done").focus()
    page.keyboard.press("ArrowRight")
    assert "Largest dot product, of columns 2 and 3: 0.5;" in page.locator(".mw-verdict").inner_text()
    page.get_by_label("Method").select_option("modified Gram–Schmidt")
    assert "Largest dot product, of columns 1 and 2: −7.071e−9;" in page.locator(".mw-verdict").inner_text()
    page.get_by_label("Method").select_option("rotations")
    assert "a product of rotations keeps angles" in page.locator(".mw-verdict").inner_text()
    page.get_by_label("Method").select_option("mirrors")
    assert "a product of mirrors keeps angles" in page.locator(".mw-verdict").inner_text()
    assert page.get_by_label("ε").get_attribute("aria-valuetext") == "10⁻⁸"
