"""Judge a submission while it runs: each check once, as soon as no later event can change its outcome."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from threading import Lock

from grader.errors import SandboxError
from grader.grading.notebook import read_for_checks
from grader.judge.difference import file_difference, output_difference
from grader.judge.facts import Facts
from grader.judge.verdict import GradingEnvironment, judge, judge_check
from grader.lab.source_files import source_files
from grader.model.evidence import BuildDone, Evidence, RunDone, StepLeftOut, Toolchain
from grader.model.lab import Lab, WrongFile
from grader.model.plan import Plan
from grader.model.report import Check, Difference, Report
from grader.model.submission import Submission
from grader.options import DEFAULT_OPTIONS, GradeOptions
from grader.sandbox.base import Job, ProgressEvent, Sandbox, Session
from grader.sandbox.collector import Collector


class IncrementalJudge:
    """Runs the guests of a submission, collects their events, and judges the evidence.

    `rounds` has the plan of each guest. The guests of the second round, whose runs are hidden from students, run when
    those of the first have ended, and are counted after them. A step that they only repeat, because their own steps
    depend on it, is ignored when it arrives again. Several guests may send events at the same time: one lock guards
    all state, and the observer is called while it is held, so an observer must not call back. `_facts` sees what the
    collector adds later. A step leaves `_pending` when its outcome and its difference from the reference are known.
    If a large wrong output is still in the sandbox, the step stays pending, and its checks are judged in `report`.
    """

    def __init__(
        self,
        lab: Lab,
        submission: Submission,
        environment: GradingEnvironment,
        rounds: Sequence[Sequence[Plan]],
        options: GradeOptions = DEFAULT_OPTIONS,
    ) -> None:
        self._lab = lab
        self._submission, self._coverage = read_for_checks(submission, lab.spec, options.selected_checks)
        self._environment = environment
        self._shares = [plan for shares in rounds for plan in shares]
        first_round = rounds[0] if rounds else ()
        self._guests_first = len(first_round)
        self._first_steps = {step.id for plan in first_round for step in plan.runs}
        self._time_left = options.time_left
        self._observer = options.observer
        self._selected_checks = options.selected_checks
        self._programs = {build.program for plan in self._shares for build in plan.builds}
        # Steps that were neither run nor left out, and those whose wrong output is still in the sandbox.
        self._pending = {step.id for plan in self._shares for step in plan.runs}
        self._collector = Collector()
        self._wrong: defaultdict[int, list[tuple[RunDone, RunDone]]] = defaultdict(list)
        self._wrong_files: defaultdict[int, list[WrongFile]] = defaultdict(list)
        self._differences: dict[str, Difference] = {}
        self._facts: Facts | None = None
        self._open = lab.spec.checks()
        # Asked for after each event.
        self._steps = {check: frozenset(item.steps(program)) for check, (program, item) in self._open.items()}
        self._decided: dict[str, Check] = {}
        self._has_news = False
        self._lock = Lock()

    def run_guest(
        self,
        sandbox: Sandbox,
        keep: Callable[[str, bytes], None] | None = None,
        *,
        guest: int = 0,
        slot: int = 0,
    ) -> None:
        """Run a guest on its share of the plan; several threads may call this at the same time.

        `keep` is called with the step and the output of each run whose output is not the reference's; the guest may
        have cut it.

        Raises:
            EngineUnavailableError: the sandbox is not available.
            SandboxError: the guest failed.
        """
        # Every guest gets all sources: one may include another, and builds must not depend on how many CPUs are idle.
        sources = source_files(self._lab.spec, self._submission, self._lab.provided)
        plan = self._shares[guest].model_copy(update={"deadline_s": self._time_left.left_s})
        with self._lock:
            repeated = self._first_steps if self._is_hidden(guest) else ()
            self._observer.work_planned([step for step in plan.runs if step.id not in repeated])
        with sandbox.open(Job(plan, sources, self._lab.inputs), slot=slot) as session:
            for event in session.events():
                self._add(event, guest)
            self._compare_outputs(guest, session, keep)

    def _is_hidden(self, guest: int) -> bool:
        return guest >= self._guests_first

    def report(self) -> Report:
        """Judge the checks that are still open, and return the report; call this when every guest has ended."""
        return judge(self._facts or self._facts_of(self.evidence), self._environment, self._decided)

    @property
    def evidence(self) -> Evidence:
        """The evidence so far."""
        return self._collector.evidence()

    def _add(self, event: ProgressEvent, guest: int) -> None:
        # The observer is called under the lock, too, so that it need not be thread-safe.
        with self._lock:
            if self._is_hidden(guest) and self._is_repeated(event):
                return
            self._observer.event_received(event)
            self._collector.add(event, guest)
            if isinstance(event, RunDone):
                self._compare(event, guest)
            elif isinstance(event, StepLeftOut):
                self._pending.discard(event.step)
            self._decide()
            if self._has_news and self._programs <= self._collector.builds.keys():
                self._has_news = False
                self._observer.report_updated(self.report_so_far)

    def _is_repeated(self, event: ProgressEvent) -> bool:
        """Return whether an event of a hidden guest is about what earlier guests have done already.

        Raises:
            SandboxError: it lacks an engine that they had, which no verdict has allowed for.
        """
        match event:
            case Toolchain():
                lost = event.missing.keys() - self._collector.missing
                if lost:
                    raise SandboxError(f"{', '.join(sorted(lost))} worked where this was graded, and then no more")
                return True
            case BuildDone():
                return True
            case RunDone() | StepLeftOut():
                return event.step in self._first_steps

    def _compare_outputs(self, guest: int, session: Session, keep: Callable[[str, bytes], None] | None) -> None:
        """Compare the outputs that the events did not include, one at a time, and keep the wrong ones."""
        for run, expected in self._wrong[guest]:
            written = session.fetch(run.step) if run.stdout.data is None else run.stdout.data
            with self._lock:
                if run.stdout.data is None:
                    self._add_difference(run, expected, written)
                if keep is not None and run.step in self._differences:
                    keep(run.step, written)
        for wrong in self._wrong_files[guest]:
            written = session.fetch(wrong.id)
            with self._lock:
                self._add_file_difference(wrong, written)

    def _compare(self, run: RunDone, guest: int) -> None:
        """Compare what a run wrote; large outputs only when the guest has done all its work and can send them."""
        is_known = True
        expected = self._lab.expected(run)
        if expected is not None:
            self._wrong[guest].append((run, expected))
            is_known = run.stdout.data is not None
            if run.stdout.data is not None:
                self._add_difference(run, expected, run.stdout.data)
        for wrong in self._lab.wrong_files(run):
            if wrong.found.data is None:
                self._wrong_files[guest].append(wrong)
                is_known = False
            else:
                self._add_file_difference(wrong, wrong.found.data)
        if is_known:
            self._pending.discard(run.step)

    def _add_difference(self, run: RunDone, expected: RunDone, written: bytes) -> None:
        self._differences[run.step] = output_difference(self._lab, run, expected, written)

    def _add_file_difference(self, wrong: WrongFile, written: bytes) -> None:
        self._differences[wrong.id] = file_difference(self._lab, wrong, written)

    def _decide(self) -> None:
        # An engine that one guest lacks counts as missing for all programs, so wait for the toolchain of each guest.
        if len(self._collector.toolchains) < self._guests_first:
            return
        if self._facts is None:
            # Made once: events that the collector adds later appear in it.
            self._facts = self._facts_of(self.evidence)
        for check in [check for check, (program, _) in self._open.items() if self._is_ready(program, check)]:
            decided = self._decided[check] = judge_check(self._facts, *self._open.pop(check))
            self._has_news = True
            if self._facts.is_selected(check):
                self._observer.check_decided(decided)

    def _is_ready(self, program: str, check: str) -> bool:
        """Return whether everything that a check depends on is known.

        A check depends on the build of its program and on its own steps, with one exception: if the deadline cut one
        of them short, whose fault that is depends on how long all steps took, which is known only at the end.
        """
        steps, left_out = self._steps[check], self._collector.left_out
        if program in self._programs:
            build = self._collector.builds.get(program)
            if build is None or build.cut_short:
                return False
        return self._pending.isdisjoint(steps) and not any(
            left_out[step].why == "deadline" for step in steps if step in left_out
        )

    def report_so_far(self) -> Report:
        """Return a report in which checks that wait for a step are skipped, and listed in `not_run`."""
        so_far = self.evidence
        waiting = {step: StepLeftOut(step=step, why="not-yet") for step in self._pending}
        evidence = Evidence(
            toolchain=so_far.toolchain,
            builds=so_far.builds,
            runs={step: run for step, run in so_far.runs.items() if step not in waiting},
            left_out={**so_far.left_out, **waiting},
        )
        return judge(self._facts_of(evidence), self._environment, self._decided)

    def _facts_of(self, evidence: Evidence) -> Facts:
        return Facts(self._lab, self._submission, evidence, self._differences, self._selected_checks, self._coverage)
