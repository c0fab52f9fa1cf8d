"""Which runs a check rests on."""

from __future__ import annotations

from typing_extensions import assert_never

from grader.model.evidence import run_id, trace_id
from grader.model.spec.rubric import (
    BuildItem,
    CallPatternItem,
    CasesItem,
    RubricEntry,
    SymbolsItem,
    TerminalItem,
    TimingItem,
)


def concerns(asked: frozenset[str] | None, program: str) -> bool:
    """Return whether a check of a program is among the ids of those that were asked for; None: all are."""
    return asked is None or any(check.startswith(f"{program}.") for check in asked)


def steps_of(program: str, item: RubricEntry) -> tuple[str, ...]:
    """Return the ids of all runs that may decide a check of a program; not every plan has all of them."""
    match item:
        case BuildItem() | SymbolsItem():
            return ()
        case CasesItem():
            return tuple(run_id(program, case) for case in item.cases)
        case TimingItem():
            return (run_id(program, item.case),)
        case CallPatternItem():
            cases = (item.slice, *item.full)
        case TerminalItem():
            cases = item.cases
        case _ as unreachable:
            assert_never(unreachable)
    return tuple(name(program, case) for case in cases for name in (run_id, trace_id))
