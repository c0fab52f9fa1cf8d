"""The lab that submissions are judged by: the spec, its inputs, and the results of the model solution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from grader.judge.difference import difference
from grader.model.evidence import RunDone
from grader.model.reference import Reference
from grader.model.report import Difference
from grader.model.spec.lab import Spec


@dataclass(frozen=True)
class Lab:
    """What all submissions of a run are compared with."""

    spec: Spec
    inputs: Mapping[str, bytes]
    reference: Reference

    def expected(self, run: RunDone) -> RunDone | None:
        """Return the reference's run if this one's output should equal its output and does not, else None."""
        program, name = run.step.split(".")[:2]
        expected = self.reference.run(program, name)
        if self.spec.cases[name].expect != "reference-output" or expected is None:
            return None
        return None if run.stdout.sha256 == expected.stdout.sha256 else expected

    def difference(self, run: RunDone, expected: RunDone, written: bytes) -> Difference | None:
        """Return where `written`, the output of a run, differs from what was expected."""
        name = run.step.split(".")[1]
        source = self.inputs[self.spec.cases[name].input]
        return difference(self.reference.output(expected), written, source, run.stdout.size_bytes)
