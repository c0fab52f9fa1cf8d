"""Several submissions in the sandbox that runs nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from grader.intake.folder import Found
from grader.pipeline import Grading
from grader.sandbox.base import Job, Progress

from .facts import REFERENCE, evidence
from .lab import INPUTS, PROGRAMS, SPEC
from .sandboxes import FakeSandbox, Script, events_of

RIGHT = events_of(evidence())
NAMES = ["ada", "bob", "cyd", "dan"]


def hand_in(folder: Path, names: Sequence[str] = NAMES) -> list[Found]:
    """Submissions whose sources hold their name, by which a script knows them."""
    for name in names:
        (folder / name).mkdir(parents=True)
        for program in PROGRAMS:
            (folder / name / f"{program}.c").write_text(name)
    return [Found(name, folder / name) for name in names]


def owner(job: Job) -> str:
    return job.sources["many.c"].decode()


def grading(script: Script) -> tuple[Grading, FakeSandbox]:
    place = FakeSandbox(script)
    return Grading(SPEC, place, REFERENCE, INPUTS), place


def ignore(_name: str, _event: Progress) -> None:
    return
