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

    def run(self, program: str, case: str) -> RunDone:
        """Return the run that a case's output is compared with: the untraced one, else the one under strace.

        Raises:
            KeyError: neither was made.
        """
        run = self.evidence.run(program, case) or self.evidence.traced(program, case)
        if run is None:
            raise KeyError(f"{program}.{case}")
        return run

    def output(self, run: RunDone) -> bytes:
        """Return what one of the reference's runs wrote."""
        return self.outputs[run.stdout.sha256]
