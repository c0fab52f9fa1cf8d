"""Try copies of a program: compile each once, run its failed cases and then the others, and say what is right then.

Fixes of known bugs, small changes, pieces of the reference and what completes these are all tried here. The verdicts
are known by then, and nothing that happens here changes them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, zip_longest

from grader.diagnose.source.edits import CHANGE_VARIABLE, Edit
from grader.explain.second_run import (
    SMALL_BYTES,
    Result,
    SecondGuests,
    evidence_of_copy,
    has_time,
    joined_evidence,
    run_of_copy,
)
from grader.explain.source_patterns import FoundChange, FoundPlace
from grader.judge.cases import case_result
from grader.judge.facts import Facts
from grader.judge.verdict import judge_check
from grader.model.evidence import Captured, Ending, Evidence, LimitReached, RunDone, run_id
from grader.model.lab import Lab
from grader.model.plan import BuildStep, EarlyStop, Plan, RunStep
from grader.model.report import CaseResult, CasesEvidence, Check, Difference, Report, Window
from grader.model.spec.programs import RunLimits
from grader.model.spec.rubric import SymbolsItem
from grader.model.submission import Submission
from grader.options import GradeOptions

RUN_LIMITS = RunLimits(cpu_s=1, wall_s=3.0, output_bytes=1, memory_bytes=1)
"""The CPU and wall time of a run; the other limits are the lab's."""

WALL_S = 12.0
"""Seconds for quick runs of one copy, not counting those in which it waits for a CPU. Each takes 5 ms."""

ALL_WALL_S = 24.0
"""The same for all short runs of a copy, which take 1 s of CPU time."""

DEADLINE_S = 36.0

HANG_S = 0.3
"""Seconds after which a run is stopped if its case did not end before: a hang is not waited for with every fix."""

QUICK = EarlyStop(first_s=0.05, again_s=0.05)
"""When a quick run is stopped; honest ones take a millisecond."""

_FRESH_STOP = EarlyStop(first_s=0.5, again_s=0.1)

LEAST_S = 0.3
"""Seconds that the runs of a copy get in any case: what begins is finished, if it ends at all."""

BUDGET_S = 7.0
"""Seconds of CPU time for all copies of a submission, shared by the programs that failed."""

RUN_S = 0.005
"""Seconds of CPU time that starting a program takes, besides its own."""

MOST_BYTES = 24_000
"""Largest input of a case that is run with all small changes."""

FAST = ("-O0", "-w")
"""Options of a copy in which one of many changes is chosen. What is right is compiled once more, like the program."""

MESSAGE_BYTES = 4
"""Fewer bytes are hardly a message."""

Choice = tuple[FoundChange, ...]
"""One change, or several that are made together."""

_NOTHING = Window(offset=0, data=b"")

_DIFFERS = Difference(
    offset=0,
    expected_size_bytes=0,
    actual_size_bytes=0,
    input_byte=None,
    expected=_NOTHING,
    actual=_NOTHING,
    summary="the output is another one",
)
"""What verdicts need to know of a wrong output of a copy. Nobody reads where it is wrong."""


@dataclass(frozen=True)
class FailingProgram:
    """A program to repair, what is known of it, and the runs that students see.

    `name` is what the names of its copies begin with. It must not be used for another source. `is_unsound`: it uses
    memory wrongly, so what it does may depend on chance, and a repair must repair this, too.
    """

    program: str
    source: bytes
    report: Report
    runs: Plan
    name: str
    is_unsound: bool = False

    @cached_property
    def steps(self) -> Mapping[str, RunStep]:
        """The runs by id."""
        return {step.id: step for step in self.runs.runs}

    @cached_property
    def checks(self) -> list[Check]:
        """The checks of the program that students see, and that passed or failed."""
        return [
            check
            for check in self.report.checks
            if check.program == self.program
            and check.visibility == "visible"
            and check.status in ("passed", "failed")
        ]

    @cached_property
    def failed(self) -> list[Check]:
        """Those of them that failed."""
        return [check for check in self.checks if check.status == "failed"]

    @property
    def visible_results(self) -> Iterator[tuple[Check, CaseResult]]:
        """The results of the program's cases that students see, each with its check."""
        for check in self.report.checks:
            if check.program == self.program:
                yield from ((check, result) for result in check.visible_results)

    @property
    def build(self) -> BuildStep:
        """How it is compiled."""
        (build,) = (build for build in self.runs.builds if build.program == self.program)
        return build


