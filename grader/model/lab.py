"""The lab that submissions are judged by: the spec, its inputs, and the results of the reference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from grader.model.evidence import RunDone, program_and_case
from grader.model.reference import Reference
from grader.model.spec.lab import Spec
from grader.model.submission import Submission


@dataclass(frozen=True)
class Lab:
    """What all submissions of a run are compared with; `makefile` is empty unless programs are built by make."""

    spec: Spec
    inputs: Mapping[str, bytes]
    reference: Reference
    makefile: bytes = b""

    def for_submission(self, submission: Submission) -> Lab:
        """Return the lab with the inputs that this submission gets: some have a size of its own."""
        own = {
            name: self.inputs[name][: declaration.size_for(submission.digest())]
            for name, declaration in self.spec.own_size_inputs.items()
        }
        return replace(self, inputs={**self.inputs, **own}) if own else self

    def expected(self, run: RunDone) -> RunDone | None:
        """Return the reference's run if this one's output should equal its output and does not, else None."""
        program, name = program_and_case(run.step)
        expected = self.reference.run(program, name)
        if self.spec.cases[name].expect != "reference-output" or expected is None:
            return None
        return None if run.stdout.sha256 == expected.stdout.sha256 else expected
