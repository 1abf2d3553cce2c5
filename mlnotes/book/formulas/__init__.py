r"""Formulas are outputs too: read their LaTeX, put numbers for the letters, and see whether what they say is so.

**What is read.** The notation of this book, as a formula on the page has it: bold small letters are columns, bold large
ones matrices, ``x_i`` is an entry of ``\mathbf x``, ``x_{ij}`` one of ``\mathbf X``, ``\mathbf x_i`` its row i as a
column, all counted from 1. What stands side by side is multiplied, first of all; ``\cdot`` between columns is their dot
product; ``[\mathbf H_1\cdots\mathbf H_h]`` puts matrices side by side. A function without brackets takes what follows
up to a space of LaTeX, a sign or the next function. A fraction of ``\partial`` or ``d`` is differentiated by central
differences, an integral computed by SciPy.

**What is compared.** Both sides of every relation, for every value of the letters that run; the shapes that stand under
a symbol, and what stands under a brace; of ranges such as ``i=1,\dots,n``, the ends. Pieces without any of these say
nothing that could be false.

**What the letters stand for** is given by a dictionary whose keys are written as on the page::

    {r"\mathbf x": x, "p": From(lambda at: softmax(at[r"\mathbf x"])), "i": range(1, 6), "n": 5, "softmax": softmax}

A range or a list is a letter that runs, a tuple a set; a function is called with arguments, or with the indices of a
letter. `From` marks a value that others determine, so that a derivative with respect to those sees it move. Keys with a
meaning of their own:

=========================  =========================================================================================
``"tolerance"``, ``"≈"``   The largest difference of what is equal, and of what is nearly equal, in parts of a side
``"scale"``                The size of terms whose sum is said to be 0
``"value"``                What a formula without a relation is; a tuple for several pieces
``"="``                    What both sides of the only relation are
``"reached"``              Whether both sides of ≤ and ≥ are equal
``"wrap"``                 Whether indices go around, so that n and 0 are one place
``"'"``                    The letter by which a bracket with a prime is differentiated
``"["``                    The letter between whose values a square bracket with two ends grows
``r"\mathbf r("``          A function whose letter alone has a value
``r"x\leftarrow"``         The new x, which is x in what is said behind
``r"\text{plain:}"``       A dictionary: what letters are behind these words
``r"i\ne j"``              A tuple: the letters that run in such a sum, where it is more than one
``r"\pm"``                 A list of 1 and -1, or one of them
``r"\underset n"``         A size whose letter means something else in the same formula
``r"\lVert"``              A norm in place of NumPy's, which takes an array and the index
=========================  =========================================================================================
"""

import re
from dataclasses import dataclass

import numpy as np

from mlnotes.book.formulas import latex as cut
from mlnotes.book.formulas.arrays import FormulaError, column
from mlnotes.book.formulas.letters import From, Letters, RunningError
from mlnotes.book.formulas.reader import Letter, Reader, pairs

__all__ = ["FormulaError", "From", "NotRead", "evaluate"]


@dataclass(frozen=True)
class NotRead:
    """Mark a formula that says nothing that could be evaluated.

    Parameters
    ----------
    reason : str
        Why: it states a condition or a problem, or names a notation.
    """

    reason: str


def evaluate(latex, values):
    """Compare both sides of every relation in a formula.

    Parameters
    ----------
    latex : str
        The formula.
    values : dict
        What its letters stand for, by their LaTeX.

    Returns
    -------
    int
        How many pairs of numbers or arrays were compared.

    Raises
    ------
    FormulaError
        If a relation does not hold, or something cannot be read.
    """
    if headings := {name: it for name, it in values.items() if isinstance(it, dict)}:
        return _under_headings(latex, {name: it for name, it in values.items() if name not in headings}, headings)
    try:
        return _Formula(latex, values).compare()
    except FormulaError as error:
        raise FormulaError(f"{error}, in {latex}") from None
    except (ArithmeticError, AttributeError, LookupError, StopIteration, TypeError, ValueError) as error:
        raise FormulaError(f"cannot read or compute it ({error!r}), in {latex}") from error


def _under_headings(latex, values, headings):
    """Compare each part of a formula with the letters as they are under its heading."""
    if any(latex.count(it) != 1 for it in headings):
        raise FormulaError(f"a heading must stand once in its formula, got {list(headings)} in {latex}")
    first, *parts = re.split("(" + "|".join(map(re.escape, headings)) + ")", latex)
    compared = evaluate(first, values) if cut.tokens(re.sub(r"\\begin\{\w+\}", "", first)) else 0
    for heading, part in zip(parts[::2], parts[1::2], strict=True):
        compared += evaluate(part, values | headings[heading])
    return compared


def _short(value):
    """Write a value as far as an eye compares it."""
    return np.array2string(np.asarray(value), precision=6)