@dataclass(frozen=True)
class Fix:
    """Edits of a source that remove one bug or several, and the places that they come from, by cause."""

    program: str
    source: bytes
    places: Mapping[str, tuple[FoundPlace | FoundChange, ...]]

    @property
    def edits(self) -> list[Edit]:
        """All its edits of the source."""
        return [edit for places in self.places.values() for place in places for edit in place.edits]


@dataclass(frozen=True)
class Trial:
    """What came of a fix: the failed checks of its program that were `run` with it, and those of them that `passed`.

    `short_only` are those of which some runs were left out because they take long. The checks in `broken` had passed,
    and fail with the fix. Those in `worse` had failed, and now a case fails that had passed; or only the beginning of
    a message is left. `evidence` is that of the runs.
    """

    fix: Fix
    run: tuple[str, ...]
    passed: tuple[str, ...]
    short_only: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    worse: tuple[str, ...] = ()
    evidence: Evidence | None = None

    @property
    def lost(self) -> frozenset[str]:
        """The checks that became worse."""
        return frozenset((*self.broken, *self.worse))

    def of(self, checks: Collection[str]) -> frozenset[str]:
        """Return those of these checks that were run."""
        return frozenset(self.run).intersection(checks)

    def repairs(self, checks: Collection[str]) -> bool:
        """Return whether some of these checks were run, and none of those failed."""
        return bool(self.of(checks)) and self.of(checks).issubset(self.passed)

    def done(self, case: str) -> RunDone | None:
        """Return the run of a case."""
        return None if self.evidence is None else self.evidence.run(self.fix.program, case)

    def only(self, checks: Iterable[str]) -> Trial:
        """Return the trial as if the fix repaired only these checks."""
        kept = {*checks}
        passed, short_only = (tuple(one for one in some if one in kept) for some in (self.passed, self.short_only))
        return replace(self, passed=passed, short_only=short_only)


