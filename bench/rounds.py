"""Rounds: each runs everything once, in an order that moves on by one from round to round."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add

from bench.figures import Cost, Round
from bench.lab import Lab
from bench.programs import Programs, TallyMode
from grader.messages import Notify

TALLY_MODES: tuple[TallyMode, ...] = ("plain", "account", "filter")


@dataclass(frozen=True)
class Step:
    """Something to measure, and what to call it while it runs."""

    title: str
    run: Callable[[], Round]


def alone_key(program: str, case: str) -> str:
    """Return the key of a program that was run alone."""
    return f"{program} alone {case}"


def alone_keys(lab: Lab) -> list[str]:
    """Return the keys of each program alone on each full-size input."""
    return [alone_key(program, case) for program in lab.spec.programs for case in lab.cases]


def programs_steps(lab: Lab, programs: Programs) -> list[Step]:
    """Return each program alone on each full-size input."""

    def step(program: str, case: str) -> Step:
        key = alone_key(program, case)
        return Step(key, lambda: {key: programs.alone(program, case)})

    return [step(program, case) for program in lab.spec.programs for case in lab.cases]


def tally_steps(lab: Lab, programs: Programs) -> list[Step]:
    """Return each program beneath each of tally's modes."""

    def step(program: str, mode: TallyMode) -> Step:
        key = f"{program} {mode}"
        return Step(key, lambda: {key: programs.beneath_tally(program, mode)})

    return [step(program, mode) for program in lab.spec.programs for mode in TALLY_MODES]


def strace_steps(lab: Lab, programs: Programs) -> list[Step]:
    """Return each program beneath strace, with and without a CPU for both."""

    def step(program: str, *, pinned: bool) -> Step:
        key = strace_key(program, pinned=pinned)
        return Step(key, lambda: {key: programs.beneath_strace(program, pinned=pinned)})

    return [step(program, pinned=pinned) for program in lab.spec.programs for pinned in (True, False)]


def strace_key(program: str, *, pinned: bool) -> str:
    """Return the key of a program beneath strace."""
    return f"{program} strace {'pinned' if pinned else 'unpinned'}"


def rotated(steps: Sequence[Step], by: int) -> list[Step]:
    """Return the steps in an order that begins `by` places later: what comes after what is not always the same."""
    start = by % len(steps)
    return [*steps[start:], *steps[:start]]


def one_round(alone: Sequence[str], steps: Sequence[Step], notify: Notify) -> Round:
    """Run the steps; add the sum of the programs alone, by their keys, and what grading takes around them."""
    results: dict[str, Cost] = {}
    for step in steps:
        notify(step.title)
        results.update(step.run())
    results["alone"] = reduce(add, (results[key] for key in alone))
    if "grading" in results:
        results["around"] = results["grading"] - results["alone"]
    return results
