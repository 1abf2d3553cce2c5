"""Run programs that may not end: a changed loop, a call of itself, a list that holds itself."""

import ast
import contextlib
import copy
import ctypes
import functools
import gc
import inspect
import itertools
import math
import signal
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mlnotes.diagnosis.source import run_definition, source_of

# Seconds of the processor after which a reader's call counts as endless: a right one takes a small part of one.
ENDLESS = 4.0
LATER = 1.25  # times as many until an alarm rings: where there are brakes, they come first
WAITING = 30.0  # seconds of the clock after which a call that waits is given up


class TooLong(BaseException):
    """Raised inside a program that does not end; no ``except Exception`` of a reader's keeps it."""

    def __str__(self):
        return f"no end after {ENDLESS:g} seconds"


def alarm():
    """Stop what is called within, as it was written, some time after `ENDLESS` seconds of the processor.

    Where it takes none, and waits, it is stopped after `WAITING` seconds.

    It may ring when the call has ended and this has not: then `TooLong` comes from here. What keeps every error, in a
    bare ``except:``, keeps this one, too: that needs to be `stoppable`.
    """
    clock = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    return _alarm_by_signal() if clock else _alarm_by_thread()


@contextlib.contextmanager
def _alarm_by_thread():
    """Let a thread watch where signals have no such clock (on Windows), or do not come (beside the main thread)."""
    caller, over = ctypes.c_ulong(threading.get_ident()), threading.Event()
    end, latest = time.process_time() + LATER * ENDLESS, time.monotonic() + WAITING

    def watch():
        while not over.wait(0.05):
            if time.process_time() > end or time.monotonic() > latest:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(caller, ctypes.py_object(TooLong))
                return

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


@contextlib.contextmanager
def _alarm_by_signal():
    def ring(*_):
        raise TooLong

    clocks = (signal.SIGPROF, signal.ITIMER_PROF, LATER * ENDLESS), (signal.SIGALRM, signal.ITIMER_REAL, WAITING)
    before = [signal.signal(number, ring) for number, *_ in clocks]
    for _, clock, seconds in clocks:
        signal.setitimer(clock, seconds)
    try:
        yield
    finally:
        for (number, clock, _), handler in zip(clocks, before, strict=True):
            signal.setitimer(clock, 0)
            signal.signal(number, handler or signal.SIG_DFL)


class Brake:
    """Stops a changed program whose loops, or calls of itself, do not end.

    Turns are counted: what a clock would stop depends on what else the machine does. The clock is there for turns that
    grow, such as one that doubles an array.
    """

    def __init__(self):
        self.turns, self.seconds = math.inf, math.inf
        self.reset()

    def allow(self, version, trials):
        """Let every call take four times what this version takes, and something on top.

        Parameters
        ----------
        version : callable
            A program with this brake that ends.
        trials : sequence of Trial
            Its calls.

        Returns
        -------
        list of int
            How many turns, and calls of other functions, each took: another machine counts as many.
        """
        self.turns = self.seconds = math.inf
        used, calls = [(0, 0.0)], []
        for trial in trials:
            self.reset()
            calls.append(_calls_in(trial.outcome, version))
            used.append((self.used, time.process_time() - self.start))
        turns, seconds = map(max, zip(*used, strict=True))
        self.turns, self.seconds = 4 * turns + 100, 4 * seconds + 0.5
        return [turns + more for (turns, _), more in zip(used[1:], calls, strict=True)]

    def reset(self):
        """Start to count for the next call."""
        self.used, self.start, self.latest = 0, time.process_time(), time.monotonic() + self.seconds

    def __call__(self):
        """Raise if a call has taken too long."""
        self.used += 1
        # The processor's clock is slow to read, and of one thread never ahead of the other.
        too_long = time.monotonic() > self.latest and time.process_time() > self.start + self.seconds
        if self.used > self.turns or too_long:
            raise TooLong


def _calls_in(run, *arguments):
    """Count the functions that are called, in C and in Python, and left again; none where a profiler is at work."""
    count, watched, collects = itertools.count(), sys.getprofile() is not None, gc.isenabled()
    gc.disable()  # what is called when memory is tidied up depends on what was done before
    if not watched:
        sys.setprofile(lambda *_: next(count))
    try:
        run(*arguments)
    finally:
        if not watched:
            sys.setprofile(None)
        if collects:
            gc.enable()
    return next(count)


def with_brakes(tree):
    """Let every turn of a loop, and every call of a function, call the brake.

    Parameters
    ----------
    tree : ast.Module
        A program, which is left as it is.

    Returns
    -------
    ast.Module
        The same with ``_mlnotes_tick()`` as first statement of every loop and, behind its docstring, of every function;
        these nodes have an attribute ``brake``.
    """
    tree = copy.deepcopy(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.For | ast.While | ast.FunctionDef):
            brake = ast.parse("_mlnotes_tick()").body[0]
            for it in ast.walk(brake):
                it.brake = True
                if hasattr(it, "lineno"):
                    it.lineno = it.end_lineno = node.lineno
            explained = isinstance(node, ast.FunctionDef) and ast.get_docstring(node) is not None
            node.body.insert(int(explained), brake)
    return tree


