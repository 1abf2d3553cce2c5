"""Measure the checks: change the book's functions one slip at a time, and count how many of the changes they refuse.

``python -m mlnotes.book.mutants [FUNCTION ...]``; without names, all functions. A change that the checks accept must
stand beside the bank, in ``mlnotes/checks/<part>/<name>.yml``, under the reason why it changes nothing; … stands for
anything.
"""

import argparse
import ast
import difflib
import functools
import inspect
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import yaml

from mlnotes.checks import all_checks
from mlnotes.diagnosis.brakes import Brake, branches, holds_itself, with_brakes
from mlnotes.diagnosis.habits import changed_calls
from mlnotes.diagnosis.rewrites import SLIPS, left_out, rewrites
from mlnotes.diagnosis.source import definitions, is_check, run_definition
from mlnotes.diagnosis.trials import quiet, trials

BANKS = Path(__file__).parents[1] / "checks"
WANTED = 0.97


@dataclass(frozen=True)
class Count:
    """How many changed versions of a function the checks refuse."""

    name: str
    refused: int
    equal: int
    survivors: tuple
    listed: frozenset = frozenset()  # lines beside the bank that stand for a change that was accepted

    @property
    def total(self):
        """How many versions there are that do not do the same."""
        return self.refused + len(self.survivors)

    def __str__(self):
        share = self.refused / max(1, self.total)
        return f"{self.name:32} {self.refused:5} of {self.total:5} refused {share:7.1%} {self.equal:4} equal"


def count(checks, every=1, equal=None):
    """Change a function in one place after another, and let the checks judge.

    Parameters
    ----------
    checks : Checks
        The function's.
    every : int
        Take only every so manieth change.
    equal : set of str, optional
        The changes that change nothing, as `changes` writes them; by default those listed beside the banks.

    Returns
    -------
    Count
        What was refused, and what was not.
    """
    name = checks.function.__name__
    equal = known_equal().get(name, set()) if equal is None else equal
    tried, refused, same, survivors, listed = trials(checks), 0, 0, [], set()
    with quiet():
        for version, tick, describe in changes(checks, every, tried):
            if _is_refused(version, tick, tried):
                refused += 1
                continue
            text = describe()
            lines = {line for line in equal if _reads(line).fullmatch(text)}
            listed |= lines
            if lines:
                same += 1
            elif text != " → ":  # the same text, made of other nodes
                survivors.append(text)
    return Count(name, refused, same, tuple(survivors), frozenset(listed))


def changes(checks, every=1, tried=()):
    """Make the changed versions of a function and of what it uses of its own module that has no checks of its own.

    Parameters
    ----------
    checks : Checks
        The function's.
    every : int
        Make only every so manieth.
    tried : sequence of Trial
        Calls: what the right version needs for them says when a changed one is stopped.

    Yields
    ------
    version : callable
        A changed version.
    tick : Brake
        Stops its loops; to be reset before each call.
    describe : callable
        Returns the change in words, as ``line → line``, as long as the generator waits.
    """
    function, tick = checks.function, Brake()
    own = definitions(function, frozenset(all_checks()))
    tree = ast.parse("\n\n".join(it for name, it in own.items() if not name.startswith("_require")))
    before = ast.unparse(tree).splitlines()
    running = with_brakes(tree)
    _mark_guards(running)
    namespace = vars(inspect.getmodule(function)) | {"_mlnotes_tick": tick}
    tick.allow(run_definition(compile(running, "<changed>", "exec"), function.__name__, namespace), tried)

    def wanted(node):
        return not (hasattr(node, "guard") or hasattr(node, "brake"))

    def describe():
        after = [line for line in ast.unparse(running).splitlines() if line.strip() != "_mlnotes_tick()"]
        diff = [it for it in difflib.ndiff(before, after) if it[0] in "+-"]
        return " → ".join(" / ".join(it[2:].strip() for it in diff if it[0] == sign) for sign in "-+")

    made = 0
    for source in (rewrites(running, SLIPS, wanted), left_out(running, wanted)):
        for _ in source:
            made += 1
            if made % every or holds_itself(branches(running)):
                continue
            try:
                version = run_definition(compile(running, "<changed>", "exec"), function.__name__, namespace)
            except Exception:  # not every change is a program
                continue
            yield version, tick, describe
    for says, version in changed_calls(checks):
        made += 1
        if made % every == 0:
            yield version, tick, lambda says=says: says


