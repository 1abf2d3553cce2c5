"""Numbers in the prose are outputs too: read them, and find the cells that give them.

**What counts.** A decimal, an integer of two digits and more, a power of ten, and any number before a percent sign,
×, "times", "fold", or a unit such as million or MB: in paragraphs, headings, lists, tables, admonitions, exercises and
solutions, in formulas, in the alt texts of figures, and in the comments of code cells. No word and no sign, such as
"about" or ≈, exempts one. A code span counts if it holds nothing but numbers, for then it quotes an output. Not read
are other code, addresses, citations, labels, numbers that are part of a name (float64, SHA-256, Figure 12), those of
formulas, such as (12), indices of matrices, numbers that are spelled out ("twice"), and bare integers below 10.

**What gives one.** A literal in a code cell, or a number in an output (text, a table, the state of a widget), if it is
that number once it is rounded to the last digit that the prose shows; of an integer, that is its last one, zero or not.
What a cell prints as it was typed does not count. A minus sign in the prose asks for a negative number. The cell stands
in the same section, from one heading of the second level to the next.

**What a match is worth.** Enough numbers give every number: a hundred shares hold most of those that have two digits.
So the section is searched outwards from the prose, and whatever would let more than the share `CHANCE` of all numbers
of the same form pass is left out; one may always pass.

**What the metadata says.** For a number that another section gives, or that was left out, the metadata of the cell that
mentions it names the cell that gives it; for a number that no cell can give, such as a published size, its source::

    {"mlnotes": {"numbers": {"0.056": "b71c2a09"}, "given": {"30,522": "vocabulary of MiniLM (Wang et al., 2020)"}}}

What the book measured itself, though not on the page, needs more than a word: its source names the program, a file of
the repository such as those in tests/book/beside, that measures it again.

A named cell that does not give the number is a problem, and so are a named program that is not there and an entry for a
number that is no longer there.
"""

import ast
import io
import json
import re
import tokenize
from dataclasses import dataclass
from pathlib import Path

import yaml
from markdown_it.renderer import RendererHTML
from myst_parser.config.main import MdParserConfig
from myst_parser.parsers.mdit import create_md_parser

CHANCE = 1 / 20

UNITS = {
    **dict.fromkeys(("%", "percent", "per cent"), 1e-2),
    **dict.fromkeys(("×", "times", "fold"), 1),
    **dict.fromkeys(("thousand", "kB", "KB", "kilobyte", "kilobytes"), 1e3),
    **dict.fromkeys(("million", "MB", "megabyte", "megabytes"), 1e6),
    **dict.fromkeys(("billion", "GB", "gigabyte", "gigabytes"), 1e9),
    **dict.fromkeys(("trillion", "TB", "terabyte", "terabytes"), 1e12),
    **{"KiB": 2**10, "MiB": 2**20, "GiB": 2**30},
}
CODE = ("code", "code-block", "code-cell", "eval-rst")  # directives that hold no prose
LABELLED = ("solution", "solution-start", "solution-end")  # whose argument is a label

_ROOT = Path(__file__).parents[2]
_BOOK = yaml.safe_load((_ROOT / "_config.yml").read_text(encoding="utf-8"))
_MARKDOWN = create_md_parser(
    MdParserConfig(enable_extensions=set(_BOOK["parse"]["myst_enable_extensions"])), RendererHTML
)
_WORDS = "|".join(re.escape(unit) for unit in UNITS if unit[0].isalpha())
_NUMBER = re.compile(
    rf"""(?<![\w.])
    (?:10\^(?P<ten>[-+]?\d+)(?![\w/])
      |(?P<mantissa>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+|\.(?=e[-+]\d))?)
       (?:e(?P<e>[-+]?\d+)|\ ?[×·]\ ?10\^(?P<times_ten>[-+]?\d+)(?![\w/]))?)
    (?!\d|\.\d|,\d{{3}}(?!\d))
    (?:[ -]?(?P<unit>%|(?:{_WORDS})\b|×(?=\ +[a-z]{{2}}|\ *(?:[.,;:)]|$))))?""",
    re.VERBOSE,
)
_NAME = re.compile(r"[A-Z]\w*-$|\bx86-$|\b[Ff]igures? (?:\d+(?:, | and | to |, and |–))*$")
_OPEN = re.compile(r"(?<![\w)])\($")
_MINUS = re.compile(r"(?:^|[\s(\[{=,;:/*<>≈|])-$")
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_OURS = re.compile(r"\bbeside th(?:e|is) page\b|\bseen in\b")  # the words for what was measured and is not shown
_PROGRAM = re.compile(r"\w+(?:/\w+)+\.py\b")
_STATE = re.compile(r'<script\b[^>]*type="application/json"[^>]*>(.*?)</script>', re.DOTALL)


