"""Change one place of a program at a time, as people slip: an axis, a sign, a bound, a name, a line.

`rewrites` serves twice. On a reader's answer that is wrong, a change after which all calls come out right shows where
the slip is. On the book's own functions every change makes a wrong version, which the checks must refuse.
"""

import ast
import copy
import itertools
import re
from contextlib import ExitStack
from dataclasses import dataclass

SWAPPED_OPERATORS = {
    ast.Add: [ast.Sub, ast.Mult],
    ast.Sub: [ast.Add],
    ast.Mult: [ast.Div, ast.MatMult, ast.Add, ast.Pow],
    ast.Div: [ast.Mult, ast.FloorDiv],
    ast.FloorDiv: [ast.Div],
    ast.MatMult: [ast.Mult],
    ast.Pow: [ast.Mult],
    ast.Mod: [ast.FloorDiv],
    ast.BitAnd: [ast.BitOr],
    ast.BitOr: [ast.BitAnd],
}
SWAPPED_IN_PLACE = {ast.Add: [ast.Sub], ast.Sub: [ast.Add], ast.Mult: [ast.Div], ast.Div: [ast.Mult]}
SWAPPED_COMPARISONS = {
    ast.Lt: [ast.LtE, ast.Gt],
    ast.LtE: [ast.Lt, ast.GtE],
    ast.Gt: [ast.GtE, ast.Lt],
    ast.GtE: [ast.Gt, ast.LtE],
    ast.Eq: [ast.NotEq],
    ast.NotEq: [ast.Eq],
}
# What NumPy makes by indexing has no end as a sequence: without its index, no array of it is ever ready.
MADE_BY_INDEXING = {"r_", "c_", "mgrid", "ogrid"}
SWAPPED_FUNCTIONS = {
    frozenset(pair)
    for group in (
        ("sum", "mean", "prod"),
        ("max", "min"),
        ("argmax", "argmin"),
        ("maximum", "minimum"),
        ("exp", "log", "expm1"),
        ("log", "log2", "log10", "log1p"),
        ("sin", "cos", "tan"),
        ("arctan", "arctan2", "arccos", "arcsin"),
        ("sinh", "cosh", "tanh"),
        ("zeros", "ones"),
        ("zeros_like", "ones_like"),
        ("tril", "triu"),
        ("floor", "ceil", "round"),
        ("all", "any"),
        ("var", "std"),
        ("inner", "outer", "dot"),
        ("concatenate", "stack"),
        ("vstack", "hstack"),
        ("cumsum", "cumprod"),
        ("argsort", "sort"),
        ("repeat", "tile"),
        ("eigh", "eig"),
        ("sqrt", "square"),
        ("append", "extend"),
    )
    for pair in itertools.combinations(group, 2)
}
REDUCTIONS = frozenset(
    "max min sum mean prod any all std var argmax argmin cumsum cumprod norm amax amin flip sort argsort softmax "
    "log_softmax logsumexp nansum median".split()
)


@dataclass(frozen=True)
class Scope:
    """The names that a definition may use for its own: parameters, those with a default, variables; what it reads."""

    parameters: tuple
    optional: tuple
    variables: tuple
    read: tuple

    @classmethod
    def of(cls, tree):
        """Read them off a program."""
        arguments = [node.args for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.Lambda)]
        names = [it.arg for args in arguments for it in args.posonlyargs + args.args + args.kwonlyargs]
        optional = [it.arg for args in arguments for it in (args.args[len(args.args) - len(args.defaults) :])]
        optional += [it.arg for args in arguments for it in args.kwonlyargs]
        stored = [it.id for it in ast.walk(tree) if isinstance(it, ast.Name) and isinstance(it.ctx, ast.Store)]
        read = [it.id for it in ast.walk(tree) if isinstance(it, ast.Name) and isinstance(it.ctx, ast.Load)]
        groups = names, optional, stored, read
        return cls(*(tuple(dict.fromkeys(name for name in it if name != "xp")) for it in groups))


def rewrites(tree, rules=None, wanted=lambda node: True):
    """Change a program in one place after another.

    Parameters
    ----------
    tree : ast.Module
        The program. It is changed in place while the generator waits, and whole again afterwards.
    rules : sequence of callable, optional
        Which kinds of change to make, in this order; by default all but additions, likely ones first.
    wanted : callable
        Takes a node and tells whether it may be changed.

    Yields
    ------
    kind : str
        What was changed, in the words of `HINTS`.
    line : int or tuple of int
        The line of the place, or of all places that are changed alike.
    """
    scopes = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            for it in (node.left, *node.comparators):
                it.compared = True
        for it in _asked_for_its_size(node):
            it.measured = True
        for it in _written_into(node):
            it.written = True
        for it in node.args if isinstance(node, ast.Call) and _called(node) in ("reshape", "view") else ():
            it.shaped = True
    for definition in tree.body:
        scopes |= dict.fromkeys(map(id, ast.walk(definition)), Scope.of(definition))
    for rule in rules or RULES:
        if rule in (*BODY_RULES, let_through, set_once):
            yield from rule(tree, wanted)
            continue
        for holder, field, index, node in list(_places(tree)):
            if not hasattr(node, "lineno") or not wanted(node):
                continue
            scope = scopes.get(id(node)) or scopes[id(holder)]
            for kind, new in rule(node, scope):
                for it in new if isinstance(new, list) else [new]:
                    ast.fix_missing_locations(ast.copy_location(it, node))
                with _put(holder, field, index, new):
                    yield kind, node.lineno


