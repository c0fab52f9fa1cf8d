"""One submission: from its sources to its report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from grader.collect import collect
from grader.diagnose.difference import difference
from grader.errors import SandboxError
from grader.judge.facts import Facts
from grader.judge.verdict import Circumstances, judge, not_graded
from grader.model.evidence import Evidence
from grader.model.reference import Reference
from grader.model.report import Difference, Report
from grader.model.spec import Spec
from grader.model.submission import Source, Submission
from grader.planning import StraceMode, plan_work
from grader.sandbox.base import Job, Progress, Sandbox, Session


@dataclass(frozen=True)
class Grading:
    """What all submissions of a run have in common."""

    spec: Spec
    sandbox: Sandbox
    reference: Reference
    inputs: Mapping[str, bytes]
    strace: StraceMode = "slice"

    @property
    def circumstances(self) -> Circumstances:
        """Where this run grades."""
        return Circumstances(self.sandbox.isolation, self.sandbox.image_digest)


def grade(
    grading: Grading, submission: Submission, watch: Callable[[Progress], None] | None = None, *, slot: int = 0
) -> Report:
    """Grade one submission; a fault of ours makes the report say NOT GRADED, never 0 points."""
    try:
        evidence, differences = _evidence(grading, submission, watch, slot)
    except SandboxError as error:
        return not_graded(grading.spec, submission, grading.circumstances, str(error))
    facts = Facts(grading.spec, submission, evidence, grading.reference, grading.inputs, differences)
    return judge(facts, grading.circumstances)


def _evidence(
    grading: Grading, submission: Submission, watch: Callable[[Progress], None] | None, slot: int
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
        return evidence, _differences(grading, evidence, session)


def _differences(grading: Grading, evidence: Evidence, session: Session) -> Mapping[str, Difference]:
    """Compare outputs with the reference's; only where hashes differ are the bytes looked at, one run at a time."""
    found = {}
    for step, run in evidence.runs.items():
        program, name = step.split(".")[:2]
        case, expected = grading.spec.cases[name], grading.reference.run(program, name)
        if case.expect != "reference-output" or expected is None or run.stdout.sha256 == expected.stdout.sha256:
            continue
        written = session.fetch(step) if run.stdout.data is None else run.stdout.data
        where = difference(
            grading.reference.output(expected), written, grading.inputs[case.input], run.stdout.size_bytes
        )
        if where is not None:
            found[step] = where
    return found
