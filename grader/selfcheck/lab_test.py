"""Test a lab: the reference passes everything, the template has the stated score, each mutant fails what it names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from typing_extensions import assert_never

from grader.atomic_write import write_atomic
from grader.diagnose.bugs.match import match
from grader.errors import GraderError, SpecError
from grader.grading.known_bugs import shipped, signatures_json, signatures_key
from grader.grading.mutant_runner import MutantRunner
from grader.grading.pipeline import GradingContext, grade
from grader.grading.reference_run import ReferenceBuildError, ReferenceCaseError, read_programs, reference_programs
from grader.lab.find import LabFiles
from grader.lab.fixtures import read_fixtures, read_provided
from grader.lab.load import read_spec_file
from grader.lab.mutants import declared_mutants_of, mutants_of
from grader.lab.yaml_document import YamlFile
from grader.model.mutant import Mutant, MutantFile
from grader.model.report import Check, Report
from grader.model.signature import Signatures, Traits, bug_of
from grader.model.spec.inconsistency import InconsistencyError
from grader.model.spec.lab import Spec, full_size_patterns
from grader.model.spec.rubric import check_id
from grader.model.submission import Submission
from grader.options import GradeOptions
from grader.sandbox.slots import Slots


@dataclass(frozen=True)
class StatedResult:
    """A submission that belongs to a lab, and the result that the lab states for it.

    `fails` are the ids of the checks that it fails, None if only its `score` is stated. `file` is where the lab
    states it: `key_paths` has the place for each check, by its id.
    """

    name: str
    submission: Submission
    file: YamlFile[Any]
    key_paths: Mapping[str, str]
    fails: frozenset[str] | None = None
    score: float | None = None


@dataclass(frozen=True)
class TestedResult:
    """The score of such a submission; `mistake` is None if its result is as stated."""

    name: str
    score: float
    max_score: float
    mistake: SpecError | None


def stated_results(spec: Spec, files: LabFiles) -> list[StatedResult]:
    """Return the results that a lab states: of its reference, of its template if it has a score, and of its mutants.

    Raises:
        SpecError: a mutant cannot be read, or does not fit the spec.
        UsageError: a source of the reference or the template cannot be read.
    """
    document = read_spec_file(files.spec)
    rubric = {name: f"rubric.{spec.rubric.index(item)}" for name, (_, item) in spec.checks().items()}
    reference = reference_programs(spec, files)
    stated = [StatedResult(reference.name, reference, document, rubric, fails=frozenset())]
    if spec.template_score is not None:
        template = read_programs("template", spec, files.template)
        stated.append(StatedResult(template.name, template, document, {}, score=float(spec.template_score)))
    for mutant, declared in declared_mutants_of(spec, files):
        stated += _of_mutant(mutant, declared, spec, reference)
    return stated


def reference_mistake(files: LabFiles, error: ReferenceCaseError) -> SpecError:
    """Return an error with the line of each case that the reference fails."""
    document = read_spec_file(files.spec)
    return document.error(
        *(InconsistencyError(message, key_path=f"cases.{case}") for case, message in error.mistakes.items())
    )


def build_mistake(files: LabFiles, error: ReferenceBuildError) -> SpecError:
    """Return an error with the line of the program that cannot be built."""
    lines = error.messages.splitlines()
    first = next((line for line in lines if "error" in line.lower() or "***" in line), lines[0] if lines else "")
    what = f"does not compile: {first.strip() or 'an error'}"
    if error.stopped:
        what = f"was not compiled: {error.stopped}"
    message = f"{error.program} in {files.solution} {what}"
    return read_spec_file(files.spec).error(InconsistencyError(message, key_path=f"programs.{error.program}"))


def patterns_mistake(spec: Spec, files: LabFiles) -> SpecError | None:
    """Return what is wrong with patterns of calls by which mutants should be recognised, None if nothing is."""
    mistakes = tuple(full_size_patterns(spec)) if mutants_of(spec, files) else ()
    return read_spec_file(files.spec).error(*mistakes) if mistakes else None


def signatures_mistake(spec: Spec, files: LabFiles) -> str | None:
    """Return what is wrong with the lab's signatures.json, None if nothing is or there is none.

    Raises:
        GraderError: the file is damaged.
    """
    if not files.signatures.is_file():
        return None
    key = _key(spec, files, mutants_of(spec, files))
    if shipped(files.signatures, key) is not None:
        return None
    return (
        f"{files.signatures} is older than the spec or the mutants, and is not used; "
        "`grader lab test --signatures` makes it again"
    )


def make_signatures(spec: Spec, files: LabFiles, grading: GradingContext) -> list[str]:
    """Measure the traits of the lab's mutants, write its signatures.json, and return what should be known of them.

    Raises:
        GraderError: a mutant cannot be measured, or the file cannot be written.
    """
    mutants = mutants_of(spec, files)
    traits = MutantRunner(grading.lab, grading.sandbox).traits(mutants)
    found = Signatures(key=_key(spec, files, mutants), traits=traits)
    write_atomic(files.signatures, signatures_json(found))
    return [*not_recognised(found.traits)]


def not_recognised(measured: Mapping[str, Mapping[str, Traits]]) -> Iterator[str]:
    """Say which mutants are taken for another one, or for none, by program and mutant."""
    for program, by_form in measured.items():
        for bug in dict.fromkeys(map(bug_of, by_form)):
            if bug not in by_form:
                continue
            matched = match(by_form[bug], (), by_form)
            bugs = matched.bugs if matched is not None else ()
            if bugs == (bug,):
                continue
            others = [other for other in bugs if other != bug]
            reason = (
                f"reports will call it {' and '.join(others)}; a case that only one of them fails tells them apart"
                if others
                else "reports will not name it"
            )
            yield f"note: {program} of the mutant {bug} is not recognised: {reason}"


def _key(spec: Spec, files: LabFiles, mutants: Sequence[Mutant]) -> str:
    return signatures_key(spec, mutants, read_provided(spec, files), read_fixtures(spec, files))


def tested_results(grading: GradingContext, stated: Sequence[StatedResult]) -> Iterator[TestedResult]:
    """Grade them, as many at a time as there are processors, and yield the results in the same order.

    Raises:
        GraderError: one of them could not be graded.
    """
    slots = Slots(grading.sandbox.cpus)
    with ThreadPoolExecutor(grading.sandbox.cpus) as threads:
        yield from threads.map(partial(_tested, grading, slots), stated)


def _of_mutant(
    mutant: Mutant, declared: YamlFile[MutantFile], spec: Spec, reference: Submission
) -> Iterator[StatedResult]:
    """Yield what a mutant states of its programs, and of each variant; the reference has the other programs."""

    def stated(name: str, form: Mutant, key_paths: Mapping[str, str]) -> StatedResult:
        submission = replace(reference, name=name, sources={**reference.sources, **form.programs})
        fails = frozenset(check_id(program, check) for program, checks in form.fails.items() for check in checks)
        return StatedResult(name, submission, declared, key_paths, fails)

    checks = {name: program for name, (program, _) in spec.checks().items()}
    name = f"mutant {mutant.name}"
    yield stated(name, mutant, {check: f"programs.{program}.fails" for check, program in checks.items()})
    for variant in mutant.variants:
        place = f"programs.{variant.program}.variants.{variant.name}"
        yield stated(f"{name}, variant {variant.name}", mutant.with_variant(variant), dict.fromkeys(checks, place))


def _tested(grading: GradingContext, slots: Slots, stated: StatedResult) -> TestedResult:
    with slots.taken() as own:
        report = grade(grading, stated.submission, GradeOptions(slots=own))
    if report.status != "graded" or report.score is None:
        raise GraderError(f"the {stated.name} could not be graded: {report.reason}")
    mistakes = tuple(_mistakes(stated, report))
    error = stated.file.error(*mistakes) if mistakes else None
    return TestedResult(stated.name, report.score, report.max_score, error)


def _mistakes(stated: StatedResult, report: Report) -> Iterator[InconsistencyError]:
    if stated.score is not None and report.score != stated.score:
        yield InconsistencyError(f"the {stated.name} has {report.score:g} points", key_path="template_score")
    if stated.fails is None:
        return
    for check in report.checks:
        # A mutant may have no time figures, because it does not end.
        is_skipped = check.status == "skipped" and not stated.fails
        if (check.status == "failed") != (check.id in stated.fails) or is_skipped:
            yield InconsistencyError(_mistake_words(stated.name, check), key_path=stated.key_paths[check.id])


def _mistake_words(name: str, check: Check) -> str:
    match check.status:
        case "passed":
            return f"the {name} passes {check.id}, which is in the list"
        case "failed":
            return f"the {name} fails {check.id}: {check.message}"
        case "skipped":
            return f"{check.id} of the {name} was not judged: {check.message}"
        case _ as unreachable:
            assert_never(unreachable)
