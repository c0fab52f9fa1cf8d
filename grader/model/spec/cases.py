"""The inputs and the cases of a spec."""

from __future__ import annotations

import hashlib
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints

from grader.model.base import Model, SpecBytes
from grader.model.spec.programs import CallPattern
from grader.model.spec.types import Count, Hidden, Name


class LiteralInput(Hidden):
    """Bytes that the spec contains literally."""

    kind: Literal["literal"]
    data: SpecBytes


class PatternInput(Hidden):
    """The bytes of `data`, repeated and cut at `size_bytes`.

    With `least_bytes` each submission gets a size of its own between the two, which follows from its sources. So a
    program cannot be written for the sizes that are known.
    """

    kind: Literal["pattern"]
    data: Annotated[SpecBytes, Field(min_length=1)]
    size_bytes: Count
    least_bytes: Count | None = None

    def size_for(self, digest: str) -> int:
        """Return the size of the input for the submission with this digest."""
        if self.least_bytes is None:
            return self.size_bytes
        number = int.from_bytes(hashlib.sha256(f"size {digest}".encode()).digest(), "big")
        # Both may have been cut (`grader check --quick`).
        least_bytes = min(self.least_bytes, self.size_bytes)
        return least_bytes + number % (self.size_bytes - least_bytes + 1)


class RandomInput(Hidden):
    """`size_bytes` bytes of SHAKE-256 over the seed: the same on every machine and Python version."""

    kind: Literal["random"]
    seed: Annotated[str, StringConstraints(min_length=1)]
    size_bytes: Count


Input = Annotated[LiteralInput | PatternInput | RandomInput, Field(discriminator="kind")]


def input_bytes(declaration: Input) -> bytes:
    """Return the bytes of an input, which are always the same for the same declaration."""
    if isinstance(declaration, LiteralInput):
        return declaration.data
    if isinstance(declaration, PatternInput):
        repeats = -(-declaration.size_bytes // len(declaration.data))
        return (declaration.data * repeats)[: declaration.size_bytes]
    return hashlib.shake_256(declaration.seed.encode("utf-8")).digest(declaration.size_bytes)


class FileSource(Model):
    """Standard input is a file."""

    kind: Literal["file"] = "file"


class PipeSource(Model):
    """Standard input is a pipe that is refilled with `chunk_bytes` only when it is empty, so that reads are short."""

    kind: Literal["pipe"]
    chunk_bytes: Count


def _without_nul(data: bytes) -> bytes:
    if 0 in data:
        raise ValueError("an operand cannot hold the byte 00: it would end there")
    return data


Operand = Annotated[SpecBytes, AfterValidator(_without_nul)]
Sink = Literal["file", "pipe", "terminal"]
Expectation = Literal["reference-output", "operand-error", "either"]
MainEngine = Literal["plain", "account", "filter", "none"]
When = Literal["always", "cheap"]
StraceWhen = Literal["never", "always", "when-cheap"]
LimitName = Literal["small", "full"]


class CaseCalls(Model):
    """Call patterns of a case, each instead of the program's."""

    stdin: CallPattern | None = None
    stdout: CallPattern | None = None
    terminal: CallPattern | None = None


class Case(Hidden):
    """One way to run each program, or those that `programs` names.

    `engine` says how to do the run without strace: plain, with the kernel's accounting, with tally's filter, or not
    at all. `when: cheap` does this run only if the slice showed that the program makes few calls. `strace` adds a run
    under strace; `when-cheap` is the same condition.
    """

    operands: tuple[Operand, ...]
    input: Name
    source: Annotated[FileSource | PipeSource, Field(discriminator="kind")] = FileSource()
    sink: Sink = "file"
    expect: Expectation = "reference-output"
    engine: MainEngine = "plain"
    when: When = "always"
    strace: StraceWhen = "never"
    limits: LimitName = "small"
    programs: Annotated[tuple[Name, ...], Field(min_length=1)] | None = None
    calls: CaseCalls = CaseCalls()

    def runs(self, program: str) -> bool:
        """Return whether a program is run in this case."""
        return self.programs is None or program in self.programs

    @property
    def is_counted(self) -> bool:
        """Whether the system calls of the case are counted, and shown by the name of its input."""
        return self.engine in ("account", "filter") or self.strace != "never"