@dataclass
class _Statement:
    """Sides with the relations between them, and the conditions under which these are said to hold."""

    sides: list
    conditions: list


class _Formula:
    """One formula with its values, and the count of what was compared."""

    def __init__(self, latex, values):
        self.letters, self.compared = Letters(values), 0
        pieces, self.ranges = cut.pieces(latex, self.letters.values)
        self.statements = self._read(pieces)

    def compare(self):
        """Compare all that it says."""
        for statement in self.statements:
            before = self.compared
            self._hold(statement, self.letters.scope())
            self._assign(statement)
            if len(statement.sides) > 1 and self.compared == before:
                raise FormulaError("a relation must hold for some values, and none were tried")
        self._compare_ranges()
        if not self.compared:
            raise FormulaError("a formula must hold a relation, or its value be given")
        return self.compared

    def _read(self, pieces):
        found, line_ended = [], False
        for piece, end in pieces:
            if found and cut.is_in_brackets(piece) and cut.has_relation(piece):
                found[-1].conditions.append(self._apart(piece[1:-1], Reader.relations))
            elif piece[0] in cut.RELATIONS and line_ended:
                last = found[-1].sides[-1]
                found.append(_Statement(self._apart(piece, lambda it, last=last: it.relations_from([last])), []))
            else:
                found.append(_Statement(self._apart(piece, Reader.relations), []))
            line_ended = end == r"\\"
        return self._with_given_values(found)

    def _apart(self, piece, read):
        reader = Reader(piece, self.letters, self._count)
        out = read(reader)
        reader.end()
        return out

    def _with_given_values(self, statements):
        """Put a relation where only a value is given, and one more behind the only one."""
        values = self.letters.values
        if isinstance(given := values.get("value", ()), tuple) and given:
            if len(given) != len(statements):
                raise FormulaError(f"{len(statements)} pieces must have a value each, got {len(given)}")
            values |= {f"value {i}": column(it) for i, it in enumerate(given)}
        for i, statement in enumerate(statements):
            if "value" in values and len(statement.sides) == 1:
                value = Letter(self.letters, f"value {i}" if isinstance(given, tuple) else "value")
                statement.sides += [r"\approx" if "≈" in values else "=", value]
        if "=" in values:
            if len(statements) != 1 or len(statements[0].sides) == 1:
                raise FormulaError("what both sides are can be given for one relation only")
            statements[0].sides += ["=", Letter(self.letters, "=")]
        return statements

    def _hold(self, statement, scope):
        """Compare neighbouring sides, for every value of the letters that run."""
        try:
            if not all(self._is_so(*it, scope) for condition in statement.conditions for it in pairs(condition)):
                return
            if len(statement.sides) == 1:
                statement.sides[0](scope)  # for the shapes under its symbols
            for left, relation, right in pairs(statement.sides):
                if relation != r"\in":
                    self._compare(left, relation, right, scope)
        except RunningError as letter:
            name = letter.args[0]
            for value in self.letters.values[name]:
                self._hold(statement, scope.new_child({name: column(value)}))

    def _compare(self, left, relation, right, scope):
        reached = relation in (r"\le", r"\ge") and self.letters.values.get("reached", False)
        if not self._is_so(left, "=" if reached else relation, right, scope):
            at = ", ".join(f"{name} = {value}" for running in scope.maps[:-1] for name, value in running.items())
            a, b = self._new(left, relation)(scope), right(scope)
            raise FormulaError(f"{_short(a)} {relation} {_short(b)} is not so" + (f" at {at}" if at else ""))
        self._count()

    def _is_so(self, left, relation, right, scope):
        return self.letters.holds(self._new(left, relation)(scope), relation, right(scope))

    def _new(self, left, relation):
        r"""Give the new value of what stands before ``\leftarrow``."""
        return Letter(self.letters, left.name + relation, left.indices) if relation == r"\leftarrow" else left

    def _assign(self, statement):
        """Let what is said behind an assignment find the new value."""
        for left, relation, _ in pairs(statement.sides):
            if relation == r"\leftarrow" and left.name + relation in self.letters.values:
                self.letters.values[left.name] = self.letters.values[left.name + relation]

    def _compare_ranges(self):
        """See whether letters run from and to where the formula says; not where this depends on another letter."""
        for first, last in self.ranges:
            name = cut.joined(first[: first.index("=")]) if "=" in first else ""
            if not self.letters.runs(name):
                continue
            ends = [self._apart(it, Reader.sum) for it in (first[first.index("=") + 1 :], last)]
            try:
                said = [it(self.letters.scope()) for it in ends]
            except RunningError:
                continue
            given = self.letters.values[name]
            if said != [given[0], given[-1]]:
                raise FormulaError(f"{name} must run from {said[0]} to {said[1]}, got {given}")
            self._count()

    def _count(self):
        self.compared += 1