class Trials:
    """Compiles and runs copies of the programs of one submission."""

    def __init__(
        self,
        lab: Lab,
        submission: Submission,
        sources: Mapping[str, bytes],
        guests: SecondGuests,
        options: GradeOptions,
    ) -> None:
        self.lab = lab
        self._submission = submission
        self._sources = sources
        self._guests = guests
        self._options = options
        self._names: dict[tuple[str, bytes], str] = {}
        self._charged: set[str] = set()
        self._endless: set[str] = set()
        self._spent_s: dict[str, float] = {}
        self.given_up: dict[str, str] = {}
        """For a program of which not all could be tried, the reason."""

    def may_run(self, failing: FailingProgram) -> bool:
        """Return whether there is enough time for more copies of a program."""
        is_left = self._left_s(failing) > 0
        if not is_left:
            self._give_up(failing)
        return is_left and has_time(self._options.time_left)

    def _give_up(self, failing: FailingProgram) -> None:
        self.given_up[failing.program] = (
            f"the CPU time for trying fixes ({BUDGET_S:g} s for a submission, shared by its failed programs) was not "
            "enough, so some were not tried"
        )

    def _left_s(self, failing: FailingProgram) -> float:
        failed = {check.program for check in failing.report.checks if check.status == "failed"}
        return BUDGET_S / max(len(failed), 1) - self._spent_s.get(failing.program, 0.0)

    def for_each(self, programs: Sequence[str], work: Callable[[str], Result]) -> list[Result]:
        """Do something for each of these programs, if possible at the same time."""
        return self._guests.for_each(programs, work)

    def name_of(self, fix: Fix) -> str:
        """Return the name of a fixed copy: always the same one, so that it is compiled once."""
        return self._names.setdefault((fix.program, fix.source), f"{fix.program}_fix{len(self._names)}")

    def is_small(self, step: RunStep) -> bool:
        """Return whether a case is small enough to be run many times."""
        return step.only_if is None and self.lab.input_bytes(step.case) <= MOST_BYTES

    def on_failed_then_all(self, failing: FailingProgram, fix: Fix, already: Collection[str] = ()) -> Trial | None:
        """Run a fix in all short cases; None if it cannot be run, or repairs nothing more than these checks."""
        trial = self.on_failed(failing, fix)
        if trial is None or not frozenset(already) < frozenset(trial.passed):
            return None
        return self.on_all(failing, trial)

    def on_failed(self, failing: FailingProgram, fix: Fix) -> Trial | None:
        """Run a fix in the short cases of failed checks; None if it cannot be run."""
        facts = self._run(failing, fix, self._steps(failing, of_failed=True))
        return None if facts is None else self._judged(failing, fix, facts)

    def on_all(self, failing: FailingProgram, trial: Trial) -> Trial | None:
        """Run a fix in the other short cases, too; None if it cannot be run."""
        facts = self._run(failing, trial.fix, self._steps(failing, of_failed=False))
        if facts is None or trial.evidence is None:
            return None
        return self._judged(failing, trial.fix, self.facts(joined_evidence(trial.evidence, facts.evidence)))

    def _run(self, failing: FailingProgram, fix: Fix, steps: Sequence[RunStep]) -> Facts | None:
        """Compile a fixed copy and run it; None if it does not compile, or a run was cut."""
        name, build = self.name_of(fix), failing.build
        self._endless |= {
            run_id(check.program, result.case)
            for check, result in failing.visible_results
            if _is_endless(result.ending)
        }
        # Calls that are never reached are not in an object; with the fix, they may be.
        if not any(map(self._is_symbols, failing.failed)):
            build = with_options(build, ())
        runs = [*self._runs(steps, name)]
        evidence = self.collected(failing, {name: fix.source}, runs, build=build, wall_s=ALL_WALL_S)
        facts = self.facts(evidence_of_copy(evidence, name, fix.program))
        self._endless |= {run.step for run in facts.evidence.runs.values() if _is_endless(run.ending)}
        left_out = {step.why for step in facts.evidence.left_out.values()}
        if "submission-time" in left_out:
            self._give_up(failing)
        was_cut = not left_out.isdisjoint({"deadline", "submission-time"})
        return facts if name in evidence.builds and facts.built(fix.program) and not was_cut else None

    def _runs(self, steps: Iterable[RunStep], name: str) -> Iterator[RunStep]:
        """Yield the runs of one copy. If the first of several similar ones does not end, the others are left out.

        Those that did not end before are similar, too.
        """
        first: dict[str | None, tuple[str, ...]] = {}
        for step in steps:
            limits = self.lab.spec.limits_for(step.case)
            wall_s = min(limits.wall_s, RUN_LIMITS.wall_s)
            limits = limits.model_copy(update={"cpu_s": RUN_LIMITS.cpu_s, "wall_s": wall_s})
            run, group = run_of_copy(step, name, limits), step.hang_group
            tracer_limits, early_stop = step.tracer_limits, step.early_stop
            if tracer_limits:
                tracer_limits = tracer_limits.model_copy(update={"wall_s": RUN_LIMITS.wall_s})
            elif step.id in self._endless:
                group, early_stop = "endless", EarlyStop(first_s=HANG_S, again_s=HANG_S)
            update = {"only_if": None, "tracer_limits": tracer_limits, "early_stop": early_stop}
            yield run.model_copy(update={**update, "requires_ended": first.get(group, ())})
            first.setdefault(group, (run.id,))

    def collected(  # noqa: PLR0913 - what to compile and how, and what to run
        self,
        failing: FailingProgram,
        copies: Mapping[str, bytes],
        steps: Iterable[RunStep],
        *,
        build: BuildStep | None = None,
        wall_s: float = WALL_S,
        inputs: Mapping[str, bytes] | None = None,
    ) -> Evidence:
        """Compile copies of a program, by their names, and return what these runs show.

        `build` is how to compile them if they are not just run. `inputs` are those that the lab does not have.
        """
        build = build or with_options(failing.build, ())
        plan = failing.runs.model_copy(
            update={
                "builds": tuple(_build(build, name) for name in copies),
                "runs": tuple(steps),
                "program_wall_s": min(wall_s, max(self._left_s(failing), LEAST_S)),
                "deadline_s": DEADLINE_S,
            }
        )
        spec = self.lab.spec
        sources = {header: self._sources[header] for header in spec.programs[failing.program].headers}
        sources.update({name: self.lab.provided[name] for name in spec.provided_for(failing.program)})
        sources.update({f"{name}.c": data for name, data in copies.items()})
        evidence = self._guests.run(plan, sources, {**self.lab.inputs, **(inputs or {})})
        # A copy that was built before is not built again.
        new = [build.own_s for name, build in evidence.builds.items() if name not in self._charged]
        self._charged |= {*evidence.builds}
        spent_s = sum(new) + sum(run.own_s + RUN_S for run in evidence.runs.values())
        self._spent_s[failing.program] = self._spent_s.get(failing.program, 0.0) + spent_s
        return evidence

    def facts(self, evidence: Evidence) -> Facts:
        """Return what verdicts need to know of the runs of a copy."""
        wrong = [run.step for run in evidence.runs.values() if self.lab.expected(run) is not None]
        return Facts(self.lab, self._submission, evidence, dict.fromkeys(wrong, _DIFFERS))

    def is_right(self, done: RunDone | None, step: RunStep) -> bool:
        """Return whether the run of a copy did what is expected of the step that it repeats."""
        if done is None:
            return False
        runs = {step.id: done.model_copy(update={"step": step.id})}
        facts = self.facts(Evidence(toolchain=None, builds={}, runs=runs, left_out={}))
        return is_right(self.lab, facts, step.program, step.case)

    def compared(self, done: RunDone, step: RunStep) -> list[tuple[bytes, bytes]]:
        """Return what the run of a copy wrote with what the reference wrote: the outputs that a step compares."""
        expected, case = self.lab.reference.run(step.program, step.case), self.lab.spec.cases[step.case]
        if expected is None:
            return []
        streams = [(done.stdout, expected.stdout)] if case.copies_reference else []
        files = [(_content(done, name), _content(expected, name)) for name in case.expected_files]
        return [(_data(written), _data(right)) for written, right in (*streams, *files)]

    def _steps(self, failing: FailingProgram, *, of_failed: bool) -> list[RunStep]:
        """Return the short runs of failed checks, or of the others: the first of each check, then the second."""
        cases_first = sorted(failing.checks, key=lambda check: not isinstance(check.evidence, CasesEvidence))
        runs = [(check.status, self._short_runs(failing, check)) for check in cases_first]
        failed = [one for status, ids in runs if status == "failed" for one in ids]
        passed = zip_longest(*(ids for status, ids in runs if status == "passed"))
        ids = failed if of_failed else [one for one in chain.from_iterable(passed) if one and one not in failed]
        return [failing.steps[one] for one in dict.fromkeys(ids)]

    def _short_runs(self, failing: FailingProgram, check: Check) -> list[str]:
        """Return the runs of a check that are short, whether they had passed or not.

        Of a check that had passed, only the untraced runs of small inputs are worth their time.
        """
        if check.status == "passed" and not isinstance(check.evidence, CasesEvidence):
            return []
        _, item = self.lab.spec.checks()[check.id]
        known = [failing.steps[one] for one in item.steps(check.program) if one in failing.steps]
        return [
            step.id
            for step in known
            if self._is_quick(step) and (check.status == "failed" or self.lab.input_bytes(step.case) <= SMALL_BYTES)
        ]

    def _is_symbols(self, check: Check) -> bool:
        _, item = self.lab.spec.checks()[check.id]
        return isinstance(item, SymbolsItem)

    def _is_proof(self, failing: FailingProgram, check: Check, facts: Facts) -> bool:
        """Return whether passing shows what a check asserts: a copy that does not copy may use what it names."""
        _, item = self.lab.spec.checks()[check.id]
        if not isinstance(item, SymbolsItem) or failing.build.marked is None:
            return True
        is_marked = self.lab.spec.symbol_rule(check.program, item).used_in is not None
        return not is_marked or facts.evidence.builds[check.program].marks is not None

    def _is_quick(self, step: RunStep) -> bool:
        if step.only_if is not None:
            return False
        if self.lab.input_bytes(step.case) <= SMALL_BYTES:
            return step.engine != "strace-count"
        # In blocks, five million bytes take less than 0.1 s.
        reads_blocks = not self.lab.spec.calls_of(step.program, step.case).is_exact
        return reads_blocks and step.engine in ("plain", "account")

    def _judged(self, failing: FailingProgram, fix: Fix, facts: Facts) -> Trial:
        """Judge what a fixed copy did in all short runs, except in checks of which a run was left out."""
        is_wrong = {check.id: self._is_wrong(failing, check, facts) for check in failing.checks}
        known = [check for check in failing.checks if is_wrong[check.id] is not None]
        run = [check for check in failing.failed if check in known]
        passed = [check for check in run if not is_wrong[check.id]]
        return Trial(
            fix,
            run=_ids(run),
            passed=_ids(passed),
            short_only=_ids(check for check in passed if self._is_short(failing, check)),
            broken=_ids(check for check in known if is_wrong[check.id] and check not in run),
            worse=_ids(check for check in known if _is_worse(self.lab, check, facts)),
            evidence=facts.evidence,
        )

    def _is_wrong(self, failing: FailingProgram, check: Check, facts: Facts) -> bool | None:
        """Return whether a check fails with a fix, None if that is not known."""
        _, item = self.lab.spec.checks()[check.id]
        ids = self._short_runs(failing, check)
        # A student may write the message of a fix with another function.
        if not ids and not (check.status == "failed" and self._is_symbols(check)):
            return None
        # A check that had passed fails if a run does not end any more.
        steps = [failing.steps[run] for run in ids]
        may_be_slow = {step.case for step in steps if check.status == "failed"}
        unknown = {case for case in may_be_slow if _is_unknown(self.lab, facts, check.program, case)}
        is_done = not unknown and all(one in facts.evidence.runs for one in ids)
        if not isinstance(check.evidence, CasesEvidence):
            if not is_done:
                return None
            is_wrong = judge_check(facts, check.program, item).status != "passed"
            return is_wrong if is_wrong or self._is_proof(failing, check, facts) else None
        cases = [step.case for step in steps if step.id in facts.evidence.runs and step.case not in unknown]
        if not all(is_right(self.lab, facts, check.program, case) for case in cases):
            return True
        return False if is_done else None

    def _is_short(self, failing: FailingProgram, check: Check) -> bool:
        """Return whether some of its failed runs take too long to be repeated."""
        _, item = self.lab.spec.checks()[check.id]
        steps = failing.steps
        if isinstance(check.evidence, CasesEvidence):
            ids = [run_id(check.program, result.case) for result in check.visible_failures]
            return not all(one in steps and self._is_quick(steps[one]) for one in ids)
        all_runs = (steps[one] for one in item.steps(check.program) if one in steps)
        return any(not step.engine.startswith("strace") and not self._is_quick(step) for step in all_runs)