@dataclass(frozen=True)
class Braked:
    """A reader's program with brakes in it.

    Parameters
    ----------
    tree : ast.Module
        The program.
    brake : Brake
        To be reset before each call.
    version : callable
        The reader's version, with it.
    turns : list of int
        What `Brake.allow` counted in each of its calls.
    make : callable
        Makes such a version of a changed program, and of names that mean something else in it.
    """

    tree: ast.Module
    brake: Brake
    version: object
    turns: list
    make: object


def stoppable(function):
    """Put brakes into a reader's version that may keep even `TooLong`, in itself or in what it calls of its module.

    A brake goes on to raise at every turn, and at the first line of a function: outside of most ``try``.

    Parameters
    ----------
    function : callable
        The version.

    Returns
    -------
    version : callable
        The version itself, unless there is such an ``except:`` and its source can be run again.
    restart : callable
        To be called before each call of it.
    """
    parts = parts_of(function)
    brake = Brake()
    if not any(_keeps_every_error(it) for source in parts.values() for it in ast.walk(source.tree)):
        return function, brake.reset
    brake.seconds, namespace = ENDLESS, {}
    for source in parts.values():
        namespace |= source.namespace
    namespace["_mlnotes_tick"] = brake
    for source in reversed(parts.values()):  # what is called first
        tree = ast.increment_lineno(with_brakes(source.tree), source.first - 1)
        try:
            exec(compile(tree, source.file, "exec"), namespace)
        except Exception:  # it needs names that were known only where it was defined
            return function, brake.reset
    return namespace[parts[function].name], brake.reset


def parts_of(function, known=None):
    """Collect the sources of a plain function or a class, and of those of its module that it calls.

    Parameters
    ----------
    function : callable
        A reader's version.
    known : dict, optional
        What has been collected.

    Returns
    -------
    dict of callable to Source
        The version's own comes first, if it has one.
    """
    known = {} if known is None else known
    plain = inspect.isfunction(function) or inspect.isclass(function)
    source = source_of(function) if plain and function not in known else None
    if source is not None:
        known[function] = source
        for it in ast.walk(source.tree):
            called = source.namespace.get(it.id) if isinstance(it, ast.Name) else None
            if getattr(called, "__module__", None) == function.__module__:
                parts_of(called, known)
    return known


def _keeps_every_error(node):
    return isinstance(node, ast.ExceptHandler) and (node.type is None or "BaseException" in ast.unparse(node.type))


def braked(source, trials, caller=None):
    """Put brakes into a reader's program, as tight as its calls allow.

    Parameters
    ----------
    source : Source or None
        The program.
    trials : sequence of Trial
        Calls that end.
    caller : Source, optional
        The reader's version, where the program is a function that it calls.

    Returns
    -------
    Braked or None
        None where there is no source, or it needs names that were known only where it was defined.
    """
    if source is None:
        return None
    tree, brake = with_brakes(source.tree), Brake()
    names = {"_mlnotes_tick": brake, "_mlnotes_power": _Power()}
    own = source.namespace | _copied(source)
    calling = caller and compile(with_brakes(caller.tree), "<calling>", "exec")

    def make(program, **more):
        part = run_definition(program, source.name, own | names | more)
        return run_definition(calling, caller.name, caller.namespace | names | {source.name: part}) if caller else part

    try:
        version = make(compile(tree, "<changed>", "exec"))
    except Exception:
        return None
    return Braked(tree, brake, version, brake.allow(version, trials), make)


def _copied(source):
    """Copy what a program could write into of the names around it: a changed one must not spoil the reader's."""
    named = {it.id for it in ast.walk(source.tree) if isinstance(it, ast.Name)}
    copies = {}
    for name in sorted(named & source.namespace.keys()):
        if isinstance(value := source.namespace[name], _CONTAINERS):
            with contextlib.suppress(Exception):  # something in it refuses
                copies[name] = copy.deepcopy(value)
    return copies


_CONTAINERS = (bytearray, dict, list, set, np.ndarray)


class _Power:
    """Raises to a power, but not to an integer of more than a million bits: no brake reaches into its making."""

    def __matmul__(self, pair):
        base, exponent = pair
        if type(base) is type(exponent) is int and base.bit_length() * exponent > 1_000_000:
            raise TooLong
        return base**exponent


