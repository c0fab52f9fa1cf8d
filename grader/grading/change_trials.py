"""Try the small changes of one program: in one copy of its source, in which an environment variable chooses one."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from grader.diagnose.edits import ARGUMENT, CHANGE_VARIABLE, COMPARISON, LIKELIEST, NUMBER, REMOVAL, fixed
from grader.grading.change_words import Words
from grader.grading.fixed_copies import RUN_LIMITS, FixedCopies, is_right
from grader.grading.second_run import run_of_copy
from grader.grading.source_patterns import FoundChange, FoundChanges
from grader.model.evidence import Evidence
from grader.model.lab import Lab
from grader.model.plan import EarlyStop, Plan, RunStep
from grader.model.report import Report

WALL_S = 12.0
"""Seconds for the runs of one case. Each takes 5 ms of CPU time; the machine may be busy."""

STOP_S = 0.1
"""Seconds after which a run with a small change is stopped; honest ones take a millisecond."""

ENDLESS_CHANGES = 6
"""Changes that are tried in a case in which the program does not end: most of these runs are stopped."""

MOST_RUNS = 160
"""Most runs in the cases of one failure, those of the likeliest small changes."""

CLOSEST = 2
"""Changes of which each is tried together with every other one, if none is enough alone."""

MOST_PAIRS = 120

_READS = re.compile(rb"\b(?:read|getchar|getc|fgetc)\s*\(")

Choice = tuple[FoundChange, ...]
"""One small change, or two that are made together."""

_UNCHANGED: Choice = (FoundChange("", (), LIKELIEST, 0, Words("", "", "", "", "", (1,))),)


@dataclass(frozen=True)
class ToRepair:
    """A program to repair, what is known of it, and the runs that students see.

    `name` is what the names of its copies begin with. It must not be used for another source. What an `unsound`
    program does may depend on chance, as it uses memory wrongly: only what is a mistake in itself is changed.
    """

    program: str
    source: bytes
    report: Report
    runs: Plan
    name: str
    is_unsound: bool = False

    def changes(self, found: FoundChanges) -> FoundChanges:
        """Return those of the changes of its source that may be tried."""
        if not self.is_unsound:
            return found
        return replace(found, changes=tuple(one for one in found.changes if one.rank == LIKELIEST))


class ChangeTrials:
    """Tries the small changes of one program."""

    def __init__(self, lab: Lab, copies: FixedCopies, failing: ToRepair, changes: FoundChanges) -> None:
        self._lab = lab
        self._copies = copies
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
            key=lambda change: (_READS.search(lines[change.lines[0] - 1]) is None, change.rank),
        )

    def _right(
        self, choices: Sequence[Choice], step: RunStep, reached: dict[Choice, int] | None = None
    ) -> list[Choice]:
        """Return those of these changes with which a step is right.

        `reached` gets how many bytes of each output are right, up to the first that is wrong.
        """
        names, copies = {}, {}
        program, begin = self._failing.program, self._failing.name
        together = f"{begin}_changes"
        for choice in choices:
            if None not in (numbers := [change.number for change in choice]):
                names[f"{together}{'_'.join(map(str, numbers))}"] = choice
                copies[together] = self._changes.copy_with_all
            elif (data := fixed(self._failing.source, choice[0].edits)) is not None:
                name = f"{begin}_change{self._changes.changes.index(choice[0])}"
                names[name], copies[name] = choice, data
        if not names or not self._copies.may_run():
            return []
        steps = [_changed(step, name, name if name in copies else together, choice) for name, choice in names.items()]
        evidence = self._copies.collected(self._failing.runs, program, copies, steps, WALL_S)
        done = [*zip(steps, names.values(), strict=True)]
        if reached is not None:
            reached |= {choice: self._right_bytes(evidence, run, step) for run, choice in done}
        return [choice for run, choice in done if is_right_run(self._lab, self._copies, evidence, run, step)]

    def _right_bytes(self, evidence: Evidence, run: RunStep, step: RunStep) -> int:
        """Return how many bytes of an output are as they should be, up to the first that is not; 0 if unknown."""
        done, expected = evidence.runs.get(run.id), self._lab.reference.run(step.program, step.case)
        if done is None or expected is None or not self._lab.spec.cases[step.case].copies_reference:
            return 0
        written, right = done.stdout.data or b"", expected.stdout.data or b""
        same = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(written, right, strict=False))
        return sum(1 for _ in same)


def is_right_run(lab: Lab, copies: FixedCopies, evidence: Evidence, run: RunStep, step: RunStep) -> bool:
    """Return whether the run of a copy did what is expected of the step that it repeats."""
    done = evidence.runs.get(run.id)
    if done is None:
        return False
    runs = {step.id: done.model_copy(update={"step": step.id})}
    own = Evidence(toolchain=evidence.toolchain, builds={}, runs=runs, left_out={})
    return is_right(lab, copies.facts(own), step.program, step.case)


def likeliest_first(works: Sequence[Choice]) -> list[Choice]:
    """Return changes that work, the likeliest first; of pairs, the second change decides.

    If the removal of a call is enough, it comes before another argument of the call.
    """
    hidden = {one.lines[0]: one.rank for *_, one in works if one.rank in (ARGUMENT, NUMBER)}
    return sorted(
        works,
        key=lambda choice: (
            (min(choice[-1].rank, hidden.get(choice[-1].lines[0], choice[-1].rank)), 0)
            if choice[-1].rank == REMOVAL
            else (choice[-1].rank, 1)
        ),
    )


def _changed(step: RunStep, name: str, copy: str, choice: Choice) -> RunStep:
    """Return the run of a case with small changes."""
    numbers = ",".join(str(change.number) for change in choice if change.number is not None)
    return chosen_run(step, name, copy, numbers)


def chosen_run(step: RunStep, name: str, copy: str, numbers: str) -> RunStep:
    """Return the run of a case by a copy of its program, which an environment variable tells what to do."""
    limits = step.limits.model_copy(update={"cpu_s": RUN_LIMITS.cpu_s, "wall_s": RUN_LIMITS.wall_s})
    environment = {**step.environment, CHANGE_VARIABLE: numbers} if numbers else step.environment
    return run_of_copy(step, name, limits).model_copy(
        update={
            "program": copy,
            "environment": environment,
            "engine": "plain",
            "hang_group": None,
            "early_stop": EarlyStop(first_s=STOP_S, again_s=STOP_S),
        }
    )
