"""Prove causes: fix a known bug in a copy of the source, and run the failing cases once more.

The verdicts are known by then, and nothing that happens here changes them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, product

from grader.diagnose.edits import Edit, fixed
from grader.errors import GraderError
from grader.grading.collector import collect
from grader.grading.options import GradeOptions
from grader.grading.plan_builder import source_files
from grader.grading.second_run import SMALL_BYTES, evidence_of_copy, is_enough, job_of, run_of_copy
from grader.grading.source_patterns import FoundPlace, find_places
from grader.judge.cases import case_result
from grader.judge.facts import Facts
from grader.judge.verdict import judge_check
from grader.model.counted import listed, listed_up_to
from grader.model.evidence import Evidence, run_id
from grader.model.lab import Lab
from grader.model.plan import BuildStep, Plan, RunStep
from grader.model.report import CaseResult, CasesEvidence, Cause, CauseLine, Check, Proof, Report
from grader.model.spec.programs import RunLimits
from grader.model.spec.rubric import SymbolsItem, program_of
from grader.model.submission import Submission
from grader.sandbox.base import Sandbox

NAMED_CHECKS = 4
"""Most checks that a sentence names of those that pass."""

ATTEMPTS = 3
"""Most places to fix in turn, if only one of several can be the bug."""

FIXES = 6
"""Most fixed copies of a program. Compiling and running one takes 0.2 s of CPU time."""

RUN_LIMITS = RunLimits(cpu_s=1, wall_s=3.0, output_bytes=1, memory_bytes=1)
"""The CPU and wall time of a run; the other limits are the lab's."""

PROGRAM_WALL_S = 4.0
"""Seconds for the runs of one copy."""

DEADLINE_S = 12.0


@dataclass(frozen=True)
class Fix:
    """Edits of a source that remove one bug or several, and the places that they come from, by cause."""

    program: str
    source: bytes
    places: Mapping[str, tuple[FoundPlace, ...]]

    @property
    def causes(self) -> frozenset[str]:
        """The causes that it removes."""
        return frozenset(self.places)


@dataclass(frozen=True)
class Tried:
    """The checks of one cause and program that were run with a fix, and those of them that passed.

    Of `short_only`, some runs were left out because they take long.
    """

    fix: Fix
    run: tuple[str, ...]
    passed: tuple[str, ...]
    short_only: tuple[str, ...]


@dataclass(frozen=True)
class Proven:
    """What is known of the source of one cause.

    `is_refuted`: removing its construct from the source changed nothing, or the source does not have it.
    """

    lines: tuple[CauseLine, ...] = ()
    proof: Proof | None = None
    is_refuted: bool = False


@dataclass(frozen=True)
class Proofs:
    """What was found in the source for each cause, by name."""

    by_cause: Mapping[str, Proven] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def added_to(self, report: Report) -> Report:
        """Return the report with it. A likely cause whose fix repaired nothing is left out."""
        if not self.by_cause and not self.notes:
            return report
        causes = tuple(
            self._added(cause) for cause in report.causes if not self.by_cause.get(cause.name, Proven()).is_refuted
        )
        names = {cause.name for cause in causes}
        checks = (
            check if check.cause is None or check.cause in names else check.model_copy(update={"cause": None})
            for check in report.checks
        )
        update = {"causes": causes, "checks": tuple(checks), "notes": (*report.notes, *self.notes)}
        return report.model_copy(update=update)

    def _added(self, cause: Cause) -> Cause:
        known = self.by_cause.get(cause.name)
        if known is None:
            return cause
        # Hidden runs may have changed which checks the cause explains.
        is_proven = known.proof is not None and {*known.proof.checks} <= {*cause.checks}
        return cause.model_copy(
            update={
                "lines": known.lines,
                "proof": known.proof if is_proven else None,
                "certainty": "proven" if is_proven else cause.certainty,
            }
        )


