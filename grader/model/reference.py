"""The results of the reference, which submissions are compared with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from grader.model.evidence import Evidence, RunDone


@dataclass(frozen=True)
class Reference:
    """The evidence of the reference, and its outputs by SHA-256."""

    evidence: Evidence
    outputs: Mapping[str, bytes]

    def run(self, program: str, case: str) -> RunDone | None:
        """Return the run that a case's output is compared with: the untraced one, or else the one under strace.

        If this program has neither run (for example because it makes too many calls for a log), return one of
        another program of the lab, because all programs write the same output. None if there is none.
        """
        others = [name for name in self.evidence.builds if name != program]
        runs = (
            run
            for name in (program, *others)
            for run in (self.evidence.run(name, case), self.evidence.traced(name, case))
        )
        return next((run for run in runs if run is not None), None)

    def output(self, run: RunDone) -> bytes:
        """Return the output of one of the reference's runs."""
        return self.outputs[run.stdout.sha256]
