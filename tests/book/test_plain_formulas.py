import pytest

from mlnotes.book.plain_formulas import plain_formula


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"\lambda_1\ge\lambda_2", "λ₁≥λ₂"),
        (r"\mathbf Q^{\mathsf T}\mathbf Q=\mathbf I", "QᵀQ=I"),
        (r"\lVert\mathbf x\rVert_2", "‖x‖₂"),
        (r"\log\sum_j\exp x_j", "log ∑ⱼ exp xⱼ"),
        (r"e^{-1/T}", "e^(−1/T)"),
        (r"\mathbf W_{UK}", "W_UK"),
        (r"\mathbf R'_k", "R′ₖ"),
        (r"(2\,n)", "(2 n)"),
    ],
)
def test_a_formula_is_a_line_of_text(latex, text):
    assert plain_formula(latex) == text


@pytest.mark.parametrize(("latex", "text"), [(r"\frac1{2n}", "1/(2n)"), (r"\sqrt{ab}", "√(ab)"), (r"\sqrt2a", "√2a")])
def test_what_stands_below_a_line_or_a_root_stays_together(latex, text):
    assert plain_formula(latex) == text


@pytest.mark.parametrize("latex", [r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", r"\unheard_1", r"\frac{1}", "{x"])
def test_a_formula_that_needs_more_than_a_line_is_left_out(latex):
    assert plain_formula(latex) == "…"
