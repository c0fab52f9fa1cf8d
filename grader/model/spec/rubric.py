"""The checks of a spec, by kind: what each judges, and the cases that it depends on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Literal

from pydantic import Field, model_validator
from typing_extensions import Self, override

from grader.model.base import Model
from grader.model.evidence import count_id, run_id, trace_id
from grader.model.spec.cases import Case
from grader.model.spec.programs import SymbolRule
from grader.model.spec.types import Name, Points

Visibility = Literal["visible", "hidden", "after_due_date", "after_published"]
"""When students see a check on Gradescope, in its own terms."""


def check_id(program: str, name: str) -> str:
    """Name a check: an item of the rubric, for one program."""
    return f"{program}.{name}"


def program_of(check: str) -> str:
    """Return the program of a check, by its id."""
    return check.partition(".")[0]


class RubricItem(Model):
    """The fields that all kinds of checks have; the check's id is PROGRAM.NAME.

    The module in grader/judge with the name of the kind judges it.
    """

    name: Name
    title: str
    points: Annotated[Mapping[Name, Points], Field(min_length=1)]
    hint: str = ""
    visibility: Visibility = "visible"

    def case_references(self) -> list[tuple[str, str]]:
        """Return the key path below the item and the name of every case that the item names."""
        return []

    def why_unfit(self, key: str, case: Case) -> str | None:  # noqa: ARG002 - for kinds that name cases
        """Return why a case is not suitable for the item at `key`; None if it is."""
        return None

    def steps(self, program: str) -> tuple[str, ...]:  # noqa: ARG002 - for kinds that need runs
        """Return the ids of all runs that can decide the check of a program; not every plan has all of them."""
        return ()


class BuildItem(RubricItem):
    """The program compiles."""

    kind: Literal["build"]


class CasesItem(RubricItem):
    """Every case ends as it expects."""

    kind: Literal["cases"]
    cases: Annotated[tuple[Name, ...], Field(min_length=1)]

    @override
    def case_references(self) -> list[tuple[str, str]]:
        return _numbered("cases", self.cases)

    @override
    def why_unfit(self, key: str, case: Case) -> str | None:
        always = case.engine != "none" and case.when == "always"
        return None if always else "has to be run always, and not under strace only"

    @override
    def steps(self, program: str) -> tuple[str, ...]:
        return tuple(run_id(program, case) for case in self.cases)


class CallPatternItem(RubricItem):
    """System calls on standard input and output follow the program's pattern.

    `slice` is the short case whose whole log is read. `full` are the full-size cases; those whose input went through
    completely are judged. `small` are other short cases whose calls are counted as well, so that a program cannot
    behave differently at sizes that are not judged.
    """

    kind: Literal["call-pattern"]
    slice: Name
    full: Annotated[tuple[Name, ...], Field(min_length=1)]
    small: tuple[Name, ...] = ()

    @override
    def case_references(self) -> list[tuple[str, str]]:
        return [("slice", self.slice), *_numbered("full", self.full), *_numbered("small", self.small)]

    @override
    def why_unfit(self, key: str, case: Case) -> str | None:
        if key == "slice":
            return None if case.strace == "always" else "is the slice, and needs strace: always"
        if key.startswith("small"):
            fits = case.engine == "plain" and case.limits == "small" and case.sink != "terminal"
            fits = fits and case.expect != "operand-error"
            return None if fits else "needs engine: plain, limits: small, no terminal, and to copy"
        counted = case.engine in ("account", "filter") and case.when == "always"
        return None if counted else "is run at full size, and needs engine: account or filter, and when: always"

    @override
    def steps(self, program: str) -> tuple[str, ...]:
        return _all_runs(program, (self.slice, *self.full, *self.small))


class SymbolsItem(RubricItem):
    """The source calls the functions that the lab asks for; `symbols` is instead of the program's rule."""

    kind: Literal["symbols"]
    symbols: SymbolRule | None = None


class SourceFormatItem(RubricItem):
    """The sources and headers are written as the lab asks; at least one of these rules is needed.

    `columns`: the most columns of a line, with a tab stop every 8. `ascii_only`: no byte above 127.
    `carriage_returns`: whether they are allowed.
    """

    kind: Literal["source-format"]
    columns: Annotated[int, Field(ge=20)] | None = None
    ascii_only: bool = False
    carriage_returns: bool = True

    @model_validator(mode="after")
    def _has_a_rule(self) -> Self:
        if self.columns is None and not self.ascii_only and self.carriage_returns:
            msg = "a check of source-format needs columns, ascii_only: true or carriage_returns: false"
            raise ValueError(msg)
        return self


class NotebookItem(RubricItem):
    """The lab notebook has what the lab's `notebook` asks for, of the program that has the points.

    `asks` chooses from it: `strace` and `time` are about that program, the others about the whole notebook. `format`
    is what is asked of the file itself. What cannot be determined counts as missing.
    """

    kind: Literal["notebook"]
    asks: Annotated[
        tuple[Literal["strace", "time", "input-size", "conclusion", "format"], ...], Field(min_length=1)
    ] = ("strace", "time")


class TerminalItem(RubricItem):
    """Written to a terminal, the output is right and the writes follow the program's terminal pattern.

    `shown` cases are run for the table of calls and decide nothing.
    """

    kind: Literal["terminal"]
    cases: Annotated[tuple[Name, ...], Field(min_length=1)]
    shown: tuple[Name, ...] = ()

    @override
    def case_references(self) -> list[tuple[str, str]]:
        return [*_numbered("cases", self.cases), *_numbered("shown", self.shown)]

    @override
    def why_unfit(self, key: str, case: Case) -> str | None:
        return None if case.sink == "terminal" else f"writes to a {case.sink}, not to a terminal"

    @override
    def steps(self, program: str) -> tuple[str, ...]:
        return _all_runs(program, self.cases)


class TimingItem(RubricItem):
    """Real, user and system time next to those of the reference; never fails."""

    kind: Literal["timing"]
    case: Name

    @override
    def case_references(self) -> list[tuple[str, str]]:
        return [("case", self.case)]

    @override
    def why_unfit(self, key: str, case: Case) -> str | None:
        return "is timed, and needs engine: plain, account or filter" if case.engine == "none" else None

    @override
    def steps(self, program: str) -> tuple[str, ...]:
        return (run_id(program, self.case),)


RubricEntry = Annotated[
    BuildItem
    | CasesItem
    | CallPatternItem
    | SymbolsItem
    | SourceFormatItem
    | NotebookItem
    | TerminalItem
    | TimingItem,
    Field(discriminator="kind"),
]


def _numbered(key: str, names: Sequence[str]) -> list[tuple[str, str]]:
    return [(f"{key}.{index}", name) for index, name in enumerate(names)]


def _all_runs(program: str, cases: Iterable[str]) -> tuple[str, ...]:
    return tuple(step(program, case) for case in cases for step in (run_id, trace_id, count_id))