class _put:
    """Put a node, or the nodes of a list, where another stands, for a while."""

    def __init__(self, holder, field, index, new):
        self.holder, self.field, self.index, self.new = holder, field, index, new

    def __enter__(self):
        self.old = getattr(self.holder, self.field)
        if self.index is None:
            setattr(self.holder, self.field, self.new)
        else:
            new = self.new if isinstance(self.new, list) else [self.new]
            setattr(self.holder, self.field, self.old[: self.index] + new + self.old[self.index + 1 :])

    def __exit__(self, *_):
        setattr(self.holder, self.field, self.old)


def _places(tree):
    """List every node below the definition with the field that holds it, in the order of the text."""
    for holder in ast.walk(tree):
        for field, value in ast.iter_fields(holder):
            if _made_by_indexing(value):
                continue
            if isinstance(holder, ast.ExceptHandler) and field == "type":
                continue  # whatever raises while it is looked up would pass for the exception that is caught
            if isinstance(value, ast.AST):
                yield holder, field, None, value
            elif isinstance(value, list):
                yield from ((holder, field, i, it) for i, it in enumerate(value) if isinstance(it, ast.AST))


def _made_by_indexing(node):
    return isinstance(node, ast.Attribute) and node.attr in MADE_BY_INDEXING


# Rules: each takes a node and the names in scope, and yields what could stand there instead.


def axis(node, scope):
    """Another axis."""
    if isinstance(node, ast.keyword) and node.arg in ("axis", "dim"):
        for value in [*map(_constant, (-1, 0, -2, 1, None)), *_names(scope, "axis", "dim")]:
            if ast.unparse(value) != ast.unparse(node.value):
                yield "axis", ast.keyword(node.arg, value)


def axis_named(node, scope):
    """An axis where none is named; another one that is kept."""
    if not isinstance(node, ast.Call) or _called(node) not in REDUCTIONS:
        return
    kept = ast.Call(node.func, node.args, [it for it in node.keywords if it.arg not in ("axis", "dim")])
    for value in [*_names(scope, "axis", "dim"), *map(_constant, (-1, 0, -2))]:
        if not _has(node, "axis", "dim"):
            yield "axis", _with(node, axis=value)
        if not _has(node, "keepdims", "keepdim"):
            yield "axis", _with(kept, axis=value, keepdims=_constant(True))


def keepdims(node, scope):
    """Sums that keep their axis, or lose it."""
    if not isinstance(node, ast.Call) or _called(node) not in REDUCTIONS:
        return
    if _has(node, "keepdims", "keepdim"):
        kept = [it for it in node.keywords if it.arg not in ("keepdims", "keepdim")]
        yield "keepdims", ast.Call(node.func, node.args, kept)
    else:
        yield "keepdims", _with(node, keepdims=_constant(True))


def operator(node, scope):
    """Another operator, or the same with its sides exchanged."""
    if isinstance(node, ast.AugAssign):
        swapped = SWAPPED_OPERATORS if isinstance(node.target, ast.Name) else SWAPPED_IN_PLACE
        for it in swapped.get(type(node.op), ()):
            if it is not ast.Pow:  # turn by turn it grows beyond all memory
                yield "operator", ast.AugAssign(node.target, it(), node.value)
    if not isinstance(node, ast.BinOp):
        return
    for it in SWAPPED_OPERATORS.get(type(node.op), ()):
        yield "operator", ast.BinOp(node.left, it(), node.right)
    if isinstance(node.op, ast.Sub | ast.Div | ast.MatMult | ast.Pow | ast.FloorDiv):
        kind = "order" if isinstance(node.op, ast.MatMult) else "operator"
        yield kind, ast.BinOp(node.right, node.op, node.left)


