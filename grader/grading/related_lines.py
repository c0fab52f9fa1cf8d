"""Name the lines of a student's source that have to do with a symptom."""

from __future__ import annotations

from grader.diagnose.related_lines import related_lines, with_advice_on_lines
from grader.errors import GraderError
from grader.grading.plan_builder import source_files
from grader.grading.source_search import SourceSearch
from grader.model.lab import Lab
from grader.model.report import RelatedLine, Report, Symptom
from grader.model.submission import Submission


def with_related_lines(report: Report, lab: Lab, submission: Submission, search: SourceSearch) -> Report:
    """Return the report with lines for symptoms that have none and whose program compiled; without if that fails."""
    sources = source_files(lab.spec, submission)
    places: dict[str, dict[str, list[tuple[int, ...]]]] = {}
    for program in {symptom.program for symptom in report.symptoms}:
        if not any(build.ok for build in report.builds if build.program == program):
            continue
        try:
            found = search.lines(report, program)
        except GraderError:
            # The symptom is worth more than its lines.
            continue
        if found is not None:
            places[program] = {role: sorted({place.lines for place in one}) for role, one in found.items()}

    def lines_of(symptom: Symptom) -> tuple[RelatedLine, ...]:
        if symptom.lines or symptom.program not in places:
            return symptom.lines
        file = lab.spec.programs[symptom.program].main_source
        lines = [line.decode("utf-8", "replace").rstrip("\r") for line in sources[file].split(b"\n")]
        return related_lines(symptom, report, file, lines, places[symptom.program])

    symptoms = [symptom.model_copy(update={"lines": lines_of(symptom)}) for symptom in report.symptoms]
    return report.model_copy(update={"symptoms": tuple(with_advice_on_lines(symptom) for symptom in symptoms)})
