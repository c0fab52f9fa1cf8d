"""What a lab asks of the notebook that students hand in next to their programs."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from grader.model.base import Model
from grader.model.spec.types import Count, FileName

NotebookSink = Literal["file", "terminal"]


class NotebookRules(Model):
    """The names that a notebook may have, and what the lab's statement asks for.

    `least_bytes`: the size of the input that is measured. `strace_sinks`: where every program's output goes when its
    calls are counted. `time`: every program is timed. `ascii_only` (no byte above 127), `carriage_returns` and
    `columns` are rules for the file; None or true means that there is no such rule.
    """

    files: tuple[FileName, ...] = ()
    least_bytes: Count | None = None
    strace_sinks: tuple[NotebookSink, ...] = ("file", "terminal")
    time: bool = True
    conclusion: bool = True
    ascii_only: bool = False
    carriage_returns: bool = True
    columns: Annotated[int, Field(ge=20)] | None = None