class Prover:
    """Looks for the causes of one submission in its sources."""

    def __init__(self, lab: Lab, submission: Submission, sandbox: Sandbox, options: GradeOptions) -> None:
        self._lab = lab
        self._submission = submission
        self._sources = source_files(lab.spec, submission)
        self._sandbox = sandbox
        self._options = options

    def prove(self, report: Report, runs: Plan, patterns: Mapping[str, str]) -> Proofs:
        """Look for the causes of a report, given the runs that students see and the patterns by cause."""
        try:
            places = self._places(report, patterns)
            fixes = [fix for program, found in places.items() for fix in self._fixes(program, found)]
            trials = self._try(report, runs, fixes)
        except GraderError as error:
            return Proofs(notes=(f"the lines of causes could not be looked for: {error}",))
        return Proofs(
            {
                cause.name: self._proven(
                    cause,
                    {program: found[cause.name] for program, found in places.items() if found.get(cause.name)},
                    trials,
                )
                for cause in report.causes
                if any(cause.name in found for found in places.values())
            }
        )

    def _places(
        self, report: Report, patterns: Mapping[str, str]
    ) -> Mapping[str, Mapping[str, tuple[FoundPlace, ...]]]:
        """Return the places of each cause that was looked for, by program and cause."""
        found = {}
        for program, declared in self._lab.spec.programs.items():
            names = [cause.name for cause in report.causes if program in map(program_of, cause.checks)]
            source = self._sources.get(declared.main_source)
            if source is not None and self._lab.spec.is_single_c(program):
                known = {name: patterns[name] for name in names if name in patterns}
                places = find_places(source, known)
                found[program] = {name: places[name] for name in names if name in places}
        return found

    def _fixes(self, program: str, found: Mapping[str, tuple[FoundPlace, ...]]) -> Iterator[Fix]:
        """Yield each fix of one cause, then of several: one bug may hide that another is repaired."""
        source = self._sources[self._lab.spec.programs[program].main_source]
        alone = {name: options for name, places in found.items() if (options := _options(places))}
        together = product(*([(name, option) for option in options] for name, options in alone.items()))
        combined = (dict(parts) for parts in together) if len(alone) > 1 else iter(())
        every = [*({name: option} for name, options in alone.items() for option in options), *islice(combined, FIXES)]
        for places in every[:FIXES]:
            edits = [edit for part in places.values() for place in part for edit in place.edits]
            data = fixed(source, edits)
            if data is not None:
                yield Fix(program, data, places)

    def _try(self, report: Report, runs: Plan, fixes: Sequence[Fix]) -> Mapping[str, list[Tried]]:
        """Compile and run the fixes, and return what came of them by cause."""
        trials: dict[str, list[Tried]] = {}
        if not fixes or not is_enough(self._options.time_left):
            return trials
        steps = {step.id: step for step in runs.runs}
        builds = {build.program: build for build in runs.builds}
        # The name of a lab's program has no underscore.
        tried = {f"{fix.program}_fix{number}": fix for number, fix in enumerate(fixes)}
        # A fix of one bug is tried with the checks of all: what it repairs, another bug did not cause.
        fixed_causes = {(fix.program, cause) for fix in fixes for cause in fix.causes}
        checks = {name: self._checks(report, fix.program, fixed_causes, steps) for name, fix in tried.items()}
        tried = {name: fix for name, fix in tried.items() if checks[name] and fix.program in builds}
        if not tried:
            return trials
        plan = runs.model_copy(
            update={
                "builds": tuple(_build(builds[fix.program], name) for name, fix in tried.items()),
                "runs": tuple(
                    run for name in tried for run in _runs(self._steps(checks[name], steps), name, self._lab)
                ),
                "program_wall_s": PROGRAM_WALL_S,
                "deadline_s": DEADLINE_S,
            }
        )
        headers = {name for fix in tried.values() for name in self._lab.spec.programs[fix.program].headers}
        sources = {name: self._sources[name] for name in headers}
        sources.update({f"{name}.c": fix.source for name, fix in tried.items()})
        with self._sandbox.open(job_of(plan, sources, self._lab.inputs), slot=self._options.slots[0]) as session:
            evidence = collect(session.events())
        for name, fix in tried.items():
            if name not in evidence.builds:
                continue
            facts = Facts(self._lab, self._submission, evidence_of_copy(evidence, name, fix.program), {})
            if not facts.built(fix.program) or _was_cut(facts.evidence):
                continue
            for cause in report.causes:
                own = [check for check in checks[name] if check.id in cause.checks]
                result = self._result(facts, fix, own, steps)
                if result.run:
                    trials.setdefault(cause.name, []).append(result)
        return trials

    def _checks(
        self, report: Report, program: str, causes: Collection[tuple[str, str]], steps: Mapping[str, RunStep]
    ) -> tuple[Check, ...]:
        """Return the failed checks of a program with a fix that can be run again where students see it."""
        named = {check for cause in report.causes if (program, cause.name) in causes for check in cause.checks}
        return tuple(
            check
            for check in report.checks
            if check.id in named
            and check.program == program
            and check.visibility == "visible"
            and (self._steps([check], steps) or self._is_symbols(check))
        )

    def _is_symbols(self, check: Check) -> bool:
        _, item = self._lab.spec.checks()[check.id]
        return isinstance(item, SymbolsItem)

    def _steps(self, checks: Iterable[Check], steps: Mapping[str, RunStep]) -> tuple[RunStep, ...]:
        """Return the runs of these checks that are worth repeating: failed cases, and runs that are not too long."""
        repeated: dict[str, RunStep] = {}
        for check in checks:
            _, item = self._lab.spec.checks()[check.id]
            failed = {run_id(check.program, result.case) for result in _failed(check)}
            ids = failed if isinstance(check.evidence, CasesEvidence) else item.steps(check.program)
            repeated.update({one: steps[one] for one in ids if one in steps and self._is_quick(steps[one])})
        return tuple(step for one, step in steps.items() if one in repeated)

    def _is_quick(self, step: RunStep) -> bool:
        if step.only_if is not None:
            return False
        if len(self._lab.inputs[step.input]) <= SMALL_BYTES:
            return step.engine != "strace-count"
        # In blocks, five million bytes take less than 0.1 s.
        reads_blocks = not self._lab.spec.calls_of(step.program, step.case).is_exact
        return reads_blocks and step.engine in ("plain", "account")

    def _result(self, facts: Facts, fix: Fix, checks: Sequence[Check], steps: Mapping[str, RunStep]) -> Tried:
        run, passed, short_only = [], [], []
        for check in checks:
            _, item = self._lab.spec.checks()[check.id]
            if isinstance(check.evidence, CasesEvidence):
                cases = [result.case for result in _failed(check)]
                done = [case for case in cases if facts.evidence.run(check.program, case) is not None]
                is_passed = all(self._is_right(facts, check.program, case) for case in done)
                if not done or (is_passed and len(done) < len(self._steps([check], steps))):
                    # Not all was run, so this says nothing.
                    continue
                is_short = len(done) < len(cases)
            else:
                is_passed = judge_check(facts, check.program, item).status == "passed"
                all_runs = (steps[one] for one in item.steps(check.program) if one in steps)
                is_short = any(not step.engine.startswith("strace") and not self._is_quick(step) for step in all_runs)
            run.append(check.id)
            if is_passed:
                passed.append(check.id)
                short_only += [check.id] if is_short else []
        return Tried(fix, tuple(run), tuple(passed), tuple(short_only))

    def _is_right(self, facts: Facts, program: str, case: str) -> bool:
        run = facts.evidence.run(program, case)
        return run is not None and self._lab.expected(run) is None and case_result(facts, program, case).passed

    def _proven(
        self, cause: Cause, places: Mapping[str, tuple[FoundPlace, ...]], trials: Mapping[str, list[Tried]]
    ) -> Proven:
        """Return what is known of a cause.

        It is proven if a fix of it, alone or with others, repaired every check that was run, and none without it did.
        If its construct is nowhere in the source, a cause that is only likely is refuted.
        """
        if not places:
            return Proven(is_refuted=cause.certainty == "likely")
        by_program: dict[str, list[Tried]] = {program: [] for program in places}
        others: set[str] = set()
        for tried in trials.get(cause.name, ()):
            if cause.name in tried.fix.causes:
                by_program[tried.fix.program].append(tried)
            elif tried.passed == tried.run:
                others.add(tried.fix.program)
        repaired = {
            program: next((one for one in of_program if one.passed == one.run and program not in others), None)
            for program, of_program in by_program.items()
        }
        lines: list[CauseLine] = []
        for program, found in places.items():
            worked = repaired[program]
            if worked is not None:
                lines += self._lines(program, worked.fix.places[cause.name])
            elif not by_program[program] and program not in others:
                # Not tried: the construct is there, whether it is the reason or not.
                lines += self._lines(program, [place for place in found if not (place.proof or place.one)])
        works = [tried for tried in repaired.values() if tried is not None]
        programs = {*map(program_of, cause.checks)}
        if works and programs == {tried.fix.program for tried in works}:
            return Proven(tuple(lines), self._proof(works))
        every = [tried for of_program in by_program.values() for tried in of_program]
        is_construct = any(not (place.proof or place.one) for found in places.values() for place in found)
        # What hidden runs make of a cause later must not decide whether students see it.
        useless = bool(every) and is_construct and not any(tried.passed for tried in every)
        return Proven(tuple(lines), is_refuted=cause.certainty == "likely" and (useless or programs <= others))

    def _lines(self, program: str, places: Iterable[FoundPlace]) -> list[CauseLine]:
        name = self._lab.spec.programs[program].main_source
        texts = self._sources[name].split(b"\n")
        return [
            CauseLine(number=number, text=texts[number - 1].decode("utf-8", "replace").rstrip("\r"), file=name)
            for number in sorted({number for place in places for number in place.lines})
        ]

    def _proof(self, works: Sequence[Tried]) -> Proof:
        return Proof(
            sentence=" ".join(self._sentence(tried) for tried in works),
            checks=tuple(check for tried in works for check in tried.passed),
            fixed=tuple(line for tried in works for line in self._fixed_lines(tried.fix))
            if self._options.with_fixes or self._lab.spec.students_see_fixes
            else (),
        )

    def _sentence(self, tried: Tried) -> str:
        file = self._lab.spec.programs[tried.fix.program].main_source
        by_words: dict[str, set[int]] = {}
        for place in (place for places in tried.fix.places.values() for place in places):
            by_words.setdefault(place.says, set()).update(place.lines)
        said = listed(f"{words}{_in_lines(sorted(lines))}" for words, lines in by_words.items() if words)
        items = self._lab.spec.checks()
        names, short = ([items[check][1].name for check in some] for some in (tried.passed, tried.short_only))
        shown = listed(names) if len(names) <= NAMED_CHECKS else listed_up_to(NAMED_CHECKS, names)
        checks = f"the check {shown} passes" if len(names) == 1 else f"the checks {shown} pass"
        rest = f" (of {listed(short)} only the short runs were repeated)" if short else ""
        return f"{said[:1].upper()}{said[1:]} of {file}, {checks}{rest}."

    def _fixed_lines(self, fix: Fix) -> list[CauseLine]:
        """Return the lines of the source that the fix changed, as they are afterwards."""
        file = self._lab.spec.programs[fix.program].main_source
        before = self._sources[file]
        all_edits = (edit for places in fix.places.values() for place in places for edit in place.edits)
        # What is put before the first line, such as an #include, changes no line of the student.
        edits = [edit for edit in all_edits if edit.end or not edit.text]
        changed = sorted({before.count(b"\n", 0, edit.start) for edit in edits})
        starts = [0, *(index + 1 for index, byte in enumerate(before) if byte == ord("\n")), len(before) + 1]
        found = []
        for row in changed:
            own = [
                Edit(edit.start - starts[row], edit.end - starts[row], edit.text)
                for edit in edits
                if starts[row] <= edit.start and edit.end < starts[row + 1]
            ]
            text = fixed(before[starts[row] : starts[row + 1] - 1], own)
            if text is not None:
                found.append(CauseLine(number=row + 1, text=text.decode("utf-8", "replace").rstrip("\r"), file=file))
        return found


