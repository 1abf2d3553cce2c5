"""Cut a formula's LaTeX into tokens, and these into the pieces that each say something."""

import re
from itertools import accumulate

SPACES = {r"\,", r"\;", r"\:", r"\ ", "~"}
RELATIONS = {"=", r"\approx", r"\leftarrow", r"\in", r"\le", r"\ge", "<", ">", r"\ne"}

_TOKENS = re.compile(r"\\(?:[A-Za-z]+|.)|\d+(?:\.\d+)?|\s+|.", re.DOTALL)
_SIZES = set(r"\bigl \bigr \Bigl \Bigr \biggl \biggr \big \Big \left \right \! \displaystyle \textstyle".split())
_EITHER = {r"\pm": ["+", r"\pm"], r"\mp": ["-", r"\pm"]}  # times a letter that runs over 1 and -1
_BETWEEN = {r"\Longrightarrow", r"\Longleftrightarrow", r"\Rightarrow", r"\iff", r"\quad", r"\qquad", r"\\", *";:,"}


def tokens(latex):
    """Cut LaTeX into commands, numbers and single signs, without what only spaces or numbers a formula."""
    latex = re.sub(r"\{([-+=])\}|\\\\\[[^]]*\]", lambda it: it[1] or r"\\", latex)  # {+} is + without its space
    latex = re.sub(r"\\tag\{\w+\}|\\label\{[^}]*\}|%.*", "", latex)
    latex = re.sub(r"(\d)\{,\}(\d)", r"\1\2", latex).replace("{}", "")  # 8{,}192 is one number
    latex = re.sub(r"\^\{((?:\\prime)+)\}", lambda it: "'" * it[1].count("prime"), latex)
    return [it for it in _TOKENS.findall(latex) if not it.isspace() and it not in _SIZES]


def key(latex):
    """Write a name in one way, whatever spaces and braces it has."""
    return joined(it for it in tokens(latex) if it != ".")


def joined(parts):
    """Write tokens as part of a name."""
    return "".join(it for it in parts if it not in "{}" and it not in SPACES)


def pieces(latex, names):
    r"""Split at commas, wide spaces, arrows, words and line ends that stand in no bracket.

    Parameters
    ----------
    latex : str
        The formula.
    names : container of str
        The keys of the values: words among them, such as ``\text{score}``, are no words but letters.

    Returns
    -------
    list of (list of str, str)
        Each piece with what ended it, ``\\`` say.
    list of (list of str, list of str)
        What stands before and behind the dots of each range, such as ``i=1`` and ``n`` of ``i=1,\dots,n``.
    """
    found, piece, depth, i = [], [], 0, 0
    parts = [part for it in tokens(latex) for part in _EITHER.get(it, [it]) if part != "."]
    while i < len(parts):
        token = parts[i]
        group = group_at(parts, i) if token in (r"\begin", r"\end", r"\text", r"\texttt") else []
        if token in (r"\begin", r"\end"):
            if (kind := "".join(group[2:-1])) in ("pmatrix", "cases"):
                depth += 1 if token == r"\begin" else -1
                piece.append(token + kind)
        elif group and (depth or joined(group) in names):
            piece += group
        elif not depth and (group or token in _BETWEEN):
            found.append((piece, token))
            piece = []
        elif token != "&" or depth:
            depth += (token in "([{") - (token in ")]}")
            piece.append(token)
        i += max(len(group), 1)
    return _without_ranges(_whole_lines([(_trimmed(it), end) for it, end in [*found, (piece, "")]]))


def group_at(parts, i):
    """Give a command with the group or the token behind it."""
    return parts[i : parts.index("}", i) + 1] if parts[i + 1] == "{" else parts[i : i + 2]


def is_in_brackets(piece):
    """Tell whether the bracket that a piece begins with closes at its end."""
    depths = accumulate((it == "(") - (it == ")") for it in piece)
    return next((i for i, it in enumerate(depths) if not it), None) == len(piece) - 1 > 0


def has_relation(piece):
    """Tell whether a piece compares anything."""
    return any(it in RELATIONS for it in piece)


def _trimmed(piece):
    inner = [i for i, it in enumerate(piece) if it not in SPACES]
    return piece[inner[0] : inner[-1] + 1] if inner else []


def _whole_lines(found):
    """Join a line that begins with a sign, and has no relation, to the line before."""
    lines = []
    for piece, end in found:
        if piece and piece[0] in ("+", "-") and not has_relation(piece) and lines and lines[-1][1] == r"\\":
            lines[-1] = lines[-1][0] + piece, end
        else:
            lines.append((piece, end))
    return lines


def _without_ranges(found):
    dots = {i for i, (piece, _) in enumerate(found) if piece in ([r"\dots"], [r"\ldots"])}
    between = [i for i in dots if 0 < i < len(found) - 1]
    ranges = {i: (found[i - 1][0], found[i + 1][0]) for i in between if not has_relation(found[i + 1][0])}
    ends = {i + step for i in between for step in (-1, 1) if i in ranges or not has_relation(found[i + step][0])}
    return [(piece, end) for i, (piece, end) in enumerate(found) if piece and i not in dots | ends], [*ranges.values()]
