"""What proofs and the search for memory errors share: both run failing cases again, when the verdicts are known."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from typing import TypeVar

from grader.diagnose.source.recorded_conditions import without_marks
from grader.errors import GraderError
from grader.model.evidence import BuildDone, Evidence, RunDone, program_and_case, run_id
from grader.model.plan import BuildStep, Plan, RunStep
from grader.model.spec.lab import Spec
from grader.model.spec.programs import RunLimits
from grader.options import TimeLeft
from grader.sandbox.base import Job, ProgressEvent, Sandbox, Session
from grader.sandbox.collector import collect

SMALL_BYTES = 100_000
"""Largest input that is run again without a special reason."""

NEEDED_S = 30.0
"""With fewer seconds left until the deadline, nothing is run again: the rest of the grading needs them."""

FILLED = ("-O0", "-ftrivial-auto-var-init=pattern")
"""Options of a copy that has other bytes in its memory."""

FOR_SANITIZERS = ("-O0", "-w", "-fno-omit-frame-pointer", "-fno-pie", "-no-pie")
"""Options of a copy with AddressSanitizer, whose own memory is where Linux may put a position-independent program."""

SANITIZED = (*FOR_SANITIZERS, "-fsanitize=address,undefined", "-fno-sanitize=shift-base")
"""Options of a copy in which all sanitizers watch. A shift into the sign bit does what everybody expects."""

Result = TypeVar("Result")


def has_time(time_left: TimeLeft) -> bool:
    """Return whether there is time to run something again."""
    left_s = time_left.left_s
    return left_s is None or left_s >= NEEDED_S


def short_runs(spec: Spec, plan: Plan) -> list[RunStep]:
    """Return the run of each program in each short case, without those that only count its calls."""
    return [
        step
        for step in plan.runs
        if spec.cases[step.case].limits == "small" and step.id == run_id(step.program, step.case)
    ]


def run_of_copy(step: RunStep, copy: str, limits: RunLimits) -> RunStep:
    """Return the same run of a copy of its program, with limits of its own; it waits for no other run."""
    return step.model_copy(
        update={
            "id": step.id.replace(step.program, copy, 1),
            "program": copy,
            "called": step.called or step.program,
            "limits": limits,
            "predicted_by": None,
            "requires_ended": (),
        }
    )


def evidence_of_copy(evidence: Evidence, copy: str, program: str) -> Evidence:
    """Return the evidence of one copy, under the name of the program that it is a copy of."""

    def original(step: str) -> str:
        return step.replace(copy, program, 1)

    build = evidence.builds.get(copy)
    runs = [run for run in evidence.runs.values() if program_and_case(run.step)[0] == copy]
    left_out = [step for step in evidence.left_out.values() if program_and_case(step.step)[0] == copy]
    return Evidence(
        toolchain=evidence.toolchain,
        builds={} if build is None else {program: build.model_copy(update={"program": program})},
        runs={original(run.step): run.model_copy(update={"step": original(run.step)}) for run in runs},
        left_out={original(step.step): step.model_copy(update={"step": original(step.step)}) for step in left_out},
    )


def joined_evidence(first: Evidence, more: Evidence) -> Evidence:
    """Return the evidence of the runs of copies, and of more runs."""
    return Evidence(
        toolchain=first.toolchain,
        builds={**more.builds, **first.builds},
        runs={**first.runs, **more.runs},
        left_out={**first.left_out, **more.left_out},
    )


def program_of_copy(copy: str) -> str:
    """Return the program that a copy is made from: the name of a lab's program has no underscore."""
    return copy.partition("_")[0]


