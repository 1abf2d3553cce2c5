import pytest

from mlnotes.book.plain_formulas import plain_formula
from mlnotes.book.sphinx_extension import RELATIONS, _cut


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


def test_a_long_formula_is_cut_before_signs_that_stand_in_no_bracket():
    latex = r"\mathbf P_3+\mathbf P_5=\mathbf A(\mathbf B=\mathbf C)\le\mathbf x_{i=1}+\mathbf y+\mathbf z"
    first, *others = _cut(latex, RELATIONS)
    assert first == r"\mathbf P_3+\mathbf P_5"
    assert others == [r"{}=\mathbf A(\mathbf B=\mathbf C)", r"{}\le\mathbf x_{i=1}+\mathbf y+\mathbf z"]
    parts = (
        r"-\lVert\mathbf a\rVert",
        r"+\lVert\mathbf b\rVert",
        r"-\mathbf c_{11}\mathbf d_{22}\mathbf e_{33}\mathbf f_{44}",
    )
    first, *others = _cut("".join(parts), {"+", "-"})
    assert (first, *others) == (parts[0], *("{}" + it for it in parts[1:]))


def test_a_minus_behind_a_relation_is_no_difference():
    latex = r"=-\log\mathrm{softmax}(\mathbf E\mathbf v_a)_b"
    assert _cut(latex, {"+", "-"}) == [latex]


@pytest.mark.parametrize("latex", ["a=b", r"\mathbf x=\begin{pmatrix}1&2&3\\5&6&7\end{pmatrix}=\mathbf y+\mathbf z+1"])
def test_a_short_formula_and_one_of_several_lines_stay_whole(latex):
    assert _cut(latex, RELATIONS) == [latex]
