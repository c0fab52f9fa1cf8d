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

        Where the reference's own program left the case out, because it makes too many calls to be traced, another
        of its programs stands in: they all write the same (grader/oracle.py checks it).

        Raises:
            KeyError: none was made.
        """
        for name in (program, *self.evidence.builds):
            run = self.evidence.run(name, case) or self.evidence.traced(name, case)
            if run is not None:
                return run
        raise KeyError(f"{program}.{case}")

    def output(self, run: RunDone) -> bytes:
        """Return what one of the reference's runs wrote."""
        return self.outputs[run.stdout.sha256]
