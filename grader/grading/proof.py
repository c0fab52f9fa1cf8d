"""Prove causes: fix a known bug in a copy of the source, and run the failing cases once more.

The verdicts are known by then, and nothing that happens here changes them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
from grader.model.report import (
    CaseResult,
    CasesEvidence,
    Cause,
    CauseLine,
    Check,
    Difference,
    Proof,
    Report,
    Symptom,
    Window,
)
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

ALL_WALL_S = 8.0
"""Seconds for all short runs of a copy that works. They take 1 s of CPU time; the machine may be busy."""

DEADLINE_S = 12.0


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
    places: Mapping[str, tuple[FoundPlace, ...]]

    @property
    def causes(self) -> frozenset[str]:
        """The causes that it removes."""
        return frozenset(self.places)


@dataclass(frozen=True)
class Tried:
    """The checks of one cause and program that were run with a fix, and those of them that passed.

    Of `short_only`, some runs were left out because they take long. `evidence` is that of the runs.
    """

    fix: Fix
    run: tuple[str, ...]
    passed: tuple[str, ...]
    short_only: tuple[str, ...]
    evidence: Evidence | None = None


@dataclass(frozen=True)
class Repaired:
    """What a fix that works does to all checks of its program: those of other causes, and those that had passed.

    `tried.passed` had failed, and `broken` had passed.
    """

    tried: Tried
    broken: tuple[str, ...]


@dataclass(frozen=True)
class Proven:
    """What is known of the source of one cause.

    `is_refuted`: removing its construct from the source changed nothing, or the source does not have it. `works` are
    the fixes of the proof, one for each program. They repair also the checks `others`, which were those of another
    cause or of none, and leave `unrepaired` failing.
    """

    lines: tuple[CauseLine, ...] = ()
    proof: Proof | None = None
    is_refuted: bool = False
    works: tuple[Tried, ...] = ()
    others: frozenset[str] = frozenset()
    unrepaired: frozenset[str] = frozenset()

    def proves(self, cause: Cause) -> bool:
        """Return whether the proof is about checks of the cause: hidden runs may have changed which it explains."""
        return self.proof is not None and {*self.proof.checks} - self.others <= {*cause.checks}


@dataclass(frozen=True)
class Proofs:
    """What was found in the source for each cause, by name."""

    by_cause: Mapping[str, Proven] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def added_to(self, report: Report) -> Report:
        """Return the report with it.

        A likely cause whose fix repaired nothing is left out, and so is any cause if the fix of another one repaired
        all its checks.
        """
        if not self.by_cause and not self.notes:
            return report
        left = [cause for cause in report.causes if not self.by_cause.get(cause.name, Proven()).is_refuted]
        names = {cause.name for cause in left}
        checks = [
            check if check.cause is None or check.cause in names else check.model_copy(update={"cause": None})
            for check in report.checks
        ]
        explained = {cause.name: {*cause.checks} for cause in left}
        for cause in left:
            known = self.by_cause.get(cause.name)
            if known is not None and known.proves(cause):
                repaired = _repaired_with(known, cause, explained, checks, report.symptoms)
                explained = {name: ids - repaired for name, ids in explained.items()}
                explained[cause.name] |= repaired
                checks = [
                    check.model_copy(update={"cause": cause.name}) if check.id in repaired else check
                    for check in checks
                ]
        order = [check.id for check in checks]
        causes = [
            self._added(cause, _own_first(cause, [check for check in order if check in explained[cause.name]]))
            for cause in left
            if explained[cause.name]
        ]
        update = {
            "causes": tuple(sorted(causes, key=lambda cause: order.index(cause.checks[0]))),
            "checks": tuple(checks),
            "notes": (*report.notes, *self.notes),
        }
        return report.model_copy(update=update)

    def _added(self, cause: Cause, checks: tuple[str, ...]) -> Cause:
        known = self.by_cause.get(cause.name)
        if known is None:
            return cause.model_copy(update={"checks": checks})
        is_proven = known.proves(cause)
        return cause.model_copy(
            update={
                "checks": checks,
                "lines": known.lines,
                "proof": known.proof if is_proven else None,
                "certainty": "proven" if is_proven else cause.certainty,
            }
        )


def _own_first(cause: Cause, checks: Sequence[str]) -> tuple[str, ...]:
    """Return checks with those first in which the cause was seen: they show what its title says."""
    return tuple(sorted(checks, key=lambda check: check not in cause.checks))


def _repaired_with(
    known: Proven,
    cause: Cause,
    explained: Mapping[str, Collection[str]],
    checks: Iterable[Check],
    symptoms: Sequence[Symptom],
) -> set[str]:
    """Return the failed checks of other causes, or of none, that the fix of a proven cause repairs.

    A check that takes too long to be run with the fix is one of them if, of those with the same cause or the same
    symptoms, the fix repaired every one that was run.
    """
    repaired = {check for tried in known.works for check in tried.passed}
    found = set()
    for check in checks:
        if check.status != "failed" or check.id in cause.checks or check.id in known.unrepaired:
            continue
        if check.cause is not None:
            alike = [explained[check.cause]]
        else:
            alike = [symptom.checks for symptom in symptoms if check.id in symptom.checks]
            alike = alike if check.visibility == "visible" else []
        groups = [{one for one in group if program_of(one) == check.program} for group in alike]
        if check.id in known.others or (
            groups and all(group & repaired and not group & known.unrepaired for group in groups)
        ):
            found.add(check.id)
    return found


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
            known = {
                cause.name: self._proven(
                    cause,
                    {program: found[cause.name] for program, found in places.items() if found.get(cause.name)},
                    trials,
                )
                for cause in report.causes
                if any(cause.name in found for found in places.values())
            }
            return Proofs(self._widened(report, known, self._try_on_all(report, runs, known.values())))
        except GraderError as error:
            return Proofs(notes=(f"the lines of causes could not be looked for: {error}",))

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
        programs = {build.program for build in runs.builds}
        # The name of a lab's program has no underscore.
        tried = {f"{fix.program}_fix{number}": fix for number, fix in enumerate(fixes)}
        # A fix of one bug is tried with the checks of all: what it repairs, another bug did not cause.
        fixed_causes = {(fix.program, cause) for fix in fixes for cause in fix.causes}
        checks = {name: self._checks(report, fix.program, fixed_causes, steps) for name, fix in tried.items()}
        tried = {name: fix for name, fix in tried.items() if checks[name] and fix.program in programs}
        if not tried:
            return trials
        repeated = {name: (fix, self._steps(checks[name], steps)) for name, fix in tried.items()}
        wall_s = PROGRAM_WALL_S
        if len(tried) == 1:
            # It probably works: starting and compiling a second time takes longer than its other runs.
            ((name, (fix, own_steps)),) = repeated.items()
            own_ids = {step.id for step in own_steps}
            others = self._other_steps(report, fix.program, steps, own_ids)
            repeated, wall_s = {name: (fix, (*own_steps, *others))}, ALL_WALL_S
        for name, facts in self._run(runs, repeated, wall_s).items():
            for cause in report.causes:
                own = [check for check in checks[name] if check.id in cause.checks]
                result = self._result(facts, tried[name], own, steps)
                if result.run:
                    trials.setdefault(cause.name, []).append(result)
        return trials

    def _run(
        self, runs: Plan, fixes: Mapping[str, tuple[Fix, Sequence[RunStep]]], wall_s: float
    ) -> Mapping[str, Facts]:
        """Compile fixed copies, by their names, and run each. Return what was seen of those that were not cut."""
        builds = {build.program: build for build in runs.builds}
        plan = runs.model_copy(
            update={
                "builds": tuple(_build(builds[fix.program], name) for name, (fix, _) in fixes.items()),
                "runs": tuple(run for name, (_, steps) in fixes.items() for run in _runs(steps, name, self._lab)),
                "program_wall_s": wall_s,
                "deadline_s": DEADLINE_S,
            }
        )
        headers = {header for fix, _ in fixes.values() for header in self._lab.spec.programs[fix.program].headers}
        sources = {header: self._sources[header] for header in headers}
        sources.update({f"{name}.c": fix.source for name, (fix, _) in fixes.items()})
        with self._sandbox.open(job_of(plan, sources, self._lab.inputs), slot=self._options.slots[0]) as session:
            evidence = collect(session.events())
        seen = {}
        for name, (fix, _) in fixes.items():
            if name in evidence.builds:
                facts = self._facts(evidence_of_copy(evidence, name, fix.program))
                if facts.built(fix.program) and not _was_cut(facts.evidence):
                    seen[name] = facts
        return seen

    def _try_on_all(self, report: Report, runs: Plan, known: Iterable[Proven]) -> list[Repaired]:
        """Run the fixes that work in the other short cases of their programs, too, also in those that had passed."""
        works: list[tuple[Fix, Evidence]] = []
        for tried in (tried for one in known for tried in one.works):
            if tried.evidence is not None and all(tried.fix != fix for fix, _ in works):
                works.append((tried.fix, tried.evidence))
        if not works or not is_enough(self._options.time_left):
            return []
        steps = {step.id: step for step in runs.runs}
        repeated = {
            f"{fix.program}_fix{number}": (fix, self._other_steps(report, fix.program, steps, seen.runs))
            for number, (fix, seen) in enumerate(works)
        }
        repeated = {name: (fix, others) for name, (fix, others) in repeated.items() if others}
        # The functions that the copies call are known.
        builds = tuple(build.model_copy(update={"compile_object": ()}) for build in runs.builds)
        facts = self._run(runs.model_copy(update={"builds": builds}), repeated, ALL_WALL_S) if repeated else {}
        return [
            self._repaired(self._facts(_together(seen, facts.get(f"{fix.program}_fix{number}"))), fix, report, steps)
            for number, (fix, seen) in enumerate(works)
        ]

    def _facts(self, evidence: Evidence) -> Facts:
        wrong = [run.step for run in evidence.runs.values() if self._lab.expected(run) is not None]
        return Facts(self._lab, self._submission, evidence, dict.fromkeys(wrong, _DIFFERS))

    def _other_steps(
        self, report: Report, program: str, steps: Mapping[str, RunStep], seen: Collection[str]
    ) -> tuple[RunStep, ...]:
        """Return the short runs of a program that are not yet known, those that take longest last."""
        checks = sorted(
            _judged(report, program),
            key=lambda check: (not isinstance(check.evidence, CasesEvidence), check.status == "passed"),
        )
        ids = dict.fromkeys(one for check in checks for one in self._whole(check, steps) if one not in seen)
        return tuple(steps[one] for one in ids)

    def _whole(self, check: Check, steps: Mapping[str, RunStep]) -> list[str]:
        """Return the runs of a check that are short, whether they had passed or not.

        Of a check that had passed, only the untraced runs of small inputs are worth their time.
        """
        _, item = self._lab.spec.checks()[check.id]
        known = [steps[one] for one in item.steps(check.program) if one in steps and self._is_quick(steps[one])]
        if check.status == "passed" and not isinstance(check.evidence, CasesEvidence):
            return []
        return [
            step.id for step in known if check.status == "failed" or len(self._lab.inputs[step.input]) <= SMALL_BYTES
        ]

    def _repaired(self, facts: Facts, fix: Fix, report: Report, steps: Mapping[str, RunStep]) -> Repaired:
        """Judge what a fixed copy did in all short runs, except in checks of which a run was left out."""
        run, passed, short_only, broken = [], [], [], []
        for check in _judged(report, fix.program):
            _, item = self._lab.spec.checks()[check.id]
            ids = self._whole(check, steps)
            # A student may write the message of a fix with another function.
            if not (ids or (check.status == "failed" and self._is_symbols(check))):
                continue
            if isinstance(check.evidence, CasesEvidence):
                cases = [steps[one].case for one in ids]
                wrong = [case for case in cases if not self._is_right(facts, check.program, case)]
                is_wrong = any(facts.evidence.run(check.program, case) is not None for case in wrong)
                if wrong and not is_wrong:
                    continue
            elif all(one in facts.evidence.runs for one in ids):
                is_wrong = judge_check(facts, check.program, item).status != "passed"
            else:
                continue
            if check.status == "passed":
                broken += [check.id] if is_wrong else []
                continue
            run.append(check.id)
            if not is_wrong:
                passed.append(check.id)
                short_only += [check.id] if self._is_short(check, steps) else []
        return Repaired(Tried(fix, tuple(run), tuple(passed), tuple(short_only)), tuple(broken))

    def _widened(
        self, report: Report, known: Mapping[str, Proven], repaired: Sequence[Repaired]
    ) -> Mapping[str, Proven]:
        """Return what is known of the causes when the fixes that work have been tried in every short case.

        If another case of a check of the cause fails with the fix, nothing is proven. A check of other causes belongs
        to the first whose fix repairs it, unless its own cause is proven, or a fix without this cause repairs it too.
        """
        known = {**known}
        wide: dict[str, list[tuple[Tried, Repaired]]] = {}
        for cause in report.causes:
            works = known[cause.name].works if cause.name in known else ()
            wide[cause.name] = [(tried, one) for tried in works for one in repaired if one.tried.fix == tried.fix]
            if any({*tried.passed} & {*one.tried.run} - {*one.tried.passed} for tried, one in wide[cause.name]):
                known[cause.name], wide[cause.name] = Proven(), []
        proven = [cause for cause in report.causes if wide[cause.name]]
        taken = {check for cause in proven for check in cause.checks}
        for cause in proven:
            found = wide[cause.name]
            without = {
                check for one in repaired if cause.name not in one.tried.fix.causes for check in one.tried.passed
            }
            others = {check for _, one in found for check in one.tried.passed} - taken - without
            taken |= others
            works = tuple(_joined(tried, one.tried, others, report) for tried, one in found)
            repaired_checks = {check for tried in works for check in tried.passed}
            known[cause.name] = replace(
                known[cause.name],
                proof=self._proof(works, [check for _, one in found for check in one.broken]),
                works=works,
                others=frozenset(others),
                unrepaired=frozenset(check for _, one in found for check in one.tried.run) - repaired_checks,
            )
        return known

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
            else:
                is_passed = judge_check(facts, check.program, item).status == "passed"
            run.append(check.id)
            if is_passed:
                passed.append(check.id)
                short_only += [check.id] if self._is_short(check, steps) else []
        return Tried(fix, tuple(run), tuple(passed), tuple(short_only), facts.evidence)

    def _is_short(self, check: Check, steps: Mapping[str, RunStep]) -> bool:
        """Return whether some of its failed runs take too long to be repeated."""
        _, item = self._lab.spec.checks()[check.id]
        if isinstance(check.evidence, CasesEvidence):
            ids = [run_id(check.program, result.case) for result in _failed(check)]
            return not all(one in steps and self._is_quick(steps[one]) for one in ids)
        all_runs = (steps[one] for one in item.steps(check.program) if one in steps)
        return any(not step.engine.startswith("strace") and not self._is_quick(step) for step in all_runs)

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
            return Proven(tuple(lines), self._proof(works), works=tuple(works))
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

    def _proof(self, works: Sequence[Tried], broken: Collection[str] = ()) -> Proof:
        return Proof(
            sentence=" ".join(
                self._sentence(tried, [check for check in broken if program_of(check) == tried.fix.program])
                for tried in works
            ),
            checks=tuple(check for tried in works for check in tried.passed),
            fixed=tuple(line for tried in works for line in self._fixed_lines(tried.fix))
            if self._options.with_fixes or self._lab.spec.students_see_fixes
            else (),
        )

    def _sentence(self, tried: Tried, broken: Sequence[str]) -> str:
        file = self._lab.spec.programs[tried.fix.program].main_source
        by_words: dict[str, set[int]] = {}
        for place in (place for places in tried.fix.places.values() for place in places):
            by_words.setdefault(place.says, set()).update(place.lines)
        said = listed(f"{words}{_in_lines(sorted(lines))}" for words, lines in by_words.items() if words)
        items = self._lab.spec.checks()
        names, short, worse = (
            [items[check][1].name for check in some] for some in (tried.passed, tried.short_only, broken)
        )
        checks = f"the check {names[0]} passes" if len(names) == 1 else f"the checks {_some(names)} pass"
        rest = f" (of {listed(short)} only the short runs were repeated)" if short else ""
        fails = ("passes now, then fails" if len(worse) == 1 else "pass now, then fail") if worse else ""
        then = f"; {_some(worse)}, which {fails}: more has to change" if worse else ""
        return f"{said[:1].upper()}{said[1:]} of {file}, {checks}{rest}{then}."

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


def _judged(report: Report, program: str) -> list[Check]:
    """Return the checks of a program that students see, and that passed or failed."""
    return [
        check
        for check in report.checks
        if check.program == program and check.visibility == "visible" and check.status in ("passed", "failed")
    ]


def _joined(tried: Tried, wide: Tried, others: Collection[str], report: Report) -> Tried:
    """Return what a fix did to the checks of its cause, and to these others."""
    passed = {*tried.passed} | {check for check in wide.passed if check in others}
    short_only = {*tried.short_only, *wide.short_only} & passed
    ordered = tuple(check.id for check in report.checks if check.id in passed)
    return Tried(
        tried.fix, ordered, ordered, tuple(check for check in ordered if check in short_only), tried.evidence
    )


def _together(seen: Evidence, facts: Facts | None) -> Evidence:
    """Return the evidence of the runs of a copy, and of more runs of it."""
    if facts is None:
        return seen
    more = facts.evidence
    return Evidence(
        toolchain=seen.toolchain,
        builds=seen.builds,
        runs={**seen.runs, **more.runs},
        left_out={**seen.left_out, **more.left_out},
    )


def _some(names: Sequence[str]) -> str:
    return listed(names) if len(names) <= NAMED_CHECKS else listed_up_to(NAMED_CHECKS, names)


def _failed(check: Check) -> Iterator[CaseResult]:
    if isinstance(check.evidence, CasesEvidence):
        yield from (result for result in check.evidence.cases if not result.passed and not result.hidden)


def _build(build: BuildStep, name: str) -> BuildStep:
    source = f"{name}.c"
    return build.model_copy(
        update={
            "program": name,
            "source": source,
            "compile": (*build.compile[:-1], source),
            "compile_object": build.compile_object and (*build.compile_object[:-1], source),
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
