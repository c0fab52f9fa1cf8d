"""One submission: from its sources to its report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from grader.collect import collect
from grader.errors import SandboxError
from grader.judge.facts import Facts
from grader.judge.verdict import Circumstances, judge, not_graded
from grader.model.evidence import Evidence, RunDone
from grader.model.reference import Reference
from grader.model.report import Report
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
        evidence = _evidence(grading, submission, watch, slot)
    except SandboxError as error:
        return not_graded(grading.spec, submission, grading.circumstances, str(error))
    facts = Facts(grading.spec, submission, evidence, grading.reference, grading.inputs)
    return judge(facts, grading.circumstances)


def _evidence(
    grading: Grading, submission: Submission, watch: Callable[[Progress], None] | None, slot: int
) -> Evidence:
    work = plan_work(grading.spec, submission, grading.strace)
    if not work.builds:
        return Evidence(toolchain=None, builds={}, runs={}, left_out={})
    sources = {
        grading.spec.programs[name].source: source.data
        for name, source in submission.sources.items()
        if isinstance(source, Source)
    }
    with grading.sandbox.open(Job(work, sources, grading.inputs), slot=slot) as session:
        return _with_differing_outputs(grading, collect(session.events(), watch), session)


def _with_differing_outputs(grading: Grading, evidence: Evidence, session: Session) -> Evidence:
    """Fetch the outputs that are not the reference's: only for these are more than their hashes needed."""
    runs = {step: _with_output(grading, step, run, session) for step, run in evidence.runs.items()}
    return evidence.model_copy(update={"runs": runs})


def _with_output(grading: Grading, step: str, run: RunDone, session: Session) -> RunDone:
    program, case = step.split(".")[:2]
    expected = grading.reference.run(program, case)
    if expected is None or run.stdout.sha256 == expected.stdout.sha256 or run.stdout.data is not None:
        return run
    return run.model_copy(update={"stdout": run.stdout.model_copy(update={"data": session.fetch(step)})})