@dataclass(frozen=True)
class Number:
    """A number as it is written.

    Parameters
    ----------
    text : str
        Digits and unit, such as "93.6 %", "30,522" or "2.5×10^-3".
    digits : int
        All digits as one integer: 936, 30522, 25.
    power : int
        The power of ten that the last digit counts: -1, 0, -4.
    unit : str
        A key of `UNITS`, or an empty string.
    form : range
        The digits of all numbers that are written like this one: as many before and after the point.
    negative : bool
        Whether a minus sign stands before it that does not subtract.
    pointed : bool
        Whether a point stands in it or after it, as in "1.".
    around : str
        The number among its neighbours, for a reader.
    """

    text: str
    digits: int
    power: int
    unit: str
    form: range
    negative: bool
    pointed: bool
    around: str

    @property
    def value(self):
        """Its value in units of one: an integer if it is written as one."""
        written = float(f"{'-' * self.negative}{self.digits}e{self.power}") * UNITS.get(self.unit, 1)
        return written if self.pointed or self.power or self.unit else int(written)

    @property
    def counts(self):
        """Whether the prose must not say it without a cell or a source."""
        return bool(self.unit) or self.power != 0 or self.digits >= 10

    def passing(self, values):
        """Find the numbers of the same form that are given by some values.

        Parameters
        ----------
        values : iterable of int or float
            What a cell shows.

        Returns
        -------
        set of int
            Their digits. Half of the last place is rounded both ways. An integer gives no decimals: 1 is not 1.00.
        """
        scale = UNITS.get(self.unit, 1)
        up, down = 10 ** max(-self.power, 0), scale * 10 ** max(self.power, 0)
        if self.power < 0 and scale == 1:
            values = [x for x in values if not isinstance(x, int)]
        shifted = [abs(x) / down * up for x in values if x < 0 or not self.negative]
        rounded = {round(x + nudge) for x in shifted if x <= self.form.stop for nudge in (-1e-6, 1e-6)}
        return {digits for digits in rounded if digits in self.form}


def read_numbers(text):
    """Read the numbers in a text.

    Parameters
    ----------
    text : str
        Words, or what a cell printed; powers are written as 10^-3 or with superscripts.

    Yields
    ------
    Number
        In their order.
    """
    text = re.sub("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]+", lambda run: "^" + run[0].translate(_SUPERSCRIPTS), text)
    text = re.sub(r"\s", " ", text.replace("−", "-"))
    for found in _NUMBER.finditer(text):
        before, after = text[max(0, found.start() - 40) : found.start()], text[found.end() : found.end() + 20]
        if _NAME.search(before) or (_OPEN.search(before) and re.match(r"\d{1,2}\)", text[found.start() :])):
            continue
        whole, _, decimals = (found["mantissa"] or "1").replace(",", "").partition(".")
        exponent = int(found["e"] or found["times_ten"] or found["ten"] or 0)
        digits = int(whole + decimals)
        size = 10 ** len(whole.removeprefix("0") + decimals)
        least = 1 if whole == "0" else size // 10
        yield Number(
            text=found[0].strip(),
            digits=digits,
            power=exponent - len(decimals),
            unit=found["unit"] or "",
            form=range(min(least, digits), size),
            negative=bool(_MINUS.search(before)),
            pointed=bool(decimals or after.startswith(".")),
            around=f"{before}{found[0]}{after}".strip(),
        )


