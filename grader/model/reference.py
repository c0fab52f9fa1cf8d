"""What the model solution showed: the oracle that submissions are compared with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from grader.model.evidence import Evidence, RunDone


@dataclass(frozen=True)
class Reference:
    """The model solution's evidence, with every output's bytes by their SHA-256."""

    evidence: Evidence
    outputs: Mapping[str, bytes]

    def run(self, program: str, case: str) -> RunDone | None:
        """Return the run that a case's output is compared with: the untraced one, else the one under strace.

        Where this program was not run so (it makes too many calls for a log, say), another program of the lab
        stands for it: they all write the same. None where none was.
        """
        others = [name for name in self.evidence.builds if name != program]
        runs = (
            run
            for name in (program, *others)
            for run in (self.evidence.run(name, case), self.evidence.traced(name, case))
        )
        return next((run for run in runs if run is not None), None)

    def output(self, run: RunDone) -> bytes:
        """Return what one of the reference's runs wrote."""
        return self.outputs[run.stdout.sha256]