def _options(places: Sequence[FoundPlace]) -> list[tuple[FoundPlace, ...]]:
    """Return what to fix: all places together, or one of those that exclude each other."""
    every = [place for place in places if place.edits]
    mechanical = [place for place in every if not (place.proof or place.one)] or every
    if any(place.one for place in mechanical):
        return [(place,) for place in mechanical[:ATTEMPTS]]
    return [tuple(mechanical)] if mechanical else []


def _failed(check: Check) -> Iterator[CaseResult]:
    if isinstance(check.evidence, CasesEvidence):
        yield from (result for result in check.evidence.cases if not result.passed and not result.hidden)


def _build(build: BuildStep, name: str) -> BuildStep:
    *command, _ = build.compile
    *object_command, _ = build.compile_object
    source = f"{name}.c"
    return build.model_copy(
        update={
            "program": name,
            "source": source,
            "compile": (*command, source),
            "compile_object": (*object_command, source),
        }
    )


def _runs(steps: Iterable[RunStep], name: str, lab: Lab) -> Iterator[RunStep]:
    """Yield the runs of one copy. If the first of several similar ones does not end, the others are left out."""
    first: dict[str | None, str] = {}
    for step in steps:
        run = _run(step, name, lab)
        yield run.model_copy(update={"requires_ended": first.get(run.hang_group)})
        first.setdefault(run.hang_group, run.id)


def _run(step: RunStep, name: str, lab: Lab) -> RunStep:
    limits = lab.spec.limits_for(step.case)
    limits = limits.model_copy(update={"cpu_s": RUN_LIMITS.cpu_s, "wall_s": min(limits.wall_s, RUN_LIMITS.wall_s)})
    tracer_limits = step.tracer_limits and step.tracer_limits.model_copy(update={"wall_s": RUN_LIMITS.wall_s})
    return run_of_copy(step, name, limits).model_copy(update={"tracer_limits": tracer_limits, "only_if": None})


def _was_cut(evidence: Evidence) -> bool:
    return any(step.why == "deadline" for step in evidence.left_out.values())


def _in_lines(lines: Sequence[int]) -> str:
    if not lines:
        return ""
    return f" in line {lines[0]}" if len(lines) == 1 else f" in lines {listed(map(str, lines))}"
