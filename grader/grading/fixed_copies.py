"""Compile and run fixed copies of a source, after the verdicts are known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.grading.options import GradeOptions
from grader.grading.second_run import Result, SecondGuests, evidence_of_copy, is_enough, run_of_copy
from grader.grading.source_patterns import FoundChange, FoundPlace
from grader.judge.cases import case_result
from grader.judge.facts import Facts
from grader.model.evidence import Evidence
from grader.model.lab import Lab
from grader.model.plan import BuildStep, Plan, RunStep
from grader.model.report import Difference, Window
from grader.model.spec.programs import RunLimits
from grader.model.submission import Submission

RUN_LIMITS = RunLimits(cpu_s=1, wall_s=3.0, output_bytes=1, memory_bytes=1)
"""The CPU and wall time of a run; the other limits are the lab's."""

PROGRAM_WALL_S = 12.0
"""Seconds for the runs of one copy, which take less than 1 s of CPU time. On a busy machine the same is found."""

ALL_WALL_S = 24.0
"""Seconds for all short runs of a copy that works, which take 1 s of CPU time."""

DEADLINE_S = 36.0

MOST_BYTES = 12_000
"""Largest input of a case that is run with all small changes."""

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
"""What verdicts need to know of a wrong output of a copy. Where it is wrong, nobody reads."""


@dataclass(frozen=True)
class Fix:
    """Edits of a source that remove one bug or several, and the places that they come from, by cause."""

    program: str
    source: bytes
    places: Mapping[str, tuple[FoundPlace | FoundChange, ...]]

    @property
    def causes(self) -> frozenset[str]:
        """The causes that it removes."""
        return frozenset(self.places)


class FixedCopies:
    """Compiles and runs fixed copies of the sources of one submission."""

    def __init__(
        self,
        lab: Lab,
        submission: Submission,
        sources: Mapping[str, bytes],
        guests: SecondGuests,
        options: GradeOptions,
    ) -> None:
        self._lab = lab
        self._submission = submission
        self._sources = sources
        self._guests = guests
        self._options = options
        self._names: dict[tuple[str, bytes, frozenset[str]], str] = {}

    def may_run(self) -> bool:
        """Return whether there is enough time."""
        return is_enough(self._options.time_left)

    def for_each(self, programs: Sequence[str], work: Callable[[str], Result]) -> list[Result]:
        """Do something for each of these programs, if possible at the same time."""
        return self._guests.for_each(programs, work)

    def name_of(self, fix: Fix) -> str:
        """Return the name of a fixed copy: always the same one, so that it is compiled once."""
        key = (fix.program, fix.source, fix.causes)
        return self._names.setdefault(key, f"{fix.program}_fix{len(self._names)}")

    def run(
        self, runs: Plan, fixes: Mapping[str, tuple[Fix, Sequence[RunStep]]], wall_s: float
    ) -> Mapping[str, Facts]:
        """Compile fixed copies, by their names, and run each. Return what was seen of those that were not cut."""
        builds = {build.program: build for build in runs.builds}
        evidence = self._collected(
            runs,
            {name: (builds[fix.program], fix.source) for name, (fix, _) in fixes.items()},
            [run for name, (_, steps) in fixes.items() for run in _runs(steps, name, self._lab)],
            wall_s,
            {},
        )
        seen = {}
        for name, (fix, _) in fixes.items():
            if name in evidence.builds:
                facts = self.facts(evidence_of_copy(evidence, name, fix.program))
                if facts.built(fix.program) and not _was_cut(facts.evidence):
                    seen[name] = facts
        return seen

    def is_small(self, step: RunStep) -> bool:
        """Return whether a case is small enough to be run many times."""
        return step.only_if is None and len(self._lab.inputs[step.input]) <= MOST_BYTES

    def collected(  # noqa: PLR0913 - what to compile, and what to run
        self,
        runs: Plan,
        program: str,
        copies: Mapping[str, bytes],
        steps: Iterable[RunStep],
        wall_s: float,
        *,
        inputs: Mapping[str, bytes] | None = None,
    ) -> Evidence:
        """Compile copies of a program, by their names, without objects, and return what these runs show.

        `inputs` are those that the lab does not have.
        """
        (build,) = (one for one in runs.builds if one.program == program)
        without_object = build.model_copy(update={"compile_object": ()})
        builds = {name: (without_object, data) for name, data in copies.items()}
        return self._collected(runs, builds, steps, wall_s, inputs or {})

    def _collected(
        self,
        runs: Plan,
        copies: Mapping[str, tuple[BuildStep, bytes]],
        steps: Iterable[RunStep],
        wall_s: float,
        inputs: Mapping[str, bytes],
    ) -> Evidence:
        """Compile copies, by their names, each like a build and from its source, and return what these runs show."""
        plan = runs.model_copy(
            update={
                "builds": tuple(_build(build, name) for name, (build, _) in copies.items()),
                "runs": tuple(steps),
                "program_wall_s": wall_s,
                "deadline_s": DEADLINE_S,
            }
        )
        programs = {build.program for build, _ in copies.values()}
        headers = {header for program in programs for header in self._lab.spec.programs[program].headers}
        sources = {header: self._sources[header] for header in headers}
        sources.update({f"{name}.c": data for name, (_, data) in copies.items()})
        return self._guests.run(plan, sources, {**self._lab.inputs, **inputs})

    def facts(self, evidence: Evidence) -> Facts:
        """Return what verdicts need to know of the runs of a copy."""
        wrong = [run.step for run in evidence.runs.values() if self._lab.expected(run) is not None]
        return Facts(self._lab, self._submission, evidence, dict.fromkeys(wrong, _DIFFERS))


def is_right(lab: Lab, facts: Facts, program: str, case: str) -> bool:
    """Return whether a copy was run in a case of its program and did what is expected."""
    run = facts.evidence.run(program, case)
    return run is not None and lab.expected(run) is None and case_result(facts, program, case).passed


def _build(build: BuildStep, name: str) -> BuildStep:
    source = f"{name}.c"
    return build.model_copy(
        update={
            "program": name,
            "source": source,
            "compile": (*build.compile[:-1], source),
            "compile_object": build.compile_object and (*build.compile_object[:-1], source),
            "compile_program_object": (*build.compile_program_object[:-1], source),
            "marked": build.marked
            and build.marked.model_copy(update={"compile": (*build.marked.compile[:-1], source)}),
        }
    )


def _runs(steps: Iterable[RunStep], name: str, lab: Lab) -> Iterator[RunStep]:
    """Yield the runs of one copy. If the first of several similar ones does not end, the others are left out."""
    first: dict[str | None, tuple[str, ...]] = {}
    for step in steps:
        run = _run(step, name, lab)
        yield run.model_copy(update={"requires_ended": first.get(run.hang_group, ())})
        first.setdefault(run.hang_group, (run.id,))


def _run(step: RunStep, name: str, lab: Lab) -> RunStep:
    limits = lab.spec.limits_for(step.case)
    limits = limits.model_copy(update={"cpu_s": RUN_LIMITS.cpu_s, "wall_s": min(limits.wall_s, RUN_LIMITS.wall_s)})
    tracer_limits = step.tracer_limits and step.tracer_limits.model_copy(update={"wall_s": RUN_LIMITS.wall_s})
    return run_of_copy(step, name, limits).model_copy(update={"tracer_limits": tracer_limits, "only_if": None})


def _was_cut(evidence: Evidence) -> bool:
    return any(step.why == "deadline" for step in evidence.left_out.values())