@contextlib.contextmanager
def limited_powers(nodes):
    """Let every power of a program be limited, for a while: ``a ** b`` becomes ``_mlnotes_power @ (a, b)``.

    Parameters
    ----------
    nodes : list of ast.AST
        The `branches` of the program.
    """
    powers = [it for it in nodes if isinstance(it, ast.BinOp) and isinstance(it.op, ast.Pow)]
    before = [(it.left, it.op, it.right) for it in powers]
    for it in powers:
        pair = ast.Tuple([it.left, it.right], ast.Load())
        it.left, it.op, it.right = ast.Name("_mlnotes_power", ast.Load()), ast.MatMult(), ast.copy_location(pair, it)
        ast.copy_location(it.left, it)
    try:
        yield
    finally:
        for it, (left, op, right) in zip(powers, before, strict=True):
            it.left, it.op, it.right = left, op, right


@contextlib.contextmanager
def limited_memory(more=2 << 30):
    """Let a process take no more than so many bytes besides, for a while: a changed program may ask for any number.

    Where the system sets no such limit, nothing changes.

    Parameters
    ----------
    more : int
        Bytes of address space.
    """
    try:
        import resource

        taken = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    except (ImportError, OSError):
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    allowed = [it for it in (taken + more, soft, hard) if it != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_AS, (min(allowed), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def holds_itself(nodes):
    """Tell whether a list is put into itself: NumPy follows such a list without end, where no brake reaches it.

    Parameters
    ----------
    nodes : list of ast.AST
        The `branches` of a program.

    Returns
    -------
    bool
        Whether a line of it does.
    """
    added, parts = [], {}
    for it in nodes:
        if isinstance(it, ast.Call) and isinstance(it.func, ast.Attribute) and it.func.attr in ("append", "insert"):
            added += [(_place(it.func.value, parts), given) for given in it.args]
        elif isinstance(it, ast.Call) and isinstance(it.func, ast.Attribute) and it.func.attr == "extend":
            added += [(_place(it.func.value, parts), given) for whole in it.args for given in _entries_of(whole)]
        elif isinstance(it, ast.AugAssign) and isinstance(it.op, ast.Add):
            added += [(_place(it.target, parts), given) for given in _entries_of(it.value)]
        elif isinstance(it, ast.Assign):
            [target, *others] = it.targets
            each = [part for to in it.targets for part in getattr(to, "elts", [to])]
            added += [(_place(to.value, parts), it.value) for to in each if isinstance(to, ast.Subscript)]
            if isinstance(it.value, ast.BinOp):  # longer by itself at each turn, it soon holds more than any memory
                added += [(_place(target, parts), given) for given in _entries_of(it.value)]
            if not others and isinstance(target, ast.Name) and isinstance(it.value, ast.Subscript):
                parts[target.id] = _place(it.value, parts)
        elif isinstance(it, ast.For) and isinstance(it.target, ast.Name) and isinstance(it.iter, ast.Name):
            name, depth = _place(it.iter, parts)
            parts[it.target.id] = name, depth + 1
    for (list_, depth), given in added:
        for it in _put_in(given):
            name, its_depth = _place(it, parts)
            if name is not None and name == list_ and its_depth <= depth:
                return True
    return False


def _place(node, parts):
    """Say of which list something is a part, and how deep in it: `rows[i]` lies in `rows`, one level deep."""
    depth = 0
    while isinstance(node, ast.Subscript):
        node, depth = node.value, depth + 1
    name, more = parts.get(node.id, (node.id, 0)) if isinstance(node, ast.Name) else (None, 0)
    return name, depth + more


def _put_in(given):
    """List what may become a part of a list: what is given, its branches, and what lists in it are made of."""
    yield given
    for it in _alternatives(given) or _entries_of(given):
        yield from _put_in(it)


def _alternatives(node):
    """List what a condition chooses from."""
    if isinstance(node, ast.IfExp):
        return [node.body, node.orelse]
    return node.values if isinstance(node, ast.BoolOp) else []


def _entries_of(node):
    """List the entries of the lists that something is made of: of both sides of a sum, of all branches."""
    sides = [node.left, node.right] if isinstance(node, ast.BinOp) else _alternatives(node)
    return getattr(node, "elts", [it for side in sides for it in _entries_of(side)])


_LEAVES = {ast.Name, ast.Constant}.union(
    *(it.__subclasses__() for it in (ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop))
)


# Fields with nothing but leaves and words in them, which need not be looked at.
_OF_LEAVES = {"arg", "attr", "ctx", "id", "kind", "name", "op", "ops", "type_comment"}


@functools.cache
def _fields(kind):
    return [it for it in kind._fields if it not in _OF_LEAVES]


def branches(tree):
    """List the nodes that hold others, in a fraction of the time of `ast.walk`: every change of a program is looked at.

    Parameters
    ----------
    tree : ast.Module
        A program.

    Returns
    -------
    list of ast.AST
        Its nodes, without names, constants and operators.
    """
    found = [tree]
    for node in found:
        for field in _fields(type(node)):
            value = getattr(node, field, None)
            if type(value) is list:
                found += [it for it in value if isinstance(it, ast.AST) and type(it) not in _LEAVES]
            elif isinstance(value, ast.AST) and type(value) not in _LEAVES:
                found.append(value)
    return found