class SecondGuests:
    """The guests that run copies of the programs of one submission.

    A guest is started when it is first needed, and gets one plan after another: starting one takes as long as twenty
    runs. With a slot for each program, each has its own guest, and they work at the same time. `close` ends them;
    what is needed after that gets new ones. The name of a copy must not be used for another source before that.
    """

    def __init__(self, sandbox: Sandbox, slots: Sequence[int], programs: Sequence[str]) -> None:
        self._is_shared = len(slots) < len(programs)
        if self._is_shared:
            self._guests = dict.fromkeys(programs, _Guest(sandbox, slots[0]))
        else:
            self._guests = {program: _Guest(sandbox, slot) for program, slot in zip(programs, slots, strict=False)}

    def for_each(self, programs: Sequence[str], work: Callable[[str], Result]) -> list[Result]:
        """Do something for each of these programs, at the same time if each has its own guest."""
        if self._is_shared or len(programs) <= 1:
            return [*map(work, programs)]
        with ThreadPoolExecutor(len(programs)) as threads:
            return [*threads.map(work, programs)]

    def run(self, plan: Plan, sources: Mapping[str, bytes], inputs: Mapping[str, bytes]) -> Evidence:
        """Run a plan of copies, and return what was seen. A copy that was built before is not built again.

        Raises:
            SandboxError: a guest failed.
        """
        copies = [step.program for step in plan.builds] + [step.program for step in plan.runs]
        programs = [*dict.fromkeys(map(program_of_copy, copies))]
        if self._is_shared:
            return collect(self._guests[programs[0]].run(plan, sources, inputs))
        shares = self.for_each(
            programs, lambda program: self._guests[program].run(_share(plan, program), sources, inputs)
        )
        return collect(event for of_one in shares for event in of_one)

    def close(self) -> None:
        """End the guests. One that waits for a long time would end itself."""
        for guest in self._guests.values():
            guest.close()


def _share(plan: Plan, program: str) -> Plan:
    """Return the steps of a plan that are about copies of one program."""
    return plan.model_copy(
        update={
            "builds": tuple(step for step in plan.builds if program_of_copy(step.program) == program),
            "runs": tuple(step for step in plan.runs if program_of_copy(step.program) == program),
        }
    )


class _Guest:
    """A guest that works through several plans."""

    def __init__(self, sandbox: Sandbox, slot: int) -> None:
        self._sandbox = sandbox
        self._slot = slot
        self._open = ExitStack()
        self._session: Session | None = None
        self._built: dict[str, tuple[BuildStep, BuildDone]] = {}

    def run(self, plan: Plan, sources: Mapping[str, bytes], inputs: Mapping[str, bytes]) -> list[ProgressEvent]:
        """Work through a plan, except for what is built already."""
        if not self._fits(plan):
            self.close()
        known = [self._built[step.program][1] for step in plan.builds if self._has(step)]
        steps = tuple(step for step in plan.builds if not self._has(step))
        job = Job(plan.model_copy(update={"builds": steps}), sources if steps else {}, inputs)
        try:
            if self._session is None:
                self._session = self._open.enter_context(self._sandbox.open(job, slot=self._slot))
            else:
                self._session.work_on(job)
            events = [*self._session.events()]
        except BaseException:
            # The sandbox may know why its guest has ended.
            self._forget().__exit__(*sys.exc_info())
            raise
        of_steps = {step.program: step for step in steps}
        builds = [one for one in events if isinstance(one, BuildDone)]
        self._built.update({one.program: (of_steps[one.program], one) for one in builds})
        if any(one.cut_short for one in builds):
            # With more time, it may be built in another guest.
            self.close()
        return [*known, *events]

    def _fits(self, plan: Plan) -> bool:
        """Return whether it has built nothing else under a name of the plan."""
        return all(step.program not in self._built or self._has(step) for step in plan.builds)

    def _has(self, step: BuildStep) -> bool:
        """Return whether a copy was built, with an object if it is to have one."""
        before = self._built.get(step.program)
        return before is not None and step in (before[0], before[0].model_copy(update={"compile_object": ()}))

    def _forget(self) -> ExitStack:
        self._session, self._built = None, {}
        return self._open.pop_all()

    def close(self) -> None:
        """End the guest, if there is one. How it ends makes no difference to what it did."""
        with suppress(GraderError):
            self._forget().close()


def what_it_did(run: RunDone) -> tuple[object, ...]:
    """Return what can be seen of a run, without marks of conditions: its ending, and what it wrote."""
    files = tuple((name, left.kind, left.content and left.content.sha256) for name, left in run.files.items())
    return run.ending, run.stdout.sha256, without_marks(run.stderr.data or b""), files