@functools.cache
def known_equal():
    """Read which changes change nothing.

    Returns
    -------
    dict of str to set of str
        The changes by function.
    """
    found = {}
    for path in sorted(BANKS.rglob("*.yml")):
        for name, reasons in yaml.safe_load(path.read_text(encoding="utf-8")).items():
            found[name] = {line for lines in reasons.values() for line in lines}
    return found


def needless(counts):
    """Name the lines beside the banks that stand for no change: none that is made now, or none that is accepted.

    Parameters
    ----------
    counts : list of Count
        Of all functions, with all their changes.

    Returns
    -------
    list of str
        What they are, then one line for each. Functions may share lines: one of them has to need it.
    """
    needed = set().union(*(it.listed for it in counts))
    lines = {line: name for name, listed in known_equal().items() for line in listed if line not in needed}
    said = f"{len(lines)} of the changes listed are refused or no longer made"
    return [said, *(f"{lines[it]}: {it}" for it in sorted(lines))]


def main(arguments=None):
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m mlnotes.book.mutants", description=__doc__.split("\n\n")[0])
    parser.add_argument("functions", nargs="*")
    parser.add_argument("--every", type=int, default=1, help="take every so manieth change only")
    options = parser.parse_args(arguments)
    if options.every < 1:
        parser.error(f"--every must be positive, got {options.every}")
    known = all_checks()
    if unknown := [name for name in options.functions if name not in known]:
        parser.error(f"there are no checks for {', '.join(unknown)}")
    counts = []
    for name in options.functions or known:
        counts.append(count(known[name], options.every))
        print(counts[-1], *counts[-1].survivors, sep="\n    ")
    columns = zip(*((it.refused, it.equal, it.survivors) for it in counts), strict=True)
    refused, equal, survivors = (sum(it, start=type(it[0])()) for it in columns)
    print(whole := Count("all functions", refused, equal, survivors))
    if options.every == 1 and not options.functions:
        print(*needless(counts), sep="\n    ")
    return int(refused < WANTED * whole.total)


def _is_refused(version, tick, tried):
    for trial in tried:
        tick.reset()
        found = trial.outcome(version)
        if found.error is not None:
            found.error.with_traceback(None)  # or all that an endless loop has made stays in memory
        if trial.unlike(found):
            return True
    return False


def _mark_guards(tree):
    """Mark what refuses bad input, decorates, finds the library of an array, or is words: no case is about it."""
    for node in ast.walk(tree):
        marked = list(getattr(node, "decorator_list", ()))
        if isinstance(node, ast.Expr | ast.If | ast.For) and _is_guard(node):
            marked.append(node)
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("array_namespace", "device"):
            marked.append(node)
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "as_like":
            node.guard = True
            marked += [node.func, node.args[1]]
        elif isinstance(node, ast.JoinedStr) or getattr(node, "name", "") == "__repr__":
            marked.append(node)
        for it in marked:
            _mark(it)
    for definition in [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]:
        names = [it for it in ast.walk(definition) if isinstance(it, ast.Name) and not hasattr(it, "guard")]
        read = {it.id for it in names if isinstance(it.ctx, ast.Load)}
        for it in definition.body:  # what only guards read belongs to them
            if isinstance(it, ast.Assign):
                targets = [x for target in it.targets for x in ast.walk(target) if isinstance(x, ast.expr)]
                if all(isinstance(x, ast.Tuple) or getattr(x, "id", next(iter(read), "")) not in read for x in targets):
                    _mark(it)
    _mark_helpers_of_guards(tree)


def _mark(node):
    for part in ast.walk(node):
        part.guard = True


def _mark_helpers_of_guards(tree):
    """Mark the functions that only guards call."""
    used = {it.id for it in ast.walk(tree) if isinstance(it, ast.Name) and not hasattr(it, "guard")}
    for helper in tree.body[:-1]:
        if isinstance(helper, ast.FunctionDef) and helper.name not in used:
            _mark(helper)


def _is_guard(node):
    """Recognize a call of ``require_…``, or a condition or a loop that does nothing but raise and prepare it."""
    if isinstance(node, ast.Expr):
        return is_check(node)
    if isinstance(node, ast.If):
        *before, last = node.body
        return not node.orelse and isinstance(last, ast.Raise) and all(isinstance(it, ast.Assign) for it in before)
    return isinstance(node, ast.For) and all(_is_guard(it) or hasattr(it, "brake") for it in node.body)


@functools.cache
def _reads(line):
    """Make a pattern of a line in which … stands for anything."""
    return re.compile(re.escape(line).replace("…", ".*"))


if __name__ == "__main__":
    sys.exit(main())