def parentheses(node, scope):
    """Parentheses that are missing, or stand elsewhere."""
    if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.BinOp):
        inside, *others = node.args
        call = ast.Call(node.func, [inside.left, *others], node.keywords)
        yield "parentheses", ast.BinOp(call, inside.op, inside.right)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.BinOp):
        yield "parentheses", ast.BinOp(ast.UnaryOp(node.op, node.operand.left), node.operand.op, node.operand.right)
    if not isinstance(node, ast.BinOp):
        return
    for inner, turned in ((node.right, False), (node.left, True)):
        if isinstance(inner, ast.BinOp) and not (type(inner.op) is type(node.op) in (ast.Add, ast.Mult, ast.MatMult)):
            a, b, c = (inner.left, inner.right, node.right) if turned else (node.left, inner.left, inner.right)
            first, second = (inner.op, node.op) if turned else (node.op, inner.op)
            one, other = ast.BinOp(ast.BinOp(a, first, b), second, c), ast.BinOp(a, first, ast.BinOp(b, second, c))
            yield "parentheses", other if turned else one
    if isinstance(node.left, ast.Call) and node.left.args:
        inside, *others = node.left.args
        within = ast.BinOp(inside, node.op, node.right)  # the mean of squares, for the square of the mean
        yield "parentheses", ast.Call(node.left.func, [within, *others], node.left.keywords)


def comparison(node, scope):
    """Another comparison, or its opposite."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        for it in SWAPPED_COMPARISONS.get(type(node.ops[0]), ()):
            yield "comparison", ast.Compare(node.left, [it()], node.comparators)
        if isinstance(node.ops[0], ast.Is | ast.IsNot):
            other = ast.IsNot() if isinstance(node.ops[0], ast.Is) else ast.Is()
            yield "comparison", ast.Compare(node.left, [other], node.comparators)
    elif isinstance(node, ast.BoolOp):
        yield "comparison", ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)


def constant(node, scope):
    """A number next to it, its negative, its inverse; one zero more or less; True for False."""
    if not isinstance(node, ast.Constant):
        return
    value = node.value
    if isinstance(value, bool):
        yield "constant", _constant(not value)
    elif isinstance(value, int):
        with_zeros = (10 * value, value // 10) if abs(value) >= 100 else ()
        for it in dict.fromkeys((value + 1, value - 1, -value, 2 * value, *with_zeros)):
            if it != value:
                yield "constant", _constant(it)
    elif isinstance(value, float) and value:
        with_zeros = (10 * value, value / 10) if abs(value) >= 100 else ()
        for it in (-value, 1 / value, 2 * value, value / 2, value * value, *with_zeros):  # may be inf; ** would raise
            if it != value:
                yield "constant", _constant(it)
    elif value == 0.0:
        for it in ("-np.inf", "1.0"):
            yield "constant", _expression(it)


def fill(node, scope):
    """What `where` fills in: minus infinity, zero; its branches exchanged."""
    if isinstance(node, ast.Call) and _called(node) == "where" and len(node.args) == 3:
        condition, yes, no = node.args
        yield "condition", ast.Call(node.func, [condition, no, yes], node.keywords)
        for it in ("-np.inf", "0.0"):
            yield "constant", ast.Call(node.func, [condition, yes, _expression(it)], node.keywords)
            yield "constant", ast.Call(node.func, [condition, _expression(it), no], node.keywords)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        if isinstance(node.operand.value, int | float) and abs(node.operand.value) >= 1e3:
            yield "constant", _expression("-np.inf")


def sign(node, scope):
    """A sign or a negation left out."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Invert | ast.Not):
        yield {ast.USub: "sign", ast.Invert: "opposite", ast.Not: "condition"}[type(node.op)], node.operand


