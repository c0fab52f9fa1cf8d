"""Faults of the grader's side. A student's mistake is never an exception: it is a failed check."""

from __future__ import annotations

from pathlib import Path


class GraderError(Exception):
    """Something on the grader's side went wrong; a submission in flight is NOT_GRADED, never 0 points."""


class UsageError(GraderError):
    """The command line asks for something that cannot be done; exit status 2."""


class SpecError(UsageError):
    """A lab's file, its spec or one that belongs to a mutant, cannot be used.

    `path` is the file, `line` counts from 1 (None where no line is to blame), `key_path` is dotted
    (`cases.3.input`, empty for the whole file).
    """

    def __init__(self, message: str, *, path: Path, line: int | None = None, key_path: str = "") -> None:
        """Keep the parts apart, so that a caller can use each of them."""
        self.message = message
        self.path = path
        self.line = line
        self.key_path = key_path
        super().__init__(str(self))

    def __str__(self) -> str:
        """Say `file:line: key.path: what is wrong`, the form that editors can jump to."""
        place = f"{self.path}:{self.line}" if self.line is not None else str(self.path)
        return f"{place}: {self.key_path}: {self.message}" if self.key_path else f"{place}: {self.message}"


class EngineUnavailableError(GraderError):
    """No Docker engine answers, or it lacks what a sandbox needs."""


class SandboxError(GraderError):
    """The sandbox broke while a submission was in it: the engine died, the guest faulted, its stream ended early."""
