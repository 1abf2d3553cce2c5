r"""Read sides of formulas, and turn them into functions of the values.

What is read is a function of a *scope*, which holds what the letters stand for. Products bind most closely and need no
sign; then ``\cdot``, ``\odot``, ``\times`` and ``/``, from the left; then sums.
"""

import itertools
import math
from dataclasses import dataclass
from functools import reduce

import numpy as np
from scipy.integrate import quad

from mlnotes.book.formulas.arrays import (
    BETWEEN,
    FUNCTIONS,
    ORDERS,
    FormulaError,
    blocks,
    column,
    is_number,
    norm,
    plus,
    power,
    size,
    times,
)
from mlnotes.book.formulas.latex import RELATIONS, SPACES, group_at, has_relation, joined, tokens
from mlnotes.book.formulas.letters import BOLD, DIFFERENTIAL, Letters, counting, whole

STEP = 1e-5  # of a central difference: on numbers of size one, truncation and rounding are off by about 1e-10 each
SLOPES = 1e-6  # the tolerance of formulas that are differentiated so
FAR = 30.0  # stands for infinity where something is integrated that falls as e^{-x}, or faster

_FONTS = {rf"\{it}" for it in "mathbf boldsymbol mathrm mathit mathcal mathsf operatorname text texttt".split()}
_ACCENTS = {r"\hat", r"\bar", r"\overline", r"\tilde"}
_CLOSING = {"(": ")", "[": "]", "{": "}", "|": "|", r"\lVert": r"\rVert", r"\lvert": r"\rvert"}
_ROUNDED = {r"\lceil": (math.ceil, r"\rceil"), r"\lfloor": (math.floor, r"\rfloor")}
_CLOSING |= {opening: closing for opening, (_, closing) in _ROUNDED.items()}
_ENDS = {None, "+", "-", ",", ";", "*", r"\\", "&", r"\endpmatrix", r"\endcases"}
_ENDS |= {*_CLOSING.values(), *SPACES, *RELATIONS, *BETWEEN}
_FOLDS = {r"\sum": plus, r"\prod": times, r"\max": max, r"\min": min}  # over a letter that runs


@dataclass(frozen=True)
class Letter:
    """A letter with its indices: a function of the scope."""

    letters: Letters
    name: str
    indices: tuple = ()

    def __call__(self, scope):
        return self.letters.value(self.name, [it(scope) for it in self.indices], scope)