def _written_into(node):
    """Take the arrays whose entries an assignment sets, and the objects whose attributes."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AugAssign) else []
    for it in (it for target in targets for it in getattr(target, "elts", [target])):
        while isinstance(it, ast.Subscript | ast.Attribute):
            it = it.value
            yield it


def name(node, scope):
    """Another variable."""
    if not hasattr(node, "written"):
        yield from _other_names(node, scope)


def written_name(node, scope):
    """Another variable, where entries are set: tried late, for what is set elsewhere is often only left out."""
    if hasattr(node, "written"):
        yield from _other_names(node, scope)


def _other_names(node, scope):
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        known = (*scope.parameters, *scope.variables)
        if node.id in known:
            yield from (("name", _load(it)) for it in known if it != node.id)


def called_function(node, scope):
    """Another function of the same kind."""
    if isinstance(node, ast.Attribute | ast.Name) and isinstance(node.ctx, ast.Load):
        this = node.attr if isinstance(node, ast.Attribute) else node.id
        for pair in SWAPPED_FUNCTIONS:
            if this in pair:
                [other] = pair - {this}
                yield "function", (
                    ast.Attribute(node.value, other, ast.Load()) if isinstance(node, ast.Attribute) else _load(other)
                )


def _asked_for_its_size(node):
    """Take what stands within ``len()``, or before ``.shape``: whoever transposes that asks for another axis."""
    if isinstance(node, ast.Call) and _called(node) == "len":
        return node.args
    return [node.value] if isinstance(node, ast.Attribute) and node.attr == "shape" else []


def transposed(node, scope):
    """A transpose left out."""
    kind = "size" if hasattr(node, "measured") else "transpose"
    if isinstance(node, ast.Attribute) and node.attr in ("T", "mT"):
        yield kind, node.value
    elif isinstance(node, ast.Call) and _called(node) in ("swapaxes", "transpose", "matrix_transpose"):
        yield kind, node.func.value if _is_method(node) else node.args[0]


def bounds(node, scope):
    """A range or a slice that begins or ends one place before or after."""
    if isinstance(node, ast.Call) and _called(node) in ("range", "arange") and not node.keywords:
        args = node.args
        one = _constant(1)
        last = args[-1] if len(args) == 1 else args[1] if len(args) > 1 else None
        if last is None:
            return
        for it in (ast.BinOp(last, ast.Add(), one), ast.BinOp(last, ast.Sub(), one)):
            yield "bounds", ast.Call(node.func, [it] if len(args) == 1 else [args[0], it, *args[2:]], [])
        if len(args) == 1:
            yield "bounds", ast.Call(node.func, [one, last], [])
            yield "bounds", ast.Call(node.func, [one, ast.BinOp(last, ast.Add(), one)], [])
        else:
            yield "bounds", ast.Call(node.func, [last], [])
            for it in (ast.BinOp(args[0], ast.Add(), one), ast.BinOp(args[0], ast.Sub(), one)):
                yield "bounds", ast.Call(node.func, [it, *args[1:]], [])
            for op in (ast.Sub(), ast.Add()):
                yield "bounds", ast.Call(node.func, [ast.BinOp(it, op, one) for it in args[:2]] + args[2:], [])
        if _called(node) == "range":
            yield "order", ast.Call(_load("reversed"), [node], [])
    elif isinstance(node, ast.Slice):
        for field, missing in (("lower", (1,)), ("upper", (-1,))):
            edge = getattr(node, field)
            if edge is None:
                values = map(_constant, missing)
            else:
                one = _constant(1)
                values = (ast.BinOp(edge, ast.Add(), one), ast.BinOp(edge, ast.Sub(), one), None)
            for it in values:
                yield "bounds", ast.Slice(**{**dict(ast.iter_fields(node)), field: it})
        if node.step is not None:
            yield "bounds", ast.Slice(node.lower, node.upper, None)


def subscript(node, scope):
    """Indices exchanged, an index left out."""
    if not isinstance(node, ast.Subscript):
        return
    if isinstance(node.slice, ast.Tuple) and len(node.slice.elts) > 1:
        for elements in _exchanged(node.slice.elts):
            yield "index", ast.Subscript(node.value, ast.Tuple(elements, ast.Load()), node.ctx)
    if isinstance(node.ctx, ast.Load) and not _made_by_indexing(node.value):
        yield "index", node.value


def subscripts(node, scope):
    """Two letters of one term of an einsum exchanged."""
    if isinstance(node, ast.Call) and _called(node) == "einsum" and isinstance(node.args[0], ast.Constant):
        parts = re.split("(,|->)", node.args[0].value)
        for k, part in enumerate(parts):
            for i, j in itertools.combinations([i for i, it in enumerate(part) if it.isalpha()], 2):
                term = list(part)
                term[i], term[j] = term[j], term[i]
                changed = "".join([*parts[:k], *term, *parts[k + 1 :]])
                yield "index", ast.Call(node.func, [_constant(changed), *node.args[1:]], node.keywords)


def across(node, scope):
    """Columns in place of rows, rows in place of columns."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        whole = ast.Slice()
        if not isinstance(node.slice, ast.Tuple):
            yield "index", ast.Subscript(node.value, ast.Tuple([whole, node.slice], ast.Load()), node.ctx)
        elif len(node.slice.elts) == 2 and ast.dump(node.slice.elts[0]) == ast.dump(whole):
            yield "index", ast.Subscript(node.value, node.slice.elts[1], node.ctx)


def exchanged_arguments(node, scope):
    """Two arguments of a call in the other order."""
    if isinstance(node, ast.Call) and not any(isinstance(it, ast.Starred) for it in node.args):
        for args in _exchanged(node.args[:4]):
            yield "order", ast.Call(node.func, args + node.args[4:], node.keywords)
    elif isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Load) and 2 <= len(node.elts) <= 3:
        for elements in _exchanged(node.elts):
            yield "order", ast.Tuple(elements, ast.Load())


def exchanged_names(node, scope):
    """Two variables, each in the other's place."""
    if isinstance(node, ast.Compare | ast.BinOp | ast.Call | ast.Subscript):
        known = (*scope.parameters, *scope.variables)
        used = dict.fromkeys(it.id for it in ast.walk(node) if isinstance(it, ast.Name) and it.id in known)
        for one, other in itertools.combinations(used, 2):
            changed = copy.deepcopy(node)
            for it in ast.walk(changed):
                if isinstance(it, ast.Name) and it.id in (one, other):
                    it.id = one if it.id == other else other
            yield "name", changed


