"""The report of a submission that is being graded: what is known of it after each step."""

from __future__ import annotations

from collections.abc import Callable

from grader.comparison import Standard
from grader.judge.facts import Facts
from grader.judge.steps import steps_of
from grader.judge.verdict import Circumstances, judge
from grader.model.evidence import BuildDone, Evidence, RunDone, StepLeftOut, Toolchain
from grader.model.plan import Work
from grader.model.report import Difference, Report
from grader.model.submission import Submission
from grader.sandbox.base import Progress


class Unfolding:
    """Gathers events, and publishes a report whenever a check is decided.

    Checks that wait for a step are skipped in it and named in `not_run`. No cause is looked for: that is the end's.
    """

    def __init__(
        self,
        standard: Standard,
        submission: Submission,
        circumstances: Circumstances,
        work: Work,
        publish: Callable[[Report], None],
    ) -> None:
        """Know all steps of the work; none has been done."""
        self._standard = standard
        self._submission = submission
        self._circumstances = circumstances
        self._publish = publish
        self._toolchain: Toolchain | None = None
        self._builds: dict[str, BuildDone] = {}
        self._runs: dict[str, RunDone] = {}
        self._differences: dict[str, Difference] = {}
        self._left_out = {step.id: StepLeftOut(step=step.id, why="not-yet") for step in work.runs}
        self._programs = [build.program for build in work.builds]
        self._decided = 0

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
        if all(program in self._builds for program in self._programs):
            self._publish_news()

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

    def _publish_news(self) -> None:
        decided = sum(not self._waits(steps) for steps in self._checks())
        if decided > self._decided:
            self._decided = decided
            self._publish(self._report())

    def _checks(self) -> list[tuple[str, ...]]:
        rubric = self._standard.spec.rubric
        return [steps_of(program, item) for item in rubric for program in item.points]

    def _waits(self, steps: tuple[str, ...]) -> bool:
        return any(step in self._left_out and self._left_out[step].why == "not-yet" for step in steps)

    def _report(self) -> Report:
        evidence = Evidence(toolchain=self._toolchain, builds=self._builds, runs=self._runs, left_out=self._left_out)
        standard = self._standard
        facts = Facts(
            standard.spec, self._submission, evidence, standard.reference, standard.inputs, self._differences
        )
        return judge(facts, self._circumstances)
