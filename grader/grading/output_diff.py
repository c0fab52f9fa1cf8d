"""Which outputs are not the reference's, and where they part."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from grader.judge.difference import difference
from grader.model.evidence import Evidence, RunDone
from grader.model.reference import Reference
from grader.model.report import Difference
from grader.model.spec.lab import Spec


@dataclass(frozen=True)
class ExpectedOutputs:
    """What outputs are compared with: the reference's, on the lab's inputs."""

    spec: Spec
    reference: Reference
    inputs: Mapping[str, bytes]

    def expected(self, run: RunDone) -> RunDone | None:
        """Return the reference's run whose output this one's is not; None where they are the same, or none is due."""
        program, name = run.step.split(".")[:2]
        expected = self.reference.run(program, name)
        if self.spec.cases[name].expect != "reference-output" or expected is None:
            return None
        return None if run.stdout.sha256 == expected.stdout.sha256 else expected

    def difference(self, run: RunDone, expected: RunDone, written: bytes) -> Difference | None:
        """Return where `written`, the output of a run, parts from what was expected."""
        name = run.step.split(".")[1]
        source = self.inputs[self.spec.cases[name].input]
        return difference(self.reference.output(expected), written, source, run.stdout.size_bytes)


def differences(
    standard: ExpectedOutputs,
    evidence: Evidence,
    fetch: Callable[[str], bytes],
    keep: Callable[[str, bytes], None] | None = None,
) -> Mapping[str, Difference]:
    """Return where each run's output parts from the reference's, by step.

    Only where hashes differ are the bytes looked at, one run at a time; `fetch` gets those of a step that did not
    send them along, and `keep` is shown the whole of each.
    """
    found = {}
    for step, run in evidence.runs.items():
        expected = standard.expected(run)
        if expected is None:
            continue
        written = fetch(step) if run.stdout.data is None else run.stdout.data
        where = standard.difference(run, expected, written)
        if where is not None:
            found[step] = where
            if keep is not None:
                keep(step, written)
    return found