def conditional(node, scope):
    """A condition turned round, or branches exchanged."""
    if isinstance(node, ast.IfExp):
        yield "condition", ast.IfExp(node.test, node.orelse, node.body)
        yield "condition", node.body
        yield "condition", node.orelse
    elif isinstance(node, ast.If):
        yield "condition", ast.If(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)


def handed_on(node, scope):
    """An optional argument handed on by its own name, or in place of a number."""
    if isinstance(node, ast.Call):
        used = {it.id for it in ast.walk(node) if isinstance(it, ast.Name)}
        for it in scope.parameters:
            kind = "value" if it in scope.read else "argument"
            if it not in used and _called(node) == "range" and len(node.args) == 1:
                yield kind, ast.Call(node.func, [_constant(0), *node.args, _load(it)], [])
            elif it not in used and not _has(node, it):
                yield "argument", _with(node, **{it: _load(it)})
                yield kind, ast.Call(node.func, [*node.args, _load(it)], node.keywords)
    elif isinstance(node, ast.Constant):
        # A number that is compared with a variable may stand for a condition that never holds.
        known = scope.parameters if hasattr(node, "compared") else (*scope.parameters, *scope.variables)
        for it in known:
            unread = it in scope.parameters and it not in scope.read
            yield "argument" if unread else "value" if it in scope.parameters else "constant", _load(it)


def dropped(node, scope):
    """A term, a factor or a function around it that is too much."""
    if isinstance(node, ast.BinOp):
        yield "extra", node.left
        yield "extra", node.right
    elif isinstance(node, ast.Call) and _called(node) not in ("copy", "deepcopy"):  # without, an array is overwritten
        if _is_method(node):
            yield "extra", node.func.value
        if node.args and not isinstance(node.args[0], ast.Starred):
            yield "extra", node.args[0]
    elif isinstance(node, ast.keyword) and node.arg:
        yield "extra", []
    elif isinstance(node, ast.BoolOp):
        yield from (("extra", it) for it in node.values)


def surplus(node, scope):
    """A last argument that is too much."""
    if isinstance(node, ast.Call) and len(node.args) > 1 and not any(isinstance(it, ast.Starred) for it in node.args):
        yield "extra", ast.Call(node.func, node.args[:-1], node.keywords)


def turned(node, scope):
    """A transpose, a sign or a negation that is missing."""
    if _is_value(node):
        yield "size" if hasattr(node, "measured") else "transpose", _expression("np.swapaxes(_, -1, -2)", node)
        if not hasattr(node, "shaped"):  # NumPy takes any negative size for -1
            yield "sign", ast.UnaryOp(ast.USub(), node)
            yield "opposite", ast.UnaryOp(ast.Invert(), node)


def rows_apart(node, scope):
    """Rows that are one and the same list."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and isinstance(node.left, ast.List):
        row = node.left.elts[0] if len(node.left.elts) == 1 else None
        if isinstance(row, ast.List | ast.ListComp | ast.BinOp | ast.Call):
            count = ast.Call(_load("range"), [node.right], [])
            once = ast.comprehension(ast.Name("_", ast.Store()), count, [], 0)
            yield "rows", ast.ListComp(row, [once])


def fractions(node, scope):
    """An array for whole numbers, into which others are written; a narrow dtype."""
    makes = ("array", "asarray", "zeros", "zeros_like", "ones_like", "empty_like", "full", "full_like")
    if isinstance(node, ast.Call) and _called(node) in makes and node.args:
        kept = [it for it in node.keywords if it.arg != "dtype"]
        new = ast.Call(node.func, node.args, [*kept, ast.keyword("dtype", _load("float"))])
        if ast.unparse(new) != ast.unparse(node):
            yield "whole", new
    elif isinstance(node, ast.Attribute) and node.attr in ("float16", "float32"):
        yield "whole", _load("float")


def another_name_for_one(node, scope):
    """An array that has two names, and is written into under one of them."""
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and isinstance(node.value, ast.Name):
        yield "alias", ast.Assign(node.targets, _copied(node.value))


def all_axes(node, scope):
    """A transpose that turns all axes round, where two should change places."""
    if isinstance(node, ast.Attribute) and node.attr == "T":
        yield "all axes", ast.Attribute(node.value, "mT", node.ctx)
    elif isinstance(node, ast.Call) and _called(node) == "transpose" and len(node.args) == 1 - _is_method(node):
        yield "all axes", ast.Attribute(node.func.value if _is_method(node) else node.args[0], "mT", ast.Load())


def size(node, scope):
    """The size of the axis beside it."""
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
        beside = {"0": 1, "1": 0, "-1": -2, "-2": -1}.get(ast.unparse(node.slice))
        if beside is not None:
            yield "size", ast.Subscript(node.value, _constant(beside), node.ctx)


def wrapped(node, scope):
    """A function around it that is missing."""
    if _is_value(node) and not isinstance(node, ast.Constant):
        for form in (
            "np.sqrt(_)",
            "_ ** 2",
            "abs(_)",
            "np.exp(_)",
            "np.log(_)",
            "1 / _",
            "1 - _",
            "_ + 1",
            "_ - 1",
            "_ * 2",
            "_ / 2",
            "np.maximum(_, 0)",
            "np.asarray(_)",
            "_.copy()",
            "_[..., None]",
            "_[..., None, None]",
            "_[..., None, :]",
            "_[:, None]",
            "np.sum(_, axis=-1)",
            "_.T",
            "_[::-1]",
            "int(_)",
        ):
            yield "missing", _expression(form, node)


def guarded(node, scope):
    """A division that meets zero, a difference of infinities, a logarithm of zero."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        safe = _expression("np.where(_ == 0, 1, _)", node.right)
        yield "zero", ast.BinOp(node.left, ast.Div(), safe)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and not isinstance(node.right, ast.Constant):
        safe = _expression("np.where(np.isfinite(_), _, 0)", node.right)
        yield "infinity", ast.BinOp(node.left, ast.Sub(), safe)
    elif isinstance(node, ast.Call) and _called(node) == "log" and node.args:
        yield "zero", ast.Call(node.func, [_expression("np.where(_ > 0, _, 1)", node.args[0])], node.keywords)


