"""Rounds: each runs everything once, in an order that rotates by one from round to round."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add

from bench.figures import Cost, Round
from bench.lab import MeasuredLab
from bench.programs import Programs, TallyMode
from grader.messages import Notify

TALLY_MODES: tuple[TallyMode, ...] = ("plain", "account", "filter")


@dataclass(frozen=True)
class Step:
    """Something to measure, with its title for progress messages."""

    title: str
    run: Callable[[], Round]


def alone_key(program: str, case: str) -> str:
    """Return the key of a program that was run alone."""
    return f"{program} alone {case}"


def alone_keys(lab: MeasuredLab) -> list[str]:
    """Return the keys of each program alone on each full-size input."""
    return [alone_key(program, case) for program in lab.spec.programs for case in lab.cases]


def programs_steps(lab: MeasuredLab, programs: Programs) -> list[Step]:
    """Return each program alone on each full-size input."""

    def step(program: str, case: str) -> Step:
        key = alone_key(program, case)
        return Step(key, lambda: {key: programs.alone(program, case)})

    return [step(program, case) for program in lab.spec.programs for case in lab.cases]


def tally_steps(lab: MeasuredLab, programs: Programs) -> list[Step]:
    """Return each program under each of tally's modes."""

    def step(program: str, mode: TallyMode) -> Step:
        key = f"{program} {mode}"
        return Step(key, lambda: {key: programs.under_tally(program, mode)})

    return [step(program, mode) for program in lab.spec.programs for mode in TALLY_MODES]


def strace_steps(lab: MeasuredLab, programs: Programs) -> list[Step]:
    """Return each program under strace, with and without pinning both to one CPU."""

    def step(program: str, *, pinned: bool) -> Step:
        key = strace_key(program, pinned=pinned)
        return Step(key, lambda: {key: programs.under_strace(program, pinned=pinned)})

    return [step(program, pinned=pinned) for program in lab.spec.programs for pinned in (True, False)]


def strace_key(program: str, *, pinned: bool) -> str:
    """Return the key of a program under strace."""
    return f"{program} strace {'pinned' if pinned else 'unpinned'}"


def rotated(steps: Sequence[Step], by: int) -> list[Step]:
    """Return the steps, rotated by `by`, so that each step is the first one in some round."""
    start = by % len(steps)
    return [*steps[start:], *steps[:start]]


def one_round(alone: Sequence[str], steps: Sequence[Step], notify: Notify) -> Round:
    """Run the steps; add the sum of the programs alone, whose keys are `alone`, and what grading adds to it."""
    results: dict[str, Cost] = {}
    for step in steps:
        notify(step.title)
        results.update(step.run())
    results["alone"] = reduce(add, (results[key] for key in alone))
    if "grading" in results:
        results["around"] = results["grading"] - results["alone"]
    return results
