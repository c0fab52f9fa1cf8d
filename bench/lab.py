"""The programs and inputs of a lab that are measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from grader.errors import UsageError
from grader.model.spec.cases import Case, input_bytes
from grader.model.spec.lab import Spec
from grader.model.spec.programs import ExactCalls, Program

EMPTY, PART = "bench-empty", "bench-part"
"""Names of two inputs that are added to those of the lab."""


@dataclass(frozen=True)
class MeasuredLab:
    """A lab, and the submission that is graded and whose programs are run alone."""

    spec: Spec
    name: str
    """Value for `--lab`."""

    submission: Path
    part_bytes: int

    @cached_property
    def cases(self) -> Mapping[str, Case]:
        """The cases that copy a full-size input to a file.

        Raises:
            UsageError: the lab has none.
        """
        every = self.spec.cases.items()
        cases = {name: case for name, case in every if case.limits == "full" and case.sink == "file"}
        if not cases:
            raise UsageError(
                f"{self.spec.lab} has no case that copies a full-size input to a file, which the bench measures"
            )
        return cases

    @cached_property
    def main_case(self) -> str:
        """The case that is run alone, under tally and under strace."""
        return next(iter(self.cases))

    @cached_property
    def inputs(self) -> Mapping[str, bytes]:
        """Inputs by name: those of the cases, an empty one, and a part of the main case's input."""
        inputs = {case.input: input_bytes(self.spec.inputs[case.input]) for case in self.cases.values()}
        whole = inputs[self.cases[self.main_case].input]
        return {**inputs, EMPTY: b"", PART: whole[: self.part_bytes]}

    @cached_property
    def sources(self) -> Mapping[str, bytes]:
        """The submission's sources, by file name."""
        names = self.spec.sources
        try:
            return {name: (self.submission / name).read_bytes() for name in names}
        except OSError as error:
            raise UsageError(f"{self.submission} is not a submission for {self.spec.lab}: {error}") from error

    @property
    def size_bytes(self) -> int:
        """The size of the main case's input."""
        return len(self.inputs[self.cases[self.main_case].input])

    def compile_command(self, program: str, executable: str) -> list[str]:
        """Return the command that compiles a program, as the spec says."""
        return [*self.spec.build.compiler_command, "-o", executable, self.spec.programs[program].main_source]

    def is_costly(self, program: str) -> bool:
        """Whether a program makes so many calls that strace gets only a part of the input."""
        return isinstance(self.spec.programs[program].stdin, ExactCalls)


def filter_options(program: Program) -> list[str]:
    """Return tally's options for the calls that conform, if the lab requires an exact nbyte."""
    streams = {"--read-nbyte": program.stdin, "--write-nbyte": program.stdout}
    exact = {option: pattern.nbyte for option, pattern in streams.items() if isinstance(pattern, ExactCalls)}
    return [word for option, nbyte in exact.items() for word in (option, str(nbyte))]
