"""Try the small changes of one program: in one copy of its source, in which an environment variable chooses one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import starmap

from grader.diagnose.behaviour.outputs import common_beginning
from grader.diagnose.c_library import READS
from grader.diagnose.source.edits import ARGUMENT, COMPARISON, LIKELIEST, NUMBER, REMOVAL, fixed
from grader.explain.source_patterns import FoundChange, FoundChanges
from grader.explain.trials import FAST, Choice, FailingProgram, Trials, quick_run, with_options
from grader.model.evidence import RunDone
from grader.model.plan import RunStep

ENDLESS_CHANGES = 6
"""Changes that are tried in a case in which the program does not end: most of these runs are stopped."""

MOST_RUNS = 160
"""Most runs in the cases of one failure, those of the likeliest small changes."""

CLOSEST = 2
"""Changes of which each is tried together with every other one, if none is enough alone."""

MOST_PAIRS = 120

_READ_CALL = re.compile(rf"\b(?:{'|'.join(READS)})\s*\(".encode("ascii"))

_UNCHANGED: Choice = ()


class ChangeTrials:
    """Tries the small changes of one program."""

    def __init__(self, trials: Trials, failing: FailingProgram, changes: FoundChanges) -> None:
        self._trials = trials
        self._failing = failing
        self._changes = changes

    def works(self, steps: Sequence[RunStep], *, ends: bool) -> Iterator[list[Choice]]:
        """Yield the changes with which each of these steps is right: likely ones, then all, and then pairs.

        A caller that has found a repair need not ask for the others. `ends`: the program ends in the first step. The
        others are only run with what repairs the first: most changes do not.
        """
        ordered = self._ordered(ends=ends)
        tried = ordered[: MOST_RUNS - 1 if ends else ENDLESS_CHANGES - 1]
        likely = [(change,) for change in tried if change.rank <= COMPARISON]
        found: list[Choice] = []
        by_chance = False
        reached: dict[Choice, int] = {}
        for part in (likely, [(change,) for change in tried if change.rank > COMPARISON]):
            right = self._right([_UNCHANGED, *part] if part is likely else part, steps[0], reached)
            for step in steps[1:]:
                right = self._right(right, step)
            # If the copy is right without a change, what the program does depends on chance, and so may a trial.
            by_chance = by_chance or _UNCHANGED in right
            found += [choice for choice in right if choice != _UNCHANGED]
            works = [choice for choice in found if not (by_chance and choice[0].rank > LIKELIEST)]
            yield [(change,) for change in self._changes.changes if (change,) in works]
        if ends and not found and not by_chance:
            pairs = self._pairs(tried, reached)
            for step in steps:
                pairs = self._right(pairs, step)
            yield pairs

    def right_in(self, choices: Sequence[Choice], steps: Sequence[RunStep]) -> dict[Choice, int]:
        """Return in how many of these steps each of the changes is right."""
        right = [self._right(choices, step) for step in steps]
        return {choice: sum(choice in those for those in right) for choice in choices}

    def _with_each(self, first: FoundChange, changes: Iterable[FoundChange]) -> Iterator[Choice]:
        """Yield the pairs of a change with each other one that can be made in one copy with it."""
        for second in changes:
            both = fixed(self._failing.source, [*first.edits, *second.edits])
            if second.number is not None and second != first and both is not None:
                yield first, second

    def _pairs(self, tried: Sequence[FoundChange], reached: Mapping[Choice, int]) -> list[Choice]:
        """Return pairs of changes, of which one alone makes the output right up to a later byte."""
        unchanged = reached.get(_UNCHANGED, 0)
        small = [change for change in tried if change.number is not None and change.rank <= REMOVAL]
        closer = [change for change in small if reached.get((change,), 0) > unchanged]
        closer.sort(key=lambda change: (-reached[change,], change.rank))
        pairs: dict[frozenset[int | None], Choice] = {}
        for first in closer[:CLOSEST]:
            for pair in self._with_each(first, small):
                pairs.setdefault(frozenset(change.number for change in pair), pair)
        return sorted(pairs.values(), key=lambda pair: pair[1].rank)[:MOST_PAIRS]

    def _ordered(self, *, ends: bool) -> list[FoundChange]:
        """Return the changes, the likeliest first: a program that writes without end misses the end of its input."""
        program, report = self._failing.program, self._failing.report
        floods = any(one.id == "writes-without-end" and one.program == program for one in report.symptoms)
        if ends or not floods:
            return sorted(self._changes.changes, key=lambda change: change.rank)
        lines = self._failing.source.split(b"\n")
        return sorted(
            self._changes.changes,
            key=lambda change: (_READ_CALL.search(lines[change.lines[0] - 1]) is None, change.rank),
        )

    def _right(
        self, choices: Sequence[Choice], step: RunStep, reached: dict[Choice, int] | None = None
    ) -> list[Choice]:
        """Return those of these changes with which a step is right.

        `reached` gets how many bytes of each output are right, up to the first that is wrong.
        """
        runs, copies = {}, {}
        begin = self._failing.name
        together = f"{begin}_changes"
        for choice in choices:
            # The number 0 makes no change.
            numbers = [change.number for change in choice] or [0]
            if None not in numbers:
                name = f"{together}{'_'.join(map(str, numbers))}"
                runs[choice] = quick_run(step, name, program=together, choice=",".join(map(str, numbers)))
                copies[together] = self._changes.copy_with_all
            elif (data := fixed(self._failing.source, choice[0].edits)) is not None:
                name = f"{begin}_change{self._changes.changes.index(choice[0])}"
                runs[choice], copies[name] = quick_run(step, name), data
        if not runs or not self._trials.may_run(self._failing):
            return []
        build = with_options(self._failing.build, FAST)
        evidence = self._trials.collected(self._failing, copies, runs.values(), build=build)
        done = {choice: evidence.runs.get(run.id) for choice, run in runs.items()}
        if reached is not None:
            reached |= {choice: self._right_bytes(run, step) for choice, run in done.items()}
        return [choice for choice, run in done.items() if self._trials.is_right(run, step)]

    def _right_bytes(self, done: RunDone | None, step: RunStep) -> int:
        """Return how many bytes of outputs are as they should be, up to the first that is not; 0 if unknown."""
        return 0 if done is None else sum(starmap(common_beginning, self._trials.compared(done, step)))


def likeliest_first(works: Sequence[Choice]) -> list[Choice]:
    """Return changes that work, the likeliest first; of pairs, the second change decides.

    If the removal of a call is enough, it comes before another argument of the call, and a part of a change before
    the whole.
    """
    edits = {choice: {edit for change in choice for edit in change.edits} for choice in works}
    least: dict[int, int] = {}
    for *_, last in works:
        if last.rank in (ARGUMENT, NUMBER):
            line = last.lines[0]
            least[line] = min(last.rank, least.get(line, last.rank))

    def order(choice: Choice) -> tuple[int, int]:
        last = choice[-1]
        parts = [other[-1].rank for other in works if edits[other] < edits[choice]]
        if parts:
            return max(last.rank, *parts), 2
        if last.rank == REMOVAL:
            return min(last.rank, least.get(last.lines[0], last.rank)), 0
        return last.rank, 1

    return sorted(works, key=order)
