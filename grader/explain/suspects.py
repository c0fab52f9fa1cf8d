"""The failed cases of a submission that a mistake in the use of memory may explain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from grader.explain.second_run import SMALL_BYTES
from grader.model.evidence import Exited, Signalled, run_id
from grader.model.plan import RunStep
from grader.model.report import CaseResult, Report

CHECKED_CASES = 6
"""Failing cases of a program that are run with sanitizers. A run takes 0.05 s of CPU time, a start under valgrind
half a second: only one case of a program is run under valgrind, if what memory holds at first makes a difference."""

WRONG_BYTES = {"wrong-bytes", "high-bytes-wrong", "other-bytes-become-one"}
"""Symptoms of outputs with bytes that a program may have read from anywhere."""


@dataclass(frozen=True)
class Suspect:
    """A case that failed in a way that a mistake in the use of memory may explain, and the checks that have it."""

    step: RunStep
    result: CaseResult
    checks: tuple[str, ...]
    rank: int
    """Its place in the report."""

    writes_wrong_bytes: bool = False

    @property
    def size_bytes(self) -> int:
        """The size of the input and the operands."""
        return self.result.input_size_bytes + sum(map(len, self.result.operands))

    @property
    def crashed(self) -> bool:
        """Whether a signal ended the program."""
        return isinstance(self.result.ending, Signalled)


def suspects(report: Report, runs: Iterable[RunStep]) -> tuple[Suspect, ...]:
    """Return the cases to run again, of those in `runs`: the crashes of each program first, then the smallest.

    A case qualifies if the program crashed (and no fix of a known bug prevents it), if a check with this case has no
    certain cause, or if wrong bytes may have been read from outside of an array: a known bug that writes the same may
    have another reason.
    """
    strange = {
        (symptom.program, case) for symptom in report.symptoms if symptom.id in WRONG_BYTES for case in symptom.cases
    }
    steps = {run.id: run for run in runs}
    certain = {cause.name for cause in report.causes if cause.certainty != "likely"}
    # Another line than that of the proof would say nothing more.
    repaired = {check for cause in report.causes if cause.proof is not None for check in cause.proof.checks}
    found: dict[str, Suspect] = {}
    for check in report.checks:
        for result in check.failures:
            step = steps.get(run_id(check.program, result.case))
            if step is None or not isinstance(result.ending, Exited | Signalled):
                continue
            is_explained = check.cause in certain and (check.program, result.case) not in strange
            is_repaired = check.id in repaired and not result.hidden
            if is_explained and (is_repaired or not isinstance(result.ending, Signalled)):
                continue
            is_strange = (check.program, result.case) in strange
            before = found.get(step.id, Suspect(step, result, (), len(found), is_strange))
            found[step.id] = replace(before, checks=(*before.checks, check.id))
    return tuple(
        suspect
        for program in dict.fromkeys(suspect.step.program for suspect in found.values())
        for suspect in _smallest([one for one in found.values() if one.step.program == program])
    )


def _smallest(of_program: Sequence[Suspect]) -> list[Suspect]:
    """Return the smallest suspect of each check, and the smallest that writes wrong bytes: that has its own reason.

    A large one is only tried if it crashes, and no small one failed.
    """
    small = [suspect for suspect in of_program if suspect.result.input_size_bytes <= SMALL_BYTES]
    large = [suspect for suspect in of_program if suspect.crashed]
    ordered = sorted(small or large[:1], key=lambda one: (not one.crashed, one.size_bytes))
    first_of_check = {
        (check, suspect.writes_wrong_bytes): suspect for suspect in reversed(ordered) for check in suspect.checks
    }
    chosen = {suspect.step.id for suspect in first_of_check.values()}
    return [suspect for suspect in ordered if suspect.step.id in chosen][:CHECKED_CASES]
