"""The checks of a spec, by kind: what each is about, and which cases it rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from pydantic import Field

from grader.model.base import Model
from grader.model.spec.cases import Case
from grader.model.spec.types import Name

Visibility = Literal["visible", "hidden", "after_due_date", "after_published"]
"""When a student sees a check on Gradescope, in its words."""


class RubricItem(Model):
    """What all kinds of checks have; the check's id is PROGRAM.NAME."""

    name: Name
    title: str
    points: Mapping[Name, Annotated[int, Field(ge=0)]]
    hint: str = ""
    visibility: Visibility = "visible"


class BuildItem(RubricItem):
    """The program compiles."""

    kind: Literal["build"]


class CasesItem(RubricItem):
    """Every case ends as it expects."""

    kind: Literal["cases"]
    cases: Annotated[tuple[Name, ...], Field(min_length=1)]


class CallPatternItem(RubricItem):
    """System calls on standard input and output follow the program's pattern.

    `slice` is the short case whose whole log is read; `full` are the full-size cases, of which the first is
    judged whose output went through whole.
    """

    kind: Literal["call-pattern"]
    slice: Name
    full: Annotated[tuple[Name, ...], Field(min_length=1)]


class SymbolsItem(RubricItem):
    """The source calls the functions that the lab asks for."""

    kind: Literal["symbols"]


class TerminalItem(RubricItem):
    """Written to a terminal, the output is right and the writes follow the program's terminal pattern.

    `shown` cases are run for the table of calls and decide nothing.
    """

    kind: Literal["terminal"]
    cases: Annotated[tuple[Name, ...], Field(min_length=1)]
    shown: tuple[Name, ...] = ()


class TimingItem(RubricItem):
    """Real, user and system time beside the reference's; never fails."""

    kind: Literal["timing"]
    case: Name


RubricEntry = Annotated[
    BuildItem | CasesItem | CallPatternItem | SymbolsItem | TerminalItem | TimingItem,
    Field(discriminator="kind"),
]


def case_references(item: RubricEntry) -> list[tuple[str, str]]:
    """Return (key path below the item, case name) for every case that a rubric item names."""
    if isinstance(item, TerminalItem):
        return [*_numbered("cases", item.cases), *_numbered("shown", item.shown)]
    if isinstance(item, CasesItem):
        return _numbered("cases", item.cases)
    if isinstance(item, CallPatternItem):
        return [("slice", item.slice), *_numbered("full", item.full)]
    if isinstance(item, TimingItem):
        return [("case", item.case)]
    return []


def why_unfit(item: RubricEntry, key: str, case: Case) -> str | None:
    """Return why a case cannot serve where a rubric item names it, None where it can."""
    match item:
        case CallPatternItem() if key == "slice":
            return None if case.strace == "always" else "is the slice, and needs strace: always"
        case CallPatternItem():
            counted = case.engine in ("account", "filter") and case.when == "always"
            return None if counted else "is run at full size, and needs engine: account or filter, and when: always"
        case TimingItem():
            return None if case.engine in ("plain", "account") else "is timed, and needs engine: plain or account"
        case CasesItem():
            always = case.engine != "none" and case.when == "always"
            return None if always else "has to be run always, and not under strace only"
        case TerminalItem():
            return None if case.sink == "terminal" else f"writes to a {case.sink}, not to a terminal"
        case _:
            return None


def _numbered(key: str, names: Sequence[str]) -> list[tuple[str, str]]:
    return [(f"{key}.{index}", name) for index, name in enumerate(names)]
