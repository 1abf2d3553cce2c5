"""The steps of a matrix product lead to the product in each reading, in Python and in the page."""

import numpy as np
import pytest
from reading import elements, visit

from mlnotes.widgets.matrix_product import READINGS, MatrixProduct

A = np.array([[1.0, 2.0, -1.0], [0.5, 0.0, 3.0]])
B = np.array([[2.0, 1.0], [0.0, -1.0], [4.0, 0.5]])
STEPS = {"dot products": 4, "columns": 2, "rows": 2, "outer products": 3}


CELLS = ".mw-matrix td"


def shown(page):
    return np.array([float(it["data-value"]) for it in elements(page, CELLS)[-4:]]).reshape(2, 2)


@pytest.mark.parametrize("reading", READINGS)
def test_the_last_step_gives_the_product_and_no_step_gives_none_of_it(reading):
    np.testing.assert_allclose(MatrixProduct(A, B, reading=reading, step=STEPS[reading]).partial(), A @ B, atol=1e-15)
    nothing = MatrixProduct(A, B, reading=reading).partial()
    assert (nothing == 0).all() if reading == "outer products" else np.isnan(nothing).all()


def test_the_description_states_the_sizes_and_the_rows():
    words = MatrixProduct([[1, 2, 3]], [[1, 2], [3, 4], [5, 6]]).describe()
    assert words == "The product of two matrices, 1 by 3 times 3 by 2. Its rows are 22 28."


@pytest.mark.parametrize("reading", READINGS)
def test_the_page_computes_what_python_computes_at_every_step(open_page, reading):
    page = open_page(MatrixProduct(A, B))
    places = [{"Read as": reading, "Step": step} for step in range(STEPS[reading] + 1)]
    for step, seen in enumerate(visit(page, places, CELLS)):
        expected = MatrixProduct(A, B, reading=reading, step=step).partial()
        np.testing.assert_allclose(shown(seen), expected, atol=1e-12)


def test_a_step_is_explained_in_digits_and_its_entries_are_marked(open_page, slide):
    page = open_page(MatrixProduct(A, B))
    slide(page, "Step", 2)
    assert page.locator(".mw-verdict").inner_text() == (
        "Row 1 of A with column 2 of B: 1 × 1 + 2 × (−1) + (−1) × 0.5 = −1.5"
    )
    marked = [page.locator(".mw-matrix").nth(i).locator("td.mw-on").all_inner_texts() for i in range(3)]
    assert marked == [["1", "2", "−1"], ["1", "−1", "0.5"], ["−1.5"]]
    whole = [["1", "2", "−1", "0.5", "0", "3"], ["2", "1", "0", "−1", "4", "0.5"], ["−2", "−1.5", "13", "2"]]
    added = "is added to every entry:"
    for reading, step, words, expected in (
        ("columns", 2, "Column 2 of C: 1 × column 1 of A + (−1) × column 2 of A + 0.5 × column 3 of A",
         [whole[0], ["1", "−1", "0.5"], ["−1.5", "2"]]),
        ("rows", 2, "Row 2 of C: 0.5 × row 1 of B + 0 × row 2 of B + 3 × row 3 of B",
         [["0.5", "0", "3"], whole[1], ["13", "2"]]),
        ("outer products", 2, f"Column 2 of A times row 2 of B {added} C so far is a sum of 2, of rank 2 at most.",
         [["2", "0"], ["0", "−1"], ["2", "−1", "1", "0.5"]]),
        ("outer products", 3, f"Column 3 of A times row 3 of B {added} C is complete.",
         [["−1", "3"], ["4", "0.5"], whole[2]]),
    ):  # fmt: skip
        page.get_by_label("Read as").select_option(reading)
        slide(page, "Step", step)
        assert page.locator(".mw-verdict").inner_text() == words
        marked = [page.locator(".mw-matrix").nth(i).locator("td.mw-on").all_inner_texts() for i in range(3)]
        assert marked == expected


def test_choosing_an_entry_shows_where_it_comes_from(open_page):
    page = open_page(MatrixProduct(A, B, reading="rows"))
    page.locator(".mw-matrix").nth(2).locator("td").nth(2).click()
    assert page.get_by_label("Read as").input_value() == "dot products"
    assert "Row 2 of A with column 1 of B" in page.locator(".mw-verdict").inner_text()


def test_another_reading_with_fewer_steps_goes_back_to_its_last(open_page, slide):
    page = open_page(MatrixProduct(A, B))
    slide(page, "Step", 4)
    page.get_by_label("Read as").select_option("rows")
    np.testing.assert_allclose(shown(page), A @ B, atol=1e-12)
    widget = MatrixProduct(A, B, step=4)
    widget.reading = "rows"
    assert widget.step == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"a": A, "b": A}, r"as many columns as b has rows, got shapes \(2, 3\) and \(2, 3\)"),
        ({"a": np.ones((7, 2)), "b": np.ones((2, 2))}, r"at most 6 rows and columns, got shapes \(7, 2\) and \(2, 2\)"),
        ({"a": A + np.inf, "b": B}, "must be finite, got nan or infinity"),
        ({"a": A, "b": B, "step": 5}, "step must be 0 to 4, got 5"),
    ],
)
def test_bad_input_is_refused_with_the_rule_and_the_values(arguments, message):
    with pytest.raises(ValueError, match=message):
        MatrixProduct(**arguments)


def test_a_sum_of_outer_products_has_no_higher_rank_than_its_sides_allow(open_page):
    page = open_page(MatrixProduct(A[:1], B, reading="outer products", step=2))
    assert "C so far is a sum of 2, of rank 1 at most." in page.locator(".mw-verdict").inner_text()
