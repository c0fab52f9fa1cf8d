"""Try the small changes of one program: in one copy of its source, in which an environment variable chooses one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.diagnose.edits import CHANGE_VARIABLE, COMPARISON, LIKELIEST, fixed
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

_READS = re.compile(rb"\b(?:read|getchar|getc|fgetc)\s*\(")
_UNCHANGED = FoundChange(line=1, edits=(), says="", rank=LIKELIEST, number=0)


@dataclass(frozen=True)
class ToRepair:
    """A program to repair, what is known of it, and the runs that students see."""

    program: str
    source: bytes
    report: Report
    runs: Plan


class ChangeTrials:
    """Tries the small changes of one program."""

    def __init__(self, lab: Lab, copies: FixedCopies, failing: ToRepair, changes: FoundChanges) -> None:
        self._lab = lab
        self._copies = copies
        self._failing = failing
        self._changes = changes

    def works(self, steps: Sequence[RunStep], *, ends: bool) -> Iterator[list[FoundChange]]:
        """Yield the changes with which each of these steps is right: first likely ones, then those and the others.

        A caller that has found a repair need not ask for the others. `ends`: the program ends in the first step. The
        others are only run with what repairs the first: most changes do not.
        """
        ordered = self._ordered(ends=ends)
        tried = ordered[: MOST_RUNS - 1 if ends else ENDLESS_CHANGES - 1]
        likely = [change for change in tried if change.rank <= COMPARISON]
        found: list[FoundChange] = []
        by_chance = False
        for part in (likely, [change for change in tried if change.rank > COMPARISON]):
            right = [_UNCHANGED, *part] if part is likely else part
            for step in steps:
                right = self._right(right, step)
            # If the copy is right without a change, what the program does depends on chance, and so may a trial.
            by_chance = by_chance or _UNCHANGED in right
            found += [change for change in right if change != _UNCHANGED]
            works = [change for change in found if not (by_chance and change.rank > LIKELIEST)]
            yield [change for change in self._changes.changes if change in works]

    def _ordered(self, *, ends: bool) -> list[FoundChange]:
        """Return the changes, the likeliest first: a program that writes without end misses the end of its input."""
        program, report = self._failing.program, self._failing.report
        floods = any(one.id == "writes-without-end" and one.program == program for one in report.symptoms)
        if ends or not floods:
            return sorted(self._changes.changes, key=lambda change: change.rank)
        lines = self._failing.source.split(b"\n")
        return sorted(
            self._changes.changes,
            key=lambda change: (_READS.search(lines[change.line - 1]) is None, change.rank),
        )

    def _right(self, changes: Sequence[FoundChange], step: RunStep) -> list[FoundChange]:
        """Return those of these changes with which a step is right."""
        names, copies = {}, {}
        program = self._failing.program
        together = f"{program}_changes"
        for change in changes:
            if change.number is not None:
                names[f"{together}{change.number}"] = change
                copies[together] = self._changes.copy_with_all
            elif (data := fixed(self._failing.source, change.edits)) is not None:
                name = f"{program}_change{self._changes.changes.index(change)}"
                names[name], copies[name] = change, data
        if not names or not self._copies.may_run():
            return []
        steps = [_changed(step, name, name if name in copies else together, change) for name, change in names.items()]
        evidence = self._copies.collected(self._failing.runs, program, copies, steps, WALL_S)
        done = zip(steps, names.values(), strict=True)
        return [change for run, change in done if self._is_right(evidence, run, step)]

    def _is_right(self, evidence: Evidence, run: RunStep, step: RunStep) -> bool:
        """Return whether the run of a copy did what is expected of the step that it repeats."""
        done = evidence.runs.get(run.id)
        if done is None:
            return False
        runs = {step.id: done.model_copy(update={"step": step.id})}
        own = Evidence(toolchain=evidence.toolchain, builds={}, runs=runs, left_out={})
        return is_right(self._lab, self._copies.facts(own), step.program, step.case)


def _changed(step: RunStep, name: str, copy: str, change: FoundChange) -> RunStep:
    """Return the run of a case with a small change."""
    limits = step.limits.model_copy(update={"cpu_s": RUN_LIMITS.cpu_s, "wall_s": RUN_LIMITS.wall_s})
    environment = (
        step.environment if change.number is None else {**step.environment, CHANGE_VARIABLE: str(change.number)}
    )
    return run_of_copy(step, name, limits).model_copy(
        update={
            "program": copy,
            "environment": environment,
            "engine": "plain",
            "hang_group": None,
            "early_stop": EarlyStop(first_s=STOP_S, again_s=STOP_S),
        }
    )