def combined(node, scope):
    """A term or a factor made of a parameter that is missing."""
    if not _is_value(node) or isinstance(node, ast.Constant):
        return
    known = (*scope.parameters, *scope.variables)
    for it in known:
        for form in ("_ * {}", "_ / {}", "_ + {}", "_ - {}", "{} - _"):
            yield "missing", _expression(form.format(it), node)
    for it in known:
        for form in ("_ / len({})", "_ / {}.shape[-1]", "_ / {}.shape[-1] ** 0.5", "_ / {}.size", "_ * len({})"):
            yield "missing", _expression(form.format(it), node)


def in_place(node, scope):
    """An assignment that writes into what may be needed elsewhere."""
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        value = ast.BinOp(_load(node.target.id), node.op, node.value)
        yield "in place", ast.Assign([ast.Name(node.target.id, ast.Store())], value)
    elif isinstance(node, ast.AugAssign):
        target = copy.copy(node.target)
        yield "operator", ast.Assign([target], node.value)
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and _is_view(node.value):
        yield "view", ast.Assign(node.targets, _copied(node.value))
    elif isinstance(node, ast.Assign) and _exchanges_entries(node):
        yield "view", ast.Assign(node.targets, ast.Tuple([_copied(it) for it in node.value.elts], ast.Load()))
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        yield "operator", ast.Assign([ast.Name(node.target.id, ast.Store())], node.value)
    elif isinstance(node, ast.Assign) and len(node.targets) == 1 and not isinstance(node.targets[0], ast.Tuple):
        yield "operator", ast.AugAssign(node.targets[0], ast.Add(), node.value)


# What lies around the lines: rules that change a body, or two places at once, not an expression.


def twins(tree, wanted):
    """The same slip twice, in places that are alike but for names and signs: one for `a`, one for `b`."""
    scope, alike = Scope.of(tree), {}
    differs = re.compile(rf"id='({'|'.join((*scope.parameters, *scope.variables))})'|op=(Add|Sub)\(\)")
    for place in _places(tree):
        if isinstance(place[-1], ast.Call | ast.BinOp | ast.Subscript | ast.Attribute) and wanted(place[-1]):
            alike.setdefault(differs.sub("", ast.dump(place[-1])), []).append(place)
    pairs = [it for it in alike.values() if len(it) == 2]
    for rule in TWIN_RULES:
        for pair in pairs:
            for changes in zip(*(rule(node, scope) for *_, node in pair), strict=False):
                with ExitStack() as stack:
                    for (holder, field, index, node), (_, new) in zip(pair, changes, strict=True):
                        ast.fix_missing_locations(ast.copy_location(new, node))
                        stack.enter_context(_put(holder, field, index, new))
                    yield changes[0][0], tuple(sorted(node.lineno for *_, node in pair))


def left_out(tree, wanted):
    """A line too many."""
    for holder, field, body in _bodies(tree):
        for i, it in enumerate(body):
            if wanted(it) and not isinstance(it, ast.Return | ast.FunctionDef | ast.Import | ast.ImportFrom):
                with _put(holder, field, None, body[:i] + body[i + 1 :] or [ast.copy_location(ast.Pass(), it)]):
                    yield "statement", it.lineno