def is_right(lab: Lab, facts: Facts, program: str, case: str) -> bool:
    """Return whether a copy was run in a case of its program and did what is expected."""
    run = facts.evidence.run(program, case)
    return run is not None and lab.expected(run) is None and case_result(facts, program, case).passed


def _content(run: RunDone, name: str) -> Captured | None:
    file = run.files.get(name)
    return None if file is None else file.content


def _data(written: Captured | None) -> bytes:
    return b"" if written is None else written.data or b""


def _is_unknown(lab: Lab, facts: Facts, program: str, case: str) -> bool:
    """Return whether a run was stopped by a limit that is too low for its case: the reference needs much time."""
    run, reference = facts.evidence.run(program, case), lab.reference.run(program, case)
    is_slow = reference is not None and reference.own_s > RUN_LIMITS.cpu_s / 4
    return is_slow and run is not None and _is_endless(run.ending)


def _is_endless(ending: Ending | None) -> bool:
    return isinstance(ending, LimitReached) and ending.limit in {"cpu", "wall"}


def quick_run(step: RunStep, name: str, *, program: str = "", choice: str = "", stop: EarlyStop = QUICK) -> RunStep:
    """Return the run of a case by a copy of its program, which is stopped early.

    `name` is that of the copy, and distinguishes its run from others. One `program` may have several copies in it:
    then an environment variable makes the `choice`.
    """
    limits = step.limits.model_copy(update={"cpu_s": RUN_LIMITS.cpu_s, "wall_s": RUN_LIMITS.wall_s})
    environment = {**step.environment, CHANGE_VARIABLE: choice} if choice else step.environment
    return run_of_copy(step, name, limits).model_copy(
        update={
            "program": program or name,
            "environment": environment,
            "engine": "plain",
            "hang_group": None,
            "early_stop": stop,
            "only_if": None,
            "repeat_untraced": False,
        }
    )


