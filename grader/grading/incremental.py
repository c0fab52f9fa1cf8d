"""The report of a submission that is being graded: what is known of it after each step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from grader.grading.output_diff import ExpectedOutputs
from grader.judge.facts import Facts
from grader.judge.steps import steps_of
from grader.judge.verdict import GradingEnvironment, check_of, judge
from grader.model.evidence import BuildDone, Evidence, RunDone, StepLeftOut, Toolchain
from grader.model.plan import Work
from grader.model.report import Check, Difference, Report
from grader.model.spec.rubric import RubricEntry
from grader.model.submission import Submission
from grader.sandbox.base import Progress


@dataclass(frozen=True)
class ProgressCallbacks:
    """Who is told: `decided` of each check once, `publish` a whole report whenever there is another one.

    `asked` are the ids of the checks that are wanted, None: all.
    """

    decided: Callable[[Check], None] | None = None
    publish: Callable[[Report], None] | None = None
    asked: frozenset[str] | None = None


class IncrementalJudge:
    """Gathers events, and tells of each check as soon as nothing that comes can change it.

    Checks that wait for a step are skipped in a report and named in `not_run`. No cause is looked for: that is the
    end's.
    """

    def __init__(
        self,
        standard: ExpectedOutputs,
        submission: Submission,
        environment: GradingEnvironment,
        work: Work,
        told: ProgressCallbacks,
    ) -> None:
        """Know all steps of the work; none has been done."""
        self._standard = standard
        self._submission = submission
        self._circumstances = environment
        self._told = told
        self._toolchain: Toolchain | None = None
        self._builds: dict[str, BuildDone] = {}
        self._runs: dict[str, RunDone] = {}
        self._differences: dict[str, Difference] = {}
        self._left_out = {step.id: StepLeftOut(step=step.id, why="not-yet") for step in work.runs}
        self._programs = [build.program for build in work.builds]
        self._open = standard.spec.checks()

    def watch(self, event: Progress) -> None:
        """Take an event in."""
        match event:
            case Toolchain():
                self._toolchain = event
            case BuildDone():
                self._builds[event.program] = event
            case RunDone():
                self._take(event)
            case StepLeftOut():
                self._left_out[event.step] = event
        self._tell_news()

    def _take(self, run: RunDone) -> None:
        expected = self._standard.expected(run)
        if expected is not None:
            # A large output is fetched at the end: what is wrong with it cannot be told yet, so the step has to wait.
            if run.stdout.data is None:
                return
            where = self._standard.difference(run, expected, run.stdout.data)
            if where is not None:
                self._differences[run.step] = where
        self._runs[run.step] = run
        self._left_out.pop(run.step, None)

    def _tell_news(self) -> None:
        news = [check for check, (program, item) in self._open.items() if self._is_decided(program, item)]
        if self._told.publish is not None and not all(program in self._builds for program in self._programs):
            # A report is of all programs.
            return
        if not news:
            return
        decided = {check: self._open.pop(check) for check in news}
        facts = self._facts()
        if self._told.decided is not None:
            for check, (program, item) in decided.items():
                if facts.wanted(check):
                    self._told.decided(check_of(facts, program, item))
        if self._told.publish is not None:
            self._told.publish(judge(facts, self._circumstances))

    def _is_decided(self, program: str, item: RubricEntry) -> bool:
        if program in self._programs and program not in self._builds:
            return False
        return not any(
            step in self._left_out and self._left_out[step].why == "not-yet" for step in steps_of(program, item)
        )

    def _facts(self) -> Facts:
        evidence = Evidence(toolchain=self._toolchain, builds=self._builds, runs=self._runs, left_out=self._left_out)
        standard = self._standard
        return Facts(
            standard.spec,
            self._submission,
            evidence,
            standard.reference,
            standard.inputs,
            self._differences,
            self._told.asked,
        )
