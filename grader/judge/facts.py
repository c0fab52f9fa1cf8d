"""All that a verdict may rest on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from grader.model.evidence import BuildDone, Evidence, Exited
from grader.model.reference import Reference
from grader.model.report import CheckEvidence, CheckStatus
from grader.model.spec import Spec
from grader.model.submission import Submission, UnusableSource


@dataclass(frozen=True)
class Facts:
    """One submission's evidence beside the spec, the reference's evidence and the inputs."""

    spec: Spec
    submission: Submission
    evidence: Evidence
    reference: Reference
    inputs: Mapping[str, bytes]

    def build(self, program: str) -> BuildDone | UnusableSource:
        """Return how a program's compilation went, or why there was nothing to compile."""
        source = self.submission.sources[program]
        return source if isinstance(source, UnusableSource) else self.evidence.builds[program]

    def built(self, program: str) -> bool:
        """Return whether there is a program to run."""
        build = self.build(program)
        return not isinstance(build, UnusableSource) and build.ending == Exited(kind="exited", code=0)

    def out_of_time(self, step: str) -> str | None:
        """Return words for a step that was left out because the submission's time was over, None for any other."""
        left_out = self.evidence.left_out.get(step)
        if left_out is None or left_out.why != "submission-time":
            return None
        return f"not run: the submission had used up its {self.spec.limits.submission_wall_s:g} s"


@dataclass(frozen=True)
class Outcome:
    """What a check came to; `message` is one or two sentences for the student."""

    status: CheckStatus
    message: str
    evidence: CheckEvidence | None = None