def fresh_run(step: RunStep, copy: str) -> RunStep:
    """Return a fresh run of a copy. If several do not end, the others are not waited for."""
    return quick_run(step, copy, stop=_FRESH_STOP).model_copy(update={"hang_group": "fresh"})


def with_options(build: BuildStep, options: Iterable[str]) -> BuildStep:
    """Return a build with more options of the compiler, and without what is only needed for verdicts."""
    first = build.compile.index(build.source)
    command = (*build.compile[:first], *options, *build.compile[first:])
    return build.model_copy(
        update={"compile": command, "compile_object": (), "compile_program_object": (), "marked": None}
    )


def _ids(checks: Iterable[Check]) -> tuple[str, ...]:
    return tuple(check.id for check in checks)


def _build(build: BuildStep, name: str) -> BuildStep:
    source = f"{name}.c"

    def of_copy(command: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(source if word == build.source else word for word in command)

    return build.model_copy(
        update={
            "program": name,
            "source": source,
            "compile": of_copy(build.compile),
            "compile_object": of_copy(build.compile_object),
            "compile_program_object": of_copy(build.compile_program_object),
            "marked": build.marked and build.marked.model_copy(update={"compile": of_copy(build.marked.compile)}),
        }
    )


def _is_worse(lab: Lab, check: Check, facts: Facts) -> bool:
    """Return whether a case of a check fails that had passed although others had not, or a message was cut."""
    had_passed = [result for result in check.results if result.passed]
    runs = [(result, facts.evidence.run(check.program, result.case)) for result in had_passed]
    done = [(result, run) for result, run in runs if run is not None]
    return any(lab.spec.cases[result.case].is_refusal and _is_cut(result, run) for result, run in done) or (
        check.status == "failed"
        and any(
            not is_right(lab, facts, check.program, result.case)
            and not _is_unknown(lab, facts, check.program, result.case)
            for result, _ in done
        )
    )


def _is_cut(before: CaseResult, run: RunDone) -> bool:
    """Return whether only the beginning is left of the message with which a run refused its operands."""
    written, left = before.stderr, run.stderr.data
    if left is None or len(written) < MESSAGE_BYTES:
        return False
    # What ends with a newline is a message by itself.
    is_part = written.startswith(left) and not left.endswith(b"\n")
    return 2 * len(left) < len(written) and is_part
