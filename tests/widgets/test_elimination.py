"""The elimination on the page is that of Python, and that of the book's functions."""

import numpy as np
import pytest
from reading import drawn, shown, visit

from mlnotes.blocks.lu import doolittle, growth_factor, lu
from mlnotes.widgets.elimination import Elimination


def factors(widget):
    """L and U as the widget leaves them in one matrix."""
    rows, a, _ = widget.eliminated()
    return np.eye(len(a))[:, rows], np.tril(a, -1) + np.eye(len(a)), np.triu(a)


# In Python


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"exponent": 21}, "exponent must be 0 to 20, got 21"),
        ({"exponent": -1}, "exponent must be 0 to 20, got -1"),
        ({"step": 3}, "step must be 0 to 2, got 3"),
        ({"matrix": "doubling column", "step": 5}, "step must be 0 to 4, got 5"),
    ],
)
def test_bad_input_is_refused_with_the_rule_and_the_value(arguments, message):
    with pytest.raises(ValueError, match=message):
        Elimination(**arguments)


@pytest.mark.parametrize("exponent", [0, 3, 12, 20])
def test_with_exchanges_all_steps_give_the_factors_of_lu(exponent):
    widget = Elimination(exponent=exponent, exchange=True, step=2)
    for found, expected in zip(factors(widget), lu(widget.system()[0]), strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-15)


@pytest.mark.parametrize("exponent", [0, 3, 12])
def test_without_exchanges_they_are_those_of_doolittle(exponent):
    widget = Elimination(exponent=exponent, step=2)
    for found, expected in zip(factors(widget)[1:], doolittle(widget.system()[0]), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("matrix", ["small pivot", "doubling column"])
def test_the_growth_is_that_of_growth_factor(matrix):
    widget = Elimination(matrix, exponent=3, exchange=True)
    widget.step = widget.last
    assert widget.eliminated()[2] == pytest.approx(growth_factor(widget.system()[0]), rel=1e-12)


def test_digits_are_lost_as_the_pivot_shrinks_and_none_with_exchanges():
    plain = [Elimination(exponent=k).digits() for k in (0, 4, 8, 12, 17)]
    assert plain == sorted(plain, reverse=True)
    assert plain[0] >= 14
    assert plain[-1] == 0
    assert all(Elimination(exponent=k, exchange=True).digits() >= 14 for k in range(21))


def test_a_system_of_fewer_steps_keeps_the_step_among_them():
    widget = Elimination("doubling column", step=4)
    widget.matrix = "small pivot"
    assert widget.step == 2


def test_the_description_says_what_became_of_the_solution():
    assert "Of the solution, 0 decimal digits are right." in Elimination(exponent=18, step=2).describe()
    small, doubling = Elimination(exponent=17, step=1), Elimination("doubling column", exchange=True)
    assert "3 equations, first pivot 1e-17, eliminated without exchanges of rows: step 1 of 2." in small.describe()
    assert "5 equations, a doubling column, eliminated with exchanges of rows: step 0 of 4." in doubling.describe()


# In the browser


@pytest.mark.parametrize("exchange", [False, True])
def test_the_page_computes_what_python_computes(open_page, exchange):
    page = open_page(Elimination(exchange=exchange))
    chosen = (0, 1), (3, 2), (9, 2), (14, 1), (18, 2)
    places = [{"First pivot": exponent, "Step": step} for exponent, step in chosen]
    for (exponent, step), seen in zip(chosen, visit(page, places, "td.mw-number", "tbody th"), strict=True):
        widget = Elimination(exponent=exponent, exchange=exchange, step=step)
        rows, a, growth = widget.eliminated()
        cells = drawn(seen, "td.mw-number", "data-value")
        np.testing.assert_allclose(cells.reshape(a.shape), a, rtol=1e-12)
        assert shown(seen, "growth") == pytest.approx(growth, rel=1e-12)
        below = np.tril(np.ones((3, 3)), -1) * (np.arange(3) < step)
        assert shown(seen, "multiplier") == pytest.approx(abs(a * below).max(), rel=1e-12)
        headings = [it["text"] for it in seen["tbody th"]]
        assert headings == [f"equation {row + 1}" for row in rows]
        for kind, expected in (("multiplier", below), ("on", np.diag(np.arange(3) < step))):
            has = [f"mw-{kind}" in it["class"].split() for it in seen["td.mw-number"]]
            assert (np.reshape(has, (3, 3)) == expected).all()
        if step == 2:
            assert shown(seen, "digits") == widget.digits()


def test_the_doubling_column_has_five_equations_and_grows_sixteenfold(open_page, slide):
    page = open_page(Elimination())
    page.get_by_label("System").select_option("doubling column")
    slide(page, "Step", 4)
    assert page.locator("tbody tr").count() == 5
    assert shown(page, "growth") == 16
    assert page.get_by_label("First pivot").is_disabled()
    page.get_by_label("System").select_option("small pivot")
    assert page.locator("tbody tr").count() == 3


@pytest.mark.parametrize("width", [1300, 400])
def test_the_page_below_stays_where_it_is_when_the_larger_system_comes(open_page, width):
    page = open_page(Elimination(), width=width)
    before = page.locator(".mw").bounding_box()["height"]
    page.get_by_label("System").select_option("doubling column")
    assert page.locator(".mw-matrix tbody tr").count() == 5
    assert page.locator(".mw").bounding_box()["height"] == before


def test_it_works_from_the_keyboard_and_names_its_values(open_page):
    page = open_page(Elimination(exponent=17, step=1))
    assert page.locator(".mw-verdict").inner_text() == "1 of 2 columns is eliminated."
    assert page.get_by_label("Step").get_attribute("aria-valuetext") == "1 of 2"
    page.get_by_label("Step").focus()
    page.keyboard.press("ArrowRight")
    assert "right would be all ones" in page.locator(".mw-verdict").inner_text()
    assert shown(page, "digits") == 0
    page.get_by_label("Exchange rows").focus()
    page.keyboard.press("Space")
    assert shown(page, "digits") >= 14
    assert page.get_by_label("First pivot").get_attribute("aria-valuetext") == "10⁻¹⁷"


def test_long_numbers_are_written_with_a_power_of_ten_and_a_wrong_solution_with_the_digit_that_is_wrong(open_page):
    page = open_page(Elimination(exponent=20, step=2), Elimination(exponent=9, step=2))
    assert page.locator("td.mw-number").all_inner_texts()[3:5] == ["2e20", "−2e20"]
    assert "x = (1, 1, 1)" not in page.locator(".mw-verdict").nth(1).inner_text()