def read_prose(source):
    """Read the text of a Markdown cell without its code.

    Parameters
    ----------
    source : str
        MyST Markdown.

    Yields
    ------
    tag : str
        "h1", "h2", … where a heading begins, else an empty string.
    text : str
        A paragraph, a heading, a cell of a table or a displayed formula; LaTeX as text that `read_numbers` reads.
    """
    tag = ""
    for token in _MARKDOWN.parse(source):
        directive = re.match(r"\{([^}]*)\}\s*(.*)", token.info) if token.type in ("fence", "colon_fence") else None
        if token.type == "heading_open":
            tag = token.tag
        elif token.type == "inline":
            yield tag, "".join(map(_inline, token.children))
            tag = ""
        elif token.type in ("math_block", "math_block_label", "amsmath"):
            yield "", _latex(token.content)
        elif token.type == "html_block":
            yield "", re.sub(r"<!--.*?-->|<[^>]*>", " ", token.content, flags=re.DOTALL)
        elif directive and directive[1] not in CODE:
            body = re.sub(r"\A(?::.*\n)+", "", token.content)  # without options
            argument = "" if directive[1] in LABELLED else directive[2]
            yield from [("", _latex(body))] if directive[1] == "math" else read_prose(f"{argument}\n\n{body}")


def _inline(token):
    if token.type in ("text", "image"):
        return re.sub(r"\w+://\S+", "`…`", token.content)
    if token.type == "math_inline" or token.meta.get("name") == "math":
        return _latex(token.content)
    if token.type == "code_inline" and re.fullmatch(r"[\d\s.,()\[\]e+*/−-]+", token.content):
        return token.content
    return {"softbreak": " ", "hardbreak": " ", "code_inline": "`…`", "myst_role": "`…`"}.get(token.type, "")


def _latex(source):
    """Write LaTeX as text, as far as numbers are concerned."""
    source = re.sub(r"_\{\d+\}|\\tag\{\d+\}", " ", source)  # the index of an entry, such as that of row 1 and column 2
    source = re.sub(r"\\([dt]?frac) ?(\d)", r"\\\1{\2}", source)  # ½ is not 12
    source = re.sub(r"\\times\s*$", "×", source.replace("{,}", ",").replace(r"\%", "%"))  # a multiple
    source = re.sub(r"\\(?:cdot|times)(?![a-zA-Z])", "·", source)  # a product
    source = re.sub(r"\^\{([^{}]*)\}", r"^\1", source)
    return re.sub(r"\\[a-zA-Z]+|\\.|[{}~&]", " ", source)


def passages(nb):
    """List all that must not mention a number without a cell or a source.

    Parameters
    ----------
    nb : nbformat.NotebookNode
        A notebook.

    Yields
    ------
    section : int
        How many headings of the second level stand before it or in it.
    at : int
        The index of its cell.
    text : str
        Prose, an alt text, or a comment.
    """
    section = 0
    for at, cell in enumerate(nb.cells):
        if cell.cell_type == "markdown":
            for tag, text in read_prose(cell.source):
                section += tag == "h2"
                yield section, at, text
        elif cell.cell_type == "code":
            tokens = tokenize.generate_tokens(io.StringIO(cell.source).readline)
            comments = (token.string for token in tokens if token.type == tokenize.COMMENT)
            for text in (cell.metadata.get("mystnb", {}).get("image", {}).get("alt", ""), *comments):
                yield section, at, text


def shown(cell):
    """List the numbers that a code cell shows.

    Parameters
    ----------
    cell : nbformat.NotebookNode
        A code cell with its outputs.

    Returns
    -------
    list of list of float
        The literals of its source, with either sign; then the numbers of each output.
    """
    nodes = [node.value for node in ast.walk(ast.parse(cell.source)) if isinstance(node, ast.Constant)]
    literals = [value for value in nodes if isinstance(value, int | float)]
    typed = [value for value in nodes if isinstance(value, str) and any(it.counts for it in read_numbers(value))]
    return [[sign * x for x in literals for sign in (1, -1)], *(_values(output, typed) for output in cell.outputs)]