def moved(tree, wanted):
    """Two lines in the wrong order, a line at the wrong depth."""
    for holder, field, body in _bodies(tree):
        for i, it in enumerate(body):
            if not wanted(it):
                continue
            if i + 1 < len(body):
                with _put(holder, field, None, [*body[:i], body[i + 1], it, *body[i + 2 :]]):
                    yield "order", body[i + 1].lineno
            if isinstance(it, ast.For | ast.While):
                yield from _depth(holder, field, body, i, it)


def set_once(tree, wanted):
    """A line before a loop that belongs into each of its turns."""
    for holder, field, body in _bodies(tree):
        for before, loop in itertools.pairwise(body):
            if wanted(before) and isinstance(before, ast.Assign) and isinstance(loop, ast.For | ast.While):
                rest = [it for it in body if it is not before]
                with _put(holder, field, None, rest), _put(loop, "body", None, [before, *loop.body]):
                    yield "set once", before.lineno


def axes(tree, wanted):
    """The same axis, wrong in several places."""
    named = [it for it in ast.walk(tree) if isinstance(it, ast.keyword) and it.arg in ("axis", "dim") and wanted(it)]
    here = {ast.dump(it.value): [] for it in named}
    for it in named:
        here[ast.dump(it.value)].append(it)
    for value in [*_names(Scope.of(tree), "axis", "dim"), *map(_constant, (-1, 0, -2, 1))]:
        for old, group in here.items():
            if len(group) > 1 and old != ast.dump(value):
                originals = [it.value for it in group]
                for it in group:
                    it.value = ast.copy_location(value, it.value)
                yield "axis", tuple(sorted(it.lineno for it in group))
                for it, original in zip(group, originals, strict=True):
                    it.value = original


def copies(tree, wanted):
    """A copy of an argument that is missing before it is written to."""
    for definition in [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and wanted(node)]:
        for it in definition.args.args:
            line = ast.parse(f"{it.arg} = __import__('copy').deepcopy({it.arg})").body[0]
            ast.copy_location(line, definition.body[0])
            ast.fix_missing_locations(line)
            with _put(definition, "body", None, [line, *definition.body]):
                yield "in place", first_write(definition, it.arg)


def _depth(holder, field, body, i, loop):
    last = loop.body[-1]
    if len(loop.body) > 1:
        after, before = [*body[: i + 1], last, *body[i + 1 :]], [*body[:i], loop.body[0], *body[i:]]
        with _put(loop, "body", None, loop.body[:-1]), _put(holder, field, None, after):
            yield "indentation", last.lineno
        with _put(holder, field, None, before), _put(loop, "body", None, loop.body[1:]):
            yield "indentation", before[i].lineno
    if i + 1 < len(body) and not isinstance(body[i + 1], ast.Return):
        inside, rest = [*loop.body, body[i + 1]], body[: i + 1] + body[i + 2 :]
        with _put(loop, "body", None, inside), _put(holder, field, None, rest):
            yield "indentation", body[i + 1].lineno


def _bodies(tree):
    for holder in ast.walk(tree):
        for field in ("body", "orelse"):
            body = getattr(holder, field, None)
            if isinstance(body, list) and not isinstance(holder, ast.Module | ast.ClassDef):
                yield holder, field, body


def first_write(definition, name):
    """Find the line that writes into an argument."""
    for node in ast.walk(definition):
        target = node.target if isinstance(node, ast.AugAssign) else None
        if isinstance(node, ast.Assign):
            target = node.targets[0]
        if isinstance(target, ast.Subscript | ast.Attribute | ast.Name) and name in {
            it.id for it in ast.walk(target) if isinstance(it, ast.Name)
        }:
            return node.lineno
    return definition.lineno


def _exchanged(nodes):
    """Exchange two of several nodes, where that makes a difference."""
    for i, j in itertools.combinations(range(len(nodes)), 2):
        if ast.dump(nodes[i]) != ast.dump(nodes[j]):
            changed = list(nodes)
            changed[i], changed[j] = nodes[j], nodes[i]
            yield changed


def _called(node):
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _is_method(node):
    """Tell x.sum() from np.sum(x), as far as names tell."""
    owner = getattr(node.func, "value", None)
    return owner is not None and getattr(owner, "id", "") not in ("np", "math", "torch", "numpy", "xp")


def _has(node, *keywords):
    return any(it.arg in keywords for it in node.keywords)


def _with(node, **keywords):
    new = [ast.keyword(name, value) for name, value in keywords.items()]
    return ast.Call(node.func, node.args, [*node.keywords, *new])


def _names(scope, *wanted):
    return [_load(it) for it in wanted if it in scope.parameters]


def _constant(value):
    return ast.Constant(value)


def _load(name):
    return ast.Name(name, ast.Load())


def _is_value(node):
    """Tell whether a node is a value that a sign or a function could stand before."""
    if not isinstance(node, ast.expr) or isinstance(getattr(node, "ctx", None), ast.Store | ast.Del):
        return False
    return not isinstance(node, ast.Slice | ast.Starred | ast.JoinedStr | ast.FormattedValue | ast.Tuple | ast.Lambda)


