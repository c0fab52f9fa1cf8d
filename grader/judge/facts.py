"""All that a verdict may rest on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from grader.judge.steps import concerns
from grader.model.evidence import WITHOUT_END, BuildDone, Evidence, Exited
from grader.model.reference import Reference
from grader.model.report import CheckEvidence, CheckStatus, Difference
from grader.model.spec.lab import Spec
from grader.model.submission import Submission, UnusableSource

TIME_UP = "the time that there was for everything was up"
NOT_ASKED = "not asked for (--only)"

SLOW_TIMES = 5.0
SLOW_SPARE_S = 20.0
"""A busy machine, or half a processor, makes right programs two or three times as slow as the reference was."""


@dataclass(frozen=True)
class Facts:
    """One submission's evidence beside the spec, the reference's evidence and the inputs.

    `differences` has an entry, by step id, for each run whose output is not the reference's. `asked` are the ids of
    the checks that are wanted, None where all are.
    """

    spec: Spec
    submission: Submission
    evidence: Evidence
    reference: Reference
    inputs: Mapping[str, bytes]
    differences: Mapping[str, Difference]
    asked: frozenset[str] | None = None

    def wanted(self, check: str) -> bool:
        """Return whether a check was asked for."""
        return self.asked is None or check in self.asked

    def concerns(self, program: str) -> bool:
        """Return whether a check of a program was asked for."""
        return concerns(self.asked, program)

    def build(self, program: str) -> BuildDone | UnusableSource:
        """Return how a program's compilation went, or why there was nothing to compile."""
        source = self.submission.sources[program]
        return source if isinstance(source, UnusableSource) else self.evidence.builds[program]

    def built(self, program: str) -> bool:
        """Return whether there is a program to run."""
        build = self.build(program)
        done = Exited(kind="exited", code=0)
        return not isinstance(build, UnusableSource) and build.ending == done and not build.cut_short

    @property
    def can_count(self) -> bool:
        """Whether the engines that count full-size runs were found to work where this ran."""
        found = self.evidence.toolchain
        return found is not None and "account" not in found.missing

    @property
    def much_slower_than_reference(self) -> bool:
        """Whether the programs took so much longer than the reference's that it is their doing if the time is up."""
        found, reference = self.evidence, self.reference.evidence
        took = {step: done.took_s for step, done in found.runs.items()}
        took.update({step: left.took_s for step, left in found.left_out.items() if left.took_s})
        due_s = sum(reference.runs[step].took_s for step in took if step in reference.runs)
        due_s += sum(build.wall_s for build in reference.builds.values())
        took_s = sum(took.values()) + sum(build.wall_s for build in found.builds.values())
        return took_s > SLOW_TIMES * due_s + SLOW_SPARE_S

    def cut_short(self, program: str) -> str | None:
        """Return why a program's compilation was cut short, where that is not the submission's doing, else None."""
        build = self.build(program)
        cut = not isinstance(build, UnusableSource) and build.cut_short
        return TIME_UP if cut and not self.much_slower_than_reference else None

    def unreached(self, steps: Iterable[str]) -> str | None:
        """Return why one of these steps was not run, where that is not the submission's doing, else None."""
        left_out = [self.evidence.left_out[step].why for step in steps if step in self.evidence.left_out]
        if "not-yet" in left_out:
            return "not run yet"
        if "deadline" in left_out and not self.much_slower_than_reference:
            return TIME_UP
        return None

    def does_not_end(self, step: str) -> bool:
        """Return whether a step was left out because its program did not end in others."""
        left_out = self.evidence.left_out.get(step)
        return left_out is not None and left_out.why in WITHOUT_END

    def not_run(self, step: str) -> str | None:
        """Return words for a step that was left out through the program's own doing, None for any other."""
        left_out = self.evidence.left_out.get(step)
        match left_out.why if left_out is not None else None:
            case "submission-time":
                return f"not run: the program had used up its {self.spec.program_wall_s:g} s"
            case "deadline":
                return "not run: the submission had used up the time that there was for everything"
            case "no-end":
                return "not run: with the same operands and a short input the program did not end"
            case "given-up":
                return "not run: the program had not ended in three runs before, and was not waited for again"
            case _:
                return None


@dataclass(frozen=True)
class Outcome:
    """What a check came to; `message` is one or two sentences for the student.

    `hint` takes the place of the rubric's where what went wrong tells more than which check it was.
    """

    status: CheckStatus
    message: str
    evidence: CheckEvidence | None = None
    hint: str | None = None
