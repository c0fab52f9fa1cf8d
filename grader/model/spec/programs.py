"""The programs of a spec: how they are compiled, which calls they are to make, and what they may use."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from grader.model.base import Model
from grader.model.spec.types import CompilerOption, Count, CSymbol, Seconds, SourceName


class BatchedCalls(Model):
    """Few calls that carry much: at least `mean_bytes_min` bytes a call on average."""

    calls: Literal["batched"]
    mean_bytes_min: Count


class ExactCalls(Model):
    """One call for every `nbyte` bytes, each with exactly that nbyte."""

    calls: Literal["exact"]
    nbyte: Count


class LineBufferedCalls(Model):
    """One call a line, or a buffer, whichever comes first: what stdio does on a terminal."""

    calls: Literal["line-buffered"]
    buffer_bytes: Count


CallPattern = Annotated[BatchedCalls | ExactCalls | LineBufferedCalls, Field(discriminator="calls")]


class SymbolRule(Model):
    """Functions that the source calls: at least one of each group in `one_of_each`, none of `none_of`."""

    one_of_each: tuple[Annotated[tuple[CSymbol, ...], Field(min_length=1)], ...]
    none_of: tuple[CSymbol, ...] = ()


class Program(Model):
    """One program of the lab, and how it is to move its bytes."""

    source: SourceName
    title: str
    stdin: CallPattern
    stdout: CallPattern
    terminal: CallPattern
    symbols: SymbolRule


class Build(Model):
    """How a program is compiled, and how the object is compiled whose symbols show what the source calls."""

    compiler: Literal["gcc"]
    standard: str
    options: tuple[CompilerOption, ...] = ()
    object_options: tuple[CompilerOption, ...] = ()

    @property
    def compiler_command(self) -> tuple[str, ...]:
        """The beginning of the command that compiles a program; output and source follow."""
        return (self.compiler, f"-std={self.standard}", *self.options)


class RunLimits(Model):
    """Limits of one run, a little above what is judged."""

    cpu_s: Annotated[int, Field(ge=1)]
    wall_s: Seconds
    output_bytes: Count
    memory_bytes: Count


class Limits(Model):
    """Limits by kind of run, and of a submission as a whole."""

    build: RunLimits
    small: RunLimits
    full: RunLimits
    strace_small: RunLimits
    strace: RunLimits
    strace_full: RunLimits
    submission_wall_s: Seconds
    """Shared out evenly among the programs: what one uses up, the other does not lack."""

    processes: Count
    open_files: Count
    source_bytes: Count
    cheap_calls: Count
    """Above so many calls, expected from the slice, a full-size run is not put under strace."""
