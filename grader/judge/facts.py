"""Everything that a verdict may depend on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from grader.judge.lab import Lab
from grader.model.evidence import WITHOUT_END, BuildDone, Evidence, Exited
from grader.model.report import CheckEvidence, CheckStatus, Difference
from grader.model.submission import Submission, UnusableSource

TIME_UP = "the time that there was for everything was up"
NOT_SELECTED = "not asked for (--only)"

SLOW_TIMES = 5.0
"""How many times as long as the reference a submission may take before that is its own fault.

On a busy machine, or with half a processor, correct programs take two or three times as long as the reference did.
"""

SLOW_SPARE_S = 20.0
"""Seconds that a submission may take in addition."""


def concerns(selected_checks: frozenset[str] | None, program: str) -> bool:
    """Return whether a program has a selected check; None means that all checks are selected."""
    return selected_checks is None or any(check.startswith(f"{program}.") for check in selected_checks)


@dataclass(frozen=True)
class Facts:
    """The evidence of one submission, and the lab that it is judged by.

    `differences` has an entry, by step id, for each run whose output is not the reference's. `selected_checks`
    are the ids of the checks to judge; None means all.
    """

    lab: Lab
    submission: Submission
    evidence: Evidence
    differences: Mapping[str, Difference]
    selected_checks: frozenset[str] | None = None

    def is_selected(self, check: str) -> bool:
        """Return whether a check is to be judged."""
        return self.selected_checks is None or check in self.selected_checks

    def concerns(self, program: str) -> bool:
        """Return whether a check of a program is to be judged."""
        return concerns(self.selected_checks, program)

    def build(self, program: str) -> BuildDone | UnusableSource:
        """Return the build of a program, or why its source cannot be compiled."""
        source = self.submission.sources[program]
        return source if isinstance(source, UnusableSource) else self.evidence.builds[program]

    def built(self, program: str) -> bool:
        """Return whether there is a program to run."""
        build = self.build(program)
        done = Exited(kind="exited", code=0)
        return not isinstance(build, UnusableSource) and build.ending == done and not build.cut_short

    @property
    def can_count(self) -> bool:
        """Whether the engines that count full-size runs worked on the machine that graded this."""
        toolchain = self.evidence.toolchain
        return toolchain is not None and "account" not in toolchain.missing

    @property
    def much_slower_than_reference(self) -> bool:
        """Whether the programs took so much longer than the reference's that running out of time is their fault."""
        evidence, reference = self.evidence, self.lab.reference.evidence
        times_s = {step: run.took_s for step, run in evidence.runs.items()}
        times_s.update({step: left_out.took_s for step, left_out in evidence.left_out.items() if left_out.took_s})
        reference_s = sum(reference.runs[step].took_s for step in times_s if step in reference.runs)
        reference_s += sum(build.wall_s for build in reference.builds.values())
        took_s = sum(times_s.values()) + sum(build.wall_s for build in evidence.builds.values())
        return took_s > SLOW_TIMES * reference_s + SLOW_SPARE_S

    def cut_short(self, program: str) -> str | None:
        """Return why a program's compilation was cut short if that is not the submission's fault, else None."""
        build = self.build(program)
        cut = not isinstance(build, UnusableSource) and build.cut_short
        return TIME_UP if cut and not self.much_slower_than_reference else None

    def unreached(self, steps: Iterable[str]) -> str | None:
        """Return why one of these steps was not run if that is not the submission's fault, else None."""
        left_out = [self.evidence.left_out[step].why for step in steps if step in self.evidence.left_out]
        if "not-yet" in left_out:
            return "not run yet"
        if "deadline" in left_out and not self.much_slower_than_reference:
            return TIME_UP
        return None

    def does_not_end(self, step: str) -> bool:
        """Return whether a step was left out because its program did not end in other steps."""
        left_out = self.evidence.left_out.get(step)
        return left_out is not None and left_out.why in WITHOUT_END

    def not_run(self, step: str) -> str | None:
        """Return why a step was left out if that is the program's fault, else None."""
        left_out = self.evidence.left_out.get(step)
        match left_out.why if left_out is not None else None:
            case "submission-time":
                return f"not run: the program had used up its {self.lab.spec.program_wall_s:g} s"
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
    """The outcome of a check; `message` is one or two sentences for the student.

    `hint` replaces the rubric's hint if what went wrong is more helpful than which check failed.
    """

    status: CheckStatus
    message: str
    evidence: CheckEvidence | None = None
    hint: str | None = None
