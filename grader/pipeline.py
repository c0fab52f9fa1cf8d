"""One submission: from its sources to its report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from grader.bugs import Catalogue
from grader.collect import collect
from grader.comparison import differences
from grader.diagnose.explain import explain, needs_explaining
from grader.errors import GraderError, SandboxError
from grader.judge.facts import Facts
from grader.judge.verdict import Circumstances, judge, not_graded
from grader.model.evidence import Evidence
from grader.model.reference import Reference
from grader.model.report import Difference, Report
from grader.model.spec import Spec
from grader.model.submission import Source, Submission
from grader.planning import StraceMode, plan_work
from grader.sandbox.base import Job, Progress, Sandbox


@dataclass(frozen=True)
class Grading:
    """What all submissions of a run have in common; without `bugs` no causes are looked for."""

    spec: Spec
    sandbox: Sandbox
    reference: Reference
    inputs: Mapping[str, bytes]
    strace: StraceMode = "slice"
    bugs: Catalogue | None = None

    @property
    def circumstances(self) -> Circumstances:
        """Where this run grades."""
        return Circumstances(self.sandbox.isolation, self.sandbox.image_digest)


Keep = Callable[[str, bytes], None]
"""Gets the step and the whole of each output that is not the reference's."""


def grade(
    grading: Grading,
    submission: Submission,
    watch: Callable[[Progress], None] | None = None,
    *,
    keep: Keep | None = None,
    slot: int = 0,
) -> Report:
    """Grade one submission; a fault of ours makes the report say NOT GRADED, never 0 points."""
    try:
        evidence, where = _evidence(grading, submission, watch, keep, slot)
    except SandboxError as error:
        return not_graded(grading.spec, submission, grading.circumstances, str(error))
    facts = Facts(grading.spec, submission, evidence, grading.reference, grading.inputs, where)
    return _explained(grading, judge(facts, grading.circumstances), evidence)


def _explained(grading: Grading, report: Report, evidence: Evidence) -> Report:
    """Name the causes of what failed; a verdict stands without them, so no trouble with them spoils it."""
    if grading.bugs is None or not needs_explaining(grading.spec, report):
        return report
    try:
        known = grading.bugs.get()
    except GraderError as error:
        note = f"causes could not be looked for: {error}"
        return report.model_copy(update={"notes": (*report.notes, note)})
    return explain(grading.spec, report, evidence, known.signatures, known.mutants)


def _evidence(
    grading: Grading,
    submission: Submission,
    watch: Callable[[Progress], None] | None,
    keep: Keep | None,
    slot: int,
) -> tuple[Evidence, Mapping[str, Difference]]:
    work = plan_work(grading.spec, submission, grading.strace)
    if not work.builds:
        return Evidence(toolchain=None, builds={}, runs={}, left_out={}), {}
    sources = {
        grading.spec.programs[name].source: source.data
        for name, source in submission.sources.items()
        if isinstance(source, Source)
    }
    with grading.sandbox.open(Job(work, sources, grading.inputs), slot=slot) as session:
        evidence = collect(session.events(), watch)
        where = differences(grading.spec, grading.reference, grading.inputs, evidence, session.fetch, keep)
        return evidence, where
