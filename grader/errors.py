"""Faults on the grader's side. A student's mistake is never an exception: it is a failed check."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

SHOWN_MISTAKES = 10
"""Mistakes of one file that are shown at once; later ones often follow from earlier ones."""

NO_MEMORY = "there is not enough memory: end other programs; `ulimit -a` shows whether the shell has a limit"


def lacks_memory(error: BaseException) -> bool:
    """Return whether an error comes from a lack of memory, which Python reports in another way for a new thread."""
    is_of_thread = isinstance(error, RuntimeError) and "can't start new thread" in str(error)
    return isinstance(error, MemoryError) or is_of_thread


class GraderError(Exception):
    """Something went wrong on the grader's side: the submission in flight is NOT GRADED and never gets 0 points."""


class UsageError(GraderError):
    """The command line asks for something that cannot be done. The exit status is 2."""


class UnwritableError(GraderError):
    """A file or folder cannot be written, and not because the disk is full: others may be written all the same."""


class SpecError(UsageError):
    """A file of a lab cannot be used: its spec, or one that belongs to a mutant.

    `path` is the file, `line` counts from 1 (None if no line is to blame), `key_path` is dotted (`cases.3.input`,
    empty for the whole file). `others` are further mistakes in the same lab.
    """

    def __init__(
        self,
        message: str,
        *,
        path: Path,
        line: int | None = None,
        key_path: str = "",
        others: Sequence[SpecError] = (),
    ) -> None:
        self.message = message
        self.others = tuple(others)
        self.path = path
        self.line = line
        self.key_path = key_path
        super().__init__(str(self))

    def __str__(self) -> str:
        """Return one line per mistake, `file:line: key.path: what is wrong`, a form that editors can jump to."""
        position = f"{self.path}:{self.line}" if self.line is not None else str(self.path)
        first = f"{position}: {self.key_path}: {self.message}" if self.key_path else f"{position}: {self.message}"
        shown, left = self.others[: SHOWN_MISTAKES - 1], self.others[SHOWN_MISTAKES - 1 :]
        more = [f"{self.path}: and {len(left)} more"] if left else []
        return "\n".join([first, *map(str, shown), *more])


def together(mistakes: Sequence[SpecError]) -> SpecError:
    """Return one error for several mistakes, in which none has others."""
    first, *others = mistakes
    return SpecError(first.message, path=first.path, line=first.line, key_path=first.key_path, others=others)


class NothingToGradeError(GraderError):
    """Nothing failed, but there is no program to grade: what was handed in, or what an override chooses, is none."""


class EngineUnavailableError(GraderError):
    """No Docker engine answers, or it lacks what a sandbox needs."""


class SandboxError(GraderError):
    """The sandbox broke while a submission was in it: the engine died, the guest faulted, its stream ended early."""


class SilentGraderError(SandboxError):
    """The guest ended because it heard nothing from us: this process was stopped."""
