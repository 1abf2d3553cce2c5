"""Formulas as a line of plain text, for places that show nothing else: ``\\lambda_1\\ge0`` becomes λ₁≥0."""

import re
import unicodedata

from docutils.utils.math import tex2unichar

SYMBOLS = {
    **tex2unichar.mathalpha,
    **tex2unichar.mathbin,
    **tex2unichar.mathord,
    **tex2unichar.mathop,
    **tex2unichar.mathopen,
    **tex2unichar.mathclose,
    **tex2unichar.mathrel,
    **dict.fromkeys(("lVert", "rVert", "|"), "‖"),
    **dict.fromkeys(("lvert", "rvert"), "|"),
    **dict.fromkeys(("big", "bigl", "bigr", "Big", "Bigl", "Bigr", "left", "right", "!", "displaystyle"), ""),
    **dict.fromkeys((",", ";", ":", " ", "quad", "qquad"), " "),
    "cdot": "·",
    "dots": "…",
    "phi": "φ",
    "{": "{",
    "}": "}",
    "%": "%",
    "_": "_",
}
NAMES = {"arctan", "arg", "cos", "det", "diag", "exp", "ln", "log", "max", "min", "sin", "tan", "tanh"}
FONTS = {"boldsymbol", "mathbb", "mathbf", "mathcal", "mathit", "mathrm", "mathsf", "operatorname", "text", "texttt"}
ACCENTS = {"bar": "\u0304", "overline": "\u0304", "hat": "\u0302", "tilde": "\u0303"}
LOW = dict(zip("0123456789+-=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", strict=True))
HIGH = dict(zip("0123456789+-=()iknT", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁱᵏⁿᵀ", strict=True))
_PARTS = re.compile(r"\\(?:[A-Za-z]+|.)|\s+|.", re.DOTALL)


def plain_formula(latex):
    """Write a formula as it would be typed where there is no typesetting.

    Parameters
    ----------
    latex : str
        The formula.

    Returns
    -------
    str
        One line, or "…" for a formula that needs more than one.
    """
    parts = [it for it in _PARTS.findall(latex) if not it.isspace()][::-1]
    try:
        text = "".join(_rest(parts))
    except (IndexError, KeyError):  # what is not known here, or has an end that is missing
        return "…"
    return re.sub(r" +", " ", re.sub(r" (?=[)\]},.;]|$)|(?<=[(\[{]) |^ ", "", text))


def _rest(parts, end=None):
    """Write down what stands before the end of a group."""
    while parts or end:
        if parts[-1] == end:
            parts.pop()
            return
        yield _next(parts)


def _next(parts):
    """Write down the next thing that a group holds."""
    part = parts.pop()
    if part == "{":
        return "".join(_rest(parts, "}"))
    if part in "_^":
        return _shifted(_next(parts), LOW if part == "_" else HIGH, part)
    if part in "'~":
        return {"'": "′", "~": " "}[part]
    if part == "-":
        return "−"
    return part if part[0] != "\\" else _named(part[1:], parts)


def _named(name, parts):
    if name in FONTS:
        return _next(parts)
    if name in NAMES:
        return f" {name}" if parts and parts[-1] in "_^(" else f" {name} "
    if name in ACCENTS:
        return unicodedata.normalize("NFC", _next(parts) + ACCENTS[name])
    if name == "sqrt":
        return f"√{_held_together(_next(parts))}"
    if name in ("frac", "tfrac", "dfrac"):
        return f"{_held_together(_next(parts))}/{_held_together(_next(parts))}"
    return SYMBOLS[name]


def _shifted(text, letters, sign):
    """Write an index or a power in small letters where all of it can be."""
    plain = text.replace("−", "-")
    if plain in ("′", "∗", "*"):
        return plain
    if all(it in letters for it in plain):
        return "".join(letters[it] for it in plain)
    return sign + (text if text.isalnum() else _held_together(text))


def _held_together(text):
    return text if len(text) == 1 or text.isdigit() else f"({text})"