class Reader:
    """Read a piece of a formula from its beginning on.

    Parameters
    ----------
    parts : list of str
        Its tokens.
    letters : Letters
        What its letters stand for.
    checked : callable
        Told of every comparison that is made inside of a side.
    """

    def __init__(self, parts, letters, checked):
        self.parts, self.at, self.inside_bars = list(parts), 0, False
        self.letters, self.checked = letters, checked

    # ---- tokens ----

    def peek(self):
        """Give the next token; None at the end."""
        return self.parts[self.at] if self.at < len(self.parts) else None

    def next(self):
        """Take the next token."""
        self.at += 1
        return self.parts[self.at - 1]

    def expect(self, token):
        """Take the next token, which must be this one."""
        if self.peek() != token:
            raise FormulaError(f"{token} must follow, got {' '.join(self.parts[self.at :]) or 'the end'}")
        self.at += 1

    def skip_spaces(self):
        """Pass over spaces."""
        while self.peek() in SPACES:
            self.at += 1

    def raw(self):
        """Take the tokens of a group, or one token with what a font needs."""
        if self.peek() == "{":
            depths = itertools.accumulate((it == "{") - (it == "}") for it in self.parts[self.at :])
            start, self.at = self.at + 1, self.at + 1 + next(i for i, it in enumerate(depths) if not it)
            return self.parts[start : self.at - 1]
        if self.peek() in _FONTS:
            return [self.next(), *self.raw()]
        if self.peek().isdigit():  # of \frac12, the 1
            self.parts[self.at : self.at + 1] = self.peek()
        return [self.next()]

    def apart(self, parts, read):
        """Read other tokens, all of them."""
        reader = Reader(parts, self.letters, self.checked)
        out = read(reader)
        reader.end()
        return out

    def end(self):
        """Make sure that nothing is left."""
        self.skip_spaces()
        if self.peek() is not None:
            raise FormulaError(f"cannot read on from {' '.join(self.parts[self.at :])}")

    # ---- sums, products ----

    def relations(self):
        """Read sides with the relations between them."""
        return self.relations_from([self.sum()])

    def relations_from(self, sides):
        """Read on from a side that stood on the line before."""
        sides = list(sides)
        while self.peek() in RELATIONS:
            sides += [self.next(), self.sum()]
        return sides

    def sum(self):
        """Read terms with their signs."""
        self.skip_spaces()
        terms = [] if self.peek() in ("+", "-") else [(1, self.term())]
        while self.peek() in ("+", "-"):
            sign = 1 if self.next() == "+" else -1
            self.skip_spaces()
            terms.append((sign, self.term()))
        if len(terms) == 1 and terms[0][0] == 1:
            return terms[0][1]
        return lambda scope: reduce(plus, [sign * it(scope) for sign, it in terms])

    def term(self):
        """Read products with the signs between them."""
        out = self.product()
        while self.peek() in BETWEEN or self.peek() == "*":
            out = self._joined(out, BETWEEN.get(self.peek()) or self.letters.values["*"])
        return out

    def _joined(self, left, between):
        self.at += 1
        right = self.product()
        return lambda scope: column(between(left(scope), right(scope)))

    def product(self, of_function=False):
        """Read what stands side by side; the argument of a function without brackets ends earlier."""
        self.skip_spaces()
        factors = []
        while self.peek() not in _ENDS or (self.peek() == "|" and not self.inside_bars):
            if of_function and factors and self.peek() in {r"\sum", r"\prod", *FUNCTIONS}:
                break
            factors.append(self.factor())
            if not of_function:
                self.skip_spaces()
        if not factors:
            raise FormulaError(f"something must stand before {' '.join(self.parts[self.at :]) or 'the end'}")
        return factors[0] if len(factors) == 1 else lambda scope: reduce(times, [it(scope) for it in factors])

    def factor(self):
        """Read one factor, with what it is raised to."""
        token = self.peek()
        if token in (r"\sum", r"\prod") or (token in (r"\max", r"\min") and self.parts[self.at + 1] == "_"):
            return self.fold()
        if token == "[" and self._dots_follow():
            return self.powers(self.row_of_blocks())
        known = {
            r"\frac": self.fraction,
            r"\tfrac": self.fraction,
            r"\dfrac": self.fraction,
            r"\sqrt": self.root,
            r"\int": self.integral,
            r"\partial": self.slope_in_a_line,
            r"\underset": self.above_a_label,
            r"\underbrace": self.above_a_brace,
            r"\beginpmatrix": self.matrix,
            r"\begincases": self.cases,
        }
        if token in known:
            return self.powers(known[token]())
        if token in _CLOSING:
            return self.powers(self.bracket())
        if token[0].isdigit():
            number = float(self.next())
            return self.powers(lambda scope: number)
        return self.named()

    def _dots_follow(self):
        rest = self.parts[self.at :]
        return "]" in rest and r"\cdots" in rest[: rest.index("]")]

    def argument(self):
        """Read the argument of a command: a group, or one token."""
        if self.peek() == "{":
            return self.apart(self.raw(), Reader.sum)
        if self.peek()[0].isdigit():
            number = float("".join(self.raw()))
            return lambda scope: number
        return Letter(self.letters, self.name())

    # ---- names, indices, powers ----

    def name(self):
        """Read a letter with its font, accents and primes."""
        token = self.next()
        if token in _FONTS:
            text = joined(self.raw())
            if token + text == DIFFERENTIAL and self.peek() not in (None, "_", "^", *SPACES):
                return DIFFERENTIAL + self.name()
            if token in BOLD and len(text) > 1 and text.isalpha():  # \mathbf{Ax}: the second letter is read next
                self.parts[self.at : self.at] = [token, "{", *text[1:], "}"]
                text = text[0]
            token += text
        elif token in _ACCENTS:
            token += joined(self.raw())
        return token + self._primes()

    def _primes(self):
        start = self.at
        while self.peek() == "'":
            self.at += 1
        return "'" * (self.at - start)

    def letter(self):
        """Read a name with its indices; give what it is raised to beside it."""
        name, indices, raised = self.name(), [], []
        while self.peek() in ("_", "^"):
            mark, raw = self.next(), self.raw()
            if name + mark + joined(raw) in self.letters.values and not indices:
                name += mark + joined(raw)
            elif mark == "_":
                indices += self.indices(raw)
            elif raw[0] == "(" and ")" in raw:  # a head, such as W^{(i)}
                end = raw.index(")")
                indices.append(self.apart(raw[1:end], Reader.sum))
                raised += [raw[end + 1 :]] if raw[end + 1 :] else []
            else:
                raised.append(raw)
            name += self._primes()
        return Letter(self.letters, name, tuple(indices)), raised

    def named(self):
        """Read a letter, or a function with its arguments."""
        letter, raised = self.letter()
        name, indices, letters = letter.name, letter.indices, self.letters
        opens = self.peek() in ("(", "[")
        if opens and (name + "(" in letters.values or (not indices and letters.is_function(name))):
            arguments = self.arguments()
            called = name + "(" if name + "(" in letters.values else name
        elif not indices and letters.is_function(name):
            arguments, called = [self.product(of_function=True)], name
        else:
            return self.powers(letter, raised)
        function = letters.values[letters.known_as(called, len(indices))]

        def call(scope):
            at = [counting(it(scope)) for it in indices]
            return column(function(*at, *(it(scope) for it in arguments)))

        return self.powers(call, raised)

    def arguments(self):
        """Read the arguments in brackets."""
        closing, inside, self.inside_bars = _CLOSING[self.next()], self.inside_bars, False
        found = [self.sum()]
        while self.peek() in (",", ";"):
            self.at += 1
            found.append(self.sum())
        self.skip_spaces()
        self.expect(closing)
        self.inside_bars = inside
        return found

    def indices(self, raw):
        """Read indices: letters side by side are several, anything with a sign is one."""
        raw = [it for it in raw if it not in SPACES]
        depths = list(itertools.accumulate((it in "({") - (it in ")}") for it in raw))
        if commas := [i for i, it in enumerate(raw) if it == "," and not depths[i]]:
            parts = [raw[i + 1 : j] for i, j in itertools.pairwise([-1, *commas, len(raw)])]
        elif any(it in "+-(" for it in raw):
            parts = [raw]
        else:
            parts = self._letter_by_letter([part for it in raw for part in (it if it.isdigit() else [it])])
        return [self.apart(it, Reader.sum) for it in parts]

    @staticmethod
    def _letter_by_letter(raw):
        parts = []
        for token in raw:
            goes_on = parts and (
                parts[-1][-1] in ("_", *_FONTS) or token in ("_", "'") or parts[-1].count("{") > parts[-1].count("}")
            )
            parts = [*parts[:-1], [*parts[-1], token]] if goes_on else [*parts, [token]]
        return parts

    def powers(self, base, raised=()):
        """Read what something is raised to, an index behind a bracket, a prime; and apply it."""
        for raw in raised:
            base = self.raised(base, raw)
        while self.peek() in ("^", "_", "'"):
            mark = self.next()
            if mark == "_":
                base = self._entry(base, self.indices(self.raw()))
            else:
                base = self.raised(base, self.raw() if mark == "^" else ["'"])
        return base

    def _entry(self, base, indices):
        return lambda scope: self.letters.entry(base(scope), [it(scope) for it in indices])

    def raised(self, base, raw):
        """Transpose, invert, differentiate, or raise to a power."""
        text = "".join(raw)
        if text == "'":
            if "'" not in self.letters.values:
                raise FormulaError("the letter by which ' differentiates must be given")
            return self.derivative(base, Letter(self.letters, self.letters.values["'"]))
        if text == r"\mathsfT":
            return lambda scope: np.transpose(base(scope))
        if text == r"-\mathsfT":
            return lambda scope: np.linalg.inv(base(scope)).T
        if text == "+":
            return lambda scope: np.linalg.pinv(base(scope))
        exponent = self.apart(raw, Reader.sum)
        return lambda scope: power(base(scope), exponent(scope))

    # ---- brackets ----

    def bracket(self):
        """Read what brackets hold: a side, a row of several, or a condition that counts as 1 or 0; bars measure it."""
        opening, inside = self.next(), self.inside_bars
        self.inside_bars = opening == "|"
        parts = [self.relations()]
        while self.peek() == ",":
            self.at += 1
            parts.append(self.relations())
        self.skip_spaces()
        self.expect(_CLOSING[opening])
        self.inside_bars = inside
        first = parts[0][0]
        if opening == "[" and self.peek() == "_":
            return self._between_ends(first)
        if opening == r"\lVert":
            return self._norm_of(first)
        if opening in ("|", r"\lvert"):
            return lambda scope: size(first(scope))
        if opening in _ROUNDED:
            return lambda scope: _ROUNDED[opening][0](first(scope))
        if len(parts[0]) > 1:
            return lambda scope: float(self.is_so(parts[0], scope))
        if len(parts) > 1:
            return lambda scope: np.array([[it[0](scope) for it in parts]])
        return first

    def _between_ends(self, inner):
        """Read the ends between which a square bracket grows."""
        if "[" not in self.letters.values:
            raise FormulaError("the letter between whose values a square bracket grows must be given")
        letter, (start, end) = self.letters.values["["], self._ends()

        def grown(scope):
            last, first = (inner(scope.new_child({letter: it(scope)})) for it in (end, start))
            return last - first

        return grown

    def _norm_of(self, inner):
        order = ""
        if self.peek() == "_":
            self.at += 1
            order = joined(self.raw())
        measure = self.letters.values.get(r"\lVert", norm)
        if order in ORDERS:
            return lambda scope: column(measure(inner(scope), ORDERS[order]))
        order = Letter(self.letters, order)
        return lambda scope: column(measure(inner(scope), order(scope)))

    def is_so(self, sides, scope):
        """Tell whether all relations hold."""
        return all(self.letters.holds(a(scope), relation, b(scope)) for a, relation, b in pairs(sides))

    def row_of_blocks(self):
        r"""Read what stands side by side in ``[\mathbf H_1\cdots\mathbf H_h]``."""
        self.at += 1
        first, _ = self.letter()
        self.expect(r"\cdots")
        last, _ = self.letter()
        self.expect("]")
        if first.name != last.name:
            raise FormulaError(f"a row of blocks must have one name, got {first.name} and {last.name}")

        def row(scope):
            ends = [int(it.indices[0](scope)) for it in (first, last)]
            return np.hstack([self.letters.value(first.name, [i], scope) for i in range(ends[0], ends[1] + 1)])

        return row

    def matrix(self):
        """Read blocks in rows."""
        self.at += 1
        rows = [[None]]
        while self.peek() != r"\endpmatrix":
            if self.peek() == "&":
                rows[-1].append(None)
            elif self.peek() == r"\\":
                rows.append([None])
            elif self.peek() == r"\vdots":  # nothing, where those around it follow each other
                self.at += 1
            elif self.peek() not in SPACES:
                rows[-1][-1] = self.sum()
                continue
            self.at += 1
        self.at += 1
        return lambda scope: blocks([[it and it(scope) for it in row] for row in rows])

    def cases(self):
        """Read values, each with the condition under which it is meant."""
        self.at += 1
        found = []
        while self.peek() != r"\endcases":
            if found:
                self.expect(r"\\")
            value = self.sum()
            self.at += self.peek() == ","
            self.expect("&")
            found.append((value, self.relations()))
        self.at += 1

        def meant(scope):
            true = [value for value, it in found if (self.is_so(it, scope) if len(it) > 1 else it[0](scope))]
            if len(true) != 1:
                raise FormulaError(f"exactly one case must be meant, got {len(true)}")
            return true[0](scope)

        return meant

    # ---- operators ----

    def fold(self):
        """Read a sum, a product, a largest or smallest, over letters that run."""
        kind, lower, upper = self.next(), [], None
        while self.peek() in ("_", "^"):
            if self.next() == "_":
                lower = self.raw()
            else:
                upper = self.apart(self.raw(), Reader.sum)
        body = self.term() if kind in (r"\sum", r"\prod") else self.product()
        running, condition = self.running(lower, upper)

        def folded(scope):
            found = []
            names = running(scope)
            for values in itertools.product(*names.values()):
                inner = scope.new_child(dict(zip(names, map(column, values), strict=True)))
                if self.is_so(condition, inner):
                    found.append(body(inner))
            return reduce(_FOLDS[kind], found) if found or kind != r"\sum" else 0.0

        return folded

    def running(self, lower, upper):
        """Read what stands under a sum: the letters that run, with their values, and the relation they must meet."""
        values, text = self.letters.values, joined(lower)
        if lower and lower[0] in _FONTS and lower[1] != "{":
            lower = ["".join(lower[:2]), *lower[2:]]  # one letter, such as \mathbf x
        if upper is not None:
            start = self.apart(lower[2:], Reader.sum)
            return lambda scope: {lower[0]: range(whole(start(scope)), whole(upper(scope)) + 1)}, []
        if isinstance(values.get(text), tuple):  # which letters run where a relation holds several
            return lambda scope: {it: values[it] for it in values[text]}, self.apart(lower, Reader.relations)
        if len(lower) > 1 and text in values:  # such as j with a word
            return lambda scope: {lower[0]: values[text]}, []
        if r"\in" in lower:
            inside = self.apart(lower[2:], Reader.sum)
            return lambda scope: {lower[0]: inside(scope)}, []
        if has_relation(lower):
            names = *lower, *map("".join, itertools.pairwise(lower))  # the letter may have a font
            letter = next(it for it in names if self.letters.runs(it))
            return lambda scope: {letter: values[letter]}, self.apart(lower, Reader.relations)
        return lambda scope: {it: values[it] for it in lower if it not in SPACES and it != ","}, []

    def root(self):
        r"""Read ``\sqrt``, or ``\sqrt[n]``."""
        self.at += 1
        if self.peek() != "[":
            inner = self.argument()
            return lambda scope: np.sqrt(inner(scope))
        start, self.at = self.at + 1, self.parts.index("]", self.at) + 1
        degree = self.apart(self.parts[start : self.at - 1], Reader.sum)
        inner = self.argument()
        return lambda scope: inner(scope) ** (1 / degree(scope))

    def fraction(self):
        """Read a fraction, or a derivative."""
        self.at += 1
        start = self.at
        top, bottom = self.raw(), self.raw()
        for sign in ([r"\partial"], ["d"], [r"\mathrm", "d"]):
            of, by = top[len(sign) :], bottom[len(sign) :]
            if top == [*sign, *of] and bottom == [*sign, *by] and by:
                function = self.apart(of, Reader.sum) if of else self.term()
                return self.derivative(function, self.apart(by, Reader.letter)[0])
        self.at = start
        top, bottom = self.argument(), self.argument()
        return lambda scope: top(scope) / bottom(scope)

    def integral(self):
        r"""Read ``\int_a^b f(x)\,dx``."""
        self.at += 1
        start, end = self._ends()
        at = next(i for i in range(self.at, len(self.parts)) if self.parts[i] == "d" and self.parts[i - 1] in SPACES)
        body, letter = self.apart(self.parts[self.at : at], Reader.sum), self.parts[at + 1]
        self.at = at + 2

        def integrated(scope):
            return quad(lambda x: body(scope.new_child({letter: x})), start(scope), end(scope), epsabs=1e-11)[0]

        return integrated

    def _ends(self):
        """Read from where to where; farther than FAR nothing is left to integrate."""
        found = {}
        while self.peek() in ("_", "^"):
            mark = self.next()
            found[mark] = self.apart(self.raw(), Reader.sum)
        return [lambda scope, end=found[it]: min(max(end(scope), -FAR), FAR) for it in "_^"]

    def slope_in_a_line(self):
        r"""Read ``\partial L/\partial x``, or one of a higher order: by one letter, or by several."""
        self.at += 1
        order = 1
        if self.peek() == "^":
            self.at += 1
            order = int(self.raw()[0])
        letter, raised = self.letter()
        of, by = self.powers(letter, raised), []
        self.expect("/")
        while len(by) < order:
            self.expect(r"\partial")
            letter, raised = self.letter()
            by += [letter] * (int(raised[0][0]) if raised else 1)
        if len(by) > order:
            raise FormulaError(f"a derivative of order {order} must have as many letters, got {len(by)}")
        return reduce(self.derivative, by, of)

    def derivative(self, of, by):
        """Differentiate by central differences: a number gives what has the letter's shape, a column the Jacobian."""
        self.letters.tolerance = max(self.letters.tolerance, SLOPES)
        name = self.letters.known_as(by.name, len(by.indices))

        def slope(scope):
            array = np.atleast_2d(np.array(self.letters.value(name, (), scope), float))
            places = np.arange(array.size).reshape(array.shape)
            if by.indices:
                places = np.atleast_2d(self.letters.entry(places, [it(scope) for it in by.indices]))
            found = []
            for place in places.ravel():
                step = np.zeros(array.size)
                step[place] = STEP
                step = step.reshape(array.shape)
                after, before = (of(scope.new_child({name: column(array + it)})) for it in (step, -step))
                found.append((after - before) / (2 * STEP))
            return column(np.reshape(found, places.shape) if is_number(found[0]) else np.hstack(found))

        return slope

    # ---- labels ----

    def above_a_label(self):
        r"""Read ``\underset{m\times n}{\mathbf A}``, whose shape is checked, or a name under what it names."""
        self.at += 1
        label = [it for it in self.raw() if it not in SPACES]
        inner = self.argument()
        if not all(len(it) == 1 or it == r"\times" or it.isdigit() for it in label):
            return self._equal_to(inner, self.apart(label, Reader.sum))
        sizes = [self.apart(tokens(it), Reader.product) for it in "".join(label).split(r"\times")]
        values = self.letters.values
        own = {it.removeprefix(r"\underset"): values[it] for it in values if it.startswith(r"\underset")}
        return self._of_shape(inner, lambda scope: tuple(int(it(scope.new_child(own))) for it in sizes))

    def _of_shape(self, inner, wanted):
        def shaped(scope):
            value, shape = inner(scope), wanted(scope)
            found = (1, 1) if is_number(value) else value.shape
            if shape != found and (*shape, 1) != found:
                raise FormulaError(f"the shape under a symbol must be its shape, got {shape} for {found}")
            self.checked()
            return value

        return shaped

    def above_a_brace(self):
        """Read what stands above a brace, which must be what stands under it, if that is no word."""
        self.at += 1
        inner = self.argument()
        if self.peek() != "_":
            return inner
        self.at += 1
        label, kept = self.raw(), []
        while label:
            if label[0] == r"\text":
                label = label[len(group_at(label, 0)) :]
            else:
                kept.append(label.pop(0))
        return self._equal_to(inner, self.apart(kept, Reader.sum)) if kept else inner

    def _equal_to(self, inner, label):
        def labelled(scope):
            value, named = inner(scope), label(scope)
            if not self.letters.equal(value, named):
                raise FormulaError(f"what stands under must be what it stands under, got {named} under {value}")
            self.checked()
            return value

        return labelled


def pairs(sides):
    """Give each relation with the sides next to it."""
    return list(zip(sides[:-2:2], sides[1::2], sides[2::2], strict=True))
