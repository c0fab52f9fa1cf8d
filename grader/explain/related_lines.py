"""Name the lines of a student's source that have to do with a symptom, or with what a memory checker found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from grader.diagnose.behaviour.failures import operand_numbers
from grader.diagnose.source.own_checks import before_check
from grader.diagnose.source.related_lines import MAX_LINE_CHARS, RelatedLines, texts_of, with_advice_on_lines
from grader.errors import GraderError
from grader.explain.roles import roles
from grader.explain.source_search import SourceSearch
from grader.lab.source_files import source_files
from grader.model.lab import Lab
from grader.model.report import Finding, RelatedLine, Report, Symptom
from grader.model.spec.lab import Spec
from grader.model.submission import Source, Submission


def with_related_lines(report: Report, lab: Lab, submission: Submission, search: SourceSearch) -> Report:
    """Return the report with lines for symptoms that have none and whose program compiled; without if that fails."""
    sources = source_files(lab.spec, submission)
    places = _places(report, {symptom.program for symptom in report.symptoms}, search)

    def lines_of(symptom: Symptom) -> tuple[RelatedLine, ...]:
        if symptom.lines or symptom.program not in places:
            return symptom.lines
        file = lab.spec.programs[symptom.program].main_source
        lines = [line.decode("utf-8", "replace").rstrip("\r") for line in sources[file].split(b"\n")]
        lines = [line[:MAX_LINE_CHARS] for line in lines]
        return RelatedLines(symptom, report, file, lines, places[symptom.program], roles()).chosen()

    symptoms = [symptom.model_copy(update={"lines": lines_of(symptom)}) for symptom in report.symptoms]
    return report.model_copy(update={"symptoms": tuple(with_advice_on_lines(symptom) for symptom in symptoms)})


def texts_of_programs(submission: Submission) -> Mapping[str, tuple[bytes, ...]]:
    """Return the texts that sources have in string literals, by program."""
    return {
        program: texts_of(b"\n".join((source.data, *source.others.values())))
        for program, source in submission.sources.items()
        if isinstance(source, Source)
    }


def with_late_checks(report: Report, spec: Spec, search: SourceSearch) -> Report:
    """Return the report with findings that say so if their line comes before the check of the operands.

    A case whose operands are right shows that something else is wrong.
    """
    places = _places(report, {finding.program for finding in report.findings}, search)

    def told(finding: Finding) -> Finding:
        if not all(spec.cases[case].is_refusal for case in finding.cases):
            return finding
        needed = operand_numbers(finding.program, spec).start
        late = before_check(finding, needed, _operands(finding, report), places.get(finding.program, {}))
        if late is None:
            return finding
        check, words = late
        message = f"{finding.message.removesuffix('.')}{words}."
        return finding.model_copy(update={"message": message, "late_check": check})

    return report.model_copy(update={"findings": tuple(map(told, report.findings))})


def _operands(finding: Finding, report: Report) -> list[tuple[bytes, ...]]:
    return [
        result.operands
        for check in report.checks
        if check.id in finding.checks
        for result in check.results
        if result.case in finding.cases
    ]


def _places(
    report: Report, programs: Iterable[str], search: SourceSearch
) -> Mapping[str, Mapping[str, Sequence[tuple[int, ...]]]]:
    """Return the lines of each place that was looked for in programs that compiled, nothing if that fails."""
    places: dict[str, dict[str, list[tuple[int, ...]]]] = {}
    for program in programs:
        if not any(build.ok for build in report.builds if build.program == program):
            continue
        try:
            found = search.lines(report, program)
        except GraderError:
            # A report without these lines is worth more than none.
            continue
        if found is not None:
            places[program] = {role: sorted({place.lines for place in one}) for role, one in found.items()}
    return places
