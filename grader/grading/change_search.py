"""Look for a small change of the source that repairs a program, where no fix of a known bug does.

The verdicts are known by then, and nothing that happens here changes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from grader.diagnose.edits import CHANGE_VARIABLE, fixed
from grader.errors import GraderError
from grader.grading.fix_trials import FixTrials, Repaired
from grader.grading.fixed_copies import Fix, FixedCopies
from grader.grading.options import GradeOptions
from grader.grading.plan_builder import source_files
from grader.grading.proof_sentences import ProofWriter
from grader.grading.source_patterns import FoundChange, FoundPlace, find_changes
from grader.model.evidence import Exited, run_id
from grader.model.lab import Lab
from grader.model.plan import Plan, RunStep
from grader.model.report import CasesEvidence, Cause, Check, Proof, Report, Symptom
from grader.model.spec.rubric import program_of
from grader.model.submission import Submission
from grader.sandbox.base import Sandbox

TARGETS = 3
"""Failures of a program that are looked at, each with its smallest case."""

FINALISTS = 2
"""Changes of a target that are compiled alone and run in all short cases, which takes 0.5 s of CPU time."""

_NAME = "small change"


@dataclass(frozen=True)
class Repair:
    """A change that repaired checks of a program, and what it says of that."""

    program: str
    checks: tuple[str, ...]
    proof: Proof
    line: int


@dataclass(frozen=True)
class Repairs:
    """The changes that repair something, the costliest failures first."""

    found: tuple[Repair, ...] = ()
    notes: tuple[str, ...] = ()

    def added_to(self, report: Report) -> Report:
        """Return the report with them."""
        import os
        if os.environ.get("SHOWREP"):
            for one in self.found:
                print("REPAIR", one.line, one.proof.sentence, one.checks)
        return report


@dataclass(frozen=True)
class _Target:
    """A failure to repair: the failed checks that are expected to pass, and its smallest case."""

    checks: tuple[Check, ...]
    step: RunStep
    ends: bool


@dataclass
class ChangeSearch:
    """Looks for small changes of the sources of one submission."""

    lab: Lab
    submission: Submission
    sandbox: Sandbox
    options: GradeOptions
    _sources: Mapping[str, bytes] = field(init=False)
    _copies: FixedCopies = field(init=False)
    _trials: FixTrials = field(init=False)

    def __post_init__(self) -> None:
        self._sources = source_files(self.lab.spec, self.submission)
        self._copies = FixedCopies(self.lab, self.submission, self._sources, self.sandbox, self.options)
        self._trials = FixTrials(self.lab, self._copies)

    def search(self, report: Report, runs: Plan) -> Repairs:
        """Look for changes that repair what no proven cause explains, in the runs that students see."""
        found: list[Repair] = []
        try:
            for program in self.lab.spec.programs:
                found += self._of_program(program, report, runs)
        except GraderError as error:
            return Repairs(notes=(f"small changes of the source could not be tried: {error}",))
        return Repairs(tuple(found))

    def _of_program(self, program: str, report: Report, runs: Plan) -> Iterator[Repair]:
        source = self._sources.get(self.lab.spec.programs[program].main_source)
        targets = self._targets(program, report, runs)
        if source is None or not targets or not self.lab.spec.is_single_c(program) or not self._copies.may_run():
            return
        changes = find_changes(source)
        if changes is None:
            return
        working = self._copies.run_changes(runs, program, changes, [(one.step, one.ends) for one in targets])
        repaired: set[str] = set()
        for target, works in zip(targets, working, strict=True):
            if repaired.issuperset(check.id for check in target.checks):
                continue
            best = self._best(program, source, works, report, runs)
            if best is not None:
                repaired.update(best.checks)
                yield best

    def _targets(self, program: str, report: Report, runs: Plan) -> list[_Target]:
        """Return the failures to repair, the costliest first: by the symptom, the smallest of its cases."""
        proven = {check for cause in report.causes if cause.certainty == "proven" for check in cause.checks}
        steps = {step.case: step for step in runs.runs if step.id == run_id(program, step.case)}
        lost = {check.id: check.max_points - check.points for check in report.checks}
        failed = {check.id: check for check in report.checks if check.status == "failed" and check.id not in proven}
        found = []
        for symptom in report.symptoms:
            checks = tuple(failed[one] for one in symptom.checks if one in failed)
            if symptom.program != program or not checks:
                continue
            cases = [
                (case.input_size_bytes + sum(map(len, case.operands)), steps[case.case], isinstance(case.ending, Exited))
                for check in checks
                if isinstance(check.evidence, CasesEvidence)
                for case in check.evidence.cases
                if not case.passed and not case.hidden and case.case in steps
                and (not symptom.cases or case.case in symptom.cases)
                and self._copies.is_small(steps[case.case])
            ]
            if cases:
                _, step, ends = min(cases, key=lambda case: case[0])
                found.append((sum(lost[check.id] for check in checks), _Target(checks, step, ends)))
        found.sort(key=lambda one: -one[0])
        unique = {target.step.id: target for _, target in reversed(found)}
        return sorted(unique.values(), key=lambda one: [target for _, target in found].index(one))[:TARGETS]

    def _best(
        self, program: str, source: bytes, works: Sequence[FoundChange], report: Report, runs: Plan
    ) -> Repair | None:
        """Return the change that repairs most, of those that break nothing."""
        fixes = []
        for change in sorted(works, key=lambda one: one.rank)[:FINALISTS]:
            data = fixed(source, change.edits)
            if data is not None:
                place = FoundPlace(lines=(change.line,), edits=change.edits, says=change.says, one=False, proof=False)
                fixes.append(Fix(program, data, {_NAME: (place,)}))
        judged = self._trials.try_alone(report, runs, fixes)
        sound = [one for one in judged if one.tried.passed and not one.broken]
        if not sound:
            return None
        best = max(sound, key=lambda one: len(one.tried.passed))
        writer = ProofWriter(self.lab.spec, self._sources, shows_fixes=self.options.with_fixes or self.lab.spec.students_see_fixes)
        line = best.tried.fix.places[_NAME][0].lines[0]
        return Repair(program, best.tried.passed, writer.proof([best.tried]), line)
