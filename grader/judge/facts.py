"""Everything that a verdict may depend on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from grader.judge.time_used import used_up_the_time
from grader.model.evidence import BuildDone, Engine, Evidence, RunDone, program_and_case, succeeded
from grader.model.lab import Lab
from grader.model.notebook import CoverageItem
from grader.model.report import CheckEvidence, CheckStatus, Difference
from grader.model.spec.rubric import program_of
from grader.model.submission import Source, Submission, UnusableSource

TIME_UP = "the time limit for grading was reached"
NOT_SELECTED = "not selected (--only)"


def concerns(selected_checks: frozenset[str] | None, program: str) -> bool:
    """Return whether a program has a selected check; None means that all checks are selected."""
    return selected_checks is None or program in map(program_of, selected_checks)


@dataclass(frozen=True)
class Facts:
    """The evidence of one submission, and the lab that it is judged by.

    `differences` has an entry, by step id, for each run whose output is not the reference's. `selected_checks`
    are the ids of the checks to judge; None means all. `coverage` is what the notebook has of what the lab asks for.
    """

    lab: Lab
    submission: Submission
    evidence: Evidence
    differences: Mapping[str, Difference]
    selected_checks: frozenset[str] | None = None
    coverage: tuple[CoverageItem, ...] = ()

    def is_selected(self, check: str) -> bool:
        """Return whether a check is to be judged."""
        return self.selected_checks is None or check in self.selected_checks

    def concerns(self, program: str) -> bool:
        """Return whether a check of a program is to be judged."""
        return concerns(self.selected_checks, program)

    def source(self, program: str) -> Source | UnusableSource:
        """Return the source of a program, or why it cannot be used: as it did not compile, what it is instead."""
        kind, build = self.submission.kinds.get(program), self.evidence.builds.get(program)
        if kind is None or build is None or build.cut_short or succeeded(build.ending):
            return self.submission.sources[program]
        return UnusableSource(kind)

    def build(self, program: str) -> BuildDone | UnusableSource:
        """Return the build of a program, or why its source cannot be compiled."""
        source = self.source(program)
        return source if isinstance(source, UnusableSource) else self.evidence.builds[program]

    def built(self, program: str) -> bool:
        """Return whether there is a program to run."""
        build = self.build(program)
        return not isinstance(build, UnusableSource) and succeeded(build.ending) and not build.cut_short

    @property
    def can_count(self) -> bool:
        """Whether the engines that count full-size runs worked on the machine that graded this."""
        return self.works("account")

    def works(self, engine: Engine) -> bool:
        """Return whether an engine worked on the machine that graded this."""
        toolchain = self.evidence.toolchain
        return toolchain is not None and engine not in toolchain.missing

    @property
    def used_up_the_time(self) -> bool:
        """Whether it is the submission's own doing that the time was up."""
        return used_up_the_time(self.evidence, self.lab.reference.evidence)

    def may_vary(self, run: RunDone, others: Iterable[RunDone]) -> bool:
        """Return whether another run of the same case may write another number of bytes.

        What a program writes from memory that was never set differs from run to run: the output of this run, or of
        one of the `others` that a check is about, is wrong, or there is nothing to compare it with. A right output is
        luck then.
        """
        _, name = program_and_case(run.step)
        case = self.lab.spec.cases[name]
        is_compared = case.copies_reference or bool(case.expected_files)
        return not is_compared or any(map(self.writes_wrong, (run, *others)))

    def writes_wrong(self, run: RunDone) -> bool:
        """Return whether something that a run wrote is not what the reference wrote."""
        return self.lab.expected(run) is not None or any(self.lab.wrong_files(run))

    def cut_short(self, program: str) -> str | None:
        """Return why a program's compilation was cut short if that is not the submission's fault, else None."""
        build = self.build(program)
        cut = not isinstance(build, UnusableSource) and build.cut_short
        return TIME_UP if cut and not self.used_up_the_time else None

    def out_of_time(self, steps: Iterable[str]) -> str | None:
        """Return why one of these steps was not run if that is not the submission's fault, else None."""
        left_out = [self.evidence.left_out[step].why for step in steps if step in self.evidence.left_out]
        if "not-yet" in left_out:
            return "not run yet"
        if "deadline" in left_out and not self.used_up_the_time:
            return TIME_UP
        return None

    def left_out_by_own_fault(self, step: str) -> str | None:
        """Return why a step was left out if that is the program's fault, else None."""
        left_out = self.evidence.left_out.get(step)
        match left_out.why if left_out is not None else None:
            case "submission-time":
                share = "its share of limits.submission_wall_s"
                return f"not run: the program had used up its {self.lab.spec.program_wall_s:g} s, {share}"
            case "deadline":
                return "not run: the submission had used up its time"
            case "no-end":
                return "not run: in a similar run, the program had to be stopped"
            case "not-built":
                return "not run: the program compiled once, but not when it was compiled again"
            case "given-up":
                return "not run: the program had not ended in three earlier runs"
            case _:
                return None


@dataclass(frozen=True)
class Outcome:
    """The outcome of a check; `message` is one or two sentences for the student.

    `hint` replaces the rubric's hint if that does not fit what went wrong. `needs` is the check that has to pass
    before this one can be judged.
    """

    status: CheckStatus
    message: str
    evidence: CheckEvidence | None = None
    hint: str | None = None
    needs: str = ""
