"""What an answer did when it was called: which calls fail, and how."""

import ast
import copy
import functools
import inspect
import time
from dataclasses import dataclass, field, replace

from mlnotes.diagnosis.brakes import TooLong, alarm, stoppable
from mlnotes.diagnosis.source import source_of
from mlnotes.diagnosis.trials import Outcome, numbers, quiet


@dataclass(frozen=True)
class Attempt:
    """A reader's version and what it did in each trial.

    Parameters
    ----------
    function : callable
        The version.
    trials : tuple of Trial
        The calls that were made.
    found : tuple of Outcome
        What came of each.
    unlike : tuple of str
        How that differs from the right one, after all calls; "" where it does not.
    at_once : tuple of str
        How it differed before the next call.
    before : dict
        Names that calls may set, outside of the version or on it, with their values before the first call.
    seconds : float
        How long all calls took together, in seconds of the processor.
    """

    function: object
    trials: tuple
    found: tuple
    unlike: tuple
    at_once: tuple
    before: dict = field(default_factory=dict)
    seconds: float = 0.0

    @classmethod
    def of(cls, function, trials):
        """Try a version, up to the first call that does not end."""
        before, start = _state_of(function), time.process_time()
        found, at_once, (version, restart) = [], [], stoppable(function)
        with quiet():
            for trial in trials:
                restart()
                try:
                    with alarm():  # only here: changed versions have brakes, which are cheaper
                        outcome = trial.outcome(version)
                except TooLong as late:  # it rang between the end of the call and its own
                    outcome = Outcome(error=late)
                found.append(outcome)
                at_once.append(trial.unlike(outcome))
                if isinstance(found[-1].error, TooLong):
                    break
            made = tuple(trials[: len(found)])
            unlike = tuple(trial.unlike(it) for trial, it in zip(made, found, strict=True))
        return cls(function, made, tuple(found), unlike, tuple(at_once), before, time.process_time() - start)

    @functools.cached_property
    def everyday(self):
        """The trials that decide, those that failed first: a wrong guess is refuted by the first call."""
        order = sorted(range(len(self.trials)), key=lambda i: not self.unlike[i])
        return [(self.trials[i], self.found[i], self.unlike[i]) for i in order if not self.trials[i].case.edge]

    @functools.cached_property
    def failing_arrays(self):
        """The trials that decide and fail, with both arrays; none at all where one is no array of the right shape."""
        failed = [(trial, found) for trial, found, unlike in self.everyday if unlike]
        arrays = [(trial, numbers(found.value), numbers(trial.right.value)) for trial, found in failed]
        if any(found.error for _, found in failed) or any(it is None for both in arrays for it in both):
            return []
        return arrays if all(mine.shape == right.shape for _, mine, right in arrays) else []

    @property
    def failed(self):
        """The trials that failed: the smallest call first, edges last."""
        return [(t, f, u) for t, f, u in zip(self.trials, self.found, self.unlike, strict=True) if u]

    @property
    def endless(self):
        """The trial that decides and did not end, or None."""
        return next((it for it in self.everyday if isinstance(it[1].error, TooLong)), None)

    def but_for_the_endless(self):
        """Leave out the call that did not end, if another one failed that an exercise asks for."""
        if not self.endless or not any(self.unlike[i] and not it.case.edge for i, it in enumerate(self.trials[:-1])):
            return self
        kept = {name: getattr(self, name)[:-1] for name in ("trials", "found", "unlike", "at_once")}
        return replace(self, **kept)

    def behaves_like(self, version, wider=False, kinds=False):
        """Tell whether another version does the same in all trials that decide, if `wider` but for wider dtypes.

        If `kinds`, accidents may differ in their words, unless it does nothing else.
        """
        kinds &= any(unlike and not found.error for _, found, unlike in self.everyday)
        return all(trial.same(found, trial.outcome(version), wider, kinds) for trial, found, _ in self.everyday)


def _state_of(function):
    """Copy what calls of a function may set: names that it declares to be of elsewhere, and attributes of its own."""
    source = source_of(function)
    if source is None:
        return {}
    declared = {name for it in ast.walk(source.tree) if isinstance(it, ast.Global) for name in it.names}
    state = {it: source.namespace[it] for it in declared if it in source.namespace}
    own = vars(function) if inspect.isfunction(function) else {}
    try:
        return copy.deepcopy({"names": state, "own": {} if "__wrapped__" in own else own})
    except Exception:  # a module, or whatever else refuses
        return {}