def _is_view(node):
    """Tell whether a node cuts a part out of an array, which is no copy."""
    if not isinstance(node, ast.Subscript):
        return False
    return any(isinstance(it, ast.Slice) for it in getattr(node.slice, "elts", [node.slice]))


def _exchanges_entries(node):
    """Tell whether entries change places, of which each may be a row and so no copy."""
    return isinstance(node.value, ast.Tuple) and all(isinstance(it, ast.Subscript) for it in node.value.elts)


def _copied(node):
    return _expression("__import__('copy').deepcopy(_)", node)


def _expression(text, inside=None):
    """Parse an expression; `_` stands for a node."""
    tree = ast.parse(text, mode="eval").body

    class Fill(ast.NodeTransformer):
        def visit_Name(self, node):
            return inside if node.id == "_" else node

    return Fill().visit(tree) if inside is not None else tree


def exception(node, scope):
    """Another exception than ValueError."""
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call | ast.Name):
        arguments = node.exc.args if isinstance(node.exc, ast.Call) else []
        if ast.unparse(node.exc).split("(")[0] != "ValueError":
            yield "exception", ast.Raise(ast.Call(_load("ValueError"), arguments, []), None)
    elif isinstance(node, ast.Assert):
        refuse = ast.Raise(ast.Call(_load("ValueError"), [], []), None)
        yield "exception", ast.If(ast.UnaryOp(ast.Not(), node.test), [refuse], [])


def let_through(tree, wanted):
    """An exception that is caught and should go further."""
    for node in (it for it in ast.walk(tree) if isinstance(it, ast.ExceptHandler) and wanted(it)):
        last = node.body[-1]
        if any(isinstance(it, ast.Raise) for it in ast.walk(node)):
            continue
        kept = node.body[:-1] if isinstance(last, ast.Return | ast.Pass) else node.body
        with _put(node, "body", None, [*kept, ast.copy_location(ast.Raise(), last)]):
            yield "caught", last.lineno


# Ordinary slips first: what stands there and should be another, what is too much, which line stands where; what is
# missing comes last, for there are hundreds of things that could be.
SLIPS = (
    axis,
    keepdims,
    sign,
    dropped,
    operator,
    comparison,
    constant,
    name,
    called_function,
    transposed,
    bounds,
    subscript,
)
BODY_RULES = (twins, axes, left_out, moved, copies)
RULES = (
    exception,
    *SLIPS,
    parentheses,
    across,
    axis_named,
    subscripts,
    exchanged_names,
    exchanged_arguments,
    conditional,
    fill,
    left_out,
    written_name,
    in_place,
    handed_on,
    surplus,
    *(it for it in BODY_RULES if it is not left_out),
)
FORMS = (rows_apart, fractions, another_name_for_one, all_axes, size)  # of what an answer fills in, and of what it asks
ADDITIONS = (let_through, set_once, turned, guarded, wrapped, combined)
TWIN_RULES = (keepdims, operator, called_function, transposed, axis_named, exchanged_arguments)

HINTS = {
    "axis": "look at the axis",
    "keepdims": "look at keepdims",
    "sign": "look at the signs",
    "parentheses": "look at the parentheses",
    "operator": "look at the operators",
    "comparison": "look at the comparison",
    "constant": "look at the numbers that stand there, or are missing",
    "name": "look at which variable stands where",
    "function": "look at which function is called",
    "transpose": "look at what is transposed and what is not",
    "size": "look at which axis's size is asked for",
    "bounds": "look at where the range begins and ends",
    "index": "look at the indices",
    "order": "look at the order",
    "condition": "look at the condition and its branches",
    "opposite": "look at what is turned into its opposite and what is not",
    "argument": "an argument of yours does not reach the place where it is needed",
    "value": "look at which value stands there",
    "extra": "something stands there that is too much",
    "missing": "something is missing there, or something else belongs there",
    "zero": "look at what happens to zeros",
    "infinity": "look at what happens to infinities, and to what is divided by zero",
    "exception": "another exception is asked for",
    "caught": "an exception is caught that should come through",
    "rows": "all its rows are one list, and what is written into one stands in all",
    "whole": "look at its dtype: whole numbers cut off fractions, and narrow floats cut off digits",
    "statement": "it should not be there",
    "indentation": "look at how far it is indented",
    "all axes": "`.T` turns all axes round; of stacks, only the last two change places: np.swapaxes(…, -1, -2)",
    "set once": "what it sets is set once, before the loop, and should be set in each turn",
    "alias": "it is no copy but the same array: what is written into one stands in both",
    "view": "it is a part of an array and no copy: what is written into it is written into the array",
    "in place": "it writes into an array that is still needed as it was",
}