def _values(output, typed):
    """Read the numbers of an output: those of a widget's state, none of a picture, else those of its text."""
    data = output.get("data", {})
    if any(mime.startswith("image/") for mime in data):
        return []
    if states := _STATE.findall(data.get("text/html", "")):
        return [x for state in states for x in _leaves(json.loads(state))]
    text = output.get("text", output.get("evalue", data.get("text/plain", "")))
    for label in typed:  # what is printed as it was typed was not computed, unless its number goes on
        text = re.sub(rf"(?<![\d.](?=\d)){re.escape(label)}(?!(?<=\d)\.?\d|(?<=\^)-?\d|(?<=\^-)\d)", " ", text)
    return [number.value for number in read_numbers(text)]


def _leaves(value):
    if isinstance(value, dict | list):
        return [x for item in (value.values() if isinstance(value, dict) else value) for x in _leaves(item)]
    return [value] if isinstance(value, int | float) else []


def search(number, parts):
    """Find which numbers of the same form would pass, as long as a match is worth something.

    Parameters
    ----------
    number : Number
        What the prose says.
    parts : iterable of list of float
        What the cells of its section show, the nearest first.

    Returns
    -------
    set of int
        The digits of those that pass, at most the share `CHANCE` of all.
    """
    known = set()
    for values in parts:
        more = known | number.passing(values)
        known = more if len(more) <= max(1, CHANCE * len(number.form)) else known
    return known


def mentions(nb):
    """List the numbers in the prose of a notebook.

    Parameters
    ----------
    nb : nbformat.NotebookNode
        A notebook with its outputs.

    Yields
    ------
    cell : nbformat.NotebookNode
        The cell that mentions it.
    number : Number
        What it mentions.
    near : list of list of float
        What the code cells of the section show, the nearest first.
    """
    yield from _mentions(nb, _parts(nb))


def _parts(nb):
    return {at: shown(cell) for at, cell in enumerate(nb.cells) if cell.cell_type == "code"}


def _mentions(nb, parts):
    places = list(passages(nb))
    section_of = {at: section for section, at, _ in places}
    for section, at, text in places:
        near = sorted((other for other in parts if section_of[other] == section), key=lambda other: abs(other - at))
        for number in filter(lambda it: it.counts, read_numbers(text)):
            yield nb.cells[at], number, [values for other in near for values in parts[other]]


def problems(nb):
    """List the numbers in the prose of a notebook that nothing gives.

    Parameters
    ----------
    nb : nbformat.NotebookNode
        A notebook with its outputs.

    Returns
    -------
    list of str
        One line for each, and one for each entry of the metadata that does not hold.
    """
    parts = _parts(nb)
    cells = {nb.cells[at].id: [x for values in lists for x in values] for at, lists in parts.items()}
    found, mentioned = [], set()
    for cell, number, near in _mentions(nb, parts):
        entries = cell.metadata.get("mlnotes", {})
        name, source = (entries.get(kind, {}).get(number.text) for kind in ("numbers", "given"))
        mentioned.add((cell.id, number.text))
        where = f"cell {cell.id}: {number.text!r} in {number.around!r}"
        if source is not None:
            if not re.search(r"\w", source):
                found.append(f"{where}: its source is empty")
            programs = _PROGRAM.findall(source)
            if not programs and _OURS.search(source):
                found.append(f"{where}: its source names no program that measures it again")
            gone = [program for program in programs if not (_ROOT / program).is_file()]
            found += [f"{where}: there is no program {program!r}" for program in gone]
        elif name is not None:
            if name not in cells:
                found.append(f"{where}: there is no code cell {name!r}")
            elif number.digits not in number.passing(cells[name]):
                found.append(f"{where}: cell {name} does not give it")
        elif number.digits not in search(number, near):
            would = [key for key, values in cells.items() if number.digits in number.passing(values)]
            found.append(f"{where}: no cell near it gives it; elsewhere, {', '.join(would) or 'none does either'}")
    for cell in nb.cells:
        for kind, entries in cell.metadata.get("mlnotes", {}).items():
            gone = [text for text in entries if (cell.id, text) not in mentioned]
            found += [f"cell {cell.id}: its metadata has {text!r} under {kind!r}, its prose has not" for text in gone]
    return found
